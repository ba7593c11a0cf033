// One open runtime: agents, memory, signals, queues, executables and the threads that serve them. Made by the first
// hsa_init and destroyed by the last hsa_shut_down. Owns everything in rocr/; must not know who calls.
#pragma once
#include "rocr/agent.hpp"
#include "rocr/api_types.hpp"
#include "rocr/copy.hpp"
#include "rocr/event_loop.hpp"
#include "rocr/fault_watch.hpp"
#include "rocr/handles.hpp"
#include "rocr/intercept.hpp"
#include "rocr/image.hpp"
#include "rocr/loader.hpp"
#include "rocr/memory.hpp"
#include "rocr/queue.hpp"
#include "rocr/signal.hpp"
#include "rocr/tools.hpp"
#include "rocr/vmem.hpp"

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace bz::rocr {

struct SignalGroup {
  std::vector<amd_signal_t*> signals;
};

/// True in a forked child of a process whose runtime is open: the runtime is the parent's. Says so once.
bool in_forked_child();

class Runtime {
public:
  /// nullptr if no runtime is open.
  static Runtime* current();
  static Outcome open();
  static Outcome close();
  ~Runtime();

  const std::vector<Agent*>& agents() const { return agent_list_; }
  const std::vector<Agent*>& gpus() const { return gpus_; }
  Result<Agent*> agent(hsa_agent_t handle) const;
  /// As agent(), and it must be a GPU.
  Result<Agent*> gpu(hsa_agent_t handle) const;
  Agent* agent_of_node(uint32_t node) const;
  Agent* nearest_cpu(const Agent& agent) const;
  /// The pool behind a handle; the status names what the caller's interface calls it.
  Result<Pool*> pool(uint64_t handle, int invalid) const;
  Result<Cache*> cache(hsa_cache_t handle) const;
  Result<Isa*> isa(hsa_isa_t handle) const;
  Isa* isa_of(const codeobj::TargetId& target); ///< made at the first question
  static hsa_isa_t handle_of(const Isa* isa) { return {reinterpret_cast<uint64_t>(isa)}; }
  Result<const Wavefront*> wavefront(hsa_wavefront_t handle) const;
  const Wavefront* wavefront_of(uint32_t size) const { return &wavefronts_[size == 32 ? 0 : 1]; }

  /// Fine-grained host memory for what the runtime shares with devices.
  Pool& system_pool() const { return *system_pool_; }
  Memory& memory() { return *memory_; }
  VirtualMemory& vmem() { return *vmem_; }
  Images& images() { return *images_; }
  SignalPool& signals() { return *signals_; }
  HandleTable<SignalGroup>& signal_groups() { return signal_groups_; }
  EventLoop& user_loop() { return user_loop_; }
  EventLoop& internal_loop() { return internal_loop_; }
  CopyEngine& copies() { return copies_; }
  Loader& loader() { return *loader_; }
  FaultWatch& faults() { return *faults_; }
  Tools& tools() { return tools_; }

  Outcome add_queue(std::unique_ptr<Queue> queue);
  void add_soft_queue(std::unique_ptr<SoftQueue> queue);
  bool is_soft_queue(const hsa_queue_t* queue) const;
  void add_intercept_queue(std::unique_ptr<InterceptQueue> queue);
  Result<std::shared_ptr<InterceptQueue>> intercept_queue(const hsa_queue_t* queue) const;
  Outcome remove_queue(hsa_queue_t* queue);
  /// The device's queue, also of an intercepting one. Whoever removes it waits until the call lets it go.
  Result<std::shared_ptr<Queue>> queue(const hsa_queue_t* queue) const;
  uint64_t next_queue_id() { return next_queue_id_++; }
  bool queue_messages() const { return queue_messages_; }
  void add_queue_notifier(hsa_amd_runtime_queue_notifier notifier, void* data);

  /// Deepest legal count of hsa_init calls.
  static constexpr uint32_t kMaxUsers = INT32_MAX;

private:
  Runtime() = default;
  Outcome start();

  std::vector<std::unique_ptr<Agent>> agents_;
  std::vector<Agent*> agent_list_, gpus_;
  Pool* system_pool_ = nullptr;
  std::vector<std::unique_ptr<Isa>> isas_; ///< asked for by name
  mutable std::mutex isa_mutex_;
  const Wavefront wavefronts_[2] = {{32}, {64}};
  bool opened_ = false, debug_enabled_ = false, queue_messages_ = true;

  // In the order of their need; destroyed the other way round.
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<VirtualMemory> vmem_;
  std::unique_ptr<Images> images_;
  std::unique_ptr<SignalPool> signals_;
  HandleTable<SignalGroup> signal_groups_{HandleKind::signal_group};
  EventLoop internal_loop_{"bz-runtime"}, user_loop_{"bz-callbacks"};
  CopyEngine copies_{internal_loop_};
  std::unique_ptr<Loader> loader_;
  std::unique_ptr<FaultWatch> faults_;
  Tools tools_;
  mutable std::shared_mutex queue_mutex_;
  std::unordered_map<const hsa_queue_t*, std::shared_ptr<Queue>> queues_;
  std::unordered_map<const hsa_queue_t*, std::unique_ptr<SoftQueue>> soft_queues_;
  std::unordered_map<const hsa_queue_t*, std::shared_ptr<InterceptQueue>> intercept_queues_;
  std::vector<std::pair<hsa_amd_runtime_queue_notifier, void*>> queue_notifiers_;
  std::atomic<uint64_t> next_queue_id_{0};
};

} // namespace bz::rocr
