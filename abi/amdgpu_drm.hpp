// DRM ioctls of render nodes: what libdrm_amdgpu asks when it opens a device. Layout only (include/uapi/drm/drm.h and
// amdgpu_drm.h).
#pragma once
#include "abi/layout.hpp"

#include <cstdint>

namespace bz::abi {

inline constexpr uint32_t DRM_IOCTL_BASE = 'd';
inline constexpr uint32_t DRM_IOCTL_VERSION = 0xc0406400, DRM_IOCTL_GET_CAP = 0xc010640c,
                          DRM_IOCTL_AMDGPU_INFO = 0x40206445;

/// Texts: the caller's buffers and their lengths; lengths come back as those of the texts, which are cut.
struct drm_version {
  int32_t version_major, version_minor, version_patchlevel;
  uint64_t name_len, name, date_len, date, desc_len, desc;
};
BZ_LAYOUT_SIZE(drm_version, 64);
BZ_LAYOUT_AT(drm_version, name_len, 16);
BZ_LAYOUT_AT(drm_version, desc, 56);

struct drm_get_cap {
  uint64_t capability, value;
};
BZ_LAYOUT_SIZE(drm_get_cap, 16);
inline constexpr uint64_t DRM_CAP_PRIME = 5, DRM_PRIME_CAP_IMPORT = 1, DRM_PRIME_CAP_EXPORT = 2,
                          DRM_CAP_TIMESTAMP_MONOTONIC = 6, DRM_CAP_SYNCOBJ = 0x13, DRM_CAP_SYNCOBJ_TIMELINE = 0x14;

struct drm_amdgpu_info {
  uint64_t return_pointer;
  uint32_t return_size, query;
  uint32_t arguments[4]; ///< by query: {dword_offset, count, instance, flags}, {fw_type, ip_instance, index}, {type}
};
BZ_LAYOUT_SIZE(drm_amdgpu_info, 32);
BZ_LAYOUT_AT(drm_amdgpu_info, query, 12);
BZ_LAYOUT_AT(drm_amdgpu_info, arguments, 16);

enum : uint32_t {
  AMDGPU_INFO_ACCEL_WORKING = 0x00,
  AMDGPU_INFO_HW_IP_INFO = 0x02,
  AMDGPU_INFO_HW_IP_COUNT = 0x03,
  AMDGPU_INFO_TIMESTAMP = 0x05,
  AMDGPU_INFO_FW_VERSION = 0x0e,
  AMDGPU_INFO_VRAM_USAGE = 0x10,
  AMDGPU_INFO_GTT_USAGE = 0x11,
  AMDGPU_INFO_VRAM_GTT = 0x14,
  AMDGPU_INFO_READ_MMR_REG = 0x15,
  AMDGPU_INFO_DEV_INFO = 0x16,
  AMDGPU_INFO_VIS_VRAM_USAGE = 0x17,
  AMDGPU_INFO_MEMORY = 0x19,
};

struct drm_amdgpu_info_vram_gtt {
  uint64_t vram_size, vram_cpu_accessible_size, gtt_size;
};
BZ_LAYOUT_SIZE(drm_amdgpu_info_vram_gtt, 24);

struct drm_amdgpu_heap_info {
  uint64_t total_heap_size, usable_heap_size, heap_usage, max_allocation;
};
struct drm_amdgpu_memory_info {
  drm_amdgpu_heap_info vram, cpu_accessible_vram, gtt;
};
BZ_LAYOUT_SIZE(drm_amdgpu_memory_info, 96);

struct drm_amdgpu_info_device {
  uint32_t device_id, chip_rev, external_rev, pci_rev, family, num_shader_engines, num_shader_arrays_per_engine;
  uint32_t gpu_counter_freq; ///< kHz
  uint64_t max_engine_clock, max_memory_clock; ///< kHz
  uint32_t cu_active_number, cu_ao_mask, cu_bitmap[4][4];
  uint32_t enabled_rb_pipes_mask, num_rb_pipes, num_hw_gfx_contexts, pad;
  uint64_t ids_flags, virtual_address_offset, virtual_address_max;
  uint32_t virtual_address_alignment, pte_fragment_size, gart_page_size, ce_ram_size;
  uint32_t vram_type, vram_bit_width, vce_harvest_config, gc_double_offchip_lds_buf;
  uint64_t prim_buf_gpu_addr, pos_buf_gpu_addr, cntl_sb_buf_gpu_addr, param_buf_gpu_addr;
  uint32_t prim_buf_size, pos_buf_size, cntl_sb_buf_size, param_buf_size;
  uint32_t wave_front_size, num_shader_visible_vgprs, num_cu_per_sh, num_tcc_blocks;
  uint32_t gs_vgt_table_depth, gs_prim_buffer_depth, max_gs_waves_per_vgt, pad1;
  uint32_t cu_ao_bitmap[4][4];
  uint64_t high_va_offset, high_va_max;
  uint32_t pa_sc_tile_steering_override;
  uint64_t tcc_disabled_mask;
};
BZ_LAYOUT_SIZE(drm_amdgpu_info_device, 368);
BZ_LAYOUT_AT(drm_amdgpu_info_device, max_engine_clock, 32);
BZ_LAYOUT_AT(drm_amdgpu_info_device, cu_bitmap, 56);
BZ_LAYOUT_AT(drm_amdgpu_info_device, ids_flags, 136);
BZ_LAYOUT_AT(drm_amdgpu_info_device, virtual_address_alignment, 160);
BZ_LAYOUT_AT(drm_amdgpu_info_device, wave_front_size, 240);
BZ_LAYOUT_AT(drm_amdgpu_info_device, high_va_offset, 336);
BZ_LAYOUT_AT(drm_amdgpu_info_device, tcc_disabled_mask, 360);
inline constexpr uint32_t AMDGPU_VRAM_TYPE_HBM = 6;

} // namespace bz::abi
