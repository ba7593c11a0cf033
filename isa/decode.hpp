// From machine words to Inst, and from Inst to text in LLVM's spelling; look-up of rows. Must not know any engine.
#pragma once
#include "isa/inst.hpp"

#include <optional>
#include <string>

namespace bz::isa {

/// Decodes one instruction of `count` available dwords; nullopt = no instruction of this target (or truncated). One whose
/// `legal` is false can be shown and must not be executed; a legal one without semantics is not implemented.
std::optional<Inst> decode(Target target, const uint32_t* words, size_t count);

/// Text in LLVM's spelling. Branch targets print as the raw immediate, as LLVM does without an address.
std::string disassemble(Target target, const Inst& inst);

/// Why the instruction at these words can't be executed on any chip of the target, for messages.
std::string why_illegal(Target target, const uint32_t* words, size_t count);

/// The row behind an id (< row_count()).
const Meta& row_meta(RowId row);
size_t row_count();
FamilyClass row_class(RowId row);
bool row_has_semantics(RowId row);
/// Why no compute product has the row (absent.hpp), nullptr for all others. Such instructions decode, and are never legal.
const char* row_absent(RowId row);
/// kNoRow if no row has that format and opcode on the target. `opcode` as encoded in `format`.
RowId find_row(Target target, Format format, unsigned opcode);

} // namespace bz::isa
