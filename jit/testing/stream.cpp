#include "jit/testing/stream.hpp"

#include "isa/formats.hpp"
#include "isa/decode.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string_view>

namespace bz::jit::testing {
namespace {

using namespace isa;
using exec::judge::Draw;
using exec::judge::Encoding;
using exec::judge::Random;
using Words = std::vector<uint32_t>;

constexpr unsigned kVcc = 106, kM0 = 124, kExec = 126, kLiteral = 255, kZero = 128;
constexpr unsigned kDeepest = 3;

void put(Words& words, const Layout& l, char name, uint32_t value) {
  auto f = l.fields[static_cast<size_t>(name)];
  uint32_t mask = (f.width == 32 ? ~0u : (1u << f.width) - 1) << f.low;
  uint32_t& w = words[f.dword];
  w = (w & ~mask) | (value << f.low & mask);
}

constexpr uint32_t inline_number(unsigned n) { return kZero + n; }
constexpr uint32_t v(unsigned n) { return 256 + n; }

/// Instructions by name, for the frame around random ones.
class Maker {
public:
  explicit Maker(Target t) : target_(t) {
    for (RowId row = 0; row < row_count(); ++row)
      if (row_meta(row).targets & bit(t)) rows_.emplace(row_meta(row).name, row);
  }
  bool has(std::string_view name) const { return rows_.count(name) != 0; }
  Words operator()(std::string_view name, std::initializer_list<std::pair<char, uint32_t>> fields, std::optional<uint32_t> literal = {}) const {
    auto it = rows_.find(name);
    if (it == rows_.end()) throw std::runtime_error("no instruction " + std::string(name));
    for (const Encoding& e : exec::judge::encodings(target_, it->second)) {
      if (e.form != Form::plain) continue;
      const Layout* l = nullptr;
      switch (e.format) {
      case SOP2: l = &kSOP2; break;
      case SOP1: l = &kSOP1; break;
      case SOPC: l = &kSOPC; break;
      case SOPK: l = &kSOPK; break;
      case SOPP: l = &kSOPP; break;
      case VOP1: l = &kVOP1; break;
      case VOP2: l = &kVOP2; break;
      case VOP3: l = &kVOP3; break;
      default: continue;
      }
      Words w(l->dwords, 0);
      w[0] = l->fixed_value;
      put(w, *l, 'O', e.opcode);
      for (auto [field, value] : fields) put(w, *l, field, value);
      if (literal) w.push_back(*literal);
      return w;
    }
    throw std::runtime_error("no encoding of " + std::string(name));
  }

private:
  Target target_;
  std::map<std::string_view, RowId> rows_;
};

const Maker& maker(Target t) {
  static std::map<Target, Maker> all;
  return all.try_emplace(t, t).first->second;
}

/// Random instructions come in kinds, of which each has its share.
enum class Group : uint8_t { scalar, compare_scalar, vector, lane_compare, cross, matrix, lds, global, flat, scratch, buffer, scalar_memory };
constexpr size_t kGroups = 12;
struct Choice { RowId row; Encoding encoding; };
struct Choices { std::vector<Choice> of[kGroups]; };

bool unfit(std::string_view n, const Meta& m, Format f) {
  if (has(m.flags, Branch | EndProgram | Barrier | Call | Trap | WritesMode | GdsOnly | D16)) return true;
  for (std::string_view bad : {"movrel", "gpr_idx", "s_getpc", "s_setpc", "s_swappc", "s_rfe", "memtime", "memrealtime", "s_cbranch", "s_dcache", "s_icache", "s_scratch",
                               "s_atc", "buffer_wbinvl", "buffer_inv", "buffer_wbl2", "s_sleep", "v_clrexcp", "_src2_"})
    if (n.find(bad) != n.npos) return true;
  if (f == SMEM) return !has(m.flags, Load) || has(m.flags, Atomic | Store);
  return f == SOPP || f == VINTRP || f == EXP || f == MIMG;
}

std::optional<Group> group_of(const Meta& m, Format f) {
  std::string_view n = m.name;
  if (unfit(n, m, f)) return std::nullopt;
  switch (f) {
  case SOP1: case SOP2: case SOPK: return Group::scalar;
  case SOPC: return Group::compare_scalar;
  case VOPC: return Group::lane_compare;
  case VOP1: case VOP2: case VOP3: case VOP3P:
    if (n.starts_with("v_cmp")) return Group::lane_compare;
    return has(m.flags, WholeWave) ? Group::cross : Group::vector;
  case MAI: return Group::matrix;
  case DS: return has(m.flags, WholeWave) ? Group::cross : Group::lds;
  case GLOBAL: return Group::global;
  case FLAT: return Group::flat;
  case SCRATCH: return Group::scratch;
  case MUBUF: case MTBUF: return Group::buffer;
  case SMEM: return Group::scalar_memory;
  default: return std::nullopt;
  }
}

const Choices& choices(Target t) {
  static std::map<Target, Choices> all;
  Choices& c = all[t];
  if (!c.of[0].empty()) return c;
  for (RowId row = 0; row < row_count(); ++row) {
    const Meta& m = row_meta(row);
    if (!row_has_semantics(row) || !(m.targets & bit(t))) continue;
    for (const Encoding& e : exec::judge::encodings(t, row))
      if (auto g = group_of(m, e.format)) c.of[static_cast<size_t>(*g)].push_back({row, e});
  }
  return c;
}

class Generator {
public:
  Generator(Random& r, Target t) : r_(r), target_(t), make_(maker(t)), choices_(choices(t)) {}

