#include "base/log.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>

#include <unistd.h>

namespace bz {
namespace {

constexpr std::string_view kLevels[] = {"error", "warn", "info", "debug", "trace"};
constexpr std::string_view kRooms[] = {"exec", "gpu", "hip", "kfd", "rocr", "thunk"}; ///< who logs

std::optional<Level> parse_level(std::string_view s) {
  auto* at = std::find(std::begin(kLevels), std::end(kLevels), s);
  if (at == std::end(kLevels)) return {};
  return static_cast<Level>(at - kLevels);
}

/// Calls item(room, level) for each part of "info,gpu=trace"; the room of a level for all is empty.
template <class F> void each_item(std::string_view rest, F item) {
  while (!rest.empty()) {
    auto comma = rest.find(',');
    std::string_view part = rest.substr(0, comma);
    rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
    auto eq = part.find('=');
    if (eq == part.npos) item(std::string_view(), part);
    else item(part.substr(0, eq), part.substr(eq + 1));
  }
}

struct Levels {
  Level fallback = Level::warn;
  std::map<std::string, Level, std::less<>> rooms;

  Levels() {
    const char* env = std::getenv("BZ_LOG");
    each_item(env ? env : "", [&](std::string_view room, std::string_view name) {
      auto level = parse_level(name);
      if (!level) return;
      if (room.empty()) fallback = *level;
      else rooms[std::string(room)] = *level;
    });
  }
};

const Levels& levels() {
  static const Levels* l = new Levels; // never destroyed: logging works in static destructors
  return *l;
}

} // namespace

bool log_enabled(const char* room, Level level) {
  const Levels& l = levels();
  if (l.rooms.empty()) return level <= l.fallback;
  auto it = l.rooms.find(std::string_view(room));
  return level <= (it == l.rooms.end() ? l.fallback : it->second);
}

std::string log_complaint(std::string_view setting) {
  std::string bad;
  each_item(setting, [&](std::string_view room, std::string_view name) {
    bool known = parse_level(name) && (room.empty() || std::find(std::begin(kRooms), std::end(kRooms), room) != std::end(kRooms));
    if (!known) bad += fmt::format("{}\"{}{}{}\"", bad.empty() ? "" : ", ", room, room.empty() ? "" : "=", name);
  });
  if (bad.empty()) return {};
  return fmt::format("BZ_LOG: {} is not understood and ignored; levels are {}, for all or per room as in \"info,gpu=trace\"; rooms are {}",
                     bad, fmt::join(kLevels, ", "), fmt::join(kRooms, ", "));
}

void log_line(const char* room, Level level, std::string_view text) {
  constexpr const char* names[] = {"error", "warning", "info", "debug", "trace"};
  std::string line = fmt::format("boltzmann {}: {}: {}\n", room, names[static_cast<int>(level)], text);
  // One write per line, so that lines of several threads don't mix.
  [[maybe_unused]] auto n = ::write(2, line.data(), line.size());
}

} // namespace bz
