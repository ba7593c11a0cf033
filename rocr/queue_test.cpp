// Queues on the fake thunk: what the driver is told, indices, doorbells, errors.
#include "hsa/amd_hsa_queue.h"
#include "hsa/amd_hsa_signal.h"
#include "rocr/queue.hpp"
#include "rocr/test_support.hpp"

namespace bz::rocr::test {
namespace {

class Queues : public OpenRuntime {
protected:
  hsa_queue_t* queue(void (*callback)(hsa_status_t, hsa_queue_t*, void*) = nullptr, void* data = nullptr) {
    hsa_queue_t* q = nullptr;
    EXPECT_HSA(HSA_STATUS_SUCCESS,
               hsa_queue_create(gpu, 256, HSA_QUEUE_TYPE_MULTI, callback, data, UINT32_MAX, UINT32_MAX, &q));
    return q;
  }
};

TEST_F(Queues, CreationTellsTheDriver) {
  hsa_queue_t* q = queue();
  ASSERT_NE(q, nullptr);
  ASSERT_EQ(fake_thunk::queues().size(), 1u);
  const auto& driver = *fake_thunk::queues()[0];
  auto* amd = reinterpret_cast<amd_queue_v2_t*>(q);
  EXPECT_EQ(driver.ring, q->base_address);
  EXPECT_EQ(driver.ring_bytes, 256u * 64);
  EXPECT_EQ(driver.resource.Queue_write_ptr_aql, const_cast<uint64_t*>(&amd->write_dispatch_id));
  EXPECT_EQ(driver.resource.Queue_read_ptr_aql, const_cast<uint64_t*>(&amd->read_dispatch_id));
  EXPECT_EQ(amd->read_dispatch_id_field_base_byte_offset, offsetof(amd_queue_v2_t, read_dispatch_id));
  EXPECT_TRUE(amd->queue_properties & AMD_QUEUE_PROPERTIES_IS_PTR64);
  EXPECT_EQ(q->size, 256u);
  for (uint32_t i = 0; i < q->size; ++i)
    EXPECT_EQ(static_cast<hsa_barrier_and_packet_t*>(q->base_address)[i].header, HSA_PACKET_TYPE_INVALID);
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_queue_destroy(q));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_QUEUE, hsa_queue_destroy(q));
  EXPECT_TRUE(fake_thunk::queues().empty());
}

TEST_F(Queues, CreationChecks) {
  hsa_queue_t* q = nullptr;
  const auto create = [&](hsa_agent_t a, uint32_t size, uint32_t type, hsa_queue_t** out) {
    return hsa_queue_create(a, size, type, nullptr, nullptr, 0, 0, out);
  };
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, create(gpu, 256, HSA_QUEUE_TYPE_MULTI, nullptr));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, create(gpu, 100, HSA_QUEUE_TYPE_MULTI, &q));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, create(gpu, 0, HSA_QUEUE_TYPE_MULTI, &q));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, create(gpu, 1 << 20, HSA_QUEUE_TYPE_MULTI, &q));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, create(gpu, 256, 9, &q));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_QUEUE_CREATION, create(cpu, 256, HSA_QUEUE_TYPE_MULTI, &q));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_AGENT, create({0}, 256, HSA_QUEUE_TYPE_MULTI, &q));
  EXPECT_EQ(q, nullptr);
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_queue_destroy(nullptr));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_QUEUE, hsa_queue_destroy(reinterpret_cast<hsa_queue_t*>(kForeign)));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_QUEUE, hsa_queue_inactivate(reinterpret_cast<hsa_queue_t*>(kForeign)));
}

TEST_F(Queues, Indices) {
  hsa_queue_t* q = queue();
  EXPECT_EQ(hsa_queue_add_write_index_relaxed(q, 3), 0u);
  EXPECT_EQ(hsa_queue_add_write_index_scacq_screl(q, 1), 3u);
  EXPECT_EQ(hsa_queue_load_write_index_scacquire(q), 4u);
  EXPECT_EQ(hsa_queue_cas_write_index_relaxed(q, 9, 5), 4u);
  EXPECT_EQ(hsa_queue_cas_write_index_acq_rel(q, 4, 5), 4u);
  EXPECT_EQ(hsa_queue_load_write_index_relaxed(q), 5u);
  hsa_queue_store_write_index_release(q, 8);
  EXPECT_EQ(hsa_queue_load_write_index_acquire(q), 8u);
  EXPECT_EQ(hsa_queue_load_read_index_relaxed(q), 0u);
  hsa_queue_store_read_index_screlease(q, 2);
  EXPECT_EQ(hsa_queue_load_read_index_acquire(q), 2u);
  hsa_queue_destroy(q);
}

