// __half and __half2: IEEE binary16 with arithmetic, comparisons, conversions and mathematics. On the host as on the
// device the arithmetic is _Float16's; another host compiler than clang gets the storage types only.
#ifndef BZ_HIP_AMD_FP16_H
#define BZ_HIP_AMD_FP16_H

#include <hip/amd_detail/amd_hip_vector_types.h>

#if !defined(__cplusplus) || !defined(__clang__)

typedef struct {
  unsigned short x;
} __half_raw;
typedef struct {
  unsigned short x, y;
} __half2_raw;
#if defined(__cplusplus)
// Storage only: passing halves through host code that isn't compiled by clang.
struct __half {
  unsigned short __x;
  operator __half_raw() const { return __half_raw{__x}; }
};
struct alignas(4) __half2 {
  __half x, y;
};
typedef __half half;
typedef __half2 half2;
#endif

#else

#pragma push_macro("BZ_HD")
#pragma push_macro("BZ_D")
#define BZ_HD __host__ __device__ inline
#define BZ_D __device__ inline

typedef _Float16 _Float16_2 __attribute__((ext_vector_type(2)));

struct __half_raw {
  union {
    _Float16 data;
    unsigned short x;
  };
};
struct __half2_raw {
  union {
    struct {
      __half_raw x, y;
    };
    _Float16_2 data;
  };
};

struct __half {
  union {
    _Float16 data;
    unsigned short __x;
  };
  __half() = default;
  __half(const __half&) = default;
  __half(__half&&) = default;
  __half& operator=(const __half&) = default;
  __half& operator=(__half&&) = default;
  BZ_HD constexpr __half(const __half_raw& raw) : data(raw.data) {}
  BZ_HD constexpr __half(_Float16 value) : data(value) {}
  template <typename T, BZ_HIP_IF(__is_arithmetic(T) && !__is_same(T, _Float16))>
  BZ_HD constexpr __half(T value) : data(static_cast<_Float16>(value)) {}

  BZ_HD volatile __half& operator=(const __half_raw& raw) volatile {
    data = raw.data;
    return *this;
  }
  BZ_HD operator __half_raw() const {
    __half_raw r;
    r.data = data;
    return r;
  }
  template <typename T, BZ_HIP_IF(__is_arithmetic(T) || __is_same(T, _Float16))> BZ_HD constexpr operator T() const {
    return static_cast<T>(data);
  }

  BZ_HD __half& operator+=(const __half& o) { return data += o.data, *this; }
  BZ_HD __half& operator-=(const __half& o) { return data -= o.data, *this; }
  BZ_HD __half& operator*=(const __half& o) { return data *= o.data, *this; }
  BZ_HD __half& operator/=(const __half& o) { return data /= o.data, *this; }
  BZ_HD __half& operator++() { return data += (_Float16)1, *this; }
  BZ_HD __half& operator--() { return data -= (_Float16)1, *this; }
  BZ_HD __half operator++(int) {
    __half old(*this);
    ++*this;
    return old;
  }
  BZ_HD __half operator--(int) {
    __half old(*this);
    --*this;
    return old;
  }
  BZ_HD __half operator+() const { return *this; }
  BZ_HD __half operator-() const { return __half(static_cast<_Float16>(-data)); }

#define BZ_HIP_MIXED(ret, op, expression)                                                                              \
  friend BZ_HD ret operator op(const __half& x, const __half& y) { return expression(x.data op y.data); }              \
  template <typename T, BZ_HIP_IF(__is_arithmetic(T))> friend BZ_HD ret operator op(const __half& x, T y) {            \
    return x op __half(y);                                                                                             \
  }                                                                                                                    \
  template <typename T, BZ_HIP_IF(__is_arithmetic(T))> friend BZ_HD ret operator op(T x, const __half& y) {            \
    return __half(x) op y;                                                                                             \
  }
  BZ_HIP_MIXED(__half, +, (__half)(_Float16))
  BZ_HIP_MIXED(__half, -, (__half)(_Float16))
  BZ_HIP_MIXED(__half, *, (__half)(_Float16))
  BZ_HIP_MIXED(__half, /, (__half)(_Float16))
  BZ_HIP_MIXED(bool, ==, )
  BZ_HIP_MIXED(bool, !=, )
  BZ_HIP_MIXED(bool, <, )
  BZ_HIP_MIXED(bool, >, )
  BZ_HIP_MIXED(bool, <=, )
  BZ_HIP_MIXED(bool, >=, )
#undef BZ_HIP_MIXED
};
static_assert(sizeof(__half) == 2, "a half is 16 bits");

