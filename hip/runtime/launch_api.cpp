// The launch functions of the API: host stubs, module kernels, the old three-step protocol, attributes.
#include "hip/runtime/event.hpp"
#include "hip/runtime/impl.hpp"
#include "hip/runtime/launch.hpp"
#include "hip/runtime/registry.hpp"
#include "hip/runtime/runtime.hpp"
#include "hip/runtime/thread_state.hpp"

#include <cstring>

namespace bz::hip::impl {
namespace {

/// The stream of a launch: a handle of none is hipErrorInvalidValue, except for cooperative kernels of the program.
Outcome<StreamPtr> stream_of_launch(hipStream_t handle) {
  return Runtime::get().stream(handle, StreamUse::enqueue, hipErrorInvalidValue);
}

Result launch_stub(const void* stub, dim3 grid, dim3 block, void** args, size_t lds, hipStream_t stream,
                   LaunchOptions options = {}) {
  auto& runtime = Runtime::get();
  HIP_TRY_ASSIGN(StreamPtr s,
                 options.cooperative ? runtime.stream(stream, StreamUse::enqueue) : stream_of_launch(stream));
  HIP_TRY_ASSIGN(auto kernel, runtime.registry().kernel(stub, s->device()));
  return launch(kernel, LaunchShape::blocks(grid, block, lds), Arguments{.pointers = args}, s, options);
}

Result launch_function(hipFunction_t f, const LaunchShape& shape, hipStream_t stream, void** params, void** extra,
                       LaunchOptions options) {
  HIP_TRY_ASSIGN(auto kernel, find_kernel(f));
  HIP_TRY_ASSIGN(StreamPtr s, stream_of_launch(stream));
  HIP_TRY_ASSIGN(Arguments arguments, launch_arguments(params, extra));
  return launch(kernel, shape, arguments, s, options);
}

Result take_events(LaunchOptions& options, hipEvent_t start, hipEvent_t stop) {
  if (start) { HIP_TRY_ASSIGN(options.start, Runtime::get().event(start, EventUse::record)); }
  if (stop) { HIP_TRY_ASSIGN(options.stop, Runtime::get().event(stop, EventUse::record)); }
  return {};
}

/// Attributes of the Ex launches.
Result take_attributes(LaunchOptions& options, const hipLaunchAttribute* attributes, unsigned count) {
  if (count > 0) HIP_NONNULL_AS(attributes, "config->attrs");
  for (unsigned i = 0; i < count; ++i) {
    switch (attributes[i].id) {
    case hipLaunchAttributeCooperative:
      options.cooperative = attributes[i].val.cooperative != 0;
      break;
    case hipLaunchAttributePriority:
    case hipLaunchAttributeAccessPolicyWindow:
    case hipLaunchAttributeSynchronizationPolicy:
    case hipLaunchAttributeMemSyncDomainMap:
    case hipLaunchAttributeMemSyncDomain:
      return fail(hipErrorNotSupported, "launch attribute {} is not supported", static_cast<int>(attributes[i].id));
    case hipLaunchAttributeMax:
      return fail(hipErrorInvalidValue, "launch attribute {} doesn't exist", static_cast<int>(attributes[i].id));
    }
  }
  return {};
}

} // namespace

// ---- <<<>>> ---------------------------------------------------------------------------------------------------------

Result __hipPushCallConfiguration(dim3 grid, dim3 block, size_t shared, hipStream_t stream) {
  thread_state().configurations.push_back({grid, block, shared, stream, {}});
  return {};
}

Result __hipPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, hipStream_t* stream) {
  auto& stack = thread_state().configurations;
  if (stack.empty()) return Result(hipErrorMissingConfiguration, "a kernel stub was called without <<<>>>");
  const auto c = std::move(stack.back());
  stack.pop_back();
  *grid = c.grid;
  *block = c.block;
  *shared = c.shared;
  *stream = c.stream;
  return {};
}

Result hipLaunchKernel(const void* stub, dim3 grid, dim3 block, void** args, size_t lds, hipStream_t stream) {
  return launch_stub(stub, grid, block, args, lds, stream);
}

Result hipExtLaunchKernel(const void* stub, dim3 grid, dim3 block, void** args, size_t lds, hipStream_t stream,
                          hipEvent_t start, hipEvent_t stop, int flags) {
  // hipExtAnyOrderLaunch permits another order; it doesn't ask for one.
  if (flags & ~hipExtAnyOrderLaunch) return fail(hipErrorInvalidValue, "launch flags {:#x} don't exist", flags);
  LaunchOptions options;
  HIP_TRY(take_events(options, start, stop));
  return launch_stub(stub, grid, block, args, lds, stream, options);
}

Result hipLaunchCooperativeKernel(const void* stub, dim3 grid, dim3 block, void** args, unsigned int lds,
                                  hipStream_t stream) {
  LaunchOptions options;
  options.cooperative = true;
  options.lds_error = hipErrorCooperativeLaunchTooLarge;
  return launch_stub(stub, grid, block, args, lds, stream, options);
}

