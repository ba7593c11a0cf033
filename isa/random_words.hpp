// Random machine words for tests, biased so that every format, form and operand code turns up often. Test-only.
#pragma once
#include <array>
#include <cstdint>
#include <random>

namespace bz::isa {

class RandomWords {
public:
  explicit RandomWords(uint64_t seed) : random_(seed) {}

  /// Enough dwords for any gfx9 instruction, and one more.
  std::array<uint32_t, 4> next() {
    struct Prefix {
      uint32_t value;
      int bits;
    };
    static constexpr Prefix prefixes[] = {
        {0xbe800000, 9}, {0xbf000000, 9}, {0xbf800000, 9}, {0xb0000000, 4}, {0x80000000, 2}, {0xc0000000, 6},
        {0x7e000000, 7}, {0x00000000, 1}, {0x7c000000, 7}, {0xd0000000, 6}, {0xd3800000, 9}, {0xd8000000, 6},
        {0xdc000000, 6}, {0xe0000000, 6}, {0xe8000000, 6}, {0xf0000000, 6}, {0xd4000000, 6}, {0xc4000000, 6}};
    std::array<uint32_t, 4> w;
    for (auto& x : w) x = word();
    size_t kind = pick(std::size(prefixes) + 1);
    if (kind < std::size(prefixes)) {
      auto p = prefixes[kind];
      uint32_t mask = ~0u << (32 - p.bits);
      w[0] = (w[0] & ~mask) | p.value;
      bool short_vector = kind >= 6 && kind <= 8;
      if (short_vector && pick(2)) w[0] = (w[0] & ~0x1ffu) | (249 + static_cast<uint32_t>(pick(2)));
      // The two halves of gfx950's scaled matrix operations.
      if (p.value == 0xd3800000 && pick(16) == 0) w[0] = (w[0] & 0xffffu) | 0xd3ac0000, w[2] = (w[2] & 0x87ffu) | 0xd3ad0800 | static_cast<uint32_t>(pick(2)) << 16;
    }
    // Few set bits in the modifiers, so that reserved fields are often clear.
    switch (pick(4)) {
    case 0: w[1] &= word(); break;
    case 1: w[0] &= ~(0x0fu & word()); break;
    case 2: w[1] &= word() & word(); break;
    default: break;
    }
    // Immediates and offsets at their ends.
    static constexpr uint32_t ends[] = {0, 1, 2, 0x3f, 0x40, 0x41, 0x7fff, 0x8000, 0xfff0, 0xffef, 0xffff};
    if (pick(8) == 0) w[0] = (w[0] & ~0xffffu) | ends[pick(std::size(ends))];
    if (pick(16) == 0) w[1] = pick(2) ? w[1] & 0xff000000u : w[1] & 0x00ffffffu;
    if (pick(32) == 0) w[1] = pick(2) ? 0 : ~0u >> pick(32);
    if (pick(8) == 0) w[1] = interesting_literal();
    if (pick(16) == 0) w[0] = (w[0] & ~0xffu) | 255;
    return w;
  }

private:
  uint32_t word() { return static_cast<uint32_t>(random_()); }
  size_t pick(size_t n) { return random_() % n; }
  /// Constants whose text depends on their value: near the inline integers and floats.
  uint32_t interesting_literal() {
    static constexpr uint32_t values[] = {0,          1,          64,         65,         0xfffffff0, 0xffffffef,
                                          0x3f800000, 0xbf800000, 0x3e22f983, 0x3c00,     0xfff0,     0x3118,
                                          0x10005,    0x13c00,    0x3ff00000, 0x40000000, 0x80000000, 0x4400};
    return values[pick(std::size(values))];
  }

  std::mt19937_64 random_;
};

} // namespace bz::isa
