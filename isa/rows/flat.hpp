// FLAT, GLOBAL and SCRATCH: loads, stores and atomics with per-lane addresses.
#pragma once
#include "isa/row.hpp"

namespace bz::isa {

template <class B> inline constexpr Row<B> kFlat[] = {
    {{"global_load_dword", GLOBAL, {20}, "vdst, vaddr:2, saddr:2 offset", Load}},
};

} // namespace bz::isa
