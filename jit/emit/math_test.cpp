// Arithmetic of compiled code against the interpreter: single instructions of all targets, random modifiers and MODEs, corner
// values in the registers. Each becomes a host function on the wave block, compiled in process; many instructions a module.
// Look closer with BZ_JIT_ROW=v_perm_b32 BZ_JIT_SEED=5 BZ_JIT_CASES=20 BZ_JIT_MODE=0x3f0 BZ_JIT_DUMP=1.
#include "exec/interp/control.hpp"
#include "exec/judge/generate.hpp"
#include "exec/op.hpp"
#include "exec/testing/kernel.hpp"
#include "exec/testing/machine.hpp"
#include "exec/wave.hpp"
#include "jit/emit/math.hpp"
#include "jit/flow/unit.hpp"

#include <gtest/gtest.h>
#include <llvm/Analysis/InstSimplifyFolder.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <immintrin.h>
#include <map>
#include <set>

namespace bz::jit {
namespace {

using exec::judge::Random;
using exec::testing::Machine;
using isa::Operand;
using isa::Target;
using isa::Type;
namespace layout = exec::layout;

uint64_t number(const char* name, uint64_t otherwise) {
  const char* v = std::getenv(name);
  return v && *v ? std::strtoull(v, nullptr, 0) : otherwise;
}

struct Question {
  Target target;
  std::vector<uint32_t> words;
  Lifted lifted;
  uint32_t mode = 0x3f0;
  bool scalar = false, by_chunk = false;   ///< one call for the wave; the chunk's number is in the code
  bool fast = false;
  bool uniform = false;   ///< what depends on scalars only is computed once, as a scalar
};
/// A chunk of the wave at `wave`; masks that it writes go to `masks`, so that other chunks see the old ones.
using Compiled = void (*)(char* wave, uint64_t chunk, uint16_t* masks);

// ---------------------------------------------------------------- one instruction as a host function

constexpr unsigned kLanes = 16, kChunks = 4;

/// A part of a NaN, which may differ, as the whole result.
bool picks_from_float(const isa::Inst& i) {
  if (i.form != isa::Form::sdwa || i.sdwa.dst_sel == 6) return false;
  auto* o = dest_of(i);
  return o && (o->type == Type::f32 || ((o->type == Type::f16 || o->type == Type::pk_f16) && i.sdwa.dst_sel < 4));
}

/// Only what the test can do by itself: no control, no other lanes.
bool usable(const Lifted& l) {
  if (!l.implemented || l.nodes.empty() || picks_from_float(l.inst)) return false;
  for (auto& n : l.nodes) {
    if (is_pure(n.prim)) continue;
    switch (n.prim) {
    case Prim::src: {
      auto* o = source_of(l.inst, static_cast<int>(n.imm & 255));
      if (!o || (o->kind == Operand::Kind::special)) return false;
      break;
    }
    case Prim::old: case Prim::put: case Prim::put_src: case Prim::lanes_in: case Prim::lanes_out: case Prim::lanes_out_exec: case Prim::scc:
    case Prim::set_scc: case Prim::exec: case Prim::set_exec: case Prim::vcc: case Prim::m0: case Prim::set_m0: break;
    default: return false;
    }
  }
  return true;
}

class Emitter {
public:
  Emitter(llvm::Module& module, const Question& q, const MathTraits& traits, const std::string& name, unsigned fixed_chunk)
      : q_(q), ir_(module.getContext(), llvm::InstSimplifyFolder(module.getDataLayout())), fixed_(fixed_chunk) {
    auto* ptr = ir_.getPtrTy();
    auto* type = llvm::FunctionType::get(ir_.getVoidTy(), {ptr, ir_.getInt64Ty(), ptr}, false);
    auto* f = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
    set_math_attributes(*f, traits);
    ir_.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "", f));
    wave_ = f->getArg(0), chunk_ = f->getArg(1), masks_ = f->getArg(2);
    Math math(ir_, traits, kLanes);
    math_ = &math;
    for (auto& n : q.lifted.nodes) values_.push_back(node(n));
    for (auto& [to, value] : stores_) ir_.CreateAlignedStore(value, to, llvm::Align(value->getType()->isVectorTy() ? 64 : 4));
    ir_.CreateRetVoid();
    if (llvm::verifyFunction(*f, &llvm::errs())) std::abort();
  }

private:
  using V = llvm::Value*;
  const Question& q_;
  llvm::IRBuilder<llvm::InstSimplifyFolder> ir_;
  unsigned fixed_;
  Math* math_ = nullptr;
  V wave_, chunk_, masks_;
  std::vector<V> values_;
  std::vector<std::pair<V, V>> stores_;

