// Samples, gathers and levels of detail against small plain expectations and laws.
#include "exec/testing/image.hpp"

namespace {
using namespace bz::exec::testing;

// ---------------------------------------------------------------- sampling

constexpr Clamp kClamps[] = {Clamp::wrap, Clamp::mirror, Clamp::edge, Clamp::mirror_once, Clamp::half_border, Clamp::mirror_once_half_border, Clamp::border,
                             Clamp::mirror_once_border};

/// Texel i of a row of n through an address mode, as its definition says; -1: border.
int address_mode(Clamp m, int i, int n) {
  switch (m) {
  case Clamp::wrap:
    while (i < 0) i += n;
    return i % n;
  case Clamp::mirror:
    while (i < 0) i += 2 * n;
    i %= 2 * n;
    return i < n ? i : 2 * n - 1 - i;
  case Clamp::mirror_once:
    if (i < 0) i = -1 - i;
    return i >= n ? n - 1 : i;
  case Clamp::edge: return i < 0 ? 0 : i >= n ? n - 1 : i;
  case Clamp::mirror_once_border: if (i < 0) i = -1 - i; [[fallthrough]];
  default: return i < 0 || i >= n ? -1 : i;
  }
}
/// A coordinate in texels, for the modes that clamp it rather than the texel.
double clamp_coordinate(Clamp m, double x, int n) {
  if (m == Clamp::mirror_once_half_border) x = std::fabs(x);
  if (m == Clamp::half_border || m == Clamp::mirror_once_half_border) x = std::fmin(std::fmax(x, 0.0), n);
  return x;
}

/// 2D, one float component; border 1.
double sample_plainly(Picture& p, Clamp m, Filter f, double x, double y) {
  int n[2] = {static_cast<int>(p.width), static_cast<int>(p.height)};
  double c[2] = {clamp_coordinate(m, x, n[0]), clamp_coordinate(m, y, n[1])};
  auto read = [&](int i, int j) {
    int tx = address_mode(m, i, n[0]), ty = address_mode(m, j, n[1]);
    return tx < 0 || ty < 0 ? 1.0 : double{p.at<float>(static_cast<uint32_t>(tx), static_cast<uint32_t>(ty))};
  };
  if (f == kPoint) {
    int i[2];
    for (int k = 0; k < 2; ++k) {
      i[k] = static_cast<int>(std::floor(c[k]));
      if ((m == Clamp::half_border || m == Clamp::mirror_once_half_border) && i[k] == n[k]) --i[k];
    }
    return read(i[0], i[1]);
  }
  double a = std::rint((c[0] - 0.5) * 256) / 256, b = std::rint((c[1] - 0.5) * 256) / 256;
  int i = static_cast<int>(std::floor(a)), j = static_cast<int>(std::floor(b));
  a -= i, b -= j;
  double sum = 0;
  if ((1 - a) * (1 - b) > 0) sum += (1 - a) * (1 - b) * read(i, j);
  if (a * (1 - b) > 0) sum += a * (1 - b) * read(i + 1, j);
  if ((1 - a) * b > 0) sum += (1 - a) * b * read(i, j + 1);
  if (a * b > 0) sum += a * b * read(i + 1, j + 1);
  return sum;
}

TEST(Image, AddressModesAndFilters) {
  Rig rig;
  Picture p = float_picture(7, 5);
  rig.resource = p.resource;
  for (Clamp m : kClamps)
    for (Filter f : {kPoint, kLinear})
      for (bool unnormalized : {false, true})
        for (int step = 0; step < 3; ++step) {
          rig.sampler = make_sampler(m, f);
          rig.sampler.set(sampler::kBorderType, 2);
          rig.sampler.set(sampler::kUnnormalized, unnormalized && step == 1);
          SCOPED_TRACE("clamp " + std::to_string(static_cast<int>(m)) + (f ? " linear" : " point") + (unnormalized ? " unnormalized" : "") + " " +
                       std::to_string(step));
          // Eighths of a texel, and odd fractions, on both sides of the image.
          auto u = [&](unsigned l) { return step == 0 ? static_cast<float>(static_cast<int>(l) - 25) / 4 : (static_cast<float>(l) * 0.271f - 6.03f) * static_cast<float>(step); };
          auto v = [&](unsigned l) { return static_cast<float>(static_cast<int>(l * 5 % 64) - 30) / 8; };
          auto scale = [&](float x, uint32_t n) { return unnormalized ? x : x / static_cast<float>(n); };
          rig.number(0, [&](unsigned l) { return scale(u(l), 7); });
          rig.number(1, [&](unsigned l) { return scale(v(l), 5); });
          rig.run(std::string("image_sample_lz v0, v[10:11], s[0:7], s[8:11] dmask:0x1") + (unnormalized && step != 1 ? " unorm" : ""), [&] {
            for (unsigned l = 0; l < 64; ++l) {
              double x = double{scale(u(l), 7)} * (unnormalized ? 1 : 7), y = double{scale(v(l), 5)} * (unnormalized ? 1 : 5);
              EXPECT_FLOAT_EQ(rig.out_f(l), static_cast<float>(sample_plainly(p, m, f, x, y))) << "lane " << l << " at " << x << ", " << y;
            }
          });
        }
}

TEST(Image, RoundedCoordinates) {
  // Without truncation a point sample rounds to 1/256 of a texel first.
  Rig rig;
  Picture p = float_picture(8, 8);
  rig.resource = p.resource;
  rig.sampler = make_sampler(Clamp::edge, kPoint);
  rig.number(0, [](unsigned) { return 0.49999f; }), rig.number(1, [](unsigned) { return 0.0f; });
  for (bool truncate : {false, true}) {
    rig.sampler.set(sampler::kTruncate, truncate);
    rig.run("image_sample_lz v0, v[10:11], s[0:7], s[8:11] dmask:0x1", [&] { EXPECT_EQ(rig.out_f(0), p.at<float>(truncate ? 3 : 4, 0)); });
  }
}

TEST(Image, NotANumberAndInfinity) {
  Rig rig;
  Picture p = float_picture(8, 8);
  rig.resource = p.resource;
  rig.sampler = make_sampler(Clamp::edge, kPoint);
  rig.number(0, [](unsigned l) { return l == 0 ? NAN : l == 1 ? INFINITY : l == 2 ? -INFINITY : l == 3 ? 1e30f : -1e30f; });
  rig.number(1, [](unsigned) { return 0.0f; });
  rig.run("image_sample_lz v0, v[10:11], s[0:7], s[8:11] dmask:0x1", [&] {
    for (unsigned l = 0; l < 5; ++l) EXPECT_EQ(rig.out_f(l), p.at<float>(l == 1 || l == 3 ? 7 : 0, 0)) << l;
  });
}

TEST(Image, OneAndThreeDimensionsAndLayers) {
  Rig rig;
  for (auto& d : kDimensions) {
    if (d.type == image::Type::cube) continue;
    SCOPED_TRACE(d.name);
    Picture p(d.type, d.size, k16161616, kFloat, 8);
    auto value = [](uint32_t x, uint32_t y, uint32_t z, uint32_t layer) { return static_cast<float>(x + 50 * y + 300 * z) + 0.25f * static_cast<float>(layer); };
    for (uint32_t z = 0; z < d.size[2]; ++z)
      for (uint32_t y = 0; y < d.size[1]; ++y)
        for (uint32_t x = 0; x < d.size[0]; ++x) {
          auto* t = d.array ? &p.at<uint64_t>(x, y, 0, z) : &p.at<uint64_t>(x, y, z, 0);
          uint64_t h = half(d.array ? value(x, y, 0, z) : value(x, y, z, 0));
          *t = h | uint64_t{half(1)} << 16 | uint64_t{half(2)} << 32 | uint64_t{half(3)} << 48;
        }
    rig.resource = p.resource;
    rig.sampler = make_sampler(Clamp::edge, kLinear);
    // Values are linear in each axis, so a linear filter gives them back between texel centres.
    unsigned dims = d.coordinates - d.array;
    auto at = [&](unsigned k, unsigned l) { return 0.5f + static_cast<float>((l * (2 * k + 3)) % 32) / 32 * static_cast<float>(d.size[k] - 1); };
    for (unsigned k = 0; k < dims; ++k) rig.number(k, [&, k](unsigned l) { return at(k, l) / static_cast<float>(d.size[k]); });
    if (d.array) rig.number(dims, [&](unsigned l) { return static_cast<float>(l % 7) * 0.75f - 0.5f; });
    rig.run("image_sample_lz v[0:3], v[10:12], s[0:7], s[8:11] dmask:0xf" + da(d), [&] {
      for (unsigned l = 0; l < 64; ++l) {
        float want = at(0, l) - 0.5f;
        if (dims > 1) want += 50 * (at(1, l) - 0.5f);
        if (dims > 2) want += 300 * (at(2, l) - 0.5f);
        if (d.array) want += 0.25f * std::fmin(std::fmax(std::rint(static_cast<float>(l % 7) * 0.75f - 0.5f), 0.0f), static_cast<float>(d.size[2] - 1));
        EXPECT_NEAR(rig.out_f(l), want, 351.0 / 256) << "lane " << l;   // coordinates are rounded to 1/256
        EXPECT_EQ(rig.out_f(l, 1), 1); EXPECT_EQ(rig.out_f(l, 2), 2); EXPECT_EQ(rig.out_f(l, 3), 3);
      }
    });
    if (d.type != image::Type::d3) continue;
    // The z filter can differ.
    rig.sampler.set(sampler::kZFilter, 1);
    rig.number(2, [&](unsigned l) { return (0.1f + static_cast<float>(l % 3)) / 3; });
    rig.number(0, [&](unsigned) { return 2.5f / 9; }), rig.number(1, [&](unsigned) { return 1.5f / 4; });
    rig.run("image_sample_lz v0, v[10:12], s[0:7], s[8:11] dmask:0x1", [&] {
      for (unsigned l = 0; l < 64; ++l) EXPECT_EQ(rig.out_f(l), value(2, 1, l % 3, 0));
    });
  }
}

TEST(Image, CubeEdgesAreSeamless) {
  // Texels hold a number of their own; along each edge both faces give the same sample.
  constexpr uint32_t kN = 4;
  Picture p(image::Type::cube, {kN, kN, 6}, k32, kFloat, 4);
  for (uint32_t f = 0; f < 6; ++f)
    for (uint32_t y = 0; y < kN; ++y)
      for (uint32_t x = 0; x < kN; ++x) p.at<float>(x, y, 0, f) = static_cast<float>((f * 37 + y * 11 + x * 5) % 64);
  Rig rig;
  rig.resource = p.resource;
  rig.sampler = make_sampler(Clamp::edge, kLinear);
  struct Point { float s, t; unsigned face; };
  // The definition of cube coordinates: major axis, then the two others with signs.
  auto project = [](std::array<float, 3> d, unsigned face) {
    float ma = std::fabs(d[face / 2]), x = d[0], y = d[1], z = d[2];
    float sc = face == 0 ? -z : face == 1 ? z : face == 5 ? -x : x, tc = face == 2 ? z : face == 3 ? -z : -y;
    return Point{sc / (2 * ma) + 1.5f, tc / (2 * ma) + 1.5f, face};
  };
  std::vector<std::pair<Point, Point>> pairs;
  for (int a = 0; a < 3; ++a)
    for (int b = a + 1; b < 3; ++b)
      for (int sa : {-1, 1})
        for (int sb : {-1, 1})
          for (int step = 0; step <= 4; ++step) {
            std::array<float, 3> d{};
            d[static_cast<size_t>(a)] = static_cast<float>(sa), d[static_cast<size_t>(b)] = static_cast<float>(sb);
            d[static_cast<size_t>(3 - a - b)] = static_cast<float>(step) / 2 - 1;   // 0 and 4: the corners
            pairs.emplace_back(project(d, static_cast<unsigned>(2 * a + (sa < 0))), project(d, static_cast<unsigned>(2 * b + (sb < 0))));
          }
  ASSERT_EQ(pairs.size(), 60u);
  std::vector<float> results[2];
  for (int side = 0; side < 2; ++side) {
    auto point = [&](unsigned l) { return side ? pairs[l % 60].second : pairs[l % 60].first; };
    rig.number(0, [&](unsigned l) { return point(l).s; });
    rig.number(1, [&](unsigned l) { return point(l).t; });
    rig.number(2, [&](unsigned l) { return static_cast<float>(point(l).face); });
    rig.run("image_sample_lz v0, v[10:12], s[0:7], s[8:11] dmask:0x1 da", [&] {
      results[side].clear();
      for (unsigned l = 0; l < 60; ++l) results[side].push_back(rig.out_f(l));
    });
  }
  for (size_t l = 0; l < 60; ++l) EXPECT_NEAR(results[0][l], results[1][l], 1e-4) << "edge point " << l;
  // In the middle of a face it is an ordinary image; without wrapping, the edge is an edge.
  rig.number(0, [](unsigned) { return 1.375f; }), rig.number(1, [](unsigned) { return 1.625f; }), rig.number(2, [](unsigned l) { return static_cast<float>(l % 6); });
  rig.run("image_sample_lz v0, v[10:12], s[0:7], s[8:11] dmask:0x1 da", [&] {
    for (uint32_t f = 0; f < 6; ++f) EXPECT_EQ(rig.out_f(f), p.at<float>(1, 2, 0, f));
  });
  rig.sampler.set(sampler::kNoCubeWrap, 1);
  rig.number(0, [](unsigned) { return 1.0f; });
  rig.run("image_sample_lz v0, v[10:12], s[0:7], s[8:11] dmask:0x1 da", [&] {
    for (uint32_t f = 0; f < 6; ++f) EXPECT_EQ(rig.out_f(f), p.at<float>(0, 2, 0, f));
  });
}

TEST(Image, Srgb) {
  Rig rig;
  Picture p(image::Type::d1, {64, 1, 1}, k8888, kSrgb, 4);
  for (uint32_t x = 0; x < 64; ++x) p.at<uint32_t>(x) = (4 * x + 3) * 0x01010101u;
  rig.sampler = make_sampler(Clamp::edge, kPoint);
  rig.number(0, [](unsigned l) { return (static_cast<float>(l) + 0.5f) / 64; });
  for (bool forced : {false, true}) {
    p.resource.set(image::kNumFormat, forced ? kUnorm : kSrgb);
    rig.sampler.set(sampler::kForceDegamma, forced);
    rig.resource = p.resource;
    rig.run("image_sample_lz v[0:3], v10, s[0:7], s[8:11] dmask:0xf", [&] {
      for (unsigned l = 0; l < 64; ++l) {
        double c = (4 * l + 3) / 255.0, want = c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
        for (unsigned k = 0; k < 3; ++k) EXPECT_FLOAT_EQ(rig.out_f(l, k), static_cast<float>(want));
        EXPECT_FLOAT_EQ(rig.out_f(l, 3), static_cast<float>(c));
      }
    });
  }
}

// ---------------------------------------------------------------- levels of detail

TEST(Image, GivenLevelOfDetail) {
  Rig rig;
  Picture p = levels_picture();
  rig.resource = p.resource;
  rig.number(0, [](unsigned) { return 0.3f; }), rig.number(1, [](unsigned) { return 0.6f; });
  auto lod = [](unsigned l) { return static_cast<float>(static_cast<int>(l) - 8) / 8; };
  rig.number(2, lod);
  struct { unsigned mip; float min, max, bias, resource_min; } cases[] = {{2, 0, 15, 0, 0}, {1, 0, 15, 0, 0}, {0, 0, 15, 0, 0}, {2, 1.5, 3.25, 0, 0}, {2, 0, 15, -0.5, 0}, {2, 0, 15, 1.25, 2}};
  for (auto& c : cases) {
    rig.sampler = make_sampler(Clamp::wrap, kLinear, c.mip);
    rig.sampler.set(sampler::kMinLod, static_cast<uint64_t>(c.min * 256)), rig.sampler.set(sampler::kMaxLod, static_cast<uint64_t>(c.max * 256) & 0xfff);
    rig.sampler.set(sampler::kLodBias, static_cast<uint64_t>(static_cast<int64_t>(c.bias * 256)));
    p.resource.set(image::kMinLod, static_cast<uint64_t>(c.resource_min * 256));
    rig.resource = p.resource;
    rig.run("image_sample_l v0, v[10:12], s[0:7], s[8:11] dmask:0x1", [&] {
      for (unsigned l = 0; l < 64; ++l) {
        float want = std::fmax(std::fmin(std::fmax(lod(l) + c.bias, c.min), c.max), c.resource_min);
        want = std::fmin(std::fmax(want, 0.0f), 6.0f);
        if (c.mip == 1) want = std::fmin(std::floor(want + 0.5f), 6.0f);
        if (c.mip == 0) want = 0;
        EXPECT_EQ(rig.out_f(l), want) << "lod " << lod(l) << " mip filter " << c.mip;
      }
    });
  }
}

TEST(Image, DerivativesOfQuads) {
  Rig rig;
  Picture p = levels_picture();
  rig.resource = p.resource;
  rig.sampler = make_sampler(Clamp::wrap, kLinear, 2);
  // Each quad of lanes strides 2^q/4 texels to the right and half of that downwards.
  auto stride = [](unsigned quad) { return std::exp2(static_cast<float>(quad) / 4) / 64; };
  rig.number(0, [&](unsigned l) { return 0.1f + static_cast<float>(l % 2) * stride(l / 4); });
  rig.number(1, [&](unsigned l) { return 0.2f + static_cast<float>(l / 2 % 2) * stride(l / 4) / 2; });
  auto check = [&](float bias, float low) {
    for (unsigned l = 0; l < 64; ++l) EXPECT_NEAR(rig.out_f(l), std::fmax(static_cast<float>(l / 4) / 4 + bias, low), 1.1 / 256) << "lane " << l;
  };
  rig.run("image_sample v0, v[10:11], s[0:7], s[8:11] dmask:0x1", [&] { check(0, 0); });
  rig.run("image_get_lod v[0:1], v[10:11], s[0:7], s[8:11] dmask:0x3", [&] {
    check(0, 0);
    for (unsigned l = 0; l < 64; ++l) EXPECT_NEAR(rig.out_f(l, 1), static_cast<float>(l / 4) / 4, 1.1 / 256);
  });
  // Clamp behind the coordinates, bias before them.
  rig.number(2, [](unsigned) { return 1.5f; });
  rig.run("image_sample_cl v0, v[10:12], s[0:7], s[8:11] dmask:0x1", [&] { check(0, 1.5f); });
  auto x = rig.address[0], y = rig.address[1];
  rig.number(0, [](unsigned) { return 0.75f; });
  rig.address[1] = x, rig.address[2] = y;
  rig.run("image_sample_b v0, v[10:12], s[0:7], s[8:11] dmask:0x1", [&] { check(0.75f, 0); });
  // Where a lane of the quad is off, the others still have a difference; alone there is none.
  rig.address[0] = x, rig.address[1] = y;
  rig.exec = 0xeeeeeeeeeeeeeeee;
  rig.run("image_sample v0, v[10:11], s[0:7], s[8:11] dmask:0x1", [&] {
    for (unsigned l = 0; l < 64; ++l)
      if (l % 4) EXPECT_NEAR(rig.out_f(l), static_cast<float>(l / 4) / 4, 1.1 / 256);
      else EXPECT_EQ(rig.out(l), 0xdeadbeefu);
  });
  rig.exec = 0x1111111111111111;
  rig.run("image_sample v0, v[10:11], s[0:7], s[8:11] dmask:0x1", [&] { EXPECT_EQ(rig.out_f(60), 0.0f); });
  // A MODE that rounds down and flushes changes nothing.
  rig.exec = ~uint64_t{0}, rig.mode = 0x30a;
  rig.run("image_sample v0, v[10:11], s[0:7], s[8:11] dmask:0x1", [&] { check(0, 0); });
}

TEST(Image, DerivativesAmongOperands) {
  Rig rig;
  Picture p = levels_picture();
  rig.resource = p.resource;
  rig.sampler = make_sampler(Clamp::wrap, kLinear, 2);
  // dx/dh, dy/dh, dx/dv, dy/dv, x, y: the longer one decides.
  rig.number(0, [](unsigned l) { return l % 2 ? 3.0f / 64 : 0.01f; }), rig.number(1, [](unsigned l) { return l % 2 ? 4.0f / 64 : 0.0f; });
  rig.number(2, [](unsigned l) { return l % 2 ? 0.001f : 0.0f; }), rig.number(3, [](unsigned l) { return l % 2 ? 0.0f : 10.0f / 64; });
  rig.number(4, [](unsigned) { return 0.4f; }), rig.number(5, [](unsigned) { return 0.4f; });
  rig.number(6, [](unsigned) { return 3.0f; });
  for (const char* name : {"d", "cd"}) {
    rig.run(std::string("image_sample_") + name + " v0, v[10:15], s[0:7], s[8:11] dmask:0x1", [&] {
      for (unsigned l = 0; l < 64; ++l) EXPECT_NEAR(rig.out_f(l), std::log2(l % 2 ? 5.0f : 10.0f), 1.1 / 256);
    });
    rig.run(std::string("image_sample_") + name + "_cl v0, v[10:16], s[0:7], s[8:11] dmask:0x1", [&] {
      for (unsigned l = 0; l < 64; ++l) EXPECT_NEAR(rig.out_f(l), std::fmax(3.0f, std::log2(l % 2 ? 5.0f : 10.0f)), 1.1 / 256);
    });
  }
  // Anisotropic: 16 times longer than wide, so with ratio 4 a quarter of the longer one, two levels lower.
  rig.number(0, [](unsigned) { return 16.0f / 64; }), rig.number(1, [](unsigned) { return 0.0f; });
  rig.number(2, [](unsigned) { return 0.0f; }), rig.number(3, [](unsigned) { return 1.0f / 64; });
  for (unsigned ratio : {0u, 1u, 2u, 4u}) {
    rig.sampler.set(sampler::kMinFilter, 3), rig.sampler.set(sampler::kMaxAniso, ratio);
    rig.run("image_sample_d v0, v[10:15], s[0:7], s[8:11] dmask:0x1", [&] { EXPECT_NEAR(rig.out_f(0), 4.0f - static_cast<float>(ratio), 1.1 / 256); });
  }
}

TEST(Image, OffsetsMoveByTexels) {
  Rig rig;
  Picture p = float_picture(16, 16);
  rig.resource = p.resource;
  rig.sampler = make_sampler(Clamp::wrap, kPoint);
  auto dx = [](unsigned l) { return static_cast<int>(l % 64) - 32; };
  auto dy = [](unsigned l) { return static_cast<int>(l / 8) - 4; };
  rig.integer(0, [&](unsigned l) { return (static_cast<uint32_t>(dx(l)) & 63) | (static_cast<uint32_t>(dy(l)) & 63) << 8 | 0xff0000; });
  rig.number(1, [](unsigned) { return 5.5f / 16; }), rig.number(2, [](unsigned) { return 9.5f / 16; });
  rig.run("image_sample_lz_o v0, v[10:12], s[0:7], s[8:11] dmask:0x1", [&] {
    for (unsigned l = 0; l < 64; ++l) EXPECT_EQ(rig.out_f(l), p.at<float>(static_cast<uint32_t>(5 + dx(l)) & 15, static_cast<uint32_t>(9 + dy(l)) & 15));
  });
}

// ---------------------------------------------------------------- comparison and gather

TEST(Image, DepthComparison) {
  Rig rig;
  Picture p(image::Type::d2, {8, 8, 1}, k32, kFloat, 4);
  for (uint32_t y = 0; y < 8; ++y)
    for (uint32_t x = 0; x < 8; ++x) p.at<float>(x, y) = static_cast<float>(x) / 8;
  rig.resource = p.resource;
  rig.number(0, [](unsigned) { return 0.375f; });   // the reference comes first
  rig.number(1, [](unsigned l) { return (static_cast<float>(l % 8) + 0.5f) / 8; }), rig.number(2, [](unsigned) { return 0.5f; });
  for (unsigned f = 0; f < 8; ++f) {
    rig.sampler = make_sampler(Clamp::edge, kPoint);
    rig.sampler.set(sampler::kCompare, f);
    rig.run("image_sample_c_lz v0, v[10:12], s[0:7], s[8:11] dmask:0x1", [&] {
      for (unsigned l = 0; l < 8; ++l) {
        bool less = l > 3, equal = l == 3;
        bool want = (f & 1 && less) || (f & 2 && equal) || (f & 4 && !less && !equal);
        EXPECT_EQ(rig.out_f(l), want) << "function " << f << " texel " << l;
      }
    });
  }
  // Results are filtered, not depths: halfway between a texel below and one above.
  rig.sampler = make_sampler(Clamp::edge, kLinear);
  rig.sampler.set(sampler::kCompare, 1);
  rig.number(0, [](unsigned) { return 0.4f; }), rig.number(1, [](unsigned) { return 4.25f / 8; });
  rig.run("image_sample_c_lz v0, v[10:12], s[0:7], s[8:11] dmask:0x1", [&] { EXPECT_EQ(rig.out_f(0), 0.75f); });
}

TEST(Image, Gather) {
  Rig rig;
  Picture p(image::Type::d2, {8, 8, 1}, k8888, kUint, 4);
  for (uint32_t y = 0; y < 8; ++y)
    for (uint32_t x = 0; x < 8; ++x) p.at<uint32_t>(x, y) = x | y << 8 | 0x330000 | (16 * y + x) << 24;
  rig.resource = p.resource;
  rig.sampler = make_sampler(Clamp::wrap, kLinear);
  rig.number(0, [](unsigned l) { return (static_cast<float>(l % 8) + 0.1f) / 8; }), rig.number(1, [](unsigned l) { return (static_cast<float>(l / 8) + 0.1f) / 8; });
  auto texel = [](unsigned x, unsigned y) { return 16 * (y & 7) + (x & 7); };
  rig.run("image_gather4_lz v[0:3], v[10:11], s[0:7], s[8:11] dmask:0x8", [&] {
    for (unsigned l = 0; l < 64; ++l) {
      unsigned x = l % 8, y = l / 8;   // the square ends at the texel that holds the point
      EXPECT_EQ(rig.out(l, 0), texel(x - 1, y)); EXPECT_EQ(rig.out(l, 1), texel(x, y));
      EXPECT_EQ(rig.out(l, 2), texel(x, y - 1)); EXPECT_EQ(rig.out(l, 3), texel(x - 1, y - 1));
    }
  });
  rig.run("image_gather4h v[0:3], v[10:11], s[0:7], s[8:11] dmask:0x1", [&] {
    for (unsigned l = 0; l < 64; ++l)
      for (unsigned n = 0; n < 4; ++n) EXPECT_EQ(rig.out(l, n), (l % 8 - 1 + n) & 7);
  });
  rig.run("image_gather4_lz v[0:1], v[10:11], s[0:7], s[8:11] dmask:0x2 d16", [&] {
    for (unsigned l = 0; l < 64; ++l) {
      unsigned y = l / 8, above = (y - 1) & 7;
      EXPECT_EQ(rig.out(l, 0), y | y << 16); EXPECT_EQ(rig.out(l, 1), above | above << 16); EXPECT_EQ(rig.out(l, 2), 0xdeadbeef);
    }
  });
}

TEST(Image, SixteenBitAddresses) {
  Rig rig;
  Picture p = float_picture(16, 16);
  rig.resource = p.resource;
  rig.integer(0, [](unsigned l) { return l % 16 | (l / 5) << 16; });
  rig.run("image_load v0, v[10:11], s[0:7] dmask:0x1 unorm a16", [&] {
    for (unsigned l = 0; l < 64; ++l) EXPECT_EQ(rig.out_f(l), p.at<float>(l % 16, l / 5));
  });
  Picture q = levels_picture();
  rig.resource = q.resource;
  rig.sampler = make_sampler(Clamp::wrap, kLinear, 2);
  // x and y, then the level alone.
  rig.integer(0, [](unsigned) { return half(0.25f) | half(0.5f) << 16; }), rig.integer(1, [](unsigned l) { return half(static_cast<float>(l) / 16) | 0x70000000; });
  rig.run("image_sample_l v0, v[10:11], s[0:7], s[8:11] dmask:0x1 a16", [&] {
    for (unsigned l = 0; l < 64; ++l) EXPECT_EQ(rig.out_f(l), static_cast<float>(l) / 16);
  });
  // Derivatives: a register for each direction, then the coordinates.
  rig.integer(0, [](unsigned) { return half(4.0f / 64); }), rig.integer(1, [](unsigned) { return half(1.0f / 64) << 16; });
  rig.integer(2, [](unsigned) { return half(0.25f) | half(0.5f) << 16; });
  rig.run("image_sample_d v0, v[10:13], s[0:7], s[8:11] dmask:0x1 a16", [&] { EXPECT_EQ(rig.out_f(17), 2.0f); });
  // A bias has its own register.
  rig.integer(0, [](unsigned) { return half(0.5f) | 0x12340000; });
  rig.integer(1, [](unsigned l) { return half(0.25f + static_cast<float>(l % 2) / 16) | half(0.5f) << 16; });
  rig.run("image_sample_b v0, v[10:11], s[0:7], s[8:11] dmask:0x1 a16", [&] { EXPECT_EQ(rig.out_f(17), 2.5f); });
}

} // namespace
