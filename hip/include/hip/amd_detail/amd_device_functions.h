// Integer intrinsics, conversions with a chosen rounding, bit casts, fences, barriers, clocks, memcpy and memset on the
// device. Knows nothing of lanes (amd_warp_functions.h) and of atomics (amd_hip_atomic.h).
#ifndef BZ_HIP_AMD_DEVICE_FUNCTIONS_H
#define BZ_HIP_AMD_DEVICE_FUNCTIONS_H

#include <hip/amd_detail/amd_hip_vector_types.h>
#include <hip/amd_detail/device_library_decls.h>
#include <hip/amd_detail/hip_assert.h>

#if __HIP_CLANG_ONLY__
#pragma push_macro("BZ_D")
#define BZ_D static __device__ inline __attribute__((always_inline))

extern "C" __device__ int printf(const char* format, ...);

// ---- Bits -----------------------------------------------------------------------------------------------------------

BZ_D unsigned int __popc(unsigned int x) { return __builtin_popcount(x); }
BZ_D unsigned int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
BZ_D int __clz(int x) { return x == 0 ? 32 : __builtin_clz((unsigned int)x); }
BZ_D int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
BZ_D int __ffs(unsigned int x) { return __builtin_ffs((int)x); }
BZ_D int __ffs(int x) { return __builtin_ffs(x); }
BZ_D int __ffsll(unsigned long long x) { return __builtin_ffsll((long long)x); }
BZ_D int __ffsll(long long x) { return __builtin_ffsll(x); }
BZ_D int __ffsll(unsigned long x) { return __builtin_ffsll((long long)x); }
BZ_D int __ffsll(long x) { return __builtin_ffsll((long long)x); }
BZ_D unsigned int __brev(unsigned int x) { return __builtin_bitreverse32(x); }
BZ_D unsigned long long __brevll(unsigned long long x) { return __builtin_bitreverse64(x); }
BZ_D unsigned int __lastbit_u32_u64(unsigned long x) { return x == 0 ? ~0u : (unsigned int)__builtin_ctzl(x); }

BZ_D unsigned int __bitextract_u32(unsigned int x, unsigned int offset, unsigned int width) {
  offset &= 31, width &= 31;
  return width == 0 ? 0 : (x >> offset) & (~0u >> (32 - width));
}
BZ_D unsigned long __bitextract_u64(unsigned long x, unsigned int offset, unsigned int width) {
  offset &= 63, width &= 63;
  return width == 0 ? 0 : (x >> offset) & (~0ul >> (64 - width));
}
BZ_D unsigned int __bitinsert_u32(unsigned int x, unsigned int y, unsigned int offset, unsigned int width) {
  offset &= 31, width &= 31;
  unsigned int mask = ((1u << width) - 1) << offset;
  return (x & ~mask) | ((y << offset) & mask);
}
BZ_D unsigned long __bitinsert_u64(unsigned long x, unsigned long y, unsigned int offset, unsigned int width) {
  offset &= 63, width &= 63;
  unsigned long mask = ((1ul << width) - 1) << offset;
  return (x & ~mask) | ((y << offset) & mask);
}

/// Position of the offset-th set bit counted from base: upwards for a positive offset, downwards for a negative one;
/// 0 asks for base itself. -1 where there is none.
BZ_D int __fns64(unsigned long mask, unsigned int base, int offset) {
  if (offset == 0) return base < 64 && (mask >> base & 1) ? (int)base : -1;
  bool up = offset > 0;
  unsigned int left = up ? offset : -offset;
  for (int i = (int)base; i >= 0 && i < 64; i += up ? 1 : -1)
    if ((mask >> i & 1) && --left == 0) return i;
  return -1;
}
BZ_D int __fns32(unsigned long mask, unsigned int base, int offset) { return __fns64((unsigned int)mask, base, offset); }
BZ_D int __fns(unsigned int mask, unsigned int base, int offset) { return __fns64(mask, base, offset); }

