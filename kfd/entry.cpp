// The C entries: one process object, made at the first open from the environment.
#include "kfd/entry.h"

#include "base/log.hpp"
#include "kfd/engine.hpp"
#include "kfd/process.hpp"

#include <cerrno>
#include <new>

namespace {
using namespace bz;

/// Never destroyed: worker threads, and destructors of the program that still call us, outlive main. The owner is the
/// library, as a driver is: whoever opens first makes it.
kfd::Process* process() {
  static kfd::Process* const p = []() -> kfd::Process* {
    auto made = []() -> Expected<std::unique_ptr<kfd::Process>> {
      BZ_TRY_ASSIGN(auto engine, kfd::engine_factory());
      BZ_TRY_ASSIGN(auto config, kfd::ProcessConfig::from_environment(std::move(engine)));
      return kfd::Process::create(std::move(config));
    }();
    if (!made.ok()) {
      log("kfd", Level::error, "no GPU: {}", made.status().message());
      return nullptr;
    }
    return made->release();
  }();
  return p;
}

/// Exceptions cross no boundary.
template <class R, class F> R entry(R no_memory, R failure, F body) {
  try {
    return body();
  } catch (const std::bad_alloc&) { return no_memory; } catch (const std::exception& e) {
    log("kfd", Level::error, "internal error: {}", e.what());
    return failure;
  }
}

#define BZ_EXPORT extern "C" __attribute__((visibility("default")))
} // namespace

BZ_EXPORT int bz_kfd_open(const char* path, int flags) {
  if (!path) return -EFAULT;
  return entry(-ENOMEM, -EIO, [&] { return process() ? process()->open(path, flags) : -ENODEV; });
}
BZ_EXPORT int bz_kfd_ioctl(int fd, unsigned long request, void* arg) {
  return entry(-ENOMEM, -EIO, [&] { return process() ? process()->ioctl(fd, request, arg) : -ENODEV; });
}
BZ_EXPORT void* bz_kfd_mmap(void* addr, size_t length, int prot, int flags, int fd, off_t offset) {
  auto code = [](intptr_t e) { return reinterpret_cast<void*>(-e); };
  return entry(code(ENOMEM), code(EIO),
               [&] { return process() ? process()->mmap(addr, length, prot, flags, fd, offset) : code(ENODEV); });
}
BZ_EXPORT int bz_kfd_munmap(void* addr, size_t length) {
  return entry(-ENOMEM, -EIO, [&] { return process() ? process()->munmap(addr, length) : 0; });
}
BZ_EXPORT int bz_kfd_close(int fd) {
  return entry(-ENOMEM, -EIO, [&] { return process() ? process()->close(fd) : -ENODEV; });
}
