// The interpreter alone, one thread, no queue: cycles of single rows and rates of whole kernels, beside the figures expected
// at design time (column "design"). Laps of all entries are interleaved at random (Google Benchmark); the best one counts,
// since whatever disturbs a lap only makes it longer.
#include "exec/testing/kernel.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <sys/mman.h>
#include <time.h>
#include <vector>

namespace {
using namespace bz;
using namespace bz::exec;

constexpr isa::Target kTarget = isa::Target::gfx942;
constexpr int kBody = 48;   // rows in a loop body: 24 destinations, so that a row never waits for an earlier lap
constexpr const char* kHoles = "s_mov_b64 exec, s[22:23]";

struct Entry {
  std::string name;
  double design;         ///< cycles, or the rate; 0: none was expected
  bool is_rate;         ///< the more the better
  double work;          ///< rows of one lap, or what the rate counts
  std::string unit;
  std::function<void()> lap;
  double best = INFINITY;   ///< seconds of CPU
};
std::deque<Entry> entries;

double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Cycles per second: a loop of one cycle a turn.
double clock_rate() {
  double best = INFINITY;
  for (int i = 0; i < 40; ++i) {
    long turns = 3000000;
    double begin = cpu_seconds();
    asm volatile("1: dec %0\n jnz 1b" : "+r"(turns));
    best = std::min(best, cpu_seconds() - begin);
  }
  return 3e6 / best;
}

template <class T> T need(Expected<T> value, const std::string& what) {
  if (value) return std::move(value).value();
  fmt::print(stderr, "bz bench: {}: {}\n", what, value.status().to_string());
  std::exit(1);
}

Engine& engine() {
  static auto e = need(testing::make_engine(kTarget, ""), "the engine");
  return *e;
}
Worker& worker() {
  static auto w = engine().make_worker();
  return *w;
}

void* memory(size_t bytes) {
  void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED) std::exit(1);
  return p;
}
float* floats(size_t n) {
  auto* p = static_cast<float*>(memory(4 * n));
  for (size_t i = 0; i < n; ++i) p[i] = 1.0f + static_cast<float>(i % 7);
  return p;
}

void run(const std::shared_ptr<Dispatch>& dispatch) {
  auto r = worker().run(dispatch, 0, dispatch->group_count());
  while (r.state != RunResult::State::finished) {
    if (r.state == RunResult::State::halted) {
      fmt::print(stderr, "bz bench: {}\n", r.halt->text);
      std::exit(1);
    }
    const uint64_t next = r.next;
    r = worker().resume(std::move(r.parked));
    if (r.state == RunResult::State::finished && next < dispatch->group_count())
      r = worker().run(dispatch, next, dispatch->group_count() - next);
  }
}

// ---------------------------------------------------------------- single rows

/// "$a2" -> "v[4:5]": registers that change from one copy of the row to the next.
std::string fill(const std::string& text, int i) {
  std::string out;
  for (size_t k = 0; k < text.size(); ++k) {
    if (text[k] != '$') {
      out += text[k];
      continue;
    }
    int base = 0, width = 1;
    switch (text[++k]) {
    case 'd': base = 40 + 4 * (i % 24); break;
    case 'a': base = 4 + 2 * (i % 8); break;
    case 'b': base = 4 + 2 * ((i + 3) % 8); break;
    case 'c': base = 20 + 2 * (i % 6); break;
    case 'D': base = 36; break;
    case 'e': base = 40 + 4 * (i % 4); break;
    }
    if (k + 1 < text.size() && text[k + 1] >= '2' && text[k + 1] <= '4') width = text[++k] - '0';
    if (width == 4) base &= ~3;
    out += width == 1 ? fmt::format("v{}", base) : fmt::format("v[{}:{}]", base, base + width - 1);
  }
  return out;
}

