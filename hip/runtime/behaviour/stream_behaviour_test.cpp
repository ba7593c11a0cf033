#include "hip/runtime/behaviour/support.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>
#include <unistd.h>

namespace {

using namespace std::chrono_literals;

struct StreamHandle {
  hipStream_t s = nullptr;
  explicit StreamHandle(unsigned flags = hipStreamDefault) { EXPECT_OK(hipStreamCreateWithFlags(&s, flags)); }
  ~StreamHandle() { EXPECT_OK(hipStreamDestroy(s)); }
  operator hipStream_t() const { return s; }
};

TEST(Stream, KernelFinishesThatSpinsOnAFlagSetAfterTheLaunch) {
  PinnedBuffer<int> flag(2);
  ASSERT_OK(launch(kernels::spin, 1, 1, 0, nullptr, flag.get(), flag.get() + 1));
  EXPECT_HIP(hipErrorNotReady, hipStreamQuery(nullptr)) << "the launch returned and the kernel runs";
  EXPECT_EQ(flag.load(1), 0);
  flag.store(0, 1);
  ASSERT_OK(hipDeviceSynchronize());
  EXPECT_EQ(flag.load(1), 1);
  EXPECT_OK(hipStreamQuery(nullptr));
}

TEST(Stream, TwoStreamsWhoseKernelsWaitForEachOther) {
  PinnedBuffer<int> flags(2);
  StreamHandle a(hipStreamNonBlocking), b(hipStreamNonBlocking);
  ASSERT_OK(launch(kernels::meet, 1, 1, 0, a, flags.get(), flags.get() + 1));
  ASSERT_OK(launch(kernels::meet, 1, 1, 0, b, flags.get() + 1, flags.get()));
  ASSERT_OK(hipStreamSynchronize(a));
  ASSERT_OK(hipStreamSynchronize(b));
  EXPECT_EQ(flags.load(0) + flags.load(1), 2);
}

// Test frameworks and crash reporters put their own handler on SIGSEGV, which passes nothing on, when the device idles.
TEST(Stream, ALaunchNeedsNoSignalHandler) {
  PinnedBuffer<int> log(8);
  for (int i = 0; i < 6; ++i) {
    ASSERT_OK(hipDeviceSynchronize());
    std::this_thread::sleep_for(50ms);
    struct sigaction theirs{}, before{};
    theirs.sa_handler = [](int) { _exit(9); };
    ASSERT_EQ(sigaction(SIGSEGV, &theirs, &before), 0);
    EXPECT_OK(launch(kernels::append, 1, 1, 0, nullptr, log.get(), 10 + i));
    EXPECT_OK(hipDeviceSynchronize());
    ASSERT_EQ(sigaction(SIGSEGV, &before, nullptr), 0);
    EXPECT_EQ(log.load(i + 1), 10 + i);
  }
}

TEST(Stream, WorkOfAStreamIsInOrder) {
  PinnedBuffer<int> log(200);
  StreamHandle s;
  for (int i = 1; i <= 50; ++i) {
    ASSERT_OK(launch(kernels::append, 1, 1, 0, s, log.get(), i));
    if (i % 10 == 0) // a host function in between
      ASSERT_OK(hipLaunchHostFunc(
          s,
          [](void* l) {
            auto* log = static_cast<int*>(l);
            log[++log[0]] = -1;
          },
          log.get()));
  }
  ASSERT_OK(hipStreamSynchronize(s));
  ASSERT_EQ(log[0], 55);
  int expected = 1, at = 1;
  for (int i = 1; i <= 50; ++i) {
    EXPECT_EQ(log[at++], expected++);
    if (i % 10 == 0) EXPECT_EQ(log[at++], -1);
  }
}

TEST(Stream, CopiesAndFillsAreInOrderWithKernels) {
  constexpr int n = 4096;
  StreamHandle s;
  DeviceBuffer<int> d(n);
  PinnedBuffer<int> h(n), back(n);
  for (int i = 0; i < n; ++i) h[i] = i;
  for (int round = 0; round < 20; ++round) {
    ASSERT_OK(hipMemsetAsync(d, 0xff, n * 4, s));
    ASSERT_OK(launch(kernels::add, n / 256, 256, 0, s, d.get(), d.get(), h.get(), n)); // -1 + i
    ASSERT_OK(hipMemcpyAsync(back, d, n * 4, hipMemcpyDeviceToHost, s));
    ASSERT_OK(hipStreamSynchronize(s));
    ASSERT_EQ(back[0], -1);
    ASSERT_EQ(back[n - 1], n - 2);
  }
}

TEST(Stream, NullStreamIsOrderedWithBlockingStreams) {
  PinnedBuffer<int> flag(1), log(8);
  StreamHandle s;
  ASSERT_OK(launch(kernels::spin, 1, 1, 0, s, flag.get(), flag.get()));
  ASSERT_OK(launch(kernels::append, 1, 1, 0, nullptr, log.get(), 1)); // waits for s
  StreamHandle other;
  ASSERT_OK(launch(kernels::append, 1, 1, 0, other, log.get(), 2)); // waits for the null stream
  std::this_thread::sleep_for(30ms);
  EXPECT_EQ(log.load(0), 0) << "both wait for the spinning kernel";
  EXPECT_HIP(hipErrorNotReady, hipStreamQuery(other));
  flag.store(0, 1);
  ASSERT_OK(hipDeviceSynchronize());
  EXPECT_EQ(log[1], 1);
  EXPECT_EQ(log[2], 2);
}

TEST(Stream, NonBlockingStreamsOvertakeTheNullStream) {
  PinnedBuffer<int> flag(1), log(8);
  StreamHandle s(hipStreamNonBlocking);
  ASSERT_OK(launch(kernels::spin, 1, 1, 0, nullptr, flag.get(), flag.get()));
  ASSERT_OK(launch(kernels::append, 1, 1, 0, s, log.get(), 1));
  ASSERT_OK(hipStreamSynchronize(s));
  EXPECT_EQ(log.load(1), 1);
  flag.store(0, 1);
  ASSERT_OK(hipDeviceSynchronize());
}

TEST(Stream, WaitEventHoldsOneStreamForAnother) {
  PinnedBuffer<int> flag(1), log(8);
  StreamHandle a(hipStreamNonBlocking), b(hipStreamNonBlocking);
  hipEvent_t e;
  ASSERT_OK(hipEventCreateWithFlags(&e, hipEventDisableTiming));
  ASSERT_OK(launch(kernels::spin, 1, 1, 0, a, flag.get(), flag.get()));
  ASSERT_OK(hipEventRecord(e, a));
  ASSERT_OK(hipStreamWaitEvent(b, e, 0));
  ASSERT_OK(launch(kernels::append, 1, 1, 0, b, log.get(), 1));
  std::this_thread::sleep_for(30ms);
  EXPECT_EQ(log.load(0), 0);
  EXPECT_HIP(hipErrorNotReady, hipEventQuery(e));
  flag.store(0, 1);
  ASSERT_OK(hipStreamSynchronize(b));
  EXPECT_EQ(log[1], 1);
  EXPECT_OK(hipEventQuery(e));
  EXPECT_OK(hipEventDestroy(e));
}

TEST(Stream, CallbacksRunAfterWorkAndHoldLaterWork) {
  PinnedBuffer<int> flag(1), log(8);
  StreamHandle s;
  static std::atomic<int> calls;
  static std::atomic<hipStream_t> seen;
  calls = 0;
  ASSERT_OK(launch(kernels::spin, 1, 1, 0, s, flag.get(), flag.get()));
  ASSERT_OK(hipStreamAddCallback(
      s,
      [](hipStream_t stream, hipError_t status, void* data) {
        EXPECT_EQ(status, hipSuccess);
        seen = stream;
        std::this_thread::sleep_for(20ms);
        calls += *static_cast<int*>(data);
      },
      log.get() + 7, 0));
  log[7] = 3;
  ASSERT_OK(launch(kernels::append, 1, 1, 0, s, log.get(), 1));
  EXPECT_EQ(calls, 0);
  flag.store(0, 1);
  ASSERT_OK(hipStreamSynchronize(s));
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(seen, s.s);
  EXPECT_EQ(log[1], 1);
  EXPECT_HIP(hipErrorInvalidValue, hipStreamAddCallback(s, nullptr, nullptr, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipLaunchHostFunc(s, nullptr, nullptr));
  (void)hipGetLastError();
}

// ROCm forbids HIP calls there without saying what they do; what could never end is refused, the rest works.
TEST(Stream, AHostFunctionCannotWaitForItself) {
  struct Calls {
    hipStream_t stream;
    hipEvent_t event;
    void *memory, *registered;
    std::vector<hipError_t> refused, allowed;
  };
  StreamHandle s;
  std::vector<char> heap(8192);
  Calls c{s, nullptr, nullptr, heap.data(), {}, {}};
  ASSERT_OK(hipEventCreate(&c.event));
  ASSERT_OK(hipMalloc(&c.memory, 64));
  ASSERT_OK(hipHostRegister(c.registered, heap.size(), hipHostRegisterDefault));
  ASSERT_OK(hipLaunchHostFunc(
      s,
      [](void* data) {
        auto& c = *static_cast<Calls*>(data);
        void* more = nullptr;
        c.allowed.push_back(hipEventRecord(c.event, c.stream));
        c.allowed.push_back(hipMalloc(&more, 64));
        c.allowed.push_back(hipStreamSynchronize(hipStreamPerThread));
        c.refused.push_back(hipStreamSynchronize(c.stream));
        c.refused.push_back(hipDeviceSynchronize());
        c.refused.push_back(hipEventSynchronize(c.event));
        int word = 0;
        c.refused.push_back(hipMemcpy(&word, c.memory, 4, hipMemcpyDeviceToHost)); // on the null stream, behind this one
        c.refused.push_back(hipFree(more));
        c.refused.push_back(hipFree(c.memory));
        c.refused.push_back(hipHostUnregister(c.registered));
      },
      &c));
  ASSERT_OK(hipStreamSynchronize(s));
  EXPECT_EQ(c.allowed, std::vector<hipError_t>(3, hipSuccess));
  EXPECT_EQ(c.refused, std::vector<hipError_t>(7, hipErrorIllegalState));
  EXPECT_OK(hipFree(c.memory)) << "it is still there";
  EXPECT_OK(hipHostUnregister(c.registered));
  EXPECT_OK(hipEventDestroy(c.event));
}

TEST(Stream, WaitAndWriteValue) {
  PinnedBuffer<uint32_t> words(4);
  PinnedBuffer<int> log(4);
  StreamHandle s(hipStreamNonBlocking);
  ASSERT_OK(hipStreamWaitValue32(s, words.get(), 5, hipStreamWaitValueGte));
  ASSERT_OK(launch(kernels::append, 1, 1, 0, s, log.get(), 1));
  ASSERT_OK(hipStreamWriteValue32(s, words.get() + 1, 77, 0));
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(log.load(0), 0);
  words.store(0, 4);
  std::this_thread::sleep_for(10ms);
  EXPECT_EQ(log.load(0), 0);
  words.store(0, 6);
  ASSERT_OK(hipStreamSynchronize(s));
  EXPECT_EQ(log[1], 1);
  EXPECT_EQ(words.load(1), 77u);
  EXPECT_HIP(hipErrorInvalidValue, hipStreamWaitValue32(s, words.get(), 0, 9));
  EXPECT_HIP(hipErrorInvalidValue, hipStreamWaitValue32(s, nullptr, 0, 0));
  (void)hipGetLastError();
}

TEST(Stream, PerThreadStreamsAreApart) {
  PinnedBuffer<int> flag(1), log(8);
  std::thread other([&] { // spins on its own default stream
    EXPECT_OK(launch(kernels::spin, 1, 1, 0, hipStreamPerThread, flag.get(), flag.get()));
  });
  other.join();
  int value = 1;
  int* p = log.get();
  void* args[] = {&p, &value};
  ASSERT_OK(hipLaunchKernel_spt(kernels::append, 1, 1, args, 0, nullptr));
  ASSERT_OK(hipStreamSynchronize_spt(nullptr));
  EXPECT_EQ(log[1], 1);
  flag.store(0, 1);
  ASSERT_OK(hipDeviceSynchronize());
}

TEST(Stream, Properties) {
  int least = 9, greatest = 9, priority = 9;
  ASSERT_OK(hipDeviceGetStreamPriorityRange(&least, &greatest));
  EXPECT_GT(least, greatest);
  hipStream_t s;
  ASSERT_OK(hipStreamCreateWithPriority(&s, hipStreamNonBlocking, greatest - 10));
  EXPECT_OK(hipStreamGetPriority(s, &priority));
  EXPECT_EQ(priority, greatest) << "clamped";
  unsigned flags = 9;
  EXPECT_OK(hipStreamGetFlags(s, &flags));
  EXPECT_EQ(flags, unsigned(hipStreamNonBlocking));
  hipDevice_t device = -1;
  EXPECT_OK(hipStreamGetDevice(s, &device));
  EXPECT_EQ(device, 0);
  unsigned long long id = 0, other = 0;
  EXPECT_OK(hipStreamGetId(s, &id));
  EXPECT_OK(hipStreamGetId(nullptr, &other));
  EXPECT_NE(id, other);
  DeviceBuffer<int> d(64);
  EXPECT_OK(launch(kernels::fill, 1, 64, 0, s, d.get(), 8, 64));
  EXPECT_OK(hipStreamSynchronize(s));
  EXPECT_EQ(d.read()[63], 8);
  hipStreamCaptureStatus status;
  EXPECT_OK(hipStreamIsCapturing(s, &status));
  EXPECT_EQ(status, hipStreamCaptureStatusNone);
  EXPECT_OK(hipStreamDestroy(s));
  EXPECT_HIP(hipErrorContextIsDestroyed, hipStreamDestroy(s)) << "twice";
  EXPECT_HIP(hipErrorContextIsDestroyed, hipStreamSynchronize(s)) << "after destroy";
  EXPECT_HIP(hipErrorContextIsDestroyed, hipStreamQuery(reinterpret_cast<hipStream_t>(&flags))) << "never created";
  EXPECT_HIP(hipErrorInvalidValue, hipStreamGetFlags(nullptr, &flags)) << "the null stream has none";
  EXPECT_HIP(hipErrorInvalidHandle, hipStreamDestroy(nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipStreamCreateWithFlags(&s, 0x80));
  EXPECT_HIP(hipErrorInvalidValue, hipStreamCreate(nullptr));
  (void)hipGetLastError();
}

TEST(Stream, AMaskWithoutComputeUnitsIsTheDefaultOne) {
  hipDeviceProp_t p;
  ASSERT_OK(hipGetDeviceProperties(&p, 0));
  std::vector<uint32_t> none((size_t(p.multiProcessorCount) + 31) / 32), all(none.size()), got(none.size());
  ASSERT_OK(hipExtStreamGetCUMask(nullptr, uint32_t(all.size()), all.data()));
  hipStream_t s;
  ASSERT_OK(hipExtStreamCreateWithCUMask(&s, uint32_t(none.size()), none.data()));
  EXPECT_OK(hipExtStreamGetCUMask(s, uint32_t(got.size()), got.data()));
  EXPECT_EQ(got, all);
  DeviceBuffer<int> d(64);
  EXPECT_OK(launch(kernels::fill, 1, 64, 0, s, d.get(), 8, 64));
  EXPECT_OK(hipStreamSynchronize(s));
  EXPECT_EQ(d.read()[63], 8);
  EXPECT_OK(hipStreamDestroy(s));
}

TEST(Stream, DestroyedWithWorkStillFinishesIt) {
  PinnedBuffer<int> flag(2);
  hipStream_t s;
  ASSERT_OK(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
  ASSERT_OK(launch(kernels::spin, 1, 1, 0, s, flag.get(), flag.get() + 1));
  EXPECT_OK(hipStreamDestroy(s));
  EXPECT_EQ(flag.load(1), 0);
  flag.store(0, 1);
  ASSERT_OK(hipDeviceSynchronize());
  EXPECT_EQ(flag.load(1), 1);
}

TEST(Stream, ManyThreadsOnOneStream) {
  StreamHandle s;
  DeviceBuffer<int> d(1);
  d.zero();
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 25; ++i) EXPECT_OK(launch(kernels::slow, 1, 1, 0, s, d.get(), 10));
    });
  for (auto& t : threads) t.join();
  ASSERT_OK(hipStreamSynchronize(s));
  EXPECT_EQ(d.read()[0], 100);
}

// ---- Events ---------------------------------------------------------------------------------------------------------

TEST(Event, TimesWork) {
  hipEvent_t a, b, c;
  ASSERT_OK(hipEventCreate(&a));
  ASSERT_OK(hipEventCreate(&b));
  ASSERT_OK(hipEventCreate(&c));
  DeviceBuffer<int> d(1);
  d.zero();
  ASSERT_OK(launch(kernels::slow, 1, 64, 0, nullptr, d.get(), 1)); // the first launch also loads the code
  ASSERT_OK(hipDeviceSynchronize());
  // A busy machine may hold the short one up, but not each time.
  float shortest = 1e9f, longest = 0;
  for (int round = 0; round < 10 && longest <= shortest; ++round) {
    ASSERT_OK(hipEventRecord(a, nullptr));
    ASSERT_OK(launch(kernels::slow, 1, 64, 0, nullptr, d.get(), 2000));
    ASSERT_OK(hipEventRecord(b, nullptr));
    ASSERT_OK(launch(kernels::slow, 4, 64, 0, nullptr, d.get(), 50000));
    ASSERT_OK(hipEventRecord(c, nullptr));
    ASSERT_OK(hipEventSynchronize(c));
    float ab = -1, bc = -1, ac = -1;
    ASSERT_OK(hipEventElapsedTime(&ab, a, b));
    ASSERT_OK(hipEventElapsedTime(&bc, b, c));
    ASSERT_OK(hipEventElapsedTime(&ac, a, c));
    EXPECT_GT(ab, 0);
    EXPECT_NEAR(ab + bc, ac, 1e-3 + ac * 1e-5);
    for (auto e : {a, b, c}) // however the clocks of host and device are read
      for (int i = 0; i < 20; ++i) {
        float none = -1;
        ASSERT_OK(hipEventElapsedTime(&none, e, e));
        ASSERT_EQ(none, 0.0f);
      }
    shortest = std::min(shortest, ab);
    longest = std::max(longest, bc);
  }
  EXPECT_GT(longest, shortest);
  for (auto e : {a, b, c}) EXPECT_OK(hipEventDestroy(e));
}

TEST(Event, AroundOneKernel) {
  hipEvent_t start, stop;
  ASSERT_OK(hipEventCreate(&start));
  ASSERT_OK(hipEventCreate(&stop));
  DeviceBuffer<int> d(1);
  int* p = d.get();
  int rounds = 20000;
  void* args[] = {&p, &rounds};
  ASSERT_OK(hipExtLaunchKernel(kernels::slow, 1, 64, args, 0, nullptr, start, stop, 0));
  ASSERT_OK(hipEventSynchronize(stop));
  float ms = -1;
  ASSERT_OK(hipEventElapsedTime(&ms, start, stop));
  EXPECT_GT(ms, 0);
  EXPECT_OK(hipEventDestroy(start));
  EXPECT_OK(hipEventDestroy(stop));
}

TEST(Stream, ManyMoreThanQueuesKeepTheirOrder) {
  // Streams share queues: what one waits for must not stand behind it. A chain through all of them, forth and back, that
  // a host thread lets go when it is complete.
  constexpr int kStreams = 150;
  std::vector<hipStream_t> streams(kStreams);
  for (auto& s : streams) ASSERT_OK(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
  DeviceBuffer<int> log(2 * kStreams + 1);
  log.zero();
  PinnedBuffer<int> flag(2);
  ASSERT_OK(launch(kernels::spin, 1, 1, 0, streams[0], flag.get(), flag.get() + 1));
  hipEvent_t e;
  ASSERT_OK(hipEventCreateWithFlags(&e, hipEventDisableTiming));
  for (int i = 0; i < 2 * kStreams; ++i) {
    const hipStream_t s = streams[size_t(i < kStreams ? i : 2 * kStreams - 1 - i)];
    if (i) ASSERT_OK(hipStreamWaitEvent(s, e, 0));
    ASSERT_OK(launch(kernels::append, 1, 1, 0, s, log.get(), i));
    ASSERT_OK(hipEventRecord(e, s));
  }
  EXPECT_HIP(hipErrorNotReady, hipStreamQuery(streams[0]));
  flag.store(0, 1);
  ASSERT_OK(hipDeviceSynchronize());
  const auto seen = log.read();
  EXPECT_EQ(seen[0], 2 * kStreams);
  for (int i = 0; i < 2 * kStreams; ++i) ASSERT_EQ(seen[size_t(i) + 1], i);
  for (auto s : streams) EXPECT_OK(hipStreamDestroy(s));
  EXPECT_OK(hipEventDestroy(e));
}

TEST(Stream, TheNullStreamWaitsForEveryBusyOneAndForDestroyedOnes) {
  constexpr int kStreams = 40;
  DeviceBuffer<int> d(1), sum(1);
  d.zero();
  for (int round = 0; round < 3; ++round) {
    std::vector<hipStream_t> streams(kStreams);
    for (auto& s : streams) {
      ASSERT_OK(hipStreamCreate(&s));
      ASSERT_OK(launch(kernels::slow, 1, 64, 0, s, d.get(), 20000));
    }
    for (int i = 0; i < kStreams; i += 2) EXPECT_OK(hipStreamDestroy(streams[size_t(i)])); // with work in them
    ASSERT_OK(hipMemcpyAsync(sum.get(), d.get(), sizeof(int), hipMemcpyDeviceToDevice, nullptr));
    EXPECT_EQ(sum.read()[0], (round + 1) * kStreams * 64);
    for (int i = 1; i < kStreams; i += 2) EXPECT_OK(hipStreamDestroy(streams[size_t(i)]));
  }
}

TEST(Event, Errors) {
  hipEvent_t a, b, untimed;
  ASSERT_OK(hipEventCreate(&a));
  ASSERT_OK(hipEventCreate(&b));
  ASSERT_OK(hipEventCreateWithFlags(&untimed, hipEventDisableTiming));
  float ms;
  EXPECT_OK(hipEventQuery(a)) << "never recorded";
  EXPECT_OK(hipEventSynchronize(a));
  EXPECT_HIP(hipErrorInvalidHandle, hipEventElapsedTime(&ms, a, b)) << "never recorded";
  EXPECT_OK(hipEventRecord(a, nullptr));
  EXPECT_OK(hipEventRecord(untimed, nullptr));
  EXPECT_HIP(hipErrorInvalidHandle, hipEventElapsedTime(&ms, a, untimed));
  EXPECT_HIP(hipErrorInvalidValue, hipEventElapsedTime(nullptr, a, a));
  PinnedBuffer<int> flag(1);
  EXPECT_OK(launch(kernels::spin, 1, 1, 0, nullptr, flag.get(), flag.get()));
  EXPECT_OK(hipEventRecord(b, nullptr));
  EXPECT_HIP(hipErrorNotReady, hipEventElapsedTime(&ms, a, b));
  EXPECT_OK(hipPeekAtLastError() == hipErrorInvalidValue ? hipSuccess : hipPeekAtLastError())
      << "not ready is no error";
  flag.store(0, 1);
  EXPECT_OK(hipEventSynchronize(b));
  EXPECT_OK(hipEventDestroy(a));
  EXPECT_HIP(hipErrorInvalidHandle, hipEventRecord(a, nullptr)) << "destroyed";
  EXPECT_HIP(hipErrorContextIsDestroyed, hipEventDestroy(a)) << "twice";
  EXPECT_HIP(hipErrorInvalidHandle, hipEventQuery(nullptr));
  hipStream_t dead;
  EXPECT_OK(hipStreamCreate(&dead));
  EXPECT_OK(hipStreamDestroy(dead));
  EXPECT_HIP(hipErrorInvalidHandle, hipStreamWaitEvent(dead, b, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipEventCreateWithFlags(&a, 0x100));
  EXPECT_HIP(hipErrorInvalidValue, hipEventCreate(nullptr));
  EXPECT_OK(hipEventDestroy(b));
  EXPECT_OK(hipEventDestroy(untimed));
  (void)hipGetLastError();
}

} // namespace
