// Complex numbers for host and device.
#ifndef BZ_HIP_HIP_COMPLEX_H
#define BZ_HIP_HIP_COMPLEX_H
#include <hip/hip_common.h>
#include <hip/amd_detail/amd_hip_complex.h>
#endif
