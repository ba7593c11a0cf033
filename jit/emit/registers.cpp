#include "jit/emit/registers.hpp"

#include <llvm/IR/Instructions.h>

#include <algorithm>

namespace bz::jit {
namespace {

Kind kind_of(bool wide) { return wide ? Kind::u64 : Kind::u32; }

/// The builder stands before the end of a version that is done, for as long as this lives. What is made there belongs to the guest
/// instruction that asks for it: a terminator's place is not its.
struct AtEnd {
  Ir& ir;
  llvm::IRBuilderBase::InsertPoint saved;
  llvm::DebugLoc line;
  AtEnd(Ir& b, Version* v) : ir(b), saved(b.saveIP()), line(b.getCurrentDebugLocation()) {
    ir.SetInsertPoint(v->last->getTerminator());
    ir.SetCurrentDebugLocation(line);
  }
  ~AtEnd() {
    ir.restoreIP(saved);
    ir.SetCurrentDebugLocation(line);
  }
};

bool same(const Value& x, const Value& y) {
  return x.vec == y.vec && x.base == y.base && x.cond == y.cond && x.pattern == y.pattern && x.on_only == y.on_only && x.scale == y.scale && x.steps == y.steps;
}

/// Lanes differ in the same way: by the same constants, and steps of some scale.
bool alike(const Value& x, const Value& y) { return x.base && y.base && x.pattern == y.pattern && x.strided() == y.strided() && x.steps == y.steps; }

} // namespace

llvm::Value* Registers::home(Reg r, unsigned chunk) {
  namespace layout = exec::layout;
  uint64_t at;
  if (r == kScc) at = offsetof(exec::Wave, scc);
  else if (is_vgpr(r)) at = layout::vgpr(r - kVgpr0) + 64 * chunk;
  else at = layout::sgpr(r);
  return ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), wave_, at);
}

Value Registers::read32(Reg r, unsigned chunk) {
  if (resident.test(r)) return Values::vector(Kind::u32, ir_.CreateAlignedLoad(values_.vector_type(Kind::u32), home(r, chunk), llvm::Align(64)));
  return read(at, r, chunk, false);
}
Value Registers::read64(Reg r, unsigned chunk) {
  if (!resident.test(r) && !resident.test(r + 1u)) return read(at, r, chunk, true);
  const Value parts[2] = {read32(r, chunk), read32(static_cast<Reg>(r + 1), chunk)};
  return pair_of(parts, chunk);
}

void Registers::write32(Reg r, unsigned chunk, const Value& v) {
  if (resident_writes && resident_writes->test(r)) {
    ir_.CreateAlignedStore(values_.lanes(v), home(r, chunk), llvm::Align(64));
    at->defs.erase(place(r, chunk));
    resident.set(r);
    return;
  }
  resident.reset(r);
  at->defs[place(r, chunk)] = {v, {}, 0};
}
void Registers::write64(Reg r, unsigned chunk, const Value& v, const Value& low, const Value& high) {
  if (resident_writes && (resident_writes->test(r) || resident_writes->test(r + 1u))) {
    auto part = [&](Prim p, const Value& made) {
      if (made) return made;
      Node n;
      n.prim = p;
      n.kind = Kind::u32;
      n.lane = chunk != kScalar;
      n.args = 1;
      return values_.pure(n, std::span<const Value>(&v, 1), chunk);
    };
    write32(r, chunk, part(Prim::lo, low));
    write32(static_cast<Reg>(r + 1), chunk, part(Prim::hi, high));
    return;
  }
  resident.reset(r), resident.reset(r + 1u);
  at->defs[place(r, chunk)] = {low, v, 1};
  at->defs[place(static_cast<Reg>(r + 1), chunk)] = {high, v, 2};
}

Value Registers::pair_of(const Value (&parts)[2], unsigned chunk) {
  Node n;
  n.prim = Prim::make64;
  n.kind = Kind::u64;
  n.lane = chunk != kScalar;
  n.args = 2;
  return values_.pure(n, parts, chunk);
}