struct __half2 {
  union {
    struct {
      __half x, y;
    };
    _Float16_2 data;
  };
  __half2() = default;
  __half2(const __half2&) = default;
  __half2(__half2&&) = default;
  __half2& operator=(const __half2&) = default;
  __half2& operator=(__half2&&) = default;
  BZ_HD constexpr __half2(const __half2_raw& raw) : data(raw.data) {}
  BZ_HD constexpr __half2(_Float16_2 value) : data(value) {}
  BZ_HD constexpr __half2(const __half& a, const __half& b) : data{a.data, b.data} {}
  BZ_HD operator _Float16_2() const { return data; }
  BZ_HD operator __half2_raw() const {
    __half2_raw r;
    r.data = data;
    return r;
  }
  BZ_HD __half2& operator+=(const __half2& o) { return data += o.data, *this; }
  BZ_HD __half2& operator-=(const __half2& o) { return data -= o.data, *this; }
  BZ_HD __half2& operator*=(const __half2& o) { return data *= o.data, *this; }
  BZ_HD __half2& operator/=(const __half2& o) { return data /= o.data, *this; }
  BZ_HD __half2& operator++() { return *this += __half2(_Float16_2{1, 1}); }
  BZ_HD __half2& operator--() { return *this -= __half2(_Float16_2{1, 1}); }
  BZ_HD __half2 operator++(int) {
    __half2 old(*this);
    ++*this;
    return old;
  }
  BZ_HD __half2 operator--(int) {
    __half2 old(*this);
    --*this;
    return old;
  }
  BZ_HD __half2 operator+() const { return *this; }
  BZ_HD __half2 operator-() const { return __half2(-data); }
  friend BZ_HD __half2 operator+(const __half2& a, const __half2& b) { return __half2(a.data + b.data); }
  friend BZ_HD __half2 operator-(const __half2& a, const __half2& b) { return __half2(a.data - b.data); }
  friend BZ_HD __half2 operator*(const __half2& a, const __half2& b) { return __half2(a.data * b.data); }
  friend BZ_HD __half2 operator/(const __half2& a, const __half2& b) { return __half2(a.data / b.data); }
  // Pairs: ==, < and > hold for both halves; the others are their opposites, as in HIP (not as in CUDA).
  friend BZ_HD bool operator==(const __half2& a, const __half2& b) { return a.x == b.x && a.y == b.y; }
  friend BZ_HD bool operator!=(const __half2& a, const __half2& b) { return !(a == b); }
  friend BZ_HD bool operator<(const __half2& a, const __half2& b) { return a.x < b.x && a.y < b.y; }
  friend BZ_HD bool operator>(const __half2& a, const __half2& b) { return a.x > b.x && a.y > b.y; }
  friend BZ_HD bool operator<=(const __half2& a, const __half2& b) { return !(a > b); }
  friend BZ_HD bool operator>=(const __half2& a, const __half2& b) { return !(a < b); }
};
static_assert(sizeof(__half2) == 4 && alignof(__half2) == 4, "a half2 is one register");

#ifndef __HIP_NO_HALF_TYPES__
typedef __half half;
typedef __half2 half2;
#endif

// ---- Building and taking apart --------------------------------------------------------------------------------------

