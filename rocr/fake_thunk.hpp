// A libhsakmt without a device, for unit tests: memory is anonymous memory, events are real, queues are remembered and
// never run. Lets a test raise what a device would raise and use up what a driver has. Knows nothing of rocr/.
#pragma once
#include "hsakmt/hsakmt.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fake_thunk {

struct Queue {
  uint64_t id = 0;
  uint32_t node = 0, percentage = 0, cu_mask_bits = 0;
  int priority = 0;
  void* ring = nullptr;
  uint64_t ring_bytes = 0;
  HsaQueueResource resource{};
  HsaEvent* event = nullptr;
  uint64_t doorbell = 0;
  std::vector<uint32_t> cu_mask;
};

struct Limits {
  uint32_t events = UINT32_MAX;
  uint64_t device_memory = uint64_t(16) << 30;
};
/// For the next hsaKmtOpenKFD.
void set_limits(Limits limits);

std::vector<Queue*> queues();
/// What the driver does when waves fail: the mask goes to where the queue wants it, its event is set.
void raise_exception(Queue& queue, uint64_t mask);
/// A memory fault of node 1.
void raise_memory_fault(uint64_t address);
/// What a device does at the end of a packet: value, mailbox, event.
void finish_signal(uint64_t signal_handle);

std::size_t live_allocations();
std::size_t live_events();
/// Whether bzHsaKmtHelp exists; how often it was called.
void allow_help(bool allowed);
uint32_t help_calls();

} // namespace fake_thunk
