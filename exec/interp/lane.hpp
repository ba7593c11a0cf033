// The lane builder: what `sem` of a VALU row sees for one chunk of lanes. Owns operand access (constants, modifiers, omod,
// clamp) and the EXEC merge; must not know rows.
#pragma once
#include "exec/interp/math.hpp"
#include "exec/interp/num8.hpp"
#include "exec/wave.hpp"
#include "isa/builder.hpp"

namespace bz::exec::BZ_LEVEL_NS {

/// Handler variants of a lane row.
enum Gen : int {
  kRows,      ///< all sources are rows (registers, constants kept as rows), no modifiers
  kScalar0,   ///< source 0 is uniform, no modifiers
  kGeneral,   ///< anything
};

/// Integer operations of the builder, without operands.
struct LaneOps {
  using U32 = BZ_LEVEL_NS::U32;
  using I32 = BZ_LEVEL_NS::I32;
  using U64 = BZ_LEVEL_NS::U64;
  using I64 = BZ_LEVEL_NS::I64;
  using F32 = BZ_LEVEL_NS::F32;
  using F64 = BZ_LEVEL_NS::F64;
  using F16 = BZ_LEVEL_NS::F16;
  using Mask = BZ_LEVEL_NS::Mask;
  template <class V> using Masked = isa::WithMask<V, Mask>;

  template <class V> BZ_AI static V select(Mask m, V a, V b) { return vselect(m, a, b); }
  BZ_AI static U32 as_u32(U32 x) { return x; }
  BZ_AI static U32 as_u32(I32 x) { return U32(__builtin_bit_cast(VU, x.v)); }
  BZ_AI static U32 as_u32(F32 x) { return bits_of(x); }
  BZ_AI static I32 as_i32(U32 x) { return I32(__builtin_bit_cast(VI, x.v)); }
  BZ_AI static I32 as_i32(F32 x) { return I32(__builtin_bit_cast(VI, x.v)); }
  BZ_AI static F32 as_f32(U32 x) { return float_of(x); }
  BZ_AI static F32 as_f32(I32 x) { return float_of(as_u32(x)); }
  BZ_AI static U64 as_u64(I64 x) { return {x.lo, x.hi}; }
  BZ_AI static U64 as_u64(F64 x) { return bits_of(x); }
  BZ_AI static I64 as_i64(U64 x) { return {x.lo, x.hi}; }
  BZ_AI static F64 as_f64(U64 x) { return float_of(x); }
  template <bool S> BZ_AI static U32 lo(Wide<S> x) { return U32(x.lo); }
  template <bool S> BZ_AI static U32 hi(Wide<S> x) { return U32(x.hi); }
  BZ_AI static U64 make64(U32 l, U32 h) { return {l.v, h.v}; }
  BZ_AI static U64 zext64(U32 x) { return {x.v, VU(0u)}; }
  BZ_AI static I64 sext64(I32 x) { return {__builtin_bit_cast(VU, x.v), __builtin_bit_cast(VU, x.v >> 31)}; }
  BZ_AI static U32 from_mask(Mask m) { return U32(__builtin_bit_cast(VU, m.v) & 1u); }
  BZ_AI static Mask no_lanes() { return {VI(0)}; }

