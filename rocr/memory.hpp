// Allocations: what was allocated or locked where, for whom. Owns the table from addresses to facts. Memory of every
// kind comes from and goes back to the thunk. Must not know what the memory is used for.
#pragma once
#include "rocr/agent.hpp"

#include <functional>
#include <map>
#include <shared_mutex>
#include <span>
#include <vector>

namespace bz::rocr {

struct Allocation {
  enum class Kind { pool, locked, shared } kind = Kind::pool;
  uintptr_t base = 0; ///< address on the host
  size_t size = 0;
  uintptr_t agent_base = 0; ///< address on the agents
  Pool* pool = nullptr;     ///< for locked memory: the pool whose properties it has
  void* user_data = nullptr;
  std::vector<Agent*> accessible; ///< GPUs that can reach it
  std::vector<std::pair<hsa_amd_deallocation_callback_t, void*>> on_free;
  uint32_t locks = 0; ///< how often it was locked

  bool contains(uintptr_t address) const { return address >= base && address - base < size; }
};

class Memory {
public:
  explicit Memory(std::vector<Agent*> gpus) : gpus_(std::move(gpus)) {}
  ~Memory();
  Memory(const Memory&) = delete;

  struct Options {
    bool executable = false;
    bool shareable = false; ///< host memory that another process can be given
    size_t alignment = 0; ///< 0: a page
  };
  Result<void*> allocate(Pool& pool, size_t size, Options options);
  Outcome free(void* ptr);
  /// Exactly these GPUs and the owner can reach the allocation from now on.
  Outcome allow_access(const void* ptr, std::span<Agent* const> gpus);
  /// Pins host memory and gives the address that agents use.
  Result<void*> lock(void* host, size_t size, Pool* pool, std::span<Agent* const> gpus);
  Outcome unlock(void* host);

  /// A handle for another process to a whole allocation.
  Outcome share(void* ptr, size_t size, hsa_amd_ipc_memory_t& handle) const;
  /// Another process's memory, reachable by these GPUs (none named: by all).
  Result<void*> attach(const hsa_amd_ipc_memory_t& handle, size_t size, std::span<Agent* const> gpus,
                       const std::function<Pool*(uint32_t node)>& pool_of);
  /// The memory behind a dma-buf, likewise.
  Result<void*> import_dmabuf(int fd, std::span<Agent* const> gpus, const std::function<Pool*(uint32_t node)>& pool_of,
                              size_t& size);
  Outcome detach(void* ptr);

  /// A copy of what is known about the allocation that holds `ptr`.
  std::optional<Allocation> find(const void* ptr) const;
  Outcome set_user_data(const void* ptr, void* data);
  Outcome on_free(void* ptr, hsa_amd_deallocation_callback_t callback, void* data);
  Outcome cancel_on_free(void* ptr, hsa_amd_deallocation_callback_t callback);

  /// INVALID_ARGUMENT if [ptr, ptr + size) leaves its allocation, or lies in none and the host can't read it (`written`: can't write it).
  Outcome check_range(const char* what, const void* ptr, size_t size, bool written = false) const;

private:
  /// Maps what libhsakmt registered and enters it; gives it back on failure.
  Result<void*> enter_shared(void* ptr, size_t size, std::span<Agent* const> gpus,
                             const std::function<Pool*(uint32_t node)>& pool_of);
  Allocation* find_locked(const void* ptr);
  const Allocation* find_locked(const void* ptr) const;

  std::vector<Agent*> gpus_;
  mutable std::shared_mutex mutex_;
  std::map<uintptr_t, Allocation> allocations_; // by base; pools never overlap
  std::map<uintptr_t, Allocation> locked_;      // by base
};

} // namespace bz::rocr
