// Agents and what belongs to them for good: memory pools (which are also the regions), caches, the instruction set,
// links. Read from the thunk's topology once; immutable afterwards. Must not know allocations, queues or signals.
#pragma once
#include "codeobj/target_id.hpp"
#include "rocr/outcome.hpp"
#include "rocr/thunk.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace bz::rocr {

class Agent;

/// An instruction set as a handle: of an agent, or asked for by name.
struct Isa {
  codeobj::TargetId target;
  std::string name; ///< "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-"
  uint32_t wavefront_size = 64;
  uint32_t waves_per_cu = 0; ///< of the agent; 0 if asked for by name
};

struct Wavefront {
  uint32_t size;
};

struct Cache {
  std::string name;
  uint8_t level = 0;
  uint32_t size = 0; ///< bytes
};

/// A pool of the AMD interface and, under the same handle value, a region of the core interface.
struct Pool {
  Agent* owner = nullptr;
  hsa_amd_segment_t segment = HSA_AMD_SEGMENT_GLOBAL;
  uint32_t global_flags = 0; ///< bits of hsa_amd_memory_pool_global_flag_t
  size_t size = 0;
  bool allocates = false;
  bool system = false;      ///< host memory
  bool host_access = false; ///< the host can read and write it
  uint32_t width_bits = 0, max_clock_mhz = 0;

  bool kernarg() const { return global_flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT; }
  bool coarse() const { return global_flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED; }
  bool extended() const { return global_flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_EXTENDED_SCOPE_FINE_GRAINED; }
  HsaMemFlags memory_flags(bool executable) const;
  static constexpr size_t kGranule = 4096;
};

struct Link {
  uint32_t to_node = 0;
  hsa_amd_memory_pool_link_info_t info{};
};

class Agent {
public:
  static Result<std::unique_ptr<Agent>> create(uint32_t node, uint64_t system_memory);

  bool is_gpu() const { return gpu_; }
  uint32_t node() const { return node_; }
  const HsaNodeProperties& properties() const { return properties_; }
  /// "GPU-" and 16 hex digits of the driver's unique id, "GPU-XX" without one.
  std::string uuid() const;
  const std::string& name() const { return name_; }
  const std::string& product() const { return product_; }
  const std::vector<std::unique_ptr<Pool>>& pools() const { return pools_; }
  const std::vector<std::unique_ptr<Cache>>& caches() const { return caches_; }
  const std::vector<Link>& links() const { return links_; }
  Isa* isa() const { return isa_.get(); } ///< nullptr on a CPU
  hsa_agent_t handle() const { return {reinterpret_cast<uint64_t>(this)}; }

  uint32_t compute_units() const;
  uint32_t waves_per_cu() const { return properties_.NumSIMDPerCU * properties_.MaxWavesPerSIMD; }
  uint32_t wavefront_size() const { return properties_.WaveFrontSize; }
  uint32_t cache_line() const { return cache_line_; }
  uint64_t vram_size() const { return vram_; }
  /// Bytes of scratch that queues may keep; at first all of the memory.
  uint64_t scratch_limit() const { return scratch_limit_.load(std::memory_order_relaxed); }
  void set_scratch_limit(uint64_t bytes) { scratch_limit_ = bytes; }
  /// The agent's default pool: coarse-grained VRAM of a GPU, fine-grained host memory of a CPU.
  Pool* default_pool() const { return pools_.front().get(); }
  Pool* find_pool(uint32_t all_of_these_flags) const;

  /// A time of the device's clock in ticks of the system clock.
  Result<uint64_t> to_system_time(uint64_t device_ticks) const;
  static constexpr uint64_t kDeviceClockHz = 100'000'000; ///< reference clock of gfx9 and later

  static constexpr uint32_t kQueuesMax = 128, kQueueMinSize = 64, kQueueMaxSize = 131072;

private:
  Agent() = default;
  Outcome read_pools(uint64_t system_memory);
  Outcome read_caches();
  Outcome read_links();

  uint32_t node_ = 0;
  bool gpu_ = false;
  HsaNodeProperties properties_{};
  std::string name_, product_;
  std::atomic<uint64_t> scratch_limit_{0};
  uint64_t vram_ = 0;
  uint32_t cache_line_ = 64;
  std::vector<std::unique_ptr<Pool>> pools_;
  std::vector<std::unique_ptr<Cache>> caches_;
  std::vector<Link> links_;
  std::unique_ptr<Isa> isa_;
};

} // namespace bz::rocr
