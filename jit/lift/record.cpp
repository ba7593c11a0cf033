// The recorder: a builder whose values are numbers of nodes. Running a row with it writes the row's primitives down, with the
// instruction's modifiers (neg, abs, op_sel, SDWA, omod, clamp) resolved into ordinary primitives.
#include "isa/decode.hpp"
#include "isa/families.hpp"
#include "jit/lift/prim.hpp"

#include <bit>
#include <type_traits>

namespace bz::jit {
namespace {

using isa::AtomicOp;
using isa::AtomicType;
using isa::Elem;
using isa::Num;
using isa::Operand;
using isa::Space;
using isa::Target;
using isa::Tile;
using isa::Type;

/// The lists that the values of the moment belong to.
thread_local std::vector<Node>* g_nodes = nullptr;

NodeId add_node(Prim p, Kind kind, bool lane, std::initializer_list<NodeId> args = {}, uint64_t imm = 0) {
  Node n;
  n.prim = p;
  n.kind = kind;
  n.lane = lane;
  for (NodeId a : args) n.arg[n.args++] = a;
  n.imm = imm;
  g_nodes->push_back(n);
  return static_cast<NodeId>(g_nodes->size() - 1);
}

/// Type of a value in the semantics' text: Kind with the sign that it lacks.
enum class K : uint8_t { u32, i32, u64, i64, f32, f64, f16, flag };
constexpr Kind kind_of(K k) {
  switch (k) {
  case K::u32: case K::i32: return Kind::u32;
  case K::u64: case K::i64: return Kind::u64;
  case K::f32: return Kind::f32;
  case K::f64: return Kind::f64;
  case K::f16: return Kind::f16;
  case K::flag: return Kind::flag;
  }
  return Kind::none;
}
constexpr bool is_float(K k) { return k == K::f32 || k == K::f64 || k == K::f16; }
constexpr bool is_signed(K k) { return k == K::i32 || k == K::i64; }
constexpr bool is_wide(K k) { return k == K::u64 || k == K::i64; }

uint64_t half_bits(double x) {
  const _Float16 h = static_cast<_Float16>(x);
  return std::bit_cast<uint16_t>(h);
}

template <K k, bool L> struct Val {
  static constexpr K kKind = k;
  NodeId id = kNoNode;
  Val() = default;
  explicit Val(NodeId n, std::nullptr_t) : id(n) {}
  template <class T> requires std::is_arithmetic_v<T> explicit Val(T x) {
    uint64_t bits;
    if constexpr (k == K::f32) bits = std::bit_cast<uint32_t>(static_cast<float>(x));
    else if constexpr (k == K::f64) bits = std::bit_cast<uint64_t>(static_cast<double>(x));
    else if constexpr (k == K::f16) bits = half_bits(static_cast<double>(x));
    else if constexpr (is_wide(k)) bits = std::is_signed_v<T> ? static_cast<uint64_t>(static_cast<int64_t>(x)) : static_cast<uint64_t>(x);
    else bits = static_cast<uint32_t>(std::is_signed_v<T> ? static_cast<uint64_t>(static_cast<int64_t>(x)) : static_cast<uint64_t>(x));
    id = add_node(Prim::constant, kind_of(k), L, {}, bits);
  }
};
template <K k, bool L> Val<k, L> val(NodeId n) { return Val<k, L>(n, nullptr); }
/// A node of kind k over other values.
template <K k, bool L, class... A> Val<k, L> make(Prim p, uint64_t imm, A... a) {
  return val<k, L>(add_node(p, kind_of(k), L, {a.id...}, imm));
}

template <class T> concept Number = std::is_arithmetic_v<T>;

#define BZ_OP(op, for_int, for_float)                                                                                  \
  template <K k, bool L> Val<k, L> operator op(Val<k, L> x, Val<k, L> y) {                                             \
    return make<k, L>(is_float(k) ? Prim::for_float : Prim::for_int, 0, x, y);                                         \
  }                                                                                                                    \
  template <K k, bool L, Number T> Val<k, L> operator op(Val<k, L> x, T y) { return x op Val<k, L>(y); }               \
  template <K k, bool L, Number T> Val<k, L> operator op(T x, Val<k, L> y) { return Val<k, L>(x) op y; }
BZ_OP(+, add, fadd) BZ_OP(-, sub, fsub) BZ_OP(*, mul, fmul)
BZ_OP(&, and_, and_) BZ_OP(|, or_, or_) BZ_OP(^, xor_, xor_)
#undef BZ_OP
template <K k, bool L> Val<k, L> operator~(Val<k, L> x) { return make<k, L>(Prim::not_, 0, x); }
template <K k, bool L> Val<k, L> operator-(Val<k, L> x) {
  if constexpr (is_float(k)) return make<k, L>(Prim::fneg, 0, x);
  else return Val<k, L>(0) - x;
}
#define BZ_SHIFT(op, plain, arithmetic)                                                                                \
  template <K k, K n, bool L> Val<k, L> operator op(Val<k, L> x, Val<n, L> y) {                                        \
    return make<k, L>(is_signed(k) ? Prim::arithmetic : Prim::plain, 0, x, y);                                         \
  }                                                                                                                    \
  template <K k, bool L, Number T> Val<k, L> operator op(Val<k, L> x, T y) { return x op Val<K::u32, L>(y); }
BZ_SHIFT(<<, shl, shl) BZ_SHIFT(>>, shr, sar)
#undef BZ_SHIFT
template <K k, bool L> Val<K::flag, L> relation(Prim u, Prim s, Prim f, Val<k, L> x, Val<k, L> y) {
  return make<K::flag, L>(is_float(k) ? f : is_signed(k) ? s : u, 0, x, y);
}
#define BZ_RELATION(op, expr)                                                                                          \
  template <K k, bool L> Val<K::flag, L> operator op(Val<k, L> x, Val<k, L> y) { return expr; }                        \
  template <K k, bool L, Number T> Val<K::flag, L> operator op(Val<k, L> x, T y) { return x op Val<k, L>(y); }
BZ_RELATION(==, relation(Prim::eq, Prim::eq, Prim::feq, x, y))
BZ_RELATION(!=, relation(Prim::ne, Prim::ne, Prim::fne, x, y))
BZ_RELATION(<, relation(Prim::ult, Prim::slt, Prim::flt, x, y))
BZ_RELATION(<=, relation(Prim::ule, Prim::sle, Prim::fle, x, y))
BZ_RELATION(>, relation(Prim::ult, Prim::slt, Prim::flt, y, x))
BZ_RELATION(>=, relation(Prim::ule, Prim::sle, Prim::fle, y, x))
#undef BZ_RELATION

class Record {
public:
  using U32 = Val<K::u32, true>; using I32 = Val<K::i32, true>; using U64 = Val<K::u64, true>; using I64 = Val<K::i64, true>;
  using F32 = Val<K::f32, true>; using F64 = Val<K::f64, true>; using F16 = Val<K::f16, true>; using Mask = Val<K::flag, true>;
  using S32 = Val<K::u32, false>; using SI32 = Val<K::i32, false>; using S64 = Val<K::u64, false>;
  using SI64 = Val<K::i64, false>; using SBool = Val<K::flag, false>;

