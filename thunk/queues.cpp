#include "thunk/queues.hpp"

#include "abi/kfd_debug.hpp"
#include "abi/kfd_ioctl.hpp"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

namespace bz::thunk {
namespace {

constexpr uint64_t kPage = 4096;
constexpr uint64_t kDoorbellBytes = 8192; // gfx9: 1024 doorbells of 8 bytes
constexpr uint64_t kEopBytes = 4096;
uint64_t up(uint64_t value, uint64_t step) { return (value + step - 1) / step * step; }

struct SaveArea {
  uint32_t control_stack = 0, context = 0;
  uint64_t debug = 0, total = 0;
};

/// Sizes of the context save area as the kernel checks them (gfx9): registers, LDS and hardware state of every CU of an
/// XCC, the control stack with 8 bytes per wave, 32 bytes of debugger memory per wave; all of it per XCC.
SaveArea save_area(const Node& node) {
  const HsaNodeProperties& p = node.properties;
  uint64_t xccs = std::max(1u, p.NumXcc);
  uint64_t cus = p.NumFComputeCores / std::max(1u, p.NumSIMDPerCU) / xccs;
  constexpr uint64_t kWavesPerCu = 40, kWavesPerEngine = 512, kLds = 0x10000, kHardware = 0x1000;
  uint64_t waves = std::min(cus * kWavesPerCu, uint64_t{p.NumShaderBanks} / xccs * kWavesPerEngine);
  uint64_t groups = cus * (uint64_t{p.VGPRSizePerCU} + p.SGPRSizePerCU + kLds + kHardware);
  SaveArea area;
  area.control_stack = static_cast<uint32_t>(up(sizeof(kfd_context_save_area_header) + waves * 8 + 8, kPage));
  area.context = static_cast<uint32_t>(area.control_stack + up(groups, kPage));
  area.debug = up(waves * 32, 64);
  area.total = up((area.context + area.debug) * xccs, kPage);
  return area;
}

uint32_t kfd_priority(HSA_QUEUE_PRIORITY priority) {
  constexpr uint32_t kMap[] = {0, 3, 5, 7, 9, 11, 15}; // minimum (-3) to maximum (3)
  return kMap[static_cast<int>(priority) + 3];
}
bool priority_ok(HSA_QUEUE_PRIORITY priority) {
  return static_cast<int64_t>(priority) >= HSA_QUEUE_PRIORITY_MINIMUM &&
         static_cast<int64_t>(priority) <= HSA_QUEUE_PRIORITY_MAXIMUM;
}

bool kfd_type(HSA_QUEUE_TYPE type, uint32_t& out) {
  switch (type) {
  case HSA_QUEUE_COMPUTE:
    out = KFD_IOC_QUEUE_TYPE_COMPUTE;
    return true;
  case HSA_QUEUE_COMPUTE_AQL:
    out = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
    return true;
  case HSA_QUEUE_SDMA:
    out = KFD_IOC_QUEUE_TYPE_SDMA;
    return true;
  case HSA_QUEUE_SDMA_XGMI:
    out = KFD_IOC_QUEUE_TYPE_SDMA_XGMI;
    return true;
  case HSA_QUEUE_SDMA_BY_ENG_ID:
    out = KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID;
    return true;
  default:
    return false;
  }
}

} // namespace

QueueManager::~QueueManager() {
  for (auto& [id, queue] : queues_) {
    kfd_ioctl_destroy_queue_args args{queue.kfd_id, 0};
    (void)channel_.call(AMDKFD_IOC_DESTROY_QUEUE, args, "DESTROY_QUEUE");
    release(queue);
  }
  // The kernel's doorbell mappings are ours to remove, the software device removes its own with the last descriptor.
  if (channel_.driver().hardware())
    for (auto& [node, page] : doorbells_) munmap(page, kDoorbellBytes);
}

void QueueManager::release(Queue& queue) {
  for (void* p : {queue.save_area, queue.eop, queue.pointers}) {
    if (!p) continue;
    (void)memory_.unmap(p);
    (void)memory_.free(p);
  }
}

HSAKMT_STATUS QueueManager::doorbells(uint32_t node, uint64_t offset, char** out) {
  auto it = doorbells_.find(node);
  if (it == doorbells_.end()) {
    void* p = channel_.driver().mmap(nullptr, kDoorbellBytes, PROT_READ | PROT_WRITE, MAP_SHARED, channel_.kfd(),
                                     static_cast<off_t>(offset & ~(kDoorbellBytes - 1)));
    if (int e = mmap_errno(p)) return fail(HSAKMT_STATUS_ERROR, "doorbells of node {}: {}", node, std::strerror(e));
    it = doorbells_.emplace(node, static_cast<char*>(p)).first;
  }
  *out = it->second + (offset & (kDoorbellBytes - 1));
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS QueueManager::create(uint32_t node, HSA_QUEUE_TYPE type, uint32_t percentage, HSA_QUEUE_PRIORITY priority,
                                   uint32_t sdma_engine, void* ring, uint64_t size, const HsaEvent* event,
                                   HsaQueueResource& resource) {
  const Node* gpu = channel_.gpu(node);
  if (!gpu) return fail(HSAKMT_STATUS_INVALID_NODE_UNIT, "node {} is no GPU", node);
  if (!priority_ok(priority))
    return fail(HSAKMT_STATUS_INVALID_PARAMETER, "queue priority {}", static_cast<int64_t>(priority));
  if (!ring || size == 0 || size > UINT32_MAX)
    return fail(HSAKMT_STATUS_INVALID_PARAMETER, "no ring, or one of {} bytes", size);
  kfd_ioctl_create_queue_args args{};
  if (!kfd_type(type, args.queue_type))
    return fail(HSAKMT_STATUS_INVALID_PARAMETER, "queue type {}", static_cast<int>(type));
  bool aql = type == HSA_QUEUE_COMPUTE_AQL;
  if (aql && (!resource.Queue_read_ptr_aql || !resource.Queue_write_ptr_aql))
    return fail(HSAKMT_STATUS_INVALID_PARAMETER, "an AQL queue needs the addresses of its indices");

  std::lock_guard lock(mutex_);
  Queue queue;
  auto give_up = [&](HSAKMT_STATUS status) {
    release(queue);
    return status;
  };
  HsaMemFlags host{};
  host.ui32.HostAccess = 1;
  host.ui32.ExecuteAccess = 1;
  auto allocate = [&](uint64_t bytes, void** out) {
    HSAKMT_STATUS s = memory_.allocate(0, bytes, 0, host, out);
    return s == HSAKMT_STATUS_SUCCESS ? memory_.map(*out, bytes, nullptr, nullptr) : s;
  };
  if (!aql) {
    if (auto s = allocate(kPage, &queue.pointers); s != HSAKMT_STATUS_SUCCESS) return give_up(s);
    resource.Queue_read_ptr_aql = static_cast<HSAuint64*>(queue.pointers);
    resource.Queue_write_ptr_aql = static_cast<HSAuint64*>(queue.pointers) + 1;
  }
  if (args.queue_type == KFD_IOC_QUEUE_TYPE_COMPUTE || aql) {
    SaveArea area = save_area(*gpu);
    if (auto s = allocate(area.total, &queue.save_area); s != HSAKMT_STATUS_SUCCESS) return give_up(s);
    // Where the driver reports exceptions of the queue: a header per XCC.
    for (uint32_t xcc = 0; xcc < std::max(1u, gpu->properties.NumXcc); ++xcc) {
      auto* header = reinterpret_cast<kfd_context_save_area_header*>(static_cast<char*>(queue.save_area) +
                                                                     uint64_t{xcc} * area.context);
      header->err_event_id = event ? event->EventId : 0;
      header->err_payload_addr = reinterpret_cast<uint64_t>(resource.ErrorReason);
      header->debug_offset =
          static_cast<uint32_t>((std::max(1u, gpu->properties.NumXcc) - xcc) * uint64_t{area.context});
      header->debug_size = static_cast<uint32_t>(area.debug * std::max(1u, gpu->properties.NumXcc));
    }
    args.ctx_save_restore_address = reinterpret_cast<uint64_t>(queue.save_area);
    args.ctx_save_restore_size = area.context;
    args.ctl_stack_size = area.control_stack;
    if (auto s = allocate(kEopBytes, &queue.eop); s != HSAKMT_STATUS_SUCCESS) return give_up(s);
    args.eop_buffer_address = reinterpret_cast<uint64_t>(queue.eop);
    args.eop_buffer_size = kEopBytes;
  }
  args.ring_base_address = reinterpret_cast<uint64_t>(ring);
  args.ring_size = static_cast<uint32_t>(size);
  args.read_pointer_address = reinterpret_cast<uint64_t>(resource.Queue_read_ptr_aql);
  args.write_pointer_address = reinterpret_cast<uint64_t>(resource.Queue_write_ptr_aql);
  args.gpu_id = gpu->gpu_id;
  args.queue_percentage = percentage;
  args.queue_priority = kfd_priority(priority);
  args.sdma_engine_id = sdma_engine;
  if (auto s = channel_.call(AMDKFD_IOC_CREATE_QUEUE, args, "CREATE_QUEUE"); s != HSAKMT_STATUS_SUCCESS)
    return give_up(s);
  queue.kfd_id = args.queue_id;
  char* doorbell = nullptr;
  if (auto s = doorbells(node, args.doorbell_offset, &doorbell); s != HSAKMT_STATUS_SUCCESS) {
    kfd_ioctl_destroy_queue_args destroy{queue.kfd_id, 0};
    (void)channel_.call(AMDKFD_IOC_DESTROY_QUEUE, destroy, "DESTROY_QUEUE");
    return give_up(s);
  }
  resource.Queue_DoorBell_aql = reinterpret_cast<HSAuint64*>(doorbell);
  resource.QueueId = next_++;
  queues_.emplace(resource.QueueId, queue);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS QueueManager::update(HSA_QUEUEID id, uint32_t percentage, HSA_QUEUE_PRIORITY priority, void* ring,
                                   uint64_t size) {
  std::lock_guard lock(mutex_);
  auto it = queues_.find(id);
  if (it == queues_.end()) return fail(HSAKMT_STATUS_INVALID_HANDLE, "there is no queue {}", id);
  if (!priority_ok(priority) || size > UINT32_MAX)
    return fail(HSAKMT_STATUS_INVALID_PARAMETER, "queue priority or ring size");
  kfd_ioctl_update_queue_args args{};
  args.queue_id = it->second.kfd_id;
  args.ring_base_address = reinterpret_cast<uint64_t>(ring);
  args.ring_size = static_cast<uint32_t>(size);
  args.queue_percentage = percentage;
  args.queue_priority = kfd_priority(priority);
  return channel_.call(AMDKFD_IOC_UPDATE_QUEUE, args, "UPDATE_QUEUE");
}

HSAKMT_STATUS QueueManager::destroy(HSA_QUEUEID id) {
  std::lock_guard lock(mutex_);
  auto it = queues_.find(id);
  if (it == queues_.end()) return fail(HSAKMT_STATUS_INVALID_HANDLE, "there is no queue {}", id);
  kfd_ioctl_destroy_queue_args args{it->second.kfd_id, 0};
  HSAKMT_STATUS status = channel_.call(AMDKFD_IOC_DESTROY_QUEUE, args, "DESTROY_QUEUE");
  if (status != HSAKMT_STATUS_SUCCESS) return status;
  release(it->second);
  queues_.erase(it);
  return HSAKMT_STATUS_SUCCESS;
}

HSAKMT_STATUS QueueManager::set_cu_mask(HSA_QUEUEID id, uint32_t bits, uint32_t* mask) {
  if (!mask || bits == 0 || bits % 32 != 0) return fail(HSAKMT_STATUS_INVALID_PARAMETER, "a CU mask of {} bits", bits);
  std::lock_guard lock(mutex_);
  auto it = queues_.find(id);
  if (it == queues_.end()) return fail(HSAKMT_STATUS_INVALID_HANDLE, "there is no queue {}", id);
  kfd_ioctl_set_cu_mask_args args{it->second.kfd_id, bits, reinterpret_cast<uint64_t>(mask)};
  return channel_.call(AMDKFD_IOC_SET_CU_MASK, args, "SET_CU_MASK");
}

HSAKMT_STATUS QueueManager::alloc_gws(HSA_QUEUEID id, uint32_t count, uint32_t* first) {
  std::lock_guard lock(mutex_);
  auto it = queues_.find(id);
  if (it == queues_.end()) return fail(HSAKMT_STATUS_INVALID_HANDLE, "there is no queue {}", id);
  kfd_ioctl_alloc_queue_gws_args args{it->second.kfd_id, count, 0, 0};
  if (auto s = channel_.call(AMDKFD_IOC_ALLOC_QUEUE_GWS, args, "ALLOC_QUEUE_GWS"); s != HSAKMT_STATUS_SUCCESS) return s;
  if (first) *first = args.first_gws;
  return HSAKMT_STATUS_SUCCESS;
}

} // namespace bz::thunk
