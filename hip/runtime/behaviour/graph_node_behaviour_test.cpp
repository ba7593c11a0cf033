// Nodes of each type: parameters in and out, what they do, and what is refused.
#include "hip/runtime/behaviour/graph_support.hpp"

#include <cstring>

namespace {

using namespace graphs;

TEST(GraphNode, KernelParameters) {
  GraphHandle g;
  PinnedBuffer<int> log(8);
  auto n = kernel_node(g, {}, kernels::append, log.get(), 1);
  hipKernelNodeParams p{};
  ASSERT_OK(hipGraphKernelNodeGetParams(n, &p));
  EXPECT_EQ(p.func, kernels::append);
  EXPECT_EQ(p.gridDim.x, 1u);
  EXPECT_EQ(*static_cast<int**>(p.kernelParams[0]), log.get());
  EXPECT_EQ(*static_cast<int*>(p.kernelParams[1]), 1);
  ASSERT_OK(hipGraphKernelNodeSetParams(n, &p)) << "what it said itself";
  ASSERT_OK(hipGraphKernelNodeGetParams(n, &p));
  EXPECT_EQ(*static_cast<int*>(p.kernelParams[1]), 1);
  with_kernel(
      kernels::append, 1, 1, [&](const hipKernelNodeParams& q) { ASSERT_OK(hipGraphKernelNodeSetParams(n, &q)); },
      log.get(), 2);
  ExecHandle(g).run();
  EXPECT_EQ(log[1], 2);

  // Arguments as one buffer.
  struct {
    int* log;
    int value;
  } packed{log.get(), 7};
  size_t size = sizeof packed;
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  hipKernelNodeParams q{};
  q.func = const_cast<void*>(kernels::append);
  q.gridDim = q.blockDim = 1;
  q.extra = extra;
  ASSERT_OK(hipGraphKernelNodeSetParams(n, &q));
  ASSERT_OK(hipGraphKernelNodeGetParams(n, &p));
  EXPECT_EQ(p.kernelParams, nullptr);
  ASSERT_NE(p.extra, nullptr);
  ExecHandle(g).run();
  EXPECT_EQ(log[2], 7);

  EXPECT_HIP(hipErrorInvalidValue, hipGraphKernelNodeGetParams(n, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphKernelNodeGetParams(empty_node(g), &p));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphKernelNodeSetParams(n, nullptr));
  q.extra = nullptr;
  EXPECT_HIP(hipErrorInvalidValue, hipGraphKernelNodeSetParams(n, &q)) << "no arguments";
  q.extra = extra;
  q.blockDim = 4096;
  EXPECT_HIP(hipErrorInvalidConfiguration, hipGraphKernelNodeSetParams(n, &q));
  q.func = nullptr;
  EXPECT_HIP(hipErrorInvalidDeviceFunction, hipGraphKernelNodeSetParams(n, &q));
  EXPECT_HIP(hipErrorInvalidDeviceFunction, hipGraphAddKernelNode(&n, g, nullptr, 0, &q));
  q.func = made_up<void*>();
  EXPECT_HIP(hipErrorInvalidDeviceFunction, hipGraphAddKernelNode(&n, g, nullptr, 0, &q));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphAddKernelNode(&n, g, nullptr, 0, nullptr));
  (void)hipGetLastError();
}

TEST(GraphNode, KernelAttributes) {
  GraphHandle g;
  PinnedBuffer<int> log(8);
  auto a = kernel_node(g, {}, kernels::append, log.get(), 1), b = kernel_node(g, {a}, kernels::append, log.get(), 2);
  hipLaunchAttributeValue v{};
  v.priority = 1;
  EXPECT_OK(hipGraphKernelNodeSetAttribute(a, hipLaunchAttributePriority, &v));
  v.cooperative = 1;
  EXPECT_OK(hipGraphKernelNodeSetAttribute(a, hipLaunchAttributeCooperative, &v));
  EXPECT_OK(hipGraphKernelNodeCopyAttributes(a, b));
  v.cooperative = 0;
  EXPECT_OK(hipGraphKernelNodeGetAttribute(b, hipLaunchAttributeCooperative, &v));
  EXPECT_EQ(v.cooperative, 1);
  EXPECT_OK(hipGraphKernelNodeGetAttribute(b, hipLaunchAttributePriority, &v));
  EXPECT_EQ(v.priority, 1);
  ExecHandle(g).run();
  EXPECT_EQ(log[0], 2);
  v.accessPolicyWindow = {log.get(), hipAccessPropertyNormal, 1.5f, hipAccessPropertyNormal, 0};
  EXPECT_HIP(hipErrorInvalidValue, hipGraphKernelNodeSetAttribute(a, hipLaunchAttributeAccessPolicyWindow, &v));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphKernelNodeSetAttribute(a, hipLaunchAttributeID(99), &v));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphKernelNodeGetAttribute(a, hipLaunchAttributeID(99), &v));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphKernelNodeGetAttribute(a, hipLaunchAttributePriority, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphKernelNodeCopyAttributes(a, empty_node(g)));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphKernelNodeCopyAttributes(nullptr, b));
  (void)hipGetLastError();
}

