// The one owner of SIGSEGV, SIGBUS, SIGILL and SIGFPE in a process. Rooms register handlers by address range or for
// their own thread; what none of them takes goes to the handler that the application had before. Knows nothing of GPUs.
// A process has one owner, so only one shared library (libboltzmann-kfd) may call install().
#pragma once
#include "base/status.hpp"

#include <csignal>
#include <cstddef>
#include <cstdint>
#include <ucontext.h>

namespace bz::segv {

/// What the kernel told about one fault. A handler may rewrite `context` (registers, rip) before it resumes.
struct Fault {
  int signal = 0;             ///< SIGSEGV, SIGBUS, SIGILL or SIGFPE
  int code = 0;               ///< si_code
  uintptr_t address = 0;      ///< si_addr; 0 if not address_known
  bool address_known = false; ///< false for non-canonical addresses (si_code SI_KERNEL): decode the instruction at rip
  bool is_write = false;      ///< page faults only
  siginfo_t* info = nullptr;
  ucontext_t* context = nullptr;
};

/// True: taken, resume at *fault.context. False: not mine. Runs in a signal handler: async-signal-safe calls only, and
/// no fault of its own.
using Handler = bool (*)(Fault& fault, void* context);

/// Takes the four signals over, once per process; later calls check that they are still ours and, if the application
/// has put a handler on top since, go on top of that one (a few times: then `busy`, and the application keeps them).
Status install();

/// Faults at known addresses in [begin, end), on any thread. Range handlers are asked before thread handlers.
/// Returns an id; out_of_resources when the table (64 ranges) is full.
Expected<int> add_range(uintptr_t begin, uintptr_t end, Handler handler, void* context);
/// After the return no thread is inside the handler any more. Not to be called from a handler.
void remove_range(int id);

/// While it lives, faults of the constructing thread go to `handler` first, innermost object first. Cheap: two stores.
class ThreadHandler {
public:
  ThreadHandler(Handler handler, void* context);
  ~ThreadHandler();
  ThreadHandler(const ThreadHandler&) = delete;
  ThreadHandler& operator=(const ThreadHandler&) = delete;

private:
  friend struct Dispatcher;
  Handler handler_;
  void* context_;
  ThreadHandler* outer_;
};

/// A signal stack for the constructing thread, with a guard page, unless it has one already. For worker threads, so
/// that a fault on an exhausted or switched stack is still delivered.
class AltStack {
public:
  AltStack();
  ~AltStack();
  AltStack(const AltStack&) = delete;
  AltStack& operator=(const AltStack&) = delete;

private:
  void* base_ = nullptr;
  size_t size_ = 0;
};

} // namespace bz::segv