  V at(uint64_t offset) { return ir_.CreateConstGEP1_64(ir_.getInt8Ty(), wave_, offset); }
  V chunk_of(uint64_t offset, uint64_t stride) { return ir_.CreateGEP(ir_.getInt8Ty(), at(offset), ir_.CreateMul(chunk_, ir_.getInt64(stride))); }
  V home(Reg r) { return is_vgpr(r) ? chunk_of(layout::vgpr(r - kVgpr0), 4 * kLanes) : at(r == kScc ? layout::kState : layout::sgpr(r)); }
  V load(Reg r, unsigned bits) {
    if (is_vgpr(r)) return ir_.CreateAlignedLoad(math_->type(Kind::u32, true), home(r), llvm::Align(64));
    return ir_.CreateAlignedLoad(ir_.getIntNTy(bits), home(r), llvm::Align(4));
  }
  V mask(V place) { return math_->flags_of(ir_.CreateAlignedLoad(ir_.getInt16Ty(), place, llvm::Align(2))); }
  V emit(const Node& n, std::initializer_list<V> args, std::initializer_list<Kind> kinds) {
    return math_->emit(n, {args.begin(), args.size()}, {kinds.begin(), kinds.size()}, fixed_);
  }
  V word(Reg r, Kind kind, bool lane) {
    if (kind != Kind::u64) return load(r, 32);
    if (!is_vgpr(r)) return load(r, 64);
    Node make;
    make.prim = Prim::make64, make.kind = Kind::u64, make.lane = lane;
    return emit(make, {load(r, 32), load(static_cast<Reg>(r + 1), 32)}, {Kind::u32, Kind::u32});
  }
  V source(const Node& n) {
    auto* o = source_of(q_.lifted.inst, static_cast<int>(n.imm & 255));
    const unsigned dword = static_cast<unsigned>(n.imm >> 8);
    if (Reg r = reg_of(*o, 256); r < kRegs) return word(static_cast<Reg>(r + dword), n.kind, n.lane);
    uint64_t value = o->value;
    if (o->type == Type::pk_f32 || o->type == Type::pk_b32) value |= value << 32;
    return n.kind == Kind::u64 ? ir_.getInt64(value) : ir_.getInt32(static_cast<uint32_t>(value >> 32 * dword));
  }
  void put(Reg r, V value, Kind kind, bool lane) {
    if (!lane) return void(stores_.push_back({home(r), value}));
    if (kind == Kind::u64) {
      Node half;
      half.kind = Kind::u32, half.lane = true;
      half.prim = Prim::lo, put(r, emit(half, {value}, {Kind::u64}), Kind::u32, true);
      half.prim = Prim::hi, put(static_cast<Reg>(r + 1), emit(half, {value}, {Kind::u64}), Kind::u32, true);
      return;
    }
    if (!value->getType()->isVectorTy()) value = ir_.CreateVectorSplat(kLanes, value);
    stores_.push_back({home(r), ir_.CreateSelect(mask(chunk_of(layout::sgpr(kExec), 2)), value, load(r, 32))});
  }
  V node(const Node& n) {
    const auto& i = q_.lifted.inst;
    auto arg = [&](int k) { return values_[n.arg[static_cast<size_t>(k)]]; };
    auto kind = [&](int k) { return q_.lifted.nodes[n.arg[static_cast<size_t>(k)]].kind; };
    switch (n.prim) {
    case Prim::src: return source(n);
    case Prim::old: return word(static_cast<Reg>(reg_of(*dest_of(i), 256) + n.imm), n.kind, n.lane);
    case Prim::put: put(static_cast<Reg>(reg_of(*dest_of(i), 256) + n.imm), arg(0), kind(0), n.lane); return nullptr;
    case Prim::put_src: put(reg_of(*source_of(i, static_cast<int>(n.imm)), 256), arg(0), kind(0), true); return nullptr;
    case Prim::lanes_in: {
      uint64_t value;
      const Reg r = mask_source(i, value);
      if (r < kRegs) return mask(chunk_of(layout::sgpr(r), 2));
      return ir_.CreateVectorSplat(kLanes, ir_.getInt1(value & 1));
    }
    case Prim::lanes_out: case Prim::lanes_out_exec: {
      V flags = arg(0)->getType()->isVectorTy() ? arg(0) : ir_.CreateVectorSplat(kLanes, arg(0));
      V x = ir_.CreateAnd(flags, mask(chunk_of(layout::sgpr(kExec), 2)));
      stores_.push_back({ir_.CreateGEP(ir_.getInt16Ty(), masks_, chunk_), math_->bits_of(x)});
      return nullptr;
    }
    case Prim::scc: return ir_.CreateICmpNE(load(kScc, 32), ir_.getInt32(0));
    case Prim::set_scc: put(kScc, ir_.CreateZExt(arg(0), ir_.getInt32Ty()), Kind::u32, false); return nullptr;
    case Prim::exec: return load(kExec, 64);
    case Prim::set_exec: put(kExec, arg(0), Kind::u64, false); return nullptr;
    case Prim::vcc: return load(kVcc, 64);
    case Prim::m0: return load(kM0, 32);
    case Prim::set_m0: put(kM0, arg(0), Kind::u32, false); return nullptr;
    default: {
      std::vector<V> args;
      std::vector<Kind> kinds;
      for (int k = 0; k < n.args; ++k) args.push_back(arg(k)), kinds.push_back(kind(k));
      Node once = n;
      const bool by_lane = n.prim == Prim::lane_index || n.prim == Prim::mbcnt_lo || n.prim == Prim::mbcnt_hi;
      if (q_.uniform && !by_lane && std::ranges::none_of(args, [](V x) { return x->getType()->isVectorTy(); })) once.lane = false;
      return math_->emit(once, args, kinds, fixed_);
    }
    }
  }
};

// ---------------------------------------------------------------- many of them compiled

