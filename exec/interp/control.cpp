#include "exec/interp/control.hpp"
#include "exec/interp/control_ops.hpp"
#include "exec/schedule.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <immintrin.h>

namespace bz::exec {

#define BZ_TAIL [[clang::musttail]] return
#define BZ_GO(op, wave_base)                                                                                           \
  do {                                                                                                                 \
    const Op* bz_next_ = (op);                                                                                         \
    char* bz_wave_ = (wave_base);                                                                                      \
    BZ_TAIL bz_next_->fn(bz_next_, bz_wave_);                                                                          \
  } while (0)
#define BZ_FOR_WAVES(wv)                                                                                               \
  for (char *wv = w, *bz_end_ = w + reinterpret_cast<Wave*>(w)->span; wv != bz_end_; wv += layout::kStride)

const Op kPendingOp{control_pending, 0, {}, 0, 0, 0, 0, 0, 0xffff, 0, 0};
const Op kReturnOp{control_return, 0, {}, 0, 0, 0, 0, 0, 0xffff, 0, 0};

namespace {
Wave* wave_of(char* w) { return reinterpret_cast<Wave*>(w); }

void stop(Wave* w, const Op* o, Exit exit) {
  Group* g = w->group;
  w->pc = o;
  g->current = w;
  g->exit = exit;
}
} // namespace

// ---------------------------------------------------------------- MODE

uint32_t mxcsr_of_mode(uint32_t mode, bool wide) {
  uint32_t round = mode >> (wide ? mode::kRound64Shift : 0) & 3, denorm = mode >> (wide ? mode::kDenorm64Shift : mode::kDenorm32Shift) & 3;
  constexpr uint32_t kRounding[4] = {0, 2, 1, 3};   // nearest, +inf, -inf, zero in MXCSR's numbering
  uint32_t csr = 0x1f80 | kRounding[round] << 13;
  if (!(denorm & 1)) csr |= 1u << 6;                // denormals are zeros
  if (!(denorm & 2)) csr |= 1u << 15;               // flush to zero
  return csr;
}
void set_wave_mode(Wave* w, uint32_t mode) {
  w->mode = mode;
  w->mxcsr32 = mxcsr_of_mode(mode, false);
  w->mxcsr64 = mxcsr_of_mode(mode, true);
}
void load_mode(Group* g, Wave* w) {
  if (g->loaded_mxcsr == w->mxcsr32) return;
  g->loaded_mxcsr = w->mxcsr32;
  _mm_setcsr(w->mxcsr32);
}

uint64_t clock_100mhz() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<uint64_t>(t.tv_sec) * 100'000'000 + static_cast<uint64_t>(t.tv_nsec) / 10;
}

bool read_hwreg(Wave* w, unsigned id, uint32_t& value) {
  switch (id) {
  case 1: value = w->mode; return true;
  case 2:   // STATUS: scc, execz, vccz, in a group of several waves, valid
    value = (w->scc & 1) | (w->exec() == 0) << 9 | (w->vcc() == 0) << 10 | (w->group->wave_count > 1) << 11 | 1u << 16;
    return true;
  case 3: value = w->trapsts; return true;
  case 4: value = (w->index >> 2 & 15) | (w->index & 3) << 4; return true;   // HW_ID: slot in the SIMD, SIMD
  case 5: {   // GPR_ALLOC: VGPRs in fours (gfx90a and later: eights), SGPRs in eights, less one; the kernel gets them all
    uint32_t granule = isa::bit(w->group->target) & isa::kGfx90aUp ? 8 : 4;
    value = (std::max(w->group->vgprs, granule) / granule - 1) << 8 | (112u / 8 - 1) << 24;
    return true;
  }
  case 6: value = (w->group->lds_bytes + 255) / 256 << 12; return true;   // LDS_ALLOC: size in 64 dwords
  case 7: value = 0; return true;                                    // IB_STS: no access is ever outstanding
  case 15: value = 1u << 16 | 2u; return true;                       // SH_MEM_BASES: shared, private aperture
  case 16: case 17: case 18: case 19: value = 0; return true;        // TBA, TMA: there is no trap handler
  case 20: value = 0; return isa::bit(w->group->target) & isa::kGfx940;                      // XCC_ID
  case 21: case 22: case 23: case 24: value = 0; return isa::bit(w->group->target) & isa::kGfx940;   // SQ_PERF_SNAPSHOT: no sampling
  default: return false;
  }
}
bool write_hwreg(Wave* w, unsigned id, uint32_t value, uint32_t mask) {
  if (id == 3) w->trapsts = (w->trapsts & ~mask) | (value & mask);
  uint32_t dummy;
  return read_hwreg(w, id, dummy);   // the others are the hardware's, or privileged
}

