// Common ground of the ockl sources. OpenCL C for amdgcn, compiled without a target CPU: what depends on the target asks
// __oclc_ISA_version or __builtin_amdgcn_wavefrontsize(), both constants once clang has linked the library.
#pragma once

#pragma OPENCL EXTENSION cl_khr_fp16 : enable
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

typedef uchar uchar4 __attribute__((ext_vector_type(4)));
typedef char char4 __attribute__((ext_vector_type(4)));
typedef short short2 __attribute__((ext_vector_type(2)));
typedef ushort ushort2 __attribute__((ext_vector_type(2)));
typedef half half2 __attribute__((ext_vector_type(2)));
typedef float float4 __attribute__((ext_vector_type(4)));
typedef long long2 __attribute__((ext_vector_type(2)));

#define OCKL(name) __ockl_##name
#define CONST __attribute__((const))
#define CONVERGENT __attribute__((convergent))

extern const __constant bool __oclc_wavefrontsize64;
extern const __constant int __oclc_ISA_version;
extern const __constant int __oclc_ABI_version;

// Byte offsets of the implicit arguments (code object v5 and later).
enum implicit_argument {
  ARG_BLOCK_COUNT = 0,
  ARG_GROUP_SIZE = 12,
  ARG_REMAINDER = 18,
  ARG_GLOBAL_OFFSET = 40,
  ARG_GRID_DIMS = 64,
  ARG_HOSTCALL = 80,
  ARG_MULTIGRID = 88
};
// The same for code object v4, whose implicit arguments are 7 qwords.
enum implicit_argument_v4 { ARG4_GLOBAL_OFFSET = 0, ARG4_HOSTCALL = 24, ARG4_MULTIGRID = 48 };

#define IMPLICIT(type, offset) (*(const __constant type*)((const __constant char*)__builtin_amdgcn_implicitarg_ptr() + (offset)))
#define FENCE_SYSTEM(order) __builtin_amdgcn_fence(order, "")

uint OCKL(lane_u32)(void);
void OCKL(hsa_signal_add)(ulong signal, long value, int order);
long2 OCKL(hostcall_preview)(uint service, ulong a0, ulong a1, ulong a2, ulong a3, ulong a4, ulong a5, ulong a6, ulong a7);
