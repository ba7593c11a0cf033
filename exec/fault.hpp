// Running code that may fault on guest addresses: a call that comes back with the fault instead of dying. Owns the landing
// after SIGSEGV/SIGBUS; base/segv owns the signals.
#pragma once
#include "base/segv.hpp"

#include <cstddef>
#include <cstdint>

namespace bz::exec {

struct GuestFault {
  bool happened = false;
  uint64_t address = 0;
  bool address_known = false;
  bool is_write = false;
};

/// fn(arg), or the fault that stopped it. Nothing on fn's stack is destroyed: it must own nothing.
GuestFault call_guarded(void (*fn)(void*), void* arg);

/// memcpy from guest memory; false if some of it can't be read.
bool read_guest(void* to, uint64_t from, size_t bytes);

} // namespace bz::exec
