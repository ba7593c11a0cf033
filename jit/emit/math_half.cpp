// Half precision: 16 bits a lane, arithmetic in single precision with one more rounding, which is innocuous for one operation
// but not for a fused one. MXCSR's treatment of denormals does not reach halves, so MODE's is done here.
#include "jit/emit/math_impl.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/IntrinsicsX86.h>

namespace bz::jit {

using namespace llvm;

V Math::Impl::flush_half(V h) { return pick(eq(band(h, 0x7c00), 0), band(h, 0x8000), h); }

V Math::Impl::half_to_single(V h, bool flush) {
  if (flush) h = flush_half(h);
  return ir.CreateFPExt(ir.CreateBitCast(h, with_element(h, Type::getHalfTy(ir.getContext()))), float_of_bits(h, 32));
}
V Math::Impl::saturate_half(V h, V finite) { return pick(band(eq(band(h, 0x7fff), 0x7c00), finite), sub(h, 1), h); }

V Math::Impl::single_to_half(V x, bool may_saturate, bool flush, unsigned rounding) {
  V h = pieces(traits.avx512 ? 16 : 8, {x}, [&](ArrayRef<V> a) {
    return traits.avx512 ? call(Intrinsic::x86_avx512_mask_vcvtps2ph_512, {a[0], i32(rounding), Constant::getNullValue(of_bits(a[0], 16)), i16(0xffff)})
                         : call(Intrinsic::x86_vcvtps2ph_256, {a[0], i32(rounding)});
  });
  if (may_saturate && mode.saturate) h = saturate_half(h, ne(band(as_int(x), kSingle.exponent()), kSingle.exponent()));
  return flush ? flush_half(h) : h;
}

/// By way of a single that is rounded to odd.
V Math::Impl::double_to_half(V d) {
  V f = narrow_to_single(d), back = widen_to_double(f), bits = as_int(f);
  V infinity = from_bits(d, kDouble.exponent());
  V inexact = ir.CreateFCmpUNE(back, d), away = ir.CreateFCmpOGT(magnitude(back), magnitude(d));
  V finite = ne(band(bits, kSingle.exponent()), kSingle.exponent());
  V r = pick(band(inexact, finite), bor(ir.CreateSub(bits, ir.CreateZExt(away, bits->getType())), 1), bits);
  // Beyond the singles is beyond the halves: the largest single lets the rounding decide.
  V sign = band(bits, kSingle.sign()), beyond = band(band(inexact, invert(finite)), invert(is_nan(d)));
  r = pick(beyond, bor(sign, kSingle.exponent() - 1), r);
  r = pick(ir.CreateFCmpOEQ(magnitude(d), infinity), bor(sign, kSingle.exponent()), r);
  return single_to_half(as_float(r), false, false);
}

V Math::Impl::half_fma(V x, V y, V z) {
  V a = half_to_single(x), b = half_to_single(y), c = half_to_single(z);
  V h;
  if (traits.avx512) {
    // Rounded to odd: of the two neighbours of an inexact sum the one with an odd end. A zero has the sign of this rounding.
    V down = fma_rounded(a, b, c, 8 | 1), up = fma_rounded(a, b, c, 8 | 2);
    const bool prefers_down = mode.round == FloatMode::down;
    V odd = ne(band(as_int(prefers_down ? up : down), 1), 0);
    V r = prefers_down ? pick(odd, up, down) : pick(odd, down, up);
    h = single_to_half(r, true, false);
  } else {
    V r = fma(widen_to_double(a), widen_to_double(b), widen_to_double(c));
    h = double_to_half(r);
    if (mode.saturate) h = saturate_half(h, ir.CreateFCmpOLT(magnitude(r), from_bits(r, kDouble.exponent())));
  }
  return mode.ftz ? flush_half(h) : h;
}

/// Single precision has the order and keeps a NaN's bits, but quiets it.
template <bool Max> V Math::Impl::half_min_max(V x, V y) {
  V r = single_to_half(min_max_quiet<Max>(half_to_single(x, false), half_to_single(y, false)), false, false);
  if (!mode.ieee) return r;
  auto signalling = [&](V h) { return ugt(band(bxor(h, 0x200), 0x7fff), 0x7e00); };
  return pick(signalling(x), bor(x, 0x200), pick(signalling(y), bor(y, 0x200), r));
}
V Math::Impl::half_med3(V x, V y, V z) {
  V least = half_by_mode(half_min_max<false>(half_by_mode(half_min_max<false>(x, y)), z));
  V a = half_to_single(x), b = half_to_single(y), c = half_to_single(z);
  V ab = ordered<true>(a, b), most = ordered<true>(ab, c);
  V r = pick(ir.CreateFCmpOEQ(most, a), ordered<true>(b, c), pick(ir.CreateFCmpOEQ(most, b), ordered<true>(a, c), ab));
  return pick(bor(ir.CreateFCmpUNO(a, b), is_nan(c)), least, half_by_mode(single_to_half(r, false, false)));
}

V Math::Impl::half(const Node& node, ArrayRef<V> a, ArrayRef<Kind> kinds) {
  auto f = [&](unsigned k) { return half_to_single(a[k]); };
  auto special = [&] { return eq(band(a[0], 0x7c00), 0x7c00); };
  switch (node.prim) {
  case Prim::fadd: return single_to_half(fadd(f(0), f(1)));
  case Prim::fsub: return single_to_half(fsub(f(0), f(1)));
  case Prim::fmul: return single_to_half(fmul(f(0), f(1)));
  case Prim::fneg: return bxor(a[0], 0x8000);
  case Prim::fabs: return band(a[0], 0x7fff);
  case Prim::feq: return ir.CreateFCmpOEQ(f(0), f(1));
  case Prim::fne: return ir.CreateFCmpUNE(f(0), f(1));
  case Prim::flt: return ir.CreateFCmpOLT(f(0), f(1));
  case Prim::fle: return ir.CreateFCmpOLE(f(0), f(1));
  case Prim::fma: return half_fma(a[0], a[1], a[2]);
  case Prim::mad: {   // flushes whatever MODE says
    V p = single_to_half(fmul(half_to_single(a[0], true), half_to_single(a[1], true)), true, true);
    return single_to_half(fadd(half_to_single(p, false), half_to_single(a[2], true)), true, true);
  }
  case Prim::fmin: return half_by_mode(half_min_max<false>(a[0], a[1]));
  case Prim::fmax: return half_by_mode(half_min_max<true>(a[0], a[1]));
  case Prim::fmed3: return half_med3(a[0], a[1], a[2]);
  case Prim::canonicalize: return half_by_mode(half_quieted(a[0]));
  case Prim::quiet: return half_quieted(a[0]);
  case Prim::is_nan: return half_is_nan(a[0]);
  case Prim::unordered: return bor(half_is_nan(a[0]), half_is_nan(a[1]));
  case Prim::is_class: return is_class(a[0], a[1], kHalf);
  case Prim::rcp: { V x = f(0); return single_to_half(fdiv(real(x, 1.0), x)); }
  case Prim::rsq: { V x = f(0); return single_to_half(fdiv(real(x, 1.0), sqrt(x))); }
  case Prim::sqrt: return single_to_half(sqrt(f(0)));
  case Prim::fract: {
    V x = f(0), r = fsub(x, to_integral(Intrinsic::floor, x)), below = real(x, 0.99951171875);
    return single_to_half(pick(ir.CreateFCmpOGT(r, below), below, r));
  }
  case Prim::trunc: return single_to_half(to_integral(Intrinsic::trunc, f(0)));
  case Prim::ceil: return single_to_half(to_integral(Intrinsic::ceil, f(0)));
  case Prim::rndne: return single_to_half(to_integral(Intrinsic::roundeven, f(0)));
  case Prim::floor: return single_to_half(to_integral(Intrinsic::floor, f(0)));
  case Prim::ldexp: {   // exact in single precision, but for the rounding to a half
    V x = f(0);
    return single_to_half(fmul(x, pow2(x, clamp_int(a[1], -80, 80))));
  }
  case Prim::frexp_mant: return pick(special(), half_quieted(a[0]), single_to_half(frexp_mant(f(0)), false, mode.ftz));
  case Prim::frexp_exp: return pick(special(), int_const(type(Kind::u32), 0), frexp_exp(f(0)));
  case Prim::div_fixup: return single_to_half(div_fixup(f(0), f(1), f(2)));
  case Prim::exp2: {   // what is too large for a half need not be for a single
    V x = f(0), most = real(x, 100.0);
    V beyond = band(ir.CreateFCmpOGT(x, most), ir.CreateFCmpOLT(x, from_bits(x, kSingle.exponent())));
    return single_to_half(exp2(pick(beyond, most, x)));
  }
  case Prim::log2: return single_to_half(log2(f(0)));
  case Prim::sin: return single_to_half(sin_cos(f(0), false));
  case Prim::cos: return single_to_half(sin_cos(f(0), true));
  case Prim::cvt_f32: return f(0);
  case Prim::cvt_f16: return single_to_half(kinds[0] == Kind::f32 ? a[0] : from_integer(a[0], node.imm, 32));
  case Prim::cvt_f16_rtz: return single_to_half(a[0], false, mode.ftz, 3);
  case Prim::cvt_u32: return to_unsigned(f(0));
  case Prim::cvt_i32: return to_signed(f(0));
  case Prim::f16_bits: return ir.CreateZExt(a[0], type(Kind::u32));
  case Prim::f16_from_bits: return ir.CreateTrunc(a[0], type(Kind::f16));
  case Prim::omod: {
    if (mode.ieee || !mode.ftz) return a[0];
    V x = f(0);
    V r = single_to_half(fmul(x, real(x, node.imm == 1 ? 2.0 : node.imm == 2 ? 4.0 : 0.5)));
    return pick(eq(r, 0x8000), like(r, 0), r);
  }
  case Prim::clamp01: {
    V r = intrinsic2(Intrinsic::smin, intrinsic2(Intrinsic::smax, a[0], like(a[0], 0)), like(a[0], 0x3c00));
    return pick(half_is_nan(a[0]), mode.dx10_clamp ? like(a[0], 0) : a[0], r);
  }
  default: return nullptr;
  }
}

} // namespace bz::jit
