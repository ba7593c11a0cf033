// What handlers of every level call when a row asks for more than arithmetic: barriers, jumps, the end, MODE, hardware
// registers. Compiled once for the floor; owns scheduling of waves inside a workgroup, must not know rows or vectors.
#pragma once
#include "exec/wave.hpp"

namespace bz::exec {

enum class Request : uint32_t { none, jump, end, barrier, sleep, trap, message, halt, set_mode, not_implemented };

/// Beside a message in the argument of Request::message: s_sendmsghalt.
inline constexpr uint64_t kMessageThenHalt = 1u << 16;

/// Tail-called by a handler after a scalar row asked for something; Group::request says what.
BZ_PN void control_jump(const Op* o, char* w);
BZ_PN void control_end(const Op* o, char* w);
BZ_PN void control_barrier(const Op* o, char* w);
BZ_PN void control_sleep(const Op* o, char* w);
BZ_PN void control_trap(const Op* o, char* w);
BZ_PN void control_message(const Op* o, char* w);
BZ_PN void control_halt_wave(const Op* o, char* w);
BZ_PN void control_set_mode(const Op* o, char* w);
BZ_PN void control_not_implemented(const Op* o, char* w);
/// Some waves may have to wait at o for what others do: `jump_target` 0. The others go on behind it.
BZ_PN void control_wait(const Op* o, char* w);
/// A conditional branch on which the waves of a convoy disagree; their `pc` is set.
BZ_PN void control_split(const Op* o, char* w);
/// A branch back, taken: `o` is the target. Gives other waves and workgroups their turn.
BZ_PN void control_back_edge(const Op* o, char* w);
/// Stops the group at o with what halt_reason and halt_text say.
BZ_PN void control_halt(const Op* o, char* w);
/// Returns to the caller of a single operation (indexed rows).
BZ_PN void control_return(const Op* o, char* w);

/// False for a register that isn't modelled.
bool read_hwreg(Wave* w, unsigned id, uint32_t& value);
/// The bits `mask` of a register other than MODE; what a program may not write stays. False for one that isn't modelled.
bool write_hwreg(Wave* w, unsigned id, uint32_t value, uint32_t mask);
uint64_t clock_100mhz();
/// MXCSR for the single or the double/half part of MODE.
uint32_t mxcsr_of_mode(uint32_t mode, bool wide);
/// Puts a MODE into the wave (not into MXCSR).
void set_wave_mode(Wave* w, uint32_t mode);
/// Loads MXCSR with the wave's single-precision setting if it isn't there.
void load_mode(Group* g, Wave* w);

} // namespace bz::exec
