// What the parts of the image implementation share: a resource made readable, the operands of one operation, texels by place.
// Must not know the meaning of any instruction.
#pragma once
#include "abi/image.hpp"
#include "exec/interp/formats.hpp"
#include "exec/interp/image.hpp"
#include "exec/wave.hpp"

#include <atomic>
#include <bit>
#include <cstring>
#include <string>

namespace bz::exec {

/// The text, kept for ever: halts carry plain pointers.
const char* lasting_text(const std::string& text);

/// Four components in registers: floats, or integers where the format has integers.
struct Texel { uint32_t c[4] = {}; };

struct ImageView {
  using Type = abi::image::Type;
  bool null = false;              ///< an unbound resource: reads give 0, writes do nothing
  Type type = Type::d2;
  unsigned dims = 2;              ///< coordinates inside a layer
  bool cube = false, layered = false;
  TexelFormat format;
  uint8_t select[4] = {4, 5, 6, 7};
  char* base = nullptr;
  abi::LinearImage image;
  uint64_t layer_bytes = 0, level_at[16] = {}, plane_bytes[16] = {};   ///< of each level of the resource
  uint32_t row_bytes[16] = {};
  uint32_t base_level = 0, level_count = 1;   ///< of the view
  uint32_t first_layer = 0, layer_count = 1;
  int min_lod = 0;                ///< in 1/256, counted from the view's first level
  bool warns = false;             ///< has a level of detail to warn at

  /// Sizes of a level of the view.
  uint32_t width(uint32_t level) const { return image.level_width(base_level + level); }
  uint32_t height(uint32_t level) const { return dims >= 2 ? image.level_height(base_level + level) : 1; }
  uint32_t depth(uint32_t level) const { return dims == 3 ? image.level_planes(base_level + level) : 1; }
  uint32_t size(unsigned axis, uint32_t level) const { return axis == 0 ? width(level) : axis == 1 ? height(level) : depth(level); }

  /// All coordinates inside.
  char* at(uint32_t level, uint32_t layer, uint32_t x, uint32_t y, uint32_t z) const {
    uint32_t l = base_level + level;
    return base + (first_layer + layer) * layer_bytes + level_at[l] + z * plane_bytes[l] + uint64_t{y} * row_bytes[l] + uint64_t{x} * format.bytes;
  }
  Texel read(const char* p) const {
    Texel t;
    read_texel(format, p, t.c);
    return t;
  }
  /// Components in the order that the resource selects.
  Texel swizzle(const Texel& t) const {
    Texel r;
    for (int k = 0; k < 4; ++k) r.c[k] = select[k] >= 4 ? t.c[select[k] - 4] : select[k] == 1 ? format.one() : 0;
    return r;
  }
  /// The other way, for stores: each memory component takes the first register that a load would put it into.
  Texel unswizzle(const Texel& t) const {
    Texel r;
    for (int k = 3; k >= 0; --k)
      if (select[k] >= 4) r.c[select[k] - 4] = t.c[k];
    return r;
  }
  /// Null, or what is not implemented. `words`: the eight registers.
  const char* open(const uint32_t* words);
};

/// Operands of an image operation of one wave.
struct ImageOperands {
  const Op* o;
  char* w;
  isa::ImageOp op;

  bool has(int32_t mod) const { return o->imm & mod; }
  /// dmask; none is X.
  unsigned mask() const {
    auto m = static_cast<unsigned>(o->imm & image_mods::kDmask);
    return m ? m : 1;
  }
  /// f(lane) for every active lane; a fault on the way is that lane's.
  template <class F> void for_lanes(F f) const {
    auto* wave = reinterpret_cast<Wave*>(w);
    for (uint64_t e = wave->exec(); e; e &= e - 1) {
      wave->group->halt_lane = std::countr_zero(e);
      std::atomic_signal_fence(std::memory_order_seq_cst);   // noted before what may fault
      f(std::countr_zero(e));
    }
    wave->group->halt_lane = -1;
  }
  uint32_t& cell(uint32_t row, unsigned dword, int lane) const {
    return *reinterpret_cast<uint32_t*>(w + row + layout::kRow * dword + 4 * static_cast<unsigned>(lane));
  }
  /// Writes the result of a lane: n components in registers or halves, then the status that tfe and lwe ask for: all is resident.
  void put(int lane, const TexelFormat& f, const uint32_t* c, unsigned n) const {
    unsigned dwords = n;
    if (has(image_mods::kD16)) {
      dwords = (n + 1) / 2;
      for (unsigned k = 0; k < dwords; ++k)
        cell(o->d, k, lane) = component_to_d16(f, c[2 * k]) | (2 * k + 1 < n ? component_to_d16(f, c[2 * k + 1]) << 16 : 0);
    } else {
      for (unsigned k = 0; k < n; ++k) cell(o->d, k, lane) = c[k];
    }
    if (o->imm & (image_mods::kTfe | image_mods::kLwe)) cell(o->d, dwords, lane) = 0;
  }
  /// The components that dmask names.
  void put_masked(int lane, const TexelFormat& f, const Texel& t) const {
    uint32_t c[4];
    unsigned n = 0;
    for (unsigned k = 0; k < 4; ++k)
      if (mask() >> k & 1) c[n++] = t.c[k];
    put(lane, f, c, n);
  }
};

/// Reads the address registers of a lane in order. With a16, coordinates are halves, two to a register.
class AddressReader {
public:
  AddressReader(const ImageOperands& in, int lane) : in_(in), lane_(lane), a16_(in.has(image_mods::kA16)) {}
  /// A whole register whatever a16 says: offsets, the reference of a comparison.
  uint32_t whole() {
    align();
    return in_.cell(in_.o->s[0], at_++, lane_);
  }
  uint32_t integer() { return a16_ ? half() : whole(); }
  float number() { return std::bit_cast<float>(a16_ ? component_from_d16({}, half()) : whole()); }
  /// To the next register.
  void align() { at_ += upper_, upper_ = 0; }

private:
  uint32_t half() {
    uint32_t x = in_.cell(in_.o->s[0], at_, lane_) >> (16 * upper_) & 0xffff;
    at_ += upper_, upper_ ^= 1;
    return x;
  }
  const ImageOperands& in_;
  int lane_;
  bool a16_;
  unsigned at_ = 0, upper_ = 0;
};

/// Layer of a cube's face coordinate, 8 * cube + face; false: no such face.
inline bool cube_layer(uint32_t id, uint32_t& layer) {
  layer = id / 8 * 6 + id % 8;
  return id % 8 < 6;
}

/// Samples, gathers and level-of-detail queries.
const char* run_sampler(const ImageOperands& in, const ImageView& v);

} // namespace bz::exec
