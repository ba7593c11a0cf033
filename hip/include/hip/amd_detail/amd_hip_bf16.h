// __hip_bfloat16 and __hip_bfloat162: the upper half of a float. Arithmetic is done in float and rounded to nearest even
// once per operation. Works on any host compiler; shuffles, mathematics and atomics are for the device.
#ifndef BZ_HIP_AMD_BF16_H
#define BZ_HIP_AMD_BF16_H

#include <hip/amd_detail/amd_hip_vector_types.h>
#include <hip/amd_detail/bf16_bits.h>

struct __hip_bfloat16_raw {
  unsigned short x;
};
struct __hip_bfloat162_raw {
  unsigned short x, y;
};

#ifdef __cplusplus
#pragma push_macro("BZ_HD")
#pragma push_macro("BZ_D")
#define BZ_HD __host__ __device__ static inline
#define BZ_M __host__ __device__ inline
#define BZ_D __device__ static inline

#define __BF16_DEVICE__ __device__
#define __BF16_HOST_DEVICE__ __host__ __device__
#define __BF16_DEVICE_STATIC__ __device__ static inline
#define __BF16_HOST_DEVICE_STATIC__ __host__ __device__ static inline

struct __attribute__((aligned(2))) __hip_bfloat16 {
  unsigned short __x;

  __host__ __device__ static inline float bfloatraw_2_float(unsigned short raw) { return bz_hip_detail::bf16_to_float(raw); }
  __host__ __device__ static inline unsigned short float_2_bfloatraw(float f) { return bz_hip_detail::float_to_bf16(f); }
  __host__ __device__ static inline unsigned short double_2_bfloatraw(double d) { return bz_hip_detail::double_to_bf16(d); }

  __hip_bfloat16() = default;
  BZ_M __hip_bfloat16(unsigned int v) : __x(double_2_bfloatraw((double)v)) {}
  BZ_M __hip_bfloat16(int v) : __x(double_2_bfloatraw((double)v)) {}
  BZ_M __hip_bfloat16(unsigned short v) : __x(float_2_bfloatraw((float)v)) {}
  BZ_M __hip_bfloat16(short v) : __x(float_2_bfloatraw((float)v)) {}
  BZ_M __hip_bfloat16(const double v) : __x(double_2_bfloatraw(v)) {}
  BZ_M __hip_bfloat16(const float v) : __x(float_2_bfloatraw(v)) {}
  BZ_M __hip_bfloat16(const __hip_bfloat16_raw& raw) : __x(raw.x) {}

#define BZ_HIP_ASSIGN(T)                                                                                               \
  BZ_M __hip_bfloat16& operator=(T v) { return *this = __hip_bfloat16(v); }
  BZ_HIP_ASSIGN(unsigned int)
  BZ_HIP_ASSIGN(int)
  BZ_HIP_ASSIGN(unsigned short)
  BZ_HIP_ASSIGN(short)
  BZ_HIP_ASSIGN(double)
  BZ_HIP_ASSIGN(float)
#undef BZ_HIP_ASSIGN
  BZ_M __hip_bfloat16& operator=(const __hip_bfloat16_raw& raw) {
    __x = raw.x;
    return *this;
  }
  BZ_M volatile __hip_bfloat16& operator=(const __hip_bfloat16_raw& raw) volatile {
    __x = raw.x;
    return *this;
  }

  BZ_M operator __hip_bfloat16_raw() const { return __hip_bfloat16_raw{__x}; }
  BZ_M operator float() const { return bfloatraw_2_float(__x); }
  BZ_M operator bool() const { return (__x & 0x7fff) != 0; }
#define BZ_HIP_TO(T)                                                                                                   \
  BZ_M operator T() const { return (T)bfloatraw_2_float(__x); }
  BZ_HIP_TO(char)
  BZ_HIP_TO(signed char)
  BZ_HIP_TO(unsigned char)
  BZ_HIP_TO(short)
  BZ_HIP_TO(unsigned short)
  BZ_HIP_TO(int)
  BZ_HIP_TO(unsigned int)
  BZ_HIP_TO(long)
  BZ_HIP_TO(unsigned long)
  BZ_HIP_TO(long long)
  BZ_HIP_TO(unsigned long long)
#undef BZ_HIP_TO
};

