// Makes a program that shows a difference small.
#pragma once

#include "generator.hpp"

namespace bz::random {

/// Leaves out statements of one kernel for as long as it still fails in the same way; prints what is left. An exit code.
int reduce(const Program& program, int kernel, const std::string& target, const std::string& level);

} // namespace bz::random
