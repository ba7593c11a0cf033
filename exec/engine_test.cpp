// Whole kernels, compiled by clang-22 or given as text, on every engine level.
#include "exec/testing/case.hpp"

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <numeric>
#include <vector>

namespace {
using namespace bz::exec;
using namespace bz::exec::testing;
using bz::isa::Target;

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

TEST(Engine, BarrierReduction) {
  for (uint16_t size : {64, 256, 1024}) {
    Case c{.source = R"(
SHARED u32 part[1024];
KERNEL void reduce(const u32* in, u32* out, u32 size) {
  u32 t = tid();
  part[t] = in[bid() * size + t];
  barrier();
  for (u32 s = size / 2; s > 0; s >>= 1) {
    if (t < s) part[t] += part[t + s];
    barrier();
  }
  if (t == 0) out[bid()] = part[0];
})",
           .kernel = "reduce", .group = {size, 1, 1}, .grid = {3u * size, 1, 1}, .group_bytes = 4096};
    std::vector<uint32_t> in(3 * size), out(3);
    std::iota(in.begin(), in.end(), 7u);
    struct { const uint32_t* in; uint32_t* out; uint32_t size; } args{in.data(), out.data(), size};
    everywhere(c, args, [&] { out.assign(3, 0); }, [&] {
      for (uint32_t b = 0; b < 3; ++b) EXPECT_EQ(out[b], std::accumulate(in.begin() + b * size, in.begin() + (b + 1) * size, 0u));
    });
  }
}

// One of two waves comes late to the barrier; the other one has to see what it wrote before.
TEST(Engine, BarrierWaitsForTheLateWave) {
  for (auto& level : engine_levels())
    for (uint32_t late : {0u, 1u}) {
      SCOPED_TRACE(level + (late ? ", wave 1" : ", wave 0"));
      auto words = assemble(Target::gfx942, "s_load_dwordx2 s[4:5], s[0:1], 0x0\n s_waitcnt lgkmcnt(0)\n v_lshrrev_b32 v1, 6, v0\n v_readfirstlane_b32 s6, v1\n"
                                            "s_cmp_lg_u32 s6, " + std::to_string(late) + R"(
        s_cbranch_scc1 ready
        s_movk_i32 s7, 3000
        again:
        s_sub_u32 s7, s7, 1
        s_cmp_lg_u32 s7, 0
        s_cbranch_scc1 again
        ready:
        s_lshl_b32 s8, s2, 16
        v_add_u32 v3, s8, v0
        v_lshlrev_b32 v2, 2, v0
        ds_write_b32 v2, v3
        s_waitcnt lgkmcnt(0)
        s_barrier
        v_xor_b32 v4, 0x100, v2
        ds_read_b32 v5, v4
        s_lshl_b32 s8, s2, 9
        v_add_u32 v2, s8, v2
        s_waitcnt lgkmcnt(0)
        global_store_dword v2, v5, s[4:5]
        s_endpgm)");
      ASSERT_TRUE(words) << words.status().message();
      RawKernel kernel(Target::gfx942, *words);
      std::vector<uint32_t> out(3 * 128), want(3 * 128);
      for (uint32_t i = 0; i < want.size(); ++i) want[i] = i / 128 << 16 | ((i % 128) ^ 64);
      uint32_t* args = out.data();
      DispatchInfo d;
      d.group_size = {128, 1, 1}, d.grid_size = {3 * 128, 1, 1}, d.group_bytes = 512;
      d.kernel_object = kernel.object(), d.kernarg = reinterpret_cast<uint64_t>(&args);
      launch(*engine(Target::gfx942, level), d);
      EXPECT_EQ(out, want);
    }
}

