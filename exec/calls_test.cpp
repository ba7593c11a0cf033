// Compiled code with everything that calls bring: tables of functions, virtual functions, stacks of unknown depth, arguments
// on the stack, preloaded arguments; and kernels that are large in code, LDS or lanes.
#include "exec/testing/case.hpp"

#include <numeric>

namespace {
using namespace bz::exec;
using namespace bz::exec::testing;
using bz::isa::Target;

/// A kernel f(out, n) whose lane t must leave want(t, n) in out[t].
struct Call {
  const char* name;
  const char* source;   ///< defines f
  uint32_t (*want)(uint32_t t, uint32_t n);
  uint32_t n = 5;
  uint32_t private_bytes = 8192;
};

const Call kCalls[] = {
    {"table of functions, called by lanes that differ",
     R"(
using F = u32 (*)(u32);
template <u32 K> __attribute__((noinline)) static u32 times(u32 x) { return K * x + 1; }
static F const table[8] = {times<0>, times<1>, times<2>, times<3>, times<4>, times<5>, times<6>, times<7>};
KERNEL void f(u32* out, u32 n) { u32 t = tid(); out[t] = table[(t * n) & 7](t); })",
     [](uint32_t t, uint32_t n) { return (t * n & 7) * t + 1; }},
    {"function pointers in memory, chosen by waves",
     R"(
using F = u32 (*)(u32, u32);
__attribute__((noinline)) static u32 sum(u32 a, u32 b) { return a + b; }
__attribute__((noinline)) static u32 product(u32 a, u32 b) { return a * b; }
__attribute__((noinline)) static u32 apply(F const* f, u32 a, u32 b) { return (*f)(a, b); }
KERNEL void f(u32* out, u32 n) {
  F mine[2] = {sum, product};
  u32 t = tid();
  out[t] = apply(&mine[t / 64 % 2], t, n);
})",
     [](uint32_t t, uint32_t n) { return t / 64 % 2 ? t * n : t + n; }},
    {"mutual recursion",
     R"(
static u32 odd(u32 x);
__attribute__((noinline)) static u32 even(u32 x) { return x == 0 ? 1 : odd(x - 1) + 1; }
__attribute__((noinline)) static u32 odd(u32 x) { return x == 0 ? 100 : even(x - 1) + 3; }
KERNEL void f(u32* out, u32 n) { out[tid()] = even(tid() % 13 + n); })",
     [](uint32_t t, uint32_t n) {
       uint32_t x = t % 13 + n;
       return (x % 2 ? 100 : 1) + (x + 1) / 2 + x / 2 * 3;
     }},
    {"recursion with arrays in every frame",
     R"(
__attribute__((noinline)) static u32 walk(u32 depth, const u32* above) {
  u32 mine[17];
  for (u32 i = 0; i < 17; ++i) mine[i] = above[(i + 1) % 17] + depth;
  return depth == 0 ? mine[tid() % 17] : walk(depth - 1, mine) + mine[depth % 17];
}
KERNEL void f(u32* out, u32 n) {
  u32 first[17];
  for (u32 i = 0; i < 17; ++i) first[i] = i * i + tid();
  out[tid()] = walk(n + tid() % 6, first);
})",
     [](uint32_t t, uint32_t n) {
       uint32_t now[17], next[17], sum = 0;
       for (uint32_t i = 0; i < 17; ++i) now[i] = i * i + t;
       for (uint32_t depth = n + t % 6;; --depth) {
         for (uint32_t i = 0; i < 17; ++i) next[i] = now[(i + 1) % 17] + depth;
         if (depth == 0) return sum + next[t % 17];
         sum += next[depth % 17];
         std::copy(next, next + 17, now);
       }
     }},
    {"virtual functions of objects made on the device",
     R"(
extern "C" __attribute__((weak)) void __cxa_pure_virtual() { __builtin_trap(); }
struct Shape {
  u32 k;
  Shape(u32 k) : k(k) {}
  virtual u32 area(u32 x) const = 0;
  virtual u32 sides() const { return 1; }
};
struct Square : Shape { using Shape::Shape; u32 area(u32 x) const override { return k * x * x; } u32 sides() const override { return 4; } };
struct Slab : Square { u32 h; Slab(u32 k) : Square(k), h(k + 1) {} u32 area(u32 x) const override { return h * Square::area(x); } };
struct Round : Shape { using Shape::Shape; u32 area(u32 x) const override { return 3 * x; } };
__attribute__((noinline)) static u32 use(const Shape* s, u32 x) { return s->area(x) + 100 * s->sides(); }
KERNEL void f(u32* out, u32 n) {
  u32 t = tid();
  Square a(t + n); Slab b(t); Round c(0);
  const Shape* all[3] = {&a, &b, &c};
  out[t] = use(all[t % 3], t + 1);
})",
     [](uint32_t t, uint32_t n) {
       uint32_t x = t + 1;
       return t % 3 == 0 ? (t + n) * x * x + 400 : t % 3 == 1 ? (t + 1) * t * x * x + 400 : 3 * x + 100;
     }},
    // clang 22 counts a dynamic alloca 64 times over: it takes the size of the wave's stack where that of a lane is meant.
    {"a stack whose size only the run knows",
     R"(
__attribute__((noinline)) static u32 fill(u32* p, u32 n) {
  u32 s = 0;
  for (u32 i = 0; i < n; ++i) p[i] = i * 3 + tid();
  for (u32 i = 0; i < n; ++i) s += p[n - 1 - i] * (i + 1);
  return s;
}
__attribute__((noinline)) static u32 use(u32 n) {
  u32* p = (u32*)__builtin_alloca(n * 4);
  u32 s = fill(p, n);
  u32* q = (u32*)__builtin_alloca(n * 8);
  return s + fill(q, 2 * n) + p[n - 1];
}
KERNEL void f(u32* out, u32 n) {
  u32 s = 0;
  for (u32 i = 1; i < 4; ++i) s = s * 7 + use(n + tid() % (5 * i));
  out[tid()] = s;
})",
     [](uint32_t t, uint32_t n) {
       auto fill = [&](uint32_t m) {
         uint32_t s = 0;
         for (uint32_t i = 0; i < m; ++i) s += ((m - 1 - i) * 3 + t) * (i + 1);
         return s;
       };
       uint32_t s = 0;
       for (uint32_t i = 1; i < 4; ++i) {
         uint32_t m = n + t % (5 * i);
         s = s * 7 + fill(m) + fill(2 * m) + (m - 1) * 3 + t;
       }
       return s;
     },
     5, 65536},
    {"more arguments than registers, a structure as the result",
     R"(
struct Big { u32 x[40]; };
__attribute__((noinline)) static Big shuffle(Big a, u32 b, Big c, unsigned char d, u64 e, double g, short h) {
  Big r;
  for (u32 i = 0; i < 40; ++i) r.x[i] = a.x[39 - i] + b * c.x[i] + d + (u32)(e >> 32) + (u32)g + (u32)h;
  return r;
}
KERNEL void f(u32* out, u32 n) {
  u32 t = tid();
  Big a, c;
  for (u32 i = 0; i < 40; ++i) a.x[i] = i + t, c.x[i] = i * n;
  Big r = shuffle(a, t, c, (unsigned char)(t + 250), (u64)t << 33, t + 0.5, (short)-(int)t);
  u32 s = 0;
  for (u32 i = 0; i < 40; ++i) s = s * 3 + r.x[i];
  out[t] = s;
})",
     [](uint32_t t, uint32_t n) {
       uint32_t s = 0;
       for (uint32_t i = 0; i < 40; ++i) s = s * 3 + (39 - i + t) + t * (i * n) + static_cast<uint8_t>(t + 250) + 2 * t + t - t;
       return s;
     }},
    {"calls within loops that lanes leave at different times",
     R"(
__attribute__((noinline)) static u32 step(u32 x) { return x % 2 ? 3 * x + 1 : x / 2; }
KERNEL void f(u32* out, u32 n) {
  u32 x = tid() + n, steps = 0;
  while (x != 1) x = step(x), ++steps;
  out[tid()] = steps;
})",
     [](uint32_t t, uint32_t n) {
       uint32_t steps = 0;
       for (uint32_t x = t + n; x != 1; ++steps) x = x % 2 ? 3 * x + 1 : x / 2;
       return steps;
     }},
};

