#include "base/segv.hpp"

#include <atomic>
#include <csetjmp>
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {
using namespace bz;

constexpr size_t kPage = 4096;

char* map_page(int prot) {
  void* p = mmap(nullptr, kPage, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return p == MAP_FAILED ? nullptr : static_cast<char*>(p);
}

// Runs `body` in a child, because what is tested is how the process ends and which handlers it has.
template <class F> int in_child(F body) {
  pid_t pid = fork();
  if (pid == 0) {
    // Sanitizers have handlers of their own, to which install() would rightly chain.
    for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) ::signal(signal, SIG_DFL);
    _exit(body());
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return status;
}

bool unprotect(segv::Fault& fault, void* context) {
  auto* count = static_cast<std::atomic<int>*>(context);
  count->fetch_add(1);
  return fault.is_write &&
         mprotect(reinterpret_cast<void*>(fault.address & ~(kPage - 1)), kPage, PROT_READ | PROT_WRITE) == 0;
}

TEST(Segv, RangeHandlerRepairsAndTheStoreIsRetried) {
  ASSERT_TRUE(segv::install().ok());
  char* page = map_page(PROT_READ);
  std::atomic<int> count{0};
  auto id = segv::add_range(uintptr_t(page), uintptr_t(page) + kPage, unprotect, &count);
  ASSERT_TRUE(id.ok());
  *static_cast<volatile char*>(page + 5) = 42;
  EXPECT_EQ(page[5], 42);
  EXPECT_EQ(count, 1);
  segv::remove_range(*id);
  munmap(page, kPage);
}

TEST(Segv, ManyThreadsFaultAtOnce) {
  ASSERT_TRUE(segv::install().ok());
  constexpr int kThreads = 4, kRounds = 200;
  std::vector<std::thread> threads;
  std::atomic<int> bad{0};
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      segv::AltStack stack;
      char* page = map_page(PROT_READ);
      for (int i = 0; i < kRounds; ++i) {
        std::atomic<int> count{0};
        auto id = segv::add_range(uintptr_t(page), uintptr_t(page) + kPage, unprotect, &count);
        if (!id.ok()) {
          bad.fetch_add(1);
          continue;
        }
        *static_cast<volatile char*>(page) = static_cast<char>(i);
        segv::remove_range(*id);
        if (count != 1) bad.fetch_add(1);
        mprotect(page, kPage, PROT_READ);
      }
      munmap(page, kPage);
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(bad, 0);
}

struct Landing {
  sigjmp_buf* target;
  segv::Fault seen;
};
sigjmp_buf g_landing;
extern "C" [[noreturn]] void bz_segv_test_land() { siglongjmp(g_landing, 1); }

bool redirect(segv::Fault& fault, void* context) {
  static_cast<Landing*>(context)->seen = fault;
  auto* gregs = fault.context->uc_mcontext.gregs;
  gregs[REG_RSP] = (gregs[REG_RSP] - 256) & ~15ll;
  gregs[REG_RSP] -= 8; // as after a call
  gregs[REG_RIP] = reinterpret_cast<greg_t>(&bz_segv_test_land);
  return true;
}
bool refuse(segv::Fault&, void* context) {
  ++*static_cast<int*>(context);
  return false;
}

TEST(Segv, ThreadHandlerRewritesTheContext) {
  ASSERT_TRUE(segv::install().ok());
  Landing landing{};
  int refused = 0;
  segv::ThreadHandler outer(redirect, &landing);
  segv::ThreadHandler inner(refuse, &refused);
  volatile char* null_page = reinterpret_cast<volatile char*>(16);
  if (sigsetjmp(g_landing, 1) == 0) *null_page = 1;
  EXPECT_EQ(refused, 1);
  EXPECT_TRUE(landing.seen.address_known);
  EXPECT_EQ(landing.seen.address, 16u);
  EXPECT_TRUE(landing.seen.is_write);
}

TEST(Segv, NonCanonicalAddressesHaveNoKnownAddress) {
  ASSERT_TRUE(segv::install().ok());
  Landing landing{};
  segv::ThreadHandler handler(redirect, &landing);
  volatile uintptr_t address = 1ull << 62;
  if (sigsetjmp(g_landing, 1) == 0) (void)*reinterpret_cast<volatile char*>(address);
  EXPECT_EQ(landing.seen.signal, SIGSEGV);
  EXPECT_FALSE(landing.seen.address_known);
  EXPECT_EQ(landing.seen.code, SI_KERNEL);
}

TEST(Segv, UntakenFaultEndsTheProcessByDefault) {
  int status = in_child([] {
    if (!segv::install().ok()) return 9;
    *reinterpret_cast<volatile int*>(8) = 1;
    return 0;
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGSEGV);
}

TEST(Segv, SentSignalEndsTheProcessByDefault) {
  int status = in_child([] {
    if (!segv::install().ok()) return 9;
    raise(SIGSEGV);
    return 0;
  });
  EXPECT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGSEGV);
}

void exit_7(int, siginfo_t* info, void*) { _exit(info->si_addr == reinterpret_cast<void*>(8) ? 7 : 8); }

TEST(Segv, UntakenFaultGoesToTheApplicationsHandler) {
  int status = in_child([] {
    struct sigaction action{};
    action.sa_sigaction = exit_7;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, nullptr);
    // The parent test process may have installed already: install() then goes on top of this handler.
    if (!segv::install().ok()) return 9;
    *reinterpret_cast<volatile int*>(8) = 1;
    return 0;
  });
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(Segv, HandlersThatComeAndGoTakeOneLayer) {
  int status = in_child([] {
    struct sigaction action{}, before{};
    action.sa_sigaction = exit_7;
    action.sa_flags = SA_SIGINFO;
    for (int round = 0; round < 20; ++round) { // what a test framework does around each test
      sigaction(SIGSEGV, &action, &before);
      if (!segv::install().ok()) return 10 + round;
      char* page = map_page(PROT_READ);
      std::atomic<int> count{0};
      auto id = segv::add_range(uintptr_t(page), uintptr_t(page) + kPage, unprotect, &count);
      if (!id.ok()) return 9;
      *static_cast<volatile char*>(page) = 1;
      if (count != 1) return 4;
      segv::remove_range(*id);
      munmap(page, kPage);
      if (round < 19) sigaction(SIGSEGV, &before, nullptr);
    }
    *reinterpret_cast<volatile int*>(8) = 1; // nobody's: to the application
    return 0;
  });
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 7);
}

TEST(Segv, TurnsWithTheApplicationTakeNoMoreMemory) {
  int status = in_child([] {
    if (!segv::install().ok()) return 9;
    size_t used = 0;
    for (int turn = 0; turn < 100; ++turn) {
      struct sigaction action{}, ours{};
      action.sa_sigaction = exit_7;
      action.sa_flags = turn % 2 ? SA_SIGINFO : SA_SIGINFO | SA_ONSTACK;
      sigaction(SIGSEGV, &action, &ours);
      if (!segv::install().ok()) return 8; // on top
      sigaction(SIGSEGV, &ours, nullptr);  // as the application found it
      if (!segv::install().ok()) return 7;
      if (turn == 1) used = mallinfo2().uordblks;
    }
    return mallinfo2().uordblks == used ? 0 : 6;
  });
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

struct sigaction g_found;
int g_calls = 0;
void chaining_handler(int signal, siginfo_t* info, void* context) {
  if (++g_calls > 3) _exit(3); // a loop between the two
  g_found.sa_sigaction(signal, info, context);
}

TEST(Segv, ApplicationThatChainsToUsDoesNotLoop) {
  int status = in_child([] {
    if (!segv::install().ok()) return 9;
    struct sigaction action{};
    action.sa_sigaction = chaining_handler;
    action.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, &action, &g_found);
    if (!segv::install().ok()) return 9; // on top again
    char* page = map_page(PROT_READ);
    std::atomic<int> count{0};
    if (!segv::add_range(uintptr_t(page), uintptr_t(page) + kPage, unprotect, &count).ok()) return 9;
    *static_cast<volatile char*>(page) = 1; // ours: the application must not see it
    if (g_calls != 0 || count != 1) return 4;
    *reinterpret_cast<volatile int*>(8) = 1; // nobody's: application, then us, then the default
    return 0;
  });
  EXPECT_TRUE(WIFSIGNALED(status)) << "exit code " << WEXITSTATUS(status);
  EXPECT_EQ(WTERMSIG(status), SIGSEGV);
}

TEST(Segv, BadRangesAreRefused) {
  int refused = 0;
  EXPECT_EQ(segv::add_range(16, 16, refuse, &refused).status().code(), Code::invalid_argument);
  EXPECT_EQ(segv::add_range(16, 32, nullptr, nullptr).status().code(), Code::invalid_argument);
  std::vector<int> ids;
  for (int i = 0; i < 65; ++i) {
    auto id = segv::add_range(4096, 8192, refuse, &refused);
    if (!id.ok()) {
      EXPECT_EQ(id.status().code(), Code::out_of_resources);
      break;
    }
    ids.push_back(*id);
  }
  EXPECT_LE(ids.size(), 64u);
  for (int id : ids) segv::remove_range(id);
  segv::remove_range(-1);
}

} // namespace
