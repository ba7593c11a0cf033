#include "base/log.hpp"
#include "hip/rtc/compiler.hpp"

#include <dlfcn.h>

#include <filesystem>

namespace bz::rtc {
namespace {

Expected<const Compiler*> open_module() {
  // Beside the library that this code is linked into, whatever the process's search path says.
  Dl_info self{};
  std::string path = kModuleFile;
  if (dladdr(reinterpret_cast<const void*>(&open_module), &self) && self.dli_fname) {
    std::error_code failed;
    auto real = std::filesystem::canonical(self.dli_fname, failed);
    if (!failed) path = (real.parent_path() / kModuleFile).string();
  }
  void* module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!module)
    return error(Code::unsupported,
                 "no compiler for run-time compilation: {}. It needs the packages libclang-cpp22 and libllvm22 to run, and "
                 "libclang-22-dev, liblld-22-dev and llvm-22-dev when Boltzmann is built (./bz packages rtc, ./bz build)",
                 dlerror());
  auto entry = reinterpret_cast<ModuleEntry>(dlsym(module, kModuleEntry));
  const Compiler* found = entry ? entry(kCompilerInterface) : nullptr;
  if (!found) return error(Code::unsupported, "{} is of another build than this library", path);
  log("rtc", Level::debug, "opened {}", path);
  return found;
}

} // namespace

Expected<const Compiler*> compiler() {
  static const Expected<const Compiler*> opened = open_module();
  return opened;
}

} // namespace bz::rtc
