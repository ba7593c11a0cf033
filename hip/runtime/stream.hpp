// Streams: the order of work. A stream is a chain of markers; kernels go into its HSA queue, copies to the copy engine,
// host functions to its worker thread, and each waits for the markers before it. Must not know what work is about.
//
// Legacy order: work of the null stream waits for all blocking streams of its device and the other way round. That is
// done by asking those streams for their frontier at submission, so independent streams share no lock while they
// submit.
#pragma once
#include "hip/runtime/marker.hpp"
#include "hip/runtime/result.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <thread>

namespace bz::hip {

class Device;

/// A kernel dispatch packet without header and completion signal.
struct DispatchWork {
  hsa_kernel_dispatch_packet_t packet{};
  std::function<void()> release;    ///< frees the arguments when the kernel is done
  std::shared_ptr<const void> code; ///< keeps the module loaded until then
};

/// A dispatch among others: its packet stays as it is, its arguments belong to somebody else.
struct BatchedDispatch {
  const hsa_kernel_dispatch_packet_t* packet;
  bool marked;
};

class Stream : public std::enable_shared_from_this<Stream> {
public:
  struct Options {
    unsigned flags = hipStreamDefault;
    int priority = 0;
    bool is_null = false;
    std::vector<uint32_t> cu_mask; ///< empty: all compute units
  };
  Stream(Device& device, Options options);
  ~Stream();

  Device& device() const { return device_; }
  const Options& options() const { return options_; }
  uint64_t id() const { return id_; }
  bool is_null() const { return options_.is_null; }
  /// Calls on it are captured (capture.hpp), not done.
  bool capturing() const { return capturing_.load(std::memory_order_acquire); }
  void set_capturing(bool on) { capturing_.store(on, std::memory_order_release); }
  /// Ordered with the null stream.
  bool is_blocking() const { return !(options_.flags & hipStreamNonBlocking); }

  /// Puts a kernel into the queue. `make` is called when nothing can fail any more.
  Expected<MarkerPtr> dispatch(const std::function<DispatchWork(hsa_queue_t*)>& make);
  /// Puts several kernels into the queue, each after the one before. One signal shows that all are done; those that
  /// are marked get their own, in `markers`.
  Status dispatch_all(const std::vector<BatchedDispatch>& kernels, std::vector<MarkerPtr>& markers);
  /// `object` lives until all work so far is done.
  void keep(std::shared_ptr<const void> object);
  /// A copy by the copy engine. A small one between memory that the host reaches is done here if nothing is to be waited
  /// for: to hand it over would cost more.
  Status copy(void* dst, hsa_agent_t dst_agent, const void* src, hsa_agent_t src_agent, size_t size, bool host_reaches);
  /// Runs `function` on the stream's own thread when all work before it is done.
  Expected<MarkerPtr> host(std::function<void()> function);
  /// Runs `function` here and now, after waiting for all work before it.
  Result host_now(const std::function<Status()>& function);
  /// Like host(), but here and now if nothing is to be waited for.
  Result host_or_now(std::function<Status()> function);

  /// While this lives, other threads' work can't come between.
  using Sequence = std::unique_lock<std::recursive_mutex>;
  Sequence sequence() { return Sequence(mutex_); }

  /// Later work waits for these markers too.
  void wait_for(std::vector<MarkerPtr> markers);
  /// What has to be done for all work so far to be done, unfinished only. With `implicit`, the legacy order counts as
  /// work: this is what an event records.
  std::vector<MarkerPtr> frontier(bool implicit);
  /// The same for this stream's own work alone.
  std::vector<MarkerPtr> own_frontier();
  /// Work of this stream from now on comes after all that `markers` stand for, and after work number `position` of
  /// stream `stream`: as far as unfinished work shows it.
  bool comes_after(const std::vector<MarkerPtr>& markers, uint64_t stream, uint64_t position);
  /// Number of pieces of work so far.
  uint64_t position();
  /// Makes the frontier explicit, so that it orders other streams too (an event record on the null stream).
  std::vector<MarkerPtr> record();

  bool idle() { return frontier(false).empty(); }
  /// True if work of this stream has nothing to wait for; false if it may have. No lock: all that was submitted before
  /// the call, by whomever, counts. What has ended is noticed by frontier().
  bool quiet() const;
  /// Gives back what finished work held, unless somebody submits right now.
  void tidy();
  /// It stands in its device's list of streams with unfinished work (Device::busy_streams).
  std::atomic<bool> listed_busy{false};
  /// Waits for all work so far.
  void synchronize();

  /// What hipStreamSetAttribute sets. The window and the domain are hints: memory is coherent without them.
  struct Attributes {
    hipSynchronizationPolicy sync_policy = hipSyncPolicyAuto; ///< how synchronize() waits
    hipAccessPolicyWindow window{};
    hipLaunchMemSyncDomain domain = hipLaunchMemSyncDomainDefault;
    hipLaunchMemSyncDomainMap domains{.default_ = 0, .remote = 1};
  };
  Attributes attributes();
  void set_attributes(const Attributes& attributes);
  /// The queue of this stream's kernels, made when first needed.
  Expected<hsa_queue_t*> queue();

private:
  struct Task {
    std::vector<MarkerPtr> waits;
    std::function<void()> function;
    MarkerPtr marker;
  };

  std::vector<MarkerPtr> take_dependencies(const hsa_queue_t* in_queue); ///< mutex_ held
  void append(MarkerPtr marker, std::vector<MarkerPtr> dependencies); ///< mutex_ held
  void prune();                                                       ///< mutex_ held
  void show_busy(); ///< after last_ or waits_ changed; state_mutex_ not held
  Expected<hsa_queue_t*> queue_locked();
  /// Writes a packet; the doorbell may wait for more of them.
  void submit(hsa_queue_t* queue, const void* packet, uint16_t header, uint16_t setup, bool ring = true);
  void submit_waits(hsa_queue_t* queue, const std::vector<MarkerPtr>& waits);
  Expected<MarkerPtr> host_locked(std::vector<MarkerPtr> dependencies, std::function<void()> function);
  static void run_worker(std::shared_ptr<Stream> self);

  Device& device_;
  Options options_;
  uint64_t id_;
  std::atomic<bool> capturing_{false};
  std::recursive_mutex mutex_; ///< the order of submissions; recursive for sequence()
  hsa_queue_t* queue_ = nullptr;
  std::deque<MarkerPtr> pending_; ///< submitted, not yet released

  std::mutex state_mutex_; ///< leaf lock: last_ and waits_, which other streams read, and attributes_
  MarkerPtr last_;
  std::vector<MarkerPtr> waits_; ///< taken by the next piece of work
  std::atomic<bool> quiet_{true}; ///< nothing in last_ and waits_ is unfinished; changes under state_mutex_
  Attributes attributes_;
  uint64_t position_ = 0;

  std::mutex worker_mutex_;
  std::deque<Task> tasks_;
  bool worker_runs_ = false;
};

using StreamPtr = std::shared_ptr<Stream>;

} // namespace bz::hip
