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
  int (*handler)(Process&, void* args); ///< 0 or -errno; args is a private copy; null: not implemented
};

/// The row for a request's number, or null: outside the driver's ranges.
const IoctlRow* find_ioctl(uint32_t request);
/// All rows, for tests.
const IoctlRow* ioctl_rows(size_t& count);

} // namespace bz::kfd
