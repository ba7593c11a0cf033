// Matrix multiply-accumulate: one function for each shape in a unit, on rows of registers in memory. Elements sit where
// docs/fidelity.md and the ISA manual's tables for MFMA say; sums are formed with k ascending, one rounding per step.
#include "jit/emit/function.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

namespace bz::jit {

using isa::Field;
using isa::Num;
using isa::Operand;

namespace {

unsigned bits_of(Num n) { return n == Num::f32 || n == Num::i32 ? 32 : n == Num::f16 || n == Num::bf16 ? 16 : 8; }

} // namespace

/// Whether the shape has a function here; the rest is the interpreter's.
bool FunctionEmitter::has_matrix(const Instruction& x, MatrixImm m) const {
  const isa::Inst& i = x.lifted.inst;
  if (i.cbsz || i.abid || i.blgp || (m.tile.m != 16 && m.tile.m != 32) || m.a != m.b) return false;
  const bool floats = m.acc == Num::f32 && (m.a == Num::f32 || m.a == Num::f16 || m.a == Num::bf16);
  if (!floats && !(m.acc == Num::i32 && m.a == Num::i8)) return false;
  // MI200 flushes what comes of halves; another rounding than to nearest is not the matrix unit's.
  if (request_.target == isa::Target::gfx90a && bits_of(m.a) == 16) return false;
  return (request_.mode & exec::mode::kRound32) == 0;
}

/// void f(rows of C and D, rows of A, rows of B): a row is 256 bytes.
llvm::Function* FunctionEmitter::matrix_function(MatrixImm m) {
  const uint64_t key = m.pack();
  const std::string name = "bz.mfma." + std::to_string(key);
  if (auto* known = module_.getFunction(name)) return known;
  auto& c = module_.getContext();
  auto* pointer = llvm::PointerType::get(c, 0);
  auto* f = llvm::Function::Create(llvm::FunctionType::get(llvm::Type::getVoidTy(c), {pointer, pointer, pointer}, false), llvm::GlobalValue::InternalLinkage, name, module_);
  f->setDoesNotThrow();
  f->addFnAttr(llvm::Attribute::NoInline);
  for (unsigned k = 0; k < 3; ++k) f->addParamAttr(k, llvm::Attribute::NoAlias);
  set_math_attributes(*f, traits_);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(c, "", f));
  const bool integers = m.acc == Num::i32;
  auto* element = integers ? static_cast<llvm::Type*>(b.getInt32Ty()) : b.getFloatTy();
  auto* vector = llvm::FixedVectorType::get(element, kLanes);
  auto* words = llvm::FixedVectorType::get(b.getInt32Ty(), kLanes);
  const unsigned side = static_cast<unsigned>(m.tile.m), depth = static_cast<unsigned>(m.tile.k), blocks = static_cast<unsigned>(m.tile.blocks);
  const unsigned bits = bits_of(m.a), per_lane = depth * side * blocks / 64, wide = side / kLanes;
  auto at = [&](llvm::Value* base, uint64_t offset) { return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, offset); };
  auto splat = [&](uint32_t v) { return b.CreateVectorSplat(kLanes, b.getInt32(v)); };

  // A and B as elements of the accumulator's type, k by k: 16 (or twice 16) of one k side by side.
  auto load = [&](llvm::Value* base, unsigned block, unsigned k, unsigned part) -> llvm::Value* {
    const unsigned group = block + blocks * (k / per_lane), i = k % per_lane;
    llvm::Value* x = b.CreateAlignedLoad(words, at(base, 256 * (i * bits / 32) + 64 * (group * wide + part)), llvm::Align(64));
    const unsigned shift = i * bits % 32;
    switch (m.a) {
    case Num::f32: return b.CreateBitCast(x, vector);
    case Num::bf16: return b.CreateBitCast(shift ? b.CreateAnd(x, splat(0xffff0000)) : b.CreateShl(x, 16), vector);
    case Num::f16: {
      x = b.CreateTrunc(b.CreateLShr(x, shift), llvm::FixedVectorType::get(b.getInt16Ty(), kLanes));
      return b.CreateFPExt(b.CreateBitCast(x, llvm::FixedVectorType::get(b.getHalfTy(), kLanes)), vector);
    }
    default: return b.CreateAShr(b.CreateShl(x, 24 - shift), 24);
    }
  };
  auto* table = b.CreateAlloca(llvm::ArrayType::get(element, side * depth));
  table->setAlignment(llvm::Align(64));
  for (unsigned block = 0; block < blocks; ++block) {
    std::vector<llvm::Value*> right;
    for (unsigned k = 0; k < depth; ++k)
      for (unsigned part = 0; part < wide; ++part) {
        b.CreateAlignedStore(load(f->getArg(1), block, k, part), at(table, 4 * (side * k + kLanes * part)), llvm::Align(64));
        right.push_back(load(f->getArg(2), block, k, part));
      }
    for (unsigned i = 0; i < side; ++i)
      for (unsigned part = 0; part < wide; ++part) {
        const unsigned reg = side == 16 ? 4 * block + i % 4 : 16 * block + 4 * (i / 8) + i % 4;
        const unsigned chunk = side == 16 ? i / 4 : 2 * (i / 4 % 2) + part;
        auto* place = at(f->getArg(0), 256 * reg + 64 * chunk);
        llvm::Value* sum = b.CreateAlignedLoad(vector, place, llvm::Align(64));
        for (unsigned k = 0; k < depth; ++k) {
          auto* left = b.CreateVectorSplat(kLanes, b.CreateLoad(element, at(table, 4 * (side * k + i))));
          auto* r = right[k * wide + part];
          sum = integers ? b.CreateAdd(sum, b.CreateMul(left, r)) : b.CreateIntrinsic(llvm::Intrinsic::fma, {vector}, {left, r, sum});
        }
        b.CreateAlignedStore(sum, place, llvm::Align(64));
      }
  }
  b.CreateRetVoid();
  return f;
}

