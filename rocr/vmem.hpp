// Virtual memory: reserved addresses, physical memory without an address, and what is mapped where for whom. Owns all
// three. Must not know what the memory is used for.
#pragma once
#include "rocr/agent.hpp"

#include <functional>
#include <map>
#include <memory>
#include <mutex>

namespace bz::rocr {

class VirtualMemory {
public:
  using PoolOfNode = std::function<Pool*(uint32_t)>;

  ~VirtualMemory();

  /// `address` is a wish; 0 is none. `alignment` 0: a page.
  Result<void*> reserve(size_t size, uint64_t address, uint64_t alignment);
  Outcome free(void* va, size_t size);

  Result<uint64_t> create(Pool& pool, size_t size, hsa_amd_memory_type_t type);
  Result<uint64_t> import(int dmabuf, const PoolOfNode& pool_of);
  Result<int> export_dmabuf(uint64_t handle) const;
  /// One user less; the last takes the handle with it, the memory stays where it is mapped.
  Outcome release(uint64_t handle);
  /// The handle of what is mapped at an address, with one user more.
  Result<uint64_t> retain(const void* address);
  struct Properties {
    Pool* pool;
    hsa_amd_memory_type_t type;
  };
  Result<Properties> properties(uint64_t handle) const;

  Outcome map(void* va, size_t size, size_t offset, uint64_t handle);
  Outcome unmap(void* va, size_t size);
  using Access = std::pair<Agent*, hsa_access_permission_t>;
  Outcome set_access(void* va, size_t size, const std::vector<Access>& wanted);
  Result<hsa_access_permission_t> access(const void* va, const Agent& agent) const;

  struct Info {
    uintptr_t base;
    size_t size;
    Pool* pool; ///< null: addresses only
    std::vector<Agent*> agents;
  };
  std::optional<Info> find(const void* address) const;

private:
  /// Physical memory: the thunk's name for it, and how many users its handle has.
  struct Physical {
    Physical(void* m, size_t s, Pool* p, hsa_amd_memory_type_t t, bool i)
        : memory(m), size(s), pool(p), type(t), imported(i) {}
    ~Physical();
    void* memory;
    size_t size;
    Pool* pool;
    hsa_amd_memory_type_t type;
    bool imported;
    uint64_t handle = 0;
    uint32_t users = 1;
  };
  struct Mapping {
    size_t size;
    std::shared_ptr<Physical> physical;
    std::vector<Access> access;
  };
  uint64_t add(std::shared_ptr<Physical> physical);
  Result<std::shared_ptr<Physical>> physical(uint64_t handle) const;
  std::map<uintptr_t, Mapping>::const_iterator mapping_at(uintptr_t address) const;
  static Outcome apply(uintptr_t va, Mapping& mapping, std::vector<Access> access);

  mutable std::mutex mutex_;
  std::map<uintptr_t, size_t> reserved_;
  std::map<uintptr_t, Mapping> mapped_;
  std::map<uint64_t, std::shared_ptr<Physical>> handles_; ///< with at least one user
  uint64_t last_handle_ = 0;
};

} // namespace bz::rocr
