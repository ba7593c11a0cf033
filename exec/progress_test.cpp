// Who waits for whom: locks, flags, barriers and queues between lanes, waves, workgroups and dispatches. Each of these hangs
// on some scheduler that runs one thing to its end; here each must end in its time, with one host thread and with three.
#include "exec/testing/case.hpp"

#include <chrono>
#include <numeric>

namespace {
using namespace bz::exec;
using namespace bz::exec::testing;
using bz::isa::Target;

/// A kernel f(mem, n) over zeroed memory; afterwards mem[i] must be want(i) for i < checked.
struct Wait {
  const char* name;
  const char* source;
  uint32_t n;
  uint32_t group, groups;
  uint32_t checked;
  uint32_t (*want)(uint32_t i, uint32_t n);
  const char* second = nullptr;   ///< a kernel of a second dispatch over the same memory, launched before the first
};

const Wait kWaits[] = {
    {"lock_between_lanes",
     R"(
KERNEL void f(u32* mem, u32 n) {
  for (u32 i = 0; i < n; ++i)
    for (u32 done = 0; !done;) {
      if (swap_in(&mem[1], 0, 1)) {
        mem[0] = *(volatile u32*)&mem[0] + 1;
        store(&mem[1], 0u);
        done = 1;
      }
      asm volatile("" : "+v"(done));   // else clang moves the critical section behind the loop, where it hangs any GPU
    }
})",
     3, 128, 2, 2, [](uint32_t i, uint32_t n) { return i == 0 ? n * 256 : 0; }},
    {"lock_between_waves_in_lds",
     R"(
SHARED u32 lock, count;
KERNEL void f(u32* mem, u32 n) {
  if (tid() == 0) lock = count = 0;
  barrier();
  if (tid() % 64 == 0)
    for (u32 i = 0; i < n; ++i) {
      u32 old;
      do { old = 0; } while (!__scoped_atomic_compare_exchange_n(&lock, &old, 1u, false, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED, __MEMORY_SCOPE_WRKGRP));
      *(volatile __attribute__((address_space(3))) u32*)&count = *(volatile __attribute__((address_space(3))) u32*)&count + 1;
      __scoped_atomic_store_n(&lock, 0u, __ATOMIC_RELEASE, __MEMORY_SCOPE_WRKGRP);
    }
  barrier();
  if (tid() == 0) mem[bid()] = count;
})",
     50, 1024, 3, 3, [](uint32_t, uint32_t n) { return 16 * n; }},
    {"wave_waits_for_a_later_wave",
     R"(
SHARED u32 flag[17];
KERNEL void f(u32* mem, u32 n) {
  u32 w = tid() / 64;
  if (tid() < 17) flag[tid()] = tid() == n;
  barrier();
  while (__scoped_atomic_load_n(&flag[w + 1], __ATOMIC_ACQUIRE, __MEMORY_SCOPE_WRKGRP) == 0) {}
  if (tid() % 64 == 0) {
    mem[w] = w + 1;
    __scoped_atomic_store_n(&flag[w], 1u, __ATOMIC_RELEASE, __MEMORY_SCOPE_WRKGRP);
  }
})",
     12, 768, 1, 12, [](uint32_t i, uint32_t) { return i + 1; }},
    {"waves_wait_while_one_is_at_the_barrier",
     R"(
SHARED u32 flag;
KERNEL void f(u32* mem, u32 n) {
  if (tid() == 0) flag = 0;
  barrier();
  if (tid() / 64 == n) __scoped_atomic_store_n(&flag, 1u, __ATOMIC_RELEASE, __MEMORY_SCOPE_WRKGRP);
  else while (__scoped_atomic_load_n(&flag, __ATOMIC_ACQUIRE, __MEMORY_SCOPE_WRKGRP) == 0) {}
  barrier();
  if (tid() == 0) mem[bid()] = flag;
})",
     4, 320, 2, 2, [](uint32_t, uint32_t) { return 1u; }},
    {"group_waits_for_the_next",
     R"(
KERNEL void f(u32* mem, u32 n) {
  u32 b = bid();
  if (b + 1 < n) while (load(&mem[b + 1]) == 0) {}
  store(&mem[b], b + 1);
})",
     50, 64, 50, 50, [](uint32_t i, uint32_t) { return i + 1; }},
    {"group_sleeps_for_the_next",
     R"(
KERNEL void f(u32* mem, u32 n) {
  u32 b = bid();
  if (b + 1 < n) while (load(&mem[b + 1]) == 0) __builtin_amdgcn_s_sleep(10);
  store(&mem[b], b + 1);
})",
     50, 256, 50, 50, [](uint32_t i, uint32_t) { return i + 1; }},
    {"group_counts_while_it_waits",
     R"(
KERNEL void f(u32* mem, u32 n) {
  u32 b = bid(), turns = 0;
  if (b + 1 < n) while (load(&mem[b + 1]) == 0) ++turns;
  mem[n + b] = turns;
  store(&mem[b], b + 1);
})",
     20, 64, 20, 20, [](uint32_t i, uint32_t) { return i + 1; }},
    {"group_looks_at_the_clock_while_it_waits",
     R"(
KERNEL void f(u32* mem, u32 n) {
  u32 b = bid();
  u64 start = __builtin_readcyclecounter(), now = start;
  if (b + 1 < n) while (load(&mem[b + 1]) == 0) now = __builtin_readcyclecounter();
  mem[n + b] = now - start > 1ul << 60;
  store(&mem[b], b + 1);
})",
     20, 64, 20, 20, [](uint32_t i, uint32_t) { return i + 1; }},
    {"long_loop_body_that_waits",
     R"(
KERNEL void f(u32* mem, u32 n) {
  u32 b = bid(), x = 1;
  if (b + 1 < n)
    while (load(&mem[b + 1]) == 0) {
#pragma unroll
      for (u32 i = 0; i < 500; ++i) x = x * 1664525u + (x >> 7);
    }
  mem[n + b] = x;
  store(&mem[b], b + 1);
})",
     10, 512, 10, 10, [](uint32_t i, uint32_t) { return i + 1; }},
    {"ticket_lock",
     R"(
KERNEL void f(u32* mem, u32 n) {
  if (tid() % 64) return;
  for (u32 i = 0; i < n; ++i) {
    u32 mine = add(&mem[2], 1);
    while (load(&mem[3]) != mine) {}
    *(volatile u32*)&mem[0] = *(volatile u32*)&mem[0] + 1;
    store(&mem[3], mine + 1);
  }
})",
     5, 256, 6, 1, [](uint32_t, uint32_t n) { return n * 24; }},
    {"dining",
     R"(
KERNEL void f(u32* mem, u32 n) {
  // Fork k is mem[64 + k]; the last one takes its right fork first.
  u32 b = bid(), left = b, right = (b + 1) % n;
  if (left > right) { u32 t = left; left = right; right = t; }
  if (tid()) return;
  for (u32 meal = 0; meal < 20; ++meal) {
    while (!swap_in(&mem[64 + left], 0, 1)) {}
    while (!swap_in(&mem[64 + right], 0, 1)) {}
    *(volatile u32*)&mem[b] = *(volatile u32*)&mem[b] + 1;
    store(&mem[64 + right], 0u);
    store(&mem[64 + left], 0u);
  }
})",
     7, 64, 7, 7, [](uint32_t, uint32_t) { return 20u; }},
    {"decoupled_look_back",
     R"(
// Inclusive sums of i + 1 over tiles of 256; mem[i] the sums, state of tile t at 8192 + 2 t: flag (1 own sum, 2 prefix), value.
SHARED u32 part[256]; SHARED u32 tile, before;
KERNEL void f(u32* mem, u32 n) {
  u32 t = tid();
  if (t == 0) tile = add(&mem[8191], 1);
  barrier();
  u32 b = tile, i = b * 256 + t;
  part[t] = i + 1;
  barrier();
  for (u32 s = 1; s < 256; s *= 2) {
    u32 x = t >= s ? part[t - s] : 0;
    barrier();
    part[t] += x;
    barrier();
  }
  u32 volatile* state = mem + 8192;
  if (t == 0) {
    u32 sum = part[255], prefix = 0;
    if (b == 0) {
      state[1] = sum;
      store(&mem[8192], 2u);
    } else {
      state[4 * b + 2] = sum;
      store(&mem[8192 + 4 * b], 1u);
      for (u32 k = b - 1;; --k) {
        u32 flag;
        while ((flag = load(&mem[8192 + 4 * k])) == 0) {}
        if (flag == 2) { prefix += state[4 * k + 1]; break; }
        prefix += state[4 * k + 2];
      }
      state[4 * b + 1] = prefix + sum;
      store(&mem[8192 + 4 * b], 2u);
    }
    before = prefix;
  }
  barrier();
  if (i < n) mem[i] = before + part[t];
})",
     7000, 256, 28, 7000, [](uint32_t i, uint32_t) { return (i + 1) * (i + 2) / 2; }},
    {"barrier_of_the_grid",
     R"(
KERNEL void f(u32* mem, u32 n) {
  // mem[b], mem[64 + b] in turns: each group adds its left neighbour's value.
  u32 b = bid(), groups = 40;
  for (u32 round = 0; round < n; ++round) {
    u32* from = mem + (round & 1) * 64;
    u32* to = mem + (~round & 1) * 64;
    if (tid() == 0) to[b] = load(&from[b]) + load(&from[(b + groups - 1) % groups]) + 1;
    barrier();
    if (tid() == 0) {
      add(&mem[128], 1);
      while (load(&mem[128]) < (round + 1) * groups) {}
    }
    barrier();
  }
})",
     10, 192, 40, 40, [](uint32_t, uint32_t n) { return (1u << n) - 1; }},
    {"ping_pong",
     R"(
KERNEL void f(u32* mem, u32 n) {
  if (tid()) return;
  for (u32 move = bid(); move < n; move += 2) {
    while (load(&mem[0]) != move) {}
    mem[1] = *(volatile u32*)&mem[1] + 1;
    store(&mem[0], move + 1);
  }
})",
     500, 64, 2, 2, [](uint32_t, uint32_t n) { return n; }},
    {"consumer_before_producer",
     R"(
KERNEL void f(u32* mem, u32 n) {   // the producer: ring of 8 at mem[64], head mem[2], tail mem[3]
  if (tid()) return;
  for (u32 i = 0; i < n; ++i) {
    while (load(&mem[2]) - load(&mem[3]) == 8) {}
    *(volatile u32*)&mem[64 + i % 8] = i * i;
    store(&mem[2], i + 1);
  }
})",
     200, 64, 1, 1, [](uint32_t, uint32_t n) { return n * (n - 1) * (2 * n - 1) / 6; },
     R"(