  BZ_AI static U32 min(U32 a, U32 b) { return U32(__builtin_elementwise_min(a.v, b.v)); }
  BZ_AI static U32 max(U32 a, U32 b) { return U32(__builtin_elementwise_max(a.v, b.v)); }
  BZ_AI static I32 min(I32 a, I32 b) { return I32(__builtin_elementwise_min(a.v, b.v)); }
  BZ_AI static I32 max(I32 a, I32 b) { return I32(__builtin_elementwise_max(a.v, b.v)); }
  template <bool S> BZ_AI static Wide<S> min(Wide<S> a, Wide<S> b) { return vselect(a < b, a, b); }
  template <bool S> BZ_AI static Wide<S> max(Wide<S> a, Wide<S> b) { return vselect(a < b, b, a); }
  BZ_AI static U32 add_sat(U32 a, U32 b) { return U32(__builtin_elementwise_add_sat(a.v, b.v)); }
  BZ_AI static I32 add_sat(I32 a, I32 b) { return I32(__builtin_elementwise_add_sat(a.v, b.v)); }
  BZ_AI static U32 sub_sat(U32 a, U32 b) { return U32(__builtin_elementwise_sub_sat(a.v, b.v)); }
  BZ_AI static I32 sub_sat(I32 a, I32 b) { return I32(__builtin_elementwise_sub_sat(a.v, b.v)); }
  BZ_AI static Masked<U32> add_carry(U32 a, U32 b, Mask c) {
    U32 s = a + b, r = s - as_u32(I32(c.v));
    return {r, (s < a) | (r < s)};
  }
  BZ_AI static Masked<U32> sub_borrow(U32 a, U32 b, Mask c) {
    U32 s = a - b, r = s + as_u32(I32(c.v));
    return {r, (a < b) | (r > s)};
  }
  BZ_AI static Masked<U64> add_carry(U64 a, U64 b) { U64 r = a + b; return {r, r < a}; }
  BZ_AI static Masked<I64> add_overflow(I64 a, I64 b) {
    I64 r = a + b;
    return {r, ((a ^ r) & (b ^ r)) < I64(0)};
  }
  BZ_AI static U64 mul_wide(U32 a, U32 b) {
    VL p = __builtin_convertvector(a.v, VL) * __builtin_convertvector(b.v, VL);
    return {__builtin_convertvector(p, VU), __builtin_convertvector(p >> 32, VU)};
  }
  BZ_AI static I64 mul_wide(I32 a, I32 b) {
    VSL p = __builtin_convertvector(a.v, VSL) * __builtin_convertvector(b.v, VSL);
    return {__builtin_convertvector(p, VU), __builtin_convertvector(p >> 32, VU)};
  }
  BZ_AI static U32 mul_hi(U32 a, U32 b) { return U32(mul_wide(a, b).hi); }
  BZ_AI static I32 mul_hi(I32 a, I32 b) { return as_i32(U32(mul_wide(a, b).hi)); }
  BZ_AI static U32 popcount(U32 x) { return U32(__builtin_elementwise_popcount(x.v)); }
  BZ_AI static U32 clz(U32 x) { return U32(__builtin_elementwise_clzg(x.v, VU(32u))); }
  BZ_AI static U32 ctz(U32 x) { return U32(__builtin_elementwise_ctzg(x.v, VU(32u))); }
  BZ_AI static U32 reverse_bits(U32 x) { return U32(__builtin_elementwise_bitreverse(x.v)); }
  BZ_AI static U32 perm(U32 s0, U32 s1, U32 sel) {
    U32 r(0u);
    for (unsigned i = 0; i < 4; ++i) {
      VU s = (sel.v >> (8 * i)) & 255u;
      VU shift = (s & 3u) * 8u;
      VU byte = blend((s & 4u) != 0u, s0.v >> shift, s1.v >> shift) & 255u;
      // 8..11: the sign of bytes 1, 3, 5, 7.
      VU odd = blend((s & 2u) != 0u, s0.v, s1.v);
      VU sign = __builtin_bit_cast(VU, __builtin_bit_cast(VI, odd << blend((s & 1u) != 0u, VU(0u), VU(16u))) >> 31) & 255u;
      byte = blend(s >= 8u, sign, byte);
      byte = blend(s == 12u, VU(0u), byte);
      byte = blend(s > 12u, VU(255u), byte);
      r = r | U32(byte << (8 * i));
    }
    return r;
  }

