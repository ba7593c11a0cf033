// A stretch of guest code that is compiled as one: instructions with what they read and write, blocks, and which lanes of which
// registers are still wanted where. Plain data, no LLVM. Must not know how anything is carried out.
#pragma once
#include "base/status.hpp"
#include "exec/native/abi.hpp"
#include "jit/lift/prim.hpp"

#include <bitset>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace bz::jit {

/// Registers in one numbering: SGPRs as encoded (VCC 106, M0 124, EXEC 126), SCC, then VGPRs (AGPRs behind accum_offset).
using Reg = uint16_t;
inline constexpr Reg kScc = 128, kVgpr0 = 192;
inline constexpr unsigned kRegs = kVgpr0 + exec::layout::kVgprCount;
constexpr bool is_vgpr(Reg r) { return r >= kVgpr0; }
constexpr Reg vgpr(unsigned n) { return static_cast<Reg>(kVgpr0 + n); }
inline constexpr Reg kVcc = exec::layout::kVcc, kM0 = exec::layout::kM0, kExec = exec::layout::kExec;
using RegSet = std::bitset<kRegs>;

/// What an instruction does to EXEC, as far as it can be seen.
enum class ExecChange : uint8_t {
  none,
  shrinks,   ///< no lane comes on
  grows,     ///< no lane goes off
  full,      ///< all lanes are on
  unknown,
};

struct Instruction {
  Lifted lifted;
  RegSet reads, writes;          ///< as its own primitives say; EXEC as a mask of vector rows is not in `reads`
  bool outcall = false;          ///< the interpreter runs it: operands go through the wave block
  bool all_registers = false;    ///< ... and it may touch any register (indexed access)
  bool other_lanes = false;      ///< reads registers of lanes that are off
  bool ignores_exec = false;     ///< writes lanes that are off
  bool keeps_rest = false;       ///< does not write all of its destination (write_lane)
  bool leaves = false;           ///< what comes next runs with another MODE, as another unit
  ExecChange exec = ExecChange::none;
  /// VGPRs that it writes and whose lanes that are off are still wanted afterwards.
  RegSet keep;
  RegSet resident_writes;        ///< VGPRs that it writes in the wave block itself (webs.hpp)

  uint64_t next() const { return lifted.pc + lifted.inst.size; }
};

struct Block {
  enum class End : uint8_t {
    falls,       ///< into `next`
    branches,    ///< to `taken`
    condition,   ///< to `taken`, or into `next`: the last instruction says
    ends,        ///< s_endpgm
    leaves,      ///< to an address in a register, behind a MODE write, or out of the unit
    interprets,  ///< its last instruction is the interpreter's
  };
  uint32_t first = 0, count = 0;    ///< instructions
  End end = End::falls;
  uint32_t next = kNone, taken = kNone;
  uint64_t leaves_to = 0;           ///< End::leaves without a last instruction that says where
  bool full = false;                ///< EXEC is all ones at its start, on all ways
  bool back_edge = false;           ///< `taken` lies at or before this block's start
  RegSet live_in;                   ///< registers wanted at its start, in any lane
  RegSet resident_in;               ///< VGPRs that are in the wave block at its start, and nowhere else
  static constexpr uint32_t kNone = ~0u;
};

struct Unit {
  isa::Target target = isa::Target::gfx942;
  uint32_t accum_offset = 256;
  std::vector<Instruction> instructions;
  std::vector<Block> blocks;            ///< in order of address
  std::vector<uint32_t> entries;        ///< blocks, in the order of entry_pcs; kNone: its first instruction is the interpreter's
  std::vector<uint64_t> entry_pcs;      ///< the request's, then the places behind calls
  RegSet used;                          ///< all registers that occur
  RegSet resident;                      ///< VGPRs that are in the wave block somewhere
};

/// MODE rounds or flushes single precision otherwise than double and half. The host has one setting for all, which then is single
/// precision's; what computes with others is the interpreter's.
bool splits(uint32_t mode);
/// False if the request switches this optimisation off.
bool optimises(const exec::NativeRequest& request, std::string_view optimisation);
/// Decodes and analyses. Fails with what can't be compiled, by name.
Expected<Unit> make_unit(const exec::NativeRequest& request);

/// The register (first of its tuple) that an operand names, or kRegs if it is none.
Reg reg_of(const isa::Operand& o, uint32_t accum_offset);
/// Source k in the builder's counting, and the destination that `put` writes; null if there is none.
const isa::Operand* source_of(const isa::Inst& i, int k);
const isa::Operand* dest_of(const isa::Inst& i);
/// First register of the mask operand: VCC where the encoding has none. A constant mask gives kRegs and its value.
Reg mask_source(const isa::Inst& i, uint64_t& value);
Reg mask_dest(const isa::Inst& i);
const isa::Operand* operand_at(const isa::Inst& i, isa::Field f);

} // namespace bz::jit
