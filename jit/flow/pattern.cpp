#include "jit/flow/pattern.hpp"

#include <algorithm>

namespace bz::jit {
namespace {

int64_t wrap(uint64_t x, unsigned width) { return width == 32 ? static_cast<int32_t>(static_cast<uint32_t>(x)) : static_cast<int64_t>(x); }

template <class F> Pattern each(unsigned width, F f) {
  Pattern r;
  for (unsigned l = 0; l < kLanes; ++l) r.delta[l] = wrap(f(l), width);
  return r;
}

} // namespace

int64_t Pattern::least() const { return *std::min_element(delta.begin(), delta.end()); }
int64_t Pattern::most() const { return *std::max_element(delta.begin(), delta.end()); }
std::optional<uint64_t> Pattern::bits() const {
  uint64_t b = 0;
  for (int64_t d : delta) {
    if (d < 0) return std::nullopt;
    b |= static_cast<uint64_t>(d);
  }
  return b;
}
bool Pattern::steps(int64_t step) const {
  for (unsigned l = 0; l < kLanes; ++l)
    if (delta[l] != step * int64_t{l}) return false;
  return true;
}
Pattern Pattern::lanes() {
  return each(64, [](unsigned l) { return uint64_t{l}; });
}

Pattern add(const Pattern& x, const Pattern& y, unsigned width) {
  return each(width, [&](unsigned l) { return static_cast<uint64_t>(x.delta[l]) + static_cast<uint64_t>(y.delta[l]); });
}
Pattern sub(const Pattern& x, const Pattern& y, unsigned width) {
  return each(width, [&](unsigned l) { return static_cast<uint64_t>(x.delta[l]) - static_cast<uint64_t>(y.delta[l]); });
}
Pattern mul(const Pattern& x, uint64_t by, unsigned width) {
  return each(width, [&](unsigned l) { return static_cast<uint64_t>(x.delta[l]) * by; });
}
Pattern shl(const Pattern& x, unsigned by, unsigned width) {
  if (by >= width) return {};
  return each(width, [&](unsigned l) { return static_cast<uint64_t>(x.delta[l]) << by; });
}

std::optional<Pattern> bitwise(Bitwise op, const Pattern& x, uint64_t y_bits, unsigned width) {
  auto bits = x.bits();
  if (!bits) return std::nullopt;
  auto at = [&](uint64_t d) {
    uint64_t y = y_bits & *bits;
    return (op == Bitwise::and_ ? d & y : op == Bitwise::or_ ? d | y : d ^ y) & *bits;
  };
  return each(width, [&](unsigned l) { return at(static_cast<uint64_t>(x.delta[l])) - at(0); });
}

std::optional<Pattern> shr(const Pattern& x, unsigned by) {
  if (!x.bits()) return std::nullopt;
  return each(64, [&](unsigned l) { return by < 64 ? static_cast<uint64_t>(x.delta[l]) >> by : 0; });
}

} // namespace bz::jit
