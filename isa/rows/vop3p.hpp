// VOP3P: packed 16-bit and 32-bit arithmetic, mixed-precision fma and dot products. Lane by lane.
#pragma once
#include "isa/rows/lane_sem.hpp"

namespace bz::isa {

inline constexpr Flags kPackedFloat = Clamp | ReadsMode;
inline constexpr TargetSet kGfx900Only = bit(Target::gfx900);

template <class B> inline constexpr Row<B> kVop3p[] = {
    {{"v_pk_mad_i16", VOP3P, {0}, "vdst:pk_i16, src0:pk_i16, src1:pk_i16, src2:pk_i16", Clamp},
     kPacked<[](auto& b, int n) { auto r = b.i16_pk(0, n) * b.i16_pk(1, n) + b.i16_pk(2, n); return b.as_u32(b.clamp() ? saturate_i16(b, r) : r); }>},
    {{"v_pk_mul_lo_u16", VOP3P, {1}, "vdst:pk_u16, src0:pk_u16, src1:pk_u16", Clamp},
     kPacked<[](auto& b, int n) {
             auto r = b.u16_pk(0, n) * b.u16_pk(1, n);
             return b.clamp() ? b.min(r, decltype(r)(0xffffu)) : r;
           }>},
    {{"v_pk_add_i16", VOP3P, {2}, "vdst:pk_i16, src0:pk_i16, src1:pk_i16", Clamp},
     kPacked<[](auto& b, int n) { auto r = b.i16_pk(0, n) + b.i16_pk(1, n); return b.as_u32(b.clamp() ? saturate_i16(b, r) : r); }>},
    {{"v_pk_sub_i16", VOP3P, {3}, "vdst:pk_i16, src0:pk_i16, src1:pk_i16", Clamp},
     kPacked<[](auto& b, int n) { auto r = b.i16_pk(0, n) - b.i16_pk(1, n); return b.as_u32(b.clamp() ? saturate_i16(b, r) : r); }>},
    {{"v_pk_lshlrev_b16", VOP3P, {4}, "vdst:pk_u16, src0:pk_u16, src1:pk_u16", Clamp},
     kPacked<[](auto& b, int n) { return b.u16_pk(1, n) << (b.u16_pk(0, n) & 15u); }>},
    {{"v_pk_lshrrev_b16", VOP3P, {5}, "vdst:pk_u16, src0:pk_u16, src1:pk_u16", Clamp},
     kPacked<[](auto& b, int n) { return b.u16_pk(1, n) >> (b.u16_pk(0, n) & 15u); }>},
    {{"v_pk_ashrrev_i16", VOP3P, {6}, "vdst:pk_i16, src0:pk_u16, src1:pk_i16", Clamp},
     kPacked<[](auto& b, int n) { return b.as_u32(b.i16_pk(1, n) >> (b.u16_pk(0, n) & 15u)); }>},
    {{"v_pk_max_i16", VOP3P, {7}, "vdst:pk_i16, src0:pk_i16, src1:pk_i16", Clamp},
     kPacked<[](auto& b, int n) { return b.as_u32(b.max(b.i16_pk(0, n), b.i16_pk(1, n))); }>},
    {{"v_pk_min_i16", VOP3P, {8}, "vdst:pk_i16, src0:pk_i16, src1:pk_i16", Clamp},
     kPacked<[](auto& b, int n) { return b.as_u32(b.min(b.i16_pk(0, n), b.i16_pk(1, n))); }>},
    {{"v_pk_mad_u16", VOP3P, {9}, "vdst:pk_u16, src0:pk_u16, src1:pk_u16, src2:pk_u16", Clamp},
     kPacked<[](auto& b, int n) {
             auto x = b.u16_pk(0, n), y = b.u16_pk(1, n), z = b.u16_pk(2, n);
             if (!b.clamp()) return x * y + z;
             return b.min(saturate_u32(b, b.mul_wide(x, y) + b.zext64(z)), decltype(x)(0xffffu));
           }>},
    {{"v_pk_add_u16", VOP3P, {10}, "vdst:pk_u16, src0:pk_u16, src1:pk_u16", Clamp},
     kPacked<[](auto& b, int n) { auto r = b.u16_pk(0, n) + b.u16_pk(1, n); return b.clamp() ? b.min(r, decltype(r)(0xffffu)) : r; }>},
    {{"v_pk_sub_u16", VOP3P, {11}, "vdst:pk_u16, src0:pk_u16, src1:pk_u16", Clamp},
     kPacked<[](auto& b, int n) { auto x = b.u16_pk(0, n), y = b.u16_pk(1, n); return b.clamp() ? b.sub_sat(x, y) : x - y; }>},
    {{"v_pk_max_u16", VOP3P, {12}, "vdst:pk_u16, src0:pk_u16, src1:pk_u16", Clamp},
     kPacked<[](auto& b, int n) { return b.max(b.u16_pk(0, n), b.u16_pk(1, n)); }>},
    {{"v_pk_min_u16", VOP3P, {13}, "vdst:pk_u16, src0:pk_u16, src1:pk_u16", Clamp},
     kPacked<[](auto& b, int n) { return b.min(b.u16_pk(0, n), b.u16_pk(1, n)); }>},
    {{"v_pk_fma_f16", VOP3P, {14}, "vdst:pk_f16, src0:pk_f16, src1:pk_f16, src2:pk_f16", kPackedFloat},
     kPacked<[](auto& b, int n) { return b.fma(b.f16_pk(0, n), b.f16_pk(1, n), b.f16_pk(2, n)); }>},
    {{"v_pk_add_f16", VOP3P, {15}, "vdst:pk_f16, src0:pk_f16, src1:pk_f16", kPackedFloat},
     kPacked<[](auto& b, int n) { return b.f16_pk(0, n) + b.f16_pk(1, n); }>},
    {{"v_pk_mul_f16", VOP3P, {16}, "vdst:pk_f16, src0:pk_f16, src1:pk_f16", kPackedFloat},
     kPacked<[](auto& b, int n) { return b.f16_pk(0, n) * b.f16_pk(1, n); }>},
    {{"v_pk_min_f16", VOP3P, {17}, "vdst:pk_f16, src0:pk_f16, src1:pk_f16", kPackedFloat},
     kPacked<[](auto& b, int n) { return b.min(b.f16_pk(0, n), b.f16_pk(1, n)); }>},
    {{"v_pk_max_f16", VOP3P, {18}, "vdst:pk_f16, src0:pk_f16, src1:pk_f16", kPackedFloat},
     kPacked<[](auto& b, int n) { return b.max(b.f16_pk(0, n), b.f16_pk(1, n)); }>},
    {{"v_dot2_f32_bf16", VOP3P, {26}, "vdst:f32, src0:pk_bf16, src1:pk_bf16, src2:f32", kPackedFloat, kGfx950}},
    {{"v_pk_minimum3_f16", VOP3P, {27}, "vdst:pk_f16, src0:pk_f16, src1:pk_f16, src2:pk_f16", kPackedFloat, kGfx950}},
    {{"v_pk_maximum3_f16", VOP3P, {28}, "vdst:pk_f16, src0:pk_f16, src1:pk_f16, src2:pk_f16", kPackedFloat, kGfx950}},
    {{"v_mad_mix_f32", VOP3P, {32}, "vdst:f32, src0:mix, src1:mix, src2:mix", kPackedFloat, kGfx900Only},
     [](auto& b) { b.vdst(b.mad(b.f32_mix(0), b.f32_mix(1), b.f32_mix(2))); }},
    {{"v_mad_mixlo_f16", VOP3P, {33}, "vdst:f16:rw, src0:mix, src1:mix, src2:mix", kPackedFloat, kGfx900Only},
     [](auto& b) { b.vdst_half(0, b.cvt_f16(b.mad(b.f32_mix(0), b.f32_mix(1), b.f32_mix(2)))); }},
    {{"v_mad_mixhi_f16", VOP3P, {34}, "vdst:f16:rw, src0:mix, src1:mix, src2:mix", kPackedFloat | D16Hi, kGfx900Only},
     [](auto& b) { b.vdst_half(1, b.cvt_f16(b.mad(b.f32_mix(0), b.f32_mix(1), b.f32_mix(2)))); }},
    {{"v_fma_mix_f32", VOP3P, {32}, "vdst:f32, src0:mix, src1:mix, src2:mix", kPackedFloat, kGfx906Up},
     [](auto& b) { b.vdst(b.fma(b.f32_mix(0), b.f32_mix(1), b.f32_mix(2))); }},
    {{"v_fma_mixlo_f16", VOP3P, {33}, "vdst:f16:rw, src0:mix, src1:mix, src2:mix", kPackedFloat, kGfx906Up},
     [](auto& b) { b.vdst_half(0, b.cvt_f16(b.fma(b.f32_mix(0), b.f32_mix(1), b.f32_mix(2)))); }},
    {{"v_fma_mixhi_f16", VOP3P, {34}, "vdst:f16:rw, src0:mix, src1:mix, src2:mix", kPackedFloat | D16Hi, kGfx906Up},
     [](auto& b) { b.vdst_half(1, b.cvt_f16(b.fma(b.f32_mix(0), b.f32_mix(1), b.f32_mix(2)))); }},
    {{"v_dot2_f32_f16", VOP3P, {35}, "vdst:f32, src0:pk_f16, src1:pk_f16, src2:f32", kPackedFloat, kGfx906Up},
     [](auto& b) { b.vdst(b.dot2(b.f32_pk(2, 0), b.f16_pk(0, 0), b.f16_pk(1, 0), b.f16_pk(0, 1), b.f16_pk(1, 1))); }},
    {{"v_dot2_i32_i16", VOP3P, {38}, "vdst:i32, src0:pk_i16, src1:pk_i16, src2:i32", Clamp, kGfx906Up},
     [](auto& b) {
           auto p = b.mul_wide(b.i16_pk(0, 0), b.i16_pk(1, 0)) + b.mul_wide(b.i16_pk(0, 1), b.i16_pk(1, 1)) + b.sext64(b.i32(2));
           b.vdst(b.clamp() ? saturate_i32(b, p) : b.as_i32(b.lo(b.as_u64(p))));
         }},
    {{"v_dot2_u32_u16", VOP3P, {39}, "vdst:u32, src0:pk_u16, src1:pk_u16, src2:u32", Clamp, kGfx906Up},
     [](auto& b) {
           auto p = b.mul_wide(b.u16_pk(0, 0), b.u16_pk(1, 0)) + b.mul_wide(b.u16_pk(0, 1), b.u16_pk(1, 1)) + b.zext64(b.u32(2));
           b.vdst(b.clamp() ? saturate_u32(b, p) : b.lo(p));
         }},
    {{"v_dot4_i32_i8", VOP3P, {40}, "vdst:i32, src0, src1, src2:i32", Clamp, kGfx906Up},
     [](auto& b) { dot_signed<8>(b, b.i32(2)); }},
    {{"v_dot4_u32_u8", VOP3P, {41}, "vdst:u32, src0, src1, src2:u32", Clamp, kGfx906Up},
     [](auto& b) { dot_unsigned<8>(b, b.u32(2)); }},
    {{"v_dot8_i32_i4", VOP3P, {42}, "vdst:i32, src0, src1, src2:i32", Clamp, kGfx906Up},
     [](auto& b) { dot_signed<4>(b, b.i32(2)); }},
    {{"v_dot8_u32_u4", VOP3P, {43}, "vdst:u32, src0, src1, src2:u32", Clamp, kGfx906Up},
     [](auto& b) { dot_unsigned<4>(b, b.u32(2)); }},
    {{"v_pk_fma_f32", VOP3P, {48}, "vdst:pk_f32, src0:pk_f32, src1:pk_f32, src2:pk_f32", kPackedFloat, kGfx90aUp},
     kPackedF32<[](auto& b, int n) { return b.fma(b.f32_pk(0, n), b.f32_pk(1, n), b.f32_pk(2, n)); }>},
    {{"v_pk_mul_f32", VOP3P, {49}, "vdst:pk_f32, src0:pk_f32, src1:pk_f32", kPackedFloat, kGfx90aUp},
     kPackedF32<[](auto& b, int n) { return b.f32_pk(0, n) * b.f32_pk(1, n); }>},
    {{"v_pk_add_f32", VOP3P, {50}, "vdst:pk_f32, src0:pk_f32, src1:pk_f32", kPackedFloat, kGfx90aUp},
     kPackedF32<[](auto& b, int n) { return b.f32_pk(0, n) + b.f32_pk(1, n); }>},
    {{"v_pk_mov_b32", VOP3P, {51}, "vdst:pk_b32, src0:pk_b32, src1:pk_b32", Clamp, kGfx90aUp},
     [](auto& b) {
           // The high result takes the dword of source 1 that its op_sel bit names; op_sel_hi has no say.
           auto x = b.op_sel(0) ? b.hi(b.u64(0)) : b.lo(b.u64(0)), y = b.op_sel(1) ? b.hi(b.u64(1)) : b.lo(b.u64(1));
           b.vdst(0, x);
           b.vdst(1, y);
         }},
    // Moves between VGPRs and AGPRs share the encoding of the matrix operations, but work lane by lane.
    {{"v_accvgpr_read_b32", MAI, {88}, "vdst:v, src0:a", None, kGfx908Up}, [](auto& b) { b.vdst(b.u32(0)); }},
    {{"v_accvgpr_write_b32", MAI, {89}, "vdst:a, src0", None, kGfx908Up}, [](auto& b) { b.vdst(b.u32(0)); }},
};

} // namespace bz::isa
