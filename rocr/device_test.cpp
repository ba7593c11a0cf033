// The runtime on the software device, through the library that programs link: packets, kernels, copies beside kernels,
// errors.
#define HSA_NO_DEPRECATION_WARNINGS
#include "hsa/hsa.h"
#include "hsa/hsa_ext_amd.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

namespace {

#define EXPECT_HSA(expected, ...) EXPECT_EQ(static_cast<int>(expected), static_cast<int>(__VA_ARGS__))
#define ASSERT_HSA(expected, ...) ASSERT_EQ(static_cast<int>(expected), static_cast<int>(__VA_ARGS__))

class Device : public testing::Test {
protected:
  void SetUp() override { open(); }
  void TearDown() override { EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_shut_down()); }

  void open() {
    ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_init());
    hsa_iterate_agents(
        [](hsa_agent_t agent, void* self) {
          hsa_device_type_t type;
          hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
          auto* t = static_cast<Device*>(self);
          (type == HSA_DEVICE_TYPE_GPU ? t->gpu : t->cpu) = agent;
          return HSA_STATUS_SUCCESS;
        },
        this);
    ASSERT_NE(gpu.handle, 0u);
    ASSERT_NE(cpu.handle, 0u);
    device = pool(gpu, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED);
    kernarg = pool(cpu, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT);
  }
  static hsa_amd_memory_pool_t pool(hsa_agent_t agent, uint32_t flags) {
    struct Search {
      uint32_t flags;
      hsa_amd_memory_pool_t found{0};
    } search{flags};
    hsa_amd_agent_iterate_memory_pools(
        agent,
        [](hsa_amd_memory_pool_t p, void* data) {
          auto* s = static_cast<Search*>(data);
          uint32_t has = 0;
          hsa_amd_memory_pool_get_info(p, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &has);
          if ((has & s->flags) == s->flags && !s->found.handle) s->found = p;
          return HSA_STATUS_SUCCESS;
        },
        &search);
    return search.found;
  }
  template <class T> T* allocate(hsa_amd_memory_pool_t from, size_t count) {
    void* p = nullptr;
    EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_memory_pool_allocate(from, count * sizeof(T), 0, &p));
    const hsa_agent_t both[] = {cpu, gpu};
    EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_agents_allow_access(2, both, nullptr, p));
    return static_cast<T*>(p);
  }
  hsa_queue_t* queue(uint32_t size = 64, void (*callback)(hsa_status_t, hsa_queue_t*, void*) = nullptr,
                     void* data = nullptr) {
    hsa_queue_t* q = nullptr;
    EXPECT_HSA(HSA_STATUS_SUCCESS,
               hsa_queue_create(gpu, size, HSA_QUEUE_TYPE_MULTI, callback, data, UINT32_MAX, UINT32_MAX, &q));
    return q;
  }
  static hsa_signal_t signal(hsa_signal_value_t value) {
    hsa_signal_t s{0};
    EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_signal_create(value, 0, nullptr, &s));
    return s;
  }
  static hsa_signal_value_t wait(hsa_signal_t s) {
    constexpr uint64_t kTenSeconds = 10'000'000'000;
    return hsa_signal_wait_scacquire(s, HSA_SIGNAL_CONDITION_LT, 1, kTenSeconds, HSA_WAIT_STATE_BLOCKED);
  }
  void load() {
    std::ifstream in(BZ_ROCR_KERNELS, std::ios::binary);
    const std::vector<char> image{std::istreambuf_iterator<char>(in), {}};
    hsa_code_object_reader_t reader{0};
    ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_code_object_reader_create_from_memory(image.data(), image.size(), &reader));
    ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT,
                                                             nullptr, &executable));
    ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_executable_load_agent_code_object(executable, gpu, reader, nullptr, nullptr));
    ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_executable_freeze(executable, nullptr));
    hsa_code_object_reader_destroy(reader);
  }
  hsa_executable_symbol_t symbol(const char* name) {
    hsa_executable_symbol_t s{0};
    EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_executable_get_symbol_by_name(executable, name, &gpu, &s)) << name;
    return s;
  }
  uint64_t kernel(const char* name) {
    uint64_t object = 0;
    EXPECT_HSA(HSA_STATUS_SUCCESS,
               hsa_executable_symbol_get_info(symbol(name), HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object));
    return object;
  }
  static uint16_t header(hsa_packet_type_t type, bool barrier) {
    return static_cast<uint16_t>(type << HSA_PACKET_HEADER_TYPE | barrier << HSA_PACKET_HEADER_BARRIER |
                                 HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                                 HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
  }
  /// Writes a 64-byte packet whose first word comes last, and rings.
  template <class P> static void submit(hsa_queue_t* q, const P& packet, uint32_t first_word) {
    static_assert(sizeof(P) == 64);
    const uint64_t index = hsa_queue_add_write_index_scacq_screl(q, 1);
    while (index - hsa_queue_load_read_index_scacquire(q) >= q->size) std::this_thread::yield();
    char* slot = static_cast<char*>(q->base_address) + index % q->size * 64;
    std::memcpy(slot + 4, reinterpret_cast<const char*>(&packet) + 4, 60);
    __atomic_store_n(reinterpret_cast<uint32_t*>(slot), first_word, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(q->doorbell_signal, static_cast<hsa_signal_value_t>(index));
  }
  static void dispatch(hsa_queue_t* q, uint64_t object, void* arguments, uint32_t items, hsa_signal_t done,
                       bool barrier = false) {
    hsa_kernel_dispatch_packet_t p{};
    p.workgroup_size_x = 64;
    p.workgroup_size_y = p.workgroup_size_z = 1;
    p.grid_size_x = items;
    p.grid_size_y = p.grid_size_z = 1;
    p.kernel_object = object;
    p.kernarg_address = arguments;
    p.completion_signal = done;
    submit(q, p, header(HSA_PACKET_TYPE_KERNEL_DISPATCH, barrier) | 1u << 16);
  }
  static void barrier(hsa_queue_t* q, std::vector<hsa_signal_t> after, hsa_signal_t done) {
    hsa_barrier_and_packet_t p{};
    for (size_t i = 0; i < after.size(); ++i) p.dep_signal[i] = after[i];
    p.completion_signal = done;
    submit(q, p, header(HSA_PACKET_TYPE_BARRIER_AND, false));
  }

  hsa_agent_t cpu{0}, gpu{0};
  hsa_amd_memory_pool_t device{0}, kernarg{0};
  hsa_executable_t executable{0};
};

TEST_F(Device, OpensAgainAndAgain) {
  for (int i = 0; i < 5; ++i) {
    hsa_queue_t* q = queue();
    const hsa_signal_t done = signal(1);
    barrier(q, {}, done);
    EXPECT_EQ(wait(done), 0);
    ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_shut_down()); // the queue and the signal are still there
    open();
  }
}

