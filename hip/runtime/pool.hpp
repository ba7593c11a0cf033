// Memory pools: device memory that is given and taken in stream order and kept for the next taker. Must not know the
// API's argument checks (pool_api.cpp).
//
// A block goes from used to free at the free call and remembers the work that may still use it. Who may have it next:
// the stream that freed it; a stream that comes after that work by events (hipMemPoolReuseFollowEventDependencies);
// anybody once the work is done (hipMemPoolReuseAllowOpportunistic); anybody who then waits for the work
// (hipMemPoolReuseAllowInternalDependencies), which happens only where no more memory is to be had.
#pragma once
#include "hip/runtime/memory.hpp"

#include <map>

namespace bz::hip {

class MemoryPool {
public:
  MemoryPool(Device& device, hipMemPoolProps props, uint64_t id, bool imported)
      : device_(device), props_(props), id_(id), imported_(imported) {}
  MemoryPool(const MemoryPool&) = delete;

  Device& device() const { return device_; }
  const hipMemPoolProps& props() const { return props_; }
  /// Names the pool in exported handles: unique on this machine.
  uint64_t id() const { return id_; }
  /// Stands for another process's pool: gives pointers by hipMemPoolImportPointer only.
  bool imported() const { return imported_; }

  Outcome<void*> allocate(size_t size, Stream& stream);
  /// The block that begins at `base` is free once the work of `stream` so far is done. False if it isn't in use.
  bool free(uintptr_t base, Stream& stream);
  /// The same, where the caller waited for all work.
  bool free_now(uintptr_t base);
  /// Gives idle memory back until at most `keep` bytes are reserved; work that may still use some keeps it.
  Status trim(uint64_t keep);
  /// What a synchronisation does: trim down to the release threshold.
  void after_synchronize();
  /// Gives all memory back, also what is in use (hipDeviceReset).
  void drop_all();

  Result set_attribute(hipMemPoolAttr attribute, const void* value);
  Result attribute(hipMemPoolAttr attribute, void* value) const;
  /// Lets these devices, beside the owner, use all memory of the pool.
  Result set_access(const std::vector<std::pair<Device*, hipMemAccessFlags>>& wanted);
  hipMemAccessFlags access(const Device& device) const;

  /// No block is in use: a destroyed pool may go.
  bool unused() const;
  void retire() { retired_ = true; } ///< destroyed by the program: holds nothing back any more

private:
  struct Block {
    size_t size = 0;      ///< reserved
    size_t requested = 0; ///< used
    std::vector<MarkerPtr> until;
    uint64_t stream = 0, position = 0; ///< where it was freed
    bool idle() const;
  };
  using Blocks = std::map<uintptr_t, Block>;

  Blocks::iterator find_reusable(size_t size, Stream& stream);
  Blocks::iterator find_after_waiting(size_t size, Stream& stream);
  Outcome<uintptr_t> grow(size_t size);
  Status trim_locked(uint64_t keep);
  bool free_locked(uintptr_t base, Block point);
  std::vector<hsa_agent_t> agents() const;

  Device& device_;
  const hipMemPoolProps props_;
  const uint64_t id_;
  const bool imported_;
  mutable std::mutex mutex_;
  Blocks used_, free_;
  std::multimap<size_t, uintptr_t> free_by_size_;
  std::vector<Device*> peers_; ///< may use it, beside the owner
  uint64_t threshold_ = 0;
  bool follow_events_ = true, opportunistic_ = true, internal_ = true;
  uint64_t reserved_ = 0, reserved_high_ = 0, used_bytes_ = 0, used_high_ = 0;
  std::atomic<bool> retired_{false}, excess_{false}; ///< excess: a synchronisation has something to do

  void unlink_free(Blocks::iterator it);
};

/// All pools of the process.
class MemoryPools {
public:
  std::shared_ptr<MemoryPool> create(Device& device, const hipMemPoolProps& props);
  std::shared_ptr<MemoryPool> import(Device& device, const hipMemPoolProps& props, uint64_t id);
  /// The pool of a handle, or null.
  std::shared_ptr<MemoryPool> find(hipMemPool_t handle) const { return live_.find(handle); }
  /// False if there is no such pool. Memory in use stays usable until it is freed.
  bool destroy(hipMemPool_t handle);
  std::shared_ptr<MemoryPool> default_pool(Device& device);
  std::shared_ptr<MemoryPool> current_pool(Device& device);
  void set_current(Device& device, std::shared_ptr<MemoryPool> pool);
  bool is_default(const MemoryPool* pool) const;
  /// Frees a block of `pool`, which may be destroyed already. Without a stream all work is over.
  bool free(const void* pool, uintptr_t base, Stream* stream);
  void after_synchronize();
  /// Idle memory of all pools of a device goes back; true if there was any.
  bool release_idle(Device& device);
  void reset(Device& device);

private:
  std::vector<std::shared_ptr<MemoryPool>> all() const;
  HandleTable<MemoryPool> live_, retired_;
  mutable std::mutex mutex_;
  std::map<int, std::shared_ptr<MemoryPool>> default_, current_; ///< by device
};

} // namespace bz::hip