  Record(Lifted& lifted, Target target) : inst_(lifted.inst), out_(lifted), target_(target) {
    for (int i = 0; i < inst_.operand_count; ++i) {
      const Operand& o = inst_.operands[static_cast<size_t>(i)];
      if (o.field == isa::Field::label) continue;
      if (!o.is_dst && o.kind != Operand::Kind::imm && sources_ < 3) source_[sources_++] = &o;
      if (o.kind == Operand::Kind::imm) imm_operand_ = &o;
    }
    packed32_ = sources_ > 0 && (source_[0]->type == Type::pk_f32 || source_[0]->type == Type::pk_b32);
  }

  // ------------------------------------------------------------ decode-time facts

  int64_t imm() const {
    if (inst_.format & (isa::SMEM | isa::FLAT | isa::GLOBAL | isa::SCRATCH | isa::MUBUF | isa::MTBUF)) return inst_.offset;
    if (inst_.format == isa::DS) return has_offset01() ? inst_.offset0 : inst_.offset;
    if (imm_operand_ && (inst_.format & (isa::SOPC | isa::SOPK | isa::SOPP | isa::SOP1 | isa::SOP2))) return static_cast<int32_t>(imm_operand_->value);
    return inst_.simm16;
  }
  int64_t imm2() const { return inst_.offset1; }
  bool zero_count() const { return sources_ > 1 && source_[1]->is_const() && source_[1]->value == 0; }
  bool clamp() const { return inst_.clamp; }
  bool op_sel(int k) const { return inst_.op_sel >> k & 1; }
  bool op_sel_hi(int k) const { return inst_.op_sel_hi >> k & 1; }
  Target target() const { return target_; }
  void not_implemented(const char*) { out_.implemented = false; }

  // ------------------------------------------------------------ pure operations, scalar and lane alike

