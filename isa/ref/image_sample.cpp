// References of image rows with a sampler: image_sample*, image_gather4*, image_get_lod. Vega ISA 8.2.2 (order of the address
// operands), 8.2.6 (S#); Direct3D 11.3 functional specification 7.18 for what both leave to it (levels of detail, filters, address
// modes); docs/fidelity.md, "Images", for the numbers of bits and for what no document fixes.
#include "isa/ref/image.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bz::isa::ref {
namespace {

namespace sampler = abi::sampler;
using abi::image::Type;
using sampler::Clamp;

/// The words of a name: image_sample_c_d_cl_o has c, d, cl, o.
struct Kind {
  bool compare, derivatives, bias, level, zero, limit, offset, gather, row, query;
  explicit Kind(std::string_view name) {
    auto has = [&](std::string_view word) {
      for (size_t at = name.find(word); at != name.npos; at = name.find(word, at + 1))
        if (name[at - 1] == '_' && (at + word.size() == name.size() || name[at + word.size()] == '_')) return true;
      return false;
    };
    compare = has("c"), derivatives = has("d") || has("cd"), bias = has("b"), level = has("l"), zero = has("lz"), limit = has("cl"), offset = has("o");
    gather = has("gather4") || has("gather4h"), row = has("gather4h"), query = name.ends_with("get_lod");
  }
  bool from_quad() const { return !derivatives && !level && !zero; }
};

struct Settings {
  abi::ImageSampler s;
  explicit Settings(const Machine& m, const Inst& i) {
    const Operand& o = *operand(i, Field::ssamp);
    for (unsigned n = 0; n < 4; ++n) s.word[n] = m.sgpr[(o.number + n) & 127];
  }
  unsigned get(abi::BitField f) const { return static_cast<unsigned>(s.get(f)); }
};

/// The address operands of a lane.
struct Point {
  int offset[3] = {};
  double bias = 0, reference = 0, level = 0, limit = 0, layer = 0;
  std::array<double, 3> at{};
  std::array<std::array<double, 3>, 2> slope{};   ///< to the right, downwards
};

class Sampling {
public:
  Sampling(Machine& m, const Inst& i) : m_(m), i_(i), im_(m, i), s_(m, i), kind_(row_name(i)) {
    unnormalized_ = i.unorm || s_.get(sampler::kUnnormalized);
    cube_ = im_.type == Type::cube;
    seamless_ = cube_ && !s_.get(sampler::kNoCubeWrap);
    // Degamma: bytes between 0 and 1 are taken as sRGB.
    if (s_.get(sampler::kForceDegamma) && im_.number == unorm && im_.layout.count && im_.layout.bits[0] == 8) im_.number = srgb;
    levels_ = static_cast<int>(im_.last_level) - static_cast<int>(im_.base_level);
  }

  void run() {
    const Machine before = m_;
    std::array<Point, 64> points;
    for (int lane = 0; lane < 64; ++lane) points[static_cast<size_t>(lane)] = read(before, lane);
    if (kind_.from_quad())
      for (int first = 0; first < 64; first += 4) slopes_of_quad(before, points, first);
    for (int lane = 0; lane < 64; ++lane)
      if (before.active(lane)) one(points[static_cast<size_t>(lane)], lane);
  }

private:
  Machine& m_;
  const Inst& i_;
  Image im_;
  Settings s_;
  Kind kind_;
  bool unnormalized_ = false, cube_ = false, seamless_ = false;
  int levels_ = 0;   ///< the last one, counted from base_level

  // ---------------------------------------------------------------- operands

  Point read(const Machine& m, int lane) const {
    Addresses a(m, i_, lane);
    Point p;
    if (kind_.offset) {
      uint32_t x = a.whole();
      for (int k = 0; k < 3; ++k) p.offset[k] = static_cast<int>(x << (26 - 8 * k)) >> 26;
    }
    if (kind_.bias) p.bias = number(a.real()), a.align();
    if (kind_.compare) p.reference = double{std::bit_cast<float>(a.whole())};
    if (kind_.derivatives)
      for (auto& d : p.slope) {
        for (int k = 0; k < im_.dims; ++k) d[static_cast<size_t>(k)] = number(a.real());
        a.align();
      }
    for (int k = 0; k < im_.dims; ++k) p.at[static_cast<size_t>(k)] = double{a.real()};
    if (i_.da && im_.dims < 3) p.layer = double{a.real()};
    if (kind_.level) p.level = number(a.real());
    if (kind_.limit) p.limit = number(a.real());
    return p;
  }