// Each wave goes round its own number of times between barriers: the convoy splits and forms again.
TEST(Engine, WavesDisagree) {
  Case c{.source = R"(
SHARED u32 sum;
KERNEL void uneven(u32* out) {
  u32 t = tid(), wave = t / 64;
  for (u32 round = 0; round < 5; ++round) {
    if (t == 0) sum = 0;
    barrier();
    u32 x = 0;
    for (u32 i = 0; i < (wave + 1) * (round + 1) + (t & 3); ++i) x += i ^ t;
    __scoped_atomic_fetch_add(&sum, x, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
    barrier();
    if (t == 0) out[round] = sum;
    barrier();
  }
})",
         .kernel = "uneven", .group = {320, 1, 1}, .grid = {320, 1, 1}, .group_bytes = 64};
  std::vector<uint32_t> out(5), want(5);
  for (uint32_t r = 0; r < 5; ++r)
    for (uint32_t t = 0; t < 320; ++t)
      for (uint32_t i = 0; i < (t / 64 + 1) * (r + 1) + (t & 3); ++i) want[r] += i ^ t;
  struct { uint32_t* out; } args{out.data()};
  everywhere(c, args, [&] { out.assign(5, 0); }, [&] { EXPECT_EQ(out, want); });
}

// A lock between waves, and one between workgroups: both need back edges that let others run.
TEST(Engine, LocksMakeProgress) {
  Case c{.source = R"(
KERNEL void locked(u32* lock, u32* count, u32 rounds) {
  if (tid() % 64 != 0) return;
  for (u32 i = 0; i < rounds; ++i) {
    for (;;) {
      u32 expected = 0;
      if (__scoped_atomic_compare_exchange_n(lock, &expected, 1u, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)) break;
    }
    *(volatile u32*)count = *(volatile u32*)count + 1;
    __scoped_atomic_store_n(lock, 0u, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
  }
})",
         .kernel = "locked", .group = {256, 1, 1}, .grid = {1024, 1, 1}};
  uint32_t lock = 0, count = 0;
  struct { uint32_t* lock; uint32_t* count; uint32_t rounds; } args{&lock, &count, 20};
  everywhere(c, args, [&] { lock = count = 0; }, [&] { EXPECT_EQ(count, 4u * 4 * 20); });
}
// Group 0 waits for the last one: it must be parked.
TEST(Engine, GroupsWaitForEachOther) {
  Case c{.source = R"(
KERNEL void chain(u32* flags, u32 n) {
  u32 b = bid();
  if (b + 1 < n) while (__scoped_atomic_load_n(&flags[b + 1], __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE) == 0) __builtin_amdgcn_s_sleep(1);
  __scoped_atomic_store_n(&flags[b], b + 1, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
})",
         .kernel = "chain", .group = {64, 1, 1}, .grid = {64 * 6, 1, 1}};
  std::vector<uint32_t> flags(6);
  struct { uint32_t* flags; uint32_t n; } args{flags.data(), 6};
  everywhere(c, args, [&] { flags.assign(6, 0); }, [&] { EXPECT_EQ(flags, (std::vector<uint32_t>{1, 2, 3, 4, 5, 6})); });
}

TEST(Engine, CallsAndRecursion) {
  Case c{.source = R"(
__attribute__((noinline)) static u32 fib(u32 n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) static u32 twice(u32 x) { return 2 * x; }
__attribute__((noinline)) static u32 thrice(u32 x) { return 3 * x; }
KERNEL void calls(u32* out, u32 which) {
  u32 (*f)(u32) = (tid() + which) % 2 ? twice : thrice;
  out[tid()] = fib(tid() % 8) + f(tid());
})",
         .kernel = "calls", .group = {128, 1, 1}, .grid = {128, 1, 1}, .private_bytes = 4096};
  std::vector<uint32_t> out(128);
  uint32_t fib[8] = {0, 1, 1, 2, 3, 5, 8, 13};
  struct { uint32_t* out; uint32_t which; } args{out.data(), 1};
  everywhere(c, args, [&] { out.assign(128, 0); }, [&] {
    for (uint32_t t = 0; t < 128; ++t) EXPECT_EQ(out[t], fib[t % 8] + ((t + 1) % 2 ? 2 : 3) * t) << t;
  });
}

