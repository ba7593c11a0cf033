// The reference machine: one wave, one lane at a time, plain integers. A judge outside the engines, written from the
// instruction set manuals (GCN3, Vega, MI100, MI200, MI300 ISA documents); slow and obvious. Tests only: exec/ must never
// include it, and it must never include a builder or a row's semantics.
#pragma once
#include "isa/inst.hpp"
#include "isa/target.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace bz::isa::ref {

inline constexpr unsigned kVcc = 106, kM0 = 124, kExec = 126, kFlatScratch = 102;

/// Architectural state of one wave. AGPRs are a second file here; LDS and scratch belong to the wave. Global memory is the
/// host's: tests give addresses of their own buffers.
struct Machine {
  Target target = Target::gfx942;
  std::array<uint32_t, 128> sgpr{};
  std::vector<std::array<uint32_t, 64>> vgpr = std::vector<std::array<uint32_t, 64>>(256);
  std::vector<std::array<uint32_t, 64>> agpr = std::vector<std::array<uint32_t, 64>>(256);
  bool scc = false;
  uint32_t mode = 0x3f0;          ///< hwreg MODE: round 3:0, denormals 7:4, dx10_clamp 8, ieee 9
  /// In which order the sources of float arithmetic are asked for the NaN that goes through, one of the 6 orders of three.
  /// No document fixes it (docs/fidelity.md), so the judge accepts any one order.
  int nan_order = 0;
  uint64_t pc = 0;                ///< address of the instruction that runs; branches set next_pc
  uint64_t next_pc = 0;
  std::vector<uint8_t> lds;
  std::vector<uint32_t> scratch;  ///< dword-interleaved: dword d of lane l at [d * 64 + l]

  uint64_t sgpr64(unsigned n) const { return sgpr[n] | uint64_t{sgpr[n + 1]} << 32; }
  void set_sgpr64(unsigned n, uint64_t x) { sgpr[n] = static_cast<uint32_t>(x), sgpr[n + 1] = static_cast<uint32_t>(x >> 32); }
  uint64_t exec() const { return sgpr64(kExec); }
  uint64_t vcc() const { return sgpr64(kVcc); }
  bool active(int lane) const { return exec() >> lane & 1; }

  // MODE fields. Rounding: 0 nearest even, 1 up, 2 down, 3 toward zero.
  int round32() const { return static_cast<int>(mode & 3); }
  int round64() const { return static_cast<int>(mode >> 2 & 3); }  ///< also half precision
  bool denorm_in32() const { return mode >> 4 & 1; }
  bool denorm_out32() const { return mode >> 5 & 1; }
  bool denorm_in64() const { return mode >> 6 & 1; }
  bool denorm_out64() const { return mode >> 7 & 1; }
  bool dx10_clamp() const { return mode >> 8 & 1; }
  bool ieee() const { return mode >> 9 & 1; }
};

/// Uniform operands of a scalar instruction.
class ScalarView {
public:
  ScalarView(Machine& machine, const Inst& inst) : m(machine), i(inst) {}
  Machine& m;
  const Inst& i;
  uint32_t u32(int k) const { return static_cast<uint32_t>(read(i.source(k), 1)); }
  int32_t i32(int k) const { return static_cast<int32_t>(u32(k)); }
  uint64_t u64(int k) const { return read(i.source(k), 2); }
  int64_t i64(int k) const { return static_cast<int64_t>(u64(k)); }
  uint32_t old32() const { return m.sgpr[i.dest().number]; }
  uint64_t old64() const { return m.sgpr64(i.dest().number); }
  void out32(uint32_t x) { m.sgpr[i.dest().number] = x; }
  void out64(uint64_t x) { m.set_sgpr64(i.dest().number, x); }
  int32_t simm() const { return i.simm16; }
  uint64_t read(const Operand& o, int dwords) const;
};

/// The operands of a vector instruction as one lane sees them: register, constant, DPP permutation, SDWA selection, op_sel,
/// absolute value and negation are done here.
class LaneView {
public:
  LaneView(const Machine& before, Machine& after, const Inst& inst, int lane_index)
      : m(before), i(inst), lane(lane_index), after_(after) {}
  const Machine& m;   ///< the state before the instruction: all lanes read this
  const Inst& i;
  const int lane;

  uint32_t u32(int k) const { return static_cast<uint32_t>(bits(k, 32)); }
  int32_t i32(int k) const { return static_cast<int32_t>(u32(k)); }
  uint64_t u64(int k) const { return bits(k, 64); }
  int64_t i64(int k) const { return static_cast<int64_t>(u64(k)); }
  uint32_t u16(int k) const { return static_cast<uint32_t>(bits(k, 16)); }
  int32_t i16(int k) const { return static_cast<int16_t>(u16(k)); }
  float f32(int k) const { return std::bit_cast<float>(u32(k)); }      ///< modifiers applied, nothing flushed
  double f64(int k) const { return std::bit_cast<double>(u64(k)); }
  uint16_t f16(int k) const { return static_cast<uint16_t>(bits(k, 16)); }
  /// VOP3P: half n (0 low, 1 high result) of source k; neg_lo/neg_hi flip the sign of float types.
  uint32_t half(int k, int n) const;
  /// VOP3P on pairs of f32: dword n.
  uint32_t dword(int k, int n) const;
  /// Old contents of the destination, dword n.
  uint32_t old32(int n = 0) const { return reg(i.dest(), n); }
  uint64_t old64() const { return old32(0) | uint64_t{old32(1)} << 32; }
  bool mask_in() const;                        ///< this lane's bit of the mask source (VCC or the named SGPR pair)

  /// Result bits. `width` 16: the low half of the destination, high half 0, unless SDWA or op_sel say otherwise.
  void out32(uint32_t x) const { result(x); }
  void out16(uint32_t x) const { result(x & 0xffff); }
  void out64(uint64_t x) const;
  void out(int dword, uint32_t x) const;
  /// VOP3 16-bit rows of gfx9 with op_sel[3]: the high half if it is set, beside the old low one; else as out16.
  void out16_sel(uint32_t x) const;
  /// The same, but the old high half stays too.
  void out16_keep(uint32_t x) const;
  void mask_out(bool bit) const;               ///< this lane's bit of the mask destination
  void exec_out(bool bit) const;               ///< and of EXEC (v_cmpx)

  /// A register or constant as this lane sees it, before any selection; n = dword.
  uint32_t reg(const Operand& o, int n) const;

private:
  Machine& after_;
  uint64_t bits(int k, int width) const;
  void result(uint32_t x) const;
};

using ScalarFn = void (*)(ScalarView&);
using LaneFn = void (*)(const LaneView&);
using WaveFn = void (*)(Machine&, const Inst&);

/// One judged instruction. Exactly one function is set.
struct Entry {
  const char* name;     ///< as Meta::name
  ScalarFn scalar = nullptr;
  LaneFn lane = nullptr;
  WaveFn wave = nullptr;
};

/// All entries, by name; nullptr if the instruction has no reference.
const Entry* find(std::string_view name);
/// Adds a file's table; called by the register_* functions of families.hpp, all of which register_all() calls.
void add(const Entry* entries, size_t count);
void register_all();
/// Meta::name of the instruction's row.
std::string_view row_name(const Inst& inst);

/// Executes one instruction at m.pc: false if there is no reference for it. A compare clears the bits of inactive lanes first.
bool step(Machine& m, const Inst& inst);

/// The lane whose register a DPP source reads, or nothing: out of the row or wave, or switched off in EXEC.
std::optional<int> dpp_source_lane(const Machine& m, const Dpp& dpp, int lane);

} // namespace bz::isa::ref
