// What the runtime itself costs: launches, events, copies beside memcpy, the life of a small program, and whether the
// ten-thousandth stream, event or allocation costs more than the first ones. One thread calls. Laps of all entries are in
// random order (Google Benchmark), the median lap counts, and figures with a wanted value are judged.
#include <benchmark/benchmark.h>
#include <hip/hip_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

void need(hipError_t status, const char* what) {
  if (status == hipSuccess) return;
  std::fprintf(stderr, "bz bench: %s: %s\n", what, hipGetErrorString(status));
  std::exit(1);
}
#define NEED(call) need(call, #call)

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + values.size() / 2, values.end());
  return values[values.size() / 2];
}

enum class Wanted { nothing, at_most, at_least };

struct Figure {
  std::string name, unit;
  Wanted wanted;
  double bound;
  std::function<double()> lap; ///< one value of the figure
  std::vector<double> values;
};
std::deque<Figure> figures;

__global__ void empty() {}

hipStream_t stream() {
  static hipStream_t s = [] {
    hipStream_t made;
    NEED(hipStreamCreate(&made));
    return made;
  }();
  return s;
}

// ---- Launches and events

/// Median of the time from the launch call to the return of the wait, in microseconds.
double launch_and_wait() {
  constexpr int kLaunches = 2000, kWarm = 100;
  std::vector<double> times;
  for (int i = 0; i < kWarm + kLaunches; ++i) {
    const auto begin = Clock::now();
    empty<<<1, 64>>>();
    NEED(hipDeviceSynchronize());
    if (i >= kWarm) times.push_back(seconds_since(begin) * 1e6);
  }
  return median(std::move(times));
}

/// Launches per second in one stream, the wait for the last one included.
double launches() {
  constexpr int kLaunches = 50'000;
  const auto begin = Clock::now();
  for (int i = 0; i < kLaunches; ++i) empty<<<1, 64, 0, stream()>>>();
  NEED(hipStreamSynchronize(stream()));
  return kLaunches / seconds_since(begin);
}

