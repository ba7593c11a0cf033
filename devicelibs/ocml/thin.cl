// The ocml functions that are a name for a libclc function or for one instruction. What libclc lacks is in special.cl.
#include "ocml.h"

#define UNARY(n)                                                                                                       \
  CONST float OCML(n##_f32)(float x) { return n(x); }                                                                  \
  CONST double OCML(n##_f64)(double x) { return n(x); }
CLC_UNARY(UNARY)
#define UNARY_DOUBLE(n)                                                                                                \
  CONST float OCML(n##_f32)(float x) { return (float)n((double)x); }                                                   \
  CONST double OCML(n##_f64)(double x) { return n(x); }
CLC_UNARY_DOUBLE(UNARY_DOUBLE)
#define BINARY(n)                                                                                                      \
  CONST float OCML(n##_f32)(float x, float y) { return n(x, y); }                                                      \
  CONST double OCML(n##_f64)(double x, double y) { return n(x, y); }
CLC_BINARY(BINARY)
#define BINARY_DOUBLE(n)                                                                                               \
  CONST float OCML(n##_f32)(float x, float y) { return (float)n((double)x, (double)y); }                               \
  CONST double OCML(n##_f64)(double x, double y) { return n(x, y); }
CLC_BINARY_DOUBLE(BINARY_DOUBLE)

CONST float OCML(pown_f32)(float x, int n) { return pown(x, n); }
CONST double OCML(pown_f64)(double x, int n) { return pown(x, n); }
CONST float OCML(rootn_f32)(float x, int n) { return rootn(x, n); }
CONST double OCML(rootn_f64)(double x, int n) { return rootn(x, n); }

float OCML(modf_f32)(float x, __private float* p) { return modf(x, p); }
double OCML(modf_f64)(double x, __private double* p) { return modf(x, p); }
float OCML(fract_f32)(float x, __private float* p) { return fract(x, p); }
double OCML(fract_f64)(double x, __private double* p) { return fract(x, p); }
float OCML(sincos_f32)(float x, __private float* p) { return sincos(x, p); }
double OCML(sincos_f64)(double x, __private double* p) { return sincos(x, p); }
float OCML(lgamma_r_f32)(float x, __private int* p) { return (float)lgamma_r((double)x, p); }
double OCML(lgamma_r_f64)(double x, __private int* p) { return lgamma_r(x, p); }
float OCML(remquo_f32)(float x, float y, __private int* q) { return (float)remquo((double)x, (double)y, q); }
double OCML(remquo_f64)(double x, double y, __private int* q) { return remquo(x, y, q); }

// Functions that are one operation of the compiler. suffix, type, builtin suffix.
#define FOR_TYPES(X, n) X(n, f32, float, f) X(n, f64, double, ) X(n, f16, half, f16)
#define BUILTIN1(n, s, t, b) CONST t OCML(n##_##s)(t x) { return __builtin_##n##b(x); }
#define BUILTIN2(n, s, t, b) CONST t OCML(n##_##s)(t x, t y) { return __builtin_##n##b(x, y); }
FOR_TYPES(BUILTIN1, ceil)
FOR_TYPES(BUILTIN1, fabs)
FOR_TYPES(BUILTIN1, floor)
FOR_TYPES(BUILTIN1, rint)
FOR_TYPES(BUILTIN1, trunc)
FOR_TYPES(BUILTIN2, copysign)
FOR_TYPES(BUILTIN2, fmax)
FOR_TYPES(BUILTIN2, fmin)
// The environment is never inspected on a GPU: nearbyint is rint.
CONST float OCML(nearbyint_f32)(float x) { return __builtin_rintf(x); }
CONST double OCML(nearbyint_f64)(double x) { return __builtin_rint(x); }
CONST half OCML(nearbyint_f16)(half x) { return __builtin_rintf16(x); }

#define FMA(n, s, t, b) CONST t OCML(n##_##s)(t x, t y, t z) { return __builtin_fma##b(x, y, z); }
FOR_TYPES(FMA, fma)
FOR_TYPES(FMA, mad)

// The 32-bit root is within 1 ULP unless -fhip-fp32-correctly-rounded-divide-sqrt asks for a correctly rounded one: a
// generic !fpmath bound lets the compiler choose, and the control variable forbids it.
CONST float OCML(sqrt_f32)(float x) {
  return __oclc_correctly_rounded_sqrt32 ? (float)__builtin_sqrt((double)x) : __builtin_sqrtf(x);
}
CONST double OCML(sqrt_f64)(double x) { return __builtin_sqrt(x); }
CONST half OCML(sqrt_f16)(half x) { return (half)__builtin_sqrtf((float)x); }

CONST float OCML(ldexp_f32)(float x, int n) { return __builtin_ldexpf(x, n); }
CONST double OCML(ldexp_f64)(double x, int n) { return __builtin_ldexp(x, n); }
CONST half OCML(ldexp_f16)(half x, int n) { return (half)__builtin_ldexpf((float)x, n); }
CONST float OCML(scalbn_f32)(float x, int n) { return __builtin_ldexpf(x, n); }
CONST double OCML(scalbn_f64)(double x, int n) { return __builtin_ldexp(x, n); }
CONST half OCML(scalbn_f16)(half x, int n) { return (half)__builtin_ldexpf((float)x, n); }

#define CLASSIFY(n, s, t, b)                                                                                           \
  CONST int OCML(isfinite_##s)(t x) { return __builtin_isfinite(x); }                                                  \
  CONST int OCML(isinf_##s)(t x) { return __builtin_isinf(x) != 0; }                                                   \
  CONST int OCML(isnan_##s)(t x) { return __builtin_isnan(x); }                                                        \
  CONST int OCML(isnormal_##s)(t x) { return __builtin_isnormal(x); }
FOR_TYPES(CLASSIFY, classify)
CONST int OCML(signbit_f32)(float x) { return __builtin_signbitf(x) != 0; }
CONST int OCML(signbit_f64)(double x) { return __builtin_signbit(x) != 0; }
CONST int OCML(signbit_f16)(half x) { return __builtin_signbitf((float)x) != 0; }

// The approximations that CUDA spells __sinf, __expf and so on: what one instruction gives.
#define LOG2E 0x1.715476p+0f
#define LN2 0x1.62e43p-1f
#define LOG2_10 0x1.a934fp+1f
#define LOG10_2 0x1.344136p-2f
#define TWO_PI_INV 0x1.45f306p-3f
CONST float OCML(native_sin_f32)(float x) { return __builtin_amdgcn_sinf(__builtin_amdgcn_fractf(x * TWO_PI_INV)); }
CONST float OCML(native_cos_f32)(float x) { return __builtin_amdgcn_cosf(__builtin_amdgcn_fractf(x * TWO_PI_INV)); }
CONST float OCML(native_exp2_f32)(float x) { return __builtin_amdgcn_exp2f(x); }
CONST float OCML(native_exp_f32)(float x) { return __builtin_amdgcn_exp2f(x * LOG2E); }
CONST float OCML(native_exp10_f32)(float x) { return __builtin_amdgcn_exp2f(x * LOG2_10); }
CONST float OCML(native_log2_f32)(float x) { return __builtin_amdgcn_logf(x); }
CONST float OCML(native_log_f32)(float x) { return __builtin_amdgcn_logf(x) * LN2; }
CONST float OCML(native_log10_f32)(float x) { return __builtin_amdgcn_logf(x) * LOG10_2; }
CONST float OCML(native_sqrt_f32)(float x) { return __builtin_amdgcn_sqrtf(x); }
CONST float OCML(native_rsqrt_f32)(float x) { return __builtin_amdgcn_rsqf(x); }
CONST float OCML(native_rcp_f32)(float x) { return __builtin_amdgcn_rcpf(x); }
CONST float OCML(native_recip_f32)(float x) { return __builtin_amdgcn_rcpf(x); }
CONST double OCML(native_rcp_f64)(double x) { return 1.0 / x; }
CONST double OCML(native_rsqrt_f64)(double x) { return rsqrt(x); }
CONST double OCML(native_sqrt_f64)(double x) { return __builtin_sqrt(x); }
