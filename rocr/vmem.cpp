#include "rocr/vmem.hpp"

#include "hsakmt/boltzmann.h"

#include <algorithm>
#include <bit>

namespace bz::rocr {
namespace {

constexpr size_t kGranule = Pool::kGranule;
constexpr uint64_t kHandleMark = uint64_t{0x58} << 56; ///< beside the kinds of handles.hpp
void* pointer(uintptr_t address) { return reinterpret_cast<void*>(address); }
uintptr_t number(const void* p) { return reinterpret_cast<uintptr_t>(p); }

Outcome not_whole(const char* what, size_t size) {
  return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{}: {} bytes are no whole number of {}-byte pages", what, size,
              kGranule);
}

} // namespace

VirtualMemory::Physical::~Physical() {
  if (imported)
    hsaKmtDeregisterMemory(memory);
  else
    hsaKmtFreeMemory(memory, size);
}

VirtualMemory::~VirtualMemory() {
  for (auto& [va, m] : mapped_) bzHsaKmtUnplaceMemory(pointer(va));
  mapped_.clear();
  handles_.clear();
  for (auto& [va, size] : reserved_) hsaKmtFreeMemory(pointer(va), size);
}

// ---- Addresses ------------------------------------------------------------------------------------------------------

Result<void*> VirtualMemory::reserve(size_t size, uint64_t address, uint64_t alignment) {
  if (size == 0 || size % kGranule != 0) return not_whole("addresses", size);
  if (alignment != 0 && (!std::has_single_bit(alignment) || alignment < kGranule))
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "alignment {} is no power of two of at least a page", alignment);
  HsaMemFlags flags{};
  flags.ui32.OnlyAddress = 1;
  void* va = nullptr;
  HSAKMT_STATUS status = HSAKMT_STATUS_ERROR;
  std::lock_guard lock(mutex_);
  if (address != 0 && address % std::max<uint64_t>(alignment, kGranule) == 0) {
    HsaMemFlags fixed = flags;
    fixed.ui32.FixedAddress = 1;
    va = pointer(address);
    status = hsaKmtAllocMemory(0, size, fixed, &va);
  }
  if (status != HSAKMT_STATUS_SUCCESS)
    ROCR_TRY(thunk::check(hsaKmtAllocMemoryAlign(0, size, std::max<uint64_t>(alignment, kGranule), flags, &va),
                          "hsaKmtAllocMemoryAlign"));
  reserved_.emplace(number(va), size);
  return va;
}

Outcome VirtualMemory::free(void* va, size_t size) {
  std::lock_guard lock(mutex_);
  const auto at = reserved_.find(number(va));
  if (at == reserved_.end()) return fail(HSA_STATUS_ERROR_INVALID_ALLOCATION, "{} begins no reserved range", va);
  if (at->second != size)
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "the range at {} has {} bytes, not {}", va, at->second, size);
  if (const auto m = mapped_.lower_bound(at->first); m != mapped_.end() && m->first < at->first + size)
    return fail(HSA_STATUS_ERROR_RESOURCE_FREE, "memory is still mapped at {:#x}", m->first);
  ROCR_TRY(thunk::check(hsaKmtFreeMemory(va, size), "hsaKmtFreeMemory"));
  reserved_.erase(at);
  return {};
}

// ---- Physical memory ------------------------------------------------------------------------------------------------

uint64_t VirtualMemory::add(std::shared_ptr<Physical> physical) {
  physical->handle = kHandleMark | ++last_handle_;
  const uint64_t handle = physical->handle;
  handles_.emplace(handle, std::move(physical));
  return handle;
}

Result<std::shared_ptr<VirtualMemory::Physical>> VirtualMemory::physical(uint64_t handle) const {
  const auto at = handles_.find(handle);
  if (at == handles_.end())
    return fail(HSA_STATUS_ERROR_INVALID_ALLOCATION, "{:#x} is no live handle of memory", handle);
  return at->second;
}

Result<uint64_t> VirtualMemory::create(Pool& pool, size_t size, hsa_amd_memory_type_t type) {
  if (!pool.allocates)
    return fail(HSA_STATUS_ERROR_INVALID_ALLOCATION, "nothing can be allocated in this pool of {}", pool.owner->name());
  if (size == 0 || size % kGranule != 0) return not_whole("memory", size);
  if (type != MEMORY_TYPE_NONE && type != MEMORY_TYPE_PINNED)
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "memory type {} doesn't exist", int(type));
  HsaMemFlags flags = pool.memory_flags(false);
  flags.ui32.NoAddress = 1;
  flags.ui32.HostAccess = 0;
  void* memory = nullptr;
  ROCR_TRY(thunk::check(hsaKmtAllocMemory(pool.owner->node(), size, flags, &memory), "hsaKmtAllocMemory"));
  std::lock_guard lock(mutex_);
  return add(std::make_shared<Physical>(memory, size, &pool, type, false));
}