  Stream some(unsigned length, unsigned depth) {
    Stream s;
    const unsigned until = made_ + length;
    while (made_ < until) {
      const unsigned left = until - made_;
      if (depth < kDeepest && left > 4 && r_.chance(16)) s.push_back(part(2 + r_.below(std::min(left, 16u)), depth));
      else s.push_back(single());
    }
    return s;
  }

private:
  Random& r_;
  Target target_;
  const Maker& make_;
  const Choices& choices_;
  unsigned made_ = 0;

  /// Nothing that the frame relies on is written.
  static bool harmless(const Inst& i) {
    for (int k = 0; k < i.operand_count; ++k) {
      const Operand& o = i.operands[static_cast<size_t>(k)];
      const OperandSpec* spec = nullptr;
      for (auto& s : row_meta(i.row).operands.spec)
        if (s.field == o.field) spec = &s;
      if (!o.is_dst && !(spec && spec->read_write)) continue;
      if (o.kind == Operand::Kind::sgpr && o.number < 102 && o.number + o.dwords > kFirstOwnSgpr) return false;
      if (o.kind == Operand::Kind::vgpr && o.number + o.dwords > kFirstOwnVgpr) return false;
    }
    return true;
  }
  std::optional<Draw> draw(Group g) {
    auto& of = choices_.of[static_cast<size_t>(g)];
    if (of.empty()) return std::nullopt;
    for (int n = 0; n < 50; ++n) {
      const Choice& c = of[r_.below(static_cast<uint32_t>(of.size()))];
      auto d = exec::judge::draw(r_, target_, c.row, c.encoding);
      if (d && harmless(d->inst)) return d;
    }
    return std::nullopt;
  }

  Node single() {
    for (;;) {
      static constexpr struct { Group g; unsigned share; } shares[] = {
          {Group::scalar, 14}, {Group::compare_scalar, 4}, {Group::vector, 40}, {Group::lane_compare, 8}, {Group::cross, 8}, {Group::matrix, 2},
          {Group::lds, 8}, {Group::global, 8}, {Group::flat, 4}, {Group::scratch, 4}, {Group::buffer, 5}, {Group::scalar_memory, 3}};
      unsigned x = r_.below(108);
      Group g = Group::scalar;
      for (auto& s : shares) {
        g = s.g;
        if (x < s.share) break;
        x -= s.share;
      }
      if (r_.chance(4)) return full_exec();
      Node n;
      if (one(g, n)) {
        made_ += static_cast<unsigned>(n.head.size());
        return n;
      }
    }
  }
  /// Now and then all lanes come on, or others.
  Node full_exec() {
    Node n;
    static constexpr uint32_t from[] = {kZero + 65 /* -1 */, kZero + 65, kZero + 65, kVcc, kFirstSave, 10, 20};
    n.head.push_back(make_("s_mov_b64", {{'D', kExec}, {'A', r_.pick(from)}}));
    ++made_;
    return n;
  }

