// Device code in a translation unit of its own: -fgpu-rdc, linked by --hip-link.
#include <hip/hip_runtime.h>

__device__ int shared_counter = 40;
__device__ int triple(int x) { return 3 * x; }
