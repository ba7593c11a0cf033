#include "gpu/memory.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <thread>

namespace {
using namespace bz;
using namespace bz::gpu;

constexpr uint64_t kPage = 4096, kMiB = 1ull << 20;

/// Reserved address space, as a client makes it.
struct Reservation {
  uint64_t va, size;
  explicit Reservation(uint64_t bytes) : size(bytes) {
    va =
        reinterpret_cast<uint64_t>(mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  }
  ~Reservation() { munmap(reinterpret_cast<void*>(va), size); }
};

TEST(Memory, AllocateMapUseFree) {
  Reservation space(64 * kMiB);
  Memory memory({16 * kMiB}, 64 * kMiB);
  auto id = memory.allocate(0, MemoryKind::vram, space.va, kMiB + 1, 0);
  ASSERT_TRUE(id.ok()) << id.status().message();
  EXPECT_EQ(memory.vram_available(0), 15 * kMiB - kPage) << "whole pages are counted";
  ASSERT_TRUE(memory.map(*id, 0).ok());
  auto* p = reinterpret_cast<volatile char*>(space.va);
  p[0] = 1;
  p[kMiB] = 2;
  EXPECT_EQ(memory.free(*id).code(), Code::busy) << "still mapped";
  ASSERT_TRUE(memory.unmap(*id, 0).ok());
  ASSERT_TRUE(memory.free(*id).ok());
  EXPECT_EQ(memory.free(*id).code(), Code::invalid_handle);
  EXPECT_EQ(memory.vram_available(0), 16 * kMiB);
  auto again = memory.allocate(0, MemoryKind::vram, space.va, kMiB, 0);
  ASSERT_TRUE(again.ok());
  ASSERT_TRUE(memory.map(*again, 0).ok());
  EXPECT_EQ(p[0], 0) << "new memory is zero";
}

TEST(Memory, BudgetIsReal) {
  Reservation space(64 * kMiB);
  Memory memory({4 * kMiB}, 8 * kMiB);
  auto a = memory.allocate(0, MemoryKind::vram, space.va, 3 * kMiB, 0);
  ASSERT_TRUE(a.ok());
  EXPECT_EQ(memory.allocate(0, MemoryKind::vram, space.va + 8 * kMiB, 2 * kMiB, 0).status().code(),
            Code::out_of_memory);
  EXPECT_TRUE(memory.allocate(0, MemoryKind::gtt, space.va + 8 * kMiB, 8 * kMiB, 0).ok());
  EXPECT_EQ(memory.allocate(0, MemoryKind::gtt, space.va + 32 * kMiB, kPage, 0).status().code(), Code::out_of_memory);
}

TEST(Memory, HostMemoryIsNeverReplaced) {
  Memory memory({16 * kMiB}, 16 * kMiB);
  void* mine = mmap(nullptr, kMiB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  static_cast<char*>(mine)[5] = 77;
  auto bad = memory.allocate(0, MemoryKind::vram, reinterpret_cast<uint64_t>(mine), kMiB, 0);
  EXPECT_EQ(bad.status().code(), Code::invalid_argument);
  EXPECT_EQ(static_cast<char*>(mine)[5], 77);
  auto user = memory.allocate(0, MemoryKind::userptr, reinterpret_cast<uint64_t>(mine), kMiB, 0);
  ASSERT_TRUE(user.ok()) << user.status().message();
  ASSERT_TRUE(memory.map(*user, 0).ok());
  ASSERT_TRUE(memory.unmap(*user, 0).ok());
  ASSERT_TRUE(memory.free(*user).ok());
  EXPECT_EQ(static_cast<char*>(mine)[5], 77) << "the client's own memory stays";
  munmap(mine, kMiB);
  EXPECT_EQ(memory.allocate(0, MemoryKind::userptr, reinterpret_cast<uint64_t>(mine), kMiB, 0).status().code(),
            Code::fault);
}

TEST(Memory, BadRanges) {
  Reservation space(16 * kMiB);
  Memory memory({16 * kMiB}, 16 * kMiB);
  for (auto [va, size] : {std::pair<uint64_t, uint64_t>{0, kPage},
                          {space.va + 1, kPage},
                          {space.va, 0},
                          {1ull << 48, kPage},
                          {space.va, ~0ull},
                          {(1ull << 47) - kPage, 2 * kPage}})
    EXPECT_EQ(memory.allocate(0, MemoryKind::vram, va, size, 0).status().code(), Code::invalid_argument)
        << va << " " << size;
  EXPECT_EQ(memory.allocate(3, MemoryKind::vram, space.va, kPage, 0).status().code(), Code::invalid_argument);
  ASSERT_TRUE(memory.allocate(0, MemoryKind::vram, space.va, 4 * kPage, 0).ok());
  EXPECT_FALSE(memory.allocate(0, MemoryKind::vram, space.va + 3 * kPage, kPage, 0).ok()) << "overlap";
  EXPECT_EQ(memory.map(999, 0).code(), Code::invalid_handle);
}

TEST(Memory, ReportsTheNearestAllocation) {
  Reservation space(16 * kMiB);
  Memory memory({16 * kMiB}, 16 * kMiB);
  EXPECT_EQ(memory.describe(0x1234), "no allocation exists");
  auto id = memory.allocate(0, MemoryKind::vram, space.va + kMiB, kMiB, 0);
  ASSERT_TRUE(id.ok());
  EXPECT_NE(memory.describe(space.va + 2 * kMiB + 12).find("12 bytes after the end of 1 MiB of device memory"),
            std::string::npos);
  EXPECT_EQ(memory.describe(0), "no allocation is within 1 GiB");
  EXPECT_EQ(memory.describe(uint64_t{0x4620080046326000}), "no allocation is within 1 GiB");
  EXPECT_NE(memory.describe(space.va + kMiB - 8).find("8 bytes before"), std::string::npos);
  EXPECT_NE(memory.describe(space.va + kMiB + 8).find("inside"), std::string::npos);
  ASSERT_TRUE(memory.free(*id).ok());
  EXPECT_NE(memory.describe(space.va + kMiB + 8).find("FREED"), std::string::npos);
}

TEST(Memory, ReleaseHookSeesTheRange) {
  Reservation space(16 * kMiB);
  Memory memory({16 * kMiB}, 16 * kMiB);
  uint64_t begin = 0, end = 0;
  memory.on_release([&](uint64_t b, uint64_t e) { begin = b, end = e; });
  auto id = memory.allocate(0, MemoryKind::vram, space.va, kMiB, 0);
  ASSERT_TRUE(memory.free(*id).ok());
  EXPECT_EQ(begin, space.va);
  EXPECT_EQ(end, space.va + kMiB);
}

TEST(Memory, ManyThreadsAndNoMappingPerAllocation) {
  constexpr int kThreads = 4, kEach = 5000;
  Reservation space(uint64_t{kThreads} * kEach * kPage);
  Memory memory({1024 * kMiB}, 64 * kMiB);
  std::vector<std::thread> threads;
  std::atomic<int> bad{0};
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        uint64_t va = space.va + (uint64_t(t) * kEach + i) * kPage;
        auto id = memory.allocate(0, MemoryKind::vram, va, kPage, 0);
        if (!id.ok() || !memory.map(*id, 0).ok()) {
          ++bad;
          continue;
        }
        *reinterpret_cast<volatile uint64_t*>(va) = va;
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(bad, 0);
  EXPECT_EQ(memory.count(), size_t{kThreads} * kEach);
  // 20,000 live allocations must not take 20,000 of the 65,530 mappings that Linux gives a process.
  FILE* maps = fopen("/proc/self/maps", "r");
  int lines = 0;
  for (int c; (c = fgetc(maps)) != EOF;) lines += c == '\n';
  fclose(maps);
  EXPECT_LT(lines, 2000);
}

} // namespace
