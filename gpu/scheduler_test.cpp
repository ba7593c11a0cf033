#include "gpu/device.hpp"
#include "gpu/fake_engine.hpp"

#include "abi/queue.hpp"

#include <chrono>
#include <condition_variable>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <thread>

namespace {
using namespace bz;
using namespace bz::gpu;
using namespace std::chrono_literals;
namespace abi = bz::abi; // <cxxabi.h> has another one

struct TestSink : Sink {
  std::mutex m;
  std::condition_variable cv;
  std::vector<uint32_t> interrupts;
  uint64_t exception = 0;
  uint64_t fault_address = 0;
  bool listen_to_faults = false;
  void interrupt(uint32_t event) override {
    std::lock_guard lock(m);
    interrupts.push_back(event);
    cv.notify_all();
  }
  bool memory_fault(uint32_t, uint64_t address, bool) override {
    std::lock_guard lock(m);
    fault_address = address;
    cv.notify_all();
    return listen_to_faults;
  }
  void queue_exception(uint32_t, uint64_t mask) override {
    std::lock_guard lock(m);
    exception |= mask;
    cv.notify_all();
  }
  template <class F> bool wait(F f) {
    std::unique_lock lock(m);
    return cv.wait_for(lock, 20s, f);
  }
};

/// A queue as a client makes it.
struct ClientQueue {
  static constexpr uint32_t kPackets = 64;
  alignas(4096) abi::hsa_kernel_dispatch_packet_t ring[kPackets];
  abi::amd_queue_t queue{};
  uint64_t* doorbell = nullptr;
  uint32_t id = 0;
  DeviceSet& set;

  explicit ClientQueue(DeviceSet& s, uint32_t priority = 7) : set(s) {
    for (auto& p : ring) p.header = abi::HSA_PACKET_TYPE_INVALID;
    QueueConfig config;
    config.ring = reinterpret_cast<uint64_t>(ring);
    config.ring_bytes = sizeof ring;
    config.read_pointer = reinterpret_cast<uint64_t>(&queue.read_dispatch_id);
    config.write_pointer = reinterpret_cast<uint64_t>(&queue.write_dispatch_id);
    config.priority = priority;
    auto made = set.create_queue(config);
    EXPECT_TRUE(made.ok()) << made.status().message();
    id = *made;
    auto view = set.device(0).doorbells().map(nullptr, DoorbellPage::kBytes, false);
    doorbell = static_cast<uint64_t*>(*view) + *set.scheduler().doorbell_slot(id);
  }
  ~ClientQueue() { (void)set.scheduler().destroy_queue(id); }

