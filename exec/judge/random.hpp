// Random numbers and operand values for the judge: corner values of a type, ordinary values and raw bits. Must not know
// instructions.
#pragma once
#include "isa/row.hpp"

#include <cstddef>
#include <cstdint>

namespace bz::exec::judge {

/// splitmix64: small state, good enough, and the same numbers everywhere.
class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t bits() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  uint32_t word() { return static_cast<uint32_t>(bits() >> 32); }
  /// 0 .. n - 1.
  uint32_t below(uint32_t n) { return static_cast<uint32_t>((bits() >> 32) * n >> 32); }
  bool chance(uint32_t percent) { return below(100) < percent; }
  template <class T, size_t N> T pick(const T (&from)[N]) { return from[below(N)]; }

private:
  uint64_t state_;
};

/// Bits of one value of the type; packed types fill 32 (pk_*16) or 64 bits (pk_f32), 16-bit types also the high half.
uint64_t random_value(Random& r, isa::Type type);

/// The same value type in small whole numbers (-8 .. 8), so that sums are exact in any order.
enum class Element : uint8_t { i8, i32, i64, f16, bf16, f32, f64, fp8, bf8 };
int element_bits(Element e);
/// `elements` packed into 64 bits, small whole numbers; floats are exact.
uint64_t small_number(Element e, int value);
uint64_t random_small(Random& r, Element e);

/// A lane mask: full, empty, one lane, few lanes, rows, any.
uint64_t random_mask(Random& r);

} // namespace bz::exec::judge
