// A kernel run once by hip_side --once in a process of its own, and what the runtime says of it: how much ran natively, how long
// the compiler took. Reads the lines of BZ_JIT_STATS and of BZ_LOG=exec=debug.
#pragma once
#include "bench/child.hpp"

#include <algorithm>
#include <cstring>

namespace bench {

struct Once {
  double native = 0, all = 0;                  ///< wave-instructions, if BZ_JIT_STATS was set
  double milliseconds = 0;                     ///< of compiling, or of reading it from the cache; the kernel's alone
  unsigned instructions = 0, interpreters = 0; ///< of its code; of them those that are the interpreter's
  bool compiled = false;
  bool fine = false; ///< it ended well; else `said` is the last that it said
  std::string said;
};

/// After which a kernel's own lines come.
inline std::string begins(const std::string& kernel) { return "bench: " + kernel + " begins\n"; }

inline Once run_once(const std::string& programs, const std::string& kernel, bool small, const Environment& environment) {
  std::vector<std::string> command{programs + "/hip_side"};
  if (small) command.emplace_back("--small");
  command.insert(command.end(), {"--once", kernel});
  const Ended e = run_to_end(command, environment);
  const size_t at = e.said.find(begins(kernel));
  Once o;
  o.fine = e.fine && at != std::string::npos;
  if (!o.fine) {
    o.said = e.said.substr(0, e.said.find_last_not_of('\n') + 1);
    o.said = o.said.substr(o.said.rfind('\n') + 1);
    return o;
  }
  for (const char* line = e.said.c_str() + at; line && *line; line = std::strchr(line, '\n'), line += line ? 1 : 0) {
    const std::string text(line, std::strcspn(line, "\n"));
    unsigned instructions = 0, interpreters = 0, entries = 0;
    double ms = 0;
    unsigned long long native = 0, all = 0;
    if (const size_t code = text.find("native code for 0x"); code != std::string::npos) {
      const size_t colon = text.find(": ", code);
      if (colon == std::string::npos ||
          std::sscanf(text.c_str() + colon, ": %u instructions, %u of them the interpreter's, %u entries, in %lf ms", &instructions,
                      &interpreters, &entries, &ms) != 4)
        continue;
      o.compiled = true;
      o.instructions += instructions;
      o.interpreters += interpreters;
      o.milliseconds += ms;
    } else if (std::sscanf(text.c_str(), "BZ_JIT_STATS: %llu of %llu wave-instructions", &native, &all) == 2) {
      o.native += static_cast<double>(native);
      o.all += static_cast<double>(all);
    }
  }
  return o;
}

inline double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

} // namespace bench
