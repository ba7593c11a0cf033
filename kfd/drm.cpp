// The DRM side of a render node: what libdrm_amdgpu asks when it opens one. Graphics is not served.
#include "abi/amdgpu_drm.hpp"
#include "abi/aql.hpp"
#include "base/log.hpp"
#include "gpu/guard.hpp"
#include "gpu/queue.hpp"
#include "kfd/ioctls.hpp"
#include "kfd/process.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string_view>

namespace bz::kfd {
namespace {
using namespace abi;

constexpr uint32_t kKhzPerMhz = 1000;

bool copy_text(uint64_t to, uint64_t& length, std::string_view text) {
  bool good = !to || gpu::write_memory(to, text.data(), std::min<uint64_t>(length, text.size()));
  length = text.size();
  return good;
}

int version(Process&, uint32_t, drm_version& a) {
  a.version_major = 3; // of amdgpu; 3.42 is that of Linux 5.15
  a.version_minor = 42;
  a.version_patchlevel = 0;
  return copy_text(a.name, a.name_len, "amdgpu") && copy_text(a.date, a.date_len, "20150101") &&
                 copy_text(a.desc, a.desc_len, "AMD GPU")
             ? 0
             : -EFAULT;
}

int get_cap(Process&, uint32_t, drm_get_cap& a) {
  switch (a.capability) {
  case DRM_CAP_TIMESTAMP_MONOTONIC:
    a.value = 1;
    return 0;
  case DRM_CAP_PRIME:
  case DRM_CAP_SYNCOBJ:
  case DRM_CAP_SYNCOBJ_TIMELINE:
    a.value = 0;
    return 0;
  default:
    return -EINVAL; // capabilities of displays among them, as a render node answers
  }
}

drm_amdgpu_info_device device_info(const gpu::Product& p) {
  drm_amdgpu_info_device d{};
  d.device_id = p.device_id;
  d.family = p.family_id;
  uint32_t engines = std::max(1u, p.xccs * p.engines_per_xcc);
  d.num_shader_engines = engines;
  d.num_shader_arrays_per_engine = p.arrays_per_engine;
  d.gpu_counter_freq = kGpuClockHz / 1000;
  d.max_engine_clock = uint64_t{p.clock_mhz} * kKhzPerMhz;
  d.max_memory_clock = uint64_t{p.memory_clock_mhz} * kKhzPerMhz;
  d.cu_active_number = p.cus;
  uint32_t arrays = engines * p.arrays_per_engine, each = (p.cus + arrays - 1) / arrays;
  d.num_cu_per_sh = each;
  for (uint32_t cu = 0; cu < p.cus; ++cu) {
    uint32_t array = cu % arrays, engine = array / p.arrays_per_engine % 4, column = array % p.arrays_per_engine % 4;
    d.cu_bitmap[engine][column] |= 1u << cu / arrays % 32;
  }
  constexpr uint64_t kLow = 2ull << 20, kHoleBegin = 1ull << 47;
  constexpr uint32_t kPage = 4096, kVgprs = 256;
  d.virtual_address_offset = kLow;
  d.virtual_address_max = kHoleBegin;
  d.virtual_address_alignment = kPage;
  d.pte_fragment_size = 2u << 20;
  d.gart_page_size = kPage;
  d.vram_type = AMDGPU_VRAM_TYPE_HBM;
  d.vram_bit_width = p.memory_width;
  d.wave_front_size = 64;
  d.num_shader_visible_vgprs = kVgprs;
  d.high_va_offset = 0xffff800000000000ull;
  d.high_va_max = 0xffffffffffe00000ull;
  return d;
}

int info(Process& p, uint32_t device, drm_amdgpu_info& a) {
  if (a.return_size == 0 || a.return_pointer == 0) return -EINVAL;
  auto give = [&](const auto& value) {
    return gpu::write_memory(a.return_pointer, &value, std::min<size_t>(a.return_size, sizeof value)) ? 0 : -EFAULT;
  };
  uint64_t total = p.memory().vram_total(device), used = total - p.memory().vram_available(device),
           host = p.memory().host_total(), host_used = host - p.memory().host_available();
  switch (a.query) {
  case AMDGPU_INFO_ACCEL_WORKING:
    return give(uint32_t{1});
  case AMDGPU_INFO_HW_IP_COUNT:
    return give(uint32_t{0}); // no engine takes command streams by DRM
  case AMDGPU_INFO_TIMESTAMP:
    return give(gpu::gpu_clock());
  case AMDGPU_INFO_VRAM_USAGE:
  case AMDGPU_INFO_VIS_VRAM_USAGE:
    return give(used);
  case AMDGPU_INFO_GTT_USAGE:
    return give(host_used);
  case AMDGPU_INFO_VRAM_GTT:
    return give(drm_amdgpu_info_vram_gtt{total, total, host});
  case AMDGPU_INFO_MEMORY: {
    drm_amdgpu_heap_info vram{total, total, used, total}, gtt{host, host, host_used, host};
    return give(drm_amdgpu_memory_info{vram, vram, gtt});
  }
  case AMDGPU_INFO_DEV_INFO:
    return give(device_info(p.config().products[device]));
  case AMDGPU_INFO_READ_MMR_REG: {
    // The one register that clients of gfx9 ask for: the address configuration.
    constexpr uint32_t kGbAddrConfigRegister = 0x263e;
    if (a.arguments[0] != kGbAddrConfigRegister || a.arguments[1] != 1) return -EINVAL;
    return give(kGbAddrConfig);
  }
  default:
    return -EINVAL;
  }
}

template <class Args, int (*function)(Process&, uint32_t, Args&)> int typed(Process& p, uint32_t device, void* args) {
  return function(p, device, *static_cast<Args*>(args));
}

constexpr DrmRow kRows[] = {
    {DRM_IOCTL_VERSION, "DRM_IOCTL_VERSION", typed<drm_version, version>},
    {DRM_IOCTL_GET_CAP, "DRM_IOCTL_GET_CAP", typed<drm_get_cap, get_cap>},
    {DRM_IOCTL_AMDGPU_INFO, "DRM_IOCTL_AMDGPU_INFO", typed<drm_amdgpu_info, info>},
};

} // namespace

const DrmRow* find_drm_ioctl(uint32_t request) {
  for (const DrmRow& row : kRows)
    if (row.request == request) return &row;
  return nullptr;
}

} // namespace bz::kfd
