// Allocation on devices and hosts. Must not know copies or kernels.
#pragma once
#include "hip/runtime/runtime.hpp"

namespace bz::hip {

/// Lets exactly these GPUs use an allocation.
Status allow_access(const std::vector<hsa_agent_t>& agents, void* p);
/// Device memory of one HSA pool, entered into the table. Idle memory of memory pools goes back if it lacks.
Outcome<void*> allocate_device(Device& device, hsa_amd_memory_pool_t pool, size_t size, unsigned flags,
                               MemoryKind kind = MemoryKind::device);
/// Device memory that nobody knows of yet.
Outcome<void*> allocate_pages(Device& device, hsa_amd_memory_pool_t pool, size_t size);
/// Host memory that all GPUs can use, entered into the table.
Outcome<void*> allocate_host(Device& device, size_t size, MemoryKind kind, unsigned flags, bool coarse);
/// Frees what the two gave; `allocation` is out of the table already.
Status release_allocation(const Allocation& allocation);
/// The known allocation that holds [pointer, pointer + size), nothing for memory that isn't HIP's, or a failure for
/// memory that HIP freed or a range that runs over the end.
Outcome<std::optional<Allocation>> check_range(const char* what, const void* pointer, size_t size);

} // namespace bz::hip
