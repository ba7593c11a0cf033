// Vector and scalar memory: where the lanes go decides how. Contiguous and uniform chunks are plain accesses; anything else is a
// gather or scatter. What can't be told when code is made (LDS bounds, apertures, wrapping address arithmetic) is one test for
// the wave, behind which the interpreter does the instruction.
#include "jit/emit/function.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/Support/KnownBits.h>

#include <algorithm>
#include <cstddef>

namespace bz::jit {

using exec::Wave;
using isa::Elem;
using isa::Field;
using isa::Operand;
using isa::Space;

namespace {

bool is_dword(Elem e) { return e == Elem::u32; }
unsigned elem_bytes(Elem e) {
  switch (e) {
  case Elem::u8: case Elem::i8: case Elem::u8_d16: case Elem::i8_d16: case Elem::u8_d16_hi: case Elem::i8_d16_hi: case Elem::u8_hi: return 1;
  case Elem::u32: return 4;
  default: return 2;
  }
}
bool elem_signed(Elem e) { return e == Elem::i8 || e == Elem::i16 || e == Elem::i8_d16 || e == Elem::i8_d16_hi; }
bool elem_merges(Elem e) { return e >= Elem::u8_d16 && e <= Elem::u16_d16_hi; }
bool elem_high(Elem e) { return e == Elem::u8_d16_hi || e == Elem::i8_d16_hi || e == Elem::u16_d16_hi || e == Elem::u8_hi || e == Elem::u16_hi; }

} // namespace

/// One memory instruction: one or two cells a lane.
struct FunctionEmitter::Access {
  Space space = Space::global;
  Elem elem = Elem::u32;
  unsigned dwords = 1;
  bool is_load = false;
  bool ordered = false;                    ///< with a scope bit: not merged or dropped
  unsigned cells = 1;
  std::array<int64_t, 2> offset{};         ///< bytes
  Reg address = kRegs;
  bool address64 = false;
  Reg scalar = kRegs;
  std::array<Reg, 2> data{kRegs, kRegs};   ///< of stores
  Reg dest = kRegs;
  unsigned bytes() const { return is_dword(elem) ? 4 * dwords : elem_bytes(elem); }
};

// ---------------------------------------------------------------- scalar

void FunctionEmitter::scalar_load(const Instruction& x, unsigned dwords) {
  const isa::Inst& i = x.lifted.inst;
  auto* base = ir_.CreateAnd(regs_->s64(reg_of(*operand_at(i, Field::sbase), 0)), ir_.getInt64(~uint64_t{3}));
  auto* at = ir_.CreateAdd(base, ir_.getInt64(static_cast<uint64_t>(int64_t{i.offset} & ~int64_t{3})));
  if (auto* o = operand_at(i, Field::smem_offset); o && o->kind == Operand::Kind::sgpr)
    at = ir_.CreateAdd(at, ir_.CreateZExt(ir_.CreateAnd(regs_->s32(reg_of(*o, 0)), ir_.getInt32(~3u)), ir_.getInt64Ty()));
  auto* p = ir_.CreateIntToPtr(at, llvm::PointerType::get(module_.getContext(), 0));
  const Reg d = reg_of(*operand_at(i, Field::sdata), 0);
  auto word = [&](unsigned k, unsigned bits) {
    auto* load = ir_.CreateAlignedLoad(ir_.getIntNTy(bits), ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), p, 4 * k), llvm::Align(4));
    return load;
  };
  if (dwords == 1) return regs_->set_s32(d, word(0, 32));
  // Pairs are addresses more often than not.
  struct Pair { llvm::Value *both, *low, *high; };
  std::vector<Pair> pairs;
  for (unsigned k = 0; k + 1 < dwords; k += 2) pairs.push_back({word(k, 64), word(k, 32), word(k + 1, 32)});
  for (unsigned k = 0; k < pairs.size(); ++k)
    regs_->write64(static_cast<Reg>(d + 2 * k), Registers::kScalar, Values::scalar(Kind::u64, pairs[k].both), Values::scalar(Kind::u32, pairs[k].low),
                   Values::scalar(Kind::u32, pairs[k].high));
}

void FunctionEmitter::scalar_buffer_load(const Instruction& x, unsigned) { outcall(x); }

// ---------------------------------------------------------------- what an instruction asks for

FunctionEmitter::Access FunctionEmitter::access_of(const Instruction& x, MemoryImm m, bool is_load) {
  const isa::Inst& i = x.lifted.inst;
  Access a;
  a.space = m.space;
  a.elem = m.elem;
  a.dwords = m.dwords;
  a.is_load = is_load;
  a.ordered = i.glc || i.scc;
  a.offset[0] = i.offset;
  auto reg = [&](Field f) {
    auto* o = operand_at(i, f);
    return o ? reg_of(*o, unit_.accum_offset) : static_cast<Reg>(kRegs);
  };
  auto* saddr = operand_at(i, Field::saddr);
  if (saddr && saddr->kind == Operand::Kind::sgpr) a.scalar = reg(Field::saddr);
  a.address = operand_at(i, Field::vaddr) ? reg(Field::vaddr) : reg(Field::addr);
  a.address64 = m.space == Space::flat || (m.space == Space::global && a.scalar == kRegs);
  if (is_load) a.dest = reg(Field::vdst);
  else a.data[0] = operand_at(i, Field::data) ? reg(Field::data) : reg(Field::data0);
  return a;
}

