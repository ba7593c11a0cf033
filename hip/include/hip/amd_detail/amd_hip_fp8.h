// 8-bit floating point: e4m3 and e5m2 in their OCP forms (gfx950 and later) and in the FNUZ forms of gfx942, which have
// one NaN (0x80), no infinity and no negative zero. Conversions are written out and round once, to nearest even, from
// any source type, on host and device alike.
#ifndef BZ_HIP_AMD_FP8_H
#define BZ_HIP_AMD_FP8_H

#include <hip/amd_detail/amd_hip_bf16.h>
#include <hip/amd_detail/amd_hip_fp16.h>

typedef unsigned char __hip_fp8_storage_t;
typedef unsigned short __hip_fp8x2_storage_t;
typedef unsigned int __hip_fp8x4_storage_t;

typedef enum __hip_fp8_interpretation_t {
  __HIP_E4M3 = 0,
  __HIP_E5M2 = 1,
  __HIP_E4M3_FNUZ = 2,
  __HIP_E5M2_FNUZ = 3
} __hip_fp8_interpretation_t;

typedef enum __hip_saturation_t {
  __HIP_NOSAT = 0,    ///< what is too large becomes infinity, or NaN where there is none
  __HIP_SATFINITE = 1 ///< what is too large becomes the largest number; an infinity does not
} __hip_saturation_t;

#define __FP8_HOST_DEVICE__ __host__ __device__
#define __FP8_HOST_DEVICE_STATIC__ __host__ __device__ static inline
// gfx942 has the FNUZ forms, gfx950 and gfx12 the OCP forms; the host converts both.
#if defined(__gfx942__)
#define HIP_FP8_TYPE_OCP 0
#define HIP_FP8_TYPE_FNUZ 1
#elif defined(__gfx950__) || defined(__gfx1200__) || defined(__gfx1201__)
#define HIP_FP8_TYPE_OCP 1
#define HIP_FP8_TYPE_FNUZ 0
#else
#define HIP_FP8_TYPE_OCP 1
#define HIP_FP8_TYPE_FNUZ 1
#endif

#ifdef __cplusplus
namespace bz_hip_detail {
#define BZ_HD __host__ __device__ inline

struct fp8_format {
  int mantissa, bias;
  unsigned char largest, infinity, nan; ///< infinity == nan: there is none
  bool fnuz;
};
BZ_HD fp8_format fp8_format_of(__hip_fp8_interpretation_t kind) {
  switch (kind) {
  case __HIP_E4M3: return {3, 7, 0x7e, 0x7f, 0x7f, false};
  case __HIP_E5M2: return {2, 15, 0x7b, 0x7c, 0x7e, false};
  case __HIP_E4M3_FNUZ: return {3, 8, 0x7f, 0x80, 0x80, true};
  default: return {2, 16, 0x7f, 0x80, 0x80, true};
  }
}
BZ_HD double power_of_two(int e) { return bits_as<double>((unsigned long)(1023 + e) << 52); }

/// Every float, half, bfloat16 and 32-bit integer is a double exactly: one rounding in all.
BZ_HD __hip_fp8_storage_t double_to_fp8(double d, __hip_saturation_t saturation, __hip_fp8_interpretation_t kind) {
  fp8_format f = fp8_format_of(kind);
  unsigned long bits = bits_as<unsigned long>(d);
  unsigned char sign = (unsigned char)(bits >> 63 << 7);
  double a = bits_as<double>(bits & ~(1ul << 63));
  if (a != a) return f.fnuz ? f.nan : (unsigned char)(sign | f.nan);
  unsigned char beyond = f.infinity == f.nan && f.fnuz ? f.nan : (unsigned char)(sign | f.infinity);
  if (a > 1.7976931348623157e308) return beyond;
  int e = (int)(bits >> 52 & 2047) - 1023, lowest = 1 - f.bias;
  if (e < lowest) e = lowest; // a subnormal result
  if (e > 100) return saturation == __HIP_SATFINITE ? (unsigned char)(sign | f.largest) : beyond;
  // In units of the last place: below 2^(mantissa + 1), exact to divide by a power of two, and rint rounds ties to even.
  unsigned int units = (unsigned int)__builtin_rint(a * power_of_two(f.mantissa - e));
  // Adding the mantissa with its leading bit carries into the exponent by itself.
  unsigned int code = ((unsigned int)(e - lowest) << f.mantissa) + units;
  if (code > f.largest) return saturation == __HIP_SATFINITE ? (unsigned char)(sign | f.largest) : beyond;
  return code == 0 && f.fnuz ? 0 : (unsigned char)(sign | code);
}

BZ_HD float fp8_to_float(__hip_fp8_storage_t x, __hip_fp8_interpretation_t kind) {
  fp8_format f = fp8_format_of(kind);
  unsigned int code = x & 0x7f;
  bool negative = x >> 7;
  if (f.fnuz ? x == 0x80 : code > f.infinity || code == f.nan)
    return bits_as<float>(0x7fc00000u);
  float r;
  if (!f.fnuz && code == f.infinity) {
    r = bits_as<float>(0x7f800000u);
  } else {
    int e = (int)(code >> f.mantissa);
    unsigned int m = code & ((1u << f.mantissa) - 1);
    // e = 0 has no leading bit and the exponent of e = 1.
    double units = e == 0 ? (double)m : (double)(m + (1u << f.mantissa));
    r = (float)(units * power_of_two((e == 0 ? 1 : e) - f.bias - f.mantissa));
  }
  return negative ? -r : r;
}
BZ_HD float half_bits_to_float(unsigned short h) {
  unsigned int e = h >> 10 & 31, m = h & 0x3ff;
  float r = e == 31 ? bits_as<float>(0x7f800000u | m << 13)
            : e == 0 ? (float)m * 5.9604644775390625e-8f
                     : bits_as<float>((e + 112) << 23 | m << 13);
  return h >> 15 ? -r : r;
}
} // namespace bz_hip_detail

