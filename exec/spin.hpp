// Finds workgroups that only wait: every wave is back where it was, with the registers that it had. Looked at when a group
// has used up a quota of back edges, so that code that works pays next to nothing. Must not know scheduling or rows.
#pragma once
#include "exec/wave.hpp"

#include <array>
#include <cstdint>

namespace bz::exec {

/// Remembers where a group was. A wrong "yes" (a loop whose progress shows in memory alone) costs a group its turn, no more.
class SpinWatch {
public:
  /// Costs nothing if nobody has looked since the last time.
  void restart() {
    if (looked_) *this = SpinWatch();
  }
  /// True if all running waves look as at an earlier call; their `pc` must be set. `vgprs`: rows in use from 0 on, and from
  /// 256 on for chips with a second file.
  bool unchanged(const Group& group, uint32_t vgprs);

private:
  bool looked_ = false;
  uint64_t scalars_ = 0;                     ///< of the first running wave, at the reference
  std::array<uint64_t, kMaxWaves> waves_{};  ///< everything, by wave; 0: not known yet
  // The loop may take several turns to come round: the reference stays for 1, 2, 4 ... looks.
  uint32_t age_ = 0, keep_ = 1;
  // Looking at all registers is dear: seldom, where it has failed.
  uint32_t skip_ = 0, pause_ = 0;
};

} // namespace bz::exec
