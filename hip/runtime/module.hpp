// Code on a device: a code object loaded through HSA, its kernels and variables; and modules, which are code that the
// program loads by itself. Must not know host stubs (registry.hpp) or launches (launch.hpp).
#pragma once
#include "codeobj/codeobj.hpp"
#include "hip/runtime/hsa.hpp"
#include "hip/runtime/result.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace bz::hip {

class Device;
class LoadedCode;

/// A device variable of loaded code.
struct Variable {
  void* address = nullptr;
  size_t size = 0;
};

/// A kernel of loaded code: what a launch has to know, taken from the loader and from the metadata.
class Kernel {
public:
  std::string name;
  LoadedCode* code = nullptr; ///< owns this kernel; pointers that are handed out keep the code alive
  std::weak_ptr<LoadedCode> owner;
  uint64_t object = 0; ///< address of the kernel descriptor
  uint32_t kernarg_size = 0, group_size = 0, private_size = 0;
  bool dynamic_stack = false;
  const codeobj::KernelMetadata* metadata = nullptr; ///< never null
  uint32_t vgprs = 0, sgprs = 0;                     ///< allocated per lane, per wave
  std::atomic<int> max_dynamic_lds{-1}; ///< hipFuncAttributeMaxDynamicSharedMemorySize; -1: what LDS leaves
  std::atomic<int> carveout{-1};

  uint32_t max_threads() const;
  hipFunction_t handle() { return reinterpret_cast<hipFunction_t>(this); }
};

/// A code object that is loaded on one device.
class LoadedCode : public std::enable_shared_from_this<LoadedCode> {
public:
  /// Picks the code for the device out of an image (ELF, bundle, compressed bundle) and loads it. With `copy`, the
  /// image may go away after this.
  static Outcome<std::shared_ptr<LoadedCode>> load(Device& device, codeobj::Bytes image, bool copy);
  ~LoadedCode();
  LoadedCode(const LoadedCode&) = delete;
  LoadedCode& operator=(const LoadedCode&) = delete;

  Device& device() const { return device_; }
  const codeobj::CodeObject& object() const { return *object_; }
  /// A kernel by name, made when first asked for; hipErrorNotFound.
  Outcome<std::shared_ptr<Kernel>> kernel(const std::string& name);
  /// Gives the __managed__ variables of a module their memory. (The host side of a program has those of its own code.)
  Result make_managed();
  /// A variable by name, the memory itself for a managed one; hipErrorNotFound.
  Outcome<Variable> variable(const std::string& name);

private:
  explicit LoadedCode(Device& device) : device_(device) {}

  Device& device_;
  std::vector<std::byte> copy_;
  std::shared_ptr<const std::vector<std::byte>> storage_; ///< decompressed bytes
  std::optional<codeobj::CodeObject> object_;
  hsa_code_object_reader_t reader_{};
  hsa_executable_t executable_{};
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Kernel>, std::less<>> kernels_;
  std::map<std::string, Variable, std::less<>> variables_;
  std::map<std::string, Variable, std::less<>> managed_; ///< of a module: memory that device and host share
};

/// What hipModuleLoad gives.
class Module {
public:
  explicit Module(std::shared_ptr<LoadedCode> code) : code(std::move(code)) {}
  std::shared_ptr<LoadedCode> code;
};

/// The kernel of a handle, its code kept alive; hipErrorInvalidHandle.
Outcome<std::shared_ptr<Kernel>> find_kernel(hipFunction_t handle);

/// Unloads all modules of a device (hipDeviceReset).
void unload_modules(Device& device);

} // namespace bz::hip
