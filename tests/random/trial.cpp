#include "trial.hpp"

#include "toolchain.hpp"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <signal.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace bz::random {
namespace {

constexpr time_t kLimit = 180; // seconds for all kernels of a program

std::string read_all(const std::string& path) {
  std::ifstream in(path);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    all.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return all;
}

std::vector<std::string> engines() {
  if (const char* one = std::getenv("BZ_SIMD"); one && *one) return {one};
  if (__builtin_cpu_supports("x86-64-v4")) return {"avx512", "avx2"};
  return {"avx2"};
}

} // namespace

Trial::Trial(const Program& program, int only, const std::set<int>& dropped)
    : seed_(program.seed), flags_(program.flags), source_(print(program, only, dropped)) {
  write();
}

Trial::Trial(uint64_t seed, std::string source) : seed_(seed), source_(std::move(source)) { write(); }

void Trial::write() {
  folder_ = (std::filesystem::temp_directory_path() / "random_programs.XXXXXX").string();
  if (!mkdtemp(folder_.data())) throw std::runtime_error("no folder for temporary files");
  std::ofstream(folder_ + "/program.cpp") << source_;
}

Trial::~Trial() { std::filesystem::remove_all(folder_); }

std::string Trial::prepare(bool check_undefined) {
  if (Ended e = compile_host(folder_ + "/program.cpp", folder_ + "/host.so", check_undefined); !e.good()) return "compiler: " + e.output.substr(0, 3000);
  try {
    expected_ = on_host(folder_ + "/host.so", seed_);
  } catch (const std::exception& e) {
    return e.what();
  }
  return "";
}

std::vector<std::string> Trial::run(const std::string& target, const std::string& level, const std::set<std::string>& left_out) {
  const std::string object = folder_ + "/" + target + level + ".co";
  if (Ended e = compile_device(folder_ + "/program.cpp", object, target, level, flags_, clang_); !e.good())
    return {(e.late ? "compiler: no end: " : "compiler: ") + e.output.substr(0, 3000)};
  std::vector<std::string> wrong;
  for (const std::string& simd : engines()) {
    wrong = run_once(object, target, simd, left_out);
    for (std::string& w : wrong) w += " on " + simd;
    if (!wrong.empty()) break;
  }
  std::filesystem::remove(object);
  return wrong;
}

/// In a process of its own.
std::vector<std::string> Trial::run_once(const std::string& object, const std::string& target, const std::string& simd,
                                         const std::set<std::string>& left_out) {
  const std::string said = folder_ + "/said", found = folder_ + "/found";
  std::fflush(nullptr); // else what is printed by abort() in the child is printed twice
  const pid_t child = fork();
  if (child == 0) {
    if (!std::freopen(said.c_str(), "w", stderr)) std::_Exit(3);
    setenv("BZ_GPUS", target.c_str(), 1);
    setenv("BZ_SIMD", simd.c_str(), 1);
    int code = 0;
    try {
      std::ofstream out(found);
      for (const std::string& line : on_device(object, expected_, left_out)) out << line << "\n";
    } catch (const std::exception& e) {
      std::fprintf(stderr, "%s\n", e.what());
      code = 1;
    }
    std::_Exit(code);
  }
  int status = 0;
  bool late = false;
  const time_t end = time(nullptr) + kLimit;
  while (waitpid(child, &status, WNOHANG) == 0) {
    if (time(nullptr) > end && !late) kill(child, SIGKILL), late = true;
    usleep(2000);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return lines(read_all(found));
  // The last kernel that was started is the one.
  std::string kernel, text;
  for (const std::string& line : lines(read_all(said))) {
    if (line.starts_with("running [")) kernel = line.substr(8);
    else if (text.size() < 2000) text += "\n    " + line;
  }
  return {(late ? "no end" : WIFEXITED(status) ? "error" : "died of signal " + std::to_string(WTERMSIG(status))) + text + " " + kernel};
}

} // namespace bz::random