struct __attribute__((aligned(4))) __hip_bfloat162 {
  __hip_bfloat16 x, y;
  __hip_bfloat162() = default;
  __hip_bfloat162(const __hip_bfloat162&) = default;
  __hip_bfloat162& operator=(const __hip_bfloat162&) = default;
  BZ_M __hip_bfloat162(const __hip_bfloat162_raw& raw) : x(__hip_bfloat16_raw{raw.x}), y(__hip_bfloat16_raw{raw.y}) {}
  BZ_M __hip_bfloat162(const __hip_bfloat16& a, const __hip_bfloat16& b) : x(a), y(b) {}
  BZ_M __hip_bfloat162& operator=(const __hip_bfloat162_raw& raw) { return *this = __hip_bfloat162(raw); }
  BZ_M operator __hip_bfloat162_raw() const { return __hip_bfloat162_raw{x.__x, y.__x}; }
  BZ_M operator float2() const { return float2((float)x, (float)y); }
};

// ---- Conversions ----------------------------------------------------------------------------------------------------

BZ_HD float __bfloat162float(__hip_bfloat16 a) { return (float)a; }
BZ_HD __hip_bfloat16 __float2bfloat16(float f) { return __hip_bfloat16(f); }
BZ_HD __hip_bfloat16 __float2bfloat16_rn(float f) { return __hip_bfloat16(f); }
BZ_HD __hip_bfloat16 __double2bfloat16(const double d) { return __hip_bfloat16(d); }
BZ_HD float2 __bfloat1622float2(const __hip_bfloat162 v) { return float2((float)v.x, (float)v.y); }
BZ_HD __hip_bfloat162 __float22bfloat162_rn(const float2 v) { return __hip_bfloat162(__hip_bfloat16(v.x), __hip_bfloat16(v.y)); }
BZ_HD __hip_bfloat162 __floats2bfloat162_rn(float a, float b) { return __hip_bfloat162(__hip_bfloat16(a), __hip_bfloat16(b)); }
BZ_HD __hip_bfloat162 __float2bfloat162_rn(float a) { return __floats2bfloat162_rn(a, a); }
BZ_HD short __bfloat16_as_short(const __hip_bfloat16 h) { return (short)h.__x; }
BZ_HD unsigned short __bfloat16_as_ushort(const __hip_bfloat16 h) { return h.__x; }
BZ_HD __hip_bfloat16 __ushort_as_bfloat16(const unsigned short bits) { return __hip_bfloat16_raw{bits}; }
BZ_HD __hip_bfloat16 __short_as_bfloat16(const short bits) { return __hip_bfloat16_raw{(unsigned short)bits}; }
BZ_HD __hip_bfloat162 __bfloat162bfloat162(const __hip_bfloat16 a) { return __hip_bfloat162(a, a); }
BZ_HD __hip_bfloat162 __halves2bfloat162(const __hip_bfloat16 a, const __hip_bfloat16 b) { return __hip_bfloat162(a, b); }
BZ_HD __hip_bfloat162 make_bfloat162(const __hip_bfloat16 a, const __hip_bfloat16 b) { return __hip_bfloat162(a, b); }
BZ_HD __hip_bfloat16 __low2bfloat16(const __hip_bfloat162 v) { return v.x; }
BZ_HD __hip_bfloat16 __high2bfloat16(const __hip_bfloat162 v) { return v.y; }
BZ_HD __hip_bfloat162 __low2bfloat162(const __hip_bfloat162 v) { return __hip_bfloat162(v.x, v.x); }
BZ_HD __hip_bfloat162 __high2bfloat162(const __hip_bfloat162 v) { return __hip_bfloat162(v.y, v.y); }
BZ_HD __hip_bfloat162 __lows2bfloat162(const __hip_bfloat162 a, const __hip_bfloat162 b) { return __hip_bfloat162(a.x, b.x); }
BZ_HD __hip_bfloat162 __highs2bfloat162(const __hip_bfloat162 a, const __hip_bfloat162 b) { return __hip_bfloat162(a.y, b.y); }
BZ_HD __hip_bfloat162 __lowhigh2highlow(const __hip_bfloat162 v) { return __hip_bfloat162(v.y, v.x); }
BZ_HD float __low2float(const __hip_bfloat162 v) { return (float)v.x; }
BZ_HD float __high2float(const __hip_bfloat162 v) { return (float)v.y; }

