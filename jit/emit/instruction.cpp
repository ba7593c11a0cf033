// One instruction: its nodes become values, its results registers.
#include "jit/emit/function.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>
#include <cstddef>

namespace bz::jit {

using exec::NativeHelpers;
using exec::Wave;
using isa::Operand;

namespace {

bool special_constant(unsigned number, uint64_t& value) {
  constexpr uint64_t kShared = uint64_t{1} << 48, kPrivate = uint64_t{2} << 48;
  switch (number) {
  case 235: value = kShared; return true;
  case 236: value = kShared | 0xffffffff; return true;
  case 237: value = kPrivate; return true;
  case 238: value = kPrivate | 0xffffffff; return true;
  case 125: value = 0; return true;
  default: return false;
  }
}
bool is_matrix(const Instruction& x) {
  return !x.outcall && std::any_of(x.lifted.nodes.begin(), x.lifted.nodes.end(), [](const Node& n) { return n.prim == Prim::mfma; });
}
bool is_packed32(isa::Type t) { return t == isa::Type::pk_f32 || t == isa::Type::pk_b32; }

} // namespace

// ---------------------------------------------------------------- masks

llvm::Value* FunctionEmitter::exec_mask(unsigned chunk) {
  if (regs_->at->full) return nullptr;
  if (!exec_masks_[chunk]) exec_masks_[chunk] = values_.lanes(mask_chunk(regs_->s64(kExec), chunk));
  return exec_masks_[chunk];
}

Value FunctionEmitter::mask_chunk(llvm::Value* mask, unsigned chunk) {
  if (auto it = mask_parts_.find(mask); it != mask_parts_.end()) {
    const Value& v = it->second.flags[chunk];
    // What holds for the lanes that are on holds while they are.
    return v.on_only && it->second.at != regs_->at ? values_.plain(v) : v;
  }
  if (auto* c = llvm::dyn_cast<llvm::ConstantInt>(mask)) {
    const uint64_t bits = c->getZExtValue() >> (kLanes * chunk) & 0xffff;
    if (bits == 0 || bits == 0xffff) return values_.constant(Kind::flag, bits != 0);
  }
  auto* part = ir_.CreateTrunc(ir_.CreateLShr(mask, kLanes * chunk), ir_.getInt16Ty());
  return Values::vector(Kind::flag, values_.flags_of(part));
}

llvm::Value* FunctionEmitter::wave_mask(const Chunks& flags) {
  bool one = true;
  for (const Value& f : flags) one &= f.uniform() && f.base == flags[0].base;
  if (one) return ir_.CreateSelect(flags[0].base, ir_.getInt64(~uint64_t{0}), ir_.getInt64(0));
  llvm::Value* mask = nullptr;
  for (unsigned q = 0; q < kChunks; ++q) {
    auto* bits = ir_.CreateZExt(ir_.CreateBitCast(values_.lanes(flags[q]), ir_.getInt16Ty()), ir_.getInt64Ty());
    if (q) bits = ir_.CreateShl(bits, kLanes * q);
    mask = mask ? ir_.CreateOr(mask, bits) : bits;
  }
  if (!llvm::isa<llvm::Constant>(mask)) mask_parts_[mask] = {flags, regs_->at};
  return mask;
}

Value FunctionEmitter::lanes_in(const Instruction& x, unsigned chunk) {
  uint64_t value;
  const Reg r = mask_source(x.lifted.inst, value);
  return mask_chunk(r < kRegs ? regs_->s64(r) : ir_.getInt64(value), chunk);
}

// ---------------------------------------------------------------- operands

Value FunctionEmitter::operand_value(const Operand& o, Kind kind, unsigned dword, unsigned chunk, bool packed) {
  const bool wide = kind == Kind::u64;
  if (const Reg r = reg_of(o, unit_.accum_offset); r < kRegs) {
    const unsigned q = is_vgpr(r) ? chunk : Registers::kScalar;
    const Reg at = static_cast<Reg>(r + dword);
    return wide ? regs_->read64(at, q) : regs_->read32(at, q);
  }
  uint64_t value = o.value;
  if (o.is_const() || (o.kind == Operand::Kind::special && special_constant(o.number, value))) {
    if (o.is_const() && packed) value |= value << 32;   // both halves read the one constant
    return values_.constant(kind, wide ? value : dword ? value >> 32 : value & 0xffffffff);
  }
  if (dword) return values_.constant(kind, 0);   // a flag has no second dword
  llvm::Value* flag = ir_.getFalse();
  if (o.number == 251) flag = ir_.CreateICmpEQ(regs_->s64(kVcc), ir_.getInt64(0));
  if (o.number == 252) flag = ir_.CreateICmpEQ(regs_->s64(kExec), ir_.getInt64(0));
  if (o.number == 253) flag = ir_.CreateICmpNE(regs_->s32(kScc), ir_.getInt32(0));
  return Values::scalar(kind, ir_.CreateZExt(flag, values_.scalar_type(kind)));
}

Value FunctionEmitter::source(const Instruction& x, const Node& n, unsigned chunk) {
  const auto* o = source_of(x.lifted.inst, static_cast<int>(n.imm & 255));
  return operand_value(*o, n.kind, static_cast<unsigned>(n.imm >> 8), chunk, is_packed32(o->type));
}

void FunctionEmitter::put(const Instruction& x, Reg r, unsigned chunk, const Value& v, llvm::Value* mask, bool always) {
  Value result = v;
  if (mask && (always || x.keep.test(r))) {
    auto* old = values_.lanes(regs_->read32(r, chunk));
    result = Values::vector(Kind::u32, ir_.CreateSelect(mask, values_.lanes(v), old));
    if (v.regular() && !always && !v.pattern.uniform()) result.base = v.base, result.pattern = v.pattern, result.cond = v.cond, result.on_only = true;
  }
  writes_.push_back({r, chunk, result});
}

// ---------------------------------------------------------------- nodes

/// A node that is no write and no whole-wave operation. `chunk` is 0 for those of the wave.
Value FunctionEmitter::node_value(const Instruction& x, const Node& n, const std::vector<Value>& values, unsigned chunk) {
  auto u32 = [&](llvm::Value* v) { return Values::scalar(Kind::u32, v); };
  switch (n.prim) {
  case Prim::src: return source(x, n, chunk);
  case Prim::old: {
    const Reg r = static_cast<Reg>(reg_of(*dest_of(x.lifted.inst), unit_.accum_offset) + n.imm);
    const unsigned q = is_vgpr(r) ? chunk : Registers::kScalar;
    return n.kind == Kind::u64 ? regs_->read64(r, q) : regs_->read32(r, q);
  }
  case Prim::lanes_in: return lanes_in(x, chunk);
  case Prim::scc: return Values::scalar(Kind::flag, ir_.CreateICmpNE(regs_->s32(kScc), ir_.getInt32(0)));
  case Prim::exec: return Values::scalar(Kind::u64, regs_->s64(kExec));
  case Prim::vcc: return Values::scalar(Kind::u64, regs_->s64(kVcc));
  case Prim::m0: return u32(regs_->s32(kM0));
  case Prim::pc_next: return Values::scalar(Kind::u64, address_of(x.next()));
  case Prim::read_lane: return read_lane(x, n, values[n.arg[0]]);
  case Prim::first_active: return first_active();
  case Prim::clock: {
    auto* f = llvm::Intrinsic::getOrInsertDeclaration(&module_, llvm::Intrinsic::x86_rdtsc);
    return Values::scalar(Kind::u64, ir_.CreateCall(f, {}));
  }
  case Prim::realtime: {
    auto* pointer = llvm::PointerType::get(module_.getContext(), 0);
    auto* f = ir_.CreateLoad(pointer, ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), helpers_, offsetof(NativeHelpers, clock_100mhz)));
    return Values::scalar(Kind::u64, ir_.CreateCall(llvm::FunctionType::get(ir_.getInt64Ty(), false), f, {}));
  }
  default: {
    std::vector<Value> args;
    for (int k = 0; k < n.args; ++k) args.push_back(values[n.arg[static_cast<size_t>(k)]]);
    return values_.pure(n, args, chunk);
  }
  }
}

