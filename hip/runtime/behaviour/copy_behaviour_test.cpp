// Copies that need nobody are done by the caller, with what it asked the table of memory before. The order of streams, and
// what becomes of the memory meanwhile, must show as if nothing were remembered.
#include "hip/runtime/behaviour/support.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include <sys/mman.h>

namespace {

using namespace std::chrono_literals;

constexpr size_t kBytes = 4096;
constexpr int kInts = kBytes / sizeof(int);

enum class By { null, per_thread, blocking, other_blocking, non_blocking };

struct Order {
  const char* name;
  By work, copy; ///< where a kernel runs, and the stream of the copy
  bool waits;
};
constexpr Order kOrders[] = {
    {"null, null", By::null, By::null, true},
    {"blocking, null", By::blocking, By::null, true},
    {"non-blocking, null", By::non_blocking, By::null, false},
    {"per-thread, null", By::per_thread, By::null, true},
    {"null, per-thread", By::null, By::per_thread, true},
    {"per-thread, per-thread", By::per_thread, By::per_thread, true},
    {"blocking, per-thread", By::blocking, By::per_thread, false},
    {"null, blocking", By::null, By::blocking, true},
    {"blocking, blocking", By::blocking, By::blocking, true},
    {"blocking, another blocking", By::blocking, By::other_blocking, false},
    {"null, non-blocking", By::null, By::non_blocking, false},
    {"non-blocking, non-blocking", By::non_blocking, By::non_blocking, true},
};

class CopyOrder : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_OK(hipStreamCreate(&blocking_));
    ASSERT_OK(hipStreamCreate(&other_));
    ASSERT_OK(hipStreamCreateWithFlags(&non_blocking_, hipStreamNonBlocking));
  }
  void TearDown() override {
    for (hipStream_t s : {blocking_, other_, non_blocking_}) EXPECT_OK(hipStreamDestroy(s));
  }
  hipStream_t stream(By by) const {
    return by == By::null ? nullptr
           : by == By::per_thread ? hipStreamPerThread
           : by == By::blocking ? blocking_
           : by == By::other_blocking ? other_ : non_blocking_;
  }
  /// What a copy of `flags[1]` sees, which a kernel sets once flags[0] is set, if the copy is asked for in between.
  int seen(const Order& o, bool async) {
    PinnedBuffer<int> flags(2), out(1);
    int result = -1;
    const auto copy = [&](int* to) {
      return async ? hipMemcpyAsync(to, flags.get() + 1, sizeof(int), hipMemcpyDefault, stream(o.copy))
                   : hipMemcpyWithStream(to, flags.get() + 1, sizeof(int), hipMemcpyDefault, stream(o.copy));
    };
    for (int i = 0; i < 3; ++i) EXPECT_OK(copy(out)); // the streams are idle and the memory is known
    EXPECT_OK(launch(kernels::spin, 1, 1, 0, stream(o.work), flags.get(), flags.get() + 1));
    std::thread later;
    if (o.waits)
      later = std::thread([&] {
        std::this_thread::sleep_for(10ms);
        flags.store(0, 1);
      });
    EXPECT_OK(copy(out));
    if (async) EXPECT_OK(hipStreamSynchronize(stream(o.copy)));
    result = out.load(0);
    flags.store(0, 1);
    if (later.joinable()) later.join();
    EXPECT_OK(hipDeviceSynchronize());
    EXPECT_OK(copy(out)); // idle again
    EXPECT_OK(hipStreamSynchronize(stream(o.copy)));
    EXPECT_EQ(out.load(0), 1) << o.name;
    return result;
  }
  hipStream_t blocking_ = nullptr, other_ = nullptr, non_blocking_ = nullptr;
};

TEST_F(CopyOrder, SynchronousCopiesWaitForWhatTheirStreamWaitsFor) {
  for (const Order& o : kOrders) EXPECT_EQ(seen(o, false), o.waits ? 1 : 0) << o.name;
}

TEST_F(CopyOrder, AsynchronousCopiesToo) {
  for (const Order& o : kOrders) EXPECT_EQ(seen(o, true), o.waits ? 1 : 0) << o.name;
}

