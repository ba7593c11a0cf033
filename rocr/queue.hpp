// AQL queues of GPU agents: ring, amd_queue_t, doorbell, and what happens when the device reports an error. Must not
// know packets: the program writes them and the device reads them.
#pragma once
#include "hsa/amd_hsa_queue.h"
#include "rocr/agent.hpp"
#include "rocr/memory.hpp"
#include "rocr/signal.hpp"

#include <memory>
#include <vector>

namespace bz::rocr {

class Runtime;
using QueueErrorHandler = void (*)(hsa_status_t, hsa_queue_t*, void*);

class Queue {
public:
  struct Request {
    Agent* agent;
    uint32_t size; ///< packets
    hsa_queue_type32_t type;
    QueueErrorHandler callback;
    void* data;
  };
  static Result<std::unique_ptr<Queue>> create(Runtime& runtime, const Request& request);
  ~Queue();
  Queue(const Queue&) = delete;

  hsa_queue_t* public_queue() const { return &amd_->hsa_queue; }
  Agent* agent() const { return agent_; }
  HSA_QUEUEID driver_id() const { return id_; }
  volatile uint64_t* doorbell() const { return doorbell_->hardware_doorbell_ptr; }

  Outcome inactivate();
  Outcome set_priority(hsa_amd_queue_priority_t priority);
  /// HSA_STATUS_CU_MASK_REDUCED if the mask names units that the agent doesn't have.
  Outcome set_cu_mask(std::span<const uint32_t> mask);
  Outcome get_cu_mask(std::span<uint32_t> mask) const;
  void set_profiling(bool on);
  /// It stopped with an error or was inactivated.
  bool dead() const { return dead_; }

private:
  Queue(Runtime& runtime, const Request& request) : runtime_(runtime), agent_(request.agent) {}
  Outcome build(const Request& request);
  bool on_exception(hsa_signal_value_t mask);

  Runtime& runtime_;
  Agent* agent_;
  QueueErrorHandler callback_ = nullptr;
  void* data_ = nullptr;
  amd_queue_v2_t* amd_ = nullptr;
  void* ring_ = nullptr;
  amd_signal_t* doorbell_ = nullptr;
  amd_signal_t* exception_ = nullptr; ///< its value is the driver's exception mask
  amd_signal_t* inactive_ = nullptr;  ///< for firmware that asks for scratch or reports errors by itself
  HSA_QUEUEID id_ = 0;
  HSA_QUEUE_PRIORITY priority_ = HSA_QUEUE_PRIORITY_NORMAL;
  bool created_ = false; ///< the driver has it
  std::atomic<bool> dead_{false};
  mutable std::mutex mutex_;
  std::vector<uint32_t> cu_mask_;
};

/// A queue whose packets the program itself processes: a ring and indices in a region, with the program's doorbell
/// signal.
class SoftQueue {
public:
  struct Request {
    Pool* region;
    uint32_t size; ///< packets
    hsa_queue_type32_t type;
    uint32_t features;
    hsa_signal_t doorbell;
    uint64_t id;
  };
  static Result<std::unique_ptr<SoftQueue>> create(Memory& memory, const Request& request);
  ~SoftQueue();
  SoftQueue(const SoftQueue&) = delete;
  hsa_queue_t* public_queue() const { return &amd_->hsa_queue; }

private:
  explicit SoftQueue(Memory& memory) : memory_(memory) {}
  Memory& memory_;
  amd_queue_v2_t* amd_ = nullptr;
  void* ring_ = nullptr;
};

/// Makes all slots of a ring invalid packets: whoever processes the queue waits at them.
void clear_ring(void* ring, uint32_t packets);

/// What a queue's exception mask means for its error callback: the gravest bit decides.
hsa_status_t status_of_exceptions(uint64_t mask);
/// "wave abort, memory violation", for messages.
std::string describe_exceptions(uint64_t mask);

} // namespace bz::rocr