  /// Each direction between the first pair of lanes that are on; what is no finite number counts as 0.
  void slopes_of_quad(const Machine& m, std::array<Point, 64>& points, int first) const {
    static constexpr int kPairs[2][2][2] = {{{0, 1}, {2, 3}}, {{0, 2}, {1, 3}}};
    auto at = [&](int n) -> Point& { return points[static_cast<size_t>(first + n)]; };
    std::array<std::array<double, 3>, 2> d{};
    for (size_t direction = 0; direction < 2; ++direction)
      for (auto& pair : kPairs[direction]) {
        if (!m.active(first + pair[0]) || !m.active(first + pair[1])) continue;
        for (size_t k = 0; k < 3; ++k) {
          double change = number(at(pair[1]).at[k]) - number(at(pair[0]).at[k]);
          d[direction][k] = std::isfinite(change) ? change : 0;
        }
        break;
      }
    for (int n = 0; n < 4; ++n) at(n).slope = d;
  }
  static double number(double x) { return std::isnan(x) ? 0 : x; }

  // ---------------------------------------------------------------- level of detail

  /// To 256ths, within [-32, 32); they have no -0.
  static double limited(double x) { return std::nearbyint(std::clamp(x, -32.0, 32 - 1 / 256.0) * 256) / 256 + 0.0; }

  struct Detail {
    double level = 0;       ///< after the limits
    double before = 0;      ///< before them
    int samples = 1;        ///< anisotropic
    std::array<double, 3> along{};   ///< the longer slope
  };

  Detail detail(const Point& p) const {
    Detail d;
    if (kind_.zero) return d;
    double level = p.level;
    if (!kind_.level) {
      double square[2];
      for (size_t n = 0; n < 2; ++n) {
        double sum = 0;
        for (size_t k = 0; k < static_cast<size_t>(im_.dims); ++k) {
          double texels = p.slope[n][k] * (unnormalized_ ? 1 : im_.size(static_cast<int>(k), im_.base_level));
          sum += texels * texels;
        }
        square[n] = sum;
      }
      size_t longer = square[1] > square[0];
      double length[2] = {std::sqrt(square[0]), std::sqrt(square[1])};
      double ratio = length[longer] / length[!longer];
      if (s_.get(sampler::kMinFilter) & 2 && length[longer] > 0 && !kind_.gather && !im_.integer())
        d.samples = static_cast<int>(std::min(std::ldexp(1.0, static_cast<int>(std::min(s_.get(sampler::kMaxAniso), 4u))), std::ceil(ratio)));
      d.along = p.slope[longer];
      level = std::log2(length[longer] / d.samples);
    }
    level += static_cast<double>(s_.s.get_signed(sampler::kLodBias)) / 256 + p.bias;
    d.before = limited(level);
    level = d.before;
    // With preclamp the half of rounding to the nearest level counts against the limits.
    double half = s_.get(sampler::kMipPreclamp) && s_.get(sampler::kMipFilter) == 1 ? 0.5 : 0;
    level += half;
    level = std::min(std::max(level, s_.get(sampler::kMinLod) / 256.0), s_.get(sampler::kMaxLod) / 256.0);
    if (kind_.limit) level = std::max(level, limited(p.limit));
    level = std::max(level, static_cast<double>(im_.t.get(abi::image::kMinLod)) / 256 - im_.base_level);
    d.level = level - half;
    return d;
  }
  int nearest_level(const Detail& d) const { return std::clamp(static_cast<int>(std::floor(d.level + 0.5)), 0, levels_); }

  // ---------------------------------------------------------------- positions

  struct Tap {
    int texel[3];
    double weight;
  };

