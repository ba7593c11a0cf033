// Memory of which host code knows an address and nothing else: a guest's, or whole pages of a program's. Sanitizers of host
// code must not judge these accesses: a guest may address null, pages hold what AddressSanitizer keeps between variables.
// Knows no owner of memory.
#pragma once
#include <cstddef>
#include <cstdint>

/// For a function that makes such accesses itself. It calls no library function (memcpy), whose arguments are checked.
#define BZ_RAW_ACCESS __attribute__((no_sanitize("address", "thread", "undefined")))

namespace bz {

/// memcpy
BZ_RAW_ACCESS inline void raw_copy(void* to, const void* from, size_t bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

/// True if these dwords are the same. All of them are read.
BZ_RAW_ACCESS inline bool raw_equal(const uint32_t* a, const uint32_t* b, size_t count) {
  uint32_t difference = 0;
  for (size_t i = 0; i < count; ++i) difference |= a[i] ^ b[i];
  return difference == 0;
}

/// True if all of them are zero.
BZ_RAW_ACCESS inline bool raw_zero(const uint64_t* p, size_t count) {
  uint64_t any = 0;
  for (size_t i = 0; i < count; ++i) any |= p[i];
  return any == 0;
}

} // namespace bz
