#include "hip/runtime/behaviour/support.hpp"

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <numeric>
#include <thread>

namespace {

std::vector<int> numbers(size_t n) {
  std::vector<int> v(n);
  std::iota(v.begin(), v.end(), 1);
  return v;
}

// ---- Allocation -----------------------------------------------------------------------------------------------------

TEST(Malloc, GivesMemoryAndTakesItBack) {
  size_t before, during, after, total;
  ASSERT_OK(hipMemGetInfo(&before, &total));
  void* p = nullptr;
  const size_t size = 32 << 20;
  ASSERT_OK(hipMalloc(&p, size));
  ASSERT_OK(hipMemGetInfo(&during, &total));
  EXPECT_LE(during + size, before);
  EXPECT_OK(hipFree(p));
  ASSERT_OK(hipMemGetInfo(&after, &total));
  EXPECT_EQ(after, before);
  EXPECT_LE(before, total);
}

TEST(Malloc, ZeroNullTooMuch) {
  void* p = reinterpret_cast<void*>(1);
  EXPECT_OK(hipMalloc(&p, 0));
  EXPECT_EQ(p, nullptr);
  EXPECT_OK(hipFree(nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipMalloc(static_cast<void**>(nullptr), 16));
  EXPECT_HIP(hipErrorOutOfMemory, hipMalloc(&p, size_t(1) << 60));
  EXPECT_EQ(p, nullptr);
  (void)hipGetLastError();
}

TEST(Malloc, WrongFreesAreRefused) {
  int on_stack;
  EXPECT_HIP(hipErrorInvalidValue, hipFree(&on_stack));
  char* p = nullptr;
  ASSERT_OK(hipMalloc(&p, 4096));
  EXPECT_HIP(hipErrorInvalidValue, hipFree(p + 8));
  EXPECT_HIP(hipErrorInvalidValue, hipHostFree(p)) << "device memory";
  EXPECT_OK(hipFree(p));
  EXPECT_HIP(hipErrorInvalidValue, hipFree(p)) << "twice";
  EXPECT_HIP(hipErrorInvalidValue, hipMemset(p, 0, 4)) << "after free";
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpy(&on_stack, p, 4, hipMemcpyDeviceToHost)) << "after free";
  (void)hipGetLastError();
}

TEST(HostMalloc, IsHostMemoryThatKernelsSee) {
  int* p = nullptr;
  ASSERT_OK(hipHostMalloc(&p, 256 * sizeof(int), hipHostMallocMapped | hipHostMallocPortable));
  void* device = nullptr;
  ASSERT_OK(hipHostGetDevicePointer(&device, p, 0));
  ASSERT_OK(launch(kernels::fill, 1, 256, 0, nullptr, device, 42, 256));
  ASSERT_OK(hipDeviceSynchronize());
  EXPECT_EQ(p[0], 42);
  EXPECT_EQ(p[255], 42);
  unsigned flags = 0;
  EXPECT_OK(hipHostGetFlags(&flags, p));
  EXPECT_EQ(flags, unsigned(hipHostMallocMapped | hipHostMallocPortable));
  EXPECT_HIP(hipErrorInvalidValue, hipHostGetDevicePointer(&device, p, 1));
  EXPECT_HIP(hipErrorInvalidValue, hipHostGetDevicePointer(&device, &flags, 0));
  EXPECT_OK(hipHostFree(p));
  EXPECT_HIP(hipErrorInvalidValue, hipHostMalloc(&p, 16, 0x08000000));
  EXPECT_HIP(hipErrorInvalidValue, hipHostMalloc(&p, 16, hipHostMallocCoherent | hipHostMallocNonCoherent));
  (void)hipGetLastError();
}

TEST(HostRegister, PinsTheProgramsMemory) {
  std::vector<int> v(1000, 1);
  int* p = v.data();
  ASSERT_OK(hipHostRegister(p, v.size() * sizeof(int), hipHostRegisterDefault));
  EXPECT_HIP(hipErrorHostMemoryAlreadyRegistered, hipHostRegister(p + 10, 40, hipHostRegisterDefault));
  void* device = nullptr;
  ASSERT_OK(hipHostGetDevicePointer(&device, p, 0));
  ASSERT_OK(launch(kernels::fill, 4, 256, 0, nullptr, device, 9, 1000));
  ASSERT_OK(hipDeviceSynchronize());
  EXPECT_EQ(v[999], 9);
  EXPECT_OK(hipHostUnregister(p));
  EXPECT_HIP(hipErrorHostMemoryNotRegistered, hipHostUnregister(p));
  EXPECT_HIP(hipErrorInvalidValue, hipHostRegister(nullptr, 10, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipHostRegister(p, 0, 0));
  (void)hipGetLastError();
}

TEST(Managed, OnePointerForBothSides) {
  int* p = nullptr;
  ASSERT_OK(hipMallocManaged(&p, 64 * sizeof(int)));
  p[3] = 5;
  ASSERT_OK(launch(kernels::fill, 1, 64, 0, nullptr, p + 4, 6, 60));
  ASSERT_OK(hipDeviceSynchronize());
  EXPECT_EQ(p[3], 5);
  EXPECT_EQ(p[63], 6);
  EXPECT_OK(hipMemPrefetchAsync(p, 64 * sizeof(int), 0, nullptr));
  EXPECT_OK(hipMemAdvise(p, 64 * sizeof(int), hipMemAdviseSetReadMostly, 0));
  int value = 0;
  EXPECT_OK(hipMemRangeGetAttribute(&value, 4, hipMemRangeAttributeReadMostly, p, 64));
  EXPECT_EQ(value, 1);
  EXPECT_OK(hipMemRangeGetAttribute(&value, 4, hipMemRangeAttributeLastPrefetchLocation, p, 64));
  EXPECT_EQ(value, 0);
  EXPECT_OK(hipMemPrefetchAsync_v2(p, 64, {hipMemLocationTypeHost, 0}, 0, nullptr));
  EXPECT_OK(hipMemRangeGetAttribute(&value, 4, hipMemRangeAttributeLastPrefetchLocation, p, 64));
  EXPECT_EQ(value, hipCpuDeviceId);
  EXPECT_OK(hipMemAdvise_v2(p, 64, hipMemAdviseSetPreferredLocation, {hipMemLocationTypeDevice, 0}));
  EXPECT_OK(hipMemRangeGetAttribute(&value, 4, hipMemRangeAttributePreferredLocation, p, 64));
  EXPECT_EQ(value, 0);
  EXPECT_HIP(hipErrorInvalidValue, hipMemPrefetchAsync_v2(p, 64, {hipMemLocationTypeInvalid, 0}, 0, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipMemPrefetchAsync(&value, 4, 0, nullptr));
  EXPECT_HIP(hipErrorInvalidDevice, hipMemPrefetchAsync(p, 4, 99, nullptr));
  EXPECT_OK(hipFree(p));
  EXPECT_HIP(hipErrorInvalidValue, hipMallocManaged(&p, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipMallocManaged(&p, 16, hipMemAttachSingle));
  (void)hipGetLastError();
}

TEST(Managed, HintsHoldForWholePagesOfTheRangeAlone) {
  constexpr size_t kPage = 4096;
  char* p = nullptr;
  ASSERT_OK(hipMallocManaged(&p, 3 * kPage));
  const auto ask = [&](hipMemRangeAttribute which, size_t at, size_t count) {
    int value = -99;
    EXPECT_OK(hipMemRangeGetAttribute(&value, 4, which, p + at, count));
    return value;
  };
  ASSERT_OK(hipMemAdvise(p + kPage + 100, 50, hipMemAdviseSetReadMostly, 0));
  ASSERT_OK(hipMemAdvise(p + kPage + 100, 50, hipMemAdviseSetAccessedBy, 0));
  ASSERT_OK(hipMemAdvise(p + kPage, kPage, hipMemAdviseSetPreferredLocation, 0));
  ASSERT_OK(hipMemAdvise(p + kPage, kPage, hipMemAdviseSetCoarseGrain, 0));
  ASSERT_OK(hipMemPrefetchAsync(p + kPage, 2 * kPage, hipCpuDeviceId, nullptr));
  EXPECT_EQ(ask(hipMemRangeAttributeReadMostly, kPage, kPage), 1) << "rounded to the page";
  EXPECT_EQ(ask(hipMemRangeAttributeReadMostly, 0, 2 * kPage), 0);
  EXPECT_EQ(ask(hipMemRangeAttributeReadMostly, 2 * kPage, kPage), 0);
  EXPECT_EQ(ask(hipMemRangeAttributeAccessedBy, kPage, kPage), 0);
  EXPECT_EQ(ask(hipMemRangeAttributeAccessedBy, kPage, 2 * kPage), hipInvalidDeviceId);
  EXPECT_EQ(ask(hipMemRangeAttributePreferredLocation, kPage, kPage), 0);
  EXPECT_EQ(ask(hipMemRangeAttributePreferredLocation, 0, 3 * kPage), hipInvalidDeviceId);
  EXPECT_EQ(ask(hipMemRangeAttributeLastPrefetchLocation, kPage, 2 * kPage), hipCpuDeviceId);
  EXPECT_EQ(ask(hipMemRangeAttributeLastPrefetchLocation, 0, 3 * kPage), hipInvalidDeviceId);
  EXPECT_EQ(ask(hipMemRangeAttributeCoherencyMode, kPage, kPage), hipMemRangeCoherencyModeCoarseGrain);
  EXPECT_EQ(ask(hipMemRangeAttributeCoherencyMode, 0, 3 * kPage), hipMemRangeCoherencyModeIndeterminate);
  ASSERT_OK(hipMemAdvise(p, 3 * kPage, hipMemAdviseUnsetReadMostly, 0));
  EXPECT_EQ(ask(hipMemRangeAttributeReadMostly, kPage, kPage), 0);
  EXPECT_HIP(hipErrorInvalidValue, hipMemAdvise(p, kPage, hipMemoryAdvise(55), 0));
  EXPECT_OK(hipFree(p));
  // Memory of the program has hints too; device memory only says whether it is coherent.
  std::vector<char> own(2 * kPage);
  p = own.data();
  ASSERT_OK(hipMemAdvise(p, own.size(), hipMemAdviseSetReadMostly, 0));
  EXPECT_EQ(ask(hipMemRangeAttributeReadMostly, 0, own.size()), 1);
  EXPECT_OK(hipStreamAttachMemAsync(nullptr, p, own.size(), hipMemAttachGlobal));
  EXPECT_HIP(hipErrorInvalidValue, hipStreamAttachMemAsync(nullptr, p, 0, hipMemAttachGlobal));
  EXPECT_HIP(hipErrorInvalidValue, hipMemAdvise(reinterpret_cast<void*>(8), 8, hipMemAdviseSetReadMostly, 0));
  DeviceBuffer<char> d(64);
  p = d.get();
  EXPECT_EQ(ask(hipMemRangeAttributeCoherencyMode, 0, 64), hipMemRangeCoherencyModeCoarseGrain);
  int value;
  EXPECT_HIP(hipErrorInvalidValue, hipMemRangeGetAttribute(&value, 4, hipMemRangeAttributeReadMostly, p, 64));
  (void)hipGetLastError();
}

TEST(Pitch, RowsAreAlignedAndApart) {
  char* p = nullptr;
  size_t pitch = 0;
  ASSERT_OK(hipMallocPitch(&p, &pitch, 100, 7));
  EXPECT_GE(pitch, 100u);
  EXPECT_EQ(pitch % 256, 0u);
  size_t size = 0;
  EXPECT_OK(hipMemPtrGetInfo(p, &size));
  EXPECT_GE(size, pitch * 7);
  EXPECT_OK(hipFree(p));
  hipPitchedPtr box{};
  ASSERT_OK(hipMalloc3D(&box, make_hipExtent(100, 3, 2)));
  EXPECT_EQ(box.xsize, 100u);
  EXPECT_EQ(box.ysize, 3u);
  EXPECT_OK(hipFree(box.ptr));
  hipDeviceptr_t d = nullptr;
  EXPECT_OK(hipMemAllocPitch(&d, &pitch, 64, 2, 4));
  EXPECT_OK(hipFree(d));
  EXPECT_HIP(hipErrorInvalidValue, hipMemAllocPitch(&d, &pitch, 64, 2, 3));
  EXPECT_HIP(hipErrorInvalidValue, hipMallocPitch(&p, nullptr, 64, 2));
  EXPECT_HIP(hipErrorOutOfMemory, hipMallocPitch(&p, &pitch, size_t(1) << 40, size_t(1) << 40));
  (void)hipGetLastError();
}

TEST(Pointers, Attributes) {
  DeviceBuffer<int> d(100);
  hipPointerAttribute_t a;
  ASSERT_OK(hipPointerGetAttributes(&a, d + 10));
  EXPECT_EQ(a.type, hipMemoryTypeDevice);
  EXPECT_EQ(a.device, 0);
  EXPECT_EQ(a.devicePointer, d + 10);
  EXPECT_EQ(a.hostPointer, nullptr);
  PinnedBuffer<int> h(10);
  ASSERT_OK(hipPointerGetAttributes(&a, h.get()));
  EXPECT_EQ(a.type, hipMemoryTypeHost);
  EXPECT_EQ(a.hostPointer, h.get());
  int local = 0;
  ASSERT_OK(hipPointerGetAttributes(&a, &local));
  EXPECT_EQ(a.type, hipMemoryTypeUnregistered);
  EXPECT_HIP(hipErrorInvalidValue, hipPointerGetAttributes(nullptr, d));
  EXPECT_HIP(hipErrorInvalidValue, hipPointerGetAttributes(&a, nullptr));
  void* start = nullptr;
  size_t size = 0;
  EXPECT_OK(hipPointerGetAttribute(&start, HIP_POINTER_ATTRIBUTE_RANGE_START_ADDR, d + 10));
  EXPECT_EQ(start, d.get());
  EXPECT_OK(hipPointerGetAttribute(&size, HIP_POINTER_ATTRIBUTE_RANGE_SIZE, d + 10));
  EXPECT_EQ(size, 400u);
  hipPointer_attribute first[] = {HIP_POINTER_ATTRIBUTE_RANGE_SIZE};
  void* into[] = {&size};
  EXPECT_HIP(hipErrorInvalidValue, hipDrvPointerGetAttributes(1, first, into, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipPointerGetAttribute(&size, HIP_POINTER_ATTRIBUTE_RANGE_SIZE, &local));
  EXPECT_OK(hipMemGetAddressRange(&start, &size, d + 99));
  EXPECT_EQ(start, d.get());
  EXPECT_HIP(hipErrorNotFound, hipMemGetAddressRange(&start, &size, &local));
  unsigned type = 0;
  bool is_managed = true;
  hipPointer_attribute which[] = {HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, HIP_POINTER_ATTRIBUTE_IS_MANAGED};
  void* data[] = {&type, &is_managed};
  EXPECT_OK(hipDrvPointerGetAttributes(2, which, data, d.get()));
  EXPECT_EQ(type, unsigned(hipMemoryTypeDevice));
  EXPECT_FALSE(is_managed);
  (void)hipGetLastError();
}

TEST(MallocAsync, FreedInStreamOrder) {
  hipStream_t s;
  ASSERT_OK(hipStreamCreate(&s));
  int* p = nullptr;
  ASSERT_OK(hipMallocAsync(&p, 64 * sizeof(int), s));
  ASSERT_OK(launch(kernels::fill, 1, 64, 0, s, p, 3, 64));
  std::vector<int> v(64);
  ASSERT_OK(hipMemcpyAsync(v.data(), p, 256, hipMemcpyDeviceToHost, s));
  ASSERT_OK(hipFreeAsync(p, s));
  ASSERT_OK(hipStreamSynchronize(s));
  EXPECT_EQ(v[63], 3);
  EXPECT_HIP(hipErrorInvalidValue, hipFreeAsync(p, s));
  EXPECT_OK(hipStreamDestroy(s));
  (void)hipGetLastError();
}

// ---- Copies ---------------------------------------------------------------------------------------------------------

TEST(Memcpy, AllDirections) {
  const auto in = numbers(1000);
  DeviceBuffer<int> a(1000), b(1000);
  PinnedBuffer<int> h(1000);
  std::vector<int> out(1000);
  const size_t n = 4000;
  ASSERT_OK(hipMemcpy(a, in.data(), n, hipMemcpyHostToDevice));
  ASSERT_OK(hipMemcpy(b, a, n, hipMemcpyDeviceToDevice));
  ASSERT_OK(hipMemcpy(h, b, n, hipMemcpyDeviceToHost));
  ASSERT_OK(hipMemcpy(out.data(), h, n, hipMemcpyHostToHost));
  EXPECT_EQ(out, in);
  b.zero();
  std::fill(out.begin(), out.end(), 0);
  ASSERT_OK(hipMemcpy(b, in.data(), n, hipMemcpyDefault));
  ASSERT_OK(hipMemcpyDtoH(out.data(), b.get(), n));
  EXPECT_EQ(out, in);
  ASSERT_OK(hipMemcpyPeer(a, 0, b, 0, n));
  EXPECT_EQ(a.read(), in);
  ASSERT_OK(hipMemcpyHtoD(b.get(), out.data(), 8));
  ASSERT_OK(hipMemcpyDtoD(b.get(), a.get(), 8));
}

TEST(Memcpy, Async) {
  const auto in = numbers(100000);
  const size_t n = in.size() * sizeof(int);
  PinnedBuffer<int> h(in.size()), back(in.size());
  std::memcpy(h, in.data(), n);
  DeviceBuffer<int> a(in.size()), b(in.size());
  hipStream_t s;
  ASSERT_OK(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
  ASSERT_OK(hipMemcpyAsync(a, h, n, hipMemcpyHostToDevice, s));
  ASSERT_OK(hipMemcpyAsync(b, a, n, hipMemcpyDeviceToDevice, s));
  ASSERT_OK(hipMemcpyAsync(back, b, n, hipMemcpyDeviceToHost, s));
  ASSERT_OK(hipStreamSynchronize(s));
  EXPECT_EQ(std::memcmp(back, in.data(), n), 0);
  std::vector<int> pageable(in.size());
  ASSERT_OK(hipMemcpyAsync(pageable.data(), b, n, hipMemcpyDeviceToHost, s));
  ASSERT_OK(hipStreamSynchronize(s));
  EXPECT_EQ(pageable, in);
  EXPECT_OK(hipStreamDestroy(s));
}

/// While it lives, the null stream and with it all blocking streams stand.
class HeldNullStream {
public:
  HeldNullStream() : flag_(2) { EXPECT_OK(launch(kernels::spin, 1, 1, 0, nullptr, flag_.get(), flag_.get() + 1)); }
  ~HeldNullStream() { release(); }
  void release() {
    flag_.store(0, 1);
    EXPECT_OK(hipDeviceSynchronize());
  }

private:
  PinnedBuffer<int> flag_;
};

TEST(Memcpy, NoHostWaitsForWhatHappensWithinADevice) {
  const auto in = numbers(64);
  const size_t n = in.size() * sizeof(int);
  DeviceBuffer<int> a(64), b(64), c(64), e(64);
  a.write(in);
  for (auto* x : {&b, &c, &e}) x->zero();
  hipMemcpy3DParms box{};
  box.srcPtr = {a.get(), n, n, 1};
  box.dstPtr = {c.get(), n, n, 1};
  box.extent = {n, 1, 1};
  box.kind = hipMemcpyDeviceToDevice;
  {
    HeldNullStream held;
    ASSERT_OK(hipMemcpy(b, a, n, hipMemcpyDeviceToDevice));
    ASSERT_OK(hipMemcpy3D(&box));
    ASSERT_OK(hipMemset(e, 1, n));
    EXPECT_HIP(hipErrorNotReady, hipStreamQuery(nullptr));
  }
  EXPECT_EQ(b.read(), in);
  EXPECT_EQ(c.read(), in);
  EXPECT_EQ(e.read()[63], 0x01010101);
}

TEST(Memcpy, WithSynchronousMemoryAndTheDriversBoxesItDoes) {
  const size_t n = 64 * sizeof(int);
  DeviceBuffer<int> a(64), b(64), pointed(64);
  for (auto* x : {&a, &b, &pointed}) x->zero();
  unsigned yes = 1;
  ASSERT_OK(hipPointerSetAttribute(&yes, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, pointed.get()));
  HIP_MEMCPY3D box{};
  box.srcMemoryType = box.dstMemoryType = hipMemoryTypeDevice;
  box.srcDevice = a.get();
  box.dstDevice = b.get();
  box.srcPitch = box.dstPitch = box.WidthInBytes = n;
  box.srcHeight = box.dstHeight = box.Height = box.Depth = 1;
  const std::function<hipError_t()> calls[] = {
      [&] { return hipMemcpy(pointed, a, n, hipMemcpyDeviceToDevice); },
      [&] { return hipMemset(pointed, 1, n); },
      [&] { return hipDrvMemcpy3D(&box); },
  };
  for (auto& call : calls) {
    HeldNullStream held;
    std::atomic<bool> over{false};
    std::thread other([&] {
      EXPECT_OK(call());
      over = true;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    EXPECT_FALSE(over);
    held.release();
    other.join();
  }
}

TEST(Memcpy, AShortPageableSourceIsReadAtOnceAndCopiedInOrder) {
  auto in = numbers(64);
  const auto expected = in;
  const size_t n = in.size() * sizeof(int);
  DeviceBuffer<int> d(64), rows(2 * 64);
  for (auto* x : {&d, &rows}) x->zero();
  {
    HeldNullStream held;
    ASSERT_OK(hipMemcpyAsync(d, in.data(), n, hipMemcpyHostToDevice, nullptr));
    ASSERT_OK(hipMemcpy2DAsync(rows, 2 * n / 4, in.data(), n / 4, n / 4, 4, hipMemcpyHostToDevice, nullptr));
    EXPECT_HIP(hipErrorNotReady, hipStreamQuery(nullptr));
    std::fill(in.begin(), in.end(), -1);
  }
  EXPECT_EQ(d.read(), expected);
  const auto got = rows.read();
  for (size_t i = 0; i < 64; ++i) EXPECT_EQ(got[i / 16 * 32 + i % 16], expected[i]) << i;
}

TEST(Memcpy, BetweenHostMemoryIsOverWhenTheCallReturns) {
  PinnedBuffer<int> a(64), b(64), flag(2);
  for (int i = 0; i < 64; ++i) a[i] = i;
  hipStream_t s;
  ASSERT_OK(hipStreamCreate(&s));
  ASSERT_OK(launch(kernels::spin, 1, 1, 0, s, flag.get(), flag.get() + 1));
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    flag.store(0, 1);
  });
  EXPECT_OK(hipMemcpyAsync(b, a, 64 * sizeof(int), hipMemcpyHostToHost, s));
  EXPECT_EQ(b[63], 63);
  EXPECT_EQ(flag.load(1), 1) << "in stream order";
  other.join();
  EXPECT_OK(hipStreamDestroy(s));
}

TEST(Memcpy, Errors) {
  DeviceBuffer<int> d(10);
  int v[20] = {};
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpy(nullptr, v, 4, hipMemcpyHostToDevice));
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpy(d, nullptr, 4, hipMemcpyHostToDevice));
  EXPECT_OK(hipMemcpy(nullptr, nullptr, 0, hipMemcpyHostToDevice));
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpy(d, v, 44, hipMemcpyHostToDevice)) << "over the end";
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpy(d + 9, v, 8, hipMemcpyHostToDevice)) << "over the end";
  EXPECT_HIP(hipErrorInvalidMemcpyDirection, hipMemcpy(d, v, 4, hipMemcpyKind(17)));
  EXPECT_HIP(hipErrorContextIsDestroyed,
             hipMemcpyAsync(d, v, 4, hipMemcpyHostToDevice, reinterpret_cast<hipStream_t>(v)));
  (void)hipGetLastError();
}

TEST(Memcpy, Rectangles) {
  // 5 rows of 3 ints out of a 7-wide host array into a 4-wide device array and back.
  const auto in = numbers(35);
  DeviceBuffer<int> d(20);
  d.zero();
  ASSERT_OK(hipMemcpy2D(d, 16, in.data() + 2, 28, 12, 5, hipMemcpyHostToDevice));
  const auto got = d.read();
  for (int y = 0; y < 5; ++y)
    for (int x = 0; x < 4; ++x) EXPECT_EQ(got[y * 4 + x], x < 3 ? in[y * 7 + x + 2] : 0);
  std::vector<int> out(35, -1);
  ASSERT_OK(hipMemcpy2DAsync(out.data(), 28, d, 16, 12, 5, hipMemcpyDeviceToHost, nullptr));
  ASSERT_OK(hipDeviceSynchronize());
  for (int y = 0; y < 5; ++y) {
    EXPECT_EQ(out[y * 7 + 2], in[y * 7 + 4]);
    EXPECT_EQ(out[y * 7 + 3], -1);
  }
  EXPECT_HIP(hipErrorInvalidPitchValue, hipMemcpy2D(d, 8, in.data(), 28, 12, 2, hipMemcpyHostToDevice));
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpy2D(d, 16, in.data(), 28, 12, 6, hipMemcpyHostToDevice)) << "over the end";
  hip_Memcpy2D c{};
  c.srcMemoryType = hipMemoryTypeDevice;
  c.srcDevice = d.get();
  c.srcPitch = 16;
  c.dstMemoryType = hipMemoryTypeHost;
  std::vector<int> part(4, 0);
  c.dstHost = part.data();
  c.dstPitch = 8;
  c.srcXInBytes = 4;
  c.srcY = 1;
  c.WidthInBytes = 8;
  c.Height = 2;
  ASSERT_OK(hipMemcpyParam2D(&c));
  EXPECT_EQ(part, (std::vector<int>{got[5], got[6], got[9], got[10]}));
  (void)hipGetLastError();
}

TEST(Memcpy, RectanglesBeyondTheAllocationAreRefused) {
  DeviceBuffer<int> d(9), e(9); // the page goes on
  hip_Memcpy2D c{};
  c.srcMemoryType = c.dstMemoryType = hipMemoryTypeDevice;
  c.srcDevice = d.get();
  c.dstDevice = e.get();
  c.srcPitch = c.dstPitch = 3 * sizeof(int);
  c.WidthInBytes = sizeof(int);
  c.Height = 1;
  c.srcY = 2;
  EXPECT_OK(hipDrvMemcpy2DUnaligned(&c));
  c.srcY = 3;
  EXPECT_HIP(hipErrorInvalidValue, hipDrvMemcpy2DUnaligned(&c));
  c.srcY = 0;
  c.dstY = 3;
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpyParam2D(&c));
  HIP_MEMCPY3D narrow{};
  narrow.srcMemoryType = narrow.dstMemoryType = hipMemoryTypeDevice;
  narrow.srcDevice = d.get();
  narrow.dstDevice = e.get();
  narrow.srcPitch = narrow.WidthInBytes = 8;
  narrow.dstPitch = 7;
  narrow.srcHeight = narrow.dstHeight = narrow.Height = narrow.Depth = 1;
  EXPECT_HIP(hipErrorInvalidValue, hipDrvMemcpy3D(&narrow)) << "not hipErrorInvalidPitchValue as of hipMemcpy3D";
  (void)hipGetLastError();
}

