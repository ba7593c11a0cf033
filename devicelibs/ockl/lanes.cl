// Lanes of a wave: who am I, votes, reductions and scans over the active lanes.
#include "ockl.h"

CONST uint OCKL(lane_u32)(void) {
  uint low = __builtin_amdgcn_mbcnt_lo(~0u, 0);
  return __builtin_amdgcn_wavefrontsize() == 64 ? __builtin_amdgcn_mbcnt_hi(~0u, low) : low;
}

// How many active lanes are below this one.
CONVERGENT uint OCKL(activelane_u32)(void) {
  ulong exec = __builtin_amdgcn_read_exec();
  uint low = __builtin_amdgcn_mbcnt_lo((uint)exec, 0);
  return __builtin_amdgcn_wavefrontsize() == 64 ? __builtin_amdgcn_mbcnt_hi((uint)(exec >> 32), low) : low;
}

// The 64-bit form serves a wave of 32 too: its upper half is zero there.
CONVERGENT static ulong ballot(bool p) { return __builtin_amdgcn_ballot_w64(p); }

CONVERGENT bool OCKL(wfany_i32)(int e) { return ballot(e != 0) != 0; }
CONVERGENT bool OCKL(wfall_i32)(int e) { return ballot(e == 0) == 0; }
CONVERGENT bool OCKL(wfsame_i32)(int e) {
  ulong yes = ballot(e != 0);
  return yes == 0 || yes == __builtin_amdgcn_read_exec();
}

CONVERGENT static uint take32(uint v, uint lane) { return __builtin_amdgcn_ds_bpermute(lane << 2, v); }
CONVERGENT int OCKL(readuplane_i32)(int v, int up) { return take32(v, OCKL(lane_u32)() + up); }
CONVERGENT long OCKL(readuplane_i64)(long v, int up) {
  uint from = OCKL(lane_u32)() + up;
  return (long)((ulong)take32((uint)((ulong)v >> 32), from) << 32 | take32((uint)v, from));
}

// Reductions and scans accept any set of active lanes. The scan doubles its reach along the list of active lanes: each
// lane knows the n-th active lane before it by following links, so six steps serve 64 lanes. A reduction is the scan's
// value in the last active lane.
#define BITS_f16 ushort
#define BITS_f32 uint
#define BITS_f64 ulong
#define BITS_i32 uint
#define BITS_u32 uint
#define BITS_i64 ulong
#define BITS_u64 ulong

#define TAKE(t, s)                                                                                                     \
  CONVERGENT static t take_##s(t v, uint lane) {                                                                       \
    ulong bits = __builtin_bit_cast(BITS_##s, v);                                                                      \
    uint lo = take32((uint)bits, lane);                                                                                \
    uint hi = sizeof(t) == 8 ? take32((uint)(bits >> 32), lane) : 0;                                                   \
    return __builtin_bit_cast(t, (BITS_##s)((ulong)hi << 32 | lo));                                                    \
  }
TAKE(half, f16)
TAKE(float, f32)
TAKE(double, f64)
TAKE(int, i32)
TAKE(uint, u32)
TAKE(long, i64)
TAKE(ulong, u64)

enum { NO_LANE = 64 };
CONVERGENT static uint lane_before(ulong exec, uint lane) {
  ulong below = exec & ((1ul << lane) - 1);
  return below == 0 ? NO_LANE : 63 - (uint)__builtin_clzl(below);
}

#define REDUCE(op, t, s, combine, identity)                                                                            \
  CONVERGENT t OCKL(wfscan_##op##_##s)(t x, bool inclusive) {                                                          \
    ulong exec = __builtin_amdgcn_read_exec();                                                                         \
    uint lane = OCKL(lane_u32)();                                                                                      \
    uint first = lane_before(exec, lane), from = first;                                                                \
    t sum = x;                                                                                                         \
    for (uint reach = 1; reach < 64; reach *= 2) {                                                                     \
      uint source = from == NO_LANE ? lane : from;                                                                     \
      t a = take_##s(sum, source), b = sum;                                                                            \
      uint further = take32(from, source);                                                                             \
      if (from != NO_LANE) sum = combine;                                                                              \
      from = from == NO_LANE ? NO_LANE : further;                                                                      \
    }                                                                                                                  \
    if (inclusive) return sum;                                                                                         \
    t before = take_##s(sum, first == NO_LANE ? lane : first);                                                         \
    return first == NO_LANE ? (t)(identity) : before;                                                                  \
  }                                                                                                                    \
  CONVERGENT t OCKL(wfred_##op##_##s)(t x) {                                                                           \
    t sum = OCKL(wfscan_##op##_##s)(x, true);                                                                          \
    return take_##s(sum, 63 - (uint)__builtin_clzl(__builtin_amdgcn_read_exec()));                                     \
  }

#define INF_f16 ((half)__builtin_inff())
#define INF_f32 __builtin_inff()
#define INF_f64 __builtin_inf()
REDUCE(add, half, f16, (half)(a + b), 0)
REDUCE(add, float, f32, a + b, 0)
REDUCE(add, double, f64, a + b, 0)
REDUCE(max, half, f16, (half)__builtin_fmaxf((float)a, (float)b), -INF_f16)
REDUCE(max, float, f32, __builtin_fmaxf(a, b), -INF_f32)
REDUCE(max, double, f64, __builtin_fmax(a, b), -INF_f64)
REDUCE(min, half, f16, (half)__builtin_fminf((float)a, (float)b), INF_f16)
REDUCE(min, float, f32, __builtin_fminf(a, b), INF_f32)
REDUCE(min, double, f64, __builtin_fmin(a, b), INF_f64)

#define REDUCE_INT(t, s, lowest, highest)                                                                              \
  REDUCE(add, t, s, a + b, 0)                                                                                          \
  REDUCE(max, t, s, a > b ? a : b, lowest)                                                                             \
  REDUCE(min, t, s, a < b ? a : b, highest)                                                                            \
  REDUCE(and, t, s, a & b, ~(t)0)                                                                                      \
  REDUCE(or, t, s, a | b, 0)                                                                                           \
  REDUCE(xor, t, s, a ^ b, 0)
REDUCE_INT(int, i32, (int)(1u << 31), 0x7fffffff)
REDUCE_INT(uint, u32, 0, ~0u)
REDUCE_INT(long, i64, (long)(1ul << 63), 0x7fffffffffffffffl)
REDUCE_INT(ulong, u64, 0, ~0ul)
