// Values of a chunk of 16 lanes while code is made: a vector, or a scalar base plus constant differences between the lanes, or
// both. Addresses stay scalar arithmetic this way until somebody wants them lane by lane. Owns the rules by which patterns
// survive an operation; must not know registers or instructions.
#pragma once
#include "jit/emit/math.hpp"
#include "jit/flow/pattern.hpp"
#include "jit/lift/prim.hpp"

#include <llvm/Analysis/InstSimplifyFolder.h>
#include <llvm/IR/IRBuilder.h>

#include <span>

namespace bz::jit {

using Ir = llvm::IRBuilder<llvm::InstSimplifyFolder>;

/// A value of the wave (only `base`), or of a chunk: `vec`, or base + pattern. With `cond`, base and pattern hold only where it is
/// true at run time, and `vec` is there too and always right. With `on_only`, they hold for lanes that are on in EXEC, until it
/// grows; `vec` is there too. With `scale`, lanes differ by scale * steps besides: rows of an array whose width is known at run time.
struct Value {
  Kind kind = Kind::none;
  llvm::Value* vec = nullptr;
  llvm::Value* base = nullptr;
  llvm::Value* cond = nullptr;
  Pattern pattern;
  bool on_only = false;
  llvm::Value* scale = nullptr;
  Pattern steps;

  bool regular() const { return base && !scale; }                           ///< base + pattern, perhaps under cond
  bool strided() const { return scale != nullptr; }                         ///< base + pattern + scale * steps, perhaps under cond; never on_only
  bool uniform() const { return regular() && !cond && !on_only && pattern.uniform(); }
  explicit operator bool() const { return vec || base; }
};

class Values {
public:
  Values(Ir& ir, const MathTraits& traits, const llvm::DataLayout& layout);

  Ir& ir() { return ir_; }
  llvm::Type* scalar_type(Kind k) const { return math_.type(k, false); }
  llvm::Type* vector_type(Kind k) const { return math_.type(k, true); }
  /// A flag per lane from sixteen bits.
  llvm::Value* flags_of(llvm::Value* bits) { return math_.flags_of(bits); }

  static Value scalar(Kind k, llvm::Value* v) { return {k, nullptr, v, nullptr, {}, false}; }
  static Value vector(Kind k, llvm::Value* v) { return {k, v, nullptr, nullptr, {}, false}; }
  /// Without base and pattern.
  Value plain(const Value& v) { return vector(v.kind, lanes(v)); }
  /// i1: the lanes of v differ as p says.
  llvm::Value* follows(const Value& v, const Pattern& p);
  Value constant(Kind k, uint64_t bits);

  /// All lanes, at the builder's place.
  llvm::Value* lanes(const Value& v);
  /// The scalar of a wave-wide value.
  static llvm::Value* wave(const Value& v) { return v.base; }

  /// A pure primitive of one chunk, or (node.lane false) of the wave.
  Value pure(const Node& node, std::span<const Value> args, unsigned chunk);
  /// The same by kind and primitive, for addresses.
  Value op(Prim p, Kind kind, std::initializer_list<Value> args, uint64_t imm = 0);

  llvm::Value* and_cond(llvm::Value* x, llvm::Value* y);
  /// i1: every base + delta, as unsigned (signed) numbers of 32 bits, fits into them. Null: always.
  llvm::Value* no_wrap(llvm::Value* base, const Pattern& p, bool is_signed);

  bool patterns = true;   ///< switched off: everything is vectors

private:
  struct Range { llvm::Value *least, *most; };   ///< of lanes, as signed numbers of 64 bits
  Range range(const Value& v, bool is_signed);
  llvm::Value* fits(const Range& r, bool is_signed);
  Value strided_op(const Node& node, std::span<const Value> args);
  Value regular(const Node& node, std::span<const Value> args);
  Value regular_op(const Node& node, std::span<const Value> args);
  Value all_uniform(const Node& node, std::span<const Value> args, unsigned chunk);
  llvm::Value* emit(const Node& node, std::span<const Value> args, unsigned chunk, bool lane);
  std::optional<uint64_t> known_zero(llvm::Value* base);
  bool apart(const Value& v);
  Value bitwise_op(Prim p, Kind kind, const Value& x, const Value& y);
  llvm::Value* splat(llvm::Value* scalar);

  Ir& ir_;
  Math math_;
  const llvm::DataLayout& layout_;
};

} // namespace bz::jit
