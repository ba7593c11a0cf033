// The device side of HIP, feature by feature, judged by the host: vote and shuffle, atomics, math, half, constant and
// global variables, dynamic LDS, 3-D grids, local arrays, recursion, function pointers, 64-bit division.
//   device_features [case...]      without a case: all
#include "examples/example.hpp"

#include <hip/hip_fp16.h>

#include <climits>
#include <cmath>
#include <cstring>
#include <utility>
#include <string>
#include <vector>

// Device memory filled from, and read back to, a vector.
template <class T> class Buffer {
public:
  explicit Buffer(std::vector<T> start) : host_(std::move(start)) {
    HIP_CHECK(hipMalloc(&device_, host_.size() * sizeof(T)));
    HIP_CHECK(hipMemcpy(device_, host_.data(), host_.size() * sizeof(T), hipMemcpyHostToDevice));
  }
  ~Buffer() { (void)hipFree(device_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  T* device() { return device_; }
  const std::vector<T>& read() {
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipMemcpy(host_.data(), device_, host_.size() * sizeof(T), hipMemcpyDeviceToHost));
    return host_;
  }

private:
  std::vector<T> host_;
  T* device_ = nullptr;
};

static const char* current = "";
static int failures = 0;
static void expect(bool right, const char* what, long long index = -1) {
  if (right) return;
  if (++failures <= 20) std::printf("%s: wrong: %s %lld\n", current, what, index);
}

// --- vote and shuffle ---------------------------------------------------------------------------------------------
__global__ void vote_kernel(unsigned long long* masks, int* shuffled) {
  const int lane = threadIdx.x % warpSize;
  masks[0] = __ballot(lane % 3 == 0);
  masks[1] = __any(lane == 17);
  masks[2] = __all(lane < 64);
  masks[3] = __all(lane < 63);
  if (lane % 2) masks[4] = __ballot(lane > 30); // only odd lanes vote
  masks[5] = __popcll(__ballot(1));
  shuffled[0 * 64 + lane] = __shfl(lane * 10, 5);
  shuffled[1 * 64 + lane] = __shfl_up(lane, 3);
  shuffled[2 * 64 + lane] = __shfl_down(lane, 3);
  shuffled[3 * 64 + lane] = __shfl_xor(lane, 21);
  shuffled[4 * 64 + lane] = __shfl_xor(lane, 3, 16);
  shuffled[5 * 64 + lane] = __shfl(lane, 1, 8);
}
static void vote() {
  Buffer<unsigned long long> masks({0, 0, 0, 0, 0, 0});
  Buffer<int> shuffled(std::vector<int>(6 * 64));
  vote_kernel<<<1, 64>>>(masks.device(), shuffled.device());
  const auto& m = masks.read();
  unsigned long long thirds = 0, odd_high = 0;
  for (int i = 0; i < 64; ++i) {
    if (i % 3 == 0) thirds |= 1ull << i;
    if (i % 2 && i > 30) odd_high |= 1ull << i;
  }
  expect(m[0] == thirds && m[1] == 1 && m[2] == 1 && m[3] == 0 && m[4] == odd_high && m[5] == 64, "ballot, any, all");
  const auto& s = shuffled.read();
  for (int i = 0; i < 64; ++i) {
    expect(s[i] == 50, "shfl", i);
    expect(s[64 + i] == (i < 3 ? i : i - 3), "shfl_up", i);
    expect(s[128 + i] == (i + 3 > 63 ? i : i + 3), "shfl_down", i);
    expect(s[192 + i] == (i ^ 21), "shfl_xor", i);
    expect(s[256 + i] == (i ^ 3), "shfl_xor with width 16", i);
    expect(s[320 + i] == (i & ~7) + 1, "shfl with width 8", i);
  }
}

// --- atomics ------------------------------------------------------------------------------------------------------
struct Counters {
  int add, sub, min, max, cas, and_, or_, xor_, inc;
  unsigned exch;
  unsigned long long add64, max64;
  float addf;
  double addd;
};
__global__ void atomics_kernel(Counters* c, int* seen) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  seen[atomicAdd(&c->add, 1)] = 1; // each old value exactly once
  atomicSub(&c->sub, 2);
  atomicMin(&c->min, 1000 - i);
  atomicMax(&c->max, i * 3);
  atomicAnd(&c->and_, ~(1 << (i % 20)));
  atomicOr(&c->or_, 1 << (i % 30));
  atomicXor(&c->xor_, i);
  atomicInc(reinterpret_cast<unsigned*>(&c->inc), 99); // wraps from 99 to 0
  atomicExch(&c->exch, 0xabcd0000u | (i & 0xffff));
  atomicAdd(&c->add64, 1ull << 33);
  atomicMax(&c->max64, (1ull << 40) + i);
  atomicAdd(&c->addf, 0.5f);
  atomicAdd(&c->addd, 0.25);
  for (int old = c->cas, assumed;;) { // add 3 by compare and swap
    assumed = old;
    old = atomicCAS(&c->cas, assumed, assumed + 3);
    if (old == assumed) break;
  }
}
static void atomics() {
  const int n = 5 * 192;
  Counters start{};
  start.min = INT_MAX;
  start.and_ = -1;
  Buffer<Counters> counters({start});
  Buffer<int> seen(std::vector<int>(n, 0));
  atomics_kernel<<<5, 192>>>(counters.device(), seen.device());
  const Counters& c = counters.read()[0];
  int all_xor = 0;
  for (int i = 0; i < n; ++i) all_xor ^= i;
  expect(c.add == n && c.sub == -2 * n && c.min == 1000 - (n - 1) && c.max == 3 * (n - 1), "add, sub, min, max");
  expect(c.and_ == static_cast<int>(0xfff00000) && c.or_ == 0x3fffffff && c.xor_ == all_xor, "and, or, xor");
  expect(c.inc == n % 100 && c.cas == 3 * n && c.exch >> 16 == 0xabcd, "inc, cas, exch");
  expect(c.add64 == static_cast<unsigned long long>(n) << 33 && c.max64 == (1ull << 40) + n - 1, "64 bits");
  expect(c.addf == 0.5f * n && c.addd == 0.25 * n, "float and double");
  for (int i = 0; i < n; ++i) expect(seen.read()[i] == 1, "old value seen", i);
}

