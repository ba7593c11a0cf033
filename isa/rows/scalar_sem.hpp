// Shapes of scalar semantics that several rows share: logic with SCC = (result != 0), bit fields, EXEC saves.
// Owns no row; must not know any engine.
#pragma once
#include "isa/builder.hpp"
#include "isa/rows/common_sem.hpp"

#include <cstdint>
#include <string_view>

namespace bz::isa {

namespace detail {
template <int Bits> auto ssrc(auto& b, int k) {
  if constexpr (Bits == 64) return b.s64(k);
  else return b.s32(k);
}
template <int Bits> auto sisrc(auto& b, int k) {
  if constexpr (Bits == 64) return b.si64(k);
  else return b.si32(k);
}
} // namespace detail

/// D = F(S0, S1); SCC = D != 0.
template <int Bits, auto F> inline constexpr auto kLogic2 = [](auto& b) {
  auto r = F(detail::ssrc<Bits>(b, 0), detail::ssrc<Bits>(b, 1));
  b.sdst(r);
  b.set_scc(r != 0u);
};

/// D = F(b, S0); SCC = D != 0.
template <int Bits, auto F> inline constexpr auto kLogic1 = [](auto& b) {
  auto r = F(b, detail::ssrc<Bits>(b, 0));
  b.sdst(r);
  b.set_scc(r != 0u);
};

/// S1 = width << 16 | offset. A width of 0 gives 0; a field that runs past the top takes what is there (signed: the sign).
template <int Bits, bool Signed> inline constexpr auto kBitField = [](auto& b) {
  auto field = b.s32(1);
  auto offset = field & (Bits - 1u), width = (field >> 16) & 127u;
  auto narrow = (0u - width) & (Bits - 1u);  // Bits - width for 1..Bits-1; 0 for Bits
  auto finish = [&](auto shifted, auto zero) {
    auto cut = (shifted << narrow) >> narrow;
    auto r = b.select(width == 0u, zero, b.select(width < unsigned{Bits}, cut, shifted));
    b.sdst(r);
    b.set_scc(r != zero);
  };
  if constexpr (Signed) {
    auto x = detail::sisrc<Bits>(b, 0);
    finish(x >> offset, decltype(x)(0));
  } else {
    auto x = detail::ssrc<Bits>(b, 0);
    finish(x >> offset, decltype(x)(0u));
  }
};

/// D = (S0 << N) + S1; SCC = the sum needs more than 32 bits.
template <unsigned N> inline constexpr auto kShiftAdd = [](auto& b) {
  auto r = (b.zext64(b.s32(0)) << N) + b.zext64(b.s32(1));
  b.sdst(b.lo(r));
  b.set_scc(b.hi(r) != 0u);
};

/// D = EXEC; EXEC = F(S0, EXEC); SCC = EXEC != 0.
template <auto F> inline constexpr auto kSaveExec = [](auto& b) {
  auto old = b.exec();
  auto now = F(b.s64(0), old);
  b.sdst(old);
  b.set_exec(now);
  b.set_scc(now != 0u);
};

/// Bit 4q set if any bit of quad q is; `ones` = 0x1111...
auto quad_any(auto x, auto ones) { return (x | (x >> 1) | (x >> 2) | (x >> 3)) & ones; }

/// Bits 0, 4, 8 ... 28 gathered into bits 7:0.
auto pack_quads32(auto q) {
  auto x = (q | (q >> 3)) & 0x03030303u;
  x = (x | (x >> 6)) & 0x000f000fu;
  return (x | (x >> 12)) & 0xffu;
}

/// Bit i of the low half to bit 2i.
auto spread_bits(auto x) {
  x = (x | (x << 8)) & 0x00ff00ffu;
  x = (x | (x << 4)) & 0x0f0f0f0fu;
  x = (x | (x << 2)) & 0x33333333u;
  return (x | (x << 1)) & 0x55555555u;
}

/// A branch on what is never so.
inline constexpr auto kBranchNever = [](auto& b) {
  decltype(b.pc_next()) zero(0u);
  b.branch_if(zero != 0u);
};

/// The operation of a scalar atomic, from its name: "s_buffer_atomic_smin_x2".
consteval AtomicOp scalar_atomic(std::string_view name) {
  name.remove_prefix(name.find("atomic_") + 7);
  if (name.ends_with("_x2")) name.remove_suffix(3);
  using enum AtomicOp;
  constexpr struct { std::string_view name; AtomicOp op; } all[] = {
      {"swap", swap}, {"cmpswap", cmpswap}, {"add", add}, {"sub", sub}, {"smin", smin}, {"umin", umin}, {"smax", smax},
      {"umax", umax}, {"and", and_}, {"or", or_}, {"xor", xor_}, {"inc", inc}, {"dec", dec}};
  for (auto& x : all)
    if (x.name == name) return x.op;
  return all[99].op;  // no such operation: does not compile
}
template <bool Buffer, AtomicOp Op, AtomicType T> inline constexpr auto kScalarAtomic = [](auto& b) {
  if constexpr (Buffer) b.s_buffer_atomic(Op, T);
  else b.s_atomic(Op, T);
};

/// The SOPK immediate as a signed and as an unsigned 16-bit number.
auto imm32(auto& b) { return decltype(b.si32(0))(static_cast<int32_t>(b.imm())); }
auto imm16u(auto& b) { return decltype(b.s32(0))(static_cast<uint32_t>(b.imm()) & 0xffffu); }

} // namespace bz::isa
