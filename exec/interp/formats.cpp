#include "exec/interp/formats.hpp"

#include "base/raw_memory.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <mutex>
#include <string>

namespace bz::exec {
namespace {

// ---------------------------------------------------------------- floats of any width

struct FloatFormat { int exponent, mantissa; bool sign; };
constexpr FloatFormat kF32{8, 23, true}, kF16{5, 10, true}, kF11{5, 6, false}, kF10{5, 5, false};

constexpr uint32_t infinity(FloatFormat f) { return ((1u << f.exponent) - 1) << f.mantissa; }

/// m shifted right (or left), nearest even; `sticky`: something was lost below m already.
constexpr uint64_t shift_rounded(uint64_t m, int right, bool sticky) {
  if (right <= 0) return m << -right;
  if (right > 64) return 0;
  uint64_t kept = right == 64 ? 0 : m >> right, half = uint64_t{1} << (right - 1), rest = right == 64 ? m : m & ((uint64_t{1} << right) - 1);
  return kept + (rest > half || (rest == half && (sticky || (kept & 1))));
}
/// m * 2^e, rounded to nearest even; overflow gives infinity.
constexpr uint32_t make_float(FloatFormat f, bool negative, uint64_t m, int e, bool sticky = false) {
  uint32_t sign = f.sign && negative ? 1u << (f.exponent + f.mantissa) : 0;
  if (m == 0) return sign;
  int bias = (1 << (f.exponent - 1)) - 1, top = std::bit_width(m) - 1;
  int place = std::max(e + top, 1 - bias) - f.mantissa;   // weight of the last place
  uint64_t r = shift_rounded(m, place - e, sticky);
  // The hidden bit adds one to the exponent field; a carry out of the mantissa another one.
  r += static_cast<uint64_t>(place + f.mantissa - (1 - bias)) << f.mantissa;
  return sign | static_cast<uint32_t>(std::min<uint64_t>(r, infinity(f)));
}
struct Unpacked { bool negative; uint64_t m; int e; };   ///< m * 2^e
constexpr Unpacked unpack(FloatFormat f, uint32_t x) {
  int bias = (1 << (f.exponent - 1)) - 1;
  bool negative = f.sign && x >> (f.exponent + f.mantissa) & 1;
  uint32_t exponent = x >> f.mantissa & ((1u << f.exponent) - 1), m = x & ((1u << f.mantissa) - 1);
  if (exponent) m |= 1u << f.mantissa;
  return {negative, m, static_cast<int>(exponent ? exponent : 1) - bias - f.mantissa};
}
/// Between formats. NaNs keep the upper bits of their payload and are not quieted; unsigned formats have no negatives.
constexpr uint32_t convert_float(FloatFormat to, FloatFormat from, uint32_t x) {
  uint32_t magnitude = from.sign ? x & ((1u << (from.exponent + from.mantissa)) - 1) : x;
  bool negative = from.sign && x >> (from.exponent + from.mantissa) & 1;
  uint32_t sign = to.sign && negative ? 1u << (to.exponent + to.mantissa) : 0;
  if (magnitude > infinity(from)) {
    uint32_t payload = magnitude & ((1u << from.mantissa) - 1);
    int up = to.mantissa - from.mantissa;
    payload = up >= 0 ? payload << up : payload >> -up;
    return sign | infinity(to) | (payload ? payload : 1u << (to.mantissa - 1));
  }
  if (negative && !to.sign) return 0;
  if (magnitude == infinity(from)) return sign | infinity(to);
  Unpacked u = unpack(from, x);
  return make_float(to, u.negative, u.m, u.e);
}
constexpr FloatFormat float_of_bits(unsigned bits) { return bits == 32 ? kF32 : bits == 16 ? kF16 : bits == 11 ? kF11 : kF10; }

constexpr bool is_nan(uint32_t x) { return (x & 0x7fffffff) > 0x7f800000; }

// ---------------------------------------------------------------- sRGB

/// Single-precision values of the 256 codes, and the values halfway between codes, above which the next code is nearer.
struct SrgbTables { std::array<float, 256> linear; std::array<double, 255> border; };
const SrgbTables kSrgb = [] {   // at load: the rounding mode is the host's
  auto linear = [](double x) { return x <= 0.04045 ? x / 12.92 : std::pow((x + 0.055) / 1.055, 2.4); };
  SrgbTables t{};
  for (size_t k = 0; k < 256; ++k) t.linear[k] = static_cast<float>(linear(static_cast<double>(k) / 255));
  for (size_t k = 0; k < 255; ++k) t.border[k] = linear((static_cast<double>(k) + 0.5) / 255);
  return t;
}();

// ---------------------------------------------------------------- one component

constexpr uint32_t ones(unsigned bits) { return bits >= 32 ? ~0u : (1u << bits) - 1; }
constexpr int32_t sign_extend(uint32_t x, unsigned bits) { return static_cast<int32_t>(x << (32 - bits)) >> (32 - bits); }

/// magnitude / scale, nearest even.
uint32_t quotient(FloatFormat f, bool negative, uint32_t magnitude, uint32_t scale) {
  if (magnitude == 0) return 0;
  int up = std::countl_zero(uint64_t{magnitude});
  uint64_t m = uint64_t{magnitude} << up;
  return make_float(f, negative, m / scale, -up, m % scale != 0);
}
/// |x| * scale as a whole number, nearest even; x at most 1 in magnitude.
uint32_t product(uint32_t x, uint32_t scale) {
  Unpacked u = unpack(kF32, x & 0x7fffffff);
  return static_cast<uint32_t>(shift_rounded(u.m * scale, -u.e, false));
}

uint32_t to_register(NumFormat num, unsigned bits, uint32_t x, FloatFormat to) {
  int32_t s = sign_extend(x, bits);
  uint32_t magnitude = s < 0 ? 0u - static_cast<uint32_t>(s) : static_cast<uint32_t>(s);
  switch (num) {
  case NumFormat::unorm: return quotient(to, false, x, ones(bits));
  case NumFormat::snorm: {
    uint32_t top = std::max(ones(bits - 1), 1u);
    return quotient(to, s < 0, std::min(magnitude, top), top);
  }
  case NumFormat::uscaled: return make_float(to, false, x, 0);
  case NumFormat::sscaled: return make_float(to, s < 0, magnitude, 0);
  case NumFormat::uint: return x;
  case NumFormat::sint: return static_cast<uint32_t>(s);
  case NumFormat::floating: return convert_float(to, float_of_bits(bits), x);
  case NumFormat::srgb: return convert_float(to, kF32, std::bit_cast<uint32_t>(kSrgb.linear[x & 255]));
  case NumFormat::reserved6: case NumFormat::metadata: break;
  }
  return 0;
}

/// A float in whole steps, at most `limit` of them.
uint32_t steps(uint32_t x, uint32_t limit) {
  Unpacked u = unpack(kF32, x & 0x7fffffff);
  if ((x & 0x7fffffff) >= 0x4f800000) return limit;   // 2^32 and above
  return static_cast<uint32_t>(std::min<uint64_t>(shift_rounded(u.m, -u.e, false), limit));
}

uint32_t from_register(NumFormat num, unsigned bits, uint32_t x) {
  bool negative = x >> 31;
  switch (num) {
  case NumFormat::unorm: {
    if (is_nan(x) || negative) return 0;
    return x >= 0x3f800000 ? ones(bits) : product(x, ones(bits));
  }
  case NumFormat::snorm: {
    if (is_nan(x)) return 0;
    uint32_t top = bits == 1 ? 1 : ones(bits - 1);
    uint32_t magnitude = (x & 0x7fffffff) >= 0x3f800000 ? top : product(x, top);
    if (bits == 1) return negative && magnitude;
    return (negative ? 0u - magnitude : magnitude) & ones(bits);
  }
  case NumFormat::uscaled: return is_nan(x) || negative ? 0 : steps(x, ones(bits));
  case NumFormat::sscaled: {
    if (is_nan(x)) return 0;
    uint32_t half = 1u << (bits - 1);
    return (negative ? 0u - steps(x, half) : steps(x, half - 1)) & ones(bits);
  }
  case NumFormat::uint: return std::min(x, ones(bits));
  case NumFormat::sint: {
    int32_t s = static_cast<int32_t>(x), top = static_cast<int32_t>(ones(bits) >> 1);
    return static_cast<uint32_t>(std::clamp(s, -top - 1, top)) & ones(bits);
  }
  case NumFormat::floating: return convert_float(float_of_bits(bits), kF32, x);
  case NumFormat::srgb: {
    if (is_nan(x) || negative) return 0;
    double v = std::bit_cast<float>(x);
    return static_cast<uint32_t>(std::lower_bound(kSrgb.border.begin(), kSrgb.border.end(), v) - kSrgb.border.begin());
  }
  case NumFormat::reserved6: case NumFormat::metadata: break;
  }
  return 0;
}

// ---------------------------------------------------------------- 5_9_9_9: three mantissas below one exponent, bias 15

void read_shared(uint32_t x, uint32_t out[4], FloatFormat to) {
  int e = static_cast<int>(x >> 27) - 15 - 9;
  for (unsigned k = 0; k < 3; ++k) out[k] = make_float(to, false, x >> (9 * k) & 511, e);
}
uint32_t write_shared(const uint32_t in[4]) {
  constexpr uint32_t kTop = 0x477f8000;   // 511 * 2^(31 - 24): the largest
  uint32_t v[3], largest = 0;
  for (int k = 0; k < 3; ++k) {
    v[k] = is_nan(in[k]) || in[k] >> 31 ? 0 : std::min(in[k], kTop);
    largest = std::max(largest, v[k]);
  }
  int e = std::max(static_cast<int>(largest >> 23) - 127, -16) + 1 + 15;
  auto mantissa = [&](uint32_t x) {
    Unpacked u = unpack(kF32, x);
    return static_cast<uint32_t>(shift_rounded(u.m, e - 24 - u.e, false));
  };
  if (mantissa(largest) == 512) ++e;
  return mantissa(v[0]) | mantissa(v[1]) << 9 | mantissa(v[2]) << 18 | static_cast<uint32_t>(e) << 27;
}

// ---------------------------------------------------------------- layouts

/// Widths from component 0 on, i.e. the format's name backwards.
struct Layout { const char* name; std::array<uint8_t, 4> bits; };
constexpr Layout kLayouts[] = {
    {"invalid", {}},
    {"8", {8}},
    {"16", {16}},
    {"8_8", {8, 8}},
    {"32", {32}},
    {"16_16", {16, 16}},
    {"10_11_11", {11, 11, 10}},
    {"11_11_10", {10, 11, 11}},
    {"10_10_10_2", {2, 10, 10, 10}},
    {"2_10_10_10", {10, 10, 10, 2}},
    {"8_8_8_8", {8, 8, 8, 8}},
    {"32_32", {32, 32}},
    {"16_16_16_16", {16, 16, 16, 16}},
    {"32_32_32", {32, 32, 32}},
    {"32_32_32_32", {32, 32, 32, 32}},
    {"reserved 15", {}},
    {"5_6_5", {5, 6, 5}},
    {"1_5_5_5", {5, 5, 5, 1}},
    {"5_5_5_1", {1, 5, 5, 5}},
    {"4_4_4_4", {4, 4, 4, 4}},
    {"8_24", {24, 8}},
    {"24_8", {8, 24}},
    {"X24_8_32", {32, 8}},
};
constexpr unsigned kX24_8_32 = 22, k5_9_9_9 = 34;
constexpr const char* kNumbers[] = {"unorm", "snorm", "uscaled", "sscaled", "uint", "sint", "reserved 6", "float", "metadata", "srgb"};

constexpr bool float_width(unsigned bits) { return bits == 32 || bits == 16 || bits == 11 || bits == 10; }

} // namespace

bool texel_format(unsigned data, unsigned num, TexelFormat& f) {
  f = {};
  auto n = static_cast<NumFormat>(num);
  if (data == 0) {
    f.c[0].num = n;   // what 1 is
    return true;
  }
  if (num >= std::size(kNumbers) || n == NumFormat::reserved6 || n == NumFormat::metadata) return false;
  if (data == k5_9_9_9) {
    if (n != NumFormat::floating) return false;
    f.shared_exponent = true;
    f.bytes = 4;
    f.components = 3;
    for (uint8_t k = 0; k < 3; ++k) f.c[k] = {static_cast<uint8_t>(9 * k), 9, n};
    return true;
  }
  if (data >= std::size(kLayouts) || kLayouts[data].bits[0] == 0) return false;
  unsigned at = 0;
  for (uint8_t bits : kLayouts[data].bits) {
    if (bits == 0) break;
    auto& c = f.c[f.components];
    c = {static_cast<uint8_t>(at), bits, n};
    if (n == NumFormat::floating && !float_width(bits)) {
      if (data != kX24_8_32) return false;
      c.num = NumFormat::uint;   // the stencil beside a float depth
    }
    // Packed halves of 10 bits are floats only where all three are.
    if (n == NumFormat::floating && (data == 8 || data == 9)) return false;
    if (n == NumFormat::srgb) {
      if (bits != 8) return false;
      if (f.components == 3) c.num = NumFormat::unorm;   // alpha is linear
    }
    ++f.components;
    at += bits;
  }
  f.bytes = static_cast<uint8_t>(data == kX24_8_32 ? 8 : at / 8);
  return true;
}

const char* texel_format_name(unsigned data, unsigned num) {
  static std::mutex mutex;
  static auto* names = new std::map<std::pair<unsigned, unsigned>, std::string>;
  std::lock_guard lock(mutex);
  std::string& text = (*names)[{data, num}];
  if (text.empty()) {
    text = data == k5_9_9_9 ? "5_9_9_9" : data < std::size(kLayouts) ? kLayouts[data].name : "data format " + std::to_string(data);
    text += num < std::size(kNumbers) ? std::string(" ") + kNumbers[num] : " number format " + std::to_string(num);
  }
  return text.c_str();
}

namespace {

/// From or to a guest's memory; elements have up to 16 bytes.
template <unsigned size> BZ_RAW_ACCESS void move(uint8_t*& to, const uint8_t*& from) {
  __builtin_memcpy(to, from, size);
  to += size, from += size;
}
BZ_RAW_ACCESS void move_texel(void* to, const void* from, unsigned bytes) {
  auto* t = static_cast<uint8_t*>(to);
  auto* s = static_cast<const uint8_t*>(from);
  if (bytes & 16) move<16>(t, s);
  if (bytes & 8) move<8>(t, s);
  if (bytes & 4) move<4>(t, s);
  if (bytes & 2) move<2>(t, s);
  if (bytes & 1) move<1>(t, s);
}

void read_components(const TexelFormat& f, const void* raw, uint32_t out[4], FloatFormat to) {
  uint32_t w[5] = {};
  move_texel(w, raw, f.bytes);
  for (int k = 0; k < 4; ++k) out[k] = 0;
  if (f.shared_exponent) return read_shared(w[0], out, to);
  for (unsigned k = 0; k < f.components; ++k) {
    auto& c = f.c[k];
    // No component straddles a dword.
    out[k] = to_register(c.num, c.bits, w[c.at / 32] >> c.at % 32 & ones(c.bits), to);
  }
}
} // namespace

void read_texel(const TexelFormat& f, const void* raw, uint32_t out[4]) { read_components(f, raw, out, kF32); }
void read_texel_d16(const TexelFormat& f, const void* raw, uint32_t out[4]) {
  read_components(f, raw, out, kF16);
  if (f.integer())
    for (int k = 0; k < 4; ++k) out[k] = component_to_d16(f, out[k]);
}

void write_texel(const TexelFormat& f, const uint32_t in[4], void* raw) {
  uint32_t w[4] = {};
  if (f.shared_exponent) w[0] = write_shared(in);
  else
    for (unsigned k = 0; k < f.components; ++k) {
      auto& c = f.c[k];
      w[c.at / 32] |= from_register(c.num, c.bits, in[k]) << c.at % 32;
    }
  move_texel(raw, w, f.bytes);
}

uint32_t component_to_d16(const TexelFormat& f, uint32_t x) {
  switch (f.c[0].num) {
  case NumFormat::uint: return std::min(x, 0xffffu);
  case NumFormat::sint: return static_cast<uint32_t>(std::clamp(static_cast<int32_t>(x), -0x8000, 0x7fff)) & 0xffff;
  default: return convert_float(kF16, kF32, x);
  }
}
uint32_t component_from_d16(const TexelFormat& f, uint32_t x) {
  x &= 0xffff;
  switch (f.c[0].num) {
  case NumFormat::uint: return x;
  case NumFormat::sint: return static_cast<uint32_t>(sign_extend(x, 16));
  default: return convert_float(kF32, kF16, x);
  }
}

} // namespace bz::exec