#define HIPRT_ONE_BF16 __ushort_as_bfloat16((unsigned short)0x3F80U)
#define HIPRT_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x0000U)
#define HIPRT_INF_BF16 __ushort_as_bfloat16((unsigned short)0x7F80U)
#define HIPRT_MAX_NORMAL_BF16 __ushort_as_bfloat16((unsigned short)0x7F7FU)
#define HIPRT_MIN_DENORM_BF16 __ushort_as_bfloat16((unsigned short)0x0001U)
#define HIPRT_NAN_BF16 __ushort_as_bfloat16((unsigned short)0x7FFFU)
#define HIPRT_NEG_ZERO_BF16 __ushort_as_bfloat16((unsigned short)0x8000U)

// ---- Arithmetic -----------------------------------------------------------------------------------------------------

#define BZ_HIP_ARITHMETIC(op, one, two)                                                                                \
  BZ_HD __hip_bfloat16 one(const __hip_bfloat16 a, const __hip_bfloat16 b) {                                           \
    return __hip_bfloat16((float)a op(float) b);                                                                       \
  }                                                                                                                    \
  BZ_HD __hip_bfloat162 two(const __hip_bfloat162 a, const __hip_bfloat162 b) {                                        \
    return __hip_bfloat162(one(a.x, b.x), one(a.y, b.y));                                                              \
  }                                                                                                                    \
  BZ_HD __hip_bfloat16 operator op(const __hip_bfloat16& a, const __hip_bfloat16& b) { return one(a, b); }             \
  BZ_HD __hip_bfloat162 operator op(const __hip_bfloat162& a, const __hip_bfloat162& b) { return two(a, b); }          \
  BZ_HIP_COMPOUND(__hip_bfloat16, op, one)                                                                             \
  BZ_HIP_COMPOUND(__hip_bfloat162, op, two)
#define BZ_HIP_COMPOUND(T, op, function)                                                                               \
  BZ_HD T& operator op##=(T & a, const T& b) { return a = function(a, b); }
BZ_HIP_ARITHMETIC(+, __hadd, __hadd2)
BZ_HIP_ARITHMETIC(-, __hsub, __hsub2)
BZ_HIP_ARITHMETIC(*, __hmul, __hmul2)
BZ_HIP_ARITHMETIC(/, __hdiv, __h2div)
#undef BZ_HIP_COMPOUND
#undef BZ_HIP_ARITHMETIC

BZ_HD __hip_bfloat16 __hneg(const __hip_bfloat16 a) { return __ushort_as_bfloat16(a.__x ^ 0x8000); }
BZ_HD __hip_bfloat16 __habs(const __hip_bfloat16 a) { return __ushort_as_bfloat16(a.__x & 0x7fff); }
BZ_HD __hip_bfloat162 __hneg2(const __hip_bfloat162 v) { return __hip_bfloat162(__hneg(v.x), __hneg(v.y)); }
BZ_HD __hip_bfloat162 __habs2(const __hip_bfloat162 v) { return __hip_bfloat162(__habs(v.x), __habs(v.y)); }
BZ_HD __hip_bfloat16 operator+(const __hip_bfloat16& a) { return a; }
BZ_HD __hip_bfloat16 operator-(const __hip_bfloat16& a) { return __hneg(a); }
BZ_HD __hip_bfloat162 operator+(const __hip_bfloat162& v) { return v; }
BZ_HD __hip_bfloat162 operator-(const __hip_bfloat162& v) { return __hneg2(v); }
#define BZ_HIP_STEP(T, op, by)                                                                                         \
  BZ_HD T& operator op(T& a) { return a by; }                                                                          \
  BZ_HD T operator op(T& a, const int) {                                                                               \
    T old = a;                                                                                                         \
    op a;                                                                                                              \
    return old;                                                                                                        \
  }
