// How often each row of isa/ has been executed in this process (index = RowId), over all engines and workers. With
// BZ_COVERAGE=file the counts are added to that file, one "name count" a line, when an engine goes away.
#pragma once
#include "base/status.hpp"
#include "isa/target.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace bz::exec {

std::vector<uint64_t> row_coverage();
/// Appends the rows that were executed.
Status append_row_coverage(const std::string& path, isa::Target target);

} // namespace bz::exec