  template <K k, bool L> Val<k, L> select(Val<K::flag, L> c, Val<k, L> x, Val<k, L> y) { return make<k, L>(Prim::select, 0, c, x, y); }
#define BZ_CAST(name, kind)                                                                                            \
  template <K k, bool L> Val<K::kind, L> name(Val<k, L> x) {                                                           \
    if constexpr (kind_of(k) == kind_of(K::kind)) return val<K::kind, L>(x.id);                                        \
    else return make<K::kind, L>(Prim::cast, 0, x);                                                                    \
  }
  BZ_CAST(as_u32, u32) BZ_CAST(as_i32, i32) BZ_CAST(as_u64, u64) BZ_CAST(as_i64, i64) BZ_CAST(as_f32, f32) BZ_CAST(as_f64, f64)
#undef BZ_CAST
#define BZ_TO(name, prim, kind) template <K k, bool L> Val<K::kind, L> name(Val<k, L> x) { return make<K::kind, L>(Prim::prim, 0, x); }
  BZ_TO(lo, lo, u32) BZ_TO(hi, hi, u32) BZ_TO(zext64, zext64, u64) BZ_TO(sext64, sext64, i64) BZ_TO(from_bool, from_flag, u32)
  BZ_TO(from_mask, from_flag, u32) BZ_TO(popcount, popcount, u32) BZ_TO(clz, clz, u32) BZ_TO(ctz, ctz, u32)
#undef BZ_TO
  template <bool L> Val<K::u64, L> make64(Val<K::u32, L> l, Val<K::u32, L> h) { return make<K::u64, L>(Prim::make64, 0, l, h); }
  template <K k, bool L> Val<k, L> reverse_bits(Val<k, L> x) { return make<k, L>(Prim::reverse_bits, 0, x); }
  template <K k, bool L> Val<k, L> min(Val<k, L> x, Val<k, L> y) {
    return make<k, L>(is_float(k) ? Prim::fmin : is_signed(k) ? Prim::smin : Prim::umin, 0, x, y);
  }
  template <K k, bool L> Val<k, L> max(Val<k, L> x, Val<k, L> y) {
    return make<k, L>(is_float(k) ? Prim::fmax : is_signed(k) ? Prim::smax : Prim::umax, 0, x, y);
  }
  template <K k> Val<k, true> add_sat(Val<k, true> x, Val<k, true> y) { return make<k, true>(is_signed(k) ? Prim::sadd_sat : Prim::uadd_sat, 0, x, y); }
  template <K k> Val<k, true> sub_sat(Val<k, true> x, Val<k, true> y) { return make<k, true>(is_signed(k) ? Prim::ssub_sat : Prim::usub_sat, 0, x, y); }
  template <K k, bool L> Val<k, L> mul_hi(Val<k, L> x, Val<k, L> y) { return make<k, L>(is_signed(k) ? Prim::smul_hi : Prim::umul_hi, 0, x, y); }
  U64 mul_wide(U32 x, U32 y) { return make<K::u64, true>(Prim::umul_wide, 0, x, y); }
  I64 mul_wide(I32 x, I32 y) { return make<K::i64, true>(Prim::smul_wide, 0, x, y); }
  template <K k> isa::WithMask<Val<k, true>, Mask> add_carry(Val<k, true> x, Val<k, true> y, Mask c) {
    return {make<k, true>(Prim::add_carry, 0, x, y, c), make<K::flag, true>(Prim::add_carry_out, 0, x, y, c)};
  }
  template <K k> isa::WithMask<Val<k, true>, Mask> add_carry(Val<k, true> x, Val<k, true> y) {
    return {x + y, make<K::flag, true>(Prim::add_carry_out, 0, x, y)};
  }
  template <K k> isa::WithMask<Val<k, true>, Mask> sub_borrow(Val<k, true> x, Val<k, true> y, Mask c) {
    return {make<k, true>(Prim::sub_borrow, 0, x, y, c), make<K::flag, true>(Prim::sub_borrow_out, 0, x, y, c)};
  }
  template <K k> isa::WithMask<Val<k, true>, Mask> add_overflow(Val<k, true> x, Val<k, true> y) {
    return {x + y, make<K::flag, true>(Prim::add_overflow_out, 0, x, y)};
  }
  Mask no_lanes() { return make<K::flag, true>(Prim::no_lanes, 0); }
  U32 perm(U32 x, U32 y, U32 s) { return make<K::u32, true>(Prim::perm, 0, x, y, s); }
  U32 lane_index() { return make<K::u32, true>(Prim::lane_index, 0); }
  U32 mbcnt_lo(U32 x) { return make<K::u32, true>(Prim::mbcnt_lo, 0, x); }
  U32 mbcnt_hi(U32 x) { return make<K::u32, true>(Prim::mbcnt_hi, 0, x); }

