// A compiler module for tests: it knows a handful of kernels by their first instruction, s_nop N, and has functions written by hand
// for them, which are copied out of this file's sections into images. What each does stands beside it; `mem` is the kernel
// argument, s[0:1].
#include "exec/native/abi.hpp"

#include <cstring>

namespace {
using namespace bz::exec;

#define FAKE(name) extern "C" __attribute__((section("fake_" #name), used, noinline, visibility("hidden"))) NativeExit run_##name(NativeContext* x, Wave* w, [[maybe_unused]] uint32_t entry)
#define INLINE __attribute__((always_inline)) inline

INLINE uint32_t* memory(Wave* w) {
  uint64_t a = w->sgpr[0] | uint64_t{w->sgpr[1]} << 32;
  return reinterpret_cast<uint32_t*>(a);
}
INLINE uint32_t add(uint32_t* p, uint32_t n) { return __atomic_fetch_add(p, n, __ATOMIC_RELAXED); }
INLINE void back_edge(NativeContext* x, Wave* w) {
  if (--x->budget < 0) x->helpers->yield(x, w, YieldReason::back_edge, 0);
}

/// 1: counts waves in mem[0].
FAKE(end) {
  add(memory(w), 1);
  ++x->instructions;
  return NativeExit::ended;
}

/// 2: mem[1] rounds; in each, every wave counts itself in LDS[0], waits for the others and checks that all are there. mem[0] counts
/// the checks that were right.
FAKE(barrier) {
  uint32_t* mem = memory(w);
  auto* lds = reinterpret_cast<uint32_t*>(x->lds);
  if (w->index == 0) lds[0] = 0;
  x->helpers->yield(x, w, YieldReason::barrier, 0);
  const uint32_t waves = w->group->wave_count;
  for (uint32_t round = 1; round <= mem[1]; ++round) {
    lds[0] += 1;
    x->helpers->yield(x, w, YieldReason::barrier, 0);
    if (lds[0] == round * waves) add(mem, 1);
    x->helpers->yield(x, w, YieldReason::barrier, 0);
  }
  return NativeExit::ended;
}

/// 3: wave i waits until mem[0] is mem[1] + i, then adds one.
FAKE(chain) {
  uint32_t* mem = memory(w);
  const uint32_t want = mem[1] + w->index;
  while (__atomic_load_n(mem, __ATOMIC_RELAXED) != want) back_edge(x, w);
  add(mem, 1);
  return NativeExit::ended;
}

/// 4: outcall of the second instruction; v0 of each lane goes to mem.
FAKE(outcall) {
  x->helpers->outcall(x, w, 0);
  uint32_t* mem = memory(w) + 64 * w->index;
  const uint32_t* v0 = w->row(0);
  for (int l = 0; l < 64; ++l) *reinterpret_cast<volatile uint32_t*>(mem + l) = v0[l];
  return NativeExit::ended;
}

/// 5: jumps to the address in mem[2:3], which begins another kernel of these.
FAKE(jump) {
  w->jump_target = memory(w)[2] | uint64_t{memory(w)[3]} << 32;
  return NativeExit::jump;
}

/// 6: reads from the address in mem[2:3].
FAKE(fault) {
  uint32_t* mem = memory(w);
  auto* p = reinterpret_cast<volatile uint32_t*>(mem[2] | uint64_t{mem[3]} << 32);
  x->helpers->yield(x, w, YieldReason::barrier, 0);
  mem[0] = *p;
  return NativeExit::ended;
}

/// 7: the second instruction is the interpreter's.
FAKE(interpret) {
  add(memory(w), 1);
  w->jump_target = x->code + 4;
  return NativeExit::interpret;
}

/// 8: waits in s_sleep until mem[0] is not 0.
FAKE(sleep) {
  uint32_t* mem = memory(w);
  while (__atomic_load_n(mem, __ATOMIC_RELAXED) == 0) x->helpers->yield(x, w, YieldReason::sleep, 1);
  add(mem + 1, 1);
  return NativeExit::ended;
}

/// 9: odd waves end at once, the others meet at a barrier and count themselves.
FAKE(leave) {
  if (w->index & 1) return NativeExit::ended;
  x->helpers->yield(x, w, YieldReason::barrier, 0);
  add(memory(w), 1);
  return NativeExit::ended;
}

/// 10: mem[1] back edges, whose values live on the stack; mem[0] gets their sum of 0 + 1 + ...
FAKE(count) {
  uint32_t* mem = memory(w);
  uint32_t sum = 0;
  for (uint32_t i = 0, n = mem[1]; i < n; ++i) {
    sum += i;
    back_edge(x, w);
  }
  add(mem, sum);
  return NativeExit::ended;
}

/// 11: a loop's head: the interpreter never leaves the loop. mem[0] counts waves, mem[1] those that have been round, by s5.
FAKE(head) {
  uint32_t* mem = memory(w);
  add(mem, 1);
  if (w->sgpr[5] > 0) add(mem + 1, 1);
  return NativeExit::ended;
}

/// 12: the same, with a barrier in between at which others wait since they were interpreted.
FAKE(meeting) {
  uint32_t* mem = memory(w);
  add(mem, 1);
  x->helpers->yield(x, w, YieldReason::barrier, 0);
  return NativeExit::ended;
}

/// 13: behind that barrier: mem[1] counts, mem[2] those that are there too early.
FAKE(behind) {
  uint32_t* mem = memory(w);
  add(mem + 1, 1);
  if (mem[0] == 0) add(mem + 2, 1);
  return NativeExit::ended;
}

/// 15: as 3, by jumps to itself.
FAKE(again) {
  uint32_t* mem = memory(w);
  if (__atomic_load_n(mem, __ATOMIC_RELAXED) != mem[1] + w->index) {
    w->jump_target = x->code;
    return NativeExit::jump;
  }
  add(mem, 1);
  return NativeExit::ended;
}

/// 14: odd waves jump as 5 does; the others meet them at two barriers. mem[0] must be odd waves * 64 then; mem[1] counts.
FAKE(part) {
  uint32_t* mem = memory(w);
  if (w->index & 1) {
    w->jump_target = mem[2] | uint64_t{mem[3]} << 32;
    return NativeExit::jump;
  }
  x->helpers->yield(x, w, YieldReason::barrier, 0);
  x->helpers->yield(x, w, YieldReason::barrier, 0);
  if (mem[0] == w->group->wave_count / 2 * 64) add(mem + 1, 1);
  return NativeExit::ended;
}

#undef FAKE

extern "C" {
#define KERNELS(X) X(end) X(barrier) X(chain) X(outcall) X(jump) X(fault) X(interpret) X(sleep) X(leave) X(count) X(head) X(meeting) X(behind) X(part) X(again)
#define DECLARE(name) extern const uint8_t __start_fake_##name[], __stop_fake_##name[];
KERNELS(DECLARE)
}

struct Kernel {
  const char* name;
  const uint8_t *begin, *end;
  NativeFn fn;
};
#define ENTRY(name) {#name, __start_fake_##name, __stop_fake_##name, run_##name},
const Kernel kKernels[] = {KERNELS(ENTRY)};

} // namespace

