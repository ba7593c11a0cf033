// Reads the fact tables that were made from LLVM (BZ_ISA_FACTS: their folder). Tests only; must not know what is compared.
#pragma once
#include "base/environment.hpp"
#include "isa/decode.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#define BZ_NEED_FACT_TABLES()                                                                                          \
  if (bz::isa::fact_folder().empty()) GTEST_SKIP() << "BZ_ISA_FACTS is not set"

namespace bz::isa {

inline std::string fact_folder() { return environment("BZ_ISA_FACTS"); }

/// A line of <target>.tsv.
struct FactLine {
  std::vector<std::string> column;   ///< format, op, op_hex, mnemonic, operands, size, canonical_hex, ndefs, mc_operands ...
  Format format = Format(0);         ///< 0: a name that is not known here
  Form form = Form::plain;
  unsigned opcode = 0;
};

/// Format and form behind the tables' name for both, such as VOP1_SDWA.
inline void read_format(std::string_view name, FactLine& line) {
  constexpr std::pair<std::string_view, Format> formats[] = {
      {"SOP2", SOP2}, {"SOP1", SOP1}, {"SOPC", SOPC}, {"SOPK", SOPK}, {"SOPP", SOPP}, {"SMEM", SMEM}, {"VOP1", VOP1},
      {"VOP2", VOP2}, {"VOPC", VOPC}, {"VOP3", VOP3}, {"VOP3_SDST", VOP3}, {"VOP3P", VOP3P}, {"VOP3P_MAI", MAI},
      {"VOP3PX", VOP3PX}, {"VINTRP", VINTRP}, {"DS", DS}, {"FLAT", FLAT}, {"SCRATCH", SCRATCH}, {"GLOBAL", GLOBAL},
      {"MUBUF", MUBUF}, {"MTBUF", MTBUF}, {"MIMG", MIMG}, {"EXP", EXP}};
  for (auto [suffix, form] : {std::pair(std::string_view("_SDWA"), Form::sdwa), {"_DPP16", Form::dpp}})
    if (name.ends_with(suffix)) name.remove_suffix(suffix.size()), line.form = form;
  for (auto& [n, f] : formats)
    if (n == name) line.format = f;
}

/// Calls f for every line of a target's table, of which there are thousands.
template <class F> void each_fact_line(Target target, F&& f) {
  std::ifstream in(fact_folder() + "/" + std::string(target_name(target)) + ".tsv");
  ASSERT_TRUE(in.good()) << target_name(target);
  std::string text;
  std::getline(in, text);
  size_t lines = 0;
  for (; std::getline(in, text); ++lines) {
    FactLine line;
    std::stringstream fields(text);
    for (std::string x; std::getline(fields, x, '\t');) line.column.push_back(x);
    ASSERT_GE(line.column.size(), 12u) << text;
    read_format(line.column[0], line);
    // The tables file it with the operations that it precedes.
    if (line.column[3] == "v_mfma_ld_scale_b32") line.format = VOP3P;
    ASSERT_NE(line.format, Format(0)) << line.column[0];
    line.opcode = static_cast<unsigned>(std::stoul(line.column[1]));
    f(line);
    if (::testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(lines, 3000u) << target_name(target);
}

} // namespace bz::isa
