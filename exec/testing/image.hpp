// Test kit: images in host memory with their resources, samplers, and single image instructions run on every engine level.
#pragma once
#include "abi/image.hpp"
#include "exec/testing/kernel.hpp"
#include "exec/testing/machine.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <memory>

namespace bz::exec::testing {

using abi::ImageResource;
using abi::ImageSampler;
using abi::LinearImage;
using isa::Target;
namespace image = abi::image;
namespace sampler = abi::sampler;
using sampler::Clamp;

enum DataFormat : unsigned { k8 = 1, k32 = 4, k16_16 = 5, k8888 = 10, k32_32 = 11, k16161616 = 12, k32323232 = 14, kBc1 = 35 };
enum NumFormat : unsigned { kUnorm = 0, kSnorm = 1, kUint = 4, kSint = 5, kFloat = 7, kSrgb = 9 };
enum Filter : unsigned { kPoint = 0, kLinear = 1 };

/// An image in host memory with its resource.
struct Picture {
  image::Type type;
  uint32_t width, height, depth;   ///< depth: planes, layers (six for a cube)
  unsigned data, num, bytes, levels;
  LinearImage linear;
  uint32_t layers;
  std::vector<uint8_t> memory;
  ImageResource resource;

  Picture(image::Type t, std::array<uint32_t, 3> size, unsigned d, unsigned n, unsigned texel_bytes, unsigned level_count = 1)
      : type(t), width(size[0]), height(size[1]), depth(size[2]), data(d), num(n), bytes(texel_bytes), levels(level_count) {
    bool volume = t == image::Type::d3;
    linear = {width, height, volume ? depth : 1, levels, (width + 63) / 64 * 64, bytes};
    layers = volume ? 1 : depth;
    memory.assign(linear.layer_bytes() * layers + 512, 0xcd);
    resource.set(image::kBase, address() >> 8);
    resource.set(image::kDataFormat, d), resource.set(image::kNumFormat, n);
    resource.set(image::kWidth, width - 1), resource.set(image::kHeight, height - 1), resource.set(image::kDepth, depth - 1);
    for (unsigned k = 0; k < 4; ++k) resource.set(image::kDstSel[k], 4 + k);
    resource.set(image::kLastLevel, levels - 1), resource.set(image::kMaxMip, levels - 1);
    resource.set(image::kType, static_cast<uint64_t>(t));
    resource.set(image::kPitch, linear.pitch - 1);
  }
  Picture(Picture&&) = default;   // the resource names its memory: no copies
  uint64_t address() const { return (reinterpret_cast<uint64_t>(memory.data()) + 255) / 256 * 256; }
  template <class T> T& at(uint32_t x, uint32_t y = 0, uint32_t z = 0, uint32_t layer = 0, uint32_t level = 0) {
    return *reinterpret_cast<T*>(address() + linear.texel_offset(layer, level, x, y, z));
  }
  void select(unsigned r, unsigned g, unsigned b, unsigned a) {
    unsigned s[] = {r, g, b, a};
    for (unsigned k = 0; k < 4; ++k) resource.set(image::kDstSel[k], s[k]);
  }
};

inline ImageSampler make_sampler(Clamp clamp, Filter filter, unsigned mip = 0) {
  ImageSampler s;
  for (auto f : sampler::kClamp) s.set(f, static_cast<uint64_t>(clamp));
  s.set(sampler::kMagFilter, filter), s.set(sampler::kMinFilter, filter);
  s.set(sampler::kMipFilter, mip);
  s.set(sampler::kMaxLod, 15 << 8);
  s.set(sampler::kTruncate, filter == kPoint);
  return s;
}

/// One wave on every engine level: s[0:7] the resource, s[8:11] the sampler, v0 and on the data, v10 and on the address.
class Rig {
public:
  explicit Rig(Target t = Target::gfx906) : target_(t) {
    for (auto& level : engine_levels()) machines_.push_back(std::make_unique<Machine>(t, level));
  }
  ImageResource resource;
  ImageSampler sampler;
  uint64_t exec = ~uint64_t{0};
  uint32_t mode = 0x3f0;
  std::function<uint32_t(unsigned reg, unsigned lane)> data = [](unsigned, unsigned) { return 0xdeadbeefu; };
  std::map<unsigned, std::function<uint32_t(unsigned lane)>> address;
  void number(unsigned k, std::function<float(unsigned lane)> f) {
    address[k] = [f](unsigned lane) { return std::bit_cast<uint32_t>(f(lane)); };
  }
  void integer(unsigned k, std::function<uint32_t(unsigned lane)> f) { address[k] = f; }

