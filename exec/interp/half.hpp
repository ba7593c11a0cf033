// Half precision: conversion and arithmetic over single or double precision with one rounding. Owns F16's meaning; MODE's
// flushing comes along in the value.
#pragma once
#include "exec/interp/vec.hpp"

namespace bz::exec::BZ_LEVEL_NS {

BZ_AI VF half_to_float_raw(VU h) {
  VH x = __builtin_convertvector(h, VH);
#if BZ_LEVEL == 512
  return __builtin_bit_cast(VF, _mm512_cvtph_ps(__builtin_bit_cast(__m256i, x)));
#else
  return __builtin_bit_cast(VF, _mm256_cvtph_ps(__builtin_bit_cast(__m128i, x)));
#endif
}
template <int Rounding = _MM_FROUND_CUR_DIRECTION> BZ_AI VU float_to_half_raw(VF f) {
#if BZ_LEVEL == 512
  return __builtin_convertvector(__builtin_bit_cast(VH, _mm512_cvtps_ph(__builtin_bit_cast(__m512, f), Rounding)), VU);
#else
  return __builtin_convertvector(__builtin_bit_cast(VH, _mm256_cvtps_ph(__builtin_bit_cast(__m256, f), Rounding)), VU);
#endif
}
BZ_AI VU flush_half(VU h) { return blend((h & 0x7c00u) == 0u, h & 0x8000u, h); }

BZ_AI F32 to_f32(F16 h) {
  VU b = h.b;
  if (__builtin_expect(h.flush_in, 0)) b = flush_half(b);
  return half_to_float_raw(b);
}
BZ_AI F16 half_result(VU b, F16 like) {
  if (__builtin_expect(like.flush_out, 0)) b = flush_half(b);
  return {b, like.flush_in, like.flush_out, like.saturate};
}
/// MODE.FP16_OVFL: the largest number for an infinity that comes from finite numbers.
BZ_AI VU saturate_half(VU b, VI finite) { return blend(((b & 0x7fffu) == 0x7c00u) & finite, b - 1u, b); }
BZ_AI F16 half_of(VU b, F32 f, F16 like) {
  if (__builtin_expect(like.saturate, 0)) b = saturate_half(b, (bits_of(f).v & 0x7f800000u) != 0x7f800000u);
  return half_result(b, like);
}
BZ_AI F16 to_f16(F32 f, F16 like) { return half_of(float_to_half_raw(f.v), f, like); }

/// Double to half with one rounding, by way of a single that is rounded to odd.
BZ_AI VU double_to_half(VD d) {
  VF f = __builtin_convertvector(d, VF);
  VD back = __builtin_convertvector(f, VD);
  VI inexact = __builtin_convertvector(back != d, VI);
  VI away = __builtin_convertvector(__builtin_elementwise_abs(back) > __builtin_elementwise_abs(d), VI);
  VU u = __builtin_bit_cast(VU, f);
  VU odd = (u - blend(away, VU(1u), VU(0u))) | 1u;
  VI finite = (u & 0x7f800000u) != 0x7f800000u;
  VI overflow = inexact & ~finite & __builtin_convertvector(d == d, VI);
  u = blend(inexact & finite, odd, u);
  // A double beyond the singles is beyond the halves too; keep the largest single so that the rounding mode decides.
  u = blend(overflow, (u & 0x80000000u) | 0x7f7fffffu, u);
  VI infinite = __builtin_convertvector(__builtin_elementwise_abs(d) == VD(__builtin_inf()), VI);
  u = blend(infinite, (u & 0x80000000u) | 0x7f800000u, u);
  return float_to_half_raw(__builtin_bit_cast(VF, u));
}

BZ_AI F16 operator+(F16 a, F16 b) { return to_f16(to_f32(a) + to_f32(b), a); }
BZ_AI F16 operator-(F16 a, F16 b) { return to_f16(to_f32(a) - to_f32(b), a); }
BZ_AI F16 operator*(F16 a, F16 b) { return to_f16(to_f32(a) * to_f32(b), a); }
BZ_AI F16 operator-(F16 a) { return {a.b ^ 0x8000u, a.flush_in, a.flush_out, a.saturate}; }
BZ_AI Mask operator==(F16 a, F16 b) { return to_f32(a) == to_f32(b); }
BZ_AI Mask operator!=(F16 a, F16 b) { return to_f32(a) != to_f32(b); }
BZ_AI Mask operator<(F16 a, F16 b) { return to_f32(a) < to_f32(b); }
BZ_AI Mask operator<=(F16 a, F16 b) { return to_f32(a) <= to_f32(b); }
BZ_AI Mask operator>(F16 a, F16 b) { return to_f32(a) > to_f32(b); }
BZ_AI Mask operator>=(F16 a, F16 b) { return to_f32(a) >= to_f32(b); }

BZ_AI F16 half_fma(F16 a, F16 b, F16 c) {
  VD x = __builtin_convertvector(to_f32(a).v, VD), y = __builtin_convertvector(to_f32(b).v, VD), z = __builtin_convertvector(to_f32(c).v, VD);
  VD r = __builtin_elementwise_fma(x, y, z);
  VU h = double_to_half(r);
  if (__builtin_expect(a.saturate, 0)) h = saturate_half(h, __builtin_convertvector(__builtin_elementwise_abs(r) < VD(__builtin_inf()), VI));
  return half_result(h, a);
}

} // namespace bz::exec::BZ_LEVEL_NS
