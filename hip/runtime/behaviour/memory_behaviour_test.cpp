#include "hip/runtime/behaviour/support.hpp"

#include <cstring>
#include <numeric>

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

TEST(Memcpy, Errors) {
  DeviceBuffer<int> d(10);
  int v[20] = {};
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpy(nullptr, v, 4, hipMemcpyHostToDevice));
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpy(d, nullptr, 4, hipMemcpyHostToDevice));
  EXPECT_OK(hipMemcpy(nullptr, nullptr, 0, hipMemcpyHostToDevice));
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpy(d, v, 44, hipMemcpyHostToDevice)) << "over the end";
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpy(d + 9, v, 8, hipMemcpyHostToDevice)) << "over the end";
  EXPECT_HIP(hipErrorInvalidMemcpyDirection, hipMemcpy(d, v, 4, hipMemcpyKind(17)));
  EXPECT_HIP(hipErrorInvalidHandle, hipMemcpyAsync(d, v, 4, hipMemcpyHostToDevice, reinterpret_cast<hipStream_t>(v)));
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
