// MIMG: image loads, stores, atomics and samples (none on gfx942). The number of data dwords comes from dmask, d16 and
// tfe; the encoding does not say how many address dwords there are (the resource does), so rows give the fewest. The meaning of
// a row is a description that the builder carries out.
#pragma once
#include "isa/builder.hpp"
#include "isa/row.hpp"

namespace bz::isa {

/// From the part of the name behind image_load and image_store.
consteval ImageOp image_access(ImageOp::Kind kind, std::string_view suffixes) {
  return {.kind = kind, .mip = suffixes.find("_mip") != suffixes.npos, .packed = suffixes.find("_pck") != suffixes.npos,
          .sign_extend = suffixes.find("_sgn") != suffixes.npos};
}
/// From the part of the name behind image_sample and image_gather4.
consteval ImageOp image_sample(ImageOp::Kind kind, std::string_view suffixes) {
  auto has = [&](std::string_view s) {
    for (size_t at = suffixes.find(s); at != suffixes.npos; at = suffixes.find(s, at + 1))
      if (at + s.size() == suffixes.size() || suffixes[at + s.size()] == '_') return true;
    return false;
  };
  using Lod = ImageOp::Lod;
  return {.kind = kind,
          .lod = has("_d") || has("_cd") ? Lod::derivatives : has("_l") ? Lod::given : has("_lz") ? Lod::zero : has("_b") ? Lod::bias : Lod::implicit,
          .clamp_lod = has("_cl"), .compare = has("_c"), .offset = has("_o")};
}

#define BZ_IMAGE_SEM(op)                                                                                               \
  [](auto& b) {                                                                                                        \
    constexpr ImageOp kOp = op; /* as an argument, clang would call the function at run time */                       \
    b.image(kOp);                                                                                                      \
  }
#define BZ_IMAGE_LOAD(suffix, op, fl)                                                                                  \
  {{"image_load" suffix, MIMG, {op}, "vdata:dst, vaddr, srsrc:8", Load | Typed | fl, kBeforeGfx940},                   \
   BZ_IMAGE_SEM(image_access(ImageOp::Kind::load, suffix))}
#define BZ_IMAGE_STORE(suffix, op, fl)                                                                                 \
  {{"image_store" suffix, MIMG, {op}, "vdata, vaddr, srsrc:8", Store | Typed | fl, kBeforeGfx940},                     \
   BZ_IMAGE_SEM(image_access(ImageOp::Kind::store, suffix))}
#define BZ_IMAGE_ATOMIC(name, what, op, data)                                                                          \
  {{"image_atomic_" name, MIMG, {op}, data ":rw, vaddr, srsrc:8", Load | Store | Atomic, kBeforeGfx940},               \
   BZ_IMAGE_SEM((ImageOp{.kind = ImageOp::Kind::atomic, .atomic = AtomicOp::what}))}
#define BZ_SAMPLE(suffix, op, address)                                                                                 \
  {{"image_sample" suffix, MIMG, {op}, "vdata:dst, vaddr:" #address ", srsrc:8, ssamp:4", Load | Typed | D16,         \
    kBeforeGfx90a},                                                                                                    \
   BZ_IMAGE_SEM(image_sample(ImageOp::Kind::sample, suffix))}
#define BZ_GATHER4(suffix, op, address, kind)                                                                          \
  {{"image_gather4" suffix, MIMG, {op}, "vdata:2:dst, vaddr:" #address ", srsrc:8, ssamp:4",                           \
    Load | Typed | D16 | Gather4, kBeforeGfx90a},                                                                      \
   BZ_IMAGE_SEM(image_sample(ImageOp::Kind::kind, suffix))}

template <class B> inline constexpr Row<B> kMimg[] = {
    BZ_IMAGE_LOAD("", 0, D16),
    BZ_IMAGE_LOAD("_mip", 1, D16),
    BZ_IMAGE_LOAD("_pck", 2, None),
    BZ_IMAGE_LOAD("_pck_sgn", 3, None),
    BZ_IMAGE_LOAD("_mip_pck", 4, None),
    BZ_IMAGE_LOAD("_mip_pck_sgn", 5, None),
    BZ_IMAGE_STORE("", 8, D16),
    BZ_IMAGE_STORE("_mip", 9, D16),
    BZ_IMAGE_STORE("_pck", 10, None),
    BZ_IMAGE_STORE("_mip_pck", 11, None),
    {{"image_get_resinfo", MIMG, {14}, "vdata:dst, vaddr, srsrc:8", None, kBeforeGfx940},
     BZ_IMAGE_SEM(ImageOp{.kind = ImageOp::Kind::resource_info})},
    BZ_IMAGE_ATOMIC("swap", swap, 16, "vdata"),
    BZ_IMAGE_ATOMIC("cmpswap", cmpswap, 17, "vdata:2"),
    BZ_IMAGE_ATOMIC("add", add, 18, "vdata"),
    BZ_IMAGE_ATOMIC("sub", sub, 19, "vdata"),
    BZ_IMAGE_ATOMIC("smin", smin, 20, "vdata"),
    BZ_IMAGE_ATOMIC("umin", umin, 21, "vdata"),
    BZ_IMAGE_ATOMIC("smax", smax, 22, "vdata"),
    BZ_IMAGE_ATOMIC("umax", umax, 23, "vdata"),
    BZ_IMAGE_ATOMIC("and", and_, 24, "vdata"),
    BZ_IMAGE_ATOMIC("or", or_, 25, "vdata"),
    BZ_IMAGE_ATOMIC("xor", xor_, 26, "vdata"),
    BZ_IMAGE_ATOMIC("inc", inc, 27, "vdata"),
    BZ_IMAGE_ATOMIC("dec", dec, 28, "vdata"),
    {{"image_sample", MIMG, {32}, "vdata:dst, vaddr, srsrc:8, ssamp:4", Load | Typed | D16, kBeforeGfx940},
     BZ_IMAGE_SEM(image_sample(ImageOp::Kind::sample, ""))},
    BZ_SAMPLE("_cl", 33, 1),
    BZ_SAMPLE("_d", 34, 2),
    BZ_SAMPLE("_d_cl", 35, 2),
    BZ_SAMPLE("_l", 36, 1),
    BZ_SAMPLE("_b", 37, 2),
    BZ_SAMPLE("_b_cl", 38, 2),
    BZ_SAMPLE("_lz", 39, 1),
    BZ_SAMPLE("_c", 40, 2),
    BZ_SAMPLE("_c_cl", 41, 2),
    BZ_SAMPLE("_c_d", 42, 3),
    BZ_SAMPLE("_c_d_cl", 43, 3),
    BZ_SAMPLE("_c_l", 44, 2),
    BZ_SAMPLE("_c_b", 45, 3),
    BZ_SAMPLE("_c_b_cl", 46, 3),
    BZ_SAMPLE("_c_lz", 47, 2),
    BZ_SAMPLE("_o", 48, 2),
    BZ_SAMPLE("_cl_o", 49, 2),
    BZ_SAMPLE("_d_o", 50, 3),
    BZ_SAMPLE("_d_cl_o", 51, 3),
    BZ_SAMPLE("_l_o", 52, 2),
    BZ_SAMPLE("_b_o", 53, 3),
    BZ_SAMPLE("_b_cl_o", 54, 3),
    BZ_SAMPLE("_lz_o", 55, 2),
    BZ_SAMPLE("_c_o", 56, 3),
    BZ_SAMPLE("_c_cl_o", 57, 3),
    BZ_SAMPLE("_c_d_o", 58, 4),
    BZ_SAMPLE("_c_d_cl_o", 59, 4),
    BZ_SAMPLE("_c_l_o", 60, 3),
    BZ_SAMPLE("_c_b_o", 61, 4),
    BZ_SAMPLE("_c_b_cl_o", 62, 4),
    BZ_SAMPLE("_c_lz_o", 63, 3),
    BZ_GATHER4("", 64, 1, gather),
    BZ_GATHER4("_cl", 65, 1, gather),
    BZ_GATHER4("h", 66, 1, gather_row),
    BZ_GATHER4("_l", 68, 1, gather),
    BZ_GATHER4("_b", 69, 2, gather),
    BZ_GATHER4("_b_cl", 70, 2, gather),
    BZ_GATHER4("_lz", 71, 1, gather),
    BZ_GATHER4("_c", 72, 2, gather),
    BZ_GATHER4("_c_cl", 73, 2, gather),
    BZ_GATHER4("_c_l", 76, 2, gather),
    BZ_GATHER4("_c_b", 77, 3, gather),
    BZ_GATHER4("_c_b_cl", 78, 3, gather),
    BZ_GATHER4("_c_lz", 79, 2, gather),
    BZ_GATHER4("_o", 80, 2, gather),
    BZ_GATHER4("_cl_o", 81, 2, gather),
    BZ_GATHER4("_l_o", 84, 2, gather),
    BZ_GATHER4("_b_o", 85, 3, gather),
    BZ_GATHER4("_b_cl_o", 86, 3, gather),
    BZ_GATHER4("_lz_o", 87, 2, gather),
    BZ_GATHER4("_c_o", 88, 3, gather),
    BZ_GATHER4("_c_cl_o", 89, 3, gather),
    BZ_GATHER4("_c_l_o", 92, 3, gather),
    BZ_GATHER4("_c_b_o", 93, 4, gather),
    BZ_GATHER4("_c_b_cl_o", 94, 4, gather),
    BZ_GATHER4("_c_lz_o", 95, 3, gather),
    {{"image_get_lod", MIMG, {96}, "vdata:dst, vaddr, srsrc:8, ssamp:4", WholeWave, kBeforeGfx90a},
     BZ_IMAGE_SEM(ImageOp{.kind = ImageOp::Kind::query_lod})},
    BZ_SAMPLE("_cd", 104, 2),
    BZ_SAMPLE("_cd_cl", 105, 2),
    BZ_SAMPLE("_c_cd", 106, 3),
    BZ_SAMPLE("_c_cd_cl", 107, 3),
    BZ_SAMPLE("_cd_o", 108, 3),
    BZ_SAMPLE("_cd_cl_o", 109, 3),
    BZ_SAMPLE("_c_cd_o", 110, 4),
    BZ_SAMPLE("_c_cd_cl_o", 111, 4),
};

#undef BZ_IMAGE_SEM
#undef BZ_IMAGE_LOAD
#undef BZ_IMAGE_STORE
#undef BZ_IMAGE_ATOMIC
#undef BZ_SAMPLE
#undef BZ_GATHER4

} // namespace bz::isa
