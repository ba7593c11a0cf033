// Packing of kernel arguments from metadata, and reading of the launch buffers.
#include "hip/runtime/error.hpp"
#include "hip/runtime/launch.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace bz::hip {
namespace {

using codeobj::ArgKind;

struct Fixture {
  codeobj::KernelMetadata metadata;
  Kernel kernel;
  std::vector<std::byte> segment;
  Fixture() {
    kernel.name = "k";
    kernel.metadata = &metadata;
  }
  void add(ArgKind kind, uint32_t offset, uint32_t size) {
    codeobj::KernelArg a;
    a.kind = kind;
    a.offset = offset;
    a.size = size;
    metadata.args.push_back(a);
    kernel.kernarg_size = std::max(kernel.kernarg_size, offset + size);
  }
  Result pack(const LaunchShape& shape, const Arguments& arguments) {
    segment.assign(kernel.kernarg_size, std::byte(0));
    return pack_arguments(kernel, shape, arguments, segment.data());
  }
  template <class T> T at(size_t offset) {
    T v;
    std::memcpy(&v, segment.data() + offset, sizeof v);
    return v;
  }
};

TEST(Arguments, PointersGoToTheirOffsets) {
  Fixture f;
  f.add(ArgKind::global_buffer, 0, 8);
  f.add(ArgKind::by_value, 8, 1);
  f.add(ArgKind::by_value, 12, 4);
  uint64_t pointer = 0x123456789abcdef0;
  char byte = 'x';
  float number = 2.5f;
  void* args[] = {&pointer, &byte, &number};
  ASSERT_TRUE(f.pack(LaunchShape::blocks({1}, {64}, 0), {.pointers = args}).ok());
  EXPECT_EQ(f.at<uint64_t>(0), pointer);
  EXPECT_EQ(f.at<char>(8), 'x');
  EXPECT_EQ(f.at<float>(12), 2.5f);
}

TEST(Arguments, HiddenOnesAreFilledFromTheShape) {
  Fixture f;
  f.add(ArgKind::by_value, 0, 4);
  const uint32_t hidden = 8;
  for (int i = 0; i < 3; ++i) {
    f.add(ArgKind(int(ArgKind::hidden_block_count_x) + i), hidden + 4 * i, 4);
    f.add(ArgKind(int(ArgKind::hidden_group_size_x) + i), hidden + 12 + 2 * i, 2);
    f.add(ArgKind(int(ArgKind::hidden_remainder_x) + i), hidden + 18 + 2 * i, 2);
  }
  f.add(ArgKind::hidden_grid_dims, hidden + 64, 2);
  f.add(ArgKind::hidden_dynamic_lds_size, hidden + 120, 4);
  f.add(ArgKind::hidden_none, hidden + 128, 8);
  LaunchShape shape;
  shape.threads = {1000, 7, 1};
  shape.block = {256, 2, 1};
  shape.dynamic_lds = 4096;
  int argument = 9;
  void* args[] = {&argument};
  ASSERT_TRUE(f.pack(shape, {.pointers = args}).ok());
  EXPECT_EQ(f.at<uint32_t>(hidden), 3u);
  EXPECT_EQ(f.at<uint32_t>(hidden + 4), 3u);
  EXPECT_EQ(f.at<uint32_t>(hidden + 8), 1u);
  EXPECT_EQ(f.at<uint16_t>(hidden + 12), 256u);
  EXPECT_EQ(f.at<uint16_t>(hidden + 14), 2u);
  EXPECT_EQ(f.at<uint16_t>(hidden + 18), 1000 % 256u);
  EXPECT_EQ(f.at<uint16_t>(hidden + 20), 1u);
  EXPECT_EQ(f.at<uint16_t>(hidden + 64), 2u);
  EXPECT_EQ(f.at<uint32_t>(hidden + 120), 4096u);
  EXPECT_EQ(f.at<uint64_t>(hidden + 128), 0u);
}

TEST(Arguments, MissingOnesAreRefused) {
  Fixture f;
  f.add(ArgKind::by_value, 0, 4);
  EXPECT_EQ(f.pack(LaunchShape::blocks({1}, {1}, 0), {}).code(), hipErrorInvalidValue);
  void* args[] = {nullptr};
  EXPECT_EQ(f.pack(LaunchShape::blocks({1}, {1}, 0), {.pointers = args}).code(), hipErrorInvalidValue);
}

TEST(Arguments, PackedBufferMustCoverTheArguments) {
  Fixture f;
  f.add(ArgKind::by_value, 0, 4);
  f.add(ArgKind::by_value, 8, 8);
  f.add(ArgKind::hidden_group_size_x, 16, 2);
  struct {
    int a;
    double b;
  } packed{7, 1.25};
  static_assert(sizeof packed == 16);
  Arguments good{.packed = &packed, .packed_size = sizeof packed};
  ASSERT_TRUE(f.pack(LaunchShape::blocks({1}, {32}, 0), good).ok());
  EXPECT_EQ(f.at<int>(0), 7);
  EXPECT_EQ(f.at<double>(8), 1.25);
  EXPECT_EQ(f.at<uint16_t>(16), 32);
  Arguments small{.packed = &packed, .packed_size = 12};
  EXPECT_EQ(f.pack(LaunchShape::blocks({1}, {32}, 0), small).code(), hipErrorInvalidValue);
}

TEST(Arguments, LaunchBuffers) {
  int data[2] = {1, 2};
  size_t size = sizeof data;
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, data, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  auto a = launch_arguments(nullptr, extra);
  ASSERT_TRUE(a.ok());
  EXPECT_EQ(a->packed, data);
  EXPECT_EQ(a->packed_size, sizeof data);
  void* no_size[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, data, HIP_LAUNCH_PARAM_END};
  EXPECT_EQ(launch_arguments(nullptr, no_size).result().code(), hipErrorInvalidValue);
  void* wrong[] = {reinterpret_cast<void*>(77), data, HIP_LAUNCH_PARAM_END};
  EXPECT_EQ(launch_arguments(nullptr, wrong).result().code(), hipErrorInvalidValue);
  void* pointers[] = {data};
  EXPECT_EQ(launch_arguments(pointers, extra).result().code(), hipErrorInvalidValue) << "both ways at once";
}

TEST(Errors, EveryCodeHasNameAndText) {
#define ERROR(name, text)                                                                                              \
  EXPECT_STREQ(error_name(name), #name);                                                                               \
  EXPECT_STREQ(error_text(name), text);
#define ALIAS(name, first) EXPECT_STREQ(error_name(name), #first);
#include "api/hip_errors.def"
#undef ERROR
#undef ALIAS
  EXPECT_EQ(error_name(hipError_t(12345)), nullptr);
  EXPECT_EQ(error_text(hipError_t(-1)), nullptr);
}

} // namespace
} // namespace bz::hip
