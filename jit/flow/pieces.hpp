// How an access whose lanes lie at constant distances is done by plain accesses: pieces of 1 to 16 dwords that together hold what
// the lanes want, and one permutation. Plain data; must not know LLVM.
#pragma once
#include "jit/flow/pattern.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace bz::jit {

struct Piece {
  int64_t step;     ///< times a distance that is known at run time
  int64_t offset;   ///< bytes from lane 0's address and that
  unsigned words;   ///< dwords: 1, 2, 4, 8 or 16
};

/// Pieces laid side by side, the large ones first, so that each begins at a multiple of its size.
struct Pieces {
  std::vector<Piece> list;
  std::vector<uint8_t> where;   ///< of dword j of lane l, at [dwords * l + j]: its place among the dwords of all pieces
  unsigned width = 0;           ///< dwords of all pieces, rounded up to a power of two that is at least 16
};

/// Null if the distances are no multiples of 4 or if it would be too many pieces. Loads may read what lies between lanes: it is on
/// the pages of those lanes. Stores write what the lanes write; no two of them the same dword.
/// Lanes of different `steps` have no piece in common.
std::optional<Pieces> pieces_of(const Pattern& p, const Pattern& steps, unsigned dwords, bool is_load);

} // namespace bz::jit
