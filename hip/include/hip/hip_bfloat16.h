// The older bfloat16 class: hip_bfloat16.
#ifndef BZ_HIP_HIP_BFLOAT16_H
#define BZ_HIP_HIP_BFLOAT16_H
#include <hip/hip_common.h>
#include <hip/amd_detail/amd_hip_bfloat16.h>
#endif
