// The trace of calls: AMD_LOG_LEVEL >= 3 to stderr, or to AMD_LOG_LEVEL_FILE. libhiprtc traces with it too.
#include "base/environment.hpp"
#include "hip/runtime/entry.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace bz::hip {

bool trace_enabled() {
  constexpr long kCalls = 3, kMost = 5;
  static const bool enabled = environment_number("hip", "AMD_LOG_LEVEL", 0, 0, kMost) >= kCalls;
  return enabled;
}

void trace_line(std::string_view text) {
  static std::FILE* file = [] {
    const char* name = std::getenv("AMD_LOG_LEVEL_FILE");
    std::FILE* f = name && *name ? std::fopen(name, "a") : nullptr;
    return f ? f : stderr;
  }();
  // Not the device's clock: the first calls come before there is one.
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
  std::fprintf(file, ":3:hip: %lld us: %.*s\n", static_cast<long long>(us), int(text.size()), text.data());
  std::fflush(file);
}

} // namespace bz::hip
