// What one wave does, instruction by instruction, in a file: for telling a mistake of the engine from one of the compiler.
//
//   BZ_TRACE=file                      turns it on; the file is appended to
//   BZ_TRACE_WAVE=x[,y[,z]][:w[:l]]    workgroup, wave in it, lane (or "all") whose VGPRs are shown; 0:0:0 if not said; one that
//                                     never runs is told of at the end of the process
//
// A line of the file is "pc  instruction"; indented below it stands what the instruction changed: SGPRs, SCC, MODE, and VGPRs
// of the lane. "-- code at pc" begins a kernel, or a function entered for the first time; below it stands what changed since
// the last line, which for a kernel are all initial registers that differ from zero or the wave traced before.
#pragma once
#include "exec/op.hpp"

namespace bz::exec {

/// True if instructions are to be traced; asked when code is decoded, so that without it there is no operation.
bool trace_wanted();

/// Before an instruction: lit is its address; aux is 1 at the beginning of a stretch of code.
BZ_PN void control_trace(const Op* o, char* w);

} // namespace bz::exec