TEST_F(CopyOrder, ACopyWaitsForWorkThatAnotherThreadHasSubmitted) {
  PinnedBuffer<int> flags(2);
  int out = 0;
  for (int round = 0; round < 20; ++round) {
    flags.store(0, 0);
    flags.store(1, 0);
    ASSERT_OK(hipMemcpy(&out, flags, sizeof out, hipMemcpyDefault));
    std::thread([&] { EXPECT_OK(launch(kernels::spin, 1, 1, 0, blocking_, flags.get(), flags.get() + 1)); }).join();
    std::thread later([&] {
      std::this_thread::sleep_for(1ms);
      flags.store(0, 1);
    });
    ASSERT_OK(hipMemcpy(&out, flags.get() + 1, sizeof out, hipMemcpyDefault));
    EXPECT_EQ(out, 1);
    later.join();
  }
}

// Streams are listed as busy and taken off the list by whoever looks: no kernel may fall between.
TEST_F(CopyOrder, CopiesBetweenKernelsOfManyThreads) {
  constexpr int kThreads = 3, kRounds = 300;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&, t] {
      hipStream_t own;
      EXPECT_OK(hipStreamCreate(&own));
      DeviceBuffer<int> d(kInts);
      std::vector<int> host(kInts);
      for (int i = 0; i < kRounds; ++i) {
        const int value = t * kRounds + i + 1;
        EXPECT_OK(launch(kernels::fill, 1, 256, 0, own, d.get(), value, 256));
        EXPECT_OK(hipMemcpy(host.data(), d, kBytes, hipMemcpyDeviceToHost));
        if (host[0] != value || host[255] != value) {
          ADD_FAILURE() << "thread " << t << ", round " << i << ": " << host[0] << ", " << host[255];
          break;
        }
        if (i % 3 == 0) EXPECT_OK(hipMemcpy(d, host.data(), kBytes, hipMemcpyHostToDevice));
      }
      EXPECT_OK(hipStreamDestroy(own));
    });
  for (auto& t : threads) t.join();
}

TEST_F(CopyOrder, ACaptureIsNotOvertaken) {
  DeviceBuffer<int> d(kInts);
  std::vector<int> host(kInts, 3);
  ASSERT_OK(hipMemcpy(d, host.data(), kBytes, hipMemcpyHostToDevice));
  ASSERT_OK(hipStreamBeginCapture(blocking_, hipStreamCaptureModeThreadLocal));
  EXPECT_HIP(hipErrorStreamCaptureImplicit, hipMemcpy(d, host.data(), kBytes, hipMemcpyHostToDevice));
  hipGraph_t graph = nullptr;
  EXPECT_HIP(hipErrorStreamCaptureInvalidated, hipStreamEndCapture(blocking_, &graph));
  EXPECT_OK(hipMemcpy(d, host.data(), kBytes, hipMemcpyHostToDevice));
  (void)hipGetLastError();
}

// ---- What is remembered of memory -----------------------------------------------------------------------------------

/// The calls that look at a pointer, with memory that they know already.
struct Use {
  const char* name;
  hipError_t (*call)(char* known, void* pointer, size_t size);
};
constexpr Use kUses[] = {
    {"source", [](char* known, void* p, size_t n) { return hipMemcpy(known, p, n, hipMemcpyDefault); }},
    {"destination", [](char* known, void* p, size_t n) { return hipMemcpy(p, known, n, hipMemcpyDefault); }},
    {"source, async", [](char* known, void* p, size_t n) { return hipMemcpyAsync(known, p, n, hipMemcpyDefault, nullptr); }},
    {"destination, async", [](char* known, void* p, size_t n) { return hipMemcpyAsync(p, known, n, hipMemcpyDefault, nullptr); }},
};

class KnownMemory : public testing::TestWithParam<Use> {
protected:
  hipError_t use(void* p, size_t n) { return GetParam().call(known_, p, n); }
  void TearDown() override { (void)hipGetLastError(); }
  DeviceBuffer<char> known_{4 * kBytes};
};

TEST_P(KnownMemory, FreedMemoryIsRefused) {
  for (const bool other_thread : {false, true})
    for (auto [allocate, free] :
         {std::pair{+[](void** p, size_t n) { return hipMalloc(p, n); }, +[](void* p) { return hipFree(p); }},
          std::pair{+[](void** p, size_t n) { return hipHostMalloc(p, n, 0); }, +[](void* p) { return hipHostFree(p); }}}) {
      void* p = nullptr;
      ASSERT_OK(allocate(&p, kBytes));
      for (int i = 0; i < 3; ++i) EXPECT_OK(use(p, kBytes));
      ASSERT_OK(hipDeviceSynchronize());
      if (other_thread) std::thread([&] { EXPECT_OK(free(p)); }).join();
      else ASSERT_OK(free(p));
      EXPECT_HIP(hipErrorInvalidValue, use(p, kBytes));
    }
}

