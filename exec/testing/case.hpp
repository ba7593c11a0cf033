// Test kit: compiled kernels as data, run on targets x optimisation x engine levels. For gtest programs.
#pragma once
#include "exec/testing/kernel.hpp"
#include "exec/testing/machine.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <vector>

namespace bz::exec::testing {

inline std::unique_ptr<Engine> engine(isa::Target t, const std::string& level) {
  auto e = make_engine(t, level);
  EXPECT_TRUE(e.ok()) << e.status().to_string();
  return e ? std::move(e).value() : nullptr;
}
inline std::unique_ptr<Image> device(isa::Target t, std::string_view source, std::string_view flags = "-O3") {
  auto elf = compile_device(t, source, flags);
  EXPECT_TRUE(elf.ok()) << elf.status().message();
  if (!elf) return nullptr;
  auto image = Image::load(*elf);
  EXPECT_TRUE(image.ok()) << image.status().message();
  return image ? std::move(image).value() : nullptr;
}
/// Runs and expects no halt.
inline void launch(Engine& e, std::span<const DispatchInfo> infos, const RunOptions& options = {}) {
  auto r = run_dispatches(e, infos, options);
  ASSERT_TRUE(r.ok()) << r.status().to_string();
  ASSERT_FALSE(r->halt) << r->halt->text;
}
inline void launch(Engine& e, const DispatchInfo& info, const RunOptions& options = {}) { launch(e, {&info, 1}, options); }

/// Memory that can be used up to end() and not from there on.
class EdgeOfMemory {
public:
  EdgeOfMemory() {
    memory_ = static_cast<char*>(mmap(nullptr, 2 * kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    EXPECT_EQ(mprotect(memory_ + kBytes, kBytes, PROT_NONE), 0);
  }
  ~EdgeOfMemory() { munmap(memory_, 2 * kBytes); }
  EdgeOfMemory(const EdgeOfMemory&) = delete;
  EdgeOfMemory& operator=(const EdgeOfMemory&) = delete;
  static constexpr size_t kBytes = 65536;
  uint64_t end() const { return reinterpret_cast<uint64_t>(memory_) + kBytes; }

private:
  char* memory_;
};

/// Device code that cases share: plain C++ with AMDGPU builtins.
inline constexpr const char* kPrelude = R"(
#define KERNEL extern "C" __attribute__((amdgpu_kernel, visibility("default")))
#define SHARED [[clang::loader_uninitialized]] static __attribute__((address_space(3)))
typedef unsigned u32; typedef unsigned long u64;
static inline u32 tid() { return __builtin_amdgcn_workitem_id_x(); }
static inline u32 bid() { return __builtin_amdgcn_workgroup_id_x(); }
static inline void barrier() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); __builtin_amdgcn_s_barrier(); __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
template <class T> static inline T load(T* p) { return __scoped_atomic_load_n(p, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_SYSTEM); }
template <class T> static inline void store(T* p, T x) { __scoped_atomic_store_n(p, x, __ATOMIC_RELEASE, __MEMORY_SCOPE_SYSTEM); }
static inline u32 add(u32* p, u32 x) { return __scoped_atomic_fetch_add(p, x, __ATOMIC_ACQ_REL, __MEMORY_SCOPE_DEVICE); }
static inline bool swap_in(u32* p, u32 old, u32 x) {
  return __scoped_atomic_compare_exchange_n(p, &old, x, false, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
)";

inline const std::vector<isa::Target>& kernel_targets() {
  static const std::vector<isa::Target> targets{isa::Target::gfx942, isa::Target::gfx90a, isa::Target::gfx906, isa::Target::gfx900};
  return targets;
}

struct Case {
  std::string source;
  std::string kernel;
  std::array<uint16_t, 3> group{64, 1, 1};
  std::array<uint32_t, 3> grid{64, 1, 1};
  uint32_t group_bytes = 0, private_bytes = 0;
  RunOptions run{};
};
/// Runs on every target, optimization and level; `check` is called after each run, `reset` before.
template <class Args, class Reset, class Check>
void everywhere(const Case& c, Args& args, Reset reset, Check check, const std::vector<isa::Target>& targets = kernel_targets(),
                const std::vector<const char*>& flags = {"-O3", "-O0"}) {
  for (isa::Target t : targets)
    for (const char* f : flags) {
      auto image = device(t, kPrelude + c.source, f);
      ASSERT_TRUE(image);
      for (auto& level : engine_levels()) {
        SCOPED_TRACE(c.kernel + " " + std::string(isa::target_name(t)) + " " + f + " " + level);
        auto e = engine(t, level);
        ASSERT_TRUE(e);
        DispatchInfo d;
        d.group_size = c.group;
        d.grid_size = c.grid;
        d.group_bytes = c.group_bytes;
        d.private_bytes = std::max(c.private_bytes, 2048u);
        d.kernel_object = image->symbol(c.kernel + ".kd");
        ASSERT_NE(d.kernel_object, 0u);
        d.kernarg = reinterpret_cast<uint64_t>(&args);
        reset();
        launch(*e, d, c.run);
        if (::testing::Test::HasFailure()) return;
        check();
        if (::testing::Test::HasFailure()) return;
      }
    }
}

} // namespace bz::exec::testing
