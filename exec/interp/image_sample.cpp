// Samples, gathers and level-of-detail queries: footprints, levels, address modes, filters. docs/fidelity.md says what is a choice.
#include "exec/interp/image_view.hpp"

#include <algorithm>
#include <cmath>

namespace bz::exec {
namespace {

namespace fields = abi::sampler;
using abi::sampler::Clamp;
using Kind = isa::ImageOp::Kind;
using Lod = isa::ImageOp::Lod;

constexpr double kLodLimit = 32;   // levels of detail are kept within [-32, 32)

struct Sampler {
  Clamp clamp[3];
  unsigned compare, max_aniso, reduction, border_type;
  bool unnormalized, truncate, cube_wrap, degamma, mip_preclamp;
  int min_lod, max_lod, bias;      // in 1/256
  unsigned mag, min, z, mip;

  explicit Sampler(const uint32_t* words) {
    abi::ImageSampler s;
    std::memcpy(s.word.data(), words, sizeof s.word);
    auto get = [&](abi::BitField f) { return static_cast<unsigned>(s.get(f)); };
    for (int k = 0; k < 3; ++k) clamp[k] = static_cast<Clamp>(get(fields::kClamp[k]));
    compare = get(fields::kCompare);
    max_aniso = std::min(get(fields::kMaxAniso), 4u);
    reduction = get(fields::kReduction);
    border_type = get(fields::kBorderType);
    unnormalized = get(fields::kUnnormalized);
    truncate = get(fields::kTruncate);
    cube_wrap = !get(fields::kNoCubeWrap);
    degamma = get(fields::kForceDegamma);
    mip_preclamp = get(fields::kMipPreclamp);
    min_lod = static_cast<int>(get(fields::kMinLod));
    max_lod = static_cast<int>(get(fields::kMaxLod));
    bias = static_cast<int>(s.get_signed(fields::kLodBias));
    mag = get(fields::kMagFilter);
    min = get(fields::kMinFilter);
    z = get(fields::kZFilter);
    mip = get(fields::kMipFilter);
  }
};

/// Address operands of a lane.
struct Address {
  bool on = false;
  int offset[3] = {};
  float coord[3] = {};
  float layer = 0, bias = 0, lod = 0, clamp = 0, reference = 0;
  double dh[3] = {}, dv[3] = {};   ///< change of the coordinates to the right and downwards
};

float ordinary(float x) { return x != x ? 0.0f : x; }
int to_fixed(double lod) {
  if (lod != lod) return 0;
  return static_cast<int>(std::nearbyint(std::clamp(lod, -kLodLimit, kLodLimit - 1.0 / 256) * 256));
}

Address read_address(const ImageOperands& in, const ImageView& v, int lane) {
  Address a;
  a.on = true;
  AddressReader r(in, lane);
  if (in.op.offset) {
    uint32_t x = r.whole();
    for (int k = 0; k < 3; ++k) a.offset[k] = static_cast<int32_t>(x << (26 - 8 * k)) >> 26;   // six bits each
  }
  if (in.op.lod == Lod::bias) a.bias = r.number(), r.align();
  if (in.op.compare) a.reference = std::bit_cast<float>(r.whole());
  if (in.op.lod == Lod::derivatives)
    for (double* d : {a.dh, a.dv}) {
      for (unsigned k = 0; k < v.dims; ++k) d[k] = ordinary(r.number());
      r.align();
    }
  for (unsigned k = 0; k < v.dims; ++k) a.coord[k] = r.number();
  if (in.has(image_mods::kArray) && v.dims < 3) a.layer = r.number();
  if (in.op.lod == Lod::given) a.lod = r.number();
  if (in.op.clamp_lod) a.clamp = r.number();
  return a;
}

/// Derivatives within 2x2 lanes, one pair for the four; between lanes that are on.
void quad_derivatives(Address* q) {
  for (int k = 0; k < 3; ++k) {
    auto between = [&](int from, int to, double& d) {
      d = double{ordinary(q[to].coord[k])} - double{ordinary(q[from].coord[k])};
      if (d != d || std::isinf(d)) d = 0;
      return q[from].on && q[to].on;
    };
    double h = 0, v = 0;
    if (!between(0, 1, h) && !between(2, 3, h)) h = 0;
    if (!between(0, 2, v) && !between(1, 3, v)) v = 0;
    for (int n = 0; n < 4; ++n) q[n].dh[k] = h, q[n].dv[k] = v;
  }
}

/// Taps along one axis: texel numbers (-1: border) and weights out of 256.
struct Taps {
  int n = 0;
  int64_t at[4];
  uint32_t weight[4];
  void add(int64_t i, uint32_t w) {
    if (w) at[n] = i, weight[n++] = w;
  }
};

constexpr int64_t kBorder = -1;

int64_t resolve(Clamp mode, int64_t i, int64_t n) {
  auto inside = [&](int64_t x) { return x >= 0 && x < n ? x : kBorder; };
  switch (mode) {
  case Clamp::wrap: return ((i % n) + n) % n;
  case Clamp::mirror: {
    int64_t m = ((i % (2 * n)) + 2 * n) % (2 * n);
    return m < n ? m : 2 * n - 1 - m;
  }
  case Clamp::edge: return std::clamp<int64_t>(i, 0, n - 1);
  case Clamp::mirror_once: return std::min(i < 0 ? -1 - i : i, n - 1);
  case Clamp::mirror_once_border: return inside(i < 0 ? -1 - i : i);
  case Clamp::half_border: case Clamp::mirror_once_half_border: case Clamp::border: return inside(i);
  }
  return kBorder;
}

/// Position in texels to 1/256 of a texel; `n`: size of the axis.
int64_t position(const Sampler& s, Clamp mode, double texels, int offset, int64_t n) {
  double x = texels * 256;
  if (mode == Clamp::wrap || mode == Clamp::mirror) x = std::fmod(x, 512.0 * static_cast<double>(n));
  if (x != x) x = 0;
  x = std::clamp(x, -0x1p40, 0x1p40);
  int64_t f = static_cast<int64_t>(s.truncate ? std::floor(x) : std::nearbyint(x)) + 256 * offset;
  if (mode == Clamp::mirror_once_half_border && f < 0) f = -f;
  if (mode == Clamp::half_border || mode == Clamp::mirror_once_half_border) f = std::clamp<int64_t>(f, 0, 256 * n);
  return f;
}

/// Weighted average, minimum or maximum of texels.
class Blend {
public:
  explicit Blend(unsigned reduction) : reduction_(reduction) {}
  void add(const Texel& t, double weight) {
    if (taps_++ == 0) only_ = t;
    double c[4];
    for (int k = 0; k < 4; ++k) c[k] = std::bit_cast<float>(t.c[k]);
    add(c, weight);
  }
  /// A value that is no texel.
  void add_mean(const double* c, double weight) {
    taps_ += 2;
    add(c, weight);
  }
  Texel result() const {
    if (taps_ == 1) return only_;   // to the bit
    Texel t;
    for (int k = 0; k < 4; ++k) t.c[k] = std::bit_cast<uint32_t>(static_cast<float>(reduction_ ? sum_[k] : sum_[k] / total_));
    return t;
  }

private:
  void add(const double* c, double weight) {
    for (int k = 0; k < 4; ++k) {
      if (reduction_ == 0) sum_[k] += c[k] * weight;
      else if (total_ == 0) sum_[k] = c[k];
      else sum_[k] = reduction_ == 1 ? std::fmin(sum_[k], c[k]) : std::fmax(sum_[k], c[k]);
    }
    total_ += weight;
  }
  unsigned reduction_, taps_ = 0;
  Texel only_;
  double sum_[4] = {}, total_ = 0;
};

/// A texel of a cube, seen from a face beyond whose edge it may lie. False: the corner where three faces meet.
bool cube_texel(unsigned& face, int64_t& x, int64_t& y, int64_t n) {
  bool out_x = x < 0 || x >= n, out_y = y < 0 || y >= n;
  if (!out_x && !out_y) return true;
  if (out_x && out_y) return false;
  // Texel centres in half texels on a cube of edge 2n: (axis, sign) of the face's normal and of its two directions.
  struct Direction { int axis, sign; };
  static constexpr Direction kNormal[6] = {{0, 1}, {0, -1}, {1, 1}, {1, -1}, {2, 1}, {2, -1}};
  static constexpr Direction kRight[6] = {{2, -1}, {2, 1}, {0, 1}, {0, 1}, {0, 1}, {0, -1}};
  static constexpr Direction kDown[6] = {{1, -1}, {1, -1}, {2, 1}, {2, -1}, {1, -1}, {1, -1}};
  int64_t p[3];
  // The edge is folded: what lies one texel beyond it is the first row of the neighbour.
  int64_t a = 2 * x + 1 - n, b = 2 * y + 1 - n, depth = n;
  if (out_x) a = a < 0 ? -n : n, depth = n - 1;
  if (out_y) b = b < 0 ? -n : n, depth = n - 1;
  p[kNormal[face].axis] = kNormal[face].sign * depth;
  p[kRight[face].axis] = kRight[face].sign * a;
  p[kDown[face].axis] = kDown[face].sign * b;
  Direction to = out_x ? Direction{kRight[face].axis, kRight[face].sign * (a < 0 ? -1 : 1)} : Direction{kDown[face].axis, kDown[face].sign * (b < 0 ? -1 : 1)};
  face = static_cast<unsigned>(2 * to.axis + (to.sign < 0));
  x = (p[kRight[face].axis] * kRight[face].sign + n - 1) / 2;
  y = (p[kDown[face].axis] * kDown[face].sign + n - 1) / 2;
  return true;
}

/// One lane's sampling.
class Sampling {
public:
  Sampling(const ImageOperands& in, const ImageView& v, const Sampler& s, const Address& a) : in_(in), v_(v), s_(s), a_(a) {
    unnormalized_ = in.has(image_mods::kUnnormalized) || s.unnormalized;
    layer();
    level_of_detail();
  }

