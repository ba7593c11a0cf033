#include "gpu/sdma.hpp"

#include "abi/sdma.hpp"
#include "gpu/device.hpp"
#include "gpu/fake_engine.hpp"

#include <chrono>
#include <cstring>
#include <gtest/gtest.h>
#include <numeric>
#include <sys/mman.h>
#include <thread>

namespace {
using namespace bz;
using namespace bz::gpu;
using namespace std::chrono_literals;
namespace abi = bz::abi;

struct TestSink : Sink {
  std::atomic<uint32_t> interrupts{0}, last_interrupt{0};
  std::atomic<uint64_t> fault_address{0}, exception{0};
  void interrupt(uint32_t event) override {
    last_interrupt = event;
    ++interrupts;
  }
  bool memory_fault(uint32_t, uint64_t address, bool) override {
    fault_address = address;
    return false;
  }
  void queue_exception(uint32_t, uint64_t mask) override { exception |= mask; }
};

template <class F> bool eventually(F f) {
  for (auto end = std::chrono::steady_clock::now() + 20s; !f(); std::this_thread::sleep_for(20us))
    if (std::chrono::steady_clock::now() > end) return false;
  return true;
}

uint32_t low(const void* p) { return static_cast<uint32_t>(reinterpret_cast<uint64_t>(p)); }
uint32_t high(const void* p) { return static_cast<uint32_t>(reinterpret_cast<uint64_t>(p) >> 32); }

class SdmaTest : public testing::Test {
protected:
  static constexpr uint32_t kRingBytes = 4096;
  /// As a client makes it.
  struct Client {
    alignas(4096) uint32_t ring[kRingBytes / 4] = {};
    std::atomic<uint64_t> read{0}, write{0};
    uint64_t* doorbell = nullptr;
    uint32_t id = 0;

    void put(std::initializer_list<uint32_t> packet) {
      uint64_t at = write, rest = (kRingBytes - at % kRingBytes) / 4;
      if (rest >= packet.size()) rest = 0;
      while (at + (rest + packet.size()) * 4 - read > kRingBytes) std::this_thread::yield();
      if (rest) { // no packet crosses the end
        ring[at % kRingBytes / 4] = abi::SDMA_OP_NOP | static_cast<uint32_t>(rest - 1) << 16;
        at += rest * 4;
      }
      std::copy(packet.begin(), packet.end(), ring + at % kRingBytes / 4);
      write = at + packet.size() * 4;
      __atomic_store_n(doorbell, write.load(), __ATOMIC_RELEASE);
    }
    bool drained() const { return read == write; }
  };

  void SetUp() override {
    auto products = parse_gpus("gfx906,cus=2", Machine{.threads = 2, .memory_bytes = 8ull << 30});
    ASSERT_TRUE(products.ok());
    DeviceSetConfig config;
    config.products = *products;
    config.engine = fake::make;
    config.host_bytes = 1ull << 30;
    config.workers = 1;
    auto made = DeviceSet::create(std::move(config), sink);
    ASSERT_TRUE(made.ok()) << made.status().message();
    set = std::move(*made);
    open(a, 0);
  }
  void TearDown() override {
    set.reset(); // before what the queues point to
  }
  void open(Client& c, uint32_t engine) {
    QueueConfig config;
    config.ring = reinterpret_cast<uint64_t>(c.ring);
    config.ring_bytes = kRingBytes;
    config.read_pointer = reinterpret_cast<uint64_t>(&c.read);
    config.write_pointer = reinterpret_cast<uint64_t>(&c.write);
    auto id = set->create_copy_queue(config, engine);
    ASSERT_TRUE(id.ok()) << id.status().message();
    c.id = *id;
    auto view = set->device(0).doorbells().map(nullptr, DoorbellPage::kBytes, false);
    c.doorbell = static_cast<uint64_t*>(*view) + *set->sdma().doorbell_slot(c.id);
  }
  void copy(Client& c, void* to, const void* from, uint32_t bytes) {
    c.put({abi::SDMA_OP_COPY, bytes - 1, 0, low(from), high(from), low(to), high(to)});
  }

