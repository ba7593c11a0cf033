#include "hip/runtime/memory.hpp"
#include "hip/runtime/graph_memory.hpp"
#include "hip/runtime/impl.hpp"
#include "hip/runtime/ipc.hpp"
#include "hip/runtime/marker.hpp"
#include "hip/runtime/pool.hpp"
#include "hip/runtime/thread_state.hpp"

#include <unistd.h>

namespace bz::hip {
namespace {

uintptr_t number(const void* p) { return reinterpret_cast<uintptr_t>(p); }

Result too_large(Device& device, size_t size) {
  return fail(hipErrorOutOfMemory, "{} bytes don't fit into device {}: {} of {} bytes are free", size, device.ordinal(),
              device.vram_free(), device.vram_size());
}

} // namespace

Status allow_access(const std::vector<hsa_agent_t>& agents, void* p) {
  return hsa_check(hsa_amd_agents_allow_access(uint32_t(agents.size()), agents.data(), nullptr, p),
                   "making memory accessible to GPUs");
}

Outcome<void*> allocate_pages(Device& device, hsa_amd_memory_pool_t pool, size_t size) {
  if (size > device.vram_size()) return too_large(device, size);
  void* p = nullptr;
  hsa_status_t status = hsa_amd_memory_pool_allocate(pool, size, 0, &p);
  if (status == HSA_STATUS_ERROR_OUT_OF_RESOURCES || status == HSA_STATUS_ERROR_INVALID_ALLOCATION)
    return too_large(device, size);
  if (Status s = hsa_check(status, "allocating device memory"); !s.ok()) return s;
  return p;
}

Outcome<void*> allocate_device(Device& device, hsa_amd_memory_pool_t pool, size_t size, unsigned flags,
                               MemoryKind kind) {
  auto pages = allocate_pages(device, pool, size);
  if (!pages.ok() && pages.result().code() == hipErrorOutOfMemory && Runtime::get().pools().release_idle(device))
    pages = allocate_pages(device, pool, size);
  if (!pages.ok()) return pages;
  void* p = *pages;
  if (auto agents = device.accessors(); agents.size() > 1) {
    if (Status s = allow_access(agents, p); !s.ok()) {
      (void)hsa_amd_memory_pool_free(p);
      return s;
    }
  }
  Runtime::get().memory.add({.base = number(p),
                             .size = size,
                             .kind = kind,
                             .device = device.ordinal(),
                             .flags = flags,
                             .device_base = number(p)});
  device.context_active = true;
  return p;
}

Outcome<void*> allocate_host(Device& device, size_t size, MemoryKind kind, unsigned flags, bool coarse) {
  auto& runtime = Runtime::get();
  void* p = nullptr;
  hsa_status_t status = hsa_amd_memory_pool_allocate(coarse ? runtime.host().coarse : runtime.host().fine, size, 0, &p);
  if (status == HSA_STATUS_ERROR_OUT_OF_RESOURCES || status == HSA_STATUS_ERROR_INVALID_ALLOCATION)
    return fail(hipErrorOutOfMemory, "{} bytes of host memory can't be allocated", size);
  if (Status s = hsa_check(status, "allocating host memory"); !s.ok()) return s;
  if (Status s = allow_access(runtime.gpu_agents(), p); !s.ok()) {
    (void)hsa_amd_memory_pool_free(p);
    return s;
  }
  runtime.memory.add({.base = number(p),
                      .size = size,
                      .kind = kind,
                      .device = device.ordinal(),
                      .flags = flags,
                      .device_base = number(p)});
  device.context_active = true;
  return p;
}

Status release_allocation(const Allocation& a) {
  void* p = reinterpret_cast<void*>(a.base);
  switch (a.kind) {
  case MemoryKind::device:
  case MemoryKind::array:
  case MemoryKind::host:
  case MemoryKind::managed:
    return hsa_check(hsa_amd_memory_pool_free(p), "freeing memory");
  case MemoryKind::registered:
    return hsa_check(hsa_amd_memory_unlock(p), "unpinning memory");
  case MemoryKind::imported:
    return Runtime::get().imported().drop(p);
  case MemoryKind::symbol: // the module owns it
  case MemoryKind::pooled: // the pool does
  case MemoryKind::graph:  // its node does
  case MemoryKind::mapped: // hipMemUnmap takes it away
    return {};
  }
  return {};
}

Outcome<std::optional<Allocation>> check_range(const char* what, const void* pointer, size_t size) {
  auto& memory = Runtime::get().memory;
  const Stretch& around = thread_state().memory.at(memory, pointer);
  if (around.what == Stretch::What::freed)
    return fail(hipErrorInvalidValue, "{} {} points into memory that was freed", what, pointer);
  if (around.what == Stretch::What::unknown) return std::optional<Allocation>();
  std::optional<Allocation> a = around.allocation;
  const uintptr_t end = number(pointer) + size;
  uintptr_t known = a->base + a->size;
  // What hipMemMap puts side by side is one range to its users.
  for (auto next = a; next->kind == MemoryKind::mapped && known < end; known += next->size) {
    next = memory.find(reinterpret_cast<void*>(known));
    if (!next || next->kind != MemoryKind::mapped) break;
  }
  if (size > known - number(pointer))
    return fail(hipErrorInvalidValue, "{} {} + {} bytes runs over the end of its allocation of {} bytes at {:#x}", what,
                pointer, size, a->size, a->base);
  return a;
}

namespace impl {
namespace {

constexpr unsigned kHostFlags = hipHostMallocPortable | hipHostMallocMapped | hipHostMallocWriteCombined |
                                hipHostMallocUncached | hipHostMallocNumaUser | hipHostMallocCoherent |
                                hipHostMallocNonCoherent;

Result allocate_pinned(void** ptr, size_t size, unsigned flags) {
  HIP_NONNULL(ptr);
  *ptr = nullptr;
  if (flags & ~kHostFlags) return fail(hipErrorInvalidValue, "host allocation flags {:#x} don't exist", flags);
  if (flags & hipHostMallocCoherent && flags & hipHostMallocNonCoherent)
    return Result(hipErrorInvalidValue, "host memory can't be both coherent and non-coherent");
  if (size == 0) return {};
  auto& runtime = Runtime::get();
  HIP_TRY_ASSIGN(
      *ptr, allocate_host(runtime.current(), size, MemoryKind::host, flags, (flags & hipHostMallocNonCoherent) != 0));
  return {};
}

Result allocate_vram(void** ptr, size_t size, unsigned flags) {
  HIP_NONNULL(ptr);
  *ptr = nullptr;
  if (size == 0) return {};
  Device& device = Runtime::get().current();
  const bool fine =
      flags == hipDeviceMallocFinegrained || flags == hipDeviceMallocUncached || flags == hipMallocSignalMemory;
  HIP_TRY_ASSIGN(*ptr, allocate_device(device, fine ? device.fine_vram() : device.vram(), size, flags));
  return {};
}

/// Rows begin at multiples of this.
constexpr size_t kPitchAlignment = 256;

Result allocate_pitched(void** ptr, size_t* pitch, size_t width, size_t rows) {
  const size_t row = (width + kPitchAlignment - 1) / kPitchAlignment * kPitchAlignment;
  size_t total = 0;
  if (row < width || __builtin_mul_overflow(row, rows, &total))
    return fail(hipErrorOutOfMemory, "{} rows of {} bytes overflow the address space", rows, width);
  *pitch = row;
  return allocate_vram(ptr, total, hipDeviceMallocDefault);
}

/// Why hipFree doesn't take memory of this kind, or null.
const char* not_for_free(MemoryKind kind, const void* pool) {
  switch (kind) {
  case MemoryKind::symbol:
    return "a variable of a module";
  case MemoryKind::array:
    return "memory of an array: use hipFreeArray";
  case MemoryKind::imported:
    return pool ? nullptr : "memory of another process: use hipIpcCloseMemHandle";
  case MemoryKind::mapped:
    return "mapped by hipMemMap: use hipMemUnmap";
  case MemoryKind::device:
  case MemoryKind::graph:
  case MemoryKind::host:
  case MemoryKind::managed:
  case MemoryKind::registered:
  case MemoryKind::pooled:
    return nullptr;
  }
  return nullptr;
}

Result free_memory(void* ptr, bool host_memory) {
  if (!ptr) return {};
  auto& runtime = Runtime::get();
  auto a = runtime.memory.find(ptr);
  if (!a || a->base != number(ptr)) {
    if (runtime.memory.was_freed(ptr)) return fail(hipErrorInvalidValue, "{} was freed already", ptr);
    if (a) return fail(hipErrorInvalidValue, "{} points into an allocation: free {:#x}, where it begins", ptr, a->base);
    return fail(hipErrorInvalidValue, "{} was not allocated by HIP", ptr);
  }
  if (a->kind == MemoryKind::registered)
    return fail(hipErrorInvalidValue, "{} is memory of the program: use hipHostUnregister", ptr);
  if (const char* what = not_for_free(a->kind, a->pool)) return fail(hipErrorInvalidValue, "{} is {}", ptr, what);
  if (host_memory && a->kind != MemoryKind::host)
    return fail(hipErrorInvalidValue, "{} is no host allocation: use hipFree", ptr);
  if (a->kind == MemoryKind::graph || a->kind == MemoryKind::imported) runtime.synchronize_devices();
  if (a->kind == MemoryKind::graph) return free_graph_memory(ptr, nullptr); // the graph keeps the address
  if (a->kind == MemoryKind::imported)
    return runtime.imported().close(ptr) ? Result() : fail(hipErrorInvalidValue, "{} was freed already", ptr);
  Marker::refuse_in_host_function();
  auto taken = runtime.memory.remove(ptr);
  if (!taken) return fail(hipErrorInvalidValue, "{} was freed already", ptr); // by another thread meanwhile
  wait_for_memory_uses();
  runtime.synchronize_devices(); // what other threads had submitted before they could know
  if (taken->kind == MemoryKind::pooled) runtime.pools().free(taken->pool, taken->base, nullptr);
  return Result(release_allocation(*taken));
}

} // namespace

Result hipMalloc(void** ptr, size_t size) { return allocate_vram(ptr, size, hipDeviceMallocDefault); }

Result hipExtMallocWithFlags(void** ptr, size_t size, unsigned int flags) {
  HIP_NONNULL(ptr);
  if (flags > hipDeviceMallocContiguous) return fail(hipErrorInvalidValue, "allocation flags {:#x} don't exist", flags);
  if (flags == hipMallocSignalMemory && size != 8)
    return fail(hipErrorInvalidValue, "signal memory has 8 bytes, not {}", size);
  return allocate_vram(ptr, size, flags);
}

Result hipHostMalloc(void** ptr, size_t size, unsigned int flags) { return allocate_pinned(ptr, size, flags); }
Result hipHostAlloc(void** ptr, size_t size, unsigned int flags) { return allocate_pinned(ptr, size, flags); }
Result hipExtHostAlloc(void** ptr, size_t size, unsigned int flags) { return allocate_pinned(ptr, size, flags); }
Result hipMallocHost(void** ptr, size_t size) { return allocate_pinned(ptr, size, hipHostMallocDefault); }
Result hipMemAllocHost(void** ptr, size_t size) { return allocate_pinned(ptr, size, hipHostMallocDefault); }

Result hipMallocManaged(void** dev_ptr, size_t size, unsigned int flags) {
  HIP_NONNULL(dev_ptr);
  *dev_ptr = nullptr;
  if (flags != hipMemAttachGlobal && flags != hipMemAttachHost)
    return fail(hipErrorInvalidValue, "managed memory is attached to hipMemAttachGlobal or hipMemAttachHost, not {:#x}",
                flags);
  if (size == 0) return Result(hipErrorInvalidValue, "managed memory of size 0");
  HIP_TRY_ASSIGN(*dev_ptr, allocate_host(Runtime::get().current(), size, MemoryKind::managed, flags, false));
  return {};
}

Result hipMallocPitch(void** ptr, size_t* pitch, size_t width, size_t height) {
  HIP_NONNULL(ptr);
  HIP_NONNULL(pitch);
  *ptr = nullptr;
  if (width == 0 || height == 0) {
    *pitch = 0;
    return {};
  }
  return allocate_pitched(ptr, pitch, width, height);
}

Result hipMemAllocPitch(hipDeviceptr_t* ptr, size_t* pitch, size_t width, size_t height, unsigned int element) {
  if (element != 4 && element != 8 && element != 16)
    return fail(hipErrorInvalidValue, "elements of {} bytes: only 4, 8 and 16 are allowed", element);
  if (width == 0 || height == 0) return Result(hipErrorInvalidValue, "a pitched array without bytes");
  return impl::hipMallocPitch(ptr, pitch, width, height);
}

Result hipMalloc3D(hipPitchedPtr* pitchedDevPtr, hipExtent extent) {
  HIP_NONNULL(pitchedDevPtr);
  *pitchedDevPtr = {};
  if (extent.width == 0 || extent.height == 0 || extent.depth == 0) return {};
  size_t rows = 0;
  if (__builtin_mul_overflow(extent.height, extent.depth, &rows))
    return Result(hipErrorOutOfMemory, "the extent overflows the address space");
  HIP_TRY(allocate_pitched(&pitchedDevPtr->ptr, &pitchedDevPtr->pitch, extent.width, rows));
  pitchedDevPtr->xsize = extent.width;
  pitchedDevPtr->ysize = extent.height;
  return {};
}

Result hipFree(void* ptr) { return free_memory(ptr, false); }
Result hipFreeHost(void* ptr) { return free_memory(ptr, true); }
Result hipHostFree(void* ptr) { return free_memory(ptr, true); }

Result hipHostGetDevicePointer(void** devPtr, void* hstPtr, unsigned int flags) {
  HIP_NONNULL(devPtr);
  HIP_NONNULL(hstPtr);
  *devPtr = nullptr;
  if (flags != 0) return fail(hipErrorInvalidValue, "flags are {:#x} but must be 0", flags);
  auto a = Runtime::get().memory.find(hstPtr);
  if (!a || a->on_device())
    return fail(hipErrorInvalidValue, "{} is not pinned host memory: use hipHostMalloc or hipHostRegister", hstPtr);
  *devPtr = reinterpret_cast<void*>(a->device_base + (number(hstPtr) - a->base));
  return {};
}

Result hipHostGetFlags(unsigned int* flagsPtr, void* hostPtr) {
  HIP_NONNULL(flagsPtr);
  HIP_NONNULL(hostPtr);
  auto a = Runtime::get().memory.find(hostPtr);
  if (!a || (a->kind != MemoryKind::host && a->kind != MemoryKind::registered))
    return fail(hipErrorInvalidValue, "{} is not pinned host memory", hostPtr);
  *flagsPtr = a->flags;
  return {};
}

Result hipHostRegister(void* hostPtr, size_t size, unsigned int flags) {
  HIP_NONNULL(hostPtr);
  if (size == 0) return Result(hipErrorInvalidValue, "registering 0 bytes");
  constexpr unsigned known = hipHostRegisterPortable | hipHostRegisterMapped | hipHostRegisterIoMemory |
                             hipHostRegisterReadOnly | hipExtHostRegisterUncached;
  if (flags & ~known) return fail(hipErrorInvalidValue, "register flags {:#x} don't exist", flags);
  auto& runtime = Runtime::get();
  if (runtime.memory.overlaps(hostPtr, size))
    return fail(hipErrorHostMemoryAlreadyRegistered, "{} + {} bytes overlaps memory that HIP allocated or registered",
                hostPtr, size);
  auto agents = runtime.gpu_agents();
  void* device_ptr = nullptr;
  HIP_TRY(hsa_check(hsa_amd_memory_lock(hostPtr, size, agents.data(), int(agents.size()), &device_ptr),
                    "pinning host memory"));
  runtime.memory.add({.base = number(hostPtr),
                      .size = size,
                      .kind = MemoryKind::registered,
                      .device = runtime.current().ordinal(),
                      .flags = flags,
                      .device_base = number(device_ptr)});
  return {};
}

Result hipHostUnregister(void* hostPtr) {
  HIP_NONNULL(hostPtr);
  auto& runtime = Runtime::get();
  auto a = runtime.memory.find(hostPtr);
  if (!a || a->kind != MemoryKind::registered || a->base != number(hostPtr))
    return fail(hipErrorHostMemoryNotRegistered, "{} was not registered by hipHostRegister", hostPtr);
  Marker::refuse_in_host_function();
  auto taken = runtime.memory.remove(hostPtr);
  if (!taken) return fail(hipErrorHostMemoryNotRegistered, "{} was unregistered already", hostPtr);
  wait_for_memory_uses();
  runtime.synchronize_devices();
  return Result(release_allocation(*taken));
}

Result hipMemGetInfo(size_t* free, size_t* total) {
  Device& d = Runtime::get().current();
  if (total) *total = d.vram_size(); // callers may want one of the two
  if (free) *free = d.vram_free();
  return {};
}

Result hipMemPtrGetInfo(void* ptr, size_t* size) {
  HIP_NONNULL(ptr);
  HIP_NONNULL(size);
  auto a = Runtime::get().memory.find(ptr);
  if (!a || a->base != number(ptr)) return fail(hipErrorInvalidValue, "{} is not the start of an allocation", ptr);
  *size = a->size;
  return {};
}

Result hipMemGetAddressRange(hipDeviceptr_t* base, size_t* size, hipDeviceptr_t ptr) {
  auto a = Runtime::get().memory.find(ptr);
  if (!a) return fail(hipErrorNotFound, "{} points into no allocation of HIP", ptr);
  if (base) *base = reinterpret_cast<void*>(a->device_base);
  if (size) *size = a->size;
  return {};
}

} // namespace impl
} // namespace bz::hip
