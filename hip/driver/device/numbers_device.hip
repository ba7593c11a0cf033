// Device functions whose result is exact or has several parts: arithmetic with a chosen rounding, against the host's FPU
// under fesetround; frexp, ilogb, remquo, modf, sincos, ldexp, nextafter; inverses, by going back; lengths; the 16-bit
// functions. Prints PASSED.
//   hipcc numbers_device.hip -o numbers_device && ./numbers_device
#include <hip/hip_runtime.h>

#include <cfenv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    hipError_t status = (call);                                                                                        \
    if (status != hipSuccess) {                                                                                        \
      std::fprintf(stderr, "%s failed: %s\n", #call, hipGetErrorString(status));                                       \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  } while (0)

static int failures = 0, checks = 0;
template <class T> void expect(const char* what, double x, double y, T got, T want) {
  ++checks;
  if (std::memcmp(&got, &want, sizeof(T)) == 0 || (got != got && want != want)) return;
  if (++failures <= 40) std::printf("%s(%a, %a): got %a, want %a\n", what, x, y, (double)got, (double)want);
}
void expect_near(const char* what, double x, double got, double want, double tolerance) {
  ++checks;
  if (std::fabs(got - want) <= tolerance * std::fabs(want) || got == want) return;
  if (++failures <= 40) std::printf("%s(%a): got %.17g, want %.17g\n", what, x, got, want);
}

/// out[i * parts + k] for k < parts, from x[i], y[i], z[i].
template <class T, class F> __global__ void apply(F f, const T* x, const T* y, const T* z, T* out, int n, int parts) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f(x[i], y[i], z[i], out + i * parts);
}
template <class T, class F>
std::vector<T> run(F f, const std::vector<T>& x, const std::vector<T>& y, const std::vector<T>& z, int parts) {
  int n = (int)x.size();
  T* memory;
  CHECK(hipMalloc(&memory, (3 + parts) * n * sizeof(T)));
  CHECK(hipMemcpy(memory, x.data(), n * sizeof(T), hipMemcpyHostToDevice));
  CHECK(hipMemcpy(memory + n, y.data(), n * sizeof(T), hipMemcpyHostToDevice));
  CHECK(hipMemcpy(memory + 2 * n, z.data(), n * sizeof(T), hipMemcpyHostToDevice));
  apply<T><<<(n + 127) / 128, 128>>>(f, memory, memory + n, memory + 2 * n, memory + 3 * n, n, parts);
  CHECK(hipGetLastError());
  std::vector<T> out(n * parts);
  CHECK(hipMemcpy(out.data(), memory + 3 * n, n * parts * sizeof(T), hipMemcpyDeviceToHost));
  CHECK(hipFree(memory));
  return out;
}

std::mt19937_64 rng(7);
/// Any finite number, subnormal ones too, with exponents around that of `like` half of the time.
template <class T> T any_number(T like) {
  for (;;) {
    T v;
    if constexpr (sizeof(T) == 4) {
      unsigned b = (unsigned)rng();
      std::memcpy(&v, &b, 4);
    } else {
      unsigned long long b = rng();
      std::memcpy(&v, &b, 8);
    }
    if (!std::isfinite(v)) continue;
    if (like != 0 && (rng() & 1)) {
      int e;
      v = std::frexp(v, &e);
      v = std::ldexp(v, std::ilogb(like) + (int)(rng() % 9) - 4);
      if (!std::isfinite(v)) continue;
    }
    return v;
  }
}
template <class T> std::vector<T> numbers(int n, const std::vector<T>* like = nullptr) {
  std::vector<T> v(n);
  for (int i = 0; i < n; ++i) v[i] = any_number<T>(like ? (*like)[i] : T(0));
  const T special[] = {T(0), -T(0), T(1), -T(1), std::numeric_limits<T>::infinity(), -std::numeric_limits<T>::infinity(),
                       std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::max(), std::numeric_limits<T>::denorm_min()};
  for (size_t i = 0; i < 9; ++i) v[like ? i * 9 % n : i] = special[i];
  return v;
}

// ---- Rounding -------------------------------------------------------------------------------------------------------

// Outputs: add, sub, mul, div, sqrt, fma; each rte, rtn, rtp, rtz.
#define FOUR(op, s, i, ...)                                                                                            \
  o[i] = __ocml_##op##_rte_##s(__VA_ARGS__), o[i + 1] = __ocml_##op##_rtn_##s(__VA_ARGS__),                            \
  o[i + 2] = __ocml_##op##_rtp_##s(__VA_ARGS__), o[i + 3] = __ocml_##op##_rtz_##s(__VA_ARGS__)

template <class T, class F> void check_rounding(const char* type, F device) {
  const int n = 4000;
  std::vector<T> x = numbers<T>(n), y = numbers<T>(n, &x), z = numbers<T>(n, &x);
  std::vector<T> out = run<T>(device, x, y, z, 24);
  const int modes[4] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};
  const char* names[6] = {"add", "sub", "mul", "div", "sqrt", "fma"};
  for (int m = 0; m < 4; ++m) {
    std::fesetround(modes[m]);
    for (int i = 0; i < n; ++i) {
      volatile T a = x[i], b = y[i], c = z[i];
      volatile T want[6];
      want[0] = a + b, want[1] = a - b, want[2] = a * b, want[3] = a / b, want[4] = std::sqrt(a), want[5] = std::fma(a, b, c);
      std::fesetround(FE_TONEAREST);
      for (int k = 0; k < 6; ++k) {
        char what[64];
        std::snprintf(what, sizeof what, "%s_%d_%s", names[k], m, type);
        expect<T>(what, x[i], y[i], out[i * 24 + k * 4 + m], (T)want[k]);
      }
      std::fesetround(modes[m]);
    }
  }
  std::fesetround(FE_TONEAREST);
}

