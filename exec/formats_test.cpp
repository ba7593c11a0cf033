// Texel conversions against the host's floating point unit and against published values.
#include "exec/interp/formats.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <random>

namespace {
using namespace bz::exec;

constexpr unsigned kUnorm = 0, kSnorm = 1, kUscaled = 2, kSscaled = 3, kUint = 4, kSint = 5, kFloat = 7, kSrgb = 9;
std::mt19937 g_random(20261130);

TexelFormat format(unsigned data, unsigned num) {
  TexelFormat f;
  EXPECT_TRUE(texel_format(data, num, f)) << texel_format_name(data, num);
  return f;
}
uint32_t bits(float x) { return std::bit_cast<uint32_t>(x); }
float value(uint32_t x) { return std::bit_cast<float>(x); }

std::array<uint32_t, 4> read(const TexelFormat& f, std::array<uint32_t, 4> raw) {
  std::array<uint32_t, 4> out{};
  read_texel(f, raw.data(), out.data());
  return out;
}
std::array<uint32_t, 4> write(const TexelFormat& f, std::array<uint32_t, 4> in) {
  std::array<uint32_t, 4> raw{};
  write_texel(f, in.data(), raw.data());
  return raw;
}

TEST(Texel, ComponentsFromTheLowestBitUp) {
  EXPECT_EQ(read(format(9, kUint), {3u << 30 | 7u << 20 | 6u << 10 | 5u}), (std::array<uint32_t, 4>{5, 6, 7, 3}));
  EXPECT_EQ(read(format(8, kUint), {7u << 22 | 6u << 12 | 5u << 2 | 3u}), (std::array<uint32_t, 4>{3, 5, 6, 7}));
  EXPECT_EQ(read(format(6, kUint), {1u << 22 | 2u << 11 | 3u}), (std::array<uint32_t, 4>{3, 2, 1, 0}));
  EXPECT_EQ(read(format(7, kUint), {1u << 21 | 2u << 10 | 3u}), (std::array<uint32_t, 4>{3, 2, 1, 0}));
  EXPECT_EQ(read(format(16, kUint), {9u << 11 | 33u << 5 | 4u}), (std::array<uint32_t, 4>{4, 33, 9, 0}));
  EXPECT_EQ(read(format(17, kUint), {0xffff}), (std::array<uint32_t, 4>{31, 31, 31, 1}));
  EXPECT_EQ(read(format(18, kUint), {0xfffe}), (std::array<uint32_t, 4>{0, 31, 31, 31}));
  EXPECT_EQ(read(format(10, kSint), {0x01807fff}), (std::array<uint32_t, 4>{~0u, 127, ~127u, 1}));
  EXPECT_EQ(read(format(12, kUint), {0x22221111, 0x44443333}), (std::array<uint32_t, 4>{0x1111, 0x2222, 0x3333, 0x4444}));
  EXPECT_EQ(read(format(14, kFloat), {1, 2, 3, 0x7f800001}), (std::array<uint32_t, 4>{1, 2, 3, 0x7f800001}));
  EXPECT_EQ(read(format(22, kFloat), {bits(0.5f), 0x8a}), (std::array<uint32_t, 4>{bits(0.5f), 0x8a, 0, 0}));
}

TEST(Texel, WhatDoesNotExistIsRefused) {
  TexelFormat f;
  EXPECT_TRUE(texel_format(0, 6, f));
  EXPECT_EQ(f.bytes, 0);
  for (auto [data, num] : {std::pair{1u, kFloat}, {3u, kFloat}, {8u, kFloat}, {9u, kFloat}, {10u, 6u}, {15u, kUint}, {35u, kUnorm}, {2u, kSrgb}, {34u, kUnorm}, {10u, 8u}, {10u, 15u}})
    EXPECT_FALSE(texel_format(data, num, f)) << texel_format_name(data, num);
  EXPECT_STREQ(texel_format_name(10, kSrgb), "8_8_8_8 srgb");
}

TEST(Texel, NormalizedAndScaledAgainstDivision) {
  for (auto [data, width] : {std::pair{1u, 8u}, {2u, 16u}}) {
    auto un = format(data, kUnorm), sn = format(data, kSnorm), us = format(data, kUscaled), ss = format(data, kSscaled);
    double utop = (1 << width) - 1, stop = (1 << (width - 1)) - 1;
    for (uint32_t x = 0; x < 1u << width; ++x) {
      int s = width == 8 ? int{static_cast<int8_t>(x)} : int{static_cast<int16_t>(x)};
      ASSERT_EQ(read(un, {x})[0], bits(static_cast<float>(x / utop))) << x;
      ASSERT_EQ(read(sn, {x})[0], bits(static_cast<float>(std::max(s / stop, -1.0)))) << x;
      ASSERT_EQ(read(us, {x})[0], bits(static_cast<float>(x)));
      ASSERT_EQ(read(ss, {x})[0], bits(static_cast<float>(s)));
      // And back: the same code, but for the second -1.
      ASSERT_EQ(write(un, read(un, {x}))[0], x);
      ASSERT_EQ(write(sn, read(sn, {x}))[0], s == -stop - 1 ? x + 1 : x);
      ASSERT_EQ(write(us, read(us, {x}))[0], x);
      ASSERT_EQ(write(ss, read(ss, {x}))[0], x);
    }
    for (int n = 0; n < 200000; ++n) {
      uint32_t x = g_random();
      float v = value(x);
      uint32_t mask = (1u << width) - 1;
      double c = std::isnan(v) ? 0 : v;
      ASSERT_EQ(write(un, {x})[0], static_cast<uint32_t>(std::nearbyint(std::clamp(c, 0.0, 1.0) * utop))) << v;
      ASSERT_EQ(write(sn, {x})[0], static_cast<uint32_t>(static_cast<int>(std::nearbyint(std::clamp(c, -1.0, 1.0) * stop))) & mask) << v;
      ASSERT_EQ(write(us, {x})[0], static_cast<uint32_t>(std::nearbyint(std::clamp(c, 0.0, utop)))) << v;
      ASSERT_EQ(write(ss, {x})[0], static_cast<uint32_t>(static_cast<int>(std::nearbyint(std::clamp(c, -stop - 1, stop)))) & mask) << v;
    }
  }
  // Wide ones, where a division in double precision is exact enough for single.
  for (int n = 0; n < 200000; ++n) {
    uint32_t x = g_random() >> (n % 24);
    EXPECT_EQ(read(format(20, kUnorm), {x & 0xffffff})[0], bits(static_cast<float>((x & 0xffffff) / 16777215.0)));
    ASSERT_EQ(read(format(4, kUscaled), {x})[0], bits(static_cast<float>(x)));
    ASSERT_EQ(read(format(4, kSscaled), {x})[0], bits(static_cast<float>(static_cast<int32_t>(x))));
  }
}

TEST(Texel, FloatsAgainstTheHost) {
  auto half = format(2, kFloat);
  for (uint32_t x = 0; x < 0x10000; ++x) {
    auto h = std::bit_cast<_Float16>(static_cast<uint16_t>(x));
    uint32_t got = read(half, {x})[0];
    if (h == h) ASSERT_EQ(got, bits(static_cast<float>(h))) << x;
    ASSERT_EQ(write(half, {got})[0], x);   // NaNs too: payload kept, nothing quieted
    ASSERT_EQ(component_to_d16(half, got), x);
    ASSERT_EQ(component_from_d16(half, x), got);
  }
  for (int n = 0; n < 1'000'000; ++n) {
    uint32_t x = n % 2 ? g_random() : (g_random() & 0x807fffff) | (100 + g_random() % 48) << 23;
    float v = value(x);
    if (v == v) ASSERT_EQ(write(half, {x})[0], std::bit_cast<uint16_t>(static_cast<_Float16>(v))) << v;
    else ASSERT_GT(write(half, {x})[0] & 0x7fff, 0x7c00u);
  }
}

TEST(Texel, SmallFloatsWithoutSign) {
  auto f = format(6, kFloat);   // 11, 11, 10 bits
  EXPECT_EQ(read(f, {0x3c0}), (std::array<uint32_t, 4>{bits(1.f), 0, 0, 0}));
  EXPECT_EQ(read(f, {0x3e0u << 22 | 0x7c0u << 11 | 1}), (std::array<uint32_t, 4>{bits(0x1p-20f), bits(INFINITY), bits(INFINITY), 0}));
  EXPECT_EQ(read(f, {0x1u << 22})[2], bits(0x1p-19f));
  for (uint32_t x = 0; x < 2048; ++x) {
    ASSERT_EQ(write(f, {read(f, {x})[0]})[0], x);
    ASSERT_EQ(write(f, {0, read(f, {x << 11})[1]})[0], x << 11);
    if (x < 1024) ASSERT_EQ(write(f, {0, 0, read(f, {x << 22})[2]})[0], x << 22);
  }
  EXPECT_EQ(write(f, {bits(-1.f), bits(-INFINITY), bits(-0.f)})[0], 0u);
  EXPECT_EQ(write(f, {bits(1e9f)})[0], 0x7c0u);
  EXPECT_EQ(write(f, {bits(1 + 1 / 128.f)})[0], 0x3c0u);         // a tie goes to the even code
  EXPECT_EQ(write(f, {bits(1 + 3 / 128.f)})[0], 0x3c2u);
}

TEST(Texel, SharedExponent) {
  auto f = format(34, kFloat);
  EXPECT_EQ(read(f, {0x84020100})[0], bits(1.f));   // 2^(16-24) * 256
  for (int n = 0; n < 200000; ++n) {
    uint32_t x = g_random();
    auto c = read(f, {x});
    auto again = read(f, {write(f, c)[0]});
    ASSERT_EQ(c, again) << std::hex << x;
  }
  EXPECT_EQ(write(f, {bits(-1.f), bits(NAN), bits(0.f)})[0], 0u);
  EXPECT_EQ(write(f, {bits(1e30f), 0, 0})[0], 31u << 27 | 511);
}

TEST(Texel, Srgb) {
  auto f = format(10, kSrgb);
  auto c = read(f, {0x80bcff00});
  EXPECT_EQ(c[0], 0u);
  EXPECT_EQ(c[1], bits(1.f));
  EXPECT_NEAR(value(c[2]), 0.5028865, 1e-6);   // code 188
  EXPECT_EQ(c[3], bits(static_cast<float>(128 / 255.0)));
  for (uint32_t x = 0; x < 256; ++x) {
    uint32_t texel = x * 0x01010101;
    ASSERT_EQ(write(f, read(f, {texel}))[0], texel);
  }
  EXPECT_EQ(write(f, {bits(0.5f), bits(2.f), bits(-1.f), bits(NAN)})[0], 0x0000ffbcu);
}

TEST(Texel, HalvesAreRoundedOnce) {
  for (uint32_t x = 0; x < 0x10000; ++x) {
    uint32_t out[4];
    read_texel_d16(format(2, kUnorm), &x, out);
    ASSERT_EQ(out[0], std::bit_cast<uint16_t>(static_cast<_Float16>(x / 65535.0))) << x;
    read_texel_d16(format(2, kSnorm), &x, out);
    ASSERT_EQ(out[0], std::bit_cast<uint16_t>(static_cast<_Float16>(std::max(static_cast<int16_t>(x) / 32767.0, -1.0)))) << x;
    read_texel_d16(format(2, kSscaled), &x, out);
    ASSERT_EQ(out[0], std::bit_cast<uint16_t>(static_cast<_Float16>(static_cast<double>(static_cast<int16_t>(x))))) << x;
    uint32_t wide = x * 0x10001;
    read_texel_d16(format(4, kFloat), &wide, out);
    ASSERT_EQ(out[0], component_to_d16(format(4, kFloat), wide));
    read_texel_d16(format(4, kSint), &wide, out);
    ASSERT_EQ(out[0], static_cast<uint16_t>(std::clamp(static_cast<int32_t>(wide), -0x8000, 0x7fff)));
  }
}

TEST(Texel, IntegersSaturate) {
  EXPECT_EQ(write(format(10, kUint), {1, 256, ~0u, 255})[0], 0xffffff01u);
  EXPECT_EQ(write(format(10, kSint), {~0u, 128, 0x80000000, 127})[0], 0x7f807fffu);
  EXPECT_EQ(write(format(9, kSint), {511, 512, 0u - 513, 0u - 2})[0], 2u << 30 | 0x200u << 20 | 0x1ffu << 10 | 0x1ffu);
  EXPECT_EQ(component_to_d16(format(4, kUint), 0x12345), 0xffffu);
  EXPECT_EQ(component_to_d16(format(4, kSint), 0u - 0x12345), 0x8000u);
  EXPECT_EQ(component_from_d16(format(4, kSint), 0x8000), 0xffff8000u);
  EXPECT_EQ(component_from_d16(format(4, kUint), 0xabcd8000), 0x8000u);
}

} // namespace
