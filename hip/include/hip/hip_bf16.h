// bfloat16 with the API of CUDA's: __hip_bfloat16, __hip_bfloat162.
#ifndef BZ_HIP_HIP_BF16_H
#define BZ_HIP_HIP_BF16_H
#include <hip/hip_common.h>
#include <hip/amd_detail/amd_hip_bf16.h>
#endif
