// Stacks on which waves run by native code, and going from one to another. Owns the switch; must not know waves. A suspended
// fiber may go on in another thread: nothing that runs on one may keep a thread's own data across a switch.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace bz::exec {

/// Memory for one stack, with a guard page below.
class FiberStack {
public:
  explicit FiberStack(size_t bytes);
  ~FiberStack();
  FiberStack(const FiberStack&) = delete;
  FiberStack& operator=(const FiberStack&) = delete;

  char* bottom() const { return base_ + kGuard; }
  char* top() const { return base_ + size_ - shift_; }
  size_t bytes() const { return size_ - kGuard - kPage; }
  /// True for an address that a stack which is too small reaches.
  bool guards(uint64_t address) const { return address - reinterpret_cast<uint64_t>(base_) < kGuard; }

private:
  friend struct FiberPoint;
  static constexpr size_t kGuard = 4096, kPage = 4096;
  char* base_ = nullptr;
  size_t size_ = 0;
  size_t shift_ = 0;       ///< tops lie at different places in their pages: the same cache sets could not hold them all
  void* tsan_ = nullptr;   ///< the sanitizer's name for what runs on it
};

/// Where something suspended goes on: a fiber, or the thread that runs fibers.
struct FiberPoint {
  char* sp = nullptr;                ///< its stack from here on is alive: callee-saved registers, then the return address
  // For sanitizers.
  void* fake_stack = nullptr;
  const void* bottom = nullptr;
  size_t bytes = 0;
  void* tsan = nullptr;

  /// Of the calling thread's own stack, and of what begins on `stack`.
  static FiberPoint of_thread();
  static FiberPoint on(const FiberStack& stack);
};

/// Suspends the caller at `from`, and `to` goes on. Comes back when somebody switches to `from`.
void fiber_switch(FiberPoint& from, FiberPoint& to);
/// Suspends the caller at `from` and calls fn(arg) at the top of the stack that `to` is on. fn must not return: it leaves.
void fiber_start(FiberPoint& from, FiberPoint& to, void (*fn)(void*), void* arg);
/// `to` goes on; what the caller's stack holds is forgotten.
[[noreturn]] void fiber_leave(FiberPoint& to);
/// To be called by the thread that runs fibers when it has got back its stack without a switch (leave_guarded, a fault).
void fiber_landed(FiberPoint& host);

} // namespace bz::exec
