// The software device set: products, engines, doorbells, memory and the scheduler that runs the queues. One per process
// in the library, any number in tests. It knows no ioctl (kfd/) and no instruction (exec/).
#pragma once
#include "base/status.hpp"
#include "exec/engine.hpp"
#include "gpu/doorbell.hpp"
#include "gpu/memory.hpp"
#include "gpu/product.hpp"
#include "gpu/scheduler.hpp"
#include "gpu/sdma.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace bz::gpu {

using EngineFactory = std::function<Expected<std::unique_ptr<exec::Engine>>(const exec::EngineConfig&)>;

/// What the device tells upwards. Called from worker and helping threads; must not call back into the device set.
class Sink {
public:
  virtual ~Sink() = default;
  /// A mailbox was written and an interrupt raised for this event id (0: any).
  virtual void interrupt(uint32_t event) = 0;
  /// A wave touched memory that can't be accessed. False: nobody listens, the queue reports it as its own exception.
  virtual bool memory_fault(uint32_t device, uint64_t address, bool is_write) = 0;
  /// The queue stopped for good; mask as in abi/exceptions.hpp.
  virtual void queue_exception(uint32_t queue, uint64_t mask) = 0;
};

class Device {
public:
  Device(uint32_t index, Product product) : index_(index), product_(std::move(product)) {}
  uint32_t index() const { return index_; }
  const Product& product() const { return product_; }
  DoorbellPage& doorbells() const { return *doorbells_; }
  /// The engine, if a queue has been created.
  exec::Engine* engine() const { return engine_.get(); }
  uint32_t lds_bytes() const { return product_.lds_kb * 1024; }

private:
  friend class DeviceSet;
  uint32_t index_;
  Product product_;
  std::unique_ptr<DoorbellPage> doorbells_;
  std::unique_ptr<exec::Engine> engine_;
};

struct DeviceSetConfig {
  std::vector<Product> products;
  EngineFactory engine;
  uint64_t host_bytes = 0;
  unsigned workers = 0;  ///< 0: one per hardware thread
  uint32_t poll_us = 50; ///< how long an idle worker polls before it sleeps
};

class DeviceSet {
public:
  static Expected<std::unique_ptr<DeviceSet>> create(DeviceSetConfig config, Sink& sink);
  ~DeviceSet();

  size_t size() const { return devices_.size(); }
  Device& device(uint32_t index) { return *devices_[index]; }
  Memory& memory() { return *memory_; }
  Scheduler& scheduler() { return *scheduler_; }
  Sdma& sdma() { return *sdma_; }

  /// Whether engines are made with XNACK on; busy once a queue exists.
  Status set_xnack(bool on);
  bool xnack() const { return xnack_; }

  Expected<uint32_t> create_queue(const QueueConfig& config);
  /// A queue of a copy engine; Sdma::kAnyEngine: of one that has the fewest.
  Expected<uint32_t> create_copy_queue(const QueueConfig& config, uint32_t engine);
  /// Destroys all queues and allocations (but one, if `kept` is not 0) and ends the workers; the set can be used again.
  void reset(uint64_t kept = 0);

  Sink& sink() { return sink_; }

private:
  DeviceSet(DeviceSetConfig config, Sink& sink);
  Status start_engine(Device& device);

  DeviceSetConfig config_;
  Sink& sink_;
  Bell bell_;
  std::vector<std::unique_ptr<Device>> devices_;
  std::unique_ptr<Memory> memory_;
  std::unique_ptr<Sdma> sdma_;
  std::unique_ptr<Scheduler> scheduler_; ///< looks after the doorbells of sdma_ too
  std::mutex mutex_;
  bool xnack_ = false;
};

} // namespace bz::gpu
