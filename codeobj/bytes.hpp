// Views of untrusted bytes with checked reads. Every offset and size of a foreign file goes through here.
// Knows no file format.
#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <type_traits>

namespace bz::codeobj {

static_assert(std::endian::native == std::endian::little, "code objects are little-endian and read by plain copies");

using Bytes = std::span<const std::byte>;

inline Bytes as_bytes(const void* data, size_t size) { return {static_cast<const std::byte*>(data), size}; }
inline Bytes as_bytes(std::string_view text) { return as_bytes(text.data(), text.size()); }
inline std::string_view as_text(Bytes b) { return {reinterpret_cast<const char*>(b.data()), b.size()}; }

/// True if [offset, offset + size) lies in [0, total): no sum is formed that could wrap.
constexpr bool in_range(uint64_t offset, uint64_t size, uint64_t total) {
  return offset <= total && size <= total - offset;
}

/// The part [offset, offset + size), or nothing if it isn't all there.
inline std::optional<Bytes> slice(Bytes b, uint64_t offset, uint64_t size) {
  if (!in_range(offset, size, b.size())) return std::nullopt;
  return b.subspan(static_cast<size_t>(offset), static_cast<size_t>(size));
}

/// A T copied from `offset` (any alignment), or nothing if it isn't all there.
template <class T> std::optional<T> read(Bytes b, uint64_t offset) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (!in_range(offset, sizeof(T), b.size())) return std::nullopt;
  T value;
  std::memcpy(&value, b.data() + offset, sizeof(T));
  return value;
}

/// value rounded up to a power of two, or nothing if that wraps.
constexpr std::optional<uint64_t> align_up(uint64_t value, uint64_t alignment) {
  uint64_t mask = alignment - 1;
  if (value > UINT64_MAX - mask) return std::nullopt;
  return (value + mask) & ~mask;
}

} // namespace bz::codeobj
