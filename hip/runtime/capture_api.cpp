// The capture functions of the API.
#include "hip/runtime/capture.hpp"
#include "hip/runtime/impl.hpp"
#include "hip/runtime/thread_state.hpp"

#include <algorithm>
#include <unordered_set>

namespace bz::hip::impl {
namespace {

Result check_mode(hipStreamCaptureMode mode) {
  if (mode < hipStreamCaptureModeGlobal || mode > hipStreamCaptureModeRelaxed)
    return fail(hipErrorInvalidValue, "capture mode {} doesn't exist", static_cast<int>(mode));
  return {};
}

/// The stream of a question about captures. The null stream has none, and where its use would break one, it isn't
/// asked.
Outcome<StreamPtr> asked(hipStream_t handle) {
  auto s = Runtime::get().stream(handle, StreamUse::inquire);
  if (s.ok() && (*s)->is_null())
    for (auto& c : graph_store().captures)
      for (auto& [stream, frontier] : c->frontiers)
        if (stream->is_blocking() && &stream->device() == &(*s)->device())
          return Result(hipErrorStreamCaptureImplicit, "a stream that is ordered with the null stream is capturing");
  return s;
}

Result begin(hipStream_t handle, hipStreamCaptureMode mode, GraphPtr graph, std::vector<NodePtr> from) {
  HIP_TRY_ASSIGN(StreamPtr s, Runtime::get().stream(handle, StreamUse::inquire));
  if (s->is_null()) return Result(hipErrorStreamCaptureUnsupported, "the null stream can't be captured");
  auto& store = graph_store();
  if (s->capturing()) return Result(hipErrorIllegalState, "the stream is capturing already");
  static uint64_t next_id = 1; // under GraphLock
  auto c = std::make_shared<Capture>();
  c->id = next_id++;
  c->origin = s;
  c->mode = mode;
  c->thread = std::this_thread::get_id();
  c->own_graph = !graph;
  c->graph = graph ? graph : store.make();
  if (c->own_graph) store.publish(c->graph);
  ++c->graph->captures;
  c->frontiers[s] = std::move(from);
  store.captures.push_back(std::move(c));
  ++store.capturing;
  s->set_capturing(true);
  return {};
}

/// A node that the origin's next one wouldn't come after, although a stream waits for it.
const Node* unjoined(const Capture& c) {
  std::unordered_set<const Node*> reached;
  std::vector<const Node*> open;
  for (auto* joined : {&c.frontiers.at(c.origin), &c.dropped})
    for (auto& n : *joined) open.push_back(n.get());
  while (!open.empty()) {
    const Node* n = open.back();
    open.pop_back();
    if (!reached.insert(n).second) continue;
    for (Node* f : n->from) open.push_back(f);
  }
  for (auto& [stream, frontier] : c.frontiers)
    for (auto& n : frontier)
      if (n->graph && !reached.contains(n.get())) return n.get();
  return nullptr;
}

Result info(hipStream_t stream, hipStreamCaptureStatus* status, unsigned long long* id, CapturePtr* out) {
  HIP_TRY_ASSIGN(StreamPtr s, asked(stream));
  auto c = capture_of(s);
  *status = c ? c->status() : hipStreamCaptureStatusNone;
  if (id) *id = *status == hipStreamCaptureStatusActive ? c->id : 0;
  if (out) *out = *status == hipStreamCaptureStatusActive ? c : nullptr;
  return {};
}

} // namespace

Result hipStreamBeginCapture(hipStream_t stream, hipStreamCaptureMode mode) {
  HIP_TRY(check_mode(mode));
  GraphLock lock;
  return begin(stream, mode, nullptr, {});
}

Result hipStreamBeginCaptureToGraph(hipStream_t stream, hipGraph_t graph, const hipGraphNode_t* dependencies,
                                    const hipGraphEdgeData* dependencyData, size_t numDependencies,
                                    hipStreamCaptureMode mode) {
  HIP_TRY(check_mode(mode));
  if (dependencyData) return Result(hipErrorInvalidValue, "edge data is not supported: dependencyData must be null");
  GraphLock lock;
  HIP_TRY_ASSIGN(GraphPtr g, graph_store().graph(graph));
  HIP_TRY_ASSIGN(auto nodes, graph_store().dependencies(*g, dependencies, numDependencies));
  std::vector<NodePtr> from;
  for (Node* n : nodes) from.push_back(graph_store().nodes.find(n));
  return begin(stream, mode, g, std::move(from));
}

Result hipStreamEndCapture(hipStream_t stream, hipGraph_t* pGraph) {
  HIP_NONNULL(pGraph);
  GraphPtr gone; // destroyed outside of the lock
  GraphLock lock;
  HIP_TRY_ASSIGN(StreamPtr s, Runtime::get().stream(stream, StreamUse::inquire));
  auto c = capture_of(s);
  if (!c) return Result(hipErrorIllegalState, "the stream isn't capturing");
  if (c->origin != s)
    return Result(hipErrorStreamCaptureUnmatched, "the capture began on another stream: end it there");
  if (c->mode != hipStreamCaptureModeRelaxed && c->thread != std::this_thread::get_id())
    return Result(hipErrorStreamCaptureWrongThread, "the capture began in another thread, which has to end it");
  const Node* loose = c->broken.empty() ? unjoined(*c) : nullptr;
  finish_capture(c);
  if (c->broken.empty() && !loose) {
    *pGraph = c->graph->handle();
    return {};
  }
  *pGraph = nullptr;
  if (c->own_graph) {
    gone = c->graph;
    graph_store().withdraw(*gone);
  }
  if (!c->broken.empty()) return fail(hipErrorStreamCaptureInvalidated, "the capture is invalid since {}", c->broken);
  return fail(hipErrorStreamCaptureUnjoined,
              "a {} node of another stream isn't joined: record an event after it and let the first stream wait for it",
              node_type_name(*loose->work));
}

Result hipStreamIsCapturing(hipStream_t stream, hipStreamCaptureStatus* pCaptureStatus) {
  HIP_NONNULL(pCaptureStatus);
  GraphLock lock;
  return info(stream, pCaptureStatus, nullptr, nullptr);
}

Result hipStreamGetCaptureInfo(hipStream_t stream, hipStreamCaptureStatus* pCaptureStatus, unsigned long long* pId) {
  HIP_NONNULL(pCaptureStatus);
  GraphLock lock;
  return info(stream, pCaptureStatus, pId, nullptr);
}

Result hipStreamGetCaptureInfo_v2(hipStream_t stream, hipStreamCaptureStatus* captureStatus_out,
                                  unsigned long long* id_out, hipGraph_t* graph_out,
                                  const hipGraphNode_t** dependencies_out, size_t* numDependencies_out) {
  HIP_NONNULL(captureStatus_out);
  GraphLock lock;
  CapturePtr c;
  HIP_TRY(info(stream, captureStatus_out, id_out, &c));
  if (!c) return {};
  if (graph_out) *graph_out = c->graph->handle();
  // Valid until the thread asks again, as for the program's next call on the stream.
  thread_local std::vector<hipGraphNode_t> shown;
  shown.clear();
  HIP_TRY_ASSIGN(StreamPtr s, Runtime::get().stream(stream, StreamUse::inquire));
  for (auto& n : c->frontiers[s])
    if (n->graph) shown.push_back(n->handle());
  if (dependencies_out) *dependencies_out = shown.data();
  if (numDependencies_out) *numDependencies_out = shown.size();
  return {};
}

Result hipStreamUpdateCaptureDependencies(hipStream_t stream, hipGraphNode_t* dependencies, size_t numDependencies,
                                          unsigned int flags) {
  if (flags > hipStreamSetCaptureDependencies) return fail(hipErrorInvalidValue, "flags {:#x} don't exist", flags);
  GraphLock lock;
  HIP_TRY_ASSIGN(StreamPtr s, Runtime::get().stream(stream, StreamUse::inquire));
  auto c = capture_of(s);
  if (!c) return Result(hipErrorIllegalState, "the stream isn't capturing");
  if (!c->broken.empty()) return fail(hipErrorStreamCaptureInvalidated, "the capture is invalid since {}", c->broken);
  HIP_TRY_ASSIGN(auto nodes, graph_store().dependencies(*c->graph, dependencies, numDependencies));
  auto& frontier = c->frontiers[s];
  if (flags == hipStreamSetCaptureDependencies) {
    c->dropped.insert(c->dropped.end(), frontier.begin(), frontier.end());
    frontier.clear();
  }
  for (Node* n : nodes) {
    auto node = graph_store().nodes.find(n);
    if (std::find(frontier.begin(), frontier.end(), node) == frontier.end()) frontier.push_back(std::move(node));
  }
  return {};
}

Result hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode* mode) {
  HIP_NONNULL(mode);
  HIP_TRY(check_mode(*mode));
  std::swap(thread_state().capture_mode, *mode);
  return {};
}

} // namespace bz::hip::impl
