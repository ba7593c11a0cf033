// Which addresses HIP gave out or pinned, and which it has taken back. Must not know how memory is made.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>
#include <vector>

namespace bz::hip {

enum class MemoryKind {
  device,     ///< hipMalloc and kin
  host,       ///< hipHostMalloc and kin
  managed,    ///< hipMallocManaged
  registered, ///< the program's own memory, pinned by hipHostRegister
  symbol,     ///< a variable of a loaded module
  pooled,     ///< from a memory pool, which keeps it when it is freed
  graph,      ///< of an allocation node of a graph, which keeps it
  array,      ///< behind a hipArray_t, which is what the program frees
  imported,   ///< another process's, through hipIpcOpenMemHandle or a pool
  mapped,     ///< physical memory that hipMemMap put there
};

struct Allocation {
  uintptr_t base = 0;
  size_t size = 0;
  MemoryKind kind = MemoryKind::device;
  int device = 0;            ///< owner; for host memory the device that was current
  unsigned flags = 0;        ///< as given by the program
  uintptr_t device_base = 0; ///< where kernels see it
  uint64_t id = 0;           ///< unique in the process
  bool permanent = false;    ///< managed variables: the program's own pointers hold the address, a reset keeps it
  bool synchronous = false; ///< HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS: copies and fills are over when the call returns
  const void* pool = nullptr; ///< hipMemPool_t it came from, or null
  bool on_device() const {
    return kind != MemoryKind::host && kind != MemoryKind::managed && kind != MemoryKind::registered;
  }
};

/// Addresses of which the table says the same: one allocation, or memory that HIP doesn't know.
struct Stretch {
  enum class What { unknown, live, freed } what = What::unknown;
  uintptr_t begin = 0, end = 0;
  Allocation allocation; ///< of live memory
  bool holds(uintptr_t address) const { return address >= begin && address < end; }
};

class MemoryTable {
public:
  void add(Allocation allocation);
  /// The allocation that holds this address; one past the end doesn't count.
  std::optional<Allocation> find(const void* pointer) const;
  /// The allocation that begins here is taken out and remembered as freed.
  std::optional<Allocation> remove(const void* base);
  /// What is known about the addresses around this one, and the version() of the table that says so.
  Stretch stretch(const void* pointer, uint64_t& version) const;
  /// Another one after each change.
  uint64_t version() const { return version_.load(std::memory_order_acquire); }
  /// False if nothing begins there.
  bool set_synchronous(const void* base, bool on);
  /// All allocations of a device, taken out; permanent ones stay.
  std::vector<Allocation> remove_device(int device);
  /// Device memory of a device that follows its peers' access; pools and mappings have settings of their own.
  std::vector<Allocation> on_device(int device) const;
  /// True if any part of the range is known.
  bool overlaps(const void* pointer, size_t size) const;
  /// True if the address was HIP's once and isn't now.
  bool was_freed(const void* pointer) const;

private:
  mutable std::shared_mutex mutex_;
  std::map<uintptr_t, Allocation> live_;
  std::map<uintptr_t, size_t> freed_; ///< non-overlapping; the newest few thousand
  uint64_t next_id_ = 1;
  std::atomic<uint64_t> version_{1}; ///< changes with mutex_ held alone
  void forget_freed(uintptr_t base, size_t size);
};

/// What one thread asked a table last. The same question again takes neither a lock nor a write to memory that others
/// read, as long as the table doesn't change.
class RecentMemory {
public:
  const Stretch& at(const MemoryTable& table, const void* pointer) {
    const uint64_t version = table.version();
    for (auto& known : known_)
      if (known.version == version && known.stretch.holds(reinterpret_cast<uintptr_t>(pointer))) return known.stretch;
    Known& oldest = known_[next_++ % known_.size()];
    oldest.stretch = table.stretch(pointer, oldest.version);
    return oldest.stretch;
  }

private:
  struct alignas(64) Known {
    uint64_t version = 0; ///< 0: of no table
    Stretch stretch;
  };
  std::array<Known, 4> known_; ///< two pairs of source and destination
  unsigned next_ = 0;
};

} // namespace bz::hip
