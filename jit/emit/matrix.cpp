// Matrix multiply-accumulate: sums stay in the wave block (flow/webs.hpp), factors are copied when the instruction comes, and the
// products are made some time later, many at once, by the host's functions (exec/native/abi.hpp, MatrixProgram): before anybody
// looks at a sum, and at the end of a block.
#include "jit/emit/function.hpp"
#include "jit/flow/webs.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <cstddef>

namespace bz::jit {

using exec::MatrixFactor;
using exec::MatrixSum;
using isa::Num;
using isa::Operand;

namespace {

/// Of copied and converted factors: what a first-level cache holds beside the tiles themselves.
constexpr unsigned kMostRowBytes = 24 * 1024;

MatrixFactor factor_of(Num n) {
  switch (n) {
  case Num::bf16: return MatrixFactor::bf16;
  case Num::f16: return MatrixFactor::f16;
  case Num::i8: return MatrixFactor::i8;
  default: return MatrixFactor::f32;
  }
}
uint32_t home_of(Reg r) { return static_cast<uint32_t>(exec::layout::vgpr(r - kVgpr0)); }

} // namespace

/// Where the factor's elements will lie for the products. Copies its registers, unless that has been done.
uint32_t FunctionEmitter::MatrixQueue::converted(uint32_t raw, MatrixImm m) {
  const auto side = static_cast<uint32_t>(m.tile.m), depth = static_cast<uint32_t>(m.tile.k), blocks = static_cast<uint32_t>(m.tile.blocks);
  if (m.a == Num::f32 && blocks == 1) return raw;   // as it is
  const std::array<uint32_t, 5> key{static_cast<uint32_t>(factor_of(m.a)), side, depth, blocks, raw};
  if (auto it = conversions.find(key); it != conversions.end()) return it->second;
  const uint32_t to = bytes;
  bytes += 4 * side * blocks * (m.a == Num::i8 ? depth / 2 : depth);
  return conversions[key] = to;
}

uint32_t FunctionEmitter::matrix_rows(const Operand& o) {
  std::vector<llvm::Value*> key;
  std::vector<llvm::Value*> rows;
  const Reg first = reg_of(o, unit_.accum_offset);
  for (unsigned k = 0; k < o.dwords; ++k)
    for (unsigned q = 0; q < kChunks; ++q) {
      const Value v = regs_->read32(static_cast<Reg>(first + k), q);
      // A base stands for a vector with the same pattern only if it is uniform.
      const bool uniform = v.uniform();
      if (!uniform) rows.push_back(values_.lanes(v));
      key.push_back(uniform ? v.base : rows.back());
      if (uniform) rows.push_back(nullptr);
    }
  if (auto it = queue_.copies.find(key); it != queue_.copies.end()) return it->second;
  const uint32_t at = queue_.bytes;
  for (size_t n = 0; n < rows.size(); ++n) {
    auto* v = rows[n] ? rows[n] : ir_.CreateVectorSplat(kLanes, key[n]);
    ir_.CreateAlignedStore(v, ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), matrix_rows_, at + 64 * n), llvm::Align(64));
  }
  queue_.bytes += static_cast<uint32_t>(64 * rows.size());
  return queue_.copies[key] = at;
}