void FunctionEmitter::instruction(const Instruction& x) {
  writes_.clear();
  regs_->resident_writes = &x.resident_writes;
  if (!is_matrix(x) && (x.all_registers || (queue_.busy & (x.reads | x.writes)).any())) flush_matrix();
  if (x.outcall) return outcall(x);
  const auto& nodes = x.lifted.nodes;
  const bool lane = std::any_of(nodes.begin(), nodes.end(), [](const Node& n) { return n.lane; });
  if (lane) return on("lanes") ? lane_nodes(x) : outcall(x);

  const isa::Inst& i = x.lifted.inst;
  const Reg d = dest_of(i) ? reg_of(*dest_of(i), unit_.accum_offset) : static_cast<Reg>(kRegs);
  std::vector<Value> values(nodes.size());
  for (size_t k = 0; k < nodes.size(); ++k) {
    const Node& n = nodes[k];
    auto arg = [&](int a) -> const Value& { return values[n.arg[static_cast<size_t>(a)]]; };
    switch (n.prim) {
    case Prim::put:
      if (arg(0).kind == Kind::u64) regs_->set_s64(d, arg(0).base);
      else regs_->set_s32(static_cast<Reg>(d + n.imm), arg(0).base);
      break;
    case Prim::set_scc: regs_->set_s32(kScc, ir_.CreateZExt(arg(0).base, ir_.getInt32Ty())); break;
    case Prim::set_exec: regs_->set_s64(kExec, arg(0).base); break;
    case Prim::set_m0: regs_->set_s32(kM0, arg(0).base); break;
    case Prim::write_lane: write_lane(x, arg(0), arg(1)); break;
    case Prim::branch: branch_condition_ = ir_.getTrue(); break;
    case Prim::branch_if: branch_condition_ = arg(0).base; break;
    case Prim::jump: jump_target_ = ir_.CreateAnd(arg(0).base, ir_.getInt64(~uint64_t{3})); break;
    case Prim::set_mode: {
      const auto hwreg = static_cast<uint32_t>(n.imm);
      const uint32_t size = (hwreg >> 11 & 31) + 1, at = hwreg >> 6 & 31;
      const uint32_t mask = (size == 32 ? ~0u : (1u << size) - 1) << at;
      auto* p = wave_field(offsetof(Wave, mode));
      auto* kept = ir_.CreateAnd(ir_.CreateLoad(ir_.getInt32Ty(), p), ir_.getInt32(~mask));
      ir_.CreateStore(ir_.CreateOr(kept, ir_.CreateAnd(ir_.CreateShl(arg(0).base, at), ir_.getInt32(mask))), p);
      jump_target_ = address_of(x.next());
      break;
    }
    case Prim::barrier: yield(exec::YieldReason::barrier, 0); break;
    case Prim::sleep: yield(exec::YieldReason::sleep, static_cast<uint32_t>(n.imm)); break;
    case Prim::end_program: case Prim::trap: case Prim::halt: case Prim::nop: break;
    case Prim::fence: ir_.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent, llvm::SyncScope::SingleThread); break;
    case Prim::s_load: scalar_load(x, static_cast<unsigned>(n.imm)); break;
    case Prim::s_buffer_load: scalar_buffer_load(x, static_cast<unsigned>(n.imm)); break;
    case Prim::load: case Prim::store: case Prim::ds_read2: case Prim::ds_write2:
      if (!on("memory")) return outcall(x);
      if (n.prim == Prim::load) load(x, MemoryImm::of(n.imm));
      else if (n.prim == Prim::store) store(x, MemoryImm::of(n.imm));
      else two_cells(x, n.imm & 255, static_cast<unsigned>(n.imm >> 8), n.prim == Prim::ds_read2);
      break;
    case Prim::ds_swizzle: on("cross") ? swizzle(x) : outcall(x); break;
    case Prim::ds_bpermute: on("cross") ? bpermute(x) : outcall(x); break;
    case Prim::atomic: on("atomics") ? atomic(x, AtomicImm::of(n.imm)) : outcall(x); break;
    case Prim::mfma: matrix(x); break;
    case Prim::ds_permute: return outcall(x);
    default: values[k] = node_value(x, n, values, 0);
    }
  }
  for (auto& w : writes_) regs_->write32(w.r, w.chunk, w.value);
}

