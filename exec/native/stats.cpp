#include "exec/native/stats.hpp"
#include "base/environment.hpp"
#include "base/fork.hpp"

#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <mutex>
#include <set>

namespace bz::exec {
namespace {

/// Engines of a device live as long as the process.
struct Open {
  std::mutex mutex;
  std::set<ExecutionStats*> stats;
};
Open& open_stats() {
  static auto* open = [] {
    watch_forks();
    std::atexit([] {
      auto& o = open_stats();
      std::lock_guard lock(o.mutex);
      for (auto* s : o.stats) s->say();
    });
    return new Open;
  }();
  return *open;
}

} // namespace

bool stats_wanted() { return !environment("BZ_JIT_STATS").empty(); }

ExecutionStats::ExecutionStats() : wanted_(stats_wanted()) {
  if (!wanted_) return;
  auto& o = open_stats();
  std::lock_guard lock(o.mutex);
  o.stats.insert(this);
}

ExecutionStats::~ExecutionStats() {
  if (!wanted_) return;
  auto& o = open_stats();
  std::lock_guard lock(o.mutex);
  o.stats.erase(this);
  say();
}

void ExecutionStats::say() {
  const uint64_t native = native_, all = native + interpreted_;
  if (!all || forked_child() || said_.exchange(true)) return;
  fmt::print(stderr, "BZ_JIT_STATS: {} of {} wave-instructions ran natively ({:.2f} %)\n", native, all, 100.0 * static_cast<double>(native) / static_cast<double>(all));
}

} // namespace bz::exec
