#include "isa/llvm_mc.hpp"

#include <llvm-c/Disassembler.h>
#include <llvm-c/Target.h>

#include <csetjmp>
#include <csignal>
#include <cstring>

namespace bz::isa {
namespace {

sigjmp_buf g_escape;
volatile sig_atomic_t g_armed = 0;

void on_fault(int signal) {
  if (g_armed) siglongjmp(g_escape, 1);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

constexpr int kFaults[] = {SIGSEGV, SIGABRT, SIGBUS, SIGILL, SIGTRAP};

void catch_faults() {
  struct sigaction action {};
  action.sa_handler = on_fault;
  action.sa_flags = SA_NODEFER;
  for (int s : kFaults) sigaction(s, &action, nullptr);
}

/// The handler was left by a jump; a sanitizer's wrapper around it blocks signals all the same.
void unblock_faults() {
  sigset_t faults;
  sigemptyset(&faults);
  for (int s : kFaults) sigaddset(&faults, s);
  pthread_sigmask(SIG_UNBLOCK, &faults, nullptr);
}

std::string one_line(const char* p) {
  std::string text;
  for (; *p; ++p) {
    char c = *p == '\t' || *p == '\n' ? ' ' : *p;
    if (c == ' ' && text.empty()) continue;
    text += c;
  }
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

} // namespace

LlvmMc::LlvmMc(Target target) {
  static const bool ready = [] {
    LLVMInitializeAMDGPUTargetInfo();
    LLVMInitializeAMDGPUTargetMC();
    LLVMInitializeAMDGPUDisassembler();
    catch_faults();
    return true;
  }();
  (void)ready;
  std::string cpu(target_name(target));
  context_ = LLVMCreateDisasmCPU("amdgcn-amd-amdhsa", cpu.c_str(), nullptr, 0, nullptr, nullptr);
}

LlvmMc::~LlvmMc() {
  if (context_) LLVMDisasmDispose(context_);
}

LlvmMc::Result LlvmMc::disassemble(const uint32_t* words, size_t count) {
  static char out[1024];
  static uint8_t bytes[32];
  Result result;
  if (!context_ || count * 4 > sizeof(bytes)) return result;
  std::memcpy(bytes, words, count * 4);
  volatile size_t size = 0;
  if (sigsetjmp(g_escape, 0)) {
    g_armed = 0;
    unblock_faults();
    result.verdict = Verdict::crashed;
    return result;
  }
  g_armed = 1;
  size = LLVMDisasmInstruction(context_, bytes, count * 4, 0, out, sizeof(out));
  g_armed = 0;
  result.size = size;
  if (size == 0) return result;
  result.text = one_line(out);
  // A note about a scalar tuple whose low bits were dropped; the text is that of the aligned tuple.
  if (auto note = result.text.find(" ; "); note != std::string::npos) result.text.resize(note);
  bool complaint = result.text.find("/*Invalid") != std::string::npos || result.text.find("/*Missing") != std::string::npos;
  result.verdict = complaint ? Verdict::dubious : Verdict::accepted;
  return result;
}

} // namespace bz::isa