  bool one(Group g, Node& n) {
    auto d = draw(g);
    if (!d) return false;
    switch (g) {
    case Group::lds: return lds(*d, n);
    case Group::global: case Group::flat: case Group::scratch: return flat(g, *d, n);
    case Group::buffer: return buffer(*d, n);
    case Group::scalar_memory: return scalar_memory(*d, n);
    default: n.head.push_back(d->words); return true;
    }
  }

  // ------------------------------------------------------------ memory

  /// Into kAddress: numbers below 4096, of one of the shapes that programs have. Atomics want whole multiples; stores of several
  /// dwords too, since no order is promised where lanes write parts of the same cells.
  void offsets(Node& n, bool aligned, unsigned bytes = 8) {
    if (bytes > 8) {
      const unsigned x = r_.below(12);
      if (r_.chance(50)) n.head.push_back(make_("v_lshlrev_b32", {{'D', kAddress}, {'A', inline_number(4)}, {'B', kLaneNumber}}));
      else n.head.push_back(make_("v_and_b32", {{'D', kAddress}, {'A', kLiteral}, {'B', x}}, 0xff0));
      return;
    }
    auto add = [&](Words w) { n.head.push_back(std::move(w)); };
    const unsigned x = r_.below(12);
    switch (r_.below(7)) {
    case 0: case 1: add(make_("v_lshlrev_b32", {{'D', kAddress}, {'A', inline_number(aligned ? 3 : r_.below(5))}, {'B', kLaneNumber}})); break;
    case 2: add(make_("v_and_b32", {{'D', kAddress}, {'A', kLiteral}, {'B', x}}, aligned ? 0xff8 : r_.chance(70) ? 0xffc : 0xfff)); break;
    case 3: add(make_("v_mov_b32", {{'D', kAddress}, {'A', kLiteral}}, r_.below(2048) & ~7u)); break;
    case 4:
      add(make_("v_and_b32", {{'D', kAddress}, {'A', inline_number(31)}, {'B', x}}));
      add(make_("v_lshlrev_b32", {{'D', kAddress}, {'A', inline_number(3)}, {'B', kAddress}}));
      break;
    case 5:
      add(make_("v_mul_u32_u24", {{'D', kAddress}, {'A', inline_number(aligned ? 8 * (1 + r_.below(4)) : r_.below(33))}, {'B', kLaneNumber}}));
      break;
    default:
      add(make_("v_lshlrev_b32", {{'D', kAddress}, {'A', inline_number(3)}, {'B', kLaneNumber}}));
      add(make_("v_xor_b32", {{'D', kAddress}, {'A', inline_number(8 * r_.below(8))}, {'B', kAddress}}));
      break;
    }
    if (r_.chance(30)) add(make_("v_add_u32", {{'D', kAddress}, {'A', kLiteral}, {'B', kAddress}}, r_.below(1024) & (aligned ? ~7u : ~3u)));
  }

  /// Puts the instruction behind what makes its address; false if it can't stand there.
  bool finish(Node& n, const Words& w, RowId row) {
    auto i = decode(target_, w.data(), w.size());
    if (!i || !i->legal || i->row != row || !harmless(*i)) return false;
    n.head.push_back(w);
    return true;
  }
  /// Of the data of stores; else 0.
  static unsigned stored_bytes(const Inst& i) {
    unsigned bytes = 0;
    if (has(row_meta(i.row).flags, Store) && !has(row_meta(i.row).flags, Atomic))
      for (int k = 0; k < i.operand_count; ++k)
        if (const Operand& o = i.operands[static_cast<size_t>(k)]; o.field == Field::data || o.field == Field::data0 || o.field == Field::vdata) bytes = 4u * o.dwords;
    return bytes;
  }

