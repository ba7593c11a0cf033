#include "exec/coverage.hpp"
#include "isa/decode.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace bz::exec {

Status append_row_coverage(const std::string& path, isa::Target target) {
  std::FILE* f = std::fopen(path.c_str(), "a");
  if (!f) return error(bz::Code::invalid_argument, "BZ_COVERAGE={}: {}", path, std::strerror(errno));
  auto counts = row_coverage();
  for (size_t i = 0; i < counts.size(); ++i)
    if (counts[i]) std::fprintf(f, "%s %llu\n", isa::row_meta(static_cast<isa::RowId>(i)).name_on(target), static_cast<unsigned long long>(counts[i]));
  if (std::fclose(f) != 0) return error(bz::Code::invalid_argument, "BZ_COVERAGE={}: {}", path, std::strerror(errno));
  return {};
}

} // namespace bz::exec
