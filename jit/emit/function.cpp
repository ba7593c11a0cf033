#include "jit/emit/function.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <cstddef>

namespace bz::jit {
namespace {

using exec::NativeContext;
using exec::NativeExit;
using exec::NativeHelpers;
using exec::Wave;

constexpr uint32_t version_of(uint32_t guest, bool full) { return 2 * guest + full; }

} // namespace

FunctionEmitter::FunctionEmitter(llvm::Module& module, const Unit& unit, const exec::NativeRequest& request, const MathTraits& traits)
    : module_(module), unit_(unit), request_(request), traits_(traits), ir_(module.getContext(), llvm::InstSimplifyFolder(module.getDataLayout())),
      values_(ir_, traits, module.getDataLayout()), lines_(module) {
  lines_unit_ = lines_.createCompileUnit(llvm::DISourceLanguageName(llvm::dwarf::DW_LANG_C), lines_.createFile("guest", ""), "", true, "", 0, "", llvm::DICompileUnit::LineTablesOnly);
  values_.patterns = on("patterns");
}

/// The launch says so: no version for some lanes is needed unless the kernel itself turns lanes off.
bool FunctionEmitter::starts_full(uint32_t entry) const { return entry == 0 && request_.kernel_start && request_.full_waves; }

bool FunctionEmitter::on(std::string_view optimisation) const { return optimises(request_, optimisation); }

/// Which versions can be reached, in which order they are made, and what may lead to each.
void FunctionEmitter::plan() {
  const auto blocks = static_cast<uint32_t>(unit_.blocks.size());
  const auto count = 2 * blocks + static_cast<uint32_t>(unit_.entries.size());
  std::vector<std::vector<uint32_t>> after(count);
  auto both = [&](uint32_t from, uint32_t guest) {
    if (guest == Block::kNone) return;
    after[from].push_back(version_of(guest, true)), after[from].push_back(version_of(guest, false));
  };
  for (uint32_t g = 0; g < blocks; ++g) {
    const Block& b = unit_.blocks[g];
    const ExecChange change = unit_.instructions[b.first + b.count - 1].exec;
    for (bool full : {false, true}) {
      const uint32_t from = version_of(g, full);
      auto same = [&](uint32_t guest) {
        if (guest != Block::kNone) after[from].push_back(version_of(guest, full));
      };
      if (b.end == Block::End::falls && change != ExecChange::none) {
        if (change == ExecChange::full || (full && change == ExecChange::grows)) after[from].push_back(version_of(b.next, true));
        else if (change == ExecChange::shrinks && !full) after[from].push_back(version_of(b.next, false));
        else both(from, b.next);
        continue;
      }
      if (b.end == Block::End::branches || b.end == Block::End::condition) same(b.taken);
      if (b.end == Block::End::falls || b.end == Block::End::condition) same(b.next);
    }
  }
  for (uint32_t e = 0; e < unit_.entries.size(); ++e) {
    if (!starts_full(e)) both(2 * blocks + e, unit_.entries[e]);
    else if (unit_.entries[e] != Block::kNone) after[2 * blocks + e].push_back(version_of(unit_.entries[e], true));
  }

  std::vector<uint8_t> state(count);
  std::vector<uint32_t> done;
  std::vector<std::pair<uint32_t, size_t>> stack;
  for (uint32_t e = count; e-- > 2 * blocks;) {
    stack.emplace_back(e, 0);
    state[e] = 1;
    while (!stack.empty()) {
      auto& [v, i] = stack.back();
      if (i < after[v].size()) {
        const uint32_t n = after[v][i++];
        if (!state[n]) state[n] = 1, stack.emplace_back(n, 0);
      } else {
        done.push_back(v);
        stack.pop_back();
      }
    }
  }
  order_.assign(done.rbegin(), done.rend());
  before_.assign(count, {});
  for (uint32_t v : order_)
    for (uint32_t n : after[v]) before_[n].push_back(v);
}

std::vector<Version::Edge> FunctionEmitter::unchanged_from(const Version& v, Reg r, bool wide) const {
  if (v.entry) return {};
  // The largest loop around this place that leaves the register alone. Not its head alone: where lanes go off in the middle of a
  // loop of full waves, its other version is entered there, and what comes before that place is made later.
  const Loop* loop = nullptr;
  uint32_t head = 0;
  for (auto& [h, l] : loops_) {
    if (!l.body[v.guest] || l.writes.test(r) || (wide && l.writes.test(r + 1u))) continue;
    if (!loop || loop->size < l.size) loop = &l, head = h;
  }
  if (!loop) return {};
  std::vector<Version::Edge> ways;
  for (bool full : {false, true}) {
    if (full != v.full && !(v.full ? loop->to_full : loop->to_some)) continue;   // the other version never comes here
    const Version& to = versions_[version_of(head, full)];
    for (uint32_t b : before_[version_of(head, full)]) {
      const Version& from = versions_[b];
      if (!from.entry && loop->body[from.guest]) continue;
      // Not known yet, or known by now but behind: what is read at the end of `from` may come from this very place.
      if (!from.entry && (from.order == 0 || from.order >= v.order)) return {};
    }
    for (auto& e : to.in)
      if (e.from->entry || !loop->body[e.from->guest]) ways.push_back(e);
  }
  return ways;
}

FunctionFacts FunctionEmitter::emit(const char* name) {
  plan();
  if (on("loops")) loops_ = find_loops(unit_);
  for (;;) {
    facts_.outcalls.clear();
    facts_.notes.clear();
    facts_.switches = false;
    ++facts_.attempts;
    if (attempt(name)) {
      lines_.finalize();
      return facts_;
    }
    function_->eraseFromParent();
  }
}

bool FunctionEmitter::attempt(const char* name) {
  auto& c = module_.getContext();
  auto* pointer = llvm::PointerType::get(c, 0);
  function_ = llvm::Function::Create(llvm::FunctionType::get(ir_.getInt32Ty(), {pointer, pointer, ir_.getInt32Ty()}, false),
                                     llvm::GlobalValue::ExternalLinkage, name, module_);
  function_->setDoesNotThrow();
  auto* file = lines_unit_->getFile();
  lines_function_ = lines_.createFunction(file, name, name, file, 1, lines_.createSubroutineType(lines_.getOrCreateTypeArray({})), 1, llvm::DINode::FlagZero,
                                          llvm::DISubprogram::SPFlagDefinition);
  function_->setSubprogram(lines_function_);
  ir_.SetCurrentDebugLocation(llvm::DILocation::get(module_.getContext(), 0, 0, lines_function_));
  function_->addParamAttr(0, llvm::Attribute::NoAlias);
  function_->addFnAttr("no-builtins");
  set_math_attributes(*function_, traits_);
  context_ = function_->getArg(0);
  wave_ = function_->getArg(1);
  auto* top = llvm::BasicBlock::Create(c, "top", function_);
  ir_.SetInsertPoint(top);
  table_ = ir_.CreateAlloca(llvm::ArrayType::get(ir_.getInt32Ty(), 64));
  llvm::cast<llvm::AllocaInst>(table_)->setAlignment(llvm::Align(64));
  auto* tables = ir_.CreateAlloca(llvm::ArrayType::get(ir_.getInt64Ty(), 4 * 64));
  tables->setAlignment(llvm::Align(64));
  tables_ = tables;
  code_ = context_field(offsetof(NativeContext, code), ir_.getInt64Ty());
  lds_ = context_field(offsetof(NativeContext, lds), pointer);
  helpers_ = context_field(offsetof(NativeContext, helpers), pointer);

  regs_ = std::make_unique<Registers>(values_, wave_);
  regs_->guesses = &guesses_;
  regs_->tests = on("tests");
  regs_->resident_ever = &unit_.resident;
  queue_ = {};
  auto unchanged = [this](const Version& v, Reg r, bool wide) { return unchanged_from(v, r, wide); };
  regs_->unchanged_from = unchanged;
  mask_parts_.clear();
  matrix_rows_ = nullptr;
  const auto blocks = static_cast<uint32_t>(unit_.blocks.size());
  versions_.clear();
  versions_.resize(before_.size());
  for (uint32_t v = 0; v < versions_.size(); ++v) {
    versions_[v].guest = v / 2;
    versions_[v].full = v < 2 * blocks && v % 2;
    versions_[v].entry = v >= 2 * blocks;
    versions_[v].name = v;
  }
  // Work-item numbers of a kernel's waves: the same differences in each, or not regular.
  if (request_.kernel_start && !request_.ids.empty()) {
    const size_t stride = size_t{request_.waves} * 64;
    for (uint32_t row = 0; row < request_.id_rows; ++row)
      for (unsigned q = 0; q < kChunks; ++q) {
        const uint32_t* ids = request_.ids.data() + row * stride + kLanes * q;
        Pattern p;
        uint64_t bits = 0;
        bool same = true;
        for (uint32_t w = 0; w < request_.waves; ++w, ids += 64) {
          if (64 * w + kLanes * q >= request_.ids.size() / request_.id_rows) break;
          bits |= ids[0];
          Pattern here;
          for (unsigned l = 0; l < kLanes; ++l) here.delta[l] = static_cast<int32_t>(ids[l] - ids[0]);
          if (w == 0) p = here;
          same &= here == p;
        }
        if (same) regs_->entry_patterns[{vgpr(row), q}] = {p, bits};
      }
  }

  // Entries.
  llvm::SwitchInst* choice = nullptr;
  auto* nowhere = llvm::BasicBlock::Create(c, "nowhere", function_);
  choice = ir_.CreateSwitch(function_->getArg(2), nowhere, static_cast<unsigned>(unit_.entries.size()));
  ir_.SetInsertPoint(nowhere);
  ir_.CreateUnreachable();
  for (uint32_t i = 0; i < order_.size(); ++i) {
    Version& v = versions_[order_[i]];
    v.order = i;
    v.complete = true;
    for (uint32_t b : before_[order_[i]]) v.complete &= versions_[b].emitted || (versions_[b].order != 0 && versions_[b].order < i);
    if (v.entry) {
      const uint32_t e = order_[i] - 2 * blocks;
      v.first = v.last = llvm::BasicBlock::Create(c, "entry", function_);
      choice->addCase(ir_.getInt32(e), v.first);
      if (unit_.entries[e] == Block::kNone) {
        ir_.SetInsertPoint(v.first);
        ir_.CreateStore(address_of(unit_.entry_pcs[e]), wave_field(offsetof(Wave, jump_target)));
        ir_.CreateRet(ir_.getInt32(static_cast<uint32_t>(NativeExit::interpret)));
        v.emitted = true;
        continue;
      }
      v.emitted = true;
      ir_.SetInsertPoint(v.first);
      regs_->at = &v;
      regs_->resident = {};
      if (starts_full(e)) {
        ir_.CreateBr(edge(v, unit_.entries[e], true));
        v.kernel_start = true;
        continue;
      }
      auto* placeholder = ir_.CreateUnreachable();
      v.kernel_start = e == 0 && request_.kernel_start;   // what the launch says holds there
      auto* exec_value = regs_->s64(kExec);
      placeholder->eraseFromParent();
      ir_.SetInsertPoint(v.first);
      auto* full = edge(v, unit_.entries[e], true);
      auto* other = edge(v, unit_.entries[e], false);
      ir_.CreateCondBr(ir_.CreateICmpEQ(exec_value, ir_.getInt64(~uint64_t{0})), full, other);
      continue;
    }
    if (v.complete && v.in.empty()) continue;   // what could lead here turned out not to
    emit_version(v);
  }
  const bool right = regs_->finish();
  // Ways that were planned and never taken.
  for (Version& v : versions_)
    if (v.first && !v.emitted) {
      ir_.SetInsertPoint(v.first);
      ir_.CreateUnreachable();
    }
  return right;
}

llvm::BasicBlock* FunctionEmitter::edge(Version& from, uint32_t guest, bool full) {
  Version& to = versions_[version_of(guest, full)];
  if (!to.first) to.first = llvm::BasicBlock::Create(module_.getContext(), full ? "full" : "some", function_);
  to.in.push_back({&from, ir_.GetInsertBlock()});
  return to.first;
}

void FunctionEmitter::emit_version(Version& v) {
  if (!v.first) v.first = llvm::BasicBlock::Create(module_.getContext(), v.full ? "full" : "some", function_);
  const Block& b = unit_.blocks[v.guest];
  ir_.SetInsertPoint(v.first);
  regs_->at = &v;
  regs_->resident = b.resident_in;
  exec_masks_ = {};
  branch_condition_ = jump_target_ = nullptr;
  const ExecChange change = unit_.instructions[b.first + b.count - 1].exec;
  v.exec_grows = change != ExecChange::none && change != ExecChange::shrinks;
  if (request_.count) {
    auto* p = ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), context_, offsetof(NativeContext, instructions));
    ir_.CreateStore(ir_.CreateAdd(ir_.CreateLoad(ir_.getInt64Ty(), p), ir_.getInt64(b.count)), p);
  }
  for (uint32_t i = 0; i < b.count; ++i) {
    const Instruction& x = unit_.instructions[b.first + i];
    const auto line = static_cast<unsigned>((x.lifted.pc - request_.begin) / 4 + 1);
    ir_.SetCurrentDebugLocation(llvm::DILocation::get(module_.getContext(), line, 0, lines_function_));
    instruction(x);
  }
  emit_end(v, b);
  v.last = v.last ? v.last : ir_.GetInsertBlock();
  v.emitted = true;
}