class Calls : public ::testing::TestWithParam<Call> {};
TEST_P(Calls, GiveTheHostsResult) {
  const Call& call = GetParam();
  Case c{.source = call.source, .kernel = "f", .group = {192, 1, 1}, .grid = {192, 1, 1}, .private_bytes = call.private_bytes};
  std::vector<uint32_t> out(192);
  struct { uint32_t* out; uint32_t n; } args{out.data(), call.n};
  everywhere(c, args, [&] { out.assign(192, 0); }, [&] {
    for (uint32_t t = 0; t < 192; ++t) ASSERT_EQ(out[t], call.want(t, call.n)) << "lane " << t;
  });
}
std::string name_of(const ::testing::TestParamInfo<Call>& info) {
  std::string name = info.param.name;
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c))) c = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(Compiled, Calls, ::testing::ValuesIn(kCalls), name_of);

// clang's own prologue for preloaded arguments: hardware that has them enters 256 bytes on.
TEST(Compiled, PreloadedArguments) {
  Case c{.source = "KERNEL void f(u32* out, u32 a, u64 b, u32 c, u32 d) { out[tid()] = a + 3 * (u32)(b >> 32) + 5 * c + 7 * d + tid() + bid(); }",
         .kernel = "f", .group = {64, 1, 1}, .grid = {64, 1, 1}};
  std::vector<uint32_t> out(64);
  struct { uint32_t* out; uint32_t a; uint64_t b; uint32_t c, d; } args{out.data(), 1, uint64_t{2} << 32, 3, 4};
  std::vector<const char*> flags;
  static const std::string texts[] = {"-O3 -mllvm -amdgpu-kernarg-preload-count=1", "-O3 -mllvm -amdgpu-kernarg-preload-count=3",
                                      "-O3 -mllvm -amdgpu-kernarg-preload-count=16", "-O1 -mllvm -amdgpu-kernarg-preload-count=4"};
  for (auto& t : texts) flags.push_back(t.c_str());
  everywhere(c, args, [&] { out.assign(64, 0); }, [&] {
    for (uint32_t t = 0; t < 64; ++t) ASSERT_EQ(out[t], 1 + 6 + 15 + 28 + t);
  }, kernel_targets(), flags);
  // Preloading did happen: the descriptor asks for it.
  auto image = device(Target::gfx942, kPrelude + c.source, flags[2]);
  auto* kd = reinterpret_cast<const bz::abi::kernel_descriptor_t*>(image->symbol("f.kd"));
  EXPECT_GT(kd->kernarg_preload & 127, 0);
}

