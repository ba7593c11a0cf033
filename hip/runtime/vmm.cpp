// Virtual memory management: reserved addresses, physical memory, and what is mapped where, on hsa_amd_vmem_*.
#include "hip/runtime/impl.hpp"
#include "hip/runtime/ipc.hpp"
#include "hip/runtime/memory_use.hpp"

#include <cstring>
#include <mutex>
#include <unordered_map>

namespace bz::hip::impl {
namespace {

constexpr size_t kGranule = 4096, kRecommended = size_t(2) << 20;

uintptr_t number(const void* p) { return reinterpret_cast<uintptr_t>(p); }
hsa_amd_vmem_alloc_handle_t hsa_handle(hipMemGenericAllocationHandle_t h) { return {reinterpret_cast<uint64_t>(h)}; }
hipMemGenericAllocationHandle_t hip_handle(hsa_amd_vmem_alloc_handle_t h) {
  return reinterpret_cast<hipMemGenericAllocationHandle_t>(h.handle);
}

/// What the program asked for when it made a handle; HSA knows the rest.
struct Properties {
  std::mutex mutex;
  std::unordered_map<uint64_t, std::pair<hipMemAllocationProp, size_t>> of;
};
Properties& properties() {
  static auto& all = *new Properties;
  return all;
}
/// Nothing for a handle that was never made or whose last user is gone; a mapping can bring that one back.
std::optional<std::pair<hipMemAllocationProp, size_t>> find(hipMemGenericAllocationHandle_t handle) {
  hsa_amd_memory_pool_t pool{};
  hsa_amd_memory_type_t type{};
  if (hsa_amd_vmem_get_alloc_properties_from_handle(hsa_handle(handle), &pool, &type) != HSA_STATUS_SUCCESS)
    return std::nullopt;
  std::lock_guard lock(properties().mutex);
  const auto at = properties().of.find(hsa_handle(handle).handle);
  if (at == properties().of.end()) return std::nullopt;
  return at->second;
}

Result unknown(hipMemGenericAllocationHandle_t handle) {
  return handle ? fail(hipErrorInvalidValue, "{} is no live allocation handle", static_cast<void*>(handle))
                : Result(hipErrorInvalidValue, "argument handle is null");
}

bool on_host(const hipMemLocation& l) {
  return l.type == hipMemLocationTypeHost || l.type == hipMemLocationTypeHostNuma ||
         l.type == hipMemLocationTypeHostNumaCurrent;
}

Result check_location(const hipMemLocation& l) {
  if (on_host(l)) return {};
  if (l.type != hipMemLocationTypeDevice)
    return fail(hipErrorInvalidValue, "location type {} doesn't exist", static_cast<int>(l.type));
  auto device = Runtime::get().device(l.id);
  return device.ok() ? Result() : Result(hipErrorInvalidValue, device.result().message());
}

hsa_agent_t agent_of(const hipMemLocation& l) {
  auto& runtime = Runtime::get();
  return on_host(l) ? runtime.host().agent : runtime.devices()[size_t(l.id)]->agent();
}

Result check_properties(const hipMemAllocationProp& p) {
  if (p.type != hipMemAllocationTypePinned && p.type != hipMemAllocationTypeUncached)
    return fail(hipErrorInvalidValue, "allocation type {} is not hipMemAllocationTypePinned", static_cast<int>(p.type));
  if (p.requestedHandleType != hipMemHandleTypeNone && p.requestedHandleType != hipMemHandleTypePosixFileDescriptor)
    return fail(hipErrorInvalidValue, "handle type {} is neither none nor a file descriptor",
                static_cast<int>(p.requestedHandleType));
  return check_location(p.location);
}

/// The mapped allocations that make up [ptr, ptr + size) exactly.
Outcome<std::vector<Allocation>> mappings_in(const void* ptr, size_t size) {
  std::vector<Allocation> out;
  uintptr_t at = number(ptr);
  while (size != 0 && at < number(ptr) + size) {
    auto a = Runtime::get().memory.find(reinterpret_cast<void*>(at));
    if (!a || a->kind != MemoryKind::mapped || a->base != at) break;
    at += a->size;
    out.push_back(*a);
  }
  if (size == 0 || at != number(ptr) + size)
    return fail(hipErrorInvalidValue, "{} bytes at {} are not one or more whole mappings of hipMemMap", size, ptr);
  return out;
}

} // namespace

Result hipMemAddressReserve(void** ptr, size_t size, size_t alignment, void* addr, unsigned long long flags) {
  HIP_NONNULL(ptr);
  *ptr = nullptr;
  if (flags != 0) return fail(hipErrorInvalidValue, "flags are {:#x} but must be 0", flags);
  if (size == 0 || size % kGranule != 0)
    return fail(hipErrorOutOfMemory, "{} bytes are no whole number of pages", size);
  if (alignment & (alignment - 1)) return fail(hipErrorOutOfMemory, "alignment {} is no power of two", alignment);
  if (alignment != 0) alignment = std::max(alignment, kGranule);
  HIP_TRY(hsa_check(hsa_amd_vmem_address_reserve_align(ptr, size, number(addr), alignment, 0), "reserving addresses"));
  return {};
}

Result hipMemAddressFree(void* ptr, size_t size) {
  HIP_NONNULL_AS(ptr, "devPtr");
  if (size == 0) return Result(hipErrorInvalidValue, "a range of 0 bytes");
  if (hsa_status_t s = hsa_amd_vmem_address_free(ptr, size); s != HSA_STATUS_SUCCESS)
    return fail(hipErrorInvalidValue, "{} bytes at {} are no reserved range without mappings: {}", size, ptr,
                hsa_check(s, "giving addresses back").message());
  return {};
}

Result hipMemGetAllocationGranularity(size_t* granularity, const hipMemAllocationProp* prop,
                                      hipMemAllocationGranularity_flags option) {
  HIP_NONNULL(granularity);
  HIP_NONNULL(prop);
  HIP_TRY(check_properties(*prop));
  if (option != hipMemAllocationGranularityMinimum && option != hipMemAllocationGranularityRecommended)
    return fail(hipErrorInvalidValue, "granularity {} doesn't exist", static_cast<int>(option));
  *granularity = option == hipMemAllocationGranularityMinimum ? kGranule : kRecommended;
  return {};
}

Result hipMemCreate(hipMemGenericAllocationHandle_t* handle, size_t size, const hipMemAllocationProp* prop,
                    unsigned long long flags) {
  HIP_NONNULL(handle);
  HIP_NONNULL(prop);
  if (flags != 0) return fail(hipErrorInvalidValue, "flags are {:#x} but must be 0", flags);
  HIP_TRY(check_properties(*prop));
  if (size == 0 || size % kGranule != 0)
    return fail(hipErrorInvalidValue, "{} bytes are no multiple of the granularity {}", size, kGranule);
  auto& runtime = Runtime::get();
  hsa_amd_memory_pool_t pool = runtime.host().fine;
  if (!on_host(prop->location)) {
    Device& device = *runtime.devices()[size_t(prop->location.id)];
    if (size > device.vram_size())
      return fail(hipErrorOutOfMemory, "{} bytes don't fit into device {}", size, device.ordinal());
    pool = prop->type == hipMemAllocationTypeUncached ? device.fine_vram() : device.vram();
  }
  hsa_amd_vmem_alloc_handle_t made{};
  HIP_TRY(hsa_check(hsa_amd_vmem_handle_create(pool, size, MEMORY_TYPE_PINNED, 0, &made), "allocating memory"));
  {
    std::lock_guard lock(properties().mutex);
    properties().of[made.handle] = {*prop, size};
  }
  *handle = hip_handle(made);
  return {};
}

Result hipMemRelease(hipMemGenericAllocationHandle_t handle) {
  if (!find(handle)) return unknown(handle);
  return Result(hsa_check(hsa_amd_vmem_handle_release(hsa_handle(handle)), "releasing memory"));
}

Result hipMemGetAllocationPropertiesFromHandle(hipMemAllocationProp* prop, hipMemGenericAllocationHandle_t handle) {
  HIP_NONNULL(prop);
  auto found = find(handle);
  if (!found) return unknown(handle);
  *prop = found->first;
  return {};
}

Result hipMemMap(void* ptr, size_t size, size_t offset, hipMemGenericAllocationHandle_t handle,
                 unsigned long long flags) {
  HIP_NONNULL(ptr);
  if (flags != 0) return fail(hipErrorInvalidValue, "flags are {:#x} but must be 0", flags);
  if (offset != 0) return fail(hipErrorInvalidValue, "the offset is {} but must be 0", offset);
  if (size == 0) return Result(hipErrorInvalidValue, "a mapping of 0 bytes");
  auto found = find(handle);
  if (!found) return unknown(handle);
  hsa_status_t status = hsa_amd_vmem_map(ptr, size, 0, hsa_handle(handle), 0);
  if (status != HSA_STATUS_SUCCESS) {
    const auto why = hsa_check(status, "mapping memory");
    return why.code() == Code::unsupported ? Result(why) : fail(hipErrorInvalidValue, "{}", why.message());
  }
  const auto& location = found->first.location;
  Runtime::get().memory.add({.base = number(ptr),
                             .size = size,
                             .kind = MemoryKind::mapped,
                             .device = on_host(location) ? Runtime::get().current().ordinal() : location.id,
                             .device_base = number(ptr)});
  return {};
}

Result hipMemUnmap(void* ptr, size_t size) {
  HIP_NONNULL(ptr);
  HIP_TRY_ASSIGN(auto parts, mappings_in(ptr, size));
  auto& runtime = Runtime::get();
  Marker::refuse_in_host_function();
  for (auto& a : parts) {
    void* base = reinterpret_cast<void*>(a.base);
    if (!runtime.memory.remove(base)) return fail(hipErrorInvalidValue, "{} was unmapped already", base);
    wait_for_memory_uses();
    runtime.synchronize_devices(); // work that uses the memory must be over
    HIP_TRY(hsa_check(hsa_amd_vmem_unmap(base, a.size), "unmapping memory"));
  }
  return {};
}

Result hipMemSetAccess(void* ptr, size_t size, const hipMemAccessDesc* desc, size_t count) {
  HIP_NONNULL(ptr);
  HIP_NONNULL(desc);
  if (count == 0) return Result(hipErrorInvalidValue, "no access is described");
  std::vector<hsa_amd_memory_access_desc_t> wanted;
  for (size_t i = 0; i < count; ++i) {
    HIP_TRY(check_location(desc[i].location));
    hsa_access_permission_t permission{};
    switch (desc[i].flags) {
    case hipMemAccessFlagsProtNone:
      permission = HSA_ACCESS_PERMISSION_NONE;
      break;
    case hipMemAccessFlagsProtRead:
      permission = HSA_ACCESS_PERMISSION_RO;
      break;
    case hipMemAccessFlagsProtReadWrite:
      permission = HSA_ACCESS_PERMISSION_RW;
      break;
    default:
      return fail(hipErrorInvalidValue, "access flags {} don't exist", static_cast<int>(desc[i].flags));
    }
    wanted.push_back({permission, agent_of(desc[i].location)});
  }
  HIP_TRY(mappings_in(ptr, size));
  HIP_TRY(hsa_check(hsa_amd_vmem_set_access(ptr, size, wanted.data(), wanted.size()), "setting access to memory"));
  return {};
}

Result hipMemGetAccess(unsigned long long* flags, const hipMemLocation* location, void* ptr) {
  HIP_NONNULL(flags);
  HIP_NONNULL(location);
  HIP_NONNULL(ptr);
  HIP_TRY(check_location(*location));
  auto a = Runtime::get().memory.find(ptr);
  if (!a || a->kind != MemoryKind::mapped) return fail(hipErrorInvalidValue, "no memory is mapped at {}", ptr);
  hsa_access_permission_t permission = HSA_ACCESS_PERMISSION_NONE;
  HIP_TRY(hsa_check(hsa_amd_vmem_get_access(ptr, &permission, agent_of(*location)), "asking for access to memory"));
  *flags = permission == HSA_ACCESS_PERMISSION_RW   ? hipMemAccessFlagsProtReadWrite
           : permission == HSA_ACCESS_PERMISSION_RO ? hipMemAccessFlagsProtRead
                                                    : hipMemAccessFlagsProtNone;
  return {};
}

Result hipMemRetainAllocationHandle(hipMemGenericAllocationHandle_t* handle, void* addr) {
  HIP_NONNULL(handle);
  HIP_NONNULL(addr);
  auto a = Runtime::get().memory.find(addr);
  if (!a || a->kind != MemoryKind::mapped) return fail(hipErrorInvalidValue, "no memory is mapped at {}", addr);
  hsa_amd_vmem_alloc_handle_t found{};
  HIP_TRY(hsa_check(hsa_amd_vmem_retain_alloc_handle(&found, addr), "asking for mapped memory"));
  *handle = hip_handle(found);
  return {};
}

// ---- Descriptors ----------------------------------------------------------------------------------------------------

Result hipMemExportToShareableHandle(void* shareableHandle, hipMemGenericAllocationHandle_t handle,
                                     hipMemAllocationHandleType type, unsigned long long flags) {
  HIP_NONNULL(shareableHandle);
  auto found = find(handle);
  if (!found) return unknown(handle);
  if (flags != 0) return fail(hipErrorInvalidValue, "flags are {:#x} but must be 0", flags);
  if (type != hipMemHandleTypePosixFileDescriptor || found->first.requestedHandleType != type)
    return fail(hipErrorInvalidValue, "handle type {} was not asked for at hipMemCreate, or is no file descriptor",
                static_cast<int>(type));
  int fd = -1;
  HIP_TRY(hsa_check(hsa_amd_vmem_export_shareable_handle(&fd, hsa_handle(handle), 0), "exporting memory"));
  std::memcpy(shareableHandle, &fd, sizeof fd);
  return {};
}

Result hipMemImportFromShareableHandle(hipMemGenericAllocationHandle_t* handle, void* osHandle,
                                       hipMemAllocationHandleType type) {
  HIP_NONNULL(handle);
  HIP_NONNULL(osHandle);
  if (type != hipMemHandleTypePosixFileDescriptor)
    return fail(hipErrorInvalidValue, "handle type {} is no file descriptor", static_cast<int>(type));
  const int fd = descriptor_of(osHandle);
  hsa_amd_vmem_alloc_handle_t made{};
  if (hsa_status_t s = hsa_amd_vmem_import_shareable_handle(fd, &made); s != HSA_STATUS_SUCCESS)
    return fail(hipErrorInvalidValue, "descriptor {} is no memory: {}", fd, hsa_check(s, "importing memory").message());
  hipMemAllocationProp prop{};
  prop.type = hipMemAllocationTypePinned;
  prop.requestedHandleType = type;
  hsa_amd_memory_pool_t pool{};
  hsa_amd_memory_type_t memory_type{};
  HIP_TRY(hsa_check(hsa_amd_vmem_get_alloc_properties_from_handle(made, &pool, &memory_type), "asking for memory"));
  prop.location = {hipMemLocationTypeHost, 0};
  for (auto& d : Runtime::get().devices())
    if (d->vram().handle == pool.handle || d->fine_vram().handle == pool.handle)
      prop.location = {hipMemLocationTypeDevice, d->ordinal()};
  {
    std::lock_guard lock(properties().mutex);
    properties().of[made.handle] = {prop, 0};
  }
  *handle = hip_handle(made);
  return {};
}

Result hipMemGetHandleForAddressRange(void* handle, hipDeviceptr_t dptr, size_t size, hipMemRangeHandleType type,
                                      unsigned long long flags) {
  HIP_NONNULL(handle);
  HIP_NONNULL(dptr);
  if (type != hipMemRangeHandleTypeDmaBufFd)
    return fail(hipErrorInvalidValue, "range handle type {} is no dma-buf", static_cast<int>(type));
  if (flags & ~uint64_t(hipMemRangeFlagDmaBufMappingTypePcie))
    return fail(hipErrorInvalidValue, "flags {:#x} don't exist", flags);
  if (size == 0 || number(dptr) % kGranule != 0 || size % kGranule != 0)
    return fail(hipErrorInvalidValue, "{} bytes at {} are no whole pages", size, dptr);
  auto a = Runtime::get().memory.find(dptr);
  const size_t whole = a ? (a->size + kGranule - 1) / kGranule * kGranule : 0;
  if (a && size > whole - (number(dptr) - a->base))
    return fail(hipErrorInvalidValue, "{} bytes at {} run over the end of their allocation", size, dptr);
  if (!a || !a->on_device()) return fail(hipErrorInvalidValue, "{} is no device memory", dptr);
  int fd = -1;
  uint64_t offset = 0;
  HIP_TRY(hsa_check(hsa_amd_portable_export_dmabuf(dptr, size, &fd, &offset), "exporting memory"));
  if (offset != 0 || size < whole) {
    (void)hsa_amd_portable_close_dmabuf(fd);
    return fail(hipErrorNotSupported, "a dma-buf of a part ({} of {} bytes) of an allocation is not implemented", size,
                a->size);
  }
  std::memcpy(handle, &fd, sizeof fd);
  return {};
}

} // namespace bz::hip::impl
