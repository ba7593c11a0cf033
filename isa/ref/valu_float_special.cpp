// References of division helpers, exponents and mantissas, cube maps, range reduction and the approximated functions. Sources:
// Vega and MI300 ISA documents, sections VOP1 and VOP3 (pseudo code of V_DIV_*, V_CUBE*, V_TRIG_PREOP_F64, accuracies of
// V_RCP_*, V_RSQ_*, V_SQRT_*, V_EXP_*, V_LOG_*, V_SIN_*, V_COS_*); RDNA3 ISA for the scale of V_DIV_FMAS_*.
//
// Approximated functions: special values exactly; elsewhere the reference is the exact value, rounded by MODE, and
// exec/judge/tolerances.inc has the documented error.
#include "isa/ref/families.hpp"
#include "isa/ref/float_view.hpp"

#include <cmath>
#include <iterator>

namespace bz::isa::ref {
namespace {

using namespace soft;

// ---------------------------------------------------------------- division: scale, fused steps, repair

/// Exponent field as MODE lets the instruction see the operand: a flushed denormal is a zero.
int field_of(const Rules& r, const Value& x, uint64_t bits) { return x.is_zero() ? 0 : r.f.exponent_field(bits); }
bool is_denormal(const Rules& r, const Value& x) { return x.kind == Value::Kind::finite && binary_exponent(x) < 2 - r.f.bias(); }
/// 0 < |a / b| < smallest normal number. A quotient too small for any denormal counts too.
bool denormal_quotient(const Rules& r, const Value& a, const Value& b) { return is_denormal(r, div(a, b)); }

template <Format F, int Far, int Shift, int Tiny> void div_scale(V v) {
  Rules r(v.m, F);
  Value x = source(v, r, 0), denominator = source(v, r, 1), numerator = source(v, r, 2), one = power(0);
  int below = field_of(r, denominator, raw(v, F, 1)), above = field_of(r, numerator, raw(v, F, 2));
  bool flag = false;
  Value d = quiet(x);
  if (numerator.is_zero() || denominator.is_zero()) {
    d = invalid();
  } else if (above - below >= Far) {                          // the quotient is near the largest number
    flag = true;
    if (equal(x, denominator)) d = scale(x, Shift);
  } else if (is_denormal(r, denominator)) {
    d = scale(x, Shift);
  } else if (denormal_quotient(r, one, denominator) && denormal_quotient(r, numerator, denominator)) {
    flag = true;                                              // the manual scales up, into infinity: docs/isa-errata.md
    if (equal(x, denominator)) d = scale(x, -Shift);
  } else if (denormal_quotient(r, one, denominator)) {
    d = scale(x, -Shift);
  } else if (denormal_quotient(r, numerator, denominator)) {
    flag = true;
    if (equal(x, numerator)) d = scale(x, Shift);
  } else if (above <= Tiny) {
    d = scale(x, Shift);
  }
  if (d.is_nan()) d = quiet(d);
  v.mask_out(flag);
  result(v, r, d);
}

/// The fused step, times 2^Shift or 2^-Shift in lanes of VCC: up if source 2 is above 2, so that it undoes v_div_scale.
template <Format F, int Shift> void div_fmas(V v) {
  Rules r(v.m, F);
  Value a = source(v, r, 0), b = source(v, r, 1), c = source(v, r, 2), x = fma(a, b, c);
  if (auto* nan = chosen_nan(v.m, a, b, c)) x = quiet(*nan);
  if (v.mask_in() && x.kind == Value::Kind::finite) x = scale(x, field_of(r, c, raw(v, F, 2)) > F.bias() ? Shift : -Shift);
  result(v, r, x);
}

template <Format F, int Lost> void div_fixup(V v) {
  Rules r(v.m, F);
  Value quotient = source(v, r, 0), denominator = source(v, r, 1), numerator = source(v, r, 2);
  bool negative = denominator.negative != numerator.negative;
  Value d;
  if (numerator.is_nan()) d = quiet(numerator);
  else if (denominator.is_nan()) d = quiet(denominator);
  else if (numerator.is_zero() && denominator.is_zero()) d = invalid();
  else if (numerator.is_infinite() && denominator.is_infinite()) d = invalid();
  else if (denominator.is_zero() || numerator.is_infinite()) d = infinity(negative);
  else if (denominator.is_infinite() || numerator.is_zero()) d = zero(negative);
  else if (Lost && field_of(r, numerator, raw(v, F, 2)) - field_of(r, denominator, raw(v, F, 1)) < Lost)
    d = power(-4 * F.bias(), negative);      // "underflow": whatever MODE makes of a tiny number
  else if (Lost && field_of(r, numerator, raw(v, F, 2)) - field_of(r, denominator, raw(v, F, 1)) > F.bias() + 1)
    d = power(4 * F.bias(), negative);       // "overflow", which the manual tests by another expression: see docs/isa-errata.md
  else {
    d = quiet(quotient);
    d.negative = negative;
  }
  result(v, r, d);
}

// ---------------------------------------------------------------- exponents and mantissas

template <Format F> int64_t frexp_exponent(V v) {
  Value x = source(v, Rules(v.m, F), 0);
  return x.kind == Value::Kind::finite ? binary_exponent(x) : 0;
}
template <Format F> void frexp_mantissa(V v) {
  Rules r(v.m, F);
  Value x = quiet(source(v, r, 0));
  result(v, r, x.kind == Value::Kind::finite ? scale(x, -binary_exponent(x)) : x);
}
template <Format F> void load_exponent(V v, int64_t n) {
  Rules r(v.m, F);
  int64_t enough = 4 * F.bias();             // beyond this nothing changes
  result(v, r, scale(quiet(source(v, r, 0)), static_cast<int>(n < -enough ? -enough : n > enough ? enough : n)));
}

// ---------------------------------------------------------------- cube maps

enum class Axis { x, y, z };
struct Cube {
  Rules r;
  Value x, y, z;
  Axis axis;
  explicit Cube(V v) : r(v.m, kF32), x(source(v, r, 0)), y(source(v, r, 1)), z(source(v, r, 2)) {
    auto reaches = [](const Value& a, const Value& b) {   // |a| >= |b|, false for NaNs
      return static_cast<int>(compare(absolute(a), absolute(b))) & 6;
    };
    axis = reaches(z, x) && reaches(z, y) ? Axis::z : reaches(y, x) ? Axis::y : Axis::x;
  }
  const Value& major() const { return axis == Axis::x ? x : axis == Axis::y ? y : z; }
  bool below_zero() const { return less(major(), zero()); }
};
void cube_face(V v) {
  Cube c(v);
  result(v, c.r, integer(2 * static_cast<int>(c.axis) + c.below_zero()));
}
void cube_s(V v) {
  Cube c(v);
  Value d = c.axis == Axis::z ? (c.below_zero() ? negate(c.x) : c.x) : c.axis == Axis::y ? c.x : c.below_zero() ? c.z : negate(c.z);
  result(v, c.r, quiet(d));
}
void cube_t(V v) {
  Cube c(v);
  Value d = c.axis == Axis::y ? (c.below_zero() ? negate(c.z) : c.z) : negate(c.y);
  result(v, c.r, quiet(d));
}
void cube_major(V v) {
  Cube c(v);
  result(v, c.r, mul(c.major(), integer(2)));
}

// ---------------------------------------------------------------- range reduction

using Big = unsigned _BitInt(1408);

/// arctan(1 / n) * 2^1300.
Big arctan_inverse(unsigned n) {
  Big term = (Big{1} << 1300) / Big{n}, sum = 0;
  for (unsigned k = 1; term; k += 2, term /= Big{n * n}) sum = k & 2 ? sum - term / Big{k} : sum + term / Big{k};
  return sum;
}
/// The first 1201 bits of 2 / pi after the point: bit 1200 is worth one half. By Machin's formula, and long division.
Big two_over_pi() {
  Big pi = 16 * arctan_inverse(5) - 4 * arctan_inverse(239);
  Big rest = Big{2} << 1300, quotient = 0;
  for (int n = 0; n < 1201; ++n) {
    rest <<= 1, quotient <<= 1;
    if (rest >= pi) rest -= pi, quotient |= 1;
  }
  return quotient;
}

/// Bits shift .. shift + 52 of 2 / pi, as a number; the shift skips what the exponent of source 0 makes a multiple of 2.
/// Rounds toward zero (there is nothing to round but by omod).
void trig_preop(V v) {
  static const Big bits = two_over_pi();
  Rules r(v.m, kF64);
  r.round = Round::zero;
  int field = field_of(r, source(v, r, 0), raw(v, kF64, 0)), shift = 53 * static_cast<int>(v.u32(1) & 31);
  if (field > 1077) shift += field - 1077;
  uint64_t chosen = 0;
  for (int n = 0; n < 53; ++n) {
    int at = 1200 - shift - n;
    chosen = chosen << 1 | (at >= 0 ? static_cast<uint64_t>(bits >> at & 1) : 0);
  }
  int exponent = -53 - shift;
  if (field >= 1968) exponent += 128;
  result(v, r, scale(integer(static_cast<int64_t>(chosen)), exponent));
}

// ---------------------------------------------------------------- approximated functions

Value of_long_double(long double x) {
  if (std::isnan(x)) return invalid();
  if (std::isinf(x)) return infinity(x < 0);
  int exponent;
  long double m = std::frexp(std::fabs(x), &exponent);
  auto whole = static_cast<uint64_t>(std::ldexp(m, 64));
  if (!whole) return zero(std::signbit(x));
  Value r = soft::add(scale(integer(static_cast<int64_t>(whole >> 32)), 32), integer(static_cast<int64_t>(whole & 0xffffffff)));
  r = scale(r, exponent - 64);
  r.negative = x < 0;
  return r;
}
/// Exact for every format.
long double to_long_double(const Value& x) {
  uint64_t bits = soft::pack(kF64, x, Round::nearest_even);
  return std::bit_cast<double>(bits);
}

Value reciprocal(const Value& x) { return div(power(0), x); }
/// -0 gives -infinity, as IEEE 754 has it for rSqrt.
Value reciprocal_root(const Value& x) {
  if (x.is_zero()) return infinity(x.negative);
  if (x.kind == Value::Kind::finite && !x.negative) return soft::sqrt(reciprocal(x));
  return x.is_nan() ? quiet(x) : x.negative ? invalid() : zero();
}
Value exp2_of(const Value& x) {
  if (x.is_nan()) return quiet(x);
  if (x.is_infinite()) return x.negative ? zero() : x;
  if (x.is_zero()) return power(0);
  if (binary_exponent(x) > 14) return power(x.negative ? -100000 : 100000);  // beyond every format's range
  return of_long_double(std::exp2(to_long_double(x)));
}
Value log2_of(const Value& x) {
  if (x.is_nan()) return quiet(x);
  if (x.is_zero()) return infinity(true);
  if (x.negative) return invalid();
  return x.is_infinite() ? x : of_long_double(std::log2(to_long_double(x)));
}
/// Of x turns. Vega ISA: "valid input domain [-256, +256] ... out of range input results in float 0" (cosine: 1).
template <bool Cosine> Value turn(const Value& x) {
  if (x.is_nan()) return quiet(x);
  if (x.is_infinite()) return invalid();
  if (less(power(8), absolute(x))) return Cosine ? power(0) : zero();
  if (x.is_zero()) return Cosine ? power(0) : x;
  // Exact: whole turns off, then the nearest eighth; what is left is small enough for the host's functions.
  Value eighths = scale(x, 3), whole = round_to_integer(eighths, Round::nearest_even);
  long double rest = to_long_double(scale(soft::add(eighths, negate(whole)), -3)) * 6.283185307179586476925286766559L;
  auto n = static_cast<unsigned>(to_integer(whole, Round::zero, -4096, 4096)) & 7;
  constexpr long double kHalfRoot = 0.70710678118654752440084436210485L;
  constexpr long double kSin[] = {0, kHalfRoot, 1, kHalfRoot, 0, -kHalfRoot, -1, -kHalfRoot};
  long double s = kSin[n], c = kSin[(n + 2) & 7], sr = std::sin(rest), cr = std::cos(rest);
  return of_long_double(Cosine ? c * cr - s * sr : s * cr + c * sr);
}

using Approximation = Value (*)(const Value&);

/// Single precision flushes denormals in and out whatever MODE says ("denormals are flushed"), but for sine and cosine; half and
/// double obey MODE.
template <Format F, Approximation Function> void approximate(V v) {
  Rules r(v.m, F);
  if (r.single() && Function != turn<false> && Function != turn<true>) r.always_flush();
  result(v, r, Function(source(v, r, 0)));
}

constexpr Entry kSpecial[] = {
    {"v_div_scale_f32", nullptr, div_scale<kF32, 96, 64, 23>}, {"v_div_scale_f64", nullptr, div_scale<kF64, 768, 128, 53>},
    {"v_div_fmas_f32", nullptr, div_fmas<kF32, 64>}, {"v_div_fmas_f64", nullptr, div_fmas<kF64, 128>},
    {"v_div_fixup_f32", nullptr, div_fixup<kF32, -150>}, {"v_div_fixup_f64", nullptr, div_fixup<kF64, -1075>},
    {"v_div_fixup_f16", nullptr, div_fixup<kF16, 0>}, {"v_div_fixup_legacy_f16", nullptr, div_fixup<kF16, 0>},

    {"v_frexp_exp_i32_f32", nullptr, [](V v) { v.out32(static_cast<uint32_t>(frexp_exponent<kF32>(v))); }},
    {"v_frexp_exp_i32_f64", nullptr, [](V v) { v.out32(static_cast<uint32_t>(frexp_exponent<kF64>(v))); }},
    {"v_frexp_exp_i16_f16", nullptr, [](V v) { v.out16(static_cast<uint32_t>(frexp_exponent<kF16>(v))); }},
    {"v_frexp_mant_f32", nullptr, frexp_mantissa<kF32>}, {"v_frexp_mant_f64", nullptr, frexp_mantissa<kF64>},
    {"v_frexp_mant_f16", nullptr, frexp_mantissa<kF16>},
    {"v_ldexp_f32", nullptr, [](V v) { load_exponent<kF32>(v, v.i32(1)); }},
    {"v_ldexp_f64", nullptr, [](V v) { load_exponent<kF64>(v, v.i32(1)); }},
    {"v_ldexp_f16", nullptr, [](V v) { load_exponent<kF16>(v, v.i16(1)); }},

    {"v_cubeid_f32", nullptr, cube_face}, {"v_cubesc_f32", nullptr, cube_s}, {"v_cubetc_f32", nullptr, cube_t}, {"v_cubema_f32", nullptr, cube_major},
    {"v_trig_preop_f64", nullptr, trig_preop},

    {"v_rcp_f32", nullptr, approximate<kF32, reciprocal>}, {"v_rcp_iflag_f32", nullptr, approximate<kF32, reciprocal>},
    {"v_rcp_f16", nullptr, approximate<kF16, reciprocal>}, {"v_rcp_f64", nullptr, approximate<kF64, reciprocal>},
    {"v_rsq_f32", nullptr, approximate<kF32, reciprocal_root>}, {"v_rsq_f16", nullptr, approximate<kF16, reciprocal_root>},
    {"v_rsq_f64", nullptr, approximate<kF64, reciprocal_root>},
    {"v_sqrt_f32", nullptr, approximate<kF32, soft::sqrt>}, {"v_sqrt_f16", nullptr, approximate<kF16, soft::sqrt>},
    {"v_sqrt_f64", nullptr, approximate<kF64, soft::sqrt>},
    {"v_exp_f32", nullptr, approximate<kF32, exp2_of>}, {"v_exp_f16", nullptr, approximate<kF16, exp2_of>},
    {"v_exp_legacy_f32", nullptr, approximate<kF32, exp2_of>},
    {"v_log_f32", nullptr, approximate<kF32, log2_of>}, {"v_log_f16", nullptr, approximate<kF16, log2_of>},
    {"v_log_legacy_f32", nullptr, approximate<kF32, log2_of>},
    {"v_sin_f32", nullptr, approximate<kF32, turn<false>>}, {"v_sin_f16", nullptr, approximate<kF16, turn<false>>},
    {"v_cos_f32", nullptr, approximate<kF32, turn<true>>}, {"v_cos_f16", nullptr, approximate<kF16, turn<true>>},
};

} // namespace

void register_valu_float_special() { add(kSpecial, std::size(kSpecial)); }

} // namespace bz::isa::ref
