#include "isa/describe.hpp"
#include "isa/builder.hpp"
#include "isa/families.hpp"

#include <type_traits>

namespace bz::isa {
namespace {

thread_local Effects* g_notes = nullptr;
void note_float() { g_notes->float_arithmetic = true; }

enum class K : uint8_t { u32, i32, u64, i64, f32, f64, f16, mask };
constexpr bool float_kind(K k) { return k == K::f32 || k == K::f64 || k == K::f16; }

/// A value about which nothing is known but its type. L: per lane, or uniform.
template <K k, bool L> struct Val {
  static constexpr K kKind = k;
  static constexpr bool kLane = L;
  Val() = default;
  template <class T> requires std::is_arithmetic_v<T> explicit Val(T) {}
};

template <K k, bool L> Val<k, L> combine(Val<k, L>) {
  if constexpr (float_kind(k)) note_float();
  return {};
}
#define BZ_OP(op)                                                                                                      \
  template <K k, bool L> Val<k, L> operator op(Val<k, L> x, Val<k, L>) { return combine(x); }                          \
  template <K k, bool L, class T> requires std::is_arithmetic_v<T> Val<k, L> operator op(Val<k, L> x, T) { return combine(x); } \
  template <K k, bool L, class T> requires std::is_arithmetic_v<T> Val<k, L> operator op(T, Val<k, L> x) { return combine(x); }
BZ_OP(+) BZ_OP(-) BZ_OP(*) BZ_OP(&) BZ_OP(|) BZ_OP(^)
#undef BZ_OP
#define BZ_SHIFT(op)                                                                                                   \
  template <K k, K n, bool L, bool M> Val<k, L> operator op(Val<k, L>, Val<n, M>) { return {}; }                       \
  template <K k, bool L, class T> requires std::is_arithmetic_v<T> Val<k, L> operator op(Val<k, L>, T) { return {}; }
BZ_SHIFT(<<) BZ_SHIFT(>>)
#undef BZ_SHIFT
#define BZ_RELATION(op)                                                                                                \
  template <K k, bool L> Val<K::mask, L> operator op(Val<k, L> x, Val<k, L>) { return combine(x), Val<K::mask, L>{}; } \
  template <K k, bool L, class T> requires std::is_arithmetic_v<T> Val<K::mask, L> operator op(Val<k, L> x, T) {       \
    return combine(x), Val<K::mask, L>{};                                                                              \
  }
BZ_RELATION(==) BZ_RELATION(!=) BZ_RELATION(<) BZ_RELATION(<=) BZ_RELATION(>) BZ_RELATION(>=)
#undef BZ_RELATION
template <K k, bool L> Val<k, L> operator~(Val<k, L>) { return {}; }
template <K k, bool L> Val<k, L> operator-(Val<k, L>) { return {}; }

class Describe {
public:
  using U32 = Val<K::u32, true>; using I32 = Val<K::i32, true>; using U64 = Val<K::u64, true>; using I64 = Val<K::i64, true>;
  using F32 = Val<K::f32, true>; using F64 = Val<K::f64, true>; using F16 = Val<K::f16, true>; using Mask = Val<K::mask, true>;
  using S32 = Val<K::u32, false>; using SI32 = Val<K::i32, false>; using S64 = Val<K::u64, false>;
  using SI64 = Val<K::i64, false>; using SBool = Val<K::mask, false>;

  Describe(Effects& notes, Target target, bool modifiers) : e(notes), target_(target), modifiers_(modifiers) {}

  // Decode-time facts.
  int64_t imm() const { return 0; }
  int64_t imm2() const { return 0; }
  bool zero_count() const { return false; }
  bool clamp() const { return modifiers_; }
  bool op_sel(int) const { return modifiers_; }
  bool op_sel_hi(int) const { return modifiers_; }
  Target target() const { return target_; }
  void not_implemented(const char*) { e.not_implemented = true; }

