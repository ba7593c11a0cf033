// builtin_programs TARGET: every builtin of the table that the target has, compiled in one translation unit, run on every
// engine level, judged by formula where there is one. README.md.
#include "expectations.hpp"
#include "source.hpp"

#include "tests/random/random.hpp"
#include "tests/random/toolchain.hpp"

#include <hip/hip_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

using namespace bz::builtins;
using bz::random::Random;

namespace {

constexpr const char* kUsage = R"(usage: builtin_programs TARGET [--list]
  TARGET   gfx906, gfx90a, gfx942 ...: the builtins of the table that it has
  --list   also what became of each
The last line is PASSED or FAILED.
)";

void check(hipError_t e, const char* what) {
  if (e != hipSuccess) throw std::runtime_error(std::string(what) + ": " + hipGetErrorString(e));
}

/// One element of an argument: such that results are finite and, in matrices and sums, exact.
uint64_t argument(const Builtin& b, const Parameter& p, size_t index, Random& r) {
  const std::string& e = p.type.element;
  const bool matrix = b.name.starts_with("mfma") || b.name.starts_with("smfmac");
  const bool whole = matrix || b.name.find("fadd") != std::string::npos || b.name.find("fsub") != std::string::npos || b.name.find("dot") != std::string::npos;
  if (matrix && (b.name.find("fp8") != std::string::npos || b.name.find("bf8") != std::string::npos) && e[0] == 'i') {
    if (b.name.starts_with("smfmac") && index == 3) return 0x44444444; // sparse indices: 0 and 1
    uint64_t bits = 0; // no NaN among them
    for (int n = 0; n < 8; ++n) bits = bits << 8 | (r.below(0x50) | (r.chance(50) ? 0x80u : 0u)) | 1u;
    return bits;
  }
  if (matrix && e == "i16") return as_bits("bf16", static_cast<int>(r.below(7)) - 3);
  if (b.name.starts_with("smfmac") && index == 3) return 0x44444444;
  if (matrix && e == "i32" && p.type.count > 2) return as_bits(e, static_cast<int>(r.below(2000)) - 1000);
  if (e[0] == 'f' || e == "bf16") {
    if (whole) return as_bits(e, static_cast<int>(r.below(7)) - 3);
    const double magnitude = (1 + r.below(1000) / 1000.0) * (1 << r.below(4)) / (1 << r.below(5));
    return as_bits(e, r.chance(25) ? -magnitude : magnitude);
  }
  if (b.name.starts_with("ldexp")) return as_bits(e, static_cast<int>(r.below(12)) - 6);
  return r.chance(70) ? r.word() : edgy_word(r);
}

Run fresh(const Builtin& b) {
  Random r(std::hash<std::string>{}(b.name));
  Run run;
  run.in.assign(kLanes * kInWords, 0);
  const Values layout(b, run);
  std::string cell = b.result.element;
  for (size_t i = 0; i < b.parameters.size(); ++i) {
    const Parameter& p = b.parameters[i];
    if (p.type.pointer && p.type.bits() == 0 && p.type.element != "void" && p.type.element != "bool") cell = p.type.element;
    if (p.type.bits() == 0) continue;
    for (int lane = 0; lane < kLanes; ++lane)
      for (int n = 0; n < p.type.count; ++n) {
        const uint64_t bits = argument(b, p, i, r);
        const int width = p.type.bits();
        auto* at = reinterpret_cast<unsigned char*>(run.in.data() + lane * kInWords + layout.place(static_cast<int>(i))) + n * width / 8;
        std::memcpy(at, &bits, static_cast<size_t>(width) / 8);
      }
  }
  for (int n = 0; n < kLanes * kMemoryWords; n += 2) {
    uint64_t bits = r.word();
    if (cell == "f64") bits = as_bits(cell, r.below(100));
    else if (cell == "f32") bits = as_bits(cell, r.below(100)) | as_bits(cell, r.below(100)) << 32;
    else if (cell == "f16") bits = as_bits(cell, r.below(100)) * 0x1000100010001ull;
    run.memory_before.push_back(static_cast<uint32_t>(bits));
    run.memory_before.push_back(static_cast<uint32_t>(bits >> 32));
  }
  return run;
}

