#include "hip/runtime/module.hpp"
#include "base/log.hpp"
#include "base/readable.hpp"
#include "hip/runtime/impl.hpp"
#include "hip/runtime/memory.hpp"
#include "hip/runtime/runtime.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>

namespace bz::hip {

uint32_t Kernel::max_threads() const {
  const uint32_t stated = metadata->max_flat_workgroup_size;
  return stated ? std::min(stated, 1024u) : 1024u;
}

// ---- Loading --------------------------------------------------------------------------------------------------------

Outcome<std::shared_ptr<LoadedCode>> LoadedCode::load(Device& device, codeobj::Bytes image, bool copy) {
  auto picked = codeobj::pick_code_object(image, device.target());
  if (!picked.ok()) {
    Status s = picked.status();
    if (s.code() != Code::wrong_target) return s;
    std::string text = s.message();
    if (text.find("--offload-arch") == std::string::npos)
      text += fmt::format("; build with --offload-arch={}", device.target().processor->name);
    return Result(hipErrorNoBinaryForGpu, std::move(text));
  }
  std::shared_ptr<LoadedCode> code(new LoadedCode(device));
  codeobj::Bytes elf = picked->elf();
  code->storage_ = picked->storage();
  if (copy && !code->storage_) {
    code->copy_.assign(elf.begin(), elf.end());
    elf = code->copy_;
  }
  auto object = codeobj::CodeObject::parse(elf);
  if (!object.ok()) return object.status();
  code->object_.emplace(std::move(*object));
  for (const auto& kernel : code->object_->kernels())
    if (!kernel.metadata)
      return fail(hipErrorInvalidImage, "kernel {} has no metadata: it can't be launched", kernel.name);
  if (auto missing = code->object_->undefined_symbols(); !missing.empty())
    return fail(hipErrorSharedObjectSymbolNotFound, "the code object refers to {}, which is defined nowhere",
                missing.front()->name);

  auto load_failed = [](hsa_status_t status, const char* doing) -> Result {
    Status s = hsa_check(status, doing);
    if (s.code() == Code::out_of_memory) return s;
    if (s.code() == Code::wrong_target) return Result(hipErrorNoBinaryForGpu, s.message());
    if (s.code() == Code::invalid_image) return Result(hipErrorInvalidImage, s.message());
    return Result(hipErrorSharedObjectInitFailed, s.message());
  };
  hsa_status_t status = hsa_code_object_reader_create_from_memory(elf.data(), elf.size(), &code->reader_);
  if (status != HSA_STATUS_SUCCESS) return load_failed(status, "reading a code object");
  status =
      hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, nullptr, &code->executable_);
  if (status != HSA_STATUS_SUCCESS) return load_failed(status, "creating an executable");
  status = hsa_executable_load_agent_code_object(code->executable_, device.agent(), code->reader_, nullptr, nullptr);
  if (status != HSA_STATUS_SUCCESS) return load_failed(status, "loading a code object");
  status = hsa_executable_freeze(code->executable_, nullptr);
  if (status != HSA_STATUS_SUCCESS) return load_failed(status, "freezing an executable");
  return code;
}

LoadedCode::~LoadedCode() {
  auto& runtime = Runtime::get();
  for (auto& [name, kernel] : kernels_) runtime.kernels.remove(kernel.get());
  for (auto& [name, variable] : variables_)
    if (variable.size) runtime.memory.remove(variable.address);
  for (auto& [name, variable] : managed_)
    if (auto a = runtime.memory.remove(variable.address)) (void)release_allocation(*a);
  if (executable_.handle) (void)hsa_executable_destroy(executable_);
  if (reader_.handle) (void)hsa_code_object_reader_destroy(reader_);
}

Outcome<std::shared_ptr<Kernel>> LoadedCode::kernel(const std::string& name) {
  std::lock_guard lock(mutex_);
  auto shared = [&](Kernel* k) { return std::shared_ptr<Kernel>(shared_from_this(), k); };
  if (auto it = kernels_.find(name); it != kernels_.end()) return shared(it->second.get());
  const codeobj::Kernel* found = object_->find_kernel(name);
  if (!found) return fail(hipErrorNotFound, "there is no kernel {} in the code object", name);
  hsa_executable_symbol_t symbol{};
  const hsa_agent_t agent = device_.agent();
  if (Status s =
          hsa_check(hsa_executable_get_symbol_by_name(executable_, std::string(found->symbol).c_str(), &agent, &symbol),
                    "looking for a kernel");
      !s.ok())
    return Result(hipErrorNotFound, s.message());
  auto kernel = std::make_shared<Kernel>();
  kernel->name = found->name;
  kernel->code = this;
  kernel->owner = weak_from_this();
  kernel->metadata = found->metadata;
  kernel->dynamic_stack = found->descriptor.uses_dynamic_stack() || found->metadata->uses_dynamic_stack;
  kernel->vgprs = found->descriptor.vgpr_count();
  kernel->sgprs = found->descriptor.sgpr_count();
  auto ask = [&](hsa_executable_symbol_info_t info, auto& value) {
    return hsa_check(hsa_executable_symbol_get_info(symbol, info, &value), "asking about a kernel");
  };
  for (Status s : {ask(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, kernel->object),
                   ask(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, kernel->kernarg_size),
                   ask(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, kernel->group_size),
                   ask(HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, kernel->private_size)})
    if (!s.ok()) return s;
  // The metadata may name arguments beyond the segment only in a hostile file.
  for (const auto& arg : kernel->metadata->args)
    if (uint64_t(arg.offset) + arg.size > kernel->kernarg_size)
      return fail(hipErrorInvalidImage, "kernel {}: an argument ends at {}, the argument segment at {}", name,
                  uint64_t(arg.offset) + arg.size, kernel->kernarg_size);
  Runtime::get().kernels.add(kernel);
  kernels_.emplace(name, kernel);
  return shared(kernel.get());
}

