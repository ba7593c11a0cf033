// Values of the altering builder: each wraps a value of the interpreter and makes every operator, and every constant, a
// site. Owns what a fault looks like in each type; must not know registers or rows.
#pragma once
#include "exec/interp/lane.hpp"
#include "exec/interp/scalar.hpp"
#include "exec/mutants/mutants.hpp"

#include <concepts>
#include <utility>

namespace bz::exec::BZ_LEVEL_NS {

using mutants::bit;
using mutants::Kind;
using mutants::Kinds;

template <class T, class... L> concept OneOf = (std::same_as<T, L> || ...);
template <class T> concept Predicate = OneOf<T, Mask, SBool>;
template <class T> concept EngineValue = Predicate<T> || OneOf<T, U32, I32, U64, I64, F32, F64, F16, S32, SI32, S64, SI64>;

// ---------------------------------------------------------------- faults

template <class T> requires kIsInt<T> Lanes<T> altered(Lanes<T> x, Kind k) { return Lanes<T>(x.v ^ static_cast<T>(k == Kind::low ? 1u : ~1u)); }
template <class T> Scalar<T> altered(Scalar<T> x, Kind k) {
  using U = std::make_unsigned_t<T>;
  return Scalar<T>(static_cast<T>(U(x.v) ^ (k == Kind::low ? U{1} : ~U{1})));
}
template <bool S> Wide<S> altered(Wide<S> x, Kind k) { return k == Kind::low ? Wide<S>(x.lo ^ 1u, x.hi) : Wide<S>(x.lo ^ ~1u, ~x.hi); }
inline F32 altered(F32 x, Kind k) { return float_of(U32(bits_of(x).v ^ (k == Kind::low ? 1u : 0x80000000u))); }
inline F64 altered(F64 x, Kind k) {
  U64 b = bits_of(x);
  return float_of(k == Kind::low ? U64(b.lo ^ 1u, b.hi) : U64(b.lo, b.hi ^ 0x80000000u));
}
inline F16 altered(F16 x, Kind k) { return {x.b ^ (k == Kind::low ? 1u : 0x8000u), x.flush_in, x.flush_out}; }
inline Mask altered(Mask x, Kind) { return ~x; }
inline SBool altered(SBool x, Kind) { return ~x; }
inline bool altered(bool x, Kind) { return !x; }
template <Integer N> requires (!std::same_as<N, bool>) N altered(N x, Kind) { return static_cast<N>(static_cast<uint64_t>(x) + 1); }
template <class V> isa::WithMask<V, Mask> altered(isa::WithMask<V, Mask> x, Kind k) {
  if (k == Kind::negate) x.mask = ~x.mask;
  else x.value = altered(x.value, k);
  return x;
}

/// Kinds of a result, or of a value handed to a writer.
template <class T> constexpr Kinds kFaults = 0;
template <EngineValue T> constexpr Kinds kFaults<T> = Predicate<T> ? bit(Kind::negate) : bit(Kind::low) | bit(Kind::rest);
template <Integer N> constexpr Kinds kFaults<N> = bit(Kind::plus);
template <> inline constexpr Kinds kFaults<bool> = bit(Kind::negate);
template <class V> constexpr Kinds kFaults<isa::WithMask<V, Mask>> = kFaults<V> | bit(Kind::negate);

// ---------------------------------------------------------------- values

template <class T> struct CountOf { using type = U32; };   ///< what its values are shifted by
template <class T> struct CountOf<Scalar<T>> { using type = S32; };

template <EngineValue T> struct Val {
  T v;
  Val() = default;
  explicit Val(T x) : v(x) {}
  template <Number N> requires (!Predicate<T> && std::constructible_from<T, N>) Val(N x) : v(constant(x)) {}

  template <Number N> static T constant(N x) {
    Kind k = mutants::enter(mutants::hash("constant"), "constant", bit(Kind::plus));
    if (k == Kind::none) return T(x);
    if constexpr (Integer<N>) return T(altered(x, k));
    else return T(x + N(1));
  }
  template <class F, class G> static auto binary(std::string_view text, uint64_t name, Kinds kinds, F f, G sibling, Val a, auto b) {
    Kind k = mutants::enter(name, text, kinds);
    if (k == Kind::swap) {
      if constexpr (std::same_as<decltype(b), Val>) std::swap(a, b);
    }
    auto r = k == Kind::other ? sibling(a.v, b.v) : f(a.v, b.v);
    if (k == Kind::low || k == Kind::rest || k == Kind::negate) r = altered(r, k);
    return Val<decltype(r)>(r);
  }
  template <class F> static Val unary(std::string_view text, uint64_t name, F f, Val a) {
    Kind k = mutants::enter(name, text, bit(Kind::other));
    return k == Kind::other ? a : Val(f(a.v));
  }

#define BZ_LAMBDA(op) [](auto x, auto y) { return x op y; }
#define BZ_BINARY(op, sibling, kinds)                                                                                  \
  friend auto operator op(Val a, Val b) requires requires(T x) { x op x; } {                                           \
    return binary(#op, mutants::hash(#op), kFaults<T> | bit(Kind::other) | (kinds), BZ_LAMBDA(op), BZ_LAMBDA(sibling), a, b); \
  }
  BZ_BINARY(+, -, 0) BZ_BINARY(-, +, bit(Kind::swap)) BZ_BINARY(*, +, 0)
  BZ_BINARY(&, |, 0) BZ_BINARY(|, &, 0) BZ_BINARY(^, |, 0)
#undef BZ_BINARY
#define BZ_SHIFT(op, sibling)                                                                                          \
  friend auto operator op(Val a, Val<typename CountOf<T>::type> n) requires requires(T x, typename CountOf<T>::type c) { x op c; } { \
    return binary(#op, mutants::hash(#op), kFaults<T> | bit(Kind::other), BZ_LAMBDA(op), BZ_LAMBDA(sibling), a, n);    \
  }
  BZ_SHIFT(<<, >>) BZ_SHIFT(>>, <<)
#undef BZ_SHIFT
#define BZ_RELATION(op, sibling, kinds)                                                                                \
  friend auto operator op(Val a, Val b) requires requires(T x) { x op x; } {                                           \
    return binary(#op, mutants::hash(#op), bit(Kind::negate) | (kinds), BZ_LAMBDA(op), BZ_LAMBDA(sibling), a, b);      \
  }
  // == and != have no sibling but each other.
  BZ_RELATION(==, ==, 0) BZ_RELATION(!=, !=, 0)
  BZ_RELATION(<, <=, bit(Kind::other) | bit(Kind::swap)) BZ_RELATION(<=, <, bit(Kind::other) | bit(Kind::swap))
  BZ_RELATION(>, >=, bit(Kind::other) | bit(Kind::swap)) BZ_RELATION(>=, >, bit(Kind::other) | bit(Kind::swap))
#undef BZ_RELATION
#undef BZ_LAMBDA
  friend Val operator~(Val a) requires requires(T x) { ~x; } { return unary("~", mutants::hash("~"), [](T x) { return ~x; }, a); }
  friend Val operator-(Val a) requires requires(T x) { -x; } { return unary("unary -", mutants::hash("unary -"), [](T x) { return -x; }, a); }
};

} // namespace bz::exec::BZ_LEVEL_NS
