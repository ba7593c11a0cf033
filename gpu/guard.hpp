// Reading and writing memory that a program named: ring packets, signals, descriptors. A bad address must become an
// error, not a crash of the host program. No system call on the good path. Knows no queue.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

namespace bz::gpu {

/// Runs body(); false if it touched memory that faults. The body is abandoned at the fault: it must hold no lock and
/// own nothing that needs its destructor.
bool guarded(void (*body)(void*), void* argument);

template <class F> bool guarded(F&& body) {
  return guarded([](void* f) { (*static_cast<std::remove_reference_t<F>*>(f))(); }, &body);
}

/// Copies between host memory and an address of the program; false if a byte can't be read or written.
bool read_memory(void* to, uint64_t from, size_t bytes);
bool write_memory(uint64_t to, const void* from, size_t bytes);

/// A queue's index, a signal's value, a word of exceptions: client and device use it at the same time. Acquire and release.
bool load_shared(uint64_t& to, uint64_t from);
bool store_shared(uint64_t to, uint64_t value);

} // namespace bz::gpu
