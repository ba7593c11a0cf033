#include "isa/ref/texel.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace bz::isa::ref {

TexelLayout layout_of(unsigned data_format) {
  switch (data_format) {
  case 1: return {1, {8}};
  case 2: return {1, {16}};
  case 3: return {2, {8, 8}};
  case 4: return {1, {32}};
  case 5: return {2, {16, 16}};
  case 6: return {3, {11, 11, 10}};
  case 7: return {3, {10, 11, 11}};
  case 8: return {4, {2, 10, 10, 10}};
  case 9: return {4, {10, 10, 10, 2}};
  case 10: return {4, {8, 8, 8, 8}};
  case 11: return {2, {32, 32}};
  case 12: return {4, {16, 16, 16, 16}};
  case 13: return {3, {32, 32, 32}};
  case 14: return {4, {32, 32, 32, 32}};
  case 16: return {3, {5, 6, 5}};
  case 17: return {4, {5, 5, 5, 1}};
  case 18: return {4, {1, 5, 5, 5}};
  case 19: return {4, {4, 4, 4, 4}};
  case 20: return {2, {24, 8}};
  case 21: return {2, {8, 24}};
  case 22: return {2, {32, 8}};   // 24 bits of nothing on top
  case 34: return {4, {9, 9, 9, 5}};
  default: return {0, {}};
  }
}

uint32_t field(const uint8_t* raw, int at, int n) {
  uint64_t x = 0;
  for (int b = 0; b < n; ++b) x |= uint64_t{static_cast<unsigned>(raw[(at + b) / 8]) >> ((at + b) & 7) & 1u} << b;
  return static_cast<uint32_t>(x);
}
void set_field(uint8_t* raw, int at, int n, uint32_t x) {
  for (int b = 0; b < n; ++b) {
    uint8_t one = static_cast<uint8_t>(1u << ((at + b) & 7));
    raw[(at + b) / 8] = static_cast<uint8_t>((raw[(at + b) / 8] & ~one) | (x >> b & 1 ? one : 0));
  }
}

// ---------------------------------------------------------------- small floats: five bits of exponent, `mant` of fraction

uint32_t encode(double x, uint32_t nan_fraction, int mant, bool sign) {
  uint32_t s = std::signbit(x) && sign ? 1u << (mant + 5) : 0;
  if (std::isnan(x)) return s | 31u << mant | nan_fraction;
  if (std::signbit(x) && !sign) return 0;
  x = std::fabs(x);
  if (std::isinf(x)) return s | 31u << mant;
  if (x == 0) return s;   // frexp gives it the exponent 0
  int e = 0;
  std::frexp(x, &e);                                   // x = [0.5, 1) * 2^e
  e = std::max(e - 1, -14);                            // exponent of the leading bit, or the denormals'
  double units = std::nearbyint(std::ldexp(x, mant - e));
  auto n = static_cast<uint64_t>(units);
  uint64_t r = (static_cast<uint64_t>(e + 14) << mant) + n;   // the leading bit adds one to the exponent
  if (n < (1u << mant) && e == -14) r = n;
  return s | static_cast<uint32_t>(std::min<uint64_t>(r, 31u << mant));
}
double decode(uint32_t x, int mant, bool sign) {
  uint32_t e = x >> mant & 31, f = x & ((1u << mant) - 1);
  double r = e == 31 ? (f ? NAN : INFINITY) : e ? std::ldexp(1.0 + std::ldexp(f, -mant), static_cast<int>(e) - 15) : std::ldexp(f, -14 - mant);
  return sign && (x >> (mant + 5) & 1) ? -r : r;
}
uint32_t to_single(uint32_t x, int mant, bool sign) {
  uint32_t s = sign ? x >> (mant + 5) << 31 : 0;
  if ((x >> mant & 31) == 31) return s | 0x7f800000u | (x & ((1u << mant) - 1)) << (23 - mant);
  return std::bit_cast<uint32_t>(static_cast<float>(decode(x, mant, sign)));
}
uint32_t from_single(uint32_t x, int mant, bool sign) {
  uint32_t fraction = (x & 0x7fffff) >> (23 - mant);
  return encode(std::bit_cast<float>(x), fraction ? fraction : 1u << (mant - 1), mant, sign);
}

// ---------------------------------------------------------------- one component

namespace {
int64_t signed_of(uint32_t raw, int bits) { return static_cast<int64_t>(uint64_t{raw} << (64 - bits)) >> (64 - bits); }
} // namespace

uint32_t loaded(uint32_t raw, int bits, int number, bool d16) {
  if (is_integer(number)) {
    int64_t v = number == sint ? signed_of(raw, bits) : raw;
    if (d16) v = number == sint ? std::clamp<int64_t>(v, -32768, 32767) : std::min<int64_t>(v, 65535);
    return static_cast<uint32_t>(v) & (d16 ? 0xffffu : ~0u);
  }
  if (number == real) {
    int mant = bits == 32 ? 23 : bits == 16 ? 10 : bits - 5;
    uint32_t single = bits == 32 ? raw : to_single(raw, mant, bits == 16);
    if (!d16) return single;
    return bits == 16 ? raw : from_single(single, 10, true);
  }
  double v;
  if (number == unorm) v = raw / (std::ldexp(1.0, bits) - 1);
  else if (number == snorm) v = std::max(static_cast<double>(signed_of(raw, bits)) / (std::ldexp(1.0, bits - 1) - 1), -1.0);
  else if (number == uscaled) v = raw;
  else v = static_cast<double>(signed_of(raw, bits));
  return d16 ? encode(v, 0, 10, true) : std::bit_cast<uint32_t>(static_cast<float>(v));
}

uint32_t stored(uint32_t x, int bits, int number, bool d16) {
  uint64_t top = (uint64_t{1} << bits) - 1;
  if (number == uint) return static_cast<uint32_t>(std::min<uint64_t>(x, top));
  if (number == sint) {
    int64_t v = d16 ? static_cast<int16_t>(x) : static_cast<int32_t>(x), half = int64_t{1} << (bits - 1);
    return static_cast<uint32_t>(std::clamp(v, -half, half - 1)) & static_cast<uint32_t>(top);
  }
  uint32_t single = d16 ? to_single(x, 10, true) : x;
  if (number == real) {
    if (bits == 32) return single;
    return bits == 16 && d16 ? x : from_single(single, bits == 16 ? 10 : bits - 5, bits == 16);
  }
  long double v = std::bit_cast<float>(single), half = std::ldexp(1.0L, bits - 1), all = std::ldexp(1.0L, bits);   // exact products
  if (std::isnan(v)) return 0;
  if (number == unorm) v = std::clamp(v, 0.0L, 1.0L) * (all - 1);
  else if (number == snorm) v = std::clamp(v, -1.0L, 1.0L) * (half - 1);
  else if (number == uscaled) v = std::clamp(v, 0.0L, all - 1);
  else v = std::clamp(v, -half, half - 1);
  return static_cast<uint32_t>(static_cast<int64_t>(std::nearbyint(v))) & static_cast<uint32_t>(top);
}

} // namespace bz::isa::ref
