// Memory pools and stream-ordered allocation of the API.
#include "hip/runtime/capture.hpp"
#include "hip/runtime/impl.hpp"
#include "hip/runtime/ipc.hpp"
#include "hip/runtime/pool.hpp"

namespace bz::hip::impl {
namespace {

hipMemPool_t handle_of(const std::shared_ptr<MemoryPool>& pool) { return reinterpret_cast<hipMemPool_t>(pool.get()); }

Outcome<std::shared_ptr<MemoryPool>> find_pool(hipMemPool_t handle) {
  if (!handle) return Result(hipErrorInvalidValue, "argument mem_pool is null");
  if (auto pool = Runtime::get().pools().find(handle)) return pool;
  return fail(hipErrorInvalidValue, "memory pool {} was never created or is destroyed", static_cast<void*>(handle));
}

Result allocate(void** ptr, size_t size, const std::shared_ptr<MemoryPool>& pool, const StreamPtr& stream) {
  *ptr = nullptr;
  if (pool->imported()) return Result(hipErrorInvalidValue, "nothing can be allocated from an imported memory pool");
  if (size == 0) return {};
  if (stream->capturing()) {
    hipMemAllocNodeParams parameters{};
    parameters.poolProps = pool->props();
    parameters.bytesize = size;
    HIP_TRY(capture(stream, alloc_work(parameters)));
    *ptr = parameters.dptr;
    return {};
  }
  HIP_TRY_ASSIGN(*ptr, pool->allocate(size, *stream));
  return {};
}

/// The device that a pool function names: a wrong number is hipErrorInvalidValue there.
Outcome<Device*> pool_device(int ordinal) {
  auto device = Runtime::get().device(ordinal);
  return device.ok() ? device : Outcome<Device*>(Result(hipErrorInvalidValue, device.result().message()));
}

} // namespace

Result hipDeviceGetDefaultMemPool(hipMemPool_t* mem_pool, int device) {
  HIP_NONNULL(mem_pool);
  HIP_TRY_ASSIGN(Device * d, Runtime::get().device(device));
  *mem_pool = handle_of(Runtime::get().pools().default_pool(*d));
  return {};
}

Result hipDeviceGetMemPool(hipMemPool_t* mem_pool, int device) {
  HIP_NONNULL(mem_pool);
  HIP_TRY_ASSIGN(Device * d, pool_device(device));
  *mem_pool = handle_of(Runtime::get().pools().current_pool(*d));
  return {};
}

Result hipDeviceSetMemPool(int device, hipMemPool_t mem_pool) {
  HIP_TRY_ASSIGN(Device * d, pool_device(device));
  HIP_TRY_ASSIGN(auto pool, find_pool(mem_pool));
  if (pool->imported()) return Result(hipErrorInvalidValue, "an imported memory pool can't serve a device");
  if (&pool->device() != d)
    return fail(hipErrorInvalidDevice, "the pool's memory is on device {}, not on {}", pool->device().ordinal(),
                device);
  Runtime::get().pools().set_current(*d, std::move(pool));
  return {};
}

Result hipMemPoolCreate(hipMemPool_t* mem_pool, const hipMemPoolProps* props) {
  HIP_NONNULL(mem_pool);
  HIP_NONNULL_AS(props, "pool_props");
  if (props->allocType != hipMemAllocationTypePinned)
    return fail(hipErrorInvalidValue, "a pool's allocation type is hipMemAllocationTypePinned, not {}",
                static_cast<int>(props->allocType));
  if (props->location.type != hipMemLocationTypeDevice)
    return fail(hipErrorInvalidValue, "a pool's location is a device, not of type {}",
                static_cast<int>(props->location.type));
  if (props->handleTypes != hipMemHandleTypeNone && props->handleTypes != hipMemHandleTypePosixFileDescriptor)
    return fail(hipErrorInvalidValue, "pools have handles of type none or file descriptor, not {}",
                static_cast<int>(props->handleTypes));
  HIP_TRY_ASSIGN(Device * device, pool_device(props->location.id));
  hipMemPoolProps whole = *props;
  constexpr size_t kPage = 4096; // the maximum is one of pages
  whole.maxSize = (std::min(whole.maxSize, SIZE_MAX - kPage) + kPage - 1) / kPage * kPage;
  *mem_pool = handle_of(Runtime::get().pools().create(*device, whole));
  return {};
}

Result hipMemPoolDestroy(hipMemPool_t mem_pool) {
  HIP_TRY_ASSIGN(auto pool, find_pool(mem_pool));
  auto& pools = Runtime::get().pools();
  if (pools.is_default(pool.get())) return Result(hipErrorInvalidValue, "a device's default pool can't be destroyed");
  if (!pools.destroy(mem_pool)) return Result(hipErrorInvalidValue, "the memory pool was destroyed already");
  return {};
}

Result hipMemPoolTrimTo(hipMemPool_t mem_pool, size_t min_bytes_to_hold) {
  HIP_TRY_ASSIGN(auto pool, find_pool(mem_pool));
  return Result(pool->trim(min_bytes_to_hold));
}

Result hipMemPoolSetAttribute(hipMemPool_t mem_pool, hipMemPoolAttr attr, void* value) {
  HIP_TRY_ASSIGN(auto pool, find_pool(mem_pool));
  HIP_NONNULL(value);
  return pool->set_attribute(attr, value);
}

Result hipMemPoolGetAttribute(hipMemPool_t mem_pool, hipMemPoolAttr attr, void* value) {
  HIP_TRY_ASSIGN(auto pool, find_pool(mem_pool));
  HIP_NONNULL(value);
  return pool->attribute(attr, value);
}

Result hipMemPoolSetAccess(hipMemPool_t mem_pool, const hipMemAccessDesc* desc_list, size_t count) {
  HIP_TRY_ASSIGN(auto pool, find_pool(mem_pool));
  auto& runtime = Runtime::get();
  if (count > 0) HIP_NONNULL(desc_list);
  if (count > runtime.devices().size())
    return fail(hipErrorInvalidDevice, "{} descriptions for {} devices", count, runtime.devices().size());
  std::vector<std::pair<Device*, hipMemAccessFlags>> wanted;
  for (size_t i = 0; i < count; ++i) {
    const auto& [location, flags] = desc_list[i];
    if (location.type != hipMemLocationTypeDevice)
      return fail(hipErrorInvalidValue, "access is given to devices, not to a location of type {}",
                  static_cast<int>(location.type));
    HIP_TRY_ASSIGN(Device * device, runtime.device(location.id));
    if (flags == hipMemAccessFlagsProtRead)
      return Result(hipErrorInvalidValue, "a GPU's access is for reading and writing or not at all");
    if (flags != hipMemAccessFlagsProtNone && flags != hipMemAccessFlagsProtReadWrite)
      return fail(hipErrorInvalidValue, "access flags {} don't exist", static_cast<int>(flags));
    if (device == &pool->device() && flags == hipMemAccessFlagsProtNone)
      return fail(hipErrorInvalidDevice, "device {} owns the pool: its access stays", location.id);
    wanted.emplace_back(device, flags);
  }
  return pool->set_access(wanted);
}

Result hipMemPoolGetAccess(hipMemAccessFlags* flags, hipMemPool_t mem_pool, hipMemLocation* location) {
  HIP_NONNULL(flags);
  HIP_TRY_ASSIGN(auto pool, find_pool(mem_pool));
  HIP_NONNULL(location);
  if (location->type != hipMemLocationTypeDevice)
    return fail(hipErrorInvalidValue, "access is given to devices, not to a location of type {}",
                static_cast<int>(location->type));
  auto device = Runtime::get().device(location->id);
  if (!device.ok()) return Result(hipErrorInvalidValue, device.result().message());
  *flags = pool->access(**device);
  return {};
}

// ---- Allocation in stream order -------------------------------------------------------------------------------------

Result hipMallocAsync(void** dev_ptr, size_t size, hipStream_t stream) {
  HIP_NONNULL(dev_ptr);
  HIP_TRY_ASSIGN(StreamPtr s, Runtime::get().stream(stream, StreamUse::enqueue, hipErrorInvalidHandle));
  return allocate(dev_ptr, size, Runtime::get().pools().current_pool(s->device()), s);
}

Result hipMallocFromPoolAsync(void** dev_ptr, size_t size, hipMemPool_t mem_pool, hipStream_t stream) {
  HIP_NONNULL(dev_ptr);
  HIP_TRY_ASSIGN(auto pool, find_pool(mem_pool));
  HIP_TRY_ASSIGN(StreamPtr s, Runtime::get().stream(stream, StreamUse::enqueue, hipErrorInvalidHandle));
  return allocate(dev_ptr, size, pool, s);
}

Result hipFreeAsync(void* ptr, hipStream_t stream) {
  auto& runtime = Runtime::get();
  HIP_TRY_ASSIGN(StreamPtr s, runtime.stream(stream, StreamUse::enqueue, hipErrorInvalidHandle));
  if (!ptr) return Result(hipErrorInvalidValue, "argument ptr is null");
  auto a = runtime.memory.find(ptr);
  if (a && a->kind == MemoryKind::graph) {
    if (s->capturing()) return capture(s, free_work(ptr));
    return free_graph_memory(ptr, s);
  }
  if (s->capturing())
    return fail(hipErrorInvalidValue, "{} is no memory of a graph: a capture can free what a capture allocated", ptr);
  const bool frees = a && (a->kind == MemoryKind::device || a->kind == MemoryKind::pooled ||
                           (a->kind == MemoryKind::imported && a->pool));
  if (!frees || a->base != reinterpret_cast<uintptr_t>(ptr))
    return runtime.memory.was_freed(ptr) ? fail(hipErrorInvalidValue, "{} was freed already", ptr)
                                         : fail(hipErrorInvalidValue, "{} is not the start of device memory", ptr);
  if (a->kind == MemoryKind::imported)
    return s->host_or_now([ptr]() -> Status {
      if (Runtime::get().imported().close(ptr)) return {};
      return error(Code::invalid_argument, "{} was freed already", ptr);
    });
  auto taken = runtime.memory.remove(ptr);
  if (!taken) return fail(hipErrorInvalidValue, "{} was freed already", ptr);
  if (taken->kind == MemoryKind::pooled) {
    if (!runtime.pools().free(taken->pool, taken->base, s.get()))
      return fail(hipErrorInvalidValue, "{} was freed already", ptr);
    return {};
  }
  return s->host_or_now([a = *taken] { return release_allocation(a); });
}

} // namespace bz::hip::impl
