// Live handles of one kind. A handle that was never given out or was destroyed is refused instead of dereferenced.
// Must not know what the objects are.
#pragma once
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>
#include <vector>

namespace bz::hip {

template <class T> class HandleTable {
public:
  void add(std::shared_ptr<T> object) {
    std::unique_lock lock(mutex_);
    T* key = object.get();
    objects_.emplace(key, std::move(object));
  }
  /// The object of a handle, or null.
  std::shared_ptr<T> find(const void* handle) const {
    std::shared_lock lock(mutex_);
    auto it = objects_.find(static_cast<T*>(const_cast<void*>(handle)));
    return it == objects_.end() ? nullptr : it->second;
  }
  /// Takes a handle out of use and gives its object, or null.
  std::shared_ptr<T> remove(const void* handle) {
    std::unique_lock lock(mutex_);
    auto it = objects_.find(static_cast<T*>(const_cast<void*>(handle)));
    if (it == objects_.end()) return nullptr;
    auto object = std::move(it->second);
    objects_.erase(it);
    return object;
  }
  template <class F> void for_each(F f) const {
    std::shared_lock lock(mutex_);
    for (auto& [key, object] : objects_) f(*object);
  }
  std::vector<std::shared_ptr<T>> all() const {
    std::shared_lock lock(mutex_);
    std::vector<std::shared_ptr<T>> out;
    for (auto& [key, object] : objects_) out.push_back(object);
    return out;
  }
  /// Takes all handles for which the predicate holds out of use.
  template <class Predicate> std::vector<std::shared_ptr<T>> remove_if(Predicate predicate) {
    std::unique_lock lock(mutex_);
    std::vector<std::shared_ptr<T>> removed;
    for (auto it = objects_.begin(); it != objects_.end();) {
      if (predicate(*it->second)) {
        removed.push_back(std::move(it->second));
        it = objects_.erase(it);
      } else {
        ++it;
      }
    }
    return removed;
  }

private:
  mutable std::shared_mutex mutex_;
  std::unordered_map<T*, std::shared_ptr<T>> objects_;
};

} // namespace bz::hip
