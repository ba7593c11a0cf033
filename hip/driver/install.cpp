#include "hip/driver/install.hpp"

#include "base/environment.hpp"
#include "hip/include/hip/hip_version.h"

#include <dlfcn.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>

namespace bz::driver {
namespace fs = std::filesystem;

namespace {

// The few names of hsa.h that asking for GPUs takes. The library is opened at run time, so that hipcc also works where
// there is none.
struct Agent {
  uint64_t handle;
};
struct Isa {
  uint64_t handle;
};
enum : uint32_t { kAgentName = 0, kAgentDevice = 17, kAgentIsa = 19, kDeviceGpu = 1, kIsaNameLength = 0, kIsaName = 1 };
using Visit = uint32_t (*)(Agent, void*);
struct Hsa {
  uint32_t (*init)();
  uint32_t (*shut_down)();
  uint32_t (*iterate_agents)(Visit, void*);
  uint32_t (*agent_get_info)(Agent, uint32_t, void*);
  uint32_t (*isa_get_info)(Isa, uint32_t, void*);
};

struct Search {
  const Hsa* hsa;
  std::vector<Gpu> found;
};

/// "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-" without the triple; the processor if the agent tells no ISA.
std::string target_of(const Hsa& hsa, Agent agent, const std::string& processor) {
  Isa isa{};
  uint32_t length = 0;
  if (hsa.agent_get_info(agent, kAgentIsa, &isa) != 0 || hsa.isa_get_info(isa, kIsaNameLength, &length) != 0) return processor;
  std::string name(length, '\0');
  if (hsa.isa_get_info(isa, kIsaName, name.data()) != 0) return processor;
  name.resize(name.find('\0') == std::string::npos ? name.size() : name.find('\0'));
  const size_t triple = name.rfind("--");
  return triple == std::string::npos ? processor : name.substr(triple + 2);
}

uint32_t visit(Agent agent, void* data) {
  auto* search = static_cast<Search*>(data);
  uint32_t device = 0;
  if (search->hsa->agent_get_info(agent, kAgentDevice, &device) != 0 || device != kDeviceGpu) return 0;
  char name[64] = {};
  if (search->hsa->agent_get_info(agent, kAgentName, name) == 0)
    search->found.push_back({name, target_of(*search->hsa, agent, name)});
  return 0;
}

template <class F> bool bind(void* library, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(library, name));
  return function != nullptr;
}

} // namespace

Expected<Install> find_install() {
  Install install;
  install.root = environment("HIP_PATH");
  if (install.root.empty()) install.root = environment("ROCM_PATH");
  std::error_code failed;
  if (install.root.empty()) {
    fs::path self = fs::read_symlink("/proc/self/exe", failed);
    if (failed) return error(Code::not_found, "can't read /proc/self/exe: set ROCM_PATH");
    install.root = self.parent_path().parent_path().string();
  }
  while (install.root.size() > 1 && install.root.back() == '/') install.root.pop_back();
  if (!fs::exists(install.root + "/include/hip/hip_version.h", failed))
    return error(Code::not_found, "{} is not a ROCm folder (no include/hip/hip_version.h): set ROCM_PATH", install.root);

  install.clang_dir = environment("HIP_CLANG_PATH");
  if (install.clang_dir.empty()) {
    install.clang_dir = install.root + "/llvm/bin";
    if (!fs::exists(install.clang_dir + "/clang++", failed)) install.clang_dir = BZ_CLANG_DIR;
  }
  if (!fs::exists(install.clang_dir + "/clang++", failed))
    return error(Code::not_found, "no clang++ in {}: install clang-22 or set HIP_CLANG_PATH", install.clang_dir);
  return install;
}

std::string hip_version() {
  return fmt::format("{}.{}.{}-{}", HIP_VERSION_MAJOR, HIP_VERSION_MINOR, HIP_VERSION_PATCH, HIP_VERSION_GITHASH);
}

Expected<std::vector<Gpu>> find_gpus(const Install& install) {
  std::string path = install.root + "/lib/libhsa-runtime64.so.1";
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) return error(Code::not_found, "can't ask for GPUs: {}", dlerror());
  Hsa hsa;
  if (!bind(library, "hsa_init", hsa.init) || !bind(library, "hsa_shut_down", hsa.shut_down) ||
      !bind(library, "hsa_iterate_agents", hsa.iterate_agents) ||
      !bind(library, "hsa_agent_get_info", hsa.agent_get_info) ||
      !bind(library, "hsa_isa_get_info_alt", hsa.isa_get_info))
    return error(Code::not_found, "can't ask for GPUs: {} lacks hsa functions", path);
  if (uint32_t status = hsa.init(); status != 0)
    return error(Code::not_found, "no GPU can be used; why stands above (hsa_init gave {:#x})", status);
  Search search{&hsa, {}};
  uint32_t status = hsa.iterate_agents(visit, &search);
  hsa.shut_down();
  if (status != 0) return error(Code::not_found, "can't ask for GPUs: hsa_iterate_agents failed with {:#x}", status);
  return std::move(search.found);
}

} // namespace bz::driver
