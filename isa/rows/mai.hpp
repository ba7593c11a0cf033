// VOP3P_MAI: matrix multiply-accumulate on the whole wave and sparse forms. v_accvgpr_read and _write are lane by lane: in vop3p.hpp.
// Sources 0 and 1 may be AGPRs each by its bit; destination and source 2 are both AGPRs or both VGPRs.
#pragma once
#include "isa/rows/matrix_sem.hpp"

namespace bz::isa {

// d: dwords of destination and source 2, ab: of sources 0 and 1. `t`: element type of the accumulator.
#define BZ_MFMA(name, op, t, d, ab, targets)                                                                           \
  {{name, MAI, {op}, "vdst:" t ":" #d ", src0:" #ab ":av, src1:" #ab ":av, src2:" t ":" #d, kMatrix, targets},         \
   kMfma<matrix_named(name, t, d)>}
// The same with the spelling that gfx942 uses.
#define BZ_MFMA2(name, name940, op, t, d, ab, targets)                                                                 \
  {{name, MAI, {op}, "vdst:" t ":" #d ", src0:" #ab ":av, src1:" #ab ":av, src2:" t ":" #d, kMatrix, targets,          \
    {name940, kGfx940}},                                                                                               \
   kMfma<matrix_named(name, t, d)>}
// Also with another opcode there.
#define BZ_MFMA3(name, op, name940, op940, t, d, ab, targets)                                                          \
  {{name, MAI, {op, op940}, "vdst:" t ":" #d ", src0:" #ab ":av, src1:" #ab ":av, src2:" t ":" #d, kMatrix, targets,   \
    {name940, kGfx940}},                                                                                               \
   kMfma<matrix_named(name, t, d)>}
// Sparse: source 0 has 2 of 4 values, source 2 the indices, the destination is also the accumulator.
#define BZ_SMFMAC(name, op, t, d)                                                                                      \
  {{name, MAI, {op}, "vdst:" t ":" #d ":rw, src0:2:av, src1:4:av, src2:v", kMatrix, kGfx940},                          \
   kSmfmac<matrix_named(name, t, d)>}
// gfx950's, without semantics: `acc` is type and dwords of the destination, `ab` dwords of sources 0 and 1.
#define BZ_MATRIX(name, fmt, op, acc, ab, src2, flags)                                                                 \
  {{name, fmt, {op}, "vdst:" acc ", src0:" ab ":av, src1:" ab ":av" src2, flags, kGfx950}}
#define BZ_SPARSE(name, op, acc) {{name, MAI, {op}, "vdst:" acc ":rw, src0:4:av, src1:8:av, src2:v", kMatrix, kGfx950}}

inline constexpr Flags kMatrix = WholeWave | ReadsMode;
inline constexpr TargetSet kGfx908And90a = kGfx908 | kGfx90a;
inline constexpr TargetSet kGfx942Only = bit(Target::gfx942);

template <class B> inline constexpr Row<B> kMai[] = {
    BZ_MFMA("v_mfma_f32_16x16x8_xf32", 62, "f32", 4, 2, kGfx942Only),
    BZ_MFMA("v_mfma_f32_32x32x4_xf32", 63, "f32", 16, 2, kGfx942Only),
    BZ_MFMA2("v_mfma_f32_32x32x1f32", "v_mfma_f32_32x32x1_2b_f32", 64, "f32", 32, 1, kGfx908Up),
    BZ_MFMA2("v_mfma_f32_16x16x1f32", "v_mfma_f32_16x16x1_4b_f32", 65, "f32", 16, 1, kGfx908Up),
    BZ_MFMA2("v_mfma_f32_4x4x1f32", "v_mfma_f32_4x4x1_16b_f32", 66, "f32", 4, 1, kGfx908Up),
    BZ_MFMA2("v_mfma_f32_32x32x2f32", "v_mfma_f32_32x32x2_f32", 68, "f32", 16, 1, kGfx908Up),
    BZ_MFMA2("v_mfma_f32_16x16x4f32", "v_mfma_f32_16x16x4_f32", 69, "f32", 4, 1, kGfx908Up),
    BZ_MFMA2("v_mfma_f32_32x32x4f16", "v_mfma_f32_32x32x4_2b_f16", 72, "f32", 32, 2, kGfx908Up),
    BZ_MFMA2("v_mfma_f32_16x16x4f16", "v_mfma_f32_16x16x4_4b_f16", 73, "f32", 16, 2, kGfx908Up),
    BZ_MFMA2("v_mfma_f32_4x4x4f16", "v_mfma_f32_4x4x4_16b_f16", 74, "f32", 4, 2, kGfx908Up),
    BZ_MFMA2("v_mfma_f32_32x32x8f16", "v_mfma_f32_32x32x8_f16", 76, "f32", 16, 2, kGfx908Up),
    BZ_MFMA2("v_mfma_f32_16x16x16f16", "v_mfma_f32_16x16x16_f16", 77, "f32", 4, 2, kGfx908Up),
    BZ_MFMA2("v_mfma_i32_32x32x4i8", "v_mfma_i32_32x32x4_2b_i8", 80, "i32", 32, 1, kGfx908Up),
    BZ_MFMA2("v_mfma_i32_16x16x4i8", "v_mfma_i32_16x16x4_4b_i8", 81, "i32", 16, 1, kGfx908Up),
    BZ_MFMA2("v_mfma_i32_4x4x4i8", "v_mfma_i32_4x4x4_16b_i8", 82, "i32", 4, 1, kGfx908Up),
    BZ_MFMA("v_mfma_i32_32x32x8i8", 84, "i32", 16, 1, kGfx908And90a),
    BZ_MFMA("v_mfma_i32_16x16x16i8", 85, "i32", 4, 1, kGfx908And90a),
    BZ_MFMA("v_mfma_i32_32x32x16_i8", 86, "i32", 16, 2, kGfx940),
    BZ_MFMA("v_mfma_i32_16x16x32_i8", 87, "i32", 4, 2, kGfx940),
    BZ_MFMA3("v_mfma_f32_32x32x4bf16_1k", 99, "v_mfma_f32_32x32x4_2b_bf16", 93, "f32", 32, 2, kGfx90aUp),
    BZ_MFMA3("v_mfma_f32_16x16x4bf16_1k", 100, "v_mfma_f32_16x16x4_4b_bf16", 94, "f32", 16, 2, kGfx90aUp),
    BZ_MFMA3("v_mfma_f32_4x4x4bf16_1k", 101, "v_mfma_f32_4x4x4_16b_bf16", 95, "f32", 4, 2, kGfx90aUp),
    BZ_MFMA3("v_mfma_f32_32x32x8bf16_1k", 102, "v_mfma_f32_32x32x8_bf16", 96, "f32", 16, 2, kGfx90aUp),
    BZ_MFMA3("v_mfma_f32_16x16x16bf16_1k", 103, "v_mfma_f32_16x16x16_bf16", 97, "f32", 4, 2, kGfx90aUp),
    BZ_MFMA("v_mfma_f32_32x32x2bf16", 104, "f32", 32, 1, kGfx908And90a),
    BZ_MFMA("v_mfma_f32_16x16x2bf16", 105, "f32", 16, 1, kGfx908And90a),
    BZ_MFMA("v_mfma_f32_4x4x2bf16", 107, "f32", 4, 1, kGfx908And90a),
    BZ_MFMA("v_mfma_f32_32x32x4bf16", 108, "f32", 16, 1, kGfx908And90a),
    BZ_MFMA("v_mfma_f32_16x16x8bf16", 109, "f32", 4, 1, kGfx908And90a),
    BZ_SMFMAC("v_smfmac_f32_16x16x32_f16", 98, "f32", 4),
    BZ_SMFMAC("v_smfmac_f32_32x32x16_f16", 100, "f32", 16),
    BZ_SMFMAC("v_smfmac_f32_16x16x32_bf16", 102, "f32", 4),
    BZ_SMFMAC("v_smfmac_f32_32x32x16_bf16", 104, "f32", 16),
    BZ_SMFMAC("v_smfmac_i32_16x16x64_i8", 106, "i32", 4),
    BZ_SMFMAC("v_smfmac_i32_32x32x32_i8", 108, "i32", 16),
    BZ_MFMA2("v_mfma_f64_16x16x4f64", "v_mfma_f64_16x16x4_f64", 110, "f64", 8, 2, kGfx90aUp),
    BZ_MFMA2("v_mfma_f64_4x4x4f64", "v_mfma_f64_4x4x4_4b_f64", 111, "f64", 2, 2, kGfx90aUp),
    BZ_MFMA("v_mfma_f32_16x16x32_bf8_bf8", 112, "f32", 4, 2, kGfx940),
    BZ_MFMA("v_mfma_f32_16x16x32_bf8_fp8", 113, "f32", 4, 2, kGfx940),
    BZ_MFMA("v_mfma_f32_16x16x32_fp8_bf8", 114, "f32", 4, 2, kGfx940),
    BZ_MFMA("v_mfma_f32_16x16x32_fp8_fp8", 115, "f32", 4, 2, kGfx940),
    BZ_MFMA("v_mfma_f32_32x32x16_bf8_bf8", 116, "f32", 16, 2, kGfx940),
    BZ_MFMA("v_mfma_f32_32x32x16_bf8_fp8", 117, "f32", 16, 2, kGfx940),
    BZ_MFMA("v_mfma_f32_32x32x16_fp8_bf8", 118, "f32", 16, 2, kGfx940),
    BZ_MFMA("v_mfma_f32_32x32x16_fp8_fp8", 119, "f32", 16, 2, kGfx940),
    BZ_SMFMAC("v_smfmac_f32_16x16x64_bf8_bf8", 120, "f32", 4),
    BZ_SMFMAC("v_smfmac_f32_16x16x64_bf8_fp8", 121, "f32", 4),
    BZ_SMFMAC("v_smfmac_f32_16x16x64_fp8_bf8", 122, "f32", 4),
    BZ_SMFMAC("v_smfmac_f32_16x16x64_fp8_fp8", 123, "f32", 4),
    BZ_SMFMAC("v_smfmac_f32_32x32x32_bf8_bf8", 124, "f32", 16),
    BZ_SMFMAC("v_smfmac_f32_32x32x32_bf8_fp8", 125, "f32", 16),
    BZ_SMFMAC("v_smfmac_f32_32x32x32_fp8_bf8", 126, "f32", 16),
    BZ_SMFMAC("v_smfmac_f32_32x32x32_fp8_fp8", 127, "f32", 16),
    // gfx950: twice the depth, the 6- and 4-bit floats, and a scale for each block of 32. Nothing executes them yet.
    BZ_MATRIX("v_mfma_f32_16x16x128_f8f6f4", MAI, 45, "f32:4", "8", ", src2:f32:4", kMatrix | F8f6f4),
    BZ_MATRIX("v_mfma_f32_32x32x64_f8f6f4", MAI, 46, "f32:16", "8", ", src2:f32:16", kMatrix | F8f6f4),
    BZ_MATRIX("v_mfma_scale_f32_16x16x128_f8f6f4", VOP3PX, 45, "f32:4", "8", ", src2:f32:4, scale0:v, scale1:v", kMatrix | F8f6f4),
    BZ_MATRIX("v_mfma_scale_f32_32x32x64_f8f6f4", VOP3PX, 46, "f32:16", "8", ", src2:f32:16, scale0:v, scale1:v", kMatrix | F8f6f4),
    // The first half of the scaled forms by itself.
    {{"v_mfma_ld_scale_b32", VOP3P, {44}, "src0, src1", WholeWave, kGfx950}},
    BZ_MATRIX("v_mfma_f32_16x16x32_bf16", MAI, 53, "f32:4", "4", ", src2:f32:4", kMatrix),
    BZ_MATRIX("v_mfma_i32_16x16x64_i8", MAI, 54, "i32:4", "4", ", src2:i32:4", kMatrix),
    BZ_MATRIX("v_mfma_f32_32x32x16_bf16", MAI, 55, "f32:16", "4", ", src2:f32:16", kMatrix),
    BZ_MATRIX("v_mfma_i32_32x32x32_i8", MAI, 56, "i32:16", "4", ", src2:i32:16", kMatrix),
    BZ_MATRIX("v_mfma_f32_16x16x32_f16", MAI, 84, "f32:4", "4", ", src2:f32:4", kMatrix),
    BZ_MATRIX("v_mfma_f32_32x32x16_f16", MAI, 85, "f32:16", "4", ", src2:f32:16", kMatrix),
    BZ_SPARSE("v_smfmac_f32_16x16x64_bf16", 57, "f32:4"),
    BZ_SPARSE("v_smfmac_i32_16x16x128_i8", 58, "i32:4"),
    BZ_SPARSE("v_smfmac_f32_16x16x128_bf8_bf8", 59, "f32:4"),
    BZ_SPARSE("v_smfmac_f32_16x16x128_bf8_fp8", 60, "f32:4"),
    BZ_SPARSE("v_smfmac_f32_16x16x128_fp8_bf8", 61, "f32:4"),
    BZ_SPARSE("v_smfmac_f32_16x16x128_fp8_fp8", 67, "f32:4"),
    BZ_SPARSE("v_smfmac_f32_32x32x32_bf16", 70, "f32:16"),
    BZ_SPARSE("v_smfmac_i32_32x32x64_i8", 71, "i32:16"),
    BZ_SPARSE("v_smfmac_f32_32x32x64_bf8_bf8", 75, "f32:16"),
    BZ_SPARSE("v_smfmac_f32_32x32x64_bf8_fp8", 78, "f32:16"),
    BZ_SPARSE("v_smfmac_f32_32x32x64_fp8_bf8", 79, "f32:16"),
    BZ_SPARSE("v_smfmac_f32_32x32x64_fp8_fp8", 83, "f32:16"),
    BZ_SPARSE("v_smfmac_f32_16x16x64_f16", 90, "f32:4"),
    BZ_SPARSE("v_smfmac_f32_32x32x32_f16", 91, "f32:16"),
};

#undef BZ_MATRIX
#undef BZ_SPARSE
#undef BZ_MFMA
#undef BZ_MFMA2
#undef BZ_MFMA3
#undef BZ_SMFMAC

} // namespace bz::isa
