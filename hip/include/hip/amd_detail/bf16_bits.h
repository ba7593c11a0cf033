// The bits of a bfloat16, from and to float: shared by hip_bfloat16 and __hip_bfloat16, which are different types. Works on
// any host compiler.
#ifndef BZ_HIP_BF16_BITS_H
#define BZ_HIP_BF16_BITS_H

#include <hip/amd_detail/host_defines.h>

#ifdef __cplusplus
namespace bz_hip_detail {
template <class To, class From> __host__ __device__ inline To bits_as(From from) {
  static_assert(sizeof(To) == sizeof(From), "a bit cast keeps the size");
  To to;
  __builtin_memcpy(&to, &from, sizeof(to));
  return to;
}
__host__ __device__ inline float bf16_to_float(unsigned short raw) { return bits_as<float>((unsigned int)raw << 16); }
/// To nearest, ties to even; a NaN stays one, made quiet.
__host__ __device__ inline unsigned short float_to_bf16(float f) {
  unsigned int u = bits_as<unsigned int>(f);
  if ((u & 0x7fffffffu) > 0x7f800000u) return (unsigned short)(u >> 16 | 0x40);
  return (unsigned short)((u + 0x7fff + (u >> 16 & 1)) >> 16);
}
/// Through a float rounded to odd, so that the second rounding sees that something was cut off.
__host__ __device__ inline unsigned short double_to_bf16(double d) {
  float f = (float)d;
  double back = (double)f;
  if (back == d || d != d) return float_to_bf16(f);
  unsigned int u = bits_as<unsigned int>(f);
  if ((back < 0 ? -back : back) > (d < 0 ? -d : d)) u -= 1; // was rounded away from zero
  return float_to_bf16(bits_as<float>(u | 1));
}
} // namespace bz_hip_detail
#endif

#endif
