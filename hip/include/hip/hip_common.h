// What every HIP header needs first: platform macros, host versions of the function attributes, feature macros of the
// device pass. Must not declare functions or types.
#ifndef BZ_HIP_HIP_COMMON_H
#define BZ_HIP_HIP_COMMON_H

#if !defined(__HIP_PLATFORM_AMD__) && !defined(__HIP_PLATFORM_NVIDIA__)
#define __HIP_PLATFORM_AMD__ 1
#endif
#if defined(__HIP_PLATFORM_NVIDIA__)
#error "these headers are for the AMD platform: don't define __HIP_PLATFORM_NVIDIA__"
#endif

#if defined(__clang__) && defined(__HIP__)
#define __HIP_CLANG_ONLY__ 1
#else
#define __HIP_CLANG_ONLY__ 0
#endif

// Function and variable attributes: clang's own when it compiles HIP, empty for any other compiler.
#if __HIP_CLANG_ONLY__
#define BZ_HIP_ATTRIBUTE(x) __attribute__((x))
#else
#define BZ_HIP_ATTRIBUTE(x)
#endif
#ifndef __host__
#define __host__ BZ_HIP_ATTRIBUTE(host)
#endif
#ifndef __device__
#define __device__ BZ_HIP_ATTRIBUTE(device)
#endif
#ifndef __global__
#define __global__ BZ_HIP_ATTRIBUTE(global)
#endif
#ifndef __shared__
#define __shared__ BZ_HIP_ATTRIBUTE(shared)
#endif
#ifndef __constant__
#define __constant__ BZ_HIP_ATTRIBUTE(constant)
#endif
#ifndef __managed__
#define __managed__ BZ_HIP_ATTRIBUTE(managed)
#endif

#if defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__
#define BZ_HIP_ARCH_HAS 1
#else
#define BZ_HIP_ARCH_HAS 0
#endif
#define __HIP_ARCH_HAS_GLOBAL_INT32_ATOMICS__ BZ_HIP_ARCH_HAS
#define __HIP_ARCH_HAS_GLOBAL_FLOAT_ATOMIC_EXCH__ BZ_HIP_ARCH_HAS
#define __HIP_ARCH_HAS_SHARED_INT32_ATOMICS__ BZ_HIP_ARCH_HAS
#define __HIP_ARCH_HAS_SHARED_FLOAT_ATOMIC_EXCH__ BZ_HIP_ARCH_HAS
#define __HIP_ARCH_HAS_FLOAT_ATOMIC_ADD__ BZ_HIP_ARCH_HAS
#define __HIP_ARCH_HAS_GLOBAL_INT64_ATOMICS__ BZ_HIP_ARCH_HAS
#define __HIP_ARCH_HAS_SHARED_INT64_ATOMICS__ BZ_HIP_ARCH_HAS
#define __HIP_ARCH_HAS_DOUBLES__ BZ_HIP_ARCH_HAS
#define __HIP_ARCH_HAS_WARP_VOTE__ BZ_HIP_ARCH_HAS
#define __HIP_ARCH_HAS_WARP_BALLOT__ BZ_HIP_ARCH_HAS
#define __HIP_ARCH_HAS_WARP_SHUFFLE__ BZ_HIP_ARCH_HAS
#define __HIP_ARCH_HAS_WARP_FUNNEL_SHIFT__ 0
#define __HIP_ARCH_HAS_THREAD_FENCE_SYSTEM__ BZ_HIP_ARCH_HAS
#define __HIP_ARCH_HAS_SYNC_THREAD_EXT__ 0
#define __HIP_ARCH_HAS_SURFACE_FUNCS__ 0
#define __HIP_ARCH_HAS_3DGRID__ BZ_HIP_ARCH_HAS
#define __HIP_ARCH_HAS_DYNAMIC_PARALLEL__ 0

#endif
