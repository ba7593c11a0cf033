// Which build of the engine runs, and how: asked for by EngineConfig or the environment, or the best that there is. A device asks
// when it is opened, so that a wrong word fails there and not at the first kernel.
#pragma once
#include "base/status.hpp"

#include <string_view>

namespace bz::exec {

/// True for AVX-512, false for AVX2. BZ_SIMD overrides `asked`; empty is the best. Fails with invalid_argument, naming the
/// levels, for a word that is none, and for a level that this CPU lacks.
Expected<bool> choose_avx512(std::string_view asked);
/// Whether an engine can be had as BZ_SIMD, BZ_EXEC and their like ask for it; else what is wrong with them.
Status check_engine_environment();

} // namespace bz::exec
