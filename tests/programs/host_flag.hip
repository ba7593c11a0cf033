// A kernel that spins on a pinned host flag, which the host sets only after the launch has returned: a launch must not
// wait for its kernel, and a spinning kernel must see the host's store. With many blocks and few workers the blocks that
// spin must also let each other run.
//   host_flag [blocks]
#include "examples/example.hpp"

#include <chrono>
#include <thread>

__global__ void wait_for_host(const int* flag, int* arrived, int* answer) {
  if (threadIdx.x == 0) __hip_atomic_fetch_add(arrived, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
  while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) == 0) {}
  answer[blockIdx.x * blockDim.x + threadIdx.x] = *flag + threadIdx.x;
}

int main(int argc, char** argv) {
  const int blocks = size_argument(argc, argv, 1, 1, 1024), threads = 128;
  int *flag = nullptr, *answer = nullptr;
  HIP_CHECK(hipHostMalloc(reinterpret_cast<void**>(&flag), 2 * sizeof(int), hipHostMallocCoherent));
  HIP_CHECK(hipHostMalloc(reinterpret_cast<void**>(&answer), blocks * threads * sizeof(int), hipHostMallocDefault));
  int* arrived = flag + 1;
  *flag = *arrived = 0;
  for (int i = 0; i < blocks * threads; ++i) answer[i] = -1;

  wait_for_host<<<blocks, threads>>>(flag, arrived, answer);
  HIP_CHECK(hipGetLastError());
  // All blocks must get on the device: none may wait for another one to end.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (__atomic_load_n(arrived, __ATOMIC_ACQUIRE) != blocks) {
    if (std::chrono::steady_clock::now() > deadline) {
      std::printf("only %d of %d blocks have started\n", __atomic_load_n(arrived, __ATOMIC_ACQUIRE), blocks);
      return verdict(false);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  const hipError_t busy = hipStreamQuery(nullptr);
  if (busy != hipErrorNotReady) {
    std::printf("the stream says %s while its kernel spins\n", hipGetErrorName(busy));
    return verdict(false);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  __atomic_store_n(flag, 7, __ATOMIC_RELEASE);
  HIP_CHECK(hipDeviceSynchronize());
  for (int i = 0; i < blocks * threads; ++i)
    if (answer[i] != 7 + i % threads) {
      std::printf("answer %d is %d\n", i, answer[i]);
      return verdict(false);
    }
  HIP_CHECK(hipHostFree(flag));
  HIP_CHECK(hipHostFree(answer));
  return verdict(true);
}
