#include "exec/native/fiber.hpp"

#include <atomic>
#include <new>
#include <pthread.h>
#include <sys/mman.h>

#if __has_feature(address_sanitizer)
#include <sanitizer/common_interface_defs.h>
#define BZ_ASAN 1
#endif
#if __has_feature(thread_sanitizer)
#include <sanitizer/tsan_interface.h>
#define BZ_TSAN 1
#endif

extern "C" {
#define BZ_HIDDEN __attribute__((visibility("hidden")))
/// Pushes what a function must keep, leaves the stack pointer at *save, takes `to` and pops what was pushed there.
BZ_HIDDEN void bz_fiber_switch(char** save, char* to);
BZ_HIDDEN void bz_fiber_start(char** save, char* top, void (*fn)(void*), void* arg);
[[noreturn]] BZ_HIDDEN void bz_fiber_leave(char* to);
}
// MXCSR and the x87 control word stay: waves load theirs, and the host's is put back at the end. The way on is a jump, not a
// return: the processor's stack of return addresses is another fiber's.
asm(R"(
  .text
  .p2align 4
  .hidden bz_fiber_switch
  .globl bz_fiber_switch
  .type bz_fiber_switch,@function
bz_fiber_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
.Lbz_fiber_resume:
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  popq %rcx
  jmpq *%rcx
  .size bz_fiber_switch, .-bz_fiber_switch

  .p2align 4
  .hidden bz_fiber_start
  .globl bz_fiber_start
  .type bz_fiber_start,@function
bz_fiber_start:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  xorl %ebp, %ebp
  pushq $0
  pushq $0
  movq %rcx, %rdi
  callq *%rdx
  ud2
  .size bz_fiber_start, .-bz_fiber_start

  .p2align 4
  .hidden bz_fiber_leave
  .globl bz_fiber_leave
  .type bz_fiber_leave,@function
bz_fiber_leave:
  movq %rdi, %rsp
  jmp .Lbz_fiber_resume
  .size bz_fiber_leave, .-bz_fiber_leave
)");

namespace bz::exec {

FiberStack::FiberStack(size_t bytes) {
  static std::atomic<uint32_t> count{0};
  constexpr size_t kPlaces = 16;
  shift_ = count.fetch_add(1, std::memory_order_relaxed) % kPlaces * (kPage / kPlaces);
  size_ = (bytes + kPage - 1) / kPage * kPage + kPage + kGuard;
  void* p = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (p == MAP_FAILED) throw std::bad_alloc();
  base_ = static_cast<char*>(p);
  mprotect(base_, kGuard, PROT_NONE);
#ifdef BZ_TSAN
  tsan_ = __tsan_create_fiber(0);
#endif
}
FiberStack::~FiberStack() {
#ifdef BZ_TSAN
  __tsan_destroy_fiber(tsan_);
#endif
  munmap(base_, size_);
}

/// The calls of a function that switches would be counted on two stacks.
#define BZ_SWITCHES __attribute__((disable_sanitizer_instrumentation, noinline))

namespace {

/// What sanitizers want to know before a switch and after the return from it.
__attribute__((disable_sanitizer_instrumentation)) inline void departs([[maybe_unused]] FiberPoint* from, [[maybe_unused]] const FiberPoint& to) {
#ifdef BZ_ASAN
  __sanitizer_start_switch_fiber(from ? &from->fake_stack : nullptr, to.bottom, to.bytes);
#endif
#ifdef BZ_TSAN
  __tsan_switch_to_fiber(to.tsan, 0);
#endif
}
__attribute__((disable_sanitizer_instrumentation)) inline void arrives([[maybe_unused]] void* fake_stack) {
#ifdef BZ_ASAN
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
}

#ifdef BZ_ASAN
struct Begin {
  void (*fn)(void*);
  void* arg;
};
void begin(void* p) {
  Begin b = *static_cast<Begin*>(p);
  arrives(nullptr);
  b.fn(b.arg);
}
#endif

} // namespace

FiberPoint FiberPoint::of_thread() {
  FiberPoint p;
#ifdef BZ_ASAN
  pthread_attr_t attributes;
  void* bottom = nullptr;
  if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
    pthread_attr_getstack(&attributes, &bottom, &p.bytes);
    pthread_attr_destroy(&attributes);
  }
  p.bottom = bottom;
#endif
#ifdef BZ_TSAN
  p.tsan = __tsan_get_current_fiber();
#endif
  return p;
}

FiberPoint FiberPoint::on(const FiberStack& stack) {
  FiberPoint p;
  p.sp = stack.top();
  p.bottom = stack.bottom();
  p.bytes = static_cast<size_t>(stack.top() - stack.bottom());
  p.tsan = stack.tsan_;
  return p;
}

BZ_SWITCHES void fiber_switch(FiberPoint& from, FiberPoint& to) {
  departs(&from, to);
  bz_fiber_switch(&from.sp, to.sp);
  arrives(from.fake_stack);
}

BZ_SWITCHES void fiber_start(FiberPoint& from, FiberPoint& to, void (*fn)(void*), void* arg) {
  departs(&from, to);
#ifdef BZ_ASAN
  Begin b{fn, arg};
  fn = begin;
  arg = &b;
#endif
  bz_fiber_start(&from.sp, to.sp, fn, arg);
  arrives(from.fake_stack);
}

BZ_SWITCHES void fiber_leave(FiberPoint& to) {
  departs(nullptr, to);
  bz_fiber_leave(to.sp);
}

BZ_SWITCHES void fiber_landed([[maybe_unused]] FiberPoint& host) {
#ifdef BZ_ASAN
  __sanitizer_start_switch_fiber(nullptr, host.bottom, host.bytes);
  __sanitizer_finish_switch_fiber(host.fake_stack, nullptr, nullptr);
#endif
#ifdef BZ_TSAN
  if (__tsan_get_current_fiber() != host.tsan) __tsan_switch_to_fiber(host.tsan, 0);
#endif
}

} // namespace bz::exec
