// References of SOP1, SOP2, SOPC, SOPK and SOPP. Source: MI300/MI355 ISA documents, chapter "Instructions", sections SOP2 to
// SOPP; Vega ISA section 4 (MODE, GPR indexing). Waits, hints and cache controls change nothing that a program can see; a
// barrier is no affair of one wave and is judged elsewhere.
#include "isa/ref/families.hpp"
#include "isa/ref/machine.hpp"

#include <iterator>

namespace bz::isa::ref {
namespace {

using V = ScalarView&;

// ---------------------------------------------------------------- results with SCC

void out32_nonzero(V v, uint32_t x) { v.out32(x), v.m.scc = x != 0; }
void out64_nonzero(V v, uint64_t x) { v.out64(x), v.m.scc = x != 0; }

template <auto F> void logic32(V v) { out32_nonzero(v, F(v.u32(0), v.u32(1))); }
template <auto F> void logic64(V v) { out64_nonzero(v, F(v.u64(0), v.u64(1))); }

constexpr auto kAnd = [](auto a, auto b) { return a & b; };
constexpr auto kOr = [](auto a, auto b) { return a | b; };
constexpr auto kXor = [](auto a, auto b) { return a ^ b; };
constexpr auto kAndNot2 = [](auto a, auto b) { return a & ~b; };
constexpr auto kOrNot2 = [](auto a, auto b) { return a | ~b; };
constexpr auto kNand = [](auto a, auto b) { return ~(a & b); };
constexpr auto kNor = [](auto a, auto b) { return ~(a | b); };
constexpr auto kXnor = [](auto a, auto b) { return ~(a ^ b); };
constexpr auto kAndNot1 = [](auto a, auto b) { return ~a & b; };
constexpr auto kOrNot1 = [](auto a, auto b) { return ~a | b; };

// ---------------------------------------------------------------- SOP2

void add_u32(V v) {
  uint64_t sum = uint64_t{v.u32(0)} + v.u32(1);
  v.out32(static_cast<uint32_t>(sum));
  v.m.scc = sum >> 32;
}
void addc_u32(V v) {
  uint64_t sum = uint64_t{v.u32(0)} + v.u32(1) + v.m.scc;
  v.out32(static_cast<uint32_t>(sum));
  v.m.scc = sum >> 32;
}
void sub_u32(V v) {
  uint32_t a = v.u32(0), b = v.u32(1);
  v.out32(a - b);
  v.m.scc = b > a;
}
void subb_u32(V v) {
  uint64_t a = v.u32(0), b = uint64_t{v.u32(1)} + v.m.scc;
  v.out32(static_cast<uint32_t>(a - b));
  v.m.scc = b > a;
}
void signed_out(V v, int64_t exact) {
  v.out32(static_cast<uint32_t>(exact));
  v.m.scc = exact > INT32_MAX || exact < INT32_MIN;
}
void add_i32(V v) { signed_out(v, int64_t{v.i32(0)} + v.i32(1)); }
void sub_i32(V v) { signed_out(v, int64_t{v.i32(0)} - v.i32(1)); }

/// SCC = "the first value is selected". For equal values the documents differ: the GCN and Vega texts compare with >, the
/// MI300 text with >=; measurements on chips show SCC = 0 (docs/isa-errata.md), so does this.
template <class T, bool Max> void min_max(V v) {
  T a = static_cast<T>(v.u32(0)), b = static_cast<T>(v.u32(1));
  bool first = Max ? a > b : a < b;
  v.out32(static_cast<uint32_t>(first ? a : b));
  v.m.scc = first;
}

/// Field width 0..127 in bits 22:16; a field that reaches past the top is cut there.
template <class U, bool Signed> U extract(U x, unsigned at, unsigned width) {
  constexpr unsigned kBits = sizeof(U) * 8;
  if (width == 0) return 0;
  U result = 0;
  unsigned taken = 0;
  for (; taken < width && at + taken < kBits; ++taken) result |= (x >> (at + taken) & 1) << taken;
  bool top = result >> (taken - 1) & 1;
  if (Signed && top)
    for (unsigned n = taken; n < kBits; ++n) result |= U{1} << n;
  return result;
}
template <bool Signed> void bfe32(V v) {
  uint32_t c = v.u32(1);
  out32_nonzero(v, extract<uint32_t, Signed>(v.u32(0), c & 31, c >> 16 & 127));
}
template <bool Signed> void bfe64(V v) {
  uint32_t c = v.u32(1);
  out64_nonzero(v, extract<uint64_t, Signed>(v.u64(0), c & 63, c >> 16 & 127));
}

template <int N> void shift_add(V v) {
  uint64_t sum = (uint64_t{v.u32(0)} << N) + v.u32(1);
  v.out32(static_cast<uint32_t>(sum));
  v.m.scc = sum >= uint64_t{1} << 32;
}

constexpr Entry kSop2[] = {
    {"s_add_u32", add_u32}, {"s_sub_u32", sub_u32}, {"s_add_i32", add_i32}, {"s_sub_i32", sub_i32},
    {"s_addc_u32", addc_u32}, {"s_subb_u32", subb_u32},
    {"s_min_i32", min_max<int32_t, false>}, {"s_min_u32", min_max<uint32_t, false>},
    {"s_max_i32", min_max<int32_t, true>}, {"s_max_u32", min_max<uint32_t, true>},
    {"s_cselect_b32", [](V v) { v.out32(v.m.scc ? v.u32(0) : v.u32(1)); }},
    {"s_cselect_b64", [](V v) { v.out64(v.m.scc ? v.u64(0) : v.u64(1)); }},
    {"s_and_b32", logic32<kAnd>}, {"s_and_b64", logic64<kAnd>}, {"s_or_b32", logic32<kOr>}, {"s_or_b64", logic64<kOr>},
    {"s_xor_b32", logic32<kXor>}, {"s_xor_b64", logic64<kXor>},
    {"s_andn2_b32", logic32<kAndNot2>}, {"s_andn2_b64", logic64<kAndNot2>},
    {"s_orn2_b32", logic32<kOrNot2>}, {"s_orn2_b64", logic64<kOrNot2>},
    {"s_nand_b32", logic32<kNand>}, {"s_nand_b64", logic64<kNand>}, {"s_nor_b32", logic32<kNor>}, {"s_nor_b64", logic64<kNor>},
    {"s_xnor_b32", logic32<kXnor>}, {"s_xnor_b64", logic64<kXnor>},
    {"s_lshl_b32", [](V v) { out32_nonzero(v, v.u32(0) << (v.u32(1) & 31)); }},
    {"s_lshl_b64", [](V v) { out64_nonzero(v, v.u64(0) << (v.u32(1) & 63)); }},
    {"s_lshr_b32", [](V v) { out32_nonzero(v, v.u32(0) >> (v.u32(1) & 31)); }},
    {"s_lshr_b64", [](V v) { out64_nonzero(v, v.u64(0) >> (v.u32(1) & 63)); }},
    {"s_ashr_i32", [](V v) { out32_nonzero(v, static_cast<uint32_t>(v.i32(0) >> (v.u32(1) & 31))); }},
    {"s_ashr_i64", [](V v) { out64_nonzero(v, static_cast<uint64_t>(v.i64(0) >> (v.u32(1) & 63))); }},
    {"s_bfm_b32", [](V v) { v.out32(((uint32_t{1} << (v.u32(0) & 31)) - 1) << (v.u32(1) & 31)); }},
    {"s_bfm_b64", [](V v) { v.out64(((uint64_t{1} << (v.u32(0) & 63)) - 1) << (v.u32(1) & 63)); }},
    {"s_mul_i32", [](V v) { v.out32(v.u32(0) * v.u32(1)); }},
    {"s_bfe_u32", bfe32<false>}, {"s_bfe_i32", bfe32<true>}, {"s_bfe_u64", bfe64<false>}, {"s_bfe_i64", bfe64<true>},
    // The difference wraps at 32 bits before the absolute value is taken: (INT_MIN, -2) gives 0x7ffffffe.
    {"s_absdiff_i32",
     [](V v) {
       uint32_t d = v.u32(0) - v.u32(1);
       out32_nonzero(v, d >> 31 ? 0 - d : d);
     }},
    {"s_mul_hi_u32", [](V v) { v.out32(static_cast<uint32_t>(uint64_t{v.u32(0)} * v.u32(1) >> 32)); }},
    {"s_mul_hi_i32", [](V v) { v.out32(static_cast<uint32_t>(int64_t{v.i32(0)} * v.i32(1) >> 32)); }},
    {"s_lshl1_add_u32", shift_add<1>}, {"s_lshl2_add_u32", shift_add<2>},
    {"s_lshl3_add_u32", shift_add<3>}, {"s_lshl4_add_u32", shift_add<4>},
    {"s_pack_ll_b32_b16", [](V v) { v.out32((v.u32(0) & 0xffff) | v.u32(1) << 16); }},
    {"s_pack_lh_b32_b16", [](V v) { v.out32((v.u32(0) & 0xffff) | (v.u32(1) & 0xffff0000u)); }},
    {"s_pack_hh_b32_b16", [](V v) { v.out32(v.u32(0) >> 16 | (v.u32(1) & 0xffff0000u)); }},
};

// ---------------------------------------------------------------- SOP1

template <class U> U reversed(U x) {
  U r = 0;
  for (unsigned n = 0; n < sizeof(U) * 8; ++n) r |= (x >> n & 1) << (sizeof(U) * 8 - 1 - n);
  return r;
}
template <class U> unsigned ones(U x) {
  unsigned n = 0;
  for (; x; x >>= 1) n += x & 1;
  return n;
}
template <class U> uint32_t first_one(U x) {
  for (unsigned n = 0; n < sizeof(U) * 8; ++n)
    if (x >> n & 1) return n;
  return ~0u;
}
template <class U> uint32_t leading_zeros(U x) {
  for (unsigned n = 0; n < sizeof(U) * 8; ++n)
    if (x >> (sizeof(U) * 8 - 1 - n) & 1) return n;
  return ~0u;
}
/// How many bits from the top equal the sign bit; -1 if all do.
template <class U> uint32_t leading_signs(U x) {
  bool sign = x >> (sizeof(U) * 8 - 1) & 1;
  return leading_zeros<U>(sign ? ~x : x);
}
template <class U> U whole_quads(U x) {
  U r = 0;
  for (unsigned n = 0; n < sizeof(U) * 8; n += 4)
    if (x >> n & 15) r |= U{15} << n;
  return r;
}
template <class U> U quad_mask(U x) {
  U r = 0;
  for (unsigned n = 0; n < sizeof(U) * 2; ++n)
    if (x >> (4 * n) & 15) r |= U{1} << n;
  return r;
}

/// s_*_saveexec_b64: D = EXEC, EXEC = F(S, EXEC).
template <auto F> void saveexec(V v) {
  uint64_t old = v.m.exec(), now = F(v.u64(0), old);
  v.m.set_sgpr64(kExec, now);
  v.out64(old);
  v.m.scc = now != 0;
}
/// s_*_wrexec_b64: D = EXEC = F(S, EXEC).
template <auto F> void wrexec(V v) {
  uint64_t now = F(v.u64(0), v.m.exec());
  v.m.set_sgpr64(kExec, now);
  v.out64(now);
  v.m.scc = now != 0;
}

template <int Dwords> void movrels(V v) {
  unsigned from = v.i.source(0).number + v.m.sgpr[kM0];
  if (Dwords == 1) v.out32(v.m.sgpr[from & 127]);
  else v.out64(v.m.sgpr64(from & 126));
}
template <int Dwords> void movreld(V v) {
  unsigned to = v.i.dest().number + v.m.sgpr[kM0];
  if (Dwords == 1) v.m.sgpr[to & 127] = v.u32(0);
  else v.m.set_sgpr64(to & 126, v.u64(0));
}

constexpr uint32_t kGprIdxEn = 1u << 27;  // MODE.gpr_idx_en

constexpr Entry kSop1[] = {
    {"s_mov_b32", [](V v) { v.out32(v.u32(0)); }},
    {"s_mov_b64", [](V v) { v.out64(v.u64(0)); }},
    {"s_cmov_b32", [](V v) { if (v.m.scc) v.out32(v.u32(0)); }},
    {"s_cmov_b64", [](V v) { if (v.m.scc) v.out64(v.u64(0)); }},
    {"s_not_b32", [](V v) { out32_nonzero(v, ~v.u32(0)); }},
    {"s_not_b64", [](V v) { out64_nonzero(v, ~v.u64(0)); }},
    {"s_wqm_b32", [](V v) { out32_nonzero(v, whole_quads(v.u32(0))); }},
    {"s_wqm_b64", [](V v) { out64_nonzero(v, whole_quads(v.u64(0))); }},
    {"s_brev_b32", [](V v) { v.out32(reversed(v.u32(0))); }},
    {"s_brev_b64", [](V v) { v.out64(reversed(v.u64(0))); }},
    {"s_bcnt0_i32_b32", [](V v) { out32_nonzero(v, ones(~v.u32(0))); }},
    {"s_bcnt0_i32_b64", [](V v) { out32_nonzero(v, ones(~v.u64(0))); }},
    {"s_bcnt1_i32_b32", [](V v) { out32_nonzero(v, ones(v.u32(0))); }},
    {"s_bcnt1_i32_b64", [](V v) { out32_nonzero(v, ones(v.u64(0))); }},
    {"s_ff0_i32_b32", [](V v) { v.out32(first_one(~v.u32(0))); }},
    {"s_ff0_i32_b64", [](V v) { v.out32(first_one(~v.u64(0))); }},
    {"s_ff1_i32_b32", [](V v) { v.out32(first_one(v.u32(0))); }},
    {"s_ff1_i32_b64", [](V v) { v.out32(first_one(v.u64(0))); }},
    {"s_flbit_i32_b32", [](V v) { v.out32(leading_zeros(v.u32(0))); }},
    {"s_flbit_i32_b64", [](V v) { v.out32(leading_zeros(v.u64(0))); }},
    {"s_flbit_i32", [](V v) { v.out32(leading_signs(v.u32(0))); }},
    {"s_flbit_i32_i64", [](V v) { v.out32(leading_signs(v.u64(0))); }},
    {"s_sext_i32_i8", [](V v) { v.out32(static_cast<uint32_t>(static_cast<int8_t>(v.u32(0)))); }},
    {"s_sext_i32_i16", [](V v) { v.out32(static_cast<uint32_t>(static_cast<int16_t>(v.u32(0)))); }},
    {"s_bitset0_b32", [](V v) { v.out32(v.old32() & ~(uint32_t{1} << (v.u32(0) & 31))); }},
    {"s_bitset0_b64", [](V v) { v.out64(v.old64() & ~(uint64_t{1} << (v.u32(0) & 63))); }},
    {"s_bitset1_b32", [](V v) { v.out32(v.old32() | uint32_t{1} << (v.u32(0) & 31)); }},
    {"s_bitset1_b64", [](V v) { v.out64(v.old64() | uint64_t{1} << (v.u32(0) & 63)); }},
    {"s_getpc_b64", [](V v) { v.out64(v.m.next_pc); }},
    {"s_setpc_b64", [](V v) { v.m.next_pc = v.u64(0); }},
    {"s_swappc_b64",
     [](V v) {
       uint64_t to = v.u64(0);
       v.out64(v.m.next_pc);
       v.m.next_pc = to;
     }},
    {"s_and_saveexec_b64", saveexec<kAnd>}, {"s_or_saveexec_b64", saveexec<kOr>}, {"s_xor_saveexec_b64", saveexec<kXor>},
    {"s_andn2_saveexec_b64", saveexec<kAndNot2>}, {"s_orn2_saveexec_b64", saveexec<kOrNot2>},
    {"s_nand_saveexec_b64", saveexec<kNand>}, {"s_nor_saveexec_b64", saveexec<kNor>}, {"s_xnor_saveexec_b64", saveexec<kXnor>},
    {"s_andn1_saveexec_b64", saveexec<kAndNot1>}, {"s_orn1_saveexec_b64", saveexec<kOrNot1>},
    {"s_andn1_wrexec_b64", wrexec<kAndNot1>}, {"s_andn2_wrexec_b64", wrexec<kAndNot2>},
    {"s_quadmask_b32", [](V v) { out32_nonzero(v, quad_mask(v.u32(0))); }},
    {"s_quadmask_b64", [](V v) { out64_nonzero(v, quad_mask(v.u64(0))); }},
    {"s_movrels_b32", movrels<1>}, {"s_movrels_b64", movrels<2>}, {"s_movreld_b32", movreld<1>}, {"s_movreld_b64", movreld<2>},
    {"s_abs_i32",
     [](V v) {
       uint32_t x = v.u32(0);
       out32_nonzero(v, x >> 31 ? 0 - x : x);
     }},
    {"s_set_gpr_idx_idx", [](V v) { v.m.sgpr[kM0] = (v.m.sgpr[kM0] & ~0xffu) | (v.u32(0) & 0xff); }},
    {"s_bitreplicate_b64_b32",
     [](V v) {
       uint64_t r = 0;
       for (unsigned n = 0; n < 32; ++n)
         if (v.u32(0) >> n & 1) r |= uint64_t{3} << (2 * n);
       v.out64(r);
     }},
};

// ---------------------------------------------------------------- SOPC

template <class T, auto F> void compare(V v) {
  v.m.scc = sizeof(T) == 8 ? F(static_cast<T>(v.u64(0)), static_cast<T>(v.u64(1))) : F(static_cast<T>(v.u32(0)), static_cast<T>(v.u32(1)));
}
constexpr auto kEq = [](auto a, auto b) { return a == b; };
constexpr auto kLg = [](auto a, auto b) { return a != b; };
constexpr auto kGt = [](auto a, auto b) { return a > b; };
constexpr auto kGe = [](auto a, auto b) { return a >= b; };
constexpr auto kLt = [](auto a, auto b) { return a < b; };
constexpr auto kLe = [](auto a, auto b) { return a <= b; };

constexpr Entry kSopc[] = {
    {"s_cmp_eq_i32", compare<int32_t, kEq>}, {"s_cmp_lg_i32", compare<int32_t, kLg>}, {"s_cmp_gt_i32", compare<int32_t, kGt>},
    {"s_cmp_ge_i32", compare<int32_t, kGe>}, {"s_cmp_lt_i32", compare<int32_t, kLt>}, {"s_cmp_le_i32", compare<int32_t, kLe>},
    {"s_cmp_eq_u32", compare<uint32_t, kEq>}, {"s_cmp_lg_u32", compare<uint32_t, kLg>}, {"s_cmp_gt_u32", compare<uint32_t, kGt>},
    {"s_cmp_ge_u32", compare<uint32_t, kGe>}, {"s_cmp_lt_u32", compare<uint32_t, kLt>}, {"s_cmp_le_u32", compare<uint32_t, kLe>},
    {"s_cmp_eq_u64", compare<uint64_t, kEq>}, {"s_cmp_lg_u64", compare<uint64_t, kLg>},
    {"s_bitcmp0_b32", [](V v) { v.m.scc = !(v.u32(0) >> (v.u32(1) & 31) & 1); }},
    {"s_bitcmp1_b32", [](V v) { v.m.scc = v.u32(0) >> (v.u32(1) & 31) & 1; }},
    {"s_bitcmp0_b64", [](V v) { v.m.scc = !(v.u64(0) >> (v.u32(1) & 63) & 1); }},
    {"s_bitcmp1_b64", [](V v) { v.m.scc = v.u64(0) >> (v.u32(1) & 63) & 1; }},
    // The second operand field is four bits of the instruction itself, not a register.
    {"s_set_gpr_idx_on",
     [](V v) {
       uint32_t enables = static_cast<uint32_t>(v.i.source(1).value) & 15;
       v.m.sgpr[kM0] = (v.m.sgpr[kM0] & 0xffff0f00u) | (v.u32(0) & 0xff) | enables << 12;
       v.m.mode |= kGprIdxEn;
     }},
};

// ---------------------------------------------------------------- SOPK

template <auto F> void compare_k_signed(V v) { v.m.scc = F(static_cast<int32_t>(v.u32(0)), v.simm()); }
template <auto F> void compare_k_unsigned(V v) { v.m.scc = F(v.u32(0), static_cast<uint32_t>(static_cast<uint16_t>(v.simm()))); }

/// Hardware register field: id in bits 5:0, first bit in 10:6, length - 1 in 15:11. Only MODE (1) is known here; tests ask for no other.
struct Field16 {
  unsigned id, at, length;
  explicit Field16(int32_t simm) : id(simm & 63), at(simm >> 6 & 31), length((simm >> 11 & 31) + 1) {}
  uint32_t mask() const { return static_cast<uint32_t>((uint64_t{1} << length) - 1); }
};
void setreg(V v, uint32_t x) {
  Field16 f(v.simm());
  uint32_t mask = f.mask() << f.at;
  if (f.id == 1) v.m.mode = (v.m.mode & ~mask) | (x << f.at & mask);
}

constexpr Entry kSopk[] = {
    {"s_movk_i32", [](V v) { v.out32(static_cast<uint32_t>(v.simm())); }},
    {"s_cmovk_i32", [](V v) { if (v.m.scc) v.out32(static_cast<uint32_t>(v.simm())); }},
    {"s_cmpk_eq_i32", compare_k_signed<kEq>}, {"s_cmpk_lg_i32", compare_k_signed<kLg>}, {"s_cmpk_gt_i32", compare_k_signed<kGt>},
    {"s_cmpk_ge_i32", compare_k_signed<kGe>}, {"s_cmpk_lt_i32", compare_k_signed<kLt>}, {"s_cmpk_le_i32", compare_k_signed<kLe>},
    {"s_cmpk_eq_u32", compare_k_unsigned<kEq>}, {"s_cmpk_lg_u32", compare_k_unsigned<kLg>},
    {"s_cmpk_gt_u32", compare_k_unsigned<kGt>}, {"s_cmpk_ge_u32", compare_k_unsigned<kGe>},
    {"s_cmpk_lt_u32", compare_k_unsigned<kLt>}, {"s_cmpk_le_u32", compare_k_unsigned<kLe>},
    {"s_addk_i32", [](V v) { signed_out(v, int64_t{static_cast<int32_t>(v.old32())} + v.simm()); }},
    {"s_mulk_i32", [](V v) { v.out32(v.old32() * static_cast<uint32_t>(v.simm())); }},
    {"s_getreg_b32",
     [](V v) {
       Field16 f(v.simm());
       v.out32((f.id == 1 ? v.m.mode : 0) >> f.at & f.mask());
     }},
    {"s_setreg_b32", [](V v) { setreg(v, v.u32(1)); }},
    {"s_setreg_imm32_b32", [](V v) { setreg(v, v.i.literal); }},
    {"s_call_b64",
     [](V v) {
       v.out64(v.m.next_pc);
       v.m.next_pc = v.i.branch_target(v.m.pc);
     }},
};

// ---------------------------------------------------------------- fork and join, exceptions

/// MODE[31:29]: number of entries on the branch stack, each four SGPRs {PC, EXEC} from s0 on. Vega ISA, "Branching with the
/// branch stack" and S_CBRANCH_G_FORK, S_CBRANCH_I_FORK, S_CBRANCH_JOIN.
constexpr int kCspShift = 29;
uint32_t stack_depth(const Machine& m) { return m.mode >> kCspShift; }
void set_stack_depth(Machine& m, uint32_t n) { m.mode = (m.mode & ~(7u << kCspShift)) | (n & 7) << kCspShift; }

void fork(V v, uint64_t mask, uint64_t target) {
  uint64_t pass = mask & v.m.exec(), fail = ~mask & v.m.exec();
  if (pass == v.m.exec()) {
    v.m.next_pc = target;
    return;
  }
  if (fail == v.m.exec()) return;
  // The smaller side goes on; the larger one is stored.
  bool take_fail = std::popcount(fail) < std::popcount(pass);
  unsigned entry = 4 * stack_depth(v.m);
  v.m.set_sgpr64(entry, take_fail ? pass : fail);
  v.m.set_sgpr64(entry + 2, take_fail ? target : v.m.next_pc);
  set_stack_depth(v.m, stack_depth(v.m) + 1);
  v.m.set_sgpr64(kExec, take_fail ? fail : pass);
  if (!take_fail) v.m.next_pc = target;
}
void join(V v) {
  if (stack_depth(v.m) == v.u32(0)) return;   // the second time: both sides are here
  set_stack_depth(v.m, stack_depth(v.m) - 1);
  unsigned entry = 4 * stack_depth(v.m);
  v.m.set_sgpr64(kExec, v.m.sgpr64(entry));
  v.m.next_pc = v.m.sgpr64(entry + 2);
}
/// MODE.VSKIP: vector and memory instructions are not issued.
void set_vskip(V v) {
  constexpr uint32_t kVskip = 1u << 28;
  bool on = v.u32(0) >> (v.u32(1) & 31) & 1;
  v.m.mode = on ? v.m.mode | kVskip : v.m.mode & ~kVskip;
}

constexpr Entry kStack[] = {
    {"s_cbranch_g_fork", [](V v) { fork(v, v.u64(0), v.u64(1)); }},
    {"s_cbranch_i_fork", [](V v) { fork(v, v.u64(0), v.i.branch_target(v.m.pc)); }},
    {"s_cbranch_join", join},
    {"s_setvskip", set_vskip},
    // Outside of a trap handler there is no privilege to give back: a jump. The second source (of two) is about caches.
    {"s_rfe_b64", [](V v) { v.m.next_pc = v.u64(0); }},
    {"s_rfe_restore_b64", [](V v) { v.m.next_pc = v.u64(0); }},
};

// ---------------------------------------------------------------- SOPP

template <auto Condition> void branch_if(V v) {
  if (Condition(v.m)) v.m.next_pc = v.i.branch_target(v.m.pc);
}
void nothing(V) {}

constexpr Entry kSopp[] = {
    {"s_nop", nothing}, {"s_endpgm", nothing}, {"s_wakeup", nothing}, {"s_waitcnt", nothing},
    {"s_sleep", nothing}, {"s_setprio", nothing}, {"s_icache_inv", nothing}, {"s_incperflevel", nothing},
    {"s_decperflevel", nothing}, {"s_ttracedata", nothing}, {"s_endpgm_saved", nothing}, {"s_endpgm_ordered_ps_done", nothing},
    // STATUS.COND_DBG_* are a debugger's, and 0.
    {"s_cbranch_cdbgsys", nothing}, {"s_cbranch_cdbguser", nothing}, {"s_cbranch_cdbgsys_or_user", nothing},
    {"s_cbranch_cdbgsys_and_user", nothing},
    {"s_branch", branch_if<[](Machine&) { return true; }>},
    {"s_cbranch_scc0", branch_if<[](Machine& m) { return !m.scc; }>},
    {"s_cbranch_scc1", branch_if<[](Machine& m) { return m.scc; }>},
    {"s_cbranch_vccz", branch_if<[](Machine& m) { return m.vcc() == 0; }>},
    {"s_cbranch_vccnz", branch_if<[](Machine& m) { return m.vcc() != 0; }>},
    {"s_cbranch_execz", branch_if<[](Machine& m) { return m.exec() == 0; }>},
    {"s_cbranch_execnz", branch_if<[](Machine& m) { return m.exec() != 0; }>},
    {"s_set_gpr_idx_off", [](V v) { v.m.mode &= ~kGprIdxEn; }},
    {"s_set_gpr_idx_mode", [](V v) { v.m.sgpr[kM0] = (v.m.sgpr[kM0] & ~0xf000u) | (static_cast<uint32_t>(v.simm()) & 15) << 12; }},
};

} // namespace

void register_scalar() {
  add(kSop2, std::size(kSop2));
  add(kSop1, std::size(kSop1));
  add(kSopc, std::size(kSopc));
  add(kSopk, std::size(kSopk));
  add(kStack, std::size(kStack));
  add(kSopp, std::size(kSopp));
}

} // namespace bz::isa::ref
