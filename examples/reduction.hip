// reduction: sum and maximum of an array. Lanes of a wave exchange registers (shuffles), waves of a block meet in LDS,
// blocks meet in memory (atomics).
//   ./bz run examples/reduction.hip [elements]
#include "example.hpp"

#include <algorithm>
#include <climits>
#include <vector>

struct Pair {
  unsigned long long sum;
  int maximum;
};

__device__ Pair combine(Pair a, Pair b) { return {a.sum + b.sum, a.maximum > b.maximum ? a.maximum : b.maximum}; }

// After log2(warpSize) steps lane 0 holds the result of its wave. A wave has 64 lanes on these GPUs and 32 on others:
// warpSize, never a literal.
__device__ Pair reduce_wave(Pair p) {
  for (int distance = warpSize / 2; distance > 0; distance /= 2)
    p = combine(p, {__shfl_down(p.sum, distance), __shfl_down(p.maximum, distance)});
  return p;
}

__device__ Pair reduce_block(Pair p) {
  __shared__ Pair of_wave[32]; // 1024 threads / 32 lanes at most
  const int lane = threadIdx.x % warpSize, wave = threadIdx.x / warpSize;
  p = reduce_wave(p);
  if (lane == 0) of_wave[wave] = p;
  __syncthreads();
  // The first wave combines what all waves left.
  const int waves = (blockDim.x + warpSize - 1) / warpSize;
  if (wave == 0) p = reduce_wave(lane < waves ? of_wave[lane] : Pair{0, INT_MIN});
  return p;
}

__global__ void reduce(const int* data, int n, Pair* result) {
  Pair p{0, INT_MIN};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    p = combine(p, {static_cast<unsigned long long>(data[i]), data[i]});
  p = reduce_block(p);
  if (threadIdx.x == 0) {
    atomicAdd(&result->sum, p.sum);
    atomicMax(&result->maximum, p.maximum);
  }
}

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 1 << 20);
  int compute_units = 0;
  HIP_CHECK(hipDeviceGetAttribute(&compute_units, hipDeviceAttributeMultiprocessorCount, 0));

  std::vector<int> data(n);
  unsigned random = 12345;
  for (int& v : data) {
    random = random * 1664525u + 1013904223u;
    v = static_cast<int>(random >> 4);
  }
  unsigned long long sum = 0;
  for (int v : data) sum += static_cast<unsigned long long>(v);
  const int maximum = *std::max_element(data.begin(), data.end());

  int* device_data = nullptr;
  Pair* device_result = nullptr;
  HIP_CHECK(hipMalloc(&device_data, n * sizeof(int)));
  HIP_CHECK(hipMalloc(&device_result, sizeof(Pair)));
  HIP_CHECK(hipMemcpy(device_data, data.data(), n * sizeof(int), hipMemcpyHostToDevice));

  bool passed = true;
  for (int threads : {64, 256, 1024}) {
    Pair result{0, INT_MIN};
    HIP_CHECK(hipMemcpy(device_result, &result, sizeof result, hipMemcpyHostToDevice));
    reduce<<<2 * compute_units, threads>>>(device_data, n, device_result);
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipMemcpy(&result, device_result, sizeof result, hipMemcpyDeviceToHost));
    const bool right = result.sum == sum && result.maximum == maximum;
    std::printf("%4d threads a block: sum %llu, maximum %d%s\n", threads, result.sum, result.maximum,
                right ? "" : "  <- wrong");
    passed = passed && right;
  }
  HIP_CHECK(hipFree(device_data));
  HIP_CHECK(hipFree(device_result));
  if (!passed) std::printf("expected: sum %llu, maximum %d\n", sum, maximum);
  return verdict(passed);
}
