// Matrix instructions by native code and by the interpreter, from the same registers: each shape that is queued, alone and in
// company, with sums that are touched in between, written under a mask, copied, and carried around loops.
#include "exec/judge/random.hpp"
#include "exec/testing/kernel.hpp"
#include "exec/testing/machine.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

using namespace bz;
using exec::judge::Random;
using exec::testing::assemble;
using exec::testing::Machine;
using isa::Target;

struct Shape {
  Target target;
  const char* name;
  unsigned sum, factor;   ///< registers
  enum Fill { f32, f16, bf16, bytes } fill;
};
const Shape kShapes[] = {
    {Target::gfx942, "v_mfma_f32_16x16x4_f32", 4, 1, Shape::f32},         {Target::gfx942, "v_mfma_f32_32x32x2_f32", 16, 1, Shape::f32},
    {Target::gfx942, "v_mfma_f32_16x16x1_4b_f32", 16, 1, Shape::f32},     {Target::gfx942, "v_mfma_f32_32x32x1_2b_f32", 32, 1, Shape::f32},
    {Target::gfx942, "v_mfma_f32_16x16x16_f16", 4, 2, Shape::f16},        {Target::gfx942, "v_mfma_f32_32x32x8_f16", 16, 2, Shape::f16},
    {Target::gfx942, "v_mfma_f32_16x16x4_4b_f16", 16, 2, Shape::f16},     {Target::gfx942, "v_mfma_f32_32x32x4_2b_f16", 32, 2, Shape::f16},
    {Target::gfx942, "v_mfma_f32_16x16x16_bf16", 4, 2, Shape::bf16},      {Target::gfx942, "v_mfma_f32_32x32x8_bf16", 16, 2, Shape::bf16},
    {Target::gfx942, "v_mfma_f32_16x16x4_4b_bf16", 16, 2, Shape::bf16},   {Target::gfx942, "v_mfma_i32_16x16x32_i8", 4, 2, Shape::bytes},
    {Target::gfx942, "v_mfma_i32_32x32x16_i8", 16, 2, Shape::bytes},      {Target::gfx90a, "v_mfma_i32_16x16x16i8", 4, 1, Shape::bytes},
    {Target::gfx90a, "v_mfma_i32_32x32x8i8", 16, 1, Shape::bytes},        {Target::gfx90a, "v_mfma_f32_16x16x4f32", 4, 1, Shape::f32},
    {Target::gfx90a, "v_mfma_f32_32x32x2f32", 16, 1, Shape::f32},         {Target::gfx90a, "v_mfma_i32_16x16x4i8", 16, 1, Shape::bytes},
};

class Matrix : public ::testing::TestWithParam<std::string> {
protected:
  Machine& machine(Target t, const char* exec) {
    auto& m = machines_[{t, exec}];
    if (!m) {
      unsetenv("BZ_EXEC");
      setenv("BZ_JIT_OFF", "dead", 1);   // registers are looked at behind the end
      m = std::make_unique<Machine>(t, GetParam(), 1, exec);
    }
    return *m;
  }
  /// The same registers in both, then the same registers from both.
  void both(const Shape& s, const std::string& text, uint64_t exec = ~uint64_t{0}) {
    auto words = assemble(s.target, text);
    ASSERT_TRUE(words.ok()) << s.name << ": " << words.status().to_string() << "\n" << text;
    Machine &want = machine(s.target, "interp"), &got = machine(s.target, "jit");
    Random r(seed_++);
    for (unsigned v = 0; v < 512; ++v)
      for (unsigned lane = 0; lane < 64; ++lane) {
        uint32_t x = r.word();
        // Numbers of no great difference, so that sums are not one factor alone.
        if (s.fill == Shape::f32) x = (x & 0x807fffff) | (120 + r.below(12)) << 23;
        if (s.fill == Shape::f16) x = (x & 0x83ff83ff) | (10 + r.below(10)) << 10 | (10 + r.below(10)) << 26;
        if (s.fill == Shape::bf16) x = (x & 0x807f807f) | (120 + r.below(12)) << 7 | (120 + r.below(12)) << 23;
        want.vgpr(v)[lane] = got.vgpr(v)[lane] = x;
      }
    for (Machine* m : {&want, &got}) {
      for (unsigned k = 0; k < 100; ++k) m->sgpr(k) = 0;
      m->set_exec(exec), m->set_mode(0x3f0), m->set_scc(false);
      Status status = m->run(*words);
      ASSERT_TRUE(status.ok()) << s.name << ": " << status.to_string() << "\n" << text;
    }
    for (unsigned v = 0; v < 512; ++v)
      ASSERT_EQ(std::memcmp(want.vgpr(v), got.vgpr(v), 256), 0) << s.name << ", register " << v << ":\n" << text;
  }
  std::string range(unsigned first, unsigned n) const { return n == 1 ? fmt::format("v{}", first) : fmt::format("v[{}:{}]", first, first + n - 1); }

private:
  std::map<std::pair<Target, std::string>, std::unique_ptr<Machine>> machines_;
  uint64_t seed_ = 1;
};

