#include "rocr/tools.hpp"

#include "base/log.hpp"
#include "rocr/entry.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <ranges>
#include <sstream>

namespace bz::rocr {

namespace {
using OnLoad = bool (*)(void* table, uint64_t runtime_version, uint64_t failed_count, const char* const* failed_names);
using OnUnload = void (*)();
} // namespace

void Tools::load() {
  const char* list = std::getenv("HSA_TOOLS_LIB");
  if (!list || !*list) return;
  const char* report = std::getenv("HSA_TOOLS_REPORT_LOAD_FAILURE");
  const Level level = report && std::string_view(report) == "0" ? Level::debug : Level::warn;
  std::string names = list;
  for (char& c : names)
    if (c == ':') c = ' ';
  std::istringstream words(names);
  for (std::string name; words >> name;) {
    void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    const auto on_load = library ? reinterpret_cast<OnLoad>(dlsym(library, "OnLoad")) : nullptr;
    std::vector<const char*> failed;
    for (const auto& f : failed_) failed.push_back(f.c_str());
    if (on_load && on_load(&api_table(), api_table().version.major_id, failed.size(), failed.data())) {
      libraries_.push_back(library);
      continue;
    }
    log("rocr", level, "HSA_TOOLS_LIB: {} was not loaded: {}", name,
        library ? (on_load ? "its OnLoad returned false" : "it has no OnLoad") : dlerror());
    failed_.push_back(name);
    if (library) dlclose(library);
  }
}

void Tools::unload() {
  for (void* library : libraries_ | std::views::reverse)
    if (const auto on_unload = reinterpret_cast<OnUnload>(dlsym(library, "OnUnload"))) on_unload();
  libraries_.clear();
}

} // namespace bz::rocr
