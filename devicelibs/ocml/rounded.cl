// Arithmetic and conversions with a chosen rounding direction: rte nearest, rtn down, rtp up, rtz to zero.
//
// add, sub, mul and fma run the instruction under another MODE: one asm statement, which puts MODE back, so that nothing
// can move in between. Division and root are computed to nearest and corrected by the sign of the exact remainder.
// Conversions are corrected by comparing the result with the argument.
#include "ocml.h"

typedef enum { RTN, RTP, RTZ } direction;

// ---- The neighbours of a number, by its bits ------------------------------------------------------------------------

#define NEIGHBOURS(t, u, s, one_sign)                                                                                  \
  static t up_##s(t x) { /* x is neither NaN nor +inf */                                                               \
    u b = __builtin_bit_cast(u, x);                                                                                    \
    if ((u)(b << 1) == 0) return __builtin_bit_cast(t, (u)1);                                                          \
    return __builtin_bit_cast(t, (u)(b & one_sign ? b - 1 : b + 1));                                                   \
  }                                                                                                                    \
  static t down_##s(t x) { return -up_##s(-x); }
NEIGHBOURS(float, uint, f32, 0x80000000u)
NEIGHBOURS(double, ulong, f64, 0x8000000000000000ul)
NEIGHBOURS(half, ushort, f16, (ushort)0x8000)

// r is the exact value rounded to nearest; `above` says that the exact value is above r, `below` that it is below.
#define CORRECT(t, s)                                                                                                  \
  static t correct_##s(t r, bool above, bool below, bool negative, direction d) {                                      \
    if (d == RTZ) d = negative ? RTP : RTN;                                                                            \
    if (d == RTP) return above ? up_##s(r) : r;                                                                        \
    return below ? down_##s(r) : r;                                                                                    \
  }
CORRECT(float, f32)
CORRECT(double, f64)
CORRECT(half, f16)

// ---- Conversions ----------------------------------------------------------------------------------------------------