BZ_D unsigned int __funnelshift_l(unsigned int lo, unsigned int hi, unsigned int shift) {
  return (unsigned int)((((unsigned long)hi << 32 | lo) << (shift & 31)) >> 32);
}
BZ_D unsigned int __funnelshift_lc(unsigned int lo, unsigned int hi, unsigned int shift) {
  return (unsigned int)((((unsigned long)hi << 32 | lo) << (shift < 32 ? shift : 32)) >> 32);
}
BZ_D unsigned int __funnelshift_r(unsigned int lo, unsigned int hi, unsigned int shift) {
  return (unsigned int)(((unsigned long)hi << 32 | lo) >> (shift & 31));
}
BZ_D unsigned int __funnelshift_rc(unsigned int lo, unsigned int hi, unsigned int shift) {
  return (unsigned int)(((unsigned long)hi << 32 | lo) >> (shift < 32 ? shift : 32));
}
BZ_D unsigned int __byte_perm(unsigned int x, unsigned int y, unsigned int s) {
  unsigned long bytes = (unsigned long)y << 32 | x;
  unsigned int r = 0;
  for (int i = 0; i < 4; ++i) r |= (unsigned int)(bytes >> (8 * (s >> (4 * i) & 7)) & 0xff) << (8 * i);
  return r;
}

// ---- Integer arithmetic ---------------------------------------------------------------------------------------------

BZ_D int __mul24(int x, int y) { return ((x << 8) >> 8) * ((y << 8) >> 8); }
BZ_D int __umul24(unsigned int x, unsigned int y) { return (int)((x & 0xffffff) * (y & 0xffffff)); }
BZ_D int __mulhi(int x, int y) { return (int)(((long)x * y) >> 32); }
BZ_D unsigned int __umulhi(unsigned int x, unsigned int y) { return (unsigned int)(((unsigned long)x * y) >> 32); }
BZ_D long long __mul64hi(long long x, long long y) { return (long long)(((__int128)x * y) >> 64); }
BZ_D unsigned long long __umul64hi(unsigned long long x, unsigned long long y) {
  return (unsigned long long)(((unsigned __int128)x * y) >> 64);
}
BZ_D int __hadd(int x, int y) { return (int)(((long)x + y) >> 1); }
BZ_D int __rhadd(int x, int y) { return (int)(((long)x + y + 1) >> 1); }
BZ_D unsigned int __uhadd(unsigned int x, unsigned int y) { return (unsigned int)(((unsigned long)x + y) >> 1); }
BZ_D unsigned int __urhadd(unsigned int x, unsigned int y) { return (unsigned int)(((unsigned long)x + y + 1) >> 1); }
BZ_D unsigned int __sad(int x, int y, unsigned int z) { return z + (x > y ? (unsigned int)x - y : (unsigned int)y - x); }
BZ_D unsigned int __usad(unsigned int x, unsigned int y, unsigned int z) { return z + (x > y ? x - y : y - x); }

#define BZ_HIP_PACKED(name, op)                                                                                        \
  BZ_D char4 name(char4 a, char4 b) {                                                                                  \
    return char4((char)(a.x op b.x), (char)(a.y op b.y), (char)(a.z op b.z), (char)(a.w op b.w));                      \
  }
BZ_HIP_PACKED(__hip_hc_add8pk, +)
BZ_HIP_PACKED(__hip_hc_sub8pk, -)
BZ_HIP_PACKED(__hip_hc_mul8pk, *)
#undef BZ_HIP_PACKED

// ---- Bit casts ------------------------------------------------------------------------------------------------------

BZ_D int __float_as_int(float x) { return __builtin_bit_cast(int, x); }
BZ_D unsigned int __float_as_uint(float x) { return __builtin_bit_cast(unsigned int, x); }
BZ_D float __int_as_float(int x) { return __builtin_bit_cast(float, x); }
BZ_D float __uint_as_float(unsigned int x) { return __builtin_bit_cast(float, x); }
BZ_D long long __double_as_longlong(double x) { return __builtin_bit_cast(long long, x); }
BZ_D double __longlong_as_double(long long x) { return __builtin_bit_cast(double, x); }
BZ_D int __double2hiint(double x) { return (int)(__builtin_bit_cast(unsigned long, x) >> 32); }
BZ_D int __double2loint(double x) { return (int)__builtin_bit_cast(unsigned long, x); }
BZ_D double __hiloint2double(int hi, int lo) {
  return __builtin_bit_cast(double, (unsigned long)(unsigned int)hi << 32 | (unsigned int)lo);
}

// ---- Conversions ----------------------------------------------------------------------------------------------------
// To integers: rd, rn, ru, rz round first; a value out of range saturates and a NaN gives 0, as in CUDA and as
// v_cvt_i32_f32 does it (a plain C cast would be undefined).

