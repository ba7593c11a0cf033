#include "rocr/event_loop.hpp"

#include <pthread.h>

#include <algorithm>
#include <condition_variable>

namespace bz::rocr {

EventLoop::~EventLoop() {
  stop();
  thunk::destroy_event(wake_);
}

Outcome EventLoop::start() {
  if (thread_.joinable()) return {};
  if (stop_) return fail(HSA_STATUS_ERROR_INVALID_RUNTIME_STATE, "the {} thread has ended", name_);
  if (!wake_.handle) ROCR_TRY(thunk::create_event(wake_, HSA_EVENTTYPE_SIGNAL, 0, false));
  thread_ = std::thread([this] { run(); });
  pthread_setname_np(thread_.native_handle(), name_);
  return {};
}

Outcome EventLoop::watch(const Wait& wait, Handler handler) {
  {
    std::lock_guard lock(mutex_);
    ROCR_TRY(start());
    // From now on a store by the host sets the event, whether the thread sleeps or not.
    host_of(wait.signal).sleepers.fetch_add(1);
    watches_.push_back(std::make_shared<Watch>(Watch{wait, std::move(handler), next_id_++}));
  }
  thunk::set_event(wake_);
  return {};
}

Outcome EventLoop::call(std::function<void()> function) {
  {
    std::lock_guard lock(mutex_);
    ROCR_TRY(start());
    calls_.push_back(std::move(function));
  }
  thunk::set_event(wake_);
  return {};
}

void EventLoop::erase(amd_signal_t* signal) {
  std::erase_if(watches_, [&](const auto& w) {
    if (w->wait.signal != signal) return false;
    host_of(signal).sleepers.fetch_sub(1);
    return true;
  });
}

void EventLoop::drop(amd_signal_t* signal) {
  std::lock_guard lock(mutex_);
  erase(signal);
}

void EventLoop::forget(amd_signal_t* signal) {
  std::unique_lock lock(mutex_);
  erase(signal);
  if (std::this_thread::get_id() != thread_.get_id()) handled_.wait(lock, [&] { return running_ != signal; });
  lock.unlock();
  thunk::set_event(wake_);
}

void EventLoop::stop() {
  {
    std::lock_guard lock(mutex_);
    if (stop_) return;
    stop_ = true;
  }
  thunk::set_event(wake_);
  if (thread_.joinable()) {
    if (thread_.get_id() == std::this_thread::get_id())
      thread_.detach(); // hsa_shut_down from a callback: the loop returns right after it
    else
      thread_.join();
  }
  std::lock_guard lock(mutex_);
  for (const auto& w : watches_) host_of(w->wait.signal).sleepers.fetch_sub(1);
  watches_.clear();
  calls_.clear();
}

void EventLoop::run() {
  std::vector<thunk::Event*> events;
  std::unique_lock lock(mutex_);
  while (!stop_) {
    if (!calls_.empty()) {
      const auto function = std::move(calls_.front());
      calls_.pop_front();
      lock.unlock();
      function();
      lock.lock();
      continue;
    }
    std::shared_ptr<Watch> due;
    hsa_signal_value_t value = 0;
    for (const auto& w : watches_) {
      value = __atomic_load_n(&w->wait.signal->value, __ATOMIC_ACQUIRE);
      if (condition_holds(w->wait.condition, value, w->wait.compare)) {
        due = w;
        break;
      }
    }
    if (due) {
      running_ = due->wait.signal;
      lock.unlock();
      const bool again = due->handler(value);
      lock.lock();
      running_ = nullptr;
      const auto at = std::ranges::find(watches_, due);
      if (at != watches_.end()) {
        if (again) {
          std::rotate(at, at + 1, watches_.end()); // the others get their turn
        } else {
          host_of(due->wait.signal).sleepers.fetch_sub(1);
          watches_.erase(at);
        }
      }
      handled_.notify_all();
      continue;
    }
    bool polled = false;
    events.assign(1, &wake_);
    for (const auto& w : watches_) {
      thunk::Event* e = host_of(w->wait.signal).event;
      if (!e)
        polled = true;
      else if (std::ranges::find(events, e) == events.end())
        events.push_back(e);
    }
    lock.unlock();
    thunk::wait_events(events, polled ? 1 : 100);
    lock.lock();
  }
}

} // namespace bz::rocr