  // ------------------------------------------------------------ floats

#define BZ_SAME1(name, prim) template <K k> Val<k, true> name(Val<k, true> x) { return make<k, true>(Prim::prim, 0, x); }
  BZ_SAME1(canonicalize, canonicalize) BZ_SAME1(quiet, quiet) BZ_SAME1(rcp, rcp) BZ_SAME1(rsq, rsq) BZ_SAME1(sqrt, sqrt)
  BZ_SAME1(fract, fract) BZ_SAME1(trunc, trunc) BZ_SAME1(ceil, ceil) BZ_SAME1(rndne, rndne) BZ_SAME1(floor, floor)
  BZ_SAME1(frexp_mant, frexp_mant) BZ_SAME1(exp2, exp2) BZ_SAME1(log2, log2) BZ_SAME1(sin, sin) BZ_SAME1(cos, cos) BZ_SAME1(abs, fabs)
#undef BZ_SAME1
#define BZ_SAME3(name, prim)                                                                                           \
  template <K k> Val<k, true> name(Val<k, true> x, Val<k, true> y, Val<k, true> z) { return make<k, true>(Prim::prim, 0, x, y, z); }
  BZ_SAME3(fma, fma) BZ_SAME3(div_fixup, div_fixup) BZ_SAME3(mad, mad) BZ_SAME3(mad_legacy, mad_legacy) BZ_SAME3(cube_id, cube_id)
  BZ_SAME3(cube_sc, cube_sc) BZ_SAME3(cube_tc, cube_tc) BZ_SAME3(cube_ma, cube_ma)
#undef BZ_SAME3
  template <K k> Val<k, true> med3(Val<k, true> x, Val<k, true> y, Val<k, true> z) {
    if constexpr (is_float(k)) return make<k, true>(Prim::fmed3, 0, x, y, z);
    else return max(min(x, y), min(max(x, y), z));
  }
  template <K k> Val<k, true> mul_legacy(Val<k, true> x, Val<k, true> y) { return make<k, true>(Prim::mul_legacy, 0, x, y); }
  template <K k> Mask is_nan(Val<k, true> x) { return make<K::flag, true>(Prim::is_nan, 0, x); }
  template <K k> Mask unordered(Val<k, true> x, Val<k, true> y) { return make<K::flag, true>(Prim::unordered, 0, x, y); }
  template <K k> Mask is_class(Val<k, true> x, U32 m) { return make<K::flag, true>(Prim::is_class, 0, x, m); }
  template <K k> Val<k, true> ldexp(Val<k, true> x, I32 n) { return make<k, true>(Prim::ldexp, 0, x, n); }
  template <K k> I32 frexp_exp(Val<k, true> x) { return make<K::i32, true>(Prim::frexp_exp, 0, x); }
  template <K k> isa::WithMask<Val<k, true>, Mask> div_scale(Val<k, true> x, Val<k, true> y, Val<k, true> z) {
    return {make<k, true>(Prim::div_scale, 0, x, y, z), make<K::flag, true>(Prim::div_scale_out, 0, x, y, z)};
  }
  template <K k> Val<k, true> div_fmas(Val<k, true> x, Val<k, true> y, Val<k, true> z, Mask m) { return make<k, true>(Prim::div_fmas, 0, x, y, z, m); }
  F32 dot2(F32 acc, F16 a0, F16 b0, F16 a1, F16 b1) { return make<K::f32, true>(Prim::dot2, 0, acc, a0, b0, a1, b1); }
  F64 trig_preop(F64 x, U32 n) { return make<K::f64, true>(Prim::trig_preop, 0, x, n); }
  template <K k> F32 cvt_f32(Val<k, true> x) { return make<K::f32, true>(Prim::cvt_f32, is_signed(k), x); }
  template <K k> F64 cvt_f64(Val<k, true> x) { return make<K::f64, true>(Prim::cvt_f64, is_signed(k), x); }
  template <K k> F16 cvt_f16(Val<k, true> x) { return make<K::f16, true>(Prim::cvt_f16, is_signed(k), x); }
  F16 cvt_f16_rtz(F32 x) { return make<K::f16, true>(Prim::cvt_f16_rtz, 0, x); }
  template <K k> U32 cvt_u32(Val<k, true> x) { return make<K::u32, true>(Prim::cvt_u32, 0, x); }
  template <K k> I32 cvt_i32(Val<k, true> x) { return make<K::i32, true>(Prim::cvt_i32, 0, x); }
  U32 f16_bits(F16 x) { return make<K::u32, true>(Prim::f16_bits, 0, x); }
  F16 f16_from_bits(U32 x) { return make<K::f16, true>(Prim::f16_from_bits, 0, x); }
  U32 bf16_bits(F32 x) { return make<K::u32, true>(Prim::bf16_bits, 0, x); }
  F32 from_num8(Num n, U32 x) { return make<K::f32, true>(Prim::from_num8, uint64_t(n), x); }
  U32 to_num8(Num n, F32 x) { return make<K::u32, true>(Prim::to_num8, uint64_t(n), x); }
  U32 to_num8_sr(Num n, F32 x, U32 r) { return make<K::u32, true>(Prim::to_num8_sr, uint64_t(n), x, r); }