  /// In 256ths of a texel of the level.
  int64_t position(const Point& p, size_t k, int level, double moved) const {
    double size = im_.size(static_cast<int>(k), im_.base_level + static_cast<uint32_t>(level));
    // A cube's coordinates are in [1, 2] whether the sampler has normalized ones or not.
    double texels = (p.at[k] + moved - (cube_ ? 1 : 0)) * (unnormalized_ && !cube_ ? 1 : size) * 256;
    if (!seamless_ && (mode(k) == Clamp::wrap || mode(k) == Clamp::mirror)) texels = std::fmod(texels, 512 * size);   // exact; infinity: NaN
    if (std::isnan(texels)) texels = 0;
    texels = std::clamp(texels, -0x1p40, 0x1p40);
    auto n = static_cast<int64_t>(s_.get(sampler::kTruncate) ? std::floor(texels) : std::nearbyint(texels)) + 256 * p.offset[k];
    auto all = static_cast<int64_t>(size * 256);
    if (seamless_) return n;
    Clamp c = mode(k);
    if (c == Clamp::mirror_once_half_border) n = n < 0 ? -n : n;
    if (c == Clamp::half_border || c == Clamp::mirror_once_half_border) n = std::clamp<int64_t>(n, 0, all);
    return n;
  }
  Clamp mode(size_t k) const { return static_cast<Clamp>(s_.get(sampler::kClamp[k])); }

  /// The texel that an address mode makes of a number; nothing: the border.
  std::optional<int64_t> wrapped(int64_t n, size_t k, int64_t size) const {
    auto inside = [&](int64_t x) { return x >= 0 && x < size; };
    switch (mode(k)) {
    case Clamp::wrap: return ((n % size) + size) % size;
    case Clamp::mirror: {
      int64_t x = ((n % (2 * size)) + 2 * size) % (2 * size);
      return x < size ? x : 2 * size - 1 - x;
    }
    case Clamp::edge: return std::clamp<int64_t>(n, 0, size - 1);
    case Clamp::mirror_once: return std::min(n < 0 ? -1 - n : n, size - 1);
    case Clamp::half_border: case Clamp::mirror_once_half_border: case Clamp::border: return inside(n) ? std::optional(n) : std::nullopt;
    case Clamp::mirror_once_border: n = n < 0 ? -1 - n : n; return inside(n) ? std::optional(n) : std::nullopt;
    }
    return {};
  }

  // ---------------------------------------------------------------- texels

  uint32_t layer(const Point& p) const {
    uint32_t layers = im_.last_layer - im_.first_layer + 1;
    if (!(p.layer > 0)) return im_.first_layer;
    auto n = static_cast<uint32_t>(std::min(std::nearbyint(p.layer), 65535.0));
    if (!cube_) return im_.first_layer + std::min(n, layers - 1);
    return im_.first_layer + (layers < 6 ? 0 : std::min(n / 8, layers / 6 - 1) * 6 + std::min(n % 8, 5u));
  }

  Texel border() const {
    unsigned type = s_.get(sampler::kBorderType);
    uint32_t rgb = type == 2 ? im_.one(false) : 0, alpha = type ? im_.one(false) : 0;
    return {rgb, rgb, rgb, alpha};
  }

  Texel at(uint32_t layer, int level, uint32_t x, uint32_t y, uint32_t z) const {
    return im_.fetch(reinterpret_cast<const uint8_t*>(im_.address(x, y, z, layer, im_.base_level + static_cast<uint32_t>(level))), false);
  }

  /// Faces are +x, -x, +y, -y, +z, -z; along each run two axes (GCN3 ISA, v_cubesc_f32, v_cubetc_f32): axis and sign of s, t.
  struct Face {
    int major, major_sign, s, s_sign, t, t_sign;
  };
  static constexpr Face kFaces[6] = {{0, 1, 2, -1, 1, -1}, {0, -1, 2, 1, 1, -1}, {1, 1, 0, 1, 2, 1}, {1, -1, 0, 1, 2, -1}, {2, 1, 0, 1, 1, -1}, {2, -1, 0, -1, 1, -1}};

