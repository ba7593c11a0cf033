// Memory semantics: one line per row over the builder's primitives. Owns no row; must not know any engine.
#pragma once
#include "isa/builder.hpp"
#include "isa/row.hpp"
#include "isa/rows/common_sem.hpp"

namespace bz::isa {

template <Space S, Elem E, int Dwords = 1> inline constexpr auto kLoad = [](auto& b) { b.template load<S, E, Dwords>(); };
template <Space S, Elem E, int Dwords = 1> inline constexpr auto kStore = [](auto& b) { b.template store<S, E, Dwords>(); };
template <Space S, Elem E> inline constexpr auto kLoadToLds = [](auto& b) { b.template load_to_lds<S, E>(); };
template <int N, Narrow D, TexelFrom F> inline constexpr auto kLoadFormat = [](auto& b) { b.load_format(N, D, F); };
template <int N, Narrow D, TexelFrom F> inline constexpr auto kStoreFormat = [](auto& b) { b.store_format(N, D, F); };
template <Space S, AtomicOp Op, AtomicType T, Return R> inline constexpr auto kAtomic = [](auto& b) { b.template atomic<S, Op, T, R>(); };

/// The cell of an atomic whose data operand has this type.
consteval AtomicType atomic_cell(Type t) {
  switch (t) {
  case Type::f32: return AtomicType::f32;
  case Type::f64: return AtomicType::f64;
  case Type::pk_f16: return AtomicType::pk_f16;
  case Type::pk_bf16: return AtomicType::pk_bf16;
  default: return type_bits(t) == 64 ? AtomicType::b64 : AtomicType::b32;
  }
}

} // namespace bz::isa
