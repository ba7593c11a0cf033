// coverage: per target and row, what is decoded, executed, judged and proved by mutants in tests.
#include "isa/families.hpp"
#include "isa/ref/machine.hpp"
#include "isa/tool/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

namespace bz::isa::tool {
namespace {

std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> out;
  std::stringstream in(line);
  for (std::string x; std::getline(in, x, separator);) out.push_back(x);
  return out;
}

/// How many forms of each row the checked-in sample of LLVM's text has.
std::vector<int> decoded_forms(Target target) {
  std::vector<int> forms(row_count());
  std::ifstream in(std::string(BZ_ISA_TESTDATA) + "/vectors_" + std::string(target_name(target)) + ".txt");
  for (std::string line; std::getline(in, line);) {
    auto bar = line.find(" | ");
    if (bar == std::string::npos) continue;
    auto hex = line.substr(1, bar - 1);
    uint32_t words[4] = {};
    for (size_t i = 0; i + 8 <= hex.size() && i < 32; i += 8) words[i / 8] = __builtin_bswap32(static_cast<uint32_t>(std::stoul(hex.substr(i, 8), nullptr, 16)));
    if (auto inst = decode(target, words, hex.size() / 8)) ++forms[inst->row];
  }
  return forms;
}

/// Times executed, from the lines "target name count" that engines leave with BZ_COVERAGE.
using Executed = std::map<std::pair<std::string, std::string>, uint64_t>;
/// Empty, or why the file can't be used.
std::string read_executed(const std::string& file, Executed& all) {
  std::ifstream in;
  if (auto why = open_input(in, file); !why.empty()) return why;
  std::string line, target, name, more;
  for (size_t n = 1; std::getline(in, line); ++n) {
    std::istringstream fields(line);
    uint64_t count = 0;
    if (!(fields >> target >> name >> count) || fields >> more) return fmt::format("line {} is not \"target name count\"", n);
    all[{target, name}] += count;
  }
  return {};
}

/// A row of the mutants' table, whose first line names the columns: row, sites, killed, survivors.
struct Mutants {
  uint64_t sites = 0, killed = 0, survivors = 0;
};
std::string read_mutants(const std::string& file, std::map<std::string, Mutants>& all) {
  std::ifstream in;
  if (auto why = open_input(in, file); !why.empty()) return why;
  std::string line;
  std::getline(in, line);
  auto head = split(line, '\t');
  auto column = [&](const char* name) { return static_cast<size_t>(std::find(head.begin(), head.end(), name) - head.begin()); };
  size_t row = column("row"), sites = column("sites"), killed = column("killed"), survivors = column("survivors");
  if (std::max({row, sites, killed, survivors}) >= head.size()) return "the first line doesn't name the columns row, sites, killed and survivors";
  while (std::getline(in, line)) {
    auto c = split(line, '\t');
    auto number = [&](size_t k) { return k < c.size() ? std::strtoull(c[k].c_str(), nullptr, 10) : 0; };
    if (row < c.size()) all[c[row]] = {number(sites), number(killed), number(survivors)};
  }
  return {};
}

} // namespace

int coverage(const Arguments& a) {
  ref::register_all();
  Executed executed;
  std::map<std::string, Mutants> mutants;
  const bool ran = !a.executed.empty(), mutated = !a.mutants.empty();
  auto refuse = [](const std::string& file, const std::string& why) {
    fmt::print(stderr, "bz isa: error: {}: {}\n", file, why);
    return kUsage;
  };
  if (std::string why = ran ? read_executed(a.executed, executed) : ""; !why.empty()) return refuse(a.executed, why);
  if (std::string why = mutated ? read_mutants(a.mutants, mutants) : ""; !why.empty()) return refuse(a.mutants, why);
  if (!ran && a.check) {
    fmt::print(stderr, "bz isa: error: no record of executed instructions: ./bz test --coverage makes one\n");
    return kUsage;
  }
  if (!ran) fmt::print("# no record of executed instructions (--executed FILE): ./bz test --coverage makes one\n");
  if (!mutated && !a.check) fmt::print("# no table of mutants (--mutants FILE): the column is empty\n");
  int status = kOk;
  for (int t = 0; t < kTargetCount; ++t) {
    auto target = static_cast<Target>(t);
    if (a.target && *a.target != target) continue;
    auto forms = decoded_forms(target);
    size_t rows = 0, decoded = 0, with = 0, run = 0, judged = 0, proved = 0, absent = 0;
    fmt::print("\n{:8} {:38} {:>7} {:>12} {:>9}  {}\n", target_name(target), "instruction", "decoded", "executed", "mutants", "judged by");
    for (RowId row = 0; row < row_count(); ++row) {
      if (!exists_on(row, target)) continue;
      auto& m = row_meta(row);
      auto state = state_of(row, target);
      bool executes = state == "executes";
      auto it = executed.find({std::string(target_name(target)), m.name_on(target)});
      uint64_t times = it == executed.end() ? 0 : it->second;
      auto judges = judges_of(row);
      auto mutant = mutants.find(m.name);
      std::string score = "-";
      if (mutant != mutants.end()) score = fmt::format("{}/{}", mutant->second.killed, mutant->second.killed + mutant->second.survivors);
      bool missing = executes && (!times || judges.empty());
      if (a.check && missing) status = kFound;
      if (!a.check || missing)
        fmt::print("{:8} {:38} {:7} {:>12} {:>9}  {}\n", "", m.name_on(target), forms[row], executes && ran ? std::to_string(times) : "-", score,
                 executes ? (judges.empty() ? "nothing" : judges) : state);
      ++rows, decoded += forms[row] > 0, with += executes, run += executes && times > 0, judged += executes && !judges.empty();
      absent += row_absent(row) != nullptr, proved += executes && mutant != mutants.end() && !mutant->second.survivors;
    }
    fmt::print("{:8} {} instructions: {} decoded, {} execute, {} on the list of absent ones; of those that execute {} executed by tests, {} judged, "
               "{} without a surviving mutant\n", target_name(target), rows, decoded, with, absent, ran ? std::to_string(run) : "?", judged,
               mutated ? std::to_string(proved) : "?");
  }
  return status;
}

} // namespace bz::isa::tool
