// Code object readers, executables, symbols, and the loader extension.
#include "rocr/impl.hpp"
#include "rocr/put.hpp"
#include "rocr/runtime.hpp"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace bz::rocr::impl {

namespace {

/// A part of a file, read into memory; size 0 means up to the end.
Result<CodeSource> read_file(int file, uint64_t offset, uint64_t size, bool whole) {
  struct stat facts{};
  if (file < 0 || fstat(file, &facts) != 0)
    return fail(HSA_STATUS_ERROR_INVALID_FILE, "{} is no open file descriptor", file);
  if (!S_ISREG(facts.st_mode)) return fail(HSA_STATUS_ERROR_INVALID_FILE, "descriptor {} is no regular file", file);
  const auto end = static_cast<uint64_t>(facts.st_size);
  if (whole) size = end;
  if (size == 0) return fail(HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "the file is empty");
  if (!codeobj::in_range(offset, size, end))
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} bytes at {} are not in a file of {}", size, offset, end);
  CodeSource source;
  source.owned.resize(size);
  for (uint64_t done = 0; done < size;) {
    const ssize_t n = pread(file, source.owned.data() + done, size - done, static_cast<off_t>(offset + done));
    if (n <= 0) return fail(HSA_STATUS_ERROR_INVALID_FILE, "descriptor {} can't be read", file);
    done += static_cast<uint64_t>(n);
  }
  source.file = file;
  source.file_offset = offset;
  char path[4096];
  const ssize_t n = readlink(fmt::format("/proc/self/fd/{}", file).c_str(), path, sizeof path);
  if (n > 0 && path[0] == '/') source.path.assign(path, static_cast<size_t>(n));
  return source;
}

/// What both kinds of symbols (executable and code object) answer; `address` only makes sense for the former.
Outcome symbol_info(const Symbol& s, uint32_t attribute, void* value, bool loaded) {
  const bool kernel = s.kind == HSA_SYMBOL_KIND_KERNEL;
  const auto only = [&](bool right, const char* what) -> Outcome {
    if (right) return {};
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is no {}", s.name, what);
  };
  switch (attribute) {
  case HSA_EXECUTABLE_SYMBOL_INFO_TYPE:
    return put(value, s.kind);
  case HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH:
    return put(value, static_cast<uint32_t>(s.name.size()));
  case HSA_EXECUTABLE_SYMBOL_INFO_NAME:
    return put_chars(value, s.name);
  case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME_LENGTH:
    return put(value, 0u);
  case HSA_EXECUTABLE_SYMBOL_INFO_MODULE_NAME:
    return {}; // modules have no names
  case HSA_EXECUTABLE_SYMBOL_INFO_LINKAGE:
    return put(value, s.module_linkage ? HSA_SYMBOL_LINKAGE_MODULE : HSA_SYMBOL_LINKAGE_PROGRAM);
  case HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION:
    return put(value, s.is_definition);
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALLOCATION:
    ROCR_TRY(only(!kernel, "variable"));
    return put(value, s.agent || !loaded ? HSA_VARIABLE_ALLOCATION_AGENT : HSA_VARIABLE_ALLOCATION_PROGRAM);
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SEGMENT:
    ROCR_TRY(only(!kernel, "variable"));
    return put(value, s.is_const ? HSA_VARIABLE_SEGMENT_READONLY : HSA_VARIABLE_SEGMENT_GLOBAL);
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ALIGNMENT:
    ROCR_TRY(only(!kernel, "variable"));
    return put(value, s.alignment);
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE:
    ROCR_TRY(only(!kernel, "variable"));
    return put(value, static_cast<uint32_t>(s.size));
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_IS_CONST:
    ROCR_TRY(only(!kernel, "variable"));
    return put(value, s.is_const);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE:
    ROCR_TRY(only(kernel, "kernel"));
    return put(value, s.kernarg_size);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_ALIGNMENT:
    ROCR_TRY(only(kernel, "kernel"));
    return put(value, s.kernarg_align);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE:
    ROCR_TRY(only(kernel, "kernel"));
    return put(value, s.group_size);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE:
    ROCR_TRY(only(kernel, "kernel"));
    return put(value, s.private_size);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_DYNAMIC_CALLSTACK:
    ROCR_TRY(only(kernel, "kernel"));
    return put(value, s.dynamic_stack);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_CALL_CONVENTION:
    ROCR_TRY(only(kernel, "kernel"));
    return put(value, 0u);
  case HSA_EXECUTABLE_SYMBOL_INFO_INDIRECT_FUNCTION_CALL_CONVENTION:
    return only(false, "indirect function");
  default:
    break;
  }
  return bad_attribute(attribute);
}

