// A workgroup on the host: every lane a fiber, operations between lanes by their documented meaning.
#pragma once
#include "prelude.hpp"

#include <string>

namespace bz::random {

/// Runs one kernel over its whole grid. An empty text, or what is wrong with the program (lanes at different barriers).
std::string emulate(const HostKernel& kernel, const Args& args);

} // namespace bz::random
