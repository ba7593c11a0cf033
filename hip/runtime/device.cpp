#include "hip/runtime/device.hpp"
#include "base/environment.hpp"
#include "base/log.hpp"
#include "hip/runtime/hostcall.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace bz::hip {

// ---- KernargArena ---------------------------------------------------------------------------------------------------

int KernargArena::size_class(size_t size) { return std::bit_width(std::max<size_t>(size, 64) - 1); }

Expected<void*> KernargArena::take(size_t size) {
  const int c = size_class(size);
  const size_t block = size_t(1) << c;
  std::lock_guard lock(mutex_);
  if (!free_[c].empty()) {
    void* p = free_[c].back();
    free_[c].pop_back();
    return p;
  }
  constexpr size_t kChunk = 1 << 20;
  auto allocate = [&](size_t bytes) -> Expected<char*> {
    void* p = nullptr;
    BZ_TRY(hsa_check(hsa_amd_memory_pool_allocate(pool_, bytes, 0, &p), "allocating kernel argument memory"));
    BZ_TRY(hsa_check(hsa_amd_agents_allow_access(1, &agent_, nullptr, p), "mapping kernel argument memory"));
    return static_cast<char*>(p);
  };
  if (block > kChunk) {
    BZ_TRY_ASSIGN(char* p, allocate(block));
    return static_cast<void*>(p);
  }
  if (chunk_left_ < block) {
    BZ_TRY_ASSIGN(chunk_, allocate(kChunk));
    chunk_left_ = kChunk;
  }
  char* p = chunk_;
  chunk_ += block;
  chunk_left_ -= block;
  return static_cast<void*>(p);
}

void KernargArena::give(void* block, size_t size) {
  std::lock_guard lock(mutex_);
  free_[size_class(size)].push_back(block);
}

// ---- Discovery ------------------------------------------------------------------------------------------------------

Expected<std::unique_ptr<Device>> Device::create(int ordinal, hsa_agent_t agent, const HostAgent& host) {
  std::unique_ptr<Device> d(new Device(ordinal, agent, host));

  // The ISA name carries the features that the agent's plain name leaves out.
  std::string isa_name;
  auto first_isa = [](hsa_isa_t isa, void* out) {
    uint32_t length = 0;
    if (hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME_LENGTH, &length) != HSA_STATUS_SUCCESS) return HSA_STATUS_SUCCESS;
    std::string name(length + 1, '\0');
    if (hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, name.data()) != HSA_STATUS_SUCCESS) return HSA_STATUS_SUCCESS;
    *static_cast<std::string*>(out) = name.c_str();
    return HSA_STATUS_INFO_BREAK;
  };
  BZ_TRY(hsa_check(hsa_agent_iterate_isas(agent, first_isa, &isa_name), "asking for the agent's ISA"));
  BZ_TRY_ASSIGN(d->target_, codeobj::TargetId::parse(isa_name));

  auto pool = [](hsa_amd_memory_pool_t pool, void* data) {
    auto& d = *static_cast<Device*>(data);
    auto segment = pool_info<hsa_amd_segment_t>(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT);
    size_t size = pool_info<size_t>(pool, HSA_AMD_MEMORY_POOL_INFO_SIZE);
    if (segment == HSA_AMD_SEGMENT_GROUP) d.lds_size_ = size;
    if (segment != HSA_AMD_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
    auto flags = pool_info<uint32_t>(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS);
    if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED) {
      d.vram_ = pool;
      d.vram_size_ = size;
    } else if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED) {
      d.fine_vram_ = pool;
    }
    return HSA_STATUS_SUCCESS;
  };
  BZ_TRY(hsa_check(hsa_amd_agent_iterate_memory_pools(agent, pool, d.get()), "asking for the agent's memory pools"));
  if (!d->vram_.handle) d->vram_ = d->fine_vram_;
  if (!d->vram_.handle) return error(Code::unsupported, "GPU {} has no global memory pool", ordinal);
  if (!d->fine_vram_.handle) d->fine_vram_ = d->vram_;
  d->host_reaches_vram_ = can_access(host.agent, d->vram_) && can_access(host.agent, d->fine_vram_);
  if (!d->vram_size_) d->vram_size_ = pool_info<size_t>(d->vram_, HSA_AMD_MEMORY_POOL_INFO_SIZE);

  d->compute_units_ = agent_info<uint32_t>(agent, HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT);
  d->wavefront_size_ = std::max(agent_info<uint32_t>(agent, HSA_AGENT_INFO_WAVEFRONT_SIZE), 32u);
  d->simds_per_cu_ = std::max(agent_info<uint32_t>(agent, HSA_AMD_AGENT_INFO_NUM_SIMDS_PER_CU), 1u);
  d->waves_per_cu_ = std::max(agent_info<uint32_t>(agent, HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU), 1u);
  d->max_queue_ = agent_info<uint32_t>(agent, HSA_AGENT_INFO_QUEUE_MAX_SIZE);
  d->fill_properties();
  return d;
}

