// What every generated program includes, on both sides: operations without undefined behaviour whose results are the same
// to the bit wherever IEEE arithmetic is. Device code is compiled without any other header; the host's side of the
// cross-lane operations is lanes.hpp. Must not know: how programs are generated or run.
#pragma once

#ifdef __AMDGCN__
#define DEVICE __attribute__((device))
#define TABLE static __attribute__((constant)) const
#else
#include <stdint.h>
#include <string.h>
#define DEVICE
#define TABLE static const
#endif
#define INLINE DEVICE inline __attribute__((always_inline))
#define NOINLINE DEVICE __attribute__((noinline))
#define EITHER_WAY DEVICE inline

using u8 = unsigned char;
using u16 = unsigned short;
using u32 = unsigned int;
using u64 = unsigned long;
using u128 = unsigned __int128;
using i8 = signed char;
using i16 = short;
using i32 = int;
using i64 = long;
using i128 = __int128;
using f16 = _Float16;
using f32 = float;
using f64 = double;

#define VECTOR(T, N) typedef T T##x##N __attribute__((ext_vector_type(N)))
VECTOR(u8, 4);
VECTOR(u16, 2);
VECTOR(i16, 2);
VECTOR(u16, 4);
VECTOR(u32, 2);
VECTOR(u32, 4);
VECTOR(i32, 3);
VECTOR(u64, 2);
VECTOR(f16, 2);
VECTOR(f16, 4);
VECTOR(f32, 2);
VECTOR(f32, 4);
VECTOR(f64, 2);
#undef VECTOR

/// What a kernel gets. `in` and its typed views are read only; `out` has kOutWords words a work-item; `shared` words are
/// changed by atomics whose order can't be seen.
struct Args {
  const u64* in;     // 256 words of anything
  const f32* floats; // 256 of each: no NaN, many special values
  const f64* doubles;
  const f16* halves;
  u64* out;
  u64* scratch; // kScratchWords words a work-item: its own global memory
  u32* atomics32;
  u64* atomics64;
  f32* atomics_f32;
  f64* atomics_f64;
  u32 groups, size; // the grid
};
static constexpr int kOutWords = 4, kScratchWords = 16;

// --- Integers: wrap, masked shifts, division of everything. -----------------------------------------------------------------
template <class T> struct Unsigned;
#define UNSIGNED(T, U, W)                                                                                              \
  template <> struct Unsigned<T> {                                                                                     \
    using Same = U; /* the unsigned type of the same size */                                                           \
    using Wide = W; /* the same, or what it promotes to without a sign */                                              \
  };
UNSIGNED(u8, u8, u32)
UNSIGNED(i8, u8, u32)
UNSIGNED(u16, u16, u32)
UNSIGNED(i16, u16, u32)
UNSIGNED(u32, u32, u32)
UNSIGNED(i32, u32, u32)
UNSIGNED(u64, u64, u64)
UNSIGNED(i64, u64, u64)
UNSIGNED(u128, u128, u128)
UNSIGNED(i128, u128, u128)
#undef UNSIGNED
template <class T> using Same = typename Unsigned<T>::Same;
template <class T> using Wide = typename Unsigned<T>::Wide;
template <class T> inline constexpr int kBits = sizeof(T) * 8;
template <class T> inline constexpr bool kSigned = T(-1) < T(0);
template <class T> inline constexpr T kLowest = kSigned<T> ? T(Same<T>(1) << (kBits<T> - 1)) : T(0);
template <class T> inline constexpr T kHighest = T(~kLowest<T>);

