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
const char* reviewed_difference(Target target, const std::optional<Inst>& inst, const LlvmMc::Result& llvm) {
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

class RandomWordsTest : public testing::TestWithParam<Target> {};

TEST_P(RandomWordsTest, AgreeWithLlvm) {
  Target target = GetParam();
  LlvmMc llvm(target);
  uint64_t start = seed();
  RandomWords random(start);
  std::printf("%s: seed %llu\n", std::string(target_name(target)).c_str(), static_cast<unsigned long long>(start));
  long accepted = 0, rejected = 0, dubious = 0, crashed = 0, reviewed = 0, failures = 0;
  long total = how_many();
  for (long i = 0; i < total; ++i) {
    auto w = random.next();
    auto judge = llvm.disassemble(w.data(), w.size());
    auto inst = decode(target, w.data(), w.size());
    bool fine = false;
    std::string got = inst ? disassemble(target, *inst) : "<rejected>";
    if (got.back() == ' ') got.pop_back();
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
    case LlvmMc::Verdict::crashed: ++crashed; continue;
    }
    if (fine) continue;
    if (reviewed_difference(target, inst, judge)) {
      ++reviewed;
      continue;
    }
    if (++failures <= 20)
      ADD_FAILURE() << target_name(target) << std::hex << " " << w[0] << " " << w[1] << " " << w[2] << "\n  LLVM  "
                    << (judge.size ? judge.text : "<rejected>") << "\n  here  " << got;
  }
  std::printf("%s: %ld accepted, %ld rejected, %ld dubious, %ld crashed LLVM, %ld reviewed differences, %ld failures\n",
              std::string(target_name(target)).c_str(), accepted, rejected, dubious, crashed, reviewed, failures);
  EXPECT_EQ(failures, 0);
  EXPECT_GT(accepted, total / 6) << "the words miss the instruction set";
  EXPECT_LT(reviewed, total / 2000) << "the list of reviewed differences hides too much";
}

INSTANTIATE_TEST_SUITE_P(Targets, RandomWordsTest, testing::Values(Target::gfx906, Target::gfx90a, Target::gfx942),
                         [](auto& info) { return std::string(target_name(info.param)); });

} // namespace