// ---- Conversions of storage -----------------------------------------------------------------------------------------

#define BZ_FP8 __FP8_HOST_DEVICE_STATIC__
#define BZ_SAT const __hip_saturation_t sat, const __hip_fp8_interpretation_t kind
BZ_FP8 __hip_fp8_storage_t __hip_cvt_double_to_fp8(const double d, BZ_SAT) {
  return bz_hip_detail::double_to_fp8(d, sat, kind);
}
BZ_FP8 __hip_fp8_storage_t __hip_cvt_float_to_fp8(const float f, BZ_SAT) {
  return bz_hip_detail::double_to_fp8(f, sat, kind);
}
BZ_FP8 __hip_fp8_storage_t __hip_cvt_bfloat16raw_to_fp8(const __hip_bfloat16_raw b, BZ_SAT) {
  return bz_hip_detail::double_to_fp8(bz_hip_detail::bf16_to_float(b.x), sat, kind);
}
BZ_FP8 __hip_fp8_storage_t __hip_cvt_halfraw_to_fp8(const __half_raw h, BZ_SAT) {
  return bz_hip_detail::double_to_fp8(bz_hip_detail::half_bits_to_float(h.x), sat, kind);
}
namespace bz_hip_detail {
BZ_HD __hip_fp8x2_storage_t fp8_pair(double x, double y, BZ_SAT) {
  return (__hip_fp8x2_storage_t)(double_to_fp8(x, sat, kind) | double_to_fp8(y, sat, kind) << 8);
}
} // namespace bz_hip_detail
BZ_FP8 __hip_fp8x2_storage_t __hip_cvt_float2_to_fp8x2(const float2 v, BZ_SAT) {
  return bz_hip_detail::fp8_pair(v.x, v.y, sat, kind);
}
BZ_FP8 __hip_fp8x2_storage_t __hip_cvt_double2_to_fp8x2(const double2 v, BZ_SAT) {
  return bz_hip_detail::fp8_pair(v.x, v.y, sat, kind);
}
BZ_FP8 __hip_fp8x2_storage_t __hip_cvt_bfloat16raw2_to_fp8x2(const __hip_bfloat162_raw v, BZ_SAT) {
  return bz_hip_detail::fp8_pair(bz_hip_detail::bf16_to_float(v.x), bz_hip_detail::bf16_to_float(v.y), sat, kind);
}
#if defined(__clang__)
BZ_FP8 __hip_fp8x2_storage_t __hip_cvt_halfraw2_to_fp8x2(const __half2_raw v, BZ_SAT) {
  return bz_hip_detail::fp8_pair((double)v.data.x, (double)v.data.y, sat, kind);
}
/// Every 8-bit number is a half; e5m2's largest ones fit too.
BZ_FP8 __half_raw __hip_cvt_fp8_to_halfraw(const __hip_fp8_storage_t x, const __hip_fp8_interpretation_t kind) {
  __half_raw r;
  r.data = (_Float16)bz_hip_detail::fp8_to_float(x, kind);
  return r;
}
BZ_FP8 __half2_raw __hip_cvt_fp8x2_to_halfraw2(const __hip_fp8x2_storage_t x, const __hip_fp8_interpretation_t kind) {
  __half2_raw r;
  r.data = _Float16_2{(_Float16)bz_hip_detail::fp8_to_float((__hip_fp8_storage_t)x, kind),
                      (_Float16)bz_hip_detail::fp8_to_float((__hip_fp8_storage_t)(x >> 8), kind)};
  return r;
}
#endif
#undef BZ_SAT

