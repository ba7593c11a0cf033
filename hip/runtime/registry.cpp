#include "hip/runtime/registry.hpp"
#include "base/log.hpp"
#include "hip/runtime/impl.hpp"
#include "hip/runtime/memory.hpp"
#include "hip/runtime/runtime.hpp"

#include <cstdlib>
#include <cstring>

namespace bz::hip {

void** Registry::add_binary(const void* wrapper) {
  auto binary = std::make_unique<Binary>();
  binary->wrapper = wrapper;
  std::lock_guard lock(mutex_);
  binaries_.push_back(std::move(binary));
  return reinterpret_cast<void**>(binaries_.back().get());
}

void Registry::remove_binary(void** handle) {
  std::unique_ptr<Binary> gone; // destroyed outside the lock
  std::lock_guard lock(mutex_);
  auto it = std::find_if(binaries_.begin(), binaries_.end(),
                         [&](auto& b) { return static_cast<void*>(b.get()) == static_cast<void*>(handle); });
  if (it == binaries_.end()) return;
  std::erase_if(functions_, [&](auto& f) {
    if (f.second.binary != it->get()) return false;
    cache_.erase(f.first);
    return true;
  });
  std::erase_if(variables_, [&](auto& v) { return v.second.binary == it->get(); });
  gone = std::move(*it);
  binaries_.erase(it);
  // At exit the HSA runtime may be gone already, and the process frees everything anyway.
  for (auto& [device, code] : gone->loaded) {
    auto& kept = *new std::shared_ptr<LoadedCode>(std::move(code));
    (void)kept;
  }
}

namespace {
template <class Binary> Binary* of(void** handle) { return reinterpret_cast<Binary*>(handle); }
} // namespace

void Registry::add_function(void** handle, const void* stub, const char* name) {
  if (!handle || !stub || !name) return;
  std::lock_guard lock(mutex_);
  functions_[stub] = {of<Binary>(handle), name};
}

void Registry::add_variable(void** handle, const void* host, const char* name, size_t size) {
  if (!handle || !host || !name) return;
  std::lock_guard lock(mutex_);
  variables_[host] = {of<Binary>(handle), name, size};
}

void Registry::add_managed(void** handle, void** pointer, void* initial, const char* name, size_t size,
                           size_t alignment) {
  if (!handle || !pointer || !name || size == 0) return;
  // Host code may use the variable before any HIP call, so the memory has to be there now.
  void* memory = nullptr;
  auto& runtime = Runtime::get();
  if (runtime.start().ok()) {
    auto allocated = allocate_host(runtime.current(), size, MemoryKind::managed, hipMemAttachGlobal, false);
    if (allocated.ok()) {
      memory = *allocated;
      if (auto a = runtime.memory.remove(memory)) {
        a->permanent = true;
        runtime.memory.add(*a);
      }
    }
  }
  if (!memory) { // no GPU: the host side of the program still works
    const size_t align = std::max<size_t>(alignment, 16);
    memory = std::aligned_alloc(align, (size + align - 1) / align * align);
    if (!memory) return;
  }
  if (initial)
    std::memcpy(memory, initial, size);
  else
    std::memset(memory, 0, size);
  *pointer = memory;
  std::lock_guard lock(mutex_);
  auto* binary = of<Binary>(handle);
  binary->managed.push_back({pointer, name, size});
  Entry entry{binary, name, size};
  entry.managed = pointer;
  variables_[pointer] = entry;
  variables_[memory] = entry; // in host code the variable's name means the memory behind the pointer
}

// ---- Use ------------------------------------------------------------------------------------------------------------

Outcome<std::shared_ptr<LoadedCode>> Registry::code(Binary& binary, Device& device) {
  std::lock_guard lock(binary.mutex);
  if (auto it = binary.loaded.find(&device); it != binary.loaded.end()) return it->second;
  auto image = codeobj::fat_binary_image(binary.wrapper);
  if (!image.ok()) return image.status();
  auto loaded = LoadedCode::load(device, *image, false); // the image is part of the program
  if (!loaded.ok()) return loaded;
  for (auto& m : binary.managed) {
    // The device side of a managed variable is a pointer of the same name.
    auto v = (*loaded)->variable(m.name);
    if (!v.ok()) continue; // not used by this device's code
    if (Status s = hsa_check(hsa_memory_copy(v->address, m.pointer, sizeof(void*)), "setting a managed variable");
        !s.ok())
      return s;
  }
  binary.loaded.emplace(&device, *loaded);
  return loaded;
}

Outcome<Registry::Entry> Registry::find(const std::unordered_map<const void*, Entry>& map, const void* key,
                                        hipError_t code, const char* what) {
  std::lock_guard lock(mutex_);
  auto it = map.find(key);
  if (it == map.end()) return fail(code, "{} is no {} of this program", key, what);
  return it->second;
}

Outcome<std::shared_ptr<Kernel>> Registry::kernel(const void* stub, Device& device) {
  {
    std::lock_guard lock(mutex_);
    if (auto it = cache_.find(stub); it != cache_.end())
      for (auto& c : it->second)
        if (c.device == &device) return c.kernel;
  }
  if (!stub) return Result(hipErrorInvalidDeviceFunction, "the function is null");
  auto entry = find(functions_, stub, hipErrorInvalidDeviceFunction, "__global__ function");
  if (!entry.ok()) return entry.result();
  auto loaded = code(*entry->binary, device);
  if (!loaded.ok()) {
    Result r = loaded.result();
    // For a launch, code for another GPU is a function without device code.
    return Result(r.code() == hipErrorNoBinaryForGpu ? hipErrorInvalidDeviceFunction : r.code(),
                  fmt::format("kernel {}: {}", entry->name, r.message()));
  }
  auto kernel = (*loaded)->kernel(entry->name);
  if (!kernel.ok()) {
    Result r = kernel.result();
    return Result(r.code() == hipErrorNotFound ? hipErrorInvalidDeviceFunction : r.code(), r.message());
  }
  std::lock_guard lock(mutex_);
  cache_[stub].push_back({&device, *kernel});
  return kernel;
}

Outcome<Variable> Registry::variable(const void* host, Device& device) {
  if (!host) return Result(hipErrorInvalidSymbol, "the variable is null");
  auto entry = find(variables_, host, hipErrorInvalidSymbol, "__device__ or __constant__ variable");
  if (!entry.ok()) return entry.result();
  if (entry->managed) return Variable{*entry->managed, entry->size};
  auto loaded = code(*entry->binary, device);
  if (!loaded.ok()) return loaded.result();
  auto v = (*loaded)->variable(entry->name);
  if (!v.ok()) return Result(hipErrorInvalidSymbol, v.result().message());
  if (entry->size) v->size = std::min(v->size, entry->size);
  return v;
}

std::string Registry::name_of(const void* stub) {
  std::lock_guard lock(mutex_);
  auto it = functions_.find(stub);
  return it == functions_.end() ? std::string() : it->second.name;
}

void Registry::unload(Device& device) {
  std::vector<std::shared_ptr<LoadedCode>> gone;
  std::lock_guard lock(mutex_);
  for (auto& [stub, cached] : cache_) std::erase_if(cached, [&](auto& c) { return c.device == &device; });
  for (auto& b : binaries_) {
    std::lock_guard inner(b->mutex);
    if (auto it = b->loaded.find(&device); it != b->loaded.end()) {
      gone.push_back(std::move(it->second));
      b->loaded.erase(it);
    }
  }
}

// ---- The compiler's entry points ------------------------------------------------------------------------------------

namespace impl {

void** __hipRegisterFatBinary(const void* data) { return Runtime::get().registry().add_binary(data); }

void __hipUnregisterFatBinary(void** modules) {
  if (modules) Runtime::get().registry().remove_binary(modules);
}

void __hipRegisterFunction(void** modules, const void* host, char*, const char* name, unsigned int, void*, void*, dim3*,
                           dim3*, int*) {
  Runtime::get().registry().add_function(modules, host, name);
}

void __hipRegisterVar(void** modules, void* var, char*, char* name, int, size_t size, int, int) {
  Runtime::get().registry().add_variable(modules, var, name, size);
}

void __hipRegisterManagedVar(void* module, void** pointer, void* initial, const char* name, size_t size,
                             unsigned align) {
  Runtime::get().registry().add_managed(static_cast<void**>(module), pointer, initial, name, size, align);
}

// Texture and surface references of old programs: their host side exists, binding them fails by name.
void __hipRegisterSurface(void** modules, void* var, char*, char* name, int, int) {
  Runtime::get().registry().add_variable(modules, var, name, 0);
}
void __hipRegisterTexture(void** modules, void* var, char*, char* name, int, int, int) {
  Runtime::get().registry().add_variable(modules, var, name, 0);
}

const char* hipKernelNameRefByPtr(const void* stub, hipStream_t) {
  thread_local std::string name; // valid until the thread asks again
  name = Runtime::get().registry().name_of(stub);
  return name.c_str();
}

} // namespace impl
} // namespace bz::hip