void FunctionEmitter::load(const Instruction& x, MemoryImm m) {
  if (m.space == Space::buffer) return outcall(x);
  transfer(x, access_of(x, m, true));
}
void FunctionEmitter::store(const Instruction& x, MemoryImm m) {
  if (m.space == Space::buffer) return outcall(x);
  transfer(x, access_of(x, m, false));
}
void FunctionEmitter::two_cells(const Instruction& x, unsigned dwords, unsigned stride, bool is_load) {
  const isa::Inst& i = x.lifted.inst;
  Access a = access_of(x, {Space::lds, Elem::u32, static_cast<uint8_t>(dwords)}, is_load);
  a.cells = 2;
  a.offset = {int64_t{i.offset0} * stride, int64_t{i.offset1} * stride};
  if (!is_load) a.data[1] = reg_of(*operand_at(i, Field::data1), unit_.accum_offset);
  transfer(x, a);
}

// ---------------------------------------------------------------- addresses

/// Bytes without the offset: 64 bits for global and flat memory, 32 for LDS and private memory.
Value FunctionEmitter::chunk_address(const Access& a, unsigned chunk) {
  if (a.space == Space::lds) return regs_->read32(a.address, chunk);
  if (a.space == Space::scratch) {
    Value v = a.address < kRegs ? regs_->read32(a.address, chunk) : values_.constant(Kind::u32, 0);
    if (a.scalar < kRegs) v = values_.op(Prim::add, Kind::u32, {v, regs_->read32(a.scalar, Registers::kScalar)});
    return v;
  }
  if (a.address64) return regs_->read64(a.address, chunk);
  Value v = values_.op(Prim::zext64, Kind::u64, {regs_->read32(a.address, chunk)});
  // In version for full waves and general ones alike: a test that fails leads to the slow way.
  return values_.op(Prim::add, Kind::u64, {v, regs_->read64(a.scalar, Registers::kScalar)});
}

llvm::Value* FunctionEmitter::fast_condition(const Access& a, const Value& address, unsigned chunk) {
  llvm::Value* ok = nullptr;
  auto* mask = exec_mask(chunk);
  auto none = [&](llvm::Value* bad) {   // <16 x i1>: no active lane
    if (mask) bad = ir_.CreateAnd(bad, mask);
    return ir_.CreateICmpEQ(ir_.CreateBitCast(bad, ir_.getInt16Ty()), ir_.getInt16(0));
  };
  int64_t last = a.offset[0];
  if (a.cells == 2) last = std::max(last, a.offset[1]);
  const int64_t end = last + a.bytes();
  if (a.space == Space::lds) {
    const int64_t limit = int64_t{request_.lds_bytes} - end;
    if (limit < 0) return ir_.getFalse();
    if (address.regular()) {
      const int64_t least = address.pattern.least(), most = address.pattern.most();
      const auto known = llvm::computeKnownBits(address.base, module_.getDataLayout());
      const auto biggest = static_cast<int64_t>(known.getMaxValue().getZExtValue());
      if (least >= 0 && biggest + most <= limit) return ok;
      if (most - least > limit) return ir_.getFalse();
      auto* first = ir_.CreateAdd(ir_.CreateZExt(address.base, ir_.getInt64Ty()), ir_.getInt64(static_cast<uint64_t>(least)));
      return values_.and_cond(ok, ir_.CreateICmpULE(first, ir_.getInt64(static_cast<uint64_t>(limit - (most - least)))));
    }
    auto* bound = ir_.CreateVectorSplat(kLanes, ir_.getInt32(static_cast<uint32_t>(limit)));
    return values_.and_cond(ok, none(ir_.CreateICmpUGT(values_.lanes(address), bound)));
  }
  if (a.space == Space::flat) {
    if (address.regular()) {
      auto* far = ir_.CreateAdd(address.base, ir_.getInt64(static_cast<uint64_t>(address.pattern.most())));
      auto* near = ir_.CreateAdd(address.base, ir_.getInt64(static_cast<uint64_t>(address.pattern.least())));
      return values_.and_cond(ok, ir_.CreateICmpEQ(ir_.CreateLShr(ir_.CreateOr(far, near), 48), ir_.getInt64(0)));
    }
    auto* v = values_.lanes(address);
    return none(ir_.CreateICmpUGE(v, ir_.CreateVectorSplat(kLanes, ir_.getInt64(uint64_t{1} << 48))));
  }
  if (a.space == Space::scratch) {
    if (!address.regular() || !address.pattern.uniform()) return ir_.getFalse();
    auto* at = ir_.CreateAdd(ir_.CreateZExt(address.base, ir_.getInt64Ty()), ir_.getInt64(static_cast<uint64_t>(a.offset[0])));
    auto* size = ir_.CreateZExt(ir_.CreateLoad(ir_.getInt32Ty(), wave_field(offsetof(Wave, scratch_bytes))), ir_.getInt64Ty());
    // A negative offset from a small base is far beyond the end as an unsigned number.
    auto* inside = ir_.CreateAnd(ir_.CreateICmpULE(ir_.CreateAdd(at, ir_.getInt64(a.bytes())), size), ir_.CreateICmpULE(at, size));
    ok = values_.and_cond(ok, inside);
    if (elem_bytes(a.elem) > 1) {
      auto* low = ir_.CreateAnd(at, ir_.getInt64(elem_bytes(a.elem) - 1));
      auto* aligned = ir_.CreateICmpEQ(low, ir_.getInt64(0));
      if (auto* c = llvm::dyn_cast<llvm::ConstantInt>(aligned); !c || !c->isOne()) ok = values_.and_cond(ok, aligned);
    }
    return ok;
  }
  return ok;
}

