// Pools, regions, allocations, pinned memory, pointers.
#include "rocr/impl.hpp"
#include "rocr/put.hpp"
#include "rocr/runtime.hpp"

#include <algorithm>

namespace bz::rocr::impl {

namespace {

Result<Pool*> pool_of(const Runtime& runtime, hsa_amd_memory_pool_t pool) {
  return runtime.pool(pool.handle, HSA_STATUS_ERROR_INVALID_MEMORY_POOL);
}
Result<Pool*> region_of(const Runtime& runtime, hsa_region_t region) {
  return runtime.pool(region.handle, HSA_STATUS_ERROR_INVALID_REGION);
}

/// The GPUs among some agents; CPUs need no mapping.
Result<std::vector<Agent*>> gpus_of(const Runtime& runtime, uint32_t count, const hsa_agent_t* agents) {
  std::vector<Agent*> gpus;
  for (uint32_t i = 0; i < count; ++i) {
    ROCR_TRY_ASSIGN(Agent * a, runtime.agent(agents[i]));
    if (a->is_gpu() && std::ranges::find(gpus, a) == gpus.end()) gpus.push_back(a);
  }
  return gpus;
}

} // namespace

Outcome hsa_amd_agent_iterate_memory_pools(Runtime& runtime, hsa_agent_t agent, PoolVisitor callback, void* data) {
  if (!callback) return null_argument("callback");
  ROCR_TRY_ASSIGN(const Agent* a, runtime.agent(agent));
  for (const auto& p : a->pools())
    if (const hsa_status_t s = callback({reinterpret_cast<uint64_t>(p.get())}, data); s != HSA_STATUS_SUCCESS) return s;
  return {};
}

Outcome hsa_amd_memory_pool_get_info(Runtime& runtime, hsa_amd_memory_pool_t pool, hsa_amd_memory_pool_info_t attribute,
                                     void* value) {
  if (!value) return null_argument("value");
  ROCR_TRY_ASSIGN(const Pool* p, pool_of(runtime, pool));
  switch (attribute) {
  case HSA_AMD_MEMORY_POOL_INFO_SEGMENT:
    return put(value, p->segment);
  case HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS:
    return put(value, p->global_flags);
  case HSA_AMD_MEMORY_POOL_INFO_SIZE:
    return put(value, p->size);
  case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED:
    return put(value, p->allocates);
  case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE:
  case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALIGNMENT:
    return put(value, p->allocates ? Pool::kGranule : size_t(0));
  case HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_REC_GRANULE:
    return put(value, p->allocates ? (p->system ? Pool::kGranule : size_t(2) << 20) : size_t(0));
  case HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL:
    return put(value, p->system);
  case HSA_AMD_MEMORY_POOL_INFO_ALLOC_MAX_SIZE:
    return put(value, p->allocates ? p->size : size_t(0));
  case HSA_AMD_MEMORY_POOL_INFO_LOCATION:
    return put(value, p->system ? HSA_AMD_MEMORY_POOL_LOCATION_CPU : HSA_AMD_MEMORY_POOL_LOCATION_GPU);
  }
  return bad_attribute(attribute);
}

Outcome hsa_amd_agent_memory_pool_get_info(Runtime& runtime, hsa_agent_t agent, hsa_amd_memory_pool_t pool,
                                           hsa_amd_agent_memory_pool_info_t attribute, void* value) {
  if (!value) return null_argument("value");
  ROCR_TRY_ASSIGN(const Agent* a, runtime.agent(agent));
  ROCR_TRY_ASSIGN(const Pool* p, pool_of(runtime, pool));
  const Link* link = nullptr;
  if (p->owner != a)
    for (const Link& l : a->links())
      if (l.to_node == p->owner->node()) link = &l;
  switch (attribute) {
  case HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS:
    if (p->segment != HSA_AMD_SEGMENT_GLOBAL)
      return put(value, p->owner == a ? HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT
                                      : HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED);
    if (p->owner == a || p->system) return put(value, HSA_AMD_MEMORY_POOL_ACCESS_ALLOWED_BY_DEFAULT);
    if (!a->is_gpu())
      return put(value, p->host_access ? HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT
                                       : HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED);
    return put(value,
               link ? HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT : HSA_AMD_MEMORY_POOL_ACCESS_NEVER_ALLOWED);
  case HSA_AMD_AGENT_MEMORY_POOL_INFO_NUM_LINK_HOPS:
    return put(value, link ? 1u : 0u);
  case HSA_AMD_AGENT_MEMORY_POOL_INFO_LINK_INFO:
    if (link) return put(value, link->info);
    return {}; // no hops, nothing to write
  }
  return bad_attribute(attribute);
}

Outcome hsa_amd_memory_pool_allocate(Runtime& runtime, hsa_amd_memory_pool_t pool, size_t size, uint32_t flags,
                                     void** ptr) {
  if (!ptr) return null_argument("ptr");
  *ptr = nullptr;
  ROCR_TRY_ASSIGN(Pool * p, pool_of(runtime, pool));
  if (flags & ~uint32_t(HSA_AMD_MEMORY_POOL_PCIE_FLAG | HSA_AMD_MEMORY_POOL_CONTIGUOUS_FLAG |
                        HSA_AMD_MEMORY_POOL_EXECUTABLE_FLAG | HSA_AMD_MEMORY_POOL_UNCACHED_FLAG))
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "flags {:#x} have unknown bits", flags);
  ROCR_TRY_ASSIGN(
      *ptr, runtime.memory().allocate(*p, size, {.executable = (flags & HSA_AMD_MEMORY_POOL_EXECUTABLE_FLAG) != 0}));
  return {};
}