// --- math ---------------------------------------------------------------------------------------------------------
constexpr int kFunctions = 16;
template <class T> __host__ __device__ T math_function(int which, T x) {
  using namespace std;
  switch (which) {
  case 0: return sqrt(x);
  case 1: return T(1) / x;
  case 2: return exp(-x);
  case 3: return log(x);
  case 4: return sin(x);
  case 5: return cos(x);
  case 6: return pow(x, T(1.5));
  case 7: return tanh(x);
  case 8: return atan2(x, T(2));
  case 9: return fmod(x, T(0.7));
  case 10: return floor(x) + ceil(x) + trunc(x) + rint(x);
  case 11: return fma(x, x, T(-1));
  case 12: return erf(x);
  case 13: return cbrt(x);
  case 14: return log2(x) + log10(x);
  default: return x < 1 ? asin(x) : acosh(x);
  }
}
template <class T> __global__ void math_kernel(const T* x, T* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    for (int f = 0; f < kFunctions; ++f) y[f * n + i] = math_function(f, x[i]);
}
template <class T> static void math_of(double tolerance, const char* what) {
  const int n = 257;
  std::vector<T> x(n);
  for (int i = 0; i < n; ++i) x[i] = static_cast<T>(0.01 + 0.037 * i);
  Buffer<T> in(x), out(std::vector<T>(kFunctions * n));
  math_kernel<<<(n + 63) / 64, 64>>>(in.device(), out.device(), n);
  const auto& y = out.read();
  for (int f = 0; f < kFunctions; ++f)
    for (int i = 0; i < n; ++i) {
      const double expected = math_function(f, static_cast<double>(x[i]));
      if (f == 9 && std::fabs(expected - std::fmod(x[i], T(0.7))) > 0.01) continue; // a different 0.7 wraps elsewhere
      const double error = std::fabs(y[f * n + i] - expected);
      if (!(error <= tolerance * std::fmax(1.0, std::fabs(expected)))) {
        std::printf("%s, function %d of %g is %.17g, expected %.17g\n", what, f, double(x[i]), double(y[f * n + i]), expected);
        expect(false, what, f);
        break;
      }
    }
}
static void math() {
  math_of<float>(2e-6, "float math");
  math_of<double>(1e-14, "double math");
}

