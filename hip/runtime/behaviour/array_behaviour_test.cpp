#include "hip/runtime/behaviour/support.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

namespace {

template <class T> std::vector<T> numbers(size_t n) {
  std::vector<T> v(n);
  std::iota(v.begin(), v.end(), T(1));
  return v;
}

hipChannelFormatDesc floats() { return hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindFloat); }

/// 5 x 3 floats.
class Array2D : public testing::Test {
protected:
  static constexpr size_t kWidth = 5, kHeight = 3, kRow = kWidth * sizeof(float);
  void SetUp() override {
    const auto desc = floats();
    ASSERT_OK(hipMallocArray(&array_, &desc, kWidth, kHeight));
    ASSERT_OK(hipMemcpy2DToArray(array_, 0, 0, data_.data(), kRow, kRow, kHeight, hipMemcpyHostToDevice));
  }
  void TearDown() override {
    if (array_) EXPECT_OK(hipFreeArray(array_));
    (void)hipGetLastError();
  }
  std::vector<float> all(hipArray_t array = nullptr) {
    std::vector<float> out(kWidth * kHeight);
    EXPECT_OK(
        hipMemcpy2DFromArray(out.data(), kRow, array ? array : array_, 0, 0, kRow, kHeight, hipMemcpyDeviceToHost));
    return out;
  }
  hipArray_t array_ = nullptr;
  std::vector<float> data_ = numbers<float>(kWidth * kHeight);
};

TEST_F(Array2D, RowsGoInAndOut) {
  EXPECT_EQ(all(), data_);
  float part[2][2];
  ASSERT_OK(hipMemcpy2DFromArray(part, 8, array_, 2 * sizeof(float), 1, 8, 2, hipMemcpyDeviceToHost));
  EXPECT_EQ(part[0][0], 8);
  EXPECT_EQ(part[1][1], 14);
  float patch[2] = {100, 200};
  ASSERT_OK(hipMemcpy2DToArray(array_, 4 * sizeof(float), 1, patch, 4, 4, 2, hipMemcpyHostToDevice));
  EXPECT_EQ(all()[9], 100);
  EXPECT_EQ(all()[14], 200);
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpy2DToArray(array_, 4, 0, data_.data(), kRow, kRow, 1, hipMemcpyHostToDevice))
      << "over the end of the row";
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpy2DFromArray(part, 8, array_, 0, 2, 8, 2, hipMemcpyDeviceToHost))
      << "over the last row";
  EXPECT_HIP(hipErrorInvalidPitchValue, hipMemcpy2DFromArray(part, 4, array_, 0, 0, 8, 2, hipMemcpyDeviceToHost));
  EXPECT_HIP(hipErrorInvalidHandle,
             hipMemcpy2DToArray(nullptr, 0, 0, data_.data(), kRow, kRow, 1, hipMemcpyHostToDevice));
  EXPECT_HIP(hipErrorInvalidMemcpyDirection,
             hipMemcpy2DToArray(array_, 0, 0, data_.data(), kRow, kRow, 1, hipMemcpyKind(77)));
}

TEST_F(Array2D, AsyncInStreamOrder) {
  hipStream_t s;
  ASSERT_OK(hipStreamCreate(&s));
  PinnedBuffer<float> in(kWidth * kHeight), out(kWidth * kHeight);
  PinnedBuffer<int> flag(1), done(1);
  for (size_t i = 0; i < data_.size(); ++i) in[i] = -data_[i];
  ASSERT_OK(launch(kernels::spin, 1, 1, 0, s, flag.get(), done.get()));
  ASSERT_OK(hipMemcpy2DToArrayAsync(array_, 0, 0, in, kRow, kRow, kHeight, hipMemcpyHostToDevice, s));
  ASSERT_OK(hipMemcpy2DFromArrayAsync(out, kRow, array_, 0, 0, kRow, kHeight, hipMemcpyDeviceToHost, s));
  EXPECT_HIP(hipErrorNotReady, hipStreamQuery(s));
  EXPECT_EQ(out.peek(3), 0);
  flag.store(0, 1);
  ASSERT_OK(hipStreamSynchronize(s));
  EXPECT_EQ(out.load(3), -4);
  EXPECT_HIP(hipErrorContextIsDestroyed,
             hipMemcpy2DToArrayAsync(array_, 0, 0, in, kRow, kRow, kHeight, hipMemcpyHostToDevice, hipStream_t(5)));
  EXPECT_OK(hipStreamDestroy(s));
}