Value Registers::read(Version* v, Reg r, unsigned chunk, bool wide) {
  // EXEC of a version for full waves is known until it is written.
  if (!wide) {
    auto d = v->defs.find(place(r, chunk));
    if (d == v->defs.end()) {
      if (v->full && (r == kExec || r == kExec + 1)) return values_.constant(Kind::u32, ~0u);
      return arrived(v, r, chunk, false);
    }
    if (d->second.v32) return d->second.v32;
    Node n;
    n.prim = d->second.part == 1 ? Prim::lo : Prim::hi;
    n.kind = Kind::u32;
    n.lane = chunk != kScalar;
    n.args = 1;
    Value part = values_.pure(n, std::span<const Value>(&d->second.v64, 1), chunk);
    if (keep_parts) d->second.v32 = part;
    return part;
  }
  auto lo = v->defs.find(place(r, chunk)), hi = v->defs.find(place(static_cast<Reg>(r + 1), chunk));
  const bool has_lo = lo != v->defs.end(), has_hi = hi != v->defs.end();
  if (has_lo && has_hi && lo->second.part == 1 && hi->second.part == 2 && same(lo->second.v64, hi->second.v64)) return lo->second.v64;
  if (!has_lo && !has_hi) {
    if (v->full && r == kExec) return values_.constant(Kind::u64, ~uint64_t{0});
    return arrived(v, r, chunk, true);
  }
  const Value parts[2] = {read(v, r, chunk, false), read(v, static_cast<Reg>(r + 1), chunk, false)};
  return pair_of(parts, chunk);
}

Value Registers::arrived(Version* v, Reg r, unsigned chunk, bool wide) {
  const uint32_t key = place(r, chunk) << 1 | wide;
  if (auto it = v->arrived.find(key); it != v->arrived.end()) return it->second;
  Value x;
  if (v->entry) x = load(v, r, chunk, wide);
  else if (!v->complete) x = promise(v, r, chunk, wide);
  else if (v->in.empty()) {   // cannot be reached
    auto* t = chunk == kScalar ? values_.scalar_type(kind_of(wide)) : values_.vector_type(kind_of(wide));
    auto* p = llvm::PoisonValue::get(t);
    x = chunk == kScalar ? Values::scalar(kind_of(wide), p) : Values::vector(kind_of(wide), p);
  } else if (v->in.size() == 1) x = at_end(v->in[0].from, r, chunk, wide);
  else x = merge(v, r, chunk, wide);
  v->arrived[key] = x;
  return x;
}

Value Registers::at_end(Version* v, Reg r, unsigned chunk, bool wide) {
  AtEnd place_it(ir_, v);
  Value x = read(v, r, chunk, wide);
  if (x.on_only && v->exec_grows) {
    // Lanes come on that hold something else, or the same as those that were on: a test says.
    const Pattern p = x.pattern;
    x = Values::vector(x.kind, x.vec);
    if (tests && !p.uniform()) x.base = ir_.CreateExtractElement(x.vec, uint64_t{0}), x.cond = values_.follows(x, p), x.pattern = p;
  }
  return x;
}

bool Registers::from_home(Reg r, unsigned chunk, const Value& v) const {
  if (resident_ever && resident_ever->test(r)) return false;   // another value may have been there meanwhile
  auto it = loaded_.find({r, chunk});
  // Not of a constant, which a register may come to hold again.
  return it != loaded_.end() && same(it->second, v) && !llvm::isa_and_nonnull<llvm::Constant>(v.base);
}

