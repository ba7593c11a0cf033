// KFD events: the objects that a process waits on (WAIT_EVENTS) and that interrupts, faults and SET_EVENT signal.
// Semantics are the kernel driver's. Knows no queue and no device.
#pragma once
#include "abi/kfd_ioctl.hpp"
#include "base/status.hpp"

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace bz::kfd {

class Events {
public:
  static constexpr uint64_t kPageBytes = KFD_SIGNAL_EVENT_LIMIT * 8;
  static constexpr uint64_t kUnsignaled = ~0ull; ///< a slot nobody wrote

  /// The page of mailboxes, one 64-bit slot per signal event: the client's own memory, or (0) pages of the driver's,
  /// made when they are first wanted. busy: there is one already.
  Status set_page(uint64_t address, uint64_t bytes);
  bool has_page() const;
  /// For mmap of the event page.
  Expected<uint64_t> driver_page();

  /// Fills event_id, event_slot_index, event_trigger_data. out_of_resources: 4096 signal events exist.
  Status create(kfd_ioctl_create_event_args& args);
  Status destroy(uint32_t id);
  Status set(uint32_t id);
  Status reset(uint32_t id);
  /// wait_result is KFD_IOC_WAIT_RESULT_*. fault: an event was destroyed meanwhile (the kernel's -EIO).
  Status wait(std::vector<kfd_event_data>& events, bool all, uint32_t timeout_ms, uint32_t& wait_result);
  bool is_set(uint32_t id) const;

  /// An interrupt came for a signal event (0: look at all slots).
  void interrupt(uint32_t id);
  /// Signals all MEMORY events; false if there is none.
  bool memory_exception(const kfd_hsa_memory_exception_data& data);
  /// Destroys all events. A page that the client brought is forgotten too unless it is kept.
  void clear(bool keep_page = false);
  size_t count() const;

private:
  struct Waiter;
  struct Event {
    uint32_t type = 0;
    bool auto_reset = false;
    bool signaled = false;
    uint64_t age = 1;
    kfd_hsa_memory_exception_data memory{};
    std::vector<Waiter*> waiters;
  };
  /// One per event of one wait call.
  struct Waiter {
    std::condition_variable* wake = nullptr;
    uint32_t id = 0;
    bool activated = false;
    bool destroyed = false;
  };
  void signal(Event& event);
  bool clear_slot(uint32_t id);
  static bool has_slot(uint32_t type) { return type == KFD_IOC_EVENT_SIGNAL || type == KFD_IOC_EVENT_DEBUG_EVENT; }

  mutable std::mutex mutex_;
  std::unordered_map<uint32_t, Event> events_;
  uint64_t page_ = 0;
  bool own_page_ = false;
  uint32_t next_other_ = 0x80000000u; ///< ids of events without a slot
};

} // namespace bz::kfd
