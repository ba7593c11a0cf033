// The software device as the wrappers see it: the entries of libboltzmann-kfd.so.1, loaded at the first need, and which
// file descriptors of this process are its. Knows no path but those that the library lists.
#pragma once
#include "kfd/entry.h"

#include <sys/stat.h>

namespace bz::shim {

/// While one lives on this thread, the wrappers pass everything through: the device library uses libc itself.
class Inside {
public:
  Inside() { ++depth_; }
  ~Inside() { --depth_; }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  static bool here() { return depth_ != 0; }

private:
  // The static TLS block: an access never allocates, whoever asks.
  static thread_local int depth_ __attribute__((tls_model("initial-exec")));
};

struct Entries {
  decltype(&bz_kfd_open) open;
  decltype(&bz_kfd_ioctl) ioctl;
  decltype(&bz_kfd_mmap) mmap;
  decltype(&bz_kfd_munmap) munmap;
  decltype(&bz_kfd_close) close;
};

/// Null if there is no software device: BZ_GPUS=hw, or the library can't be loaded (said once on stderr).
const Entries* device();
/// The same, but only if somebody needed it before.
const Entries* device_if_loaded();

struct Descriptor {
  unsigned major = 0, minor = 0; ///< the device number that the kernel's file would have
};

/// Opens a path of the device and remembers the descriptor; -errno.
int open_device(const char* path, int flags, Descriptor number);
/// Whether open_device() made it, or what it is a duplicate of: told by what it refers to, not by its number.
bool is_device(int fd, Descriptor& out);
/// After one was closed: is another descriptor open on the same file?
void forget_closed();

/// In a forked child.
void device_after_fork();

} // namespace bz::shim