TEST_F(Array2D, PerThreadStreamVariants) {
  auto negative = data_;
  for (auto& x : negative) x = -x;
  ASSERT_OK(hipMemcpy2DToArray_spt(array_, 0, 0, negative.data(), kRow, kRow, kHeight, hipMemcpyHostToDevice));
  std::vector<float> out(data_.size());
  ASSERT_OK(hipMemcpy2DFromArray_spt(out.data(), kRow, array_, 0, 0, kRow, kHeight, hipMemcpyDeviceToHost));
  EXPECT_EQ(out, negative);
  EXPECT_HIP(hipErrorInvalidHandle,
             hipMemcpy2DFromArray_spt(out.data(), kRow, nullptr, 0, 0, kRow, kHeight, hipMemcpyDeviceToHost));
}

TEST_F(Array2D, BytesRunFromRowToRow) {
  std::vector<float> out(7);
  ASSERT_OK(hipMemcpyFromArray(out.data(), array_, 3 * sizeof(float), 0, 28, hipMemcpyDeviceToHost));
  EXPECT_EQ(out, (std::vector<float>{4, 5, 6, 7, 8, 9, 10}));
  const std::vector<float> in{50, 60, 70};
  ASSERT_OK(hipMemcpyToArray(array_, 4 * sizeof(float), 1, in.data(), 12, hipMemcpyHostToDevice));
  EXPECT_EQ(all()[9], 50);
  EXPECT_EQ(all()[11], 70);
  ASSERT_OK(hipMemcpyAtoH(out.data(), array_, 8, 28));
  EXPECT_EQ(out[0], 3);
  ASSERT_OK(hipMemcpyHtoA(array_, 0, in.data(), 12));
  EXPECT_EQ(all()[2], 70);
  DeviceBuffer<float> device(4);
  ASSERT_OK(hipMemcpyAtoD(device.get(), array_, 0, 16));
  EXPECT_EQ(device.read(), (std::vector<float>{50, 60, 70, 4}));
  ASSERT_OK(hipMemcpyDtoA(array_, 44, device.get(), 16));
  EXPECT_EQ(all()[11], 50);
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpyAtoH(out.data(), array_, 4, 60)) << "over the end";
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpyHtoA(nullptr, 0, in.data(), 4));
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpyAtoD(nullptr, array_, 0, 4));
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpyDtoA(array_, 0, nullptr, 4));
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpyToArray(array_, kRow, 0, in.data(), 4, hipMemcpyHostToDevice));
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpyFromArray(out.data(), array_, 0, kHeight, 4, hipMemcpyDeviceToHost));
}

TEST_F(Array2D, BetweenArrays) {
  const auto desc = floats();
  hipArray_t other;
  ASSERT_OK(hipMallocArray(&other, &desc, kWidth, kHeight));
  ASSERT_OK(hipMemcpy2DArrayToArray(other, 0, 0, array_, 0, 0, kRow, kHeight, hipMemcpyDeviceToDevice));
  EXPECT_EQ(all(other), data_);
  ASSERT_OK(hipMemcpyAtoA(other, 0, array_, 36, 24));
  EXPECT_EQ(all(other)[0], 10);
  EXPECT_EQ(all(other)[5], 15);
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpyAtoA(other, 0, array_, 44, 24));
  EXPECT_HIP(hipErrorInvalidValue,
             hipMemcpy2DArrayToArray(other, 0, 1, array_, 0, 0, kRow, kHeight, hipMemcpyDeviceToDevice));
  EXPECT_OK(hipFreeArray(other));
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpyAtoA(other, 0, array_, 0, 4)) << "freed";
}

TEST_F(Array2D, HostAndArrayAsync) {
  hipStream_t s;
  ASSERT_OK(hipStreamCreate(&s));
  PinnedBuffer<float> host(4);
  ASSERT_OK(hipMemcpyAtoHAsync(host, array_, 16, 16, s));
  ASSERT_OK(hipStreamSynchronize(s));
  EXPECT_EQ(host.load(0), 5);
  EXPECT_EQ(host.load(3), 8);
  host[0] = 99;
  ASSERT_OK(hipMemcpyHtoAAsync(array_, 0, host, 4, s));
  ASSERT_OK(hipStreamSynchronize(s));
  EXPECT_EQ(all()[0], 99);
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpyAtoHAsync(host, nullptr, 0, 4, s));
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpyHtoAAsync(array_, 64, host, 4, s));
  EXPECT_OK(hipStreamDestroy(s));
}

