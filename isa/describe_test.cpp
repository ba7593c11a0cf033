// The effects that a row's semantics have, what its metadata declares, and what the fact tables made from LLVM say
// (BZ_ISA_FACTS) are three statements about the same thing: they must agree.
#include "isa/decode.hpp"
#include "isa/describe.hpp"
#include "isa/fact_tables.hpp"
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

/// Calls f for every row with semantics on every target that has it.
template <class F> void each_described(F&& f) {
  for (RowId id = 0; id < row_count(); ++id)
    for (int t = 0; t < kTargetCount; ++t) {
      auto target = static_cast<Target>(t);
      auto& m = row_meta(id);
      if (!(m.targets & bit(target)) || m.op.of(target) < 0) continue;
      auto e = describe(id, target);
      ASSERT_EQ(e.has_semantics, row_has_semantics(id)) << m.name;
      if (e.has_semantics && !e.not_implemented) f(id, m, target, e);
    }
}

bool has_mask(const Meta& m, Field field) {
  for (auto& s : m.operands.spec)
    if (s.field == field && s.mask) return true;
  return false;
}

bool fits(std::string_view pattern, std::string_view name) {
  if (pattern.empty()) return true;
  return pattern.back() == '*' ? name.starts_with(pattern.substr(0, pattern.size() - 1)) : pattern == name;
}

/// Rows whose ReadsMode flag, which is what LLVM's tables say, differs from what the semantics can be influenced by.
struct ModeException {
  std::string_view rows;
  const char* why;
};
constexpr ModeException kModeExceptions[] = {
    {"v_cmp_f_*", "the result is constant"},
    {"v_cmpx_f_*", "the result is constant"},
    {"v_cmp_tru_*", "the result is constant"},
    {"v_cmpx_tru_*", "the result is constant"},
    {"v_cvt_f32_fp8", "exact for every source"},
    {"v_cvt_f32_bf8", "exact for every source"},
    {"v_cvt_pk_f32_fp8", "exact for every source"},
    {"v_cvt_pk_f32_bf8", "exact for every source"},
    {"v_frexp_exp_*", "takes exponents of denormals whatever MODE says"},
    {"v_cvt_f32_ubyte*", "exact for every source"},
    {"v_cvt_off_f32_i4", "exact for every source"},
    {"v_cvt_flr_i32_f32", "no result depends on MODE; its parts are float operations"},
    {"v_cvt_rpi_i32_f32", "no result depends on MODE; its parts are float operations"},
    {"v_cvt_pknorm_i16_f32", "LLVM has the flag on the f16 rows only"},
    {"v_cvt_pknorm_u16_f32", "LLVM has the flag on the f16 rows only"},
};
bool mode_excepted(std::string_view name) {
  for (auto& e : kModeExceptions)
    if (fits(e.rows, name)) return true;
  return false;
}

// ---------------------------------------------------------------- semantics against metadata

