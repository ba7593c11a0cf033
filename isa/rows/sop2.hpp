// SOP2: scalar arithmetic with two sources.
#pragma once
#include "isa/row.hpp"

namespace bz::isa {

template <class B> inline constexpr Row<B> kSop2[] = {
    {{"s_add_u32", SOP2, {0}, "sdst, ssrc0, ssrc1", WritesScc}},
    {{"s_sub_u32", SOP2, {1}, "sdst, ssrc0, ssrc1", WritesScc}},
};

} // namespace bz::isa