BZ_HD __half2 make_half2(__half x, __half y) { return __half2(x, y); }
BZ_HD __half __low2half(__half2 v) { return v.x; }
BZ_HD __half __high2half(__half2 v) { return v.y; }
BZ_HD __half2 __half2half2(__half x) { return __half2(x, x); }
BZ_HD __half2 __halves2half2(__half x, __half y) { return __half2(x, y); }
BZ_HD __half2 __low2half2(__half2 v) { return __half2(v.x, v.x); }
BZ_HD __half2 __high2half2(__half2 v) { return __half2(v.y, v.y); }
BZ_HD __half2 __lows2half2(__half2 a, __half2 b) { return __half2(a.x, b.x); }
BZ_HD __half2 __highs2half2(__half2 a, __half2 b) { return __half2(a.y, b.y); }
BZ_HD __half2 __lowhigh2highlow(__half2 v) { return __half2(v.y, v.x); }
BZ_HD short __half_as_short(__half x) { return (short)x.__x; }
BZ_HD unsigned short __half_as_ushort(__half x) { return x.__x; }
BZ_HD __half __ushort_as_half(unsigned short bits) { return __half(__builtin_bit_cast(_Float16, bits)); }
BZ_HD __half __short_as_half(short bits) { return __ushort_as_half((unsigned short)bits); }

#define HIPRT_INF_FP16 __ushort_as_half((unsigned short)0x7C00U)
#define HIPRT_MAX_NORMAL_FP16 __ushort_as_half((unsigned short)0x7BFFU)
#define HIPRT_MIN_DENORM_FP16 __ushort_as_half((unsigned short)0x0001U)
#define HIPRT_NAN_FP16 __ushort_as_half((unsigned short)0x7FFFU)
#define HIPRT_NEG_ZERO_FP16 __ushort_as_half((unsigned short)0x8000U)
#define HIPRT_ONE_FP16 __ushort_as_half((unsigned short)0x3C00U)
#define HIPRT_ZERO_FP16 __ushort_as_half((unsigned short)0x0000U)

// ---- Conversions ----------------------------------------------------------------------------------------------------

namespace bz_hip_detail {
/// To nearest, then one step if that went the wrong way: direction -1 down, 1 up, 0 towards zero. A double holds every
/// value that is converted, and every integer whose half is finite.
BZ_HD __half half_towards(double x, int direction) {
  __half r((_Float16)x);
  if (direction == 0) direction = x < 0 ? 1 : -1;
  double back = (double)r.data;
  bool wrong = direction < 0 ? back > x : back < x;
  if (!wrong) return r;
  unsigned short magnitude = r.__x & 0x7fff, sign = r.__x & 0x8000;
  if (magnitude == 0) return __ushort_as_half(direction < 0 ? 0x8001 : 0x0001);
  bool grows = (direction > 0) == (sign == 0);
  return __ushort_as_half((unsigned short)(sign | (grows ? magnitude + 1 : magnitude - 1)));
}
} // namespace bz_hip_detail

BZ_HD __half __float2half(float x) { return __half((_Float16)x); }
BZ_HD __half __float2half_rn(float x) { return __half((_Float16)x); }
BZ_HD __half __float2half_rz(float x) { return bz_hip_detail::half_towards(x, 0); }
BZ_HD __half __float2half_rd(float x) { return bz_hip_detail::half_towards(x, -1); }
BZ_HD __half __float2half_ru(float x) { return bz_hip_detail::half_towards(x, 1); }
BZ_HD __half __double2half(double x) { return __half((_Float16)x); }
BZ_HD __half2 __float2half2_rn(float x) { return __half2half2(__float2half(x)); }
BZ_HD __half2 __floats2half2_rn(float x, float y) { return __half2(__float2half(x), __float2half(y)); }
BZ_HD __half2 __float22half2_rn(float2 v) { return __floats2half2_rn(v.x, v.y); }
BZ_HD float __half2float(__half x) { return (float)x.data; }
BZ_HD float __low2float(__half2 v) { return (float)v.data.x; }
BZ_HD float __high2float(__half2 v) { return (float)v.data.y; }
BZ_HD float2 __half22float2(__half2 v) { return float2(__low2float(v), __high2float(v)); }