  /// `before` runs ahead of each level, `check` behind it.
  void run(const std::string& text, const std::function<void()>& check, const std::function<void()>& before = {}) {
    for (auto& m : machines_) {
      if (before) before();
      Status s = start(*m, text);
      ASSERT_TRUE(s.ok()) << s.to_string();
      current_ = m.get();
      check();
      if (::testing::Test::HasFailure()) return;
    }
  }
  std::string refusal(const std::string& text) {
    Status s = start(*machines_[0], text);
    return s.ok() ? "it ran" : s.to_string();
  }
  uint32_t out(unsigned lane, unsigned reg = 0) { return current_->vgpr(reg)[lane]; }
  float out_f(unsigned lane, unsigned reg = 0) { return std::bit_cast<float>(out(lane, reg)); }

private:
  Status start(Machine& m, const std::string& text) {
    static std::map<std::pair<Target, std::string>, std::vector<uint32_t>> words;
    auto& w = words[{target_, text}];
    if (w.empty()) {
      auto a = assemble(target_, text);
      if (!a) return a.status();
      w = *a;
    }
    std::memcpy(&m.sgpr(0), resource.word.data(), 32);
    std::memcpy(&m.sgpr(8), sampler.word.data(), 16);
    for (unsigned r = 0; r < 8; ++r)
      for (unsigned lane = 0; lane < 64; ++lane) m.vgpr(r)[lane] = data(r, lane);
    for (auto& [k, f] : address)
      for (unsigned lane = 0; lane < 64; ++lane) m.vgpr(10 + k)[lane] = f(lane);
    m.set_exec(exec);
    m.set_mode(mode);
    return m.run(w);
  }
  Target target_;
  std::vector<std::unique_ptr<Machine>> machines_;
  Machine* current_ = nullptr;
};

inline uint32_t half(float x) { return std::bit_cast<uint16_t>(static_cast<_Float16>(x)); }

struct Dimension {
  image::Type type;
  std::array<uint32_t, 3> size;
  const char* name;
  unsigned coordinates;   ///< with the layer
  bool array;
};
inline constexpr Dimension kDimensions[] = {
    {image::Type::d1, {37, 1, 1}, "1D", 1, false},       {image::Type::d1_array, {37, 1, 3}, "1D array", 2, true},
    {image::Type::d2, {21, 5, 1}, "2D", 2, false},       {image::Type::d2_array, {21, 3, 4}, "2D array", 3, true},
    {image::Type::d3, {9, 4, 3}, "3D", 3, false},        {image::Type::cube, {6, 6, 12}, "cube", 3, true},
};
inline std::string da(const Dimension& d) { return d.array ? " da" : ""; }

/// 2D, one float.
inline Picture float_picture(uint32_t w, uint32_t h) {
  Picture p(image::Type::d2, {w, h, 1}, k32, kFloat, 4);
  for (uint32_t y = 0; y < h; ++y)
    for (uint32_t x = 0; x < w; ++x) p.at<float>(x, y) = static_cast<float>(3 + x * x + 17 * y) / 7;
  return p;
}
/// 64 x 64 with seven levels, each of one value: its number.
inline Picture levels_picture() {
  Picture p(image::Type::d2, {64, 64, 1}, k32, kFloat, 4, 7);
  for (uint32_t l = 0; l < 7; ++l)
    for (uint32_t y = 0; y < (64u >> l); ++y)
      for (uint32_t x = 0; x < (64u >> l); ++x) p.at<float>(x, y, 0, 0, l) = static_cast<float>(l);
  return p;
}

} // namespace bz::exec::testing