// ---------------------------------------------------------------- large things

// Some 20,000 instructions and more in one loop: branches far apart, a big table of operations.
/// A function in ordinary memory whose literal is changed: by the kernel itself, with s_icache_inv, and by the host between
/// two dispatches.
TEST(RewrittenCode, IsSeenByTheNextCall) {
  for (const std::string& level : engine_levels())
    for (Target t : {Target::gfx900, Target::gfx942}) {
      auto function = assemble(t, "v_mov_b32 v1, 0x6f0\ns_setpc_b64 s[30:31]");
      auto text = assemble(t, "s_load_dwordx4 s[4:7], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\ns_swappc_b64 s[30:31], s[4:5]\n"
                              "v_mov_b32 v2, s6\nv_mov_b32 v3, s7\nglobal_store_dword v[2:3], v1, off\ns_barrier\n"
                              "v_mov_b32 v4, s4\nv_mov_b32 v5, s5\nv_mov_b32 v6, 0x777\nglobal_store_dword v[4:5], v6, off offset:4\n"
                              "s_waitcnt vmcnt(0)\ns_icache_inv\ns_swappc_b64 s[30:31], s[4:5]\n"
                              "global_store_dword v[2:3], v1, off offset:4\ns_endpgm");
      ASSERT_TRUE(function) << function.status().to_string();
      ASSERT_TRUE(text) << text.status().to_string();
      alignas(256) static uint32_t code[64];
      std::copy(function->begin(), function->end(), code);
      uint32_t out[2] = {};
      RawKernel kernel(t, *text);
      std::vector<uint64_t> arguments(32);
      arguments[0] = reinterpret_cast<uint64_t>(code);
      arguments[1] = reinterpret_cast<uint64_t>(out);
      auto engine = make_engine(t, level);
      ASSERT_TRUE(engine) << engine.status().to_string();
      DispatchInfo info;
      info.group_size = {128, 1, 1};
      info.grid_size = {128, 1, 1};
      info.kernel_object = kernel.object();
      info.kernarg = reinterpret_cast<uint64_t>(arguments.data());
      for (uint32_t first : {0x6f0u, 0x123u}) {
        code[1] = first;
        auto outcome = run_dispatch(**engine, info);
        ASSERT_TRUE(outcome) << outcome.status().to_string();
        ASSERT_EQ(outcome->halt, nullptr) << outcome->halt->text;
        EXPECT_EQ(out[0], first) << level;
        EXPECT_EQ(out[1], 0x777u) << level;
      }
    }
}