Outcome hsa_amd_memory_pool_free(Runtime& runtime, void* ptr) { return runtime.memory().free(ptr); }

Outcome hsa_amd_agents_allow_access(Runtime& runtime, uint32_t count, const hsa_agent_t* agents, const uint32_t* flags,
                                    const void* ptr) {
  if (!count) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "no agents are named");
  if (!agents) return null_argument("agents");
  if (!ptr) return null_argument("ptr");
  if (flags) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "flags must be null");
  ROCR_TRY_ASSIGN(const auto gpus, gpus_of(runtime, count, agents));
  return runtime.memory().allow_access(ptr, gpus);
}

Outcome hsa_amd_memory_pool_can_migrate(Runtime& runtime, hsa_amd_memory_pool_t from, hsa_amd_memory_pool_t to,
                                        bool* result) {
  if (!result) return null_argument("result");
  ROCR_TRY(pool_of(runtime, from));
  ROCR_TRY(pool_of(runtime, to));
  *result = false; // an allocation stays where it is
  return {};
}

// ---- Regions: the pools in the words of the core interface.

Outcome hsa_agent_iterate_regions(Runtime& runtime, hsa_agent_t agent, RegionVisitor callback, void* data) {
  if (!callback) return null_argument("callback");
  ROCR_TRY_ASSIGN(const Agent* a, runtime.agent(agent));
  // An agent sees its own regions and, if it is a GPU, those of the host: kernel arguments live there.
  std::vector<const Agent*> owners = {a};
  if (a->is_gpu()) owners.push_back(runtime.nearest_cpu(*a));
  for (const Agent* owner : owners)
    for (const auto& p : owner->pools())
      if (const hsa_status_t s = callback({reinterpret_cast<uint64_t>(p.get())}, data); s != HSA_STATUS_SUCCESS)
        return s;
  return {};
}

Outcome hsa_region_get_info(Runtime& runtime, hsa_region_t region, hsa_region_info_t attribute, void* value) {
  if (!value) return null_argument("value");
  ROCR_TRY_ASSIGN(const Pool* p, region_of(runtime, region));
  switch (static_cast<int>(attribute)) {
  case HSA_REGION_INFO_SEGMENT:
    return put(value, p->segment == HSA_AMD_SEGMENT_GROUP ? HSA_REGION_SEGMENT_GROUP : HSA_REGION_SEGMENT_GLOBAL);
  case HSA_REGION_INFO_GLOBAL_FLAGS:
    return put(value, p->global_flags); // the same bits
  case HSA_REGION_INFO_SIZE:
    return put(value, p->size);
  case HSA_REGION_INFO_ALLOC_MAX_SIZE:
    return put(value, p->allocates ? p->size : size_t(0));
  case HSA_REGION_INFO_ALLOC_MAX_PRIVATE_WORKGROUP_SIZE:
    return put(value, 0u);
  case HSA_REGION_INFO_RUNTIME_ALLOC_ALLOWED:
    return put(value, p->allocates);
  case HSA_REGION_INFO_RUNTIME_ALLOC_GRANULE:
  case HSA_REGION_INFO_RUNTIME_ALLOC_ALIGNMENT:
    return put(value, p->allocates ? Pool::kGranule : size_t(0));
  case HSA_AMD_REGION_INFO_HOST_ACCESSIBLE:
    return put(value, p->host_access);
  case HSA_AMD_REGION_INFO_BASE:
    return put(value, static_cast<void*>(nullptr)); // a region has no fixed beginning
  case HSA_AMD_REGION_INFO_BUS_WIDTH:
    return put(value, p->width_bits);
  case HSA_AMD_REGION_INFO_MAX_CLOCK_FREQUENCY:
    return put(value, p->max_clock_mhz);
  }
  return bad_attribute(attribute);
}

