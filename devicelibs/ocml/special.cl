// The functions of special.inc under their ocml names. The 32-bit forms compute in double and round once: they are
// right to half an ULP but for rare ties.
#include "ocml.h"

#define fabs(x) __builtin_fabs(x)
#define fma(a, b, c) __builtin_fma(a, b, c)
#define floor(x) __builtin_floor(x)
#define fmax(a, b) __builtin_fmax(a, b)
#define sqrt(x) __builtin_sqrt(x)
#define copysign(a, b) __builtin_copysign(a, b)
#define frexp(x, e) __builtin_frexp(x, e)
#define ldexp(x, n) __builtin_ldexp(x, n)
#define isnan(x) __builtin_isnan(x)
#define isinf(x) __builtin_isinf(x)
#define FN static
#include "special.inc"

#define UNARY(n)                                                                                                       \
  CONST double OCML(n##_f64)(double x) { return special_##n(x); }                                                      \
  CONST float OCML(n##_f32)(float x) { return (float)special_##n((double)x); }
UNARY(erfcinv)
UNARY(erfcx)
UNARY(erfinv)
UNARY(i0)
UNARY(i1)
UNARY(j0)
UNARY(j1)
UNARY(ncdf)
UNARY(ncdfinv)
UNARY(rcbrt)
UNARY(tgamma)
UNARY(y0)
UNARY(y1)

// Lengths of vectors: no square overflows or vanishes.
CONST double OCML(len3_f64)(double x, double y, double z) { return special_len4(x, y, z, 0.0); }
CONST double OCML(len4_f64)(double x, double y, double z, double w) { return special_len4(x, y, z, w); }
CONST double OCML(rhypot_f64)(double x, double y) { return special_rlen4(x, y, 0.0, 0.0); }
CONST double OCML(rlen3_f64)(double x, double y, double z) { return special_rlen4(x, y, z, 0.0); }
CONST double OCML(rlen4_f64)(double x, double y, double z, double w) { return special_rlen4(x, y, z, w); }

// Squares of floats neither overflow nor vanish in double.
static double squares(float x, float y, float z, float w) {
  double a = x, b = y, c = z, d = w;
  return a * a + b * b + (c * c + d * d);
}
static bool any_inf(float x, float y, float z, float w) { return isinf(x) || isinf(y) || isinf(z) || isinf(w); }
static float len_f32(float x, float y, float z, float w) {
  return any_inf(x, y, z, w) ? __builtin_inff() : (float)sqrt(squares(x, y, z, w));
}
static float rlen_f32(float x, float y, float z, float w) {
  return any_inf(x, y, z, w) ? 0.0f : (float)(1.0 / sqrt(squares(x, y, z, w)));
}
CONST float OCML(len3_f32)(float x, float y, float z) { return len_f32(x, y, z, 0.0f); }
CONST float OCML(len4_f32)(float x, float y, float z, float w) { return len_f32(x, y, z, w); }
CONST float OCML(rhypot_f32)(float x, float y) { return rlen_f32(x, y, 0.0f, 0.0f); }
CONST float OCML(rlen3_f32)(float x, float y, float z) { return rlen_f32(x, y, z, 0.0f); }
CONST float OCML(rlen4_f32)(float x, float y, float z, float w) { return rlen_f32(x, y, z, w); }

// ---- Parts of numbers -----------------------------------------------------------------------------------------------

#define PARTS(t, s, big)                                                                                               \
  t OCML(frexp_##s)(t x, __private int* e) {                                                                           \
    if (x == 0 || isnan(x) || isinf(x)) {                                                                              \
      *e = 0;                                                                                                          \
      return x;                                                                                                        \
    }                                                                                                                  \
    int exponent;                                                                                                      \
    t m = (t)__builtin_frexp((double)x, &exponent);                                                                    \
    *e = exponent;                                                                                                     \
    return m;                                                                                                          \
  }                                                                                                                    \
  CONST int OCML(ilogb_##s)(t x) {                                                                                     \
    if (x == 0 || isnan(x)) return -2147483647 - 1; /* FP_ILOGB0 and FP_ILOGBNAN of HIP */                             \
    if (isinf(x)) return 2147483647;                                                                                   \
    int exponent;                                                                                                      \
    (void)__builtin_frexp((double)x, &exponent);                                                                       \
    return exponent - 1;                                                                                               \
  }                                                                                                                    \
  /* x * 2^n for an integral n; a broken exponent is an invalid operation, as for scalb of POSIX */                    \
  CONST t OCML(scalb_##s)(t x, t n) {                                                                                  \
    if (isnan(x) || isnan(n)) return (t)(x * n);                                                                       \
    if (isinf(n)) {                                                                                                    \
      if (n > 0) return x == 0 ? (t)SPECIAL_NAN : (t)(x * n);                                                          \
      return isinf(x) ? (t)SPECIAL_NAN : (t)__builtin_copysign(0.0, (double)x);                                        \
    }                                                                                                                  \
    if (__builtin_rint((double)n) != (double)n) return (t)SPECIAL_NAN;                                                 \
    double limited = __builtin_fmax(-big, __builtin_fmin((double)n, big));                                             \
    return LDEXP_##s(x, (int)limited);                                                                                 \
  }
#define LDEXP_f32 __builtin_ldexpf
#define LDEXP_f64 __builtin_ldexp
PARTS(float, f32, 1000.0)
PARTS(double, f64, 5000.0)

float OCML(sincospi_f32)(float x, __private float* c) {
  *c = cospi(x);
  return sinpi(x);
}
double OCML(sincospi_f64)(double x, __private double* c) {
  *c = cospi(x);
  return sinpi(x);
}

#define ORDER(t, s)                                                                                                    \
  CONST t OCML(max_##s)(t x, t y) { return x < y ? y : x; }                                                            \
  CONST t OCML(min_##s)(t x, t y) { return y < x ? y : x; }                                                            \
  CONST t OCML(maxmag_##s)(t x, t y) {                                                                                 \
    double a = fabs((double)x), b = fabs((double)y);                                                                   \
    return a > b ? x : b > a ? y : (t)fmax((double)x, (double)y);                                                      \
  }                                                                                                                    \
  CONST t OCML(minmag_##s)(t x, t y) {                                                                                 \
    double a = fabs((double)x), b = fabs((double)y);                                                                   \
    return a < b ? x : b < a ? y : (t)__builtin_fmin((double)x, (double)y);                                            \
  }
ORDER(float, f32)
ORDER(double, f64)
ORDER(half, f16)
