// References of image rows without a sampler: loads, stores, atomics, resource information.
#include "isa/ref/image.hpp"
#include "isa/ref/families.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace bz::isa::ref {

namespace image = abi::image;
using image::Type;

Image::Image(const Machine& m, const Inst& i) {
  const Operand& r = *operand(i, Field::srsrc);
  for (unsigned n = 0; n < 8; ++n) t.word[n] = m.sgpr[(r.number + n) & 127];
  type = static_cast<Type>(t.get(image::kType));
  auto data_format = static_cast<unsigned>(t.get(image::kDataFormat));
  layout = layout_of(data_format), shared_exponent = data_format == 34;
  number = static_cast<int>(t.get(image::kNumFormat));
  for (size_t k = 0; k < 4; ++k) select[k] = static_cast<int>(t.get(image::kDstSel[k]));
  dims = type == Type::d1 || type == Type::d1_array ? 1 : type == Type::d3 ? 3 : 2;
  auto get = [&](abi::BitField f) { return static_cast<uint32_t>(t.get(f)); };
  uint32_t depth = get(image::kDepth);
  linear.width = get(image::kWidth) + 1;
  linear.height = dims == 1 ? 1 : get(image::kHeight) + 1;
  linear.planes = dims == 3 ? depth + 1 : 1;
  linear.levels = get(image::kMaxMip) + 1, linear.pitch = get(image::kPitch) + 1;
  linear.texel_bytes = data_format == 22 ? 8 : static_cast<uint32_t>(layout.bytes());
  base_level = get(image::kBaseLevel), last_level = get(image::kLastLevel);
  bool layered = type == Type::d1_array || type == Type::d2_array || type == Type::cube;
  first_layer = layered ? get(image::kBaseArray) : 0, last_layer = layered ? depth : 0;
  base = t.get(image::kBase) << 8;
}

uint32_t Image::size(int k, uint32_t level) const {
  if (k >= dims) return 1;
  return k == 0 ? linear.level_width(level) : k == 1 ? linear.level_height(level) : linear.level_planes(level);
}

uint64_t Image::address(uint32_t x, uint32_t y, uint32_t z, uint32_t layer, uint32_t level) const {
  return base + linear.texel_offset(layer, level, x, y, z);
}

namespace {

/// 2 to the shared exponent's power times nine bits: EXT_texture_shared_exponent.
uint32_t shared(uint32_t fraction, uint32_t exponent, bool d16) {
  double v = std::ldexp(fraction, static_cast<int>(exponent) - 15 - 9);
  return d16 ? encode(v, 0, 10, true) : std::bit_cast<uint32_t>(static_cast<float>(v));
}

uint32_t put_shared(const std::array<double, 3>& rgb) {
  constexpr double kMost = 511.0 / 512 * 65536;
  double c[3], most = 0;
  for (size_t k = 0; k < 3; ++k) c[k] = std::isnan(rgb[k]) ? 0 : std::clamp(rgb[k], 0.0, kMost), most = std::max(most, c[k]);
  int e = most > 0 ? std::max(-16, std::ilogb(most)) + 1 + 15 : 0;
  if (std::nearbyint(std::ldexp(most, 9 + 15 - e)) == 512) ++e;
  uint32_t x = static_cast<uint32_t>(e) << 27;
  for (unsigned k = 0; k < 3; ++k) x |= static_cast<uint32_t>(std::nearbyint(std::ldexp(c[k], 9 + 15 - e))) << (9 * k);
  return x;
}

/// IEC 61966-2-1.
double linear_of(double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); }
double srgb_of(double c) { return c <= 0.0031308 ? c * 12.92 : 1.055 * std::pow(c, 1 / 2.4) - 0.055; }

double value_of(uint32_t x, bool d16) { return d16 ? decode(x, 10, true) : double{std::bit_cast<float>(x)}; }

} // namespace