uint32_t* on_device(const std::vector<uint32_t>& words) {
  uint32_t* p = nullptr;
  check(hipMalloc(reinterpret_cast<void**>(&p), words.size() * 4), "hipMalloc");
  check(hipMemcpy(p, words.data(), words.size() * 4, hipMemcpyHostToDevice), "hipMemcpy");
  return p;
}
void take(std::vector<uint32_t>& words, uint32_t* p) {
  check(hipMemcpy(words.data(), p, words.size() * 4, hipMemcpyDeviceToHost), "hipMemcpy");
  check(hipFree(p), "hipFree");
}

/// In a process of its own: runs `todo` one after the other, each result into a file named after it.
void run_all(const std::string& object, const std::vector<const Builtin*>& todo, const std::string& folder) {
  hipModule_t module;
  check(hipModuleLoad(&module, object.c_str()), "hipModuleLoad");
  for (const Builtin* b : todo) {
    std::ofstream(folder + "/running") << b->name;
    Run run = fresh(*b);
    run.out.assign(kLanes * kOutWords, 0);
    run.lds_after.assign(kLanes * kMemoryWords, 0);
    uint32_t *in = on_device(run.in), *out = on_device(run.out), *memory = on_device(run.memory_before), *lds = on_device(run.lds_after);
    run.memory_after = run.memory_before;
    void* parameters[] = {&in, &out, &memory, &lds};
    hipFunction_t function;
    check(hipModuleGetFunction(&function, module, (b->name + "_kernel").c_str()), "hipModuleGetFunction");
    check(hipModuleLaunchKernel(function, 1, 1, 1, kLanes, 1, 1, 0, nullptr, parameters, nullptr), "hipModuleLaunchKernel");
    check(hipDeviceSynchronize(), "hipDeviceSynchronize");
    take(run.in, in), take(run.out, out), take(run.memory_after, memory), take(run.lds_after, lds);
    std::ofstream file(folder + "/" + b->name, std::ios::binary);
    for (const auto* words : {&run.out, &run.memory_after, &run.lds_after}) file.write(reinterpret_cast<const char*>(words->data()), static_cast<long>(words->size() * 4));
  }
}

