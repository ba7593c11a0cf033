// Host memory as the peers like it best: aligned, in huge pages where the system has them, touched by who runs first.
#pragma once
#include <cstdio>
#include <cstdlib>

#include <sys/mman.h>

namespace side {

/// `count` values of T, all zero; never freed.
template <class T> T* host_memory(size_t count) {
  constexpr size_t kHuge = size_t(2) << 20;
  const size_t bytes = (count * sizeof(T) + kHuge - 1) / kHuge * kHuge;
  auto* p =
      static_cast<char*>(mmap(nullptr, bytes + kHuge, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  if (p == MAP_FAILED) {
    std::perror("mmap");
    std::exit(2);
  }
  p += (kHuge - reinterpret_cast<size_t>(p) % kHuge) % kHuge;
  madvise(p, bytes, MADV_HUGEPAGE);
  return reinterpret_cast<T*>(p);
}

} // namespace side
