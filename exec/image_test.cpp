// Images without a sampler: loads, stores, atomics, sizes; compiled kernels; what is refused.
#include "exec/testing/case.hpp"
#include "exec/testing/image.hpp"

#include <fmt/format.h>

namespace {
using namespace bz::exec::testing;

// ---------------------------------------------------------------- without a sampler

/// Coordinates of a lane: some just outside.
std::array<uint32_t, 3> coordinates(const Dimension& d, unsigned lane) {
  std::array<uint32_t, 3> c{lane % (d.size[0] + 1), 0, 0};
  if (d.coordinates == 2) c[1] = d.array ? lane / 9 % (d.size[2] + 1) : lane / 3 % (d.size[1] + 1);
  if (d.coordinates == 3) c[1] = lane / 3 % (d.size[1] + 1), c[2] = lane / 2 % (d.size[2] + 1);
  if (lane == 63) c[0] = 0xffffffff;
  return c;
}
/// The texel, or null.
uint32_t* texel(Picture& p, const Dimension& d, std::array<uint32_t, 3> c) {
  uint32_t x = c[0], y = 0, z = 0, layer = 0;
  if (d.coordinates == 2) (d.array ? layer : y) = c[1];
  if (d.coordinates == 3) y = c[1], (d.array ? layer : z) = c[2];
  if (d.type == image::Type::cube) {
    if (layer % 8 > 5) return nullptr;
    layer = layer / 8 * 6 + layer % 8;
  }
  if (x >= d.size[0] || y >= d.size[1] || z >= (d.array ? 1 : d.size[2]) || layer >= p.layers) return nullptr;
  return &p.at<uint32_t>(x, y, z, layer);
}

TEST(Image, LoadsAndStoresOfEachDimension) {
  for (Target t : {Target::gfx900, Target::gfx906, Target::gfx908, Target::gfx90a}) {
    Rig rig(t);
    for (auto& d : kDimensions) {
      SCOPED_TRACE(d.name);
      Picture p(d.type, d.size, k32, kUint, 4);
      auto fill = [&] {
        for (size_t i = 0; i < p.memory.size(); i += 4) *reinterpret_cast<uint32_t*>(p.memory.data() + i) = static_cast<uint32_t>(i * 2654435761u);
      };
      fill();
      rig.resource = p.resource;
      for (unsigned k = 0; k < 4; ++k) rig.integer(k, [&, k](unsigned lane) { return k < d.coordinates ? coordinates(d, lane)[k] : 0xffffffff; });
      rig.exec = 0xfffffff7ffffffff;
      rig.run("image_load v0, v[10:13], s[0:7] dmask:0x1 unorm" + da(d), [&] {
        for (unsigned lane = 0; lane < 64; ++lane) {
          uint32_t* x = texel(p, d, coordinates(d, lane));
          EXPECT_EQ(rig.out(lane), lane == 35 ? 0xdeadbeef : x ? *x : 0) << "lane " << lane;
          EXPECT_EQ(rig.out(lane, 1), 0xdeadbeef);
        }
      });
      // A store changes the texels that lanes name and nothing else.
      rig.data = [](unsigned, unsigned lane) { return 1000 + lane; };
      std::vector<uint8_t> want;
      rig.run("image_store v0, v[10:13], s[0:7] dmask:0x1 unorm" + da(d), [&] { EXPECT_TRUE(p.memory == want); }, [&] {
        fill();
        for (unsigned lane = 0; lane < 64; ++lane)
          if (uint32_t* x = texel(p, d, coordinates(d, lane)); x && lane != 35) *x = 1000 + lane;
        want = p.memory;
        fill();
      });
      rig.data = [](unsigned, unsigned) { return 0xdeadbeefu; };
    }
  }
}

TEST(Image, MipLevelsLieOneAfterTheOther) {
  // 20 x 10 texels of 4 bytes: rows of 64 texels in every level, so 10, 5, 2 and 1 rows of 256 bytes.
  Picture p(image::Type::d2_array, {20, 10, 2}, k32, kUint, 4, 4);
  ASSERT_EQ(p.linear.level_offset(1), 2560u);
  ASSERT_EQ(p.linear.level_offset(2), 2560u + 1280);
  ASSERT_EQ(p.linear.level_offset(3), 2560u + 1280 + 512);
  ASSERT_EQ(p.linear.layer_bytes(), 2560u + 1280 + 512 + 256);
  uint32_t rows[] = {0, 10, 15, 17};
  for (uint32_t layer = 0; layer < 2; ++layer)
    for (uint32_t level = 0; level < 4; ++level)
      for (uint32_t y = 0; y < (10u >> level); ++y)
        for (uint32_t x = 0; x < (20u >> level); ++x)
          reinterpret_cast<uint32_t*>(p.address())[(18 * layer + rows[level] + y) * 64 + x] = layer << 24 | level << 16 | y << 8 | x;
  Rig rig;
  for (uint32_t base : {0u, 1u}) {
    p.resource.set(image::kBaseLevel, base);
    rig.resource = p.resource;
    auto x = [](unsigned l) { return l % 20; };
    auto y = [](unsigned l) { return l % 7; };
    rig.integer(0, x), rig.integer(1, y), rig.integer(2, [](unsigned l) { return l / 32; }), rig.integer(3, [](unsigned l) { return l / 3 % 5; });
    rig.run("image_load_mip v0, v[10:13], s[0:7] dmask:0x1 unorm da", [&] {
      for (unsigned l = 0; l < 64; ++l) {
        uint32_t level = base + l / 3 % 5;
        bool inside = level < 4 && x(l) < (20u >> level) && y(l) < (10u >> level);
        EXPECT_EQ(rig.out(l), inside ? (l / 32) << 24 | level << 16 | y(l) << 8 | x(l) : 0) << "lane " << l;
      }
    });
    rig.integer(0, [](unsigned l) { return l % 5; });
    rig.run("image_get_resinfo v[0:3], v10, s[0:7] dmask:0xf unorm", [&] {
      for (unsigned l = 0; l < 64; ++l) {
        uint32_t level = base + l % 5;
        EXPECT_EQ(rig.out(l, 0), level < 4 ? 20u >> level : 0);
        EXPECT_EQ(rig.out(l, 1), level < 4 ? 10u >> level : 0);
        EXPECT_EQ(rig.out(l, 2), level < 4 ? 2u : 0);
        EXPECT_EQ(rig.out(l, 3), 4 - base);
      }
    });
  }
  // A view of the second layer alone.
  p.resource.set(image::kBaseLevel, 0), p.resource.set(image::kBaseArray, 1);
  rig.resource = p.resource;
  rig.integer(0, [](unsigned l) { return l % 20; }), rig.integer(1, [](unsigned) { return 3; }), rig.integer(2, [](unsigned l) { return l % 2; });
  rig.run("image_load v0, v[10:13], s[0:7] dmask:0x1 unorm da", [&] {
    for (unsigned l = 0; l < 64; ++l) EXPECT_EQ(rig.out(l), l % 2 ? 0 : 1u << 24 | 3 << 8 | l % 20);
  });
}

TEST(Image, FormatsMasksAndSelects) {
  Rig rig;
  Picture p(image::Type::d1, {64, 1, 1}, k8888, kUnorm, 4);
  for (uint32_t x = 0; x < 64; ++x) p.at<uint32_t>(x) = x | (255 - x) << 8 | 0x330000 | 2 * x << 24;
  p.select(6, 5, 4, 1);   // blue first, alpha is one
  rig.resource = p.resource;
  rig.integer(0, [](unsigned l) { return l; });
  rig.run("image_load v[0:1], v10, s[0:7] dmask:0xa unorm", [&] {
    for (unsigned l = 0; l < 64; ++l) {
      EXPECT_EQ(rig.out_f(l, 0), static_cast<float>(255 - l) / 255);
      EXPECT_EQ(rig.out_f(l, 1), 1.0f);
      EXPECT_EQ(rig.out(l, 2), 0xdeadbeef);
    }
  });
  rig.run("image_load v[0:1], v10, s[0:7] dmask:0x7 unorm d16", [&] {
    for (unsigned l = 0; l < 64; ++l) {
      EXPECT_EQ(rig.out(l, 0), half(0x33 / 255.0f) | half(static_cast<float>(255 - l) / 255) << 16);
      EXPECT_EQ(rig.out(l, 1), half(static_cast<float>(l) / 255));
    }
  });
  // Stores go back through the same selects; what dmask leaves out is written as 0.
  rig.data = [](unsigned r, unsigned l) { return std::bit_cast<uint32_t>(r == 0 ? static_cast<float>(l) / 255 : 1.0f); };
  rig.run("image_store v[0:1], v10, s[0:7] dmask:0x5 unorm", [&] {
    for (uint32_t x = 0; x < 64; ++x) EXPECT_EQ(p.at<uint32_t>(x), 255 | x << 16);
  });
  p.select(4, 5, 6, 7);
  rig.resource = p.resource;
  rig.data = [](unsigned r, unsigned) { return r == 0 ? half(1) | half(0.2f) << 16 : half(0.4f) | half(0.6f) << 16; };
  rig.run("image_store v[0:1], v10, s[0:7] dmask:0xf unorm d16", [&] { EXPECT_EQ(p.at<uint32_t>(7), 0x996633ffu); });
  // Packed rows move the texel's bits.
  Picture q(image::Type::d1, {64, 1, 1}, k8, kUnorm, 1);
  for (uint32_t x = 0; x < 64; ++x) q.at<uint8_t>(x) = static_cast<uint8_t>(4 * x + 1);
  rig.resource = q.resource;
  rig.run("image_load_pck v0, v10, s[0:7] dmask:0x1 unorm", [&] {
    for (unsigned l = 0; l < 64; ++l) EXPECT_EQ(rig.out(l), 4 * l + 1);
  });
  rig.run("image_load_pck_sgn v0, v10, s[0:7] dmask:0x1 unorm", [&] {
    for (unsigned l = 0; l < 64; ++l) EXPECT_EQ(rig.out(l), static_cast<uint32_t>(static_cast<int8_t>(4 * l + 1)));
  });
  rig.data = [](unsigned, unsigned l) { return 0xab00 | (l ^ 0x55); };
  rig.run("image_store_pck v0, v10, s[0:7] dmask:0x1 unorm", [&] {
    for (uint32_t x = 0; x < 64; ++x) EXPECT_EQ(q.at<uint8_t>(x), (x ^ 0x55) & 255);
  });
}

TEST(Image, UnboundReadsZero) {
  Rig rig;
  rig.integer(0, [](unsigned l) { return l; });
  rig.run("image_load v[0:3], v10, s[0:7] dmask:0xf unorm", [&] { EXPECT_EQ(rig.out(3, 2), 0u); });
  rig.run("image_store v[0:3], v10, s[0:7] dmask:0xf unorm", [&] {});
  rig.run("image_sample_lz v[0:3], v[10:11], s[0:7], s[8:11] dmask:0xf", [&] { EXPECT_EQ(rig.out(5, 3), 0u); });
}

TEST(Image, AtomicsOnTexels) {
  Rig rig;
  Picture p(image::Type::d2, {8, 8, 1}, k32, kUint, 4);
  rig.resource = p.resource;
  rig.integer(0, [](unsigned l) { return l % 2 ? 9u : 3u; });   // odd lanes miss
  rig.integer(1, [](unsigned) { return 5u; });
  rig.data = [](unsigned, unsigned l) { return l; };
  rig.run("image_atomic_add v0, v[10:11], s[0:7] dmask:0x1 unorm glc",
          [&] {
            uint32_t sum = 100;
            for (unsigned l = 0; l < 64; ++l) {
              EXPECT_EQ(rig.out(l), l % 2 ? 0 : sum);
              if (l % 2 == 0) sum += l;
            }
            EXPECT_EQ(p.at<uint32_t>(3, 5), sum);
          },
          [&] { p.at<uint32_t>(3, 5) = 100; });
  struct { const char* name; uint32_t mem, data, want; } ops[] = {
      {"swap", 5, 9, 9}, {"sub", 5, 9, static_cast<uint32_t>(-4)}, {"smin", 5, 0xffffffff, 0xffffffff}, {"umin", 5, 0xffffffff, 5},
      {"smax", 5, 0xffffffff, 5}, {"umax", 5, 0xffffffff, 0xffffffff}, {"and", 12, 10, 8}, {"or", 12, 10, 14}, {"xor", 12, 10, 6},
      {"inc", 5, 5, 0}, {"inc", 5, 6, 6}, {"dec", 0, 7, 7}, {"dec", 5, 7, 4}};
  rig.integer(0, [](unsigned) { return 3u; });
  rig.exec = 1;
  for (auto& op : ops) {
    SCOPED_TRACE(op.name);
    rig.data = [&](unsigned, unsigned) { return op.data; };
    rig.run(std::string("image_atomic_") + op.name + " v0, v[10:11], s[0:7] dmask:0x1 unorm glc",
            [&] { EXPECT_EQ(rig.out(0), op.mem); EXPECT_EQ(p.at<uint32_t>(3, 5), op.want); }, [&] { p.at<uint32_t>(3, 5) = op.mem; });
  }
  Picture q(image::Type::d1, {64, 1, 1}, k32_32, kUint, 8);
  rig.resource = q.resource;
  rig.exec = ~uint64_t{0};
  rig.integer(0, [](unsigned l) { return l; });
  rig.data = [](unsigned r, unsigned l) { return 10 * r + l % 2; };   // new value, then what is expected
  rig.run("image_atomic_cmpswap v[0:3], v10, s[0:7] dmask:0xf unorm glc",
          [&] {
            for (unsigned l = 0; l < 64; ++l) {
              bool equal = l % 2 == 1;
              EXPECT_EQ(q.at<uint64_t>(l), equal ? 11ull << 32 | 1 : 31ull << 32 | 21);
              EXPECT_EQ(rig.out(l, 0), 21u); EXPECT_EQ(rig.out(l, 1), 31u); EXPECT_EQ(rig.out(l, 2), 20 + l % 2);
            }
          },
          [&] { for (unsigned l = 0; l < 64; ++l) q.at<uint64_t>(l) = 31ull << 32 | 21; });
}

// ---------------------------------------------------------------- status, whole programs, refusals

/// A kernel of 64 lanes on every target with images.
template <class Args> void everywhere(const std::string& source, const std::string& kernel, Args& args, const std::function<void()>& check) {
  std::string prelude = std::string(kPrelude) + "typedef float f4 __attribute__((ext_vector_type(4)));\n";
  for (Target t : {Target::gfx900, Target::gfx906, Target::gfx90a})
    for (const char* flags : {"-O0", "-O3"}) {
      auto code = device(t, prelude + source, flags);
      ASSERT_TRUE(code);
      for (auto& level : engine_levels()) {
        SCOPED_TRACE(std::string(bz::isa::target_name(t)) + " " + flags + " " + level);
        auto e = engine(t, level);
        bz::exec::DispatchInfo d;
        d.group_size = {64, 1, 1};
        d.grid_size = {64, 1, 1};
        d.private_bytes = 1024;
        d.kernel_object = code->symbol(kernel + ".kd");
        d.kernarg = reinterpret_cast<uint64_t>(&args);
        launch(*e, d);
        check();
      }
    }
}

TEST(Image, StatusOfResidency) {
  Rig rig;
  Picture p = float_picture(8, 8);
  rig.resource = p.resource;
  rig.integer(0, [](unsigned) { return 2u; }), rig.integer(1, [](unsigned) { return 3u; });
  rig.run("image_load v[0:1], v[10:11], s[0:7] dmask:0x1 unorm tfe", [&] { EXPECT_EQ(rig.out_f(9), p.at<float>(2, 3)); EXPECT_EQ(rig.out(9, 1), 0u); });
}

TEST(Image, CompiledKernel) {
  constexpr const char* kSource = R"(
KERNEL void twice(const __attribute__((address_space(4))) __amdgpu_texture_t* images, float* out) {
  int i = __builtin_amdgcn_workitem_id_x();
  f4 t = __builtin_amdgcn_image_load_2d_v4f32_i32(15, i % 8, i / 8, images[0], 0, 0);
  __builtin_amdgcn_image_store_2d_v4f32_i32(t * 2.0f, 15, i % 8, i / 8, images[1], 0, 0);
  out[i] = t.x;
})";
  Picture a(image::Type::d2, {8, 8, 1}, k32323232, kFloat, 16), b(image::Type::d2, {8, 8, 1}, k32323232, kFloat, 16);
  for (uint32_t i = 0; i < 64; ++i)
    for (uint32_t k = 0; k < 4; ++k) (&a.at<float>(i % 8, i / 8))[k] = static_cast<float>(100 * k + i);
  std::vector<float> out(64);
  const ImageResource* handles[] = {&a.resource, &b.resource};   // what a texture is to the compiler
  struct { const void* images; float* out; } args{handles, out.data()};
  everywhere(kSource, "twice", args, [&] {
    for (uint32_t i = 0; i < 64; ++i) {
      EXPECT_EQ(out[i], static_cast<float>(i));
      for (uint32_t k = 0; k < 4; ++k) EXPECT_EQ((&b.at<float>(i % 8, i / 8))[k], 2 * static_cast<float>(100 * k + i));
    }
  });
}

