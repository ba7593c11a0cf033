#include "rocr/queue.hpp"

#include "abi/exceptions.hpp"
#include "abi/queue.hpp"
#include "base/log.hpp"
#include "rocr/runtime.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace bz::rocr {

static_assert(offsetof(amd_queue_v2_t, write_dispatch_id) == offsetof(abi::amd_queue_t, write_dispatch_id));
static_assert(offsetof(amd_queue_v2_t, read_dispatch_id) == offsetof(abi::amd_queue_t, read_dispatch_id));

namespace {

struct Exception {
  HSA_DBG_TRAP_EXCEPTION_CODE code;
  int status;
  const char* text;
};

// In the order in which they decide when several are set.
constexpr Exception kExceptions[] = {
    {HSA_DBG_EC_QUEUE_WAVE_MEMORY_VIOLATION, HSA_STATUS_ERROR_MEMORY_FAULT, "memory violation"},
    {HSA_DBG_EC_QUEUE_WAVE_APERTURE_VIOLATION, HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION, "aperture violation"},
    {HSA_DBG_EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION, HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION, "illegal instruction"},
    {HSA_DBG_EC_QUEUE_WAVE_ABORT, HSA_STATUS_ERROR_EXCEPTION, "abort"},
    {HSA_DBG_EC_QUEUE_WAVE_TRAP, HSA_STATUS_ERROR_EXCEPTION, "trap"},
    {HSA_DBG_EC_QUEUE_WAVE_MATH_ERROR, HSA_STATUS_ERROR_EXCEPTION, "arithmetic exception"},
    {HSA_DBG_EC_QUEUE_PACKET_DISPATCH_DIM_INVALID, HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS,
     "a dispatch packet with wrong dimensions"},
    {HSA_DBG_EC_QUEUE_PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID, HSA_STATUS_ERROR_INVALID_ALLOCATION,
     "a dispatch packet with more group memory than there is"},
    {HSA_DBG_EC_QUEUE_PACKET_DISPATCH_CODE_INVALID, HSA_STATUS_ERROR_INVALID_CODE_OBJECT,
     "a dispatch packet whose kernel object is no kernel"},
    {HSA_DBG_EC_QUEUE_PACKET_RESERVED, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, "a packet of a reserved type"},
    {HSA_DBG_EC_QUEUE_PACKET_UNSUPPORTED, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT, "a packet of an unsupported type"},
    {HSA_DBG_EC_QUEUE_PACKET_DISPATCH_WORK_GROUP_SIZE_INVALID, HSA_STATUS_ERROR_INVALID_ARGUMENT,
     "a dispatch packet with a wrong workgroup size"},
    {HSA_DBG_EC_QUEUE_PACKET_DISPATCH_REGISTER_INVALID, HSA_STATUS_ERROR_OUT_OF_REGISTERS,
     "a kernel that needs more registers than there are"},
    {HSA_DBG_EC_QUEUE_PACKET_VENDOR_UNSUPPORTED, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT,
     "a vendor-specific packet of an unknown format"},
    {HSA_DBG_EC_QUEUE_PREEMPTION_ERROR, HSA_STATUS_ERROR, "a failed preemption"},
    {HSA_DBG_EC_DEVICE_MEMORY_VIOLATION, HSA_STATUS_ERROR_MEMORY_FAULT, "device memory violation"},
    {HSA_DBG_EC_DEVICE_RAS_ERROR, HSA_STATUS_ERROR_FATAL, "uncorrectable memory error"},
    {HSA_DBG_EC_DEVICE_FATAL_HALT, HSA_STATUS_ERROR_FATAL, "device halt"},
};

constexpr uint32_t kMaskWordBits = 32;

} // namespace

void clear_ring(void* ring, uint32_t packets) {
  std::memset(ring, 0, size_t(packets) * sizeof(hsa_barrier_and_packet_t));
  for (uint32_t i = 0; i < packets; ++i)
    static_cast<hsa_barrier_and_packet_t*>(ring)[i].header = HSA_PACKET_TYPE_INVALID << HSA_PACKET_HEADER_TYPE;
}

hsa_status_t status_of_exceptions(uint64_t mask) {
  for (const Exception& e : kExceptions)
    if (mask & HSA_EC_MASK(e.code)) return static_cast<hsa_status_t>(e.status);
  return HSA_STATUS_ERROR;
}

std::string describe_exceptions(uint64_t mask) {
  std::string text;
  for (const Exception& e : kExceptions)
    if (mask & HSA_EC_MASK(e.code)) text += (text.empty() ? "" : ", ") + std::string(e.text);
  return text.empty() ? fmt::format("exception mask {:#x}", mask) : text;
}

Result<std::unique_ptr<Queue>> Queue::create(Runtime& runtime, const Request& request) {
  std::unique_ptr<Queue> q(new Queue(runtime, request));
  ROCR_TRY(q->build(request)); // what was made so far is freed by the destructor
  return q;
}

