#include "hip/runtime/memory_table.hpp"

#include <gtest/gtest.h>

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
