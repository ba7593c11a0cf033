// Measures the same kernels on Boltzmann, in the best native form, and on PoCL: each in a process of its own, in turns in one run,
// so that all see the same machine. First every result is compared, value by value. Prints a table of rates and ratios, writes
// JSON.
#include "cases.hpp"
#include "once.hpp"
#include "options.hpp"
#include "others.hpp"

#include <chrono>
#include <cmath>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <regex>
#include <thread>

#include <sys/mman.h>

namespace {
using namespace bench;

enum Who { kOurs, kNative, kPocl, kSides };
constexpr const char* kNames[] = {"Boltzmann", "native", "PoCL"};

struct Measured {
  Row row;
  std::vector<double> seconds[kSides]; ///< by round
  std::string note, pocl_note;         ///< which native variant, which options of PoCL's compiler
  double sum = 0;                      ///< of the result
  Once stats, compile;
  double rate(Who who) const { return work() / median(seconds[who]); }
  double work() const { return row.work > 0 || row.unit.empty() ? row.work : sum * 1e-9; }
  /// How many times as fast we are: the median over the rounds.
  double ratio(Who other) const {
    std::vector<double> ratios;
    for (size_t i = 0; i < seconds[other].size(); ++i) ratios.push_back(seconds[other][i] / seconds[kOurs][i]);
    return median(ratios);
  }
  bool has(Who who) const { return !seconds[who].empty(); }
};

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}
bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd");
}

// ---- Results

/// A side's result goes through memory that only has a name while the driver lives.
class Results {
public:
  Results() : file_(memfd_create("bz-bench-result", MFD_CLOEXEC)) {
    if (file_ < 0) fail("cannot make a file in memory");
    path_ = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(file_);
  }
  ~Results() { close(file_); }
  Results(const Results&) = delete;
  Results& operator=(const Results&) = delete;
  std::vector<float> of(Side& side, const std::string& kernel, std::string& note) {
    const std::string answer = side.ask("check " + kernel + " " + path_);
    if (answer.rfind("ok", 0) != 0) fail("no result of " + kernel + ": " + answer);
    note = answer.size() > 3 ? answer.substr(3) : "";
    std::vector<float> values(static_cast<size_t>(lseek(file_, 0, SEEK_END)) / sizeof(float));
    lseek(file_, 0, SEEK_SET);
    auto* to = reinterpret_cast<char*>(values.data());
    for (size_t left = values.size() * sizeof(float); left > 0;) {
      const ssize_t n = read(file_, to, left);
      if (n <= 0) fail("cannot read a result");
      to += n;
      left -= static_cast<size_t>(n);
    }
    return values;
  }

private:
  int file_;
  std::string path_;
};

bool same(const Row& row, const char* who, const std::vector<float>& got, const std::vector<float>& want) {
  if (got.size() != want.size()) {
    std::printf("%s: %s has %zu values, native %zu\n", row.name.c_str(), who, got.size(), want.size());
    return false;
  }
  double squares = 0;
  for (float w : want) squares += static_cast<double>(w) * w;
  const double rms = want.empty() ? 0 : std::sqrt(squares / static_cast<double>(want.size()));
  if (!want.empty() && !(rms > 0)) {
    std::printf("%s: the native result is empty\n", row.name.c_str());
    return false;
  }
  size_t wrong = 0, first = 0;
  for (size_t i = 0; i < got.size(); ++i) {
    const double error = std::fabs(static_cast<double>(got[i]) - want[i]);
    if (error <= row.tolerance * std::max<double>(std::fabs(want[i]), rms)) continue; // NaN is wrong
    if (wrong++ == 0) first = i;
  }
  if (static_cast<double>(wrong) <= row.may_differ * static_cast<double>(got.size())) return true;
  std::printf("%s: %zu of %zu values of %s are wrong; value %zu is %.9g, native %.9g\n", row.name.c_str(), wrong, got.size(), who,
              first, static_cast<double>(got[first]), static_cast<double>(want[first]));
  return false;
}

// ---- Output

