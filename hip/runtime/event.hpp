// Events: the frontier of a stream at the moment of the record, and when it was reached. Must not know how streams
// order their work.
#pragma once
#include "hip/runtime/marker.hpp"
#include "hip/runtime/result.hpp"

#include <mutex>
#include <vector>

namespace bz::hip {

class Capture;
class Device;
class Node;
class SharedSignal;

class Event {
public:
  Event(Device& device, unsigned flags) : device_(device), flags_(flags) {}

  Device& device() const { return device_; }
  unsigned flags() const { return flags_; }

  /// Stands for this work from now on. The event's time is now, or when the last of it ends if that is later.
  void record(std::vector<MarkerPtr> markers);
  /// Stands for one dispatch: its begin or its end (hipExtLaunchKernel).
  void record_dispatch(MarkerPtr marker, bool at_start);

  bool recorded() const;
  bool reached() const; ///< true also if never recorded
  void wait(hsa_wait_state_t how) const;
  std::vector<MarkerPtr> markers() const;
  /// hipEventInterprocess: what all processes with the event see; set before the event is known to others.
  const std::shared_ptr<SharedSignal>& shared() const { return shared_; }
  void share(std::shared_ptr<SharedSignal> signal) { shared_ = std::move(signal); }
  /// Ticks of the HSA system clock; only if reached.
  uint64_t ticks() const;

  /// The last record was one in a capture, which made no work: the event stands for nodes of a graph.
  bool captured() const { return captured_.load(std::memory_order_acquire); }
  struct Captured {
    std::shared_ptr<Capture> capture;
    std::vector<std::shared_ptr<Node>> nodes;
  };
  void record_captured(Captured state); ///< under GraphLock
  const Captured& captured_state() const { return captured_state_; } ///< under GraphLock

private:
  Device& device_;
  unsigned flags_;
  mutable std::mutex mutex_;
  bool recorded_ = false, at_start_ = false;
  uint64_t not_before_ = 0;
  std::vector<MarkerPtr> markers_;
  std::shared_ptr<SharedSignal> shared_;
  std::atomic<bool> captured_{false};
  Captured captured_state_;
};

} // namespace bz::hip
