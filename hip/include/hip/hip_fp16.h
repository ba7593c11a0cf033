// 16-bit floating point: __half, __half2.
#ifndef BZ_HIP_HIP_FP16_H
#define BZ_HIP_HIP_FP16_H
#include <hip/hip_common.h>
#include <hip/amd_detail/amd_hip_fp16.h>
#endif
