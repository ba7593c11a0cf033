// How the values of 16 neighbouring lanes differ from that of the first one, where the differences are constants: what makes a
// load contiguous, strided or uniform. Plain arithmetic modulo 2^32 or 2^64; the base is somebody else's. Must not know LLVM.
#pragma once
#include <array>
#include <cstdint>
#include <optional>

namespace bz::jit {

inline constexpr unsigned kLanes = 16, kChunks = 4;

/// delta[l] = value of lane l - value of lane 0; delta[0] is 0. Of 32-bit values sign-extended.
struct Pattern {
  std::array<int64_t, kLanes> delta{};
  bool operator==(const Pattern&) const = default;

  bool uniform() const { return *this == Pattern{}; }
  int64_t least() const;
  int64_t most() const;
  /// Bits that any delta has; only where no delta is negative.
  std::optional<uint64_t> bits() const;
  /// delta[l] = step * l.
  bool steps(int64_t step) const;

  /// Pattern of lane numbers.
  static Pattern lanes();
};

/// Results of operations on base + delta, for values of `width` bits (32 or 64).
Pattern add(const Pattern& x, const Pattern& y, unsigned width);
Pattern sub(const Pattern& x, const Pattern& y, unsigned width);
Pattern mul(const Pattern& x, uint64_t by, unsigned width);
Pattern shl(const Pattern& x, unsigned by, unsigned width);

/// Bitwise operations need bases without the bits of the deltas, so that base + delta = base | delta.
enum class Bitwise { and_, or_, xor_ };
/// x op y, where y is uniform and its bits under x.bits() are `y_bits`. Null if a delta is negative.
std::optional<Pattern> bitwise(Bitwise op, const Pattern& x, uint64_t y_bits, unsigned width);
/// x >> by; arithmetic too if no delta has the sign bit.
std::optional<Pattern> shr(const Pattern& x, unsigned by);

} // namespace bz::jit
