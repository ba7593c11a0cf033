#include "gpu/guard.hpp"

#include "base/segv.hpp"

#include <csetjmp>
#include <cstring>

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

} // namespace

__attribute__((noinline)) bool guarded(void (*body)(void*), void* argument) {
  static const bool ready = segv::install().ok(); // the device does it too; a tool that only reads reports may not
  (void)ready;
  Landing landing;
  segv::ThreadHandler handler(on_fault, &landing);
  if (sigsetjmp(landing.jump, 0) != 0) return false;
  body(argument);
  return true;
}

bool read_memory(void* to, uint64_t from, size_t bytes) {
  return bytes == 0 || (from != 0 && guarded([&] { std::memcpy(to, reinterpret_cast<const void*>(from), bytes); }));
}

bool load_shared(uint64_t& to, uint64_t from) {
  return guarded([&] { to = __atomic_load_n(reinterpret_cast<const uint64_t*>(from), __ATOMIC_ACQUIRE); });
}

bool store_shared(uint64_t to, uint64_t value) {
  return guarded([&] { __atomic_store_n(reinterpret_cast<uint64_t*>(to), value, __ATOMIC_RELEASE); });
}

bool write_memory(uint64_t to, const void* from, size_t bytes) {
  return bytes == 0 || (to != 0 && guarded([&] { std::memcpy(reinterpret_cast<void*>(to), from, bytes); }));
}

} // namespace bz::gpu
