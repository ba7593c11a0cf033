// The trace of a wave: what its file says about a few instructions, and that only the chosen wave is in it.
#include "exec/testing/machine.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

using namespace bz;

namespace {

// v_mov_b32 v1, s2; s_mov_b64 exec, 1; v_mov_b32 v1, 5; s_endpgm is added.
constexpr std::initializer_list<uint32_t> kCode = {0x7e020202, 0xbefe0181, 0x7e020285};

/// Ends the process: with 0 if the two waves came out as they should.
[[noreturn]] void run_traced(const std::string& file, const char* wave) {
  setenv("BZ_TRACE", file.c_str(), 1);
  if (wave) setenv("BZ_TRACE_WAVE", wave, 1);
  exec::testing::Machine m(isa::Target::gfx906, "", 2);
  for (uint32_t w = 0; w < 2; ++w) {
    m.sgpr(2, w) = 7 + w;
    m.set_exec(~uint64_t{0}, w);
  }
  std::exit(m.run(kCode).ok() && m.vgpr(1, 1)[0] == 5 && m.vgpr(1, 1)[1] == 8 ? 0 : 1);
}

/// What the file says after a run; each is a process of its own, because a process opens one file.
std::string trace_of(const char* wave, const char* said = "^$") {
  const std::string file = testing::TempDir() + "bz-trace-" + std::to_string(getpid());
  unlink(file.c_str());
  EXPECT_EXIT(run_traced(file, wave), testing::ExitedWithCode(0), said);
  std::ifstream in(file);
  std::string text{std::istreambuf_iterator<char>(in), {}};
  unlink(file.c_str());
  return text;
}

size_t count(const std::string& text, const std::string& what) {
  size_t n = 0;
  for (size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += what.size()) ++n;
  return n;
}

TEST(Trace, InstructionsAndWhatTheyChange) {
  auto text = trace_of(nullptr);
  EXPECT_NE(text.find("v_mov_b32_e32 v1, s2\n    v1[0] = 0x7\n"), std::string::npos) << text;
  EXPECT_NE(text.find("s_mov_b64 exec, 1\n    exec_lo = 0x1\n    exec_hi = 0x0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("v_mov_b32_e32 v1, 5\n    v1[0] = 0x5\n"), std::string::npos) << text;
  EXPECT_EQ(count(text, "v_mov_b32_e32"), 2u) << text;
  EXPECT_EQ(count(text, "-- code at"), 1u) << text;
  EXPECT_EQ(count(text, "s_endpgm"), 1u) << text;
}

TEST(Trace, AnotherWaveAndLane) {
  auto text = trace_of("0,0,0:1:3");
  EXPECT_NE(text.find("v1[3] = 0x8\n"), std::string::npos) << text;
  EXPECT_EQ(count(text, "v1["), 1u) << text;   // the lane is off at the second
}

TEST(Trace, AllLanes) {
  auto text = trace_of("0:1:all");
  EXPECT_EQ(count(text, "] = 0x8\n"), 64u) << text;
  EXPECT_EQ(count(text, "v1[0] = 0x5\n"), 1u) << text;
}

TEST(Trace, AnotherGroupIsNotThere) { EXPECT_EQ(trace_of("1", "no workgroup 1,0,0 with a wave 0 has run"), ""); }
TEST(Trace, AnotherWaveIsNotThere) { EXPECT_EQ(trace_of("0:7", "no workgroup 0,0,0 with a wave 7 has run"), ""); }

TEST(Trace, AChoiceThatCantBeReadTracesNothing) {
  for (const char* bad : {"x", "0:", "0:0:64", "0,0,0,0", "0:0:0:0", "-1", "0:0:some"}) EXPECT_EQ(trace_of(bad, "not of the form x\\[,y\\[,z\\]\\]"), "") << bad;
}

} // namespace
