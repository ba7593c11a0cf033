// Handles that are never reused: a destroyed or foreign one is recognized for ever. Owns the objects by shared_ptr, so
// that a call that runs keeps what it found. Must not know what the objects are.
#pragma once
#include <algorithm>
#include <cstdint>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

namespace bz::rocr {

/// The upper byte of a handle says which table it came from.
enum class HandleKind : uint8_t { reader = 0x51, executable, loaded, symbol, code_object, code_symbol, signal_group };

template <class T> class HandleTable {
public:
  explicit HandleTable(HandleKind kind) : kind_(kind) {}

  uint64_t add(std::shared_ptr<T> object) {
    std::unique_lock lock(mutex_);
    const uint64_t handle = uint64_t(kind_) << 56 | ++last_;
    objects_.emplace(handle, std::move(object));
    return handle;
  }
  std::shared_ptr<T> find(uint64_t handle) const {
    std::shared_lock lock(mutex_);
    const auto at = objects_.find(handle);
    return at == objects_.end() ? nullptr : at->second;
  }
  /// Takes the object out; nullptr if there is none.
  std::shared_ptr<T> remove(uint64_t handle) {
    std::unique_lock lock(mutex_);
    const auto at = objects_.find(handle);
    if (at == objects_.end()) return nullptr;
    auto object = std::move(at->second);
    objects_.erase(at);
    return object;
  }
  /// All objects now, by age.
  std::vector<std::pair<uint64_t, std::shared_ptr<T>>> all() const {
    std::shared_lock lock(mutex_);
    std::vector<std::pair<uint64_t, std::shared_ptr<T>>> list(objects_.begin(), objects_.end());
    std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    return list;
  }

private:
  const HandleKind kind_;
  mutable std::shared_mutex mutex_;
  std::unordered_map<uint64_t, std::shared_ptr<T>> objects_;
  uint64_t last_ = 0;
};

} // namespace bz::rocr
