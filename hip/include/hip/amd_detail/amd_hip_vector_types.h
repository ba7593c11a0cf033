// char1 .. double4: vectors with members x, y, z, w, arithmetic per component, and the make_* functions.
// Sizes and alignments are CUDA's and HIP's: a vector of 2 or 4 is aligned to its size, one of 3 to its component.
#ifndef BZ_HIP_AMD_VECTOR_TYPES_H
#define BZ_HIP_AMD_VECTOR_TYPES_H

#include <hip/amd_detail/host_defines.h>
#include <stddef.h>
#if defined(__cplusplus) && !defined(__clang__)
#include <type_traits>
#endif

// X(name, component type): every vector family.
#define BZ_HIP_VECTOR_FAMILIES(X)                                                                                      \
  X(char, signed char)                                                                                                 \
  X(uchar, unsigned char)                                                                                              \
  X(short, short)                                                                                                      \
  X(ushort, unsigned short)                                                                                            \
  X(int, int)                                                                                                          \
  X(uint, unsigned int)                                                                                                \
  X(long, long)                                                                                                        \
  X(ulong, unsigned long)                                                                                              \
  X(longlong, long long)                                                                                               \
  X(ulonglong, unsigned long long)                                                                                     \
  X(float, float)                                                                                                      \
  X(double, double)

#ifndef __cplusplus

#define BZ_HIP_C_VECTORS(name, T)                                                                                      \
  typedef struct name##1 {                                                                                             \
    T x;                                                                                                               \
  } name##1;                                                                                                           \
  typedef struct __attribute__((aligned(2 * sizeof(T)))) name##2 {                                                     \
    T x, y;                                                                                                            \
  } name##2;                                                                                                           \
  typedef struct name##3 {                                                                                             \
    T x, y, z;                                                                                                         \
  } name##3;                                                                                                           \
  typedef struct __attribute__((aligned(4 * sizeof(T)))) name##4 {                                                     \
    T x, y, z, w;                                                                                                      \
  } name##4;
BZ_HIP_VECTOR_FAMILIES(BZ_HIP_C_VECTORS)

#else

#if defined(__HIPCC_RTC__)
#define BZ_HIP_VEC_FN __device__
#else
#define BZ_HIP_VEC_FN __host__ __device__
#endif
#define __HOST_DEVICE__ BZ_HIP_VEC_FN
#define __HIP_USE_NATIVE_VECTOR__ 1

namespace __hip_internal {
template <bool B, class T = void> struct enable_if {};
template <class T> struct enable_if<true, T> {
  typedef T type;
};
template <class T> struct is_integral_component {
  static const bool value = T(1) / T(2) == T(0);
};
// char1 .. char4 have plain char components, as in HIP; make_char* takes signed char, as in CUDA.
template <class T> struct component {
  typedef T type;
};
template <> struct component<signed char> {
  typedef char type;
};
// Arithmetic types and enumerations: what one value per component may come from.
template <class U> struct is_scalar {
#if defined(__clang__)
  static const bool value = __is_arithmetic(U) || __is_enum(U) || __is_same(U, _Float16);
#else
  static const bool value = std::is_arithmetic<U>::value || std::is_enum<U>::value;
#endif
};
} // namespace __hip_internal

template <typename T, unsigned int n> struct HIP_vector_base;
template <typename T, unsigned int rank> struct HIP_vector_type;

#if defined(__clang__)
#define BZ_HIP_NATIVE(T, n) typedef T Native_vec_ __attribute__((ext_vector_type(n)));
#define BZ_HIP_MEMBERS(T, n, ...)                                                                                      \
  BZ_HIP_NATIVE(T, n)                                                                                                  \
  union {                                                                                                              \
    Native_vec_ data;                                                                                                  \
    struct {                                                                                                           \
      T __VA_ARGS__;                                                                                                   \
    };                                                                                                                 \
  };
#else
#define BZ_HIP_MEMBERS(T, n, ...) T __VA_ARGS__;
#endif

