// Eight-bit floats (FNUZ on gfx942, OCP on gfx950) and the 2/pi segments of v_trig_preop_f64: lane by lane, since no
// host instruction helps.
#pragma once
#include "exec/interp/math.hpp"
#include "isa/builder.hpp"

namespace bz::exec::BZ_LEVEL_NS {

/// e4m3 (fp8) or e5m2 (bf8). FNUZ: bias one larger, 0x80 is the only NaN, no infinities, no -0.
struct Num8Format { int mant, bias; bool fnuz, bf8; };
BZ_AI Num8Format num8_format(isa::Num n, bool ocp) {
  bool bf8 = n == isa::Num::bf8;
  return {bf8 ? 2 : 3, (bf8 ? 15 : 7) + (ocp ? 0 : 1), !ocp, bf8};
}

BZ_AI float num8_decode(Num8Format f, uint32_t x) {
  uint32_t mag = x & 0x7f, exp = mag >> f.mant, man = mag & ((1u << f.mant) - 1);
  bool neg = x & 0x80;
  if (f.fnuz) {
    if (x == 0x80) return __builtin_nanf("");
  } else if (f.bf8) {
    if (exp == 31) return man ? __builtin_nanf("") : neg ? -__builtin_inff() : __builtin_inff();
  } else if (mag == 0x7f) {
    return __builtin_nanf("");
  }
  auto scale = [](int k) { return __builtin_bit_cast(float, static_cast<uint32_t>(k + 127) << 23); };
  float r = exp ? static_cast<float>((1u << f.mant) + man) * scale(static_cast<int>(exp) - f.bias - f.mant)
                : static_cast<float>(man) * scale(1 - f.bias - f.mant);
  return neg ? -r : r;
}

/// Round to nearest even, or add the random bits below the last place (`random`: 32 bits, the top ones count) and cut. What
/// is too large becomes the largest number if `saturate`, else infinity, or NaN where there is none. An infinity stays one.
BZ_AI uint32_t num8_encode(Num8Format f, float x, bool saturate, bool stochastic, uint32_t random) {
  uint32_t b = __builtin_bit_cast(uint32_t, x), sign = b >> 31 << 7, mag = b & 0x7fffffff;
  uint32_t max_finite = f.fnuz ? 0x7f : f.bf8 ? 0x7b : 0x7e;
  if (mag > 0x7f800000) return f.fnuz ? 0x80 : sign | 0x7f;
  if (mag == 0x7f800000) return f.fnuz ? 0x80 : f.bf8 ? sign | 0x7c : sign | 0x7f;
  int exp = static_cast<int>(mag >> 23) - 127;
  uint64_t man = mag & 0x7fffff;
  if (mag >> 23) man |= 0x800000;
  else exp = -126;
  int e = exp + f.bias;               // biased exponent in the small format
  int drop = 23 - f.mant;
  if (e < 1) drop += 1 - e, e = 0;
  uint32_t r;
  if (drop > 62) {   // far below what the seed can lift
    r = 0;
  } else {
    uint64_t unit = uint64_t{1} << drop;
    if (stochastic) man += drop <= 32 ? random >> (32 - (drop > 32 ? 32 : drop)) : static_cast<uint64_t>(random) << (drop - 32);
    else man += (unit >> 1) - 1 + (man >> drop & 1);
    r = static_cast<uint32_t>(man >> drop);
    if (e >= 1) r += (static_cast<uint32_t>(e) - 1) << f.mant;   // the hidden bit adds the last one
  }
  if (r > max_finite) {
    if (saturate) r = max_finite;
    else if (f.fnuz) return 0x80;
    else r = f.bf8 ? 0x7c : 0x7f;
  }
  if (f.fnuz && r == 0) return 0;
  return sign | r;
}

BZ_AI F32 num8_to_float(isa::Num n, bool ocp, U32 x) {
  auto f = num8_format(n, ocp);
  VF r;
#pragma clang loop unroll(disable)
  for (int i = 0; i < kLanes; ++i) r[i] = num8_decode(f, x.v[i] & 0xff);
  return F32(r);
}
BZ_AI U32 float_to_num8(isa::Num n, bool ocp, bool saturate, F32 x, const U32* random) {
  auto f = num8_format(n, ocp);
  VU r;
#pragma clang loop unroll(disable)
  for (int i = 0; i < kLanes; ++i) r[i] = num8_encode(f, x.v[i], saturate, random != nullptr, random ? random->v[i] : 0);
  return U32(r);
}

/// 2/pi in binary, 24 bits a word, first bit worth 1/2.
inline constexpr uint32_t kTwoOverPi[] = {
    0xA2F983, 0x6E4E44, 0x1529FC, 0x2757D1, 0xF534DD, 0xC0DB62, 0x95993C, 0x439041, 0xFE5163, 0xABDEBB, 0xC561B7, 0x246E3A,
    0x424DD2, 0xE00649, 0x2EEA09, 0xD1921C, 0xFE1DEB, 0x1CB129, 0xA73EE8, 0x8235F5, 0x2EBB44, 0x84E99C, 0x7026B4, 0x5F7E41,
    0x3991D6, 0x398353, 0x39F49C, 0x845F8B, 0xBDF928, 0x3B1FF8, 0x97FFDE, 0x05980F, 0xEF2F11, 0x8B5A0A, 0x6D1F6D, 0x367ECF,
    0x27CB09, 0xB74F46, 0x3F669E, 0x5FEA2D, 0x7527BA, 0xC7EBE5, 0xF17B3D, 0x0739F7, 0x8A5292, 0xEA6BFB, 0x5FB11F, 0x8D5D08,
    0x560330, 0x46FC7B, 0x6BABF0, 0xCFBC20, 0x9AF436, 0x1DA9E3, 0x91615E, 0xE61B08, 0x659985, 0x5F14A0, 0x68408D};

BZ_AI F64 vtrig_preop(F64 x, U32 segment) {
  U64 b = bits_of(x);
  VU lo, hi;
#pragma clang loop unroll(disable)
  for (int i = 0; i < kLanes; ++i) {
    int e = static_cast<int>(b.hi[i] >> 20 & 2047);
    int shift = static_cast<int>(segment.v[i] & 31) * 53;
    if (e > 1077) shift += e - 1077;
    uint64_t bits = 0;
    for (int k = 0; k < 53; ++k) {
      int at = shift + k;
      // 1201 bits are kept; beyond them zeros come in.
      uint64_t one = at < 1201 ? kTwoOverPi[at / 24] >> (23 - at % 24) & 1 : 0;
      bits = bits << 1 | one;
    }
    int scale = -53 - shift + (e >= 1968 ? 128 : 0);
    // Toward zero whatever MODE says: what a denormal has no place for goes first.
    if (int drop = -1074 - scale; drop > 0) bits = drop < 64 ? bits >> drop << drop : 0;
    double d = static_cast<double>(static_cast<int64_t>(bits));   // from unsigned, 0 could become -0
    // Two steps: the scale may reach below the normals.
    for (int left = scale; left != 0;) {
      int step = left < -500 ? -500 : left;
      d *= __builtin_bit_cast(double, static_cast<uint64_t>(step + 1023) << 52);
      left -= step;
    }
    uint64_t u = __builtin_bit_cast(uint64_t, d);
    lo[i] = static_cast<uint32_t>(u);
    hi[i] = static_cast<uint32_t>(u >> 32);
  }
  return float_of(U64(lo, hi));
}

} // namespace bz::exec::BZ_LEVEL_NS