  // ------------------------------------------------------------ scalar sources, results, state

  S32 s32(int k) { return val<K::u32, false>(add_node(Prim::src, Kind::u32, false, {}, static_cast<uint64_t>(k))); }
  SI32 si32(int k) { return as_i32(s32(k)); }
  S64 s64(int k) { return val<K::u64, false>(add_node(Prim::src, Kind::u64, false, {}, static_cast<uint64_t>(k))); }
  SI64 si64(int k) { return as_i64(s64(k)); }
  template <K k> void sdst(Val<k, false> x) { write(Prim::put, false, 0, x); }
  S32 dst_s32() { return make<K::u32, false>(Prim::old, 0); }
  S64 dst_s64() { return make<K::u64, false>(Prim::old, 0); }
  SBool scc() { return make<K::flag, false>(Prim::scc, 0); }
  void set_scc(SBool c) { write(Prim::set_scc, false, 0, c); }
  S64 exec() { return make<K::u64, false>(Prim::exec, 0); }
  void set_exec(S64 x) { write(Prim::set_exec, false, 0, x); }
  S64 vcc() { return make<K::u64, false>(Prim::vcc, 0); }
  S32 m0() { return make<K::u32, false>(Prim::m0, 0); }
  void set_m0(S32 x) { write(Prim::set_m0, false, 0, x); }
  S32 rel_s32(int) { return other(), S32(0); }
  S64 rel_s64(int) { return other(), S64(0); }
  template <K k> void sdst_rel(Val<k, false>) { other(); }
  void branch() { plain(Prim::branch); }
  void branch_if(SBool c) { write(Prim::branch_if, false, 0, c); }
  void jump(S64 x) { write(Prim::jump, false, 0, x); }
  S64 pc_next() { return make<K::u64, false>(Prim::pc_next, 0); }
  void end_program() { plain(Prim::end_program); }
  void barrier() { plain(Prim::barrier); }
  void sleep(int n) { plain(Prim::sleep, static_cast<uint64_t>(n)); }
  void trap(int n) { plain(Prim::trap, static_cast<uint64_t>(n)); }
  void halt() { plain(Prim::halt); }
  void fork(S64, S64) { other(); }
  void join(S32) { other(); }
  void send_message(int, S32) { other(); }
  void nop(const char*) {
    const bool cache = !(inst_.format & (isa::SOPP | isa::SOP1 | isa::SOPK | isa::SOP2));
    plain(cache ? Prim::fence : Prim::nop);
  }
  void gpr_index_on(S32, int) { other(); }
  void gpr_index_off() { other(); }
  void gpr_index_mode(int) { other(); }
  void gpr_index_idx(S32) { other(); }
  S32 get_reg(int) { return other(), S32(0); }
  void set_reg(int n, S32 x) {
    if ((n & 63) == 1) write(Prim::set_mode, false, static_cast<uint64_t>(static_cast<uint32_t>(n)), x);
    else other();
  }
  void set_vskip(S32) { other(); }
  S64 clock() { return make<K::u64, false>(Prim::clock, 0); }
  S64 realtime() { return make<K::u64, false>(Prim::realtime, 0); }
  void s_load(int n) { plain(Prim::s_load, static_cast<uint64_t>(n)); }
  void s_store(int) { other(); }
  void s_scratch_load(int) { other(); }
  void s_scratch_store(int) { other(); }
  void s_buffer_load(int n) { plain(Prim::s_buffer_load, static_cast<uint64_t>(n)); }
  void s_buffer_store(int) { other(); }
  void s_atomic(AtomicOp, AtomicType) { other(); }
  void s_buffer_atomic(AtomicOp, AtomicType) { other(); }

