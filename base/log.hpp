// Logging to stderr by room and level. BZ_LOG=warn (default) | error | info | debug | trace, or per room:
// BZ_LOG=info,gpu=trace. A disabled line costs one load and one compare. Knows nothing of GPUs.
#pragma once
#include <fmt/format.h>

#include <string>
#include <string_view>

namespace bz {

enum class Level { error, warn, info, debug, trace };

/// True if lines of this room and level are wanted; the environment is read once.
bool log_enabled(const char* room, Level level);
/// What BZ_LOG-like text asks for that doesn't exist, with what does; empty if all is understood. What isn't understood is
/// ignored. The library that opens the device says it, so that a process says it once.
std::string log_complaint(std::string_view setting);
void log_line(const char* room, Level level, std::string_view text);

template <class... Args>
void log(const char* room, Level level, fmt::format_string<Args...> format, Args&&... args) {
  if (log_enabled(room, level)) log_line(room, level, fmt::format(format, std::forward<Args>(args)...));
}

} // namespace bz
