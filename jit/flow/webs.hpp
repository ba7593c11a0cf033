// Accumulators of matrix instructions stay in memory: which registers do, and where. A register number serves many purposes in a
// kernel; what belongs together are the writes and reads that reach each other, a web. Must not know LLVM.
#pragma once
#include "jit/flow/unit.hpp"

namespace bz::jit {

/// The matrix multiply-accumulate of x, if native code queues its like (exec/native/abi.hpp, MatrixProgram); else the interpreter
/// does it.
std::optional<MatrixImm> queued_matrix(const Instruction& x, const exec::NativeRequest& request);

/// Fills Instruction::resident_writes, Block::resident_in and Unit::resident. Needs liveness.
void find_webs(Unit& unit, const exec::NativeRequest& request);

} // namespace bz::jit