/// From the wave block, in an entry version (which ends in a jump to code proper).
Value Registers::load(Version* v, Reg r, unsigned chunk, bool wide) {
  AtEnd place_it(ir_, v);
  auto keep = [&](const Value& x) { return loaded_[{r, chunk}] = x; };
  if (chunk == kScalar) {
    auto* t = ir_.getIntNTy(wide ? 64 : 32);
    auto x = Values::scalar(kind_of(wide), ir_.CreateAlignedLoad(t, home(r, chunk), llvm::Align(4)));
    return wide ? x : keep(x);
  }
  if (wide) {
    const Value parts[2] = {arrived(v, r, chunk, false), arrived(v, static_cast<Reg>(r + 1), chunk, false)};
    return pair_of(parts, chunk);
  }
  if (auto p = entry_patterns.find({r, chunk}); p != entry_patterns.end() && v->kernel_start && values_.patterns) {
    auto* base = ir_.CreateAnd(ir_.CreateAlignedLoad(ir_.getInt32Ty(), home(r, chunk), llvm::Align(4)), ir_.getInt32(static_cast<uint32_t>(p->second.second)));
    return keep({Kind::u32, nullptr, base, nullptr, p->second.first, false});
  }
  return keep(Values::vector(Kind::u32, ir_.CreateAlignedLoad(values_.vector_type(Kind::u32), home(r, chunk), llvm::Align(64))));
}

llvm::PHINode* Registers::phi(Version* v, llvm::Type* type) {
  return llvm::PHINode::Create(type, static_cast<unsigned>(v->in.size()), "", v->first->begin());
}

Value Registers::merge(Version* v, Reg r, unsigned chunk, bool wide) {
  std::vector<Value> x;
  for (auto& e : v->in) x.push_back(at_end(e.from, r, chunk, wide));
  bool all_same = true;
  const Value* shape = nullptr;   // a way whose pattern is worth keeping
  for (auto& y : x) {
    all_same &= same(y, x[0]);
    if (y.regular() && (!shape || (shape->pattern.uniform() && !y.pattern.uniform()))) shape = &y;
  }
  if (all_same) return x[0];   // it reaches all ways, so it was made before they parted
  if (std::all_of(x.begin(), x.end(), [&](const Value& y) { return y.strided() && y.pattern == x[0].pattern && y.steps == x[0].steps; })) shape = &x[0];
  bool regular = shape != nullptr, conditional = false;
  if (shape)
    for (auto& y : x) {
      const bool fits = alike(y, *shape);
      // Lane numbers and addresses: worth a test. Whether data happen to be equal is not.
      if (!fits && (shape->pattern.uniform() || chunk == kScalar || !tests)) regular = false;
      conditional |= !fits || y.cond;
    }
  const Kind k = kind_of(wide);
  Value result{k, nullptr, nullptr, nullptr, {}, false};
  auto join = [&](llvm::Type* t, auto get) {
    auto* p = phi(v, t);
    for (size_t i = 0; i < x.size(); ++i) p->addIncoming(get(i), v->in[i].block);
    return p;
  };
  if (regular) {
    result.pattern = shape->pattern;
    std::vector<Fitted> f;
    for (size_t i = 0; i < x.size(); ++i) f.push_back(fit(v->in[i].from, x[i], *shape));
    for (auto& y : x) result.on_only |= y.regular() && y.on_only;
    result.base = join(values_.scalar_type(k), [&](size_t i) { return f[i].base; });
    if (shape->strided()) result.steps = shape->steps, result.scale = join(values_.scalar_type(k), [&](size_t i) { return x[i].scale; });
    if (conditional) result.cond = join(ir_.getInt1Ty(), [&](size_t i) { return f[i].cond; });
  }
  if (!regular || conditional || result.on_only)
    result.vec = join(values_.vector_type(k), [&](size_t i) {
      AtEnd place_it(ir_, v->in[i].from);
      return values_.lanes(x[i]);
    });
  return result;
}

/// Base and condition of a value as one with the pattern; made at the end of its way.
Registers::Fitted Registers::fit(Version* from, const Value& x, const Value& shape) {
  AtEnd place_it(ir_, from);
  if (alike(x, shape)) return {x.base, x.cond ? x.cond : ir_.getTrue()};
  auto* vec = values_.lanes(x);
  return {ir_.CreateExtractElement(vec, uint64_t{0}), values_.follows(Values::vector(x.kind, vec), shape.pattern)};
}

