// What scalar and vector semantics share. Owns no row; must not know any engine.
#pragma once
#include "isa/row.hpp"

#include <cstdint>

namespace bz::isa {

/// The type of the first operand in operand text.
consteval Type first_type(const char* text) { return Operands(text).spec[0].type; }

/// `n`, or -1 if x is 0: what the find-bit rows give when there is none.
auto or_minus_one(auto& b, auto x, auto n) { return b.select(x == 0u, decltype(n)(0xffffffffu), n); }

} // namespace bz::isa