Result hipLaunchKernelExC(const hipLaunchConfig_t* config, const void* stub, void** args) {
  HIP_NONNULL(config);
  LaunchOptions options;
  HIP_TRY(take_attributes(options, config->attrs, config->numAttrs));
  return launch_stub(stub, config->gridDim, config->blockDim, args, config->dynamicSmemBytes, config->stream, options);
}

// ---- The old protocol: configure, set up each argument, launch
// --------------------------------------------------------

Result hipConfigureCall(dim3 grid, dim3 block, size_t shared, hipStream_t stream) {
  thread_state().configurations.push_back({grid, block, shared, stream, {}});
  return {};
}

Result hipSetupArgument(const void* arg, size_t size, size_t offset) {
  HIP_NONNULL(arg);
  auto& stack = thread_state().configurations;
  if (stack.empty()) return Result(hipErrorMissingConfiguration, "hipConfigureCall was not called");
  constexpr size_t kMost = 1 << 20;
  if (offset > kMost || size > kMost - offset)
    return fail(hipErrorInvalidValue, "an argument of {} bytes at offset {}", size, offset);
  auto& bytes = stack.back().arguments;
  if (bytes.size() < offset + size) bytes.resize(offset + size);
  std::memcpy(bytes.data() + offset, arg, size);
  return {};
}

Result hipLaunchByPtr(const void* stub) {
  auto& stack = thread_state().configurations;
  if (stack.empty()) return Result(hipErrorMissingConfiguration, "hipConfigureCall was not called");
  const auto c = std::move(stack.back());
  stack.pop_back();
  auto& runtime = Runtime::get();
  HIP_TRY_ASSIGN(StreamPtr s, stream_of_launch(c.stream));
  HIP_TRY_ASSIGN(auto kernel, runtime.registry().kernel(stub, s->device()));
  Arguments arguments;
  arguments.packed = c.arguments.data();
  arguments.packed_size = c.arguments.size();
  return launch(kernel, LaunchShape::blocks(c.grid, c.block, c.shared), arguments, s, {});
}

// ---- Kernels of modules: a bad shape is hipErrorInvalidValue here
// -----------------------------------------------------

Result hipModuleLaunchKernel(hipFunction_t f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                             unsigned bz, unsigned lds, hipStream_t stream, void** params, void** extra) {
  LaunchOptions options = LaunchOptions::module();
  return launch_function(f, LaunchShape::blocks({gx, gy, gz}, {bx, by, bz}, lds), stream, params, extra, options);
}

Result hipModuleLaunchCooperativeKernel(hipFunction_t f, unsigned gx, unsigned gy, unsigned gz, unsigned bx,
                                        unsigned by, unsigned bz, unsigned lds, hipStream_t stream, void** params) {
  LaunchOptions options = LaunchOptions::module();
  options.cooperative = true;
  return launch_function(f, LaunchShape::blocks({gx, gy, gz}, {bx, by, bz}, lds), stream, params, nullptr, options);
}

Result hipExtModuleLaunchKernel(hipFunction_t f, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by,
                                uint32_t bz, size_t lds, hipStream_t stream, void** params, void** extra,
                                hipEvent_t start, hipEvent_t stop, uint32_t flags) {
  if (flags & ~uint32_t(hipExtAnyOrderLaunch))
    return fail(hipErrorInvalidValue, "launch flags {:#x} don't exist", flags);
  LaunchOptions options = LaunchOptions::module();
  options.limited_grid = false; // the grid is one of threads
  HIP_TRY(take_events(options, start, stop));
  LaunchShape shape;
  shape.threads = {gx, gy, gz};
  shape.block = {bx, by, bz};
  shape.dynamic_lds = lds;
  return launch_function(f, shape, stream, params, extra, options);
}

Result hipHccModuleLaunchKernel(hipFunction_t f, uint32_t gx, uint32_t gy, uint32_t gz, uint32_t bx, uint32_t by,
                                uint32_t bz, size_t lds, hipStream_t stream, void** params, void** extra,
                                hipEvent_t start, hipEvent_t stop) {
  return impl::hipExtModuleLaunchKernel(f, gx, gy, gz, bx, by, bz, lds, stream, params, extra, start, stop, 0);
}

Result hipDrvLaunchKernelEx(const HIP_LAUNCH_CONFIG* config, hipFunction_t f, void** params, void** extra) {
  HIP_NONNULL(config);
  LaunchOptions options = LaunchOptions::module();
  HIP_TRY(take_attributes(options, config->attrs, config->numAttrs));
  return launch_function(f,
                         LaunchShape::blocks({config->gridDimX, config->gridDimY, config->gridDimZ},
                                             {config->blockDimX, config->blockDimY, config->blockDimZ}, config->sharedMemBytes),
                         config->hStream, params, extra, options);
}

} // namespace bz::hip::impl
