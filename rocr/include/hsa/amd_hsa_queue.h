/* amd_hsa_queue.h: a queue as the device sees it.
 * Names, values and layouts are those of the published interface; the words are Boltzmann's. C and C++.
 */
#ifndef AMD_HSA_QUEUE_H
#define AMD_HSA_QUEUE_H

#include "amd_hsa_common.h"
#include "hsa.h"

#define AMD_QUEUE_ALIGN_BYTES 64
#define AMD_QUEUE_ALIGN __ALIGNED__(AMD_QUEUE_ALIGN_BYTES)
#define MAX_NUM_XCC 128

#ifdef __cplusplus
extern "C" {
#endif

/** amd_queue_properties_t in 32 bits. */
typedef uint32_t amd_queue_properties32_t;

/** Properties of a queue; bits. */
typedef enum {
  AMD_QUEUE_PROPERTIES_ENABLE_TRAP_HANDLER_SHIFT = 0,
  AMD_QUEUE_PROPERTIES_ENABLE_TRAP_HANDLER_WIDTH = 1,
  AMD_QUEUE_PROPERTIES_ENABLE_TRAP_HANDLER = 1,
  AMD_QUEUE_PROPERTIES_IS_PTR64_SHIFT = 1,
  AMD_QUEUE_PROPERTIES_IS_PTR64_WIDTH = 1,
  AMD_QUEUE_PROPERTIES_IS_PTR64 = 2,
  AMD_QUEUE_PROPERTIES_ENABLE_TRAP_HANDLER_DEBUG_SGPRS_SHIFT = 2,
  AMD_QUEUE_PROPERTIES_ENABLE_TRAP_HANDLER_DEBUG_SGPRS_WIDTH = 1,
  AMD_QUEUE_PROPERTIES_ENABLE_TRAP_HANDLER_DEBUG_SGPRS = 4,
  AMD_QUEUE_PROPERTIES_ENABLE_PROFILING_SHIFT = 3,
  AMD_QUEUE_PROPERTIES_ENABLE_PROFILING_WIDTH = 1,
  AMD_QUEUE_PROPERTIES_ENABLE_PROFILING = 8,
  AMD_QUEUE_PROPERTIES_USE_SCRATCH_ONCE_SHIFT = 4,
  AMD_QUEUE_PROPERTIES_USE_SCRATCH_ONCE_WIDTH = 1,
  AMD_QUEUE_PROPERTIES_USE_SCRATCH_ONCE = 16,
  AMD_QUEUE_PROPERTIES_RESERVED1_SHIFT = 5,
  AMD_QUEUE_PROPERTIES_RESERVED1_WIDTH = 27,
  AMD_QUEUE_PROPERTIES_RESERVED1 = -32
} amd_queue_properties_t;

/** amd_queue_capabilities_t in 32 bits. */
typedef uint32_t amd_queue_capabilities32_t;

/** Capabilities of a queue; bits. */
typedef enum {
  AMD_QUEUE_CAPS_CP_ASYNC_RECLAIM_SHIFT = 0,
  AMD_QUEUE_CAPS_CP_ASYNC_RECLAIM_WIDTH = 1,
  AMD_QUEUE_CAPS_CP_ASYNC_RECLAIM = 1,
  AMD_QUEUE_CAPS_SW_ASYNC_RECLAIM_SHIFT = 1,
  AMD_QUEUE_CAPS_SW_ASYNC_RECLAIM_WIDTH = 1,
  AMD_QUEUE_CAPS_SW_ASYNC_RECLAIM = 2
} amd_queue_capabilities_t;

/** A queue with the fields that the device and the runtime share, first version. */
typedef struct AMD_QUEUE_ALIGN amd_queue_s {
  hsa_queue_t hsa_queue; /**< what the program sees */
  uint32_t caps;
  uint32_t reserved1[3];
  volatile uint64_t write_dispatch_id;
  uint32_t group_segment_aperture_base_hi;
  uint32_t private_segment_aperture_base_hi;
  uint32_t max_cu_id;
  uint32_t max_wave_id;
  volatile uint64_t max_legacy_doorbell_dispatch_id_plus_1;
  volatile uint32_t legacy_doorbell_lock;
  uint32_t reserved2[9];
  volatile uint64_t read_dispatch_id;
  uint32_t read_dispatch_id_field_base_byte_offset;
  uint32_t compute_tmpring_size;
  uint32_t scratch_resource_descriptor[4];
  uint64_t scratch_backing_memory_location;
  uint32_t reserved3[2];
  uint32_t scratch_wave64_lane_byte_size;
  amd_queue_properties32_t queue_properties;
  uint32_t reserved4[2];
  hsa_signal_t queue_inactive_signal;
  uint32_t reserved5[14];
} amd_queue_t;

/** Last packets that used scratch, per XCC. */
typedef struct scratch_last_used_index_xcc_s {
  volatile uint64_t main;
  volatile uint64_t alt;
} scratch_last_used_index_xcc_t;

/** A queue with the fields that the device and the runtime share. hsa_queue_t* points to its beginning. */
typedef struct AMD_QUEUE_ALIGN amd_queue_v2_s {
  hsa_queue_t hsa_queue; /**< what the program sees */
  uint32_t caps;
  uint32_t reserved1[3];
  volatile uint64_t write_dispatch_id;
  uint32_t group_segment_aperture_base_hi;
  uint32_t private_segment_aperture_base_hi;
  uint32_t max_cu_id;
  uint32_t max_wave_id;
  volatile uint64_t max_legacy_doorbell_dispatch_id_plus_1;
  volatile uint32_t legacy_doorbell_lock;
  uint32_t reserved2[9];
  volatile uint64_t read_dispatch_id;
  uint32_t read_dispatch_id_field_base_byte_offset;
  uint32_t compute_tmpring_size;
  uint32_t scratch_resource_descriptor[4];
  uint64_t scratch_backing_memory_location;
  uint64_t scratch_backing_memory_byte_size;
  uint32_t scratch_wave64_lane_byte_size;
  amd_queue_properties32_t queue_properties;
  volatile uint64_t scratch_max_use_index;
  hsa_signal_t queue_inactive_signal;
  volatile uint64_t alt_scratch_max_use_index;
  uint32_t alt_scratch_resource_descriptor[4];
  uint64_t alt_scratch_backing_memory_location;
  uint32_t alt_scratch_dispatch_limit_x;
  uint32_t alt_scratch_dispatch_limit_y;
  uint32_t alt_scratch_dispatch_limit_z;
  uint32_t alt_scratch_wave64_lane_byte_size;
  uint32_t alt_compute_tmpring_size;
  uint32_t reserved5;
  scratch_last_used_index_xcc_t scratch_last_used_index[MAX_NUM_XCC];
} amd_queue_v2_t;

#ifdef __cplusplus
} /* extern "C" */
#endif
#endif /* AMD_HSA_QUEUE_H */
