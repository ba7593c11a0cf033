/* The C entries of the device library (libboltzmann-kfd.so.1). libhsakmt and the preload shim dlopen it; nothing else
 * crosses this boundary, and what crosses it is the kernel's ioctl ABI (include/uapi/linux/kfd_ioctl.h).
 *
 * Paths served by bz_kfd_open: "/dev/kfd", "/dev/dri/renderD<N>", and read-only, as the text that the kernel would show,
 * the files below /sys/devices/virtual/kfd/kfd/topology and those about the render nodes. File descriptors are real ones of
 * this process; a duplicate (dup, fcntl) is as good as the first. There is one device set per process, made at the first
 * open from BZ_GPUS.
 */
#ifndef BZ_KFD_ENTRY_H
#define BZ_KFD_ENTRY_H
#include <stddef.h>
#include <sys/types.h>

/* What is served wholly: a place, or the beginning of names if it ends with a colon. For who imitates a file system. */
#define BZ_KFD_SERVED                                                                                                  \
  "/dev/kfd", "/dev/dri", "/sys/devices/virtual/kfd", "/sys/class/kfd", "/sys/class/drm", "/sys/dev/char/226:",        \
      "/sys/module/amdgpu"

#ifdef __cplusplus
extern "C" {
#endif

/** A file descriptor, or -errno (-ENOENT: not a path of this device; -ENODEV: BZ_GPUS is wrong, a message was printed).
 *  "/" with O_DIRECTORY is a list of all that is served, one a line: `d` folder, `f` file, `c` device major:minor, `l` link
 *  target; a folder comes before what is in it. */
int bz_kfd_open(const char* path, int flags);
/** 0, or -errno as the kernel's driver would give. `request` is the full encoded number (AMDKFD_IOC_...). */
int bz_kfd_ioctl(int fd, unsigned long request, void* arg);
/** As mmap(2): the address, or (void*)-errno as the raw system call gives. Doorbells, event page, VRAM/GTT offsets. */
void* bz_kfd_mmap(void* addr, size_t length, int prot, int flags, int fd, off_t offset);
/** The caller is about to unmap the range, or to map something else over it, by a plain system call. Doorbells there are
 *  no longer looked after. Ranges with nothing of the device in them are fine. 0. */
int bz_kfd_munmap(void* addr, size_t length);
/** 0 or -errno. Closing the last /dev/kfd descriptor destroys the process's queues, events and allocations; only an
 *  event page that the client brought and didn't free stays. */
int bz_kfd_close(int fd);

#ifdef __cplusplus
}
#endif
#endif
