#include "toolchain.hpp"

#include <csignal>
#include <fcntl.h>
#include <poll.h>
#include <ctime>
#include <sys/wait.h>
#include <unistd.h>

namespace bz::random {

Ended run_command(const std::vector<std::string>& command, unsigned seconds) {
  int pipe_ends[2];
  Ended ended;
  if (pipe2(pipe_ends, O_CLOEXEC) != 0) return ended;
  const pid_t child = fork();
  if (child == 0) {
    dup2(pipe_ends[1], 1);
    dup2(pipe_ends[1], 2);
    std::vector<char*> arguments;
    for (const std::string& a : command) arguments.push_back(const_cast<char*>(a.c_str()));
    arguments.push_back(nullptr);
    execvp(arguments[0], arguments.data());
    _exit(127);
  }
  close(pipe_ends[1]);
  const time_t end = time(nullptr) + seconds;
  for (;;) {
    pollfd wait{pipe_ends[0], POLLIN, 0};
    const time_t left = end - time(nullptr);
    if (left <= 0 || poll(&wait, 1, static_cast<int>(left * 1000)) == 0) {
      ended.late = true;
      kill(child, SIGKILL);
      break;
    }
    char buffer[4096];
    const ssize_t n = read(pipe_ends[0], buffer, sizeof buffer);
    if (n <= 0) break;
    ended.output.append(buffer, static_cast<size_t>(n));
  }
  close(pipe_ends[0]);
  int status = 0;
  waitpid(child, &status, 0);
  ended.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return ended;
}

namespace {
const std::vector<std::string> kBoth = {"-std=c++20", "-ffp-contract=off", "-fno-strict-aliasing", "-w", "-I" BZ_RANDOM_SOURCES};
}

Ended compile_device(const std::string& source, const std::string& out, const std::string& target, const std::string& level,
                     const std::vector<std::string>& flags, const std::string& clang) {
  std::vector<std::string> command = {clang.empty() ? BZ_CLANG : clang, "-x", "hip", "--offload-arch=" + target, "--offload-device-only", "--no-gpu-bundle-output",
                                      "-nogpuinc", "-nogpulib", "-" + level, source, "-o", out};
  command.insert(command.end(), kBoth.begin(), kBoth.end());
  command.insert(command.end(), flags.begin(), flags.end());
  return run_command(command, 300);
}

Ended compile_host(const std::string& source, const std::string& out, bool check_undefined) {
  std::vector<std::string> command = {BZ_CLANG, "-x", "c++", "-O1", "-march=x86-64-v3", "-Xclang", "-ffloat16-excess-precision=none", "-fPIC", "-shared",
                                      source, "-o", out};
  command.insert(command.end(), kBoth.begin(), kBoth.end());
  // What these two find is defined for the numbers of both sides: division by zero, and a half that rounds to infinity.
  if (check_undefined)
    command.insert(command.end(), {"-fsanitize=undefined", "-fno-sanitize=float-divide-by-zero,float-cast-overflow,vptr,function", "-fsanitize-trap=all"});
  return run_command(command, 300);
}

} // namespace bz::random
