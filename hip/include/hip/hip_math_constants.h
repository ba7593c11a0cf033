// Mathematical constants: HIP_PI, HIP_LN2_F and so on.
#ifndef BZ_HIP_HIP_MATH_CONSTANTS_H
#define BZ_HIP_HIP_MATH_CONSTANTS_H
#include <hip/hip_common.h>
#include <hip/amd_detail/amd_hip_math_constants.h>
#endif
