// special.inc compiled for the host, against long double (64 bits of mantissa) or an exact property. ULP bounds are what
// HIP's documentation allows or less.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>

namespace {
using std::isinf;
using std::isnan;
#define FN inline
// Exact reduction first: what a GPU's sinpi does too.
inline double sinpi(double x) { return (double)sinl(M_PIl * fmodl(x, 2)); }
#include "devicelibs/ocml/special.inc"

constexpr double kInf = std::numeric_limits<double>::infinity();

double ulps(double got, long double want) {
  double nearest = (double)want;
  if (got == nearest) return 0;
  if (!std::isfinite(nearest) || !std::isfinite(got)) return 1e30;
  double size = std::fabs(nearest);
  double ulp = size < 0x1p-1022 ? 0x1p-1074 : std::ldexp(1.0, std::ilogb(size) - 52);
  return (double)(std::fabs((long double)got - want) / ulp);
}

std::mt19937_64 rng(20251130);
double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(rng); }
double geometric(double a, double b) { return std::exp(uniform(std::log(a), std::log(b))); }

void check(const char* name, const std::function<double(double)>& f, const std::function<long double(long double)>& ref,
           const std::function<double()>& argument, double bound, int count = 20000) {
  double worst = 0, at = 0;
  for (int i = 0; i < count; ++i) {
    double x = argument();
    double e = ulps(f(x), ref(x));
    if (e > worst) worst = e, at = x;
  }
  EXPECT_LE(worst, bound) << name << " at " << std::hexfloat << at;
}

TEST(Special, Erfcx) {
  auto ref = [](long double x) { return expl(x * x) * erfcl(x); };
  check("erfcx", special_erfcx, ref, [] { return uniform(-20, 15); }, 4);
  check("erfcx small", special_erfcx, ref, [] { return geometric(1e-300, 2); }, 4);
  // 1 / (sqrt(pi) x) (1 - 1/(2x^2) + 3/(4x^4) - 15/(8x^6)) is as good as long double from 1000 on.
  auto far = [](long double x) {
    long double u = 1 / (2 * x * x);
    return (1 - u * (1 - 3 * u * (1 - 5 * u))) / (x * sqrtl(M_PIl));
  };
  check("erfcx far", special_erfcx, far, [] { return geometric(1000, 1e300); }, 4);
  EXPECT_EQ(special_erfcx(-30.0), kInf);
  EXPECT_EQ(special_erfcx(kInf), 0.0);
  EXPECT_EQ(special_erfcx(-kInf), kInf);
  EXPECT_TRUE(isnan(special_erfcx(NAN)));
}

