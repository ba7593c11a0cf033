// What a HIP program includes: the host API, the device functions and the launch syntax. C++ only; a host compiler gets
// the host API and the types.
#ifndef BZ_HIP_HIP_RUNTIME_H
#define BZ_HIP_HIP_RUNTIME_H

#if !defined(__HIPCC_RTC__)
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __cplusplus
#include <cmath>
#endif
#endif

#include <hip/hip_version.h>

#include <hip/amd_detail/amd_hip_runtime.h>
#include <hip/hip_common.h>
#include <hip/library_types.h>
#include <hip/hip_vector_types.h>

#endif
