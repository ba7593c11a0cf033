// How often each row of isa/ has been executed (index = RowId). With BZ_COVERAGE=file, each engine adds its counts to that
// file when it goes away or the process ends, one "target name count" a line; `bz isa coverage` reads it.
#pragma once
#include "isa/target.hpp"

#include <cstdint>
#include <mutex>
#include <set>
#include <sys/types.h>
#include <vector>

namespace bz::exec {

/// True if BZ_COVERAGE names a file.
bool coverage_wanted();

/// The record of one engine. Workers count in arrays of their own, which they show here for as long as they live.
class RowRecord {
public:
  explicit RowRecord(isa::Target target);
  ~RowRecord();
  RowRecord(const RowRecord&) = delete;
  RowRecord& operator=(const RowRecord&) = delete;

  void begin(const std::vector<uint64_t>& counts);
  void end(const std::vector<uint64_t>& counts);
  /// Appends what was executed to the file, once; a child that was forked off leaves it to its parent.
  void write();

private:
  isa::Target target_;
  const bool wanted_;
  const pid_t process_;
  bool written_ = false;
  std::mutex mutex_;
  std::vector<uint64_t> gone_;
  std::set<const std::vector<uint64_t>*> live_;
};

} // namespace bz::exec
