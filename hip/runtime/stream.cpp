#include "hip/runtime/stream.hpp"
#include "base/log.hpp"
#include "hip/runtime/device.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>

namespace bz::hip {
namespace {

std::atomic<uint64_t> next_stream_id{1};

/// A copy of this size takes a few microseconds, as long as to hand it to a thread that sleeps.
constexpr size_t kSmallCopy = 64 * 1024;

constexpr uint16_t packet_header(hsa_packet_type_t type) {
  return static_cast<uint16_t>(type << HSA_PACKET_HEADER_TYPE | 1 << HSA_PACKET_HEADER_BARRIER |
                               HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                               HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
}

void add_unfinished(std::vector<MarkerPtr>& to, const MarkerPtr& marker) {
  if (marker && !marker->done()) to.push_back(marker);
}

} // namespace

Stream::Stream(Device& device, Options options)
    : device_(device), options_(std::move(options)), id_(next_stream_id.fetch_add(1)) {}

Stream::~Stream() {
  for (auto& marker : pending_) marker->release();
  if (queue_) device_.give_queue(queue_, options_.priority, options_.cu_mask);
}

Expected<hsa_queue_t*> Stream::queue() {
  std::lock_guard lock(mutex_);
  return queue_locked();
}

Expected<hsa_queue_t*> Stream::queue_locked() {
  if (!queue_) { BZ_TRY_ASSIGN(queue_, device_.take_queue(options_.priority, options_.cu_mask)); }
  return queue_;
}

std::vector<MarkerPtr> Stream::own_frontier() {
  std::lock_guard lock(state_mutex_);
  std::vector<MarkerPtr> out;
  add_unfinished(out, last_);
  for (auto& m : waits_) add_unfinished(out, m);
  quiet_.store(out.empty(), std::memory_order_release);
  return out;
}

std::vector<MarkerPtr> Stream::frontier(bool implicit) {
  auto out = own_frontier();
  auto add = [&](Stream& other) {
    if (&other == this || !other.is_blocking()) return;
    auto more = other.own_frontier();
    out.insert(out.end(), more.begin(), more.end());
  };
  if (is_null()) {
    for (auto& other : device_.busy_streams()) add(*other);
  } else if (implicit && is_blocking()) {
    if (auto null = device_.null_stream_if_used()) add(*null);
  }
  return out;
}

bool Stream::quiet() const {
  if (!quiet_.load(std::memory_order_acquire)) return false;
  if (is_null()) return device_.blocking_streams_quiet();
  const Stream* null = is_blocking() ? device_.null_stream_seen() : nullptr;
  return !null || null->quiet_.load(std::memory_order_acquire);
}

std::vector<MarkerPtr> Stream::record() {
  std::lock_guard lock(mutex_);
  auto markers = frontier(true);
  {
    std::lock_guard state(state_mutex_);
    waits_ = markers;
    if (!markers.empty()) quiet_ = false;
  }
  if (!markers.empty()) show_busy();
  return markers;
}

uint64_t Stream::position() {
  std::lock_guard state(state_mutex_);
  return position_;
}

bool Stream::comes_after(const std::vector<MarkerPtr>& markers, uint64_t stream, uint64_t position) {
  if (stream == id_) return true;
  const auto mine = frontier(true);
  for (auto& m : markers) {
    if (m->done()) continue;
    const bool covered = std::any_of(mine.begin(), mine.end(), [&](auto& x) {
      return x == m || (x->stream == m->stream && x->position >= m->position) ||
             (x->stream == stream && x->position > position);
    });
    if (!covered) return false;
  }
  return true;
}

void Stream::wait_for(std::vector<MarkerPtr> markers) {
  std::lock_guard lock(mutex_);
  {
    std::lock_guard state(state_mutex_);
    std::erase_if(waits_, [](auto& m) { return m->done(); });
    for (auto& m : markers) add_unfinished(waits_, m);
    if (!waits_.empty()) quiet_ = false;
  }
  show_busy();
}

std::vector<MarkerPtr> Stream::take_dependencies(const hsa_queue_t* in_queue) {
  auto out = frontier(true);
  // The queue runs its packets in order: its own kernels need no wait.
  if (in_queue) std::erase_if(out, [&](auto& m) { return m->queue == in_queue; });
  return out;
}

void Stream::show_busy() {
  if (!listed_busy.load(std::memory_order_seq_cst) && !listed_busy.exchange(true)) device_.add_busy(shared_from_this());
}

void Stream::append(MarkerPtr marker, std::vector<MarkerPtr> dependencies) {
  for (auto& d : dependencies) marker->keep(std::move(d));
  pending_.push_back(marker);
  {
    std::lock_guard state(state_mutex_);
    marker->stream = id_;
    marker->position = ++position_;
    last_ = std::move(marker);
    quiet_ = false;
    waits_.clear();
  }
  show_busy();
  prune();
}

void Stream::prune() {
  while (!pending_.empty() && pending_.front()->done()) {
    pending_.front()->release();
    pending_.pop_front();
  }
}

void Stream::submit(hsa_queue_t* queue, const void* packet, uint16_t header, uint16_t setup, bool ring) {
  uint64_t index = hsa_queue_add_write_index_screlease(queue, 1);
  if (index - hsa_queue_load_read_index_scacquire(queue) >= queue->size) {
    // Packets whose doorbell hasn't rung would keep the queue full for ever.
    if (index > 0) hsa_signal_store_screlease(queue->doorbell_signal, static_cast<hsa_signal_value_t>(index - 1));
    while (index - hsa_queue_load_read_index_scacquire(queue) >= queue->size) std::this_thread::yield();
  }
  char* slot = static_cast<char*>(queue->base_address) + (index & (queue->size - 1)) * 64;
  std::memcpy(slot + 4, static_cast<const char*>(packet) + 4, 60);
  __atomic_store_n(reinterpret_cast<uint32_t*>(slot), header | uint32_t(setup) << 16, __ATOMIC_RELEASE);
  if (ring) hsa_signal_store_screlease(queue->doorbell_signal, static_cast<hsa_signal_value_t>(index));
}

void Stream::submit_waits(hsa_queue_t* queue, const std::vector<MarkerPtr>& waits) {
  for (size_t i = 0; i < waits.size(); i += 5) {
    hsa_barrier_and_packet_t packet{};
    for (size_t k = 0; k < 5 && i + k < waits.size(); ++k) packet.dep_signal[k] = waits[i + k]->signal();
    submit(queue, &packet, packet_header(HSA_PACKET_TYPE_BARRIER_AND), 0);
  }
}

Expected<MarkerPtr> Stream::dispatch(const std::function<DispatchWork(hsa_queue_t*)>& make) {
  std::lock_guard lock(mutex_);
  BZ_TRY_ASSIGN(hsa_queue_t * queue, queue_locked());
  BZ_TRY_ASSIGN(MarkerPtr marker, Marker::create(Marker::Kind::dispatch, device_.agent()));
  auto waits = take_dependencies(queue);
  DispatchWork work = make(queue);
  marker->queue = queue;
  marker->keep(std::move(work.code));
  marker->on_release(std::move(work.release));
  work.packet.completion_signal = marker->signal();
  submit_waits(queue, waits);
  submit(queue, &work.packet, packet_header(HSA_PACKET_TYPE_KERNEL_DISPATCH), work.packet.setup);
  append(marker, std::move(waits));
  return marker;
}

void Stream::keep(std::shared_ptr<const void> object) {
  std::lock_guard lock(mutex_);
  if (!pending_.empty()) pending_.back()->keep(std::move(object));
}

Status Stream::dispatch_all(const std::vector<BatchedDispatch>& kernels, std::vector<MarkerPtr>& markers) {
  std::lock_guard lock(mutex_);
  BZ_TRY_ASSIGN(hsa_queue_t * queue, queue_locked());
  std::vector<MarkerPtr> made; // before anything is submitted
  for (size_t i = 0; i < kernels.size(); ++i) {
    if (!kernels[i].marked && i + 1 < kernels.size()) continue;
    BZ_TRY_ASSIGN(MarkerPtr marker, Marker::create(Marker::Kind::dispatch, device_.agent()));
    marker->queue = queue;
    made.push_back(std::move(marker));
  }
  auto waits = take_dependencies(queue);
  submit_waits(queue, waits);
  auto next = made.begin();
  for (size_t i = 0; i < kernels.size(); ++i) {
    const bool last = i + 1 == kernels.size();
    hsa_kernel_dispatch_packet_t packet = *kernels[i].packet;
    packet.completion_signal = {};
    if (kernels[i].marked || last) packet.completion_signal = (*next)->signal();
    submit(queue, &packet, packet_header(HSA_PACKET_TYPE_KERNEL_DISPATCH), packet.setup, last);
    if (kernels[i].marked) markers.push_back(*next);
    if (kernels[i].marked || last) append(*next++, std::exchange(waits, {}));
  }
  return {};
}

Status Stream::copy(void* dst, hsa_agent_t dst_agent, const void* src, hsa_agent_t src_agent, size_t size,
                    bool host_reaches) {
  std::lock_guard lock(mutex_);
  std::vector<MarkerPtr> waits;
  if (!quiet()) waits = take_dependencies(nullptr);
  if (waits.empty() && host_reaches && size <= kSmallCopy) {
    std::memmove(dst, src, size);
    prune();
    return {};
  }
  BZ_TRY_ASSIGN(MarkerPtr marker, Marker::create(Marker::Kind::copy, device_.agent()));
  std::vector<hsa_signal_t> signals;
  for (auto& m : waits) signals.push_back(m->signal());
  hsa_status_t status = hsa_amd_memory_async_copy(dst, dst_agent, src, src_agent, size, uint32_t(signals.size()),
                                                  signals.empty() ? nullptr : signals.data(), marker->signal());
  if (status != HSA_STATUS_SUCCESS) {
    hsa_signal_store_screlease(marker->signal(), 0); // nothing was started: the signal may serve again
    return hsa_check(status, "starting a copy");
  }
  append(std::move(marker), std::move(waits));
  return {};
}

Expected<MarkerPtr> Stream::host_locked(std::vector<MarkerPtr> dependencies, std::function<void()> function) {
  BZ_TRY_ASSIGN(MarkerPtr marker, Marker::create(Marker::Kind::host, device_.agent()));
  {
    std::lock_guard lock(worker_mutex_);
    tasks_.push_back({dependencies, std::move(function), marker});
    if (!worker_runs_) {
      worker_runs_ = true;
      std::thread(run_worker, shared_from_this()).detach();
    }
  }
  append(marker, std::move(dependencies));
  return marker;
}

Expected<MarkerPtr> Stream::host(std::function<void()> function) {
  std::lock_guard lock(mutex_);
  return host_locked(take_dependencies(nullptr), std::move(function));
}

Result Stream::host_or_now(std::function<Status()> function) {
  std::lock_guard lock(mutex_);
  std::vector<MarkerPtr> waits;
  if (!quiet()) waits = take_dependencies(nullptr);
  if (waits.empty()) {
    prune();
    return Result(function());
  }
  HIP_TRY(host_locked(std::move(waits), [f = std::move(function)] {
    if (Status s = f(); !s.ok()) log("hip", Level::error, "work of a stream failed: {}", s.message());
  }));
  return {};
}

Result Stream::host_now(const std::function<Status()>& function) {
  std::vector<MarkerPtr> waits;
  if (!quiet()) {
    std::lock_guard lock(mutex_);
    waits = take_dependencies(nullptr);
  }
  // Not under the lock: another thread may have to submit what this one waits for.
  for (auto& m : waits) m->wait(device_.wait_state());
  Status status = function();
  std::lock_guard lock(mutex_);
  prune();
  return Result(status);
}

void Stream::run_worker(std::shared_ptr<Stream> self) {
  for (;;) {
    Task task;
    {
      std::lock_guard lock(self->worker_mutex_);
      if (self->tasks_.empty()) {
        self->worker_runs_ = false;
        return;
      }
      task = std::move(self->tasks_.front());
      self->tasks_.pop_front();
    }
    for (auto& m : task.waits) m->wait();
    Marker::HostScope scope(*task.marker);
    task.function();
  }
}

void Stream::tidy() {
  if (std::unique_lock lock(mutex_, std::try_to_lock); lock) prune();
}

Stream::Attributes Stream::attributes() {
  std::lock_guard state(state_mutex_);
  return attributes_;
}

void Stream::set_attributes(const Attributes& attributes) {
  std::lock_guard state(state_mutex_);
  attributes_ = attributes;
}

void Stream::synchronize() {
  if (!quiet()) {
    const auto policy = attributes().sync_policy;
    const auto how = policy == hipSyncPolicyAuto ? device_.wait_state()
                     : policy == hipSyncPolicySpin ? HSA_WAIT_STATE_ACTIVE : HSA_WAIT_STATE_BLOCKED;
    for (auto& m : frontier(false)) m->wait(how);
  }
  std::lock_guard lock(mutex_);
  prune();
}

} // namespace bz::hip
