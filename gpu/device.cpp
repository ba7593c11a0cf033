#include "gpu/device.hpp"

#include "base/log.hpp"
#include "base/segv.hpp"
#include "gpu/guard.hpp"

#include <thread>

namespace bz::gpu {

DeviceSet::DeviceSet(DeviceSetConfig config, Sink& sink) : config_(std::move(config)), sink_(sink) {}

Expected<std::unique_ptr<DeviceSet>> DeviceSet::create(DeviceSetConfig config, Sink& sink) {
  if (!config.engine) return error(Code::invalid_argument, "a device set needs an engine factory");
  BZ_TRY(segv::install());
  std::unique_ptr<DeviceSet> set(new DeviceSet(std::move(config), sink));
  std::vector<uint64_t> budgets;
  std::vector<Device*> devices;
  for (const Product& product : set->config_.products) {
    auto device = std::make_unique<Device>(static_cast<uint32_t>(devices.size()), product);
    BZ_TRY_ASSIGN(device->doorbells_, DoorbellPage::create(set->bell_));
    budgets.push_back(product.memory_bytes);
    devices.push_back(device.get());
    set->devices_.push_back(std::move(device));
  }
  set->memory_ = std::make_unique<Memory>(std::move(budgets), set->config_.host_bytes);
  set->memory_->on_release([raw = set.get()](uint64_t begin, uint64_t end) {
    for (auto& device : raw->devices_)
      if (device->engine_) device->engine_->forget_code(begin, end);
  });
  unsigned workers = set->config_.workers ? set->config_.workers : std::max(1u, std::thread::hardware_concurrency());
  set->sdma_ = std::make_unique<Sdma>(devices, set->bell_, sink, set->config_.poll_us);
  set->scheduler_ = std::make_unique<Scheduler>(std::move(devices), *set->memory_, *set->sdma_, set->bell_, sink,
                                                Scheduler::Config{workers, set->config_.poll_us});
  return set;
}

DeviceSet::~DeviceSet() {
  reset();
  scheduler_.reset();
  sdma_.reset();
}

Status DeviceSet::start_engine(Device& device) {
  if (device.engine_) return {};
  const Product& p = device.product();
  exec::EngineConfig config;
  config.target = p.target;
  config.xnack = xnack_;
  config.lds_bytes = device.lds_bytes();
  config.max_waves_per_cu = p.simds_per_cu * p.waves_per_simd;
  config.hooks.context = &sink_;
  config.hooks.interrupt = [](void* sink, uint32_t event) { static_cast<Sink*>(sink)->interrupt(event); };
  BZ_TRY_ASSIGN(device.engine_, config_.engine(config));
  log("gpu", Level::info, "GPU {}: {} ({}), {} CUs, {} MiB; engine: {}", device.index(), p.title,
      isa::target_name(p.target), p.cus, p.memory_bytes >> 20, device.engine_->description());
  return {};
}

Status DeviceSet::set_xnack(bool on) {
  std::lock_guard lock(mutex_);
  if (on == xnack_) return {};
  if (scheduler_->queue_count() != 0) return error(Code::busy, "XNACK can't change while queues exist");
  // Engines hold kernels decoded for the old mode.
  scheduler_->forget_engines();
  for (auto& device : devices_) device->engine_.reset();
  xnack_ = on;
  return {};
}

namespace {

/// All of it must be accessible now; later changes are the queue's own failure.
Status check_ring(const QueueConfig& config, uint32_t alignment) {
  if (config.ring_bytes < alignment || (config.ring_bytes & (config.ring_bytes - 1)) != 0)
    return error(Code::invalid_argument, "a ring of {} bytes is no power of two of packets", config.ring_bytes);
  if (config.ring % alignment != 0 || config.read_pointer % 8 != 0 || config.write_pointer % 8 != 0)
    return error(Code::invalid_argument, "the ring must be aligned to {} bytes and its indices to 8", alignment);
  uint8_t byte = 0;
  uint64_t index = 0;
  if (!read_memory(&byte, config.ring, 1) || !read_memory(&byte, config.ring + config.ring_bytes - 1, 1) ||
      !read_memory(&index, config.read_pointer, 8) || !write_memory(config.read_pointer, &index, 8) ||
      !read_memory(&index, config.write_pointer, 8))
    return error(Code::fault, "the ring at {:#x} or its indices can't be accessed", config.ring);
  return {};
}

} // namespace

Expected<uint32_t> DeviceSet::create_queue(const QueueConfig& config) {
  if (config.device >= devices_.size()) return error(Code::invalid_argument, "there is no device {}", config.device);
  BZ_TRY(check_ring(config, abi::kAqlPacketBytes));
  std::lock_guard lock(mutex_);
  BZ_TRY(segv::install()); // an application may have put its handlers on top since
  BZ_TRY(start_engine(*devices_[config.device]));
  return scheduler_->create_queue(config);
}

Expected<uint32_t> DeviceSet::create_copy_queue(const QueueConfig& config, uint32_t engine) {
  if (config.device >= devices_.size()) return error(Code::invalid_argument, "there is no device {}", config.device);
  constexpr uint32_t kRingAlignment = 256;
  BZ_TRY(check_ring(config, kRingAlignment));
  std::lock_guard lock(mutex_);
  BZ_TRY(segv::install());
  return sdma_->create_queue(config, engine);
}

void DeviceSet::reset(uint64_t kept) {
  std::lock_guard lock(mutex_);
  scheduler_->stop();
  sdma_->stop();
  memory_->free_all(kept);
  for (auto& device : devices_) device->doorbells_->unmap_all();
}

} // namespace bz::gpu
