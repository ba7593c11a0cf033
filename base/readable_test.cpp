#include "base/readable.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace {

TEST(Readable, StopsAtTheFirstPageThatCantBeRead) {
  constexpr size_t kPage = 4096;
  auto* base = static_cast<char*>(mmap(nullptr, 4 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(base, MAP_FAILED);
  ASSERT_EQ(mprotect(base + kPage, kPage, PROT_READ), 0);  // another mapping, without a gap
  ASSERT_EQ(mprotect(base + 3 * kPage, kPage, PROT_NONE), 0);
  EXPECT_EQ(bz::readable_bytes(base), 3 * kPage);
  EXPECT_EQ(bz::readable_bytes(base + 3 * kPage - 1), 1u);
  EXPECT_EQ(bz::readable_bytes(base + 3 * kPage), 0u);
  EXPECT_TRUE(bz::readable(base));
  EXPECT_TRUE(bz::readable(base + 3 * kPage - 1));
  EXPECT_FALSE(bz::readable(base + 3 * kPage));
  EXPECT_FALSE(bz::readable(nullptr));
  EXPECT_FALSE(bz::readable(reinterpret_cast<void*>(8)));
  EXPECT_FALSE(bz::readable(reinterpret_cast<void*>(UINT64_MAX)));
  EXPECT_FALSE(bz::readable(reinterpret_cast<void*>(uint64_t{1} << 63))); // no address at all
  EXPECT_TRUE(bz::readable(base, 3 * kPage));
  EXPECT_FALSE(bz::readable(base, 3 * kPage + 1));
  EXPECT_FALSE(bz::readable(base + 3 * kPage, 1));
  EXPECT_TRUE(bz::readable(nullptr, 0)) << "nothing of it";
  EXPECT_FALSE(bz::readable(base, UINT64_MAX)) << "over the end of all addresses";
  munmap(base, 4 * kPage);
  EXPECT_FALSE(bz::readable(base));
  EXPECT_EQ(bz::readable_bytes(nullptr), 0u);
}

TEST(Writable, TellsPagesThatCanBeReadOnly) {
  constexpr size_t kPage = 4096;
  auto* base = static_cast<char*>(mmap(nullptr, 4 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(base, MAP_FAILED);
  for (size_t i = 0; i < 4 * kPage; ++i) base[i] = char(i * 7);
  ASSERT_EQ(mprotect(base + 2 * kPage, kPage, PROT_READ), 0);
  ASSERT_EQ(mprotect(base + 3 * kPage, kPage, PROT_NONE), 0);
  EXPECT_TRUE(bz::writable(base));
  EXPECT_TRUE(bz::writable(base + 2 * kPage - 1));
  EXPECT_FALSE(bz::writable(base + 2 * kPage));
  EXPECT_FALSE(bz::writable(base + 3 * kPage));
  EXPECT_FALSE(bz::writable(nullptr));
  EXPECT_FALSE(bz::writable(reinterpret_cast<void*>(uint64_t{1} << 63)));
  EXPECT_TRUE(bz::writable(base + 1, 2 * kPage - 1));
  EXPECT_FALSE(bz::writable(base + 1, 2 * kPage));
  EXPECT_TRUE(bz::writable(nullptr, 0)) << "nothing of it";
  EXPECT_FALSE(bz::writable(base, UINT64_MAX)) << "over the end of all addresses";
  for (size_t i = 0; i < 3 * kPage; ++i) ASSERT_EQ(base[i], char(i * 7)) << "asking changes nothing";
  munmap(base, 4 * kPage);
}

} // namespace
