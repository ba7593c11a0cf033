// Finds workgroups that only wait: every wave is back where it was, with the registers that it had. Looked at when a group
// has used up a quota of back edges, so that code that works pays next to nothing. Must not know scheduling or rows.
#pragma once
#include "exec/wave.hpp"

#include <array>
#include <cstdint>

namespace bz::exec {

/// How a group stands: what its waves hold, as numbers that are the same when it is the same, and never 0.
class Standing {
public:
  virtual ~Standing() = default;
  virtual bool runs(uint32_t wave) const = 0;       ///< has neither ended nor waits at a barrier
  virtual uint64_t place(uint32_t wave) const = 0;  ///< cheap: where it is, scalars
  virtual uint64_t all(uint32_t wave) const = 0;    ///< everything that it holds
};

/// Numbers for Standing: `bytes` is a multiple of 32.
uint64_t mix(uint64_t seed, const void* data, size_t bytes);

/// Remembers where a group was. A wrong "yes" (a loop whose progress shows in memory alone) costs a group its turn, no more.
class SpinWatch {
public:
  /// Costs nothing if nobody has looked since the last time.
  void restart() {
    if (looked_) *this = SpinWatch();
  }
  /// True if all running waves look as at an earlier call.
  bool unchanged(uint32_t waves, const Standing& standing);
  /// The same for interpreted waves; their `pc` must be set. `vgprs`: rows in use from 0 on, and from 256 on for chips with a
  /// second file.
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
