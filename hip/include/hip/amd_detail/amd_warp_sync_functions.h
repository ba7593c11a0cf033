// The *_sync forms of votes and shuffles, match and reduce. A mask names the lanes that take part and is 64 bits wide:
// every lane that calls must be in it, and every lane in it must call (in any order: lanes may arrive diverged).
#ifndef BZ_HIP_AMD_WARP_SYNC_FUNCTIONS_H
#define BZ_HIP_AMD_WARP_SYNC_FUNCTIONS_H

#include <hip/amd_detail/amd_warp_functions.h>

#if __HIP_CLANG_ONLY__ && !defined(HIP_DISABLE_WARP_SYNC_BUILTINS)
#pragma push_macro("BZ_WAVE")
#define BZ_WAVE __device__ inline __attribute__((always_inline, convergent))

namespace bz_hip_detail {
template <class MaskT> BZ_WAVE unsigned long long checked_mask(MaskT mask) {
  static_assert(sizeof(MaskT) == 8 && MaskT(1) / MaskT(2) == MaskT(0),
                "the mask of a *_sync function must be a 64-bit integer: a wave has up to 64 lanes");
  return (unsigned long long)mask & (warpSize == 32 ? 0xffffffffull : ~0ull);
}
template <class T> BZ_WAVE T first_lane(T value) {
  return take_from(value, (int)__builtin_ctzll(__activemask()));
}
/// Runs f for the lanes of each distinct mask in turn, so that diverged groups never see each other's values.
template <class F> BZ_WAVE auto with_mask(unsigned long long mask, F f) -> decltype(f()) {
  for (;;) {
    unsigned long long chosen = first_lane(mask);
    if (mask == chosen) return f();
  }
}
} // namespace bz_hip_detail

template <typename T> BZ_WAVE T __hip_readfirstlane(T value) { return bz_hip_detail::first_lane(value); }

BZ_WAVE void __syncwarp() {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}
template <typename MaskT> BZ_WAVE void __syncwarp(MaskT mask) {
  bz_hip_detail::with_mask(bz_hip_detail::checked_mask(mask), [] { __syncwarp(); });
}

template <typename MaskT> BZ_WAVE unsigned long long __ballot_sync(MaskT mask, int predicate) {
  unsigned long long m = bz_hip_detail::checked_mask(mask);
  return bz_hip_detail::with_mask(m, [=] { return __ballot(predicate) & m; });
}
template <typename MaskT> BZ_WAVE int __any_sync(MaskT mask, int predicate) {
  return __ballot_sync(mask, predicate) != 0;
}
template <typename MaskT> BZ_WAVE int __all_sync(MaskT mask, int predicate) {
  return __ballot_sync(mask, predicate == 0) == 0;
}

// ---- Match ----------------------------------------------------------------------------------------------------------

/// The lanes that hold the same value.
template <typename T> BZ_WAVE unsigned long long __match_any(T value) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "match compares values of 4 or 8 bytes");
  unsigned long long result = 0;
  bool done = false;
  while (!done) {
    T chosen = bz_hip_detail::first_lane(value);
    if (chosen == value) {
      result = __activemask();
      done = true;
    }
  }
  return result;
}
template <typename MaskT, typename T> BZ_WAVE unsigned long long __match_any_sync(MaskT mask, T value) {
  unsigned long long m = bz_hip_detail::checked_mask(mask);
  return bz_hip_detail::with_mask(m, [=] { return __match_any(value) & m; });
}
/// All active lanes, and *pred = 1, if they hold one value; else 0 and *pred = 0.
template <typename T> BZ_WAVE unsigned long long __match_all(T value, int* pred) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "match compares values of 4 or 8 bytes");
  *pred = __all(bz_hip_detail::first_lane(value) == value);
  return *pred ? __activemask() : 0;
}
template <typename MaskT, typename T> BZ_WAVE unsigned long long __match_all_sync(MaskT mask, T value, int* pred) {
  unsigned long long m = bz_hip_detail::checked_mask(mask);
  return bz_hip_detail::with_mask(m, [=] { return __match_all(value, pred); });
}

// ---- Shuffles -------------------------------------------------------------------------------------------------------

