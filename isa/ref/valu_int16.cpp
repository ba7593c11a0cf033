// References of 16-bit, packed and dot-product integer rows, and of the integer compares. Source: MI300/MI355 ISA documents,
// sections VOP2, VOPC, VOP3 and VOP3P.
//
// Where a 16-bit result lands: rows clear the high half, unless op_sel[3] sends the result there, beside the old low one;
// v_mad_u16 and v_mad_i16, not their *_legacy forms, keep the other half in any case. Saturation as in valu_int.cpp.
#include "isa/ref/families.hpp"
#include "isa/ref/machine.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <string>

namespace bz::isa::ref {
namespace {

using V = const LaneView&;

int32_t clamped(V v, int64_t exact, int64_t low, int64_t high) {
  return static_cast<int32_t>(v.i.clamp ? std::clamp(exact, low, high) : exact);
}
uint32_t to_u16(V v, int64_t exact) { return static_cast<uint32_t>(clamped(v, exact, 0, 65535)) & 0xffff; }
uint32_t to_i16(V v, int64_t exact) { return static_cast<uint32_t>(clamped(v, exact, -32768, 32767)) & 0xffff; }
int32_t s16(uint32_t x) { return static_cast<int16_t>(x); }

// Each operation once, on exact values; the rows below place its operands and result. Arguments: view (for clamp), a, b, c.
constexpr auto kAddU = [](V v, uint32_t a, uint32_t b, uint32_t) { return to_u16(v, int64_t{a} + b); };
constexpr auto kSubU = [](V v, uint32_t a, uint32_t b, uint32_t) { return to_u16(v, int64_t{a} - b); };
constexpr auto kSubRevU = [](V v, uint32_t a, uint32_t b, uint32_t) { return to_u16(v, int64_t{b} - a); };
constexpr auto kAddI = [](V v, uint32_t a, uint32_t b, uint32_t) { return to_i16(v, int64_t{s16(a)} + s16(b)); };
constexpr auto kSubI = [](V v, uint32_t a, uint32_t b, uint32_t) { return to_i16(v, int64_t{s16(a)} - s16(b)); };
constexpr auto kMulU = [](V v, uint32_t a, uint32_t b, uint32_t) { return to_u16(v, int64_t{a} * b); };
constexpr auto kMadU = [](V v, uint32_t a, uint32_t b, uint32_t c) { return to_u16(v, int64_t{a} * b + c); };
constexpr auto kMadI = [](V v, uint32_t a, uint32_t b, uint32_t c) { return to_i16(v, int64_t{s16(a)} * s16(b) + s16(c)); };
constexpr auto kShl = [](V, uint32_t a, uint32_t b, uint32_t) { return b << (a & 15) & 0xffff; };
constexpr auto kShr = [](V, uint32_t a, uint32_t b, uint32_t) { return b >> (a & 15); };
constexpr auto kAshr = [](V, uint32_t a, uint32_t b, uint32_t) { return static_cast<uint32_t>(s16(b) >> (a & 15)) & 0xffff; };
constexpr auto kMinU = [](V, uint32_t a, uint32_t b, uint32_t) { return std::min(a, b); };
constexpr auto kMaxU = [](V, uint32_t a, uint32_t b, uint32_t) { return std::max(a, b); };
constexpr auto kMinI = [](V, uint32_t a, uint32_t b, uint32_t) { return s16(a) < s16(b) ? a : b; };
constexpr auto kMaxI = [](V, uint32_t a, uint32_t b, uint32_t) { return s16(a) > s16(b) ? a : b; };
constexpr auto kMin3U = [](V, uint32_t a, uint32_t b, uint32_t c) { return std::min({a, b, c}); };
constexpr auto kMax3U = [](V, uint32_t a, uint32_t b, uint32_t c) { return std::max({a, b, c}); };
constexpr auto kMin3I = [](V v, uint32_t a, uint32_t b, uint32_t c) { return kMinI(v, kMinI(v, a, b, 0), c, 0); };
constexpr auto kMax3I = [](V v, uint32_t a, uint32_t b, uint32_t c) { return kMaxI(v, kMaxI(v, a, b, 0), c, 0); };
constexpr auto kMed3U = [](V, uint32_t a, uint32_t b, uint32_t c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); };
constexpr auto kMed3I = [](V v, uint32_t a, uint32_t b, uint32_t c) {
  return kMaxI(v, kMinI(v, a, b, 0), kMinI(v, kMaxI(v, a, b, 0), c, 0), 0);
};

template <auto F> void low2(V v) { v.out16(F(v, v.u16(0), v.u16(1), 0)); }
template <auto F> void low3(V v) { v.out16(F(v, v.u16(0), v.u16(1), v.u16(2))); }
template <auto F> void sel2(V v) { v.out16_sel(F(v, v.u16(0), v.u16(1), 0)); }
template <auto F> void sel3(V v) { v.out16_sel(F(v, v.u16(0), v.u16(1), v.u16(2))); }
template <auto F> void keep3(V v) { v.out16_keep(F(v, v.u16(0), v.u16(1), v.u16(2))); }
template <auto F, int Sources> void packed(V v) {
  uint32_t r[2];
  for (int n = 0; n < 2; ++n) r[n] = F(v, v.half(0, n), v.half(1, n), Sources == 3 ? v.half(2, n) : 0);
  v.out32(r[0] | r[1] << 16);
}

constexpr Entry kWords[] = {
    {"v_add_u16", nullptr, low2<kAddU>}, {"v_sub_u16", nullptr, low2<kSubU>}, {"v_subrev_u16", nullptr, low2<kSubRevU>},
    {"v_mul_lo_u16", nullptr, low2<kMulU>}, {"v_lshlrev_b16", nullptr, low2<kShl>}, {"v_lshrrev_b16", nullptr, low2<kShr>},
    {"v_ashrrev_i16", nullptr, low2<kAshr>}, {"v_max_u16", nullptr, low2<kMaxU>}, {"v_max_i16", nullptr, low2<kMaxI>},
    {"v_min_u16", nullptr, low2<kMinU>}, {"v_min_i16", nullptr, low2<kMinI>},
    {"v_mad_legacy_u16", nullptr, low3<kMadU>}, {"v_mad_legacy_i16", nullptr, low3<kMadI>},

    {"v_add_i16", nullptr, sel2<kAddI>}, {"v_sub_i16", nullptr, sel2<kSubI>},
    {"v_mad_u16", nullptr, keep3<kMadU>}, {"v_mad_i16", nullptr, keep3<kMadI>},
    {"v_min3_i16", nullptr, sel3<kMin3I>}, {"v_min3_u16", nullptr, sel3<kMin3U>},
    {"v_max3_i16", nullptr, sel3<kMax3I>}, {"v_max3_u16", nullptr, sel3<kMax3U>},
    {"v_med3_i16", nullptr, sel3<kMed3I>}, {"v_med3_u16", nullptr, sel3<kMed3U>},

    {"v_pk_mad_i16", nullptr, packed<kMadI, 3>}, {"v_pk_mad_u16", nullptr, packed<kMadU, 3>},
    {"v_pk_mul_lo_u16", nullptr, packed<kMulU, 2>}, {"v_pk_add_i16", nullptr, packed<kAddI, 2>},
    {"v_pk_sub_i16", nullptr, packed<kSubI, 2>}, {"v_pk_add_u16", nullptr, packed<kAddU, 2>},
    {"v_pk_sub_u16", nullptr, packed<kSubU, 2>}, {"v_pk_lshlrev_b16", nullptr, packed<kShl, 2>},
    {"v_pk_lshrrev_b16", nullptr, packed<kShr, 2>}, {"v_pk_ashrrev_i16", nullptr, packed<kAshr, 2>},
    {"v_pk_max_i16", nullptr, packed<kMaxI, 2>}, {"v_pk_min_i16", nullptr, packed<kMinI, 2>},
    {"v_pk_max_u16", nullptr, packed<kMaxU, 2>}, {"v_pk_min_u16", nullptr, packed<kMinU, 2>},
};

// ---------------------------------------------------------------- 16-bit times 16-bit into 32, dot products

uint32_t to_i32(V v, int64_t exact) { return static_cast<uint32_t>(clamped(v, exact, INT32_MIN, INT32_MAX)); }
uint32_t to_u32(V v, int64_t exact) { return static_cast<uint32_t>(v.i.clamp ? std::clamp<int64_t>(exact, 0, UINT32_MAX) : exact); }

/// Element n of a packed register, Bits wide. The exact sum of all products, clamped once at the end.
template <int Bits, bool Signed> int64_t element(uint32_t x, int n) {
  uint32_t e = x >> (Bits * n) & ((1u << Bits) - 1);
  return Signed && e >> (Bits - 1) ? int64_t{e} - (int64_t{1} << Bits) : int64_t{e};
}
template <int Bits, bool Signed> int64_t products(uint32_t a, uint32_t b) {
  int64_t sum = 0;
  for (int n = 0; n < 32 / Bits; ++n) sum += element<Bits, Signed>(a, n) * element<Bits, Signed>(b, n);
  return sum;
}
/// v_dot2*: op_sel and op_sel_hi choose the halves that meet.
uint32_t chosen(V v, int k) { return v.half(k, 0) | v.half(k, 1) << 16; }
template <int Bits> void dot_accumulate(V v) {  // v_dot*c: the destination is the sum so far
  v.out32(to_i32(v, products<Bits, true>(v.u32(0), v.u32(1)) + static_cast<int32_t>(v.old32())));
}

constexpr Entry kDots[] = {
    {"v_mad_u32_u16", nullptr, [](V v) { v.out32(to_u32(v, int64_t{v.u16(0)} * v.u16(1) + v.u32(2))); }},
    {"v_mad_i32_i16", nullptr, [](V v) { v.out32(to_i32(v, int64_t{v.i16(0)} * v.i16(1) + v.i32(2))); }},
    {"v_dot2c_i32_i16", nullptr, dot_accumulate<16>},
    {"v_dot4c_i32_i8", nullptr, dot_accumulate<8>},
    {"v_dot8c_i32_i4", nullptr, dot_accumulate<4>},
    {"v_dot2_i32_i16", nullptr, [](V v) { v.out32(to_i32(v, products<16, true>(chosen(v, 0), chosen(v, 1)) + v.i32(2))); }},
    {"v_dot2_u32_u16", nullptr, [](V v) { v.out32(to_u32(v, products<16, false>(chosen(v, 0), chosen(v, 1)) + v.u32(2))); }},
    {"v_dot4_i32_i8", nullptr, [](V v) { v.out32(to_i32(v, products<8, true>(v.u32(0), v.u32(1)) + v.i32(2))); }},
    {"v_dot4_u32_u8", nullptr, [](V v) { v.out32(to_u32(v, products<8, false>(v.u32(0), v.u32(1)) + v.u32(2))); }},
    {"v_dot8_i32_i4", nullptr, [](V v) { v.out32(to_i32(v, products<4, true>(v.u32(0), v.u32(1)) + v.i32(2))); }},
    {"v_dot8_u32_u4", nullptr, [](V v) { v.out32(to_u32(v, products<4, false>(v.u32(0), v.u32(1)) + v.u32(2))); }},
    // op_sel[0] picks the dword of source 0 for the low result, op_sel[1] that of source 1 for the high one.
    {"v_pk_mov_b32", nullptr,
     [](V v) {
       uint32_t low = v.reg(v.i.source(0), v.i.op_sel & 1), high = v.reg(v.i.source(1), v.i.op_sel >> 1 & 1);
       v.out(0, low), v.out(1, high);
     }},
};

// ---------------------------------------------------------------- compares

template <class T> T operand(V v, int k) {
  if constexpr (sizeof(T) == 8) return static_cast<T>(v.u64(k));
  else if constexpr (sizeof(T) == 4) return static_cast<T>(v.u32(k));
  else return static_cast<T>(v.u16(k));
}
/// Bit 0 of the code: true if less; bit 1: if equal; bit 2: if greater. That is how the opcodes are numbered.
template <class T, int Code, bool Exec> void compare(V v) {
  T a = operand<T>(v, 0), b = operand<T>(v, 1);
  bool r = (Code & 1 && a < b) || (Code & 2 && a == b) || (Code & 4 && a > b);
  v.mask_out(r);
  if (Exec) v.exec_out(r);
}

struct Compares {
  std::deque<std::string> names;
  std::deque<Entry> entries;
  template <class T, int Code> void one(const char* relation, const char* type) {
    names.push_back(std::string("v_cmp_") + relation + "_" + type);
    entries.push_back({names.back().c_str(), nullptr, compare<T, Code, false>});
    names.push_back(std::string("v_cmpx_") + relation + "_" + type);
    entries.push_back({names.back().c_str(), nullptr, compare<T, Code, true>});
  }
  template <class T> void type(const char* name) {
    one<T, 0>("f", name), one<T, 1>("lt", name), one<T, 2>("eq", name), one<T, 3>("le", name);
    one<T, 4>("gt", name), one<T, 5>("ne", name), one<T, 6>("ge", name), one<T, 7>("t", name);
  }
  Compares() {
    type<int16_t>("i16"), type<uint16_t>("u16"), type<int32_t>("i32"), type<uint32_t>("u32");
    type<int64_t>("i64"), type<uint64_t>("u64");
  }
};

} // namespace

void register_valu_int16() {
  static auto* compares = new Compares;
  add(kWords, std::size(kWords));
  add(kDots, std::size(kDots));
  for (auto& e : compares->entries) add(&e, 1);
}

} // namespace bz::isa::ref