Result<uint64_t> VirtualMemory::import(int dmabuf, const PoolOfNode& pool_of) {
  HsaGraphicsResourceInfo info{};
  const Status s = thunk::check(hsaKmtRegisterGraphicsHandleToNodesExt(static_cast<HSAuint64>(dmabuf), &info, 0,
                                                                       nullptr, HSA_REGISTER_MEM_FLAGS{}),
                                "hsaKmtRegisterGraphicsHandleToNodesExt");
  if (!s.ok()) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "descriptor {}: {}", dmabuf, s.message());
  auto memory =
      std::make_shared<Physical>(info.MemoryAddress, info.SizeInBytes, pool_of(info.NodeId), MEMORY_TYPE_PINNED, true);
  if (!memory->pool) return fail(HSA_STATUS_ERROR, "node {} has no memory pool", info.NodeId);
  std::lock_guard lock(mutex_);
  return add(std::move(memory));
}

Result<int> VirtualMemory::export_dmabuf(uint64_t handle) const {
  std::lock_guard lock(mutex_);
  ROCR_TRY_ASSIGN(auto p, physical(handle));
  int fd = -1;
  HSAuint64 offset = 0;
  ROCR_TRY(thunk::check(hsaKmtExportDMABufHandle(p->memory, p->size, &fd, &offset), "hsaKmtExportDMABufHandle"));
  return fd;
}

Outcome VirtualMemory::release(uint64_t handle) {
  std::lock_guard lock(mutex_);
  ROCR_TRY_ASSIGN(auto p, physical(handle));
  if (--p->users == 0) handles_.erase(handle);
  return {};
}

Result<uint64_t> VirtualMemory::retain(const void* address) {
  std::lock_guard lock(mutex_);
  const auto at = mapping_at(number(address));
  if (at == mapped_.end()) return fail(HSA_STATUS_ERROR_INVALID_ALLOCATION, "no memory is mapped at {}", address);
  const auto& p = at->second.physical;
  ++p->users;
  handles_.emplace(p->handle, p); // if its last user had gone
  return p->handle;
}

Result<VirtualMemory::Properties> VirtualMemory::properties(uint64_t handle) const {
  std::lock_guard lock(mutex_);
  ROCR_TRY_ASSIGN(auto p, physical(handle));
  return Properties{p->pool, p->type};
}

// ---- Mappings -------------------------------------------------------------------------------------------------------

std::map<uintptr_t, VirtualMemory::Mapping>::const_iterator VirtualMemory::mapping_at(uintptr_t address) const {
  auto at = mapped_.upper_bound(address);
  if (at == mapped_.begin()) return mapped_.end();
  --at;
  return address - at->first < at->second.size ? at : mapped_.end();
}

Outcome VirtualMemory::map(void* va, size_t size, size_t offset, uint64_t handle) {
  if (!bzHsaKmtPlaceMemory)
    return fail(static_cast<hsa_status_t>(HSA_STATUS_ERROR_NOT_SUPPORTED), "this libhsakmt can't place memory");
  if (size == 0 || size % kGranule != 0 || offset % kGranule != 0) return not_whole("a mapping", size);
  std::lock_guard lock(mutex_);
  ROCR_TRY_ASSIGN(auto p, physical(handle));
  if (offset > p->size || size > p->size - offset)
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} bytes at offset {} go beyond the {} bytes of the memory", size,
                offset, p->size);
  if (offset != 0 || size != p->size)
    return fail(static_cast<hsa_status_t>(HSA_STATUS_ERROR_NOT_SUPPORTED),
                "mapping a part ({} of {} bytes) of the memory is not implemented: map it as a whole", size, p->size);
  auto range = reserved_.upper_bound(number(va));
  if (range == reserved_.begin() || number(va) - std::prev(range)->first >= std::prev(range)->second ||
      size > std::prev(range)->second - (number(va) - std::prev(range)->first))
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} bytes at {} are not reserved", size, va);
  const auto next = mapped_.lower_bound(number(va));
  if ((next != mapped_.end() && next->first < number(va) + size) || mapping_at(number(va)) != mapped_.end())
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "memory is mapped in the {} bytes at {} already", size, va);
  ROCR_TRY(thunk::check(bzHsaKmtPlaceMemory(va, size, p->memory), "bzHsaKmtPlaceMemory"));
  mapped_.emplace(number(va), Mapping{size, std::move(p), {}});
  return {};
}

