// LLVM's constant folding as a second opinion: where LLVM computes an intrinsic of constant operands itself, the row that the
// intrinsic becomes has to give the same bits on every engine level and on the reference machine. Which calls LLVM folds is
// part of the table: a call that it no longer folds would silently judge nothing.
#include "exec/judge/llvm_fold.hpp"
#include "exec/judge/random.hpp"
#include "exec/testing/kernel.hpp"
#include "exec/testing/machine.hpp"
#include "isa/decode.hpp"
#include "isa/ref/machine.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>

using namespace bz;
using namespace bz::exec::judge;
namespace kit = bz::exec::testing;

namespace {

enum class Folds { all, some };   // some: only zeros, infinities, exact results ...
/// Calls where LLVM is not the judge.
enum class Unless {
  never,
  denormal,   ///< an argument or the result: the row flushes whatever MODE says, LLVM does not
  nan,        ///< the manual's formula knows no NaN, LLVM hands it on (docs/isa-errata.md)
  nan_and_low ///< LLVM sees the -infinity before the NaN and drops the former; the manual has the minimum of all
};

struct Row {
  const char* function;
  const char* result;
  std::vector<const char*> types;
  /// Sources are v2, v4, v6 (64 bits: pairs from there), the result is v0, or s[10:11] for i1; of scalar rows s2 and s0.
  const char* text;
  Folds folds = Folds::all;
  unsigned ulps = 0;
  Unless unless = Unless::never;
  isa::Target target = isa::Target::gfx942;
};

const Row kRows[] = {
#include "exec/judge/llvm_folds.inc"
};

std::vector<uint64_t> corners(std::string_view type) {
  if (type == "float")
    return {0, 0x80000000, 0x3f800000, 0xbf800000, 0x3f000000, 0x40490fdb, 0xc0200000, 0x40400000, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345,
            1, 0x807fffff, 0x00800000, 0x7f7fffff, 0x4b000001, 0xcb7fffff, 0x3dcccccd, 0x42f6e979, 0x477fe000, 0xc77ff000, 0x33800000, 0x3f801000};
  if (type == "double")
    return {0, 0x8000000000000000, 0x3ff0000000000000, 0xbff8000000000000, 0x7ff0000000000000, 0xfff0000000000000, 0x7ff8000000000000, 1,
            0x000fffffffffffff, 0x0010000000000000, 0x7fefffffffffffff, 0x400921fb54442d18, 0xc330000000000001, 0x3fb999999999999a, 0x41efffffffe00000};
  if (type == "half") return {0, 0x8000, 0x3c00, 0xbc00, 0x3800, 0x4248, 0x7c00, 0xfc00, 0x7e00, 1, 0x83ff, 0x0400, 0x7bff, 0xe401, 0x2e66};
  if (type == "<2 x half>") return {0, 0x3c00bc00, 0x42487c00, 0x7bff0001, 0x80003800, 0xc4007e00};
  if (type == "i64") return {0, 1, ~uint64_t{0}, 0x8000000000000000, 0x123456789abcdef0, 0x00000000ffffffff, 0x5555555555555555};
  if (type == "i16") return {0, 1, 0xffff, 0x8000, 0x7fff, 0x1234, 5};
  if (type == "<2 x i16>") return {0, 0x00010002, 0xffff7fff, 0x80008000, 0x1234fedc};
  return {0, 1, 0xffffffff, 0x80000000, 0x7fffffff, 0x12345678, 5, 17, 31, 32, 0x03020100, 0x0c0d0f08, 0xff00ff00, 0x3ff};
}

unsigned width(std::string_view type) {
  return type == "i1" ? 1 : type == "double" || type == "i64" ? 64 : type == "half" || type == "i16" ? 16 : 32;
}

bool is_nan(uint64_t x, std::string_view type) {
  if (type == "float") return (x & 0x7fffffff) > 0x7f800000;
  if (type == "double") return (x & 0x7fffffffffffffff) > 0x7ff0000000000000;
  return type == "half" && (x & 0x7fff) > 0x7c00;
}
bool is_denormal(uint64_t x) { return (x & 0x7fffffff) - 1 < 0x7fffff; }
bool excused(const Row& row, const FoldCall& call, uint64_t result) {
  auto any = [&](auto&& test) {
    for (auto& a : call.arguments)
      if (test(a)) return true;
    return false;
  };
  bool nan = any([](auto& a) { return is_nan(a.bits, a.type); });
  switch (row.unless) {
  case Unless::never: return false;
  case Unless::denormal: return is_denormal(result) || any([](auto& a) { return is_denormal(a.bits); });
  case Unless::nan: return nan;
  case Unless::nan_and_low: return nan && any([](auto& a) { return a.bits == (a.type == "half" ? 0xfc00u : 0xff800000u); });
  }
  return false;
}
int64_t ordered(uint64_t bits, unsigned w) {
  uint64_t sign = uint64_t{1} << (w - 1);
  return bits & sign ? -static_cast<int64_t>(bits & (sign - 1)) : static_cast<int64_t>(bits);
}
bool same(const Row& row, uint64_t llvm, uint64_t ours) {
  std::string_view type = row.result;
  if (llvm == ours) return true;
  if (type == "<2 x half>")   // a NaN is a NaN
    return (is_nan(llvm & 0xffff, "half") ? is_nan(ours & 0xffff, "half") : (llvm & 0xffff) == (ours & 0xffff)) &&
           (is_nan(llvm >> 16, "half") ? is_nan(ours >> 16, "half") : llvm >> 16 == ours >> 16);
  if (is_nan(llvm, type) || is_nan(ours, type)) return is_nan(llvm, type) && is_nan(ours, type);
  if (!row.ulps) return false;
  int64_t d = ordered(llvm, width(type)) - ordered(ours, width(type));
  return static_cast<uint64_t>(d < 0 ? -d : d) <= row.ulps;
}

std::vector<FoldCall> calls_of(const Row& row) {
  std::vector<FoldCall> calls;
  auto add = [&](const std::vector<uint64_t>& bits) {
    FoldCall c{row.function, row.result, {}};
    for (size_t k = 0; k < bits.size(); ++k) c.arguments.push_back({row.types[k], bits[k]});
    calls.push_back(std::move(c));
  };
  std::vector<std::vector<uint64_t>> lists;
  for (auto* t : row.types) lists.push_back(corners(t));
  size_t all = 1;
  for (auto& l : lists) all *= l.size();
  Random r(11);
  constexpr size_t kMost = 256;   // four runs of all lanes
  for (size_t n = 0; n < std::min(all, kMost); ++n) {
    std::vector<uint64_t> bits;
    size_t rest = n;
    for (auto& l : lists) {
      bits.push_back(all > kMost ? l[r.below(static_cast<uint32_t>(l.size()))] : l[rest % l.size()]);
      rest /= l.size();
    }
    add(bits);
  }
  return calls;
}

class FoldTest : public ::testing::TestWithParam<size_t> {
protected:
  static void SetUpTestSuite() { isa::ref::register_all(); }
};

TEST_P(FoldTest, RowsAgreeWithLlvm) {
  const Row& row = kRows[GetParam()];
  auto calls = calls_of(row);
  auto values = fold(row.target, calls);
  ASSERT_TRUE(values.ok()) << row.function << ": " << values.status().message();
  auto words = kit::assemble(row.target, row.text);
  ASSERT_TRUE(words.ok()) << words.status().message();
  size_t folded = 0, judged = 0;
  for (auto& v : *values) folded += v.has_value();
  EXPECT_GT(folded, 0u) << row.function << ": LLVM folds nothing";
  if (row.folds == Folds::all) {
    EXPECT_EQ(folded, calls.size()) << row.function;
  }
  if (row.folds == Folds::some) {
    EXPECT_LT(folded, calls.size()) << row.function << " folds always now";
  }

  bool scalar = std::string_view(row.text).starts_with("s_");
  size_t at_once = scalar ? 1 : 64, reported = 0;
  auto levels = kit::engine_levels();
  levels.push_back("reference");
  for (auto& level : levels) {
    std::unique_ptr<kit::Machine> machine;
    if (level != "reference") machine = std::make_unique<kit::Machine>(row.target, level);
    isa::ref::Machine ref;
    ref.target = row.target;
    auto place = [&](unsigned n, size_t lane) -> uint32_t& {
      if (scalar) return machine ? machine->sgpr(n) : ref.sgpr[n];
      return machine ? machine->vgpr(n)[lane] : ref.vgpr[n][lane];
    };
    for (size_t first = 0; first < calls.size(); first += at_once) {
      size_t count = std::min(at_once, calls.size() - first);
      for (size_t lane = 0; lane < at_once; ++lane)
        for (size_t k = 0; k < row.types.size(); ++k) {
          uint64_t bits = calls[first + std::min(lane, count - 1)].arguments[k].bits;
          auto n = static_cast<unsigned>(2 + 2 * k);
          place(n, lane) = static_cast<uint32_t>(bits);
          if (width(row.types[k]) == 64) place(n + 1, lane) = static_cast<uint32_t>(bits >> 32);
        }
      ref.set_sgpr64(isa::ref::kExec, ~uint64_t{0});
      if (machine) {
        machine->set_exec(~uint64_t{0});
        Status s = machine->run(*words);
        ASSERT_TRUE(s.ok()) << s.message();
      } else {
        for (size_t at = 0; at < words->size();) {
          auto inst = isa::decode(row.target, words->data() + at, words->size() - at);
          ASSERT_TRUE(inst.has_value());
          ASSERT_TRUE(isa::ref::step(ref, *inst)) << row.text << " has no reference";
          at += inst->size / 4;
        }
      }
      for (size_t lane = 0; lane < count; ++lane) {
        const auto& want = (*values)[first + lane];
        const FoldCall& call = calls[first + lane];
        if (!want || excused(row, call, *want)) continue;
        ++judged;
        uint64_t got = place(0, lane);
        if (std::string_view(row.result) == "i1") got = (machine ? machine->sgpr64(10) : ref.sgpr64(10)) >> lane & 1;
        else if (width(row.result) == 64) got |= uint64_t{place(1, lane)} << 32;
        else if (width(row.result) == 16) got &= 0xffff;
        if (same(row, *want, got) || ++reported > 8) continue;
        std::string text;
        for (auto& a : call.arguments) text += fmt::format(" {} {:#x}", a.type, a.bits);
        ADD_FAILURE() << row.text << " on " << level << ": " << row.function << text << fmt::format(": LLVM {:#x}, here {:#x}", *want, got);
      }
    }
  }
  EXPECT_GT(judged, 0u);
  std::printf("%s: %zu of %zu calls folded\n", row.function, folded, calls.size());
}

INSTANTIATE_TEST_SUITE_P(Calls, FoldTest, ::testing::Range<size_t>(0, std::size(kRows)), [](auto& info) {
  std::string name = kRows[info.param].function;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return std::to_string(info.param) + "_" + name;
});

} // namespace