std::string read_all(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Runs all, and again without what ended the process; `failed` gets those and what was said.
void run_level(const std::string& object, std::vector<const Builtin*> todo, const std::string& target, const std::string& level, const std::string& folder,
               std::map<std::string, std::string>& failed) {
  std::filesystem::create_directories(folder);
  while (!todo.empty()) {
    const pid_t child = fork();
    if (child == 0) {
      setenv("BZ_GPUS", target.c_str(), 1);
      setenv("BZ_SIMD", level.c_str(), 1);
      if (!std::freopen((folder + "/said").c_str(), "w", stderr)) std::_Exit(3);
      try {
        run_all(object, todo, folder);
      } catch (const std::exception& e) {
        std::fprintf(stderr, "%s\n", e.what());
        std::_Exit(1);
      }
      std::_Exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return;
    const std::string name = read_all(folder + "/running");
    failed[name] = level + ": " + read_all(folder + "/said").substr(0, 600);
    const auto at = std::find_if(todo.begin(), todo.end(), [&](const Builtin* b) { return b->name == name; });
    if (at == todo.end()) return;
    todo.erase(todo.begin(), at + 1);
  }
}

std::optional<Run> result_of(const Builtin& b, const std::string& folder) {
  const std::string bytes = read_all(folder + "/" + b.name);
  Run run = fresh(b);
  run.out.resize(kLanes * kOutWords), run.memory_after.resize(kLanes * kMemoryWords), run.lds_after.resize(kLanes * kMemoryWords);
  if (bytes.size() != 4 * (run.out.size() + run.memory_after.size() + run.lds_after.size())) return {};
  std::memcpy(run.out.data(), bytes.data(), 4 * run.out.size());
  std::memcpy(run.memory_after.data(), bytes.data() + 4 * run.out.size(), 4 * run.memory_after.size());
  std::memcpy(run.lds_after.data(), bytes.data() + 4 * (run.out.size() + run.memory_after.size()), 4 * run.lds_after.size());
  return run;
}

/// Which bits a NaN has is open, else everything must be the same.
bool same(const Builtin& b, const Run& x, const Run& y) {
  if (x.memory_after != y.memory_after || x.lds_after != y.lds_after) return false;
  if (x.out == y.out) return true;
  if (b.result.element[0] != 'f') return false;
  const Values vx(b, x), vy(b, y);
  for (int l = 0; l < kLanes; ++l)
    for (int e = 0; e < b.result.count; ++e) {
      const double p = vx.result(l, e), q = vy.result(l, e);
      if (vx.result_bits(l, e) != vy.result_bits(l, e) && (p == p || q == q)) return false;
    }
  return true;
}

} // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const bool help = !arguments.empty() && (arguments[0] == "-h" || arguments[0] == "--help");
  const bool list = arguments.size() == 2 && arguments[1] == "--list";
  if (help || arguments.empty() || arguments[0][0] == '-' || (arguments.size() > 1 && !list)) {
    std::fputs(kUsage, help ? stdout : stderr);
    return help ? 0 : 2;
  }
  const std::string& target = arguments[0];
  std::vector<Builtin> builtins;
  for (Builtin& b : read_table(BZ_BUILTINS_TABLE))
    if (std::find(b.targets.begin(), b.targets.end(), target) != b.targets.end()) builtins.push_back(std::move(b));
  if (builtins.empty()) {
    std::fprintf(stderr, "builtin_programs: the table has nothing for %s\n", target.c_str());
    return 2;
  }
  std::string folder = (std::filesystem::temp_directory_path() / "builtin_programs.XXXXXX").string();
  if (!mkdtemp(folder.data())) return 2;
  std::ofstream(folder + "/program.cpp") << source(builtins);
  std::map<std::string, std::string> failed;
  if (auto e = bz::random::compile_device(folder + "/program.cpp", folder + "/object", target, "O1", {}); !e.good()) {
    std::printf("%s\nFAILED to compile\n", e.output.substr(0, 4000).c_str());
    return 1;
  }
  std::vector<const Builtin*> todo;
  for (const Builtin& b : builtins)
    if (not_run(b.name).empty()) todo.push_back(&b);
  std::vector<std::string> levels = {"avx2"};
  if (__builtin_cpu_supports("x86-64-v4")) levels.push_back("avx512");
  for (const std::string& level : levels) run_level(folder + "/object", todo, target, level, folder + "/" + level, failed);

  int judged = 0, ran = 0;
  for (const Builtin& b : builtins) {
    std::string verdict = not_run(b.name).empty() ? "ran" : "not run: " + not_run(b.name);
    std::optional<Run> first;
    for (const std::string& level : levels) {
      if (!not_run(b.name).empty()) break;
      const std::optional<Run> run = result_of(b, folder + "/" + level);
      if (!run) {
        if (!failed.contains(b.name)) failed[b.name] = level + ": no result";
        continue;
      }
      std::string what;
      const Verdict v = judge(Values(b, *run), what);
      if (v == Verdict::right) verdict = "judged";
      if (v == Verdict::wrong) failed[b.name] = level + ": " + what;
      if (!first) first = run;
      else if (repeatable(b.name) && !same(b, *first, *run)) failed[b.name] = "avx2 and avx512 differ";
    }
    judged += verdict == "judged", ran += verdict == "ran";
    if (failed.contains(b.name)) verdict = "failed";
    if (list) std::printf("%s\t%s\n", b.name.c_str(), verdict.c_str());
  }
  for (const auto& [name, what] : failed) std::printf("%s on %s: %s\n", name.c_str(), target.c_str(), what.c_str());
  std::printf("%s: %zu builtins, %d judged by formula, %d compared between engine levels, %zu not run, %zu failed\n", target.c_str(), builtins.size(), judged, ran,
              builtins.size() - todo.size(), failed.size());
  std::filesystem::remove_all(folder);
  std::printf(failed.empty() ? "PASSED\n" : "FAILED\n");
  return !failed.empty();
}
