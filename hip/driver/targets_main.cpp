// amdgpu-arch, offload-arch and rocm_agent_enumerator: one program by three names. Each prints the target of every GPU
// of this machine, one a line; rocm_agent_enumerator begins with gfx000 for the CPU, unless only GPUs are asked for, and
// with -name prints the target with its features.
#include "hip/driver/install.hpp"

#include <fmt/format.h>

#include <cstring>

int main(int argc, char** argv) {
  using namespace bz::driver;
  const char* slash = std::strrchr(argv[0], '/');
  bool enumerator = std::strcmp(slash ? slash + 1 : argv[0], "rocm_agent_enumerator") == 0;
  bool cpu = enumerator, full_name = false;
  for (int i = 1; i < argc; ++i) {
    std::string arg = argv[i];
    if (enumerator && (arg == "-t" || arg == "--type") && i + 1 < argc) {
      std::string type = argv[++i];
      if (type == "CPU") {
        fmt::print("gfx000\n");
        return 0;
      }
      if (type != "GPU" && type != "ALL") {
        fmt::print(stderr, "{}: error: -t wants GPU, CPU or ALL, not {}\n", argv[0], type);
        return 1;
      }
      cpu = type == "ALL";
    } else if (enumerator && (arg == "-name" || arg == "--name")) {
      full_name = true;
    } else if (arg == "-h" || arg == "--help") {
      fmt::print("usage: {} [{}]\nPrints the target of each GPU of this machine.\n", argv[0],
                 enumerator ? "-name] [-t GPU|CPU|ALL" : "--only=amdgpu");
      return 0;
    } else if (!enumerator && arg == "--only=amdgpu") {
      continue;
    } else {
      fmt::print(stderr, "{}: error: unknown option {} ({} --help)\n", argv[0], arg, argv[0]);
      return 1;
    }
  }
  auto install = find_install();
  if (!install) {
    fmt::print(stderr, "{}: error: {}\n", argv[0], install.status().message());
    return 1;
  }
  if (cpu) fmt::print("gfx000\n");
  auto gpus = find_gpus(*install);
  if (!gpus) {
    fmt::print(stderr, "{}: error: {}\n", argv[0], gpus.status().message());
    return 1;
  }
  for (const Gpu& gpu : *gpus) fmt::print("{}\n", full_name ? gpu.target : gpu.processor);
  return 0;
}
