// Doorbells: plain 64-bit stores of the client into a shared page. Hot: somebody polls. Idle ("cool"): the client's
// view is read-only, the first store faults, the handler makes it writable again, rings the bell and the store is
// retried. Knows the page, not what a value means.
#pragma once
#include "base/status.hpp"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

namespace bz::gpu {

/// A futex word: who waits and who rings may be a signal handler.
class Bell {
public:
  uint32_t value() const { return word_.load(std::memory_order_acquire); }
  void ring();
  /// Until rung since `seen`, or for microseconds (0: forever).
  void wait(uint32_t seen, uint32_t microseconds);

private:
  std::atomic<uint32_t> word_{0};
};

/// One device's doorbells of this process.
class DoorbellPage {
public:
  static constexpr uint32_t kBytes = 8192; ///< gfx9: 1024 doorbells of 8 bytes
  static constexpr uint32_t kSlots = kBytes / 8;
  static constexpr uint64_t kNeverRung = ~0ull;

  static Expected<std::unique_ptr<DoorbellPage>> create(Bell& bell);
  ~DoorbellPage();
  DoorbellPage(const DoorbellPage&) = delete;
  DoorbellPage& operator=(const DoorbellPage&) = delete;

  Expected<uint32_t> take_slot();
  void release_slot(uint32_t slot);
  /// The value last stored. Waits for nothing.
  uint64_t read(uint32_t slot) const { return __atomic_load_n(&own_[slot], __ATOMIC_ACQUIRE); }

  /// A view for the client: the one shared view if address is null, or one at that address (fixed).
  Expected<void*> map(void* address, size_t length, bool fixed);
  void unmap_all();
  /// The client maps something else there, or nothing: views in the range are the client's no longer.
  void forget_views(void* address, size_t length);

  bool hot() const { return hot_.load(std::memory_order_acquire); }
  /// For a client that asks before it stores, so that the store doesn't fault: the address of a byte that is 0 while the
  /// views are read-only. Null if `address` is in none of the views.
  const void* wake(uintptr_t address);
  /// Makes the views read-only. The caller looks at the doorbells once more after this, because a store may have come
  /// before.
  void cool() { cool(std::array{this}); }
  /// Several, with one wait of some microseconds for all.
  static void cool(std::span<DoorbellPage* const> pages);

private:
  struct View {
    std::atomic<uintptr_t> begin{0};
    int range = -1;
  };
  explicit DoorbellPage(Bell& bell) : bell_(bell) {}
  void warm();

  Bell& bell_;
  int fd_ = -1;
  volatile uint64_t* own_ = nullptr;
  std::atomic<bool> hot_{true};
  std::mutex mutex_;
  std::array<View, 4> views_; ///< read by the fault handler
  void* shared_view_ = nullptr;
  std::array<bool, kSlots> taken_{};
  friend struct DoorbellFaults;
};

} // namespace bz::gpu
