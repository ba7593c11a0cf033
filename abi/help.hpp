// The private ioctls: a waiting host thread lends itself to the device; a client wakes an idle doorbell before it stores.
// Their numbers lie outside the kernel driver's ranges, which answers -ENOTTY, so that callers probe for them and do without.
// Layout only.
#pragma once
#include "abi/layout.hpp"

#include <cstdint>

namespace bz::abi {

enum class HelpCondition : uint32_t { none = 0, equal = 1, not_equal = 2, less = 3, greater_equal = 4 };
enum class HelpResult : uint32_t {
  idle = 0,      ///< nothing to run now: the caller should sleep
  satisfied = 1, ///< the condition holds or the event is set
  timed_out = 2, ///< the time is used up, and there is more to run
};

struct bz_kfd_help_args {
  uint64_t value_address; ///< int64_t to watch, or 0
  int64_t compare;
  uint32_t condition; ///< HelpCondition between *value_address and compare
  uint32_t event_id;  ///< also stop when this event is set; 0 is none
  uint32_t timeout_us;
  uint32_t result; ///< HelpResult
};
BZ_LAYOUT_SIZE(bz_kfd_help_args, 32);

/// _IOWR('K', 0xf0, bz_kfd_help_args)
inline constexpr uint32_t BZ_KFD_IOC_HELP = 0xc0204bf0;

/// Makes the page of a doorbell writable and its device look. A store to an idle page would do so too, by a fault; but the
/// application may have taken the signal.
struct bz_kfd_wake_args {
  uint64_t doorbell_address; ///< in: of any mapped doorbell
  uint64_t awake_address;    ///< out: a byte of the driver's that is 0 while the page is idle; valid as long as the mapping
};
BZ_LAYOUT_SIZE(bz_kfd_wake_args, 16);

/// _IOWR('K', 0xf1, bz_kfd_wake_args)
inline constexpr uint32_t BZ_KFD_IOC_WAKE = 0xc0104bf1;

} // namespace bz::abi
