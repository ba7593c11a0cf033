// How much of the process's memory can be read from an address on, for interfaces that pass a pointer without a size.
// Knows nothing of what is there.
#pragma once
#include <cstdint>

namespace bz {

/// Bytes from `p` on in mappings that can be read and follow each other without a gap; 0 if p itself can't be read. A
/// snapshot of /proc/self/maps: another thread may unmap the memory later. UINT64_MAX where that file can't be opened.
uint64_t readable_bytes(const void* p);

} // namespace bz
