// Environment variables as text and as numbers.
#pragma once
#include <cstdlib>
#include <string>

namespace bz {

/// The value of a variable; empty if it is not set, which nobody here tells from a variable that is set to nothing.
inline std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

/// The whole number that a variable holds, `otherwise` if it is not set. What isn't a number from `least` to `most` is
/// named in a warning of `room` and ignored: ask once.
long environment_number(const char* room, const char* name, long otherwise, long least, long most);

} // namespace bz
