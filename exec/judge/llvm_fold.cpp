#include "exec/judge/llvm_fold.hpp"

#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <map>

namespace bz::exec::judge {
namespace {

unsigned bits_of(const std::string& type) {
  if (type == "i1") return 1;
  if (type == "i16" || type == "half") return 16;
  if (type == "i64" || type == "double") return 64;
  return 32;
}

std::string as_integer(const std::string& type) { return "i" + std::to_string(bits_of(type)); }

/// A constant of any type from its bits.
std::string constant(const FoldArgument& a) {
  if (a.type == "i1") return a.bits ? "i1 true" : "i1 false";
  std::string integer = as_integer(a.type), value = std::to_string(static_cast<int64_t>(a.bits));
  if (a.type == integer) return integer + " " + value;
  return a.type + " bitcast (" + integer + " " + value + " to " + a.type + ")";
}

std::string module_text(const std::vector<FoldCall>& calls) {
  std::string text = "target triple = \"amdgcn-amd-amdhsa\"\n";
  std::map<std::string, std::string> declarations;
  for (size_t n = 0; n < calls.size(); ++n) {
    const FoldCall& c = calls[n];
    std::string arguments, types;
    for (auto& a : c.arguments) {
      if (!types.empty()) arguments += ", ", types += ", ";
      arguments += constant(a), types += a.type;
    }
    declarations[c.function] = "declare " + c.result + " @" + c.function + "(" + types + ")\n";
    std::string integer = as_integer(c.result);
    text += "define " + integer + " @f" + std::to_string(n) + "() {\n  %r = call " + c.result + " @" + c.function + "(" + arguments + ")\n";
    if (c.result == integer) text += "  ret " + integer + " %r\n}\n";
    else text += "  %b = bitcast " + c.result + " %r to " + integer + "\n  ret " + integer + " %b\n}\n";
  }
  for (auto& [name, line] : declarations) text += line;
  return text;
}

template <class Ref, auto Dispose> struct Owned {
  Ref ref = nullptr;
  ~Owned() {
    if (ref) Dispose(ref);
  }
};

} // namespace

Expected<std::vector<std::optional<uint64_t>>> fold(isa::Target target, const std::vector<FoldCall>& calls) {
  static const bool ready = (LLVMInitializeAMDGPUTargetInfo(), LLVMInitializeAMDGPUTarget(), LLVMInitializeAMDGPUTargetMC(), true);
  (void)ready;
  char* message = nullptr;
  LLVMTargetRef llvm_target = nullptr;
  if (LLVMGetTargetFromTriple("amdgcn-amd-amdhsa", &llvm_target, &message)) return error(Code::internal, "LLVM: {}", message);
  Owned<LLVMTargetMachineRef, LLVMDisposeTargetMachine> machine{LLVMCreateTargetMachine(llvm_target, "amdgcn-amd-amdhsa", std::string(isa::target_name(target)).c_str(), "",
                                                                                       LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelDefault)};
  Owned<LLVMContextRef, LLVMContextDispose> context{LLVMContextCreate()};
  std::string text = module_text(calls);
  LLVMMemoryBufferRef buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(text.data(), text.size(), "calls");
  Owned<LLVMModuleRef, LLVMDisposeModule> module;
  if (LLVMParseIRInContext(context.ref, buffer, &module.ref, &message)) return error(Code::internal, "LLVM: {}", message);
  Owned<LLVMPassBuilderOptionsRef, LLVMDisposePassBuilderOptions> options{LLVMCreatePassBuilderOptions()};
  if (LLVMErrorRef e = LLVMRunPasses(module.ref, "function(instcombine,instsimplify)", machine.ref, options.ref)) {
    char* why = LLVMGetErrorMessage(e);
    Status failed = error(Code::internal, "LLVM: {}", why);
    LLVMDisposeErrorMessage(why);
    return failed;
  }
  std::vector<std::optional<uint64_t>> values(calls.size());
  for (size_t n = 0; n < calls.size(); ++n) {
    LLVMValueRef function = LLVMGetNamedFunction(module.ref, ("f" + std::to_string(n)).c_str());
    LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(function));
    if (LLVMValueRef v = LLVMIsAConstantInt(LLVMGetOperand(end, 0))) values[n] = LLVMConstIntGetZExtValue(v);
  }
  return values;
}

} // namespace bz::exec::judge
