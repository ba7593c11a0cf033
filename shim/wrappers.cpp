// The functions of libc that a program reaches the driver with: open, ioctl, mmap, close and what asks about paths. Each
// asks whether the path or the descriptor is the device's, and else does what libc does. errno is as libc leaves it.
#include "shim/device.hpp"
#include "shim/next.hpp"
#include "shim/tree.hpp"

#include <cerrno>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

using namespace bz::shim;

// A wrapper has a name of its own here and libc's name outside: so it meets no declaration of a header.
#define WRAP(result, name, ...)                                                                                        \
  extern "C" __attribute__((visibility("default"))) result shim_##name(__VA_ARGS__) __asm__(#name);                    \
  result shim_##name(__VA_ARGS__)
/// A second name of a wrapper: on x86-64 the functions for large files are the same.
#define ALSO(other, name) __asm__(".globl " #other "\n.type " #other ", @function\n.set " #other ", " #name)
#define NEXT(name) (next_##name.get())
#define DEFINE_NEXT(name) constinit Next<decltype(::name)> next_##name(#name)

namespace {

DEFINE_NEXT(openat);
DEFINE_NEXT(close);
DEFINE_NEXT(fopen);
DEFINE_NEXT(opendir);
DEFINE_NEXT(scandir);
DEFINE_NEXT(readlink);
DEFINE_NEXT(readlinkat);
DEFINE_NEXT(realpath);
DEFINE_NEXT(getxattr);
DEFINE_NEXT(lgetxattr);
DEFINE_NEXT(access);
DEFINE_NEXT(euidaccess);
DEFINE_NEXT(faccessat);
DEFINE_NEXT(popen);

/// The result of an entry of the device (0 and more, or -errno) in libc's form.
int answer(int result) {
  if (result >= 0) return result;
  errno = -result;
  return -1;
}

/// Before this library's constructor a malloc that opens files must not be sent into the dynamic linker.
int real_openat(int dirfd, const char* path, int flags, mode_t mode) {
  auto* next = next_openat.if_known();
  return next ? next(dirfd, path, flags, mode) : static_cast<int>(syscall(SYS_openat, dirfd, path, flags, mode));
}

int open_anywhere(int dirfd, const char* path, int flags, mode_t mode) {
  Place place;
  if (!find_place(dirfd, path, place)) return real_openat(dirfd, path, flags, mode);
  if (place.device && !(flags & (O_DIRECTORY | O_PATH)))
    return answer(open_device(place.name, flags, {place.major, place.minor}));
  return real_openat(AT_FDCWD, place.real, flags, mode);
}

bool has_mode(int flags) { return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE; }
#define MODE_OF(flags, last)                                                                                           \
  mode_t mode = 0;                                                                                                     \
  if (has_mode(flags)) {                                                                                               \
    va_list rest;                                                                                                      \
    va_start(rest, last);                                                                                              \
    mode = va_arg(rest, mode_t);                                                                                       \
    va_end(rest);                                                                                                      \
  }

struct stat& as_device(struct stat& s, unsigned major, unsigned minor) {
  s.st_mode = S_IFCHR | 0666;
  s.st_rdev = makedev(major, minor);
  s.st_size = 0;
  s.st_blocks = 0;
  return s;
}

/// stat, lstat, fstat and fstatat are one system call.
int stat_anything(int dirfd, const char* path, struct stat* s, int flags) {
  Place place;
  bool ours = find_place(dirfd, path, place);
  if (ours) {
    dirfd = AT_FDCWD;
    path = place.real;
  }
  long result = syscall(SYS_newfstatat, dirfd, path, s, flags);
  if (result != 0) return static_cast<int>(result);
  Descriptor d;
  if (ours && place.device)
    as_device(*s, place.major, place.minor);
  else if (!ours && flags & AT_EMPTY_PATH && path && !*path && !Inside::here() && is_device(dirfd, d))
    as_device(*s, d.major, d.minor);
  return 0;
}

int stat_descriptor(int fd, struct stat* s) {
  long result = syscall(SYS_fstat, fd, s);
  Descriptor d;
  if (result == 0 && !Inside::here() && is_device(fd, d)) as_device(*s, d.major, d.minor);
  return static_cast<int>(result);
}

template <class Call> auto on_path(int dirfd, const char* path, Call call) {
  Place place;
  return find_place(dirfd, path, place) ? call(AT_FDCWD, static_cast<const char*>(place.real)) : call(dirfd, path);
}

} // namespace

// ---- descriptors
// ---------------------------------------------------------------------------------------------------

