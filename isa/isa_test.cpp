// Decoder, text form and row tables by themselves, against the checked-in sample of LLVM's text, and, where the fact
// tables are at hand (BZ_ISA_FACTS names their folder), against every vector in them.
#include "isa/absent.hpp"
#include "isa/decode.hpp"
#include "isa/fact_tables.hpp"
#include "isa/families.hpp"
#include "isa/random_words.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

using namespace bz::isa;

namespace {

constexpr Target kJudged[] = {Target::gfx900, Target::gfx906, Target::gfx908, Target::gfx90a, Target::gfx942, Target::gfx950};

std::vector<uint32_t> words_of(std::string_view hex) {
  std::vector<uint8_t> bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2)
    bytes.push_back(static_cast<uint8_t>(std::stoul(std::string(hex.substr(i, 2)), nullptr, 16)));
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), words.size() * 4);
  return words;
}

std::string trimmed(std::string_view s) {
  while (!s.empty() && s.back() == ' ') s.remove_suffix(1);
  return std::string(s);
}

/// Lines "... hex | text": decodes the last word before the bar and compares text and size. Returns how many there were; of
/// files whose instructions are all legal also the rows that they have.
size_t check_vectors(const std::string& file, Target target, std::set<RowId>* legal = nullptr) {
  std::ifstream in(file);
  std::string line;
  size_t count = 0, failures = 0;
  while (std::getline(in, line)) {
    auto bar = line.find(" | ");
    if (bar == std::string::npos || line[0] == '#') continue;
    auto hex = line.substr(line.rfind(' ', bar - 1) + 1, bar - line.rfind(' ', bar - 1) - 1);
    auto words = words_of(hex);
    auto want = trimmed(std::string_view(line).substr(bar + 3));
    ++count;
    auto inst = decode(target, words.data(), words.size());
    std::string got = inst ? trimmed(disassemble(target, *inst)) : "<rejected>";
    bool whole = inst && inst->size == words.size() * 4;
    // What assemblers make (marked =) must be executable.
    bool assembled = line.find(" = ") < bar;
    if (assembled && inst) EXPECT_EQ(inst->legal, row_absent(inst->row) == nullptr) << got << " on " << target_name(target);
    if (legal && inst) {
      EXPECT_EQ(inst->legal, row_absent(inst->row) == nullptr) << got << " on " << target_name(target);
      legal->insert(inst->row);
    }
    if (got == want && whole) continue;
    if (++failures <= 20) ADD_FAILURE() << target_name(target) << " " << hex << "\n  want " << want << "\n  got  " << got;
  }
  EXPECT_EQ(failures, 0u) << file;
  return count;
}

TEST(Rows, EveryOpcodeBelongsToOneRow) {
  for (int t = 0; t < kTargetCount; ++t) {
    auto target = static_cast<Target>(t);
    std::map<std::pair<Formats, int>, const char*> seen;
    for (RowId id = 0; id < row_count(); ++id) {
      auto& m = row_meta(id);
      int op = m.op.of(target);
      if (!(m.targets & bit(target)) || op < 0) continue;
      for (Formats rest = m.formats; rest; rest &= rest - 1) {
        Formats format = rest & ~(rest - 1);
        int code = op;
        if (format == VOP3) code += m.formats & VOP2 ? 0x100 : m.formats & VOP1 ? 0x140 : m.formats & VINTRP ? 0x270 : 0;
        auto [it, fresh] = seen.emplace(std::pair(format, code), m.name);
        EXPECT_TRUE(fresh) << m.name << " and " << it->second << " share opcode " << code << " on " << target_name(target);
        EXPECT_EQ(find_row(target, static_cast<Format>(format), static_cast<unsigned>(code)), id) << m.name;
      }
    }
    EXPECT_GT(seen.size(), 1400u) << target_name(target);
  }
}

