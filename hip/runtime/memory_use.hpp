// Calls that touch memory which they found in the table of memory, and the wait for them before it goes: a program may free
// in one thread what another is copying. Knows no table and no memory.
#pragma once
#include <atomic>
#include <cstdint>

namespace bz::hip {

/// One per thread.
class MemoryUser {
public:
  MemoryUser();
  ~MemoryUser();
  MemoryUser(const MemoryUser&) = delete;
  MemoryUser& operator=(const MemoryUser&) = delete;

private:
  friend class MemoryUse;
  friend void wait_for_memory_uses();
  std::atomic<uint32_t> uses_{0}; ///< odd within a use
  uint32_t depth_ = 0;
  const bool fenced_; ///< each use needs a fence of its own
};

/// While it lives, what its thread finds in the table of memory stays mapped. Not around anything that waits: whoever frees
/// memory waits for its end.
class MemoryUse {
public:
  explicit MemoryUse(MemoryUser& user) : user_(user) {
    if (user_.depth_++ > 0) return;
    user_.uses_.store(user_.uses_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    // The table must not be read before others see the use. The one who waits makes that so (membarrier).
    if (user_.fenced_) std::atomic_thread_fence(std::memory_order_seq_cst);
    else std::atomic_signal_fence(std::memory_order_seq_cst);
  }
  ~MemoryUse() {
    if (--user_.depth_ == 0)
      user_.uses_.store(user_.uses_.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
  MemoryUse(const MemoryUse&) = delete;
  MemoryUse& operator=(const MemoryUse&) = delete;

private:
  MemoryUser& user_;
};

/// After memory was taken out of the table: returns when no use is left that may have found it there.
void wait_for_memory_uses();

} // namespace bz::hip