namespace bz_hip_detail {
/// A rounded value into an integer type: out of range saturates, NaN gives 0.
template <class T> BZ_HD T saturated(float rounded, float low, float above, T lowest, T highest) {
  if (rounded != rounded) return 0;
  return rounded < low ? lowest : rounded >= above ? highest : (T)rounded;
}
} // namespace bz_hip_detail
// From integers: a value beyond 2^53 is infinite as a half anyway, so the way through double loses nothing.
#define BZ_HIP_INTEGER(name, T, low, above, lowest, highest)                                                           \
  BZ_D T __half2##name##_rn(__half x) {                                                                                \
    return bz_hip_detail::saturated<T>(__builtin_roundevenf((float)x.data), low, above, lowest, highest);              \
  }                                                                                                                    \
  BZ_D T __half2##name##_rz(__half x) {                                                                                \
    return bz_hip_detail::saturated<T>(__builtin_truncf((float)x.data), low, above, lowest, highest);                  \
  }                                                                                                                    \
  BZ_D T __half2##name##_rd(__half x) {                                                                                \
    return bz_hip_detail::saturated<T>(__builtin_floorf((float)x.data), low, above, lowest, highest);                  \
  }                                                                                                                    \
  BZ_D T __half2##name##_ru(__half x) {                                                                                \
    return bz_hip_detail::saturated<T>(__builtin_ceilf((float)x.data), low, above, lowest, highest);                   \
  }                                                                                                                    \
  BZ_D __half __##name##2half_rn(T x) { return __half((_Float16)(double)x); }                                          \
  BZ_D __half __##name##2half_rz(T x) { return bz_hip_detail::half_towards((double)x, 0); }                            \
  BZ_D __half __##name##2half_rd(T x) { return bz_hip_detail::half_towards((double)x, -1); }                           \
  BZ_D __half __##name##2half_ru(T x) { return bz_hip_detail::half_towards((double)x, 1); }
BZ_HIP_INTEGER(short, short, -0x1p15f, 0x1p15f, -32768, 32767)
BZ_HIP_INTEGER(ushort, unsigned short, 0.0f, 0x1p16f, 0, 0xffff)
BZ_HIP_INTEGER(int, int, -0x1p31f, 0x1p31f, -2147483647 - 1, 2147483647)
BZ_HIP_INTEGER(uint, unsigned int, 0.0f, 0x1p32f, 0, 0xffffffffu)
BZ_HIP_INTEGER(ll, long long, -0x1p63f, 0x1p63f, -9223372036854775807ll - 1, 9223372036854775807ll)
BZ_HIP_INTEGER(ull, unsigned long long, 0.0f, 0x1p64f, 0, ~0ull)
#undef BZ_HIP_INTEGER

#define BZ_HIP_LOADS(T)                                                                                                \
  BZ_D T __ldg(const T* ptr) { return *ptr; }                                                                          \
  BZ_D T __ldcg(const T* ptr) { return *ptr; }                                                                         \
  BZ_D T __ldca(const T* ptr) { return *ptr; }                                                                         \
  BZ_D T __ldcs(const T* ptr) { return *ptr; }
BZ_HIP_LOADS(__half)
BZ_HIP_LOADS(__half2)
#undef BZ_HIP_LOADS

// ---- Comparisons ----------------------------------------------------------------------------------------------------
// The plain forms are false for a NaN, the forms that end in u are true for it.

#define BZ_HIP_COMPARE(name, op)                                                                                       \
  BZ_HD bool __h##name(__half x, __half y) { return x.data op y.data; }                                                \
  BZ_HD bool __h##name##u(__half x, __half y) {                                                                        \
    return x.data op y.data || x.data != x.data || y.data != y.data;                                                   \
  }                                                                                                                    \
  BZ_HD __half2 __h##name##2(__half2 a, __half2 b) { return __half2(__h##name(a.x, b.x), __h##name(a.y, b.y)); }       \
  BZ_HD __half2 __h##name##u2(__half2 a, __half2 b) { return __half2(__h##name##u(a.x, b.x), __h##name##u(a.y, b.y)); } \
  BZ_HD bool __hb##name##2(__half2 a, __half2 b) { return __h##name(a.x, b.x) && __h##name(a.y, b.y); }                \
  BZ_HD bool __hb##name##u2(__half2 a, __half2 b) { return __h##name##u(a.x, b.x) && __h##name##u(a.y, b.y); }
