// Picks things from a list that a user wrote: numbers or names, separated by commas, as in HIP_VISIBLE_DEVICES.
// Knows nothing of GPUs.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace bz {

struct Selection {
  std::vector<size_t> picked; ///< in the order of the list, each once
  std::string rejected;       ///< the first item that is neither a number in range nor a name; it ends the list
};

/// An item is the number of a thing or its name.
Selection select_listed(std::string_view list, std::span<const std::string> names);

} // namespace bz
