#include "rocr/loader.hpp"

#include "base/log.hpp"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace bz::rocr {

namespace {

/// The path part of a file URI: everything but unreserved characters and slashes in percent form.
std::string percent_encoded(std::string_view path) {
  std::string out;
  for (const char c : path) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       std::string_view("/-_.~").find(c) != std::string_view::npos;
    if (plain)
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string uri_of(const CodeSource& source, const LoadedCodeObject& loaded) {
  if (!source.path.empty())
    return fmt::format("file://{}#offset={}&size={}", percent_encoded(source.path), source.file_offset,
                       source.bytes.size());
  return fmt::format("memory://{}#offset={:#x}&size={}", getpid(), reinterpret_cast<uintptr_t>(loaded.image.data()),
                     loaded.image.size());
}

/// The largest power of two up to a page that divides the address: what the variable's place guarantees.
uint32_t alignment_of(uint64_t address) {
  return address ? uint32_t(1) << std::min(std::countr_zero(address), 12) : 4096;
}

std::vector<std::shared_ptr<Symbol>> symbols_of(const codeobj::CodeObject& object, int64_t delta) {
  std::vector<std::shared_ptr<Symbol>> list;
  for (const codeobj::Kernel& k : object.kernels()) {
    auto s = std::make_shared<Symbol>();
    s->kind = HSA_SYMBOL_KIND_KERNEL;
    s->name = k.symbol;
    s->address = k.descriptor_address + static_cast<uint64_t>(delta);
    s->size = codeobj::KernelDescriptor::kSize;
    s->alignment = 64;
    s->is_const = true;
    s->kernarg_size = k.metadata ? k.metadata->kernarg_segment_size : k.descriptor.kernarg_size();
    s->kernarg_align = std::max<uint32_t>(16, k.metadata ? k.metadata->kernarg_segment_align : 16);
    s->group_size = k.descriptor.group_segment_fixed_size();
    s->private_size = k.descriptor.private_segment_fixed_size();
    s->wavefront_size = k.descriptor.wavefront_size();
    s->dynamic_stack = k.descriptor.uses_dynamic_stack();
    list.push_back(std::move(s));
  }
  for (const codeobj::Symbol* v : object.variables()) {
    auto s = std::make_shared<Symbol>();
    s->name = v->name;
    s->address = v->is_absolute() ? v->value : v->value + static_cast<uint64_t>(delta);
    s->size = v->size;
    s->alignment = alignment_of(v->value);
    const codeobj::Segment* segment = object.segment_at(v->value, std::max<uint64_t>(v->size, 1));
    s->is_const = segment && !segment->writable();
    list.push_back(std::move(s));
  }
  return list;
}

} // namespace

Loader::~Loader() {
  for (auto& [handle, e] : executables_.all())
    for (auto& l : e->loaded) unload(*l);
}

Result<hsa_code_object_reader_t> Loader::create_reader(CodeSource source) {
  auto r = std::make_shared<CodeSource>(std::move(source));
  if (!r->owned.empty()) r->bytes = r->owned;
  return hsa_code_object_reader_t{readers_.add(std::move(r))};
}

Outcome Loader::destroy_reader(hsa_code_object_reader_t reader) {
  if (!readers_.remove(reader.handle))
    return fail(HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER, "{:#x} is no reader", reader.handle);
  return {};
}

Result<std::shared_ptr<CodeSource>> Loader::reader(hsa_code_object_reader_t handle) const {
  auto r = readers_.find(handle.handle);
  if (!r) return fail(HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER, "{:#x} is no reader", handle.handle);
  return r;
}

Result<hsa_executable_t> Loader::create(hsa_profile_t profile, hsa_default_float_rounding_mode_t rounding) {
  auto e = std::make_shared<Executable>();
  e->profile = profile;
  e->rounding = rounding;
  const hsa_executable_t handle{executables_.add(e)};
  e->handle = handle;
  return handle;
}

Outcome Loader::destroy(hsa_executable_t handle) {
  const auto e = executables_.remove(handle.handle);
  if (!e) return fail(HSA_STATUS_ERROR_INVALID_EXECUTABLE, "{:#x} is no executable", handle.handle);
  std::unique_lock lock(e->mutex);
  for (auto& l : e->loaded) unload(*l);
  for (auto& [key, defined] : e->defined) symbols_.remove(defined.first);
  return {};
}

void Loader::unload(LoadedCodeObject& object) {
  debug_map_remove(object.debug);
  object.debug = nullptr;
  loaded_.remove(object.handle);
  for (auto& [handle, symbol] : object.symbols) symbols_.remove(handle);
  if (object.memory)
    if (Outcome o = memory_.free(object.memory); !o.ok()) log("rocr", Level::warn, "unloading code: {}", o.message());
  object.memory = nullptr;
}

Result<std::shared_ptr<Executable>> Loader::executable(hsa_executable_t handle) const {
  auto e = executables_.find(handle.handle);
  if (!e) return fail(HSA_STATUS_ERROR_INVALID_EXECUTABLE, "{:#x} is no executable", handle.handle);
  return e;
}

Result<hsa_loaded_code_object_t> Loader::load(Executable& executable, Agent& agent, const CodeSource& source) {
  std::unique_lock lock(executable.mutex);
  if (executable.frozen)
    return fail(HSA_STATUS_ERROR_FROZEN_EXECUTABLE, "executable {:#x} is frozen", executable.handle.handle);
  if (!agent.isa()) return fail(HSA_STATUS_ERROR_INVALID_AGENT, "{} runs no code objects", agent.name());
  auto l = std::make_shared<LoadedCodeObject>();
  l->image.assign(source.bytes.begin(), source.bytes.end());
  ROCR_TRY_ASSIGN(auto parsed, codeobj::CodeObject::parse(l->image));
  l->object.emplace(std::move(parsed));
  ROCR_TRY(codeobj::check_compatible(l->object->target(), agent.isa()->target));

  for (const codeobj::Kernel& k : l->object->kernels())
    for (const auto& other : executable.loaded)
      if (other->agent == &agent && other->object->find_kernel(k.symbol))
        return fail(HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED, "this executable has a kernel {} already", k.name);

  const codeobj::LoadLayout& layout = l->object->layout();
  Pool* pool = agent.find_pool(HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED);
  if (!pool || !pool->host_access)
    return fail(HSA_STATUS_ERROR_INVALID_ALLOCATION, "{} has no device memory that the host can write", agent.name());
  ROCR_TRY_ASSIGN(void* memory, memory_.allocate(*pool, std::max<uint64_t>(layout.size, 1),
                                                 {.executable = true, .alignment = layout.alignment}));
  l->executable = executable.handle;
  l->agent = &agent;
  l->memory = static_cast<std::byte*>(memory);
  l->device_address = reinterpret_cast<uint64_t>(memory);
  l->delta = static_cast<int64_t>(l->device_address - layout.first_address);
  l->file = source.file;

  const auto resolve = [&](std::string_view name) -> std::optional<uint64_t> {
    for (Agent* scope : {&agent, static_cast<Agent*>(nullptr)})
      if (const auto at = executable.defined.find({scope, std::string(name)}); at != executable.defined.end())
        return at->second.second->address;
    for (const auto& other : executable.loaded)
      if (other->agent == &agent)
        if (const codeobj::Symbol* s = other->object->find_symbol(name))
          return s->is_absolute() ? s->value : s->value + static_cast<uint64_t>(other->delta);
    return std::nullopt;
  };
  if (Status s = codeobj::load(*l->object, {l->memory, layout.size}, l->device_address, resolve); !s.ok()) {
    (void)memory_.free(memory);
    if (s.code() == Code::not_found) return fail(HSA_STATUS_ERROR_VARIABLE_UNDEFINED, "{}", s.message());
    return s;
  }

  l->uri = uri_of(source, *l);
  l->handle = loaded_.add(l);
  for (auto& s : symbols_of(*l->object, l->delta)) {
    s->executable = executable.handle;
    s->agent = agent.handle();
    const uint64_t handle = symbols_.add(s);
    l->symbols.emplace_back(handle, std::move(s));
  }
  l->debug = debug_map_add(l->uri, l->delta);
  executable.loaded.push_back(l);
  return hsa_loaded_code_object_t{l->handle};
}

Outcome Loader::freeze(Executable& executable) {
  std::unique_lock lock(executable.mutex);
  if (executable.frozen)
    return fail(HSA_STATUS_ERROR_FROZEN_EXECUTABLE, "executable {:#x} is frozen already", executable.handle.handle);
  executable.frozen = true;
  return {};
}

Outcome Loader::define(Executable& executable, Agent* agent, const char* name, void* address, bool read_only) {
  std::unique_lock lock(executable.mutex);
  if (executable.frozen)
    return fail(HSA_STATUS_ERROR_FROZEN_EXECUTABLE, "executable {:#x} is frozen", executable.handle.handle);
  bool known = executable.defined.contains({agent, name});
  for (const auto& l : executable.loaded)
    known = known || ((!agent || l->agent == agent) && l->object->find_symbol(name));
  if (known) return fail(HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED, "{} is defined already", name);
  auto s = std::make_shared<Symbol>();
  s->name = name;
  s->executable = executable.handle;
  if (agent) s->agent = agent->handle();
  s->address = reinterpret_cast<uint64_t>(address);
  s->is_const = read_only;
  s->is_definition = false; // its definition is the program's, not a code object's
  const uint64_t handle = symbols_.add(s);
  executable.defined.emplace(std::pair(agent, std::string(name)), std::pair(handle, std::move(s)));
  return {};
}

Result<hsa_executable_symbol_t> Loader::find_symbol(const Executable& executable, std::string_view name,
                                                    Agent* agent) const {
  std::shared_lock lock(executable.mutex);
  for (const auto& l : executable.loaded) {
    if (l->agent != agent) continue;
    for (const auto& [handle, s] : l->symbols)
      if (s->name == name) return hsa_executable_symbol_t{handle};
  }
  if (const auto at = executable.defined.find({agent, std::string(name)}); at != executable.defined.end())
    return hsa_executable_symbol_t{at->second.first};
  return fail(HSA_STATUS_ERROR_INVALID_SYMBOL_NAME, "no symbol {} {}", name,
              agent ? "for this agent; a kernel's name ends in .kd" : "of program allocation");
}

Result<std::shared_ptr<Symbol>> Loader::symbol(hsa_executable_symbol_t handle) const {
  auto s = symbols_.find(handle.handle);
  if (!s) return fail(HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL, "{:#x} is no symbol", handle.handle);
  return s;
}

Result<std::shared_ptr<LoadedCodeObject>> Loader::loaded(hsa_loaded_code_object_t handle) const {
  auto l = loaded_.find(handle.handle);
  if (!l) return fail(HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "{:#x} is no loaded code object", handle.handle);
  return l;
}

std::vector<std::shared_ptr<Executable>> Loader::executables() const {
  std::vector<std::shared_ptr<Executable>> list;
  for (auto& [handle, e] : executables_.all()) list.push_back(std::move(e));
  return list;
}

std::shared_ptr<LoadedCodeObject> Loader::at(uint64_t device_address) const {
  for (auto& [handle, l] : loaded_.all())
    if (l->contains(device_address)) return l;
  return nullptr;
}

Result<hsa_code_object_t> Loader::parse(codeobj::Bytes bytes, Isa* (*find_isa)(void*, const codeobj::TargetId&),
                                        void* context) {
  auto file = std::make_shared<CodeObjectFile>();
  file->image.assign(bytes.begin(), bytes.end());
  ROCR_TRY_ASSIGN(auto parsed, codeobj::CodeObject::parse(file->image));
  file->object.emplace(std::move(parsed));
  file->isa = find_isa(context, file->object->target());
  for (auto& s : symbols_of(*file->object, 0)) {
    const uint64_t handle = code_symbols_.add(s);
    file->symbols.emplace_back(handle, std::move(s));
  }
  return hsa_code_object_t{code_objects_.add(std::move(file))};
}

Result<std::shared_ptr<CodeObjectFile>> Loader::code_object(hsa_code_object_t handle) const {
  auto f = code_objects_.find(handle.handle);
  if (!f) return fail(HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "{:#x} is no code object", handle.handle);
  return f;
}

Outcome Loader::destroy_code_object(hsa_code_object_t handle) {
  const auto f = code_objects_.remove(handle.handle);
  if (!f) return fail(HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "{:#x} is no code object", handle.handle);
  for (auto& [symbol, s] : f->symbols) code_symbols_.remove(symbol);
  return {};
}

Result<std::shared_ptr<Symbol>> Loader::code_symbol(hsa_code_symbol_t handle) const {
  auto s = code_symbols_.find(handle.handle);
  if (!s) return fail(HSA_STATUS_ERROR_INVALID_CODE_SYMBOL, "{:#x} is no symbol of a code object", handle.handle);
  return s;
}

} // namespace bz::rocr
