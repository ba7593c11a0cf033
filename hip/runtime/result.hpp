// Result: what an impl:: function returns, an error code of the API and a message that names the thing and the remedy.
// Failures of the rooms below arrive as bz::Status and are translated here, once. Must not know devices or streams.
#pragma once
#include "base/status.hpp"

#include <hip/host/prologue.h>

#include <string>
#include <utility>
#include <variant>

namespace bz::hip {

/// The one translation of bz::Code to hipError_t.
hipError_t error_of(Code code);

class [[nodiscard]] Result {
public:
  Result() = default;
  Result(hipError_t code) : code_(code) {} ///< an answer that needs no words, like hipErrorNotReady
  Result(hipError_t code, std::string message) : code_(code), message_(std::move(message)) {}
  Result(const Status& status) : code_(error_of(status.code())), message_(status.message()) {}

  hipError_t code() const { return code_; }
  bool ok() const { return code_ == hipSuccess; }
  const std::string& message() const { return message_; }

private:
  hipError_t code_ = hipSuccess;
  std::string message_;
};

/// fail(hipErrorInvalidValue, "pitch {} is smaller than width {}", pitch, width)
template <class... Args> Result fail(hipError_t code, fmt::format_string<Args...> format, Args&&... args) {
  return Result(code, fmt::format(format, std::forward<Args>(args)...));
}

/// A T, or the Result that says why there is none. For codes that bz::Code doesn't have.
template <class T> class [[nodiscard]] Outcome {
public:
  Outcome(T value) : value_(std::in_place_index<0>, std::move(value)) {}
  Outcome(Result failure) : value_(std::in_place_index<1>, std::move(failure)) {}
  Outcome(const Status& failure) : Outcome(Result(failure)) {}
  bool ok() const { return value_.index() == 0; }
  T& operator*() { return std::get<0>(value_); }
  T* operator->() { return &std::get<0>(value_); }
  Result result() const { return ok() ? Result() : std::get<1>(value_); }

private:
  std::variant<T, Result> value_;
};

inline Result as_result(Result r) { return r; }
template <class T> Result as_result(const Outcome<T>& o) { return o.result(); }
inline Result as_result(const Status& s) { return Result(s); }
template <class T> Result as_result(const Expected<T>& e) { return Result(e.status()); }

} // namespace bz::hip

/// Passes a failure (Result, Status or Expected) up from a function that returns Result.
#define HIP_TRY(...)                                                                                                   \
  do {                                                                                                                 \
    if (auto&& hip_try_ = (__VA_ARGS__); !hip_try_.ok()) return ::bz::hip::as_result(hip_try_);                        \
  } while (0)
#define HIP_TRY_ASSIGN(decl, ...)                                                                                      \
  auto BZ_CAT(hip_try_, __LINE__) = (__VA_ARGS__);                                                                     \
  if (!BZ_CAT(hip_try_, __LINE__).ok()) return ::bz::hip::as_result(BZ_CAT(hip_try_, __LINE__));                       \
  decl = std::move(*BZ_CAT(hip_try_, __LINE__))
/// Refuses a null pointer argument by the name that the public header gives it.
#define HIP_NONNULL(pointer) HIP_NONNULL_AS(pointer, #pointer)
#define HIP_NONNULL_AS(pointer, name)                                                                                  \
  do {                                                                                                                 \
    if (!(pointer)) return ::bz::hip::fail(hipErrorInvalidValue, "argument {} is null", name);                         \
  } while (0)
