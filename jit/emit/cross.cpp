// Instructions that see other lanes: lane reads and writes, DPP, swizzles and permutes.
#include "jit/emit/function.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

namespace bz::jit {

using isa::Field;

namespace {

/// Source lane of a DPP control for lane l, or -1 (MI200 ISA, section "Data-Parallel Primitives").
int dpp_source(unsigned control, int l) {
  const int row = l / 16 * 16, in = l % 16, n = static_cast<int>(control % 16);
  if (control < 0x100) return l / 4 * 4 + static_cast<int>(control >> (2 * (l % 4)) & 3);   // quad_perm
  if (control < 0x110) return in + n < 16 ? l + n : -1;                                     // row_shl
  if (control < 0x120) return in >= n ? l - n : -1;                                         // row_shr
  if (control < 0x130) return row + (in + 16 - n) % 16;                                     // row_ror
  if (control >= 0x150 && control < 0x160) return row + n;                                  // row_newbcast
  switch (control) {
  case 0x130: return l + 1 < 64 ? l + 1 : -1;    // wave_shl
  case 0x134: return (l + 1) % 64;               // wave_rol
  case 0x138: return l - 1;                      // wave_shr; -1 for lane 0
  case 0x13c: return (l + 63) % 64;              // wave_ror
  case 0x140: return row + 15 - in;              // row_mirror
  case 0x141: return l / 8 * 8 + 7 - l % 8;      // row_half_mirror
  case 0x142: return row - 1;                    // row_bcast15; -1 for the first row
  case 0x143: return l >= 32 ? 31 : -1;          // row_bcast31
  default: return -1;
  }
}

/// Source lane of ds_swizzle for lane l.
unsigned swizzle_source(unsigned pattern, unsigned l) {
  const unsigned in = l % 32, half = l - in;
  if (pattern >= 0xe000) {   // fast Fourier transform: bits reversed, but for those that the mask keeps
    const unsigned mask = pattern % 32;
    unsigned reversed = 0, kept = 0;
    for (unsigned b = 0; b < 5; ++b) reversed |= (in >> b & 1) << (4 - b), kept += mask >> b & 1;
    return half + ((reversed >> kept) | (l & mask));
  }
  if (pattern >= 0xc000) {   // rotation
    const unsigned amount = pattern / 32 % 32, mask = pattern % 32;
    const unsigned turned = pattern & 0x400 ? l - amount : l + amount;
    return half + ((l & mask) | (turned & ~mask & 31));
  }
  if (pattern & 0x8000) return l / 4 * 4 + (pattern >> (2 * (l % 4)) & 3);
  return half + (((in & (pattern % 32)) | (pattern / 32 % 32)) ^ (pattern / 1024 % 32));
}

} // namespace

llvm::Value* FunctionEmitter::gather_lanes(const std::array<llvm::Value*, kChunks>& row, const std::array<int, kLanes>& from) {
  auto* type = row[0]->getType();
  llvm::Value* result = nullptr;
  // One shuffle for each chunk that lanes come from: two at most in what the hardware offers, but any number is right.
  std::array<bool, kLanes> taken{};
  for (unsigned q = 0; q < kChunks; ++q) {
    std::vector<int> pick(kLanes);
    bool any = false;
    for (unsigned l = 0; l < kLanes; ++l) {
      const bool here = from[l] >= 0 && static_cast<unsigned>(from[l]) / kLanes == q;
      pick[l] = here ? static_cast<int>(kLanes) + from[l] % static_cast<int>(kLanes) : static_cast<int>(l);
      any |= here;
      taken[l] = taken[l] || here;
    }
    if (any) result = ir_.CreateShuffleVector(result ? result : llvm::Constant::getNullValue(type), row[q], pick);
  }
  return result ? result : llvm::Constant::getNullValue(type);
}

Value FunctionEmitter::first_active() {
  if (regs_->at->full) return values_.constant(Kind::u32, 0);
  auto* e = regs_->s64(kExec);
  auto* first = ir_.CreateTrunc(ir_.CreateBinaryIntrinsic(llvm::Intrinsic::cttz, e, ir_.getFalse()), ir_.getInt32Ty());
  return Values::scalar(Kind::u32, ir_.CreateAnd(first, ir_.getInt32(63)));   // 64, if none is: lane 0
}

Value FunctionEmitter::read_lane(const Instruction& x, const Node& n, const Value& lane) {
  const auto* o = source_of(x.lifted.inst, static_cast<int>(n.imm));
  const Reg r = reg_of(*o, unit_.accum_offset);
  if (r >= kRegs || !is_vgpr(r)) return operand_value(*o, Kind::u32, 0, 0, false);   // a scalar is the same for every lane
  Chunks row;
  bool one = true;
  for (unsigned q = 0; q < kChunks; ++q) {
    row[q] = regs_->read32(r, q);
    one &= row[q].uniform() && row[q].base == row[0].base;
  }
  if (one) return row[0];
  if (auto* c = llvm::dyn_cast<llvm::ConstantInt>(lane.base)) {
    const unsigned l = c->getZExtValue() & 63;
    const Value& v = row[l / kLanes];
    if (v.regular() && !v.cond && !v.on_only) {
      auto* delta = ir_.getInt32(static_cast<uint32_t>(v.pattern.delta[l % kLanes]));
      return Values::scalar(Kind::u32, ir_.CreateAdd(v.base, delta));
    }
    return Values::scalar(Kind::u32, ir_.CreateExtractElement(values_.lanes(v), uint64_t{l % kLanes}));
  }
  for (unsigned q = 0; q < kChunks; ++q)
    ir_.CreateAlignedStore(values_.lanes(row[q]), ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), table_, 64 * q), llvm::Align(64));
  auto* at = ir_.CreateZExt(ir_.CreateAnd(lane.base, ir_.getInt32(63)), ir_.getInt64Ty());
  return Values::scalar(Kind::u32, ir_.CreateAlignedLoad(ir_.getInt32Ty(), ir_.CreateInBoundsGEP(ir_.getInt32Ty(), table_, at), llvm::Align(4)));
}