template <class T> INLINE T add(T a, T b) { return T(Wide<T>(a) + Wide<T>(b)); }
template <class T> INLINE T sub(T a, T b) { return T(Wide<T>(a) - Wide<T>(b)); }
template <class T> INLINE T mul(T a, T b) { return T(Wide<T>(a) * Wide<T>(b)); }
template <class T> INLINE T mad(T a, T b, T c) { return add(mul(a, b), c); }
template <class T> INLINE T quotient(T a, T b) {
  if (b == 0) return T(~a);
  if (kSigned<T> && b == T(-1)) return sub(T(0), a);
  return T(a / b);
}
template <class T> INLINE T remainder(T a, T b) {
  if (b == 0 || (kSigned<T> && b == T(-1))) return a;
  return T(a % b);
}
template <class T> INLINE T shl(T a, u32 n) { return T(Wide<T>(a) << (n & (kBits<T> - 1))); }
template <class T> INLINE T shr(T a, u32 n) { return T(a >> (n & (kBits<T> - 1))); }
template <class T> INLINE T rotate(T a, u32 n) {
  n &= kBits<T> - 1;
  return n ? T(Same<T>(Same<T>(a) << n) | Same<T>(Same<T>(a) >> (kBits<T> - n))) : a;
}
template <class T> INLINE T funnel(T high, T low, u32 n) {
  n &= kBits<T> - 1;
  return n ? T(Same<T>(Same<T>(high) << (kBits<T> - n)) | Same<T>(Same<T>(low) >> n)) : low;
}
template <class T> INLINE T lower(T a, T b) { return a < b ? a : b; }
template <class T> INLINE T higher(T a, T b) { return a > b ? a : b; }
template <class T> INLINE T middle(T a, T b, T c) { return higher(lower(a, b), lower(higher(a, b), c)); }
template <class T> INLINE T magnitude(T a) { return a < T(0) ? sub(T(0), a) : a; }
template <class T> INLINE T distance(T a, T b) { return a < b ? sub(b, a) : sub(a, b); }
/// What a is stays hidden from clang, which takes the carry of a 64-bit sum of products for that of the next sum (README.md:
/// carry-merged).
template <class T> INLINE T hidden(T a) {
#ifdef __AMDGCN__
  if constexpr (sizeof(T) == 8 && !kSigned<T>)
    if (!__builtin_constant_p(a)) asm("" : "+v"(a));
#endif
  return a;
}
template <class T> INLINE T add_saturated(T a, T b) { return __builtin_elementwise_add_sat(hidden(a), hidden(b)); }
template <class T> INLINE T sub_saturated(T a, T b) { return __builtin_elementwise_sub_sat(a, b); }
template <class T> INLINE T add_or(T a, T b, T c) {
  T r;
  return __builtin_add_overflow(hidden(a), hidden(b), &r) ? c : r;
}
template <class T> INLINE T mul_or(T a, T b, T c) {
  T r;
  return __builtin_mul_overflow(a, b, &r) ? c : r;
}
template <class T> INLINE T field(T a, u32 first, u32 width) { // first + width below the type's bits after masking
  first &= kBits<T> / 2 - 1, width &= kBits<T> / 2 - 1;
  return T(Same<T>(a) >> first) & T((Same<T>(1) << width) - 1);
}
template <class T> INLINE T signed_field(T a, u32 first, u32 width) {
  first &= kBits<T> / 2 - 1, width = (width & (kBits<T> / 2 - 1)) + 1;
  return T(T(Same<T>(a) << (kBits<T> - width - first)) >> (kBits<T> - width));
}
template <class T> INLINE T insert(T mask, T a, T b) { return (mask & a) | (~mask & b); }
// Not for 64 bits: clang 22 drops the masks of such a product when it selects v_mad_u64_u32 (README.md).
template <class T> INLINE T low24(T a, T b, T c) { return T(mad<Wide<T>>(Wide<T>(a) & 0xffffff, Wide<T>(b) & 0xffffff, Wide<T>(c))); }
template <class T> INLINE T bytes(T a, T b, u32 n) { return T(funnel<T>(a, b, n * 8)); }
template <class T> INLINE T reversed(T a) {
  if constexpr (sizeof(T) == 1) return T(__builtin_bitreverse8(a));
  else if constexpr (sizeof(T) == 2) return T(__builtin_bitreverse16(a));
  else if constexpr (sizeof(T) == 4) return T(__builtin_bitreverse32(a));
  else return T(__builtin_bitreverse64(u64(a)));
}
template <class T> INLINE T swapped(T a) {
  if constexpr (sizeof(T) == 1) return a;
  else if constexpr (sizeof(T) == 2) return T(__builtin_bswap16(a));
  else if constexpr (sizeof(T) == 4) return T(__builtin_bswap32(a));
  else return T(__builtin_bswap64(u64(a)));
}
template <class T> INLINE T ones(T a) { return T(__builtin_popcountll(u64(Same<T>(a)))); }
template <class T> INLINE T leading(T a) { return a == 0 ? T(kBits<T>) : T(__builtin_clzg(Same<T>(a))); }
template <class T> INLINE T trailing(T a) { return a == 0 ? T(-1) : T(__builtin_ctzg(Same<T>(a))); }
template <class T> INLINE T first_set(T a) { return T(__builtin_ffsll(i64(Same<T>(a)))); }
template <class T> INLINE T high_product(T a, T b) {
  if constexpr (sizeof(T) == 8) {
    if constexpr (kSigned<T>) return T((i128(a) * i128(b)) >> 64);
    else return T((u128(a) * u128(b)) >> 64);
  } else if constexpr (sizeof(T) == 16) return mul(a, b);
  else if constexpr (kSigned<T>) return T((i64(a) * i64(b)) >> kBits<T>);
  else return T((u64(a) * u64(b)) >> kBits<T>);
}

