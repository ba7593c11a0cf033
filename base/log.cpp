#include "base/log.hpp"

#include <cstdlib>
#include <cstring>
#include <map>
#include <string>

#include <unistd.h>

namespace bz {
namespace {

struct Levels {
  Level fallback = Level::warn;
  std::map<std::string, Level, std::less<>> rooms;

  static Level parse(std::string_view s, Level otherwise) {
    constexpr std::string_view names[] = {"error", "warn", "info", "debug", "trace"};
    for (int i = 0; i < 5; ++i)
      if (s == names[i]) return static_cast<Level>(i);
    return otherwise;
  }

  Levels() {
    const char* env = std::getenv("BZ_LOG");
    std::string_view rest = env ? env : "";
    while (!rest.empty()) {
      auto comma = rest.find(',');
      std::string_view item = rest.substr(0, comma);
      rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
      if (auto eq = item.find('='); eq != item.npos)
        rooms[std::string(item.substr(0, eq))] = parse(item.substr(eq + 1), fallback);
      else fallback = parse(item, fallback);
    }
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

void log_line(const char* room, Level level, std::string_view text) {
  constexpr const char* names[] = {"error", "warning", "info", "debug", "trace"};
  std::string line = fmt::format("boltzmann {}: {}: {}\n", room, names[static_cast<int>(level)], text);
  // One write per line, so that lines of several threads don't mix.
  [[maybe_unused]] auto n = ::write(2, line.data(), line.size());
}

} // namespace bz
