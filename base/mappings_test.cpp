#include "base/mappings.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace {

TEST(Mappings, SaysWhatIsThere) {
  constexpr uint64_t kPage = 4096;
  auto at = reinterpret_cast<uint64_t>(mmap(nullptr, 3 * kPage, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  ASSERT_EQ(mprotect(reinterpret_cast<void*>(at + kPage), kPage, PROT_READ | PROT_WRITE), 0);
  bz::Mappings maps;
  ASSERT_TRUE(maps.ok());
  int seen = 0;
  uint64_t last = 0;
  bool program = false;
  for (bz::Mapping m; maps.next(m);) {
    EXPECT_GE(m.begin, last);
    EXPECT_GT(m.end, m.begin);
    last = m.end;
    program |= m.file && m.executable && m.readable;
    for (uint64_t page = 0; page < 3; ++page) {
      if (at + page * kPage < m.begin || at + page * kPage >= m.end) continue;
      ++seen;
      if (page == 1) EXPECT_TRUE(m.readable && m.writable && !m.executable && !m.shared && !m.file);
      else EXPECT_TRUE(m.reserved());
    }
  }
  EXPECT_EQ(seen, 3);
  EXPECT_TRUE(program);
  munmap(reinterpret_cast<void*>(at), 3 * kPage);
}

} // namespace
