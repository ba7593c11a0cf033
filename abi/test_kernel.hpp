// What kernel_object points to when the device runs the tests' engine (gpu/fake_engine.hpp): a C++ function per
// workgroup. A layout like the others, because a test above libhsakmt reaches the device only through the driver's
// interface.
#pragma once
#include <cstdint>

namespace bz::abi {

struct test_outcome {
  enum Kind : uint32_t { finish = 0, park = 1, memory_fault = 2 };
  Kind kind = finish;
  uint32_t is_write = 0;
  uint64_t address = 0;
};

struct alignas(64) test_kernel {
  static constexpr uint64_t kMagic = 0x74736574206c656b;
  uint64_t magic = kMagic;
  void (*body)(void* context, uint64_t group, test_outcome* out) = nullptr;
  void* context = nullptr;
  uint32_t groups_per_cu = 8;
  uint64_t object() const { return reinterpret_cast<uint64_t>(this); }
};

} // namespace bz::abi
