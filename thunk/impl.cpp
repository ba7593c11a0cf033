// One function per implemented row of api/hsakmt.def: checks of arguments, then the subsystem or one ioctl.
#include "thunk/impl.hpp"

#include "abi/kfd_debug.hpp"
#include "abi/kfd_ioctl.hpp"

#include <cerrno>
#include <cstring>
#include <unistd.h>

namespace bz::thunk::impl {
namespace {

HSAKMT_STATUS null(const char* what) { return fail(HSAKMT_STATUS_INVALID_PARAMETER, "{} is null", what); }
HSAKMT_STATUS no_node(uint32_t node) {
  return fail(HSAKMT_STATUS_INVALID_NODE_UNIT, "there is no (GPU) node {}", node);
}

/// A C array of nodes; false if it is absent though its count isn't 0.
bool take_nodes(std::vector<uint32_t>& out, uint64_t count, const HSAuint32* nodes) {
  constexpr uint64_t kMaxNodes = 4096;
  if (count > kMaxNodes || (count != 0 && !nodes)) return false;
  if (count) out.assign(nodes, nodes + count);
  return true;
}

HSAKMT_STATUS svm(Library& l, uint32_t op, void* start, uint64_t size, unsigned count, HSA_SVM_ATTRIBUTE* attributes) {
  constexpr unsigned kMaxAttributes = 1024;
  if (!start || size == 0 || !attributes || count == 0 || count > kMaxAttributes)
    return fail(HSAKMT_STATUS_INVALID_PARAMETER, "SVM attributes need a range and 1 to {} attributes", kMaxAttributes);
  std::vector<uint8_t> buffer(sizeof(kfd_ioctl_svm_args) + count * sizeof(kfd_ioctl_svm_attribute));
  auto* args = reinterpret_cast<kfd_ioctl_svm_args*>(buffer.data());
  args->start_addr = reinterpret_cast<uint64_t>(start);
  args->size = size;
  args->op = op;
  args->nattr = count;
  auto is_location = [](uint32_t type) {
    return type == HSA_SVM_ATTR_PREFERRED_LOC || type == HSA_SVM_ATTR_PREFETCH_LOC;
  };
  auto is_node = [&](uint32_t type) {
    return is_location(type) || type == HSA_SVM_ATTR_ACCESS || type == HSA_SVM_ATTR_ACCESS_IN_PLACE ||
           type == HSA_SVM_ATTR_NO_ACCESS;
  };
  for (unsigned i = 0; i < count; ++i) { // the driver names GPUs, the library nodes; node 0's id is 0, system memory
    kfd_ioctl_svm_attribute a{attributes[i].type, attributes[i].value};
    if (is_node(a.type) && a.value != INVALID_NODEID) {
      const Node* node = l.channel->topology().node(a.value);
      if (!node) return no_node(a.value);
      a.value = node->gpu_id;
    }
    args->attrs[i] = a;
  }
  unsigned long request = AMDKFD_IOC_SVM + (static_cast<unsigned long>(count * sizeof(kfd_ioctl_svm_attribute)) << 16);
  if (auto s = l.channel->ioctl(request, args, "SVM"); s != HSAKMT_STATUS_SUCCESS) return s;
  if (op != KFD_IOCTL_SVM_OP_GET_ATTR) return HSAKMT_STATUS_SUCCESS;
  for (unsigned i = 0; i < count; ++i) {
    attributes[i].type = args->attrs[i].type;
    attributes[i].value = args->attrs[i].value;
    if (!is_location(attributes[i].type) || attributes[i].value == INVALID_NODEID) continue;
    int node = attributes[i].value == 0 ? 0 : l.channel->topology().node_of(attributes[i].value);
    if (node < 0)
      return fail(HSAKMT_STATUS_ERROR, "the driver names GPU {}, which isn't in the topology", attributes[i].value);
    attributes[i].value = static_cast<uint32_t>(node);
  }
  return HSAKMT_STATUS_SUCCESS;
}

} // namespace

// ---- channel
// -------------------------------------------------------------------------------------------------------------------

HSAKMT_STATUS hsaKmtOpenKFD(State& s) {
  std::unique_lock lock(s.mutex);
  if (s.library && s.pid != getpid()) {
    // A forked child: the device lives in the parent, and what the parent opened stays the parent's. Leaked on purpose.
    new std::shared_ptr<Library>(std::move(s.library));
    s.opened = 0;
  }
  if (s.library) {
    ++s.opened;
    return HSAKMT_STATUS_KERNEL_ALREADY_OPENED;
  }
  std::unique_ptr<Channel> channel;
  if (auto status = Channel::open(channel); status != HSAKMT_STATUS_SUCCESS) return status;
  s.library = std::make_shared<Library>(std::move(channel));
  s.opened = 1;
  s.pid = getpid();
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtCloseKFD(State& s) {
  std::unique_lock lock(s.mutex);
  if (!s.library || s.pid != getpid())
    return fail(HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED, "hsaKmtOpenKFD was not called");
  if (--s.opened != 0) return HSAKMT_STATUS_SUCCESS;
  std::shared_ptr<Library> library = std::move(s.library);
  lock.unlock();
  library->events.destroy_all(); // wakes whoever still waits; the last call that is inside ends the library
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetVersion(Library& l, HsaVersionInfo* VersionInfo) {
  if (!VersionInfo) return null("VersionInfo");
  kfd_ioctl_get_version_args args{};
  if (auto s = l.channel->call(AMDKFD_IOC_GET_VERSION, args, "GET_VERSION"); s != HSAKMT_STATUS_SUCCESS) return s;
  VersionInfo->KernelInterfaceMajorVersion = args.major_version;
  VersionInfo->KernelInterfaceMinorVersion = args.minor_version;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtModelEnabled(State&, bool* enable) {
  if (!enable) return null("enable");
  *enable = false; // the pre-silicon model interface; a software device here is a driver like any other
  return HSAKMT_STATUS_SUCCESS;
}

// ---- topology
// --------------------------------------------------------------------------------------------------------------------

HSAKMT_STATUS hsaKmtAcquireSystemProperties(Library& l, HsaSystemProperties* SystemProperties) {
  if (!SystemProperties) return null("SystemProperties");
  *SystemProperties = l.channel->topology().system(l.channel->driver());
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtReleaseSystemProperties(Library&) {
  return HSAKMT_STATUS_SUCCESS;
} // the snapshot lives with the channel

HSAKMT_STATUS hsaKmtGetNodeProperties(Library& l, HSAuint32 NodeId, HsaNodeProperties* NodeProperties) {
  if (!NodeProperties) return null("NodeProperties");
  const Node* node = l.channel->topology().node(NodeId);
  if (!node) return no_node(NodeId);
  *NodeProperties = node->properties;
  if (node->gpu_id != 0) NodeProperties->NumMemoryBanks += 2; // LDS and scratch, see below
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetNodeMemoryProperties(Library& l, HSAuint32 NodeId, HSAuint32 NumBanks,
                                            HsaMemoryProperties* MemoryProperties) {
  if (!MemoryProperties) return null("MemoryProperties");
  const Node* node = l.channel->topology().node(NodeId);
  if (!node) return no_node(NodeId);
  uint32_t in_driver = node->properties.NumMemoryBanks, at = 0;
  for (; at < in_driver && at < NumBanks; ++at)
    if (!l.channel->topology().memory(l.channel->driver(), NodeId, at, MemoryProperties[at]))
      return fail(HSAKMT_STATUS_ERROR, "node {} has no memory bank {}", NodeId, at);
  if (node->gpu_id == 0 || at >= NumBanks) return HSAKMT_STATUS_SUCCESS;
  // A GPU's LDS and scratch are apertures of the address space; they are no files, but the process's apertures.
  std::vector<kfd_process_device_apertures> apertures(l.channel->gpus().size());
  kfd_ioctl_get_process_apertures_new_args args{reinterpret_cast<uint64_t>(apertures.data()),
                                                static_cast<uint32_t>(apertures.size()), 0};
  if (auto s = l.channel->call(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, args, "GET_PROCESS_APERTURES_NEW");
      s != HSAKMT_STATUS_SUCCESS)
    return s;
  for (uint32_t i = 0; i < args.num_of_nodes; ++i) {
    if (apertures[i].gpu_id != node->gpu_id) continue;
    MemoryProperties[at] = {};
    MemoryProperties[at].HeapType = HSA_HEAPTYPE_GPU_LDS;
    MemoryProperties[at].SizeInBytes = uint64_t{node->properties.LDSSizeInKB} * 1024;
    MemoryProperties[at++].VirtualBaseAddress = apertures[i].lds_base;
    if (at >= NumBanks) break;
    MemoryProperties[at] = {};
    MemoryProperties[at].HeapType = HSA_HEAPTYPE_GPU_SCRATCH;
    MemoryProperties[at].SizeInBytes = apertures[i].scratch_limit - apertures[i].scratch_base + 1;
    MemoryProperties[at].VirtualBaseAddress = apertures[i].scratch_base;
  }
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetNodeCacheProperties(Library& l, HSAuint32 NodeId, HSAuint32, HSAuint32 NumCaches,
                                           HsaCacheProperties* CacheProperties) {
  if (!CacheProperties) return null("CacheProperties");
  const Node* node = l.channel->topology().node(NodeId);
  if (!node) return no_node(NodeId);
  if (NumCaches > node->properties.NumCaches)
    return fail(HSAKMT_STATUS_INVALID_NODE_UNIT, "node {} has {} caches", NodeId, +node->properties.NumCaches);
  for (uint32_t i = 0; i < NumCaches; ++i)
    if (!l.channel->topology().cache(l.channel->driver(), NodeId, i, CacheProperties[i]))
      return fail(HSAKMT_STATUS_ERROR, "node {} has no cache {}", NodeId, i);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtGetNodeIoLinkProperties(Library& l, HSAuint32 NodeId, HSAuint32 NumIoLinks,
                                            HsaIoLinkProperties* IoLinkProperties) {
  if (!IoLinkProperties) return null("IoLinkProperties");
  const Node* node = l.channel->topology().node(NodeId);
  if (!node) return no_node(NodeId);
  if (NumIoLinks > node->properties.NumIOLinks)
    return fail(HSAKMT_STATUS_INVALID_NODE_UNIT, "node {} has {} links", NodeId, +node->properties.NumIOLinks);
  for (uint32_t i = 0; i < NumIoLinks; ++i)
    if (!l.channel->topology().link(l.channel->driver(), NodeId, i, IoLinkProperties[i]))
      return fail(HSAKMT_STATUS_ERROR, "node {} has no link {}", NodeId, i);
  return HSAKMT_STATUS_SUCCESS;
}

// ---- events
// ----------------------------------------------------------------------------------------------------------------------

HSAKMT_STATUS hsaKmtCreateEvent(Library& l, HsaEventDescriptor* EventDesc, bool ManualReset, bool IsSignaled,
                                HsaEvent** Event) {
  if (!EventDesc || !Event) return null("EventDesc or Event");
  return l.events.create(*EventDesc, ManualReset, IsSignaled, Event);
}
HSAKMT_STATUS hsaKmtDestroyEvent(Library& l, HsaEvent* Event) { return l.events.destroy(Event); }
HSAKMT_STATUS hsaKmtSetEvent(Library& l, HsaEvent* Event) { return l.events.set(Event); }
HSAKMT_STATUS hsaKmtResetEvent(Library& l, HsaEvent* Event) { return l.events.reset(Event); }
HSAKMT_STATUS hsaKmtQueryEventState(Library& l, HsaEvent* Event) { return l.events.query(Event); }
HSAKMT_STATUS hsaKmtWaitOnEvent(Library& l, HsaEvent* Event, HSAuint32 Milliseconds) {
  return l.events.wait(&Event, 1, false, Milliseconds, nullptr);
}
HSAKMT_STATUS hsaKmtWaitOnEvent_Ext(Library& l, HsaEvent* Event, HSAuint32 Milliseconds, uint64_t* event_age) {
  return l.events.wait(&Event, 1, false, Milliseconds, event_age);
}
HSAKMT_STATUS hsaKmtWaitOnMultipleEvents(Library& l, HsaEvent** Events, HSAuint32 NumEvents, bool WaitOnAll,
                                         HSAuint32 Milliseconds) {
  return l.events.wait(Events, NumEvents, WaitOnAll, Milliseconds, nullptr);
}
HSAKMT_STATUS hsaKmtWaitOnMultipleEvents_Ext(Library& l, HsaEvent** Events, HSAuint32 NumEvents, bool WaitOnAll,
                                             HSAuint32 Milliseconds, uint64_t* event_age) {
  return l.events.wait(Events, NumEvents, WaitOnAll, Milliseconds, event_age);
}

// ---- queues
// ----------------------------------------------------------------------------------------------------------------------

HSAKMT_STATUS hsaKmtCreateQueueExt(Library& l, HSAuint32 NodeId, HSA_QUEUE_TYPE Type, HSAuint32 QueuePercentage,
                                   HSA_QUEUE_PRIORITY Priority, HSAuint32 SdmaEngineId, void* QueueAddress,
                                   HSAuint64 QueueSizeInBytes, HsaEvent* Event, HsaQueueResource* QueueResource) {
  if (!QueueResource) return null("QueueResource");
  if (Event && !l.events.known(Event)) return fail(HSAKMT_STATUS_INVALID_HANDLE, "no such event");
  return l.queues.create(NodeId, Type, QueuePercentage, Priority, SdmaEngineId, QueueAddress, QueueSizeInBytes, Event,
                         *QueueResource);
}
HSAKMT_STATUS hsaKmtCreateQueue(Library& l, HSAuint32 NodeId, HSA_QUEUE_TYPE Type, HSAuint32 QueuePercentage,
                                HSA_QUEUE_PRIORITY Priority, void* QueueAddress, HSAuint64 QueueSizeInBytes,
                                HsaEvent* Event, HsaQueueResource* QueueResource) {
  return hsaKmtCreateQueueExt(l, NodeId, Type, QueuePercentage, Priority, 0, QueueAddress, QueueSizeInBytes, Event,
                              QueueResource);
}
HSAKMT_STATUS hsaKmtUpdateQueue(Library& l, HSA_QUEUEID QueueId, HSAuint32 QueuePercentage, HSA_QUEUE_PRIORITY Priority,
                                void* QueueAddress, HSAuint64 QueueSize, HsaEvent*) {
  return l.queues.update(QueueId, QueuePercentage, Priority, QueueAddress, QueueSize);
}
HSAKMT_STATUS hsaKmtDestroyQueue(Library& l, HSA_QUEUEID QueueId) { return l.queues.destroy(QueueId); }
HSAKMT_STATUS hsaKmtSetQueueCUMask(Library& l, HSA_QUEUEID QueueId, HSAuint32 CUMaskCount, HSAuint32* QueueCUMask) {
  return l.queues.set_cu_mask(QueueId, CUMaskCount, QueueCUMask);
}
HSAKMT_STATUS hsaKmtAllocQueueGWS(Library& l, HSA_QUEUEID QueueId, HSAuint32 nGWS, HSAuint32* firstGWS) {
  return l.queues.alloc_gws(QueueId, nGWS, firstGWS);
}

// ---- memory
// ----------------------------------------------------------------------------------------------------------------------

HSAKMT_STATUS hsaKmtSetMemoryPolicy(Library& l, HSAuint32 Node, HSAuint32 DefaultPolicy, HSAuint32 AlternatePolicy,
                                    void* MemoryAddressAlternate, HSAuint64 MemorySizeInBytes) {
  const auto* gpu = l.channel->gpu(Node);
  if (!gpu) return no_node(Node);
  auto policy = [](uint32_t p) {
    return p == HSA_CACHING_CACHED ? KFD_IOC_CACHE_POLICY_COHERENT : KFD_IOC_CACHE_POLICY_NONCOHERENT;
  };
  kfd_ioctl_set_memory_policy_args args{};
  args.gpu_id = gpu->gpu_id;
  args.default_policy = policy(DefaultPolicy);
  args.alternate_policy = policy(AlternatePolicy);
  args.alternate_aperture_base = reinterpret_cast<uint64_t>(MemoryAddressAlternate);
  args.alternate_aperture_size = MemorySizeInBytes;
  return l.channel->call(AMDKFD_IOC_SET_MEMORY_POLICY, args, "SET_MEMORY_POLICY");
}
HSAKMT_STATUS hsaKmtAllocMemory(Library& l, HSAuint32 PreferredNode, HSAuint64 SizeInBytes, HsaMemFlags MemFlags,
                                void** MemoryAddress) {
  return l.memory.allocate(PreferredNode, SizeInBytes, 0, MemFlags, MemoryAddress);
}
HSAKMT_STATUS hsaKmtAllocMemoryAlign(Library& l, HSAuint32 PreferredNode, HSAuint64 SizeInBytes, HSAuint64 Alignment,
                                     HsaMemFlags MemFlags, void** MemoryAddress) {
  return l.memory.allocate(PreferredNode, SizeInBytes, Alignment, MemFlags, MemoryAddress);
}
HSAKMT_STATUS hsaKmtFreeMemory(Library& l, void* MemoryAddress, HSAuint64) {
  return MemoryAddress ? l.memory.free(MemoryAddress) : null("MemoryAddress");
}
HSAKMT_STATUS hsaKmtAvailableMemory(Library& l, HSAuint32 Node, HSAuint64* AvailableBytes) {
  if (!AvailableBytes) return null("AvailableBytes");
  const auto* gpu = l.channel->gpu(Node);
  if (!gpu) return no_node(Node);
  kfd_ioctl_get_available_memory_args args{};
  args.gpu_id = gpu->gpu_id;
  if (auto s = l.channel->call(AMDKFD_IOC_AVAILABLE_MEMORY, args, "AVAILABLE_MEMORY"); s != HSAKMT_STATUS_SUCCESS)
    return s;
  *AvailableBytes = args.available;
  return HSAKMT_STATUS_SUCCESS;
}
HSAKMT_STATUS hsaKmtRegisterMemory(Library& l, void* MemoryAddress, HSAuint64 MemorySizeInBytes) {
  return l.memory.register_host(MemoryAddress, MemorySizeInBytes, HsaMemFlags{}, nullptr);
}
HSAKMT_STATUS hsaKmtRegisterMemoryWithFlags(Library& l, void* MemoryAddress, HSAuint64 MemorySizeInBytes,
                                            HsaMemFlags MemFlags) {
  return l.memory.register_host(MemoryAddress, MemorySizeInBytes, MemFlags, nullptr);
}
HSAKMT_STATUS hsaKmtRegisterMemoryToNodes(Library& l, void* MemoryAddress, HSAuint64 MemorySizeInBytes,
                                          HSAuint64 NumberOfNodes, HSAuint32* NodeArray) {
  std::vector<uint32_t> nodes;
  if (!take_nodes(nodes, NumberOfNodes, NodeArray)) return null("NodeArray");
  return l.memory.register_host(MemoryAddress, MemorySizeInBytes, HsaMemFlags{}, nodes.empty() ? nullptr : &nodes);
}
HSAKMT_STATUS hsaKmtExportDMABufHandle(Library& l, void* MemoryAddress, HSAuint64 MemorySizeInBytes, int* DMABufFd,
                                       HSAuint64* Offset) {
  if (!DMABufFd || !Offset) return null(DMABufFd ? "Offset" : "DMABufFd");
  return l.memory.export_dmabuf(MemoryAddress, MemorySizeInBytes, *DMABufFd, *Offset);
}
HSAKMT_STATUS hsaKmtRegisterGraphicsHandleToNodesExt(Library& l, HSAuint64 GraphicsResourceHandle,
                                                     HsaGraphicsResourceInfo* GraphicsResourceInfo,
                                                     HSAuint64 NumberOfNodes, HSAuint32* NodeArray,
                                                     HSA_REGISTER_MEM_FLAGS) {
  if (!GraphicsResourceInfo) return null("GraphicsResourceInfo");
  std::vector<uint32_t> nodes;
  if (!take_nodes(nodes, NumberOfNodes, NodeArray)) return null("NodeArray");
  return l.memory.import_dmabuf(static_cast<int>(GraphicsResourceHandle), nodes.empty() ? nullptr : &nodes,
                                *GraphicsResourceInfo);
}
HSAKMT_STATUS hsaKmtRegisterGraphicsHandleToNodes(Library& l, HSAuint64 GraphicsResourceHandle,
                                                  HsaGraphicsResourceInfo* GraphicsResourceInfo,
                                                  HSAuint64 NumberOfNodes, HSAuint32* NodeArray) {
  return impl::hsaKmtRegisterGraphicsHandleToNodesExt(l, GraphicsResourceHandle, GraphicsResourceInfo, NumberOfNodes,
                                                      NodeArray, {});
}
HSAKMT_STATUS hsaKmtShareMemory(Library& l, void* MemoryAddress, HSAuint64 SizeInBytes,
                                HsaSharedMemoryHandle* SharedMemoryHandle) {
  if (!SharedMemoryHandle) return null("SharedMemoryHandle");
  return l.memory.share(MemoryAddress, SizeInBytes, *SharedMemoryHandle);
}
HSAKMT_STATUS hsaKmtRegisterSharedHandleToNodes(Library& l, const HsaSharedMemoryHandle* SharedMemoryHandle,
                                                void** MemoryAddress, HSAuint64* SizeInBytes, HSAuint64 NumberOfNodes,
                                                HSAuint32* NodeArray) {
  if (!SharedMemoryHandle || !MemoryAddress || !SizeInBytes)
    return null(!SharedMemoryHandle ? "SharedMemoryHandle" : !MemoryAddress ? "MemoryAddress" : "SizeInBytes");
  std::vector<uint32_t> nodes;
  if (!take_nodes(nodes, NumberOfNodes, NodeArray)) return null("NodeArray");
  return l.memory.attach(*SharedMemoryHandle, nodes.empty() ? nullptr : &nodes, MemoryAddress, *SizeInBytes);
}
HSAKMT_STATUS hsaKmtRegisterSharedHandle(Library& l, const HsaSharedMemoryHandle* SharedMemoryHandle,
                                         void** MemoryAddress, HSAuint64* SizeInBytes) {
  return impl::hsaKmtRegisterSharedHandleToNodes(l, SharedMemoryHandle, MemoryAddress, SizeInBytes, 0, nullptr);
}
HSAKMT_STATUS hsaKmtDeregisterMemory(Library& l, void* MemoryAddress) { return l.memory.deregister(MemoryAddress); }
HSAKMT_STATUS hsaKmtMapMemoryToGPU(Library& l, void* MemoryAddress, HSAuint64 MemorySizeInBytes,
                                   HSAuint64* AlternateVAGPU) {
  return l.memory.map(MemoryAddress, MemorySizeInBytes, AlternateVAGPU, nullptr);
}
HSAKMT_STATUS hsaKmtMapMemoryToGPUNodes(Library& l, void* MemoryAddress, HSAuint64 MemorySizeInBytes,
                                        HSAuint64* AlternateVAGPU, HsaMemMapFlags MemMapFlags,
                                        HSAuint64 NumberOfNodes, HSAuint32* NodeArray) {
  std::vector<uint32_t> nodes;
  if (NumberOfNodes == 0 || !take_nodes(nodes, NumberOfNodes, NodeArray)) return null("NodeArray");
  return l.memory.map(MemoryAddress, MemorySizeInBytes, AlternateVAGPU, &nodes, MemMapFlags.ui32.ReadOnly);
}
HSAKMT_STATUS hsaKmtUnmapMemoryToGPU(Library& l, void* MemoryAddress) {
  return MemoryAddress ? l.memory.unmap(MemoryAddress) : null("MemoryAddress");
}
HSAKMT_STATUS hsaKmtQueryPointerInfo(Library& l, const void* Pointer, HsaPointerInfo* PointerInfo) {
  if (!PointerInfo) return null("PointerInfo");
  return l.memory.info(Pointer, *PointerInfo);
}
HSAKMT_STATUS hsaKmtSetMemoryUserData(Library& l, const void* Pointer, void* UserData) {
  return l.memory.set_user_data(Pointer, UserData);
}
HSAKMT_STATUS hsaKmtSVMSetAttr(Library& l, void* start_addr, HSAuint64 size, unsigned int nattr,
                               HSA_SVM_ATTRIBUTE* attrs) {
  return svm(l, KFD_IOCTL_SVM_OP_SET_ATTR, start_addr, size, nattr, attrs);
}
HSAKMT_STATUS hsaKmtSVMGetAttr(Library& l, void* start_addr, HSAuint64 size, unsigned int nattr,
                               HSA_SVM_ATTRIBUTE* attrs) {
  return svm(l, KFD_IOCTL_SVM_OP_GET_ATTR, start_addr, size, nattr, attrs);
}

// ---- the rest
// --------------------------------------------------------------------------------------------------------------------

HSAKMT_STATUS hsaKmtGetClockCounters(Library& l, HSAuint32 NodeId, HsaClockCounters* Counters) {
  if (!Counters) return null("Counters");
  const auto* node = l.channel->topology().node(NodeId);
  if (!node) return no_node(NodeId);
  kfd_ioctl_get_clock_counters_args args{};
  args.gpu_id = node->gpu_id;
  if (auto s = l.channel->call(AMDKFD_IOC_GET_CLOCK_COUNTERS, args, "GET_CLOCK_COUNTERS"); s != HSAKMT_STATUS_SUCCESS)
    return s;
  Counters->GPUClockCounter = args.gpu_clock_counter;
  Counters->CPUClockCounter = args.cpu_clock_counter;
  Counters->SystemClockCounter = args.system_clock_counter;
  Counters->SystemClockFrequencyHz = args.system_clock_freq;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtSetTrapHandler(Library& l, HSAuint32 NodeId, void* TrapHandlerBaseAddress, HSAuint64,
                                   void* TrapBufferBaseAddress, HSAuint64) {
  const auto* gpu = l.channel->gpu(NodeId);
  if (!gpu) return no_node(NodeId);
  kfd_ioctl_set_trap_handler_args args{};
  args.gpu_id = gpu->gpu_id;
  args.tba_addr = reinterpret_cast<uint64_t>(TrapHandlerBaseAddress);
  args.tma_addr = reinterpret_cast<uint64_t>(TrapBufferBaseAddress);
  return l.channel->call(AMDKFD_IOC_SET_TRAP_HANDLER, args, "SET_TRAP_HANDLER");
}

HSAKMT_STATUS hsaKmtGetTileConfig(Library& l, HSAuint32 NodeId, HsaGpuTileConfig* config) {
  if (!config) return null("config");
  const auto* gpu = l.channel->gpu(NodeId);
  if (!gpu) return no_node(NodeId);
  if ((config->NumTileConfigs && !config->TileConfig) || (config->NumMacroTileConfigs && !config->MacroTileConfig))
    return null("TileConfig");
  kfd_ioctl_get_tile_config_args args{};
  args.gpu_id = gpu->gpu_id;
  args.tile_config_ptr = reinterpret_cast<uint64_t>(config->TileConfig);
  args.macro_tile_config_ptr = reinterpret_cast<uint64_t>(config->MacroTileConfig);
  args.num_tile_configs = config->NumTileConfigs;
  args.num_macro_tile_configs = config->NumMacroTileConfigs;
  if (auto s = l.channel->call(AMDKFD_IOC_GET_TILE_CONFIG, args, "GET_TILE_CONFIG"); s != HSAKMT_STATUS_SUCCESS)
    return s;
  config->NumTileConfigs = args.num_tile_configs;
  config->NumMacroTileConfigs = args.num_macro_tile_configs;
  config->GbAddrConfig = args.gb_addr_config;
  config->NumBanks = args.num_banks;
  config->NumRanks = args.num_ranks;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtSetXNACKMode(Library& l, HSAint32 enable) {
  kfd_ioctl_set_xnack_mode_args args{enable != 0};
  int r = l.channel->ioctl_errno(AMDKFD_IOC_SET_XNACK_MODE, &args);
  if (r == 0) return HSAKMT_STATUS_SUCCESS;
  HSAKMT_STATUS status = r == -EPERM ? HSAKMT_STATUS_NOT_SUPPORTED : r == -EBUSY ? HSAKMT_STATUS_ERROR : status_of(-r);
  return fail(status, "SET_XNACK_MODE: {}", std::strerror(-r));
}
HSAKMT_STATUS hsaKmtGetXNACKMode(Library& l, HSAint32* enable) {
  if (!enable) return null("enable");
  kfd_ioctl_set_xnack_mode_args args{-1};
  int r = l.channel->ioctl_errno(AMDKFD_IOC_SET_XNACK_MODE, &args);
  if (r == -EPERM) return fail(HSAKMT_STATUS_NOT_SUPPORTED, "the driver has no XNACK mode");
  if (r != 0) return fail(status_of(-r), "SET_XNACK_MODE: {}", std::strerror(-r));
  *enable = args.xnack_enabled;
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS hsaKmtRuntimeEnable(Library& l, void* rDebug, bool setupTtmp) {
  kfd_ioctl_runtime_enable_args args{};
  args.r_debug = reinterpret_cast<uint64_t>(rDebug);
  args.mode_mask = KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK | (setupTtmp ? KFD_RUNTIME_ENABLE_MODE_TTMP_SAVE_MASK : 0);
  return l.channel->call(AMDKFD_IOC_RUNTIME_ENABLE, args, "RUNTIME_ENABLE");
}
HSAKMT_STATUS hsaKmtRuntimeDisable(Library& l) {
  kfd_ioctl_runtime_enable_args args{};
  return l.channel->call(AMDKFD_IOC_RUNTIME_ENABLE, args, "RUNTIME_ENABLE");
}
HSAKMT_STATUS hsaKmtGetRuntimeCapabilities(Library& l, HSAuint32* caps_mask) {
  if (!caps_mask) return null("caps_mask");
  // The driver tells them only when the runtime is enabled; ours are none, and asking must not change the state.
  (void)l;
  *caps_mask = 0;
  return HSAKMT_STATUS_SUCCESS;
}

} // namespace bz::thunk::impl