// Both enumerations give the common attributes the same numbers.
static_assert(int(HSA_CODE_SYMBOL_INFO_IS_DEFINITION) == int(HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION));
static_assert(int(HSA_CODE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE) ==
              int(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE));

Isa* find_isa(void* runtime, const codeobj::TargetId& target) { return static_cast<Runtime*>(runtime)->isa_of(target); }

bool is_profile(hsa_profile_t p) { return p == HSA_PROFILE_BASE || p == HSA_PROFILE_FULL; }

} // namespace

Outcome hsa_code_object_reader_create_from_file(Runtime& runtime, hsa_file_t file, hsa_code_object_reader_t* reader) {
  if (!reader) return null_argument("code_object_reader");
  ROCR_TRY_ASSIGN(auto source, read_file(file, 0, 0, true));
  ROCR_TRY_ASSIGN(*reader, runtime.loader().create_reader(std::move(source)));
  return {};
}

Outcome hsa_code_object_reader_create_from_memory(Runtime& runtime, const void* code_object, size_t size,
                                                  hsa_code_object_reader_t* reader) {
  if (!reader) return null_argument("code_object_reader");
  if (!code_object) return null_argument("code_object");
  if (!size) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "the size is 0");
  ROCR_TRY(runtime.memory().check_range("code object", code_object, size));
  CodeSource source;
  source.bytes = codeobj::as_bytes(code_object, size);
  ROCR_TRY_ASSIGN(*reader, runtime.loader().create_reader(std::move(source)));
  return {};
}

Outcome hsa_ven_amd_loader_code_object_reader_create_from_file_with_offset_size(Runtime& runtime, hsa_file_t file,
                                                                                size_t offset, size_t size,
                                                                                hsa_code_object_reader_t* reader) {
  if (!reader) return null_argument("code_object_reader");
  if (!size) return fail(HSA_STATUS_ERROR_INVALID_CODE_OBJECT, "the size is 0");
  ROCR_TRY_ASSIGN(auto source, read_file(file, offset, size, false));
  ROCR_TRY_ASSIGN(*reader, runtime.loader().create_reader(std::move(source)));
  return {};
}

Outcome hsa_code_object_reader_destroy(Runtime& runtime, hsa_code_object_reader_t reader) {
  return runtime.loader().destroy_reader(reader);
}

Outcome hsa_executable_create_alt(Runtime& runtime, hsa_profile_t profile, hsa_default_float_rounding_mode_t rounding,
                                  const char*, hsa_executable_t* executable) {
  if (!executable) return null_argument("executable");
  if (!is_profile(profile)) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is no profile", int(profile));
  if (rounding < HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT || rounding > HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR)
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is no rounding mode", int(rounding));
  ROCR_TRY_ASSIGN(*executable, runtime.loader().create(profile, rounding));
  return {};
}

