// Atomic functions: atomicX works at the scope of the device, atomicX_system at the scope of the system, both relaxed.
// The compiler chooses between an instruction and a compare-and-swap loop per target and address space.
#ifndef BZ_HIP_AMD_HIP_ATOMIC_H
#define BZ_HIP_AMD_HIP_ATOMIC_H

#include <hip/amd_detail/host_defines.h>

#if __HIP_CLANG_ONLY__
#define __HIP_ATOMIC_BACKWARD_COMPAT 1
#define BZ_HIP_ATOMIC __device__ inline __attribute__((always_inline))

// X(T): one function per type, each in two scopes.
#define BZ_HIP_BOTH_SCOPES(M, name, T)                                                                                 \
  M(name, T, __HIP_MEMORY_SCOPE_AGENT)                                                                                 \
  M(name##_system, T, __HIP_MEMORY_SCOPE_SYSTEM)
#define BZ_HIP_INTEGERS(M, name)                                                                                       \
  BZ_HIP_BOTH_SCOPES(M, name, int)                                                                                     \
  BZ_HIP_BOTH_SCOPES(M, name, unsigned int)                                                                            \
  BZ_HIP_BOTH_SCOPES(M, name, unsigned long)                                                                           \
  BZ_HIP_BOTH_SCOPES(M, name, unsigned long long)
#define BZ_HIP_FLOATS(M, name) BZ_HIP_BOTH_SCOPES(M, name, float) BZ_HIP_BOTH_SCOPES(M, name, double)

#define BZ_HIP_CAS(name, T, scope)                                                                                     \
  BZ_HIP_ATOMIC T name(T* address, T compare, T val) {                                                                 \
    __hip_atomic_compare_exchange_strong(address, &compare, val, __ATOMIC_RELAXED, __ATOMIC_RELAXED, scope);           \
    return compare;                                                                                                    \
  }
BZ_HIP_BOTH_SCOPES(BZ_HIP_CAS, atomicCAS, unsigned short)
BZ_HIP_INTEGERS(BZ_HIP_CAS, atomicCAS)
#undef BZ_HIP_CAS
// A floating point value is compared by its bits.
#define BZ_HIP_CAS_BITS(T, bits, name)                                                                                 \
  BZ_HIP_ATOMIC T name(T* address, T compare, T val) {                                                                 \
    return __builtin_bit_cast(T, name((bits*)address, __builtin_bit_cast(bits, compare), __builtin_bit_cast(bits, val))); \
  }
BZ_HIP_CAS_BITS(float, unsigned int, atomicCAS)
BZ_HIP_CAS_BITS(float, unsigned int, atomicCAS_system)
BZ_HIP_CAS_BITS(double, unsigned long, atomicCAS)
BZ_HIP_CAS_BITS(double, unsigned long, atomicCAS_system)
#undef BZ_HIP_CAS_BITS

#define BZ_HIP_ADD(name, T, scope)                                                                                     \
  BZ_HIP_ATOMIC T name(T* address, T val) { return __hip_atomic_fetch_add(address, val, __ATOMIC_RELAXED, scope); }
#define BZ_HIP_SUB(name, T, scope)                                                                                     \
  BZ_HIP_ATOMIC T name(T* address, T val) { return __hip_atomic_fetch_add(address, -val, __ATOMIC_RELAXED, scope); }
#define BZ_HIP_EXCH(name, T, scope)                                                                                    \
  BZ_HIP_ATOMIC T name(T* address, T val) { return __hip_atomic_exchange(address, val, __ATOMIC_RELAXED, scope); }
#define BZ_HIP_MIN(name, T, scope)                                                                                     \
  BZ_HIP_ATOMIC T name(T* address, T val) { return __hip_atomic_fetch_min(address, val, __ATOMIC_RELAXED, scope); }
#define BZ_HIP_MAX(name, T, scope)                                                                                     \
  BZ_HIP_ATOMIC T name(T* address, T val) { return __hip_atomic_fetch_max(address, val, __ATOMIC_RELAXED, scope); }
#define BZ_HIP_AND(name, T, scope)                                                                                     \
  BZ_HIP_ATOMIC T name(T* address, T val) { return __hip_atomic_fetch_and(address, val, __ATOMIC_RELAXED, scope); }
#define BZ_HIP_OR(name, T, scope)                                                                                      \
  BZ_HIP_ATOMIC T name(T* address, T val) { return __hip_atomic_fetch_or(address, val, __ATOMIC_RELAXED, scope); }
#define BZ_HIP_XOR(name, T, scope)                                                                                     \
  BZ_HIP_ATOMIC T name(T* address, T val) { return __hip_atomic_fetch_xor(address, val, __ATOMIC_RELAXED, scope); }

BZ_HIP_INTEGERS(BZ_HIP_ADD, atomicAdd)
BZ_HIP_FLOATS(BZ_HIP_ADD, atomicAdd)
BZ_HIP_INTEGERS(BZ_HIP_SUB, atomicSub)
BZ_HIP_FLOATS(BZ_HIP_SUB, atomicSub)
BZ_HIP_INTEGERS(BZ_HIP_EXCH, atomicExch)
BZ_HIP_FLOATS(BZ_HIP_EXCH, atomicExch)
BZ_HIP_INTEGERS(BZ_HIP_MIN, atomicMin)
BZ_HIP_BOTH_SCOPES(BZ_HIP_MIN, atomicMin, long long)
BZ_HIP_FLOATS(BZ_HIP_MIN, atomicMin)
BZ_HIP_INTEGERS(BZ_HIP_MAX, atomicMax)
BZ_HIP_BOTH_SCOPES(BZ_HIP_MAX, atomicMax, long long)
BZ_HIP_FLOATS(BZ_HIP_MAX, atomicMax)
BZ_HIP_INTEGERS(BZ_HIP_AND, atomicAnd)
BZ_HIP_INTEGERS(BZ_HIP_OR, atomicOr)
BZ_HIP_INTEGERS(BZ_HIP_XOR, atomicXor)

/// Counts up to val and wraps to 0; down from val and wraps to val.
BZ_HIP_ATOMIC unsigned int atomicInc(unsigned int* address, unsigned int val) {
  return __builtin_amdgcn_atomic_inc32(address, val, __ATOMIC_RELAXED, "agent");
}
BZ_HIP_ATOMIC unsigned int atomicDec(unsigned int* address, unsigned int val) {
  return __builtin_amdgcn_atomic_dec32(address, val, __ATOMIC_RELAXED, "agent");
}

__attribute__((deprecated("use atomicAdd and ignore its result"))) BZ_HIP_ATOMIC void atomicAddNoRet(float* address,
                                                                                                       float val) {
  (void)__hip_atomic_fetch_add(address, val, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

#undef BZ_HIP_ADD
#undef BZ_HIP_SUB
#undef BZ_HIP_EXCH
#undef BZ_HIP_MIN
#undef BZ_HIP_MAX
#undef BZ_HIP_AND
#undef BZ_HIP_OR
#undef BZ_HIP_XOR
#undef BZ_HIP_FLOATS
#undef BZ_HIP_INTEGERS
#undef BZ_HIP_BOTH_SCOPES
#endif

#include <hip/amd_detail/amd_hip_unsafe_atomics.h>

#endif
