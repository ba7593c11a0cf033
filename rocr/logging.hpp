// What hsa_amd_enable_logging turns on: lines for a stream of the program, beside BZ_LOG. Owns which and where to.
#pragma once
#include "hsa/hsa_ext_amd.h"

#include <atomic>
#include <cstdio>
#include <string_view>

namespace bz::rocr {

/// Writes to `file` (null: stderr) what the flags say; no flags: nothing any more.
void set_logging(uint64_t flags, std::FILE* file);
inline std::atomic<uint64_t> logging_flags{0};
inline bool logs(hsa_amd_log_flag_t flag) { return logging_flags.load(std::memory_order_relaxed) >> flag & 1; }
void log_for_program(std::string_view line);

} // namespace bz::rocr
