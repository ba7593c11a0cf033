// The files that a compilation without anything on disk needs: our HIP headers, clang's own headers, the device libraries.
// embedded.cpp is generated (embed.cmake). Paths are those of a ROCm tree below kRoot.
#pragma once
#include <cstddef>
#include <span>

namespace bz::rtc {

/// Where the embedded files appear. No such folder exists on any disk, and diagnostics show it.
inline constexpr const char* kRoot = "/hiprtc";

struct EmbeddedFile {
  const char* path; ///< "/hiprtc/include/hip/hip_runtime.h"
  const char* begin;
  const char* end; ///< a zero byte stands there
};
std::span<const EmbeddedFile> embedded_files();

} // namespace bz::rtc