/// The low half of a sum or product of 64 bits, where it alone has a pattern: compilers use v_mad_u64_u32 for numbers of 32 bits, and
/// what stands in the high half of its addend then is anything. Empty if there is none.
Value FunctionEmitter::low_half(const Instruction& x, NodeId id, const std::vector<Value>& values, unsigned chunk) {
  const Node& n = x.lifted.nodes[id];
  auto low = [&](int k) { return low_half(x, n.arg[static_cast<size_t>(k)], values, chunk); };
  auto of = [&](int k) -> const Value& { return values[n.arg[static_cast<size_t>(k)]]; };
  Value v;
  switch (n.prim) {
  case Prim::add: case Prim::sub: {
    const Value a = low(0), b = low(1);
    if (a.base && b.base) v = values_.op(n.prim, Kind::u32, {a, b});
    break;
  }
  case Prim::umul_wide: case Prim::smul_wide: v = values_.op(Prim::mul, Kind::u32, {of(0), of(1)}); break;
  case Prim::zext64: case Prim::sext64: case Prim::make64: v = of(0); break;
  case Prim::src: {
    Node half = n;
    half.kind = Kind::u32;
    v = source(x, half, chunk);
    break;
  }
  default: break;
  }
  return v.base ? v : Value{};
}

/// Lane by lane rows: the nodes once for each chunk; registers change when all chunks are done.
void FunctionEmitter::lane_nodes(const Instruction& x) {
  const auto& nodes = x.lifted.nodes;
  const isa::Inst& i = x.lifted.inst;
  const Reg d = dest_of(i) ? reg_of(*dest_of(i), unit_.accum_offset) : static_cast<Reg>(kRegs);
  const bool is_dpp = i.form == isa::Form::dpp;
  std::array<llvm::Value*, kChunks> mask{};
  for (unsigned q = 0; q < kChunks; ++q) mask[q] = exec_mask(q);
  std::map<size_t, Chunks> permuted;
  if (is_dpp) {
    for (size_t k = 0; k < nodes.size(); ++k)
      if (nodes[k].prim == Prim::dpp_src) permuted[k] = dpp(x, nodes[k], mask);
  }
  struct Wide { Reg r; unsigned chunk; Value value, low; };
  std::vector<Wide> wide;
  Chunks flags;
  bool wrote_mask = false, wrote_exec = false;
  for (unsigned q = 0; q < kChunks; ++q) {
    std::vector<Value> values(nodes.size());
    for (size_t k = 0; k < nodes.size(); ++k) {
      const Node& n = nodes[k];
      auto arg = [&](int a) -> const Value& { return values[n.arg[static_cast<size_t>(a)]]; };
      switch (n.prim) {
      case Prim::dpp_src: values[k] = permuted[k][q]; break;
      case Prim::put: {
        const Reg r = static_cast<Reg>(d + n.imm);
        if (arg(0).kind != Kind::u64) {
          put(x, r, q, arg(0), mask[q], is_dpp);
        } else if (mask[q] && (is_dpp || x.keep.test(r) || x.keep.test(r + 1u))) {
          auto* old = values_.lanes(regs_->read64(r, q));
          Value v = Values::vector(Kind::u64, ir_.CreateSelect(mask[q], values_.lanes(arg(0)), old));
          if (const Value& n = arg(0); n.regular() && !is_dpp && !n.pattern.uniform()) v.base = n.base, v.pattern = n.pattern, v.cond = n.cond, v.on_only = true;
          wide.push_back({r, q, v, {}});
        } else {
          wide.push_back({r, q, arg(0), arg(0).base ? Value{} : low_half(x, n.arg[0], values, q)});
        }
        break;
      }
      case Prim::put_src: put(x, reg_of(*source_of(i, static_cast<int>(n.imm)), unit_.accum_offset), q, arg(0), mask[q], is_dpp); break;
      case Prim::lanes_out_exec: wrote_exec = true; [[fallthrough]];
      case Prim::lanes_out:
        wrote_mask = true;
flags[q] = arg(0);
        if (mask[q]) {
          flags[q].vec = ir_.CreateAnd(values_.lanes(arg(0)), mask[q]);
          flags[q].on_only = flags[q].base != nullptr;
        }
        break;
      default: values[k] = node_value(x, n, values, q);
      }
    }
  }
  for (auto& w : writes_) regs_->write32(w.r, w.chunk, w.value);
  for (auto& w : wide) regs_->write64(w.r, w.chunk, w.value, w.low);
  if (wrote_mask) {
    auto* m = wave_mask(flags);
    regs_->set_s64(mask_dest(i), m);
    if (wrote_exec) regs_->set_s64(kExec, m);
  }
}

