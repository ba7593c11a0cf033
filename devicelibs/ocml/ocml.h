// Common ground of the ocml sources: types, the control variables, and the OpenCL functions of libclc they stand on.
// OpenCL C for the device; math_*.inc is also compiled by a host compiler, for the accuracy tests, over ocml/host.h.
#pragma once

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

#define OCML(name) __ocml_##name
#define CONST __attribute__((const))
#define OVERLOAD __attribute__((overloadable, const))

typedef half half2 __attribute__((ext_vector_type(2)));
typedef short short2 __attribute__((ext_vector_type(2)));

extern const __constant bool __oclc_finite_only_opt;
extern const __constant bool __oclc_unsafe_math_opt;
extern const __constant bool __oclc_correctly_rounded_sqrt32;
extern const __constant int __oclc_ISA_version;

// X(name): one-argument functions of libclc, float and double.
#define CLC_UNARY(X)                                                                                                   \
  X(acos) X(acosh) X(acospi) X(asin) X(asinpi) X(atan) X(atanh) X(atanpi) X(cbrt) X(cos) X(cospi)     \
  X(erf) X(exp) X(exp10) X(exp2) X(expm1) X(log) X(log10) X(log1p) X(log2) X(logb) X(round)          \
  X(rsqrt) X(sin) X(sinpi) X(tanh) X(tanpi)
// Those whose float form is off by two ULP and more (measured on the host), takes subnormal numbers for 0, or (lgamma)
// gives -inf for -inf: double, rounded once, is used for both.
#define CLC_UNARY_DOUBLE(X) X(asinh) X(cosh) X(erfc) X(lgamma) X(sinh) X(tan)
#define CLC_BINARY(X) X(atan2pi) X(fdim) X(hypot) X(nextafter) X(pow) X(powr)
#define CLC_BINARY_DOUBLE(X) X(atan2) X(fmod) X(remainder)

#define DECLARE_UNARY(n)                                                                                               \
  OVERLOAD float n(float);                                                                                             \
  OVERLOAD double n(double);
#define DECLARE_BINARY(n)                                                                                              \
  OVERLOAD float n(float, float);                                                                                      \
  OVERLOAD double n(double, double);
CLC_UNARY(DECLARE_UNARY)
CLC_UNARY_DOUBLE(DECLARE_UNARY)
CLC_BINARY(DECLARE_BINARY)
CLC_BINARY_DOUBLE(DECLARE_BINARY)

#define DECLARE_INT(n)                                                                                                 \
  OVERLOAD float n(float, int);                                                                                        \
  OVERLOAD double n(double, int);
DECLARE_INT(pown)
DECLARE_INT(rootn)
#define DECLARE_OUT(n, o)                                                                                              \
  __attribute__((overloadable)) float n(float, __private o(float)*);                                                   \
  __attribute__((overloadable)) double n(double, __private o(double)*);
#define SAME(t) t
#define INT(t) int
DECLARE_OUT(modf, SAME)
DECLARE_OUT(sincos, SAME)
DECLARE_OUT(fract, SAME)
DECLARE_OUT(lgamma_r, INT)
__attribute__((overloadable)) float remquo(float, float, __private int*);
__attribute__((overloadable)) double remquo(double, double, __private int*);
