// VOP3P: packed 16-bit and 32-bit arithmetic, mixed-precision fma and dot products. Lane by lane.
#pragma once
#include "isa/row.hpp"

namespace bz::isa {

inline constexpr Flags kPackedFloat = Clamp | ReadsMode;
inline constexpr TargetSet kGfx900Only = bit(Target::gfx900);

template <class B> inline constexpr Row<B> kVop3p[] = {
    {{"v_pk_mad_i16", VOP3P, {0}, "vdst:pk_i16, src0:pk_i16, src1:pk_i16, src2:pk_i16", Clamp}},
    {{"v_pk_mul_lo_u16", VOP3P, {1}, "vdst:pk_u16, src0:pk_u16, src1:pk_u16", Clamp}},
    {{"v_pk_add_i16", VOP3P, {2}, "vdst:pk_i16, src0:pk_i16, src1:pk_i16", Clamp}},
    {{"v_pk_sub_i16", VOP3P, {3}, "vdst:pk_i16, src0:pk_i16, src1:pk_i16", Clamp}},
    {{"v_pk_lshlrev_b16", VOP3P, {4}, "vdst:pk_u16, src0:pk_u16, src1:pk_u16", Clamp}},
    {{"v_pk_lshrrev_b16", VOP3P, {5}, "vdst:pk_u16, src0:pk_u16, src1:pk_u16", Clamp}},
    {{"v_pk_ashrrev_i16", VOP3P, {6}, "vdst:pk_i16, src0:pk_u16, src1:pk_i16", Clamp}},
    {{"v_pk_max_i16", VOP3P, {7}, "vdst:pk_i16, src0:pk_i16, src1:pk_i16", Clamp}},
    {{"v_pk_min_i16", VOP3P, {8}, "vdst:pk_i16, src0:pk_i16, src1:pk_i16", Clamp}},
    {{"v_pk_mad_u16", VOP3P, {9}, "vdst:pk_u16, src0:pk_u16, src1:pk_u16, src2:pk_u16", Clamp}},
    {{"v_pk_add_u16", VOP3P, {10}, "vdst:pk_u16, src0:pk_u16, src1:pk_u16", Clamp}},
    {{"v_pk_sub_u16", VOP3P, {11}, "vdst:pk_u16, src0:pk_u16, src1:pk_u16", Clamp}},
    {{"v_pk_max_u16", VOP3P, {12}, "vdst:pk_u16, src0:pk_u16, src1:pk_u16", Clamp}},
    {{"v_pk_min_u16", VOP3P, {13}, "vdst:pk_u16, src0:pk_u16, src1:pk_u16", Clamp}},
    {{"v_pk_fma_f16", VOP3P, {14}, "vdst:pk_f16, src0:pk_f16, src1:pk_f16, src2:pk_f16", kPackedFloat}},
    {{"v_pk_add_f16", VOP3P, {15}, "vdst:pk_f16, src0:pk_f16, src1:pk_f16", kPackedFloat}},
    {{"v_pk_mul_f16", VOP3P, {16}, "vdst:pk_f16, src0:pk_f16, src1:pk_f16", kPackedFloat}},
    {{"v_pk_min_f16", VOP3P, {17}, "vdst:pk_f16, src0:pk_f16, src1:pk_f16", kPackedFloat}},
    {{"v_pk_max_f16", VOP3P, {18}, "vdst:pk_f16, src0:pk_f16, src1:pk_f16", kPackedFloat}},
    {{"v_mad_mix_f32", VOP3P, {32}, "vdst:f32, src0:mix, src1:mix, src2:mix", kPackedFloat, kGfx900Only}},
    {{"v_mad_mixlo_f16", VOP3P, {33}, "vdst:f16:rw, src0:mix, src1:mix, src2:mix", kPackedFloat, kGfx900Only}},
    {{"v_mad_mixhi_f16", VOP3P, {34}, "vdst:f16:rw, src0:mix, src1:mix, src2:mix", kPackedFloat | D16Hi, kGfx900Only}},
    {{"v_fma_mix_f32", VOP3P, {32}, "vdst:f32, src0:mix, src1:mix, src2:mix", kPackedFloat, kGfx906Up}},
    {{"v_fma_mixlo_f16", VOP3P, {33}, "vdst:f16:rw, src0:mix, src1:mix, src2:mix", kPackedFloat, kGfx906Up}},
    {{"v_fma_mixhi_f16", VOP3P, {34}, "vdst:f16:rw, src0:mix, src1:mix, src2:mix", kPackedFloat | D16Hi, kGfx906Up}},
    {{"v_dot2_f32_f16", VOP3P, {35}, "vdst:f32, src0:pk_f16, src1:pk_f16, src2:f32", kPackedFloat, kGfx906Up}},
    {{"v_dot2_i32_i16", VOP3P, {38}, "vdst:i32, src0:pk_i16, src1:pk_i16, src2:i32", Clamp, kGfx906Up}},
    {{"v_dot2_u32_u16", VOP3P, {39}, "vdst:u32, src0:pk_u16, src1:pk_u16, src2:u32", Clamp, kGfx906Up}},
    {{"v_dot4_i32_i8", VOP3P, {40}, "vdst:i32, src0, src1, src2:i32", Clamp, kGfx906Up}},
    {{"v_dot4_u32_u8", VOP3P, {41}, "vdst:u32, src0, src1, src2:u32", Clamp, kGfx906Up}},
    {{"v_dot8_i32_i4", VOP3P, {42}, "vdst:i32, src0, src1, src2:i32", Clamp, kGfx906Up}},
    {{"v_dot8_u32_u4", VOP3P, {43}, "vdst:u32, src0, src1, src2:u32", Clamp, kGfx906Up}},
    {{"v_pk_fma_f32", VOP3P, {48}, "vdst:pk_f32, src0:pk_f32, src1:pk_f32, src2:pk_f32", kPackedFloat, kGfx90aUp}},
    {{"v_pk_mul_f32", VOP3P, {49}, "vdst:pk_f32, src0:pk_f32, src1:pk_f32", kPackedFloat, kGfx90aUp}},
    {{"v_pk_add_f32", VOP3P, {50}, "vdst:pk_f32, src0:pk_f32, src1:pk_f32", kPackedFloat, kGfx90aUp}},
    {{"v_pk_mov_b32", VOP3P, {51}, "vdst:pk_b32, src0:pk_b32, src1:pk_b32", Clamp, kGfx90aUp}},
};

} // namespace bz::isa
