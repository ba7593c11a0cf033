// Measures the same kernels on Boltzmann and on PoCL: each runtime in a process of its own, laps in random order in one
// run (Google Benchmark's interleaving), so that both see the same machine. Prints a table and writes JSON.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

// A child process that answers one line for each line (see side.hpp).
class Side {
public:
  Side(std::string name, std::vector<std::string> command) : name_(std::move(name)) {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC)) fail("cannot make a pipe");
    child_ = fork();
    if (child_ < 0) fail("cannot fork");
    if (child_ == 0) {
      dup2(to[0], 0);
      dup2(from[1], 1);
      std::vector<char*> arguments;
      for (auto& part : command) arguments.push_back(part.data());
      arguments.push_back(nullptr);
      execv(arguments[0], arguments.data());
      std::perror(arguments[0]);
      _exit(127);
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

  struct Lap {
    double seconds, checksum;
  };
  Lap run(const std::string& kernel) {
    char line[256];
    Lap lap{};
    if (std::fprintf(in_, "%s\n", kernel.c_str()) < 0 || std::fflush(in_) || !std::fgets(line, sizeof line, out_) ||
        std::sscanf(line, "%lf %lf", &lap.seconds, &lap.checksum) != 2)
      fail("it ended while running " + kernel);
    return lap;
  }

private:
  [[noreturn]] void fail(const std::string& what) const {
    std::fprintf(stderr, "bz bench: the %s side failed: %s\n", name_.c_str(), what.c_str());
    std::exit(1);
  }
  std::string name_;
  pid_t child_ = -1;
  std::FILE *in_ = nullptr, *out_ = nullptr;
};

struct Kernel {
  const char* name;
  const char* what;
  double wanted; // Boltzmann must be this many times as fast as PoCL; 0: only shown
  double work;   // per launch, for the rate
  const char* unit;
};
constexpr Kernel kKernels[] = {
    {"mandelbrot", "1024 x 1024, 256 iterations", 1.5, 0, ""},
    {"nbody", "4096 bodies", 2.5, 4096.0 * 4096.0 * 1e-9, "G pairs/s"},
    {"sgemm", "512 x 512 x 512 in LDS tiles", 2.5, 2.0 * 512 * 512 * 512 * 1e-9, "GFlop/s"},
    {"saxpy", "16 M floats", 0, 12.0 * (1 << 24) * 1e-9, "GB/s"},
    {"empty", "launch and wait", 0, 0, ""},
};

// Seconds of every lap by "kernel/side".
std::map<std::string, std::vector<double>> laps;

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Google Benchmark's own table would show each repetition; only progress is of interest here.
class Quiet : public benchmark::BenchmarkReporter {
public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs)
      if (run.error_occurred) {
        std::fprintf(stderr, "bz bench: %s: %s\n", run.benchmark_name().c_str(), run.error_message.c_str());
        failed = true;
      }
  }
  bool failed = false;
};

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

std::string cpu_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);)
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  return "unknown";
}

// Takes --name=value out of the arguments.
std::string option(int& argc, char** argv, const char* name, const char* otherwise) {
  const std::string prefix = std::string("--") + name + "=";
  for (int i = 1; i < argc; ++i)
    if (std::strncmp(argv[i], prefix.c_str(), prefix.size()) == 0) {
      std::string value = argv[i] + prefix.size();
      std::copy(argv + i + 1, argv + argc + 1, argv + i);
      --argc;
      return value;
    }
  return otherwise;
}

} // namespace

