// How often each row of isa/ has been executed by an engine (index = RowId). With BZ_COVERAGE=file an engine that goes away
// adds its counts to that file, one "target name count" a line; `bz isa coverage` reads it.
#pragma once
#include "base/status.hpp"
#include "isa/target.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace bz::exec {

/// Appends the rows that were executed.
Status append_row_coverage(const std::string& path, isa::Target target, const std::vector<uint64_t>& counts);

} // namespace bz::exec
