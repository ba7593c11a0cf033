#include "hip/rtc/module/compile.hpp"
#include "hip/rtc/module/embedded.hpp"
#include "hip/rtc/module/isolate.hpp"
#include "hip/rtc/module/link.hpp"
#include "hip/rtc/module/names.hpp"
#include "hip/rtc/module/option_gate.hpp"

#include <hip/hip_version.h>

#include <clang/Basic/Diagnostic.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/Driver/Compilation.h>
#include <clang/Driver/Driver.h>
#include <clang/Driver/Tool.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/CompilerInvocation.h>
#include <clang/Frontend/MultiplexConsumer.h>
#include <clang/Frontend/TextDiagnosticPrinter.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/VirtualFileSystem.h>
#include <llvm/Support/xxhash.h>

extern "C" {
void LLVMInitializeAMDGPUTargetInfo();
void LLVMInitializeAMDGPUTarget();
void LLVMInitializeAMDGPUTargetMC();
void LLVMInitializeAMDGPUAsmParser();
void LLVMInitializeAMDGPUAsmPrinter();
}

namespace bz::rtc {
namespace {

using FileSystem = llvm::IntrusiveRefCntPtr<llvm::vfs::FileSystem>;

/// Headers by name lie beside the program: found by #include "name" first of all, and by <name> last of all, because
/// programs bring headers by the names of the compiler's (limits.h), which our headers need.
const std::string kUserFolder = std::string(kRoot) + "/source";
const std::string kSourceFile = kUserFolder + "/program.hip";

/// A text begins under its own name, so that messages show that instead of where we keep it.
std::string named_text(const Text& text) {
  std::string name;
  for (char c : text.name) {
    if (c == '"' || c == '\\') name += '\\';
    name += c == '\n' ? ' ' : c;
  }
  return fmt::format("#line 1 \"{}\"\n{}", name, text.text);
}

/// The disk with the embedded files, the program and its headers laid over it.
FileSystem file_system(const CompileRequest& request) {
  auto memory = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
  for (const EmbeddedFile& file : embedded_files())
    memory->addFileNoOwn(file.path, 0, llvm::MemoryBufferRef(llvm::StringRef(file.begin, file.end - file.begin), file.path));
  // The driver wants to see it, though HIP programs aren't linked with it.
  memory->addFileNoOwn(std::string(kRoot) + "/amdgcn/bitcode/opencl.bc", 0, llvm::MemoryBufferRef("", "opencl.bc"));
  auto add = [&](const std::string& path, const std::string& text) {
    memory->addFile(path, 0, llvm::MemoryBuffer::getMemBufferCopy(text, path));
  };
  add(kSourceFile, named_text(request.source) + name_expression_text(request.name_expressions));
  for (const Text& header : request.headers)
    add(header.name.starts_with('/') ? header.name : kUserFolder + "/" + header.name, named_text(header));
  // A disk of its own, not the process-wide one: it has a current folder that is set.
  FileSystem disk = llvm::vfs::createPhysicalFileSystem();
  auto both = llvm::makeIntrusiveRefCnt<llvm::vfs::OverlayFileSystem>(std::move(disk));
  both->pushOverlay(std::move(memory));
  return both;
}

std::vector<std::string> driver_words(const CompileRequest& request) {
  std::string root = kRoot;
  std::string identity = request.source.text + request.source.name;
  for (const auto& option : request.options) identity += "\n" + option;
  std::vector<std::string> words = {
      root + "/llvm/bin/clang", "--driver-mode=g++", "--offload-device-only", "--no-gpu-bundle-output", "-c",
      "--offload-arch=" + request.target, request.relocatable ? "-fgpu-rdc" : "-fno-gpu-rdc",
      // Static device names of several programs that are linked stay apart by this.
      fmt::format("-cuid={:016x}", llvm::xxh3_64bits(identity)),
      "--rocm-path=" + root, "-resource-dir", root + "/clang", "--gcc-toolchain=" + root + "/none",
      // No folder of the disk: a program that wants a standard library says so with -I, or brings headers by name.
      "-nostdinc", "-nostdinc++", "-D__HIPCC_RTC__=1",
      // clang's wrapper header asks for these before ours come.
      fmt::format("-DHIP_VERSION_MAJOR={}", HIP_VERSION_MAJOR), fmt::format("-DHIP_VERSION_MINOR={}", HIP_VERSION_MINOR),
      "-idirafter", kUserFolder, "-isystem", root + "/include", "-isystem", root + "/clang/include/cuda_wrappers", "-isystem",
      root + "/clang/include", "-include", root + "/include/hip/amd_detail/hiprtc_runtime.h", "-std=c++17", "-O3",
      "-Qunused-arguments"};
  words.insert(words.end(), request.options.begin(), request.options.end());
  for (const char* word : {"-x", "hip"}) words.push_back(word);
  words.push_back(kSourceFile);
  return words;
}

/// The action of clang with the name expressions in front of the code generator.
template <class Action> class WithNames : public Action {
public:
  WithNames(const CompileRequest& request, CompileResult& result) : request_(request), result_(result) {}

protected:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler, llvm::StringRef file) override {
    auto generator = Action::CreateASTConsumer(compiler, file);
    if (!generator || request_.name_expressions.empty()) return generator;
    std::vector<std::unique_ptr<clang::ASTConsumer>> both;
    both.push_back(make_name_consumer(compiler, *this, request_.name_expressions, result_.lowered));
    both.push_back(std::move(generator));
    return std::make_unique<clang::MultiplexConsumer>(std::move(both));
  }

private:
  const CompileRequest& request_;
  CompileResult& result_;
};

/// What clang's driver makes of the options: the arguments of the one compilation. The driver's messages go to the log.
Status plan(const CompileRequest& request, const FileSystem& files, llvm::raw_ostream& log, std::vector<std::string>& out) {
  clang::DiagnosticOptions options;
  clang::DiagnosticsEngine diagnostics(llvm::makeIntrusiveRefCnt<clang::DiagnosticIDs>(), options,
                                       new clang::TextDiagnosticPrinter(log, options));
  std::vector<std::string> words = driver_words(request);
  std::vector<const char*> argv;
  for (const auto& word : words) argv.push_back(word.c_str());
  clang::driver::Driver driver(argv[0], "x86_64-pc-linux-gnu", diagnostics, "hipRTC", files);
  driver.setCheckInputsExist(false);
  std::unique_ptr<clang::driver::Compilation> compilation(driver.BuildCompilation(argv));
  if (!compilation || diagnostics.hasErrorOccurred())
    return error(Code::invalid_argument, "the options are wrong; the program's log says how");
  const clang::driver::Command* compile = nullptr;
  size_t compilations = 0;
  for (const auto& job : compilation->getJobs())
    if (llvm::StringRef(job.getCreator().getName()) == "clang") {
      compile = &job;
      ++compilations;
    }
  if (compilations != 1) {
    log << "error: the options ask for something else than one compilation\n";
    return error(Code::invalid_argument, "the options ask for something else than one compilation of the program");
  }
  for (const char* argument : compile->getArguments())
    if (llvm::StringRef(argument) != "-cc1") out.emplace_back(argument);
  return {};
}

/// clang 22, with relocatable device code: a static device variable that is named behind the kernels that use it (as name
/// expressions are) is defined under a longer name than the kernels were given. This joins the two.
struct JoinStaticNames : llvm::PassInfoMixin<JoinStaticNames> {
  llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    for (llvm::GlobalVariable& variable : module.globals()) {
      auto [name, suffix] = variable.getName().split(".static.");
      if (variable.isDeclaration() || suffix.empty()) continue;
      llvm::GlobalVariable* reference = module.getGlobalVariable(name, /*AllowInternal=*/true);
      if (reference && reference->isDeclaration() && reference->getType() == variable.getType())
        reference->replaceAllUsesWith(&variable);
    }
    return llvm::PreservedAnalyses::none();
  }
  static bool isRequired() { return true; }
};