  /// A texel one step over one edge of a face: the neighbour's first row. In units of half a texel, the cube from -n to n.
  Texel over_edge(uint32_t layer, int level, int64_t x, int64_t y, int64_t n) const {
    const Face& f = kFaces[layer % 6];
    int64_t v[3];
    bool in_s = x < 0 || x >= n;
    v[f.s] = f.s_sign * (2 * x + 1 - n), v[f.t] = f.t_sign * (2 * y + 1 - n);
    v[f.major] = f.major_sign * (n - 1);   // its outermost row becomes the neighbour's coordinate
    int axis = in_s ? f.s : f.t;
    bool negative = v[axis] < 0;
    size_t face = static_cast<size_t>(2 * axis + negative);
    const Face& g = kFaces[face];
    int64_t gx = (g.s_sign * v[g.s] + n - 1) / 2, gy = (g.t_sign * v[g.t] + n - 1) / 2;
    return at(layer / 6 * 6 + static_cast<uint32_t>(face), level, static_cast<uint32_t>(gx), static_cast<uint32_t>(gy), 0);
  }

  /// A texel by its numbers, before compare and selects, as doubles if it is the mean of a corner's three.
  std::array<double, 4> value(const Point& p, uint32_t layer, int level, const int64_t (&n)[3], Texel& raw) const {
    auto real = [&](const Texel& t) {
      std::array<double, 4> v{};
      for (size_t k = 0; k < 4; ++k) v[k] = im_.integer() ? double(t[k]) : double{std::bit_cast<float>(t[k])};
      return v;
    };
    auto compared = [&](const Texel& t) { return kind_.compare ? comparison(p, t) : t; };
    int64_t size[3];
    for (int k = 0; k < 3; ++k) size[k] = im_.size(k, im_.base_level + static_cast<uint32_t>(level));
    if (seamless_) {
      int64_t x = std::clamp<int64_t>(n[0], -1, size[0]), y = std::clamp<int64_t>(n[1], -1, size[1]), last = size[0] - 1;
      bool out_x = x < 0 || x > last, out_y = y < 0 || y > last;
      if (out_x && out_y && im_.integer()) {   // never averaged: the face's own texel
        x = std::clamp<int64_t>(x, 0, last), y = std::clamp<int64_t>(y, 0, last), out_x = out_y = false;
      }
      if (out_x && out_y) {
        int64_t cx = x < 0 ? 0 : last, cy = y < 0 ? 0 : last;
        auto a = real(compared(at(layer, level, static_cast<uint32_t>(cx), static_cast<uint32_t>(cy), 0)));
        auto b = real(compared(over_edge(layer, level, x, cy, size[0]))), c = real(compared(over_edge(layer, level, cx, y, size[0])));
        for (size_t k = 0; k < 4; ++k) {
          a[k] = (a[k] + b[k] + c[k]) / 3;
          raw[k] = std::bit_cast<uint32_t>(static_cast<float>(a[k]));
        }
        return a;
      }
      raw = compared(out_x || out_y ? over_edge(layer, level, x, y, size[0]) : at(layer, level, static_cast<uint32_t>(x), static_cast<uint32_t>(y), 0));
      return real(raw);
    }
    uint32_t w[3] = {};
    bool beyond = false;
    for (size_t k = 0; k < static_cast<size_t>(im_.dims); ++k) {
      auto x = wrapped(n[k], k, size[k]);
      if (x) w[k] = static_cast<uint32_t>(*x);
      else beyond = true;
    }
    raw = compared(beyond ? border() : at(layer, level, w[0], w[1], w[2]));
    return real(raw);
  }

  Texel comparison(const Point& p, const Texel& t) const {
    double x = double{std::bit_cast<float>(t[0])}, r = p.reference;
    if (im_.number == unorm) r = r > 1 ? 1 : r > 0 ? r : 0;
    bool yes = false;
    switch (s_.get(sampler::kCompare)) {
    case 0: break;
    case 1: yes = r < x; break;
    case 2: yes = r == x; break;
    case 3: yes = r <= x; break;
    case 4: yes = r > x; break;
    case 5: yes = r != x; break;
    case 6: yes = r >= x; break;
    default: yes = true; break;
    }
    return {yes ? im_.one(false) : 0, 0, 0, im_.one(false)};
  }

