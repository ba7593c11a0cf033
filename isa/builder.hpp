// The Builder concept: the value types and primitives that a row's semantics (`sem`) may use. Owns the meaning of each
// primitive; must not know how an engine carries one out. Three classes, one per class of family: scalar, lane, wave.
//
// Rules for a row (see exec/README.md for how each engine obeys them)
//   * Values have no conversion to bool, also scalar ones: use b.select(cond, a, c). Decode-time facts (b.imm(), b.clamp(), b.op_sel(k), ...) are plain C++ values.
//   * Read every source before writing any result: sources and results may overlap.
//   * k counts the SOURCES of the row in the order of Meta::operands (src0 = 0, src1 = 1, ...; a tied accumulator is not a source: b.dst_*()).
//   * neg/abs/sext, op_sel of 16-bit sources, omod and float clamp are applied by the readers and writers below. Integer clamp is the row's: if (b.clamp()) ...
//   * DPP and SDWA are not the row's business: it sees plain operands.
//   * Shift counts must be masked by the row (x << (n & 31u)); arithmetic wraps. Signed overflow wraps too.
//   * Float arithmetic obeys MODE (rounding, denormals) by itself, quiets signalling NaNs and rounds once per operator: x * y + z is NOT fused.
#pragma once
#include "isa/target.hpp"

#include <concepts>
#include <cstdint>

