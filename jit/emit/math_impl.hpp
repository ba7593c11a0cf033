// The parts of Math behind its interface: types of the moment, operations that obey MODE, vectors cut into what a host
// instruction takes. Shared by the math_*.cpp files only.
#pragma once
#include "jit/emit/math.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/ValueHandle.h>
#include <llvm/IR/ValueMap.h>

#include <functional>
#include <initializer_list>

namespace bz::jit {

using V = llvm::Value*;

/// MODE as far as arithmetic asks. The host's MXCSR says the same (single and other parts of MODE are alike).
struct FloatMode {
  enum Round : unsigned { nearest, up, down, zero } round;
  bool daz, ftz;          ///< denormal sources, results count as 0
  bool ieee, dx10_clamp, saturate;
  explicit FloatMode(uint32_t mode);
  /// What LLVM's plain operations mean.
  bool plain() const { return round == nearest && !daz && !ftz; }
};

/// Formats of single and double precision.
struct FloatFormat {
  unsigned bits, mantissa;
  int bias;
  uint64_t sign() const { return uint64_t{1} << (bits - 1); }
  uint64_t magnitude() const { return sign() - 1; }
  uint64_t fraction() const { return (uint64_t{1} << mantissa) - 1; }
  uint64_t exponent() const { return magnitude() & ~fraction(); }   ///< also the bits of infinity
  uint64_t quiet() const { return uint64_t{1} << (mantissa - 1); }
  uint64_t pow2(int e) const { return static_cast<uint64_t>(e + bias) << mantissa; }
  uint64_t default_nan() const { return sign() | exponent() | quiet(); }
};
inline constexpr FloatFormat kSingle{32, 23, 127}, kDouble{64, 52, 1023}, kHalf{16, 10, 15};

struct Math::Impl {
  llvm::IRBuilderBase& ir;
  const MathTraits traits;
  const unsigned lanes;
  const FloatMode mode;
  bool lane = true;      ///< the node of the moment has a value per lane
  unsigned chunk = 0;

  Impl(llvm::IRBuilderBase& builder, const MathTraits& t, unsigned n) : ir(builder), traits(t), lanes(n), mode(t.mode) {}

  // ------------------------------------------------------------ types and constants (math.cpp)
  llvm::Type* type(Kind k, bool of_lane) const;
  llvm::Type* type(Kind k) const { return type(k, lane); }
  /// An integer (a float, an i1) for each element of x.
  llvm::Type* with_element(V x, llvm::Type* element) const;
  llvm::Type* int_like(V x) const;                   ///< integers as wide as x's elements
  llvm::Type* of_bits(V x, unsigned bits) const;     ///< integers of that width
  llvm::Type* float_of_bits(V x, unsigned bits) const;
  static const FloatFormat& format(V x);
  V int_const(llvm::Type* t, uint64_t bits) const;
  V like(V x, uint64_t bits) const { return int_const(x->getType(), bits); }
  V real(V like, double value) const;                ///< a float constant of x's type
  V from_bits(V like, uint64_t bits);                ///< the same by its bits
  V as_int(V x);
  V as_float(V x);                                   ///< integers of 32 or 64 bits as floats
  V spread(V scalar);                                ///< a scalar to all lanes

