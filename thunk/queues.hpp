// Queues of libhsakmt: creation with the save area and doorbell that the driver wants, update, destruction. Knows no
// packet.
#pragma once
#include "thunk/channel.hpp"
#include "thunk/memory.hpp"

#include <map>
#include <mutex>

namespace bz::thunk {

class QueueManager {
public:
  QueueManager(Channel& channel, MemoryManager& memory) : channel_(channel), memory_(memory) {}
  ~QueueManager();

  HSAKMT_STATUS create(uint32_t node, HSA_QUEUE_TYPE type, uint32_t percentage, HSA_QUEUE_PRIORITY priority,
                       uint32_t sdma_engine, void* ring, uint64_t size, const HsaEvent* event,
                       HsaQueueResource& resource);
  HSAKMT_STATUS update(HSA_QUEUEID id, uint32_t percentage, HSA_QUEUE_PRIORITY priority, void* ring, uint64_t size);
  HSAKMT_STATUS destroy(HSA_QUEUEID id);
  HSAKMT_STATUS set_cu_mask(HSA_QUEUEID id, uint32_t bits, uint32_t* mask);
  /// Global wave sync for one queue of the process; count 0 gives it back.
  HSAKMT_STATUS alloc_gws(HSA_QUEUEID id, uint32_t count, uint32_t* first);

private:
  struct Queue {
    uint32_t kfd_id = 0;
    void* save_area = nullptr;
    void* eop = nullptr;
    void* pointers = nullptr; ///< read and write pointers of queues whose client brings none
  };
  void release(Queue& queue);
  HSAKMT_STATUS doorbells(uint32_t node, uint64_t offset, char** out);

  Channel& channel_;
  MemoryManager& memory_;
  std::mutex mutex_;
  std::map<HSA_QUEUEID, Queue> queues_;
  std::map<uint32_t, char*> doorbells_; ///< per node
  HSA_QUEUEID next_ = 1;
};

} // namespace bz::thunk
