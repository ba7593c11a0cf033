// Queues and their indices.
#include "rocr/impl.hpp"
#include "rocr/put.hpp"
#include "rocr/runtime.hpp"

#include <bit>

namespace bz::rocr::impl {

namespace {

inline amd_queue_v2_t* amd(const hsa_queue_t* q) {
  return reinterpret_cast<amd_queue_v2_t*>(const_cast<hsa_queue_t*>(q));
}

} // namespace

// Indices are plain 64-bit words beside the public queue; see api_signal.cpp for the memory orders.
#define LOAD(index, field, order)                                                                                      \
  uint64_t hsa_queue_load_##index##_index_##order(const hsa_queue_t* queue) {                                          \
    return __atomic_load_n(&amd(queue)->field, __ATOMIC_SEQ_CST);                                                      \
  }
#define STORE(index, field, order)                                                                                     \
  void hsa_queue_store_##index##_index_##order(const hsa_queue_t* queue, uint64_t value) {                             \
    __atomic_store_n(&amd(queue)->field, value, __ATOMIC_RELEASE);                                                     \
  }
#define CAS(order)                                                                                                     \
  uint64_t hsa_queue_cas_write_index_##order(const hsa_queue_t* queue, uint64_t expected, uint64_t value) {            \
    __atomic_compare_exchange_n(&amd(queue)->write_dispatch_id, &expected, value, false, __ATOMIC_SEQ_CST,             \
                                __ATOMIC_SEQ_CST);                                                                     \
    return expected;                                                                                                   \
  }
#define ADD(order)                                                                                                     \
  uint64_t hsa_queue_add_write_index_##order(const hsa_queue_t* queue, uint64_t value) {                               \
    return __atomic_fetch_add(&amd(queue)->write_dispatch_id, value, __ATOMIC_SEQ_CST);                                \
  }
LOAD(read, read_dispatch_id, relaxed)
LOAD(read, read_dispatch_id, scacquire)
LOAD(write, write_dispatch_id, relaxed)
LOAD(write, write_dispatch_id, scacquire)
STORE(write, write_dispatch_id, relaxed)
STORE(write, write_dispatch_id, screlease)
STORE(read, read_dispatch_id, relaxed)
STORE(read, read_dispatch_id, screlease)
CAS(relaxed)
CAS(scacquire)
CAS(screlease)
CAS(scacq_screl)
ADD(relaxed)
ADD(scacquire)
ADD(screlease)
ADD(scacq_screl)
#undef LOAD
#undef STORE
#undef CAS
#undef ADD

namespace {

Result<Queue::Request> checked_request(Runtime& runtime, hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                                       QueueErrorCallback callback, void* data) {
  ROCR_TRY_ASSIGN(Agent * a, runtime.agent(agent));
  if (!std::has_single_bit(size) || size < Agent::kQueueMinSize || size > Agent::kQueueMaxSize)
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} packets: a power of two from {} to {} is needed", size,
                Agent::kQueueMinSize, Agent::kQueueMaxSize);
  if (type != HSA_QUEUE_TYPE_MULTI && type != HSA_QUEUE_TYPE_SINGLE && type != HSA_QUEUE_TYPE_COOPERATIVE)
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is no queue type", type);
  if (!a->is_gpu()) return fail(HSA_STATUS_ERROR_INVALID_QUEUE_CREATION, "{} is a CPU and has no queues", a->name());
  if (type == HSA_QUEUE_TYPE_COOPERATIVE && !a->properties().NumGws)
    return fail(HSA_STATUS_ERROR_INVALID_QUEUE_CREATION, "{} has no cooperative queues", a->name());
  return Queue::Request{a, size, type, callback, data};
}

} // namespace

Outcome hsa_queue_create(Runtime& runtime, hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                         QueueErrorCallback callback, void* data, uint32_t, uint32_t, hsa_queue_t** queue) {
  if (!queue) return null_argument("queue");
  *queue = nullptr;
  ROCR_TRY_ASSIGN(const Queue::Request request, checked_request(runtime, agent, size, type, callback, data));
  ROCR_TRY_ASSIGN(auto q, Queue::create(runtime, request));
  hsa_queue_t* made = q->public_queue();
  ROCR_TRY(runtime.add_queue(std::move(q)));
  *queue = made;
  return {};
}

Outcome hsa_amd_queue_intercept_create(Runtime& runtime, hsa_agent_t agent, uint32_t size, hsa_queue_type32_t type,
                                       QueueErrorCallback callback, void* data, uint32_t, uint32_t,
                                       hsa_queue_t** queue) {
  if (!queue) return null_argument("queue");
  *queue = nullptr;
  ROCR_TRY_ASSIGN(const Queue::Request request, checked_request(runtime, agent, size, type, callback, data));
  ROCR_TRY_ASSIGN(auto q, InterceptQueue::create(runtime, request));
  *queue = q->public_queue();
  runtime.add_intercept_queue(std::move(q));
  return {};
}

