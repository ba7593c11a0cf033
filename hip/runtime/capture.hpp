// Stream capture: calls on a capturing stream become nodes of a graph instead of work. A capture begins on one stream,
// spreads over events to others, and ends on the first. Must not know how graphs run.
//
// Where captures meet the API: Runtime::stream() and Runtime::event() refuse what a capture can't record, by the use
// that the caller names; capture() takes what it can; api/hip_capture.def lists the calls that are unsafe while a
// capture is going on anywhere. All state is guarded by GraphLock.
#pragma once
#include "hip/runtime/event.hpp"
#include "hip/runtime/graph.hpp"
#include "hip/runtime/runtime.hpp"

#include <map>
#include <thread>

namespace bz::hip {

/// One capture sequence.
class Capture {
public:
  uint64_t id = 0;
  StreamPtr origin;
  hipStreamCaptureMode mode = hipStreamCaptureModeGlobal;
  std::thread::id thread;
  GraphPtr graph;
  bool own_graph = true; ///< false: captures into a graph of the program
  bool active = true;    ///< false once it ended
  std::string broken;    ///< what invalidated it, or empty
  /// For each stream that takes part: the nodes that its next node depends on.
  std::map<StreamPtr, std::vector<NodePtr>> frontiers;
  std::vector<NodePtr> dropped; ///< taken out of the dependencies by the program: they needn't be joined

  hipStreamCaptureStatus status() const {
    return !active ? hipStreamCaptureStatusNone
                   : broken.empty() ? hipStreamCaptureStatusActive : hipStreamCaptureStatusInvalidated;
  }
};
using CapturePtr = std::shared_ptr<Capture>;

/// Adds a node to the capture of a stream; a description that failed, or a broken capture, is passed on.
Result capture(const StreamPtr& stream, Outcome<WorkPtr> work);
/// The same, and which node it became.
Outcome<NodePtr> capture_node(const StreamPtr& stream, Outcome<WorkPtr> work);

/// The capture that a stream takes part in, or null.
CapturePtr capture_of(const StreamPtr& stream);

/// The event stands for what the capturing stream has so far.
Result capture_record(Event& event, const StreamPtr& stream);
/// The stream comes after the event, one of which belongs to a capture: it joins that capture.
Result capture_wait(const Event& event, const StreamPtr& stream);

/// What Runtime::stream() asks: may this use of the stream go on?
Result check_use(const StreamPtr& stream, StreamUse use);
/// What Runtime::event() asks; `wait` also stands for calls that are unsafe while a capture goes on.
Result check_use(const Event& event, EventUse use);
/// hipErrorStreamCaptureUnsupported, and the captures that forbid the call are broken, if the calling thread may not
/// make unsafe calls now.
Result check_unsafe(const char* function);
/// A stream goes: its capture is broken, and over if it began there.
void capture_forget(const StreamPtr& stream);
/// The streams are free again; a graph that the capture made is the caller's to publish or drop.
void finish_capture(const CapturePtr& capture);

} // namespace bz::hip
