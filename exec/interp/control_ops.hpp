// Operations that the decoder emits and that need no vectors: halts, far jumps, MODE switches, indexing, special sources.
#pragma once
#include "exec/op.hpp"

namespace bz::exec {

BZ_PN void control_illegal(const Op* o, char* w);        ///< not an instruction of this target
BZ_PN void control_unreadable(const Op* o, char* w);     ///< code that can't be fetched: lit has the address
BZ_PN void control_endless(const Op* o, char* w);        ///< code that runs on for longer than any kernel
BZ_PN void control_row_missing(const Op* o, char* w);    ///< a known row without semantics here
BZ_PN void control_refetch(const Op* o, char* w);        ///< goes on at the address in lit, with code that is compared with memory
BZ_PN void control_far(const Op* o, char* w);            ///< jump to the address in lit
BZ_PN void control_count(const Op* o, char* w);          ///< row aux is about to run: coverage
BZ_PN void control_specials(const Op* o, char* w);       ///< vccz, execz, scc into Wave::special
BZ_PN void control_mode_wide(const Op* o, char* w);      ///< MXCSR of double/half rows
BZ_PN void control_mode_narrow(const Op* o, char* w);    ///< and back
BZ_PN void control_indexed(const Op* o, char* w);        ///< runs o + 1 with its VGPR operands moved by M0, if MODE says so
BZ_PN void control_vskip(const Op* o, char* w);          ///< leaves out the next imm operations while MODE.VSKIP is set
BZ_PN void control_pending(const Op* o, char* w);        ///< a wave whose next address must be looked up

/// Not part of any code: where a wave waits for a lookup of its jump_target.
extern const Op kPendingOp;
/// The return behind a single operation.
extern const Op kReturnOp;

} // namespace bz::exec
