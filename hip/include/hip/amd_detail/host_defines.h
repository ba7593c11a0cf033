// Attributes of functions, variables and types that HIP programs spell themselves. Declares nothing else.
#ifndef BZ_HIP_AMD_HOST_DEFINES_H
#define BZ_HIP_AMD_HOST_DEFINES_H

#include <hip/hip_common.h>

// The compiler's own headers and libstdc++ write __attribute__((__noinline__)): clang has a keyword for that case, gcc
// would see the macro, so gcc gets none.
#if defined(__clang__)
#ifndef __noinline__
#define __noinline__ __attribute__((noinline))
#endif
#endif
#ifndef __forceinline__
#define __forceinline__ inline __attribute__((always_inline))
#endif
#ifndef __align__
#define __align__(x) __attribute__((aligned(x)))
#endif
#if !__HIP_CLANG_ONLY__
#ifndef __managed__
#define __managed__
#endif
#endif
#ifndef __grid_constant__
#define __grid_constant__
#endif
#define __HIP_DEVICE_FORCE_INLINE static __device__ __forceinline__

#define GENERIC_GRID_LAUNCH 1

#endif
