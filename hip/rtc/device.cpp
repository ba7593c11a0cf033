#include "hip/rtc/device.hpp"

#include <hip/hip_runtime_api.h>

#include <dlfcn.h>

#include <memory>

namespace bz::rtc {
namespace {

struct Runtime {
  hipError_t (*get_device)(int*) = nullptr;
  hipError_t (*get_properties)(hipDeviceProp_tR0600*, int) = nullptr;
};

Expected<Runtime> open_runtime() {
  void* library = dlopen("libamdhip64.so.7", RTLD_NOW | RTLD_LOCAL);
  if (!library) return error(Code::not_found, "the current device can't be asked for ({})", dlerror());
  Runtime runtime;
  runtime.get_device = reinterpret_cast<decltype(runtime.get_device)>(dlsym(library, "hipGetDevice"));
  runtime.get_properties =
      reinterpret_cast<decltype(runtime.get_properties)>(dlsym(library, "hipGetDevicePropertiesR0600"));
  if (!runtime.get_device || !runtime.get_properties)
    return error(Code::not_found, "libamdhip64.so.7 is no HIP runtime of release 6 or later");
  return runtime;
}

} // namespace

Expected<std::string> current_target() {
  static const Expected<Runtime> runtime = open_runtime();
  if (!runtime) return runtime.status();
  int device = 0;
  auto properties = std::make_unique<hipDeviceProp_tR0600>();
  if (hipError_t e = runtime->get_device(&device); e != hipSuccess)
    return error(Code::not_found, "there is no current device (hipGetDevice gave {})", static_cast<int>(e));
  if (hipError_t e = runtime->get_properties(properties.get(), device); e != hipSuccess)
    return error(Code::not_found, "device {} can't be asked for its target (error {})", device, static_cast<int>(e));
  return std::string(properties->gcnArchName);
}

} // namespace bz::rtc