Outcome Queue::build(const Request& request) {
  callback_ = request.callback;
  data_ = request.data;
  Pool& pool = runtime_.system_pool();
  ROCR_TRY_ASSIGN(void* amd, runtime_.memory().allocate(pool, sizeof(amd_queue_v2_t), {}));
  amd_ = new (amd) amd_queue_v2_t{};
  const size_t ring_bytes = size_t(request.size) * sizeof(hsa_kernel_dispatch_packet_t);
  ROCR_TRY_ASSIGN(ring_, runtime_.memory().allocate(pool, ring_bytes, {.executable = true}));
  clear_ring(ring_, request.size);

  ROCR_TRY_ASSIGN(doorbell_, runtime_.signals().create(0, SignalPool::Kind::doorbell));
  ROCR_TRY_ASSIGN(exception_, runtime_.signals().create(0, SignalPool::Kind::interrupt));
  ROCR_TRY_ASSIGN(inactive_, runtime_.signals().create(0, SignalPool::Kind::interrupt));

  amd_->hsa_queue.type = request.type;
  amd_->hsa_queue.features = HSA_QUEUE_FEATURE_KERNEL_DISPATCH;
  amd_->hsa_queue.base_address = ring_;
  amd_->hsa_queue.doorbell_signal = handle_of(doorbell_);
  amd_->hsa_queue.size = request.size;
  amd_->hsa_queue.id = runtime_.next_queue_id();
  amd_->read_dispatch_id_field_base_byte_offset = offsetof(amd_queue_v2_t, read_dispatch_id);
  amd_->max_cu_id = agent_->compute_units() ? agent_->compute_units() - 1 : 0;
  amd_->max_wave_id = agent_->waves_per_cu() ? agent_->waves_per_cu() - 1 : 0;
  amd_->group_segment_aperture_base_hi = static_cast<uint32_t>(abi::kLdsApertureBase >> 32);
  amd_->private_segment_aperture_base_hi = static_cast<uint32_t>(abi::kScratchApertureBase >> 32);
  amd_->queue_properties = AMD_QUEUE_PROPERTIES_IS_PTR64;
  amd_->queue_inactive_signal = handle_of(inactive_);

  HsaQueueResource resource{};
  resource.Queue_read_ptr_aql = const_cast<HSAuint64*>(&amd_->read_dispatch_id);
  resource.Queue_write_ptr_aql = const_cast<HSAuint64*>(&amd_->write_dispatch_id);
  resource.ErrorReason = &exception_->value;
  HsaEvent* event = host_of(exception_).event ? host_of(exception_).event->handle : nullptr;
  ROCR_TRY(thunk::check(hsaKmtCreateQueueExt(agent_->node(), HSA_QUEUE_COMPUTE_AQL, 100, priority_, 0, ring_,
                                             ring_bytes, event, &resource),
                        "hsaKmtCreateQueueExt"));
  created_ = true;
  id_ = resource.QueueId;
  if (request.type == HSA_QUEUE_TYPE_COOPERATIVE) {
    HSAuint32 first = 0;
    ROCR_TRY(thunk::check(hsaKmtAllocQueueGWS(id_, agent_->properties().NumGws, &first), "hsaKmtAllocQueueGWS"));
  }
  doorbell_->hardware_doorbell_ptr = reinterpret_cast<volatile uint64_t*>(resource.Queue_DoorBell_aql);
  doorbell_->queue_ptr = amd_;
  host_of(doorbell_).awake = thunk::wake_doorbell(doorbell_->hardware_doorbell_ptr);
  // Watched by the runtime's own thread, so that a slow callback of the program can't hold back another queue's error.
  ROCR_TRY(runtime_.internal_loop().watch({exception_, HSA_SIGNAL_CONDITION_NE, 0},
                                          [this](hsa_signal_value_t mask) { return on_exception(mask); }));
  return {};
}

Queue::~Queue() {
  if (exception_) runtime_.internal_loop().forget(exception_);
  if (created_) hsaKmtDestroyQueue(id_);
  for (amd_signal_t* s : {doorbell_, exception_, inactive_})
    if (s) runtime_.signals().destroy(s);
  if (ring_) (void)runtime_.memory().free(ring_);
  if (amd_) (void)runtime_.memory().free(amd_);
}

bool Queue::on_exception(hsa_signal_value_t mask) {
  const hsa_status_t status = status_of_exceptions(static_cast<uint64_t>(mask));
  dead_ = true;
  const std::string what = describe_exceptions(static_cast<uint64_t>(mask));
  log("rocr", Level::info, "queue {} on node {}: {}", amd_->hsa_queue.id, agent_->node(), what);
  if (callback_) {
    // On the program's thread: it may destroy the queue or take long.
    const auto callback = callback_;
    hsa_queue_t* queue = public_queue();
    void* data = data_;
    (void)runtime_.user_loop().call([=] { callback(status, queue, data); });
  } else if (runtime_.queue_messages()) {
    fmt::print(stderr, "Queue {} on GPU node-{} failed with {}: {}. No error callback was given to hsa_queue_create.\n",
               amd_->hsa_queue.id, agent_->node(), status_name(status), what);
  }
  return false;
}

