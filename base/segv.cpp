#include "base/segv.hpp"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace bz::segv {
namespace {

constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};
constexpr int kSignalCount = 4;
// An application that installs its handler after us usually chains to the one it found: ours. Going on top of it with
// the same function would then loop, so each time we go on top a fresh entry function with its own "previous" is used.
constexpr int kLayers = 4;
constexpr int kRanges = 64;

int signal_index(int signal) {
  for (int i = 0; i < kSignalCount; ++i)
    if (kSignals[i] == signal) return i;
  return 0;
}

struct Range {
  std::atomic<Handler> handler{nullptr};
  std::atomic<void*> context{nullptr};
  std::atomic<uintptr_t> begin{0}, end{0};
  std::atomic<uint32_t> inside{0};
};

// Constant-initialised and never destroyed: a fault may come before main and after exit.
constinit Range g_ranges[kRanges];
constinit std::atomic<int> g_range_high{0};
constinit std::atomic<const struct sigaction*> g_previous[kLayers][kSignalCount];
constinit std::mutex g_mutex;
constinit int g_layer[kSignalCount] = {-1, -1, -1, -1};

// initial-exec: a signal handler must not be the first to touch dynamic TLS, which would allocate.
__attribute__((tls_model("initial-exec"))) constinit thread_local ThreadHandler* t_top = nullptr;

bool ask_ranges(Fault& fault) {
  if (!fault.address_known) return false;
  int high = g_range_high.load(std::memory_order_acquire);
  for (int i = 0; i < high; ++i) {
    Range& range = g_ranges[i];
    if (fault.address < range.begin.load(std::memory_order_relaxed) ||
        fault.address >= range.end.load(std::memory_order_relaxed))
      continue;
    // seq_cst with remove_range: either it sees us inside, or we see that the handler is gone.
    range.inside.fetch_add(1);
    Handler handler = range.handler.load();
    bool taken = handler && handler(fault, range.context.load());
    range.inside.fetch_sub(1);
    if (taken) return true;
  }
  return false;
}

void chain(int layer, int signal, siginfo_t* info, void* context) {
  int index = signal_index(signal);
  const struct sigaction* previous = g_previous[layer][index].load(std::memory_order_acquire);
  bool sent = info->si_code <= 0; // by kill, tgkill or sigqueue
  if (previous && previous->sa_handler == SIG_IGN && sent) return;
  if (!previous || previous->sa_handler == SIG_DFL || previous->sa_handler == SIG_IGN) {
    // The default action: a fault comes again when the instruction is retried, a sent signal must be sent again.
    struct sigaction dfl{};
    dfl.sa_handler = SIG_DFL;
    sigaction(signal, &dfl, nullptr);
    if (sent) syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), signal);
    return;
  }
  sigset_t mask = previous->sa_mask, old;
  pthread_sigmask(SIG_BLOCK, &mask, &old);
  if (previous->sa_flags & SA_NODEFER) {
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, signal);
    pthread_sigmask(SIG_UNBLOCK, &one, nullptr);
  }
  if (previous->sa_flags & static_cast<int>(SA_RESETHAND)) g_previous[layer][index].store(nullptr);
  if (previous->sa_flags & SA_SIGINFO)
    previous->sa_sigaction(signal, info, context);
  else
    previous->sa_handler(signal);
  pthread_sigmask(SIG_SETMASK, &old, nullptr);
}

} // namespace

struct Dispatcher {
  static bool ask_thread(Fault& fault) {
    for (ThreadHandler* h = t_top; h; h = h->outer_)
      if (h->handler_(fault, h->context_)) return true;
    return false;
  }
};