BZ_HIP_STEP(__hip_bfloat16, ++, += HIPRT_ONE_BF16)
BZ_HIP_STEP(__hip_bfloat16, --, -= HIPRT_ONE_BF16)
BZ_HIP_STEP(__hip_bfloat162, ++, += __bfloat162bfloat162(HIPRT_ONE_BF16))
BZ_HIP_STEP(__hip_bfloat162, --, -= __bfloat162bfloat162(HIPRT_ONE_BF16))
#undef BZ_HIP_STEP

// ---- Comparisons ----------------------------------------------------------------------------------------------------

BZ_HD bool __hisnan(const __hip_bfloat16 a) { return (a.__x & 0x7fff) > 0x7f80; }
BZ_HD int __hisinf(const __hip_bfloat16 a) { return a.__x == 0x7f80 ? 1 : a.__x == 0xff80 ? -1 : 0; }
namespace bz_hip_detail {
BZ_M __hip_bfloat162 bf16_truth(bool a, bool b) {
  return __hip_bfloat162(a ? HIPRT_ONE_BF16 : HIPRT_ZERO_BF16, b ? HIPRT_ONE_BF16 : HIPRT_ZERO_BF16);
}
} // namespace bz_hip_detail
BZ_HD __hip_bfloat162 __hisnan2(const __hip_bfloat162 v) { return bz_hip_detail::bf16_truth(__hisnan(v.x), __hisnan(v.y)); }

// The plain forms are false for a NaN, the forms that end in u are true for it.
#define BZ_HIP_COMPARE(name, op, test)                                                                                 \
  BZ_HD bool __h##name(const __hip_bfloat16 a, const __hip_bfloat16 b) {                                               \
    float x = (float)a, y = (float)b;                                                                                  \
    return test;                                                                                                       \
  }                                                                                                                    \
  BZ_HD bool __h##name##u(const __hip_bfloat16 a, const __hip_bfloat16 b) {                                            \
    return __hisnan(a) || __hisnan(b) || __h##name(a, b);                                                              \
  }                                                                                                                    \
  BZ_HD __hip_bfloat162 __h##name##2(const __hip_bfloat162 a, const __hip_bfloat162 b) {                               \
    return bz_hip_detail::bf16_truth(__h##name(a.x, b.x), __h##name(a.y, b.y));                                        \
  }                                                                                                                    \
  BZ_HD bool __hb##name##2(const __hip_bfloat162 a, const __hip_bfloat162 b) {                                         \
    return __h##name(a.x, b.x) && __h##name(a.y, b.y);                                                                 \
  }                                                                                                                    \
  BZ_HD bool __hb##name##u2(const __hip_bfloat162 a, const __hip_bfloat162 b) {                                        \
    return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y);                                                           \
  }                                                                                                                    \
  BZ_HD bool operator op(const __hip_bfloat16& a, const __hip_bfloat16& b) { return (float)a op(float) b; }            \
  BZ_HD bool operator op(const __hip_bfloat162& a, const __hip_bfloat162& b) {                                         \
    return (float)a.x op(float) b.x && (float)a.y op(float) b.y;                                                       \
  }
BZ_HIP_COMPARE(eq, ==, x == y)
BZ_HIP_COMPARE(ne, !=, x < y || x > y)
BZ_HIP_COMPARE(lt, <, x < y)
BZ_HIP_COMPARE(le, <=, x <= y)
BZ_HIP_COMPARE(gt, >, x > y)
BZ_HIP_COMPARE(ge, >=, x >= y)
#undef BZ_HIP_COMPARE

