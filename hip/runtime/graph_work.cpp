#include "hip/runtime/graph_work.hpp"
#include "hip/runtime/event.hpp"
#include "hip/runtime/registry.hpp"
#include "hip/runtime/runtime.hpp"

#include <algorithm>
#include <cstring>

namespace bz::hip {
namespace {

struct TypeRow {
  hipGraphNodeType type;
  const char* name;
};

/// In the order of the alternatives of Work.
constexpr TypeRow kTypes[] = {
    {hipGraphNodeTypeEmpty, "empty"},
    {hipGraphNodeTypeKernel, "kernel"},
    {hipGraphNodeTypeMemcpy, "memcpy"},
    {hipGraphNodeTypeMemset, "memset"},
    {hipGraphNodeTypeHost, "host"},
    {hipGraphNodeTypeGraph, "child graph"},
    {hipGraphNodeTypeEventRecord, "event record"},
    {hipGraphNodeTypeWaitEvent, "event wait"},
    {hipGraphNodeTypeMemAlloc, "mem alloc"},
    {hipGraphNodeTypeMemFree, "mem free"},
    {hipGraphNodeTypeBatchMemOp, "batch mem op"},
};
static_assert(std::size(kTypes) == std::variant_size_v<Work>);

WorkPtr shared(Work work) { return std::make_shared<const Work>(std::move(work)); }

/// The kernel that a program names: a host stub, or a function of a module.
Outcome<std::shared_ptr<Kernel>> kernel_of(void* function) {
  auto& runtime = Runtime::get();
  if (!function) return Result(hipErrorInvalidDeviceFunction, "the kernel node's function is null");
  if (runtime.kernels.find(function)) return find_kernel(static_cast<hipFunction_t>(function));
  return runtime.registry().kernel(function, runtime.current());
}

} // namespace

hipGraphNodeType node_type(const Work& work) { return kTypes[work.index()].type; }
const char* node_type_name(const Work& work) { return kTypes[work.index()].name; }

// ---- Kernels --------------------------------------------------------------------------------------------------------

void KernelWork::bind() {
  pointers.clear();
  size = arguments.size();
  for (const auto& arg : kernel->metadata->args)
    if (!codeobj::is_hidden(arg.kind)) pointers.push_back(arguments.data() + arg.offset);
  extra = {HIP_LAUNCH_PARAM_BUFFER_POINTER, arguments.data(), HIP_LAUNCH_PARAM_BUFFER_SIZE, &size,
           HIP_LAUNCH_PARAM_END};
}

Outcome<WorkPtr> kernel_work(std::shared_ptr<Kernel> kernel, void* function, const LaunchShape& shape,
                             const Arguments& arguments, const LaunchOptions& options) {
  if (Result r = check_launch(*kernel, shape, options); !r.ok()) return r;
  const auto& m = *kernel->metadata;
  KernelWork w;
  w.arguments.resize(m.explicit_size());
  if (arguments.packed) {
    if (arguments.packed_size < w.arguments.size())
      return fail(hipErrorInvalidValue, "kernel {}: the argument buffer has {} bytes, the arguments need {}",
                  kernel->name, arguments.packed_size, w.arguments.size());
    std::memcpy(w.arguments.data(), arguments.packed, w.arguments.size());
    w.packed = true;
  } else {
    size_t index = 0;
    for (const auto& arg : m.args) {
      if (codeobj::is_hidden(arg.kind)) continue;
      if (!arguments.pointers || !arguments.pointers[index])
        return fail(hipErrorInvalidValue, "kernel {}: argument {} of {} is missing", kernel->name, index,
                    m.explicit_count());
      std::memcpy(w.arguments.data() + arg.offset, arguments.pointers[index++], arg.size);
    }
  }
  const auto counts = shape.block_counts();
  w.grid = {uint32_t(counts[0]), uint32_t(counts[1]), uint32_t(counts[2])};
  w.block = {shape.block[0], shape.block[1], shape.block[2]};
  w.kernel = std::move(kernel);
  w.function = function;
  w.shape = shape;
  w.attributes.cooperative = options.cooperative;
  auto work = std::make_shared<Work>(std::move(w));
  std::get<KernelWork>(*work).bind(); // not before: it points into itself
  return WorkPtr(std::move(work));
}

Outcome<WorkPtr> kernel_work(const hipKernelNodeParams& p) {
  auto kernel = kernel_of(p.func);
  if (!kernel.ok()) return kernel.result();
  auto arguments = launch_arguments(p.kernelParams, p.kernelParams ? nullptr : p.extra);
  if (!arguments.ok()) return arguments.result();
  return kernel_work(*kernel, p.func, LaunchShape::blocks(p.gridDim, p.blockDim, p.sharedMemBytes), *arguments, {});
}

// ---- Copies and fills -----------------------------------------------------------------------------------------------

Outcome<WorkPtr> copy_work(const Box& box, hipMemcpyKind kind) {
  if (Result r = check_copy(box, kind); !r.ok()) return r;
  CopyWork w{.box = box, .kind = kind};
  auto pitched = [&](const void* p, size_t pitch, size_t slice) {
    const size_t row = pitch ? pitch : box.width;
    return hipPitchedPtr{const_cast<void*>(p), row, box.width, slice ? slice / row : box.height};
  };
  w.parameters.srcPtr = pitched(box.src, box.src_pitch, box.src_slice);
  w.parameters.dstPtr = pitched(box.dst, box.dst_pitch, box.dst_slice);
  w.parameters.extent = {box.width, box.height, box.depth};
  w.parameters.kind = kind;
  return shared(std::move(w));
}

Outcome<WorkPtr> copy_work(const hipMemcpy3DParms& p) {
  auto box = box_of(&p);
  if (!box.ok()) return box.result();
  if (Result r = check_copy(*box, p.kind); !r.ok()) return r;
  return shared(CopyWork{.box = *box, .kind = p.kind, .parameters = p});
}

Outcome<WorkPtr> copy_work(const HIP_MEMCPY3D& p) {
  auto plain = parameters_of(&p);
  if (!plain.ok()) return plain.result();
  return copy_work(*plain);
}

Outcome<WorkPtr> fill_work(const Fill& given) {
  Fill f = given;
  if (Result r = check_fill(f); !r.ok()) return r;
  return shared(FillWork{.fill = f,
                         .parameters = {.dst = f.dst,
                                        .elementSize = f.element,
                                        .height = f.height * f.depth,
                                        .pitch = f.pitch,
                                        .value = f.value,
                                        .width = f.width / f.element}});
}

Outcome<WorkPtr> fill_work(const hipMemsetParams& p) {
  if (p.elementSize != 1 && p.elementSize != 2 && p.elementSize != 4)
    return fail(hipErrorInvalidValue, "memset elements of {} bytes: 1, 2 and 4 are possible", p.elementSize);
  if (p.width == 0 || p.height == 0)
    return fail(hipErrorInvalidValue, "a memset node of {} x {} elements", p.width, p.height);
  size_t bytes = 0;
  if (__builtin_mul_overflow(p.width, size_t(p.elementSize), &bytes))
    return fail(hipErrorInvalidValue, "{} elements overflow the address space", p.width);
  if (p.height > 1 && p.pitch < bytes)
    return fail(hipErrorInvalidValue, "rows of {} bytes don't fit a pitch of {}", bytes, p.pitch);
  FillWork w{.fill = {.dst = static_cast<char*>(p.dst),
                      .value = p.value,
                      .element = p.elementSize,
                      .width = bytes,
                      .height = p.height,
                      .pitch = p.pitch},
             .parameters = p};
  if (Result r = check_fill(w.fill); !r.ok()) return r;
  return shared(std::move(w));
}

// ---- The rest -------------------------------------------------------------------------------------------------------

Outcome<WorkPtr> host_work(const hipHostNodeParams& p) {
  if (!p.fn) return Result(hipErrorInvalidValue, "the host node's function is null");
  return shared(HostWork{p.fn, p.userData});
}

Outcome<WorkPtr> event_record_work(hipEvent_t event) {
  auto e = Runtime::get().event(event, EventUse::record);
  if (!e.ok()) return fail(hipErrorInvalidValue, "{}", e.result().message());
  return shared(EventRecordWork{*e});
}

Outcome<WorkPtr> event_wait_work(hipEvent_t event) {
  auto e = Runtime::get().event(event, EventUse::record);
  if (!e.ok()) return fail(hipErrorInvalidValue, "{}", e.result().message());
  return shared(EventWaitWork{*e});
}

Outcome<WorkPtr> batch_work(const hipBatchMemOpNodeParams& p) {
  if (Result r = check_batch(p.paramArray, p.count, p.flags); !r.ok()) return r;
  return shared(BatchWork{{{p.paramArray, p.paramArray + p.count}}, p.ctx, p.flags});
}

} // namespace bz::hip