// --- half ---------------------------------------------------------------------------------------------------------
__global__ void half_kernel(const float* x, float* y) {
  const int i = threadIdx.x;
  const __half a = __float2half(x[i]), b = __float2half(1.5f);
  const __half2 pair = __hadd2(__halves2half2(a, b), __halves2half2(b, b));
  y[i] = __half2float(__hadd(a, b));
  y[64 + i] = __half2float(__hmul(a, b));
  y[128 + i] = __half2float(__hfma(a, b, b));
  y[192 + i] = __low2float(pair) + __high2float(pair);
}
static void half_precision() {
  std::vector<float> x(64);
  for (int i = 0; i < 64; ++i) x[i] = 0.25f * static_cast<float>(i) - 4.0f; // all results are exact in half
  Buffer<float> in(x), out(std::vector<float>(256));
  half_kernel<<<1, 64>>>(in.device(), out.device());
  const auto& y = out.read();
  for (int i = 0; i < 64; ++i) {
    expect(y[i] == x[i] + 1.5f, "half add", i);
    expect(y[64 + i] == x[i] * 1.5f, "half mul", i);
    expect(y[128 + i] == x[i] * 1.5f + 1.5f, "half fma", i);
    expect(y[192 + i] == x[i] + 1.5f + 3.0f, "half2 add", i);
  }
}

// --- variables ----------------------------------------------------------------------------------------------------
__constant__ int constant_table[16];
__device__ int global_sum;
__global__ void variables_kernel() { atomicAdd(&global_sum, constant_table[threadIdx.x % 16]); }
static void variables() {
  int table[16], sum = 100;
  for (int i = 0; i < 16; ++i) table[i] = i * i;
  HIP_CHECK(hipMemcpyToSymbol(HIP_SYMBOL(constant_table), table, sizeof table));
  HIP_CHECK(hipMemcpyToSymbol(HIP_SYMBOL(global_sum), &sum, sizeof sum));
  variables_kernel<<<1, 64>>>();
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpyFromSymbol(&sum, HIP_SYMBOL(global_sum), sizeof sum));
  expect(sum == 100 + 4 * 1240, "constant and device variables", sum);
}

// --- shapes: 3-D grids, dynamic LDS ---------------------------------------------------------------------------------
__global__ void shape_kernel(int* out) {
  extern __shared__ int lds[];
  const int threads = blockDim.x * blockDim.y * blockDim.z;
  const int t = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const int b = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  lds[t] = b * 1000 + t;
  __syncthreads();
  out[b * threads + t] = lds[threads - 1 - t]; // another thread's, mostly of another wave
}
static void shapes() {
  for (dim3 block : {dim3(5, 7, 3), dim3(64, 2, 2), dim3(1, 1, 64), dim3(1024, 1, 1), dim3(1, 1, 1)}) {
    const dim3 grid(2, 3, 2);
    const int threads = block.x * block.y * block.z, blocks = 12;
    Buffer<int> out(std::vector<int>(blocks * threads, -1));
    shape_kernel<<<grid, block, threads * sizeof(int)>>>(out.device());
    const auto& got = out.read();
    for (int b = 0; b < blocks; ++b)
      for (int t = 0; t < threads; ++t) expect(got[b * threads + t] == b * 1000 + threads - 1 - t, "3-D index", t);
  }
}

// --- calls: local arrays, recursion, function pointers --------------------------------------------------------------
__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int square(int x) { return x * x; }
__global__ void calls_kernel(int* out, const int* order) {
  const int i = threadIdx.x;
  int local[40]; // indexed at run time: lives in scratch
  for (int k = 0; k < 40; ++k) local[k] = k * i;
  int sum = 0;
  for (int k = 0; k < 40; ++k) sum += local[order[k]] * (k + 1);
  int (*chosen)(int) = i % 2 ? twice : square; // differs from lane to lane
  out[i] = sum;
  out[64 + i] = fibonacci(i % 12);
  out[128 + i] = chosen(i);
}
static void calls() {
  std::vector<int> order(40);
  for (int k = 0; k < 40; ++k) order[k] = k * 7 % 40;
  Buffer<int> device_order(order), out(std::vector<int>(192));
  calls_kernel<<<1, 64>>>(out.device(), device_order.device());
  const auto& got = out.read();
  for (int i = 0; i < 64; ++i) {
    int sum = 0, a = 0, b = 1;
    for (int k = 0; k < 40; ++k) sum += order[k] * i * (k + 1);
    for (int k = 0; k < i % 12; ++k) a = std::exchange(b, a + b);
    expect(got[i] == sum, "local array", i);
    expect(got[64 + i] == a, "recursion", i);
    expect(got[128 + i] == (i % 2 ? 2 * i : i * i), "function pointer", i);
  }
}

