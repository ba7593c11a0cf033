// A kernel whose other half is in callee.hip.
#include <hip/hip_runtime.h>

__device__ int twice(int);
__device__ int offset = 7;

extern "C" __global__ void caller(int* p) { p[threadIdx.x] = twice(p[threadIdx.x]) + offset; }