Device::Device(int ordinal, hsa_agent_t agent, const HostAgent& host)
    : ordinal_(ordinal), agent_(agent), host_(host), kernargs_(host.kernarg, agent), accessors_{agent} {}

Device::~Device() = default;

uint64_t Device::vram_free() const {
  uint64_t bytes = 0;
  if (hsa_agent_get_info(agent_, static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_MEMORY_AVAIL), &bytes) !=
      HSA_STATUS_SUCCESS)
    return vram_size_;
  return bytes;
}

// ---- Host services --------------------------------------------------------------------------------------------------

Expected<HostcallService*> Device::hostcall() {
  std::lock_guard lock(hostcall_mutex_);
  if (!hostcall_) { BZ_TRY_ASSIGN(hostcall_, HostcallService::start(*this)); }
  return hostcall_.get();
}

HostcallService* Device::hostcall_if_started() {
  std::lock_guard lock(hostcall_mutex_);
  return hostcall_.get();
}

// ---- Queues ---------------------------------------------------------------------------------------------------------

/// A queue that stopped with an error can't be used again, and its results are lost: end the program as ROCm does.
void Device::queue_error(hsa_status_t status, hsa_queue_t* queue, void* data) {
  auto& device = *static_cast<Device*>(data);
  if (auto* service = device.hostcall_if_started()) service->drain();
  std::fflush(stdout);
  const char* text = nullptr;
  if (hsa_status_string(status, &text) != HSA_STATUS_SUCCESS || !text) text = "unknown HSA status";
  // s_trap 2 (abort, failed assert) arrives as an exception: the queue error 0x1016.
  std::fprintf(stderr, ":0: hip: Callback: Queue %p Aborting with error : %s%s code: 0x%x (GPU %d, %s)\n",
               static_cast<void*>(queue), status == HSA_STATUS_ERROR_EXCEPTION ? "HSA_STATUS_ERROR_EXCEPTION: " : "",
               text, static_cast<unsigned>(status), device.ordinal_, device.target_.str().c_str());
  std::fflush(stderr);
  std::abort();
}

namespace {

/// Queues of one priority. Streams beyond them share: the order between those that do is stricter than it has to be.
size_t max_hw_queues() {
  static const auto most = static_cast<size_t>(environment_number("hip", "GPU_MAX_HW_QUEUES", 32, 1, 128));
  return most;
}

} // namespace

Expected<hsa_queue_t*> Device::take_queue(int priority, const std::vector<uint32_t>& cu_mask) {
  std::lock_guard lock(queues_mutex_);
  auto& made = queues_[priority];
  const size_t most = max_hw_queues(); // here, so that a value that it can't be is named at once
  const auto least_used = [&] {
    return std::ranges::min_element(made, {}, &SharedQueue::users); // the first of equals: it is warm
  };
  const auto share = [&](auto at) {
    ++at->users;
    return at->queue;
  };
  if (cu_mask.empty() && !made.empty())
    if (auto at = least_used(); at->users == 0 || made.size() >= most) return share(at);
  const uint32_t size = std::min<uint32_t>(max_queue_ ? max_queue_ : 4096, 4096);
  hsa_queue_t* queue = nullptr;
  hsa_status_t status =
      hsa_queue_create(agent_, size, HSA_QUEUE_TYPE_MULTI, queue_error, this, UINT32_MAX, UINT32_MAX, &queue);
  if (status == HSA_STATUS_ERROR_OUT_OF_RESOURCES && cu_mask.empty() && !made.empty()) {
    log("hip", Level::info, "GPU {}: no more queues, streams share {}", ordinal_, made.size());
    return share(least_used());
  }
  BZ_TRY(hsa_check(status, "creating a queue"));
  (void)hsa_amd_profiling_set_profiler_enabled(queue, 1); // event times come from dispatch times
  if (priority != 0)
    BZ_TRY(hsa_check(
        hsa_amd_queue_set_priority(queue, priority < 0 ? HSA_AMD_QUEUE_PRIORITY_HIGH : HSA_AMD_QUEUE_PRIORITY_LOW),
        "setting the priority of a queue"));
  if (!cu_mask.empty()) {
    BZ_TRY(hsa_check(hsa_amd_queue_cu_set_mask(queue, uint32_t(cu_mask.size() * 32), cu_mask.data()),
                     "setting the compute unit mask of a queue"));
  } else {
    made.push_back({queue, 1});
  }
  return queue;
}

