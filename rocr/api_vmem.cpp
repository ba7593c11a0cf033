// hsa_amd_vmem_*: addresses and physical memory apart.
#include "rocr/impl.hpp"
#include "rocr/runtime.hpp"

namespace bz::rocr::impl {

Outcome hsa_amd_vmem_address_reserve_align(Runtime& runtime, void** va, size_t size, uint64_t address,
                                           uint64_t alignment, uint64_t flags) {
  if (!va) return null_argument("va");
  *va = nullptr;
  // Reserved addresses are registered nowhere until memory is mapped, whether the caller wants that or not.
  if (flags & ~uint64_t(HSA_AMD_VMEM_ADDRESS_NO_REGISTER))
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "flags {:#x} have unknown bits", flags);
  ROCR_TRY_ASSIGN(*va, runtime.vmem().reserve(size, address, alignment));
  return {};
}

Outcome hsa_amd_vmem_address_reserve(Runtime& runtime, void** va, size_t size, uint64_t address, uint64_t flags) {
  return hsa_amd_vmem_address_reserve_align(runtime, va, size, address, 0, flags);
}

Outcome hsa_amd_vmem_address_free(Runtime& runtime, void* va, size_t size) {
  if (!va) return null_argument("va");
  return runtime.vmem().free(va, size);
}

Outcome hsa_amd_vmem_handle_create(Runtime& runtime, hsa_amd_memory_pool_t pool, size_t size,
                                   hsa_amd_memory_type_t type, uint64_t flags, hsa_amd_vmem_alloc_handle_t* handle) {
  if (!handle) return null_argument("memory_handle");
  if (flags & ~uint64_t(HSA_AMD_MEMORY_POOL_UNCACHED_FLAG))
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "flags {:#x} have unknown bits", flags);
  ROCR_TRY_ASSIGN(Pool * p, runtime.pool(pool.handle, HSA_STATUS_ERROR_INVALID_MEMORY_POOL));
  ROCR_TRY_ASSIGN(handle->handle, runtime.vmem().create(*p, size, type));
  return {};
}

Outcome hsa_amd_vmem_handle_release(Runtime& runtime, hsa_amd_vmem_alloc_handle_t handle) {
  return runtime.vmem().release(handle.handle);
}

Outcome hsa_amd_vmem_map(Runtime& runtime, void* va, size_t size, size_t in_offset, hsa_amd_vmem_alloc_handle_t handle,
                         uint64_t flags) {
  if (!va) return null_argument("va");
  if (flags) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "flags are {:#x} but must be 0", flags);
  return runtime.vmem().map(va, size, in_offset, handle.handle);
}

Outcome hsa_amd_vmem_unmap(Runtime& runtime, void* va, size_t size) {
  if (!va) return null_argument("va");
  return runtime.vmem().unmap(va, size);
}

Outcome hsa_amd_vmem_set_access(Runtime& runtime, void* va, size_t size, const hsa_amd_memory_access_desc_t* desc,
                                size_t desc_cnt) {
  if (!va) return null_argument("va");
  if (!desc) return null_argument("desc");
  if (!desc_cnt) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "no access is described");
  std::vector<VirtualMemory::Access> wanted;
  for (size_t i = 0; i < desc_cnt; ++i) {
    ROCR_TRY_ASSIGN(Agent * a, runtime.agent(desc[i].agent_handle));
    wanted.emplace_back(a, desc[i].permissions);
  }
  return runtime.vmem().set_access(va, size, wanted);
}

Outcome hsa_amd_vmem_get_access(Runtime& runtime, void* va, hsa_access_permission_t* perms, hsa_agent_t agent) {
  if (!va) return null_argument("va");
  if (!perms) return null_argument("perms");
  ROCR_TRY_ASSIGN(Agent * a, runtime.agent(agent));
  ROCR_TRY_ASSIGN(*perms, runtime.vmem().access(va, *a));
  return {};
}

Outcome hsa_amd_vmem_export_shareable_handle(Runtime& runtime, int* dmabuf_fd, hsa_amd_vmem_alloc_handle_t handle,
                                             uint64_t flags) {
  if (!dmabuf_fd) return null_argument("dmabuf_fd");
  if (flags) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "flags are {:#x} but must be 0", flags);
  ROCR_TRY_ASSIGN(*dmabuf_fd, runtime.vmem().export_dmabuf(handle.handle));
  return {};
}

Outcome hsa_amd_vmem_import_shareable_handle(Runtime& runtime, int dmabuf_fd, hsa_amd_vmem_alloc_handle_t* handle) {
  if (!handle) return null_argument("handle");
  ROCR_TRY_ASSIGN(handle->handle, runtime.vmem().import(dmabuf_fd, [&](uint32_t node) -> Pool* {
    Agent* owner = runtime.agent_of_node(node);
    return owner ? owner->default_pool() : nullptr;
  }));
  return {};
}

Outcome hsa_amd_vmem_retain_alloc_handle(Runtime& runtime, hsa_amd_vmem_alloc_handle_t* handle, void* addr) {
  if (!handle) return null_argument("memory_handle");
  if (!addr) return null_argument("addr");
  ROCR_TRY_ASSIGN(handle->handle, runtime.vmem().retain(addr));
  return {};
}

Outcome hsa_amd_vmem_get_alloc_properties_from_handle(Runtime& runtime, hsa_amd_vmem_alloc_handle_t handle,
                                                      hsa_amd_memory_pool_t* pool, hsa_amd_memory_type_t* type) {
  if (!pool) return null_argument("pool");
  if (!type) return null_argument("type");
  ROCR_TRY_ASSIGN(const auto p, runtime.vmem().properties(handle.handle));
  pool->handle = reinterpret_cast<uint64_t>(p.pool);
  *type = p.type;
  return {};
}

} // namespace bz::rocr::impl