TEST_F(Device, XnackIsWhatTheEnvironmentAsksFor) {
  auto isa_name = [&] {
    hsa_isa_t isa{};
    char name[64] = {};
    hsa_agent_get_info(gpu, HSA_AGENT_INFO_ISA, &isa);
    hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, name);
    return std::string(name);
  };
  EXPECT_TRUE(isa_name().ends_with("gfx942:sramecc+:xnack-")) << isa_name();
  for (auto [setting, mode] : {std::pair{"1", "xnack+"}, {"both", "xnack+"}, {"0", "xnack-"}}) {
    ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_shut_down());
    setenv("HSA_XNACK", setting, 1);
    open();
    EXPECT_TRUE(isa_name().ends_with(mode)) << setting << ": " << isa_name();
  }
  unsetenv("HSA_XNACK");
}

TEST_F(Device, BarrierPacketsWaitForSignals) {
  hsa_queue_t* q = queue();
  const hsa_signal_t a = signal(1), b = signal(1), done = signal(1);
  barrier(q, {a, b}, done);
  hsa_signal_store_relaxed(a, 0);
  EXPECT_EQ(hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, 20'000'000, HSA_WAIT_STATE_BLOCKED), 1);
  hsa_signal_store_relaxed(b, 0);
  EXPECT_EQ(wait(done), 0);
  hsa_queue_destroy(q);
}

TEST_F(Device, AKernelAndItsTimes) {
  load();
  hsa_queue_t* q = queue();
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_profiling_set_profiler_enabled(q, 1));
  auto* data = allocate<uint32_t>(device, 6400);
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_memory_fill(data, 41, 6400));
  auto* arguments = allocate<void*>(kernarg, 1);
  *arguments = data;
  const hsa_signal_t done = signal(1);
  uint64_t before = 0, after = 0;
  hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &before);
  dispatch(q, kernel("add_one.kd"), arguments, 6400, done);
  EXPECT_EQ(wait(done), 0);
  hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &after);
  for (int i = 0; i < 6400; ++i) ASSERT_EQ(data[i], 42u) << i;
  hsa_amd_profiling_dispatch_time_t time{};
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_amd_profiling_get_dispatch_time(gpu, done, &time));
  constexpr uint64_t kSlack = 100'000; // two clocks, read one after the other
  EXPECT_GE(time.start + kSlack, before);
  EXPECT_GE(time.end, time.start);
  EXPECT_LE(time.end, after + kSlack);
  hsa_queue_destroy(q);
}