std::string shown(const Measured& m, Who who) {
  char text[64];
  if (!m.has(who)) return "";
  if (m.row.unit.empty())
    std::snprintf(text, sizeof text, "%.3g us", median(m.seconds[who]) * 1e6);
  else
    std::snprintf(text, sizeof text, "%.*f %s", m.rate(who) < 10 ? 3 : 1, m.rate(who), m.row.unit.c_str());
  return text;
}
/// "0.42 (0.60) MISSED": ratio, what is wanted, whether it was missed.
std::string judged(double ratio, double wanted, bool& reached, const char* format) {
  char text[64];
  int n = std::snprintf(text, sizeof text, format, ratio);
  if (wanted > 0) {
    n += std::snprintf(text + n, sizeof text - static_cast<size_t>(n), " (%g)", wanted);
    if (ratio < wanted) {
      std::snprintf(text + n, sizeof text - static_cast<size_t>(n), " MISSED");
      reached = false;
    }
  }
  return text;
}
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}
std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::vector<double> first_instruction_times(const std::string& program) {
  std::vector<double> times;
  std::FILE* pipe = popen(("'" + program + "'").c_str(), "r");
  if (!pipe) return times;
  for (double t; std::fscanf(pipe, "%lf", &t) == 1;) times.push_back(t);
  if (pclose(pipe) != 0) times.clear();
  return times;
}

// Instructions of one of the sixteen kernels, counted in the compiler's assembly.
int instructions_per_kernel(const std::string& assembly) {
  std::ifstream file(assembly);
  int count = 0, best = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.size() > 2 && line[0] == '\t' && line[1] != '.' && line[1] != ';') best = std::max(best, ++count);
    if (!line.empty() && line[0] == '_') count = 0;
  }
  return best;
}

/// From a launch call to the first instruction; false if it was too long.
bool first_instruction(const std::string& programs, const Environment& ours, std::string& json) {
  for (auto& [name, value] : ours) setenv(name.c_str(), value.c_str(), 1);
  std::vector<double> times;
  for (int i = 0; i < 3; ++i)
    for (double t : first_instruction_times(programs + "/first_instruction")) times.push_back(t);
  if (times.empty()) fail("first_instruction failed");
  const double middle = median(times), worst = *std::max_element(times.begin(), times.end());
  const int instructions = instructions_per_kernel(programs + "/first_instruction.s");
  std::printf("\nfrom the launch call to the first instruction of a never-seen kernel of %d instructions: median %.0f us, worst of "
              "%zu %.0f us "
              "(wanted: 1000 us)%s\n",
              instructions, middle, times.size(), worst, middle <= 1000 ? "" : "  MISSED");
  json += ",\n  \"first_instruction\": {\"instructions\": " + std::to_string(instructions) + ", \"median_us\": " + number(middle) +
          ", \"worst_us\": " + number(worst) + ", \"launches\": " + std::to_string(times.size()) + "}";
  return middle <= 1000;
}

// ---- Measuring

bool runs(const Measured& m, int who) { return who != kPocl || m.row.pocl; }

/// Rounds in random order, the sides of a kernel next to each other. A kernel's turn that others disturbed is repeated, as long as
/// there is patience. Returns what share others had of the processors in the turns that count.
double measure(std::vector<Measured>& all, std::unique_ptr<Side> (&sides)[kSides], int rounds, Others& others) {
  constexpr double kQuiet = 0.05;
  int patience = 3 * rounds * static_cast<int>(all.size());
  double sum = 0;
  std::mt19937 random(1);
  for (int round = 0; round < rounds; ++round) {
    std::vector<Measured*> order;
    for (Measured& m : all) order.push_back(&m);
    std::shuffle(order.begin(), order.end(), random);
    for (Measured* m : order) {
      Who turn[] = {kOurs, kNative, kPocl};
      std::shuffle(std::begin(turn), std::end(turn), random);
      double seconds[kSides] = {}, share;
      do {
        others.share();
        for (Who who : turn)
          if (runs(*m, who)) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10)); // whoever was before still spins for a while
            seconds[who] = sides[who]->run(m->row.name);
          }
        share = others.share();
      } while (share > kQuiet && patience-- > 0);
      sum += share;
      for (Who who : turn)
        if (runs(*m, who)) m->seconds[who].push_back(seconds[who]);
    }
    if (isatty(2)) std::fprintf(stderr, "\rround %d of %d%s", round + 1, rounds, round + 1 < rounds ? "" : "\n");
  }
  return sum / (rounds * static_cast<double>(all.size()));
}

} // namespace

