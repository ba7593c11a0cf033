// VOP2: vector operations with two sources, and their VOP3 forms. Carry-in and carry-out are VCC in the short form and
// an SGPR pair in VOP3.
#pragma once
#include "isa/rows/lane_sem.hpp"

namespace bz::isa {

template <class B> inline constexpr Row<B> kVop2[] = {
    {{"v_cndmask_b32", VOP2 | VOP3, {0}, "vdst, src0:f32, src1:f32, src2:mask"},
     [](auto& b) { b.vdst(b.select(b.lanes_in(), b.as_u32(b.f32(1)), b.as_u32(b.f32(0)))); }},
    {{"v_add_f32", VOP2 | VOP3, {1}, "vdst:f32, src0:f32, src1:f32", FloatOp},
     [](auto& b) { b.vdst(b.f32(0) + b.f32(1)); }},
    {{"v_sub_f32", VOP2 | VOP3, {2}, "vdst:f32, src0:f32, src1:f32", FloatOp},
     [](auto& b) { b.vdst(b.f32(0) - b.f32(1)); }},
    {{"v_subrev_f32", VOP2 | VOP3, {3}, "vdst:f32, src0:f32, src1:f32", FloatOp},
     [](auto& b) { b.vdst(b.f32(1) - b.f32(0)); }},
    {{"v_mul_legacy_f32", VOP2 | VOP3, {4}, "vdst:f32, src0:f32, src1:f32", FloatOp, kBeforeGfx90a},
     [](auto& b) { b.vdst(b.mul_legacy(b.f32(0), b.f32(1))); }},
    {{"v_fmac_f64", VOP2 | VOP3, {4}, "vdst:f64:rw, src0:f64, src1:f64", FloatOp | NoSdwa, kGfx90aUp},
     [](auto& b) { b.vdst(b.fma(b.f64(0), b.f64(1), b.dst_f64())); }},
    {{"v_mul_f32", VOP2 | VOP3, {5}, "vdst:f32, src0:f32, src1:f32", FloatOp},
     [](auto& b) { b.vdst(b.f32(0) * b.f32(1)); }},
    {{"v_mul_i32_i24", VOP2 | VOP3, {6}, "vdst:i32, src0:i32, src1:i32", Clamp},
     [](auto& b) {
       auto x = sext24(b, 0), y = sext24(b, 1);
       b.vdst(b.clamp() ? saturate_i32(b, b.mul_wide(x, y)) : x * y);
     }},
    {{"v_mul_hi_i32_i24", VOP2 | VOP3, {7}, "vdst:i32, src0:i32, src1:i32"},
     [](auto& b) { b.vdst(b.mul_hi(sext24(b, 0), sext24(b, 1))); }},
    {{"v_mul_u32_u24", VOP2 | VOP3, {8}, "vdst:u32, src0:u32, src1:u32", Clamp},
     [](auto& b) {
       auto x = zext24(b, 0), y = zext24(b, 1);
       b.vdst(b.clamp() ? saturate_u32(b, b.mul_wide(x, y)) : x * y);
     }},
    {{"v_mul_hi_u32_u24", VOP2 | VOP3, {9}, "vdst:u32, src0:u32, src1:u32"},
     [](auto& b) { b.vdst(b.mul_hi(zext24(b, 0), zext24(b, 1))); }},
    {{"v_min_f32", VOP2 | VOP3, {10}, "vdst:f32, src0:f32, src1:f32", FloatOp},
     [](auto& b) { b.vdst(b.min(b.f32(0), b.f32(1))); }},
    {{"v_max_f32", VOP2 | VOP3, {11}, "vdst:f32, src0:f32, src1:f32", FloatOp},
     [](auto& b) { b.vdst(b.max(b.f32(0), b.f32(1))); }},
    {{"v_min_i32", VOP2 | VOP3, {12}, "vdst:i32, src0:i32, src1:i32"},
     [](auto& b) { b.vdst(b.min(b.i32(0), b.i32(1))); }},
    {{"v_max_i32", VOP2 | VOP3, {13}, "vdst:i32, src0:i32, src1:i32"},
     [](auto& b) { b.vdst(b.max(b.i32(0), b.i32(1))); }},
    {{"v_min_u32", VOP2 | VOP3, {14}, "vdst:u32, src0:u32, src1:u32"},
     [](auto& b) { b.vdst(b.min(b.u32(0), b.u32(1))); }},
    {{"v_max_u32", VOP2 | VOP3, {15}, "vdst:u32, src0:u32, src1:u32"},
     [](auto& b) { b.vdst(b.max(b.u32(0), b.u32(1))); }},
    {{"v_lshrrev_b32", VOP2 | VOP3, {16}, "vdst, src0:u32, src1"},
     [](auto& b) { b.vdst(b.u32(1) >> (b.u32(0) & 31u)); }},
    {{"v_ashrrev_i32", VOP2 | VOP3, {17}, "vdst:i32, src0:u32, src1:i32"},
     [](auto& b) { b.vdst(b.i32(1) >> (b.u32(0) & 31u)); }},
    {{"v_lshlrev_b32", VOP2 | VOP3, {18}, "vdst, src0:u32, src1"},
     [](auto& b) { b.vdst(b.u32(1) << (b.u32(0) & 31u)); }},
    {{"v_and_b32", VOP2 | VOP3, {19}, "vdst, src0, src1"}, [](auto& b) { b.vdst(b.u32(0) & b.u32(1)); }},
    {{"v_or_b32", VOP2 | VOP3, {20}, "vdst, src0, src1"}, [](auto& b) { b.vdst(b.u32(0) | b.u32(1)); }},
    {{"v_xor_b32", VOP2 | VOP3, {21}, "vdst, src0, src1"}, [](auto& b) { b.vdst(b.u32(0) ^ b.u32(1)); }},
    {{"v_mac_f32", VOP2 | VOP3, {22}, "vdst:f32:rw, src0:f32, src1:f32", FloatOp | NoSdwa, kBeforeGfx940},
     [](auto& b) { b.vdst(b.mad(b.f32(0), b.f32(1), b.dst_f32())); }},
    {{"v_dot2c_f32_bf16", VOP2 | VOP3, {22}, "vdst:f32:rw, src0:pk_bf16, src1:pk_bf16", FloatOp | Mods | NoSdwa, kGfx950}},
    {{"v_madmk_f32", VOP2, {23}, "vdst:f32, src0:f32, k32:f32, src1:f32", ReadsMode | NoSuffix | NoSdwa | NoDpp, kBeforeGfx940},
     [](auto& b) { b.vdst(b.mad(b.f32(0), b.f32(1), b.f32(2))); }},
    {{"v_fmamk_f32", VOP2, {23}, "vdst:f32, src0:f32, k32:f32, src1:f32", ReadsMode | NoSuffix | NoSdwa | NoDpp, kGfx940},
     [](auto& b) { b.vdst(b.fma(b.f32(0), b.f32(1), b.f32(2))); }},
    {{"v_madak_f32", VOP2, {24}, "vdst:f32, src0:f32, src1:f32, k32:f32", ReadsMode | NoSuffix | NoSdwa | NoDpp, kBeforeGfx940},
     [](auto& b) { b.vdst(b.mad(b.f32(0), b.f32(1), b.f32(2))); }},
    {{"v_fmaak_f32", VOP2, {24}, "vdst:f32, src0:f32, src1:f32, k32:f32", ReadsMode | NoSuffix | NoSdwa | NoDpp, kGfx940},
     [](auto& b) { b.vdst(b.fma(b.f32(0), b.f32(1), b.f32(2))); }},
    {{"v_add_co_u32", VOP2 | VOP3, {25}, "vdst:u32, sdst:mask, src0:u32, src1:u32", Clamp},
     [](auto& b) { add_with_carry(b, b.no_lanes()); }},
    {{"v_sub_co_u32", VOP2 | VOP3, {26}, "vdst:u32, sdst:mask, src0:u32, src1:u32", Clamp},
     [](auto& b) { sub_with_borrow(b, b.u32(0), b.u32(1), b.no_lanes()); }},
    {{"v_subrev_co_u32", VOP2 | VOP3, {27}, "vdst:u32, sdst:mask, src0:u32, src1:u32", Clamp},
     [](auto& b) { sub_with_borrow(b, b.u32(1), b.u32(0), b.no_lanes()); }},
    {{"v_addc_co_u32", VOP2 | VOP3, {28}, "vdst:u32, sdst:mask, src0:u32, src1:u32, src2:mask", Clamp},
     [](auto& b) { add_with_carry(b, b.lanes_in()); }},
    {{"v_subb_co_u32", VOP2 | VOP3, {29}, "vdst:u32, sdst:mask, src0:u32, src1:u32, src2:mask", Clamp},
     [](auto& b) { sub_with_borrow(b, b.u32(0), b.u32(1), b.lanes_in()); }},
    {{"v_subbrev_co_u32", VOP2 | VOP3, {30}, "vdst:u32, sdst:mask, src0:u32, src1:u32, src2:mask", Clamp},
     [](auto& b) { sub_with_borrow(b, b.u32(1), b.u32(0), b.lanes_in()); }},
    {{"v_add_f16", VOP2 | VOP3, {31}, "vdst:f16, src0:f16, src1:f16", FloatOp},
     [](auto& b) { b.vdst(b.f16(0) + b.f16(1)); }},
    {{"v_sub_f16", VOP2 | VOP3, {32}, "vdst:f16, src0:f16, src1:f16", FloatOp},
     [](auto& b) { b.vdst(b.f16(0) - b.f16(1)); }},
    {{"v_subrev_f16", VOP2 | VOP3, {33}, "vdst:f16, src0:f16, src1:f16", FloatOp},
     [](auto& b) { b.vdst(b.f16(1) - b.f16(0)); }},
    {{"v_mul_f16", VOP2 | VOP3, {34}, "vdst:f16, src0:f16, src1:f16", FloatOp},
     [](auto& b) { b.vdst(b.f16(0) * b.f16(1)); }},
    {{"v_mac_f16", VOP2 | VOP3, {35}, "vdst:f16:rw, src0:f16, src1:f16", FloatOp | NoSdwa},
     [](auto& b) { b.vdst_keep(b.mad(b.f16(0), b.f16(1), b.dst_f16())); }},
    {{"v_madmk_f16", VOP2, {36}, "vdst:f16, src0:f16, k32:f16, src1:f16", ReadsMode | NoSuffix | NoSdwa | NoDpp},
     [](auto& b) { b.vdst_keep(b.mad(b.f16(0), b.f16(1), b.f16(2))); }},
    {{"v_madak_f16", VOP2, {37}, "vdst:f16, src0:f16, src1:f16, k32:f16", ReadsMode | NoSuffix | NoSdwa | NoDpp},
     [](auto& b) { b.vdst_keep(b.mad(b.f16(0), b.f16(1), b.f16(2))); }},
    {{"v_add_u16", VOP2 | VOP3, {38}, "vdst:u16, src0:u16, src1:u16", Clamp},
     [](auto& b) { auto r = b.u16(0) + b.u16(1); b.vdst16(b.clamp() ? b.min(r, decltype(r)(0xffffu)) : r); }},
    {{"v_sub_u16", VOP2 | VOP3, {39}, "vdst:u16, src0:u16, src1:u16", Clamp},
     [](auto& b) { b.vdst16(b.clamp() ? b.sub_sat(b.u16(0), b.u16(1)) : b.u16(0) - b.u16(1)); }},
    {{"v_subrev_u16", VOP2 | VOP3, {40}, "vdst:u16, src0:u16, src1:u16", Clamp},
     [](auto& b) { b.vdst16(b.clamp() ? b.sub_sat(b.u16(1), b.u16(0)) : b.u16(1) - b.u16(0)); }},
    {{"v_mul_lo_u16", VOP2 | VOP3, {41}, "vdst:u16, src0:u16, src1:u16"},
     // SDWA has a clamp bit.
     [](auto& b) {
           auto r = b.u16(0) * b.u16(1);
           b.vdst16(b.clamp() ? b.min(r, decltype(r)(0xffffu)) : r);
         }},
    {{"v_lshlrev_b16", VOP2 | VOP3, {42}, "vdst:b16, src0:u16, src1:b16"},
     [](auto& b) { b.vdst16(b.u16(1) << (b.u16(0) & 15u)); }},
    {{"v_lshrrev_b16", VOP2 | VOP3, {43}, "vdst:b16, src0:u16, src1:b16"},
     [](auto& b) { b.vdst16(b.u16(1) >> (b.u16(0) & 15u)); }},
    {{"v_ashrrev_i16", VOP2 | VOP3, {44}, "vdst:i16, src0:u16, src1:i16"},
     [](auto& b) { b.vdst16(b.as_u32(b.i16(1) >> (b.u16(0) & 15u))); }},
    {{"v_max_f16", VOP2 | VOP3, {45}, "vdst:f16, src0:f16, src1:f16", FloatOp},
     [](auto& b) { b.vdst(b.max(b.f16(0), b.f16(1))); }},
    {{"v_min_f16", VOP2 | VOP3, {46}, "vdst:f16, src0:f16, src1:f16", FloatOp},
     [](auto& b) { b.vdst(b.min(b.f16(0), b.f16(1))); }},
    {{"v_max_u16", VOP2 | VOP3, {47}, "vdst:u16, src0:u16, src1:u16"},
     [](auto& b) { b.vdst16(b.max(b.u16(0), b.u16(1))); }},
    {{"v_max_i16", VOP2 | VOP3, {48}, "vdst:i16, src0:i16, src1:i16"},
     [](auto& b) { b.vdst16(b.as_u32(b.max(b.i16(0), b.i16(1)))); }},
    {{"v_min_u16", VOP2 | VOP3, {49}, "vdst:u16, src0:u16, src1:u16"},
     [](auto& b) { b.vdst16(b.min(b.u16(0), b.u16(1))); }},
    {{"v_min_i16", VOP2 | VOP3, {50}, "vdst:i16, src0:i16, src1:i16"},
     [](auto& b) { b.vdst16(b.as_u32(b.min(b.i16(0), b.i16(1)))); }},
    // src1 is an integer exponent whose inline constants are read as f16.
    {{"v_ldexp_f16", VOP2 | VOP3, {51}, "vdst:f16, src0:f16, src1:f16:plain", FloatOp},
     [](auto& b) { b.vdst(b.ldexp(b.f16(0), b.i16(1))); }},
    {{"v_add_u32", VOP2 | VOP3, {52}, "vdst:u32, src0:u32, src1:u32", Clamp},
     [](auto& b) { auto x = b.u32(0), y = b.u32(1); b.vdst(b.clamp() ? b.add_sat(x, y) : x + y); }},
    {{"v_sub_u32", VOP2 | VOP3, {53}, "vdst:u32, src0:u32, src1:u32", Clamp},
     [](auto& b) { auto x = b.u32(0), y = b.u32(1); b.vdst(b.clamp() ? b.sub_sat(x, y) : x - y); }},
    {{"v_subrev_u32", VOP2 | VOP3, {54}, "vdst:u32, src0:u32, src1:u32", Clamp},
     [](auto& b) { auto x = b.u32(1), y = b.u32(0); b.vdst(b.clamp() ? b.sub_sat(x, y) : x - y); }},
    {{"v_dot2c_f32_f16", VOP2 | VOP3, {55}, "vdst:f32:rw, src0:pk_f16, src1:pk_f16", FloatOp | Mods | NoSdwa, kGfx908Up},
     [](auto& b) {
           auto x = b.u32(0), y = b.u32(1);
           b.vdst(b.dot2(b.dst_f32(), b.f16_from_bits(x), b.f16_from_bits(y), b.f16_from_bits(x >> 16), b.f16_from_bits(y >> 16)));
         }},
    {{"v_dot2c_i32_i16", VOP2 | VOP3, {56}, "vdst:i32:rw, src0, src1", Clamp | Mods | NoSdwa, kGfx908Up},
     [](auto& b) {
           auto x = b.u32(0), y = b.u32(1);
           auto half = [&](auto v, unsigned up) { return b.as_i32(v << up) >> 16; };
           auto p = b.mul_wide(half(x, 16), half(y, 16)) + b.mul_wide(half(x, 0), half(y, 0)) + b.sext64(b.as_i32(b.dst_u32(0)));
           b.vdst(b.clamp() ? saturate_i32(b, p) : b.as_i32(b.lo(b.as_u64(p))));
         }},
    {{"v_dot4c_i32_i8", VOP2 | VOP3, {57}, "vdst:i32:rw, src0, src1", Clamp | Mods | NoSdwa, kGfx908Up},
     [](auto& b) { dot_signed<8>(b, b.as_i32(b.dst_u32(0))); }},
    {{"v_dot8c_i32_i4", VOP2 | VOP3, {58}, "vdst:i32:rw, src0, src1", Clamp | Mods | NoSdwa, kGfx908Up},
     [](auto& b) { dot_signed<4>(b, b.as_i32(b.dst_u32(0))); }},
    {{"v_fmac_f32", VOP2 | VOP3, {59}, "vdst:f32:rw, src0:f32, src1:f32", FloatOp | NoSdwa, kGfx906Up},
     [](auto& b) { b.vdst(b.fma(b.f32(0), b.f32(1), b.dst_f32())); }},
    {{"v_pk_fmac_f16", VOP2 | VOP3, {60}, "vdst:pk_f16:rw, src0:pk_f16, src1:pk_f16", FloatOp | Mods, kGfx908Up},
     [](auto& b) {
           auto x = b.u32(0), y = b.u32(1);
           auto low = b.fma(b.f16_from_bits(x), b.f16_from_bits(y), b.dst_f16_pk(0));
           auto high = b.fma(b.f16_from_bits(x >> 16), b.f16_from_bits(y >> 16), b.dst_f16_pk(1));
           b.vdst_pk(0, low);
           b.vdst_pk(1, high);
         }},
    {{"v_xnor_b32", VOP2 | VOP3, {61}, "vdst, src0, src1", None, kGfx906Up},
     [](auto& b) { b.vdst(~(b.u32(0) ^ b.u32(1))); }},
};

} // namespace bz::isa
