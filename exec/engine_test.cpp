// Whole kernels, compiled by clang-22 or given as text, on every engine level.
#include "exec/testing/kernel.hpp"
#include "exec/testing/machine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

namespace {
using namespace bz::exec;
using namespace bz::exec::testing;
using bz::isa::Target;

std::unique_ptr<Engine> engine(Target t, const std::string& level) {
  auto e = make_engine(t, level);
  EXPECT_TRUE(e.ok()) << e.status().to_string();
  return e ? std::move(e).value() : nullptr;
}
std::unique_ptr<Image> device(Target t, std::string_view source, std::string_view flags = "-O3") {
  auto elf = compile_device(t, source, flags);
  EXPECT_TRUE(elf.ok()) << elf.status().message();
  if (!elf) return nullptr;
  auto image = Image::load(*elf);
  EXPECT_TRUE(image.ok()) << image.status().message();
  return image ? std::move(image).value() : nullptr;
}
/// Runs and expects no halt.
void launch(Engine& e, const DispatchInfo& info) {
  auto r = run_dispatch(e, info);
  ASSERT_TRUE(r.ok()) << r.status().to_string();
  ASSERT_FALSE(r->halt) << r->halt->text;
}

constexpr const char* kSaxpy = R"(
#define KERNEL extern "C" __attribute__((amdgpu_kernel, visibility("default")))
KERNEL void saxpy(float a, const float* x, float* y, unsigned n) {
  unsigned i = __builtin_amdgcn_workgroup_id_x() * 256 + __builtin_amdgcn_workitem_id_x();
  if (i < n) y[i] = a * x[i] + y[i];
}
)";
struct SaxpyArgs { float a; const float* x; float* y; uint32_t n; };

TEST(Engine, Saxpy) {
  for (Target t : {Target::gfx942, Target::gfx90a, Target::gfx906})
    for (const char* flags : {"-O3", "-O0"}) {
      auto image = device(t, kSaxpy, flags);
      ASSERT_TRUE(image);
      for (auto& level : engine_levels()) {
        SCOPED_TRACE(std::string(bz::isa::target_name(t)) + " " + flags + " " + level);
        auto e = engine(t, level);
        ASSERT_TRUE(e);
        const uint32_t n = 1000;
        std::vector<float> x(n), y(n + 8), want(n + 8);
        for (uint32_t i = 0; i < n; ++i) x[i] = 0.25f * static_cast<float>(i), y[i] = static_cast<float>(n - i);
        for (uint32_t i = 0; i < n; ++i) want[i] = 2.5f * x[i] + y[i];
        SaxpyArgs args{2.5f, x.data(), y.data(), n};
        DispatchInfo d;
        d.group_size = {256, 1, 1};
        d.grid_size = {1024, 1, 1};
        d.private_bytes = 256;
        d.kernel_object = image->symbol("saxpy.kd");
        d.kernarg = reinterpret_cast<uint64_t>(&args);
        launch(*e, d);
        EXPECT_EQ(y, want);
      }
    }
}
} // namespace