// ---- Classes --------------------------------------------------------------------------------------------------------

#define BZ_M __host__ __device__ inline
#define BZ_HIP_FP8_FROM(Type, kind, T)                                                                                 \
  BZ_M explicit Type(const T v) : __x(bz_hip_detail::double_to_fp8((double)v, __default_saturation, kind)) {}
#define BZ_HIP_FP8_TO(kind, T)                                                                                         \
  BZ_M explicit operator T() const { return (T)bz_hip_detail::fp8_to_float(__x, kind); }
#if defined(__clang__)
#define BZ_HIP_FP8_HALF(Type, kind)                                                                                    \
  BZ_M explicit Type(const __half v) : Type((float)v.data) {}                                                          \
  BZ_M explicit operator __half() const { return __half((_Float16)(float)*this); }
#define BZ_HIP_FP8X2_HALF(Type, kind)                                                                                  \
  BZ_M explicit Type(const __half2 v) : Type(float2((float)v.data.x, (float)v.data.y)) {}                              \
  BZ_M explicit operator __half2() const {                                                                             \
    float2 f = (float2) * this;                                                                                        \
    return __half2(__half((_Float16)f.x), __half((_Float16)f.y));                                                      \
  }
#define BZ_HIP_FP8X4_HALF(Type)                                                                                        \
  BZ_M explicit Type(const __half2 low, const __half2 high)                                                            \
      : Type(float4((float)low.data.x, (float)low.data.y, (float)high.data.x, (float)high.data.y)) {}
#else
#define BZ_HIP_FP8_HALF(Type, kind)
#define BZ_HIP_FP8X2_HALF(Type, kind)
#define BZ_HIP_FP8X4_HALF(Type)
#endif

