// Random programs for one wave: instructions of all formats, structured ifs and loops, and memory accesses whose addresses stay
// in an arena by construction. A program is a tree, so that parts can be left out while it still shows something. Knows operands
// and encodings; must not know what an instruction does.
#pragma once
#include "exec/judge/generate.hpp"

#include <string>
#include <vector>

namespace bz::jit::testing {

/// Registers that streams rely on: random instructions do not write them.
inline constexpr unsigned kFirstOwnSgpr = 80, kRawBuffer = 80, kStridedBuffer = 84, kFirstSave = 88, kArena = 94, kSmall = 96, kFirstCounter = 97;
inline constexpr unsigned kLaneNumber = 240, kLaneCounter = 241, kAddress = 242, kFirstOwnVgpr = 240;

struct Node {
  enum class Kind : uint8_t {
    plain,       ///< `head`, which may be several instructions that belong together
    skips,       ///< head, a conditional branch over the body
    masks,       ///< head (a comparison into VCC, EXEC saved), body, with an else part or not, EXEC as it was
    counts,      ///< the body `times` times
    lanes_count, ///< lanes leave one after the other
  };
  Kind kind = Kind::plain;
  std::vector<std::vector<uint32_t>> head;   ///< instructions
  std::vector<Node> body, other;
  uint32_t branch = 0;                       ///< SOPP word of the branch, without its offset
  unsigned times = 1, depth = 0;
  bool skip = false;                         ///< masks: branches around parts for which no lane is on
};

using Stream = std::vector<Node>;

/// `length` instructions or a few more.
Stream random_stream(exec::judge::Random& r, isa::Target target, unsigned length);
std::vector<uint32_t> flatten(isa::Target target, const Stream& s);
size_t nodes(const Stream& s);
/// Without node n (counted through the tree), or, `inner`, with its body in its place. False: there is no such node or body.
bool leave_out(Stream& s, size_t n, bool inner);
/// The address and text of each instruction.
std::string listing(isa::Target target, const std::vector<uint32_t>& words);

} // namespace bz::jit::testing