Outcome hsa_executable_create(Runtime& runtime, hsa_profile_t profile, hsa_executable_state_t state,
                              const char* options, hsa_executable_t* executable) {
  if (state != HSA_EXECUTABLE_STATE_UNFROZEN && state != HSA_EXECUTABLE_STATE_FROZEN)
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is no state of an executable", int(state));
  ROCR_TRY(hsa_executable_create_alt(runtime, profile, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR, options, executable));
  if (state == HSA_EXECUTABLE_STATE_UNFROZEN) return {};
  ROCR_TRY_ASSIGN(auto e, runtime.loader().executable(*executable));
  return runtime.loader().freeze(*e);
}

Outcome hsa_executable_destroy(Runtime& runtime, hsa_executable_t executable) {
  return runtime.loader().destroy(executable);
}

Outcome hsa_executable_load_agent_code_object(Runtime& runtime, hsa_executable_t executable, hsa_agent_t agent,
                                              hsa_code_object_reader_t reader, const char*,
                                              hsa_loaded_code_object_t* loaded) {
  ROCR_TRY_ASSIGN(auto e, runtime.loader().executable(executable));
  ROCR_TRY_ASSIGN(Agent * a, runtime.agent(agent));
  ROCR_TRY_ASSIGN(auto source, runtime.loader().reader(reader));
  ROCR_TRY_ASSIGN(const hsa_loaded_code_object_t handle, runtime.loader().load(*e, *a, *source));
  if (loaded) *loaded = handle;
  return {};
}

Outcome hsa_executable_load_program_code_object(Runtime& runtime, hsa_executable_t executable,
                                                hsa_code_object_reader_t reader, const char*,
                                                hsa_loaded_code_object_t*) {
  ROCR_TRY(runtime.loader().executable(executable));
  ROCR_TRY(runtime.loader().reader(reader));
  // Of the code objects that name no processor, none exists: those of version 2 and later carry an agent's code.
  return fail(HSA_STATUS_ERROR_INVALID_CODE_OBJECT,
              "an AMD code object belongs to an agent: load it with hsa_executable_load_agent_code_object");
}

Outcome hsa_executable_freeze(Runtime& runtime, hsa_executable_t executable, const char*) {
  ROCR_TRY_ASSIGN(auto e, runtime.loader().executable(executable));
  return runtime.loader().freeze(*e);
}

Outcome hsa_executable_get_info(Runtime& runtime, hsa_executable_t executable, hsa_executable_info_t attribute,
                                void* value) {
  if (!value) return null_argument("value");
  ROCR_TRY_ASSIGN(auto e, runtime.loader().executable(executable));
  std::shared_lock lock(e->mutex);
  switch (attribute) {
  case HSA_EXECUTABLE_INFO_PROFILE:
    return put(value, e->profile);
  case HSA_EXECUTABLE_INFO_STATE:
    return put(value, e->frozen ? HSA_EXECUTABLE_STATE_FROZEN : HSA_EXECUTABLE_STATE_UNFROZEN);
  case HSA_EXECUTABLE_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
    return put(value, e->rounding);
  }
  return bad_attribute(attribute);
}

Outcome hsa_executable_global_variable_define(Runtime& runtime, hsa_executable_t executable, const char* name,
                                              void* address) {
  if (!name) return null_argument("variable_name");
  ROCR_TRY_ASSIGN(auto e, runtime.loader().executable(executable));
  return runtime.loader().define(*e, nullptr, name, address, false);
}

Outcome hsa_executable_agent_global_variable_define(Runtime& runtime, hsa_executable_t executable, hsa_agent_t agent,
                                                    const char* name, void* address) {
  if (!name) return null_argument("variable_name");
  ROCR_TRY_ASSIGN(auto e, runtime.loader().executable(executable));
  ROCR_TRY_ASSIGN(Agent * a, runtime.agent(agent));
  return runtime.loader().define(*e, a, name, address, false);
}

Outcome hsa_executable_readonly_variable_define(Runtime& runtime, hsa_executable_t executable, hsa_agent_t agent,
                                                const char* name, void* address) {
  if (!name) return null_argument("variable_name");
  ROCR_TRY_ASSIGN(auto e, runtime.loader().executable(executable));
  ROCR_TRY_ASSIGN(Agent * a, runtime.agent(agent));
  return runtime.loader().define(*e, a, name, address, true);
}