  // ------------------------------------------------------------ small words
  V band(V x, V y) { return ir.CreateAnd(x, y); }
  V bor(V x, V y) { return ir.CreateOr(x, y); }
  V band(V x, uint64_t y) { return ir.CreateAnd(x, like(x, y)); }
  V bor(V x, uint64_t y) { return ir.CreateOr(x, like(x, y)); }
  V bxor(V x, uint64_t y) { return ir.CreateXor(x, like(x, y)); }
  V add(V x, uint64_t y) { return ir.CreateAdd(x, like(x, y)); }
  V sub(V x, uint64_t y) { return ir.CreateSub(x, like(x, y)); }
  V shl(V x, unsigned n) { return ir.CreateShl(x, like(x, n)); }
  V shr(V x, unsigned n) { return ir.CreateLShr(x, like(x, n)); }
  V sar(V x, unsigned n) { return ir.CreateAShr(x, like(x, n)); }
  V eq(V x, uint64_t y) { return ir.CreateICmpEQ(x, like(x, y)); }
  V ne(V x, uint64_t y) { return ir.CreateICmpNE(x, like(x, y)); }
  V ult(V x, uint64_t y) { return ir.CreateICmpULT(x, like(x, y)); }
  V ugt(V x, uint64_t y) { return ir.CreateICmpUGT(x, like(x, y)); }
  V slt(V x, int64_t y) { return ir.CreateICmpSLT(x, like(x, static_cast<uint64_t>(y))); }
  V sgt(V x, int64_t y) { return ir.CreateICmpSGT(x, like(x, static_cast<uint64_t>(y))); }
  V pick(V c, V x, V y) { return ir.CreateSelect(c, x, y); }
  V invert(V x) { return ir.CreateNot(x); }
  V clamp_int(V x, int64_t low, int64_t high);
  V intrinsic1(llvm::Intrinsic::ID id, V x) { return ir.CreateUnaryIntrinsic(id, x); }
  V intrinsic2(llvm::Intrinsic::ID id, V x, V y) { return ir.CreateBinaryIntrinsic(id, x, y); }

  // ------------------------------------------------------------ host instructions on parts of a vector
  V part(V x, unsigned first, unsigned count);
  V join(llvm::ArrayRef<V> parts);
  /// `f` on pieces of n elements of each argument; the results side by side.
  V pieces(unsigned n, std::initializer_list<V> args, llvm::function_ref<V(llvm::ArrayRef<V>)> f);
  V call(llvm::Intrinsic::ID id, llvm::ArrayRef<V> args) { return ir.CreateIntrinsic(id, args); }
  V i32(uint32_t x) { return ir.getInt32(x); }
  V i16(uint32_t x) { return ir.getInt16(static_cast<uint16_t>(x)); }
  V i8(uint32_t x) { return ir.getInt8(static_cast<uint8_t>(x)); }

  // ------------------------------------------------------------ integers (math.cpp)
  V pair(V low, V high);
  V low_half(V x);
  V high_half(V x);
  V perm(V s0, V s1, V selector);
  V lanes_below(unsigned first);
  V integer(const Node& node, llvm::ArrayRef<V> a);   ///< null: not an integer primitive

  // ------------------------------------------------------------ floats that obey MODE (math_float.cpp)
  V hidden(V x);                                       ///< a value of which LLVM knows nothing, unless MODE is what it assumes
  V farith(llvm::Instruction::BinaryOps op, V x, V y);
  V fadd(V x, V y) { return farith(llvm::Instruction::FAdd, x, y); }
  V fsub(V x, V y) { return farith(llvm::Instruction::FSub, x, y); }
  V fmul(V x, V y) { return farith(llvm::Instruction::FMul, x, y); }
  V fdiv(V x, V y) { return farith(llvm::Instruction::FDiv, x, y); }
  V fma(V x, V y, V z);
  V fma_rounded(V x, V y, V z, unsigned rounding);     ///< AVX-512: the rounding of the instruction
  V sqrt(V x);
  V to_integral(llvm::Intrinsic::ID plain, V x);       ///< trunc, ceil, floor, roundeven
  V compare(llvm::CmpInst::Predicate p, V x, V y);
  V narrow_to_single(V x);                             ///< from double
  V widen_to_double(V x);                              ///< from single
  V from_integer(V x, bool is_signed, unsigned bits);  ///< of 32 bits, to a float of `bits`
  V magnitude(V x) { return intrinsic1(llvm::Intrinsic::fabs, x); }
  V canonicalize(V x);
  V by_mode(V x);                                      ///< flushes what MODE flushes
  V flushed(V x);                                      ///< denormals to zeros, whatever MODE says
  V flushed_source(V x) { return mode.daz ? x : flushed(x); }
  V flushed_result(V x) { return mode.ftz ? x : flushed(x); }
  V is_nan(V x) { return ir.CreateFCmpUNO(x, x); }
  V is_signalling(V x);
  V quieted(V x);
  template <bool Max> V ordered(V x, V y);             ///< of numbers; a quiet NaN in host's ways
  template <bool Max> V min_max(V x, V y);
  template <bool Max> V min_max_quiet(V x, V y);       ///< no NaN signals
  V med3(V x, V y, V z);
  V fract(V x);
  V exponent_field(V x);                               ///< integers of x's width
  V pow2(V like, V n);                                 ///< 2^n from integers of like's width
  V ldexp(V x, V n);
  V frexp_mant(V x);
  V frexp_exp(V x);
  V is_class(V bits, V want, const FloatFormat& f);     ///< of a number by its bits
  V to_unsigned(V x);
  V to_signed(V x);
  V omod(V x, unsigned how);
  V clamp01(V x);
  V single(const Node& node, llvm::ArrayRef<V> a, llvm::ArrayRef<Kind> kinds);   ///< single and double

