#include "reduce.hpp"

#include "trial.hpp"

#include <algorithm>
#include <cstdio>

namespace bz::random {
namespace {

/// The kind of failure: a program that fails otherwise than the first is no smaller form of it.
std::string kind_of(const std::vector<std::string>& wrong) {
  if (wrong.empty()) return "";
  const std::string& w = wrong.front();
  for (const char* kind : {"compiler", "no end", "died", "error"})
    if (w.starts_with(kind)) return kind;
  return "difference";
}

} // namespace

int reduce(const Program& program, int kernel, const std::string& target, const std::string& level) {
  std::string said;
  auto failure = [&](const std::set<int>& dropped) -> std::string {
    Trial trial(program, kernel, dropped);
    if (!trial.prepare(false).empty()) return "host";
    const std::vector<std::string> wrong = trial.run(target, level);
    if (!wrong.empty()) said = wrong.front();
    return kind_of(wrong);
  };
  std::set<int> dropped;
  const std::string kind = failure(dropped);
  if (kind.empty() || kind == "host") {
    std::printf("nothing to reduce: the kernel passes\n");
    return 1;
  }
  std::vector<int> ids = program.kernels[static_cast<size_t>(kernel)].ids;
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (size_t chunk = std::max<size_t>(ids.size() / 2, 1);; chunk /= 2) {
      for (size_t at = 0; at < ids.size();) {
        std::set<int> tried = dropped;
        const size_t end = std::min(at + chunk, ids.size());
        tried.insert(ids.begin() + static_cast<long>(at), ids.begin() + static_cast<long>(end));
        if (failure(tried) == kind) {
          dropped = tried;
          ids.erase(ids.begin() + static_cast<long>(at), ids.begin() + static_cast<long>(end));
          smaller = true;
          std::fprintf(stderr, "%zu statements left\n", ids.size());
        } else {
          at = end;
        }
      }
      if (chunk <= 1) break;
    }
  }
  (void)failure(dropped);
  for (size_t at = 0; (at = said.find('\n', at)) != std::string::npos; at += 3) said.replace(at, 1, "\n//"); // a comment
  std::printf("%s// %s -%s: %s\n", print(program, kernel, dropped).c_str(), target.c_str(), level.c_str(), said.c_str());
  return 0;
}

} // namespace bz::random