TEST_F(Device, TheRingWrapsManyTimes) {
  load();
  hsa_queue_t* q = queue(64);
  auto* data = allocate<uint32_t>(device, 64);
  hsa_amd_memory_fill(data, 0, 64);
  auto* arguments = allocate<void*>(kernarg, 1);
  *arguments = data;
  constexpr int kLaunches = 2000;
  const hsa_signal_t done = signal(kLaunches);
  const uint64_t object = kernel("add_one.kd");
  for (int i = 0; i < kLaunches; ++i) dispatch(q, object, arguments, 64, done, true);
  EXPECT_EQ(wait(done), 0);
  for (int i = 0; i < 64; ++i) ASSERT_EQ(data[i], uint32_t(kLaunches));
  hsa_queue_destroy(q);
}

TEST_F(Device, SeveralThreadsWriteOneQueue) {
  load();
  hsa_queue_t* q = queue(128);
  auto* data = allocate<uint32_t>(device, 4 * 64);
  hsa_amd_memory_fill(data, 0, 4 * 64);
  const hsa_signal_t done = signal(4 * 200);
  const uint64_t object = kernel("add_one.kd");
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    auto* arguments = allocate<void*>(kernarg, 1);
    *arguments = data + t * 64;
    threads.emplace_back([=] {
      for (int i = 0; i < 200; ++i) dispatch(q, object, arguments, 64, done, true);
    });
  }
  for (auto& t : threads) t.join();
  EXPECT_EQ(wait(done), 0);
  for (int i = 0; i < 4 * 64; ++i) ASSERT_EQ(data[i], 200u);
  hsa_queue_destroy(q);
}

TEST_F(Device, CopiesRunBesideAKernelThatWaitsForTheHost) {
  load();
  hsa_queue_t* q = queue();
  struct Words {
    std::atomic<uint32_t> flag{0}, answer{0};
  };
  auto words = std::make_unique<Words>();
  void* on_agent = nullptr;
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_amd_memory_lock(words.get(), sizeof(Words), &gpu, 1, &on_agent));
  auto* arguments = allocate<void*>(kernarg, 2);
  arguments[0] = on_agent;
  arguments[1] = static_cast<char*>(on_agent) + offsetof(Words, answer);
  const hsa_signal_t kernel_done = signal(1), copy_done = signal(1);
  dispatch(q, kernel("spin.kd"), arguments, 64, kernel_done);
  constexpr size_t kBytes = 32 << 20;
  std::vector<char> host(kBytes, 9);
  auto* data = allocate<char>(device, kBytes);
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_amd_memory_async_copy(data, gpu, host.data(), cpu, kBytes, 0, nullptr, copy_done));
  EXPECT_EQ(wait(copy_done), 0);
  EXPECT_EQ(data[kBytes - 1], 9);
  EXPECT_EQ(hsa_signal_load_relaxed(kernel_done), 1) << "the kernel can't have ended";
  words->flag = 1;
  EXPECT_EQ(wait(kernel_done), 0);
  EXPECT_EQ(words->answer, 7u);
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_memory_unlock(words.get()));
  hsa_queue_destroy(q);
}

TEST_F(Device, ACopyWaitsForAKernelAndAKernelForACopy) {
  load();
  hsa_queue_t* q = queue();
  auto* data = allocate<uint32_t>(device, 64);
  hsa_amd_memory_fill(data, 1, 64);
  auto* arguments = allocate<void*>(kernarg, 1);
  *arguments = data;
  std::vector<uint32_t> host(64, 0);
  const hsa_signal_t first = signal(1), copied = signal(1), second = signal(1);
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_amd_memory_async_copy(host.data(), cpu, data, gpu, 256, 1, &first, copied));
  barrier(q, {copied}, {0}); // not reached before the kernel below is done: it is in another queue
  dispatch(q, kernel("add_one.kd"), arguments, 64, second, true);
  hsa_queue_t* other = queue();
  dispatch(other, kernel("add_one.kd"), arguments, 64, first);
  EXPECT_EQ(wait(second), 0);
  EXPECT_EQ(host[63], 2u);
  EXPECT_EQ(data[63], 3u);
  hsa_queue_destroy(q);
  hsa_queue_destroy(other);
}