  static bool two_stores(const Meta& m) { return m.operands.offset01 && has(m.flags, Store) && std::string_view(m.name).find("write2") != std::string_view::npos; }
  /// No lane's first cell is part of another one's second, where lanes are 16 bytes apart: no order is promised between these.
  static bool apart(const Meta& m, const Inst& i) {
    const std::string_view name = m.name;
    const int cell = name.find("b64") != name.npos ? 8 : 4, step = name.find("st64") != name.npos ? 64 * cell : cell;
    const int distance = std::abs(int{i.offset0} - int{i.offset1}) * step, rest = distance % 16;
    return distance >= 4096 || (rest >= cell && rest <= 16 - cell);
  }

  bool lds(const Draw& d, Node& n) {
    const Meta& m = row_meta(d.inst.row);
    const bool atomic = has(m.flags, Atomic);
    Words w = d.words;
    if (r_.chance(15)) n.head.push_back(make_("v_and_b32", {{'D', kAddress}, {'A', kLiteral}, {'B', r_.below(12)}}, r_.chance(50) ? 0x7ff0 : 0xfff0));
    else offsets(n, true, two_stores(m) ? 16 : stored_bytes(d.inst));
    if (operand(m, Field::addr)) put(w, kDS, 'V', kAddress);
    if (two_stores(m) && !apart(m, d.inst)) return false;
    if (!m.operands.offset01) put(w, kDS, 'I', kDS.get('I', w.data()) & (atomic || r_.chance(90) ? ~7u : ~3u));
    if (has(m.flags, ReadsM0)) n.head.push_back(make_("s_movk_i32", {{'D', kM0}, {'I', r_.below(1024) * 8}}));
    return finish(n, w, d.inst.row);
  }

  bool flat(Group g, const Draw& d, Node& n) {
    const Meta& m = row_meta(d.inst.row);
    const bool atomic = has(m.flags, Atomic), to_lds = has(m.flags, LdsOnly) || d.inst.lds;
    Words w = d.words;
    if (to_lds) n.head.push_back(make_("s_movk_i32", {{'D', kM0}, {'I', r_.below(1024) * 4}}));
    const unsigned bytes = stored_bytes(d.inst);
    offsets(n, atomic || bytes > 4, bytes);
    auto add = [&](Words x) { n.head.push_back(std::move(x)); };
    put(w, kFLAT, 'V', kAddress);
    uint32_t offset = r_.chance(50) ? 0 : r_.below(1024) & (atomic ? ~7u : ~0u);
    if (g == Group::scratch) {
      add(make_("v_and_b32", {{'D', kAddress}, {'A', kLiteral}, {'B', kAddress}}, 0x7ff));
      const bool sve = kFLAT.get('l', w.data()) != 0, scalar = r_.chance(40);
      put(w, kFLAT, 'R', scalar ? kSmall : 0x7f);
      if (target_ != Target::gfx942 && target_ != Target::gfx950 && scalar && sve) return false;
    } else if (g == Group::global && r_.chance(50)) {
      put(w, kFLAT, 'R', kArena);
      if (!to_lds && r_.chance(30)) offset = 0u - (r_.below(4096) & (atomic ? ~7u : ~0u));
    } else {
      if (g == Group::global) put(w, kFLAT, 'R', 0x7f);
      const unsigned where = g == Group::flat ? r_.below(4) : 0;
      if (where == 1 || where == 2) {   // LDS, private memory
        if (where == 2) add(make_("v_and_b32", {{'D', kAddress}, {'A', kLiteral}, {'B', kAddress}}, 0x7ff));
        add(make_("v_mov_b32", {{'D', kAddress + 1}, {'A', kLiteral}}, where << 16));
      } else if (make_.has("v_lshl_add_u64") && r_.chance(50)) {
        add(make_("v_mov_b32", {{'D', kAddress + 1}, {'A', kZero}}));
        add(make_("v_lshl_add_u64", {{'D', kAddress}, {'A', v(kAddress)}, {'B', kZero}, {'C', kArena}}));
      } else {
        add(make_("v_add_co_u32", {{'D', kAddress}, {'A', kArena}, {'B', kAddress}}));
        add(make_("v_mov_b32", {{'D', kAddress + 1}, {'A', kArena + 1}}));
        add(make_("v_addc_co_u32", {{'D', kAddress + 1}, {'A', kZero}, {'B', kAddress + 1}}));
      }
    }
    put(w, kFLAT, 'I', offset);
    return finish(n, w, d.inst.row);
  }