TEST_F(Queues, TheDoorbellGoesToTheDevice) {
  hsa_queue_t* q = queue();
  hsa_signal_store_relaxed(q->doorbell_signal, 41);
  EXPECT_EQ(fake_thunk::queues()[0]->doorbell, 41u);
  hsa_signal_store_screlease(q->doorbell_signal, 42);
  EXPECT_EQ(fake_thunk::queues()[0]->doorbell, 42u);
  EXPECT_EQ(reinterpret_cast<amd_signal_t*>(q->doorbell_signal.handle)->kind, AMD_SIGNAL_KIND_DOORBELL);
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_SIGNAL, hsa_signal_destroy(q->doorbell_signal));
  uint64_t id = 0;
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_queue_get_info(q, HSA_AMD_QUEUE_INFO_DOORBELL_ID, &id));
  EXPECT_EQ(id, reinterpret_cast<uint64_t>(&fake_thunk::queues()[0]->doorbell));
  hsa_queue_destroy(q);
}

TEST_F(Queues, PriorityMaskAndInactivation) {
  hsa_queue_t* q = queue();
  auto& driver = *fake_thunk::queues()[0];
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_queue_set_priority(q, HSA_AMD_QUEUE_PRIORITY_HIGH));
  EXPECT_EQ(driver.priority, HSA_QUEUE_PRIORITY_MAXIMUM);
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT,
             hsa_amd_queue_set_priority(q, static_cast<hsa_amd_queue_priority_t>(7)));
  const uint32_t few[] = {0xf0f, 0};
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_queue_cu_set_mask(q, 64, few));
  EXPECT_EQ(driver.cu_mask[0], 0xf0fu);
  uint32_t read[2] = {};
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_queue_cu_get_mask(q, 64, read));
  EXPECT_EQ(read[0], 0xf0fu);
  const std::vector<uint32_t> too_many(12, ~0u);
  EXPECT_HSA(HSA_STATUS_CU_MASK_REDUCED, hsa_amd_queue_cu_set_mask(q, 384, too_many.data()));
  const uint32_t none[] = {0};
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_queue_cu_set_mask(q, 32, none));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_queue_cu_set_mask(q, 33, few));
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_queue_inactivate(q));
  EXPECT_EQ(driver.percentage, 0u);
  hsa_queue_destroy(q);
}

TEST_F(Queues, ProfilingFlag) {
  hsa_queue_t* q = queue();
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_profiling_set_profiler_enabled(q, 1));
  EXPECT_TRUE(reinterpret_cast<amd_queue_v2_t*>(q)->queue_properties & AMD_QUEUE_PROPERTIES_ENABLE_PROFILING);
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_profiling_set_profiler_enabled(q, 0));
  EXPECT_FALSE(reinterpret_cast<amd_queue_v2_t*>(q)->queue_properties & AMD_QUEUE_PROPERTIES_ENABLE_PROFILING);
  hsa_queue_destroy(q);
}

TEST_F(Queues, DispatchTimesAreInSystemTicks) {
  const hsa_signal_t s = signal(0);
  hsa_amd_profiling_dispatch_time_t time{};
  EXPECT_HSA(HSA_STATUS_ERROR, hsa_amd_profiling_get_dispatch_time(gpu, s, &time));
  uint64_t now = 0;
  hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &now);
  auto* amd = reinterpret_cast<amd_signal_t*>(s.handle);
  amd->start_ts = now / 10 - 500; // the device counts at 100 MHz
  amd->end_ts = now / 10;
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_amd_profiling_get_dispatch_time(gpu, s, &time));
  EXPECT_NEAR(double(time.start), double(now) - 5000, 20'000'000);
  EXPECT_NEAR(double(time.end - time.start), 5000, 1'000'000);
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_AGENT, hsa_amd_profiling_get_dispatch_time(cpu, s, &time));
  hsa_signal_destroy(s);
}

TEST_F(Queues, AnExceptionReachesTheCallback) {
  struct Seen {
    std::atomic<int> status{0};
    std::atomic<hsa_queue_t*> queue{nullptr};
  } seen;
  const auto callback = [](hsa_status_t status, hsa_queue_t* q, void* data) {
    auto* s = static_cast<Seen*>(data);
    s->queue = q;
    s->status = static_cast<int>(status);
  };
  hsa_queue_t* q = queue(callback, &seen);
  fake_thunk::raise_exception(*fake_thunk::queues()[0], HSA_EC_MASK(HSA_DBG_EC_QUEUE_WAVE_TRAP));
  EXPECT_TRUE(soon([&] { return seen.status == HSA_STATUS_ERROR_EXCEPTION; }));
  EXPECT_EQ(seen.queue, q);
  hsa_queue_destroy(q);
}

