// Textures and surfaces, on a device with image instructions (the test's environment names one).
#include "hip/runtime/behaviour/support.hpp"
#include "hip/runtime/behaviour/textures.hpp"

#include <hip/hip_vector_types.h>

#include <cmath>
#include <cstring>
#include <numeric>

namespace {

hipChannelFormatDesc floats(int channels = 1) {
  return hipCreateChannelDesc(32, channels > 1 ? 32 : 0, channels > 2 ? 32 : 0, channels > 3 ? 32 : 0,
                              hipChannelFormatKindFloat);
}

bool full_image_set() {
  hipDeviceProp_t prop{};
  EXPECT_OK(hipGetDeviceProperties(&prop, 0));
  return std::strncmp(prop.gcnArchName, "gfx90a", 6) != 0;
}

/// 4 x 3 floats: element (x, y) is 10 * y + x.
class Texture : public testing::Test {
protected:
  static constexpr size_t kWidth = 4, kHeight = 3;
  void SetUp() override {
    int supported = 0;
    ASSERT_OK(hipDeviceGetAttribute(&supported, hipDeviceAttributeImageSupport, 0));
    ASSERT_EQ(supported, 1) << "the test needs BZ_GPUS to name a GPU with image instructions";
    const auto desc = floats();
    ASSERT_OK(hipMallocArray(&array_, &desc, kWidth, kHeight, hipArraySurfaceLoadStore));
    for (size_t i = 0; i < kWidth * kHeight; ++i) data_.push_back(float(i / kWidth * 10 + i % kWidth));
    ASSERT_OK(hipMemcpy2DToArray(array_, 0, 0, data_.data(), 16, 16, kHeight, hipMemcpyHostToDevice));
    resource_.resType = hipResourceTypeArray;
    resource_.res.array.array = array_;
    for (auto& mode : texture_.addressMode) mode = hipAddressModeClamp;
  }
  void TearDown() override {
    if (object_) EXPECT_OK(hipDestroyTextureObject(object_));
    EXPECT_OK(hipFreeArray(array_));
    (void)hipGetLastError();
  }
  void make() {
    if (object_) EXPECT_OK(hipDestroyTextureObject(object_));
    object_ = nullptr;
    ASSERT_OK(hipCreateTextureObject(&object_, &resource_, &texture_, nullptr));
  }
  std::vector<float> plane(float dx, float dy) {
    DeviceBuffer<float> out(kWidth * kHeight);
    EXPECT_OK(launch(textures::plane, 1, dim3(kWidth, kHeight), 0, nullptr, object_, out.get(), int(kWidth), dx, dy));
    return out.read();
  }
  hipArray_t array_ = nullptr;
  std::vector<float> data_;
  hipResourceDesc resource_{};
  hipTextureDesc texture_{};
  hipTextureObject_t object_ = nullptr;
};

TEST_F(Texture, PointsOfAPlane) {
  make();
  EXPECT_EQ(plane(0.5f, 0.5f), data_);
  EXPECT_EQ(plane(1.5f, 0.5f)[2], 3);
  EXPECT_EQ(plane(1.5f, 0.5f)[3], 3) << "clamped";
  EXPECT_EQ(plane(-9.0f, -9.0f)[0], 0);
}

TEST_F(Texture, AddressModes) {
  texture_.addressMode[0] = texture_.addressMode[1] = hipAddressModeBorder;
  make();
  EXPECT_EQ(plane(1.5f, 0.5f)[2], 3);
  EXPECT_EQ(plane(1.5f, 0.5f)[3], 0) << "the border";
  texture_.normalizedCoords = 1;
  DeviceBuffer<float> out(12);
  auto row = [&](hipTextureAddressMode mode) {
    texture_.addressMode[0] = mode;
    make();
    // x / 4 + 1 / 8 is the middle of texel x; twelve of them go three times along the row. y stays at row 1.
    out.zero();
    EXPECT_OK(launch(textures::plane_scaled, 1, 12, 0, nullptr, object_, out.get(), 0.25f));
    return out.read();
  };
  const auto wrapped = row(hipAddressModeWrap), mirrored = row(hipAddressModeMirror),
             clamped = row(hipAddressModeClamp);
  EXPECT_EQ(wrapped[1], 11);
  EXPECT_EQ(wrapped[5], 11);
  EXPECT_EQ(mirrored[5], 12) << "13, 12, 11, 10 the second time";
  EXPECT_EQ(clamped[5], 13);
}

TEST_F(Texture, LinearFilter) {
  texture_.filterMode = hipFilterModeLinear;
  make();
  EXPECT_EQ(plane(0.5f, 0.5f), data_) << "in the middle of a texel there is only that";
  const auto between = plane(1.0f, 0.5f);
  EXPECT_FLOAT_EQ(between[0], 0.5f);
  EXPECT_FLOAT_EQ(between[5], 11.5f);
  const auto corner = plane(1.0f, 1.0f);
  EXPECT_FLOAT_EQ(corner[0], 5.5f) << "the mean of four";
}

TEST_F(Texture, LinearMemory) {
  DeviceBuffer<float> memory(40);
  std::vector<float> values(40);
  std::iota(values.begin(), values.end(), 1.0f);
  memory.write(values);
  resource_.resType = hipResourceTypeLinear;
  resource_.res.linear = {memory.get(), floats(4), 160};
  make();
  DeviceBuffer<float4> out(12);
  out.zero();
  ASSERT_OK(launch(textures::fetch, 1, 64, 0, nullptr, object_, out.get(), 12));
  const auto got = out.read();
  EXPECT_EQ(got[0].x, 1);
  EXPECT_EQ(got[9].w, 40);
  EXPECT_EQ(got[10].x, 0) << "beyond the end";
  DeviceBuffer<int> ints(4), out_ints(4);
  ints.write({-5, 7, 1 << 30, -1});
  resource_.res.linear = {ints.get(), hipCreateChannelDesc(32, 0, 0, 0, hipChannelFormatKindSigned), 16};
  make();
  ASSERT_OK(launch(textures::fetch_int, 1, 4, 0, nullptr, object_, out_ints.get(), 4));
  EXPECT_EQ(out_ints.read(), (std::vector<int>{-5, 7, 1 << 30, -1}));
}

TEST_F(Texture, PitchedMemory) {
  void* memory = nullptr;
  size_t pitch = 0;
  ASSERT_OK(hipMallocPitch(&memory, &pitch, 16, kHeight));
  ASSERT_OK(hipMemcpy2D(memory, pitch, data_.data(), 16, 16, kHeight, hipMemcpyHostToDevice));
  resource_.resType = hipResourceTypePitch2D;
  resource_.res.pitch2D = {memory, floats(), kWidth, kHeight, pitch};
  make();
  EXPECT_EQ(plane(0.5f, 0.5f), data_);
  hipTextureObject_t wrong = nullptr;
  resource_.res.pitch2D.pitchInBytes = 20;
  EXPECT_HIP(hipErrorInvalidValue, hipCreateTextureObject(&wrong, &resource_, &texture_, nullptr)) << "pitch";
  resource_.res.pitch2D.devPtr = nullptr;
  EXPECT_HIP(hipErrorInvalidValue, hipCreateTextureObject(&wrong, &resource_, &texture_, nullptr));
  EXPECT_OK(hipFree(memory));
}

TEST_F(Texture, IntegersAndNormalizedFloats) {
  const auto desc = hipCreateChannelDesc(8, 8, 8, 8, hipChannelFormatKindUnsigned);
  hipArray_t bytes = nullptr;
  ASSERT_OK(hipMallocArray(&bytes, &desc, 4, 1));
  const unsigned char in[16] = {0, 51, 102, 255, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  ASSERT_OK(hipMemcpy2DToArray(bytes, 0, 0, in, 16, 16, 1, hipMemcpyHostToDevice));
  resource_.res.array.array = bytes;
  make();
  DeviceBuffer<uchar4> out(4);
  ASSERT_OK(launch(textures::bytes, 1, dim3(4, 1), 0, nullptr, object_, out.get(), 4));
  EXPECT_EQ(out.read()[0].w, 255);
  EXPECT_EQ(out.read()[3].y, 13);
  texture_.readMode = hipReadModeNormalizedFloat;
  make();
  DeviceBuffer<float4> normal(4);
  ASSERT_OK(launch(textures::normalized, 1, 4, 0, nullptr, object_, normal.get()));
  EXPECT_FLOAT_EQ(normal.read()[0].y, 0.2f);
  EXPECT_FLOAT_EQ(normal.read()[0].w, 1.0f);
  texture_.sRGB = 1;
  make();
  ASSERT_OK(launch(textures::normalized, 1, 4, 0, nullptr, object_, normal.get()));
  EXPECT_NEAR(normal.read()[0].z, std::pow((0.4 + 0.055) / 1.055, 2.4), 1e-3);
  texture_.sRGB = 0;
  texture_.readMode = hipReadModeElementType;
  texture_.filterMode = hipFilterModeLinear;
  hipTextureObject_t wrong = nullptr;
  EXPECT_HIP(hipErrorInvalidValue, hipCreateTextureObject(&wrong, &resource_, &texture_, nullptr)) << "integers";
  EXPECT_OK(hipDestroyTextureObject(object_));
  object_ = nullptr;
  EXPECT_OK(hipFreeArray(bytes));
}

TEST_F(Texture, OneDimension) {
  const auto desc = floats();
  hipArray_t line = nullptr;
  ASSERT_OK(hipMallocArray(&line, &desc, 8, 0));
  std::vector<float> values{0, 10, 20, 30, 40, 50, 60, 70};
  ASSERT_OK(hipMemcpyHtoA(line, 0, values.data(), 32));
  resource_.res.array.array = line;
  texture_.filterMode = hipFilterModeLinear;
  make();
  DeviceBuffer<float> out(8);
  ASSERT_OK(launch(textures::line, 1, 8, 0, nullptr, object_, out.get(), 0.75f, 1.0f));
  EXPECT_FLOAT_EQ(out.read()[0], 2.5f);
  EXPECT_FLOAT_EQ(out.read()[6], 62.5f);
  EXPECT_FLOAT_EQ(out.read()[7], 70.0f);
  EXPECT_OK(hipDestroyTextureObject(object_));
  object_ = nullptr;
  EXPECT_OK(hipFreeArray(line));
}

TEST_F(Texture, LayersAndVolumes) {
  const auto desc = floats();
  std::vector<float> values(24);
  std::iota(values.begin(), values.end(), 0.0f);
  for (bool layered : {true, false}) {
    hipArray_t deep = nullptr;
    ASSERT_OK(hipMalloc3DArray(&deep, &desc, make_hipExtent(4, 3, 2), layered ? hipArrayLayered : hipArrayDefault));
    hipMemcpy3DParms p{};
    p.srcPtr = make_hipPitchedPtr(values.data(), 16, 4, 3);
    p.dstArray = deep;
    p.extent = make_hipExtent(4, 3, 2);
    p.kind = hipMemcpyHostToDevice;
    ASSERT_OK(hipMemcpy3D(&p));
    resource_.res.array.array = deep;
    make();
    DeviceBuffer<float> out(24);
    if (layered)
      ASSERT_OK(launch(textures::layers, 1, dim3(4, 3, 2), 0, nullptr, object_, out.get(), 4));
    else
      ASSERT_OK(launch(textures::volume, 1, dim3(4, 3, 2), 0, nullptr, object_, out.get()));
    EXPECT_EQ(out.read(), values);
    if (layered) { // a view of the second layer alone
      hipResourceViewDesc view{};
      view.format = hipResViewFormatFloat1;
      view.width = 4;
      view.height = 3;
      view.firstLayer = view.lastLayer = 1;
      hipTextureObject_t one = nullptr;
      ASSERT_OK(hipCreateTextureObject(&one, &resource_, &texture_, &view));
      ASSERT_OK(launch(textures::layers, 1, dim3(4, 3, 1), 0, nullptr, one, out.get(), 4));
      EXPECT_EQ(out.read()[0], 12);
      hipResourceViewDesc got{};
      ASSERT_OK(hipGetTextureObjectResourceViewDesc(&got, one));
      EXPECT_EQ(got.firstLayer, 1u);
      EXPECT_OK(hipDestroyTextureObject(one));
      view.lastLayer = 2;
      EXPECT_HIP(hipErrorInvalidValue, hipCreateTextureObject(&one, &resource_, &texture_, &view));
    }
    EXPECT_OK(hipDestroyTextureObject(object_));
    object_ = nullptr;
    EXPECT_OK(hipFreeArray(deep));
  }
}

TEST_F(Texture, LevelsAndGather) {
  if (!full_image_set()) GTEST_SKIP() << "gfx90a has no sample_l and gather4";
  make();
  DeviceBuffer<float> out(4);
  ASSERT_OK(launch(textures::lod, 1, 4, 0, nullptr, object_, out.get()));
  EXPECT_EQ(out.read(), (std::vector<float>{10, 11, 12, 13}));
  DeviceBuffer<float4> four(1);
  ASSERT_OK(launch(textures::gather, 1, 1, 0, nullptr, object_, four.get()));
  const auto got = four.read()[0];
  EXPECT_EQ(got.x + got.y + got.z + got.w, 0 + 1 + 10 + 11) << "the four texels around (1, 1)";
  EXPECT_EQ(got.w, 0) << "the upper left is the last";
}

TEST_F(Texture, Surfaces) {
  const auto desc = floats();
  hipArray_t other = nullptr, line = nullptr;
  ASSERT_OK(hipMallocArray(&other, &desc, kWidth, kHeight, hipArraySurfaceLoadStore));
  hipSurfaceObject_t from = nullptr, to = nullptr;
  ASSERT_OK(hipCreateSurfaceObject(&from, &resource_));
  resource_.res.array.array = other;
  ASSERT_OK(hipCreateSurfaceObject(&to, &resource_));
  ASSERT_OK(launch(textures::surface, 1, dim3(kWidth, kHeight), 0, nullptr, from, to, int(kWidth)));
  std::vector<float> out(12);
  ASSERT_OK(hipMemcpy2DFromArray(out.data(), 16, other, 0, 0, 16, kHeight, hipMemcpyDeviceToHost));
  for (size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], 2 * data_[i / 4 * 4 + 3 - i % 4]) << i;
  EXPECT_HIP(hipErrorInvalidValue, hipDestroyTextureObject(hipTextureObject_t(to))) << "a surface";
  EXPECT_OK(hipDestroySurfaceObject(from));
  EXPECT_OK(hipDestroySurfaceObject(to));
  EXPECT_HIP(hipErrorInvalidValue, hipDestroySurfaceObject(to)) << "twice";
  const auto pairs = hipCreateChannelDesc(32, 32, 0, 0, hipChannelFormatKindSigned);
  ASSERT_OK(hipMallocArray(&line, &pairs, 8, 0, hipArraySurfaceLoadStore));
  resource_.res.array.array = line;
  ASSERT_OK(hipCreateSurfaceObject(&to, &resource_));
  ASSERT_OK(launch(textures::surface_ints, 1, 8, 0, nullptr, to));
  std::vector<int> ints(16);
  ASSERT_OK(hipMemcpyAtoH(ints.data(), line, 0, 64));
  EXPECT_EQ(ints[14], 7);
  EXPECT_EQ(ints[15], -7);
  EXPECT_OK(hipDestroySurfaceObject(to));
  hipResourceDesc linear{};
  linear.resType = hipResourceTypeLinear;
  EXPECT_HIP(hipErrorInvalidValue, hipCreateSurfaceObject(&to, &linear));
  EXPECT_HIP(hipErrorInvalidValue, hipCreateSurfaceObject(nullptr, &resource_));
  EXPECT_OK(hipFreeArray(other));
  EXPECT_OK(hipFreeArray(line));
}

TEST_F(Texture, DriverInterface) {
  HIP_RESOURCE_DESC resource{};
  resource.resType = HIP_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array_;
  HIP_TEXTURE_DESC texture{};
  for (auto& mode : texture.addressMode) mode = HIP_TR_ADDRESS_MODE_CLAMP;
  texture.filterMode = HIP_TR_FILTER_MODE_POINT;
  ASSERT_OK(hipTexObjectCreate(&object_, &resource, &texture, nullptr));
  EXPECT_EQ(plane(0.5f, 0.5f), data_);
  HIP_RESOURCE_DESC got_resource{};
  ASSERT_OK(hipTexObjectGetResourceDesc(&got_resource, object_));
  EXPECT_EQ(got_resource.res.array.hArray, array_);
  HIP_TEXTURE_DESC got_texture{};
  ASSERT_OK(hipTexObjectGetTextureDesc(&got_texture, object_));
  EXPECT_EQ(got_texture.addressMode[1], HIP_TR_ADDRESS_MODE_CLAMP);
  HIP_RESOURCE_VIEW_DESC view{};
  EXPECT_HIP(hipErrorInvalidValue, hipTexObjectGetResourceViewDesc(&view, object_)) << "there is none";
  EXPECT_OK(hipTexObjectDestroy(object_));
  EXPECT_HIP(hipErrorInvalidValue, hipTexObjectDestroy(object_)) << "twice";
  EXPECT_HIP(hipErrorInvalidValue, hipTexObjectGetResourceDesc(&got_resource, object_));
  EXPECT_HIP(hipErrorInvalidValue, hipTexObjectGetTextureDesc(&got_texture, object_));
  view.format = HIP_RES_VIEW_FORMAT_UINT_1X32;
  ASSERT_OK(hipTexObjectCreate(&object_, &resource, &texture, &view));
  HIP_RESOURCE_VIEW_DESC got_view{};
  ASSERT_OK(hipTexObjectGetResourceViewDesc(&got_view, object_));
  EXPECT_EQ(got_view.format, HIP_RES_VIEW_FORMAT_UINT_1X32);
  // What the runtime's own function made has no words of this interface.
  hipResourceDesc own_resource{};
  own_resource.resType = hipResourceTypeArray;
  own_resource.res.array.array = array_;
  hipTextureDesc own{};
  hipTextureObject_t other = nullptr;
  ASSERT_OK(hipCreateTextureObject(&other, &own_resource, &own, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipTexObjectGetResourceDesc(&got_resource, other));
  EXPECT_HIP(hipErrorInvalidValue, hipTexObjectGetTextureDesc(&got_texture, other));
  EXPECT_HIP(hipErrorInvalidValue, hipTexObjectGetResourceViewDesc(&got_view, other));
  EXPECT_OK(hipDestroyTextureObject(other));
  texture.flags = 0x80;
  hipTextureObject_t wrong = nullptr;
  EXPECT_HIP(hipErrorInvalidValue, hipTexObjectCreate(&wrong, &resource, &texture, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipTexObjectCreate(&wrong, nullptr, &texture, nullptr));
}

TEST_F(Texture, SaysWhatItIsAndRefusesWhatItIsNot) {
  make();
  hipResourceDesc resource{};
  ASSERT_OK(hipGetTextureObjectResourceDesc(&resource, object_));
  EXPECT_EQ(resource.res.array.array, array_);
  hipTextureDesc texture{};
  ASSERT_OK(hipGetTextureObjectTextureDesc(&texture, object_));
  EXPECT_EQ(texture.addressMode[2], hipAddressModeClamp);
  hipResourceViewDesc view{};
  EXPECT_HIP(hipErrorInvalidValue, hipGetTextureObjectResourceViewDesc(&view, object_));
  EXPECT_HIP(hipErrorInvalidValue, hipGetTextureObjectResourceDesc(nullptr, object_));
  EXPECT_HIP(hipErrorInvalidValue, hipGetTextureObjectResourceDesc(&resource, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipGetTextureObjectTextureDesc(&texture, hipTextureObject_t(&texture)));
  hipTextureObject_t made = nullptr;
  EXPECT_HIP(hipErrorInvalidValue, hipCreateTextureObject(nullptr, &resource_, &texture_, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipCreateTextureObject(&made, nullptr, &texture_, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipCreateTextureObject(&made, &resource_, nullptr, nullptr));
  auto wrong = resource_;
  wrong.res.array.array = nullptr;
  EXPECT_HIP(hipErrorInvalidValue, hipCreateTextureObject(&made, &wrong, &texture_, nullptr));
  wrong.resType = hipResourceTypeMipmappedArray;
  EXPECT_HIP(hipErrorNotSupported, hipCreateTextureObject(&made, &wrong, &texture_, nullptr));
  wrong.resType = hipResourceType(9);
  EXPECT_HIP(hipErrorInvalidValue, hipCreateTextureObject(&made, &wrong, &texture_, nullptr));
  auto border = texture_;
  border.addressMode[0] = hipAddressModeBorder;
  border.borderColor[0] = 1;
  EXPECT_HIP(hipErrorNotSupported, hipCreateTextureObject(&made, &resource_, &border, nullptr));
  EXPECT_OK(hipDestroyTextureObject(object_));
  EXPECT_HIP(hipErrorInvalidValue, hipDestroyTextureObject(object_)) << "twice";
  EXPECT_HIP(hipErrorInvalidValue, hipDestroyTextureObject(nullptr));
  object_ = nullptr;
}

} // namespace
