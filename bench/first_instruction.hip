// Time from the launch call to the first instruction of a kernel that was never seen before. Each of the sixteen kernels
// has nearly 2,000 instructions of its own, says "I run" to the host first, and is launched once.
// Prints one line for each: microseconds from the call until the host saw the store.
#include <examples/example.hpp>

#include <chrono>
#include <utility>

template <int seed> __global__ void never_seen(int* started, float* out, float y) {
  if (threadIdx.x == 0) __hip_atomic_store(started, seed, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
  float x = static_cast<float>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < 970; ++i) x = fmaf(x, y, static_cast<float>(seed * 4099 + 2 * i + 1)); // two instructions each
  out[threadIdx.x] = x;
}

__global__ void warm_up(float* out) { out[threadIdx.x] = 1.0f; }

int* started = nullptr;
float* out = nullptr;

template <int seed> void measure() {
  const auto begin = std::chrono::steady_clock::now();
  never_seen<seed><<<1, 64>>>(started, out, 0.5f);
  while (__atomic_load_n(started, __ATOMIC_ACQUIRE) != seed) {}
  const std::chrono::duration<double, std::micro> microseconds = std::chrono::steady_clock::now() - begin;
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
  std::printf("%.1f\n", microseconds.count());
}
template <int... seeds> void measure_all(std::integer_sequence<int, seeds...>) { (measure<seeds + 1>(), ...); }

int main() {
  HIP_CHECK(hipHostMalloc(reinterpret_cast<void**>(&started), sizeof(int), hipHostMallocCoherent));
  HIP_CHECK(hipMalloc(&out, 64 * sizeof(float)));
  *started = 0;
  warm_up<<<1, 64>>>(out); // the runtime is up, the queue exists
  HIP_CHECK(hipDeviceSynchronize());
  measure_all(std::make_integer_sequence<int, 16>());
  HIP_CHECK(hipFree(out));
  HIP_CHECK(hipHostFree(started));
}
