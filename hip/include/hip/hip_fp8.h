// 8-bit floating point: __hip_fp8_e4m3, __hip_fp8_e5m2 and their FNUZ forms.
#ifndef BZ_HIP_HIP_FP8_H
#define BZ_HIP_HIP_FP8_H
#include <hip/hip_common.h>
#include <hip/amd_detail/amd_hip_fp8.h>
#endif
