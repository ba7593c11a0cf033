// __ldg: a load through the read-only path, which on these targets is an ordinary load.
#ifndef BZ_HIP_AMD_HIP_LDG_H
#define BZ_HIP_AMD_HIP_LDG_H

#include <hip/amd_detail/amd_hip_vector_types.h>

#if __HIP_CLANG_ONLY__
#define BZ_HIP_LDG(T)                                                                                                  \
  static __device__ inline T __ldg(const T* ptr) { return *ptr; }
#define BZ_HIP_LDG124(name, T) BZ_HIP_LDG(T) BZ_HIP_LDG(name##2) BZ_HIP_LDG(name##4)
BZ_HIP_LDG124(char, char)
BZ_HIP_LDG(signed char)
BZ_HIP_LDG124(uchar, unsigned char)
BZ_HIP_LDG124(short, short)
BZ_HIP_LDG124(ushort, unsigned short)
BZ_HIP_LDG124(int, int)
BZ_HIP_LDG124(uint, unsigned int)
BZ_HIP_LDG(long)
BZ_HIP_LDG(unsigned long)
BZ_HIP_LDG(long long)
BZ_HIP_LDG(longlong2)
BZ_HIP_LDG(unsigned long long)
BZ_HIP_LDG(ulonglong2)
BZ_HIP_LDG124(float, float)
BZ_HIP_LDG(double)
BZ_HIP_LDG(double2)
#undef BZ_HIP_LDG124
#undef BZ_HIP_LDG
#endif

#endif
