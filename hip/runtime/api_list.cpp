// Writes docs/hip_api.md: every function of api/hip_runtime.def with its state and, if it is implemented, the sentence
// of the public header about it. Usage: hip_api_list OUTPUT HEADER...
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace {

struct Row {
  const char* name;
  const char* version;
  const char* trait;
  const char* base; ///< of a _spt form
};

constexpr Row kRows[] = {
#define API(slot, name, version, trait, ...) {#name, #version, #trait, ""},
#define VALUE(slot, name, version, ...) {#name, #version, "Impl", ""},
#define SPT(slot, name, base, version, ...) {#name, #version, "Spt", #base},
#include "api/hip_runtime.def"
#undef API
#undef VALUE
#undef SPT
};

/// The /// lines right above a prototype, by function name.
void read_descriptions(const char* file, std::map<std::string, std::string>& out) {
  std::ifstream in(file);
  std::string line, text;
  while (std::getline(in, line)) {
    if (line.starts_with("/// ")) {
      text += (text.empty() ? "" : " ") + line.substr(4);
      continue;
    }
    if (line.starts_with("HIP_DEPRECATED")) continue;
    const auto paren = line.find('(');
    if (!text.empty() && paren != std::string::npos && !line.starts_with(" ")) {
      const auto begin = line.find_last_of(" *", paren) + 1;
      out.emplace(line.substr(begin, paren - begin), text);
    }
    text.clear();
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: hip_api_list OUTPUT HEADER...\n";
    return 2;
  }
  std::map<std::string, std::string> texts;
  for (int i = 2; i < argc; ++i) read_descriptions(argv[i], texts);
  std::vector<std::string> done, missing;
  int undescribed = 0;
  for (const Row& row : kRows) {
    std::string version = row.version;
    version[version.rfind('_')] = '.';
    if (std::string_view(row.trait) == "Todo") {
      missing.push_back(row.name);
      continue;
    }
    std::string text = *row.base ? std::string("`") + row.base + "` with a per-thread null stream." : texts[row.name];
    if (text.empty()) {
      std::cerr << row.name << " is implemented but no header describes it\n";
      ++undescribed;
    }
    done.push_back(std::string("| `") + row.name + "` | " + version + " | " + text + " |");
  }
  std::sort(done.begin(), done.end());
  std::sort(missing.begin(), missing.end());
  std::ofstream out(argv[1]);
  out << "# HIP API\n\nMade from `api/hip_runtime.def` and the public headers. " << done.size() << " of "
      << std::size(kRows) << " functions are implemented; the others exist and return `hipErrorNotSupported`.\n\n"
      << "| function | symbol version | what it does |\n|---|---|---|\n";
  for (auto& line : done) out << line << '\n';
  out << "\n## Not implemented\n\n";
  for (auto& name : missing) out << "- `" << name << "`\n";
  return undescribed ? 1 : out ? 0 : 1;
}
