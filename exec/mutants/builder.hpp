// The altering builder: what `sem` of a row sees instead of one of the interpreter's builders. Every primitive of
// isa/builder.hpp is forwarded to the real builder, with the call as a site on its way. The list of names is made from that
// header, so a primitive that is not stated there does not compile in a row.
#pragma once
#include "exec/interp/whole.hpp"
#include "exec/mutants/values.hpp"

#include <array>
#include <cstring>
#include <tuple>

namespace bz::exec::BZ_LEVEL_NS {

// ---------------------------------------------------------------- facts about primitives, by name

/// What the types of a primitive don't say.
struct Primitive {
  uint64_t hash;
  bool symmetric;   ///< exchanging the first two arguments is no fault
  bool idle;        ///< does nothing, deliberately: no site
  bool cross;       ///< matrix rows: operands, but no offset
  bool scalar_memory;
};
consteval Primitive primitive_named(std::string_view n) {
  constexpr std::string_view kSymmetric[] = {"min", "max", "med3", "add_sat", "mul_hi", "mul_wide", "mul_legacy", "add_carry",
                                             "add_overflow", "unordered", "fma", "mad", "mad_legacy", "div_fmas"};
  bool symmetric = false;
  for (auto s : kSymmetric) symmetric |= s == n;
  return {mutants::hash(n), symmetric, n == "nop" || n == "not_implemented", n == "mfma" || n == "smfmac", n.starts_with("s_")};
}

// Neighbours of template arguments: the value itself where there is none.
template <class P> constexpr P neighbour(P p) { return p; }
template <Integer P> requires (!std::same_as<P, bool>) constexpr P neighbour(P p) { return p > 1 ? p / 2 : p; }
constexpr isa::Elem neighbour(isa::Elem e) {
  using enum isa::Elem;
  switch (e) {
  case u8: return i8;
  case i8: return u8;
  case u16: return i16;
  case i16: return u16;
  case u8_d16: return u8_d16_hi;
  case i8_d16: return u8_d16;
  case u16_d16: return u16_d16_hi;
  case u8_d16_hi: return u8_d16;
  case i8_d16_hi: return i8_d16;
  case u16_d16_hi: return u16_d16;
  case u8_hi: return u8;
  case u16_hi: return u16;
  case u32: return u32;
  }
  return e;
}
constexpr isa::AtomicOp neighbour(isa::AtomicOp o) {
  using enum isa::AtomicOp;
  switch (o) {
  case swap: return or_;
  case add: return sub;
  case sub: return add;
  case rsub: return sub;
  case smin: return umin;
  case umin: return smin;
  case smax: return umax;
  case umax: return smax;
  case and_: return or_;
  case or_: return xor_;
  case xor_: return or_;
  case inc: return dec;
  case dec: return inc;
  case fmin: return fmax;
  case fmax: return fmin;
  case fadd: return swap;
  default: return o;   // two operands: no other operation takes them alike
  }
}
constexpr isa::Return neighbour(isa::Return r) { return r == isa::Return::no ? isa::Return::yes : isa::Return::no; }
constexpr isa::Num neighbour(isa::Num n) {
  return n == isa::Num::fp8 ? isa::Num::bf8 : n == isa::Num::bf8 ? isa::Num::fp8 : n;
}
/// A store has no sign to get wrong.
template <Primitive N, auto P> constexpr auto kNeighbour = [] {
  if constexpr (std::same_as<std::remove_const_t<decltype(P)>, isa::Elem>) {
    using enum isa::Elem;
    if (N.hash == mutants::hash("store")) return P == u8 || P == u16_hi ? u16 : P == u16 || P == u8_hi ? u8 : P;
  }
  return neighbour(P);
}();
template <Primitive N, auto P> constexpr bool kHasNeighbour = [] {
  if constexpr (requires { P != P; }) return kNeighbour<N, P> != P;
  else return false;
}();
template <Primitive N, auto P, bool Wanted> constexpr auto kNeighbourIf = P;
template <Primitive N, auto P> constexpr auto kNeighbourIf<N, P, true> = kNeighbour<N, P>;
template <auto P> constexpr bool kOtherSpace = [] {
  if constexpr (std::same_as<std::remove_const_t<decltype(P)>, isa::Space>) return P != isa::Space::lds;
  else return false;
}();

// ---------------------------------------------------------------- calls

template <class T> constexpr bool kIsVal = false;
template <class T> constexpr bool kIsVal<Val<T>> = true;
template <class T> concept PlainNumber = Integer<T> && !std::same_as<T, bool>;

template <class T> T plain(Val<T> x) { return x.v; }
template <class T> requires (!kIsVal<T>) T plain(T x) { return x; }
template <class T> auto wrapped(T x) {
  if constexpr (EngineValue<T>) return Val<T>(x);
  else return x;
}
template <class V> auto wrapped(isa::WithMask<V, Mask> x) { return isa::WithMask<Val<V>, Val<Mask>>{Val<V>(x.value), Val<Mask>(x.mask)}; }

template <class T> struct ValueIn { using type = void; };
template <class T> struct ValueIn<Val<T>> { using type = T; };
/// Engine type of the last argument, void if that is none.
template <class... A> struct LastValue { using type = void; };
template <class A, class... B> struct LastValue<A, B...> : LastValue<B...> {};
template <class A> struct LastValue<A> : ValueIn<A> {};

template <class... A> constexpr bool kFirstTwoAlike = false;
template <class T, class... A> constexpr bool kFirstTwoAlike<Val<T>, Val<T>, A...> = true;
template <class... A> constexpr int kNumbers = (0 + ... + (PlainNumber<A> ? 1 : 0));

constexpr Kind nth_argument(size_t i) { return static_cast<Kind>(static_cast<size_t>(Kind::arg0) + i); }

/// R: what the builder gives; A: arguments as the row gives them; P: template arguments.
template <Primitive N, class R, auto... P> struct Faults {
  template <class... A> static consteval Kinds kinds(bool takes_operands) {
    if (N.idle) return 0;
    Kinds k = 0;
    if constexpr (std::is_void_v<R>) {
      k |= bit(Kind::drop);
      if constexpr (!std::is_void_v<typename LastValue<A...>::type>) k |= kFaults<typename LastValue<A...>::type>;
      if (takes_operands) {
        k |= bit(Kind::dest) | bit(Kind::result);
        if (!N.cross) k |= bit(Kind::offset);
        if (!N.scalar_memory) {
          k |= bit(Kind::source1);
          if (!(kOtherSpace<P> || ...)) k |= bit(Kind::source0) | (N.cross ? bit(Kind::source2) : 0);
        }
      }
    } else {
      k |= kFaults<R>;
    }
    if (kFirstTwoAlike<A...> && !N.symmetric) k |= bit(Kind::swap);
    if (kNumbers<A...> > 0) k |= bit(Kind::number);
    if (kNumbers<A...> > 1) k |= bit(Kind::number2);
    size_t i = 0;
    ((k |= kHasNeighbour<N, P> ? bit(nth_argument(i)) : 0, ++i), ...);
    return k;
  }
};

template <class T> void alter_number(T& x, int& left, bool reads) {
  if constexpr (PlainNumber<T>) {
    if (left-- == 0) x = static_cast<T>(reads ? x ^ 1 : x / 2);
  }
}
template <class T> void alter_value(Val<T>& x, Kind k) { x.v = altered(x.v, k); }
template <class T> void alter_value(T&, Kind) {}

/// `reads`: the numbers name a source or dword (else they are counts, and less is safe).
template <class R, class... A> void alter_arguments(Kind k, bool reads, A&... a) {
  if (k == Kind::swap) {
    if constexpr (kFirstTwoAlike<A...>) {
      auto all = std::tie(a...);
      std::swap(std::get<0>(all), std::get<1>(all));
    }
  } else if (k == Kind::number || k == Kind::number2) {
    int left = k == Kind::number ? 0 : 1;
    (alter_number(a, left, reads), ...);
  } else if (std::is_void_v<R> && (bit(k) & (bit(Kind::low) | bit(Kind::rest) | bit(Kind::negate)))) {
    if constexpr (sizeof...(A) > 0) alter_value(std::get<sizeof...(A) - 1>(std::tie(a...)), k);
  }
}

/// Alters the operation for as long as it lives.
class AlteredOp {
public:
  AlteredOp(const Op* o, Kind k, uint32_t register_bytes) : op_(const_cast<Op*>(o)) {
    std::memcpy(static_cast<void*>(&keep()), o, sizeof(Op));
    mutants::evaluation.altered = op_, mutants::evaluation.original = &keep();
    switch (k) {
    case Kind::offset: op_->imm += 4; break;
    case Kind::dest: op_->d += register_bytes; break;
    case Kind::source0: op_->s[0] += register_bytes; break;   // not the high dword, which is something else in memory rows
    case Kind::source1: op_->s[1] += register_bytes; break;
    case Kind::source2: op_->s[2] += register_bytes; break;
    default: break;
    }
  }
  ~AlteredOp() { mutants::restore(); }

private:
  static Op& keep() { static thread_local Op op; return op; }
  Op* op_;
};

template <class B> constexpr bool kScalarBuilder = requires(B b) { b.taken; };
template <class B> constexpr bool kWaveBuilder = requires(B b) { b.lds_limit; };

/// B: one of the interpreter's builders.
template <class B> class Mutant {
public:
  explicit Mutant(B& b) : b_(b) {}

#define BZ_TYPE(name) using name = Val<BZ_LEVEL_NS::name>;
  BZ_TYPE(U32) BZ_TYPE(I32) BZ_TYPE(U64) BZ_TYPE(I64) BZ_TYPE(F32) BZ_TYPE(F64) BZ_TYPE(F16) BZ_TYPE(Mask)
  BZ_TYPE(S32) BZ_TYPE(SI32) BZ_TYPE(S64) BZ_TYPE(SI64) BZ_TYPE(SBool)
#undef BZ_TYPE

#define X(name)                                                                                                        \
  template <auto... P, class... A> auto name(A... a) {                                                                 \
    auto call = []<auto... Q>(auto& b, auto... x) {                                                                     \
      if constexpr (sizeof...(Q) > 0) return b.template name<Q...>(x...);                                              \
      else return b.name(x...);                                                                                        \
    };                                                                                                                 \
    return pass<primitive_named(#name), P...>(#name, call, a...);                                                      \
  }
#include "exec/mutants/primitives.inc"
#undef X

private:
  template <Primitive N, auto... P, class F, class... A> auto pass(std::string_view text, F call, A... a) {
    using R = decltype(call.template operator()<P...>(b_, plain(a)...));
    // Primitives without values take the instruction's operands themselves: vector memory, matrices, scalar memory.
    constexpr bool kOperands = std::is_void_v<R> && !N.idle && !(kIsVal<A> || ...) && (kWaveBuilder<B> || (kScalarBuilder<B> && N.scalar_memory));
    constexpr Kinds kKinds = Faults<N, R, P...>::template kinds<A...>(kOperands);
    Kind k = mutants::enter(N.hash, text, kKinds);
    if (k != Kind::none) [[unlikely]] {
      if (k == Kind::drop) {
        if constexpr (std::is_void_v<R>) return;
      }
      alter_arguments<R>(k, !kOperands, a...);
      if (k >= Kind::arg0 && k <= Kind::arg3) {
        if constexpr ((kHasNeighbour<N, P> || ...)) return with_neighbour<N, P...>(k, call, std::make_index_sequence<sizeof...(P)>{}, a...);
      }
      if constexpr (kOperands) {
        if (k >= Kind::offset) return with_operands<P...>(k, call, a...);
      }
    }
    if constexpr (std::is_void_v<R>) {
      call.template operator()<P...>(b_, plain(a)...);
    } else {
      R r = call.template operator()<P...>(b_, plain(a)...);
      if constexpr (kFaults<R> != 0) {
        if (bit(k) & kFaults<R>) [[unlikely]] r = altered(r, k);
      }
      return wrapped(r);
    }
  }

  template <Primitive N, auto... P, class F, size_t... I, class... A> void with_neighbour(Kind k, F call, std::index_sequence<I...> all, A... a) {
    (with_neighbour_at<N, I, P...>(k, call, all, a...), ...);
  }
  template <Primitive N, size_t Which, auto... P, class F, size_t... I, class... A>
  void with_neighbour_at(Kind k, F call, std::index_sequence<I...>, A... a) {
    if constexpr (((I == Which && kHasNeighbour<N, P>) || ...)) {
      if (k == nth_argument(Which)) call.template operator()<kNeighbourIf<N, P, I == Which>...>(b_, plain(a)...);
    }
  }

  template <auto... P, class F, class... A> void with_operands(Kind k, F call, A... a) {
    constexpr uint32_t kRegister = kScalarBuilder<B> ? 4 : layout::kRow;
    {
      AlteredOp op(b_.o, k, kRegister);
      B other(b_.o, b_.w);
      call.template operator()<P...>(other, plain(a)...);
      if constexpr (kWaveBuilder<B>) b_.halted |= other.halted;
      else if (other.request != Request::none) b_.request = other.request, b_.argument = other.argument;
    }
    if (k == Kind::result) {
      uint64_t e = reinterpret_cast<Wave*>(b_.w)->exec();
      b_.w[b_.o->d + (kScalarBuilder<B> || e == 0 ? 0 : 4 * static_cast<unsigned>(__builtin_ctzll(e)))] ^= 1;
    }
  }

  B& b_;
};

} // namespace bz::exec::BZ_LEVEL_NS