Outcome hsa_executable_validate_alt(Runtime& runtime, hsa_executable_t executable, const char*, uint32_t* result) {
  if (!result) return null_argument("result");
  ROCR_TRY(runtime.loader().executable(executable));
  *result = 0; // what doesn't fit is not loaded in the first place
  return {};
}

Outcome hsa_executable_validate(Runtime& runtime, hsa_executable_t executable, uint32_t* result) {
  return hsa_executable_validate_alt(runtime, executable, nullptr, result);
}

Outcome hsa_executable_get_symbol_by_name(Runtime& runtime, hsa_executable_t executable, const char* name,
                                          const hsa_agent_t* agent, hsa_executable_symbol_t* symbol) {
  if (!name) return null_argument("symbol_name");
  if (!symbol) return null_argument("symbol");
  ROCR_TRY_ASSIGN(auto e, runtime.loader().executable(executable));
  Agent* a = nullptr;
  if (agent) { ROCR_TRY_ASSIGN(a, runtime.agent(*agent)); }
  ROCR_TRY_ASSIGN(*symbol, runtime.loader().find_symbol(*e, name, a));
  return {};
}

Outcome hsa_executable_get_symbol(Runtime& runtime, hsa_executable_t executable, const char* module_name,
                                  const char* name, hsa_agent_t agent, int32_t, hsa_executable_symbol_t* symbol) {
  if (module_name && *module_name)
    return fail(HSA_STATUS_ERROR_INVALID_SYMBOL_NAME, "code objects have no module named {}", module_name);
  return hsa_executable_get_symbol_by_name(runtime, executable, name, agent.handle ? &agent : nullptr, symbol);
}

Outcome hsa_executable_symbol_get_info(Runtime& runtime, hsa_executable_symbol_t symbol,
                                       hsa_executable_symbol_info_t attribute, void* value) {
  if (!value) return null_argument("value");
  ROCR_TRY_ASSIGN(auto s, runtime.loader().symbol(symbol));
  switch (attribute) {
  case HSA_EXECUTABLE_SYMBOL_INFO_AGENT:
    if (!s->agent) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} belongs to no agent", s->name);
    return put(value, *s->agent);
  case HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS:
    if (s->kind != HSA_SYMBOL_KIND_VARIABLE)
      return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is no variable", s->name);
    return put(value, s->address);
  case HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT:
    if (s->kind != HSA_SYMBOL_KIND_KERNEL) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is no kernel", s->name);
    return put(value, s->address);
  case HSA_EXECUTABLE_SYMBOL_INFO_INDIRECT_FUNCTION_OBJECT:
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is no indirect function", s->name);
  default:
    return symbol_info(*s, static_cast<uint32_t>(attribute), value, true);
  }
}

namespace {

/// All symbols of an executable for one agent, or of program allocation, as handles.
std::vector<uint64_t> symbols_of(const Executable& e, const Agent* agent) {
  std::vector<uint64_t> handles;
  std::shared_lock lock(e.mutex);
  for (const auto& l : e.loaded)
    if (l->agent == agent)
      for (const auto& [handle, s] : l->symbols) handles.push_back(handle);
  for (const auto& [key, defined] : e.defined)
    if (key.first == agent) handles.push_back(defined.first);
  return handles;
}

} // namespace

Outcome hsa_executable_iterate_agent_symbols(Runtime& runtime, hsa_executable_t executable, hsa_agent_t agent,
                                             AgentSymbolVisitor callback, void* data) {
  if (!callback) return null_argument("callback");
  ROCR_TRY_ASSIGN(auto e, runtime.loader().executable(executable));
  ROCR_TRY_ASSIGN(const Agent* a, runtime.agent(agent));
  for (const uint64_t handle : symbols_of(*e, a))
    if (const hsa_status_t s = callback(executable, agent, {handle}, data); s != HSA_STATUS_SUCCESS) return s;
  return {};
}