TEST(Compiled, LargeKernel) {
  std::string body, prelude = "KERNEL void f(u32* out, u32 n) { u32 a = tid(), b = n, c = 3, d = a ^ n;\n for (u32 round = 0; round < n; ++round) {\n";
  uint32_t random = 1;
  auto next = [&] { return random = random * 1664525 + 1013904223; };
  struct Step { uint32_t kind, x; };
  std::vector<Step> steps;
  for (int i = 0; i < 1500; ++i) {
    Step s{next() >> 8 & 3, next()};
    steps.push_back(s);
    std::string x = std::to_string(s.x) + "u";
    switch (s.kind) {
    case 0: body += "a = a * " + x + " + b;"; break;
    case 1: body += "b = (b ^ a) + " + x + "; c += b >> 3;"; break;
    case 2: body += "if (c & 64) { d = d + a; } else { d ^= " + x + "; }"; break;
    case 3: body += "c = (c << 5 | c >> 27) ^ d; a -= c;"; break;
    }
  }
  Case c{.source = prelude + body + "}\n out[tid()] = a + b + c + d; }", .kernel = "f", .group = {128, 1, 1}, .grid = {128, 1, 1}};
  const uint32_t n = 3;
  std::vector<uint32_t> out(128), want;
  for (uint32_t t = 0; t < 128; ++t) {
    uint32_t a = t, b = n, cc = 3, d = a ^ n;
    for (uint32_t round = 0; round < n; ++round)
      for (auto& s : steps) switch (s.kind) {
        case 0: a = a * s.x + b; break;
        case 1: b = (b ^ a) + s.x; cc += b >> 3; break;
        case 2: d = cc & 64 ? d + a : d ^ s.x; break;
        case 3: cc = (cc << 5 | cc >> 27) ^ d; a -= cc; break;
        }
    want.push_back(a + b + cc + d);
  }
  struct { uint32_t* out; uint32_t n; } args{out.data(), n};
  everywhere(c, args, [&] { out.assign(128, 0); }, [&] { EXPECT_EQ(out, want); }, {Target::gfx942, Target::gfx900}, {"-O0"});
  auto image = device(Target::gfx942, kPrelude + c.source, "-O0");
  auto* kd = reinterpret_cast<const bz::abi::kernel_descriptor_t*>(image->symbol("f.kd"));
  auto* code = reinterpret_cast<const uint32_t*>(image->symbol("f.kd") + static_cast<uint64_t>(kd->kernel_code_entry_byte_offset));
  EXPECT_GT(std::find(code, code + 100000, 0xbf810000u) - code, 30000);   // dwords; instructions have one or two
}

