// The device side of <hip/hip_runtime.h>: coordinates, kernel attributes, launch macros, and the other device headers.
// clang includes its own __clang_hip_runtime_wrapper.h before anything else, with the C and C++ math functions.
#ifndef BZ_HIP_AMD_HIP_RUNTIME_H
#define BZ_HIP_AMD_HIP_RUNTIME_H

#include <hip/hip_runtime_api.h>

#include <hip/amd_detail/amd_hip_vector_types.h>
#include <hip/amd_detail/host_defines.h>

#ifndef CUDA_SUCCESS
#define CUDA_SUCCESS hipSuccess
#endif
typedef int hipLaunchParm;

// ---- Kernel attributes ----------------------------------------------------------------------------------------------

#if __HIP_CLANG_ONLY__
#define launch_bounds_impl0(max_threads) __attribute__((amdgpu_flat_work_group_size(1, max_threads)))
#define launch_bounds_impl1(max_threads, min_waves)                                                                    \
  __attribute__((amdgpu_flat_work_group_size(1, max_threads), amdgpu_waves_per_eu(min_waves)))
#else
#define launch_bounds_impl0(max_threads)
#define launch_bounds_impl1(max_threads, min_waves)
#endif
#define select_impl_(_1, _2, impl_, ...) impl_
#define __launch_bounds__(...) select_impl_(__VA_ARGS__, launch_bounds_impl1, launch_bounds_impl0, )(__VA_ARGS__)

#ifdef __cplusplus
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(X) X
#endif

#if __HIP_CLANG_ONLY__

// ---- Launching ------------------------------------------------------------------------------------------------------

#define hipLaunchKernelGGLInternal(kernelName, numBlocks, numThreads, memPerBlock, streamId, ...)                      \
  do {                                                                                                                 \
    kernelName<<<(numBlocks), (numThreads), (memPerBlock), (streamId)>>>(__VA_ARGS__);                                 \
  } while (0)
#define hipLaunchKernelGGL(kernelName, ...) hipLaunchKernelGGLInternal((kernelName), __VA_ARGS__)

// ---- Coordinates ----------------------------------------------------------------------------------------------------

#include <hip/amd_detail/device_library_decls.h>

#define BZ_HIP_COORDINATE(Name, x_value, y_value, z_value)                                                             \
  struct __hip_builtin_##Name##_t {                                                                                    \
    __declspec(property(get = __get_x)) unsigned int x;                                                                \
    __declspec(property(get = __get_y)) unsigned int y;                                                                \
    __declspec(property(get = __get_z)) unsigned int z;                                                                \
    __device__ static inline __attribute__((always_inline)) unsigned int __get_x() { return x_value; }                 \
    __device__ static inline __attribute__((always_inline)) unsigned int __get_y() { return y_value; }                 \
    __device__ static inline __attribute__((always_inline)) unsigned int __get_z() { return z_value; }                 \
    __device__ inline operator dim3() const { return dim3(x, y, z); }                                                  \
    __device__ inline operator uint3() const { return uint3(x, y, z); }                                                \
  private:                                                                                                             \
    void operator=(const __hip_builtin_##Name##_t&) const;                                                             \
    void operator&() const;                                                                                            \
  };                                                                                                                   \
  extern const __device__ __attribute__((weak)) __hip_builtin_##Name##_t Name;

BZ_HIP_COORDINATE(threadIdx, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(),
                  __builtin_amdgcn_workitem_id_z())
BZ_HIP_COORDINATE(blockIdx, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(),
                  __builtin_amdgcn_workgroup_id_z())
BZ_HIP_COORDINATE(blockDim, __builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(),
                  __builtin_amdgcn_workgroup_size_z())
BZ_HIP_COORDINATE(gridDim, (unsigned int)__ockl_get_num_groups(0), (unsigned int)__ockl_get_num_groups(1),
                  (unsigned int)__ockl_get_num_groups(2))
#undef BZ_HIP_COORDINATE

#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z

#include <hip/amd_detail/amd_device_functions.h>
#include <hip/amd_detail/amd_hip_atomic.h>
#include <hip/amd_detail/amd_math_functions.h>
#include <hip/amd_detail/amd_texture_functions.h>
#include <hip/amd_detail/amd_warp_functions.h>
#include <hip/amd_detail/amd_warp_sync_functions.h>
#include <hip/amd_detail/hip_assert.h>
#include <hip/amd_detail/hip_ldg.h>

#endif // __HIP_CLANG_ONLY__

#endif
