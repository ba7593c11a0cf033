// The effects that a row's semantics have, what its metadata declares, and what the fact tables made from LLVM say
// (BZ_ISA_FACTS) are three statements about the same thing: they must agree.
#include "isa/decode.hpp"
#include "isa/describe.hpp"
#include "isa/families.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace bz::isa;

namespace {

using States = std::set<std::string>;

std::string join(const States& s) {
  std::string out;
  for (auto& x : s) out += (out.empty() ? "" : ",") + x;
  return out.empty() ? "-" : out;
}

Target target_of(const Meta& m) {
  for (auto t : {Target::gfx942, Target::gfx90a, Target::gfx906, Target::gfx908, Target::gfx900, Target::gfx950})
    if (m.targets & bit(t)) return t;
  return Target::gfx942;
}

bool has_mask(const Meta& m, Field field) {
  for (auto& s : m.operands.spec)
    if (s.field == field && s.mask) return true;
  return false;
}

// ---------------------------------------------------------------- semantics against metadata

TEST(Describe, StateAgreesWithFlags) {
  size_t rows = 0;
  for (RowId id = 0; id < row_count(); ++id) {
    auto& m = row_meta(id);
    auto e = describe(id, target_of(m));
    ASSERT_EQ(e.has_semantics, row_has_semantics(id)) << m.name;
    if (!e.has_semantics || e.not_implemented) continue;
    ++rows;
    auto same = [&](const char* what, bool semantics, Flags flag) {
      EXPECT_EQ(semantics, has(m.flags, flag)) << m.name << ": " << what << (semantics ? " in sem, not in flags" : " in flags, not in sem");
    };
    same("reads SCC", e.reads_scc, ReadsScc);
    same("writes SCC", e.writes_scc, WritesScc);
    same("writes EXEC", e.writes_exec, WritesExec);
    same("writes M0", e.writes_m0, WritesM0);
    same("writes MODE", e.writes_mode, WritesMode);
    same("branches", e.branches, Branch);
    same("ends the program", e.ends, EndProgram);
    same("barrier", e.barrier, Barrier);
    same("traps", e.traps, Trap);
    same("loads", e.loads, Load);
    same("stores", e.stores, Store);
    bool messages = has(m.flags, ReadsM0) && (m.formats & SOPP);  // sendmsg hands M0 over by itself
    if (!messages) same("reads M0", e.reads_m0, ReadsM0);
    // VCC is read by name (branches) or as the mask that v_div_fmas has no operand for.
    bool implicit_mask = e.reads_mask && !has_mask(m, Field::src2);
    same("reads VCC", e.reads_vcc || implicit_mask, ReadsVcc);
  }
  EXPECT_GT(rows, 900u);
}

TEST(Describe, OperandsAgreeWithTheirList) {
  for (RowId id = 0; id < row_count(); ++id) {
    auto& m = row_meta(id);
    auto e = describe(id, target_of(m));
    if (!e.has_semantics || e.not_implemented) continue;
    bool dst = false, read_write = false, mask_dst = false;
    uint32_t sources = 0;
    int k = 0;
    for (auto& s : m.operands.spec) {
      if (s.field == Field::none) continue;
      if (s.is_dst && s.mask) mask_dst = true;
      else if (s.is_dst) dst = true;
      read_write |= s.read_write;
      if (!s.is_dst && !s.mask) sources |= 1u << k;
      if (!s.is_dst) ++k;
    }
    if (e.all_operands) continue;  // a primitive that takes the instruction as it is
    EXPECT_EQ(e.writes_dst, dst) << m.name << ": destination";
    EXPECT_EQ(e.writes_mask, mask_dst) << m.name << ": mask destination";
    if (e.reads_dst) EXPECT_TRUE(read_write || (m.formats & SOPK)) << m.name << ": reads the destination, not marked rw";
    if (row_class(id) == FamilyClass::lane)
      EXPECT_EQ(e.sources & ~sources, 0u) << m.name << ": reads a source that it does not have";
    if (row_class(id) == FamilyClass::lane && m.operands.count > 1)
      EXPECT_EQ(sources & ~e.sources, 0u) << m.name << ": a source is never read";
    EXPECT_EQ(e.reads_mask && !has(m.flags, ReadsVcc), has_mask(m, Field::src2)) << m.name << ": mask source";
  }
}

// ---------------------------------------------------------------- metadata against the fact tables

struct Implicit {
  States uses, defs;
};

/// What the fact tables call implicit: state that has no operand in that format.
Implicit declared(RowId id, const std::string& format) {
  auto& m = row_meta(id);
  Implicit r;
  auto use = [&](Flags f, const char* s) { if (has(m.flags, f)) r.uses.insert(s); };
  auto def = [&](Flags f, const char* s) { if (has(m.flags, f)) r.defs.insert(s); };
  use(ReadsScc, "SCC"), def(WritesScc, "SCC");
  use(ReadsVcc, "VCC");
  use(ReadsExec, "EXEC"), def(WritesExec, "EXEC");
  use(ReadsM0, "M0"), def(WritesM0, "M0");
  use(ReadsMode, "MODE"), def(WritesMode, "MODE");
  use(ReadsFlatScratch, "FLAT_SCR");
  if (row_class(id) != FamilyClass::scalar && !has(m.flags, IgnoresExec)) r.uses.insert("EXEC");
  bool vop2 = format.starts_with("VOP2");
  if (vop2 && has_mask(m, Field::src2)) r.uses.insert("VCC");
  if ((vop2 || format == "VOPC") && has_mask(m, Field::sdst)) r.defs.insert("VCC");
  return r;
}

Format format_named(std::string name) {
  static const std::map<std::string, Format> names = {
      {"SOP2", SOP2}, {"SOP1", SOP1}, {"SOPC", SOPC}, {"SOPK", SOPK}, {"SOPP", SOPP}, {"SMEM", SMEM}, {"VOP1", VOP1},
      {"VOP2", VOP2}, {"VOPC", VOPC}, {"VOP3", VOP3}, {"VOP3_SDST", VOP3}, {"VOP3P", VOP3P}, {"VOP3P_MAI", MAI},
      {"VINTRP", VINTRP}, {"DS", DS}, {"FLAT", FLAT}, {"SCRATCH", SCRATCH}, {"GLOBAL", GLOBAL}, {"MUBUF", MUBUF},
      {"MTBUF", MTBUF}, {"MIMG", MIMG}, {"EXP", EXP}};
  for (auto* form : {"_SDWA", "_DPP16"})
    if (auto at = name.find(form); at != std::string::npos) name.resize(at);
  auto it = names.find(name);
  return it == names.end() ? Format(0) : it->second;
}

States split(const std::string& s) {
  States out;
  std::stringstream in(s);
  for (std::string x; std::getline(in, x, ',');) out.insert(x);
  return out;
}

TEST(Facts, ImplicitStateAgrees) {
  const char* folder = std::getenv("BZ_ISA_FACTS");
  if (!folder || !*folder) GTEST_SKIP() << "BZ_ISA_FACTS is not set";
  for (auto target : {Target::gfx906, Target::gfx90a, Target::gfx942}) {
    std::ifstream in(std::string(folder) + "/" + std::string(target_name(target)) + ".tsv");
    ASSERT_TRUE(in.good());
    std::string line;
    std::getline(in, line);
    size_t rows = 0;
    std::set<std::string> told;
    while (std::getline(in, line)) {
      std::vector<std::string> c;
      std::stringstream fields(line);
      for (std::string x; std::getline(fields, x, '\t');) c.push_back(x);
      ASSERT_GE(c.size(), 12u);
      auto id = find_row(target, format_named(c[0]), static_cast<unsigned>(std::stoul(c[1])));
      ASSERT_NE(id, kNoRow) << target_name(target) << " " << c[0] << " " << c[1] << " " << c[3];
      ++rows;
      auto uses = split(c[10]), defs = split(c[11]);
      auto mine = declared(id, c[0]);
      auto format = format_named(c[0]);
      // LLVM says M0 of every DS row, a rule of older chips; here M0 is named where gfx9 uses it.
      if (format == DS && uses.count("M0")) mine.uses.insert("M0");
      // LLVM names VCC for SDWA class compares although the destination is an operand, and forgets flat_scratch where
      // scratch loads go to LDS.
      if (c[0] == "VOPC_SDWA") defs.erase("VCC");
      if (format == SCRATCH) uses.insert("FLAT_SCR");
      // The lds forms of loads read M0; the row as such does not.
      if ((format & (MUBUF | GLOBAL | SCRATCH)) && uses.count("M0")) mine.uses.insert("M0");
      if ((uses != mine.uses || defs != mine.defs) && told.insert(c[0] + row_meta(id).name).second)
        ADD_FAILURE() << target_name(target) << " " << c[0] << " " << c[3] << ": table uses " << join(uses) << " defines " << join(defs)
                      << "; flags use " << join(mine.uses) << " define " << join(mine.defs);
    }
    EXPECT_GT(rows, 3000u);
  }
}

} // namespace
