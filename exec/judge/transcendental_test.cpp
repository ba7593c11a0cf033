// The transcendental rows over dense sweeps: every half, every exponent of a single with hundreds of fractions, corners and
// random doubles. Judged by the host's long double: special values exactly, everything else within the documented error
// (Vega ISA, VOP1: 1 ULP in single precision, 0.51 ULP in half; double precision is documented with 2^29, held here to 2).
#include "exec/judge/random.hpp"
#include "exec/testing/kernel.hpp"
#include "exec/testing/machine.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

using namespace bz;
namespace kit = bz::exec::testing;
using exec::judge::Random;

namespace {

using Real = long double;
static_assert(std::numeric_limits<Real>::digits >= 64, "the judge needs more digits than a double has");

struct Format {
  int bits, fraction, bias;
  int exponent_bits() const { return bits - 1 - fraction; }
  Real smallest_normal() const { return std::ldexp(Real{1}, 1 - bias); }
  Real beyond() const { return std::ldexp(Real{1}, bias + 1); }   ///< where an infinity would lie
  /// Unit of the last place of numbers like x.
  Real unit(Real x) const { return std::ldexp(Real{1}, std::max(std::ilogb(x), 1 - bias) - fraction); }
};
constexpr Format kHalf{16, 10, 15}, kSingle{32, 23, 127}, kDouble{64, 52, 1023};

Real number(const Format& f, uint64_t x) {
  uint64_t exponent = x >> f.fraction & ((1u << f.exponent_bits()) - 1), fraction = x & ((uint64_t{1} << f.fraction) - 1);
  bool negative = x >> (f.bits - 1) & 1;
  Real r;
  if (exponent == (1u << f.exponent_bits()) - 1) r = fraction ? std::numeric_limits<Real>::quiet_NaN() : std::numeric_limits<Real>::infinity();
  else if (exponent == 0) r = std::ldexp(Real(fraction), 1 - f.bias - f.fraction);
  else r = std::ldexp(Real(fraction | uint64_t{1} << f.fraction), static_cast<int>(exponent) - f.bias - f.fraction);
  return negative ? -r : r;
}
bool quiet(const Format& f, uint64_t x) { return x >> (f.fraction - 1) & 1; }

/// sin(2 pi x), by an exact reduction to a quarter. Out of [-256, 256] the rows give 0, and 1 for the cosine.
Real sine(Real x) {
  Real r = x - std::nearbyint(x);   // exact
  if (r > 0.25L) r = 0.5L - r;
  if (r < -0.25L) r = -0.5L - r;
  return std::sin(6.283185307179586476925286766559L * r);
}
Real sine_row(Real x) { return std::isfinite(x) ? std::fabs(x) > 256 ? 0 : sine(x) : std::numeric_limits<Real>::quiet_NaN(); }
Real cosine_row(Real x) {
  if (!std::isfinite(x)) return std::numeric_limits<Real>::quiet_NaN();
  if (std::fabs(x) > 256) return 1;
  Real r = std::fabs(x - std::nearbyint(x));   // [0, 0.5]
  return sine(0.25L - r);
}

struct Row {
  const char* name;
  Format format;
  Real (*exact)(Real);
  double ulps;
  bool flushes;         ///< single precision takes denormals for zeros, in and out
  bool signed_zeros;    ///< of a zero result: the sign counts
};
constexpr Real (*kExp)(Real) = [](Real x) { return std::exp2(x); };
constexpr Real (*kLog)(Real) = [](Real x) { return std::log2(x); };
constexpr Real (*kRcp)(Real) = [](Real x) { return 1 / x; };
constexpr Real (*kRsq)(Real) = [](Real x) { return 1 / std::sqrt(x); };
constexpr Real (*kSqrt)(Real) = [](Real x) { return std::sqrt(x); };
constexpr Row kRows[] = {
    {"v_exp_f16", kHalf, kExp, 0.51, false, true},    {"v_log_f16", kHalf, kLog, 0.51, false, true},
    {"v_rcp_f16", kHalf, kRcp, 0.51, false, true},    {"v_rsq_f16", kHalf, kRsq, 0.51, false, true},
    {"v_sqrt_f16", kHalf, kSqrt, 0.51, false, true},  {"v_sin_f16", kHalf, sine_row, 0.51, false, false},
    {"v_cos_f16", kHalf, cosine_row, 0.51, false, false},
    {"v_exp_f32", kSingle, kExp, 1, true, true},      {"v_log_f32", kSingle, kLog, 1, true, true},
    {"v_exp_legacy_f32", kSingle, kExp, 1, true, true}, {"v_log_legacy_f32", kSingle, kLog, 1, true, true},
    {"v_rcp_f32", kSingle, kRcp, 1, true, true},      {"v_rcp_iflag_f32", kSingle, kRcp, 1, true, true},
    {"v_rsq_f32", kSingle, kRsq, 1, true, true},      {"v_sqrt_f32", kSingle, kSqrt, 1, true, true},
    {"v_sin_f32", kSingle, sine_row, 1, false, false}, {"v_cos_f32", kSingle, cosine_row, 1, false, false},
    {"v_rcp_f64", kDouble, kRcp, 2, false, true},     {"v_rsq_f64", kDouble, kRsq, 2, false, true},
    {"v_sqrt_f64", kDouble, kSqrt, 2, false, true},
};

std::vector<uint64_t> inputs(const Format& f) {
  std::vector<uint64_t> all;
  if (f.bits == 16) {
    for (uint64_t x = 0; x < 65536; ++x) all.push_back(x);
    return all;
  }
  Random r(17);
  uint64_t top = (uint64_t{1} << f.fraction) - 1;
  int ends = f.bits == 32 ? 24 : 3, between = f.bits == 32 ? 208 : 4;
  for (uint64_t e = 0; e < uint64_t{1} << f.exponent_bits(); ++e)
    for (uint64_t sign : {0, 1}) {
      auto add = [&](uint64_t fraction) { all.push_back(sign << (f.bits - 1) | e << f.fraction | (fraction & top)); };
      for (int k = 0; k < ends; ++k) add(static_cast<uint64_t>(k)), add(top - static_cast<uint64_t>(k));
      for (int k = 0; k < between; ++k) add(r.bits());
    }
  while (all.size() % 64) all.push_back(0);
  return all;
}

class Judged {
public:
  explicit Judged(const Row& row) : row_(row), f_(row.format) {}
  double worst = 0;
  size_t checked = 0;