template <typename MaskT, typename T> BZ_WAVE T __shfl_sync(MaskT mask, T var, int src_lane, int width = warpSize) {
  return bz_hip_detail::with_mask(bz_hip_detail::checked_mask(mask), [=] { return __shfl(var, src_lane, width); });
}
template <typename MaskT, typename T>
BZ_WAVE T __shfl_up_sync(MaskT mask, T var, unsigned int delta, int width = warpSize) {
  return bz_hip_detail::with_mask(bz_hip_detail::checked_mask(mask), [=] { return __shfl_up(var, delta, width); });
}
template <typename MaskT, typename T>
BZ_WAVE T __shfl_down_sync(MaskT mask, T var, unsigned int delta, int width = warpSize) {
  return bz_hip_detail::with_mask(bz_hip_detail::checked_mask(mask), [=] { return __shfl_down(var, delta, width); });
}
template <typename MaskT, typename T>
BZ_WAVE T __shfl_xor_sync(MaskT mask, T var, int lane_mask, int width = warpSize) {
  return bz_hip_detail::with_mask(bz_hip_detail::checked_mask(mask), [=] { return __shfl_xor(var, lane_mask, width); });
}

// ---- Reductions -----------------------------------------------------------------------------------------------------

#define BZ_HIP_REDUCE(name, T, function)                                                                               \
  template <typename MaskT> BZ_WAVE T name(MaskT mask, T value) {                                                      \
    return bz_hip_detail::with_mask(bz_hip_detail::checked_mask(mask), [=] { return function(value); });               \
  }
BZ_HIP_REDUCE(__reduce_add_sync, int, __ockl_wfred_add_i32)
BZ_HIP_REDUCE(__reduce_add_sync, unsigned int, __ockl_wfred_add_u32)
BZ_HIP_REDUCE(__reduce_min_sync, int, __ockl_wfred_min_i32)
BZ_HIP_REDUCE(__reduce_min_sync, unsigned int, __ockl_wfred_min_u32)
BZ_HIP_REDUCE(__reduce_max_sync, int, __ockl_wfred_max_i32)
BZ_HIP_REDUCE(__reduce_max_sync, unsigned int, __ockl_wfred_max_u32)
BZ_HIP_REDUCE(__reduce_and_sync, unsigned int, __ockl_wfred_and_u32)
BZ_HIP_REDUCE(__reduce_or_sync, unsigned int, __ockl_wfred_or_u32)
BZ_HIP_REDUCE(__reduce_xor_sync, unsigned int, __ockl_wfred_xor_u32)
BZ_HIP_REDUCE(__reduce_add_sync, long long, __ockl_wfred_add_i64)
BZ_HIP_REDUCE(__reduce_add_sync, unsigned long long, __ockl_wfred_add_u64)
BZ_HIP_REDUCE(__reduce_min_sync, long long, __ockl_wfred_min_i64)
BZ_HIP_REDUCE(__reduce_min_sync, unsigned long long, __ockl_wfred_min_u64)
BZ_HIP_REDUCE(__reduce_max_sync, long long, __ockl_wfred_max_i64)
BZ_HIP_REDUCE(__reduce_max_sync, unsigned long long, __ockl_wfred_max_u64)
BZ_HIP_REDUCE(__reduce_and_sync, unsigned long long, __ockl_wfred_and_u64)
BZ_HIP_REDUCE(__reduce_or_sync, unsigned long long, __ockl_wfred_or_u64)
BZ_HIP_REDUCE(__reduce_xor_sync, unsigned long long, __ockl_wfred_xor_u64)
BZ_HIP_REDUCE(__reduce_add_sync, float, __ockl_wfred_add_f32)
BZ_HIP_REDUCE(__reduce_min_sync, float, __ockl_wfred_min_f32)
BZ_HIP_REDUCE(__reduce_max_sync, float, __ockl_wfred_max_f32)
BZ_HIP_REDUCE(__reduce_add_sync, double, __ockl_wfred_add_f64)
BZ_HIP_REDUCE(__reduce_min_sync, double, __ockl_wfred_min_f64)
BZ_HIP_REDUCE(__reduce_max_sync, double, __ockl_wfred_max_f64)
#undef BZ_HIP_REDUCE

#pragma pop_macro("BZ_WAVE")
#endif

#endif
