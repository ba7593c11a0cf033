// Where the decoder finds handlers: per level, family and row an array of variants. Owns the numbering of variants.
#pragma once
#include "exec/op.hpp"
#include "isa/row.hpp"

namespace bz::exec {

inline constexpr int kVariants = 6;
// Lane rows.
enum : int { kFullRows, kMaskedRows, kFullScalar0, kMaskedScalar0, kFullGeneral, kMaskedGeneral };
// Scalar rows.
enum : int { kPlain, kPlainExec, kLiteral, kLiteralExec };
// Wave rows.
enum : int { kFullVaddr, kMaskedVaddr, kFullSaddr, kMaskedSaddr };

/// Null: no such variant; all null: no semantics.
struct RowHandlers { Fn fn[kVariants]; };

/// Handlers that belong to no row: prefixes and postfixes around rows, stream choice.
struct EngineOps {
  Fn dpp;             ///< permutes source s[0] into row d; narrows EXEC where lanes have no source
  Fn dpp_end;         ///< restores EXEC
  Fn sdwa_source;     ///< selects a byte or word of s[0] into row d
  Fn sdwa_dest;       ///< merges row s[0] into d by dst_sel
  Fn choose_stream;   ///< after a vector row that wrote EXEC
};

/// One engine level.
struct Wave;

struct Level {
  const char* name;                       ///< "AVX-512", "AVX2"
  const RowHandlers* (*family)(int family);   ///< table of isa::Family, indexed by position in the family
  EngineOps ops;
  void (*matrix)(Wave* wave, uint8_t* rows, const uint32_t* program);   ///< for native code (native/matrix.hpp)
};
const Level& level_avx2();
const Level& level_avx512();   ///< only to be called on a CPU that has it

} // namespace bz::exec