  // ------------------------------------------------------------ halves (math_half.cpp)
  V half_to_single(V h) { return half_to_single(h, mode.daz); }
  V half_to_single(V h, bool flush);
  V flush_half(V h);
  V single_to_half(V x) { return single_to_half(x, true, mode.ftz); }
  V single_to_half(V x, bool may_saturate, bool flush, unsigned rounding = 4);
  V saturate_half(V h, V finite);
  V double_to_half(V x);
  V half_fma(V x, V y, V z);
  V half_is_nan(V h) { return ugt(band(h, 0x7fff), 0x7c00); }
  V half_quieted(V h) { return pick(half_is_nan(h), bor(h, 0x200), h); }
  template <bool Max> V half_min_max(V x, V y);
  V half_med3(V x, V y, V z);
  V half_by_mode(V h) { return mode.daz || mode.ftz ? flush_half(h) : h; }
  V half(const Node& node, llvm::ArrayRef<V> a, llvm::ArrayRef<Kind> kinds);

  // ------------------------------------------------------------ division (math_division.cpp)
  struct Scaled { V value, mask; };
  struct ScaleMemo { llvm::WeakVH block, a, b, c, value, mask; } scale_memo;
  // Operations of several steps are recognised by what values were made of (math_idiom.cpp).
  struct Origin { Prim prim; llvm::SmallVector<llvm::WeakTrackingVH, 4> args; };
  llvm::ValueMap<llvm::Value*, Origin> origins;
  void remember(const Node& node, llvm::ArrayRef<V> a, V result);
  const Origin* made(V x, Prim p) const;
  const Origin* made_flag(V x, Prim p) const;
  static V other_factor(const Origin* o, V x);
  V whole_division(V q, V den, V num);                 ///< null: q was not made by the steps of num / den
  V whole_root(V special, V argument, V root);         ///< null: not the end of a square root
  V rcp(V x);
  V rsq(V x);
  V quotient_tiny(V n, V d);
  Scaled div_scale(V x, V y, V z);
  V div_fmas(V x, V y, V z, V scale);
  V scaled_sum_single(V x, V y, V z, V n);
  V scaled_sum_double(V x, V y, V z, V plain, V n);
  V div_fixup(V q, V den, V num);
  V div_fixup_rare(V r, V den, V num);
  V any(V flags);
  /// `usual`, or where a lane of `rare` is set what `f` emits: code out of the way.
  V unless(V rare, V usual, llvm::function_ref<V()> f);
  Scaled unless(V rare, Scaled usual, llvm::function_ref<Scaled()> f);
  /// A call of a function of the module's own, made when first asked for, so that rare code stands there once.
  llvm::SmallVector<V, 2> outlined(const char* name, llvm::ArrayRef<V> args, llvm::ArrayRef<llvm::Type*> results,
                                   llvm::function_ref<void(Impl&, llvm::ArrayRef<V>, llvm::SmallVectorImpl<V>&)> body);
  Scaled div_scale_rare(V x, V y, V z);
  V div_fmas_rare(V x, V y, V z, V scale, V plain);
  V small_quotient(V num, V den);

  // ------------------------------------------------------------ transcendental functions and other formats (math_special.cpp)
  V exp2(V x);
  V log2(V x);
  V sin_cos(V x, bool cosine);
  V polynomial(V at, std::initializer_list<double> coefficients);
  V cube(Prim p, V x, V y, V z);
  V from_num8(isa::Num n, V x);
  V to_num8(isa::Num n, V x, V random);
  V trig_preop(V x, V segment);
};

} // namespace bz::jit