/// Time of a graph of 100 kernels in a row over the time of 100 launches: the calls alone, or until all is done.
double graph_ratio(bool wait) {
  constexpr int kKernels = 100, kRounds = 200;
  static hipGraphExec_t exec = [] {
    hipGraph_t graph;
    hipGraphExec_t made;
    hipStream_t s; // the null stream's order would forbid the capture of another
    NEED(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
    NEED(hipStreamBeginCapture(s, hipStreamCaptureModeRelaxed));
    for (int i = 0; i < kKernels; ++i) empty<<<1, 64, 0, s>>>();
    NEED(hipStreamEndCapture(s, &graph));
    NEED(hipGraphInstantiate(&made, graph, nullptr, nullptr, 0));
    NEED(hipGraphDestroy(graph));
    NEED(hipStreamDestroy(s));
    return made;
  }();
  double graphs = 0, singles = 0;
  auto timed = [&](double& sum, auto submit) {
    const auto begin = Clock::now();
    submit();
    if (!wait) sum += seconds_since(begin);
    NEED(hipStreamSynchronize(stream()));
    if (wait) sum += seconds_since(begin);
  };
  for (int i = 0; i < kRounds; ++i) {
    timed(graphs, [] { NEED(hipGraphLaunch(exec, stream())); });
    timed(singles, [] {
      for (int k = 0; k < kKernels; ++k) empty<<<1, 64, 0, stream()>>>();
    });
  }
  return graphs / singles;
}

/// Microseconds of two records and the time between them, on an idle stream.
double record_and_elapsed() {
  static hipEvent_t a = nullptr, b = nullptr;
  if (!a) {
    NEED(hipEventCreate(&a));
    NEED(hipEventCreate(&b));
  }
  constexpr int kRounds = 10'000;
  float ms = 0;
  const auto begin = Clock::now();
  for (int i = 0; i < kRounds; ++i) {
    NEED(hipEventRecord(a, stream()));
    NEED(hipEventRecord(b, stream()));
    NEED(hipEventElapsedTime(&ms, a, b));
  }
  return seconds_since(begin) * 1e6 / kRounds;
}

// ---- Copies

constexpr size_t kLargest = size_t(256) << 20;

struct Buffers {
  char *device = nullptr, *pinned = nullptr, *pageable = nullptr, *plain = nullptr;
  Buffers() {
    NEED(hipMalloc(reinterpret_cast<void**>(&device), kLargest));
    NEED(hipHostMalloc(reinterpret_cast<void**>(&pinned), kLargest));
    pageable = static_cast<char*>(std::aligned_alloc(4096, kLargest));
    plain = static_cast<char*>(std::aligned_alloc(4096, kLargest));
    if (!pageable || !plain) std::exit(1);
    std::memset(pageable, 1, kLargest);
    std::memset(plain, 2, kLargest);
    std::memset(pinned, 3, kLargest);
    NEED(hipMemcpy(device, pinned, kLargest, hipMemcpyHostToDevice));
  }
};
Buffers& buffers() {
  static Buffers b;
  return b;
}

/// Time of memcpy over time of the copy, the same bytes between memory of the same temperature, taken in turns. Small
/// copies go through all of the buffer, so that neither side finds its bytes in the nearest cache.
double copy_ratio(bool pinned, bool to_device, bool async, size_t bytes) {
  Buffers& b = buffers();
  char* host = pinned ? b.pinned : b.pageable;
  const size_t window = std::min(kLargest, std::max(bytes, size_t(64) << 20)), places = window / bytes;
  const size_t copies = std::clamp<size_t>((size_t(32) << 20) / bytes, 1, 4096);
  static size_t at = 0;
  double ours = 0, theirs = 0;
  constexpr int kTurns = 4;
  for (int turn = 0; turn < kTurns; ++turn) {
    auto begin = Clock::now();
    for (size_t i = 0; i < copies; ++i) {
      const size_t offset = (at + i) % places * bytes;
      char *d = b.device + offset, *h = host + offset;
      const auto kind = to_device ? hipMemcpyHostToDevice : hipMemcpyDeviceToHost;
      if (async)
        NEED(hipMemcpyAsync(to_device ? d : h, to_device ? h : d, bytes, kind, stream()));
      else
        NEED(hipMemcpy(to_device ? d : h, to_device ? h : d, bytes, kind));
    }
    if (async) NEED(hipStreamSynchronize(stream()));
    ours += seconds_since(begin);
    at += copies;
    begin = Clock::now();
    for (size_t i = 0; i < copies; ++i) {
      const size_t offset = (at + i) % places * bytes;
      char *d = b.plain + offset, *h = b.pageable + offset;
      std::memcpy(to_device ? d : h, to_device ? h : d, bytes);
      benchmark::ClobberMemory();
    }
    theirs += seconds_since(begin);
    at += copies;
  }
  return theirs / ours;
}

// ---- The life of a program

struct Life {
  double milliseconds, megabytes;
};

/// Starts programs from a process that is still small: a child's peak memory counts what it had before its exec.
class Starter {
public:
  Starter() {
    int to[2], from[2];
    if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0) std::exit(1);
    if (fork() == 0) {
      close(to[1]);
      char path[4096];
      for (ssize_t n; (n = read(to[0], path, sizeof path - 1)) > 0;) {
        path[n] = 0;
        const Life life = run(path);
        if (write(from[1], &life, sizeof life) != sizeof life) break;
      }
      _exit(0);
    }
    close(to[0]);
    close(from[1]);
    to_ = to[1];
    from_ = from[0];
  }
  Life operator()(const std::string& path) const {
    Life life{};
    if (write(to_, path.data(), path.size()) < 0 || read(from_, &life, sizeof life) != sizeof life || life.milliseconds < 0) {
      std::fprintf(stderr, "bz bench: %s failed\n", path.c_str());
      std::exit(1);
    }
    return life;
  }

private:
  static Life run(char* path) {
    posix_spawn_file_actions_t quiet;
    posix_spawn_file_actions_init(&quiet);
    posix_spawn_file_actions_addopen(&quiet, 1, "/dev/null", O_WRONLY, 0);
    char* arguments[] = {path, nullptr};
    pid_t child = 0;
    int status = 0;
    rusage usage{};
    const auto begin = Clock::now();
    const bool fine = posix_spawn(&child, path, &quiet, nullptr, arguments, environ) == 0 &&
                      wait4(child, &status, 0, &usage) == child && status == 0;
    const double seconds = seconds_since(begin);
    posix_spawn_file_actions_destroy(&quiet);
    return {fine ? seconds * 1e3 : -1, static_cast<double>(usage.ru_maxrss) / 1024};
  }
  int to_ = -1, from_ = -1;
};

