// Functions of the device libraries that the headers call. Clang's own headers declare the rest.
#ifndef BZ_HIP_AMD_DEVICE_LIBRARY_DECLS_H
#define BZ_HIP_AMD_DEVICE_LIBRARY_DECLS_H

#include <hip/amd_detail/host_defines.h>

#if __HIP_CLANG_ONLY__
#define BZ_HIP_PURE __device__ __attribute__((const))
extern "C" {
BZ_HIP_PURE __SIZE_TYPE__ __ockl_get_local_id(unsigned int);
BZ_HIP_PURE __SIZE_TYPE__ __ockl_get_group_id(unsigned int);
BZ_HIP_PURE __SIZE_TYPE__ __ockl_get_local_size(unsigned int);
BZ_HIP_PURE __SIZE_TYPE__ __ockl_get_num_groups(unsigned int);
BZ_HIP_PURE __SIZE_TYPE__ __ockl_get_global_id(unsigned int);
BZ_HIP_PURE __SIZE_TYPE__ __ockl_get_global_size(unsigned int);
BZ_HIP_PURE unsigned int __ockl_lane_u32();
__device__ unsigned int __ockl_activelane_u32();
__device__ bool __ockl_wfany_i32(int);
__device__ bool __ockl_wfall_i32(int);
__device__ unsigned long long __ockl_steadyctr_u64();

#define BZ_HIP_WAVE_REDUCTION(op, type, suffix) __device__ type __ockl_wfred_##op##_##suffix(type);
#define BZ_HIP_WAVE_REDUCTIONS(type, suffix)                                                                           \
  BZ_HIP_WAVE_REDUCTION(add, type, suffix)                                                                             \
  BZ_HIP_WAVE_REDUCTION(min, type, suffix)                                                                             \
  BZ_HIP_WAVE_REDUCTION(max, type, suffix)                                                                             \
  BZ_HIP_WAVE_REDUCTION(and, type, suffix)                                                                             \
  BZ_HIP_WAVE_REDUCTION(or, type, suffix)                                                                              \
  BZ_HIP_WAVE_REDUCTION(xor, type, suffix)
BZ_HIP_WAVE_REDUCTIONS(int, i32)
BZ_HIP_WAVE_REDUCTIONS(unsigned int, u32)
BZ_HIP_WAVE_REDUCTIONS(long, i64)
BZ_HIP_WAVE_REDUCTIONS(unsigned long, u64)
BZ_HIP_WAVE_REDUCTION(add, float, f32)
BZ_HIP_WAVE_REDUCTION(min, float, f32)
BZ_HIP_WAVE_REDUCTION(max, float, f32)
BZ_HIP_WAVE_REDUCTION(add, double, f64)
BZ_HIP_WAVE_REDUCTION(min, double, f64)
BZ_HIP_WAVE_REDUCTION(max, double, f64)
#undef BZ_HIP_WAVE_REDUCTIONS
#undef BZ_HIP_WAVE_REDUCTION

#define BZ_HIP_CONVERSION(to, to_suffix, from, from_suffix)                                                            \
  BZ_HIP_PURE to __ocml_cvtrtn_##to_suffix##_##from_suffix(from);                                                      \
  BZ_HIP_PURE to __ocml_cvtrtp_##to_suffix##_##from_suffix(from);                                                      \
  BZ_HIP_PURE to __ocml_cvtrtz_##to_suffix##_##from_suffix(from);
BZ_HIP_CONVERSION(float, f32, double, f64)
BZ_HIP_CONVERSION(float, f32, int, s32)
BZ_HIP_CONVERSION(float, f32, unsigned int, u32)
BZ_HIP_CONVERSION(float, f32, long, s64)
BZ_HIP_CONVERSION(float, f32, unsigned long, u64)
BZ_HIP_CONVERSION(double, f64, long, s64)
BZ_HIP_CONVERSION(double, f64, unsigned long, u64)
#undef BZ_HIP_CONVERSION

__device__ bool __ockl_grid_is_valid();
__device__ void __ockl_grid_sync();
__device__ unsigned int __ockl_multi_grid_num_grids();
__device__ unsigned int __ockl_multi_grid_grid_rank();
__device__ unsigned int __ockl_multi_grid_size();
__device__ unsigned int __ockl_multi_grid_thread_rank();
__device__ bool __ockl_multi_grid_is_valid();
__device__ void __ockl_multi_grid_sync();

__device__ unsigned long __ockl_fprintf_stderr_begin();
__device__ unsigned long __ockl_fprintf_append_args(unsigned long descriptor, unsigned int count, unsigned long v0,
                                                    unsigned long v1, unsigned long v2, unsigned long v3,
                                                    unsigned long v4, unsigned long v5, unsigned long v6,
                                                    unsigned int is_last);
__device__ unsigned long __ockl_fprintf_append_string_n(unsigned long descriptor, const char* data, unsigned long length,
                                                        unsigned int is_last);

#define BZ_HIP_NATIVE(T, n) T __attribute__((ext_vector_type(n)))
BZ_HIP_PURE int __ockl_sdot2(BZ_HIP_NATIVE(short, 2), BZ_HIP_NATIVE(short, 2), int, bool);
BZ_HIP_PURE unsigned int __ockl_udot2(BZ_HIP_NATIVE(unsigned short, 2), BZ_HIP_NATIVE(unsigned short, 2), unsigned int,
                                      bool);
BZ_HIP_PURE int __ockl_sdot4(BZ_HIP_NATIVE(char, 4), BZ_HIP_NATIVE(char, 4), int, bool);
BZ_HIP_PURE unsigned int __ockl_udot4(BZ_HIP_NATIVE(unsigned char, 4), BZ_HIP_NATIVE(unsigned char, 4), unsigned int,
                                      bool);
BZ_HIP_PURE int __ockl_sdot8(int, int, int, bool);
BZ_HIP_PURE unsigned int __ockl_udot8(unsigned int, unsigned int, unsigned int, bool);
#undef BZ_HIP_NATIVE
}
#undef BZ_HIP_PURE
#endif

#endif