void FunctionEmitter::write_lane(const Instruction& x, const Value& lane, const Value& v) {
  const Reg d = reg_of(*dest_of(x.lifted.inst), unit_.accum_offset);
  auto* at = ir_.CreateAnd(lane.base, ir_.getInt32(63));
  for (unsigned q = 0; q < kChunks; ++q) {
    auto* old = values_.lanes(regs_->read32(d, q));
    llvm::Value* now;
    if (auto* c = llvm::dyn_cast<llvm::ConstantInt>(at)) {
      const unsigned l = static_cast<unsigned>(c->getZExtValue());
      if (l / kLanes != q) continue;
      now = ir_.CreateInsertElement(old, v.base, uint64_t{l % kLanes});
    } else {
      std::vector<llvm::Constant*> numbers;
      for (unsigned l = 0; l < kLanes; ++l) numbers.push_back(ir_.getInt32(kLanes * q + l));
      auto* here = ir_.CreateICmpEQ(ir_.CreateVectorSplat(kLanes, at), llvm::ConstantVector::get(numbers));
      now = ir_.CreateSelect(here, ir_.CreateVectorSplat(kLanes, v.base), old);
    }
    writes_.push_back({d, q, Values::vector(Kind::u32, now)});
  }
}

/// Source 0 as DPP permutes it. `keep` becomes the instruction's own mask: lanes without a source, or of rows and banks that are
/// left out, keep their result.
FunctionEmitter::Chunks FunctionEmitter::dpp(const Instruction& x, const Node& n, std::array<llvm::Value*, kChunks>& keep) {
  const isa::Dpp& d = x.lifted.inst.dpp;
  const auto* o = source_of(x.lifted.inst, 0);
  const Reg r = static_cast<Reg>(reg_of(*o, unit_.accum_offset) + (n.imm >> 8));
  std::array<llvm::Value*, kChunks> row{}, exec{};
  auto* ones = llvm::Constant::getAllOnesValue(values_.vector_type(Kind::flag));
  for (unsigned q = 0; q < kChunks; ++q) {
    row[q] = values_.lanes(n.kind == Kind::u64 ? regs_->read64(r, q) : regs_->read32(r, q));
    exec[q] = exec_mask(q) ? exec_mask(q) : ones;
  }
  Chunks result;
  for (unsigned q = 0; q < kChunks; ++q) {
    std::array<int, kLanes> from{};
    std::vector<llvm::Constant*> enabled;
    for (unsigned l = 0; l < kLanes; ++l) {
      const int lane = static_cast<int>(kLanes * q + l);
      from[l] = dpp_source(d.ctrl, lane);
      enabled.push_back(ir_.getInt1((d.row_mask >> q & 1) && (d.bank_mask >> (l / 4) & 1)));
    }
    auto* valid = gather_lanes(exec, from);
    auto* moved = gather_lanes(row, from);
    result[q] = Values::vector(n.kind, ir_.CreateSelect(valid, moved, llvm::Constant::getNullValue(moved->getType())));
    llvm::Value* mine = ir_.CreateAnd(exec[q], llvm::ConstantVector::get(enabled));
    if (!d.bound_ctrl) mine = ir_.CreateAnd(mine, valid);
    auto* all = llvm::dyn_cast<llvm::Constant>(mine);
    keep[q] = all && all->isAllOnesValue() ? nullptr : mine;
  }
  return result;
}