TEST(Memcpy, Boxes) {
  const auto in = numbers(2 * 3 * 4);
  hipPitchedPtr d{};
  ASSERT_OK(hipMalloc3D(&d, make_hipExtent(16, 3, 2)));
  hipMemcpy3DParms p{};
  p.srcPtr = make_hipPitchedPtr(const_cast<int*>(in.data()), 16, 16, 3);
  p.dstPtr = d;
  p.extent = make_hipExtent(16, 3, 2);
  p.kind = hipMemcpyHostToDevice;
  ASSERT_OK(hipMemcpy3D(&p));
  std::vector<int> out(24);
  p.dstPtr = make_hipPitchedPtr(out.data(), 16, 16, 3);
  p.srcPtr = d;
  p.kind = hipMemcpyDeviceToHost;
  ASSERT_OK(hipMemcpy3D(&p));
  EXPECT_EQ(out, in);
  ASSERT_OK(hipMemset3D(d, 0x11, make_hipExtent(8, 3, 2)));
  ASSERT_OK(hipMemcpy3D(&p));
  EXPECT_EQ(out[0], 0x11111111);
  EXPECT_EQ(out[2], in[2]);
  EXPECT_EQ(out[21], 0x11111111);
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpy3D(nullptr));
  EXPECT_OK(hipFree(d.ptr));
  (void)hipGetLastError();
}

