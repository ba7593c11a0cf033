// A million random words per target, judged by LLVM's disassembler in process: same text, same size, same refusals.
// BZ_SEED picks the words (a number, or `random`), BZ_ISA_RANDOM_WORDS how many.
#include "isa/decode.hpp"
#include "isa/llvm_mc.hpp"
#include "isa/random_words.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace bz::isa;

namespace {

uint64_t seed() {
  const char* s = std::getenv("BZ_SEED");
  if (!s) return 20260101;
  return std::strcmp(s, "random") == 0 ? std::random_device{}() : std::strtoull(s, nullptr, 0);
}

long how_many() {
  const char* s = std::getenv("BZ_ISA_RANDOM_WORDS");
  return s ? std::atol(s) : 1000000;
}

/// Reviewed differences; docs/isa-errata.md has the reasons. Everything else must agree.
const char* reviewed_difference(Target target, const uint32_t* w, const std::optional<Inst>& inst, const LlvmMc::Result& llvm) {
  bool scaled = target == Target::gfx950 && w[0] >> 16 == 0xd3ac && (w[2] >> 16 == 0xd3ad || w[2] >> 16 == 0xd3ae) && (w[2] >> 11 & 15) == 1;
  if (scaled && !inst && llvm.size == 8) return "LLVM shows the first half of a scaled matrix operation alone where the second is impossible";
  if (!inst) return nullptr;
  auto& meta = row_meta(inst->row);
  bool rejected = llvm.verdict == LlvmMc::Verdict::rejected;
  bool agpr = inst->dest_count && inst->dest().kind == Operand::Kind::agpr;
  if (rejected && (kGfx940 & bit(target)) && (inst->format & (FLAT | GLOBAL)) && has(meta.flags, Atomic) && inst->glc && agpr)
    return "LLVM lacks the AGPR form of returning float atomics on gfx940";
  if (llvm.verdict == LlvmMc::Verdict::dubious && has(meta.flags, WholeWave) && inst->dest().number == 124)
    return "v_readfirstlane_b32 and v_readlane_b32 to M0: a rule of LLVM's register allocation, not of the chip";
  bool k = inst->format == VOP2 && (meta.operands.spec[2].field == Field::k32 || meta.operands.spec[3].field == Field::k32);
  if (k && inst->literal < 512) return "LLVM reads a small v_madmk/v_madak/v_fmamk/v_fmaak literal as an operand code";
  return nullptr;
}

/// Counts of one comparison, and the comparison itself.
struct Bench {
  explicit Bench(Target t) : target(t), llvm(t) {}
  Target target;
  LlvmMc llvm;
  long accepted = 0, rejected = 0, dubious = 0, crashed = 0, reviewed = 0, failures = 0;

