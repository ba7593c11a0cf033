#include "base/fork.hpp"

#include <atomic>

#include <pthread.h>

namespace bz {
namespace {
std::atomic<bool> child{false};
}

void watch_forks() {
  [[maybe_unused]] static const int once =
      pthread_atfork(nullptr, nullptr, [] { child.store(true, std::memory_order_relaxed); });
}

bool forked_child() { return child.load(std::memory_order_relaxed); }

} // namespace bz
