// User objects: a program's resource with a reference count, whose destructor runs when neither the program nor a graph
// holds it. Must not know graphs.
#pragma once
#include "hip/runtime/result.hpp"

#include <atomic>
#include <memory>
#include <utility>

namespace bz::hip {

class UserObject : public std::enable_shared_from_this<UserObject> {
public:
  UserObject(void* object, hipHostFn_t destroy, unsigned references)
      : object_(object), destroy_(destroy), references_(references) {}

  void retain(unsigned count) { references_ += count; }
  /// Gives references back; the last one ends the object. False if there are fewer.
  bool release(unsigned count);

private:
  void* object_;
  hipHostFn_t destroy_;
  std::atomic<unsigned> references_;
};

using UserObjectPtr = std::shared_ptr<UserObject>;

/// References that a graph or an executable graph holds; given back when this goes.
class UserObjectReferences {
public:
  UserObjectReferences() = default;
  UserObjectReferences(UserObjectPtr object, unsigned count) : object_(std::move(object)), count_(count) {}
  UserObjectReferences(UserObjectReferences&& other) noexcept
      : object_(std::move(other.object_)), count_(std::exchange(other.count_, 0)) {}
  UserObjectReferences& operator=(UserObjectReferences&& other) noexcept {
    std::swap(object_, other.object_);
    std::swap(count_, other.count_);
    return *this;
  }
  ~UserObjectReferences() {
    if (object_ && count_) object_->release(count_);
  }

  const UserObjectPtr& object() const { return object_; }
  unsigned count() const { return count_; }
  void add(unsigned count) { count_ += count; }
  /// Takes references out, for the caller to give back. False if there are fewer.
  bool take(unsigned count) {
    if (count > count_) return false;
    count_ -= count;
    return true;
  }
  /// The same references once more.
  UserObjectReferences again() const {
    object_->retain(count_);
    return {object_, count_};
  }

private:
  UserObjectPtr object_;
  unsigned count_ = 0;
};

} // namespace bz::hip
