// The smallest program that shows something: its whole life, from exec to exit, is measured by runtime_bench.
#include <hip/hip_runtime.h>

#include <cstdio>

__global__ void hello() { printf("Hello from thread %u\n", threadIdx.x); }

int main() {
  hello<<<1, 4>>>();
  const hipError_t status = hipDeviceSynchronize();
  if (status != hipSuccess) std::fprintf(stderr, "%s\n", hipGetErrorString(status));
  return status != hipSuccess;
}
