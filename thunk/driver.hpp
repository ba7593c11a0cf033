// The driver that this thunk speaks to: four calls, either of libboltzmann-kfd.so.1 or of the kernel. Nothing above
// this file knows which. Owns no descriptor.
#pragma once
#include "base/status.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <sys/types.h>

namespace bz::thunk {

class Driver {
public:
  /// By BZ_GPUS: "hw" is the kernel's driver, anything else the library beside this one (BZ_KFD_LIBRARY names another
  /// file).
  static Expected<Driver> load();

  int open(const char* path, int flags) const { return open_(path, flags); } ///< descriptor or -errno
  int ioctl(int fd, unsigned long request, void* arg) const;                 ///< 0 or -errno; retried after EINTR
  void* mmap(void* addr, size_t length, int prot, int flags, int fd, off_t offset) const {
    return mmap_(addr, length, prot, flags, fd, offset); ///< address or (void*)-errno
  }
  int close(int fd) const { return close_(fd); }
  bool hardware() const { return hardware_; }

  /// The text of a topology file, if there is one.
  std::optional<std::string> read_file(const std::string& path) const;

private:
  int (*open_)(const char*, int) = nullptr;
  int (*ioctl_)(int, unsigned long, void*) = nullptr;
  void* (*mmap_)(void*, size_t, int, int, int, off_t) = nullptr;
  int (*close_)(int) = nullptr;
  bool hardware_ = false;
};

/// Whether an address from Driver::mmap is an error, and which.
inline int mmap_errno(void* address) {
  auto value = reinterpret_cast<intptr_t>(address);
  return value < 0 && value >= -4095 ? static_cast<int>(-value) : 0;
}

} // namespace bz::thunk