  /// Empty, or what is wrong with a result.
  std::string check(uint64_t input, uint64_t result) {
    ++checked;
    Real x = number(f_, input), got = number(f_, result);
    if (row_.flushes && std::fabs(x) < f_.smallest_normal()) x = std::copysign(Real{0}, x);
    Real want = row_.exact(x);
    if (std::isnan(want)) return std::isnan(got) && quiet(f_, result) ? "" : "is no quiet NaN";
    if (std::isnan(got)) return "is a NaN";
    if (std::isinf(want)) return got == want ? "" : "is not the infinity";
    if (want == 0) return got == 0 && (!row_.signed_zeros || std::signbit(got) == std::signbit(want)) ? "" : "is not that zero";
    if (row_.flushes && std::fabs(want) < f_.smallest_normal()) {
      // What rounds up to the smallest normal may stay.
      bool up = std::fabs(got) == f_.smallest_normal() && std::fabs(want) > f_.smallest_normal() - f_.unit(want);
      return got == 0 || up ? "" : "is not flushed";
    }
    // Too large numbers are infinite; one unit on either side of the limit is within the error.
    Real unit = f_.unit(f_.beyond() / 2);
    if (std::isinf(got) || std::fabs(want) >= f_.beyond() + unit)
      return std::isinf(got) && std::signbit(got) == std::signbit(want) && std::fabs(want) > f_.beyond() - unit ? "" : "is not the infinity, or should not be";
    double error = static_cast<double>(std::fabs(got - want) / f_.unit(want));
    worst = std::max(worst, error);
    return error <= row_.ulps ? "" : "is off by " + std::to_string(error) + " ULP";
  }

private:
  const Row& row_;
  const Format& f_;
};

class Transcendental : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Levels, Transcendental, ::testing::ValuesIn(kit::engine_levels()), [](auto& info) { return info.param; });

TEST_P(Transcendental, SpecialValuesAndDocumentedErrors) {
  kit::Machine m(isa::Target::gfx942, GetParam());
  m.set_exec(~uint64_t{0});
  for (const Row& row : kRows) {
    bool wide = row.format.bits == 64;
    auto words = kit::assemble(isa::Target::gfx942, std::string(row.name) + (wide ? " v[2:3], v[0:1]" : " v2, v0"));
    ASSERT_TRUE(words) << row.name << ": " << words.status().to_string();
    Judged judged(row);
    int told = 0;
    auto all = inputs(row.format);
    for (size_t at = 0; at < all.size() && told < 5; at += 64) {
      for (size_t lane = 0; lane < 64; ++lane) {
        m.vgpr(0)[lane] = static_cast<uint32_t>(all[at + lane]);
        if (wide) m.vgpr(1)[lane] = static_cast<uint32_t>(all[at + lane] >> 32);
      }
      auto s = m.run(*words);
      ASSERT_TRUE(s.ok()) << s.to_string();
      for (size_t lane = 0; lane < 64; ++lane) {
        uint64_t got = m.vgpr(2)[lane] | (wide ? uint64_t{m.vgpr(3)[lane]} << 32 : 0);
        if (auto why = judged.check(all[at + lane], got); !why.empty() && told++ < 5)
          ADD_FAILURE() << row.name << " of 0x" << std::hex << all[at + lane] << ": 0x" << got << " " << why;
      }
    }
    EXPECT_GE(judged.checked, told ? 64u : 30000u);
    std::printf("%-18s %7zu values, worst error %.4f ULP\n", row.name, judged.checked, judged.worst);
  }
}

} // namespace