TEST_F(Array2D, SaysWhatItIs) {
  hipChannelFormatDesc desc{};
  hipExtent extent{};
  unsigned flags = 77;
  ASSERT_OK(hipArrayGetInfo(&desc, &extent, &flags, array_));
  EXPECT_EQ(desc.x, 32);
  EXPECT_EQ(desc.y, 0);
  EXPECT_EQ(desc.f, hipChannelFormatKindFloat);
  EXPECT_EQ(extent.width, kWidth);
  EXPECT_EQ(extent.height, kHeight);
  EXPECT_EQ(extent.depth, 0u);
  EXPECT_EQ(flags, unsigned(hipArrayDefault));
  desc = {};
  ASSERT_OK(hipGetChannelDesc(&desc, array_));
  EXPECT_EQ(desc.x, 32);
  HIP_ARRAY_DESCRIPTOR flat{};
  ASSERT_OK(hipArrayGetDescriptor(&flat, array_));
  EXPECT_EQ(flat.Width, kWidth);
  EXPECT_EQ(flat.Format, HIP_AD_FORMAT_FLOAT);
  EXPECT_EQ(flat.NumChannels, 1u);
  HIP_ARRAY3D_DESCRIPTOR deep{};
  ASSERT_OK(hipArray3DGetDescriptor(&deep, array_));
  EXPECT_EQ(deep.Height, kHeight);
  EXPECT_EQ(deep.Depth, 0u);
  EXPECT_HIP(hipErrorInvalidHandle, hipArrayGetInfo(&desc, &extent, &flags, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipGetChannelDesc(nullptr, array_));
  EXPECT_HIP(hipErrorInvalidHandle, hipArrayGetDescriptor(&flat, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipArray3DGetDescriptor(nullptr, array_));
  EXPECT_OK(hipFreeArray(array_));
  EXPECT_HIP(hipErrorInvalidHandle, hipArray3DGetDescriptor(&deep, array_)) << "freed";
  EXPECT_HIP(hipErrorInvalidHandle, hipGetChannelDesc(&desc, array_));
  EXPECT_HIP(hipErrorContextIsDestroyed, hipFreeArray(array_)) << "twice";
  EXPECT_HIP(hipErrorContextIsDestroyed, hipArrayDestroy(array_));
  EXPECT_HIP(hipErrorInvalidValue, hipFreeArray(nullptr));
  array_ = nullptr;
}

TEST_F(Array2D, MemoryIsCountedAndGivenBack) {
  size_t before, during, after, total;
  ASSERT_OK(hipMemGetInfo(&before, &total));
  HIP_ARRAY_DESCRIPTOR d{1024, 1024, HIP_AD_FORMAT_FLOAT, 4};
  hipArray_t big;
  ASSERT_OK(hipArrayCreate(&big, &d));
  ASSERT_OK(hipMemGetInfo(&during, &total));
  EXPECT_EQ(before - during, size_t(16) << 20);
  EXPECT_OK(hipArrayDestroy(big));
  ASSERT_OK(hipMemGetInfo(&after, &total));
  EXPECT_EQ(before, after);
  d.NumChannels = 3;
  EXPECT_HIP(hipErrorInvalidValue, hipArrayCreate(&big, &d));
  d.NumChannels = 1;
  d.Format = hipArray_Format(5);
  EXPECT_HIP(hipErrorInvalidValue, hipArrayCreate(&big, &d));
  EXPECT_HIP(hipErrorInvalidValue, hipArrayCreate(nullptr, &d));
  EXPECT_HIP(hipErrorInvalidValue, hipArrayCreate(&big, nullptr));
  for (auto [width, height] : {std::pair<size_t, size_t>{16385, 0}, {1, 16385}, {size_t(1) << 40, size_t(1) << 40}}) {
    d = {width, height, HIP_AD_FORMAT_FLOAT, 4};
    EXPECT_HIP(hipErrorInvalidValue, hipArrayCreate(&big, &d)) << width << " x " << height;
  }
  HIP_ARRAY3D_DESCRIPTOR deep{1, 1, 8193, HIP_AD_FORMAT_FLOAT, 1, 0};
  EXPECT_HIP(hipErrorInvalidValue, hipArray3DCreate(&big, &deep));
}

TEST(Array, Formats) {
  hipArray_t array = nullptr;
  auto make = [&](int x, int y, int z, int w, hipChannelFormatKind kind) {
    const auto desc = hipCreateChannelDesc(x, y, z, w, kind);
    const hipError_t e = hipMallocArray(&array, &desc, 8, 0);
    if (e == hipSuccess) EXPECT_OK(hipFreeArray(array));
    return e;
  };
  EXPECT_HIP(hipSuccess, make(8, 8, 8, 8, hipChannelFormatKindUnsigned));
  EXPECT_HIP(hipSuccess, make(16, 0, 0, 0, hipChannelFormatKindFloat));
  EXPECT_HIP(hipSuccess, make(32, 32, 0, 0, hipChannelFormatKindSigned));
  EXPECT_HIP(hipErrorInvalidValue, make(8, 16, 0, 0, hipChannelFormatKindUnsigned));
  EXPECT_HIP(hipErrorInvalidValue, make(8, 0, 8, 0, hipChannelFormatKindUnsigned));
  EXPECT_HIP(hipErrorInvalidValue, make(8, 8, 8, 0, hipChannelFormatKindUnsigned)) << "three channels";
  EXPECT_HIP(hipErrorInvalidValue, make(8, 0, 0, 0, hipChannelFormatKindFloat));
  EXPECT_HIP(hipErrorInvalidValue, make(0, 0, 0, 0, hipChannelFormatKindUnsigned));
  EXPECT_HIP(hipErrorInvalidValue, make(32, 0, 0, 0, hipChannelFormatKindNone));
  (void)hipGetLastError();
}

TEST(Array, ThreeDimensions) {
  HIP_ARRAY3D_DESCRIPTOR d{4, 3, 2, HIP_AD_FORMAT_SIGNED_INT32, 2, 0};
  hipArray_t array;
  ASSERT_OK(hipArray3DCreate(&array, &d));
  const auto in = numbers<int>(48);
  hipMemcpy3DParms p{};
  p.srcPtr = make_hipPitchedPtr(const_cast<int*>(in.data()), 32, 4, 3);
  p.dstArray = array;
  p.extent = make_hipExtent(4, 3, 2); // elements of the array
  p.kind = hipMemcpyHostToDevice;
  ASSERT_OK(hipMemcpy3D(&p));
  std::vector<int> out(8);
  hipMemcpy3DParms q{};
  q.srcArray = array;
  q.srcPos = make_hipPos(1, 1, 0);
  q.dstPtr = make_hipPitchedPtr(out.data(), 16, 2, 1);
  q.extent = make_hipExtent(2, 1, 2);
  q.kind = hipMemcpyDeviceToHost;
  ASSERT_OK(hipMemcpy3D(&q));
  EXPECT_EQ(out, (std::vector<int>{11, 12, 13, 14, 35, 36, 37, 38}));
  q.srcPos.x = 3;
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpy3D(&q)) << "over the end";
  q.srcPos.x = 0;
  q.srcPtr.ptr = out.data();
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpy3D(&q)) << "array and pointer";

  HIP_MEMCPY3D c{};
  c.srcMemoryType = hipMemoryTypeArray;
  c.srcArray = array;
  c.srcXInBytes = 8;
  c.srcZ = 1;
  c.dstMemoryType = hipMemoryTypeHost;
  c.dstHost = out.data();
  c.WidthInBytes = 16;
  c.Height = 1;
  c.Depth = 1;
  ASSERT_OK(hipDrvMemcpy3D(&c));
  EXPECT_EQ(out[0], 27);
  EXPECT_EQ(out[3], 30);
  c.WidthInBytes = 15;
  EXPECT_HIP(hipErrorInvalidValue, hipDrvMemcpy3D(&c)) << "no whole element";
  hip_Memcpy2D f{};
  f.srcMemoryType = hipMemoryTypeHost;
  f.srcHost = in.data();
  f.dstMemoryType = hipMemoryTypeArray;
  f.dstArray = array;
  f.dstY = 2;
  f.WidthInBytes = 32;
  f.Height = 1;
  ASSERT_OK(hipMemcpyParam2D(&f));
  f.dstY = 3;
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpyParam2D(&f));
  f.dstArray = nullptr;
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpyParam2D(&f));
  EXPECT_OK(hipArrayDestroy(array));
  d.Flags = 0x100;
  EXPECT_HIP(hipErrorInvalidValue, hipArray3DCreate(&array, &d));
  d = {4, 0, 2, HIP_AD_FORMAT_FLOAT, 1, 0};
  EXPECT_HIP(hipErrorInvalidValue, hipArray3DCreate(&array, &d)) << "depth without height";
  EXPECT_HIP(hipErrorInvalidValue, hipArray3DCreate(&array, nullptr));
  const auto desc = floats();
  ASSERT_OK(hipMalloc3DArray(&array, &desc, make_hipExtent(4, 4, 6), hipArrayCubemap));
  EXPECT_OK(hipFreeArray(array));
  EXPECT_HIP(hipErrorInvalidValue, hipMalloc3DArray(&array, &desc, make_hipExtent(4, 3, 6), hipArrayCubemap));
  EXPECT_HIP(hipErrorInvalidValue, hipMalloc3DArray(&array, &desc, make_hipExtent(4, 0, 0), hipArrayLayered));
  EXPECT_HIP(hipErrorInvalidValue, hipMalloc3DArray(&array, &desc, make_hipExtent(0, 4, 4), 0));
  EXPECT_HIP(hipErrorInvalidValue, hipMallocArray(&array, nullptr, 4, 4, 0));
  (void)hipGetLastError();
}

