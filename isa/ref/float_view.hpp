// What every float reference needs: MODE as rules for one format, sources as numbers, results with output multiplier and
// clamp. Sources: Vega and MI300 ISA, sections on the MODE register and on output modifiers. Must not know instructions.
#pragma once
#include "isa/decode.hpp"
#include "isa/ref/machine.hpp"
#include "isa/ref/softfloat.hpp"

#include <set>
#include <string_view>

namespace bz::isa::ref {

using V = const LaneView&;

/// MODE, for one format: single precision has its own rounding and denormal fields; half and double share theirs.
struct Rules {
  soft::Format f;
  soft::Round round;
  bool flush_in, flush_out, ieee, dx10_clamp, multiplies;   ///< multiplies: omod counts
  bool cut_first;   ///< flushes what is a denormal after its fraction was cut

  Rules(const Machine& m, soft::Format format)
      : f(format), round(static_cast<soft::Round>(single() ? m.round32() : m.round64())),
        flush_in(!(single() ? m.denorm_in32() : m.denorm_in64())), flush_out(!(single() ? m.denorm_out32() : m.denorm_out64())),
        ieee(m.ieee()), dx10_clamp(m.dx10_clamp()), multiplies(flush_out && !ieee), cut_first(f.bits() == 16) {}
  /// Rows that flush whatever MODE says. Where MODE asks for it too, they flush as it does.
  void always_flush() {
    cut_first |= !flush_out;
    flush_in = flush_out = true;
  }
  bool single() const { return f.fraction_bits == 23; }

  soft::Value unpack(uint64_t bits) const { return soft::unpack(f, bits, flush_in); }
  /// What counts as a denormal result no document says: single and double are judged before the fraction is cut to a denormal's
  /// (as x86 does), half precision and rows that flush on their own after.
  uint64_t pack(const soft::Value& x) const {
    uint64_t bits = soft::pack(f, x, round, flush_out && !cut_first);
    return flush_out && f.exponent_field(bits) == 0 ? bits & f.sign() : bits;
  }
  /// The number that a register would hold: one rounding in between.
  soft::Value rounded(const soft::Value& x) const { return soft::unpack(f, pack(x)); }
};

inline uint64_t raw(V v, soft::Format f, int k) {
  return f.bits() == 16 ? v.u16(k) : f.bits() == 32 ? v.u32(k) : v.u64(k);
}
inline soft::Value source(V v, const Rules& r, int k) { return r.unpack(raw(v, r.f, k)); }

/// Output multiplier, then clamp, on bits that have been rounded.
/// - omod (0.5, 2, 4) counts only if IEEE is off and MODE flushes output denormals; "-0 is flushed to +0" then.
/// - clamp: into 0..1; a NaN becomes 0 with DX10_CLAMP, and stays otherwise. Negative zero becomes zero.
inline uint64_t modified(V v, const Rules& r, uint64_t bits) {
  soft::Value x = soft::unpack(r.f, bits);
  if (v.i.omod && r.multiplies && !x.is_nan()) {
    constexpr int kShift[] = {0, 1, 2, -1};
    bits = r.pack(soft::scale(x, kShift[v.i.omod]));
    if (bits == r.f.sign()) bits = 0;
    x = soft::unpack(r.f, bits);
  }
  if (!v.i.clamp) return bits;
  if (x.is_nan()) return r.dx10_clamp ? 0 : bits;
  if (x.negative || x.is_zero()) return 0;
  return soft::less(x, soft::power(0)) ? bits : r.f.one();
}

/// The NaN that goes through arithmetic on these sources, if several of them are NaNs: the first in the machine's order.
/// Otherwise nullptr: one NaN needs no choice.
inline const soft::Value* chosen_nan(const Machine& m, const soft::Value& a, const soft::Value& b, const soft::Value& c) {
  constexpr uint8_t kOrder[6][3] = {{0, 1, 2}, {1, 0, 2}, {2, 0, 1}, {0, 2, 1}, {1, 2, 0}, {2, 1, 0}};
  const soft::Value* all[3] = {&a, &b, &c};
  if (a.is_nan() + b.is_nan() + c.is_nan() < 2) return nullptr;
  for (auto k : kOrder[m.nan_order])
    if (all[k]->is_nan()) return all[k];
  return nullptr;
}

/// The half rows that keep the half of the destination which they don't write.
inline bool keeps_half(RowId row) {
  static const std::set<std::string_view> names = {"v_mad_f16", "v_fma_f16", "v_div_fixup_f16", "v_mac_f16", "v_madmk_f16", "v_madak_f16"};
  return names.contains(row_meta(row).name);
}

/// Where a result of this width lands.
inline void put(V v, soft::Format f, uint64_t bits) {
  if (f.bits() == 64) v.out64(bits);
  else if (f.bits() == 32) v.out32(static_cast<uint32_t>(bits));
  else if (keeps_half(v.i.row)) v.out16_keep(static_cast<uint32_t>(bits));
  else if (has(row_meta(v.i.row).flags, OpSel)) v.out16_sel(static_cast<uint32_t>(bits));
  else v.out16(static_cast<uint32_t>(bits));
}
inline void result(V v, const Rules& r, const soft::Value& x) { put(v, r.f, modified(v, r, r.pack(x))); }

} // namespace bz::isa::ref