  Texel sample() const {
    bool linear = (magnify_ ? s_.mag : s_.min) & 1;
    Blend blend(s_.reduction);
    for (unsigned probe = 0; probe < probes_; ++probe) {
      double along = (probe + 0.5) / probes_ - 0.5;
      double c[3];   // on a face of a cube coordinates come in [1, 2]
      for (unsigned k = 0; k < 3; ++k) c[k] = double{a_.coord[k]} + (probes_ == 1 ? 0 : along * major_[k]) - (v_.cube ? 1 : 0);
      unsigned level;
      uint32_t next = levels(level);
      footprint(blend, c, level, linear, 256 - next);
      if (next) footprint(blend, c, level + 1, linear, next);
    }
    return v_.swizzle(blend.result());
  }

  /// Four texels: the square of linear filtering from the lower left one against the clock, or a row.
  void gather(uint32_t* out) const {
    unsigned level = static_cast<unsigned>(s_.mip ? std::clamp<int>((lod_ + 128) >> 8, 0, static_cast<int>(v_.level_count) - 1) : 0);
    unsigned channel = static_cast<unsigned>(std::countr_zero(in_.mask()));
    double c[3];
    for (unsigned k = 0; k < 3; ++k) c[k] = double{a_.coord[k]} - (v_.cube ? 1 : 0);
    bool row = in_.op.kind == Kind::gather_row;
    int64_t x = texel_position(c, 0, level) - 128, y = texel_position(c, 1, level) - (row ? 0 : 128), z = nearest(2, texel_position(c, 2, level), level);
    x >>= 8, y >>= 8;
    static constexpr int kX[4] = {0, 1, 1, 0}, kY[4] = {1, 1, 0, 0};
    for (int n = 0; n < 4; ++n) {
      int64_t i = x + (row ? n : kX[n]), j = y + (row ? 0 : kY[n]);
      Texel t;
      unsigned face = layer_;
      if (wraps_cube()) {
        unsigned first = layer_ / 6 * 6;
        face -= first;
        if (cube_texel(face, i, j, v_.width(level))) {
          t = fetch(level, first + face, i, j, z);
        } else if (v_.format.integer()) {   // never averaged: the face's own texel
          t = fetch(level, layer_, std::clamp<int64_t>(i, 0, v_.width(level) - 1), std::clamp<int64_t>(j, 0, v_.height(level) - 1), z);
        } else {
          double mean[4];
          corner(level, i, j, z, mean);
          for (int k = 0; k < 4; ++k) t.c[k] = std::bit_cast<uint32_t>(static_cast<float>(mean[k]));
        }
      } else {
        t = fetch(level, layer_, resolve(s_.clamp[0], i, v_.width(level)), resolve(s_.clamp[1], j, v_.height(level)), z);
      }
      out[n] = v_.swizzle(t).c[channel];
    }
  }

