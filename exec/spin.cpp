#include "exec/spin.hpp"

#include <cstring>

namespace bz::exec {

/// Four independent streams, so that the multiplications overlap.
__attribute__((no_sanitize("address")))   // stacks of fibers, with all that lies on them
uint64_t mix(uint64_t seed, const void* data, size_t bytes) {
  constexpr uint64_t kOdd = 0x9e3779b97f4a7c15;
  uint64_t h[4] = {seed, seed ^ 1, seed ^ 2, seed ^ 3};
  auto* p = static_cast<const char*>(data);
  for (size_t i = 0; i < bytes; i += 32)
    for (size_t k = 0; k < 4; ++k) {
      uint64_t x;
      std::memcpy(&x, p + i + 8 * k, 8);
      h[k] = (h[k] ^ x) * kOdd;
      h[k] ^= h[k] >> 29;
    }
  return (h[0] * 3 + h[1]) * 5 + (h[2] * 3 + h[3]) * 7;
}

namespace {

uint64_t scalars_of(const Wave& w) {
  uint64_t h = mix(reinterpret_cast<uint64_t>(w.pc), w.sgpr, sizeof w.sgpr);
  return (h * 2 + w.scc) | 1;
}
uint64_t all_of(const Wave& w, uint32_t vgprs) {
  auto* base = reinterpret_cast<const char*>(&w);
  uint64_t h = mix(scalars_of(w), base + layout::vgpr(0), size_t{vgprs} * layout::kRow);
  if (w.group->target == isa::Target::gfx908) h = mix(h, base + layout::vgpr(256), size_t{vgprs} * layout::kRow);
  return h | 1;
}

struct Interpreted final : Standing {
  const Group& g;
  uint32_t vgprs;
  Interpreted(const Group& group, uint32_t n) : g(group), vgprs(n) {}
  const Wave& wave(uint32_t i) const { return *reinterpret_cast<const Wave*>(reinterpret_cast<const char*>(g.head) + size_t{i} * layout::kStride); }
  bool runs(uint32_t i) const override { return wave(i).state == WaveState::running; }
  uint64_t place(uint32_t i) const override { return scalars_of(wave(i)); }
  uint64_t all(uint32_t i) const override { return all_of(wave(i), vgprs); }
};

} // namespace

bool SpinWatch::unchanged(const Group& g, uint32_t vgprs) { return unchanged(g.wave_count, Interpreted(g, vgprs)); }

bool SpinWatch::unchanged(uint32_t waves, const Standing& standing) {
  looked_ = true;
  uint32_t first = 0;
  while (first < waves && !standing.runs(first)) ++first;
  if (first == waves) return false;
  uint64_t now = standing.place(first);
  if (now != scalars_) {
    if (++age_ < keep_) return false;
    constexpr uint32_t kLongest = 32;
    age_ = 0;
    keep_ = keep_ < kLongest ? 2 * keep_ : 1;
    scalars_ = now;
    waves_.fill(0);
    skip_ = pause_ = 0;
    return false;
  }
  if (skip_ > 0) {
    --skip_;
    return false;
  }
  bool complete = true;
  for (uint32_t i = first; i < waves; ++i) {
    if (!standing.runs(i)) continue;
    uint64_t all = standing.all(i);
    if (all == waves_[i]) continue;
    bool known = waves_[i] != 0;
    waves_[i] = all;
    complete = false;
    if (known) {
      constexpr uint32_t kLongestPause = 15;
      pause_ = pause_ < kLongestPause ? 2 * pause_ + 1 : pause_;
      skip_ = pause_;
      return false;
    }
    if (i == first) return false;   // the others are worth a look only if this one stays
  }
  return complete;
}

} // namespace bz::exec