void add_row(const std::string& name, const std::string& setup, const std::string& row, bool masked, double design) {
  if (row.empty()) return;
  static float* const buffer = floats(1 << 16);
  const int turns = 400;
  std::string text = fmt::format("s_load_dwordx2 s[8:9], s[0:1], 0x0\ns_mov_b32 s4, 0\ns_mov_b32 s5, 0x3f800001\n"
                                 "s_mov_b32 s6, 3\ns_mov_b32 s7, 4\ns_mov_b32 s12, 0\n"
                                 "s_mov_b32 s22, 0xffff5fff\ns_mov_b32 s23, 0x5555ffff\nv_and_b32 v0, 0x3ff, v0\n");
  for (int i = 4; i < 136; ++i) text += fmt::format("v_mov_b32 v{}, 1.0\n", i);
  text += setup + "\n";
  if (masked) text += std::string(kHoles) + "\n";
  text += "again:\n";
  for (int i = 0; i < kBody; ++i) text += fill(row, i) + "\n";
  text += fmt::format("s_add_i32 s4, s4, 1\ns_cmp_lt_i32 s4, {}\ns_cbranch_scc1 again\ns_endpgm\n", turns);
  auto kernel = std::make_shared<testing::RawKernel>(kTarget, need(testing::assemble(kTarget, text), name));
  auto arguments = std::make_shared<std::vector<uint64_t>>(32, reinterpret_cast<uint64_t>(buffer));
  DispatchInfo info;
  info.group_size = {64, 1, 1};
  info.grid_size = {64, 1, 1};
  info.group_bytes = 65536;
  info.kernel_object = kernel->object();
  info.kernarg = reinterpret_cast<uint64_t>(arguments->data());
  auto dispatch = need(engine().prepare(info), name);
  entries.push_back({name, design, false, double(kBody) * turns, "cycles", [=] { (void)kernel, (void)arguments, run(dispatch); }});
}

void add_rows() {
#define X(label, independent, dependent, full, dep, masked, dep_masked)                                                \
  add_row("row/" label "/independent", "", independent, false, full);                                                  \
  add_row("row/" label "/dependent", "", dependent, false, dep);                                                       \
  if (label[0] == 'v') {                                                                                               \
    add_row("row/" label "/masked", "", independent, true, masked);                                                    \
    add_row("row/" label "/dependent masked", "", dependent, true, dep_masked);                                        \
  }
#include "exec/bench/rows.inc"
#undef X
#define X(label, setup, row, full, masked)                                                                             \
  {                                                                                                                    \
    std::string address = setup;                                                                                       \
    if (label[0] == 'g') address += "\nv_mov_b32 v3, 0\nv_lshl_add_u64 v[2:3], v[2:3], 0, s[8:9]";                     \
    add_row("memory/" label "/full", address, row, false, full);                                                       \
    add_row("memory/" label "/masked", address, row, true, masked);                                                    \
  }
#include "exec/bench/memory_rows.inc"
#undef X
}

// ---------------------------------------------------------------- whole kernels

class Arguments {
public:
  template <class T> Arguments& operator<<(T value) {
    bytes_.resize((bytes_.size() + sizeof value - 1) / sizeof value * sizeof value);
    auto* p = reinterpret_cast<const uint8_t*>(&value);
    bytes_.insert(bytes_.end(), p, p + sizeof value);
    return *this;
  }
  std::vector<uint8_t> bytes() const {
    auto all = bytes_;
    all.resize(all.size() + 512);
    return all;
  }

private:
  std::vector<uint8_t> bytes_;
};

void add_kernels(const std::string& source_file) {
  std::ifstream file(source_file);
  const std::string source{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  static auto image = need(testing::Image::load(need(testing::compile_device(kTarget, source, "-O3"), source_file)), source_file);
  auto add = [&](const char* name, const char* kernel, uint32_t groups, const Arguments& a, double design, double work, const char* unit,
                 int repeat = 1) {
    auto arguments = std::make_shared<std::vector<uint8_t>>(a.bytes());
    DispatchInfo info;
    info.group_size = {256, 1, 1};
    info.grid_size = {256 * groups, 1, 1};
    info.group_bytes = 32768;
    info.kernel_object = image->symbol(std::string(kernel) + ".kd");
    info.kernarg = reinterpret_cast<uint64_t>(arguments->data());
    auto dispatch = need(engine().prepare(info), name);
    entries.push_back({std::string("kernel/") + name, design, true, work * repeat, unit, [=] {
                         (void)arguments;
                         for (int i = 0; i < repeat; ++i) run(dispatch);
                       }});
  };
  const int small = 2048, large = 1 << 24, n = 512;
  static float *a = floats(large), *b = floats(large), *c = floats(large);
  add("vadd, L1", "vadd", small / 256, Arguments() << a << b << c << small, 18.0, 12e-9 * small, "GB/s", 200);
  add("vadd, 16 M", "vadd", large / 256, Arguments() << a << b << c << large, 14.8, 12e-9 * large, "GB/s");
  add("saxpy, L1", "saxpy", 1, Arguments() << a << b << 2.0f << small << 256, 20.3, 12e-9 * small, "GB/s", 200);
  add("saxpy, 16 M", "saxpy", 256, Arguments() << a << b << 2.0f << large << 65536, 8.3, 12e-9 * large, "GB/s");
  add("mandel, 1024 x 1024 x 256", "mandel", 4096, Arguments() << c << 1024 << 1024 << 256, 1e3 / 48.9, 1, "launches/s");
  add("nbody, 4096", "nbody", 16, Arguments() << a << c << 4096, 1e3 / 13.2, 1, "launches/s");
  add("sgemm_t16, 512", "sgemm_t16", n / 16 * (n / 16), Arguments() << a << b << c << n, 11.5, 2e-9 * n * n * n, "GFlop/s");
  add("sgemm_mfma, 512", "sgemm_mfma", n / 64 * (n / 64), Arguments() << a << b << c << n, 72.6, 2e-9 * n * n * n, "GFlop/s");
  add("barriers, 4 waves", "barr", 16, Arguments() << c << 1000, 729.0, 0, "M wave-ins/s", 1);
  // This one is expected as wave-instructions per second: counted by an engine of its own, which is slower for it.
  EngineConfig config;
  config.target = kTarget;
  config.count_rows = true;
  auto counting = need(Engine::create(config), "a counting engine");
  auto arguments = (Arguments() << c << 1000).bytes();
  DispatchInfo info;
  info.group_size = {256, 1, 1};
  info.grid_size = {256 * 16, 1, 1};
  info.group_bytes = 32768;
  info.kernel_object = image->symbol("barr.kd");
  info.kernarg = reinterpret_cast<uint64_t>(arguments.data());
  entries.back().work = 1e-6 * static_cast<double>(need(testing::run_dispatch(*counting, info), "barr").instructions);
}

class Quiet : public benchmark::BenchmarkReporter {
public:
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>&) override {}
};

} // namespace

