#include "hip/runtime/pool.hpp"
#include "base/log.hpp"
#include "hip/runtime/memory_use.hpp"

#include <algorithm>
#include <cstring>
#include <sys/random.h>

namespace bz::hip {
namespace {

constexpr size_t kGranule = 4096;
/// A free block serves smaller requests than it has room for, but not if most of it would be lost.
constexpr size_t kSmall = 64 * 1024;
bool fits(size_t block, size_t wanted) { return block >= wanted && (block <= kSmall || block / 2 <= wanted); }

uint64_t machine_unique() {
  uint64_t id = 0;
  while (id == 0)
    if (getrandom(&id, sizeof id, 0) != sizeof id) id = system_ticks() ^ reinterpret_cast<uintptr_t>(&id);
  return id;
}

} // namespace

bool MemoryPool::Block::idle() const {
  return std::all_of(until.begin(), until.end(), [](auto& m) { return m->done(); });
}

std::vector<hsa_agent_t> MemoryPool::agents() const {
  std::vector<hsa_agent_t> out{device_.agent()};
  for (auto* d : peers_) out.push_back(d->agent());
  return out;
}

MemoryPool::Blocks::iterator MemoryPool::find_reusable(size_t size, Stream& stream) {
  for (auto at = free_by_size_.lower_bound(size); at != free_by_size_.end() && fits(at->first, size); ++at) {
    const auto it = free_.find(at->second);
    const Block& b = it->second;
    if (b.stream == stream.id()) return it;
    if (b.idle()) {
      if (opportunistic_) return it;
    } else if (follow_events_ && stream.comes_after(b.until, b.stream, b.position)) {
      return it;
    }
  }
  return free_.end();
}

MemoryPool::Blocks::iterator MemoryPool::find_after_waiting(size_t size, Stream& stream) {
  if (!internal_) return free_.end();
  const auto at = free_by_size_.lower_bound(size);
  if (at == free_by_size_.end()) return free_.end();
  const auto it = free_.find(at->second);
  stream.wait_for(it->second.until);
  return it;
}

Outcome<uintptr_t> MemoryPool::grow(size_t size) {
  if (props_.maxSize != 0 && size > props_.maxSize - std::min<uint64_t>(reserved_, props_.maxSize))
    return fail(hipErrorOutOfMemory, "{} bytes more than the {} that the pool holds go over its maximum of {}", size,
                reserved_, props_.maxSize);
  HIP_TRY_ASSIGN(void* p, allocate_pages(device_, device_.vram(), size));
  if (!peers_.empty()) {
    if (Status s = allow_access(agents(), p); !s.ok()) {
      (void)hsa_amd_memory_pool_free(p);
      return s;
    }
  }
  reserved_ += size;
  reserved_high_ = std::max(reserved_high_, reserved_);
  return reinterpret_cast<uintptr_t>(p);
}

void MemoryPool::unlink_free(Blocks::iterator it) {
  for (auto [at, end] = free_by_size_.equal_range(it->second.size); at != end; ++at)
    if (at->second == it->first) {
      free_by_size_.erase(at);
      break;
    }
}

Outcome<void*> MemoryPool::allocate(size_t size, Stream& stream) {
  if (size > device_.vram_size())
    return fail(hipErrorOutOfMemory, "{} bytes don't fit into device {} with {} bytes", size, device_.ordinal(),
                device_.vram_size());
  const size_t whole = (size + kGranule - 1) / kGranule * kGranule;
  std::lock_guard lock(mutex_);
  Block block;
  uintptr_t base = 0;
  auto it = find_reusable(whole, stream);
  Result why;
  if (it == free_.end()) {
    auto grown = grow(whole);
    if (!grown.ok() && grown.result().code() == hipErrorOutOfMemory) { // what nobody uses may be too small one by one
      BZ_TRY(trim_locked(0));
      grown = grow(whole);
    }
    if (grown.ok()) {
      base = *grown;
      block.size = whole;
    } else {
      why = grown.result();
      it = find_after_waiting(whole, stream);
      if (it == free_.end()) return why;
    }
  }
  if (base == 0) {
    base = it->first;
    block = std::move(it->second);
    unlink_free(it);
    free_.erase(it);
  }
  block.requested = size;
  block.until.clear();
  used_bytes_ += size;
  used_high_ = std::max(used_high_, used_bytes_);
  used_.emplace(base, std::move(block));
  Runtime::get().memory.add({.base = base,
                             .size = size,
                             .kind = MemoryKind::pooled,
                             .device = device_.ordinal(),
                             .device_base = base,
                             .pool = this});
  device_.context_active = true;
  return reinterpret_cast<void*>(base);
}

bool MemoryPool::free_locked(uintptr_t base, Block point) {
  const auto it = used_.find(base);
  if (it == used_.end()) return false;
  point.size = it->second.size;
  used_bytes_ -= it->second.requested;
  used_.erase(it);
  free_by_size_.emplace(point.size, base);
  free_.emplace(base, std::move(point));
  excess_ = reserved_ > threshold_ || retired_;
  return true;
}

bool MemoryPool::free(uintptr_t base, Stream& stream) {
  Block point;
  point.stream = stream.id();
  point.position = stream.position();
  point.until = stream.frontier(true);
  std::lock_guard lock(mutex_);
  return free_locked(base, std::move(point));
}

bool MemoryPool::free_now(uintptr_t base) {
  std::lock_guard lock(mutex_);
  if (!free_locked(base, {})) return false;
  if (Status s = trim_locked(threshold_); !s.ok()) log("hip", Level::error, "a memory pool: {}", s.message());
  return true;
}

Status MemoryPool::trim_locked(uint64_t keep) {
  if (retired_) keep = 0;
  Status first;
  bool unused = false;
  for (auto it = free_.begin(); it != free_.end() && reserved_ > keep;) {
    if (!it->second.idle()) {
      ++it;
      continue;
    }
    if (!std::exchange(unused, true)) wait_for_memory_uses();
    Status s = hsa_check(hsa_amd_memory_pool_free(reinterpret_cast<void*>(it->first)), "freeing memory of a pool");
    if (!s.ok() && first.ok()) first = s;
    reserved_ -= it->second.size;
    unlink_free(it);
    it = free_.erase(it);
  }
  excess_ = !free_.empty() && reserved_ > keep;
  return first;
}

Status MemoryPool::trim(uint64_t keep) {
  std::lock_guard lock(mutex_);
  return trim_locked(keep);
}

void MemoryPool::after_synchronize() {
  if (!excess_) return;
  std::lock_guard lock(mutex_);
  if (Status s = trim_locked(threshold_); !s.ok()) log("hip", Level::error, "a memory pool: {}", s.message());
}

void MemoryPool::drop_all() {
  std::lock_guard lock(mutex_);
  for (auto& [base, block] : used_) {
    free_by_size_.emplace(block.size, base);
    free_.emplace(base, std::move(block));
  }
  used_.clear();
  used_bytes_ = 0;
  if (Status s = trim_locked(0); !s.ok()) log("hip", Level::error, "a memory pool: {}", s.message());
}

bool MemoryPool::unused() const {
  std::lock_guard lock(mutex_);
  return used_.empty() && free_.empty();
}

// ---- Attributes and access ------------------------------------------------------------------------------------------

Result MemoryPool::set_attribute(hipMemPoolAttr attribute, const void* value) {
  int flag = 0;
  uint64_t bytes = 0;
  std::lock_guard lock(mutex_);
  auto take_flag = [&](bool& to) {
    std::memcpy(&flag, value, sizeof flag);
    to = flag != 0;
    return Result();
  };
  auto reset_high = [&](uint64_t& high, uint64_t now) {
    std::memcpy(&bytes, value, sizeof bytes);
    if (bytes != 0) return fail(hipErrorInvalidValue, "a high watermark can only be set to 0, not to {}", bytes);
    high = now;
    return Result();
  };
  switch (attribute) {
  case hipMemPoolReuseFollowEventDependencies:
    return take_flag(follow_events_);
  case hipMemPoolReuseAllowOpportunistic:
    return take_flag(opportunistic_);
  case hipMemPoolReuseAllowInternalDependencies:
    return take_flag(internal_);
  case hipMemPoolAttrReleaseThreshold:
    std::memcpy(&threshold_, value, sizeof threshold_);
    excess_ = !free_.empty() && reserved_ > threshold_;
    return {};
  case hipMemPoolAttrReservedMemHigh:
    return reset_high(reserved_high_, reserved_);
  case hipMemPoolAttrUsedMemHigh:
    return reset_high(used_high_, used_bytes_);
  case hipMemPoolAttrReservedMemCurrent:
  case hipMemPoolAttrUsedMemCurrent:
    return fail(hipErrorInvalidValue, "pool attribute {} can only be read", static_cast<int>(attribute));
  }
  return fail(hipErrorInvalidValue, "pool attribute {} doesn't exist", static_cast<int>(attribute));
}

Result MemoryPool::attribute(hipMemPoolAttr attribute, void* value) const {
  std::lock_guard lock(mutex_);
  auto flag = [&](bool on) {
    const int number = on;
    std::memcpy(value, &number, sizeof number);
    return Result();
  };
  auto bytes = [&](uint64_t number) {
    std::memcpy(value, &number, sizeof number);
    return Result();
  };
  switch (attribute) {
  case hipMemPoolReuseFollowEventDependencies:
    return flag(follow_events_);
  case hipMemPoolReuseAllowOpportunistic:
    return flag(opportunistic_);
  case hipMemPoolReuseAllowInternalDependencies:
    return flag(internal_);
  case hipMemPoolAttrReleaseThreshold:
    return bytes(threshold_);
  case hipMemPoolAttrReservedMemCurrent:
    return bytes(reserved_);
  case hipMemPoolAttrReservedMemHigh:
    return bytes(reserved_high_);
  case hipMemPoolAttrUsedMemCurrent:
    return bytes(used_bytes_);
  case hipMemPoolAttrUsedMemHigh:
    return bytes(used_high_);
  }
  return fail(hipErrorInvalidValue, "pool attribute {} doesn't exist", static_cast<int>(attribute));
}

Result MemoryPool::set_access(const std::vector<std::pair<Device*, hipMemAccessFlags>>& wanted) {
  std::lock_guard lock(mutex_);
  for (auto& [device, flags] : wanted) {
    if (device == &device_) continue;
    std::erase(peers_, device);
    if (flags == hipMemAccessFlagsProtReadWrite) peers_.push_back(device);
  }
  const auto all = agents();
  for (auto* blocks : {&used_, &free_})
    for (auto& [base, block] : *blocks) HIP_TRY(allow_access(all, reinterpret_cast<void*>(base)));
  return {};
}

hipMemAccessFlags MemoryPool::access(const Device& device) const {
  std::lock_guard lock(mutex_);
  const bool may = &device == &device_ || std::find(peers_.begin(), peers_.end(), &device) != peers_.end();
  return may ? hipMemAccessFlagsProtReadWrite : hipMemAccessFlagsProtNone;
}

// ---- All pools ------------------------------------------------------------------------------------------------------

std::shared_ptr<MemoryPool> MemoryPools::create(Device& device, const hipMemPoolProps& props) {
  auto pool = std::make_shared<MemoryPool>(device, props, machine_unique(), false);
  live_.add(pool);
  return pool;
}

std::shared_ptr<MemoryPool> MemoryPools::import(Device& device, const hipMemPoolProps& props, uint64_t id) {
  auto pool = std::make_shared<MemoryPool>(device, props, id, true);
  live_.add(pool);
  return pool;
}

bool MemoryPools::destroy(hipMemPool_t handle) {
  auto pool = live_.remove(handle);
  if (!pool) return false;
  {
    std::lock_guard lock(mutex_);
    for (auto& [device, current] : current_)
      if (current == pool) current = default_[device];
  }
  pool->retire();
  (void)pool->trim(0);
  if (!pool->unused()) retired_.add(std::move(pool));
  return true;
}

std::shared_ptr<MemoryPool> MemoryPools::default_pool(Device& device) {
  std::lock_guard lock(mutex_);
  auto& slot = default_[device.ordinal()];
  if (!slot) {
    hipMemPoolProps props{};
    props.allocType = hipMemAllocationTypePinned;
    props.location = {hipMemLocationTypeDevice, device.ordinal()};
    slot = create(device, props);
  }
  return slot;
}

std::shared_ptr<MemoryPool> MemoryPools::current_pool(Device& device) {
  auto standard = default_pool(device);
  std::lock_guard lock(mutex_);
  auto& slot = current_[device.ordinal()];
  if (!slot) slot = standard;
  return slot;
}

void MemoryPools::set_current(Device& device, std::shared_ptr<MemoryPool> pool) {
  (void)default_pool(device); // what destroy() falls back to
  std::lock_guard lock(mutex_);
  current_[device.ordinal()] = std::move(pool);
}

bool MemoryPools::is_default(const MemoryPool* pool) const {
  std::lock_guard lock(mutex_);
  return std::any_of(default_.begin(), default_.end(), [&](auto& entry) { return entry.second.get() == pool; });
}

bool MemoryPools::free(const void* handle, uintptr_t base, Stream* stream) {
  auto pool = live_.find(handle);
  const bool live = pool != nullptr;
  if (!pool) pool = retired_.find(handle);
  if (!pool || !(stream ? pool->free(base, *stream) : pool->free_now(base))) return false;
  if (!live) {
    (void)pool->trim(0);
    if (pool->unused()) (void)retired_.remove(handle);
  }
  return true;
}

std::vector<std::shared_ptr<MemoryPool>> MemoryPools::all() const {
  auto out = live_.all();
  for (auto& p : retired_.all()) out.push_back(std::move(p));
  return out;
}

void MemoryPools::after_synchronize() {
  for (auto& pool : all()) pool->after_synchronize();
  (void)retired_.remove_if([](MemoryPool& p) { return p.unused(); });
}

bool MemoryPools::release_idle(Device& device) {
  const uint64_t before = device.vram_free();
  for (auto& pool : all())
    if (&pool->device() == &device) (void)pool->trim(0);
  return device.vram_free() > before;
}

void MemoryPools::reset(Device& device) {
  for (auto& pool : all())
    if (&pool->device() == &device) pool->drop_all();
  (void)live_.remove_if([&](MemoryPool& p) { return &p.device() == &device && !is_default(&p); });
  (void)retired_.remove_if([&](MemoryPool& p) { return &p.device() == &device; });
  std::lock_guard lock(mutex_);
  current_.erase(device.ordinal());
}

} // namespace bz::hip