// ---- Parts ----------------------------------------------------------------------------------------------------------

template <class T, class F> void check_parts(F device) {
  const int n = 4000;
  std::vector<T> x = numbers<T>(n), y = numbers<T>(n, &x), z = x;
  std::vector<T> out = run<T>(device, x, y, z, 12);
  for (int i = 0; i < n; ++i) {
    const T* o = &out[i * 12];
    int e = 0;
    T m = std::frexp(x[i], &e);
    if (!std::isfinite(x[i])) e = 0;
    expect<T>("frexp", x[i], 0, o[0], m);
    expect<T>("frexp exponent", x[i], 0, o[1], (T)e);
    if (x[i] != 0 && std::isfinite(x[i])) expect<T>("ilogb", x[i], 0, o[2], (T)std::ilogb(x[i]));
    int q = 0;
    T r = std::remquo(x[i], y[i], &q);
    if (std::isfinite(x[i]) && std::isfinite(y[i]) && y[i] != 0) {
      expect<T>("remquo", x[i], y[i], o[3], r);
      expect<T>("remquo quotient", x[i], y[i], (T)((int)o[4] & 7), (T)(q & 7));
      expect<T>("remquo sign", x[i], y[i], (T)((int)o[4] < 0 && q < 0), (T)((int)o[4] < 0 && q != 0));
    }
    T whole;
    T part = std::modf(x[i], &whole);
    expect<T>("modf", x[i], 0, o[5], part);
    expect<T>("modf whole", x[i], 0, o[6], whole);
    if (std::fabs(x[i]) < 1e5) {
      expect_near("sincos", x[i], o[7], std::sin((long double)x[i]), sizeof(T) == 4 ? 3e-7 : 5e-16);
      expect_near("sincos cos", x[i], o[8], std::cos((long double)x[i]), sizeof(T) == 4 ? 3e-7 : 5e-16);
    }
    expect<T>("ldexp", x[i], 0, o[9], std::ldexp(x[i], i % 300 - 150));
    expect<T>("nextafter", x[i], y[i], o[10], std::nextafter(x[i], y[i]));
    if (std::isfinite(x[i]) && x[i] != 0) expect<T>("logb", x[i], 0, o[11], std::logb(x[i]));
  }
}
#define PARTS                                                                                                       \
  [] __device__(auto x, auto y, auto, auto* o) {                                                                       \
    int e, q;                                                                                                          \
    __typeof__(x) whole, c;                                                                                            \
    o[0] = frexp(x, &e), o[1] = e, o[2] = ilogb(x), o[3] = remquo(x, y, &q), o[4] = q, o[5] = modf(x, &whole);         \
    o[6] = whole;                                                                                                      \
    sincos(x, &o[7], &c);                                                                                              \
    o[8] = c, o[9] = ldexp(x, (int)(blockIdx.x * blockDim.x + threadIdx.x) % 300 - 150), o[10] = nextafter(x, y);      \
    o[11] = logb(x);                                                                                                   \
  }
__device__ inline void sincos(float x, float* s, float* c) { sincosf(x, s, c); }

// ---- Inverses and lengths -------------------------------------------------------------------------------------------