BZ_HIP_COMPARE(eq, ==)
BZ_HIP_COMPARE(le, <=)
BZ_HIP_COMPARE(ge, >=)
BZ_HIP_COMPARE(lt, <)
BZ_HIP_COMPARE(gt, >)
#undef BZ_HIP_COMPARE
// "Not equal" of CUDA is false for a NaN in the plain form, unlike !=.
BZ_HD bool __hne(__half x, __half y) { return x.data < y.data || x.data > y.data; }
BZ_HD bool __hneu(__half x, __half y) { return x.data != y.data; }
BZ_HD __half2 __hne2(__half2 a, __half2 b) { return __half2(__hne(a.x, b.x), __hne(a.y, b.y)); }
BZ_HD __half2 __hneu2(__half2 a, __half2 b) { return __half2(__hneu(a.x, b.x), __hneu(a.y, b.y)); }
BZ_HD bool __hbne2(__half2 a, __half2 b) { return __hne(a.x, b.x) && __hne(a.y, b.y); }
BZ_HD bool __hbneu2(__half2 a, __half2 b) { return __hneu(a.x, b.x) && __hneu(a.y, b.y); }

BZ_HD bool __hisnan(__half x) { return x.data != x.data; }
BZ_HD bool __hisinf(__half x) { return (x.__x & 0x7fff) == 0x7c00; }
BZ_HD __half2 __hisnan2(__half2 v) { return __half2(__hisnan(v.x), __hisnan(v.y)); }
BZ_HD __half2 __hisinf2(__half2 v) { return __half2(__hisinf(v.x), __hisinf(v.y)); }

BZ_HD __half __hmax(const __half x, const __half y) { return __half((_Float16)__builtin_fmaxf(x.data, y.data)); }
BZ_HD __half __hmin(const __half x, const __half y) { return __half((_Float16)__builtin_fminf(x.data, y.data)); }
BZ_HD __half __hmax_nan(const __half x, const __half y) {
  return __hisnan(x) || __hisnan(y) ? HIPRT_NAN_FP16 : __hmax(x, y);
}
BZ_HD __half __hmin_nan(const __half x, const __half y) {
  return __hisnan(x) || __hisnan(y) ? HIPRT_NAN_FP16 : __hmin(x, y);
}
BZ_HD __half2 __hmax2(__half2 a, __half2 b) { return __half2(__hmax(a.x, b.x), __hmax(a.y, b.y)); }
BZ_HD __half2 __hmin2(__half2 a, __half2 b) { return __half2(__hmin(a.x, b.x), __hmin(a.y, b.y)); }

// ---- Arithmetic -----------------------------------------------------------------------------------------------------

/// Into [0, 1]; a NaN becomes 0.
BZ_HD __half __clamp_01(__half x) {
  return !(x.data > (_Float16)0) ? __half((_Float16)0) : x.data > (_Float16)1 ? __half((_Float16)1) : x;
}
BZ_HD __half2 __clamp_01(__half2 v) { return __half2(__clamp_01(v.x), __clamp_01(v.y)); }
#define BZ_HIP_ARITHMETIC(name, op)                                                                                    \
  BZ_HD __half __h##name(__half x, __half y) { return __half((_Float16)(x.data op y.data)); }                          \
  BZ_HD __half __h##name##_sat(__half x, __half y) { return __clamp_01(__h##name(x, y)); }                             \
  BZ_HD __half2 __h##name##2(__half2 a, __half2 b) { return __half2(a.data op b.data); }                               \
  BZ_HD __half2 __h##name##2_sat(__half2 a, __half2 b) { return __clamp_01(__h##name##2(a, b)); }
