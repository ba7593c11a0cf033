// Golden vectors: isa/golden/*.txt read into cases, and the little expression language of their values. isa/golden/README.md
// has the format. Must not know what an instruction does.
#pragma once
#include "base/status.hpp"
#include "isa/target.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bz::exec::judge {

/// One `place=expression` of a case.
struct Assignment {
  enum class Place : uint8_t { sgpr, vgpr, agpr, scc, mode, mem, lds, scratch, lds_size };
  Place place = Place::sgpr;
  unsigned number = 0;        ///< first register; dword of private memory; first bit of a MODE field
  unsigned width = 1;         ///< dwords of registers; bytes of memory; bits of a MODE field
  bool all_lanes = false;     ///< a result in every lane, not only in those that EXEC had
  unsigned ulps = 0;
  std::string index;          ///< byte address of mem and lds
  std::string value;
};

struct GoldenCase {
  int line = 0;
  isa::TargetSet targets = 0;
  std::string section;        ///< the citation
  std::string text;           ///< instructions, one a line
  std::vector<Assignment> inputs, results;
  bool engines_only = false;  ///< nothing for the reference machine
  unsigned vectors = 1;       ///< distinct inputs: lanes of the longest list
};

Expected<std::vector<GoldenCase>> read_golden(const std::string& path);

/// What an expression can see.
struct Scope {
  unsigned lane = 0;
  uint64_t old = 0;                   ///< the place before the instruction
  uint64_t memory = 0;                ///< M: address of the memory of a case
  const std::vector<uint8_t>* mem = nullptr;   ///< its bytes before the instruction
  const std::vector<uint8_t>* lds = nullptr;
};

/// The value of an expression, or of dword `n` of a {tuple}. Throws std::runtime_error with a text on nonsense.
uint64_t evaluate(std::string_view expression, const Scope& scope, unsigned n = 0);
/// Does it have one value for each dword?
inline bool is_tuple(std::string_view expression) { return expression.starts_with('{'); }

} // namespace bz::exec::judge
