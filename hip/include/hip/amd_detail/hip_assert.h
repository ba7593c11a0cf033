// assert and abort in device code: the message goes to the host's stderr, then the wave traps.
#ifndef BZ_HIP_AMD_HIP_ASSERT_H
#define BZ_HIP_AMD_HIP_ASSERT_H

#include <hip/amd_detail/device_library_decls.h>

#if __HIP_CLANG_ONLY__
extern "C" __device__ __attribute__((noreturn)) inline void abort() { __builtin_trap(); }

namespace bz_hip_detail {
/// Bytes of a string with its end. Volatile reads: the optimiser would make a call of strlen of the loop, which the
/// device doesn't have.
__device__ inline unsigned long string_bytes(const volatile char* s) {
  unsigned long n = 0;
  while (s[n]) ++n;
  return n + 1;
}
} // namespace bz_hip_detail

/// What <assert.h> calls. The text is complete on the host before the trap: each piece waits for its answer.
extern "C" __device__ __attribute__((noinline, noreturn, weak)) void
__assert_fail(const char* assertion, const char* file, unsigned int line, const char* function) {
  const char format[] = "%s:%u: %s: Device-side assertion `%s' failed.\n";
  unsigned long message = __ockl_fprintf_stderr_begin();
  message = __ockl_fprintf_append_string_n(message, format, sizeof(format), 0);
  message = __ockl_fprintf_append_string_n(message, file, bz_hip_detail::string_bytes(file), 0);
  message = __ockl_fprintf_append_args(message, 1, line, 0, 0, 0, 0, 0, 0, 0);
  message = __ockl_fprintf_append_string_n(message, function, bz_hip_detail::string_bytes(function), 0);
  __ockl_fprintf_append_string_n(message, assertion, bz_hip_detail::string_bytes(assertion), 1);
  __builtin_trap();
}

extern "C" __device__ __attribute__((noinline, noreturn, weak)) void __assertfail() { __builtin_trap(); }
#endif

#if defined(__HIPCC_RTC__)
#ifdef NDEBUG
#define assert(condition) ((void)0)
#else
#define assert(condition)                                                                                              \
  ((condition) ? (void)0 : __assert_fail(#condition, __FILE__, __LINE__, __PRETTY_FUNCTION__))
#endif
#endif

#endif