/// Of lane 0 of a regular chunk.
llvm::Value* FunctionEmitter::pointer_at(const Access& a, const Value& address, int64_t offset) {
  auto* pointer = llvm::PointerType::get(module_.getContext(), 0);
  if (a.space == Space::lds)
    return ir_.CreateConstGEP1_64(ir_.getInt8Ty(), ir_.CreateGEP(ir_.getInt8Ty(), lds_, ir_.CreateZExt(address.base, ir_.getInt64Ty())), static_cast<uint64_t>(offset));
  return ir_.CreateConstGEP1_64(ir_.getInt8Ty(), ir_.CreateIntToPtr(address.base, pointer), static_cast<uint64_t>(offset));
}
llvm::Value* FunctionEmitter::lane_pointers(const Access& a, const Value& address, int64_t offset) {
  auto* pointers = llvm::FixedVectorType::get(llvm::PointerType::get(module_.getContext(), 0), kLanes);
  auto* v = values_.lanes(address);
  // LDS offsets are small: 32-bit indices from one base are the cheaper gather. Lanes that are off may hold anything.
  if (a.space == Space::lds)
    return ir_.CreateGEP(ir_.getInt8Ty(), ir_.CreateConstGEP1_64(ir_.getInt8Ty(), lds_, static_cast<uint64_t>(offset)), v);
  if (offset) v = ir_.CreateAdd(v, ir_.CreateVectorSplat(kLanes, ir_.getInt64(static_cast<uint64_t>(offset))));
  return ir_.CreateIntToPtr(v, pointers);
}

// ---------------------------------------------------------------- one cell of a chunk

/// A narrow element as a register has it.
Value FunctionEmitter::widen(Elem e, llvm::Value* narrow) {
  const bool vector = narrow->getType()->isVectorTy();
  auto* t = vector ? values_.vector_type(Kind::u32) : ir_.getInt32Ty();
  auto* w = elem_signed(e) ? ir_.CreateSExt(narrow, t) : ir_.CreateZExt(narrow, t);
  return vector ? Values::vector(Kind::u32, w) : Values::scalar(Kind::u32, w);
}

std::vector<Value> FunctionEmitter::load_cell(const Access& a, const Value& address, unsigned chunk, int64_t offset) {
  auto* mask = exec_mask(chunk);
  std::vector<Value> out;
  auto* cell = ir_.getIntNTy(8 * elem_bytes(a.elem));
  const unsigned n = a.dwords, bytes = a.bytes();
  auto vec = [&](llvm::Type* t, unsigned times = 1) { return llvm::FixedVectorType::get(t, kLanes * times); };
  if (address.regular() && address.pattern.uniform()) {
    auto* p = pointer_at(a, address, offset);
    // A chunk without active lanes must not touch its address.
    if (mask) p = ir_.CreateSelect(ir_.CreateICmpNE(ir_.CreateBitCast(mask, ir_.getInt16Ty()), ir_.getInt16(0)), p, wave_);
    for (unsigned j = 0; j < n; ++j) {
      auto* x = ir_.CreateAlignedLoad(cell, ir_.CreateConstGEP1_64(ir_.getInt8Ty(), p, 4 * j), llvm::Align(1), a.ordered);
      out.push_back(is_dword(a.elem) ? Values::scalar(Kind::u32, x) : widen(a.elem, x));
    }
    return out;
  }
  const bool contiguous = address.regular() && address.pattern.steps(bytes);
  if (contiguous && !mask) {
    auto* p = pointer_at(a, address, offset);
    auto* x = ir_.CreateAlignedLoad(vec(cell, n), p, llvm::Align(1), a.ordered);
    if (!is_dword(a.elem)) return {widen(a.elem, x)};
    if (n == 1) return {Values::vector(Kind::u32, x)};
    for (unsigned j = 0; j < n; ++j) {
      std::vector<int> pick;
      for (unsigned l = 0; l < kLanes; ++l) pick.push_back(static_cast<int>(n * l + j));
      out.push_back(Values::vector(Kind::u32, ir_.CreateShuffleVector(x, pick)));
    }
    return out;
  }
  if (address.base && !mask && is_dword(a.elem) && on("pieces"))
    if (auto x = load_pieces({pointer_at(a, address, offset), address.pattern, address.scale, address.steps}, n, a.ordered)) return *x;
  auto* all = mask ? mask : llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(kLanes), ir_.getTrue());
  if (contiguous && (n == 1 || n == 2)) {
    auto* t = n == 2 ? ir_.getInt64Ty() : cell;
    auto* x = ir_.CreateMaskedLoad(vec(t), pointer_at(a, address, offset), llvm::Align(1), all, llvm::Constant::getNullValue(vec(t)));
    if (!is_dword(a.elem)) return {widen(a.elem, x)};
    if (n == 1) return {Values::vector(Kind::u32, x)};
    out.push_back(Values::vector(Kind::u32, ir_.CreateTrunc(x, vec(ir_.getInt32Ty()))));
    out.push_back(Values::vector(Kind::u32, ir_.CreateTrunc(ir_.CreateLShr(x, 32), vec(ir_.getInt32Ty()))));
    return out;
  }
  if (!is_dword(a.elem)) {
    auto* x = ir_.CreateMaskedGather(vec(cell), lane_pointers(a, address, offset), llvm::Align(1), all, llvm::Constant::getNullValue(vec(cell)));
    return {widen(a.elem, x)};
  }
  for (unsigned j = 0; j < n;) {
    auto* t = j + 2 <= n ? ir_.getInt64Ty() : ir_.getInt32Ty();
    auto* x = ir_.CreateMaskedGather(vec(t), lane_pointers(a, address, offset + 4 * j), llvm::Align(4), all, llvm::Constant::getNullValue(vec(t)));
    if (j + 2 <= n) {
      out.push_back(Values::vector(Kind::u32, ir_.CreateTrunc(x, vec(ir_.getInt32Ty()))));
      out.push_back(Values::vector(Kind::u32, ir_.CreateTrunc(ir_.CreateLShr(x, 32), vec(ir_.getInt32Ty()))));
      j += 2;
    } else {
      out.push_back(Values::vector(Kind::u32, x));
      j += 1;
    }
  }
  return out;
}