class Jit {
public:
  explicit Jit(bool avx512) : machine_(llvm::Triple("x86_64-unknown-linux-gnu")) {
    machine_.setCPU(avx512 ? "x86-64-v4" : "x86-64-v3");
    machine_.setCodeGenOptLevel(llvm::CodeGenOptLevel::Less);
    jit_ = llvm::cantFail(llvm::orc::LLJITBuilder().setJITTargetMachineBuilder(machine_).create());
  }
  void add(llvm::function_ref<void(llvm::Module&)> fill) {
    auto context = std::make_unique<llvm::LLVMContext>();
    auto module = std::make_unique<llvm::Module>("test", *context);
    auto target = llvm::cantFail(machine_.createTargetMachine());
    module->setDataLayout(target->createDataLayout());
    module->setTargetTriple(target->getTargetTriple());
    fill(*module);
    optimize(*module, *target);
    if (number("BZ_JIT_DUMP", 0)) module->print(llvm::outs(), nullptr);
    llvm::cantFail(jit_->addIRModule({std::move(module), std::move(context)}));
  }
  Compiled function(const std::string& name) { return llvm::cantFail(jit_->lookup(name)).toPtr<Compiled>(); }

private:
  /// What the product's passes do to arithmetic: constants and identities are folded.
  static void optimize(llvm::Module& module, llvm::TargetMachine& target) {
    llvm::PassBuilder builder(&target);
    llvm::LoopAnalysisManager loops;
    llvm::FunctionAnalysisManager functions;
    llvm::CGSCCAnalysisManager graph;
    llvm::ModuleAnalysisManager modules;
    builder.registerModuleAnalyses(modules), builder.registerCGSCCAnalyses(graph), builder.registerFunctionAnalyses(functions);
    builder.registerLoopAnalyses(loops), builder.crossRegisterProxies(loops, functions, graph, modules);
    llvm::FunctionPassManager passes;
    passes.addPass(llvm::InstCombinePass());
    passes.addPass(llvm::EarlyCSEPass());
    passes.addPass(llvm::SimplifyCFGPass());
    for (auto& f : module)
      if (!f.isDeclaration()) passes.run(f, functions);
  }
  llvm::orc::JITTargetMachineBuilder machine_;
  std::unique_ptr<llvm::orc::LLJIT> jit_;
};

class Code {
public:
  Code(std::span<const Question> questions, bool avx512) : jit_(avx512) {
    jit_.add([&](llvm::Module& module) {
      for (size_t k = 0; k < questions.size(); ++k)
        for (unsigned q = 0; q < (questions[k].by_chunk ? kChunks : 1); ++q)
          Emitter(module, questions[k], {.target = questions[k].target, .mode = questions[k].mode, .avx512 = avx512, .fast_numerics = questions[k].fast}, name(k, q), q);
    });
    for (size_t k = 0; k < questions.size(); ++k) {
      auto& f = functions_.emplace_back();
      for (unsigned q = 0; q < kChunks; ++q) f[q] = jit_.function(name(k, questions[k].by_chunk ? q : 0));
    }
  }
  Compiled function(size_t question, unsigned chunk) const { return functions_[question][chunk]; }

private:
  static std::string name(size_t question, unsigned chunk) { return "f" + std::to_string(question) + "_" + std::to_string(chunk); }
  Jit jit_;
  std::vector<std::array<Compiled, kChunks>> functions_;
};

// ---------------------------------------------------------------- both sides on the same state

struct alignas(64) Block {
  char bytes[layout::kBytes];
  uint32_t* sgpr() { return reinterpret_cast<uint32_t*>(bytes); }
  uint32_t* row(unsigned n) { return reinterpret_cast<uint32_t*>(bytes + layout::vgpr(n)); }
  uint64_t pair(unsigned n) { uint64_t x; std::memcpy(&x, sgpr() + n, 8); return x; }
  void set_pair(unsigned n, uint64_t x) { std::memcpy(sgpr() + n, &x, 8); }
};

/// Equal, or both a NaN of the operand's type, quiet or not alike.
bool alike(uint32_t x, uint32_t y, uint32_t x_high, uint32_t y_high, const Operand* o, bool high) {
  if (x == y) return true;
  const Type t = o ? o->type : Type::b32;
  auto nan16 = [](uint32_t a) { return (a & 0x7fff) > 0x7c00; };
  auto half = [&](uint32_t a, uint32_t b) { return a == b || (nan16(a) && nan16(b) && ((a ^ b) & 0x200) == 0); };
  auto nan32 = [](uint32_t a) { return (a & 0x7fffffff) > 0x7f800000; };
  switch (t) {
  case Type::f16: case Type::pk_f16: return half(x & 0xffff, y & 0xffff) && half(x >> 16, y >> 16);
  case Type::f32: case Type::pk_f32: case Type::mix: return nan32(x) && nan32(y) && ((x ^ y) & 0x400000) == 0;
  case Type::f64: {
    auto nan = [](uint32_t l, uint32_t h) { return (h & 0x7fffffff) > 0x7ff00000 || ((h & 0x7fffffff) == 0x7ff00000 && l); };
    return high ? nan(1, x) && nan(1, y) && ((x ^ y) & 0x80000) == 0 : nan(x, x_high) && nan(y, y_high);
  }
  default: return false;
  }
}

class Bench {
public:
  explicit Bench(Target t) : target_(t) {}

