// What a row does, derived from its semantics by a builder that only takes notes: which sources it reads, what state it
// reads and writes, which memory it touches. For tests, documentation and tools; no engine depends on it.
#pragma once
#include "isa/row.hpp"

#include <cstdint>

namespace bz::isa {

struct Effects {
  bool has_semantics = false;
  bool not_implemented = false;   ///< the row says so itself, for some form at least
  uint32_t sources = 0;           ///< bit k: source k is read explicitly
  bool all_operands = false;      ///< a primitive takes the instruction's operands by itself (memory, matrix, permutes)
  bool reads_dst = false, writes_dst = false, writes_mask = false, reads_mask = false;
  bool reads_scc = false, writes_scc = false;
  bool reads_vcc = false;
  bool reads_exec = false, writes_exec = false;   ///< by name; vector rows depend on EXEC anyway
  bool reads_m0 = false, writes_m0 = false;
  bool reads_mode = false, writes_mode = false;
  bool float_arithmetic = false;  ///< some operation that rounds, flushes or quiets
  bool loads = false, stores = false;
  bool branches = false, ends = false, barrier = false, traps = false;
  bool other_lanes = false;
};

/// Union over the decode-time choices (clamp bit, op_sel) on that target.
Effects describe(RowId row, Target target);

} // namespace bz::isa
