#include "rocr/intercept.hpp"

#include "base/log.hpp"
#include "rocr/runtime.hpp"

#include <algorithm>
#include <cstring>

namespace bz::rocr {

namespace {

constexpr uint64_t kPacketBytes = sizeof(hsa_kernel_dispatch_packet_t);

uint16_t header_of(const char* packet) { return __atomic_load_n(reinterpret_cast<const uint16_t*>(packet), __ATOMIC_ACQUIRE); }
uint8_t type_of(uint16_t header) { return header >> HSA_PACKET_HEADER_TYPE & ((1 << HSA_PACKET_HEADER_WIDTH_TYPE) - 1); }

/// The marker among these packets, else null.
const amd_aql_intercept_marker_t* as_marker(const char* packet) {
  const auto* marker = reinterpret_cast<const amd_aql_intercept_marker_t*>(packet);
  return type_of(marker->header) == HSA_PACKET_TYPE_VENDOR_SPECIFIC && marker->format == AMD_AQL_FORMAT_INTERCEPT_MARKER
             ? marker
             : nullptr;
}

} // namespace

struct InterceptQueue::Frame {
  InterceptQueue* queue;
  size_t handlers_left; ///< those that see what the running one writes
  uint64_t index;
  Frame* outer;
  static thread_local Frame* current;
};
thread_local InterceptQueue::Frame* InterceptQueue::Frame::current = nullptr;

Result<std::unique_ptr<InterceptQueue>> InterceptQueue::create(Runtime& runtime, Queue::Request request) {
  std::unique_ptr<InterceptQueue> q(new InterceptQueue(runtime));
  q->callback_ = request.callback;
  q->data_ = request.data;
  if (request.callback) {
    request.callback = on_error;
    request.data = q.get();
  }
  ROCR_TRY_ASSIGN(q->device_queue_, Queue::create(runtime, request));
  const hsa_queue_t* inner = q->device_queue_->public_queue();
  Pool& pool = runtime.system_pool();
  ROCR_TRY_ASSIGN(void* amd, runtime.memory().allocate(pool, sizeof(amd_queue_v2_t), {}));
  // Kernels that look at their queue find in it what the device's queue says.
  q->amd_ = new (amd) amd_queue_v2_t(*reinterpret_cast<const amd_queue_v2_t*>(inner));
  ROCR_TRY_ASSIGN(q->ring_, runtime.memory().allocate(pool, inner->size * kPacketBytes, {}));
  clear_ring(q->ring_, inner->size);
  ROCR_TRY_ASSIGN(q->doorbell_, runtime.signals().create(0, SignalPool::Kind::doorbell));
  host_of(q->doorbell_).ring = on_ring;
  host_of(q->doorbell_).ring_data = q.get();
  q->doorbell_->queue_ptr = q->amd_;
  q->amd_->hsa_queue.base_address = q->ring_;
  q->amd_->hsa_queue.doorbell_signal = handle_of(q->doorbell_);
  q->amd_->hsa_queue.id = runtime.next_queue_id();
  q->amd_->read_dispatch_id = q->amd_->write_dispatch_id = 0;
  return q;
}

InterceptQueue::~InterceptQueue() {
  device_queue_.reset(); // calls on_error no more
  if (doorbell_) runtime_.signals().destroy(doorbell_);
  if (ring_) (void)runtime_.memory().free(ring_);
  if (amd_) (void)runtime_.memory().free(amd_);
}

void InterceptQueue::on_error(hsa_status_t status, hsa_queue_t*, void* self) {
  auto* q = static_cast<InterceptQueue*>(self);
  q->callback_(status, q->public_queue(), q->data_);
}

void InterceptQueue::add(hsa_amd_queue_intercept_handler handler, void* data) {
  std::lock_guard lock(mutex_);
  handlers_.push_back({handler, data});
}

void InterceptQueue::on_ring(void* self, hsa_signal_value_t) { static_cast<InterceptQueue*>(self)->process(); }

void InterceptQueue::process() {
  std::lock_guard lock(mutex_);
  if (processing_) return; // a handler rang: the loop below sees it
  processing_ = true;
  std::vector<char> batch;
  const uint64_t mask = amd_->hsa_queue.size - 1;
  auto* read = &amd_->read_dispatch_id;
  for (;;) {
    // All packets that are written, in order: the doorbells of several producers may come out of order.
    const uint64_t first = __atomic_load_n(read, __ATOMIC_RELAXED);
    const uint64_t end = __atomic_load_n(&amd_->write_dispatch_id, __ATOMIC_ACQUIRE);
    batch.clear();
    uint64_t next = first;
    for (; next < end && next - first <= mask; ++next) {
      char* slot = static_cast<char*>(ring_) + (next & mask) * kPacketBytes;
      if (type_of(header_of(slot)) == HSA_PACKET_TYPE_INVALID) break;
      batch.insert(batch.end(), slot, slot + kPacketBytes);
      __atomic_store_n(reinterpret_cast<uint16_t*>(slot), uint16_t(HSA_PACKET_TYPE_INVALID << HSA_PACKET_HEADER_TYPE),
                       __ATOMIC_RELEASE);
    }
    if (next == first) break;
    __atomic_store_n(read, next, __ATOMIC_RELEASE);
    pass(handlers_.size(), batch.data(), next - first, first);
  }
  processing_ = false;
}

void InterceptQueue::pass(size_t handlers_left, const char* packets, uint64_t count, uint64_t index) {
  if (handlers_left == 0) return submit(packets, count);
  Frame frame{this, handlers_left - 1, index, Frame::current};
  Frame::current = &frame;
  const Handler handler = handlers_[handlers_left - 1];
  handler.call(packets, count, index, handler.data, write);
  Frame::current = frame.outer;
}

void InterceptQueue::write(const void* packets, uint64_t count) {
  Frame* frame = Frame::current;
  if (!frame) {
    log("rocr", Level::error, "the writer of an intercepted queue was called outside of its handler: {} packets are lost", count);
    return;
  }
  if (!packets && count) {
    log("rocr", Level::error, "the handler of an intercepted queue wrote {} packets at null", count);
    return;
  }
  frame->queue->pass(frame->handlers_left, static_cast<const char*>(packets), count, frame->index);
}

void InterceptQueue::submit(const char* packets, uint64_t count) {
  hsa_queue_t* inner = device_queue_->public_queue();
  auto* amd = reinterpret_cast<amd_queue_v2_t*>(inner);
  const uint64_t mask = inner->size - 1;
  bool rung = true;
  uint64_t index = __atomic_load_n(&amd->write_dispatch_id, __ATOMIC_RELAXED); // only this function, under the lock, writes
  const auto ring = [&] {
    if (!rung) ring_doorbell(signal_of(inner->doorbell_signal), index - 1);
    rung = true;
  };
  for (uint64_t i = 0; i < count; ++i) {
    const char* packet = packets + i * kPacketBytes;
    if (const auto* marker = as_marker(packet)) {
      ring();
      if (marker->callback) marker->callback(marker, inner, index);
      continue;
    }
    while (index - __atomic_load_n(&amd->read_dispatch_id, __ATOMIC_ACQUIRE) > mask) {
      ring(); // a full ring gets room only by what the device knows of
      std::this_thread::yield();
      if (device_queue_->dead()) return; // its error callback told the program
    }
    char* slot = static_cast<char*>(inner->base_address) + (index & mask) * kPacketBytes;
    __atomic_store_n(&amd->write_dispatch_id, index + 1, __ATOMIC_RELEASE);
    std::memcpy(slot + sizeof(uint32_t), packet + sizeof(uint32_t), kPacketBytes - sizeof(uint32_t));
    uint32_t head;
    std::memcpy(&head, packet, sizeof head);
    __atomic_store_n(reinterpret_cast<uint32_t*>(slot), head, __ATOMIC_RELEASE);
    ++index;
    rung = false;
  }
  ring();
}

} // namespace bz::rocr
