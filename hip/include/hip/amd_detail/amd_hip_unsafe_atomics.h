// unsafeAtomicX: floating point atomics as one instruction, right only in coarse-grained device memory and without
// regard to denormals. safeAtomicX: right everywhere, by a compare-and-swap loop where the target asks for it.
#ifndef BZ_HIP_AMD_UNSAFE_ATOMICS_H
#define BZ_HIP_AMD_UNSAFE_ATOMICS_H

#include <hip/amd_detail/host_defines.h>

#if __HIP_CLANG_ONLY__
#define BZ_HIP_UNSAFE_SAFE(Name, op, T)                                                                                \
  __device__ inline T unsafeAtomic##Name(T* address, T value) {                                                        \
    [[clang::atomic(no_remote_memory, no_fine_grained_memory, ignore_denormal_mode)]] {                                \
      return __hip_atomic_fetch_##op(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);                      \
    }                                                                                                                  \
  }                                                                                                                    \
  __device__ inline T safeAtomic##Name(T* address, T value) {                                                          \
    [[clang::atomic(remote_memory, fine_grained_memory, no_ignore_denormal_mode)]] {                                   \
      return __hip_atomic_fetch_##op(address, value, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);                      \
    }                                                                                                                  \
  }
BZ_HIP_UNSAFE_SAFE(Add, add, float)
BZ_HIP_UNSAFE_SAFE(Add, add, double)
BZ_HIP_UNSAFE_SAFE(Min, min, float)
BZ_HIP_UNSAFE_SAFE(Min, min, double)
BZ_HIP_UNSAFE_SAFE(Max, max, float)
BZ_HIP_UNSAFE_SAFE(Max, max, double)
#undef BZ_HIP_UNSAFE_SAFE
#endif

#endif
