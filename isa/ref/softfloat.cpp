#include "isa/ref/softfloat.hpp"

namespace bz::isa::ref::soft {
namespace {

using Kind = Value::Kind;

int width(Wide x) {
  for (int word = 7; word >= 0; --word)
    if (auto w = static_cast<uint64_t>(x >> (64 * word))) return 64 * word + 64 - __builtin_clzll(w);
  return 0;
}

Value finite(bool negative, Wide mantissa, int exponent, bool sticky = false) {
  Value x;
  x.kind = mantissa || sticky ? Kind::finite : Kind::zero;
  x.negative = negative, x.mantissa = mantissa, x.exponent = exponent, x.sticky = sticky;
  return x;
}

/// mantissa * 2^exponent as a whole number of units 2^unit, rounded.
Wide units(const Value& x, int unit, Round round, bool* exact = nullptr) {
  int drop = unit - x.exponent;
  Wide whole = 0;
  bool half = false, rest = x.sticky;
  if (drop <= 0) {
    whole = x.mantissa << -drop;   // callers never ask for more bits than Wide has
  } else if (drop > 512) {
    rest = true;
  } else {
    whole = drop == 512 ? Wide{0} : x.mantissa >> drop;
    Wide below = drop == 512 ? x.mantissa : x.mantissa & ((Wide{1} << drop) - 1);
    half = below >> (drop - 1) & 1;
    rest = rest || (below & ((Wide{1} << (drop - 1)) - 1)) != 0;
  }
  if (exact) *exact = !half && !rest;
  bool away = false;
  switch (round) {
  case Round::nearest_even: away = half && (rest || (whole & 1)); break;
  case Round::up: away = !x.negative && (half || rest); break;
  case Round::down: away = x.negative && (half || rest); break;
  case Round::zero: break;
  }
  return whole + (away ? 1 : 0);
}

const Value* first_nan(const Value& a, const Value& b) { return a.is_nan() ? &a : b.is_nan() ? &b : nullptr; }

} // namespace

Value zero(bool negative) {
  Value x;
  x.negative = negative;
  return x;
}
Value infinity(bool negative) {
  Value x;
  x.kind = Kind::infinite, x.negative = negative;
  return x;
}
Value invalid() {
  Value x;
  x.kind = Kind::nan, x.negative = true;
  return x;
}
Value integer(int64_t x) {
  return finite(x < 0, x < 0 ? Wide{0} + (uint64_t{0} - static_cast<uint64_t>(x)) : Wide{static_cast<uint64_t>(x)}, 0);
}
Value power(int n, bool negative) { return finite(negative, 1, n); }

Value unpack(Format f, uint64_t bits, bool flush) {
  bool negative = (bits & f.sign()) != 0;
  int field = f.exponent_field(bits);
  uint64_t fraction = bits & f.fraction_mask();
  if (field == f.max_field()) {
    if (!fraction) return infinity(negative);
    Value x;
    x.kind = Kind::nan, x.negative = negative;
    x.signalling = !(fraction & f.quiet_bit());
    x.payload = (fraction & (f.quiet_bit() - 1)) << (52 - f.fraction_bits);
    return x;
  }
  int exponent = 1 - f.bias() - f.fraction_bits;
  if (field == 0) return flush ? zero(negative) : finite(negative, fraction, exponent);
  return finite(negative, fraction | uint64_t{1} << f.fraction_bits, exponent + field - 1);
}

uint64_t pack(Format f, const Value& x, Round round, bool flush) {
  uint64_t sign = x.negative ? f.sign() : 0;
  switch (x.kind) {
  case Kind::nan:
    return sign | f.infinity() | (x.signalling ? 0 : f.quiet_bit()) | x.payload >> (52 - f.fraction_bits);
  case Kind::infinite: return sign | f.infinity();
  case Kind::zero: return x.cancelled ? (round == Round::down ? f.sign() : 0) : sign;
  case Kind::finite: break;
  }
  int top = binary_exponent(x);                      // |x| in [2^(top-1), 2^top)
  int precision = f.fraction_bits + 1;
  int smallest_unit = 1 - f.bias() - f.fraction_bits;
  int unit = top - precision;
  if (unit < smallest_unit) {
    if (flush) {
      // Unbounded exponent: the unit where a normal number of this size would have its last bit.
      Wide normal = units(x, unit, round);
      if (unit < smallest_unit - 1 || width(normal) <= precision) return sign;
    }
    unit = smallest_unit;
  }
  Wide m = units(x, unit, round);
  if (width(m) > precision) m >>= 1, ++unit;         // rounded up to the next power of two
  if (!m) return sign;
  if (width(m) < precision) return sign | static_cast<uint64_t>(m);   // denormal
  int field = unit - smallest_unit + 1;
  if (field >= f.max_field()) {
    bool to_infinity = round == Round::nearest_even || (round == Round::up && !x.negative) || (round == Round::down && x.negative);
    return sign | (to_infinity ? f.infinity() : f.infinity() - 1);
  }
  return sign | static_cast<uint64_t>(field) << f.fraction_bits | (static_cast<uint64_t>(m) & f.fraction_mask());
}

Value negate(Value x) {
  x.negative = !x.negative;
  return x;
}
Value absolute(Value x) {
  x.negative = false;
  return x;
}
Value quiet(Value x) {
  x.signalling = false;
  return x;
}

Value add(const Value& a, const Value& b) {
  if (auto* nan = first_nan(a, b)) return quiet(*nan);
  if (a.is_infinite()) return b.is_infinite() && a.negative != b.negative ? invalid() : a;
  if (b.is_infinite()) return b;
  if (a.is_zero() && b.is_zero()) {
    Value x = a;
    x.cancelled = a.cancelled || b.cancelled || a.negative != b.negative;
    return x;
  }
  if (a.is_zero()) return b;
  if (b.is_zero()) return a;
  const Value *high = &a, *low = &b;
  if (high->exponent < low->exponent) { const Value* t = high; high = low, low = t; }
  // Operands have at most 128 bits. Beyond a distance of 256 the lower one is only a sign below every bit that rounding
  // can look at, so one unit at that distance stands for it.
  int distance = high->exponent - low->exponent, unit = low->exponent;
  Wide below = low->mantissa;
  if (distance > 256) distance = 256, unit = high->exponent - 256, below = 1;
  Wide above = high->mantissa << distance;
  bool sticky = high->sticky || low->sticky;
  if (a.negative == b.negative) return finite(a.negative, above + below, unit, sticky);
  if (above == below) {
    Value x = zero();
    x.cancelled = true;
    return x;
  }
  return above > below ? finite(high->negative, above - below, unit, sticky) : finite(low->negative, below - above, unit, sticky);
}

Value mul(const Value& a, const Value& b) {
  if (auto* nan = first_nan(a, b)) return quiet(*nan);
  bool negative = a.negative != b.negative;
  if (a.is_infinite() || b.is_infinite()) return a.is_zero() || b.is_zero() ? invalid() : infinity(negative);
  if (a.is_zero() || b.is_zero()) return zero(negative);
  return finite(negative, a.mantissa * b.mantissa, a.exponent + b.exponent);
}

Value fma(const Value& a, const Value& b, const Value& c) {
  if (auto* nan = first_nan(a, b)) return quiet(*nan);
  return c.is_nan() ? quiet(c) : add(mul(a, b), c);
}

Value div(const Value& a, const Value& b) {
  if (auto* nan = first_nan(a, b)) return quiet(*nan);
  bool negative = a.negative != b.negative;
  if (a.is_infinite()) return b.is_infinite() ? invalid() : infinity(negative);
  if (b.is_infinite()) return zero(negative);
  if (b.is_zero()) return a.is_zero() ? invalid() : infinity(negative);
  if (a.is_zero()) return zero(negative);
  // Long division: operands have at most 64 bits, so do their aligned forms.
  Wide divisor = b.mantissa << (64 - width(b.mantissa)), rest = a.mantissa << (64 - width(a.mantissa)), quotient = 0;
  int exponent = a.exponent - b.exponent + width(a.mantissa) - width(b.mantissa);
  for (int n = 0; n < 128; ++n) {
    quotient <<= 1;
    if (rest >= divisor) rest -= divisor, quotient |= 1;
    rest <<= 1;
  }
  return finite(negative, quotient, exponent - 127, rest != 0);
}

Value sqrt(const Value& a) {
  if (a.is_nan()) return quiet(a);
  if (a.is_zero()) return a;
  if (a.negative) return invalid();
  if (a.is_infinite()) return a;
  int up = 256 - width(a.mantissa);
  if ((a.exponent - up) & 1) --up;
  Wide radicand = a.mantissa << up, root = 0;
  for (int n = 127; n >= 0; --n) {
    Wide next = root | Wide{1} << n;
    if (next * next <= radicand) root = next;
  }
  return finite(false, root, (a.exponent - up) / 2, root * root != radicand);
}

Value scale(Value x, int n) {
  x.exponent += n;
  return x;
}

Value round_to_integer(const Value& x, Round round) {
  if (x.is_nan()) return quiet(x);
  if (x.kind != Kind::finite || (x.exponent >= 0 && !x.sticky)) return x;
  return finite(x.negative, units(x, 0, round), 0);
}

Order compare(const Value& a, const Value& b) {
  if (a.is_nan() || b.is_nan()) return Order::unordered;
  if (a.is_zero() && b.is_zero()) return Order::equal;
  if (a.is_infinite() && b.is_infinite() && a.negative == b.negative) return Order::equal;
  Value d = add(a, negate(b));
  return d.is_zero() ? Order::equal : d.negative ? Order::less : Order::greater;
}
bool less(const Value& a, const Value& b) { return compare(a, b) == Order::less; }
bool equal(const Value& a, const Value& b) { return compare(a, b) == Order::equal; }

int binary_exponent(const Value& x) { return x.exponent + width(x.mantissa); }

int64_t to_integer(const Value& x, Round round, int64_t low, int64_t high) {
  if (x.is_nan()) return 0;
  if (x.is_zero()) return 0 < low ? low : 0;
  if (x.is_infinite() || binary_exponent(x) > 63) return x.negative ? low : high;
  auto magnitude = static_cast<uint64_t>(units(x, 0, round));
  if (magnitude > static_cast<uint64_t>(INT64_MAX)) return x.negative ? low : high;
  int64_t r = x.negative ? -static_cast<int64_t>(magnitude) : static_cast<int64_t>(magnitude);
  return r < low ? low : r > high ? high : r;
}

} // namespace bz::isa::ref::soft
