#include "jit/flow/unit.hpp"
#include "jit/flow/webs.hpp"

#include "isa/decode.hpp"

#include <algorithm>
#include <map>
#include <set>

namespace bz::jit {
namespace {

using isa::Field;
using isa::Inst;
using isa::Operand;

constexpr size_t kMostInstructions = 100'000;

const isa::OperandSpec* spec_of(const Inst& i, Field f) {
  const auto& operands = isa::row_meta(i.row).operands;
  for (int k = 0; k < operands.count; ++k)
    if (operands.spec[static_cast<size_t>(k)].field == f) return &operands.spec[static_cast<size_t>(k)];
  return nullptr;
}
bool is_mask(const Inst& i, const Operand& o) {
  auto* s = spec_of(i, o.field);
  return s && s->mask;
}

// ---------------------------------------------------------------- what one instruction reads and writes

struct Effects {
  Instruction& x;
  uint32_t accum;

  void add(RegSet& set, Reg r, unsigned n) {
    if (r >= kRegs) return;
    for (unsigned i = 0; i < n && r + i < kRegs; ++i) set.set(r + i);
  }
  void read(const Operand* o, unsigned n) {
    if (!o) return;
    add(x.reads, reg_of(*o, accum), n);
    if (o->kind == Operand::Kind::special) {
      if (o->number == 251) add(x.reads, kVcc, 2);
      if (o->number == 252) add(x.reads, kExec, 2);
      if (o->number == 253) add(x.reads, kScc, 1);
    }
  }
  void write(const Operand* o, unsigned n) { if (o) add(x.writes, reg_of(*o, accum), n); }
  void read_at(Field f, unsigned n) { read(operand_at(x.lifted.inst, f), n); }

  void whole_operands() {
    const Inst& i = x.lifted.inst;
    for (int k = 0; k < i.operand_count; ++k) {
      const Operand& o = i.operands[static_cast<size_t>(k)];
      const unsigned n = std::max<unsigned>(1, o.dwords);
      read(&o, n);
      if (o.is_dst) write(&o, n);
      auto* s = spec_of(i, o.field);
      if (s && s->read_write) write(&o, n);
    }
  }
  void flags() {
    const isa::Flags f = isa::row_meta(x.lifted.inst.row).flags;
    if (has(f, isa::ReadsScc)) add(x.reads, kScc, 1);
    if (has(f, isa::WritesScc)) add(x.writes, kScc, 1);
    if (has(f, isa::ReadsVcc)) add(x.reads, kVcc, 2);
    if (has(f, isa::WritesVcc)) add(x.writes, kVcc, 2);
    if (has(f, isa::ReadsM0 | isa::LdsOnly) || x.lifted.inst.lds) add(x.reads, kM0, 1);   // M0: where data go in LDS
    if (has(f, isa::WritesM0)) add(x.writes, kM0, 1);
    if (has(f, isa::ReadsExec)) add(x.reads, kExec, 2);
    if (has(f, isa::WritesExec)) add(x.writes, kExec, 2);
  }
  void memory_address(isa::Space space) {
    const Inst& i = x.lifted.inst;
    switch (space) {
    case isa::Space::lds: read_at(Field::addr, 1); break;
    case isa::Space::buffer:
      read_at(Field::vaddr, (i.offen ? 1u : 0u) + (i.idxen ? 1u : 0u));
      read_at(Field::srsrc, 4);
      read_at(Field::soffset, 1);
      break;
    default: {
      auto* saddr = operand_at(i, Field::saddr);
      const bool scalar = saddr && saddr->kind == Operand::Kind::sgpr;
      auto* a = operand_at(i, Field::vaddr) ? operand_at(i, Field::vaddr) : operand_at(i, Field::addr);
      read(a, space == isa::Space::scratch || (space == isa::Space::global && scalar) ? 1 : 2);
      if (scalar) read(saddr, space == isa::Space::scratch ? 1 : 2);
    }
    }
  }
  const Operand* data() {
    const Inst& i = x.lifted.inst;
    for (Field f : {Field::data, Field::data0, Field::vdata})
      if (auto* o = operand_at(i, f)) return o;
    return nullptr;
  }
  const Operand* loaded() {
    auto* o = operand_at(x.lifted.inst, Field::vdst);
    return o ? o : operand_at(x.lifted.inst, Field::vdata);
  }

