// Loops of the guest's blocks that are entered at their head only, wherever it stands: compilers like to put the end of a loop before
// its beginning. Must not know LLVM.
#pragma once
#include "jit/flow/unit.hpp"

#include <map>
#include <vector>

namespace bz::jit {

/// Who belongs to a loop, and what it writes.
struct Loop {
  std::vector<bool> body;              ///< by block
  size_t size = 0;                     ///< blocks
  RegSet writes;
  bool to_full = false;                ///< EXEC may become full in it
  bool to_some = false;                ///< or may cease to be
};

/// By the block that is the loop's head. Blocks that can't be reached belong to none.
std::map<uint32_t, Loop> find_loops(const Unit& unit);

} // namespace bz::jit
