// Runtime: the process-wide object behind the C API, made at the first call and never destroyed, because programs
// unregister their code after our destructors would have run. Owns devices and all tables of handles.
#pragma once
#include "hip/runtime/device.hpp"
#include "hip/runtime/handle_table.hpp"
#include "hip/runtime/memory_table.hpp"
#include "hip/runtime/result.hpp"

#include <memory>
#include <mutex>
#include <vector>

namespace bz::hip {

class Event;
class Module;
class Kernel;
class Registry;

class Runtime {
public:
  static Runtime& get();

  /// Starts HSA and finds the devices; the outcome of the first attempt stays.
  Result start();
  const std::vector<std::unique_ptr<Device>>& devices() const { return devices_; }
  Outcome<Device*> device(int ordinal) const;
  /// The device of the calling thread.
  Device& current() const;
  const HostAgent& host() const { return host_; }
  std::vector<hsa_agent_t> gpu_agents() const;

  /// A stream from its handle: null, hipStreamLegacy and hipStreamPerThread included.
  Outcome<StreamPtr> stream(hipStream_t handle);
  Outcome<std::shared_ptr<Event>> event(hipEvent_t handle);

  HandleTable<Stream> streams;
  HandleTable<Event> events;
  HandleTable<Module> modules;
  HandleTable<Kernel> kernels;
  MemoryTable memory;
  Registry& registry() { return *registry_; }

private:
  Runtime();
  Result start_once();
  std::once_flag once_;
  Result started_;
  HostAgent host_;
  std::vector<std::unique_ptr<Device>> devices_;
  Registry* registry_;
};

bool launch_blocking(); ///< HIP_LAUNCH_BLOCKING

} // namespace bz::hip
