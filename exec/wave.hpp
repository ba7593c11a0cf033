// Wave and workgroup in flight: registers and state in memory, the hand-over form between engines. Owns storage and the
// reasons why execution stopped; must not know instructions.
#pragma once
#include "exec/engine.hpp"
#include "exec/op.hpp"

#include <cstdint>

namespace bz::exec {

/// Of a workgroup: 1,024 work-items.
inline constexpr uint32_t kMaxWaves = 16;

struct Group;
struct Code;
struct GlobalShare;

/// MODE register bits (hwreg 1).
namespace mode {
inline constexpr uint32_t kRound32 = 0x3, kRound64Shift = 2, kDenorm32Shift = 4, kDenorm64Shift = 6;
inline constexpr uint32_t kDx10Clamp = 1u << 8, kIeee = 1u << 9, kGprIndex = 1u << 27;
inline constexpr uint32_t kFp16Ovfl = 1u << 23, kVskip = 1u << 28;
inline constexpr int kCspShift = 29;   ///< conditional branch stack pointer, three bits
} // namespace mode

enum class WaveState : uint32_t { running, at_barrier, sleeping, ended };

struct WaveScalars {
  alignas(64) uint32_t sgpr[128];
};
/// What every wave of a dispatch has at its start and may change: copied as a whole.
struct WaveFlags {
  uint32_t scc = 0;
  uint32_t mode = 0;
  uint32_t mxcsr32 = 0, mxcsr64 = 0;   ///< of that mode
  WaveState state = WaveState::running;
  uint32_t gws_ticket = 0;             ///< what the wave waits for in global wave sync; 0: nothing
  uint32_t gpr_index = 0;              ///< M0-like copy of s_set_gpr_idx: bits 7:0 index, 15:12 mode
  uint32_t trapsts = 0;                ///< hwreg TRAPSTS as the program wrote it: nothing here raises a flag
};
static_assert(sizeof(WaveScalars) == layout::kState);

/// The head of a wave block; registers follow at layout offsets.
struct Wave : WaveScalars, WaveFlags {
  uint64_t span;            ///< bytes of wave blocks that one handler call covers: one stride, or the whole convoy
  uint64_t* coverage;       ///< the worker's row counters
  Group* group;
  uint32_t convoy;          ///< waves in the span
  uint32_t index;           ///< in the workgroup
  const Op* pc;             ///< where the wave goes on when it is not the running one
  const Op* cur;            ///< memory operation in progress (for faults)
  Wave* next;               ///< ring of waves that haven't ended
  Wave* prev;
  uint64_t saved_exec;      ///< EXEC around a DPP row
  uint64_t jump_target;     ///< address for a lookup
  char* scratch;            ///< dword-interleaved private memory of this wave
  uint32_t scratch_bytes;   ///< per lane
  uint32_t accum_offset;
  uint64_t special[3];      ///< copies of vccz, execz, scc as sources of 32 or 64 bits
  alignas(64) Op patched[2];///< indexed operation and the return behind it

  uint64_t exec() const { uint64_t x; __builtin_memcpy(&x, sgpr + layout::kExec, 8); return x; }
  void set_exec(uint64_t x) { __builtin_memcpy(sgpr + layout::kExec, &x, 8); }
  uint64_t vcc() const { uint64_t x; __builtin_memcpy(&x, sgpr + layout::kVcc, 8); return x; }
  char* base() { return reinterpret_cast<char*>(this); }
  uint32_t* row(unsigned vgpr) { return reinterpret_cast<uint32_t*>(base() + layout::vgpr(vgpr)); }
};
static_assert(sizeof(Wave) <= layout::kConst);

/// Why handlers returned to the run loop.
enum class Exit : uint32_t {
  none,
  finished,     ///< all waves ended
  yield,        ///< quantum used up, or everybody sleeps
  halt,         ///< Group::halt_* say why
  lookup,       ///< wave `current` goes to jump_target, whose code must be found or decoded
  mode_split,   ///< MODE now differs between single and double/half, or skips or indexes by s_setreg: the code must be decoded for that
};

/// Where a jump through a register went before.
struct JumpEntry { uint64_t pc; const Op* full; const Op* masked; };
inline unsigned jump_slot(uint64_t pc) { return static_cast<unsigned>(pc >> 2) & 31; }

/// State of a workgroup that handlers touch.
struct Group {
  Exit exit = Exit::none;
  int64_t budget = 0;              ///< back edges and jumps left until the engine looks; s_sleep costs more
  bool slept = false;
  uint32_t loaded_mxcsr = 0;       ///< what MXCSR holds now
  Wave* current = nullptr;         ///< wave that runs (head of the convoy, or the ring's turn)
  Wave* head = nullptr;            ///< wave 0
  uint32_t wave_count = 0;
  uint32_t alive = 0;
  uint32_t arrived = 0;            ///< waves at the barrier
  uint8_t* lds = nullptr;
  uint32_t lds_bytes = 0;
  GlobalShare* share = nullptr;    ///< the device's
  uint32_t vgprs = 0;              ///< allocated to a wave, for hwreg GPR_ALLOC
  isa::Target target = isa::Target::gfx942;
  Hooks hooks;
  bool refetch = false;            ///< code may have been rewritten since this group's operations were made
  bool split_mode = false;         ///< the code is decoded for MODE parts that differ
  Wave* memory_wave = nullptr;     ///< wave of the memory operation in progress (for faults)
  JumpEntry jumps[32]{};
  // Exit::halt
  Halt::Reason halt_reason = Halt::Reason::trap;
  const Op* halt_op = nullptr;
  int halt_lane = -1;
  uint32_t trap_id = 0;
  const char* halt_text = nullptr;
  std::array<uint32_t, 3> id{};
};

} // namespace bz::exec