  /// The level that is read, and what was computed.
  Texel query() const {
    unsigned level;
    uint32_t next = levels(level);
    Texel t;
    t.c[0] = std::bit_cast<uint32_t>(static_cast<float>(level) + static_cast<float>(next) / 256);
    t.c[1] = std::bit_cast<uint32_t>(static_cast<float>(raw_lod_) / 256);
    return t;
  }

private:
  void layer() {
    if (!v_.layered) return;
    double x = std::nearbyint(std::clamp(double{ordinary(a_.layer)}, 0.0, 65535.0));
    auto id = static_cast<uint32_t>(x);
    if (v_.cube) {
      if (v_.layer_count < 6) return;
      uint32_t cubes = v_.layer_count / 6;
      layer_ = std::min(id / 8, cubes - 1) * 6 + std::min(id % 8, 5u);
    } else {
      layer_ = std::min(id, v_.layer_count - 1);
    }
  }

  void level_of_detail() {
    const isa::ImageOp& op = in_.op;
    if (op.lod == Lod::zero) return;   // level 0, magnified, whatever the limits
    double lod = s_.bias / 256.0;
    if (op.lod == Lod::given) {
      lod += ordinary(a_.lod);
    } else {
      double length[2] = {0, 0};
      for (unsigned k = 0; k < v_.dims; ++k) {
        double scale = unnormalized_ ? 1 : v_.size(k, 0);
        length[0] += (a_.dh[k] * scale) * (a_.dh[k] * scale);
        length[1] += (a_.dv[k] * scale) * (a_.dv[k] * scale);
      }
      const double* major = length[1] > length[0] ? a_.dv : a_.dh;
      double longer = std::sqrt(std::max(length[0], length[1])), shorter = std::sqrt(std::min(length[0], length[1]));
      if (s_.min >= 2 && s_.max_aniso && !v_.format.integer() && op.kind != Kind::gather && op.kind != Kind::gather_row && longer > 0) {
        double most = 1u << s_.max_aniso;
        probes_ = static_cast<unsigned>(shorter * most <= longer ? most : std::ceil(longer / shorter));
        for (unsigned k = 0; k < 3; ++k) major_[k] = major[k];
        longer /= probes_;
      }
      lod += std::log2(longer);   // -infinity where nothing changes
      if (op.lod == Lod::bias) lod += ordinary(a_.bias);
    }
    raw_lod_ = lod_ = to_fixed(lod);
    int half = preclamps() ? 128 : 0;
    lod_ = std::min(std::max(lod_ + half, s_.min_lod), s_.max_lod);
    if (op.clamp_lod) lod_ = std::max(lod_, to_fixed(ordinary(a_.clamp)));
    lod_ = std::max(lod_, v_.min_lod) - half;
    magnify_ = lod_ <= 0;
  }
  bool preclamps() const { return s_.mip == 1 && s_.mip_preclamp; }

