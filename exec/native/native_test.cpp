// Workgroups that run by native code, without a compiler: a module of the test's own has the functions (testing/fake_module.cpp).
#include "base/segv.hpp"
#include "exec/native/compiler.hpp"
#include "exec/testing/case.hpp"

#include <cstdlib>
#include <ctime>
#include <thread>

namespace {
using namespace bz::exec;
using namespace bz::exec::testing;
using bz::isa::Target;

constexpr uint32_t kEnd = 0xbf810000;
uint32_t selects(uint32_t kernel) { return 0xbf800000 + kernel; }   // s_nop

/// With few registers, so that 16 waves find room.
bz::abi::kernel_descriptor_t descriptor() {
  auto kd = RawKernel::plain_descriptor(Target::gfx942);
  kd.compute_pgm_rsrc1 = (kd.compute_pgm_rsrc1 & ~63u) | (64 / 8 - 1);
  kd.compute_pgm_rsrc3 = (kd.compute_pgm_rsrc3 & ~63u) | (32 / 4 - 1);
  return kd;
}

std::unique_ptr<Engine> engine_in(const char* mode, bool count = false) {
  EXPECT_TRUE(bz::segv::install().ok());
  EngineConfig config;
  config.exec = mode;
  config.count_rows = count;
  auto e = Engine::create(config);
  EXPECT_TRUE(e.ok()) << e.status().to_string();
  return e.ok() ? std::move(e).value() : nullptr;
}

/// A kernel of the fake module over 4096 dwords of memory.
struct Fake {
  explicit Fake(uint32_t number, std::vector<uint32_t> rest = {kEnd})
      : words([&] { rest.insert(rest.begin(), selects(number)); return rest; }()), kernel(descriptor(), words) {}
  DispatchInfo info(uint32_t group, uint32_t groups) {
    DispatchInfo i;
    i.group_size = {static_cast<uint16_t>(group), 1, 1};
    i.grid_size = {group * groups, 1, 1};
    i.group_bytes = 1024;
    i.kernel_object = kernel.object();
    i.kernarg = reinterpret_cast<uint64_t>(mem.data());   // the fake kernels take s[0:1] for the memory itself
    return i;
  }
  void point(size_t at, uint64_t address) { mem[at] = static_cast<uint32_t>(address), mem[at + 1] = static_cast<uint32_t>(address >> 32); }
  std::vector<uint32_t> words;
  RawKernel kernel;
  std::vector<uint32_t> mem = std::vector<uint32_t>(4096);
};

TEST(Native, WavesEnd) {
  auto e = engine_in("jit", true);
  Fake k(1);
  launch(*e, k.info(1024, 100));
  EXPECT_EQ(k.mem[0], 1600u);
  EXPECT_EQ(e->instructions().native, 1600u);
  EXPECT_EQ(e->instructions().interpreted, 0u);
}

TEST(Native, WavesMeetAtBarriers) {
  auto e = engine_in("jit");
  for (uint32_t waves : {1u, 2u, 3u, 16u}) {
    Fake k(2);
    k.mem[1] = 10;
    launch(*e, k.info(64 * waves, 5));
    EXPECT_EQ(k.mem[0], 10 * waves * 5) << waves << " waves";
  }
}

TEST(Native, ABarrierIsReleasedByWavesThatEnd) {
  auto e = engine_in("jit");
  Fake k(9);
  launch(*e, k.info(1024, 3));
  EXPECT_EQ(k.mem[0], 24u);
}

TEST(Native, WavesWaitForEachOther) {
  auto e = engine_in("jit");
  for (uint32_t number : {3u, 15u}) {
    Fake k(number);
    launch(*e, k.info(1024, 1), {.seconds = 20});
    EXPECT_EQ(k.mem[0], 16u);
  }
}

/// Of the processor, in all threads.
double seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

TEST(Native, GroupsWaitForWhatComesFromElsewhere) {
  // They are parked, and go on in whatever thread.
  auto e = engine_in("jit");
  for (auto [number, workers] : {std::pair{3u, 1u}, {3u, 3u}, {15u, 1u}}) {
    Fake k(number);
    k.mem[1] = 16;
    std::thread helper([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      __atomic_store_n(k.mem.data(), 16u, __ATOMIC_RELAXED);
    });
    const double began = seconds();
    auto r = run_dispatch(*e, k.info(1024, 1), {.workers = workers, .seconds = 20});
    helper.join();
    ASSERT_TRUE(r.ok()) << r.status().to_string();
    ASSERT_FALSE(r->halt) << r->halt->text;
    EXPECT_EQ(k.mem[0], 32u);
    // As soon as it is seen to wait, not when a slice of some milliseconds is used up. Sanitizers take long to switch.
    if (!__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)) EXPECT_LT(seconds() - began, 0.3e-3 * static_cast<double>(r->parked)) << r->parked << " times parked";
  }
}

