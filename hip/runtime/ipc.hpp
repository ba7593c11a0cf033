// What processes share: memory by 64-byte handles, and the signal behind an interprocess event. Must not know streams.
#pragma once
#include "hip/runtime/memory.hpp"

#include <atomic>

namespace bz::hip {

/// A count of unfinished records that all processes with the event see, and whose they are: if that process is killed, they count as
/// reached. Records of several processes at once have no owner any more.
class SharedSignal {
public:
  static Outcome<std::shared_ptr<SharedSignal>> create();
  static Outcome<std::shared_ptr<SharedSignal>> open(const hsa_amd_ipc_signal_t& handle);
  ~SharedSignal();
  SharedSignal(const SharedSignal&) = delete;

  Result export_to(hsa_amd_ipc_signal_t& handle) const;
  void begin();
  void end();
  /// Looks for a killed owner at most every 20 ms.
  bool idle() const;
  void wait(hsa_wait_state_t how) const;

private:
  explicit SharedSignal(hsa_signal_t signal) : signal_(signal) {}
  bool forget_dead(hsa_signal_value_t seen) const;
  hsa_signal_t signal_;
  mutable std::atomic<int64_t> looked_{0}; ///< ns, steady clock
};

/// Another process's memory, entered into the table as `imported`; opened again it is counted.
class ImportedMemory {
public:
  Outcome<void*> open(const hsa_amd_ipc_memory_t& handle, size_t size, const void* pool);
  /// False if nothing was opened there. The last close takes it away.
  bool close(void* base);
  /// Takes it away whoever uses it.
  Status drop(void* base);

private:
  struct Entry {
    hsa_amd_ipc_memory_t handle;
    unsigned users;
  };
  std::mutex mutex_;
  std::map<void*, Entry> entries_;
};

/// A descriptor given as pointer to it (HIP until 7.0) or as value (since, and CUDA): no object lies in the first page.
int descriptor_of(const void* os_handle);

} // namespace bz::hip
