#include "exec/coverage.hpp"
#include "base/environment.hpp"
#include "base/log.hpp"
#include "isa/decode.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <string>
#include <unistd.h>

namespace bz::exec {
namespace {

std::string path() { return environment("BZ_COVERAGE"); }

/// Records that are to be written at the end of the process: engines of a device live as long as it.
struct Open {
  std::mutex mutex;
  std::set<RowRecord*> records;
};
Open& open_records() {
  static auto* open = [] {
    std::atexit([] {
      auto& o = open_records();
      std::lock_guard lock(o.mutex);
      for (auto* r : o.records) r->write();
    });
    return new Open;
  }();
  return *open;
}

void add(std::vector<uint64_t>& sum, const std::vector<uint64_t>& counts) {
  sum.resize(std::max(sum.size(), counts.size()));
  for (size_t i = 0; i < counts.size(); ++i) sum[i] += counts[i];
}

/// 0 or an errno.
int append(const std::string& file, const std::string& lines) {
  int fd = ::open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0) return errno;
  ssize_t written = ::write(fd, lines.data(), lines.size());   // one write: other processes append to the same file
  int why = written < 0 ? errno : static_cast<size_t>(written) < lines.size() ? ENOSPC : 0;
  ::close(fd);
  return why;
}

} // namespace

bool coverage_wanted() { return !path().empty(); }

RowRecord::RowRecord(isa::Target target) : target_(target), wanted_(coverage_wanted()), process_(::getpid()) {
  if (!wanted_) return;
  auto& o = open_records();
  std::lock_guard lock(o.mutex);
  o.records.insert(this);
}

RowRecord::~RowRecord() {
  if (!wanted_) return;
  auto& o = open_records();
  std::lock_guard lock(o.mutex);
  o.records.erase(this);
  write();
}

void RowRecord::begin(const std::vector<uint64_t>& counts) {
  std::lock_guard lock(mutex_);
  live_.insert(&counts);
}

void RowRecord::end(const std::vector<uint64_t>& counts) {
  std::lock_guard lock(mutex_);
  live_.erase(&counts);
  if (wanted_) add(gone_, counts);
}

void RowRecord::write() {
  if (::getpid() != process_) return;
  std::lock_guard lock(mutex_);
  if (!wanted_ || written_ || !coverage_wanted()) return;
  written_ = true;
  auto sum = gone_;
  for (auto* counts : live_) add(sum, *counts);
  std::string lines;
  for (size_t i = 0; i < sum.size(); ++i)
    if (sum[i]) lines += fmt::format("{} {} {}\n", isa::target_name(target_), isa::row_meta(static_cast<isa::RowId>(i)).name_on(target_), sum[i]);
  if (lines.empty()) return;
  if (int why = append(path(), lines)) log("exec", bz::Level::error, "BZ_COVERAGE={}: {}", path(), std::strerror(why));
}

} // namespace bz::exec
