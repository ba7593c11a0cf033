// Pools, regions, allocations, pinned memory, pointers, copies.
#include "rocr/test_support.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

namespace bz::rocr::test {
namespace {

constexpr uint32_t kFine = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED;
constexpr uint32_t kCoarse = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED;
constexpr uint32_t kKernarg = HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT;

class Memory : public OpenRuntime {
protected:
  void* allocate(hsa_amd_memory_pool_t pool, size_t size) {
    void* p = nullptr;
    EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_memory_pool_allocate(pool, size, 0, &p));
    return p;
  }
};

TEST_F(Memory, PoolsAndRegions) {
  const auto host = pool(cpu, kFine), kernarg = pool(cpu, kKernarg), device = pool(gpu, kCoarse);
  ASSERT_NE(host.handle, 0u);
  ASSERT_NE(kernarg.handle, 0u);
  ASSERT_NE(device.handle, 0u);
  size_t size = 0, granule = 0;
  bool allowed = false, all = false;
  hsa_amd_memory_pool_get_info(device, HSA_AMD_MEMORY_POOL_INFO_SIZE, &size);
  hsa_amd_memory_pool_get_info(device, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_GRANULE, &granule);
  hsa_amd_memory_pool_get_info(device, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &allowed);
  hsa_amd_memory_pool_get_info(host, HSA_AMD_MEMORY_POOL_INFO_ACCESSIBLE_BY_ALL, &all);
  EXPECT_EQ(size, size_t(16) << 30);
  EXPECT_EQ(granule, 4096u);
  EXPECT_TRUE(allowed);
  EXPECT_TRUE(all);
  hsa_amd_memory_pool_access_t access;
  hsa_amd_agent_memory_pool_get_info(cpu, device, HSA_AMD_AGENT_MEMORY_POOL_INFO_ACCESS, &access);
  EXPECT_HSA(HSA_AMD_MEMORY_POOL_ACCESS_DISALLOWED_BY_DEFAULT, access);
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_MEMORY_POOL,
             hsa_amd_memory_pool_get_info({kForeign}, HSA_AMD_MEMORY_POOL_INFO_SIZE, &size));
  // Through a GPU agent's regions a program finds kernel arguments, local memory and group memory.
  struct Found {
    bool kernarg = false, coarse = false, group = false;
  } found;
  hsa_agent_iterate_regions(
      gpu,
      [](hsa_region_t r, void* data) {
        auto* f = static_cast<Found*>(data);
        hsa_region_segment_t segment;
        uint32_t flags = 0;
        hsa_region_get_info(r, HSA_REGION_INFO_SEGMENT, &segment);
        hsa_region_get_info(r, HSA_REGION_INFO_GLOBAL_FLAGS, &flags);
        if (segment == HSA_REGION_SEGMENT_GROUP)
          f->group = true;
        else if (flags & HSA_REGION_GLOBAL_FLAG_KERNARG)
          f->kernarg = true;
        else if (flags & HSA_REGION_GLOBAL_FLAG_COARSE_GRAINED)
          f->coarse = true;
        return HSA_STATUS_SUCCESS;
      },
      &found);
  EXPECT_TRUE(found.kernarg && found.coarse && found.group);
  void* p = nullptr;
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_REGION, hsa_memory_allocate({kForeign}, 10, &p));
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_memory_allocate({kernarg.handle}, 10, &p));
  std::memset(p, 1, 10);
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_memory_free(p));
}

TEST_F(Memory, AllocationErrors) {
  const auto device = pool(gpu, kCoarse);
  void* p = nullptr;
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_memory_pool_allocate(device, 4096, 0, nullptr));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_memory_pool_allocate(device, 0, 0, &p));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_memory_pool_allocate(device, 4096, 0x100, &p));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_MEMORY_POOL, hsa_amd_memory_pool_allocate({0}, 4096, 0, &p));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ALLOCATION, hsa_amd_memory_pool_allocate(device, SIZE_MAX, 0, &p));
  void* most = allocate(device, size_t(15) << 30);
  EXPECT_HSA(HSA_STATUS_ERROR_OUT_OF_RESOURCES, hsa_amd_memory_pool_allocate(device, size_t(2) << 30, 0, &p));
  EXPECT_EQ(p, nullptr);
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ALLOCATION, hsa_amd_memory_pool_free(static_cast<char*>(most) + 64));
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_memory_pool_free(most));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ALLOCATION, hsa_amd_memory_pool_free(most));
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_memory_pool_free(nullptr));
}