// Inverses: one Newton step from the result in long double gives the reference.
long double erfinv_ref(long double x, double near) {
  long double r = near;
  for (int i = 0; i < 3; ++i) r -= (erfl(r) - x) / (2 / sqrtl(M_PIl) * expl(-r * r));
  return r;
}
long double erfcinv_ref(long double y, double near) {
  long double r = near;
  for (int i = 0; i < 3; ++i) r += (erfcl(r) - y) / (2 / sqrtl(M_PIl) * expl(-r * r));
  return r;
}
TEST(Special, ErfinvErfcinv) {
  check("erfinv", special_erfinv, [](long double x) { return erfinv_ref(x, special_erfinv((double)x)); },
        [] { return uniform(-0.9, 0.9); }, 3);
  check("erfinv edge", special_erfinv,
        [](long double x) { return erfcinv_ref(1 - x, special_erfinv((double)x)); }, [] { return 1 - geometric(0x1p-53, .2); }, 3);
  check("erfcinv", special_erfcinv, [](long double y) { return erfcinv_ref(y, special_erfcinv((double)y)); },
        [] { return geometric(5e-324, 0.9); }, 3);
  check("erfcinv above 1", special_erfcinv, [](long double y) { return -erfcinv_ref(2 - y, -special_erfcinv((double)y)); },
        [] { return uniform(1.1, 2); }, 3);
  // A wrong start of the reference would hide a wrong result: the value itself must also satisfy erf(r) = x.
  for (double x : {1e-10, 0.1, 0.5, 0.75, 0.99, -0.3}) EXPECT_NEAR(std::erf(special_erfinv(x)), x, 1e-15);
  for (double y : {1e-300, 1e-20, 0.3, 1.0, 1.7}) EXPECT_NEAR(std::erfc(special_erfcinv(y)) / y, 1, 1e-12);
  EXPECT_EQ(special_erfinv(1), kInf);
  EXPECT_EQ(special_erfinv(-1), -kInf);
  EXPECT_TRUE(isnan(special_erfinv(1.5)));
  EXPECT_TRUE(isnan(special_erfinv(NAN)));
  EXPECT_EQ(special_erfinv(0.0), 0.0);
  EXPECT_TRUE(std::signbit(special_erfinv(-0.0)));
  EXPECT_EQ(special_erfcinv(0), kInf);
  EXPECT_EQ(special_erfcinv(2), -kInf);
  EXPECT_EQ(special_erfcinv(1), 0.0);
  EXPECT_TRUE(isnan(special_erfcinv(-0.1)));
  EXPECT_TRUE(isnan(special_erfcinv(2.1)));
}

TEST(Special, NormalDistribution) {
  check("ncdf", special_ncdf, [](long double x) { return erfcl(-x / sqrtl(2)) / 2; }, [] { return uniform(-37, 8); }, 4);
  check("ncdfinv", special_ncdfinv,
        [](long double p) { return -sqrtl(2) * erfcinv_ref(2 * p, special_erfcinv(2 * (double)p)); },
        [] { return geometric(1e-300, 0.45); }, 4);
  EXPECT_EQ(special_ncdf(-kInf), 0.0);
  EXPECT_EQ(special_ncdf(kInf), 1.0);
  EXPECT_EQ(special_ncdf(0), 0.5);
  EXPECT_EQ(special_ncdfinv(0), -kInf);
  EXPECT_EQ(special_ncdfinv(1), kInf);
  EXPECT_EQ(special_ncdfinv(0.5), 0.0);
}

TEST(Special, RootsAndLengths) {
  check("rcbrt", special_rcbrt, [](long double x) { return 1 / cbrtl(x); }, [] { return geometric(1e-308, 1e308); }, 1);
  EXPECT_EQ(special_rcbrt(0.0), kInf);
  EXPECT_EQ(special_rcbrt(-0.0), -kInf);
  EXPECT_EQ(special_rcbrt(kInf), 0.0);
  EXPECT_EQ(special_rcbrt(-8.0), -0.5);
  double len = 0, rlen = 0;
  for (int i = 0; i < 20000; ++i) {
    double s = geometric(1e-300, 1e300), v[4];
    for (double& x : v) x = uniform(-1, 1) * s * geometric(1e-9, 1);
    long double sum = 0;
    for (double x : v) sum += (long double)x * x;
    len = std::max(len, ulps(special_len4(v[0], v[1], v[2], v[3]), sqrtl(sum)));
    rlen = std::max(rlen, ulps(special_rlen4(v[0], v[1], v[2], v[3]), 1 / sqrtl(sum)));
  }
  EXPECT_LE(len, 1);
  EXPECT_LE(rlen, 1);
  EXPECT_EQ(special_len4(NAN, kInf, 0, 0), kInf);
  EXPECT_EQ(special_rlen4(NAN, kInf, 0, 0), 0.0);
  EXPECT_EQ(special_rlen4(0, 0, 0, 0), kInf);
  EXPECT_EQ(special_len4(0x1p-1074, 0, 0, 0), 0x1p-1074);
}