Outcome hsa_executable_iterate_program_symbols(Runtime& runtime, hsa_executable_t executable, SymbolVisitor callback,
                                               void* data) {
  if (!callback) return null_argument("callback");
  ROCR_TRY_ASSIGN(auto e, runtime.loader().executable(executable));
  for (const uint64_t handle : symbols_of(*e, nullptr))
    if (const hsa_status_t s = callback(executable, {handle}, data); s != HSA_STATUS_SUCCESS) return s;
  return {};
}

Outcome hsa_executable_iterate_symbols(Runtime& runtime, hsa_executable_t executable, SymbolVisitor callback,
                                       void* data) {
  if (!callback) return null_argument("callback");
  ROCR_TRY_ASSIGN(auto e, runtime.loader().executable(executable));
  std::vector<const Agent*> scopes(runtime.agents().begin(), runtime.agents().end());
  scopes.push_back(nullptr);
  for (const Agent* a : scopes)
    for (const uint64_t handle : symbols_of(*e, a))
      if (const hsa_status_t s = callback(executable, {handle}, data); s != HSA_STATUS_SUCCESS) return s;
  return {};
}

// ---- The older interface: code objects without readers

Outcome hsa_code_object_deserialize(Runtime& runtime, void* bytes, size_t size, const char*,
                                    hsa_code_object_t* object) {
  if (!bytes) return null_argument("serialized_code_object");
  if (!object) return null_argument("code_object");
  if (!size) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "the size is 0");
  ROCR_TRY(runtime.memory().check_range("code object", bytes, size));
  ROCR_TRY_ASSIGN(*object, runtime.loader().parse(codeobj::as_bytes(bytes, size), find_isa, &runtime));
  return {};
}

Outcome hsa_code_object_serialize(Runtime& runtime, hsa_code_object_t object, SerializeAlloc alloc,
                                  hsa_callback_data_t data, const char*, void** bytes, size_t* size) {
  if (!alloc) return null_argument("alloc_callback");
  if (!bytes) return null_argument("serialized_code_object");
  if (!size) return null_argument("serialized_code_object_size");
  ROCR_TRY_ASSIGN(auto file, runtime.loader().code_object(object));
  void* memory = nullptr;
  if (const hsa_status_t s = alloc(file->image.size(), data, &memory); s != HSA_STATUS_SUCCESS) return s;
  if (!memory) return fail(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "alloc_callback gave no memory");
  std::ranges::copy(file->image, static_cast<std::byte*>(memory));
  *bytes = memory;
  *size = file->image.size();
  return {};
}

Outcome hsa_code_object_destroy(Runtime& runtime, hsa_code_object_t object) {
  return runtime.loader().destroy_code_object(object);
}

Outcome hsa_code_object_get_info(Runtime& runtime, hsa_code_object_t object, hsa_code_object_info_t attribute,
                                 void* value) {
  if (!value) return null_argument("value");
  ROCR_TRY_ASSIGN(auto file, runtime.loader().code_object(object));
  switch (attribute) {
  case HSA_CODE_OBJECT_INFO_VERSION:
    return put_text(value, fmt::format("{}.0", file->object->identity().version), 64);
  case HSA_CODE_OBJECT_INFO_TYPE:
    return put(value, HSA_CODE_OBJECT_TYPE_PROGRAM);
  case HSA_CODE_OBJECT_INFO_ISA:
    return put(value, Runtime::handle_of(file->isa));
  case HSA_CODE_OBJECT_INFO_MACHINE_MODEL:
    return put(value, HSA_MACHINE_MODEL_LARGE);
  case HSA_CODE_OBJECT_INFO_PROFILE:
    return put(value, HSA_PROFILE_BASE);
  case HSA_CODE_OBJECT_INFO_DEFAULT_FLOAT_ROUNDING_MODE:
    return put(value, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR);
  }
  return bad_attribute(attribute);
}