void FunctionEmitter::swizzle(const Instruction& x) {
  const isa::Inst& i = x.lifted.inst;
  const Reg from_reg = reg_of(*operand_at(i, Field::addr), unit_.accum_offset), d = reg_of(*operand_at(i, Field::vdst), unit_.accum_offset);
  const unsigned pattern = static_cast<unsigned>(i.offset) & 0xffff;
  std::array<llvm::Value*, kChunks> row{};
  for (unsigned q = 0; q < kChunks; ++q) {
    row[q] = values_.lanes(regs_->read32(from_reg, q));
    if (auto* mask = exec_mask(q)) row[q] = ir_.CreateSelect(mask, row[q], llvm::Constant::getNullValue(row[q]->getType()));
  }
  for (unsigned q = 0; q < kChunks; ++q) {
    std::array<int, kLanes> from{};
    for (unsigned l = 0; l < kLanes; ++l) from[l] = static_cast<int>(swizzle_source(pattern, kLanes * q + l));
    put(x, d, q, Values::vector(Kind::u32, gather_lanes(row, from)), exec_mask(q), false);
  }
}

void FunctionEmitter::bpermute(const Instruction& x) {
  const isa::Inst& i = x.lifted.inst;
  const Reg a = reg_of(*operand_at(i, Field::addr), unit_.accum_offset), s = reg_of(*operand_at(i, Field::data0), unit_.accum_offset);
  const Reg d = reg_of(*operand_at(i, Field::vdst), unit_.accum_offset);
  auto splat = [&](uint32_t v) { return ir_.CreateVectorSplat(kLanes, ir_.getInt32(v)); };
  for (unsigned q = 0; q < kChunks; ++q) {
    auto* data = values_.lanes(regs_->read32(s, q));
    if (auto* mask = exec_mask(q)) data = ir_.CreateSelect(mask, data, llvm::Constant::getNullValue(data->getType()));
    ir_.CreateAlignedStore(data, ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), table_, 64 * q), llvm::Align(64));
  }
  for (unsigned q = 0; q < kChunks; ++q) {
    auto* address = ir_.CreateAdd(values_.lanes(regs_->read32(a, q)), splat(static_cast<uint32_t>(i.offset)));
    auto* lane = ir_.CreateAnd(ir_.CreateLShr(address, 2), splat(63));
    auto* type = values_.vector_type(Kind::u32);
    auto* all = llvm::Constant::getAllOnesValue(values_.vector_type(Kind::flag));
    auto* v = ir_.CreateMaskedGather(type, ir_.CreateGEP(ir_.getInt32Ty(), table_, lane), llvm::Align(4), all, llvm::Constant::getNullValue(type));
    put(x, d, q, Values::vector(Kind::u32, v), exec_mask(q), false);
  }
}

} // namespace bz::jit
