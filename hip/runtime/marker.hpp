// Marker: the completion of one piece of work (a dispatch, a copy, a host function) as an HSA signal, with its times
// and with what has to live until then. Must not know streams.
#pragma once
#include "hip/runtime/hsa.hpp"
#include "hip/runtime/wait_for_oneself.hpp"

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace bz::hip {

class Marker;
using MarkerPtr = std::shared_ptr<Marker>;

class Marker {
public:
  enum class Kind { dispatch, copy, host };

  /// Pending from the start; the signal goes from 1 to 0 when the work is done.
  static Expected<MarkerPtr> create(Kind kind, hsa_agent_t agent);
  ~Marker();
  Marker(const Marker&) = delete;
  Marker& operator=(const Marker&) = delete;

  hsa_signal_t signal() const { return signal_; }
  bool done() const { return hsa_signal_load_scacquire(signal_) < 1; }
  /// True if the work ended with an error (HSA sets a negative value).
  bool failed() const { return hsa_signal_load_scacquire(signal_) < 0; }
  /// Throws WaitForOneself.
  void wait(hsa_wait_state_t how = HSA_WAIT_STATE_BLOCKED) const;

  /// For Kind::host: the work begins, is done.
  void begin_host();
  void end_host();
  /// For calls that wait for all work once they have changed something: throws WaitForOneself while there is still nothing
  /// to undo, if this thread is in a host function.
  static void refuse_in_host_function();
  /// What this thread runs until the scope ends: begin_host and end_host.
  class HostScope {
  public:
    explicit HostScope(Marker& marker);
    ~HostScope();
    HostScope(const HostScope&) = delete;

  private:
    Marker& marker_;
  };

  /// Ticks of the HSA system clock at which the work began and ended; 0 if it isn't done or wasn't timed.
  uint64_t start_ticks() const { return times().first; }
  uint64_t end_ticks() const { return times().second; }

  /// Runs when the work is done and its stream notices (frees kernel arguments and the like).
  void on_release(std::function<void()> action) { actions_.push_back(std::move(action)); }
  /// Lives until the work is done: what it waits for, the code that it runs.
  void keep(std::shared_ptr<const void> object) { kept_.push_back(std::move(object)); }
  /// Called once by the stream after done().
  void release();

  /// The queue whose order already covers this work, or null.
  const hsa_queue_t* queue = nullptr;
  /// Stream::id() of the stream that it is in, and the how many-th piece of work it is there.
  uint64_t stream = 0, position = 0;

private:
  Marker(Kind kind, hsa_agent_t agent, hsa_signal_t signal) : kind_(kind), agent_(agent), signal_(signal) {}
  std::pair<uint64_t, uint64_t> times() const;
  std::pair<uint64_t, uint64_t> measured() const;

  Kind kind_;
  hsa_agent_t agent_;
  hsa_signal_t signal_;
  mutable std::atomic<uint64_t> start_{0}, end_{0}; ///< system ticks: as host work goes, else once asked for
  std::vector<std::function<void()>> actions_;
  std::vector<std::shared_ptr<const void>> kept_;
};

} // namespace bz::hip
