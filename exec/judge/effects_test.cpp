// Effects that one instruction alone does not show: MODE on the next operation, register indexing, clocks, messages.
#include "exec/testing/kernel.hpp"
#include "exec/testing/machine.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <chrono>
#include <cmath>
#include <thread>

using namespace bz;
using bz::exec::Engine, bz::exec::EngineConfig, bz::exec::DispatchInfo, bz::exec::Hooks;
namespace kit = bz::exec::testing;
using isa::Target;

namespace {

/// Assembles and runs; the machine keeps its registers.
void run(kit::Machine& m, Target t, const char* text) {
  auto words = kit::assemble(t, text);
  ASSERT_TRUE(words) << words.status().to_string();
  auto s = m.run(*words);
  ASSERT_TRUE(s.ok()) << s.to_string();
}

class Effects : public ::testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(Levels, Effects, ::testing::ValuesIn(kit::engine_levels()), [](auto& info) { return info.param; });

float lane0(kit::Machine& m, unsigned v) { return std::bit_cast<float>(m.vgpr(v)[0]); }

TEST_P(Effects, SetregChangesRoundingOfWhatFollows) {
  kit::Machine m(Target::gfx942, GetParam());
  m.set_exec(~uint64_t{0});
  for (int lane = 0; lane < 64; ++lane) m.vgpr(0)[lane] = std::bit_cast<uint32_t>(1.0f), m.vgpr(1)[lane] = std::bit_cast<uint32_t>(0x1p-30f);
  // 1 + 2^-30: nearest 1, up one step more, toward zero 1; -1 - 2^-30 down one step more.
  run(m, Target::gfx942,
      "v_add_f32 v2, v0, v1\n s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1\n v_add_f32 v3, v0, v1\n"
      "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 3\n v_add_f32 v4, v0, v1\n"
      "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 2\n v_sub_f32 v5, -v0, v1\n s_getreg_b32 s10, hwreg(HW_REG_MODE, 0, 4)");
  EXPECT_EQ(lane0(m, 2), 1.0f);
  EXPECT_EQ(lane0(m, 3), 0x1.000002p0f);
  EXPECT_EQ(lane0(m, 4), 1.0f);
  EXPECT_EQ(lane0(m, 5), -0x1.000002p0f);
  EXPECT_EQ(m.sgpr(10), 2u);
}

TEST_P(Effects, SetregSplitsSingleAndDoubleRounding) {
  kit::Machine m(Target::gfx942, GetParam());
  m.set_exec(~uint64_t{0});
  uint64_t one = std::bit_cast<uint64_t>(1.0), tiny = std::bit_cast<uint64_t>(0x1p-60);
  for (int lane = 0; lane < 64; ++lane) {
    m.vgpr(0)[lane] = std::bit_cast<uint32_t>(1.0f), m.vgpr(1)[lane] = std::bit_cast<uint32_t>(0x1p-30f);
    m.vgpr(2)[lane] = static_cast<uint32_t>(one), m.vgpr(3)[lane] = static_cast<uint32_t>(one >> 32);
    m.vgpr(4)[lane] = static_cast<uint32_t>(tiny), m.vgpr(5)[lane] = static_cast<uint32_t>(tiny >> 32);
  }
  // Doubles upward, singles to nearest.
  run(m, Target::gfx942, "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 4), 4\n v_add_f32 v6, v0, v1\n v_add_f64 v[8:9], v[2:3], v[4:5]\n v_add_f32 v7, v0, v1");
  EXPECT_EQ(lane0(m, 6), 1.0f);
  EXPECT_EQ(lane0(m, 7), 1.0f);
  EXPECT_EQ(std::bit_cast<double>(m.vgpr(8)[0] | uint64_t{m.vgpr(9)[0]} << 32), 0x1.0000000000001p0);
}

TEST_P(Effects, SetregChangesDenormals) {
  kit::Machine m(Target::gfx942, GetParam());
  m.set_exec(~uint64_t{0});
  for (int lane = 0; lane < 64; ++lane) m.vgpr(0)[lane] = 1;
  run(m, Target::gfx942,
      "v_add_f32 v1, v0, v0\n s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 0\n v_add_f32 v2, v0, v0\n"
      "s_setreg_imm32_b32 hwreg(HW_REG_MODE, 4, 2), 3\n v_add_f32 v3, v0, v0");
  EXPECT_EQ(m.vgpr(1)[0], 2u);
  EXPECT_EQ(m.vgpr(2)[0], 0u);
  EXPECT_EQ(m.vgpr(3)[0], 2u);
}

TEST_P(Effects, RegisterIndexing) {
  kit::Machine m(Target::gfx942, GetParam());
  m.set_exec(~uint64_t{0});
  for (unsigned n = 0; n < 16; ++n)
    for (unsigned lane = 0; lane < 64; ++lane) m.vgpr(n)[lane] = 100 * n + lane;
  m.sgpr(0) = 3, m.sgpr(1) = 5;
  run(m, Target::gfx942,
      "s_set_gpr_idx_on s0, gpr_idx(SRC0)\n v_mov_b32 v20, v2\n s_set_gpr_idx_idx s1\n v_mov_b32 v21, v2\n"
      "s_set_gpr_idx_mode gpr_idx(DST)\n v_mov_b32 v22, v1\n s_set_gpr_idx_off\n v_mov_b32 v23, v2");
  for (unsigned lane = 0; lane < 64; ++lane) {
    EXPECT_EQ(m.vgpr(20)[lane], 500 + lane);   // v2 + 3
    EXPECT_EQ(m.vgpr(21)[lane], 700 + lane);   // v2 + 5
    EXPECT_EQ(m.vgpr(27)[lane], 100 + lane);   // to v22 + 5
    EXPECT_EQ(m.vgpr(23)[lane], 200 + lane);   // off again
  }
  EXPECT_EQ(m.mode() >> 27 & 1, 0u);
}

TEST_P(Effects, ClocksRun) {
  kit::Machine m(Target::gfx942, GetParam());
  auto clock = [&](const char* text) {
    m.set_sgpr64(4, 0);   // an older reading is none of this one
    run(m, Target::gfx942, text);
    return m.sgpr64(4);
  };
  uint64_t t0 = clock("s_memtime s[4:5]\n s_waitcnt lgkmcnt(0)"), r0 = clock("s_memrealtime s[4:5]\n s_waitcnt lgkmcnt(0)");
  auto h0 = std::chrono::steady_clock::now();
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  uint64_t t1 = clock("s_memtime s[4:5]\n s_waitcnt lgkmcnt(0)"), r1 = clock("s_memrealtime s[4:5]\n s_waitcnt lgkmcnt(0)");
  double host = std::chrono::duration<double>(std::chrono::steady_clock::now() - h0).count();
  EXPECT_GT(t1, t0 + 1000);
  // 100 MHz; assembling text lies in between, so the host's interval is the longer one at either end.
  double device = static_cast<double>(r1 - r0) / 100e6;
  EXPECT_GE(device, 0.029);
  EXPECT_LE(device, host + 0.5);
}

/// The interrupts that a device gets.
struct Seen {
  int count = 0;
  uint32_t event = 0;
  Hooks hooks() {
    return {.context = this, .interrupt = [](void* c, uint32_t event) { ++static_cast<Seen*>(c)->count, static_cast<Seen*>(c)->event = event; }};
  }
};

TEST_P(Effects, MessageReachesTheDevice) {
  Seen seen;
  EngineConfig config;
  config.simd = GetParam();
  config.hooks = seen.hooks();
  auto e = Engine::create(config);
  ASSERT_TRUE(e) << e.status().to_string();
  auto words = kit::assemble(Target::gfx942, "s_mov_b32 m0, 0xab123456\n s_nop 0\n s_sendmsg sendmsg(MSG_INTERRUPT)\n s_endpgm");
  ASSERT_TRUE(words);
  kit::RawKernel kernel(Target::gfx942, *words);
  DispatchInfo d;
  d.group_size = {64, 1, 1}, d.grid_size = {128, 1, 1};
  d.kernel_object = kernel.object();
  auto out = kit::run_dispatch(**e, d);
  ASSERT_TRUE(out) << out.status().to_string();
  EXPECT_FALSE((*out).halt);
  EXPECT_EQ(seen.count, 2);                // one per wave
  EXPECT_EQ(seen.event, 0x123456u);        // bits 23:0
}

/// Of s_sethalt, s_sendmsghalt and s_setkill a program sees that nothing comes after; the message is delivered first. A wave
/// that is killed has ended, one that is halted would never end.
TEST_P(Effects, HaltedWavesStopTheKernelByName) {
  for (auto t : {Target::gfx900, Target::gfx906, Target::gfx908, Target::gfx90a, Target::gfx942}) {
    for (auto [text, name, messages] : {std::tuple{"s_sethalt 1", "s_sethalt", 0}, {"s_sendmsghalt sendmsg(MSG_INTERRUPT)", "s_sendmsghalt", 1}, {"s_setkill 1", "s_setkill", 0}}) {
      Seen seen;
      uint32_t after = 0;
      EngineConfig config;
      config.target = t;
      config.simd = GetParam();
      config.hooks = seen.hooks();
      auto e = Engine::create(config);
      ASSERT_TRUE(e) << e.status().to_string();
      auto words = kit::assemble(t, std::string("s_sethalt 0\n s_setkill 0\n v_mov_b32 v0, 0\n v_mov_b32 v1, 1\n s_mov_b32 m0, 0xab123456\n") + text + "\n global_store_dword v0, v1, s[0:1]\n s_endpgm");
      ASSERT_TRUE(words) << words.status().to_string();
      kit::RawKernel kernel(t, *words);
      DispatchInfo d;
      d.group_size = {64, 1, 1}, d.grid_size = {64, 1, 1};
      d.kernel_object = kernel.object(), d.kernarg = reinterpret_cast<uint64_t>(&after);
      auto out = kit::run_dispatch(**e, d);
      ASSERT_TRUE(out) << out.status().to_string();
      bool killed = std::string_view(name) == "s_setkill";
      ASSERT_EQ((*out).halt == nullptr, killed) << text;
      if (!killed) {
        EXPECT_NE((*out).halt->text.find(name), std::string::npos) << (*out).halt->text;
        EXPECT_EQ((*out).halt->pc, kernel.code() + 24);
      }
      EXPECT_EQ(seen.count, messages) << text;
      EXPECT_EQ(seen.event, messages ? 0x123456u : 0) << text;
      EXPECT_EQ(after, 0u);
    }
  }
}

/// A fork inside a fork: at a join the other side is fetched, and the second time the program goes on (and sets EXEC itself).
TEST_P(Effects, ForksAndJoins) {
  for (auto t : {Target::gfx900, Target::gfx942}) {
    kit::Machine m(t, GetParam());
    for (uint64_t exec : {~uint64_t{0}, uint64_t{0xff00}, uint64_t{0xffff}, uint64_t{0x123456789abcdef0}, uint64_t{0xffff0000ffffffff}}) {
      m.set_exec(exec);
      for (uint32_t n = 0; n < 64; ++n) m.vgpr(0)[n] = n, m.vgpr(1)[n] = 0, m.vgpr(2)[n] = 0;
      run(m, t,
          "v_cmp_gt_u32 vcc, 16, v0\n s_mov_b64 s[50:51], vcc\n v_and_b32 v3, 1, v0\n v_cmp_eq_u32 vcc, 1, v3\n s_mov_b64 s[52:53], vcc\n"
          "s_getreg_b32 s40, hwreg(HW_REG_MODE, 29, 3)\n s_mov_b64 s[42:43], exec\n"
          "s_cbranch_i_fork s[50:51], low\n"
          "v_add_u32 v1, 100, v1\n s_branch outer\n"
          "low:\n"
          "s_getreg_b32 s41, hwreg(HW_REG_MODE, 29, 3)\n s_mov_b64 s[44:45], exec\n"
          "s_cbranch_i_fork s[52:53], odd\n v_add_u32 v1, 10, v1\n s_branch inner\n odd:\n v_add_u32 v1, 20, v1\n"
          "inner:\n s_cbranch_join s41\n s_mov_b64 exec, s[44:45]\n v_add_u32 v2, 1, v2\n"
          "outer:\n s_cbranch_join s40\n s_mov_b64 exec, s[42:43]\n v_add_u32 v2, 2, v2\n");
      EXPECT_EQ(m.exec(), exec);
      for (uint32_t n = 0; n < 64; ++n) {
        bool on = exec >> n & 1;
        EXPECT_EQ(m.vgpr(1)[n], !on ? 0u : n >= 16 ? 100u : n & 1 ? 20u : 10u) << n;
        EXPECT_EQ(m.vgpr(2)[n], !on ? 0u : n >= 16 ? 2u : 3u) << n;
      }
      EXPECT_EQ(m.mode() >> 29, 0u);
    }
  }
}

/// VSKIP: vector, LDS and memory instructions are passed over, scalar ones are not.
TEST_P(Effects, SkippedVectorInstructions) {
  kit::Machine m(Target::gfx906, GetParam());
  m.set_exec(~uint64_t{0});
  uint32_t cell[64] = {};
  m.set_sgpr64(10, reinterpret_cast<uint64_t>(cell));
  for (int n = 0; n < 64; ++n) m.vgpr(0)[n] = 1, m.vgpr(1)[n] = static_cast<uint32_t>(4 * n);
  run(m, Target::gfx906,
      "s_mov_b32 s20, 4\n s_setvskip s20, 2\n v_mov_b32 v0, 7\n v_cmp_eq_u32 vcc, 1, v0\n global_store_dword v1, v0, s[10:11]\n ds_write_b32 v1, v0\n"
      "s_mov_b32 s21, 5\n s_setvskip s20, 0\n v_mov_b32 v2, v0\n");
  EXPECT_EQ(m.vgpr(0)[5], 1u);
  EXPECT_EQ(m.vgpr(2)[5], 1u);
  EXPECT_EQ(m.sgpr(21), 5u);
  EXPECT_EQ(cell[0], 0u);
  EXPECT_EQ(m.lds()[0], 0u);
}

/// MODE.FP16_OVFL: what is too large for a half is the largest one; what was infinite stays.
TEST_P(Effects, HalvesSaturateByMode) {
  for (auto t : {Target::gfx900, Target::gfx90a, Target::gfx942}) {
    kit::Machine m(t, GetParam());
    m.set_exec(~uint64_t{0});
    constexpr uint32_t kMax = 0x7bff, kInf = 0x7c00, kLowest = 0xfbff;
    for (int n = 0; n < 64; ++n) {
      m.vgpr(0)[n] = kMax | kMax << 16, m.vgpr(1)[n] = kInf, m.vgpr(2)[n] = 1, m.vgpr(3)[n] = 0;   // largest, infinity, smallest, zero
      m.vgpr(4)[n] = std::bit_cast<uint32_t>(1e6f), m.vgpr(5)[n] = std::bit_cast<uint32_t>(-INFINITY), m.vgpr(6)[n] = 0xffff, m.vgpr(7)[n] = 0x5c00;   // 0x5c00: 256
    }
    auto text = std::string("v_add_f16 v20, v0, v0\n v_sub_f16 v21, 0, v0\n v_sub_f16 v21, v21, v0\n v_mul_f16 v22, v0, v7\n v_fma_f16 v23, v0, v7, v0\n") +
                "v_pk_add_f16 v24, v0, v0\n v_pk_fma_f16 v25, v0, v0, v0\n v_cvt_f16_f32 v26, v4\n v_cvt_f16_u16 v27, v6\n v_rcp_f16 v28, v2\n"
                "v_exp_f16 v29, v7\n v_ldexp_f16 v30, v0, 4\n"
                "v_add_f16 v40, v1, v0\n v_cvt_f16_f32 v41, v5\n v_rcp_f16 v42, v3\n v_exp_f16 v43, v1\n v_log_f16 v44, v3\n v_fma_f16 v45, v1, v7, v0\n";
    run(m, t, ("s_setreg_imm32_b32 hwreg(HW_REG_MODE, 23, 1), 1\n" + text).c_str());
    auto expect = [&](unsigned v, uint32_t value, uint32_t mask = 0xffff) { EXPECT_EQ(m.vgpr(v)[17] & mask, value) << "v" << v; };
    for (unsigned v : {20, 22, 23, 26, 27, 28, 29, 30}) expect(v, kMax);
    expect(21, kLowest);
    for (unsigned v : {24, 25}) expect(v, kMax | kMax << 16, ~0u);
    for (unsigned v : {40, 42, 43, 45}) expect(v, kInf);
    for (unsigned v : {41, 44}) expect(v, kInf | 0x8000);
    run(m, t, text.c_str());   // the mode of the start again
    for (unsigned v : {20, 22, 23, 26, 27, 28, 29, 30, 40, 42, 43, 45}) expect(v, kInf);
    expect(21, kInf | 0x8000);
    for (unsigned v : {24, 25}) expect(v, kInf | kInf << 16, ~0u);
  }
}

/// Hardware registers: fields that a program can rely on, what it may write, and that unknown ones are refused.
TEST_P(Effects, HardwareRegisters) {
  for (auto t : {Target::gfx900, Target::gfx906, Target::gfx908, Target::gfx90a, Target::gfx942}) {
    auto e = kit::make_engine(t, GetParam());
    ASSERT_TRUE(e) << e.status().to_string();
    auto words = kit::assemble(t, "s_getreg_b32 s10, hwreg(5, 8, 6)\n s_getreg_b32 s11, hwreg(6, 12, 9)\n s_getreg_b32 s12, hwreg(2, 11, 1)\n s_getreg_b32 s13, hwreg(15)\n"
                                  "v_mov_b32 v0, 0\n v_mov_b32 v2, s10\n v_mov_b32 v3, s11\n v_mov_b32 v4, s12\n v_mov_b32 v5, s13\n global_store_dwordx4 v0, v[2:5], s[0:1]\n s_endpgm");
    ASSERT_TRUE(words) << words.status().to_string();
    kit::RawKernel kernel(t, *words);
    uint32_t seen[4] = {};
    DispatchInfo d;
    d.group_size = {128, 1, 1}, d.grid_size = {128, 1, 1}, d.group_bytes = 1024;
    d.kernel_object = kernel.object(), d.kernarg = reinterpret_cast<uint64_t>(seen);
    auto out = kit::run_dispatch(**e, d);
    ASSERT_TRUE(out) << out.status().to_string();
    ASSERT_FALSE((*out).halt) << (*out).halt->text;
    EXPECT_EQ(seen[0], 63u);              // all VGPRs, in granules less one
    EXPECT_EQ(seen[1], 1024u / 256);      // LDS in 64 dwords
    EXPECT_EQ(seen[2], 1u);               // of several waves
    EXPECT_EQ(seen[3], 0x10002u);         // apertures

    kit::Machine m(t, GetParam());
    m.set_exec(~uint64_t{0});
    m.sgpr(1) = 0x1ff;
    run(m, t, "s_setreg_b32 hwreg(HW_REG_TRAPSTS, 0, 9), s1\n s_getreg_b32 s2, hwreg(HW_REG_TRAPSTS)\n v_clrexcp\n s_getreg_b32 s3, hwreg(HW_REG_TRAPSTS)\n"
              "s_getreg_b32 s4, hwreg(HW_REG_STATUS)\n s_setreg_imm32_b32 hwreg(HW_REG_STATUS), -1\n s_getreg_b32 s5, hwreg(HW_REG_STATUS)\n"
              "s_getreg_b32 s6, hwreg(HW_REG_IB_STS)\n s_getreg_b32 s7, hwreg(16)\n s_getreg_b32 s8, hwreg(19)\n");
    EXPECT_EQ(m.sgpr(2), 0x1ffu);
    EXPECT_EQ(m.sgpr(3), 0u);
    EXPECT_EQ(m.sgpr(4), m.sgpr(5));
    EXPECT_EQ(m.sgpr(4) >> 16 & 1, 1u);   // valid
    EXPECT_EQ(m.sgpr(6) | m.sgpr(7) | m.sgpr(8), 0u);
    // Numbers 20 to 24 came with gfx940; 9 is in no document.
    for (unsigned id : {9, 20, 24}) {
      auto one = kit::assemble(t, "s_getreg_b32 s1, hwreg(" + std::to_string(id) + ")");
      ASSERT_TRUE(one) << one.status().to_string();
      EXPECT_EQ(m.run(*one).ok(), id >= 20 && t == Target::gfx942) << id;
    }
  }
}

} // namespace
