#include "gpu/sharing.hpp"

#include "base/raw_memory.hpp"
#include "base/segv.hpp"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <functional>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <string>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace bz::gpu {
namespace {

constexpr const char* kPattern = "bz-memory:%c:%u:%x:%016lx";

/// The facts in the name of the memfd behind a descriptor; false if it is none of ours.
bool read_facts(int fd, SharedFacts& facts) {
  char link[64], name[256];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  ssize_t length = readlink(link, name, sizeof name - 1);
  if (length <= 0) return false;
  name[length] = 0;
  char kind = 0;
  unsigned long key = 0;
  constexpr const char* kPrefix = "/memfd:";
  if (std::strncmp(name, kPrefix, std::strlen(kPrefix)) != 0) return false;
  if (std::sscanf(name + std::strlen(kPrefix), kPattern, &kind, &facts.device, &facts.flags, &key) != 4) return false;
  if (kind != 'v' && kind != 'h') return false;
  struct stat s {};
  if (fstat(fd, &s) != 0 || s.st_size <= 0) return false;
  facts.vram = kind == 'v';
  facts.key = key;
  facts.size = static_cast<uint64_t>(s.st_size);
  return true;
}

/// pwrite, of whatever the pages hold: no wrapper of the C library that a sanitizer would check them in.
ssize_t write_pages(int fd, const void* from, size_t bytes, uint64_t at) { return syscall(SYS_pwrite64, fd, from, bytes, at); }

} // namespace

Expected<std::shared_ptr<Backing>> Backing::create(SharedFacts facts) {
  if (getrandom(&facts.key, sizeof facts.key, 0) != sizeof facts.key)
    return error(Code::out_of_resources, "no random number for shared memory: {}", std::strerror(errno));
  char name[128];
  std::snprintf(name, sizeof name, kPattern, facts.vram ? 'v' : 'h', facts.device, facts.flags, facts.key);
  int fd = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd < 0) return error(Code::out_of_resources, "no shared memory: {}", std::strerror(errno));
  std::shared_ptr<Backing> backing(new Backing(fd, facts));
  if (ftruncate(fd, static_cast<off_t>(facts.size)) != 0)
    return error(Code::out_of_memory, "{} bytes of shared memory: {}", facts.size, std::strerror(errno));
  // Nobody who gets a descriptor can take pages away from under the others.
  if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
    return error(Code::out_of_resources, "sealing shared memory: {}", std::strerror(errno));
  return backing;
}

Expected<std::shared_ptr<Backing>> Backing::from_descriptor(int fd) {
  SharedFacts facts;
  if (!read_facts(fd, facts)) return error(Code::invalid_handle, "descriptor {} is no memory of a device", fd);
  int mine = fcntl(fd, F_DUPFD_CLOEXEC, 3);
  if (mine < 0) return error(Code::out_of_resources, "duplicating descriptor {}: {}", fd, std::strerror(errno));
  return std::shared_ptr<Backing>(new Backing(mine, facts));
}

Expected<std::shared_ptr<Backing>> Backing::from_handle(const ShareHandle& handle) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%u/fd/%u", handle[0], handle[1]);
  int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd < 0)
    return error(Code::not_found, "the memory of process {} can't be opened: {}", handle[0],
                 errno == EACCES ? "it belongs to another user" : "the process or the memory is gone");
  SharedFacts facts;
  const uint64_t key = handle[2] | uint64_t{handle[3]} << 32;
  if (!read_facts(fd, facts) || facts.key != key) {
    close(fd);
    return error(Code::not_found, "process {} has freed the memory of this handle", handle[0]);
  }
  return std::shared_ptr<Backing>(new Backing(fd, facts));
}

Backing::~Backing() { close(fd_); }

ShareHandle Backing::handle() const {
  return {static_cast<uint32_t>(getpid()), static_cast<uint32_t>(fd_), static_cast<uint32_t>(facts_.key),
          static_cast<uint32_t>(facts_.key >> 32)};
}

Expected<int> Backing::duplicate() const {
  int fd = fcntl(fd_, F_DUPFD_CLOEXEC, 3);
  if (fd < 0) return error(Code::out_of_resources, "no descriptor for shared memory: {}", std::strerror(errno));
  return fd;
}

Status Backing::fill(const void* from, uint64_t size) const {
  constexpr uint64_t kChunk = 64 << 10;
  auto* bytes = static_cast<const char*>(from); // whole pages
  for (uint64_t at = 0; at < size; at += kChunk) {
    const uint64_t chunk = std::min(kChunk, size - at);
    if (raw_zero(reinterpret_cast<const uint64_t*>(bytes + at), chunk / sizeof(uint64_t))) continue;
    for (uint64_t done = 0; done < chunk;) {
      ssize_t n = write_pages(fd_, bytes + at + done, chunk - done, at + done);
      if (n <= 0) return error(Code::out_of_memory, "filling shared memory: {}", std::strerror(errno));
      done += static_cast<uint64_t>(n);
    }
  }
  return {};
}

