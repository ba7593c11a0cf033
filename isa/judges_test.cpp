// Every row with semantics names a judge outside the engines, and the risky ones name a strong one.
#include "isa/decode.hpp"
#include "isa/families.hpp"
#include "isa/judges.hpp"
#include "isa/ref/machine.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <set>
#include <string>

using namespace bz::isa;

namespace {

bool has_reference(const char* name) { return ref::find(name) != nullptr; }

bool listed(std::string_view name, bool strong_only) {
  for (auto& j : kJudges)
    if (!j.rows.empty() && matches(j.rows, name) &&
        (!strong_only || j.kind == JudgeKind::ref || j.kind == JudgeKind::vector || j.kind == JudgeKind::layout))
      return true;
  return false;
}

bool excused(std::string_view name) {
  for (auto n : kUnjudged)
    if (n == name) return true;
  return false;
}

/// Float edges, conversions, matrix, carry, saturation and cross-lane rows: engines that share a row share its misreading.
bool risky(RowId id) {
  auto& m = row_meta(id);
  if (row_class(id) == FamilyClass::scalar) return false;
  if (has(m.flags, ReadsMode | WholeWave | Clamp)) return true;
  bool vector_result = false, mask = false;
  for (auto& s : m.operands.spec) vector_result |= s.field == Field::vdst, mask |= s.mask;
  return vector_result && mask;
}

class Judges : public testing::Test {
protected:
  static void SetUpTestSuite() { ref::register_all(); }
};

TEST_F(Judges, EveryRowWithSemanticsHasOne) {
  size_t with_semantics = 0, judged = 0;
  std::set<std::string> missing, needless;
  for (RowId id = 0; id < row_count(); ++id) {
    auto* name = row_meta(id).name;
    if (!row_has_semantics(id)) continue;
    ++with_semantics;
    bool ok = has_reference(name) || listed(name, false);
    judged += ok;
    if (!ok && !excused(name)) missing.insert(name);
    if (ok && excused(name)) needless.insert(name);
  }
  std::printf("%zu rows, %zu with semantics, %zu judged\n", row_count(), with_semantics, judged);
  std::string list;
  for (auto& n : missing) list += "    \"" + n + "\",\n";
  EXPECT_TRUE(missing.empty()) << missing.size() << " rows without a judge: write one (isa/ref/, or a line in isa/judges/)\n" << list;
  for (auto& n : needless) ADD_FAILURE() << n << " is judged now: take it out of isa/judges/unjudged.inc";
}

TEST_F(Judges, RiskyRowsHaveAReferenceOrRecordedValues) {
  for (RowId id = 0; id < row_count(); ++id) {
    auto* name = row_meta(id).name;
    if (!row_has_semantics(id) || !risky(id) || excused(name)) continue;
    EXPECT_TRUE(has_reference(name) || listed(name, true)) << name << " needs a judge of kind ref, vector or layout";
  }
}

TEST_F(Judges, LinesNameRowsAndTests) {
  for (auto& j : kJudges) {
    if (j.rows.empty()) continue;
    bool any = false;
    for (RowId id = 0; id < row_count() && !any; ++id) any = matches(j.rows, row_meta(id).name);
    EXPECT_TRUE(any) << j.rows << " names no row";
    EXPECT_TRUE(std::filesystem::exists(std::filesystem::path(BZ_SOURCE_DIR) / j.test)) << j.rows << ": no file " << j.test;
    if (j.kind == JudgeKind::ref) {
      EXPECT_FALSE(j.rows.back() != '*' && !has_reference(std::string(j.rows).c_str())) << j.rows << " has no entry in isa/ref/";
    }
  }
}

} // namespace
