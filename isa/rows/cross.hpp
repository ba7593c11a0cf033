// Vector operations that see other lanes: lane reads and writes, permutes and swizzles. Called once per wave.
#pragma once
#include "isa/row.hpp"

namespace bz::isa {

template <class B> inline constexpr Row<B> kCross[] = {
    {{"v_readfirstlane_b32", VOP1, {2}, "sdst, src0:v", NoSuffix | NoSdwa | NoDpp | WholeWave},
     [](auto& b) { b.sdst(b.read_lane(0, b.first_active())); }},
    {{"v_readlane_b32", VOP3, {0x289}, "sdst, src0:v, src1:s", WholeWave | IgnoresExec},
     [](auto& b) { b.sdst(b.read_lane(0, b.s32(1))); }},
    {{"v_writelane_b32", VOP3, {0x28a}, "vdst:rw, src0:s, src1:s", WholeWave | IgnoresExec},
     [](auto& b) { b.write_lane(b.s32(1), b.s32(0)); }},
    {{"v_permlane16_swap_b32", VOP1 | VOP3, {89}, "vdst:rw, src0:v:rw", NoSdwa | NoDpp | WholeWave | SwapMods, kGfx950}},
    {{"v_permlane32_swap_b32", VOP1 | VOP3, {90}, "vdst:rw, src0:v:rw", NoSdwa | NoDpp | WholeWave | SwapMods, kGfx950}},
    {{"ds_swizzle_b32", DS, {61}, "vdst, addr offset", WholeWave}, [](auto& b) { b.ds_swizzle(); }},
    {{"ds_permute_b32", DS, {62}, "vdst, addr, data0 offset", WholeWave | NoGds}, [](auto& b) { b.ds_permute(); }},
    {{"ds_bpermute_b32", DS, {63}, "vdst, addr, data0 offset", WholeWave | NoGds}, [](auto& b) { b.ds_bpermute(); }},
};

} // namespace bz::isa
