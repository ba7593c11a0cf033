// VOP3-only vector operations: three sources, 64-bit arithmetic, packing conversions. Lane by lane.
#pragma once
#include "isa/rows/lane_sem.hpp"

namespace bz::isa {

template <class B> inline constexpr Row<B> kVop3[] = {
    {{"v_mad_legacy_f32", VOP3, {0x1c0}, "vdst:f32, src0:f32, src1:f32, src2:f32", FloatOp, kBeforeGfx940},
     [](auto& b) { b.vdst(b.mad_legacy(b.f32(0), b.f32(1), b.f32(2))); }},
    {{"v_mad_f32", VOP3, {0x1c1}, "vdst:f32, src0:f32, src1:f32, src2:f32", FloatOp, kBeforeGfx940},
     [](auto& b) { b.vdst(b.mad(b.f32(0), b.f32(1), b.f32(2))); }},
    {{"v_mad_i32_i24", VOP3, {0x1c2}, "vdst:i32, src0:i32, src1:i32, src2:i32", Clamp},
     [](auto& b) {
           auto x = sext24(b, 0), y = sext24(b, 1), z = b.i32(2);
           b.vdst(b.clamp() ? saturate_i32(b, b.mul_wide(x, y) + b.sext64(z)) : x * y + z);
         }},
    {{"v_mad_u32_u24", VOP3, {0x1c3}, "vdst:u32, src0:u32, src1:u32, src2:u32", Clamp},
     [](auto& b) {
           auto x = zext24(b, 0), y = zext24(b, 1), z = b.u32(2);
           b.vdst(b.clamp() ? saturate_u32(b, b.mul_wide(x, y) + b.zext64(z)) : x * y + z);
         }},
    {{"v_cubeid_f32", VOP3, {0x1c4}, "vdst:f32, src0:f32, src1:f32, src2:f32", FloatOp},
     [](auto& b) { b.vdst(b.cube_id(b.f32(0), b.f32(1), b.f32(2))); }},
    {{"v_cubesc_f32", VOP3, {0x1c5}, "vdst:f32, src0:f32, src1:f32, src2:f32", FloatOp},
     [](auto& b) { b.vdst(b.cube_sc(b.f32(0), b.f32(1), b.f32(2))); }},
    {{"v_cubetc_f32", VOP3, {0x1c6}, "vdst:f32, src0:f32, src1:f32, src2:f32", FloatOp},
     [](auto& b) { b.vdst(b.cube_tc(b.f32(0), b.f32(1), b.f32(2))); }},
    {{"v_cubema_f32", VOP3, {0x1c7}, "vdst:f32, src0:f32, src1:f32, src2:f32", FloatOp},
     [](auto& b) { b.vdst(b.cube_ma(b.f32(0), b.f32(1), b.f32(2))); }},
    {{"v_bfe_u32", VOP3, {0x1c8}, "vdst:u32, src0:u32, src1:u32, src2:u32"},
     [](auto& b) {
           auto x = b.u32(0) >> (b.u32(1) & 31u), width = b.u32(2) & 31u;
           b.vdst(x & ((decltype(x)(1u) << width) - 1u));
         }},
    {{"v_bfe_i32", VOP3, {0x1c9}, "vdst:i32, src0:i32, src1:u32, src2:u32"},
     [](auto& b) {
           auto x = b.i32(0) >> (b.u32(1) & 31u);
           auto width = b.u32(2) & 31u, up = (0u - width) & 31u;
           b.vdst(b.select(width == 0u, decltype(x)(0), (x << up) >> up));
         }},
    {{"v_bfi_b32", VOP3, {0x1ca}, "vdst, src0, src1, src2"},
     [](auto& b) { auto m = b.u32(0); b.vdst((m & b.u32(1)) | (~m & b.u32(2))); }},
    {{"v_fma_f32", VOP3, {0x1cb}, "vdst:f32, src0:f32, src1:f32, src2:f32", FloatOp},
     [](auto& b) { b.vdst(b.fma(b.f32(0), b.f32(1), b.f32(2))); }},
    {{"v_fma_f64", VOP3, {0x1cc}, "vdst:f64, src0:f64, src1:f64, src2:f64", FloatOp},
     [](auto& b) { b.vdst(b.fma(b.f64(0), b.f64(1), b.f64(2))); }},
    {{"v_lerp_u8", VOP3, {0x1cd}, "vdst, src0, src1, src2"},
     [](auto& b) {
           auto x = b.u32(0), y = b.u32(1), round = b.u32(2) & 0x01010101u;
           auto even = ((x & 0x00ff00ffu) + (y & 0x00ff00ffu) + (round & 0x00ff00ffu)) >> 1;
           auto odd = (((x >> 8) & 0x00ff00ffu) + ((y >> 8) & 0x00ff00ffu) + ((round >> 8) & 0x00ff00ffu)) >> 1;
           b.vdst((even & 0x00ff00ffu) | ((odd & 0x00ff00ffu) << 8));
         }},
    {{"v_alignbit_b32", VOP3, {0x1ce}, "vdst, src0, src1, src2", Clamp | OpSel},
     [](auto& b) { b.vdst(b.lo(b.make64(b.u32(1), b.u32(0)) >> (b.u32(2) & 31u))); }},
    {{"v_alignbyte_b32", VOP3, {0x1cf}, "vdst, src0, src1, src2", Clamp | OpSel},
     [](auto& b) { b.vdst(b.lo(b.make64(b.u32(1), b.u32(0)) >> ((b.u32(2) & 3u) << 3))); }},
    {{"v_min3_f32", VOP3, {0x1d0}, "vdst:f32, src0:f32, src1:f32, src2:f32", FloatOp},
     [](auto& b) { b.vdst(b.min(b.min(b.f32(0), b.f32(1)), b.f32(2))); }},
    {{"v_min3_i32", VOP3, {0x1d1}, "vdst:i32, src0:i32, src1:i32, src2:i32"},
     [](auto& b) { b.vdst(b.min(b.min(b.i32(0), b.i32(1)), b.i32(2))); }},
    {{"v_min3_u32", VOP3, {0x1d2}, "vdst:u32, src0:u32, src1:u32, src2:u32"},
     [](auto& b) { b.vdst(b.min(b.min(b.u32(0), b.u32(1)), b.u32(2))); }},
    {{"v_max3_f32", VOP3, {0x1d3}, "vdst:f32, src0:f32, src1:f32, src2:f32", FloatOp},
     [](auto& b) { b.vdst(b.max(b.max(b.f32(0), b.f32(1)), b.f32(2))); }},
    {{"v_max3_i32", VOP3, {0x1d4}, "vdst:i32, src0:i32, src1:i32, src2:i32"},
     [](auto& b) { b.vdst(b.max(b.max(b.i32(0), b.i32(1)), b.i32(2))); }},
    {{"v_max3_u32", VOP3, {0x1d5}, "vdst:u32, src0:u32, src1:u32, src2:u32"},
     [](auto& b) { b.vdst(b.max(b.max(b.u32(0), b.u32(1)), b.u32(2))); }},
    {{"v_med3_f32", VOP3, {0x1d6}, "vdst:f32, src0:f32, src1:f32, src2:f32", FloatOp},
     [](auto& b) { b.vdst(b.med3(b.f32(0), b.f32(1), b.f32(2))); }},
    {{"v_med3_i32", VOP3, {0x1d7}, "vdst:i32, src0:i32, src1:i32, src2:i32"},
     [](auto& b) { b.vdst(median(b, b.i32(0), b.i32(1), b.i32(2))); }},
    {{"v_med3_u32", VOP3, {0x1d8}, "vdst:u32, src0:u32, src1:u32, src2:u32"},
     [](auto& b) { b.vdst(median(b, b.u32(0), b.u32(1), b.u32(2))); }},
    {{"v_sad_u8", VOP3, {0x1d9}, "vdst:u32, src0, src1, src2:u32", Clamp},
     [](auto& b) { sum_with_clamp(b, sad_bytes(b, b.u32(0), b.u32(1)), b.u32(2)); }},
    {{"v_sad_hi_u8", VOP3, {0x1da}, "vdst:u32, src0, src1, src2:u32", Clamp},
     [](auto& b) { sum_with_clamp(b, sad_bytes(b, b.u32(0), b.u32(1)) << 16, b.u32(2)); }},
    {{"v_sad_u16", VOP3, {0x1db}, "vdst:u32, src0, src1, src2:u32", Clamp},
     [](auto& b) {
           auto x = b.u32(0), y = b.u32(1);
           sum_with_clamp(b, abs_diff(b, x & 0xffffu, y & 0xffffu) + abs_diff(b, x >> 16, y >> 16), b.u32(2));
         }},
    {{"v_sad_u32", VOP3, {0x1dc}, "vdst:u32, src0:u32, src1:u32, src2:u32", Clamp},
     [](auto& b) { sum_with_clamp(b, abs_diff(b, b.u32(0), b.u32(1)), b.u32(2)); }},
    {{"v_cvt_pk_u8_f32", VOP3, {0x1dd}, "vdst, src0:f32, src1:u32, src2", Clamp | ReadsMode},
     [](auto& b) {
           auto x = round_to_byte(b, b.f32(0)), shift = (b.u32(1) & 3u) << 3;
           b.vdst((b.u32(2) & ~(decltype(x)(255u) << shift)) | (x << shift));
         }},
    {{"v_div_fixup_f32", VOP3, {0x1de}, "vdst:f32, src0:f32, src1:f32, src2:f32", FloatOp},
     [](auto& b) { b.vdst(b.div_fixup(b.f32(0), b.f32(1), b.f32(2))); }},
    {{"v_div_fixup_f64", VOP3, {0x1df}, "vdst:f64, src0:f64, src1:f64, src2:f64", FloatOp},
     [](auto& b) { b.vdst(b.div_fixup(b.f64(0), b.f64(1), b.f64(2))); }},
    {{"v_div_scale_f32", VOP3, {0x1e0}, "vdst:f32, sdst:mask, src0:f32, src1:f32, src2:f32", FloatOp},
     [](auto& b) { auto r = b.div_scale(b.f32(0), b.f32(1), b.f32(2)); b.vdst(r.value); b.lanes_out(r.mask); }},
    {{"v_div_scale_f64", VOP3, {0x1e1}, "vdst:f64, sdst:mask, src0:f64, src1:f64, src2:f64", FloatOp},
     [](auto& b) { auto r = b.div_scale(b.f64(0), b.f64(1), b.f64(2)); b.vdst(r.value); b.lanes_out(r.mask); }},
    {{"v_div_fmas_f32", VOP3, {0x1e2}, "vdst:f32, src0:f32, src1:f32, src2:f32", FloatOp | ReadsVcc},
     [](auto& b) { b.vdst(b.div_fmas(b.f32(0), b.f32(1), b.f32(2), b.lanes_in())); }},
    {{"v_div_fmas_f64", VOP3, {0x1e3}, "vdst:f64, src0:f64, src1:f64, src2:f64", FloatOp | ReadsVcc},
     [](auto& b) { b.vdst(b.div_fmas(b.f64(0), b.f64(1), b.f64(2), b.lanes_in())); }},
    {{"v_msad_u8", VOP3, {0x1e4}, "vdst:u32, src0, src1, src2:u32", Clamp},
     [](auto& b) { sum_with_clamp(b, masked_sad_bytes(b, b.u32(0), b.u32(1)), b.u32(2)); }},
    {{"v_qsad_pk_u16_u8", VOP3, {0x1e5}, "vdst:b64, src0:b64, src1, src2:b64", Clamp},
     kQuadSad<[](auto& b, auto x, auto y) { return sad_bytes(b, x, y); }>},
    {{"v_mqsad_pk_u16_u8", VOP3, {0x1e6}, "vdst:b64, src0:b64, src1, src2:b64", Clamp},
     kQuadSad<[](auto& b, auto x, auto y) { return masked_sad_bytes(b, x, y); }>},
    {{"v_mqsad_u32_u8", VOP3, {0x1e7}, "vdst:4, src0:b64, src1, src2:4:v", Clamp},
     [](auto& b) {
           auto x = b.u64(0);
           auto y = b.u32(1);
           auto one = [&](int n) {
             auto sad = masked_sad_bytes(b, b.lo(x >> (8u * static_cast<unsigned>(n))), y), acc = b.wide_u32(2, n);
             return b.clamp() ? b.add_sat(acc, sad) : acc + sad;
           };
           auto r0 = one(0), r1 = one(1), r2 = one(2), r3 = one(3);
           b.vdst(0, r0), b.vdst(1, r1), b.vdst(2, r2), b.vdst(3, r3);
         }},
    {{"v_mad_u64_u32", VOP3, {0x1e8}, "vdst:u64, sdst:mask, src0:u32, src1:u32, src2:u64", Clamp},
     [](auto& b) {
           auto r = b.add_carry(b.mul_wide(b.u32(0), b.u32(1)), b.u64(2));
           using U = decltype(r.value);
           b.vdst(b.clamp() ? b.select(r.mask, U(~0ull), r.value) : r.value);
           b.lanes_out(r.mask);
         }},
    {{"v_mad_i64_i32", VOP3, {0x1e9}, "vdst:i64, sdst:mask, src0:i32, src1:i32, src2:i64", Clamp},
     [](auto& b) {
           auto p = b.mul_wide(b.i32(0), b.i32(1));
           auto r = b.add_overflow(p, b.i64(2));
           using I = decltype(r.value);
           b.vdst(b.clamp() ? b.select(r.mask, b.select(p < 0, I(INT64_MIN), I(INT64_MAX)), r.value) : r.value);
           b.lanes_out((r.value < 0) ^ r.mask);  // bit 64 of the 65-bit sum: its sign
         }},
    {{"v_mad_legacy_f16", VOP3, {0x1ea}, "vdst:f16, src0:f16, src1:f16, src2:f16", FloatOp},
     [](auto& b) { b.vdst(b.mad(b.f16(0), b.f16(1), b.f16(2))); }},
    {{"v_mad_legacy_u16", VOP3, {0x1eb}, "vdst:u16, src0:u16, src1:u16, src2:u16", Clamp},
     [](auto& b) { b.vdst16(mad_u16(b)); }},
    {{"v_mad_legacy_i16", VOP3, {0x1ec}, "vdst:i16, src0:i16, src1:i16, src2:i16", Clamp},
     [](auto& b) { b.vdst16(mad_i16(b)); }},
    {{"v_perm_b32", VOP3, {0x1ed}, "vdst, src0, src1, src2"},
     [](auto& b) { b.vdst(b.perm(b.u32(0), b.u32(1), b.u32(2))); }},
    {{"v_fma_legacy_f16", VOP3, {0x1ee}, "vdst:f16, src0:f16, src1:f16, src2:f16", FloatOp},
     [](auto& b) { b.vdst(b.fma(b.f16(0), b.f16(1), b.f16(2))); }},
    {{"v_div_fixup_legacy_f16", VOP3, {0x1ef}, "vdst:f16, src0:f16, src1:f16, src2:f16", FloatOp},
     [](auto& b) { b.vdst(b.div_fixup(b.f16(0), b.f16(1), b.f16(2))); }},
    {{"v_cvt_pkaccum_u8_f32", VOP3, {0x1f0}, "vdst:rw, src0:f32, src1:u32", Clamp | ReadsMode},
     [](auto& b) {
           auto x = round_to_byte(b, b.f32(0)), shift = (b.u32(1) & 3u) << 3;
           b.vdst((b.dst_u32(0) & ~(decltype(x)(255u) << shift)) | (x << shift));
         }},
    {{"v_mad_u32_u16", VOP3, {0x1f1}, "vdst:u32, src0:u16, src1:u16, src2:u32", Clamp | OpSel},
     [](auto& b) {
           auto x = b.u16(0), y = b.u16(1), z = b.u32(2);
           b.vdst(b.clamp() ? saturate_u32(b, b.mul_wide(x, y) + b.zext64(z)) : x * y + z);
         }},
    {{"v_mad_i32_i16", VOP3, {0x1f2}, "vdst:i32, src0:i16, src1:i16, src2:i32", Clamp | OpSel},
     [](auto& b) {
           auto x = b.i16(0), y = b.i16(1), z = b.i32(2);
           b.vdst(b.clamp() ? saturate_i32(b, b.mul_wide(x, y) + b.sext64(z)) : x * y + z);
         }},
    {{"v_xad_u32", VOP3, {0x1f3}, "vdst:u32, src0:u32, src1:u32, src2:u32"},
     [](auto& b) { b.vdst((b.u32(0) ^ b.u32(1)) + b.u32(2)); }},
    {{"v_min3_f16", VOP3, {0x1f4}, "vdst:f16, src0:f16, src1:f16, src2:f16", FloatOp | OpSel},
     [](auto& b) { b.vdst_sel(b.min(b.min(b.f16(0), b.f16(1)), b.f16(2))); }},
    {{"v_min3_i16", VOP3, {0x1f5}, "vdst:i16, src0:i16, src1:i16, src2:i16", Clamp | OpSel},
     [](auto& b) { b.vdst_sel(b.as_u32(b.min(b.min(b.i16(0), b.i16(1)), b.i16(2)))); }},
    {{"v_min3_u16", VOP3, {0x1f6}, "vdst:u16, src0:u16, src1:u16, src2:u16", Clamp | OpSel},
     [](auto& b) { b.vdst_sel(b.min(b.min(b.u16(0), b.u16(1)), b.u16(2))); }},
    {{"v_max3_f16", VOP3, {0x1f7}, "vdst:f16, src0:f16, src1:f16, src2:f16", FloatOp | OpSel},
     [](auto& b) { b.vdst_sel(b.max(b.max(b.f16(0), b.f16(1)), b.f16(2))); }},
    {{"v_max3_i16", VOP3, {0x1f8}, "vdst:i16, src0:i16, src1:i16, src2:i16", Clamp | OpSel},
     [](auto& b) { b.vdst_sel(b.as_u32(b.max(b.max(b.i16(0), b.i16(1)), b.i16(2)))); }},
    {{"v_max3_u16", VOP3, {0x1f9}, "vdst:u16, src0:u16, src1:u16, src2:u16", Clamp | OpSel},
     [](auto& b) { b.vdst_sel(b.max(b.max(b.u16(0), b.u16(1)), b.u16(2))); }},
    {{"v_med3_f16", VOP3, {0x1fa}, "vdst:f16, src0:f16, src1:f16, src2:f16", FloatOp | OpSel},
     [](auto& b) { b.vdst_sel(b.med3(b.f16(0), b.f16(1), b.f16(2))); }},
    {{"v_med3_i16", VOP3, {0x1fb}, "vdst:i16, src0:i16, src1:i16, src2:i16", Clamp | OpSel},
     [](auto& b) { b.vdst_sel(b.as_u32(median(b, b.i16(0), b.i16(1), b.i16(2)))); }},
    {{"v_med3_u16", VOP3, {0x1fc}, "vdst:u16, src0:u16, src1:u16, src2:u16", Clamp | OpSel},
     [](auto& b) { b.vdst_sel(median(b, b.u16(0), b.u16(1), b.u16(2))); }},
    {{"v_lshl_add_u32", VOP3, {0x1fd}, "vdst:u32, src0:u32, src1:u32, src2:u32"},
     [](auto& b) { b.vdst((b.u32(0) << (b.u32(1) & 31u)) + b.u32(2)); }},
    {{"v_add_lshl_u32", VOP3, {0x1fe}, "vdst:u32, src0:u32, src1:u32, src2:u32"},
     [](auto& b) { b.vdst((b.u32(0) + b.u32(1)) << (b.u32(2) & 31u)); }},
    {{"v_add3_u32", VOP3, {0x1ff}, "vdst:u32, src0:u32, src1:u32, src2:u32"},
     [](auto& b) { b.vdst(b.u32(0) + b.u32(1) + b.u32(2)); }},
    {{"v_lshl_or_b32", VOP3, {0x200}, "vdst, src0, src1:u32, src2"},
     [](auto& b) { b.vdst((b.u32(0) << (b.u32(1) & 31u)) | b.u32(2)); }},
    {{"v_and_or_b32", VOP3, {0x201}, "vdst, src0, src1, src2"},
     [](auto& b) { b.vdst((b.u32(0) & b.u32(1)) | b.u32(2)); }},
    {{"v_or3_b32", VOP3, {0x202}, "vdst, src0, src1, src2"}, [](auto& b) { b.vdst(b.u32(0) | b.u32(1) | b.u32(2)); }},
    {{"v_mad_f16", VOP3, {0x203}, "vdst:f16, src0:f16, src1:f16, src2:f16", FloatOp | OpSel},
     [](auto& b) { b.vdst_keep(b.mad(b.f16(0), b.f16(1), b.f16(2))); }},
    {{"v_mad_u16", VOP3, {0x204}, "vdst:u16, src0:u16, src1:u16, src2:u16", Clamp | OpSel},
     [](auto& b) { b.vdst_keep(mad_u16(b)); }},
    {{"v_mad_i16", VOP3, {0x205}, "vdst:i16, src0:i16, src1:i16, src2:i16", Clamp | OpSel},
     [](auto& b) { b.vdst_keep(mad_i16(b)); }},
    {{"v_fma_f16", VOP3, {0x206}, "vdst:f16, src0:f16, src1:f16, src2:f16", FloatOp | OpSel},
     [](auto& b) { b.vdst_keep(b.fma(b.f16(0), b.f16(1), b.f16(2))); }},
    {{"v_div_fixup_f16", VOP3, {0x207}, "vdst:f16, src0:f16, src1:f16, src2:f16", FloatOp | OpSel},
     [](auto& b) { b.vdst_keep(b.div_fixup(b.f16(0), b.f16(1), b.f16(2))); }},
    {{"v_lshl_add_u64", VOP3, {0x208}, "vdst:u64, src0:u64, src1:u32, src2:u64", None, kGfx940},
     // Counts 0 to 4; the chip takes 5 to 7 for 0.
     [](auto& b) {
           if (b.zero_count()) return b.vdst(b.u64(0) + b.u64(2));   // how compilers write a 64-bit addition
           auto n = b.u32(1) & 7u;
           b.vdst((b.u64(0) << b.select(n > 4u, decltype(n)(0u), n)) + b.u64(2));
         }},
    {{"v_bitop3_b16", VOP3, {0x233}, "vdst:b16, src0:b16, src1:b16, src2:b16", OpSel | Bitop3, kGfx950}},
    {{"v_bitop3_b32", VOP3, {0x234}, "vdst, src0, src1, src2", Bitop3, kGfx950}},
    {{"v_ashr_pk_i8_i32", VOP3, {0x265}, "vdst, src0:i32, src1:i32, src2:u32", OpSel | Mods, kGfx950}},
    {{"v_ashr_pk_u8_i32", VOP3, {0x266}, "vdst, src0:i32, src1:i32, src2:u32", OpSel | Mods, kGfx950}},
    {{"v_cvt_pk_f16_f32", VOP3, {0x267}, "vdst:pk_f16, src0:f32, src1:f32", FloatOp, kGfx950}},
    {{"v_cvt_pk_bf16_f32", VOP3, {0x268}, "vdst:pk_bf16, src0:f32, src1:f32", FloatOp | IdleOpSel, kGfx950}},
    {{"v_add_f64", VOP3, {0x280}, "vdst:f64, src0:f64, src1:f64", FloatOp},
     [](auto& b) { b.vdst(b.f64(0) + b.f64(1)); }},
    {{"v_mul_f64", VOP3, {0x281}, "vdst:f64, src0:f64, src1:f64", FloatOp},
     [](auto& b) { b.vdst(b.f64(0) * b.f64(1)); }},
    {{"v_min_f64", VOP3, {0x282}, "vdst:f64, src0:f64, src1:f64", FloatOp},
     [](auto& b) { b.vdst(b.min(b.f64(0), b.f64(1))); }},
    {{"v_max_f64", VOP3, {0x283}, "vdst:f64, src0:f64, src1:f64", FloatOp},
     [](auto& b) { b.vdst(b.max(b.f64(0), b.f64(1))); }},
    {{"v_ldexp_f64", VOP3, {0x284}, "vdst:f64, src0:f64, src1:i32", FloatOp},
     [](auto& b) { b.vdst(b.ldexp(b.f64(0), b.i32(1))); }},
    {{"v_mul_lo_u32", VOP3, {0x285}, "vdst:u32, src0:u32, src1:u32"}, [](auto& b) { b.vdst(b.u32(0) * b.u32(1)); }},
    {{"v_mul_hi_u32", VOP3, {0x286}, "vdst:u32, src0:u32, src1:u32"},
     [](auto& b) { b.vdst(b.mul_hi(b.u32(0), b.u32(1))); }},
    {{"v_mul_hi_i32", VOP3, {0x287}, "vdst:i32, src0:i32, src1:i32"},
     [](auto& b) { b.vdst(b.mul_hi(b.i32(0), b.i32(1))); }},
    {{"v_ldexp_f32", VOP3, {0x288}, "vdst:f32, src0:f32, src1:i32", FloatOp},
     [](auto& b) { b.vdst(b.ldexp(b.f32(0), b.i32(1))); }},
    {{"v_bcnt_u32_b32", VOP3, {0x28b}, "vdst:u32, src0, src1:u32"},
     [](auto& b) { b.vdst(b.popcount(b.u32(0)) + b.u32(1)); }},
    {{"v_mbcnt_lo_u32_b32", VOP3, {0x28c}, "vdst:u32, src0, src1:u32"},
     [](auto& b) { b.vdst(b.mbcnt_lo(b.u32(0)) + b.u32(1)); }},
    {{"v_mbcnt_hi_u32_b32", VOP3, {0x28d}, "vdst:u32, src0, src1:u32"},
     [](auto& b) { b.vdst(b.mbcnt_hi(b.u32(0)) + b.u32(1)); }},
    {{"v_lshlrev_b64", VOP3, {0x28f}, "vdst:b64, src0:u32, src1:b64"},
     [](auto& b) { b.vdst(b.u64(1) << (b.u32(0) & 63u)); }},
    {{"v_lshrrev_b64", VOP3, {0x290}, "vdst:b64, src0:u32, src1:b64"},
     [](auto& b) { b.vdst(b.u64(1) >> (b.u32(0) & 63u)); }},
    {{"v_ashrrev_i64", VOP3, {0x291}, "vdst:i64, src0:u32, src1:i64"},
     [](auto& b) { b.vdst(b.i64(1) >> (b.u32(0) & 63u)); }},
    {{"v_trig_preop_f64", VOP3, {0x292}, "vdst:f64, src0:f64, src1:u32", FloatOp},
     [](auto& b) { b.vdst(b.trig_preop(b.f64(0), b.u32(1))); }},
    {{"v_bfm_b32", VOP3, {0x293}, "vdst, src0, src1"},
     [](auto& b) { auto n = b.u32(0) & 31u; b.vdst(((decltype(n)(1u) << n) - 1u) << (b.u32(1) & 31u)); }},
    {{"v_cvt_pknorm_i16_f32", VOP3, {0x294}, "vdst:pk_i16, src0:f32, src1:f32", Clamp},
     [](auto& b) { pack_normalized<true>(b, b.f32(0), b.f32(1)); }},
    {{"v_cvt_pknorm_u16_f32", VOP3, {0x295}, "vdst:pk_u16, src0:f32, src1:f32", Clamp},
     [](auto& b) { pack_normalized<false>(b, b.f32(0), b.f32(1)); }},
    {{"v_cvt_pkrtz_f16_f32", VOP3, {0x296}, "vdst:pk_f16, src0:f32, src1:f32", FloatOp},
     [](auto& b) { auto lo = b.cvt_f16_rtz(b.f32(0)), hi = b.cvt_f16_rtz(b.f32(1)); b.vdst_pk(0, lo); b.vdst_pk(1, hi); }},
    {{"v_cvt_pk_u16_u32", VOP3, {0x297}, "vdst:pk_u16, src0:u32, src1:u32"},
     [](auto& b) {
           auto x = b.u32(0), y = b.u32(1);
           using U = decltype(x);
           b.vdst(b.min(x, U(0xffffu)) | (b.min(y, U(0xffffu)) << 16));
         }},
    {{"v_cvt_pk_i16_i32", VOP3, {0x298}, "vdst:pk_i16, src0:i32, src1:i32"},
     [](auto& b) {
           auto x = b.i32(0), y = b.i32(1);
           using I = decltype(x);
           auto sat = [&](I v) { return b.as_u32(b.max(b.min(v, I(32767)), I(-32768))); };
           b.vdst((sat(x) & 0xffffu) | (sat(y) << 16));
         }},
    {{"v_cvt_pknorm_i16_f16", VOP3, {0x299}, "vdst:pk_i16, src0:f16, src1:f16", Clamp | ReadsMode | OpSel},
     [](auto& b) { pack_normalized<true>(b, b.cvt_f32(b.f16(0)), b.cvt_f32(b.f16(1))); }},
    {{"v_cvt_pknorm_u16_f16", VOP3, {0x29a}, "vdst:pk_u16, src0:f16, src1:f16", Clamp | ReadsMode | OpSel},
     [](auto& b) { pack_normalized<false>(b, b.cvt_f32(b.f16(0)), b.cvt_f32(b.f16(1))); }},
    {{"v_add_i32", VOP3, {0x29c}, "vdst:i32, src0:i32, src1:i32", Clamp},
     [](auto& b) { auto x = b.i32(0), y = b.i32(1); b.vdst(b.clamp() ? b.add_sat(x, y) : x + y); }},
    {{"v_sub_i32", VOP3, {0x29d}, "vdst:i32, src0:i32, src1:i32", Clamp},
     [](auto& b) { auto x = b.i32(0), y = b.i32(1); b.vdst(b.clamp() ? b.sub_sat(x, y) : x - y); }},
    {{"v_add_i16", VOP3, {0x29e}, "vdst:i16, src0:i16, src1:i16", Clamp | OpSel},
     [](auto& b) { auto r = b.i16(0) + b.i16(1); b.vdst_sel(b.as_u32(b.clamp() ? saturate_i16(b, r) : r)); }},
    {{"v_sub_i16", VOP3, {0x29f}, "vdst:i16, src0:i16, src1:i16", Clamp | OpSel},
     [](auto& b) { auto r = b.i16(0) - b.i16(1); b.vdst_sel(b.as_u32(b.clamp() ? saturate_i16(b, r) : r)); }},
    {{"v_pack_b32_f16", VOP3, {0x2a0}, "vdst:pk_f16, src0:f16, src1:f16", Clamp | ReadsMode | OpSel},
     [](auto& b) { auto lo = b.canonicalize(b.f16(0)), hi = b.canonicalize(b.f16(1)); b.vdst_pk(0, lo); b.vdst_pk(1, hi); }},
    {{"v_mul_legacy_f32", VOP3, {0x2a1}, "vdst:f32, src0:f32, src1:f32", FloatOp, kGfx90aUp},
     [](auto& b) { b.vdst(b.mul_legacy(b.f32(0), b.f32(1))); }},
    {{"v_cvt_pk_fp8_f32", VOP3, {0x2a2}, "vdst:rw, src0:f32, src1:f32", ReadsMode | OpSel, kGfx940}, kPackNum8<Num::fp8>},
    {{"v_cvt_pk_bf8_f32", VOP3, {0x2a3}, "vdst:rw, src0:f32, src1:f32", ReadsMode | OpSel, kGfx940}, kPackNum8<Num::bf8>},
    {{"v_cvt_sr_fp8_f32", VOP3, {0x2a4}, "vdst:rw, src0:f32, src1:u32", ReadsMode | OpSel | OpSelByte, kGfx940}, kStochasticNum8<Num::fp8>},
    {{"v_cvt_sr_bf8_f32", VOP3, {0x2a5}, "vdst:rw, src0:f32, src1:u32", ReadsMode | OpSel | OpSelByte, kGfx940}, kStochasticNum8<Num::bf8>},
    {{"v_cvt_sr_f16_f32", VOP3, {0x2a6}, "vdst:rw, src0:f32, src1:u32", ReadsMode | OpSel, kGfx950}},
    {{"v_cvt_sr_bf16_f32", VOP3, {0x2a7}, "vdst:rw, src0:f32, src1:u32", ReadsMode | OpSel, kGfx950}},
    {{"v_minimum3_f32", VOP3, {0x2a8}, "vdst:f32, src0:f32, src1:f32, src2:f32", FloatOp, kGfx950}},
    {{"v_maximum3_f32", VOP3, {0x2a9}, "vdst:f32, src0:f32, src1:f32, src2:f32", FloatOp, kGfx950}},
};

} // namespace bz::isa