  /// One case. Empty: they agree.
  std::string run(Random& r, const Question& q, const Code& code, size_t number) {
    if (!machine_) machine_ = std::make_unique<Machine>(target_, ""), block_ = std::make_unique<Block>();
    Machine& m = *machine_;
    Block& b = *block_;
    const auto& inst = q.lifted.inst;
    prepare(r, inst);
    m.set_mode(q.mode);
    std::memcpy(b.sgpr(), &m.sgpr(0), 512);
    const uint32_t scc = m.scc();
    std::memcpy(b.bytes + layout::kState, &scc, 4);
    const uint64_t exec = b.pair(kExec);
    std::vector<std::array<uint32_t, 64>> before;
    for (unsigned n : rows_) {
      std::memcpy(b.row(n), m.vgpr(n), 256);
      std::memcpy(before.emplace_back().data(), m.vgpr(n), 256);
    }
    auto sgprs = std::to_array(*reinterpret_cast<uint32_t(*)[128]>(b.sgpr()));
    if (Status s = m.run(q.words); !s.ok()) return describe(q) + s.to_string();

    uint16_t masks[kChunks]{};
    const unsigned saved = _mm_getcsr();
    _mm_setcsr(exec::mxcsr_of_mode(q.mode, false));
    for (unsigned c = 0; c < (q.scalar ? 1 : kChunks); ++c) code.function(number, c)(b.bytes, c, masks);
    _mm_setcsr(saved);
    uint64_t mask;
    std::memcpy(&mask, masks, 8);
    for (auto& n : q.lifted.nodes) {
      if (n.prim == Prim::lanes_out || n.prim == Prim::lanes_out_exec) b.set_pair(mask_dest(inst), mask);
      if (n.prim == Prim::lanes_out_exec) b.set_pair(kExec, mask);
    }
    return compare(q, before, sgprs, exec);
  }

private:
  static const Operand* operand_of_row(const isa::Inst& i, unsigned n, bool& high) {
    for (bool dst : {true, false})
      for (unsigned k = 0; k < i.operand_count; ++k) {
        const Operand& o = i.operands[k];
        if (o.is_dst == dst && o.kind == Operand::Kind::vgpr && n >= o.number && n < o.number + unsigned{o.dwords}) {
          high = (n - o.number) & 1;
          return &o;
        }
      }
    return nullptr;
  }
  void prepare(Random& r, const isa::Inst& inst) {
    Machine& m = *machine_;
    rows_.clear();
    for (unsigned n = 0; n < 128; ++n)
      if (r.chance(5)) m.sgpr(n) = r.word();
    m.set_scc(r.below(2));
    m.set_vcc(exec::judge::random_mask(r));
    m.set_exec(r.chance(30) ? ~uint64_t{0} : exec::judge::random_mask(r));
    m.sgpr(kM0) = r.word();
    for (unsigned k = 0; k < inst.operand_count; ++k) {
      const Operand& o = inst.operands[k];
      const bool wide = isa::type_bits(o.type) == 64;
      if (o.kind == Operand::Kind::sgpr && o.number < 102)
        for (unsigned n = 0; n < o.dwords; n += wide ? 2 : 1) {
          const uint64_t x = exec::judge::random_value(r, o.type);
          m.sgpr(o.number + n) = static_cast<uint32_t>(x);
          if (wide && n + 1 < o.dwords) m.sgpr(o.number + n + 1) = static_cast<uint32_t>(x >> 32);
        }
      if (o.kind != Operand::Kind::vgpr && o.kind != Operand::Kind::agpr) continue;
      const unsigned first = o.number + (o.kind == Operand::Kind::agpr ? 256u : 0u);
      const bool repeat = r.chance(30);
      uint64_t shared[3];
      for (auto& x : shared) x = exec::judge::random_value(r, o.type);
      for (unsigned n = 0; n < o.dwords; n += wide ? 2 : 1)
        for (unsigned lane = 0; lane < 64; ++lane) {
          const uint64_t x = repeat ? shared[r.below(3)] : exec::judge::random_value(r, o.type);
          m.vgpr(first + n)[lane] = static_cast<uint32_t>(x);
          if (wide && n + 1 < o.dwords) m.vgpr(first + n + 1)[lane] = static_cast<uint32_t>(x >> 32);
        }
      for (unsigned n = 0; n < o.dwords; ++n) rows_.insert(first + n);
    }
  }
  std::string describe(const Question& q) const {
    char head[160];
    std::string words;
    for (uint32_t w : q.words) std::snprintf(head, sizeof head, " %08x", w), words += head;
    std::snprintf(head, sizeof head, "%s (%s), MODE %08x, words%s\n", isa::disassemble(q.target, q.lifted.inst).c_str(), std::string(isa::target_name(q.target)).c_str(),
                  q.mode, words.c_str());
    return head;
  }
  std::string compare(const Question& q, const std::vector<std::array<uint32_t, 64>>& before, const std::array<uint32_t, 128>& sgprs, uint64_t exec) {
    Machine& m = *machine_;
    Block& b = *block_;
    char line[200];
    const auto& inst = q.lifted.inst;
    for (unsigned n : rows_) {
      bool high = false;
      const Operand* o = operand_of_row(inst, n, high);
      const unsigned other = high ? n - 1 : n + 1;
      for (unsigned lane = 0; lane < 64; ++lane) {
        const uint32_t want = m.vgpr(n)[lane], got = b.row(n)[lane];
        if (alike(want, got, m.vgpr(other)[lane], b.row(other)[lane], o, high)) continue;
        if (q.fast && std::isfinite(std::bit_cast<float>(want)) && std::abs(static_cast<int64_t>(want) - static_cast<int64_t>(got)) <= 3) continue;
        std::snprintf(line, sizeof line, "v%u lane %u (EXEC %d): interpreter %08x, compiled %08x; before:", n, lane, static_cast<int>(exec >> lane & 1), want, got);
        std::string text = describe(q) + line;
        size_t k = 0;
        for (unsigned x : rows_) std::snprintf(line, sizeof line, " v%u=%08x", x, before[k++][lane]), text += line;
        for (unsigned x = 0; x < inst.operand_count; ++x)
          for (unsigned d = 0; inst.operands[x].kind == Operand::Kind::sgpr && d < inst.operands[x].dwords; ++d)
            std::snprintf(line, sizeof line, " s%u=%08x", inst.operands[x].number + d, sgprs[(inst.operands[x].number + d) & 127]), text += line;
        std::snprintf(line, sizeof line, " vcc=%d\n", static_cast<int>((sgprs[kVcc + lane / 32] >> lane % 32) & 1));
        return text + line;
      }
    }
    for (unsigned n = 0; n < 128; ++n) {
      if (m.sgpr(n) == b.sgpr()[n]) continue;
      std::snprintf(line, sizeof line, "s%u: interpreter %08x, compiled %08x, before %08x\n", n, m.sgpr(n), b.sgpr()[n], sgprs[n]);
      std::string text = describe(q) + line;
      for (unsigned lane = 0; lane < 64 && (inst.format & (isa::VOPC | isa::VOP3 | isa::VOP2)); ++lane) {
        if (!((m.sgpr(n) ^ b.sgpr()[n]) >> lane % 32 & 1)) continue;
        size_t k = 0;
        std::snprintf(line, sizeof line, "lane %u (or %u): ", lane, lane ^ 32), text += line;
        for (unsigned x : rows_) std::snprintf(line, sizeof line, " v%u=%08x (%08x)", x, before[k][lane], before[k][lane ^ 32]), ++k, text += line;
        text += '\n';
        break;
      }
      for (unsigned x = 0; x < inst.operand_count; ++x)
        for (unsigned d = 0; inst.operands[x].kind == Operand::Kind::sgpr && d < inst.operands[x].dwords; ++d)
          std::snprintf(line, sizeof line, " s%u=%08x", inst.operands[x].number + d, sgprs[(inst.operands[x].number + d) & 127]), text += line;
      return text + "\n";
    }
    uint32_t scc;
    std::memcpy(&scc, b.bytes + layout::kState, 4);
    if ((scc != 0) != m.scc()) {
      std::snprintf(line, sizeof line, "scc: interpreter %d, compiled %d\n", m.scc(), scc);
      return describe(q) + line;
    }
    return {};
  }