/// A phi whose arguments come later. In a loop most registers keep the shape that they come in with.
Value Registers::promise(Version* v, Reg r, unsigned chunk, bool wide) {
  if (unchanged_from) {
    const auto ways = unchanged_from(*v, r, wide);
    Value x;
    for (auto& e : ways) {
      Value y = at_end(e.from, r, chunk, wide);
      if (x && !same(x, y)) {
        x = {};
        break;
      }
      x = y;
    }
    if (x) return x;
  }
  const Kind k = kind_of(wide);
  Value x{k, nullptr, nullptr, nullptr, {}, false};
  const uint32_t key = place(r, chunk) << 1 | wide;
  if (chunk == kScalar) {
    x.base = opaque(v, values_.scalar_type(k));
  } else {
    Guess& guess = (*guesses)[{v->name, key}];
    Value first;
    if (!guess.vector && !v->in.empty() && v->in[0].from->order < v->order) first = at_end(v->in[0].from, r, chunk, wide);
    if (first.base) {
      x.pattern = first.pattern;
      if (first.scale) x.scale = opaque(v, values_.scalar_type(k)), x.steps = first.steps;
      x.base = opaque(v, values_.scalar_type(k));
      if (guess.conditional || first.cond) x.cond = opaque(v, ir_.getInt1Ty());
      x.on_only = guess.on_only || first.on_only;
    }
    if (!x.base || x.cond || x.on_only) x.vec = opaque(v, values_.vector_type(k));
  }
  promises_.push_back({v, r, chunk, wide, x});
  return x;
}

/// Stands for a phi: nothing may be concluded from it while some of its arguments are missing.
llvm::Value* Registers::opaque(Version* v, llvm::Type* type) {
  llvm::Function*& f = opaques_[type];
  if (!f) f = llvm::Function::Create(llvm::FunctionType::get(type, false), llvm::GlobalValue::ExternalLinkage, "promise", v->first->getModule());
  return llvm::CallInst::Create(f->getFunctionType(), f, {}, "", v->first->begin());
}

bool Registers::finish() {
  bool right = true;
  // Values first; they may want more promises.
  std::map<llvm::Value*, std::vector<llvm::Value*>> arguments;
  for (size_t n = 0; n < promises_.size(); ++n) {
    const Promise p = promises_[n];
    const uint32_t key = place(p.r, p.chunk) << 1 | p.wide;
    for (auto& e : p.version->in) {
      Value y = at_end(e.from, p.r, p.chunk, p.wide);
      AtEnd place_it(ir_, e.from);
      if (p.chunk == kScalar) {
        arguments[p.value.base].push_back(y.base);
        continue;
      }
      if (p.value.base) {
        const bool fits = alike(y, p.value);
        Guess& guess = (*guesses)[{p.version->name, key}];
        if (!fits && (p.value.pattern.uniform() || p.value.scale || !tests)) guess.vector = true, right = false;
        else if ((!fits || y.cond) && !p.value.cond) guess.conditional = true, right = false;
        else if (fits && y.on_only && !p.value.on_only) guess.on_only = true, right = false;
        const Fitted f = fit(e.from, y, p.value);
        arguments[p.value.base].push_back(f.base);
        if (p.value.scale) arguments[p.value.scale].push_back(fits ? y.scale : llvm::PoisonValue::get(p.value.scale->getType()));
        if (p.value.cond) arguments[p.value.cond].push_back(f.cond);
      }
      if (p.value.vec) arguments[p.value.vec].push_back(values_.lanes(y));
    }
  }
  std::unordered_map<llvm::Value*, llvm::Value*> real;
  for (const Promise& p : promises_)
    for (llvm::Value* x : {p.value.base, p.value.cond, p.value.vec, p.value.scale}) {
      if (!x) continue;
      auto* node = phi(p.version, x->getType());
      real[x] = node;
      x->replaceAllUsesWith(node);
      const auto& list = arguments[x];
      for (size_t i = 0; i < list.size(); ++i) {
        auto done = real.find(list[i]);
        node->addIncoming(done == real.end() ? list[i] : done->second, p.version->in[i].block);
      }
    }
  for (auto& [x, node] : real) llvm::cast<llvm::Instruction>(x)->eraseFromParent();
  for (auto& [type, f] : opaques_) f->eraseFromParent();
  opaques_.clear();
  promises_.clear();
  return right;
}

} // namespace bz::jit