TEST(Image, CompiledSample) {
  // The mean of each texel and its right neighbour.
  constexpr const char* kSource = R"(
KERNEL void blur(const __attribute__((address_space(4))) __amdgpu_texture_t* images, __attribute__((ext_vector_type(4))) int sampler, float* out) {
  int i = __builtin_amdgcn_workitem_id_x();
  f4 t = __builtin_amdgcn_image_sample_2d_v4f32_f32(15, (i % 8 + 1.0f) / 8, (i / 8 + 0.5f) / 8, images[0], sampler, false, 0, 0);
  out[i] = t.x;
})";
  Picture p = float_picture(8, 8);
  std::vector<float> out(64);
  const ImageResource* handles[] = {&p.resource};
  struct { const void* images; alignas(16) ImageSampler sampler; float* out; } args{handles, make_sampler(Clamp::wrap, kLinear), out.data()};
  everywhere(kSource, "blur", args, [&] {
    for (uint32_t i = 0; i < 64; ++i) EXPECT_FLOAT_EQ(out[i], (p.at<float>(i % 8, i / 8) + p.at<float>((i + 1) % 8, i / 8)) / 2);
  });
}

TEST(Image, RefusedByName) {
  Rig rig;
  Picture p = float_picture(8, 8);
  auto refused = [&](bz::abi::BitField f, uint64_t value, const std::string& why, const char* text = "image_load v0, v[10:11], s[0:7] dmask:0x1 unorm") {
    rig.resource = p.resource;
    rig.resource.set(f, value);
    std::string said = rig.refusal(text);
    EXPECT_NE(said.find("not implemented: image_"), said.npos) << said;
    EXPECT_NE(said.find(why), said.npos) << said;
  };
  refused(image::kSwizzleMode, 9, "image tiling mode 9 is not implemented");
  refused(image::kType, 14, "multisampled images");
  refused(image::kType, 3, "image type 3");
  refused(image::kDataFormat, kBc1, "image format data format 35");
  refused(image::kCompression, 1, "compressed images");
  refused(image::kMinLodWarn, 256, "a warning about levels of detail", "image_load v0, v[10:11], s[0:7] dmask:0x1 unorm lwe");
  refused(image::kDataFormat, k16_16, "image atomic", "image_atomic_add v[0:1], v[10:11], s[0:7] dmask:0x3 unorm");
  rig.sampler = make_sampler(Clamp::border, kLinear);
  rig.sampler.set(sampler::kBorderType, 3);
  refused(image::kMinLod, 0, "border colors from a table", "image_sample_lz v0, v[10:11], s[0:7], s[8:11] dmask:0x1");
}

