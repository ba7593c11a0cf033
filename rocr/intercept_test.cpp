// Intercepting queues on the fake thunk: what reaches the device's ring, and in which order tools see it.
#include "hsa/amd_hsa_queue.h"
#include "rocr/entry.hpp"
#include "rocr/test_support.hpp"

#include <cstring>

namespace bz::rocr::test {
namespace {

using Writer = hsa_amd_queue_intercept_packet_writer;

class Intercept : public OpenRuntime {
protected:
  static AmdExtTable& amd() { return *api_table().amd_ext_; } // the functions stand in the table only

  void create(uint32_t size, void (*callback)(hsa_status_t, hsa_queue_t*, void*) = nullptr, void* data = nullptr) {
    ASSERT_HSA(HSA_STATUS_SUCCESS, amd().hsa_amd_queue_intercept_create_fn(gpu, size, HSA_QUEUE_TYPE_MULTI, callback, data,
                                                                          UINT32_MAX, UINT32_MAX, &q));
  }
  void add(hsa_amd_queue_intercept_handler handler, void* data) {
    EXPECT_HSA(HSA_STATUS_SUCCESS, amd().hsa_amd_queue_intercept_register_fn(q, handler, data));
  }
  void TearDown() override {
    if (q) EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_queue_destroy(q));
    OpenRuntime::TearDown();
  }

  /// A barrier packet that can be told by a number.
  static hsa_barrier_and_packet_t packet(uint64_t number) {
    hsa_barrier_and_packet_t p{};
    p.header = HSA_PACKET_TYPE_BARRIER_AND << HSA_PACKET_HEADER_TYPE;
    p.reserved2 = number;
    return p;
  }
  void write(const void* what) {
    const uint64_t index = hsa_queue_add_write_index_screlease(q, 1);
    char* slot = static_cast<char*>(q->base_address) + index % q->size * 64;
    std::memcpy(slot + 4, static_cast<const char*>(what) + 4, 60);
    __atomic_store_n(reinterpret_cast<uint32_t*>(slot), *static_cast<const uint32_t*>(what), __ATOMIC_RELEASE);
  }
  void ring() { hsa_signal_store_screlease(q->doorbell_signal, hsa_signal_value_t(hsa_queue_load_write_index_relaxed(q)) - 1); }

  static fake_thunk::Queue& device() { return *fake_thunk::queues()[0]; }
  static uint64_t device_written() { return __atomic_load_n(static_cast<uint64_t*>(device().resource.Queue_write_ptr_aql), __ATOMIC_ACQUIRE); }
  /// Numbers of the packets in the device's ring from `first` on.
  static std::vector<uint64_t> device_packets(uint64_t first = 0) {
    std::vector<uint64_t> numbers;
    const uint64_t slots = device().ring_bytes / 64;
    for (uint64_t i = first; i < device_written(); ++i)
      numbers.push_back(static_cast<hsa_barrier_and_packet_t*>(device().ring)[i % slots].reserved2);
    return numbers;
  }
  static void device_takes(uint64_t packets) {
    __atomic_fetch_add(static_cast<uint64_t*>(device().resource.Queue_read_ptr_aql), packets, __ATOMIC_RELEASE);
  }