// ---------------------------------------------------------------- the interpreter's help

/// What the instruction reads goes to the wave block, and the interpreter runs it there.
void FunctionEmitter::call_out(const Instruction& x) {
  const auto at = static_cast<uint32_t>((x.lifted.pc - request_.begin) / 4);
  auto known = std::find(facts_.outcalls.begin(), facts_.outcalls.end(), at);
  const auto index = static_cast<uint32_t>(known - facts_.outcalls.begin());
  if (known == facts_.outcalls.end()) facts_.outcalls.push_back(at);
  RegSet in = x.reads;
  if (x.all_registers) in = unit_.used;
  if (!regs_->at->full) in |= x.keep;   // lanes that are off keep what is there
  if (x.keeps_rest) in |= x.writes;
  in.reset(kExec), in.reset(kExec + 1);
  ir_.CreateAlignedStore(regs_->s64(kExec), regs_->home(kExec, Registers::kScalar), llvm::Align(4));
  for (Reg r = 0; r < kRegs; ++r) {
    if (!in.test(r)) continue;
    if (!is_vgpr(r)) {
      send_home(r, Registers::kScalar);
      continue;
    }
    for (unsigned q = 0; q < kChunks; ++q) send_home(r, q);
  }
  call_helper(offsetof(NativeHelpers, outcall), {ir_.getInt32(index)}, true);
}
Value FunctionEmitter::from_home(Reg r, unsigned chunk) {
  if (!is_vgpr(r)) return Values::scalar(Kind::u32, ir_.CreateAlignedLoad(ir_.getInt32Ty(), regs_->home(r, chunk), llvm::Align(4)));
  return Values::vector(Kind::u32, ir_.CreateAlignedLoad(values_.vector_type(Kind::u32), regs_->home(r, chunk), llvm::Align(64)));
}

void FunctionEmitter::note(const Instruction& x, std::string text) {
  facts_.notes[static_cast<uint32_t>((x.lifted.pc - request_.begin) / 4)].insert((regs_->at->full ? "all lanes on: " : "some lanes on: ") + std::move(text));
}

void FunctionEmitter::outcall(const Instruction& x) {
  note(x, "the interpreter does it");
  call_out(x);
  const RegSet out = x.all_registers ? unit_.used : x.writes;
  for (Reg r = 0; r < kRegs; ++r) {
    if (!out.test(r) || r == kExec || r == kExec + 1) continue;
    if (x.resident_writes.test(r) && regs_->resident.test(r)) continue;   // it is where it belongs
    if (!is_vgpr(r)) regs_->write32(r, Registers::kScalar, from_home(r, Registers::kScalar));
    else
      for (unsigned q = 0; q < kChunks; ++q) regs_->write32(r, q, from_home(r, q));
  }
  if (out.test(kExec) || out.test(kExec + 1)) regs_->set_s64(kExec, ir_.CreateAlignedLoad(ir_.getInt64Ty(), regs_->home(kExec, Registers::kScalar), llvm::Align(4)));
}

} // namespace bz::jit
