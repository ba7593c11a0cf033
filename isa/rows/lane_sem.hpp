// Shapes of vector semantics that several rows share: 24-bit operands, carries, compares, find-bit results.
// Owns no row; must not know any engine.
#pragma once
#include "isa/row.hpp"
#include "isa/rows/common_sem.hpp"

#include <cstdint>

namespace bz::isa {

/// Source k cut to 24 bits.
auto sext24(auto& b, int k) { return (b.i32(k) << 8) >> 8; }
auto zext24(auto& b, int k) { return b.u32(k) & 0xffffffu; }

/// vdst, mask = src0 + src1 + carry. Clamp saturates the sum and leaves the carry as it is.
void add_with_carry(auto& b, auto carry) {
  auto r = b.add_carry(b.u32(0), b.u32(1), carry);
  if (b.clamp()) r.value = b.select(r.mask, decltype(r.value)(0xffffffffu), r.value);
  b.vdst(r.value);
  b.lanes_out(r.mask);
}

/// vdst, mask = x - y - borrow. Clamp saturates at 0.
void sub_with_borrow(auto& b, auto x, auto y, auto borrow) {
  auto r = b.sub_borrow(x, y, borrow);
  if (b.clamp()) r.value = b.select(r.mask, decltype(r.value)(0u), r.value);
  b.vdst(r.value);
  b.lanes_out(r.mask);
}

/// The type of the first operand in operand text.
consteval Type first_type(const char* text) { return Operands(text).spec[0].type; }

enum class Relation : uint8_t { never, lt, eq, le, gt, lg, ge, o, u, nge, nlg, ngt, nle, neq, nlt, always };

/// Source k read as type T.
template <Type T> auto lane_source(auto& b, int k) {
  if constexpr (T == Type::f16) return b.f16(k);
  else if constexpr (T == Type::f32) return b.f32(k);
  else if constexpr (T == Type::f64) return b.f64(k);
  else if constexpr (T == Type::i16) return b.i16(k);
  else if constexpr (T == Type::u16) return b.u16(k);
  else if constexpr (T == Type::i32) return b.i32(k);
  else if constexpr (T == Type::u32) return b.u32(k);
  else if constexpr (T == Type::i64) return b.i64(k);
  else return b.u64(k);
}

/// The n-relations are true for unordered operands, the others false.
template <Relation R> auto relate(auto& b, auto x, auto y) {
  using enum Relation;
  if constexpr (R == never) return b.no_lanes();
  else if constexpr (R == lt) return x < y;
  else if constexpr (R == eq) return x == y;
  else if constexpr (R == le) return x <= y;
  else if constexpr (R == gt) return x > y;
  else if constexpr (R == lg) return (x < y) | (x > y);
  else if constexpr (R == ge) return x >= y;
  else if constexpr (R == o) return ~b.unordered(x, y);
  else if constexpr (R == u) return b.unordered(x, y);
  else if constexpr (R == nge) return ~(x >= y);
  else if constexpr (R == nlg) return ~((x < y) | (x > y));
  else if constexpr (R == ngt) return ~(x > y);
  else if constexpr (R == nle) return ~(x <= y);
  else if constexpr (R == neq) return x != y;
  else if constexpr (R == nlt) return ~(x < y);
  else return ~b.no_lanes();
}

/// v_cmp (mask) and v_cmpx (mask and EXEC).
template <Type T, Relation R, bool WritesExecToo> inline constexpr auto kCompare = [](auto& b) {
  auto m = relate<R>(b, lane_source<T>(b, 0), lane_source<T>(b, 1));
  if constexpr (WritesExecToo) b.lanes_out_exec(m);
  else b.lanes_out(m);
};
template <Type T, bool WritesExecToo> inline constexpr auto kCompareClass = [](auto& b) {
  auto m = b.is_class(lane_source<T>(b, 0), b.u32(1));
  if constexpr (WritesExecToo) b.lanes_out_exec(m);
  else b.lanes_out(m);
};

} // namespace bz::isa
