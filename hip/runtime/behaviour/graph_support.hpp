// Helpers of the graph tests: owned graphs, kernel nodes with typed arguments, one launch and its end.
#pragma once
#include "hip/runtime/behaviour/support.hpp"

#include <chrono>
#include <functional>
#include <thread>

namespace graphs {

using namespace std::chrono_literals;

struct GraphHandle {
  hipGraph_t g = nullptr;
  GraphHandle() { EXPECT_OK(hipGraphCreate(&g, 0)); }
  explicit GraphHandle(hipGraph_t taken) : g(taken) {}
  ~GraphHandle() {
    if (g) EXPECT_OK(hipGraphDestroy(g));
  }
  GraphHandle(const GraphHandle&) = delete;
  operator hipGraph_t() const { return g; }
};

struct ExecHandle {
  hipGraphExec_t e = nullptr;
  explicit ExecHandle(hipGraph_t g, unsigned long long flags = 0) {
    EXPECT_OK(hipGraphInstantiateWithFlags(&e, g, flags));
  }
  ~ExecHandle() {
    if (e) EXPECT_OK(hipGraphExecDestroy(e));
  }
  ExecHandle(const ExecHandle&) = delete;
  operator hipGraphExec_t() const { return e; }
  void run(hipStream_t s = nullptr) const {
    EXPECT_OK(hipGraphLaunch(e, s));
    EXPECT_OK(hipStreamSynchronize(s));
  }
};

struct StreamHandle {
  hipStream_t s = nullptr;
  explicit StreamHandle(unsigned flags = hipStreamNonBlocking) { EXPECT_OK(hipStreamCreateWithFlags(&s, flags)); }
  ~StreamHandle() { EXPECT_OK(hipStreamDestroy(s)); }
  operator hipStream_t() const { return s; }
};

struct EventHandle {
  hipEvent_t e = nullptr;
  EventHandle() { EXPECT_OK(hipEventCreate(&e)); }
  ~EventHandle() { EXPECT_OK(hipEventDestroy(e)); }
  operator hipEvent_t() const { return e; }
};

/// Calls `f` with the parameters of a launch; they last for the call.
template <class F, class... Args>
auto with_kernel(const void* kernel, dim3 grid, dim3 block, F f, Args... args) {
  void* pointers[] = {static_cast<void*>(&args)..., nullptr};
  hipKernelNodeParams p{};
  p.func = const_cast<void*>(kernel);
  p.gridDim = grid;
  p.blockDim = block;
  p.kernelParams = pointers;
  return f(p);
}

template <class... Args>
hipGraphNode_t kernel_node(hipGraph_t g, const std::vector<hipGraphNode_t>& from, const void* kernel, Args... args) {
  hipGraphNode_t n = nullptr;
  with_kernel(
      kernel, 1, 1,
      [&](const hipKernelNodeParams& p) { EXPECT_OK(hipGraphAddKernelNode(&n, g, from.data(), from.size(), &p)); },
      args...);
  return n;
}

inline hipGraphNode_t empty_node(hipGraph_t g, const std::vector<hipGraphNode_t>& from = {}) {
  hipGraphNode_t n = nullptr;
  EXPECT_OK(hipGraphAddEmptyNode(&n, g, from.data(), from.size()));
  return n;
}

inline size_t node_count(hipGraph_t g) {
  size_t n = 0;
  EXPECT_OK(hipGraphGetNodes(g, nullptr, &n));
  return n;
}

inline hipGraphNodeType type_of(hipGraphNode_t n) {
  hipGraphNodeType t = hipGraphNodeTypeCount;
  EXPECT_OK(hipGraphNodeGetType(n, &t));
  return t;
}

inline std::vector<hipGraphNode_t> nodes_of(hipGraph_t g) {
  size_t n = node_count(g);
  std::vector<hipGraphNode_t> out(n);
  EXPECT_OK(hipGraphGetNodes(g, out.data(), &n));
  return out;
}

/// A handle that nobody gave out.
template <class Handle> Handle made_up() {
  static long object[4];
  return reinterpret_cast<Handle>(object);
}

} // namespace graphs
