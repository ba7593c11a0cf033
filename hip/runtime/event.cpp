#include "hip/runtime/event.hpp"
#include "hip/runtime/capture.hpp"
#include "hip/runtime/impl.hpp"
#include "hip/runtime/ipc.hpp"
#include "hip/runtime/pool.hpp"

#include <algorithm>

namespace bz::hip {

void Event::record(std::vector<MarkerPtr> markers) {
  std::lock_guard lock(mutex_);
  recorded_ = true;
  at_start_ = false;
  not_before_ = system_ticks();
  markers_ = std::move(markers);
  captured_ = false;
}

void Event::record_captured(Captured state) {
  captured_state_ = std::move(state);
  captured_ = true;
}

void Event::record_dispatch(MarkerPtr marker, bool at_start) {
  std::lock_guard lock(mutex_);
  recorded_ = true;
  at_start_ = at_start;
  not_before_ = 0;
  markers_ = {std::move(marker)};
  captured_ = false;
}

bool Event::recorded() const {
  std::lock_guard lock(mutex_);
  return recorded_;
}

std::vector<MarkerPtr> Event::markers() const {
  std::lock_guard lock(mutex_);
  return markers_;
}

bool Event::reached() const {
  if (shared_ && !shared_->idle()) return false;
  std::lock_guard lock(mutex_);
  return std::all_of(markers_.begin(), markers_.end(), [](auto& m) { return m->done(); });
}

void Event::wait(hsa_wait_state_t how) const {
  for (auto& m : markers()) m->wait(how); // not under the lock: waiting takes as long as it takes
  if (shared_) shared_->wait(how);
}

uint64_t Event::ticks() const {
  std::lock_guard lock(mutex_);
  uint64_t ticks = not_before_;
  for (auto& m : markers_) ticks = std::max(ticks, at_start_ ? m->start_ticks() : m->end_ticks());
  return ticks;
}

namespace impl {
namespace {

constexpr unsigned kCreateFlags = hipEventBlockingSync | hipEventDisableTiming | hipEventInterprocess |
                                  hipEventDisableSystemFence | hipEventReleaseToDevice | hipEventReleaseToSystem;

hsa_wait_state_t how_to_wait(const Event& e) {
  return e.flags() & hipEventBlockingSync ? HSA_WAIT_STATE_BLOCKED : e.device().wait_state();
}

} // namespace

Result hipEventCreateWithFlags(hipEvent_t* event, unsigned int flags) {
  HIP_NONNULL(event);
  if (flags & ~kCreateFlags) return fail(hipErrorInvalidValue, "event flags {:#x} don't exist", flags);
  if (flags & hipEventReleaseToDevice && flags & hipEventReleaseToSystem)
    return Result(hipErrorInvalidValue, "an event can't release to the device and to the system");
  if (flags & hipEventInterprocess && !(flags & hipEventDisableTiming))
    return Result(hipErrorInvalidValue, "an event between processes has no time: add hipEventDisableTiming");
  auto& runtime = Runtime::get();
  auto e = std::make_shared<Event>(runtime.current(), flags);
  if (flags & hipEventInterprocess) {
    HIP_TRY_ASSIGN(auto signal, SharedSignal::create());
    e->share(std::move(signal));
  }
  *event = reinterpret_cast<hipEvent_t>(e.get());
  runtime.events.add(std::move(e));
  return {};
}

Result hipEventCreate(hipEvent_t* event) { return impl::hipEventCreateWithFlags(event, hipEventDefault); }

Result hipEventDestroy(hipEvent_t event) {
  if (!event) return Result(hipErrorInvalidHandle, "the event is null");
  if (!Runtime::get().events.remove(event))
    return fail(hipErrorContextIsDestroyed, "event {} was never created or is destroyed", static_cast<void*>(event));
  return {};
}

Result hipEventRecordWithFlags(hipEvent_t event, hipStream_t stream, unsigned int flags) {
  if (flags != hipEventRecordDefault && flags != hipEventRecordExternal)
    return fail(hipErrorInvalidValue, "record flags {:#x} don't exist", flags);
  HIP_TRY_ASSIGN(auto e, Runtime::get().event(event, EventUse::record));
  HIP_TRY_ASSIGN(StreamPtr s, Runtime::get().stream(stream, StreamUse::enqueue));
  if (&e->device() != &s->device())
    return fail(hipErrorInvalidHandle, "the event belongs to device {}, the stream to device {}", e->device().ordinal(),
                s->device().ordinal());
  if (s->capturing())
    return flags & hipEventRecordExternal ? capture(s, event_record_work(event)) : capture_record(*e, s);
  if (auto shared = e->shared()) { // what the other processes see counts down in stream order
    shared->begin();
    auto done = s->host([shared] { shared->end(); });
    if (!done.ok()) {
      shared->end();
      return done.status();
    }
    e->record({*done});
    return {};
  }
  e->record(s->record());
  return {};
}

Result hipEventRecord(hipEvent_t event, hipStream_t stream) {
  return impl::hipEventRecordWithFlags(event, stream, hipEventRecordDefault);
}

Result hipEventSynchronize(hipEvent_t event) {
  HIP_TRY_ASSIGN(auto e, Runtime::get().event(event, EventUse::wait));
  e->wait(how_to_wait(*e));
  Runtime::get().pools().after_synchronize();
  return {};
}

Result hipEventQuery(hipEvent_t event) {
  HIP_TRY_ASSIGN(auto e, Runtime::get().event(event, EventUse::wait));
  return e->reached() ? Result() : Result(hipErrorNotReady);
}

Result hipEventElapsedTime(float* ms, hipEvent_t start, hipEvent_t stop) {
  HIP_NONNULL(ms);
  HIP_TRY_ASSIGN(auto a, Runtime::get().event(start, EventUse::inquire));
  HIP_TRY_ASSIGN(auto b, Runtime::get().event(stop, EventUse::inquire));
  if (!a->recorded() || !b->recorded())
    return Result(hipErrorInvalidHandle, "both events have to be recorded before the time between them is asked for");
  if ((a->flags() | b->flags()) & hipEventDisableTiming)
    return Result(hipErrorInvalidHandle, "an event was created with hipEventDisableTiming");
  if (&a->device() != &b->device()) return Result(hipErrorInvalidHandle, "the events belong to different devices");
  if (!a->reached() || !b->reached()) return hipErrorNotReady;
  const double ticks = double(int64_t(b->ticks() - a->ticks()));
  *ms = float(ticks * 1000.0 / double(system_frequency()));
  return {};
}

} // namespace impl
} // namespace bz::hip
