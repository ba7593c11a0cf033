#include "gpu/memory.hpp"

#include <atomic>
#include <cstring>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {
using namespace bz;
using namespace bz::gpu;

constexpr uint64_t kPage = 4096, kMiB = 1ull << 20;

class Sharing : public testing::Test {
protected:
  Sharing() : space_(mmap(nullptr, 64 * kMiB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)) {}
  ~Sharing() override {
    memory_.free_all();
    munmap(space_, 64 * kMiB);
  }
  uint64_t at(uint64_t offset) const { return reinterpret_cast<uint64_t>(space_) + offset; }
  char* bytes(uint64_t offset) const { return static_cast<char*>(space_) + offset; }
  uint64_t mapped(uint64_t offset, uint64_t size) {
    auto id = memory_.allocate(0, MemoryKind::vram, at(offset), size, 0);
    EXPECT_TRUE(id.ok() && memory_.map(*id, 0).ok());
    return *id;
  }
  void* space_;
  Memory memory_{{16 * kMiB}, 16 * kMiB};
};

TEST_F(Sharing, ContentStaysAndIsSeenTwice) {
  const uint64_t id = mapped(0, kMiB);
  std::strcpy(bytes(5000), "before");
  auto backing = memory_.share(id);
  ASSERT_TRUE(backing.ok()) << backing.status().message();
  EXPECT_STREQ(bytes(5000), "before");
  EXPECT_EQ(memory_.share(id).ok() ? *memory_.share(id) : nullptr, *backing) << "once";
  auto other = Backing::from_handle((*backing)->handle());
  ASSERT_TRUE(other.ok()) << other.status().message();
  auto second = memory_.attach(*other, at(8 * kMiB));
  ASSERT_TRUE(second.ok() && memory_.map(*second, 0).ok());
  EXPECT_STREQ(bytes(8 * kMiB + 5000), "before");
  std::strcpy(bytes(100), "after");
  EXPECT_STREQ(bytes(8 * kMiB + 100), "after");
}

TEST_F(Sharing, WritersMeanwhileLoseNothing) {
  const uint64_t id = mapped(0, 4 * kMiB);
  auto* counter = reinterpret_cast<std::atomic<uint64_t>*>(bytes(2 * kMiB));
  std::memset(bytes(0), 1, 2 * kMiB); // something to copy
  std::atomic<bool> stop{false};
  uint64_t written = 0;
  std::thread writer([&] {
    while (!stop) {
      counter->fetch_add(1);
      ++written;
    }
  });
  while (counter->load() == 0) {}
  ASSERT_TRUE(memory_.share(id).ok());
  const uint64_t then = counter->load();
  while (counter->load() == then) {}
  stop = true;
  writer.join();
  EXPECT_EQ(counter->load(), written);
}

TEST_F(Sharing, BudgetIsPaidOnce) {
  const uint64_t id = mapped(0, kMiB);
  auto backing = memory_.share(id);
  ASSERT_TRUE(backing.ok());
  auto second = memory_.attach(*backing, at(8 * kMiB));
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(memory_.vram_available(0), 15 * kMiB);
  ASSERT_TRUE(memory_.unmap(id, 0).ok() && memory_.free(id).ok());
  EXPECT_EQ(memory_.vram_available(0), 15 * kMiB) << "the second place holds it";
  ASSERT_TRUE(memory_.free(*second).ok());
  EXPECT_EQ(memory_.vram_available(0), 16 * kMiB);
}

TEST_F(Sharing, UnmappedSharedMemoryKeepsItsContent) {
  auto id = memory_.allocate(0, MemoryKind::vram, at(0), kMiB, 0); // not mapped: no pages yet
  ASSERT_TRUE(id.ok());
  auto backing = memory_.share(*id);
  ASSERT_TRUE(backing.ok());
  ASSERT_TRUE(memory_.map(*id, 0).ok());
  bytes(0)[0] = 42;
  ASSERT_TRUE(memory_.unmap(*id, 0).ok());
  ASSERT_TRUE(memory_.map(*id, 0).ok());
  EXPECT_EQ(bytes(0)[0], 42);
}

TEST_F(Sharing, StaleAndForeignHandles) {
  const uint64_t id = mapped(0, kMiB);
  ShareHandle handle;
  {
    auto backing = memory_.share(id);
    ASSERT_TRUE(backing.ok());
    handle = (*backing)->handle();
  }
  ShareHandle wrong = handle;
  wrong[2] ^= 1;
  EXPECT_EQ(Backing::from_handle(wrong).status().code(), Code::not_found);
  wrong = handle;
  wrong[0] = 0x7fffffff;
  EXPECT_EQ(Backing::from_handle(wrong).status().code(), Code::not_found);
  ASSERT_TRUE(memory_.unmap(id, 0).ok() && memory_.free(id).ok());
  EXPECT_EQ(Backing::from_handle(handle).status().code(), Code::not_found) << "freed";
  EXPECT_EQ(Backing::from_descriptor(0).status().code(), Code::invalid_handle);
  int foreign = memfd_create("something", 0);
  EXPECT_EQ(Backing::from_descriptor(foreign).status().code(), Code::invalid_handle);
  close(foreign);
  char heap[kPage];
  (void)heap;
  EXPECT_FALSE(memory_.share(12345).ok());
}

TEST_F(Sharing, NobodyCanTruncateIt) {
  const uint64_t id = mapped(0, kMiB);
  auto backing = memory_.share(id);
  ASSERT_TRUE(backing.ok());
  auto fd = (*backing)->duplicate();
  ASSERT_TRUE(fd.ok());
  EXPECT_NE(ftruncate(*fd, 0), 0);
  close(*fd);
}

TEST_F(Sharing, AnotherProcessSeesItAndItsDeathChangesNothing) {
  const uint64_t id = mapped(0, kMiB);
  auto backing = memory_.share(id);
  ASSERT_TRUE(backing.ok());
  const ShareHandle handle = (*backing)->handle();
  pid_t child = fork();
  if (child == 0) { // a process of its own, which knows the handle alone
    auto theirs = Backing::from_handle(handle);
    if (!theirs.ok()) _exit(1);
    auto* p = static_cast<char*>(mmap(nullptr, kMiB, PROT_READ | PROT_WRITE, MAP_SHARED, (*theirs)->fd(), 0));
    p[77] = 7;
    kill(getpid(), SIGKILL);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(bytes(77)[0], 7);
}

} // namespace
