#include "exec/judge/bench.hpp"

#include "exec/interp/tables.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstring>

namespace bz::exec::judge {
namespace {

using namespace isa;

constexpr unsigned kPadSgpr = 101;   // tells where a branch went
constexpr unsigned kPads = 40;       // places to land on each side

constexpr Tolerance kTolerances[] = {
    {"", Type::none, 0, false, ""},
#include "exec/judge/tolerances.inc"
};

/// The program around an instruction: alone, or in the middle of places to land for those that change or read the PC.
struct Program {
  std::vector<uint32_t> words;
  size_t at = 0;   ///< index of the instruction
};
Program program(const Draw& d, bool control) {
  if (!control) return {d.words, 0};
  Program p;
  constexpr uint32_t kNop = 0xbf800000, kEnd = 0xbf810000, kBranch = 0xbf820000, kMovk = 0xb0000000 | kPadSgpr << 16;
  p.at = 2 * kPads + 2;
  p.words.assign(p.at, kNop);
  p.words[0] = kBranch | static_cast<uint32_t>(p.at - 1);
  size_t after = p.at + d.words.size();
  p.words.insert(p.words.end(), d.words.begin(), d.words.end());
  p.words.resize(after + 2 * kPads, kNop);
  for (unsigned k = 1; k <= kPads; ++k) {
    // Backward: 2 * k dwords before the end of a one-word instruction, so that the label's even offsets meet them.
    if (k >= 2 && p.at + 1 >= 2 * k + 1) p.words[p.at + 1 - 2 * k] = kMovk | (0x1000u + k), p.words[p.at + 2 - 2 * k] = kEnd;
    p.words[after + 2 * (k - 1)] = kMovk | (0x2000u + k), p.words[after + 2 * (k - 1) + 1] = kEnd;
  }
  return p;
}

/// The register that a jump takes its address from, if it is an operand.
Field jump_field(const Meta& m) {
  std::string_view n = m.name;
  if (n == "s_cbranch_g_fork") return Field::ssrc1;
  return n == "s_cbranch_i_fork" || n == "s_cbranch_join" ? Field::none : Field::ssrc0;
}
bool is_control(const Meta& m) { return has(m.flags, Branch) || std::string_view(m.name) == "s_getpc_b64"; }

std::string_view trimmed(std::string_view pattern) { return pattern.substr(0, pattern.size() - 1); }

int64_t ordered(uint64_t bits, int width) {
  uint64_t sign = uint64_t{1} << (width - 1);
  return bits & sign ? -static_cast<int64_t>(bits & (sign - 1)) : static_cast<int64_t>(bits);
}
bool is_nan(uint64_t x, Type t) {
  switch (t) {
  case Type::f16: case Type::pk_f16: return (x & 0x7fff) > 0x7c00;
  case Type::bf16: return (x & 0x7fff) > 0x7f80;
  case Type::f64: return (x & 0x7fffffffffffffff) > 0x7ff0000000000000;
  default: return (x & 0x7fffffff) > 0x7f800000;
  }
}
bool is_quiet(uint64_t x, Type t) {
  switch (t) {
  case Type::f16: case Type::pk_f16: return x >> 9 & 1;
  case Type::bf16: return x >> 6 & 1;
  case Type::f64: return x >> 51 & 1;
  default: return x >> 22 & 1;
  }
}
bool close_enough(uint64_t want, uint64_t got, const Tolerance& t) {
  if (want == got) return true;
  int width = t.type == Type::f64 ? 64 : t.type == Type::f16 || t.type == Type::pk_f16 || t.type == Type::bf16 ? 16 : 32;
  if (is_nan(want, t.type) || is_nan(got, t.type))
    return t.any_quiet_nan && is_nan(want, t.type) && is_nan(got, t.type) && is_quiet(got, t.type);
  int64_t d = ordered(want, width) - ordered(got, width);
  return static_cast<uint64_t>(d < 0 ? -d : d) <= t.ulps;
}

} // namespace

const Tolerance* tolerance(std::string_view name) {
  for (auto& t : kTolerances)
    if (!t.rows.empty() && (t.rows == name || (t.rows.back() == '*' && name.starts_with(trimmed(t.rows))))) return &t;
  return nullptr;
}

Bench::Bench(Target target) : target_(target), levels_(testing::engine_levels()), agprs_(target >= Target::gfx908) {
  for (auto& level : levels_) machines_.push_back(std::make_unique<testing::Machine>(target, level));
  start();
}
Bench::Bench(Target target, const Level& level) : target_(target), levels_{level.name}, agprs_(target >= Target::gfx908) {
  machines_.push_back(std::make_unique<testing::Machine>(target, level));
  start();
}
void Bench::start() {
  for (auto& m : machines_) m->lds_limit = kLdsBytes;
  state_.target = target_;
  Random r(7);
  for (auto& row : state_.vgpr)
    for (auto& x : row) x = r.word();
  for (auto& row : state_.agpr)
    for (auto& x : row) x = agprs_ ? r.word() : 0;
  for (unsigned n = 0; n < 102; ++n) state_.sgpr[n] = r.word();
}

void Bench::load(testing::Machine& m, const RefMachine& s, const Touches& t) {
  for (unsigned n = 0; n < 256; ++n) {
    std::memcpy(m.vgpr(n), s.vgpr[n].data(), 256);
    if (agprs_) std::memcpy(m.vgpr(256 + n), s.agpr[n].data(), 256);
  }
  for (unsigned n = 0; n < 128; ++n) m.sgpr(n) = s.sgpr[n];
  m.set_scc(s.scc);
  m.set_mode(s.mode);
  if (t.lds) std::memcpy(m.lds(), s.lds.data(), s.lds.size());
  if (t.scratch) std::memcpy(m.scratch(), s.scratch.data(), s.scratch.size() * 4);
}

void Bench::store(testing::Machine& m, RefMachine& s, const Touches& t) {
  for (unsigned n = 0; n < 256; ++n) {
    std::memcpy(s.vgpr[n].data(), m.vgpr(n), 256);
    if (agprs_) std::memcpy(s.agpr[n].data(), m.vgpr(256 + n), 256);
  }
  for (unsigned n = 0; n < 128; ++n) s.sgpr[n] = m.sgpr(n);
  s.scc = m.scc();
  s.mode = m.mode();
  if (t.lds) std::memcpy(s.lds.data(), m.lds(), s.lds.size());
  if (t.scratch) std::memcpy(s.scratch.data(), m.scratch(), s.scratch.size() * 4);
}

namespace {
/// Lanes whose whole result in `other` is what the engine has: into `either`.
void take_if_equal(const Inst& inst, const ref::Machine& other, const ref::Machine& got, ref::Machine& either) {
  if (!inst.dest_count || inst.dest().kind != Operand::Kind::vgpr) return;
  unsigned first = inst.dest().number, dwords = inst.dest().dwords, step = inst.dest().type == Type::pk_f32 ? 1 : dwords;
  for (unsigned at = 0; at < dwords; at += step)   // of a pair each element by itself
    for (size_t lane = 0; lane < 64; ++lane) {
      bool same = true;
      for (unsigned n = at; n < at + step; ++n) same &= other.vgpr[(first + n) & 255][lane] == got.vgpr[(first + n) & 255][lane];
      for (unsigned n = at; same && n < at + step; ++n) either.vgpr[(first + n) & 255][lane] = got.vgpr[(first + n) & 255][lane];
      if (inst.dest().type == Type::pk_f16)
        for (uint32_t half : {0xffffu, 0xffff0000u})
          if (uint32_t x = got.vgpr[first][lane]; ((other.vgpr[first][lane] ^ x) & half) == 0)
            either.vgpr[first][lane] = (either.vgpr[first][lane] & ~half) | (x & half);
    }
}
} // namespace

std::string Bench::judge() {
  const Meta& meta = row_meta(q_.draw.inst.row);
  RefMachine first;   // what the first level made of it
  for (size_t level = 0; level < levels_.size(); ++level) {
    std::string report = answer(level);
    // Where the reference leaves room, the levels still agree to the bit.
    if (level > 0 && report.empty() && tolerance(meta.name) && (got_.vgpr != first.vgpr || got_.sgpr != first.sgpr))
      report = heading() + fmt::format("  {} and {} differ in a result that the reference leaves open\n", levels_[0], levels_[level]);
    if (!report.empty()) return report;
    if (level == 0 && tolerance(meta.name)) first = got_;
  }
  return {};
}

bool Bench::pose(Random& r, const Draw& draw) {
  q_ = {};
  if (!prepare(r, draw, state_, arena_, q_.touches)) return false;
  if (!q_.touches.lds) state_.lds.clear();
  if (!q_.touches.scratch) state_.scratch.clear();
  q_.draw = draw;
  q_.control = is_control(row_meta(draw.inst.row));
  Program p = program(draw, q_.control);
  q_.words = std::move(p.words), q_.at = p.at;
  if (q_.control) {
    for (int k = 0; k < draw.inst.operand_count; ++k) {
      const Operand& o = draw.inst.operands[static_cast<size_t>(k)];
      if (o.kind == Operand::Kind::sgpr && o.number <= kPadSgpr && o.number + o.dwords > kPadSgpr) return false;
      // A label one pad before is the branch's own neighbour; a jump through anything but a register pair goes nowhere.
      if (o.field == Field::label && draw.inst.simm16 == -2) return false;
      if (o.field == jump_field(row_meta(draw.inst.row)) && (o.kind != Operand::Kind::sgpr || o.number >= ref::kM0)) return false;
    }
    q_.target_index = q_.at + draw.words.size() + 2 * r.below(kPads);
  }
  arena_before_.assign(arena_.data(), arena_.data() + (q_.touches.arena ? Arena::kBytes : 0));
  return true;
}

std::string Bench::answer(size_t level) {
  const Draw& draw = q_.draw;
  const Meta& meta = row_meta(draw.inst.row);
  testing::Machine& m = *machines_[level];
  uint64_t code = m.code_address();
  if (q_.control)
    for (int k = 0; k < draw.inst.operand_count; ++k)
      if (const Operand& o = draw.inst.operands[static_cast<size_t>(k)]; o.field == jump_field(meta)) state_.set_sgpr64(o.number, code + 4 * q_.target_index);
  if (std::string_view(meta.name) == "s_cbranch_join")   // the address on the stack
    state_.set_sgpr64(4 * (state_.mode >> 29) - 2, code + 4 * q_.target_index);
  if (!q_.answered || (q_.control && q_.code != code)) {
    want_ = state_;
    want_.pc = code + 4 * q_.at;
    if (!ref::step(want_, draw.inst)) return std::string(meta.name) + " has no reference\n";
    if (q_.control) {
      size_t landed = (want_.pc - code) / 4;
      want_.sgpr[kPadSgpr] = landed < q_.words.size() ? q_.words[landed] & 0xffff : ~0u;
    }
    arena_want_.assign(arena_.data(), arena_.data() + arena_before_.size());
    q_.answered = true, q_.code = code;
  }
  std::memcpy(arena_.data(), arena_before_.data(), arena_before_.size());
  load(m, state_, q_.touches);
  Status status = m.run(q_.words);
  got_.lds.resize(state_.lds.size()), got_.scratch.resize(state_.scratch.size());
  store(m, got_, q_.touches);
  got_.pc = want_.pc, got_.next_pc = want_.next_pc;
  std::string report;
  if (!status.ok()) report = fmt::format("  {} halted: {}\n", levels_[level], status.to_string());
  std::string differs = difference(draw, state_, want_, got_, q_.touches, arena_before_, arena_want_, levels_[level]);
  if (!differs.empty() && has(meta.flags, ReadsMode) && !q_.touches.arena) {
    // One of several NaNs goes through arithmetic; which one is open (docs/fidelity.md).
    RefMachine either = want_;
    for (int order = 1; order < 6; ++order) {
      RefMachine other = state_;
      other.nan_order = order;
      ref::step(other, draw.inst);
      take_if_equal(draw.inst, other, got_, either);
    }
    differs = difference(draw, state_, either, got_, q_.touches, arena_before_, arena_want_, levels_[level]);
  }
  report += differs;
  std::memcpy(arena_.data(), arena_before_.data(), arena_before_.size());
  return report.empty() ? report : heading() + report;
}

std::string Bench::heading() const {
  std::string head = fmt::format("{}: {}\n  words", target_name(target_), disassemble(target_, q_.draw.inst));
  for (uint32_t w : q_.draw.words) head += fmt::format(" {:08x}", w);
  return head + fmt::format("\n  exec {:016x} vcc {:016x} scc {} m0 {:08x} mode {:03x} (round {}/{} denormals {:x} dx10 {} ieee {})\n", state_.exec(), state_.vcc(),
                            int{state_.scc}, state_.sgpr[ref::kM0], state_.mode, state_.mode & 3, state_.mode >> 2 & 3, state_.mode >> 4 & 15, state_.mode >> 8 & 1,
                            state_.mode >> 9 & 1);
}

namespace {

std::string inputs(const Draw& d, const ref::Machine& s, int lane) {
  std::string text;
  for (int k = 0; k < d.inst.operand_count; ++k) {
    const Operand& o = d.inst.operands[static_cast<size_t>(k)];
    text += fmt::format("    operand {}{}:", k, o.is_dst ? " (before)" : "");
    unsigned dwords = o.dwords > 8 ? 8 : o.dwords;
    for (unsigned n = 0; n < dwords; ++n) {
      uint32_t x = 0;
      switch (o.kind) {
      case Operand::Kind::sgpr: x = s.sgpr[(o.number + n) & 127]; break;
      case Operand::Kind::vgpr: x = s.vgpr[(o.number + n) & 255][static_cast<size_t>(lane < 0 ? 0 : lane)]; break;
      case Operand::Kind::agpr: x = s.agpr[(o.number + n) & 255][static_cast<size_t>(lane < 0 ? 0 : lane)]; break;
      default: x = static_cast<uint32_t>(o.value >> (n < 2 ? 32 * n : 0)); break;
      }
      text += fmt::format(" {:08x}", x);
    }
    text += "\n";
  }
  return text;
}

} // namespace

std::string Bench::difference(const Draw& d, const RefMachine& before, const RefMachine& want, const RefMachine& got, const Touches& t,
                              const std::vector<uint8_t>& arena_before, const std::vector<uint8_t>& arena_want, const std::string& level) {
  std::string text;
  int shown = 0;
  auto more = [&] { return ++shown <= 6; };
  const Tolerance* tolerant = tolerance(row_meta(d.inst.row).name);
  for (int file = 0; file < 2; ++file) {
    auto& w = file ? want.agpr : want.vgpr;
    auto& g = file ? got.agpr : got.vgpr;
    for (size_t n = 0; n < 256; ++n) {
      if (w[n] == g[n]) continue;
      for (size_t lane = 0; lane < 64; ++lane) {
        if (w[n][lane] == g[n][lane]) continue;
        if (tolerant) {
          uint64_t x = w[n][lane], y = g[n][lane];
          bool low = d.inst.dest_count && n == d.inst.dest().number;
          if (tolerant->type == Type::f64) {   // compared once, at the low dword or, if that one is equal, at the high one
            size_t base = low ? n : n - 1;
            x = w[base][lane] | uint64_t{w[base + 1][lane]} << 32, y = g[base][lane] | uint64_t{g[base + 1][lane]} << 32;
          }
          bool part = d.inst.form == Form::sdwa && d.inst.sdwa.dst_sel != 6 && low;
          bool halves = tolerant->type == Type::f16 || tolerant->type == Type::pk_f16 || tolerant->type == Type::bf16;
          if (part) {  // a field of the result: units of its last place wherever the field was put
            unsigned sel = d.inst.sdwa.dst_sel, shift = sel < 4 ? 8 * sel : 16 * (sel - 4), mask = sel < 4 ? 0xff : 0xffff;
            auto apart = static_cast<uint32_t>((x >> shift) - (y >> shift)) & mask;
            if (apart <= tolerant->ulps || apart > mask - tolerant->ulps) continue;
          }
          if (halves ? close_enough(x & 0xffff, y & 0xffff, *tolerant) && close_enough(x >> 16, y >> 16, *tolerant) : close_enough(x, y, *tolerant)) continue;
        }
        if (more())
          text += fmt::format("  {}: {}{} lane {}: engine {:08x}, reference {:08x}\n{}", level, file ? "a" : "v", n, lane, g[n][lane], w[n][lane],
                              shown == 1 ? inputs(d, before, static_cast<int>(lane)) : "");
      }
    }
  }
  for (unsigned n = 0; n < 128; ++n)
    if (want.sgpr[n] != got.sgpr[n] && more())
      text += fmt::format("  {}: s{}{}: engine {:08x}, reference {:08x}\n{}", level, n, n == 106 || n == 107 ? " (vcc)" : n >= 126 ? " (exec)" : n == 124 ? " (m0)" : "",
                          got.sgpr[n], want.sgpr[n], shown == 1 ? inputs(d, before, std::countr_zero(got.sgpr[n] ^ want.sgpr[n]) + (n & 1 ? 32 : 0)) : "");
  if (want.scc != got.scc && more())
    text += fmt::format("  {}: scc: engine {}, reference {}\n{}", level, int{got.scc}, int{want.scc}, shown == 1 ? inputs(d, before, 0) : "");
  if (want.mode != got.mode && more()) text += fmt::format("  {}: mode: engine {:08x}, reference {:08x}\n{}", level, got.mode, want.mode, inputs(d, before, 0));
  if (t.arena)
    for (size_t n = 0; n < arena_want.size(); n += 4) {
      uint32_t w, g, b;
      std::memcpy(&w, arena_want.data() + n, 4), std::memcpy(&g, arena_.data() + n, 4), std::memcpy(&b, arena_before.data() + n, 4);
      if (w != g && more())
        text += fmt::format("  {}: memory at middle {:+}: engine {:08x}, reference {:08x}, before {:08x}\n{}", level, static_cast<int64_t>(n) - static_cast<int64_t>(Arena::kMiddle), g, w,
                            b, shown == 1 ? inputs(d, before, 0) : "");
    }
  if (t.lds)
    for (size_t n = 0; n + 4 <= want.lds.size(); n += 4) {
      uint32_t w, g, b;
      std::memcpy(&w, want.lds.data() + n, 4), std::memcpy(&g, got.lds.data() + n, 4), std::memcpy(&b, before.lds.data() + n, 4);
      if (w != g && more())
        text += fmt::format("  {}: lds at {}: engine {:08x}, reference {:08x}, before {:08x}\n{}", level, n, g, w, b, shown == 1 ? inputs(d, before, 0) : "");
    }
  if (t.scratch)
    for (size_t n = 0; n < want.scratch.size(); ++n)
      if (want.scratch[n] != got.scratch[n] && more())
        text += fmt::format("  {}: scratch dword {} of lane {}: engine {:08x}, reference {:08x}\n{}", level, n / 64, n % 64, got.scratch[n], want.scratch[n],
                            shown == 1 ? inputs(d, before, static_cast<int>(n % 64)) : "");
  if (shown > 6) text += fmt::format("  ... {} differences in all\n", shown);
  return text;
}

} // namespace bz::exec::judge