TEST(GraphNode, CooperativeGrid) {
  GraphHandle g;
  PinnedBuffer<int> arrived(1), out(8);
  hipGraphNode_t n = nullptr;
  with_kernel(
      kernels::grid_sum, 4, 64,
      [&](const hipKernelNodeParams& p) { ASSERT_OK(hipGraphAddKernelNode(&n, g, nullptr, 0, &p)); }, arrived.get(),
      out.get());
  hipLaunchAttributeValue v{};
  v.cooperative = 1;
  ASSERT_OK(hipGraphKernelNodeSetAttribute(n, hipLaunchAttributeCooperative, &v));
  ExecHandle exec(g);
  for (int round = 0; round < 2; ++round) {
    arrived[0] = 0;
    out[3] = 0;
    exec.run();
    EXPECT_EQ(out[3], 4);
  }
}

TEST(GraphNode, Copies) {
  constexpr size_t kBytes = 64 * sizeof(int);
  GraphHandle g;
  DeviceBuffer<int> d(64), d2(64);
  std::vector<int> source(64), back(64);
  for (int i = 0; i < 64; ++i) source[i] = i * 3;
  hipGraphNode_t in, across, out;
  ASSERT_OK(hipGraphAddMemcpyNode1D(&in, g, nullptr, 0, d, source.data(), kBytes, hipMemcpyHostToDevice));
  hipMemcpy3DParms p{};
  p.srcPtr = {d.get(), 64, 64, 4};
  p.dstPtr = {d2.get(), 64, 64, 4};
  p.extent = {64, 4, 1};
  p.kind = hipMemcpyDeviceToDevice;
  ASSERT_OK(hipGraphAddMemcpyNode(&across, g, &in, 1, &p));
  HIP_MEMCPY3D drv{};
  drv.srcMemoryType = hipMemoryTypeDevice;
  drv.srcDevice = d2.get();
  drv.dstMemoryType = hipMemoryTypeHost;
  drv.dstHost = back.data();
  drv.WidthInBytes = kBytes;
  drv.Height = drv.Depth = 1;
  ASSERT_OK(hipDrvGraphAddMemcpyNode(&out, g, &across, 1, &drv, nullptr));
  ExecHandle exec(g);
  exec.run();
  EXPECT_EQ(back, source);
  source[5] = 1234; // memory of the program is read when the node runs
  exec.run();
  EXPECT_EQ(back[5], 1234);

  hipMemcpy3DParms got{};
  EXPECT_OK(hipGraphMemcpyNodeGetParams(across, &got));
  EXPECT_EQ(got.srcPtr.ptr, d.get());
  EXPECT_EQ(got.extent.height, 4u);
  EXPECT_OK(hipGraphMemcpyNodeGetParams(in, &got));
  EXPECT_EQ(got.extent.width, kBytes);
  HIP_MEMCPY3D drv_got{};
  EXPECT_OK(hipDrvGraphMemcpyNodeGetParams(out, &drv_got));
  EXPECT_EQ(drv_got.dstHost, back.data());
  EXPECT_EQ(drv_got.srcDevice, d2.get());
  EXPECT_EQ(drv_got.dstMemoryType, hipMemoryTypeHost);
  EXPECT_OK(hipDrvGraphMemcpyNodeSetParams(out, &drv_got));
  p.extent = {64, 2, 1};
  EXPECT_OK(hipGraphMemcpyNodeSetParams(across, &p));
  EXPECT_OK(hipGraphMemcpyNodeSetParams1D(in, d, source.data(), kBytes / 2, hipMemcpyHostToDevice));
  source[0] = -1;
  source[63] = -1;
  ExecHandle(g).run();
  EXPECT_EQ(back[0], -1);
  EXPECT_EQ(back[63], 63 * 3) << "half of it";

  EXPECT_HIP(hipErrorInvalidValue, hipGraphAddMemcpyNode1D(&in, g, nullptr, 0, nullptr, d, 4, hipMemcpyDefault));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphAddMemcpyNode1D(&in, g, nullptr, 0, d, d2, 9999, hipMemcpyDefault));
  EXPECT_HIP(hipErrorInvalidMemcpyDirection, hipGraphAddMemcpyNode1D(&in, g, nullptr, 0, d, d2, 4, hipMemcpyKind(77)));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphAddMemcpyNode(&in, g, nullptr, 0, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphMemcpyNodeGetParams(in, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphMemcpyNodeGetParams(empty_node(g), &got));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphMemcpyNodeSetParams(across, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphMemcpyNodeSetParams1D(in, d, nullptr, 4, hipMemcpyDefault));
  EXPECT_HIP(hipErrorInvalidValue, hipDrvGraphAddMemcpyNode(&in, g, nullptr, 0, nullptr, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipDrvGraphMemcpyNodeGetParams(out, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipDrvGraphMemcpyNodeSetParams(nullptr, &drv_got));
  (void)hipGetLastError();
}

TEST(GraphNode, SymbolCopies) {
  GraphHandle g;
  int values[4] = {9, 8, 7, 6}, back[4] = {}, before[4] = {};
  ASSERT_OK(hipMemcpyFromSymbol(before, kernels::table, sizeof before));
  hipGraphNode_t in, out;
  ASSERT_OK(hipGraphAddMemcpyNodeToSymbol(&in, g, nullptr, 0, kernels::table, values, sizeof values, 0,
                                          hipMemcpyHostToDevice));
  ASSERT_OK(
      hipGraphAddMemcpyNodeFromSymbol(&out, g, &in, 1, back, kernels::table, sizeof back, 0, hipMemcpyDeviceToHost));
  ExecHandle exec(g);
  exec.run();
  EXPECT_EQ(std::memcmp(back, values, sizeof back), 0);
  EXPECT_OK(hipGraphExecMemcpyNodeSetParamsToSymbol(exec, in, kernels::table, before, sizeof before, 0,
                                                    hipMemcpyHostToDevice));
  EXPECT_OK(hipGraphExecMemcpyNodeSetParamsFromSymbol(exec, out, back, kernels::table, 4, 4, hipMemcpyDeviceToHost));
  exec.run();
  EXPECT_EQ(back[0], before[1]);
  EXPECT_OK(hipGraphMemcpyNodeSetParamsToSymbol(in, kernels::table, before, 4, 0, hipMemcpyHostToDevice));
  EXPECT_OK(hipGraphMemcpyNodeSetParamsFromSymbol(out, back, kernels::table, 4, 0, hipMemcpyDeviceToHost));
  ExecHandle(g).run();
  EXPECT_EQ(back[0], before[0]);

  EXPECT_HIP(hipErrorInvalidSymbol,
             hipGraphAddMemcpyNodeToSymbol(&in, g, nullptr, 0, nullptr, values, 4, 0, hipMemcpyHostToDevice));
  EXPECT_HIP(hipErrorInvalidValue,
             hipGraphAddMemcpyNodeFromSymbol(&out, g, nullptr, 0, back, kernels::table, 17, 0, hipMemcpyDeviceToHost));
  EXPECT_HIP(hipErrorInvalidMemcpyDirection,
             hipGraphMemcpyNodeSetParamsToSymbol(in, kernels::table, values, 4, 0, hipMemcpyDeviceToHost));
  EXPECT_HIP(hipErrorInvalidMemcpyDirection,
             hipGraphMemcpyNodeSetParamsFromSymbol(out, back, kernels::table, 4, 0, hipMemcpyHostToDevice));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphExecMemcpyNodeSetParamsToSymbol(exec, nullptr, kernels::table, values, 4, 0,
                                                                           hipMemcpyHostToDevice));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphExecMemcpyNodeSetParamsFromSymbol(nullptr, out, back, kernels::table, 4, 0,
                                                                             hipMemcpyDeviceToHost));
  (void)hipGetLastError();
}

