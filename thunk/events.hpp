// Events of libhsakmt: creation, signalling, waiting (help first, then sleep). Owns the page of mailboxes. Knows no
// queue.
#pragma once
#include "thunk/channel.hpp"
#include "thunk/memory.hpp"

#include <atomic>
#include <mutex>
#include <unordered_set>

namespace bz::thunk {

class EventManager {
public:
  EventManager(Channel& channel, MemoryManager& memory) : channel_(channel), memory_(memory) {}
  ~EventManager();

  HSAKMT_STATUS create(const HsaEventDescriptor& descriptor, bool manual_reset, bool signaled, HsaEvent** out);
  HSAKMT_STATUS destroy(HsaEvent* event);
  /// Waiters return with WAIT_FAILURE.
  void destroy_all();
  HSAKMT_STATUS set(HsaEvent* event);
  HSAKMT_STATUS reset(HsaEvent* event);
  HSAKMT_STATUS query(HsaEvent* event);
  /// ages: null, or one per event, in and out.
  HSAKMT_STATUS wait(HsaEvent** events, uint32_t count, bool all, uint32_t milliseconds, uint64_t* ages);
  /// NOT_SUPPORTED once and for all if the driver has no helping.
  HSAKMT_STATUS help(const volatile int64_t* value, uint32_t condition, int64_t compare, uint32_t event_id,
                     uint32_t timeout_us, uint32_t& result);
  bool known(HsaEvent* event);

private:
  HSAKMT_STATUS make_page(uint64_t& handle);

  Channel& channel_;
  MemoryManager& memory_;
  std::mutex mutex_;
  std::unordered_set<HsaEvent*> events_;
  uint64_t page_ = 0;
  bool page_announced_ = false;
  std::atomic<bool> can_help_{true};
};

} // namespace bz::thunk
