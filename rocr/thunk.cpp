#include "rocr/thunk.hpp"

#include "hsakmt/boltzmann.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <vector>

namespace bz::rocr::thunk {

namespace {

Code from_hsakmt(HSAKMT_STATUS status) {
  switch (status) {
  case HSAKMT_STATUS_SUCCESS:
    return Code::ok;
  case HSAKMT_STATUS_ERROR:
    return Code::internal;
  case HSAKMT_STATUS_DRIVER_MISMATCH:
    return Code::unsupported;
  case HSAKMT_STATUS_INVALID_PARAMETER:
    return Code::invalid_argument;
  case HSAKMT_STATUS_INVALID_HANDLE:
    return Code::invalid_handle;
  case HSAKMT_STATUS_INVALID_NODE_UNIT:
    return Code::invalid_argument;
  case HSAKMT_STATUS_NO_MEMORY:
    return Code::out_of_memory;
  case HSAKMT_STATUS_BUFFER_TOO_SMALL:
    return Code::invalid_argument;
  case HSAKMT_STATUS_NOT_IMPLEMENTED:
    return Code::unsupported;
  case HSAKMT_STATUS_NOT_SUPPORTED:
    return Code::unsupported;
  case HSAKMT_STATUS_UNAVAILABLE:
    return Code::busy;
  case HSAKMT_STATUS_OUT_OF_RESOURCES:
    return Code::out_of_resources;
  case HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED:
    return Code::out_of_resources;
  case HSAKMT_STATUS_KERNEL_COMMUNICATION_ERROR:
    return Code::internal;
  case HSAKMT_STATUS_KERNEL_ALREADY_OPENED:
    return Code::ok; // opening counts
  case HSAKMT_STATUS_HSAMMU_UNAVAILABLE:
    return Code::unsupported;
  case HSAKMT_STATUS_WAIT_FAILURE:
    return Code::internal;
  case HSAKMT_STATUS_WAIT_TIMEOUT:
    return Code::timed_out;
  case HSAKMT_STATUS_MEMORY_ALREADY_REGISTERED:
    return Code::busy;
  case HSAKMT_STATUS_MEMORY_NOT_REGISTERED:
    return Code::not_found;
  case HSAKMT_STATUS_MEMORY_ALIGNMENT:
    return Code::invalid_argument;
  }
  return Code::internal;
}

} // namespace

Status check(HSAKMT_STATUS status, const char* call, std::source_location at) {
  const Code code = from_hsakmt(status);
  if (code == Code::ok) return {};
  const char* meaning = status == HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED
                            ? " (no device is open in this process)" : "";
  return Status(code, fmt::format("{} gave status {}{}", call, static_cast<int>(status), meaning), at);
}

Expected<Clocks> clocks(uint32_t node) {
  HsaClockCounters c{};
  BZ_TRY(check(hsaKmtGetClockCounters(node, &c), "hsaKmtGetClockCounters"));
  return Clocks{c.GPUClockCounter, c.CPUClockCounter, c.SystemClockCounter, c.SystemClockFrequencyHz};
}

uint64_t system_now() {
  timespec t{};
  clock_gettime(CLOCK_BOOTTIME, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(t.tv_nsec);
}

Status create_event(Event& event, HSA_EVENTTYPE type, uint32_t node, bool manual_reset) {
  HsaEventDescriptor descriptor{};
  descriptor.EventType = type;
  descriptor.NodeId = node;
  BZ_TRY(check(hsaKmtCreateEvent(&descriptor, manual_reset, false, &event.handle), "hsaKmtCreateEvent"));
  event.age = 1;
  return {};
}

void destroy_event(Event& event) {
  if (event.handle) hsaKmtDestroyEvent(event.handle);
  event.handle = nullptr;
}

void set_event(Event& event) {
  if (event.handle) hsaKmtSetEvent(event.handle);
}

void wait_events(std::span<Event* const> events, uint32_t milliseconds) {
  constexpr size_t kFew = 16;
  std::array<HsaEvent*, kFew> few_handles;
  std::array<uint64_t, kFew> few_ages;
  std::vector<HsaEvent*> many_handles;
  std::vector<uint64_t> many_ages;
  HsaEvent** handles = few_handles.data();
  uint64_t* ages = few_ages.data();
  if (events.size() > kFew) {
    many_handles.resize(events.size());
    many_ages.resize(events.size());
    handles = many_handles.data();
    ages = many_ages.data();
  }
  for (size_t i = 0; i < events.size(); ++i) {
    handles[i] = events[i]->handle;
    ages[i] = events[i]->age.load();
  }
  hsaKmtWaitOnMultipleEvents_Ext(handles, static_cast<HSAuint32>(events.size()), false, milliseconds, ages);
  for (size_t i = 0; i < events.size(); ++i) {
    uint64_t seen = events[i]->age.load();
    while (seen < ages[i] && !events[i]->age.compare_exchange_weak(seen, ages[i])) {}
  }
}

Helped help(const volatile int64_t* value, Until condition, int64_t compare, uint32_t timeout_us) {
  static std::atomic<bool> available{bzHsaKmtHelp != nullptr};
  if (!available.load(std::memory_order_relaxed)) return Helped::unavailable;
  HSAuint32 result = BZ_HELP_IDLE;
  if (bzHsaKmtHelp(value, static_cast<HSAuint32>(condition), compare, timeout_us, &result) != HSAKMT_STATUS_SUCCESS) {
    available = false;
    return Helped::unavailable;
  }
  if (result == BZ_HELP_SATISFIED) return Helped::satisfied;
  return result == BZ_HELP_TIMED_OUT ? Helped::timed_out : Helped::idle;
}

const volatile uint8_t* wake_doorbell(const volatile uint64_t* doorbell) {
  const volatile HSAuint8* awake = nullptr;
  if (!bzHsaKmtWakeDoorbell || bzHsaKmtWakeDoorbell(doorbell, &awake) != HSAKMT_STATUS_SUCCESS) return nullptr;
  return awake;
}

} // namespace bz::rocr::thunk