#define BZ_HIP_TO_INTEGER(name, from, to, low, above)                                                                  \
  BZ_D to name##_rz(from x) {                                                                                          \
    if (!(x >= (from)(low))) return x < (from)(low) ? (to)(low) : (to)0;                                               \
    return x >= (from)(above) ? (to)~(to)(low) : (to)x;                                                                \
  }                                                                                                                    \
  BZ_D to name##_rd(from x) { return name##_rz(__builtin_elementwise_floor(x)); }                                      \
  BZ_D to name##_rn(from x) { return name##_rz(__builtin_elementwise_roundeven(x)); }                                  \
  BZ_D to name##_ru(from x) { return name##_rz(__builtin_elementwise_ceil(x)); }
#define BZ_HIP_INT_LOW (-2147483647 - 1)
#define BZ_HIP_LL_LOW (-9223372036854775807ll - 1)
BZ_HIP_TO_INTEGER(__float2int, float, int, BZ_HIP_INT_LOW, 0x1p31f)
BZ_HIP_TO_INTEGER(__float2uint, float, unsigned int, 0u, 0x1p32f)
BZ_HIP_TO_INTEGER(__float2ll, float, long long, BZ_HIP_LL_LOW, 0x1p63f)
BZ_HIP_TO_INTEGER(__float2ull, float, unsigned long long, 0ull, 0x1p64f)
BZ_HIP_TO_INTEGER(__double2int, double, int, BZ_HIP_INT_LOW, 0x1p31)
BZ_HIP_TO_INTEGER(__double2uint, double, unsigned int, 0u, 0x1p32)
BZ_HIP_TO_INTEGER(__double2ll, double, long long, BZ_HIP_LL_LOW, 0x1p63)
BZ_HIP_TO_INTEGER(__double2ull, double, unsigned long long, 0ull, 0x1p64)
#undef BZ_HIP_TO_INTEGER
#undef BZ_HIP_INT_LOW
#undef BZ_HIP_LL_LOW

#define BZ_HIP_TO_FLOAT(name, from, to, suffix)                                                                        \
  BZ_D to name##_rd(from x) { return __ocml_cvtrtn_##suffix(x); }                                                      \
  BZ_D to name##_rn(from x) { return (to)x; }                                                                          \
  BZ_D to name##_ru(from x) { return __ocml_cvtrtp_##suffix(x); }                                                      \
  BZ_D to name##_rz(from x) { return __ocml_cvtrtz_##suffix(x); }
BZ_HIP_TO_FLOAT(__double2float, double, float, f32_f64)
BZ_HIP_TO_FLOAT(__int2float, int, float, f32_s32)
BZ_HIP_TO_FLOAT(__uint2float, unsigned int, float, f32_u32)
BZ_HIP_TO_FLOAT(__ll2float, long long, float, f32_s64)
BZ_HIP_TO_FLOAT(__ull2float, unsigned long long, float, f32_u64)
BZ_HIP_TO_FLOAT(__ll2double, long long, double, f64_s64)
BZ_HIP_TO_FLOAT(__ull2double, unsigned long long, double, f64_u64)
#undef BZ_HIP_TO_FLOAT
BZ_D double __int2double_rn(int x) { return (double)x; }
BZ_D double __uint2double_rn(unsigned int x) { return (double)x; }

// ---- Fences and barriers --------------------------------------------------------------------------------------------

BZ_D void __threadfence_block() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "workgroup"); }
BZ_D void __threadfence() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent"); }
BZ_D void __threadfence_system() { __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, ""); }

typedef unsigned int __cl_mem_fence_flags;
#define __CLK_LOCAL_MEM_FENCE 0x01
#define __CLK_GLOBAL_MEM_FENCE 0x02

__device__ inline __attribute__((always_inline, convergent)) void __syncthreads() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
  __builtin_amdgcn_s_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}
BZ_D void __work_group_barrier(__cl_mem_fence_flags flags) {
  if (flags)
    __syncthreads();
  else
    __builtin_amdgcn_s_barrier();
}
BZ_D void __barrier(int flags) { __work_group_barrier((__cl_mem_fence_flags)flags); }
__device__ inline __attribute__((convergent)) void __named_sync() { __builtin_amdgcn_s_barrier(); }

