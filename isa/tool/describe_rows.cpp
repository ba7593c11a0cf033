// list, show, families: what the tables say about instructions.
#include "isa/absent.hpp"
#include "isa/describe.hpp"
#include "isa/families.hpp"
#include "isa/judges.hpp"
#include "isa/ref/machine.hpp"
#include "isa/tool/commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <fnmatch.h>

namespace bz::isa::tool {

std::string_view format_name(Format f) {
  constexpr std::string_view names[] = {"SOP2", "SOP1", "SOPC", "SOPK", "SOPP", "SMEM", "VOP1", "VOP2", "VOPC", "VOP3", "VOP3P", "MAI",
                                        "VINTRP", "DS", "FLAT", "SCRATCH", "GLOBAL", "MUBUF", "MTBUF", "MIMG", "EXP", "VOP3PX"};
  static_assert(std::size(names) == kFormatCount);
  return names[std::countr_zero(static_cast<uint32_t>(f))];
}

std::string format_names(Formats formats) {
  std::string out;
  for (; formats; formats &= formats - 1) {
    if (!out.empty()) out += '|';
    out += format_name(static_cast<Format>(formats & ~(formats - 1)));
  }
  return out;
}

bool exists_on(RowId row, Target target) {
  auto& m = row_meta(row);
  return (m.targets & bit(target)) && m.op.of(target) >= 0;
}

int opcode_in(RowId row, Format format, Target target) {
  auto& m = row_meta(row);
  int op = m.op.of(target);
  if (format != VOP3) return op;
  return op + (m.formats & VOP2 ? 0x100 : m.formats & VOP1 ? 0x140 : m.formats & VINTRP ? 0x270 : 0);
}

std::string state_of(RowId row, Target target) {
  if (auto* why = row_absent(row)) return std::string("illegal: ") + why;
  auto e = describe(row, target);
  return !e.has_semantics ? "no semantics" : e.not_implemented ? "not implemented in some form" : "executes";
}

std::string target_list() {
  std::string out;
  for (int t = 0; t < kTargetCount; ++t) out += (t ? ", " : "") + std::string(target_name(static_cast<Target>(t)));
  return out;
}

std::string judges_of(RowId row) {
  constexpr std::string_view kinds[] = {"ref", "vector", "layout", "law", "host", "effect"};
  auto* name = row_meta(row).name;
  std::string out;
  auto add = [&](std::string_view kind, std::string_view test) {
    out += fmt::format("{}{}{}", out.empty() ? "" : ", ", kind, test.empty() ? "" : fmt::format(" ({})", test));
  };
  if (ref::find(name)) add("ref", "");
  for (auto& j : kJudges)
    if (!j.rows.empty() && matches(j.rows, name)) add(kinds[static_cast<size_t>(j.kind)], j.test);
  return out;
}

bool name_matches(std::string_view pattern, std::string_view name) {
  if (pattern.find_first_of("*?") == std::string_view::npos) return name.find(pattern) != std::string_view::npos;
  return fnmatch(std::string(pattern).c_str(), std::string(name).c_str(), 0) == 0;
}

namespace {

/// Every spelling of the row, the usual one first.
std::vector<std::string> spellings(RowId row) {
  auto& m = row_meta(row);
  std::vector<std::string> out = {m.name};
  if (m.alias.name) out.push_back(m.alias.name);
  return out;
}

std::string targets_of(RowId row) {
  std::string out;
  for (int t = 0; t < kTargetCount; ++t)
    if (exists_on(row, static_cast<Target>(t))) out += (out.empty() ? "" : " ") + std::string(target_name(static_cast<Target>(t)));
  return out;
}

Target some_target(RowId row) {
  for (auto t : {Target::gfx942, Target::gfx90a, Target::gfx906, Target::gfx908, Target::gfx900})
    if (exists_on(row, t)) return t;
  return Target::gfx950;
}

std::string_view type_name(Type t) {
  constexpr std::string_view names[] = {"", "b16", "i16", "u16", "f16", "bf16", "b32", "i32", "u32", "f32", "b64", "i64", "u64", "f64",
                                        "pk_f16", "pk_i16", "pk_u16", "pk_f32", "pk_b32", "pk_bf16", "f32 or f16"};
  return names[static_cast<size_t>(t)];
}

std::string_view field_name(Field f) {
  constexpr std::string_view names[] = {
      "", "sdst", "ssrc0", "ssrc1", "simm16", "label", "hwreg", "waitcnt", "sendmsg", "gpr_idx", "k32", "sbase", "sdata", "offset",
      "simm7", "vdst", "src0", "src1", "src2", "vsrc", "attr", "param", "addr", "data0", "data1", "vaddr", "data", "saddr", "vdata",
      "srsrc", "soffset", "ssamp", "tgt", "vsrc0", "vsrc1", "vsrc2", "vsrc3", "scale0", "scale1"};
  static_assert(std::size(names) == static_cast<size_t>(Field::scale1) + 1);
  return names[static_cast<size_t>(f)];
}

std::string operand_text(const OperandSpec& s) {
  constexpr std::string_view classes[] = {"", "VGPR only", "SGPR or constant", "AGPR only", "VGPR or AGPR"};
  std::string out = fmt::format("{:8} {:6}", field_name(s.field), s.read_write ? "inout" : s.is_dst ? "out" : "in");
  constexpr Field immediates[] = {Field::simm16, Field::label, Field::hwreg, Field::waitcnt, Field::sendmsg, Field::gpr_idx, Field::simm7,
                                  Field::attr, Field::param, Field::tgt};
  bool immediate = std::find(std::begin(immediates), std::end(immediates), s.field) != std::end(immediates);
  out += immediate ? "immediate" : s.mask ? "lane mask" : std::string(type_name(s.type));
  if (s.dwords > 1 && !s.mask) out += fmt::format(", {} registers", s.dwords);
  if (s.reg != RegClass::any) out += fmt::format(", {}", classes[static_cast<size_t>(s.reg)]);
  if (s.if_returning) out += ", with glc/sc0 only";
  if (s.no_inline) out += ", no constants";
  return out;
}

std::string flag_names(Flags flags) {
  constexpr std::pair<Flags, std::string_view> names[] = {
      {Clamp, "clamp"}, {Omod, "omod"}, {OpSel, "op_sel"}, {Mods, "idle neg/abs"}, {NoDpp, "no DPP"}, {NoSdwa, "no SDWA"},
      {ReadsScc, "reads SCC"}, {WritesScc, "writes SCC"}, {ReadsVcc, "reads VCC"}, {WritesVcc, "writes VCC"},
      {WritesExec, "writes EXEC"}, {ReadsExec, "reads EXEC"}, {IgnoresExec, "ignores EXEC"}, {ReadsM0, "reads M0"},
      {WritesM0, "writes M0"}, {ReadsMode, "reads MODE"}, {WritesMode, "writes MODE"}, {ReadsFlatScratch, "reads FLAT_SCRATCH"},
      {Branch, "branch"}, {CondBranch, "conditional"}, {EndProgram, "ends the program"}, {Barrier, "barrier"}, {Call, "call"},
      {Trap, "trap"}, {WholeWave, "sees other lanes"}, {Load, "loads"}, {Store, "stores"}, {Atomic, "atomic"},
      {Returns, "returns the old value"}, {D16Hi, "high half"}, {GdsOnly, "GDS only"}, {NoLds, "no lds form"}, {NoGds, "no GDS form"},
      {LdsOnly, "data goes to LDS"}, {D16, "d16 bit"}, {Gather4, "four components"}, {Typed, "converts formats"},
      {NoDstSel, "no SDWA destination select"}, {OpSelByte, "op_sel picks a byte"}, {Bitop3, "truth table"}, {SwapMods, "fi and bound_ctrl"},
      {F8f6f4, "types by cbsz and blgp"}, {WideLds, "lds form on gfx950"}, {IdleOpSel, "idle op_sel"}, {AnyTuple, "odd tuples allowed"}};
  std::string out;
  for (auto& [flag, name] : names)
    if (has(flags, flag)) out += (out.empty() ? "" : ", ") + std::string(name);
  return out.empty() ? "none" : out;
}

std::string effect_names(const Effects& e, const Meta& m) {
  std::string reads, writes, does;
  auto add = [](std::string& to, bool on, std::string_view what) {
    if (on) to += (to.empty() ? "" : ", ") + std::string(what);
  };
  std::string operands;
  for (int k = 0; k < 32; ++k) add(operands, e.sources >> k & 1, fmt::format("source {}", k));
  add(reads, e.all_operands, "its operands as a whole");
  add(reads, !operands.empty() && !e.all_operands, operands);
  add(reads, e.reads_dst, "the old destination");
  add(reads, e.reads_mask, "a lane mask");
  add(reads, e.reads_scc, "SCC"), add(reads, e.reads_vcc, "VCC"), add(reads, e.reads_m0, "M0");
  add(reads, e.reads_exec || !(m.formats & (SOP1 | SOP2 | SOPC | SOPK | SOPP | SMEM) || has(m.flags, IgnoresExec)), "EXEC");
  add(reads, e.reads_mode || e.float_arithmetic, "MODE");
  add(writes, e.writes_dst, "its destination"), add(writes, e.writes_mask, "a lane mask");
  add(writes, e.writes_scc, "SCC"), add(writes, e.writes_exec, "EXEC"), add(writes, e.writes_m0, "M0"), add(writes, e.writes_mode, "MODE");
  add(does, e.loads, "loads"), add(does, e.stores, "stores"), add(does, e.branches, "branches"), add(does, e.ends, "ends the wave");
  add(does, e.barrier, "waits for its workgroup"), add(does, e.traps, "traps"), add(does, e.other_lanes, "sees other lanes");
  add(does, e.float_arithmetic, "rounds, flushes or quiets");
  auto or_nothing = [](const std::string& s) { return s.empty() ? std::string("nothing") : s; };
  return fmt::format("  reads     {}\n  writes    {}\n{}", or_nothing(reads), or_nothing(writes), does.empty() ? "" : "  effects   " + does + "\n");
}

void show_row(RowId row, std::optional<Target> only) {
  auto& m = row_meta(row);
  Target t = only.value_or(some_target(row));
  fmt::print("{}\n", only ? m.name_on(*only) : m.name);
  if (m.alias.name) {
    std::string where;
    for (int i = 0; i < kTargetCount; ++i)
      if (m.alias.targets & m.targets & bit(static_cast<Target>(i))) where += " " + std::string(target_name(static_cast<Target>(i)));
    fmt::print("  also      {} on{}\n", m.alias.name, where);
  }
  fmt::print("  targets   {}\n", targets_of(row));
  fmt::print("  encoding ");
  for (Formats rest = m.formats; rest; rest &= rest - 1) {
    auto format = static_cast<Format>(rest & ~(rest - 1));
    fmt::print(" {} {}", format_name(format), opcode_in(row, format, t));
    if ((format & (VOP1 | VOP2 | VOPC)) && !has(m.flags, NoSdwa)) fmt::print(" (SDWA)");
    if ((format & (VOP1 | VOP2 | VOPC)) && !has(m.flags, NoDpp)) fmt::print(" (DPP)");
  }
  fmt::print("{}\n", m.op.gfx940 >= 0 && !only ? fmt::format("; on gfx942 and gfx950 {}, before {}", m.op.gfx940, m.op.gfx9) : "");
  for (int k = 0; k < m.operands.count; ++k)
    fmt::print("  {}{}\n", k ? "          " : "operands  ", operand_text(m.operands.spec[static_cast<size_t>(k)]));
  if (m.operands.offset) fmt::print("  {}offset   in    bytes\n", m.operands.count ? "          " : "operands  ");
  if (m.operands.offset01) fmt::print("            offset0, offset1 in elements\n");
  fmt::print("  flags     {}\n", flag_names(m.flags));
  auto e = describe(row, t);
  if (e.has_semantics) fmt::print("{}", effect_names(e, m));
  auto judges = judges_of(row);
  if (e.has_semantics) fmt::print("  judged by {}\n", judges.empty() ? "nothing" : judges);
  fmt::print("  state     {}\n", state_of(row, t));
}

/// How many letters must be changed, added or dropped to get from one to the other (Levenshtein).
size_t letters_between(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t corner = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, corner + (a[i - 1] != b[j - 1])});
      corner = above;
    }
  }
  return row[b.size()];
}

} // namespace

