// gfx950: conversions between 4-, 6- and 8-bit floats and wider ones that multiply by a power of two (the exponent of the
// scale operand). Encodings and text only: nothing executes them yet. Lane by lane.
#pragma once
#include "isa/row.hpp"

namespace bz::isa {

inline constexpr Flags kScaled = ReadsMode | OpSel;

// The 8-bit floats come in two kinds, and so do the 6-bit ones; their opcodes are neighbours.
#define BZ_SCALE(name, op, operands, flags) {{"v_cvt_scalef32_" name, VOP3, {op}, operands, flags, kGfx950}}
#define BZ_SCALE_8(before, after, op, operands)                                                                        \
  BZ_SCALE(before "fp8" after, op, operands, kScaled), BZ_SCALE(before "bf8" after, op + 1, operands, kScaled)
#define BZ_SCALE_F16_BF16(before, op, operands_f16, operands_bf16, flags)                                              \
  BZ_SCALE(before "f16", op, operands_f16, flags), BZ_SCALE(before "bf16", op + 1, operands_bf16, flags)

template <class B> inline constexpr Row<B> kCvtScale[] = {
    // Two values, or one rounded stochastically, into a part of the destination that op_sel picks.
    BZ_SCALE_8("pk_", "_f32", 565, "vdst:rw, src0:f32, src1:f32, src2:f32"),
    BZ_SCALE_8("sr_", "_f32", 567, "vdst:rw, src0:f32, src1:u32, src2:f32"),
    BZ_SCALE_8("pk_f32_", "", 569, "vdst:pk_f32, src0, src1:f32"),
    BZ_SCALE_8("f32_", "", 571, "vdst:f32, src0, src1:f32"),
    BZ_SCALE("pk_fp4_f32", 573, "vdst:rw, src0:f32, src1:f32, src2:f32", kScaled),
    BZ_SCALE("sr_pk_fp4_f32", 574, "vdst, src0:pk_f32:v, src1:u32, src2:f32", kScaled),
    BZ_SCALE("pk_f32_fp4", 575, "vdst:pk_f32, src0, src1:f32", kScaled),
    BZ_SCALE_8("pk_", "_f16", 576, "vdst:rw, src0:pk_f16, src1:f32"),
    BZ_SCALE_8("sr_", "_f16", 578, "vdst:rw, src0:f16, src1:u32, src2:f32"),
    BZ_SCALE_8("pk_", "_bf16", 580, "vdst:rw, src0:pk_bf16, src1:f32"),
    BZ_SCALE_8("sr_", "_bf16", 582, "vdst:rw, src0:bf16, src1:u32, src2:f32"),
    BZ_SCALE_8("pk_f16_", "", 584, "vdst:pk_f16, src0, src1:f32"),
    BZ_SCALE_8("f16_", "", 586, "vdst:f16:rw, src0, src1:f32"),
    BZ_SCALE_F16_BF16("pk_fp4_", 588, "vdst:rw, src0:pk_f16, src1:f32", "vdst:rw, src0:pk_bf16, src1:f32", kScaled | OpSelByte),
    BZ_SCALE_F16_BF16("sr_pk_fp4_", 590, "vdst, src0:pk_f16, src1:u32, src2:f32", "vdst, src0:pk_bf16, src1:u32, src2:f32", kScaled),
    BZ_SCALE("pk_f16_fp4", 592, "vdst:pk_f16, src0, src1:f32", kScaled),
    BZ_SCALE("pk_bf16_fp4", 593, "vdst:pk_bf16, src0, src1:f32", kScaled),
    // 32 values at once. 6-bit values fill six registers.
    BZ_SCALE("2xpk16_fp6_f32", 594, "vdst:6, src0:16:v, src1:16:v, src2:f32:plain", ReadsMode),
    BZ_SCALE("2xpk16_bf6_f32", 595, "vdst:6, src0:16:v, src1:16:v, src2:f32:plain", ReadsMode),
    BZ_SCALE("sr_pk32_fp6_f32", 596, "vdst:6, src0:32:v, src1:u32, src2:f32:plain", ReadsMode),
    BZ_SCALE("sr_pk32_bf6_f32", 597, "vdst:6, src0:32:v, src1:u32, src2:f32:plain", ReadsMode),
    BZ_SCALE("pk32_f32_fp6", 598, "vdst:32, src0:6:v, src1:f32:plain", ReadsMode),
    BZ_SCALE("pk32_f32_bf6", 599, "vdst:32, src0:6:v, src1:f32:plain", ReadsMode),
    BZ_SCALE("pk32_fp6_f16", 600, "vdst:6, src0:16:v, src1:f32:plain", ReadsMode),
    BZ_SCALE("pk32_fp6_bf16", 601, "vdst:6, src0:16:v, src1:f32:plain", ReadsMode),
    BZ_SCALE("pk32_bf6_f16", 602, "vdst:6, src0:16:v, src1:f32:plain", ReadsMode),
    BZ_SCALE("pk32_bf6_bf16", 603, "vdst:6, src0:16:v, src1:f32:plain", ReadsMode),
    BZ_SCALE("sr_pk32_fp6_f16", 604, "vdst:6, src0:16:v, src1:u32, src2:f32:plain", ReadsMode),
    BZ_SCALE("sr_pk32_fp6_bf16", 605, "vdst:6, src0:16:v, src1:u32, src2:f32:plain", ReadsMode),
    BZ_SCALE("sr_pk32_bf6_f16", 606, "vdst:6, src0:16:v, src1:u32, src2:f32:plain", ReadsMode),
    BZ_SCALE("sr_pk32_bf6_bf16", 607, "vdst:6, src0:16:v, src1:u32, src2:f32:plain", ReadsMode),
    BZ_SCALE("pk32_f16_fp6", 608, "vdst:16, src0:6:v, src1:f32:plain", ReadsMode),
    BZ_SCALE("pk32_bf16_fp6", 609, "vdst:16, src0:6:v, src1:f32:plain", ReadsMode),
    BZ_SCALE("pk32_f16_bf6", 610, "vdst:16, src0:6:v, src1:f32:plain", ReadsMode),
    BZ_SCALE("pk32_bf16_bf6", 611, "vdst:16, src0:6:v, src1:f32:plain", ReadsMode),
    BZ_SCALE_8("pk_bf16_", "", 617, "vdst:pk_bf16, src0, src1:f32"),
};

#undef BZ_SCALE
#undef BZ_SCALE_8
#undef BZ_SCALE_F16_BF16

} // namespace bz::isa