  /// Producers may do this at the same time.
  void ring_bell(uint64_t index) { __atomic_store_n(doorbell, index, __ATOMIC_RELEASE); }
  template <class P> uint64_t put(P packet, uint16_t header, bool bell = true) {
    uint64_t index = __atomic_fetch_add(&queue.write_dispatch_id, 1, __ATOMIC_RELAXED);
    while (index - __atomic_load_n(&queue.read_dispatch_id, __ATOMIC_ACQUIRE) >= kPackets) std::this_thread::yield();
    auto* slot = reinterpret_cast<char*>(&ring[index % kPackets]);
    memcpy(slot + 2, reinterpret_cast<char*>(&packet) + 2, 62);
    __atomic_store_n(reinterpret_cast<uint16_t*>(slot), header, __ATOMIC_RELEASE);
    if (bell) ring_bell(index);
    return index;
  }
  uint64_t dispatch(const fake::Kernel& kernel, uint32_t groups, abi::amd_signal_t* done, bool barrier = false) {
    abi::hsa_kernel_dispatch_packet_t p{};
    p.setup = 1;
    p.workgroup_size_x = 64;
    p.grid_size_x = groups * 64;
    p.kernel_object = kernel.object();
    p.completion_signal = {reinterpret_cast<uint64_t>(done)};
    return put(p, abi::packet_header(abi::HSA_PACKET_TYPE_KERNEL_DISPATCH, barrier, abi::HSA_FENCE_SCOPE_SYSTEM,
                                     abi::HSA_FENCE_SCOPE_SYSTEM));
  }
};

abi::amd_signal_t make_signal(int64_t value) {
  abi::amd_signal_t s{};
  s.kind = abi::AMD_SIGNAL_KIND_USER;
  s.value = value;
  return s;
}

bool wait_value(const abi::amd_signal_t& s, int64_t value) {
  auto end = std::chrono::steady_clock::now() + 20s;
  while (__atomic_load_n(&s.value, __ATOMIC_ACQUIRE) != value)
    if (std::chrono::steady_clock::now() > end)
      return false;
    else
      std::this_thread::sleep_for(20us);
  return true;
}

class Scheduling : public testing::TestWithParam<unsigned> {
protected:
  void SetUp() override {
    auto products = parse_gpus("gfx942,cus=4,memory=1G", Machine{.threads = 4, .memory_bytes = 4ull << 30});
    ASSERT_TRUE(products.ok());
    DeviceSetConfig config;
    config.products = *products;
    config.engine = fake::make;
    config.host_bytes = 1ull << 30;
    config.workers = GetParam();
    auto made = DeviceSet::create(std::move(config), sink);
    ASSERT_TRUE(made.ok()) << made.status().message();
    set = std::move(*made);
  }
  TestSink sink;
  std::unique_ptr<DeviceSet> set;
};

TEST_P(Scheduling, RunsEveryGroupOnceAndSignals) {
  ClientQueue q(*set);
  constexpr uint32_t kGroups = 10000;
  std::vector<std::atomic<int>> ran(kGroups);
  fake::Kernel k{.body = [&](auto&, uint64_t g) {
    ++ran[g];
    return fake::finish();
  }};
  auto done = make_signal(1);
  q.dispatch(k, kGroups, &done);
  ASSERT_TRUE(wait_value(done, 0));
  for (auto& r : ran) EXPECT_EQ(r, 1);
  EXPECT_GE(done.end_ts, done.start_ts);
  EXPECT_GT(done.start_ts, 0u);
  EXPECT_EQ(q.queue.read_dispatch_id, 1u);
  EXPECT_EQ(q.ring[0].header, abi::HSA_PACKET_TYPE_INVALID) << "the slot is given back";
}

TEST_P(Scheduling, KernelSeesItsPacketAndQueue) {
  ClientQueue q(*set);
  uint64_t queue_address = 0, id = 99;
  bool packet_right = false;
  fake::Kernel k;
  k.body = [&](const exec::DispatchInfo& info, uint64_t) {
    queue_address = info.queue_address;
    id = info.dispatch_id;
    auto* p = reinterpret_cast<const abi::hsa_kernel_dispatch_packet_t*>(info.packet_address);
    packet_right = p->kernel_object == k.object() && p->grid_size_x == 64 && info.packet_address % 64 == 0;
    return fake::finish();
  };
  auto done = make_signal(1);
  q.dispatch(k, 1, &done);
  ASSERT_TRUE(wait_value(done, 0));
  EXPECT_EQ(queue_address, reinterpret_cast<uint64_t>(&q.queue));
  EXPECT_EQ(id, 0u);
  EXPECT_TRUE(packet_right);
}

TEST_P(Scheduling, BarrierBitOrders) {
  ClientQueue q(*set);
  std::atomic<int> finished{0}, early{0};
  fake::Kernel slow{.body = [&](auto&, uint64_t) {
    std::this_thread::sleep_for(2ms);
    ++finished;
    return fake::finish();
  }};
  fake::Kernel after{.body = [&](auto&, uint64_t) {
    if (finished != 8) ++early;
    return fake::finish();
  }};
  auto done = make_signal(1);
  q.dispatch(slow, 8, nullptr);
  q.dispatch(after, 4, &done, true);
  ASSERT_TRUE(wait_value(done, 0));
  EXPECT_EQ(early, 0);
}

TEST_P(Scheduling, TwoQueuesWhoseKernelsWaitForEachOther) {
  ClientQueue a(*set), b(*set);
  std::atomic<int> token{0};
  auto waits = [&](int mine) {
    return [&token, mine](auto&, uint64_t) {
      if (token.load() % 2 != mine) return fake::park();
      return ++token < 20 ? fake::park() : fake::finish();
    };
  };
  fake::Kernel ka{.body = waits(0)}, kb{.body = waits(1)};
  // Each hands the token over and goes on waiting; both end when it is worn out.
  ka.body = [&](auto&, uint64_t) {
    int t = token;
    if (t >= 20) return fake::finish();
    if (t % 2 == 0) ++token;
    return fake::park();
  };
  kb.body = [&](auto&, uint64_t) {
    int t = token;
    if (t >= 20) return fake::finish();
    if (t % 2 == 1) ++token;
    return fake::park();
  };
  auto da = make_signal(1), db = make_signal(1);
  a.dispatch(ka, 1, &da);
  b.dispatch(kb, 1, &db);
  EXPECT_TRUE(wait_value(da, 0));
  EXPECT_TRUE(wait_value(db, 0));
}

TEST_P(Scheduling, LowPriorityKernelIsNotStarvedByASpinningOne) {
  ClientQueue high(*set, 15), low(*set, 0);
  std::atomic<bool> flag{false};
  fake::Kernel spin{.body = [&](auto&, uint64_t) { return flag ? fake::finish() : fake::park(); }};
  fake::Kernel set_flag{.body = [&](auto&, uint64_t) {
    flag = true;
    return fake::finish();
  }};
  auto a = make_signal(1), b = make_signal(1);
  high.dispatch(spin, 64, &a);
  low.dispatch(set_flag, 1, &b);
  EXPECT_TRUE(wait_value(b, 0));
  EXPECT_TRUE(wait_value(a, 0));
}

TEST_P(Scheduling, GridBarrierNeedsAllGroupsResident) {
  ClientQueue q(*set);
  constexpr uint32_t kGroups = 32; // 4 CUs x 8
  std::atomic<uint32_t> arrived{0};
  std::vector<std::atomic<bool>> here(kGroups);
  fake::Kernel k{.body = [&](auto&, uint64_t g) {
    if (!here[g].exchange(true)) ++arrived;
    return arrived == kGroups ? fake::finish() : fake::park();
  }};
  auto done = make_signal(1);
  q.dispatch(k, kGroups, &done);
  EXPECT_TRUE(wait_value(done, 0));
}

TEST_P(Scheduling, NoMoreGroupsResidentThanFit) {
  ClientQueue q(*set);
  std::atomic<int> started{0};
  std::atomic<bool> go{false};
  std::vector<std::atomic<bool>> here(100);
  fake::Kernel k{.body = [&](auto&, uint64_t g) {
    if (!here[g].exchange(true)) ++started;
    return go ? fake::finish() : fake::park();
  }};
  auto done = make_signal(1);
  q.dispatch(k, 100, &done);
  auto end = std::chrono::steady_clock::now() + 20s;
  while (started < 32 && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(1ms);
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(started, 32) << "4 CUs x 8 groups";
  go = true;
  EXPECT_TRUE(wait_value(done, 0));
}

TEST_P(Scheduling, KernelSpinsOnAFlagThatTheHostSetsLater) {
  ClientQueue q(*set);
  std::atomic<bool> flag{false};
  fake::Kernel k{.body = [&](auto&, uint64_t) { return flag ? fake::finish() : fake::park(); }};
  auto done = make_signal(1);
  q.dispatch(k, 3, &done);
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(done.value, 1);
  flag = true;
  EXPECT_TRUE(wait_value(done, 0));
}

TEST_P(Scheduling, BarrierPacketsWaitForSignals) {
  ClientQueue q(*set);
  auto x = make_signal(1), y = make_signal(1), and_done = make_signal(1), or_done = make_signal(1);
  abi::hsa_barrier_and_packet_t p{};
  p.dep_signal[0] = {reinterpret_cast<uint64_t>(&x)};
  p.dep_signal[3] = {reinterpret_cast<uint64_t>(&y)};
  p.completion_signal = {reinterpret_cast<uint64_t>(&or_done)};
  q.put(p, abi::HSA_PACKET_TYPE_BARRIER_OR);
  p.completion_signal = {reinterpret_cast<uint64_t>(&and_done)};
  q.put(p, abi::HSA_PACKET_TYPE_BARRIER_AND);
  std::this_thread::sleep_for(20ms);
  EXPECT_EQ(or_done.value, 1);
  __atomic_store_n(&y.value, 0, __ATOMIC_RELEASE);
  EXPECT_TRUE(wait_value(or_done, 0));
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(and_done.value, 1);
  // A dependency seen at 0 counts, even if it is armed again.
  __atomic_store_n(&y.value, 1, __ATOMIC_RELEASE);
  __atomic_store_n(&x.value, 0, __ATOMIC_RELEASE);
  EXPECT_TRUE(wait_value(and_done, 0));
}

TEST_P(Scheduling, BarrierValuePacketsCompareUnderAMask) {
  ClientQueue q(*set);
  auto x = make_signal(0x103);
  struct Case {
    uint32_t cond;
    int64_t value, before, after; // the condition is false for x = before and true for x = after
  };
  for (const Case& c : {Case{abi::HSA_SIGNAL_CONDITION_EQ, 4, 0x103, 0x104},
                        {abi::HSA_SIGNAL_CONDITION_NE, 3, 0x103, 0x104},
                        {abi::HSA_SIGNAL_CONDITION_LT, 3, 0x103, 0x502},
                        {abi::HSA_SIGNAL_CONDITION_GTE, 4, 0x103, 0x105}}) {
    __atomic_store_n(&x.value, c.before, __ATOMIC_RELEASE);
    auto done = make_signal(1);
    abi::hsa_amd_barrier_value_packet_t p{};
    p.AmdFormat = abi::HSA_AMD_PACKET_TYPE_BARRIER_VALUE;
    p.signal = {reinterpret_cast<uint64_t>(&x)};
    p.value = c.value;
    p.mask = 0xff;
    p.cond = c.cond;
    p.completion_signal = {reinterpret_cast<uint64_t>(&done)};
    q.put(p, abi::HSA_PACKET_TYPE_VENDOR_SPECIFIC);
    std::this_thread::sleep_for(5ms);
    EXPECT_EQ(__atomic_load_n(&done.value, __ATOMIC_ACQUIRE), 1) << c.cond;
    __atomic_store_n(&x.value, c.after, __ATOMIC_RELEASE);
    EXPECT_TRUE(wait_value(done, 0)) << c.cond;
  }
}

TEST_P(Scheduling, MailboxAndInterrupt) {
  ClientQueue q(*set);
  uint64_t mailbox = 0;
  auto done = make_signal(1);
  done.event_mailbox_ptr = reinterpret_cast<uint64_t>(&mailbox);
  done.event_id = 77;
  fake::Kernel k{.body = [](auto&, uint64_t) { return fake::finish(); }};
  q.dispatch(k, 1, &done);
  ASSERT_TRUE(sink.wait([&] { return !sink.interrupts.empty(); }));
  EXPECT_EQ(sink.interrupts[0], 77u);
  EXPECT_EQ(mailbox, 77u);
  EXPECT_EQ(done.value, 0);
}

TEST_P(Scheduling, SleepingDeviceWakesUpOnADoorbell) {
  ClientQueue q(*set);
  fake::Kernel k{.body = [](auto&, uint64_t) { return fake::finish(); }};
  for (int i = 0; i < 30; ++i) {
    auto done = make_signal(1);
    auto end = std::chrono::steady_clock::now() + 5s;
    while (set->device(0).doorbells().hot() && std::chrono::steady_clock::now() < end)
      std::this_thread::sleep_for(50us);
    EXPECT_FALSE(set->device(0).doorbells().hot()) << "idle workers let the page cool";
    q.dispatch(k, 1, &done);
    ASSERT_TRUE(wait_value(done, 0));
  }
}

TEST_P(Scheduling, RingWrapsAndProducersRace) {
  ClientQueue q(*set);
  std::atomic<int> ran{0};
  fake::Kernel k{.body = [&](auto&, uint64_t) {
    ++ran;
    return fake::finish();
  }};
  constexpr int kThreads = 3, kEach = 500;
  auto done = make_signal(kThreads * kEach);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i) q.dispatch(k, 2, &done);
    });
  for (auto& t : threads) t.join();
  EXPECT_TRUE(wait_value(done, 0));
  EXPECT_EQ(ran, kThreads * kEach * 2);
}