Texel Image::fetch(const uint8_t* at, bool d16) const {
  Texel rgba{};
  if (!at) return rgba;
  uint8_t raw[16] = {};
  std::memcpy(raw, at, linear.texel_bytes);
  int from = 0;
  for (int c = 0; c < layout.count; from += layout.bits[c++]) {
    uint32_t x = field(raw, from, layout.bits[c]);
    auto& out = rgba[static_cast<size_t>(c)];
    if (shared_exponent) {
      if (c < 3) out = shared(x, field(raw, 27, 5), d16);
    } else if (number == srgb && c < 3) {
      double v = linear_of(x / (std::ldexp(1.0, layout.bits[c]) - 1));
      out = d16 ? encode(v, 0, 10, true) : std::bit_cast<uint32_t>(static_cast<float>(v));
    } else {
      out = loaded(x, layout.bits[c], number == srgb ? int{unorm} : number, d16);
    }
  }
  return rgba;
}

void Image::put(uint8_t* at, const Texel& rgba, bool d16) const {
  uint8_t raw[16] = {};
  if (shared_exponent) {
    uint32_t x = put_shared({value_of(rgba[0], d16), value_of(rgba[1], d16), value_of(rgba[2], d16)});
    std::memcpy(raw, &x, 4);
  } else {
    int to = 0;
    for (int c = 0; c < layout.count; to += layout.bits[c++]) {
      uint32_t x = rgba[static_cast<size_t>(c)], bits;
      if (number == srgb && c < 3) {
        double v = value_of(x, d16);
        v = std::isnan(v) ? 0 : std::clamp(v, 0.0, 1.0);
        bits = static_cast<uint32_t>(std::nearbyint(srgb_of(v) * (std::ldexp(1.0, layout.bits[c]) - 1)));
      } else {
        bits = stored(x, layout.bits[c], number == srgb ? int{unorm} : number, d16);
      }
      set_field(raw, to, layout.bits[c], bits);
    }
  }
  std::memcpy(at, raw, linear.texel_bytes);
}

Texel Image::selected(const Texel& rgba, bool d16) const {
  Texel xyzw{};
  for (size_t k = 0; k < 4; ++k) {
    if (select[k] == 1) xyzw[k] = one(d16);
    else if (select[k] >= 4) xyzw[k] = rgba[static_cast<size_t>(select[k] - 4)];
  }
  return xyzw;
}

// ---------------------------------------------------------------- address and data registers

Addresses::Addresses(const Machine& m, const Inst& i, int lane) : m_(m), o_(*operand(i, Field::vaddr)), lane_(lane), a16_(i.r128) {}
uint32_t Addresses::dword(int n) const { return m_.vgpr[(o_.number + static_cast<unsigned>(n)) & 255][static_cast<size_t>(lane_)]; }
uint32_t Addresses::whole() {
  align();
  return dword(at_++);
}
uint32_t Addresses::half() {
  uint32_t x = upper_ ? dword(at_) >> 16 : dword(at_) & 0xffff;
  at_ += upper_, upper_ ^= 1;
  return x;
}
uint32_t Addresses::integer() { return a16_ ? half() : whole(); }
float Addresses::real() { return std::bit_cast<float>(a16_ ? to_single(half(), 10, true) : whole()); }

void write_data(Machine& m, const Inst& i, int lane, const Texel& xyzw, unsigned mask, bool d16) {
  const Operand& o = *operand(i, Field::vdata);
  std::vector<uint32_t> values;
  for (unsigned k = 0; k < 4; ++k)
    if (mask >> k & 1) values.push_back(xyzw[k]);
  if (d16) {
    std::vector<uint32_t> pairs;
    for (size_t k = 0; k < values.size(); k += 2) pairs.push_back(values[k] | (k + 1 < values.size() ? values[k + 1] << 16 : 0));
    values = pairs;
  }
  if (i.tfe || i.lwe) values.push_back(0);   // all is resident
  for (size_t n = 0; n < values.size(); ++n) vreg(m, o, static_cast<int>(n), lane) = values[n];
}

// ---------------------------------------------------------------- rows

