// What the kernel in caller.hip calls.
#include <hip/hip_runtime.h>

__device__ int twice(int x) { return 2 * x; }
