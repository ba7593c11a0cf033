// What the API remembers per host thread: current device, errors, launch configurations, contexts, default stream.
// Must not know how anything is done.
#pragma once
#include "hip/runtime/memory_table.hpp"
#include "hip/runtime/memory_use.hpp"

#include <hip/host/prologue.h>

#include <cstddef>
#include <memory>
#include <vector>

namespace bz::hip {

class Stream;

/// What <<<grid, block, shared, stream>>> leaves for the stub, or hipConfigureCall for hipLaunchByPtr.
struct CallConfiguration {
  dim3 grid, block;
  size_t shared = 0;
  hipStream_t stream = nullptr;
  std::vector<std::byte> arguments; ///< filled by hipSetupArgument
};

struct ThreadState {
  int device = 0;
  bool device_chosen = false;
  hipError_t last_error = hipSuccess;  ///< the last failure until it is fetched
  hipError_t last_status = hipSuccess; ///< the outcome of the last call
  int null_is_per_thread = 0;          ///< depth of PerThreadNullStream
  std::vector<CallConfiguration> configurations;
  std::vector<hipCtx_t> contexts; ///< stack of hipCtxPushCurrent; the current one is the device's
  std::vector<int> valid_devices;
  hipStreamCaptureMode capture_mode = hipStreamCaptureModeGlobal;
  std::vector<std::shared_ptr<Stream>> per_thread_streams; ///< by device; null until used
  RecentMemory memory; ///< of Runtime::memory
  MemoryUser memory_user;
  ~ThreadState();
};

ThreadState& thread_state();

} // namespace bz::hip