TEST(Engine, PrivateArraysAndGenericPointers) {
  Case c{.source = R"(
SHARED u32 tile[64];
__attribute__((noinline)) static u32 sum(const u32* p, u32 n) { u32 s = 0; for (u32 i = 0; i < n; ++i) s += p[i]; return s; }
KERNEL void generic(const u32* in, u32* out) {
  u32 mine[20];
  for (u32 i = 0; i < 20; ++i) mine[(i * 7 + tid()) % 20] = in[i] + tid();
  tile[tid()] = tid() * 3;
  barrier();
  out[tid()] = sum(mine, 20) + 1000 * sum((const u32*)tile, 64) + sum(in, 20);
})",
         .kernel = "generic", .group = {64, 1, 1}, .grid = {64, 1, 1}, .group_bytes = 256, .private_bytes = 1024};
  std::vector<uint32_t> in(20), out(64);
  std::iota(in.begin(), in.end(), 5u);
  uint32_t total = std::accumulate(in.begin(), in.end(), 0u), lds = 3 * 63 * 64 / 2;
  struct { const uint32_t* in; uint32_t* out; } args{in.data(), out.data()};
  everywhere(c, args, [&] { out.assign(64, 0); }, [&] {
    for (uint32_t t = 0; t < 64; ++t) EXPECT_EQ(out[t], total + 20 * t + 1000 * lds + total) << t;
  });
}

TEST(Engine, PartialGroupsInThreeDimensions) {
  Case c{.source = R"(
KERNEL void where(u32* out, u32 nx, u32 ny) {
  u32 x = __builtin_amdgcn_workgroup_id_x() * 5 + __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workgroup_id_y() * 4 + __builtin_amdgcn_workitem_id_y(),
      z = __builtin_amdgcn_workgroup_id_z() * 6 + __builtin_amdgcn_workitem_id_z();
  out[(z * ny + y) * nx + x] += x + 100 * y + 10000 * z + 1;
})",
         .kernel = "where", .group = {5, 4, 6}, .grid = {13, 10, 7}};
  std::vector<uint32_t> out(13 * 10 * 7), want;
  for (uint32_t z = 0; z < 7; ++z)
    for (uint32_t y = 0; y < 10; ++y)
      for (uint32_t x = 0; x < 13; ++x) want.push_back(x + 100 * y + 10000 * z + 1);
  struct { uint32_t* out; uint32_t nx, ny; } args{out.data(), 13, 10};
  everywhere(c, args, [&] { out.assign(out.size(), 0); }, [&] { EXPECT_EQ(out, want); });
}

