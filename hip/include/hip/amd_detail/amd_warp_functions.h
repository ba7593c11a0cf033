// Lanes of a wave: votes, shuffles, permutes. A wave has warpSize lanes; masks are 64 bits wide.
#ifndef BZ_HIP_AMD_WARP_FUNCTIONS_H
#define BZ_HIP_AMD_WARP_FUNCTIONS_H

#include <hip/amd_detail/amd_device_functions.h>

#if __HIP_CLANG_ONLY__
#pragma push_macro("BZ_D")
#pragma push_macro("BZ_WAVE")
#define BZ_D static __device__ inline __attribute__((always_inline))
#define BZ_WAVE __device__ inline __attribute__((always_inline, convergent))

/// The width of a wave of the running target: 64 on gfx9, 32 or 64 elsewhere. A constant to the optimiser but not to
/// the language, because one header serves the host pass too.
static constexpr struct final_warp_size {
  __host__ __device__ __attribute__((always_inline)) operator int() const noexcept {
#if defined(__HIP_DEVICE_COMPILE__)
    return (int)__builtin_amdgcn_wavefrontsize();
#else
    return 64;
#endif
  }
} warpSize{};

BZ_D unsigned int __mbcnt_lo(unsigned int mask, unsigned int add) { return __builtin_amdgcn_mbcnt_lo(mask, add); }
BZ_D unsigned int __mbcnt_hi(unsigned int mask, unsigned int add) { return __builtin_amdgcn_mbcnt_hi(mask, add); }
BZ_D unsigned int __lane_id() {
  unsigned int low = __builtin_amdgcn_mbcnt_lo(~0u, 0);
  return warpSize == 32 ? low : __builtin_amdgcn_mbcnt_hi(~0u, low);
}
__device__ inline unsigned long __lanemask_lt() { return (1ul << __lane_id()) - 1; }
__device__ inline unsigned long __lanemask_eq() { return 1ul << __lane_id(); }
__device__ inline unsigned long __lanemask_le() { return __lanemask_lt() | __lanemask_eq(); }
__device__ inline unsigned long __lanemask_gt() { return ~__lanemask_le() & (warpSize == 32 ? 0xfffffffful : ~0ul); }
__device__ inline unsigned long __lanemask_ge() { return ~__lanemask_lt() & (warpSize == 32 ? 0xfffffffful : ~0ul); }

// ---- Votes ----------------------------------------------------------------------------------------------------------

BZ_WAVE unsigned long long __ballot(int predicate) { return __builtin_amdgcn_ballot_w64(predicate != 0); }
BZ_WAVE unsigned long long __ballot64(int predicate) { return __ballot(predicate); }
BZ_WAVE unsigned long long __activemask() { return __ballot(true); }
BZ_WAVE int __any(int predicate) { return __ballot(predicate) != 0; }
BZ_WAVE int __all(int predicate) { return __ballot(predicate == 0) == 0; }

// ---- Permutes of one register ---------------------------------------------------------------------------------------

BZ_D unsigned int __hip_ds_bpermute(int index, unsigned int src) {
  return (unsigned int)__builtin_amdgcn_ds_bpermute(index, (int)src);
}
BZ_D float __hip_ds_bpermutef(int index, float src) {
  return __uint_as_float(__hip_ds_bpermute(index, __float_as_uint(src)));
}
BZ_D unsigned int __hip_ds_permute(int index, unsigned int src) {
  return (unsigned int)__builtin_amdgcn_ds_permute(index, (int)src);
}
BZ_D float __hip_ds_permutef(int index, float src) {
  return __uint_as_float(__hip_ds_permute(index, __float_as_uint(src)));
}
template <int pattern> BZ_D unsigned int __hip_ds_swizzle_N(unsigned int src) {
  return (unsigned int)__builtin_amdgcn_ds_swizzle((int)src, pattern);
}
template <int pattern> BZ_D float __hip_ds_swizzlef_N(float src) {
  return __uint_as_float(__hip_ds_swizzle_N<pattern>(__float_as_uint(src)));
}
template <int dpp_ctrl, int row_mask, int bank_mask, bool bound_ctrl> BZ_D int __hip_move_dpp_N(int src) {
  return __builtin_amdgcn_mov_dpp(src, dpp_ctrl, row_mask, bank_mask, bound_ctrl);
}
#define __hip_ds_swizzle(src, pattern) __hip_ds_swizzle_N<(pattern)>((src))
#define __hip_ds_swizzlef(src, pattern) __hip_ds_swizzlef_N<(pattern)>((src))
#define __hip_move_dpp(src, dpp_ctrl, row_mask, bank_mask, bound_ctrl)                                                 \
  __hip_move_dpp_N<(dpp_ctrl), (row_mask), (bank_mask), (bound_ctrl)>((src))