namespace bz_hip_detail {
/// How many threads of the block have a true predicate. The first barrier keeps a previous call's readers apart from
/// the reset.
__device__ inline __attribute__((convergent)) unsigned int block_count(bool predicate) {
  __shared__ unsigned int total;
  __syncthreads();
  if ((__builtin_amdgcn_workitem_id_x() | __builtin_amdgcn_workitem_id_y() | __builtin_amdgcn_workitem_id_z()) == 0)
    total = 0;
  __syncthreads();
  unsigned long votes = __builtin_amdgcn_ballot_w64(predicate);
  if (__ockl_activelane_u32() == 0) __hip_atomic_fetch_add(&total, (unsigned int)__builtin_popcountl(votes),
                                                           __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
  __syncthreads();
  return total;
}
} // namespace bz_hip_detail
__device__ inline __attribute__((convergent)) int __syncthreads_count(int predicate) {
  return (int)bz_hip_detail::block_count(predicate != 0);
}
__device__ inline __attribute__((convergent)) int __syncthreads_and(int predicate) {
  return bz_hip_detail::block_count(predicate == 0) == 0;
}
__device__ inline __attribute__((convergent)) int __syncthreads_or(int predicate) {
  return bz_hip_detail::block_count(predicate != 0) != 0;
}

// ---- Clocks and hardware position -----------------------------------------------------------------------------------

__device__ inline long long __clock64() { return (long long)__builtin_readcyclecounter(); }
__device__ inline long long __clock() { return __clock64(); }
__device__ inline long long clock64() { return __clock64(); }
__device__ inline long long clock() { return __clock64(); }
/// Counts at the constant rate of hipDeviceAttributeWallClockRate.
__device__ inline long long wall_clock64() { return (long long)__ockl_steadyctr_u64(); }

#define GETREG_IMMED(SZ, OFF, REG) (((SZ) << 11) | ((OFF) << 6) | (REG))
#define HW_ID 4
#define HW_ID_CU_ID_SIZE 4
#define HW_ID_CU_ID_OFFSET 8
#define HW_ID_SE_ID_SIZE 2
#define HW_ID_SE_ID_OFFSET 13
#define XCC_ID 20
#define XCC_ID_XCC_ID_SIZE 4
#define XCC_ID_XCC_ID_OFFSET 0
/// The compute unit that runs this wave: XCC, shader engine and CU in one number.
__device__ inline unsigned int __smid() {
  unsigned int cu = __builtin_amdgcn_s_getreg(GETREG_IMMED(HW_ID_CU_ID_SIZE - 1, HW_ID_CU_ID_OFFSET, HW_ID));
  unsigned int se = __builtin_amdgcn_s_getreg(GETREG_IMMED(HW_ID_SE_ID_SIZE - 1, HW_ID_SE_ID_OFFSET, HW_ID));
#if defined(__gfx942__) || defined(__gfx950__)
  unsigned int xcc = __builtin_amdgcn_s_getreg(GETREG_IMMED(XCC_ID_XCC_ID_SIZE - 1, XCC_ID_XCC_ID_OFFSET, XCC_ID));
#else
  unsigned int xcc = 0;
#endif
  return (xcc << HW_ID_SE_ID_SIZE | se) << HW_ID_CU_ID_SIZE | cu;
}

// ---- Memory ---------------------------------------------------------------------------------------------------------

BZ_D void* __hip_hc_memcpy(void* dst, const void* src, __SIZE_TYPE__ size) { return __builtin_memcpy(dst, src, size); }
BZ_D void* __hip_hc_memset(void* dst, unsigned char value, __SIZE_TYPE__ size) {
  return __builtin_memset(dst, value, size);
}
BZ_D void* memcpy(void* dst, const void* src, __SIZE_TYPE__ size) { return __hip_hc_memcpy(dst, src, size); }
BZ_D void* memset(void* dst, int value, __SIZE_TYPE__ size) { return __hip_hc_memset(dst, (unsigned char)value, size); }

/// Where dynamic LDS begins. Only legal in a kernel or where it is inlined into one.
__device__ inline void* __get_dynamicgroupbaseptr() {
  extern __shared__ unsigned char bz_hip_dynamic_lds[];
  return bz_hip_dynamic_lds;
}
__device__ inline void* __amdgcn_get_dynamicgroupbaseptr() { return __get_dynamicgroupbaseptr(); }
#define HIP_DYNAMIC_SHARED(type, var) extern __shared__ type var[];
#define HIP_DYNAMIC_SHARED_ATTRIBUTE

#pragma pop_macro("BZ_D")
#endif

#endif