TEST_F(Memory, Access) {
  void* p = allocate(pool(gpu, kCoarse), 100);
  const hsa_agent_t agents[] = {cpu, gpu};
  const uint32_t flags = 0;
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_agents_allow_access(2, agents, nullptr, p));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_agents_allow_access(0, agents, nullptr, p));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_agents_allow_access(2, agents, &flags, p));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_agents_allow_access(2, agents, nullptr, &flags));
  const hsa_agent_t wrong[] = {{kForeign}};
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_AGENT, hsa_amd_agents_allow_access(1, wrong, nullptr, p));
  hsa_amd_memory_pool_free(p);
}

TEST_F(Memory, PointerInfo) {
  char* p = static_cast<char*>(allocate(pool(gpu, kCoarse), 5000));
  int tag = 0;
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_pointer_info_set_userdata(p, &tag));
  hsa_amd_pointer_info_t info{};
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_pointer_info(p, &info, nullptr, nullptr, nullptr));
  info.size = sizeof info;
  uint32_t count = 0;
  hsa_agent_t* agents = nullptr;
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_amd_pointer_info(p + 4999, &info, std::malloc, &count, &agents));
  EXPECT_HSA(HSA_EXT_POINTER_TYPE_HSA, info.type);
  EXPECT_EQ(info.agentBaseAddress, p);
  EXPECT_EQ(info.hostBaseAddress, p);
  EXPECT_EQ(info.sizeInBytes, 8192u);
  EXPECT_EQ(info.userData, &tag);
  EXPECT_EQ(info.agentOwner.handle, gpu.handle);
  EXPECT_EQ(info.global_flags, kCoarse);
  ASSERT_EQ(count, 2u);
  EXPECT_EQ(agents[0].handle, cpu.handle);
  EXPECT_EQ(agents[1].handle, gpu.handle);
  std::free(agents);
  // A caller with an older, shorter structure keeps the bytes behind it.
  hsa_amd_pointer_info_t old{};
  old.size = offsetof(hsa_amd_pointer_info_t, userData);
  old.userData = &info;
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_amd_pointer_info(p, &old, nullptr, nullptr, nullptr));
  EXPECT_EQ(old.userData, &info);
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_amd_pointer_info(&tag, &info, nullptr, nullptr, nullptr));
  EXPECT_HSA(HSA_EXT_POINTER_TYPE_UNKNOWN, info.type);
  hsa_amd_memory_pool_free(p);
  info.size = sizeof info;
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_amd_pointer_info(p, &info, nullptr, nullptr, nullptr));
  EXPECT_HSA(HSA_EXT_POINTER_TYPE_UNKNOWN, info.type);
}

TEST_F(Memory, Lock) {
  std::vector<char> host(10000);
  void* on_agent = nullptr;
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_amd_memory_lock(host.data(), host.size(), &gpu, 1, &on_agent));
  EXPECT_EQ(on_agent, host.data());
  hsa_amd_pointer_info_t info{};
  info.size = sizeof info;
  hsa_amd_pointer_info(host.data() + 9999, &info, nullptr, nullptr, nullptr);
  EXPECT_HSA(HSA_EXT_POINTER_TYPE_LOCKED, info.type);
  EXPECT_EQ(info.sizeInBytes, host.size());
  // Locking counts.
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_amd_memory_lock(host.data(), 100, nullptr, 0, &on_agent));
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_memory_unlock(host.data()));
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_memory_unlock(host.data()));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_memory_unlock(host.data()));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_memory_lock(nullptr, 100, nullptr, 0, &on_agent));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_memory_lock(host.data(), 0, nullptr, 0, &on_agent));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_memory_lock(host.data(), 100, &gpu, 0, &on_agent));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT,
             hsa_amd_memory_lock(reinterpret_cast<void*>(0x1000), 100, nullptr, 0, &on_agent));
  EXPECT_EQ(on_agent, nullptr);
}

TEST_F(Memory, DeallocationCallbacks) {
  void* p = allocate(pool(gpu, kCoarse), 4096);
  static void* freed;
  static int calls;
  freed = nullptr;
  calls = 0;
  const auto on_free = [](void* ptr, void* data) {
    freed = ptr;
    calls += *static_cast<int*>(data);
  };
  int by = 5;
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_amd_register_deallocation_callback(p, on_free, &by));
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_deregister_deallocation_callback(p, on_free));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_deregister_deallocation_callback(p, on_free));
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_amd_register_deallocation_callback(p, on_free, &by));
  hsa_amd_memory_pool_free(p);
  EXPECT_EQ(freed, p);
  EXPECT_EQ(calls, 5);
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ALLOCATION, hsa_amd_register_deallocation_callback(p, on_free, &by));
}