// 64 KB of LDS and 1,024 lanes: every lane writes what another one reads, at both ends of the memory.
TEST(Compiled, AllOfTheLdsAndAllLanes) {
  Case c{.source = R"(
SHARED u32 tile[16384];
KERNEL void f(u32* out, u32 n) {
  u32 t = tid();
  for (u32 i = 0; i < 16; ++i) tile[i * 1024 + t] = (i * 1024 + t) * n + bid();
  barrier();
  u32 s = 0;
  for (u32 i = 0; i < 16; ++i) s = s * 5 + tile[16383 - (i * 1024 + t)];
  out[bid() * 1024 + t] = s;
})",
         .kernel = "f", .group = {1024, 1, 1}, .grid = {3 * 1024, 1, 1}, .group_bytes = 65536};
  std::vector<uint32_t> out(3 * 1024), want;
  for (uint32_t b = 0; b < 3; ++b)
    for (uint32_t t = 0; t < 1024; ++t) {
      uint32_t s = 0;
      for (uint32_t i = 0; i < 16; ++i) s = s * 5 + (16383 - (i * 1024 + t)) * 11 + b;
      want.push_back(s);
    }
  struct { uint32_t* out; uint32_t n; } args{out.data(), 11};
  everywhere(c, args, [&] { out.assign(out.size(), 0); }, [&] { EXPECT_EQ(out, want); });
}

// Grids that are no multiple of the groups, in each dimension, with barriers and LDS in the partial groups.
TEST(Compiled, PartialGroupsWithBarriers) {
  struct Shape { std::array<uint16_t, 3> group; std::array<uint32_t, 3> grid; };
  for (auto& shape : {Shape{{64, 1, 1}, {1, 1, 1}}, Shape{{256, 1, 1}, {300, 1, 1}}, Shape{{8, 8, 1}, {13, 9, 1}}, Shape{{4, 4, 4}, {5, 6, 7}},
                      Shape{{1, 33, 2}, {2, 40, 5}}, Shape{{3, 5, 17}, {4, 4, 40}}}) {
    Case c{.source = R"(
SHARED u32 total;
KERNEL void f(u32* out, u32 nx, u32 ny, u32 gx, u32 gy, u32 gz) {
  u32 x = __builtin_amdgcn_workitem_id_x(), y = __builtin_amdgcn_workitem_id_y(), z = __builtin_amdgcn_workitem_id_z();
  if (x + y + z == 0) total = 0;
  barrier();
  __scoped_atomic_fetch_add(&total, 1 + x + 3 * y + 7 * z, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP);
  barrier();
  u32 ix = __builtin_amdgcn_workgroup_id_x() * gx + x, iy = __builtin_amdgcn_workgroup_id_y() * gy + y, iz = __builtin_amdgcn_workgroup_id_z() * gz + z;
  out[(iz * ny + iy) * nx + ix] += total;
})",
           .kernel = "f", .group = shape.group, .grid = shape.grid, .group_bytes = 64};
    auto [nx, ny, nz] = shape.grid;
    auto [gx, gy, gz] = shape.group;
    std::vector<uint32_t> out(size_t{nx} * ny * nz), want;
    for (uint32_t z = 0; z < nz; ++z)
      for (uint32_t y = 0; y < ny; ++y)
        for (uint32_t x = 0; x < nx; ++x) {
          uint32_t sum = 0;
          for (uint32_t k = z / gz * gz; k < std::min(nz, z / gz * gz + gz); ++k)
            for (uint32_t j = y / gy * gy; j < std::min(ny, y / gy * gy + gy); ++j)
              for (uint32_t i = x / gx * gx; i < std::min(nx, x / gx * gx + gx); ++i) sum += 1 + i % gx + 3 * (j % gy) + 7 * (k % gz);
          want.push_back(sum);
        }
    struct { uint32_t* out; uint32_t nx, ny, gx, gy, gz; } args{out.data(), nx, ny, gx, gy, gz};
    everywhere(c, args, [&] { out.assign(out.size(), 0); }, [&] { EXPECT_EQ(out, want); }, {Target::gfx942, Target::gfx906}, {"-O3"});
  }
}

} // namespace
