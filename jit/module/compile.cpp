#include "jit/module/compile.hpp"
#include "jit/emit/function.hpp"
#include "jit/module/flat.hpp"

#include <llvm/Analysis/CGSCCPassManager.h>
#include <llvm/Analysis/LoopAnalysisManager.h>
#include <llvm/CodeGen/CodeGenTargetMachineImpl.h>
#include <llvm/CodeGen/MachineModuleInfo.h>
#include <llvm/CodeGen/Passes.h>
#include <llvm/CodeGen/TargetPassConfig.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Verifier.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/TargetParser/Host.h>
#include <llvm/Transforms/IPO/GlobalDCE.h>
#include <llvm/Transforms/InstCombine/InstCombine.h>
#include <llvm/Transforms/Scalar/ADCE.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>
#include <llvm/Transforms/Utils/Cloning.h>

#include <ctime>
#include <mutex>
#include <utility>

namespace bz::jit {
namespace {

/// Milliseconds of this thread's processor time since the last call: others may be busy on the same core.
struct Stopwatch {
  double last = now();
  static double now() {
    timespec t{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<double>(t.tv_sec) * 1e3 + static_cast<double>(t.tv_nsec) * 1e-6;
  }
};
double since(Stopwatch& w) {
  const double before = std::exchange(w.last, Stopwatch::now());
  return w.last - before;
}

Expected<std::unique_ptr<llvm::TargetMachine>> machine_for(const exec::NativeRequest& r) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeX86AsmParser();
  });
  std::string why;
  const llvm::Triple triple("x86_64-pc-linux-gnu");
  const auto* target = llvm::TargetRegistry::lookupTarget(triple, why);
  if (!target) return error(Code::unsupported, "LLVM has no x86: {}", why);
  std::string features = r.features;
  if (features.empty() && r.cpu.empty()) {
    for (auto& f : llvm::sys::getHostCPUFeatures()) features += (features.empty() ? "" : ",") + std::string(f.second ? "+" : "-") + f.first().str();
  }
  llvm::TargetOptions options;
  options.EmitStackSizeSection = true;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  auto level = r.level == 0 ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default;
  std::unique_ptr<llvm::TargetMachine> m(target->createTargetMachine(triple, r.cpu.empty() ? llvm::sys::getHostCPUName() : llvm::StringRef(r.cpu), features, options,
                                                                     llvm::Reloc::PIC_, llvm::CodeModel::Small, level));
  if (!m) return error(Code::unsupported, "LLVM knows no processor {}", r.cpu);
  return m;
}

void run_passes(llvm::Module& module, llvm::TargetMachine& machine) {
  llvm::LoopAnalysisManager lam;
  llvm::FunctionAnalysisManager fam;
  llvm::CGSCCAnalysisManager cam;
  llvm::ModuleAnalysisManager mam;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(mam);
  builder.registerCGSCCAnalyses(cam);
  builder.registerFunctionAnalyses(fam);
  builder.registerLoopAnalyses(lam);
  builder.crossRegisterProxies(lam, fam, cam, mam);
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::InstCombinePass());
  passes.addPass(llvm::SimplifyCFGPass());
  passes.addPass(llvm::EarlyCSEPass());
  passes.addPass(llvm::ADCEPass());
  for (auto& f : module)
    if (!f.isDeclaration()) passes.run(f, fam);
  llvm::GlobalDCEPass().run(module, mam);   // rare steps of divisions that were recognised as a whole
}