// ---------------------------------------------------------------- scheduling

BZ_PN void control_return(const Op*, char*) {}

BZ_PN void control_halt(const Op* o, char* w) {
  wave_of(w)->group->halt_op = o;
  stop(wave_of(w), o, Exit::halt);
}

BZ_PN void control_split(const Op* o, char* w) {
  Group* g = wave_of(w)->group;
  BZ_FOR_WAVES(wv) {
    Wave* v = wave_of(wv);
    const Op* target = v->jump_target ? reinterpret_cast<const Op*>(o->lit) : o + 1;
    v->pc = stream_for(target, v);
  }
  dissolve(g);
  Wave* first = wave_of(w);
  g->current = first;
  BZ_GO(first->pc, w);
}

BZ_PN void control_back_edge(const Op* o, char* w) {
  Wave* v = wave_of(w);
  Group* g = v->group;
  if (__builtin_expect(--g->budget <= 0, 0)) {
    stop(v, o, Exit::yield);
    return;
  }
  if (v->convoy == g->alive) BZ_GO(o, w);
  v->pc = o;
  Wave* n = next_runnable(v);
  switch_to(g, n);
  BZ_GO(n->pc, n->base());
}

BZ_PN void control_sleep(const Op* o, char* w) {
  Wave* v = wave_of(w);
  Group* g = v->group;
  g->slept = true;
  g->budget -= 64;
  BZ_TAIL control_back_edge(o + 1, w);
}

BZ_PN void control_wait(const Op* o, char* w) {
  Wave* v = wave_of(w);
  Group* g = v->group;
  bool all = true, any = false;
  BZ_FOR_WAVES(wv) {
    all &= wave_of(wv)->jump_target != 0;
    any |= wave_of(wv)->jump_target != 0;
  }
  if (all) BZ_GO(o + 1, w);
  if (any) {
    BZ_FOR_WAVES(wv) wave_of(wv)->pc = stream_for(wave_of(wv)->jump_target ? o + 1 : o, wave_of(wv));
    dissolve(g);
    g->current = v;
    if (v->jump_target) BZ_GO(v->pc, w);
  }
  g->slept = true;
  g->budget -= 16;
  BZ_TAIL control_back_edge(o, w);
}

BZ_PN void control_barrier(const Op* o, char* w) {
  Wave* v = wave_of(w);
  Group* g = v->group;
  if (v->convoy == g->alive) BZ_GO(o + 1, w);   // everybody is here
  v->pc = o + 1;
  v->state = WaveState::at_barrier;
  Wave* n;
  if (++g->arrived == g->alive) {
    n = release_barrier(g);
  } else {
    n = next_runnable(v);
    switch_to(g, n);
  }
  BZ_GO(n->pc, n->base());
}

BZ_PN void control_end(const Op* o, char* w) {
  Wave* v = wave_of(w);
  Group* g = v->group;
  if (v->convoy == g->alive) {
    g->alive = 0;
    stop(v, o, Exit::finished);
    return;
  }
  // A convoy is always the whole group, so this is a wave by itself.
  v->state = WaveState::ended;
  v->prev->next = v->next;
  v->next->prev = v->prev;
  --g->alive;
  Wave* n;
  if (g->arrived == g->alive) {
    n = release_barrier(g);
  } else {
    n = next_runnable(v);
    switch_to(g, n);
  }
  BZ_GO(n->pc, n->base());
}

