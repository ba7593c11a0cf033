// References of float arithmetic, minimum and maximum, compares and classes, packed and mixed-precision rows. Sources: Vega
// and MI300 ISA documents, sections VOP2, VOPC, VOP3, VOP3P; CLRX GcnInstrsVop2/Vop3/Vop3p for what these leave open.
//
// Rules that hold for all (docs/isa-errata.md, "Floating point"): exact result, rounded once by MODE; a NaN among the
// sources goes through, quiet (which one of several: Machine::nan_order); an invalid operation gives 0xffc00000 (0xfe00, 0xfff8...).
#include "isa/ref/families.hpp"
#include "isa/ref/float_view.hpp"

#include <deque>
#include <iterator>
#include <string>

namespace bz::isa::ref {
namespace {

using namespace soft;

// ---------------------------------------------------------------- operations on numbers: rules, a, b, c

using Fn = Value (*)(const Rules&, const Value&, const Value&, const Value&);

constexpr Fn kAdd = [](const Rules&, const Value& a, const Value& b, const Value&) { return add(a, b); };
/// a - b negates b before, NaNs included.
constexpr Fn kSub = [](const Rules&, const Value& a, const Value& b, const Value&) { return add(a, b.is_nan() ? b : negate(b)); };
constexpr Fn kSubRev = [](const Rules&, const Value& a, const Value& b, const Value&) { return add(a.is_nan() ? a : negate(a), b); };
constexpr Fn kMul = [](const Rules&, const Value& a, const Value& b, const Value&) { return mul(a, b); };
constexpr Fn kFma = [](const Rules&, const Value& a, const Value& b, const Value& c) { return fma(a, b, c); };
/// Direct3D 9: zero times anything is zero.
constexpr Fn kMulLegacy = [](const Rules&, const Value& a, const Value& b, const Value&) {
  return a.is_zero() || b.is_zero() ? zero() : mul(a, b);
};
/// Multiply, round, add.
constexpr Fn kMad = [](const Rules& r, const Value& a, const Value& b, const Value& c) {
  return add(r.rounded(mul(a, b)), c);
};
constexpr Fn kMadLegacy = [](const Rules& r, const Value& a, const Value& b, const Value& c) {
  return a.is_zero() || b.is_zero() ? add(zero(), c) : kMad(r, a, b, c);
};

/// Vega ISA, V_MIN_F32 and V_MAX_F32: with IEEE a signalling NaN wins; otherwise a NaN loses; -0 < +0. What comes out is quiet
/// in any case (LLVM counts on it; the manual's pseudo code without IEEE leaves it open).
Value least_of(const Rules& r, const Value& a, const Value& b) {
  if (r.ieee && a.signalling) return quiet(a);
  if (r.ieee && b.signalling) return quiet(b);
  if (a.is_nan()) return b;
  if (b.is_nan()) return a;
  if (a.is_zero() && b.is_zero()) return a.negative ? a : b;
  return less(a, b) ? a : b;
}
Value greatest_of(const Rules& r, const Value& a, const Value& b) {
  if (r.ieee && a.signalling) return quiet(a);
  if (r.ieee && b.signalling) return quiet(b);
  if (a.is_nan()) return b;
  if (b.is_nan()) return a;
  if (a.is_zero() && b.is_zero()) return a.negative ? b : a;
  return less(b, a) ? a : b;
}
Value least(const Rules& r, const Value& a, const Value& b) { return quiet(least_of(r, a, b)); }
Value greatest(const Rules& r, const Value& a, const Value& b) { return quiet(greatest_of(r, a, b)); }
constexpr Fn kMin = [](const Rules& r, const Value& a, const Value& b, const Value&) { return least(r, a, b); };
constexpr Fn kMax = [](const Rules& r, const Value& a, const Value& b, const Value&) { return greatest(r, a, b); };
constexpr Fn kMin3 = [](const Rules& r, const Value& a, const Value& b, const Value& c) { return least(r, least(r, a, b), c); };
constexpr Fn kMax3 = [](const Rules& r, const Value& a, const Value& b, const Value& c) { return greatest(r, greatest(r, a, b), c); };
constexpr Fn kMed3 = [](const Rules& r, const Value& a, const Value& b, const Value& c) {
  if (a.is_nan() || b.is_nan() || c.is_nan()) return kMin3(r, a, b, c);
  Value top = kMax3(r, a, b, c);
  if (equal(top, a)) return greatest(r, b, c);
  if (equal(top, b)) return greatest(r, a, c);
  return greatest(r, a, b);
};

template <Fn... Ops> constexpr bool one_of(Fn op) { return ((op == Ops) || ...); }
/// Arithmetic with several NaNs; the rest has rules of its own for them.
template <Fn Op> Value apply(V v, const Rules& r, const Value& a, const Value& b, const Value& c = {}) {
  if (!one_of<kMin, kMax, kMin3, kMax3, kMed3>(Op) && !(Op == kMadLegacy && (a.is_zero() || b.is_zero())))
    if (auto* nan = chosen_nan(v.m, a, b, c)) return quiet(*nan);
  if (one_of<kMad, kMadLegacy>(Op) && c.is_nan() && mul(a, b).is_nan()) {  // the product is the first source of the addition
    Value product = mul(a, b);
    if (Op == kMad || !(a.is_zero() || b.is_zero())) return quiet(*chosen_nan(v.m, product, product, c));
  }
  return Op(r, a, b, c);
}

template <Format F, Fn Op, int Sources> void plain(V v) {
  Rules r(v.m, F);
  result(v, r, apply<Op>(v, r, source(v, r, 0), source(v, r, 1), Sources == 3 ? source(v, r, 2) : Value{}));
}
/// Multiply-and-add without fusion never has denormals, whatever MODE says (CLRX "it flush denormals"; LLVM forms these only
/// where denormals are off).
template <Format F, Fn Op> void unfused(V v) {
  Rules r(v.m, F);
  r.always_flush();
  result(v, r, apply<Op>(v, r, source(v, r, 0), source(v, r, 1), source(v, r, 2)));
}

constexpr Entry kArithmetic[] = {
    {"v_add_f32", nullptr, plain<kF32, kAdd, 2>}, {"v_add_f16", nullptr, plain<kF16, kAdd, 2>}, {"v_add_f64", nullptr, plain<kF64, kAdd, 2>},
    {"v_sub_f32", nullptr, plain<kF32, kSub, 2>}, {"v_sub_f16", nullptr, plain<kF16, kSub, 2>},
    {"v_subrev_f32", nullptr, plain<kF32, kSubRev, 2>}, {"v_subrev_f16", nullptr, plain<kF16, kSubRev, 2>},
    {"v_mul_f32", nullptr, plain<kF32, kMul, 2>}, {"v_mul_f16", nullptr, plain<kF16, kMul, 2>}, {"v_mul_f64", nullptr, plain<kF64, kMul, 2>},
    {"v_mul_legacy_f32", nullptr, plain<kF32, kMulLegacy, 2>},
    {"v_min_f32", nullptr, plain<kF32, kMin, 2>}, {"v_min_f16", nullptr, plain<kF16, kMin, 2>}, {"v_min_f64", nullptr, plain<kF64, kMin, 2>},
    {"v_max_f32", nullptr, plain<kF32, kMax, 2>}, {"v_max_f16", nullptr, plain<kF16, kMax, 2>}, {"v_max_f64", nullptr, plain<kF64, kMax, 2>},
    {"v_min3_f32", nullptr, plain<kF32, kMin3, 3>}, {"v_min3_f16", nullptr, plain<kF16, kMin3, 3>},
    {"v_max3_f32", nullptr, plain<kF32, kMax3, 3>}, {"v_max3_f16", nullptr, plain<kF16, kMax3, 3>},
    {"v_med3_f32", nullptr, plain<kF32, kMed3, 3>}, {"v_med3_f16", nullptr, plain<kF16, kMed3, 3>},

    {"v_fma_f32", nullptr, plain<kF32, kFma, 3>}, {"v_fma_f16", nullptr, plain<kF16, kFma, 3>}, {"v_fma_f64", nullptr, plain<kF64, kFma, 3>},
    {"v_fma_legacy_f16", nullptr, plain<kF16, kFma, 3>},  // "legacy" is about the high half: cleared
    // The destination, or the literal, is the third source in the decoder's order of sources.
    {"v_fmac_f32", nullptr, plain<kF32, kFma, 3>}, {"v_fmac_f64", nullptr, plain<kF64, kFma, 3>},
    {"v_fmamk_f32", nullptr, plain<kF32, kFma, 3>}, {"v_fmaak_f32", nullptr, plain<kF32, kFma, 3>},

    {"v_mad_f32", nullptr, unfused<kF32, kMad>}, {"v_mac_f32", nullptr, unfused<kF32, kMad>}, {"v_madmk_f32", nullptr, unfused<kF32, kMad>},
    {"v_madak_f32", nullptr, unfused<kF32, kMad>}, {"v_mad_legacy_f32", nullptr, unfused<kF32, kMadLegacy>},
    {"v_mad_f16", nullptr, unfused<kF16, kMad>}, {"v_mac_f16", nullptr, unfused<kF16, kMad>}, {"v_madmk_f16", nullptr, unfused<kF16, kMad>},
    {"v_madak_f16", nullptr, unfused<kF16, kMad>}, {"v_mad_legacy_f16", nullptr, unfused<kF16, kMad>},
};

// ---------------------------------------------------------------- packed

template <Fn Op, int Sources> void packed16(V v) {
  Rules r(v.m, kF16);
  uint64_t x[2];
  for (int n = 0; n < 2; ++n)
    x[n] = modified(v, r, r.pack(apply<Op>(v, r, r.unpack(v.half(0, n)), r.unpack(v.half(1, n)), Sources == 3 ? r.unpack(v.half(2, n)) : Value{})));
  v.out32(static_cast<uint32_t>(x[0] | x[1] << 16));
}
template <Fn Op, int Sources> void packed32(V v) {
  Rules r(v.m, kF32);
  uint32_t x[2];
  for (int n = 0; n < 2; ++n) {
    Value c = Sources == 3 ? r.unpack(v.dword(2, n)) : Value{};
    x[n] = static_cast<uint32_t>(modified(v, r, r.pack(apply<Op>(v, r, r.unpack(v.dword(0, n)), r.unpack(v.dword(1, n)), c))));
  }
  v.out(0, x[0]), v.out(1, x[1]);
}

/// v_*_mix: op_sel_hi says half, op_sel which one; neg_hi is the absolute value. MODE of single precision for the arithmetic,
/// of half precision for reading a half and for the conversion at the end, which rounds a second time (LLVM forms
/// v_fma_mixlo_f16 from a single-precision fma and a conversion).
Value mix_source(V v, const Rules& single, int k) {
  const Operand& o = v.i.source(k);
  uint32_t x = v.reg(o, 0);
  bool is_half = v.i.op_sel_hi >> k & 1;
  Format f = is_half ? kF16 : kF32;
  if (is_half) x = v.i.op_sel >> k & 1 ? x >> 16 : x & 0xffff;
  auto sign = static_cast<uint32_t>(f.sign());
  if (v.i.neg_hi >> k & 1) x &= ~sign;
  if (v.i.neg_lo >> k & 1) x ^= sign;
  return soft::unpack(f, x, is_half ? Rules(v.m, kF16).flush_in : single.flush_in);
}
enum class MixTo { single, low, high };
template <Fn Op, bool Unfused, MixTo To> void mix(V v) {
  Rules r(v.m, kF32);
  if (Unfused) r.always_flush();
  uint64_t x = r.pack(apply<Op>(v, r, mix_source(v, r, 0), mix_source(v, r, 1), mix_source(v, r, 2)));
  if (To == MixTo::single) return v.out32(static_cast<uint32_t>(modified(v, r, x)));
  Rules h(v.m, kF16);
  auto half = static_cast<uint32_t>(modified(v, h, h.pack(r.unpack(x))));
  v.out(0, To == MixTo::high ? (v.old32() & 0xffff) | half << 16 : (v.old32() & 0xffff0000u) | half);
}

/// Two products of halves and a single: the accumulator first, k ascending, each step fused and rounded (docs/fidelity.md, as
/// matrix instructions). LLVM forms v_dot2_f32_f16 knowing that denormals of the single are flushed whatever MODE says;
/// those of the halves are flushed on MI200 only, and MI300 flushes nothing by itself (AMD's notes on MI200 numerics).
template <bool Accumulate> void dot2(V v) {
  Rules r(v.m, kF32);
  if (bit(v.m.target) & kBeforeGfx940) r.always_flush();
  auto half_of = [&](int k, int n) {
    uint32_t x = Accumulate ? v.u32(k) >> (16 * n) & 0xffff : v.half(k, n);
    return soft::unpack(kF16, x, v.m.target == Target::gfx90a);
  };
  uint32_t c = Accumulate ? v.old32() : v.u32(2);
  if (!Accumulate && (v.i.neg_lo >> 2 & 1)) c ^= 0x80000000u;
  Value sum = r.unpack(c);
  for (int n = 0; n < 2; ++n) sum = r.unpack(r.pack(apply<kFma>(v, r, half_of(0, n), half_of(1, n), sum)));
  v.out32(static_cast<uint32_t>(modified(v, r, r.pack(sum))));
}
/// A VOP2 row: no op_sel, low with low and high with high.
void packed_fmac(V v) {
  Rules r(v.m, kF16);
  uint32_t out = 0;
  for (int n = 0; n < 2; ++n) {
    auto half_of = [&](uint32_t x) { return r.unpack(x >> (16 * n) & 0xffff); };
    out |= static_cast<uint32_t>(modified(v, r, r.pack(apply<kFma>(v, r, half_of(v.u32(0)), half_of(v.u32(1)), half_of(v.old32()))))) << (16 * n);
  }
  v.out32(out);
}

constexpr Entry kPacked[] = {
    {"v_dot2_f32_f16", nullptr, dot2<false>}, {"v_dot2c_f32_f16", nullptr, dot2<true>}, {"v_pk_fmac_f16", nullptr, packed_fmac},
    {"v_pk_fma_f16", nullptr, packed16<kFma, 3>}, {"v_pk_add_f16", nullptr, packed16<kAdd, 2>}, {"v_pk_mul_f16", nullptr, packed16<kMul, 2>},
    {"v_pk_min_f16", nullptr, packed16<kMin, 2>}, {"v_pk_max_f16", nullptr, packed16<kMax, 2>},
    {"v_pk_fma_f32", nullptr, packed32<kFma, 3>}, {"v_pk_mul_f32", nullptr, packed32<kMul, 2>}, {"v_pk_add_f32", nullptr, packed32<kAdd, 2>},
    {"v_fma_mix_f32", nullptr, mix<kFma, false, MixTo::single>},
    {"v_fma_mixlo_f16", nullptr, mix<kFma, false, MixTo::low>},
    {"v_fma_mixhi_f16", nullptr, mix<kFma, false, MixTo::high>},
    {"v_mad_mix_f32", nullptr, mix<kMad, true, MixTo::single>},
    {"v_mad_mixlo_f16", nullptr, mix<kMad, true, MixTo::low>},
    {"v_mad_mixhi_f16", nullptr, mix<kMad, true, MixTo::high>},
    // Canonicalizes both halves: denormals by MODE, quiet NaNs (LLVM forms it only from canonical values).
    {"v_pack_b32_f16", nullptr,
     [](V v) {
       Rules r(v.m, kF16);
       uint64_t low = modified(v, r, r.pack(quiet(source(v, r, 0)))), high = modified(v, r, r.pack(quiet(source(v, r, 1))));
       v.out32(static_cast<uint32_t>(low | high << 16));
     }},
};

// ---------------------------------------------------------------- compares

/// Code: bit 0 less, 1 equal, 2 greater, 3 unordered, as the opcodes are numbered.
template <Format F, int Code, bool Exec> void compare_row(V v) {
  Rules r(v.m, F);
  bool x = Code & static_cast<int>(compare(source(v, r, 0), source(v, r, 1)));
  v.mask_out(x);
  if (Exec) v.exec_out(x);
}

/// Bits of the class mask (Vega ISA, V_CMP_CLASS_F32); denormals are never flushed.
template <Format F, bool Exec> void class_row(V v) {
  uint64_t bits = raw(v, F, 0);
  Value x = soft::unpack(F, bits);
  int kind;
  if (x.is_nan()) kind = x.signalling ? 0 : 1;
  else if (x.is_infinite()) kind = x.negative ? 2 : 9;
  else if (x.is_zero()) kind = x.negative ? 5 : 6;
  else if (F.exponent_field(bits) == 0) kind = x.negative ? 4 : 7;
  else kind = x.negative ? 3 : 8;
  bool hit = v.u32(1) >> kind & 1;
  v.mask_out(hit);
  if (Exec) v.exec_out(hit);
}

constexpr Entry kClasses[] = {
    {"v_cmp_class_f32", nullptr, class_row<kF32, false>}, {"v_cmpx_class_f32", nullptr, class_row<kF32, true>},
    {"v_cmp_class_f64", nullptr, class_row<kF64, false>}, {"v_cmpx_class_f64", nullptr, class_row<kF64, true>},
    {"v_cmp_class_f16", nullptr, class_row<kF16, false>}, {"v_cmpx_class_f16", nullptr, class_row<kF16, true>},
};

struct Compares {
  std::deque<std::string> names;
  std::deque<Entry> entries;
  template <Format F, int Code> void one(const char* relation, const char* type) {
    names.push_back(std::string("v_cmp_") + relation + "_" + type);
    entries.push_back({names.back().c_str(), nullptr, compare_row<F, Code, false>});
    names.push_back(std::string("v_cmpx_") + relation + "_" + type);
    entries.push_back({names.back().c_str(), nullptr, compare_row<F, Code, true>});
  }
  template <Format F> void all(const char* t) {
    one<F, 0>("f", t), one<F, 1>("lt", t), one<F, 2>("eq", t), one<F, 3>("le", t), one<F, 4>("gt", t), one<F, 5>("lg", t);
    one<F, 6>("ge", t), one<F, 7>("o", t), one<F, 8>("u", t), one<F, 9>("nge", t), one<F, 10>("nlg", t), one<F, 11>("ngt", t);
    one<F, 12>("nle", t), one<F, 13>("neq", t), one<F, 14>("nlt", t), one<F, 15>("tru", t);
  }
  Compares() { all<kF16>("f16"), all<kF32>("f32"), all<kF64>("f64"); }
};

} // namespace

void register_valu_float() {
  static auto* compares = new Compares;
  add(kArithmetic, std::size(kArithmetic));
  add(kPacked, std::size(kPacked));
  add(kClasses, std::size(kClasses));
  for (auto& e : compares->entries) ref::add(&e, 1);
}

} // namespace bz::isa::ref
