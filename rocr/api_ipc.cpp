// Memory and signals of more than one process.
#include "rocr/impl.hpp"
#include "rocr/runtime.hpp"

#include <cstring>
#include <unistd.h>

namespace bz::rocr::impl {
namespace {

static_assert(sizeof(hsa_amd_ipc_memory_t) == sizeof(HsaSharedMemoryHandle));

Result<std::vector<Agent*>> gpus_among(const Runtime& runtime, uint32_t count, const hsa_agent_t* agents) {
  std::vector<Agent*> gpus;
  for (uint32_t i = 0; i < count; ++i) {
    ROCR_TRY_ASSIGN(Agent * a, runtime.agent(agents[i]));
    if (a->is_gpu()) gpus.push_back(a);
  }
  return gpus;
}

Outcome export_dmabuf(const void* ptr, size_t size, int* dmabuf, uint64_t* offset) {
  if (!ptr) return null_argument("ptr");
  if (!dmabuf) return null_argument("dmabuf");
  if (!offset) return null_argument("offset");
  if (size == 0) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "the size is 0");
  HSAuint64 at = 0;
  const Status s =
      thunk::check(hsaKmtExportDMABufHandle(const_cast<void*>(ptr), size, dmabuf, &at), "hsaKmtExportDMABufHandle");
  if (!s.ok()) return fail(HSA_STATUS_ERROR_INVALID_ALLOCATION, "{} bytes at {}: {}", size, ptr, s.message());
  *offset = at;
  return {};
}

} // namespace

namespace {
auto pool_of_node(Runtime& runtime) {
  return [&runtime](uint32_t node) -> Pool* {
    Agent* owner = runtime.agent_of_node(node);
    return owner ? owner->default_pool() : nullptr;
  };
}
} // namespace

Outcome hsa_amd_ipc_memory_create(Runtime& runtime, void* ptr, size_t len, hsa_amd_ipc_memory_t* handle) {
  if (!ptr) return null_argument("ptr");
  if (!handle) return null_argument("handle");
  return runtime.memory().share(ptr, len, *handle);
}

Outcome hsa_amd_ipc_memory_attach(Runtime& runtime, const hsa_amd_ipc_memory_t* handle, size_t len, uint32_t num_agents,
                                  const hsa_agent_t* mapping_agents, void** mapped_ptr) {
  if (!handle) return null_argument("handle");
  if (!mapped_ptr) return null_argument("mapped_ptr");
  *mapped_ptr = nullptr;
  if (len == 0) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "len is 0");
  if (num_agents && !mapping_agents) return null_argument("mapping_agents");
  ROCR_TRY_ASSIGN(auto gpus, gpus_among(runtime, num_agents, mapping_agents));
  ROCR_TRY_ASSIGN(*mapped_ptr, runtime.memory().attach(*handle, len, gpus, pool_of_node(runtime)));
  return {};
}

Outcome hsa_amd_ipc_memory_detach(Runtime& runtime, void* mapped_ptr) {
  if (!mapped_ptr) return null_argument("mapped_ptr");
  return runtime.memory().detach(mapped_ptr);
}

Outcome hsa_amd_ipc_signal_create(Runtime& runtime, hsa_signal_t signal, hsa_amd_ipc_signal_t* handle) {
  if (!handle) return null_argument("handle");
  ROCR_TRY_ASSIGN(amd_signal_t * s, runtime.signals().find(signal));
  void* block = SignalPool::shared_block(s);
  if (!block)
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{:#x} was not created with HSA_AMD_SIGNAL_IPC", signal.handle);
  return runtime.memory().share(block, SignalPool::kBlockBytes, *handle);
}

Outcome hsa_amd_ipc_signal_attach(Runtime& runtime, const hsa_amd_ipc_signal_t* handle, hsa_signal_t* signal) {
  if (!handle) return null_argument("handle");
  if (!signal) return null_argument("signal");
  ROCR_TRY_ASSIGN(void* block, runtime.memory().attach(*handle, SignalPool::kBlockBytes, runtime.gpus(),
                                                       [&](uint32_t) { return &runtime.system_pool(); }));
  auto attached = runtime.signals().attach_shared(block, [&runtime](void* b) { (void)runtime.memory().detach(b); });
  if (!attached.ok()) {
    (void)runtime.memory().detach(block);
    return attached.outcome();
  }
  *signal = handle_of(*attached);
  return {};
}

// ---- dma-bufs -------------------------------------------------------------------------------------------------------

Outcome hsa_amd_portable_export_dmabuf(Runtime&, const void* ptr, size_t size, int* dmabuf, uint64_t* offset) {
  return export_dmabuf(ptr, size, dmabuf, offset);
}

Outcome hsa_amd_portable_export_dmabuf_v2(Runtime&, const void* ptr, size_t size, int* dmabuf, uint64_t* offset,
                                          uint64_t flags) {
  constexpr uint64_t kPcie = 1; // how another device will reach it: here all ways are one
  if (flags & ~kPcie) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "flags {:#x} have unknown bits", flags);
  return export_dmabuf(ptr, size, dmabuf, offset);
}

Outcome hsa_amd_portable_close_dmabuf(Runtime&, int dmabuf) {
  if (dmabuf < 0 || close(dmabuf) != 0) return fail(HSA_STATUS_ERROR_RESOURCE_FREE, "{} is no open descriptor", dmabuf);
  return {};
}

// ---- Another driver's memory, as a dma-buf --------------------------------------------------------------------------

Outcome hsa_amd_interop_map_buffer(Runtime& runtime, uint32_t num_agents, hsa_agent_t* agents, int interop_handle,
                                   uint32_t flags, size_t* size, void** ptr, size_t* metadata_size,
                                   const void** metadata) {
  if (!agents) return null_argument("agents");
  if (!size) return null_argument("size");
  if (!ptr) return null_argument("ptr");
  if (flags) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "flags are {:#x} but must be 0", flags);
  if (num_agents == 0) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "no agents are named");
  std::vector<Agent*> gpus;
  for (uint32_t i = 0; i < num_agents; ++i) {
    ROCR_TRY_ASSIGN(Agent * a, runtime.gpu(agents[i]));
    gpus.push_back(a);
  }
  ROCR_TRY_ASSIGN(*ptr, runtime.memory().import_dmabuf(interop_handle, gpus, pool_of_node(runtime), *size));
  if (metadata_size) *metadata_size = 0; // nobody describes tiling here
  if (metadata) *metadata = nullptr;
  return {};
}

Outcome hsa_amd_interop_unmap_buffer(Runtime& runtime, void* ptr) {
  if (!ptr) return null_argument("ptr");
  return runtime.memory().detach(ptr);
}

} // namespace bz::rocr::impl