BZ_PN void control_jump(const Op* o, char* w) {
  Wave* v = wave_of(w);
  Group* g = v->group;
  uint64_t target = v->jump_target;
  // Loops can be made of these alone.
  if (__builtin_expect(--g->budget <= 0, 0)) {
    stop(v, &kPendingOp, Exit::yield);
    return;
  }
  BZ_FOR_WAVES(wv) {
    if (wave_of(wv)->jump_target == target) continue;
    // Different targets: everybody on his own, each with a lookup.
    for (char *x = w, *end = w + v->span; x != end; x += layout::kStride) wave_of(x)->pc = &kPendingOp;
    dissolve(g);
    g->current = v;
    BZ_GO(v->pc, w);
  }
  const JumpEntry& e = g->jumps[jump_slot(target)];
  if (e.pc == target && e.full) {   // an empty entry looks like a jump to 0
    uint64_t all = ~uint64_t{0};
    BZ_FOR_WAVES(wv) all &= wave_of(wv)->exec();
    BZ_GO(all == ~uint64_t{0} ? e.full : e.masked, w);
  }
  stop(v, o, Exit::lookup);
}

BZ_PN void control_pending(const Op* o, char* w) { BZ_TAIL control_jump(o, w); }

BZ_PN void control_far(const Op* o, char* w) {
  BZ_FOR_WAVES(wv) wave_of(wv)->jump_target = o->lit;
  BZ_TAIL control_jump(o, w);
}

BZ_PN void control_refetch(const Op* o, char* w) {
  Group* g = wave_of(w)->group;
  g->refetch = true;
  std::memset(g->jumps, 0, sizeof g->jumps);
  BZ_FOR_WAVES(wv) wave_of(wv)->jump_target = o->lit;
  BZ_TAIL control_jump(o, w);
}

BZ_PN void control_trap(const Op* o, char* w) {
  Wave* v = wave_of(w);
  Group* g = v->group;
  constexpr uint64_t kDebugTrap = 3;   // __builtin_debugtrap: goes on where no debugger is attached
  bool pass = true;
  BZ_FOR_WAVES(wv) pass &= wave_of(wv)->jump_target == kDebugTrap;
  if (pass) BZ_GO(o + 1, w);
  g->halt_reason = Halt::Reason::trap;
  g->trap_id = static_cast<uint32_t>(v->jump_target);
  g->halt_text = nullptr;
  BZ_TAIL control_halt(o, w);
}

BZ_PN void control_message(const Op* o, char* w) {
  Group* g = wave_of(w)->group;
  BZ_FOR_WAVES(wv) {
    uint64_t x = wave_of(wv)->jump_target;
    switch (x & 15) {
    case 1:   // MSG_INTERRUPT: event id in M0[23:0]
      if (g->hooks.interrupt) g->hooks.interrupt(g->hooks.context, static_cast<uint32_t>(x >> 32) & 0xffffff);
      break;
    case 4: case 9:   // save wave, get doorbell: only trap handlers send them
    default:
      g->halt_reason = Halt::Reason::not_implemented;
      g->halt_text = "this s_sendmsg message";
      w = wv;
      BZ_TAIL control_halt(o, w);
    }
  }
  if (wave_of(w)->jump_target & kMessageThenHalt) BZ_TAIL control_halt_wave(o, w);
  BZ_GO(o + 1, w);
}

/// There is no debugger that could resume the wave: better a reason than a kernel that never ends.
BZ_PN void control_halt_wave(const Op* o, char* w) {
  Group* g = wave_of(w)->group;
  g->halt_reason = Halt::Reason::not_implemented;
  g->halt_text = "a halted wave waits for a debugger, and there is none";
  BZ_TAIL control_halt(o, w);
}

BZ_PN void control_set_mode(const Op* o, char* w) {
  Wave* v = wave_of(w);
  Group* g = v->group;
  bool same = true, split = false;
  BZ_FOR_WAVES(wv) {
    set_wave_mode(wave_of(wv), static_cast<uint32_t>(wave_of(wv)->jump_target));
    same &= wave_of(wv)->mode == v->mode;
    split |= wave_of(wv)->mxcsr32 != wave_of(wv)->mxcsr64 || (wave_of(wv)->mode & (mode::kVskip | mode::kGprIndex));
  }
  if (!same) {
    for (char *x = w, *end = w + v->span; x != end; x += layout::kStride) wave_of(x)->pc = stream_for(o + 1, wave_of(x));
    dissolve(g);
  }
  g->current = v;
  load_mode(g, v);
  if (split && !g->split_mode) {
    stop(v, o + 1, Exit::mode_split);
    return;
  }
  BZ_GO(same ? o + 1 : v->pc, w);
}