// --- Floats: neither a NaN's bits nor the sign of a zero is ever seen. clang 22 is wrong about that sign in places (README.md); the
// judges of the rows see it. ------------------------------------------------------------------------------------------------
template <class F> struct BitsOf;
template <> struct BitsOf<f16> { using Type = u16; };
template <> struct BitsOf<f32> { using Type = u32; };
template <> struct BitsOf<f64> { using Type = u64; };
template <class F> INLINE u64 seen_bits(F f) {
  if (f != f) return 0x7ff;
  if (f == F(0)) return 0;
  return __builtin_bit_cast(typename BitsOf<F>::Type, f);
}
template <class F> INLINE F from_bits(u64 bits) {
  F f = __builtin_bit_cast(F, static_cast<typename BitsOf<F>::Type>(bits));
  return f == f ? f : F(1);
}
template <class F> INLINE F ratio(F a, F b) { return b == F(0) ? a : a / b; }
template <class F> INLINE F square_root(F f) {
  if constexpr (sizeof(F) == 2) return F(__builtin_sqrtf(f)); // a half of the rounded single is the rounded half
  else if constexpr (sizeof(F) == 4) return __builtin_sqrtf(f);
  else return __builtin_sqrt(f);
}
template <class F> INLINE F fused(F a, F b, F c) {
  if constexpr (sizeof(F) == 8) return __builtin_fma(a, b, c);
  else if constexpr (sizeof(F) == 4) return __builtin_fmaf(a, b, c);
  else {
#ifdef __AMDGCN__
    return __builtin_fmaf16(a, b, c);
#else
    // The product is exact; an odd last bit stands for what the sum lost, so that only the last step rounds.
    double product = double(a) * double(b), sum = product + double(c);
    double high = sum - product, lost = (product - (sum - high)) + (double(c) - high);
    if (lost != 0 && sum - sum == 0) {
      uint64_t bits = __builtin_bit_cast(uint64_t, sum);
      if ((lost < 0) == (sum < 0)) bits |= 1;
      else if (!(bits & 1)) bits -= 1;
      sum = __builtin_bit_cast(double, bits);
    }
    return F(sum);
#endif
  }
}
#define BY_SIZE(NAME, BUILTIN)                                                                                         \
  template <class F> INLINE F NAME(F f) {                                                                              \
    if constexpr (sizeof(F) == 8) return BUILTIN(f);                                                                   \
    else if constexpr (sizeof(F) == 4) return BUILTIN##f(f);                                                           \
    else return BUILTIN##f16(f);                                                                                       \
  }
BY_SIZE(round_down, __builtin_floor)
BY_SIZE(round_up, __builtin_ceil)
BY_SIZE(round_to_zero, __builtin_trunc)
BY_SIZE(round_to_even, __builtin_rint)
BY_SIZE(round_away, __builtin_round)
BY_SIZE(without_sign, __builtin_fabs)
#undef BY_SIZE
template <class F> INLINE F with_sign(F a, F b) {
  if (b != b || b == F(0)) return a;
  if constexpr (sizeof(F) == 8) return __builtin_copysign(a, b);
  else if constexpr (sizeof(F) == 4) return __builtin_copysignf(a, b);
  else return __builtin_copysignf16(a, b);
}
template <class F> INLINE F smallest(F a, F b) {
  if constexpr (sizeof(F) == 8) return __builtin_fmin(a, b);
  else if constexpr (sizeof(F) == 4) return __builtin_fminf(a, b);
  else return __builtin_fminf16(a, b);
}
template <class F> INLINE F largest(F a, F b) {
  if constexpr (sizeof(F) == 8) return __builtin_fmax(a, b);
  else if constexpr (sizeof(F) == 4) return __builtin_fmaxf(a, b);
  else return __builtin_fmaxf16(a, b);
}
template <class F> INLINE F clamped(F f) { return f < F(0) ? F(0) : f > F(1) ? F(1) : f; }
template <class F> INLINE F scaled(F f, i32 n) {
  n = (n & 511) - 256;
  if constexpr (sizeof(F) == 8) return __builtin_ldexp(f, n);
  else if constexpr (sizeof(F) == 4) return __builtin_ldexpf(f, n);
  else return F(__builtin_ldexp(double(f), n & 31)); // exact in double
}
template <class F> INLINE F fraction(F f) { // the significand by frexp
  if (f - f != F(0)) return F(0);
  int exponent;
  if constexpr (sizeof(F) == 8) return __builtin_frexp(f, &exponent);
  else return F(__builtin_frexpf(f, &exponent));
}
template <class F> INLINE i32 exponent_of(F f) {
  if (f - f != F(0) || f == F(0)) return 7;
  int exponent;
  if constexpr (sizeof(F) == 8) (void)__builtin_frexp(f, &exponent);
  else (void)__builtin_frexpf(f, &exponent);
  return exponent;
}
/// The integer part where it fits with room to spare, else something that still depends on f.
template <class T, class F> INLINE T to_integer(F f) {
  constexpr f64 limit = sizeof(T) == 1 ? 100.0 : sizeof(T) == 2 ? 30000.0 : sizeof(T) == 4 ? 2e9 : 9e18;
  if (f64(f) <= limit && f64(f) >= (kSigned<T> ? -limit : 0.0)) return T(f);
  return T(seen_bits(f));
}