Outcome hsa_amd_queue_intercept_register(Runtime& runtime, hsa_queue_t* queue, hsa_amd_queue_intercept_handler handler,
                                         void* data) {
  if (!queue) return null_argument("queue");
  if (!handler) return null_argument("callback");
  ROCR_TRY_ASSIGN(const auto q, runtime.intercept_queue(queue));
  q->add(handler, data);
  return {};
}

Outcome hsa_soft_queue_create(Runtime& runtime, hsa_region_t region, uint32_t size, hsa_queue_type32_t type,
                              uint32_t features, hsa_signal_t doorbell_signal, hsa_queue_t** queue) {
  if (!queue) return null_argument("queue");
  *queue = nullptr;
  if (!std::has_single_bit(size))
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} packets are no power of two", size);
  if (type != HSA_QUEUE_TYPE_MULTI && type != HSA_QUEUE_TYPE_SINGLE)
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} is no type of a soft queue", type);
  constexpr uint32_t kFeatures = HSA_QUEUE_FEATURE_KERNEL_DISPATCH | HSA_QUEUE_FEATURE_AGENT_DISPATCH;
  if (!features || features & ~kFeatures)
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "features {:#x} are no queue features", features);
  ROCR_TRY_ASSIGN(Pool * p, runtime.pool(region.handle, HSA_STATUS_ERROR_INVALID_REGION));
  if (!p->host_access) return fail(HSA_STATUS_ERROR_INVALID_REGION, "the host can't write this region");
  ROCR_TRY(runtime.signals().find(doorbell_signal));
  ROCR_TRY_ASSIGN(
      auto q, SoftQueue::create(runtime.memory(), {p, size, type, features, doorbell_signal, runtime.next_queue_id()}));
  hsa_queue_t* made = q->public_queue();
  runtime.add_soft_queue(std::move(q));
  *queue = made;
  return {};
}

Outcome hsa_queue_destroy(Runtime& runtime, hsa_queue_t* queue) {
  if (!queue) return null_argument("queue");
  return runtime.remove_queue(queue);
}

Outcome hsa_queue_inactivate(Runtime& runtime, hsa_queue_t* queue) {
  if (!queue) return null_argument("queue");
  if (runtime.is_soft_queue(queue)) return {}; // the program decides what it still processes
  ROCR_TRY_ASSIGN(const auto q, runtime.queue(queue));
  return q->inactivate();
}

Outcome hsa_amd_queue_set_priority(Runtime& runtime, hsa_queue_t* queue, hsa_amd_queue_priority_t priority) {
  if (!queue) return null_argument("queue");
  ROCR_TRY_ASSIGN(const auto q, runtime.queue(queue));
  return q->set_priority(priority);
}

Outcome hsa_amd_queue_cu_set_mask(Runtime& runtime, const hsa_queue_t* queue, uint32_t bits, const uint32_t* mask) {
  if (!queue) return null_argument("queue");
  if (bits % 32) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} bits are no multiple of 32", bits);
  if (bits && !mask) return null_argument("cu_mask");
  ROCR_TRY_ASSIGN(const auto q, runtime.queue(queue));
  return q->set_cu_mask({mask, bits / 32});
}

Outcome hsa_amd_queue_cu_get_mask(Runtime& runtime, const hsa_queue_t* queue, uint32_t bits, uint32_t* mask) {
  if (!queue) return null_argument("queue");
  if (!bits || bits % 32) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{} bits are no multiple of 32", bits);
  if (!mask) return null_argument("cu_mask");
  ROCR_TRY_ASSIGN(const auto q, runtime.queue(queue));
  return q->get_cu_mask({mask, bits / 32});
}

Outcome hsa_amd_queue_get_info(Runtime& runtime, hsa_queue_t* queue, hsa_queue_info_attribute_t attribute,
                               void* value) {
  if (!queue) return null_argument("queue");
  if (!value) return null_argument("value");
  ROCR_TRY_ASSIGN(const auto q, runtime.queue(queue));
  switch (attribute) {
  case HSA_AMD_QUEUE_INFO_AGENT:
    return put(value, q->agent()->handle());
  case HSA_AMD_QUEUE_INFO_DOORBELL_ID:
    return put(value, reinterpret_cast<uint64_t>(q->doorbell()));
  }
  return bad_attribute(attribute);
}

Outcome hsa_amd_profiling_set_profiler_enabled(Runtime& runtime, hsa_queue_t* queue, int enable) {
  if (!queue) return null_argument("queue");
  ROCR_TRY_ASSIGN(const auto q, runtime.queue(queue));
  q->set_profiling(enable != 0);
  return {};
}

} // namespace bz::rocr::impl
