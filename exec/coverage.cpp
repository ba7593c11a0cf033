#include "exec/coverage.hpp"
#include "isa/decode.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace bz::exec {

Status append_row_coverage(const std::string& path, isa::Target target, const std::vector<uint64_t>& counts) {
  std::string lines;
  for (size_t i = 0; i < counts.size(); ++i)
    if (counts[i]) lines += fmt::format("{} {} {}\n", isa::target_name(target), isa::row_meta(static_cast<isa::RowId>(i)).name_on(target), counts[i]);
  if (lines.empty()) return {};
  int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0) return error(bz::Code::invalid_argument, "BZ_COVERAGE={}: {}", path, std::strerror(errno));
  // One write: other processes append to the same file.
  ssize_t written = ::write(fd, lines.data(), lines.size());
  int why = errno;
  ::close(fd);
  if (written != static_cast<ssize_t>(lines.size()))
    return error(bz::Code::invalid_argument, "BZ_COVERAGE={}: {}", path, written < 0 ? std::strerror(why) : "the disk is full");
  return {};
}

} // namespace bz::exec