template <typename T> struct HIP_vector_base<T, 1> {
  BZ_HIP_MEMBERS(T, 1, x)
  typedef T value_type;
  HIP_vector_base() = default;
  BZ_HIP_VEC_FN constexpr HIP_vector_base(T x_) : x(x_) {}
};
template <typename T> struct alignas(2 * sizeof(T)) HIP_vector_base<T, 2> {
  BZ_HIP_MEMBERS(T, 2, x, y)
  typedef T value_type;
  HIP_vector_base() = default;
  BZ_HIP_VEC_FN constexpr HIP_vector_base(T x_) : x(x_), y(x_) {}
  BZ_HIP_VEC_FN constexpr HIP_vector_base(T x_, T y_) : x(x_), y(y_) {}
};
// Three components have no native form: it would be as large as four.
template <typename T> struct HIP_vector_base<T, 3> {
  T x, y, z;
  typedef T value_type;
  HIP_vector_base() = default;
  BZ_HIP_VEC_FN constexpr HIP_vector_base(T x_) : x(x_), y(x_), z(x_) {}
  BZ_HIP_VEC_FN constexpr HIP_vector_base(T x_, T y_, T z_) : x(x_), y(y_), z(z_) {}
};
template <typename T> struct alignas(4 * sizeof(T)) HIP_vector_base<T, 4> {
  BZ_HIP_MEMBERS(T, 4, x, y, z, w)
  typedef T value_type;
  HIP_vector_base() = default;
  BZ_HIP_VEC_FN constexpr HIP_vector_base(T x_) : x(x_), y(x_), z(x_), w(x_) {}
  BZ_HIP_VEC_FN constexpr HIP_vector_base(T x_, T y_, T z_, T w_) : x(x_), y(y_), z(z_), w(w_) {}
};

#if defined(__clang__)
template <typename T, unsigned int n>
BZ_HIP_VEC_FN inline typename HIP_vector_base<T, n>::Native_vec_& get_native_vector(HIP_vector_base<T, n>& v) {
  return v.data;
}
template <typename T, unsigned int n>
BZ_HIP_VEC_FN inline const typename HIP_vector_base<T, n>::Native_vec_& get_native_vector(const HIP_vector_base<T, n>& v) {
  return v.data;
}
#endif

#define BZ_HIP_IF(...) typename __hip_internal::enable_if<(__VA_ARGS__), int>::type = 0
#define BZ_HIP_SCALAR(U) BZ_HIP_IF(__hip_internal::is_scalar<U>::value)
#define BZ_HIP_INTEGRAL(T) BZ_HIP_IF(__hip_internal::is_integral_component<T>::value)

