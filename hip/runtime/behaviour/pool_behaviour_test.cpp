#include "hip/runtime/behaviour/support.hpp"

#include <thread>

namespace {

constexpr size_t kBig = 8 << 20;

hipMemPoolProps on_device(int device) {
  hipMemPoolProps props{};
  props.allocType = hipMemAllocationTypePinned;
  props.location = {hipMemLocationTypeDevice, device};
  return props;
}

class Pool : public testing::Test {
protected:
  void SetUp() override {
    const auto props = on_device(0);
    ASSERT_OK(hipMemPoolCreate(&pool_, &props));
    ASSERT_OK(hipStreamCreateWithFlags(&a_, hipStreamNonBlocking));
    ASSERT_OK(hipStreamCreateWithFlags(&b_, hipStreamNonBlocking));
    ASSERT_OK(hipEventCreate(&event_));
  }
  void TearDown() override {
    release();
    EXPECT_OK(hipStreamSynchronize(a_));
    EXPECT_OK(hipStreamSynchronize(b_));
    EXPECT_OK(hipEventDestroy(event_));
    EXPECT_OK(hipStreamDestroy(a_));
    EXPECT_OK(hipStreamDestroy(b_));
    if (pool_) EXPECT_OK(hipMemPoolDestroy(pool_));
    (void)hipGetLastError();
  }
  uint64_t get(hipMemPoolAttr attribute) {
    uint64_t value = 0;
    EXPECT_OK(hipMemPoolGetAttribute(pool_, attribute, &value));
    return value;
  }
  void set(hipMemPoolAttr attribute, uint64_t value) { EXPECT_OK(hipMemPoolSetAttribute(pool_, attribute, &value)); }
  void only(hipMemPoolAttr reuse) {
    for (auto attribute : {hipMemPoolReuseFollowEventDependencies, hipMemPoolReuseAllowOpportunistic,
                           hipMemPoolReuseAllowInternalDependencies})
      set(attribute, attribute == reuse);
  }
  void* take(size_t size, hipStream_t stream) {
    void* p = nullptr;
    EXPECT_OK(hipMallocFromPoolAsync(&p, size, pool_, stream));
    return p;
  }
  /// Keeps the stream busy until release().
  void occupy(hipStream_t stream) {
    flag_.store(0, 0);
    ASSERT_OK(launch(kernels::spin, 1, 1, 0, stream, flag_.get(), out_.get()));
  }
  void release() { flag_.store(0, 1); }

