#include "rocr/logging.hpp"

#include <mutex>

namespace bz::rocr {

namespace {
std::mutex mutex;
std::FILE* stream = nullptr;
} // namespace

void set_logging(uint64_t flags, std::FILE* file) {
  std::lock_guard lock(mutex);
  stream = file ? file : stderr;
  logging_flags = flags;
}

void log_for_program(std::string_view line) {
  std::lock_guard lock(mutex);
  if (!stream) return;
  std::fprintf(stream, "hsa: %.*s\n", static_cast<int>(line.size()), line.data());
  std::fflush(stream);
}

} // namespace bz::rocr