void FunctionEmitter::matrix(const Instruction& x, MatrixImm m) {
  const isa::Inst& i = x.lifted.inst;
  if (!on("matrix") || !has_matrix(x, m)) return outcall(x);
  auto* f = matrix_function(m);
  const Operand *a = source_of(i, 0), *right = source_of(i, 1), *acc = source_of(i, 2), *d = dest_of(i);
  if (!a->is_reg() || !right->is_reg()) return outcall(x);
  if (!matrix_rows_) {
    // Room for the largest shape: 32 rows of sums, 4 of each factor.
    llvm::IRBuilder<> top(&function_->getEntryBlock(), function_->getEntryBlock().begin());
    auto* room = top.CreateAlloca(llvm::ArrayType::get(top.getInt32Ty(), 64 * 40));
    room->setAlignment(llvm::Align(64));
    matrix_rows_ = room;
  }
  auto row = [&](unsigned n, unsigned q) { return ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), matrix_rows_, 256 * n + 64 * q); };
  auto put_rows = [&](const Operand& o, unsigned first, unsigned rows) {
    for (unsigned k = 0; k < rows; ++k)
      for (unsigned q = 0; q < kChunks; ++q) {
        auto* v = o.is_reg() ? values_.lanes(regs_->read32(static_cast<Reg>(reg_of(o, unit_.accum_offset) + k), q)) : ir_.CreateVectorSplat(kLanes, ir_.getInt32(static_cast<uint32_t>(o.value)));
        ir_.CreateAlignedStore(v, row(first + k, q), llvm::Align(64));
      }
  };
  const unsigned rows = d->dwords;
  put_rows(*acc, 0, rows);
  put_rows(*a, 32, a->dwords);
  put_rows(*right, 36, right->dwords);
  ir_.CreateCall(f, {row(0, 0), row(32, 0), row(36, 0)});
  for (unsigned k = 0; k < rows; ++k)
    for (unsigned q = 0; q < kChunks; ++q)
      writes_.push_back({static_cast<Reg>(reg_of(*d, unit_.accum_offset) + k), q,
                         Values::vector(Kind::u32, ir_.CreateAlignedLoad(values_.vector_type(Kind::u32), row(k, q), llvm::Align(64)))});
}

} // namespace bz::jit