namespace {

/// Whether what this thread writes at any time is in the range, its stack or its thread-local variables (errno, in every call of
/// the system that fails): between copy and replacement it must not run.
__attribute__((noinline)) bool holds_own_thread(uintptr_t begin, uint64_t size) {
  constexpr uintptr_t kNear = 64 << 10; // the frames of the callees; the variables of all libraries
  auto near = [&](const void* p) {
    const auto at = reinterpret_cast<uintptr_t>(p);
    return at + kNear > begin && at - kNear < begin + size;
  };
  return near(__builtin_frame_address(0)) || near(__builtin_thread_pointer());
}

/// The replacement of this thread's stack or variables is another thread's work, while this one sleeps in a system call that it
/// enters without a push.
Status while_asleep(const std::function<Status()>& work) {
  std::atomic<uint32_t> word{0};
  std::atomic<bool> ready{false};
  Status status;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before); // a handler would push
  char path[64];
  std::snprintf(path, sizeof path, "/proc/self/task/%ld/stat", syscall(SYS_gettid));
  std::thread helper([&] {
    auto asleep = [&] {
      char line[512] = {};
      int fd = open(path, O_RDONLY | O_CLOEXEC);
      ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof line - 1);
      if (fd >= 0) close(fd);
      const char* state = n > 0 ? std::strrchr(line, ')') : nullptr;
      return state && state[1] == ' ' && state[2] == 'S';
    };
    while (!ready.load(std::memory_order_acquire) || !asleep()) sched_yield();
    status = work();
    word.store(1, std::memory_order_release);
    syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, nullptr, nullptr, 0);
  });
  ready.store(true, std::memory_order_release);
  while (word.load(std::memory_order_acquire) == 0) {
    long result = SYS_futex;
    register long timeout asm("r10") = 0;
    asm volatile("syscall"
                 : "+a"(result)
                 : "D"(&word), "S"(long{FUTEX_WAIT_PRIVATE}), "d"(long{0}), "r"(timeout)
                 : "rcx", "r11", "memory");
  }
  helper.join();
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return status;
}

/// Runs `replace` over a range whose writers wait meanwhile: they fault and then do it again, on the new pages.
Status without_writers(void* begin, uint64_t size, const std::function<Status()>& replace) {
  const auto at = reinterpret_cast<uintptr_t>(begin);
  std::atomic<bool> over{false};
  auto wait = [](segv::Fault&, void* flag) {
    while (!static_cast<std::atomic<bool>*>(flag)->load(std::memory_order_acquire)) sched_yield();
    return true;
  };
  BZ_TRY_ASSIGN(int watch, segv::add_range(at, at + size, wait, &over));
  Status status;
  if (mprotect(begin, size, PROT_READ) != 0) {
    status = error(Code::out_of_resources, "holding writers back: {}", std::strerror(errno));
  } else {
    status = replace();
    if (!status.ok()) (void)mprotect(begin, size, PROT_READ | PROT_WRITE);
  }
  over.store(true, std::memory_order_release);
  segv::remove_range(watch);
  return status;
}

Status held_still(void* begin, uint64_t size, const std::function<Status()>& replace) {
  BZ_TRY(segv::install());
  auto work = [&] { return without_writers(begin, size, replace); };
  return holds_own_thread(reinterpret_cast<uintptr_t>(begin), size) ? while_asleep(work) : work();
}

} // namespace

Status share_in_place(void* begin, const Backing& backing, int protection) {
  const uint64_t size = backing.facts().size;
  return held_still(begin, size, [&]() -> Status {
    BZ_TRY(backing.fill(begin, size));
    if (mmap(begin, size, protection, MAP_SHARED | MAP_FIXED, backing.fd(), 0) == MAP_FAILED)
      return error(Code::out_of_memory, "mapping shared memory: {}", std::strerror(errno));
    return {};
  });
}

Status keep_to_oneself(void* begin, uint64_t size, int protection) {
  void* own = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (own == MAP_FAILED) return error(Code::out_of_memory, "no private memory: {}", std::strerror(errno));
  Status status = held_still(begin, size, [&]() -> Status {
    raw_copy(own, begin, size);
    if (mprotect(own, size, protection) != 0 ||
        mremap(own, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, begin) == MAP_FAILED)
      return error(Code::out_of_memory, "putting private memory in place: {}", std::strerror(errno));
    return {};
  });
  if (!status.ok()) munmap(own, size);
  return status;
}

uint64_t Backing::inode() const {
  struct stat s {};
  return fstat(fd_, &s) == 0 ? s.st_ino : 0;
}

} // namespace bz::gpu