namespace {

template <int layer> void entry(int signal, siginfo_t* info, void* context) {
  int saved_errno = errno;
  auto* uc = static_cast<ucontext_t*>(context);
  constexpr int kPageFault = 14; // x86 trap number; error code bit 1 is "write"
  Fault fault;
  fault.signal = signal;
  fault.code = info->si_code;
  fault.address_known = info->si_code > 0 && info->si_code != SI_KERNEL;
  fault.address = fault.address_known ? reinterpret_cast<uintptr_t>(info->si_addr) : 0;
  fault.is_write = uc->uc_mcontext.gregs[REG_TRAPNO] == kPageFault && (uc->uc_mcontext.gregs[REG_ERR] & 2);
  fault.info = info;
  fault.context = uc;
  // A signal sent by kill(2) is nobody's fault.
  bool taken = info->si_code > 0 && (ask_ranges(fault) || Dispatcher::ask_thread(fault));
  if (!taken) chain(layer, signal, info, context);
  if (errno != saved_errno) errno = saved_errno;   // its page may be held still, see gpu/sharing.cpp
}

using Entry = void (*)(int, siginfo_t*, void*);
constexpr Entry kEntries[kLayers] = {entry<0>, entry<1>, entry<2>, entry<3>};

/// Which of our entries a handler is, -1: none.
int layer_of(const struct sigaction& action) {
  for (int layer = 0; layer < kLayers; ++layer)
    if ((action.sa_flags & SA_SIGINFO) && action.sa_sigaction == kEntries[layer]) return layer;
  return -1;
}

bool same(const struct sigaction& a, const struct sigaction& b) {
  if ((a.sa_flags ^ b.sa_flags) & SA_SIGINFO) return false;
  return a.sa_flags & SA_SIGINFO ? a.sa_sigaction == b.sa_sigaction : a.sa_handler == b.sa_handler;
}

/// By signal: what is beyond the last one in a mask that sigaction gave is undefined.
bool same_mask(const sigset_t& a, const sigset_t& b) {
  for (int signal = 1; signal < NSIG; ++signal)
    if (sigismember(&a, signal) != sigismember(&b, signal)) return false;
  return true;
}

/// Never freed, since a handler may be reading it at any time; the same action is kept once.
const struct sigaction* kept(const struct sigaction& action) {
  struct Kept {
    struct sigaction action;
    const Kept* next;
  };
  static constinit const Kept* list = nullptr; // under g_mutex
  for (const Kept* k = list; k; k = k->next)
    if (same(k->action, action) && k->action.sa_flags == action.sa_flags &&
        same_mask(k->action.sa_mask, action.sa_mask))
      return &k->action;
  list = new Kept{action, list};
  return &list->action;
}

Status install_one(int index) {
  int signal = kSignals[index];
  struct sigaction current{};
  if (sigaction(signal, nullptr, &current) != 0)
    return error(Code::internal, "sigaction({}) failed: {}", signal, std::strerror(errno));
  // The application may have put back what it had found: then the layers above are free again.
  if (const int top = layer_of(current); top >= 0) {
    g_layer[index] = top;
    return {};
  }
  int layer = g_layer[index] + 1;
  // A handler that goes and comes again, as test frameworks do for each test: the layer that passes on to it serves.
  for (int k = 0; k < layer; ++k)
    if (const auto* previous = g_previous[k][index].load(std::memory_order_acquire);
        previous && same(*previous, current)) {
      layer = k;
      break;
    }
  if (layer >= kLayers)
    return error(Code::busy, "the application keeps replacing the handler of signal {}: it was left in place", signal);
  if (layer > g_layer[index]) g_previous[layer][index].store(kept(current), std::memory_order_release);
  struct sigaction action{};
  action.sa_sigaction = kEntries[layer];
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  if (sigaction(signal, &action, nullptr) != 0)
    return error(Code::internal, "sigaction({}) failed: {}", signal, std::strerror(errno));
  g_layer[index] = layer;
  return {};
}

} // namespace

Status install() {
  std::lock_guard lock(g_mutex);
  for (int i = 0; i < kSignalCount; ++i) BZ_TRY(install_one(i));
  return {};
}

Expected<int> add_range(uintptr_t begin, uintptr_t end, Handler handler, void* context) {
  if (!handler || begin >= end) return error(Code::invalid_argument, "a fault range needs a handler and begin < end");
  std::lock_guard lock(g_mutex);
  for (int i = 0; i < kRanges; ++i) {
    Range& range = g_ranges[i];
    if (range.end.load()) continue;
    range.handler.store(handler);
    range.context.store(context);
    range.begin.store(begin);
    range.end.store(end);
    if (g_range_high.load() <= i) g_range_high.store(i + 1, std::memory_order_release);
    return i;
  }
  return error(Code::out_of_resources, "all {} fault ranges are in use", kRanges);
}

void remove_range(int id) {
  if (id < 0 || id >= kRanges) return;
  std::lock_guard lock(g_mutex);
  Range& range = g_ranges[id];
  range.handler.store(nullptr);
  while (range.inside.load() != 0) sched_yield();
  range.begin.store(0);
  range.end.store(0);
}

ThreadHandler::ThreadHandler(Handler handler, void* context) : handler_(handler), context_(context), outer_(t_top) {
  std::atomic_signal_fence(std::memory_order_seq_cst);
  t_top = this;
}

ThreadHandler::~ThreadHandler() {
  t_top = outer_;
  std::atomic_signal_fence(std::memory_order_seq_cst);
}

AltStack::AltStack() {
  stack_t current{};
  if (sigaltstack(nullptr, &current) != 0 || !(current.ss_flags & SS_DISABLE)) return;
  size_t page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  size_t wanted = 64 * 1024; // above MINSIGSTKSZ of AVX-512 and AMX states
  size_ = wanted + page;
  base_ = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (base_ == MAP_FAILED) {
    base_ = nullptr;
    return;
  }
  mprotect(base_, page, PROT_NONE);
  stack_t stack{};
  stack.ss_sp = static_cast<char*>(base_) + page;
  stack.ss_size = wanted;
  sigaltstack(&stack, nullptr);
}

AltStack::~AltStack() {
  if (!base_) return;
  stack_t off{};
  off.ss_flags = SS_DISABLE;
  sigaltstack(&off, nullptr);
  munmap(base_, size_);
}

} // namespace bz::segv
