// The 16-bit functions: a float has more than twice the digits, so that computing in float and rounding once is right to
// half an ULP but for rare ties. The forms on pairs work by component.
#include "ocml.h"

// X(name): one argument.
#define UNARY_HALF(X)                                                                                                  \
  X(acos) X(acosh) X(acospi) X(asin) X(asinh) X(asinpi) X(atan) X(atanh) X(atanpi) X(cbrt) X(cos) X(cosh) X(cospi)     \
  X(erf) X(erfc) X(erfcinv) X(erfcx) X(erfinv) X(exp) X(exp10) X(exp2) X(expm1) X(i0) X(i1) X(j0) X(j1) X(lgamma)      \
  X(log) X(log10) X(log1p) X(log2) X(logb) X(ncdf) X(ncdfinv) X(rcbrt) X(round) X(rsqrt) X(sin) X(sinh) X(sinpi)       \
  X(tan) X(tanh) X(tanpi) X(tgamma) X(y0) X(y1)
#define UNARY(n)                                                                                                       \
  CONST float OCML(n##_f32)(float);                                                                                    \
  CONST half OCML(n##_f16)(half x) { return (half)OCML(n##_f32)((float)x); }
UNARY_HALF(UNARY)

#define BINARY(n)                                                                                                      \
  CONST float OCML(n##_f32)(float, float);                                                                             \
  CONST half OCML(n##_f16)(half x, half y) { return (half)OCML(n##_f32)((float)x, (float)y); }
BINARY(atan2)
BINARY(atan2pi)
BINARY(fdim)
BINARY(fmod)
BINARY(hypot)
BINARY(pow)
BINARY(powr)
BINARY(remainder)
BINARY(rhypot)
BINARY(scalb)

#define WITH_INT(n)                                                                                                    \
  CONST float OCML(n##_f32)(float, int);                                                                               \
  CONST half OCML(n##_f16)(half x, int n_) { return (half)OCML(n##_f32)((float)x, n_); }
WITH_INT(pown)
WITH_INT(rootn)

CONST float OCML(len3_f32)(float, float, float);
CONST float OCML(len4_f32)(float, float, float, float);
CONST float OCML(rlen3_f32)(float, float, float);
CONST float OCML(rlen4_f32)(float, float, float, float);
CONST half OCML(len3_f16)(half x, half y, half z) { return (half)OCML(len3_f32)(x, y, z); }
CONST half OCML(len4_f16)(half x, half y, half z, half w) { return (half)OCML(len4_f32)(x, y, z, w); }
CONST half OCML(rlen3_f16)(half x, half y, half z) { return (half)OCML(rlen3_f32)(x, y, z); }
CONST half OCML(rlen4_f16)(half x, half y, half z, half w) { return (half)OCML(rlen4_f32)(x, y, z, w); }

// A pointer to a half is filled through a float.
#define OUT_HALF(n)                                                                                                    \
  float OCML(n##_f32)(float, __private float*);                                                                        \
  half OCML(n##_f16)(half x, __private half* p) {                                                                      \
    float second;                                                                                                      \
    half r = (half)OCML(n##_f32)((float)x, &second);                                                                   \
    *p = (half)second;                                                                                                 \
    return r;                                                                                                          \
  }
OUT_HALF(fract)
OUT_HALF(modf)
OUT_HALF(sincos)
OUT_HALF(sincospi)

float OCML(frexp_f32)(float, __private int*);
half OCML(frexp_f16)(half x, __private int* e) { return (half)OCML(frexp_f32)((float)x, e); }
float OCML(lgamma_r_f32)(float, __private int*);
half OCML(lgamma_r_f16)(half x, __private int* s) { return (half)OCML(lgamma_r_f32)((float)x, s); }
float OCML(remquo_f32)(float, float, __private int*);
half OCML(remquo_f16)(half x, half y, __private int* q) { return (half)OCML(remquo_f32)((float)x, (float)y, q); }
CONST int OCML(ilogb_f32)(float);
CONST int OCML(ilogb_f16)(half x) { return OCML(ilogb_f32)((float)x); }

CONST half OCML(nextafter_f16)(half x, half y) {
  if (x != x || y != y) return x + y;
  if (x == y) return y;
  ushort b = __builtin_bit_cast(ushort, x);
  if ((ushort)(b << 1) == 0) return __builtin_bit_cast(half, (ushort)(1 | (__builtin_bit_cast(ushort, y) & 0x8000)));
  bool outward = (x < y) == (x > 0);
  return __builtin_bit_cast(half, (ushort)(outward ? b + 1 : b - 1));
}

// ---- Pairs ----------------------------------------------------------------------------------------------------------

#define PAIR(n)                                                                                                        \
  CONST half OCML(n##_f16)(half);                                                                                      \
  CONST half2 OCML(n##_2f16)(half2 v) { return (half2){OCML(n##_f16)(v.x), OCML(n##_f16)(v.y)}; }
PAIR(ceil)
PAIR(cos)
PAIR(exp)
PAIR(exp10)
PAIR(exp2)
PAIR(fabs)
PAIR(floor)
PAIR(log)
PAIR(log10)
PAIR(log2)
PAIR(rint)
PAIR(rsqrt)
PAIR(sin)
PAIR(sqrt)
PAIR(trunc)
CONST half2 OCML(fma_2f16)(half2 x, half2 y, half2 z) { return __builtin_elementwise_fma(x, y, z); }
CONST half2 OCML(pown_2f16)(half2 x, short2 n) { return (half2){OCML(pown_f16)(x.x, n.x), OCML(pown_f16)(x.y, n.y)}; }
CONST short2 OCML(isinf_2f16)(half2 v) {
  return (short2){(short)-(__builtin_isinf(v.x) != 0), (short)-(__builtin_isinf(v.y) != 0)};
}
CONST short2 OCML(isnan_2f16)(half2 v) { return (short2){(short)-(v.x != v.x), (short)-(v.y != v.y)}; }
