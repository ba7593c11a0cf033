// Outcome and Result<T>: Status and Expected with HSA's finer codes, because a caller of HSA learns which handle was
// wrong. Owns the one translation from bz::Code and from HSAKMT_STATUS to hsa_status_t. Knows no agent, queue or
// memory.
#pragma once
#include "base/status.hpp"
#include "hsa/hsa.h"
#include "hsa/hsa_ext_amd.h"

#include <optional>
#include <source_location>
#include <string>
#include <utility>

namespace bz::rocr {

/// What an impl:: function returns: a status of the interface and, for the log, why.
class [[nodiscard]] Outcome {
public:
  Outcome() = default;
  /// A bare status: success, or what a caller's callback returned.
  Outcome(hsa_status_t code, std::source_location at = std::source_location::current()) : code_(code), at_(at) {}
  Outcome(hsa_status_t code, std::string message, std::source_location at)
      : code_(code), message_(std::move(message)), at_(at) {}
  Outcome(const Status& status);

  bool ok() const { return code_ == HSA_STATUS_SUCCESS; }
  hsa_status_t code() const { return code_; }
  const std::string& message() const { return message_; }
  std::source_location where() const { return at_; }

private:
  hsa_status_t code_ = HSA_STATUS_SUCCESS;
  std::string message_;
  std::source_location at_ = std::source_location::current();
};

/// fail(HSA_STATUS_ERROR_INVALID_AGENT, "{:#x} is no agent", handle)
template <class... Args> Outcome fail(hsa_status_t code, FormatAt format, const Args&... args) {
  return Outcome(code, fmt::vformat(format.text, fmt::make_format_args(args...)), format.at);
}
/// The commonest one: `name` must not be null.
Outcome null_argument(const char* name, std::source_location at = std::source_location::current());

template <class T> class [[nodiscard]] Result {
public:
  Result(T value) : value_(std::move(value)) {}
  Result(Outcome outcome) : outcome_(std::move(outcome)) {}
  Result(const Status& status) : outcome_(status) {}
  bool ok() const { return value_.has_value(); }
  T& operator*() { return *value_; }
  T* operator->() { return &*value_; }
  Outcome outcome() const { return ok() ? Outcome() : outcome_; }

private:
  std::optional<T> value_;
  Outcome outcome_;
};

inline Outcome as_outcome(Outcome o) { return o; }
inline Outcome as_outcome(const Status& s) { return s; }
template <class T> Outcome as_outcome(const Result<T>& r) { return r.outcome(); }
template <class T> Outcome as_outcome(const Expected<T>& e) { return e.status(); }

const char* status_name(hsa_status_t); ///< "HSA_STATUS_ERROR_INVALID_AGENT", or "unknown status"
const char* status_text(hsa_status_t); ///< a sentence for the user, or nullptr for an unknown status

} // namespace bz::rocr

/// ROCR_TRY(expr): passes a failed Status, Expected, Outcome or Result up to the caller.
#define ROCR_TRY(...)                                                                                                  \
  do {                                                                                                                 \
    if (auto&& rocr_try_ = (__VA_ARGS__); !rocr_try_.ok()) return ::bz::rocr::as_outcome(rocr_try_);                   \
  } while (0)
/// ROCR_TRY_ASSIGN(auto x, expr): x is the value, or the failure goes up.
#define ROCR_TRY_ASSIGN(decl, ...)                                                                                     \
  auto BZ_CAT(rocr_try_, __LINE__) = (__VA_ARGS__);                                                                    \
  if (!BZ_CAT(rocr_try_, __LINE__).ok()) return ::bz::rocr::as_outcome(BZ_CAT(rocr_try_, __LINE__));                   \
  decl = std::move(*BZ_CAT(rocr_try_, __LINE__))
