// The compiler as a child process, and other children.
#pragma once

#include <string>
#include <vector>

namespace bz::random {

struct Ended {
  int code = -1;       // exit code, or 128 + signal
  std::string output;  // stdout and stderr
  bool late = false;   // killed after the limit
  bool good() const { return code == 0; }
};
Ended run_command(const std::vector<std::string>& command, unsigned seconds);

/// Compiles `source` for a target into a code object (`clang`: another compiler than the build's), or for the host into a
/// shared library.
Ended compile_device(const std::string& source, const std::string& out, const std::string& target, const std::string& level,
                     const std::vector<std::string>& flags, const std::string& clang = "");
Ended compile_host(const std::string& source, const std::string& out, bool check_undefined);

} // namespace bz::random
