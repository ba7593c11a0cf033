#include "rocr/copy.hpp"

#include <immintrin.h>
#include <pthread.h>

#include <chrono>
#include <cstring>

namespace bz::rocr {

namespace {

void move_bytes(const CopyShape& s) {
  if (s.rows == 1 && s.slices == 1) {
    std::memmove(s.dst, s.src, s.row);
    return;
  }
  for (size_t z = 0; z < s.slices; ++z)
    for (size_t y = 0; y < s.rows; ++y)
      std::memmove(s.dst + z * s.dst_slice + y * s.dst_pitch, s.src + z * s.src_slice + y * s.src_pitch, s.row);
}

} // namespace

CopyEngine::~CopyEngine() { stop(); }

void CopyEngine::stop() {
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    ready_.clear();
    available_ = 0;
    open_.clear();
  }
  ready_changed_.notify_all();
  for (auto& t : threads_) t.join();
  threads_.clear();
}

Outcome CopyEngine::submit(const CopyShape& shape, std::span<amd_signal_t* const> after, amd_signal_t* completion) {
  bool open = false;
  for (amd_signal_t* s : after) open = open || __atomic_load_n(&s->value, __ATOMIC_ACQUIRE) != 0;
  if (!open && shape.bytes() <= kInline) {
    perform(Job{shape, {}, 0, completion});
    return {};
  }
  auto job = std::make_shared<Job>(Job{shape, {after.begin(), after.end()}, 0, completion});
  std::lock_guard lock(mutex_);
  if (stop_) return fail(HSA_STATUS_ERROR_INVALID_RUNTIME_STATE, "copies have stopped");
  ++pending_;
  if (completion) ++open_[completion].copies;
  if (Outcome o = advance(job); !o.ok()) {
    retire(*job);
    return o;
  }
  return {};
}

Outcome CopyEngine::advance(JobPtr job) {
  while (job->next < job->after.size()) {
    amd_signal_t* s = job->after[job->next];
    const int64_t value = __atomic_load_n(&s->value, __ATOMIC_ACQUIRE);
    if (value == 0) {
      ++job->next;
      continue;
    }
    if (value < 0) {
      job->failed = true;
      break;
    }
    if (const auto at = open_.find(s); at != open_.end()) {
      at->second.waiting.push_back(std::move(job));
      return {};
    }
    return loop_.watch({s, HSA_SIGNAL_CONDITION_LT, 1}, [this, job](hsa_signal_value_t) {
      std::lock_guard lock(mutex_);
      if (!stop_) (void)advance(job); // it runs on the loop, which exists: watching again can't fail
      return false;
    });
  }
  make_ready(std::move(job));
  return {};
}

void CopyEngine::make_ready(JobPtr job) {
  ready_.push_back(std::move(job));
  available_ = ready_.size();
  if (ready_.size() <= looking_) return;
  if (idle_ > 0) {
    ready_changed_.notify_one();
  } else if (threads_.size() < kThreads) {
    threads_.emplace_back([this] { worker(); });
    pthread_setname_np(threads_.back().native_handle(), "bz-copy");
  }
}

void CopyEngine::retire(const Job& job) {
  --pending_;
  const auto at = job.completion ? open_.find(job.completion) : open_.end();
  if (at == open_.end()) return;
  const auto waiting = std::move(at->second.waiting);
  at->second.waiting.clear();
  if (--at->second.copies == 0) open_.erase(at);
  for (const JobPtr& next : waiting) (void)advance(next);
}

void CopyEngine::perform(const Job& job) {
  const bool timed = timed_.load(std::memory_order_relaxed) && job.completion;
  const uint64_t start = timed ? thunk::system_now() : 0;
  move_bytes(job.shape);
  if (!job.completion) return;
  if (timed) {
    SignalHost& host = host_of(job.completion);
    host.copy_start = start;
    host.copy_end = thunk::system_now();
    host.copy_timed = true;
  }
  complete(job.completion);
}

void CopyEngine::linger(std::unique_lock<std::mutex>& lock) {
  // Copies come in bursts: to sleep and to be woken for each would cost as much as 64 KiB.
  constexpr auto kMoment = std::chrono::microseconds(20);
  const auto end = std::chrono::steady_clock::now() + kMoment;
  ++looking_;
  lock.unlock();
  while (available_.load(std::memory_order_relaxed) == 0 && std::chrono::steady_clock::now() < end)
    for (int i = 0; i < 8; ++i) _mm_pause();
  lock.lock();
  --looking_;
}

void CopyEngine::worker() {
  std::unique_lock lock(mutex_);
  bool lingered = false;
  for (;;) {
    if (stop_) return;
    if (ready_.empty() && !lingered) {
      linger(lock);
      lingered = true;
      continue;
    }
    if (ready_.empty()) {
      ++idle_;
      ready_changed_.wait(lock, [&] { return stop_ || !ready_.empty(); });
      --idle_;
      continue;
    }
    const JobPtr job = std::move(ready_.front());
    ready_.pop_front();
    available_ = ready_.size();
    lingered = false;
    lock.unlock();
    if (!job->failed)
      perform(*job);
    else if (job->completion)
      complete_with_error(job->completion);
    lock.lock();
    ++looking_;
    retire(*job);
    --looking_;
  }
}

} // namespace bz::rocr