void Device::give_queue(hsa_queue_t* queue, int priority, const std::vector<uint32_t>& cu_mask) {
  std::lock_guard lock(queues_mutex_);
  if (!cu_mask.empty()) {
    (void)hsa_queue_destroy(queue);
    return;
  }
  auto& made = queues_[priority];
  if (auto at = std::ranges::find(made, queue, &SharedQueue::queue); at != made.end()) --at->users;
}

// ---- Peers ----------------------------------------------------------------------------------------------------------

std::vector<hsa_agent_t> Device::accessors() {
  std::lock_guard lock(accessors_mutex_);
  return accessors_;
}

bool Device::add_accessor(hsa_agent_t agent) {
  std::lock_guard lock(accessors_mutex_);
  for (auto& a : accessors_)
    if (a.handle == agent.handle) return false;
  accessors_.push_back(agent);
  return true;
}

bool Device::remove_accessor(hsa_agent_t agent) {
  std::lock_guard lock(accessors_mutex_);
  return std::erase_if(accessors_, [&](auto& a) { return a.handle == agent.handle; }) != 0;
}

// ---- Streams --------------------------------------------------------------------------------------------------------

StreamPtr Device::null_stream() {
  std::lock_guard lock(streams_mutex_);
  if (!null_stream_) {
    Stream::Options options;
    options.is_null = true;
    null_stream_ = std::make_shared<Stream>(*this, options);
    streams_.insert(null_stream_);
    null_stream_seen_.store(null_stream_.get(), std::memory_order_release);
    context_active = true;
  }
  return null_stream_;
}

StreamPtr Device::null_stream_if_used() {
  std::lock_guard lock(streams_mutex_);
  return null_stream_;
}

StreamPtr Device::create_stream(Stream::Options options) {
  auto stream = std::make_shared<Stream>(*this, std::move(options));
  std::lock_guard lock(streams_mutex_);
  streams_.insert(stream);
  context_active = true;
  return stream;
}

void Device::forget_stream(const StreamPtr& stream) {
  std::vector<StreamPtr> dead; // destroyed outside the lock
  std::lock_guard lock(streams_mutex_);
  streams_.erase(stream);
  dying_.push_back(stream);
  std::erase_if(dying_, [&](StreamPtr& s) {
    if (!s->idle()) return false;
    dead.push_back(std::move(s));
    return true;
  });
}

void Device::add_busy(const StreamPtr& stream) {
  std::lock_guard lock(busy_mutex_);
  busy_.push_back(stream);
  if (stream->is_blocking()) ++busy_blocking_;
}

std::vector<StreamPtr> Device::busy_streams() {
  std::vector<StreamPtr> busy, idle;
  {
    std::lock_guard lock(busy_mutex_);
    size_t blocking = 0;
    std::erase_if(busy_, [&](auto& entry) {
      StreamPtr stream = entry.lock();
      if (!stream) return true;
      if (stream->own_frontier().empty()) {
        // Work that comes from here on lists the stream again by itself, or is seen by the second look.
        stream->listed_busy.store(false);
        if (stream->own_frontier().empty() || stream->listed_busy.exchange(true)) {
          idle.push_back(std::move(stream));
          return true;
        }
      }
      blocking += stream->is_blocking();
      busy.push_back(std::move(stream));
      return false;
    });
    busy_blocking_ = blocking; // not before: a stream that the second look kept was never seen to be gone
  }
  for (auto& stream : idle) stream->tidy();
  return busy;
}

void Device::synchronize() {
  for (auto& stream : busy_streams()) stream->synchronize();
  std::vector<StreamPtr> dead;
  std::lock_guard lock(streams_mutex_);
  std::erase_if(dying_, [&](StreamPtr& s) {
    if (!s->idle()) return false;
    dead.push_back(std::move(s));
    return true;
  });
}

} // namespace bz::hip