  TestSink sink;
  std::unique_ptr<DeviceSet> set;
  Client a, b;
};

TEST_F(SdmaTest, CopiesBytesOfAnyAlignmentAndWrapsAround) {
  std::vector<uint8_t> from(70000), to(70000);
  std::iota(from.begin(), from.end(), uint8_t{1});
  for (uint32_t i = 0; i < 700; ++i) copy(a, &to[i * 100 + i % 3], &from[i * 100 + i % 3], 97); // many times the ring
  ASSERT_TRUE(eventually([&] { return a.drained(); }));
  for (uint32_t i = 0; i < 700; ++i) ASSERT_EQ(memcmp(&to[i * 100 + i % 3], &from[i * 100 + i % 3], 97), 0) << i;
  EXPECT_EQ(to[99], 0);
}

TEST_F(SdmaTest, BroadcastsToASecondDestination) {
  uint32_t from[4] = {1, 2, 3, 4}, x[4] = {}, y[4] = {};
  a.put({abi::SDMA_OP_COPY | 1u << 27, sizeof from - 1, 0, low(from), high(from), low(x), high(x), low(y), high(y)});
  ASSERT_TRUE(eventually([&] { return a.drained(); }));
  EXPECT_EQ(memcmp(x, from, sizeof x), 0);
  EXPECT_EQ(memcmp(y, from, sizeof y), 0);
}

TEST_F(SdmaTest, CopiesABox) {
  // 2 x 3 x 2 elements of 4 bytes out of 8 x 5 x 3 into 6 x 4 x 2.
  uint32_t from[3][5][8], to[2][4][6] = {};
  for (uint32_t i = 0; i < 120; ++i) (&from[0][0][0])[i] = i;
  a.put({abi::SDMA_OP_COPY | abi::SDMA_SUBOP_COPY_LINEAR_RECT << 8 | 2u << 29, low(from), high(from), 3 | 1 << 16,
         1 | 7 << 13, 39, low(to), high(to), 2 | 1 << 16, 0 | 5 << 13, 23, 1 | 2 << 16, 1});
  ASSERT_TRUE(eventually([&] { return a.drained(); }));
  for (int z = 0; z < 2; ++z)
    for (int y = 0; y < 4; ++y)
      for (int x = 0; x < 6; ++x) {
        bool inside = y >= 1 && x >= 2 && x < 4;
        EXPECT_EQ(to[z][y][x], inside ? from[z + 1][y][x + 1] : 0) << z << y << x;
      }
}

TEST_F(SdmaTest, WritesFillsAndFences) {
  uint32_t data[6] = {}, flag = 0;
  uint8_t bytes[5] = {};
  a.put({abi::SDMA_OP_WRITE, low(data), high(data), 1, 11, 12});
  a.put({abi::SDMA_OP_CONST_FILL | 2u << 30, low(&data[2]), high(&data[2]), 7, 3 * 4 - 1});
  a.put({abi::SDMA_OP_CONST_FILL, low(bytes), high(bytes), 0x1ab, 4 - 1});
  a.put({abi::SDMA_OP_FENCE, low(&flag), high(&flag), 77});
  a.put({abi::SDMA_OP_TRAP, 5});
  ASSERT_TRUE(eventually([&] { return sink.interrupts.load() == 1; }));
  EXPECT_EQ(flag, 77u);
  EXPECT_EQ(sink.last_interrupt, 5u);
  uint32_t want[6] = {11, 12, 7, 7, 7, 0};
  EXPECT_EQ(memcmp(data, want, sizeof data), 0);
  EXPECT_EQ(bytes[3], 0xab);
  EXPECT_EQ(bytes[4], 0);
}

TEST_F(SdmaTest, APollHoldsItsQueueBackAndNoOther) {
  open(b, 0); // of the same engine
  uint32_t gate = 0, behind = 0, other = 0;
  a.put({abi::SDMA_OP_POLL_REGMEM | 3u << 28 | 1u << 31, low(&gate), high(&gate), 0x12, 0xff, 0xfffu << 16});
  a.put({abi::SDMA_OP_FENCE, low(&behind), high(&behind), 1});
  b.put({abi::SDMA_OP_FENCE, low(&other), high(&other), 1});
  ASSERT_TRUE(eventually([&] { return __atomic_load_n(&other, __ATOMIC_ACQUIRE) == 1; }));
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(__atomic_load_n(&behind, __ATOMIC_ACQUIRE), 0u);
  __atomic_store_n(&gate, 0x5512, __ATOMIC_RELEASE); // equal under the mask
  EXPECT_TRUE(eventually([&] { return __atomic_load_n(&behind, __ATOMIC_ACQUIRE) == 1; }));
}

TEST_F(SdmaTest, APollGivesUpAfterItsRetries) {
  uint32_t gate = 0, behind = 0;
  a.put({abi::SDMA_OP_POLL_REGMEM | 3u << 28 | 1u << 31, low(&gate), high(&gate), 1, ~0u, 3u << 16});
  a.put({abi::SDMA_OP_FENCE, low(&behind), high(&behind), 1});
  EXPECT_TRUE(eventually([&] { return __atomic_load_n(&behind, __ATOMIC_ACQUIRE) == 1; }));
}

TEST_F(SdmaTest, Atomics) {
  auto op = [](uint32_t which) { return abi::SDMA_OP_ATOMIC | which << 25; };
  alignas(8) uint64_t x = 10, y = 5;
  uint32_t z = 3;
  auto minus_one = ~uint64_t{0};
  a.put({op(abi::SDMA_ATOMIC_ADD | abi::SDMA_ATOMIC_64), low(&x), high(&x), static_cast<uint32_t>(minus_one), ~0u, 0, 0, 0});
  a.put({op(abi::SDMA_ATOMIC_CMPSWAP | abi::SDMA_ATOMIC_64), low(&y), high(&y), 8, 1, 5, 0, 0});
  a.put({op(abi::SDMA_ATOMIC_SMIN | abi::SDMA_ATOMIC_NO_RETURN), low(&z), high(&z), static_cast<uint32_t>(-7), 0, 0, 0, 0});
  ASSERT_TRUE(eventually([&] { return a.drained(); }));
  EXPECT_EQ(x, 9u);
  EXPECT_EQ(y, (uint64_t{1} << 32) + 8);
  EXPECT_EQ(z, static_cast<uint32_t>(-7));
}

TEST_F(SdmaTest, TimestampsConditionsAndBuffers) {
  alignas(32) uint64_t times[4] = {};
  uint32_t flag = 3, skipped = 0, run = 0, in_buffer = 0;
  alignas(32) uint32_t buffer[8] = {abi::SDMA_OP_FENCE, low(&in_buffer), high(&in_buffer), 9, abi::SDMA_OP_NOP};
  auto stamp = [&](uint64_t* at) {
    a.put({abi::SDMA_OP_TIMESTAMP | abi::SDMA_SUBOP_TIMESTAMP_GET_GLOBAL << 8, low(at), high(at)});
  };
  stamp(&times[0]);
  a.put({abi::SDMA_OP_COND_EXE, low(&flag), high(&flag), 4, 4});
  a.put({abi::SDMA_OP_FENCE, low(&skipped), high(&skipped), 1});
  a.put({abi::SDMA_OP_COND_EXE, low(&flag), high(&flag), 3, 4});
  a.put({abi::SDMA_OP_FENCE, low(&run), high(&run), 1});
  a.put({abi::SDMA_OP_INDIRECT, low(buffer), high(buffer), 8, 0, 0});
  stamp(&times[1]);
  ASSERT_TRUE(eventually([&] { return a.drained(); }));
  EXPECT_EQ(skipped, 0u);
  EXPECT_EQ(run, 1u);
  EXPECT_EQ(in_buffer, 9u);
  EXPECT_NE(times[0], 0u);
  EXPECT_LE(times[0], times[1]);
}

TEST_F(SdmaTest, RunsBesideAKernelThatDoesNotEnd) {
  // One worker, and it is busy until the copy engine's fence comes.
  std::atomic<uint32_t> fence{0};
  fake::Kernel kernel;
  kernel.body = [&](const exec::DispatchInfo&, uint64_t) {
    return eventually([&] { return fence.load() == 1; }) ? fake::finish() : fake::park();
  };
  alignas(4096) static abi::hsa_kernel_dispatch_packet_t ring[64];
  for (auto& p : ring) p.header = abi::HSA_PACKET_TYPE_INVALID;
  std::atomic<uint64_t> read{0}, write{0};
  QueueConfig config;
  config.ring = reinterpret_cast<uint64_t>(ring);
  config.ring_bytes = sizeof ring;
  config.read_pointer = reinterpret_cast<uint64_t>(&read);
  config.write_pointer = reinterpret_cast<uint64_t>(&write);
  auto id = set->create_queue(config);
  ASSERT_TRUE(id.ok());
  abi::amd_signal_t done{};
  done.kind = abi::AMD_SIGNAL_KIND_USER;
  done.value = 1;
  auto& p = ring[0];
  p.setup = 1;
  p.workgroup_size_x = p.workgroup_size_y = p.workgroup_size_z = 1;
  p.grid_size_x = p.grid_size_y = p.grid_size_z = 1;
  p.kernel_object = kernel.object();
  p.completion_signal = {reinterpret_cast<uint64_t>(&done)};
  write = 1;
  __atomic_store_n(&p.header, uint16_t{abi::HSA_PACKET_TYPE_KERNEL_DISPATCH}, __ATOMIC_RELEASE);
  auto view = set->device(0).doorbells().map(nullptr, DoorbellPage::kBytes, false);
  __atomic_store_n(static_cast<uint64_t*>(*view) + *set->scheduler().doorbell_slot(*id), 0, __ATOMIC_RELEASE);
  ASSERT_TRUE(eventually([&] { return read == 1; }));
  std::this_thread::sleep_for(20ms); // the kernel runs, and nobody polls for the copy engine
  a.put({abi::SDMA_OP_FENCE, low(&fence), high(&fence), 1});
  EXPECT_TRUE(eventually([&] { return __atomic_load_n(&done.value, __ATOMIC_ACQUIRE) == 0; }));
  EXPECT_EQ(fence, 1u);
}

TEST_F(SdmaTest, NamesWhatItCantDo) {
  open(b, 1);
  a.put({0xfe});
  b.put({abi::SDMA_OP_TIMESTAMP, 0, 0});
  std::string why;
  ASSERT_TRUE(eventually([&] { return set->sdma().failed(a.id, why); }));
  EXPECT_NE(why.find("operation 254"), std::string::npos) << why;
  ASSERT_TRUE(eventually([&] { return set->sdma().failed(b.id, why); }));
  EXPECT_NE(why.find("TIMESTAMP"), std::string::npos) << why;
  EXPECT_NE(sink.exception, 0u);
}

TEST_F(SdmaTest, ReportsTheAddressThatFaults) {
  constexpr size_t kPage = 4096;
  auto* two = static_cast<char*>(mmap(nullptr, 2 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_EQ(mprotect(two + kPage, kPage, PROT_READ), 0);
  std::vector<char> from(kPage);
  copy(a, two + kPage - 100, from.data(), 200);
  std::string why;
  ASSERT_TRUE(eventually([&] { return set->sdma().failed(a.id, why); }));
  EXPECT_EQ(sink.fault_address, reinterpret_cast<uint64_t>(two + kPage));
  EXPECT_NE(why.find("written"), std::string::npos) << why;
  munmap(two, 2 * kPage);
}

TEST_F(SdmaTest, QueuesAreCountedAndEnd) {
  QueueConfig config;
  config.ring = reinterpret_cast<uint64_t>(a.ring);
  config.ring_bytes = kRingBytes;
  config.read_pointer = reinterpret_cast<uint64_t>(&a.read);
  config.write_pointer = reinterpret_cast<uint64_t>(&a.write);
  std::vector<uint32_t> ids;
  for (;;) {
    auto id = set->create_copy_queue(config, Sdma::kAnyEngine);
    if (!id.ok()) {
      EXPECT_EQ(id.status().code(), Code::out_of_resources);
      break;
    }
    ids.push_back(*id);
  }
  EXPECT_EQ(ids.size() + 1, kSdmaEngines * kSdmaQueuesPerEngine);
  for (uint32_t id : ids) EXPECT_TRUE(set->sdma().destroy_queue(id).ok());
  EXPECT_EQ(set->sdma().destroy_queue(ids[0]).code(), Code::invalid_handle);
  EXPECT_EQ(set->sdma().queue_count(), 1u);
  EXPECT_EQ(set->create_copy_queue(config, kSdmaEngines).status().code(), Code::invalid_argument);
  config.ring += 4;
  EXPECT_EQ(set->create_copy_queue(config, 0).status().code(), Code::invalid_argument);
  // Stopped, it takes nothing; started again, it goes on.
  uint32_t flag = 0;
  EXPECT_TRUE(set->sdma().update_queue(a.id, 0, 0, 0).ok());
  a.put({abi::SDMA_OP_FENCE, low(&flag), high(&flag), 1});
  std::this_thread::sleep_for(5ms);
  EXPECT_EQ(__atomic_load_n(&flag, __ATOMIC_ACQUIRE), 0u);
  EXPECT_TRUE(set->sdma().update_queue(a.id, 0, 0, 100).ok());
  EXPECT_TRUE(eventually([&] { return __atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 1; }));
}

} // namespace
