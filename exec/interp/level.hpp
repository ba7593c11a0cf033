// Which engine level this translation unit is compiled for: number of lanes in a native vector, and the namespace that
// keeps the levels' code apart. Included only by level translation units.
#pragma once
#include <cstdint>
#include <cstring>

#if BZ_LEVEL == 512
#define BZ_LEVEL_NS avx512
#elif BZ_LEVEL == 256
#define BZ_LEVEL_NS avx2
#else
#error "BZ_LEVEL must be 512 or 256"
#endif

#define BZ_AI inline __attribute__((always_inline))

namespace bz::exec::BZ_LEVEL_NS {
inline constexpr int kLanes = BZ_LEVEL / 32;   ///< 32-bit lanes of one chunk
inline constexpr int kChunks = 64 / kLanes;
} // namespace bz::exec::BZ_LEVEL_NS