TEST_P(Scheduling, PacketWrittenBeforeTheDoorbellWaitsForIt) {
  ClientQueue q(*set);
  std::atomic<int> ran{0};
  fake::Kernel k{.body = [&](auto&, uint64_t) {
    ++ran;
    return fake::finish();
  }};
  abi::hsa_kernel_dispatch_packet_t p{};
  p.setup = 1;
  p.workgroup_size_x = p.grid_size_x = 64;
  p.kernel_object = k.object();
  auto done = make_signal(1);
  p.completion_signal = {reinterpret_cast<uint64_t>(&done)};
  uint64_t index = q.put(p, abi::HSA_PACKET_TYPE_KERNEL_DISPATCH, false);
  std::this_thread::sleep_for(10ms);
  EXPECT_EQ(ran, 0);
  q.ring_bell(index);
  EXPECT_TRUE(wait_value(done, 0));
}

TEST_P(Scheduling, MemoryFaultStopsTheQueueAndIsReported) {
  ClientQueue q(*set), other(*set);
  fake::Kernel bad{.body = [](auto&, uint64_t g) {
    if (g != 5) return fake::finish();
    fake::Outcome o{fake::Outcome::Kind::halt, {}};
    o.halt.reason = exec::Halt::Reason::memory_fault;
    o.halt.address = 0x123000;
    o.halt.lane = 3;
    return o;
  }};
  auto done = make_signal(1);
  testing::internal::CaptureStderr();
  q.dispatch(bad, 16, &done);
  ASSERT_TRUE(sink.wait([&] { return sink.exception != 0; }));
  EXPECT_EQ(sink.fault_address, 0x123000u);
  EXPECT_EQ(sink.exception, abi::exception_bit(EC_QUEUE_WAVE_MEMORY_VIOLATION))
      << "nobody listened to the memory event";
  std::string why;
  EXPECT_TRUE(set->scheduler().failed(q.id, why));
  std::string report = testing::internal::GetCapturedStderr();
  EXPECT_NE(report.find("0x123000"), std::string::npos) << report;
  EXPECT_NE(report.find("lane 3"), std::string::npos) << report;
  EXPECT_EQ(done.value, 1) << "a failed dispatch doesn't complete";
  fake::Kernel good{.body = [](auto&, uint64_t) { return fake::finish(); }};
  auto fine = make_signal(1);
  other.dispatch(good, 1, &fine);
  EXPECT_TRUE(wait_value(fine, 0)) << "other queues go on";
}