BZ_PN void control_not_implemented(const Op* o, char* w) {
  Group* g = wave_of(w)->group;
  g->halt_reason = Halt::Reason::not_implemented;
  g->halt_text = reinterpret_cast<const char*>(wave_of(w)->jump_target);
  BZ_TAIL control_halt(o, w);
}

// ---------------------------------------------------------------- emitted by the decoder

BZ_PN void control_illegal(const Op* o, char* w) {
  wave_of(w)->group->halt_reason = Halt::Reason::illegal_instruction;
  wave_of(w)->group->halt_text = nullptr;
  BZ_TAIL control_halt(o, w);
}
BZ_PN void control_unreadable(const Op* o, char* w) {
  wave_of(w)->group->halt_reason = Halt::Reason::memory_fault;
  wave_of(w)->group->halt_text = "instruction fetch";
  BZ_TAIL control_halt(o, w);
}
BZ_PN void control_endless(const Op* o, char* w) {
  wave_of(w)->group->halt_reason = Halt::Reason::illegal_instruction;
  wave_of(w)->group->halt_text = "the code has no end";
  BZ_TAIL control_halt(o, w);
}
BZ_PN void control_row_missing(const Op* o, char* w) {
  wave_of(w)->group->halt_reason = Halt::Reason::not_implemented;
  wave_of(w)->group->halt_text = nullptr;
  BZ_TAIL control_halt(o, w);
}
BZ_PN void control_count(const Op* o, char* w) {
  wave_of(w)->coverage[o->aux] += wave_of(w)->convoy;
  BZ_GO(o + 1, w);
}
BZ_PN void control_specials(const Op* o, char* w) {
  BZ_FOR_WAVES(wv) {
    Wave* v = wave_of(wv);
    v->special[0] = v->vcc() == 0;
    v->special[1] = v->exec() == 0;
    v->special[2] = v->scc;
  }
  BZ_GO(o + 1, w);
}
BZ_PN void control_mode_wide(const Op* o, char* w) {
  _mm_setcsr(wave_of(w)->mxcsr64);
  BZ_GO(o + 1, w);
}
BZ_PN void control_mode_narrow(const Op* o, char* w) {
  _mm_setcsr(wave_of(w)->mxcsr32);
  BZ_GO(o + 1, w);
}

BZ_PN void control_vskip(const Op* o, char* w) {
  // Waves of a convoy have one MODE.
  BZ_GO(o + 1 + (wave_of(w)->mode & mode::kVskip ? o->imm : 0), w);
}

BZ_PN void control_indexed(const Op* o, char* w) {
  uint64_t span = wave_of(w)->span;
  uint32_t convoy = wave_of(w)->convoy;
  for (char *wv = w, *end = w + span; wv != end; wv += layout::kStride) {
    Wave* v = wave_of(wv);
    Op& p = v->patched[0];
    p = o[1];
    p.twin = 0;   // alone here: the choice of stream after a row that writes EXEC is left to choose_stream
    uint32_t m0 = v->sgpr[layout::kM0], by = v->mode & mode::kGprIndex ? (m0 & 255) * layout::kRow : 0;
    auto move = [&](uint32_t& off) {
      if (off >= layout::kVgpr && off + by < layout::kBytes) off += by;
    };
    for (int k = 0; k < 3; ++k)
      if (m0 >> (12 + k) & 1 && !(p.mods & mods::scalar(k))) {
        move(p.s[k]);
        move(p.s[k + 3]);
      }
    if (m0 >> 15 & 1) move(p.d);
    v->patched[1] = kReturnOp;
    v->span = layout::kStride;
    v->convoy = 1;
    p.fn(&p, wv);
    v->convoy = convoy;
    v->span = span;
  }
  BZ_GO(o + 2, w);
}

} // namespace bz::exec