Outcome Queue::inactivate() {
  // A queue with 0 % of the device's time runs nothing any more.
  dead_ = true;
  return thunk::check(hsaKmtUpdateQueue(id_, 0, priority_, ring_,
                                        size_t(amd_->hsa_queue.size) * sizeof(hsa_kernel_dispatch_packet_t), nullptr),
                      "hsaKmtUpdateQueue");
}

Outcome Queue::set_priority(hsa_amd_queue_priority_t priority) {
  HSA_QUEUE_PRIORITY value = HSA_QUEUE_PRIORITY_NORMAL;
  switch (priority) {
  case HSA_AMD_QUEUE_PRIORITY_LOW:
    value = HSA_QUEUE_PRIORITY_MINIMUM;
    break;
  case HSA_AMD_QUEUE_PRIORITY_NORMAL:
    value = HSA_QUEUE_PRIORITY_NORMAL;
    break;
  case HSA_AMD_QUEUE_PRIORITY_HIGH:
    value = HSA_QUEUE_PRIORITY_MAXIMUM;
    break;
  default:
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is no priority", static_cast<int>(priority));
  }
  std::lock_guard lock(mutex_);
  ROCR_TRY(thunk::check(hsaKmtUpdateQueue(id_, dead_ ? 0 : 100, value, ring_,
                                          size_t(amd_->hsa_queue.size) * sizeof(hsa_kernel_dispatch_packet_t), nullptr),
                        "hsaKmtUpdateQueue"));
  priority_ = value;
  return {};
}

Outcome Queue::set_cu_mask(std::span<const uint32_t> mask) {
  const uint32_t units = agent_->compute_units();
  std::vector<uint32_t> wanted((units + kMaskWordBits - 1) / kMaskWordBits, 0);
  bool reduced = false, any = false;
  for (uint32_t i = 0; i < mask.size() * kMaskWordBits; ++i) {
    if (!(mask[i / kMaskWordBits] >> (i % kMaskWordBits) & 1)) continue;
    if (i < units) {
      wanted[i / kMaskWordBits] |= 1u << (i % kMaskWordBits);
      any = true;
    } else {
      reduced = true;
    }
  }
  if (mask.empty()) { // an empty mask means all
    for (uint32_t i = 0; i < units; ++i) wanted[i / kMaskWordBits] |= 1u << (i % kMaskWordBits);
  } else if (!any) {
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "the mask names none of the agent's {} compute units", units);
  }
  std::lock_guard lock(mutex_);
  ROCR_TRY(thunk::check(hsaKmtSetQueueCUMask(id_, static_cast<HSAuint32>(wanted.size() * kMaskWordBits), wanted.data()),
                        "hsaKmtSetQueueCUMask"));
  cu_mask_ = std::move(wanted);
  if (reduced) return Outcome(static_cast<hsa_status_t>(HSA_STATUS_CU_MASK_REDUCED));
  return {};
}

Outcome Queue::get_cu_mask(std::span<uint32_t> mask) const {
  const uint32_t units = agent_->compute_units();
  std::lock_guard lock(mutex_);
  for (size_t w = 0; w < mask.size(); ++w) {
    if (!cu_mask_.empty()) {
      mask[w] = w < cu_mask_.size() ? cu_mask_[w] : 0;
      continue;
    }
    mask[w] = 0;
    for (uint32_t b = 0; b < kMaskWordBits; ++b)
      if (w * kMaskWordBits + b < units) mask[w] |= 1u << b;
  }
  return {};
}

void Queue::set_profiling(bool on) {
  auto* properties = &amd_->queue_properties;
  if (on)
    __atomic_or_fetch(properties, uint32_t(AMD_QUEUE_PROPERTIES_ENABLE_PROFILING), __ATOMIC_SEQ_CST);
  else
    __atomic_and_fetch(properties, ~uint32_t(AMD_QUEUE_PROPERTIES_ENABLE_PROFILING), __ATOMIC_SEQ_CST);
}

Result<std::unique_ptr<SoftQueue>> SoftQueue::create(Memory& memory, const Request& r) {
  std::unique_ptr<SoftQueue> q(new SoftQueue(memory));
  ROCR_TRY_ASSIGN(void* amd, memory.allocate(*r.region, sizeof(amd_queue_v2_t), {}));
  q->amd_ = new (amd) amd_queue_v2_t{};
  ROCR_TRY_ASSIGN(q->ring_, memory.allocate(*r.region, size_t(r.size) * sizeof(hsa_kernel_dispatch_packet_t), {}));
  clear_ring(q->ring_, r.size);
  q->amd_->hsa_queue = {r.type, r.features, q->ring_, r.doorbell, r.size, 0, r.id};
  q->amd_->read_dispatch_id_field_base_byte_offset = offsetof(amd_queue_v2_t, read_dispatch_id);
  q->amd_->queue_properties = AMD_QUEUE_PROPERTIES_IS_PTR64;
  return q;
}

SoftQueue::~SoftQueue() {
  if (ring_) (void)memory_.free(ring_);
  if (amd_) (void)memory_.free(amd_);
}

} // namespace bz::rocr