template <typename T, unsigned int rank> struct HIP_vector_type : HIP_vector_base<T, rank> {
  typedef HIP_vector_base<T, rank> base;
  HIP_vector_type() = default;
  HIP_vector_type(const HIP_vector_type&) = default;
  HIP_vector_type(HIP_vector_type&&) = default;
  HIP_vector_type& operator=(const HIP_vector_type&) = default;
  HIP_vector_type& operator=(HIP_vector_type&&) = default;
  /// One value for every component.
  template <typename U, BZ_HIP_SCALAR(U)>
  BZ_HIP_VEC_FN constexpr HIP_vector_type(U x_) : base(static_cast<T>(x_)) {}
  template <typename... Us, BZ_HIP_IF(rank > 1 && sizeof...(Us) == rank)>
  BZ_HIP_VEC_FN constexpr HIP_vector_type(Us... xs) : base(static_cast<T>(xs)...) {}

  BZ_HIP_VEC_FN T& operator[](size_t i) { return (&this->x)[i]; }
  BZ_HIP_VEC_FN const T& operator[](size_t i) const { return (&this->x)[i]; }

#define BZ_HIP_COMPOUND(op, condition)                                                                                 \
  template <typename V = T, condition> BZ_HIP_VEC_FN HIP_vector_type& operator op(const HIP_vector_type& o) {          \
    for (unsigned int i = 0; i < rank; ++i) (*this)[i] op o[i];                                                        \
    return *this;                                                                                                      \
  }                                                                                                                    \
  template <typename U, typename V = T, BZ_HIP_SCALAR(U), condition> BZ_HIP_VEC_FN HIP_vector_type& operator op(U o) { \
    return *this op HIP_vector_type(o);                                                                                \
  }
  BZ_HIP_COMPOUND(+=, BZ_HIP_IF(true || sizeof(V)))
  BZ_HIP_COMPOUND(-=, BZ_HIP_IF(true || sizeof(V)))
  BZ_HIP_COMPOUND(*=, BZ_HIP_IF(true || sizeof(V)))
  BZ_HIP_COMPOUND(/=, BZ_HIP_IF(true || sizeof(V)))
  BZ_HIP_COMPOUND(%=, BZ_HIP_INTEGRAL(V))
  BZ_HIP_COMPOUND(&=, BZ_HIP_INTEGRAL(V))
  BZ_HIP_COMPOUND(|=, BZ_HIP_INTEGRAL(V))
  BZ_HIP_COMPOUND(^=, BZ_HIP_INTEGRAL(V))
  BZ_HIP_COMPOUND(<<=, BZ_HIP_INTEGRAL(V))
  BZ_HIP_COMPOUND(>>=, BZ_HIP_INTEGRAL(V))
#undef BZ_HIP_COMPOUND

  BZ_HIP_VEC_FN HIP_vector_type& operator++() { return *this += HIP_vector_type(T(1)); }
  BZ_HIP_VEC_FN HIP_vector_type& operator--() { return *this -= HIP_vector_type(T(1)); }
  BZ_HIP_VEC_FN HIP_vector_type operator++(int) {
    HIP_vector_type old(*this);
    ++*this;
    return old;
  }
  BZ_HIP_VEC_FN HIP_vector_type operator--(int) {
    HIP_vector_type old(*this);
    --*this;
    return old;
  }
  BZ_HIP_VEC_FN HIP_vector_type operator+() const { return *this; }
  BZ_HIP_VEC_FN HIP_vector_type operator-() const {
    HIP_vector_type r;
    for (unsigned int i = 0; i < rank; ++i) r[i] = -(*this)[i];
    return r;
  }
  template <typename V = T, BZ_HIP_INTEGRAL(V)> BZ_HIP_VEC_FN HIP_vector_type operator~() const {
    HIP_vector_type r;
    for (unsigned int i = 0; i < rank; ++i) r[i] = ~(*this)[i];
    return r;
  }
};

#define BZ_HIP_BINARY(op, assign, condition)                                                                           \
  template <typename T, unsigned int n, condition>                                                                     \
  BZ_HIP_VEC_FN inline HIP_vector_type<T, n> operator op(const HIP_vector_type<T, n>& x, const HIP_vector_type<T, n>& y) { \
    HIP_vector_type<T, n> r(x);                                                                                        \
    return r assign y;                                                                                                 \
  }                                                                                                                    \
  template <typename T, unsigned int n, typename U, BZ_HIP_SCALAR(U), condition>                                       \
  BZ_HIP_VEC_FN inline HIP_vector_type<T, n> operator op(const HIP_vector_type<T, n>& x, U y) {                        \
    HIP_vector_type<T, n> r(x);                                                                                        \
    return r assign HIP_vector_type<T, n>(y);                                                                          \
  }                                                                                                                    \
  template <typename T, unsigned int n, typename U, BZ_HIP_SCALAR(U), condition>                                       \
  BZ_HIP_VEC_FN inline HIP_vector_type<T, n> operator op(U x, const HIP_vector_type<T, n>& y) {                        \
    HIP_vector_type<T, n> r(x);                                                                                        \
    return r assign y;                                                                                                 \
  }
