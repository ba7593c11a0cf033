#include "base/readable.hpp"

#include <cinttypes>
#include <cstdio>

namespace bz {

uint64_t readable_bytes(const void* p) {
  std::FILE* maps = std::fopen("/proc/self/maps", "re");
  if (!maps) return UINT64_MAX;
  const auto start = reinterpret_cast<uint64_t>(p);
  uint64_t end = start;
  char line[512];
  bool at_line_start = true;  // a long path may fill several reads
  while (std::fgets(line, sizeof line, maps)) {
    uint64_t from, to;
    char mode[5];
    if (at_line_start && std::sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &from, &to, mode) == 3 && to > end) {
      if (from > end || mode[0] != 'r') break;
      end = to;
    }
    at_line_start = false;
    for (char c : line) {
      if (c == '\n') at_line_start = true;
      if (c == '\n' || c == '\0') break;
    }
  }
  std::fclose(maps);
  return end - start;
}

} // namespace bz
