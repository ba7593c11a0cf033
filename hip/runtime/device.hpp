// Device: one GPU agent with its memory pools, queues, streams and settings. Must not know handles, modules or how work
// is described.
#pragma once
#include "codeobj/codeobj.hpp"
#include "hip/runtime/hsa.hpp"
#include "hip/runtime/stream.hpp"

#include <array>
#include <atomic>
#include <map>
#include <mutex>
#include <string>
#include <unordered_set>

namespace bz::hip {

class HostcallService;

/// Memory that the packet processor and kernels read arguments from: power-of-two blocks that are used again.
class KernargArena {
public:
  explicit KernargArena(hsa_amd_memory_pool_t pool, hsa_agent_t agent) : pool_(pool), agent_(agent) {}
  Expected<void*> take(size_t size);
  void give(void* block, size_t size);

private:
  static int size_class(size_t size);
  hsa_amd_memory_pool_t pool_;
  hsa_agent_t agent_;
  std::mutex mutex_;
  std::array<std::vector<void*>, 40> free_;
  char* chunk_ = nullptr;
  size_t chunk_left_ = 0;
};

/// What the host side of HSA gives every device: the CPU agent and its pools.
struct HostAgent {
  hsa_agent_t agent{};
  hsa_amd_memory_pool_t fine{}, coarse{}, kernarg{};
  bool has_coarse = false;
};

class Device {
public:
  ~Device();
  static Expected<std::unique_ptr<Device>> create(int ordinal, hsa_agent_t agent, const HostAgent& host);

  int ordinal() const { return ordinal_; }
  hsa_agent_t agent() const { return agent_; }
  const HostAgent& host() const { return host_; }
  const codeobj::TargetId& target() const { return target_; }
  hsa_amd_memory_pool_t vram() const { return vram_; }
  hsa_amd_memory_pool_t fine_vram() const { return fine_vram_; }
  bool host_reaches_vram() const { return host_reaches_vram_; } ///< loads and stores of the host do
  size_t vram_size() const { return vram_size_; }
  uint64_t vram_free() const;
  size_t lds_size() const { return lds_size_; }
  const hipDeviceProp_tR0600& properties() const { return properties_; }
  uint32_t compute_units() const { return compute_units_; }
  uint32_t wavefront_size() const { return wavefront_size_; }
  uint32_t simds_per_cu() const { return simds_per_cu_; }
  uint32_t waves_per_cu() const { return waves_per_cu_; }
  KernargArena& kernargs() { return kernargs_; }
  /// The service behind device printf and assert, started when first needed.
  Expected<HostcallService*> hostcall();
  /// The same if it was started, else null.
  HostcallService* hostcall_if_started();

  // Streams.
  StreamPtr null_stream();
  StreamPtr null_stream_if_used();
  /// The same without a lock; it lives as long as the device.
  const Stream* null_stream_seen() const { return null_stream_seen_.load(std::memory_order_acquire); }
  StreamPtr create_stream(Stream::Options options);
  void forget_stream(const StreamPtr& stream); ///< keeps it until its work is done
  /// Those that may have unfinished work, dying ones included: what ten thousand idle streams cost nobody.
  std::vector<StreamPtr> busy_streams();
  void add_busy(const std::shared_ptr<Stream>& stream);
  /// False if blocking streams may have unfinished work. A look without a lock: what ended is noticed by busy_streams().
  bool blocking_streams_quiet() const { return busy_blocking_.load(std::memory_order_acquire) == 0; }
  void synchronize();

  Expected<hsa_queue_t*> take_queue(int priority, const std::vector<uint32_t>& cu_mask);
  void give_queue(hsa_queue_t* queue, int priority, const std::vector<uint32_t>& cu_mask);

  // Peers: agents that may use this device's memory, itself included.
  std::vector<hsa_agent_t> accessors();
  bool add_accessor(hsa_agent_t agent);    ///< false if it is one already
  bool remove_accessor(hsa_agent_t agent); ///< false if it isn't one

  // Settings of the program.
  std::atomic<unsigned> flags{0};
  std::atomic<size_t> stack_limit{1024};
  std::atomic<size_t> printf_limit{1 << 20};
  std::atomic<size_t> heap_limit{8 << 20};
  std::atomic<bool> context_active{false};
  hsa_wait_state_t wait_state() const {
    return (flags.load(std::memory_order_relaxed) & hipDeviceScheduleSpin) ? HSA_WAIT_STATE_ACTIVE
                                                                           : HSA_WAIT_STATE_BLOCKED;
  }
  static constexpr int kLeastPriority = 1, kGreatestPriority = -1;

private:
  Device(int ordinal, hsa_agent_t agent, const HostAgent& host);
  void fill_properties();
  static void queue_error(hsa_status_t status, hsa_queue_t* queue, void* device);

  int ordinal_;
  hsa_agent_t agent_;
  HostAgent host_;
  codeobj::TargetId target_;
  hsa_amd_memory_pool_t vram_{}, fine_vram_{};
  size_t vram_size_ = 0, lds_size_ = 0;
  bool host_reaches_vram_ = false;
  uint32_t compute_units_ = 0, wavefront_size_ = 64, simds_per_cu_ = 4, waves_per_cu_ = 0, max_queue_ = 0;
  hipDeviceProp_tR0600 properties_{};
  KernargArena kernargs_;

  std::mutex hostcall_mutex_;
  std::unique_ptr<HostcallService> hostcall_;

  std::mutex streams_mutex_;
  std::unordered_set<StreamPtr> streams_;
  std::vector<StreamPtr> dying_;
  StreamPtr null_stream_;
  std::atomic<const Stream*> null_stream_seen_{nullptr};

  std::mutex busy_mutex_; ///< streams' state_mutex_ are taken under it
  std::vector<std::weak_ptr<Stream>> busy_;
  std::atomic<size_t> busy_blocking_{0}; ///< blocking ones among busy_

  std::mutex accessors_mutex_;
  std::vector<hsa_agent_t> accessors_;

  struct SharedQueue {
    hsa_queue_t* queue;
    size_t users;
  };
  std::mutex queues_mutex_;
  std::map<int, std::vector<SharedQueue>> queues_; ///< by priority; a stream with a CU mask has one of its own
};

} // namespace bz::hip
