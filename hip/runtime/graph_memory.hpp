// Memory of a graph's allocation nodes: an address for the life of the node, with memory behind it from the launch of the
// allocation until the work before its free is done. Must not know nodes.
#pragma once
#include "hip/runtime/memory.hpp"

#include <map>

namespace bz::hip {

/// What hipDeviceGetGraphMemAttribute tells of a device, in bytes.
struct GraphMemoryUse {
  uint64_t used = 0, used_high = 0, reserved = 0, reserved_high = 0;
};

class GraphMemory : public std::enable_shared_from_this<GraphMemory> {
public:
  /// Reserves the addresses.
  static Outcome<std::shared_ptr<GraphMemory>> make(const hipMemAllocNodeParams& parameters);
  ~GraphMemory();
  GraphMemory(const GraphMemory&) = delete;

  void* address() const { return address_; }
  size_t size() const { return size_; }
  bool in_use() const;
  /// A launch allocates it; hipErrorOutOfMemory.
  Result begin();
  /// Freed when the work of the stream so far is done, or at once without a stream. False if it isn't in use.
  bool end(const StreamPtr& stream);
  bool freed_by_node = false; ///< a free node for it exists, under GraphLock

private:
  GraphMemory(Device& device, void* address, size_t size, size_t pages)
      : device_(device), address_(address), size_(size), pages_(pages) {}
  Status map();   ///< under the lock of the book
  void release(); ///< one use of the pages is over
  Device& device_;
  void* address_;
  size_t size_, pages_; ///< bytes asked for, bytes of whole pages
  std::vector<hsa_agent_t> accessors_;
  bool in_use_ = false;
  unsigned uses_ = 0; ///< launches whose free isn't done yet: a new one may begin before
  hsa_amd_vmem_alloc_handle_t handle_{};
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

/// hipFreeAsync of such memory, or hipFree without a stream.
Result free_graph_memory(const void* address, const StreamPtr& stream);
/// Refuses memory of a graph that isn't allocated now: there is nothing behind the address.
Result check_graph_memory(const void* base);

} // namespace bz::hip