TEST_F(Memory, CopyAndFill) {
  auto* p = static_cast<uint32_t*>(allocate(pool(gpu, kCoarse), 4096));
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_memory_fill(p, 0xabcd0123, 1024));
  EXPECT_TRUE(std::all_of(p, p + 1024, [](uint32_t v) { return v == 0xabcd0123; }));
  std::vector<uint32_t> host(1024);
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_memory_copy(host.data(), p, 4096));
  EXPECT_EQ(host[1023], 0xabcd0123);
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_memory_copy(host.data(), p, 4097));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_memory_copy(nullptr, p, 4));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_memory_copy(p, reinterpret_cast<void*>(0x1000), 4));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_memory_fill(reinterpret_cast<char*>(p) + 1, 0, 1));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_memory_fill(p, 0, 1025));
  hsa_amd_memory_pool_free(p);
}

TEST_F(Memory, AsyncCopyWaitsForItsDependencies) {
  constexpr size_t kBytes = 8 << 20; // large enough to go to a thread
  auto* device = static_cast<char*>(allocate(pool(gpu, kCoarse), kBytes));
  std::vector<char> host(kBytes);
  std::iota(host.begin(), host.end(), char(3));
  std::memset(device, 0, kBytes);
  const hsa_signal_t first = signal(1), second = signal(2), done = signal(1);
  const hsa_signal_t after[] = {first, second};
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_profiling_async_copy_enable(true));
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_amd_memory_async_copy(device, gpu, host.data(), cpu, kBytes, 2, after, done));
  hsa_signal_store_relaxed(first, 0);
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(hsa_signal_load_relaxed(done), 1);
  EXPECT_EQ(device[100], 0);
  // Meanwhile a copy that waits for nothing overtakes.
  const hsa_signal_t quick = signal(1);
  std::vector<char> copy(1 << 20);
  ASSERT_HSA(HSA_STATUS_SUCCESS,
             hsa_amd_memory_async_copy(copy.data(), cpu, host.data(), cpu, copy.size(), 0, nullptr, quick));
  EXPECT_EQ(hsa_signal_wait_scacquire(quick, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED), 0);
  EXPECT_EQ(copy[77], host[77]);
  EXPECT_EQ(hsa_signal_load_relaxed(done), 1);
  uint64_t before = 0, later = 0;
  hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &before);
  fake_thunk::finish_signal(second.handle);
  fake_thunk::finish_signal(second.handle);
  EXPECT_EQ(hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED), 0);
  hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &later);
  EXPECT_EQ(std::memcmp(device, host.data(), kBytes), 0);
  hsa_amd_profiling_async_copy_time_t time{};
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_amd_profiling_get_async_copy_time(done, &time));
  EXPECT_GE(time.start, before);
  EXPECT_GT(time.end, time.start);
  EXPECT_LE(time.end, later);
  EXPECT_HSA(HSA_STATUS_ERROR, hsa_amd_profiling_get_async_copy_time(first, &time));
  for (const hsa_signal_t s : {first, second, done, quick}) hsa_signal_destroy(s);
  hsa_amd_memory_pool_free(device);
}

TEST_F(Memory, AFailedDependencyFailsTheCopy) {
  std::vector<char> a(64, 1), b(64, 2);
  const hsa_signal_t bad = signal(-1), done = signal(1);
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_amd_memory_async_copy(a.data(), cpu, b.data(), cpu, 64, 1, &bad, done));
  EXPECT_LT(hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED), 0);
  EXPECT_EQ(a[0], 1);
  hsa_signal_destroy(bad);
  hsa_signal_destroy(done);
}

TEST_F(Memory, AChainOfCopiesRunsInOrder) {
  // Copy i moves what copy i - 1 brought; two chains at a time, each with a signal of the program at its head.
  constexpr size_t kBytes = 64 * 1024, kLinks = 100;
  const hsa_signal_t head = signal(1);
  std::vector<std::vector<char>> places[2];
  std::vector<hsa_signal_t> done[2];
  for (int chain = 0; chain < 2; ++chain) {
    places[chain].assign(kLinks + 1, std::vector<char>(kBytes, 0));
    places[chain][0].assign(kBytes, char(7 + chain));
  }
  for (size_t i = 0; i < kLinks; ++i)
    for (int chain = 0; chain < 2; ++chain) {
      done[chain].push_back(signal(1));
      const hsa_signal_t after = i ? done[chain][i - 1] : head;
      ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_amd_memory_async_copy(places[chain][i + 1].data(), cpu, places[chain][i].data(),
                                                               cpu, kBytes, 1, &after, done[chain][i]));
    }
  EXPECT_EQ(hsa_signal_load_relaxed(done[0][0]), 1);
  hsa_signal_store_screlease(head, 0);
  for (int chain = 0; chain < 2; ++chain) {
    EXPECT_EQ(hsa_signal_wait_scacquire(done[chain].back(), HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED), 0);
    EXPECT_EQ(places[chain].back(), places[chain].front());
    for (const hsa_signal_t s : done[chain]) {
      EXPECT_EQ(hsa_signal_load_relaxed(s), 0);
      hsa_signal_destroy(s);
    }
  }
  hsa_signal_destroy(head);
}

