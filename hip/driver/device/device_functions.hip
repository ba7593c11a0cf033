// What the device headers promise, on a device against the same computed on the host: lanes, reductions, atomics,
// barriers with votes, conversions, half and bfloat16, cooperative groups, device memory functions. Prints PASSED.
//   hipcc device_functions.hip -o device_functions && ./device_functions
#include <hip/hip_bf16.h>
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_fp16.h>
#include <hip/hip_fp8.h>
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace cg = cooperative_groups;

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    hipError_t status = (call);                                                                                        \
    if (status != hipSuccess) {                                                                                        \
      std::fprintf(stderr, "%s failed: %s\n", #call, hipGetErrorString(status));                                       \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  } while (0)

static int failures = 0, checks = 0;
template <class T> void expect(const char* what, int at, T got, T want) {
  ++checks;
  if (std::memcmp(&got, &want, sizeof(T)) == 0) return;
  if (++failures <= 40) std::printf("%s [%d]: got %.17g, want %.17g\n", what, at, (double)got, (double)want);
}

/// Runs a kernel of one block that writes one T per thread, and returns what it wrote.
template <class T, class K> std::vector<T> run(K kernel, int threads, int count = 0) {
  if (count == 0) count = threads;
  T* out;
  CHECK(hipMalloc(&out, count * sizeof(T)));
  CHECK(hipMemset(out, 0, count * sizeof(T)));
  kernel<<<1, threads>>>(out);
  CHECK(hipGetLastError());
  std::vector<T> result(count);
  CHECK(hipMemcpy(result.data(), out, count * sizeof(T), hipMemcpyDeviceToHost));
  CHECK(hipFree(out));
  return result;
}

// ---- Lanes ----------------------------------------------------------------------------------------------------------

template <class T> __host__ __device__ T value_of(int lane) { return (T)(lane * 7 % 31) - (T)9; }

template <class T> __global__ void shuffles(T* out) {
  int t = threadIdx.x;
  T v = value_of<T>(t);
  out[t] = __shfl(v, 3);
  out[64 + t] = __shfl_up(v, 2, 16);
  out[128 + t] = __shfl_down(v, 5, 8);
  out[192 + t] = __shfl_xor(v, 9, 32);
  out[256 + t] = __shfl(v, t + 1, 4);
  out[320 + t] = __shfl_sync(0xffull << (t & ~7), v, (t & ~7) + 2);
}
template <class T> void test_shuffles(const char* name) {
  auto out = run<T>(shuffles<T>, 64, 384);
  for (int t = 0; t < 64; ++t) {
    expect<T>(name, t, out[t], value_of<T>(3));
    expect<T>(name, 64 + t, out[64 + t], value_of<T>(t % 16 < 2 ? t : t - 2));
    expect<T>(name, 128 + t, out[128 + t], value_of<T>(t % 8 + 5 >= 8 ? t : t + 5));
    expect<T>(name, 192 + t, out[192 + t], value_of<T>(t ^ 9));
    expect<T>(name, 256 + t, out[256 + t], value_of<T>((t & ~3) + ((t + 1) & 3)));
    expect<T>(name, 320 + t, out[320 + t], value_of<T>((t & ~7) + 2));
  }
}

__global__ void votes(unsigned long long* out) {
  int t = threadIdx.x;
  out[t] = __ballot(t % 3 == 0);
  if (t % 2) {
    out[64 + t] = __ballot(t % 3 == 0);
    out[128 + t] = __activemask();
    out[192 + t] = __all(t % 2) + 2 * __any(t == 5) + 4 * __all(t == 5) + 8 * __any(t == 4);
  }
  out[256 + t] = __match_any(t % 5);
  int all;
  out[320 + t] = __match_all(t / 64, &all) + all;
  out[384 + t] = __lane_id() + __lanemask_lt();
  out[448 + t] = __ballot_sync(0xffffull << (t & ~15), t & 1);
}
void test_votes() {
  auto out = run<unsigned long long>(votes, 64, 512);
  unsigned long long third = 0, odd = 0, five[5] = {};
  for (int t = 0; t < 64; ++t) third |= (unsigned long long)(t % 3 == 0) << t, odd |= (unsigned long long)(t & 1) << t, five[t % 5] |= 1ull << t;
  for (int t = 0; t < 64; ++t) {
    expect<unsigned long long>("ballot", t, out[t], third);
    expect<unsigned long long>("ballot odd", t, out[64 + t], t % 2 ? third & odd : 0);
    expect<unsigned long long>("activemask", t, out[128 + t], t % 2 ? odd : 0);
    expect<unsigned long long>("all any", t, out[192 + t], t % 2 ? 1 + 2 : 0);
    expect<unsigned long long>("match_any", t, out[256 + t], five[t % 5]);
    expect<unsigned long long>("match_all", t, out[320 + t], ~0ull + 1);
    expect<unsigned long long>("lane", t, out[384 + t], t + ((1ull << t) - 1));
    expect<unsigned long long>("ballot_sync", t, out[448 + t], odd & (0xffffull << (t & ~15)));
  }
}

__global__ void reductions(long long* out) {
  int t = threadIdx.x;
  int v = value_of<int>(t);
  out[t] = __reduce_add_sync(~0ull, v);
  out[64 + t] = __reduce_max_sync(~0ull, v);
  if (t % 3 == 1) { // a part of the wave
    unsigned long long mask = __activemask();
    out[128 + t] = __reduce_add_sync(mask, v);
    out[192 + t] = __reduce_min_sync(mask, v);
    out[256 + t] = __reduce_xor_sync(mask, (unsigned)v);
    out[320 + t] = (long long)__reduce_add_sync(mask, (double)v * 0.5);
  }
}
void test_reductions() {
  auto out = run<long long>(reductions, 64, 384);
  long long sum = 0, most = -100, part = 0, least = 100;
  unsigned folded = 0;
  for (int t = 0; t < 64; ++t) {
    int v = value_of<int>(t);
    sum += v, most = v > most ? v : most;
    if (t % 3 == 1) part += v, least = v < least ? v : least, folded ^= (unsigned)v;
  }
  for (int t = 0; t < 64; ++t) {
    bool in = t % 3 == 1;
    expect<long long>("reduce add", t, out[t], sum);
    expect<long long>("reduce max", t, out[64 + t], most);
    expect<long long>("reduce part", t, out[128 + t], in ? part : 0);
    expect<long long>("reduce min", t, out[192 + t], in ? least : 0);
    expect<long long>("reduce xor", t, out[256 + t], in ? (long long)folded : 0);
    expect<long long>("reduce f64", t, out[320 + t], in ? (long long)(part * 0.5) : 0);
  }
}

extern "C" __device__ int __ockl_wfscan_add_i32(int, bool);
__global__ void scans(int* out) {
  int t = threadIdx.x;
  out[t] = __ockl_wfscan_add_i32(t + 1, true);
  out[64 + t] = __ockl_wfscan_add_i32(t + 1, false);
  if (t % 4 != 2) out[128 + t] = __ockl_wfscan_add_i32(t + 1, true);
}
void test_scans() {
  auto out = run<int>(scans, 64, 192);
  int sum = 0, part = 0;
  for (int t = 0; t < 64; ++t) {
    expect<int>("exclusive scan", t, out[64 + t], sum);
    sum += t + 1;
    expect<int>("inclusive scan", t, out[t], sum);
    if (t % 4 != 2) part += t + 1;
    expect<int>("scan of a part", t, out[128 + t], t % 4 != 2 ? part : 0);
  }
}

// ---- Blocks ---------------------------------------------------------------------------------------------------------

__global__ void block_votes(int* out) {
  int t = threadIdx.x;
  for (int round = 0; round < 3; ++round) {
    out[round * 200 + t] = __syncthreads_count(t % (round + 2) == 0) + 1000 * __syncthreads_and(t < 200) +
                           2000 * __syncthreads_and(t < 199) + 4000 * __syncthreads_or(t == 150);
  }
}
void test_block_votes() {
  auto out = run<int>(block_votes, 200, 600);
  for (int i = 0; i < 600; ++i) expect<int>("syncthreads", i, out[i], (200 + i / 200 + 1) / (i / 200 + 2) + 1000 + 4000);
}

template <class T> __global__ void atomics(T* out) {
  T t = (T)(threadIdx.x + 1);
  atomicAdd(&out[0], t);
  atomicSub(&out[1], t);
  atomicMin(&out[2], t);
  atomicMax(&out[3], t);
  T old = out[4], seen;
  do {
    seen = old;
    old = atomicCAS(&out[4], seen, (T)(seen + t));
  } while (seen != old);
  atomicAdd_system(&out[5], (T)1);
  if (threadIdx.x == 0) atomicExch(&out[6], (T)77);
}
template <class T> void test_atomics(const char* name) {
  auto out = run<T>(atomics<T>, 256, 8);
  T total = (T)(256 * 257 / 2);
  expect<T>(name, 0, out[0], total);
  expect<T>(name, 1, out[1], (T)((T)0 - total));
  expect<T>(name, 2, out[2], (T)0);
  expect<T>(name, 3, out[3], (T)256);
  expect<T>(name, 4, out[4], total);
  expect<T>(name, 5, out[5], (T)256);
  expect<T>(name, 6, out[6], (T)77);
}
__global__ void more_atomics(unsigned* out) {
  __shared__ float lds;
  __shared__ double lds64;
  if (threadIdx.x == 0) lds = 0, lds64 = 0;
  __syncthreads();
  atomicAdd(&lds, 1.0f);
  atomicAdd(&lds64, 2.0);
  unsafeAtomicAdd(&lds, 1.0f);
  atomicInc(&out[0], 9);
  atomicDec(&out[1], 9);
  atomicOr(&out[2], 1u << (threadIdx.x & 31));
  atomicXor(&out[3], threadIdx.x);
  unsafeAtomicAdd((float*)&out[4], 0.5f);
  unsafeAtomicAdd((__half2*)&out[5], __half2(__half(1.0f), __half(0.5f)));
  __syncthreads();
  if (threadIdx.x == 0) out[6] = (unsigned)lds, out[7] = (unsigned)lds64;
}
void test_more_atomics() {
  auto out = run<unsigned>(more_atomics, 64, 8);
  expect<unsigned>("atomicInc", 0, out[0], 64 % 10);
  expect<unsigned>("atomicDec", 0, out[1], (10 - 64 % 10) % 10);
  expect<unsigned>("atomicOr", 0, out[2], ~0u);
  expect<unsigned>("atomicXor", 0, out[3], 0);
  float f = 32;
  unsigned bits;
  std::memcpy(&bits, &f, 4);
  expect<unsigned>("unsafeAtomicAdd", 0, out[4], bits);
  expect<unsigned>("unsafeAtomicAdd half2", 0, out[5], 0x50005400u); // 64, 32
  expect<unsigned>("LDS float", 0, out[6], 128);
  expect<unsigned>("LDS double", 0, out[7], 128);
}

// ---- Numbers --------------------------------------------------------------------------------------------------------

__constant__ double kNumbers[12] = {0.5, -0.5, 1.5, 2.5, -2.5, 3e9, -3e9, 1e20, -1e20, 1.0000000001, 16777217.0, 0.1};
__global__ void conversions(double* out) {
  if (threadIdx.x >= 12) return;
  double d = kNumbers[threadIdx.x];
  double* o = out + threadIdx.x * 10;
  o[0] = __double2int_rd(d), o[1] = __double2int_rn(d), o[2] = __double2int_ru(d), o[3] = __double2int_rz(d);
  o[4] = __double2uint_rn(d);
  o[5] = __double2float_rd(d), o[6] = __double2float_ru(d), o[7] = __double2float_rz(d), o[8] = __double2float_rn(d);
  o[9] = __half2float(__float2half_rz((float)d));
}
double clamp_to(double v, double low, double high) { return v < low ? low : v > high ? high : v; }
void test_conversions() {
  auto out = run<double>(conversions, 64, 120);
  const double numbers[12] = {0.5, -0.5, 1.5, 2.5, -2.5, 3e9, -3e9, 1e20, -1e20, 1.0000000001, 16777217.0, 0.1};
  for (int i = 0; i < 12; ++i) {
    double d = numbers[i];
    const double* o = &out[i * 10];
    double low = -2147483648.0, high = 2147483647.0;
    expect<double>("double2int_rd", i, o[0], clamp_to(std::floor(d), low, high));
    expect<double>("double2int_rn", i, o[1], clamp_to(std::nearbyint(d), low, high) + 0.0);
    expect<double>("double2int_ru", i, o[2], clamp_to(std::ceil(d), low, high) + 0.0);
    expect<double>("double2int_rz", i, o[3], clamp_to(std::trunc(d), low, high) + 0.0);
    expect<double>("double2uint_rn", i, o[4], clamp_to(std::nearbyint(d), 0.0, 4294967295.0) + 0.0);
    float nearest = (float)d;
    float down = nearest > d ? std::nextafterf(nearest, -INFINITY) : nearest;
    float up = nearest < d ? std::nextafterf(nearest, INFINITY) : nearest;
    expect<double>("double2float_rd", i, o[5], down);
    expect<double>("double2float_ru", i, o[6], up);
    expect<double>("double2float_rz", i, o[7], d < 0 ? up : down);
    expect<double>("double2float_rn", i, o[8], nearest);
    expect<double>("float2half_rz", i, o[9], __half2float(__float2half_rz((float)d)));
  }
}

__global__ void integers(unsigned long long* out) {
  unsigned x = 0x12345678u + threadIdx.x * 0x01010101u;
  unsigned long long* o = out + threadIdx.x * 8;
  o[0] = __popc(x) + 100 * __clz(x) + 10000 * __ffs(x);
  o[1] = __brev(x), o[2] = __byte_perm(x, ~x, 0x5240 + threadIdx.x);
  o[3] = __umulhi(x, 0xdeadbeef), o[4] = __funnelshift_l(x, ~x, threadIdx.x + 3);
  o[5] = __umul64hi(x * 0x100000001ull, 0xdeadbeefcafebabeull);
  o[6] = (unsigned)__mulhi((int)x, -77) + (unsigned)__hadd((int)x, -5);
  o[7] = __fns(x, 4, 2);
}
void test_integers() {
  auto out = run<unsigned long long>(integers, 16, 128);
  for (unsigned t = 0; t < 16; ++t) {
    unsigned x = 0x12345678u + t * 0x01010101u, reversed = 0, selected = 0;
    for (int i = 0; i < 32; ++i) reversed |= (x >> i & 1) << (31 - i);
    unsigned long long bytes = (unsigned long long)~x << 32 | x;
    for (int i = 0; i < 4; ++i) selected |= (unsigned)(bytes >> (8 * ((0x5240 + t) >> (4 * i) & 7)) & 0xff) << (8 * i);
    int second = -1, seen = 0;
    for (int i = 4; i < 32 && second < 0; ++i)
      if ((x >> i & 1) && ++seen == 2) second = i;
    const unsigned long long* o = &out[t * 8];
    using U = unsigned long long;
    expect<U>("popc clz ffs", t, o[0], (U)(__builtin_popcount(x) + 100 * __builtin_clz(x) + 10000 * __builtin_ffs((int)x)));
    expect<U>("brev", t, o[1], reversed);
    expect<U>("byte_perm", t, o[2], selected);
    expect<U>("umulhi", t, o[3], (U)x * 0xdeadbeefu >> 32);
    expect<U>("funnelshift", t, o[4], (unsigned)((bytes << (t + 3)) >> 32));
    expect<U>("umul64hi", t, o[5], (U)((unsigned __int128)(x * 0x100000001ull) * 0xdeadbeefcafebabeull >> 64));
    expect<U>("mulhi hadd", t, o[6], (unsigned)((long long)(int)x * -77 >> 32) + (unsigned)(((long long)(int)x - 5) >> 1));
    expect<U>("fns", t, o[7], (U)(long long)second);
  }
}

__global__ void halves(unsigned short* out) {
  int t = threadIdx.x;
  unsigned short* o = out + t * 12;
  __half x = __ushort_as_half((unsigned short)(t * 1021)), y = __ushort_as_half((unsigned short)(0x3c00 + t * 77));
  o[0] = __half_as_ushort(x + y), o[1] = __half_as_ushort(x * y), o[2] = __half_as_ushort(x - y);
  o[3] = __half_as_ushort(__hfma(x, y, y));
  o[4] = (unsigned short)(__hlt(x, y) + 2 * __hgeu(x, y) + 4 * __hne(x, y) + 8 * (x == y));
  __half2 v = __hmul2(__half2(x, y), __half2(y, y));
  o[5] = __half_as_ushort(v.x), o[6] = __half_as_ushort(__high2half(v));
  o[7] = __half_as_ushort(__ushort2half_rn((unsigned short)(t * 999)));
  __hip_bfloat16 b = __float2bfloat16(__half2float(y) * 1.2345f), c = b * b + b;
  o[8] = __bfloat16_as_ushort(b), o[9] = __bfloat16_as_ushort(c);
  o[10] = __bfloat16_as_ushort(__double2bfloat16(1.0 + t * 0x1p-9 + 0x1p-40));
  o[11] = (unsigned short)__half2short_rd(y * __half(-2.25f));
}
unsigned short bits_of(_Float16 h) {
  unsigned short b;
  std::memcpy(&b, &h, 2);
  return b;
}
bool is_nan16(unsigned short b) { return (b & 0x7fff) > 0x7c00; }
void test_halves() {
  auto out = run<unsigned short>(halves, 64, 64 * 12);
  for (int t = 0; t < 64; ++t) {
    unsigned short xb = (unsigned short)(t * 1021), yb = (unsigned short)(0x3c00 + t * 77);
    _Float16 x, y;
    std::memcpy(&x, &xb, 2);
    std::memcpy(&y, &yb, 2);
    const unsigned short* o = &out[t * 12];
    auto same = [&](const char* what, unsigned short got, _Float16 want) {
      if (want != want) // any NaN
        expect<int>(what, t, is_nan16(got), 1);
      else
        expect<unsigned short>(what, t, got, bits_of(want));
    };
    same("half +", o[0], x + y);
    same("half *", o[1], x * y);
    same("half -", o[2], x - y);
    same("half fma", o[3], (_Float16)((double)x * (double)y + (double)y)); // exact in double but for the last rounding
    expect<unsigned short>("half compare", t, o[4], (unsigned short)((x < y) + 2 * !(x < y) + 4 * (x < y || x > y) + 8 * (x == y)));
    same("half2 x", o[5], x * y);
    same("half2 y", o[6], y * y);
    same("ushort2half", o[7], (_Float16)(float)(t * 999));
    expect<unsigned short>("bf16", t, o[8], __bfloat16_as_ushort(__float2bfloat16((float)y * 1.2345f)));
    __hip_bfloat16 b = __float2bfloat16((float)y * 1.2345f);
    expect<unsigned short>("bf16 fma", t, o[9], __bfloat16_as_ushort(b * b + b));
    expect<unsigned short>("bf16 double", t, o[10], __bfloat16_as_ushort(__double2bfloat16(1.0 + t * 0x1p-9 + 0x1p-40)));
    expect<unsigned short>("half2short", t, o[11], (unsigned short)(short)std::floor((float)(_Float16)(y * (_Float16)-2.25f)));
  }
}

template <class F8> __global__ void eights(float* out) {
  int t = threadIdx.x;
  F8 x;
  x.__x = (unsigned char)t;
  out[t] = (float)x;                              // every code
  out[256 + t] = (float)F8((float)(t * t - 9000) * 0.0173f); // rounded
}
template <class F8> void test_eights(const char* name, int nans) {
  auto out = run<float>(eights<F8>, 256, 512);
  int found = 0;
  for (int t = 0; t < 256; ++t) {
    F8 x;
    x.__x = (unsigned char)t;
    float value = (float)x;
    found += value != value;
    if (value == value) {
      expect<float>(name, t, out[t], value);
      // A number comes back to its code.
      expect<int>(name, 1000 + t, __hip_cvt_float_to_fp8(value, __HIP_NOSAT, F8::__default_interpret), t);
      // Halfway to the next number goes to the even code.
      F8 above;
      above.__x = (unsigned char)(t + 1);
      double next = (float)above;
      if (t < 127 && next == next && !std::isinf(next))
        expect<int>(name, 2000 + t, __hip_cvt_double_to_fp8((value + next) / 2, __HIP_SATFINITE, F8::__default_interpret), t + (t & 1));
    } else {
      expect<int>(name, t, out[t] != out[t], 1);
    }
    expect<float>(name, 256 + t, out[256 + t], (float)F8((float)(t * t - 9000) * 0.0173f));
  }
  expect<int>(name, 3000, found, nans);
}
void test_fp8() {
  test_eights<__hip_fp8_e4m3>("e4m3", 2);
  test_eights<__hip_fp8_e5m2>("e5m2", 6);
  test_eights<__hip_fp8_e4m3_fnuz>("e4m3_fnuz", 1);
  test_eights<__hip_fp8_e5m2_fnuz>("e5m2_fnuz", 1);
  expect<float>("e4m3 largest", 0, (float)__hip_fp8_e4m3(1e9f), 448);
  expect<float>("e5m2 largest", 0, (float)__hip_fp8_e5m2(-1e9f), -57344);
  expect<float>("e4m3_fnuz largest", 0, (float)__hip_fp8_e4m3_fnuz(1e9f), 240);
  expect<int>("e4m3 overflow", 0, __hip_cvt_float_to_fp8(1e9f, __HIP_NOSAT, __HIP_E4M3), 0x7f);
  expect<int>("e5m2 overflow", 0, __hip_cvt_float_to_fp8(-1e9f, __HIP_NOSAT, __HIP_E5M2), 0xfc);
  expect<int>("e4m3_fnuz overflow", 0, __hip_cvt_float_to_fp8(1e9f, __HIP_NOSAT, __HIP_E4M3_FNUZ), 0x80);
  expect<int>("e4m3_fnuz -0", 0, __hip_cvt_float_to_fp8(-0.0f, __HIP_NOSAT, __HIP_E4M3_FNUZ), 0);
}

// ---- Groups and memory ----------------------------------------------------------------------------------------------

template <class G> __device__ int group_sum(const G& group, int v) {
  for (int step = (int)group.size() / 2; step > 0; step /= 2) v += group.shfl_down(v, step);
  return group.shfl(v, 0);
}
__global__ void groups(int* out) {
  cg::thread_block block = cg::this_thread_block();
  int t = block.thread_rank();
  auto tile = cg::tiled_partition<16>(block);
  out[t] = group_sum(tile, t);
  auto small = cg::tiled_partition<4>(tile);
  out[128 + t] = group_sum(small, t) + 1000 * small.meta_group_rank();
  out[256 + t] = (int)tile.ballot(t % 3 == 0) + 100000 * tile.any(t == 17);
  if (t % 3 == 0) {
    auto active = cg::coalesced_threads();
    out[384 + t] = active.shfl(t, 2) + 100 * active.thread_rank() + 10000 * active.size();
  }
  cg::thread_group dynamic = cg::tiled_partition(block, 8);
  out[512 + t] = dynamic.thread_rank() + 10 * dynamic.size();
  block.sync();
}
void test_groups() {
  auto out = run<int>(groups, 128, 640);
  for (int t = 0; t < 128; ++t) {
    int first = t & ~15, sum = 0, votes = 0, quad = 0;
    for (int i = first; i < first + 16; ++i) sum += i, votes |= (i % 3 == 0) << (i - first);
    for (int i = t & ~3; i < (t & ~3) + 4; ++i) quad += i;
    expect<int>("tile sum", t, out[t], sum);
    expect<int>("tile of tile", t, out[128 + t], quad + 1000 * (t % 16 / 4));
    expect<int>("tile ballot", t, out[256 + t], votes + 100000 * (first == 16));
    int wave = t & ~63, third = -1, rank = 0, size = 0;
    for (int i = wave; i < wave + 64; ++i)
      if (i % 3 == 0) {
        if (size == 2) third = i;
        if (i < t) ++rank;
        ++size;
      }
    expect<int>("coalesced", t, out[384 + t], t % 3 == 0 ? third + 100 * rank + 10000 * size : 0);
    expect<int>("dynamic tile", t, out[512 + t], t % 8 + 80);
  }
}

__global__ void memory(unsigned char* out) {
  __shared__ unsigned char shared[128];
  int t = threadIdx.x;
  if (t == 0) {
    memset(shared, 0xab, 100);
    memset(shared + 100, 1, 28);
  }
  __syncthreads();
  memcpy(out + t * 16, shared + t, 13 + t % 4);
}
void test_memory() {
  auto out = run<unsigned char>(memory, 64, 1024);
  for (int t = 0; t < 64; ++t)
    for (int i = 0; i < 16; ++i)
      expect<unsigned char>("memcpy", t * 16 + i, out[t * 16 + i], i < 13 + t % 4 ? (t + i < 100 ? 0xab : 1) : 0);
}

__global__ void vectors(float4* out) {
  float4 v = make_float4(threadIdx.x, 1, 2, 3);
  v = v * 2.0f + make_float4(1, 2, 3, 4);
  v -= 0.5f;
  out[threadIdx.x] = v;
}
void test_vectors() {
  auto out = run<float4>(vectors, 64);
  for (int t = 0; t < 64; ++t)
    expect<int>("float4", t, out[t] == make_float4(2 * t + 0.5f, 3.5f, 6.5f, 9.5f), 1);
}

__global__ void clocks(long long* out) {
  long long a = clock64(), w = wall_clock64();
  for (int i = 0; i < 100; ++i) __builtin_amdgcn_s_sleep(1);
  out[threadIdx.x] = (clock64() > a) + 2 * (wall_clock64() >= w);
}

int main() {
  test_shuffles<int>("shfl int");
  test_shuffles<double>("shfl double");
  test_shuffles<long long>("shfl long long");
  test_shuffles<float>("shfl float");
  test_votes();
  test_reductions();
  test_scans();
  test_block_votes();
  test_atomics<int>("atomics int");
  test_atomics<unsigned long long>("atomics u64");
  test_atomics<float>("atomics float");
  test_atomics<double>("atomics double");
  test_more_atomics();
  test_conversions();
  test_integers();
  test_halves();
  test_fp8();
  test_groups();
  test_memory();
  test_vectors();
  for (long long c : run<long long>(clocks, 64)) expect<long long>("clock", 0, c, 3);
  std::printf("%d checks, %d failed\n%s\n", checks, failures, failures ? "FAILED" : "PASSED");
  return failures != 0;
}
