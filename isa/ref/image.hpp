// What the references of image rows share: the resource as numbers, texels, the stream of address operands. Sources: Vega ISA
// 8.2 (image instructions, address and data registers, T#, S#), MI200 ISA 9.2; where they are silent docs/fidelity.md,
// "Images", has the decision. Tests only.
#pragma once
#include "abi/image.hpp"
#include "isa/ref/memory.hpp"
#include "isa/ref/texel.hpp"

#include <array>
#include <cstdint>

namespace bz::isa::ref {

/// The four components of a texel before the resource's selects, as 32-bit register values, or 16-bit ones in d16.
using Texel = std::array<uint32_t, 4>;

struct Image {
  abi::ImageResource t;
  abi::image::Type type{};
  TexelLayout layout{};
  int number = 0;
  std::array<int, 4> select{};
  int dims = 2;                      ///< spatial coordinates; a cube's face has two
  abi::LinearImage linear;
  uint32_t base_level = 0, last_level = 0, first_layer = 0, last_layer = 0;
  uint64_t base = 0;
  bool shared_exponent = false;

  Image(const Machine& m, const Inst& i);
  bool bound() const { return layout.count != 0; }
  bool integer() const { return is_integer(number); }
  uint32_t one(bool d16) const { return integer() ? 1 : d16 ? 0x3c00 : 0x3f800000; }
  /// Size in direction k of the n-th level from the resource's own 0.
  uint32_t size(int k, uint32_t level) const;
  uint64_t address(uint32_t x, uint32_t y, uint32_t z, uint32_t layer, uint32_t level) const;

  /// The texel at an address, or the one outside (nullptr): 0 everywhere.
  Texel fetch(const uint8_t* at, bool d16) const;
  void put(uint8_t* at, const Texel& rgba, bool d16) const;
  /// X, Y, Z, W of R, G, B, A.
  Texel selected(const Texel& rgba, bool d16) const;
};

/// Address operands of a lane, one after the other; a16: halves, two to a register.
class Addresses {
public:
  Addresses(const Machine& m, const Inst& i, int lane);
  uint32_t whole();
  uint32_t integer();
  float real();
  void align() { at_ += upper_, upper_ = 0; }   ///< the next one begins a register

private:
  uint32_t half();
  uint32_t dword(int n) const;
  const Machine& m_;
  const Operand& o_;
  int lane_, at_ = 0, upper_ = 0;
  bool a16_;
};

/// The face coordinate of a cube, or a layer of an array, as the number of a layer.
inline uint32_t layer_of(const Image& im, uint32_t n) { return im.type == abi::image::Type::cube ? n / 8 * 6 + n % 8 : n; }

/// Results to the data registers: those of X, Y, Z, W that dmask has, or all four; halves in pairs; the extra register of tfe, lwe.
void write_data(Machine& m, const Inst& i, int lane, const Texel& xyzw, unsigned mask, bool d16);

/// Every name that begins with image_sample, image_gather4 or image_get_lod.
void register_image_sample();

} // namespace bz::isa::ref
