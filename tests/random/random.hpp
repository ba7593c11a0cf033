// Reproducible random numbers: a seed gives the same program on every machine.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace bz::random {

class Random {
public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t word() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  uint32_t below(uint32_t n) { return static_cast<uint32_t>((word() >> 32) * n >> 32); }
  uint32_t between(uint32_t low, uint32_t high) { return low + below(high - low + 1); }
  bool chance(uint32_t percent) { return below(100) < percent; }
  template <class T> T one_of(std::initializer_list<T> list) { return list.begin()[below(static_cast<uint32_t>(list.size()))]; }
  template <class T> const T& pick(const std::vector<T>& list) { return list[below(static_cast<uint32_t>(list.size()))]; }

private:
  uint64_t state_;
};

/// Words that find mistakes more often than random ones: few bits, many bits, edges.
inline uint64_t edgy_word(Random& r) {
  switch (r.below(6)) {
  case 0: return r.below(20);
  case 1: return ~static_cast<uint64_t>(r.below(20));
  case 2: return static_cast<uint64_t>(1) << r.below(64);
  case 3: return (static_cast<uint64_t>(1) << r.below(64)) - 1;
  case 4: return r.word() >> r.below(64);
  default: return r.word();
  }
}

} // namespace bz::random
