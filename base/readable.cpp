#include "base/readable.hpp"

#include "base/mappings.hpp"

#include <cerrno>

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace bz {

bool readable(const void* p) {
  // The kernel reads the signal set, 8 bytes, before it looks at what shall be done with it: EFAULT where a load would
  // raise SIGSEGV, else EINVAL, because there is no such thing to do. Eight aligned bytes lie in one page.
  constexpr long kNothing = -1;
  constexpr uint64_t kSetBytes = 8;
  const uint64_t set = reinterpret_cast<uint64_t>(p) & ~(kSetBytes - 1);
  return set != 0 && (syscall(SYS_rt_sigprocmask, kNothing, set, nullptr, kSetBytes) == 0 || errno != EFAULT);
}

bool readable(const void* p, uint64_t size) {
  constexpr uint64_t kPage = 4096;
  const auto first = reinterpret_cast<uint64_t>(p), last = first + size - 1;
  if (size == 0 || last < first) return size == 0;
  return readable(p) && (first / kPage == last / kPage || readable(reinterpret_cast<const void*>(last)));
}

bool writable(void* p) {
  // A futex operation adds 0 to the word atomically, whatever other threads do with it: EFAULT where a store would raise
  // SIGSEGV. Four aligned bytes lie in one page. Nobody waits on the word that it would wake.
  static uint32_t unused = 0;
  const uint64_t word = reinterpret_cast<uint64_t>(p) & ~uint64_t{3};
  constexpr int kAddNothing = FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_LT, -2048);
  return word != 0 &&
         (syscall(SYS_futex, &unused, FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, 0, 0L, word, kAddNothing) >= 0 || errno != EFAULT);
}

bool writable(void* p, uint64_t size) {
  constexpr uint64_t kPage = 4096;
  const auto first = reinterpret_cast<uint64_t>(p), last = first + size - 1;
  if (size == 0 || last < first) return size == 0;
  return writable(p) && (first / kPage == last / kPage || writable(reinterpret_cast<void*>(last)));
}

uint64_t readable_bytes(const void* p) {
  Mappings maps;
  if (!maps.ok()) return UINT64_MAX;
  const auto start = reinterpret_cast<uint64_t>(p);
  uint64_t end = start;
  for (Mapping m; maps.next(m);) {
    if (m.end <= end) continue;
    if (m.begin > end || !m.readable) break;
    end = m.end;
  }
  return end - start;
}

} // namespace bz