  // Floats.
  BZ_AI static F32 fma(F32 a, F32 b, F32 c) { return vfma(a, b, c); }
  BZ_AI static F64 fma(F64 a, F64 b, F64 c) { return vfma(a, b, c); }
  BZ_AI static F16 fma(F16 a, F16 b, F16 c) { return half_fma(a, b, c); }
  template <class F> BZ_AI static F canonicalize(F x) { return canonical(x); }
  template <class F> BZ_AI static F quiet(F x) { return quieted(x); }
  template <class F> BZ_AI static F abs(F x) { return fabs(x); }
  template <class F> BZ_AI static Mask is_nan(F x) { return BZ_LEVEL_NS::is_nan(x); }
  template <class F> BZ_AI static Mask unordered(F x, F y) { return BZ_LEVEL_NS::is_nan(x) | BZ_LEVEL_NS::is_nan(y); }
  template <class F> BZ_AI static Mask is_class(F x, U32 m) { return vclass(x, m); }
  // Single precision flushes denormals here, in and out, whatever MODE says ("denormals are flushed").
  BZ_AI static F32 rcp(F32 x) { return flushed(vdiv(F32(1.0f), flushed(x))); }
  BZ_AI static F64 rcp(F64 x) { return vdiv(F64(1.0), x); }
  BZ_AI static F16 rcp(F16 x) { return to_f16(vdiv(F32(1.0f), to_f32(x)), x); }
  BZ_AI static F32 rsq(F32 x) { return vrsq(flushed(x)); }
  BZ_AI static F64 rsq(F64 x) { return vdiv(F64(1.0), vsqrt(x)); }
  BZ_AI static F16 rsq(F16 x) { return to_f16(vdiv(F32(1.0f), vsqrt(to_f32(x))), x); }
  BZ_AI static F32 sqrt(F32 x) { return vsqrt(flushed(x)); }
  BZ_AI static F64 sqrt(F64 x) { return vsqrt(x); }
  BZ_AI static F16 sqrt(F16 x) { return to_f16(vsqrt(to_f32(x)), x); }
  BZ_AI static F32 fract(F32 x) { return vfract(x); }
  BZ_AI static F64 fract(F64 x) { return vfract(x); }
  BZ_AI static F16 fract(F16 x) {
    F32 f = to_f32(x), r = f - vfloor(f), below(0.99951171875f);
    return to_f16(vselect(r > below, below, r), x);
  }
  BZ_AI static F32 trunc(F32 x) { return vtrunc(x); }
  BZ_AI static F64 trunc(F64 x) { return vtrunc(x); }
  BZ_AI static F16 trunc(F16 x) { return to_f16(vtrunc(to_f32(x)), x); }
  BZ_AI static F32 ceil(F32 x) { return vceil(x); }
  BZ_AI static F64 ceil(F64 x) { return vceil(x); }
  BZ_AI static F16 ceil(F16 x) { return to_f16(vceil(to_f32(x)), x); }
  BZ_AI static F32 rndne(F32 x) { return vrndne(x); }
  BZ_AI static F64 rndne(F64 x) { return vrndne(x); }
  BZ_AI static F16 rndne(F16 x) { return to_f16(vrndne(to_f32(x)), x); }
  BZ_AI static F32 floor(F32 x) { return vfloor(x); }
  BZ_AI static F64 floor(F64 x) { return vfloor(x); }
  BZ_AI static F16 floor(F16 x) { return to_f16(vfloor(to_f32(x)), x); }
  template <class F> BZ_AI static F ldexp(F x, I32 n) { return vldexp(x, n); }
  template <class F> BZ_AI static F frexp_mant(F x) { return vfrexp_mant(x); }
  template <class F> BZ_AI static I32 frexp_exp(F x) { return vfrexp_exp(x); }
  BZ_AI static F32 div_fixup(F32 q, F32 d, F32 n) { return vdiv_fixup(canonical(q), d, n); }
  BZ_AI static F64 div_fixup(F64 q, F64 d, F64 n) { return vdiv_fixup(canonical(q), d, n); }
  BZ_AI static F16 div_fixup(F16 q, F16 d, F16 n) {
    // The special values are those of single precision; an ordinary quotient passes.
    F32 r = vdiv_fixup(to_f32(q), to_f32(d), to_f32(n));
    return to_f16(r, q);
  }
  template <class F> BZ_AI static Masked<F> div_scale(F a, F b, F c) {
    auto r = vdiv_scale(a, b, c);
    return {r.value, r.mask};
  }
  template <class F> BZ_AI static F div_fmas(F a, F b, F c, Mask m) { return vdiv_fmas(a, b, c, m); }
  BZ_AI static F64 trig_preop(F64 x, U32 segment) { return vtrig_preop(x, segment); }

  BZ_AI static F32 flushed(F32 x) {
    VU b = bits_of(x).v;
    return float_of(U32(blend((b & 0x7f800000u) == 0u, b & 0x80000000u, b)));
  }
  BZ_AI static F32 mad(F32 a, F32 b, F32 c) { return flushed(flushed(flushed(a) * flushed(b)) + flushed(c)); }
  BZ_AI static F16 mad(F16 a, F16 b, F16 c) {
    a.flush_in = b.flush_in = c.flush_in = a.flush_out = b.flush_out = c.flush_out = true;
    return a * b + c;
  }
  BZ_AI static F32 mul_legacy(F32 a, F32 b) { return vselect((a == F32(0.0f)) | (b == F32(0.0f)), F32(0.0f), a * b); }
  BZ_AI static F32 mad_legacy(F32 a, F32 b, F32 c) {
    F32 p = mul_legacy(flushed(a), flushed(b));
    return flushed(flushed(p) + flushed(c));
  }
  BZ_AI static F32 exp2(F32 x) { return flushed(vexp2(x)); }
  BZ_AI static F32 log2(F32 x) { return vlog2(flushed(x)); }
  BZ_AI static F32 sin(F32 x) { return vsin_cos<false>(x); }
  BZ_AI static F32 cos(F32 x) { return vsin_cos<true>(x); }
  BZ_AI static F16 exp2(F16 x) {
    F32 f = to_f32(x), most(100.0f);   // too large for a half, but not for a single
    return to_f16(vexp2(vselect((f > most) & (f < F32(__builtin_inff())), most, f)), x);
  }
  BZ_AI static F16 log2(F16 x) { return to_f16(vlog2(to_f32(x)), x); }
  BZ_AI static F16 sin(F16 x) { return to_f16(vsin_cos<false>(to_f32(x)), x); }
  BZ_AI static F16 cos(F16 x) { return to_f16(vsin_cos<true>(to_f32(x)), x); }

