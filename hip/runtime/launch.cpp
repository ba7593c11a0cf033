#include "hip/runtime/launch.hpp"
#include "devicelibs/grid_protocol.h"
#include "hip/runtime/capture.hpp"
#include "hip/runtime/device.hpp"
#include "hip/runtime/event.hpp"
#include "hip/runtime/hostcall.hpp"
#include "hip/runtime/runtime.hpp"

#include <hsa/amd_hsa_queue.h>

#include <cstring>

namespace bz::hip {

using codeobj::ArgKind;

Outcome<Arguments> launch_arguments(void** pointers, void** extra) {
  if (pointers && extra) return Result(hipErrorInvalidValue, "arguments are given as kernelParams and as extra");
  Arguments a;
  a.pointers = pointers;
  if (!extra) return a;
  bool have_size = false;
  for (void** e = extra; *e != HIP_LAUNCH_PARAM_END; e += 2) {
    if (*e == HIP_LAUNCH_PARAM_BUFFER_POINTER) {
      a.packed = e[1];
    } else if (*e == HIP_LAUNCH_PARAM_BUFFER_SIZE) {
      if (!e[1]) return Result(hipErrorInvalidValue, "extra: HIP_LAUNCH_PARAM_BUFFER_SIZE has no size");
      a.packed_size = *static_cast<size_t*>(e[1]);
      have_size = true;
    } else {
      return fail(hipErrorInvalidValue, "extra: {} is none of HIP_LAUNCH_PARAM_*", *e);
    }
  }
  if (!have_size || (!a.packed && a.packed_size != 0))
    return Result(hipErrorInvalidValue,
                  "extra needs HIP_LAUNCH_PARAM_BUFFER_POINTER and HIP_LAUNCH_PARAM_BUFFER_SIZE before _END");
  return a;
}

LaunchShape LaunchShape::blocks(dim3 grid, dim3 block, size_t dynamic_lds) {
  LaunchShape s;
  s.block = {block.x, block.y, block.z};
  s.threads = {uint64_t(grid.x) * block.x, uint64_t(grid.y) * block.y, uint64_t(grid.z) * block.z};
  s.dynamic_lds = dynamic_lds;
  return s;
}

std::array<uint64_t, 3> LaunchShape::block_counts() const {
  return {threads[0] / block[0], threads[1] / block[1], threads[2] / block[2]};
}

// ---- Checks ---------------------------------------------------------------------------------------------------------

namespace {

template <class T> void put(std::byte* segment, const codeobj::KernelArg& arg, T value) {
  // An argument of another size than its kind has gets what fits: newer compilers may widen.
  std::memcpy(segment + arg.offset, &value, std::min<size_t>(sizeof value, arg.size));
}

} // namespace

Result check_launch(const Kernel& kernel, const LaunchShape& s, const LaunchOptions& options) {
  Device& device = kernel.code->device();
  if (s.empty_block() || s.threads[0] == 0 || s.threads[1] == 0 || s.threads[2] == 0)
    return fail(options.shape_error, "kernel {}: a grid or block dimension is 0 (threads {}x{}x{}, block {}x{}x{})",
                kernel.name, s.threads[0], s.threads[1], s.threads[2], s.block[0], s.block[1], s.block[2]);
  const auto& p = device.properties();
  for (int i = 0; i < 3; ++i) {
    if (s.block[i] > uint32_t(p.maxThreadsDim[i]))
      return fail(options.shape_error, "kernel {}: block dimension {} is {}, at most {} are possible", kernel.name,
                  "xyz"[i], s.block[i], p.maxThreadsDim[i]);
    if (s.threads[i] > UINT32_MAX)
      return fail(options.shape_error, "kernel {}: {} threads in dimension {}, at most {} are possible", kernel.name,
                  s.threads[i], "xyz"[i], UINT32_MAX);
    if (options.limited_grid && s.threads[i] > uint64_t(p.maxGridSize[i]) * s.block[i])
      return fail(options.shape_error,
                  "kernel {}: grid dimension {} is {} threads in blocks of {}, at most {} blocks are possible",
                  kernel.name, "xyz"[i], s.threads[i], s.block[i], p.maxGridSize[i]);
  }
  if (s.block_threads() > uint64_t(p.maxThreadsPerBlock))
    return fail(options.shape_error, "kernel {}: a block of {}x{}x{} = {} threads, at most {} are possible",
                kernel.name, s.block[0], s.block[1], s.block[2], s.block_threads(), p.maxThreadsPerBlock);
  if (s.block_threads() > kernel.max_threads())
    return fail(hipErrorLaunchFailure,
                "kernel {}: a block of {}x{}x{} = {} threads, but the kernel was compiled for at most {}: raise "
                "__launch_bounds__ or make the block smaller",
                kernel.name, s.block[0], s.block[1], s.block[2], s.block_threads(), kernel.max_threads());
  const int allowed = kernel.max_dynamic_lds;
  // The caller's size alone first: a sum with it may wrap.
  const bool too_much = s.dynamic_lds > device.lds_size() || s.dynamic_lds + kernel.group_size > device.lds_size();
  if (allowed >= 0 && s.dynamic_lds > size_t(allowed) && too_much)
    return fail(options.lds_error, "kernel {}: {} bytes of dynamic shared memory, {} are allowed", kernel.name,
                s.dynamic_lds, allowed);
  if (too_much)
    return fail(options.lds_error, "kernel {}: {} static and {} dynamic bytes of shared memory, a block has {}",
                kernel.name, kernel.group_size, s.dynamic_lds, device.lds_size());
  if (const auto& r = kernel.metadata->reqd_workgroup_size; r && (*r)[0] != 0 && s.block != *r)
    return fail(options.shape_error, "kernel {} was compiled for blocks of {}x{}x{} threads, not {}x{}x{}", kernel.name,
                (*r)[0], (*r)[1], (*r)[2], s.block[0], s.block[1], s.block[2]);
  if (options.cooperative) {
    auto fit = blocks_per_cu(kernel, uint32_t(s.block_threads()), s.dynamic_lds);
    if (!fit.ok()) return fit.result();
    const auto counts = s.block_counts();
    const uint64_t wanted = counts[0] * counts[1] * counts[2], most = uint64_t(*fit) * device.compute_units();
    if (wanted > most)
      return fail(hipErrorCooperativeLaunchTooLarge,
                  "kernel {}: {} blocks, but only {} fit the device at once ({} per compute unit)", kernel.name, wanted,
                  most, *fit);
  }
  return {};
}

// ---- Arguments ------------------------------------------------------------------------------------------------------

Result pack_arguments(const Kernel& kernel, const LaunchShape& shape, const Arguments& arguments, std::byte* segment) {
  const auto& m = *kernel.metadata;
  size_t index = 0;
  if (arguments.packed) {
    const size_t needed = m.explicit_size();
    if (arguments.packed_size < needed)
      return fail(hipErrorInvalidValue, "kernel {}: the argument buffer has {} bytes, the arguments need {}",
                  kernel.name, arguments.packed_size, needed);
    std::memcpy(segment, arguments.packed, needed);
  }
  const auto counts = shape.block_counts();
  const int dims = shape.threads[2] > 1 ? 3 : shape.threads[1] > 1 ? 2 : 1;
  for (const auto& arg : m.args) {
    if (!codeobj::is_hidden(arg.kind)) {
      if (arguments.packed) continue;
      if (!arguments.pointers || !arguments.pointers[index])
        return fail(hipErrorInvalidValue, "kernel {}: argument {} of {} is missing", kernel.name, index,
                    m.explicit_count());
      std::memcpy(segment + arg.offset, arguments.pointers[index++], arg.size);
      continue;
    }
    auto part = [&](ArgKind first) { return size_t(int(arg.kind) - int(first)); };
    switch (arg.kind) {
    case ArgKind::hidden_block_count_x:
    case ArgKind::hidden_block_count_y:
    case ArgKind::hidden_block_count_z:
      put<uint32_t>(segment, arg, uint32_t(counts[part(ArgKind::hidden_block_count_x)]));
      break;
    case ArgKind::hidden_group_size_x:
    case ArgKind::hidden_group_size_y:
    case ArgKind::hidden_group_size_z:
      put<uint16_t>(segment, arg, uint16_t(shape.block[part(ArgKind::hidden_group_size_x)]));
      break;
    case ArgKind::hidden_remainder_x:
    case ArgKind::hidden_remainder_y:
    case ArgKind::hidden_remainder_z: {
      const size_t i = part(ArgKind::hidden_remainder_x);
      put<uint16_t>(segment, arg, uint16_t(shape.threads[i] % shape.block[i]));
      break;
    }
    case ArgKind::hidden_grid_dims:
      put<uint16_t>(segment, arg, uint16_t(dims));
      break;
    case ArgKind::hidden_dynamic_lds_size:
      put<uint32_t>(segment, arg, uint32_t(shape.dynamic_lds));
      break;
    case ArgKind::hidden_queue_ptr: // filled at submission, when the queue is known
    case ArgKind::hidden_private_base:
    case ArgKind::hidden_shared_base:
    case ArgKind::hidden_hostcall_buffer: // filled by the launch
    case ArgKind::hidden_multigrid_sync_arg:
    case ArgKind::hidden_heap_v1:         // device malloc goes through the hostcall buffer
    case ArgKind::hidden_printf_buffer:   // HIP's printf goes through the hostcall buffer
    case ArgKind::hidden_global_offset_x: // HIP launches begin at 0
    case ArgKind::hidden_global_offset_y:
    case ArgKind::hidden_global_offset_z:
    case ArgKind::hidden_default_queue: // OpenCL's device enqueue
    case ArgKind::hidden_completion_action:
    case ArgKind::hidden_none:
    case ArgKind::unknown_hidden:
      break;
    case ArgKind::by_value:
    case ArgKind::global_buffer:
    case ArgKind::dynamic_shared_pointer:
    case ArgKind::sampler:
    case ArgKind::image:
    case ArgKind::pipe:
    case ArgKind::queue:
      break; // explicit: handled above
    }
  }
  return {};
}

namespace {

/// Room for bz_grid_info behind the arguments of a cooperative launch.
constexpr size_t kGridInfoAlignment = 64;

size_t with_grid_info(size_t kernarg_size) {
  return (kernarg_size + kGridInfoAlignment - 1) / kGridInfoAlignment * kGridInfoAlignment + sizeof(bz_grid_info);
}

} // namespace

Outcome<PreparedLaunch> PreparedLaunch::make(const std::shared_ptr<Kernel>& kernel, const LaunchShape& shape,
                                             const Arguments& arguments, const LaunchOptions& options) {
  if (Result r = check_launch(*kernel, shape, options); !r.ok()) return r;
  const auto& m = *kernel->metadata;
  PreparedLaunch l;
  Device& device = kernel->code->device();
  l.kernel_ = kernel;
  l.size_ = options.cooperative ? with_grid_info(kernel->kernarg_size) : std::max(kernel->kernarg_size, 1u);
  auto block = device.kernargs().take(l.size_);
  if (!block.ok()) return block.status();
  l.device_ = &device; // from here on the block is given back
  l.segment_ = static_cast<std::byte*>(*block);
  std::memset(l.segment_, 0, l.size_);
  if (Result r = pack_arguments(*kernel, shape, arguments, l.segment_); !r.ok()) return r;
  if (const auto* arg = m.find(ArgKind::hidden_hostcall_buffer)) {
    auto service = device.hostcall();
    if (!service.ok()) return service.status();
    put(l.segment_, *arg, (*service)->buffer());
  }
  if (options.cooperative) {
    const auto counts = shape.block_counts();
    bz_grid_info info{};
    info.num_grids = 1;
    info.all_sum = shape.threads[0] * shape.threads[1] * shape.threads[2];
    info.num_wg = uint32_t(counts[0] * counts[1] * counts[2]);
    if (options.multi) {
      info.all = static_cast<bz_grid_counters*>(options.multi->counters.get());
      info.grid_id = options.grid;
      info.num_grids = options.multi->grids;
      info.prev_sum = options.threads_before;
      info.all_sum = options.multi->threads;
      l.multi_ = options.multi;
    }
    auto* at = l.segment_ + l.size_ - sizeof info;
    std::memcpy(at, &info, sizeof info);
    if (const auto* arg = m.find(ArgKind::hidden_multigrid_sync_arg)) put(l.segment_, *arg, at);
  }
  for (auto kind : {ArgKind::hidden_queue_ptr, ArgKind::hidden_private_base, ArgKind::hidden_shared_base})
    if (m.find(kind)) l.names_queue_ = true;

  auto& p = l.packet_;
  const int dims = shape.threads[2] > 1 ? 3 : shape.threads[1] > 1 ? 2 : 1;
  p.setup = uint16_t(dims << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS);
  p.workgroup_size_x = uint16_t(shape.block[0]);
  p.workgroup_size_y = uint16_t(shape.block[1]);
  p.workgroup_size_z = uint16_t(shape.block[2]);
  p.grid_size_x = uint32_t(shape.threads[0]);
  p.grid_size_y = uint32_t(shape.threads[1]);
  p.grid_size_z = uint32_t(shape.threads[2]);
  p.private_segment_size = kernel->private_size;
  if (kernel->dynamic_stack)
    p.private_segment_size = std::max<uint32_t>(p.private_segment_size, uint32_t(device.stack_limit));
  p.group_segment_size = uint32_t(kernel->group_size + shape.dynamic_lds);
  p.kernel_object = kernel->object;
  p.kernarg_address = l.segment_;
  return l;
}

PreparedLaunch::PreparedLaunch(PreparedLaunch&& o) noexcept
    : device_(std::exchange(o.device_, nullptr)), kernel_(std::move(o.kernel_)),
      multi_(std::move(o.multi_)), segment_(o.segment_), size_(o.size_),
      names_queue_(o.names_queue_), packet_(o.packet_) {}

PreparedLaunch::~PreparedLaunch() {
  if (device_) device_->kernargs().give(segment_, size_);
}

void PreparedLaunch::bind(hsa_queue_t* queue) {
  if (!names_queue_) return;
  const auto& m = *kernel_->metadata;
  auto* amd = reinterpret_cast<amd_queue_t*>(queue);
  if (const auto* arg = m.find(ArgKind::hidden_queue_ptr)) put(segment_, *arg, queue);
  if (const auto* arg = m.find(ArgKind::hidden_private_base)) put(segment_, *arg, amd->private_segment_aperture_base_hi);
  if (const auto* arg = m.find(ArgKind::hidden_shared_base)) put(segment_, *arg, amd->group_segment_aperture_base_hi);
}

DispatchWork PreparedLaunch::release() {
  DispatchWork work;
  work.packet = packet_;
  work.code = kernel_->code->shared_from_this();
  work.release = [device = std::exchange(device_, nullptr), block = segment_, size = size_, multi = std::move(multi_)] {
    device->kernargs().give(block, size);
  };
  return work;
}

Result launch(const std::shared_ptr<Kernel>& kernel, const LaunchShape& shape, const Arguments& arguments,
              const StreamPtr& stream, const LaunchOptions& options) {
  Device& device = stream->device();
  if (&kernel->code->device() != &device)
    return fail(hipErrorInvalidHandle, "kernel {} is loaded on device {}, the stream belongs to device {}",
                kernel->name, kernel->code->device().ordinal(), device.ordinal());
  if (stream->capturing()) {
    if (options.start || options.stop)
      return Result(hipErrorStreamCaptureUnsupported, "a launch with events can't be captured: record them beside it");
    return capture(stream, kernel_work(kernel, options.function ? options.function : kernel->handle(), shape, arguments,
                                       options));
  }
  HIP_TRY_ASSIGN(PreparedLaunch prepared, PreparedLaunch::make(kernel, shape, arguments, options));
  auto marker = stream->dispatch([&](hsa_queue_t* queue) {
    prepared.bind(queue);
    return prepared.release();
  });
  if (!marker.ok()) return marker.status();
  device.context_active = true;
  if (options.start) options.start->record_dispatch(*marker, true);
  if (options.stop) options.stop->record_dispatch(*marker, false);
  if (launch_blocking()) stream->synchronize();
  return {};
}

} // namespace bz::hip