TEST_P(Scheduling, OneReportForALaunchWhoseGroupsAllFail) {
  ClientQueue q(*set);
  fake::Kernel bad{.body = [](auto&, uint64_t) {
    std::this_thread::sleep_for(2ms); // so that several workers are in it
    fake::Outcome o{fake::Outcome::Kind::halt, {}};
    o.halt.reason = exec::Halt::Reason::trap;
    o.halt.trap_id = abi::kTrapAbort;
    return o;
  }};
  testing::internal::CaptureStderr();
  q.dispatch(bad, 32, nullptr);
  ASSERT_TRUE(sink.wait([&] { return sink.exception != 0; }));
  EXPECT_TRUE(set->scheduler().destroy_queue(q.id).ok());
  std::string text = testing::internal::GetCapturedStderr();
  size_t reports = 0;
  for (size_t at = 0; (at = text.find("boltzmann: GPU trap", at)) != std::string::npos; ++at) ++reports;
  EXPECT_EQ(reports, 1u) << text;
  EXPECT_EQ(sink.exception, abi::exception_bit(EC_QUEUE_WAVE_ABORT));
}

TEST_P(Scheduling, BadPacketsFailByName) {
  struct Case {
    std::function<void(abi::hsa_kernel_dispatch_packet_t&)> spoil;
    uint16_t header;
    kfd_dbg_trap_exception_code code;
  };
  fake::Kernel k{.body = [](auto&, uint64_t) { return fake::finish(); }};
  constexpr uint16_t kDispatch = abi::HSA_PACKET_TYPE_KERNEL_DISPATCH;
  const Case cases[] = {
      {[](auto& p) { p.setup = 0; }, kDispatch, EC_QUEUE_PACKET_DISPATCH_DIM_INVALID},
      {[](auto& p) { p.grid_size_x = 0; }, kDispatch, EC_QUEUE_PACKET_DISPATCH_DIM_INVALID},
      {[](auto& p) { p.workgroup_size_x = 1025; }, kDispatch, EC_QUEUE_PACKET_DISPATCH_WORK_GROUP_SIZE_INVALID},
      {[](auto& p) { p.group_segment_size = 1 << 20; }, kDispatch, EC_QUEUE_PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID},
      {[](auto& p) { p.kernel_object = 0; }, kDispatch, EC_QUEUE_PACKET_DISPATCH_CODE_INVALID},
      {[](auto& p) { p.kernel_object = 0x10; }, kDispatch, EC_QUEUE_PACKET_DISPATCH_CODE_INVALID},
      {[](auto&) {}, abi::HSA_PACKET_TYPE_AGENT_DISPATCH, EC_QUEUE_PACKET_UNSUPPORTED},
      {[](auto&) {}, abi::HSA_PACKET_TYPE_VENDOR_SPECIFIC, EC_QUEUE_PACKET_VENDOR_UNSUPPORTED},
      {[](auto&) {}, 9, EC_QUEUE_PACKET_RESERVED},
  };
  for (const Case& c : cases) {
    ClientQueue q(*set);
    sink.exception = 0;
    abi::hsa_kernel_dispatch_packet_t p{};
    p.setup = 1;
    p.workgroup_size_x = 64;
    p.grid_size_x = 64;
    p.kernel_object = k.object();
    c.spoil(p);
    q.put(p, c.header);
    ASSERT_TRUE(sink.wait([&] { return sink.exception != 0; })) << c.code;
    EXPECT_EQ(sink.exception, abi::exception_bit(c.code));
    std::string why;
    EXPECT_TRUE(set->scheduler().failed(q.id, why));
    EXPECT_FALSE(why.empty());
  }
}