/// A jump to the next block in the version that fits EXEC.
void FunctionEmitter::split_by_exec(Version& from, uint32_t guest) {
  const Block& b = unit_.blocks[from.guest];
  const ExecChange change = unit_.instructions[b.first + b.count - 1].exec;
  from.last = ir_.GetInsertBlock();
  if (change == ExecChange::full || (from.full && change == ExecChange::grows)) {
    ir_.CreateBr(edge(from, guest, true));
    return;
  }
  if (change == ExecChange::shrinks && !from.full) {
    ir_.CreateBr(edge(from, guest, false));
    return;
  }
  auto* full = ir_.CreateICmpEQ(regs_->s64(kExec), ir_.getInt64(~uint64_t{0}));
  from.last = ir_.GetInsertBlock();
  if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(full)) {
    ir_.CreateBr(edge(from, guest, known->isOne()));
    return;
  }
  auto* yes = edge(from, guest, true);
  auto* no = edge(from, guest, false);
  ir_.CreateCondBr(full, yes, no);
}

void FunctionEmitter::back_edge() {
  if (!on("yields")) return;
  facts_.switches = true;
  auto& c = module_.getContext();
  auto* p = ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), context_, offsetof(NativeContext, budget));
  auto* left = ir_.CreateSub(ir_.CreateLoad(ir_.getInt64Ty(), p), ir_.getInt64(1));
  ir_.CreateStore(left, p);
  auto* turn = llvm::BasicBlock::Create(c, "turn", function_);
  auto* on_it = llvm::BasicBlock::Create(c, "go_on", function_);
  auto* br = ir_.CreateCondBr(ir_.CreateICmpSLT(left, ir_.getInt64(0)), turn, on_it);
  br->setMetadata(llvm::LLVMContext::MD_prof, llvm::MDNode::get(c, {llvm::MDString::get(c, "branch_weights"), llvm::ConstantAsMetadata::get(ir_.getInt32(1)),
                                                                     llvm::ConstantAsMetadata::get(ir_.getInt32(100000))}));
  ir_.SetInsertPoint(turn);
  call_helper(offsetof(NativeHelpers, turn), {}, true);
  ir_.CreateBr(on_it);
  ir_.SetInsertPoint(on_it);
}

