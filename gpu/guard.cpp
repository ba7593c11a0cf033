#include "gpu/guard.hpp"

#include "base/segv.hpp"

#include <cerrno>
#include <csetjmp>
#include <cstring>
#include <sys/uio.h>
#include <unistd.h>

namespace bz::gpu {
namespace {

struct Landing {
  sigjmp_buf jump;
};

extern "C" [[noreturn]] __attribute__((used)) void bz_gpu_guard_land(Landing* landing) { siglongjmp(landing->jump, 1); }

// The handler returns into bz_gpu_guard_land, so that the kernel restores the signal mask and the jump needs no mask.
bool on_fault(segv::Fault& fault, void* context) {
  if (fault.signal != SIGSEGV && fault.signal != SIGBUS) return false;
  auto* gregs = fault.context->uc_mcontext.gregs;
  gregs[REG_RSP] = ((gregs[REG_RSP] - 256) & ~greg_t{15}) - 8; // beyond the red zone, aligned as at a function's entry
  gregs[REG_RIP] = reinterpret_cast<greg_t>(&bz_gpu_guard_land);
  gregs[REG_RDI] = reinterpret_cast<greg_t>(context);
  return true;
}

bool copy_guarded(void* to, const void* from, size_t bytes) {
  return guarded([&] { std::memcpy(to, from, bytes); });
}

} // namespace

__attribute__((noinline)) bool guarded(void (*body)(void*), void* argument) {
  Landing landing;
  segv::ThreadHandler handler(on_fault, &landing);
  if (sigsetjmp(landing.jump, 0) != 0) return false;
  body(argument);
  return true;
}

bool read_memory(void* to, uint64_t from, size_t bytes) {
  if (bytes == 0) return true;
  iovec local{to, bytes}, remote{reinterpret_cast<void*>(from), bytes};
  ssize_t n = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
  if (n >= 0) return static_cast<size_t>(n) == bytes;
  if (errno == EFAULT) return false;
  return copy_guarded(to, reinterpret_cast<const void*>(from), bytes); // a sandbox forbids the call
}

bool write_memory(uint64_t to, const void* from, size_t bytes) {
  if (bytes == 0) return true;
  iovec local{const_cast<void*>(from), bytes}, remote{reinterpret_cast<void*>(to), bytes};
  ssize_t n = process_vm_writev(getpid(), &local, 1, &remote, 1, 0);
  if (n >= 0) return static_cast<size_t>(n) == bytes;
  if (errno == EFAULT) return false;
  return copy_guarded(reinterpret_cast<void*>(to), from, bytes);
}

} // namespace bz::gpu