  // ---------------------------------------------------------------- filters

  bool linear(size_t k, bool magnified) const {
    if (im_.integer()) return false;
    bool plane = s_.get(magnified ? sampler::kMagFilter : sampler::kMinFilter) & 1;
    unsigned z = s_.get(sampler::kZFilter);
    return k == 2 && z ? z == 2 : plane;
  }

  struct Sum {
    std::array<double, 4> total{};
    std::array<double, 4> least{}, most{};
    Texel raw{};
    int count = 0;
    double weights = 0;   ///< whole numbers up to the one division
  };

  void add(Sum& sum, const std::array<double, 4>& v, const Texel& raw, double weight) const {
    for (size_t k = 0; k < 4; ++k) {
      double part = v[k] * weight;   // two roundings, if the value is a mean
      sum.total[k] += part;
      sum.least[k] = sum.count ? std::min(sum.least[k], v[k]) : v[k];
      sum.most[k] = sum.count ? std::max(sum.most[k], v[k]) : v[k];
    }
    sum.raw = raw, ++sum.count, sum.weights += weight;
  }

  void filter(Sum& sum, const Point& p, int level, double weight, bool magnified, const std::array<double, 3>& moved) const {
    struct Axis {
      int64_t first = 0;
      int taps = 1;
      double weight[2] = {1, 0};
    } axis[3];
    for (size_t k = 0; k < static_cast<size_t>(im_.dims); ++k) {
      int64_t at = position(p, k, level, moved[k]);
      bool two = linear(k, magnified);
      if (two) at -= 128;
      axis[k].first = at >> 8;
      auto size = static_cast<int64_t>(im_.size(static_cast<int>(k), im_.base_level + static_cast<uint32_t>(level)));
      // A nearest texel stays on its face; at the far end of the range the last one is the nearest.
      if (seamless_ && !two) axis[k].first = std::clamp<int64_t>(axis[k].first, 0, size - 1);
      if (!seamless_ && !two && (mode(k) == Clamp::half_border || mode(k) == Clamp::mirror_once_half_border)) axis[k].first = std::min(axis[k].first, size - 1);
      if (two) axis[k].taps = 2, axis[k].weight[1] = static_cast<double>(at & 255) / 256, axis[k].weight[0] = 1 - axis[k].weight[1];
    }
    uint32_t l = layer(p);
    for (int z = 0; z < axis[2].taps; ++z)
      for (int y = 0; y < axis[1].taps; ++y)
        for (int x = 0; x < axis[0].taps; ++x) {
          double w = weight * axis[0].weight[x] * axis[1].weight[y] * axis[2].weight[z];
          if (w == 0) continue;
          int64_t n[3] = {axis[0].first + x, axis[1].first + y, axis[2].first + z};
          Texel raw;
          auto v = value(p, l, level, n, raw);
          add(sum, v, raw, w);
        }
  }

  /// A component in the form of the data registers.
  uint32_t half_of(uint32_t x) const {
    if (!i_.d16) return x;
    if (im_.integer()) return im_.number == sint ? static_cast<uint32_t>(std::clamp<int64_t>(static_cast<int32_t>(x), -32768, 32767)) & 0xffff : std::min(x, 65535u);
    return from_single(x, 10, true);
  }
  Texel halves(Texel t) const {
    for (auto& x : t) x = half_of(x);
    return t;
  }