/// A jump to a block in the version at hand, through the count of back edges if it is one.
void FunctionEmitter::go(Version& from, uint32_t guest, const Block& b) {
  if (b.back_edge && guest == b.taken) back_edge();
  ir_.CreateBr(edge(from, guest, from.full));
}

void FunctionEmitter::emit_end(Version& v, const Block& b) {
  flush_matrix();
  auto& c = module_.getContext();
  auto taken = [&] {
    if (b.taken == Block::kNone) leave(NativeExit::jump, address_of(b.leaves_to));
    else go(v, b.taken, b);
  };
  switch (b.end) {
  case Block::End::falls:
    if (unit_.instructions[b.first + b.count - 1].exec != ExecChange::none) {
      split_by_exec(v, b.next);
    } else {
      v.last = ir_.GetInsertBlock();
      ir_.CreateBr(edge(v, b.next, v.full));
    }
    return;
  case Block::End::branches:
    v.last = ir_.GetInsertBlock();
    if (b.taken != Block::kNone && b.back_edge) {
      // Registers are read before the end of `last`, which must be what all that follows comes from.
      auto* way = llvm::BasicBlock::Create(c, "back", function_);
      ir_.CreateBr(way);
      ir_.SetInsertPoint(way);
    } else if (b.taken == Block::kNone) {
      auto* way = llvm::BasicBlock::Create(c, "out", function_);
      ir_.CreateBr(way);
      ir_.SetInsertPoint(way);
    }
    taken();
    return;
  case Block::End::condition: {
    v.last = ir_.GetInsertBlock();
    if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(branch_condition_)) {
      auto* way = llvm::BasicBlock::Create(c, "only", function_);
      ir_.CreateBr(way);
      ir_.SetInsertPoint(way);
      if (known->isOne()) taken();
      else if (b.next == Block::kNone) leave(NativeExit::interpret, address_of(unit_.instructions[b.first + b.count - 1].next()));
      else ir_.CreateBr(edge(v, b.next, v.full));
      return;
    }
    auto* yes = llvm::BasicBlock::Create(c, "taken", function_);
    auto* no = llvm::BasicBlock::Create(c, "not_taken", function_);
    ir_.CreateCondBr(branch_condition_, yes, no);
    ir_.SetInsertPoint(yes);
    taken();
    ir_.SetInsertPoint(no);
    if (b.next == Block::kNone) leave(NativeExit::interpret, address_of(unit_.instructions[b.first + b.count - 1].next()));
    else ir_.CreateBr(edge(v, b.next, v.full));
    return;
  }
  case Block::End::ends:
    if (!on("dead")) store_everything();
    ir_.CreateRet(ir_.getInt32(static_cast<uint32_t>(NativeExit::ended)));
    return;
  case Block::End::leaves: leave(NativeExit::jump, jump_target_ ? jump_target_ : address_of(b.leaves_to)); return;
  case Block::End::interprets: leave(NativeExit::interpret, address_of(b.leaves_to)); return;
  }
}

