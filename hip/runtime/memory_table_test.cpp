#include "hip/runtime/memory_table.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace bz::hip {
namespace {

const void* at(uintptr_t a) { return reinterpret_cast<const void*>(a); }
Allocation block(uintptr_t base, size_t size, MemoryKind kind = MemoryKind::device, int device = 0) {
  return {.base = base, .size = size, .kind = kind, .device = device, .device_base = base};
}

TEST(MemoryTable, FindsByAnyAddressInside) {
  MemoryTable t;
  t.add(block(0x1000, 0x100));
  t.add(block(0x2000, 0x100));
  EXPECT_FALSE(t.find(at(0xfff)));
  EXPECT_EQ(t.find(at(0x1000))->base, 0x1000u);
  EXPECT_EQ(t.find(at(0x10ff))->base, 0x1000u);
  EXPECT_FALSE(t.find(at(0x1100))) << "one past the end belongs to nobody";
  EXPECT_EQ(t.find(at(0x2001))->base, 0x2000u);
}

TEST(MemoryTable, IdsAreUnique) {
  MemoryTable t;
  t.add(block(0x1000, 0x100));
  const auto first = t.find(at(0x1000))->id;
  t.remove(at(0x1000));
  t.add(block(0x1000, 0x100));
  EXPECT_NE(t.find(at(0x1000))->id, first);
}

TEST(MemoryTable, RemembersWhatWasFreedUntilItIsUsedAgain) {
  MemoryTable t;
  t.add(block(0x1000, 0x1000));
  EXPECT_FALSE(t.was_freed(at(0x1800)));
  EXPECT_TRUE(t.remove(at(0x1000)));
  EXPECT_FALSE(t.remove(at(0x1000))) << "a second free finds nothing";
  EXPECT_TRUE(t.was_freed(at(0x1800)));
  t.add(block(0x1400, 0x400)); // a new allocation inside the old one
  EXPECT_TRUE(t.was_freed(at(0x13ff)));
  EXPECT_FALSE(t.was_freed(at(0x1400)));
  EXPECT_FALSE(t.was_freed(at(0x17ff)));
  EXPECT_TRUE(t.was_freed(at(0x1800)));
}

TEST(MemoryTable, OnlyTheStartCanBeFreed) {
  MemoryTable t;
  t.add(block(0x1000, 0x100));
  EXPECT_FALSE(t.remove(at(0x1010)));
  EXPECT_TRUE(t.find(at(0x1010)));
}

TEST(MemoryTable, RegisteredMemoryStaysTheProgramsOwn) {
  MemoryTable t;
  t.add(block(0x1000, 0x100, MemoryKind::registered));
  EXPECT_TRUE(t.remove(at(0x1000)));
  EXPECT_FALSE(t.was_freed(at(0x1000)));
}

TEST(MemoryTable, Overlaps) {
  MemoryTable t;
  t.add(block(0x1000, 0x100));
  EXPECT_FALSE(t.overlaps(at(0xf00), 0x100));
  EXPECT_TRUE(t.overlaps(at(0xf00), 0x101));
  EXPECT_TRUE(t.overlaps(at(0x10ff), 1));
  EXPECT_FALSE(t.overlaps(at(0x1100), 0x100));
  EXPECT_TRUE(t.overlaps(at(0x0), 0x10000));
}

using What = Stretch::What;

TEST(MemoryTable, StretchesEndAtTheirNeighbours) {
  MemoryTable t;
  uint64_t version = 0;
  EXPECT_EQ(t.stretch(at(0x1234), version).end, UINTPTR_MAX) << "an empty table knows nothing anywhere";
  t.add(block(0x1000, 0x100));
  t.add(block(0x3000, 0x100));
  t.add(block(0x5000, 0x100));
  t.remove(at(0x3000));
  struct Row {
    uintptr_t at;
    What what;
    uintptr_t begin, end;
  };
  for (const Row& r : {Row{0x0, What::unknown, 0, 0x1000}, Row{0x1000, What::live, 0x1000, 0x1100},
                       Row{0x10ff, What::live, 0x1000, 0x1100}, Row{0x1100, What::unknown, 0x1100, 0x3000},
                       Row{0x3080, What::freed, 0x3080, 0x3081}, Row{0x3100, What::unknown, 0x3100, 0x5000},
                       Row{0x5100, What::unknown, 0x5100, UINTPTR_MAX}}) {
    const Stretch s = t.stretch(at(r.at), version);
    EXPECT_TRUE(s.what == r.what && s.begin == r.begin && s.end == r.end)
        << std::hex << r.at << ": " << int(s.what) << " from " << s.begin << " to " << s.end;
  }
  EXPECT_EQ(version, t.version());
}

TEST(RecentMemory, NoChangeIsMissed) {
  MemoryTable t;
  RecentMemory recent;
  const auto what = [&](uintptr_t a) { return recent.at(t, at(a)).what; };
  EXPECT_EQ(what(0x1000), What::unknown);
  t.add(block(0x1000, 0x100));
  EXPECT_EQ(what(0x1000), What::live);
  EXPECT_FALSE(recent.at(t, at(0x1000)).allocation.synchronous);
  EXPECT_TRUE(t.set_synchronous(at(0x1000), true));
  EXPECT_TRUE(recent.at(t, at(0x1000)).allocation.synchronous);
  t.remove(at(0x1000));
  EXPECT_EQ(what(0x1000), What::freed);
  t.add(block(0x1000, 0x80));
  EXPECT_EQ(recent.at(t, at(0x1000)).end, 0x1080u);
  EXPECT_EQ(what(0x1080), What::freed) << "what the new one left of the old one";
  t.remove_device(0);
  EXPECT_EQ(what(0x1000), What::freed);
}

TEST(RecentMemory, MoreQuestionsThanItRemembers) {
  MemoryTable t;
  RecentMemory recent;
  for (uintptr_t i = 1; i <= 16; ++i) t.add(block(i << 12, 0xf0 * i));
  for (int round = 0; round < 3; ++round)
    for (uintptr_t i = 1; i <= 16; ++i) {
      EXPECT_EQ(recent.at(t, at((i << 12) + 1)).allocation.size, 0xf0 * i);
      EXPECT_EQ(recent.at(t, at((i << 12) + 0xfff)).what, What::unknown);
    }
}

TEST(RecentMemory, WhatAnotherThreadRemovedIsGone) {
  MemoryTable t;
  std::atomic<int> stage{0};
  constexpr int kRounds = 2000;
  std::thread other([&] {
    RecentMemory recent;
    for (int i = 0; i < kRounds; ++i) {
      while (stage.load(std::memory_order_acquire) != 2 * i + 1) std::this_thread::yield();
      EXPECT_EQ(recent.at(t, at(0x1000)).what, What::live) << i;
      stage.store(2 * i + 2, std::memory_order_release);
      while (stage.load(std::memory_order_acquire) != 2 * i + 3 && i + 1 < kRounds) {
        const auto& s = recent.at(t, at(0x1000));
        EXPECT_TRUE(s.what != What::live || s.end == 0x1100) << i;
        std::this_thread::yield();
      }
    }
  });
  for (int i = 0; i < kRounds; ++i) {
    t.add(block(0x1000, 0x100));
    stage.store(2 * i + 1, std::memory_order_release);
    while (stage.load(std::memory_order_acquire) != 2 * i + 2) std::this_thread::yield();
    t.remove(at(0x1000));
    RecentMemory fresh;
    EXPECT_EQ(fresh.at(t, at(0x1000)).what, What::freed);
  }
  other.join();
}

TEST(MemoryTable, ResetTakesOneDeviceAndLeavesWhatIsPermanent) {
  MemoryTable t;
  t.add(block(0x1000, 0x100, MemoryKind::device, 0));
  t.add(block(0x2000, 0x100, MemoryKind::device, 1));
  auto managed = block(0x3000, 0x100, MemoryKind::managed, 0);
  managed.permanent = true;
  t.add(managed);
  EXPECT_EQ(t.on_device(1).size(), 1u);
  EXPECT_EQ(t.remove_device(0).size(), 1u);
  EXPECT_FALSE(t.find(at(0x1000)));
  EXPECT_TRUE(t.find(at(0x2000)));
  EXPECT_TRUE(t.find(at(0x3000)));
  EXPECT_TRUE(t.was_freed(at(0x1000)));
}

} // namespace
} // namespace bz::hip