TEST_F(Queues, EveryExceptionHasItsStatus) {
  const auto of = [](int code) { return static_cast<int>(status_of_exceptions(HSA_EC_MASK(code))); };
  EXPECT_EQ(of(HSA_DBG_EC_QUEUE_WAVE_ABORT), HSA_STATUS_ERROR_EXCEPTION);
  EXPECT_EQ(of(HSA_DBG_EC_QUEUE_WAVE_ILLEGAL_INSTRUCTION), HSA_STATUS_ERROR_ILLEGAL_INSTRUCTION);
  EXPECT_EQ(of(HSA_DBG_EC_QUEUE_WAVE_MEMORY_VIOLATION), HSA_STATUS_ERROR_MEMORY_FAULT);
  EXPECT_EQ(of(HSA_DBG_EC_QUEUE_WAVE_APERTURE_VIOLATION), HSA_STATUS_ERROR_MEMORY_APERTURE_VIOLATION);
  EXPECT_EQ(of(HSA_DBG_EC_QUEUE_PACKET_DISPATCH_DIM_INVALID), HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS);
  EXPECT_EQ(of(HSA_DBG_EC_QUEUE_PACKET_DISPATCH_GROUP_SEGMENT_SIZE_INVALID), HSA_STATUS_ERROR_INVALID_ALLOCATION);
  EXPECT_EQ(of(HSA_DBG_EC_QUEUE_PACKET_DISPATCH_CODE_INVALID), HSA_STATUS_ERROR_INVALID_CODE_OBJECT);
  EXPECT_EQ(of(HSA_DBG_EC_QUEUE_PACKET_UNSUPPORTED), HSA_STATUS_ERROR_INVALID_PACKET_FORMAT);
  EXPECT_EQ(of(HSA_DBG_EC_QUEUE_PACKET_DISPATCH_WORK_GROUP_SIZE_INVALID), HSA_STATUS_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(of(HSA_DBG_EC_QUEUE_PACKET_DISPATCH_REGISTER_INVALID), HSA_STATUS_ERROR_OUT_OF_REGISTERS);
  EXPECT_EQ(of(60), HSA_STATUS_ERROR);
}

TEST_F(Queues, AQueueCanBeDestroyedInItsErrorCallback) {
  static std::atomic<bool> done;
  done = false;
  queue([](hsa_status_t, hsa_queue_t* q, void*) {
    EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_queue_destroy(q));
    done = true;
  });
  fake_thunk::raise_exception(*fake_thunk::queues()[0], HSA_EC_MASK(HSA_DBG_EC_QUEUE_WAVE_ABORT));
  EXPECT_TRUE(soon([] { return done.load(); }));
}

TEST_F(Queues, ASoftQueueIsTheProgramsOwn) {
  const hsa_region_t region{pool(cpu, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED).handle};
  const hsa_signal_t bell = signal(0);
  hsa_queue_t* q = nullptr;
  const auto create = [&](hsa_region_t r, uint32_t size, uint32_t features, hsa_signal_t s) {
    return hsa_soft_queue_create(r, size, HSA_QUEUE_TYPE_MULTI, features, s, &q);
  };
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_REGION, create({kForeign}, 16, 1, bell));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, create(region, 15, 1, bell));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, create(region, 16, 0, bell));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_SIGNAL, create(region, 16, 1, {kForeign}));
  ASSERT_HSA(HSA_STATUS_SUCCESS, create(region, 16, HSA_QUEUE_FEATURE_AGENT_DISPATCH, bell));
  EXPECT_EQ(q->size, 16u);
  EXPECT_EQ(q->doorbell_signal.handle, bell.handle);
  // The program is both sides: it writes a packet and takes it out.
  const uint64_t at = hsa_queue_add_write_index_relaxed(q, 1);
  auto* packet = static_cast<hsa_agent_dispatch_packet_t*>(q->base_address) + at;
  EXPECT_EQ(packet->header, HSA_PACKET_TYPE_INVALID);
  packet->arg[0] = 99;
  hsa_signal_store_screlease(q->doorbell_signal, static_cast<hsa_signal_value_t>(at) + 1);
  EXPECT_EQ(hsa_signal_load_relaxed(bell), 1);
  hsa_queue_store_read_index_screlease(q, 1);
  EXPECT_EQ(hsa_queue_load_read_index_relaxed(q), 1u);
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_queue_destroy(q));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_QUEUE, hsa_queue_destroy(q));
  hsa_signal_destroy(bell);
}

TEST_F(Queues, ShutDownDestroysWhatIsLeft) {
  queue();
  queue();
  signal(1);
  void* p = nullptr;
  hsa_amd_memory_pool_allocate(pool(gpu, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED), 4096, 0, &p);
  // TearDown looks that nothing is left in the driver.
}

} // namespace
} // namespace bz::rocr::test