  hipMemPool_t pool_ = nullptr;
  hipStream_t a_ = nullptr, b_ = nullptr;
  hipEvent_t event_ = nullptr;
  PinnedBuffer<int> flag_{1}, out_{1};
};

TEST_F(Pool, MemoryIsUsableInStreamOrder) {
  int* p = static_cast<int*>(take(1024 * sizeof(int), a_));
  ASSERT_OK(launch(kernels::fill, 4, 256, 0, a_, p, 7, 1024));
  std::vector<int> host(1024);
  ASSERT_OK(hipMemcpyAsync(host.data(), p, 4096, hipMemcpyDeviceToHost, a_));
  ASSERT_OK(hipFreeAsync(p, a_));
  ASSERT_OK(hipStreamSynchronize(a_));
  EXPECT_EQ(host, std::vector<int>(1024, 7));
  EXPECT_HIP(hipErrorInvalidValue, hipFreeAsync(p, a_)) << "twice";
  EXPECT_HIP(hipErrorInvalidValue, hipMemset(p, 0, 4)) << "after free";
}

TEST_F(Pool, UsedAndReservedAreCounted) {
  EXPECT_EQ(get(hipMemPoolAttrReservedMemCurrent), 0u);
  void* big = take(kBig, a_);
  void* small = take(2048, a_);
  EXPECT_EQ(get(hipMemPoolAttrUsedMemCurrent), kBig + 2048);
  EXPECT_EQ(get(hipMemPoolAttrReservedMemCurrent), kBig + 4096);
  EXPECT_OK(hipFreeAsync(big, a_));
  EXPECT_EQ(get(hipMemPoolAttrUsedMemCurrent), 2048u);
  EXPECT_EQ(get(hipMemPoolAttrUsedMemHigh), kBig + 2048);
  EXPECT_EQ(get(hipMemPoolAttrReservedMemCurrent), kBig + 4096) << "until a synchronisation";
  set(hipMemPoolAttrUsedMemHigh, 0);
  EXPECT_EQ(get(hipMemPoolAttrUsedMemHigh), 2048u);
  EXPECT_OK(hipStreamSynchronize(a_));
  EXPECT_EQ(get(hipMemPoolAttrReservedMemCurrent), 4096u) << "the threshold is 0";
  EXPECT_EQ(get(hipMemPoolAttrReservedMemHigh), kBig + 4096);
  EXPECT_OK(hipFree(small));
  EXPECT_EQ(get(hipMemPoolAttrReservedMemCurrent), 0u) << "hipFree waits and gives back at once";
}

TEST_F(Pool, ThresholdHoldsAndTrimReleases) {
  set(hipMemPoolAttrReleaseThreshold, 2 * kBig);
  size_t before, held, after, total;
  ASSERT_OK(hipMemGetInfo(&before, &total));
  void* p = take(kBig, a_);
  occupy(a_);
  EXPECT_OK(hipFreeAsync(p, a_));
  EXPECT_OK(hipMemPoolTrimTo(pool_, 0));
  EXPECT_EQ(get(hipMemPoolAttrReservedMemCurrent), kBig) << "work may still use it";
  release();
  EXPECT_OK(hipStreamSynchronize(a_));
  ASSERT_OK(hipMemGetInfo(&held, &total));
  EXPECT_EQ(get(hipMemPoolAttrReservedMemCurrent), kBig) << "below the threshold";
  EXPECT_EQ(held, before - kBig);
  EXPECT_OK(hipMemPoolTrimTo(pool_, kBig));
  EXPECT_EQ(get(hipMemPoolAttrReservedMemCurrent), kBig);
  EXPECT_OK(hipMemPoolTrimTo(pool_, kBig - 1));
  EXPECT_EQ(get(hipMemPoolAttrReservedMemCurrent), 0u);
  ASSERT_OK(hipMemGetInfo(&after, &total));
  EXPECT_EQ(after, before);
}

TEST_F(Pool, TheSameStreamReusesAtOnce) {
  only(hipMemPoolAttr(0));
  void* p = take(kBig, a_);
  occupy(a_);
  EXPECT_OK(hipFreeAsync(p, a_));
  EXPECT_EQ(take(kBig, a_), p);
  EXPECT_NE(take(kBig, b_), p);
}

TEST_F(Pool, AnotherStreamReusesWhatIsIdleIfItMay) {
  only(hipMemPoolReuseAllowOpportunistic);
  set(hipMemPoolAttrReleaseThreshold, UINT64_MAX);
  void* p = take(kBig, a_);
  occupy(a_);
  EXPECT_OK(hipFreeAsync(p, a_));
  void* q = take(kBig, b_);
  EXPECT_NE(q, p) << "the work isn't done";
  release();
  ASSERT_OK(hipStreamSynchronize(a_));
  only(hipMemPoolAttr(0));
  void* r = take(kBig, b_);
  EXPECT_NE(r, p) << "not allowed";
  only(hipMemPoolReuseAllowOpportunistic);
  EXPECT_EQ(take(kBig, b_), p);
}

TEST_F(Pool, AStreamThatWaitsForTheEventReuses) {
  only(hipMemPoolReuseFollowEventDependencies);
  void* p = take(kBig, a_);
  occupy(a_);
  EXPECT_OK(hipFreeAsync(p, a_));
  void* before = take(kBig, b_);
  EXPECT_NE(before, p);
  ASSERT_OK(hipEventRecord(event_, a_));
  ASSERT_OK(hipStreamWaitEvent(b_, event_, 0));
  only(hipMemPoolAttr(0));
  EXPECT_NE(take(kBig, b_), p) << "not allowed";
  only(hipMemPoolReuseFollowEventDependencies);
  EXPECT_EQ(take(kBig, b_), p);
}

TEST_F(Pool, AnEventBeforeTheLastWorkIsNotEnough) {
  only(hipMemPoolReuseFollowEventDependencies);
  void* p = take(kBig, a_);
  occupy(a_);
  ASSERT_OK(hipEventRecord(event_, a_));
  ASSERT_OK(launch(kernels::fill, 1, 256, 0, a_, p, 1, 256));
  EXPECT_OK(hipFreeAsync(p, a_));
  ASSERT_OK(hipStreamWaitEvent(b_, event_, 0));
  EXPECT_NE(take(kBig, b_), p);
}

TEST(PoolMaximum, InternalDependenciesWaitInsteadOfGrowing) {
  auto props = on_device(0);
  props.maxSize = kBig;
  hipMemPool_t pool;
  ASSERT_OK(hipMemPoolCreate(&pool, &props));
  hipStream_t a, b;
  ASSERT_OK(hipStreamCreateWithFlags(&a, hipStreamNonBlocking));
  ASSERT_OK(hipStreamCreateWithFlags(&b, hipStreamNonBlocking));
  PinnedBuffer<int> flag(1), out(1), copied(1);
  int *p = nullptr, *q = nullptr;
  ASSERT_OK(hipMallocFromPoolAsync(reinterpret_cast<void**>(&p), kBig, pool, a));
  ASSERT_OK(launch(kernels::spin, 1, 1, 0, a, flag.get(), out.get()));
  ASSERT_OK(launch(kernels::fill, 1, 1, 0, a, p, 1, 1));
  ASSERT_OK(hipFreeAsync(p, a));
  int no = 0, yes = 1;
  ASSERT_OK(hipMemPoolSetAttribute(pool, hipMemPoolReuseAllowInternalDependencies, &no));
  EXPECT_HIP(hipErrorOutOfMemory, hipMallocFromPoolAsync(reinterpret_cast<void**>(&q), kBig, pool, b));
  ASSERT_OK(hipMemPoolSetAttribute(pool, hipMemPoolReuseAllowInternalDependencies, &yes));
  ASSERT_OK(hipMallocFromPoolAsync(reinterpret_cast<void**>(&q), kBig, pool, b));
  EXPECT_EQ(p, q);
  ASSERT_OK(launch(kernels::fill, 1, 1, 0, b, q, 2, 1));
  ASSERT_OK(hipMemcpyAsync(copied.get(), q, 4, hipMemcpyDeviceToHost, b));
  EXPECT_HIP(hipErrorNotReady, hipStreamQuery(b)) << "it waits for the other stream";
  flag.store(0, 1);
  ASSERT_OK(hipStreamSynchronize(b));
  EXPECT_EQ(copied.load(0), 2) << "the second fill came after the first";
  EXPECT_OK(hipFreeAsync(q, b));
  EXPECT_OK(hipStreamDestroy(a));
  EXPECT_OK(hipStreamDestroy(b));
  EXPECT_OK(hipMemPoolDestroy(pool));
  (void)hipGetLastError();
}

TEST_F(Pool, DestroyedWithMemoryInUse) {
  size_t before, after, total;
  ASSERT_OK(hipMemGetInfo(&before, &total));
  int* p = static_cast<int*>(take(kBig, a_));
  ASSERT_OK(hipMemPoolDestroy(pool_));
  EXPECT_HIP(hipErrorInvalidValue, hipMemPoolDestroy(pool_));
  void* more = nullptr;
  EXPECT_HIP(hipErrorInvalidValue, hipMallocFromPoolAsync(&more, 64, pool_, a_));
  pool_ = nullptr;
  EXPECT_OK(launch(kernels::fill, 1, 256, 0, a_, p, 3, 256));
  EXPECT_OK(hipFreeAsync(p, a_));
  EXPECT_OK(hipStreamSynchronize(a_));
  ASSERT_OK(hipMemGetInfo(&after, &total));
  EXPECT_EQ(after, before);
}

TEST_F(Pool, TheCurrentPoolServesHipMallocAsync) {
  hipMemPool_t standard = nullptr, current = nullptr;
  ASSERT_OK(hipDeviceGetDefaultMemPool(&standard, 0));
  ASSERT_OK(hipDeviceGetMemPool(&current, 0));
  EXPECT_EQ(standard, current);
  EXPECT_HIP(hipErrorInvalidValue, hipMemPoolDestroy(standard));
  ASSERT_OK(hipDeviceSetMemPool(0, pool_));
  ASSERT_OK(hipDeviceGetMemPool(&current, 0));
  EXPECT_EQ(current, pool_);
  void *p = nullptr, *from = nullptr;
  ASSERT_OK(hipMallocAsync(&p, 4096, a_));
  EXPECT_EQ(get(hipMemPoolAttrUsedMemCurrent), 4096u);
  EXPECT_OK(hipPointerGetAttribute(&from, HIP_POINTER_ATTRIBUTE_MEMPOOL_HANDLE, p));
  EXPECT_EQ(from, static_cast<void*>(pool_));
  EXPECT_OK(hipFreeAsync(p, a_));
  EXPECT_OK(hipMemPoolDestroy(pool_));
  pool_ = nullptr;
  ASSERT_OK(hipDeviceGetMemPool(&current, 0));
  EXPECT_EQ(standard, current) << "again";
}

TEST_F(Pool, IdleMemoryGoesBeforeAnAllocationFails) {
  size_t free_bytes, total;
  ASSERT_OK(hipMemGetInfo(&free_bytes, &total));
  set(hipMemPoolAttrReleaseThreshold, UINT64_MAX);
  const size_t most = free_bytes / 4 * 3 / 4096 * 4096;
  EXPECT_OK(hipFreeAsync(take(most, a_), a_));
  void* p = nullptr;
  EXPECT_OK(hipMalloc(&p, most));
  EXPECT_OK(hipFree(p));
}

TEST_F(Pool, AccessOfDevices) {
  hipMemAccessFlags flags = hipMemAccessFlagsProtNone;
  hipMemLocation here{hipMemLocationTypeDevice, 0}, nowhere{hipMemLocationTypeDevice, 99};
  EXPECT_OK(hipMemPoolGetAccess(&flags, pool_, &here));
  EXPECT_EQ(flags, hipMemAccessFlagsProtReadWrite);
  hipMemAccessDesc desc{here, hipMemAccessFlagsProtReadWrite};
  EXPECT_OK(hipMemPoolSetAccess(pool_, &desc, 1));
  desc.flags = hipMemAccessFlagsProtNone;
  EXPECT_HIP(hipErrorInvalidDevice, hipMemPoolSetAccess(pool_, &desc, 1)) << "its own";
  desc.location = nowhere;
  EXPECT_HIP(hipErrorInvalidDevice, hipMemPoolSetAccess(pool_, &desc, 1));
  EXPECT_HIP(hipErrorInvalidValue, hipMemPoolGetAccess(&flags, pool_, &nowhere));
  EXPECT_HIP(hipErrorInvalidValue, hipMemPoolGetAccess(nullptr, pool_, &here));
  EXPECT_HIP(hipErrorInvalidValue, hipMemPoolSetAccess(pool_, nullptr, 1));
  int devices = 0;
  ASSERT_OK(hipGetDeviceCount(&devices));
  if (devices > 1) {
    hipMemLocation other{hipMemLocationTypeDevice, 1};
    EXPECT_OK(hipMemPoolGetAccess(&flags, pool_, &other));
    EXPECT_EQ(flags, hipMemAccessFlagsProtNone);
    desc = {other, hipMemAccessFlagsProtReadWrite};
    EXPECT_OK(hipMemPoolSetAccess(pool_, &desc, 1));
    EXPECT_OK(hipMemPoolGetAccess(&flags, pool_, &other));
    EXPECT_EQ(flags, hipMemAccessFlagsProtReadWrite);
  }
}

TEST_F(Pool, WrongArguments) {
  hipMemPool_t made = nullptr;
  auto props = on_device(0);
  EXPECT_HIP(hipErrorInvalidValue, hipMemPoolCreate(nullptr, &props));
  EXPECT_HIP(hipErrorInvalidValue, hipMemPoolCreate(&made, nullptr));
  props.allocType = hipMemAllocationTypeInvalid;
  EXPECT_HIP(hipErrorInvalidValue, hipMemPoolCreate(&made, &props));
  props = on_device(99);
  EXPECT_HIP(hipErrorInvalidValue, hipMemPoolCreate(&made, &props));
  props = on_device(0);
  props.location.type = hipMemLocationTypeInvalid;
  EXPECT_HIP(hipErrorInvalidValue, hipMemPoolCreate(&made, &props));
  uint64_t one = 1;
  EXPECT_HIP(hipErrorInvalidValue, hipMemPoolSetAttribute(pool_, hipMemPoolAttrUsedMemHigh, &one));
  EXPECT_HIP(hipErrorInvalidValue, hipMemPoolSetAttribute(pool_, hipMemPoolAttrUsedMemCurrent, &one));
  EXPECT_HIP(hipErrorInvalidValue, hipMemPoolSetAttribute(pool_, hipMemPoolAttr(9), &one));
  EXPECT_HIP(hipErrorInvalidValue, hipMemPoolSetAttribute(pool_, hipMemPoolAttrReleaseThreshold, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipMemPoolGetAttribute(nullptr, hipMemPoolAttrReleaseThreshold, &one));
  EXPECT_HIP(hipErrorInvalidValue, hipMemPoolTrimTo(nullptr, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipDeviceSetMemPool(0, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipDeviceSetMemPool(99, pool_));
  EXPECT_HIP(hipErrorInvalidValue, hipDeviceGetMemPool(&made, 99));
  EXPECT_HIP(hipErrorInvalidValue, hipDeviceGetDefaultMemPool(nullptr, 0));
  void* p = nullptr;
  EXPECT_HIP(hipErrorInvalidHandle, hipMallocAsync(&p, 64, hipStream_t(99)));
  EXPECT_HIP(hipErrorOutOfMemory, hipMallocAsync(&p, size_t(1) << 60, a_));
  EXPECT_HIP(hipErrorInvalidValue, hipMallocAsync(nullptr, 64, a_));
  EXPECT_HIP(hipErrorInvalidValue, hipFreeAsync(nullptr, a_));
  EXPECT_HIP(hipErrorInvalidValue, hipFreeAsync(&p, a_)) << "no device memory";
  EXPECT_OK(hipMallocAsync(&p, 0, a_));
  EXPECT_EQ(p, nullptr);
}

TEST_F(Pool, ManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      hipStream_t s = t % 2 ? a_ : b_;
      for (int i = 0; i < 100; ++i) {
        void* p = nullptr;
        EXPECT_OK(hipMallocFromPoolAsync(&p, size_t(64) << (i + t) % 14, pool_, s));
        EXPECT_OK(hipMemsetAsync(p, t, 64, s));
        EXPECT_OK(hipFreeAsync(p, s));
        if (i % 10 == 0) EXPECT_OK(hipStreamSynchronize(s));
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(get(hipMemPoolAttrUsedMemCurrent), 0u);
}

} // namespace