TEST(Rows, NamesAreUniquePerTargetAndFormat) {
  for (auto target : kJudged) {
    std::set<std::pair<std::string, Formats>> seen;
    for (RowId id = 0; id < row_count(); ++id) {
      auto& m = row_meta(id);
      if (!(m.targets & bit(target)) || m.op.of(target) < 0) continue;
      EXPECT_TRUE(seen.emplace(m.name_on(target), m.formats).second) << m.name << " on " << target_name(target);
    }
  }
}

TEST(Rows, AbsentOnesAreKnownAndHaveNoSemantics) {
  for (auto& a : kAbsent) {
    size_t matching = 0;
    for (RowId id = 0; id < row_count(); ++id) {
      if (row_absent(id) != a.why || absent_why(row_meta(id).name) != a.why) continue;
      ++matching;
      EXPECT_FALSE(row_has_semantics(id)) << row_meta(id).name << " is on the list of absent instructions";
    }
    EXPECT_GT(matching, 0u) << a.rows << " names no row";
  }
}

TEST(Operands, LanguageIsParsed) {
  constexpr Operands o("vdst:f64:8:rw, src0:2:av, src1:pk_f16:plain, addr:2 offset01");
  static_assert(o.count == 4 && o.offset01 && !o.offset);
  static_assert(o.spec[0].dwords == 8 && o.spec[0].read_write && o.spec[0].is_dst && o.spec[0].type == Type::f64);
  static_assert(o.spec[1].reg == RegClass::av && o.spec[1].dwords == 2 && !o.spec[1].is_dst);
  static_assert(o.spec[2].plain && o.spec[2].type == Type::pk_f16 && o.spec[2].dwords == 1);
  constexpr Operands none("offset");
  static_assert(none.count == 0 && none.offset);
  constexpr Operands mask("vdst, sdst:mask, src2:mask");
  static_assert(mask.spec[1].mask && mask.spec[1].dwords == 2 && mask.spec[1].is_dst && !mask.spec[2].is_dst);
}

TEST(Decode, OperandsOfCommonInstructions) {
  auto at = [](Target t, std::string_view hex) {
    auto w = words_of(hex);
    auto i = decode(t, w.data(), w.size());
    EXPECT_TRUE(i.has_value()) << hex;
    return i.value_or(Inst{});
  };
  // v_fma_f32 v1, -v2, |s3|, 1.0
  auto fma = at(Target::gfx942, "0102cbd10207c823");
  EXPECT_STREQ(row_meta(fma.row).name, "v_fma_f32");
  ASSERT_EQ(fma.source_count, 3);
  EXPECT_TRUE(fma.source(0).neg);
  EXPECT_TRUE(fma.source(1).abs);
  EXPECT_EQ(fma.source(1).kind, Operand::Kind::sgpr);
  EXPECT_EQ(fma.source(2).value, 0x3f800000u);
  EXPECT_EQ(fma.dest().number, 1);
  // v_fmac_f32: the destination is also the last source.
  auto fmac = at(Target::gfx942, "02070276");
  ASSERT_EQ(fmac.source_count, 3);
  EXPECT_EQ(fmac.source(2).number, fmac.dest().number);
  // global_atomic_add without and with the old value.
  auto no_return = at(Target::gfx942, "008008dd02047f00");
  EXPECT_EQ(no_return.dest_count, 0);
  auto returns = at(Target::gfx942, "008009dd02047f05");
  EXPECT_EQ(returns.dest_count, 1);
  EXPECT_EQ(returns.dest().number, 5);
  // s_cbranch_scc1 -2 goes back to the instruction before.
  auto branch = at(Target::gfx942, "feff85bf");
  EXPECT_EQ(branch.branch_target(0x1000), 0x1000u + 4 - 8);
  // Literals at their types.
  EXPECT_EQ(at(Target::gfx942, "ff0081be000000ff").source(0).value, 0xff000000u);            // s_mov_b32
  EXPECT_EQ(at(Target::gfx942, "ff06027e000010c0").source(0).value, 0xc010000000000000u);     // v_cvt_i32_f64
  EXPECT_EQ(at(Target::gfx942, "ff1588bef0ffffff").source(0).value, 0xfffffffffffffff0u);     // s_flbit_i32_i64
}

