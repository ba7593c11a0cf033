// Executable graphs: instantiation, order and parallelism of launches, updates.
#include "hip/runtime/behaviour/graph_support.hpp"

#include <atomic>

namespace {

using namespace graphs;

TEST(GraphExec, ChainRunsInOrder) {
  GraphHandle g;
  PinnedBuffer<int> log(128);
  std::vector<hipGraphNode_t> last;
  for (int i = 1; i <= 100; ++i) last = {kernel_node(g, last, kernels::append, log.get(), i)};
  ExecHandle exec(g);
  exec.run();
  ASSERT_EQ(log[0], 100);
  for (int i = 1; i <= 100; ++i) EXPECT_EQ(log[i], i);
}

TEST(GraphExec, BranchesRunSideBySide) {
  GraphHandle g;
  PinnedBuffer<int> flags(4);
  auto root = empty_node(g);
  auto a = kernel_node(g, {root}, kernels::meet, flags.get(), flags.get() + 1);
  auto b = kernel_node(g, {root}, kernels::meet, flags.get() + 1, flags.get());
  kernel_node(g, {a, b}, kernels::fill, flags.get() + 2, 7, 1);
  ExecHandle exec(g);
  exec.run();
  EXPECT_EQ(flags.load(2), 7);
}

/// Many branches that end in one node: more than lanes, and all before the end.
TEST(GraphExec, WideGraph) {
  constexpr int kWidth = 40;
  GraphHandle g;
  DeviceBuffer<int> d(kWidth + 1);
  d.zero();
  PinnedBuffer<int> out(kWidth);
  std::vector<hipGraphNode_t> branches;
  for (int i = 0; i < kWidth; ++i) {
    auto n = kernel_node(g, {}, kernels::fill, d.get() + i, i + 1, 1);
    branches.push_back(kernel_node(g, {n}, kernels::slow, d.get() + kWidth, 500));
  }
  auto middle = empty_node(g, branches);
  hipGraphNode_t copy;
  ASSERT_OK(hipGraphAddMemcpyNode1D(&copy, g, &middle, 1, out, d, kWidth * sizeof(int), hipMemcpyDeviceToHost));
  ExecHandle exec(g);
  for (int round = 1; round <= 3; ++round) {
    exec.run();
    for (int i = 0; i < kWidth; ++i) EXPECT_EQ(out[i], i + 1);
    EXPECT_EQ(d.read()[kWidth], round * kWidth);
  }
}

TEST(GraphExec, ChildGraphs) {
  GraphHandle g, inner, nothing;
  PinnedBuffer<int> log(16);
  auto i1 = kernel_node(inner, {}, kernels::append, log.get(), 2);
  kernel_node(inner, {i1}, kernels::append, log.get(), 3);
  auto first = kernel_node(g, {}, kernels::append, log.get(), 1);
  hipGraphNode_t child, empty;
  ASSERT_OK(hipGraphAddChildGraphNode(&child, g, &first, 1, inner));
  ASSERT_OK(hipGraphAddChildGraphNode(&empty, g, &child, 1, nothing));
  kernel_node(g, {empty}, kernels::append, log.get(), 4);
  ExecHandle exec(g);
  exec.run();
  ASSERT_EQ(log[0], 4);
  for (int i = 1; i <= 4; ++i) EXPECT_EQ(log[i], i);

  GraphHandle other;
  auto o1 = kernel_node(other, {}, kernels::append, log.get(), 20);
  kernel_node(other, {o1}, kernels::append, log.get(), 30);
  ASSERT_OK(hipGraphExecChildGraphNodeSetParams(exec, child, other));
  log[0] = 0;
  exec.run();
  EXPECT_EQ(log[2], 20);
  EXPECT_EQ(log[3], 30);
  // A node of the child graph, by its handle in the embedded graph.
  hipGraph_t embedded = nullptr;
  ASSERT_OK(hipGraphChildGraphNodeGetGraph(child, &embedded));
  with_kernel(
      kernels::append, 1, 1,
      [&](const hipKernelNodeParams& p) {
        ASSERT_OK(hipGraphExecKernelNodeSetParams(exec, nodes_of(embedded)[0], &p));
      },
      log.get(), 200);
  log[0] = 0;
  exec.run();
  EXPECT_EQ(log[2], 200);
  kernel_node(other, {}, kernels::append, log.get(), 40);
  EXPECT_HIP(hipErrorInvalidValue, hipGraphExecChildGraphNodeSetParams(exec, child, other)) << "of another shape";
  EXPECT_HIP(hipErrorInvalidValue, hipGraphExecChildGraphNodeSetParams(exec, first, other)) << "no child";
  EXPECT_HIP(hipErrorInvalidValue, hipGraphExecChildGraphNodeSetParams(exec, child, nullptr));
  (void)hipGetLastError();
}

TEST(GraphExec, LaunchesOfOneAreOrderedAcrossStreams) {
  GraphHandle g;
  StreamHandle a, b;
  PinnedBuffer<int> flag(2), log(8);
  auto spin = kernel_node(g, {}, kernels::spin, flag.get(), flag.get() + 1);
  kernel_node(g, {spin}, kernels::append, log.get(), 1);
  ExecHandle exec(g);
  ASSERT_OK(hipGraphLaunch(exec, a));
  ASSERT_OK(hipGraphLaunch(exec, b));
  ASSERT_OK(launch(kernels::append, 1, 1, 0, b, log.get(), 2));
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(log.load(0), 0);
  EXPECT_HIP(hipErrorNotReady, hipStreamQuery(b));
  flag.store(0, 1);
  ASSERT_OK(hipStreamSynchronize(b));
  EXPECT_EQ(log.load(0), 3);
  EXPECT_EQ(log.load(3), 2) << "after both";
  EXPECT_OK(hipStreamSynchronize(a));
}

TEST(GraphExec, OrderedWithTheStreamAndTheNullStream) {
  GraphHandle g;
  StreamHandle s(hipStreamDefault);
  PinnedBuffer<int> flag(2), log(8);
  // Two branches, so that lanes beside the stream's own are used.
  kernel_node(g, {}, kernels::append, log.get(), 1);
  kernel_node(g, {}, kernels::fill, log.get() + 7, 5, 1);
  ExecHandle exec(g);
  ASSERT_OK(launch(kernels::spin, 1, 1, 0, nullptr, flag.get(), flag.get() + 1));
  ASSERT_OK(hipGraphLaunch(exec, s));
  ASSERT_OK(launch(kernels::append, 1, 1, 0, nullptr, log.get(), 2));
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(log.load(0), 0) << "behind the null stream's kernel";
  EXPECT_EQ(log.load(7), 0);
  flag.store(0, 1);
  ASSERT_OK(hipStreamSynchronize(nullptr));
  EXPECT_EQ(log.load(0), 2);
  EXPECT_EQ(log.load(1), 1);
  EXPECT_EQ(log.load(2), 2) << "the null stream waited for the graph";
  EXPECT_EQ(log.load(7), 5);
}

TEST(GraphExec, NewParametersLeaveLaunchesUnderWayAlone) {
  GraphHandle g;
  StreamHandle s;
  PinnedBuffer<int> flag(2), log(8);
  auto spin = kernel_node(g, {}, kernels::spin, flag.get(), flag.get() + 1);
  auto n = kernel_node(g, {spin}, kernels::append, log.get(), 1);
  ExecHandle exec(g);
  ASSERT_OK(hipGraphLaunch(exec, s));
  with_kernel(
      kernels::append, 1, 1,
      [&](const hipKernelNodeParams& p) { ASSERT_OK(hipGraphExecKernelNodeSetParams(exec, n, &p)); }, log.get(), 2);
  ASSERT_OK(hipGraphLaunch(exec, s));
  flag.store(0, 1);
  ASSERT_OK(hipStreamSynchronize(s));
  EXPECT_EQ(log.load(1), 1);
  EXPECT_EQ(log.load(2), 2);
  hipKernelNodeParams p{};
  ASSERT_OK(hipGraphKernelNodeGetParams(n, &p));
  EXPECT_EQ(*static_cast<int*>(p.kernelParams[1]), 1) << "the graph keeps its own";
  EXPECT_HIP(hipErrorInvalidValue, hipGraphExecKernelNodeSetParams(exec, spin, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphExecKernelNodeSetParams(nullptr, n, &p));
  auto later = kernel_node(g, {}, kernels::append, log.get(), 1);
  EXPECT_HIP(hipErrorInvalidValue, hipGraphExecKernelNodeSetParams(exec, later, &p)) << "made after it";
  (void)hipGetLastError();
}

TEST(GraphExec, CopiesCanBeSet) {
  GraphHandle g;
  DeviceBuffer<int> d(4), e(4);
  int a = 5, b = 6, out = 0;
  hipGraphNode_t in, back;
  ASSERT_OK(hipGraphAddMemcpyNode1D(&in, g, nullptr, 0, d, &a, 4, hipMemcpyHostToDevice));
  ASSERT_OK(hipGraphAddMemcpyNode1D(&back, g, &in, 1, &out, d, 4, hipMemcpyDeviceToHost));
  ExecHandle exec(g);
  EXPECT_OK(hipGraphExecMemcpyNodeSetParams1D(exec, in, d, &b, 4, hipMemcpyHostToDevice));
  exec.run();
  EXPECT_EQ(out, 6);
  hipMemcpy3DParms p{};
  p.srcPtr = {&a, 4, 4, 1};
  p.dstPtr = {d.get(), 4, 4, 1};
  p.extent = {4, 1, 1};
  p.kind = hipMemcpyHostToDevice;
  EXPECT_OK(hipGraphExecMemcpyNodeSetParams(exec, in, &p));
  exec.run();
  EXPECT_EQ(out, 5);
  HIP_MEMCPY3D drv{};
  drv.srcMemoryType = hipMemoryTypeHost;
  drv.srcHost = &b;
  drv.dstMemoryType = hipMemoryTypeDevice;
  drv.dstDevice = d.get();
  drv.WidthInBytes = 4;
  drv.Height = drv.Depth = 1;
  EXPECT_OK(hipDrvGraphExecMemcpyNodeSetParams(exec, in, &drv, nullptr));
  exec.run();
  EXPECT_EQ(out, 6);
  EXPECT_HIP(hipErrorInvalidValue, hipGraphExecMemcpyNodeSetParams1D(exec, in, e, d, 4, hipMemcpyDeviceToDevice))
      << "another direction";
  EXPECT_HIP(hipErrorInvalidValue, hipGraphExecMemcpyNodeSetParams1D(exec, in, d, &a, 4, hipMemcpyDefault))
      << "another kind";
  EXPECT_HIP(hipErrorInvalidValue, hipGraphExecMemcpyNodeSetParams1D(exec, in, d, &a, 0, hipMemcpyHostToDevice));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphExecMemcpyNodeSetParams(exec, in, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipDrvGraphExecMemcpyNodeSetParams(exec, in, nullptr, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphExecMemcpyNodeSetParams1D(nullptr, in, d, &a, 4, hipMemcpyHostToDevice));
  (void)hipGetLastError();
}

TEST(GraphExec, SwitchedOffNodes) {
  GraphHandle g;
  PinnedBuffer<int> log(8);
  auto a = kernel_node(g, {}, kernels::append, log.get(), 1), b = kernel_node(g, {a}, kernels::append, log.get(), 2);
  kernel_node(g, {b}, kernels::append, log.get(), 3);
  ExecHandle exec(g);
  unsigned on = 9;
  EXPECT_OK(hipGraphNodeSetEnabled(exec, b, 0));
  EXPECT_OK(hipGraphNodeGetEnabled(exec, b, &on));
  EXPECT_EQ(on, 0u);
  exec.run();
  EXPECT_EQ(log[0], 2);
  EXPECT_EQ(log[2], 3);
  EXPECT_OK(hipGraphNodeSetEnabled(exec, b, 1));
  exec.run();
  EXPECT_EQ(log[0], 5);
  EXPECT_HIP(hipErrorInvalidValue, hipGraphNodeSetEnabled(exec, empty_node(g), 0));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphNodeSetEnabled(nullptr, b, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphNodeGetEnabled(exec, b, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphNodeGetEnabled(exec, nullptr, &on));
  (void)hipGetLastError();
}

TEST(GraphExec, Update) {
  PinnedBuffer<int> log(16);
  GraphHandle g;
  auto a = kernel_node(g, {}, kernels::append, log.get(), 1);
  kernel_node(g, {a}, kernels::append, log.get(), 2);
  ExecHandle exec(g);
  hipGraphNode_t bad = nullptr;
  hipGraphExecUpdateResult result = hipGraphExecUpdateError;
  {
    GraphHandle same;
    auto x = kernel_node(same, {}, kernels::append, log.get(), 10);
    kernel_node(same, {x}, kernels::fill, log.get() + 15, 77, 1);
    EXPECT_OK(hipGraphExecUpdate(exec, same, &bad, &result));
    EXPECT_EQ(result, hipGraphExecUpdateSuccess);
    EXPECT_EQ(bad, nullptr);
  }
  exec.run();
  EXPECT_EQ(log[1], 10);
  EXPECT_EQ(log[15], 77);
  {
    GraphHandle more;
    auto x = kernel_node(more, {}, kernels::append, log.get(), 1);
    kernel_node(more, {x}, kernels::append, log.get(), 1);
    kernel_node(more, {x}, kernels::append, log.get(), 1);
    EXPECT_HIP(hipErrorGraphExecUpdateFailure, hipGraphExecUpdate(exec, more, &bad, &result));
    EXPECT_EQ(result, hipGraphExecUpdateErrorTopologyChanged);
    EXPECT_EQ(bad, nullptr);
  }
  {
    GraphHandle unlinked;
    kernel_node(unlinked, {}, kernels::append, log.get(), 1);
    auto y = kernel_node(unlinked, {}, kernels::append, log.get(), 1);
    EXPECT_HIP(hipErrorGraphExecUpdateFailure, hipGraphExecUpdate(exec, unlinked, &bad, &result));
    EXPECT_EQ(result, hipGraphExecUpdateErrorTopologyChanged);
    EXPECT_EQ(bad, y);
  }
  {
    GraphHandle types;
    auto x = kernel_node(types, {}, kernels::append, log.get(), 1);
    auto y = empty_node(types, {x});
    EXPECT_HIP(hipErrorGraphExecUpdateFailure, hipGraphExecUpdate(exec, types, &bad, &result));
    EXPECT_EQ(result, hipGraphExecUpdateErrorNodeTypeChanged);
    EXPECT_EQ(bad, y);
  }
  {
    GraphHandle copies, turned;
    DeviceBuffer<int> d(4);
    int host = 0;
    hipGraphNode_t n;
    ASSERT_OK(hipGraphAddMemcpyNode1D(&n, copies, nullptr, 0, d, &host, 4, hipMemcpyHostToDevice));
    ExecHandle e(copies);
    ASSERT_OK(hipGraphAddMemcpyNode1D(&n, turned, nullptr, 0, &host, d, 4, hipMemcpyDeviceToHost));
    EXPECT_HIP(hipErrorGraphExecUpdateFailure, hipGraphExecUpdate(e, turned, &bad, &result));
    EXPECT_EQ(result, hipGraphExecUpdateErrorParametersChanged);
    EXPECT_EQ(bad, n);
  }
  EXPECT_HIP(hipErrorInvalidValue, hipGraphExecUpdate(nullptr, g, &bad, &result));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphExecUpdate(exec, nullptr, &bad, &result));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphExecUpdate(exec, g, nullptr, &result));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphExecUpdate(exec, g, &bad, nullptr));
  (void)hipGetLastError();
}

TEST(GraphExec, Instantiate) {
  GraphHandle g;
  PinnedBuffer<int> log(8);
  StreamHandle s;
  auto a = kernel_node(g, {}, kernels::append, log.get(), 1), b = kernel_node(g, {a}, kernels::append, log.get(), 2);
  hipGraphExec_t e = nullptr;
  unsigned long long flags = 0;
  hipGraphInstantiateParams p{};
  p.flags = hipGraphInstantiateFlagUpload;
  p.uploadStream = s;
  ASSERT_OK(hipGraphInstantiateWithParams(&e, g, &p));
  EXPECT_EQ(p.result_out, hipGraphInstantiateSuccess);
  EXPECT_OK(hipGraphExecGetFlags(e, &flags));
  EXPECT_EQ(flags, (unsigned long long)hipGraphInstantiateFlagUpload);
  EXPECT_HIP(hipErrorInvalidValue, hipGraphExecGetFlags(e, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphExecGetFlags(made_up<hipGraphExec_t>(), &flags));
  EXPECT_OK(hipGraphUpload(e, s));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphUpload(nullptr, s));
  EXPECT_EQ(log[0], 0);
  EXPECT_OK(hipGraphExecDestroy(e));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphExecDestroy(e)) << "twice";
  EXPECT_HIP(hipErrorInvalidValue, hipGraphLaunch(e, s)) << "after destroy";
  EXPECT_HIP(hipErrorInvalidValue, hipGraphLaunch(nullptr, s));

