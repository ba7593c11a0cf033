#include "gpu/sdma.hpp"

#include "abi/exceptions.hpp"
#include "abi/sdma.hpp"
#include "base/log.hpp"
#include "base/segv.hpp"
#include "gpu/device.hpp"
#include "gpu/guard.hpp"
#include "gpu/sdma_packets.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <immintrin.h>
#include <pthread.h>

namespace bz::gpu {
namespace {

using Clock = std::chrono::steady_clock;
constexpr size_t kDeepestBuffer = 4;
constexpr uint32_t kMostPacketDwords = 4 + (1 << 20); // WRITE_LINEAR with all bits of its count
constexpr int kPacketsPerTurn = 16;

} // namespace

Sdma::Sdma(std::vector<Device*> devices, Bell& bell, Sink& sink, uint32_t poll_us)
    : devices_(std::move(devices)), bell_(bell), sink_(sink), poll_us_(poll_us) {}

Sdma::~Sdma() { stop(); }

std::shared_ptr<Sdma::Queue> Sdma::find(uint32_t id) const {
  for (const auto& queue : queues_)
    if (queue->id == id) return queue;
  return nullptr;
}

Expected<std::shared_ptr<Sdma::Queue>> Sdma::need(uint32_t id) const {
  auto queue = find(id);
  if (!queue || queue->gone) return error(Code::invalid_handle, "there is no copy queue {}", id);
  return queue;
}

Expected<uint32_t> Sdma::create_queue(const QueueConfig& config, uint32_t engine) {
  auto queue = std::make_shared<Queue>();
  queue->config = config;
  queue->device = devices_[config.device];
  std::lock_guard lock(mutex_);
  std::array<uint32_t, kSdmaEngines> load{};
  for (const auto& q : queues_)
    if (q->config.device == config.device) ++load[q->engine];
  if (engine == kAnyEngine)
    engine = static_cast<uint32_t>(std::min_element(load.begin(), load.end()) - load.begin());
  if (engine >= kSdmaEngines)
    return error(Code::invalid_argument, "there is no copy engine {}: the device has {}", engine, kSdmaEngines);
  if (load[engine] >= kSdmaQueuesPerEngine)
    return error(Code::out_of_resources, "the copy engine has its {} queues already", kSdmaQueuesPerEngine);
  BZ_TRY_ASSIGN(queue->doorbell, queue->device->doorbells().take_slot());
  queue->engine = engine;
  for (queue->id = kFirstSdmaQueue; find(queue->id);) ++queue->id;
  queue->ring.base = config.ring;
  queue->ring.mask = config.ring_bytes - 1;
  queue->ring.at = queue->ring.end = *reinterpret_cast<const volatile uint64_t*>(config.read_pointer);
  queues_.push_back(queue);
  any_.store(true, std::memory_order_release);
  stop_ = false;
  auto same = [&](const auto& e) { return e->device == config.device && e->number == engine; };
  if (std::none_of(engines_.begin(), engines_.end(), same)) {
    Engine& e = *engines_.emplace_back(std::make_unique<Engine>());
    e.device = config.device;
    e.number = engine;
    e.thread = std::thread([this, &e] { engine_main(e); });
  }
  bell_.ring();
  return queue->id;
}

Status Sdma::destroy_queue(uint32_t id) {
  std::unique_lock lock(mutex_);
  BZ_TRY_ASSIGN(const auto queue, need(id));
  queue->gone = true;
  packet_done_.wait(lock, [&] { return !queue->busy; });
  queue->device->doorbells().release_slot(queue->doorbell);
  std::erase(queues_, queue);
  any_.store(!queues_.empty(), std::memory_order_release);
  return {};
}

Status Sdma::update_queue(uint32_t id, uint64_t ring, uint64_t ring_bytes, uint32_t percentage) {
  std::unique_lock lock(mutex_);
  BZ_TRY_ASSIGN(const auto queue, need(id));
  packet_done_.wait(lock, [&] { return !queue->busy; });
  if (ring != 0) {
    queue->config.ring = queue->ring.base = ring;
    queue->config.ring_bytes = ring_bytes;
    queue->ring.mask = ring_bytes - 1;
  }
  queue->config.percentage = percentage;
  bell_.ring();
  return {};
}

Expected<uint32_t> Sdma::doorbell_slot(uint32_t id) const {
  std::lock_guard lock(mutex_);
  BZ_TRY_ASSIGN(const auto queue, need(id));
  return queue->doorbell;
}

Expected<QueueConfig> Sdma::queue_config(uint32_t id) const {
  std::lock_guard lock(mutex_);
  BZ_TRY_ASSIGN(const auto queue, need(id));
  return queue->config;
}

size_t Sdma::queue_count() const {
  std::lock_guard lock(mutex_);
  return queues_.size();
}

bool Sdma::failed(uint32_t id, std::string& why) const {
  std::lock_guard lock(mutex_);
  auto queue = find(id);
  if (!queue || !queue->failed) return false;
  why = queue->failure;
  return true;
}

void Sdma::stop() {
  std::vector<std::unique_ptr<Engine>> engines;
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    engines.swap(engines_);
  }
  bell_.ring();
  for (auto& engine : engines) engine->thread.join();
  std::lock_guard lock(mutex_);
  for (auto& queue : queues_) queue->device->doorbells().release_slot(queue->doorbell);
  queues_.clear();
  any_.store(false, std::memory_order_release);
}