/// D, A, B, C by number of a tuple: sums at 0, 32, 64 ..., factors at 200, 204 ...
struct Text {
  const Shape& s;
  std::string text;
  Text& mfma(unsigned d, unsigned a, unsigned b, int c = -1) {
    auto tuple = [](unsigned first, unsigned n) { return n == 1 ? fmt::format("v{}", first) : fmt::format("v[{}:{}]", first, first + n - 1); };
    const std::string addend = c == -2 ? "0" : tuple(32 * (c < 0 ? d : static_cast<unsigned>(c)), s.sum);
    text += fmt::format("{} {}, {}, {}, {}\n", s.name, tuple(32 * d, s.sum), tuple(200 + 4 * a, s.factor), tuple(200 + 4 * b, s.factor), addend);
    return wait();
  }
  /// What the hardware wants between a matrix instruction and who looks at it is nothing here; but it reads like a compiler's.
  Text& wait() { return line("s_nop 7"); }
  Text& line(const std::string& t) {
    text += t + "\n";
    return *this;
  }
};

TEST_P(Matrix, OneProductOfEachShape) {
  for (const Shape& s : kShapes) both(s, Text{s, {}}.mfma(0, 0, 1).text);
}

TEST_P(Matrix, SumsThatBeginAtZeroOrElsewhere) {
  for (const Shape& s : kShapes) both(s, Text{s, {}}.mfma(0, 0, 1, -2).mfma(1, 0, 2, 0).mfma(1, 3, 2).mfma(2, 1, 1, 1).text);
}

TEST_P(Matrix, FourSumsOfTwoRowsAndColumnsInChains) {
  for (const Shape& s : kShapes) {
    Text t{s, {}};
    for (unsigned k = 0; k < 3; ++k) t.mfma(0, 4 * k, 4 * k + 2).mfma(1, 4 * k, 4 * k + 3).mfma(2, 4 * k + 1, 4 * k + 2).mfma(3, 4 * k + 1, 4 * k + 3);
    both(s, t.text);
  }
}

TEST_P(Matrix, FactorsChangeAfterwards) {
  for (const Shape& s : kShapes) both(s, Text{s, {}}.mfma(0, 0, 1).line("v_mov_b32 v200, v210").mfma(0, 0, 1).line("v_add_u32 v204, v204, v211").mfma(0, 0, 1).text);
}

TEST_P(Matrix, SumsAreTouchedInBetween) {
  for (const Shape& s : kShapes) {
    both(s, Text{s, {}}.mfma(0, 0, 1).mfma(1, 0, 2).line("v_add_u32 v1, v1, v33").mfma(0, 1, 2).line("v_mov_b32 v220, v0").mfma(1, 2, 3).line("v_xor_b32 v32, v220, v32").mfma(1, 0, 0).text);
    // A sum is the next one's factor.
    both(s, Text{s, {}}.mfma(0, 0, 1).line(fmt::format("{} v[32:{}], {}, {}, v[32:{}]", s.name, 31 + s.sum, range(0, s.factor), range(204, s.factor), 31 + s.sum)).wait().text);
  }
}

TEST_P(Matrix, UnderAMaskAllLanesTakePart) {
  for (const Shape& s : kShapes)
    for (uint64_t exec : {uint64_t{1}, uint64_t{0xffff0000ffff0001}})
      both(s, Text{s, {}}.line("v_mov_b32 v0, v220").mfma(0, 0, 1).line("v_mov_b32 v1, 1.0").mfma(0, 0, 1).line("v_add_u32 v2, v2, v1").text, exec);
}

TEST_P(Matrix, RegistersThatServeTwoPurposes) {
  // v0 is an address first, then part of a sum, then something else.
  for (const Shape& s : kShapes)
    both(s, Text{s, {}}.line("v_lshlrev_b32 v220, 2, v0\n v_mov_b32 v0, 0\n v_mov_b32 v1, 0").mfma(0, 0, 1).mfma(0, 1, 2).line("v_mov_b32 v221, v0\n v_mov_b32 v0, v220\n v_add_u32 v0, v0, v220").text);
}

TEST_P(Matrix, AroundLoops) {
  for (const Shape& s : kShapes) {
    Text t{s, {}};
    t.line("s_mov_b32 s4, 0\n v_mov_b32 v0, 0\nagain:").mfma(0, 0, 1).mfma(1, 0, 2).line("v_add_u32 v200, v200, v230\n s_add_i32 s4, s4, 1\n s_cmp_lt_i32 s4, 5\n s_cbranch_scc1 again");
    t.line("v_add_u32 v222, v0, v33");
    both(s, t.text);
    both(s, t.text, 0xff00ff00ff00ffff);
  }
}

TEST_P(Matrix, MoreThanTheRoomForFactors) {
  for (const Shape& s : kShapes) {
    Text t{s, {}};
    for (unsigned k = 0; k < 40; ++k) t.line(fmt::format("v_xor_b32 v{0}, {1}, v{0}", 200 + 4 * (k % 8), 1 + k)).mfma(k % 2, k % 8, (k + 3) % 8);
    both(s, t.text);
  }
}

INSTANTIATE_TEST_SUITE_P(Levels, Matrix, ::testing::ValuesIn(exec::testing::engine_levels()));

} // namespace