TEST(Image, FaultsAreTheInstructions) {
  Rig rig;
  Picture p = float_picture(8, 8);
  p.resource.set(image::kBase, 0x10);   // nothing is mapped at 4096
  rig.resource = p.resource;
  rig.integer(0, [](unsigned) { return 1u; }), rig.integer(1, [](unsigned) { return 2u; });
  for (const char* text : {"image_load v0, v[10:11], s[0:7] dmask:0x1 unorm", "image_store v0, v[10:11], s[0:7] dmask:0x1 unorm"}) {
    std::string said = rig.refusal(text);
    EXPECT_NE(said.find(std::string(text).substr(0, 10)), said.npos) << said;
    EXPECT_NE(said.find("0x1204"), said.npos) << said;   // a row of 64 floats is 256 bytes
  }
  // The lane, too: row 2 is no memory.
  EdgeOfMemory edge;
  p.resource.set(image::kBase, (edge.end() - 512) >> 8);
  rig.resource = p.resource;
  rig.exec = ~uint64_t{0xf00};
  auto y = [](unsigned lane) { return lane == 9 || lane == 37 ? 2u : 1u; };
  auto names_lane = [&](const char* text) {
    std::string said = rig.refusal(text);
    EXPECT_NE(said.find(fmt::format("0x{:x}", edge.end() + 4)), said.npos) << said;
    EXPECT_NE(said.find("lane 37)"), said.npos) << said;
  };
  rig.integer(1, y);
  for (const char* text : {"image_load v0, v[10:11], s[0:7] dmask:0x1 unorm", "image_store v0, v[10:11], s[0:7] dmask:0x1 unorm",
                           "image_atomic_add v0, v[10:11], s[0:7] dmask:0x1 unorm"})
    names_lane(text);
  rig.sampler = make_sampler(Clamp::wrap, kPoint);
  rig.number(0, [](unsigned) { return 1.5f / 8; }), rig.number(1, [&](unsigned lane) { return (static_cast<float>(y(lane)) + 0.5f) / 8; });
  names_lane("image_sample_lz v0, v[10:11], s[0:7], s[8:11] dmask:0x1");
  rig.exec = ~uint64_t{0};
  // MODE is what it was: a rounding that the image ignored counts again.
  Picture q = float_picture(8, 8);
  rig.resource = q.resource;
  rig.integer(0, [](unsigned) { return 1u; }), rig.integer(1, [](unsigned) { return 2u; });
  rig.mode = 0x3f1;   // up
  rig.run("image_load v0, v[10:11], s[0:7] dmask:0x1 unorm\n v_mov_b32 v1, 0x33000000\n v_add_f32 v1, 1.0, v1",
          [&] { EXPECT_EQ(rig.out(7, 1), 0x3f800001u); });
}

TEST(Image, NoImagesOnGfx942) {
  auto words = assemble(Target::gfx906, "image_load v0, v[10:11], s[0:7] dmask:0x1 unorm");
  ASSERT_TRUE(words);
  for (Target t : {Target::gfx942, Target::gfx950}) {
    Machine m(t);
    bz::Status s = m.run(*words);
    EXPECT_NE(s.to_string().find("illegal instruction"), std::string::npos) << s.to_string();
  }
  auto gather = assemble(Target::gfx906, "image_gather4_lz v[0:3], v[10:11], s[0:7], s[8:11] dmask:0x8");
  Machine m(Target::gfx90a);
  EXPECT_NE(m.run(*gather).to_string().find("illegal instruction"), std::string::npos);
}

} // namespace
