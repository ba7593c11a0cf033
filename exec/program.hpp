// Decoded code: the two operation streams of a stretch of machine code, with the maps between addresses and operations.
// Owns the lowering from isa::Inst to Op; must not know dispatches or waves.
#pragma once
#include "base/status.hpp"
#include "exec/interp/tables.hpp"
#include "isa/decode.hpp"

#include <bitset>
#include <memory>
#include <vector>

namespace bz::exec {

class NativeUnits;

/// What the lowering depends on besides the code itself.
struct CodeTraits {
  isa::Target target = isa::Target::gfx942;
  uint32_t accum_offset = 256;   ///< first AGPR in the register array
  bool split_mode = false;       ///< MODE differs between single and double/half: MXCSR is switched around rows; it may skip and index them
  bool count_rows = false;       ///< an operation before each row adds to the worker's counters
  bool operator==(const CodeTraits&) const = default;
};

/// A linear stretch of code, from an entry to where control flow can't go on. Immutable once made.
struct Code {
  uint64_t begin = 0, end = 0;
  CodeTraits traits;
  std::vector<uint32_t> words;        ///< copy of the machine code, for the content check
  Op* full = nullptr;                 ///< operations with EXEC known to be all ones
  Op* masked = nullptr;               ///< full + count
  uint32_t count = 0;
  std::vector<uint32_t> op_at;        ///< dword index -> operation, kNone inside instructions
  std::vector<uint32_t> dword_of;     ///< operation -> dword index of its instruction
  std::bitset<layout::kConstCount> const_rows;   ///< constants needed as rows
  std::shared_ptr<NativeUnits> native;           ///< what is compiled of it; null if nothing ever is
  static constexpr uint32_t kNone = ~0u;

  bool contains(const Op* o) const { return o >= full && o < full + 2 * count; }
  uint32_t index(const Op* o) const { return static_cast<uint32_t>(o - full) % count; }
  uint64_t pc(const Op* o) const { return begin + 4 * uint64_t{dword_of[index(o)]}; }
  /// The operation at an address, or null.
  const Op* at(uint64_t pc, bool in_full) const {
    if (pc < begin || pc >= end || pc % 4) return nullptr;
    uint32_t i = op_at[(pc - begin) / 4];
    return i == kNone ? nullptr : (in_full ? full : masked) + i;
  }
  ~Code();
  Code() = default;
  Code(const Code&) = delete;
  Code& operator=(const Code&) = delete;
};

/// Decodes from `entry` on. Fails only if the first instruction can't be read; anything wrong later becomes an operation
/// that halts when it is reached.
Expected<std::shared_ptr<Code>> decode_code(const Level& level, const CodeTraits& traits, uint64_t entry);

/// The constants that every wave block has: value of slot i.
uint64_t constant_value(unsigned slot);

/// True if the bytes at [address, ...) are still `words`.
bool same_code(uint64_t address, const std::vector<uint32_t>& words);

} // namespace bz::exec
