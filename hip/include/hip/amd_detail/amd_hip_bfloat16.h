// hip_bfloat16: the older bfloat16 class, whose bits are the member `data`.
#ifndef BZ_HIP_AMD_BFLOAT16_H
#define BZ_HIP_AMD_BFLOAT16_H

#include <hip/amd_detail/bf16_bits.h>
#include <stdint.h>

typedef struct {
  uint16_t data;
} hip_bfloat16_public;

#ifdef __cplusplus
#if !defined(__HIPCC_RTC__)
#include <ostream>
#endif

struct hip_bfloat16 {
  uint16_t data;
  enum truncate_t { truncate };

  hip_bfloat16() = default;
  explicit __host__ __device__ hip_bfloat16(float f) : data(bz_hip_detail::float_to_bf16(f)) {}
  explicit __host__ __device__ hip_bfloat16(float f, truncate_t) : data(truncated(f)) {}
  __host__ __device__ operator float() const { return bz_hip_detail::bf16_to_float(data); }
  __host__ __device__ hip_bfloat16& operator=(const float& f) {
    data = bz_hip_detail::float_to_bf16(f);
    return *this;
  }
  static __host__ __device__ hip_bfloat16 round_to_bfloat16(float f) { return hip_bfloat16(f); }
  static __host__ __device__ hip_bfloat16 round_to_bfloat16(float f, truncate_t) { return hip_bfloat16(f, truncate); }

private:
  // Cutting the low half off could turn a NaN into an infinity: such a NaN keeps a bit.
  static __host__ __device__ uint16_t truncated(float f) {
    unsigned int u = bz_hip_detail::bits_as<unsigned int>(f);
    bool nan = (u & 0x7fffffffu) > 0x7f800000u;
    return (uint16_t)(u >> 16 | (nan && !(u >> 16 & 0x7f) ? 1 : 0));
  }
};
static_assert(sizeof(hip_bfloat16) == sizeof(hip_bfloat16_public), "C and C++ see the same bits");

#if !defined(__HIPCC_RTC__)
inline std::ostream& operator<<(std::ostream& os, const hip_bfloat16& x) { return os << float(x); }
#endif

#define BZ_HD inline __host__ __device__
BZ_HD hip_bfloat16 operator+(hip_bfloat16 a) { return a; }
BZ_HD hip_bfloat16 operator-(hip_bfloat16 a) {
  a.data ^= 0x8000;
  return a;
}
#define BZ_HIP_BINARY(op)                                                                                              \
  BZ_HD hip_bfloat16 operator op(hip_bfloat16 a, hip_bfloat16 b) { return hip_bfloat16(float(a) op float(b)); }        \
  BZ_HD hip_bfloat16& operator op##=(hip_bfloat16 & a, hip_bfloat16 b) { return a = a op b; }
BZ_HIP_BINARY(+)
BZ_HIP_BINARY(-)
BZ_HIP_BINARY(*)
BZ_HIP_BINARY(/)
#undef BZ_HIP_BINARY
#define BZ_HIP_COMPARE(op)                                                                                             \
  BZ_HD bool operator op(hip_bfloat16 a, hip_bfloat16 b) { return float(a) op float(b); }
BZ_HIP_COMPARE(==)
BZ_HIP_COMPARE(!=)
BZ_HIP_COMPARE(<)
BZ_HIP_COMPARE(>)
BZ_HIP_COMPARE(<=)
BZ_HIP_COMPARE(>=)
#undef BZ_HIP_COMPARE
BZ_HD hip_bfloat16& operator++(hip_bfloat16& a) { return a += hip_bfloat16(1.0f); }
BZ_HD hip_bfloat16& operator--(hip_bfloat16& a) { return a -= hip_bfloat16(1.0f); }
BZ_HD hip_bfloat16 operator++(hip_bfloat16& a, int) {
  hip_bfloat16 old = a;
  ++a;
  return old;
}
BZ_HD hip_bfloat16 operator--(hip_bfloat16& a, int) {
  hip_bfloat16 old = a;
  --a;
  return old;
}

namespace std {
BZ_HD bool isinf(hip_bfloat16 a) { return (a.data & 0x7fff) == 0x7f80; }
BZ_HD bool isnan(hip_bfloat16 a) { return (a.data & 0x7fff) > 0x7f80; }
BZ_HD bool iszero(hip_bfloat16 a) { return (a.data & 0x7fff) == 0; }
} // namespace std
#undef BZ_HD
#else
typedef hip_bfloat16_public hip_bfloat16;
#endif

#endif