// ---- Ten thousand of a kind

/// The time of the last tenth of 10,000 steps over that of the first tenth, and undo after it.
double growth(const std::function<void(int)>& make, const std::function<void(int)>& undo) {
  constexpr int kObjects = 10'000, kPart = kObjects / 10;
  std::vector<double> first, last;
  for (int i = 0; i < kObjects; ++i) {
    const auto begin = Clock::now();
    make(i);
    const double t = seconds_since(begin);
    if (i < kPart) first.push_back(t);
    if (i >= kObjects - kPart) last.push_back(t);
  }
  for (int i = 0; i < kObjects; ++i) undo(i);
  return median(std::move(last)) / median(std::move(first));
}

/// The time of an empty launch and wait beside 10,000 objects over that without them.
double burden(const std::function<void(int)>& make, const std::function<void(int)>& undo) {
  constexpr int kObjects = 10'000;
  const double before = launch_and_wait();
  for (int i = 0; i < kObjects; ++i) make(i);
  const double beside = launch_and_wait();
  for (int i = 0; i < kObjects; ++i) undo(i);
  return beside / before;
}

template <class Object> struct Objects {
  std::vector<Object> all = std::vector<Object>(10'000);
  std::function<void(int)> make, undo;
};

void register_figures(const std::string& programs, const Starter& start) {
  const auto add = [](std::string name, std::string unit, Wanted wanted, double bound, std::function<double()> lap) {
    figures.push_back({std::move(name), std::move(unit), wanted, bound, std::move(lap), {}});
  };
  add("launch/and_wait", "us", Wanted::at_most, 5, launch_and_wait);
  add("launch/rate", "/s", Wanted::at_least, 500'000, launches);
  add("graph/100_kernels/call", "x 100 launches", Wanted::at_most, 0.5, [] { return graph_ratio(false); });
  add("graph/100_kernels/done", "x 100 launches", Wanted::at_most, 1, [] { return graph_ratio(true); });
  add("event/record_twice_and_elapsed", "us", Wanted::at_most, 1, record_and_elapsed);
  for (const bool pinned : {true, false})
    for (const bool to_device : {true, false})
      for (const size_t kib : {4, 64, 1024, 16 * 1024, 256 * 1024}) {
        const std::string name = std::string("copy/") + (pinned ? "pinned" : "pageable") + (to_device ? "/H2D/" : "/D2H/") +
                                 std::to_string(kib) + "KiB";
        add(name, "x memcpy", Wanted::at_least, 0.9, [=] { return copy_ratio(pinned, to_device, false, kib * 1024); });
        if (pinned)
          add(name + "/async", "x memcpy", kib >= 64 ? Wanted::at_least : Wanted::nothing, 0.9,
              [=] { return copy_ratio(pinned, to_device, true, kib * 1024); });
      }
  add("hello/wall", "ms", Wanted::at_most, 40, [&start, hello = programs + "/hello"] { return start(hello).milliseconds; });
  add("hello/resident", "MB", Wanted::at_most, 40, [&start, hello = programs + "/hello"] { return start(hello).megabytes; });

  static Objects<hipStream_t> streams, used;
  streams.make = [](int i) { NEED(hipStreamCreate(&streams.all[i])); };
  streams.undo = [](int i) { NEED(hipStreamDestroy(streams.all[i])); };
  used.make = [](int i) {
    NEED(hipStreamCreate(&used.all[i]));
    empty<<<1, 64, 0, used.all[i]>>>();
    NEED(hipStreamSynchronize(used.all[i]));
  };
  used.undo = [](int i) { NEED(hipStreamDestroy(used.all[i])); };
  static Objects<hipEvent_t> events;
  events.make = [](int i) {
    NEED(hipEventCreate(&events.all[i]));
    NEED(hipEventRecord(events.all[i], stream()));
  };
  events.undo = [](int i) { NEED(hipEventDestroy(events.all[i])); };
  static Objects<void*> blocks, pinned;
  blocks.make = [](int i) { NEED(hipMalloc(&blocks.all[i], 4096)); };
  blocks.undo = [](int i) { NEED(hipFree(blocks.all[i])); };
  pinned.make = [](int i) { NEED(hipHostMalloc(&pinned.all[i], 4096)); };
  pinned.undo = [](int i) { NEED(hipHostFree(pinned.all[i])); };
  // A half more is what the machine's caches may cost; what grows with the count shows as a multiple.
  constexpr double kMore = 1.5;
  add("10000/streams/last_to_first", "x", Wanted::at_most, kMore, [] { return growth(streams.make, streams.undo); });
  add("10000/used_streams/last_to_first", "x", Wanted::at_most, kMore, [] { return growth(used.make, used.undo); });
  add("10000/events/last_to_first", "x", Wanted::at_most, kMore, [] { return growth(events.make, events.undo); });
  add("10000/hipMalloc/last_to_first", "x", Wanted::at_most, kMore, [] { return growth(blocks.make, blocks.undo); });
  add("10000/hipHostMalloc/last_to_first", "x", Wanted::at_most, kMore, [] { return growth(pinned.make, pinned.undo); });
  add("10000/streams/launch", "x", Wanted::at_most, kMore, [] { return burden(used.make, used.undo); });
  add("10000/events/launch", "x", Wanted::at_most, kMore, [] { return burden(events.make, events.undo); });
  add("10000/hipMalloc/launch", "x", Wanted::at_most, kMore, [] { return burden(blocks.make, blocks.undo); });
}

/// Google Benchmark's own table would show each repetition.
class Quiet : public benchmark::BenchmarkReporter {
public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

/// Takes --name=value out of the arguments.
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
  const Starter start; // before anything takes memory
  const std::string programs = option(argc, argv, "programs", "bench"), json_path = option(argc, argv, "json", "");
  std::vector<char*> arguments(argv, argv + argc);
  char interleave[] = "--benchmark_enable_random_interleaving=true";
  arguments.insert(arguments.begin() + 1, interleave);
  arguments.push_back(nullptr);
  int count = static_cast<int>(arguments.size()) - 1;
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return 2;

  register_figures(programs, start);
  for (Figure& figure : figures)
    benchmark::RegisterBenchmark(figure.name.c_str(), [&figure](benchmark::State& state) {
      for (auto _ : state) figure.values.push_back(figure.lap());
    })->Iterations(1);
  Quiet reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);

  bool reached = true;
  std::string json = "{\n  \"runtime\": [";
  const char* comma = "";
  std::printf("%-36s %12s %12s %10s\n", "runtime", "median", "best", "wanted");
  for (const Figure& f : figures) {
    if (f.values.empty()) continue;
    const auto [least, most] = std::minmax_element(f.values.begin(), f.values.end());
    const double middle = median(f.values), best = f.wanted == Wanted::at_most ? *least : *most;
    const bool fine = f.wanted == Wanted::nothing || (f.wanted == Wanted::at_most ? middle <= f.bound : middle >= f.bound);
    std::printf("%-36s %12.6g %12.6g ", f.name.c_str(), middle, best);
    if (f.wanted == Wanted::nothing)
      std::printf("%10s %s\n", "", f.unit.c_str());
    else
      std::printf("%s%8g %s%s\n", f.wanted == Wanted::at_most ? "<=" : ">=", f.bound, f.unit.c_str(), fine ? "" : "  MISSED");
    reached = reached && fine;
    char text[320];
    std::snprintf(text, sizeof text, "%s\n    {\"name\": \"%s\", \"unit\": \"%s\", \"median\": %.6g, \"best\": %.6g, \"laps\": %zu}",
                  comma, f.name.c_str(), f.unit.c_str(), middle, best, f.values.size());
    json += text;
    comma = ",";
  }
  json += "\n  ]\n}\n";
  if (!reached) std::puts("a wanted figure was missed");
  if (json_path.empty()) return 0;
  std::FILE* file = std::fopen(json_path.c_str(), "w");
  if (!file || std::fputs(json.c_str(), file) < 0 || std::fclose(file) != 0) {
    std::fprintf(stderr, "bz bench: cannot write %s\n", json_path.c_str());
    return 1;
  }
  return 0;
}
