// EXP and VINTRP: what graphics shaders hand on and take in. Compute kernels have none; chips from gfx90a on neither.
#pragma once
#include "isa/row.hpp"

namespace bz::isa {

inline constexpr Flags kInterp = FloatOp | ReadsM0;

template <class B> inline constexpr Row<B> kExport[] = {
    {{"exp", EXP, {0}, "tgt, vsrc0, vsrc1, vsrc2, vsrc3", Store, kBeforeGfx90a}},
    {{"v_interp_p1_f32", VINTRP | VOP3, {0}, "vdst:f32, vsrc:f32, attr", kInterp, kBeforeGfx90a}},
    {{"v_interp_p2_f32", VINTRP | VOP3, {1}, "vdst:f32:rw, vsrc:f32, attr", kInterp, kBeforeGfx90a}},
    {{"v_interp_mov_f32", VINTRP | VOP3, {2}, "vdst:f32, param, attr", kInterp, kBeforeGfx90a}},
    {{"v_interp_p1ll_f16", VOP3, {0x274}, "vdst:f32, vsrc:f32, attr", kInterp, kBeforeGfx90a}},
    {{"v_interp_p1lv_f16", VOP3, {0x275}, "vdst:f32, vsrc:f32, attr, src2:f32:v", kInterp, kBeforeGfx90a}},
    {{"v_interp_p2_legacy_f16", VOP3, {0x276}, "vdst:f16, vsrc:f32, attr, src2:f32:v", Clamp | ReadsMode | ReadsM0, kBeforeGfx90a}},
    {{"v_interp_p2_f16", VOP3, {0x277}, "vdst:f16, vsrc:f32, attr, src2:f32:v", Clamp | ReadsMode | OpSel, kBeforeGfx90a}},
};

} // namespace bz::isa
