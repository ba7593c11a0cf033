// The address space that host and devices share: allocations at addresses that the client chose, budgets, mappings, and
// "what is near this address" for reports. VA = VA: a GPU address is the host address. It knows no queue, no engine, no
// ioctl.
#pragma once
#include "base/status.hpp"
#include "gpu/alias.hpp"
#include "gpu/sharing.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace bz::gpu {

enum class MemoryKind {
  vram,     ///< a device's own memory: counted against its budget
  gtt,      ///< host memory that the device layer provides: counted against the host's budget
  userptr,  ///< memory that the client mapped itself; nothing is mapped or unmapped here
  doorbell, ///< the address of a doorbell page as seen by the GPU; nothing is mapped or unmapped here
};
const char* memory_kind_name(MemoryKind kind);

struct Allocation {
  uint64_t id = 0;
  uint64_t va = 0;
  uint64_t size = 0; ///< whole pages
  MemoryKind kind = MemoryKind::vram;
  uint32_t device = 0;          ///< index of the device that it was allocated on
  uint32_t flags = 0;           ///< the client's, kept for it
  bool backed = false;          ///< pages are accessible
  std::vector<uint32_t> mapped; ///< device indices that mapped it
  bool host = false;            ///< the host mapped it too
  uint64_t alias_of = 0;        ///< registered memory that the program has at another address: there
  bool paid = true;             ///< counted in its budget: not so a second place of shared memory
  std::shared_ptr<Backing> backing; ///< of shared memory: the same pages may be elsewhere too
  uint64_t end() const { return va + size; }
};

/// Thread-safe. Sizes are rounded up to pages; addresses must be page-aligned.
class Memory {
public:
  /// vram_bytes: one budget per device.
  Memory(std::vector<uint64_t> vram_bytes, uint64_t host_bytes);
  ~Memory();
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  /// Called with [begin, end) before memory goes away: decoded kernels in it are stale.
  void on_release(std::function<void(uint64_t, uint64_t)> hook) { on_release_ = std::move(hook); }

  /// invalid_argument: bad or taken range; out_of_memory: over the budget; fault: a userptr range that isn't mapped.
  /// The range of vram and gtt must be free address space or a PROT_NONE reservation of the client.
  Expected<uint64_t> allocate(uint32_t device, MemoryKind kind, uint64_t va, uint64_t size, uint32_t flags);
  /// Registers the program's memory at `host` under a GPU address of its own, which must be free as above.
  Expected<uint64_t> allocate_alias(uint32_t device, uint64_t va, uint64_t host, uint64_t size, uint32_t flags);
  /// busy while a device still has it mapped.
  Status free(uint64_t id);
  /// Makes the range accessible to the device (and so to the host).
  Status map(uint64_t id, uint32_t device);
  Status unmap(uint64_t id, uint32_t device);
  /// The host maps an allocation by mmap on the driver. At the allocation's own address (fixed) it has the GPU's pages, with
  /// whatever access; anywhere else the same memory a second time, which is the caller's to unmap.
  Expected<void*> host_map(uint64_t id, void* address, uint64_t length, int protection, bool fixed);
  /// Makes it accessible to the host at its own address.
  Status host_map(uint64_t id);
  /// All but one allocation, if `kept` is not 0.
  void free_all(uint64_t kept = 0);

  /// The memory behind an allocation as something that others can map: from now on it is shared memory, with the same
  /// content at the same address. invalid_argument for memory that isn't ours.
  Expected<std::shared_ptr<Backing>> share(uint64_t id);
  /// A further place for shared memory, of this process or another one. It costs no budget while the first place has it.
  Expected<uint64_t> attach(std::shared_ptr<Backing> backing, uint64_t va);

  Expected<Allocation> find(uint64_t id) const;
  /// The allocation that holds the address, if any.
  bool containing(uint64_t address, Allocation& out) const;
  /// For people: "in ...", or the nearest allocation and the distance to it.
  std::string describe(uint64_t address) const;

  uint64_t vram_total(uint32_t device) const { return vram_[device].total; }
  uint64_t vram_available(uint32_t device) const;
  uint64_t host_total() const { return host_.total; }
  uint64_t host_available() const;
  size_t count() const;

private:
  struct Budget {
    uint64_t total = 0, used = 0;
  };
  Status claim(uint64_t va, uint64_t size);
  Status back(Allocation& a, int protection);
  Status back_for_host(Allocation& a);
  Expected<std::shared_ptr<Backing>> share(Allocation* a);
  Expected<uint64_t> place(Allocation&& a);
  void give_back(Allocation& a);
  void release(Allocation& a);
  Budget* budget(const Allocation& a);

  mutable std::mutex mutex_;
  Allocation* get(uint64_t id);
  const Allocation* get(uint64_t id) const { return const_cast<Memory*>(this)->get(id); }
  std::map<uint64_t, Allocation> by_va_;
  /// Registered memory by id: it owns no pages, and registrations of neighbouring heap blocks share some.
  std::unordered_map<uint64_t, Allocation> user_;
  std::unordered_map<uint64_t, uint64_t> va_of_; ///< id -> va
  std::map<uint64_t, uint64_t> reservations_;    ///< begin -> end of PROT_NONE ranges seen to be the client's
  std::map<uint64_t, Allocation> freed_;         ///< the last few, so that a report can say "freed"
  std::vector<uint64_t> freed_order_;
  HostAliases aliases_;
  std::vector<Budget> vram_;
  Budget host_;
  uint64_t next_id_ = 1;
  std::function<void(uint64_t, uint64_t)> on_release_;
};

} // namespace bz::gpu