TEST_F(Device, VariablesOfTheCodeObject) {
  load();
  hsa_queue_t* q = queue();
  uint64_t address = 0;
  ASSERT_HSA(HSA_STATUS_SUCCESS,
             hsa_executable_symbol_get_info(symbol("counter"), HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &address));
  const hsa_signal_t done = signal(1);
  dispatch(q, kernel("bump.kd"), nullptr, 64, done);
  EXPECT_EQ(wait(done), 0);
  EXPECT_EQ(*reinterpret_cast<uint32_t*>(address), 42u);
  hsa_queue_destroy(q);
}

std::atomic<int> queue_status{0};
void note(hsa_status_t status, hsa_queue_t*, void*) { queue_status = static_cast<int>(status); }
bool status_comes(int expected) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (queue_status != expected && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return queue_status == expected;
}

TEST_F(Device, BadPacketsStopTheQueueWithTheRightStatus) {
  load();
  const uint64_t object = kernel("add_one.kd");
  auto* arguments = allocate<void*>(kernarg, 1);
  *arguments = arguments;
  const auto try_packet = [&](auto change, uint32_t type_and_setup, int expected) {
    queue_status = 0;
    hsa_queue_t* q = queue(64, note);
    hsa_kernel_dispatch_packet_t p{};
    p.workgroup_size_x = 64;
    p.workgroup_size_y = p.workgroup_size_z = 1;
    p.grid_size_x = 64;
    p.grid_size_y = p.grid_size_z = 1;
    p.kernel_object = object;
    p.kernarg_address = arguments;
    change(p);
    submit(q, p, type_and_setup);
    EXPECT_TRUE(status_comes(expected)) << "got " << queue_status << ", expected " << expected;
    hsa_queue_destroy(q);
  };
  const uint32_t good = header(HSA_PACKET_TYPE_KERNEL_DISPATCH, false) | 1u << 16;
  using P = hsa_kernel_dispatch_packet_t;
  try_packet([](P& p) { p.kernel_object = 0x10000; }, good, HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  try_packet([](P& p) { p.grid_size_x = 0; }, good, HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  try_packet([](P& p) { p.workgroup_size_x = 2000; }, good, HSA_STATUS_ERROR_INVALID_ARGUMENT);
  try_packet([](P& p) { p.group_segment_size = 1 << 20; }, good, HSA_STATUS_ERROR_INVALID_ALLOCATION);
  try_packet([](P&) {}, 77, HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
}

TEST_F(Device, ATrapIsAnException) {
  load();
  queue_status = 0;
  hsa_queue_t* q = queue(64, note);
  dispatch(q, kernel("trap.kd"), nullptr, 64, {0});
  EXPECT_TRUE(status_comes(HSA_STATUS_ERROR_EXCEPTION)) << queue_status;
  hsa_queue_destroy(q);
}

// The queue's callback names the kind, the report on stderr kernel, place and words; other queues go on.
TEST_F(Device, AnIllegalInstructionStopsItsQueue) {
  load();
  queue_status = 0;
  hsa_queue_t* q = queue(64, note);
  auto* data = allocate<uint32_t>(device, 64);
  auto* arguments = allocate<void*>(kernarg, 1);
  *arguments = data;
  testing::internal::CaptureStderr();
  dispatch(q, kernel("illegal.kd"), arguments, 64, {0});
  EXPECT_TRUE(status_comes(HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION)) << queue_status;
  hsa_queue_destroy(q);
  const std::string report = testing::internal::GetCapturedStderr();
  EXPECT_NE(report.find("illegal instruction"), std::string::npos) << report;
  EXPECT_NE(report.find("bf7f0000"), std::string::npos) << report;
  EXPECT_NE(report.find("illegal"), std::string::npos) << report;
  EXPECT_NE(report.find("pc "), std::string::npos) << report;
}

TEST_F(Device, AMemoryFaultReachesTheHandler) {
  static std::atomic<uint64_t> address;
  address = 0;
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_amd_register_system_event_handler(
                                     [](const hsa_amd_event_t* event, void*) {
                                       if (event->event_type != HSA_AMD_GPU_MEMORY_FAULT_EVENT) return HSA_STATUS_ERROR;
                                       address = event->memory_fault.virtual_address;
                                       return HSA_STATUS_SUCCESS;
                                     },
                                     nullptr));
  load();
  hsa_queue_t* q = queue(64, note);
  auto* arguments = allocate<uint64_t>(kernarg, 1);
  *arguments = 0x10000; // no mapping of a program lies so low
  dispatch(q, kernel("store_to.kd"), arguments, 64, {0});
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (!address && std::chrono::steady_clock::now() < end) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(address & ~uint64_t(0xfff), 0x10000u);
  hsa_queue_destroy(q);
}

TEST(DeviceDeathTest, AMemoryFaultWithoutHandlerAborts) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  class Faulting : public Device {
  public:
    void TestBody() override {
      open();
      load();
      hsa_queue_t* q = queue();
      auto* arguments = allocate<uint64_t>(kernarg, 1);
      *arguments = 0x10000;
      dispatch(q, kernel("store_to.kd"), arguments, 64, {0});
      std::this_thread::sleep_for(std::chrono::seconds(10));
    }
  };
  EXPECT_DEATH(Faulting().TestBody(), "Memory access fault by GPU node-1 .* on address 0x10000");
}

// A cooperative queue has the device's wave sync: one at a time, and its barriers span workgroups.
TEST_F(Device, ACooperativeQueueHasGlobalWaveSync) {
  load();
  bool offered = false;
  ASSERT_HSA(HSA_STATUS_SUCCESS,
             hsa_agent_get_info(gpu, static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_COOPERATIVE_QUEUES), &offered));
  ASSERT_TRUE(offered);
  hsa_queue_t *q = nullptr, *second = nullptr;
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_COOPERATIVE, note, nullptr, UINT32_MAX, UINT32_MAX, &q));
  EXPECT_NE(hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_COOPERATIVE, note, nullptr, UINT32_MAX, UINT32_MAX, &second), HSA_STATUS_SUCCESS);
  constexpr uint32_t kGroups = 24, kRounds = 5;
  auto* data = allocate<uint32_t>(device, 64);
  std::fill_n(data, 64, 0u);
  data[0] = kRounds;
  data[1] = kGroups;
  auto* arguments = allocate<void*>(kernarg, 1);
  *arguments = data;
  hsa_signal_t done[2];
  for (auto& s : done) ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_signal_create(1, 0, nullptr, &s));
  dispatch(q, kernel("meet_init.kd"), arguments, 64, done[0]);
  hsa_signal_wait_scacquire(done[0], HSA_SIGNAL_CONDITION_EQ, 0, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
  dispatch(q, kernel("meet.kd"), arguments, 64 * kGroups, done[1]);
  EXPECT_EQ(hsa_signal_wait_scacquire(done[1], HSA_SIGNAL_CONDITION_EQ, 0, 10'000'000'000, HSA_WAIT_STATE_BLOCKED), 0);
  for (uint32_t r = 0; r < kRounds; ++r) EXPECT_EQ(data[2 + r], kGroups);
  EXPECT_EQ(data[20], 0u) << "somebody went on before all had come";
  for (auto& s : done) hsa_signal_destroy(s);
  hsa_queue_destroy(q);
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_COOPERATIVE, note, nullptr, UINT32_MAX, UINT32_MAX, &second));
  hsa_queue_destroy(second);
}