// ---- Shuffles -------------------------------------------------------------------------------------------------------
// Each group of `width` lanes (a power of two) shuffles by itself; a source outside the group means the lane itself.

namespace bz_hip_detail {
/// The value of another lane, whatever the type's size: one ds_bpermute per 32 bits.
template <class T> BZ_WAVE T take_from(T value, int lane) {
  constexpr int words = (sizeof(T) + 3) / 4;
  unsigned int raw[words] = {};
  __builtin_memcpy(raw, &value, sizeof(T));
#pragma unroll
  for (int i = 0; i < words; ++i) raw[i] = __hip_ds_bpermute(lane << 2, raw[i]);
  T r;
  __builtin_memcpy(&r, raw, sizeof(T));
  return r;
}
BZ_D int shfl_source(int lane, int width) {
  int self = (int)__lane_id();
  return (lane & (width - 1)) + (self & ~(width - 1));
}
BZ_D int shfl_up_source(unsigned int delta, int width) {
  int self = (int)__lane_id(), from = self - (int)delta;
  return from < (self & ~(width - 1)) ? self : from;
}
BZ_D int shfl_down_source(unsigned int delta, int width) {
  int self = (int)__lane_id();
  return (int)((self & (width - 1)) + delta) >= width ? self : self + (int)delta;
}
BZ_D int shfl_xor_source(int mask, int width) {
  int self = (int)__lane_id(), from = self ^ mask;
  return from >= ((self + width) & ~(width - 1)) ? self : from;
}
} // namespace bz_hip_detail

// Kept defined: the headers of small types use it too.
#define BZ_HIP_WAVE __device__ inline __attribute__((always_inline, convergent))
#define BZ_HIP_SHUFFLES(T)                                                                                             \
  BZ_HIP_WAVE T __shfl(T var, int src_lane, int width = warpSize) {                                                        \
    return bz_hip_detail::take_from(var, bz_hip_detail::shfl_source(src_lane, width));                                 \
  }                                                                                                                    \
  BZ_HIP_WAVE T __shfl_up(T var, unsigned int lane_delta, int width = warpSize) {                                          \
    return bz_hip_detail::take_from(var, bz_hip_detail::shfl_up_source(lane_delta, width));                            \
  }                                                                                                                    \
  BZ_HIP_WAVE T __shfl_down(T var, unsigned int lane_delta, int width = warpSize) {                                        \
    return bz_hip_detail::take_from(var, bz_hip_detail::shfl_down_source(lane_delta, width));                          \
  }                                                                                                                    \
  BZ_HIP_WAVE T __shfl_xor(T var, int lane_mask, int width = warpSize) {                                                   \
    return bz_hip_detail::take_from(var, bz_hip_detail::shfl_xor_source(lane_mask, width));                            \
  }
BZ_HIP_SHUFFLES(int)
BZ_HIP_SHUFFLES(unsigned int)
BZ_HIP_SHUFFLES(float)
BZ_HIP_SHUFFLES(double)
BZ_HIP_SHUFFLES(long)
BZ_HIP_SHUFFLES(unsigned long)
BZ_HIP_SHUFFLES(long long)
BZ_HIP_SHUFFLES(unsigned long long)

#pragma pop_macro("BZ_WAVE")
#pragma pop_macro("BZ_D")
#endif

#endif
