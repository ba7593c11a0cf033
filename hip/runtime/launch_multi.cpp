// Launches on several devices with one call: kernels that belong together, and cooperative grids with a barrier over
// all.
#include "hip/runtime/impl.hpp"
#include "hip/runtime/launch.hpp"
#include "hip/runtime/memory.hpp"
#include "hip/runtime/registry.hpp"
#include "hip/runtime/runtime.hpp"

#include "devicelibs/grid_protocol.h"

#include <algorithm>

namespace bz::hip::impl {
namespace {

struct Part {
  StreamPtr stream;
  std::shared_ptr<Kernel> kernel;
  LaunchShape shape;
  void** arguments;
};

constexpr unsigned kFlags = hipCooperativeLaunchMultiDeviceNoPreSync | hipCooperativeLaunchMultiDeviceNoPostSync;

Result check_list(const void* list, int count, unsigned flags) {
  if (!list) return Result(hipErrorInvalidValue, "argument launchParamsList is null");
  const auto devices = Runtime::get().devices().size();
  if (count <= 0 || size_t(count) > devices)
    return fail(hipErrorInvalidValue, "launches on {} devices, {} exist", count, devices);
  if (flags & ~kFlags) return fail(hipErrorInvalidValue, "flags {:#x} don't exist", flags);
  return {};
}

/// A stream that the program made, on a device of its own.
Outcome<StreamPtr> stream_of(hipStream_t handle, const std::vector<Part>& others) {
  if (!handle || handle == hipStreamLegacy)
    return Result(hipErrorInvalidResourceHandle, "a launch on several devices needs a created stream for each");
  auto s = Runtime::get().stream(handle, StreamUse::enqueue);
  if (!s.ok()) return s;
  for (auto& p : others)
    if (&p.stream->device() == &(*s)->device())
      return fail(hipErrorInvalidDevice, "two of the streams belong to device {}", (*s)->device().ordinal());
  return s;
}

/// Work of each stream waits for the work so far of all.
void meet(const std::vector<Part>& parts) {
  std::vector<MarkerPtr> all;
  for (auto& p : parts)
    for (auto& m : p.stream->frontier(true)) all.push_back(m);
  for (auto& p : parts) p.stream->wait_for(all);
}

Result launch_all(const std::vector<Part>& parts, unsigned flags, LaunchOptions options) {
  for (auto& p : parts) HIP_TRY(check_launch(*p.kernel, p.shape, options)); // all or none
  std::shared_ptr<void> counters;
  if (options.cooperative) {
    auto& runtime = Runtime::get();
    void* block = nullptr;
    HIP_TRY(hsa_check(hsa_amd_memory_pool_allocate(runtime.host().fine, sizeof(bz_grid_counters), 0, &block),
                      "allocating the counters of a barrier over devices"));
    counters.reset(block, [](void* b) { (void)hsa_amd_memory_pool_free(b); });
    HIP_TRY(allow_access(runtime.gpu_agents(), block));
    new (block) bz_grid_counters{};
    options.multi = std::make_shared<MultiGrid>();
    options.multi->counters = counters;
    options.multi->grids = uint32_t(parts.size());
    for (auto& p : parts) options.multi->threads += p.shape.threads[0] * p.shape.threads[1] * p.shape.threads[2];
  }
  if (!(flags & hipCooperativeLaunchMultiDeviceNoPreSync)) meet(parts);
  uint64_t before = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (options.multi) {
      options.grid = uint32_t(i);
      options.threads_before = before;
      before += parts[i].shape.threads[0] * parts[i].shape.threads[1] * parts[i].shape.threads[2];
    }
    HIP_TRY(
        launch(parts[i].kernel, parts[i].shape, Arguments{.pointers = parts[i].arguments}, parts[i].stream, options));
  }
  if (!(flags & hipCooperativeLaunchMultiDeviceNoPostSync)) meet(parts);
  return {};
}

Result launch_stubs(hipLaunchParams* list, int count, unsigned flags, bool cooperative) {
  HIP_TRY(check_list(list, count, flags));
  std::vector<Part> parts;
  for (int i = 0; i < count; ++i) {
    HIP_TRY_ASSIGN(StreamPtr s, stream_of(list[i].stream, parts));
    HIP_TRY_ASSIGN(auto kernel, Runtime::get().registry().kernel(list[i].func, s->device()));
    parts.push_back({s, std::move(kernel), LaunchShape::blocks(list[i].gridDim, list[i].blockDim, list[i].sharedMem),
                     list[i].args});
  }
  LaunchOptions options;
  options.cooperative = cooperative;
  return launch_all(parts, flags, options);
}

} // namespace

Result hipExtLaunchMultiKernelMultiDevice(hipLaunchParams* list, int count, unsigned int flags) {
  return launch_stubs(list, count, flags, false);
}

Result hipLaunchCooperativeKernelMultiDevice(hipLaunchParams* list, int count, unsigned int flags) {
  return launch_stubs(list, count, flags, true);
}

Result hipModuleLaunchCooperativeKernelMultiDevice(hipFunctionLaunchParams* list, unsigned int count,
                                                   unsigned int flags) {
  HIP_TRY(check_list(list, int(std::min<unsigned>(count, INT_MAX)), flags));
  std::vector<Part> parts;
  for (unsigned i = 0; i < count; ++i) {
    const auto& l = list[i];
    HIP_TRY_ASSIGN(StreamPtr s, stream_of(l.hStream, parts));
    HIP_TRY_ASSIGN(auto kernel, find_kernel(l.function));
    parts.push_back({s, std::move(kernel),
                     LaunchShape::blocks({l.gridDimX, l.gridDimY, l.gridDimZ}, {l.blockDimX, l.blockDimY, l.blockDimZ},
                                         l.sharedMemBytes),
                     l.kernelParams});
  }
  LaunchOptions options = LaunchOptions::module();
  options.cooperative = true;
  return launch_all(parts, flags, options);
}

} // namespace bz::hip::impl