TEST(Array, Mipmaps) {
  const auto desc = floats();
  hipMipmappedArray_t mipmap = nullptr;
  ASSERT_OK(hipMallocMipmappedArray(&mipmap, &desc, make_hipExtent(8, 4, 0), 4, 0));
  EXPECT_EQ(mipmap->width, 8u);
  EXPECT_EQ(mipmap->max_mipmap_level, 4u);
  const size_t widths[] = {8, 4, 2, 1}, heights[] = {4, 2, 1, 1};
  for (unsigned i = 0; i < 4; ++i) {
    hipArray_t level = nullptr;
    ASSERT_OK(hipGetMipmappedArrayLevel(&level, mipmap, i));
    hipExtent extent{};
    ASSERT_OK(hipArrayGetInfo(nullptr, &extent, nullptr, level));
    EXPECT_EQ(extent.width, widths[i]);
    EXPECT_EQ(extent.height, heights[i]);
    std::vector<float> in(widths[i] * heights[i], float(i + 1)), out(in.size());
    ASSERT_OK(hipMemcpy2DToArray(level, 0, 0, in.data(), 4 * widths[i], 4 * widths[i], heights[i], hipMemcpyDefault));
    ASSERT_OK(
        hipMemcpy2DFromArray(out.data(), 4 * widths[i], level, 0, 0, 4 * widths[i], heights[i], hipMemcpyDefault));
    EXPECT_EQ(in, out);
    EXPECT_HIP(hipErrorInvalidValue, hipFreeArray(level)) << "the mipmapped array frees it";
  }
  hipArray_t level = nullptr, kept = nullptr;
  ASSERT_OK(hipMipmappedArrayGetLevel(&kept, mipmap, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipMipmappedArrayGetLevel(&level, mipmap, 4));
  EXPECT_HIP(hipErrorInvalidHandle, hipGetMipmappedArrayLevel(&level, nullptr, 0));
  EXPECT_OK(hipFreeMipmappedArray(mipmap));
  EXPECT_HIP(hipErrorContextIsDestroyed, hipFreeMipmappedArray(mipmap));
  EXPECT_HIP(hipErrorInvalidHandle, hipArrayGetInfo(nullptr, nullptr, nullptr, kept)) << "gone with it";
  EXPECT_HIP(hipErrorInvalidValue, hipFreeMipmappedArray(nullptr));
  HIP_ARRAY3D_DESCRIPTOR d{8, 8, 0, HIP_AD_FORMAT_FLOAT, 1, 0};
  EXPECT_HIP(hipErrorInvalidValue, hipMipmappedArrayCreate(&mipmap, &d, 5)) << "8, 4, 2, 1";
  ASSERT_OK(hipMipmappedArrayCreate(&mipmap, &d, 4));
  EXPECT_OK(hipMipmappedArrayDestroy(mipmap));
  EXPECT_HIP(hipErrorContextIsDestroyed, hipMipmappedArrayDestroy(mipmap));
  EXPECT_HIP(hipErrorInvalidValue, hipMallocMipmappedArray(&mipmap, nullptr, make_hipExtent(8, 4, 0), 1, 0));
  (void)hipGetLastError();
}

// ---- Many copies with one call --------------------------------------------------------------------------------------

TEST(CopyBatch, AllAreDone) {
  hipStream_t s;
  ASSERT_OK(hipStreamCreate(&s));
  DeviceBuffer<int> a(4), b(4);
  PinnedBuffer<int> one(4), two(4);
  for (int i = 0; i < 4; ++i) one[size_t(i)] = i, two[size_t(i)] = 10 + i;
  void *to[] = {a.get(), b.get()}, *from[] = {one.get(), two.get()};
  size_t sizes[] = {16, 8}, from_index[] = {0, 1}, failed = 5;
  hipMemcpyAttributes how[2]{};
  how[0].srcAccessOrder = hipMemcpySrcAccessOrderStream;
  how[1].srcAccessOrder = hipMemcpySrcAccessOrderDuringApiCall;
  b.zero();
  ASSERT_OK(hipMemcpyBatchAsync(to, from, sizes, 2, how, from_index, 2, &failed, s));
  two[0] = 77; // its copy read the source before the call returned
  ASSERT_OK(hipStreamSynchronize(s));
  EXPECT_EQ(a.read(), (std::vector<int>{0, 1, 2, 3}));
  EXPECT_EQ(b.read(), (std::vector<int>{10, 11, 0, 0}));
  sizes[1] = 1 << 20;
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpyBatchAsync(to, from, sizes, 2, how, from_index, 2, &failed, s));
  EXPECT_EQ(failed, 1u);
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpyBatchAsync(nullptr, from, sizes, 2, how, from_index, 2, &failed, s));
  EXPECT_EQ(failed, SIZE_MAX);
  from_index[0] = 1;
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpyBatchAsync(to, from, sizes, 2, how, from_index, 1, &failed, s));
  from_index[0] = 0;
  how[0].srcAccessOrder = hipMemcpySrcAccessOrderInvalid;
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpyBatchAsync(to, from, sizes, 1, how, from_index, 1, &failed, s));
  EXPECT_OK(hipStreamDestroy(s));
  (void)hipGetLastError();
}

