// Every row that has a reference in isa/ref/, in every encoding, on random inputs: engine levels against the reference machine.
//   BZ_JUDGE_SEED=n    other numbers (default 1)      BZ_JUDGE_CASES=n   cases per row and level (default 200)
//   BZ_JUDGE_ROW=name  one row, or a prefix with *
#include "exec/judge/cases.hpp"

#include "isa/judges.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

using namespace bz;
using namespace bz::exec::judge;

namespace {

struct Exception {
  std::string_view row, why;
};
constexpr Exception kExceptions[] = {
    {"", ""},
#include "exec/judge/exceptions.inc"
};

struct Group {
  const char* name;
  isa::Formats formats;
};
constexpr Group kGroups[] = {
    {"sop2", isa::SOP2}, {"sop1", isa::SOP1}, {"sopc", isa::SOPC}, {"sopk", isa::SOPK}, {"sopp", isa::SOPP}, {"smem", isa::SMEM},
    {"vop1", isa::VOP1}, {"vop2", isa::VOP2}, {"vopc", isa::VOPC}, {"vop3", isa::VOP3}, {"vop3p", isa::VOP3P}, {"mai", isa::MAI},
    {"ds", isa::DS}, {"flat", isa::FLAT}, {"global", isa::GLOBAL}, {"scratch", isa::SCRATCH}, {"mubuf", isa::MUBUF}, {"mtbuf", isa::MTBUF},
    {"mimg", isa::MIMG}};

void PrintTo(const Group& g, std::ostream* out) { *out << g.name; }

bool in_group(const isa::Meta& m, const Group& g) {
  for (auto& each : kGroups)
    if (m.formats & each.formats) return each.formats == g.formats;
  return false;
}

Bench& bench(isa::Target t) {
  static std::map<isa::Target, std::unique_ptr<Bench>> all;
  auto& b = all[t];
  if (!b) b = std::make_unique<Bench>(t);
  return *b;
}

bool wanted(std::string_view name) {
  static const char* filter = std::getenv("BZ_JUDGE_ROW");
  return !filter || !*filter || isa::matches(filter, name);
}
const Exception* exception(std::string_view name) {
  for (auto& e : kExceptions)
    if (!e.row.empty() && e.row == name) return &e;
  return nullptr;
}

/// Runs the cases of one row on one target; the report of the first difference.
std::string judge_row(isa::RowId row, Share share) {
  Bench& b = bench(share.target);
  std::vector<uint64_t> before;
  for (size_t l = 0; l < b.levels().size(); ++l) before.push_back(b.executions(l, row));
  Cases cases(b, share.target, row, share.cases);
  while (cases.next())
    if (std::string report = b.judge(); !report.empty())
      return report + "  case " + std::to_string(cases.posed() - 1) + ", BZ_JUDGE_SEED=" + std::to_string(seed()) + "\n";
  if (!cases.why().empty()) return cases.why();
  for (size_t l = 0; l < b.levels().size(); ++l)
    if (uint64_t ran = b.executions(l, row) - before[l]; ran < cases.posed())
      return b.levels()[l] + " ran it " + std::to_string(ran) + " times in " + std::to_string(cases.posed()) + " cases\n";
  return {};
}

class JudgeTest : public testing::TestWithParam<Group> {
protected:
  static void SetUpTestSuite() { isa::ref::register_all(); }
};

TEST_P(JudgeTest, EngineAndReferenceAgree) {
  std::set<std::string> without, unreached;
  size_t rows = 0;
  for (isa::RowId row = 0; row < isa::row_count(); ++row) {
    const isa::Meta& m = isa::row_meta(row);
    if (!in_group(m, GetParam()) || !isa::row_has_semantics(row) || !wanted(m.name)) continue;
    if (!isa::ref::find(m.name)) {
      without.insert(m.name);
      continue;
    }
    auto all = shares(row);
    std::string failure;
    for (auto& share : all)
      if (failure.empty()) failure = judge_row(row, share);
    if (all.empty()) unreached.insert(m.name);
    else ++rows;
    if (const Exception* e = exception(m.name)) {
      if (failure.empty()) ADD_FAILURE() << m.name << " agrees: take it out of exec/judge/exceptions.inc (" << e->why << ")";
    } else if (!failure.empty()) {
      ADD_FAILURE() << m.name << "\n" << failure;
    }
  }
  for (auto& n : unreached) ADD_FAILURE() << n << " exists on no target that is judged";
  std::printf("%s: %zu rows judged, %zu without a reference (isa_judges_test has the list), seed %llu\n", GetParam().name, rows, without.size(),
              static_cast<unsigned long long>(seed()));
}

/// Nothing with semantics escapes the groups, and nothing that is excused is unknown.
TEST(JudgeTables, CoverEveryRow) {
  size_t rows = 0;
  for (isa::RowId row = 0; row < isa::row_count(); ++row) {
    const isa::Meta& m = isa::row_meta(row);
    if (!isa::row_has_semantics(row)) continue;
    ++rows;
    size_t groups = 0;
    for (auto& g : kGroups) groups += in_group(m, g);
    EXPECT_EQ(groups, 1u) << m.name << " is in no group of formats: it would never be judged";
  }
  EXPECT_GT(rows, 1000u);
  auto known = [](std::string_view pattern) {
    for (isa::RowId row = 0; row < isa::row_count(); ++row)
      if (isa::matches(pattern, isa::row_meta(row).name)) return true;
    return false;
  };
  for (auto& e : kExceptions) EXPECT_TRUE(e.row.empty() || known(e.row)) << e.row << " in exceptions.inc names no row";
}

INSTANTIATE_TEST_SUITE_P(Rows, JudgeTest, testing::ValuesIn(kGroups), [](auto& info) { return std::string(info.param.name); });

} // namespace
