// Value types of the interpreter's builders: chunks of lanes in native vectors, and uniform scalars. Owns arithmetic that
// needs neither MODE nor operands; must not know registers or rows.
#pragma once
#include "exec/interp/level.hpp"

#include <immintrin.h>
#include <type_traits>

namespace bz::exec::BZ_LEVEL_NS {

template <class T> using Vec = T __attribute__((ext_vector_type(kLanes)));
using VU = Vec<uint32_t>;
using VI = Vec<int32_t>;
using VF = Vec<float>;
using VD = Vec<double>;
using VL = Vec<uint64_t>;
using VSL = Vec<int64_t>;
using VB = bool __attribute__((ext_vector_type(kLanes)));
using V2U = uint32_t __attribute__((ext_vector_type(2 * kLanes)));
#if BZ_LEVEL == 512
using Bits = uint16_t;
using VH = uint16_t __attribute__((ext_vector_type(16)));
#else
using Bits = uint8_t;
using VH = uint16_t __attribute__((ext_vector_type(8)));
#endif
// Register rows are accessed through this type, whatever their element type.
using VRow = uint32_t __attribute__((ext_vector_type(kLanes), may_alias));

template <class T> inline constexpr bool kIsInt = __is_integral(T);
template <class T> concept Integer = __is_integral(T);
template <class T> concept Number = __is_arithmetic(T);

/// A lane predicate: 0 or -1 per lane.
struct Mask {
  VI v;
  BZ_AI friend Mask operator&(Mask a, Mask b) { return {a.v & b.v}; }
  BZ_AI friend Mask operator|(Mask a, Mask b) { return {a.v | b.v}; }
  BZ_AI friend Mask operator^(Mask a, Mask b) { return {a.v ^ b.v}; }
  BZ_AI friend Mask operator~(Mask a) { return {~a.v}; }
  BZ_AI Bits bits() const {
#if BZ_LEVEL == 512
    return __builtin_bit_cast(Bits, __builtin_convertvector(v, VB));
#else
    return static_cast<Bits>(_mm256_movemask_ps(__builtin_bit_cast(__m256, v)));
#endif
  }
  BZ_AI bool any() const { return bits() != 0; }
};
BZ_AI Mask mask_of(Bits b) {
#if BZ_LEVEL == 512
  // A bool converts to 1, but selects look at the sign.
  return {-__builtin_convertvector(__builtin_bit_cast(VB, b), VI)};
#else
  constexpr VU kBit = {1, 2, 4, 8, 16, 32, 64, 128};   // without mask registers the conversion would go lane by lane
  return {(VU(static_cast<uint32_t>(b)) & kBit) == kBit};
#endif
}

template <class T> struct Lanes {
  Vec<T> v;
  using Element = T;
  Lanes() = default;
  BZ_AI Lanes(Vec<T> x) : v(x) {}
  template <Number N> BZ_AI Lanes(N x) : v(static_cast<T>(x)) {}

  BZ_AI friend Lanes operator+(Lanes a, Lanes b) { return a.v + b.v; }
  BZ_AI friend Lanes operator-(Lanes a, Lanes b) { return a.v - b.v; }
  BZ_AI friend Lanes operator*(Lanes a, Lanes b) { return a.v * b.v; }
  BZ_AI friend Lanes operator-(Lanes a) { return -a.v; }
  BZ_AI friend Lanes operator&(Lanes a, Lanes b) requires kIsInt<T> { return a.v & b.v; }
  BZ_AI friend Lanes operator|(Lanes a, Lanes b) requires kIsInt<T> { return a.v | b.v; }
  BZ_AI friend Lanes operator^(Lanes a, Lanes b) requires kIsInt<T> { return a.v ^ b.v; }
  BZ_AI friend Lanes operator~(Lanes a) requires kIsInt<T> { return ~a.v; }
  BZ_AI friend Lanes operator<<(Lanes a, Lanes<uint32_t> n) requires kIsInt<T> {
    return a.v << __builtin_convertvector(n.v, Vec<T>);
  }
  BZ_AI friend Lanes operator>>(Lanes a, Lanes<uint32_t> n) requires kIsInt<T> {
    return a.v >> __builtin_convertvector(n.v, Vec<T>);
  }
  template <class M> BZ_AI static Mask mask(M m) { return {__builtin_convertvector(m, VI)}; }
  BZ_AI friend Mask operator==(Lanes a, Lanes b) { return mask(a.v == b.v); }
  BZ_AI friend Mask operator!=(Lanes a, Lanes b) { return mask(a.v != b.v); }
  BZ_AI friend Mask operator<(Lanes a, Lanes b) { return mask(a.v < b.v); }
  BZ_AI friend Mask operator<=(Lanes a, Lanes b) { return mask(a.v <= b.v); }
  BZ_AI friend Mask operator>(Lanes a, Lanes b) { return mask(a.v > b.v); }
  BZ_AI friend Mask operator>=(Lanes a, Lanes b) { return mask(a.v >= b.v); }
};
using U32 = Lanes<uint32_t>;
using I32 = Lanes<int32_t>;
using F32 = Lanes<float>;
using F64 = Lanes<double>;

// Sign flips touch the sign only: 0 - x would lose the sign of zero and quiet a NaN.
BZ_AI U32 bits_of(F32 x) { return __builtin_bit_cast(VU, x.v); }
BZ_AI F32 float_of(U32 x) { return __builtin_bit_cast(VF, x.v); }

/// Bits of a half in 15:0 of each lane; arithmetic goes through single precision (exact for one + - *, see half.hpp).
struct F16 {
  VU b;
  bool flush_in = false, flush_out = false;   ///< MODE at the time of reading
  bool saturate = false;                      ///< MODE.FP16_OVFL: finite numbers don't become infinite
};

/// 64-bit integers as two vectors: no shuffles between register rows and values.
template <bool Signed> struct Wide {
  VU lo, hi;
  Wide() = default;
  BZ_AI Wide(VU l, VU h) : lo(l), hi(h) {}
  template <Integer N> BZ_AI Wide(N x)
      : lo(static_cast<uint32_t>(x)), hi(static_cast<uint32_t>(static_cast<uint64_t>(static_cast<int64_t>(x)) >> 32)) {
    if constexpr (!__is_signed(N)) hi = static_cast<uint32_t>(static_cast<uint64_t>(x) >> 32);
  }
  BZ_AI static VU as_u(VI m) { return __builtin_bit_cast(VU, m); }
  BZ_AI friend Wide operator+(Wide a, Wide b) {
    VU l = a.lo + b.lo, h = a.hi + b.hi;
    if constexpr (kLanes == 16) {   // one masked addition; with a 1 that LLVM knows it would widen the mask and subtract
      VU one(1u);
      asm("" : "+v"(one));
      return {l, (l < b.lo) ? h + one : h};
    }
    return {l, h - as_u(l < b.lo)};
  }
  BZ_AI friend Wide operator-(Wide a, Wide b) { return {a.lo - b.lo, a.hi - b.hi + as_u(a.lo < b.lo)}; }
  BZ_AI friend Wide operator-(Wide a) { return Wide(0) - a; }
  BZ_AI friend Wide operator*(Wide a, Wide b) {
    VL p = __builtin_convertvector(a.lo, VL) * __builtin_convertvector(b.lo, VL);
    return {__builtin_convertvector(p, VU), __builtin_convertvector(p >> 32, VU) + a.lo * b.hi + a.hi * b.lo};
  }
  BZ_AI friend Wide operator&(Wide a, Wide b) { return {a.lo & b.lo, a.hi & b.hi}; }
  BZ_AI friend Wide operator|(Wide a, Wide b) { return {a.lo | b.lo, a.hi | b.hi}; }
  BZ_AI friend Wide operator^(Wide a, Wide b) { return {a.lo ^ b.lo, a.hi ^ b.hi}; }
  BZ_AI friend Wide operator~(Wide a) { return {~a.lo, ~a.hi}; }
  /// Counts are below 64 (the row masks them).
  BZ_AI friend Wide operator<<(Wide a, U32 n) {
    VU big = as_u(n.v > 31u), t = n.v & 31u;
    VU h = (a.hi << t) | ((a.lo >> 1) >> (31u - t)), l = a.lo << t;
    return {l & ~big, (l & big) | (h & ~big)};
  }
  BZ_AI friend Wide operator>>(Wide a, U32 n) {
    VU big = as_u(n.v > 31u), t = n.v & 31u;
    VU l = (a.lo >> t) | ((a.hi << 1) << (31u - t));
    if constexpr (Signed) {
      VU h = __builtin_bit_cast(VU, __builtin_bit_cast(VI, a.hi) >> __builtin_bit_cast(VI, t));
      VU sign = __builtin_bit_cast(VU, __builtin_bit_cast(VI, a.hi) >> 31);
      return {(h & big) | (l & ~big), (sign & big) | (h & ~big)};
    } else {
      VU h = a.hi >> t;
      return {(h & big) | (l & ~big), h & ~big};
    }
  }
  BZ_AI friend Mask operator==(Wide a, Wide b) { return {(a.lo == b.lo) & (a.hi == b.hi)}; }
  BZ_AI friend Mask operator!=(Wide a, Wide b) { return {(a.lo != b.lo) | (a.hi != b.hi)}; }
  BZ_AI friend Mask operator<(Wide a, Wide b) {
    VI less;
    if constexpr (Signed) less = __builtin_bit_cast(VI, a.hi) < __builtin_bit_cast(VI, b.hi);
    else less = a.hi < b.hi;
    return {less | ((a.hi == b.hi) & (a.lo < b.lo))};
  }
  BZ_AI friend Mask operator>(Wide a, Wide b) { return b < a; }
  BZ_AI friend Mask operator<=(Wide a, Wide b) { return ~(b < a); }
  BZ_AI friend Mask operator>=(Wide a, Wide b) { return ~(a < b); }
};
using U64 = Wide<false>;
using I64 = Wide<true>;

BZ_AI VD double_of(VU lo, VU hi) {
#if BZ_LEVEL == 512
  return __builtin_bit_cast(VD, V2U(__builtin_shufflevector(lo, hi, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23, 8, 24, 9,
                                                            25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)));
#else
  return __builtin_bit_cast(VD, V2U(__builtin_shufflevector(lo, hi, 0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15)));
#endif
}
BZ_AI U64 pair_of(V2U x) {
#if BZ_LEVEL == 512
  return {__builtin_shufflevector(x, x, 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30),
          __builtin_shufflevector(x, x, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31)};
#else
  return {__builtin_shufflevector(x, x, 0, 2, 4, 6, 8, 10, 12, 14), __builtin_shufflevector(x, x, 1, 3, 5, 7, 9, 11, 13, 15)};
#endif
}
BZ_AI U64 bits_of(F64 x) { return pair_of(__builtin_bit_cast(V2U, x.v)); }
BZ_AI F64 float_of(U64 x) { return double_of(x.lo, x.hi); }

BZ_AI VF blend(VI m, VF a, VF b) { return m ? a : b; }
BZ_AI VU blend(VI m, VU a, VU b) { return m ? a : b; }
BZ_AI VI blend(VI m, VI a, VI b) { return m ? a : b; }
BZ_AI VD blend(VI m, VD a, VD b) { return __builtin_convertvector(m, VSL) ? a : b; }

// ---------------------------------------------------------------- scalars

struct SBool {
  bool v;
  BZ_AI friend SBool operator&(SBool a, SBool b) { return {a.v && b.v}; }
  BZ_AI friend SBool operator|(SBool a, SBool b) { return {a.v || b.v}; }
  BZ_AI friend SBool operator^(SBool a, SBool b) { return {a.v != b.v}; }
  BZ_AI friend SBool operator~(SBool a) { return {!a.v}; }
};

template <class T> struct Scalar {
  T v;
  using U = std::make_unsigned_t<T>;
  Scalar() = default;
  template <Integer N> BZ_AI constexpr Scalar(N x) : v(static_cast<T>(x)) {}
  BZ_AI static Scalar wrap(U x) { return Scalar(static_cast<T>(x)); }
  BZ_AI friend Scalar operator+(Scalar a, Scalar b) { return wrap(U(a.v) + U(b.v)); }
  BZ_AI friend Scalar operator-(Scalar a, Scalar b) { return wrap(U(a.v) - U(b.v)); }
  BZ_AI friend Scalar operator*(Scalar a, Scalar b) { return wrap(U(a.v) * U(b.v)); }
  BZ_AI friend Scalar operator-(Scalar a) { return wrap(U(0) - U(a.v)); }
  BZ_AI friend Scalar operator&(Scalar a, Scalar b) { return wrap(U(a.v) & U(b.v)); }
  BZ_AI friend Scalar operator|(Scalar a, Scalar b) { return wrap(U(a.v) | U(b.v)); }
  BZ_AI friend Scalar operator^(Scalar a, Scalar b) { return wrap(U(a.v) ^ U(b.v)); }
  BZ_AI friend Scalar operator~(Scalar a) { return wrap(~U(a.v)); }
  BZ_AI friend Scalar operator<<(Scalar a, Scalar<uint32_t> n) { return wrap(U(a.v) << (n.v & (sizeof(T) * 8 - 1))); }
  BZ_AI friend Scalar operator>>(Scalar a, Scalar<uint32_t> n) { return Scalar(static_cast<T>(a.v >> (n.v & (sizeof(T) * 8 - 1)))); }
  BZ_AI friend SBool operator==(Scalar a, Scalar b) { return {a.v == b.v}; }
  BZ_AI friend SBool operator!=(Scalar a, Scalar b) { return {a.v != b.v}; }
  BZ_AI friend SBool operator<(Scalar a, Scalar b) { return {a.v < b.v}; }
  BZ_AI friend SBool operator<=(Scalar a, Scalar b) { return {a.v <= b.v}; }
  BZ_AI friend SBool operator>(Scalar a, Scalar b) { return {a.v > b.v}; }
  BZ_AI friend SBool operator>=(Scalar a, Scalar b) { return {a.v >= b.v}; }
};
using S32 = Scalar<uint32_t>;
using SI32 = Scalar<int32_t>;
using S64 = Scalar<uint64_t>;
using SI64 = Scalar<int64_t>;

/// Pure operations on scalars: the ScalarMath part of the builders.
struct ScalarMathOps {
  template <class T> BZ_AI static Scalar<T> select(SBool c, Scalar<T> a, Scalar<T> b) { return c.v ? a : b; }
  BZ_AI static SBool select(SBool c, SBool a, SBool b) { return c.v ? a : b; }
  BZ_AI static S32 as_u32(SI32 x) { return S32(x.v); }
  BZ_AI static S32 as_u32(S32 x) { return x; }
  BZ_AI static SI32 as_i32(S32 x) { return SI32(x.v); }
  BZ_AI static S64 as_u64(SI64 x) { return S64(x.v); }
  BZ_AI static SI64 as_i64(S64 x) { return SI64(x.v); }
  BZ_AI static S32 lo(S64 x) { return S32(x.v); }
  BZ_AI static S32 hi(S64 x) { return S32(x.v >> 32); }
  BZ_AI static S64 make64(S32 l, S32 h) { return S64(l.v | static_cast<uint64_t>(h.v) << 32); }
  BZ_AI static S64 zext64(S32 x) { return S64(x.v); }
  BZ_AI static SI64 sext64(SI32 x) { return SI64(x.v); }
  BZ_AI static S32 from_bool(SBool c) { return S32(c.v ? 1u : 0u); }
  BZ_AI static S32 popcount(S32 x) { return S32(__builtin_popcount(x.v)); }
  BZ_AI static S32 popcount(S64 x) { return S32(__builtin_popcountll(x.v)); }
  BZ_AI static S32 clz(S32 x) { return S32(x.v ? __builtin_clz(x.v) : 32); }
  BZ_AI static S32 clz(S64 x) { return S32(x.v ? __builtin_clzll(x.v) : 64); }
  BZ_AI static S32 ctz(S32 x) { return S32(x.v ? __builtin_ctz(x.v) : 32); }
  BZ_AI static S32 ctz(S64 x) { return S32(x.v ? __builtin_ctzll(x.v) : 64); }
  BZ_AI static S32 reverse_bits(S32 x) { return S32(__builtin_bitreverse32(x.v)); }
  BZ_AI static S64 reverse_bits(S64 x) { return S64(__builtin_bitreverse64(x.v)); }
  template <class T> BZ_AI static Scalar<T> min(Scalar<T> a, Scalar<T> b) { return a.v < b.v ? a : b; }
  template <class T> BZ_AI static Scalar<T> max(Scalar<T> a, Scalar<T> b) { return a.v > b.v ? a : b; }
  BZ_AI static S32 mul_hi(S32 a, S32 b) { return S32(static_cast<uint64_t>(a.v) * b.v >> 32); }
  BZ_AI static SI32 mul_hi(SI32 a, SI32 b) { return SI32(static_cast<int64_t>(a.v) * b.v >> 32); }
};

} // namespace bz::exec::BZ_LEVEL_NS
