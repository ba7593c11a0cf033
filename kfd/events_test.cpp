#include "kfd/events.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <thread>

namespace {
using namespace bz;
using namespace bz::kfd;
using namespace std::chrono_literals;

uint32_t make(Events& events, uint32_t type = KFD_IOC_EVENT_SIGNAL, bool auto_reset = true) {
  kfd_ioctl_create_event_args args{};
  args.event_type = type;
  args.auto_reset = auto_reset;
  EXPECT_TRUE(events.create(args).ok());
  return args.event_id;
}
uint32_t wait(Events& events, std::vector<uint32_t> ids, bool all, uint32_t ms) {
  std::vector<kfd_event_data> data(ids.size());
  for (size_t i = 0; i < ids.size(); ++i) data[i].event_id = ids[i];
  uint32_t result = 99;
  (void)events.wait(data, all, ms, result).ok();
  return result;
}

TEST(Events, AutoResetIsTakenOnce) {
  Events events;
  uint32_t id = make(events);
  ASSERT_TRUE(events.set(id).ok());
  EXPECT_EQ(wait(events, {id}, false, 0), KFD_IOC_WAIT_RESULT_COMPLETE);
  EXPECT_EQ(wait(events, {id}, false, 0), KFD_IOC_WAIT_RESULT_TIMEOUT);
}

TEST(Events, ManualResetStays) {
  Events events;
  uint32_t id = make(events, KFD_IOC_EVENT_SIGNAL, false);
  ASSERT_TRUE(events.set(id).ok());
  EXPECT_EQ(wait(events, {id}, false, 0), KFD_IOC_WAIT_RESULT_COMPLETE);
  EXPECT_EQ(wait(events, {id}, false, 0), KFD_IOC_WAIT_RESULT_COMPLETE);
  ASSERT_TRUE(events.reset(id).ok());
  EXPECT_EQ(wait(events, {id}, false, 1), KFD_IOC_WAIT_RESULT_TIMEOUT);
}

TEST(Events, AllAndAny) {
  Events events;
  uint32_t a = make(events), b = make(events);
  ASSERT_TRUE(events.set(a).ok());
  EXPECT_EQ(wait(events, {a, b}, true, 0), KFD_IOC_WAIT_RESULT_TIMEOUT);
  EXPECT_EQ(wait(events, {a, b}, false, 0), KFD_IOC_WAIT_RESULT_COMPLETE) << "the failed wait gave the event back";
  ASSERT_TRUE(events.set(a).ok());
  std::thread later([&] {
    std::this_thread::sleep_for(5ms);
    events.interrupt(b);
  });
  EXPECT_EQ(wait(events, {a, b}, true, 10'000), KFD_IOC_WAIT_RESULT_COMPLETE);
  later.join();
}

TEST(Events, InterruptWithoutIdLooksAtTheSlots) {
  Events events;
  static uint64_t page[KFD_SIGNAL_EVENT_LIMIT];
  ASSERT_TRUE(events.set_page(reinterpret_cast<uint64_t>(page), sizeof page).ok());
  EXPECT_FALSE(events.set_page(reinterpret_cast<uint64_t>(page), sizeof page).ok());
  uint32_t a = make(events), b = make(events);
  page[b] = b;
  events.interrupt(0);
  EXPECT_EQ(wait(events, {a}, false, 0), KFD_IOC_WAIT_RESULT_TIMEOUT);
  EXPECT_EQ(wait(events, {b}, false, 0), KFD_IOC_WAIT_RESULT_COMPLETE);
  EXPECT_EQ(page[b], Events::kUnsignaled);
}

TEST(Events, AgeTellsThatAnEventCameBetweenTwoLooks) {
  Events events;
  uint32_t id = make(events);
  std::vector<kfd_event_data> data(1);
  data[0].event_id = id;
  data[0].signal_event_data.last_event_age = 1;
  uint32_t result = 0;
  ASSERT_TRUE(events.set(id).ok());
  ASSERT_TRUE(events.wait(data, false, 0, result).ok());
  EXPECT_EQ(result, KFD_IOC_WAIT_RESULT_COMPLETE);
  EXPECT_EQ(data[0].signal_event_data.last_event_age, 2u);
  ASSERT_TRUE(events.wait(data, false, 0, result).ok());
  EXPECT_EQ(result, KFD_IOC_WAIT_RESULT_TIMEOUT);
}

TEST(Events, DestroyWakesWaiters) {
  Events events;
  uint32_t id = make(events);
  std::atomic<bool> started{false}, failed{false};
  std::thread waiter([&] {
    std::vector<kfd_event_data> data(1);
    data[0].event_id = id;
    uint32_t result = 0;
    started = true;
    failed = events.wait(data, false, 0xffffffff, result).code() == Code::fault && result == KFD_IOC_WAIT_RESULT_FAIL;
  });
  while (!started) std::this_thread::yield();
  std::this_thread::sleep_for(50ms); // until it waits
  ASSERT_TRUE(events.destroy(id).ok());
  waiter.join();
  EXPECT_TRUE(failed);
}

TEST(Events, MemoryExceptionReachesItsListeners) {
  Events events;
  EXPECT_FALSE(events.memory_exception({})) << "nobody listens";
  uint32_t id = make(events, KFD_IOC_EVENT_MEMORY);
  EXPECT_GE(id, 0x80000000u);
  kfd_hsa_memory_exception_data fault{};
  fault.va = 0x5000;
  EXPECT_TRUE(events.memory_exception(fault));
  std::vector<kfd_event_data> data(1);
  data[0].event_id = id;
  uint32_t result = 0;
  ASSERT_TRUE(events.wait(data, false, 0, result).ok());
  EXPECT_EQ(data[0].memory_exception_data.va, 0x5000u);
  EXPECT_FALSE(events.set(id).ok()) << "only signal events are set by the CPU";
}

TEST(Events, LimitIsTheKernels) {
  Events events;
  kfd_ioctl_create_event_args args{};
  uint32_t made = 0;
  Status status;
  while ((status = events.create(args)).ok()) ++made;
  EXPECT_EQ(status.code(), Code::out_of_resources);
  EXPECT_EQ(made, KFD_SIGNAL_EVENT_LIMIT - 1);
  args.event_type = 99;
  EXPECT_EQ(events.create(args).code(), Code::invalid_argument);
}

TEST(Events, PingPongBetweenThreadsLosesNothing) {
  Events events;
  uint32_t a = make(events), b = make(events);
  constexpr int kRounds = 2000;
  std::thread other([&] {
    for (int i = 0; i < kRounds; ++i) {
      ASSERT_EQ(wait(events, {a}, false, 20'000), KFD_IOC_WAIT_RESULT_COMPLETE);
      events.interrupt(b);
    }
  });
  for (int i = 0; i < kRounds; ++i) {
    ASSERT_TRUE(events.set(a).ok());
    ASSERT_EQ(wait(events, {b}, false, 20'000), KFD_IOC_WAIT_RESULT_COMPLETE);
  }
  other.join();
}

} // namespace
