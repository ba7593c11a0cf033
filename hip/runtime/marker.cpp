#include "hip/runtime/marker.hpp"

#include <utility>

namespace bz::hip {
namespace {

/// Signals are made once and used again: creation may cost a driver event.
class SignalPool {
public:
  static SignalPool& get() {
    static auto& pool = *new SignalPool; // outlives every thread
    return pool;
  }
  Expected<hsa_signal_t> take() {
    {
      std::lock_guard lock(mutex_);
      if (!free_.empty()) {
        hsa_signal_t s = free_.back();
        free_.pop_back();
        hsa_signal_store_relaxed(s, 1);
        return s;
      }
    }
    hsa_signal_t s{};
    BZ_TRY(hsa_check(hsa_signal_create(1, 0, nullptr, &s), "creating a signal"));
    return s;
  }
  void give(hsa_signal_t s) {
    std::lock_guard lock(mutex_);
    free_.push_back(s);
  }

private:
  std::mutex mutex_;
  std::vector<hsa_signal_t> free_;
};

} // namespace

Expected<MarkerPtr> Marker::create(Kind kind, hsa_agent_t agent) {
  BZ_TRY_ASSIGN(hsa_signal_t signal, SignalPool::get().take());
  return MarkerPtr(new Marker(kind, agent, signal));
}

Marker::~Marker() {
  // Streams hold their markers until the work is done; only then may the signal serve again.
  if (done()) SignalPool::get().give(signal_);
}

namespace {
thread_local const Marker* running = nullptr; ///< the host function that this thread is in
}

void Marker::refuse_in_host_function() {
  if (running) throw WaitForOneself();
}

Marker::HostScope::HostScope(Marker& marker) : marker_(marker) {
  marker.begin_host();
  running = &marker;
}

Marker::HostScope::~HostScope() {
  running = nullptr;
  marker_.end_host();
}

void Marker::wait(hsa_wait_state_t how) const {
  if (running && stream == running->stream && position >= running->position && !done()) throw WaitForOneself();
  while (hsa_signal_wait_scacquire(signal_, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, how) >= 1) {}
}

void Marker::begin_host() { start_ = system_ticks(); }

void Marker::end_host() {
  end_ = system_ticks();
  hsa_signal_store_screlease(signal_, 0);
}

std::pair<uint64_t, uint64_t> Marker::times() const {
  if (!done()) return {0, 0};
  if (!end_) {
    // Each conversion of a device's clock reads both clocks anew and may differ by a tick: one is kept, so that the
    // time from an event to itself is 0.
    static std::mutex converting;
    std::lock_guard lock(converting);
    if (!end_) {
      const auto [start, end] = measured();
      start_ = start;
      end_ = end;
    }
  }
  return {start_, end_};
}

std::pair<uint64_t, uint64_t> Marker::measured() const {
  switch (kind_) {
  case Kind::host:
    return {start_, end_};
  case Kind::dispatch: {
    hsa_amd_profiling_dispatch_time_t t{};
    if (hsa_amd_profiling_get_dispatch_time(agent_, signal_, &t) != HSA_STATUS_SUCCESS) return {0, 0};
    return {t.start, t.end};
  }
  case Kind::copy: {
    hsa_amd_profiling_async_copy_time_t t{};
    if (hsa_amd_profiling_get_async_copy_time(signal_, &t) != HSA_STATUS_SUCCESS) return {0, 0};
    return {t.start, t.end};
  }
  }
  return {0, 0};
}

void Marker::release() {
  for (auto& action : std::exchange(actions_, {})) action();
  kept_.clear();
}

} // namespace bz::hip