/// Code generation without what costs more than it gives here: scheduling after register allocation (10 to 15 % of the time, speed
/// unchanged) and variables for debuggers, of which there are none.
bool add_codegen(llvm::legacy::PassManager& passes, llvm::TargetMachine& machine, llvm::raw_pwrite_stream& out) {
  auto& target = static_cast<llvm::CodeGenTargetMachineImpl&>(machine);
  auto* info = new llvm::MachineModuleInfoWrapperPass(&machine);   // the pass manager's, as the next one
  auto* config = target.createPassConfig(passes);
  config->setDisableVerify(true);
  for (auto* id : {&llvm::PostRASchedulerID, &llvm::PostMachineSchedulerID, &llvm::LiveDebugValuesID}) config->disablePass(id);
  passes.add(config);
  passes.add(info);
  if (config->addISelPasses()) return false;
  config->addMachinePasses();
  config->setInitialized();
  if (target.addAsmPrinter(passes, out, nullptr, llvm::CodeGenFileType::ObjectFile, info->getMMI().getContext())) return false;
  passes.add(llvm::createFreeMachineFunctionPass());
  return true;
}

bool has_avx512(const llvm::TargetMachine& m) {
  const std::string f = (m.getTargetFeatureString() + ",").str();
  if (f.find("+avx512f,") != std::string::npos) return f.find("+avx512bw,") != std::string::npos && f.find("+avx512vl,") != std::string::npos && f.find("+avx512dq,") != std::string::npos;
  return m.getTargetCPU() == "x86-64-v4";
}

} // namespace

Status compile(const exec::NativeRequest& request, exec::NativeImage& image, CompileReport* report, bool want_text) {
  CompileReport local;
  CompileReport& rep = report ? *report : local;
  Stopwatch t;
  BZ_TRY_ASSIGN(Unit unit, make_unit(request));
  rep.analysis_ms = since(t);

  BZ_TRY_ASSIGN(auto machine, machine_for(request));
  llvm::LLVMContext context;
  llvm::Module module("kernel", context);
  module.setTargetTriple(machine->getTargetTriple());
  module.setDataLayout(machine->createDataLayout());
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  MathTraits traits;
  traits.target = request.target;
  traits.mode = request.mode;
  traits.avx512 = has_avx512(*machine);
  traits.fast_numerics = request.fast_numerics;
  traits.idioms = optimises(request, "idioms");
  FunctionEmitter emitter(module, unit, request, traits);
  const FunctionFacts facts = emitter.emit("kernel");
  rep.attempts = facts.attempts;
  rep.notes = facts.notes;
  auto* function = module.getFunction("kernel");
  function->addFnAttr("no-jump-tables", "true");
  function->addFnAttr("target-cpu", machine->getTargetCPU());
  function->addFnAttr("target-features", machine->getTargetFeatureString());
  // A mistake here would be a crash inside LLVM, of the whole process.
  {
    std::string why;
    llvm::raw_string_ostream out(why);
    if (llvm::verifyModule(module, &out)) return error(Code::internal, "the code made is malformed: {}", why.substr(0, 2000));
  }
  rep.emit_ms = since(t);
  run_passes(module, *machine);
  rep.passes_ms = since(t);
  if (want_text) {
    llvm::raw_string_ostream out(rep.ir);
    module.print(out, nullptr);
    auto copy = llvm::CloneModule(module);
    llvm::SmallString<0> text;
    llvm::raw_svector_ostream stream(text);
    llvm::legacy::PassManager assembly;
    if (!machine->addPassesToEmitFile(assembly, stream, nullptr, llvm::CodeGenFileType::AssemblyFile)) assembly.run(*copy);
    rep.assembly = text.str().str();
    since(t);
  }

  llvm::SmallVector<char, 0> object;
  llvm::raw_svector_ostream stream(object);
  llvm::legacy::PassManager codegen;
  if (!add_codegen(codegen, *machine, stream)) return error(Code::unsupported, "LLVM writes no objects here");
  codegen.run(module);
  image.entries.clear();
  for (uint64_t pc : unit.entry_pcs) image.entries.push_back(static_cast<uint32_t>((pc - request.begin) / 4));
  image.outcalls = facts.outcalls;
  image.switches = facts.switches;
  image.instructions = static_cast<uint32_t>(unit.instructions.size());
  BZ_TRY(flatten(std::string_view(object.data(), object.size()), "kernel", image));
  rep.codegen_ms = since(t);
  return {};
}

} // namespace bz::jit