  // Pure operations, scalar and lane alike.
  template <class C, class T> T select(C, T, T) { return {}; }
#define BZ_CAST(name, kind) template <K k, bool L> Val<K::kind, L> name(Val<k, L>) { return {}; }
  BZ_CAST(as_u32, u32) BZ_CAST(as_i32, i32) BZ_CAST(as_u64, u64) BZ_CAST(as_i64, i64) BZ_CAST(as_f32, f32)
  BZ_CAST(as_f64, f64) BZ_CAST(lo, u32) BZ_CAST(hi, u32) BZ_CAST(zext64, u64) BZ_CAST(sext64, i64)
  BZ_CAST(from_bool, u32) BZ_CAST(from_mask, u32) BZ_CAST(popcount, u32) BZ_CAST(clz, u32) BZ_CAST(ctz, u32)
#undef BZ_CAST
  template <bool L> Val<K::u64, L> make64(Val<K::u32, L>, Val<K::u32, L>) { return {}; }
  template <K k, bool L> Val<k, L> reverse_bits(Val<k, L>) { return {}; }
#define BZ_SAME2(name) template <K k, bool L> Val<k, L> name(Val<k, L> x, Val<k, L>) { return combine(x); }
  BZ_SAME2(min) BZ_SAME2(max) BZ_SAME2(add_sat) BZ_SAME2(sub_sat) BZ_SAME2(mul_hi) BZ_SAME2(mul_legacy)
#undef BZ_SAME2
  template <bool L> Val<K::u64, L> mul_wide(Val<K::u32, L>, Val<K::u32, L>) { return {}; }
  template <bool L> Val<K::i64, L> mul_wide(Val<K::i32, L>, Val<K::i32, L>) { return {}; }
  template <K k> WithMask<Val<k, true>, Mask> add_carry(Val<k, true>, Val<k, true>, Mask = {}) { return {}; }
  template <K k> WithMask<Val<k, true>, Mask> sub_borrow(Val<k, true>, Val<k, true>, Mask = {}) { return {}; }
  template <K k> WithMask<Val<k, true>, Mask> add_overflow(Val<k, true>, Val<k, true>) { return {}; }
  Mask no_lanes() { return {}; }
  U32 perm(U32, U32, U32) { return {}; }
  U32 lane_index() { return {}; }
  U32 mbcnt_lo(U32) { return {}; }
  U32 mbcnt_hi(U32) { return {}; }

  // Float operations.
#define BZ_SAME1(name) template <K k> Val<k, true> name(Val<k, true> x) { return combine(x); }
  BZ_SAME1(canonicalize) BZ_SAME1(quiet) BZ_SAME1(rcp) BZ_SAME1(rsq) BZ_SAME1(sqrt) BZ_SAME1(fract) BZ_SAME1(trunc)
  BZ_SAME1(ceil) BZ_SAME1(rndne) BZ_SAME1(floor) BZ_SAME1(frexp_mant) BZ_SAME1(exp2) BZ_SAME1(log2) BZ_SAME1(sin) BZ_SAME1(cos)
#undef BZ_SAME1
#define BZ_SAME3(name) template <K k> Val<k, true> name(Val<k, true> x, Val<k, true>, Val<k, true>) { return combine(x); }
  BZ_SAME3(fma) BZ_SAME3(med3) BZ_SAME3(div_fixup) BZ_SAME3(mad) BZ_SAME3(mad_legacy) BZ_SAME3(cube_id) BZ_SAME3(cube_sc)
  BZ_SAME3(cube_tc) BZ_SAME3(cube_ma)
#undef BZ_SAME3
  template <K k> Val<k, true> abs(Val<k, true>) { return {}; }
  template <K k> Mask is_nan(Val<k, true>) { return {}; }
  template <K k> Mask unordered(Val<k, true> x, Val<k, true>) { return combine(x), Mask{}; }
  template <K k> Mask is_class(Val<k, true>, U32) { return {}; }
  template <K k> Val<k, true> ldexp(Val<k, true> x, I32) { return combine(x); }
  template <K k> I32 frexp_exp(Val<k, true>) { return {}; }
  template <K k> WithMask<Val<k, true>, Mask> div_scale(Val<k, true> x, Val<k, true>, Val<k, true>) { return combine(x), WithMask<Val<k, true>, Mask>{}; }
  template <K k> Val<k, true> div_fmas(Val<k, true> x, Val<k, true>, Val<k, true>, Mask) { return combine(x); }
  F32 dot2(F32 x, F16, F16, F16, F16) { return combine(x); }
  F64 trig_preop(F64 x, U32) { return combine(x); }
  template <K k> F32 cvt_f32(Val<k, true>) { return note_float(), F32{}; }
  template <K k> F64 cvt_f64(Val<k, true>) { return note_float(), F64{}; }
  template <K k> F16 cvt_f16(Val<k, true>) { return note_float(), F16{}; }
  F16 cvt_f16_rtz(F32) { return note_float(), F16{}; }
  template <K k> U32 cvt_u32(Val<k, true>) { return note_float(), U32{}; }
  template <K k> I32 cvt_i32(Val<k, true>) { return note_float(), I32{}; }
  U32 f16_bits(F16) { return {}; }
  F16 f16_from_bits(U32) { return {}; }
  U32 bf16_bits(F32) { return {}; }
  F32 from_num8(Num, U32) { return {}; }
  U32 to_num8(Num, F32) { return note_float(), U32{}; }
  U32 to_num8_sr(Num, F32, U32) { return note_float(), U32{}; }

