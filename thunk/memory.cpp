#include "thunk/memory.hpp"

#include "abi/kfd_ioctl.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <sys/mman.h>

namespace bz::thunk {
namespace {

constexpr uint64_t kPage = 4096, kHugePage = 2ull << 20;
constexpr uint64_t kReservation = 4ull << 40;  // address space only; less where the process is limited
constexpr uint64_t kGuardedFrom = 64ull << 10; // smaller allocations are packed, so that they share a host mapping
constexpr uint64_t kGuard = 64ull << 10;       // unused addresses behind the others
constexpr uint64_t kAddressLimit = 1ull << 47;

uint64_t up(uint64_t value, uint64_t step) { return (value + step - 1) / step * step; }
void* pointer(uint64_t address) { return reinterpret_cast<void*>(address); }

uint32_t kfd_flags(HsaMemFlags f) {
  uint32_t flags = 0;
  auto set = [&](bool wanted, uint32_t bit) { flags |= wanted ? bit : 0; };
  set(!f.ui32.ReadOnly, KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE);
  set(f.ui32.ExecuteAccess, KFD_IOC_ALLOC_MEM_FLAGS_EXECUTABLE);
  set(f.ui32.HostAccess, KFD_IOC_ALLOC_MEM_FLAGS_PUBLIC);
  set(f.ui32.NoSubstitute, KFD_IOC_ALLOC_MEM_FLAGS_NO_SUBSTITUTE);
  set(f.ui32.AQLQueueMemory, KFD_IOC_ALLOC_MEM_FLAGS_AQL_QUEUE_MEM);
  set(!f.ui32.CoarseGrain, KFD_IOC_ALLOC_MEM_FLAGS_COHERENT);
  set(f.ui32.Uncached, KFD_IOC_ALLOC_MEM_FLAGS_UNCACHED);
  set(f.ui32.ExtendedCoherent, KFD_IOC_ALLOC_MEM_FLAGS_EXT_COHERENT);
  set(f.ui32.Contiguous, KFD_IOC_ALLOC_MEM_FLAGS_CONTIGUOUS_BEST_EFFORT);
  return flags;
}

} // namespace

MemoryManager::~MemoryManager() {
  for (auto& [key, object] : placed_) {
    (void)unmap_one(object);
    release(object);
  }
  for (auto* table : {&registered_})
    for (auto& [key, object] : *table) {
      (void)unmap_one(object);
      release(object);
    }
  for (auto& [key, object] : allocated_) {
    (void)unmap_one(object);
    release(object);
  }
}

MemoryManager::Object* MemoryManager::find(uint64_t address) {
  for (auto* table : {&placed_, &allocated_})
    if (auto after = table->upper_bound(address);
        after != table->begin() && std::prev(after)->second.holds(address))
      return &std::prev(after)->second;
  if (auto exact = registered_.find(address); exact != registered_.end()) return &exact->second;
  for (auto& [key, object] : registered_)
    if (address >= object.address && address < object.begin + object.size) return &object;
  return nullptr;
}

bool MemoryManager::take_addresses(Object& object, uint64_t alignment) {
  if (!space_.reserved() && !space_.reserve(kReservation)) return false;
  object.guard = object.size >= kGuardedFrom ? kGuard : 0;
  const Node* where = channel_.topology().node(object.node);
  Zone zone = object.flags.ui32.ExecuteAccess ? Zone::code : where && where->gpu_id != 0 ? Zone::device : Zone::host;
  object.begin = space_.take(object.size + object.guard, alignment, zone);
  return object.begin != 0;
}

HSAKMT_STATUS MemoryManager::back_with_driver(Object& object, uint32_t gpu_node, uint32_t kind, bool host_access) {
  const Node& gpu = *channel_.gpu(gpu_node);
  kfd_ioctl_alloc_memory_of_gpu_args args{};
  args.va_addr = object.begin;
  args.size = object.size;
  args.gpu_id = gpu.gpu_id;
  args.flags = kfd_flags(object.flags) | kind;
  if (kind == KFD_IOC_ALLOC_MEM_FLAGS_USERPTR) args.mmap_offset = object.begin;
  if (auto s = channel_.call(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, args, "ALLOC_MEMORY_OF_GPU"); s != HSAKMT_STATUS_SUCCESS)
    return s;
  object.handle = args.handle;
  if (!host_access || kind == KFD_IOC_ALLOC_MEM_FLAGS_USERPTR) return HSAKMT_STATUS_SUCCESS;
  return host_map(object, channel_.render(gpu_node), args.mmap_offset);
}

HSAKMT_STATUS MemoryManager::host_map(const Object& object, int render, uint64_t offset) {
  void* p = channel_.driver().mmap(pointer(object.begin), object.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                                   render, static_cast<off_t>(offset));
  if (int e = mmap_errno(p))
    return fail(status_of(e), "mmap of {} bytes at {:#x}: {}", object.size, object.begin, std::strerror(e));
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS MemoryManager::allocate(uint32_t node, uint64_t size, uint64_t alignment, HsaMemFlags flags,
                                      void** address) {
  const Node* where = channel_.topology().node(node);
  if (!where) return fail(HSAKMT_STATUS_INVALID_NODE_UNIT, "there is no node {}", node);
  if (!address || size == 0 || size % kPage != 0 || size > kAddressLimit)
    return fail(HSAKMT_STATUS_INVALID_PARAMETER, "{} bytes are no whole number of pages", size);
  if (alignment != 0 && (alignment < kPage || !std::has_single_bit(alignment)))
    return fail(HSAKMT_STATUS_INVALID_PARAMETER, "alignment {} is no power of two of at least a page", alignment);
  if (flags.ui32.GDSMemory) return fail(HSAKMT_STATUS_NOT_SUPPORTED, "GDS memory is not supported");
  if (flags.ui32.NoAddress && flags.ui32.OnlyAddress)
    return fail(HSAKMT_STATUS_INVALID_PARAMETER, "neither memory nor addresses are asked for");
  Object object;
  object.size = size;
  object.node = node;
  object.flags = flags;
  bool on_gpu = where->gpu_id != 0;
  // Memory without an address has one that nobody uses: it names the memory until that is placed.
  const bool no_address = flags.ui32.NoAddress;

  std::lock_guard lock(mutex_);
  if (flags.ui32.FixedAddress) {
    object.begin = reinterpret_cast<uint64_t>(*address);
    if (object.begin == 0 || object.begin % kPage != 0)
      return fail(HSAKMT_STATUS_INVALID_PARAMETER, "{:#x} is no page's address", object.begin);
    // Inside our reservation it must be free there (or reserved as address space only before).
    auto reserved = allocated_.find(object.begin);
    if (reserved != allocated_.end() && reserved->second.flags.ui32.OnlyAddress && reserved->second.size >= size)
      return fail(HSAKMT_STATUS_NOT_IMPLEMENTED, "backing a part of reserved addresses is not implemented");
    if (space_.contains(object.begin) && !space_.take_at(object.begin, size))
      return fail(HSAKMT_STATUS_NO_MEMORY, "{} bytes at {:#x} are not free", size, object.begin);
  } else if (!take_addresses(object, std::max(alignment, size >= kHugePage ? kHugePage : kPage))) {
    return fail(HSAKMT_STATUS_NO_MEMORY, "no address space for {} bytes", size);
  }
  object.address = object.begin;

  HSAKMT_STATUS status = HSAKMT_STATUS_SUCCESS;
  if (flags.ui32.OnlyAddress) {
    object.type = HSA_POINTER_RESERVED_ADDR;
  } else if (on_gpu) {
    status = back_with_driver(object, node, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, flags.ui32.HostAccess && !no_address);
    if (status == HSAKMT_STATUS_SUCCESS && flags.ui32.Scratch) {
      kfd_ioctl_set_scratch_backing_va_args scratch{object.begin, where->gpu_id, 0};
      status = channel_.call(AMDKFD_IOC_SET_SCRATCH_BACKING_VA, scratch, "SET_SCRATCH_BACKING_VA");
    }
  } else if ((flags.ui32.NonPaged || no_address) && !channel_.gpus().empty()) {
    status = back_with_driver(object, channel_.gpus()[0], KFD_IOC_ALLOC_MEM_FLAGS_GTT, !no_address);
  } else {
    // Pageable host memory: ordinary pages at that address, which the GPUs get as user memory.
    void* p = mmap(pointer(object.begin), size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
                       (space_.contains(object.begin) ? MAP_FIXED : MAP_FIXED_NOREPLACE),
                   -1, 0);
    if (p != pointer(object.begin)) {
      if (p != MAP_FAILED) munmap(p, size);
      status = fail(HSAKMT_STATUS_NO_MEMORY, "no pages at {:#x}: {}", object.begin, std::strerror(errno));
    } else if (!channel_.gpus().empty()) {
      status = back_with_driver(object, channel_.gpus()[0], KFD_IOC_ALLOC_MEM_FLAGS_USERPTR, true);
    }
  }
  if (status != HSAKMT_STATUS_SUCCESS) {
    release(object);
    return status;
  }
  *address = pointer(object.begin);
  allocated_.emplace(object.begin, std::move(object));
  return HSAKMT_STATUS_SUCCESS;
}

/// Gives everything back that the object has got so far.
void MemoryManager::release(Object& object) {
  if (object.handle) {
    kfd_ioctl_free_memory_of_gpu_args args{object.handle};
    (void)channel_.call(AMDKFD_IOC_FREE_MEMORY_OF_GPU, args, "FREE_MEMORY_OF_GPU");
  }
  if (object.type == HSA_POINTER_REGISTERED_USER || object.placed) return; // the addresses are somebody else's
  if (!space_.contains(object.begin)) {
    munmap(pointer(object.begin), object.size);
    return;
  }
  // Back to a reservation; where the mappings of the process are used up, at least the pages go.
  void* p = mmap(pointer(object.begin), object.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED,
                 -1, 0);
  if (p == MAP_FAILED) madvise(pointer(object.begin), object.size, MADV_DONTNEED);
  space_.give_back(object.begin, object.size + object.guard);
}

HSAKMT_STATUS MemoryManager::free(void* address) {
  std::lock_guard lock(mutex_);
  auto it = allocated_.find(reinterpret_cast<uint64_t>(address));
  if (it == allocated_.end()) return fail(HSAKMT_STATUS_MEMORY_NOT_REGISTERED, "{} is no allocation", address);
  if (it->second.type == HSA_POINTER_RESERVED_ADDR)
    if (auto inside = placed_.lower_bound(it->first); inside != placed_.end() && it->second.holds(inside->first))
      return fail(HSAKMT_STATUS_ERROR, "there is still memory at {:#x} in the reservation", inside->first);
  if (!it->second.mapped.empty())
    return fail(HSAKMT_STATUS_ERROR, "{} is still mapped to {} GPU(s)", address, it->second.mapped.size());
  release(it->second);
  allocated_.erase(it);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS MemoryManager::register_host(void* address, uint64_t size, HsaMemFlags flags,
                                           const std::vector<uint32_t>* nodes) {
  auto at = reinterpret_cast<uint64_t>(address);
  if (at == 0 || size == 0 || at >= kAddressLimit || size > kAddressLimit - at)
    return fail(HSAKMT_STATUS_INVALID_PARAMETER, "{} bytes at {:#x} can't be registered", size, at);
  if (nodes)
    for (uint32_t n : *nodes)
      if (!channel_.gpu(n)) return fail(HSAKMT_STATUS_INVALID_NODE_UNIT, "node {} is no GPU", n);
  std::lock_guard lock(mutex_);
  auto after = allocated_.upper_bound(at);
  if (after != allocated_.begin() && std::prev(after)->second.holds(at))
    return fail(HSAKMT_STATUS_MEMORY_ALREADY_REGISTERED, "{:#x} is an allocation of this library", at);
  uint64_t begin = at / kPage * kPage, end = up(at + size, kPage);
  for (auto [it, stop] = registered_.equal_range(at); it != stop; ++it) {
    Object& same = it->second;
    if (same.begin + same.size != end) continue;
    if (nodes && same.registered != *nodes)
      return fail(HSAKMT_STATUS_MEMORY_ALREADY_REGISTERED, "{:#x} is registered to other nodes", at);
    ++same.references;
    return HSAKMT_STATUS_SUCCESS;
  }
  Object object;
  object.address = at;
  object.begin = begin;
  object.size = end - begin;
  object.type = HSA_POINTER_REGISTERED_USER;
  object.flags = flags;
  if (nodes) object.registered = *nodes;
  if (!channel_.gpus().empty())
    if (auto s = back_with_driver(object, channel_.gpus()[0], KFD_IOC_ALLOC_MEM_FLAGS_USERPTR, true);
        s != HSAKMT_STATUS_SUCCESS)
      return s;
  registered_.emplace(at, std::move(object));
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS MemoryManager::deregister(void* address) {
  std::lock_guard lock(mutex_);
  auto it = registered_.find(reinterpret_cast<uint64_t>(address));
  if (it == registered_.end()) return fail(HSAKMT_STATUS_MEMORY_NOT_REGISTERED, "{} is not registered", address);
  if (--it->second.references > 0) return HSAKMT_STATUS_SUCCESS;
  if (auto s = unmap_one(it->second); s != HSAKMT_STATUS_SUCCESS) return s;
  release(it->second);
  registered_.erase(it);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS MemoryManager::map_one(Object& object, const std::vector<uint32_t>& nodes) {
  if (!object.handle) return HSAKMT_STATUS_SUCCESS; // no GPU in the system, or nothing behind the addresses
  std::vector<uint32_t> ids;
  for (uint32_t n : nodes) ids.push_back(channel_.gpu(n)->gpu_id);
  if (ids.empty()) return HSAKMT_STATUS_SUCCESS;
  kfd_ioctl_map_memory_to_gpu_args args{object.handle, reinterpret_cast<uint64_t>(ids.data()),
                                        static_cast<uint32_t>(ids.size()), 0};
  HSAKMT_STATUS status = channel_.call(AMDKFD_IOC_MAP_MEMORY_TO_GPU, args, "MAP_MEMORY_TO_GPU");
  for (uint32_t i = 0; i < args.n_success && i < nodes.size(); ++i)
    if (std::find(object.mapped.begin(), object.mapped.end(), nodes[i]) == object.mapped.end())
      object.mapped.push_back(nodes[i]);
  return status;
}

HSAKMT_STATUS MemoryManager::unmap_one(Object& object) {
  if (object.mapped.empty()) return HSAKMT_STATUS_SUCCESS;
  std::vector<uint32_t> ids;
  for (uint32_t n : object.mapped) ids.push_back(channel_.gpu(n)->gpu_id);
  kfd_ioctl_unmap_memory_from_gpu_args args{object.handle, reinterpret_cast<uint64_t>(ids.data()),
                                            static_cast<uint32_t>(ids.size()), 0};
  HSAKMT_STATUS status = channel_.call(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, args, "UNMAP_MEMORY_FROM_GPU");
  object.mapped.erase(object.mapped.begin(),
                      object.mapped.begin() + std::min<size_t>(args.n_success, object.mapped.size()));
  return status;
}

HSAKMT_STATUS MemoryManager::map(void* address, uint64_t size, uint64_t* gpu_address,
                                 const std::vector<uint32_t>* nodes, bool read_only) {
  if (!address || size == 0) return fail(HSAKMT_STATUS_INVALID_PARAMETER, "nothing to map");
  if (nodes)
    for (uint32_t n : *nodes)
      if (!channel_.gpu(n)) return fail(HSAKMT_STATUS_INVALID_NODE_UNIT, "node {} is no GPU", n);
  std::lock_guard lock(mutex_);
  auto at = reinterpret_cast<uint64_t>(address);
  Object* object = find(at);
  if (!object) return fail(HSAKMT_STATUS_MEMORY_NOT_REGISTERED, "{} is neither allocated nor registered", address);
  if (at - object->begin > object->size || size > object->size - (at - object->begin))
    return fail(HSAKMT_STATUS_INVALID_PARAMETER, "{} bytes at {} go beyond the allocation", size, address);
  const std::vector<uint32_t>& to = nodes ? *nodes : object->registered.empty() ? channel_.gpus() : object->registered;
  HSAKMT_STATUS status = map_one(*object, to);
  // VA = VA: the GPUs have the host's access. Memory that the host maps itself is never taken from it.
  if (status == HSAKMT_STATUS_SUCCESS && object->placed &&
      mprotect(reinterpret_cast<void*>(object->begin), object->size, read_only ? PROT_READ : PROT_READ | PROT_WRITE) != 0)
    return fail(HSAKMT_STATUS_NO_MEMORY, "protecting {} bytes at {}: {}", object->size, address, std::strerror(errno));
  if (status == HSAKMT_STATUS_SUCCESS && gpu_address) *gpu_address = at; // VA = VA
  return status;
}

HSAKMT_STATUS MemoryManager::unmap(void* address) {
  std::lock_guard lock(mutex_);
  Object* object = find(reinterpret_cast<uint64_t>(address));
  if (!object) return fail(HSAKMT_STATUS_MEMORY_NOT_REGISTERED, "{} is neither allocated nor registered", address);
  return unmap_one(*object);
}

HSAKMT_STATUS MemoryManager::info(const void* address, HsaPointerInfo& out) {
  std::lock_guard lock(mutex_);
  out = {};
  const Object* object = find(reinterpret_cast<uint64_t>(address));
  if (!object) {
    out.Type = HSA_POINTER_UNKNOWN;
    return fail(HSAKMT_STATUS_ERROR, "{} is no memory of this library", address);
  }
  out.Type = object->type;
  out.Node = object->node;
  out.MemFlags = object->flags;
  out.CPUAddress = pointer(object->address);
  out.GPUAddress = object->address;
  out.SizeInBytes = object->begin + object->size - object->address;
  out.NRegisteredNodes = static_cast<HSAuint32>(object->registered.size());
  out.RegisteredNodes = object->registered.data();
  out.NMappedNodes = static_cast<HSAuint32>(object->mapped.size());
  out.MappedNodes = object->mapped.data();
  out.UserData = object->user_data;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS MemoryManager::set_user_data(const void* address, void* data) {
  std::lock_guard lock(mutex_);
  Object* object = find(reinterpret_cast<uint64_t>(address));
  if (!object) return fail(HSAKMT_STATUS_ERROR, "{} is no memory of this library", address);
  object->user_data = data;
  return HSAKMT_STATUS_SUCCESS;
}

uint64_t MemoryManager::handle_of(const void* address) {
  std::lock_guard lock(mutex_);
  Object* object = find(reinterpret_cast<uint64_t>(address));
  return object ? object->handle : 0;
}

} // namespace bz::thunk
