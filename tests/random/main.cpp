// random_programs: random kernels on the device against the same functions on the host. README.md tells how to use it.
#include "execute.hpp"
#include "generator.hpp"
#include "reduce.hpp"
#include "trial.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace bz::random;

namespace {

constexpr const char* kUsage = R"(usage: random_programs [options]
  --seeds A-B        which programs (default 1-1)
  --kernels N        kernels in each (default 25)
  --targets T,...    default gfx906,gfx90a,gfx942
  --levels L,...     default O0,O1,O2,O3
  --jobs N           programs at a time (default 1)
  --state FILE       programs listed there have passed and are left out; those that pass are added
  --known FILE       kernels that are not run: lines "seed kernel target level reason", * for every target or level
  --only-kernel N    only this kernel of each program
  --file FILE        this text, which --emit or --reduce printed, with the inputs of the first seed
  --flag FLAG        one more flag for the device compiler (may be repeated)
  --blame            tell which known fault of the compiler a failing kernel met, if any: mended_clang.py
  --emit             print the program, run nothing
  --reduce           leave out statements for as long as the difference stays; needs --only-kernel, one target, one level
  --check-undefined  stop at undefined behaviour on the host (signal 4)
The last line is PASSED, or FAILED and a count. Every build of the engine runs, unless BZ_SIMD names one.
)";

struct Known {
  uint64_t seed;
  std::string kernel, target, level;
};

struct Options {
  uint64_t first = 1, last = 1;
  int kernels = 25, jobs = 1;
  std::vector<std::string> targets = {"gfx906", "gfx90a", "gfx942"}, levels = {"O0", "O1", "O2", "O3"};
  std::string state, file;
  std::vector<Known> known;
  std::vector<std::string> flags;
  int only = -1;
  bool blame = false, emit = false, reduce = false, check_undefined = false;
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, ',');) parts.push_back(part);
  return parts;
}

[[noreturn]] void usage(const std::string& wrong) {
  std::fprintf(stderr, "random_programs: %s\n%s", wrong.c_str(), kUsage);
  std::exit(2);
}

uint64_t number(const std::string& text) {
  char* end;
  const uint64_t n = std::strtoull(text.c_str(), &end, 10);
  if (text.empty() || *end) usage("'" + text + "' is no number");
  return n;
}

std::vector<Known> read_known(const std::string& path) {
  std::ifstream in(path);
  if (!in) usage("can't read " + path);
  std::vector<Known> all;
  for (std::string line; std::getline(in, line);) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream fields(line);
    Known k;
    std::string reason;
    if (!(fields >> k.seed >> k.kernel >> k.target >> k.level >> reason)) usage(path + ": not a line of it: " + line);
    all.push_back(k);
  }
  return all;
}

Options parse(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string a = argv[i];
    auto value = [&]() -> std::string { return i + 1 < argc ? argv[++i] : (usage(a + " needs a value"), ""); };
    if (a == "-h" || a == "--help") {
      std::fputs(kUsage, stdout);
      std::exit(0);
    } else if (a == "--seeds") {
      const std::string v = value();
      const size_t dash = v.find('-');
      o.first = number(v.substr(0, dash));
      o.last = dash == std::string::npos ? o.first : number(v.substr(dash + 1));
    } else if (a == "--kernels") o.kernels = static_cast<int>(number(value()));
    else if (a == "--jobs") o.jobs = static_cast<int>(number(value()));
    else if (a == "--targets") o.targets = split(value());
    else if (a == "--levels") o.levels = split(value());
    else if (a == "--state") o.state = value();
    else if (a == "--known") o.known = read_known(value());
    else if (a == "--file") o.file = value();
    else if (a == "--flag") o.flags.push_back(value());
    else if (a == "--only-kernel") o.only = static_cast<int>(number(value()));
    else if (a == "--blame") o.blame = true;
    else if (a == "--emit") o.emit = true;
    else if (a == "--reduce") o.reduce = true;
    else if (a == "--check-undefined") o.check_undefined = true;
    else usage("unknown option " + a);
  }
  if (o.last < o.first || o.kernels < 1 || o.jobs < 1 || o.only >= o.kernels) usage("nothing to do");
  if (o.reduce && (o.only < 0 || o.targets.size() != 1 || o.levels.size() != 1 || o.first != o.last)) usage("--reduce needs one of everything");
  return o;
}

