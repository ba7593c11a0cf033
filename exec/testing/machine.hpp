// Test kit: runs a few machine words on the engine with chosen registers, EXEC and MODE, and lets the test look at what came
// out. No file, no assembler, no queue: for judges of single rows with many random inputs. See kernel.hpp for text kernels.
//
//   Machine m(isa::Target::gfx942, "avx2");
//   m.vgpr(1)[lane] = ...; m.sgpr(2) = ...; m.set_exec(mask); m.set_mode(0x3f0);
//   ASSERT_TRUE(m.run({0x02040501}).ok());     // one instruction; s_endpgm is added
//   m.vgpr(0)[lane] ...
#pragma once
#include "base/status.hpp"
#include "exec/engine.hpp"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace bz::exec {
struct Level;
}

namespace bz::exec::testing {

/// The engine levels that this machine can run; says once on stderr which ones are left out.
std::vector<std::string> engine_levels();

class Machine {
public:
  /// `waves` of one workgroup (they run the same code; registers are per wave). `split` decodes for a MODE whose single and
  /// double/half parts differ; a MODE set by set_mode() is honoured either way.
  /// `exec`: EngineConfig::exec; "" is the interpreter, if the environment does not say otherwise.
  explicit Machine(isa::Target target, const std::string& level = "", uint32_t waves = 1, const std::string& exec = "");
  /// On an instance of the interpreter that no product has.
  Machine(isa::Target target, const Level& level, uint32_t waves = 1);
  ~Machine();

  /// Registers of a wave. VGPRs 256..511 are AGPRs on gfx90a and later (accum_offset is 256 here) and on gfx908.
  uint32_t* vgpr(unsigned n, uint32_t wave = 0);
  uint32_t& sgpr(unsigned n, uint32_t wave = 0);   ///< as encoded: 106 vcc_lo, 124 m0, 126 exec_lo ...
  uint64_t sgpr64(unsigned n, uint32_t wave = 0);
  void set_sgpr64(unsigned n, uint64_t value, uint32_t wave = 0);
  void set_exec(uint64_t mask, uint32_t wave = 0) { set_sgpr64(126, mask, wave); }
  uint64_t exec(uint32_t wave = 0) { return sgpr64(126, wave); }
  void set_vcc(uint64_t mask, uint32_t wave = 0) { set_sgpr64(106, mask, wave); }
  uint64_t vcc(uint32_t wave = 0) { return sgpr64(106, wave); }
  void set_scc(bool value, uint32_t wave = 0);
  bool scc(uint32_t wave = 0);
  /// MODE bits: round 3:0, denormals 7:4, dx10_clamp 8, ieee 9. Default 0x3f0: nearest, denormals on, both on.
  void set_mode(uint32_t mode);
  uint32_t mode(uint32_t wave = 0);
  uint8_t* lds();                        ///< lds_size bytes, kept between runs
  static constexpr uint32_t kLdsBytes = 65536;
  uint32_t lds_limit = kLdsBytes;        ///< what the workgroup may touch
  static constexpr uint32_t kScratchBytes = 4096;   ///< private memory per lane
  uint32_t* scratch(uint32_t wave = 0);  ///< dword-interleaved: lane l's dword d is [64 * d + l]

  /// Runs the words (s_endpgm is appended) on all waves; registers stay for the next run. An error Status is a Halt; its text is
  /// the message and halt() has the details.
  Status run(std::span<const uint32_t> words);
  Status run(std::initializer_list<uint32_t> words) { return run(std::span(words.begin(), words.size())); }
  const Halt* halt() const;
  /// Address of the first word of the last run, for pc-relative results.
  uint64_t code_address() const;
  /// How often the row has been executed by this machine.
  uint64_t executions(uint16_t row) const;

private:
  void start(isa::Target target, uint32_t waves);
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace bz::exec::testing
