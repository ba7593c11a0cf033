// Processes that the benchmarks start: a side of the comparison that answers requests, and a program that is run to its end while
// what it says on stderr is kept. Knows nothing of kernels.
#pragma once
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {

/// Set in the child; an empty value removes the name.
using Environment = std::vector<std::pair<std::string, std::string>>;

inline void become(const std::vector<std::string>& command, const Environment& environment) {
  for (auto& [name, value] : environment) {
    if (value.empty())
      unsetenv(name.c_str());
    else
      setenv(name.c_str(), value.c_str(), 1);
  }
  std::vector<char*> arguments;
  for (auto& part : command) arguments.push_back(const_cast<char*>(part.c_str()));
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  std::perror(arguments[0]);
  _exit(127);
}

[[noreturn]] inline void fail(const std::string& what) {
  std::fprintf(stderr, "bz bench: %s\n", what.c_str());
  std::exit(1);
}

/// The end of a benchmark: figures to a file, if one is named, and whether all that was wanted was reached.
inline void finish(const std::string& path, const std::string& json, bool reached) {
  if (!path.empty()) {
    std::ofstream file(path);
    file << json;
    file.close();
    if (!file) fail("cannot write " + path);
  }
  if (!reached) std::puts("a wanted figure was missed");
}

/// A child process that answers one line for each line (side.hpp).
class Side {
public:
  Side(std::string name, const std::vector<std::string>& command, const Environment& environment) : name_(std::move(name)) {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC)) fail("cannot make a pipe");
    child_ = fork();
    if (child_ < 0) fail("cannot fork");
    if (child_ == 0) {
      dup2(to[0], 0);
      dup2(from[1], 1);
      become(command, environment);
    }
    close(to[0]);
    close(from[1]);
    in_ = fdopen(to[1], "w");
    out_ = fdopen(from[0], "r");
  }
  ~Side() {
    std::fclose(in_); // the end of its input ends it
    std::fclose(out_);
    waitpid(child_, nullptr, 0);
  }
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  pid_t process() const { return child_; }
  std::string ask(const std::string& request) {
    char line[512];
    if (std::fprintf(in_, "%s\n", request.c_str()) < 0 || std::fflush(in_) || !std::fgets(line, sizeof line, out_))
      fail("the " + name_ + " side ended at the request: " + request);
    std::string answer = line;
    while (!answer.empty() && (answer.back() == '\n' || answer.back() == ' ')) answer.pop_back();
    return answer;
  }
  /// Seconds of a run.
  double run(const std::string& kernel) {
    const std::string answer = ask("run " + kernel);
    char* end = nullptr;
    const double seconds = std::strtod(answer.c_str(), &end);
    if (end == answer.c_str() || seconds <= 0) fail("the " + name_ + " side answered: " + answer);
    return seconds;
  }

private:
  std::string name_;
  pid_t child_ = -1;
  std::FILE *in_ = nullptr, *out_ = nullptr;
};

struct Ended {
  bool fine = false;  ///< it ended with 0
  double seconds = 0; ///< from before its start until it was gone
  std::string said;   ///< on stderr
};
inline Ended run_to_end(const std::vector<std::string>& command, const Environment& environment) {
  Ended e;
  int from[2];
  if (pipe2(from, O_CLOEXEC)) fail("cannot make a pipe");
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child < 0) fail("cannot fork");
  if (child == 0) {
    dup2(from[1], 2);
    if (const int null = open("/dev/null", O_RDWR); null >= 0) dup2(null, 0), dup2(null, 1);
    become(command, environment);
  }
  close(from[1]);
  char text[4096];
  for (ssize_t n; (n = read(from[0], text, sizeof text)) > 0;) e.said.append(text, static_cast<size_t>(n));
  close(from[0]);
  int status = 0;
  e.fine = waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  e.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return e;
}

} // namespace bench
