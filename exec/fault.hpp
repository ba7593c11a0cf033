// Running code that may fault on guest addresses: a call that comes back with the fault instead of dying. Owns the landing
// after SIGSEGV/SIGBUS; base/segv owns the signals.
#pragma once
#include "base/segv.hpp"

#include <cstddef>
#include <cstdint>

namespace bz::exec {

struct GuestFault {
  bool happened = false;
  uint64_t address = 0;   ///< not known: a guess, of one that is not canonical, or 0
  bool address_known = false;
  bool is_write = false;
  uint64_t host_pc = 0;   ///< the host's instruction that faulted
};

/// Of one guarded call: where a fault, or leave_guarded, lands.
struct Guard {
  uint64_t rsp = 0;     ///< written by the call, offset 0
  GuestFault fault;
  bool left = false;    ///< by leave_guarded
};

/// fn(arg), or the fault that stopped it. Nothing on fn's stack is destroyed: it must own nothing. fn may have gone to other
/// stacks meanwhile: the fault comes back to the caller's.
GuestFault call_guarded(void (*fn)(void*), void* arg);
/// The same with a guard of the caller's, by which fn can be left from anywhere.
GuestFault call_guarded(Guard& guard, void (*fn)(void*), void* arg);
/// Ends the guarded call that `guard` belongs to, from within, on whatever stack: it returns, without a fault.
[[noreturn]] void leave_guarded(Guard& guard);

/// Copies from guest memory; false if some of it can't be read.
bool read_guest(void* to, uint64_t from, size_t bytes);

} // namespace bz::exec