TEST(Describe, StateAgreesWithFlags) {
  size_t rows = 0;
  each_described([&](RowId id, const Meta& m, Target target, const Effects& e) {
    ++rows;
    auto same = [&](const char* what, bool semantics, Flags flag) {
      EXPECT_EQ(semantics, has(m.flags, flag)) << m.name << " on " << target_name(target) << ": " << what << (semantics ? " in sem, not in flags" : " in flags, not in sem");
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
    if (row_class(id) != FamilyClass::scalar && !mode_excepted(m.name)) same("reads MODE", e.reads_mode || e.float_arithmetic, ReadsMode);
  });
  EXPECT_GT(rows, 6000u);
}

TEST(Describe, OperandsAgreeWithTheirList) {
  each_described([&](RowId id, const Meta& m, Target, const Effects& e) {
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
    if (e.all_operands) return;  // a primitive that takes the instruction as it is
    EXPECT_EQ(e.writes_dst, dst) << m.name << ": destination";
    EXPECT_EQ(e.writes_mask, mask_dst) << m.name << ": mask destination";
    if (e.reads_dst) EXPECT_TRUE(read_write || (m.formats & SOPK)) << m.name << ": reads the destination, not marked rw";
    if (row_class(id) == FamilyClass::lane)
      EXPECT_EQ(e.sources & ~sources, 0u) << m.name << ": reads a source that it does not have";
    if (row_class(id) == FamilyClass::lane && m.operands.count > 1)
      EXPECT_EQ(sources & ~e.sources, 0u) << m.name << ": a source is never read";
    EXPECT_EQ(e.reads_mask && !has(m.flags, ReadsVcc), has_mask(m, Field::src2)) << m.name << ": mask source";
  });
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

States split(const std::string& s) {
  States out;
  std::stringstream in(s);
  for (std::string x; std::getline(in, x, ',');) out.insert(x);
  return out;
}

/// Reviewed differences: what the tables say or leave out, and why the flags stand. Each must be needed.
struct Exception {
  std::string_view rows;    ///< name, or a prefix followed by *
  std::string_view formats; ///< table format, or a prefix followed by *; empty: any
  std::string_view what;    ///< "uses X", "defines X": the difference is in X; "sources", "destinations": of the operands
  const char* why;
  mutable bool used = false;
};
const Exception kExceptions[] = {
    {"*", "DS", "uses M0", "a rule of older chips: gfx9 checks LDS bounds by itself, and M0 is named where it is really used"},
    {"*", "VOPC_SDWA", "defines VCC", "the destination is an operand, VCC or an SGPR pair"},
    {"*", "SCRATCH", "uses FLAT_SCR", "forgotten where scratch loads go to LDS"},
    {"*", "MUBUF", "uses M0", "only the lds forms of loads read M0"},
    {"*", "GLOBAL", "uses M0", "only the lds forms of loads read M0"},
    {"*", "SCRATCH", "uses M0", "only the lds forms of loads read M0"},
    {"s_cbranch_g_fork", "", "uses EXEC", "forks halve EXEC and keep their stack pointer in MODE; LLVM never forms them"},
    {"s_cbranch_g_fork", "", "uses MODE", "forks halve EXEC and keep their stack pointer in MODE; LLVM never forms them"},
    {"s_cbranch_g_fork", "", "defines EXEC", "forks halve EXEC and keep their stack pointer in MODE; LLVM never forms them"},
    {"s_cbranch_g_fork", "", "defines MODE", "forks halve EXEC and keep their stack pointer in MODE; LLVM never forms them"},
    {"s_cbranch_i_fork", "", "uses EXEC", "forks halve EXEC and keep their stack pointer in MODE; LLVM never forms them"},
    {"s_cbranch_i_fork", "", "uses MODE", "forks halve EXEC and keep their stack pointer in MODE; LLVM never forms them"},
    {"s_cbranch_i_fork", "", "defines EXEC", "forks halve EXEC and keep their stack pointer in MODE; LLVM never forms them"},
    {"s_cbranch_i_fork", "", "defines MODE", "forks halve EXEC and keep their stack pointer in MODE; LLVM never forms them"},
    {"s_cbranch_join", "", "uses EXEC", "forks halve EXEC and keep their stack pointer in MODE; LLVM never forms them"},
    {"s_cbranch_join", "", "uses MODE", "forks halve EXEC and keep their stack pointer in MODE; LLVM never forms them"},
    {"s_cbranch_join", "", "defines EXEC", "forks halve EXEC and keep their stack pointer in MODE; LLVM never forms them"},
    {"s_cbranch_join", "", "defines MODE", "forks halve EXEC and keep their stack pointer in MODE; LLVM never forms them"},
    {"s_setvskip", "", "uses MODE", "sets MODE.VSKIP, as the manual says; LLVM takes it for a compare"},
    {"s_setvskip", "", "defines MODE", "sets MODE.VSKIP, as the manual says; LLVM takes it for a compare"},
    {"s_setvskip", "", "defines SCC", "sets MODE.VSKIP, as the manual says; LLVM takes it for a compare"},
    {"v_cvt_pk_f16_f32", "VOP3", "uses MODE", "rounds by MODE; LLVM has the flag on the other conversions only"},
    {"v_cvt_pk_bf16_f32", "VOP3", "uses MODE", "rounds by MODE; LLVM has the flag on the other conversions only"},
    {"v_minimum3_f32", "VOP3", "uses MODE", "flushes denormals by MODE, as v_min3_f32 does"},
    {"v_maximum3_f32", "VOP3", "uses MODE", "flushes denormals by MODE, as v_max3_f32 does"},
    {"s_cmov*", "", "sources", "the old destination stays where SCC is 0"},
    {"s_bitset*", "", "sources", "the other bits of the old destination stay"},
    {"s_movreld_*", "", "sources", "the register that is written is destination + M0; LLVM lists the base as read"},
    {"s_movreld_*", "", "destinations", "the register that is written is destination + M0; LLVM lists the base as read"},
    {"v_cvt_pkaccum_u8_f32", "", "sources", "the other bytes of the old destination stay"},
    {"v_interp_p2_f32", "VOP3", "sources", "accumulates, in this encoding as in the short one"},
    {"v_pk_fmac_f16", "", "sources", "accumulates, as its name says"},
    {"flat_load_*", "FLAT", "sources", "the other half of the old destination of d16 loads stays"},
    {"global_load_*", "GLOBAL", "sources", "the other half of the old destination of d16 loads stays"},
    {"scratch_load_*", "SCRATCH", "sources", "the other half of the old destination of d16 loads stays"},
    {"buffer_load_format_d16_hi_x", "MUBUF", "sources", "the low half of the old destination stays"},
    {"image_atomic_*", "MIMG", "destinations", "the old value comes back with glc only"},
    {"ds_gws_*", "DS", "sources", "gfx90a and later: LLVM asks for an even pair, of which the first register is read"},
};

bool excepted(const char* row, const std::string& format, const std::string& what) {
  for (auto& e : kExceptions)
    if (fits(e.rows, row) && fits(e.formats, format) && e.what == what) return e.used = true;
  return false;
}

/// One line of a fact table.
struct Fact {
  Target target;
  std::string format, mnemonic, hex;
  RowId row = kNoRow;
  States uses, defs;
  std::vector<std::string> operands;   ///< "0:def:VGPR_32:t2"
};

template <class F> void each_fact(F&& f) {
  for (int t = 0; t < kTargetCount; ++t) {
    auto target = static_cast<Target>(t);
    each_fact_line(target, [&](const FactLine& line) {
      auto& c = line.column;
      Fact fact{.target = target, .format = c[0], .mnemonic = c[3], .hex = c[6], .row = find_row(target, line.format, line.opcode),
                .uses = split(c[10]), .defs = split(c[11]), .operands = {}};
      ASSERT_NE(fact.row, kNoRow) << target_name(target) << " " << c[0] << " " << c[1] << " " << c[3];
      std::stringstream operands(c[8]);
      for (std::string x; std::getline(operands, x, ';');) fact.operands.push_back(x);
      f(fact);
    });
    if (::testing::Test::HasFatalFailure()) return;
  }
}

/// States that one side has and the other has not.
States difference(const States& a, const States& b) {
  States out;
  for (auto& x : a)
    if (!b.count(x)) out.insert(x);
  for (auto& x : b)
    if (!a.count(x)) out.insert(x);
  return out;
}

TEST(Facts, ImplicitStateAgrees) {
  BZ_NEED_FACT_TABLES();
  std::set<std::string> told;
  each_fact([&](const Fact& f) {
    auto mine = declared(f.row, f.format);
    auto* name = row_meta(f.row).name;
    auto report = [&](const char* verb, const States& table, const States& flags) {
      for (auto& state : difference(table, flags))
        if (!excepted(name, f.format, verb + (" " + state)) && told.insert(f.format + name + state + verb).second)
          ADD_FAILURE() << target_name(f.target) << " " << f.format << " " << f.mnemonic << " " << verb << " " << state << ": "
                        << (table.count(state) ? "the table says so, the flags don't" : "the flags say so, the table doesn't");
    };
    report("uses", f.uses, mine.uses);
    report("defines", f.defs, mine.defs);
  });
}

/// Dwords of a register class: VGPR_32, VS_64, SReg_128_XNULL, AV_192_Align2 ...; 0 if it is none.
int class_dwords(const std::string& name) {
  for (size_t i = 0; i + 1 < name.size(); ++i)
    if (name[i] == '_' && name[i + 1] >= '0' && name[i + 1] <= '9') {
      int bits = std::atoi(name.c_str() + i + 1);
      return bits < 32 ? 1 : bits / 32;
    }
  return 0;
}

using Widths = std::multiset<int>;
std::string join(const Widths& w) {
  std::string out;
  for (int x : w) out += (out.empty() ? "" : ",") + std::to_string(x);
  return out.empty() ? "-" : out;
}

/// Registers written and read, as numbers of dwords: the tables' canonical word, decoded here, against their operand list.
TEST(Facts, OperandsAgree) {
  BZ_NEED_FACT_TABLES();
  std::set<std::string> told;
  size_t compared = 0;
  each_fact([&](const Fact& f) {
    uint32_t words[4] = {};
    for (size_t i = 0; i + 8 <= f.hex.size() && i < 32; i += 8) words[i / 8] = __builtin_bswap32(static_cast<uint32_t>(std::stoul(f.hex.substr(i, 8), nullptr, 16)));
    auto inst = decode(f.target, words, f.hex.size() / 8);
    ASSERT_TRUE(inst.has_value()) << f.format << " " << f.mnemonic << " " << f.hex;
    Widths table_defs, table_uses, defs, uses;
    for (auto& o : f.operands) {
      auto part = [&](int n) {
        std::stringstream in(o);
        std::string x;
        for (int k = 0; k <= n; ++k) x.clear(), std::getline(in, x, ':');
        return x;
      };
      int dwords = class_dwords(part(2));
      if (!dwords) continue;
      // A DPP form keeps the old destination where lanes are switched off: of the form, not of the row.
      if (inst->form == Form::dpp && !row_meta(f.row).operands.spec[0].read_write && part(3).starts_with("tied")) continue;
      (part(1) == "def" ? table_defs : table_uses).insert(dwords);
    }
    // VCC of the short forms is implicit in the tables, an operand here.
    auto implicit = [&](const Operand& o) { return row_meta(f.row).formats & (VOP2 | VOPC) && inst->format != VOP3 && o.kind == Operand::Kind::sgpr && o.number == 106; };
    auto counts = [&](const Operand& o) { return o.kind != Operand::Kind::imm && o.kind != Operand::Kind::none && o.dwords && !implicit(o); };
    for (int k = 0; k < inst->dest_count; ++k)
      if (counts(inst->dest(k))) defs.insert(inst->dest(k).dwords);
    for (int k = 0; k < inst->source_count; ++k)
      if (counts(inst->source(k)) && inst->source(k).field != Field::k32) uses.insert(inst->source(k).dwords);
    ++compared;
    auto* name = row_meta(f.row).name;
    auto report = [&](const char* what, const Widths& table, const Widths& mine) {
      if (table != mine && !excepted(name, f.format, what) && told.insert(f.format + name + what).second)
        ADD_FAILURE() << target_name(f.target) << " " << f.format << " " << f.mnemonic << " " << what << ": table " << join(table) << ", here " << join(mine);
    };
    report("destinations", table_defs, defs);
    report("sources", table_uses, uses);
  });
  EXPECT_GT(compared, 18000u);
}

TEST(Facts, ExceptionsAreNeeded) {
  BZ_NEED_FACT_TABLES();
  for (auto& e : kExceptions) EXPECT_TRUE(e.used) << e.rows << " " << e.formats << " " << e.what << ": nothing differs any more";
}

} // namespace