TEST_P(Scheduling, RingThatGoesAwayIsAnError) {
  auto* ring = static_cast<abi::hsa_kernel_dispatch_packet_t*>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  abi::amd_queue_t queue{};
  QueueConfig config;
  config.ring = reinterpret_cast<uint64_t>(ring);
  config.ring_bytes = 4096;
  config.read_pointer = reinterpret_cast<uint64_t>(&queue.read_dispatch_id);
  config.write_pointer = reinterpret_cast<uint64_t>(&queue.write_dispatch_id);
  auto id = set->create_queue(config);
  ASSERT_TRUE(id.ok());
  auto* bells = static_cast<volatile uint64_t*>(*set->device(0).doorbells().map(nullptr, 4096, false));
  munmap(ring, 4096);
  bells[*set->scheduler().doorbell_slot(*id)] = 0;
  EXPECT_TRUE(sink.wait([&] { return sink.exception != 0; }));
  EXPECT_TRUE(set->scheduler().destroy_queue(*id).ok());
}

TEST_P(Scheduling, HelpingThreadRunsTheWork) {
  ClientQueue q(*set);
  std::atomic<int> mine{0};
  auto me = std::this_thread::get_id();
  fake::Kernel k{.body = [&](auto&, uint64_t) {
    if (std::this_thread::get_id() == me) ++mine;
    return fake::finish();
  }};
  auto satisfied = [&](abi::amd_signal_t& s) {
    return [&s] { return __atomic_load_n(&s.value, __ATOMIC_ACQUIRE) == 0; };
  };
  for (int i = 0; i < 200; ++i) {
    auto done = make_signal(1);
    q.dispatch(k, 50, &done);
    auto result = set->scheduler().help(satisfied(done), 5'000'000);
    if (result == abi::HelpResult::idle)
      ASSERT_TRUE(wait_value(done, 0)); // another thread runs the end of it
    else
      EXPECT_EQ(result, abi::HelpResult::satisfied);
  }
  EXPECT_GT(mine, 0);
  auto never = make_signal(1);
  EXPECT_EQ(set->scheduler().help(satisfied(never), 5'000'000), abi::HelpResult::idle) << "nothing to run";
  fake::Kernel spin{.body = [&](auto&, uint64_t) {
    return __atomic_load_n(&never.value, __ATOMIC_ACQUIRE) ? fake::park() : fake::finish();
  }};
  auto done = make_signal(1);
  q.dispatch(spin, 1, &done);
  // With other workers it can be in their hands all the time.
  auto result = set->scheduler().help(satisfied(done), 3000);
  EXPECT_NE(result, abi::HelpResult::satisfied);
  __atomic_store_n(&never.value, 0, __ATOMIC_RELEASE);
  EXPECT_TRUE(wait_value(done, 0));
}