#define NARROW(to, ts, from, fs)                                                                                       \
  static to narrow_##ts##_##fs(from x, direction d) {                                                                  \
    to r = (to)x;                                                                                                      \
    return correct_##ts(r, (from)r < x, (from)r > x, x < 0, d);                                                        \
  }                                                                                                                    \
  CONST to OCML(cvtrtn_##ts##_##fs)(from x) { return narrow_##ts##_##fs(x, RTN); }                                     \
  CONST to OCML(cvtrtp_##ts##_##fs)(from x) { return narrow_##ts##_##fs(x, RTP); }                                     \
  CONST to OCML(cvtrtz_##ts##_##fs)(from x) { return narrow_##ts##_##fs(x, RTZ); }                                     \
  CONST to OCML(cvtrte_##ts##_##fs)(from x) { return (to)x; }
NARROW(float, f32, double, f64)
NARROW(half, f16, float, f32)

#define FROM_32(t, s)                                                                                                  \
  CONST float OCML(cvtrtn_f32_##s)(t x) { return narrow_f32_f64((double)x, RTN); }                                     \
  CONST float OCML(cvtrtp_f32_##s)(t x) { return narrow_f32_f64((double)x, RTP); }                                     \
  CONST float OCML(cvtrtz_f32_##s)(t x) { return narrow_f32_f64((double)x, RTZ); }
FROM_32(int, s32)
FROM_32(uint, u32)

// 64-bit integers: the leading bits convert exactly; what was cut off decides.
#define FROM_64(to, ts, digits)                                                                                        \
  static to from_u64_##ts(ulong m, bool negative, direction d) {                                                       \
    ulong kept = m;                                                                                                    \
    if (m >> digits) {                                                                                                 \
      uint cut = 64 - digits - (uint)__builtin_clzl(m);                                                                \
      kept = m >> cut << cut;                                                                                          \
    }                                                                                                                  \
    to r = (to)kept;                                                                                                   \
    bool outward = m != kept && (negative ? d == RTN : d == RTP);                                                      \
    if (outward) r = up_##ts(r);                                                                                       \
    return negative ? -r : r;                                                                                          \
  }                                                                                                                    \
  static to from_s64_##ts(long x, direction d) { return from_u64_##ts(x < 0 ? -(ulong)x : (ulong)x, x < 0, d); }       \
  CONST to OCML(cvtrtn_##ts##_s64)(long x) { return from_s64_##ts(x, RTN); }                                           \
  CONST to OCML(cvtrtp_##ts##_s64)(long x) { return from_s64_##ts(x, RTP); }                                           \
  CONST to OCML(cvtrtz_##ts##_s64)(long x) { return from_s64_##ts(x, RTZ); }                                           \
  CONST to OCML(cvtrtn_##ts##_u64)(ulong x) { return from_u64_##ts(x, false, RTN); }                                   \
  CONST to OCML(cvtrtp_##ts##_u64)(ulong x) { return from_u64_##ts(x, false, RTP); }                                   \
  CONST to OCML(cvtrtz_##ts##_u64)(ulong x) { return from_u64_##ts(x, false, RTZ); }
FROM_64(float, f32, 24)
FROM_64(double, f64, 53)

// ---- add, sub, mul, fma ---------------------------------------------------------------------------------------------
// MODE bits 1:0 round f32, bits 3:2 round f64 and f16: 0 nearest, 1 up, 2 down, 3 to zero.

#define MODE_f32 "hwreg(HW_REG_MODE, 0, 2)"
#define MODE_f64 "hwreg(HW_REG_MODE, 2, 2)"
#define UNDER(s, code, instruction, out, ...)                                                                          \
  uint saved;                                                                                                          \
  __asm__("s_getreg_b32 %1, " MODE_##s "\n\ts_setreg_imm32_b32 " MODE_##s ", " code "\n\t" instruction                 \
          "\n\ts_setreg_b32 " MODE_##s ", %1"                                                                          \
          : "=&v"(out), "=&s"(saved)                                                                                   \
          : __VA_ARGS__)

#define ARITHMETIC_IN(dir, code, t, s)                                                                                 \
  CONST t OCML(add_##dir##_##s)(t x, t y) {                                                                            \
    t r;                                                                                                               \
    UNDER(s, code, "v_add_" #s " %0, %2, %3", r, "v"(x), "v"(y));                                                      \
    return r;                                                                                                          \
  }                                                                                                                    \
  CONST t OCML(sub_##dir##_##s)(t x, t y) { return OCML(add_##dir##_##s)(x, -y); }                                     \
  CONST t OCML(mul_##dir##_##s)(t x, t y) {                                                                            \
    t r;                                                                                                               \
    UNDER(s, code, "v_mul_" #s " %0, %2, %3", r, "v"(x), "v"(y));                                                      \
    return r;                                                                                                          \
  }                                                                                                                    \
  CONST t OCML(fma_##dir##_##s)(t x, t y, t z) {                                                                       \
    t r;                                                                                                               \
    UNDER(s, code, "v_fma_" #s " %0, %2, %3, %4", r, "v"(x), "v"(y), "v"(z));                                          \
    return r;                                                                                                          \
  }
#define ARITHMETIC(t, s)                                                                                               \
  ARITHMETIC_IN(rtp, "1", t, s)                                                                                        \
  ARITHMETIC_IN(rtn, "2", t, s)                                                                                        \
  ARITHMETIC_IN(rtz, "3", t, s)                                                                                        \
  CONST t OCML(add_rte_##s)(t x, t y) { return x + y; }                                                                \
  CONST t OCML(sub_rte_##s)(t x, t y) { return x - y; }                                                                \
  CONST t OCML(mul_rte_##s)(t x, t y) { return x * y; }                                                                \
  CONST t OCML(fma_rte_##s)(t x, t y, t z) { return __builtin_elementwise_fma(x, y, z); }
ARITHMETIC(float, f32)
ARITHMETIC(double, f64)

// ---- div, sqrt ------------------------------------------------------------------------------------------------------
// 32 bits: 53 bits of quotient or root hold enough to see on which side of a float the exact value lies.

#define DIV_SQRT_32(dir, D)                                                                                            \
  CONST float OCML(div_##dir##_f32)(float x, float y) {                                                                \
    double q = (double)x / (double)y;                                                                                  \
    if (y == 0.0f || __builtin_isinf(x) || __builtin_isnan(q)) return (float)q;                                        \
    return narrow_f32_f64(q, D);                                                                                       \
  }                                                                                                                    \
  CONST float OCML(sqrt_##dir##_f32)(float x) { return narrow_f32_f64(__builtin_sqrt((double)x), D); }
DIV_SQRT_32(rtn, RTN)
DIV_SQRT_32(rtp, RTP)
DIV_SQRT_32(rtz, RTZ)
// OpenCL's own 32-bit division may be off by 2.5 ULP; rounding a quotient of doubles once more is exact.
CONST float OCML(div_rte_f32)(float x, float y) { return (float)((double)x / (double)y); }
CONST double OCML(div_rte_f64)(double x, double y) { return x / y; }
CONST float OCML(sqrt_rte_f32)(float x) { return (float)__builtin_sqrt((double)x); }

// 64 bits: scaled into [1/2, 1), where the remainder of the rounded result is exact, and scaled back under the mode.
static double scale_back(double q, int e, direction d) {
  // The last product may round and is directed, those before it are exact. What is left of e beyond 1000 overflows.
  if (e > 1000) {
    q *= 0x1p1000;
    e = e > 2000 ? 1000 : e - 1000;
  }
  for (; e < -900 && __builtin_fabs(q) > 0x1p-60; e += 900) q *= 0x1p-900;
  double last = __builtin_ldexp(1.0, e < -1021 ? -1021 : e);
  int rest = e < -1021 ? e + 1021 : 0;
  q = rest ? q * __builtin_ldexp(1.0, rest) : q;
  return d == RTN ? OCML(mul_rtn_f64)(q, last) : d == RTP ? OCML(mul_rtp_f64)(q, last) : OCML(mul_rtz_f64)(q, last);
}
static double div_f64(double x, double y, direction d) {
  double plain = x / y;
  if (x == 0 || y == 0 || !__builtin_isfinite(x) || !__builtin_isfinite(y)) return plain;
  int ex, ey;
  double a = __builtin_frexp(x, &ex), b = __builtin_frexp(y, &ey);
  double q = a / b;
  double r = __builtin_fma(-q, b, a); // exact; the sign of what is missing from q * b
  bool above = b > 0 ? r > 0 : r < 0, below = b > 0 ? r < 0 : r > 0;
  return scale_back(correct_f64(q, above, below, q < 0, d), ex - ey, d);
}
static double sqrt_f64(double x, direction d) {
  if (!(x > 0) || __builtin_isinf(x)) return __builtin_sqrt(x);
  int e;
  double m = __builtin_frexp(x, &e);
  if (e & 1) m *= 2, e -= 1;
  double s = __builtin_sqrt(m);
  double r = __builtin_fma(-s, s, m);
  return __builtin_ldexp(correct_f64(s, r > 0, r < 0, false, d), e / 2); // a root is never subnormal: exact
}
CONST double OCML(div_rtn_f64)(double x, double y) { return div_f64(x, y, RTN); }
CONST double OCML(div_rtp_f64)(double x, double y) { return div_f64(x, y, RTP); }
CONST double OCML(div_rtz_f64)(double x, double y) { return div_f64(x, y, RTZ); }
CONST double OCML(sqrt_rte_f64)(double x) { return __builtin_sqrt(x); }
CONST double OCML(sqrt_rtn_f64)(double x) { return sqrt_f64(x, RTN); }
CONST double OCML(sqrt_rtp_f64)(double x) { return sqrt_f64(x, RTP); }
CONST double OCML(sqrt_rtz_f64)(double x) { return sqrt_f64(x, RTZ); }

// ---- 16 bits --------------------------------------------------------------------------------------------------------
// A float holds 24 bits: sums and products of halves are exact enough in double to be narrowed once.

static half narrow_f16_f64(double x, direction d) {
  half r = (half)x;
  return correct_f16(r, (double)r < x, (double)r > x, x < 0, d);
}
#define HALF_IN(dir, D)                                                                                                \
  CONST half OCML(add_##dir##_f16)(half x, half y) { return narrow_f16_f64((double)x + (double)y, D); }                \
  CONST half OCML(sub_##dir##_f16)(half x, half y) { return narrow_f16_f64((double)x - (double)y, D); }                \
  CONST half OCML(mul_##dir##_f16)(half x, half y) { return narrow_f16_f64((double)x * (double)y, D); }                \
  CONST half OCML(div_##dir##_f16)(half x, half y) {                                                                   \
    double q = (double)x / (double)y;                                                                                  \
    if (y == 0 || __builtin_isnan(q) || __builtin_isinf(q)) return (half)q;                                            \
    return narrow_f16_f64(q, D);                                                                                       \
  }                                                                                                                    \
  CONST half OCML(fma_##dir##_f16)(half x, half y, half z) {                                                           \
    /* product: 22 bits; the sum spans at most 80 bits, so its error is carried along */                               \
    double p = (double)x * (double)y, c = (double)z, s = p + c;                                                        \
    double e = __builtin_fabs(p) > __builtin_fabs(c) ? c - (s - p) : p - (s - c);                                      \
    half r = (half)s;                                                                                                  \
    if (!__builtin_isfinite(s)) return r;                                                                              \
    double rest = s - (double)r;                                                                                       \
    bool above = rest > 0 || (rest == 0 && e > 0), below = rest < 0 || (rest == 0 && e < 0);                           \
    return correct_f16(r, above, below, s < 0, D);                                                                     \
  }                                                                                                                    \
  CONST half OCML(sqrt_##dir##_f16)(half x) { return narrow_f16_f64(__builtin_sqrt((double)x), D); }
HALF_IN(rtn, RTN)
HALF_IN(rtp, RTP)
HALF_IN(rtz, RTZ)
CONST half OCML(add_rte_f16)(half x, half y) { return x + y; }
CONST half OCML(sub_rte_f16)(half x, half y) { return x - y; }
CONST half OCML(mul_rte_f16)(half x, half y) { return x * y; }
CONST half OCML(div_rte_f16)(half x, half y) { return (half)((double)x / (double)y); }
CONST half OCML(fma_rte_f16)(half x, half y, half z) { return __builtin_elementwise_fma(x, y, z); }
CONST half OCML(sqrt_rte_f16)(half x) { return (half)__builtin_sqrtf((float)x); }