KERNEL void g(u32* mem, u32 n) {
  if (tid()) return;
  u32 sum = 0;
  for (u32 i = 0; i < n; ++i) {
    while (load(&mem[2]) == i) {}
    sum += *(volatile u32*)&mem[64 + i % 8];
    store(&mem[3], i + 1);
  }
  mem[0] = sum;
})"},
};

class Progress : public ::testing::TestWithParam<Wait> {};
TEST_P(Progress, EverybodyGetsOn) {
  const Wait& w = GetParam();
  for (const char* flags : {"-O3", "-O0"}) {
    auto image = device(Target::gfx942, kPrelude + std::string(w.source) + (w.second ? w.second : ""), flags);
    ASSERT_TRUE(image);
    for (auto& level : engine_levels())
      for (unsigned workers : {1u, 3u}) {
        SCOPED_TRACE(std::string(flags) + " " + level + ", " + std::to_string(workers) + " workers");
        std::vector<uint32_t> mem(16384), want(w.checked);
        for (uint32_t i = 0; i < w.checked; ++i) want[i] = w.want(i, w.n);
        struct { uint32_t* mem; uint32_t n; } args{mem.data(), w.n};
        DispatchInfo d;
        d.group_size = {static_cast<uint16_t>(w.group), 1, 1};
        d.grid_size = {w.group * w.groups, 1, 1};
        d.group_bytes = 2048;
        d.private_bytes = 2048;
        d.kernarg = reinterpret_cast<uint64_t>(&args);
        std::vector<DispatchInfo> all;
        if (w.second) {
          d.kernel_object = image->symbol("g.kd");
          all.push_back(d);
        }
        d.kernel_object = image->symbol("f.kd");
        all.push_back(d);
        auto start = std::chrono::steady_clock::now();
        launch(*engine(Target::gfx942, level), all, {.workers = workers, .seconds = 30});
        double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
        if (std::getenv("BZ_TEST_TIMES")) std::printf("%-40s %s %s %u workers: %8.2f ms\n", w.name, flags, level.c_str(), workers, ms);
        if (HasFailure()) return;
        mem.resize(w.checked);
        EXPECT_EQ(mem, want);
      }
  }
}
INSTANTIATE_TEST_SUITE_P(Compiled, Progress, ::testing::ValuesIn(kWaits), [](auto& info) { return std::string(info.param.name); });