  void one(const Point& p, int lane) {
    unsigned mask = kind_.gather ? 0xf : i_.dmask ? i_.dmask : 1;
    if (!im_.bound()) return write_data(m_, i_, lane, Texel{}, mask, i_.d16);
    Detail d = detail(p);
    if (kind_.query) return query(d, lane, mask);
    if (kind_.gather) return gather(p, d, lane);
    bool magnified = d.level <= 0;
    Sum sum;
    for (int n = 0; n < d.samples; ++n) {
      double part = (n + 0.5) / d.samples - 0.5;
      auto level_of = [&](int level, double weight) {
        std::array<double, 3> moved{};
        for (size_t k = 0; k < static_cast<size_t>(im_.dims); ++k)
          if (d.samples > 1) moved[k] = d.along[k] * part;
        filter(sum, p, level, weight, magnified, moved);
      };
      switch (s_.get(sampler::kMipFilter)) {
      case 0: level_of(0, 1); break;
      case 2:
        if (!im_.integer()) {
          double level = std::clamp(d.level, 0.0, double(levels_)), fraction = level - std::floor(level);
          if (fraction < 1) level_of(static_cast<int>(level), 1 - fraction);
          if (fraction > 0) level_of(static_cast<int>(level) + 1, fraction);
          break;
        }
        [[fallthrough]];
      default: level_of(nearest_level(d), 1); break;
      }
    }
    Texel rgba = sum.raw;
    if (sum.count > 1) {
      unsigned reduction = s_.get(sampler::kReduction);
      auto& v = reduction == 1 ? sum.least : reduction == 2 ? sum.most : sum.total;
      for (size_t k = 0; k < 4; ++k) rgba[k] = std::bit_cast<uint32_t>(static_cast<float>(reduction ? v[k] : v[k] / sum.weights));
    }
    write_data(m_, i_, lane, im_.selected(halves(rgba), i_.d16), mask, i_.d16);
  }

  void query(const Detail& d, int lane, unsigned mask) {
    double level = 0;
    switch (s_.get(sampler::kMipFilter)) {
    case 0: break;
    case 2:
      if (!im_.integer()) {
        level = std::clamp(d.level, 0.0, double(levels_));
        break;
      }
      [[fallthrough]];
    default: level = nearest_level(d); break;
    }
    Texel xyzw{std::bit_cast<uint32_t>(static_cast<float>(level)), std::bit_cast<uint32_t>(static_cast<float>(d.before)), 0, 0};
    write_data(m_, i_, lane, i_.d16 ? halves(xyzw) : xyzw, mask, i_.d16);
  }

  void gather(const Point& p, const Detail& d, int lane) {
    int level = s_.get(sampler::kMipFilter) ? nearest_level(d) : 0;
    int64_t first[3] = {}, row = 0;
    for (size_t k = 0; k < static_cast<size_t>(im_.dims); ++k) {
      int64_t at = position(p, k, level, 0);
      if (k == 1) row = at >> 8;
      first[k] = (k < 2 ? at - 128 : at) >> 8;
    }
    static constexpr int kSquare[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
    Texel result{};
    for (size_t n = 0; n < 4; ++n) {
      int64_t at[3] = {first[0] + (kind_.row ? static_cast<int64_t>(n) : kSquare[n][0]), kind_.row ? row : first[1] + kSquare[n][1], first[2]};
      Texel raw;
      value(p, layer(p), level, at, raw);
      Texel xyzw = im_.selected(halves(raw), i_.d16);
      result[n] = xyzw[i_.dmask ? static_cast<size_t>(std::countr_zero(static_cast<unsigned>(i_.dmask))) : 0];
    }
    write_data(m_, i_, lane, result, 0xf, i_.d16);
  }
};

void sample(Machine& m, const Inst& i) { Sampling(m, i).run(); }

} // namespace

void register_image_sample() {
  static const bool done = [] {
    auto* names = new std::deque<std::string>;
    auto* entries = new std::vector<Entry>;
    auto one = [&](std::string name) {
      names->push_back(std::move(name));
      entries->push_back({names->back().c_str(), nullptr, nullptr, sample});
    };
    for (std::string compare : {"", "_c"})
      for (std::string offset : {"", "_o"}) {
        for (const char* how : {"", "_cl", "_d", "_d_cl", "_cd", "_cd_cl", "_l", "_b", "_b_cl", "_lz"}) one("image_sample" + compare + how + offset);
        for (const char* how : {"", "_cl", "_l", "_b", "_b_cl", "_lz"}) one("image_gather4" + compare + how + offset);
      }
    one("image_gather4h"), one("image_get_lod");
    add(entries->data(), entries->size());
    return true;
  }();
  (void)done;
}

} // namespace bz::isa::ref