BZ_HIP_BINARY(+, +=, BZ_HIP_IF(true || sizeof(T)))
BZ_HIP_BINARY(-, -=, BZ_HIP_IF(true || sizeof(T)))
BZ_HIP_BINARY(*, *=, BZ_HIP_IF(true || sizeof(T)))
BZ_HIP_BINARY(/, /=, BZ_HIP_IF(true || sizeof(T)))
BZ_HIP_BINARY(%, %=, BZ_HIP_INTEGRAL(T))
BZ_HIP_BINARY(&, &=, BZ_HIP_INTEGRAL(T))
BZ_HIP_BINARY(|, |=, BZ_HIP_INTEGRAL(T))
BZ_HIP_BINARY(^, ^=, BZ_HIP_INTEGRAL(T))
BZ_HIP_BINARY(<<, <<=, BZ_HIP_INTEGRAL(T))
BZ_HIP_BINARY(>>, >>=, BZ_HIP_INTEGRAL(T))
#undef BZ_HIP_BINARY

template <typename T, unsigned int n>
BZ_HIP_VEC_FN inline bool operator==(const HIP_vector_type<T, n>& x, const HIP_vector_type<T, n>& y) {
  for (unsigned int i = 0; i < n; ++i)
    if (!(x[i] == y[i])) return false;
  return true;
}
template <typename T, unsigned int n, typename U, BZ_HIP_SCALAR(U)>
BZ_HIP_VEC_FN inline bool operator==(const HIP_vector_type<T, n>& x, U y) {
  return x == HIP_vector_type<T, n>(y);
}
template <typename T, unsigned int n, typename U, BZ_HIP_SCALAR(U)>
BZ_HIP_VEC_FN inline bool operator==(U x, const HIP_vector_type<T, n>& y) {
  return HIP_vector_type<T, n>(x) == y;
}
template <typename T, unsigned int n>
BZ_HIP_VEC_FN inline bool operator!=(const HIP_vector_type<T, n>& x, const HIP_vector_type<T, n>& y) {
  return !(x == y);
}
template <typename T, unsigned int n, typename U, BZ_HIP_SCALAR(U)>
BZ_HIP_VEC_FN inline bool operator!=(const HIP_vector_type<T, n>& x, U y) {
  return !(x == y);
}
template <typename T, unsigned int n, typename U, BZ_HIP_SCALAR(U)>
BZ_HIP_VEC_FN inline bool operator!=(U x, const HIP_vector_type<T, n>& y) {
  return !(x == y);
}
#undef BZ_HIP_MEMBERS
#undef BZ_HIP_NATIVE
#undef BZ_HIP_INTEGRAL

#define BZ_HIP_ALIASES(name, T)                                                                                        \
  typedef HIP_vector_type<__hip_internal::component<T>::type, 1> name##1;                                              \
  typedef HIP_vector_type<__hip_internal::component<T>::type, 2> name##2;                                              \
  typedef HIP_vector_type<__hip_internal::component<T>::type, 3> name##3;                                              \
  typedef HIP_vector_type<__hip_internal::component<T>::type, 4> name##4;
BZ_HIP_VECTOR_FAMILIES(BZ_HIP_ALIASES)
#undef BZ_HIP_ALIASES

#endif // __cplusplus

#ifdef __cplusplus
#define BZ_HIP_MAKE_FN static inline __host__ __device__
#define BZ_HIP_BUILD(V, ...) return V(__VA_ARGS__);
#else
#define BZ_HIP_MAKE_FN static inline
#define BZ_HIP_BUILD(V, ...)                                                                                           \
  V r = {__VA_ARGS__};                                                                                                 \
  return r;
#endif
#define BZ_HIP_MAKE(name, T)                                                                                           \
  BZ_HIP_MAKE_FN name##1 make_##name##1(T x) { BZ_HIP_BUILD(name##1, x) }                                              \
  BZ_HIP_MAKE_FN name##2 make_##name##2(T x, T y) { BZ_HIP_BUILD(name##2, x, y) }                                      \
  BZ_HIP_MAKE_FN name##3 make_##name##3(T x, T y, T z) { BZ_HIP_BUILD(name##3, x, y, z) }                              \
  BZ_HIP_MAKE_FN name##4 make_##name##4(T x, T y, T z, T w) { BZ_HIP_BUILD(name##4, x, y, z, w) }
BZ_HIP_VECTOR_FAMILIES(BZ_HIP_MAKE)
#undef BZ_HIP_MAKE
#undef BZ_HIP_BUILD
#undef BZ_HIP_MAKE_FN

#endif