  // ------------------------------------------------------------ lane sources

  U32 u32(int k) { return raw(k, 0); }
  I32 i32(int k) { return as_i32(raw(k, 0)); }
  F32 f32(int k) { return as_f32(with_sign(k, raw(k, 0))); }
  U64 u64(int k) { return raw64(k); }
  I64 i64(int k) { return as_i64(raw64(k)); }
  F64 f64(int k) {
    U64 x = raw64(k);
    if (absolute(k)) x = x & ~(uint64_t{1} << 63);
    if (negative(k)) x = x ^ (uint64_t{1} << 63);
    return as_f64(x);
  }
  F16 f16(int k) {
    U32 x = half(k, op_sel(k));
    if (absolute(k)) x = x & 0x7fffu;
    if (negative(k)) x = x ^ 0x8000u;
    return f16_from_bits(x);
  }
  U32 u16(int k) { return half(k, op_sel(k)); }
  I32 i16(int k) { return as_i32(half(k, op_sel(k)) << 16) >> 16; }
  F16 f16_pk(int k, int n) {
    U32 x = half(k, n ? op_sel_hi(k) : op_sel(k));
    if (n ? absolute(k) : negative(k)) x = x ^ 0x8000u;   // neg_hi, neg_lo
    return f16_from_bits(x);
  }
  U32 u16_pk(int k, int n) { return half(k, n ? op_sel_hi(k) : op_sel(k)); }
  I32 i16_pk(int k, int n) { return as_i32(u16_pk(k, n) << 16) >> 16; }
  U32 u32_pk(int k, int n) { return raw(k, packed32_ ? (n ? inst_.op_sel_hi >> k & 1 : inst_.op_sel >> k & 1) : n); }
  F32 f32_pk(int k, int n) {
    U32 x = u32_pk(k, n);
    if (n ? absolute(k) : negative(k)) x = x ^ 0x80000000u;
    return as_f32(x);
  }
  F32 f32_mix(int k) {
    U32 x = op_sel_hi(k) ? as_u32(cvt_f32(f16_from_bits(half(k, op_sel(k))))) : raw(k, 0);
    return as_f32(with_sign(k, x));
  }
  U32 wide_u32(int k, int n) { return raw(k, n); }
  U32 dst_u32(int n) { return make<K::u32, true>(Prim::old, static_cast<uint64_t>(n)); }
  F32 dst_f32() { return as_f32(dst_u32(0)); }
  F64 dst_f64() { return as_f64(make<K::u64, true>(Prim::old, 0)); }
  F16 dst_f16() { return f16_from_bits(dst_u32(0) & 0xffffu); }
  F16 dst_f16_pk(int n) { return f16_from_bits((dst_u32(0) >> (n ? 16u : 0u)) & 0xffffu); }

  // ------------------------------------------------------------ lane results

  Mask lanes_in() { return make<K::flag, true>(Prim::lanes_in, 0); }
  void lanes_out(Mask x) { write(Prim::lanes_out, true, 0, x); }
  void lanes_out_exec(Mask x) { write(Prim::lanes_out_exec, true, 0, x); }
  void vdst(int n, U32 x) {
    if (n == 0 && inst_.form == isa::Form::sdwa) x = into_field(x);
    write(Prim::put, true, static_cast<uint64_t>(n), x);
  }
  void vdst(int n, I32 x) { vdst(n, as_u32(x)); }
  void vdst(int n, F32 x) { vdst(n, as_u32(finish(x))); }
  template <K k> requires (kind_of(k) == Kind::u32 || k == K::f32) void vdst(Val<k, true> x) { vdst(0, x); }
  void vdst(U64 x) { write(Prim::put, true, 0, x); }
  void vdst(I64 x) { vdst(as_u64(x)); }
  void vdst(F64 x) { vdst(as_u64(finish(x))); }
  void vdst(F16 x) { vdst(0, f16_bits(finish(x))); }
  void vdst16(U32 x) { vdst(0, x & 0xffffu); }
  void vdst16(I32 x) { vdst16(as_u32(x)); }
  void vdst_half(int n, U32 x) {
    U32 before = dst_u32(0);
    vdst(0, n ? (before & 0xffffu) | (x << 16) : (before & 0xffff0000u) | (x & 0xffffu));
  }
  void vdst_half(int n, I32 x) { vdst_half(n, as_u32(x)); }
  void vdst_half(int n, F16 x) { vdst_half(n, f16_bits(finish(x))); }
  void vdst_sel(U32 x) { op_sel(3) ? vdst_half(1, x) : vdst16(x); }
  void vdst_sel(I32 x) { vdst_sel(as_u32(x)); }
  void vdst_sel(F16 x) { vdst_sel(f16_bits(finish(x))); }
  template <class T> void vdst_keep(T x) { vdst_half(op_sel(3), x); }
  void vdst_pk(int n, U32 x) {
    if (n == 0) pending_ = x & 0xffffu;
    else vdst(0, pending_ | (x << 16));
  }
  void vdst_pk(int n, I32 x) { vdst_pk(n, as_u32(x)); }
  void vdst_pk(int n, F16 x) { vdst_pk(n, f16_bits(finish(x))); }
  void clear_exceptions() { other(); }
  void write_src(int k, U32 x) { write(Prim::put_src, true, static_cast<uint64_t>(k), x); }

