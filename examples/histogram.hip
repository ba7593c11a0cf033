// histogram: how often each byte value occurs. Every block counts in LDS with LDS atomics and adds its counts to memory
// once, so that the blocks rarely meet.
//   ./bz run examples/histogram.hip [bytes]
#include "example.hpp"

#include <vector>

constexpr int kBins = 256;

__global__ void histogram(const unsigned char* data, int n, unsigned* bins) {
  __shared__ unsigned local[kBins];
  for (int i = threadIdx.x; i < kBins; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) atomicAdd(&local[data[i]], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < kBins; i += blockDim.x)
    if (local[i]) atomicAdd(&bins[i], local[i]);
}

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 1 << 20);
  int compute_units = 0;
  HIP_CHECK(hipDeviceGetAttribute(&compute_units, hipDeviceAttributeMultiprocessorCount, 0));

  // The product of two random numbers: small values are much more frequent, so lanes of a wave do collide.
  std::vector<unsigned char> data(n);
  unsigned random = 1;
  for (unsigned char& v : data) {
    random = random * 1664525u + 1013904223u;
    v = static_cast<unsigned char>(((random >> 24) * ((random >> 16) & 255)) >> 8);
  }

  unsigned char* device_data = nullptr;
  unsigned* device_bins = nullptr;
  HIP_CHECK(hipMalloc(&device_data, n));
  HIP_CHECK(hipMalloc(&device_bins, kBins * sizeof(unsigned)));
  HIP_CHECK(hipMemcpy(device_data, data.data(), n, hipMemcpyHostToDevice));
  HIP_CHECK(hipMemset(device_bins, 0, kBins * sizeof(unsigned)));
  histogram<<<2 * compute_units, 256>>>(device_data, n, device_bins);
  HIP_CHECK(hipGetLastError());
  std::vector<unsigned> bins(kBins);
  HIP_CHECK(hipMemcpy(bins.data(), device_bins, kBins * sizeof(unsigned), hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(device_data));
  HIP_CHECK(hipFree(device_bins));

  std::vector<unsigned> expected(kBins, 0);
  for (unsigned char v : data) ++expected[v];

  // Sixteen bars, each over sixteen values.
  for (int bar = 0; bar < 16; ++bar) {
    unsigned count = 0;
    for (int i = 0; i < 16; ++i) count += bins[bar * 16 + i];
    const int length = static_cast<int>(60.0 * count / n + 0.5);
    std::printf("%3d-%3d %8u %.*s\n", bar * 16, bar * 16 + 15, count, length,
                "############################################################");
  }
  for (int i = 0; i < kBins; ++i)
    if (bins[i] != expected[i]) {
      std::printf("bin %d is %u, expected %u\n", i, bins[i], expected[i]);
      return verdict(false);
    }
  return verdict(true);
}