TEST(Native, SleepersAreParked) {
  auto e = engine_in("jit");
  Fake k(8);
  std::thread helper([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    __atomic_store_n(k.mem.data(), 1u, __ATOMIC_RELAXED);
  });
  auto r = run_dispatch(*e, k.info(256, 4), {.workers = 2});
  helper.join();
  ASSERT_TRUE(r.ok()) << r.status().to_string();
  EXPECT_EQ(k.mem[1], 16u);
  EXPECT_GE(r->parked, 4u);
}

TEST(Native, LongLoopsAreParkedAndGoOnInOtherThreads) {
  auto e = engine_in("jit");
  Fake k(10);
  k.mem[1] = 20'000'000;
  auto r = run_dispatch(*e, k.info(256, 3), {.workers = 3});
  ASSERT_TRUE(r.ok()) << r.status().to_string();
  EXPECT_EQ(k.mem[0], static_cast<uint32_t>(uint64_t{20'000'000} * (20'000'000 - 1) / 2) * 12);
  EXPECT_GE(r->parked, 1u);
}

TEST(Native, OutcallsRunOneInstruction) {
  auto e = engine_in("jit");
  // v_add_u32 v0, 1, v0; then one that must not run: v_mov_b32 v0, 0.
  Fake k(4, {0x68000081, 0x7e000280, kEnd});
  launch(*e, k.info(200, 1));
  for (uint32_t i = 0; i < 200; ++i) ASSERT_EQ(k.mem[i], i + 1) << i;
  for (uint32_t i = 200; i < 256; ++i) ASSERT_EQ(k.mem[i], 0u) << "lane " << i << " is off";
}

TEST(Native, OutcallsMayHalt) {
  auto e = engine_in("jit");
  Fake k(4, {0xbf920003, kEnd});   // s_trap 3 goes on
  launch(*e, k.info(64, 1));
  Fake trap(4, {0xbf920002, kEnd});
  for (int i = 0; i < 3; ++i) {
    auto r = run_dispatch(*e, trap.info(1024, 1));
    ASSERT_TRUE(r.ok());
    ASSERT_TRUE(r->halt);
    EXPECT_EQ(r->halt->reason, Halt::Reason::trap);
    EXPECT_EQ(r->halt->pc, trap.kernel.code() + 4) << r->halt->text;
  }
}

TEST(Native, OutcallsMayFault) {
  auto e = engine_in("jit");
  Fake k(4, {0xdc508000, 0x00020000, kEnd});   // global_load_dword v0, v0, s[2:3]: s[2:3] are small numbers
  auto r = run_dispatch(*e, k.info(64, 1));
  ASSERT_TRUE(r.ok());
  ASSERT_TRUE(r->halt);
  EXPECT_EQ(r->halt->reason, Halt::Reason::memory_fault);
  EXPECT_EQ(r->halt->pc, k.kernel.code() + 4) << r->halt->text;
  EXPECT_NE(r->halt->text.find("global_load_dword"), std::string::npos) << r->halt->text;
}

TEST(Native, JumpsGoToOtherCode) {
  auto e = engine_in("jit");
  for (uint32_t to : {1u, 2u, 9u}) {
    Fake target(to), k(5);
    k.mem[1] = 4;
    k.point(2, target.kernel.code());
    launch(*e, k.info(512, 20));
    EXPECT_EQ(k.mem[0], to == 1 ? 160u : to == 2 ? 4u * 160 : 80u);
  }
  Fake lost(5);
  lost.point(2, 0x1000);
  auto r = run_dispatch(*e, lost.info(64, 1));
  ASSERT_TRUE(r.ok() && r->halt);
  EXPECT_EQ(r->halt->reason, Halt::Reason::memory_fault);
  EXPECT_EQ(r->halt->text, "instruction fetch from 0x1000");
  Fake unknown(77), k(5);
  k.point(2, unknown.kernel.code());
  r = run_dispatch(*e, k.info(64, 1));
  ASSERT_TRUE(r.ok() && r->halt);
  EXPECT_NE(r->halt->text.find("not one of the kernels"), std::string::npos) << r->halt->text;
}

