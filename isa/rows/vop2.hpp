// VOP2: vector arithmetic with two sources, and its VOP3 forms.
#pragma once
#include "isa/row.hpp"

namespace bz::isa {

template <class B> inline constexpr Row<B> kVop2[] = {
    {{"v_add_f32", VOP2 | VOP3, {1}, "vdst:f32, src0:f32, src1:f32", Clamp | Omod | ReadsMode}},
    {{"v_add_u32", VOP2 | VOP3, {52}, "vdst, src0, src1", Clamp}},
};

} // namespace bz::isa