extern "C" __attribute__((visibility("default"))) const char* bz_jit_compile(const NativeRequest* r, NativeImage* image) {
  const uint64_t at = (r->entries[0] - r->begin) / 4;
  // The interpreter has no operation for s_nop: in the middle of the work waves stand behind it.
  const uint32_t word = at > 0 && r->words[at] >> 16 != 0xbf80 ? r->words[at - 1] : r->words[at], number = (word & 0xffff) - 1;
  if (word >> 16 != 0xbf80 || number >= sizeof kKernels / sizeof *kKernels) return "not one of the kernels that the test's module knows";
  const Kernel& k = kKernels[number];
  image->text.assign(k.begin, k.end);
  image->start = static_cast<uint32_t>(reinterpret_cast<const uint8_t*>(k.fn) - k.begin);
  image->entries = {static_cast<uint32_t>(at)};
  image->places = {{0, static_cast<uint32_t>(at)}, {1, static_cast<uint32_t>(at + 1 < r->dwords ? at + 1 : at)}};
  if (std::strcmp(k.name, "outcall") == 0) image->outcalls = {static_cast<uint32_t>(at) + 1};
  image->stack_bytes = 1024;
  image->switches = std::strcmp(k.name, "end") != 0 && std::strcmp(k.name, "outcall") != 0 && std::strcmp(k.name, "jump") != 0 && std::strcmp(k.name, "interpret") != 0;
  image->instructions = 2;
  return nullptr;
}
