// Asynchronous copies and fills on host threads. The device's memory is the host's (VRAM is a host mapping, also on
// real hardware with a large BAR), so a thread of the host copies at full speed beside the kernels, and the device's
// copy engines are left alone. Owns the threads and the queue of work. Must not know who allocated what: ranges are
// checked before.
#pragma once
#include "rocr/event_loop.hpp"

#include <deque>
#include <span>
#include <thread>
#include <unordered_map>
#include <vector>

namespace bz::rocr {

/// A box: rows of `row` bytes, `rows` of them at a pitch, `slices` of those. A plain copy has one row.
struct CopyShape {
  char* dst = nullptr;
  const char* src = nullptr;
  size_t row = 0, rows = 1, slices = 1;
  size_t dst_pitch = 0, dst_slice = 0, src_pitch = 0, src_slice = 0;
  size_t bytes() const { return row * rows * slices; }
};

class CopyEngine {
public:
  /// `loop` tells when signals that a copy waits for are done.
  explicit CopyEngine(EventLoop& loop) : loop_(loop) {}
  ~CopyEngine();
  CopyEngine(const CopyEngine&) = delete;

  /// Starts when all of `after` are 0, then subtracts 1 from `completion` (if any); a negative dependency (failed work
  /// before it) fails the copy too: completion becomes negative.
  Outcome submit(const CopyShape& shape, std::span<amd_signal_t* const> after, amd_signal_t* completion);
  /// Whether copies note their times in their completion signals.
  void set_timed(bool timed) { timed_ = timed; }
  bool busy() const { return pending_ != 0; }
  /// Ends the threads after the copies that run now; what waits is dropped.
  void stop();

  static constexpr unsigned kThreads = 2;
  /// Copies up to this size with nothing to wait for run on the caller: handing them over would cost more than the
  /// copy.
  static constexpr size_t kInline = 16 * 1024;

private:
  struct Job {
    CopyShape shape;
    std::vector<amd_signal_t*> after;
    size_t next = 0; ///< first dependency not known to be done
    amd_signal_t* completion = nullptr;
    bool failed = false; ///< work that it waited for failed
  };
  using JobPtr = std::shared_ptr<Job>;
  /// A signal that copies of this engine complete: how many are still to come, and which copies wait for it. A chain of
  /// copies goes from one to the next on the thread that does them.
  struct Open {
    size_t copies = 0;
    std::vector<JobPtr> waiting;
  };
  // With the lock held:
  Outcome advance(JobPtr job); ///< waits for the next open dependency, or makes the job ready
  void make_ready(JobPtr job);
  void retire(const Job& job); ///< it is over: what waits for it goes on
  void perform(const Job& job);
  void worker();
  void linger(std::unique_lock<std::mutex>& lock); ///< waits a moment for a copy before sleeping

  EventLoop& loop_;
  std::mutex mutex_;
  std::condition_variable ready_changed_;
  std::deque<JobPtr> ready_;
  std::unordered_map<amd_signal_t*, Open> open_;
  std::vector<std::thread> threads_;
  std::atomic<bool> timed_{false};
  std::atomic<size_t> pending_{0};
  size_t idle_ = 0;    ///< threads that sleep
  size_t looking_ = 0; ///< threads that look for a ready copy before they sleep
  std::atomic<size_t> available_{0}; ///< ready copies, for threads that look without the lock
  bool stop_ = false;
};

} // namespace bz::rocr
