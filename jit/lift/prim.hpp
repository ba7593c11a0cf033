// The primitives that an instruction's semantics consist of, as plain data: what the recorder (record.cpp) writes down when
// it runs a row, and what every analysis and the code generator read. Owns the vocabulary; must not know rows, LLVM or
// registers as storage.
#pragma once
#include "isa/builder.hpp"
#include "isa/inst.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace bz::jit {

/// Type of a node's value. Signedness is the primitive's, so there is no i32. flag: a bit per lane, or one for the wave.
enum class Kind : uint8_t { none, u32, u64, f32, f64, f16, flag };

/// X(name). Meanings are those of isa/builder.hpp; arguments in the order of the builder's. Where a builder function has two
/// results, the second one is a node of its own with the same arguments.
#define BZ_JIT_PURE(X)                                                                                                 \
  X(constant)      /* imm: the bits; f16: of a half */                                                                 \
  X(add) X(sub) X(mul) X(and_) X(or_) X(xor_) X(not_) X(shl) X(shr) X(sar)                                             \
  X(eq) X(ne) X(ult) X(ule) X(slt) X(sle)                                                                              \
  X(select)        /* flag, if set, if not; any kind */                                                                \
  X(cast)          /* the same bits: u32 <-> f32, u64 <-> f64 */                                                       \
  X(lo) X(hi) X(make64) X(zext64) X(sext64)                                                                            \
  X(from_flag)     /* 0 or 1 */                                                                                        \
  X(umin) X(umax) X(smin) X(smax) X(uadd_sat) X(sadd_sat) X(usub_sat) X(ssub_sat)                                      \
  X(add_carry)     /* x + y + flag, u32 */                                                                             \
  X(add_carry_out) /* its carry; with two arguments of u64: the carry of their sum */                                  \
  X(sub_borrow) X(sub_borrow_out)                                                                                      \
  X(add_overflow_out) /* signed, u64 */                                                                                \
  X(umul_hi) X(smul_hi) X(umul_wide) X(smul_wide)                                                                      \
  X(popcount) X(clz) X(ctz) X(reverse_bits) X(perm)                                                                    \
  X(lane_index) X(mbcnt_lo) X(mbcnt_hi)                                                                                \
  X(no_lanes)                                                                                                          \
  /* floats: the node's kind (of relations: the first argument's) says which */                                        \
  X(fadd) X(fsub) X(fmul) X(fneg) X(fabs) X(feq) X(fne) X(flt) X(fle)                                                  \
  X(fma) X(mad) X(fmin) X(fmax) X(fmed3) X(canonicalize) X(quiet) X(is_nan) X(unordered) X(is_class)                   \
  X(rcp) X(rsq) X(sqrt) X(fract) X(trunc) X(ceil) X(rndne) X(floor) X(ldexp) X(frexp_mant) X(frexp_exp)                \
  X(div_fixup) X(div_scale) X(div_scale_out) X(div_fmas) X(trig_preop)                                                 \
  X(mul_legacy) X(mad_legacy) X(dot2) X(exp2) X(log2) X(sin) X(cos)                                                    \
  X(cube_id) X(cube_sc) X(cube_tc) X(cube_ma)                                                                          \
  X(cvt_f32) X(cvt_f64) X(cvt_f16) /* imm 1: from a signed integer */                                                  \
  X(cvt_f16_rtz) X(cvt_u32) X(cvt_i32)                                                                                 \
  X(f16_bits) X(f16_from_bits) X(bf16_bits)                                                                            \
  X(from_num8) X(to_num8) X(to_num8_sr) /* imm: isa::Num */                                                            \
  X(omod)          /* imm: 1 *2, 2 *4, 3 /2; MODE may switch it off */                                                 \
  X(clamp01)

/// Sources and results of the instruction; state of the wave.
#define BZ_JIT_ACCESS(X)                                                                                               \
  X(src)           /* imm: source k | dword << 8. u32: that dword; u64: the pair */                                    \
  X(dpp_src)       /* the same of source 0, permuted as the DPP word says */                                           \
  X(old)           /* imm: dword of the destination's old contents; u64: a pair */                                     \
  X(put)           /* value; imm: dword of the destination. u64: two dwords */                                         \
  X(put_src)       /* value; imm: source k whose register is written */                                                \
  X(lanes_in)      /* the mask source */                                                                               \
  X(lanes_out)     /* flag: VCC or an SGPR pair; lanes off in EXEC give 0 */                                           \
  X(lanes_out_exec) /* EXEC too */                                                                                     \
  X(scc) X(set_scc) X(exec) X(set_exec) X(vcc) X(m0) X(set_m0)                                                         \
  X(pc_next)       /* address of the following instruction, u64 */                                                     \
  X(read_lane)     /* lane number; imm: source k */                                                                    \
  X(first_active)                                                                                                      \
  X(write_lane)    /* lane number, value */                                                                            \
  X(clock) X(realtime)

