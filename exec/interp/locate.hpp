// Which lane of a memory operation a fault belongs to. Asked after the fault; must not know why it happened.
#pragma once
#include "exec/wave.hpp"
#include "isa/row.hpp"

#include <cstdint>
#include <optional>

namespace bz::exec {

struct LaneAccess {
  int lane;
  uint64_t address;   ///< of the lane's first byte
};

/// The lane of `o` (FLAT, GLOBAL, MUBUF or MTBUF) that touched `address`: of those whose `bytes` cover it the one that begins
/// closest, since an access may be narrower than its registers. Without an address, the first lane whose address is not canonical.
/// None if a result has overwritten the lane's address.
std::optional<LaneAccess> locate_lane(const Op* o, Wave* wave, isa::Formats formats, uint32_t bytes, std::optional<uint64_t> address);

} // namespace bz::exec
