#include "exec/fault.hpp"

#include "base/raw_memory.hpp"

#include <ucontext.h>
#if __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#endif

extern "C" {
// Saves the callee-saved registers on the stack and its place in *landing, then calls fn(arg). A fault handler that sets
// rsp to that place, rip to bz_exec_landing and rax to 1 makes it return 1; so does bz_exec_leave(landing).
__attribute__((visibility("hidden"))) int bz_exec_guarded(void* landing, void (*fn)(void*), void* arg);
__attribute__((visibility("hidden"))) extern const char bz_exec_landing[];
[[noreturn]] __attribute__((visibility("hidden"))) void bz_exec_leave(void* landing);
}
asm(R"(
  .text
  .p2align 4
  .hidden bz_exec_guarded
  .globl bz_exec_guarded
  .type bz_exec_guarded,@function
bz_exec_guarded:
  .cfi_startproc
  pushq %rbp
  .cfi_adjust_cfa_offset 8
  pushq %rbx
  .cfi_adjust_cfa_offset 8
  pushq %r12
  .cfi_adjust_cfa_offset 8
  pushq %r13
  .cfi_adjust_cfa_offset 8
  pushq %r14
  .cfi_adjust_cfa_offset 8
  pushq %r15
  .cfi_adjust_cfa_offset 8
  subq $8, %rsp
  .cfi_adjust_cfa_offset 8
  movq %rsp, (%rdi)
  movq %rdx, %rdi
  callq *%rsi
  xorl %eax, %eax
  .hidden bz_exec_landing
  .globl bz_exec_landing
bz_exec_landing:
  cld
  addq $8, %rsp
  .cfi_adjust_cfa_offset -8
  popq %r15
  .cfi_adjust_cfa_offset -8
  popq %r14
  .cfi_adjust_cfa_offset -8
  popq %r13
  .cfi_adjust_cfa_offset -8
  popq %r12
  .cfi_adjust_cfa_offset -8
  popq %rbx
  .cfi_adjust_cfa_offset -8
  popq %rbp
  .cfi_adjust_cfa_offset -8
  retq
  .cfi_endproc
  .size bz_exec_guarded, .-bz_exec_guarded

  .p2align 4
  .hidden bz_exec_leave
  .globl bz_exec_leave
  .type bz_exec_leave,@function
bz_exec_leave:
  movq (%rdi), %rsp
  movl $1, %eax
  jmp bz_exec_landing
  .size bz_exec_leave, .-bz_exec_leave
)");

namespace bz::exec {
namespace {

/// The processor doesn't tell addresses that are not canonical; the register that made one of it is likely to be one itself.
uint64_t wild_register(const greg_t* regs) {
  for (int i : {REG_RAX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_R8, REG_R9, REG_R10, REG_R11, REG_RBX, REG_RBP, REG_R12, REG_R13, REG_R14, REG_R15})
    if (regs[i] << 16 >> 16 != regs[i]) return static_cast<uint64_t>(regs[i]);
  return 0;
}

bool on_fault(segv::Fault& f, void* context) {
  if (f.signal != SIGSEGV && f.signal != SIGBUS) return false;
  auto* guard = static_cast<Guard*>(context);
  auto& regs = f.context->uc_mcontext.gregs;
  guard->fault = {true, f.address_known ? f.address : wild_register(regs), f.address_known, f.is_write, static_cast<uint64_t>(regs[REG_RIP])};
  regs[REG_RSP] = static_cast<greg_t>(guard->rsp);
  regs[REG_RIP] = reinterpret_cast<greg_t>(bz_exec_landing);
  regs[REG_RAX] = 1;
  return true;
}

/// Who lands has left frames without returning from them; AddressSanitizer would take their borders for those of later ones.
void forget_frames() {
#if __has_feature(address_sanitizer)
  __asan_handle_no_return();
#endif
}

} // namespace

GuestFault call_guarded(Guard& guard, void (*fn)(void*), void* arg) {
  guard.left = false;
  segv::ThreadHandler handler(on_fault, &guard);
  if (bz_exec_guarded(&guard, fn, arg) == 0) return {};
  forget_frames();
  return guard.fault;
}

GuestFault call_guarded(void (*fn)(void*), void* arg) {
  Guard guard;
  return call_guarded(guard, fn, arg);
}

void leave_guarded(Guard& guard) {
  guard.left = true;
  bz_exec_leave(&guard);
}

bool read_guest(void* to, uint64_t from, size_t bytes) {
  struct Job {
    void* to;
    const void* from;
    size_t bytes;
  } job{to, reinterpret_cast<const void*>(from), bytes};
  return !call_guarded([](void* p) {
            auto* j = static_cast<Job*>(p);
            raw_copy(j->to, j->from, j->bytes);
          }, &job).happened;
}

} // namespace bz::exec
