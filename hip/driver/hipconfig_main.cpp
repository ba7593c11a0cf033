// hipconfig: prints where this HIP is and how to compile for it. CMake's HIP support asks --rocmpath and --hipclangpath.
#include "hip/driver/plan.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {
using namespace bz::driver;

constexpr const char* kHelp = R"(usage: hipconfig [options]
  -f, --full           everything (the default)
  -v, --version        version of HIP
  -p, --path           HIP_PATH
  -R, --rocmpath       ROCM_PATH
  -l, --hipclangpath   folder of the compiler
  -c, --compiler       name of the compiler
  -P, --platform       name of the platform
  -r, --runtime        name of the runtime
  -C, --cpp_config     flags for the preprocessor
      --check          look for what a compilation needs
  -n, --newline        end the output with a newline
)";

std::string preprocessor_flags(const Install& install) {
  return fmt::format(" -D__HIP_PLATFORM_HCC__= -D__HIP_PLATFORM_AMD__= -I{}/include", install.root);
}

bool exists(const std::string& path) {
  std::FILE* file = std::fopen(path.c_str(), "r");
  if (file) std::fclose(file);
  return file != nullptr;
}

int check(const Install& install) {
  int missing = 0;
  for (const char* part : {"/include/hip/hip_runtime.h", "/amdgcn/bitcode/ocml.bc", "/amdgcn/bitcode/ockl.bc",
                           "/lib/libamdhip64.so", "/bin/hipcc"}) {
    bool found = exists(install.root + part);
    fmt::print("{:8} {}{}\n", found ? "good" : "MISSING", install.root, part);
    missing += !found;
  }
  return missing ? 1 : 0;
}

void full(const Install& install) {
  fmt::print("HIP version: {}\n\n== hipconfig\nHIP_PATH           :{}\nROCM_PATH          :{}\n", hip_version(), install.root,
             install.root);
  fmt::print("HIP_COMPILER       :clang\nHIP_PLATFORM       :amd\nHIP_RUNTIME        :rocclr\nCPP_CONFIG         :{}\n\n",
             preprocessor_flags(install));
  fmt::print("== hip-clang\nHIP_CLANG_PATH     :{}\n", install.clang_dir);
  std::fflush(stdout);
  if (std::system(fmt::format("'{}/clang++' --version", install.clang_dir).c_str()) != 0)
    fmt::print(stderr, "hipconfig: {}/clang++ can't be run\n", install.clang_dir);
  fmt::print("\n== Environment Variables\n");
  for (char** entry = environ; *entry; ++entry)
    for (const char* prefix : {"PATH=", "HIP", "ROCM", "HSA", "LD_LIBRARY_PATH=", "BZ_"})
      if (std::strncmp(*entry, prefix, std::strlen(prefix)) == 0) fmt::print("{}\n", *entry);
  utsname system{};
  if (uname(&system) == 0)
    fmt::print("\n== {} kernel\nHostname      : {}\n{} {} {}\n", system.sysname, system.nodename, system.sysname,
               system.release, system.machine);
}

} // namespace

int main(int argc, char** argv) {
  auto install = find_install();
  if (!install) {
    fmt::print(stderr, "hipconfig: error: {}\n", install.status().message());
    return 1;
  }
  bool newline = false, answered = false;
  auto is = [](const char* arg, const char* shorter, const char* longer) {
    return std::strcmp(arg, shorter) == 0 || std::strcmp(arg, longer) == 0;
  };
  for (int i = 1; i < argc; ++i)
    if (is(argv[i], "-n", "--newline")) newline = true;
  for (int i = 1; i < argc; ++i) {
    const char* arg = argv[i];
    if (is(arg, "-n", "--newline")) continue;
    answered = true;
    if (is(arg, "-h", "--help"))
      fmt::print("{}", kHelp);
    else if (is(arg, "-v", "--version"))
      fmt::print("{}", hip_version());
    else if (is(arg, "-p", "--path") || is(arg, "-R", "--rocmpath"))
      fmt::print("{}", install->root);
    else if (is(arg, "-l", "--hipclangpath"))
      fmt::print("{}", install->clang_dir);
    else if (is(arg, "-c", "--compiler"))
      fmt::print("clang");
    else if (is(arg, "-P", "--platform"))
      fmt::print("amd");
    else if (is(arg, "-r", "--runtime"))
      fmt::print("rocclr");
    else if (is(arg, "-C", "--cpp_config"))
      fmt::print("{}", preprocessor_flags(*install));
    else if (std::strcmp(arg, "--check") == 0)
      return check(*install);
    else if (is(arg, "-f", "--full"))
      full(*install);
    else {
      fmt::print(stderr, "hipconfig: error: unknown option {} (hipconfig --help)\n", arg);
      return 1;
    }
  }
  if (!answered) full(*install);
  if (newline) fmt::print("\n");
  return 0;
}
