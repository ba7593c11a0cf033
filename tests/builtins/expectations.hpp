// What the documents say that a builtin gives: by formula, from the values that a call got.
#pragma once

#include "table.hpp"

namespace bz::builtins {

enum class Verdict { none, right, wrong };
/// none: no formula here. `what` tells the first difference.
Verdict judge(const Values& values, std::string& what);

} // namespace bz::builtins