bool wanted_action(const clang::CompilerInvocation& invocation, bool relocatable) {
  return invocation.getFrontendOpts().ProgramAction ==
         (relocatable ? clang::frontend::EmitBC : clang::frontend::EmitObj);
}

/// On a thread of its own: a fatal error of LLVM leaves this function in the middle.
void compile_here(const CompileRequest& request, CompileResult& result, std::string& object, bool& holds_gate) {
  llvm::raw_string_ostream log(result.log);
  FileSystem files = file_system(request);
  std::vector<std::string> arguments;
  result.status = plan(request, files, log, arguments);
  if (!result.status.ok()) return;

  auto invocation = std::make_shared<clang::CompilerInvocation>();
  std::vector<const char*> argv;
  for (const auto& argument : arguments) argv.push_back(argument.c_str());
  {
    clang::DiagnosticOptions options;
    clang::DiagnosticsEngine diagnostics(llvm::makeIntrusiveRefCnt<clang::DiagnosticIDs>(), options,
                                         new clang::TextDiagnosticPrinter(log, options));
    if (!clang::CompilerInvocation::CreateFromArgs(*invocation, argv, diagnostics, "hiprtc")) {
      result.status = error(Code::invalid_argument, "the options are wrong; the program's log says how");
      return;
    }
  }
  if (!wanted_action(*invocation, request.relocatable)) {
    log << "error: an option asks for other output than code\n";
    result.status = error(Code::invalid_argument, "an option asks for other output than code: it has no meaning here");
    return;
  }
  // clang, the program, leaves its memory to the end of the process.
  invocation->getFrontendOpts().DisableFree = false;
  invocation->getCodeGenOpts().DisableFree = false;
  if (request.relocatable)
    invocation->getCodeGenOpts().PassBuilderCallbacks.emplace_back([](llvm::PassBuilder& passes) {
      passes.registerPipelineStartEPCallback(
          [](llvm::ModulePassManager& manager, llvm::OptimizationLevel) { manager.addPass(JoinStaticNames()); });
    });

  result.status = OptionGate::enter(invocation->getFrontendOpts().LLVMArgs);
  if (!result.status.ok()) {
    log << result.status.message();
    return;
  }
  holds_gate = true;
  bool good = false;
  {
    clang::CompilerInstance compiler(invocation);
    compiler.setVirtualFileSystem(files);
    compiler.createDiagnostics(new clang::TextDiagnosticPrinter(log, compiler.getDiagnosticOpts()));
    compiler.setVerboseOutputStream(log); // "1 error generated when compiling for gfx942."
    llvm::SmallString<0> bytes;
    compiler.setOutputStream(std::make_unique<llvm::raw_svector_ostream>(bytes));
    if (request.relocatable) {
      WithNames<clang::EmitBCAction> action(request, result);
      good = compiler.ExecuteAction(action);
    } else {
      WithNames<clang::EmitObjAction> action(request, result);
      good = compiler.ExecuteAction(action);
    }
    object.assign(bytes.begin(), bytes.end());
  }
  if (!good) result.status = error(Code::invalid_image, "the program has errors; its log says which");
}

} // namespace

void initialise() {
  LLVMInitializeAMDGPUTargetInfo();
  LLVMInitializeAMDGPUTarget();
  LLVMInitializeAMDGPUTargetMC();
  LLVMInitializeAMDGPUAsmParser();
  LLVMInitializeAMDGPUAsmPrinter();
  install_fatal_handler();
}

CompileResult compile(const CompileRequest& request) {
  CompileResult result;
  std::string object;
  bool holds_gate = false;
  const Status ran = isolated([&] { compile_here(request, result, object, holds_gate); });
  if (holds_gate) OptionGate::leave();
  if (!ran.ok()) {
    result.log += "fatal error: " + ran.message() + "\n";
    result.status = ran;
  }
  if (!result.status.ok()) return result;
  if (request.relocatable) {
    result.output = std::move(object);
    return result;
  }
  LinkResult linked = link_object(object);
  result.log += linked.log;
  result.status = linked.status;
  result.output = std::move(linked.output);
  return result;
}

} // namespace bz::rtc