  Target target_;
  std::unique_ptr<Machine> machine_;
  std::unique_ptr<Block> block_;
  std::set<unsigned> rows_;
};

// ---------------------------------------------------------------- the questions

constexpr Target kTargets[] = {Target::gfx942, Target::gfx90a, Target::gfx908, Target::gfx906, Target::gfx900, Target::gfx950};

uint32_t random_mode(Random& r) {
  if (std::getenv("BZ_JIT_MODE")) return static_cast<uint32_t>(number("BZ_JIT_MODE", 0));
  if (r.chance(40)) return 0x3f0;
  const uint32_t round = r.below(4), denormals = r.below(4);
  return round * 5 | denormals * 0x50 | (r.word() & 0x300) | (r.chance(30) ? exec::mode::kFp16Ovfl : 0);
}

/// Questions for one level: all encodings on the first target that has the row, one on each other.
std::vector<Question> questions(uint64_t seed, uint64_t per_encoding, const char* only, std::set<std::string>& missing) {
  std::vector<Question> list;
  for (isa::RowId row = 0; row < isa::row_count(); ++row) {
    const auto cls = isa::row_class(row);
    const std::string name = isa::row_meta(row).name;
    if (cls == isa::FamilyClass::wave || !isa::row_has_semantics(row) || (only && name != only)) continue;
    bool first = true, has_one = false, able = false;
    for (Target t : kTargets) {
      auto all = exec::judge::encodings(t, row);
      if (all.empty()) continue;
      Random r(seed * 0x9e3779b97f4a7c15 + row * 64u + static_cast<unsigned>(t));
      std::vector<exec::judge::Encoding> some;
      for (auto& e : all)
        if (e.form != isa::Form::dpp) some.push_back(e);
      if (!first && !some.empty()) some = {some[r.below(static_cast<uint32_t>(some.size()))]};
      first = false;
      for (auto& e : some)
        for (uint64_t k = 0; k < per_encoding; ++k)
          for (int tries = 0; tries < 20; ++tries) {
            auto d = exec::judge::draw(r, t, row, e);
            if (!d || !d->inst.legal) continue;
            Question q;
            q.target = t, q.words = d->words, q.lifted = lift(t, d->inst, 0);
            for (auto& n : q.lifted.nodes) able |= q.lifted.implemented && is_pure(n.prim);
            if (!usable(q.lifted)) continue;
            q.mode = cls == isa::FamilyClass::scalar ? 0x3f0 : random_mode(r);
            q.scalar = cls == isa::FamilyClass::scalar;
            q.uniform = !q.scalar && r.chance(50);
            for (auto& n : q.lifted.nodes) q.by_chunk |= n.prim == Prim::lane_index || n.prim == Prim::mbcnt_lo || n.prim == Prim::mbcnt_hi;
            list.push_back(std::move(q));
            has_one = true;
            break;
          }
    }
    if (!has_one && able && cls == isa::FamilyClass::lane) missing.insert(name);
  }
  return list;
}

