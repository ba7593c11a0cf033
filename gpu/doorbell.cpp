#include "gpu/doorbell.hpp"

#include "base/segv.hpp"

#include <cerrno>
#include <climits>
#include <cstring>
#include <ctime>
#include <immintrin.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace bz::gpu {

void Bell::ring() {
  word_.fetch_add(1, std::memory_order_acq_rel);
  syscall(SYS_futex, &word_, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

void Bell::wait(uint32_t seen, uint32_t microseconds) {
  timespec limit{};
  limit.tv_sec = microseconds / 1'000'000;
  limit.tv_nsec = static_cast<long>(microseconds % 1'000'000) * 1000;
  syscall(SYS_futex, &word_, FUTEX_WAIT_PRIVATE, seen, microseconds ? &limit : nullptr, nullptr, 0);
}

/// The fault handler's side. Async-signal-safe: mprotect, atomics, futex.
struct DoorbellFaults {
  static bool handle(segv::Fault& fault, void* context) {
    if (fault.signal != SIGSEGV || !fault.is_write) return false;
    static_cast<DoorbellPage*>(context)->warm();
    return true;
  }
};

Expected<std::unique_ptr<DoorbellPage>> DoorbellPage::create(Bell& bell) {
  std::unique_ptr<DoorbellPage> page(new DoorbellPage(bell));
  page->fd_ = memfd_create("bz-doorbells", MFD_CLOEXEC);
  if (page->fd_ < 0 || ftruncate(page->fd_, kBytes) != 0)
    return error(Code::out_of_resources, "no memory file for doorbells: {}", std::strerror(errno));
  void* own = mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED, page->fd_, 0);
  if (own == MAP_FAILED) return error(Code::out_of_memory, "no mapping for doorbells: {}", std::strerror(errno));
  page->own_ = static_cast<volatile uint64_t*>(own);
  for (uint32_t i = 0; i < kSlots; ++i) page->own_[i] = kNeverRung;
  return page;
}

DoorbellPage::~DoorbellPage() {
  unmap_all();
  if (own_) munmap(const_cast<uint64_t*>(own_), kBytes);
  if (fd_ >= 0) close(fd_);
}

Expected<uint32_t> DoorbellPage::take_slot() {
  std::lock_guard lock(mutex_);
  for (uint32_t i = 0; i < kSlots; ++i)
    if (!taken_[i]) {
      taken_[i] = true;
      __atomic_store_n(&own_[i], kNeverRung, __ATOMIC_RELEASE);
      return i;
    }
  return error(Code::out_of_resources, "all {} doorbells of the device are in use", kSlots);
}

void DoorbellPage::release_slot(uint32_t slot) {
  std::lock_guard lock(mutex_);
  if (slot < kSlots) taken_[slot] = false;
}

Expected<void*> DoorbellPage::map(void* address, size_t length, bool fixed) {
  if (length == 0 || length > kBytes)
    return error(Code::invalid_argument, "doorbells are {} bytes, not {}", kBytes, length);
  std::lock_guard lock(mutex_);
  if (!fixed && shared_view_) return shared_view_;
  for (View& view : views_) {
    if (view.range >= 0) continue;
    void* p =
        mmap(fixed ? address : nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_SHARED | (fixed ? MAP_FIXED : 0), fd_, 0);
    if (p == MAP_FAILED)
      return error(Code::invalid_argument, "no doorbell mapping at {}: {}", address, std::strerror(errno));
    auto begin = reinterpret_cast<uintptr_t>(p);
    auto range = segv::add_range(begin, begin + kBytes, DoorbellFaults::handle, this);
    if (!range.ok()) {
      munmap(p, kBytes);
      return range.status();
    }
    view.range = *range;
    view.begin.store(begin);
    hot_.store(true); // the new view is writable: the poller must cool it before it sleeps
    if (!fixed) shared_view_ = p;
    bell_.ring();
    return p;
  }
  return error(Code::out_of_resources, "the doorbells are mapped {} times already", views_.size());
}

void DoorbellPage::unmap_all() {
  std::lock_guard lock(mutex_);
  for (View& view : views_) {
    if (view.range < 0) continue;
    segv::remove_range(view.range);
    munmap(reinterpret_cast<void*>(view.begin.load()), kBytes);
    view.begin.store(0);
    view.range = -1;
  }
  shared_view_ = nullptr;
}

void DoorbellPage::forget_views(void* address, size_t length) {
  auto begin = reinterpret_cast<uintptr_t>(address), end = begin + length;
  std::lock_guard lock(mutex_);
  for (View& view : views_) {
    uintptr_t at = view.begin.load();
    if (view.range < 0 || at >= end || begin >= at + kBytes) continue;
    segv::remove_range(view.range);
    view.begin.store(0);
    view.range = -1;
    // What is left of it must take stores without us.
    mprotect(reinterpret_cast<void*>(at), kBytes, PROT_READ | PROT_WRITE);
    if (shared_view_ == reinterpret_cast<void*>(at)) shared_view_ = nullptr;
  }
}

const void* DoorbellPage::wake(uintptr_t address) {
  static_assert(sizeof hot_ == 1 && std::atomic<bool>::is_always_lock_free);
  std::lock_guard lock(mutex_); // not while the page cools
  for (View& view : views_) {
    uintptr_t begin = view.begin.load();
    if (!begin || address < begin || address - begin >= kBytes) continue;
    if (!hot()) warm();
    return &hot_;
  }
  return nullptr;
}

void DoorbellPage::warm() {
  for (View& view : views_)
    if (uintptr_t begin = view.begin.load()) mprotect(reinterpret_cast<void*>(begin), kBytes, PROT_READ | PROT_WRITE);
  hot_.store(true, std::memory_order_release);
  bell_.ring();
}

void DoorbellPage::cool(std::span<DoorbellPage* const> pages) {
  std::vector<std::unique_lock<std::mutex>> locks;
  for (DoorbellPage* page : pages) locks.emplace_back(page->mutex_);
  // First the flag, then the protection: a handler that runs in between leaves the flag set, so that the next cool()
  // works.
  for (DoorbellPage* page : pages) page->hot_.store(false, std::memory_order_release);
  // Who has seen a flag set is about to store.
  for (int i = 0; i < 200; ++i) _mm_pause();
  for (DoorbellPage* page : pages)
    for (View& view : page->views_)
      if (uintptr_t begin = view.begin.load()) mprotect(reinterpret_cast<void*>(begin), kBytes, PROT_READ);
}

} // namespace bz::gpu
