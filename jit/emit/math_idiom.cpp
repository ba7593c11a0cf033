// Sequences that compilers make of one operation, found again: x / y and the square root. Owns what values were made of.
#include "jit/emit/math_impl.hpp"

#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/PatternMatch.h>

#include <optional>

namespace bz::jit {

using namespace llvm;

namespace {

V without_casts(V x) {
  while (auto* c = dyn_cast_or_null<BitCastInst>(x)) x = c->getOperand(0);
  return x;
}
/// Surely the same value: one, or made alike from the same ones.
bool same(V x, V y, int depth = 4) {
  x = without_casts(x), y = without_casts(y);
  if (!x || !y) return false;
  if (x == y) return true;
  if (auto *s = getSplatValue(x), *t = getSplatValue(y); s && t) {
    auto bits = [](V v) {
      auto* f = dyn_cast<ConstantFP>(v);
      auto* i = dyn_cast<ConstantInt>(v);
      return f ? std::optional(f->getValueAPF().bitcastToAPInt()) : i ? std::optional(i->getValue()) : std::nullopt;
    };
    if (without_casts(s) == without_casts(t)) return true;
    auto p = bits(s), q = bits(t);
    return p && q && *p == *q;
  }
  auto *a = dyn_cast<Instruction>(x), *b = dyn_cast<Instruction>(y);
  if (!a || !b || !depth || !a->isSameOperationAs(b) || a->mayReadOrWriteMemory() || llvm::isa<PHINode>(a) || llvm::isa<CallBase>(a)) return false;
  for (unsigned k = 0; k < a->getNumOperands(); ++k)
    if (!same(a->getOperand(k), b->getOperand(k), depth - 1)) return false;
  return true;
}
/// y of -y.
V negated(V x) {
  using namespace PatternMatch;
  x = without_casts(x);
  V y;
  if (x && (match(x, m_Xor(m_Value(y), m_SignMask())) || match(x, m_FNeg(m_Value(y))))) return y;
  return nullptr;
}

} // namespace

void Math::Impl::remember(const Node& node, ArrayRef<V> a, V r) {
  if (!traits.idioms || !mode.plain() || !lane || llvm::isa<Constant>(r)) return;
  switch (node.prim) {
  case Prim::rcp: case Prim::fma: case Prim::fmul: case Prim::div_scale: case Prim::div_scale_out: case Prim::div_fmas: case Prim::sqrt:
  case Prim::flt: case Prim::fle: case Prim::is_class:
    if (!a[0]->getType()->isFPOrFPVectorTy()) return;   // halves have no such steps
    break;
  case Prim::add: case Prim::select: break;
  default: return;
  }
  origins[without_casts(r)] = {node.prim, {a.begin(), a.end()}};
}

const Math::Impl::Origin* Math::Impl::made(V x, Prim p) const {
  auto it = x ? origins.find(without_casts(x)) : origins.end();
  return it != origins.end() && it->second.prim == p ? &it->second : nullptr;
}
/// Lanes that were off have lost their flag; their results are not wanted either.
const Math::Impl::Origin* Math::Impl::made_flag(V x, Prim p) const {
  const Origin* flag = made(x, p);
  if (auto* both = dyn_cast_or_null<BinaryOperator>(x); !flag && both && both->getOpcode() == Instruction::And) {
    flag = made(both->getOperand(0), p);
    if (!flag) flag = made(both->getOperand(1), p);
  }
  return flag;
}
/// The other one of `x` in x * y, x * y + z or x + y, or null.
V Math::Impl::other_factor(const Origin* o, V x) {
  if (!o) return nullptr;
  return same(o->args[0], x) ? o->args[1] : same(o->args[1], x) ? o->args[0] : nullptr;
}

// ---------------------------------------------------------------- divisions

// Compilers make x / y from v_div_scale (twice), v_rcp, fused steps, v_div_fmas and v_div_fixup. The host's division has the same
// result if rounding is to nearest and no denormal is flushed:
//   The first reciprocal is correctly rounded (here), and so is a refined one: 1/d is never as near to a midpoint as the steps' error.
//   By Markstein's theorem q + (n - d q) y is then correctly rounded if n - d q is exact, that is, for |q - n/d| within one unit.
//   Single precision corrects q once before. In double precision q = n y may be off by one and a half, but then n/d is no
//   midpoint's neighbour (those have n in the last places below 2, where all pairs were tried).
//   Scaled back below the normals it is rounded once; there a tie needs q to be exact before, which only the correction of single
//   precision makes sure. Doubles that small go through the steps' fractions.

V Math::Impl::whole_division(V q, V den, V num) {
  auto scaled = [&](V x, V of) {
    auto* o = made(x, Prim::div_scale);
    return o && same(o->args[0], of) && same(o->args[1], den) && same(o->args[2], num);
  };
  const Origin* last = made(q, Prim::div_fmas);
  if (!last) return nullptr;
  V e2 = last->args[0], y = last->args[1], q1 = last->args[2], mask = last->args[3];
  const Origin* flag = made_flag(mask, Prim::div_scale_out);
  if (!flag || !same(flag->args[0], num) || !same(flag->args[1], den) || !same(flag->args[2], num)) return nullptr;
  // e = num - den * q with a given q.
  auto rest = [&](V e, V of, V& d, V& n) {
    const Origin* o = made(e, Prim::fma);
    d = negated(other_factor(o, of));
    n = o ? static_cast<V>(o->args[2]) : nullptr;
    return d && n;
  };
  V d, n;
  if (!rest(e2, q1, d, n) || !scaled(d, den) || !scaled(n, num)) return nullptr;
  auto rest_of_these = [&](V e, V of, V numerator) {
    V d1, n1;
    return e && rest(e, of, d1, n1) && same(d1, d) && same(n1, numerator);
  };
  // y = r + r * (1 - den * r), from r = 1 / den; twice in double precision.
  auto better = [&](V of) -> V {
    const Origin* o = made(of, Prim::fma);
    V r = o ? static_cast<V>(o->args[2]) : nullptr;
    V e = r ? other_factor(o, r) : nullptr;
    return e && rest_of_these(e, r, real(r, 1.0)) ? r : nullptr;
  };
  const bool wide = &format(num) == &kDouble;
  V r = better(y);
  if (wide) r = r ? better(r) : nullptr;
  const Origin* reciprocal = made(r, Prim::rcp);
  if (!reciprocal || !same(reciprocal->args[0], d)) return nullptr;
  // q1 = q0 + (num - den * q0) * y in single precision, q0 = num * y.
  V q0 = q1;
  if (!wide) {
    const Origin* second = made(q1, Prim::fma);
    q0 = second ? static_cast<V>(second->args[2]) : nullptr;
    if (!q0 || !rest_of_these(other_factor(second, y), q0, n)) return nullptr;
  }
  if (!same(other_factor(made(q0, Prim::fmul), y), n)) return nullptr;
  V quotient = ir.CreateFDiv(num, den);
  if (!wide) return quotient;
  V small = ult(sub(band(as_int(quotient), kDouble.magnitude()), 1), kDouble.pow2(-1021) - 1);
  return unless(small, quotient, [&] {
    V rare = outlined("quotient", {num, den}, {num->getType()},
                      [](Impl& m, ArrayRef<V> a, SmallVectorImpl<V>& out) { out.push_back(m.small_quotient(a[0], a[1])); })[0];
    return pick(small, rare, quotient);
  });
}

// ---------------------------------------------------------------- square roots

// Of compilers, for single precision: tiny arguments are multiplied by 2^32, v_sqrt's neighbours on both sides are tried, the root is
// multiplied by 2^-16; zeros and infinity are the argument. v_sqrt is correctly rounded here, so no neighbour is better: the
// number between two roots whose square is next to x would have to lie within a quarter of the last place's square.

namespace {

bool is_bits(V x, uint32_t bits) {
  auto* s = x ? getSplatValue(without_casts(x)) : nullptr;
  if (auto* i = dyn_cast_or_null<ConstantInt>(s)) return static_cast<uint32_t>(i->getZExtValue()) == bits;
  auto* f = dyn_cast_or_null<ConstantFP>(s);
  return f && f->getType()->isFloatTy() && f->getValueAPF().bitcastToAPInt() == bits;
}

} // namespace

V Math::Impl::whole_root(V special, V argument, V root) {
  // select(is_class(x', 0x260), x', select(small, s2 * 2^-16, s2))
  const Origin* classes = made_flag(special, Prim::is_class);
  const Origin* unscaled = made(root, Prim::select);
  if (!classes || !unscaled || !same(classes->args[0], argument) || !is_bits(classes->args[1], 0x260)) return nullptr;
  auto constant_factor = [&](V product, uint32_t bits) -> V {
    const Origin* o = made(product, Prim::fmul);
    if (!o) return nullptr;
    return is_bits(o->args[0], bits) ? o->args[1] : is_bits(o->args[1], bits) ? o->args[0] : nullptr;
  };
  V tried = unscaled->args[2];
  if (!same(constant_factor(unscaled->args[1], 0x37800000), tried)) return nullptr;
  // x' = select(small, x * 2^32, x), small = x < 2^-96
  const Origin* scaled = made(argument, Prim::select);
  if (!scaled) return nullptr;
  V x = scaled->args[2];
  const Origin *small = made_flag(scaled->args[0], Prim::flt), *again = made_flag(unscaled->args[0], Prim::flt);
  if (!small || small != again || !same(small->args[0], x) || !is_bits(small->args[1], 0x0f800000) || !same(constant_factor(scaled->args[1], 0x4f800000), x)) return nullptr;
  // s2 = select(0 < x' - above * s, above, select(x' - below * s <= 0, below, s)), s = sqrt(x')
  const Origin* first = made(tried, Prim::select);
  const Origin* second = first ? made(first->args[2], Prim::select) : nullptr;
  if (!second) return nullptr;
  V s = second->args[2];
  const Origin* r = made(s, Prim::sqrt);
  if (!r || !same(r->args[0], argument)) return nullptr;
  auto neighbour = [&](V of, uint32_t by) {
    const Origin* o = made(of, Prim::add);
    return o && ((same(o->args[0], s) && is_bits(o->args[1], by)) || (same(o->args[1], s) && is_bits(o->args[0], by)));
  };
  auto rest_of = [&](V e, V of) {
    const Origin* o = made(e, Prim::fma);
    if (!o || !same(o->args[2], argument)) return false;
    V factor = negated(other_factor(o, s));
    return factor && same(factor, of);
  };
  const Origin *too_small = made_flag(first->args[0], Prim::flt), *too_large = made_flag(second->args[0], Prim::fle);
  if (!too_small || !too_large || !neighbour(first->args[1], 1) || !neighbour(second->args[1], ~0u) || !is_bits(too_small->args[0], 0) || !is_bits(too_large->args[1], 0) ||
      !rest_of(too_small->args[1], first->args[1]) || !rest_of(too_large->args[0], second->args[1]))
    return nullptr;
  return intrinsic1(Intrinsic::sqrt, as_float(x));
}

} // namespace bz::jit
