// amd_signal_t: the 64 bytes behind an hsa_signal_t handle, read and written by host and GPU alike. Layout only; who waits
// and who wakes is rocr/, kfd/ and gpu/.
#pragma once
#include "abi/layout.hpp"

#include <cstdint>

namespace bz::abi {

enum amd_signal_kind_t : int64_t {
  AMD_SIGNAL_KIND_INVALID = 0,
  AMD_SIGNAL_KIND_USER = 1,
  AMD_SIGNAL_KIND_DOORBELL = -1,         ///< `hardware_doorbell_ptr` takes 64-bit values (gfx9 and later)
  AMD_SIGNAL_KIND_LEGACY_DOORBELL = -2,
};

struct alignas(64) amd_signal_t {
  int64_t kind;
  union {
    volatile int64_t value;
    volatile uint64_t* hardware_doorbell_ptr;
  };
  uint64_t event_mailbox_ptr;  ///< 0, or where `event_id` is to be stored after the value changed, before the interrupt
  uint32_t event_id;
  uint32_t reserved1;
  uint64_t start_ts;           ///< in ticks of the GPU clock counter
  uint64_t end_ts;
  union {
    uint64_t queue_ptr;        ///< amd_queue_t* of a doorbell signal
    uint64_t reserved2;
  };
  uint32_t reserved3[2];
};
BZ_LAYOUT_SIZE(amd_signal_t, 64);
BZ_LAYOUT_AT(amd_signal_t, value, 8);
BZ_LAYOUT_AT(amd_signal_t, event_mailbox_ptr, 16);
BZ_LAYOUT_AT(amd_signal_t, event_id, 24);
BZ_LAYOUT_AT(amd_signal_t, start_ts, 32);
BZ_LAYOUT_AT(amd_signal_t, end_ts, 40);
BZ_LAYOUT_AT(amd_signal_t, queue_ptr, 48);

} // namespace bz::abi