Outcome hsa_memory_allocate(Runtime& runtime, hsa_region_t region, size_t size, void** ptr) {
  if (!ptr) return null_argument("ptr");
  *ptr = nullptr;
  if (!size) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "the size is 0");
  ROCR_TRY_ASSIGN(Pool * p, region_of(runtime, region));
  ROCR_TRY_ASSIGN(*ptr, runtime.memory().allocate(*p, size, {}));
  return {};
}

Outcome hsa_memory_free(Runtime& runtime, void* ptr) { return runtime.memory().free(ptr); }

Outcome hsa_memory_assign_agent(Runtime& runtime, void* ptr, hsa_agent_t agent, hsa_access_permission_t access) {
  if (!ptr) return null_argument("ptr");
  if (access < HSA_ACCESS_PERMISSION_RO || access > HSA_ACCESS_PERMISSION_RW)
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is no access permission", int(access));
  ROCR_TRY_ASSIGN(Agent * a, runtime.agent(agent));
  const auto found = runtime.memory().find(ptr);
  if (!found) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is in no allocation", ptr);
  // Memory is coherent for all that can reach it: the new owner only has to be one of them.
  if (!a->is_gpu()) return {};
  if (std::ranges::find(found->accessible, a) != found->accessible.end()) return {};
  std::vector<Agent*> gpus = found->accessible;
  gpus.push_back(a);
  return runtime.memory().allow_access(ptr, gpus);
}

// ---- Host memory

Outcome hsa_memory_register(Runtime& runtime, void* ptr, size_t size) {
  if (!ptr) return null_argument("ptr");
  if (!size) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "the size is 0");
  if (const auto known = runtime.memory().find(ptr); known && known->kind == Allocation::Kind::pool) return {};
  ROCR_TRY_ASSIGN(void* agent_ptr, runtime.memory().lock(ptr, size, &runtime.system_pool(), runtime.gpus()));
  if (agent_ptr == ptr) return {};
  (void)runtime.memory().unlock(ptr);
  return fail(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "{} can't be had at its own address by all agents", ptr);
}

Outcome hsa_memory_deregister(Runtime& runtime, void* ptr, size_t) {
  if (!ptr) return null_argument("ptr");
  if (const auto known = runtime.memory().find(ptr); known && known->kind == Allocation::Kind::pool) return {};
  return runtime.memory().unlock(ptr);
}

Outcome hsa_amd_memory_lock_to_pool(Runtime& runtime, void* host, size_t size, hsa_agent_t* agents, int count,
                                    hsa_amd_memory_pool_t pool, uint32_t flags, void** agent_ptr) {
  if (!agent_ptr) return null_argument("agent_ptr");
  *agent_ptr = nullptr;
  if (!host) return null_argument("host_ptr");
  if (!size) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "the size is 0");
  if (flags & ~uint32_t(HSA_AMD_MEMORY_POOL_PCIE_FLAG | HSA_AMD_MEMORY_POOL_UNCACHED_FLAG))
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "flags {:#x} mean nothing for pinned memory", flags);
  if ((agents && count <= 0) || (!agents && count != 0))
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "agents and num_agent don't fit together");
  Pool* p = &runtime.system_pool();
  if (pool.handle) {
    ROCR_TRY_ASSIGN(p, pool_of(runtime, pool));
    if (!p->system) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "pinned memory takes a pool of the host");
  }
  std::vector<Agent*> gpus = runtime.gpus();
  if (agents) { ROCR_TRY_ASSIGN(gpus, gpus_of(runtime, static_cast<uint32_t>(count), agents)); }
  ROCR_TRY_ASSIGN(*agent_ptr, runtime.memory().lock(host, size, p, gpus));
  return {};
}

Outcome hsa_amd_memory_lock(Runtime& runtime, void* host, size_t size, hsa_agent_t* agents, int count,
                            void** agent_ptr) {
  return hsa_amd_memory_lock_to_pool(runtime, host, size, agents, count, {0}, 0, agent_ptr);
}

Outcome hsa_amd_memory_unlock(Runtime& runtime, void* host) {
  if (!host) return null_argument("host_ptr");
  return runtime.memory().unlock(host);
}

