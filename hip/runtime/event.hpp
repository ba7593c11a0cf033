// Events: the frontier of a stream at the moment of the record, and when it was reached. Must not know how streams
// order their work.
#pragma once
#include "hip/runtime/marker.hpp"
#include "hip/runtime/result.hpp"

#include <mutex>
#include <vector>

namespace bz::hip {

class Device;

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
  /// Ticks of the HSA system clock; only if reached.
  uint64_t ticks() const;

private:
  Device& device_;
  unsigned flags_;
  mutable std::mutex mutex_;
  bool recorded_ = false, at_start_ = false;
  uint64_t not_before_ = 0;
  std::vector<MarkerPtr> markers_;
};

} // namespace bz::hip