Outcome<Variable> LoadedCode::variable(const std::string& name) {
  std::lock_guard lock(mutex_);
  if (auto it = managed_.find(name); it != managed_.end()) return it->second;
  if (auto it = variables_.find(name); it != variables_.end()) return it->second;
  const codeobj::Symbol* found = nullptr;
  for (const auto* v : object_->variables())
    if (v->name == name) found = v;
  if (!found) return fail(hipErrorNotFound, "there is no variable {} in the code object", name);
  hsa_executable_symbol_t symbol{};
  const hsa_agent_t agent = device_.agent();
  if (Status s = hsa_check(hsa_executable_get_symbol_by_name(executable_, name.c_str(), &agent, &symbol),
                           "looking for a variable");
      !s.ok())
    return Result(hipErrorNotFound, s.message());
  uint64_t address = 0;
  if (Status s =
          hsa_check(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &address),
                    "asking for the address of a variable");
      !s.ok())
    return s;
  Variable v{reinterpret_cast<void*>(address), found->size};
  if (v.size)
    Runtime::get().memory.add({.base = address,
                               .size = v.size,
                               .kind = MemoryKind::symbol,
                               .device = device_.ordinal(),
                               .device_base = address,
                               .permanent = true});
  variables_.emplace(name, v);
  return v;
}

Result LoadedCode::make_managed() {
  // A managed variable x is a pointer x and, in x.managed, what the memory behind it holds at first.
  constexpr std::string_view kInitial = ".managed";
  for (const auto* v : object_->variables()) {
    if (!v->name.ends_with(kInitial) || v->size == 0) continue;
    const std::string name(v->name.substr(0, v->name.size() - kInitial.size()));
    HIP_TRY_ASSIGN(Variable initial, variable(std::string(v->name)));
    HIP_TRY_ASSIGN(Variable pointer, variable(name));
    if (pointer.size != sizeof(void*)) return fail(hipErrorInvalidImage, "managed variable {} has no pointer", name);
    HIP_TRY_ASSIGN(void* memory, allocate_host(device_, initial.size, MemoryKind::managed, hipMemAttachGlobal, false));
    std::lock_guard lock(mutex_);
    managed_.emplace(name, Variable{memory, initial.size});
    HIP_TRY(hsa_check(hsa_memory_copy(memory, initial.address, initial.size), "initialising a managed variable"));
    HIP_TRY(hsa_check(hsa_memory_copy(pointer.address, &memory, sizeof memory), "setting a managed variable"));
  }
  return {};
}

Outcome<std::shared_ptr<Kernel>> find_kernel(hipFunction_t handle) {
  if (!handle) return Result(hipErrorInvalidHandle, "the function is null");
  if (auto kernel = Runtime::get().kernels.find(handle))
    if (auto code = kernel->owner.lock()) return std::shared_ptr<Kernel>(std::move(code), kernel.get());
  return fail(hipErrorInvalidHandle, "function {} was never loaded or its module is unloaded",
              static_cast<void*>(handle));
}

void unload_modules(Device& device) {
  Runtime::get().modules.remove_if([&](Module& m) { return &m.code->device() == &device; });
}

// ---- API ------------------------------------------------------------------------------------------------------------

