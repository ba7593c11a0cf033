// Float primitives of the lane builder that need no operands: rounding functions, scaling, classes, division helpers and
// transcendental functions. The same result on every engine level, because only correctly rounded operations are used.
#pragma once
#include "exec/interp/half.hpp"

namespace bz::exec::BZ_LEVEL_NS {

// ---------------------------------------------------------------- facts about each type

template <class F> struct FloatTraits;
template <> struct FloatTraits<F32> {
  using Int = U32;
  static constexpr int kMant = 23, kBias = 127, kExpMask = 255;
  static constexpr int kScaleExp = 96, kScaleBy = 64, kTiny = 23;   ///< div_scale
};
template <> struct FloatTraits<F64> {
  using Int = U64;
  static constexpr int kMant = 52, kBias = 1023, kExpMask = 2047;
  static constexpr int kScaleExp = 768, kScaleBy = 128, kTiny = 53;
};

BZ_AI I32 exponent_field(F32 x) { return I32(__builtin_bit_cast(VI, (bits_of(x).v >> 23) & 255u)); }
BZ_AI I32 exponent_field(F64 x) { return I32(__builtin_bit_cast(VI, (bits_of(x).hi >> 20) & 2047u)); }
BZ_AI F32 with_exponent(F32 x, I32 e) { return float_of(U32((bits_of(x).v & 0x807fffffu) | (__builtin_bit_cast(VU, e.v) << 23))); }
BZ_AI F64 with_exponent(F64 x, I32 e) {
  U64 b = bits_of(x);
  return float_of(U64(b.lo, (b.hi & 0x800fffffu) | (__builtin_bit_cast(VU, e.v) << 20)));
}
BZ_AI F64 pow2_f64(I32 k) { return float_of(U64(VU(0u), __builtin_bit_cast(VU, k.v + 1023) << 20)); }

BZ_AI F32 fabs(F32 x) { return float_of(U32(bits_of(x).v & 0x7fffffffu)); }
BZ_AI F64 fabs(F64 x) { U64 b = bits_of(x); return float_of(U64(b.lo, b.hi & 0x7fffffffu)); }
BZ_AI F16 fabs(F16 x) { return {x.b & 0x7fffu, x.flush_in, x.flush_out, x.saturate}; }

template <class T> BZ_AI Lanes<T> vselect(Mask m, Lanes<T> a, Lanes<T> b) { return Lanes<T>(blend(m.v, a.v, b.v)); }
BZ_AI F16 vselect(Mask m, F16 a, F16 b) { return {blend(m.v, a.b, b.b), a.flush_in, a.flush_out, a.saturate}; }
template <bool S> BZ_AI Wide<S> vselect(Mask m, Wide<S> a, Wide<S> b) { return {blend(m.v, a.lo, b.lo), blend(m.v, a.hi, b.hi)}; }
BZ_AI Mask vselect(Mask m, Mask a, Mask b) { return {blend(m.v, a.v, b.v)}; }

// NaN tests look at bits where an x86 compare would do too, but without raising MXCSR flags or depending on DAZ.
BZ_AI Mask is_nan(F32 x) { return x != x; }
BZ_AI Mask is_nan(F64 x) { return x != x; }
BZ_AI Mask is_nan(F16 x) { return {(x.b & 0x7fffu) > 0x7c00u}; }
BZ_AI Mask is_snan(F32 x) { return is_nan(x) & Mask{(bits_of(x).v & 0x400000u) == 0u}; }
BZ_AI Mask is_snan(F64 x) { return is_nan(x) & Mask{(bits_of(x).hi & 0x80000u) == 0u}; }
BZ_AI Mask is_snan(F16 x) { return is_nan(x) & Mask{(x.b & 0x200u) == 0u}; }
BZ_AI F32 quieted(F32 x) { return vselect(is_nan(x), float_of(U32(bits_of(x).v | 0x400000u)), x); }
BZ_AI F64 quieted(F64 x) { U64 b = bits_of(x); return vselect(is_nan(x), float_of(U64(b.lo, b.hi | 0x80000u)), x); }
BZ_AI F16 quieted(F16 x) { return {blend(is_nan(x).v, x.b | 0x200u, x.b), x.flush_in, x.flush_out, x.saturate}; }

/// A value of which the compiler knows nothing: its idea of an operation's result (never -0, ...) assumes rounding to nearest.
BZ_AI F32 opaque(F32 x) { asm("" : "+v"(x.v)); return x; }
BZ_AI F64 opaque(F64 x) {
#if BZ_LEVEL == 512
  struct Parts { double a __attribute__((ext_vector_type(8))), b __attribute__((ext_vector_type(8))); };
#else
  struct Parts { double a __attribute__((ext_vector_type(4))), b __attribute__((ext_vector_type(4))); };
#endif
  auto p = __builtin_bit_cast(Parts, x.v);
  asm("" : "+v"(p.a), "+v"(p.b));
  return F64(__builtin_bit_cast(VD, p));
}

/// Quiets and flushes by MXCSR. The barrier keeps the compiler from dropping the multiplication.
BZ_AI F32 canonical(F32 x) { VF one = 1.0f; asm("" : "+v"(one)); return x.v * one; }
BZ_AI F64 canonical(F64 x) {
  double one = 1.0; asm("" : "+v"(one));
  return x.v * VD(one);
}
BZ_AI F16 canonical(F16 x) {
  VU b = quieted(x).b;
  if (__builtin_expect(x.flush_in || x.flush_out, 0)) b = flush_half(b);
  return {b, x.flush_in, x.flush_out, x.saturate};
}

// ---------------------------------------------------------------- min, max

template <bool Max, class F> BZ_AI F pick_ordered(F x, F y);   // no NaN; -0 below +0
template <bool Max> BZ_AI F32 pick32(F32 x, F32 y) {
  F32 r = vselect(Max ? x > y : x < y, x, y);
  U32 a = bits_of(x), b = bits_of(y);
  return vselect(x == y, float_of(Max ? a & b : a | b), r);
}
template <bool Max> BZ_AI F64 pick64(F64 x, F64 y) {
  F64 r = vselect(Max ? x > y : x < y, x, y);
  U64 a = bits_of(x), b = bits_of(y);
  return vselect(x == y, float_of(Max ? a & b : a | b), r);
}
template <bool Max> BZ_AI F16 pick16(F16 x, F16 y) {
  // Sign-magnitude to two's complement order.
  VI a = __builtin_bit_cast(VI, x.b << 16), b = __builtin_bit_cast(VI, y.b << 16);
  a = a < 0 ? __builtin_bit_cast(VI, 0x80000000u - __builtin_bit_cast(VU, a)) - 1 : a;
  b = b < 0 ? __builtin_bit_cast(VI, 0x80000000u - __builtin_bit_cast(VU, b)) - 1 : b;
  return vselect(Mask{Max ? a > b : a < b}, x, y);
}
template <bool Max> BZ_AI F32 pick_of(F32 x, F32 y) { return pick32<Max>(x, y); }
template <bool Max> BZ_AI F64 pick_of(F64 x, F64 y) { return pick64<Max>(x, y); }
template <bool Max> BZ_AI F16 pick_of(F16 x, F16 y) { return pick16<Max>(x, y); }

template <bool Max, class F> BZ_AI F min_max(F x, F y, bool ieee) {
  F r = pick_of<Max>(x, y);
  Mask nx = is_nan(x), ny = is_nan(y);
  if (__builtin_expect((nx | ny).any(), 0)) {
    r = vselect(ny, x, r);
    r = vselect(nx, y, r);
    if (ieee) {
      r = vselect(is_snan(y), quieted(y), r);
      r = vselect(is_snan(x), quieted(x), r);
    }
    r = vselect(is_nan(r), quieted(r), r);
  }
  return r;
}

// ---------------------------------------------------------------- rounding to integers, scaling

BZ_AI F32 vfloor(F32 x) { return __builtin_elementwise_floor(x.v); }
BZ_AI F64 vfloor(F64 x) { return __builtin_elementwise_floor(x.v); }
BZ_AI F32 vceil(F32 x) { return __builtin_elementwise_ceil(x.v); }
BZ_AI F64 vceil(F64 x) { return __builtin_elementwise_ceil(x.v); }
BZ_AI F32 vtrunc(F32 x) { return __builtin_elementwise_trunc(x.v); }
BZ_AI F64 vtrunc(F64 x) { return __builtin_elementwise_trunc(x.v); }
BZ_AI F32 vrndne(F32 x) { return __builtin_elementwise_roundeven(x.v); }
BZ_AI F64 vrndne(F64 x) { return __builtin_elementwise_roundeven(x.v); }

BZ_AI F32 vfract(F32 x) {
  F32 r = x - vfloor(x);
  F32 below = float_of(U32(0x3f7fffffu));
  return vselect(r > below, below, r);
}
BZ_AI F64 vfract(F64 x) {
  F64 r = x - vfloor(x);
  F64 below = float_of(U64(VU(0xffffffffu), VU(0x3fefffffu)));
  return vselect(r > below, below, r);
}

BZ_AI I32 clamp_int(I32 x, int lo, int hi) {
  VI l = x.v < lo ? VI(lo) : x.v;
  return I32(l > hi ? VI(hi) : l);
}

/// Single precision scales exactly in double, so that the one rounding is the conversion.
BZ_AI F32 vldexp(F32 x, I32 n) {
  VD d = __builtin_convertvector(x.v, VD) * pow2_f64(clamp_int(n, -400, 400)).v;
  return __builtin_convertvector(d, VF);
}
BZ_AI F64 vldexp(F64 x, I32 n) {
  I32 e = exponent_field(x);
  Mask tiny = e == 0;
  F64 y = vselect(tiny, x * F64(0x1p54), x);
  I32 ey = exponent_field(y);
  Mask keep = (ey == 0) | (ey == 2047);
  I32 t = clamp_int(n, -6000, 6000) + ey - 1023 - I32(tiny.v & 54);
  F64 m = with_exponent(y, I32(1023));
  Mask low = t < -1022;
  I32 a = vselect(low, I32(-900), clamp_int(t, -1022, 1023));
  I32 b = vselect(low, clamp_int(t + 900, -300, 0), clamp_int(t - 1023, 0, 1023));
  F64 r = m * pow2_f64(a) * pow2_f64(b);
  return vselect(keep, canonical(x), r);
}
BZ_AI F16 vldexp(F16 x, I32 n) { return to_f16(F32(__builtin_convertvector(__builtin_convertvector(to_f32(x).v, VD) * pow2_f64(clamp_int(n, -80, 80)).v, VF)), x); }

BZ_AI F32 vfrexp_mant(F32 x) {
  I32 e = exponent_field(x);
  F32 y = vselect(e == 0, x * F32(0x1p24f), x);
  Mask keep = (e == 255) | (y == F32(0.0f));
  return vselect(keep, canonical(x), with_exponent(y, I32(126)));
}
BZ_AI I32 vfrexp_exp(F32 x) {
  I32 e = exponent_field(x);
  F32 y = vselect(e == 0, x * F32(0x1p24f), x);
  I32 r = exponent_field(y) - 126 - I32((e == 0).v & 24);
  return vselect((e == 255) | (y == F32(0.0f)), I32(0), r);
}
BZ_AI F64 vfrexp_mant(F64 x) {
  I32 e = exponent_field(x);
  F64 y = vselect(e == 0, x * F64(0x1p54), x);
  Mask keep = (e == 2047) | (y == F64(0.0));
  return vselect(keep, canonical(x), with_exponent(y, I32(1022)));
}
BZ_AI I32 vfrexp_exp(F64 x) {
  I32 e = exponent_field(x);
  F64 y = vselect(e == 0, x * F64(0x1p54), x);
  I32 r = exponent_field(y) - 1022 - I32((e == 0).v & 54);
  return vselect((e == 2047) | (y == F64(0.0)), I32(0), r);
}
BZ_AI F16 vfrexp_mant(F16 x) {
  F32 f = to_f32(x);
  return vselect(Mask{(x.b & 0x7c00u) == 0x7c00u}, quieted(x), half_result(float_to_half_raw(vfrexp_mant(f).v), x));
}
BZ_AI I32 vfrexp_exp(F16 x) { return vselect(Mask{(x.b & 0x7c00u) == 0x7c00u}, I32(0), vfrexp_exp(to_f32(x))); }

// ---------------------------------------------------------------- classes

/// Bits: 0 sNaN, 1 qNaN, 2 -inf, 3 -normal, 4 -denormal, 5 -0, 6 +0, 7 +denormal, 8 +normal, 9 +inf.
BZ_AI Mask class_test(VI negative, VI max_exp, VI zero_exp, VI zero_mant, VI quiet_bit, VU want) {
  VI nan = max_exp & ~zero_mant;
  VU up = blend(max_exp, VU(9u), blend(zero_exp, blend(zero_mant, VU(6u), VU(7u)), VU(8u)));
  VU down = 11u - up;
  VU n = blend(nan, blend(quiet_bit, VU(1u), VU(0u)), blend(negative, down, up));
  return {((want >> n) & 1u) != 0u};
}
BZ_AI Mask vclass(F32 x, U32 want) {
  VU b = bits_of(x).v;
  return class_test((b >> 31) != 0u, (b & 0x7f800000u) == 0x7f800000u, (b & 0x7f800000u) == 0u, (b & 0x7fffffu) == 0u, (b & 0x400000u) != 0u, want.v);
}
BZ_AI Mask vclass(F64 x, U32 want) {
  U64 b = bits_of(x);
  return class_test((b.hi >> 31) != 0u, (b.hi & 0x7ff00000u) == 0x7ff00000u, (b.hi & 0x7ff00000u) == 0u, ((b.hi & 0xfffffu) | b.lo) == 0u,
                    (b.hi & 0x80000u) != 0u, want.v);
}
BZ_AI Mask vclass(F16 x, U32 want) {
  VU b = x.b;
  return class_test((b & 0x8000u) != 0u, (b & 0x7c00u) == 0x7c00u, (b & 0x7c00u) == 0u, (b & 0x3ffu) == 0u, (b & 0x200u) != 0u, want.v);
}

// ---------------------------------------------------------------- division helpers

BZ_AI F32 vsqrt(F32 x) { return __builtin_elementwise_sqrt(x.v); }
BZ_AI F64 vsqrt(F64 x) { return __builtin_elementwise_sqrt(x.v); }
BZ_AI F32 vdiv(F32 x, F32 y) { return x.v / y.v; }
BZ_AI F64 vdiv(F64 x, F64 y) { return x.v / y.v; }
BZ_AI F32 vfma(F32 x, F32 y, F32 z) { return __builtin_elementwise_fma(x.v, y.v, z.v); }
BZ_AI F64 vfma(F64 x, F64 y, F64 z) { return __builtin_elementwise_fma(x.v, y.v, z.v); }

/// 1 / sqrt(x) with one correction: the two roundings alone could be off by almost two units.
BZ_AI F32 vrsq(F32 x) {
  F32 r = vdiv(F32(1.0f), vsqrt(x)), h = x * r;
  F32 error = vfma(-vfma(x, r, -h), r, vfma(-h, r, F32(1.0f)));
  F32 better = vfma(r * F32(0.5f), error, r);
  return vselect(better == better, better, r);   // 0 and infinity have no error to speak of
}

/// |n / d| is below the normals and n is not 0, decided without rounding.
BZ_AI Mask quotient_tiny(F32 n, F32 d) {
  VD q = __builtin_convertvector(fabs(n).v, VD) / __builtin_convertvector(fabs(d).v, VD);
  return {__builtin_convertvector((q < 0x1p-126) & (q > 0.0), VI)};
}
BZ_AI Mask quotient_tiny(F64 n, F64 d) { return (fabs(n) * F64(0x1p1022) < fabs(d)) & (n != F64(0.0)) & (fabs(d) < F64(__builtin_inf())); }

template <class F> struct Scaled { F value; Mask mask; };
template <class F> BZ_AI Scaled<F> vdiv_scale(F s0, F s1, F s2) {
  using T = FloatTraits<F>;
  F one(1.0f), zero(0.0f);
  I32 e1 = exponent_field(s1), e2 = exponent_field(s2);
  Mask is_num = s0 == s2, is_den = s0 == s1;
  Mask none{VI(0)};
  F up = vldexp(s0, I32(T::kScaleBy)), down = vldexp(s0, I32(-T::kScaleBy));
  s0 = canonical(s0);
  // In the order of the manual, the last assignment here being the first test there.
  F r = s0;
  Mask vcc = none;
  Mask c = e2 <= T::kTiny;
  r = vselect(c, up, r);
  c = quotient_tiny(s2, s1);
  r = vselect(c, vselect(is_num, up, s0), r);
  vcc = vselect(c, ~none, vcc);
  Mask recip = quotient_tiny(one, s1);
  r = vselect(recip, down, r);
  vcc = vselect(recip, none, vcc);
  // The manual scales the denominator up here, which would overflow: scaled down, v_div_fmas' factor fits.
  c = recip & quotient_tiny(s2, s1);
  r = vselect(c, vselect(is_den, down, s0), r);
  vcc = vselect(c, ~none, vcc);
  c = (e1 == 0) & (s1 != zero);
  r = vselect(c, up, r);
  vcc = vselect(c, none, vcc);
  c = e2 - e1 >= T::kScaleExp;
  r = vselect(c, vselect(is_den, up, s0), r);
  vcc = vselect(c, ~none, vcc);
  c = (s1 == zero) | (s2 == zero);
  F nan;
  if constexpr (T::kMant == 23) nan = float_of(U32(0xffc00000u));
  else nan = float_of(U64(VU(0u), VU(0xfff80000u)));
  r = vselect(c, nan, r);
  vcc = vselect(c, none, vcc);
  return {r, vcc};
}

/// The neighbour of r on the side that `error` points to, in `lanes` where error is not 0.
BZ_AI VD step_towards(VD r, VD error, VSL lanes) {
  VL bits = __builtin_bit_cast(VL, r);
  VSL away = ((__builtin_bit_cast(VL, error) ^ bits) >> 63) == 0u;
  return __builtin_bit_cast(VD, bits + __builtin_bit_cast(VL, lanes & ((error < 0.0) | (error > 0.0)) & ((away & 1) | (~away & -1))));
}
/// r rounded to odd: r is a sum rounded to nearest, `error` has the sign of the exact sum minus r. A later rounding to fewer
/// digits, by two at least, then sees whether anything was cut off.
BZ_AI VD to_odd(VD r, VD error) { return step_towards(r, error, (__builtin_bit_cast(VL, r) & 1u) == 0u); }
/// (a * b + c) * 2^n, rounded once. `plain` is a * b + c rounded to nearest.
BZ_AI F32 scaled_fma(F32 a, F32 b, F32 c, F32, I32 n) {
  VD p = __builtin_convertvector(a.v, VD) * __builtin_convertvector(b.v, VD), q = __builtin_convertvector(c.v, VD);
  VD s = p + q, back = s - p;
  return __builtin_convertvector(to_odd(s, (p - (s - back)) + (q - back)) * pow2_f64(n).v, VF);
}

/// A double without its sign: mantissa * 2^exponent.
struct Unpacked { uint64_t mantissa; int exponent; bool negative; };
BZ_AI Unpacked unpacked(uint64_t x, bool daz) {
  int field = static_cast<int>(x >> 52) & 2047;
  uint64_t fraction = x & 0xfffffffffffff;
  if (field == 0) return {daz ? 0 : fraction, -1074, x >> 63 != 0};
  return {fraction | uint64_t{1} << 52, field - 1075, x >> 63 != 0};
}
/// (a * b + c) * 2^n of one lane, for results below the normals or just above: counted in units of the smallest denormal.
__attribute__((noinline)) inline uint64_t scaled_fma_tiny(uint64_t a, uint64_t b, uint64_t c, uint64_t plain, int n, uint32_t csr) {
  using Wide128 = unsigned __int128;
  bool daz = csr >> 6 & 1, ftz = csr >> 15 & 1;
  if (ftz && (static_cast<int>(plain >> 52) & 2047) + n < 1) return plain & uint64_t{1} << 63;
  Unpacked x = unpacked(a, daz), y = unpacked(b, daz), z = unpacked(c, daz);
  struct Term { Wide128 m; int e; bool negative; } p{static_cast<Wide128>(x.mantissa) * y.mantissa, x.exponent + y.exponent, x.negative != y.negative},
      q{z.mantissa, z.exponent, z.negative};
  auto shift_up = [](Term& t) { while (t.m && !(t.m >> 124)) t.m <<= 1, --t.e; };
  shift_up(p), shift_up(q);   // both have 18 or more zeros at the end then
  if (!p.m || (q.m && q.e > p.e)) { Term t = p; p = q; q = t; }
  bool sticky = false;
  if (q.m) {
    int apart = p.e - q.e;
    sticky = apart > 127 || (q.m & ((Wide128{1} << apart) - 1)) != 0;
    q.m = apart > 127 ? Wide128{0} : q.m >> apart;
    if (p.negative == q.negative) p.m += q.m;
    else if (p.m >= q.m + sticky) p.m -= q.m + sticky;
    else p.m = q.m - p.m, p.negative = q.negative;
  }
  if (!p.m && !sticky) return plain;
  int drop = -1074 - (p.e + n);
  if (drop <= 0) {   // much has cancelled: nothing to round
    p.m <<= -drop;
    drop = 0;
  }
  uint64_t units = drop > 127 ? 0 : static_cast<uint64_t>(p.m >> drop);
  bool half = drop > 0 && drop <= 127 && (p.m >> (drop - 1) & 1);
  bool rest = sticky || (drop > 127 ? p.m != 0 : drop > 0 && (p.m & ((Wide128{1} << (drop - 1)) - 1)) != 0);
  uint32_t round = csr >> 13 & 3;   // nearest, down, up, toward zero
  units += round == 0 ? half && (rest || (units & 1)) : (half || rest) && round == (p.negative ? 1u : 2u);
  return units | (p.negative ? uint64_t{1} << 63 : 0);
}
BZ_AI F64 scaled_fma(F64 a, F64 b, F64 c, F64 plain, I32 n) {
  F64 inf(__builtin_inf()), r = vldexp(plain, n);
  // A product beyond the largest number comes back by the scaling; c, below 2 then, is far below its last place.
  r = vselect((n < 0) & (fabs(plain) >= F64(0x1p1023)) & (fabs(a) < inf) & (fabs(b) < inf), vfma(a * F64(0x1p-128), b, c), r);
  // Below the normals the scaling rounds again, so the sum is taken once more, exactly.
  Bits tiny = (exponent_field(r) <= 1).bits();
  if (__builtin_expect(tiny != 0, 0)) {
    // Whole vectors are cast: of a single element with a running index clang 22 casts element 0.
    VL x = __builtin_bit_cast(VL, a.v), y = __builtin_bit_cast(VL, b.v), z = __builtin_bit_cast(VL, c.v), whole = __builtin_bit_cast(VL, plain.v),
       bits = __builtin_bit_cast(VL, r.v);
#pragma clang loop unroll(disable)
    for (int i = 0; i < kLanes; ++i)
      if (tiny >> i & 1)
        bits[i] = scaled_fma_tiny(x[i], y[i], z[i], whole[i], n.v[i], _mm_getcsr());
    r = F64(__builtin_bit_cast(VD, bits));
  }
  return r;
}

/// The result is rounded once, after the scaling: a quotient below the normals keeps half an ULP.
template <class F> BZ_AI F vdiv_fmas(F s0, F s1, F s2, Mask vcc) {
  using T = FloatTraits<F>;
  F r = vfma(s0, s1, s2);
  if (__builtin_expect(vcc.any(), 0)) {
    Mask big = exponent_field(s2) > T::kBias;
    F scaled = scaled_fma(s0, s1, s2, r, vselect(big, I32(T::kScaleBy), I32(-T::kScaleBy)));
    r = vselect(vcc & ~is_nan(r), scaled, r);
  }
  return r;
}

BZ_AI F32 sign_to(F32 mag, VI negative) { return float_of(U32((bits_of(mag).v & 0x7fffffffu) | blend(negative, VU(0x80000000u), VU(0u)))); }
BZ_AI F64 sign_to(F64 mag, VI negative) {
  U64 b = bits_of(mag);
  return float_of(U64(b.lo, (b.hi & 0x7fffffffu) | blend(negative, VU(0x80000000u), VU(0u))));
}
BZ_AI VI sign_of(F32 x) { return bits_of(x).v >> 31 != 0u; }
BZ_AI VI sign_of(F64 x) { return bits_of(x).hi >> 31 != 0u; }

template <class F> BZ_AI F vdiv_fixup(F q, F den, F num) {
  using T = FloatTraits<F>;
  VI neg = sign_of(den) ^ sign_of(num);
  F zero(0.0f), inf(__builtin_inff());
  F r = sign_to(q, neg);
  I32 e1 = exponent_field(den), e2 = exponent_field(num);
  F ad = fabs(den), an = fabs(num);
  Mask special = (e1 == T::kExpMask) | (e2 == T::kExpMask) | (den == zero) | (num == zero);
  Mask under = e2 - e1 < -(T::kMant == 23 ? 150 : 1075);
  // A quotient that is surely too large: the steps before may have met inf - inf on their way to it.
  Mask over = e2 - e1 > T::kBias + 1;
  if (__builtin_expect((special | under | over).any(), 0)) {
    F smallest, largest;
    if constexpr (T::kMant == 23) smallest = F(0x1p-100f), largest = F(0x1p100f);
    else smallest = F(0x1p-1000), largest = F(0x1p1000);
    // By the rounding mode, which looks at the sign.
    r = vselect(under, sign_to(smallest, neg) * smallest, r);
    r = vselect(over, sign_to(largest, neg) * largest, r);
    r = vselect((ad == inf) | (num == zero), sign_to(zero, neg), r);
    r = vselect((den == zero) | (an == inf), sign_to(inf, neg), r);
    F nan;
    if constexpr (T::kMant == 23) nan = float_of(U32(0xffc00000u));
    else nan = float_of(U64(VU(0u), VU(0xfff80000u)));
    r = vselect((den == zero) & (num == zero), nan, r);
    r = vselect((ad == inf) & (an == inf), nan, r);
    r = vselect(is_nan(den), quieted(den), r);
    r = vselect(is_nan(num), quieted(num), r);
  }
  return r;
}

// ---------------------------------------------------------------- transcendental functions

/// 2^x: exact for integers, within 1 ulp; denormal results by MXCSR.
BZ_AI F32 vexp2(F32 x) {
  VF c = x.v < -160.0f ? VF(-160.0f) : x.v;   // a NaN stays
  c = c > 130.0f ? VF(130.0f) : c;
  VF n = __builtin_elementwise_roundeven(c);
  VF f = c - n;
  VF p = 1.5252733804059841e-5f;              // ln2^k / k!, k = 7 .. 0
  p = __builtin_elementwise_fma(p, f, VF(1.5403530393381609e-4f));
  p = __builtin_elementwise_fma(p, f, VF(1.3333558146428443e-3f));
  p = __builtin_elementwise_fma(p, f, VF(9.6181291076284772e-3f));
  p = __builtin_elementwise_fma(p, f, VF(5.5504108664821580e-2f));
  p = __builtin_elementwise_fma(p, f, VF(2.4022650695910071e-1f));
  p = __builtin_elementwise_fma(p, f, VF(6.9314718055994531e-1f));
  p = __builtin_elementwise_fma(p, f, VF(1.0f));
  VI nan = x.v != x.v;
  VI e = __builtin_convertvector(blend(nan, VF(0.0f), n), VI);
  VI low = e < -100;
  VI e1 = low ? VI(-60) : e - (e > 120 ? VI(20) : VI(0));
  VI e2 = e - e1;
  VF r = p * __builtin_bit_cast(VF, (e1 + 127) << 23) * __builtin_bit_cast(VF, (e2 + 127) << 23);
  return F32(blend(nan, quieted(x).v, r));
}

/// In double, rounded once more at the end.
BZ_AI F32 vlog2(F32 x) {
  VD d = __builtin_convertvector(x.v, VD);
  F64 v(d);
  I32 e = exponent_field(v) - 1023;
  F64 m = with_exponent(v, I32(1023));
  Mask upper = m > F64(1.4142135623730951);
  m = vselect(upper, m * F64(0.5), m);
  e = e + I32(upper.v & 1);
  VD t = m.v - 1.0, s = t / (m.v + 1.0), z = s * s;
  VD p = 1.0 / 15;
  p = __builtin_elementwise_fma(p, z, VD(1.0 / 13));
  p = __builtin_elementwise_fma(p, z, VD(1.0 / 11));
  p = __builtin_elementwise_fma(p, z, VD(1.0 / 9));
  p = __builtin_elementwise_fma(p, z, VD(1.0 / 7));
  p = __builtin_elementwise_fma(p, z, VD(1.0 / 5));
  p = __builtin_elementwise_fma(p, z, VD(1.0 / 3));
  p = __builtin_elementwise_fma(p, z, VD(1.0));
  VD l = __builtin_elementwise_fma(s * p, VD(2.8853900817779268), __builtin_convertvector(e.v, VD));
  F32 r(__builtin_convertvector(l, VF));
  F32 zero(0.0f), inf(__builtin_inff());
  r = vselect(r == zero, zero, r);   // of 1: rounding down makes -0 of the difference
  r = vselect(x == inf, inf, r);
  r = vselect(x == zero, -inf, r);
  r = vselect(x < zero, float_of(U32(0xffc00000u)), r);
  return vselect(is_nan(x), quieted(x), r);
}

/// sin(2 pi x) for |x| <= 256; beyond that 0 (cosine: 1), infinities give NaN.
template <bool Cos> BZ_AI F32 vsin_cos(F32 x) {
  VD d = __builtin_convertvector(x.v, VD);
  if constexpr (Cos) d = d + 0.25;
  VD r = d - __builtin_elementwise_roundeven(d);            // [-0.5, 0.5]
  VD q = r > 0.25 ? 0.5 - r : r;
  q = q < -0.25 ? -0.5 - q : q;                             // [-0.25, 0.25]
  VD a = q * 6.283185307179586476925, z = a * a;
  VD p = -7.6471637318198164759e-13;                        // Taylor to a^15: below 1e-13 on [-pi/2, pi/2]
  p = __builtin_elementwise_fma(p, z, VD(1.6059043836821614599e-10));
  p = __builtin_elementwise_fma(p, z, VD(-2.5052108385441718775e-8));
  p = __builtin_elementwise_fma(p, z, VD(2.7557319223985890653e-6));
  p = __builtin_elementwise_fma(p, z, VD(-1.9841269841269841270e-4));
  p = __builtin_elementwise_fma(p, z, VD(8.3333333333333333333e-3));
  p = __builtin_elementwise_fma(p, z, VD(-1.6666666666666666667e-1));
  p = __builtin_elementwise_fma(p * z, a, a);
  F32 s(__builtin_convertvector(p, VF));
  F32 ax = fabs(x);
  s = vselect(s == F32(0.0f), F32(0.0f), s);                // rounding down makes -0 of differences
  s = vselect(ax > F32(256.0f), Cos ? F32(1.0f) : F32(0.0f), s);
  s = vselect(ax == F32(__builtin_inff()), float_of(U32(0xffc00000u)), s);
  if constexpr (!Cos) s = vselect(x == F32(0.0f), float_of(U32(bits_of(x).v & 0x80000000u)), s);    // keeps -0
  return vselect(is_nan(x), quieted(x), s);
}

// ---------------------------------------------------------------- conversions to integers

BZ_AI U32 to_u32(F32 x) {
  VF c = x.v > 0.0f ? x.v : VF(0.0f);
  VI big = c >= 4294967296.0f;
  VU r = __builtin_convertvector(blend(big, VF(0.0f), c), VU);
  return blend(big, VU(~0u), r);
}
BZ_AI I32 to_i32(F32 x) {
  VI ok = (x.v >= -2147483648.0f) & (x.v < 2147483648.0f);
  VI r = __builtin_convertvector(blend(ok, x.v, VF(0.0f)), VI);
  r = blend(x.v >= 2147483648.0f, VI(0x7fffffff), r);
  return blend(x.v < -2147483648.0f, VI(-0x7fffffff - 1), r);
}
BZ_AI U32 to_u32(F64 x) {
  VD c = x.v > 0.0 ? x.v : VD(0.0);
  c = c < 4294967295.0 ? c : VD(4294967295.0);
  return __builtin_convertvector(__builtin_convertvector(c, VSL), VU);
}
BZ_AI I32 to_i32(F64 x) {
  VD c = x.v == x.v ? x.v : VD(0.0);
  c = c > -2147483648.0 ? c : VD(-2147483648.0);
  c = c < 2147483647.0 ? c : VD(2147483647.0);
  return __builtin_convertvector(c, VI);
}

} // namespace bz::exec::BZ_LEVEL_NS
