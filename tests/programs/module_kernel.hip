// A kernel for hipModuleLoad: compiled with --genco into a code object of its own.
#include <hip/hip_runtime.h>

extern "C" __global__ void scale(float* data, int n, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i] *= factor;
}