  // ------------------------------------------------------------ whole wave

  S32 read_lane(int k, S32 lane) { return make<K::u32, false>(Prim::read_lane, static_cast<uint64_t>(k), lane); }
  S32 first_active() { return make<K::u32, false>(Prim::first_active, 0); }
  void write_lane(S32 lane, S32 x) { add_node(Prim::write_lane, Kind::none, false, {lane.id, x.id}); }
  void ds_bpermute() { plain(Prim::ds_bpermute); }
  void ds_permute() { plain(Prim::ds_permute); }
  void ds_swizzle() { plain(Prim::ds_swizzle); }
  template <AtomicOp> void ds_append() { other(); }
  template <Tile T, Num A, Num B, Num C> void mfma() { plain(Prim::mfma, MatrixImm{T, A, B, C}.pack()); }
  template <Tile, Num, Num, Num> void smfmac() { other(); }
  template <Space S, Elem E, int N> void load() {
    if (inst_.lds || inst_.tfe || inst_.gds) return other();
    plain(Prim::load, MemoryImm{S, E, N}.pack());
  }
  template <Space S, Elem E, int N> void store() {
    if (inst_.gds) return other();
    plain(Prim::store, MemoryImm{S, E, N}.pack());
  }
  template <Space S, AtomicOp Op, AtomicType T, isa::Return R> void atomic() {
    if (inst_.gds) return other();
    plain(Prim::atomic, AtomicImm{S, Op, T, R}.pack());
  }
  template <Space, Elem> void load_to_lds() { other(); }
  void ds_read2(int n, int stride) { inst_.gds ? other() : plain(Prim::ds_read2, static_cast<uint64_t>(n | stride << 8)); }
  void ds_write2(int n, int stride) { inst_.gds ? other() : plain(Prim::ds_write2, static_cast<uint64_t>(n | stride << 8)); }
  void ds_wrxchg2(int, int) { other(); }
  void ds_addtid_read() { other(); }
  void ds_addtid_write() { other(); }
  template <AtomicOp, AtomicType> void ds_src2() { other(); }
  void ds_condxchg() { other(); }
  void gws(isa::Gws) { other(); }
  void load_format(int, isa::Narrow, isa::TexelFrom) { other(); }
  void store_format(int, isa::Narrow, isa::TexelFrom) { other(); }
  void store_lds() { other(); }
  void image(isa::ImageOp) { other(); }

private:
  template <class V> void write(Prim p, bool lane, uint64_t imm, V x) { add_node(p, Kind::none, lane, {x.id}, imm); }
  void plain(Prim p, uint64_t imm = 0) { add_node(p, Kind::none, false, {}, imm); }
  /// Once is enough: the handler does the whole instruction.
  void other() {
    for (auto& n : out_.nodes)
      if (n.prim == Prim::other) return;
    plain(Prim::other);
  }
  bool has_offset01() const { return isa::row_meta(inst_.row).operands.offset01; }

