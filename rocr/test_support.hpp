// What the unit tests of rocr/ share: an open runtime on the fake thunk and its two agents. Test-only.
#pragma once
#include "rocr/api_types.hpp"
#include "rocr/fake_thunk.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace bz::rocr::test {

#define EXPECT_HSA(expected, ...) EXPECT_EQ(static_cast<int>(expected), static_cast<int>(__VA_ARGS__))
#define ASSERT_HSA(expected, ...) ASSERT_EQ(static_cast<int>(expected), static_cast<int>(__VA_ARGS__))

inline constexpr hsa_signal_t kNoSignal{0};
/// A handle that looks like an address but is none of ours.
inline constexpr uint64_t kForeign = 0x7fff12345640;

class OpenRuntime : public testing::Test {
protected:
  void SetUp() override {
    fake_thunk::set_limits({});
    ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_init());
    hsa_iterate_agents(
        [](hsa_agent_t agent, void* self) {
          hsa_device_type_t type;
          hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
          auto* t = static_cast<OpenRuntime*>(self);
          (type == HSA_DEVICE_TYPE_GPU ? t->gpu : t->cpu) = agent;
          return HSA_STATUS_SUCCESS;
        },
        this);
    ASSERT_NE(gpu.handle, 0u);
    ASSERT_NE(cpu.handle, 0u);
  }
  void TearDown() override {
    EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_shut_down());
    EXPECT_EQ(fake_thunk::live_allocations(), 0u) << "memory is left behind";
    EXPECT_EQ(fake_thunk::live_events(), 0u) << "events are left behind";
    EXPECT_TRUE(fake_thunk::queues().empty()) << "queues are left behind";
  }
  hsa_amd_memory_pool_t pool(hsa_agent_t agent, uint32_t flags) {
    struct Search {
      uint32_t flags;
      hsa_amd_memory_pool_t found{0};
    } search{flags};
    hsa_amd_agent_iterate_memory_pools(
        agent,
        [](hsa_amd_memory_pool_t p, void* data) {
          auto* s = static_cast<Search*>(data);
          hsa_amd_segment_t segment;
          uint32_t has = 0;
          hsa_amd_memory_pool_get_info(p, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment);
          hsa_amd_memory_pool_get_info(p, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &has);
          if (segment != HSA_AMD_SEGMENT_GLOBAL || (has & s->flags) != s->flags) return HSA_STATUS_SUCCESS;
          s->found = p;
          return HSA_STATUS_INFO_BREAK;
        },
        &search);
    return search.found;
  }
  hsa_signal_t signal(hsa_signal_value_t value) {
    hsa_signal_t s{0};
    EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_signal_create(value, 0, nullptr, &s));
    return s;
  }

  hsa_agent_t cpu{0}, gpu{0};
};

/// True once `condition()` holds, false after two seconds.
template <class F> bool soon(F condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (std::chrono::steady_clock::now() < end) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return condition();
}

} // namespace bz::rocr::test
