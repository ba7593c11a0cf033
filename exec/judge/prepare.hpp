// Inputs of one judged instruction: registers, EXEC, MODE and memory that make it a sensible program. Knows operand types and
// the addressing of memory formats; must not know results.
#pragma once
#include "exec/judge/generate.hpp"
#include "isa/ref/machine.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace bz::exec::judge {

/// Host memory that global, buffer and scalar memory instructions work on. Addresses stay inside by construction.
class Arena {
public:
  static constexpr size_t kBytes = 1 << 15;
  static constexpr size_t kMiddle = kBytes / 4;   ///< where accesses are centred
  Arena();
  uint8_t* data() { return bytes_.get(); }
  uint64_t middle() const { return reinterpret_cast<uint64_t>(bytes_.get()) + kMiddle; }

private:
  std::unique_ptr<uint8_t[]> bytes_;
};

/// Which memories an instruction can touch (so that only those are copied and compared).
struct Touches {
  bool arena = false, lds = false, scratch = false;
};
Touches touches(const isa::Inst& inst, const isa::Meta& meta);

inline constexpr uint32_t kLdsBytes = 20480;        ///< of the workgroup: less than the hardware's, so that some accesses are beyond
inline constexpr uint32_t kScratchBytes = 4096;     ///< per lane

/// Fills everything that the instruction reads; false if these operands can't be given sensible values (draw again).
/// `touched`: the memories that it uses with these inputs.
bool prepare(Random& r, const Draw& draw, isa::ref::Machine& m, Arena& arena, Touches& touched);

} // namespace bz::exec::judge