Outcome VirtualMemory::unmap(void* va, size_t size) {
  std::lock_guard lock(mutex_);
  const auto at = mapped_.find(number(va));
  if (at == mapped_.end()) return fail(HSA_STATUS_ERROR_INVALID_ALLOCATION, "no mapping begins at {}", va);
  if (at->second.size != size)
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "the mapping at {} has {} bytes, not {}", va, at->second.size, size);
  ROCR_TRY(thunk::check(bzHsaKmtUnplaceMemory(va), "bzHsaKmtUnplaceMemory"));
  mapped_.erase(at);
  return {};
}

/// The GPUs with access are those that have it mapped. The host reaches what any GPU has mapped: for its access alone
/// the memory is mapped to the GPU that owns it. One page has one protection: it can be written if anybody may.
Outcome VirtualMemory::apply(uintptr_t va, Mapping& mapping, std::vector<Access> access) {
  std::vector<HSAuint32> nodes;
  bool host = false;
  HsaMemMapFlags flags{};
  flags.ui32.ReadOnly = std::ranges::none_of(access, [](auto& a) { return a.second == HSA_ACCESS_PERMISSION_RW; });
  auto add = [&](uint32_t node) {
    if (std::ranges::find(nodes, node) == nodes.end()) nodes.push_back(node);
  };
  for (auto& [agent, permission] : access) {
    if (permission == HSA_ACCESS_PERMISSION_NONE) continue;
    if (agent->is_gpu())
      add(agent->node());
    else
      host = true;
  }
  const Agent* owner = mapping.physical->pool->owner;
  if (nodes.empty() && host && owner->is_gpu()) add(owner->node());
  ROCR_TRY(thunk::check(hsaKmtUnmapMemoryToGPU(pointer(va)), "hsaKmtUnmapMemoryToGPU"));
  HSAuint64 address = 0;
  if (!nodes.empty())
    ROCR_TRY(
        thunk::check(hsaKmtMapMemoryToGPUNodes(pointer(va), mapping.size, &address, flags, nodes.size(), nodes.data()),
                     "hsaKmtMapMemoryToGPUNodes"));
  else if (host)
    ROCR_TRY(thunk::check(hsaKmtMapMemoryToGPU(pointer(va), mapping.size, &address), "hsaKmtMapMemoryToGPU"));
  mapping.access = std::move(access);
  return {};
}

Outcome VirtualMemory::set_access(void* va, size_t size, const std::vector<Access>& wanted) {
  std::lock_guard lock(mutex_);
  const uintptr_t begin = number(va), end = begin + size;
  std::vector<std::map<uintptr_t, Mapping>::iterator> parts;
  uintptr_t at = begin;
  for (auto m = mapped_.find(begin); m != mapped_.end() && m->first == at && at < end; ++m) {
    parts.push_back(m);
    at += m->second.size;
  }
  if (size == 0 || at != end)
    return fail(HSA_STATUS_ERROR_INVALID_ALLOCATION, "{} bytes at {} are not one or more whole mappings", size, va);
  for (auto& [agent, permission] : wanted) {
    if (permission < HSA_ACCESS_PERMISSION_NONE || permission > HSA_ACCESS_PERMISSION_RW)
      return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is no access permission", int(permission));
    if (permission == HSA_ACCESS_PERMISSION_WO)
      return fail(static_cast<hsa_status_t>(HSA_STATUS_ERROR_NOT_SUPPORTED),
                  "access for writing alone is not possible");
  }
  for (auto& part : parts) {
    auto access = part->second.access;
    for (auto& [agent, permission] : wanted) {
      std::erase_if(access, [&](auto& a) { return a.first == agent; });
      access.emplace_back(agent, permission);
    }
    ROCR_TRY(apply(part->first, part->second, std::move(access)));
  }
  return {};
}

Result<hsa_access_permission_t> VirtualMemory::access(const void* va, const Agent& agent) const {
  std::lock_guard lock(mutex_);
  const auto at = mapping_at(number(va));
  if (at == mapped_.end()) return fail(HSA_STATUS_ERROR_INVALID_ALLOCATION, "no memory is mapped at {}", va);
  for (auto& [a, permission] : at->second.access)
    if (a == &agent) return permission;
  return HSA_ACCESS_PERMISSION_NONE;
}

std::optional<VirtualMemory::Info> VirtualMemory::find(const void* address) const {
  std::lock_guard lock(mutex_);
  if (const auto at = mapping_at(number(address)); at != mapped_.end()) {
    Info info{at->first, at->second.size, at->second.physical->pool, {}};
    for (auto& [agent, permission] : at->second.access)
      if (permission != HSA_ACCESS_PERMISSION_NONE) info.agents.push_back(agent);
    return info;
  }
  auto range = reserved_.upper_bound(number(address));
  if (range == reserved_.begin() || number(address) - std::prev(range)->first >= std::prev(range)->second)
    return std::nullopt;
  --range;
  return Info{range->first, range->second, nullptr, {}};
}

} // namespace bz::rocr
