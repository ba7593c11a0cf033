// The runtime's view of libhsakmt: statuses become bz::Status, packed structures become ordinary ones. Owns the only
// translation of HSAKMT_STATUS. Must not know agents or signals, nor what drives the device.
#pragma once
#include "base/status.hpp"
#include "hsakmt/hsakmt.h"

#include <atomic>
#include <cstdint>
#include <source_location>
#include <span>

namespace bz::rocr::thunk {

/// ok, or what failed: check(hsaKmtOpenKFD(), "hsaKmtOpenKFD")
Status check(HSAKMT_STATUS status, const char* call, std::source_location at = std::source_location::current());

struct Clocks {
  uint64_t gpu = 0, cpu = 0, system = 0, system_hz = 0;
};
Expected<Clocks> clocks(uint32_t node);

/// Ticks of HSA_SYSTEM_INFO_TIMESTAMP now: nanoseconds of CLOCK_BOOTTIME, as in the driver's system clock.
uint64_t system_now();
inline constexpr uint64_t kSystemClockHz = 1'000'000'000;

/// An event of the driver. Set by the device (mailbox) or by us; `age` counts what a waiter has seen, so that a set
/// between its last look and its sleep is not lost.
struct Event {
  HsaEvent* handle = nullptr;
  std::atomic<uint64_t> age{1};
  uint32_t id() const { return handle ? handle->EventId : 0; }
};
Status create_event(Event& event, HSA_EVENTTYPE type, uint32_t node, bool manual_reset);
void destroy_event(Event& event);
void set_event(Event& event);
/// Sleeps until one of the events is set or the time is over. Early returns are possible.
void wait_events(std::span<Event* const> events, uint32_t milliseconds);

/// Conditions of bzHsaKmtHelp.
enum class Until : uint32_t { none = 0, equal = 1, not_equal = 2, less = 3, greater_equal = 4 };
enum class Helped { idle, satisfied, timed_out, unavailable };
/// Runs queue work on this thread; `unavailable` if the driver has no helping.
Helped help(const volatile int64_t* value, Until condition, int64_t compare, uint32_t timeout_us);
/// Makes the next store to a doorbell pass without a fault. Returns the byte that says whether that is needed, nullptr if
/// it never is.
const volatile uint8_t* wake_doorbell(const volatile uint64_t* doorbell);

} // namespace bz::rocr::thunk