TEST_P(Scheduling, DestroyWithASpinningKernelReturns) {
  auto q = std::make_unique<ClientQueue>(*set);
  fake::Kernel k{.body = [](auto&, uint64_t) { return fake::park(); }};
  q->dispatch(k, 8, nullptr);
  std::this_thread::sleep_for(5ms);
  uint32_t id = q->id;
  q.reset();
  EXPECT_EQ(set->scheduler().destroy_queue(id).code(), Code::invalid_handle);
  EXPECT_EQ(set->scheduler().queue_count(), 0u);
}

TEST_P(Scheduling, DisabledQueueWaitsUntilEnabled) {
  ClientQueue q(*set);
  auto config = *set->scheduler().queue_config(q.id);
  ASSERT_TRUE(set->scheduler().update_queue(q.id, 0, 0, 0, 7).ok());
  fake::Kernel k{.body = [](auto&, uint64_t) { return fake::finish(); }};
  auto done = make_signal(1);
  q.dispatch(k, 1, &done);
  std::this_thread::sleep_for(10ms);
  EXPECT_EQ(done.value, 1);
  ASSERT_TRUE(set->scheduler().update_queue(q.id, config.ring, config.ring_bytes, 100, 7).ok());
  EXPECT_TRUE(wait_value(done, 0));
}

