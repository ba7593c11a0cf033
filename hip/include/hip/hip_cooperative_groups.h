// Cooperative groups.
#ifndef BZ_HIP_HIP_COOPERATIVE_GROUPS_H
#define BZ_HIP_HIP_COOPERATIVE_GROUPS_H
#include <hip/hip_version.h>
#include <hip/hip_common.h>
#include <hip/amd_detail/amd_hip_cooperative_groups.h>
#endif
