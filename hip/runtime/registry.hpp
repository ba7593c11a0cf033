// What compiled host code registers before main: fat binaries, and which host address stands for which kernel or
// variable. Device code is loaded when first used on a device. Must not know how a launch is done.
#pragma once
#include "hip/runtime/module.hpp"
#include "hip/runtime/result.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace bz::hip {

class Registry {
public:
  // Called from static constructors and destructors: no HSA, no failure.
  void** add_binary(const void* wrapper);
  void remove_binary(void** handle);
  void add_function(void** handle, const void* stub, const char* name);
  void add_variable(void** handle, const void* host, const char* name, size_t size);
  void add_managed(void** handle, void** pointer, void* initial, const char* name, size_t size, size_t alignment);

  /// The kernel behind a host stub on a device; hipErrorInvalidDeviceFunction.
  Outcome<std::shared_ptr<Kernel>> kernel(const void* stub, Device& device);
  /// The variable behind a host address on a device; hipErrorInvalidSymbol.
  Outcome<Variable> variable(const void* host, Device& device);
  /// The name that a stub was registered with, or empty.
  std::string name_of(const void* stub);
  /// Drops loaded code of a device (hipDeviceReset); it is loaded again when used.
  void unload(Device& device);

private:
  struct Managed {
    void** pointer;
    std::string name;
    size_t size;
  };
  struct Binary {
    const void* wrapper;
    std::vector<Managed> managed;
    std::map<Device*, std::shared_ptr<LoadedCode>> loaded;
    std::mutex mutex; ///< of loaded
  };
  struct Entry {
    Binary* binary;
    std::string name;
    size_t size = 0;
    void** managed = nullptr; ///< where the program keeps the address of a managed variable
  };

  Outcome<std::shared_ptr<LoadedCode>> code(Binary& binary, Device& device);
  Outcome<Entry> find(const std::unordered_map<const void*, Entry>& map, const void* key, hipError_t code,
                      const char* what);

  std::mutex mutex_;
  std::vector<std::unique_ptr<Binary>> binaries_;
  std::unordered_map<const void*, Entry> functions_, variables_;
  struct CachedKernel {
    Device* device;
    std::shared_ptr<Kernel> kernel;
  };
  std::unordered_map<const void*, std::vector<CachedKernel>> cache_; ///< stub to kernel, for the hot path
};

} // namespace bz::hip
