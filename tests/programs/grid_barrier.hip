// Blocks of one launch that wait for each other, as cooperative kernels and decoupled look-back do: all blocks that fit
// on the device at once must make progress, with any number of workers.
//   grid_barrier [rounds]
#include "examples/example.hpp"

#include <vector>

__device__ void barrier(int* arrived, int target) {
  __syncthreads();
  if (threadIdx.x == 0) {
    __hip_atomic_fetch_add(arrived, 1, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
    while (__hip_atomic_load(arrived, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) < target) {}
  }
  __syncthreads();
}

// In each round every block adds its left neighbour's value of the round before to its own.
__global__ void neighbours(int* values, int rounds, int* arrived) {
  const int blocks = gridDim.x, left = (blockIdx.x + blocks - 1) % blocks;
  for (int round = 0; round < rounds; ++round) {
    int* from = values + (round & 1) * blocks;
    int* to = values + (~round & 1) * blocks;
    if (threadIdx.x == 0) to[blockIdx.x] = (from[blockIdx.x] + from[left]) % 10007;
    barrier(arrived, (round + 1) * blocks);
  }
}

int main(int argc, char** argv) {
  const int rounds = size_argument(argc, argv, 1, 10, 10000);
  int blocks = 0;
  HIP_CHECK(hipDeviceGetAttribute(&blocks, hipDeviceAttributeMultiprocessorCount, 0)); // one block for each compute unit
  if (blocks > 64) blocks = 64;

  std::vector<int> values(2 * blocks, 0);
  for (int i = 0; i < blocks; ++i) values[i] = i + 1;
  int *device_values = nullptr, *arrived = nullptr;
  HIP_CHECK(hipMalloc(&device_values, values.size() * sizeof(int)));
  HIP_CHECK(hipMalloc(&arrived, sizeof(int)));
  HIP_CHECK(hipMemset(arrived, 0, sizeof(int)));
  HIP_CHECK(hipMemcpy(device_values, values.data(), values.size() * sizeof(int), hipMemcpyHostToDevice));
  neighbours<<<blocks, 128>>>(device_values, rounds, arrived);
  HIP_CHECK(hipGetLastError());
  std::vector<int> got(values.size());
  HIP_CHECK(hipMemcpy(got.data(), device_values, got.size() * sizeof(int), hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(device_values));
  HIP_CHECK(hipFree(arrived));

  for (int round = 0; round < rounds; ++round) {
    const int* from = values.data() + (round & 1) * blocks;
    int* to = values.data() + (~round & 1) * blocks;
    for (int i = 0; i < blocks; ++i) to[i] = (from[i] + from[(i + blocks - 1) % blocks]) % 10007;
  }
  std::printf("%d blocks, %d rounds\n", blocks, rounds);
  return verdict(got == values);
}
