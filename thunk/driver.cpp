#include "thunk/driver.hpp"

#include "base/log.hpp"

#include <cerrno>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

namespace bz::thunk {
namespace {

constexpr const char* kLibrary = "libboltzmann-kfd.so.1";

int kernel_open(const char* path, int flags) {
  int fd = ::open(path, flags | O_CLOEXEC);
  return fd < 0 ? -errno : fd;
}
int kernel_ioctl(int fd, unsigned long request, void* arg) { return ::ioctl(fd, request, arg) == 0 ? 0 : -errno; }
void* kernel_mmap(void* addr, size_t length, int prot, int flags, int fd, off_t offset) {
  void* p = ::mmap(addr, length, prot, flags, fd, offset);
  return p == MAP_FAILED ? reinterpret_cast<void*>(static_cast<intptr_t>(-errno)) : p;
}
int kernel_close(int fd) { return ::close(fd) == 0 ? 0 : -errno; }

/// The folder of this library, with a slash.
std::string own_folder() {
  Dl_info info{};
  if (!dladdr(reinterpret_cast<void*>(&kernel_open), &info) || !info.dli_fname) return {};
  std::string path = info.dli_fname;
  size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash + 1);
}

} // namespace

Expected<Driver> Driver::load() {
  if (const char* setting = std::getenv("BZ_LOG")) {
    static const bool said = [&] { // here, because every way to a GPU passes here, once for all libraries of a process
      if (std::string complaint = log_complaint(setting); !complaint.empty()) log_line("thunk", Level::warn, complaint);
      return true;
    }();
    (void)said;
  }
  Driver driver;
  const char* gpus = std::getenv("BZ_GPUS");
  if (gpus && std::string_view(gpus) == "hw") {
    driver.hardware_ = true;
    driver.open_ = kernel_open;
    driver.ioctl_ = kernel_ioctl;
    driver.mmap_ = kernel_mmap;
    driver.close_ = kernel_close;
    return driver;
  }
  const char* named = std::getenv("BZ_KFD_LIBRARY");
  std::string path = named && *named ? std::string(named) : own_folder() + kLibrary;
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::string why = library ? "" : dlerror();
  if (!library && !(named && *named)) library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL); // a split installation
  if (!library) return error(Code::not_found, "the software device can't be loaded: {}", why);
  auto load = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    return function != nullptr;
  };
  if (!load(driver.open_, "bz_kfd_open") || !load(driver.ioctl_, "bz_kfd_ioctl") ||
      !load(driver.mmap_, "bz_kfd_mmap") || !load(driver.close_, "bz_kfd_close"))
    return error(Code::invalid_image, "{} lacks an entry of kfd/entry.h", path);
  return driver;
}

int Driver::ioctl(int fd, unsigned long request, void* arg) const {
  int r = ioctl_(fd, request, arg);
  while (r == -EINTR || r == -EAGAIN) r = ioctl_(fd, request, arg);
  return r;
}

std::optional<std::string> Driver::read_file(const std::string& path) const {
  int fd = open_(path.c_str(), O_RDONLY);
  if (fd < 0) return {};
  std::string text;
  char part[4096];
  ssize_t n = 0;
  while ((n = ::read(fd, part, sizeof part)) > 0) text.append(part, static_cast<size_t>(n));
  close_(fd);
  if (n < 0) return {};
  return text;
}

} // namespace bz::thunk
