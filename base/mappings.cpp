#include "base/mappings.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstring>

namespace bz {

Mappings::Mappings() : file_(std::fopen("/proc/self/maps", "re")) {}
Mappings::~Mappings() {
  if (file_) std::fclose(static_cast<std::FILE*>(file_));
}

bool Mappings::next(Mapping& m) {
  char line[256];
  auto* file = static_cast<std::FILE*>(file_);
  while (file && std::fgets(line, sizeof line, file)) {
    char mode[5] = {};
    uint64_t inode = 0;
    bool parsed = std::sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*x %*s %" SCNu64, &m.begin, &m.end, mode, &inode) == 4;
    // The rest of a line with a long path.
    while (!std::strchr(line, '\n') && std::fgets(line, sizeof line, file)) {}
    if (!parsed) continue;
    m.readable = mode[0] == 'r';
    m.writable = mode[1] == 'w';
    m.executable = mode[2] == 'x';
    m.shared = mode[3] == 's';
    m.file = inode != 0;
    m.inode = inode;
    return true;
  }
  return false;
}

} // namespace bz