void FunctionEmitter::store_cell(const Access& a, const Value& address, unsigned chunk, int64_t offset, const std::vector<Value>& data) {
  auto* mask = exec_mask(chunk);
  auto* cell = ir_.getIntNTy(8 * elem_bytes(a.elem));
  const unsigned n = a.dwords;
  auto vec = [&](llvm::Type* t, unsigned times = 1) { return llvm::FixedVectorType::get(t, kLanes * times); };
  auto* all = mask ? mask : llvm::ConstantVector::getSplat(llvm::ElementCount::getFixed(kLanes), ir_.getTrue());
  auto value = [&](unsigned j) -> llvm::Value* {
    auto* x = values_.lanes(data[j]);
    if (is_dword(a.elem)) return x;
    if (elem_high(a.elem)) x = ir_.CreateLShr(x, 16);
    return ir_.CreateTrunc(x, vec(cell));
  };
  auto pair = [&](unsigned j) {
    auto* low = ir_.CreateZExt(value(j), vec(ir_.getInt64Ty()));
    return ir_.CreateOr(low, ir_.CreateShl(ir_.CreateZExt(value(j + 1), vec(ir_.getInt64Ty())), 32));
  };
  const bool contiguous = address.regular() && address.pattern.steps(a.bytes());
  if (contiguous && !mask) {
    auto* p = pointer_at(a, address, offset);
    llvm::Value* x = value(0);
    if (n == 2) x = ir_.CreateBitCast(pair(0), vec(ir_.getInt32Ty(), 2));
    if (n > 2) {
      // Two by two, then by the order of memory.
      std::vector<int> join, order;
      for (unsigned k = 0; k < 2 * kLanes; ++k) join.push_back(static_cast<int>(k));
      auto* low = ir_.CreateShuffleVector(value(0), value(1), join);
      auto* high = ir_.CreateShuffleVector(value(2), n == 4 ? value(3) : value(2), join);
      for (unsigned l = 0; l < kLanes; ++l)
        for (unsigned j = 0; j < n; ++j) order.push_back(static_cast<int>(kLanes * j + l));
      x = ir_.CreateShuffleVector(low, high, order);
    }
    ir_.CreateAlignedStore(x, p, llvm::Align(1), a.ordered);
    return;
  }
  if (address.base && !mask && is_dword(a.elem) && on("pieces")) {
    std::vector<llvm::Value*> values;
    for (unsigned j = 0; j < n; ++j) values.push_back(value(j));
    if (store_pieces({pointer_at(a, address, offset), address.pattern, address.scale, address.steps}, values, a.ordered)) return;
  }
  if (contiguous && n <= 2) {
    ir_.CreateMaskedStore(n == 2 ? pair(0) : value(0), pointer_at(a, address, offset), llvm::Align(1), all);
    return;
  }
  if (!is_dword(a.elem)) {
    ir_.CreateMaskedScatter(value(0), lane_pointers(a, address, offset), llvm::Align(1), all);
    return;
  }
  for (unsigned j = 0; j < n; j += 2) {
    auto* p = lane_pointers(a, address, offset + 4 * j);
    if (j + 2 <= n) ir_.CreateMaskedScatter(pair(j), p, llvm::Align(4), all);
    else ir_.CreateMaskedScatter(value(j), p, llvm::Align(4), all);
  }
}

