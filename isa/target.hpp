// The GPU targets that the tables know. A target is a column, never a copied file.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace bz::isa {

/// One bit per target in a TargetSet; the order is fixed by history, add at the end.
enum class Target : uint8_t { gfx900, gfx906, gfx908, gfx90a, gfx942, gfx950 };
inline constexpr int kTargetCount = 6;

using TargetSet = uint32_t;
constexpr TargetSet bit(Target t) { return 1u << static_cast<int>(t); }
inline constexpr TargetSet kGfx9 = (1u << kTargetCount) - 1;

/// "gfx942" and the like; also accepts feature suffixes as in "gfx90a:sramecc+:xnack-" (ignored here).
std::optional<Target> target_from_name(std::string_view name);
std::string_view target_name(Target t);

} // namespace bz::isa