// --- integers: division, bits -----------------------------------------------------------------------------------------
template <class T> __host__ __device__ T divide_mix(T a, T b) { return a / b * 31 + a % b; }
__global__ void integers_kernel(const long long* x, long long* out, int n) {
  const int i = threadIdx.x;
  const long long a = x[i], b = x[(i + 1) % n] | 1;
  out[i] = divide_mix<long long>(a, b);
  out[n + i] = static_cast<long long>(divide_mix<unsigned long long>(a, b));
  out[2 * n + i] = divide_mix<int>(static_cast<int>(a), static_cast<int>(b) | 1);
  out[3 * n + i] = __popcll(a) + 100 * __clzll(a) + 10000 * __ffsll(b) + static_cast<long long>(__brev(static_cast<unsigned>(a)) & 0xff) * 1000000;
  out[4 * n + i] = __mul64hi(a, b);
  out[5 * n + i] = a >> (i % 63);
}
static void integers() {
  const int n = 64;
  std::vector<long long> x(n);
  unsigned long long random = 88172645463325252ull;
  for (int i = 0; i < n; ++i) {
    random ^= random << 13, random ^= random >> 7, random ^= random << 17;
    x[i] = static_cast<long long>(random >> (i % 50));
    if (i % 5 == 0) x[i] = -x[i];
  }
  Buffer<long long> in(x), out(std::vector<long long>(6 * n));
  integers_kernel<<<1, n>>>(in.device(), out.device(), n);
  const auto& got = out.read();
  for (int i = 0; i < n; ++i) {
    const long long a = x[i], b = x[(i + 1) % n] | 1;
    unsigned reversed = 0;
    for (int k = 0; k < 32; ++k) reversed |= (static_cast<unsigned>(a) >> k & 1u) << (31 - k);
    expect(got[i] == divide_mix<long long>(a, b), "64-bit division", i);
    expect(got[n + i] == static_cast<long long>(divide_mix<unsigned long long>(a, b)), "unsigned 64-bit division", i);
    const int a32 = static_cast<int>(a), b32 = static_cast<int>(b) | 1;
    if (!(a32 == INT_MIN && b32 == -1)) expect(got[2 * n + i] == divide_mix<int>(a32, b32), "32-bit division", i);
    expect(got[3 * n + i] == __builtin_popcountll(a) + 100 * (a ? __builtin_clzll(a) : 64) + 10000 * __builtin_ffsll(b) +
                                 static_cast<long long>(reversed & 0xff) * 1000000, "bit counts", i);
    expect(got[4 * n + i] == static_cast<long long>(static_cast<__int128>(a) * b >> 64), "mul64hi", i);
    expect(got[5 * n + i] == a >> (i % 63), "shift", i);
  }
}

int main(int argc, char** argv) {
  const struct {
    const char* name;
    void (*run)();
  } cases[] = {{"vote", vote}, {"atomics", atomics}, {"math", math}, {"half", half_precision}, {"variables", variables},
               {"shapes", shapes}, {"calls", calls}, {"integers", integers}};
  int chosen = 0;
  for (const auto& c : cases) {
    bool wanted = argc == 1;
    for (int i = 1; i < argc; ++i) wanted = wanted || std::strcmp(argv[i], c.name) == 0;
    if (!wanted) continue;
    ++chosen;
    current = c.name;
    const int before = failures;
    c.run();
    std::printf("%-10s %s\n", c.name, failures == before ? "ok" : "FAILED");
  }
  if (!chosen) std::fprintf(stderr, "no such case\n");
  return verdict(chosen && failures == 0);
}
