// The layouts and numbers of the public headers against the frozen facts of layout_facts.def: a drift fails to compile.
#include <hip/hip_deprecated.h>
#include <hip/hip_runtime_api.h>
#include <hip/library_types.h>

#include <gtest/gtest.h>

#include <cstring>
#include <type_traits>

#define SIZE(type, size, alignment) static_assert(sizeof(type) == size && alignof(type) == alignment, #type);
#define FIELD(type, field, at, size)                                                                                   \
  static_assert(offsetof(type, field) == at && sizeof(type::field) == size, #type "." #field);
#define VALUE(enumerator, number) static_assert(static_cast<long long>(enumerator) == number##LL, #enumerator);
#include "hip/runtime/enum_facts.def"
#include "hip/runtime/layout_facts.def"
#undef SIZE
#undef FIELD
#undef VALUE

namespace {

// Bit-fields have no offsetof: each bit is set alone and looked for in the bytes.
TEST(HipLayout, ArchBits) {
  hipDeviceArch_t a{};
  a.hasDynamicParallelism = 1;
  unsigned word;
  std::memcpy(&word, &a, 4);
  EXPECT_EQ(word, 1u << 16);
  a = {};
  a.hasDoubles = 1;
  std::memcpy(&word, &a, 4);
  EXPECT_EQ(word, 1u << 7);
}

TEST(HipLayout, Dim3DefaultsToOnes) {
  dim3 d(7);
  EXPECT_EQ(d.x, 7u);
  EXPECT_EQ(d.y, 1u);
  EXPECT_EQ(d.z, 1u);
}

TEST(HipLayout, VersionIs71) {
  EXPECT_EQ(HIP_VERSION / 100000, 701);
  static_assert(std::is_same_v<hipDeviceProp_t, hipDeviceProp_tR0600>);
}

} // namespace