  hipGraphNode_t bad = made_up<hipGraphNode_t>();
  char text[80] = {};
  ASSERT_OK(hipGraphAddDependencies(g, &b, &a, 1));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphInstantiate(&e, g, &bad, text, sizeof text)) << "a cycle";
  EXPECT_NE(std::string(text).find("cycle"), std::string::npos) << text;
  EXPECT_HIP(hipErrorInvalidValue, hipGraphInstantiateWithFlags(&e, g, 0));
  p = {};
  EXPECT_HIP(hipErrorInvalidValue, hipGraphInstantiateWithParams(&e, g, &p));
  EXPECT_EQ(p.result_out, hipGraphInstantiateError);
  EXPECT_HIP(hipErrorInvalidValue, hipGraphInstantiateWithParams(&e, g, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphInstantiate(nullptr, g, nullptr, nullptr, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphInstantiate(&e, nullptr, nullptr, nullptr, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphInstantiateWithFlags(&e, g, 0x100));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphInstantiateWithFlags(&e, g, hipGraphInstantiateFlagUpload)) << "no stream";
  GraphHandle fine;
  EXPECT_HIP(hipErrorNotSupported, hipGraphInstantiateWithFlags(&e, fine, hipGraphInstantiateFlagDeviceLaunch));
  ExecHandle empty(fine);
  empty.run(s);
  (void)hipGetLastError();
}

TEST(GraphExec, TwoDevices) {
  int devices = 0;
  ASSERT_OK(hipGetDeviceCount(&devices));
  if (devices < 2) GTEST_SKIP() << "one device";
  GraphHandle g;
  PinnedBuffer<int> log(8);
  auto a = kernel_node(g, {}, kernels::append, log.get(), 1);
  ASSERT_OK(hipSetDevice(1)); // a kernel node belongs to the device that is current when it is made
  auto b = kernel_node(g, {a}, kernels::append, log.get(), 2);
  ASSERT_OK(hipSetDevice(0));
  kernel_node(g, {b}, kernels::append, log.get(), 3);
  ExecHandle exec(g);
  for (int round = 0; round < 5; ++round) {
    log[0] = 0;
    exec.run();
    ASSERT_EQ(log[0], 3);
    for (int i = 1; i <= 3; ++i) EXPECT_EQ(log[i], i);
  }
}

TEST(GraphExec, NodePriorities) {
  GraphHandle g;
  PinnedBuffer<int> log(8);
  auto a = kernel_node(g, {}, kernels::append, log.get(), 1), b = kernel_node(g, {a}, kernels::append, log.get(), 2);
  kernel_node(g, {b}, kernels::append, log.get(), 3);
  hipLaunchAttributeValue v{};
  v.priority = -1;
  ASSERT_OK(hipGraphKernelNodeSetAttribute(b, hipLaunchAttributePriority, &v));
  ExecHandle exec(g, hipGraphInstantiateFlagUseNodePriority); // the middle one goes over a queue of its own
  for (int round = 1; round <= 3; ++round) {
    exec.run();
    ASSERT_EQ(log[0], 3);
    for (int i = 1; i <= 3; ++i) EXPECT_EQ(log[i], i);
    log[0] = 0;
  }
}

TEST(GraphExec, DestroyedWithALaunchUnderWay) {
  StreamHandle s;
  PinnedBuffer<int> flag(2), log(8);
  {
    GraphHandle g;
    auto spin = kernel_node(g, {}, kernels::spin, flag.get(), flag.get() + 1);
    kernel_node(g, {spin}, kernels::append, log.get(), 1);
    kernel_node(g, {spin}, kernels::fill, log.get() + 7, 9, 1);
    ExecHandle exec(g);
    ASSERT_OK(hipGraphLaunch(exec, s));
  }
  flag.store(0, 1);
  ASSERT_OK(hipStreamSynchronize(s));
  EXPECT_EQ(log.load(1), 1);
  EXPECT_EQ(log.load(7), 9);
}

TEST(GraphExec, FreedMemoryIsRefusedAtLaunch) {
  GraphHandle g;
  int *d = nullptr, host = 0;
  ASSERT_OK(hipMalloc(reinterpret_cast<void**>(&d), 64));
  hipGraphNode_t n;
  ASSERT_OK(hipGraphAddMemcpyNode1D(&n, g, nullptr, 0, &host, d, 4, hipMemcpyDeviceToHost));
  ExecHandle exec(g);
  ASSERT_OK(hipFree(d));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphLaunch(exec, nullptr));
  (void)hipGetLastError();
}

TEST(GraphExec, LaunchedFromManyThreads) {
  GraphHandle g;
  DeviceBuffer<int> d(1);
  d.zero();
  auto a = kernel_node(g, {}, kernels::slow, d.get(), 10);
  kernel_node(g, {a}, kernels::slow, d.get(), 10);
  kernel_node(g, {a}, kernels::slow, d.get(), 10);
  ExecHandle exec(g);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      StreamHandle s;
      for (int i = 0; i < 25; ++i) ASSERT_OK(hipGraphLaunch(exec, s));
      ASSERT_OK(hipStreamSynchronize(s));
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(d.read()[0], 300);
}

} // namespace