  // Cube maps: the major axis is the largest magnitude, z before y before x.
  struct Cube { Mask z, y; };
  BZ_AI static Cube cube_axis(F32 x, F32 y, F32 z) {
    F32 ax = fabs(x), ay = fabs(y), az = fabs(z);
    Mask mz = (az >= ax) & (az >= ay);
    return {mz, ~mz & (ay >= ax)};
  }
  BZ_AI static F32 cube_id(F32 x, F32 y, F32 z) {
    Cube c = cube_axis(x, y, z);
    auto pick = [](F32 v, float pos, float neg) { return vselect(v < F32(0.0f), F32(neg), F32(pos)); };
    return vselect(c.z, pick(z, 4, 5), vselect(c.y, pick(y, 2, 3), pick(x, 0, 1)));
  }
  BZ_AI static F32 cube_ma(F32 x, F32 y, F32 z) {
    Cube c = cube_axis(x, y, z);
    return vselect(c.z, z, vselect(c.y, y, x)) * F32(2.0f);
  }
  BZ_AI static F32 cube_sc(F32 x, F32 y, F32 z) {
    Cube c = cube_axis(x, y, z);
    F32 zero(0.0f);
    return canonical(vselect(c.z, vselect(z < zero, -x, x), vselect(c.y, x, vselect(x < zero, z, -z))));
  }
  BZ_AI static F32 cube_tc(F32 x, F32 y, F32 z) {
    Cube c = cube_axis(x, y, z);
    F32 zero(0.0f);
    return canonical(vselect(c.z, -y, vselect(c.y, vselect(y < zero, -z, z), -y)));
  }

