// Which engine level this translation unit is compiled for: number of lanes in a native vector, and the namespace that
// keeps the levels' code apart. Included only by level translation units.
#pragma once
#include <cstdint>
#include <cstring>

#ifdef BZ_LEVEL_NS   // exec/mutants brings its own namespace, and a BZ_AI that doesn't inline
#elif BZ_LEVEL == 512
#define BZ_LEVEL_NS avx512
#define BZ_AI inline __attribute__((always_inline))
#elif BZ_LEVEL == 256
#define BZ_LEVEL_NS avx2
#define BZ_AI inline __attribute__((always_inline))
#else
#error "BZ_LEVEL must be 512 or 256"
#endif
namespace bz::exec::BZ_LEVEL_NS {
inline constexpr int kLanes = BZ_LEVEL / 32;   ///< 32-bit lanes of one chunk
inline constexpr int kChunks = 64 / kLanes;
} // namespace bz::exec::BZ_LEVEL_NS
