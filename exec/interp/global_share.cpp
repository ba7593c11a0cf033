#include "exec/interp/global_share.hpp"

namespace bz::exec {

GlobalShare::GlobalShare(isa::Target t)
    : bytes(t == isa::Target::gfx900 || t == isa::Target::gfx906 ? 65536 : t == isa::Target::gfx908 ? 4096 : 0) {}

// Vega ISA, DS instructions, "GDS only". The chip queues waiting waves; here each tries again when it has its turn, so that
// of several waves in P any may be first.
bool GlobalShare::sync(isa::Gws what, uint32_t resource, uint32_t value, uint32_t& ticket) {
  constexpr uint32_t kWaits = 1, kPhaseShift = 1;
  std::lock_guard lock(mutex_);
  Resource& r = resources_[resource];
  switch (what) {
  case isa::Gws::init:
    r.counter = value;
    r.phase = 0;
    r.waiting = 0;
    return true;
  case isa::Gws::sema_v:
    ++r.counter;
    return true;
  case isa::Gws::sema_br:
    r.counter += value;
    return true;
  case isa::Gws::sema_release_all:
    r.counter = r.waiting;
    return true;
  case isa::Gws::sema_p:
    if (r.counter > 0) {
      --r.counter;
      if (ticket && r.waiting) --r.waiting;
      ticket = 0;
      return true;
    }
    if (!ticket) ++r.waiting;
    ticket = kWaits;
    return false;
  case isa::Gws::barrier:
    if (ticket) {
      if (r.phase == ticket >> kPhaseShift) return false;
      ticket = 0;
      return true;
    }
    if (r.counter <= 0) {
      // The last one: everybody goes, and it says how many the next barrier is for.
      r.phase = (r.phase + 1) & 0x7fffffff;
      r.counter = value;
      return true;
    }
    --r.counter;
    ticket = kWaits | r.phase << kPhaseShift;
    return false;
  }
  return true;
}

} // namespace bz::exec
