// What it costs to make kernels native: compile time an instruction at both levels, the time to take code from the cache on disk,
// and the life of a small program whose kernel is there. Each figure is the median over processes of their own; kernels run once,
// on small data.
#include "cases.hpp"
#include "once.hpp"
#include "options.hpp"

#include <cmath>
#include <filesystem>
#include <regex>

namespace {
using namespace bench;

constexpr double kWantedHit = 1, kWantedHello = 30; // milliseconds, at most

/// A folder for one run's cache.
class Folder {
public:
  Folder() {
    char name[] = "/tmp/bz-bench-cache-XXXXXX";
    if (!mkdtemp(name)) fail("cannot make a folder in /tmp");
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

struct Compiled {
  std::string kernel;
  Once at[2], hit; ///< by level: 0 compiles fast, 1 is level 2; from the cache
};

Once median_once(const std::string& programs, const std::string& kernel, const Environment& environment, int rounds) {
  std::vector<double> times;
  Once o;
  double total = 0;
  for (int i = 0; i < rounds && total < 10e3; ++i) {
    o = run_once(programs, kernel, true, environment);
    if (!o.fine || !o.compiled) {
      std::fprintf(stderr, "bz bench: %s was not compiled: %s\n", kernel.c_str(), o.said.c_str());
      return o;
    }
    times.push_back(o.milliseconds);
    total += o.milliseconds;
  }
  o.milliseconds = median(times);
  return o;
}

double hello(const std::string& programs, const Environment& environment, int rounds) {
  std::vector<double> times;
  for (int i = 0; i < rounds; ++i) {
    const Ended e = run_to_end({programs + "/hello"}, environment);
    if (!e.fine) fail("hello failed: " + e.said);
    if (i > 0) times.push_back(e.seconds * 1e3); // the first one fills the cache
  }
  return median(times);
}

} // namespace

int main(int argc, char** argv) {
  const Options options(argc, argv, {"programs", "json", "rounds", "filter", "simd", "numerics"});
  const std::string programs = options.get("programs", "bench"), simd = options.get("simd"), numerics = options.get("numerics");
  const int rounds = options.number("rounds", 5);
  const std::regex filter(options.get("filter", "."));
  const Folder folder;
  Environment ours{{"BZ_EXEC", "jit"}, {"BZ_LOG", "exec=debug"}};
  if (!simd.empty()) ours.emplace_back("BZ_SIMD", simd);
  if (!numerics.empty()) ours.emplace_back("BZ_NUMERICS", numerics);
  const auto with = [&](const Environment& more) {
    Environment e = ours;
    e.insert(e.end(), more.begin(), more.end());
    return e;
  };

  std::vector<std::string> names;
  for (const Row& row : rows(false)) names.push_back(row.name);
  names.insert(names.end(), {"large_branches", "large_straight"});
  std::vector<Compiled> all;
  for (const std::string& name : names) {
    if (name == "empty" || !std::regex_search(name, filter)) continue;
    Compiled c{name, {}, {}};
    for (int level : {0, 2})
      c.at[level / 2] = median_once(programs, name, with({{"BZ_JIT_LEVEL", std::to_string(level)}, {"BZ_CACHE", "0"}}), rounds);
    const Environment cached = with({{"BZ_CACHE", "1"}, {"BZ_CACHE_DIR", folder.path()}});
    run_once(programs, name, true, cached);
    c.hit = median_once(programs, name, cached, rounds);
    all.push_back(c);
    if (isatty(2)) std::fprintf(stderr, "%s\n", name.c_str());
  }

  bool reached = true;
  std::string json = "{\n  \"compile\": [";
  std::printf("%-16s %13s %13s %20s %20s %22s\n", "kernel", "instructions", "interpreter's", "level 2: ms, each",
              "level 0: ms, each", "from cache (wanted)");
  const char* comma = "";
  double sum[2] = {}, instructions[2] = {};
  for (const Compiled& c : all) {
    const double n = std::max(1u, c.at[1].instructions);
    const bool fine = c.hit.compiled && c.hit.milliseconds < kWantedHit;
    reached = reached && fine && c.at[0].compiled && c.at[1].compiled;
    std::printf("%-16s %13u %13u", c.kernel.c_str(), c.at[1].instructions, c.at[1].interpreters);
    for (int i : {1, 0}) {
      if (c.at[i].compiled)
        std::printf(" %11.1f, %7.3f", c.at[i].milliseconds, c.at[i].milliseconds / n);
      else
        std::printf(" %20s", "FAILED");
      sum[i] += c.at[i].milliseconds;
      instructions[i] += c.at[i].instructions;
    }
    std::printf(" %9.2f ms (< %g)%s\n", c.hit.milliseconds, kWantedHit, fine ? "" : " MISSED");
    char text[320];
    std::snprintf(text, sizeof text,
                  "%s\n    {\"name\": \"%s\", \"instructions\": %u, \"interpreters\": %u, \"level2_ms\": %.3f, \"level0_ms\": "
                  "%.3f, \"hit_ms\": %.4f}",
                  comma, c.kernel.c_str(), c.at[1].instructions, c.at[1].interpreters, c.at[1].milliseconds, c.at[0].milliseconds,
                  c.hit.milliseconds);
    json += text;
    comma = ",";
  }
  if (instructions[0] > 0 && instructions[1] > 0)
    std::printf("%-16s %13.0f %13s %11.1f, %7.3f %11.1f, %7.3f\n", "all", instructions[1], "", sum[1], sum[1] / instructions[1],
                sum[0], sum[0] / instructions[0]);
  json += "\n  ]";
  if (std::regex_search("hello", filter)) {
    const int lives = 4 * rounds + 1;
    Environment quiet = with({{"BZ_CACHE", "1"}, {"BZ_CACHE_DIR", folder.path()}, {"BZ_LOG", ""}});
    const double native = hello(programs, quiet, lives);
    quiet.emplace_back("BZ_EXEC", "interp");
    const double interpreted = hello(programs, quiet, lives);
    std::printf("\nhello, its kernel from the cache: %.1f ms (wanted: < %g ms)%s; interpreted: %.1f ms\n", native, kWantedHello,
                native < kWantedHello ? "" : " MISSED", interpreted);
    reached = reached && native < kWantedHello;
    char text[128];
    std::snprintf(text, sizeof text, ",\n  \"hello_cached_ms\": %.2f,\n  \"hello_interpreted_ms\": %.2f", native, interpreted);
    json += text;
  }
  json += "\n}\n";
  finish(options.get("json"), json, reached);
  return 0;
}