BZ_HIP_ARITHMETIC(add, +)
BZ_HIP_ARITHMETIC(sub, -)
BZ_HIP_ARITHMETIC(mul, *)
#undef BZ_HIP_ARITHMETIC
BZ_HD __half __hdiv(__half x, __half y) { return __half((_Float16)(x.data / y.data)); }
BZ_HD __half2 __h2div(__half2 a, __half2 b) { return __half2(a.data / b.data); }
BZ_HD __half __habs(__half x) { return __ushort_as_half(x.__x & 0x7fff); }
BZ_HD __half2 __habs2(__half2 v) { return __half2(__habs(v.x), __habs(v.y)); }
BZ_HD __half __hneg(__half x) { return __half((_Float16)-x.data); }
BZ_HD __half2 __hneg2(__half2 v) { return __half2(-v.data); }

#if defined(__HIP__)
BZ_D __half __hfma(__half x, __half y, __half z) { return __half(__builtin_fmaf16(x.data, y.data, z.data)); }
BZ_D __half __hfma_sat(__half x, __half y, __half z) { return __clamp_01(__hfma(x, y, z)); }
BZ_D __half2 __hfma2(__half2 a, __half2 b, __half2 c) {
  return __half2(__builtin_elementwise_fma(a.data, b.data, c.data));
}
BZ_D __half2 __hfma2_sat(__half2 a, __half2 b, __half2 c) { return __clamp_01(__hfma2(a, b, c)); }

/// Both halves in one atomic step: the packed instruction where the target has it, else a loop on the whole word.
BZ_D __half2 unsafeAtomicAdd(__half2* address, __half2 value) {
#if __has_builtin(__builtin_amdgcn_flat_atomic_fadd_v2f16) && (defined(__gfx942__) || defined(__gfx950__))
  return __half2(__builtin_amdgcn_flat_atomic_fadd_v2f16((_Float16_2*)address, value.data));
#else
  unsigned int* word = reinterpret_cast<unsigned int*>(address);
  unsigned int old = __hip_atomic_load(word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT), next;
  do {
    next = __builtin_bit_cast(unsigned int, __builtin_bit_cast(__half2, old).data + value.data);
  } while (!__hip_atomic_compare_exchange_weak(word, &old, next, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                               __HIP_MEMORY_SCOPE_AGENT));
  return __builtin_bit_cast(__half2, old);
#endif
}
BZ_D __half2 atomicAdd(__half2* address, __half2 value) { return unsafeAtomicAdd(address, value); }

BZ_D float amd_mixed_dot(__half2 a, __half2 b, float c, bool saturate) {
  return __ockl_fdot2(a.data, b.data, c, saturate);
}

// ---- Mathematics ----------------------------------------------------------------------------------------------------

#define BZ_HIP_MATH(name)                                                                                              \
  BZ_D __half h##name(__half x) { return __half(__ocml_##name##_f16(x.data)); }                                        \
  BZ_D __half2 h2##name(__half2 v) { return __half2(__ocml_##name##_2f16(v.data)); }
BZ_HIP_MATH(trunc)
BZ_HIP_MATH(ceil)
BZ_HIP_MATH(floor)
BZ_HIP_MATH(rint)
BZ_HIP_MATH(sin)
BZ_HIP_MATH(cos)
BZ_HIP_MATH(exp)
BZ_HIP_MATH(exp2)
BZ_HIP_MATH(exp10)
BZ_HIP_MATH(log2)
BZ_HIP_MATH(log)
BZ_HIP_MATH(log10)
BZ_HIP_MATH(rsqrt)
BZ_HIP_MATH(sqrt)
#undef BZ_HIP_MATH
BZ_D __half hrcp(__half x) { return __half((_Float16)(1.0f / (float)x.data)); }
BZ_D __half2 h2rcp(__half2 v) { return __half2(hrcp(v.x), hrcp(v.y)); }

#include <hip/amd_detail/amd_warp_functions.h>
BZ_HIP_SHUFFLES(__half)
BZ_HIP_SHUFFLES(__half2)
#endif // __HIP__

#pragma pop_macro("BZ_D")
#pragma pop_macro("BZ_HD")
#endif

#endif
