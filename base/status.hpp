// Status and Expected<T>: how a failure travels inside Boltzmann. A room's own boundary translates Code into the ABI's
// number in one total switch; nowhere else is a code translated. Knows nothing of GPUs.
#pragma once
#include <fmt/format.h>

#include <cassert>
#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <variant>

namespace bz {

/// What kind of failure it is. Boundaries map these to errno, HSAKMT status, hsa_status_t and hipError_t.
enum class Code {
  ok,
  invalid_argument,  ///< a value outside its documented range
  invalid_handle,    ///< a handle that never existed or was destroyed
  not_found,         ///< a name, file or symbol that isn't there
  out_of_memory,     ///< host memory, VRAM budget or address space is used up
  out_of_resources,  ///< queues, events, doorbells or another bounded table is full
  invalid_image,     ///< bytes that are not a well-formed code object, bundle or metadata note
  wrong_target,      ///< a well-formed code object for another GPU target
  unsupported,       ///< known, but not implemented or not possible here: the message names the thing
  busy,              ///< the object is in use
  timed_out,         ///< a wait ended without its condition
  fault,             ///< memory that can't be read or written
  internal,          ///< a broken promise of our own code
};

const char* code_name(Code);

/// A code, a message for the user that names the thing and the remedy, and the source place it came from.
class [[nodiscard]] Status {
public:
  Status() = default;
  Status(Code code, std::string message, std::source_location at = std::source_location::current())
      : code_(code), message_(std::move(message)), at_(at) {}

  bool ok() const { return code_ == Code::ok; }
  explicit operator bool() const { return ok(); }
  Code code() const { return code_; }
  const std::string& message() const { return message_; }
  std::source_location where() const { return at_; }
  /// "invalid_image: the note section is truncated (elf.cpp:120)", for logs.
  std::string to_string() const;

private:
  Code code_ = Code::ok;
  std::string message_;
  std::source_location at_ = std::source_location::current();
};

/// Carries a format string together with the caller's source place.
struct FormatAt {
  fmt::string_view text;
  std::source_location at;
  FormatAt(const char* t, std::source_location a = std::source_location::current()) : text(t), at(a) {}
};

/// error(Code::not_found, "no symbol {} in {}", name, file)
template <class... Args> Status error(Code code, FormatAt format, const Args&... args) {
  return Status(code, fmt::vformat(format.text, fmt::make_format_args(args...)), format.at);
}

/// A T or the Status that says why there is none.
template <class T> class [[nodiscard]] Expected {
public:
  Expected(T value) : value_(std::in_place_index<0>, std::move(value)) {}
  Expected(Status status) : value_(std::in_place_index<1>, std::move(status)) {
    assert(!std::get<1>(value_).ok() && "an Expected without a value needs a failure");
  }
  bool ok() const { return value_.index() == 0; }
  explicit operator bool() const { return ok(); }
  T& value() & { return std::get<0>(value_); }
  const T& value() const& { return std::get<0>(value_); }
  T&& value() && { return std::get<0>(std::move(value_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }
  Status status() const { return ok() ? Status() : std::get<1>(value_); }

private:
  std::variant<T, Status> value_;
};

inline Status as_status(Status s) { return s; }
template <class T> Status as_status(const Expected<T>& e) { return e.status(); }

} // namespace bz

#define BZ_CAT2(a, b) a##b
#define BZ_CAT(a, b) BZ_CAT2(a, b)
/// BZ_TRY(expr): passes a failure of a Status or Expected expression up to the caller.
#define BZ_TRY(...)                                                                                                    \
  do {                                                                                                                 \
    if (auto&& bz_try_ = (__VA_ARGS__); !bz_try_.ok()) return ::bz::as_status(bz_try_);                                \
  } while (0)
/// BZ_TRY_ASSIGN(auto x, expr): x is the value, or the failure goes up.
#define BZ_TRY_ASSIGN(decl, ...)                                                                                       \
  auto BZ_CAT(bz_try_, __LINE__) = (__VA_ARGS__);                                                                      \
  if (!BZ_CAT(bz_try_, __LINE__).ok()) return BZ_CAT(bz_try_, __LINE__).status();                                      \
  decl = std::move(*BZ_CAT(bz_try_, __LINE__))