TEST(Native, FaultsNameInstructionAndWave) {
  auto e = engine_in("jit");
  Fake k(6, {0xdc508000, 0x007f0000, kEnd});   // global_load_dword
  k.point(2, 0x7000);
  for (int i = 0; i < 3; ++i) {
    auto r = run_dispatch(*e, k.info(512, 1));
    ASSERT_TRUE(r.ok() && r->halt);
    EXPECT_EQ(r->halt->reason, Halt::Reason::memory_fault);
    EXPECT_EQ(r->halt->address, 0x7000u);
    EXPECT_FALSE(r->halt->is_write);
    EXPECT_EQ(r->halt->pc, k.kernel.code() + 4) << r->halt->text;
    EXPECT_EQ(r->halt->wave, 7u) << r->halt->text;   // the last to arrive goes on first
    EXPECT_NE(r->halt->text.find("global_load_dword reads 0x7000"), std::string::npos) << r->halt->text;
  }
}

TEST(Native, TheInterpreterEndsWaves) {
  auto e = engine_in("jit");
  Fake trap(7, {0xbf920002, kEnd}), illegal(7, {0xffffffff, kEnd});
  auto r = run_dispatch(*e, trap.info(64, 1));
  ASSERT_TRUE(r.ok() && r->halt);
  EXPECT_EQ(r->halt->reason, Halt::Reason::trap);
  EXPECT_EQ(r->halt->pc, trap.kernel.code() + 4);
  r = run_dispatch(*e, illegal.info(64, 1));
  ASSERT_TRUE(r.ok() && r->halt);
  EXPECT_EQ(r->halt->reason, Halt::Reason::illegal_instruction);
  EXPECT_EQ(r->halt->pc, illegal.kernel.code() + 4);
  // Behind a trap that goes on there is code again: kernel 1.
  Fake passes(7, {0xbf920003, selects(1), kEnd});
  launch(*e, passes.info(128, 1));
  EXPECT_EQ(passes.mem[0], 4u);
}

TEST(Native, WhatCantBeCompiledIsNamed) {
  Fake k(77);
  auto e = engine_in("jit");
  auto d = e->prepare(k.info(64, 1));
  ASSERT_FALSE(d.ok());
  EXPECT_NE(d.status().message().find("BZ_EXEC=jit"), std::string::npos) << d.status().message();
  EXPECT_NE(d.status().message().find("not one of the kernels"), std::string::npos) << d.status().message();
  // Otherwise it is interpreted.
  launch(*engine_in("auto"), k.info(64, 1));
  launch(*engine_in("interp"), k.info(64, 1));
}

TEST(Native, KernelsAreCompiledBehind) {
  // s_nop, then a loop: interpreted it does nothing to memory, natively it counts.
  auto e = engine_in("auto", true);
  Fake k(1);
  k.words = {selects(1), 0xb0007000 /* s_movk_i32 s0, 0x7000 */, 0x80808100 /* s_sub_u32 s0, s0, 1 */, 0xbf078000 /* s_cmp_lg_u32 s0, 0 */,
             0xbf85fffd /* s_cbranch_scc1 -3 */, kEnd};
  RawKernel kernel(descriptor(), k.words);
  DispatchInfo info = k.info(64, 1);
  info.kernel_object = kernel.object();
  const uint64_t before = NativeCompiler::instance().compiled();
  auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (k.mem[0] == 0 && std::chrono::steady_clock::now() < deadline) launch(*e, info);
  EXPECT_NE(k.mem[0], 0u);
  EXPECT_EQ(NativeCompiler::instance().compiled(), before + 1);
  EXPECT_GT(e->instructions().interpreted, 0u);
  EXPECT_GT(e->instructions().native, 0u);
}

