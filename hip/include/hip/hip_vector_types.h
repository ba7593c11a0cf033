// Vector types of HIP: char1 .. double4.
#ifndef BZ_HIP_HIP_VECTOR_TYPES_H
#define BZ_HIP_HIP_VECTOR_TYPES_H
#include <hip/amd_detail/amd_hip_vector_types.h>
#endif
