// Calls a device function and reads a device variable of another translation unit.
#include <hip/hip_runtime.h>

#include <cstdio>

extern __device__ int shared_counter;
__device__ int triple(int x);
__global__ void use(int* out) { *out = triple(14) + atomicAdd(&shared_counter, 2); }

int main() {
  int *p = nullptr, value = 0;
  for (int expected : {82, 84}) {
    if (hipMalloc(reinterpret_cast<void**>(&p), sizeof(int)) != hipSuccess) return 1;
    use<<<1, 1>>>(p);
    if (hipGetLastError() != hipSuccess) return 2;
    if (hipMemcpy(&value, p, sizeof value, hipMemcpyDeviceToHost) != hipSuccess) return 3;
    if (hipFree(p) != hipSuccess) return 4;
    if (value != expected) return std::printf("%d instead of %d\n", value, expected), 5;
  }
  std::puts("PASSED");
}
