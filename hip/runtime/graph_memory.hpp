// Memory of a graph's allocation nodes: an address for the life of the node, in use from the launch of the allocation
// until the launch of the free. Must not know nodes.
#pragma once
#include "hip/runtime/memory.hpp"

#include <map>

namespace bz::hip {

/// What hipDeviceGetGraphMemAttribute tells of a device, in bytes.
struct GraphMemoryUse {
  uint64_t used = 0, used_high = 0, reserved = 0, reserved_high = 0;
};

class GraphMemory {
public:
  static Outcome<std::shared_ptr<GraphMemory>> make(const hipMemAllocNodeParams& parameters);
  ~GraphMemory();
  GraphMemory(const GraphMemory&) = delete;

  void* address() const { return address_; }
  size_t size() const { return size_; }
  Device& device() const { return device_; }
  bool in_use() const;
  void begin();        ///< a launch allocates it
  bool end();          ///< a launch, hipFree or hipFreeAsync frees it; false if it isn't in use
  bool freed_by_node = false; ///< a free node for it exists, under GraphLock

private:
  GraphMemory(Device& device, void* address, size_t size) : device_(device), address_(address), size_(size) {}
  Device& device_;
  void* address_;
  size_t size_;
  bool in_use_ = false, reserved_ = false;
  friend class GraphMemoryBook;
};

/// The graph memory of all devices.
class GraphMemoryBook {
public:
  GraphMemoryUse use(const Device& device);
  void reset_high(const Device& device, bool used, bool reserved);
  std::shared_ptr<GraphMemory> find(const void* address);

private:
  friend class GraphMemory;
  std::mutex mutex_;
  std::map<const Device*, GraphMemoryUse> use_;
  std::map<const void*, std::weak_ptr<GraphMemory>> by_address_;
};

/// hipFree or hipFreeAsync of such memory, when the stream's work so far is done or at once.
Result free_graph_memory(const void* address);

} // namespace bz::hip
