// Signals: operations, waits and wake-ups, groups, handlers, bad handles.
#include "hsa/amd_hsa_signal.h"
#include "rocr/test_support.hpp"

#include <atomic>

namespace bz::rocr::test {
namespace {

class Signals : public OpenRuntime {
protected:
  void SetUp() override {
    fake_thunk::allow_help(true);
    OpenRuntime::SetUp();
  }
};

TEST_F(Signals, AWaiterHelpsBeforeItSleeps) {
  const hsa_signal_t s = signal(1);
  const uint32_t before = fake_thunk::help_calls();
  hsa_signal_wait_scacquire(s, HSA_SIGNAL_CONDITION_EQ, 0, 5'000'000, HSA_WAIT_STATE_BLOCKED);
  EXPECT_GT(fake_thunk::help_calls(), before);
  hsa_signal_destroy(s);
}

TEST_F(Signals, Operations) {
  const hsa_signal_t s = signal(10);
  EXPECT_EQ(hsa_signal_load_relaxed(s), 10);
  hsa_signal_store_screlease(s, -3);
  EXPECT_EQ(hsa_signal_load_scacquire(s), -3);
  hsa_signal_add_scacq_screl(s, 5);
  EXPECT_EQ(hsa_signal_load_acquire(s), 2);
  hsa_signal_subtract_relaxed(s, 1);
  hsa_signal_or_release(s, 6);
  hsa_signal_and_scacquire(s, 5);
  hsa_signal_xor_acq_rel(s, 15);
  EXPECT_EQ(hsa_signal_load_relaxed(s), ((1 | 6) & 5) ^ 15);
  EXPECT_EQ(hsa_signal_exchange_relaxed(s, 40), ((1 | 6) & 5) ^ 15);
  EXPECT_EQ(hsa_signal_cas_scacq_screl(s, 41, 7), 40);
  EXPECT_EQ(hsa_signal_load_relaxed(s), 40);
  EXPECT_EQ(hsa_signal_cas_relaxed(s, 40, 7), 40);
  EXPECT_EQ(hsa_signal_load_relaxed(s), 7);
  hsa_signal_silent_store_relaxed(s, 9);
  volatile hsa_signal_value_t* value = nullptr;
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_amd_signal_value_pointer(s, &value));
  EXPECT_EQ(*value, 9);
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_signal_destroy(s));
}

TEST_F(Signals, CreationChecks) {
  hsa_signal_t s{0};
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_signal_create(0, 0, nullptr, nullptr));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_signal_create(0, 1, nullptr, &s));
  const hsa_agent_t twice[] = {gpu, gpu};
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_signal_create(0, 2, twice, &s));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_signal_create(0, 0, nullptr, 0x80, &s));
  // A signal for GPUs alone has no event that the device would have to raise.
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_signal_create(0, 1, &gpu, &s));
  EXPECT_EQ(reinterpret_cast<amd_signal_t*>(s.handle)->event_mailbox_ptr, 0u);
  hsa_signal_destroy(s);
  s = signal(1);
  EXPECT_NE(reinterpret_cast<amd_signal_t*>(s.handle)->event_mailbox_ptr, 0u);
  EXPECT_EQ(reinterpret_cast<amd_signal_t*>(s.handle)->kind, AMD_SIGNAL_KIND_USER);
  hsa_signal_destroy(s);
}

TEST_F(Signals, BadHandles) {
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_signal_destroy({0}));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_SIGNAL, hsa_signal_destroy({kForeign}));
  const hsa_signal_t s = signal(1);
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_SIGNAL, hsa_signal_destroy({s.handle + 8}));
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_signal_destroy(s));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_SIGNAL, hsa_signal_destroy(s));
}

TEST_F(Signals, LateUseOfADestroyedSignalIsTold) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        const hsa_signal_t s = signal(1);
        hsa_signal_destroy(s);
        hsa_signal_store_relaxed(s, 2);
      },
      "hsa_signal_store_relaxed: signal .* was destroyed");
  EXPECT_DEATH(hsa_signal_load_relaxed({0}), "hsa_signal_load_relaxed: signal 0x0 is null");
}