Outcome hsa_amd_pointer_info(Runtime& runtime, const void* ptr, hsa_amd_pointer_info_t* info, PointerInfoAlloc alloc,
                             uint32_t* num_accessible, hsa_agent_t** accessible) {
  if (!ptr) return null_argument("ptr");
  if (!info) return null_argument("info");
  if (info->size == 0) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "info->size is not set");
  if (alloc && (!num_accessible || !accessible))
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "alloc needs num_agents_accessible and accessible");
  const auto found = runtime.memory().find(ptr);
  hsa_amd_pointer_info_t answer{};
  answer.size = std::min<uint32_t>(info->size, sizeof(answer));
  answer.type = HSA_EXT_POINTER_TYPE_UNKNOWN;
  if (found) {
    const bool locked = found->kind == Allocation::Kind::locked;
    answer.type = locked                                      ? HSA_EXT_POINTER_TYPE_LOCKED
                  : found->kind == Allocation::Kind::shared ? HSA_EXT_POINTER_TYPE_IPC
                                                            : HSA_EXT_POINTER_TYPE_HSA;
    answer.agentBaseAddress = reinterpret_cast<void*>(found->agent_base);
    answer.hostBaseAddress = found->pool->host_access ? reinterpret_cast<void*>(found->base) : nullptr;
    answer.sizeInBytes = found->size;
    answer.userData = found->user_data;
    answer.agentOwner = found->pool->owner->handle();
    answer.global_flags = found->pool->global_flags;
    answer.registered = locked;
  }
  const auto virtual_memory = found ? std::nullopt : runtime.vmem().find(ptr);
  if (virtual_memory) {
    answer.type = virtual_memory->pool ? HSA_EXT_POINTER_TYPE_HSA_VMEM : HSA_EXT_POINTER_TYPE_RESERVED_ADDR;
    answer.agentBaseAddress = reinterpret_cast<void*>(virtual_memory->base);
    answer.sizeInBytes = virtual_memory->size;
    if (virtual_memory->pool) {
      answer.agentOwner = virtual_memory->pool->owner->handle();
      answer.global_flags = virtual_memory->pool->global_flags;
    }
  }
  std::memcpy(info, &answer, answer.size);
  if (!alloc) return {};
  std::vector<hsa_agent_t> agents;
  if (found) {
    if (found->pool->host_access) agents.push_back(runtime.nearest_cpu(*found->pool->owner)->handle());
    for (const Agent* a : found->accessible) agents.push_back(a->handle());
  }
  if (virtual_memory)
    for (const Agent* a : virtual_memory->agents) agents.push_back(a->handle());
  *num_accessible = static_cast<uint32_t>(agents.size());
  *accessible = nullptr;
  if (agents.empty()) return {};
  *accessible = static_cast<hsa_agent_t*>(alloc(agents.size() * sizeof(hsa_agent_t)));
  if (!*accessible) return fail(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "alloc gave no memory");
  std::ranges::copy(agents, *accessible);
  return {};
}

Outcome hsa_amd_pointer_info_set_userdata(Runtime& runtime, const void* ptr, void* userdata) {
  if (!ptr) return null_argument("ptr");
  return runtime.memory().set_user_data(ptr, userdata);
}

Outcome hsa_amd_register_deallocation_callback(Runtime& runtime, void* ptr, hsa_amd_deallocation_callback_t callback,
                                               void* user_data) {
  if (!ptr) return null_argument("ptr");
  if (!callback) return null_argument("callback");
  return runtime.memory().on_free(ptr, callback, user_data);
}

Outcome hsa_amd_deregister_deallocation_callback(Runtime& runtime, void* ptr,
                                                 hsa_amd_deallocation_callback_t callback) {
  if (!ptr) return null_argument("ptr");
  if (!callback) return null_argument("callback");
  return runtime.memory().cancel_on_free(ptr, callback);
}

// ---- Coherence: this device is always coherent, so the other mode is accepted by none.

Outcome hsa_amd_coherency_get_type(Runtime& runtime, hsa_agent_t agent, hsa_amd_coherency_type_t* type) {
  if (!type) return null_argument("type");
  ROCR_TRY(runtime.gpu(agent));
  *type = HSA_AMD_COHERENCY_TYPE_COHERENT;
  return {};
}

Outcome hsa_amd_coherency_set_type(Runtime& runtime, hsa_agent_t agent, hsa_amd_coherency_type_t type) {
  if (type != HSA_AMD_COHERENCY_TYPE_COHERENT && type != HSA_AMD_COHERENCY_TYPE_NONCOHERENT)
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is no coherency type", int(type));
  ROCR_TRY(runtime.gpu(agent));
  if (type == HSA_AMD_COHERENCY_TYPE_NONCOHERENT)
    return fail(static_cast<hsa_status_t>(HSA_STATUS_ERROR_NOT_SUPPORTED), "non-coherent mode doesn't exist here");
  return {};
}

} // namespace bz::rocr::impl