/// A division or a root as compilers write it, one after the other in registers that are SSA values: what Math sees in a kernel.
class Idiom {
public:
  Idiom(llvm::Module& module, std::span<const Lifted> code, const MathTraits& traits, const std::string& name) : ir_(module.getContext()) {
    auto* ptr = ir_.getPtrTy();
    auto* f = llvm::Function::Create(llvm::FunctionType::get(ir_.getVoidTy(), {ptr, ir_.getInt64Ty(), ptr}, false), llvm::Function::ExternalLinkage, name, module);
    set_math_attributes(*f, traits);
    ir_.SetInsertPoint(llvm::BasicBlock::Create(module.getContext(), "", f));
    Math math(ir_, traits, kLanes);
    auto home = [&](Reg r) {
      return ir_.CreateGEP(ir_.getInt8Ty(), f->getArg(0), ir_.CreateAdd(ir_.CreateMul(f->getArg(1), ir_.getInt64(4 * kLanes)), ir_.getInt64(layout::vgpr(r - kVgpr0))));
    };
    std::map<Reg, llvm::Value*> regs, masks;   // pairs stay one value, under their first register
    auto half = [&](llvm::Value* x, Prim p) {
      Node n;
      n.prim = p, n.kind = Kind::u32, n.lane = true;
      const Kind kind = Kind::u64;
      return math.emit(n, {&x, 1}, {&kind, 1}, 0);
    };
    auto read = [&](Reg r, Kind kind) {
      auto& v = regs[r];
      if (v) return v;
      auto load = [&](Reg x) -> llvm::Value* { return ir_.CreateAlignedLoad(math.type(Kind::u32, true), home(x), llvm::Align(64)); };
      if (kind != Kind::u64) return v = load(r);
      Node make;
      make.prim = Prim::make64, make.kind = Kind::u64, make.lane = true;
      llvm::Value* halves[] = {load(r), load(static_cast<Reg>(r + 1))};
      const Kind kinds[] = {Kind::u32, Kind::u32};
      return v = math.emit(make, halves, kinds, 0);
    };
    for (auto& l : code) {
      std::vector<llvm::Value*> values;
      for (auto& n : l.nodes) {
        auto arg = [&](int k) { return values[n.arg[static_cast<size_t>(k)]]; };
        uint64_t constant;
        switch (n.prim) {
        case Prim::src: {
          auto* o = source_of(l.inst, static_cast<int>(n.imm));
          llvm::Type* type = math.type(n.kind, false);
          values.push_back(o->is_const() ? static_cast<llvm::Value*>(llvm::ConstantInt::get(type, o->value)) : read(reg_of(*o, 256), n.kind));
          break;
        }
        case Prim::old: values.push_back(read(reg_of(*dest_of(l.inst), 256), n.kind)); break;
        case Prim::put: values.push_back(nullptr), regs[reg_of(*dest_of(l.inst), 256)] = arg(0); break;
        case Prim::lanes_out: values.push_back(nullptr), masks[mask_dest(l.inst)] = arg(0); break;
        case Prim::lanes_in: values.push_back(masks.at(mask_source(l.inst, constant))); break;
        default: {
          std::vector<llvm::Value*> args;
          std::vector<Kind> kinds;
          for (int k = 0; k < n.args; ++k) args.push_back(arg(k)), kinds.push_back(l.nodes[n.arg[static_cast<size_t>(k)]].kind);
          values.push_back(math.emit(n, args, kinds, 0));
        }
        }
      }
    }
    llvm::Value* result = regs.at(vgpr(4));
    const bool wide = result->getType()->getScalarSizeInBits() == 64;
    ir_.CreateAlignedStore(wide ? half(result, Prim::lo) : result, home(vgpr(4)), llvm::Align(64));
    if (wide) ir_.CreateAlignedStore(half(result, Prim::hi), home(vgpr(5)), llvm::Align(64));
    ir_.CreateRetVoid();
    if (llvm::verifyFunction(*f, &llvm::errs())) std::abort();
    for (auto& block : *f)
      for (auto& i : block)
        if (i.getOpcode() == llvm::Instruction::FDiv && !llvm::isa<llvm::Constant>(i.getOperand(0))) whole = true;
        else if (i.getOpcode() == llvm::Instruction::FDiv) ++reciprocals;
    whole |= reciprocals > 1;
    llvm::Value* root = result;
    while (auto* cast = llvm::dyn_cast<llvm::BitCastInst>(root)) root = cast->getOperand(0);
    if (auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(root)) whole |= call->getIntrinsicID() == llvm::Intrinsic::sqrt;
  }
  bool whole = false;   ///< recognised as one

private:
  int reciprocals = 0;   ///< divisions of a constant
  llvm::IRBuilder<> ir_;
};

/// BZ_NUMERICS=fast: within 3 units of the interpreter, which is within 1; the same special values.
void fast_numerics(bool avx512) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
  std::vector<Question> list;
  for (const char* text : {"v_rsq_f32 v1, v0", "v_log_f32 v1, v0", "v_sin_f32 v1, v0", "v_cos_f32 v1, v0"}) {
    auto words = exec::testing::assemble(Target::gfx942, text);
    ASSERT_TRUE(words.ok()) << words.status().to_string();
    auto inst = isa::decode(Target::gfx942, words->data(), words->size());
    ASSERT_TRUE(inst);
    Question q;
    q.target = Target::gfx942, q.words = *words, q.lifted = lift(q.target, *inst, 0), q.fast = true;
    list.push_back(q);
  }
  Code code(list, avx512);
  Bench bench(Target::gfx942);
  for (size_t k = 0; k < list.size(); ++k) {
    Random r(number("BZ_JIT_SEED", 1));
    for (uint64_t n = 0; n < 1000; ++n) ASSERT_EQ(bench.run(r, list[k], code, k), "");
  }
}

struct IdiomCase {
  bool wide;               ///< double precision
  const char* num;
  const char* den;
  const char* fixup_den;   ///< another one: no division
  uint32_t mode;
  bool whole;
  const char* root = nullptr;   ///< a square root: which factor undoes the scaling
};