void FunctionEmitter::leave(NativeExit why, llvm::Value* target) {
  store_everything();
  ir_.CreateStore(target, wave_field(offsetof(Wave, jump_target)));
  ir_.CreateRet(ir_.getInt32(static_cast<uint32_t>(why)));
}

void FunctionEmitter::store_everything() {
  regs_->keep_parts = false;   // what is made here does not reach other places
  ir_.CreateAlignedStore(regs_->s64(kExec), regs_->home(kExec, Registers::kScalar), llvm::Align(4));
  for (Reg r = 0; r < kRegs; ++r) {
    if (!unit_.used.test(r)) continue;
    if (!is_vgpr(r)) {
      send_home(r, Registers::kScalar);
      continue;
    }
    for (unsigned q = 0; q < kChunks; ++q)
      send_home(r, q);
  }
  regs_->keep_parts = true;
}

/// A register's value to its place in the wave block, unless it came from there and never changed.
void FunctionEmitter::send_home(Reg r, unsigned chunk) {
  if (regs_->resident.test(r)) return;
  const Value v = regs_->read32(r, chunk);
  if (regs_->from_home(r, chunk, v)) return;
  if (chunk == Registers::kScalar) ir_.CreateAlignedStore(v.base, regs_->home(r, chunk), llvm::Align(4));
  else ir_.CreateAlignedStore(values_.lanes(v), regs_->home(r, chunk), llvm::Align(64));
}

