// References of 32- and 64-bit integer, bit and move rows of VOP1, VOP2 and VOP3. Source: MI300/MI355 ISA documents, chapter
// "Instructions" (VOP1, VOP2, VOP3); Vega ISA for the rows that MI300 dropped. 16-bit and packed rows are in valu_int16.cpp.
//
// Clamp on integers (Vega ISA 6.2.2): the exact result, saturated to the range of the destination's type. The documents name
// it per instruction ("supports saturation") for additions, subtractions and 16-bit multiplications; for the other rows whose
// encoding has the bit the same rule is taken (docs/isa-errata.md).
#include "isa/ref/families.hpp"
#include "isa/ref/machine.hpp"

#include <algorithm>
#include <iterator>

namespace bz::isa::ref {
namespace {

using V = const LaneView&;

// ---------------------------------------------------------------- results

uint32_t to_u32(V v, __int128 exact) {
  if (v.i.clamp) exact = std::clamp<__int128>(exact, 0, UINT32_MAX);
  return static_cast<uint32_t>(exact);
}
uint32_t to_i32(V v, __int128 exact) {
  if (v.i.clamp) exact = std::clamp<__int128>(exact, INT32_MIN, INT32_MAX);
  return static_cast<uint32_t>(exact);
}

template <auto F> void map1(V v) { v.out32(F(v.u32(0))); }
template <auto F> void map2(V v) { v.out32(F(v.u32(0), v.u32(1))); }
template <auto F> void map3(V v) { v.out32(F(v.u32(0), v.u32(1), v.u32(2))); }
using U = uint32_t;
constexpr int32_t sig(U x) { return static_cast<int32_t>(x); }

int32_t s24(U x) { return static_cast<int32_t>(x << 8) >> 8; }
U u24(U x) { return x & 0xffffff; }

U reversed(U x) {
  U r = 0;
  for (int n = 0; n < 32; ++n) r |= (x >> n & 1) << (31 - n);
  return r;
}
U leading_zeros(U x) {
  for (U n = 0; n < 32; ++n)
    if (x >> (31 - n) & 1) return n;
  return ~0u;
}
U trailing_zeros(U x) {
  for (U n = 0; n < 32; ++n)
    if (x >> n & 1) return n;
  return ~0u;
}
U ones(U x) {
  U n = 0;
  for (; x; x >>= 1) n += x & 1;
  return n;
}
U saturated_u8(int32_t x) { return static_cast<U>(std::clamp(x, 0, 255)); }

// ---------------------------------------------------------------- VOP1

void swap(Machine& m, const Inst& i) {
  for (size_t lane = 0; lane < 64; ++lane)
    if (m.active(static_cast<int>(lane))) std::swap(m.vgpr[i.operands[0].number][lane], m.vgpr[i.operands[1].number][lane]);
}
void nothing(V) {}

constexpr Entry kVop1[] = {
    {"v_nop", nullptr, nothing},
    {"v_clrexcp", nullptr, nothing},
    {"v_mov_b32", nullptr, map1<[](U a) { return a; }>},
    {"v_mov_b64", nullptr, [](V v) { v.out64(v.u64(0)); }},
    {"v_not_b32", nullptr, map1<[](U a) { return ~a; }>},
    {"v_bfrev_b32", nullptr, map1<reversed>},
    {"v_ffbh_u32", nullptr, map1<leading_zeros>},
    {"v_ffbl_b32", nullptr, map1<trailing_zeros>},
    // The first bit from the top that differs from the sign; -1 for 0 and -1.
    {"v_ffbh_i32", nullptr, map1<[](U a) { return leading_zeros(a >> 31 ? ~a : a); }>},
    {"v_sat_pk_u8_i16", nullptr,
     map1<[](U a) { return saturated_u8(static_cast<int16_t>(a)) | saturated_u8(static_cast<int16_t>(a >> 16)) << 8; }>},
    {"v_swap_b32", nullptr, nullptr, swap},
    {"v_accvgpr_mov_b32", nullptr, map1<[](U a) { return a; }>},
    {"v_accvgpr_read_b32", nullptr, map1<[](U a) { return a; }>},
    {"v_accvgpr_write_b32", nullptr, map1<[](U a) { return a; }>},
};

// ---------------------------------------------------------------- VOP2

/// Difference or sum with carries: the mask result is the carry of the exact sum, whatever clamp does to the value.
void carry_out(V v, int64_t exact) {
  v.mask_out(exact < 0 || exact > UINT32_MAX);
  v.out32(to_u32(v, exact));
}
int64_t x(V v, int k) { return v.u32(k); }

constexpr Entry kVop2[] = {
    // The value in src1 where the mask bit is set.
    {"v_cndmask_b32", nullptr, [](V v) { v.out32(v.mask_in() ? v.u32(1) : v.u32(0)); }},
    {"v_mul_i32_i24", nullptr, [](V v) { v.out32(to_i32(v, int64_t{s24(v.u32(0))} * s24(v.u32(1)))); }},
    {"v_mul_hi_i32_i24", nullptr, map2<[](U a, U b) { return static_cast<U>(int64_t{s24(a)} * s24(b) >> 32); }>},
    {"v_mul_u32_u24", nullptr, [](V v) { v.out32(to_u32(v, uint64_t{u24(v.u32(0))} * u24(v.u32(1)))); }},
    {"v_mul_hi_u32_u24", nullptr, map2<[](U a, U b) { return static_cast<U>(uint64_t{u24(a)} * u24(b) >> 32); }>},
    {"v_min_i32", nullptr, map2<[](U a, U b) { return sig(a) < sig(b) ? a : b; }>},
    {"v_max_i32", nullptr, map2<[](U a, U b) { return sig(a) > sig(b) ? a : b; }>},
    {"v_min_u32", nullptr, map2<[](U a, U b) { return a < b ? a : b; }>},
    {"v_max_u32", nullptr, map2<[](U a, U b) { return a > b ? a : b; }>},
    {"v_lshrrev_b32", nullptr, map2<[](U a, U b) { return b >> (a & 31); }>},
    {"v_ashrrev_i32", nullptr, map2<[](U a, U b) { return static_cast<U>(sig(b) >> (a & 31)); }>},
    {"v_lshlrev_b32", nullptr, map2<[](U a, U b) { return b << (a & 31); }>},
    {"v_and_b32", nullptr, map2<[](U a, U b) { return a & b; }>},
    {"v_or_b32", nullptr, map2<[](U a, U b) { return a | b; }>},
    {"v_xor_b32", nullptr, map2<[](U a, U b) { return a ^ b; }>},
    {"v_xnor_b32", nullptr, map2<[](U a, U b) { return ~(a ^ b); }>},
    {"v_add_co_u32", nullptr, [](V v) { carry_out(v, x(v, 0) + x(v, 1)); }},
    {"v_sub_co_u32", nullptr, [](V v) { carry_out(v, x(v, 0) - x(v, 1)); }},
    {"v_subrev_co_u32", nullptr, [](V v) { carry_out(v, x(v, 1) - x(v, 0)); }},
    {"v_addc_co_u32", nullptr, [](V v) { carry_out(v, x(v, 0) + x(v, 1) + v.mask_in()); }},
    {"v_subb_co_u32", nullptr, [](V v) { carry_out(v, x(v, 0) - x(v, 1) - v.mask_in()); }},
    {"v_subbrev_co_u32", nullptr, [](V v) { carry_out(v, x(v, 1) - x(v, 0) - v.mask_in()); }},
    {"v_add_u32", nullptr, [](V v) { v.out32(to_u32(v, x(v, 0) + x(v, 1))); }},
    {"v_sub_u32", nullptr, [](V v) { v.out32(to_u32(v, x(v, 0) - x(v, 1))); }},
    {"v_subrev_u32", nullptr, [](V v) { v.out32(to_u32(v, x(v, 1) - x(v, 0))); }},
};

// ---------------------------------------------------------------- VOP3

template <bool Signed> U extract(U value, U at, U width) {
  at &= 31, width &= 31;
  U r = 0, taken = 0;
  for (; taken < width && at + taken < 32; ++taken) r |= (value >> (at + taken) & 1) << taken;
  // signext_from_bit(value >> at, width): past the top the arithmetic shift has put copies of the sign already.
  if (Signed && taken && (r >> (taken - 1) & 1))
    for (; taken < 32; ++taken) r |= 1u << taken;
  return r;
}

template <class T> T middle(T a, T b, T c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }

U byte(U value, int n) { return value >> (8 * n) & 255; }
U distance(U a, U b) { return a > b ? a - b : b - a; }

/// Sum of absolute differences of bytes, plus what came before; `masked` leaves out bytes that are 0 in the reference b.
uint64_t sad_u8(U a, U b, uint64_t sum, bool masked) {
  for (int n = 0; n < 4; ++n)
    if (!masked || byte(b, n)) sum += distance(byte(a, n), byte(b, n));
  return sum;
}
/// Four overlapping sums over the eight bytes of source 0.
template <bool Masked> void quad_sad_u16(V v) {
  uint64_t r = 0;
  for (int n = 0; n < 4; ++n) {
    uint64_t sum = sad_u8(static_cast<U>(v.u64(0) >> (8 * n)), v.u32(1), v.u64(2) >> (16 * n) & 0xffff, Masked);
    if (v.i.clamp) sum = std::min<uint64_t>(sum, 0xffff);
    r |= (sum & 0xffff) << (16 * n);
  }
  v.out64(r);
}
void quad_sad_u32(V v) {
  U r[4];
  for (int n = 0; n < 4; ++n)
    r[n] = to_u32(v, sad_u8(static_cast<U>(v.u64(0) >> (8 * n)), v.u32(1), v.reg(v.i.source(2), n), true));
  for (int n = 0; n < 4; ++n) v.out(n, r[n]);
}

U permuted_byte(uint64_t data, U select) {
  if (select >= 13) return 0xff;
  if (select == 12) return 0;
  if (select >= 8) return data >> (16 * (select - 8) + 15) & 1 ? 0xff : 0;  // sign of bytes 1, 3, 5, 7
  return data >> (8 * select) & 0xff;
}
U permuted(U high, U low, U select) {
  uint64_t data = uint64_t{high} << 32 | low;
  U r = 0;
  for (int n = 0; n < 4; ++n) r |= permuted_byte(data, byte(select, n)) << (8 * n);
  return r;
}
U lerp(U a, U b, U round) {
  U r = 0;
  for (int n = 0; n < 4; ++n) r |= ((byte(a, n) + byte(b, n) + (byte(round, n) & 1)) >> 1) << (8 * n);
  return r;
}
U aligned(U high, U low, U bits) { return static_cast<U>((uint64_t{high} << 32 | low) >> bits); }

void mad_u64_u32(V v) {
  __int128 exact = static_cast<__int128>(uint64_t{v.u32(0)} * v.u32(1)) + v.u64(2);
  v.mask_out(exact > UINT64_MAX);
  v.out64(v.i.clamp && exact > UINT64_MAX ? UINT64_MAX : static_cast<uint64_t>(exact));
}
/// {D1, D0} is the 65-bit signed sum: the mask bit is the sum's sign, not an overflow flag.
void mad_i64_i32(V v) {
  __int128 exact = static_cast<__int128>(int64_t{v.i32(0)} * v.i32(1)) + v.i64(2);
  v.mask_out(exact < 0);
  if (v.i.clamp) exact = std::clamp<__int128>(exact, INT64_MIN, INT64_MAX);
  v.out64(static_cast<uint64_t>(exact));
}

/// Lanes below this one, 64 bits; the lo and hi rows take a half each.
template <int Shift> void mbcnt(V v) {
  U below = static_cast<U>(((uint64_t{1} << v.lane) - 1) >> Shift);
  v.out32(ones(v.u32(0) & below) + v.u32(1));
}

/// Which of four shader engines a box of 32-pixel tiles touches: selector {x_min, y_min, x_max, y_max}, two bits (6:5 of the
/// pixel) each; a tile's engine is {x[5] ^ y[6], y[5] ^ x[6]} (Vega ISA, V_SCREEN_PARTITION_4SE_B32, whose table this formula
/// makes).
uint32_t screen_engines(uint32_t s) {
  uint32_t x0 = s >> 6 & 3, y0 = s >> 4 & 3, x1 = s >> 2 & 3, y1 = s & 3, mask = 0;
  for (uint32_t x = x0;; x = (x + 1) & 3) {
    for (uint32_t y = y0;; y = (y + 1) & 3) {
      mask |= 1u << (((x & 1) ^ (y >> 1)) << 1 | ((y & 1) ^ (x >> 1)));
      if (y == y1) break;
    }
    if (x == x1) break;
  }
  return mask;
}

constexpr Entry kVop3[] = {
    {"v_mad_i32_i24", nullptr, [](V v) { v.out32(to_i32(v, int64_t{s24(v.u32(0))} * s24(v.u32(1)) + v.i32(2))); }},
    {"v_mad_u32_u24", nullptr, [](V v) { v.out32(to_u32(v, uint64_t{u24(v.u32(0))} * u24(v.u32(1)) + v.u32(2))); }},
    {"v_bfe_u32", nullptr, map3<extract<false>>},
    {"v_bfe_i32", nullptr, map3<extract<true>>},
    {"v_bfi_b32", nullptr, map3<[](U a, U b, U c) { return (a & b) | (~a & c); }>},
    {"v_lerp_u8", nullptr, map3<lerp>},
    {"v_alignbit_b32", nullptr, map3<[](U a, U b, U c) { return aligned(a, b, c & 31); }>},
    {"v_alignbyte_b32", nullptr, map3<[](U a, U b, U c) { return aligned(a, b, 8 * (c & 3)); }>},
    {"v_min3_i32", nullptr, map3<[](U a, U b, U c) { return static_cast<U>(std::min({sig(a), sig(b), sig(c)})); }>},
    {"v_min3_u32", nullptr, map3<[](U a, U b, U c) { return std::min({a, b, c}); }>},
    {"v_max3_i32", nullptr, map3<[](U a, U b, U c) { return static_cast<U>(std::max({sig(a), sig(b), sig(c)})); }>},
    {"v_max3_u32", nullptr, map3<[](U a, U b, U c) { return std::max({a, b, c}); }>},
    {"v_med3_i32", nullptr, map3<[](U a, U b, U c) { return static_cast<U>(middle(sig(a), sig(b), sig(c))); }>},
    {"v_med3_u32", nullptr, map3<[](U a, U b, U c) { return middle(a, b, c); }>},
    {"v_sad_u8", nullptr, [](V v) { v.out32(to_u32(v, sad_u8(v.u32(0), v.u32(1), v.u32(2), false))); }},
    {"v_sad_hi_u8", nullptr, [](V v) { v.out32(to_u32(v, (sad_u8(v.u32(0), v.u32(1), 0, false) << 16) + v.u32(2))); }},
    {"v_sad_u16", nullptr,
     [](V v) {
       U a = v.u32(0), b = v.u32(1);
       v.out32(to_u32(v, uint64_t{distance(a & 0xffff, b & 0xffff)} + distance(a >> 16, b >> 16) + v.u32(2)));
     }},
    {"v_sad_u32", nullptr, [](V v) { v.out32(to_u32(v, uint64_t{distance(v.u32(0), v.u32(1))} + v.u32(2))); }},
    {"v_msad_u8", nullptr, [](V v) { v.out32(to_u32(v, sad_u8(v.u32(0), v.u32(1), v.u32(2), true))); }},
    {"v_qsad_pk_u16_u8", nullptr, quad_sad_u16<false>},
    {"v_mqsad_pk_u16_u8", nullptr, quad_sad_u16<true>},
    {"v_mqsad_u32_u8", nullptr, quad_sad_u32},
    {"v_screen_partition_4se_b32", nullptr, [](V v) { v.out32(screen_engines(v.u32(0))); }},
    {"v_mad_u64_u32", nullptr, mad_u64_u32},
    {"v_mad_i64_i32", nullptr, mad_i64_i32},
    {"v_perm_b32", nullptr, map3<permuted>},
    {"v_xad_u32", nullptr, map3<[](U a, U b, U c) { return (a ^ b) + c; }>},
    {"v_lshl_add_u32", nullptr, map3<[](U a, U b, U c) { return (a << (b & 31)) + c; }>},
    {"v_add_lshl_u32", nullptr, map3<[](U a, U b, U c) { return (a + b) << (c & 31); }>},
    {"v_add3_u32", nullptr, map3<[](U a, U b, U c) { return a + b + c; }>},
    {"v_lshl_or_b32", nullptr, map3<[](U a, U b, U c) { return (a << (b & 31)) | c; }>},
    {"v_and_or_b32", nullptr, map3<[](U a, U b, U c) { return (a & b) | c; }>},
    {"v_or3_b32", nullptr, map3<[](U a, U b, U c) { return a | b | c; }>},
    // Bits 2:0 of the count; 5 to 7 count as 0 (MI300 ISA: "the design treats unsupported shift counts as a shift of zero").
    {"v_lshl_add_u64", nullptr,
     [](V v) {
       U n = v.u32(1) & 7;
       v.out64((v.u64(0) << (n > 4 ? 0 : n)) + v.u64(2));
     }},
    {"v_mul_lo_u32", nullptr, map2<[](U a, U b) { return a * b; }>},
    {"v_mul_hi_u32", nullptr, map2<[](U a, U b) { return static_cast<U>(uint64_t{a} * b >> 32); }>},
    {"v_mul_hi_i32", nullptr, map2<[](U a, U b) { return static_cast<U>(int64_t{sig(a)} * sig(b) >> 32); }>},
    {"v_bcnt_u32_b32", nullptr, map2<[](U a, U b) { return ones(a) + b; }>},
    {"v_mbcnt_lo_u32_b32", nullptr, mbcnt<0>},
    {"v_mbcnt_hi_u32_b32", nullptr, mbcnt<32>},
    {"v_lshlrev_b64", nullptr, [](V v) { v.out64(v.u64(1) << (v.u32(0) & 63)); }},
    {"v_lshrrev_b64", nullptr, [](V v) { v.out64(v.u64(1) >> (v.u32(0) & 63)); }},
    {"v_ashrrev_i64", nullptr, [](V v) { v.out64(static_cast<uint64_t>(v.i64(1) >> (v.u32(0) & 63))); }},
    {"v_bfm_b32", nullptr, map2<[](U a, U b) { return ((1u << (a & 31)) - 1) << (b & 31); }>},
    {"v_cvt_pk_u16_u32", nullptr, map2<[](U a, U b) { return std::min(a, 0xffffu) | std::min(b, 0xffffu) << 16; }>},
    {"v_cvt_pk_i16_i32", nullptr,
     map2<[](U a, U b) {
       auto half = [](U h) { return static_cast<U>(std::clamp(sig(h), -32768, 32767)) & 0xffff; };
       return half(a) | half(b) << 16;
     }>},
    {"v_add_i32", nullptr, [](V v) { v.out32(to_i32(v, int64_t{v.i32(0)} + v.i32(1))); }},
    {"v_sub_i32", nullptr, [](V v) { v.out32(to_i32(v, int64_t{v.i32(0)} - v.i32(1))); }},
};

} // namespace

void register_valu_int() {
  add(kVop1, std::size(kVop1));
  add(kVop2, std::size(kVop2));
  add(kVop3, std::size(kVop3));
}

} // namespace bz::isa::ref
