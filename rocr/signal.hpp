// Signals: amd_signal_t blocks in memory that GPUs reach, the host's side of each, and waiting. Owns the blocks and the
// events that waiters sleep on. Must not know queues beyond their doorbells, nor what completes a signal.
#pragma once
#include "hsa/amd_hsa_signal.h"
#include "rocr/outcome.hpp"
#include "rocr/thunk.hpp"

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <vector>

namespace bz::rocr {

/// What the host keeps of a signal beside the 64 bytes that the device sees.
struct SignalHost {
  thunk::Event* event = nullptr;     ///< nullptr: nobody on the host sleeps on it, waiters poll
  std::atomic<uint32_t> sleepers{0}; ///< host threads that want the event set when the host changes the value
  std::atomic<bool> live{false};
  bool copy_timed = false; ///< copy_start and copy_end hold, in system ticks
  uint64_t copy_start = 0, copy_end = 0;
  const volatile uint8_t* awake = nullptr; ///< of a device's doorbell: 0 while the device sleeps; nullptr: it never does
  void (*ring)(void* data, hsa_signal_value_t value) = nullptr; ///< of a doorbell that isn't a device's
  void* ring_data = nullptr;
};

inline amd_signal_t* signal_of(hsa_signal_t s) { return reinterpret_cast<amd_signal_t*>(s.handle); }
inline hsa_signal_t handle_of(amd_signal_t* s) { return {reinterpret_cast<uint64_t>(s)}; }
/// The host side of a signal of this process; the handle must be valid.
SignalHost& host_of(amd_signal_t* s);

/// A plain 64-bit store to a device's doorbell. What was written before it (packets, the write index) must be visible
/// first, which release order gives. A sleeping device is woken first: its page would take the store only through a fault.
inline void ring_doorbell(amd_signal_t* s, uint64_t value) {
  const SignalHost& host = host_of(s);
  if (host.awake && !__atomic_load_n(host.awake, __ATOMIC_ACQUIRE)) [[unlikely]]
    thunk::wake_doorbell(s->hardware_doorbell_ptr);
  __atomic_store_n(s->hardware_doorbell_ptr, value, __ATOMIC_RELEASE);
}

bool condition_holds(hsa_signal_condition_t condition, hsa_signal_value_t value, hsa_signal_value_t compare);
inline bool is_condition(int c) { return c >= HSA_SIGNAL_CONDITION_EQ && c <= HSA_SIGNAL_CONDITION_GTE; }

/// Sets the event of a signal whose value the host just changed, if somebody sleeps on it.
void wake_sleepers(amd_signal_t* s);
/// What a device does at the end of work: subtract one with release, tell the sleepers.
void complete(amd_signal_t* s);
/// The same for work that failed: a negative value, as ROCm's copy engines leave it.
void complete_with_error(amd_signal_t* s);

struct Wait {
  amd_signal_t* signal;
  hsa_signal_condition_t condition;
  hsa_signal_value_t compare;
};
inline constexpr uint32_t kTimedOut = UINT32_MAX;
/// Index of a wait whose condition holds, with the value seen; kTimedOut after `timeout` system ticks.
uint32_t wait_any(std::span<const Wait> waits, uint64_t timeout, hsa_wait_state_t state, hsa_signal_value_t* seen);
/// Waits for one signal and returns the value seen last.
hsa_signal_value_t wait_one(const Wait& wait, uint64_t timeout, hsa_wait_state_t state);
/// True if all conditions held within `timeout`.
bool wait_all(std::span<const Wait> waits, uint64_t timeout, hsa_wait_state_t state, hsa_signal_value_t* seen);

/// Makes and recycles signals.
class SignalPool {
public:
  /// Gives memory that the host and all GPUs reach, aligned to its size, or nullptr.
  using BlockAllocator = std::function<void*(size_t bytes, bool shareable)>;
  using BlockFree = std::function<void(void*, size_t bytes)>;
  SignalPool(BlockAllocator allocate, BlockFree free);
  ~SignalPool();
  SignalPool(const SignalPool&) = delete;

  enum class Kind { interrupt, polled, doorbell };
  Result<amd_signal_t*> create(hsa_signal_value_t initial, Kind kind);

  // Signals that other processes see too. Each has a block of its own; nobody is told of a change, waiters poll.
  static constexpr size_t kBlockBytes = 64 * 1024;
  Result<amd_signal_t*> create_shared(hsa_signal_value_t initial);
  /// A block of another process; `release` gets it back when the signal is destroyed here.
  Result<amd_signal_t*> attach_shared(void* block, std::function<void(void*)> release);
  /// The block of a shared signal, else null.
  static void* shared_block(const amd_signal_t* s);

  /// False if another thread was faster.
  bool destroy(amd_signal_t* s);
  /// The signal behind a handle, or INVALID_SIGNAL / INVALID_ARGUMENT for null.
  Result<amd_signal_t*> find(hsa_signal_t handle) const;
  size_t live_count() const { return live_; }

private:
  struct Block;
  Outcome grow();
  Result<amd_signal_t*> add_shared(void* block, std::function<void(void*)> release);

  BlockAllocator allocate_;
  BlockFree free_block_;
  mutable std::shared_mutex mutex_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::deque<amd_signal_t*> free_; // taken from the front, given back at the end: late uses stay recognizable
  std::vector<std::unique_ptr<thunk::Event>> events_; // all ever made
  std::vector<thunk::Event*> free_events_;
  bool events_used_up_ = false;
  std::atomic<size_t> live_{0};
};

} // namespace bz::rocr
