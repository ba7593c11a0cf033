#include "thunk/address_space.hpp"

#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace {
using bz::thunk::AddressSpace;
using bz::thunk::Zone;
constexpr uint64_t kPage = 4096, kMiB = 1ull << 20;

TEST(AddressSpace, TakesAlignedAndDisjoint) {
  AddressSpace space;
  ASSERT_TRUE(space.reserve(1024 * kMiB));
  uint64_t a = space.take(kPage, kPage, Zone::device), b = space.take(3 * kMiB, 2 * kMiB, Zone::device), c = space.take(kPage, kPage, Zone::device);
  EXPECT_NE(a, 0u);
  EXPECT_EQ(b % (2 * kMiB), 0u);
  EXPECT_TRUE(a + kPage <= b || b + 3 * kMiB <= a);
  EXPECT_NE(a, c);
  EXPECT_TRUE(space.contains(a));
  EXPECT_EQ(space.take(4096 * kMiB, kPage, Zone::device), 0u);
}

TEST(AddressSpace, GivenBackIsWholeAgain) {
  AddressSpace space;
  ASSERT_TRUE(space.reserve(512 * kMiB));
  std::mt19937 random(1);
  std::vector<std::pair<uint64_t, uint64_t>> taken;
  for (int i = 0; i < 5000; ++i) {
    if (!taken.empty() && random() % 2) {
      size_t k = random() % taken.size();
      space.give_back(taken[k].first, taken[k].second);
      taken.erase(taken.begin() + static_cast<long>(k));
      continue;
    }
    uint64_t bytes = (1 + random() % 64) * kPage;
    uint64_t at = space.take(bytes, kPage, static_cast<Zone>(random() % 3));
    ASSERT_NE(at, 0u);
    for (auto& [other, size] : taken) ASSERT_TRUE(at + bytes <= other || other + size <= at);
    taken.emplace_back(at, bytes);
  }
  for (auto& [at, bytes] : taken) space.give_back(at, bytes);
  EXPECT_NE(space.take(500 * kMiB, kPage, Zone::device), 0u) << "no fragments are left";
}

TEST(AddressSpace, FreedAddressesAreNotReusedSoon) {
  AddressSpace space;
  ASSERT_TRUE(space.reserve(512 * kMiB));
  uint64_t a = space.take(16 * kMiB, kPage, Zone::device);
  space.give_back(a, 16 * kMiB);
  for (int i = 0; i < 20; ++i) {
    uint64_t b = space.take(16 * kMiB, kPage, Zone::device);
    ASSERT_NE(b, a);
    space.give_back(b, 16 * kMiB);
  }
  EXPECT_NE(space.take(500 * kMiB, kPage, Zone::device), 0u) << "but they are, before there is no room";
}

// Device memory, host memory and code lie far apart, until one of them is full.
TEST(AddressSpace, ZonesAreApart) {
  AddressSpace space;
  ASSERT_TRUE(space.reserve(1024 * kMiB));
  uint64_t first[3], last[3];
  for (auto zone : {Zone::device, Zone::host, Zone::code}) first[static_cast<int>(zone)] = space.take(kPage, kPage, zone);
  for (auto zone : {Zone::code, Zone::device, Zone::host}) last[static_cast<int>(zone)] = space.take(kPage, kPage, zone);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(last[i], first[i] + kPage);
    for (int k = 0; k < 3; ++k)
      if (i != k) EXPECT_GT(first[i] > first[k] ? first[i] - first[k] : first[k] - first[i], 100 * kMiB);
  }
  EXPECT_NE(space.take(600 * kMiB, kPage, Zone::code), 0u) << "more than the zone has";
}

TEST(AddressSpace, TakeAtNeedsAFreeRange) {
  AddressSpace space;
  ASSERT_TRUE(space.reserve(512 * kMiB));
  uint64_t a = space.take(4 * kPage, kPage, Zone::device);
  space.give_back(a, 4 * kPage);
  EXPECT_TRUE(space.take_at(a + kPage, kPage));
  EXPECT_FALSE(space.take_at(a, 2 * kPage));
  EXPECT_TRUE(space.take_at(a, kPage));
  EXPECT_FALSE(space.take_at(16, kPage));
}

} // namespace