int list(const Arguments& a) {
  size_t count = 0, done = 0;
  for (RowId row = 0; row < row_count(); ++row) {
    if (a.target ? !exists_on(row, *a.target) : false) continue;
    Target t = a.target.value_or(some_target(row));
    auto& m = row_meta(row);
    auto names = a.target ? std::vector<std::string>{m.name_on(t)} : spellings(row);
    bool wanted = a.words.empty() || std::any_of(names.begin(), names.end(), [&](auto& n) { return name_matches(a.words[0], n); });
    if (!wanted) continue;
    auto state = state_of(row, t);
    ++count, done += state == "executes";
    fmt::print("{:11} {:4}  {:38} {}{}\n", format_names(m.formats), m.op.of(t), names[0], state == "executes" ? "" : state,
               a.target ? "" : (state == "executes" ? "" : "; ") + targets_of(row));
  }
  if (!count) {
    fmt::print(stderr, "bz isa: no instruction{} is named like '{}'\n", a.target ? " of " + std::string(target_name(*a.target)) : "", a.words[0]);
    return kFound;
  }
  fmt::print("{} instructions{}, {} of them execute\n", count, a.target ? " on " + std::string(target_name(*a.target)) : "", done);
  return kOk;
}

int show(const Arguments& a) {
  ref::register_all();
  std::string_view wanted = a.words[0];
  for (std::string_view suffix : {"_e32", "_e64", "_sdwa", "_dpp"})
    if (wanted.ends_with(suffix)) wanted.remove_suffix(suffix.size());
  size_t shown = 0;
  std::string elsewhere;
  constexpr size_t kTypos = 2;
  std::vector<std::string> near[kTypos + 1];   // by how many letters differ; 0 for a part of a name
  for (RowId row = 0; row < row_count(); ++row) {
    if (a.target && !exists_on(row, *a.target)) {
      for (auto& name : spellings(row))
        if (name == wanted) elsewhere = targets_of(row);
      continue;
    }
    for (auto& name : spellings(row)) {
      bool pattern = wanted.find_first_of("*?") != std::string_view::npos;
      if (pattern ? !name_matches(wanted, name) : name != wanted) {
        size_t distance = name.find(wanted) != std::string::npos ? 0 : letters_between(wanted, name);
        if (distance <= kTypos) near[distance].push_back(name);
        continue;
      }
      if (shown++) fmt::print("\n");
      show_row(row, a.target);
      break;
    }
  }
  if (shown) return kOk;
  fmt::print(stderr, "bz isa: there is no instruction '{}'{}\n", wanted, a.target ? " on " + std::string(target_name(*a.target)) : "");
  constexpr size_t kShown = 8;
  std::string names;
  size_t found = 0;
  for (auto& group : near)
    for (auto& name : group)
      if (found++ < kShown) names += (names.empty() ? "" : ", ") + name;
  if (!elsewhere.empty()) fmt::print(stderr, "    it exists on {}\n", elsewhere);
  else if (!names.empty()) fmt::print(stderr, "    near: {}{}\n", names, found > kShown ? ", ..." : "");
  else fmt::print(stderr, "    bz isa list shows all names\n");
  return kFound;
}

int families() {
  for (const FamilyInfo& f : kFamilies) {
    size_t present = 0;
    for (size_t i = 0; i < f.count; ++i) present += f.rows[i].sem.present;
    fmt::print("{} {} {}\n", f.name, f.count, present);
  }
  return kOk;
}

} // namespace bz::isa::tool
