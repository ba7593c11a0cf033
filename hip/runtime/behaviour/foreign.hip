// A kernel that is only there for another GPU: what a program sees that was compiled for the wrong architecture.
#include <hip/hip_runtime.h>

#include "kernels.hpp"

__global__ void k_foreign(int* out) { *out = 1; }

namespace kernels {
const void* const foreign = reinterpret_cast<const void*>(k_foreign);
}
