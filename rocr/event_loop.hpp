// A thread that calls functions when signals meet conditions. The runtime has two: one for callbacks of the program,
// which may take long, and one for its own work, which must not wait for them. Must not know what the callbacks do.
#pragma once
#include "rocr/signal.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <thread>

namespace bz::rocr {

class EventLoop {
public:
  /// Gets the value that met the condition; true: keep watching.
  using Handler = std::function<bool(hsa_signal_value_t)>;

  explicit EventLoop(const char* name) : name_(name) {}
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;

  /// Watches a signal. The thread starts with the first call.
  Outcome watch(const Wait& wait, Handler handler);
  /// Calls a function once, soon.
  Outcome call(std::function<void()> function);
  /// Stops watching this signal; returns when its handler is not running (unless called from a handler of this loop).
  void forget(amd_signal_t* signal);
  /// Stops watching this signal without waiting for a handler that runs now: for signals that a handler destroys.
  void drop(amd_signal_t* signal);
  /// Ends the thread after the handler that runs now; what is watched is dropped.
  void stop();

private:
  struct Watch {
    Wait wait;
    Handler handler;
    uint64_t id;
  };
  Outcome start();
  void run();
  void erase(amd_signal_t* signal); ///< with the lock held

  const char* name_;
  std::mutex mutex_;
  std::condition_variable_any handled_;
  std::vector<std::shared_ptr<Watch>> watches_;
  std::deque<std::function<void()>> calls_;
  amd_signal_t* running_ = nullptr; ///< whose handler runs now
  thunk::Event wake_;
  uint64_t next_id_ = 0;
  bool stop_ = false;
  std::thread thread_;
};

} // namespace bz::rocr
