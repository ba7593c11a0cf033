#include "hip/runtime/capture.hpp"
#include "hip/runtime/device.hpp"
#include "hip/runtime/entry.hpp"
#include "hip/runtime/thread_state.hpp"

#include <algorithm>

namespace bz::hip {
namespace {

void break_capture(Capture& c, std::string why) {
  if (c.broken.empty()) c.broken = std::move(why);
}

Result broken(const Capture& c) {
  return fail(hipErrorStreamCaptureInvalidated, "the capture is invalid since {}", c.broken);
}

/// A capture that `stream` of this device's blocking streams takes part in: the null stream would order itself with it.
Capture* blocking_capture(const Device& device) {
  for (auto& c : graph_store().captures)
    for (auto& [stream, frontier] : c->frontiers)
      if (stream->is_blocking() && &stream->device() == &device) return c.get();
  return nullptr;
}

void add_unique(std::vector<NodePtr>& to, const std::vector<NodePtr>& nodes) {
  for (auto& n : nodes)
    if (n->graph && std::find(to.begin(), to.end(), n) == to.end()) to.push_back(n);
}

} // namespace

CapturePtr capture_of(const StreamPtr& stream) {
  if (!stream->capturing()) return nullptr;
  for (auto& c : graph_store().captures)
    if (c->frontiers.contains(stream)) return c;
  return nullptr;
}

Outcome<NodePtr> capture_node(const StreamPtr& stream, Outcome<WorkPtr> work) {
  auto& store = graph_store();
  GraphLock lock;
  auto c = capture_of(stream);
  if (!c) return Result(hipErrorStreamCaptureInvalidated, "the capture ended in another thread meanwhile");
  if (!c->broken.empty()) return broken(*c);
  if (!work.ok()) return work.result();
  auto& frontier = c->frontiers[stream];
  std::vector<Node*> from;
  for (auto& n : frontier)
    if (n->graph == c->graph.get()) from.push_back(n.get()); // the program may have destroyed some
  auto node = c->graph->add(std::move(*work), from);
  store.nodes.add(node);
  if (auto* child = node->as<ChildWork>()) {
    child->graph->parent = c->graph.get();
    store.publish(child->graph);
  }
  frontier = {node};
  return node;
}

Result capture(const StreamPtr& stream, Outcome<WorkPtr> work) {
  return as_result(capture_node(stream, std::move(work)));
}

// ---- Events ---------------------------------------------------------------------------------------------------------

Result capture_record(Event& event, const StreamPtr& stream) {
  GraphLock lock;
  auto c = capture_of(stream);
  if (!c) return Result(hipErrorStreamCaptureInvalidated, "the capture ended in another thread meanwhile");
  if (!c->broken.empty()) return broken(*c);
  event.record_captured({c, c->frontiers[stream]});
  return {};
}

Result capture_wait(const Event& event, const StreamPtr& stream) {
  GraphLock lock;
  auto mine = capture_of(stream);
  if (!event.captured()) {
    if (mine) break_capture(*mine, "it waited for an event that was recorded outside of it");
    return Result(hipErrorStreamCaptureIsolation,
                  "a capturing stream can't wait for work outside of its capture: record the event in the capture, or "
                  "wait with hipEventWaitExternal");
  }
  const auto& state = event.captured_state();
  Capture& other = *state.capture;
  if (!other.active) {
    if (mine) break_capture(*mine, "it waited for an event of an earlier capture");
    return Result(hipErrorCapturedEvent, "the event was last recorded in a capture that has ended");
  }
  if (mine && mine.get() != &other) {
    break_capture(*mine, "it was to be merged with another capture");
    break_capture(other, "it was to be merged with another capture");
    return Result(hipErrorStreamCaptureMerge, "the event belongs to another capture than the stream");
  }
  if (!other.broken.empty()) return broken(other);
  if (stream->is_null()) {
    break_capture(other, "the null stream waited for one of its events");
    return Result(hipErrorStreamCaptureImplicit, "the null stream can't take part in a capture");
  }
  add_unique(other.frontiers[stream], state.nodes); // joins if it isn't in yet
  stream->set_capturing(true);
  return {};
}

// ---- What calls may be made -----------------------------------------------------------------------------------------

Result check_use(const StreamPtr& stream, StreamUse use) {
  GraphLock lock;
  if (stream->is_null()) {
    auto* c = blocking_capture(stream->device());
    if (!c) return {};
    break_capture(*c, "the null stream was used, which waits for the capturing stream");
    return Result(hipErrorStreamCaptureImplicit,
                  "a stream that is ordered with the null stream is capturing: make it with hipStreamNonBlocking, or "
                  "use no null stream meanwhile");
  }
  auto c = capture_of(stream);
  if (!c) return {};
  if (use == StreamUse::execute) {
    break_capture(*c, "a call asked for what can't be captured");
    return Result(hipErrorStreamCaptureUnsupported, "the stream is capturing, and this call can't be captured");
  }
  return {};
}

Result check_use(const Event& event, EventUse use) {
  if (use == EventUse::record) return {};
  if (!event.captured()) return use == EventUse::wait ? check_unsafe("asking or waiting for an event") : Result();
  GraphLock lock;
  if (auto& c = event.captured_state().capture; c->active)
    break_capture(*c, "one of its events was asked for its state");
  return Result(hipErrorCapturedEvent,
                "the event was last recorded in a capture: nothing runs that it could stand for");
}

Result check_unsafe(const char* function) {
  auto& store = graph_store();
  if (store.capturing.load(std::memory_order_relaxed) == 0) return {};
  const auto own_mode = thread_state().capture_mode;
  if (own_mode == hipStreamCaptureModeRelaxed) return {};
  GraphLock lock;
  bool forbidden = false;
  for (auto& c : store.captures) {
    if (!c->broken.empty()) continue; // there is nothing left to protect
    const bool own = c->thread == std::this_thread::get_id() && c->mode != hipStreamCaptureModeRelaxed;
    const bool other = own_mode == hipStreamCaptureModeGlobal && c->mode == hipStreamCaptureModeGlobal;
    if (!own && !other) continue;
    forbidden = true;
    break_capture(*c, fmt::format("{} was called, which is unsafe while it goes on", function));
  }
  if (!forbidden) return {};
  return fail(
      hipErrorStreamCaptureUnsupported,
      "{} is unsafe while a capture goes on: capture with hipStreamCaptureModeRelaxed, or exchange the thread's "
      "mode",
      function);
}

Result check_capture(CaptureRule rule, const char* function) {
  if (graph_store().capturing.load(std::memory_order_relaxed) == 0) return {};
  if (rule == CaptureRule::unsafe) return check_unsafe(function);
  const Device& device = Runtime::get().current();
  GraphLock lock;
  bool found = false;
  for (auto& c : graph_store().captures)
    for (auto& [stream, frontier] : c->frontiers)
      if (&stream->device() == &device) {
        found = true;
        break_capture(*c, fmt::format("{} was called, which waits for its streams", function));
        break;
      }
  return found ? fail(hipErrorStreamCaptureUnsupported, "a stream of device {} is capturing: it can't be waited for",
                      device.ordinal())
               : Result();
}

void finish_capture(const CapturePtr& c) {
  auto& store = graph_store();
  for (auto& [stream, frontier] : c->frontiers) stream->set_capturing(false);
  c->active = false;
  c->frontiers.clear();
  c->dropped.clear();
  --c->graph->captures;
  std::erase(store.captures, c);
  --store.capturing;
}

void capture_forget(const StreamPtr& stream) {
  if (!stream->capturing()) return;
  GraphPtr gone; // destroyed outside of the lock
  GraphLock lock;
  auto c = capture_of(stream);
  if (!c) return;
  break_capture(*c, "one of its streams was destroyed");
  if (c->origin != stream) return;
  finish_capture(c);
  if (!c->own_graph) return;
  gone = c->graph;
  graph_store().withdraw(*gone);
}

} // namespace bz::hip