int main(int argc, char** argv) {
  const Options options(argc, argv, {"programs", "json", "rounds", "filter", "exec", "simd", "numerics", "small", "check"});
  const std::string programs = options.get("programs", "bench"), exec = options.get("exec"), simd = options.get("simd"),
                    numerics = options.get("numerics");
  const bool small = options.has("small"), avx2 = simd == "avx2" || !has_avx512();
  if (small) side::sizes() = side::kSmall;
  Environment ours;
  if (!exec.empty()) ours.emplace_back("BZ_EXEC", exec);
  if (!simd.empty()) ours.emplace_back("BZ_SIMD", simd);
  if (!numerics.empty()) ours.emplace_back("BZ_NUMERICS", numerics);

  std::vector<Measured> all;
  const std::regex filter(options.get("filter", "."));
  bool pocl = false;
  const std::vector<Row> table = rows(numerics == "fast");
  for (const Row& row : table)
    if (std::regex_search(row.name, filter)) {
      all.push_back({row, {}, "", "", 0, {}, {}});
      pocl = pocl || row.pocl;
    }
  if (all.empty()) fail("no kernel's name matches " + options.get("filter"));

  // OpenBLAS 0.3.21 knows few CPUs; what it doesn't know gets kernels of half the width.
  const Environment tuned{{"OPENBLAS_CORETYPE", simd == "avx2" ? "Haswell"
                                                : avx2         ? ""
                                                               : "SkylakeX"},
                          {"OPENBLAS_NUM_THREADS", ""},
                          {"OMP_NUM_THREADS", ""},
                          {"ONEDNN_MAX_CPU_ISA", simd == "avx2" ? "AVX2" : ""}};
  const auto command = [&](std::vector<std::string> parts) {
    if (small) parts.emplace_back("--small");
    return parts;
  };
  std::unique_ptr<Side> sides[kSides];
  sides[kOurs] = std::make_unique<Side>(kNames[kOurs], command({programs + "/hip_side"}), ours);
  auto native = command({programs + "/native_side"});
  if (simd == "avx2") native.emplace_back("--avx2");
  sides[kNative] = std::make_unique<Side>(kNames[kNative], native, tuned);
  if (pocl)
    sides[kPocl] =
        std::make_unique<Side>(kNames[kPocl], command({programs + "/ocl_side", programs + "/shared.inc"}), Environment{});

  bool right = true;
  {
    Results results;
    for (Measured& m : all) {
      std::string note;
      const auto want = results.of(*sides[kNative], m.row.name, m.note);
      for (float w : want) m.sum += static_cast<double>(w);
      for (Who who : {kOurs, kPocl})
        if (runs(m, who)) {
          right = same(m.row, kNames[who], results.of(*sides[who], m.row.name, note), want) && right;
          if (who == kPocl) m.pocl_note = note;
        }
      if (options.has("check")) std::printf("%s: compared (%s)\n", m.row.name.c_str(), m.note.c_str());
    }
  }
  if (!right || options.has("check")) {
    std::puts(right ? "PASSED" : "the results differ, nothing is measured\nFAILED");
    return right ? 0 : 1;
  }

  if (exec == "auto")
    for (const Measured& m : all) // until what is worth compiling is compiled
      for (const auto begin = std::chrono::steady_clock::now(); std::chrono::steady_clock::now() - begin < std::chrono::seconds(2);)
        sides[kOurs]->run(m.row.name);

  std::vector<pid_t> ours_alone;
  for (auto& s : sides)
    if (s) ours_alone.push_back(s->process());
  Others others(ours_alone);
  const int rounds = options.number("rounds", 9);
  const double disturbed = measure(all, sides, rounds, others);
  for (auto& s : sides) s.reset();

  const bool compiles = exec != "interp";
  if (compiles)
    for (Measured& m : all) {
      Environment stats = ours, log = ours;
      stats.insert(stats.end(), {{"BZ_JIT_STATS", "1"}});
      log.insert(log.end(), {{"BZ_LOG", "exec=debug"}, {"BZ_CACHE", "0"}});
      m.stats = run_once(programs, m.row.name, small, stats);
      m.compile = run_once(programs, m.row.name, small, log);
      for (const Once* o : {&m.stats, &m.compile})
        if (!o->fine) fail("hip_side --once " + m.row.name + " failed: " + o->said);
    }

  bool reached = true;
  std::string json = "{\n  \"cpu\": " + quoted(cpu_name()) +
                     ",\n  \"cpus\": " + std::to_string(std::thread::hardware_concurrency()) + ",\n  \"exec\": " + quoted(exec) +
                     ",\n  \"simd\": " + quoted(simd) + ",\n  \"numerics\": " + quoted(numerics) +
                     ",\n  \"rounds\": " + std::to_string(rounds) + ",\n  \"others\": " + number(disturbed) + ",\n  \"kernels\": [";
  std::printf("\n%-14s %-31s %15s %15s %-19s %15s %-17s %7s %10s %9s\n", "kernel", "size", "Boltzmann", "native", "share (wanted)",
              "PoCL", "times (wanted)", "in JIT", "outcalls", "compile");
  const char* comma = "";
  double logs = 0;
  int shared = 0;
  for (const Measured& m : all) {
    const std::string share = judged(m.ratio(kNative), m.row.wanted_native, reached, "%.3f");
    const std::string times = m.has(kPocl) ? judged(m.ratio(kPocl), m.row.wanted_pocl, reached, "%.2f x") : "";
    std::printf("%-14s %-31s %15s %15s %-19s %15s %-17s", m.row.name.c_str(), m.row.what.c_str(), shown(m, kOurs).c_str(),
                shown(m, kNative).c_str(), share.c_str(), shown(m, kPocl).c_str(), times.c_str());
    const double in_jit = m.stats.all > 0 ? m.stats.native / m.stats.all : 0;
    if (m.stats.all > 0) std::printf(" %6.2f%%", 100 * in_jit);
    if (m.compile.compiled)
      std::printf(" %3u of %-3u %6.1f ms", m.compile.interpreters, m.compile.instructions, m.compile.milliseconds);
    if (exec == "jit" && in_jit < kWantedShare) {
      std::printf(" (%g %%) MISSED", 100 * kWantedShare);
      reached = false;
    }
    std::puts("");
    if (m.has(kPocl)) {
      logs += std::log(m.ratio(kPocl));
      ++shared;
    }
    json += std::string(comma) + "\n    {\"name\": " + quoted(m.row.name) + ", \"unit\": " + quoted(m.row.unit);
    for (Who who : {kOurs, kNative, kPocl})
      if (m.has(who)) json += ", \"" + std::string(kNames[who]) + "_ms\": " + number(median(m.seconds[who]) * 1e3);
    json += ", \"work\": " + number(m.work()) + ", \"of_native\": " + number(m.ratio(kNative)) +
            ", \"wanted_of_native\": " + number(m.row.wanted_native);
    if (m.has(kPocl)) json += ", \"of_pocl\": " + number(m.ratio(kPocl)) + ", \"wanted_of_pocl\": " + number(m.row.wanted_pocl);
    json += ", \"native_variant\": " + quoted(m.note) + ", \"pocl_variant\": " + quoted(m.pocl_note);
    if (m.stats.all > 0) json += ", \"share_in_jit\": " + number(in_jit);
    if (m.compile.compiled)
      json += ", \"instructions\": " + std::to_string(m.compile.instructions) +
              ", \"interpreters\": " + std::to_string(m.compile.interpreters) +
              ", \"compile_ms\": " + number(m.compile.milliseconds);
    json += "}";
    comma = ",";
  }
  json += "\n  ]";
  if (shared > 0) {
    const double mean = std::exp(logs / shared);
    bool fine = true;
    const bool judge = all.size() == table.size();
    std::printf("\ngeometric mean over %d kernels shared with PoCL: %s\n", shared,
                judged(mean, judge ? kWantedMean : 0, fine, "%.2f x").c_str());
    reached = reached && fine;
    json += ",\n  \"mean_of_pocl\": " + number(mean);
  }
  std::puts("variants, native and PoCL's:");
  for (const Measured& m : all)
    std::printf("  %-14s %s%s%s\n", m.row.name.c_str(), m.note.c_str(), m.pocl_note.empty() ? "" : "; ", m.pocl_note.c_str());
  std::printf("others used %.1f %% of the processors meanwhile%s\n", 100 * disturbed,
              disturbed > 0.03 ? ": the figures are doubtful" : "");
  if (all.size() == table.size()) reached = first_instruction(programs, ours, json) && reached;
  json += "\n}\n";
  finish(options.get("json"), json, reached);
  return 0;
}
