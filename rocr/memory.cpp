#include "rocr/memory.hpp"

#include "base/readable.hpp"


#include <algorithm>
#include <cstring>
#include <mutex>

namespace bz::rocr {

namespace {

std::vector<HSAuint32> nodes_of(std::span<Agent* const> agents) {
  std::vector<HSAuint32> nodes;
  for (const Agent* a : agents)
    if (std::ranges::find(nodes, a->node()) == nodes.end()) nodes.push_back(a->node());
  return nodes;
}

Status map_to(void* ptr, size_t size, std::span<Agent* const> gpus, uint64_t* agent_address) {
  HSAuint64 address = 0;
  std::vector<HSAuint32> nodes = nodes_of(gpus);
  BZ_TRY(thunk::check(hsaKmtMapMemoryToGPUNodes(ptr, size, &address, HsaMemMapFlags{}, nodes.size(), nodes.data()),
                      "hsaKmtMapMemoryToGPUNodes"));
  *agent_address = address ? address : reinterpret_cast<uint64_t>(ptr);
  return {};
}

} // namespace

Memory::~Memory() {
  for (auto& [base, a] : locked_) {
    hsaKmtUnmapMemoryToGPU(reinterpret_cast<void*>(base));
    hsaKmtDeregisterMemory(reinterpret_cast<void*>(base));
  }
  for (auto& [base, a] : allocations_) {
    if (a.kind == Allocation::Kind::shared) {
      hsaKmtDeregisterMemory(reinterpret_cast<void*>(base));
      continue;
    }
    if (!a.accessible.empty()) hsaKmtUnmapMemoryToGPU(reinterpret_cast<void*>(base));
    hsaKmtFreeMemory(reinterpret_cast<void*>(base), a.size);
  }
}

Result<void*> Memory::allocate(Pool& pool, size_t size, Options options) {
  if (!pool.allocates)
    return fail(HSA_STATUS_ERROR_INVALID_ALLOCATION, "nothing can be allocated in this pool of {}", pool.owner->name());
  if (size == 0) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "the size is 0");
  if (size > pool.size)
    return fail(HSA_STATUS_ERROR_INVALID_ALLOCATION, "{} bytes are more than the pool's {}", size, pool.size);
  size = (size + Pool::kGranule - 1) & ~(Pool::kGranule - 1);
  void* ptr = nullptr;
  HsaMemFlags flags = pool.memory_flags(options.executable);
  if (options.shareable) flags.ui32.NonPaged = 1;
  const HSAKMT_STATUS status = options.alignment > Pool::kGranule
                                   ? hsaKmtAllocMemoryAlign(pool.owner->node(), size, options.alignment, flags, &ptr)
                                   : hsaKmtAllocMemory(pool.owner->node(), size, flags, &ptr);
  if (Status s = thunk::check(status, "hsaKmtAllocMemory"); !s.ok())
    return fail(Outcome(s).code(), "{} bytes of {} on node {}: {}", size, pool.system ? "host memory" : "device memory",
                pool.owner->node(), s.message());
  Allocation a;
  a.base = a.agent_base = reinterpret_cast<uintptr_t>(ptr);
  a.size = size;
  a.pool = &pool;
  // Host memory is for all GPUs at once; device memory is for its own until others are let in.
  if (pool.system)
    a.accessible = gpus_;
  else
    a.accessible = {pool.owner};
  if (!a.accessible.empty()) {
    uint64_t address = 0;
    if (Status s = map_to(ptr, size, a.accessible, &address); !s.ok()) {
      hsaKmtFreeMemory(ptr, size);
      return s;
    }
    a.agent_base = address;
  }
  std::unique_lock lock(mutex_);
  allocations_.emplace(a.base, std::move(a));
  return ptr;
}

Outcome Memory::free(void* ptr) {
  if (!ptr) return {};
  Allocation a;
  {
    std::unique_lock lock(mutex_);
    const auto at = allocations_.find(reinterpret_cast<uintptr_t>(ptr));
    if (at == allocations_.end()) {
      const Allocation* inside = find_locked(ptr);
      return fail(HSA_STATUS_ERROR_INVALID_ALLOCATION, "{} is {}", ptr,
                  inside ? "inside an allocation, not its beginning" : "no allocation (freed already, or never one)");
    }
    if (at->second.kind == Allocation::Kind::shared)
      return fail(HSA_STATUS_ERROR_INVALID_ALLOCATION, "{} is another process's memory: detach it", ptr);
    a = std::move(at->second);
    allocations_.erase(at);
  }
  for (const auto& [callback, data] : a.on_free) callback(ptr, data);
  if (!a.accessible.empty()) hsaKmtUnmapMemoryToGPU(ptr);
  return thunk::check(hsaKmtFreeMemory(ptr, a.size), "hsaKmtFreeMemory");
}

