// Arithmetic of compiled kernels: LLVM IR of each pure primitive (BZ_JIT_PURE of lift/prim.hpp) for one chunk of lanes, or for
// the wave's scalars. Results are those of isa/builder.hpp's text to the bit, NaN payloads excepted, and the same on every host
// CPU. Must not know registers, EXEC or control flow of the guest.
#pragma once
#include "jit/lift/prim.hpp"

#include <memory>
#include <span>

namespace llvm {
class Function;
class IRBuilderBase;
class Type;
class Value;
} // namespace llvm

namespace bz::jit {

/// What is known when code is made: the guest's target and MODE, the host's instructions beyond x86-64-v3.
struct MathTraits {
  isa::Target target = isa::Target::gfx942;
  uint32_t mode = 0x3f0;       ///< MODE (exec/wave.hpp, namespace mode); single precision's part holds for all
  bool avx512 = false;         ///< x86-64-v4: F, BW, CD, DQ, VL
  bool fast_numerics = false;  ///< BZ_NUMERICS=fast: v_rsq, v_log, v_sin and v_cos of single precision within 3 units of the interpreter's
  bool idioms = true;          ///< steps of divisions and square roots become one instruction, with the same result
};

/// Attributes that a function with such code needs: how denormals are treated, whether rounding is the default, vector width.
void set_math_attributes(llvm::Function& function, const MathTraits& traits);

/// One per function and builder, which stands at the end of its block. Code for AVX2 has some inline assembly, for which the target's
/// assembly parser must be initialised.
class Math {
public:
  /// `lanes` of a chunk: 16.
  Math(llvm::IRBuilderBase& ir, const MathTraits& traits, unsigned lanes = 16);
  ~Math();
  Math(const Math&) = delete;
  Math& operator=(const Math&) = delete;

  /// u32 <N x i32> or i32, u64 <N x i64> or i64, f32 <N x float>, f64 <N x double>, flag <N x i1> or i1, f16 <N x i16> (the bits
  /// of halves). Scalars of float kinds are the plain type.
  llvm::Type* type(Kind kind, bool lane) const;

  /// The node's value; `args` have the types of `arg_kinds`, scalars are spread over the lanes where a lane is asked for. `chunk`
  /// is the number of the chunk within the wave, 0 to 63 / lanes. The helpers of divisions branch: the builder stands in another
  /// block afterwards, so ask it (ir.GetInsertBlock()) before naming a block in a phi.
  llvm::Value* emit(const Node& node, std::span<llvm::Value* const> args, std::span<const Kind> arg_kinds, unsigned chunk);

  /// A flag per lane from the bits of an integer as wide as a chunk, and back. A plain bitcast goes bit by bit without AVX-512.
  llvm::Value* flags_of(llvm::Value* bits);
  llvm::Value* bits_of(llvm::Value* flags);

private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace bz::jit