void FunctionEmitter::matrix(const Instruction& x) {
  const auto m = queued_matrix(x, request_);
  if (!m) return outcall(x);
  const isa::Inst& i = x.lifted.inst;
  const Operand *left = source_of(i, 0), *right = source_of(i, 1), *acc = source_of(i, 2), *d = dest_of(i);
  const Reg sum = reg_of(*d, unit_.accum_offset);
  const unsigned dwords = d->dwords;
  auto range = [&](const Operand& o) {
    RegSet r;
    if (o.is_reg())
      for (unsigned k = 0; k < o.dwords; ++k) r.set(reg_of(o, unit_.accum_offset) + k);
    return r;
  };
  if (!matrix_rows_) {
    llvm::IRBuilder<> top(&function_->getEntryBlock(), function_->getEntryBlock().begin());
    auto* room = top.CreateAlloca(llvm::ArrayType::get(top.getInt8Ty(), kMostRowBytes));
    room->setAlignment(llvm::Align(64));
    matrix_rows_ = room;
  }
  const bool in_place = acc->is_reg() && reg_of(*acc, unit_.accum_offset) == sum && acc->dwords == dwords;
  auto known = std::find_if(queue_.sums.begin(), queue_.sums.end(), [&](const MatrixQueue::Sum& s) { return s.first == sum && s.dwords == dwords; });
  RegSet busy = queue_.busy;
  if (known != queue_.sums.end() && in_place && known->shape == m->pack()) busy &= ~range(*d);
  const auto most = static_cast<unsigned>(256 * 2 * (left->dwords + right->dwords) * 4);   // copied, and converted from bytes or halves
  if ((busy & (range(*left) | range(*right) | range(*acc) | range(*d))).any() || queue_.bytes + most > kMostRowBytes) flush_matrix(), known = queue_.sums.end();
  // Factors and the sum to begin with are read before the sum is written over them.
  std::vector<Value> start;
  for (unsigned k = 0; k < dwords && !in_place; ++k)
    for (unsigned q = 0; q < kChunks; ++q)
      start.push_back(acc->is_reg() ? regs_->read32(static_cast<Reg>(reg_of(*acc, unit_.accum_offset) + k), q) : values_.constant(Kind::u32, acc->value & 0xffffffff));
  const uint32_t l = matrix_rows(*left), r = matrix_rows(*right);
  for (unsigned n = 0; n < start.size(); ++n) regs_->write32(static_cast<Reg>(sum + n / kChunks), n % kChunks, start[n]);
  if (known == queue_.sums.end()) known = queue_.sums.insert(queue_.sums.end(), {sum, dwords, m->pack(), {}});
  known->links.push_back({queue_.converted(l, *m), queue_.converted(r, *m)});
  queue_.busy |= range(*d);
}

/// The products that are due. Sums with the same first factors go two by two.
void FunctionEmitter::flush_matrix() {
  if (queue_.sums.empty()) return;
  std::vector<uint32_t> program{static_cast<uint32_t>(queue_.conversions.size()), 0};
  for (auto& [key, to] : queue_.conversions) program.insert(program.end(), {key[0], key[1], key[2], key[3], key[4], to});
  std::vector<bool> done(queue_.sums.size());
  for (size_t a = 0; a < queue_.sums.size(); ++a) {
    if (done[a]) continue;
    const auto& x = queue_.sums[a];
    const auto m = MatrixImm::of(x.shape);
    const bool integers = m.acc == Num::i32;
    const auto side = static_cast<uint32_t>(m.tile.m), blocks = static_cast<uint32_t>(m.tile.blocks);
    const auto steps = static_cast<uint32_t>(m.tile.k) / (m.a == Num::i8 ? 2 : 1);
    const MatrixQueue::Sum* partner = nullptr;
    for (size_t b = a + 1; b < queue_.sums.size() && side == 16 && !partner; ++b) {
      const auto& y = queue_.sums[b];
      if (done[b] || y.shape != x.shape || y.links.size() != x.links.size()) continue;
      if (!std::equal(x.links.begin(), x.links.end(), y.links.begin(), [](auto& p, auto& q) { return p.left == q.left; })) continue;
      partner = &y;
      done[b] = true;
    }
    for (uint32_t block = 0; block < blocks; ++block) {
      const uint32_t sum = 256 * (side == 16 ? 4 : 16) * block, factor = 4 * side * steps * block;
      ++program[1];
      program.insert(program.end(), {static_cast<uint32_t>(integers ? MatrixSum::i32 : MatrixSum::f32), side, steps, static_cast<uint32_t>(x.links.size()),
                                     home_of(x.first) + sum, partner ? home_of(partner->first) + sum : 0});
      for (size_t k = 0; k < x.links.size(); ++k)
        program.insert(program.end(), {x.links[k].left + factor, x.links[k].right + factor, partner ? partner->links[k].right + factor : 0});
    }
  }
  queue_ = {};
  auto* words = llvm::ConstantDataArray::get(module_.getContext(), program);
  auto* table = new llvm::GlobalVariable(module_, words->getType(), true, llvm::GlobalValue::PrivateLinkage, words, "products");
  table->setAlignment(llvm::Align(4));
  auto* pointer = llvm::PointerType::get(module_.getContext(), 0);
  auto* f = ir_.CreateLoad(pointer, ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), helpers_, offsetof(exec::NativeHelpers, matrix)));
  ir_.CreateCall(llvm::FunctionType::get(ir_.getVoidTy(), {pointer, pointer, pointer}, false), f, {wave_, matrix_rows_, table});
}

} // namespace bz::jit