void launch_text(Engine& e, const char* text, Fake& memory, uint32_t group, uint32_t groups, unsigned workers) {
  auto words = assemble(Target::gfx942, text);
  ASSERT_TRUE(words.ok()) << words.status().to_string();
  RawKernel kernel(descriptor(), *words);
  DispatchInfo info = memory.info(group, groups);
  info.kernel_object = kernel.object();
  launch(e, info, {.workers = workers, .seconds = 20});
}

TEST(Native, RunningGroupsAreHandedOverAtLoopHeads) {
  for (uint32_t waves : {1u, 16u}) {
    auto e = engine_in("auto");
    Fake k(1);
    launch_text(*e, R"(
      s_nop 1
      s_mov_b32 s5, 0
    0:
      s_nop 11
      s_add_u32 s5, s5, 1
      s_branch 0b
    )", k, 64 * waves, 3, 2);
    // Of the last groups some may have begun natively: these count in mem[0] too.
    EXPECT_EQ(k.mem[0], 3 * waves);
    EXPECT_GE(k.mem[1], waves);
  }
}

TEST(Native, RunningGroupsAreHandedOverWithWavesAtABarrier) {
  auto e = engine_in("auto");
  Fake k(1);
  launch_text(*e, R"(
      s_nop 1
      v_readfirstlane_b32 s6, v0
      s_bitcmp1_b32 s6, 6
      s_cbranch_scc1 1f
    0:
      s_nop 12
      s_add_u32 s5, s5, 1
      s_branch 0b
    1:
      s_barrier
      s_nop 13
      s_branch 1b
    )", k, 1024, 1, 1);
  EXPECT_EQ(k.mem[0], 8u);
  EXPECT_EQ(k.mem[1], 8u);
  EXPECT_EQ(k.mem[2], 0u);
}

/// Until the kernel, which interpreted only takes its time, has run natively.
void launch_until_native(Engine& e, const char* text, Fake& memory, uint32_t group) {
  auto words = assemble(Target::gfx942, text);
  ASSERT_TRUE(words.ok()) << words.status().to_string();
  RawKernel kernel(descriptor(), *words);
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (e.instructions().native == 0 && memory.mem[0] == 0 && std::chrono::steady_clock::now() < deadline) {
    DispatchInfo info = memory.info(group, 1);
    info.kernel_object = kernel.object();
    launch(e, info);
  }
}

TEST(Native, CodeThatCantBeCompiledIsInterpretedAmongNativeWaves) {
  for (const char* kernel : {"s_nop 5", "s_nop 14"}) {
    auto callee = assemble(Target::gfx942, R"(
        s_nop 77
        v_mov_b32 v1, 0
        v_mov_b32 v2, 1
        global_atomic_add v1, v2, s[0:1]
        s_barrier
        s_movk_i32 s5, 2000
      0:
        s_sub_u32 s5, s5, 1
        s_cmp_lg_u32 s5, 0
        s_cbranch_scc1 0b
        s_getpc_b64 s[6:7]
        s_add_u32 s6, s6, 20
        s_addc_u32 s7, s7, 0
        s_setpc_b64 s[6:7]
        s_trap 2
        s_nop 0
        s_barrier
        s_endpgm)");
    ASSERT_TRUE(callee.ok()) << callee.status().to_string();
    RawKernel there(descriptor(), *callee);
    auto e = engine_in("auto");
    Fake k(1);
    k.point(2, there.code());
    const std::string text = std::string(kernel) + R"(
        s_movk_i32 s5, 0x7000
      0:
        s_sub_u32 s5, s5, 1
        s_cmp_lg_u32 s5, 0
        s_cbranch_scc1 0b
        s_endpgm)";
    launch_until_native(*e, text.c_str(), k, 1024);
    const bool part = std::string(kernel) == "s_nop 14";
    EXPECT_EQ(k.mem[0], part ? 8u * 64 : 16u * 64);
    EXPECT_EQ(k.mem[1], part ? 8u : 0u);
  }
}

TEST(Native, ABadWordIsRefused) {
  EngineConfig config;
  config.exec = "fast";
  if (std::getenv("BZ_EXEC")) GTEST_SKIP() << "BZ_EXEC is set";
  auto e = Engine::create(config);
  ASSERT_FALSE(e.ok());
  EXPECT_EQ(e.status().message(), "BZ_EXEC is interp, jit or auto, or empty for interp, not \"fast\"");
}

} // namespace