llvm::Value* FunctionEmitter::address_of(uint64_t pc) { return ir_.CreateAdd(code_, ir_.getInt64(pc - request_.begin)); }

llvm::Value* FunctionEmitter::context_field(size_t offset, llvm::Type* type) {
  return ir_.CreateLoad(type, ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), context_, offset));
}
llvm::Value* FunctionEmitter::wave_field(size_t offset) { return ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), wave_, offset); }

void FunctionEmitter::call_helper(size_t offset, std::initializer_list<llvm::Value*> args, bool keeps_registers) {
  auto& c = module_.getContext();
  auto* f = ir_.CreateLoad(llvm::PointerType::get(c, 0), ir_.CreateConstInBoundsGEP1_64(ir_.getInt8Ty(), helpers_, offset));
  std::vector<llvm::Value*> all{context_, wave_};
  all.insert(all.end(), args);
  std::vector<llvm::Type*> types;
  for (auto* a : all) types.push_back(a->getType());
  auto* call = ir_.CreateCall(llvm::FunctionType::get(ir_.getVoidTy(), types, false), f, all);
  if (keeps_registers) call->addFnAttr(llvm::Attribute::get(c, "no_caller_saved_registers"));
}

void FunctionEmitter::yield(exec::YieldReason why, uint32_t argument) {
  facts_.switches = true;
  call_helper(offsetof(NativeHelpers, yield), {ir_.getInt32(static_cast<uint32_t>(why)), ir_.getInt32(argument)});
}

} // namespace bz::jit
