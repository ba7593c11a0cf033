#include "shim/device.hpp"

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <type_traits>
#include <unistd.h>

namespace bz::shim {

thread_local int Inside::depth_ = 0;

namespace {

constexpr const char* kLibrary = "libboltzmann-kfd.so.1";
enum class Load { never_tried, loaded, absent };

std::atomic<Load> state{Load::never_tried};
Entries entries;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

/// Open files of the device, by inode: each is one of its own. 0: a free place.
struct Known {
  std::atomic<ino_t> inode{0};
  std::atomic<dev_t> device{0};
  std::atomic<unsigned> major{0}, minor{0};
};
constexpr int kMost = 64; // of open files at a time, duplicates not counted
Known known[kMost];
std::atomic<int> in_use{0};

bool stat_of(int fd, struct stat& s) { return syscall(SYS_fstat, fd, &s) == 0; }

/// Says it once. Not by the log of other rooms: it needs a C++ runtime.
Load complain(const char* what) {
  dprintf(STDERR_FILENO, "boltzmann-shim: error: the software device can't be loaded: %s\n", what ? what : "unknown reason");
  return Load::absent;
}

Load load() {
  const char* gpus = getenv("BZ_GPUS");
  if (gpus && strcmp(gpus, "hw") == 0) return Load::absent; // the program is to see the kernel's driver
  char path[PATH_MAX];
  const char* named = getenv("BZ_KFD_LIBRARY");
  Dl_info self{};
  if (named && *named) {
    snprintf(path, sizeof path, "%s", named);
  } else if (dladdr(reinterpret_cast<void*>(&load), &self) && self.dli_fname && strrchr(self.dli_fname, '/')) {
    snprintf(path, sizeof path, "%.*s/%s", static_cast<int>(strrchr(self.dli_fname, '/') - self.dli_fname), self.dli_fname,
             kLibrary);
  } else {
    snprintf(path, sizeof path, "%s", kLibrary);
  }
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) return complain(dlerror());
  auto get = [&](auto& entry, const char* name) {
    entry = reinterpret_cast<std::remove_reference_t<decltype(entry)>>(dlsym(library, name));
    return entry != nullptr;
  };
  if (!get(entries.open, "bz_kfd_open") || !get(entries.ioctl, "bz_kfd_ioctl") || !get(entries.mmap, "bz_kfd_mmap") ||
      !get(entries.munmap, "bz_kfd_munmap") || !get(entries.close, "bz_kfd_close"))
    return complain(dlerror());
  return Load::loaded;
}

Known* find(int fd) {
  if (in_use.load(std::memory_order_acquire) == 0 || fd < 0) return nullptr;
  struct stat s;
  if (!stat_of(fd, s)) return nullptr;
  for (Known& k : known)
    if (k.inode.load(std::memory_order_acquire) == s.st_ino && k.device.load() == s.st_dev) return &k;
  return nullptr;
}

/// Calls f for each descriptor of this process.
template <class F> void each_descriptor(F f) {
  int folder = static_cast<int>(syscall(SYS_openat, AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder < 0) return;
  alignas(8) char buffer[4096];
  struct Entry {
    uint64_t inode, offset;
    uint16_t length;
    uint8_t type;
    char name[];
  };
  for (long n; (n = syscall(SYS_getdents64, folder, buffer, sizeof buffer)) > 0;)
    for (long at = 0; at < n;) {
      auto* entry = reinterpret_cast<Entry*>(buffer + at);
      if (entry->name[0] != '.') f(atoi(entry->name));
      at += entry->length;
    }
  syscall(SYS_close, folder);
}

void remember(int fd, Descriptor number) {
  struct stat s;
  if (!stat_of(fd, s)) return;
  pthread_mutex_lock(&mutex);
  for (Known& k : known) {
    if (k.inode.load() != 0) continue;
    k.device.store(s.st_dev);
    k.major.store(number.major);
    k.minor.store(number.minor);
    k.inode.store(s.st_ino, std::memory_order_release);
    in_use.fetch_add(1, std::memory_order_acq_rel);
    break;
  }
  pthread_mutex_unlock(&mutex);
}

} // namespace

const Entries* device_if_loaded() { return state.load(std::memory_order_acquire) == Load::loaded ? &entries : nullptr; }

const Entries* device() {
  if (state.load(std::memory_order_acquire) == Load::never_tried) {
    Inside guard;
    pthread_mutex_lock(&mutex);
    if (state.load() == Load::never_tried) state.store(load(), std::memory_order_release);
    pthread_mutex_unlock(&mutex);
  }
  return device_if_loaded();
}

void forget_closed() {
  // As in the driver: under the lock, because of descriptors that are being opened, and twice, because of those that move.
  pthread_mutex_lock(&mutex);
  bool open[kMost] = {};
  for (int look = 0; look < 2; ++look)
    each_descriptor([&](int fd) {
      struct stat s;
      if (!stat_of(fd, s)) return;
      for (int i = 0; i < kMost; ++i) open[i] |= known[i].inode.load() == s.st_ino && known[i].device.load() == s.st_dev;
    });
  for (int i = 0; i < kMost; ++i)
    if (!open[i] && known[i].inode.exchange(0) != 0) in_use.fetch_sub(1, std::memory_order_acq_rel);
  pthread_mutex_unlock(&mutex);
}

int open_device(const char* path, int flags, Descriptor number) {
  const Entries* d = device();
  if (!d) return -ENODEV;
  if (in_use.load() >= kMost / 2) forget_closed();
  if (in_use.load() >= kMost) return -EMFILE;
  Inside guard;
  int fd = d->open(path, flags);
  if (fd >= 0) remember(fd, number);
  return fd;
}

bool is_device(int fd, Descriptor& out) {
  Known* k = find(fd);
  if (!k) return false;
  out = {k->major.load(), k->minor.load()};
  return true;
}

void device_after_fork() {
  pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
  memcpy(&mutex, &fresh, sizeof mutex);
}

} // namespace bz::shim