TEST(Engine, AtomicsOfEveryKind) {
  Case c{.source = R"(
SHARED u32 bins[16];
KERNEL void histogram(const u32* in, u32* out, float* fsum, u64* big, u32 n) {
  if (tid() < 16) bins[tid()] = 0;
  barrier();
  u32 i = bid() * 128 + tid();
  if (i < n) {
    __scoped_atomic_fetch_add(&bins[in[i] % 16], 1u, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
    __scoped_atomic_fetch_add(fsum, 0.5f, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
    __scoped_atomic_fetch_max(big, (u64)in[i] << 33, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
  }
  barrier();
  if (tid() < 16) __scoped_atomic_fetch_add(&out[tid()], bins[tid()], __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
})",
         .kernel = "histogram", .group = {128, 1, 1}, .grid = {512, 1, 1}, .group_bytes = 64};
  std::vector<uint32_t> in(450), out(16), want(16);
  uint64_t biggest = 0, big = 0;
  float fsum = 0;
  for (size_t i = 0; i < in.size(); ++i) in[i] = static_cast<uint32_t>(i * 2654435761u >> 7), ++want[in[i] % 16], biggest = std::max(biggest, uint64_t{in[i]} << 33);
  struct { const uint32_t* in; uint32_t* out; float* fsum; uint64_t* big; uint32_t n; } args{in.data(), out.data(), &fsum, &big, 450};
  everywhere(c, args, [&] { out.assign(16, 0); fsum = 0; big = 0; }, [&] {
    EXPECT_EQ(out, want);
    EXPECT_EQ(fsum, 225.0f);
    EXPECT_EQ(big, biggest);
  });
}

TEST(Engine, DoublePrecisionDivision) {
  Case c{.source = R"(
KERNEL void divide(const double* x, const double* y, double* q, const float* a, const float* b, float* r) {
  u32 i = tid();
  q[i] = x[i] / y[i];
  r[i] = a[i] / b[i];
})",
         .kernel = "divide", .group = {64, 1, 1}, .grid = {64, 1, 1}};
  std::vector<double> x(64), y(64), q(64);
  std::vector<float> a(64), b(64), r(64);
  const double special[] = {0.0, -0.0, 1.0, 3.0, 1e308, 1e-308, 4e-320, INFINITY, -7.25};
  for (size_t i = 0; i < 64; ++i) {
    x[i] = special[i % 9] * (1 + 0.001 * static_cast<double>(i));
    y[i] = special[i / 8] * (1 + 0.01 * static_cast<double>(i));
    a[i] = static_cast<float>(i % 5 == 0 ? 1e38 : i % 7 == 0 ? 1e-40 : 1.37 * static_cast<double>(i));
    b[i] = static_cast<float>(i % 3 == 0 ? 3e37 : i % 11 == 0 ? 2e-39 : 0.77 * static_cast<double>(i) + 0.1);
  }
  // Below the normals, where rounding to 53 digits ends up in the middle between two results.
  x[0] = 0x1p-1022, y[0] = 1.5;
  x[1] = 0x1p-1022, y[1] = 1 + 0x1p-52;
  x[2] = -0x1.0000000000001p-1022, y[2] = 1.5;
  x[3] = 0x1.bp-985, y[3] = 0x1.a4cb513c8fe87p+38;
  struct { const double *x, *y; double* q; const float *a, *b; float* r; } args{x.data(), y.data(), q.data(), a.data(), b.data(), r.data()};
  everywhere(c, args, [&] { q.assign(64, 0); r.assign(64, 0); }, [&] {
    for (size_t i = 0; i < 64; ++i) {
      double want = x[i] / y[i];
      if (std::isnan(want)) EXPECT_TRUE(std::isnan(q[i])) << x[i] << " / " << y[i] << " = " << q[i];
      else EXPECT_EQ(q[i], want) << x[i] << " / " << y[i];
      EXPECT_EQ(r[i], a[i] / b[i]) << a[i] << " / " << b[i];
    }
  });
}

// Several workers share one engine and one dispatch; a parked group goes on wherever there is room.
TEST(Engine, WorkersShareADispatch) {
  const char* source = R"(
KERNEL void gather(u32* lock, u32* order, u32* next, u32* flags, u32 n) {
  u32 b = bid();
  // Every group waits for the one after it, so that few workers hold many groups in flight.
  if (b + 1 < n) while (__scoped_atomic_load_n(&flags[b + 1], __ATOMIC_ACQUIRE, __MEMORY_SCOPE_DEVICE) == 0) __builtin_amdgcn_s_sleep(2);
  if (tid() == 0) {
    for (;;) {
      u32 expected = 0;
      if (__scoped_atomic_compare_exchange_n(lock, &expected, 1u, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE)) break;
      __builtin_amdgcn_s_sleep(1);
    }
    order[*(volatile u32*)next] = b;
    *(volatile u32*)next = *(volatile u32*)next + 1;
    __scoped_atomic_store_n(lock, 0u, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
    __scoped_atomic_store_n(&flags[b], 1u, __ATOMIC_RELEASE, __MEMORY_SCOPE_DEVICE);
  }
})";
  auto image = device(Target::gfx942, std::string(kPrelude) + source);
  ASSERT_TRUE(image);
  for (auto& level : engine_levels())
    for (unsigned workers : {1u, 2u, 5u}) {
      SCOPED_TRACE(level + ", " + std::to_string(workers) + " workers");
      auto e = engine(Target::gfx942, level);
      const uint32_t n = 40;
      std::vector<uint32_t> order(n), flags(n), want(n);
      std::iota(want.rbegin(), want.rend(), 0u);
      uint32_t lock = 0, next = 0;
      struct { uint32_t *lock, *order, *next, *flags; uint32_t n; } args{&lock, order.data(), &next, flags.data(), n};
      DispatchInfo d;
      d.group_size = {128, 1, 1};
      d.grid_size = {128 * n, 1, 1};
      d.kernel_object = image->symbol("gather.kd");
      d.kernarg = reinterpret_cast<uint64_t>(&args);
      launch(*e, d, {.workers = workers});
      EXPECT_EQ(order, want);
    }
}

// Code that is rewritten where it stood is decoded anew, also when a call leads to it.
TEST(Engine, CodeIsCheckedAndForgotten) {
  for (auto& level : engine_levels()) {
    auto e = engine(Target::gfx942, level);
    uint32_t out = 0;
    struct { uint32_t* out; } args{&out};
    for (uint32_t value : {11u, 22u}) {
      auto words = assemble(Target::gfx942, "s_load_dwordx2 s[6:7], s[0:1], 0\n v_mov_b32 v1, " + std::to_string(value) +
                                                "\n v_mov_b32 v2, 0\n s_waitcnt lgkmcnt(0)\n global_store_dword v2, v1, s[6:7]\n s_endpgm");
      ASSERT_TRUE(words.ok()) << words.status().message();
      static RawKernel kernel(Target::gfx942, *words);
      std::memcpy(reinterpret_cast<void*>(kernel.object() + 256), words->data(), words->size() * 4);
      DispatchInfo d;
      d.group_size = {64, 1, 1};
      d.grid_size = {64, 1, 1};
      d.kernel_object = kernel.object();
      d.kernarg = reinterpret_cast<uint64_t>(&args);
      launch(*e, d);
      EXPECT_EQ(out, value);
    }
    e->forget_code(0, ~uint64_t{0});
  }
}

TEST(Engine, RefusesWhatItCannotRun) {
  auto e = engine(Target::gfx942, "");
  auto words = assemble(Target::gfx942, "s_endpgm");
  RawKernel kernel(Target::gfx942, *words);
  DispatchInfo good;
  good.group_size = {64, 1, 1};
  good.grid_size = {64, 1, 1};
  good.kernel_object = kernel.object();
  EXPECT_TRUE(e->prepare(good).ok());
  auto code = [&](auto change) {
    DispatchInfo d = good;
    change(d);
    auto r = e->prepare(d);
    return r.ok() ? bz::Code::ok : r.status().code();
  };
  EXPECT_EQ(code([](auto& d) { d.group_size = {1024, 2, 1}; }), bz::Code::invalid_argument);
  EXPECT_EQ(code([](auto& d) { d.group_size = {0, 1, 1}; }), bz::Code::invalid_argument);
  EXPECT_EQ(code([](auto& d) { d.grid_size = {64, 0, 1}; }), bz::Code::invalid_argument);
  EXPECT_EQ(code([](auto& d) { d.group_bytes = 65537; }), bz::Code::out_of_resources);
  EXPECT_EQ(code([](auto& d) { d.group_size = {256, 1, 1}; }), bz::Code::ok) << "four waves with all registers of their SIMD";
  EXPECT_EQ(code([](auto& d) { d.group_size = {257, 1, 1}; }), bz::Code::unsupported);
  EXPECT_EQ(code([](auto& d) { d.private_bytes = 1u << 30; }), bz::Code::out_of_resources);
  EXPECT_EQ(code([](auto& d) { d.kernel_object = 0; }), bz::Code::invalid_image);
  EXPECT_EQ(code([](auto& d) { d.kernel_object = 0x10000; }), bz::Code::invalid_image);
  auto bad = make_engine(Target::gfx942, "sse2");
  EXPECT_TRUE(!bad.ok() || std::getenv("BZ_SIMD"));
}

// ---------------------------------------------------------------- faults

/// Assembles and runs one wave; s[0:1] is the kernarg pointer.
std::unique_ptr<Halt> halt_of(Target t, const std::string& level, const std::string& text, void* kernarg, uint64_t* entry = nullptr) {
  auto words = assemble(t, text);
  EXPECT_TRUE(words.ok()) << words.status().message();
  static std::vector<std::unique_ptr<RawKernel>> keep;   // halts name addresses in it
  keep.push_back(std::make_unique<RawKernel>(t, *words));
  auto e = engine(t, level);
  DispatchInfo d;
  d.group_size = {64, 1, 1};
  d.grid_size = {64, 1, 1};
  d.kernel_object = keep.back()->object();
  d.kernarg = reinterpret_cast<uint64_t>(kernarg);
  if (entry) *entry = d.kernel_object + 256;
  auto r = run_dispatch(*e, d);
  EXPECT_TRUE(r.ok()) << r.status().to_string();
  return r ? std::move(r->halt) : nullptr;
}

bool natively() {
  const char* mode = std::getenv("BZ_EXEC");
  return mode && std::string_view(mode) == "jit";
}

TEST(Engine, MemoryFaultsNameInstructionAndLane) {
  for (auto& level : engine_levels()) {
    uint64_t addresses[64], entry = 0;
    uint32_t ok = 0;
    for (auto& a : addresses) a = reinterpret_cast<uint64_t>(&ok);
    addresses[37] = 0x10000;   // below what can be mapped
    const char* load = R"(
      v_lshlrev_b32 v2, 3, v0
      global_load_dwordx2 v[4:5], v2, s[0:1]
      s_waitcnt vmcnt(0)
      global_load_dword v6, v[4:5], off offset:4
      s_endpgm)";
    auto h = halt_of(Target::gfx942, level, load, addresses, &entry);
    ASSERT_TRUE(h);
    EXPECT_EQ(h->reason, Halt::Reason::memory_fault);
    EXPECT_EQ(h->lane, 37);
    EXPECT_EQ(h->address, 0x10004u);
    EXPECT_FALSE(h->is_write);
    EXPECT_EQ(h->pc, entry + 4 + 8 + 4);
    EXPECT_NE(h->text.find("global_load_dword"), std::string::npos) << h->text;
    // Not canonical.
    addresses[37] = reinterpret_cast<uint64_t>(&ok);
    addresses[5] = 0x0123456789abcdef;
    std::string store = load;
    store.replace(store.find("global_load_dword v6, v[4:5], off offset:4"), 42, "global_store_dword v[4:5], v2, off        ");
    h = halt_of(Target::gfx942, level, store, addresses, &entry);
    ASSERT_TRUE(h);
    if (!natively() || h->lane >= 0) {   // native code does not know which lane it is at, nor what the processor does not tell
      EXPECT_EQ(h->lane, 5);
      EXPECT_EQ(h->address, 0x0123456789abcdefu);
    }
    EXPECT_TRUE(h->is_write);
    // A byte: the dwords of its neighbours' registers cover the address too.
    EdgeOfMemory edge;
    uint64_t near_end = edge.end() - 37;
    h = halt_of(Target::gfx942, level, "s_load_dwordx2 s[2:3], s[0:1], 0x0\n s_waitcnt lgkmcnt(0)\n global_load_ubyte v2, v0, s[2:3]\n s_endpgm", &near_end);
    ASSERT_TRUE(h);
    EXPECT_EQ(h->lane, 37);
    EXPECT_EQ(h->address, edge.end());
    // Scalar.
    h = halt_of(Target::gfx942, level, "s_mov_b64 s[2:3], 0x40\n s_load_dword s4, s[2:3], 0x10\n s_endpgm", addresses, &entry);
    ASSERT_TRUE(h);
    EXPECT_EQ(h->address, 0x50u);
    EXPECT_EQ(h->lane, -1);
    EXPECT_EQ(h->pc, entry + 4);
  }
}

// Buffers: lane 37 is the first of the active ones that reaches beyond the memory.
TEST(Engine, FaultsInBuffersNameTheLane) {
  EdgeOfMemory edge;
  struct {
    const char* text;
    uint64_t before;   ///< bytes from the buffer's base to the end of memory
    uint32_t stride, records;
    bool swizzle;
    bool is_write;
  } cases[] = {
      {"buffer_load_dword v4, v1, s[4:7], 0 offen", 4 * 37, 0, 4096, false, false},
      {"buffer_store_dwordx2 v[4:5], v2, s[4:7], 0 offen", 8 * 37, 0, 4096, false, true},
      {"buffer_load_ubyte v4, v0, s[4:7], 0 offen", 37, 0, 4096, false, false},
      {"s_mov_b32 s8, 16\n buffer_atomic_add v4, v0, s[4:7], s8 idxen offset:4", 12 * 37 + 20, 12, 64, false, true},
      {"buffer_load_dword v4, v[0:1], s[4:7], 0 idxen offen", 8 * 37, 4, 64, false, false},
      // 8 neighbours share a block of 8 * stride bytes, in it each dword of theirs lies together.
      {"buffer_store_dword v4, v0, s[4:7], 0 idxen offset:8", 4 * 128 + 2 * 32 + 5 * 4, 16, 64, true, true},
      // Four registers, a dword of memory.
      {"tbuffer_load_format_xyzw v[4:7], v1, s[4:7], 0 format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UINT] offen", 4 * 37, 0, 4096, false, false},
      {"tbuffer_store_format_xyzw v[4:7], v1, s[4:7], 0 format:[BUF_DATA_FORMAT_8_8_8_8,BUF_NUM_FORMAT_UINT] offen", 4 * 37, 0, 4096, false, true},
      {"buffer_load_format_x v4, v1, s[4:7], 0 offen", 4 * 37, 0, 4096, false, false},
  };
  for (auto& level : engine_levels())
    for (auto& c : cases) {
      SCOPED_TRACE(level + " " + c.text);
      // V#: base 47:0, stride 61:48, swizzle enable 63; records; word 3: identity selects, UINT, 32 bits, index stride 8.
      uint64_t low = (edge.end() - c.before) | uint64_t{c.stride} << 48 | uint64_t{c.swizzle} << 63;
      uint32_t v[4] = {static_cast<uint32_t>(low), static_cast<uint32_t>(low >> 32), c.records, 4 | 5 << 3 | 6 << 6 | 7 << 9 | 4 << 12 | 4 << 15};
      std::string text = "s_load_dwordx4 s[4:7], s[0:1], 0x0\n s_waitcnt lgkmcnt(0)\n v_lshlrev_b32 v1, 2, v0\n v_lshlrev_b32 v2, 3, v0\n"
                         "s_mov_b32 exec_lo, 0xffffff00\n s_mov_b32 exec_hi, 0xfffffffd\n";
      auto h = halt_of(Target::gfx906, level, text + c.text + "\n s_endpgm", v);
      ASSERT_TRUE(h);
      EXPECT_EQ(h->reason, Halt::Reason::memory_fault);
      EXPECT_EQ(h->lane, 37) << h->text;
      EXPECT_EQ(h->address, edge.end());
      EXPECT_EQ(h->is_write, c.is_write);
#if __has_feature(address_sanitizer)
      // Elements of a format are copied by memcpy, and AddressSanitizer's looks at its notes about any address first.
      if (std::strstr(c.text, "_format_")) continue;
#endif
      // The last lane of all, and a base that is no address.
      low = uint64_t{1} << 47 | low >> 48 << 48;
      std::memcpy(v, &low, 8);
      h = halt_of(Target::gfx906, level, "s_load_dwordx4 s[4:7], s[0:1], 0x0\n s_waitcnt lgkmcnt(0)\n v_mov_b32 v1, v0\n v_mov_b32 v2, v0\n"
                  "s_mov_b64 exec, 0\n s_bitset1_b32 exec_hi, 31\n" + std::string(c.text) + "\n s_endpgm", v);
      ASSERT_TRUE(h);
      EXPECT_EQ(h->lane, 63) << h->text;
      EXPECT_GE(h->address, uint64_t{1} << 47);
    }
}

TEST(Engine, OtherHalts) {
  for (auto& level : engine_levels()) {
    uint64_t entry = 0;
    auto h = halt_of(Target::gfx942, level, "s_nop 0\n .long 0xbf7f0000\n s_endpgm", nullptr, &entry);
    ASSERT_TRUE(h);
    EXPECT_EQ(h->reason, Halt::Reason::illegal_instruction);
    EXPECT_EQ(h->pc, entry + 4);
    EXPECT_NE(h->text.find("bf7f0000"), std::string::npos) << h->text;
    h = halt_of(Target::gfx942, level, "s_nop 0\n s_trap 2\n s_endpgm", nullptr, &entry);
    ASSERT_TRUE(h);
    EXPECT_EQ(h->reason, Halt::Reason::trap);
    EXPECT_EQ(h->trap_id, 2u);
    h = halt_of(Target::gfx942, level, "s_sethalt 1\n s_endpgm", nullptr, &entry);
    ASSERT_TRUE(h);
    EXPECT_EQ(h->reason, Halt::Reason::not_implemented);
    EXPECT_NE(h->text.find("s_sethalt"), std::string::npos) << h->text;
    // A jump to nowhere.
    h = halt_of(Target::gfx942, level, "s_mov_b64 s[2:3], 0x1000\n s_setpc_b64 s[2:3]", nullptr, &entry);
    ASSERT_TRUE(h);
    EXPECT_EQ(h->reason, Halt::Reason::memory_fault);
    EXPECT_EQ(h->address, 0x1000u);
    // Private memory beyond the dispatch's.
    h = halt_of(Target::gfx942, level, "scratch_load_dword v1, off, off offset:64\n s_endpgm", nullptr, &entry);
    ASSERT_TRUE(h);
    EXPECT_EQ(h->reason, Halt::Reason::stack_overflow);
  }
}
} // namespace