int main(int argc, char** argv) {
  const std::string programs = option(argc, argv, "programs", "bench"), json_path = option(argc, argv, "json", "");
  std::vector<char*> arguments(argv, argv + argc);
  char interleave[] = "--benchmark_enable_random_interleaving=true", min_time[] = "--benchmark_min_time=0.2";
  arguments.insert(arguments.begin() + 1, {interleave, min_time});
  arguments.push_back(nullptr);
  int count = static_cast<int>(arguments.size()) - 1;
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;

  std::map<std::string, std::unique_ptr<Side>> sides;
  sides["boltzmann"] = std::make_unique<Side>("Boltzmann", std::vector<std::string>{programs + "/hip_side"});
  sides["pocl"] = std::make_unique<Side>("PoCL", std::vector<std::string>{programs + "/ocl_side", programs + "/kernels.inc"});
  std::map<std::string, double> checksums;
  for (const Kernel& kernel : kKernels)
    for (auto& [side_name, side] : sides) {
      const std::string name = std::string(kernel.name) + "/" + side_name;
      benchmark::RegisterBenchmark(name.c_str(), [name, kernel, &checksums, s = side.get()](benchmark::State& state) {
        for (auto _ : state) {
          const Side::Lap lap = s->run(kernel.name);
          state.SetIterationTime(lap.seconds);
          laps[name].push_back(lap.seconds);
          checksums[name] = lap.checksum;
        }
      })->UseManualTime();
    }
  Quiet reporter;
  const size_t matched = benchmark::RunSpecifiedBenchmarks(&reporter);
  if (reporter.failed) return 1;
  sides.clear();

  bool right = true, reached = true;
  std::string json = "{\n  \"cpu\": \"" + cpu_name() + "\",\n  \"cpus\": " + std::to_string(std::thread::hardware_concurrency()) +
                     ",\n  \"kernels\": [";
  std::printf("\n%-11s %-29s %13s %13s %9s %8s\n", "kernel", "size", "Boltzmann", "PoCL", "ratio", "wanted");
  const char* comma = "";
  for (const Kernel& kernel : kKernels) {
    const std::string ours = std::string(kernel.name) + "/boltzmann", theirs = std::string(kernel.name) + "/pocl";
    if (laps[ours].empty() || laps[theirs].empty()) continue;
    // The median over all laps; the first ones warm caches and clocks up on both sides.
    const double mine = median(laps[ours]), other = median(laps[theirs]), ratio = other / mine;
    std::printf("%-11s %-29s %10.3f ms %10.3f ms %8.2fx ", kernel.name, kernel.what, mine * 1e3, other * 1e3, ratio);
    if (kernel.wanted > 0) std::printf("%6.1fx%s", kernel.wanted, ratio >= kernel.wanted ? "" : "  MISSED");
    if (kernel.work > 0) std::printf("   %.2f %s to %.2f", kernel.work / mine, kernel.unit, kernel.work / other);
    std::puts("");
    if (kernel.wanted > 0 && ratio < kernel.wanted) reached = false;
    const double a = checksums[ours], b = checksums[theirs];
    if (std::fabs(a - b) > 1e-3 * std::max(1.0, std::fabs(b))) {
      std::printf("  the results differ: checksum %.10g here, %.10g there\n", a, b);
      right = false;
    }
    char text[512];
    std::snprintf(text, sizeof text,
                  "%s\n    {\"name\": \"%s\", \"boltzmann_ms\": %.6f, \"pocl_ms\": %.6f, \"ratio\": %.3f, \"wanted\": %.1f, "
                  "\"laps\": [%zu, %zu]}",
                  comma, kernel.name, mine * 1e3, other * 1e3, ratio, kernel.wanted, laps[ours].size(), laps[theirs].size());
    json += text;
    comma = ",";
  }
  json += "\n  ]";

  if (matched == std::size(kKernels) * 2) {
    std::vector<double> times;
    for (int i = 0; i < 3; ++i)
      for (double t : first_instruction_times(programs + "/first_instruction")) times.push_back(t);
    if (times.empty()) {
      std::fprintf(stderr, "bz bench: first_instruction failed\n");
      return 1;
    }
    const double middle = median(times), worst = *std::max_element(times.begin(), times.end());
    const int instructions = instructions_per_kernel(programs + "/first_instruction.s");
    std::printf("\nfrom the launch call to the first instruction of a never-seen kernel of %d instructions: median %.0f us, "
                "worst of %zu %.0f us (wanted: 1000 us)%s\n",
                instructions, middle, times.size(), worst, middle <= 1000 ? "" : "  MISSED");
    reached = reached && middle <= 1000;
    char text[256];
    std::snprintf(text, sizeof text,
                  ",\n  \"first_instruction\": {\"instructions\": %d, \"median_us\": %.1f, \"worst_us\": %.1f, \"launches\": %zu}",
                  instructions, middle, worst, times.size());
    json += text;
  }
  json += "\n}\n";
  if (!json_path.empty()) {
    std::ofstream file(json_path);
    file << json;
    file.close();
    if (!file) {
      std::fprintf(stderr, "bz bench: cannot write %s\n", json_path.c_str());
      return 1;
    }
  }
  if (!reached) std::puts("a wanted figure was missed");
  return right ? 0 : 1;
}
