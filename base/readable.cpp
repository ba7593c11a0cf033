#include "base/readable.hpp"

#include "base/mappings.hpp"

namespace bz {

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
