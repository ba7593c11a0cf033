#include "rocr/signal.hpp"

#include "abi/signal.hpp"
#include "base/log.hpp"

#include <immintrin.h>

#include <algorithm>
#include <array>
#include <functional>
#include <new>
#include <unordered_map>

namespace bz::rocr {

static_assert(sizeof(amd_signal_t) == sizeof(abi::amd_signal_t));
static_assert(offsetof(amd_signal_t, event_mailbox_ptr) == offsetof(abi::amd_signal_t, event_mailbox_ptr));
static_assert(offsetof(amd_signal_t, start_ts) == offsetof(abi::amd_signal_t, start_ts));

namespace {

constexpr size_t kBlockBytes = SignalPool::kBlockBytes;
constexpr size_t kPerBlock = kBlockBytes / sizeof(amd_signal_t);
/// Upper bound of one sleep: a lost wake-up costs this and never a hang.
constexpr uint32_t kSliceMs = 100;
/// Signals without an event are polled at this pace.
constexpr uint32_t kPollMs = 1;

int64_t load(amd_signal_t* s) { return __atomic_load_n(&s->value, __ATOMIC_SEQ_CST); }

thunk::Until until(hsa_signal_condition_t c) {
  switch (c) {
  case HSA_SIGNAL_CONDITION_EQ:
    return thunk::Until::equal;
  case HSA_SIGNAL_CONDITION_NE:
    return thunk::Until::not_equal;
  case HSA_SIGNAL_CONDITION_LT:
    return thunk::Until::less;
  case HSA_SIGNAL_CONDITION_GTE:
    return thunk::Until::greater_equal;
  }
  return thunk::Until::none;
}

uint32_t first_that_holds(std::span<const Wait> waits, hsa_signal_value_t* seen) {
  for (uint32_t i = 0; i < waits.size(); ++i) {
    const int64_t value = load(waits[i].signal);
    if (!condition_holds(waits[i].condition, value, waits[i].compare)) continue;
    if (seen) *seen = value;
    return i;
  }
  return kTimedOut;
}

/// Counts this thread among the sleepers of some signals for as long as it lives.
class Sleeping {
public:
  explicit Sleeping(std::span<const Wait> waits) : waits_(waits) {
    for (const Wait& w : waits_) host_of(w.signal).sleepers.fetch_add(1);
  }
  ~Sleeping() {
    for (const Wait& w : waits_) host_of(w.signal).sleepers.fetch_sub(1);
  }
  Sleeping(const Sleeping&) = delete;

private:
  std::span<const Wait> waits_;
};

} // namespace

/// 64 KiB of signals, aligned to 64 KiB: the first slot holds the way back to the host's side.
struct SignalPool::Block {
  amd_signal_t* signals = nullptr;
  std::array<SignalHost, kPerBlock> host;
};

namespace {
struct BlockHeader {
  SignalHost* host;
};
} // namespace

namespace {

/// Blocks of shared signals have no header, because each process would need another: their host sides stand here.
struct SharedSignal {
  SignalHost host;
  std::function<void(void*)> release;
};
struct SharedSignals {
  std::shared_mutex mutex;
  std::unordered_map<uint64_t, std::shared_ptr<SharedSignal>> by_block;
};
SharedSignals& shared_signals() {
  static auto& all = *new SharedSignals; // as long as anything may still wait
  return all;
}
constexpr size_t kSharedSlot = 1;

uint64_t block_of(const amd_signal_t* s) { return reinterpret_cast<uint64_t>(s) & ~(kBlockBytes - 1); }

} // namespace

SignalHost& host_of(amd_signal_t* s) {
  const uint64_t address = reinterpret_cast<uint64_t>(s);
  const auto* header = reinterpret_cast<const BlockHeader*>(address & ~(kBlockBytes - 1));
  if (!header->host) [[unlikely]] {
    auto& all = shared_signals();
    std::shared_lock lock(all.mutex);
    return all.by_block.at(block_of(s))->host;
  }
  return header->host[(address & (kBlockBytes - 1)) / sizeof(amd_signal_t)];
}

bool condition_holds(hsa_signal_condition_t condition, hsa_signal_value_t value, hsa_signal_value_t compare) {
  switch (condition) {
  case HSA_SIGNAL_CONDITION_EQ:
    return value == compare;
  case HSA_SIGNAL_CONDITION_NE:
    return value != compare;
  case HSA_SIGNAL_CONDITION_LT:
    return value < compare;
  case HSA_SIGNAL_CONDITION_GTE:
    return value >= compare;
  }
  return false;
}

void wake_sleepers(amd_signal_t* s) {
  // The value was written before with at least a full fence between (see api_signal.cpp); a sleeper registers itself
  // before it looks at the value, so one of the two sees the other.
  SignalHost& host = host_of(s);
  if (host.sleepers.load() == 0 || !host.event) return;
  thunk::set_event(*host.event);
}

void complete(amd_signal_t* s) {
  __atomic_fetch_sub(&s->value, 1, __ATOMIC_SEQ_CST);
  wake_sleepers(s);
}

void complete_with_error(amd_signal_t* s) {
  __atomic_store_n(&s->value, -1, __ATOMIC_SEQ_CST);
  wake_sleepers(s);
}

uint32_t wait_any(std::span<const Wait> waits, uint64_t timeout, hsa_wait_state_t state, hsa_signal_value_t* seen) {
  uint32_t found = first_that_holds(waits, seen);
  if (found != kTimedOut || timeout == 0) return found;
  const uint64_t start = thunk::system_now();
  const auto left = [&]() -> uint64_t {
    if (timeout == UINT64_MAX) return UINT64_MAX;
    const uint64_t passed = thunk::system_now() - start;
    return passed >= timeout ? 0 : timeout - passed;
  };
  // First spin, for answers that are about to come; then do the device's work; then sleep.
  for (int i = 0; i < 64; ++i) {
    _mm_pause();
    if ((found = first_that_holds(waits, seen)) != kTimedOut) return found;
  }
  const bool single = waits.size() == 1;
  std::vector<thunk::Event*> events;
  bool all_have_events = true;
  for (const Wait& w : waits) {
    if (thunk::Event* e = host_of(w.signal).event) {
      if (std::ranges::find(events, e) == events.end()) events.push_back(e);
    } else {
      all_have_events = false;
    }
  }
  for (;;) {
    if ((found = first_that_holds(waits, seen)) != kTimedOut) return found;
    uint64_t rest = left();
    if (rest == 0) return kTimedOut;
    const uint32_t slice_us = static_cast<uint32_t>(std::min<uint64_t>(rest / 1000 + 1, single ? 1'000'000 : 200));
    const thunk::Helped helped =
        single ? thunk::help(&waits[0].signal->value, until(waits[0].condition), waits[0].compare, slice_us)
               : thunk::help(nullptr, thunk::Until::none, 0, slice_us);
    if ((found = first_that_holds(waits, seen)) != kTimedOut) return found;
    if (helped == thunk::Helped::timed_out) continue;
    if (state == HSA_WAIT_STATE_ACTIVE) {
      for (int i = 0; i < 1000; ++i) {
        _mm_pause();
        if ((found = first_that_holds(waits, seen)) != kTimedOut) return found;
      }
      continue;
    }
    const Sleeping sleeping(waits);
    if ((found = first_that_holds(waits, seen)) != kTimedOut) return found;
    if ((rest = left()) == 0) return kTimedOut;
    const uint32_t slice = all_have_events ? kSliceMs : kPollMs;
    const auto ms = static_cast<uint32_t>(std::min<uint64_t>(rest / 1'000'000 + 1, slice));
    if (events.empty()) {
      timespec nap{0, 50'000}; // nothing to sleep on: look again every 50 us
      nanosleep(&nap, nullptr);
    } else {
      thunk::wait_events(events, ms);
    }
  }
}

hsa_signal_value_t wait_one(const Wait& wait, uint64_t timeout, hsa_wait_state_t state) {
  hsa_signal_value_t seen = 0;
  if (wait_any({&wait, 1}, timeout, state, &seen) == kTimedOut) return load(wait.signal);
  return seen;
}

bool wait_all(std::span<const Wait> waits, uint64_t timeout, hsa_wait_state_t state, hsa_signal_value_t* seen) {
  const uint64_t start = thunk::system_now();
  for (;;) {
    // One pass over all, each with what is left of the time; a second pass sees whether they still hold together.
    bool all = true;
    for (size_t i = 0; i < waits.size(); ++i) {
      uint64_t rest = timeout;
      if (timeout != UINT64_MAX) {
        const uint64_t passed = thunk::system_now() - start;
        rest = passed >= timeout ? 0 : timeout - passed;
      }
      hsa_signal_value_t value = 0;
      if (wait_any(waits.subspan(i, 1), rest, state, &value) == kTimedOut) return false;
      if (seen) seen[i] = value;
    }
    for (const Wait& w : waits) all = all && condition_holds(w.condition, load(w.signal), w.compare);
    if (all) return true;
  }
}

SignalPool::SignalPool(BlockAllocator allocate, BlockFree free)
    : allocate_(std::move(allocate)), free_block_(std::move(free)) {}

SignalPool::~SignalPool() {
  std::unordered_map<uint64_t, std::shared_ptr<SharedSignal>> shared;
  {
    std::unique_lock lock(shared_signals().mutex);
    shared.swap(shared_signals().by_block);
  }
  for (auto& [block, signal] : shared) signal->release(reinterpret_cast<void*>(block));
  for (auto& e : events_) thunk::destroy_event(*e);
  for (auto& b : blocks_) free_block_(b->signals, kBlockBytes);
}

Outcome SignalPool::grow() {
  auto block = std::make_unique<Block>();
  auto* memory = static_cast<amd_signal_t*>(allocate_(kBlockBytes, false));
  if (!memory) return fail(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no memory for {} more signals", kPerBlock - 1);
  if (reinterpret_cast<uint64_t>(memory) % kBlockBytes != 0) {
    free_block_(memory, kBlockBytes);
    return fail(HSA_STATUS_ERROR, "signal memory is not aligned to {}", kBlockBytes);
  }
  block->signals = memory;
  new (memory) BlockHeader{block->host.data()};
  for (size_t i = 1; i < kPerBlock; ++i) {
    new (&memory[i]) amd_signal_t{};
    free_.push_back(&memory[i]);
  }
  blocks_.push_back(std::move(block));
  return {};
}

Result<amd_signal_t*> SignalPool::create(hsa_signal_value_t initial, Kind kind) {
  std::unique_lock lock(mutex_);
  if (free_.empty()) ROCR_TRY(grow());
  thunk::Event* event = nullptr;
  if (kind == Kind::interrupt) {
    if (!free_events_.empty()) {
      event = free_events_.back();
      free_events_.pop_back();
    } else if (!events_used_up_) {
      auto made = std::make_unique<thunk::Event>();
      if (Status s = thunk::create_event(*made, HSA_EVENTTYPE_SIGNAL, 0, false); s.ok()) {
        event = made.get();
        events_.push_back(std::move(made));
      } else {
        // The driver has some thousands of events per process; signals beyond that are polled by their waiters.
        events_used_up_ = true;
        log("rocr", Level::info, "signals from number {} on are polled: {}", events_.size(), s.message());
      }
    }
  }
  amd_signal_t* s = free_.front();
  free_.pop_front();
  SignalHost& host = host_of(s);
  host.event = event;
  host.copy_timed = false;
  host.ring = nullptr;
  *s = amd_signal_t{};
  if (event) {
    s->event_id = event->id();
    s->event_mailbox_ptr = event->handle->EventData.HWData2;
  }
  s->value = initial;
  __atomic_store_n(&s->kind,
                   amd_signal_kind64_t{kind == Kind::doorbell ? AMD_SIGNAL_KIND_DOORBELL : AMD_SIGNAL_KIND_USER},
                   __ATOMIC_RELEASE);
  host.live = true;
  ++live_;
  return s;
}

Result<amd_signal_t*> SignalPool::add_shared(void* block, std::function<void(void*)> release) {
  auto shared = std::make_shared<SharedSignal>();
  shared->release = std::move(release);
  shared->host.live = true;
  auto& all = shared_signals();
  std::unique_lock lock(all.mutex);
  all.by_block[reinterpret_cast<uint64_t>(block)] = std::move(shared);
  ++live_;
  return static_cast<amd_signal_t*>(block) + kSharedSlot;
}

Result<amd_signal_t*> SignalPool::create_shared(hsa_signal_value_t initial) {
  void* block = allocate_(kBlockBytes, true);
  if (!block) return fail(HSA_STATUS_ERROR_OUT_OF_RESOURCES, "no memory for a signal of several processes");
  auto* s = new (static_cast<amd_signal_t*>(block) + kSharedSlot) amd_signal_t{};
  s->value = initial;
  __atomic_store_n(&s->kind, amd_signal_kind64_t{AMD_SIGNAL_KIND_USER}, __ATOMIC_RELEASE);
  return add_shared(block, [this](void* b) { free_block_(b, kBlockBytes); });
}

Result<amd_signal_t*> SignalPool::attach_shared(void* block, std::function<void(void*)> release) {
  const auto* s = static_cast<const amd_signal_t*>(block) + kSharedSlot;
  if (reinterpret_cast<uint64_t>(block) % kBlockBytes != 0 || *static_cast<const uint64_t*>(block) != 0 ||
      s->kind != AMD_SIGNAL_KIND_USER)
    return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "this is no handle of a signal");
  return add_shared(block, std::move(release));
}

void* SignalPool::shared_block(const amd_signal_t* s) {
  auto& all = shared_signals();
  std::shared_lock lock(all.mutex);
  return all.by_block.contains(block_of(s)) ? reinterpret_cast<void*>(block_of(s)) : nullptr;
}

bool SignalPool::destroy(amd_signal_t* s) {
  if (void* block = shared_block(s)) { // the other processes keep theirs
    std::shared_ptr<SharedSignal> gone;
    {
      auto& all = shared_signals();
      std::unique_lock lock(all.mutex);
      const auto at = all.by_block.find(block_of(s));
      if (at == all.by_block.end()) return false;
      gone = std::move(at->second);
      all.by_block.erase(at);
    }
    --live_;
    gone->release(block);
    return true;
  }
  std::unique_lock lock(mutex_);
  SignalHost& host = host_of(s);
  if (!host.live.exchange(false)) return false;
  s->kind = AMD_SIGNAL_KIND_INVALID; // a late use is recognized
  if (host.event) free_events_.push_back(host.event);
  host.event = nullptr;
  free_.push_back(s);
  --live_;
  return true;
}

Result<amd_signal_t*> SignalPool::find(hsa_signal_t handle) const {
  if (handle.handle == 0) return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "the signal handle is null");
  if (shared_block(signal_of(handle)) && handle.handle % kBlockBytes == kSharedSlot * sizeof(amd_signal_t))
    return signal_of(handle);
  std::shared_lock lock(mutex_);
  const uint64_t base = handle.handle & ~(kBlockBytes - 1);
  for (const auto& b : blocks_) {
    if (reinterpret_cast<uint64_t>(b->signals) != base) continue;
    amd_signal_t* s = signal_of(handle);
    if (handle.handle % sizeof(amd_signal_t) == 0 && handle.handle != base && host_of(s).live) return s;
  }
  return fail(HSA_STATUS_ERROR_INVALID_SIGNAL, "{:#x} is not a live signal", handle.handle);
}

} // namespace bz::rocr