/// What ends or interrupts straight-line code.
#define BZ_JIT_CONTROL(X)                                                                                              \
  X(branch) X(branch_if) X(jump) X(end_program) X(barrier)                                                             \
  X(sleep)         /* imm */                                                                                           \
  X(trap)          /* imm */                                                                                           \
  X(halt)                                                                                                              \
  X(set_mode)      /* s_setreg of MODE: value u32; imm: the hwreg immediate */                                         \
  X(nop)

/// Memory and whole-wave operations that take the instruction's operands by themselves; imm as in `pack` below.
#define BZ_JIT_WHOLE(X)                                                                                                \
  X(s_load)        /* imm: dwords */                                                                                   \
  X(s_buffer_load) /* imm: dwords */                                                                                   \
  X(load) X(store) /* imm: MemoryImm */                                                                                \
  X(atomic)        /* imm: AtomicImm */                                                                                \
  X(ds_read2) X(ds_write2) /* imm: dwords | stride << 8 */                                                             \
  X(ds_bpermute) X(ds_permute) X(ds_swizzle)                                                                           \
  X(mfma)          /* imm: MatrixImm */                                                                                \
  X(fence)         /* cache maintenance: nothing moves across it */                                                    \
  X(other)         /* whatever has no primitive of its own: the interpreter's handler does it on the wave in memory */

enum class Prim : uint8_t {
#define X(name) name,
  BZ_JIT_PURE(X) BZ_JIT_ACCESS(X) BZ_JIT_CONTROL(X) BZ_JIT_WHOLE(X)
#undef X
};
const char* prim_name(Prim p);
constexpr bool is_pure(Prim p) { return p <= Prim::clamp01; }

/// Index of a node within its instruction.
using NodeId = uint16_t;
inline constexpr NodeId kNoNode = 0xffff;

struct Node {
  Prim prim = Prim::nop;
  Kind kind = Kind::none;      ///< of the value; none: no value
  bool lane = false;           ///< a value per lane; else one for the wave
  uint8_t args = 0;
  std::array<NodeId, 5> arg{kNoNode, kNoNode, kNoNode, kNoNode, kNoNode};
  uint64_t imm = 0;
};

/// imm of load and store.
struct MemoryImm {
  isa::Space space;
  isa::Elem elem;
  uint8_t dwords;
  uint64_t pack() const { return uint64_t(space) | uint64_t(elem) << 8 | uint64_t{dwords} << 16; }
  static MemoryImm of(uint64_t x) { return {isa::Space(x & 255), isa::Elem(x >> 8 & 255), uint8_t(x >> 16)}; }
};
/// imm of atomic.
struct AtomicImm {
  isa::Space space;
  isa::AtomicOp op;
  isa::AtomicType type;
  isa::Return returns;
  uint64_t pack() const { return uint64_t(space) | uint64_t(op) << 8 | uint64_t(type) << 16 | uint64_t(returns) << 24; }
  static AtomicImm of(uint64_t x) {
    return {isa::Space(x & 255), isa::AtomicOp(x >> 8 & 255), isa::AtomicType(x >> 16 & 255), isa::Return(x >> 24 & 255)};
  }
};
/// imm of mfma.
struct MatrixImm {
  isa::Tile tile;
  isa::Num a, b, acc;
  uint64_t pack() const {
    return uint64_t(tile.m) | uint64_t(tile.n) << 8 | uint64_t(tile.k) << 16 | uint64_t(tile.blocks) << 24 | uint64_t(a) << 32 | uint64_t(b) << 40 |
           uint64_t(acc) << 48;
  }
  static MatrixImm of(uint64_t x) {
    auto byte = [&](int n) { return int(x >> (8 * n) & 255); };
    return {{byte(0), byte(1), byte(2), byte(3)}, isa::Num(byte(4)), isa::Num(byte(5)), isa::Num(byte(6))};
  }
};

/// One instruction and what it does.
struct Lifted {
  isa::Inst inst;
  uint64_t pc = 0;
  std::vector<Node> nodes;     ///< arguments come before their users
  bool implemented = true;     ///< false: the row has no semantics, or says so itself
};

/// Runs the row's semantics and writes its primitives down. `inst` must be legal on `target`.
Lifted lift(isa::Target target, const isa::Inst& inst, uint64_t pc);

/// "%2 = fma f32 %0 %1 %2" lines, for tests and reports.
std::string text_of(const Lifted& lifted);

} // namespace bz::jit
