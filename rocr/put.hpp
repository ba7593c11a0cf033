// Answers of the get_info calls: value is a void* to a type that the attribute names. Owns nothing.
#pragma once
#include "rocr/outcome.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace bz::rocr {

/// Writes an answer of type T; the caller's memory may be unaligned.
template <class T> Outcome put(void* value, const T& answer) {
  std::memcpy(value, &answer, sizeof(T));
  return {};
}
/// Writes a text into char[size], padded with zeros and always ended by one.
inline Outcome put_text(void* value, std::string_view text, size_t size) {
  std::memset(value, 0, size);
  std::memcpy(value, text.data(), std::min(text.size(), size - 1));
  return {};
}
/// Writes a text without a final zero.
inline Outcome put_chars(void* value, std::string_view text) {
  std::memcpy(value, text.data(), text.size());
  return {};
}
template <class T> Outcome bad_attribute(T attribute) {
  return fail(HSA_STATUS_ERROR_INVALID_ARGUMENT, "{:#x} is no attribute of this call",
              static_cast<uint32_t>(attribute));
}

} // namespace bz::rocr
