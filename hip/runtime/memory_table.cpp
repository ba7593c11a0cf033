#include "hip/runtime/memory_table.hpp"

#include <algorithm>
#include <mutex>

namespace bz::hip {
namespace {

template <class Map> auto holding(Map& map, uintptr_t address) {
  auto it = map.upper_bound(address);
  return it == map.begin() ? map.end() : std::prev(it);
}

uintptr_t number(const void* p) { return reinterpret_cast<uintptr_t>(p); }

} // namespace

void MemoryTable::forget_freed(uintptr_t base, size_t size) {
  auto it = holding(freed_, base);
  if (it == freed_.end() || it->first + it->second <= base) it = freed_.lower_bound(base);
  while (it != freed_.end() && it->first < base + size) {
    const uintptr_t start = it->first, end = start + it->second;
    it = freed_.erase(it);
    if (start < base) freed_.emplace(start, base - start);
    if (end > base + size) freed_.emplace(base + size, end - (base + size));
  }
}

void MemoryTable::add(Allocation allocation) {
  std::unique_lock lock(mutex_);
  allocation.id = next_id_++;
  forget_freed(allocation.base, allocation.size);
  live_[allocation.base] = allocation;
  ++version_;
}

std::optional<Allocation> MemoryTable::find(const void* pointer) const {
  std::shared_lock lock(mutex_);
  auto it = holding(live_, number(pointer));
  if (it == live_.end() || number(pointer) - it->first >= it->second.size) return std::nullopt;
  return it->second;
}

Stretch MemoryTable::stretch(const void* pointer, uint64_t& version) const {
  std::shared_lock lock(mutex_);
  version = version_;
  const uintptr_t address = number(pointer);
  Stretch s;
  s.end = UINTPTR_MAX;
  if (auto it = holding(live_, address); it != live_.end()) {
    const Allocation& a = it->second;
    if (address - a.base < a.size) return {Stretch::What::live, a.base, a.base + a.size, a};
    s.begin = a.base + a.size;
  }
  if (auto it = holding(freed_, address); it != freed_.end()) {
    if (address - it->first < it->second) return {Stretch::What::freed, address, address + 1, {}}; // others' memory may lie in it
    s.begin = std::max(s.begin, it->first + it->second);
  }
  if (auto it = live_.upper_bound(address); it != live_.end()) s.end = std::min(s.end, it->first);
  if (auto it = freed_.upper_bound(address); it != freed_.end()) s.end = std::min(s.end, it->first);
  return s;
}

std::optional<Allocation> MemoryTable::remove(const void* base) {
  std::unique_lock lock(mutex_);
  auto it = live_.find(number(base));
  if (it == live_.end()) return std::nullopt;
  Allocation out = it->second;
  live_.erase(it);
  ++version_;
  if (out.kind != MemoryKind::registered) { // registered memory stays the program's own
    if (freed_.size() > 8192) freed_.erase(freed_.begin());
    freed_[out.base] = out.size;
  }
  return out;
}

bool MemoryTable::set_synchronous(const void* base, bool on) {
  std::unique_lock lock(mutex_);
  auto it = live_.find(number(base));
  if (it == live_.end()) return false;
  it->second.synchronous = on;
  ++version_;
  return true;
}

std::vector<Allocation> MemoryTable::remove_device(int device) {
  std::unique_lock lock(mutex_);
  std::vector<Allocation> out;
  ++version_;
  for (auto it = live_.begin(); it != live_.end();) {
    if (it->second.device == device && !it->second.permanent) {
      if (it->second.kind != MemoryKind::registered) freed_[it->first] = it->second.size;
      out.push_back(it->second);
      it = live_.erase(it);
    } else {
      ++it;
    }
  }
  return out;
}

std::vector<Allocation> MemoryTable::on_device(int device) const {
  std::shared_lock lock(mutex_);
  std::vector<Allocation> out;
  for (auto& [base, a] : live_)
    if ((a.kind == MemoryKind::device || a.kind == MemoryKind::array) && a.device == device) out.push_back(a);
  return out;
}

bool MemoryTable::overlaps(const void* pointer, size_t size) const {
  std::shared_lock lock(mutex_);
  const uintptr_t begin = number(pointer);
  auto it = holding(live_, begin);
  if (it != live_.end() && begin - it->first < it->second.size) return true;
  it = live_.lower_bound(begin);
  return it != live_.end() && it->first - begin < size;
}

bool MemoryTable::was_freed(const void* pointer) const {
  std::shared_lock lock(mutex_);
  auto it = holding(freed_, number(pointer));
  return it != freed_.end() && number(pointer) - it->first < it->second;
}

} // namespace bz::hip