// ---- Fills ----------------------------------------------------------------------------------------------------------

TEST(Memset, OddEndsOfEveryWidth) {
  for (size_t offset : {0, 1, 2, 3, 5})
    for (size_t size : {1, 2, 3, 4, 7, 8, 64, 1001}) {
      DeviceBuffer<unsigned char> d(1024);
      d.zero();
      ASSERT_OK(hipMemset(d + offset, 0xa5, size));
      const auto got = d.read();
      for (size_t i = 0; i < 1024; ++i)
        ASSERT_EQ(got[i], i >= offset && i < offset + size ? 0xa5 : 0) << offset << ' ' << size << ' ' << i;
    }
}

TEST(Memset, WordsAndRectangles) {
  DeviceBuffer<unsigned short> h(99);
  h.zero();
  ASSERT_OK(hipMemsetD16(h + 1, 0x1234, 97));
  auto halves = h.read();
  EXPECT_EQ(halves[0], 0);
  EXPECT_EQ(halves[1], 0x1234);
  EXPECT_EQ(halves[97], 0x1234);
  EXPECT_EQ(halves[98], 0);
  DeviceBuffer<int> w(64);
  w.zero();
  ASSERT_OK(hipMemsetD32(w.get(), 0x01020304, 63));
  EXPECT_EQ(w.read()[62], 0x01020304);
  EXPECT_EQ(w.read()[63], 0);
  ASSERT_OK(hipMemset2D(w, 32, 0xff, 4, 8));
  EXPECT_EQ(w.read()[8], -1);
  EXPECT_EQ(w.read()[9], 0x01020304);
  ASSERT_OK(hipMemsetD2D32(w.get(), 32, 77, 2, 8));
  EXPECT_EQ(w.read()[57], 77);
  ASSERT_OK(hipMemsetAsync(w, 0, 256, nullptr));
  ASSERT_OK(hipDeviceSynchronize());
  EXPECT_EQ(w.read()[57], 0);
}

