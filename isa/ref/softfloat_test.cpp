// The software floating point against the host's own unit: every rounding mode, corner and random operands, flushing.
#include "isa/ref/softfloat.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <cstdio>
#include <immintrin.h>
#include <random>

using namespace bz::isa::ref::soft;

namespace {

std::mt19937_64 g_random(20250607);

constexpr unsigned kFlushIn = 1u << 6, kFlushOut = 1u << 15;

/// MXCSR of a rounding mode, all exceptions masked.
unsigned control(Round r, unsigned flags = 0) {
  constexpr unsigned kMode[] = {0, 2, 1, 3};
  return 0x1f80 | kMode[static_cast<int>(r)] << 13 | flags;
}

class Host {
public:
  explicit Host(Round r, unsigned flags = 0) : saved_(_mm_getcsr()) { _mm_setcsr(control(r, flags)); }
  ~Host() { _mm_setcsr(saved_); }
private:
  unsigned saved_;
};

template <class T> struct Traits;
template <> struct Traits<float> {
  using Bits = uint32_t;
  static constexpr Format format = kF32;
};
template <> struct Traits<double> {
  using Bits = uint64_t;
  static constexpr Format format = kF64;
};

/// Corners, neighbours of corners, random bits, and values close enough to cancel.
template <class T> T sample(T near = 0) {
  using Bits = typename Traits<T>::Bits;
  constexpr Format f = Traits<T>::format;
  uint64_t r = g_random();
  auto b = static_cast<Bits>(g_random());
  Bits sign = r & 1 ? static_cast<Bits>(f.sign()) : 0;
  switch (r >> 8 & 7) {
  case 0: {
    const uint64_t corners[] = {0, 1, f.fraction_mask(), f.fraction_mask() + 1, f.one(), f.one() + 1, f.one() - 1,
                                f.infinity() - 1, f.infinity(), f.infinity() | f.quiet_bit() | 5, f.infinity() | 3, f.one() << 1};
    b = static_cast<Bits>(corners[(r >> 16) % std::size(corners)]);
    return std::bit_cast<T>(static_cast<Bits>((b & ~static_cast<Bits>(f.sign())) | sign));
  }
  case 1: return std::bit_cast<T>(static_cast<Bits>((b & static_cast<Bits>(f.fraction_mask())) | sign));
  case 2: case 3:  // around another operand
    return std::bit_cast<T>(static_cast<Bits>(std::bit_cast<Bits>(near) + static_cast<Bits>(r >> 16 & 7) - 3) ^ sign);
  case 4: case 5: {  // around one
    int e = f.bias() + static_cast<int>(r >> 16 & 63) - 32;
    return std::bit_cast<T>(static_cast<Bits>((b & static_cast<Bits>(f.fraction_mask())) | static_cast<Bits>(e) << f.fraction_bits | sign));
  }
  case 6: {  // few bits
    int e = static_cast<int>(r >> 16) & f.max_field();
    return std::bit_cast<T>(static_cast<Bits>(static_cast<Bits>(e) << f.fraction_bits | (b & static_cast<Bits>(7) << (f.fraction_bits - 3)) | sign));
  }
  default: return std::bit_cast<T>(b);
  }
}

template <class T> uint64_t bits(T x) { return std::bit_cast<typename Traits<T>::Bits>(x); }

/// Host and software agree, NaNs in kind only where `any_nan` (fma's choice among several NaNs is the host's).
template <class T> bool same(uint64_t host, uint64_t ours, bool any_nan = false) {
  constexpr Format f = Traits<T>::format;
  bool nan = unpack(f, host).is_nan();
  return host == ours || (any_nan && nan && unpack(f, ours).is_nan());
}

template <class T> T barrier(T x) {
  asm volatile("" : "+x"(x));
  return x;
}

template <class T> void arithmetic(Round r, unsigned flags) {
  constexpr Format f = Traits<T>::format;
  bool in = flags & kFlushIn, out = flags & kFlushOut;
  for (int n = 0; n < 20000; ++n) {
    T a = sample<T>(), b = sample<T>(a), c = sample<T>(a * b);
    T h[5];
    {
      Host host(r, flags);
      T x = barrier(a), y = barrier(b), z = barrier(c);
      h[0] = barrier(x + y), h[1] = barrier(x * y), h[2] = barrier(x / y), h[3] = barrier(std::sqrt(x));
      h[4] = barrier(std::fma(x, y, z));
    }
    Value x = unpack(f, bits(a), in), y = unpack(f, bits(b), in), z = unpack(f, bits(c), in);
    uint64_t s[5] = {pack(f, add(x, y), r, out), pack(f, mul(x, y), r, out), pack(f, div(x, y), r, out), pack(f, sqrt(x), r, out),
                     pack(f, fma(x, y, z), r, out)};
    for (int k = 0; k < 5; ++k)
      ASSERT_TRUE(same<T>(bits(h[k]), s[k], k == 4)) << "operation " << k << " round " << int(r) << " flags " << flags << std::hex << ' '
          << bits(a) << ' ' << bits(b) << ' ' << bits(c) << ": host " << bits(h[k]) << ", software " << s[k];
    Order o = compare(x, y);
    if (!in) ASSERT_TRUE(a < b ? o == Order::less : a == b ? o == Order::equal : a > b ? o == Order::greater : o == Order::unordered);
  }
}

TEST(SoftFloat, ArithmeticIsTheHosts) {
  for (int r = 0; r < 4; ++r)
    for (unsigned flags : {0u, kFlushIn, kFlushOut, kFlushIn | kFlushOut}) {
      arithmetic<float>(static_cast<Round>(r), flags);
      arithmetic<double>(static_cast<Round>(r), flags);
    }
}

TEST(SoftFloat, ConversionsAreTheHosts) {
  for (int m = 0; m < 4; ++m) {
    auto r = static_cast<Round>(m);
    for (int n = 0; n < 30000; ++n) {
      double d = sample<double>();
      if (n & 1) d = sample<float>() * (1 + g_random() % 16 * 0x1p-27);
      float a = sample<float>();
      auto integer32 = static_cast<int32_t>(g_random());
      float narrow, from_int;
      double wide, integral;
      uint16_t half;
      {
        Host host(r);
        narrow = barrier(static_cast<float>(barrier(d)));
        wide = barrier(static_cast<double>(barrier(a)));
        half = static_cast<uint16_t>(_mm_extract_epi16(_mm_cvtps_ph(_mm_set_ss(barrier(a)), _MM_FROUND_CUR_DIRECTION), 0));
        from_int = barrier(_mm_cvtss_f32(_mm_cvtsi32_ss(_mm_setzero_ps(), integer32)));
        integral = barrier(std::nearbyint(barrier(d)));
      }
      ASSERT_TRUE(same<float>(bits(narrow), pack(kF32, quiet(unpack(kF64, bits(d))), r))) << std::hex << bits(d);
      ASSERT_TRUE(same<double>(bits(wide), pack(kF64, quiet(unpack(kF32, bits(a))), r))) << std::hex << bits(a);
      ASSERT_EQ(half, pack(kF16, quiet(unpack(kF32, bits(a))), r)) << std::hex << bits(a) << " round " << m;
      ASSERT_EQ(bits(from_int), pack(kF32, integer(integer32), r)) << integer32;
      ASSERT_TRUE(same<double>(bits(integral), pack(kF64, round_to_integer(unpack(kF64, bits(d)), r), r))) << std::hex << bits(d);
    }
  }
  for (uint32_t h = 0; h < 65536; ++h) {
    float f = _mm_cvtss_f32(_mm_cvtph_ps(_mm_cvtsi32_si128(static_cast<int>(h))));
    ASSERT_EQ(bits(f), pack(kF32, quiet(unpack(kF16, h)), Round::nearest_even)) << std::hex << h;
  }
}

/// Halves have no arithmetic on older hosts: sums and products of two halves are exact in double, so one rounding remains.
TEST(SoftFloat, HalvesRoundOnce) {
  for (int n = 0; n < 400000; ++n) {
    auto x = static_cast<uint32_t>(g_random() & 0xffff), y = static_cast<uint32_t>(g_random() & 0xffff);
    auto r = static_cast<Round>(n & 3);
    Value a = unpack(kF16, x), b = unpack(kF16, y);
    if (a.is_nan() || b.is_nan()) continue;
    double da = std::bit_cast<double>(pack(kF64, a, r)), db = std::bit_cast<double>(pack(kF64, b, r));
    uint64_t sum = std::bit_cast<uint64_t>(da + db), product = std::bit_cast<uint64_t>(da * db);
    if (da + db != 0) { ASSERT_EQ(pack(kF16, unpack(kF64, sum), r), pack(kF16, add(a, b), r)) << std::hex << x << ' ' << y; }
    ASSERT_EQ(pack(kF16, unpack(kF64, product), r), pack(kF16, mul(a, b), r)) << std::hex << x << ' ' << y;
  }
}

TEST(SoftFloat, IntegersSaturate) {
  auto to = [](double d, Round r) { return to_integer(unpack(kF64, std::bit_cast<uint64_t>(d)), r, INT32_MIN, INT32_MAX); };
  EXPECT_EQ(to(2.5, Round::nearest_even), 2);
  EXPECT_EQ(to(-2.5, Round::down), -3);
  EXPECT_EQ(to(-2.5, Round::up), -2);
  EXPECT_EQ(to(-2.5, Round::zero), -2);
  EXPECT_EQ(to(2147483647.5, Round::zero), INT32_MAX);
  EXPECT_EQ(to(2147483647.5, Round::up), INT32_MAX);
  EXPECT_EQ(to(-1e300, Round::zero), INT32_MIN);
  EXPECT_EQ(to(1e-300, Round::up), 1);
  EXPECT_EQ(to(INFINITY, Round::zero), INT32_MAX);
  EXPECT_EQ(to(NAN, Round::zero), 0);
}

} // namespace