void Sdma::nudge() {
  if (!any_.load(std::memory_order_acquire)) return;
  std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock) return; // an engine looks at this moment
  for (auto& queue : queues_)
    if (queue->device->doorbells().read(queue->doorbell) != queue->last_rung.load(std::memory_order_relaxed)) {
      bell_.ring();
      return;
    }
}

// ---- one engine
// ---------------------------------------------------------------------------------------------------

void Sdma::engine_main(Engine& engine) {
  segv::AltStack stack;
  pthread_setname_np(pthread_self(), fmt::format("bz-sdma-{}.{}", engine.device, engine.number).c_str());
  sigset_t all;
  sigfillset(&all); // signals of the program are for its own threads
  for (int fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) sigdelset(&all, fault);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  for (;;) {
    Step done = step(engine);
    {
      std::lock_guard lock(mutex_);
      if (stop_) return;
    }
    if (done != Step::worked && idle(engine, done)) return;
  }
}

/// Gives each queue a turn.
Sdma::Step Sdma::step(Engine& engine) {
  Step best = Step::nothing;
  std::unique_lock lock(mutex_);
  for (size_t n = queues_.size(), k = 0; k < n && !stop_; ++k) {
    if (queues_.empty()) break;
    std::shared_ptr<Queue> queue = queues_[(engine.turn + k) % queues_.size()];
    if (queue->config.device != engine.device || queue->engine != engine.number || queue->gone || queue->failed ||
        queue->config.percentage == 0)
      continue;
    queue->busy = true;
    lock.unlock();
    Step done = run(*queue);
    lock.lock();
    queue->busy = false;
    packet_done_.notify_all();
    best = std::max(best, done);
  }
  ++engine.turn;
  return best;
}

/// Whether there are packets: as for AQL queues, a ring of the doorbell announces all that the write index covers.
bool Sdma::announced(Queue& queue) {
  uint64_t rung = queue.device->doorbells().read(queue.doorbell);
  if (rung != queue.last_rung.load(std::memory_order_relaxed)) {
    queue.last_rung.store(rung, std::memory_order_relaxed);
    uint64_t written = 0;
    if (!load_shared(written, queue.config.write_pointer)) return false;
    queue.ring.end = std::max({queue.ring.end, rung, written});
  }
  return queue.ring.at < queue.ring.end;
}

Sdma::Step Sdma::run(Queue& queue) {
  Step did = Step::nothing;
  for (int i = 0; i < kPacketsPerTurn; ++i) {
    Step now = Step::nothing;
    if (!queue.buffers.empty()) {
      if (queue.buffers.back().at >= queue.buffers.back().end) {
        queue.buffers.pop_back();
        continue;
      }
      now = run_packet(queue, queue.buffers.back());
    } else if (announced(queue)) {
      now = run_packet(queue, queue.ring);
    }
    if (now != Step::worked) return std::max(did, now);
    did = now;
    if (queue.failed) break;
  }
  return did;
}

