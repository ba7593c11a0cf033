// How many wave-instructions an engine has run natively and in the interpreter. With BZ_JIT_STATS set it says so on stderr when
// the engine goes away or the process ends.
#pragma once
#include "exec/engine.hpp"

#include <atomic>

namespace bz::exec {

/// True if BZ_JIT_STATS is set: instructions are to be counted.
bool stats_wanted();

class ExecutionStats {
public:
  ExecutionStats();
  ~ExecutionStats();
  ExecutionStats(const ExecutionStats&) = delete;
  ExecutionStats& operator=(const ExecutionStats&) = delete;
  void add(uint64_t native, uint64_t interpreted) {
    native_.fetch_add(native, std::memory_order_relaxed);
    interpreted_.fetch_add(interpreted, std::memory_order_relaxed);
  }
  InstructionCounts counts() const { return {native_, interpreted_}; }
  /// On stderr, once; a child that was forked off leaves it to its parent.
  void say();

private:
  std::atomic<uint64_t> native_{0}, interpreted_{0};
  const bool wanted_;
  std::atomic<bool> said_{false};
};

} // namespace bz::exec
