// Queues whose packets tools see before they run: the program writes to a ring of the runtime's own, ringing its doorbell
// calls the tools, and what they pass on goes to a queue of the device. Owns that ring and the list of tools. Must not
// know what packets mean, but for the marker that calls a tool back.
#pragma once
#include "rocr/api_types.hpp"
#include "rocr/queue.hpp"

namespace bz::rocr {

class InterceptQueue {
public:
  /// The request's callback gets the intercepting queue.
  static Result<std::unique_ptr<InterceptQueue>> create(Runtime& runtime, Queue::Request request);
  ~InterceptQueue();
  InterceptQueue(const InterceptQueue&) = delete;

  hsa_queue_t* public_queue() const { return &amd_->hsa_queue; }
  Queue& device_queue() const { return *device_queue_; }

  /// The last one that is registered sees the packets first; what it passes on goes to the one before it.
  void add(hsa_amd_queue_intercept_handler handler, void* data);

private:
  struct Handler {
    hsa_amd_queue_intercept_handler call;
    void* data;
  };
  struct Frame; ///< which handler of which queue runs on this thread: a writer gets no word of it

  explicit InterceptQueue(Runtime& runtime) : runtime_(runtime) {}
  static void on_error(hsa_status_t status, hsa_queue_t* queue, void* self);
  static void on_ring(void* self, hsa_signal_value_t value);
  static void write(const void* packets, uint64_t count);
  /// Takes what the program wrote, on the thread that rang.
  void process();
  void pass(size_t handlers_left, const char* packets, uint64_t count, uint64_t index);
  void submit(const char* packets, uint64_t count);

  Runtime& runtime_;
  QueueErrorHandler callback_ = nullptr;
  void* data_ = nullptr;
  std::unique_ptr<Queue> device_queue_;
  amd_queue_v2_t* amd_ = nullptr;
  void* ring_ = nullptr;
  amd_signal_t* doorbell_ = nullptr;
  std::recursive_mutex mutex_; ///< a handler may ring the queue that it was called for
  std::vector<Handler> handlers_;
  bool processing_ = false;
};

} // namespace bz::rocr
