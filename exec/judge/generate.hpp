// Random instructions of one row: fills the fields of an encoding, keeps what the decoder takes and what a lone instruction
// can do. Must not know what any row does.
#pragma once
#include "exec/judge/random.hpp"
#include "isa/decode.hpp"

#include <optional>
#include <vector>

namespace bz::exec::judge {

struct Draw {
  std::vector<uint32_t> words;
  isa::Inst inst;
};

/// One encoding that a row has.
struct Encoding {
  isa::Format format = isa::SOPP;       ///< as encoded: VOP3 for e64
  isa::Form form = isa::Form::plain;
  unsigned opcode = 0;
};

/// All encodings of a row on a target; empty if it doesn't exist there. Rows named alike on two targets are two questions.
std::vector<Encoding> encodings(isa::Target target, isa::RowId row);

/// A random instruction; nothing if the encoding seems to have no acceptable member.
std::optional<Draw> draw(Random& r, isa::Target target, isa::RowId row, const Encoding& encoding);

} // namespace bz::exec::judge
