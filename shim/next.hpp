// libc's own functions beneath the shim's wrappers. No C++ runtime is used in this library: a foreign program may bring a
// libstdc++ of its own, and a preloaded library must not put another one before it.
#pragma once
#include <atomic>
#include <dlfcn.h>

namespace bz::shim {

/// The next definition of a function, looked up once. Usable before any constructor has run.
template <class F> class Next {
public:
  constexpr explicit Next(const char* name) : name_(name) {}
  F* get() {
    void* f = found_.load(std::memory_order_acquire);
    if (!f) found_.store(f = dlsym(RTLD_NEXT, name_), std::memory_order_release);
    return reinterpret_cast<F*>(f);
  }
  /// Without a lookup, for functions that a malloc of the program may call while it starts.
  F* if_known() const { return reinterpret_cast<F*>(found_.load(std::memory_order_acquire)); }

private:
  const char* name_;
  std::atomic<void*> found_{nullptr};
};

} // namespace bz::shim