  /// First level, and weight of the one after it.
  uint32_t levels(unsigned& level) const {
    int last = static_cast<int>(v_.level_count) - 1;
    level = 0;
    if (s_.mip == 0) return 0;
    if (s_.mip == 1 || v_.format.integer()) {
      level = static_cast<unsigned>(std::clamp((lod_ + 128) >> 8, 0, last));
      return 0;
    }
    int lod = std::clamp(lod_, 0, last * 256);
    level = static_cast<unsigned>(lod >> 8);
    return static_cast<uint32_t>(lod & 255);
  }

  bool wraps_cube() const { return v_.cube && s_.cube_wrap; }
  int64_t texel_position(const double* c, unsigned axis, unsigned level) const {
    double size = v_.size(axis, level);
    double texels = unnormalized_ && !v_.cube ? c[axis] : c[axis] * size;
    return position(s_, wraps_cube() ? Clamp::edge : s_.clamp[axis], axis < v_.dims ? texels : 0, axis < v_.dims ? a_.offset[axis] : 0,
                    static_cast<int64_t>(size));
  }
  int64_t nearest(unsigned axis, int64_t at, unsigned level) const {
    int64_t n = v_.size(axis, level), i = at >> 8;
    Clamp mode = axis < v_.dims ? wraps_cube() ? Clamp::edge : s_.clamp[axis] : Clamp::edge;
    if (mode == Clamp::half_border || mode == Clamp::mirror_once_half_border) i = std::min(i, n - 1);
    return resolve(mode, i, n);
  }
  Taps taps(const double* c, unsigned axis, unsigned level, bool linear) const {
    int64_t n = v_.size(axis, level), at = texel_position(c, axis, level);
    Taps t;
    if (!linear || axis >= v_.dims) {
      t.add(nearest(axis, at, level), 256);
      return t;
    }
    at -= 128;
    auto upper = static_cast<uint32_t>(at & 255);
    auto place = [&](int64_t i) { return wraps_cube() ? i : resolve(s_.clamp[axis], i, n); };
    t.add(place(at >> 8), 256 - upper);
    t.add(place((at >> 8) + 1), upper);
    return t;
  }