/// Private memory at one offset for all lanes: whole rows, since dwords of a wave lie side by side.
std::vector<Value> FunctionEmitter::load_private(const Access& a, const Value& address, unsigned chunk) {
  auto* pointer = llvm::PointerType::get(module_.getContext(), 0);
  auto* at = ir_.CreateAdd(address.base, ir_.getInt32(static_cast<uint32_t>(a.offset[0])));
  auto* row = ir_.CreateShl(ir_.CreateZExt(ir_.CreateLShr(at, 2), ir_.getInt64Ty()), 8);
  auto* p = ir_.CreateGEP(ir_.getInt8Ty(), ir_.CreateLoad(pointer, wave_field(offsetof(Wave, scratch))), row);
  std::vector<Value> out;
  for (unsigned j = 0; j < a.dwords; ++j) {
    llvm::Value* x = ir_.CreateAlignedLoad(values_.vector_type(Kind::u32), ir_.CreateConstGEP1_64(ir_.getInt8Ty(), p, 256 * j + 64 * chunk), llvm::Align(4));
    if (!is_dword(a.elem)) {
      auto* shift = ir_.CreateVectorSplat(kLanes, ir_.CreateShl(ir_.CreateAnd(at, ir_.getInt32(3)), 3));
      x = ir_.CreateTrunc(ir_.CreateLShr(x, shift), llvm::FixedVectorType::get(ir_.getIntNTy(8 * elem_bytes(a.elem)), kLanes));
      out.push_back(widen(a.elem, x));
    } else {
      out.push_back(Values::vector(Kind::u32, x));
    }
  }
  return out;
}
void FunctionEmitter::store_private(const Access& a, const Value& address, unsigned chunk, const std::vector<Value>& data) {
  auto* pointer = llvm::PointerType::get(module_.getContext(), 0);
  auto* mask = exec_mask(chunk);
  auto* at = ir_.CreateAdd(address.base, ir_.getInt32(static_cast<uint32_t>(a.offset[0])));
  auto* row = ir_.CreateShl(ir_.CreateZExt(ir_.CreateLShr(at, 2), ir_.getInt64Ty()), 8);
  auto* p = ir_.CreateGEP(ir_.getInt8Ty(), ir_.CreateLoad(pointer, wave_field(offsetof(Wave, scratch))), row);
  for (unsigned j = 0; j < a.dwords; ++j) {
    auto* q = ir_.CreateConstGEP1_64(ir_.getInt8Ty(), p, 256 * j + 64 * chunk);
    auto* x = values_.lanes(data[j]);
    if (!is_dword(a.elem)) {
      auto splat = [&](llvm::Value* v) { return ir_.CreateVectorSplat(kLanes, v); };
      auto* shift = ir_.CreateShl(ir_.CreateAnd(at, ir_.getInt32(3)), 3);
      auto* field = ir_.CreateShl(ir_.getInt32(elem_bytes(a.elem) == 1 ? 0xff : 0xffff), shift);
      if (elem_high(a.elem)) x = ir_.CreateLShr(x, 16);
      auto* old = ir_.CreateAlignedLoad(values_.vector_type(Kind::u32), q, llvm::Align(4));
      x = ir_.CreateOr(ir_.CreateAnd(ir_.CreateShl(x, splat(shift)), splat(field)), ir_.CreateAnd(old, splat(ir_.CreateNot(field))));
    }
    if (mask) ir_.CreateMaskedStore(x, q, llvm::Align(4), mask);
    else ir_.CreateAlignedStore(x, q, llvm::Align(4));
  }
}

// ---------------------------------------------------------------- the wave

void FunctionEmitter::transfer(const Instruction& x, const Access& a) {
  static constexpr const char* kSpaces[] = {"global", "flat", "scratch", "lds", "buffer"};
  if (!on(kSpaces[static_cast<size_t>(a.space)])) return outcall(x);
  Chunks address;
  llvm::Value* pattern = nullptr;
  for (unsigned q = 0; q < kChunks; ++q) {
    exec_mask(q);
    address[q] = chunk_address(a, q);
    // Rows at a distance known at run time: only worth a test where pieces of them are.
    const bool rows = a.space == Space::global || a.space == Space::flat;
    if (address[q].strided() && (!rows || !on("pieces") || exec_masks_[q] || !is_dword(a.elem) || !pieces_of(address[q].pattern, address[q].steps, a.dwords, a.is_load)))
      address[q] = values_.plain(address[q]);
    pattern = values_.and_cond(pattern, address[q].cond);
  }
  if (a.space != Space::scratch) note(x, describe(a, address));
  const unsigned registers = is_dword(a.elem) ? a.cells * a.dwords : 1;
  // Everything that the ways read is made before they part.
  std::vector<Chunks> data(registers);
  for (unsigned k = 0; k < registers; ++k)
    for (unsigned q = 0; q < kChunks; ++q) {
      if (!a.is_load) data[k][q] = regs_->read32(static_cast<Reg>(a.data[k / a.dwords] + k % a.dwords), q);
      else if (elem_merges(a.elem) || (exec_mask(q) && x.keep.test(a.dest + k))) data[k][q] = regs_->read32(static_cast<Reg>(a.dest + k), q);
    }
  std::vector<Chunks> result(a.is_load ? registers : 0);
  if (!pattern) {
    moves(x, a, address, data, result);
  } else {
    // The lanes lie as the pattern says, or each for itself.
    Chunks regular = address, each = address;
    for (unsigned q = 0; q < kChunks; ++q) {
      if (!address[q].cond) continue;
      regular[q].cond = nullptr;
      if (!regular[q].on_only) regular[q].vec = nullptr;
      each[q] = Values::vector(address[q].kind, address[q].vec);
    }
    either(pattern, result, false, [&](std::vector<Chunks>& r) { moves(x, a, regular, data, r); }, [&](std::vector<Chunks>& r) { moves(x, a, each, data, r); });
  }
  for (unsigned k = 0; k < result.size(); ++k)
    for (unsigned q = 0; q < kChunks; ++q) regs_->write32(static_cast<Reg>(a.dest + k), q, result[k][q]);
}

