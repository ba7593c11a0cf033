// The kernels: one call of one builtin each.
#pragma once

#include "table.hpp"

namespace bz::builtins {

/// Why a builtin is compiled but not run; empty: it is run.
std::string not_run(const std::string& name);
/// Whether its result is the same each time (a clock's is not).
bool repeatable(const std::string& name);

std::string source(const std::vector<Builtin>& builtins);

} // namespace bz::builtins