  bool buffer(const Draw& d, Node& n) {
    const Meta& m = row_meta(d.inst.row);
    const bool atomic = has(m.flags, Atomic), strided = d.inst.idxen && r_.chance(70);
    Words w = d.words;
    if (d.inst.lds) n.head.push_back(make_("s_movk_i32", {{'D', kM0}, {'I', r_.below(1024) * 4}}));
    if (d.inst.idxen && d.inst.offen) {
      offsets(n, true);
      n.head.push_back(make_("v_mov_b32", {{'D', kAddress + 1}, {'A', v(kAddress)}}));
      n.head.push_back(make_("v_and_b32", {{'D', kAddress}, {'A', inline_number(63)}, {'B', stored_bytes(d.inst) > 8 || r_.chance(50) ? kLaneNumber : r_.below(12)}}));
    } else if (d.inst.idxen) {
      n.head.push_back(make_("v_and_b32", {{'D', kAddress}, {'A', inline_number(63)}, {'B', stored_bytes(d.inst) > 8 || r_.chance(50) ? kLaneNumber : r_.below(12)}}));
    } else {
      offsets(n, atomic || stored_bytes(d.inst) > 4 || r_.chance(50), stored_bytes(d.inst));
    }
    put(w, kMUBUF, 'V', kAddress);
    put(w, kMUBUF, 'R', (strided ? kStridedBuffer : kRawBuffer) / 4);
    put(w, kMUBUF, 'F', r_.chance(40) ? kSmall : inline_number(8 * r_.below(8)));
    put(w, kMUBUF, 'I', (r_.chance(50) ? 0 : r_.below(256)) & (atomic ? ~7u : ~3u));
    if (d.inst.format == MTBUF) {
      static constexpr struct { uint32_t data, number; } formats[] = {{4, 7}, {4, 4}, {5, 7}, {10, 0}, {10, 5}, {11, 7}, {14, 7}, {14, 4}};
      const auto f = r_.pick(formats);
      put(w, kMTBUF, 'd', f.data), put(w, kMTBUF, 'n', f.number);
    }
    return finish(n, w, d.inst.row);
  }

  bool scalar_memory(const Draw& d, Node& n) {
    Words w = d.words;
    const bool is_buffer = std::string_view(row_meta(d.inst.row).name).find("buffer") != std::string_view::npos;
    put(w, kSMEM, 'S', (is_buffer ? kRawBuffer : kArena) / 2);
    if (kSMEM.get('e', w.data())) put(w, kSMEM, 'F', kSmall);
    if (kSMEM.get('i', w.data())) put(w, kSMEM, 'I', r_.below(512) * 4);
    else if (!kSMEM.get('e', w.data())) put(w, kSMEM, 'I', kSmall);
    return finish(n, w, d.inst.row);
  }

  static bool operand(const Meta& m, Field f) {
    for (int k = 0; k < m.operands.count; ++k)
      if (m.operands.spec[static_cast<size_t>(k)].field == f) return true;
    return false;
  }

  // ------------------------------------------------------------ control

  Words lane_comparison() {
    for (;;) {
      if (r_.chance(40)) return vcc_of_lanes();
      auto d = draw(Group::lane_compare);
      if (d && d->inst.format == VOPC && d->inst.form == Form::plain) return d->words;
    }
  }
  /// v_cmp of lane numbers or of small numbers: some lanes, often the lower ones.
  Words vcc_of_lanes() {
    Words w{kVOPC.fixed_value};
    static constexpr std::string_view names[] = {"v_cmp_gt_u32", "v_cmp_lt_u32", "v_cmp_ne_u32", "v_cmp_eq_u32", "v_cmp_gt_i32"};
    static std::map<std::pair<Target, std::string_view>, unsigned> opcodes;
    std::string_view name = r_.pick(names);
    auto [it, fresh] = opcodes.try_emplace({target_, name}, 0);
    if (fresh)
      for (auto& c : choices_.of[static_cast<size_t>(Group::lane_compare)])
        if (c.encoding.format == VOPC && row_meta(c.row).name == name) it->second = c.encoding.opcode;
    put(w, kVOPC, 'O', it->second);
    put(w, kVOPC, 'A', inline_number(r_.below(65))), put(w, kVOPC, 'B', r_.chance(70) ? kLaneNumber : r_.below(12));
    return w;
  }
  uint32_t sopp(std::string_view name) { return make_(name, {})[0]; }