void check_inverses() {
  const int n = 4000;
  std::vector<double> x(n), y(n), z(n);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int i = 0; i < n; ++i) x[i] = unit(rng), y[i] = (unit(rng) - 0.5) * std::ldexp(1.0, (int)(rng() % 1800) - 900), z[i] = y[i] * (unit(rng) * 4 - 2);
  auto out = run<double>(
      [] __device__(double x, double y, double z, double* o) {
        o[0] = erfinv(x), o[1] = erfcinv(x), o[2] = normcdfinv(x), o[3] = norm3d(x * y, y, z), o[4] = rnorm4d(y, z, y, z);
        o[5] = erfinvf((float)x), o[6] = erfcinvf((float)x), o[7] = rhypot(y, z), o[8] = norm4d(y, z, x * z, y);
        o[9] = sinpi(x * 9), o[10] = exp10(x * 9), o[11] = cbrt(y);
      },
      x, y, z, 12);
  for (int i = 0; i < n; ++i) {
    const double* o = &out[i * 12];
    expect_near("erfinv", x[i], std::erf((long double)o[0]), x[i], 4e-16);
    expect_near("erfcinv", x[i], std::erfc((long double)o[1]), x[i], 2e-15);
    expect_near("normcdfinv", x[i], std::erfc(-(long double)o[2] / sqrtl(2.0L)) / 2, x[i], 4e-15);
    long double a = (long double)(x[i] * y[i]), b = y[i], c = z[i];
    expect_near("norm3d", y[i], o[3], (double)sqrtl(a * a + b * b + c * c), 3e-16);
    expect_near("rnorm4d", y[i], o[4], (double)(1 / sqrtl(2 * b * b + 2 * c * c)), 3e-16);
    expect_near("erfinvf", x[i], std::erf(o[5]), (float)x[i], 1e-6);
    expect_near("erfcinvf", x[i], std::erfc(o[6]), (float)x[i], 4e-6);
    expect_near("rhypot", y[i], o[7], (double)(1 / sqrtl(b * b + c * c)), 3e-16);
  }
}

// ---- 16 bits: every argument ----------------------------------------------------------------------------------------

extern "C" {
__device__ _Float16 __ocml_tanh_f16(_Float16);
__device__ _Float16 __ocml_erf_f16(_Float16);
__device__ _Float16 __ocml_cbrt_f16(_Float16);
}
__global__ void halves(_Float16* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  _Float16 x = __builtin_bit_cast(_Float16, (unsigned short)i);
  _Float16* o = out + i * 8;
  o[0] = __ocml_sqrt_f16(x), o[1] = __ocml_exp_f16(x), o[2] = __ocml_log_f16(x), o[3] = __ocml_rsqrt_f16(x);
  o[4] = __ocml_tanh_f16(x), o[5] = __ocml_cbrt_f16(x), o[6] = __ocml_rint_f16(x), o[7] = __ocml_sin_f16(x);
}
int steps_between(_Float16 a, _Float16 b) {
  if (a != a && b != b) return 0;
  if (a != a || b != b) return 1000;
  short x, y;
  std::memcpy(&x, &a, 2);
  std::memcpy(&y, &b, 2);
  int i = x < 0 ? -(x & 0x7fff) : x, j = y < 0 ? -(y & 0x7fff) : y;
  return std::abs(i - j);
}
void check_halves() {
  _Float16* memory;
  CHECK(hipMalloc(&memory, 65536 * 8 * 2));
  halves<<<256, 256>>>(memory);
  CHECK(hipGetLastError());
  std::vector<_Float16> out(65536 * 8);
  CHECK(hipMemcpy(out.data(), memory, 65536 * 8 * 2, hipMemcpyDeviceToHost));
  CHECK(hipFree(memory));
  const char* names[8] = {"sqrt_f16", "exp_f16", "log_f16", "rsqrt_f16", "tanh_f16", "cbrt_f16", "rint_f16", "sin_f16"};
  for (int i = 0; i < 65536; ++i) {
    unsigned short bits = (unsigned short)i;
    _Float16 h;
    std::memcpy(&h, &bits, 2);
    double x = (double)h;
    double want[8] = {std::sqrt(x), std::exp(x), std::log(x), 1 / std::sqrt(x), std::tanh(x), std::cbrt(x), std::nearbyint(x), std::sin(x)};
    for (int k = 0; k < 8; ++k) {
      ++checks;
      int steps = steps_between(out[i * 8 + k], (_Float16)want[k]);
      if (steps > (k == 6 ? 0 : 1) && ++failures <= 40)
        std::printf("%s(%a): got %a, want %a\n", names[k], x, (double)out[i * 8 + k], want[k]);
    }
  }
}

int main() {
  check_rounding<float>("f32", [] __device__(float x, float y, float z, float* o) {
    FOUR(add, f32, 0, x, y), FOUR(sub, f32, 4, x, y), FOUR(mul, f32, 8, x, y), FOUR(div, f32, 12, x, y);
    FOUR(sqrt, f32, 16, x), FOUR(fma, f32, 20, x, y, z);
  });
  check_rounding<double>("f64", [] __device__(double x, double y, double z, double* o) {
    FOUR(add, f64, 0, x, y), FOUR(sub, f64, 4, x, y), FOUR(mul, f64, 8, x, y), FOUR(div, f64, 12, x, y);
    FOUR(sqrt, f64, 16, x), FOUR(fma, f64, 20, x, y, z);
  });
  check_parts<float>(PARTS);
  check_parts<double>(PARTS);
  check_inverses();
  check_halves();
  std::printf("%d checks, %d failed\n%s\n", checks, failures, failures ? "FAILED" : "PASSED");
  return failures != 0;
}