namespace impl {
namespace {

Outcome<std::shared_ptr<Module>> find_module(hipModule_t handle) {
  if (!handle) return Result(hipErrorInvalidHandle, "the module is null");
  if (auto m = Runtime::get().modules.find(handle)) return m;
  return fail(hipErrorInvalidHandle, "module {} was never loaded or is unloaded", static_cast<void*>(handle));
}

Result load(hipModule_t* out, codeobj::Bytes image, bool copy) {
  auto& runtime = Runtime::get();
  HIP_TRY_ASSIGN(auto code, LoadedCode::load(runtime.current(), image, copy));
  HIP_TRY(code->make_managed());
  auto module = std::make_shared<Module>(std::move(code));
  *out = reinterpret_cast<hipModule_t>(module.get());
  runtime.modules.add(std::move(module));
  runtime.current().context_active = true;
  return {};
}

Outcome<std::vector<std::byte>> read_file(const char* name) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(name, "rb"), std::fclose);
  if (!file) return fail(hipErrorFileNotFound, "{}: {}", name, std::strerror(errno));
  std::vector<std::byte> bytes;
  std::byte buffer[65536];
  for (size_t n; (n = std::fread(buffer, 1, sizeof buffer, file.get())) != 0;)
    bytes.insert(bytes.end(), buffer, buffer + n);
  if (std::ferror(file.get())) return fail(hipErrorFileNotFound, "{}: {}", name, std::strerror(errno));
  return bytes;
}

} // namespace

Result hipModuleLoad(hipModule_t* module, const char* fname) {
  HIP_NONNULL(module);
  HIP_NONNULL(fname);
  *module = nullptr;
  if (!*fname) return Result(hipErrorInvalidValue, "the name of the file is empty");
  HIP_TRY_ASSIGN(auto bytes, read_file(fname));
  Result r = load(module, bytes, true);
  return r.ok() ? r : Result(r.code(), fmt::format("{}: {}", fname, r.message()));
}

Result hipModuleLoadData(hipModule_t* module, const void* image) {
  HIP_NONNULL(module);
  HIP_NONNULL(image);
  *module = nullptr;
  HIP_TRY_ASSIGN(uint64_t size, codeobj::image_size(image, readable_bytes(image)));
  return load(module, codeobj::as_bytes(image, size), true);
}

Result hipModuleLoadDataEx(hipModule_t* module, const void* image, unsigned int count, hipJitOption* options,
                           void** optionValues) {
  if (count > 0) {
    HIP_NONNULL(options);
    HIP_NONNULL(optionValues);
    for (unsigned i = 0; i < count; ++i) {
      if (options[i] == hipJitOptionNumOptions)
        return fail(hipErrorInvalidValue, "option {} doesn't exist", static_cast<int>(options[i]));
      // Logs stay empty: machine code isn't compiled.
      if ((options[i] == hipJitOptionInfoLogBufferSizeBytes || options[i] == hipJitOptionErrorLogBufferSizeBytes) &&
          optionValues[i])
        optionValues[i] = nullptr;
    }
  }
  return impl::hipModuleLoadData(module, image);
}

Result hipModuleLoadFatBinary(hipModule_t* module, const void* fatbin) {
  HIP_NONNULL(module);
  HIP_NONNULL(fatbin);
  *module = nullptr;
  uint32_t magic;
  std::memcpy(&magic, fatbin, sizeof magic);
  if (magic != codeobj::kFatBinaryMagic) return impl::hipModuleLoadData(module, fatbin);
  HIP_TRY_ASSIGN(codeobj::Bytes image, codeobj::fat_binary_image(fatbin));
  return load(module, image, true);
}

Result hipModuleUnload(hipModule_t module) {
  if (!module) return Result(hipErrorInvalidHandle, "the module is null");
  auto& modules = Runtime::get().modules;
  if (modules.find(module)) Runtime::get().synchronize_devices(); // its kernels may still run, its variables be copied
  if (!modules.remove(module))
    return fail(hipErrorNotFound, "module {} was never loaded or is unloaded", static_cast<void*>(module));
  return {};
}

Result hipModuleGetFunction(hipFunction_t* function, hipModule_t module, const char* kname) {
  HIP_NONNULL(function);
  HIP_NONNULL(kname);
  *function = nullptr;
  HIP_TRY_ASSIGN(auto m, find_module(module));
  if (!*kname) return Result(hipErrorInvalidValue, "the name of the kernel is empty");
  HIP_TRY_ASSIGN(auto kernel, m->code->kernel(kname));
  *function = kernel->handle();
  return {};
}

Result hipModuleGetFunctionCount(unsigned int* count, hipModule_t module) {
  HIP_NONNULL(count);
  HIP_TRY_ASSIGN(auto m, find_module(module));
  *count = static_cast<unsigned>(m->code->object().kernels().size());
  return {};
}

Result hipModuleGetGlobal(hipDeviceptr_t* pointer, size_t* size, hipModule_t module, const char* name) {
  HIP_NONNULL(name);
  if (!pointer && !size) return Result(hipErrorInvalidValue, "arguments dptr and bytes are both null");
  HIP_TRY_ASSIGN(auto m, find_module(module));
  if (!*name) return Result(hipErrorInvalidValue, "the name of the variable is empty");
  HIP_TRY_ASSIGN(Variable v, m->code->variable(name));
  if (pointer) *pointer = v.address;
  if (size) *size = v.size;
  return {};
}

const char* hipKernelNameRef(const hipFunction_t f) {
  auto kernel = Runtime::get().kernels.find(f);
  return kernel ? kernel->name.c_str() : "";
}

} // namespace impl
} // namespace bz::hip