Outcome hsa_executable_load_code_object(Runtime& runtime, hsa_executable_t executable, hsa_agent_t agent,
                                        hsa_code_object_t object, const char*) {
  ROCR_TRY_ASSIGN(auto e, runtime.loader().executable(executable));
  ROCR_TRY_ASSIGN(Agent * a, runtime.agent(agent));
  ROCR_TRY_ASSIGN(auto file, runtime.loader().code_object(object));
  CodeSource source;
  source.bytes = file->image;
  ROCR_TRY(runtime.loader().load(*e, *a, source));
  return {};
}

Outcome hsa_code_object_get_symbol_from_name(Runtime& runtime, hsa_code_object_t object, const char* module_name,
                                             const char* name, hsa_code_symbol_t* symbol) {
  if (!name) return null_argument("symbol_name");
  if (!symbol) return null_argument("symbol");
  ROCR_TRY_ASSIGN(auto file, runtime.loader().code_object(object));
  if (!module_name || !*module_name)
    for (const auto& [handle, s] : file->symbols)
      if (s->name == name) {
        symbol->handle = handle;
        return {};
      }
  return fail(HSA_STATUS_ERROR_INVALID_SYMBOL_NAME, "no symbol {}", name);
}

Outcome hsa_code_object_get_symbol(Runtime& runtime, hsa_code_object_t object, const char* name,
                                   hsa_code_symbol_t* symbol) {
  return hsa_code_object_get_symbol_from_name(runtime, object, nullptr, name, symbol);
}

Outcome hsa_code_symbol_get_info(Runtime& runtime, hsa_code_symbol_t symbol, hsa_code_symbol_info_t attribute,
                                 void* value) {
  if (!value) return null_argument("value");
  ROCR_TRY_ASSIGN(auto s, runtime.loader().code_symbol(symbol));
  if (attribute == HSA_CODE_SYMBOL_INFO_KERNEL_WAVEFRONT_SIZE) {
    if (s->kind != HSA_SYMBOL_KIND_KERNEL) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is no kernel", s->name);
    return put(value, s->wavefront_size);
  }
  return symbol_info(*s, static_cast<uint32_t>(attribute), value, false);
}

Outcome hsa_code_object_iterate_symbols(Runtime& runtime, hsa_code_object_t object, CodeSymbolVisitor callback,
                                        void* data) {
  if (!callback) return null_argument("callback");
  ROCR_TRY_ASSIGN(auto file, runtime.loader().code_object(object));
  for (const auto& [handle, s] : file->symbols)
    if (const hsa_status_t status = callback(object, {handle}, data); status != HSA_STATUS_SUCCESS) return status;
  return {};
}

// ---- hsa_ven_amd_loader

Outcome hsa_ven_amd_loader_query_host_address(Runtime& runtime, const void* device_address, const void** host_address) {
  if (!device_address) return null_argument("device_address");
  if (!host_address) return null_argument("host_address");
  const auto address = reinterpret_cast<uint64_t>(device_address);
  const auto l = runtime.loader().at(address);
  if (!l) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "no code is loaded at {}", device_address);
  // The host's copy is the code object's file image; what isn't in the file (zeros) has none.
  const auto bytes = l->object->bytes_at(address - static_cast<uint64_t>(l->delta), 1);
  if (!bytes)
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is in no file-backed part of its code object", device_address);
  *host_address = bytes->data();
  return {};
}

