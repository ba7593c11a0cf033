// Runtime: the process-wide object behind the C API, made at the first call and never destroyed, because programs
// unregister their code after our destructors would have run. Owns devices and all tables of handles.
#pragma once
#include "base/fork.hpp"
#include "hip/runtime/device.hpp"
#include "hip/runtime/handle_table.hpp"
#include "hip/runtime/memory_table.hpp"
#include "hip/runtime/result.hpp"

#include <memory>
#include <mutex>
#include <vector>

namespace bz::hip {

class Event;
class GraphStore;
class Module;
class Kernel;
class Registry;
class MemoryPools;
class Array;
class MipmappedArray;
class ImportedMemory;
class TextureObjects;

/// What a function does with a stream, which decides what a capture of it means.
enum class StreamUse {
  execute, ///< acts now: refused if the stream is capturing
  enqueue, ///< gives it work that a capture can take
  inquire, ///< asks for a property
};
/// The same for events whose last record was captured.
enum class EventUse {
  wait,    ///< asks whether it was reached, or waits for it: refused
  inquire, ///< asks for its times: refused
  record,  ///< gives it another meaning, or orders a stream after it
};

class Runtime {
public:
  static Runtime& get();

  /// Starts HSA and finds the devices; the outcome of the first attempt stays.
  Result start();
  /// It runs: start() would give success again.
  bool runs() const { return runs_.load(std::memory_order_acquire) && !forked_child(); }
  const std::vector<std::unique_ptr<Device>>& devices() const { return devices_; }
  Outcome<Device*> device(int ordinal) const;
  /// The device of the calling thread.
  Device& current() const;
  const HostAgent& host() const { return host_; }
  std::vector<hsa_agent_t> gpu_agents() const;
  /// Waits for the work of all devices: any of them may use memory that is about to go.
  void synchronize_devices() const;

  /// A stream from its handle: null, hipStreamLegacy and hipStreamPerThread included. `none` is the code of the calling
  /// function for a handle of no stream.
  Outcome<StreamPtr> stream(hipStream_t handle, StreamUse use = StreamUse::execute,
                            hipError_t none = hipErrorContextIsDestroyed);
  Outcome<std::shared_ptr<Event>> event(hipEvent_t handle, EventUse use = EventUse::wait);

  HandleTable<Stream> streams;
  HandleTable<Event> events;
  HandleTable<Module> modules;
  HandleTable<Kernel> kernels;
  HandleTable<Array> arrays;
  HandleTable<MipmappedArray> mipmaps;
  MemoryTable memory;
  Registry& registry() { return *registry_; }
  MemoryPools& pools() { return *pools_; }
  ImportedMemory& imported() { return *imported_; }
  TextureObjects& textures() { return *textures_; }
  GraphStore& graphs() { return *graphs_; }

private:
  Runtime();
  Result start_once();
  Outcome<StreamPtr> find_stream(hipStream_t handle, hipError_t none);
  std::once_flag once_;
  std::atomic<bool> runs_{false};
  Result started_;
  HostAgent host_;
  std::vector<std::unique_ptr<Device>> devices_;
  Registry* registry_;
  MemoryPools* pools_;
  ImportedMemory* imported_;
  TextureObjects* textures_;
  GraphStore* graphs_;
};

bool launch_blocking(); ///< HIP_LAUNCH_BLOCKING

} // namespace bz::hip
