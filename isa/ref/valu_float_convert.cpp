// References of conversions and of rounding to integers. Sources: Vega and MI300 ISA documents, sections VOP1 and VOP3; CLRX
// GcnInstrsVop1/Vop3 for NaNs and rounding where these are silent; the FNUZ formats from "8-bit Numerical Formats for Deep
// Neural Networks" (Noune et al.) and the MI300 ISA's section on fp8.
#include "isa/ref/families.hpp"
#include "isa/ref/float_view.hpp"

#include <iterator>

namespace bz::isa::ref {
namespace {

using namespace soft;

// ---------------------------------------------------------------- float to float, integer to float

/// Source rules of one format, result rules of the other.
template <Format From, Format To> void convert(V v) {
  Rules from(v.m, From), to(v.m, To);
  result(v, to, quiet(source(v, from, 0)));
}
template <Format To, auto Read> void from_integer(V v) { result(v, Rules(v.m, To), integer(Read(v))); }
template <int N> int64_t byte_of(V v) { return v.u32(0) >> (8 * N) & 0xff; }

/// Two halves, rounded toward zero: an overflow gives the largest number.
void pack_toward_zero(V v) {
  Rules from(v.m, kF32), to(v.m, kF16), toward_zero = to;   // omod rounds by MODE
  toward_zero.round = Round::zero;
  uint64_t x[2];
  for (int k = 0; k < 2; ++k) x[k] = modified(v, to, toward_zero.pack(quiet(source(v, from, k))));
  v.out32(static_cast<uint32_t>(x[0] | x[1] << 16));
}

/// Four bits as sixteenths, -8/16 .. 7/16.
void offset4(V v) {
  int64_t n = v.u32(0) & 15;
  result(v, Rules(v.m, kF32), scale(integer(n < 8 ? n : n - 16), -4));
}

// ---------------------------------------------------------------- float to integer

/// Truncates and saturates; a NaN gives 0.
template <Format F, Round R, int64_t Low, int64_t High> int64_t to_int(V v) { return to_integer(source(v, Rules(v.m, F), 0), R, Low, High); }
template <Format F, int64_t Low, int64_t High> void truncate32(V v) { v.out32(static_cast<uint32_t>(to_int<F, Round::zero, Low, High>(v))); }
template <int64_t Low, int64_t High> void truncate16(V v) { v.out16(static_cast<uint32_t>(to_int<kF16, Round::zero, Low, High>(v))); }

/// floor(x + offset) with an exact sum; denormals count whatever MODE says; a NaN gives the largest number of its sign (CLRX).
void floor_to_i32(V v, const Value& offset) {
  Value x = soft::unpack(kF32, v.u32(0));
  int64_t r = x.is_nan() ? (x.negative ? INT32_MIN : INT32_MAX) : to_integer(soft::add(x, offset), Round::down, INT32_MIN, INT32_MAX);
  v.out32(static_cast<uint32_t>(r));
}

/// Rounded by MODE and saturated into one byte of source 2 (or of the destination).
void pack_u8(V v, uint32_t old) {
  Rules r(v.m, kF32);
  auto byte = static_cast<uint32_t>(to_integer(source(v, r, 0), r.round, 0, 255));
  unsigned shift = 8 * (v.u32(1) & 3);
  v.out32((old & ~(0xffu << shift)) | byte << shift);
}

/// x * largest, to the nearest even integer, saturated to -largest..largest or 0..largest.
template <Format F> int64_t normalized(V v, int k, int64_t largest, bool is_signed, Round round) {
  Value x = source(v, Rules(v.m, F), k);
  return x.is_nan() ? 0 : to_integer(mul(x, integer(largest)), round, is_signed ? -largest : 0, largest);
}
template <Format F, int64_t Largest, bool Signed> void pack_normalized(V v) {
  auto low = static_cast<uint32_t>(normalized<F>(v, 0, Largest, Signed, Round::nearest_even));
  auto high = static_cast<uint32_t>(normalized<F>(v, 1, Largest, Signed, Round::nearest_even));
  v.out32((low & 0xffff) | high << 16);
}

// ---------------------------------------------------------------- rounding to an integer value

template <Format F, Round R> void integral(V v) {
  Rules r(v.m, F);
  result(v, r, round_to_integer(source(v, r, 0), R));
}
/// x - floor(x), below 1 even if the difference rounds to 1.
template <Format F> void fraction(V v) {
  Rules r(v.m, F);
  Value x = source(v, r, 0), floor = round_to_integer(x, Round::down);
  uint64_t bits = r.pack(soft::add(x, floor.is_nan() ? floor : negate(floor)));
  if (bits == F.one()) --bits;
  put(v, F, modified(v, r, bits));
}

// ---------------------------------------------------------------- fp8 and bf8

/// gfx942: FNUZ, bias one more than IEEE's, no infinities, no -0: 0x80 is the NaN. gfx950: OCP, of which e5m2 is as IEEE and
/// e4m3 has no infinities and one NaN of each sign, all ones. The NaN that a conversion gives has no documented sign: positive.
struct Small {
  int exponent_bits, fraction_bits;
};
constexpr Small kFp8{4, 3}, kBf8{5, 2};

Value small_value(const Machine& m, Small f, uint32_t byte) {
  bool ocp = m.target == Target::gfx950;
  uint32_t magnitude = byte & 0x7f;
  if (ocp ? magnitude > (f.fraction_bits == 3 ? 0x7eu : 0x7cu) : byte == 0x80) return absolute(invalid());
  if (ocp && f.fraction_bits == 2 && magnitude == 0x7c) return infinity(byte & 0x80);
  int field = static_cast<int>(magnitude) >> f.fraction_bits, bias = (1 << (f.exponent_bits - 1)) - ocp;
  auto fraction = static_cast<int64_t>(byte & ((1u << f.fraction_bits) - 1));
  if (field) fraction |= int64_t{1} << f.fraction_bits;
  Value x = scale(integer(fraction), (field ? field : 1) - bias - f.fraction_bits);
  x.negative = byte & 0x80;
  return x;
}
template <Small F> void from_small(V v) { result(v, Rules(v.m, kF32), small_value(v.m, F, v.u32(0) & 0xff)); }
template <Small F> void from_small_pair(V v) {
  Rules r(v.m, kF32);
  uint32_t pair = v.u32(0) & 0xffff, x[2];
  if (v.i.form != Form::sdwa && (v.i.op_sel & 1)) pair = v.u32(0) >> 16;
  for (int n = 0; n < 2; ++n) x[n] = static_cast<uint32_t>(modified(v, r, r.pack(small_value(v.m, F, pair >> (8 * n) & 0xff))));
  v.out(0, x[0]), v.out(1, x[1]);
}
/// `random` (stochastic rounding): added below the last kept bit, 32 bits left-aligned, then truncated. Otherwise nearest even.
/// FNUZ: infinite values are the NaN; too large ones too, unless MODE's FP16_OVFL (bit 23) asks for the largest number. OCP: the
/// same for fp8, whose NaN has a sign; bf8 has infinities.
uint32_t to_small(const Machine& machine, Small f, const Value& x, const uint32_t* random) {
  bool ocp = machine.target == Target::gfx950, bf8 = f.fraction_bits == 2;
  uint32_t sign = x.negative ? 0x80u : 0u, too_large = !ocp ? 0x80u : sign | (bf8 ? 0x7cu : 0x7fu);
  if (x.is_nan()) return ocp ? sign | 0x7f : 0x80;
  if (x.is_infinite()) return too_large;
  if (x.is_zero()) return ocp ? sign : 0;
  int bias = (1 << (f.exponent_bits - 1)) - ocp, smallest_unit = 1 - bias - f.fraction_bits;
  int unit = binary_exponent(x) - f.fraction_bits - 1;
  if (unit < smallest_unit) unit = smallest_unit;
  Value m = scale(x, -unit);
  if (random) {
    Value noise = scale(integer(*random), -32);
    noise.negative = x.negative;
    m = soft::add(m, noise);
  }
  int64_t n = to_integer(absolute(m), random ? Round::zero : Round::nearest_even, 0, INT32_MAX);
  if (n == 0) return ocp ? sign : 0;
  while (n >> (f.fraction_bits + 1)) n >>= 1, ++unit;  // rounded up to a power of two
  int field = n >> f.fraction_bits ? unit - smallest_unit + 1 : 0;
  uint32_t magnitude = static_cast<uint32_t>(field) << f.fraction_bits | static_cast<uint32_t>(n & ((1 << f.fraction_bits) - 1));
  uint32_t largest = !ocp ? 0x7f : bf8 ? 0x7b : 0x7e;
  if (magnitude > largest) return machine.mode >> 23 & 1 ? sign | largest : too_large;
  return sign | magnitude;
}
template <Small F> void pack_small(V v) {
  Rules r(v.m, kF32);
  uint32_t pair = to_small(v.m, F, source(v, r, 0), nullptr) | to_small(v.m, F, source(v, r, 1), nullptr) << 8;
  bool high = v.i.op_sel >> 3 & 1;
  v.out32(high ? (v.old32() & 0xffff) | pair << 16 : (v.old32() & 0xffff0000u) | pair);
}
template <Small F> void stochastic_small(V v) {
  Rules r(v.m, kF32);
  uint32_t random = v.u32(1), byte = to_small(v.m, F, source(v, r, 0), &random), shift = 8 * (v.i.op_sel >> 2 & 3);
  v.out32((v.old32() & ~(0xffu << shift)) | byte << shift);
}

constexpr Entry kConvert[] = {
    {"v_cvt_f16_f32", nullptr, convert<kF32, kF16>}, {"v_cvt_f32_f16", nullptr, convert<kF16, kF32>},
    {"v_cvt_f32_f64", nullptr, convert<kF64, kF32>}, {"v_cvt_f64_f32", nullptr, convert<kF32, kF64>},
    {"v_cvt_f32_i32", nullptr, from_integer<kF32, [](V v) { return int64_t{v.i32(0)}; }>},
    {"v_cvt_f32_u32", nullptr, from_integer<kF32, [](V v) { return int64_t{v.u32(0)}; }>},
    {"v_cvt_f64_i32", nullptr, from_integer<kF64, [](V v) { return int64_t{v.i32(0)}; }>},
    {"v_cvt_f64_u32", nullptr, from_integer<kF64, [](V v) { return int64_t{v.u32(0)}; }>},
    {"v_cvt_f16_i16", nullptr, from_integer<kF16, [](V v) { return int64_t{v.i16(0)}; }>},
    {"v_cvt_f16_u16", nullptr, from_integer<kF16, [](V v) { return int64_t{v.u16(0)}; }>},
    {"v_cvt_f32_ubyte0", nullptr, from_integer<kF32, byte_of<0>>}, {"v_cvt_f32_ubyte1", nullptr, from_integer<kF32, byte_of<1>>},
    {"v_cvt_f32_ubyte2", nullptr, from_integer<kF32, byte_of<2>>}, {"v_cvt_f32_ubyte3", nullptr, from_integer<kF32, byte_of<3>>},
    {"v_cvt_off_f32_i4", nullptr, offset4},
    {"v_cvt_pkrtz_f16_f32", nullptr, pack_toward_zero},

    {"v_cvt_i32_f32", nullptr, truncate32<kF32, INT32_MIN, INT32_MAX>}, {"v_cvt_u32_f32", nullptr, truncate32<kF32, 0, UINT32_MAX>},
    {"v_cvt_i32_f64", nullptr, truncate32<kF64, INT32_MIN, INT32_MAX>}, {"v_cvt_u32_f64", nullptr, truncate32<kF64, 0, UINT32_MAX>},
    {"v_cvt_i16_f16", nullptr, truncate16<INT16_MIN, INT16_MAX>}, {"v_cvt_u16_f16", nullptr, truncate16<0, UINT16_MAX>},
    {"v_cvt_rpi_i32_f32", nullptr, [](V v) { floor_to_i32(v, power(-1)); }},
    {"v_cvt_flr_i32_f32", nullptr, [](V v) { floor_to_i32(v, zero()); }},
    {"v_cvt_pk_u8_f32", nullptr, [](V v) { pack_u8(v, v.u32(2)); }},
    {"v_cvt_pkaccum_u8_f32", nullptr, [](V v) { pack_u8(v, v.old32()); }},
    {"v_cvt_pknorm_i16_f32", nullptr, pack_normalized<kF32, 32767, true>}, {"v_cvt_pknorm_u16_f32", nullptr, pack_normalized<kF32, 65535, false>},
    {"v_cvt_pknorm_i16_f16", nullptr, pack_normalized<kF16, 32767, true>}, {"v_cvt_pknorm_u16_f16", nullptr, pack_normalized<kF16, 65535, false>},
    {"v_cvt_norm_i16_f16", nullptr, [](V v) { v.out16(static_cast<uint32_t>(normalized<kF16>(v, 0, 32767, true, Rules(v.m, kF16).round))); }},
    {"v_cvt_norm_u16_f16", nullptr, [](V v) { v.out16(static_cast<uint32_t>(normalized<kF16>(v, 0, 65535, false, Rules(v.m, kF16).round))); }},

    {"v_trunc_f32", nullptr, integral<kF32, Round::zero>}, {"v_trunc_f16", nullptr, integral<kF16, Round::zero>}, {"v_trunc_f64", nullptr, integral<kF64, Round::zero>},
    {"v_ceil_f32", nullptr, integral<kF32, Round::up>}, {"v_ceil_f16", nullptr, integral<kF16, Round::up>}, {"v_ceil_f64", nullptr, integral<kF64, Round::up>},
    {"v_floor_f32", nullptr, integral<kF32, Round::down>}, {"v_floor_f16", nullptr, integral<kF16, Round::down>}, {"v_floor_f64", nullptr, integral<kF64, Round::down>},
    {"v_rndne_f32", nullptr, integral<kF32, Round::nearest_even>}, {"v_rndne_f16", nullptr, integral<kF16, Round::nearest_even>},
    {"v_rndne_f64", nullptr, integral<kF64, Round::nearest_even>},
    {"v_fract_f32", nullptr, fraction<kF32>}, {"v_fract_f16", nullptr, fraction<kF16>}, {"v_fract_f64", nullptr, fraction<kF64>},

    {"v_cvt_f32_fp8", nullptr, from_small<kFp8>}, {"v_cvt_f32_bf8", nullptr, from_small<kBf8>},
    {"v_cvt_pk_f32_fp8", nullptr, from_small_pair<kFp8>}, {"v_cvt_pk_f32_bf8", nullptr, from_small_pair<kBf8>},
    {"v_cvt_pk_fp8_f32", nullptr, pack_small<kFp8>}, {"v_cvt_pk_bf8_f32", nullptr, pack_small<kBf8>},
    {"v_cvt_sr_fp8_f32", nullptr, stochastic_small<kFp8>}, {"v_cvt_sr_bf8_f32", nullptr, stochastic_small<kBf8>},
};

} // namespace

void register_valu_float_convert() { add(kConvert, std::size(kConvert)); }

} // namespace bz::isa::ref