/// A NaN gives way to a number.
BZ_HD __hip_bfloat16 __hmax(const __hip_bfloat16 a, const __hip_bfloat16 b) {
  return __hip_bfloat16(__builtin_fmaxf((float)a, (float)b));
}
BZ_HD __hip_bfloat16 __hmin(const __hip_bfloat16 a, const __hip_bfloat16 b) {
  return __hip_bfloat16(__builtin_fminf((float)a, (float)b));
}
BZ_HD __hip_bfloat162 __hmax2(const __hip_bfloat162 a, const __hip_bfloat162 b) {
  return __hip_bfloat162(__hmax(a.x, b.x), __hmax(a.y, b.y));
}
BZ_HD __hip_bfloat162 __hmin2(const __hip_bfloat162 a, const __hip_bfloat162 b) {
  return __hip_bfloat162(__hmin(a.x, b.x), __hmin(a.y, b.y));
}

// ---- Device only ----------------------------------------------------------------------------------------------------

#if __HIP_CLANG_ONLY__
BZ_D __hip_bfloat16 __hfma(const __hip_bfloat16 a, const __hip_bfloat16 b, const __hip_bfloat16 c) {
  return __hip_bfloat16(__builtin_fmaf((float)a, (float)b, (float)c));
}
BZ_D __hip_bfloat162 __hfma2(const __hip_bfloat162 a, const __hip_bfloat162 b, const __hip_bfloat162 c) {
  return __hip_bfloat162(__hfma(a.x, b.x, c.x), __hfma(a.y, b.y, c.y));
}

#define BZ_HIP_MATH(name, expression)                                                                                  \
  BZ_D __hip_bfloat16 h##name(const __hip_bfloat16 h) {                                                                \
    float x = (float)h;                                                                                                \
    return __hip_bfloat16((float)(expression));                                                                        \
  }                                                                                                                    \
  BZ_D __hip_bfloat162 h2##name(const __hip_bfloat162 v) { return __hip_bfloat162(h##name(v.x), h##name(v.y)); }
BZ_HIP_MATH(ceil, __builtin_ceilf(x))
BZ_HIP_MATH(floor, __builtin_floorf(x))
BZ_HIP_MATH(trunc, __builtin_truncf(x))
BZ_HIP_MATH(rint, __builtin_rintf(x))
BZ_HIP_MATH(cos, __ocml_cos_f32(x))
BZ_HIP_MATH(sin, __ocml_sin_f32(x))
BZ_HIP_MATH(exp, __ocml_exp_f32(x))
BZ_HIP_MATH(exp2, __ocml_exp2_f32(x))
BZ_HIP_MATH(exp10, __ocml_exp10_f32(x))
BZ_HIP_MATH(log, __ocml_log_f32(x))
BZ_HIP_MATH(log2, __ocml_log2_f32(x))
BZ_HIP_MATH(log10, __ocml_log10_f32(x))
BZ_HIP_MATH(rsqrt, __ocml_rsqrt_f32(x))
BZ_HIP_MATH(sqrt, __ocml_sqrt_f32(x))
BZ_HIP_MATH(rcp, 1.0f / x)
#undef BZ_HIP_MATH

#include <hip/amd_detail/amd_warp_functions.h>
BZ_HIP_SHUFFLES(__hip_bfloat16)
BZ_HIP_SHUFFLES(__hip_bfloat162)

/// Both halves in one atomic step.
BZ_D __hip_bfloat162 unsafeAtomicAdd(__hip_bfloat162* address, __hip_bfloat162 value) {
  unsigned int* word = reinterpret_cast<unsigned int*>(address);
  unsigned int old = __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT), next;
  do {
    next = bz_hip_detail::bits_as<unsigned int>(__hadd2(bz_hip_detail::bits_as<__hip_bfloat162>(old), value));
  } while (!__hip_atomic_compare_exchange_weak(word, &old, next, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                               __HIP_MEMORY_SCOPE_AGENT));
  return bz_hip_detail::bits_as<__hip_bfloat162>(old);
}
BZ_D __hip_bfloat162 atomicAdd(__hip_bfloat162* address, __hip_bfloat162 value) { return unsafeAtomicAdd(address, value); }
#endif

#undef BZ_M
#pragma pop_macro("BZ_D")
#pragma pop_macro("BZ_HD")
#endif // __cplusplus

#endif