  hsa_queue_t* q = nullptr;
};

using Numbers = std::vector<uint64_t>;

TEST_F(Intercept, WithoutToolsPacketsGoThrough) {
  create(64);
  for (uint64_t i = 0; i < 3; ++i) {
    const auto p = packet(i + 10);
    write(&p);
  }
  EXPECT_EQ(device_written(), 0u) << "not rung yet";
  ring();
  EXPECT_EQ(device_packets(), (Numbers{10, 11, 12}));
  EXPECT_EQ(device().doorbell, 2u);
  EXPECT_EQ(hsa_queue_load_read_index_relaxed(q), 3u) << "the program's slots are free again";
  EXPECT_EQ(static_cast<hsa_barrier_and_packet_t*>(q->base_address)[0].header, HSA_PACKET_TYPE_INVALID);
}

TEST_F(Intercept, ToolsSeeBatchesAndChangeThem) {
  create(64);
  struct Seen {
    Numbers numbers;
    uint64_t first = UINT64_MAX;
  } seen;
  add(
      [](const void* packets, uint64_t count, uint64_t index, void* data, Writer writer) {
        auto& s = *static_cast<Seen*>(data);
        s.first = index;
        const auto* p = static_cast<const hsa_barrier_and_packet_t*>(packets);
        for (uint64_t i = 0; i < count; ++i) {
          s.numbers.push_back(p[i].reserved2);
          if (p[i].reserved2 == 2) continue; // left out
          hsa_barrier_and_packet_t twice[2] = {p[i], p[i]};
          twice[1].reserved2 += 100;
          writer(twice, 2);
        }
      },
      &seen);
  for (uint64_t i = 1; i <= 3; ++i) {
    const auto p = packet(i);
    write(&p);
  }
  ring();
  EXPECT_EQ(seen.numbers, (Numbers{1, 2, 3}));
  EXPECT_EQ(seen.first, 0u);
  EXPECT_EQ(device_packets(), (Numbers{1, 101, 3, 103}));
  const auto p = packet(4);
  write(&p);
  ring();
  EXPECT_EQ(seen.first, 3u);
  EXPECT_EQ(device_packets(4), (Numbers{4, 104}));
}

TEST_F(Intercept, TheLastToolIsTheFirstToSee) {
  create(64);
  static Numbers order;
  order.clear();
  const auto handler = [](const void* packets, uint64_t count, uint64_t, void* data, Writer writer) {
    order.push_back(reinterpret_cast<uint64_t>(data));
    writer(packets, count);
  };
  for (uint64_t i = 1; i <= 3; ++i) add(handler, reinterpret_cast<void*>(i));
  const auto p = packet(7);
  write(&p);
  ring();
  EXPECT_EQ(order, (Numbers{3, 2, 1}));
  EXPECT_EQ(device_packets(), (Numbers{7}));
}

TEST_F(Intercept, APacketThatIsNotWrittenYetIsWaitedFor) {
  create(64);
  const uint64_t gap = hsa_queue_add_write_index_screlease(q, 1); // another producer's slot
  const auto p = packet(2);
  write(&p);
  ring();
  EXPECT_EQ(device_written(), 0u);
  const auto first = packet(1);
  std::memcpy(static_cast<char*>(q->base_address) + gap * 64, &first, 64);
  hsa_signal_store_screlease(q->doorbell_signal, hsa_signal_value_t(gap));
  EXPECT_EQ(device_packets(), (Numbers{1, 2}));
}

TEST_F(Intercept, AFullDeviceQueueHoldsTheProgramBack) {
  create(64);
  for (uint64_t i = 0; i < 64; ++i) {
    const auto p = packet(i);
    write(&p);
  }
  ring();
  EXPECT_EQ(device_written(), 64u);
  std::thread producer([&] {
    for (uint64_t i = 64; i < 100; ++i) {
      const auto p = packet(i);
      write(&p);
      ring();
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(device_written(), 64u);
  device_takes(64);
  producer.join();
  EXPECT_EQ(device_written(), 100u);
  EXPECT_EQ(device_packets(64).back(), 99u);
}

TEST_F(Intercept, AMarkerCallsBackBetweenPackets) {
  create(64);
  struct Call {
    uint64_t index = UINT64_MAX, word = 0, rung = 0;
    hsa_queue_t* queue = nullptr;
  } call;
  amd_aql_intercept_marker_t marker{};
  marker.header = HSA_PACKET_TYPE_VENDOR_SPECIFIC << HSA_PACKET_HEADER_TYPE;
  marker.format = AMD_AQL_FORMAT_INTERCEPT_MARKER;
  marker.user_data[0] = reinterpret_cast<uint64_t>(&call);
  marker.user_data[1] = 42;
  marker.callback = [](const amd_aql_intercept_marker_t* m, hsa_queue_t* queue, uint64_t index) {
    *reinterpret_cast<Call*>(m->user_data[0]) = {index, m->user_data[1], device().doorbell, queue};
  };
  const auto before = packet(1), after = packet(2);
  write(&before);
  write(&marker);
  write(&after);
  ring();
  EXPECT_EQ(call.index, 1u) << "it comes after one packet of the device's queue";
  EXPECT_EQ(call.word, 42u);
  EXPECT_EQ(call.rung, 0u) << "what stands before it is the device's by then";
  EXPECT_EQ(call.queue->base_address, device().ring);
  EXPECT_EQ(device_packets(), (Numbers{1, 2})) << "the device never sees the marker";
}

TEST_F(Intercept, ErrorsNameTheProgramsQueue) {
  static std::atomic<hsa_queue_t*> failed;
  failed = nullptr;
  create(64, [](hsa_status_t status, hsa_queue_t* queue, void* data) {
    EXPECT_HSA(HSA_STATUS_ERROR_EXCEPTION, status);
    EXPECT_EQ(data, &failed);
    failed = queue;
  }, &failed);
  fake_thunk::raise_exception(device(), HSA_EC_MASK(HSA_DBG_EC_QUEUE_WAVE_ABORT));
  EXPECT_TRUE(soon([&] { return failed == q; }));
}

TEST_F(Intercept, WhatIsSetGoesToTheDevicesQueue) {
  create(64);
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_queue_set_priority(q, HSA_AMD_QUEUE_PRIORITY_LOW));
  EXPECT_EQ(device().priority, HSA_QUEUE_PRIORITY_MINIMUM);
  hsa_agent_t agent{};
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_queue_get_info(q, HSA_AMD_QUEUE_INFO_AGENT, &agent));
  EXPECT_EQ(agent.handle, gpu.handle);
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_queue_inactivate(q));
  EXPECT_EQ(device().percentage, 0u);
}

TEST_F(Intercept, BadArguments) {
  const auto make = amd().hsa_amd_queue_intercept_create_fn;
  hsa_queue_t* other = nullptr;
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, make(gpu, 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, nullptr));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, make(gpu, 65, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &other));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_QUEUE_CREATION, make(cpu, 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &other));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_AGENT, make({kForeign}, 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &other));
  const auto handler = [](const void* p, uint64_t n, uint64_t, void*, Writer w) { w(p, n); };
  const auto put = amd().hsa_amd_queue_intercept_register_fn;
  create(64);
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, put(nullptr, handler, nullptr));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, put(q, nullptr, nullptr));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_QUEUE, put(reinterpret_cast<hsa_queue_t*>(kForeign), handler, nullptr));
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_queue_create(gpu, 64, HSA_QUEUE_TYPE_MULTI, nullptr, nullptr, 0, 0, &other));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_QUEUE, put(other, handler, nullptr)) << "packets of plain queues go to the device";
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_queue_destroy(other));
}

} // namespace
} // namespace bz::rocr::test