TEST_F(Memory, AFailureGoesThroughAChainOfCopies) {
  std::vector<char> a(64, 1), b(64, 2);
  constexpr int kLinks = 5000;
  const hsa_signal_t head = signal(1);
  std::vector<hsa_signal_t> done;
  for (int i = 0; i < kLinks; ++i) {
    done.push_back(signal(1));
    ASSERT_HSA(HSA_STATUS_SUCCESS,
               hsa_amd_memory_async_copy(a.data(), cpu, b.data(), cpu, 64, 1, i ? &done[size_t(i) - 1] : &head, done.back()));
  }
  hsa_signal_store_screlease(head, -1);
  EXPECT_LT(hsa_signal_wait_scacquire(done.back(), HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED), 0);
  EXPECT_EQ(a[0], 1);
  for (const hsa_signal_t s : done) {
    EXPECT_LT(hsa_signal_load_relaxed(s), 0);
    hsa_signal_destroy(s);
  }
  hsa_signal_destroy(head);
}

TEST_F(Memory, AsyncCopyErrors) {
  std::vector<char> a(64), b(64);
  const hsa_signal_t done = signal(1);
  const auto copy = [&](void* dst, const void* src, uint32_t count, const hsa_signal_t* after,
                        hsa_signal_t completion) {
    return hsa_amd_memory_async_copy(dst, cpu, src, cpu, 64, count, after, completion);
  };
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, copy(nullptr, b.data(), 0, nullptr, done));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, copy(a.data(), nullptr, 0, nullptr, done));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, copy(a.data(), b.data(), 1, nullptr, done));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, copy(a.data(), b.data(), 0, &done, done));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_SIGNAL, copy(a.data(), b.data(), 0, nullptr, {kForeign}));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_AGENT,
             hsa_amd_memory_async_copy(a.data(), {kForeign}, b.data(), cpu, 64, 0, nullptr, done));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT,
             hsa_amd_memory_async_copy_on_engine(a.data(), cpu, b.data(), cpu, 64, 0, nullptr, done,
                                                 static_cast<hsa_amd_sdma_engine_id_t>(3), false));
  EXPECT_EQ(hsa_signal_load_relaxed(done), 1) << "a refused copy touches no signal";
  hsa_signal_destroy(done);
}

TEST_F(Memory, RectangularCopy) {
  // A 3 x 2 x 2 box out of an 8 x 4 x 3 volume into a tight one.
  std::vector<uint8_t> from(8 * 4 * 3), to(3 * 2 * 2, 0);
  std::iota(from.begin(), from.end(), uint8_t(0));
  const hsa_pitched_ptr_t src{from.data(), 8, 32}, dst{to.data(), 3, 6};
  const hsa_dim3_t at{2, 1, 1}, zero{0, 0, 0}, range{3, 2, 2};
  const hsa_signal_t done = signal(1);
  ASSERT_HSA(HSA_STATUS_SUCCESS,
             hsa_amd_memory_async_copy_rect(&dst, &zero, &src, &at, &range, gpu, hsaHostToHost, 0, nullptr, done));
  hsa_signal_wait_scacquire(done, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
  for (unsigned z = 0; z < 2; ++z)
    for (unsigned y = 0; y < 2; ++y)
      for (unsigned x = 0; x < 3; ++x) EXPECT_EQ(to[z * 6 + y * 3 + x], (z + 1) * 32 + (y + 1) * 8 + x + 2);
  const hsa_pitched_ptr_t narrow{to.data(), 2, 6};
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT,
             hsa_amd_memory_async_copy_rect(&narrow, &zero, &src, &at, &range, gpu, hsaHostToHost, 0, nullptr, done));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT,
             hsa_amd_memory_async_copy_rect(&dst, nullptr, &src, &at, &range, gpu, hsaHostToHost, 0, nullptr, done));
  hsa_signal_destroy(done);
}

} // namespace
} // namespace bz::rocr::test