TEST_P(Scheduling, BadQueuesAreRefused) {
  QueueConfig config;
  alignas(64) static char ring[4096];
  alignas(8) static uint64_t indices[2];
  config.ring = reinterpret_cast<uint64_t>(ring);
  config.ring_bytes = 4096;
  config.read_pointer = config.write_pointer = reinterpret_cast<uint64_t>(indices);
  auto with = [&](auto change) {
    QueueConfig c = config;
    change(c);
    return set->create_queue(c).status().code();
  };
  EXPECT_EQ(with([](auto& c) { c.device = 7; }), Code::invalid_argument);
  EXPECT_EQ(with([](auto& c) { c.ring_bytes = 100; }), Code::invalid_argument);
  EXPECT_EQ(with([](auto& c) { c.ring += 8; }), Code::invalid_argument);
  EXPECT_EQ(with([](auto& c) { c.ring = 0x1000; }), Code::fault);
  EXPECT_EQ(with([](auto& c) { c.write_pointer = 8; }), Code::fault);
}

TEST_P(Scheduling, ResetWithWorkInFlightAndStartAgain) {
  for (int round = 0; round < 3; ++round) {
    ClientQueue q(*set);
    fake::Kernel k{.body = [](auto&, uint64_t) { return fake::park(); }};
    q.dispatch(k, 8, nullptr);
    set->reset();
    EXPECT_EQ(set->scheduler().queue_count(), 0u);
  }
  ClientQueue q(*set);
  fake::Kernel k{.body = [](auto&, uint64_t) { return fake::finish(); }};
  auto done = make_signal(1);
  q.dispatch(k, 1, &done);
  EXPECT_TRUE(wait_value(done, 0));
}

INSTANTIATE_TEST_SUITE_P(Workers, Scheduling, testing::Values(1u, 2u, 5u),
                         [](auto& i) { return std::to_string(i.param); });

} // namespace