// Rows whose distance times their number wraps around: the last ones would lie before the allocation, or anywhere.
TEST(Memory, PitchesThatWrapAreRefused) {
  DeviceBuffer<char> d(4096);
  const std::vector<char> in(4096, 5);
  char* middle = d.get() + 2048;
  d.zero();
  EXPECT_HIP(hipErrorInvalidValue, hipMemset2D(middle, SIZE_MAX, 1, 10, 3));
  EXPECT_HIP(hipErrorInvalidValue, hipMemset2D(middle, size_t(1) << 44, 1, 10, (1 << 20) + 1));
  EXPECT_HIP(hipErrorInvalidValue, hipMemsetD2D32(middle, 64, 1, (size_t(1) << 62) + 1, 2)) << "the width in bytes is 4";
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpy2D(middle, SIZE_MAX, in.data() + 2048, SIZE_MAX, 10, 3, hipMemcpyHostToDevice));
  hipMemcpy3DParms p{};
  p.srcPtr = make_hipPitchedPtr(const_cast<char*>(in.data()), 16, 16, 2);
  p.dstPtr = make_hipPitchedPtr(d.get(), 16, 16, SIZE_MAX / 16 + 1); // slices 0 bytes apart, were it not for the wrap
  p.extent = make_hipExtent(16, 2, 3);
  p.kind = hipMemcpyHostToDevice;
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpy3D(&p));
  EXPECT_HIP(hipErrorInvalidValue, hipMemset3D(p.dstPtr, 1, p.extent));
  EXPECT_EQ(d.read(), std::vector<char>(4096, 0)) << "nothing was written";
}

