// Shapes of vector semantics that several rows share: 24-bit operands, carries, compares, find-bit results.
// Owns no row; must not know any engine.
#pragma once
#include "isa/builder.hpp"
#include "isa/row.hpp"
#include "isa/rows/common_sem.hpp"

#include <cstdint>

namespace bz::isa {

/// Source k cut to 24 bits.
auto sext24(auto& b, int k) { return (b.i32(k) << 8) >> 8; }
auto zext24(auto& b, int k) { return b.u32(k) & 0xffffffu; }

/// vdst, mask = src0 + src1 + carry. Clamp saturates the sum and leaves the carry as it is.
void add_with_carry(auto& b, auto carry) {
  auto r = b.add_carry(b.u32(0), b.u32(1), carry);
  if (b.clamp()) r.value = b.select(r.mask, decltype(r.value)(0xffffffffu), r.value);
  b.vdst(r.value);
  b.lanes_out(r.mask);
}

/// vdst, mask = x - y - borrow. Clamp saturates at 0.
void sub_with_borrow(auto& b, auto x, auto y, auto borrow) {
  auto r = b.sub_borrow(x, y, borrow);
  if (b.clamp()) r.value = b.select(r.mask, decltype(r.value)(0u), r.value);
  b.vdst(r.value);
  b.lanes_out(r.mask);
}

/// 64-bit sums cut to 32 bits as integer clamp does, and 32-bit ones to 16.
auto saturate_i32(auto& b, auto wide) {
  auto low = b.as_i32(b.lo(b.as_u64(wide)));
  return b.select(b.sext64(low) == wide, low, b.as_i32((b.hi(b.as_u64(wide)) >> 31) + 0x7fffffffu));
}
auto saturate_u32(auto& b, auto wide) {
  auto low = b.lo(wide);
  return b.select(b.hi(wide) == 0u, low, decltype(low)(0xffffffffu));
}
auto saturate_i16(auto& b, auto x) {
  using I = decltype(x);
  return b.max(b.min(x, I(32767)), I(-32768));
}

auto median(auto& b, auto x, auto y, auto z) { return b.max(b.min(x, y), b.min(b.max(x, y), z)); }

/// |x - y| of unsigned numbers.
auto abs_diff(auto& b, auto x, auto y) { return b.max(x, y) - b.min(x, y); }

/// Sum of absolute differences of the four bytes; the masked form skips bytes whose reference byte (y) is 0.
auto sad_bytes(auto& b, auto x, auto y) {
  auto byte = [&](unsigned shift) { return abs_diff(b, (x >> shift) & 255u, (y >> shift) & 255u); };
  return byte(0) + byte(8) + byte(16) + byte(24);
}
auto masked_sad_bytes(auto& b, auto x, auto y) {
  auto byte = [&](unsigned shift) {
    auto reference = (y >> shift) & 255u;
    auto d = abs_diff(b, (x >> shift) & 255u, reference);
    return b.select(reference == 0u, decltype(d)(0u), d);
  };
  return byte(0) + byte(8) + byte(16) + byte(24);
}

/// vdst = x + y, saturated under clamp.
void sum_with_clamp(auto& b, auto x, auto y) { b.vdst(b.clamp() ? b.add_sat(x, y) : x + y); }

/// src0 * src1 + src2 in 16 bits, in the low half of the result.
auto mad_u16(auto& b) {
  auto x = b.u16(0), y = b.u16(1), z = b.u16(2);
  if (!b.clamp()) return x * y + z;
  return b.min(saturate_u32(b, b.mul_wide(x, y) + b.zext64(z)), decltype(x)(0xffffu));
}
auto mad_i16(auto& b) {
  auto r = b.i16(0) * b.i16(1) + b.i16(2);  // |product| <= 2^30: no overflow of 32 bits
  return b.as_u32(b.clamp() ? saturate_i16(b, r) : r);
}

/// Packed rows: F(b, half) for the low and the high result.
template <auto F> inline constexpr auto kPacked = [](auto& b) {
  auto low = F(b, 0), high = F(b, 1);
  b.vdst_pk(0, low);
  b.vdst_pk(1, high);
};
template <auto F> inline constexpr auto kPackedF32 = [](auto& b) {
  auto low = F(b, 0), high = F(b, 1);
  b.vdst(0, low);
  b.vdst(1, high);
};

/// vdst = acc + the dot product of src0 and src1 as vectors of Bits-wide integers; clamp saturates the whole sum.
template <unsigned Bits> void dot_signed(auto& b, auto acc) {
  auto x = b.u32(0), y = b.u32(1);
  auto element = [&](auto v, unsigned i) { return b.as_i32(v << (32u - Bits - Bits * i)) >> (32u - Bits); };
  auto sum = element(x, 0) * element(y, 0);  // |sum| <= 2^16: no overflow
  for (unsigned i = 1; i < 32 / Bits; ++i) sum = sum + element(x, i) * element(y, i);
  b.vdst(b.clamp() ? b.add_sat(acc, sum) : acc + sum);
}
template <unsigned Bits> void dot_unsigned(auto& b, auto acc) {
  auto x = b.u32(0), y = b.u32(1);
  auto element = [&](auto v, unsigned i) { return (v >> (Bits * i)) & ((1u << Bits) - 1u); };
  auto sum = element(x, 0) * element(y, 0);
  for (unsigned i = 1; i < 32 / Bits; ++i) sum = sum + element(x, i) * element(y, i);
  b.vdst(b.clamp() ? b.add_sat(acc, sum) : acc + sum);
}

/// Four sums of absolute differences, of bytes 0..3, 1..4, 2..5 and 3..6 of src0, onto the four halves of src2.
template <auto Sad> inline constexpr auto kQuadSad = [](auto& b) {
  auto x = b.u64(0), acc = b.u64(2);
  auto y = b.u32(1);
  auto one = [&](unsigned n) {
    auto sum = Sad(b, b.lo(x >> (8u * n)), y) + (b.lo(acc >> (16u * n)) & 0xffffu);
    return b.clamp() ? b.min(sum, decltype(sum)(0xffffu)) : sum & 0xffffu;
  };
  b.vdst(b.make64(one(0) | (one(1) << 16), one(2) | (one(3) << 16)));
};

/// x as a 16-bit fraction of 32767 (65535), rounded to the nearest, or by MODE; cut to [-1, 1] ([0, 1]), a NaN is 0.
template <bool Signed, bool ByMode = false> auto normalized(auto& b, auto x) {
  using F = decltype(x);
  F least(Signed ? -1.0f : 0.0f), most(1.0f);
  x = b.select(b.is_nan(x), F(0.0f), x);
  x = b.select(x < least, least, b.select(x > most, most, x));
  auto product = b.cvt_f64(x) * (Signed ? 32767.0 : 65535.0);   // exact
  if constexpr (ByMode) {
    auto units = b.select(product < 0.0, decltype(product)(-0x1p52), decltype(product)(0x1p52));   // the last place of these
    return b.as_u32(b.cvt_i32((product + units) - units)) & 0xffffu;
  } else return b.as_u32(b.cvt_i32(b.rndne(product))) & 0xffffu;
}
template <bool Signed> void pack_normalized(auto& b, auto x, auto y) {
  b.vdst(normalized<Signed>(b, x) | (normalized<Signed>(b, y) << 16));
}

/// Two 8-bit floats into the half that op_sel[3] names; one into the byte that op_sel[3:2] names.
template <Num N> inline constexpr auto kPackNum8 = [](auto& b) {
  auto x = b.to_num8(N, b.f32(0)), y = b.to_num8(N, b.f32(1));
  b.vdst_half(b.op_sel(3), x | (y << 8));
};
template <Num N> inline constexpr auto kStochasticNum8 = [](auto& b) {
  auto x = b.to_num8_sr(N, b.f32(0), b.u32(1));
  unsigned at = (b.op_sel(2) ? 8u : 0u) + (b.op_sel(3) ? 16u : 0u);
  b.vdst((b.dst_u32(0) & ~(255u << at)) | (x << at));
};

/// Which of four quarters of a screen a rectangle touches, by its corners: a table of the manual (MI200, VOP1 opcode 55), a
/// row of sixteen digits for each upper half of the index.
inline constexpr const char* kScreenPartition[16] = {
    "137f5fff7fffffff", "f26efafffbffffff", "df4cff5fffdfffff", "9bf8fffafffeffff", "ffff4cdf6fffefff", "fffff89bf99ffdff",
    "ffff7f13ff9fffbf", "ffff6ef26ff6fff7", "bfffffff23bfafff", "f7fffffff19df5ff", "ffefffffef8cffaf", "fffdffff67f4fff5",
    "9fffdfffffff8cef", "f66ffefffffff467", "ff6fff7fffffbf23", "9ff9fffbffff9df1"};
auto screen_partition(auto& b, auto index) {
  using U64 = decltype(b.zext64(index));
  auto digits = [](const char* text) {
    uint64_t x = 0;
    for (int i = 15; i >= 0; --i) x = x << 4 | static_cast<uint64_t>(text[i] <= '9' ? text[i] - '0' : text[i] - 'a' + 10);
    return x;
  };
  U64 row(digits(kScreenPartition[0]));
  for (unsigned i = 1; i < 16; ++i) row = b.select((index >> 4) == i, U64(digits(kScreenPartition[i])), row);
  return b.lo(row >> ((index & 15u) << 2)) & 15u;
}

/// The integer at the end of a float's sign: what v_cvt_rpi and v_cvt_flr make of a NaN.
auto end_of_sign(auto& b, auto x) {
  auto i = b.as_i32(x);
  return (i >> 31) ^ decltype(i)(0x7fffffff);
}

/// x rounded by MODE to 0..255; a NaN gives 0.
auto round_to_byte(auto& b, auto x) {
  using F = decltype(x);
  x = b.select(x > 0.0f, x, F(0.0f));
  x = b.select(x < 255.0f, x, F(255.0f));
  return b.as_u32(x + 8388608.0f) & 255u;  // 2^23: the units are the last place
}

enum class Relation : uint8_t { never, lt, eq, le, gt, lg, ge, o, u, nge, nlg, ngt, nle, neq, nlt, always };

/// Source k read as type T.
template <Type T> auto lane_source(auto& b, int k) {
  if constexpr (T == Type::f16) return b.f16(k);
  else if constexpr (T == Type::f32) return b.f32(k);
  else if constexpr (T == Type::f64) return b.f64(k);
  else if constexpr (T == Type::i16) return b.i16(k);
  else if constexpr (T == Type::u16) return b.u16(k);
  else if constexpr (T == Type::i32) return b.i32(k);
  else if constexpr (T == Type::u32) return b.u32(k);
  else if constexpr (T == Type::i64) return b.i64(k);
  else return b.u64(k);
}

/// The n-relations are true for unordered operands, the others false.
template <Relation R> auto relate(auto& b, auto x, auto y) {
  using enum Relation;
  if constexpr (R == never) return b.no_lanes();
  else if constexpr (R == lt) return x < y;
  else if constexpr (R == eq) return x == y;
  else if constexpr (R == le) return x <= y;
  else if constexpr (R == gt) return x > y;
  else if constexpr (R == lg) return (x < y) | (x > y);
  else if constexpr (R == ge) return x >= y;
  else if constexpr (R == o) return ~b.unordered(x, y);
  else if constexpr (R == u) return b.unordered(x, y);
  else if constexpr (R == nge) return ~(x >= y);
  else if constexpr (R == nlg) return ~((x < y) | (x > y));
  else if constexpr (R == ngt) return ~(x > y);
  else if constexpr (R == nle) return ~(x <= y);
  else if constexpr (R == neq) return x != y;
  else if constexpr (R == nlt) return ~(x < y);
  else return ~b.no_lanes();
}

/// v_cmp (mask) and v_cmpx (mask and EXEC).
template <Type T, Relation R, bool WritesExecToo> inline constexpr auto kCompare = [](auto& b) {
  auto m = relate<R>(b, lane_source<T>(b, 0), lane_source<T>(b, 1));
  if constexpr (WritesExecToo) b.lanes_out_exec(m);
  else b.lanes_out(m);
};
template <Type T, bool WritesExecToo> inline constexpr auto kCompareClass = [](auto& b) {
  auto m = b.is_class(lane_source<T>(b, 0), b.u32(1));
  if constexpr (WritesExecToo) b.lanes_out_exec(m);
  else b.lanes_out(m);
};

} // namespace bz::isa