// Loops that are made of jumps through registers only, with nothing that branches back.
TEST(Progress, JumpsThroughRegisters) {
  // Wave 0 waits for wave 1 of its group, both groups' wave 1 for the other group.
  const char* text = R"(
    s_load_dwordx2 s[6:7], s[0:1], 0
    v_readfirstlane_b32 s8, v0
    s_lshr_b32 s8, s8, 6             ; wave
    v_mov_b32 v1, 1
    v_mov_b32 v2, 0
    s_waitcnt lgkmcnt(0)
    s_lshl_b32 s9, s2, 3
    s_add_u32 s6, s6, s9
    s_addc_u32 s7, s7, 0             ; mem + 8 * group
    s_cmp_eq_u32 s8, 0
    s_cselect_b32 s12, 4, 8          ; wave 0 looks at its group's second word, wave 1 at the next group's
    s_cmp_lg_u32 s8, 0
    s_cbranch_scc0 look
    s_cmp_eq_u32 s2, 1               ; the last group's wave 1 waits for nobody
    s_cbranch_scc1 done
  look:
    v_mov_b32 v4, s12
    s_getpc_b64 s[10:11]
  again:
    global_load_dword v3, v4, s[6:7] sc0 sc1
    s_waitcnt vmcnt(0)
    v_readfirstlane_b32 s13, v3
    s_cmp_lg_u32 s13, 0
    s_cbranch_scc1 done
    s_setpc_b64 s[10:11]
  done:
    s_lshl_b32 s8, s8, 2
    v_mov_b32 v4, s8
    global_store_dword v4, v1, s[6:7] sc0 sc1
    s_endpgm)";
  auto words = assemble(Target::gfx942, text);
  ASSERT_TRUE(words.ok()) << words.status().message();
  RawKernel kernel(Target::gfx942, *words);
  for (auto& level : engine_levels())
    for (unsigned workers : {1u, 2u}) {
      std::vector<uint32_t> mem(6);
      uint32_t* p = mem.data();
      DispatchInfo d;
      d.group_size = {128, 1, 1};
      d.grid_size = {256, 1, 1};
      d.kernel_object = kernel.object();
      d.kernarg = reinterpret_cast<uint64_t>(&p);
      launch(*engine(Target::gfx942, level), d, {.workers = workers, .seconds = 30});
      EXPECT_EQ(mem, (std::vector<uint32_t>{1, 1, 1, 1, 0, 0}));
    }
}

} // namespace