  void node(const Node& n) {
    const Inst& i = x.lifted.inst;
    const unsigned width = n.kind == Kind::u64 ? 2 : 1;
    switch (n.prim) {
    case Prim::dpp_src: x.other_lanes = true; [[fallthrough]];
    case Prim::src: {
      auto* o = source_of(i, static_cast<int>(n.imm & 255));
      const unsigned dword = static_cast<unsigned>(n.imm >> 8);
      if (!o) break;
      if (Reg r = reg_of(*o, accum); r < kRegs) add(x.reads, static_cast<Reg>(r + dword), width);
      else read(o, 1);
      break;
    }
    case Prim::old: {
      auto* o = dest_of(i);
      if (o) add(x.reads, static_cast<Reg>(reg_of(*o, accum) + n.imm), width);
      break;
    }
    case Prim::put: {
      auto* o = dest_of(i);
      const unsigned w = x.lifted.nodes[n.arg[0]].kind == Kind::u64 || x.lifted.nodes[n.arg[0]].kind == Kind::f64 ? 2 : 1;
      if (o) add(x.writes, static_cast<Reg>(reg_of(*o, accum) + n.imm), w);
      break;
    }
    case Prim::put_src: write(source_of(i, static_cast<int>(n.imm)), 1); break;
    case Prim::lanes_in: {
      uint64_t value;
      add(x.reads, mask_source(i, value), 2);
      break;
    }
    case Prim::lanes_out_exec: add(x.writes, kExec, 2); [[fallthrough]];
    case Prim::lanes_out: add(x.writes, mask_dest(i), 2); break;
    case Prim::scc: add(x.reads, kScc, 1); break;
    case Prim::set_scc: add(x.writes, kScc, 1); break;
    case Prim::exec: add(x.reads, kExec, 2); break;
    case Prim::set_exec: add(x.writes, kExec, 2); break;
    case Prim::vcc: add(x.reads, kVcc, 2); break;
    case Prim::m0: add(x.reads, kM0, 1); break;
    case Prim::set_m0: add(x.writes, kM0, 1); break;
    case Prim::read_lane: read(source_of(i, static_cast<int>(n.imm)), 1), x.other_lanes = true; break;
    case Prim::first_active: add(x.reads, kExec, 2); break;
    case Prim::write_lane:
      read(dest_of(i), 1), write(dest_of(i), 1);
      x.other_lanes = x.keeps_rest = x.ignores_exec = true;
      break;
    case Prim::s_load: case Prim::s_buffer_load: {
      read_at(Field::sbase, n.prim == Prim::s_load ? 2 : 4);
      auto* off = operand_at(i, Field::smem_offset);
      if (off && off->kind == Operand::Kind::sgpr) read(off, 1);
      write(operand_at(i, Field::sdata), static_cast<unsigned>(n.imm));
      break;
    }
    case Prim::load: {
      const auto m = MemoryImm::of(n.imm);
      memory_address(m.space);
      const bool merges = m.elem >= isa::Elem::u8_d16 && m.elem <= isa::Elem::i8_d16_hi;
      const bool merges16 = m.elem == isa::Elem::u16_d16 || m.elem == isa::Elem::u16_d16_hi;
      if (merges || merges16) read(loaded(), 1);
      write(loaded(), m.dwords);
      break;
    }
    case Prim::store: {
      const auto m = MemoryImm::of(n.imm);
      memory_address(m.space);
      read(data(), m.dwords);
      break;
    }
    case Prim::atomic: {
      const auto m = AtomicImm::of(n.imm);
      memory_address(m.space);
      const bool wide = m.type == isa::AtomicType::b64 || m.type == isa::AtomicType::f64;
      const bool two = m.op == isa::AtomicOp::cmpswap || m.op == isa::AtomicOp::fcmpswap || m.op == isa::AtomicOp::mskor || m.op == isa::AtomicOp::wrap;
      const unsigned w = wide ? 2 : 1;
      read(data(), two && m.space != isa::Space::lds ? 2 * w : w);
      if (two && m.space == isa::Space::lds) read_at(Field::data1, w);
      if (m.returns == isa::Return::yes || (m.returns == isa::Return::by_bit && i.glc)) write(loaded(), w);
      break;
    }
    case Prim::ds_read2:
      read_at(Field::addr, 1);
      write(operand_at(i, Field::vdst), 2 * static_cast<unsigned>(n.imm & 255));
      break;
    case Prim::ds_write2:
      read_at(Field::addr, 1);
      read_at(Field::data0, static_cast<unsigned>(n.imm & 255));
      read_at(Field::data1, static_cast<unsigned>(n.imm & 255));
      break;
    case Prim::ds_bpermute: case Prim::ds_permute: case Prim::ds_swizzle:
      read_at(Field::addr, 1);
      read_at(Field::data0, 1);
      write(operand_at(i, Field::vdst), 1);
      x.other_lanes = true;
      break;
    case Prim::mfma:
      whole_operands();
      x.other_lanes = x.ignores_exec = true;
      break;
    case Prim::other:
      x.outcall = x.other_lanes = true;
      whole_operands();
      flags();
      break;
    default: break;
    }
  }
};

// ---------------------------------------------------------------- MODE

bool has_wide_floats(const Instruction& x) {
  for (const Node& n : x.lifted.nodes) {
    if (n.kind == Kind::f64 || n.kind == Kind::f16 || n.prim == Prim::mfma || n.prim == Prim::dot2) return true;
    if (n.prim == Prim::atomic) {
      const auto m = AtomicImm::of(n.imm);
      if (m.type != isa::AtomicType::b32 && m.type != isa::AtomicType::b64) return true;
    }
    for (int k = 0; k < n.args; ++k) {
      const Kind kind = x.lifted.nodes[n.arg[static_cast<size_t>(k)]].kind;
      if (kind == Kind::f64 || kind == Kind::f16) return true;
    }
  }
  return false;
}
/// Rows that MODE.VSKIP does not skip, nor MODE.GPR_IDX_EN index.
bool is_scalar_row(const Inst& i) { return (i.format & (isa::SOP1 | isa::SOP2 | isa::SOPK | isa::SOPC | isa::SOPP | isa::SMEM)) != 0; }

/// The change of EXEC, from the primitives that write it.
ExecChange exec_change(const Instruction& x, uint32_t accum) {
  const auto& nodes = x.lifted.nodes;
  auto is_exec = [&](NodeId id) {
    const Node& n = nodes[id];
    if (n.prim == Prim::exec) return true;
    if (n.prim != Prim::src) return false;
    auto* o = source_of(x.lifted.inst, static_cast<int>(n.imm & 255));
    return o && reg_of(*o, accum) == kExec && n.kind == Kind::u64;
  };
  auto of_value = [&](NodeId id) {
    const Node& n = nodes[id];
    if (n.prim == Prim::and_ && (is_exec(n.arg[0]) || is_exec(n.arg[1]))) return ExecChange::shrinks;
    if (n.prim == Prim::or_ && (is_exec(n.arg[0]) || is_exec(n.arg[1]))) return ExecChange::grows;
    if (n.prim == Prim::src) {
      auto* o = source_of(x.lifted.inst, static_cast<int>(n.imm & 255));
      if (o && o->is_const() && o->value == ~uint64_t{0}) return ExecChange::full;
    }
    return ExecChange::unknown;
  };
  ExecChange r = ExecChange::none;
  for (const Node& n : nodes) {
    if (n.prim == Prim::lanes_out_exec) r = ExecChange::shrinks;
    if (n.prim == Prim::set_exec) r = of_value(n.arg[0]);
    if (n.prim == Prim::put) {
      auto* o = dest_of(x.lifted.inst);
      if (!o) continue;
      const Reg d = reg_of(*o, accum);
      if (d == kExec || d == kExec + 1) r = nodes[n.arg[0]].kind == Kind::u64 ? of_value(n.arg[0]) : ExecChange::unknown;
    }
  }
  if (r == ExecChange::none && (x.writes.test(kExec) || x.writes.test(kExec + 1))) r = ExecChange::unknown;
  return r;
}

// ---------------------------------------------------------------- scanning

struct Scan {
  const exec::NativeRequest& request;
  Unit& unit;
  std::map<uint64_t, Instruction> at;      ///< by address
  std::set<uint64_t> leaders;
  std::map<uint64_t, uint64_t> holes;      ///< addresses that can't be read or decoded
  std::vector<uint64_t> work;

