// Binary floating point in integers: every operation gives the exact result, pack() rounds it once. Owns formats, rounding,
// denormals, NaN payloads. Must not know instructions or MODE, and never uses the host's floating-point unit.
#pragma once
#include <cstdint>

namespace bz::isa::ref::soft {

struct Format {
  int exponent_bits, fraction_bits;
  constexpr int bits() const { return 1 + exponent_bits + fraction_bits; }
  constexpr int bias() const { return (1 << (exponent_bits - 1)) - 1; }
  constexpr int max_field() const { return (1 << exponent_bits) - 1; }
  constexpr uint64_t sign() const { return uint64_t{1} << (bits() - 1); }
  constexpr uint64_t fraction_mask() const { return (uint64_t{1} << fraction_bits) - 1; }
  constexpr uint64_t infinity() const { return static_cast<uint64_t>(max_field()) << fraction_bits; }
  constexpr uint64_t quiet_bit() const { return uint64_t{1} << (fraction_bits - 1); }
  constexpr uint64_t one() const { return static_cast<uint64_t>(bias()) << fraction_bits; }
  /// Of invalid operations: negative, quiet, no payload (the manual's 0xffc00000 of v_div_fixup_f32 for 0/0).
  constexpr uint64_t default_nan() const { return sign() | infinity() | quiet_bit(); }
  constexpr int exponent_field(uint64_t x) const { return static_cast<int>(x >> fraction_bits) & max_field(); }
};
inline constexpr Format kF16{5, 10}, kF32{8, 23}, kF64{11, 52};

/// In the order of the MODE register.
enum class Round : uint8_t { nearest_even, up, down, zero };

/// Enough for the sum of a product of doubles and a double whose exponents are far apart, see add().
using Wide = unsigned _BitInt(512);

/// A number of any format: (-1)^negative * mantissa * 2^exponent, plus something below the last bit if `sticky`.
struct Value {
  enum class Kind : uint8_t { zero, finite, infinite, nan } kind = Kind::zero;
  bool negative = false;
  bool cancelled = false;    ///< zero as the sum of opposites: its sign is the rounding mode's
  bool signalling = false;
  bool sticky = false;
  int exponent = 0;
  Wide mantissa = 0;
  uint64_t payload = 0;      ///< NaN: fraction field without the quiet bit, left-aligned in 51 bits

  bool is_zero() const { return kind == Kind::zero; }
  bool is_infinite() const { return kind == Kind::infinite; }
  bool is_nan() const { return kind == Kind::nan; }
};

Value zero(bool negative = false);
Value infinity(bool negative = false);
Value invalid();                       ///< the default NaN
Value integer(int64_t x);
Value power(int n, bool negative = false);   ///< 2^n

/// `flush`: a denormal is a zero of its sign.
Value unpack(Format f, uint64_t bits, bool flush = false);
/// Rounds once. `flush`: a result that is still below the smallest normal number after rounding to the format's precision
/// (with an exponent as small as needed) is a zero of its sign. A signalling NaN stays one: operations give quiet ones.
uint64_t pack(Format f, const Value& x, Round round, bool flush = false);

Value negate(Value x);
Value absolute(Value x);
Value quiet(Value x);
/// The first NaN of the operands, quiet; otherwise the exact result.
Value add(const Value& a, const Value& b);
Value mul(const Value& a, const Value& b);
Value fma(const Value& a, const Value& b, const Value& c);
Value div(const Value& a, const Value& b);   ///< 128 bits of quotient and sticky
Value sqrt(const Value& a);                  ///< as many bits of root and sticky
Value scale(Value x, int n);                 ///< x * 2^n
/// To an integer value; a zero keeps its sign.
Value round_to_integer(const Value& x, Round round);

enum class Order : uint8_t { less = 1, equal = 2, greater = 4, unordered = 8 };
Order compare(const Value& a, const Value& b);
bool less(const Value& a, const Value& b);
bool equal(const Value& a, const Value& b);

/// Exponent e with 2^(e-1) <= |x| < 2^e, of a finite nonzero value.
int binary_exponent(const Value& x);
/// Rounds and saturates into low..high; NaN gives 0.
int64_t to_integer(const Value& x, Round round, int64_t low, int64_t high);

} // namespace bz::isa::ref::soft