TEST_F(Signals, WaitEndsByEachCondition) {
  const hsa_signal_t s = signal(5);
  EXPECT_EQ(hsa_signal_wait_scacquire(s, HSA_SIGNAL_CONDITION_EQ, 5, 0, HSA_WAIT_STATE_BLOCKED), 5);
  EXPECT_EQ(hsa_signal_wait_relaxed(s, HSA_SIGNAL_CONDITION_NE, 4, UINT64_MAX, HSA_WAIT_STATE_ACTIVE), 5);
  EXPECT_EQ(hsa_signal_wait_relaxed(s, HSA_SIGNAL_CONDITION_LT, 6, UINT64_MAX, HSA_WAIT_STATE_BLOCKED), 5);
  EXPECT_EQ(hsa_signal_wait_acquire(s, HSA_SIGNAL_CONDITION_GTE, 5, UINT64_MAX, HSA_WAIT_STATE_BLOCKED), 5);
  hsa_signal_destroy(s);
}

TEST_F(Signals, WaitTimesOut) {
  const hsa_signal_t s = signal(1);
  for (const auto state : {HSA_WAIT_STATE_BLOCKED, HSA_WAIT_STATE_ACTIVE}) {
    uint64_t before = 0, after = 0;
    hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &before);
    EXPECT_EQ(hsa_signal_wait_scacquire(s, HSA_SIGNAL_CONDITION_EQ, 0, 20'000'000, state), 1);
    hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &after);
    EXPECT_GE(after - before, 20'000'000u);
  }
  hsa_signal_destroy(s);
}

TEST_F(Signals, AStoreByAnotherThreadWakesASleeper) {
  for (int round = 0; round < 20; ++round) {
    const hsa_signal_t s = signal(1);
    const auto start = std::chrono::steady_clock::now();
    std::thread writer([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(3));
      hsa_signal_store_relaxed(s, 0);
    });
    EXPECT_EQ(hsa_signal_wait_scacquire(s, HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED), 0);
    EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(80)) << "found by polling only";
    writer.join();
    hsa_signal_destroy(s);
  }
}

TEST_F(Signals, ADeviceWakesASleeper) {
  const hsa_signal_t s = signal(1);
  std::thread device([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    fake_thunk::finish_signal(s.handle);
  });
  EXPECT_EQ(hsa_signal_wait_scacquire(s, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED), 0);
  device.join();
  hsa_signal_destroy(s);
}

TEST_F(Signals, PingPongLosesNoWakeUp) {
  const hsa_signal_t ping = signal(0), pong = signal(0);
  constexpr int kRounds = 3000;
  std::thread other([&] {
    for (int i = 1; i <= kRounds; ++i) {
      hsa_signal_wait_scacquire(ping, HSA_SIGNAL_CONDITION_GTE, i, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
      hsa_signal_store_screlease(pong, i);
    }
  });
  const auto start = std::chrono::steady_clock::now();
  for (int i = 1; i <= kRounds; ++i) {
    hsa_signal_store_screlease(ping, i);
    hsa_signal_wait_scacquire(pong, HSA_SIGNAL_CONDITION_GTE, i, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
  }
  other.join();
  // A lost wake-up costs 100 ms; a few thousand rounds without one take well under ten seconds.
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  hsa_signal_destroy(ping);
  hsa_signal_destroy(pong);
}

TEST_F(Signals, WaitAnyAndAll) {
  hsa_signal_t list[] = {signal(1), signal(1), signal(1)};
  hsa_signal_condition_t conditions[] = {HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_EQ};
  hsa_signal_value_t values[] = {0, 0, 0}, seen[3] = {7, 7, 7};
  EXPECT_EQ(hsa_amd_signal_wait_any(3, list, conditions, values, 1'000'000, HSA_WAIT_STATE_BLOCKED, seen), UINT32_MAX);
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    hsa_signal_store_relaxed(list[2], 0);
  });
  EXPECT_EQ(hsa_amd_signal_wait_any(3, list, conditions, values, UINT64_MAX, HSA_WAIT_STATE_BLOCKED, seen), 2u);
  EXPECT_EQ(seen[0], 0);
  writer.join();
  EXPECT_EQ(hsa_amd_signal_wait_all(3, list, conditions, values, 1'000'000, HSA_WAIT_STATE_BLOCKED, seen), UINT32_MAX);
  std::thread both([&] {
    hsa_signal_store_relaxed(list[0], 0);
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    hsa_signal_subtract_relaxed(list[1], 1);
  });
  EXPECT_EQ(hsa_amd_signal_wait_all(3, list, conditions, values, UINT64_MAX, HSA_WAIT_STATE_BLOCKED, seen), 0u);
  both.join();
  for (const hsa_signal_t s : list) hsa_signal_destroy(s);
}

