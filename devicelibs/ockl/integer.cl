// Integer and packed arithmetic by the names that headers and compilers use for it.
#include "ockl.h"

CONST uchar OCKL(clz_u8)(uchar x) { return x ? __builtin_clz((uint)x) - 24 : 8; }
CONST ushort OCKL(clz_u16)(ushort x) { return x ? __builtin_clz((uint)x) - 16 : 16; }
CONST uint OCKL(clz_u32)(uint x) { return x ? __builtin_clz(x) : 32; }
CONST ulong OCKL(clz_u64)(ulong x) { return x ? __builtin_clzl(x) : 64; }
CONST uchar OCKL(ctz_u8)(uchar x) { return __builtin_ctz((uint)x | 0x100); }
CONST ushort OCKL(ctz_u16)(ushort x) { return __builtin_ctz((uint)x | 0x10000); }
CONST uint OCKL(ctz_u32)(uint x) { return x ? __builtin_ctz(x) : 32; }
CONST ulong OCKL(ctz_u64)(ulong x) { return x ? __builtin_ctzl(x) : 64; }
CONST uint OCKL(popcount_u32)(uint x) { return __builtin_popcount(x); }
CONST ulong OCKL(popcount_u64)(ulong x) { return __builtin_popcountl(x); }

#define SATURATING(t, s)                                                                                               \
  CONST t OCKL(add_sat_##s)(t x, t y) { return __builtin_elementwise_add_sat(x, y); }                                  \
  CONST t OCKL(sub_sat_##s)(t x, t y) { return __builtin_elementwise_sub_sat(x, y); }
SATURATING(int, i32)
SATURATING(uint, u32)
SATURATING(long, i64)
SATURATING(ulong, u64)

CONST int OCKL(mul_hi_i32)(int x, int y) { return (int)(((long)x * y) >> 32); }
CONST uint OCKL(mul_hi_u32)(uint x, uint y) { return (uint)(((ulong)x * y) >> 32); }
CONST long OCKL(mul_hi_i64)(long x, long y) { return (long)(((__int128)x * y) >> 64); }
CONST ulong OCKL(mul_hi_u64)(ulong x, ulong y) { return (ulong)(((unsigned __int128)x * y) >> 64); }
CONST int OCKL(mul24_i32)(int x, int y) { return (x << 8 >> 8) * (y << 8 >> 8); }
CONST uint OCKL(mul24_u32)(uint x, uint y) { return (x & 0xffffff) * (y & 0xffffff); }

CONST uint OCKL(bfm_u32)(uint width, uint offset) { return ((1u << (width & 31)) - 1) << (offset & 31); }
CONST int OCKL(bfe_i32)(int x, uint offset, uint width) { return __builtin_amdgcn_sbfe(x, offset, width); }
CONST uint OCKL(bfe_u32)(uint x, uint offset, uint width) { return __builtin_amdgcn_ubfe(x, offset, width); }
CONST uint OCKL(bitalign_u32)(uint hi, uint lo, uint shift) { return __builtin_amdgcn_alignbit(hi, lo, shift); }
CONST uint OCKL(bytealign_u32)(uint hi, uint lo, uint shift) { return __builtin_amdgcn_alignbyte(hi, lo, shift); }
// Per byte (x + y + lowest bit of round) >> 1.
CONST uint OCKL(lerp_u32)(uint x, uint y, uint round) {
  uint r = 0;
#pragma unroll
  for (int i = 0; i < 32; i += 8) r |= ((((x >> i) & 255) + ((y >> i) & 255) + ((round >> i) & 1)) >> 1) << i;
  return r;
}
// Sums of absolute differences, written out: the instructions are not on every target.
static uint sad_bytes(uint x, uint y, bool masked) {
  uint sum = 0;
#pragma unroll
  for (int i = 0; i < 32; i += 8) {
    uint a = (x >> i) & 255, b = (y >> i) & 255;
    if (!masked || b != 0) sum += a > b ? a - b : b - a;
  }
  return sum;
}
static uint difference(uint a, uint b) { return a > b ? a - b : b - a; }
CONST uint OCKL(msad_u32)(uint x, uint reference, uint sum) { return sum + sad_bytes(x, reference, true); }
CONST uint OCKL(sad_u32)(uint x, uint y, uint sum) { return sum + sad_bytes(x, y, false); }
CONST uint OCKL(sadhi_u32)(uint x, uint y, uint sum) { return sum + (sad_bytes(x, y, false) << 16); }
CONST uint OCKL(sadw_u32)(uint x, uint y, uint sum) {
  return sum + difference(x & 0xffff, y & 0xffff) + difference(x >> 16, y >> 16);
}
CONST uint OCKL(sadd_u32)(uint x, uint y, uint sum) { return sum + difference(x, y); }
// Four windows of x, one byte apart, each against the reference, into four 16-bit sums.
static ulong sad_windows(ulong x, uint reference, ulong sum, bool masked) {
  ulong r = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    ushort s = (ushort)(sum >> (16 * i)) + (ushort)sad_bytes((uint)(x >> (8 * i)), reference, masked);
    r |= (ulong)s << (16 * i);
  }
  return r;
}
CONST ulong OCKL(qsad_u64)(ulong x, uint reference, ulong sum) { return sad_windows(x, reference, sum, false); }
CONST ulong OCKL(mqsad_u64)(ulong x, uint reference, ulong sum) { return sad_windows(x, reference, sum, true); }

#define ORDER3(t, s, min, max)                                                                                         \
  CONST t OCKL(min3_##s)(t a, t b, t c) { return min(min(a, b), c); }                                                  \
  CONST t OCKL(max3_##s)(t a, t b, t c) { return max(max(a, b), c); }                                                  \
  CONST t OCKL(median3_##s)(t a, t b, t c) { return max(min(a, b), min(max(a, b), c)); }
#define IMIN(a, b) __builtin_elementwise_min(a, b)
#define IMAX(a, b) __builtin_elementwise_max(a, b)
ORDER3(int, i32, IMIN, IMAX)
ORDER3(uint, u32, IMIN, IMAX)
ORDER3(float, f32, __builtin_fminf, __builtin_fmaxf)
ORDER3(half, f16, __builtin_fminf16, __builtin_fmaxf16)

CONST float OCKL(unpack0_f32)(uint x) { return (float)(x & 255); }
CONST float OCKL(unpack1_f32)(uint x) { return (float)((x >> 8) & 255); }
CONST float OCKL(unpack2_f32)(uint x) { return (float)((x >> 16) & 255); }
CONST float OCKL(unpack3_f32)(uint x) { return (float)((x >> 24) & 255); }
CONST uint OCKL(pack_u32)(float4 v) {
  uint p = __builtin_amdgcn_cvt_pk_u8_f32(v.x, 0, 0);
  p = __builtin_amdgcn_cvt_pk_u8_f32(v.y, 1, p);
  p = __builtin_amdgcn_cvt_pk_u8_f32(v.z, 2, p);
  return __builtin_amdgcn_cvt_pk_u8_f32(v.w, 3, p);
}

// Dot products, written out: the compiler picks v_dot where the target has it and the form allows it.
CONST float OCKL(fdot2)(half2 a, half2 b, float c, bool s) {
  float r = __builtin_fmaf((float)a.x, (float)b.x, __builtin_fmaf((float)a.y, (float)b.y, c));
  return s ? __builtin_fmaxf(0.0f, __builtin_fminf(r, 1.0f)) : r;
}
CONST int OCKL(sdot2)(short2 a, short2 b, int c, bool s) {
  int p = a.x * b.x, q = a.y * b.y;
  if (s) return (int)__builtin_elementwise_min(__builtin_elementwise_max((long)p + q + c, (long)-0x80000000l), 0x7fffffffl);
  return (int)((uint)p + (uint)q + (uint)c);
}
CONST uint OCKL(udot2)(ushort2 a, ushort2 b, uint c, bool s) {
  ulong sum = (ulong)((uint)a.x * b.x) + (uint)a.y * b.y + c;
  return s && sum > 0xffffffffu ? 0xffffffffu : (uint)sum;
}
CONST int OCKL(sdot4)(char4 a, char4 b, int c, bool s) {
  int p = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  return s ? __builtin_elementwise_add_sat(p, c) : (int)((uint)p + (uint)c);
}
CONST uint OCKL(udot4)(uchar4 a, uchar4 b, uint c, bool s) {
  uint p = a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
  return s ? __builtin_elementwise_add_sat(p, c) : p + c;
}
CONST int OCKL(sdot8)(int a, int b, int c, bool s) {
  int p = 0;
#pragma unroll
  for (int i = 0; i < 32; i += 4) p += (a << (28 - i) >> 28) * (b << (28 - i) >> 28);
  return s ? __builtin_elementwise_add_sat(p, c) : (int)((uint)p + (uint)c);
}
CONST uint OCKL(udot8)(uint a, uint b, uint c, bool s) {
  uint p = 0;
#pragma unroll
  for (int i = 0; i < 32; i += 4) p += ((a >> i) & 15) * ((b >> i) & 15);
  return s ? __builtin_elementwise_add_sat(p, c) : p + c;
}

// Clocks. steadyctr counts at the constant rate that hipDeviceAttributeWallClockRate reports. The casts come first:
// clang's builtins are unsigned long long, which it takes for 128 bits in OpenCL C while it emits 64.
static ulong cycles(void) { return (ulong)__builtin_readcyclecounter(); }
static ulong steady(void) { return (ulong)__builtin_readsteadycounter(); }
ulong OCKL(memtime_u64)(void) { return cycles(); }
ulong OCKL(cyclectr_u64)(void) { return cycles(); }
ulong OCKL(steadyctr_u64)(void) { return steady(); }
ulong OCKL(memrealtime_u64)(void) { return steady(); }
void OCKL(rtcwait_u32)(uint ticks) {
  ulong until = steady() + ticks;
  while (steady() < until) __builtin_amdgcn_s_sleep(1);
}

void OCKL(atomic_add_noret_f32)(float* p, float v) {
  (void)__scoped_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __MEMORY_SCOPE_DEVICE);
}
