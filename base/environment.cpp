#include "base/environment.hpp"

#include "base/log.hpp"

#include <charconv>

namespace bz {

long environment_number(const char* room, const char* name, long otherwise, long least, long most) {
  const std::string text = environment(name);
  if (text.empty()) return otherwise;
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= least && value <= most) return value;
  log(room, Level::warn, "{}=\"{}\" is no number from {} to {} and is ignored; it is taken as {}", name, text, least, most, otherwise);
  return otherwise;
}

} // namespace bz