  // Conversions.
  // Without a host instruction a difference is involved, which is -0 when rounding down.
  BZ_AI static F32 cvt_f32(U32 x) { return fabs(opaque(F32(__builtin_convertvector(x.v, VF)))); }
  BZ_AI static F32 cvt_f32(I32 x) { return F32(__builtin_convertvector(x.v, VF)); }
  BZ_AI static F32 cvt_f32(F16 x) { return to_f32(x); }
  BZ_AI static F64 cvt_f64(U32 x) { return fabs(opaque(F64(__builtin_convertvector(x.v, VD)))); }
  BZ_AI static F64 cvt_f64(I32 x) { return F64(__builtin_convertvector(x.v, VD)); }
  BZ_AI static F64 cvt_f64(F32 x) { return F64(__builtin_convertvector(x.v, VD)); }
  BZ_AI static U32 cvt_u32(F32 x) { return to_u32(x); }
  BZ_AI static U32 cvt_u32(F64 x) { return to_u32(x); }
  BZ_AI static U32 cvt_u32(F16 x) { return to_u32(to_f32(x)); }
  BZ_AI static I32 cvt_i32(F32 x) { return to_i32(x); }
  BZ_AI static I32 cvt_i32(F64 x) { return to_i32(x); }
  BZ_AI static I32 cvt_i32(F16 x) { return to_i32(to_f32(x)); }
  BZ_AI static U32 f16_bits(F16 h) { return U32(h.b & 0xffffu); }
  BZ_AI static U32 bf16_bits(F32 x) {
    VU b = bits_of(x).v;
    VU rounded = (b + 0x7fffu + ((b >> 16) & 1u)) >> 16;
    return U32(blend(BZ_LEVEL_NS::is_nan(x).v, (b >> 16) | 0x40u, rounded));
  }
};

/// `o` and `w` as in a handler; q is the chunk.
template <bool Full, int G> struct LaneB : LaneOps {
  const Op* o;
  char* w;
  int q = 0;
  Bits em = static_cast<Bits>(~0u);
  Bits acc = 0;
  bool wrote_mask = false, wrote_exec = false, halted = false;
  bool no_shift;      // copied, as the following: stores to registers might alias *o
  uint32_t mask_at;
  uint32_t d, s[6];
  uint32_t m = 0;     // Op::mods
  VU sv[6];
  VI is_scalar[6];
  VU pending = VU(0u);

  BZ_AI LaneB(const Op* op, char* wave) : o(op), w(wave), no_shift(op->mods & mods::kZeroCount), mask_at(op->sm), d(op->d) {
    for (int i = 0; i < 6; ++i) s[i] = op->s[i];
    if constexpr (G == kScalar0) {
      const char* lit = reinterpret_cast<const char*>(&op->lit);
      bool l = op->mods & mods::literal(0);
      sv[0] = VU(*reinterpret_cast<const uint32_t*>(l ? lit : w + s[0]));
      sv[3] = VU(*reinterpret_cast<const uint32_t*>(l ? lit + 4 : w + s[3]));
    }
    if constexpr (G == kGeneral) {
      m = op->mods;
      const char* lit = reinterpret_cast<const char*>(&op->lit);
      for (int i = 0; i < 6; ++i) {
        int k = i % 3;
        bool sc = m & mods::scalar(k);
        const char* p = m & mods::literal(k) ? lit + (i >= 3 ? 4 : 0) : w + s[i];
        sv[i] = VU(*reinterpret_cast<const uint32_t*>(p));
        is_scalar[i] = VI(sc ? -1 : 0);
        // A masked-off vector load at a scalar's address costs an assist; read some valid row instead.
        s[i] = sc ? layout::kVgpr : s[i];
      }
    }
  }

  BZ_AI Wave* wave() const { return reinterpret_cast<Wave*>(w); }
  BZ_AI uint32_t mode() const { return wave()->mode; }
  BZ_AI VU load_row(uint32_t off) const { return *reinterpret_cast<const VRow*>(w + off + q * 4 * kLanes); }
  BZ_AI VU ld(int k) const {
    if (G == kScalar0 && (k == 0 || k == 3)) return sv[k];
    VU x = load_row(s[k]);
    if constexpr (G == kGeneral) return blend(is_scalar[k], sv[k], x);
    return x;
  }

  // Decode-time facts.
  BZ_AI int64_t imm() const { return o->imm; }
  BZ_AI int64_t imm2() const { return o->aux; }
  BZ_AI bool clamp() const { return G == kGeneral && (m & mods::kClamp); }
  BZ_AI bool op_sel(int k) const { return G == kGeneral && (m >> (mods::kOpSelShift + k) & 1); }
  BZ_AI bool op_sel_hi(int k) const { return G == kGeneral ? (m >> (mods::kOpSelHiShift + k) & 1) : true; }
  BZ_AI bool zero_count() const { return no_shift; }
  BZ_AI isa::Target target() const { return wave()->group->target; }
  BZ_AI void not_implemented(const char* why) { halted = true; wave()->group->halt_text = why; }
  BZ_AI bool neg(int k) const { return G == kGeneral && (m & mods::neg(k)); }
  BZ_AI bool has_abs(int k) const { return G == kGeneral && (m & mods::abs(k)); }

  // Readers.
  BZ_AI U32 u32(int k) const { return U32(ld(k)); }
  BZ_AI I32 i32(int k) const { return as_i32(u32(k)); }
  BZ_AI VU signed_bits(VU x, int k) const {
    if constexpr (G == kGeneral) {
      x &= VU(~(static_cast<uint32_t>(has_abs(k)) << 31));
      x ^= VU(static_cast<uint32_t>(neg(k)) << 31);
    }
    return x;
  }
  BZ_AI F32 f32(int k) const { return float_of(U32(signed_bits(ld(k), k))); }
  BZ_AI U64 u64(int k) const { return {ld(k), ld(k + 3)}; }
  BZ_AI I64 i64(int k) const { return {ld(k), ld(k + 3)}; }
  BZ_AI F64 f64(int k) const { return float_of(U64(ld(k), signed_bits(ld(k + 3), k))); }
  BZ_AI VU half_bits(int k, bool high) const { return (ld(k) >> (high ? 16u : 0u)) & 0xffffu; }
  BZ_AI F16 half(VU b) const {
    uint32_t md = mode();
    return {b, !(md >> mode::kDenorm64Shift & 1), !(md >> mode::kDenorm64Shift & 2), (md & mode::kFp16Ovfl) != 0};
  }
  BZ_AI F16 f16(int k) const {
    VU b = half_bits(k, op_sel(k));
    if (has_abs(k)) b &= 0x7fffu;
    if (neg(k)) b ^= 0x8000u;
    return half(b);
  }
  BZ_AI U32 u16(int k) const { return U32(half_bits(k, op_sel(k))); }
  BZ_AI I32 i16(int k) const { return I32(__builtin_bit_cast(VI, half_bits(k, op_sel(k)) << 16) >> 16); }
  BZ_AI bool pk_high(int k, int n) const { return n ? op_sel_hi(k) : op_sel(k); }
  BZ_AI F16 f16_pk(int k, int n) const {
    VU b = half_bits(k, pk_high(k, n));
    if (n ? has_abs(k) : neg(k)) b ^= 0x8000u;   // neg_hi shares the bits of abs
    return half(b);
  }
  BZ_AI U32 u16_pk(int k, int n) const { return U32(half_bits(k, pk_high(k, n))); }
  BZ_AI I32 i16_pk(int k, int n) const { return I32(__builtin_bit_cast(VI, half_bits(k, pk_high(k, n)) << 16) >> 16); }
  // The decoder has put the chosen dwords of a pair into s[k] and s[k + 3].
  BZ_AI U32 u32_pk(int k, int n) const { return U32(ld(n ? k + 3 : k)); }
  BZ_AI F32 f32_pk(int k, int n) const {
    VU x = ld(n ? k + 3 : k);
    if constexpr (G == kGeneral) x ^= VU(static_cast<uint32_t>(n ? has_abs(k) : neg(k)) << 31);
    return float_of(U32(x));
  }
  BZ_AI F32 f32_mix(int k) const {
    VU x = G == kGeneral && op_sel_hi(k) ? bits_of(to_f32(half(half_bits(k, op_sel(k))))).v : ld(k);
    return float_of(U32(signed_bits(x, k)));
  }
  /// Sources of more than two registers are VGPRs.
  BZ_AI U32 wide_u32(int k, int n) const { return U32(load_row(s[k] + layout::kRow * static_cast<uint32_t>(n))); }
  BZ_AI U32 dst_u32(int n) const { return U32(load_row(d + layout::kRow * n)); }
  BZ_AI F32 dst_f32() const { return float_of(dst_u32(0)); }
  BZ_AI F64 dst_f64() const { return float_of(U64(dst_u32(0).v, dst_u32(1).v)); }
  BZ_AI F16 dst_f16() const { return half(dst_u32(0).v & 0xffffu); }
  BZ_AI F16 dst_f16_pk(int n) const { return half((dst_u32(0).v >> (n ? 16u : 0u)) & 0xffffu); }

  // Masks.
  BZ_AI Mask lanes_in() const {
    Bits x;
    __builtin_memcpy(&x, w + mask_at + q * (kLanes / 8), sizeof x);
    return mask_of(x);
  }
  BZ_AI void lanes_out(Mask x) { acc = static_cast<Bits>(x.bits() & (Full ? static_cast<Bits>(~0u) : em)); wrote_mask = true; }
  BZ_AI void lanes_out_exec(Mask x) { lanes_out(x); wrote_exec = true; }

  // Writers.
  BZ_AI void put(uint32_t off, VU x) {
    auto* p = reinterpret_cast<VRow*>(w + off + q * 4 * kLanes);
    if constexpr (Full) *p = x;
    else *p = blend(mask_of(em).v, x, VU(*p));
  }
  BZ_AI void vdst(int n, U32 x) { put(d + layout::kRow * n, x.v); }
  BZ_AI void vdst(int n, I32 x) { vdst(n, as_u32(x)); }
  BZ_AI void vdst(int n, F32 x) { vdst(n, as_u32(finish(x))); }
  BZ_AI void vdst(U32 x) { vdst(0, x); }
  BZ_AI void vdst(I32 x) { vdst(0, x); }
  BZ_AI void vdst(F32 x) { vdst(0, x); }
  BZ_AI void vdst(U64 x) { put(d, x.lo); put(d + layout::kRow, x.hi); }
  BZ_AI void vdst(I64 x) { vdst(as_u64(x)); }
  BZ_AI void vdst(F64 x) { vdst(as_u64(finish(x))); }
  BZ_AI void vdst(F16 x) { put(d, finish(x).b & 0xffffu); }
  BZ_AI void vdst16(U32 x) { put(d, x.v & 0xffffu); }
  BZ_AI void vdst16(I32 x) { vdst16(as_u32(x)); }
  BZ_AI void vdst_half(int n, U32 x) {
    VU old = load_row(d);
    put(d, n ? (old & 0xffffu) | (x.v << 16) : (old & 0xffff0000u) | (x.v & 0xffffu));
  }
  BZ_AI void vdst_half(int n, I32 x) { vdst_half(n, as_u32(x)); }
  BZ_AI void vdst_half(int n, F16 x) { vdst_half(n, U32(finish(x).b)); }
  BZ_AI void vdst_sel(U32 x) {
    if (op_sel(3)) vdst_half(1, x);
    else vdst16(x);
  }
  BZ_AI void vdst_sel(I32 x) { vdst_sel(as_u32(x)); }
  BZ_AI void vdst_sel(F16 x) { vdst_sel(U32(finish(x).b)); }
  template <class T> BZ_AI void vdst_keep(T x) { vdst_half(op_sel(3), x); }
  BZ_AI void vdst_pk(int n, U32 x) {
    if (n == 0) pending = x.v & 0xffffu;
    else put(d, pending | (x.v << 16));
  }
  BZ_AI void vdst_pk(int n, I32 x) { vdst_pk(n, as_u32(x)); }
  BZ_AI void vdst_pk(int n, F16 x) { vdst_pk(n, U32(finish(x).b)); }
  BZ_AI void clear_exceptions() { wave()->trapsts &= ~0x1ffu; }
  BZ_AI void write_src(int k, U32 x) { put(s[k], x.v); }

  template <class F> BZ_AI F times(F x, float factor) const {
    if constexpr (std::is_same_v<F, F16>) return round_to_f16(to_f32(x) * F32(factor));
    else return x * F(factor);
  }
  /// omod is ignored while output denormals are on or in IEEE mode; clamp is to [0, 1].
  template <class F> BZ_AI F finish(F x) const {
    constexpr int kDenorm = std::is_same_v<F, F32> ? mode::kDenorm32Shift : mode::kDenorm64Shift;
    if (G != kGeneral || __builtin_expect(!(m & (mods::kClamp | 3u << mods::kOmodShift)), 1)) return x;   // one test in the usual case
    if (int om = m >> mods::kOmodShift & 3; om && !(mode() & mode::kIeee) && !(mode() >> kDenorm & 2))
      x = without_minus_zero(times(x, om == 1 ? 2.0f : om == 2 ? 4.0f : 0.5f));
    if (m & mods::kClamp) x = clamp01(x);
    return x;
  }
  BZ_AI static F32 without_minus_zero(F32 x) { return vselect(x == F32(0.0f), F32(0.0f), x); }
  BZ_AI static F64 without_minus_zero(F64 x) { return vselect(x == F64(0.0), F64(0.0), x); }
  BZ_AI static F16 without_minus_zero(F16 x) { return {blend(x.b == 0x8000u, VU(0u), x.b), x.flush_in, x.flush_out, x.saturate}; }
  // On bits: a denormal result is above 0 even where MODE takes denormal sources for 0.
  BZ_AI static F32 between_0_and_1(F32 x) {
    VI b = __builtin_bit_cast(VI, x.v), zero = VI(0), one = VI(0x3f800000);
    return float_of(as_u32(I32(blend(b < zero, zero, blend(b > one, one, b)))));
  }
  BZ_AI static F64 between_0_and_1(F64 x) {
    U64 b = bits_of(x);
    VI hi = __builtin_bit_cast(VI, b.hi), below = hi < 0, above = hi >= 0x3ff00000;
    return float_of(U64(blend(below | above, VU(0u), b.lo), blend(below, VU(0u), blend(above, VU(0x3ff00000u), b.hi))));
  }
  template <class F> BZ_AI F clamp01(F x) const {
    return vselect(BZ_LEVEL_NS::is_nan(x), mode() & mode::kDx10Clamp ? F(0.0f) : x, between_0_and_1(x));
  }
  BZ_AI F16 clamp01(F16 x) const {
    VU b = blend((x.b & 0x8000u) != 0u, VU(0u), x.b);
    b = blend(b > 0x3c00u, VU(0x3c00u), b);
    return {blend(BZ_LEVEL_NS::is_nan(x).v, mode() & mode::kDx10Clamp ? VU(0u) : x.b, b), x.flush_in, x.flush_out, x.saturate};
  }

  // MODE-dependent primitives.
  BZ_AI bool ieee() const { return mode() & mode::kIeee; }
  BZ_AI F32 flush_by_mode(F32 x) const {
    if (__builtin_expect((mode() >> mode::kDenorm32Shift & 3) != 3, 0)) x = canonical(x);
    return x;
  }
  BZ_AI F64 flush_by_mode(F64 x) const {
    if (__builtin_expect((mode() >> mode::kDenorm64Shift & 3) != 3, 0)) x = canonical(x);
    return x;
  }
  BZ_AI F16 flush_by_mode(F16 x) const { return x.flush_in || x.flush_out ? F16{flush_half(x.b), x.flush_in, x.flush_out, x.saturate} : x; }
  using LaneOps::max;
  using LaneOps::min;
  BZ_AI F32 min(F32 x, F32 y) const { return flush_by_mode(min_max<false>(x, y, ieee())); }
  BZ_AI F32 max(F32 x, F32 y) const { return flush_by_mode(min_max<true>(x, y, ieee())); }
  BZ_AI F64 min(F64 x, F64 y) const { return flush_by_mode(min_max<false>(x, y, ieee())); }
  BZ_AI F64 max(F64 x, F64 y) const { return flush_by_mode(min_max<true>(x, y, ieee())); }
  BZ_AI F16 min(F16 x, F16 y) const { return flush_by_mode(min_max<false>(x, y, ieee())); }
  BZ_AI F16 max(F16 x, F16 y) const { return flush_by_mode(min_max<true>(x, y, ieee())); }
  template <class F> BZ_AI F med3(F x, F y, F z) const {
    // The manual's way: the larger of those that are not the largest. It tells which zero comes out.
    auto larger = [this](F a, F b) { return min_max<true>(a, b, ieee()); };
    F least = min(min(x, y), z), most = larger(larger(x, y), z);
    F r = vselect(most == x, larger(y, z), vselect(most == y, larger(x, z), larger(x, y)));
    return vselect(BZ_LEVEL_NS::is_nan(x) | BZ_LEVEL_NS::is_nan(y) | BZ_LEVEL_NS::is_nan(z), least, flush_by_mode(r));
  }
  BZ_AI U32 med3(U32 x, U32 y, U32 z) const { return max(min(x, y), min(max(x, y), z)); }
  BZ_AI I32 med3(I32 x, I32 y, I32 z) const { return max(min(x, y), min(max(x, y), z)); }

  /// Products of halves are exact in single precision. MI200's unit takes all denormals for zeros, the ones before it those
  /// of single precision, MI300's those that MODE says (docs/fidelity.md).
  BZ_AI F32 dot2(F32 acc, F16 a0, F16 b0, F16 a1, F16 b1) const {
    a0.flush_in = b0.flush_in = a1.flush_in = b1.flush_in = target() == isa::Target::gfx90a;
    if (isa::bit(target()) & isa::kGfx940) return vfma(to_f32(a1), to_f32(b1), vfma(to_f32(a0), to_f32(b0), acc));
    return flushed(vfma(to_f32(a1), to_f32(b1), flushed(vfma(to_f32(a0), to_f32(b0), flushed(acc)))));
  }

  // Between formats: MXCSR is the single precision's, so the half's rounding and the double's denormals come from MODE.
  BZ_AI F16 round_to_f16(F32 x) const {
    uint32_t round = mode() >> mode::kRound64Shift & 3;
    VU b;
    if (__builtin_expect(round == (mode() & 3), 1)) b = float_to_half_raw(x.v);
    else if (round == 0) b = float_to_half_raw<_MM_FROUND_TO_NEAREST_INT>(x.v);
    else if (round == 1) b = float_to_half_raw<_MM_FROUND_TO_POS_INF>(x.v);
    else if (round == 2) b = float_to_half_raw<_MM_FROUND_TO_NEG_INF>(x.v);
    else b = float_to_half_raw<_MM_FROUND_TO_ZERO>(x.v);
    return half_of(b, x, half(VU(0u)));
  }
  BZ_AI F16 cvt_f16(F32 x) const { return round_to_f16(x); }
  BZ_AI F16 cvt_f16(U32 x) const { return to_f16(cvt_f32(x), half(VU(0u))); }
  BZ_AI F16 cvt_f16(I32 x) const { return to_f16(cvt_f32(x), half(VU(0u))); }
  using LaneOps::cvt_f32;
  BZ_AI F32 cvt_f32(F64 x) const {
    uint32_t single = mode() >> mode::kDenorm32Shift & 1, wide = mode() >> mode::kDenorm64Shift & 1;
    if (__builtin_expect(single != wide, 0)) {
      // A double's denormal rounds like any other tiny number of its sign.
      U64 b = bits_of(x);
      VU sign = b.hi & 0x80000000u;
      VI denormal = ((b.hi & 0x7ff00000u) == 0u) & ((b.hi << 1 | b.lo) != 0u);
      x = float_of(U64(blend(denormal, VU(0u), b.lo), blend(denormal, wide ? sign | 0x00100000u : sign, b.hi)));
    }
    return F32(__builtin_convertvector(x.v, VF));
  }
  BZ_AI F16 cvt_f16_rtz(F32 x) const { return half_result(float_to_half_raw<_MM_FROUND_TO_ZERO>(x.v), half(VU(0u))); }
  BZ_AI F16 f16_from_bits(U32 x) const { return half(x.v & 0xffffu); }
  BZ_AI F32 from_num8(isa::Num n, U32 x) const { return num8_to_float(n, ocp8(), x); }
  BZ_AI U32 to_num8(isa::Num n, F32 x) const { return float_to_num8(n, ocp8(), mode() & mode::kFp16Ovfl, x, nullptr); }
  BZ_AI U32 to_num8_sr(isa::Num n, F32 x, U32 r) const { return float_to_num8(n, ocp8(), mode() & mode::kFp16Ovfl, x, &r); }
  BZ_AI bool ocp8() const { return target() == isa::Target::gfx950; }

  // Lane numbers.
  BZ_AI U32 lane_index() const {
    VU i;
    for (int k = 0; k < kLanes; ++k) i[k] = static_cast<uint32_t>(k);
    return U32(i + static_cast<uint32_t>(q * kLanes));
  }
  BZ_AI U32 mbcnt_lo(U32 x) const {
    VU n = lane_index().v;
    VU below = blend(n >= 32u, VU(~0u), (VU(1u) << (n & 31u)) - 1u);
    return popcount(U32(x.v & below));
  }
  BZ_AI U32 mbcnt_hi(U32 x) const {
    VU n = lane_index().v;
    VU below = blend(n < 32u, VU(0u), (VU(1u) << (n & 31u)) - 1u);
    return popcount(U32(x.v & below));
  }
};

} // namespace bz::exec::BZ_LEVEL_NS