WRAP(int, open, const char* path, int flags, ...) {
  MODE_OF(flags, flags)
  return open_anywhere(AT_FDCWD, path, flags, mode);
}
ALSO(open64, open);
WRAP(int, openat, int dirfd, const char* path, int flags, ...) {
  MODE_OF(flags, flags)
  return open_anywhere(dirfd, path, flags, mode);
}
ALSO(openat64, openat);
// Of programs compiled with _FORTIFY_SOURCE: there is no mode.
WRAP(int, __open_2, const char* path, int flags) { return open_anywhere(AT_FDCWD, path, flags, 0); }
ALSO(__open64_2, __open_2);
WRAP(int, __openat_2, int dirfd, const char* path, int flags) { return open_anywhere(dirfd, path, flags, 0); }
ALSO(__openat64_2, __openat_2);

WRAP(int, close, int fd) {
  Descriptor d;
  if (!Inside::here() && is_device(fd, d)) {
    int result = 0;
    {
      Inside guard;
      result = device()->close(fd);
    }
    forget_closed();
    return answer(result);
  }
  auto* next = next_close.if_known();
  return next ? next(fd) : static_cast<int>(syscall(SYS_close, fd));
}

WRAP(int, ioctl, int fd, unsigned long request, ...) {
  va_list rest;
  va_start(rest, request);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  Descriptor d;
  if (!Inside::here() && is_device(fd, d)) {
    Inside guard;
    return answer(device()->ioctl(fd, request, argument));
  }
  return static_cast<int>(syscall(SYS_ioctl, fd, request, argument));
}

WRAP(void*, mmap, void* address, size_t length, int protection, int flags, int fd, off_t offset) {
  if (!Inside::here()) {
    Descriptor d;
    if (!(flags & MAP_ANONYMOUS) && fd >= 0 && is_device(fd, d)) {
      Inside guard;
      void* mapped = device()->mmap(address, length, protection, flags, fd, offset);
      auto value = reinterpret_cast<intptr_t>(mapped);
      if (value >= 0 || value < -4095) return mapped;
      errno = static_cast<int>(-value);
      return MAP_FAILED;
    }
    if (flags & MAP_FIXED)
      if (const Entries* e = device_if_loaded()) {
        Inside guard;
        e->munmap(address, length);
      }
  }
  return reinterpret_cast<void*>(syscall(SYS_mmap, address, length, protection, flags, fd, offset));
}
ALSO(mmap64, mmap);

WRAP(int, munmap, void* address, size_t length) {
  if (!Inside::here())
    if (const Entries* e = device_if_loaded()) {
      Inside guard;
      e->munmap(address, length);
    }
  return static_cast<int>(syscall(SYS_munmap, address, length));
}

// ---- what a path is
// ------------------------------------------------------------------------------------------------

WRAP(int, stat, const char* path, struct stat* s) { return stat_anything(AT_FDCWD, path, s, 0); }
ALSO(stat64, stat);
WRAP(int, lstat, const char* path, struct stat* s) { return stat_anything(AT_FDCWD, path, s, AT_SYMLINK_NOFOLLOW); }
ALSO(lstat64, lstat);
WRAP(int, fstat, int fd, struct stat* s) { return stat_descriptor(fd, s); }
ALSO(fstat64, fstat);
WRAP(int, fstatat, int dirfd, const char* path, struct stat* s, int flags) {
  return stat_anything(dirfd, path, s, flags);
}
ALSO(fstatat64, fstatat);
// Of programs linked with a glibc before 2.33.
WRAP(int, __xstat, int, const char* path, struct stat* s) { return stat_anything(AT_FDCWD, path, s, 0); }
ALSO(__xstat64, __xstat);
WRAP(int, __lxstat, int, const char* path, struct stat* s) {
  return stat_anything(AT_FDCWD, path, s, AT_SYMLINK_NOFOLLOW);
}
ALSO(__lxstat64, __lxstat);
WRAP(int, __fxstat, int, int fd, struct stat* s) { return stat_descriptor(fd, s); }
ALSO(__fxstat64, __fxstat);
WRAP(int, __fxstatat, int, int dirfd, const char* path, struct stat* s, int flags) {
  return stat_anything(dirfd, path, s, flags);
}
ALSO(__fxstatat64, __fxstatat);

WRAP(int, statx, int dirfd, const char* path, int flags, unsigned mask, struct statx* s) {
  Place place;
  Descriptor d;
  bool ours = find_place(dirfd, path, place);
  long result = ours ? syscall(SYS_statx, AT_FDCWD, place.real, flags, mask, s) : syscall(SYS_statx, dirfd, path, flags, mask, s);
  if (result != 0) return static_cast<int>(result);
  if (ours && place.device)
    d = {place.major, place.minor};
  else if (ours || !(flags & AT_EMPTY_PATH) || (path && *path) || Inside::here() || !is_device(dirfd, d))
    return 0;
  s->stx_mode = S_IFCHR | 0666;
  s->stx_rdev_major = d.major;
  s->stx_rdev_minor = d.minor;
  s->stx_size = s->stx_blocks = 0;
  return 0;
}

