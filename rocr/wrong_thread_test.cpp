// HSA has no state of a thread: what one makes all may use, and what one destroys is gone for all, whatever they do with it
// at that moment. What is special is the runtime's own threads, on which handlers run.
#include "api/testing/bad_input.hpp"
#include "rocr/test_support.hpp"

#include <atomic>

namespace bz::rocr::test {
namespace {

using bad_input::Kind;

class WrongThread : public OpenRuntime {
protected:
  hsa_amd_memory_pool_t device_pool() { return pool(gpu, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED); }

  std::vector<Kind> kinds() {
    return {
        {"signal", [this] { return signal(1).handle; },
         [](uint64_t h) { return hsa_signal_destroy({h}); },
         [](uint64_t h) {
           volatile hsa_signal_value_t* value = nullptr;
           return hsa_amd_signal_value_pointer({h}, &value);
         }},
        {"signal group",
         [this] {
           hsa_signal_group_t group{};
           EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_signal_group_create(1, &live_, 0, nullptr, &group));
           return group.handle;
         },
         [](uint64_t h) { return hsa_signal_group_destroy({h}); },
         [](uint64_t h) {
           const hsa_signal_condition_t condition = HSA_SIGNAL_CONDITION_EQ;
           const hsa_signal_value_t compare = 1;
           hsa_signal_t which{};
           hsa_signal_value_t value = 0;
           return hsa_signal_group_wait_any_relaxed({h}, &condition, &compare, HSA_WAIT_STATE_BLOCKED, &which, &value);
         }},
        {"queue",
         [this] {
           hsa_queue_t* queue = nullptr;
           EXPECT_HSA(HSA_STATUS_SUCCESS,
                      hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &queue));
           return reinterpret_cast<uint64_t>(queue);
         },
         [](uint64_t h) { return hsa_queue_destroy(reinterpret_cast<hsa_queue_t*>(h)); },
         [](uint64_t h) {
           return hsa_amd_queue_set_priority(reinterpret_cast<hsa_queue_t*>(h), HSA_AMD_QUEUE_PRIORITY_NORMAL);
         }},
        {"executable",
         [] {
           hsa_executable_t executable{};
           EXPECT_HSA(HSA_STATUS_SUCCESS,
                      hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, nullptr, &executable));
           return executable.handle;
         },
         [](uint64_t h) { return hsa_executable_destroy({h}); },
         [](uint64_t h) {
           hsa_executable_state_t state;
           return hsa_executable_get_info({h}, HSA_EXECUTABLE_INFO_STATE, &state);
         }},
        {"memory of a pool",
         [this] {
           void* p = nullptr;
           EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_memory_pool_allocate(device_pool(), 4096, 0, &p));
           return reinterpret_cast<uint64_t>(p);
         },
         [](uint64_t h) { return hsa_amd_memory_pool_free(reinterpret_cast<void*>(h)); },
         [this](uint64_t h) { return hsa_amd_agents_allow_access(1, &gpu, nullptr, reinterpret_cast<void*>(h)); }},
        {"locked memory",
         [this] {
           static char memory[8192];
           void* p = nullptr;
           EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_memory_lock(memory, sizeof memory, &gpu, 1, &p));
           return reinterpret_cast<uint64_t>(memory);
         },
         [](uint64_t h) { return hsa_amd_memory_unlock(reinterpret_cast<void*>(h)); },
         [](uint64_t h) {
           hsa_amd_pointer_info_t info{};
           info.size = sizeof info;
           if (hsa_status_t s = hsa_amd_pointer_info(reinterpret_cast<void*>(h), &info, nullptr, nullptr, nullptr)) return s;
           return info.type == HSA_EXT_POINTER_TYPE_LOCKED ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ALLOCATION;
         }},
        {"physical memory",
         [this] {
           hsa_amd_vmem_alloc_handle_t memory{};
           EXPECT_HSA(HSA_STATUS_SUCCESS,
                      hsa_amd_vmem_handle_create(device_pool(), 2 << 20, MEMORY_TYPE_NONE, 0, &memory));
           return memory.handle;
         },
         [](uint64_t h) { return hsa_amd_vmem_handle_release({h}); },
         [](uint64_t h) {
           hsa_amd_memory_pool_t pool{};
           hsa_amd_memory_type_t type;
           return hsa_amd_vmem_get_alloc_properties_from_handle({h}, &pool, &type);
         }},
        {"reserved addresses",
         [] {
           void* p = nullptr;
           EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_vmem_address_reserve(&p, 2 << 20, 0, 0));
           return reinterpret_cast<uint64_t>(p);
         },
         [](uint64_t h) { return hsa_amd_vmem_address_free(reinterpret_cast<void*>(h), 2 << 20); },
         [](uint64_t h) {
           hsa_amd_pointer_info_t info{};
           info.size = sizeof info;
           if (hsa_status_t s = hsa_amd_pointer_info(reinterpret_cast<void*>(h), &info, nullptr, nullptr, nullptr)) return s;
           return info.type == HSA_EXT_POINTER_TYPE_RESERVED_ADDR ? HSA_STATUS_SUCCESS : HSA_STATUS_ERROR_INVALID_ALLOCATION;
         }},
    };
  }
  void SetUp() override {
    OpenRuntime::SetUp();
    live_ = signal(1);
  }
  void TearDown() override {
    hsa_signal_destroy(live_);
    OpenRuntime::TearDown();
  }
  hsa_signal_t live_{};
};

TEST_F(WrongThread, ObjectsAreGoneForAll) {
  for (const Kind& kind : kinds()) bad_input::expect_gone_for_all(kind);
}
TEST_F(WrongThread, ObjectsHaveOneDestroyer) {
  for (const Kind& kind : kinds()) bad_input::expect_one_destroyer(kind);
}
TEST_F(WrongThread, ObjectsOutliveTheirUses) {
  for (const Kind& kind : kinds()) bad_input::expect_uses_outlived(kind);
}

TEST_F(WrongThread, TheLastShutDownMayBeAnotherThreads) {
  for (int i = 0; i < 3; ++i)
    std::thread([] { EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_init()); }).join();
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back([] { EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_shut_down()); });
  for (auto& t : threads) t.join();
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_signal_destroy(signal(0))) << "one user is left";
}

// On the runtime's own thread: a handler may destroy its signal and make others, in any order.
TEST_F(WrongThread, AHandlerDestroysItsOwnSignal) {
  struct State {
    hsa_signal_t signal;
    std::atomic<int> destroyed{-1}, again{-1};
  } state{signal(1)};
  const auto handler = [](hsa_signal_value_t, void* data) {
    auto& s = *static_cast<State*>(data);
    s.destroyed = hsa_signal_destroy(s.signal);
    s.again = hsa_signal_destroy(s.signal);
    return false;
  };
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_amd_signal_async_handler(state.signal, HSA_SIGNAL_CONDITION_LT, 1, handler, &state));
  hsa_signal_store_screlease(state.signal, 0);
  ASSERT_TRUE(soon([&] { return state.again != -1; }));
  EXPECT_EQ(state.destroyed, HSA_STATUS_SUCCESS);
  EXPECT_EQ(state.again, HSA_STATUS_ERROR_INVALID_SIGNAL);
}

} // namespace
} // namespace bz::rocr::test
