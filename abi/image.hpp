// Image resource (T#, 256 bits) and sampler (S#, 128 bits) of gfx9, and where a texel of a linear image lies. Field places
// from the Vega ISA manual, "Image Resource" and "Image Sampler"; the order of mip levels in memory is ours (docs/fidelity.md),
// the same for whoever makes images and whoever reads them. Must not know formats beyond their size in bytes.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace bz::abi {

/// A field of a descriptor: first bit and width. At most two words hold it.
struct BitField { uint16_t at; uint8_t bits; };

template <size_t N> struct BitWords {
  std::array<uint32_t, N> word{};
  constexpr uint64_t get(BitField f) const {
    size_t n = f.at / 32;
    uint64_t x = word[n] | (n + 1 < N ? uint64_t{word[n + 1]} << 32 : 0);
    return x >> f.at % 32 & ((uint64_t{1} << f.bits) - 1);
  }
  constexpr int64_t get_signed(BitField f) const { return static_cast<int64_t>(get(f) << (64 - f.bits)) >> (64 - f.bits); }
  constexpr void set(BitField f, uint64_t x) {
    for (unsigned k = 0; k < f.bits; ++k) {
      uint32_t bit = 1u << (f.at + k) % 32;
      uint32_t& w = word[(f.at + k) / 32];
      w = x >> k & 1 ? w | bit : w & ~bit;
    }
  }
};
using ImageResource = BitWords<8>;
using ImageSampler = BitWords<4>;
static_assert(sizeof(ImageResource) == 32 && sizeof(ImageSampler) == 16);

/// Fields of the image resource.
namespace image {
inline constexpr BitField kBase{0, 40};            ///< address / 256
inline constexpr BitField kMinLod{40, 12};         ///< 4.8, counted from the resource's level 0
inline constexpr BitField kDataFormat{52, 6};
inline constexpr BitField kNumFormat{58, 4};
inline constexpr BitField kWidth{64, 14};          ///< of level 0, minus 1; as are the next two
inline constexpr BitField kHeight{78, 14};
inline constexpr BitField kDstSel[4] = {{96, 3}, {99, 3}, {102, 3}, {105, 3}};   ///< 0, 1, or 4 to 7: R, G, B, A
inline constexpr BitField kBaseLevel{108, 4};
inline constexpr BitField kLastLevel{112, 4};
inline constexpr BitField kSwizzleMode{116, 5};    ///< 0: linear
inline constexpr BitField kType{124, 4};
inline constexpr BitField kDepth{128, 13};         ///< 3D: planes - 1; arrays and cubes: the last layer (a cube has six each)
inline constexpr BitField kPitch{141, 16};         ///< of level 0, in texels, minus 1
inline constexpr BitField kBaseArray{160, 13};     ///< first layer of the view
inline constexpr BitField kMaxMip{188, 4};         ///< levels of the resource - 1
inline constexpr BitField kMinLodWarn{192, 12};    ///< 4.8
inline constexpr BitField kCompression{213, 1};    ///< colour compression with metadata

enum class Type : uint8_t { d1 = 8, d2 = 9, d3 = 10, cube = 11, d1_array = 12, d2_array = 13, d2_msaa = 14, d2_msaa_array = 15 };
} // namespace image

/// Fields of the sampler.
namespace sampler {
inline constexpr BitField kClamp[3] = {{0, 3}, {3, 3}, {6, 3}};
inline constexpr BitField kMaxAniso{9, 3};         ///< log2
inline constexpr BitField kCompare{12, 3};         ///< never, <, ==, <=, >, !=, >=, always: reference against texel
inline constexpr BitField kUnnormalized{15, 1};
inline constexpr BitField kForceDegamma{20, 1};
inline constexpr BitField kTruncate{27, 1};        ///< coordinates are cut, not rounded, to 1/256 of a texel
inline constexpr BitField kNoCubeWrap{28, 1};
inline constexpr BitField kReduction{29, 2};       ///< weighted average, minimum, maximum
inline constexpr BitField kMinLod{32, 12};         ///< 4.8
inline constexpr BitField kMaxLod{44, 12};
inline constexpr BitField kLodBias{64, 14};        ///< signed 5.8
inline constexpr BitField kMagFilter{84, 2};       ///< point, linear, anisotropic point, anisotropic linear
inline constexpr BitField kMinFilter{86, 2};
inline constexpr BitField kZFilter{88, 2};         ///< as for x and y, point, linear
inline constexpr BitField kMipFilter{90, 2};       ///< none, point, linear
inline constexpr BitField kMipPreclamp{92, 1};     ///< point: half a level is added before clamping, not after
inline constexpr BitField kBorderType{126, 2};     ///< 0 0 0 0, 0 0 0 1, 1 1 1 1, from a table

enum class Clamp : uint8_t { wrap, mirror, edge, mirror_once, half_border, mirror_once_half_border, border, mirror_once_border };
} // namespace sampler

/// A linear image: one layer after the other; in a layer one mip level after the other, level 0 first; in a level one plane after
/// the other (more than one in 3D only); in a plane one row after the other. Rows of level 0 are `pitch` texels apart, rows of other
/// levels as many as fill a whole number of 256-byte lines.
struct LinearImage {
  uint32_t width = 1, height = 1, planes = 1;   ///< of level 0
  uint32_t levels = 1;
  uint32_t pitch = 1;                           ///< texels
  uint32_t texel_bytes = 4;

  static constexpr uint32_t kLine = 256;

  static constexpr uint32_t shrink(uint32_t n, uint32_t level) { return n >> level ? n >> level : 1; }
  constexpr uint32_t level_width(uint32_t level) const { return shrink(width, level); }
  constexpr uint32_t level_height(uint32_t level) const { return shrink(height, level); }
  constexpr uint32_t level_planes(uint32_t level) const { return shrink(planes, level); }
  /// Texels from row to row.
  constexpr uint32_t level_pitch(uint32_t level) const {
    if (level == 0) return pitch;
    uint32_t step = kLine / std::gcd(kLine, texel_bytes);
    return (level_width(level) + step - 1) / step * step;
  }
  constexpr uint64_t plane_bytes(uint32_t level) const { return uint64_t{level_pitch(level)} * level_height(level) * texel_bytes; }
  constexpr uint64_t level_bytes(uint32_t level) const { return plane_bytes(level) * level_planes(level); }
  /// From the start of a layer.
  constexpr uint64_t level_offset(uint32_t level) const {
    uint64_t at = 0;
    for (uint32_t l = 0; l < level; ++l) at += level_bytes(l);
    return at;
  }
  constexpr uint64_t layer_bytes() const { return level_offset(levels); }
  constexpr uint64_t texel_offset(uint32_t layer, uint32_t level, uint32_t x, uint32_t y, uint32_t plane) const {
    return layer * layer_bytes() + level_offset(level) + plane * plane_bytes(level) + (uint64_t{y} * level_pitch(level) + x) * texel_bytes;
  }
};

} // namespace bz::abi