TEST(GraphNode, Fills) {
  GraphHandle g;
  DeviceBuffer<int> d(64);
  d.zero();
  hipMemsetParams p{};
  p.dst = d.get();
  p.elementSize = 4;
  p.value = 0x01020304;
  p.width = 2;
  p.height = 3;
  p.pitch = 64;
  hipGraphNode_t n, m;
  ASSERT_OK(hipGraphAddMemsetNode(&n, g, nullptr, 0, &p));
  p = {.dst = d.get() + 60, .elementSize = 2, .height = 1, .pitch = 0, .value = 0xabcd, .width = 8};
  ASSERT_OK(hipDrvGraphAddMemsetNode(&m, g, &n, 1, &p, nullptr));
  ExecHandle exec(g);
  exec.run();
  auto got = d.read();
  EXPECT_EQ(got[0], 0x01020304);
  EXPECT_EQ(got[2], 0);
  EXPECT_EQ(got[33], 0x01020304);
  EXPECT_EQ(got[48], 0);
  EXPECT_EQ(unsigned(got[63]), 0xabcdabcdu);
  EXPECT_OK(hipGraphMemsetNodeGetParams(m, &p));
  EXPECT_EQ(p.elementSize, 2u);
  EXPECT_EQ(p.width, 8u);
  p.value = 1;
  EXPECT_OK(hipGraphExecMemsetNodeSetParams(exec, m, &p));
  exec.run();
  EXPECT_EQ(d.read()[63], 0x00010001);
  p.value = 2;
  EXPECT_OK(hipDrvGraphExecMemsetNodeSetParams(exec, m, &p, nullptr));
  exec.run();
  EXPECT_EQ(d.read()[63], 0x00020002);
  p.value = 3;
  EXPECT_OK(hipGraphMemsetNodeSetParams(m, &p));
  ExecHandle(g).run();
  EXPECT_EQ(d.read()[63], 0x00030003);

  const hipMemsetParams good = p;
  auto refused = [&](hipMemsetParams bad) {
    EXPECT_HIP(hipErrorInvalidValue, hipGraphAddMemsetNode(&n, g, nullptr, 0, &bad));
    EXPECT_HIP(hipErrorInvalidValue, hipGraphMemsetNodeSetParams(m, &bad));
    EXPECT_HIP(hipErrorInvalidValue, hipGraphExecMemsetNodeSetParams(exec, m, &bad));
  };
  p.elementSize = 3;
  refused(p);
  p = good;
  p.height = 0;
  refused(p);
  p = good;
  p.width = 1000;
  refused(p);
  p = good;
  p.dst = nullptr;
  refused(p);
  p = good;
  p.height = 2;
  p.pitch = 8;
  refused(p);
  EXPECT_HIP(hipErrorInvalidValue, hipGraphAddMemsetNode(&n, g, nullptr, 0, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipDrvGraphAddMemsetNode(&n, g, nullptr, 0, nullptr, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipDrvGraphExecMemsetNodeSetParams(nullptr, m, &p, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphMemsetNodeGetParams(m, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphMemsetNodeGetParams(empty_node(g), &p));
  (void)hipGetLastError();
}

TEST(GraphNode, HostFunctions) {
  GraphHandle g;
  int a = 0, b = 0;
  auto increment = [](void* p) { ++*static_cast<int*>(p); };
  hipHostNodeParams p{increment, &a}, got{};
  hipGraphNode_t n;
  ASSERT_OK(hipGraphAddHostNode(&n, g, nullptr, 0, &p));
  EXPECT_OK(hipGraphHostNodeGetParams(n, &got));
  EXPECT_EQ(got.userData, &a);
  EXPECT_EQ(got.fn, p.fn);
  ExecHandle exec(g);
  exec.run();
  p.userData = &b;
  EXPECT_OK(hipGraphExecHostNodeSetParams(exec, n, &p));
  exec.run();
  EXPECT_OK(hipGraphHostNodeSetParams(n, &p));
  ExecHandle(g).run();
  EXPECT_EQ(a, 1);
  EXPECT_EQ(b, 2);
  p.fn = nullptr;
  EXPECT_HIP(hipErrorInvalidValue, hipGraphAddHostNode(&n, g, nullptr, 0, &p));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphAddHostNode(&n, g, nullptr, 0, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphHostNodeSetParams(n, &p));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphHostNodeGetParams(n, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphExecHostNodeSetParams(exec, n, nullptr));
  (void)hipGetLastError();
}

TEST(GraphNode, Events) {
  GraphHandle g;
  EventHandle start, stop, other;
  DeviceBuffer<int> d(1);
  hipGraphNode_t first, last, wait;
  ASSERT_OK(hipGraphAddEventRecordNode(&first, g, nullptr, 0, start));
  auto work = kernel_node(g, {first}, kernels::slow, d.get(), 20000);
  ASSERT_OK(hipGraphAddEventRecordNode(&last, g, &work, 1, stop));
  ASSERT_OK(hipGraphAddEventWaitNode(&wait, g, &last, 1, stop));
  ExecHandle exec(g);
  exec.run();
  EXPECT_OK(hipEventQuery(stop));
  float ms = 0;
  EXPECT_OK(hipEventElapsedTime(&ms, start, stop));
  EXPECT_GT(ms, 0);
  hipEvent_t got = nullptr;
  EXPECT_OK(hipGraphEventRecordNodeGetEvent(last, &got));
  EXPECT_EQ(got, stop.e);
  EXPECT_OK(hipGraphEventWaitNodeGetEvent(wait, &got));
  EXPECT_EQ(got, stop.e);
  EXPECT_HIP(hipErrorInvalidHandle, hipEventElapsedTime(&ms, start, other)) << "not recorded";
  EXPECT_OK(hipGraphExecEventRecordNodeSetEvent(exec, last, other));
  EXPECT_OK(hipGraphExecEventWaitNodeSetEvent(exec, wait, other));
  exec.run();
  EXPECT_OK(hipEventElapsedTime(&ms, start, other));
  EXPECT_OK(hipGraphEventRecordNodeSetEvent(last, other));
  EXPECT_OK(hipGraphEventWaitNodeSetEvent(wait, other));
  EXPECT_OK(hipGraphEventWaitNodeGetEvent(wait, &got));
  EXPECT_EQ(got, other.e);
  EXPECT_HIP(hipErrorInvalidValue, hipGraphAddEventRecordNode(&last, g, nullptr, 0, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphAddEventWaitNode(&wait, g, nullptr, 0, made_up<hipEvent_t>()));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphEventRecordNodeGetEvent(wait, &got)) << "the other kind";
  EXPECT_HIP(hipErrorInvalidValue, hipGraphEventRecordNodeSetEvent(wait, other));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphEventWaitNodeGetEvent(wait, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphEventWaitNodeSetEvent(last, other));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphExecEventRecordNodeSetEvent(exec, last, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphExecEventWaitNodeSetEvent(nullptr, wait, other));
  (void)hipGetLastError();
}

TEST(GraphNode, MemoryOperations) {
  PinnedBuffer<uint32_t> words(8);
  StreamHandle s;
  hipStreamBatchMemOpParams ops[3] = {};
  ops[0].waitValue.operation = hipStreamMemOpWaitValue32;
  ops[0].waitValue.address = words.get();
  ops[0].waitValue.value = 5;
  ops[0].waitValue.flags = hipStreamWaitValueGte;
  ops[1].memoryBarrier.operation = hipStreamMemOpBarrier;
  ops[2].writeValue.operation = hipStreamMemOpWriteValue64;
  ops[2].writeValue.address = words.get() + 2;
  ops[2].writeValue.value64 = 0x1122334455667788;
  auto check = [&](auto submit) {
    words.store(0, 0);
    words.store(3, 0);
    submit();
    std::this_thread::sleep_for(5ms);
    EXPECT_EQ(words.load(3), 0u) << "waits";
    words.store(0, 5);
    EXPECT_OK(hipStreamSynchronize(s));
    EXPECT_EQ(words.load(2), 0x55667788u);
    EXPECT_EQ(words.load(3), 0x11223344u);
  };
  check([&] { EXPECT_OK(hipStreamBatchMemOp(s, 3, ops, 0)); });
  GraphHandle g;
  hipBatchMemOpNodeParams p{nullptr, 3, ops, 0}, got{};
  hipGraphNode_t n;
  ASSERT_OK(hipGraphAddBatchMemOpNode(&n, g, nullptr, 0, &p));
  ExecHandle exec(g);
  check([&] { EXPECT_OK(hipGraphLaunch(exec, s)); });
  EXPECT_OK(hipGraphBatchMemOpNodeGetParams(n, &got));
  ASSERT_EQ(got.count, 3u);
  EXPECT_EQ(got.paramArray[0].waitValue.value, 5u);
  ops[2].writeValue.operation = hipStreamMemOpWriteValue32;
  ops[2].writeValue.value = 99;
  p.count = 1;
  p.paramArray = ops + 2;
  EXPECT_OK(hipGraphExecBatchMemOpNodeSetParams(exec, n, &p));
  exec.run(s);
  EXPECT_EQ(words.load(2), 99u);
  EXPECT_OK(hipGraphBatchMemOpNodeSetParams(n, &p));
  EXPECT_OK(hipGraphBatchMemOpNodeGetParams(n, &got));
  EXPECT_EQ(got.count, 1u);

  EXPECT_HIP(hipErrorInvalidValue, hipStreamBatchMemOp(s, 0, ops, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipStreamBatchMemOp(s, 1, nullptr, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipStreamBatchMemOp(s, 1, ops, 1));
  ops[0].waitValue.address = words.get() + 8000;
  ops[0].waitValue.address = nullptr;
  EXPECT_HIP(hipErrorInvalidValue, hipStreamBatchMemOp(s, 1, ops, 0));
  ops[0].operation = hipStreamBatchMemOpType(55);
  EXPECT_HIP(hipErrorInvalidValue, hipStreamBatchMemOp(s, 1, ops, 0));
  p.paramArray = ops;
  EXPECT_HIP(hipErrorInvalidValue, hipGraphAddBatchMemOpNode(&n, g, nullptr, 0, &p));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphBatchMemOpNodeSetParams(n, &p));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphBatchMemOpNodeGetParams(n, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphExecBatchMemOpNodeSetParams(exec, n, nullptr));
  (void)hipGetLastError();
}

hipMemAllocNodeParams allocation(size_t bytes) {
  hipMemAllocNodeParams p{};
  p.poolProps.allocType = hipMemAllocationTypePinned;
  p.poolProps.location = {hipMemLocationTypeDevice, 0};
  p.bytesize = bytes;
  return p;
}

uint64_t memory(hipGraphMemAttributeType attribute) {
  uint64_t value = 0;
  EXPECT_OK(hipDeviceGetGraphMemAttribute(0, attribute, &value));
  return value;
}

TEST(GraphNode, Memory) {
  constexpr size_t kBytes = 256 * sizeof(int);
  const auto used = memory(hipGraphMemAttrUsedMemCurrent), reserved = memory(hipGraphMemAttrReservedMemCurrent);
  uint64_t zero = 0;
  EXPECT_OK(hipDeviceSetGraphMemAttribute(0, hipGraphMemAttrUsedMemHigh, &zero));
  {
    GraphHandle g;
    PinnedBuffer<int> out(256);
    auto p = allocation(kBytes);
    hipGraphNode_t alloc, copy, free;
    ASSERT_OK(hipGraphAddMemAllocNode(&alloc, g, nullptr, 0, &p));
    ASSERT_NE(p.dptr, nullptr);
    auto fill = kernel_node(g, {alloc}, kernels::fill, static_cast<int*>(p.dptr), 3, 1);
    ASSERT_OK(hipGraphAddMemcpyNode1D(&copy, g, &fill, 1, out, p.dptr, sizeof(int), hipMemcpyDeviceToHost));
    ASSERT_OK(hipGraphAddMemFreeNode(&free, g, &copy, 1, p.dptr));
    EXPECT_HIP(hipErrorInvalidValue, hipGraphAddMemFreeNode(&free, g, &copy, 1, p.dptr)) << "twice";
    hipMemAllocNodeParams got{};
    EXPECT_OK(hipGraphMemAllocNodeGetParams(alloc, &got));
    EXPECT_EQ(got.dptr, p.dptr);
    EXPECT_EQ(got.bytesize, kBytes);
    void* freed = nullptr;
    EXPECT_OK(hipGraphMemFreeNodeGetParams(nodes_of(g)[3], &freed));
    EXPECT_EQ(freed, p.dptr);
    EXPECT_EQ(memory(hipGraphMemAttrReservedMemCurrent), reserved) << "an address alone";
    int host = 0;
    EXPECT_HIP(hipErrorInvalidValue, hipMemcpy(&host, p.dptr, 4, hipMemcpyDeviceToHost)) << "nothing is there yet";
    EXPECT_HIP(hipErrorInvalidValue, hipMemset(p.dptr, 0, 4));
    ExecHandle exec(g);
    exec.run();
    exec.run();
    EXPECT_EQ(out[0], 3);
    EXPECT_EQ(memory(hipGraphMemAttrUsedMemCurrent), used);
    EXPECT_EQ(memory(hipGraphMemAttrUsedMemHigh), used + kBytes);
    EXPECT_EQ(memory(hipGraphMemAttrReservedMemCurrent), reserved);
    hipGraph_t copied = nullptr;
    hipGraphExec_t second = nullptr;
    GraphHandle parent;
    EXPECT_HIP(hipErrorNotSupported, hipGraphClone(&copied, g));
    EXPECT_HIP(hipErrorNotSupported, hipGraphInstantiate(&second, g, nullptr, nullptr, 0)) << "one at a time";
    EXPECT_HIP(hipErrorNotSupported, hipGraphAddChildGraphNode(&copy, parent, nullptr, 0, g));
    EXPECT_HIP(hipErrorNotSupported, hipGraphRemoveDependencies(g, &alloc, &fill, 1));
    EXPECT_HIP(hipErrorNotSupported, hipGraphDestroyNode(alloc));
    EXPECT_HIP(hipErrorInvalidValue, hipGraphMemAllocNodeGetParams(fill, &got));
    EXPECT_HIP(hipErrorInvalidValue, hipGraphMemFreeNodeGetParams(alloc, &freed));
    EXPECT_HIP(hipErrorInvalidValue, hipGraphMemFreeNodeGetParams(nodes_of(g)[3], nullptr));
  }
  EXPECT_EQ(memory(hipGraphMemAttrReservedMemCurrent), reserved) << "with the graph and its executable";
  GraphHandle g;
  hipGraphNode_t n;
  auto p = allocation(0);
  EXPECT_HIP(hipErrorInvalidValue, hipGraphAddMemAllocNode(&n, g, nullptr, 0, &p));
  p = allocation(16);
  p.poolProps.location.id = 99;
  EXPECT_HIP(hipErrorInvalidValue, hipGraphAddMemAllocNode(&n, g, nullptr, 0, &p));
  p = allocation(size_t(1) << 60);
  EXPECT_HIP(hipErrorOutOfMemory, hipGraphAddMemAllocNode(&n, g, nullptr, 0, &p));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphAddMemAllocNode(&n, g, nullptr, 0, nullptr));
  DeviceBuffer<int> d(4);
  EXPECT_HIP(hipErrorInvalidValue, hipGraphAddMemFreeNode(&n, g, nullptr, 0, d)) << "not a graph's";
  EXPECT_HIP(hipErrorInvalidValue, hipDrvGraphAddMemFreeNode(&n, g, nullptr, 0, nullptr));
  EXPECT_HIP(hipErrorInvalidDevice, hipDeviceGetGraphMemAttribute(99, hipGraphMemAttrUsedMemHigh, &zero));
  EXPECT_HIP(hipErrorInvalidValue, hipDeviceGetGraphMemAttribute(0, hipGraphMemAttributeType(9), &zero));
  EXPECT_HIP(hipErrorInvalidValue, hipDeviceGetGraphMemAttribute(0, hipGraphMemAttrUsedMemHigh, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipDeviceSetGraphMemAttribute(0, hipGraphMemAttrUsedMemCurrent, &zero));
  EXPECT_OK(hipDeviceGraphMemTrim(0));
  EXPECT_HIP(hipErrorInvalidDevice, hipDeviceGraphMemTrim(99));
  (void)hipGetLastError();
}

TEST(GraphNode, MemoryThatOutlivesTheLaunch) {
  GraphHandle g;
  auto p = allocation(64);
  hipGraphNode_t alloc;
  ASSERT_OK(hipGraphAddMemAllocNode(&alloc, g, nullptr, 0, &p));
  kernel_node(g, {alloc}, kernels::fill, static_cast<int*>(p.dptr), 11, 1);
  EXPECT_HIP(hipErrorInvalidValue, hipFree(p.dptr)) << "not allocated yet";
  int value = 0;
  {
    ExecHandle exec(g);
    exec.run();
    EXPECT_OK(hipMemcpy(&value, p.dptr, sizeof value, hipMemcpyDeviceToHost));
    EXPECT_EQ(value, 11);
    EXPECT_GE(memory(hipGraphMemAttrReservedMemCurrent), 64u);
    EXPECT_HIP(hipErrorInvalidValue, hipGraphLaunch(exec, nullptr)) << "still allocated";
    EXPECT_OK(hipFree(p.dptr));
    EXPECT_HIP(hipErrorInvalidValue, hipFree(p.dptr)) << "twice";
    exec.run();
    EXPECT_OK(hipFreeAsync(p.dptr, nullptr));
  }
  ExecHandle exec(g, hipGraphInstantiateFlagAutoFreeOnLaunch);
  exec.run();
  exec.run();
  (void)hipGetLastError();
}

TEST(GraphNode, ByOneStructure) {
  GraphHandle g;
  DeviceBuffer<int> d(4);
  PinnedBuffer<int> log(8);
  d.zero();
  hipGraphNodeParams p{};
  hipGraphNode_t fill, kernel;
  p.type = hipGraphNodeTypeMemset;
  p.memset = {.dst = d.get(), .elementSize = 4, .height = 1, .pitch = 0, .value = 6, .width = 4};
  ASSERT_OK(hipGraphAddNode(&fill, g, nullptr, 0, &p));
  with_kernel(
      kernels::append, 1, 1,
      [&](const hipKernelNodeParams& k) {
        hipGraphNodeParams q{};
        q.type = hipGraphNodeTypeKernel;
        q.kernel = k;
        ASSERT_OK(hipGraphAddNode(&kernel, g, &fill, 1, &q));
      },
      log.get(), 5);
  ExecHandle exec(g);
  exec.run();
  EXPECT_EQ(d.read()[3], 6);
  EXPECT_EQ(log[1], 5);
  p.memset.value = 7;
  EXPECT_OK(hipGraphExecNodeSetParams(exec, fill, &p));
  exec.run();
  EXPECT_EQ(d.read()[3], 7);
  p.memset.value = 8;
  EXPECT_OK(hipGraphNodeSetParams(fill, &p));
  ExecHandle(g).run();
  EXPECT_EQ(d.read()[3], 8);
  EXPECT_HIP(hipErrorInvalidValue, hipGraphNodeSetParams(kernel, &p)) << "of another type";
  EXPECT_HIP(hipErrorInvalidValue, hipGraphExecNodeSetParams(exec, kernel, &p));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphNodeSetParams(fill, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphExecNodeSetParams(nullptr, fill, &p));
  p.type = hipGraphNodeTypeCount;
  EXPECT_HIP(hipErrorInvalidValue, hipGraphAddNode(&fill, g, nullptr, 0, &p));
  EXPECT_HIP(hipErrorInvalidValue, hipGraphAddNode(&fill, g, nullptr, 0, nullptr));
  p.type = hipGraphNodeTypeExtSemaphoreWait;
  EXPECT_HIP(hipErrorNotSupported, hipGraphAddNode(&fill, g, nullptr, 0, &p));
  (void)hipGetLastError();
}

TEST(StreamAttributes, SetGetCopy) {
  StreamHandle a, b;
  hipLaunchAttributeValue v{};
  v.syncPolicy = hipSyncPolicySpin;
  EXPECT_OK(hipStreamSetAttribute(a, hipLaunchAttributeSynchronizationPolicy, &v));
  EXPECT_OK(hipStreamCopyAttributes(b, a));
  v.syncPolicy = hipSyncPolicyAuto;
  EXPECT_OK(hipStreamGetAttribute(b, hipLaunchAttributeSynchronizationPolicy, &v));
  EXPECT_EQ(v.syncPolicy, hipSyncPolicySpin);
  DeviceBuffer<int> d(1);
  EXPECT_OK(launch(kernels::slow, 1, 1, 0, b, d.get(), 100));
  EXPECT_OK(hipStreamSynchronize(b));
  v.memSyncDomain = hipLaunchMemSyncDomainRemote;
  EXPECT_OK(hipStreamSetAttribute(a, hipLaunchAttributeMemSyncDomain, &v));
  v.memSyncDomain = hipLaunchMemSyncDomainDefault;
  EXPECT_OK(hipStreamGetAttribute(a, hipLaunchAttributeMemSyncDomain, &v));
  EXPECT_EQ(v.memSyncDomain, hipLaunchMemSyncDomainRemote);
  EXPECT_OK(hipStreamGetAttribute(a, hipLaunchAttributePriority, &v));
  EXPECT_EQ(v.priority, 0);
  v.priority = -1;
  EXPECT_HIP(hipErrorNotSupported, hipStreamSetAttribute(a, hipLaunchAttributePriority, &v));
  v.syncPolicy = hipSynchronizationPolicy(77);
  EXPECT_HIP(hipErrorInvalidValue, hipStreamSetAttribute(a, hipLaunchAttributeSynchronizationPolicy, &v));
  EXPECT_HIP(hipErrorInvalidValue, hipStreamSetAttribute(a, hipLaunchAttributeID(99), &v));
  EXPECT_HIP(hipErrorInvalidValue, hipStreamGetAttribute(a, hipLaunchAttributeID(99), &v));
  EXPECT_HIP(hipErrorInvalidValue, hipStreamGetAttribute(a, hipLaunchAttributePriority, nullptr));
  EXPECT_HIP(hipErrorContextIsDestroyed, hipStreamCopyAttributes(made_up<hipStream_t>(), a));
  (void)hipGetLastError();
}

} // namespace
