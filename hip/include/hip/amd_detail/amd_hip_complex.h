// Complex numbers as float2 and double2: hipFloatComplex, hipDoubleComplex and their functions, for host and device.
#ifndef BZ_HIP_AMD_HIP_COMPLEX_H
#define BZ_HIP_AMD_HIP_COMPLEX_H

#include <hip/amd_detail/amd_hip_vector_types.h>

#if !defined(__HIPCC_RTC__)
#include <math.h>
#endif

#ifdef __cplusplus
#define BZ_HD static inline __host__ __device__
#else
#define BZ_HD static inline
#endif

typedef float2 hipFloatComplex;
typedef double2 hipDoubleComplex;
typedef hipFloatComplex hipComplex;

// X(letter of the functions, complex type, component type, hypot)
#define BZ_HIP_COMPLEX(f, C, T, Make, hypotenuse)                                                                      \
  BZ_HD C make_hip##Make##Complex(T a, T b) {                                                                          \
    C z;                                                                                                               \
    z.x = a;                                                                                                           \
    z.y = b;                                                                                                           \
    return z;                                                                                                          \
  }                                                                                                                    \
  BZ_HD T hipCreal##f(C z) { return z.x; }                                                                             \
  BZ_HD T hipCimag##f(C z) { return z.y; }                                                                             \
  BZ_HD C hipConj##f(C z) { return make_hip##Make##Complex(z.x, -z.y); }                                               \
  BZ_HD T hipCsqabs##f(C z) { return z.x * z.x + z.y * z.y; }                                                          \
  BZ_HD T hipCabs##f(C z) { return hypotenuse(z.x, z.y); }                                                             \
  BZ_HD C hipCadd##f(C p, C q) { return make_hip##Make##Complex(p.x + q.x, p.y + q.y); }                               \
  BZ_HD C hipCsub##f(C p, C q) { return make_hip##Make##Complex(p.x - q.x, p.y - q.y); }                               \
  BZ_HD C hipCmul##f(C p, C q) { return make_hip##Make##Complex(p.x * q.x - p.y * q.y, p.x * q.y + p.y * q.x); }       \
  /* scaled by the larger part of q, so that its square can't overflow */                                              \
  BZ_HD C hipCdiv##f(C p, C q) {                                                                                       \
    T ax = q.x < 0 ? -q.x : q.x, ay = q.y < 0 ? -q.y : q.y;                                                            \
    if (ax >= ay) {                                                                                                    \
      T r = q.y / q.x, d = q.x + r * q.y;                                                                              \
      return make_hip##Make##Complex((p.x + p.y * r) / d, (p.y - p.x * r) / d);                                        \
    } else {                                                                                                           \
      T r = q.x / q.y, d = q.y + r * q.x;                                                                              \
      return make_hip##Make##Complex((p.x * r + p.y) / d, (p.y * r - p.x) / d);                                        \
    }                                                                                                                  \
  }                                                                                                                    \
  BZ_HD C hipCfma##f(C p, C q, C r) {                                                                                  \
    return make_hip##Make##Complex(p.x * q.x - p.y * q.y + r.x, p.x * q.y + p.y * q.x + r.y);                          \
  }
BZ_HIP_COMPLEX(f, hipFloatComplex, float, Float, hypotf)
BZ_HIP_COMPLEX(, hipDoubleComplex, double, Double, hypot)
#undef BZ_HIP_COMPLEX

BZ_HD hipComplex make_hipComplex(float x, float y) { return make_hipFloatComplex(x, y); }
BZ_HD hipFloatComplex hipComplexDoubleToFloat(hipDoubleComplex z) {
  return make_hipFloatComplex((float)z.x, (float)z.y);
}
BZ_HD hipDoubleComplex hipComplexFloatToDouble(hipFloatComplex z) { return make_hipDoubleComplex(z.x, z.y); }
#undef BZ_HD

#endif