#define BZ_HIP_FP8_CLASSES(suffix, kind)                                                                               \
  struct __hip_fp8_##suffix {                                                                                          \
    __hip_fp8_storage_t __x;                                                                                           \
    static constexpr __hip_saturation_t __default_saturation = __HIP_SATFINITE;                                        \
    static constexpr __hip_fp8_interpretation_t __default_interpret = kind;                                            \
    __hip_fp8_##suffix() = default;                                                                                    \
    BZ_HIP_FP8_FROM(__hip_fp8_##suffix, kind, long)                                                                    \
    BZ_HIP_FP8_FROM(__hip_fp8_##suffix, kind, int)                                                                     \
    BZ_HIP_FP8_FROM(__hip_fp8_##suffix, kind, short)                                                                   \
    BZ_HIP_FP8_FROM(__hip_fp8_##suffix, kind, unsigned long)                                                           \
    BZ_HIP_FP8_FROM(__hip_fp8_##suffix, kind, unsigned int)                                                            \
    BZ_HIP_FP8_FROM(__hip_fp8_##suffix, kind, unsigned short)                                                          \
    BZ_HIP_FP8_FROM(__hip_fp8_##suffix, kind, double)                                                                  \
    BZ_HIP_FP8_FROM(__hip_fp8_##suffix, kind, float)                                                                   \
    BZ_M explicit __hip_fp8_##suffix(const __hip_bfloat16 v) : __hip_fp8_##suffix((float)v) {}                         \
    BZ_M operator float() const { return bz_hip_detail::fp8_to_float(__x, kind); }                                     \
    BZ_HIP_FP8_TO(kind, bool)                                                                                          \
    BZ_HIP_FP8_TO(kind, char)                                                                                          \
    BZ_HIP_FP8_TO(kind, signed char)                                                                                   \
    BZ_HIP_FP8_TO(kind, unsigned char)                                                                                 \
    BZ_HIP_FP8_TO(kind, short)                                                                                         \
    BZ_HIP_FP8_TO(kind, unsigned short)                                                                                \
    BZ_HIP_FP8_TO(kind, int)                                                                                           \
    BZ_HIP_FP8_TO(kind, unsigned int)                                                                                  \
    BZ_HIP_FP8_TO(kind, long)                                                                                          \
    BZ_HIP_FP8_TO(kind, unsigned long)                                                                                 \
    BZ_HIP_FP8_TO(kind, long long)                                                                                     \
    BZ_HIP_FP8_TO(kind, unsigned long long)                                                                            \
    BZ_HIP_FP8_TO(kind, double)                                                                                        \
    BZ_M explicit operator __hip_bfloat16() const { return __hip_bfloat16((float)*this); }                             \
    BZ_HIP_FP8_HALF(__hip_fp8_##suffix, kind)                                                                          \
  };                                                                                                                   \
  struct __hip_fp8x2_##suffix {                                                                                        \
    __hip_fp8x2_storage_t __x;                                                                                         \
    __hip_fp8x2_##suffix() = default;                                                                                  \
    BZ_M explicit __hip_fp8x2_##suffix(const float2 v)                                                                 \
        : __x(bz_hip_detail::fp8_pair(v.x, v.y, __HIP_SATFINITE, kind)) {}                                             \
    BZ_M explicit __hip_fp8x2_##suffix(const double2 v)                                                                \
        : __x(bz_hip_detail::fp8_pair(v.x, v.y, __HIP_SATFINITE, kind)) {}                                             \
    BZ_M explicit __hip_fp8x2_##suffix(const __hip_bfloat162 v)                                                        \
        : __x(bz_hip_detail::fp8_pair((float)v.x, (float)v.y, __HIP_SATFINITE, kind)) {}                               \
    BZ_M operator float2() const {                                                                                     \
      return float2(bz_hip_detail::fp8_to_float((__hip_fp8_storage_t)__x, kind),                                       \
                    bz_hip_detail::fp8_to_float((__hip_fp8_storage_t)(__x >> 8), kind));                               \
    }                                                                                                                  \
    BZ_HIP_FP8X2_HALF(__hip_fp8x2_##suffix, kind)                                                                      \
  };                                                                                                                   \
  struct __hip_fp8x4_##suffix {                                                                                        \
    __hip_fp8x4_storage_t __x;                                                                                         \
    __hip_fp8x4_##suffix() = default;                                                                                  \
    BZ_M explicit __hip_fp8x4_##suffix(const double4 v)                                                                \
        : __x(bz_hip_detail::fp8_pair(v.x, v.y, __HIP_SATFINITE, kind) |                                               \
              (unsigned int)bz_hip_detail::fp8_pair(v.z, v.w, __HIP_SATFINITE, kind) << 16) {}                         \
    BZ_M explicit __hip_fp8x4_##suffix(const float4 v) : __hip_fp8x4_##suffix(double4(v.x, v.y, v.z, v.w)) {}          \
    BZ_M explicit __hip_fp8x4_##suffix(const __hip_bfloat162 low, const __hip_bfloat162 high)                          \
        : __hip_fp8x4_##suffix(float4((float)low.x, (float)low.y, (float)high.x, (float)high.y)) {}                    \
    BZ_M operator float4() const {                                                                                     \
      return float4(bz_hip_detail::fp8_to_float((__hip_fp8_storage_t)__x, kind),                                       \
                    bz_hip_detail::fp8_to_float((__hip_fp8_storage_t)(__x >> 8), kind),                                \
                    bz_hip_detail::fp8_to_float((__hip_fp8_storage_t)(__x >> 16), kind),                               \
                    bz_hip_detail::fp8_to_float((__hip_fp8_storage_t)(__x >> 24), kind));                              \
    }                                                                                                                  \
    BZ_HIP_FP8X4_HALF(__hip_fp8x4_##suffix)                                                                            \
  };                                                                                                                   \
  static_assert(sizeof(__hip_fp8_##suffix) == 1 && sizeof(__hip_fp8x2_##suffix) == 2 &&                                \
                    sizeof(__hip_fp8x4_##suffix) == 4,                                                                 \
                "the size is the storage's");
BZ_HIP_FP8_CLASSES(e4m3, __HIP_E4M3)
BZ_HIP_FP8_CLASSES(e5m2, __HIP_E5M2)
BZ_HIP_FP8_CLASSES(e4m3_fnuz, __HIP_E4M3_FNUZ)
BZ_HIP_FP8_CLASSES(e5m2_fnuz, __HIP_E5M2_FNUZ)
#undef BZ_HIP_FP8_CLASSES
#undef BZ_HIP_FP8_FROM
#undef BZ_HIP_FP8_TO
#undef BZ_HIP_FP8_HALF
#undef BZ_HIP_FP8X2_HALF
#undef BZ_HIP_FP8X4_HALF
#undef BZ_M
#undef BZ_HD
#undef BZ_FP8
#endif

#endif