TEST(Memset, Errors) {
  DeviceBuffer<int> d(10);
  int local = 0;
  EXPECT_HIP(hipErrorInvalidValue, hipMemset(nullptr, 0, 4));
  EXPECT_HIP(hipErrorInvalidValue, hipMemset(&local, 0, 4));
  EXPECT_HIP(hipErrorInvalidValue, hipMemset(d, 0, 41));
  EXPECT_HIP(hipErrorInvalidValue, hipMemsetD32(reinterpret_cast<char*>(d.get()) + 1, 0, 1));
  EXPECT_OK(hipMemset(d, 0, 0));
  (void)hipGetLastError();
}

// ---- Symbols --------------------------------------------------------------------------------------------------------

TEST(Symbols, CopyAddressSize) {
  int v = 0;
  ASSERT_OK(hipMemcpyFromSymbol(&v, kernels::counter, 4));
  EXPECT_EQ(v, 7);
  ASSERT_OK(launch(kernels::bump_counter, 1, 1, 0, nullptr, 5));
  ASSERT_OK(hipMemcpyFromSymbol(&v, kernels::counter, 4));
  EXPECT_EQ(v, 12);
  v = 7;
  ASSERT_OK(hipMemcpyToSymbol(kernels::counter, &v, 4));
  const int changed[2] = {30, 40};
  ASSERT_OK(hipMemcpyToSymbol(kernels::table, changed, 8, 8));
  DeviceBuffer<int> out(4);
  ASSERT_OK(launch(kernels::read_constant, 1, 64, 0, nullptr, out.get()));
  EXPECT_EQ(out.read(), (std::vector<int>{1, 2, 30, 40}));
  void* address = nullptr;
  size_t size = 0;
  EXPECT_OK(hipGetSymbolAddress(&address, kernels::table));
  EXPECT_OK(hipGetSymbolSize(&size, kernels::table));
  EXPECT_EQ(size, 16u);
  int table[4];
  EXPECT_OK(hipMemcpy(table, address, 16, hipMemcpyDeviceToHost));
  EXPECT_EQ(table[3], 40);
  int local = 0;
  EXPECT_HIP(hipErrorInvalidSymbol, hipGetSymbolAddress(&address, &local));
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpyToSymbol(kernels::table, changed, 8, 12)) << "over the end";
  EXPECT_HIP(hipErrorInvalidMemcpyDirection, hipMemcpyToSymbol(kernels::table, changed, 8, 0, hipMemcpyDeviceToHost));
  (void)hipGetLastError();
}

TEST(Symbols, Managed) {
  EXPECT_EQ(kernels::managed_value(), 5);
  kernels::managed_value() = 21;
  ASSERT_OK(launch(kernels::double_managed, 1, 1, 0, nullptr));
  ASSERT_OK(hipDeviceSynchronize());
  EXPECT_EQ(kernels::managed_value(), 42);
  kernels::managed_value() = 5;
}

} // namespace
