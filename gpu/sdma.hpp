// The copy engines of one device: a thread each, started by the first queue, which takes the packets of its queues in turn.
// They run beside the kernels. Rings and indices are counted in bytes. Knows queues and doorbells; what a packet does is
// sdma_packets.hpp's.
#pragma once
#include "base/status.hpp"
#include "gpu/doorbell.hpp"
#include "gpu/queue.hpp"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace bz::gpu {

class Device;
class Sink;

inline constexpr uint32_t kSdmaEngines = 2, kSdmaQueuesPerEngine = 8;
inline constexpr uint32_t kFirstSdmaQueue = 1024; ///< queue ids from here on are copy queues

class Sdma {
public:
  static constexpr uint32_t kAnyEngine = ~0u;
  Sdma(std::vector<Device*> devices, Bell& bell, Sink& sink, uint32_t poll_us);
  ~Sdma();

  /// out_of_resources: all queues of the engine (or of all engines) are taken.
  Expected<uint32_t> create_queue(const QueueConfig& config, uint32_t engine);
  /// Returns when no packet of it is being run.
  Status destroy_queue(uint32_t id);
  /// Percentage 0 stops it; a ring of 0 keeps the ring.
  Status update_queue(uint32_t id, uint64_t ring, uint64_t ring_bytes, uint32_t percentage);
  Expected<uint32_t> doorbell_slot(uint32_t id) const;
  Expected<QueueConfig> queue_config(uint32_t id) const;
  size_t queue_count() const;
  bool failed(uint32_t id, std::string& why) const;
  /// Destroys all queues and ends the threads; a later create_queue starts them again.
  void stop();

  /// For who polls the doorbells of the device anyway: wakes the engines if one of theirs was rung.
  void nudge();

private:
  /// Where packets are read: the ring, or an indirect buffer.
  struct Stream {
    uint64_t base = 0, mask = 0; ///< mask: of the ring's bytes; all ones for a buffer
    uint64_t at = 0, end = 0;    ///< bytes; of a ring they go on for ever
  };
  struct Queue {
    uint32_t id = 0, engine = 0, doorbell = 0;
    QueueConfig config;
    Device* device = nullptr;
    Stream ring;
    std::vector<Stream> buffers; ///< innermost last
    uint32_t polls = 0;          ///< how often the packet at the head was found waiting
    std::atomic<uint64_t> last_rung{DoorbellPage::kNeverRung};
    bool busy = false, failed = false, gone = false;
    std::string failure;
  };
  struct Engine {
    uint32_t device = 0, number = 0;
    std::thread thread;
    size_t turn = 0;
  };
  enum class Step { nothing, waiting, worked };

  std::shared_ptr<Queue> find(uint32_t id) const;
  Expected<std::shared_ptr<Queue>> need(uint32_t id) const; ///< the same, or invalid_handle; also for one that is going
  void engine_main(Engine& engine);
  Step step(Engine& engine);
  Step run(Queue& queue);
  bool announced(Queue& queue);
  Step run_packet(Queue& queue, Stream& stream);
  Step fail(Queue& queue, uint64_t mask, std::string why);
  bool idle(Engine& engine, Step why);

  std::vector<Device*> devices_;
  Bell& bell_;
  Sink& sink_;
  uint32_t poll_us_;
  mutable std::mutex mutex_;
  std::condition_variable packet_done_;
  std::vector<std::shared_ptr<Queue>> queues_;
  std::vector<std::unique_ptr<Engine>> engines_;
  std::atomic<bool> any_{false}; ///< queues exist: asked by every step of the compute queues
  bool stop_ = false;
};

} // namespace bz::gpu