Sdma::Step Sdma::run_packet(Queue& queue, Stream& stream) {
  uint64_t at = stream.at;
  auto dword = [&](uint64_t n, uint32_t& out) { return read_memory(&out, stream.base + ((at + n * 4) & stream.mask), 4); };
  auto unreadable = [&] {
    return fail(queue, abi::exception_bit(EC_QUEUE_WAVE_MEMORY_VIOLATION),
                fmt::format("the packet at {:#x} can't be read", stream.base + (at & stream.mask)));
  };
  uint32_t header = 0, fourth = 0;
  if (!dword(0, header)) return unreadable();
  if (abi::sdma_op_of(header) == abi::SDMA_OP_WRITE && !dword(3, fourth)) return unreadable();
  uint32_t dwords = sdma_packet_dwords(header, fourth);
  if (dwords == 0 || dwords > kMostPacketDwords)
    return fail(queue, abi::exception_bit(EC_QUEUE_PACKET_UNSUPPORTED),
                fmt::format("the copy engine has no packet {:#010x} (operation {}, sub-operation {})", header,
                            abi::sdma_op_of(header), abi::sdma_subop_of(header)));
  if (stream.end - at < uint64_t{dwords} * 4) {
    // A NOP may stand for all that is left of a buffer; in the ring the rest comes with the next doorbell.
    if (&stream == &queue.ring) return Step::nothing;
    if (abi::sdma_op_of(header) != abi::SDMA_OP_NOP)
      return fail(queue, abi::exception_bit(EC_QUEUE_PACKET_UNSUPPORTED),
                  fmt::format("the packet {} at {:#x} goes beyond its buffer", sdma_packet_name(header), stream.base + at));
    dwords = static_cast<uint32_t>((stream.end - at) / 4);
  }
  constexpr uint32_t kShort = 16;
  uint32_t few[kShort];
  std::vector<uint32_t> many;
  uint32_t* packet = few;
  uint32_t wanted = abi::sdma_op_of(header) == abi::SDMA_OP_NOP ? 1 : dwords;
  if (wanted > kShort) {
    many.resize(wanted);
    packet = many.data();
  }
  for (uint32_t i = 0; i < wanted; ++i)
    if (!dword(i, packet[i])) return unreadable();
  SdmaEffect effect = run_sdma_packet(packet, dwords, queue.polls, sink_);
  switch (effect.outcome) {
  case SdmaEffect::Outcome::waiting:
    ++queue.polls;
    return Step::waiting;
  case SdmaEffect::Outcome::fault: {
    bool delivered = sink_.memory_fault(queue.config.device, effect.address, effect.is_write);
    return fail(queue, delivered ? 0 : abi::exception_bit(EC_QUEUE_WAVE_MEMORY_VIOLATION),
                fmt::format("{}: {:#x} can't be {}", sdma_packet_name(header), effect.address,
                            effect.is_write ? "written" : "read"));
  }
  case SdmaEffect::Outcome::refused:
    return fail(queue, abi::exception_bit(EC_QUEUE_PACKET_UNSUPPORTED),
                fmt::format("{}: {} is not implemented on this device", sdma_packet_name(header), effect.why));
  case SdmaEffect::Outcome::done:
    break;
  }
  queue.polls = 0;
  stream.at = at + (uint64_t{dwords} + effect.skip) * 4;
  if (&stream == &queue.ring && !store_shared(queue.config.read_pointer, stream.at))
    return fail(queue, abi::exception_bit(EC_QUEUE_WAVE_MEMORY_VIOLATION), "the read index can't be written");
  if (effect.buffer_dwords != 0) {
    if (queue.buffers.size() == kDeepestBuffer)
      return fail(queue, abi::exception_bit(EC_QUEUE_PACKET_UNSUPPORTED),
                  fmt::format("indirect buffers more than {} deep", kDeepestBuffer));
    Stream buffer;
    buffer.base = effect.buffer;
    buffer.mask = ~uint64_t{0};
    buffer.end = uint64_t{effect.buffer_dwords} * 4;
    queue.buffers.push_back(buffer);
  }
  return Step::worked;
}

Sdma::Step Sdma::fail(Queue& queue, uint64_t mask, std::string why) {
  log("gpu", Level::error, "copy queue {} stops: {}", queue.id, why);
  {
    std::lock_guard lock(mutex_);
    queue.failed = true;
    queue.failure = std::move(why);
  }
  if (mask) sink_.queue_exception(queue.id, mask);
  return Step::worked;
}

/// Polls, then sleeps until the bell. True: the engine is to end. The doorbell page is shared with the compute queues:
/// whoever finds it hot for long without work cools it, so that the next store faults and rings.
bool Sdma::idle(Engine& engine, Step why) {
  DoorbellPage& page = devices_[engine.device]->doorbells();
  auto start = Clock::now();
  uint32_t pause_us = 20, hot_sleeps = 0; // a poll's word in memory changes without a bell
  constexpr uint32_t kLongestPause = 500, kHotSleeps = 20;
  for (;;) {
    while (Clock::now() - start < std::chrono::microseconds(poll_us_)) {
      Step done = step(engine);
      if (done == Step::worked) return false;
      why = done;
      for (int i = 0; i < 64; ++i) _mm_pause();
    }
    uint32_t seen = bell_.value();
    if (page.hot() && hot_sleeps >= kHotSleeps && segv::install().ok()) page.cool();
    bool deaf = page.hot(); // a store may ring no bell; asked before the last look, for others cool the page too
    Step done = step(engine);
    {
      std::lock_guard lock(mutex_);
      if (stop_) return true;
    }
    if (done == Step::worked) return false;
    why = done;
    if (why == Step::waiting || deaf) {
      bell_.wait(seen, pause_us);
      pause_us = std::min(pause_us * 2, kLongestPause);
      ++hot_sleeps;
    } else {
      bell_.wait(seen, 0);
      hot_sleeps = 0;
    }
  }
}

} // namespace bz::gpu