int main(int argc, char** argv) {
  std::string kernels, json;
  for (int i = 1; i < argc; ++i) {
    if (!std::strncmp(argv[i], "--kernels=", 10)) kernels = argv[i] + 10;
    if (!std::strncmp(argv[i], "--json=", 7)) json = argv[i] + 7;
  }
  if (kernels.empty()) {
    fmt::print(stderr, "usage: engine_bench --kernels=FILE [--json=FILE] [--benchmark_filter=...]\n");
    return 2;
  }
  const double rate = clock_rate();
  add_kernels(kernels);
  add_rows();
  for (auto& e : entries)
    benchmark::RegisterBenchmark(e.name.c_str(), [&e](benchmark::State& state) {
      for (auto _ : state) {
        double begin = cpu_seconds();
        e.lap();
        e.best = std::min(e.best, cpu_seconds() - begin);
      }
    })->Unit(benchmark::kMicrosecond);
  std::vector<std::string> args(argv, argv + argc);
  args.push_back("--benchmark_enable_random_interleaving=true");
  args.push_back("--benchmark_repetitions=5");
  args.insert(args.begin() + 1, "--benchmark_min_time=0.02");
  std::vector<char*> raw;
  for (auto& x : args)
    if (x.rfind("--kernels=", 0) && x.rfind("--json=", 0)) raw.push_back(x.data());
  int count = static_cast<int>(raw.size());
  benchmark::Initialize(&count, raw.data());
  Quiet quiet;
  benchmark::RunSpecifiedBenchmarks(&quiet);

  fmt::print("{}, {:.2f} GHz, one thread; best lap. Rows: cycles per wave-instruction of 64 lanes.\n{:<46} {:>9} {:>9}  {}\n", engine().description(),
             rate / 1e9, "", "here", "design", "here / design (rate)");
  std::string records;
  for (const auto& e : entries) {
    if (std::isinf(e.best)) continue;
    const double here = e.is_rate ? e.work / e.best : e.best * rate / e.work;
    const double ratio = e.design == 0 ? 0 : e.is_rate ? here / e.design : e.design / here;
    fmt::print("{:<46} {:>9.1f} {:>9}  {:<6}{}\n", e.name, here, e.design == 0 ? "-" : fmt::format("{:.1f}", e.design),
               ratio == 0 ? "" : fmt::format("{:.2f}", ratio), e.is_rate ? " " + e.unit : "");
    records += fmt::format("{}  {{\"name\": \"{}\", \"value\": {:.3f}, \"unit\": \"{}\", \"design\": {:.3f}, \"ratio\": {:.3f}}}", records.empty() ? "" : ",\n",
                           e.name, here, e.unit, e.design, ratio);
  }
  if (!json.empty()) std::ofstream(json) << "[\n" << records << "\n]\n";
  return 0;
}
