// PM4 in indirect buffers: the packets with which a runtime has caches written back, data written and times taken between
// its AQL packets. All accesses of this device are coherent, so a packet that is about caches alone has nothing to do.
// Knows no queue.
#pragma once
#include "base/status.hpp"

#include <cstdint>

namespace bz::gpu {

struct Pm4Hooks {
  void* context = nullptr;
  void (*interrupt)(void* context, uint32_t event) = nullptr;
};

/// Runs an INDIRECT_BUFFER packet (4 dwords). fault: a packet or what it names can't be accessed; unsupported: a packet of
/// another kind, by its number; invalid_argument: no such packet, or buffers within buffers too deep.
Status run_pm4(const uint32_t* indirect_buffer, const Pm4Hooks& hooks);

} // namespace bz::gpu