// --- Everything into one word. ----------------------------------------------------------------------------------------------
INLINE u64 mixed(u64 h, u64 v) {
  h ^= v + 0x9e3779b97f4a7c15u + (h << 6) + (h >> 2);
  return h * 0xff51afd7ed558ccdu;
}
INLINE u64 fold(u64 h, bool v) { return mixed(h, v); }
INLINE u64 fold(u64 h, u8 v) { return mixed(h, v); }
INLINE u64 fold(u64 h, i8 v) { return mixed(h, u64(v)); }
INLINE u64 fold(u64 h, u16 v) { return mixed(h, v); }
INLINE u64 fold(u64 h, i16 v) { return mixed(h, u64(v)); }
INLINE u64 fold(u64 h, u32 v) { return mixed(h, v); }
INLINE u64 fold(u64 h, i32 v) { return mixed(h, u64(v)); }
INLINE u64 fold(u64 h, u64 v) { return mixed(h, v); }
INLINE u64 fold(u64 h, i64 v) { return mixed(h, u64(v)); }
INLINE u64 fold(u64 h, u128 v) { return mixed(mixed(h, u64(v)), u64(v >> 64)); }
INLINE u64 fold(u64 h, i128 v) { return fold(h, u128(v)); }
INLINE u64 fold(u64 h, f16 v) { return mixed(h, seen_bits(v)); }
INLINE u64 fold(u64 h, f32 v) { return mixed(h, seen_bits(v)); }
INLINE u64 fold(u64 h, f64 v) { return mixed(h, seen_bits(v)); }
template <int N, class V> INLINE u64 fold_vector(u64 h, V v) {
#pragma clang loop unroll(full)
  for (int i = 0; i < N; ++i) h = fold(h, v[i]);
  return h;
}

// --- Memory at any byte. ----------------------------------------------------------------------------------------------------
template <class T> INLINE T load_bytes(const void* p) {
  T v;
  __builtin_memcpy(&v, p, sizeof v);
  return v;
}
template <class T> INLINE void store_bytes(void* p, T v) { __builtin_memcpy(p, &v, sizeof v); }

// --- Memory whose size is known at run time only. Where scratch is reached through a buffer resource, clang 22 gives such an
// address in units of the wave instead of the lane (README.md). --------------------------------------------------------------
#if !defined(__AMDGCN__) || defined(__gfx942__) || defined(__gfx950__)
#define ALLOCATE(T, NAME, COUNT, MOST) T* NAME = static_cast<T*>(__builtin_alloca((COUNT) * sizeof(T)))
#else
#define ALLOCATE(T, NAME, COUNT, MOST)                                                                                 \
  T NAME##_array[MOST];                                                                                                \
  T* NAME = NAME##_array
#endif

// --- Atomics without a visible order. ---------------------------------------------------------------------------------------
INLINE f32 sum_of(f32 a, f32 b) { return a + b; }
INLINE f64 sum_of(f64 a, f64 b) { return a + b; }
template <class T> INLINE T sum_of(T a, T b) { return add(a, b); }
#ifdef __AMDGCN__
#define ATOMIC(NAME, HIP, PLAIN)                                                                                       \
  template <class T> INLINE T NAME(T* p, T v) { return __hip_atomic_##HIP(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT); }
#else
#define ATOMIC(NAME, HIP, PLAIN)                                                                                       \
  template <class T> T NAME(T* p, T v) {                                                                               \
    T old = *p;                                                                                                        \
    *p = T(PLAIN);                                                                                                     \
    return old;                                                                                                        \
  }
#endif
ATOMIC(atomic_add, fetch_add, sum_of(old, v))
ATOMIC(atomic_sub, fetch_sub, sub(old, v))
ATOMIC(atomic_or, fetch_or, old | v)
ATOMIC(atomic_and, fetch_and, old& v)
ATOMIC(atomic_xor, fetch_xor, old ^ v)
ATOMIC(atomic_min, fetch_min, old < v ? old : v)
ATOMIC(atomic_max, fetch_max, old > v ? old : v)
#undef ATOMIC
/// Multiplication by an odd number commutes: a loop of compare-and-swap.
template <class T> INLINE void atomic_mul(T* p, T v) {
#ifdef __AMDGCN__
  T old = __hip_atomic_load(p, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
  while (!__hip_atomic_compare_exchange_weak(p, &old, T(old * (v | 1)), __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                             __HIP_MEMORY_SCOPE_AGENT)) {
  }
#else
  *p = T(*p * (v | 1));
#endif
}

#include "lanes.hpp"