/// How the lanes of an access lie, in words.
std::string FunctionEmitter::describe(const Access& a, const Chunks& address) const {
  std::set<std::string> forms;
  for (const Value& v : address) {
    std::string s;
    if (auto p = v.base && !exec_masks_[0] && is_dword(a.elem) && on("pieces") && !v.uniform() && !v.pattern.steps(a.bytes()) ? pieces_of(v.pattern, v.steps, a.dwords, a.is_load) : std::nullopt)
      s = std::to_string(p->list.size()) + (a.is_load ? " plain loads" : " plain stores") + ": lanes lie at constant distances" + (v.scale ? ", and rows at one known at run time" : "");
    else if (!v.regular()) s = a.is_load ? "a gather: nothing is known of how the lanes' addresses differ" : "a scatter: nothing is known of how the lanes' addresses differ";
    else if (v.pattern.uniform()) s = a.is_load ? "one scalar load for all lanes" : "one address for all lanes";
    else if (v.pattern.steps(a.bytes())) s = exec_masks_[0] ? "contiguous, under a mask" : "contiguous";
    else s = std::string(a.is_load ? "a gather" : "a scatter") + ": lanes lie at constant distances (" + std::to_string(v.pattern.delta[1]) + " bytes from the first to the second)";
    if (v.cond) s += ", if a test at run time says so";
    forms.insert(s);
  }
  std::string text;
  for (auto& f : forms) text += (text.empty() ? "" : "; ") + f;
  return text;
}

/// An access whose addresses need no condition but bounds and the like.
void FunctionEmitter::moves(const Instruction& x, const Access& a, const Chunks& address, const std::vector<Chunks>& data, std::vector<Chunks>& result) {
  llvm::Value* fast = nullptr;
  for (unsigned q = 0; q < kChunks; ++q) fast = values_.and_cond(fast, fast_condition(a, address[q], q));
  auto natively = [&](std::vector<Chunks>& result) {
    for (unsigned q = 0; q < kChunks; ++q) {
      for (unsigned k = 0; k < a.cells; ++k) {
        std::vector<Value> cell;
        if (a.is_load) {
          cell = a.space == Space::scratch ? load_private(a, address[q], q) : load_cell(a, address[q], q, a.offset[k]);
          for (unsigned j = 0; j < cell.size(); ++j) result[k * a.dwords + j][q] = cell[j];
          continue;
        }
        for (unsigned j = 0; j < (is_dword(a.elem) ? a.dwords : 1); ++j) cell.push_back(data[k * a.dwords + j][q]);
        if (a.space == Space::scratch) store_private(a, address[q], q, cell);
        else store_cell(a, address[q], q, a.offset[k], cell);
      }
    }
    for (unsigned k = 0; k < result.size(); ++k)
      for (unsigned q = 0; q < kChunks; ++q) {
        Value& v = result[k][q];
        if (elem_merges(a.elem)) {
          auto splat = [&](uint32_t b) { return ir_.CreateVectorSplat(kLanes, ir_.getInt32(b)); };
          auto *old = values_.lanes(data[k][q]), *now = values_.lanes(v);
          v = Values::vector(Kind::u32, elem_high(a.elem) ? ir_.CreateOr(ir_.CreateAnd(old, splat(0xffff)), ir_.CreateShl(now, 16))
                                                          : ir_.CreateOr(ir_.CreateAnd(old, splat(0xffff0000)), ir_.CreateAnd(now, splat(0xffff))));
        }
        auto* mask = exec_mask(q);
        if (mask && x.keep.test(a.dest + k)) v = Values::vector(Kind::u32, ir_.CreateSelect(mask, values_.lanes(v), values_.lanes(data[k][q])));
        // A flat address may be private memory, where one address is another cell for each lane.
        if (a.space == Space::flat) v = values_.plain(v);
      }
  };
  auto by_interpreter = [&](std::vector<Chunks>& result) {
    call_out(x);
    for (unsigned k = 0; k < result.size(); ++k)
      for (unsigned q = 0; q < kChunks; ++q) result[k][q] = from_home(static_cast<Reg>(a.dest + k), q);
  };
  if (auto* known = llvm::dyn_cast_or_null<llvm::ConstantInt>(fast)) {
    if (known->isOne()) natively(result);
    else by_interpreter(result);
  } else if (!fast) {
    natively(result);
  } else {
    either(fast, result, true, natively, by_interpreter);
  }
}

/// Two ways to the same results, the first one likely. `as_uniform`: what is uniform in versions for full waves on the first way
/// is that on the other one too, where it comes as a vector.
void FunctionEmitter::either(llvm::Value* condition, std::vector<Chunks>& result, bool as_uniform, Make first, Make second) {
  auto& c = module_.getContext();
  auto* first_block = llvm::BasicBlock::Create(c, "fast", function_);
  auto* second_block = llvm::BasicBlock::Create(c, "slow", function_);
  auto* done = llvm::BasicBlock::Create(c, "done", function_);
  auto* weights = llvm::MDNode::get(c, {llvm::MDString::get(c, "branch_weights"), llvm::ConstantAsMetadata::get(ir_.getInt32(100000)),
                                        llvm::ConstantAsMetadata::get(ir_.getInt32(1))});
  ir_.CreateCondBr(condition, first_block, second_block)->setMetadata(llvm::LLVMContext::MD_prof, weights);
  const bool keep = regs_->keep_parts;
  regs_->keep_parts = false;
  std::vector<Chunks> other = result;
  const llvm::DebugLoc line = ir_.getCurrentDebugLocation();
  ir_.SetInsertPoint(first_block);
  first(result);
  auto* first_end = ir_.GetInsertBlock();
  ir_.CreateBr(done);
  ir_.SetInsertPoint(second_block);
  second(other);
  auto* second_end = ir_.GetInsertBlock();
  ir_.CreateBr(done);
  for (unsigned k = 0; k < result.size(); ++k)
    for (unsigned q = 0; q < kChunks; ++q) {
      Value& v = result[k][q];
      const bool scalar = as_uniform && v.uniform() && !exec_mask(q);
      ir_.SetInsertPoint(first_end->getTerminator());
      ir_.SetCurrentDebugLocation(line);
      auto* mine = scalar ? v.base : values_.lanes(v);
      ir_.SetInsertPoint(second_end->getTerminator());
      ir_.SetCurrentDebugLocation(line);
      auto* theirs = scalar ? ir_.CreateExtractElement(other[k][q].vec, uint64_t{0}) : values_.lanes(other[k][q]);
      auto* p = llvm::PHINode::Create(mine->getType(), 2, "", done);
      p->addIncoming(mine, first_end);
      p->addIncoming(theirs, second_end);
      v = scalar ? Values::scalar(Kind::u32, p) : Values::vector(Kind::u32, p);
    }
  ir_.SetInsertPoint(done);
  regs_->keep_parts = keep;
}

