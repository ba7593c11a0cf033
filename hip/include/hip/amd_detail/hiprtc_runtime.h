// What a program that is compiled at run time sees without including anything: the device side of HIP, and the few names
// that other programs have from the standard library. Type traits are in __hip_internal, so that std stays the program's.
#ifndef BZ_HIP_AMD_HIPRTC_RUNTIME_H
#define BZ_HIP_AMD_HIPRTC_RUNTIME_H

#include <hip/hip_runtime.h>

#include <hip/hip_bfloat16.h>
#include <hip/hip_complex.h>
#include <hip/hip_fp16.h>
#include <hip/hip_math_constants.h>
#include <hip/math_functions.h>
#include <hip/surface_types.h>

typedef unsigned int uint;
typedef unsigned short ushort;
typedef unsigned long ulong;

namespace __hip_internal {
template <bool B> struct bool_constant {
  static constexpr bool value = B;
};
typedef bool_constant<true> true_type;
typedef bool_constant<false> false_type;

template <class A, class B> struct is_same : bool_constant<__is_same(A, B)> {};
template <class T> struct is_integral : bool_constant<__is_integral(T)> {};
template <class T> struct is_floating_point : bool_constant<__is_floating_point(T)> {};
template <class T> struct is_arithmetic : bool_constant<__is_arithmetic(T)> {};
template <class T> struct is_signed : bool_constant<__is_signed(T)> {};
template <class T> struct is_pointer : bool_constant<__is_pointer(T)> {};
template <class T> struct is_const : bool_constant<__is_const(T)> {};
template <class A, class B> struct is_convertible : bool_constant<__is_convertible_to(A, B)> {};
template <class T> struct is_standard_layout : bool_constant<__is_standard_layout(T)> {};
template <class T> struct is_trivial : bool_constant<__is_trivially_copyable(T) && __is_trivially_constructible(T)> {};
} // namespace __hip_internal

// Programs that were written where it is a long long say so.
#if defined(__HIPRTC_PTRDIFF_T_IS_LONG_LONG__) && __HIPRTC_PTRDIFF_T_IS_LONG_LONG__
typedef long long __hip_ptrdiff_t;
#define ptrdiff_t __hip_ptrdiff_t
#endif

#endif
