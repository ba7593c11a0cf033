#include "rocr/copy.hpp"

#include <pthread.h>

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
  }
  ready_changed_.notify_all();
  for (auto& t : threads_) t.join();
  threads_.clear();
}

Outcome CopyEngine::submit(const CopyShape& shape, std::span<amd_signal_t* const> after, amd_signal_t* completion) {
  auto job = std::make_shared<Job>(Job{shape, {after.begin(), after.end()}, 0, completion});
  bool open = false;
  for (amd_signal_t* s : job->after) open = open || __atomic_load_n(&s->value, __ATOMIC_ACQUIRE) != 0;
  if (!open && shape.bytes() <= kInline) {
    perform(*job);
    return {};
  }
  ++pending_;
  if (Outcome o = advance(job); !o.ok()) {
    --pending_;
    return o;
  }
  return {};
}

Outcome CopyEngine::advance(std::shared_ptr<Job> job) {
  while (job->next < job->after.size()) {
    amd_signal_t* s = job->after[job->next];
    const int64_t value = __atomic_load_n(&s->value, __ATOMIC_ACQUIRE);
    if (value == 0) {
      ++job->next;
      continue;
    }
    if (value < 0) {
      --pending_;
      if (job->completion) complete_with_error(job->completion);
      return {};
    }
    return loop_.watch({s, HSA_SIGNAL_CONDITION_LT, 1}, [this, job](hsa_signal_value_t) {
      (void)advance(job); // it runs on the loop, which exists: watching again can't fail
      return false;
    });
  }
  std::lock_guard lock(mutex_);
  if (stop_) return fail(HSA_STATUS_ERROR_INVALID_RUNTIME_STATE, "copies have stopped");
  ready_.push_back(std::move(job));
  if (idle_ == 0 && threads_.size() < kThreads) {
    threads_.emplace_back([this] { worker(); });
    pthread_setname_np(threads_.back().native_handle(), "bz-copy");
  }
  ready_changed_.notify_one();
  return {};
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

void CopyEngine::worker() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    ready_changed_.wait(lock, [&] { return stop_ || !ready_.empty(); });
    --idle_;
    if (stop_) return;
    const auto job = std::move(ready_.front());
    ready_.pop_front();
    lock.unlock();
    perform(*job);
    --pending_;
    lock.lock();
  }
}

} // namespace bz::rocr
