#include "jit/flow/webs.hpp"

#include <numeric>

namespace bz::jit {
namespace {

using isa::Num;

bool halves(Num n) { return n == Num::f16 || n == Num::bf16; }

/// Sets that are joined.
struct Forest {
  std::vector<uint32_t> parent;
  std::vector<bool> resident;
  uint32_t make() {
    parent.push_back(static_cast<uint32_t>(parent.size()));
    resident.push_back(false);
    return parent.back();
  }
  uint32_t root(uint32_t x) {
    while (parent[x] != x) x = parent[x] = parent[parent[x]];
    return x;
  }
  void join(uint32_t x, uint32_t y) {
    x = root(x), y = root(y);
    parent[y] = x;
    resident[x] = resident[x] || resident[y];
  }
};

/// One register's webs over the whole unit.
void webs_of(Unit& u, Reg r, const std::vector<bool>& matrix) {
  Forest f;
  for (size_t b = 0; b < u.blocks.size(); ++b) f.make();   // what the register holds when the block begins
  std::vector<uint32_t> out(u.blocks.size());
  struct Write { uint32_t instruction, node; };
  std::vector<Write> writes;
  for (uint32_t b = 0; b < u.blocks.size(); ++b) {
    uint32_t now = b;
    for (uint32_t k = 0; k < u.blocks[b].count; ++k) {
      const uint32_t at = u.blocks[b].first + k;
      const Instruction& x = u.instructions[at];
      if (matrix[at] && r >= kVgpr0) {
        // The sum that it takes and the one that it gives; factors are read where they are.
        auto in = [&](const isa::Operand* o) {
          const Reg first = o ? reg_of(*o, u.accum_offset) : static_cast<Reg>(kRegs);
          return first < kRegs && r >= first && r < first + o->dwords;
        };
        const bool takes = in(source_of(x.lifted.inst, 2)), gives = in(dest_of(x.lifted.inst));
        if (takes) f.resident[f.root(now)] = true;
        if (gives) {
          if (!takes) now = f.make();
          f.resident[f.root(now)] = true;
          writes.push_back({at, now});
        }
        continue;
      }
      if (!x.all_registers && !x.writes.test(r)) continue;
      if (!x.all_registers && !x.keeps_rest && !x.keep.test(r)) now = f.make();
      writes.push_back({at, now});
    }
    out[b] = now;
  }
  auto join = [&](uint32_t from, uint32_t to) {
    if (to != Block::kNone && u.blocks[to].live_in.test(r)) f.join(to, out[from]);
  };
  for (uint32_t b = 0; b < u.blocks.size(); ++b) {
    const Block& x = u.blocks[b];
    if (x.end == Block::End::branches || x.end == Block::End::condition) join(b, x.taken);
    if (x.end == Block::End::falls || x.end == Block::End::condition) join(b, x.next);
  }
  for (uint32_t b = 0; b < u.blocks.size(); ++b)
    if (f.resident[f.root(b)]) u.blocks[b].resident_in.set(r);
  for (const Write& w : writes)
    if (f.resident[f.root(w.node)]) u.instructions[w.instruction].resident_writes.set(r);
}

} // namespace

std::optional<MatrixImm> queued_matrix(const Instruction& x, const exec::NativeRequest& request) {
  const Node* node = nullptr;
  for (const Node& n : x.lifted.nodes)
    if (n.prim == Prim::mfma) node = &n;
  if (!node || x.outcall || !optimises(request, "matrix")) return std::nullopt;
  const auto m = MatrixImm::of(node->imm);
  const isa::Inst& i = x.lifted.inst;
  if (i.cbsz || i.abid || i.blgp || (m.tile.m != 16 && m.tile.m != 32) || m.a != m.b) return std::nullopt;
  const bool floats = m.acc == Num::f32 && (m.a == Num::f32 || halves(m.a));
  if (!floats && !(m.acc == Num::i32 && m.a == Num::i8)) return std::nullopt;
  // MI200 flushes what comes of halves; another rounding than to nearest is not the matrix unit's.
  if (request.target == isa::Target::gfx90a && halves(m.a)) return std::nullopt;
  if (request.mode & exec::mode::kRound32) return std::nullopt;
  const isa::Operand *a = source_of(i, 0), *b = source_of(i, 1);
  if (!a || !b || !a->is_reg() || !b->is_reg()) return std::nullopt;
  return m;
}

void find_webs(Unit& unit, const exec::NativeRequest& request) {
  std::vector<bool> matrix(unit.instructions.size());
  RegSet sums;
  for (size_t k = 0; k < matrix.size(); ++k) {
    const Instruction& x = unit.instructions[k];
    if (!queued_matrix(x, request)) continue;
    matrix[k] = true;
    for (const isa::Operand* o : {source_of(x.lifted.inst, 2), dest_of(x.lifted.inst)}) {
      const Reg first = reg_of(*o, unit.accum_offset);
      for (Reg r = first; r < kRegs && r < first + o->dwords; ++r) sums.set(r);
    }
  }
  for (Reg r = kVgpr0; r < kRegs; ++r)
    if (sums.test(r)) webs_of(unit, r, matrix);
  unit.resident = sums;
}

} // namespace bz::jit