namespace bz::isa {

enum class Space : uint8_t {
  global,   ///< global_*: 64-bit address, or SGPR base + 32-bit VGPR offset
  flat,     ///< flat_*: the aperture (address bits 63:48) decides: 1 LDS, 2 scratch, else global
  scratch,  ///< scratch_*: per-lane private memory
  lds,      ///< ds_*: 32-bit byte address; out of range reads 0 and drops writes; with gds, the global data share
  buffer,   ///< buffer_*: V# descriptor with bounds check and swizzle
};

/// A memory element and how it sits in registers. Loads narrower than a dword extend; `_d16` writes the low half of the
/// destination and keeps the other half, `_d16_hi` the high half. Stores use u8, u16, u32, u8_hi, u16_hi (bits 23:16, 31:16).
enum class Elem : uint8_t { u8, i8, u16, i16, u32, u8_d16, i8_d16, u16_d16, u8_d16_hi, i8_d16_hi, u16_d16_hi, u8_hi, u16_hi };

enum class AtomicOp : uint8_t {
  swap, cmpswap, add, sub, rsub, smin, umin, smax, umax, and_, or_, xor_, inc, dec,
  fadd, fmin, fmax, fcmpswap,   ///< float; fmin/fmax return the other operand for a NaN
  mskor,                        ///< (mem & ~data0) | data1, LDS only
  wrap,                         ///< mem = mem >= data0 ? mem - data0 : mem + data1, LDS only
};
/// Type of the atomic's memory cell; pk_*: two halves, each on its own.
enum class AtomicType : uint8_t { b32, b64, f32, f64, pk_f16, pk_bf16 };
/// by_bit: returns the old value if the instruction's glc / sc0 bit says so (FLAT family, MUBUF). DS rows say yes or no.
enum class Return : uint8_t { by_bit, yes, no };

/// Where a typed buffer access takes data and number format from.
enum class TexelFrom : uint8_t { resource, instruction };
/// 16-bit components of a typed access: two in a register (low half first), or one in the high half.
enum class Narrow : uint8_t { no, packed, high };
/// Global wave sync, ds_gws_*.
enum class Gws : uint8_t { init, sema_v, sema_br, sema_p, sema_release_all, barrier };

/// Element types of matrix and dot operations. fp8/bf8 are FNUZ on gfx942 and OCP on gfx950: the builder knows.
enum class Num : uint8_t { f64, f32, xf32, f16, bf16, fp8, bf8, i8, i32 };
/// One matrix operation D(m x n) = A(m x k) * B(k x n) + C(m x n), `blocks` independent ones in a wave.
struct Tile { int m, n, k, blocks = 1; };

/// An image instruction, beyond its operands and modifiers.
struct ImageOp {
  enum class Kind : uint8_t {
    load, store, atomic,
    resource_info,   ///< sizes of a mip level
    sample,
    gather,          ///< one component of four texels, a square
    gather_row,      ///< ... a row
    query_lod,
  };
  /// Where a sample's level of detail comes from.
  enum class Lod : uint8_t {
    implicit,        ///< from the differences of coordinates within 2x2 lanes
    bias,            ///< the same, plus an operand
    zero, given,
    derivatives,     ///< differences among the operands
  };
  Kind kind = Kind::load;
  bool mip = false;                           ///< load, store: with a mip level
  bool packed = false, sign_extend = false;   ///< load, store: the texel's dwords, not converted
  AtomicOp atomic = AtomicOp::swap;
  Lod lod = Lod::implicit;
  bool clamp_lod = false, compare = false, offset = false;
};

/// Result of b.add_carry and b.sub_borrow, b.div_scale.
template <class V, class M> struct WithMask { V value; M mask; };

// ---------------------------------------------------------------------------------------------------------------------
// Operators of the value types (lane and scalar alike)
//
//   U32 I32 U64 I64 : + - * & | ^ ~ unary-  << >> (I: arithmetic), == != < <= > >= (giving Mask / SBool); the other operand may be an
//                     integer literal; shift counts of 64-bit values are U32 (S32) or literals. * of U64 is the low half.
//   F32 F64 F16     : + - * unary- (sign flip), == != < <= > >= (IEEE: unordered gives false, != gives true); literals: float / double.
//                     No operator/: division is made of div_scale, rcp and div_fixup on this ISA.
//   Mask / SBool    : & | ^ ~
// 16-bit integers are U32/I32 values: readers u16/i16 extend, writers take the low 16 bits; mask in between where it matters.
// Lane types: B::U32 I32 U64 I64 F32 F64 F16 Mask. Scalar types: B::S32 SI32 S64 SI64 SBool. B::U32(7u) etc. make constants.

/// Decode-time facts, in all three classes. Plain C++ values.
template <class B>
concept CommonBuilder = requires(B b, int i) {
  { b.imm() } -> std::convertible_to<int64_t>;    ///< the immediate: simm16 (sign-extended), ds/flat/smem offset, fixed literal (madak k)
  { b.imm2() } -> std::convertible_to<int64_t>;   ///< a second one (ds offset1)
  { b.clamp() } -> std::convertible_to<bool>;     ///< clamp bit (saturate, for integer rows)
  { b.op_sel(i) } -> std::convertible_to<bool>;   ///< bit i of op_sel (3 = destination); VOP3P: i = source
  { b.op_sel_hi(i) } -> std::convertible_to<bool>;
  { b.target() } -> std::convertible_to<Target>;
  b.not_implemented("why");                       ///< halts by name when executed
};

/// Pure operations on scalar values. Overloads of the same names exist for lane values.
template <class B>
concept ScalarMath = requires(B b, typename B::S32 x, typename B::SI32 y, typename B::S64 u, typename B::SI64 v, typename B::SBool c) {
  { b.select(c, x, x) } -> std::same_as<typename B::S32>;
  { b.select(c, u, u) } -> std::same_as<typename B::S64>;
  { b.as_u32(y) } -> std::same_as<typename B::S32>;
  { b.as_i32(x) } -> std::same_as<typename B::SI32>;
  { b.as_u64(v) } -> std::same_as<typename B::S64>;
  { b.as_i64(u) } -> std::same_as<typename B::SI64>;
  { b.lo(u) } -> std::same_as<typename B::S32>;
  { b.hi(u) } -> std::same_as<typename B::S32>;
  { b.make64(x, x) } -> std::same_as<typename B::S64>;   ///< (lo, hi)
  { b.zext64(x) } -> std::same_as<typename B::S64>;
  { b.sext64(y) } -> std::same_as<typename B::SI64>;
  { b.from_bool(c) } -> std::same_as<typename B::S32>;   ///< 0 or 1
  { b.popcount(x) } -> std::same_as<typename B::S32>;
  { b.popcount(u) } -> std::same_as<typename B::S32>;
  { b.clz(x) } -> std::same_as<typename B::S32>;         ///< leading zeros; 32 (64) for 0
  { b.clz(u) } -> std::same_as<typename B::S32>;
  { b.ctz(x) } -> std::same_as<typename B::S32>;         ///< trailing zeros; 32 (64) for 0
  { b.ctz(u) } -> std::same_as<typename B::S32>;
  { b.reverse_bits(x) } -> std::same_as<typename B::S32>;
  { b.reverse_bits(u) } -> std::same_as<typename B::S64>;
  { b.min(x, x) } -> std::same_as<typename B::S32>;
  { b.max(y, y) } -> std::same_as<typename B::SI32>;
  { b.mul_hi(x, x) } -> std::same_as<typename B::S32>;
  { b.mul_hi(y, y) } -> std::same_as<typename B::SI32>;
};

/// SALU, SOPP, SMEM: one uniform evaluation per wave.
template <class B>
concept ScalarBuilder = CommonBuilder<B> && ScalarMath<B> && requires(B b, typename B::S32 x, typename B::S64 u, typename B::SBool c, int k, int n) {
  // Sources and results. sdst takes S32/SI32/S64/SI64; a result in EXEC, VCC or M0 needs nothing special.
  { b.s32(k) } -> std::same_as<typename B::S32>;
  { b.si32(k) } -> std::same_as<typename B::SI32>;
  { b.s64(k) } -> std::same_as<typename B::S64>;
  { b.si64(k) } -> std::same_as<typename B::SI64>;
  b.sdst(x);
  b.sdst(u);
  { b.dst_s32() } -> std::same_as<typename B::S32>;   ///< old value of sdst (s_addk, s_cmpk, s_cmov, s_bitset)
  { b.dst_s64() } -> std::same_as<typename B::S64>;
  { b.scc() } -> std::same_as<typename B::SBool>;
  b.set_scc(c);
  { b.exec() } -> std::same_as<typename B::S64>;
  b.set_exec(u);
  { b.vcc() } -> std::same_as<typename B::S64>;
  { b.m0() } -> std::same_as<typename B::S32>;
  b.set_m0(x);
  // M0-relative SGPRs (s_movrels, s_movreld): the operand's register number + M0.
  { b.rel_s32(k) } -> std::same_as<typename B::S32>;
  { b.rel_s64(k) } -> std::same_as<typename B::S64>;
  b.sdst_rel(x);
  b.sdst_rel(u);
  // Control flow. Targets of branch, branch_if and call are decode-time (simm16); jump takes an address.
  b.branch();
  b.branch_if(c);
  b.jump(u);                                          ///< s_setpc, s_swappc, s_rfe: address in a register
  { b.pc_next() } -> std::same_as<typename B::S64>;   ///< address of the following instruction
  b.end_program();
  b.barrier();
  b.sleep(n);                                         ///< n * 64 clocks; yields to other waves and workgroups
  b.trap(n);                                          ///< s_trap id
  b.halt();                                           ///< s_sethalt 1, after a message if there is one: no debugger resumes it, so the kernel stops by name
  b.fork(u, u);                                       ///< s_cbranch_*_fork: (lanes that branch, target); pushes the larger side onto the stack of SGPRs at MODE.CSP
  b.join(x);                                          ///< s_cbranch_join: pops it, unless CSP is back at x
  b.send_message(n, x);                               ///< message immediate, M0
  b.nop("why");                                       ///< deliberately nothing: waits, priorities, cache operations; says why
  b.gpr_index_on(x, n);                               ///< s_set_gpr_idx_on: M0[7:0] = x, M0[15:12] = n (bit 0..2 = src0..2, 3 = dst)
  b.gpr_index_off();
  b.gpr_index_mode(n);
  b.gpr_index_idx(x);
  // Machine state.
  { b.get_reg(n) } -> std::same_as<typename B::S32>;  ///< s_getreg: n = hwreg simm16 (id 5:0, offset 10:6, size-1 15:11)
  b.set_reg(n, x);                                    ///< s_setreg: MODE takes effect at once
  b.set_vskip(x);                                     ///< MODE.VSKIP: 1 = vector and memory rows are skipped
  { b.clock() } -> std::same_as<typename B::S64>;     ///< s_memtime
  { b.realtime() } -> std::same_as<typename B::S64>;  ///< s_memrealtime: 100 MHz
  // Memory. Operands (sbase, offset, soffset, sdata) are the instruction's; n = dwords.
  b.s_load(n);
  b.s_store(n);
  b.s_scratch_load(n);                                ///< as s_load, the register offset in units of 64 bytes
  b.s_scratch_store(n);
  b.s_buffer_load(n);                                 ///< V# in SGPRs: out of range reads 0
  b.s_buffer_store(n);
  b.s_atomic(AtomicOp::add, AtomicType::b32);         ///< scalar memory atomic, returns by glc
  b.s_buffer_atomic(AtomicOp::add, AtomicType::b32);
};

/// Pure integer operations on lane values.
template <class B>
concept LaneInt = requires(B b, typename B::U32 x, typename B::I32 y, typename B::U64 u, typename B::I64 v, typename B::Mask m) {
  { b.select(m, x, x) } -> std::same_as<typename B::U32>;   ///< also I32, U64, I64, F32, F64, F16, Mask
  { b.as_u32(y) } -> std::same_as<typename B::U32>;         ///< bit casts: as_u32(I32|F32), as_i32(U32), as_f32(U32), as_u64(F64|I64), as_i64(U64), as_f64(U64)
  { b.as_i32(x) } -> std::same_as<typename B::I32>;
  { b.as_u64(v) } -> std::same_as<typename B::U64>;
  { b.as_i64(u) } -> std::same_as<typename B::I64>;
  { b.lo(u) } -> std::same_as<typename B::U32>;
  { b.hi(u) } -> std::same_as<typename B::U32>;
  { b.make64(x, x) } -> std::same_as<typename B::U64>;      ///< (lo, hi)
  { b.zext64(x) } -> std::same_as<typename B::U64>;
  { b.sext64(y) } -> std::same_as<typename B::I64>;
  { b.from_mask(m) } -> std::same_as<typename B::U32>;      ///< 0 or 1 per lane
  { b.min(x, x) } -> std::same_as<typename B::U32>;         ///< also I32, U64, I64
  { b.max(y, y) } -> std::same_as<typename B::I32>;
  { b.add_sat(x, x) } -> std::same_as<typename B::U32>;     ///< also I32
  { b.sub_sat(y, y) } -> std::same_as<typename B::I32>;     ///< also U32
  { b.add_carry(x, x, m) } -> std::same_as<WithMask<typename B::U32, typename B::Mask>>;    ///< x + y + carry
  { b.sub_borrow(x, x, m) } -> std::same_as<WithMask<typename B::U32, typename B::Mask>>;   ///< x - y - borrow
  { b.add_carry(u, u) } -> std::same_as<WithMask<typename B::U64, typename B::Mask>>;
  { b.add_overflow(v, v) } -> std::same_as<WithMask<typename B::I64, typename B::Mask>>;    ///< signed overflow
  { b.no_lanes() } -> std::same_as<typename B::Mask>;
  { b.mul_hi(x, x) } -> std::same_as<typename B::U32>;
  { b.mul_hi(y, y) } -> std::same_as<typename B::I32>;
  { b.mul_wide(x, x) } -> std::same_as<typename B::U64>;
  { b.mul_wide(y, y) } -> std::same_as<typename B::I64>;
  { b.clz(x) } -> std::same_as<typename B::U32>;            ///< 32 for 0
  { b.ctz(x) } -> std::same_as<typename B::U32>;            ///< 32 for 0
  { b.popcount(x) } -> std::same_as<typename B::U32>;
  { b.reverse_bits(x) } -> std::same_as<typename B::U32>;
  { b.perm(x, x, x) } -> std::same_as<typename B::U32>;     ///< v_perm_b32(s0, s1, selector), with sign and constant selectors
  { b.lane_index() } -> std::same_as<typename B::U32>;      ///< 0..63
  { b.mbcnt_lo(x) } -> std::same_as<typename B::U32>;       ///< popcount of x over the lanes below this one, low and high half
  { b.mbcnt_hi(x) } -> std::same_as<typename B::U32>;
};

/// Float operations that F32, F64 and F16 all have. Special values as in the manual of the instruction of that name.
template <class B, class F>
concept LaneFloat = requires(B b, F x, typename B::I32 i, typename B::U32 u, typename B::Mask m) {
  { b.fma(x, x, x) } -> std::same_as<F>;            ///< one rounding
  { b.min(x, x) } -> std::same_as<F>;               ///< IEEE mode: a signalling NaN gives its quiet form; else the other operand; -0 < +0; flushes by MODE
  { b.max(x, x) } -> std::same_as<F>;
  { b.med3(x, x, x) } -> std::same_as<F>;           ///< a NaN among them: min3
  { b.canonicalize(x) } -> std::same_as<F>;         ///< quiet and flush by MODE
  { b.quiet(x) } -> std::same_as<F>;                ///< sNaN -> qNaN only
  { b.abs(x) } -> std::same_as<F>;                  ///< sign bit only
  { b.select(m, x, x) } -> std::same_as<F>;
  { b.is_nan(x) } -> std::same_as<typename B::Mask>;
  { b.unordered(x, x) } -> std::same_as<typename B::Mask>;
  { b.is_class(x, u) } -> std::same_as<typename B::Mask>;   ///< v_cmp_class bits: sNaN qNaN -inf -norm -den -0 +0 +den +norm +inf
  { b.rcp(x) } -> std::same_as<F>;                  ///< F32 1 ulp, F64/F16 see docs/fidelity.md; deterministic, the same on every engine level
  { b.rsq(x) } -> std::same_as<F>;
  { b.sqrt(x) } -> std::same_as<F>;
  { b.fract(x) } -> std::same_as<F>;                ///< x - floor(x), below 1
  { b.trunc(x) } -> std::same_as<F>;
  { b.ceil(x) } -> std::same_as<F>;
  { b.rndne(x) } -> std::same_as<F>;
  { b.floor(x) } -> std::same_as<F>;
  { b.ldexp(x, i) } -> std::same_as<F>;             ///< rounds and flushes by MODE
  { b.frexp_mant(x) } -> std::same_as<F>;           ///< in [0.5, 1); inf and NaN unchanged
  { b.frexp_exp(x) } -> std::same_as<typename B::I32>;   ///< 0 for 0, inf and NaN
  { b.div_fixup(x, x, x) } -> std::same_as<F>;      ///< (quotient, denominator, numerator)
};

/// VALU: evaluated once per chunk of lanes.
template <class B>
concept LaneBuilder = CommonBuilder<B> && LaneInt<B> && LaneFloat<B, typename B::F32> && LaneFloat<B, typename B::F64> &&
    LaneFloat<B, typename B::F16> &&
    requires(B b, typename B::U32 u, typename B::I32 i, typename B::U64 w, typename B::I64 l, typename B::F32 f, typename B::F64 d,
             typename B::F16 h, typename B::Mask m, int k, int n) {
  // Readers. neg/abs of the float ones, op_sel (which half) of the 16-bit ones, are applied.
  { b.zero_count() } -> std::convertible_to<bool>;   ///< source 1 is the constant 0 (may say no when it is)
  { b.u32(k) } -> std::same_as<typename B::U32>;
  { b.i32(k) } -> std::same_as<typename B::I32>;
  { b.f32(k) } -> std::same_as<typename B::F32>;
  { b.u64(k) } -> std::same_as<typename B::U64>;
  { b.i64(k) } -> std::same_as<typename B::I64>;
  { b.f64(k) } -> std::same_as<typename B::F64>;
  { b.f16(k) } -> std::same_as<typename B::F16>;
  { b.u16(k) } -> std::same_as<typename B::U32>;      ///< zero-extended
  { b.i16(k) } -> std::same_as<typename B::I32>;      ///< sign-extended
  // VOP3P sources: half n (0 low, 1 high) of the operation: op_sel / op_sel_hi choose the half, neg_lo / neg_hi the sign.
  { b.f16_pk(k, n) } -> std::same_as<typename B::F16>;
  { b.u16_pk(k, n) } -> std::same_as<typename B::U32>;
  { b.i16_pk(k, n) } -> std::same_as<typename B::I32>;
  { b.f32_pk(k, n) } -> std::same_as<typename B::F32>;   ///< v_pk_*_f32: dword n of the pair
  { b.u32_pk(k, n) } -> std::same_as<typename B::U32>;
  { b.wide_u32(k, n) } -> std::same_as<typename B::U32>;   ///< dword n of a source of more than two registers
  { b.f32_mix(k) } -> std::same_as<typename B::F32>;     ///< v_mad_mix / v_fma_mix source: f32, or an f16 half
  // Old contents of the destination (v_mac, v_fmac, v_dot2c, d16 merges): dword n, no modifiers.
  { b.dst_u32(n) } -> std::same_as<typename B::U32>;
  { b.dst_f32() } -> std::same_as<typename B::F32>;
  { b.dst_f64() } -> std::same_as<typename B::F64>;
  { b.dst_f16() } -> std::same_as<typename B::F16>;
  { b.dst_f16_pk(n) } -> std::same_as<typename B::F16>;
  // Masks: a per-lane bit in VCC or an SGPR pair.
  { b.lanes_in() } -> std::same_as<typename B::Mask>;    ///< the mask source: VCC, or the SGPR pair that the VOP3 form names
  b.lanes_out(m);                                        ///< carry or compare result; lanes off in EXEC give 0
  b.lanes_out_exec(m);                                   ///< v_cmpx: EXEC too
  // Writers. F32/F64/F16 results get omod and clamp. Lanes off in EXEC keep their contents.
  b.vdst(u); b.vdst(i); b.vdst(f);
  b.vdst(n, u); b.vdst(n, f);                            ///< dword n of a wider destination
  b.vdst(w); b.vdst(l); b.vdst(d);                       ///< two dwords
  b.vdst(h);                                             ///< f16 in the low half, high half 0 (VOP1/VOP2/VOP3 16-bit rows of gfx9)
  b.vdst16(u);                                           ///< the same for a 16-bit integer
  b.vdst_sel(h); b.vdst_sel(u);                          ///< op_sel[3] unset: as vdst; set: the high half, keeps the low one (v_min3_f16, v_add_i16 ...)
  b.vdst_keep(h); b.vdst_keep(u);                        ///< the half that op_sel[3] names; keeps the other (v_mad_f16, v_mac_f16 ... of gfx9)
  b.vdst_pk(n, h); b.vdst_pk(n, u);                      ///< packed result: call for n = 0, then n = 1
  b.vdst_half(n, h); b.vdst_half(n, u);                  ///< half n; keeps the other (v_mad_mixlo / mixhi)
  b.write_src(k, u);                                     ///< v_swap_b32: store into the register of source k
  b.clear_exceptions();                                  ///< v_clrexcp: TRAPSTS.EXCP
  // F32 only.
  { b.mad(f, f, f) } -> std::same_as<typename B::F32>;   ///< v_mad_f32, v_mac_f32: two roundings, denormals always flushed
  { b.mad(h, h, h) } -> std::same_as<typename B::F16>;
  { b.dot2(f, h, h, h, h) } -> std::same_as<typename B::F32>;   ///< f + h0 * h1, then + h2 * h3; denormals as the target's dot unit has it
  { b.mul_legacy(f, f) } -> std::same_as<typename B::F32>;   ///< 0 * anything = 0
  { b.mad_legacy(f, f, f) } -> std::same_as<typename B::F32>;
  { b.exp2(f) } -> std::same_as<typename B::F32>;        ///< v_exp, v_log, v_sin (revolutions), v_cos: also F16
  { b.log2(f) } -> std::same_as<typename B::F32>;
  { b.sin(f) } -> std::same_as<typename B::F32>;
  { b.cos(f) } -> std::same_as<typename B::F32>;
  { b.exp2(h) } -> std::same_as<typename B::F16>;
  { b.log2(h) } -> std::same_as<typename B::F16>;
  { b.sin(h) } -> std::same_as<typename B::F16>;
  { b.cos(h) } -> std::same_as<typename B::F16>;
  { b.cube_id(f, f, f) } -> std::same_as<typename B::F32>;
  { b.cube_sc(f, f, f) } -> std::same_as<typename B::F32>;
  { b.cube_tc(f, f, f) } -> std::same_as<typename B::F32>;
  { b.cube_ma(f, f, f) } -> std::same_as<typename B::F32>;
  // Division helpers: (src0, src1, src2) as in v_div_scale / v_div_fmas.
  { b.div_scale(f, f, f) } -> std::same_as<WithMask<typename B::F32, typename B::Mask>>;
  { b.div_scale(d, d, d) } -> std::same_as<WithMask<typename B::F64, typename B::Mask>>;
  { b.div_fmas(f, f, f, m) } -> std::same_as<typename B::F32>;
  { b.div_fmas(d, d, d, m) } -> std::same_as<typename B::F64>;
  { b.trig_preop(d, u) } -> std::same_as<typename B::F64>;
  // Conversions. To integer: round toward zero, saturate, NaN gives 0. To float: by MODE.
  { b.cvt_f32(u) } -> std::same_as<typename B::F32>;     ///< also from I32, F16, F64
  { b.cvt_f64(u) } -> std::same_as<typename B::F64>;     ///< also from I32, F32
  { b.cvt_f16(f) } -> std::same_as<typename B::F16>;     ///< also from U32, I32 (v_cvt_f16_u16 / i16)
  { b.cvt_f16_rtz(f) } -> std::same_as<typename B::F16>; ///< v_cvt_pkrtz
  { b.cvt_u32(f) } -> std::same_as<typename B::U32>;     ///< also from F64, F16 (saturates to 32 bits; clip for 16)
  { b.cvt_i32(f) } -> std::same_as<typename B::I32>;
  { b.f16_bits(h) } -> std::same_as<typename B::U32>;    ///< bits in 15:0
  { b.f16_from_bits(u) } -> std::same_as<typename B::F16>;
  { b.bf16_bits(f) } -> std::same_as<typename B::U32>;   ///< round to nearest even, bits in 15:0
  { b.from_num8(Num::fp8, u) } -> std::same_as<typename B::F32>;       ///< byte in 7:0 to f32 (fp8, bf8)
  { b.to_num8(Num::fp8, f) } -> std::same_as<typename B::U32>;         ///< round to nearest even; too large: the largest if MODE.FP16_OVFL, else NaN or infinity
  { b.to_num8_sr(Num::fp8, f, u) } -> std::same_as<typename B::U32>;   ///< stochastic rounding with the bits of u
};

/// Cross-lane, matrix and memory: called once per wave; operands are the instruction's.
template <class B>
concept WaveBuilder = CommonBuilder<B> && ScalarMath<B> && requires(B b, typename B::S32 x, int k, int n) {
  { b.s32(k) } -> std::same_as<typename B::S32>;              ///< a uniform source (v_readlane's lane select, v_writelane's value)
  { b.read_lane(k, x) } -> std::same_as<typename B::S32>;     ///< source k of lane x & 63, whatever EXEC says
  { b.first_active() } -> std::same_as<typename B::S32>;      ///< lowest lane of EXEC, 0 if EXEC is 0
  b.write_lane(x, x);                                         ///< (lane, value) into vdst, whatever EXEC says
  b.sdst(x);
  { b.m0() } -> std::same_as<typename B::S32>;
  // Permutations through the LDS crossbar: operands addr, data0, offset of the instruction.
  b.ds_bpermute();                                            ///< pull; a disabled source lane gives 0
  b.ds_permute();                                             ///< push; the highest lane wins
  b.ds_swizzle();                                             ///< offset = pattern (quad perm, bit mask, rotate)
  b.template ds_append<AtomicOp::add>();                      ///< append (add) or consume (sub); M0 = base
  // Matrix: A and B types, accumulator type. Modifiers cbsz, abid, blgp and the AGPR bits are the builder's business.
  // Shapes, spaces and element types are template arguments, so that only what rows use is instantiated.
  b.template mfma<Tile{16, 16, 16, 1}, Num::f16, Num::f16, Num::f32>();
  b.template smfmac<Tile{16, 16, 32, 1}, Num::f16, Num::f16, Num::f32>();   ///< 4:2 structured sparsity, indices in src2
  // Memory: space, element, dwords. Space::buffer covers MUBUF.
  b.template load<Space::global, Elem::u32, 4>();
  b.template store<Space::global, Elem::u32, 4>();
  b.template atomic<Space::global, AtomicOp::add, AtomicType::b32, Return::by_bit>();
  b.template load_to_lds<Space::global, Elem::u32>();         ///< global_load_lds_*, buffer_load_* lds
  b.ds_read2(n, k);                                           ///< dwords per element, stride in bytes per offset unit (4, 8, 256, 512)
  b.ds_write2(n, k);
  b.ds_wrxchg2(n, k);
  b.ds_addtid_read();                                         ///< ds_read_addtid_b32 / write: base in M0
  b.ds_addtid_write();
  b.template ds_src2<AtomicOp::add, AtomicType::b32>();       ///< cell A changed by cell B of LDS
  b.ds_condxchg();                                            ///< ds_condxchg32_rtn_b64
  b.gws(Gws::barrier);                                        ///< the wave goes on when the operation lets it
  b.load_format(n, Narrow::no, TexelFrom::resource);             ///< n components
  b.store_format(n, Narrow::no, TexelFrom::instruction);
  b.store_lds();                                              ///< buffer_store_lds_dword
  b.image(ImageOp{});                                         ///< MIMG: resource, sampler and modifiers are the instruction's
  b.nop("why");                                               ///< buffer_wbl2, buffer_inv and the like: host memory is coherent
};

} // namespace bz::isa