  Node part(unsigned length, unsigned depth) {
    Node n;
    n.depth = depth;
    switch (r_.below(8)) {
    case 0: case 1: case 2: {
      n.kind = Node::Kind::skips;
      static constexpr std::string_view on[] = {"s_cbranch_scc0", "s_cbranch_scc1", "s_cbranch_vccz", "s_cbranch_vccnz", "s_cbranch_execz", "s_cbranch_execnz"};
      std::string_view name = r_.pick(on);
      if (name.find("scc") != name.npos)
        if (auto d = draw(Group::compare_scalar)) n.head.push_back(d->words);
      if (name.find("vcc") != name.npos) n.head.push_back(lane_comparison());
      n.branch = sopp(name);
      break;
    }
    case 3: case 4: case 5:
      n.kind = Node::Kind::masks;
      n.head.push_back(lane_comparison());
      n.skip = r_.chance(60);
      n.times = r_.below(3);   // of the ways in which compilers write it
      break;
    case 6:
      n.kind = Node::Kind::counts;
      n.times = 1 + r_.below(4);
      break;
    default:
      n.kind = Node::Kind::lanes_count;
      n.head.push_back(make_("v_and_b32", {{'D', kLaneCounter}, {'A', inline_number(r_.chance(50) ? 3 : 1)}, {'B', r_.chance(70) ? kLaneNumber : r_.below(12)}}));
      n.times = 1 + r_.below(5);
      break;
    }
    made_ += 2 + static_cast<unsigned>(n.head.size());
    const bool other = n.kind == Node::Kind::masks && r_.chance(50);
    n.body = some(other ? (length + 1) / 2 : length, depth + 1);
    if (other) n.other = some(length / 2 + 1, depth + 1);
    return n;
  }
};

// ---------------------------------------------------------------- words

class Flattener {
public:
  explicit Flattener(Target t) : make_(maker(t)) {}
  Words words;

  void all(const Stream& s) {
    for (auto& n : s) node(n);
  }

private:
  const Maker& make_;

  void add(const Words& w) { words.insert(words.end(), w.begin(), w.end()); }
  /// A branch forward whose end comes later.
  size_t ahead(uint32_t word) {
    words.push_back(word);
    return words.size();
  }
  void here(size_t from) {
    if (from) words[from - 1] |= static_cast<uint32_t>(words.size() - from) & 0xffff;
  }
  void back(uint32_t word, size_t to) {
    words.push_back(word | (static_cast<uint32_t>(to - words.size() - 1) & 0xffff));
  }
  uint32_t branch(std::string_view name) { return make_(name, {})[0]; }

