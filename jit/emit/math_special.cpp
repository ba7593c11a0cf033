// Transcendental functions, cube maps, eight-bit floats and the bits of 2/pi.
#include "jit/emit/math_impl.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/Module.h>

namespace bz::jit {

using namespace llvm;

// ---------------------------------------------------------------- transcendental functions

// Only correctly rounded operations in a fixed order, so that every engine has the same last bit (docs/fidelity.md). Single
// precision suffices for 2^x; the others are computed in double and rounded once more.

V Math::Impl::polynomial(V at, std::initializer_list<double> coefficients) {
  V p = nullptr;
  for (double c : coefficients) p = p ? fma(p, at, real(at, c)) : real(at, c);
  return p;
}

/// 2^x: exact for integers, within 1 ulp.
V Math::Impl::exp2(V x) {
  V c = pick(ir.CreateFCmpOLT(x, real(x, -160.0)), real(x, -160.0), x);   // a NaN stays
  c = pick(ir.CreateFCmpOGT(c, real(x, 130.0)), real(x, 130.0), c);
  V n = to_integral(Intrinsic::roundeven, c), f = fsub(c, n);
  V p = polynomial(f, {1.5252733804059841e-5f, 1.5403530393381609e-4f, 1.3333558146428443e-3f, 9.6181291076284772e-3f, 5.5504108664821580e-2f,
                       2.4022650695910071e-1f, 6.9314718055994531e-1f, 1.0f});   // ln2^k / k!
  if (traits.avx512)
    return pieces(16, {p, n}, [&](ArrayRef<V> a) { return call(Intrinsic::x86_avx512_mask_scalef_ps_512, {a[0], a[1], a[0], i16(0xffff), i32(4)}); });
  // In two steps, of which the first rounds nothing.
  V e = ir.CreateFPToSI(pick(is_nan(x), real(n, 0.0), n), of_bits(n, 32));
  V first = pick(slt(e, -100), like(e, static_cast<uint64_t>(-60)), pick(sgt(e, 120), sub(e, 20), e));
  return fmul(fmul(p, pow2(p, first)), pow2(p, ir.CreateSub(e, first)));
}

/// With fast numerics all in single precision, where no denormal arrives.
V Math::Impl::log2(V x) {
  const bool fast = traits.fast_numerics;
  V d = fast ? x : widen_to_double(x), e, m;
  const FloatFormat& f = format(d);
  if (traits.avx512 && fast) {
    e = call(Intrinsic::x86_avx512_mask_getexp_ps_512, {d, d, i16(0xffff), i32(4)});
    m = call(Intrinsic::x86_avx512_mask_getmant_ps_512, {d, i32(0), d, i16(0xffff), i32(4)});
  } else if (traits.avx512) {
    e = pieces(8, {d}, [&](ArrayRef<V> a) { return call(Intrinsic::x86_avx512_mask_getexp_pd_512, {a[0], a[0], i8(255), i32(4)}); });
    m = pieces(8, {d}, [&](ArrayRef<V> a) { return call(Intrinsic::x86_avx512_mask_getmant_pd_512, {a[0], i32(0), a[0], i8(255), i32(4)}); });
  } else {
    V n = sub(exponent_field(d), static_cast<uint64_t>(f.bias));
    e = ir.CreateSIToFP(ir.CreateTrunc(n, of_bits(d, 32)), d->getType());
    m = as_float(bor(band(as_int(d), f.sign() | f.fraction()), f.pow2(0)));
  }
  V upper = ir.CreateFCmpOGT(m, real(m, 1.4142135623730951));
  m = pick(upper, fmul(m, real(m, 0.5)), m);
  e = pick(upper, fadd(e, real(e, 1.0)), e);
  V one = real(m, 1.0), s = fdiv(fsub(m, one), fadd(m, one)), z = fmul(s, s);
  constexpr double c = 2.8853900817779268;   // 2 / ln 2
  V r;
  if (fast) r = fma(s, polynomial(z, {c / 9, c / 7, c / 5, c / 3, c}), e);
  else r = narrow_to_single(fma(fmul(s, polynomial(z, {1.0 / 15, 1.0 / 13, 1.0 / 11, 1.0 / 9, 1.0 / 7, 1.0 / 5, 1.0 / 3, 1.0})), real(m, c), e));
  V zero = real(x, 0.0), infinity = from_bits(x, kSingle.exponent());
  r = pick(compare(CmpInst::FCMP_OEQ, r, zero), zero, r);   // of 1: rounding down makes -0 of the difference
  r = pick(ir.CreateFCmpOEQ(x, infinity), infinity, r);
  r = pick(compare(CmpInst::FCMP_OEQ, x, zero), from_bits(x, kSingle.exponent() | kSingle.sign()), r);
  r = pick(compare(CmpInst::FCMP_OLT, x, zero), from_bits(x, kSingle.default_nan()), r);
  return pick(is_nan(x), quieted(x), r);
}

/// Of 2 pi x for |x| <= 256, beyond that of 0.
V Math::Impl::sin_cos(V x, bool cosine) {
  const bool fast = traits.fast_numerics;   // in single precision
  V d = fast ? x : widen_to_double(x);
  if (cosine && !fast) d = fadd(d, real(d, 0.25));
  V r = fsub(d, to_integral(Intrinsic::roundeven, d));                                                  // [-0.5, 0.5]
  V q;
  if (cosine && fast) {
    q = fsub(real(r, 0.25), magnitude(r));
  } else {
    q = pick(compare(CmpInst::FCMP_OGT, r, real(r, 0.25)), fsub(real(r, 0.5), r), r);
    q = pick(compare(CmpInst::FCMP_OLT, q, real(q, -0.25)), fsub(real(q, -0.5), q), q);                 // [-0.25, 0.25]
  }
  V a = fmul(q, real(q, 6.283185307179586476925)), z = fmul(a, a);
  V p = fast ? polynomial(z, {-2.5052108385441718775e-8, 2.7557319223985890653e-6, -1.9841269841269841270e-4, 8.3333333333333333333e-3, -1.6666666666666666667e-1})
             : polynomial(z, {-7.6471637318198164759e-13, 1.6059043836821614599e-10, -2.5052108385441718775e-8, 2.7557319223985890653e-6,
                              -1.9841269841269841270e-4, 8.3333333333333333333e-3, -1.6666666666666666667e-1});
  V s = fma(fmul(p, z), a, a);
  if (!fast) s = narrow_to_single(s);
  V zero = real(x, 0.0), ax = magnitude(x);
  s = pick(compare(CmpInst::FCMP_OEQ, s, zero), zero, s);   // rounding down makes -0 of differences
  s = pick(ir.CreateFCmpOGT(ax, real(x, 256.0)), real(x, cosine ? 1.0 : 0.0), s);
  s = pick(ir.CreateFCmpOEQ(ax, from_bits(x, kSingle.exponent())), from_bits(x, kSingle.default_nan()), s);
  if (!cosine) s = pick(compare(CmpInst::FCMP_OEQ, x, zero), as_float(band(as_int(x), kSingle.sign())), s);   // keeps -0
  return pick(is_nan(x), quieted(x), s);
}

// ---------------------------------------------------------------- cube maps

/// The major axis is the largest magnitude: z before y before x.
V Math::Impl::cube(Prim prim, V x, V y, V z) {
  V ax = magnitude(x), ay = magnitude(y), az = magnitude(z);
  auto at_least = [&](V a, V b) { return compare(CmpInst::FCMP_OGE, a, b); };
  auto negative = [&](V a) { return compare(CmpInst::FCMP_OLT, a, real(a, 0.0)); };
  auto minus = [&](V a) { return ir.CreateFNeg(a); };
  V along_z = band(at_least(az, ax), at_least(az, ay));
  V along_y = at_least(ay, ax);   // and not along z
  auto by_axis = [&](V of_z, V of_y, V of_x) { return pick(along_z, of_z, pick(along_y, of_y, of_x)); };
  auto face = [&](V a, double n) { return pick(negative(a), real(a, n + 1), real(a, n)); };
  switch (prim) {
  case Prim::cube_id: return by_axis(face(z, 4), face(y, 2), face(x, 0));
  case Prim::cube_ma: return fmul(by_axis(z, y, x), real(x, 2.0));
  case Prim::cube_sc: return canonicalize(by_axis(pick(negative(z), minus(x), x), x, pick(negative(x), z, minus(z))));
  default: return canonicalize(by_axis(minus(y), pick(negative(y), minus(z), z), minus(y)));
  }
}

// ---------------------------------------------------------------- eight-bit floats

namespace {
/// e4m3 (fp8) or e5m2 (bf8). FNUZ (before gfx950): a bias one larger, 0x80 the only NaN, no infinities, no -0.
struct Num8 {
  bool bf8, fnuz;
  unsigned mantissa;
  int bias;
  Num8(isa::Num n, isa::Target t)
      : bf8(n == isa::Num::bf8), fnuz(t != isa::Target::gfx950), mantissa(bf8 ? 2 : 3), bias((bf8 ? 15 : 7) + (fnuz ? 1 : 0)) {}
  uint32_t largest() const { return fnuz ? 0x7f : bf8 ? 0x7b : 0x7e; }
  uint32_t beyond() const { return fnuz ? 0x80 : bf8 ? 0x7c : 0x7f; }   ///< infinity, or the NaN instead
};
} // namespace

V Math::Impl::from_num8(isa::Num n, V x) {
  const Num8 f(n, traits.target);
  V magnitude = band(x, 0x7f), sign = shl(band(x, 0x80), 24);
  V normal = add(shl(magnitude, 23 - f.mantissa), static_cast<uint64_t>(127 - f.bias) << 23);
  V small = ir.CreateSIToFP(magnitude, type(Kind::f32));
  small = ir.CreateFMul(small, from_bits(small, kSingle.pow2(1 - f.bias - static_cast<int>(f.mantissa))));   // exact
  V r = bor(pick(ult(magnitude, 1u << f.mantissa), as_int(small), normal), sign);
  V nan = like(r, 0x7fc00000);
  if (f.fnuz) return as_float(pick(eq(band(x, 0xff), 0x80), nan, r));
  if (!f.bf8) return as_float(pick(eq(magnitude, 0x7f), nan, r));
  r = pick(eq(magnitude, 0x7c), bor(sign, kSingle.exponent()), r);
  return as_float(pick(ugt(magnitude, 0x7c), nan, r));
}

/// To nearest even, or `random` (its top bits count) added below the last place and cut.
V Math::Impl::to_num8(isa::Num n, V x, V random) {
  const Num8 f(n, traits.target);
  V b = as_int(x), sign = shr(band(b, kSingle.sign()), 24), magnitude = band(b, kSingle.magnitude());
  V fraction = pick(ult(magnitude, 0x800000), magnitude, bor(band(magnitude, kSingle.fraction()), 0x800000));
  // The exponent in the small format, of which 0 is that of its denormals; what lies below loses more bits.
  V e = add(intrinsic2(Intrinsic::umax, shr(magnitude, 23), like(b, 1)), static_cast<uint64_t>(f.bias - 127));
  V drop = ir.CreateAdd(like(e, 23 - f.mantissa), intrinsic2(Intrinsic::smax, ir.CreateSub(like(e, 1), e), like(e, 0)));
  V r;
  if (random) {
    auto wide = [&](V a) { return ir.CreateZExt(a, of_bits(a, 64)); };
    V d = wide(intrinsic2(Intrinsic::umin, drop, like(drop, 62)));
    V right = intrinsic2(Intrinsic::smax, ir.CreateSub(like(d, 32), d), like(d, 0)), left = intrinsic2(Intrinsic::smax, sub(d, 32), like(d, 0));
    V seed = ir.CreateShl(ir.CreateLShr(wide(random), right), left);
    r = ir.CreateTrunc(ir.CreateLShr(ir.CreateAdd(wide(fraction), seed), d), b->getType());
    r = pick(ugt(drop, 62), like(r, 0), r);
  } else {
    V d = intrinsic2(Intrinsic::umin, drop, like(drop, 31));
    V half = sub(ir.CreateLShr(ir.CreateShl(like(d, 1), d), like(d, 1)), 1);
    r = ir.CreateLShr(ir.CreateAdd(ir.CreateAdd(fraction, half), band(ir.CreateLShr(fraction, d), 1)), d);
  }
  // The hidden bit adds the last one to the exponent.
  r = ir.CreateAdd(r, shl(intrinsic2(Intrinsic::smax, sub(e, 1), like(e, 0)), f.mantissa));
  V too_large = ugt(r, f.largest());
  V result = pick(too_large, like(r, mode.saturate ? f.largest() : f.beyond()), r);
  // FNUZ: nothing has a sign that is zero or NaN.
  if (f.fnuz) sign = pick(bor(eq(result, 0), eq(result, 0x80)), like(sign, 0), sign);
  result = bor(result, sign);
  V special = f.fnuz ? like(r, 0x80) : bor(sign, 0x7f);
  V infinite = f.fnuz ? like(r, 0x80) : bor(sign, f.beyond());
  result = pick(eq(magnitude, kSingle.exponent()), infinite, result);
  return pick(ugt(magnitude, kSingle.exponent()), special, result);
}

// ---------------------------------------------------------------- 2/pi

/// Segment n of 53 bits of 2/pi for arguments as large as x, as a double; 1201 bits are kept, zeros follow.
V Math::Impl::trig_preop(V x, V segment) {
  // 2/pi in binary, the first bit worth 1/2.
  static constexpr uint32_t kTwoOverPi[] = {
      0xA2F9836E, 0x4E441529, 0xFC2757D1, 0xF534DDC0, 0xDB629599, 0x3C439041, 0xFE5163AB, 0xDEBBC561, 0xB7246E3A, 0x424DD2E0,
      0x06492EEA, 0x09D1921C, 0xFE1DEB1C, 0xB129A73E, 0xE88235F5, 0x2EBB4484, 0xE99C7026, 0xB45F7E41, 0x3991D639, 0x835339F4,
      0x9C845F8B, 0xBDF9283B, 0x1FF897FF, 0xDE05980F, 0xEF2F118B, 0x5A0A6D1F, 0x6D367ECF, 0x27CB09B7, 0x4F463F66, 0x9E5FEA2D,
      0x7527BAC7, 0xEBE5F17B, 0x3D0739F7, 0x8A5292EA, 0x6BFB5FB1, 0x1F8D5D08, 0x56033046, 0xFC7B0000, 0x00000000};
  constexpr uint32_t kWords = std::size(kTwoOverPi);
  Module* module = ir.GetInsertBlock()->getModule();
  GlobalVariable* table = module->getNamedGlobal("bz.two_over_pi");
  if (!table) {
    SmallVector<uint32_t, 48> words(kTwoOverPi, kTwoOverPi + std::size(kTwoOverPi));
    words.resize(kWords + 2, 0);
    auto* data = ConstantDataArray::get(ir.getContext(), words);
    table = new GlobalVariable(*module, data->getType(), true, GlobalValue::PrivateLinkage, data, "bz.two_over_pi");
    table->setAlignment(Align(64));
  }
  V e = ir.CreateTrunc(exponent_field(x), of_bits(x, 32));
  V at = ir.CreateMul(band(segment, 31), like(segment, 53));
  at = ir.CreateAdd(at, intrinsic2(Intrinsic::smax, sub(e, 1077), like(e, 0)));
  // 96 bits around: three words, of which 53 bits from `at` on count.
  V word = intrinsic2(Intrinsic::umin, shr(at, 5), like(at, kWords - 1));
  SmallVector<V, 3> w;
  for (unsigned k = 0; k < 3; ++k) {
    V place = ir.CreateGEP(ir.getInt32Ty(), table, ir.CreateZExt(add(word, k), of_bits(x, 64)));
    V all = Constant::getAllOnesValue(type(Kind::flag, true));
    w.push_back(ir.CreateMaskedGather(type(Kind::u32, true), place, Align(4), all, Constant::getNullValue(type(Kind::u32, true))));
  }
  auto wide = [&](V a) { return ir.CreateZExt(a, of_bits(a, 64)); };
  V n = wide(band(at, 31));
  V bits = ir.CreateShl(bor(shl(wide(w[0]), 32), wide(w[1])), n);
  bits = shr(bor(bits, shr(ir.CreateShl(wide(w[2]), n), 32)), 11);
  bits = pick(ugt(at, 1200), like(bits, 0), bits);
  V scale = ir.CreateSub(pick(ugt(e, 1967), like(e, 128 - 53), like(e, static_cast<uint64_t>(-53))), at);
  // Toward zero whatever MODE says: what a denormal has no place for goes first.
  V drop = wide(clamp_int(ir.CreateSub(like(scale, static_cast<uint64_t>(-1074)), scale), 0, 63));
  bits = ir.CreateShl(ir.CreateLShr(bits, drop), drop);
  V d;
  if (traits.avx512) {
    d = ir.CreateSIToFP(bits, type(Kind::f64, true));
  } else {
    V low = as_float(bor(band(bits, 0xffffffff), uint64_t{0x4330000000000000})), high = as_float(bor(shr(bits, 32), uint64_t{0x4530000000000000}));
    V sum = fadd(fsub(high, real(high, 0x1p84 + 0x1p52)), low);
    d = as_float(band(as_int(sum), kDouble.magnitude()));
  }
  // Three steps: the scale may reach below the normals.
  for (int step = 0; step < 3; ++step) {
    V by = intrinsic2(Intrinsic::smax, scale, like(scale, static_cast<uint64_t>(-500)));
    d = fmul(d, pow2(d, ir.CreateSExt(by, bits->getType())));
    scale = ir.CreateSub(scale, by);
  }
  return d;
}

} // namespace bz::jit
