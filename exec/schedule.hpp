// Waves of a workgroup taking turns: the ring, the convoy and the barrier. Owns who runs next; must not know instructions.
#pragma once
#include "exec/interp/control.hpp"
#include "exec/wave.hpp"

namespace bz::exec {

/// The operation in the stream that fits the wave's EXEC.
inline const Op* stream_for(const Op* o, const Wave* w) {
  if (o->twin == 0) return o;
  bool in_full = o->twin > 0, want_full = w->exec() == ~uint64_t{0};
  return in_full == want_full ? o : o + o->twin;
}

/// The convoy becomes a ring of single waves; their `pc` must be set.
inline void dissolve(Group* g) {
  Wave* w = g->head;
  for (uint32_t i = 0; i < g->wave_count; ++i, w = reinterpret_cast<Wave*>(w->base() + layout::kStride)) {
    w->convoy = 1;
    w->span = layout::kStride;
  }
}

/// The next wave in the ring that can run; there is one, because a barrier at which all have arrived is released at once.
inline Wave* next_runnable(Wave* from) {
  Wave* n = from->next;
  while (n->state != WaveState::running) n = n->next;
  return n;
}

inline void switch_to(Group* g, Wave* n) {
  g->current = n;
  load_mode(g, n);
}

/// Everybody has arrived: all may run again, as a convoy if they are all there and go on at the same place.
inline Wave* release_barrier(Group* g) {
  g->arrived = 0;
  Wave* first = g->head;
  // The head may have ended; any live wave is in the ring of the others.
  if (first->state == WaveState::ended) {
    first = g->head->next;
    while (first->state == WaveState::ended) first = first->next;
  }
  auto place = [](const Op* o) { return o->twin > 0 ? o + o->twin : o; };   // in the masked stream
  bool together = g->alive == g->wave_count, full = true;
  Wave* w = first;
  do {
    w->state = WaveState::running;
    together &= place(w->pc) == place(first->pc) && w->mode == first->mode;
    full &= w->exec() == ~uint64_t{0};
    w = w->next;
  } while (w != first);
  if (together && g->wave_count > 1) {
    const Op* o = place(first->pc);
    first->pc = full && o->twin ? o + o->twin : o;
    for (uint32_t i = 0; i < g->wave_count; ++i) {
      auto* v = reinterpret_cast<Wave*>(first->base() + i * layout::kStride);
      v->span = uint64_t{layout::kStride} * (g->wave_count - i);
      v->convoy = g->wave_count - i;
    }
  }
  switch_to(g, first);
  return first;
}

} // namespace bz::exec