  // Scalar sources, results and state.
  S32 s32(int k) { return read(k), S32{}; }
  SI32 si32(int k) { return read(k), SI32{}; }
  S64 s64(int k) { return read(k), S64{}; }
  SI64 si64(int k) { return read(k), SI64{}; }
  template <K k> void sdst(Val<k, false>) { e.writes_dst = true; }
  S32 dst_s32() { return e.reads_dst = true, S32{}; }
  S64 dst_s64() { return e.reads_dst = true, S64{}; }
  SBool scc() { return e.reads_scc = true, SBool{}; }
  void set_scc(SBool) { e.writes_scc = true; }
  S64 exec() { return e.reads_exec = true, S64{}; }
  void set_exec(S64) { e.writes_exec = true; }
  S64 vcc() { return e.reads_vcc = true, S64{}; }
  S32 m0() { return e.reads_m0 = true, S32{}; }
  void set_m0(S32) { e.writes_m0 = true; }
  S32 rel_s32(int k) { return read(k), e.reads_m0 = true, S32{}; }
  S64 rel_s64(int k) { return read(k), e.reads_m0 = true, S64{}; }
  template <K k> void sdst_rel(Val<k, false>) { e.writes_dst = e.reads_m0 = true; }
  void branch() { e.branches = true; }
  void branch_if(SBool) { e.branches = true; }
  void jump(S64) { e.branches = true; }
  S64 pc_next() { return {}; }
  void end_program() { e.ends = true; }
  void barrier() { e.barrier = true; }
  void sleep(int) {}
  void trap(int) { e.traps = true; }
  void halt() {}
  void fork(S64, S64) { e.branches = e.reads_exec = e.writes_exec = e.reads_mode = e.writes_mode = true; }
  void join(S32) { e.branches = e.reads_exec = e.writes_exec = e.reads_mode = e.writes_mode = true; }
  void send_message(int, S32) {}
  void nop(const char*) {}
  void gpr_index_on(S32, int) { e.reads_m0 = e.writes_m0 = e.reads_mode = e.writes_mode = true; }
  void gpr_index_off() { e.reads_mode = e.writes_mode = true; }
  void gpr_index_mode(int) { e.reads_mode = e.writes_mode = e.writes_m0 = true; }
  void gpr_index_idx(S32) { e.reads_m0 = e.writes_m0 = e.reads_mode = e.writes_mode = true; }
  S32 get_reg(int) { return e.reads_mode = true, S32{}; }
  void set_reg(int, S32) { e.reads_mode = e.writes_mode = true; }
  void set_vskip(S32) { e.reads_mode = e.writes_mode = true; }
  S64 clock() { return {}; }
  S64 realtime() { return {}; }
  void s_load(int) { memory(true, false); }
  void s_store(int) { memory(false, true); }
  void s_scratch_load(int) { memory(true, false); }
  void s_scratch_store(int) { memory(false, true); }
  void s_buffer_load(int) { memory(true, false); }
  void s_buffer_store(int) { memory(false, true); }
  void s_atomic(AtomicOp, AtomicType) { memory(true, true); }
  void s_buffer_atomic(AtomicOp, AtomicType) { memory(true, true); }

  // Lane sources.
  U32 u32(int k) { return read(k), U32{}; }
  I32 i32(int k) { return read(k), I32{}; }
  F32 f32(int k) { return read(k), F32{}; }
  U64 u64(int k) { return read(k), U64{}; }
  I64 i64(int k) { return read(k), I64{}; }
  F64 f64(int k) { return read(k), F64{}; }
  F16 f16(int k) { return read(k), F16{}; }
  U32 u16(int k) { return read(k), U32{}; }
  I32 i16(int k) { return read(k), I32{}; }
  F16 f16_pk(int k, int) { return read(k), F16{}; }
  U32 u16_pk(int k, int) { return read(k), U32{}; }
  I32 i16_pk(int k, int) { return read(k), I32{}; }
  F32 f32_pk(int k, int) { return read(k), F32{}; }
  U32 u32_pk(int k, int) { return read(k), U32{}; }
  U32 wide_u32(int k, int) { return read(k), U32{}; }
  F32 f32_mix(int k) { return read(k), F32{}; }
  U32 dst_u32(int) { return e.reads_dst = true, U32{}; }
  F32 dst_f32() { return e.reads_dst = true, F32{}; }
  F64 dst_f64() { return e.reads_dst = true, F64{}; }
  F16 dst_f16() { return e.reads_dst = true, F16{}; }
  F16 dst_f16_pk(int) { return e.reads_dst = true, F16{}; }
  Mask lanes_in() { return e.reads_mask = true, Mask{}; }
  void lanes_out(Mask) { e.writes_mask = true; }
  void lanes_out_exec(Mask) { e.writes_mask = e.writes_exec = true; }
  template <class... A> void vdst(A...) { e.writes_dst = true; }
  void vdst16(U32) { e.writes_dst = true; }
  template <class T> void vdst_sel(T) { e.writes_dst = true; }
  template <class T> void vdst_keep(T) { e.writes_dst = true; }
  template <class T> void vdst_pk(int, T) { e.writes_dst = true; }
  template <class T> void vdst_half(int, T) { e.writes_dst = e.reads_dst = true; }
  void clear_exceptions() {}
  void write_src(int, U32) { e.writes_dst = true; }

