// The table of KFD ioctls: number, structure, name, handler. What has no handler fails with -ENOTTY and a line that
// names it.
#pragma once
#include <cstddef>
#include <cstdint>

namespace bz::kfd {

class Process;

struct IoctlRow {
  uint32_t request;
  const char* name;
  /// 0 or -errno; args is a private copy of `size` bytes, at least the structure's; null: not implemented.
  int (*handler)(Process&, void* args, size_t size);
};

/// An ioctl of a render node.
struct DrmRow {
  uint32_t request;
  const char* name;
  int (*handler)(Process&, uint32_t device, void* args);
};
const DrmRow* find_drm_ioctl(uint32_t request);

/// GB_ADDR_CONFIG, the whole tiling that gfx9 has: 4 pipes, 16 banks as on Vega 20.
inline constexpr uint32_t kGbAddrConfig = 0x2a114042;

/// The row for a request's number, or null: outside the driver's ranges.
const IoctlRow* find_ioctl(uint32_t request);
/// All rows, for tests.
const IoctlRow* ioctl_rows(size_t& count);

} // namespace bz::kfd