TEST(CopyBatch, BoxesWithArrays) {
  hipStream_t s;
  ASSERT_OK(hipStreamCreate(&s));
  const auto desc = floats();
  hipArray_t array;
  ASSERT_OK(hipMallocArray(&array, &desc, 4, 2));
  auto in = numbers<float>(12);
  std::vector<float> out(4);
  hipMemcpy3DBatchOp op[2]{};
  op[0].src.type = hipMemcpyOperandTypePointer;
  op[0].src.op.ptr.ptr = in.data();
  op[0].src.op.ptr.rowLength = 6; // elements
  op[0].dst.type = hipMemcpyOperandTypeArray;
  op[0].dst.op.array.array = array;
  op[0].extent = make_hipExtent(4, 2, 1);
  op[0].srcAccessOrder = hipMemcpySrcAccessOrderStream;
  op[1].src.type = hipMemcpyOperandTypeArray;
  op[1].src.op.array.array = array;
  op[1].src.op.array.offset = {1, 1, 0};
  op[1].dst.type = hipMemcpyOperandTypePointer;
  op[1].dst.op.ptr.ptr = out.data();
  op[1].extent = make_hipExtent(3, 1, 1);
  op[1].srcAccessOrder = hipMemcpySrcAccessOrderAny;
  size_t failed = 0;
  ASSERT_OK(hipMemcpy3DBatchAsync(2, op, &failed, 0, s));
  ASSERT_OK(hipStreamSynchronize(s));
  EXPECT_EQ(out, (std::vector<float>{8, 9, 10, 0}));
  op[1].extent.width = 0;
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpy3DBatchAsync(2, op, &failed, 0, s));
  EXPECT_EQ(failed, 1u);
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpy3DBatchAsync(0, op, &failed, 0, s));
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpy3DBatchAsync(1, op, &failed, 9, s));
  EXPECT_OK(hipFreeArray(array));
  EXPECT_OK(hipStreamDestroy(s));
  (void)hipGetLastError();
}