TEST_F(Device, MoreMemoryThanThereIs) {
  size_t size = 0;
  hsa_amd_memory_pool_get_info(device, HSA_AMD_MEMORY_POOL_INFO_SIZE, &size);
  void *half = nullptr, *more = nullptr;
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_amd_memory_pool_allocate(device, size / 2, 0, &half));
  uint64_t left = 0;
  hsa_agent_get_info(gpu, static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_MEMORY_AVAIL), &left);
  EXPECT_LE(left, size / 2 + 4096);
  EXPECT_HSA(HSA_STATUS_ERROR_OUT_OF_RESOURCES, hsa_amd_memory_pool_allocate(device, size / 2 + (1 << 20), 0, &more));
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_memory_pool_free(half));
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_memory_pool_allocate(device, size / 2 + (1 << 20), 0, &more));
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_memory_pool_free(more));
}

TEST_F(Device, PriorityMaskAndInactivation) {
  load();
  hsa_queue_t* q = queue();
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_queue_set_priority(q, HSA_AMD_QUEUE_PRIORITY_HIGH));
  const uint32_t one = 1;
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_queue_cu_set_mask(q, 32, &one));
  const hsa_signal_t done = signal(1), never = signal(1);
  barrier(q, {}, done);
  EXPECT_EQ(wait(done), 0);
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_queue_inactivate(q));
  barrier(q, {}, never);
  EXPECT_EQ(hsa_signal_wait_scacquire(never, HSA_SIGNAL_CONDITION_LT, 1, 50'000'000, HSA_WAIT_STATE_BLOCKED), 1);
  hsa_queue_destroy(q);
}

} // namespace
