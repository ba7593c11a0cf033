// The math functions on a device against long double on the host: the worst error of each in ULP, over ordinary ranges
// and edge values. Prints PASSED, or each function that is beyond its bound (HIP's documented bound or OpenCL's, where
// HIP documents none) or wrong at a special value.
//   hipcc math_device.hip -o math_device && ./math_device [samples]
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <vector>

typedef long double Real;

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    hipError_t status = (call);                                                                                        \
    if (status != hipSuccess) {                                                                                        \
      std::fprintf(stderr, "%s failed: %s\n", #call, hipGetErrorString(status));                                       \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  } while (0)

namespace {

template <class T, class F> __global__ void apply(F f, const T* x, const T* y, T* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = f(x[i], y[i]);
}

template <class T> double ulps(T got, Real want) {
  T nearest = (T)want;
  if (std::isnan(nearest) || std::isnan(got)) return std::isnan(nearest) == std::isnan(got) ? 0 : 1e30;
  if (got == nearest) return 0;
  const int digits = std::numeric_limits<T>::digits, lowest = std::numeric_limits<T>::min_exponent - 1;
  // An infinity next to the largest number is one ULP away.
  if (std::isinf(got) || std::isinf(nearest)) {
    Real limit = ldexpl(1, std::numeric_limits<T>::max_exponent);
    if (std::isinf(got) && std::signbit(got) == std::signbit(want) && std::fabs(want) > limit * 0.999999L) return 1;
    return 1e30;
  }
  int e = want == 0 ? lowest : std::max(ilogbl(want), lowest);
  return (double)(fabsl((Real)got - want) / ldexpl(1, e - digits + 1));
}

std::mt19937_64 rng(20251130);
double uniform(double a, double b) { return std::uniform_real_distribution<double>(a, b)(rng); }
double geometric(double a, double b) { return std::exp(uniform(std::log(a), std::log(b))); }

int failures = 0, functions = 0;
int samples = 4096;

template <class T, class F>
void check(const char* name, double bound, F f, std::function<Real(Real, Real)> reference, std::function<double()> gx,
           std::function<double()> gy, std::vector<std::pair<double, double>> edges = {}) {
  std::vector<T> x, y;
  for (auto [a, b] : edges) x.push_back((T)a), y.push_back((T)b);
  while ((int)x.size() < samples) x.push_back((T)gx()), y.push_back((T)gy());
  int n = (int)x.size();
  std::vector<T> out(n);
  T *dx, *dy, *dout;
  CHECK(hipMalloc(&dx, n * sizeof(T)));
  CHECK(hipMalloc(&dy, n * sizeof(T)));
  CHECK(hipMalloc(&dout, n * sizeof(T)));
  CHECK(hipMemcpy(dx, x.data(), n * sizeof(T), hipMemcpyHostToDevice));
  CHECK(hipMemcpy(dy, y.data(), n * sizeof(T), hipMemcpyHostToDevice));
  apply<T><<<(n + 255) / 256, 256>>>(f, dx, dy, dout, n);
  CHECK(hipGetLastError());
  CHECK(hipMemcpy(out.data(), dout, n * sizeof(T), hipMemcpyDeviceToHost));
  CHECK(hipFree(dx));
  CHECK(hipFree(dy));
  CHECK(hipFree(dout));
  double worst = 0;
  int at = 0;
  for (int i = 0; i < n; ++i) {
    double e = ulps<T>(out[i], reference((Real)x[i], (Real)y[i]));
    if (e > worst) worst = e, at = i;
  }
  ++functions;
  if (worst > bound) {
    ++failures;
    std::printf("%s (f%d): %.3g ULP, bound %g, at (%a, %a): got %a\n", name, (int)sizeof(T) * 8, worst, bound,
                (double)x[at], (double)y[at], (double)out[at]);
  }
}

const double kInf = std::numeric_limits<double>::infinity(), kNan = std::nan("");
std::vector<std::pair<double, double>> edges1() {
  return {{0.0, 0}, {-0.0, 0}, {1, 0}, {-1, 0}, {kInf, 0}, {-kInf, 0}, {kNan, 0}, {0.5, 0}, {2, 0}, {1e-30, 0},
          {0x1p-127, 0}, {0x1.23456p-130, 0}, {-0x1p-149, 0}, {0x1p-1030, 0}, {-0x1p-1074, 0}};
}
std::vector<std::pair<double, double>> edges2() {
  std::vector<std::pair<double, double>> all;
  double v[] = {0.0, -0.0, 1, -1, 2, -2, 0.5, kInf, -kInf, kNan, 3, -3, 0x1.8p-130, -0x1p-149, 0x1p-1050};
  for (double a : v)
    for (double b : v) all.emplace_back(a, b);
  return all;
}
double none() { return 0; }

// name, bound for f32, bound for f64, device expression of x (f suffix for f32), reference, range
#define UNARY(name, b32, b64, reference, range32, range64)                                                             \
  check<float>(#name, b32, [] __device__(float x, float) { return name##f(x); },                                       \
               [](Real x, Real) -> Real { return reference; }, [] { return range32; }, none, edges1());                \
  check<double>(#name, b64, [] __device__(double x, double) { return name(x); },                                       \
                [](Real x, Real) -> Real { return reference; }, [] { return range64; }, none, edges1());
#define BINARY(name, b32, b64, reference, rx, ry)                                                                      \
  check<float>(#name, b32, [] __device__(float x, float y) { return name##f(x, y); },                                  \
               [](Real x, Real y) -> Real { return reference; }, [] { return rx; }, [] { return ry; }, edges2());      \
  check<double>(#name, b64, [] __device__(double x, double y) { return name(x, y); },                                  \
                [](Real x, Real y) -> Real { return reference; }, [] { return rx; }, [] { return ry; }, edges2());

const Real kPi = 3.141592653589793238462643383279502884L;
// Exact reduction, then an argument below 1/2, so that the reference keeps its digits next to a zero.
Real ref_sinpi(Real x) {
  if (!std::isfinite(x)) return kNan;
  Real r = fmodl(x, 2);
  if (r > 1) r -= 2;
  if (r < -1) r += 2;
  if (r > 0.5L) r = 1 - r;
  if (r < -0.5L) r = -1 - r;
  return r == 0 ? copysignl(0, x) : sinl(kPi * r);
}
Real ref_cospi(Real x) {
  if (!std::isfinite(x)) return kNan;
  Real r = fabsl(fmodl(x, 2));
  if (r > 1) r = 2 - r;
  return r <= 0.25L ? cosl(kPi * r) : sinl(kPi * (0.5L - r));
}
Real ref_erfcx(Real x) { return x > 100 ? 1 / (x * sqrtl(kPi)) * (1 - 1 / (2 * x * x) + 3 / (4 * x * x * x * x)) : expl(x * x) * erfcl(x); }
Real ref_i(int order, Real x) {
  if (std::isinf(x)) return order && x < 0 ? -kInf : kInf;
  Real q = x * x / 4, term = order ? x / 2 : 1, sum = 0;
  for (int k = 1; k < 400; ++k) {
    sum += term;
    term *= q / ((Real)k * (k + order));
  }
  return sum;
}

template <class T> void classification() {
  // Functions whose result is exact have no ULP to spare: compared bit for bit through a bound of 0.
  check<T>("fma", 0, [] __device__(T x, T y) { return fma(x, y, (T)-1); }, [](Real x, Real y) -> Real {
        return sizeof(T) == 4 ? (Real)fmaf((float)x, (float)y, -1.0f) : (Real)fma((double)x, (double)y, -1.0); },
           [] { return uniform(-2, 2); }, [] { return uniform(-2, 2); }, edges2());
  check<T>("sqrt", sizeof(T) == 4 ? 1 : 0.501, [] __device__(T x, T) { return sqrt(x); },
           [](Real x, Real) -> Real { return sqrtl(x); }, [] { return geometric(1e-37, 1e37); }, none, edges1());
  check<T>("divide", sizeof(T) == 4 ? 2.5 : 0.501, [] __device__(T x, T y) { return x / y; },
           [](Real x, Real y) -> Real { return x / y; }, [] { return uniform(-9, 9); }, [] { return geometric(1e-3, 1e3); },
           edges2());
}

} // namespace

int main(int argc, char** argv) {
  if (argc > 1) samples = std::atoi(argv[1]);
  UNARY(acos, 2, 2, acosl(x), uniform(-1, 1), uniform(-1, 1))
  UNARY(acosh, 2, 2, acoshl(x), geometric(1, 1e30), geometric(1, 1e300))
  UNARY(asin, 2, 2, asinl(x), uniform(-1, 1), uniform(-1, 1))
  UNARY(asinh, 1, 2, asinhl(x), uniform(-9, 9), uniform(-9, 9))
  UNARY(atan, 2, 2, atanl(x), uniform(-9, 9), uniform(-9, 9))
  UNARY(atanh, 2, 2, atanhl(x), uniform(-1, 1), uniform(-1, 1))
  UNARY(cbrt, 1, 1, cbrtl(x), geometric(1e-37, 1e37), geometric(1e-300, 1e300))
  UNARY(ceil, 0, 0, ceill(x), uniform(-99, 99), uniform(-99, 99))
  UNARY(cos, 2, 2, cosl(x), uniform(-1e5, 1e5), uniform(-1e5, 1e5))
  UNARY(cosh, 1, 2, coshl(x), uniform(-88, 88), uniform(-700, 700))
  UNARY(cospi, 2, 2, ref_cospi(x), uniform(-99, 99), uniform(-99, 99))
  UNARY(erf, 2, 2, erfl(x), uniform(-4, 4), uniform(-6, 6))
  UNARY(erfc, 1, 4, erfcl(x), uniform(-4, 9), uniform(-5, 26))
  UNARY(erfcx, 4, 4, ref_erfcx(x), uniform(-4, 50), uniform(-20, 20))
  UNARY(exp, 2, 2, expl(x), uniform(-87, 88), uniform(-700, 700))
  UNARY(exp10, 2, 2, exp10l(x), uniform(-37, 38), uniform(-300, 300))
  UNARY(exp2, 2, 2, exp2l(x), uniform(-125, 127), uniform(-1000, 1000))
  UNARY(expm1, 2, 2, expm1l(x), uniform(-5, 80), uniform(-5, 80))
  UNARY(fabs, 0, 0, fabsl(x), uniform(-99, 99), uniform(-99, 99))
  UNARY(floor, 0, 0, floorl(x), uniform(-99, 99), uniform(-99, 99))
  UNARY(lgamma, 4, 4, lgammal(x), uniform(3, 1000), uniform(3, 1000))
  UNARY(log, 2, 2, logl(x), geometric(1e-37, 1e37), geometric(1e-300, 1e300))
  UNARY(log10, 2, 2, log10l(x), geometric(1e-37, 1e37), geometric(1e-300, 1e300))
  UNARY(log1p, 2, 2, log1pl(x), uniform(-0.99, 50), uniform(-0.99, 50))
  UNARY(log2, 2, 2, log2l(x), geometric(1e-37, 1e37), geometric(1e-300, 1e300))
  UNARY(rcbrt, 1, 1, 1 / cbrtl(x), geometric(1e-37, 1e37), geometric(1e-300, 1e300))
  UNARY(rint, 0, 0, rintl(x), uniform(-99, 99), uniform(-99, 99))
  UNARY(round, 0, 0, roundl(x), uniform(-99, 99), uniform(-99, 99))
  UNARY(rsqrt, 2, 2, 1 / sqrtl(x), geometric(1e-37, 1e37), geometric(1e-300, 1e300))
  UNARY(sin, 2, 2, sinl(x), uniform(-1e5, 1e5), uniform(-1e5, 1e5))
  UNARY(sinh, 1, 2, sinhl(x), uniform(-88, 88), uniform(-700, 700))
  UNARY(sinpi, 2, 2, ref_sinpi(x), uniform(-99, 99), uniform(-99, 99))
  UNARY(tan, 1, 2, tanl(x), uniform(-1e3, 1e3), uniform(-1e3, 1e3))
  UNARY(tanh, 2, 2, tanhl(x), uniform(-9, 9), uniform(-9, 9))
  UNARY(tgamma, 6, 6, x == -1 || x == -kInf ? (Real)kNan : tgammal(x), uniform(0, 34), uniform(0, 170))
  UNARY(trunc, 0, 0, truncl(x), uniform(-99, 99), uniform(-99, 99))
  UNARY(cyl_bessel_i0, 4, 5, ref_i(0, x), uniform(-50, 50), uniform(-50, 50))
  UNARY(cyl_bessel_i1, 4, 5, ref_i(1, x), uniform(-50, 50), uniform(-50, 50))
  UNARY(j0, 4, 4, j0l(x), uniform(-8, 8), uniform(-8, 8))
  UNARY(j1, 4, 4, j1l(x), uniform(-8, 8), uniform(-8, 8))
  UNARY(y0, 4, 4, x < 0 ? (Real)kNan : y0l(x), geometric(1e-30, 8), geometric(1e-30, 8))
  UNARY(y1, 4, 4, x < 0 ? (Real)kNan : y1l(x), geometric(1e-30, 8), geometric(1e-30, 8))
  UNARY(normcdf, 4, 4, erfcl(-x / sqrtl(2)) / 2, uniform(-12, 6), uniform(-30, 6))

  BINARY(atan2, 1, 2, atan2l(x, y), uniform(-9, 9), uniform(-9, 9))
  BINARY(copysign, 0, 0, copysignl(x, y), uniform(-9, 9), uniform(-9, 9))
  BINARY(fdim, 0.5, 0.5, fdiml(x, y), uniform(-9, 9), uniform(-9, 9))
  BINARY(fmax, 0, 0, fmaxl(x, y), uniform(-9, 9), uniform(-9, 9))
  BINARY(fmin, 0, 0, fminl(x, y), uniform(-9, 9), uniform(-9, 9))
  BINARY(fmod, 0, 0, fmodl(x, y), uniform(-1e6, 1e6), uniform(-9, 9))
  BINARY(hypot, 2, 2, hypotl(x, y), geometric(1e-20, 1e20), geometric(1e-20, 1e20))
  BINARY(pow, 2, 2, powl(x, y), uniform(0, 9), uniform(-30, 30))
  BINARY(remainder, 0, 0, remainderl(x, y), uniform(-1e6, 1e6), uniform(-9, 9))
  BINARY(rhypot, 2, 2, 1 / hypotl(x, y), geometric(1e-15, 1e15), geometric(1e-15, 1e15))
  classification<float>();
  classification<double>();

  std::printf("%d functions, %d samples each, %d beyond their bound\n", functions, samples, failures);
  std::printf(failures ? "FAILED\n" : "PASSED\n");
  return failures != 0;
}