TEST_F(Signals, Groups) {
  const hsa_signal_t list[] = {signal(1), signal(2)};
  hsa_signal_group_t group{0};
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_signal_group_create(2, list, 0, nullptr, &group));
  const hsa_signal_condition_t conditions[] = {HSA_SIGNAL_CONDITION_EQ, HSA_SIGNAL_CONDITION_GTE};
  const hsa_signal_value_t values[] = {0, 2};
  hsa_signal_t which{0};
  hsa_signal_value_t value = 0;
  EXPECT_HSA(HSA_STATUS_SUCCESS,
             hsa_signal_group_wait_any_relaxed(group, conditions, values, HSA_WAIT_STATE_BLOCKED, &which, &value));
  EXPECT_EQ(which.handle, list[1].handle);
  EXPECT_EQ(value, 2);
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_signal_group_destroy(group));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_SIGNAL_GROUP, hsa_signal_group_destroy(group));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_signal_group_create(0, list, 0, nullptr, &group));
  for (const hsa_signal_t s : list) hsa_signal_destroy(s);
}

TEST_F(Signals, HandlersRunAndCanStay) {
  const hsa_signal_t s = signal(3);
  std::atomic<int> calls{0};
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT,
             hsa_amd_signal_async_handler(s, HSA_SIGNAL_CONDITION_LT, 3, nullptr, nullptr));
  EXPECT_HSA(
      HSA_STATUS_ERROR_INVALID_SIGNAL,
      hsa_amd_signal_async_handler({kForeign}, HSA_SIGNAL_CONDITION_LT, 3, [](auto, auto) { return false; }, nullptr));
  static hsa_signal_t self;
  self = s;
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_amd_signal_async_handler(
                                     s, HSA_SIGNAL_CONDITION_LT, 3,
                                     [](hsa_signal_value_t, void* calls) {
                                       hsa_signal_store_relaxed(self, 3);
                                       return ++*static_cast<std::atomic<int>*>(calls) < 2;
                                     },
                                     &calls));
  hsa_signal_store_relaxed(s, 0);
  EXPECT_TRUE(soon([&] { return calls == 1; }));
  fake_thunk::finish_signal(s.handle); // 3 to 2, as a device would
  EXPECT_TRUE(soon([&] { return calls == 2; }));
  hsa_signal_store_relaxed(s, 0); // the handler said that it has enough
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(calls, 2);
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_amd_async_function([](void* c) { ++*static_cast<std::atomic<int>*>(c); }, &calls));
  EXPECT_TRUE(soon([&] { return calls == 3; }));
  hsa_signal_destroy(s);
}

TEST_F(Signals, AHandlerGoesWithItsSignal) {
  // Destroyed before it fires: the handler must not fire for the next signal in the same place.
  std::atomic<int> calls{0};
  const auto count = [](hsa_signal_value_t, void* c) {
    ++*static_cast<std::atomic<int>*>(c);
    return false;
  };
  std::vector<hsa_signal_t> list;
  for (int i = 0; i < 1500; ++i) { // more than a block holds, so that places are used again
    list.push_back(signal(1));
    ASSERT_HSA(HSA_STATUS_SUCCESS,
               hsa_amd_signal_async_handler(list.back(), HSA_SIGNAL_CONDITION_EQ, 0, count, &calls));
  }
  for (const hsa_signal_t s : list) hsa_signal_destroy(s);
  for (hsa_signal_t& s : list) s = signal(0);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(calls, 0);
  for (const hsa_signal_t s : list) hsa_signal_destroy(s);
  // Destroyed by its own handler.
  static hsa_signal_t self;
  self = signal(1);
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_amd_signal_async_handler(
                                     self, HSA_SIGNAL_CONDITION_EQ, 0,
                                     [](hsa_signal_value_t, void* c) {
                                       hsa_signal_destroy(self);
                                       ++*static_cast<std::atomic<int>*>(c);
                                       return true;
                                     },
                                     &calls));
  hsa_signal_store_relaxed(self, 0);
  EXPECT_TRUE(soon([&] { return calls == 1; }));
}

TEST_F(Signals, ManyMoreThanTheDriverHasEvents) {
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_shut_down());
  fake_thunk::set_limits({.events = 40});
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_init());
  std::vector<hsa_signal_t> list;
  for (int i = 0; i < 3000; ++i) list.push_back(signal(1));
  // The last one has no event and is polled: it still wakes.
  std::thread writer([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    hsa_signal_store_relaxed(list.back(), 0);
  });
  EXPECT_EQ(hsa_signal_wait_scacquire(list.back(), HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED), 0);
  writer.join();
  for (const hsa_signal_t s : list) EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_signal_destroy(s));
}

} // namespace
} // namespace bz::rocr::test
