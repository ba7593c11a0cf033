// Handlers: one function per row and variant, tail-calling the next operation, and the tables of them. Owns the loop over
// waves and chunks and the choice of stream; must not know any particular row.
#pragma once
#include "exec/interp/lane.hpp"
#include "exec/interp/scalar.hpp"
#include "exec/interp/tables.hpp"
#include "exec/interp/whole.hpp"
#include "isa/row.hpp"

namespace bz::exec::BZ_LEVEL_NS {

#define BZ_TAIL [[clang::musttail]] return
#define BZ_NEXT(p)                                                                                                     \
  do {                                                                                                                 \
    const Op* bz_next_ = (p);                                                                                          \
    BZ_TAIL bz_next_->fn(bz_next_, w);                                                                                 \
  } while (0)

/// for (each wave block wv in the span of w); kept rolled: a convoy is short, and its handlers are many. A span has at least
/// one wave, and the compiler may know it.
#define BZ_FOR_WAVES(wv)                                                                                               \
  __builtin_assume(reinterpret_cast<Wave*>(w)->span != 0);                                                             \
  _Pragma("clang loop unroll(disable)") for (char *wv = w, *bz_end_ = w + reinterpret_cast<Wave*>(w)->span; wv != bz_end_; wv += layout::kStride)

/// After EXEC changed: the full stream if every wave of the span has all lanes on.
BZ_AI const Op* next_by_exec(const Op* o, char* w, bool in_full) {
  uint64_t all = ~uint64_t{0};
  BZ_FOR_WAVES(wv) all &= reinterpret_cast<Wave*>(wv)->exec();
  return (all == ~uint64_t{0}) == in_full ? o + 1 : o + 1 + o->twin;
}

// ---------------------------------------------------------------- lane rows

template <auto Sem, class B> BZ_AI void eval_lanes(const Op* o, char* wv, bool& exec_changed, bool& halted) {
  B b(o, wv);
  uint64_t result = 0;
  auto chunk = [&](int q) {
    b.q = q;
    if constexpr (!B::kFull) __builtin_memcpy(&b.em, wv + layout::sgpr(layout::kExec) + q * (kLanes / 8), sizeof b.em);
    Sem(b);
    result |= static_cast<uint64_t>(b.acc) << (q * kLanes);
  };
  if constexpr (B::kUnroll) {
#pragma clang loop unroll(full)
    for (int q = 0; q < kChunks; ++q) chunk(q);
  } else {
#pragma clang loop unroll(disable)
    for (int q = 0; q < kChunks; ++q) chunk(q);
  }
  if (b.wrote_mask) __builtin_memcpy(wv + o->sd, &result, 8);
  if (b.wrote_exec) {
    reinterpret_cast<Wave*>(wv)->set_exec(result);
    exec_changed = true;
  }
  halted |= b.halted;
}

template <bool Full, int G> struct LaneV : LaneB<Full, G> {
  static constexpr bool kFull = Full;
  /// Rolled where it costs little: four chunks are worth it with a mask too, eight are not.
  static constexpr bool kUnroll = kChunks == 4 || (G != kGeneral && Full);
  using LaneB<Full, G>::LaneB;
};

template <template <class> class Rows, size_t R, bool Full, int G> struct LaneRow {
  using B = LaneV<Full, G>;
  static constexpr isa::Row<B> kRow = Rows<B>::rows[R];
  BZ_PN static void handler(const Op* o, char* w) {
    bool exec_changed = false, halted = false;
    BZ_FOR_WAVES(wv) eval_lanes<kRow.sem, B>(o, wv, exec_changed, halted);
    if (halted) {
      reinterpret_cast<Wave*>(w)->group->halt_reason = Halt::Reason::not_implemented;
      BZ_TAIL control_halt(o, w);
    }
    if (exec_changed) BZ_NEXT(next_by_exec(o, w, Full));
    BZ_NEXT(o + 1);
  }
  static constexpr Fn fn() {
    if constexpr (kRow.sem == nullptr) return nullptr;
    else return &handler;
  }
};

// ---------------------------------------------------------------- scalar rows

/// Exec: the row may write EXEC, so the stream is chosen anew.
template <template <class> class Rows, size_t R, bool Lit, bool Exec> struct ScalarRow {
  using B = ScalarB<Lit>;
  static constexpr isa::Row<B> kRow = Rows<B>::rows[R];
  BZ_PN static void handler(const Op* o, char* w) {
    bool any = false, all = true, is_branch = false;
    Request request = Request::none;
    BZ_FOR_WAVES(wv) {
      B b(o, wv);
      kRow.sem(b);
      if (b.is_branch) {
        is_branch = true;
        any |= b.taken;
        all &= b.taken;
        reinterpret_cast<Wave*>(wv)->jump_target = b.taken;
      }
      if (b.request != Request::none) {
        request = b.request;
        reinterpret_cast<Wave*>(wv)->jump_target = b.argument;
      }
    }
    switch (request) {
    case Request::none: break;
    case Request::jump: BZ_TAIL control_jump(o, w);
    case Request::end: BZ_TAIL control_end(o, w);
    case Request::barrier: BZ_TAIL control_barrier(o, w);
    case Request::sleep: BZ_TAIL control_sleep(o, w);
    case Request::trap: BZ_TAIL control_trap(o, w);
    case Request::message: BZ_TAIL control_message(o, w);
    case Request::halt: BZ_TAIL control_halt_wave(o, w);
    case Request::set_mode: BZ_TAIL control_set_mode(o, w);
    case Request::not_implemented: BZ_TAIL control_not_implemented(o, w);
    }
    if (is_branch) {
      if (__builtin_expect(any != all, 0)) BZ_TAIL control_split(o, w);
      if (any) {
        const Op* target = reinterpret_cast<const Op*>(o->lit);
        if (o->mods & mods::kBack) BZ_TAIL control_back_edge(target, w);
        BZ_NEXT(target);
      }
      BZ_NEXT(o + 1);
    }
    if constexpr (Exec) BZ_NEXT(next_by_exec(o, w, o->twin > 0));
    BZ_NEXT(o + 1);
  }
  static constexpr Fn fn() {
    if constexpr (kRow.sem == nullptr) return nullptr;
    else return &handler;
  }
};

// ---------------------------------------------------------------- wave rows

template <template <class> class Rows, size_t R, bool Full, bool Saddr> struct WaveRow {
  using B = WaveB<Full, Saddr>;
  static constexpr isa::Row<B> kRow = Rows<B>::rows[R];
  /// Global wave sync: the wave may have to wait.
  static constexpr bool kWaits = has(Rows<isa::NoSem>::rows[R].meta.flags, isa::GdsOnly);
  BZ_PN static void handler(const Op* o, char* w) {
    BZ_FOR_WAVES(wv) {
      B b(o, wv);
      kRow.sem(b);
      if (__builtin_expect(b.halted, 0)) {
        w = wv;
        BZ_TAIL control_halt(o, w);
      }
    }
    if constexpr (kWaits) {
      // A later wave may have released an earlier one.
      BZ_FOR_WAVES(wv) {
        if (reinterpret_cast<Wave*>(wv)->jump_target) continue;
        B b(o, wv);
        kRow.sem(b);
      }
      BZ_TAIL control_wait(o, w);
    }
    BZ_NEXT(o + 1);
  }
  static constexpr Fn fn() {
    if constexpr (kRow.sem == nullptr) return nullptr;
    else return &handler;
  }
};

// ---------------------------------------------------------------- tables

/// Whether a row can have a uniform source 0, and so needs the variant for it.
consteval bool has_scalar0(const isa::Meta& m) {
  for (int i = 0; i < m.operands.count; ++i) {
    auto& s = m.operands.spec[static_cast<size_t>(i)];
    if (s.is_dst) continue;
    return s.reg == isa::RegClass::any || s.reg == isa::RegClass::sgpr || s.field == isa::Field::k32;
  }
  return false;
}
consteval bool has_saddr(const isa::Meta& m) { return (m.formats & (isa::GLOBAL | isa::FLAT)) != 0; }

template <isa::FamilyClass Class, template <class> class Rows> struct FamilyTable;

template <template <class> class Rows> struct FamilyTable<isa::FamilyClass::lane, Rows> {
  template <size_t R> static consteval RowHandlers row() {
    constexpr isa::Meta meta = Rows<isa::NoSem>::rows[R].meta;
    RowHandlers h{};
    h.fn[kFullRows] = LaneRow<Rows, R, true, kRows>::fn();
    h.fn[kMaskedRows] = LaneRow<Rows, R, false, kRows>::fn();
    if constexpr (has_scalar0(meta)) {
      h.fn[kFullScalar0] = LaneRow<Rows, R, true, kScalar0>::fn();
      h.fn[kMaskedScalar0] = LaneRow<Rows, R, false, kScalar0>::fn();
    }
    h.fn[kFullGeneral] = LaneRow<Rows, R, true, kGeneral>::fn();
    h.fn[kMaskedGeneral] = LaneRow<Rows, R, false, kGeneral>::fn();
    return h;
  }
};
template <template <class> class Rows> struct FamilyTable<isa::FamilyClass::scalar, Rows> {
  template <size_t R> static consteval RowHandlers row() {
    RowHandlers h{};
    h.fn[kPlain] = ScalarRow<Rows, R, false, false>::fn();
    h.fn[kPlainExec] = ScalarRow<Rows, R, false, true>::fn();
    h.fn[kLiteral] = ScalarRow<Rows, R, true, false>::fn();
    h.fn[kLiteralExec] = ScalarRow<Rows, R, true, true>::fn();
    return h;
  }
};
template <template <class> class Rows> struct FamilyTable<isa::FamilyClass::wave, Rows> {
  template <size_t R> static consteval RowHandlers row() {
    constexpr isa::Meta meta = Rows<isa::NoSem>::rows[R].meta;
    RowHandlers h{};
    h.fn[kFullVaddr] = WaveRow<Rows, R, true, false>::fn();
    h.fn[kMaskedVaddr] = WaveRow<Rows, R, false, false>::fn();
    if constexpr (has_saddr(meta)) {
      h.fn[kFullSaddr] = WaveRow<Rows, R, true, true>::fn();
      h.fn[kMaskedSaddr] = WaveRow<Rows, R, false, true>::fn();
    }
    return h;
  }
};

template <size_t... I> struct Indices {};
template <isa::FamilyClass Class, template <class> class Rows, size_t... R>
const RowHandlers* family_table(Indices<R...>) {
  static constexpr RowHandlers table[] = {FamilyTable<Class, Rows>::template row<R>()...};
  return table;
}
template <class T, T... I> using IndicesOf = Indices<static_cast<size_t>(I)...>;

} // namespace bz::exec::BZ_LEVEL_NS
