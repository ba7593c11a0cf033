#include "jit/emit/math_impl.hpp"

#include "exec/wave.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <cassert>

namespace bz::jit {

using namespace llvm;

namespace modebits = exec::mode;

FloatMode::FloatMode(uint32_t m)
    : round(static_cast<Round>(m & modebits::kRound32)), daz(!(m >> modebits::kDenorm32Shift & 1)), ftz(!(m >> modebits::kDenorm32Shift & 2)),
      ieee(m & modebits::kIeee), dx10_clamp(m & modebits::kDx10Clamp), saturate(m & modebits::kFp16Ovfl) {}

void set_math_attributes(Function& function, const MathTraits& traits) {
  const FloatMode mode(traits.mode);
  auto word = [](bool flushed) { return flushed ? "preserve-sign" : "ieee"; };
  function.addFnAttr("denormal-fp-math", std::string(word(mode.ftz)) + "," + word(mode.daz));
  function.addFnAttr("prefer-vector-width", traits.avx512 ? "512" : "256");
  function.addFnAttr("min-legal-vector-width", traits.avx512 ? "512" : "256");
  // Constants must not be computed by another rounding, nor may operations move to where another one holds.
  if (!mode.plain()) function.addFnAttr(Attribute::StrictFP);
}

// ---------------------------------------------------------------- types and constants

Type* Math::Impl::type(Kind k, bool of_lane) const {
  LLVMContext& c = ir.getContext();
  Type* t = nullptr;
  switch (k) {
  case Kind::u32: t = Type::getInt32Ty(c); break;
  case Kind::u64: t = Type::getInt64Ty(c); break;
  case Kind::f32: t = Type::getFloatTy(c); break;
  case Kind::f64: t = Type::getDoubleTy(c); break;
  case Kind::f16: t = Type::getInt16Ty(c); break;
  case Kind::flag: t = Type::getInt1Ty(c); break;
  case Kind::none: return Type::getVoidTy(c);
  }
  return of_lane ? FixedVectorType::get(t, lanes) : t;
}
Type* Math::Impl::with_element(V x, Type* element) const {
  auto* v = dyn_cast<FixedVectorType>(x->getType());
  return v ? FixedVectorType::get(element, v->getNumElements()) : element;
}
Type* Math::Impl::of_bits(V x, unsigned bits) const { return with_element(x, Type::getIntNTy(ir.getContext(), bits)); }
Type* Math::Impl::int_like(V x) const { return of_bits(x, x->getType()->getScalarSizeInBits()); }
Type* Math::Impl::float_of_bits(V x, unsigned bits) const { return with_element(x, bits == 64 ? Type::getDoubleTy(ir.getContext()) : Type::getFloatTy(ir.getContext())); }
const FloatFormat& Math::Impl::format(V x) { return x->getType()->getScalarSizeInBits() == 64 ? kDouble : kSingle; }
V Math::Impl::int_const(Type* t, uint64_t bits) const { return ConstantInt::get(t, APInt(t->getScalarSizeInBits(), bits, false, true)); }
V Math::Impl::real(V like, double value) const { return ConstantFP::get(like->getType(), value); }
V Math::Impl::from_bits(V like, uint64_t bits) {
  return ConstantFP::get(like->getType(), APFloat(like->getType()->getScalarType()->getFltSemantics(), APInt(like->getType()->getScalarSizeInBits(), bits)));
}
V Math::Impl::as_int(V x) { return ir.CreateBitCast(x, int_like(x)); }
V Math::Impl::as_float(V x) { return ir.CreateBitCast(x, float_of_bits(x, x->getType()->getScalarSizeInBits())); }
V Math::Impl::spread(V scalar) { return ir.CreateVectorSplat(lanes, scalar); }

V Math::Impl::clamp_int(V x, int64_t low, int64_t high) {
  return intrinsic2(Intrinsic::smin, intrinsic2(Intrinsic::smax, x, like(x, static_cast<uint64_t>(low))), like(x, static_cast<uint64_t>(high)));
}

// ---------------------------------------------------------------- parts of vectors

V Math::Impl::part(V x, unsigned first, unsigned count) {
  SmallVector<int, 64> at;
  for (unsigned i = 0; i < count; ++i) at.push_back(static_cast<int>(first + i));
  return ir.CreateShuffleVector(x, at);
}
V Math::Impl::join(ArrayRef<V> parts) {
  SmallVector<V, 8> now(parts.begin(), parts.end());
  while (now.size() > 1) {
    SmallVector<V, 8> next;
    for (size_t i = 0; i < now.size(); i += 2) {
      SmallVector<int, 64> at;
      for (unsigned k = 0; k < 2 * cast<FixedVectorType>(now[i]->getType())->getNumElements(); ++k) at.push_back(static_cast<int>(k));
      next.push_back(ir.CreateShuffleVector(now[i], now[i + 1], at));
    }
    now = next;
  }
  return now[0];
}
V Math::Impl::pieces(unsigned n, std::initializer_list<V> args, function_ref<V(ArrayRef<V>)> f) {
  const unsigned all = cast<FixedVectorType>((*args.begin())->getType())->getNumElements();
  if (n >= all) return f(ArrayRef<V>(args.begin(), args.size()));
  SmallVector<V, 8> results;
  for (unsigned first = 0; first < all; first += n) {
    SmallVector<V, 4> cut;
    for (V a : args) cut.push_back(part(a, first, n));
    results.push_back(f(cut));
  }
  return join(results);
}

// ---------------------------------------------------------------- integers

/// Lanes of 64 bits from two registers: shuffles of dwords, which undo each other.
V Math::Impl::pair(V low, V high) {
  if (!low->getType()->isVectorTy()) {
    V l = ir.CreateZExt(low, ir.getInt64Ty()), h = ir.CreateZExt(high, ir.getInt64Ty());
    return bor(l, shl(h, 32));
  }
  SmallVector<int, 64> at;
  for (unsigned i = 0; i < lanes; ++i) at.push_back(static_cast<int>(i)), at.push_back(static_cast<int>(lanes + i));
  return ir.CreateBitCast(ir.CreateShuffleVector(low, high, at), type(Kind::u64, true));
}
V Math::Impl::low_half(V x) { return ir.CreateTrunc(x, of_bits(x, 32)); }
V Math::Impl::high_half(V x) {
  if (!x->getType()->isVectorTy()) return ir.CreateTrunc(shr(x, 32), ir.getInt32Ty());
  SmallVector<int, 32> at;
  for (unsigned i = 0; i < lanes; ++i) at.push_back(static_cast<int>(2 * i + 1));
  return ir.CreateShuffleVector(ir.CreateBitCast(x, FixedVectorType::get(ir.getInt32Ty(), 2 * lanes)), at);
}

/// Bytes of {s0, s1} by a selector of a byte each: 0-3 of s1, 4-7 of s0, 8-11 signs of the odd bytes, 12 is 0, beyond 255.
V Math::Impl::perm(V s0, V s1, V selector) {
  const unsigned bytes = 4 * lanes;
  auto* type_bytes = FixedVectorType::get(ir.getInt8Ty(), bytes);
  V b0 = ir.CreateBitCast(s0, type_bytes), b1 = ir.CreateBitCast(s1, type_bytes);
  if (auto* constant = dyn_cast<Constant>(selector))
    if (auto* one = dyn_cast_or_null<ConstantInt>(constant->getSplatValue())) {
      // A known selector: one shuffle, plus what signs and constants need.
      SmallVector<int, 64> at;
      SmallVector<Constant*, 64> set, keep;
      bool signs = false, fixed = false;
      for (unsigned i = 0; i < bytes; ++i) {
        const unsigned s = static_cast<unsigned>(one->getZExtValue() >> 8 * (i % 4)) & 255, word = i / 4 * 4;
        unsigned byte = s < 8 ? s : s < 12 ? 2 * (s - 8) + 1 : 0;
        at.push_back(static_cast<int>(byte < 4 ? word + byte : bytes + word + byte - 4));
        signs |= s >= 8 && s < 12;
        fixed |= s >= 12;
        keep.push_back(ir.getInt8(s < 12 ? 255 : 0));
        set.push_back(ir.getInt8(s > 12 ? 255 : 0));
      }
      V r = ir.CreateShuffleVector(b1, b0, at);
      if (signs) {
        SmallVector<Constant*, 64> by;
        for (unsigned i = 0; i < bytes; ++i) {
          const unsigned s = static_cast<unsigned>(one->getZExtValue() >> 8 * (i % 4)) & 255;
          by.push_back(ConstantInt::getBool(ir.getContext(), s >= 8 && s < 12));
        }
        r = pick(ConstantVector::get(by), sar(r, 7), r);
      }
      if (fixed) r = bor(band(r, ConstantVector::get(keep)), ConstantVector::get(set));
      return ir.CreateBitCast(r, s0->getType());
    }
  V s = ir.CreateBitCast(selector, type_bytes);
  V sign = ugt(s, 7);
  // Signs: bytes 1, 3 of s1, then of s0.
  V byte = pick(sign, bor(shl(band(s, 1), 1), 1), band(s, 3));
  V first = pick(sign, ne(band(s, 2), 0), ne(band(s, 4), 0));
  SmallVector<Constant*, 64> base;
  for (unsigned i = 0; i < bytes; ++i) base.push_back(ir.getInt8(static_cast<uint8_t>(i / 4 * 4 % 16)));   // within 16 bytes
  V at = bor(byte, ConstantVector::get(base));
  auto shuffle = [&](V x) {
    if (traits.avx512 && bytes == 64) return call(Intrinsic::x86_avx512_pshuf_b_512, {x, at});
    return pieces(32, {x, at}, [&](ArrayRef<V> a) { return call(Intrinsic::x86_avx2_pshuf_b, a); });
  };
  V r = pick(first, shuffle(b0), shuffle(b1));
  r = pick(sign, sar(r, 7), r);
  r = pick(eq(s, 12), like(r, 0), r);
  r = pick(ugt(s, 12), like(r, 255), r);
  return ir.CreateBitCast(r, s0->getType());
}

/// Bits of the lanes below each one, of the 32 lanes that begin with `first`.
V Math::Impl::lanes_below(unsigned first) {
  SmallVector<Constant*, 16> masks;
  for (unsigned i = 0; i < lanes; ++i) {
    const unsigned n = chunk * lanes + i;
    masks.push_back(ir.getInt32(n <= first ? 0 : n - first >= 32 ? ~0u : (1u << (n - first)) - 1));
  }
  return ConstantVector::get(masks);
}

V Math::Impl::integer(const Node& node, ArrayRef<V> a) {
  auto wide = [&](V x, bool is_signed) { return is_signed ? ir.CreateSExt(x, of_bits(x, 64)) : ir.CreateZExt(x, of_bits(x, 64)); };
  auto product = [&](bool is_signed) { return ir.CreateMul(wide(a[0], is_signed), wide(a[1], is_signed)); };
  auto count = [&] { return ir.CreateZExtOrTrunc(a[1], a[0]->getType()); };
  auto as_u32 = [&](V x) { return ir.CreateZExtOrTrunc(x, of_bits(x, 32)); };
  auto carry_of = [&](V flag) { return ir.CreateZExt(flag, a[0]->getType()); };
  switch (node.prim) {
  case Prim::add: return ir.CreateAdd(a[0], a[1]);
  case Prim::sub: return ir.CreateSub(a[0], a[1]);
  case Prim::mul: return ir.CreateMul(a[0], a[1]);
  case Prim::and_: return ir.CreateAnd(a[0], a[1]);
  case Prim::or_: return ir.CreateOr(a[0], a[1]);
  case Prim::xor_: return ir.CreateXor(a[0], a[1]);
  case Prim::not_: return ir.CreateNot(a[0]);
  case Prim::shl: return ir.CreateShl(a[0], count());
  case Prim::shr: return ir.CreateLShr(a[0], count());
  case Prim::sar: return ir.CreateAShr(a[0], count());
  case Prim::eq: return ir.CreateICmpEQ(a[0], a[1]);
  case Prim::ne: return ir.CreateICmpNE(a[0], a[1]);
  case Prim::ult: return ir.CreateICmpULT(a[0], a[1]);
  case Prim::ule: return ir.CreateICmpULE(a[0], a[1]);
  case Prim::slt: return ir.CreateICmpSLT(a[0], a[1]);
  case Prim::sle: return ir.CreateICmpSLE(a[0], a[1]);
  case Prim::select: return pick(a[0], a[1], a[2]);
  case Prim::cast: return ir.CreateBitCast(a[0], type(node.kind));
  case Prim::lo: return low_half(a[0]);
  case Prim::hi: return high_half(a[0]);
  case Prim::make64: return pair(a[0], a[1]);
  case Prim::zext64: return wide(a[0], false);
  case Prim::sext64: return wide(a[0], true);
  case Prim::from_flag: return ir.CreateZExt(a[0], type(Kind::u32));
  case Prim::umin: return intrinsic2(Intrinsic::umin, a[0], a[1]);
  case Prim::umax: return intrinsic2(Intrinsic::umax, a[0], a[1]);
  case Prim::smin: return intrinsic2(Intrinsic::smin, a[0], a[1]);
  case Prim::smax: return intrinsic2(Intrinsic::smax, a[0], a[1]);
  case Prim::uadd_sat: return intrinsic2(Intrinsic::uadd_sat, a[0], a[1]);
  case Prim::sadd_sat: return intrinsic2(Intrinsic::sadd_sat, a[0], a[1]);
  case Prim::usub_sat: return intrinsic2(Intrinsic::usub_sat, a[0], a[1]);
  case Prim::ssub_sat: return intrinsic2(Intrinsic::ssub_sat, a[0], a[1]);
  case Prim::add_carry: return ir.CreateAdd(ir.CreateAdd(a[0], a[1]), carry_of(a[2]));
  case Prim::add_carry_out: {
    V sum = ir.CreateAdd(a[0], a[1]);
    V out = ir.CreateICmpULT(sum, a[0]);
    if (a.size() == 2) return out;
    // With a carry in, all ones go around.
    return bor(out, band(a[2], eq(sum, ~uint64_t{0})));
  }
  case Prim::sub_borrow: return ir.CreateSub(ir.CreateSub(a[0], a[1]), carry_of(a[2]));
  case Prim::sub_borrow_out: return bor(ir.CreateICmpULT(a[0], a[1]), band(a[2], ir.CreateICmpEQ(a[0], a[1])));
  case Prim::add_overflow_out: {
    V sum = ir.CreateAdd(a[0], a[1]);
    return slt(band(ir.CreateXor(a[0], sum), ir.CreateXor(a[1], sum)), 0);
  }
  case Prim::umul_hi: return low_half(shr(product(false), 32));
  case Prim::smul_hi: return low_half(shr(product(true), 32));
  case Prim::umul_wide: return product(false);
  case Prim::smul_wide: return product(true);
  case Prim::popcount: return as_u32(intrinsic1(Intrinsic::ctpop, a[0]));
  case Prim::clz: return as_u32(ir.CreateBinaryIntrinsic(Intrinsic::ctlz, a[0], ir.getFalse()));
  case Prim::ctz: return as_u32(ir.CreateBinaryIntrinsic(Intrinsic::cttz, a[0], ir.getFalse()));
  case Prim::reverse_bits: return intrinsic1(Intrinsic::bitreverse, a[0]);
  case Prim::perm: return perm(a[0], a[1], a[2]);
  case Prim::lane_index: {
    SmallVector<Constant*, 16> n;
    for (unsigned i = 0; i < lanes; ++i) n.push_back(ir.getInt32(chunk * lanes + i));
    return ConstantVector::get(n);
  }
  case Prim::mbcnt_lo: return intrinsic1(Intrinsic::ctpop, band(a[0], lanes_below(0)));
  case Prim::mbcnt_hi: return intrinsic1(Intrinsic::ctpop, band(a[0], lanes_below(32)));
  case Prim::no_lanes: return Constant::getNullValue(type(Kind::flag));
  default: return nullptr;
  }
}

// ---------------------------------------------------------------- the interface

namespace {

/// What has the same form for a scalar. The others work on lanes.
bool has_scalar_form(Prim p, Kind kind) {
  switch (p) {
  case Prim::select: case Prim::cast: case Prim::constant: case Prim::no_lanes: return true;
  case Prim::perm: case Prim::lane_index: case Prim::mbcnt_lo: case Prim::mbcnt_hi: return false;
  case Prim::fadd: case Prim::fsub: case Prim::fmul: case Prim::fneg: case Prim::fabs: case Prim::feq: case Prim::fne: case Prim::flt:
  case Prim::fle: case Prim::fma: case Prim::is_nan: case Prim::unordered: return kind != Kind::f16;
  default: return p < Prim::fadd;
  }
}

} // namespace

Math::Math(IRBuilderBase& ir, const MathTraits& traits, unsigned lanes) : impl_(std::make_unique<Impl>(ir, traits, lanes)) {}
Math::~Math() = default;

Type* Math::type(Kind kind, bool lane) const { return impl_->type(kind, lane); }

V Math::flags_of(V bits) {
  Impl& m = *impl_;
  if (m.traits.avx512 || llvm::isa<Constant>(bits)) return m.ir.CreateBitCast(bits, m.type(Kind::flag, true));
  SmallVector<Constant*, 16> each;
  for (unsigned i = 0; i < m.lanes; ++i) each.push_back(m.ir.getInt32(1u << i));
  V one = ConstantVector::get(each);
  return m.ir.CreateICmpEQ(m.band(m.spread(m.ir.CreateZExt(bits, m.ir.getInt32Ty())), one), one);
}
V Math::bits_of(V flags) { return impl_->ir.CreateBitCast(flags, impl_->ir.getIntNTy(impl_->lanes)); }

V Math::emit(const Node& node, std::span<V const> args, std::span<const Kind> arg_kinds, unsigned chunk) {
  Impl& m = *impl_;
  m.chunk = chunk;
  m.lane = node.lane || !has_scalar_form(node.prim, args.empty() ? node.kind : arg_kinds[0]);
  SmallVector<V, 5> a(args.begin(), args.end());
  if (m.lane)
    for (V& x : a)
      if (!x->getType()->isVectorTy()) x = m.spread(x);
  V r = nullptr;
  if (node.prim == Prim::constant) {
    Type* t = m.type(node.kind);
    r = t->isFPOrFPVectorTy() ? m.ir.CreateBitCast(m.int_const(t->isVectorTy() ? m.type(node.kind == Kind::f32 ? Kind::u32 : Kind::u64) : IntegerType::get(t->getContext(), t->getScalarSizeInBits()), node.imm), t)
                              : m.int_const(t, node.imm);
  }
  if (node.prim == Prim::select && m.lane && node.kind != Kind::flag)
    if (V root = m.whole_root(a[0], a[1], a[2])) r = m.ir.CreateBitCast(root, m.type(node.kind));
  if (!r) r = m.integer(node, a);
  const ArrayRef<Kind> kinds(arg_kinds.data(), arg_kinds.size());
  if (!r) {
    const Kind first = args.empty() ? node.kind : arg_kinds[0];
    const bool half = node.kind == Kind::f16 || first == Kind::f16;
    r = half ? m.half(node, a, kinds) : m.single(node, a, kinds);
  }
  assert(r);
  m.remember(node, a, r);
  if (!node.lane && r->getType()->isVectorTy()) r = m.ir.CreateExtractElement(r, uint64_t{0});
  return r;
}

} // namespace bz::jit
