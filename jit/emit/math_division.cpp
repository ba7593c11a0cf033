// Reciprocals, and the three helpers that a division is made of on this ISA.
#include "jit/emit/math_impl.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

namespace bz::jit {

using namespace llvm;

V Math::Impl::any(V flags) {
  return ir.CreateIsNotNull(ir.CreateBitCast(flags, ir.getIntNTy(cast<FixedVectorType>(flags->getType())->getNumElements())));
}

Math::Impl::Scaled Math::Impl::unless(V rare, Scaled usual, function_ref<Scaled()> f) {
  if (auto* c = dyn_cast<Constant>(rare); c && c->isNullValue()) return usual;
  LLVMContext& c = ir.getContext();
  BasicBlock* before = ir.GetInsertBlock();
  Function* in = before->getParent();
  auto* slow = BasicBlock::Create(c, "", in);
  auto* after = BasicBlock::Create(c, "", in, slow);
  V is = any(rare);
  ir.CreateCondBr(is, slow, after, MDBuilder(c).createUnlikelyBranchWeights());
  ir.SetInsertPoint(slow);
  Scaled other = f();
  BasicBlock* slow_end = ir.GetInsertBlock();
  ir.CreateBr(after);
  ir.SetInsertPoint(after);
  auto either = [&](V x, V y) -> V {
    if (!x) return nullptr;
    PHINode* r = ir.CreatePHI(x->getType(), 2);
    r->addIncoming(x, before);
    r->addIncoming(y, slow_end);
    return r;
  };
  V value = either(usual.value, other.value);
  return {value, either(usual.mask, other.mask)};
}
V Math::Impl::unless(V rare, V usual, function_ref<V()> f) {
  return unless(rare, Scaled{usual, nullptr}, [&] { return Scaled{f(), nullptr}; }).value;
}

SmallVector<V, 2> Math::Impl::outlined(const char* name, ArrayRef<V> args, ArrayRef<Type*> results,
                                       function_ref<void(Impl&, ArrayRef<V>, SmallVectorImpl<V>&)> body) {
  Function* caller = ir.GetInsertBlock()->getParent();
  Module& module = *caller->getParent();
  const std::string whole = (Twine("bz.") + name + (format(args[0]).bits == 64 ? ".f64." : ".f32.") + Twine::utohexstr(traits.mode) + (traits.avx512 ? ".512" : ".256")).str();
  // Masks travel as integers: made fast, LLVM's code for returning one ends in a copy between registers that there is no
  // instruction for.
  auto is_mask = [&](Type* t) { return traits.avx512 && t->isVectorTy() && t->getScalarType()->isIntegerTy(1); };
  SmallVector<Type*, 2> returned;
  for (Type* t : results) returned.push_back(is_mask(t) ? Type::getIntNTy(ir.getContext(), lanes) : t);
  auto* result = StructType::get(ir.getContext(), returned);
  Function* f = module.getFunction(whole);
  if (!f) {
    SmallVector<Type*, 4> types;
    for (V a : args) types.push_back(a->getType());
    f = Function::Create(FunctionType::get(result, types, false), Function::InternalLinkage, whole, module);
    for (auto a : {Attribute::NoInline, Attribute::Cold, Attribute::NoUnwind, Attribute::WillReturn}) f->addFnAttr(a);
    // So that calls on rare ways cost the code around them nothing. LLVM 22 makes wrong code of it for arguments on the stack, as AVX2
    // has them for doubles.
    if (traits.avx512) f->addFnAttr("no_caller_saved_registers");
    f->setDoesNotAccessMemory();   // so that a call whose result nobody wants goes away
    set_math_attributes(*f, traits);
    IRBuilder<> inside(BasicBlock::Create(ir.getContext(), "", f));
    Impl m(inside, traits, lanes);
    SmallVector<V, 4> parameters;
    for (auto& a : f->args()) parameters.push_back(&a);
    SmallVector<V, 2> values;
    body(m, parameters, values);
    V all = PoisonValue::get(result);
    for (unsigned k = 0; k < values.size(); ++k) all = inside.CreateInsertValue(all, inside.CreateBitCast(values[k], returned[k]), k);
    inside.CreateRet(all);
  }
  auto* call = ir.CreateCall(f, args);
  if (traits.avx512) call->addFnAttr(Attribute::get(ir.getContext(), "no_caller_saved_registers"));
  SmallVector<V, 2> values;
  for (unsigned k = 0; k < results.size(); ++k) values.push_back(ir.CreateBitCast(ir.CreateExtractValue(call, k), results[k]));
  return values;
}

// ---------------------------------------------------------------- reciprocals

/// Single precision takes and gives no denormals here, whatever MODE says.
V Math::Impl::rcp(V x) {
  V one = real(x, 1.0);
  if (&format(x) == &kDouble) return fdiv(one, x);
  return flushed_result(fdiv(one, flushed_source(x)));
}
/// Two roundings could be off by almost two units: one correction in single precision.
V Math::Impl::rsq(V x) {
  V one = real(x, 1.0);
  if (&format(x) == &kDouble) return fdiv(one, sqrt(x));
  x = flushed_source(x);
  if (traits.fast_numerics) {
    if (!traits.avx512) return fdiv(one, sqrt(x));
    V y = call(Intrinsic::x86_avx512_rsqrt14_ps_512, {x, x, i16(0xffff)});   // one step from 14 bits
    V better = fma(fmul(y, real(x, 0.5)), fma(ir.CreateFNeg(fmul(x, y)), y, one), y);
    return pick(is_nan(better), y, better);
  }
  V r = fdiv(one, sqrt(x));
  V h = fmul(x, r);
  V rest = fma(x, r, ir.CreateFNeg(h));
  V error = fma(ir.CreateFNeg(rest), r, fma(ir.CreateFNeg(h), r, one));
  V better = fma(fmul(r, real(x, 0.5)), error, r);
  return pick(is_nan(better), r, better);   // zeros and infinities have no error to speak of
}

// ---------------------------------------------------------------- v_div_scale

/// |n / d| is below the normals and n is not 0; decided without rounding. What overflows here was not small.
V Math::Impl::quotient_tiny(V n, V d) {
  const FloatFormat& f = format(d);
  V ad = magnitude(d);
  V small = compare(CmpInst::FCMP_OLT, fmul(magnitude(n), from_bits(d, f.pow2(f.bias - 1))), ad);
  V finite = compare(CmpInst::FCMP_OLT, ad, from_bits(d, f.exponent()));
  return band(band(small, compare(CmpInst::FCMP_UNE, n, real(n, 0.0))), finite);
}

/// (value, denominator, numerator): the value scaled so that the following steps neither overflow nor lose bits, and whether the
/// quotient must be scaled back.
Math::Impl::Scaled Math::Impl::div_scale(V s0, V s1, V s2) {
  ScaleMemo& memo = scale_memo;
  if (memo.block == ir.GetInsertBlock() && memo.a == s0 && memo.b == s1 && memo.c == s2 && memo.value && memo.mask) return {memo.value, memo.mask};
  // Usually nothing is scaled: both are normal, and neither the reciprocal nor the quotient comes near the ends.
  const FloatFormat& f = format(s0);
  const bool wide = &f == &kDouble;
  const uint64_t top = f.exponent() >> f.mantissa, tiny = wide ? 53 : 23, far_apart = wide ? 768 : 96, low = static_cast<uint64_t>(f.bias) - 2;
  V e1 = exponent_field(s1), e2 = exponent_field(s2);
  V usual = band(band(ult(sub(e1, 1), top - 3), ult(sub(e2, tiny + 1), top - tiny - 1)), ult(add(ir.CreateSub(e2, e1), low), low + far_apart));
  V plain = canonicalize(s0);
  Scaled r = unless(invert(usual), {plain, Constant::getNullValue(type(Kind::flag))}, [&] {
    auto rare = outlined("div_scale", {s0, s1, s2}, {s0->getType(), type(Kind::flag)}, [](Impl& m, ArrayRef<V> a, SmallVectorImpl<V>& out) {
      Scaled r = m.div_scale_rare(a[0], a[1], a[2]);
      out.push_back(r.value), out.push_back(r.mask);
    });
    return Scaled{rare[0], rare[1]};
  });
  memo.block = ir.GetInsertBlock(), memo.a = s0, memo.b = s1, memo.c = s2, memo.value = r.value, memo.mask = r.mask;
  return r;
}
Math::Impl::Scaled Math::Impl::div_scale_rare(V s0, V s1, V s2) {
  const FloatFormat& f = format(s0);
  const bool wide = &f == &kDouble;
  const int64_t far_apart = wide ? 768 : 96, tiny_exponent = wide ? 53 : 23;
  const int by = wide ? 128 : 64;
  V zero = real(s0, 0.0);
  V e1 = exponent_field(s1), e2 = exponent_field(s2);
  V is_numerator = compare(CmpInst::FCMP_OEQ, s0, s2), is_denominator = compare(CmpInst::FCMP_OEQ, s0, s1);
  V up = fmul(s0, from_bits(s0, f.pow2(by))), down = fmul(s0, from_bits(s0, f.pow2(-by)));
  V plain = canonicalize(s0);
  V quotient_small = quotient_tiny(s2, s1), recip_small = quotient_tiny(real(s1, 1.0), s1);
  V denormal = band(eq(e1, 0), compare(CmpInst::FCMP_UNE, s1, zero));
  V apart = invert(slt(ir.CreateSub(e2, e1), far_apart));
  V none = bor(compare(CmpInst::FCMP_OEQ, s1, zero), compare(CmpInst::FCMP_OEQ, s2, zero));
  // The manual's tests, last one first. Where it scales a denominator up beyond the range, it goes down.
  V r = pick(slt(e2, tiny_exponent + 1), up, plain);
  r = pick(quotient_small, pick(is_numerator, up, plain), r);
  r = pick(recip_small, down, r);
  r = pick(band(recip_small, quotient_small), pick(is_denominator, down, plain), r);
  r = pick(denormal, up, r);
  r = pick(apart, pick(is_denominator, up, plain), r);
  r = pick(none, from_bits(s0, f.default_nan()), r);
  // The reciprocal's tests leave quotient_small as it is.
  V mask = band(bor(band(quotient_small, invert(denormal)), apart), invert(none));
  return {r, mask};
}

// ---------------------------------------------------------------- v_div_fmas

/// (x * y + z) * 2^n of singles, rounded once: the sum in double precision, rounded to odd.
V Math::Impl::scaled_sum_single(V x, V y, V z, V n) {
  V p = fmul(widen_to_double(x), widen_to_double(y)), q = widen_to_double(z);
  V s = fadd(p, q), back = fsub(s, p);
  V error = fadd(fsub(p, fsub(s, back)), fsub(q, back));
  V bits = as_int(s);
  V inexact = bor(ir.CreateFCmpOLT(error, real(error, 0.0)), ir.CreateFCmpOGT(error, real(error, 0.0)));
  V outward = invert(slt(ir.CreateXor(as_int(error), bits), 0));
  V next = ir.CreateAdd(bits, pick(outward, like(bits, 1), like(bits, ~uint64_t{0})));
  V odd = as_float(pick(band(inexact, eq(band(bits, 1), 0)), next, bits));
  return narrow_to_single(fmul(odd, pow2(odd, ir.CreateSExt(n, bits->getType()))));
}

/// The same of doubles; `plain` is x * y + z as MODE rounds it.
V Math::Impl::scaled_sum_double(V x, V y, V z, V plain, V n) {
  V factor = pow2(plain, n);
  V r = fmul(plain, factor);
  V infinity = from_bits(x, kDouble.exponent());
  // A product beyond the largest number comes back by the scaling; z, below 2 then, is far below its last place.
  V returns = band(slt(n, 0), band(ir.CreateFCmpOGE(magnitude(plain), from_bits(x, kDouble.pow2(1023))),
                                   band(ir.CreateFCmpOLT(magnitude(x), infinity), ir.CreateFCmpOLT(magnitude(y), infinity))));
  r = pick(returns, fma(fmul(x, from_bits(x, kDouble.pow2(-128))), y, z), r);
  if (mode.ftz) return r;   // no result below the normals is rounded
  // Below the normals the scaling rounds again, so it is given the sum rounded to odd: of both neighbours the odd one. If it drops
  // one bit only, that would look like a tie to rounding to nearest, for which the even one is right then.
  V down, up;
  if (traits.avx512) {
    down = fma_rounded(x, y, z, 8 | 1);
    up = fma_rounded(x, y, z, 8 | 2);
  } else {
    // Rounding is a part of the state here. The asm changes it and puts it back.
    auto* v4 = FixedVectorType::get(ir.getDoubleTy(), 4);
    auto rounded = [&](uint32_t bits) {
      return pieces(4, {x, y, z}, [&](ArrayRef<V> a) {
        BasicBlock& entry = ir.GetInsertBlock()->getParent()->getEntryBlock();
        V place = IRBuilder<>(&entry, entry.begin()).CreateAlloca(ArrayType::get(ir.getInt32Ty(), 2));
        auto* asm_type = FunctionType::get(v4, {v4, v4, v4, place->getType(), ir.getInt32Ty()}, false);
        auto* code = InlineAsm::get(asm_type,
                                    "vstmxcsr ($4)\n\tmov ($4), %eax\n\tand $$0xffff9fff, %eax\n\tor $5, %eax\n\tmov %eax, 4($4)\n\t"
                                    "vldmxcsr 4($4)\n\tvfmadd213pd $3, $2, $0\n\tvldmxcsr ($4)",
                                    "=&x,0,x,x,r,i,~{eax},~{memory},~{flags}", true);
        return static_cast<V>(ir.CreateCall(asm_type, code, {a[0], a[1], a[2], place, i32(bits)}));
      });
    };
    down = rounded(1u << 13);
    up = rounded(2u << 13);
  }
  V exact = ir.CreateFCmpUEQ(down, up);
  V down_is_odd = ne(band(as_int(down), 1), 0);
  if (mode.round == FloatMode::nearest) down_is_odd = ir.CreateXor(down_is_odd, ir.CreateFCmpOGE(magnitude(plain), from_bits(x, kDouble.pow2(-895))));
  V odd = pick(exact, plain, pick(down_is_odd, down, up));
  if (mode.daz) {   // a denormal sum would count as nothing: any other number far below the last place does as well
    V b = as_int(odd);
    V lost = band(eq(band(b, kDouble.exponent()), 0), ne(band(b, kDouble.fraction()), 0));
    odd = pick(lost, as_float(bor(band(b, kDouble.sign()), kDouble.pow2(-1022))), odd);
  }
  return pick(ir.CreateFCmpOLT(magnitude(plain), from_bits(x, kDouble.pow2(-894))), fmul(odd, factor), r);
}

V Math::Impl::div_fmas(V x, V y, V z, V scale) {
  V r = fma(x, y, z);
  return unless(scale, r, [&] {
    return outlined("div_fmas", {x, y, z, scale, r}, {r->getType()},
                    [](Impl& m, ArrayRef<V> a, SmallVectorImpl<V>& out) { out.push_back(m.div_fmas_rare(a[0], a[1], a[2], a[3], a[4])); })[0];
  });
}
V Math::Impl::div_fmas_rare(V x, V y, V z, V scale, V plain) {
  const FloatFormat& f = format(x);
  const int64_t by = &f == &kDouble ? 128 : 64;
  V e = exponent_field(z);
  V n = pick(sgt(e, f.bias), like(e, static_cast<uint64_t>(by)), like(e, static_cast<uint64_t>(-by)));
  V scaled = &f == &kDouble ? scaled_sum_double(x, y, z, plain, n) : scaled_sum_single(x, y, z, n);
  return pick(band(scale, invert(is_nan(plain))), scaled, plain);
}

// ---------------------------------------------------------------- v_div_fixup

V Math::Impl::div_fixup(V q, V den, V num) {
  const FloatFormat& f = format(q);
  V sign = band(ir.CreateXor(as_int(den), as_int(num)), f.sign());
  V r = as_float(bor(band(as_int(q), f.magnitude()), sign));
  // Ordinary: both normal, and their quotient neither surely too large nor too small.
  V e1 = exponent_field(den), e2 = exponent_field(num);
  const uint64_t top = f.exponent() >> f.mantissa, least = &f == &kDouble ? 1075 : 150, most = static_cast<uint64_t>(f.bias) + 1;
  V ordinary = band(band(ult(sub(e1, 1), top - 1), ult(sub(e2, 1), top - 1)), ult(add(ir.CreateSub(e2, e1), least), least + most + 1));
  return unless(invert(ordinary), r, [&] {
    return outlined("div_fixup", {r, den, num}, {r->getType()},
                    [](Impl& m, ArrayRef<V> a, SmallVectorImpl<V>& out) { out.push_back(m.div_fixup_rare(a[0], a[1], a[2])); })[0];
  });
}
/// `r` has the quotient's sign.
V Math::Impl::div_fixup_rare(V r, V den, V num) {
  const FloatFormat& f = format(r);
  const bool wide = &f == &kDouble;
  V zero = real(r, 0.0), infinity = from_bits(r, f.exponent()), nan = from_bits(r, f.default_nan());
  V sign = band(ir.CreateXor(as_int(den), as_int(num)), f.sign());
  auto with_sign = [&](V positive) { return as_float(bor(as_int(positive), sign)); };
  V apart = ir.CreateSub(exponent_field(num), exponent_field(den));
  V smallest = from_bits(r, f.pow2(wide ? -1000 : -100)), largest = from_bits(r, f.pow2(wide ? 1000 : 100));
  // By the rounding mode, which looks at the sign.
  r = pick(slt(apart, wide ? -1075 : -150), fmul(with_sign(smallest), smallest), r);
  r = pick(sgt(apart, f.bias + 1), fmul(with_sign(largest), largest), r);
  V den_zero = compare(CmpInst::FCMP_OEQ, den, zero), num_zero = compare(CmpInst::FCMP_OEQ, num, zero);
  V den_inf = ir.CreateFCmpOEQ(magnitude(den), infinity), num_inf = ir.CreateFCmpOEQ(magnitude(num), infinity);
  r = pick(bor(den_inf, num_zero), with_sign(zero), r);
  r = pick(bor(den_zero, num_inf), with_sign(infinity), r);
  r = pick(bor(band(den_zero, num_zero), band(den_inf, num_inf)), nan, r);
  r = pick(is_nan(den), quieted(den), r);
  return pick(is_nan(num), quieted(num), r);
}

// ---------------------------------------------------------------- whole divisions

/// num / den by the steps of compilers (math_idiom.cpp) where the quotient is not 0 and below the normals, or among the smallest of
/// them; rounding is to nearest. The steps work on fractions, and what they make is rounded once when the exponent is put back.
V Math::Impl::small_quotient(V num, V den) {
  V n = frexp_mant(num), d = frexp_mant(den), minus = ir.CreateFNeg(d);
  V k = ir.CreateSub(frexp_exp(num), frexp_exp(den));
  V y = fdiv(real(d, 1.0), d), q = fmul(n, y), e = fma(minus, q, n);
  V plain = fma(e, y, q);
  // The same sum and its error, for a neighbour on the side of the exact value: an odd one if more than a bit is dropped behind it,
  // an even one if it is one bit.
  V p = fmul(e, y), s = fadd(q, p);
  V error = fadd(fadd(fsub(q, s), p), fma(e, y, ir.CreateFNeg(p)));
  V below_one = ir.CreateFCmpOLT(magnitude(plain), real(plain, 1.0));
  V dropped = ir.CreateSub(pick(below_one, like(k, static_cast<uint64_t>(-1021)), like(k, static_cast<uint64_t>(-1022))), k);
  V bits = as_int(s);
  V wrong = ir.CreateXor(eq(band(bits, 1), 0), eq(dropped, 1));
  V outward = invert(slt(ir.CreateXor(as_int(error), bits), 0));
  V next = ir.CreateAdd(bits, pick(outward, like(bits, 1), like(bits, ~uint64_t{0})));
  V chosen = as_float(pick(band(wrong, ir.CreateFCmpONE(error, real(error, 0.0))), next, bits));
  return ldexp(pick(sgt(dropped, 0), chosen, plain), k);
}

} // namespace bz::jit