  bool inside(uint64_t pc) const { return pc >= request.begin && pc % 4 == 0 && pc < request.begin + 4 * request.dwords; }
  void lead(uint64_t pc) {
    if (leaders.insert(pc).second) work.push_back(pc);
  }

  Status run() {
    for (uint64_t pc : request.entries) {
      if (!inside(pc)) return error(Code::invalid_argument, "entry 0x{:x} lies outside the code", pc);
      unit.entry_pcs.push_back(pc);
      lead(pc);
    }
    while (!work.empty()) {
      uint64_t pc = work.back();
      work.pop_back();
      BZ_TRY(straight(pc));
    }
    return {};
  }

  Status straight(uint64_t pc) {
    const bool all_indexed = request.mode & exec::mode::kGprIndex, skips = request.mode & exec::mode::kVskip;
    bool indexed = false;
    uint64_t last = 0;
    while (!at.count(pc)) {
      if (!inside(pc)) return {};
      if (at.size() >= kMostInstructions) return error(Code::unsupported, "more than {} instructions", kMostInstructions);
      const size_t word = (pc - request.begin) / 4;
      auto inst = isa::decode(request.target, request.words + word, request.dwords - word);
      if (!inst || !inst->legal) return {};   // a block that ends before it hands over to the interpreter
      Instruction x;
      x.lifted = lift(request.target, *inst, pc);
      if (!x.lifted.implemented) return {};
      if (isa::row_meta(inst->row).name == std::string_view("s_icache_inv")) return {};   // what follows may have been rewritten
      Effects e{x, unit.accum_offset};
      for (const Node& n : x.lifted.nodes) e.node(n);
      if (inst->form == isa::Form::dpp) e.read(dest_of(*inst), dest_of(*inst) ? dest_of(*inst)->dwords : 0);   // lanes without a source keep theirs
      const std::string_view name = isa::row_meta(inst->row).name;
      if (name == "s_set_gpr_idx_on" && !all_indexed) indexed = true;
      if (indexed && std::any_of(x.lifted.nodes.begin(), x.lifted.nodes.end(), [](const Node& n) { return is_control(n.prim); })) {
        at.at(last).leaves = true;   // MODE says by now that operands are indexed, wherever it goes
        return {};
      }
      // Operands of vector rows depend on M0, or it depends on MODE whether they are executed.
      if (indexed || ((all_indexed || skips) && !is_scalar_row(*inst))) x.outcall = x.all_registers = x.other_lanes = true;
      if (splits(request.mode) && has_wide_floats(x)) x.outcall = true;
      if (name == "s_set_gpr_idx_off") indexed = false, x.leaves = all_indexed;
      if (name == "s_setvskip") x.leaves = true;
      if (name.starts_with("s_movrel") || name == "s_cbranch_g_fork" || name == "s_cbranch_i_fork" || name == "s_cbranch_join") {
        if (name[2] == 'c') return {};
        x.outcall = x.all_registers = true;
      }
      x.exec = exec_change(x, unit.accum_offset);
      const uint64_t next = x.next();
      if (indexed && flow_of(x).kind != Flow::straight) x.leaves = true;
      Flow flow = flow_of(x);
      const bool other_mode = x.leaves && (indexed || all_indexed);
      at.emplace(pc, std::move(x));
      last = pc;
      switch (flow.kind) {
      case Flow::straight: break;
      case Flow::split: lead(next); return {};
      case Flow::branch: lead(flow.target); return {};
      case Flow::condition: lead(flow.target), lead(next); return {};
      case Flow::call:
        if (inside(next) && !other_mode) {
          if (std::find(unit.entry_pcs.begin(), unit.entry_pcs.end(), next) == unit.entry_pcs.end()) unit.entry_pcs.push_back(next);
          lead(next);
        }
        return {};
      case Flow::stop: return {};
      }
      pc = next;
    }
    // Code that was reached by another way goes on: a block begins there.
    if (indexed) at.at(last).leaves = true;
    else leaders.insert(pc);
    return {};
  }