Outcome Memory::allow_access(const void* ptr, std::span<Agent* const> gpus) {
  std::unique_lock lock(mutex_);
  Allocation* a = find_locked(ptr);
  if (!a || a->kind == Allocation::Kind::locked)
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is in no allocation", ptr);
  std::vector<Agent*> wanted(gpus.begin(), gpus.end());
  if (!a->pool->system && std::ranges::find(wanted, a->pool->owner) == wanted.end()) wanted.push_back(a->pool->owner);
  void* base = reinterpret_cast<void*>(a->base);
  const bool shrinks =
      std::ranges::any_of(a->accessible, [&](Agent* has) { return std::ranges::find(wanted, has) == wanted.end(); });
  if (shrinks) ROCR_TRY(thunk::check(hsaKmtUnmapMemoryToGPU(base), "hsaKmtUnmapMemoryToGPU"));
  if (!wanted.empty()) {
    uint64_t address = 0;
    ROCR_TRY(map_to(base, a->size, wanted, &address));
  }
  a->accessible = std::move(wanted);
  return {};
}

Result<void*> Memory::lock(void* host, size_t size, Pool* pool, std::span<Agent* const> gpus) {
  std::unique_lock lock(mutex_);
  const uintptr_t base = reinterpret_cast<uintptr_t>(host);
  if (const Allocation* a = find_locked(host); a && a->kind != Allocation::Kind::locked)
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} was allocated by this runtime and needs no lock", host);
  const auto known = locked_.find(base);
  if (known != locked_.end() && known->second.size >= size) {
    ++known->second.locks;
    return reinterpret_cast<void*>(known->second.agent_base);
  }
  if (!readable(host, size))
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} bytes at {} are not all mapped memory", size, host);
  if (known != locked_.end()) { // the same beginning, but longer: pin it anew
    hsaKmtUnmapMemoryToGPU(host);
    hsaKmtDeregisterMemory(host);
  }
  HsaMemFlags flags = pool->memory_flags(false);
  flags.ui32.NonPaged = 0;
  ROCR_TRY(thunk::check(hsaKmtRegisterMemoryWithFlags(host, size, flags), "hsaKmtRegisterMemoryWithFlags"));
  uint64_t address = base;
  if (!gpus.empty())
    if (Status s = map_to(host, size, gpus, &address); !s.ok()) {
      hsaKmtDeregisterMemory(host);
      return s;
    }
  Allocation& a = locked_[base];
  a.kind = Allocation::Kind::locked;
  a.base = base;
  a.size = size;
  a.agent_base = address;
  a.pool = pool;
  a.accessible.assign(gpus.begin(), gpus.end());
  ++a.locks;
  return reinterpret_cast<void*>(address);
}

Outcome Memory::unlock(void* host) {
  std::unique_lock lock(mutex_);
  const auto at = locked_.find(reinterpret_cast<uintptr_t>(host));
  if (at == locked_.end()) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is not locked", host);
  if (--at->second.locks) return {};
  locked_.erase(at);
  hsaKmtUnmapMemoryToGPU(host);
  return thunk::check(hsaKmtDeregisterMemory(host), "hsaKmtDeregisterMemory");
}

Outcome Memory::share(void* ptr, size_t size, hsa_amd_ipc_memory_t& handle) const {
  {
    std::shared_lock lock(mutex_);
    const Allocation* a = find_locked(ptr);
    if (!a || a->kind == Allocation::Kind::locked || a->base != reinterpret_cast<uintptr_t>(ptr))
      return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is not the beginning of an allocation", ptr);
    if (size == 0 || size > a->size)
      return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} bytes are not the {} of the allocation at {}", size, a->size,
                  ptr);
  }
  HsaSharedMemoryHandle words;
  if (Status s = thunk::check(hsaKmtShareMemory(ptr, size, &words), "hsaKmtShareMemory"); !s.ok())
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} can't be shared: {}", ptr, s.message());
  std::memcpy(&handle, words, sizeof words);
  return {};
}

Result<void*> Memory::attach(const hsa_amd_ipc_memory_t& handle, size_t size, std::span<Agent* const> gpus,
                             const std::function<Pool*(uint32_t node)>& pool_of) {
  HsaSharedMemoryHandle words;
  std::memcpy(words, &handle, sizeof words);
  const std::span<Agent* const> for_gpus = gpus.empty() ? std::span<Agent* const>(gpus_) : gpus;
  std::vector<HSAuint32> nodes = nodes_of(for_gpus);
  void* ptr = nullptr;
  HSAuint64 whole = 0;
  if (Status s = thunk::check(hsaKmtRegisterSharedHandleToNodes(&words, &ptr, &whole, nodes.size(), nodes.data()),
                              "hsaKmtRegisterSharedHandleToNodes");
      !s.ok())
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "this memory can't be attached: {}", s.message());
  if (size > whole) {
    hsaKmtDeregisterMemory(ptr);
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} bytes are more than the {} that were shared", size,
                static_cast<uint64_t>(whole));
  }
  return enter_shared(ptr, whole, for_gpus, pool_of);
}