TEST_P(KnownMemory, AllocationsEndWhereTheyEnd) {
  void* p = nullptr;
  ASSERT_OK(hipMalloc(&p, kBytes));
  EXPECT_OK(use(p, kBytes));
  EXPECT_HIP(hipErrorInvalidValue, use(p, kBytes + 1));
  EXPECT_HIP(hipErrorInvalidValue, use(static_cast<char*>(p) + 1, kBytes));
  EXPECT_HIP(hipErrorInvalidValue, use(p, SIZE_MAX));
  EXPECT_OK(use(static_cast<char*>(p) + 1, kBytes - 1));
  ASSERT_OK(hipFree(p));
}

TEST_P(KnownMemory, MemoryThatTheProgramUnmappedIsRefused) {
  void* p = mmap(nullptr, 2 * kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(p, MAP_FAILED);
  for (int i = 0; i < 3; ++i) EXPECT_OK(use(p, 2 * kBytes));
  ASSERT_EQ(munmap(static_cast<char*>(p) + kBytes, kBytes), 0);
  EXPECT_HIP(hipErrorInvalidValue, use(p, 2 * kBytes)) << "its end";
  EXPECT_OK(use(p, kBytes));
  ASSERT_EQ(munmap(p, kBytes), 0);
  EXPECT_HIP(hipErrorInvalidValue, use(p, kBytes));
}

// Results for memory that can only be read, such as a constant or a mapped file: an error, no signal.
TEST(PageableMemory, ADestinationThatCannotBeWrittenIsRefused) {
  constexpr size_t kPage = 4096;
  auto* p = static_cast<char*>(mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(p, MAP_FAILED);
  ASSERT_EQ(mprotect(p + kPage, kPage, PROT_READ), 0);
  DeviceBuffer<char> d(2 * kPage);
  ASSERT_OK(hipMemset(d, 1, 2 * kPage));
  for (int i = 0; i < 2; ++i) {
    EXPECT_HIP(hipErrorInvalidValue, hipMemcpy(p + kPage, d, 1, hipMemcpyDeviceToHost));
    EXPECT_HIP(hipErrorInvalidValue, hipMemcpy(p, d, 2 * kPage, hipMemcpyDeviceToHost)) << "its end";
    EXPECT_HIP(hipErrorInvalidValue, hipMemcpyAsync(p + kPage, d, 8, hipMemcpyDeviceToHost, nullptr));
    EXPECT_HIP(hipErrorInvalidValue, hipMemcpy2D(p + kPage, 16, d, 8, 8, 4, hipMemcpyDeviceToHost));
  }
  EXPECT_OK(hipMemcpy(d, p + kPage, kPage, hipMemcpyHostToDevice)) << "a source may be";
  EXPECT_OK(hipMemcpy(p, d, kPage, hipMemcpyDeviceToHost));
  EXPECT_EQ(munmap(p, 2 * kPage), 0);
}

TEST_P(KnownMemory, RegisteringChangesWhatItIs) {
  alignas(4096) static char host[kBytes];
  for (int i = 0; i < 3; ++i) {
    EXPECT_OK(use(host, kBytes));
    ASSERT_OK(hipHostRegister(host, kBytes, hipHostRegisterDefault));
    EXPECT_OK(use(host, kBytes));
    ASSERT_OK(hipHostUnregister(host));
  }
}

// docs/fidelity.md, "GPU addresses": what the property promises.
TEST(PageableMemory, KernelsReachIt) {
  int promised = 0;
  ASSERT_OK(hipDeviceGetAttribute(&promised, hipDeviceAttributePageableMemoryAccess, 0));
  EXPECT_EQ(promised, 1);
  std::vector<int> heap(kInts);
  ASSERT_OK(launch(kernels::fill, kInts / 256, 256, 0, nullptr, heap.data(), 7, kInts));
  ASSERT_OK(hipDeviceSynchronize());
  EXPECT_EQ(heap, std::vector<int>(kInts, 7));
}

INSTANTIATE_TEST_SUITE_P(Uses, KnownMemory, testing::ValuesIn(kUses));

} // namespace
