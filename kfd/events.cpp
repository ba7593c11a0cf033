#include "kfd/events.hpp"
#include "gpu/guard.hpp"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <sys/mman.h>

namespace bz::kfd {

Status Events::set_page(uint64_t address, uint64_t bytes) {
  std::lock_guard lock(mutex_);
  if (page_) return error(Code::busy, "the process has an event page already");
  if (bytes < kPageBytes) return error(Code::invalid_argument, "an event page has {} bytes, not {}", kPageBytes, bytes);
  page_ = address;
  own_page_ = false;
  for (uint32_t i = 0; i < KFD_SIGNAL_EVENT_LIMIT; ++i)
    if (!clear_slot(i)) {
      page_ = 0;
      return error(Code::fault, "the event page at 0x{:x} can't be written", address);
    }
  return {};
}

bool Events::has_page() const {
  std::lock_guard lock(mutex_);
  return page_ != 0;
}

Expected<uint64_t> Events::driver_page() {
  std::lock_guard lock(mutex_);
  if (page_ && !own_page_) return error(Code::invalid_argument, "the event page is the client's own memory");
  if (!page_) {
    void* p = mmap(nullptr, kPageBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) return error(Code::out_of_memory, "no event page: {}", std::strerror(errno));
    page_ = reinterpret_cast<uint64_t>(p);
    own_page_ = true;
    std::memset(p, 0xff, kPageBytes);
  }
  return page_;
}

/// The page may be the client's memory, and gone.
bool Events::clear_slot(uint32_t id) { return gpu::store_shared(page_ + 8 * uint64_t{id}, kUnsignaled); }

Status Events::create(kfd_ioctl_create_event_args& args) {
  if (args.event_type > KFD_IOC_EVENT_MEMORY)
    return error(Code::invalid_argument, "event type {} is not defined", args.event_type);
  if (has_slot(args.event_type) && !has_page()) BZ_TRY(driver_page());
  std::lock_guard lock(mutex_);
  uint32_t id = 0;
  if (has_slot(args.event_type)) {
    // Id 0 is never given out: an interrupt with 0 means "any".
    for (id = 1; id < KFD_SIGNAL_EVENT_LIMIT && events_.contains(id);) ++id;
    if (id == KFD_SIGNAL_EVENT_LIMIT)
      return error(Code::out_of_resources, "the process has its {} signal events already", KFD_SIGNAL_EVENT_LIMIT);
    if (!clear_slot(id)) return error(Code::fault, "the event page at 0x{:x} can't be written: its memory is gone", page_);
    args.event_slot_index = id;
  } else {
    while (events_.contains(next_other_)) ++next_other_;
    id = next_other_++;
    args.event_slot_index = 0;
  }
  Event event;
  event.type = args.event_type;
  event.auto_reset = args.auto_reset != 0;
  events_.emplace(id, std::move(event));
  args.event_id = id;
  args.event_trigger_data = id;
  return {};
}

Status Events::destroy(uint32_t id) {
  std::lock_guard lock(mutex_);
  auto it = events_.find(id);
  if (it == events_.end()) return error(Code::invalid_handle, "there is no event {}", id);
  for (Waiter* waiter : it->second.waiters) {
    waiter->destroyed = true;
    waiter->wake->notify_all();
  }
  events_.erase(it);
  return {};
}

/// A waiter that is woken consumes an auto-reset event at once.
void Events::signal(Event& event) {
  event.signaled = !event.auto_reset || event.waiters.empty();
  if (++event.age == 0) event.age = 2;
  for (Waiter* waiter : event.waiters) {
    waiter->activated = true;
    waiter->wake->notify_all();
  }
}

Status Events::set(uint32_t id) {
  std::lock_guard lock(mutex_);
  auto it = events_.find(id);
  if (it == events_.end()) return error(Code::invalid_handle, "there is no event {}", id);
  if (it->second.type != KFD_IOC_EVENT_SIGNAL)
    return error(Code::invalid_argument, "event {} can't be set by the CPU", id);
  signal(it->second);
  return {};
}

Status Events::reset(uint32_t id) {
  std::lock_guard lock(mutex_);
  auto it = events_.find(id);
  if (it == events_.end()) return error(Code::invalid_handle, "there is no event {}", id);
  if (it->second.type != KFD_IOC_EVENT_SIGNAL)
    return error(Code::invalid_argument, "event {} can't be reset by the CPU", id);
  it->second.signaled = false;
  return {};
}

bool Events::is_set(uint32_t id) const {
  std::lock_guard lock(mutex_);
  auto it = events_.find(id);
  return it == events_.end() || it->second.signaled; // a destroyed event must not keep anyone waiting
}

Status Events::wait(std::vector<kfd_event_data>& data, bool all, uint32_t timeout_ms, uint32_t& wait_result) {
  std::unique_lock lock(mutex_);
  for (const auto& d : data)
    if (!events_.contains(d.event_id)) return error(Code::invalid_handle, "there is no event {}", d.event_id);
  std::condition_variable wake;
  std::vector<Waiter> waiters(data.size());
  for (size_t i = 0; i < data.size(); ++i) {
    Event& event = events_.at(data[i].event_id);
    Waiter& waiter = waiters[i];
    waiter.wake = &wake;
    waiter.id = data[i].event_id;
    waiter.activated = event.signaled;
    if (event.auto_reset) event.signaled = false;
    // Signalled since the caller last looked.
    uint64_t seen = event.type == KFD_IOC_EVENT_SIGNAL ? data[i].signal_event_data.last_event_age : 0;
    if (seen != 0 && seen != event.age) waiter.activated = true;
    event.waiters.push_back(&waiter);
  }
  auto destroyed = [&] {
    return std::any_of(waiters.begin(), waiters.end(), [](const Waiter& w) { return w.destroyed; });
  };
  auto complete = [&] {
    auto active = [](const Waiter& w) { return w.activated; };
    return all ? std::all_of(waiters.begin(), waiters.end(), active)
               : std::any_of(waiters.begin(), waiters.end(), active);
  };
  auto ready = [&] { return destroyed() || complete(); };
  constexpr uint32_t kInfinite = 0xffffffff;
  bool in_time = ready();
  if (!in_time && timeout_ms == kInfinite) {
    wake.wait(lock, ready);
    in_time = true;
  } else if (!in_time && timeout_ms != 0) {
    in_time = wake.wait_for(lock, std::chrono::milliseconds(timeout_ms), ready);
  }
  bool gone = destroyed();
  wait_result = gone ? KFD_IOC_WAIT_RESULT_FAIL : in_time ? KFD_IOC_WAIT_RESULT_COMPLETE : KFD_IOC_WAIT_RESULT_TIMEOUT;
  for (size_t i = 0; i < data.size(); ++i) {
    auto it = events_.find(waiters[i].id);
    if (it == events_.end() || waiters[i].destroyed) continue; // an id may have been given out anew
    Event& event = it->second;
    std::erase(event.waiters, &waiters[i]);
    if (waiters[i].activated && wait_result == KFD_IOC_WAIT_RESULT_COMPLETE) {
      if (event.type == KFD_IOC_EVENT_MEMORY) data[i].memory_exception_data = event.memory;
      if (event.type == KFD_IOC_EVENT_SIGNAL && data[i].signal_event_data.last_event_age)
        data[i].signal_event_data.last_event_age = event.age;
    } else if (waiters[i].activated && event.auto_reset) {
      event.signaled = true; // taken, but the wait as a whole ended without it: give it back
    }
  }
  if (gone) return error(Code::fault, "an event was destroyed while it was waited for");
  return {};
}

void Events::interrupt(uint32_t id) {
  std::lock_guard lock(mutex_);
  auto deliver = [&](uint32_t which) {
    auto it = events_.find(which);
    if (it == events_.end() || !has_slot(it->second.type)) return;
    clear_slot(which);   // where the page is gone, nobody can look at it either
    signal(it->second);
  };
  if (id != 0) {
    deliver(id);
    return;
  }
  if (!page_) return;
  for (uint32_t i = 1; i < KFD_SIGNAL_EVENT_LIMIT; ++i) {
    uint64_t value;
    if (!gpu::load_shared(value, page_ + 8 * uint64_t{i})) return;
    if (value != kUnsignaled) deliver(i);
  }
}

bool Events::memory_exception(const kfd_hsa_memory_exception_data& data) {
  std::lock_guard lock(mutex_);
  bool any = false;
  for (auto& [id, event] : events_) {
    if (event.type != KFD_IOC_EVENT_MEMORY) continue;
    any = true;
    event.memory = data;
    signal(event);
  }
  return any;
}

void Events::clear(bool keep_page) {
  std::lock_guard lock(mutex_);
  for (auto& [id, event] : events_)
    for (Waiter* waiter : event.waiters) {
      waiter->destroyed = true;
      waiter->wake->notify_all();
    }
  events_.clear();
  if (keep_page && !own_page_) return;
  if (own_page_) munmap(reinterpret_cast<void*>(page_), kPageBytes);
  page_ = 0;
  own_page_ = false;
}

size_t Events::count() const {
  std::lock_guard lock(mutex_);
  return events_.size();
}

} // namespace bz::kfd
