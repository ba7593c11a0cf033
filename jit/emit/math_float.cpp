// Single and double precision: arithmetic that obeys MODE, minima, rounding, scaling, classes, conversions.
#include "jit/emit/math_impl.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Metadata.h>

namespace bz::jit {

using namespace llvm;

// ---------------------------------------------------------------- operations that obey MODE

// LLVM's plain operations mean rounding to nearest and leave open what becomes of denormals and signalling NaNs: x * 1 is x to
// it. Where that is not what the guest asked for, constrained intrinsics with unknown rounding keep the operation. That they may
// trap is said for x + -0 only, which would be folded otherwise.

namespace {

bool is_value(V x, double a) {
  auto* c = dyn_cast<Constant>(x);
  if (!c) return false;
  auto* f = dyn_cast_or_null<ConstantFP>(c->getType()->isVectorTy() ? c->getSplatValue() : c);
  return f && abs(f->getValueAPF()).isExactlyValue(a);
}
/// LLVM would leave the operation out, with what it does to denormals and signalling NaNs.
bool is_identity(Instruction::BinaryOps op, V x, V y) {
  switch (op) {
  case Instruction::FMul: return is_value(x, 1.0) || is_value(y, 1.0);
  case Instruction::FDiv: return is_value(y, 1.0);
  default: return is_value(x, 0.0) || is_value(y, 0.0);
  }
}
bool all_constant(V x, V y) { return llvm::isa<Constant>(x) && llvm::isa<Constant>(y); }

} // namespace

/// LLVM computes with constants as it takes them, also those that it finds later: denormals are kept, and 0 - 0 is +0 in every
/// rounding.
V Math::Impl::hidden(V x) { return mode.plain() ? x : ir.CreateIntrinsic(Intrinsic::arithmetic_fence, {x->getType()}, {x}); }

V Math::Impl::farith(Instruction::BinaryOps op, V x, V y) {
  if (mode.plain() && (all_constant(x, y) || !is_identity(op, x, y))) return ir.CreateBinOp(op, x, y);
  Intrinsic::ID id = op == Instruction::FAdd   ? Intrinsic::experimental_constrained_fadd
                     : op == Instruction::FSub ? Intrinsic::experimental_constrained_fsub
                     : op == Instruction::FMul ? Intrinsic::experimental_constrained_fmul
                                               : Intrinsic::experimental_constrained_fdiv;
  return ir.CreateConstrainedFPBinOp(id, hidden(x), y, {}, "", nullptr, RoundingMode::Dynamic, fp::ebMayTrap);
}
V Math::Impl::fma(V x, V y, V z) {
  const bool constants = all_constant(x, y) && llvm::isa<Constant>(z);
  // A product of constants that is 0 would leave z as it is.
  if (mode.plain() && (constants || !(all_constant(x, y) || (is_value(z, 0.0) && is_identity(Instruction::FMul, x, y)))))
    return ir.CreateIntrinsic(Intrinsic::fma, {x->getType()}, {x, y, z});
  return ir.CreateConstrainedFPIntrinsic(Intrinsic::experimental_constrained_fma, {x->getType()}, {hidden(x), y, z}, {}, "", nullptr,
                                         RoundingMode::Dynamic, fp::ebMayTrap);
}
V Math::Impl::fma_rounded(V x, V y, V z, unsigned rounding) {
  const bool wide = x->getType()->getScalarSizeInBits() == 64;
  return pieces(wide ? 8 : 16, {x, y, z}, [&](ArrayRef<V> a) {
    return call(wide ? Intrinsic::x86_avx512_vfmadd_pd_512 : Intrinsic::x86_avx512_vfmadd_ps_512, {a[0], a[1], a[2], i32(rounding)});
  });
}
V Math::Impl::sqrt(V x) {
  if (mode.plain()) return intrinsic1(Intrinsic::sqrt, x);
  return ir.CreateConstrainedFPIntrinsic(Intrinsic::experimental_constrained_sqrt, {x->getType()}, {hidden(x)}, {}, "", nullptr, RoundingMode::Dynamic,
                                         fp::ebMayTrap);
}
V Math::Impl::to_integral(Intrinsic::ID plain, V x) {
  if (!mode.daz) return intrinsic1(plain, x);
  Intrinsic::ID id = plain == Intrinsic::trunc   ? Intrinsic::experimental_constrained_trunc
                     : plain == Intrinsic::ceil  ? Intrinsic::experimental_constrained_ceil
                     : plain == Intrinsic::floor ? Intrinsic::experimental_constrained_floor
                                                 : Intrinsic::experimental_constrained_roundeven;
  LLVMContext& c = ir.getContext();
  auto* r = ir.CreateIntrinsic(id, {x->getType()}, {hidden(x), MetadataAsValue::get(c, MDString::get(c, "fpexcept.maytrap"))});
  ir.setConstrainedFPCallAttr(r);
  return r;
}
V Math::Impl::compare(CmpInst::Predicate p, V x, V y) {
  if (!mode.daz) return ir.CreateFCmp(p, x, y);
  return ir.CreateConstrainedFPCmp(Intrinsic::experimental_constrained_fcmp, p, hidden(x), y, "", fp::ebMayTrap);
}
V Math::Impl::narrow_to_single(V x) {
  return ir.CreateConstrainedFPCast(Intrinsic::experimental_constrained_fptrunc, hidden(x), float_of_bits(x, 32), {}, "", nullptr, RoundingMode::Dynamic,
                                    fp::ebMayTrap);
}
V Math::Impl::widen_to_double(V x) {
  if (!mode.daz) return ir.CreateFPExt(x, float_of_bits(x, 64));
  return ir.CreateConstrainedFPCast(Intrinsic::experimental_constrained_fpext, hidden(x), float_of_bits(x, 64), {}, "", nullptr, std::nullopt, fp::ebMayTrap);
}
V Math::Impl::from_integer(V x, bool is_signed, unsigned bits) {
  Type* t = float_of_bits(x, bits);
  const bool exact = bits == 64;
  if (is_signed) {
    if (exact || mode.round == FloatMode::nearest) return ir.CreateSIToFP(x, t);
    return ir.CreateConstrainedFPCast(Intrinsic::experimental_constrained_sitofp, x, t, {}, "", nullptr, RoundingMode::Dynamic, fp::ebMayTrap);
  }
  if (traits.avx512 || mode.round == FloatMode::nearest) {
    if (exact || mode.round == FloatMode::nearest) return ir.CreateUIToFP(x, t);
    return ir.CreateConstrainedFPCast(Intrinsic::experimental_constrained_uitofp, x, t, {}, "", nullptr, RoundingMode::Dynamic, fp::ebMayTrap);
  }
  // Without an instruction: numbers whose last place is 1 (or 2^16) minus what was put in front. Rounding down makes -0 of 0.
  V sum;
  if (exact) {
    V n = bor(ir.CreateZExt(x, of_bits(x, 64)), uint64_t{0x4330000000000000});
    V f = as_float(n);
    sum = fsub(f, real(f, 0x1p52));
  } else {
    V low = as_float(bor(band(x, 0xffff), 0x4b000000)), high = as_float(bor(shr(x, 16), 0x53000000));
    sum = fadd(fsub(high, real(high, 0x1p39 + 0x1p23)), low);
  }
  return as_float(band(as_int(sum), kSingle.magnitude() | (exact ? kDouble.magnitude() : 0)));
}
V Math::Impl::canonicalize(V x) {
  return ir.CreateConstrainedFPBinOp(Intrinsic::experimental_constrained_fmul, hidden(x), real(x, 1.0), {}, "", nullptr, RoundingMode::Dynamic, fp::ebMayTrap);
}
V Math::Impl::by_mode(V x) { return mode.daz || mode.ftz ? canonicalize(x) : x; }
V Math::Impl::flushed(V x) {
  const FloatFormat& f = format(x);
  V b = as_int(x);
  return as_float(pick(eq(band(b, f.exponent()), 0), band(b, f.sign()), b));
}
V Math::Impl::is_signalling(V x) {
  const FloatFormat& f = format(x);
  return ugt(band(bxor(as_int(x), f.quiet()), f.magnitude()), f.exponent() | f.quiet());
}
V Math::Impl::quieted(V x) { return pick(is_nan(x), as_float(bor(as_int(x), format(x).quiet())), x); }

// ---------------------------------------------------------------- minima and the like

/// -0 is below +0.
template <bool Max> V Math::Impl::ordered(V x, V y) {
  if (traits.avx512) {   // a quiet NaN gives the other operand, a signalling one its quiet form
    const bool wide = x->getType()->getScalarSizeInBits() == 64;
    constexpr unsigned how = Max ? 5 : 4;   // with the sign of the result
    return pieces(wide ? 8 : 16, {x, y}, [&](ArrayRef<V> a) {
      return wide ? call(Intrinsic::x86_avx512_mask_range_pd_512, {a[0], a[1], i32(how), a[0], i8(255), i32(4)})
                  : call(Intrinsic::x86_avx512_mask_range_ps_512, {a[0], a[1], i32(how), a[0], i16(0xffff), i32(4)});
    });
  }
  // Both orders of the host's instruction differ for zeros of different signs only.
  const auto less = Max ? CmpInst::FCMP_OGT : CmpInst::FCMP_OLT;
  V a = as_int(pick(compare(less, x, y), x, y)), b = as_int(pick(compare(less, y, x), y, x));
  return as_float(Max ? band(a, b) : bor(a, b));
}
template <bool Max> V Math::Impl::min_max_quiet(V x, V y) {
  V r = ordered<Max>(x, y);
  return traits.avx512 ? r : pick(is_nan(x), y, pick(is_nan(y), x, r));
}
/// A NaN gives the other operand, but a signalling one in IEEE mode its quiet form.
template <bool Max> V Math::Impl::min_max(V x, V y) {
  if (!mode.ieee) return min_max_quiet<Max>(quieted(x), x == y ? quieted(x) : quieted(y));
  V r = min_max_quiet<Max>(x, y);
  if (traits.avx512) return r;
  auto quiet = [&](V a) { return as_float(bor(as_int(a), format(a).quiet())); };
  return pick(is_signalling(x), quiet(x), pick(is_signalling(y), quiet(y), r));
}
/// The larger of those that are not the largest, which tells the zero that comes out. A NaN among them: the smallest.
V Math::Impl::med3(V x, V y, V z) {
  V least = by_mode(min_max<false>(by_mode(min_max<false>(x, y)), z));
  V xy = ordered<true>(x, y), most = ordered<true>(xy, z);
  V r = pick(compare(CmpInst::FCMP_OEQ, most, x), ordered<true>(y, z), pick(compare(CmpInst::FCMP_OEQ, most, y), ordered<true>(x, z), xy));
  return pick(bor(ir.CreateFCmpUNO(x, y), is_nan(z)), least, by_mode(r));
}

// ---------------------------------------------------------------- rounding and scaling

V Math::Impl::fract(V x) {
  V r = fsub(x, to_integral(Intrinsic::floor, x));
  V below = from_bits(r, format(r).pow2(0) - 1);
  return pick(compare(CmpInst::FCMP_OGT, r, below), below, r);
}
V Math::Impl::exponent_field(V x) {
  const FloatFormat& f = format(x);
  return band(shr(as_int(x), f.mantissa), f.exponent() >> f.mantissa);
}
V Math::Impl::pow2(V like_x, V n) {
  const FloatFormat& f = format(like_x);
  return as_float(shl(add(n, static_cast<uint64_t>(f.bias)), f.mantissa));
}
/// x * 2^n, rounded once.
V Math::Impl::ldexp(V x, V n) {
  const bool wide = x->getType()->getScalarSizeInBits() == 64;
  if (traits.avx512) {
    V by = ir.CreateSIToFP(n, x->getType());   // beyond 2^24 its last places don't count
    return pieces(wide ? 8 : 16, {x, by}, [&](ArrayRef<V> a) {
      return wide ? call(Intrinsic::x86_avx512_mask_scalef_pd_512, {a[0], a[1], a[0], i8(255), i32(4)})
                  : call(Intrinsic::x86_avx512_mask_scalef_ps_512, {a[0], a[1], a[0], i16(0xffff), i32(4)});
    });
  }
  if (!wide) {   // exact in double
    V d = widen_to_double(x);
    return narrow_to_single(fmul(d, pow2(d, ir.CreateSExt(clamp_int(n, -400, 400), int_like(d)))));
  }
  V tiny = eq(exponent_field(x), 0);
  V y = pick(tiny, fmul(x, real(x, 0x1p54)), x), e = exponent_field(y);
  V keep = bor(eq(e, 0), eq(e, 2047));
  V to = ir.CreateAdd(ir.CreateSExt(clamp_int(n, -6000, 6000), e->getType()), sub(e, 1023));
  to = ir.CreateSub(to, pick(tiny, like(to, 54), like(to, 0)));
  V unit = as_float(bor(band(as_int(y), kDouble.sign() | kDouble.fraction()), kDouble.pow2(0)));
  // Two factors, of which the first rounds nothing.
  V low = slt(to, -1022);
  V first = pick(low, like(to, static_cast<uint64_t>(-900)), clamp_int(to, -1022, 1023));
  V second = pick(low, clamp_int(add(to, 900), -300, 0), clamp_int(sub(to, 1023), 0, 1023));
  return pick(keep, canonicalize(x), fmul(fmul(unit, pow2(x, first)), pow2(x, second)));
}

/// In [0.5, 1), and the exponent for it. Infinities, NaNs and zeros have none.
V Math::Impl::frexp_mant(V x) {
  const FloatFormat& f = format(x);
  const bool wide = &f == &kDouble;
  V keep = bor(eq(exponent_field(x), f.exponent() >> f.mantissa), compare(CmpInst::FCMP_OEQ, x, real(x, 0.0)));
  if (traits.avx512) {
    V m = pieces(wide ? 8 : 16, {x}, [&](ArrayRef<V> a) {
      return wide ? call(Intrinsic::x86_avx512_mask_getmant_pd_512, {a[0], i32(2), a[0], i8(255), i32(4)})
                  : call(Intrinsic::x86_avx512_mask_getmant_ps_512, {a[0], i32(2), a[0], i16(0xffff), i32(4)});
    });
    return pick(keep, canonicalize(x), m);
  }
  V y = pick(eq(exponent_field(x), 0), fmul(x, real(x, wide ? 0x1p54 : 0x1p24)), x);
  return pick(keep, canonicalize(x), as_float(bor(band(as_int(y), f.sign() | f.fraction()), f.pow2(-1))));
}
V Math::Impl::frexp_exp(V x) {
  const FloatFormat& f = format(x);
  const bool wide = &f == &kDouble;
  V e = exponent_field(x);
  V none = bor(eq(e, f.exponent() >> f.mantissa), compare(CmpInst::FCMP_OEQ, x, real(x, 0.0)));
  V r;
  if (traits.avx512) {
    V whole = pieces(wide ? 8 : 16, {x}, [&](ArrayRef<V> a) {
      return wide ? call(Intrinsic::x86_avx512_mask_getexp_pd_512, {a[0], a[0], i8(255), i32(4)})
                  : call(Intrinsic::x86_avx512_mask_getexp_ps_512, {a[0], a[0], i16(0xffff), i32(4)});
    });
    r = add(ir.CreateFPToSI(whole, of_bits(x, 32)), 1);
  } else {
    V tiny = eq(e, 0);
    V y = pick(tiny, fmul(x, real(x, wide ? 0x1p54 : 0x1p24)), x);
    r = sub(exponent_field(y), static_cast<uint64_t>(f.bias - 1));
    r = ir.CreateSub(r, pick(tiny, like(r, wide ? 54 : 24), like(r, 0)));
    r = ir.CreateTrunc(r, of_bits(x, 32));
  }
  return pick(none, like(r, 0), r);
}

/// Bit n of `want` for class n: sNaN, qNaN, -inf, -normal, -denormal, -0, +0, +denormal, +normal, +inf.
V Math::Impl::is_class(V b, V want, const FloatFormat& f) {
  if (auto* c = dyn_cast<Constant>(want); c && f.bits > 16)
    if (auto* one = dyn_cast_or_null<ConstantInt>(c->getSplatValue())) {
      V x = as_float(b);
      return ir.CreateIntrinsic(Intrinsic::is_fpclass, {x->getType()}, {x, i32(static_cast<uint32_t>(one->getZExtValue()) & 0x3ff)});
    }
  V mag = band(b, f.magnitude());
  // The classes of positive numbers begin at 0, the smallest denormal, normal, infinity; NaNs lie above.
  V up = like(b, 6);
  for (uint64_t first : {uint64_t{1}, uint64_t{1} << f.mantissa, f.exponent()})
    up = ir.CreateAdd(up, ir.CreateZExt(invert(ult(mag, first)), b->getType()));
  V n = pick(slt(b, 0), ir.CreateSub(like(b, 11), up), up);
  n = pick(ugt(mag, f.exponent()), pick(ne(band(b, f.quiet()), 0), like(b, 1), like(b, 0)), n);
  return ne(band(ir.CreateLShr(want, ir.CreateZExtOrTrunc(n, want->getType())), 1), 0);
}

// ---------------------------------------------------------------- to integers: toward zero, saturated, a NaN is 0

V Math::Impl::to_unsigned(V x) {
  const bool wide = x->getType()->getScalarSizeInBits() == 64;
  V zero = real(x, 0.0);
  V c = pick(compare(CmpInst::FCMP_OGT, x, zero), x, zero);
  if (traits.avx512)   // too large gives all ones
    return pieces(wide ? 8 : 16, {c}, [&](ArrayRef<V> a) {
      V none = Constant::getNullValue(of_bits(a[0], 32));
      return wide ? call(Intrinsic::x86_avx512_mask_cvttpd2udq_512, {a[0], none, i8(255), i32(4)})
                  : call(Intrinsic::x86_avx512_mask_cvttps2udq_512, {a[0], none, i16(0xffff), i32(4)});
    });
  if (wide) {
    V most = real(x, 4294967295.0);
    c = pick(compare(CmpInst::FCMP_OLT, c, most), c, most);
    V n = fadd(to_integral(Intrinsic::trunc, c), real(x, 0x1p52));   // the whole number is the fraction's end
    return ir.CreateTrunc(as_int(n), of_bits(x, 32));
  }
  auto convert = [&](V f) { return pieces(8, {f}, [&](ArrayRef<V> a) { return call(Intrinsic::x86_avx_cvtt_ps2dq_256, a); }); };
  V low = convert(c), high = convert(fsub(c, real(c, 0x1p31)));
  V r = bor(low, band(high, sar(low, 31)));
  return pick(compare(CmpInst::FCMP_OGE, c, real(c, 0x1p32)), like(r, 0xffffffff), r);
}
V Math::Impl::to_signed(V x) {
  const bool wide = x->getType()->getScalarSizeInBits() == 64;
  V r;
  if (traits.avx512)
    r = pieces(wide ? 8 : 16, {x}, [&](ArrayRef<V> a) {
      V none = Constant::getNullValue(of_bits(a[0], 32));
      return wide ? call(Intrinsic::x86_avx512_mask_cvttpd2dq_512, {a[0], none, i8(255), i32(4)})
                  : call(Intrinsic::x86_avx512_mask_cvttps2dq_512, {a[0], none, i16(0xffff), i32(4)});
    });
  else
    r = pieces(wide ? 4 : 8, {x}, [&](ArrayRef<V> a) { return call(wide ? Intrinsic::x86_avx_cvtt_pd2dq_256 : Intrinsic::x86_avx_cvtt_ps2dq_256, a); });
  // The host's answer to what it can't tell is the smallest number.
  r = pick(compare(CmpInst::FCMP_OGE, x, real(x, 0x1p31)), like(r, 0x7fffffff), r);
  return pick(is_nan(x), like(r, 0), r);
}

// ---------------------------------------------------------------- output modifiers

/// Ignored while denormal results are kept or in IEEE mode; makes no -0.
V Math::Impl::omod(V x, unsigned how) {
  if (mode.ieee || !mode.ftz) return x;
  V r = fmul(x, real(x, how == 1 ? 2.0 : how == 2 ? 4.0 : 0.5));
  return pick(compare(CmpInst::FCMP_OEQ, r, real(r, 0.0)), real(r, 0.0), r);
}
/// By bits: a denormal result is above 0 even where MODE takes denormal sources for 0.
V Math::Impl::clamp01(V x) {
  V b = as_int(x);
  V r = as_float(clamp_int(b, 0, static_cast<int64_t>(format(x).pow2(0))));
  return pick(is_nan(x), mode.dx10_clamp ? real(x, 0.0) : x, r);
}

// ---------------------------------------------------------------- by primitive

V Math::Impl::single(const Node& node, ArrayRef<V> a, ArrayRef<Kind> kinds) {
  V zero = a.empty() || !a[0]->getType()->isFPOrFPVectorTy() ? nullptr : real(a[0], 0.0);
  switch (node.prim) {
  case Prim::fadd: return fadd(a[0], a[1]);
  case Prim::fsub: return fsub(a[0], a[1]);
  case Prim::fmul: return fmul(a[0], a[1]);
  case Prim::fneg: return ir.CreateFNeg(a[0]);
  case Prim::fabs: return magnitude(a[0]);
  case Prim::feq: return compare(CmpInst::FCMP_OEQ, a[0], a[1]);
  case Prim::fne: return compare(CmpInst::FCMP_UNE, a[0], a[1]);
  case Prim::flt: return compare(CmpInst::FCMP_OLT, a[0], a[1]);
  case Prim::fle: return compare(CmpInst::FCMP_OLE, a[0], a[1]);
  case Prim::fma: return fma(a[0], a[1], a[2]);
  case Prim::mad:
    return flushed_result(fadd(flushed_result(fmul(flushed_source(a[0]), flushed_source(a[1]))), flushed_source(a[2])));
  case Prim::fmin: return by_mode(min_max<false>(a[0], a[1]));
  case Prim::fmax: return by_mode(min_max<true>(a[0], a[1]));
  case Prim::fmed3: return med3(a[0], a[1], a[2]);
  case Prim::canonicalize: return canonicalize(a[0]);
  case Prim::quiet: return quieted(a[0]);
  case Prim::is_nan: return is_nan(a[0]);
  case Prim::unordered: return ir.CreateFCmpUNO(a[0], a[1]);
  case Prim::is_class: return is_class(as_int(a[0]), a[1], format(a[0]));
  case Prim::rcp: return rcp(a[0]);
  case Prim::rsq: return rsq(a[0]);
  case Prim::sqrt: return sqrt(node.kind == Kind::f32 ? flushed_source(a[0]) : a[0]);
  case Prim::fract: return fract(a[0]);
  case Prim::trunc: return to_integral(Intrinsic::trunc, a[0]);
  case Prim::ceil: return to_integral(Intrinsic::ceil, a[0]);
  case Prim::rndne: return to_integral(Intrinsic::roundeven, a[0]);
  case Prim::floor: return to_integral(Intrinsic::floor, a[0]);
  case Prim::ldexp: return ldexp(a[0], a[1]);
  case Prim::frexp_mant: return frexp_mant(a[0]);
  case Prim::frexp_exp: return frexp_exp(a[0]);
  case Prim::div_fixup: {
    V whole = whole_division(a[0], a[1], a[2]);
    return whole ? whole : div_fixup(canonicalize(a[0]), a[1], a[2]);
  }
  case Prim::div_scale: return div_scale(a[0], a[1], a[2]).value;
  case Prim::div_scale_out: return div_scale(a[0], a[1], a[2]).mask;
  case Prim::div_fmas: return div_fmas(a[0], a[1], a[2], a[3]);
  case Prim::trig_preop: return trig_preop(a[0], a[1]);
  case Prim::mul_legacy: case Prim::mad_legacy: {
    const bool mad = node.prim == Prim::mad_legacy;
    V x = mad ? flushed_source(a[0]) : a[0], y = mad ? flushed_source(a[1]) : a[1];
    V none = bor(compare(CmpInst::FCMP_OEQ, x, zero), compare(CmpInst::FCMP_OEQ, y, zero));
    V p = pick(none, zero, fmul(x, y));
    return mad ? flushed_result(fadd(flushed_result(p), flushed_source(a[2]))) : p;
  }
  case Prim::dot2: {
    const bool mi200 = traits.target == isa::Target::gfx90a, by_mode_only = isa::bit(traits.target) & isa::kGfx940;
    auto step = [&](V sum, V x, V y) {
      V r = fma(half_to_single(x, mi200), half_to_single(y, mi200), by_mode_only ? sum : flushed_source(sum));
      return by_mode_only ? r : flushed_result(r);
    };
    return step(step(a[0], a[1], a[2]), a[3], a[4]);
  }
  case Prim::exp2: return flushed_result(exp2(a[0]));
  case Prim::log2: return log2(flushed_source(a[0]));
  case Prim::sin: return sin_cos(a[0], false);
  case Prim::cos: return sin_cos(a[0], true);
  case Prim::cube_id: case Prim::cube_sc: case Prim::cube_tc: case Prim::cube_ma: return cube(node.prim, a[0], a[1], a[2]);
  case Prim::cvt_f32: return kinds[0] == Kind::f64 ? narrow_to_single(a[0]) : from_integer(a[0], node.imm, 32);
  case Prim::cvt_f64: return kinds[0] == Kind::f32 ? widen_to_double(a[0]) : from_integer(a[0], node.imm, 64);
  case Prim::cvt_u32: return to_unsigned(a[0]);
  case Prim::cvt_i32: return to_signed(a[0]);
  case Prim::bf16_bits: {
    V b = as_int(a[0]);
    V rounded = shr(ir.CreateAdd(add(b, 0x7fff), band(shr(b, 16), 1)), 16);
    return pick(is_nan(a[0]), bor(shr(b, 16), 0x40), rounded);
  }
  case Prim::from_num8: return from_num8(static_cast<isa::Num>(node.imm), a[0]);
  case Prim::to_num8: return to_num8(static_cast<isa::Num>(node.imm), a[0], nullptr);
  case Prim::to_num8_sr: return to_num8(static_cast<isa::Num>(node.imm), a[0], a[1]);
  case Prim::omod: return omod(a[0], static_cast<unsigned>(node.imm));
  case Prim::clamp01: return clamp01(a[0]);
  default: return nullptr;
  }
}

template V Math::Impl::ordered<true>(V, V);
template V Math::Impl::min_max_quiet<false>(V, V);
template V Math::Impl::min_max_quiet<true>(V, V);

} // namespace bz::jit