WRAP(int, access, const char* path, int mode) {
  return on_path(AT_FDCWD, path, [&](int, const char* p) { return NEXT(access)(p, mode); });
}
WRAP(int, euidaccess, const char* path, int mode) {
  return on_path(AT_FDCWD, path, [&](int, const char* p) { return NEXT(euidaccess)(p, mode); });
}
ALSO(eaccess, euidaccess);
WRAP(int, faccessat, int dirfd, const char* path, int mode, int flags) {
  return on_path(dirfd, path, [&](int at, const char* p) { return NEXT(faccessat)(at, p, mode, flags); });
}
WRAP(ssize_t, readlink, const char* path, char* to, size_t size) {
  return on_path(AT_FDCWD, path, [&](int, const char* p) { return NEXT(readlink)(p, to, size); });
}
WRAP(ssize_t, readlinkat, int dirfd, const char* path, char* to, size_t size) {
  return on_path(dirfd, path, [&](int at, const char* p) { return NEXT(readlinkat)(at, p, to, size); });
}
// `ls -l` asks for access lists.
WRAP(ssize_t, getxattr, const char* path, const char* name, void* to, size_t size) {
  return on_path(AT_FDCWD, path, [&](int, const char* p) { return NEXT(getxattr)(p, name, to, size); });
}
WRAP(ssize_t, lgetxattr, const char* path, const char* name, void* to, size_t size) {
  return on_path(AT_FDCWD, path, [&](int, const char* p) { return NEXT(lgetxattr)(p, name, to, size); });
}
WRAP(char*, realpath, const char* path, char* to) {
  char* found = on_path(AT_FDCWD, path, [&](int, const char* p) { return NEXT(realpath)(p, to); });
  if (!found) return nullptr;
  const char* name = without_tree(found);
  if (name != found) memmove(found, name, strlen(name) + 1);
  return found;
}
WRAP(char*, __realpath_chk, const char* path, char* to, size_t) { return shim_realpath(path, to); }
WRAP(char*, canonicalize_file_name, const char* path) { return shim_realpath(path, nullptr); }

// ---- streams and folders
// -------------------------------------------------------------------------------------------

WRAP(FILE*, fopen, const char* path, const char* mode) {
  Place place;
  if (!find_place(AT_FDCWD, path, place)) return NEXT(fopen)(path, mode);
  if (!place.device) return NEXT(fopen)(place.real, mode);
  int fd = open_anywhere(AT_FDCWD, place.name, O_RDWR, 0);
  if (fd < 0) return nullptr;
  FILE* stream = fdopen(fd, mode);
  if (!stream) shim_close(fd);
  return stream;
}
ALSO(fopen64, fopen);

WRAP(DIR*, opendir, const char* path) {
  return on_path(AT_FDCWD, path, [&](int, const char* p) { return NEXT(opendir)(p); });
}
WRAP(int, scandir, const char* path, dirent*** list, int (*filter)(const dirent*),
     int (*compare)(const dirent**, const dirent**)) {
  return on_path(AT_FDCWD, path, [&](int, const char* p) { return NEXT(scandir)(p, list, filter, compare); });
}
ALSO(scandir64, scandir);

/// Programs ask `lsmod` for the driver. Where there is no lsmod, or it asks the kernel itself, the list is the tree's.
WRAP(FILE*, popen, const char* command, const char* mode) {
  constexpr char kLsmod[] = "lsmod";
  constexpr size_t kLength = sizeof kLsmod - 1;
  const char* word = command ? command + strspn(command, " \t") : "";
  if (strncmp(word, kLsmod, kLength) != 0 || (word[kLength] && !strchr(" \t|;&>", word[kLength])) || !device())
    return NEXT(popen)(command, mode);
  constexpr char kList[] = "{ echo 'Module                  Size  Used by'; awk '{ print $1, $2, $3 }' '%s'; }%s";
  Place place;
  if (!find_place(AT_FDCWD, "/proc/modules", place)) return NEXT(popen)(command, mode);
  size_t size = sizeof kList + strlen(place.real) + strlen(word);
  auto* replaced = static_cast<char*>(malloc(size));
  if (!replaced) return nullptr;
  snprintf(replaced, size, kList, place.real, word + kLength);
  FILE* stream = NEXT(popen)(replaced, mode);
  free(replaced);
  return stream;
}

// ---- beginning and end
// ---------------------------------------------------------------------------------------------

namespace {
void in_child() {
  device_after_fork();
  tree_after_fork();
}
__attribute__((constructor)) void start() {
  (void)NEXT(openat);
  (void)NEXT(close);
  pthread_atfork(nullptr, nullptr, in_child);
}
__attribute__((destructor)) void finish() { remove_tree(); }
} // namespace