void idioms(bool avx512) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
  constexpr IdiomCase kCases[] = {
      {false, "N", "D", "D", 0x3f0, true},  {false, "1.0", "D", "D", 0x3f0, true},  {false, "N", "D", "D", 0x1f0, true}, {false, "N", "D", "N", 0x3f0, false},
      {false, "N", "D", "D", 0x3f5, false}, {false, "N", "D", "D", 0x3a0, false},   {true, "N", "D", "D", 0x3f0, true},  {true, "1.0", "D", "D", 0x3f0, true},
      {true, "N", "D", "N", 0x3f0, false},  {true, "N", "D", "D", 0x3fa, false},
      {false, "", "", "", 0x3f0, true, "0x37800000"}, {false, "", "", "", 0x3f0, false, "0x37000000"}, {false, "", "", "", 0x3fa, false, "0x37800000"},
  };
  for (auto& c : kCases) {
    // Registers by a letter: N numerator, D denominator, R result, the others between.
    std::string text = c.wide ? "v_div_scale_T E, s[2:3], $d, $d, $n\n v_rcp_T Y, E\n v_div_scale_T S, vcc, $n, $d, $n\n v_fma_T A, -E, Y, 1.0\n v_fmac_T Y, Y, A\n"
                                " v_fma_T A, -E, Y, 1.0\n v_fmac_T Y, Y, A\n v_mul_T A, S, Y\n v_fma_T E, -E, A, S\n v_div_fmas_T E, E, Y, A\n v_div_fixup_T R, E, $f, $n\n"
                              : "v_div_scale_T E, s[2:3], $d, $d, $n\n v_rcp_T Y, E\n v_div_scale_T S, vcc, $n, $d, $n\n v_fma_T A, -E, Y, 1.0\n v_fmac_T Y, A, Y\n"
                                " v_mul_T A, S, Y\n v_fma_T B, -E, A, S\n v_fmac_T A, B, Y\n v_fma_T E, -E, A, S\n v_div_fmas_T E, E, Y, A\n v_div_fixup_T R, E, $f, $n\n";
    if (c.root)
      text = "v_mov_b32 Y, 0x260\n v_mul_f32 A, 0x4f800000, N\n v_cmp_gt_f32_e32 vcc, 0xf800000, N\n v_cndmask_b32 E, N, A, vcc\n v_sqrt_f32 A, E\n v_add_u32 B, -1, A\n"
             " v_add_u32 S, 1, A\n v_fma_f32 D, -B, A, E\n v_fma_f32 R, -S, A, E\n v_cmp_ge_f32_e64 s[0:1], 0, D\n v_cndmask_b32_e64 A, A, B, s[0:1]\n"
             " v_cmp_lt_f32_e64 s[0:1], 0, R\n v_cndmask_b32_e64 A, A, S, s[0:1]\n v_mul_f32 B, $r, A\n v_cndmask_b32 A, A, B, vcc\n v_cmp_class_f32 vcc, E, Y\n"
             " v_cndmask_b32 R, A, E, vcc\n";
    auto replace = [&](const std::string& what, const std::string& by) {
      for (size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size()) text.replace(at, what.size(), by);
    };
    if (c.root) replace("$r", c.root);
    replace("$n", c.num), replace("$d", c.den), replace("$f", c.fixup_den);
    replace("_T", c.wide ? "_f64" : "_f32");
    unsigned next = 0;
    for (const char* letter : {"N", "D", "R", "E", "Y", "S", "A", "B"}) {
      replace(letter, c.wide ? "v[" + std::to_string(next) + ":" + std::to_string(next + 1) + "]" : "v" + std::to_string(next));
      next += 2;
    }
    auto words = exec::testing::assemble(Target::gfx942, text);
    ASSERT_TRUE(words.ok()) << words.status().to_string();
    std::vector<Lifted> code;
    for (size_t at = 0; at < words->size();) {
      auto inst = isa::decode(Target::gfx942, words->data() + at, words->size() - at);
      ASSERT_TRUE(inst);
      code.push_back(lift(Target::gfx942, *inst, 0));
      at += inst->size / 4;
    }
    bool whole = false;
    Jit jit(avx512);
    jit.add([&](llvm::Module& module) { whole = Idiom(module, code, {.mode = c.mode, .avx512 = avx512}, "division").whole; });
    EXPECT_EQ(whole, c.whole) << c.num << " / " << c.den << ", MODE " << c.mode << (c.wide ? ", double" : "");
    auto* function = jit.function("division");
    Machine m(Target::gfx942);
    auto b = std::make_unique<Block>();
    m.set_mode(c.mode);
    m.set_exec(~uint64_t{0});
    Random r(number("BZ_JIT_SEED", 1));
    for (uint64_t run = 0; run < number("BZ_JIT_RUNS", 60) * 20; ++run) {
      auto set = [&](unsigned reg, unsigned lane, uint64_t x) {
        m.vgpr(reg)[lane] = b->row(reg)[lane] = static_cast<uint32_t>(x);
        m.vgpr(reg + 1)[lane] = b->row(reg + 1)[lane] = static_cast<uint32_t>(x >> 32);
      };
      for (unsigned reg : {0u, 2u})
        for (unsigned lane = 0; lane < 64; ++lane) set(reg, lane, exec::judge::random_value(r, r.chance(80) ? (c.wide ? Type::f64 : Type::f32) : Type::b64));
      // Some quotients near the smallest and largest numbers, and ties there.
      const uint32_t mantissa = c.wide ? 52 : 23, top = c.wide ? 2047 : 255;
      for (unsigned lane = 0; lane < 64 && run % 2; ++lane) {
        const uint32_t e = r.below(top), to = r.chance(50) ? r.below(mantissa + 8) : top - 1 - r.below(30);
        const int n = static_cast<int>(e) + static_cast<int>(to) - static_cast<int>(top / 2);
        auto fraction = [&] { return (r.bits() & ((uint64_t{1} << mantissa) - 1)) >> (r.chance(40) ? r.below(mantissa) : 0) << (r.chance(40) ? r.below(mantissa) : 0); };
        const uint64_t mask = (uint64_t{1} << mantissa) - 1, sign = uint64_t{r.below(2)} << (c.wide ? 63 : 31);
        set(2, lane, (fraction() & mask) | uint64_t{e} << mantissa);
        set(0, lane, (fraction() & mask) | static_cast<uint64_t>(std::clamp(n, 0, static_cast<int>(top) - 1)) << mantissa | sign);
        if (!r.chance(40)) continue;
        // num = den * m without rounding: m lies on or between the numbers below the normals.
        const double den = std::ldexp(1.0 + static_cast<double>(r.word() >> (c.wide ? 6 : 21)) * (c.wide ? 0x1p-26 : 0x1p-11), static_cast<int>(e) - static_cast<int>(top / 2));
        const int up = c.wide ? 60 : 0;   // a double below the normals would not be exact on the way
        const double m = std::ldexp(1.0 + static_cast<double>(r.word() >> (c.wide ? 6 : 21)) * (c.wide ? 0x1p-26 : 0x1p-11),
                                    static_cast<int>(r.below(mantissa + 4)) - static_cast<int>(top / 2 + mantissa + 1) + up);
        const double numerator = std::ldexp(den * m, -up);
        if (c.wide) set(2, lane, std::bit_cast<uint64_t>(den)), set(0, lane, std::bit_cast<uint64_t>(numerator));
        else set(2, lane, std::bit_cast<uint32_t>(static_cast<float>(den))), set(0, lane, std::bit_cast<uint32_t>(static_cast<float>(numerator)));
      }
      ASSERT_TRUE(m.run(*words).ok());
      const unsigned saved = _mm_getcsr();
      _mm_setcsr(exec::mxcsr_of_mode(c.mode, false));
      for (unsigned chunk = 0; chunk < kChunks; ++chunk) function(b->bytes, chunk, nullptr);
      _mm_setcsr(saved);
      const Operand result{.type = c.wide ? Type::f64 : Type::f32};
      for (unsigned lane = 0; lane < 64; ++lane)
        for (unsigned k = 0; k < (c.wide ? 2u : 1u); ++k)
          ASSERT_TRUE(alike(m.vgpr(4 + k)[lane], b->row(4 + k)[lane], m.vgpr(5 - k)[lane], b->row(5 - k)[lane], &result, k == 1))
              << std::hex << m.vgpr(1)[lane] << ' ' << m.vgpr(0)[lane] << " / " << m.vgpr(3)[lane] << ' ' << m.vgpr(2)[lane] << ": interpreter " << m.vgpr(5)[lane] << ' '
              << m.vgpr(4)[lane] << ", compiled " << b->row(5)[lane] << ' ' << b->row(4)[lane] << ", MODE " << c.mode << (c.wide ? ", double" : "");
    }
  }
}

