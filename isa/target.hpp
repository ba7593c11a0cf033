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
inline constexpr TargetSet kGfx940 = bit(Target::gfx942) | bit(Target::gfx950);
inline constexpr TargetSet kBeforeGfx940 = kGfx9 & ~kGfx940;
inline constexpr TargetSet kGfx90aUp = bit(Target::gfx90a) | kGfx940;
inline constexpr TargetSet kBeforeGfx90a = kGfx9 & ~kGfx90aUp;
inline constexpr TargetSet kGfx908Up = bit(Target::gfx908) | kGfx90aUp;
inline constexpr TargetSet kGfx906Up = bit(Target::gfx906) | kGfx908Up;
inline constexpr TargetSet kGfx908 = bit(Target::gfx908), kGfx90a = bit(Target::gfx90a), kGfx950 = bit(Target::gfx950);

/// "gfx942" and the like; also accepts feature suffixes as in "gfx90a:sramecc+:xnack-" (ignored here).
std::optional<Target> target_from_name(std::string_view name);
std::string_view target_name(Target t);

} // namespace bz::isa
