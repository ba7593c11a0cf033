#include "exec/mutants/mutants.hpp"

#include "exec/op.hpp"

#include <array>
#include <cstring>
#include <mutex>

namespace bz::exec {
const Level& level_mutant();   // exec/interp/level.cpp in the namespace of this instance
}

namespace bz::exec::mutants {

State state;

const Level& level() { return level_mutant(); }

std::string_view name_of(Kind k) {
  static constexpr std::array<std::string_view, static_cast<size_t>(Kind::count_)> kNames = {
      "none", "drop", "low", "rest", "plus", "negate", "swap", "other", "number", "number2", "arg0",
      "arg1", "arg2", "arg3", "offset", "dest", "source0", "source1", "source2", "result"};
  static_assert(kNames.back() == "result");
  return kNames[static_cast<size_t>(k)];
}

void forget() {
  restore();
  state = {};
}

void restore() {
  Evaluation& e = evaluation;
  if (e.altered) std::memcpy(static_cast<void*>(e.altered), e.original, sizeof(Op));
  e.altered = nullptr;
}

void note(const Evaluation& e, std::string_view call, Kinds kinds) {
  static std::mutex mutex;
  std::lock_guard lock(mutex);
  auto [at, is_new] = state.known.try_emplace(e.path, state.sites.size());
  if (is_new) state.sites.push_back({e.path, e.depth, call, kinds, 0});
  state.sites[at->second].last_run = state.run;
}

} // namespace bz::exec::mutants