namespace {

unsigned mask_of(const Inst& i) { return i.dmask ? i.dmask : 1; }

/// Where a lane's texel lies; nullptr: outside.
uint8_t* texel_of(const Machine& m, const Inst& i, const Image& im, int lane, bool mip) {
  Addresses a(m, i, lane);
  uint32_t c[3] = {}, layer = 0, level = 0;
  for (int k = 0; k < im.dims; ++k) c[k] = a.integer();
  if (i.da && im.dims < 3) layer = a.integer();
  if (mip) level = a.integer();
  bool layered = im.last_layer != 0 || im.type == Type::d1_array || im.type == Type::d2_array || im.type == Type::cube;
  layer = layered ? layer_of(im, layer) : 0;
  if (!im.bound() || level > im.last_level - im.base_level || layer > im.last_layer - im.first_layer) return nullptr;
  for (int k = 0; k < im.dims; ++k)
    if (c[k] >= im.size(k, im.base_level + level)) return nullptr;
  return reinterpret_cast<uint8_t*>(im.address(c[0], c[1], c[2], im.first_layer + layer, im.base_level + level));
}

template <class F> void each_lane(Machine& m, F&& body) {
  const Machine before = m;
  for (int lane = 0; lane < 64; ++lane)
    if (before.active(lane)) body(before, lane);
}

template <bool Mip> void load(Machine& m, const Inst& i) {
  Image im(m, i);
  each_lane(m, [&](const Machine& before, int lane) {
    const uint8_t* at = texel_of(before, i, im, lane, Mip);
    Texel xyzw = im.bound() ? im.selected(im.fetch(at, i.d16), i.d16) : Texel{};
    write_data(m, i, lane, xyzw, mask_of(i), i.d16);
  });
}

/// Dwords of the texel as they lie in memory.
template <bool Mip, bool Sign> void load_packed(Machine& m, const Inst& i) {
  Image im(m, i);
  each_lane(m, [&](const Machine& before, int lane) {
    Texel raw{};
    if (const uint8_t* at = texel_of(before, i, im, lane, Mip)) std::memcpy(raw.data(), at, im.linear.texel_bytes);
    if (Sign && im.linear.texel_bytes == 1) raw[0] = static_cast<uint32_t>(static_cast<int8_t>(raw[0]));
    if (Sign && im.linear.texel_bytes == 2) raw[0] = static_cast<uint32_t>(static_cast<int16_t>(raw[0]));
    write_data(m, i, lane, raw, mask_of(i), false);
  });
}

/// What the data registers hold for X, Y, Z, W. Without dmask's bit: 0. d16: dmask says only how many.
Texel data_of(const Machine& m, const Inst& i, int lane) {
  auto& all = const_cast<Machine&>(m);
  const Operand& o = *operand(i, Field::vdata);
  Texel xyzw{};
  unsigned mask = mask_of(i);
  int n = 0;
  if (i.d16) {
    for (; n < std::popcount(mask); ++n) xyzw[static_cast<size_t>(n)] = vreg(all, o, n / 2, lane) >> (n & 1 ? 16 : 0) & 0xffff;
    return xyzw;
  }
  for (size_t k = 0; k < 4; ++k)
    if (mask >> k & 1) xyzw[k] = vreg(all, o, n++, lane);
  return xyzw;
}

template <bool Mip> void store(Machine& m, const Inst& i) {
  Image im(m, i);
  each_lane(m, [&](const Machine& before, int lane) {
    uint8_t* at = texel_of(before, i, im, lane, Mip);
    if (!at) return;
    Texel xyzw = data_of(before, i, lane), rgba{};
    for (int c = 0; c < 4; ++c)
      for (size_t k = 4; k-- > 0;)
        if (im.select[k] == 4 + c) rgba[static_cast<size_t>(c)] = xyzw[k];
    im.put(at, rgba, i.d16);
  });
}

template <bool Mip> void store_packed(Machine& m, const Inst& i) {
  Image im(m, i);
  each_lane(m, [&](const Machine& before, int lane) {
    Texel raw = data_of(before, i, lane);
    if (uint8_t* at = texel_of(before, i, im, lane, Mip)) std::memcpy(at, raw.data(), im.linear.texel_bytes);
  });
}

void atomic(Machine& m, const Inst& i) {
  Image im(m, i);
  std::string_view op = row_name(i).substr(std::string_view("image_atomic_").size());
  bool compare = op == "cmpswap";
  int words = std::popcount(mask_of(i)) / (compare ? 2 : 1);
  each_lane(m, [&](const Machine& before, int lane) {
    auto& all = const_cast<Machine&>(before);
    const Operand& o = *operand(i, Field::vdata);
    auto value = [&](int first) {
      uint64_t x = vreg(all, o, first, lane);
      return words == 2 ? x | uint64_t{vreg(all, o, first + 1, lane)} << 32 : x;
    };
    uint64_t old = 0;
    auto bytes = static_cast<size_t>(4 * words);
    if (uint8_t* at = texel_of(before, i, im, lane, false)) {
      std::memcpy(&old, at, bytes);
      uint64_t now = combine(std::string(op).c_str(), 32 * words, old, value(0), compare ? value(words) : 0);
      std::memcpy(at, &now, bytes);
    }
    if (i.glc)
      for (int n = 0; n < words; ++n) vreg(m, o, n, lane) = static_cast<uint32_t>(old >> (32 * n));
    if (i.tfe || i.lwe) vreg(m, o, std::popcount(mask_of(i)), lane) = 0;
  });
}

/// Width, height, depth or number of layers, number of levels, of a level.
void resinfo(Machine& m, const Inst& i) {
  Image im(m, i);
  each_lane(m, [&](const Machine& before, int lane) {
    Addresses a(before, i, lane);
    uint32_t level = a.integer(), levels = im.last_level - im.base_level + 1;
    Texel xyzw{};
    if (level < levels) {
      uint32_t layers = im.last_layer - im.first_layer + 1;
      xyzw = {im.size(0, im.base_level + level), im.size(1, im.base_level + level), im.dims == 3 ? im.size(2, im.base_level + level) : layers, levels};
    }
    xyzw[3] = levels;
    write_data(m, i, lane, xyzw, mask_of(i), false);
  });
}

constexpr Entry kImage[] = {
    {"image_load", nullptr, nullptr, load<false>},
    {"image_load_mip", nullptr, nullptr, load<true>},
    {"image_load_pck", nullptr, nullptr, load_packed<false, false>},
    {"image_load_pck_sgn", nullptr, nullptr, load_packed<false, true>},
    {"image_load_mip_pck", nullptr, nullptr, load_packed<true, false>},
    {"image_load_mip_pck_sgn", nullptr, nullptr, load_packed<true, true>},
    {"image_store", nullptr, nullptr, store<false>},
    {"image_store_mip", nullptr, nullptr, store<true>},
    {"image_store_pck", nullptr, nullptr, store_packed<false>},
    {"image_store_mip_pck", nullptr, nullptr, store_packed<true>},
    {"image_get_resinfo", nullptr, nullptr, resinfo},
    {"image_atomic_swap", nullptr, nullptr, atomic},
    {"image_atomic_cmpswap", nullptr, nullptr, atomic},
    {"image_atomic_add", nullptr, nullptr, atomic},
    {"image_atomic_sub", nullptr, nullptr, atomic},
    {"image_atomic_smin", nullptr, nullptr, atomic},
    {"image_atomic_umin", nullptr, nullptr, atomic},
    {"image_atomic_smax", nullptr, nullptr, atomic},
    {"image_atomic_umax", nullptr, nullptr, atomic},
    {"image_atomic_and", nullptr, nullptr, atomic},
    {"image_atomic_or", nullptr, nullptr, atomic},
    {"image_atomic_xor", nullptr, nullptr, atomic},
    {"image_atomic_inc", nullptr, nullptr, atomic},
    {"image_atomic_dec", nullptr, nullptr, atomic},
};

} // namespace

void register_image() {
  add(kImage, std::size(kImage));
  register_image_sample();
}

} // namespace bz::isa::ref
