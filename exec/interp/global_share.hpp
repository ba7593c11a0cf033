// What all workgroups of a device share inside the chip: the global data share (64 KB of memory; 4 KB on gfx908, none from
// gfx90a on) and the 64 barriers and semaphores of global wave sync. One per engine; must not know waves or registers.
#pragma once
#include "isa/builder.hpp"

#include <cstdint>
#include <mutex>

namespace bz::exec {

struct GlobalShare {
  explicit GlobalShare(isa::Target t);

  uint32_t bytes;
  alignas(64) uint8_t data[65536] = {};

  /// One ds_gws_* operation of a wave on a resource (0 to 63). True: done. False: the wave waits and tries again; `ticket` is
  /// the wave's own, 0 unless it waits.
  bool sync(isa::Gws what, uint32_t resource, uint32_t value, uint32_t& ticket);

private:
  struct Resource {
    int64_t counter = 0;      ///< barrier: waves still missing, without the last; semaphore: units
    uint32_t phase = 0;       ///< barrier: turns over when the last wave arrives
    uint32_t waiting = 0;     ///< semaphore: waves in P
  };
  std::mutex mutex_;
  Resource resources_[64];
};

} // namespace bz::exec