  // Whole wave.
  S32 read_lane(int k, S32) { return read(k), e.other_lanes = true, S32{}; }
  S32 first_active() { return e.reads_exec = e.other_lanes = true, S32{}; }
  void write_lane(S32, S32) { e.writes_dst = e.reads_dst = e.other_lanes = true; }
  void ds_bpermute() { operands(), e.other_lanes = true; }
  void ds_permute() { operands(), e.other_lanes = true; }
  void ds_swizzle() { operands(), e.other_lanes = true; }
  template <AtomicOp> void ds_append() { memory(true, true), e.reads_m0 = e.other_lanes = true; }
  template <Tile, Num, Num, Num> void mfma() { operands(), e.other_lanes = e.float_arithmetic = true; }
  template <Tile, Num, Num, Num> void smfmac() { operands(), e.other_lanes = e.float_arithmetic = e.reads_dst = true; }
  template <Space, Elem, int> void load() { memory(true, false); }
  template <Space, Elem, int> void store() { memory(false, true); }
  template <Space, AtomicOp, AtomicType, Return> void atomic() { memory(true, true); }
  template <Space, Elem> void load_to_lds() { memory(true, true), e.reads_m0 = true; }
  void ds_read2(int, int) { memory(true, false); }
  void ds_write2(int, int) { memory(false, true); }
  void ds_wrxchg2(int, int) { memory(true, true); }
  void ds_addtid_read() { memory(true, false), e.reads_m0 = true; }
  void ds_addtid_write() { memory(false, true), e.reads_m0 = true; }
  template <AtomicOp, AtomicType> void ds_src2() { memory(true, true); }
  void ds_condxchg() { memory(true, true); }
  void gws(Gws) { operands(), e.reads_m0 = true; }
  void load_format(int, Narrow, TexelFrom) { memory(true, false); }
  void store_format(int, Narrow, TexelFrom) { memory(false, true); }
  void store_lds() { memory(true, true), e.reads_m0 = true; }
  void image(ImageOp op) {
    using Kind = ImageOp::Kind;
    memory(op.kind != Kind::store && op.kind != Kind::resource_info && op.kind != Kind::query_lod, op.kind == Kind::store || op.kind == Kind::atomic);
    e.other_lanes |= op.kind >= Kind::sample && (op.lod == ImageOp::Lod::implicit || op.lod == ImageOp::Lod::bias);
  }

private:
  void read(int k) { e.sources |= 1u << k; }
  void operands() { e.all_operands = e.writes_dst = true; }
  void memory(bool load, bool store) { operands(), e.loads |= load, e.stores |= store; }

  Effects& e;
  Target target_;
  bool modifiers_;
};

static_assert(ScalarBuilder<Describe> && LaneBuilder<Describe> && WaveBuilder<Describe>);

const Row<Describe>& row_of(RowId id) {
  const Row<Describe>* rows[] = {
#define X(name, array, cls) array<Describe>,
      BZ_ISA_FAMILIES(X)
#undef X
  };
  size_t f = kFamilyCount - 1;
  while (id < kFamilies[f].base) --f;
  return rows[f][id - kFamilies[f].base];
}

} // namespace

Effects describe(RowId id, Target target) {
  Effects notes;
  auto sem = row_of(id).sem;
  if (!sem) return notes;
  notes.has_semantics = true;
  g_notes = &notes;
  for (bool modifiers : {false, true}) {
    Describe d(notes, target, modifiers);
    sem(d);
  }
  g_notes = nullptr;
  return notes;
}

} // namespace bz::isa
