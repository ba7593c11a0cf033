// Environment variables as text.
#pragma once
#include <cstdlib>
#include <string>

namespace bz {

/// The value of a variable; empty if it is not set, which nobody here tells from a variable that is set to nothing.
inline std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

} // namespace bz