TEST(Decode, SaysWhyWordsAreIllegal) {
  auto why = [](Target t, std::vector<uint32_t> w) { return why_illegal(t, w.data(), w.size()); };
  EXPECT_EQ(why(Target::gfx942, {0xbf7f0000}), "no instruction of gfx942");
  EXPECT_EQ(why(Target::gfx942, {0xd1cb0001}), "no instruction of gfx942");  // cut short
  EXPECT_NE(why(Target::gfx906, {0xc4000001, 0}).find("exp: exports end"), std::string::npos);
  EXPECT_EQ(why(Target::gfx90a, {0x7e0006ff, 0}).find("v_cvt_i32_f64"), 0u);
  EXPECT_EQ(why(Target::gfx906, {0x7e00087d}), "v_cvt_f64_i32_e32 v[0:1], null: no such operand on gfx906");
  EXPECT_EQ(why(Target::gfx950, {0xd1cb0001, 0x04040000u | 260u << 9 | 255, 0x1234}), "v_fma_f32 v1, 0x1234, v4, v1: no such operand on gfx950");
}

TEST(Decode, DppControlsThatDoNotExistAreNotLegal) {
  auto legal = [](Target t, uint32_t op, unsigned ctrl) {
    uint32_t w[2] = {0x7e0400fa | op << 9, 0xff000006 | ctrl << 8};
    auto inst = decode(t, w, 2);
    EXPECT_TRUE(inst.has_value());
    return inst && inst->legal;
  };
  constexpr uint32_t kMov = 1, kFloor64 = 26;
  unsigned old_chips = 0, new_chips = 0, wide = 0;
  for (unsigned ctrl = 0; ctrl < 0x200; ++ctrl) {
    old_chips += legal(Target::gfx906, kMov, ctrl), new_chips += legal(Target::gfx90a, kMov, ctrl);
    wide += legal(Target::gfx942, kFloor64, ctrl);
  }
  EXPECT_EQ(old_chips, 256u + 45 + 4 + 4);
  EXPECT_EQ(new_chips, old_chips + 16);   // row_newbcast
  EXPECT_EQ(wide, 16u);
  EXPECT_TRUE(legal(Target::gfx906, kFloor64, 0x111));
}

TEST(Decode, SdwaSelectsThatDoNotExistAreNotLegal) {
  auto legal = [](uint32_t second) {
    uint32_t w[2] = {0x020406f9, second};   // v_add_f32_sdwa v2, v4, v3
    auto inst = decode(Target::gfx906, w, 2);
    return inst && inst->legal;
  };
  EXPECT_TRUE(legal(0x06060604));
  EXPECT_TRUE(legal(0x05041604));
  EXPECT_FALSE(legal(0x06060704)) << "dst_sel 7";
  EXPECT_FALSE(legal(0x06070604)) << "src0_sel 7";
  EXPECT_FALSE(legal(0x07060604)) << "src1_sel 7";
  EXPECT_FALSE(legal(0x06061e04)) << "dst_unused 3";
}

TEST(Decode, TruncatedInputIsRefused) {
  RandomWords random(3);
  for (auto target : kJudged)
    for (int i = 0; i < 100000; ++i) {
      auto w = random.next();
      auto inst = decode(target, w.data(), w.size());
      if (!inst) continue;
      size_t dwords = inst->size / 4u;
      for (size_t n = 0; n < dwords; ++n) {
        std::vector<uint32_t> exact(w.begin(), w.begin() + static_cast<long>(n));  // a read past the end is caught by ASan
        EXPECT_FALSE(decode(target, exact.data(), n).has_value()) << std::hex << w[0];
      }
      std::vector<uint32_t> exact(w.begin(), w.begin() + static_cast<long>(dwords));
      EXPECT_TRUE(decode(target, exact.data(), dwords).has_value());
    }
}