// ---------------------------------------------------------------- atomics

/// Lane after lane, on real atomics: workers and the host share memory. A workgroup's waves run in one thread, so that LDS needs
/// none.
void FunctionEmitter::atomic(const Instruction& x, AtomicImm m) {
  using A = isa::AtomicOp;
  using Rmw = llvm::AtomicRMWInst;
  if (m.space == Space::scratch || m.space == Space::buffer) return outcall(x);
  std::optional<Rmw::BinOp> operation;
  switch (m.op) {
  case A::swap: operation = Rmw::Xchg; break;
  case A::add: operation = Rmw::Add; break;
  case A::sub: operation = Rmw::Sub; break;
  case A::smin: operation = Rmw::Min; break;
  case A::umin: operation = Rmw::UMin; break;
  case A::smax: operation = Rmw::Max; break;
  case A::umax: operation = Rmw::UMax; break;
  case A::and_: operation = Rmw::And; break;
  case A::or_: operation = Rmw::Or; break;
  case A::xor_: operation = Rmw::Xor; break;
  case A::inc: operation = Rmw::UIncWrap; break;
  case A::dec: operation = Rmw::UDecWrap; break;
  case A::fadd: operation = Rmw::FAdd; break;
  case A::cmpswap: break;
  default: return outcall(x);
  }
  if (m.type != isa::AtomicType::b32 && m.type != isa::AtomicType::b64 && m.type != isa::AtomicType::f32 && m.type != isa::AtomicType::f64) return outcall(x);
  const isa::Inst& i = x.lifted.inst;
  const bool wide = m.type == isa::AtomicType::b64 || m.type == isa::AtomicType::f64, is_float = m.op == A::fadd;
  const bool returns = m.returns == isa::Return::yes || (m.returns == isa::Return::by_bit && i.glc);
  const unsigned registers = wide ? 2 : 1;
  Access a = access_of(x, {m.space, Elem::u32, static_cast<uint8_t>(registers)}, false);
  if (returns) a.dest = reg_of(*operand_at(i, Field::vdst), unit_.accum_offset);
  const Kind kind = wide ? Kind::u64 : Kind::u32;
  auto* cell = ir_.getIntNTy(wide ? 64 : 32);
  auto* number = is_float ? (wide ? ir_.getDoubleTy() : ir_.getFloatTy()) : cell;

  Chunks address;
  llvm::Value* fast = nullptr;
  for (unsigned q = 0; q < kChunks; ++q) {
    exec_mask(q);
    address[q] = chunk_address(a, q);
    if (address[q].cond || address[q].scale) address[q] = values_.plain(address[q]);   // it goes lane by lane anyway
    fast = values_.and_cond(fast, fast_condition(a, address[q], q));
  }
  auto read = [&](Reg r, unsigned q) { return wide ? regs_->read64(r, q) : regs_->read32(r, q); };
  // Data, then what a cell is compared with; in LDS the other way round.
  Reg data = a.data[0], compare = static_cast<Reg>(data + registers);
  if (m.op == A::cmpswap && m.space == Space::lds) compare = data, data = reg_of(*operand_at(i, Field::data1), unit_.accum_offset);
  Chunks operand, expected, old;
  for (unsigned q = 0; q < kChunks; ++q) {
    operand[q] = read(data, q);
    if (m.op == A::cmpswap) expected[q] = read(compare, q);
    if (returns && exec_mask(q)) old[q] = read(a.dest, q);
  }
  auto* exec_bits = regs_->s64(kExec);
  if (auto* known = llvm::dyn_cast_or_null<llvm::ConstantInt>(fast)) {
    if (!known->isOne()) return outcall(x);
    fast = nullptr;
  }
  std::vector<Chunks> results(returns ? registers : 0);
  auto natively = [&](std::vector<Chunks>& result) {
    auto& c = module_.getContext();
    auto at = [&](llvm::IRBuilderBase& b, unsigned table, llvm::Type* t, llvm::Value* lane) {
      return b.CreateInBoundsGEP(t, b.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), tables_, 512 * table), lane);
    };
    auto* where = m.space == Space::lds ? ir_.getInt32Ty() : ir_.getInt64Ty();
    auto keep = [&](unsigned table, llvm::Type* t, const Chunks& v) {
      for (unsigned q = 0; q < kChunks; ++q) ir_.CreateAlignedStore(values_.lanes(v[q]), at(ir_, table, t, ir_.getInt64(kLanes * q)), llvm::Align(64));
    };
    keep(0, where, address);
    keep(1, cell, operand);
    if (m.op == A::cmpswap) keep(2, cell, expected);
    auto* before = ir_.GetInsertBlock();
    auto* loop = llvm::BasicBlock::Create(c, "lane", function_);
    auto* out = llvm::BasicBlock::Create(c, "lanes_done", function_);
    if (regs_->at->full) ir_.CreateBr(loop);
    else ir_.CreateCondBr(ir_.CreateICmpNE(exec_bits, ir_.getInt64(0)), loop, out);
    // No folding: the phi lacks an argument until the end of the loop.
    llvm::IRBuilder<> b(loop);
    b.SetCurrentDebugLocation(ir_.getCurrentDebugLocation());
    auto* bits = b.CreatePHI(b.getInt64Ty(), 2);
    bits->addIncoming(exec_bits, before);
    auto* lane = b.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, bits, b.getTrue());
    llvm::Value* p = b.CreateLoad(where, at(b, 0, where, lane));
    p = m.space == Space::lds ? b.CreateGEP(b.getInt8Ty(), lds_, b.CreateZExt(p, b.getInt64Ty()))
                              : b.CreateIntToPtr(p, llvm::PointerType::get(c, 0));
    p = b.CreateConstGEP1_64(b.getInt8Ty(), p, static_cast<uint64_t>(a.offset[0]));
    llvm::Value* d = b.CreateLoad(number, at(b, 1, cell, lane));
    llvm::Value* was;
    const llvm::Align align(wide ? 8 : 4);
    if (m.space == Space::lds) {
      was = b.CreateAlignedLoad(number, p, llvm::Align(1));
      llvm::Value* now = d;
      auto by = [&](llvm::CmpInst::Predicate less) { return b.CreateSelect(b.CreateICmp(less, was, d), was, d); };
      auto* zero = llvm::Constant::getNullValue(number);
      switch (m.op) {
      case A::cmpswap: now = b.CreateSelect(b.CreateICmpEQ(was, b.CreateLoad(cell, at(b, 2, cell, lane))), d, was); break;
      case A::add: now = b.CreateAdd(was, d); break;
      case A::sub: now = b.CreateSub(was, d); break;
      case A::and_: now = b.CreateAnd(was, d); break;
      case A::or_: now = b.CreateOr(was, d); break;
      case A::xor_: now = b.CreateXor(was, d); break;
      case A::smin: now = by(llvm::CmpInst::ICMP_SLT); break;
      case A::umin: now = by(llvm::CmpInst::ICMP_ULT); break;
      case A::smax: now = by(llvm::CmpInst::ICMP_SGT); break;
      case A::umax: now = by(llvm::CmpInst::ICMP_UGT); break;
      case A::inc: now = b.CreateSelect(b.CreateICmpUGE(was, d), zero, b.CreateAdd(was, llvm::ConstantInt::get(cell, 1))); break;
      case A::dec:
        now = b.CreateSelect(b.CreateOr(b.CreateICmpEQ(was, zero), b.CreateICmpUGT(was, d)), d, b.CreateSub(was, llvm::ConstantInt::get(cell, 1)));
        break;
      case A::fadd: now = b.CreateFAdd(was, d); break;
      default: break;
      }
      b.CreateAlignedStore(now, p, llvm::Align(1));
    } else if (operation) {
      was = b.CreateAtomicRMW(*operation, p, d, align, llvm::AtomicOrdering::SequentiallyConsistent);
    } else {
      auto* pair = b.CreateAtomicCmpXchg(p, b.CreateLoad(cell, at(b, 2, cell, lane)), d, align, llvm::AtomicOrdering::SequentiallyConsistent,
                                           llvm::AtomicOrdering::SequentiallyConsistent);
      was = b.CreateExtractValue(pair, 0);
    }
    if (returns) b.CreateStore(was, at(b, 3, cell, lane));
    auto* rest = b.CreateAnd(bits, b.CreateSub(bits, b.getInt64(1)));
    bits->addIncoming(rest, b.GetInsertBlock());
    b.CreateCondBr(b.CreateICmpNE(rest, b.getInt64(0)), loop, out);
    ir_.SetInsertPoint(out);
    if (!returns) return;
    for (unsigned q = 0; q < kChunks; ++q) {
      llvm::Value* v = ir_.CreateAlignedLoad(values_.vector_type(kind), at(ir_, 3, cell, ir_.getInt64(kLanes * q)), llvm::Align(64));
      if (auto* mask = exec_mask(q)) v = ir_.CreateSelect(mask, v, values_.lanes(old[q]));
      if (!wide) {
        result[0][q] = Values::vector(Kind::u32, v);
      } else {
        result[0][q] = Values::vector(Kind::u32, ir_.CreateTrunc(v, values_.vector_type(Kind::u32)));
        result[1][q] = Values::vector(Kind::u32, ir_.CreateTrunc(ir_.CreateLShr(v, 32), values_.vector_type(Kind::u32)));
      }
    }
  };
  if (!fast) natively(results);
  else
    either(fast, results, false, natively, [&](std::vector<Chunks>& result) {
      call_out(x);
      for (unsigned k = 0; k < result.size(); ++k)
        for (unsigned q = 0; q < kChunks; ++q) result[k][q] = from_home(static_cast<Reg>(a.dest + k), q);
    });
  for (unsigned k = 0; k < results.size(); ++k)
    for (unsigned q = 0; q < kChunks; ++q) regs_->write32(static_cast<Reg>(a.dest + k), q, results[k][q]);
}

} // namespace bz::jit
