// MIMG: image loads, stores, atomics and samples (none on gfx942). The number of data dwords comes from dmask, d16 and
// tfe; the encoding does not say how many address dwords there are, so rows give the fewest.
#pragma once
#include "isa/row.hpp"

namespace bz::isa {

#define BZ_IMAGE_LOAD(name, op, fl) {{name, MIMG, {op}, "vdata:dst, vaddr, srsrc:8", Load | Typed | fl, kBeforeGfx940}}
#define BZ_IMAGE_STORE(name, op, fl) {{name, MIMG, {op}, "vdata, vaddr, srsrc:8", Store | Typed | fl, kBeforeGfx940}}
#define BZ_IMAGE_ATOMIC(name, op) {{name, MIMG, {op}, "vdata:rw, vaddr, srsrc:8", Load | Store | Atomic, kBeforeGfx940}}
#define BZ_SAMPLE(name, op, address)                                                                                   \
  {{"image_sample" name, MIMG, {op}, "vdata:dst, vaddr:" #address ", srsrc:8, ssamp:4", Load | Typed | D16,           \
    kBeforeGfx90a}}
#define BZ_GATHER4(name, op, address)                                                                                  \
  {{"image_gather4" name, MIMG, {op}, "vdata:2:dst, vaddr:" #address ", srsrc:8, ssamp:4",                               \
    Load | Typed | D16 | Gather4, kBeforeGfx90a}}

template <class B> inline constexpr Row<B> kMimg[] = {
    BZ_IMAGE_LOAD("image_load", 0, D16),
    BZ_IMAGE_LOAD("image_load_mip", 1, D16),
    BZ_IMAGE_LOAD("image_load_pck", 2, None),
    BZ_IMAGE_LOAD("image_load_pck_sgn", 3, None),
    BZ_IMAGE_LOAD("image_load_mip_pck", 4, None),
    BZ_IMAGE_LOAD("image_load_mip_pck_sgn", 5, None),
    BZ_IMAGE_STORE("image_store", 8, D16),
    BZ_IMAGE_STORE("image_store_mip", 9, D16),
    BZ_IMAGE_STORE("image_store_pck", 10, None),
    BZ_IMAGE_STORE("image_store_mip_pck", 11, None),
    {{"image_get_resinfo", MIMG, {14}, "vdata:dst, vaddr, srsrc:8", None, kBeforeGfx940}},
    BZ_IMAGE_ATOMIC("image_atomic_swap", 16),
    {{"image_atomic_cmpswap", MIMG, {17}, "vdata:2:rw, vaddr, srsrc:8", Load | Store | Atomic, kBeforeGfx940}},
    BZ_IMAGE_ATOMIC("image_atomic_add", 18),
    BZ_IMAGE_ATOMIC("image_atomic_sub", 19),
    BZ_IMAGE_ATOMIC("image_atomic_smin", 20),
    BZ_IMAGE_ATOMIC("image_atomic_umin", 21),
    BZ_IMAGE_ATOMIC("image_atomic_smax", 22),
    BZ_IMAGE_ATOMIC("image_atomic_umax", 23),
    BZ_IMAGE_ATOMIC("image_atomic_and", 24),
    BZ_IMAGE_ATOMIC("image_atomic_or", 25),
    BZ_IMAGE_ATOMIC("image_atomic_xor", 26),
    BZ_IMAGE_ATOMIC("image_atomic_inc", 27),
    BZ_IMAGE_ATOMIC("image_atomic_dec", 28),
    {{"image_sample", MIMG, {32}, "vdata:dst, vaddr, srsrc:8, ssamp:4", Load | Typed | D16, kBeforeGfx940}},
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
    BZ_GATHER4("", 64, 1),
    BZ_GATHER4("_cl", 65, 1),
    BZ_GATHER4("h", 66, 1),
    BZ_GATHER4("_l", 68, 1),
    BZ_GATHER4("_b", 69, 2),
    BZ_GATHER4("_b_cl", 70, 2),
    BZ_GATHER4("_lz", 71, 1),
    BZ_GATHER4("_c", 72, 2),
    BZ_GATHER4("_c_cl", 73, 2),
    BZ_GATHER4("_c_l", 76, 2),
    BZ_GATHER4("_c_b", 77, 3),
    BZ_GATHER4("_c_b_cl", 78, 3),
    BZ_GATHER4("_c_lz", 79, 2),
    BZ_GATHER4("_o", 80, 2),
    BZ_GATHER4("_cl_o", 81, 2),
    BZ_GATHER4("_l_o", 84, 2),
    BZ_GATHER4("_b_o", 85, 3),
    BZ_GATHER4("_b_cl_o", 86, 3),
    BZ_GATHER4("_lz_o", 87, 2),
    BZ_GATHER4("_c_o", 88, 3),
    BZ_GATHER4("_c_cl_o", 89, 3),
    BZ_GATHER4("_c_l_o", 92, 3),
    BZ_GATHER4("_c_b_o", 93, 4),
    BZ_GATHER4("_c_b_cl_o", 94, 4),
    BZ_GATHER4("_c_lz_o", 95, 3),
    {{"image_get_lod", MIMG, {96}, "vdata:dst, vaddr, srsrc:8, ssamp:4", WholeWave, kBeforeGfx90a}},
    BZ_SAMPLE("_cd", 104, 2),
    BZ_SAMPLE("_cd_cl", 105, 2),
    BZ_SAMPLE("_c_cd", 106, 3),
    BZ_SAMPLE("_c_cd_cl", 107, 3),
    BZ_SAMPLE("_cd_o", 108, 3),
    BZ_SAMPLE("_cd_cl_o", 109, 3),
    BZ_SAMPLE("_c_cd_o", 110, 4),
    BZ_SAMPLE("_c_cd_cl_o", 111, 4),
};

#undef BZ_IMAGE_LOAD
#undef BZ_IMAGE_STORE
#undef BZ_IMAGE_ATOMIC
#undef BZ_SAMPLE
#undef BZ_GATHER4

} // namespace bz::isa
