// Whether, and how much of, the process's memory can be read from an address on, for interfaces that get pointers.
// Knows nothing of what is there.
#pragma once
#include <cstdint>

namespace bz {

/// True if the byte at `p` can be read, now. One cheap system call.
bool readable(const void* p);

/// True if the first and the last byte of a range can be read, now: what a caller most often gets wrong. One or two calls.
bool readable(const void* p, uint64_t size);

/// True if the byte at `p` can be written, now, for memory that is about to be: its content stays as it is, but the kernel
/// does write it, so that a page may come to be. One cheap system call.
bool writable(void* p);

/// True if the first and the last byte of a range can be written, now. One or two calls.
bool writable(void* p, uint64_t size);

/// Bytes from `p` on in mappings that can be read and follow each other without a gap; 0 if p itself can't be read. A
/// snapshot of /proc/self/maps: another thread may unmap the memory later. UINT64_MAX where that file can't be opened.
uint64_t readable_bytes(const void* p);

} // namespace bz
