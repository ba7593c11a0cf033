#include "gpu/scheduler.hpp"

#include "abi/pm4.hpp"
#include "base/log.hpp"
#include "base/segv.hpp"
#include "gpu/device.hpp"
#include "gpu/fault_report.hpp"
#include "gpu/guard.hpp"
#include "gpu/pm4.hpp"

#include <algorithm>
#include <cassert>
#include <chrono>
#include <immintrin.h>
#include <pthread.h>

namespace bz::gpu {
namespace {

using Clock = std::chrono::steady_clock;

/// A slice should be short against what a user notices and long against taking the lock.
constexpr double kSliceNs = 200'000;
constexpr uint64_t kMaxSliceGroups = 4096;
/// Waking another thread costs several microseconds: less work than this isn't worth it.
constexpr double kWorthWakingNs = 40'000;

double ns_since(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

} // namespace

Scheduler::Scheduler(std::vector<Device*> devices, Memory& memory, Sdma& sdma, Bell& bell, Sink& sink, Config config)
    : devices_(std::move(devices)), memory_(memory), sdma_(sdma), bell_(bell), sink_(sink), config_(config) {}

Scheduler::~Scheduler() { stop(); }

std::shared_ptr<Queue> Scheduler::find(uint32_t id) const {
  for (const auto& queue : queues_)
    if (queue->id == id) return queue;
  return nullptr;
}

Expected<std::shared_ptr<Queue>> Scheduler::need(uint32_t id) const {
  auto queue = find(id);
  if (!queue || queue->state == Queue::State::destroyed) return error(Code::invalid_handle, "there is no queue {}", id);
  return queue;
}

Expected<uint32_t> Scheduler::create_queue(const QueueConfig& config) {
  auto queue = std::make_shared<Queue>();
  queue->config = config;
  queue->device = devices_[config.device];
  BZ_TRY_ASSIGN(queue->doorbell, queue->device->doorbells().take_slot());
  // Indices may start anywhere: a queue is taken over where the client says that it stands.
  queue->read = *reinterpret_cast<const volatile uint64_t*>(config.read_pointer);
  queue->limit = queue->read;
  std::lock_guard lock(mutex_);
  uint32_t id = 0;
  while (find(id)) ++id;
  queue->id = id;
  queues_.push_back(queue);
  start_workers();
  bell_.ring();
  return id;
}

Status Scheduler::destroy_queue(uint32_t id) {
  std::unique_lock lock(mutex_);
  BZ_TRY_ASSIGN(const auto queue, need(id));
  queue->state = Queue::State::destroyed;
  for (auto& launch : queue->active) launch->dropped = true;
  slice_done_.wait(lock, [&] {
    return !queue->launching &&
           std::all_of(queue->active.begin(), queue->active.end(), [](auto& l) { return l->running == 0; });
  });
  active_ -= static_cast<uint32_t>(queue->active.size());
  queue->active.clear();
  std::erase(queues_, queue);
  queue->device->doorbells().release_slot(queue->doorbell);
  return {};
}

Status Scheduler::update_queue(uint32_t id, uint64_t ring, uint64_t ring_bytes, uint32_t percentage,
                               uint32_t priority) {
  std::lock_guard lock(mutex_);
  BZ_TRY_ASSIGN(const auto queue, need(id));
  if (ring != 0) {
    queue->config.ring = ring;
    queue->config.ring_bytes = ring_bytes;
  }
  queue->config.percentage = percentage;
  queue->config.priority = priority;
  bell_.ring();
  return {};
}

Status Scheduler::limit_cus(uint32_t id, uint32_t cus) {
  std::lock_guard lock(mutex_);
  BZ_TRY_ASSIGN(const auto queue, need(id));
  queue->cu_limit = cus;
  return {};
}

Expected<uint32_t> Scheduler::doorbell_slot(uint32_t id) const {
  std::lock_guard lock(mutex_);
  BZ_TRY_ASSIGN(const auto queue, need(id));
  return queue->doorbell;
}

Expected<QueueConfig> Scheduler::queue_config(uint32_t id) const {
  std::lock_guard lock(mutex_);
  BZ_TRY_ASSIGN(const auto queue, need(id));
  return queue->config;
}

size_t Scheduler::queue_count() const {
  std::lock_guard lock(mutex_);
  return queues_.size();
}

bool Scheduler::failed(uint32_t id, std::string& why) const {
  std::lock_guard lock(mutex_);
  auto queue = find(id);
  if (!queue || queue->state != Queue::State::failed) return false;
  why = queue->failure;
  return true;
}

uint64_t Scheduler::instructions() const {
  std::lock_guard lock(mutex_);
  return instructions_;
}

// ---- one step of work
// --------------------------------------------------------------------------------------------------

Scheduler::Step Scheduler::step(Context& context) {
  std::unique_lock lock(mutex_);
  Step idle = Step::nothing;
  bool processed = process_packets(lock, idle);
  std::shared_ptr<Launch> launch = pick();
  if (!launch) return processed ? Step::worked : idle;
  run_slice(lock, launch, context);
  return Step::worked;
}

bool Scheduler::process_packets(std::unique_lock<std::mutex>& lock, Step& idle) {
  bool processed = false;
  sdma_.nudge();
  for (size_t i = 0; i < queues_.size(); ++i) {
    // The queue is held: the lock is given up while a kernel is prepared, and the list may change then.
    std::shared_ptr<Queue> queue = queues_[i];
    while (queue->accepts()) {
      Head head = queue->look();
      if (head == Head::signals) idle = Step::waiting;
      if (head != Head::ready && head != Head::unreadable) break;
      if (head == Head::unreadable) {
        fail(*queue, abi::exception_bit(EC_QUEUE_PACKET_UNSUPPORTED),
             fmt::format("the packet at {:#x} or a signal that it names can't be read",
                         queue->packet_address(queue->read)));
        break;
      }
      if (!process_head(lock, queue)) break;
      processed = true;
    }
  }
  return processed;
}

bool Scheduler::process_head(std::unique_lock<std::mutex>& lock, const std::shared_ptr<Queue>& queue) {
  uint64_t at = queue->packet_address(queue->read);
  uint16_t type = abi::HSA_PACKET_TYPE_INVALID;
  uint64_t completion = 0;
  bool readable = guarded([&] {
    type = abi::packet_type(*reinterpret_cast<const volatile uint16_t*>(at));
    completion = reinterpret_cast<const abi::hsa_barrier_and_packet_t*>(at)->completion_signal.handle;
  });
  if (!readable) return false; // look() reports it next time
  switch (type) {
  case abi::HSA_PACKET_TYPE_KERNEL_DISPATCH:
    launch(lock, queue);
    return true;
  case abi::HSA_PACKET_TYPE_BARRIER_AND:
  case abi::HSA_PACKET_TYPE_BARRIER_OR: {
    uint64_t now = gpu_clock();
    queue->consume();
    signal_completion(completion, now, now);
    return true;
  }
  case abi::HSA_PACKET_TYPE_AGENT_DISPATCH:
    fail(*queue, abi::exception_bit(EC_QUEUE_PACKET_UNSUPPORTED),
         "agent-dispatch packets are not implemented on this device");
    return false;
  case abi::HSA_PACKET_TYPE_VENDOR_SPECIFIC: {
    auto* packet = reinterpret_cast<const abi::hsa_amd_barrier_value_packet_t*>(at);
    if (packet->AmdFormat == abi::HSA_AMD_PACKET_TYPE_BARRIER_VALUE && packet->cond <= abi::HSA_SIGNAL_CONDITION_GTE) {
      uint64_t now = gpu_clock();
      queue->consume();
      signal_completion(completion, now, now);
      return true;
    }
    if (packet->AmdFormat == abi::HSA_AMD_PACKET_TYPE_BARRIER_VALUE)
      fail(*queue, abi::exception_bit(EC_QUEUE_PACKET_VENDOR_UNSUPPORTED),
           fmt::format("a barrier-value packet with condition {}, which isn't defined", packet->cond));
    else if (packet->AmdFormat == abi::HSA_AMD_PACKET_TYPE_PM4_IB)
      return run_pm4_packet(*queue, completion);
    else
      fail(*queue, abi::exception_bit(EC_QUEUE_PACKET_VENDOR_UNSUPPORTED),
           fmt::format("vendor-specific packets of format {} are not implemented on this device", packet->AmdFormat));
    return false;
  }
  default:
    fail(*queue, abi::exception_bit(EC_QUEUE_PACKET_RESERVED), fmt::format("packet type {} is not defined", type));
    return false;
  }
}

bool Scheduler::run_pm4_packet(Queue& queue, uint64_t completion) {
  uint64_t start = gpu_clock();
  abi::amd_aql_pm4_ib_t packet;
  Pm4Hooks hooks{&sink_, [](void* sink, uint32_t event) { static_cast<Sink*>(sink)->interrupt(event); }};
  Status done = read_memory(&packet, queue.packet_address(queue.read), sizeof packet)
                    ? run_pm4(packet.ib_jump_cmd, hooks)
                    : error(Code::fault, "the packet can't be read");
  if (!done.ok()) {
    fail(queue, abi::exception_bit(EC_QUEUE_PACKET_VENDOR_UNSUPPORTED), done.message());
    return false;
  }
  queue.consume();
  signal_completion(completion, start, gpu_clock());
  return true;
}

void Scheduler::launch(std::unique_lock<std::mutex>& lock, const std::shared_ptr<Queue>& queue) {
  auto launch = std::make_shared<Launch>();
  launch->queue = queue.get();
  launch->start_ts = gpu_clock();
  uint64_t at = queue->packet_address(queue->read), id = queue->read;
  if (!read_memory(&launch->packet, at, sizeof launch->packet)) {
    fail(*queue, abi::exception_bit(EC_QUEUE_PACKET_UNSUPPORTED), fmt::format("the packet at {:#x} can't be read", at));
    return;
  }
  Device& device = *queue->device;
  std::string why;
  auto code = check_dispatch(launch->packet, device.lds_bytes(), why);
  if (code == EC_NONE) {
    launch->info = dispatch_info(*launch, id);
    queue->launching = true;
    lock.unlock(); // decoding a kernel takes a while
    auto prepared = device.engine()->prepare(launch->info);
    lock.lock();
    queue->launching = false;
    slice_done_.notify_all();
    if (queue->state != Queue::State::running) return;
    if (prepared.ok()) {
      launch->dispatch = std::move(*prepared);
    } else {
      why = prepared.status().message();
      switch (prepared.status().code()) {
      case Code::invalid_argument:
        code = EC_QUEUE_PACKET_DISPATCH_WORK_GROUP_SIZE_INVALID;
        break;
      case Code::out_of_resources:
        code = EC_QUEUE_PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID;
        break;
      case Code::unsupported:
        code = EC_QUEUE_PACKET_DISPATCH_REGISTER_INVALID;
        break;
      default:
        code = EC_QUEUE_PACKET_DISPATCH_CODE_INVALID;
        break;
      }
    }
  }
  if (code != EC_NONE) {
    fail(*queue, abi::exception_bit(code), fmt::format("kernel dispatch {} is refused: {}", id, why));
    return;
  }
  if (!queue->consume()) {
    fail(*queue, abi::exception_bit(EC_QUEUE_PACKET_UNSUPPORTED), "the ring or its read index can't be written");
    return;
  }
  uint64_t groups = launch->dispatch->group_count();
  log("gpu", Level::trace, "queue {}: dispatch {} of kernel {:#x}, {} groups", queue->id, id,
      launch->packet.kernel_object, groups);
  launch->todo.push_back({0, groups});
  uint32_t cus = queue->cu_limit ? std::min(queue->cu_limit, device.product().cus) : device.product().cus;
  launch->resident = std::max<uint64_t>(1, uint64_t{launch->dispatch->groups_per_cu()} * cus);
  queue->active.push_back(launch);
  ++active_;
  if (groups == 0) { // nothing to run, but it completes like any other
    launch->todo.clear();
    complete(*launch);
    return;
  }
  if (auto known = cost_.find(launch->packet.kernel_object); known != cost_.end()) launch->ns_per_group = known->second;
  // Unknown or long: another thread should watch the queues, and share the groups, while this one runs it.
  if (launch->ns_per_group == 0 || launch->ns_per_group * static_cast<double>(groups) > kWorthWakingNs) wake(1);
}

/// The next launch that has something to run: queues in turn, higher priorities first, but not always, so that a kernel
/// that waits for one of lower priority gets what it waits for.
std::shared_ptr<Launch> Scheduler::pick() {
  size_t n = queues_.size();
  bool by_priority = ++picks_ % 4 != 0;
  std::shared_ptr<Launch> best;
  size_t best_at = 0;
  uint32_t best_priority = 0;
  for (size_t k = 0; k < n; ++k) {
    size_t at = (turn_ + k) % n;
    Queue& queue = *queues_[at];
    if (queue.state != Queue::State::running || (best && queue.config.priority <= best_priority)) continue;
    for (auto& launch : queue.active)
      if (launch->runnable()) {
        best = launch;
        best_at = at;
        best_priority = queue.config.priority;
        // Launches of one queue take turns too.
        std::rotate(queue.active.begin(), std::find(queue.active.begin(), queue.active.end(), launch) + 1,
                    queue.active.end());
        break;
      }
    if (best && !by_priority) break;
  }
  if (best) turn_ = best_at + 1;
  return best;
}

exec::Worker* Scheduler::worker_for(Context& context, uint32_t device) {
  if (context.workers.size() <= device) context.workers.resize(devices_.size());
  auto& worker = context.workers[device];
  if (!worker) worker = devices_[device]->engine()->make_worker();
  return worker.get();
}

void Scheduler::run_slice(std::unique_lock<std::mutex>& lock, const std::shared_ptr<Launch>& launch, Context& context) {
  Launch& l = *launch;
  std::unique_ptr<exec::ParkedGroup> resumed;
  Launch::Range range{0, 0};
  bool can_start = !l.todo.empty() && l.running + l.parked.size() < l.resident;
  if (!l.parked.empty() && (l.resume_next || !can_start)) {
    resumed = std::move(l.parked.front());
    l.parked.pop_front();
    l.resume_next = false;
  } else {
    // A range that came back from a parked slice is taken first, so that groups start in order.
    Launch::Range& back = l.todo.back();
    uint64_t left = back.end - back.first;
    uint64_t n = l.ns_per_group > 0 ? static_cast<uint64_t>(kSliceNs / l.ns_per_group) : 1;
    // The last groups are spread over the workers.
    n = std::clamp<uint64_t>(n, 1, std::min(kMaxSliceGroups, left / (2 * config_.workers) + 1));
    range = {back.first, back.first + n};
    back.first += n;
    if (back.first == back.end) l.todo.pop_back();
    l.resume_next = true;
  }
  ++l.running;
  double left_ns = static_cast<double>(l.todo_groups()) * l.ns_per_group;
  if (left_ns > kWorthWakingNs)
    wake(static_cast<uint64_t>(left_ns / kWorthWakingNs));
  else if (active_ > 1)
    wake(1);
  exec::Worker* worker = worker_for(context, l.queue->device->index());

  lock.unlock();
  auto start = Clock::now();
  bool resuming = resumed != nullptr;
  exec::RunResult result =
      resuming ? worker->resume(std::move(resumed)) : worker->run(l.dispatch, range.first, range.end - range.first);
  double ns = ns_since(start);
  std::unique_ptr<exec::Halt> halt = std::move(result.halt);
  bool delivered = false;
  assert((result.state == exec::RunResult::State::halted) == (halt != nullptr) &&
         "a halt has a reason, and nothing else has one");
  if (halt && l.halted.exchange(true)) halt.reset(); // another group of this launch is being reported
  if (halt) report_halt(l, *halt, delivered);
  if (resuming && result.state == exec::RunResult::State::parked) std::this_thread::yield(); // it waits for somebody
  lock.lock();

  if (!resuming && result.state != exec::RunResult::State::halted && result.next > range.first) {
    double each = ns / static_cast<double>(result.next - range.first);
    l.ns_per_group = l.ns_per_group > 0 ? 0.75 * l.ns_per_group + 0.25 * each : std::max(each, 1.0);
  }
  --l.running;
  take_result(launch, result, resuming ? 0 : range.end);
  if (halt && l.queue->state == Queue::State::running) {
    uint64_t mask = 0;
    switch (halt->reason) {
    case exec::Halt::Reason::memory_fault:
      mask = abi::exception_bit(EC_QUEUE_WAVE_MEMORY_VIOLATION);
      break;
    case exec::Halt::Reason::illegal_instruction:
    case exec::Halt::Reason::not_implemented:
      mask = abi::exception_bit(EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION);
      break;
    case exec::Halt::Reason::trap:
      mask = abi::exception_bit(halt->trap_id == abi::kTrapAbort ? EC_QUEUE_WAVE_ABORT : EC_QUEUE_WAVE_TRAP);
      break;
    case exec::Halt::Reason::lds_out_of_range:
    case exec::Halt::Reason::stack_overflow:
      mask = abi::exception_bit(EC_QUEUE_WAVE_APERTURE_VIOLATION);
      break;
    }
    fail(*l.queue, delivered ? 0 : mask, halt->text);
  }
  if (l.finished() && !l.dropped) complete(l);
  if (l.dropped) forget_dropped(*l.queue);
  slice_done_.notify_all();
}

/// Dispatches of a failed queue go as soon as no thread is in them; those of a destroyed one are its destroyer's.
void Scheduler::forget_dropped(Queue& queue) {
  if (queue.state == Queue::State::destroyed) return;
  active_ -= static_cast<uint32_t>(std::erase_if(queue.active, [](auto& l) { return l->dropped && l->running == 0; }));
}

void Scheduler::take_result(const std::shared_ptr<Launch>& launch, exec::RunResult& result, uint64_t claimed_end) {
  instructions_ += result.instructions;
  if (launch->dropped) return;
  if (result.parked) launch->parked.push_back(std::move(result.parked));
  if (claimed_end > result.next) launch->todo.push_back({result.next, claimed_end});
}

void Scheduler::complete(Launch& launch) {
  Queue& queue = *launch.queue;
  log("gpu", Level::trace, "queue {}: dispatch {} is done", queue.id, launch.info.dispatch_id);
  if (launch.ns_per_group > 0) {
    constexpr size_t kKernelsKept = 4096;
    if (cost_.size() >= kKernelsKept) cost_.clear();
    cost_[launch.packet.kernel_object] = launch.ns_per_group;
  }
  signal_completion(launch.packet.completion_signal.handle, launch.start_ts, gpu_clock());
  --active_;
  std::erase_if(queue.active, [&](auto& l) { return l.get() == &launch; });
}

/// Section 2.4 and amd_signal_t: timestamps, then the value, then the mailbox, then the interrupt.
void Scheduler::signal_completion(uint64_t handle, uint64_t start, uint64_t end) {
  if (handle == 0) return;
  auto* signal = reinterpret_cast<abi::amd_signal_t*>(handle);
  uint64_t mailbox = 0;
  uint32_t event = 0;
  bool written = guarded([&] {
    signal->start_ts = start;
    signal->end_ts = end;
    mailbox = signal->event_mailbox_ptr;
    event = signal->event_id;
    __atomic_fetch_sub(&signal->value, 1, __ATOMIC_SEQ_CST);
    // The signal may be gone from here on: a waiter has seen its value.
    if (mailbox) __atomic_store_n(reinterpret_cast<uint64_t*>(mailbox), uint64_t{event}, __ATOMIC_RELEASE);
  });
  if (!written)
    log("gpu", Level::error, "completion signal {:#x} can't be written: it was destroyed before its packet completed",
        handle);
  else if (mailbox)
    sink_.interrupt(event);
}

void Scheduler::fail(Queue& queue, uint64_t mask, std::string why) {
  if (queue.state != Queue::State::running) return;
  log("gpu", Level::error, "queue {} stops: {}", queue.id, why);
  queue.state = Queue::State::failed;
  queue.failure = std::move(why);
  for (auto& launch : queue.active) {
    launch->dropped = true;
    launch->todo.clear();
    launch->parked.clear();
  }
  forget_dropped(queue);
  if (mask) sink_.queue_exception(queue.id, mask);
}

void Scheduler::report_halt(const Launch& launch, const exec::Halt& halt, bool& delivered) {
  const Device& device = *launch.queue->device;
  FaultContext fault;
  fault.device = device.index();
  fault.device_title = device.product().title;
  fault.target = device.product().target;
  fault.queue = launch.queue->id;
  fault.info = &launch.info;
  fault.halt = &halt;
  fault.nearest = halt.reason == exec::Halt::Reason::memory_fault ? memory_.describe(halt.address) : "";
  print_fault_report(fault);
  if (halt.reason == exec::Halt::Reason::memory_fault)
    delivered = sink_.memory_fault(device.index(), halt.address, halt.is_write);
}

// ---- who works
// -----------------------------------------------------------------------------------------------------------

void Scheduler::start_workers() {
  if (!threads_.empty()) return;
  stop_ = false;
  for (unsigned i = 0; i < config_.workers; ++i) threads_.emplace_back([this, i] { worker_main(i); });
}

void Scheduler::stop() {
  std::vector<uint32_t> ids;
  {
    std::lock_guard lock(mutex_);
    for (auto& queue : queues_) ids.push_back(queue->id);
  }
  for (uint32_t id : ids) (void)destroy_queue(id); // one that is being destroyed by another thread is fine
  std::vector<std::thread> threads;
  {
    std::lock_guard lock(mutex_);
    stop_ = true;
    threads.swap(threads_);
    more_work_.notify_all();
  }
  bell_.ring();
  for (auto& thread : threads) thread.join();
  std::unique_lock lock(mutex_);
  slice_done_.wait(lock, [&] { return helping_ == 0; }); // they find nothing to run and leave
  helpers_.clear();
}

void Scheduler::forget_engines() {
  stop(); // the workers' contexts live on their stacks
}

void Scheduler::worker_main(unsigned number) {
  segv::AltStack stack;
  pthread_setname_np(pthread_self(), fmt::format("bz-gpu-{}", number).c_str());
  // Signals of the program are for its own threads.
  sigset_t all;
  sigfillset(&all);
  for (int fault : {SIGSEGV, SIGBUS, SIGILL, SIGFPE}) sigdelset(&all, fault);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
  Context context;
  for (;;) {
    Step done = step(context);
    if (done == Step::worked) {
      std::lock_guard lock(mutex_);
      if (stop_) return;
      continue;
    }
    idle(done);
    std::lock_guard lock(mutex_);
    if (stop_) return;
  }
}

void Scheduler::wake(uint64_t threads) {
  uint64_t kick = std::min<uint64_t>(threads, sleepers_ > kicks_ ? sleepers_ - kicks_ : 0);
  for (uint64_t i = 0; i < kick; ++i) more_work_.notify_one();
  kicks_ += static_cast<uint32_t>(kick);
  if (threads > kick && poller_sleeps_) {
    poller_sleeps_ = false;
    bell_.ring();
  }
}

void Scheduler::idle(Step why) {
  {
    std::unique_lock lock(mutex_);
    if (stop_) return;
    if (polling_) {
      // Another worker polls. While kernels run it may be busy itself, so that a look now and then is needed.
      auto woken = [&] { return stop_ || kicks_ > 0; };
      ++sleepers_;
      if (active_ > 0)
        more_work_.wait_for(lock, std::chrono::milliseconds(1), woken);
      else
        more_work_.wait(lock, woken);
      --sleepers_;
      if (kicks_ > 0) --kicks_;
      return;
    }
    polling_ = true;
  }
  poll(why);
  std::lock_guard lock(mutex_);
  polling_ = false;
  poller_sleeps_ = false;
  // Whoever sleeps without a poller must take over when this one works for long: a launch in flight wakes them by time.
}

bool Scheduler::anything_ready() {
  sdma_.nudge();
  for (auto& queue : queues_) {
    if (queue->accepts()) {
      Head head = queue->look();
      if (head == Head::ready || head == Head::unreadable) return true;
    }
    for (auto& launch : queue->active)
      if (launch->runnable()) return true;
  }
  return stop_;
}

void Scheduler::poll(Step why) {
  auto start = Clock::now();
  uint32_t pause_us = 20; // for signals that the host sets: nothing wakes us for them
  for (;;) {
    while (ns_since(start) < config_.poll_us * 1000.0) {
      {
        std::unique_lock lock(mutex_, std::try_to_lock);
        if (lock && anything_ready()) return;
      }
      for (int i = 0; i < 16; ++i) _mm_pause();
    }
    uint32_t seen = bell_.value();
    // An application that took the fault signals over can't be woken by a store: then look now and then.
    bool may_cool = segv::install().ok();
    {
      std::lock_guard lock(mutex_);
      std::vector<DoorbellPage*> hot;
      for (Device* device : devices_)
        if (may_cool && device->doorbells().hot()) hot.push_back(&device->doorbells());
      if (!hot.empty()) DoorbellPage::cool(hot);
      if (anything_ready()) return;
      poller_sleeps_ = true;
      why = Step::nothing;
      for (auto& queue : queues_)
        if (queue->accepts() && queue->look() == Head::signals) why = Step::waiting;
    }
    if (why == Step::waiting || !may_cool) {
      bell_.wait(seen, pause_us);
      constexpr uint32_t kLongestPause = 500;
      pause_us = std::min(pause_us * 2, kLongestPause);
    } else {
      bell_.wait(seen, 0);
    }
    std::lock_guard lock(mutex_);
    poller_sleeps_ = false;
    if (anything_ready()) return;
    if (why == Step::nothing) start = Clock::now(); // rung for a packet that isn't complete yet: poll again
  }
}

abi::HelpResult Scheduler::help(const std::function<bool()>& done, uint32_t timeout_us) {
  std::unique_ptr<Context> context;
  {
    std::lock_guard lock(mutex_);
    if (queues_.empty()) return done() ? abi::HelpResult::satisfied : abi::HelpResult::idle;
    if (!helpers_.empty()) {
      context = std::move(helpers_.back());
      helpers_.pop_back();
    } else {
      context = std::make_unique<Context>();
    }
    ++helping_;
  }
  auto start = Clock::now();
  auto idle_since = start;
  constexpr double kIdleNs = 30'000; // others finish the last slices: their end is near
  abi::HelpResult result;
  for (;;) {
    if (done()) {
      result = abi::HelpResult::satisfied;
      break;
    }
    auto now = Clock::now();
    if (now - start >= std::chrono::microseconds(timeout_us)) {
      result = abi::HelpResult::timed_out;
      break;
    }
    if (step(*context) == Step::worked) {
      idle_since = Clock::now();
      continue;
    }
    if (ns_since(idle_since) > kIdleNs) {
      result = abi::HelpResult::idle;
      break;
    }
    for (int i = 0; i < 16; ++i) _mm_pause();
  }
  std::lock_guard lock(mutex_);
  helpers_.push_back(std::move(context));
  --helping_;
  if (anything_ready()) wake(1); // what this thread leaves unfinished, the workers may have slept through
  slice_done_.notify_all();
  return result;
}

} // namespace bz::gpu
