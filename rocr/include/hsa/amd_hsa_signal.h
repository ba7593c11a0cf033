/* amd_hsa_signal.h: a signal as the device sees it.
 * Names, values and layouts are those of the published interface; the words are Boltzmann's. C and C++.
 */
#ifndef AMD_HSA_SIGNAL_H
#define AMD_HSA_SIGNAL_H

#include "amd_hsa_common.h"
#include "amd_hsa_queue.h"

#define AMD_SIGNAL_ALIGN_BYTES 64
#define AMD_SIGNAL_ALIGN __ALIGNED__(AMD_SIGNAL_ALIGN_BYTES)

#ifdef __cplusplus
extern "C" {
#endif

/** amd_signal_kind_t in 64 bits. */
typedef int64_t amd_signal_kind64_t;

/** What a signal's second word is. */
typedef enum {
  AMD_SIGNAL_KIND_INVALID = 0,
  AMD_SIGNAL_KIND_USER = 1,            /**< a value */
  AMD_SIGNAL_KIND_DOORBELL = -1,       /**< the address of a doorbell, written with the 64-bit index */
  AMD_SIGNAL_KIND_LEGACY_DOORBELL = -2 /**< an older doorbell, 32 bits */
} amd_signal_kind_t;

/** What a signal handle points to. Device code reads and writes it. */
typedef struct AMD_SIGNAL_ALIGN amd_signal_s {
  amd_signal_kind64_t kind;
  union {
    volatile int64_t value;
    volatile uint64_t* hardware_doorbell_ptr;
  };
  uint64_t event_mailbox_ptr;
  uint32_t event_id;
  uint32_t reserved1;
  uint64_t start_ts;
  uint64_t end_ts;
  union {
    amd_queue_v2_t* queue_ptr;
    uint64_t reserved2;
  };
  uint32_t reserved3[2];
} amd_signal_t;

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* AMD_HSA_SIGNAL_H */
