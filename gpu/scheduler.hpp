// The command processors and compute units of all devices: workers (and helping host threads) take packets from the
// queues in turn and run slices of workgroups. It knows the engine as "run this range", and no instruction.
//
// One mutex guards all bookkeeping; slices run without it. Progress: a slice ends when its range is done, or a group
// parks; queues take turns, and within a dispatch fresh and parked groups do, so that kernels that wait for each other,
// or for the host, all move even with one worker.
#pragma once
#include "abi/help.hpp"
#include "gpu/doorbell.hpp"
#include "gpu/queue.hpp"

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

namespace bz::gpu {

class Memory;
class Sdma;
class Sink;

class Scheduler {
public:
  struct Config {
    unsigned workers = 1;
    uint32_t poll_us = 50;
  };
  Scheduler(std::vector<Device*> devices, Memory& memory, Sdma& sdma, Bell& bell, Sink& sink, Config config);
  ~Scheduler();

  Expected<uint32_t> create_queue(const QueueConfig& config);
  /// Returns after the last slice of the queue has ended; dispatches in flight are dropped.
  Status destroy_queue(uint32_t id);
  Status update_queue(uint32_t id, uint64_t ring, uint64_t ring_bytes, uint32_t percentage, uint32_t priority);
  /// At most this many compute units' worth of groups at once; 0: all.
  Status limit_cus(uint32_t id, uint32_t cus);
  Expected<uint32_t> doorbell_slot(uint32_t id) const;
  Expected<QueueConfig> queue_config(uint32_t id) const;
  size_t queue_count() const;
  bool failed(uint32_t id, std::string& why) const;

  /// The calling thread works until done() holds, nothing is left to run, or the time is used up.
  abi::HelpResult help(const std::function<bool()>& done, uint32_t timeout_us);

  /// Destroys all queues and joins the workers; a later create_queue starts them again.
  void stop();
  /// Drops the engines' per-thread state. Only while no queue exists.
  void forget_engines();

  uint64_t instructions() const;

private:
  /// What a host thread needs to run groups: one engine worker per device, made when first needed.
  struct Context {
    std::vector<std::unique_ptr<exec::Worker>> workers;
  };
  enum class Step { worked, waiting, nothing }; // waiting: some barrier packet waits for a signal

  Step step(Context& context);
  bool process_packets(std::unique_lock<std::mutex>& lock, Step& idle);
  bool process_head(std::unique_lock<std::mutex>& lock, const std::shared_ptr<Queue>& queue);
  bool run_pm4_packet(Queue& queue, uint64_t completion);
  void launch(std::unique_lock<std::mutex>& lock, const std::shared_ptr<Queue>& queue);
  std::shared_ptr<Launch> pick();
  void run_slice(std::unique_lock<std::mutex>& lock, const std::shared_ptr<Launch>& launch, Context& context);
  void take_result(const std::shared_ptr<Launch>& launch, exec::RunResult& result, uint64_t claimed_end);
  void complete(Launch& launch);
  void forget_dropped(Queue& queue);
  void signal_completion(uint64_t handle, uint64_t start, uint64_t end);
  void fail(Queue& queue, uint64_t mask, std::string why);
  void report_halt(const Launch& launch, const exec::Halt& halt, bool& delivered);
  exec::Worker* worker_for(Context& context, uint32_t device);
  std::shared_ptr<Queue> find(uint32_t id) const;
  Expected<std::shared_ptr<Queue>> need(uint32_t id) const; ///< the same, or invalid_handle; also for one that is going

  void worker_main(unsigned number);
  void idle(Step why);
  void poll(Step why);
  bool anything_ready();
  void wake(uint64_t threads);
  void start_workers();

  std::vector<Device*> devices_;
  Memory& memory_;
  Sdma& sdma_;
  Bell& bell_;
  Sink& sink_;
  Config config_;

  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<Queue>> queues_;
  std::vector<std::thread> threads_;
  std::vector<std::unique_ptr<Context>> helpers_; ///< free contexts of helping threads
  std::condition_variable more_work_;             ///< sleeping workers
  std::condition_variable slice_done_;            ///< who destroys a queue
  size_t turn_ = 0;                               ///< round robin over queues
  uint32_t picks_ = 0;
  uint32_t active_ = 0; ///< launches in flight
  uint32_t sleepers_ = 0;
  uint32_t kicks_ = 0;
  bool polling_ = false; ///< one worker watches the queues
  bool poller_sleeps_ = false;
  bool stop_ = false;
  uint64_t instructions_ = 0;
  uint32_t helping_ = 0;
  std::unordered_map<uint64_t, double> cost_; ///< kernel_object -> ns per group, for the next launch of it
};

} // namespace bz::gpu