  void footprint(Blend& blend, const double* c, unsigned level, bool linear, uint32_t weight) const {
    linear &= !v_.format.integer();
    bool linear_z = s_.z ? s_.z == 2 && !v_.format.integer() : linear;
    Taps x = taps(c, 0, level, linear), y = taps(c, 1, level, linear), z = taps(c, 2, level, linear_z);
    for (int k = 0; k < z.n; ++k)
      for (int j = 0; j < y.n; ++j)
        for (int i = 0; i < x.n; ++i) {
          double w = static_cast<double>(x.weight[i]) * y.weight[j] * z.weight[k] * weight;
          if (!wraps_cube()) {
            blend.add(fetch(level, layer_, x.at[i], y.at[j], z.at[k]), w);
            continue;
          }
          unsigned first = layer_ / 6 * 6, face = layer_ - first;
          int64_t tx = x.at[i], ty = y.at[j];
          if (cube_texel(face, tx, ty, v_.width(level))) {
            blend.add(fetch(level, first + face, tx, ty, 0), w);
          } else {
            double mean[4];
            corner(level, tx, ty, 0, mean);
            blend.add_mean(mean, w);
          }
        }
  }

  /// Where three faces meet there is no fourth texel: the mean of the three.
  void corner(unsigned level, int64_t x, int64_t y, int64_t z, double* mean) const {
    int64_t n = v_.width(level), ix = x < 0 ? 0 : n - 1, iy = y < 0 ? 0 : n - 1;
    unsigned first = layer_ / 6 * 6;
    for (int k = 0; k < 4; ++k) mean[k] = 0;
    for (int m = 0; m < 3; ++m) {
      unsigned face = layer_ - first;
      int64_t tx = m == 1 ? x : ix, ty = m == 2 ? y : iy;
      cube_texel(face, tx, ty, n);
      Texel t = fetch(level, first + face, tx, ty, z);
      for (int k = 0; k < 4; ++k) mean[k] += std::bit_cast<float>(t.c[k]);
    }
    for (int k = 0; k < 4; ++k) mean[k] /= 3;
  }

