// What the functions of libhiprtc return inside: a code, and words for the log. Must not know where a failure came from.
#pragma once
#include "base/status.hpp"

#include <hip/hiprtc.h>

namespace bz::rtc {

class [[nodiscard]] Result {
public:
  Result() = default;
  Result(hiprtcResult code, std::string message) : code_(code), message_(std::move(message)) {}
  hiprtcResult code() const { return code_; }
  bool ok() const { return code_ == HIPRTC_SUCCESS; }
  const std::string& message() const { return message_; }

private:
  hiprtcResult code_ = HIPRTC_SUCCESS;
  std::string message_;
};

template <class... Args> Result fail(hiprtcResult code, fmt::format_string<Args...> format, Args&&... args) {
  return Result(code, fmt::format(format, std::forward<Args>(args)...));
}

/// "HIPRTC_ERROR_COMPILATION", or null for a number that is no result.
const char* result_name(hiprtcResult code);

} // namespace bz::rtc

/// Refuses a null pointer argument by its name.
#define RTC_NONNULL(pointer)                                                                                           \
  do {                                                                                                                 \
    if (!(pointer)) return ::bz::rtc::fail(HIPRTC_ERROR_INVALID_INPUT, "argument {} is null", #pointer);               \
  } while (0)