  void node(const Node& n) {
    for (auto& w : n.head) add(w);
    const uint32_t save = kFirstSave + 2 * n.depth, counter = kFirstCounter + n.depth;
    auto count_down = [&](size_t begin) {
      add(make_("s_sub_u32", {{'D', counter}, {'A', counter}, {'B', inline_number(1)}}));
      add(make_("s_cmp_lg_u32", {{'A', counter}, {'B', kZero}}));
      back(branch("s_cbranch_scc1"), begin);
    };
    switch (n.kind) {
    case Node::Kind::plain: return;
    case Node::Kind::skips: {
      const size_t over = ahead(n.branch);
      all(n.body);
      return here(over);
    }
    case Node::Kind::masks: {
      size_t over = 0;
      if (n.times == 0) {
        add(make_("s_and_saveexec_b64", {{'D', save}, {'A', kVcc}}));
      } else if (n.times == 1) {
        add(make_("s_mov_b64", {{'D', save}, {'A', kExec}}));
        add(make_("s_and_b64", {{'D', kExec}, {'A', save}, {'B', kVcc}}));
      } else {   // with the lanes of the other part kept
        add(make_("s_and_saveexec_b64", {{'D', save}, {'A', kVcc}}));
        add(make_("s_xor_b64", {{'D', save}, {'A', kExec}, {'B', save}}));
      }
      if (n.skip) over = ahead(branch("s_cbranch_execz"));
      all(n.body);
      here(over);
      if (!n.other.empty()) {
        over = 0;
        if (n.times == 2) add(make_("s_andn2_saveexec_b64", {{'D', save}, {'A', save}}));
        else add(make_("s_xor_b64", {{'D', kExec}, {'A', kExec}, {'B', save}}));
        if (n.skip) over = ahead(branch("s_cbranch_execz"));
        all(n.other);
        here(over);
      }
      add(make_("s_or_b64", {{'D', kExec}, {'A', kExec}, {'B', save}}));
      return;
    }
    case Node::Kind::counts: {
      add(make_("s_movk_i32", {{'D', counter}, {'I', n.times}}));
      const size_t begin = words.size();
      all(n.body);
      return count_down(begin);
    }
    case Node::Kind::lanes_count: {
      add(make_("s_movk_i32", {{'D', counter}, {'I', n.times}}));
      add(make_("s_mov_b64", {{'D', save}, {'A', kExec}}));
      const size_t begin = words.size();
      all(n.body);
      add(make_("v_add_u32", {{'D', kLaneCounter}, {'A', kZero + 65}, {'B', kLaneCounter}}));
      add({kVOPC.fixed_value | 0xc1u << 17 | kLaneCounter << 9 | kZero});   // v_cmp_lt_i32 vcc, 0, v241
      add(make_("s_and_b64", {{'D', kExec}, {'A', kExec}, {'B', kVcc}}));
      const size_t out = ahead(branch("s_cbranch_execz"));
      count_down(begin);
      here(out);
      add(make_("s_mov_b64", {{'D', kExec}, {'A', save}}));
      return;
    }
    }
  }
};

/// Visits nodes in order until `f` says true; its arguments are the list and the place in it.
template <class F> bool walk(Stream& s, size_t& n, F f) {
  for (size_t i = 0; i < s.size(); ++i) {
    if (n-- == 0) {
      f(s, i);
      return true;
    }
    if (walk(s[i].body, n, f) || walk(s[i].other, n, f)) return true;
  }
  return false;
}

} // namespace

Stream random_stream(Random& r, Target target, unsigned length) { return Generator(r, target).some(length, 0); }

std::vector<uint32_t> flatten(Target target, const Stream& s) {
  Flattener f(target);
  f.all(s);
  return std::move(f.words);
}

size_t nodes(const Stream& s) {
  size_t n = 0;
  for (auto& x : s) n += 1 + nodes(x.body) + nodes(x.other);
  return n;
}

bool leave_out(Stream& s, size_t n, bool inner) {
  bool done = false;
  walk(s, n, [&](Stream& list, size_t i) {
    auto at = list.begin() + static_cast<std::ptrdiff_t>(i);
    if (!inner) {
      list.erase(at);
      done = true;
    } else if (!at->body.empty()) {
      Stream body = std::move(at->body);
      at = list.erase(at);
      list.insert(at, body.begin(), body.end());
      done = true;
    }
  });
  return done;
}

std::string listing(Target target, const std::vector<uint32_t>& words) {
  std::string text;
  for (size_t at = 0; at < words.size();) {
    auto i = decode(target, words.data() + at, words.size() - at);
    if (!i) return text + fmt::format("  {:4}: 0x{:08x} ?\n", 4 * at, words[at]);
    text += fmt::format("  {:4}: {}  //", 4 * at, disassemble(target, *i));
    for (size_t k = 0; k < i->size / 4u; ++k) text += fmt::format(" {:08x}", words[at + k]);
    text += '\n';
    at += i->size / 4u;
  }
  return text;
}

} // namespace bz::jit::testing