Outcome hsa_ven_amd_loader_query_segment_descriptors(Runtime& runtime,
                                                     hsa_ven_amd_loader_segment_descriptor_t* descriptors,
                                                     size_t* count) {
  if (!count) return null_argument("num_segment_descriptors");
  std::vector<hsa_ven_amd_loader_segment_descriptor_t> all;
  for (const auto& e : runtime.loader().executables()) {
    std::shared_lock lock(e->mutex);
    if (!e->frozen) continue;
    for (const auto& l : e->loaded)
      for (const codeobj::Segment& segment : l->object->segments()) {
        if (segment.type != 1 || !segment.memory_size) continue; // PT_LOAD
        all.push_back({l->agent->handle(), e->handle, HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY,
                       l->image.data(), l->image.size(), segment.offset,
                       reinterpret_cast<const void*>(segment.address + static_cast<uint64_t>(l->delta)),
                       segment.memory_size});
      }
  }
  if (!descriptors) {
    *count = all.size();
    return {};
  }
  if (*count != all.size())
    return fail(HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, "room for {} descriptors, there are {}", *count, all.size());
  std::ranges::copy(all, descriptors);
  return {};
}

Outcome hsa_ven_amd_loader_query_executable(Runtime& runtime, const void* device_address,
                                            hsa_executable_t* executable) {
  if (!device_address) return null_argument("device_address");
  if (!executable) return null_argument("executable");
  const auto l = runtime.loader().at(reinterpret_cast<uint64_t>(device_address));
  if (!l) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "no code is loaded at {}", device_address);
  *executable = l->executable;
  return {};
}

Outcome hsa_ven_amd_loader_executable_iterate_loaded_code_objects(Runtime& runtime, hsa_executable_t executable,
                                                                  LoadedCodeObjectVisitor callback, void* data) {
  if (!callback) return null_argument("callback");
  ROCR_TRY_ASSIGN(auto e, runtime.loader().executable(executable));
  std::vector<uint64_t> handles;
  {
    std::shared_lock lock(e->mutex);
    for (const auto& l : e->loaded) handles.push_back(l->handle);
  }
  for (const uint64_t handle : handles)
    if (const hsa_status_t s = callback(executable, {handle}, data); s != HSA_STATUS_SUCCESS) return s;
  return {};
}

Outcome hsa_ven_amd_loader_loaded_code_object_get_info(Runtime& runtime, hsa_loaded_code_object_t loaded,
                                                       hsa_ven_amd_loader_loaded_code_object_info_t attribute,
                                                       void* value) {
  if (!value) return null_argument("value");
  ROCR_TRY_ASSIGN(auto l, runtime.loader().loaded(loaded));
  switch (attribute) {
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_EXECUTABLE:
    return put(value, l->executable);
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_KIND:
    return put(value, uint32_t(HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_KIND_AGENT));
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_AGENT:
    return put(value, l->agent->handle());
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_TYPE:
    return put(value, uint32_t(l->file >= 0 ? HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_FILE
                                            : HSA_VEN_AMD_LOADER_CODE_OBJECT_STORAGE_TYPE_MEMORY));
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_BASE:
    if (l->file >= 0) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "this code object came from a file");
    return put(value, reinterpret_cast<uint64_t>(l->image.data()));
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_MEMORY_SIZE:
    if (l->file >= 0) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "this code object came from a file");
    return put(value, uint64_t(l->image.size()));
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_CODE_OBJECT_STORAGE_FILE:
    if (l->file < 0) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "this code object came from memory");
    return put(value, l->file);
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA:
    return put(value, l->delta);
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE:
    return put(value, l->device_address);
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE:
    return put(value, l->size());
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI_LENGTH:
    return put(value, static_cast<uint32_t>(l->uri.size()));
  case HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI:
    return put_chars(value, l->uri);
  }
  return bad_attribute(attribute);
}

Outcome hsa_ven_amd_loader_iterate_executables(Runtime& runtime, ExecutableVisitor callback, void* data) {
  if (!callback) return null_argument("callback");
  for (const auto& e : runtime.loader().executables())
    if (const hsa_status_t s = callback(e->handle, data); s != HSA_STATUS_SUCCESS) return s;
  return {};
}

} // namespace bz::rocr::impl