TEST(Decode, SourceAndDestinationListsAreConsistent) {
  RandomWords random(5);
  for (auto target : kJudged)
    for (int i = 0; i < 100000; ++i) {
      auto w = random.next();
      auto inst = decode(target, w.data(), w.size());
      if (!inst) continue;
      ASSERT_LE(inst->operand_count, inst->operands.size());
      for (int k = 0; k < inst->source_count; ++k) ASSERT_LT(inst->sources[static_cast<size_t>(k)], inst->operand_count);
      for (int k = 0; k < inst->dest_count; ++k) ASSERT_TRUE(inst->dest(k).is_dst || inst->dest(k).field == Field::src0);
      ASSERT_FALSE(disassemble(target, *inst).empty());
    }
}

// ---------------------------------------------------------------- rows against the fact tables

/// Rows without operands: the sweep behind the tables rarely met the one word that they have. LLVM's disassembler knows them.
bool hole_in_table(std::string_view name) { return name.starts_with("ds_gws_sema_"); }

/// Every line of the tables is a row with that name and form, and every row and form is in the tables.
TEST(Rows, AgreeWithFactTables) {
  BZ_NEED_FACT_TABLES();
  for (int t = 0; t < kTargetCount; ++t) {
    auto target = static_cast<Target>(t);
    std::set<std::tuple<Format, Form, RowId>> listed;
    each_fact_line(target, [&](const FactLine& line) {
      auto id = find_row(target, line.format, line.opcode);
      std::string name = line.column[3];
      for (auto* suffix : {"_e32", "_e64", "_sdwa", "_dpp"})
        if (name.ends_with(suffix)) name.resize(name.size() - std::strlen(suffix));
      if (id == kNoRow) ADD_FAILURE() << target_name(target) << ": no row for " << line.column[0] << " " << line.opcode << " " << name;
      else EXPECT_EQ(name, row_meta(id).name_on(target)) << target_name(target) << " " << line.column[0] << " " << line.opcode;
      listed.emplace(line.format, line.form, id);
    });
    if (HasFatalFailure()) return;
    for (RowId id = 0; id < row_count(); ++id) {
      auto& m = row_meta(id);
      int op = m.op.of(target);
      if (!(m.targets & bit(target)) || op < 0 || hole_in_table(m.name)) continue;
      for (Formats rest = m.formats; rest; rest &= rest - 1) {
        auto format = static_cast<Format>(rest & ~(rest - 1));
        auto where = [&](Form form) { return listed.count({format, form, id}) != 0; };
        EXPECT_TRUE(where(Form::plain)) << m.name << " is not in the table of " << target_name(target);
        if (!(format & (VOP1 | VOP2 | VOPC))) continue;
        EXPECT_EQ(where(Form::sdwa), !has(m.flags, NoSdwa)) << m.name << " SDWA on " << target_name(target);
        EXPECT_EQ(where(Form::dpp), !has(m.flags, NoDpp)) << m.name << " DPP on " << target_name(target);
      }
    }
  }
}

TEST(Vectors, CheckedInSample) {
  for (auto target : kJudged) {
    auto file = std::string(BZ_ISA_TESTDATA) + "/vectors_" + std::string(target_name(target)) + ".txt";
    std::set<RowId> decoded;
    EXPECT_GT(check_vectors(file, target, &decoded), 1500u) << file;
    for (RowId id = 0; id < row_count(); ++id)
      if ((row_meta(id).targets & bit(target)) && row_meta(id).op.of(target) >= 0)
        EXPECT_TRUE(decoded.count(id)) << row_meta(id).name << " is missing in " << file;
  }
}

TEST(Vectors, FactTables) {
  BZ_NEED_FACT_TABLES();
  for (int t = 0; t < kTargetCount; ++t) {
    auto target = static_cast<Target>(t);
    auto file = fact_folder() + "/vectors/" + std::string(target_name(target)) + ".txt";
    EXPECT_GT(check_vectors(file, target), 7000u) << file;
  }
}

} // namespace