// ---- Small things ---------------------------------------------------------------------------------------------------

TEST(PointerAttribute, SynchronousMemoryOperations) {
  DeviceBuffer<int> a(4);
  PinnedBuffer<int> host(4), flag(1), done(1);
  bool on = true, got = false;
  ASSERT_OK(hipPointerSetAttribute(&on, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, a.get() + 1));
  ASSERT_OK(hipPointerGetAttribute(&got, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, a.get()));
  EXPECT_TRUE(got);
  hipStream_t s;
  ASSERT_OK(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
  ASSERT_OK(launch(kernels::slow, 1, 1, 0, s, a.get(), 1000));
  host[0] = 5;
  ASSERT_OK(hipMemcpyAsync(a.get(), host, 4, hipMemcpyHostToDevice, s));
  EXPECT_OK(hipStreamQuery(s)) << "over when the call returned";
  on = false;
  ASSERT_OK(hipPointerSetAttribute(&on, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, a.get()));
  EXPECT_HIP(hipErrorInvalidValue, hipPointerSetAttribute(nullptr, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, a.get()));
  EXPECT_HIP(hipErrorInvalidValue, hipPointerSetAttribute(&on, HIP_POINTER_ATTRIBUTE_MEMORY_TYPE, a.get()));
  EXPECT_HIP(hipErrorInvalidDevicePointer, hipPointerSetAttribute(&on, HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS, &on));
  EXPECT_OK(hipStreamDestroy(s));
  (void)hipGetLastError();
}

TEST(Profiler, IsNotTheProgramsToSwitch) {
  EXPECT_HIP(hipErrorNotSupported, hipProfilerStart());
  EXPECT_HIP(hipErrorNotSupported, hipProfilerStop());
  (void)hipGetLastError();
}

TEST(MultiDevice, AFreeWaitsForTheWorkOfOtherDevices) {
  int count = 0;
  ASSERT_OK(hipGetDeviceCount(&count));
  if (count < 2) GTEST_SKIP() << "two devices are asked for by the second run of this test";
  constexpr size_t kSize = 4096;
  void *here = nullptr, *there = nullptr;
  ASSERT_OK(hipMalloc(&here, kSize));
  ASSERT_OK(hipSetDevice(1));
  ASSERT_OK(hipMalloc(&there, kSize));
  ASSERT_OK(hipSetDevice(0));
  hipStream_t s;
  ASSERT_OK(hipStreamCreate(&s));
  PinnedBuffer<int> flag(2);
  ASSERT_OK(launch(kernels::spin, 1, 1, 0, s, flag.get(), flag.get() + 1));
  ASSERT_OK(hipMemcpyPeerAsync(there, 1, here, 0, kSize, s));
  std::atomic<bool> freed{false};
  std::thread other([&] {
    EXPECT_OK(hipSetDevice(1));
    EXPECT_OK(hipFree(there));
    freed = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_FALSE(freed) << "the copy of device 0 is still to come";
  flag.store(0, 1);
  other.join();
  EXPECT_OK(hipStreamSynchronize(s));
  EXPECT_OK(hipStreamDestroy(s));
  EXPECT_OK(hipFree(here));
}

TEST(MultiDevice, LaunchesOnEachDevice) {
  int devices = 0;
  ASSERT_OK(hipGetDeviceCount(&devices));
  std::vector<hipStream_t> streams(static_cast<size_t>(devices));
  std::vector<int*> out(streams.size());
  std::vector<hipLaunchParams> list(streams.size());
  std::vector<std::array<void*, 3>> args(streams.size());
  int value = 9, n = 64;
  for (int d = 0; d < devices; ++d) {
    const auto i = static_cast<size_t>(d);
    ASSERT_OK(hipSetDevice(d));
    ASSERT_OK(hipStreamCreate(&streams[i]));
    ASSERT_OK(hipMalloc(&out[i], 256));
    args[i] = {&out[i], &value, &n};
    list[i] = {const_cast<void*>(kernels::fill), 1, 64, args[i].data(), 0, streams[i]};
  }
  ASSERT_OK(hipExtLaunchMultiKernelMultiDevice(list.data(), devices, 0));
  for (size_t i = 0; i < streams.size(); ++i) {
    ASSERT_OK(hipStreamSynchronize(streams[i]));
    int got = 0;
    ASSERT_OK(hipMemcpy(&got, out[i] + 63, 4, hipMemcpyDeviceToHost));
    EXPECT_EQ(got, 9);
  }
  EXPECT_HIP(hipErrorInvalidValue, hipExtLaunchMultiKernelMultiDevice(nullptr, 1, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipExtLaunchMultiKernelMultiDevice(list.data(), devices + 1, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipExtLaunchMultiKernelMultiDevice(list.data(), 1, 8));
  list[0].stream = nullptr;
  EXPECT_HIP(hipErrorInvalidResourceHandle, hipExtLaunchMultiKernelMultiDevice(list.data(), 1, 0));
  list[0].stream = streams[0];

  int* arrived = nullptr;
  ASSERT_OK(hipSetDevice(0));
  ASSERT_OK(hipMalloc(&arrived, 4));
  ASSERT_OK(hipMemset(arrived, 0, 4));
  void* grid_args[] = {&arrived, &out[0]};
  list[0] = {const_cast<void*>(kernels::grid_sum), 8, 64, grid_args, 0, streams[0]};
  ASSERT_OK(hipLaunchCooperativeKernelMultiDevice(list.data(), 1, 0));
  ASSERT_OK(hipStreamSynchronize(streams[0]));
  list[0].gridDim = 1 << 20;
  EXPECT_HIP(hipErrorCooperativeLaunchTooLarge, hipLaunchCooperativeKernelMultiDevice(list.data(), 1, 0));
  hipFunctionLaunchParams f{};
  EXPECT_HIP(hipErrorInvalidResourceHandle, hipModuleLaunchCooperativeKernelMultiDevice(&f, 1, 0));
  f.hStream = streams[0];
  hipFunction_t function = nullptr;
  ASSERT_OK(hipGetFuncBySymbol(&function, kernels::grid_sum));
  f = {function, 8, 1, 1, 64, 1, 1, 0, streams[0], grid_args};
  ASSERT_OK(hipMemset(arrived, 0, 4));
  ASSERT_OK(hipModuleLaunchCooperativeKernelMultiDevice(&f, 1, 0));
  ASSERT_OK(hipStreamSynchronize(streams[0]));

  // A barrier over the grids of all devices: each sees the blocks of all.
  PinnedBuffer<int> blocks(1), seen(streams.size());
  int *counter = blocks.get(), *results = seen.get();
  void* barrier_args[] = {&counter, &results};
  for (size_t i = 0; i < streams.size(); ++i)
    list[i] = {const_cast<void*>(kernels::multi_grid), 3, 64, barrier_args, 0, streams[i]};
  ASSERT_OK(hipLaunchCooperativeKernelMultiDevice(list.data(), devices, 0));
  for (size_t i = 0; i < streams.size(); ++i) {
    ASSERT_OK(hipStreamSynchronize(streams[i]));
    EXPECT_EQ(seen.load(i), 300 * devices + devices);
  }
  for (int d = 0; d < devices; ++d) {
    const auto i = static_cast<size_t>(d);
    ASSERT_OK(hipSetDevice(d));
    EXPECT_OK(hipFree(out[i]));
    EXPECT_OK(hipStreamDestroy(streams[i]));
  }
  ASSERT_OK(hipSetDevice(0));
  EXPECT_OK(hipFree(arrived));
  (void)hipGetLastError();
}

TEST(Context, PeersByContext) {
  hipCtx_t own = nullptr;
  ASSERT_OK(hipCtxGetCurrent(&own));
  EXPECT_HIP(hipErrorInvalidDevice, hipCtxEnablePeerAccess(own, 0)) << "no peer of itself";
  EXPECT_HIP(hipErrorPeerAccessNotEnabled, hipCtxDisablePeerAccess(own));
  EXPECT_HIP(hipErrorInvalidContext, hipCtxEnablePeerAccess(hipCtx_t(5), 0));
  int devices = 0;
  ASSERT_OK(hipGetDeviceCount(&devices));
  if (devices > 1) {
    hipCtx_t other = nullptr;
    ASSERT_OK(hipDevicePrimaryCtxRetain(&other, 1));
    EXPECT_OK(hipCtxEnablePeerAccess(other, 0));
    EXPECT_HIP(hipErrorPeerAccessAlreadyEnabled, hipCtxEnablePeerAccess(other, 0));
    EXPECT_OK(hipCtxDisablePeerAccess(other));
    EXPECT_OK(hipDevicePrimaryCtxRelease(1));
  }
  (void)hipGetLastError();
}

} // namespace