Result<void*> Memory::import_dmabuf(int fd, std::span<Agent* const> gpus,
                                    const std::function<Pool*(uint32_t node)>& pool_of, size_t& size) {
  HsaGraphicsResourceInfo info{};
  std::vector<HSAuint32> nodes = nodes_of(gpus);
  HSA_REGISTER_MEM_FLAGS flags{};
  flags.ui32.requiresVAddr = 1;
  if (Status s = thunk::check(hsaKmtRegisterGraphicsHandleToNodesExt(static_cast<HSAuint64>(fd), &info, nodes.size(),
                                                                     nodes.data(), flags),
                              "hsaKmtRegisterGraphicsHandleToNodesExt");
      !s.ok())
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "descriptor {}: {}", fd, s.message());
  size = info.SizeInBytes;
  return enter_shared(info.MemoryAddress, size, gpus, pool_of);
}

Result<void*> Memory::enter_shared(void* ptr, size_t size, std::span<Agent* const> gpus,
                                   const std::function<Pool*(uint32_t node)>& pool_of) {
  auto undo = [&](Outcome why) {
    hsaKmtDeregisterMemory(ptr);
    return why;
  };
  Allocation a;
  a.kind = Allocation::Kind::shared;
  a.base = a.agent_base = reinterpret_cast<uintptr_t>(ptr);
  a.size = size;
  a.accessible.assign(gpus.begin(), gpus.end());
  HsaPointerInfo info{};
  if (hsaKmtQueryPointerInfo(ptr, &info) == HSAKMT_STATUS_SUCCESS) a.pool = pool_of(info.Node);
  if (!a.pool) return undo(fail(HSA_STATUS_ERROR, "nobody here owns the shared memory"));
  uint64_t address = 0;
  if (Status s = map_to(ptr, size, gpus, &address); !s.ok()) return undo(s);
  std::unique_lock lock(mutex_);
  allocations_.emplace(a.base, std::move(a));
  return ptr;
}

Outcome Memory::detach(void* ptr) {
  {
    std::unique_lock lock(mutex_);
    const auto at = allocations_.find(reinterpret_cast<uintptr_t>(ptr));
    if (at == allocations_.end() || at->second.kind != Allocation::Kind::shared)
      return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} was not attached, or is detached already", ptr);
    allocations_.erase(at);
  }
  hsaKmtUnmapMemoryToGPU(ptr);
  return thunk::check(hsaKmtDeregisterMemory(ptr), "hsaKmtDeregisterMemory");
}

Allocation* Memory::find_locked(const void* ptr) {
  return const_cast<Allocation*>(std::as_const(*this).find_locked(ptr));
}

const Allocation* Memory::find_locked(const void* ptr) const {
  const uintptr_t address = reinterpret_cast<uintptr_t>(ptr);
  for (const auto* table : {&allocations_, &locked_}) {
    auto at = table->upper_bound(address);
    if (at == table->begin()) continue;
    --at;
    if (at->second.contains(address)) return &at->second;
  }
  return nullptr;
}

std::optional<Allocation> Memory::find(const void* ptr) const {
  std::shared_lock lock(mutex_);
  if (const Allocation* a = find_locked(ptr)) return *a;
  return std::nullopt;
}

Outcome Memory::set_user_data(const void* ptr, void* data) {
  std::unique_lock lock(mutex_);
  Allocation* a = find_locked(ptr);
  if (!a) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is in no allocation", ptr);
  a->user_data = data;
  return {};
}

Outcome Memory::on_free(void* ptr, hsa_amd_deallocation_callback_t callback, void* data) {
  std::unique_lock lock(mutex_);
  Allocation* a = find_locked(ptr);
  if (!a || a->base != reinterpret_cast<uintptr_t>(ptr) || a->kind != Allocation::Kind::pool)
    return fail(HSA_STATUS_ERROR_INVALID_ALLOCATION, "{} is not the beginning of an allocation", ptr);
  a->on_free.emplace_back(callback, data);
  return {};
}

Outcome Memory::cancel_on_free(void* ptr, hsa_amd_deallocation_callback_t callback) {
  std::unique_lock lock(mutex_);
  Allocation* a = find_locked(ptr);
  if (!a) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is in no allocation", ptr);
  if (std::erase_if(a->on_free, [&](const auto& f) { return f.first == callback; }) == 0)
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "this callback isn't registered for {}", ptr);
  return {};
}

Outcome Memory::check_range(const char* what, const void* ptr, size_t size, bool written) const {
  if (size == 0) return {};
  if (!ptr) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "the {} is null", what);
  {
    std::shared_lock lock(mutex_);
    if (const Allocation* a = find_locked(ptr)) {
      const size_t room = a->size - (reinterpret_cast<uintptr_t>(ptr) - a->base);
      // Locked memory may go on beyond what was locked; an allocation ends where it ends.
      if (size <= room) return {};
      if (a->kind != Allocation::Kind::locked)
        return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "the {} {} has {} bytes to the end of its allocation, not {}",
                    what, ptr, room, size);
    }
  }
  if (written ? !writable(const_cast<void*>(ptr), size) : !readable(ptr, size))
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "the {}, {} bytes at {}, is not all mapped memory{}", what, size, ptr,
                written ? " that can be written" : "");
  return {};
}

} // namespace bz::rocr
