// libhsakmt on the software device with the tests' engine: every subsystem through the exported functions.
#include "abi/queue.hpp"
#include "abi/signal.hpp"
#include "abi/test_kernel.hpp"
#include "hsakmt/boltzmann.h"
#include "hsakmt/hsakmt.h"

#include <atomic>
#include <chrono>
#include <cstring>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <sys/mman.h>
#include <unistd.h>
#include <vector>

namespace {

/// A member of a packed structure: references to it may be misaligned.
template <class T> T value(T member) { return member; }
namespace abi = bz::abi;
using namespace std::chrono_literals;

constexpr uint64_t kPage = 4096, kMiB = 1ull << 20;

class Thunk : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(hsaKmtOpenKFD(), HSAKMT_STATUS_SUCCESS);
    ASSERT_EQ(hsaKmtAcquireSystemProperties(&system), HSAKMT_STATUS_SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(hsaKmtCloseKFD(), HSAKMT_STATUS_SUCCESS); }
  static HsaMemFlags flags(bool host_access) {
    HsaMemFlags f{};
    f.ui32.HostAccess = host_access;
    f.ui32.ExecuteAccess = 1;
    return f;
  }
  void* allocate(uint32_t node, uint64_t size) {
    void* p = nullptr;
    EXPECT_EQ(hsaKmtAllocMemory(node, size, flags(true), &p), HSAKMT_STATUS_SUCCESS);
    HSAuint64 gpu = 0;
    EXPECT_EQ(hsaKmtMapMemoryToGPU(p, size, &gpu), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(gpu, reinterpret_cast<uint64_t>(p));
    return p;
  }
  void release(void* p) {
    EXPECT_EQ(hsaKmtUnmapMemoryToGPU(p), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(hsaKmtFreeMemory(p, 0), HSAKMT_STATUS_SUCCESS);
  }
  HsaEvent* make_event(HSA_EVENTTYPE type = HSA_EVENTTYPE_SIGNAL, bool manual = false, bool set = false) {
    HsaEventDescriptor d{};
    d.EventType = type;
    HsaEvent* e = nullptr;
    EXPECT_EQ(hsaKmtCreateEvent(&d, manual, set, &e), HSAKMT_STATUS_SUCCESS);
    return e;
  }
  HsaSystemProperties system{};
};

TEST(ThunkClosed, EverythingSaysThatItIsNotOpen) {
  HsaVersionInfo v{};
  EXPECT_EQ(hsaKmtGetVersion(&v), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
  EXPECT_EQ(hsaKmtCloseKFD(), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
  void* p = nullptr;
  EXPECT_EQ(hsaKmtAllocMemory(0, kPage, HsaMemFlags{}, &p), HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED);
}

TEST_F(Thunk, OpenCounts) {
  EXPECT_EQ(hsaKmtOpenKFD(), HSAKMT_STATUS_KERNEL_ALREADY_OPENED);
  EXPECT_EQ(hsaKmtCloseKFD(), HSAKMT_STATUS_SUCCESS);
  HsaVersionInfo v{};
  EXPECT_EQ(hsaKmtGetVersion(&v), HSAKMT_STATUS_SUCCESS) << "still open";
  EXPECT_EQ(v.KernelInterfaceMajorVersion, 1u);
  EXPECT_EQ(hsaKmtGetVersion(nullptr), HSAKMT_STATUS_INVALID_PARAMETER);
}

TEST_F(Thunk, TopologyOfTheSoftwareDevice) {
  ASSERT_EQ(system.NumNodes, 2u);
  HsaNodeProperties host{}, gpu{};
  ASSERT_EQ(hsaKmtGetNodeProperties(0, &host), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(hsaKmtGetNodeProperties(1, &gpu), HSAKMT_STATUS_SUCCESS);
  EXPECT_GT(host.NumCPUCores, 0u);
  EXPECT_EQ(host.NumFComputeCores, 0u);
  EXPECT_EQ(gpu.NumFComputeCores, 8u) << "2 CUs of 4 SIMDs";
  EXPECT_EQ(gpu.EngineId.ui32.Major, 9u);
  EXPECT_EQ(gpu.EngineId.ui32.Minor, 4u);
  EXPECT_EQ(gpu.EngineId.ui32.Stepping, 2u);
  EXPECT_EQ(gpu.WaveFrontSize, 64u);
  EXPECT_EQ(gpu.VGPRSizePerCU, 0x80000u);
  std::string name;
  for (auto c : gpu.MarketingName)
    if (c) name.push_back(static_cast<char>(c));
  EXPECT_EQ(name, "AMD Instinct MI300X");
  std::vector<HsaMemoryProperties> banks(gpu.NumMemoryBanks);
  ASSERT_EQ(hsaKmtGetNodeMemoryProperties(1, gpu.NumMemoryBanks, banks.data()), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(banks[0].HeapType, HSA_HEAPTYPE_FRAME_BUFFER_PUBLIC);
  EXPECT_EQ(value(banks[0].SizeInBytes), 256 * kMiB);
  EXPECT_EQ(banks[1].HeapType, HSA_HEAPTYPE_GPU_LDS);
  EXPECT_EQ(value(banks[1].VirtualBaseAddress), 1ull << 48);
  EXPECT_EQ(banks[2].HeapType, HSA_HEAPTYPE_GPU_SCRATCH);
  EXPECT_EQ(value(banks[2].VirtualBaseAddress), 2ull << 48);
  std::vector<HsaCacheProperties> caches(gpu.NumCaches);
  ASSERT_EQ(hsaKmtGetNodeCacheProperties(1, 0, gpu.NumCaches, caches.data()), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(caches[0].CacheLevel, 1u);
  EXPECT_EQ(caches[0].CacheSize, 32u);
  EXPECT_EQ(caches[0].SiblingMap[0], 1u);
  HsaIoLinkProperties link{};
  ASSERT_EQ(hsaKmtGetNodeIoLinkProperties(1, 1, &link), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(link.NodeFrom, 1u);
  EXPECT_EQ(link.NodeTo, 0u);
  EXPECT_EQ(hsaKmtGetNodeProperties(2, &gpu), HSAKMT_STATUS_INVALID_NODE_UNIT);
  EXPECT_EQ(hsaKmtGetNodeProperties(1, nullptr), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(hsaKmtGetNodeCacheProperties(1, 0, 9999, caches.data()), HSAKMT_STATUS_INVALID_NODE_UNIT);
}

TEST_F(Thunk, DeviceAndHostMemory) {
  HSAuint64 before = 0, during = 0, after = 0;
  ASSERT_EQ(hsaKmtAvailableMemory(1, &before), HSAKMT_STATUS_SUCCESS);
  char* vram = static_cast<char*>(allocate(1, 4 * kMiB));
  EXPECT_EQ(reinterpret_cast<uint64_t>(vram) % (2 * kMiB), 0u) << "large ones are aligned to huge pages";
  ASSERT_EQ(hsaKmtAvailableMemory(1, &during), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(before - during, 4 * kMiB);
  std::memset(vram, 3, 4 * kMiB);
  char* host = static_cast<char*>(allocate(0, 2 * kPage));
  std::memset(host, 4, 2 * kPage);
  HsaPointerInfo info{};
  ASSERT_EQ(hsaKmtQueryPointerInfo(vram + 12345, &info), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(info.Type, HSA_POINTER_ALLOCATED);
  EXPECT_EQ(info.Node, 1u);
  EXPECT_EQ(value(info.SizeInBytes), 4 * kMiB);
  EXPECT_EQ(value(info.GPUAddress), reinterpret_cast<uint64_t>(vram));
  ASSERT_EQ(info.NMappedNodes, 1u);
  EXPECT_EQ(info.MappedNodes[0], 1u);
  int data = 0;
  ASSERT_EQ(hsaKmtSetMemoryUserData(vram, &data), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(hsaKmtQueryPointerInfo(vram, &info), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(value(info.UserData), &data);
  release(vram);
  release(host);
  ASSERT_EQ(hsaKmtAvailableMemory(1, &after), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(before, after);
  EXPECT_EQ(hsaKmtQueryPointerInfo(vram, &info), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(info.Type, HSA_POINTER_UNKNOWN);
}

TEST_F(Thunk, MemoryErrors) {
  void* p = nullptr;
  EXPECT_EQ(hsaKmtAllocMemory(9, kPage, flags(true), &p), HSAKMT_STATUS_INVALID_NODE_UNIT);
  EXPECT_EQ(hsaKmtAllocMemory(1, 0, flags(true), &p), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(hsaKmtAllocMemory(1, 100, flags(true), &p), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(hsaKmtAllocMemory(1, kPage, flags(true), nullptr), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(hsaKmtAllocMemory(1, 257 * kMiB, flags(true), &p), HSAKMT_STATUS_NO_MEMORY);
  EXPECT_EQ(hsaKmtAllocMemoryAlign(1, kPage, 12345, flags(true), &p), HSAKMT_STATUS_INVALID_PARAMETER);
  ASSERT_EQ(hsaKmtAllocMemoryAlign(1, kPage, 16 * kMiB, flags(true), &p), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(reinterpret_cast<uint64_t>(p) % (16 * kMiB), 0u);
  EXPECT_EQ(hsaKmtMapMemoryToGPU(p, 2 * kPage, nullptr), HSAKMT_STATUS_INVALID_PARAMETER) << "beyond the allocation";
  HSAuint32 nodes[] = {0};
  EXPECT_EQ(hsaKmtMapMemoryToGPUNodes(p, kPage, nullptr, HsaMemMapFlags{}, 1, nodes), HSAKMT_STATUS_INVALID_NODE_UNIT);
  EXPECT_EQ(hsaKmtMapMemoryToGPUNodes(p, kPage, nullptr, HsaMemMapFlags{}, 1, nullptr),
            HSAKMT_STATUS_INVALID_PARAMETER);
  ASSERT_EQ(hsaKmtMapMemoryToGPU(p, kPage, nullptr), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtFreeMemory(p, kPage), HSAKMT_STATUS_ERROR) << "still mapped";
  release(p);
  EXPECT_EQ(hsaKmtFreeMemory(p, kPage), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
  EXPECT_EQ(hsaKmtFreeMemory(nullptr, kPage), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(hsaKmtMapMemoryToGPU(p, kPage, nullptr), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
}

TEST_F(Thunk, RegisteredHostMemoryMayShareAPage) {
  std::vector<char> block(3 * kPage);
  char* a = block.data() + 100;
  char* b = block.data() + 300; // the same page
  ASSERT_EQ(hsaKmtRegisterMemory(a, 200), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(hsaKmtRegisterMemory(b, 2 * kPage), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(hsaKmtRegisterMemory(a, 200), HSAKMT_STATUS_SUCCESS) << "counted";
  EXPECT_EQ(hsaKmtMapMemoryToGPU(a, 200, nullptr), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtMapMemoryToGPU(b, kPage, nullptr), HSAKMT_STATUS_SUCCESS);
  HsaPointerInfo info{};
  ASSERT_EQ(hsaKmtQueryPointerInfo(b, &info), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(info.Type, HSA_POINTER_REGISTERED_USER);
  EXPECT_EQ(value(info.CPUAddress), b);
  EXPECT_EQ(hsaKmtDeregisterMemory(a), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtDeregisterMemory(a), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtDeregisterMemory(a), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
  EXPECT_EQ(hsaKmtDeregisterMemory(b), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtRegisterMemory(reinterpret_cast<void*>(16), kPage), HSAKMT_STATUS_INVALID_PARAMETER) << "not mapped";
}

TEST_F(Thunk, FixedAddresses) {
  void* p = nullptr;
  ASSERT_EQ(hsaKmtAllocMemory(1, 4 * kPage, flags(true), &p), HSAKMT_STATUS_SUCCESS);
  void* wanted = p;
  ASSERT_EQ(hsaKmtFreeMemory(p, 0), HSAKMT_STATUS_SUCCESS);
  HsaMemFlags fixed = flags(true);
  fixed.ui32.FixedAddress = 1;
  void* q = wanted;
  ASSERT_EQ(hsaKmtAllocMemory(1, kPage, fixed, &q), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(q, wanted);
  void* again = wanted;
  EXPECT_EQ(hsaKmtAllocMemory(1, kPage, fixed, &again), HSAKMT_STATUS_NO_MEMORY);
  EXPECT_EQ(hsaKmtFreeMemory(q, 0), HSAKMT_STATUS_SUCCESS);
}

TEST_F(Thunk, EventsAndWaiting) {
  HsaEvent* a = make_event();
  HsaEvent* b = make_event(HSA_EVENTTYPE_SIGNAL, true, true);
  EXPECT_NE(value(a->EventData.HWData2), 0u) << "the mailbox";
  EXPECT_EQ(*reinterpret_cast<uint64_t*>(value(a->EventData.HWData2)), ~0ull);
  EXPECT_EQ(hsaKmtWaitOnEvent(b, 0), HSAKMT_STATUS_SUCCESS) << "created as signalled";
  EXPECT_EQ(hsaKmtQueryEventState(a), HSAKMT_STATUS_WAIT_TIMEOUT);
  auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(hsaKmtWaitOnEvent(a, 30), HSAKMT_STATUS_WAIT_TIMEOUT);
  EXPECT_GE(std::chrono::steady_clock::now() - start, 29ms);
  std::thread setter([&] {
    std::this_thread::sleep_for(5ms);
    EXPECT_EQ(hsaKmtSetEvent(a), HSAKMT_STATUS_SUCCESS);
  });
  EXPECT_EQ(hsaKmtWaitOnEvent(a, HSA_EVENTTIMEOUT_INFINITE), HSAKMT_STATUS_SUCCESS);
  setter.join();
  HsaEvent* both[] = {a, b};
  EXPECT_EQ(hsaKmtWaitOnMultipleEvents(both, 2, false, 0), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtWaitOnMultipleEvents(both, 2, true, 0), HSAKMT_STATUS_WAIT_TIMEOUT);
  EXPECT_EQ(hsaKmtResetEvent(b), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtWaitOnMultipleEvents(both, 2, false, 1), HSAKMT_STATUS_WAIT_TIMEOUT);
  uint64_t ages[] = {1, 1};
  EXPECT_EQ(hsaKmtWaitOnMultipleEvents_Ext(both, 2, false, 0, ages), HSAKMT_STATUS_SUCCESS)
      << "both were set since age 1";
  EXPECT_EQ(ages[0], 2u);
  EXPECT_EQ(hsaKmtWaitOnMultipleEvents(nullptr, 1, false, 0), HSAKMT_STATUS_INVALID_HANDLE);
  EXPECT_EQ(hsaKmtWaitOnEvent(nullptr, 0), HSAKMT_STATUS_INVALID_HANDLE);
  EXPECT_EQ(hsaKmtDestroyEvent(a), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtDestroyEvent(a), HSAKMT_STATUS_INVALID_HANDLE);
  EXPECT_EQ(hsaKmtSetEvent(a), HSAKMT_STATUS_INVALID_HANDLE);
  HsaEvent* memory = make_event(HSA_EVENTTYPE_MEMORY);
  EXPECT_EQ(hsaKmtSetEvent(memory), HSAKMT_STATUS_ERROR);
  EXPECT_EQ(hsaKmtCreateEvent(nullptr, false, false, &a), HSAKMT_STATUS_INVALID_PARAMETER);
}

TEST_F(Thunk, DestroyingAnEventWakesItsWaiter) {
  HsaEvent* e = make_event();
  std::thread waiter([&] { EXPECT_EQ(hsaKmtWaitOnEvent(e, HSA_EVENTTIMEOUT_INFINITE), HSAKMT_STATUS_WAIT_FAILURE); });
  std::this_thread::sleep_for(10ms);
  EXPECT_EQ(hsaKmtDestroyEvent(e), HSAKMT_STATUS_SUCCESS);
  waiter.join();
}

TEST_F(Thunk, OpenAndCloseWorkWhileAnotherThreadWaits) {
  HsaEvent* e = make_event();
  std::thread waiter([&] { EXPECT_EQ(hsaKmtWaitOnEvent(e, HSA_EVENTTIMEOUT_INFINITE), HSAKMT_STATUS_SUCCESS); });
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(hsaKmtOpenKFD(), HSAKMT_STATUS_KERNEL_ALREADY_OPENED);
  EXPECT_EQ(hsaKmtCloseKFD(), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtSetEvent(e), HSAKMT_STATUS_SUCCESS);
  waiter.join();
}

class ThunkQueue : public Thunk {
protected:
  void SetUp() override {
    Thunk::SetUp();
    memory = static_cast<char*>(allocate(0, 4 * kPage));
    ring = reinterpret_cast<abi::hsa_kernel_dispatch_packet_t*>(memory);
    queue = reinterpret_cast<abi::amd_queue_t*>(memory + kPage);
    error = reinterpret_cast<volatile int64_t*>(memory + 2 * kPage);
    done = reinterpret_cast<abi::amd_signal_t*>(memory + 3 * kPage);
    for (uint32_t i = 0; i < 64; ++i) ring[i].header = abi::HSA_PACKET_TYPE_INVALID;
    error_event = make_event();
    event = make_event();
    resource.Queue_read_ptr_aql = const_cast<HSAuint64*>(&queue->read_dispatch_id);
    resource.Queue_write_ptr_aql = const_cast<HSAuint64*>(&queue->write_dispatch_id);
    resource.ErrorReason = error;
    ASSERT_EQ(hsaKmtCreateQueue(1, HSA_QUEUE_COMPUTE_AQL, 100, HSA_QUEUE_PRIORITY_NORMAL, ring, kPage, error_event,
                                &resource),
              HSAKMT_STATUS_SUCCESS);
  }
  void dispatch(uint64_t object, uint32_t groups, bool interrupt = true) {
    done->kind = abi::AMD_SIGNAL_KIND_USER;
    done->value = 1;
    done->event_mailbox_ptr = interrupt ? event->EventData.HWData2 : 0;
    done->event_id = event->EventId;
    uint64_t index = queue->write_dispatch_id;
    __atomic_store_n(&queue->write_dispatch_id, index + 1, __ATOMIC_RELEASE);
    auto& p = ring[index % 64];
    p.setup = 1;
    p.workgroup_size_x = 64;
    p.grid_size_x = 64 * groups;
    p.kernel_object = object;
    p.completion_signal = {reinterpret_cast<uint64_t>(done)};
    __atomic_store_n(&p.header, uint16_t{abi::HSA_PACKET_TYPE_KERNEL_DISPATCH}, __ATOMIC_RELEASE);
    __atomic_store_n(const_cast<HSAuint64*>(resource.Queue_DoorBell_aql), index, __ATOMIC_RELEASE);
  }
  auto done_value() const { return __atomic_load_n(&done->value, __ATOMIC_ACQUIRE); }

  char* memory = nullptr;
  abi::hsa_kernel_dispatch_packet_t* ring = nullptr;
  abi::amd_queue_t* queue = nullptr;
  volatile int64_t* error = nullptr;
  abi::amd_signal_t* done = nullptr;
  HsaEvent *error_event = nullptr, *event = nullptr;
  HsaQueueResource resource{};
};

TEST_F(ThunkQueue, KernelRunsAndTheEventWakes) {
  std::atomic<int> ran{0};
  abi::test_kernel k;
  k.context = &ran;
  k.body = [](void* count, uint64_t, abi::test_outcome*) { ++*static_cast<std::atomic<int>*>(count); };
  for (int i = 0; i < 200; ++i) {
    dispatch(k.object(), 10);
    ASSERT_EQ(hsaKmtWaitOnEvent(event, 20'000), HSAKMT_STATUS_SUCCESS);
    ASSERT_EQ(done_value(), 0);
  }
  EXPECT_EQ(ran, 2000);
}

TEST_F(ThunkQueue, HelpingByValue) {
  abi::test_kernel k;
  k.body = [](void*, uint64_t, abi::test_outcome*) {};
  HSAuint32 result = 99;
  for (int i = 0; i < 200; ++i) {
    dispatch(k.object(), 10, false);
    for (auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20); done_value() != 0;) {
      ASSERT_LT(std::chrono::steady_clock::now(), end);
      auto status = bzHsaKmtHelp(&done->value, BZ_HELP_UNTIL_EQ, 0, 1000, &result);
      if (status == HSAKMT_STATUS_NOT_SUPPORTED) GTEST_SKIP() << "BZ_HELP=0";
      ASSERT_EQ(status, HSAKMT_STATUS_SUCCESS);
    }
  }
  EXPECT_EQ(bzHsaKmtHelp(nullptr, BZ_HELP_UNTIL_EQ, 0, 1000, &result), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(bzHsaKmtHelp(&done->value, BZ_HELP_UNTIL_EQ, 0, 1000, nullptr), HSAKMT_STATUS_INVALID_PARAMETER);
}

TEST_F(ThunkQueue, MemoryFaultReachesTheMemoryEvent) {
  HsaEvent* faults = make_event(HSA_EVENTTYPE_MEMORY);
  abi::test_kernel bad;
  bad.body = [](void*, uint64_t, abi::test_outcome* out) {
    out->kind = abi::test_outcome::memory_fault;
    out->address = 0x123456;
    out->is_write = 1;
  };
  dispatch(bad.object(), 1);
  ASSERT_EQ(hsaKmtWaitOnEvent(faults, 20'000), HSAKMT_STATUS_SUCCESS);
  const auto& fault = faults->EventData.EventData.MemoryAccessFault;
  EXPECT_EQ(fault.NodeId, 1u);
  EXPECT_EQ(value(fault.VirtualAddress), 0x123000u);
  EXPECT_TRUE(fault.Failure.NotPresent);
}

TEST_F(ThunkQueue, ExceptionReachesErrorReasonAndEvent) {
  dispatch(0x50, 1); // no kernel there
  ASSERT_EQ(hsaKmtWaitOnEvent(error_event, 20'000), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(*error, static_cast<int64_t>(HSA_EC_MASK(HSA_DBG_EC_QUEUE_PACKET_DISPATCH_CODE_INVALID)));
}

TEST_F(ThunkQueue, QueueCallsCheckTheirArguments) {
  HsaQueueResource r = resource;
  EXPECT_EQ(hsaKmtCreateQueue(0, HSA_QUEUE_COMPUTE_AQL, 100, HSA_QUEUE_PRIORITY_NORMAL, ring, kPage, nullptr, &r),
            HSAKMT_STATUS_INVALID_NODE_UNIT);
  EXPECT_EQ(hsaKmtCreateQueue(1, HSA_QUEUE_COMPUTE_AQL, 100, HSA_QUEUE_PRIORITY_NORMAL, ring, kPage, nullptr, nullptr),
            HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(hsaKmtCreateQueue(1, HSA_QUEUE_COMPUTE_AQL, 100, HSA_QUEUE_PRIORITY_NORMAL, nullptr, kPage, nullptr, &r),
            HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(hsaKmtCreateQueue(1, HSA_QUEUE_COMPUTE_AQL, 100, HSA_QUEUE_PRIORITY_NORMAL, ring, 5000, nullptr, &r),
            HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(hsaKmtCreateQueue(1, HSA_QUEUE_COMPUTE_AQL, 101, HSA_QUEUE_PRIORITY_NORMAL, ring, kPage, nullptr, &r),
            HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(hsaKmtCreateQueue(1, HSA_QUEUE_MULTIMEDIA_DECODE, 100, HSA_QUEUE_PRIORITY_NORMAL, ring, kPage, nullptr, &r),
            HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_NE(hsaKmtCreateQueue(1, HSA_QUEUE_SDMA_XGMI, 100, HSA_QUEUE_PRIORITY_NORMAL, ring, kPage, nullptr, &r),
            HSAKMT_STATUS_SUCCESS); // no engine is for that alone
  ASSERT_EQ(hsaKmtCreateQueue(1, HSA_QUEUE_SDMA, 100, HSA_QUEUE_PRIORITY_NORMAL, ring, kPage, nullptr, &r),
            HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtDestroyQueue(r.QueueId), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtUpdateQueue(99, 100, HSA_QUEUE_PRIORITY_NORMAL, ring, kPage, nullptr), HSAKMT_STATUS_INVALID_HANDLE);
  EXPECT_EQ(hsaKmtUpdateQueue(resource.QueueId, 100, HSA_QUEUE_PRIORITY_MAXIMUM, ring, kPage, nullptr),
            HSAKMT_STATUS_SUCCESS);
  HSAuint32 mask = 1;
  EXPECT_EQ(hsaKmtSetQueueCUMask(resource.QueueId, 32, &mask), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtSetQueueCUMask(resource.QueueId, 33, &mask), HSAKMT_STATUS_INVALID_PARAMETER);
  HSAuint32 first = 77;
  EXPECT_EQ(hsaKmtAllocQueueGWS(resource.QueueId, 64, &first), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(first, 0u);
  EXPECT_NE(hsaKmtAllocQueueGWS(resource.QueueId, 64, &first), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtAllocQueueGWS(resource.QueueId, 0, &first), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtAllocQueueGWS(99, 64, &first), HSAKMT_STATUS_INVALID_HANDLE);
  EXPECT_EQ(hsaKmtDestroyQueue(resource.QueueId), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtDestroyQueue(resource.QueueId), HSAKMT_STATUS_INVALID_HANDLE);
}

TEST_F(Thunk, ClocksTilesXnackRuntime) {
  HsaClockCounters a{}, host{};
  ASSERT_EQ(hsaKmtGetClockCounters(1, &a), HSAKMT_STATUS_SUCCESS);
  EXPECT_GT(a.GPUClockCounter, 0u);
  EXPECT_EQ(a.SystemClockFrequencyHz, 1'000'000'000u);
  ASSERT_EQ(hsaKmtGetClockCounters(0, &host), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(host.GPUClockCounter, 0u);
  uint32_t tiles[32], macro[16];
  HsaGpuTileConfig config{};
  config.TileConfig = tiles;
  config.MacroTileConfig = macro;
  config.NumTileConfigs = 32;
  config.NumMacroTileConfigs = 16;
  EXPECT_EQ(hsaKmtGetTileConfig(1, &config), HSAKMT_STATUS_SUCCESS);
  EXPECT_NE(config.GbAddrConfig, 0u);
  HSAint32 xnack = 7;
  ASSERT_EQ(hsaKmtGetXNACKMode(&xnack), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(xnack, 0);
  int r_debug = 0;
  EXPECT_EQ(hsaKmtRuntimeEnable(&r_debug, false), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtRuntimeEnable(&r_debug, false), HSAKMT_STATUS_UNAVAILABLE);
  EXPECT_EQ(hsaKmtRuntimeDisable(), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtSetTrapHandler(1, &r_debug, 0, &r_debug, 0), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtSetMemoryPolicy(1, 0, 1, nullptr, 0), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtSetMemoryPolicy(0, 0, 1, nullptr, 0), HSAKMT_STATUS_INVALID_NODE_UNIT);
}

TEST_F(Thunk, AttributesOfSharedMemory) {
  void* page = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  HSA_SVM_ATTRIBUTE set[] = {{HSA_SVM_ATTR_GRANULARITY, 4}, {HSA_SVM_ATTR_PREFERRED_LOC, 1}};
  EXPECT_EQ(hsaKmtSVMSetAttr(page, kPage, 2, set), HSAKMT_STATUS_SUCCESS);
  HSA_SVM_ATTRIBUTE got[] = {{HSA_SVM_ATTR_GRANULARITY, 0}, {HSA_SVM_ATTR_PREFERRED_LOC, 0}};
  EXPECT_EQ(hsaKmtSVMGetAttr(page, kPage, 2, got), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(got[0].value, 4u);
  EXPECT_EQ(got[1].value, 1u) << "node 1";
  EXPECT_NE(hsaKmtSVMSetAttr(static_cast<char*>(page) + 1, kPage, 2, set), HSAKMT_STATUS_SUCCESS);
  munmap(page, kPage);
  EXPECT_NE(hsaKmtSVMSetAttr(page, kPage, 2, set), HSAKMT_STATUS_SUCCESS) << "nothing is there";
}

TEST_F(Thunk, WhatIsMissingSaysSo) {
  int here = 0;
  EXPECT_EQ(hsaKmtOpenSMI(1, &here), HSAKMT_STATUS_NOT_IMPLEMENTED);
  EXPECT_EQ(hsaKmtPcSamplingSupport(), HSAKMT_STATUS_NOT_IMPLEMENTED);
  EXPECT_EQ(hsaKmtDbgRegister(1), HSAKMT_STATUS_NOT_IMPLEMENTED);
  bool model = true;
  EXPECT_EQ(hsaKmtModelEnabled(&model), HSAKMT_STATUS_SUCCESS);
  EXPECT_FALSE(model);
}

TEST(ThunkExports, EveryRowIsExportedWithItsVersion) {
  const char* names[] = {
#define HSAKMT_API(name, ...) #name,
#define HSAKMT_MISSING(name, ...) #name,
#include "api/hsakmt.def"
#undef HSAKMT_API
#undef HSAKMT_MISSING
  };
  EXPECT_EQ(std::size(names), 92u);
  for (const char* name : names) EXPECT_TRUE(dlvsym(RTLD_DEFAULT, name, "HSAKMT_1")) << name;
  EXPECT_TRUE(dlvsym(RTLD_DEFAULT, "bzHsaKmtHelp", "BOLTZMANN_1"));
}

TEST_F(Thunk, ForkedChildIsNotOpen) {
  pid_t pid = fork();
  if (pid == 0) {
    HsaVersionInfo v{};
    bool closed = hsaKmtGetVersion(&v) == HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED;
    testing::internal::CaptureStderr();
    bool stays = hsaKmtOpenKFD() == HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED; // the device lives in the parent
    bool said = testing::internal::GetCapturedStderr().find("a forked child can't use the GPU") != std::string::npos;
    _exit(closed && stays && said ? 0 : 1);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(ThunkLifetime, OpensAgainAfterTheLastClose) {
  for (int i = 0; i < 3; ++i) {
    ASSERT_EQ(hsaKmtOpenKFD(), HSAKMT_STATUS_SUCCESS);
    void* p = nullptr;
    HsaMemFlags f{};
    f.ui32.HostAccess = 1;
    ASSERT_EQ(hsaKmtAllocMemory(1, 200 * kMiB, f, &p), HSAKMT_STATUS_SUCCESS)
        << "the last round's memory was given back";
    HsaEventDescriptor d{};
    HsaEvent* e = nullptr;
    ASSERT_EQ(hsaKmtCreateEvent(&d, false, false, &e), HSAKMT_STATUS_SUCCESS);
    ASSERT_EQ(hsaKmtCloseKFD(), HSAKMT_STATUS_SUCCESS);
  }
}

} // namespace
