// amd_queue_t: what the queue_ptr of a kernel points to, and the hsa_queue_t that it begins with. Layout only.
#pragma once
#include "abi/aql.hpp"
#include "abi/layout.hpp"

#include <cstdint>

namespace bz::abi {

struct hsa_queue_t {
  uint32_t type;
  uint32_t features;
  void* base_address;
  hsa_signal_t doorbell_signal;
  uint32_t size;  ///< in packets, a power of two
  uint32_t reserved1;
  uint64_t id;
};
BZ_LAYOUT_SIZE(hsa_queue_t, 40);
BZ_LAYOUT_AT(hsa_queue_t, base_address, 8);
BZ_LAYOUT_AT(hsa_queue_t, doorbell_signal, 16);
BZ_LAYOUT_AT(hsa_queue_t, size, 24);
BZ_LAYOUT_AT(hsa_queue_t, id, 32);

inline constexpr uint32_t AMD_QUEUE_PROPERTIES_ENABLE_TRAP_HANDLER = 1u << 0;
inline constexpr uint32_t AMD_QUEUE_PROPERTIES_IS_PTR64 = 1u << 1;
inline constexpr uint32_t AMD_QUEUE_PROPERTIES_ENABLE_TRAP_HANDLER_DEBUG_SGPRS = 1u << 2;
inline constexpr uint32_t AMD_QUEUE_PROPERTIES_ENABLE_PROFILING = 1u << 3;
inline constexpr uint32_t AMD_QUEUE_PROPERTIES_USE_SCRATCH_ONCE = 1u << 4;

struct alignas(64) amd_queue_t {
  hsa_queue_t hsa_queue;
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
  uint32_t queue_properties;
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
};
BZ_LAYOUT_SIZE(amd_queue_t, 256);
BZ_LAYOUT_AT(amd_queue_t, write_dispatch_id, 56);
BZ_LAYOUT_AT(amd_queue_t, group_segment_aperture_base_hi, 64);
BZ_LAYOUT_AT(amd_queue_t, private_segment_aperture_base_hi, 68);
BZ_LAYOUT_AT(amd_queue_t, max_legacy_doorbell_dispatch_id_plus_1, 80);
BZ_LAYOUT_AT(amd_queue_t, read_dispatch_id, 128);
BZ_LAYOUT_AT(amd_queue_t, read_dispatch_id_field_base_byte_offset, 136);
BZ_LAYOUT_AT(amd_queue_t, compute_tmpring_size, 140);
BZ_LAYOUT_AT(amd_queue_t, scratch_resource_descriptor, 144);
BZ_LAYOUT_AT(amd_queue_t, scratch_backing_memory_location, 160);
BZ_LAYOUT_AT(amd_queue_t, scratch_backing_memory_byte_size, 168);
BZ_LAYOUT_AT(amd_queue_t, scratch_wave64_lane_byte_size, 176);
BZ_LAYOUT_AT(amd_queue_t, queue_properties, 180);
BZ_LAYOUT_AT(amd_queue_t, scratch_max_use_index, 184);
BZ_LAYOUT_AT(amd_queue_t, queue_inactive_signal, 192);
BZ_LAYOUT_AT(amd_queue_t, alt_scratch_backing_memory_location, 224);
BZ_LAYOUT_AT(amd_queue_t, alt_compute_tmpring_size, 248);

/// amd_queue_v2_t goes on with one {uint64_t, uint64_t} per XCC (128 of them): 2304 bytes in all.
struct scratch_last_used_index_xcc_t {
  volatile uint64_t main;
  volatile uint64_t alt;
};
struct alignas(64) amd_queue_v2_t {
  amd_queue_t v1;
  scratch_last_used_index_xcc_t scratch_last_used_index[128];
};
BZ_LAYOUT_SIZE(amd_queue_v2_t, 2304);
BZ_LAYOUT_AT(amd_queue_v2_t, scratch_last_used_index, 256);

} // namespace bz::abi
