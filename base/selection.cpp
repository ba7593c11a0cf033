#include "base/selection.hpp"

#include <algorithm>
#include <charconv>

namespace bz {

Selection select_listed(std::string_view list, std::span<const std::string> names) {
  Selection out;
  while (!list.empty()) {
    const auto comma = list.find(',');
    std::string_view item = list.substr(0, comma);
    list = comma == list.npos ? std::string_view() : list.substr(comma + 1);
    while (item.starts_with(' ')) item.remove_prefix(1);
    while (item.ends_with(' ')) item.remove_suffix(1);
    size_t index = names.size();
    const auto [end, error] = std::from_chars(item.data(), item.data() + item.size(), index);
    if (error != std::errc() || end != item.data() + item.size())
      index = static_cast<size_t>(std::find(names.begin(), names.end(), item) - names.begin());
    if (index >= names.size()) {
      out.rejected = item;
      break;
    }
    if (std::find(out.picked.begin(), out.picked.end(), index) == out.picked.end()) out.picked.push_back(index);
  }
  return out;
}

} // namespace bz
