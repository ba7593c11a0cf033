// hipcc: clang with the HIP headers, device libraries and runtime of this installation. It looks at the command line,
// completes it (plan.hpp) and becomes clang.
#include "hip/driver/plan.hpp"

#include "base/environment.hpp"
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace {

using namespace bz::driver;
using bz::environment;

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    if (!text.empty()) text += ' ';
    bool plain = !word.empty() && word.find_first_of(" \t\n'\"\\$`*?()<>|&;") == std::string::npos;
    text += plain ? word : "'" + word + "'";
  }
  return text;
}

constexpr const char* kHelp = R"(usage: hipcc [options] files

Compiles C++ files (.cpp .cc .cxx .cu .hip) as HIP and .c files as C, links with libamdhip64, and gives every other
option to clang.

  -c, -S, -E, -M           stop after that stage
  -o FILE                  output file
  --offload-arch=TARGET    GPU target, repeatable or with commas; `native` asks the GPUs of this machine (the default,
                           and gfx942 where there is none)
  --genco                  device code only, as a bundle for hipModuleLoad
  -fgpu-rdc                device code that is linked across files; link with --hip-link
  -x hip|c|c++             language of the files that follow
  --cxxflags, --ldflags    print what is added to compilations and to links
  --version, --short-version
  -v, -###                 show the commands (with -### without running them)
  @FILE                    more options from a file

Environment: HIP_PATH or ROCM_PATH (this installation), HIP_CLANG_PATH (folder of clang++), HIPCC_VERBOSE (1: command,
2: paths, 4: arguments), HIPCC_COMPILE_FLAGS_APPEND, HIPCC_LINK_FLAGS_APPEND.
)";

int become(const std::vector<std::string>& command) {
  std::vector<char*> argv;
  for (const std::string& word : command) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  std::fflush(stdout);
  execv(argv[0], argv.data());
  std::perror(argv[0]);
  return 127;
}

int fail(const bz::Status& status) {
  fmt::print(stderr, "hipcc: error: {}\n", status.message());
  return 1;
}

} // namespace

int main(int argc, char** argv) {
  auto install = find_install();
  if (!install) return fail(install.status());

  PlanInput in;
  in.install = *install;
  in.args.assign(argv + 1, argv + argc);
  in.compile_append = environment("HIPCC_COMPILE_FLAGS_APPEND");
  in.link_append = environment("HIPCC_LINK_FLAGS_APPEND");
  in.native_targets = [&] {
    std::vector<std::string> processors;
    if (auto gpus = find_gpus(*install))
      for (const Gpu& gpu : *gpus) processors.push_back(gpu.processor);
    return processors;
  };
  int verbose = std::atoi(environment("HIPCC_VERBOSE").c_str());
  if (verbose & 2) fmt::print("HIP_PATH={}\nHIP_CLANG_PATH={}\n", install->root, install->clang_dir);
  if (verbose & 4) fmt::print("hipcc-args: {}\n", joined(in.args));
  if (in.args.empty()) {
    fmt::print(stderr, "hipcc: error: no input files (hipcc --help)\n");
    return 1;
  }

  auto plan = make_plan(in);
  if (!plan) return fail(plan.status());
  switch (plan->question) {
  case Question::help: fmt::print("{}", kHelp); return 0;
  case Question::short_version: fmt::print("{}\n", hip_version()); return 0;
  case Question::cxxflags: fmt::print("{}\n", joined(compile_flags(*install))); return 0;
  case Question::ldflags: fmt::print("{}\n", joined(link_flags(*install))); return 0;
  case Question::version:
    fmt::print("HIP version: {}\n", hip_version());
    return become({install->clang_dir + "/clang++", "--version"});
  case Question::none: break;
  }
  if (verbose & 1) fmt::print("hipcc-cmd: {}\n", joined(plan->command));
  return become(plan->command);
}
