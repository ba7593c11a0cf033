#include "gpu/alias.hpp"

#include <atomic>
#include <cstring>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {
using namespace bz;
using namespace bz::gpu;

constexpr uint64_t kPage = 4096;

class Alias : public testing::Test {
protected:
  static uint64_t reserve(uint64_t bytes) {
    return reinterpret_cast<uint64_t>(mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  }
  static char* at(uint64_t address) { return reinterpret_cast<char*>(address); }
  static uint64_t of(void* p) { return reinterpret_cast<uint64_t>(p); }
  static char* pages(uint64_t n, int flags = MAP_PRIVATE | MAP_ANONYMOUS) {
    auto* p = static_cast<char*>(mmap(nullptr, n * kPage, PROT_READ | PROT_WRITE, flags, -1, 0));
    for (uint64_t i = 0; i < n * kPage; ++i) p[i] = static_cast<char>(i * 7);
    return p;
  }
  /// What a forked child's write does to this process.
  static bool child_writes_here(char* p) {
    *p = 1;
    if (fork() == 0) {
      *p = 2;
      _exit(0);
    }
    wait(nullptr);
    return *p == 2;
  }
  HostAliases aliases;
};

TEST_F(Alias, BothAddressesAreTheSameMemory) {
  char* p = pages(3);
  uint64_t va = reserve(3 * kPage);
  ASSERT_TRUE(aliases.add(va, of(p), 3 * kPage).ok());
  for (uint64_t i = 0; i < 3 * kPage; ++i) ASSERT_EQ(at(va)[i], static_cast<char>(i * 7)) << i;
  at(va)[5000] = 1;
  p[5001] = 2;
  EXPECT_EQ(p[5000], 1);
  EXPECT_EQ(at(va)[5001], 2);
  aliases.remove(va, of(p), 3 * kPage);
  EXPECT_EQ(p[5000], 1) << "the content stays";
  EXPECT_EQ(p[5001], 2);
  EXPECT_FALSE(child_writes_here(p)) << "and is private again";
}

TEST_F(Alias, NeighboursShareAPage) {
  char* p = pages(3);
  uint64_t one = reserve(2 * kPage), two = reserve(2 * kPage);
  ASSERT_TRUE(aliases.add(one, of(p), 2 * kPage).ok());
  ASSERT_TRUE(aliases.add(two, of(p) + kPage, 2 * kPage).ok());
  at(one)[kPage + 9] = 42;
  EXPECT_EQ(at(two)[9], 42);
  aliases.remove(one, of(p), 2 * kPage);
  at(two)[10] = 43;
  EXPECT_EQ(p[kPage + 10], 43) << "the other one still needs it";
  aliases.remove(two, of(p) + kPage, 2 * kPage);
  EXPECT_EQ(p[kPage + 10], 43);
  EXPECT_FALSE(child_writes_here(p + kPage));
}

TEST_F(Alias, SharedMemoryOfTheProgramStaysWhatItIs) {
  char* p = pages(2, MAP_SHARED | MAP_ANONYMOUS);
  uint64_t va = reserve(2 * kPage);
  ASSERT_TRUE(aliases.add(va, of(p), 2 * kPage).ok());
  at(va)[1] = 9;
  EXPECT_EQ(p[1], 9);
  aliases.remove(va, of(p), 2 * kPage);
  EXPECT_TRUE(child_writes_here(p));
}

TEST_F(Alias, WritersLoseNothing) {
  char* p = pages(64);
  auto* counter = reinterpret_cast<uint64_t*>(p + 40 * kPage);
  *counter = 0;
  std::atomic<bool> stop{false};
  uint64_t wrote = 0;
  std::thread writer([&] {
    while (!stop.load(std::memory_order_relaxed)) {
      ++wrote;
      *const_cast<volatile uint64_t*>(counter) = *counter + 1;
    }
  });
  for (int i = 0; i < 50; ++i) {
    uint64_t va = reserve(64 * kPage);
    ASSERT_TRUE(aliases.add(va, of(p), 64 * kPage).ok());
    aliases.remove(va, of(p), 64 * kPage);
    munmap(at(va), 64 * kPage);
  }
  stop = true;
  writer.join();
  EXPECT_EQ(*counter, wrote);
}

TEST_F(Alias, TheStackOfTheCaller) {
  volatile int variable = 5;
  uint64_t host = reinterpret_cast<uint64_t>(&variable) / kPage * kPage, va = reserve(kPage);
  volatile int* alias = reinterpret_cast<volatile int*>(va + (reinterpret_cast<uint64_t>(&variable) - host));
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(aliases.add(va, host, kPage).ok());
    EXPECT_EQ(*alias, 5 + i);
    *alias = 6 + i;
    EXPECT_EQ(variable, 6 + i);
    aliases.remove(va, host, kPage);
    EXPECT_EQ(variable, 6 + i);
  }
}

TEST_F(Alias, CodeAndReservationsAreRefused) {
  uint64_t code = reinterpret_cast<uint64_t>(&reserve) / kPage * kPage, nothing = reserve(kPage), va = reserve(kPage);
  EXPECT_EQ(aliases.add(va, code, kPage).code(), Code::fault);
  EXPECT_EQ(aliases.add(va, nothing, kPage).code(), Code::fault);
  static const char text[3 * kPage] = "read only";
  uint64_t constant = (reinterpret_cast<uint64_t>(text) + kPage - 1) / kPage * kPage;
  ASSERT_TRUE(aliases.add(va, constant, kPage).ok()) << "data that can only be read is fine";
  EXPECT_EQ(memcmp(at(va), at(constant), kPage), 0);
  aliases.remove(va, constant, kPage);
}

TEST_F(Alias, AHoleIsAFault) {
  char* p = pages(3);
  munmap(p + kPage, kPage);
  EXPECT_EQ(aliases.add(reserve(3 * kPage), of(p), 3 * kPage).code(), Code::fault);
  EXPECT_EQ(p[5], 35) << "what is there is left alone";
  EXPECT_FALSE(child_writes_here(p));
}

TEST_F(Alias, MemoryThatTheProgramUnmappedMeanwhile) {
  char* p = pages(2);
  uint64_t va = reserve(2 * kPage);
  ASSERT_TRUE(aliases.add(va, of(p), 2 * kPage).ok());
  munmap(p, 2 * kPage);
  at(va)[3] = 1; // the alias has the pages still
  aliases.remove(va, of(p), 2 * kPage);
  EXPECT_EQ(mincore(p, kPage, reinterpret_cast<unsigned char*>(&va)), -1) << "nothing is put where it was";
}

} // namespace