/// The fault of the compiler without which a kernel passes. One that reads what was never written may pass by itself and fail
/// behind other kernels.
std::string blame(const Options& o, uint64_t seed, int kernel, const std::string& target, const std::string& level) {
  for (const int only : {kernel, -1}) {
    Trial trial(generate(seed, o.kernels), only, {});
    trial.add_flags(o.flags);
    trial.compile_with(BZ_RANDOM_SOURCES "/mended_clang.py");
    if (!trial.prepare(false).empty()) return "not told: the host's side";
    auto passes = [&](const char* reason) {
      setenv("MEND", reason, 1);
      for (const std::string& wrong : trial.run(target, level))
        if (wrong.starts_with("compiler") || wrong.find("[k" + std::to_string(kernel) + "]") != std::string::npos) return false;
      return true;
    };
    if (passes("none")) continue;
    for (const char* reason : level == "O0" ? std::vector{"mask-spills"} : std::vector{"lost-value", "scaled-index"})
      if (passes(reason)) return reason;
    return "none that is known";
  }
  return "not told: it passes when compiled step by step";
}

/// A program on every target and level; the number of what failed.
int run_program(const Options& o, uint64_t seed) {
  std::ifstream file(o.file);
  if (!o.file.empty() && !file) usage("can't read " + o.file);
  Trial trial = file ? Trial(seed, {std::istreambuf_iterator<char>(file), {}}) : Trial(generate(seed, o.kernels), o.only, {});
  trial.add_flags(o.flags);
  if (std::string wrong = trial.prepare(o.check_undefined); !wrong.empty()) {
    std::printf("seed %lu: the host's side: %s\n", seed, wrong.c_str());
    return 1;
  }
  int failures = 0;
  for (const std::string& target : o.targets)
    for (const std::string& level : o.levels) {
      std::set<std::string> left_out;
      for (const Known& k : o.known)
        if (k.seed == seed && (k.target == "*" || k.target == target) && (k.level == "*" || k.level == level)) left_out.insert(k.kernel);
      for (const std::string& wrong : trial.run(target, level, left_out)) {
        ++failures;
        std::string kernel, option;
        if (const size_t at = wrong.rfind(" [k"); at != std::string::npos) kernel = wrong.substr(at + 3, wrong.find(']', at) - at - 3);
        if (!kernel.empty()) option = " --only-kernel " + kernel;
        std::printf("seed %lu %s -%s: %s\n  again: random_programs --seeds %lu --kernels %d%s --targets %s --levels %s\n", seed, target.c_str(), level.c_str(),
                    wrong.c_str(), seed, o.kernels, option.c_str(), target.c_str(), level.c_str());
        if (o.blame && !kernel.empty())
          std::printf("  the compiler's fault: %s\n", blame(o, seed, static_cast<int>(number(kernel)), target, level).c_str());
      }
    }
  return failures;
}

} // namespace

int main(int argc, char** argv) {
  const Options o = parse(argc, argv);
  if (o.emit) {
    for (uint64_t seed = o.first; seed <= o.last; ++seed) std::fputs(print(generate(seed, o.kernels), o.only).c_str(), stdout);
    return 0;
  }
  if (o.reduce) return reduce(generate(o.first, o.kernels), o.only, o.targets[0], o.levels[0]);

  std::set<uint64_t> known;
  if (std::ifstream in(o.state); in)
    for (uint64_t seed; in >> seed;) known.insert(seed);
  uint64_t done = 0, failed = 0;
  std::vector<std::pair<pid_t, uint64_t>> running;
  auto finish = [&] {
    int status = 0;
    const pid_t pid = wait(&status);
    for (auto& r : running) {
      if (r.first != pid) continue;
      ++done;
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
        if (!o.state.empty()) std::ofstream(o.state, std::ios::app) << r.second << "\n";
      } else {
        ++failed;
        if (!WIFEXITED(status)) std::printf("seed %lu: the host's side died of signal %d\n", r.second, WTERMSIG(status));
      }
      if (o.last > o.first + 4) std::printf("%lu of %lu programs, %lu failed\n", done + known.size(), o.last - o.first + 1, failed);
      std::fflush(stdout);
      running.erase(running.begin() + (&r - running.data()));
      return;
    }
  };
  for (uint64_t seed = o.first; seed <= o.last; ++seed) {
    if (known.contains(seed)) continue;
    if (running.size() == static_cast<size_t>(o.jobs)) finish();
    const pid_t child = fork();
    if (child == 0) {
      const int failures = run_program(o, seed);
      std::fflush(stdout);
      std::_Exit(failures ? 1 : 0);
    }
    running.push_back({child, seed});
  }
  while (!running.empty()) finish();
  if (failed) std::printf("FAILED %lu of %lu programs\n", failed, done);
  else std::printf("PASSED\n");
  return failed != 0;
}