  bool vop3p() const { return inst_.format == isa::VOP3P; }
  bool negative(int k) const { return vop3p() ? inst_.neg_lo >> k & 1 : k < sources_ && source_[static_cast<size_t>(k)]->neg; }
  bool absolute(int k) const { return vop3p() ? inst_.neg_hi >> k & 1 : k < sources_ && source_[static_cast<size_t>(k)]->abs; }
  U32 with_sign(int k, U32 x) {
    if (absolute(k)) x = x & 0x7fffffffu;
    if (negative(k)) x = x ^ 0x80000000u;
    return x;
  }
  U32 half(int k, bool high) { return high ? raw(k, 0) >> 16 : raw(k, 0) & 0xffffu; }
  Prim source_prim(int k) const { return k == 0 && inst_.form == isa::Form::dpp ? Prim::dpp_src : Prim::src; }
  /// Dword of a source, after the SDWA select.
  U32 raw(int k, int dword) {
    U32 x = val<K::u32, true>(add_node(source_prim(k), Kind::u32, true, {}, static_cast<uint64_t>(k | dword << 8)));
    if (inst_.form != isa::Form::sdwa || k > 1 || dword) return x;
    const unsigned sel = inst_.sdwa.src_sel[static_cast<size_t>(k)];
    const bool sext = source_[static_cast<size_t>(k)]->sext;
    if (sel < 4) {
      x = x << (24u - 8u * sel);
      return sext ? as_u32(as_i32(x) >> 24) : x >> 24;
    }
    if (sel == 6) return x;
    if (sel == 4) x = x << 16;
    return sext ? as_u32(as_i32(x) >> 16) : x >> 16;
  }
  U64 raw64(int k) { return val<K::u64, true>(add_node(source_prim(k), Kind::u64, true, {}, static_cast<uint64_t>(k))); }
  /// An SDWA result goes into a byte or word; the rest of the register is zero, sign or what it was.
  U32 into_field(U32 x) {
    const unsigned sel = inst_.sdwa.dst_sel, unused = inst_.sdwa.dst_unused;
    if (sel == 6) return x;
    const unsigned shift = sel < 4 ? 8u * sel : sel == 5 ? 16u : 0u;
    const uint32_t field = (sel < 4 ? 0xffu : 0xffffu) << shift;
    U32 r = (x << shift) & field;
    if (unused == 2) return r | (dst_u32(0) & ~field);
    if (unused == 1) {
      const unsigned up = sel < 4 ? 24u - shift : 16u - shift;
      return as_u32(as_i32(r << up) >> up);
    }
    return r;
  }
  template <K k> Val<k, true> finish(Val<k, true> x) {
    if (inst_.omod & 3) x = make<k, true>(Prim::omod, inst_.omod & 3u, x);
    if (inst_.clamp) x = make<k, true>(Prim::clamp01, 0, x);
    return x;
  }

  const isa::Inst& inst_;
  Lifted& out_;
  Target target_;
  std::array<const Operand*, 3> source_{};
  int sources_ = 0;
  const Operand* imm_operand_ = nullptr;
  bool packed32_ = false;
  U32 pending_;
};

static_assert(isa::ScalarBuilder<Record> && isa::LaneBuilder<Record> && isa::WaveBuilder<Record>);

const isa::Row<Record>& row_of(isa::RowId id) {
  const isa::Row<Record>* rows[] = {
#define X(name, array, cls) isa::array<Record>,
      BZ_ISA_FAMILIES(X)
#undef X
  };
  size_t f = isa::kFamilyCount - 1;
  while (id < isa::kFamilies[f].base) --f;
  return rows[f][id - isa::kFamilies[f].base];
}

} // namespace

Lifted lift(Target target, const isa::Inst& inst, uint64_t pc) {
  Lifted r;
  r.inst = inst;
  r.pc = pc;
  auto sem = row_of(inst.row).sem;
  if (!sem) {
    r.implemented = false;
    return r;
  }
  g_nodes = &r.nodes;
  Record b(r, target);
  sem(b);
  g_nodes = nullptr;
  return r;
}

const char* prim_name(Prim p) {
  switch (p) {
#define X(name)                                                                                                        \
  case Prim::name: return #name;
    BZ_JIT_PURE(X) BZ_JIT_ACCESS(X) BZ_JIT_CONTROL(X) BZ_JIT_WHOLE(X)
#undef X
  }
  return "?";
}

std::string text_of(const Lifted& lifted) {
  static constexpr const char* kKinds[] = {"", " u32", " u64", " f32", " f64", " f16", " flag"};
  std::string s;
  for (size_t i = 0; i < lifted.nodes.size(); ++i) {
    const Node& n = lifted.nodes[i];
    s += n.kind == Kind::none ? std::string() : "%" + std::to_string(i) + " = ";
    s += std::string(prim_name(n.prim)) + kKinds[static_cast<size_t>(n.kind)];
    for (int k = 0; k < n.args; ++k) s += " %" + std::to_string(n.arg[static_cast<size_t>(k)]);
    if (n.imm || n.prim == Prim::constant || n.prim == Prim::src) s += " #" + std::to_string(n.imm);
    s += '\n';
  }
  return s;
}

} // namespace bz::jit
