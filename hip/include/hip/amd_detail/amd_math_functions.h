// Mathematics beyond what clang's HIP headers give: mixed-precision dot products.
#ifndef BZ_HIP_AMD_MATH_FUNCTIONS_H
#define BZ_HIP_AMD_MATH_FUNCTIONS_H

#include <hip/amd_detail/amd_hip_vector_types.h>
#include <hip/amd_detail/device_library_decls.h>

#if __HIP_CLANG_ONLY__
static __device__ inline int amd_mixed_dot(short2 a, short2 b, int c, bool saturate) {
  return __ockl_sdot2(a.data, b.data, c, saturate);
}
static __device__ inline unsigned int amd_mixed_dot(ushort2 a, ushort2 b, unsigned int c, bool saturate) {
  return __ockl_udot2(a.data, b.data, c, saturate);
}
static __device__ inline int amd_mixed_dot(char4 a, char4 b, int c, bool saturate) {
  return __ockl_sdot4(a.data, b.data, c, saturate);
}
static __device__ inline unsigned int amd_mixed_dot(uchar4 a, uchar4 b, unsigned int c, bool saturate) {
  return __ockl_udot4(a.data, b.data, c, saturate);
}
/// The forms on plain integers take eight 4-bit numbers.
static __device__ inline int amd_mixed_dot(int a, int b, int c, bool saturate) {
  return __ockl_sdot8(a, b, c, saturate);
}
static __device__ inline unsigned int amd_mixed_dot(unsigned int a, unsigned int b, unsigned int c, bool saturate) {
  return __ockl_udot8(a, b, c, saturate);
}
#endif

#endif
