// One user-mode AQL queue as the command processor sees it: ring, doorbell, read index, dispatches in flight. Plain
// data and the reading of the ring; scheduler.cpp decides what runs. It knows no instruction and no ioctl.
#pragma once
#include "abi/aql.hpp"
#include "abi/exceptions.hpp"
#include "abi/signal.hpp"
#include "exec/engine.hpp"
#include "gpu/doorbell.hpp"

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace bz::gpu {

class Device;

struct QueueConfig {
  uint32_t device = 0;
  uint64_t ring = 0;          ///< address of the packets
  uint64_t ring_bytes = 0;    ///< a power of two, at least one packet
  uint64_t read_pointer = 0;  ///< address of read_dispatch_id
  uint64_t write_pointer = 0; ///< address of write_dispatch_id
  uint32_t percentage = 100;  ///< 0: no packet is processed
  uint32_t priority = 7;      ///< KFD's 0..15
};

struct Queue;

/// A kernel dispatch in flight.
struct Launch {
  struct Range {
    uint64_t first, end;
  };
  Queue* queue = nullptr;
  /// dispatch_ptr of the kernel: the ring's slot is reused while the kernel runs, so the packet is copied.
  alignas(64) abi::hsa_kernel_dispatch_packet_t packet{};
  exec::DispatchInfo info;
  std::shared_ptr<exec::Dispatch> dispatch;
  std::vector<Range> todo; ///< groups not started
  std::deque<std::unique_ptr<exec::ParkedGroup>> parked;
  uint32_t running = 0;            ///< slices on some thread now
  uint64_t resident = 1;           ///< how many groups the device holds at once
  bool resume_next = false;        ///< fresh and parked groups take turns
  bool dropped = false;            ///< the queue failed or was destroyed
  std::atomic<bool> halted{false}; ///< the first group that stops is reported, others of the launch add nothing
  uint64_t start_ts = 0;
  double ns_per_group = 0; ///< 0: not known yet

  uint64_t todo_groups() const;
  bool runnable() const;
  bool finished() const { return todo.empty() && parked.empty() && running == 0; }
};

/// What stands at the head of a ring.
enum class Head {
  empty,      ///< nothing rung, or the packet isn't written yet
  barrier,    ///< a barrier bit waits for the dispatches in flight
  signals,    ///< a barrier packet waits for signals
  full,       ///< enough dispatches in flight
  ready,      ///< a packet can be processed
  unreadable, ///< the ring or a dependent signal can't be read
};

struct Queue {
  enum class State { running, failed, destroyed };

  uint32_t id = 0;
  QueueConfig config;
  Device* device = nullptr;
  uint32_t doorbell = 0;
  State state = State::running;
  std::string failure;
  uint64_t read = 0;  ///< next packet
  uint64_t limit = 0; ///< packets below it were announced by the doorbell
  uint64_t last_rung = DoorbellPage::kNeverRung;
  uint32_t cu_limit = 0;  ///< from the CU mask; 0: all
  bool launching = false; ///< a thread prepares its head packet without the lock
  uint32_t deps_met = 0;  ///< barrier packet at the head: signals already seen as satisfied
  std::vector<std::shared_ptr<Launch>> active;

  static constexpr size_t kMaxActive = 16;

  bool accepts() const { return state == State::running && config.percentage != 0 && !launching; }
  uint64_t packet_address(uint64_t index) const {
    return config.ring + (index & (config.ring_bytes / abi::kAqlPacketBytes - 1)) * abi::kAqlPacketBytes;
  }
  /// Looks at the head of the ring; reads the doorbell. Cheap, changes only limit, last_rung and deps_met.
  Head look();
  /// Gives the head's slot back to the producer and moves on. False if the ring or the read index can't be written.
  bool consume();
};

/// What a failed launch is reported as; none if the packet can be a dispatch.
kfd_dbg_trap_exception_code check_dispatch(const abi::hsa_kernel_dispatch_packet_t& packet, uint32_t lds_bytes,
                                           std::string& why);
exec::DispatchInfo dispatch_info(const Launch& launch, uint64_t dispatch_id);

/// Ticks of the GPU clock counter now.
uint64_t gpu_clock();

} // namespace bz::gpu