  Texel fetch(unsigned level, uint32_t layer, int64_t x, int64_t y, int64_t z) const {
    Texel t;
    if (x == kBorder || y == kBorder || z == kBorder) {
      uint32_t one = v_.format.one(), rgb = s_.border_type == 2 ? one : 0;
      t = {{rgb, rgb, rgb, s_.border_type ? one : 0}};
    } else {
      t = v_.read(v_.at(level, layer, static_cast<uint32_t>(x), static_cast<uint32_t>(y), static_cast<uint32_t>(z)));
    }
    if (in_.op.compare) t = {{compare(std::bit_cast<float>(t.c[0])) ? 0x3f800000u : 0u, 0, 0, 0x3f800000}};
    return t;
  }
  bool compare(float texel) const {
    float r = a_.reference;
    if (v_.format.c[0].num == NumFormat::unorm) r = std::clamp(ordinary(r), 0.0f, 1.0f);
    switch (s_.compare) {
    case 0: return false;
    case 1: return r < texel;
    case 2: return r == texel;
    case 3: return r <= texel;
    case 4: return r > texel;
    case 5: return r != texel;
    case 6: return r >= texel;
    default: return true;
    }
  }

  const ImageOperands& in_;
  const ImageView& v_;
  const Sampler& s_;
  const Address& a_;
  bool unnormalized_ = false, magnify_ = true;
  uint32_t layer_ = 0;
  int lod_ = 0, raw_lod_ = 0;
  unsigned probes_ = 1;
  double major_[3] = {};
};

const char* refusal(const ImageOperands& in, const ImageView& v, const Sampler& s) {
  if (s.reduction == 3) return "filter mode 3";
  if (in.op.compare && v.format.integer()) return "depth comparison of an integer format";
  if (s.border_type == 3)
    for (unsigned k = 0; k < v.dims; ++k)
      if (s.clamp[k] >= Clamp::half_border) return "border colors from a table";
  return nullptr;
}

} // namespace

const char* run_sampler(const ImageOperands& in, const ImageView& view) {
  Sampler s(reinterpret_cast<const uint32_t*>(in.w + in.o->s[4]));
  if (view.null) {
    uint32_t zeros[4] = {};
    in.for_lanes([&](int lane) {
      if (in.op.kind == Kind::sample || in.op.kind == Kind::query_lod) in.put_masked(lane, {}, {});
      else in.put(lane, {}, zeros, 4);
    });
    return nullptr;
  }
  if (const char* why = refusal(in, view, s)) return why;
  ImageView v = view;
  if (s.degamma && v.format.c[0].bits == 8)   // colours of bytes, not depth with stencil
    for (int k = 0; k < 3; ++k)
      if (v.format.c[k].bits == 8 && v.format.c[k].num == NumFormat::unorm) v.format.c[k].num = NumFormat::srgb;
  Address a[64];
  in.for_lanes([&](int lane) { a[lane] = read_address(in, v, lane); });
  if (in.op.lod == Lod::implicit || in.op.lod == Lod::bias)
    for (int q = 0; q < 64; q += 4) quad_derivatives(a + q);
  in.for_lanes([&](int lane) {
    Sampling one(in, v, s, a[lane]);
    switch (in.op.kind) {
    case Kind::gather: case Kind::gather_row: {
      uint32_t c[4];
      one.gather(c);
      in.put(lane, v.format, c, 4);
      break;
    }
    case Kind::query_lod: in.put_masked(lane, {}, one.query()); break;
    default: in.put_masked(lane, v.format, one.sample());
    }
  });
  return nullptr;
}

} // namespace bz::exec
