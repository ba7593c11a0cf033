#include "hip/rtc/module/isolate.hpp"

#include <llvm/Support/ErrorHandling.h>

#include <pthread.h>
#include <unistd.h>

#include <csetjmp>
#include <cstdio>

namespace bz::rtc {
namespace {

/// clang needs 8 MiB for what it calls a normal depth of nesting; untouched pages cost nothing.
constexpr size_t kStackBytes = 64u << 20;

struct Run {
  const std::function<void()>* work;
  std::jmp_buf escape;
  bool cut = false;
  std::string reason;
};
thread_local Run* current = nullptr;

[[noreturn]] void leave(const std::string& reason) {
  // longjmp, not an exception: LLVM is compiled without them, so nothing on the way would be unwound either way.
  current->reason = reason;
  std::longjmp(current->escape, 1);
}

void on_fatal_error(void*, const char* reason, bool) {
  if (current) leave(reason);
  std::fprintf(stderr, "LLVM ERROR: %s\n", reason); // then LLVM aborts, as it does without a handler
}

void* run(void* argument) {
  auto* state = static_cast<Run*>(argument);
  current = state;
  if (setjmp(state->escape) == 0)
    (*state->work)();
  else
    state->cut = true;
  current = nullptr;
  return nullptr;
}

} // namespace

void install_fatal_handler() { llvm::install_fatal_error_handler(on_fatal_error); }

Status isolated(const std::function<void()>& work) {
  Run state;
  state.work = &work;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_t thread;
  const int failed = pthread_create(&thread, &attributes, run, &state);
  pthread_attr_destroy(&attributes);
  if (failed) return error(Code::out_of_memory, "no thread for the compiler (error {})", failed);
  pthread_join(thread, nullptr);
  if (state.cut) return error(Code::internal, "{}", state.reason);
  return {};
}

} // namespace bz::rtc

// The linker ends the process after a corrupt input. These two stand in for the functions it calls for that (the build
// passes --wrap for them), so that the process lives on and LLVM stays usable.
extern "C" [[noreturn]] void __wrap__ZN4llvm3sys7Process4ExitEib(int code, bool) {
  if (bz::rtc::current) bz::rtc::leave(fmt::format("the linker ended with code {}", code));
  _exit(code);
}
extern "C" void __wrap__ZN4llvm13llvm_shutdownEv() {}