TEST(Special, Gamma) {
  check("tgamma", special_tgamma, tgammal, [] { return uniform(0, 171.6); }, 6);
  check("tgamma tiny", special_tgamma, tgammal, [] { return geometric(1e-300, 1); }, 6);
  // Between the poles, and not next to one, where the host's sinpi above has no digits left.
  check("tgamma negative", special_tgamma, tgammal, [] { return -std::floor(uniform(0, 183)) - uniform(0.1, 0.9); }, 8);
  EXPECT_EQ(special_tgamma(1), 1.0);
  EXPECT_EQ(special_tgamma(5), 24.0);
  EXPECT_EQ(special_tgamma(0.0), kInf);
  EXPECT_EQ(special_tgamma(-0.0), -kInf);
  EXPECT_EQ(special_tgamma(200), kInf);
  EXPECT_TRUE(isnan(special_tgamma(-3)));
  EXPECT_TRUE(isnan(special_tgamma(-kInf)));
  EXPECT_EQ(special_tgamma(-200.5), 0.0);
  EXPECT_TRUE(std::signbit(special_tgamma(-200.5)));
  EXPECT_FALSE(std::signbit(special_tgamma(-201.5)));
}

TEST(Special, BesselNearTheOrigin) {
  check("j0", special_j0, j0l, [] { return uniform(-8, 8); }, 4);
  check("j1", special_j1, j1l, [] { return uniform(-8, 8); }, 4);
  check("y0", special_y0, y0l, [] { return geometric(1e-300, 8); }, 4);
  check("y1", special_y1, y1l, [] { return geometric(1e-300, 8); }, 4);
  EXPECT_EQ(special_j0(0), 1.0);
  EXPECT_TRUE(std::signbit(special_j1(-0.0)));
  EXPECT_EQ(special_y0(0), -kInf);
  EXPECT_EQ(special_y1(0), -kInf);
  EXPECT_TRUE(isnan(special_y0(-1)));
  EXPECT_EQ(special_j0(kInf), 0.0);
  EXPECT_EQ(special_y1(kInf), 0.0);
}

// Far out the error is measured against the amplitude sqrt(2 / (pi x)): next to a zero no ULP bound is promised.
TEST(Special, BesselFar) {
  struct Case {
    const char* name;
    double (*f)(double);
    long double (*ref)(long double);
  } cases[] = {{"j0", special_j0, j0l}, {"j1", special_j1, j1l}, {"y0", special_y0, y0l}, {"y1", special_y1, y1l}};
  for (const Case& c : cases) {
    double worst = 0, at = 0;
    for (int i = 0; i < 20000; ++i) {
      double x = geometric(8, 1e6);
      double e = (double)(std::fabs((long double)c.f(x) - c.ref(x)) / sqrtl(2 / (M_PIl * x)) * 0x1p53L);
      if (e > worst) worst = e, at = x;
    }
    EXPECT_LE(worst, 6) << c.name << " at " << at;
  }
}

TEST(Special, ModifiedBessel) {
  auto series = [](int order) {
    return [order](long double x) {
      long double q = x * x / 4, term = order ? x / 2 : 1, sum = 0;
      for (int k = 1; k < 3000; ++k) {
        sum += term;
        if (term < sum * 0x1p-70L) break;
        term *= q / ((long double)k * (k + order));
      }
      return sum;
    };
  };
  check("i0", special_i0, series(0), [] { return uniform(0, 713); }, 5, 3000);
  check("i1", special_i1, series(1), [] { return uniform(0, 713); }, 5, 3000);
  check("i0 near", special_i0, series(0), [] { return uniform(0, 10); }, 5);
  check("i1 near", special_i1, series(1), [] { return geometric(1e-300, 10); }, 5);
  EXPECT_EQ(special_i0(0), 1.0);
  EXPECT_EQ(special_i0(-kInf), kInf);
  EXPECT_EQ(special_i1(-kInf), -kInf);
  EXPECT_EQ(special_i1(-2.0), -special_i1(2.0));
}

} // namespace
