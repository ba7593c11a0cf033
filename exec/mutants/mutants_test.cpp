// Every primitive call of every row, altered in every way that its types allow: the row's judge must notice.
//   BZ_JUDGE_ROW=name  one row, or a prefix with *     BZ_JUDGE_SEED, BZ_JUDGE_CASES: as for exec_judge_test
//   BZ_MUTANTS_TABLE=file  writes the result
#include "exec/interp/tables.hpp"
#include "exec/judge/cases.hpp"
#include "exec/mutants/mutants.hpp"

#include "isa/families.hpp"
#include "isa/judges.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <unistd.h>

using namespace bz;
using namespace bz::exec;
using judge::Bench;
using mutants::Kind;

namespace {

struct Excuse {
  std::string_view rows, site, kind;
  unsigned survivors;   ///< exactly so many
  std::string_view why;
  unsigned used = 0;
};
Excuse g_excuses[] = {
    {"", "", "", 0, ""},
#include "exec/mutants/exceptions.inc"
};

Excuse g_elsewhere_excuses[] = {
#include "exec/mutants/elsewhere_exceptions.inc"
};

/// Without a program: rows whose mutants nobody runs, and why.
struct Elsewhere {
  std::string_view rows, program, tests;
};
constexpr Elsewhere kElsewhere[] = {
#include "exec/mutants/elsewhere.inc"
};

Bench& bench(isa::Target t) {
  static std::map<isa::Target, std::unique_ptr<Bench>> all;
  auto& b = all[t];
  if (!b) b = std::make_unique<Bench>(t, mutants::level());
  return *b;
}

struct Mutant {
  size_t site = 0;
  Kind kind = Kind::none;
};
struct Result {
  isa::RowId row = 0;
  std::vector<mutants::Site> sites;
  size_t mutants = 0, killed = 0;
  std::vector<Mutant> survivors;
  std::string failure;   ///< unaltered, the instance disagrees with the reference
};
/// In exceptions.inc the star is a pattern.
std::string_view call_of(const mutants::Site& s) { return s.call == "*" ? "times" : s.call; }
std::string name_of(const mutants::Site& s) { return fmt::format("{}:{}", s.depth, call_of(s)); }

/// A row without a register of that sort has no wrong one.
mutants::Kinds allowed(const isa::Meta& m) {
  using isa::Field;
  bool dst = false, first = false, second = false, third = false;
  for (int i = 0; i < m.operands.count; ++i) {
    auto& s = m.operands.spec[static_cast<size_t>(i)];
    dst |= s.is_dst || s.field == Field::sdata;   // a scalar store reads where a load writes
    if (s.is_dst && !isa::has(m.flags, isa::Atomic)) continue;   // an atomic's data may come back in the same register
    first |= s.field == Field::addr || s.field == Field::src0;
    second |= s.field == Field::data || s.field == Field::vdata || s.field == Field::data0 || s.field == Field::src1;
    third |= s.field == Field::src2;
  }
  dst &= !isa::has(m.flags, isa::LdsOnly);
  mutants::Kinds no = 0;
  if (!dst) no |= mutants::bit(Kind::dest) | mutants::bit(Kind::result);
  if (!first) no |= mutants::bit(Kind::source0);
  if (!second) no |= mutants::bit(Kind::source1);
  if (!third) no |= mutants::bit(Kind::source2);
  return ~no;
}

/// Runs the row's cases once, each with every mutant that is still alive.
Result run_row(isa::RowId row) {
  Result result;
  result.row = row;
  auto& state = mutants::state;
  mutants::forget();
  state.row = row;
  state.allowed = allowed(isa::row_meta(row));
  std::vector<Mutant> alive;
  size_t known = 0;
  for (auto& share : judge::shares(row)) {
    Bench& b = bench(share.target);
    judge::Cases cases(b, share.target, row, share.cases);
    while (cases.next()) {
      state.site = 0, state.trace = true, ++state.run;
      result.failure = b.answer(0);
      state.trace = false;
      if (!result.failure.empty()) return result;
      for (; known < state.sites.size(); ++known)
        for (unsigned k = 1; k < static_cast<unsigned>(Kind::count_); ++k)
          if (state.sites[known].kinds >> k & 1) alive.push_back({known, static_cast<Kind>(k)}), ++result.mutants;
      std::erase_if(alive, [&](const Mutant& m) {
        const mutants::Site& s = state.sites[m.site];
        if (s.last_run != state.run) return false;
        state.site = s.id, state.kind = m.kind;
        bool same = b.answer(0).empty();
        mutants::restore();
        return !same;
      });
    }
    result.failure = cases.why();
    if (!result.failure.empty()) return result;
  }
  result.sites = state.sites;
  result.survivors = alive;
  result.killed = result.mutants - alive.size();
  mutants::forget();
  return result;
}

bool wanted(std::string_view name) {
  static const char* filter = std::getenv("BZ_JUDGE_ROW");
  return !filter || !*filter || isa::matches(filter, name);
}

Excuse* excuse(std::string_view row, const mutants::Site& s, Kind k) {
  std::string numbered = name_of(s);
  auto fits = [&](const Excuse& e) {
    return !e.rows.empty() && isa::matches(e.rows, row) && (e.site == call_of(s) || isa::matches(e.site, numbered)) && isa::matches(e.kind, mutants::name_of(k));
  };
  for (auto& e : g_excuses)
    if (fits(e)) return &e;
  for (auto& e : g_elsewhere_excuses)
    if (fits(e)) return &e;
  return nullptr;
}

std::map<isa::RowId, Result>& results() {
  static std::map<isa::RowId, Result> all;
  return all;
}

class Mutants : public ::testing::TestWithParam<int> {
protected:
  static void SetUpTestSuite() { isa::ref::register_all(); }
};

/// Survivors that nobody excused, as lines for exceptions.inc. Keeps the result.
std::string unexcused(Result r, size_t& excused) {
  const char* row = isa::row_meta(r.row).name;
  std::string list;
  for (auto& s : r.survivors) {
    if (Excuse* e = excuse(row, r.sites[s.site], s.kind)) ++e->used, ++excused;
    else list += fmt::format("  {{\"{}\", \"{}\", \"{}\", 1, \"\"}},\n", row, name_of(r.sites[s.site]), mutants::name_of(s.kind));
  }
  results()[r.row] = std::move(r);
  return list;
}

TEST_P(Mutants, AreNoticed) {
  auto& family = isa::kFamilies[static_cast<size_t>(GetParam())];
  size_t rows = 0, sites = 0, all = 0, killed = 0, excused = 0;
  for (isa::RowId row = family.base; row < family.base + family.count; ++row) {
    const isa::Meta& m = isa::row_meta(row);
    if (!isa::row_has_semantics(row) || !wanted(m.name) || !isa::ref::find(m.name)) continue;
    Result r = run_row(row);
    if (!r.failure.empty()) ADD_FAILURE() << m.name << " with nothing altered\n" << r.failure;
    ++rows, sites += r.sites.size(), all += r.mutants, killed += r.killed;
    std::string list = unexcused(std::move(r), excused);
    EXPECT_TRUE(list.empty()) << m.name << ": mutants that the judge does not notice\n" << list;
  }
  std::printf("%s: %zu rows, %zu sites, %zu mutants, %zu killed, %zu excused\n", family.name, rows, sites, all, killed, excused);
}
INSTANTIATE_TEST_SUITE_P(Rows, Mutants, ::testing::Range(0, isa::kFamilyCount), [](auto& info) { return std::string(isa::kFamilies[static_cast<size_t>(info.param)].name); });

isa::RowId row_named(std::string_view name) {
  isa::RowId row = 0;
  while (row < isa::row_count() && name != isa::row_meta(row).name) ++row;
  return row;
}

class Mechanism : public ::testing::Test {
protected:
  static void SetUpTestSuite() { isa::ref::register_all(); }
};

/// A subtraction in the place of an addition is noticed; a change that can't matter is not.
TEST_F(Mechanism, FaultsAreKilledAndEquivalentsSurvive) {
  Result sum = run_row(row_named("v_add_u32"));
  auto plus = std::find_if(sum.sites.begin(), sum.sites.end(), [](auto& s) { return s.call == "+"; });
  ASSERT_NE(plus, sum.sites.end());
  EXPECT_TRUE(plus->kinds & mutants::bit(Kind::other));
  EXPECT_TRUE(sum.survivors.empty());
  EXPECT_GT(sum.killed, 10u);

  Result never = run_row(row_named("v_cmp_f_i32"));
  ASSERT_FALSE(never.survivors.empty());
  for (auto& m : never.survivors) EXPECT_EQ(never.sites[m.site].call, "i32") << mutants::name_of(m.kind);
  EXPECT_GT(never.killed, 0u);   // the result that is not written
}

TEST_F(Mechanism, SitesAreTheSameEveryTime) {
  for (std::string_view name : {"v_mad_u16", "s_bfe_u32", "ds_add_rtn_u32", "v_mfma_f32_16x16x4f32"}) {
    Result one = run_row(row_named(name)), two = run_row(row_named(name));
    ASSERT_EQ(one.sites.size(), two.sites.size()) << name;
    EXPECT_GT(one.sites.size(), 0u) << name;
    for (size_t n = 0; n < one.sites.size(); ++n) EXPECT_EQ(one.sites[n].id, two.sites[n].id) << name << " " << name_of(one.sites[n]);
    EXPECT_EQ(one.mutants, two.mutants) << name;
    EXPECT_EQ(one.killed, two.killed) << name;
  }
}

/// Decode-time choices make more sites, not other ones: of a row with a saturating form both are known.
TEST_F(Mechanism, BothSidesOfAChoiceHaveSites) {
  Result r = run_row(row_named("v_add_u16"));
  size_t writers = 0;
  for (auto& s : r.sites) writers += s.call.starts_with("vdst");
  EXPECT_EQ(writers, 2u);
}

std::set<std::string> g_calls;   ///< names of sites that come from a file

/// True if the program's tests pass. `settings`: more environment.
bool passes(const Elsewhere& e, const std::string& settings) {
  char self[4096] = {};
  if (readlink("/proc/self/exe", self, sizeof self - 1) <= 0) return false;
  std::string folder(self, std::string_view(self).rfind('/'));
  std::string command = fmt::format("env -u GTEST_OUTPUT BZ_SIMD=avx2 {} timeout 20 '{}/{}' '--gtest_filter={}' >/dev/null 2>&1", settings, folder, e.program, e.tests);
  return std::system(command.c_str()) == 0;
}

class MutantsElsewhere : public Mechanism {};

/// Rows without a reference: the tests that judge them, started once for each mutant.
TEST_F(MutantsElsewhere, RowsJudgedByTestsOfTheirOwn) {
  size_t rows = 0, all = 0, killed = 0, excused = 0;
  std::string sites_file = ::testing::TempDir() + fmt::format("bz-sites-{}", getpid());
  for (isa::RowId row = 0; row < isa::row_count(); ++row) {
    const isa::Meta& m = isa::row_meta(row);
    if (!isa::row_has_semantics(row) || !wanted(m.name) || isa::ref::find(m.name)) continue;
    const Elsewhere* e = nullptr;
    for (auto& each : kElsewhere)
      if (isa::matches(each.rows, m.name)) e = &each;
    if (!e) {
      ADD_FAILURE() << m.name << " has neither a reference nor a line in exec/mutants/elsewhere.inc";
      continue;
    }
    if (e->program.empty()) continue;
    std::remove(sites_file.c_str());
    if (!passes(*e, fmt::format("BZ_MUTANT_ROW={} BZ_MUTANT_SITES='{}'", m.name, sites_file))) {
      ADD_FAILURE() << m.name << ": " << e->program << " " << e->tests << " fails with nothing altered";
      continue;
    }
    Result r;
    r.row = row;
    std::vector<std::string> calls;   // keeps the names
    std::ifstream in(sites_file);
    mutants::Site s;
    std::string call;
    while (in >> s.id >> s.depth >> s.kinds && std::getline(in >> std::ws, call)) r.sites.push_back(s), calls.push_back(call);
    for (size_t n = 0; n < calls.size(); ++n) r.sites[n].call = *g_calls.insert(calls[n]).first;
    EXPECT_FALSE(r.sites.empty()) << m.name << ": " << e->program << " " << e->tests << " never runs it";
    for (size_t n = 0; n < r.sites.size(); ++n)
      for (unsigned k = 1; k < static_cast<unsigned>(Kind::count_); ++k)
        if (r.sites[n].kinds & allowed(m) & 1u << k) {
          ++r.mutants;
          if (passes(*e, fmt::format("BZ_MUTANT_ROW={} BZ_MUTANT_SITE={} BZ_MUTANT_KIND={}", m.name, r.sites[n].id, k))) r.survivors.push_back({n, static_cast<Kind>(k)});
          else ++r.killed;
        }
    ++rows, all += r.mutants, killed += r.killed;
    std::string list = unexcused(std::move(r), excused);
    EXPECT_TRUE(list.empty()) << m.name << ": mutants that " << e->program << " does not notice\n" << list;
  }
  std::remove(sites_file.c_str());
  if (!std::getenv("BZ_JUDGE_ROW"))   // with it, only some rows have run
    for (auto& each : g_elsewhere_excuses)
      EXPECT_EQ(each.used, each.survivors) << each.rows << " " << each.site << " " << each.kind << ": survivors in exec/mutants/elsewhere_exceptions.inc";
  std::printf("%zu rows judged by tests of their own, %zu mutants, %zu killed, %zu excused\n", rows, all, killed, excused);
}

/// After all rows have run: no excuse without exactly the survivors that it speaks of; and the table for `bz isa coverage`.
class MutantsTable : public ::testing::TestWithParam<int> {};   // of this kind so that it runs last
TEST_P(MutantsTable, IsWrittenAndExcusesAreExact) {
  size_t rows = 0;
  for (isa::RowId row = 0; row < isa::row_count(); ++row) rows += isa::row_has_semantics(row) && isa::ref::find(isa::row_meta(row).name);
  if (results().size() < rows) GTEST_SKIP() << "only some rows have run";
  if (!std::getenv("BZ_JUDGE_SEED") && !std::getenv("BZ_JUDGE_CASES"))
    for (auto& e : g_excuses)
      // How long something takes is noticed now and then, when the machine is busy.
      if (e.why == "time passes") EXPECT_TRUE(e.used > 0 && e.used <= e.survivors) << e.rows << ": " << e.used << " survivors";
      else EXPECT_EQ(e.used, e.survivors) << "{\"" << e.rows << "\", \"" << e.site << "\", \"" << e.kind << "\"}: survivors in exec/mutants/exceptions.inc";
  const char* file = std::getenv("BZ_MUTANTS_TABLE");
  if (!file) return;
  std::map<std::string, std::array<size_t, 4>> by_name;
  for (auto& [row, r] : results()) {
    auto& line = by_name[isa::row_meta(row).name];
    line[0] += r.sites.size(), line[1] += r.mutants, line[2] += r.killed, line[3] += r.survivors.size();
  }
  std::FILE* out = std::fopen(file, "w");
  ASSERT_TRUE(out) << file;
  fmt::print(out, "row\tsites\tmutants\tkilled\tsurvivors\n");
  for (auto& [name, n] : by_name) fmt::print(out, "{}\t{}\t{}\t{}\t{}\n", name, n[0], n[1], n[2], n[3]);
  ASSERT_EQ(std::fclose(out), 0) << file;
}

INSTANTIATE_TEST_SUITE_P(All, MutantsTable, ::testing::Values(0));

} // namespace
