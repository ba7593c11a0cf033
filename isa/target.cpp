#include "isa/target.hpp"

#include <array>

namespace bz::isa {
namespace {
constexpr std::array<std::string_view, kTargetCount> kNames = {"gfx900", "gfx906", "gfx908", "gfx90a", "gfx942", "gfx950"};
}

std::optional<Target> target_from_name(std::string_view name) {
  name = name.substr(0, name.find(':'));
  for (size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<Target>(i);
  return std::nullopt;
}

std::string_view target_name(Target t) { return kNames[static_cast<size_t>(t)]; }

} // namespace bz::isa