void against_interpreter(bool avx512) {
  llvm::InitializeNativeTarget();
  llvm::InitializeNativeTargetAsmPrinter();
  llvm::InitializeNativeTargetAsmParser();
  const uint64_t seed = number("BZ_JIT_SEED", 1) + (avx512 ? 1000 : 0), per_encoding = number("BZ_JIT_CASES", 1), runs = number("BZ_JIT_RUNS", 60);
  const char* only = std::getenv("BZ_JIT_ROW");
  std::set<std::string> missing;
  auto all = questions(seed, per_encoding, only, missing);
  std::map<Target, std::unique_ptr<Bench>> benches;
  uint64_t executions = 0;
  int failures = 0;
  std::set<std::string> failed;
  constexpr size_t kBatch = 200;
  for (size_t first = 0; first < all.size(); first += kBatch) {
    std::span<const Question> batch(all.data() + first, std::min(kBatch, all.size() - first));
    Code code(batch, avx512);
    for (size_t k = 0; k < batch.size(); ++k) {
      const Question& q = batch[k];
      auto& bench = benches[q.target];
      if (!bench) bench = std::make_unique<Bench>(q.target);
      Random r(seed + q.words[0] * 0x9e3779b97f4a7c15 + q.words.back());
      for (uint64_t n = 0; n < runs; ++n, ++executions) {
        std::string report = bench->run(r, q, code, k);
        if (report.empty()) continue;
        const std::string name = isa::row_meta(q.lifted.inst.row).name;
        failed.insert(name);
        if (++failures <= static_cast<int>(number("BZ_JIT_REPORTS", 20))) ADD_FAILURE() << report;
        break;
      }
    }
  }
  std::printf("seed %lu: %zu instructions, %lu executions, %d failed\n", seed, all.size(), executions, failures);
  std::string names;
  for (auto& n : failed) names += " " + n;
  EXPECT_EQ(failures, 0) << names;
  for (auto& n : missing) ADD_FAILURE() << "no instruction of " << n << " was tried";
  if (!only) EXPECT_GT(executions, 50'000u);
}

TEST(Math, Avx512) {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("x86-64-v4")) GTEST_SKIP() << "this machine has no AVX-512";
  against_interpreter(true);
}
TEST(Math, Avx2) { against_interpreter(false); }
TEST(Math, IdiomsAvx512) {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("x86-64-v4")) GTEST_SKIP() << "this machine has no AVX-512";
  idioms(true);
}
TEST(Math, FastAvx512) {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("x86-64-v4")) GTEST_SKIP() << "this machine has no AVX-512";
  fast_numerics(true);
}
TEST(Math, FastAvx2) { fast_numerics(false); }
TEST(Math, IdiomsAvx2) { idioms(false); }

} // namespace
} // namespace bz::jit
