#include "jit/emit/values.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/Support/KnownBits.h>

namespace bz::jit {
namespace {

unsigned width_of(Kind k) { return k == Kind::u64 || k == Kind::f64 ? 64 : k == Kind::f16 ? 16 : k == Kind::flag ? 1 : 32; }
bool is_integer(Kind k) { return k == Kind::u32 || k == Kind::u64 || k == Kind::flag; }

/// Primitives that a scalar does as well as 16 equal lanes.
bool scalar_too(Prim p) {
  switch (p) {
  case Prim::add: case Prim::sub: case Prim::mul: case Prim::and_: case Prim::or_: case Prim::xor_: case Prim::not_: case Prim::shl: case Prim::shr:
  case Prim::sar: case Prim::eq: case Prim::ne: case Prim::ult: case Prim::ule: case Prim::slt: case Prim::sle: case Prim::select: case Prim::cast:
  case Prim::lo: case Prim::hi: case Prim::make64: case Prim::zext64: case Prim::sext64: case Prim::from_flag: case Prim::umin: case Prim::umax:
  case Prim::smin: case Prim::smax: case Prim::umul_hi: case Prim::smul_hi: case Prim::popcount: case Prim::clz: case Prim::ctz: case Prim::reverse_bits:
    return true;
  default: return false;
  }
}

std::optional<uint64_t> constant_of(llvm::Value* v) {
  if (auto* c = llvm::dyn_cast_or_null<llvm::ConstantInt>(v)) return c->getZExtValue();
  return std::nullopt;
}

} // namespace

Values::Values(Ir& ir, const MathTraits& traits, const llvm::DataLayout& layout) : ir_(ir), math_(ir, traits, kLanes), layout_(layout) {}

llvm::Value* Values::splat(llvm::Value* scalar) { return ir_.CreateVectorSplat(kLanes, scalar); }

Value Values::constant(Kind k, uint64_t bits) {
  auto* integer = llvm::ConstantInt::get(ir_.getIntNTy(width_of(k)), bits);
  if (is_integer(k)) return scalar(k, integer);
  return scalar(k, ir_.CreateBitCast(integer, scalar_type(k)));
}

llvm::Value* Values::lanes(const Value& v) {
  if (v.vec) return v.vec;
  auto* s = splat(v.base);
  auto* t = v.base->getType();
  auto constants = [&](const Pattern& p) {
    std::vector<llvm::Constant*> c;
    for (int64_t d : p.delta) c.push_back(llvm::ConstantInt::getSigned(t, d));
    return llvm::ConstantVector::get(c);
  };
  if (!v.pattern.uniform()) s = ir_.CreateAdd(s, constants(v.pattern));
  if (v.scale) s = ir_.CreateAdd(s, ir_.CreateMul(splat(v.scale), constants(v.steps)));
  return s;
}

llvm::Value* Values::follows(const Value& v, const Pattern& p) {
  auto* vec = lanes(v);
  Value expected{v.kind, nullptr, ir_.CreateExtractElement(vec, uint64_t{0}), nullptr, p, false};
  auto* same = ir_.CreateICmpEQ(vec, lanes(expected));
  return ir_.CreateICmpEQ(ir_.CreateBitCast(same, ir_.getInt16Ty()), ir_.getInt16(0xffff));
}

llvm::Value* Values::and_cond(llvm::Value* x, llvm::Value* y) { return !x ? y : !y || x == y ? x : ir_.CreateAnd(x, y); }

llvm::Value* Values::emit(const Node& node, std::span<const Value> args, unsigned chunk, bool lane) {
  std::vector<llvm::Value*> values;
  std::vector<Kind> kinds;
  for (const Value& a : args) {
    values.push_back(lane ? lanes(a) : a.base);
    kinds.push_back(a.kind);
  }
  Node n = node;
  n.lane = lane;
  return math_.emit(n, values, kinds, chunk);
}

Value Values::pure(const Node& node, std::span<const Value> args, unsigned chunk) {
  if (node.prim == Prim::constant) return constant(node.kind, node.imm);
  if (!node.lane) return scalar(node.kind, emit(node, args, chunk, false));
  if (node.prim == Prim::no_lanes) return constant(Kind::flag, 0);
  if (patterns) {
    if (node.prim == Prim::lane_index) {
      Value v = constant(Kind::u32, kLanes * chunk);
      v.pattern = Pattern::lanes();
      return v;
    }
    if (Value v = all_uniform(node, args, chunk)) return v;
    if (Value v = regular(node, args)) {
      if (v.cond || v.on_only) v.vec = emit(node, args, chunk, true);
      return v;
    }
  }
  return vector(node.kind, emit(node, args, chunk, true));
}

Value Values::op(Prim p, Kind kind, std::initializer_list<Value> args, uint64_t imm) {
  Node n;
  n.prim = p;
  n.kind = kind;
  n.lane = true;
  n.imm = imm;
  n.args = static_cast<uint8_t>(args.size());
  return pure(n, std::span<const Value>(args.begin(), args.size()), 0);
}

/// The same in all lanes: once is enough.
Value Values::all_uniform(const Node& node, std::span<const Value> args, unsigned chunk) {
  if (!scalar_too(node.prim) || args.empty()) return {};
  for (const Value& a : args)
    if (!a.uniform()) return {};
  return scalar(node.kind, emit(node, args, chunk, false));
}

std::optional<uint64_t> Values::known_zero(llvm::Value* base) {
  if (!base->getType()->isIntegerTy()) return std::nullopt;
  return llvm::computeKnownBits(base, layout_).Zero.getZExtValue();
}

/// base + delta = base | delta in every lane.
bool Values::apart(const Value& v) {
  if (v.pattern.uniform()) return true;
  auto bits = v.pattern.bits();
  if (!bits) return false;
  return (*bits & ~*known_zero(v.base)) == 0;
}

llvm::Value* Values::no_wrap(llvm::Value* base, const Pattern& p, bool is_signed) {
  Value v{Kind::u32, nullptr, base, nullptr, p, false};
  const auto bits = p.bits();
  if (bits && apart(v) && !(is_signed && (*bits >> 31))) return nullptr;
  const int64_t least = p.least(), range = p.most() - least;
  llvm::Value* wide = is_signed ? ir_.CreateSExt(base, ir_.getInt64Ty()) : ir_.CreateZExt(base, ir_.getInt64Ty());
  const int64_t from = is_signed ? int64_t{1} << 31 : 0;
  auto* moved = ir_.CreateAdd(wide, ir_.getInt64(static_cast<uint64_t>(least + from)));
  return ir_.CreateICmpULE(moved, ir_.getInt64(static_cast<uint64_t>(0xffffffff - range)));
}

Value Values::regular(const Node& node, std::span<const Value> args) {
  llvm::Value* cond = nullptr;
  bool on_only = false, strided = false;
  for (const Value& a : args) {
    if (!a.base) return {};
    cond = and_cond(cond, a.cond);
    on_only |= a.on_only;
    strided |= a.strided();
  }
  if (args.empty() || (strided && on_only)) return {};
  Value v = strided ? strided_op(node, args) : regular_op(node, args);
  if (!v || (v.strided() && on_only)) return {};
  if (v.strided() && v.steps.uniform()) v.scale = nullptr;
  v.kind = node.kind;
  v.cond = and_cond(cond, v.cond);
  v.on_only = on_only;
  if (auto c = constant_of(v.cond)) {
    if (!*c) return {};
    v.cond = nullptr;
  }
  return v;
}

Value Values::bitwise_op(Prim p, Kind kind, const Value& x, const Value& y) {
  if (!apart(x)) return {};
  const auto bits = *x.pattern.bits();
  auto known = llvm::computeKnownBits(y.base, layout_);
  const uint64_t ones = known.One.getZExtValue(), zeros = known.Zero.getZExtValue();
  if (bits & ~(ones | zeros)) return {};
  auto pattern = bitwise(p == Prim::and_ ? Bitwise::and_ : p == Prim::or_ ? Bitwise::or_ : Bitwise::xor_, x.pattern, ones, width_of(kind));
  if (!pattern) return {};
  auto* base = p == Prim::and_ ? ir_.CreateAnd(x.base, y.base) : p == Prim::or_ ? ir_.CreateOr(x.base, y.base) : ir_.CreateXor(x.base, y.base);
  return {kind, nullptr, base, nullptr, *pattern, false};
}

Values::Range Values::range(const Value& v, bool is_signed) {
  auto* t = ir_.getInt64Ty();
  auto* base = is_signed ? ir_.CreateSExt(v.base, t) : ir_.CreateZExt(v.base, t);
  Range r{ir_.CreateAdd(base, ir_.getInt64(static_cast<uint64_t>(v.pattern.least()))), ir_.CreateAdd(base, ir_.getInt64(static_cast<uint64_t>(v.pattern.most())))};
  if (!v.scale) return r;
  // Less than 2^63: both factors are numbers of 32 bits.
  auto* scale = ir_.CreateSExt(v.scale, t);
  auto* down = ir_.CreateMul(scale, ir_.getInt64(static_cast<uint64_t>(v.steps.least())));
  auto* up = ir_.CreateMul(scale, ir_.getInt64(static_cast<uint64_t>(v.steps.most())));
  auto* rises = ir_.CreateICmpSGE(scale, ir_.getInt64(0));
  r.least = ir_.CreateAdd(r.least, ir_.CreateSelect(rises, down, up));
  r.most = ir_.CreateAdd(r.most, ir_.CreateSelect(rises, up, down));
  return r;
}

/// i1: the whole range lies within the numbers of 32 bits.
llvm::Value* Values::fits(const Range& r, bool is_signed) {
  if (is_signed)
    return ir_.CreateAnd(ir_.CreateICmpSGE(r.least, ir_.getInt64(static_cast<uint64_t>(INT32_MIN))), ir_.CreateICmpSLE(r.most, ir_.getInt64(INT32_MAX)));
  return ir_.CreateAnd(ir_.CreateICmpSGE(r.least, ir_.getInt64(0)), ir_.CreateICmpSLE(r.most, ir_.getInt64(UINT32_MAX)));
}

/// The same where lanes differ by a scale: what addresses are made with.
Value Values::strided_op(const Node& node, std::span<const Value> args) {
  const unsigned width = width_of(node.kind);
  const Value& x = args[0];
  auto* wide = ir_.getInt64Ty();
  auto with = [&](llvm::Value* base, const Pattern& p, llvm::Value* scale, const Pattern& steps, llvm::Value* cond = nullptr) {
    return Value{node.kind, nullptr, base, cond, p, false, scale, steps};
  };
  auto constant = [&](size_t k) { return args.size() > k && args[k].regular() && args[k].pattern.uniform() ? constant_of(args[k].base) : std::nullopt; };
  switch (node.prim) {
  case Prim::add: case Prim::sub: case Prim::add_carry: {
    const Value& y = args[1];
    if (x.scale && y.scale && x.scale != y.scale) return {};
    if (node.prim == Prim::add_carry && !(args[2].regular() && args[2].pattern.uniform())) return {};
    if (node.prim == Prim::sub) return with(ir_.CreateSub(x.base, y.base), sub(x.pattern, y.pattern, width), x.scale ? x.scale : y.scale, sub(x.steps, y.steps, width));
    auto* sum = ir_.CreateAdd(x.base, y.base);
    if (node.prim == Prim::add_carry) sum = ir_.CreateAdd(sum, ir_.CreateZExt(args[2].base, sum->getType()));
    return with(sum, add(x.pattern, y.pattern, width), x.scale ? x.scale : y.scale, add(x.steps, y.steps, width));
  }
  case Prim::mul: {
    const bool second = constant(1).has_value();
    const auto c = second ? constant(1) : constant(0);
    if (!c) return {};
    const Value& a = second ? x : args[1];
    return with(ir_.CreateMul(a.base, llvm::ConstantInt::get(a.base->getType(), *c)), mul(a.pattern, *c, width), a.scale, mul(a.steps, *c, width));
  }
  case Prim::shl: {
    const auto c = constant(1);
    if (!c) return {};
    const auto by = static_cast<unsigned>(*c);
    return with(ir_.CreateShl(x.base, llvm::ConstantInt::get(x.base->getType(), *c)), shl(x.pattern, by, width), x.scale, shl(x.steps, by, width));
  }
  case Prim::zext64: return with(ir_.CreateZExt(x.base, wide), x.pattern, ir_.CreateSExt(x.scale, wide), x.steps, fits(range(x, false), false));
  case Prim::sext64: return with(ir_.CreateSExt(x.base, wide), x.pattern, ir_.CreateSExt(x.scale, wide), x.steps, fits(range(x, true), true));
  case Prim::make64: {
    if (args[1].scale || !args[1].pattern.uniform()) return {};
    auto* base = ir_.CreateOr(ir_.CreateZExt(x.base, wide), ir_.CreateShl(ir_.CreateZExt(args[1].base, wide), 32));
    return with(base, x.pattern, ir_.CreateSExt(x.scale, wide), x.steps, fits(range(x, false), false));
  }
  case Prim::lo: {
    auto* narrow = ir_.getInt32Ty();
    return with(ir_.CreateTrunc(x.base, narrow), shl(x.pattern, 0, 32), ir_.CreateTrunc(x.scale, narrow), shl(x.steps, 0, 32));
  }
  case Prim::hi: {
    // The same for all lanes unless the low half runs over between them.
    auto narrow = [](const Pattern& p) { return p.least() >= INT32_MIN && p.most() <= INT32_MAX; };
    if (!narrow(x.pattern) || !narrow(x.steps)) return {};
    Value low{Kind::u32, nullptr, ir_.CreateTrunc(x.base, ir_.getInt32Ty()), nullptr, x.pattern, false, ir_.CreateTrunc(x.scale, ir_.getInt32Ty()), x.steps};
    auto* small = ir_.CreateICmpEQ(ir_.CreateSExt(low.scale, wide), x.scale);
    return with(ir_.CreateTrunc(ir_.CreateLShr(x.base, 32), ir_.getInt32Ty()), {}, nullptr, {}, ir_.CreateAnd(small, fits(range(low, false), false)));
  }
  case Prim::sar: {
    if (width != 32 || constant(1) != uint64_t{31}) return {};
    const Range r = range(x, true);
    auto* one_sign = ir_.CreateICmpSGE(ir_.CreateXor(r.least, r.most), ir_.getInt64(0));
    return with(ir_.CreateAShr(x.base, 31), {}, nullptr, {}, ir_.CreateAnd(one_sign, fits(r, true)));
  }
  case Prim::add_carry_out: {
    const Value& a = x.scale ? x : args[1];
    const Value& b = x.scale ? args[1] : x;
    if (width_of(a.kind) != 32 || b.scale || !b.pattern.uniform() || args.size() != 3 || args[2].scale || !args[2].pattern.uniform()) return {};
    const Range r = range(a, false);
    auto* rest = ir_.CreateAdd(ir_.CreateZExt(b.base, wide), ir_.CreateZExt(args[2].base, wide));
    auto carry = [&](llvm::Value* v) { return ir_.CreateLShr(ir_.CreateAdd(v, rest), 32); };
    auto* of_all = ir_.CreateICmpEQ(carry(r.least), carry(r.most));
    return with(ir_.CreateICmpNE(carry(r.least), ir_.getInt64(0)), {}, nullptr, {}, ir_.CreateAnd(of_all, fits(r, false)));
  }
  default: return {};
  }
}

/// args are all regular; their conditions are the caller's business.
Value Values::regular_op(const Node& node, std::span<const Value> args) {
  const unsigned width = width_of(node.kind);
  const Value& x = args[0];
  auto with = [&](llvm::Value* base, const Pattern& p, llvm::Value* cond = nullptr) { return Value{node.kind, nullptr, base, cond, p, false}; };
  auto second_uniform = [&] { return args.size() > 1 && args[1].pattern.uniform(); };
  switch (node.prim) {
  case Prim::add: return with(ir_.CreateAdd(x.base, args[1].base), add(x.pattern, args[1].pattern, width));
  case Prim::sub: return with(ir_.CreateSub(x.base, args[1].base), sub(x.pattern, args[1].pattern, width));
  case Prim::mul: case Prim::umul_wide: {
    const Value& a = second_uniform() ? x : args[1];
    const Value& b = second_uniform() ? args[1] : x;
    if (!b.pattern.uniform()) return {};
    auto wide = [&](llvm::Value* v) { return node.prim == Prim::mul ? v : ir_.CreateZExt(v, ir_.getInt64Ty()); };
    auto* times = wide(b.base);
    Value v = with(ir_.CreateMul(wide(a.base), times), {}, node.prim == Prim::mul ? nullptr : no_wrap(a.base, a.pattern, false));
    if (auto c = constant_of(b.base)) v.pattern = mul(a.pattern, *c, width);
    else v.scale = times, v.steps = a.pattern;
    return v;
  }
  case Prim::shl: {
    auto c = constant_of(args[1].base);
    if (!c || !second_uniform()) return {};
    return with(ir_.CreateShl(x.base, llvm::ConstantInt::get(x.base->getType(), *c)), shl(x.pattern, static_cast<unsigned>(*c), width));
  }
  case Prim::and_: case Prim::or_: case Prim::xor_:
    if (node.kind == Kind::flag) return {};
    if (second_uniform()) return bitwise_op(node.prim, node.kind, x, args[1]);
    if (x.pattern.uniform()) return bitwise_op(node.prim, node.kind, args[1], x);
    return {};
  case Prim::shr: case Prim::sar: {
    auto c = constant_of(args[1].base);
    if (!c || !second_uniform()) return {};
    auto* by = llvm::ConstantInt::get(x.base->getType(), *c);
    const bool arithmetic = node.prim == Prim::sar;
    auto* base = arithmetic ? ir_.CreateAShr(x.base, by) : ir_.CreateLShr(x.base, by);
    const auto bits = x.pattern.bits();
    if (bits && apart(x) && !(arithmetic && (*bits >> (width - 1) & 1)))
      if (auto p = shr(x.pattern, static_cast<unsigned>(*c))) return with(base, *p);
    // The sign is one for all lanes unless the lanes lie around 0 or the end of the range.
    if (arithmetic && *c == width - 1 && width == 32 && x.pattern.least() >= 0) {
      auto* last = ir_.CreateAdd(x.base, llvm::ConstantInt::getSigned(x.base->getType(), x.pattern.most()));
      return with(base, {}, ir_.CreateICmpSGE(ir_.CreateXor(x.base, last), llvm::ConstantInt::get(x.base->getType(), 0)));
    }
    return {};
  }
  case Prim::cast: return x.pattern.uniform() ? with(ir_.CreateBitCast(x.base, scalar_type(node.kind)), {}) : Value{};
  case Prim::lo: return with(ir_.CreateTrunc(x.base, ir_.getInt32Ty()), shl(x.pattern, 0, 32));
  case Prim::hi: {
    auto* base = ir_.CreateTrunc(ir_.CreateLShr(x.base, 32), ir_.getInt32Ty());
    if (x.pattern.uniform()) return with(base, {});
    // The same for all lanes unless the low half runs over between them.
    if (x.pattern.least() < 0 || x.pattern.most() >> 32) return {};
    return with(base, {}, no_wrap(ir_.CreateTrunc(x.base, ir_.getInt32Ty()), x.pattern, false));
  }
  case Prim::zext64: return with(ir_.CreateZExt(x.base, ir_.getInt64Ty()), x.pattern, no_wrap(x.base, x.pattern, false));
  case Prim::sext64: return with(ir_.CreateSExt(x.base, ir_.getInt64Ty()), x.pattern, no_wrap(x.base, x.pattern, true));
  case Prim::make64: {
    if (!second_uniform()) return {};
    auto* high = ir_.CreateShl(ir_.CreateZExt(args[1].base, ir_.getInt64Ty()), 32);
    auto* base = ir_.CreateOr(ir_.CreateZExt(x.base, ir_.getInt64Ty()), high);
    return with(base, x.pattern, no_wrap(x.base, x.pattern, false));
  }
  case Prim::add_carry: {
    if (!args[2].pattern.uniform()) return {};
    auto* carry = ir_.CreateZExt(args[2].base, x.base->getType());
    return with(ir_.CreateAdd(ir_.CreateAdd(x.base, args[1].base), carry), add(x.pattern, args[1].pattern, width));
  }
  case Prim::add_carry_out: {
    if (args.size() != 3 || !args[2].pattern.uniform()) return {};
    // Lanes differ only in one operand, whose sum must not run over between them.
    const Value& a = second_uniform() ? x : args[1];
    const Value& b = second_uniform() ? args[1] : x;
    if (!b.pattern.uniform() || a.pattern.least() < 0) return {};
    auto* wide = ir_.CreateAdd(ir_.CreateAdd(ir_.CreateZExt(a.base, ir_.getInt64Ty()), ir_.CreateZExt(b.base, ir_.getInt64Ty())),
                               ir_.CreateZExt(args[2].base, ir_.getInt64Ty()));
    llvm::Value* cond = a.pattern.uniform() ? nullptr : and_cond(no_wrap(ir_.CreateTrunc(wide, ir_.getInt32Ty()), a.pattern, false), no_wrap(a.base, a.pattern, false));
    return with(ir_.CreateICmpNE(ir_.CreateLShr(wide, 32), ir_.getInt64(0)), {}, cond);
  }
  case Prim::select:
    if (!x.pattern.uniform() || !(args[1].pattern == args[2].pattern)) return {};
    return with(ir_.CreateSelect(x.base, args[1].base, args[2].base), args[1].pattern);
  case Prim::eq: case Prim::ne:
    // Equal differences: one comparison.
    if (!(x.pattern == args[1].pattern)) return {};
    return with(node.prim == Prim::eq ? ir_.CreateICmpEQ(x.base, args[1].base) : ir_.CreateICmpNE(x.base, args[1].base), {});
  default: return {};
  }
}

} // namespace bz::jit