  static bool is_control(Prim p) { return p >= Prim::branch && p <= Prim::set_mode && p != Prim::sleep; }
  struct Flow { enum { straight, split, branch, condition, call, stop } kind = straight; uint64_t target = 0; };
  static Flow flow_of(const Instruction& x) {
    if (x.leaves) return {Flow::call, 0};
    const isa::Flags f = isa::row_meta(x.lifted.inst.row).flags;
    for (const Node& n : x.lifted.nodes) {
      switch (n.prim) {
      case Prim::branch: return {Flow::branch, x.lifted.inst.branch_target(x.lifted.pc)};
      case Prim::branch_if: return {Flow::condition, x.lifted.inst.branch_target(x.lifted.pc)};
      case Prim::jump: return {has(f, isa::Call) ? Flow::call : Flow::stop, 0};
      case Prim::set_mode: return {Flow::call, 0};    // goes on at the next instruction, as another unit or this one's entry
      case Prim::end_program: case Prim::trap: case Prim::halt: return {Flow::stop, 0};
      default: break;
      }
    }
    if (x.exec != ExecChange::none) return {Flow::split, 0};
    return {Flow::straight, 0};
  }

  void blocks() {
    std::map<uint64_t, uint32_t> block_at;
    for (auto it = at.begin(); it != at.end();) {
      Block b;
      b.first = static_cast<uint32_t>(unit.instructions.size());
      const uint64_t start = it->first;
      block_at[start] = static_cast<uint32_t>(unit.blocks.size());
      uint64_t next = start;
      Flow flow;
      do {
        flow = flow_of(it->second);
        next = it->second.next();
        unit.instructions.push_back(std::move(it->second));
        ++it;
        ++b.count;
      } while (flow.kind == Flow::straight && it != at.end() && it->first == next && !leaders.count(next));
      unit.blocks.push_back(b);
    }
    for (auto& b : unit.blocks) {
      const Instruction& last = unit.instructions[b.first + b.count - 1];
      const Flow flow = flow_of(last);
      auto to = [&](uint64_t pc) {
        auto i = block_at.find(pc);
        return i == block_at.end() ? Block::kNone : i->second;
      };
      const uint64_t next = last.next();
      switch (flow.kind) {
      case Flow::straight: case Flow::split:
        b.next = to(next);
        if (b.next == Block::kNone) b.end = Block::End::interprets, b.leaves_to = next;
        break;
      case Flow::branch: case Flow::condition:
        b.end = flow.kind == Flow::branch ? Block::End::branches : Block::End::condition;
        b.taken = to(flow.target);
        b.leaves_to = flow.target;
        b.back_edge = flow.target <= last.lifted.pc;
        if (flow.kind == Flow::condition) b.next = to(next);
        break;
      case Flow::call: b.end = Block::End::leaves, b.leaves_to = next; break;
      case Flow::stop: {
        b.end = Block::End::leaves;
        for (const Node& n : last.lifted.nodes) {
          if (n.prim == Prim::end_program) b.end = Block::End::ends;
          if (n.prim == Prim::trap || n.prim == Prim::halt) b.end = Block::End::interprets, b.leaves_to = last.lifted.pc;
        }
        break;
      }
      }
    }
    // Entries whose first word can't be compiled have no block.
    for (uint64_t pc : unit.entry_pcs) unit.entries.push_back(block_at.count(pc) ? block_at[pc] : Block::kNone);
  }
};

// ---------------------------------------------------------------- ways that are never gone

/// Finds out where all lanes are surely on. There, s_cbranch_execz and s_cbranch_execnz go one way. The other one would join what registers hold on
/// ways that have nothing to do with each other.
void prune(Unit& u, const exec::NativeRequest& request) {
  if (!request.kernel_start || !request.full_waves || u.entries.empty()) return;
  std::vector<std::vector<uint32_t>> after(u.blocks.size());
  for (uint32_t b = 0; b < u.blocks.size(); ++b) {
    const Block& x = u.blocks[b];
    if ((x.end == Block::End::branches || x.end == Block::End::condition) && x.taken != Block::kNone) after[b].push_back(x.taken);
    if ((x.end == Block::End::falls || x.end == Block::End::condition) && x.next != Block::kNone) after[b].push_back(x.next);
  }
  // Lanes may be off where an entry but the first leads, and behind instructions that turn them off.
  std::vector<bool> some(u.blocks.size());
  std::vector<uint32_t> work;
  auto may = [&](uint32_t b) {
    if (b != Block::kNone && !some[b]) some[b] = true, work.push_back(b);
  };
  for (size_t e = 1; e < u.entries.size(); ++e) may(u.entries[e]);
  auto change = [&](uint32_t b) { return u.instructions[u.blocks[b].first + u.blocks[b].count - 1].exec; };
  for (uint32_t b = 0; b < u.blocks.size(); ++b)
    if (change(b) == ExecChange::shrinks || change(b) == ExecChange::unknown)
      for (uint32_t to : after[b]) may(to);
  while (!work.empty()) {
    const uint32_t b = work.back();
    work.pop_back();
    if (change(b) != ExecChange::full)
      for (uint32_t to : after[b]) may(to);
  }
  for (uint32_t b = 0; b < u.blocks.size(); ++b) {
    Block& x = u.blocks[b];
    x.full = !some[b];
    if (some[b] || x.end != Block::End::condition) continue;
    const std::string_view name = isa::row_meta(u.instructions[x.first + x.count - 1].lifted.inst.row).name;
    if (name == "s_cbranch_execnz") x.end = Block::End::branches, x.next = Block::kNone;
    else if (name == "s_cbranch_execz") x.end = Block::End::falls, x.taken = Block::kNone, x.back_edge = false;
  }
}

// ---------------------------------------------------------------- liveness

/// Which registers are wanted: in lanes that are on, and in lanes that are off.
struct Wanted {
  RegSet on, off;
  bool operator==(const Wanted&) const = default;
  Wanted& operator|=(const Wanted& o) { on |= o.on, off |= o.off; return *this; }
};

const RegSet& scalars() {
  static const RegSet s = [] {
    RegSet x;
    for (unsigned r = 0; r < kVgpr0; ++r) x.set(r);
    return x;
  }();
  return s;
}

/// What is wanted before x, given what is wanted after it. Scalars stand in `on` only.
void before(const Instruction& x, const RegSet& used, Wanted& w) {
  switch (x.exec) {
  case ExecChange::none: break;
  case ExecChange::shrinks: w.on |= w.off; break;
  case ExecChange::grows: w.off |= w.on & ~scalars(); break;
  case ExecChange::full: w.off = w.on & ~scalars(); break;
  case ExecChange::unknown: w.on |= w.off, w.off |= w.on & ~scalars(); break;
  }
  if (x.all_registers) {
    w.on |= used;
    w.off |= used & ~scalars();
    return;
  }
  if (!x.keeps_rest) {
    w.on &= ~x.writes;
    if (x.ignores_exec) w.off &= ~x.writes;
  }
  w.on |= x.reads;
  if (x.other_lanes) w.off |= x.reads & ~scalars();
}

/// `dead`: nobody looks at registers of waves that have ended.
void liveness(Unit& u, bool dead) {
  std::vector<Wanted> in(u.blocks.size());
  auto at_end = [&](const Block& b) {
    Wanted w;
    auto everything = [&] { w.on |= u.used, w.off |= u.used & ~scalars(); };
    auto from = [&](uint32_t to) {
      if (to == Block::kNone) everything();
      else w |= in[to];
    };
    switch (b.end) {
    case Block::End::falls: from(b.next); break;
    case Block::End::branches: from(b.taken); break;
    case Block::End::condition: from(b.taken), from(b.next); break;
    case Block::End::ends:
      if (!dead) everything();
      break;
    case Block::End::leaves: case Block::End::interprets: everything(); break;
    }
    return w;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (size_t i = u.blocks.size(); i-- > 0;) {
      const Block& b = u.blocks[i];
      Wanted w = at_end(b);
      for (uint32_t k = b.count; k-- > 0;) before(u.instructions[b.first + k], u.used, w);
      if (!(w == in[i])) in[i] = w, changed = true;
    }
  }
  for (size_t i = 0; i < u.blocks.size(); ++i) {
    Block& b = u.blocks[i];
    b.live_in = in[i].on | in[i].off;
    Wanted w = at_end(b);
    for (uint32_t k = b.count; k-- > 0;) {
      Instruction& x = u.instructions[b.first + k];
      // What vector rows write is wanted in lanes that are off after EXEC has changed by them, if they change it.
      Wanted after = w;
      if (x.exec == ExecChange::shrinks || x.exec == ExecChange::unknown || x.exec == ExecChange::grows) after.off |= after.on & ~scalars();
      if (!b.full) x.keep = x.writes & after.off & ~scalars();
      // A load that nobody wants can still fault: it must not vanish.
      if (x.lifted.implemented && has(isa::row_meta(x.lifted.inst.row).flags, isa::Load) && x.writes.any() &&
          (x.writes & (after.on | after.off)).none())
        x.outcall = true;
      before(x, u.used, w);
    }
  }
}

} // namespace

Reg reg_of(const Operand& o, uint32_t accum_offset) {
  switch (o.kind) {
  case Operand::Kind::sgpr: return o.number < 128 ? o.number : static_cast<Reg>(kRegs);
  case Operand::Kind::vgpr: return vgpr(o.number & 511u);
  case Operand::Kind::agpr: return vgpr((o.number + accum_offset) & 511u);
  default: return kRegs;
  }
}
const Operand* source_of(const Inst& i, int k) {
  for (int n = 0; n < i.operand_count; ++n) {
    const Operand& o = i.operands[static_cast<size_t>(n)];
    if (o.is_dst || o.field == Field::label || o.kind == Operand::Kind::imm) continue;
    if (k-- == 0) return &o;
  }
  return nullptr;
}
const Operand* dest_of(const Inst& i) {
  for (int n = 0; n < i.operand_count; ++n) {
    const Operand& o = i.operands[static_cast<size_t>(n)];
    if (o.is_dst && !is_mask(i, o)) return &o;
  }
  return nullptr;
}
Reg mask_source(const Inst& i, uint64_t& value) {
  value = 0;
  for (int n = 0; n < i.operand_count; ++n) {
    const Operand& o = i.operands[static_cast<size_t>(n)];
    if (o.is_dst || !is_mask(i, o)) continue;
    if (o.is_const()) {
      value = o.value;
      return kRegs;
    }
    return reg_of(o, 0);
  }
  return kVcc;
}
Reg mask_dest(const Inst& i) {
  for (int n = 0; n < i.operand_count; ++n) {
    const Operand& o = i.operands[static_cast<size_t>(n)];
    if (o.is_dst && is_mask(i, o)) return reg_of(o, 0);
  }
  return kVcc;
}
const Operand* operand_at(const Inst& i, Field f) {
  for (int n = 0; n < i.operand_count; ++n)
    if (i.operands[static_cast<size_t>(n)].field == f) return &i.operands[static_cast<size_t>(n)];
  return nullptr;
}

bool splits(uint32_t mode) {
  namespace bits = exec::mode;
  return ((mode >> bits::kRound64Shift ^ mode) & 3) != 0 || ((mode >> bits::kDenorm64Shift ^ mode >> bits::kDenorm32Shift) & 3) != 0;
}
bool optimises(const exec::NativeRequest& request, std::string_view optimisation) {
  std::string_view off = request.off;
  while (!off.empty()) {
    const size_t comma = std::min(off.find(','), off.size());
    if (off.substr(0, comma) == optimisation) return false;
    off.remove_prefix(std::min(comma + 1, off.size()));
  }
  return true;
}

Expected<Unit> make_unit(const exec::NativeRequest& request) {
  Unit u;
  u.target = request.target;
  u.accum_offset = request.accum_offset;
  Scan scan{request, u, {}, {}, {}, {}};
  BZ_TRY(scan.run());
  scan.blocks();
  if (u.entries.empty()) return error(Code::invalid_argument, "code without an entry");
  for (auto& x : u.instructions) u.used |= x.reads | x.writes;
  u.used.reset(kExec), u.used.reset(kExec + 1);
  prune(u, request);
  liveness(u, optimises(request, "dead"));
  find_webs(u, request);
  return u;
}

} // namespace bz::jit
