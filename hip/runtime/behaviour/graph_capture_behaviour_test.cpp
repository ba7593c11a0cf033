// Stream capture: what becomes a node, how captures spread and end, what they forbid.
#include "hip/runtime/behaviour/graph_support.hpp"

#include <atomic>

namespace {

using namespace graphs;

void append_host(void* log) {
  auto* l = static_cast<int*>(log);
  l[++l[0]] = -1;
}

hipStreamCaptureStatus status_of(hipStream_t s) {
  hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
  EXPECT_OK(hipStreamIsCapturing(s, &status));
  return status;
}

TEST(Capture, StreamWorkBecomesAGraph) {
  StreamHandle s;
  PinnedBuffer<int> log(16), words(64), source(64);
  DeviceBuffer<int> d(64);
  for (int i = 0; i < 64; ++i) source[i] = i;
  ASSERT_OK(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
  EXPECT_EQ(status_of(s), hipStreamCaptureStatusActive);
  ASSERT_OK(launch(kernels::append, 1, 1, 0, s, log.get(), 1));
  ASSERT_OK(hipMemcpyAsync(d, source, 64 * sizeof(int), hipMemcpyHostToDevice, s));
  ASSERT_OK(hipMemsetAsync(d, 0, 8 * sizeof(int), s));
  ASSERT_OK(hipMemcpyAsync(words, d, 64 * sizeof(int), hipMemcpyDeviceToHost, s));
  ASSERT_OK(hipLaunchHostFunc(s, append_host, log.get()));
  ASSERT_OK(hipStreamWriteValue32(s, log.get() + 15, 42, 0));
  hipGraph_t captured = nullptr;
  ASSERT_OK(hipStreamEndCapture(s, &captured));
  GraphHandle g(captured);
  EXPECT_EQ(status_of(s), hipStreamCaptureStatusNone);
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(log.load(0), 0) << "nothing ran";
  std::vector<hipGraphNodeType> types;
  for (auto n : nodes_of(g)) types.push_back(type_of(n));
  EXPECT_EQ(types, (std::vector{hipGraphNodeTypeKernel, hipGraphNodeTypeMemcpy, hipGraphNodeTypeMemset,
                                hipGraphNodeTypeMemcpy, hipGraphNodeTypeHost, hipGraphNodeTypeBatchMemOp}));
  ExecHandle exec(g);
  for (int round = 1; round <= 3; ++round) {
    exec.run(s);
    EXPECT_EQ(log[0], 2 * round);
    EXPECT_EQ(log[2 * round - 1], 1);
    EXPECT_EQ(log[2 * round], -1);
  }
  EXPECT_EQ(log[15], 42);
  EXPECT_EQ(words[7], 0);
  EXPECT_EQ(words[8], 8);
  EXPECT_EQ(words[63], 63);
}

TEST(Capture, ArgumentsAreThoseOfTheCapture) {
  StreamHandle s;
  PinnedBuffer<int> log(4);
  int value = 5;
  int* p = log.get();
  void* args[] = {&p, &value};
  ASSERT_OK(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
  ASSERT_OK(hipLaunchKernel(kernels::append, 1, 1, args, 0, s));
  hipGraph_t captured = nullptr;
  ASSERT_OK(hipStreamEndCapture(s, &captured));
  value = 6;
  GraphHandle g(captured);
  ExecHandle(g).run(s);
  EXPECT_EQ(log[1], 5);
}

TEST(Capture, ForksAndJoinsOverEvents) {
  StreamHandle a, b;
  EventHandle fork, join;
  PinnedBuffer<int> flags(2);
  ASSERT_OK(hipStreamBeginCapture(a, hipStreamCaptureModeGlobal));
  ASSERT_OK(hipEventRecord(fork, a));
  ASSERT_OK(hipStreamWaitEvent(b, fork, 0));
  EXPECT_EQ(status_of(b), hipStreamCaptureStatusActive);
  // Each waits for the other: the branches have to run side by side.
  ASSERT_OK(launch(kernels::meet, 1, 1, 0, a, flags.get(), flags.get() + 1));
  ASSERT_OK(launch(kernels::meet, 1, 1, 0, b, flags.get() + 1, flags.get()));
  ASSERT_OK(hipEventRecord(join, b));
  ASSERT_OK(hipStreamWaitEvent(a, join, 0));
  ASSERT_OK(hipLaunchHostFunc(a, [](void* f) { static_cast<int*>(f)[0] += 10; }, flags.get()));
  hipGraph_t captured = nullptr;
  EXPECT_HIP(hipErrorStreamCaptureUnmatched, hipStreamEndCapture(b, &captured)) << "it began on the other";
  ASSERT_OK(hipStreamEndCapture(a, &captured));
  GraphHandle g(captured);
  EXPECT_EQ(status_of(b), hipStreamCaptureStatusNone);
  size_t n = 0;
  EXPECT_OK(hipGraphGetRootNodes(g, nullptr, &n));
  EXPECT_EQ(n, 2u);
  EXPECT_OK(hipGraphNodeGetDependencies(nodes_of(g)[2], nullptr, &n));
  EXPECT_EQ(n, 2u) << "the join";
  ExecHandle(g).run(a);
  EXPECT_EQ(flags.load(0), 11);
  EXPECT_EQ(flags.load(1), 1);
  (void)hipGetLastError();
}

TEST(Capture, UnjoinedStreams) {
  StreamHandle a, b;
  EventHandle fork;
  PinnedBuffer<int> log(4);
  ASSERT_OK(hipStreamBeginCapture(a, hipStreamCaptureModeGlobal));
  ASSERT_OK(launch(kernels::append, 1, 1, 0, a, log.get(), 1));
  ASSERT_OK(hipEventRecord(fork, a));
  ASSERT_OK(hipStreamWaitEvent(b, fork, 0));
  ASSERT_OK(launch(kernels::append, 1, 1, 0, b, log.get(), 1));
  hipGraph_t captured = made_up<hipGraph_t>();
  EXPECT_HIP(hipErrorStreamCaptureUnjoined, hipStreamEndCapture(a, &captured));
  EXPECT_EQ(captured, nullptr);
  EXPECT_EQ(status_of(a), hipStreamCaptureStatusNone);
  EXPECT_EQ(status_of(b), hipStreamCaptureStatusNone);
  EXPECT_OK(launch(kernels::append, 1, 1, 0, b, log.get(), 7)) << "usable again";
  EXPECT_OK(hipStreamSynchronize(b));
  EXPECT_EQ(log[1], 7);
  (void)hipGetLastError();
}

TEST(Capture, BeginAndEndErrors) {
  StreamHandle s;
  hipGraph_t captured = nullptr;
  EXPECT_HIP(hipErrorStreamCaptureUnsupported, hipStreamBeginCapture(nullptr, hipStreamCaptureModeGlobal));
  EXPECT_HIP(hipErrorStreamCaptureUnsupported, hipStreamBeginCapture(hipStreamLegacy, hipStreamCaptureModeGlobal));
  EXPECT_HIP(hipErrorInvalidValue, hipStreamBeginCapture(s, hipStreamCaptureMode(9)));
  EXPECT_HIP(hipErrorContextIsDestroyed, hipStreamBeginCapture(made_up<hipStream_t>(), hipStreamCaptureModeGlobal));
  EXPECT_HIP(hipErrorIllegalState, hipStreamEndCapture(s, &captured)) << "not capturing";
  ASSERT_OK(hipStreamBeginCapture(s, hipStreamCaptureModeThreadLocal));
  EXPECT_HIP(hipErrorIllegalState, hipStreamBeginCapture(s, hipStreamCaptureModeGlobal)) << "twice";
  EXPECT_HIP(hipErrorInvalidValue, hipStreamEndCapture(s, nullptr));
  std::thread([&] { EXPECT_HIP(hipErrorStreamCaptureWrongThread, hipStreamEndCapture(s, &captured)); }).join();
  ASSERT_OK(hipStreamEndCapture(s, &captured));
  EXPECT_EQ(node_count(captured), 0u);
  EXPECT_OK(hipGraphDestroy(captured));
  ASSERT_OK(hipStreamBeginCapture(s, hipStreamCaptureModeRelaxed));
  std::thread([&] { EXPECT_OK(hipStreamEndCapture(s, &captured)); }).join();
  EXPECT_OK(hipGraphDestroy(captured));
  (void)hipGetLastError();
}

/// What breaks a capture: the call, what it returns.
struct Breaker {
  const char* name;
  hipError_t expected;
  std::function<hipError_t(hipStream_t)> call;
};

TEST(Capture, ForbiddenCallsInvalidate) {
  EventHandle outside, inside;
  StreamHandle other;
  DeviceBuffer<int> d(4);
  int host = 0;
  ASSERT_OK(hipEventRecord(outside, other));
  const Breaker breakers[] = {
      {"hipStreamSynchronize", hipErrorStreamCaptureUnsupported, [](hipStream_t s) { return hipStreamSynchronize(s); }},
      {"hipStreamQuery", hipErrorStreamCaptureUnsupported, [](hipStream_t s) { return hipStreamQuery(s); }},
      {"synchronize another", hipErrorStreamCaptureUnsupported,
       [&](hipStream_t) { return hipStreamSynchronize(other); }},
      {"hipDeviceSynchronize", hipErrorStreamCaptureUnsupported, [](hipStream_t) { return hipDeviceSynchronize(); }},
      {"hipMalloc", hipErrorStreamCaptureUnsupported,
       [](hipStream_t) {
         void* p = nullptr;
         return hipMalloc(&p, 4);
       }},
      {"hipFree", hipErrorStreamCaptureUnsupported, [](hipStream_t) { return hipFree(nullptr); }},
      {"hipEventQuery, captured", hipErrorCapturedEvent,
       [&](hipStream_t s) {
         EXPECT_OK(hipEventRecord(inside, s));
         return hipEventQuery(inside);
       }},
      {"hipEventSynchronize, captured", hipErrorCapturedEvent,
       [&](hipStream_t s) {
         EXPECT_OK(hipEventRecord(inside, s));
         return hipEventSynchronize(inside);
       }},
      {"hipEventElapsedTime, captured", hipErrorCapturedEvent,
       [&](hipStream_t s) {
         EXPECT_OK(hipEventRecord(inside, s));
         float ms;
         return hipEventElapsedTime(&ms, outside, inside);
       }},
      {"hipEventQuery of another", hipErrorStreamCaptureUnsupported,
       [&](hipStream_t) { return hipEventQuery(outside); }},
      {"wait for another's event", hipErrorStreamCaptureIsolation,
       [&](hipStream_t s) { return hipStreamWaitEvent(s, outside, 0); }},
      {"synchronous copy on it", hipErrorStreamCaptureUnsupported,
       [&](hipStream_t s) { return hipMemcpyWithStream(&host, d, 4, hipMemcpyDeviceToHost, s); }},
  };
  for (auto& b : breakers) {
    SCOPED_TRACE(b.name);
    StreamHandle s;
    ASSERT_OK(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
    EXPECT_HIP(b.expected, b.call(s));
    EXPECT_EQ(status_of(s), hipStreamCaptureStatusInvalidated);
    EXPECT_HIP(hipErrorStreamCaptureInvalidated, hipLaunchHostFunc(s, append_host, nullptr)) << "nothing more is taken";
    hipGraph_t captured = made_up<hipGraph_t>();
    EXPECT_HIP(hipErrorStreamCaptureInvalidated, hipStreamEndCapture(s, &captured));
    EXPECT_EQ(captured, nullptr);
    EXPECT_OK(hipStreamSynchronize(s)) << "usable again";
  }
  (void)hipGetLastError();
}

TEST(Capture, NullStreamBreaksCapturesOfBlockingStreams) {
  DeviceBuffer<int> d(4);
  int host = 0;
  hipGraph_t captured = nullptr;
  {
    StreamHandle s(hipStreamDefault);
    hipStreamCaptureStatus status;
    ASSERT_OK(hipStreamBeginCapture(s, hipStreamCaptureModeRelaxed));
    EXPECT_HIP(hipErrorStreamCaptureImplicit, hipStreamIsCapturing(nullptr, &status));
    EXPECT_EQ(status_of(s), hipStreamCaptureStatusActive) << "asking breaks nothing";
    EXPECT_HIP(hipErrorStreamCaptureImplicit, hipMemcpy(&host, d, 4, hipMemcpyDeviceToHost));
    EXPECT_HIP(hipErrorStreamCaptureInvalidated, hipStreamEndCapture(s, &captured));
  }
  StreamHandle s(hipStreamNonBlocking);
  ASSERT_OK(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
  EXPECT_OK(hipMemset(d, 0, 4)) << "not ordered with it";
  EXPECT_OK(hipStreamEndCapture(s, &captured));
  EXPECT_OK(hipGraphDestroy(captured));
  (void)hipGetLastError();
}

/// Whether hipMalloc of this thread or another breaks a capture of a mode.
TEST(Capture, Modes) {
  auto allocate = [](hipStreamCaptureMode own) {
    EXPECT_OK(hipThreadExchangeStreamCaptureMode(&own));
    void* p = nullptr;
    const hipError_t e = hipMalloc(&p, 4);
    EXPECT_OK(hipThreadExchangeStreamCaptureMode(&own));
    return std::pair(e, p);
  };
  struct Row {
    hipStreamCaptureMode capture, caller;
    bool other_thread, forbidden;
  };
  constexpr auto G = hipStreamCaptureModeGlobal, T = hipStreamCaptureModeThreadLocal, R = hipStreamCaptureModeRelaxed;
  const Row rows[] = {{G, G, false, true},  {T, G, false, true},  {R, G, false, false}, {G, G, true, true},
                      {T, G, true, false},  {R, G, true, false},  {G, T, true, false},  {G, T, false, true},
                      {G, R, false, false}, {T, R, false, false}, {G, R, true, false}};
  for (auto& r : rows) {
    SCOPED_TRACE(testing::Message() << "capture " << r.capture << " caller " << r.caller << " other "
                                    << r.other_thread);
    StreamHandle s;
    ASSERT_OK(hipStreamBeginCapture(s, r.capture));
    std::pair<hipError_t, void*> got;
    if (r.other_thread)
      std::thread([&] { got = allocate(r.caller); }).join();
    else
      got = allocate(r.caller);
    EXPECT_HIP(r.forbidden ? hipErrorStreamCaptureUnsupported : hipSuccess, got.first);
    hipGraph_t captured = nullptr;
    EXPECT_HIP(r.forbidden ? hipErrorStreamCaptureInvalidated : hipSuccess, hipStreamEndCapture(s, &captured));
    if (captured) EXPECT_OK(hipGraphDestroy(captured));
    EXPECT_OK(hipFree(got.second));
  }
  hipStreamCaptureMode bad = hipStreamCaptureMode(7);
  EXPECT_HIP(hipErrorInvalidValue, hipThreadExchangeStreamCaptureMode(&bad));
  EXPECT_HIP(hipErrorInvalidValue, hipThreadExchangeStreamCaptureMode(nullptr));
  (void)hipGetLastError();
}

TEST(Capture, Merge) {
  StreamHandle a, b;
  EventHandle e;
  hipGraph_t captured = nullptr;
  ASSERT_OK(hipStreamBeginCapture(a, hipStreamCaptureModeGlobal));
  ASSERT_OK(hipStreamBeginCapture(b, hipStreamCaptureModeGlobal));
  ASSERT_OK(hipEventRecord(e, a));
  EXPECT_HIP(hipErrorStreamCaptureMerge, hipStreamWaitEvent(b, e, 0));
  EXPECT_HIP(hipErrorStreamCaptureInvalidated, hipStreamEndCapture(a, &captured));
  EXPECT_HIP(hipErrorStreamCaptureInvalidated, hipStreamEndCapture(b, &captured));
  EXPECT_HIP(hipErrorCapturedEvent, hipStreamWaitEvent(b, e, 0)) << "its capture has ended";
  EXPECT_HIP(hipErrorCapturedEvent, hipEventSynchronize(e));
  EXPECT_OK(hipEventRecord(e, b));
  EXPECT_OK(hipEventSynchronize(e)) << "recorded anew";
  (void)hipGetLastError();
}

TEST(Capture, InfoAndDependencies) {
  StreamHandle s;
  PinnedBuffer<int> log(8);
  hipStreamCaptureStatus status = hipStreamCaptureStatusInvalidated;
  unsigned long long id = 9, again = 0;
  hipGraph_t graph = nullptr;
  const hipGraphNode_t* list = nullptr;
  size_t n = 9;
  EXPECT_OK(hipStreamGetCaptureInfo(s, &status, &id));
  EXPECT_EQ(status, hipStreamCaptureStatusNone);
  EXPECT_EQ(id, 0u);
  ASSERT_OK(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
  ASSERT_OK(launch(kernels::append, 1, 1, 0, s, log.get(), 1));
  EXPECT_OK(hipStreamGetCaptureInfo_v2(s, &status, &id, &graph, &list, &n));
  EXPECT_EQ(status, hipStreamCaptureStatusActive);
  EXPECT_NE(id, 0u);
  ASSERT_EQ(n, 1u);
  EXPECT_EQ(type_of(list[0]), hipGraphNodeTypeKernel);
  EXPECT_EQ(nodes_of(graph), std::vector{list[0]});
  EXPECT_OK(hipStreamGetCaptureInfo(s, &status, &again));
  EXPECT_EQ(id, again);
  EXPECT_HIP(hipErrorInvalidValue, hipGraphDestroy(graph)) << "it is being captured into";
  // A node by hand, put before what comes next.
  auto extra = empty_node(graph);
  EXPECT_OK(hipStreamUpdateCaptureDependencies(s, &extra, 1, hipStreamAddCaptureDependencies));
  ASSERT_OK(launch(kernels::append, 1, 1, 0, s, log.get(), 2));
  EXPECT_OK(hipStreamGetCaptureInfo_v2(s, &status, nullptr, nullptr, &list, &n));
  size_t before = 0;
  EXPECT_OK(hipGraphNodeGetDependencies(list[0], nullptr, &before));
  EXPECT_EQ(before, 2u);
  EXPECT_OK(hipStreamUpdateCaptureDependencies(s, nullptr, 0, hipStreamSetCaptureDependencies));
  EXPECT_OK(hipStreamGetCaptureInfo_v2(s, &status, nullptr, nullptr, nullptr, &n));
  EXPECT_EQ(n, 0u);
  hipGraphNode_t bad = made_up<hipGraphNode_t>();
  EXPECT_HIP(hipErrorInvalidValue, hipStreamUpdateCaptureDependencies(s, &bad, 1, hipStreamAddCaptureDependencies));
  EXPECT_HIP(hipErrorInvalidValue, hipStreamUpdateCaptureDependencies(s, nullptr, 1, hipStreamAddCaptureDependencies));
  EXPECT_HIP(hipErrorInvalidValue, hipStreamUpdateCaptureDependencies(s, &extra, 1, 5));
  EXPECT_HIP(hipErrorInvalidValue, hipStreamGetCaptureInfo_v2(s, nullptr));
  hipGraph_t captured = nullptr;
  ASSERT_OK(hipStreamEndCapture(s, &captured)) << "nodes taken out of the dependencies needn't be joined";
  EXPECT_EQ(captured, graph);
  EXPECT_OK(hipGraphDestroy(captured));
  EXPECT_HIP(hipErrorIllegalState, hipStreamUpdateCaptureDependencies(s, nullptr, 0, hipStreamAddCaptureDependencies));
  (void)hipGetLastError();
}

TEST(Capture, ToAGraph) {
  StreamHandle s;
  PinnedBuffer<int> log(8);
  GraphHandle g;
  auto first = kernel_node(g, {}, kernels::append, log.get(), 1);
  hipGraphEdgeData data{};
  EXPECT_HIP(hipErrorInvalidValue,
             hipStreamBeginCaptureToGraph(s, nullptr, nullptr, nullptr, 0, hipStreamCaptureModeGlobal));
  EXPECT_HIP(hipErrorInvalidValue, hipStreamBeginCaptureToGraph(s, g, &first, &data, 1, hipStreamCaptureModeGlobal));
  EXPECT_HIP(hipErrorInvalidValue, hipStreamBeginCaptureToGraph(s, g, nullptr, nullptr, 1, hipStreamCaptureModeGlobal));
  ASSERT_OK(hipStreamBeginCaptureToGraph(s, g, &first, nullptr, 1, hipStreamCaptureModeGlobal));
  ASSERT_OK(launch(kernels::append, 1, 1, 0, s, log.get(), 2));
  hipGraph_t captured = nullptr;
  ASSERT_OK(hipStreamEndCapture(s, &captured));
  EXPECT_EQ(captured, g.g);
  EXPECT_EQ(node_count(g), 2u);
  ExecHandle(g).run(s);
  EXPECT_EQ(log[0], 2);
  EXPECT_EQ(log[2], 2);
  (void)hipGetLastError();
}

TEST(Capture, ExternalEventsAreNodes) {
  StreamHandle s, other;
  EventHandle before, after;
  PinnedBuffer<int> log(8), flag(2);
  ASSERT_OK(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
  ASSERT_OK(hipStreamWaitEvent(s, before, hipEventWaitExternal));
  ASSERT_OK(launch(kernels::append, 1, 1, 0, s, log.get(), 1));
  ASSERT_OK(hipEventRecordWithFlags(after, s, hipEventRecordExternal));
  hipGraph_t captured = nullptr;
  ASSERT_OK(hipStreamEndCapture(s, &captured));
  GraphHandle g(captured);
  EXPECT_EQ(type_of(nodes_of(g)[0]), hipGraphNodeTypeWaitEvent);
  EXPECT_EQ(type_of(nodes_of(g)[2]), hipGraphNodeTypeEventRecord);
  ExecHandle exec(g);
  ASSERT_OK(launch(kernels::spin, 1, 1, 0, other, flag.get(), flag.get() + 1));
  ASSERT_OK(hipEventRecord(before, other));
  ASSERT_OK(hipGraphLaunch(exec, s));
  std::this_thread::sleep_for(10ms);
  EXPECT_EQ(log.load(0), 0) << "held up by the event";
  EXPECT_HIP(hipErrorNotReady, hipEventQuery(after));
  flag.store(0, 1);
  ASSERT_OK(hipEventSynchronize(after));
  EXPECT_EQ(log.load(1), 1);
  EXPECT_OK(hipStreamSynchronize(s));
}

TEST(Capture, StreamOrderedMemory) {
  StreamHandle s;
  PinnedBuffer<int> out(64);
  ASSERT_OK(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
  int* p = nullptr;
  ASSERT_OK(hipMallocAsync(reinterpret_cast<void**>(&p), 64 * sizeof(int), s));
  ASSERT_NE(p, nullptr);
  ASSERT_OK(launch(kernels::fill, 1, 64, 0, s, p, 9, 64));
  ASSERT_OK(hipMemcpyAsync(out, p, 64 * sizeof(int), hipMemcpyDeviceToHost, s));
  ASSERT_OK(hipFreeAsync(p, s));
  hipGraph_t captured = nullptr;
  ASSERT_OK(hipStreamEndCapture(s, &captured));
  GraphHandle g(captured);
  EXPECT_EQ(type_of(nodes_of(g)[0]), hipGraphNodeTypeMemAlloc);
  EXPECT_EQ(type_of(nodes_of(g)[3]), hipGraphNodeTypeMemFree);
  ExecHandle exec(g);
  for (int round = 0; round < 3; ++round) {
    out[63] = 0;
    exec.run(s);
    EXPECT_EQ(out[63], 9);
  }
}

TEST(Capture, LaunchedGraphsBecomeChildren) {
  StreamHandle s;
  PinnedBuffer<int> log(8);
  GraphHandle inner;
  kernel_node(inner, {}, kernels::append, log.get(), 3);
  ExecHandle exec(inner);
  ASSERT_OK(hipStreamBeginCapture(s, hipStreamCaptureModeGlobal));
  ASSERT_OK(hipGraphLaunch(exec, s));
  ASSERT_OK(launch(kernels::append, 1, 1, 0, s, log.get(), 4));
  hipGraph_t captured = nullptr;
  ASSERT_OK(hipStreamEndCapture(s, &captured));
  GraphHandle g(captured);
  EXPECT_EQ(type_of(nodes_of(g)[0]), hipGraphNodeTypeGraph);
  ExecHandle(g).run(s);
  EXPECT_EQ(log[0], 2);
  EXPECT_EQ(log[1], 3);
  EXPECT_EQ(log[2], 4);
}

TEST(Capture, PerThreadStreamAndDestroyedStream) {
  PinnedBuffer<int> log(8);
  int value = 1;
  int* p = log.get();
  void* args[] = {&p, &value};
  hipGraph_t captured = nullptr;
  ASSERT_OK(hipStreamBeginCapture_spt(nullptr, hipStreamCaptureModeThreadLocal));
  hipStreamCaptureStatus status = hipStreamCaptureStatusNone;
  EXPECT_OK(hipStreamIsCapturing_spt(nullptr, &status));
  EXPECT_EQ(status, hipStreamCaptureStatusActive);
  EXPECT_OK(hipStreamGetCaptureInfo_v2_spt(nullptr, &status, nullptr, nullptr, nullptr, nullptr));
  ASSERT_OK(hipLaunchKernel_spt(kernels::append, 1, 1, args, 0, nullptr));
  ASSERT_OK(hipStreamEndCapture_spt(nullptr, &captured));
  GraphHandle g(captured);
  ExecHandle exec(g);
  ASSERT_OK(hipGraphLaunch_spt(exec, nullptr));
  ASSERT_OK(hipStreamSynchronize_spt(nullptr));
  EXPECT_EQ(log[1], 1);
  EXPECT_HIP(hipErrorInvalidValue, hipGraphLaunch_spt(nullptr, nullptr));

  StreamHandle a;
  EventHandle e;
  hipStream_t b = nullptr;
  ASSERT_OK(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
  ASSERT_OK(hipStreamBeginCapture(a, hipStreamCaptureModeGlobal));
  ASSERT_OK(hipEventRecord(e, a));
  ASSERT_OK(hipStreamWaitEvent(b, e, 0));
  EXPECT_OK(hipStreamDestroy(b));
  void* q = nullptr;
  EXPECT_OK(hipMalloc(&q, 4)) << "nothing is left to protect";
  EXPECT_OK(hipFree(q));
  EXPECT_HIP(hipErrorStreamCaptureInvalidated, hipStreamEndCapture(a, &captured));
  ASSERT_OK(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
  ASSERT_OK(hipStreamBeginCapture(b, hipStreamCaptureModeGlobal));
  EXPECT_OK(hipStreamDestroy(b)) << "ends the capture that began on it";
  EXPECT_OK(hipMalloc(&q, 4));
  EXPECT_OK(hipFree(q));
  (void)hipGetLastError();
}

TEST(Capture, ManyThreadsCaptureAtOnce) {
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      StreamHandle s;
      PinnedBuffer<int> log(64);
      for (int round = 0; round < 5; ++round) {
        ASSERT_OK(hipStreamBeginCapture(s, hipStreamCaptureModeRelaxed));
        for (int i = 0; i < 10; ++i) ASSERT_OK(launch(kernels::append, 1, 1, 0, s, log.get(), i));
        hipGraph_t captured = nullptr;
        ASSERT_OK(hipStreamEndCapture(s, &captured));
        GraphHandle g(captured);
        log[0] = 0;
        ExecHandle(g).run(s);
        if (log[0] == 10 && log[10] == 9) ++good;
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(good, 20);
}

} // namespace
