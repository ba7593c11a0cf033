// The program's own memory at a second address, where a client wants the GPU to see it. Private pages are moved into a
// memory file for that time, under the same addresses and with their content; shared ones are just mapped again.
#pragma once
#include "base/status.hpp"
#include "gpu/sharing.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace bz::gpu {

/// Not thread-safe: the owner has a lock. All addresses and sizes are whole pages.
class HostAliases {
public:
  /// [va, va + size) must be the caller's to map over. Pages are writable there where they are in [host, host + size).
  /// fault: part of the host's range isn't mapped.
  Status add(uint64_t va, uint64_t host, uint64_t size);
  /// Makes [va, va + size) a reservation. What nobody needs twice any more becomes private again: after a fork the child
  /// has memory of its own.
  void remove(uint64_t va, uint64_t host, uint64_t size);

private:
  struct Moved {
    uint64_t begin = 0, end = 0;
    uint32_t uses = 0;
    std::shared_ptr<Backing> backing;
  };
  void drop(uint64_t host, uint64_t size);
  std::vector<Moved> moved_;
};

} // namespace bz::gpu