  void compare(const uint32_t* w, size_t count) {
    auto judge = llvm.disassemble(w, count);
    auto inst = decode(target, w, count);
    std::string got = inst ? disassemble(target, *inst) : "<rejected>";
    if (got.back() == ' ') got.pop_back();
    bool fine = false;
    switch (judge.verdict) {
    case LlvmMc::Verdict::accepted:
      ++accepted;
      fine = inst && inst->size == judge.size && got == judge.text;
      break;
    case LlvmMc::Verdict::rejected:
      ++rejected;
      fine = !inst || !inst->legal;  // named here, but refused as well
      break;
    case LlvmMc::Verdict::dubious:  // shown with a complaint: must not be executable here
      ++dubious;
      fine = !inst || !inst->legal;
      break;
    case LlvmMc::Verdict::crashed: ++crashed; return;
    }
    if (fine) return;
    if (reviewed_difference(target, w, inst, judge)) return void(++reviewed);
    if (++failures <= 20)
      ADD_FAILURE() << target_name(target) << std::hex << " " << w[0] << " " << w[1] << " " << w[2] << " " << w[3] << "\n  LLVM  "
                    << (judge.size ? judge.text : "<rejected>") << "\n  here  " << got;
  }
};

class AgainstLlvm : public testing::TestWithParam<Target> {};

TEST_P(AgainstLlvm, RandomWords) {
  Bench bench(GetParam());
  uint64_t start = seed();
  RandomWords random(start);
  std::string name(target_name(bench.target));
  std::printf("%s: seed %llu\n", name.c_str(), static_cast<unsigned long long>(start));
  long total = how_many();
  for (long i = 0; i < total; ++i) {
    auto w = random.next();
    bench.compare(w.data(), w.size());
  }
  std::printf("%s: %ld accepted, %ld rejected, %ld dubious, %ld crashed LLVM, %ld reviewed differences, %ld failures\n", name.c_str(),
              bench.accepted, bench.rejected, bench.dubious, bench.crashed, bench.reviewed, bench.failures);
  EXPECT_EQ(bench.failures, 0);
  EXPECT_GT(bench.accepted, total / 6) << "the words miss the instruction set";
  EXPECT_LT(bench.reviewed, total / 1000) << "the list of reviewed differences hides too much";
}

/// Every value of the immediates whose text has rules of its own.
TEST_P(AgainstLlvm, EveryImmediate) {
  Bench bench(GetParam());
  auto sweep = [&](uint32_t first, uint32_t second) {
    for (uint32_t imm = 0; imm < 0x10000; ++imm) {
      uint32_t w[4] = {first | imm, second, 0, 0};
      bench.compare(w, 4);
    }
  };
  for (uint32_t op : {0, 1, 2, 8, 12, 13, 14, 16, 17, 18, 29}) sweep(0xbf800000 | op << 16, 0);     // SOPP
  for (uint32_t op : {0, 2, 16, 17, 18, 20, 21}) sweep(0xb0000000 | op << 23 | 4u << 16, 0x1234567);  // SOPK
  sweep(0xd87a0000, 0x01000002);  // ds_swizzle_b32
  sweep(0xd86e0000, 0x02000004);  // ds_read2_b32
  for (uint32_t ctrl = 0; ctrl < 0x200; ++ctrl) {
    uint32_t plain[4] = {0x7e0402fa, 0xff000006 | ctrl << 8, 0, 0};  // v_mov_b32_dpp
    uint32_t wide[4] = {0x7e0406fa, 0xff000006 | ctrl << 8, 0, 0};   // v_cvt_i32_f64_dpp
    bench.compare(plain, 4);
    bench.compare(wide, 4);
  }
  for (uint32_t sel = 0; sel < 0x10000; ++sel) {
    uint32_t add[4] = {0x020406f9, 0x06000004 | sel << 8, 0, 0};    // v_add_f32_sdwa, low selects and modifiers
    uint32_t cmp[4] = {0x7c8406f9, 0x00000004 | sel << 16, 0, 0};   // v_cmp_eq_f32_sdwa, source selects
    bench.compare(add, 4);
    bench.compare(cmp, 4);
  }
  EXPECT_EQ(bench.failures, 0);
  EXPECT_GT(bench.accepted, 1200000);
}

/// Every source code in every scalar and vector source field, at every operand size.
TEST_P(AgainstLlvm, EverySourceCode) {
  Bench bench(GetParam());
  constexpr uint32_t literals[] = {0, 64, 65, 0xfffffff0, 0xffffffef, 0x3f800000, 0x3c00, 0x00010001, 0x3e22f983, 0x3118, 0x12345678};
  for (uint32_t literal : literals)
    for (uint32_t code = literal ? 255 : 0; code < (literal ? 256u : 512u); ++code) {
      if (code < 256)
        for (uint32_t op = 0; op < 128; ++op) {
          uint32_t sop2[4] = {0x80000000 | (op & 63) << 23 | 4u << 16 | 5u << 8 | code, literal, 0, 0};
          uint32_t sop1[4] = {0xbe800000 | 4u << 16 | op << 8 | code, literal, 0, 0};
          uint32_t sopc[4] = {0xbf000000 | op << 16 | code << 8 | 4, literal, 0, 0};
          bench.compare(sop2, 4), bench.compare(sop1, 4), bench.compare(sopc, 4);
        }
      if (code == 249 || code == 250) continue;
      for (uint32_t op = 0; op < 256; ++op) {
        uint32_t vop1[4] = {0x7e000000 | 4u << 17 | (op & 127) << 9 | code, literal, 0, 0};
        uint32_t vopc[4] = {0x7c000000 | op << 17 | 6u << 9 | code, literal, 0, 0};
        uint32_t vop2[4] = {(op & 63) << 25 | 4u << 17 | 6u << 9 | code, literal, 0, 0};
        if (op < 128) bench.compare(vop1, 4);
        if (op < 62) bench.compare(vop2, 4);
        bench.compare(vopc, 4);
        if (code == 255 || literal != 0) continue;  // LLVM has undefined behaviour for literals here
        for (uint32_t high : {0u, 0x100u, 0x140u, 0x1c0u, 0x280u}) {
          uint32_t vop3[4] = {0xd0000000 | (op + high) << 16 | 4, 0x04040000u | 260u << 9 | code, 0, 0};
          bench.compare(vop3, 4);
        }
      }
    }
  EXPECT_EQ(bench.failures, 0);
  EXPECT_GT(bench.accepted, 400000);
}

INSTANTIATE_TEST_SUITE_P(Targets, AgainstLlvm, testing::Values(Target::gfx900, Target::gfx906, Target::gfx908, Target::gfx90a, Target::gfx942, Target::gfx950),
                         [](auto& info) { return std::string(target_name(info.param)); });

} // namespace
