#include "hip/runtime/memory_use.hpp"
#include "hip/runtime/thread_state.hpp"

#include <algorithm>
#include <mutex>
#include <thread>
#include <vector>

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace bz::hip {
namespace {

long membarrier(int command) { return syscall(SYS_membarrier, command, 0, 0); }

/// True if the kernel can make all threads of the process pass a fence.
bool can_fence_others() {
  static const bool can = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
  return can;
}

struct Users {
  std::mutex mutex;
  std::vector<const MemoryUser*> all;
};
Users& users() {
  static auto& u = *new Users; // outlives every thread
  return u;
}

} // namespace

MemoryUser::MemoryUser() : fenced_(!can_fence_others()) {
  std::lock_guard lock(users().mutex);
  users().all.push_back(this);
}

MemoryUser::~MemoryUser() {
  std::lock_guard lock(users().mutex);
  std::erase(users().all, this);
}

void wait_for_memory_uses() {
  // What this thread is in the middle of itself doesn't count, and others who wait needn't wait for it either.
  MemoryUser& own = thread_state().memory_user;
  const bool inside = own.depth_ > 0;
  const auto turn = [&] {
    if (inside) own.uses_.store(own.uses_.load(std::memory_order_relaxed) + 1, std::memory_order_seq_cst);
  };
  turn();
  {
    std::lock_guard lock(users().mutex);
    if (own.fenced_) std::atomic_thread_fence(std::memory_order_seq_cst);
    else (void)membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
    for (const MemoryUser* user : users().all) {
      const uint32_t seen = user->uses_.load(std::memory_order_acquire);
      if (seen % 2 == 0) continue;
      while (user->uses_.load(std::memory_order_acquire) == seen) std::this_thread::yield();
    }
  }
  turn();
}

} // namespace bz::hip
