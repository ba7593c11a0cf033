#include "codeobj/msgpack.hpp"

#include <bit>
#include <cstring>

namespace bz::codeobj {
namespace {
using Type = MsgpackToken::Type;

template <class T> T swap_bytes(T value) {
  if constexpr (sizeof(T) == 1) return value;
  if constexpr (sizeof(T) == 2) return __builtin_bswap16(value);
  if constexpr (sizeof(T) == 4) return __builtin_bswap32(value);
  if constexpr (sizeof(T) == 8) return __builtin_bswap64(value);
}
} // namespace

const char* msgpack_type_name(Type type) {
  switch (type) {
  case Type::nil:
    return "nil";
  case Type::boolean:
    return "boolean";
  case Type::uint:
    return "integer";
  case Type::negative:
    return "negative integer";
  case Type::real:
    return "floating point number";
  case Type::string:
    return "string";
  case Type::binary:
    return "binary";
  case Type::array:
    return "array";
  case Type::map:
    return "map";
  case Type::extension:
    return "extension";
  }
  return "unknown";
}

template <class T> Expected<T> MsgpackReader::big_endian() {
  std::optional<T> value = read<T>(bytes_, offset_);
  if (!value) return error(Code::invalid_image, "is truncated at offset {}", offset_);
  offset_ += sizeof(T);
  return swap_bytes(*value);
}

Expected<std::string_view> MsgpackReader::take(uint64_t size) {
  std::optional<Bytes> part = slice(bytes_, offset_, size);
  if (!part)
    return error(Code::invalid_image, "wants {} bytes at offset {}, but {} are left", size, offset_,
                 bytes_.size() - offset_);
  offset_ += static_cast<size_t>(size);
  return as_text(*part);
}

Expected<MsgpackToken> MsgpackReader::counted(Type type, uint64_t count) {
  uint64_t least = type == Type::map ? 2 * count : count; // count is at most 2^32 - 1; an element takes a byte or more
  if (least > bytes_.size() - offset_)
    return error(Code::invalid_image, "has an {} of {} elements at offset {}, but only {} bytes are left",
                 msgpack_type_name(type), count, offset_, bytes_.size() - offset_);
  MsgpackToken t;
  t.type = type;
  t.number = count;
  return t;
}

Expected<MsgpackToken> MsgpackReader::next() {
  BZ_TRY_ASSIGN(const uint8_t lead, big_endian<uint8_t>());
  MsgpackToken t;
  auto sized_text = [&](Type type, auto size_tag, bool extension) -> Expected<MsgpackToken> {
    BZ_TRY_ASSIGN(uint64_t size, big_endian<decltype(size_tag)>());
    BZ_TRY_ASSIGN(t.text, take(size + extension)); // an extension has one type byte before its data
    t.type = type;
    return t;
  };
  auto fixed_text = [&](Type type, uint64_t size) -> Expected<MsgpackToken> {
    BZ_TRY_ASSIGN(t.text, take(size));
    t.type = type;
    return t;
  };
  auto number = [&](uint64_t value) {
    t.type = Type::uint;
    t.number = value;
    return t;
  };
  auto signed_number = [&](int64_t value) {
    if (value >= 0) return number(static_cast<uint64_t>(value));
    t.type = Type::negative;
    t.signed_number = value;
    return t;
  };
  if (lead <= 0x7f) return number(lead);
  if (lead <= 0x8f) return counted(Type::map, lead & 0x0f);
  if (lead <= 0x9f) return counted(Type::array, lead & 0x0f);
  if (lead <= 0xbf) return fixed_text(Type::string, lead & 0x1f);
  if (lead >= 0xe0) return signed_number(static_cast<int8_t>(lead));
  switch (lead) {
  case 0xc0:
    return t;
  case 0xc2:
  case 0xc3:
    t.type = Type::boolean;
    t.number = lead & 1;
    return t;
  case 0xc4:
    return sized_text(Type::binary, uint8_t{}, false);
  case 0xc5:
    return sized_text(Type::binary, uint16_t{}, false);
  case 0xc6:
    return sized_text(Type::binary, uint32_t{}, false);
  case 0xc7:
    return sized_text(Type::extension, uint8_t{}, true);
  case 0xc8:
    return sized_text(Type::extension, uint16_t{}, true);
  case 0xc9:
    return sized_text(Type::extension, uint32_t{}, true);
  case 0xca: {
    BZ_TRY_ASSIGN(uint32_t word, big_endian<uint32_t>());
    t.type = Type::real;
    t.real = std::bit_cast<float>(word);
    return t;
  }
  case 0xcb: {
    BZ_TRY_ASSIGN(uint64_t word, big_endian<uint64_t>());
    t.type = Type::real;
    t.real = std::bit_cast<double>(word);
    return t;
  }
  case 0xcc: {
    BZ_TRY_ASSIGN(auto v, big_endian<uint8_t>());
    return number(v);
  }
  case 0xcd: {
    BZ_TRY_ASSIGN(auto v, big_endian<uint16_t>());
    return number(v);
  }
  case 0xce: {
    BZ_TRY_ASSIGN(auto v, big_endian<uint32_t>());
    return number(v);
  }
  case 0xcf: {
    BZ_TRY_ASSIGN(auto v, big_endian<uint64_t>());
    return number(v);
  }
  case 0xd0: {
    BZ_TRY_ASSIGN(auto v, big_endian<uint8_t>());
    return signed_number(static_cast<int8_t>(v));
  }
  case 0xd1: {
    BZ_TRY_ASSIGN(auto v, big_endian<uint16_t>());
    return signed_number(static_cast<int16_t>(v));
  }
  case 0xd2: {
    BZ_TRY_ASSIGN(auto v, big_endian<uint32_t>());
    return signed_number(static_cast<int32_t>(v));
  }
  case 0xd3: {
    BZ_TRY_ASSIGN(auto v, big_endian<uint64_t>());
    return signed_number(static_cast<int64_t>(v));
  }
  case 0xd4:
    return fixed_text(Type::extension, 1 + 1);
  case 0xd5:
    return fixed_text(Type::extension, 1 + 2);
  case 0xd6:
    return fixed_text(Type::extension, 1 + 4);
  case 0xd7:
    return fixed_text(Type::extension, 1 + 8);
  case 0xd8:
    return fixed_text(Type::extension, 1 + 16);
  case 0xd9:
    return sized_text(Type::string, uint8_t{}, false);
  case 0xda:
    return sized_text(Type::string, uint16_t{}, false);
  case 0xdb:
    return sized_text(Type::string, uint32_t{}, false);
  case 0xdc: {
    BZ_TRY_ASSIGN(auto n, big_endian<uint16_t>());
    return counted(Type::array, n);
  }
  case 0xdd: {
    BZ_TRY_ASSIGN(auto n, big_endian<uint32_t>());
    return counted(Type::array, n);
  }
  case 0xde: {
    BZ_TRY_ASSIGN(auto n, big_endian<uint16_t>());
    return counted(Type::map, n);
  }
  case 0xdf: {
    BZ_TRY_ASSIGN(auto n, big_endian<uint32_t>());
    return counted(Type::map, n);
  }
  default:
    return error(Code::invalid_image, "has byte 0x{:02x} at offset {}, which starts no msgpack value", lead,
                 offset_ - 1);
  }
}

Status MsgpackReader::skip() {
  for (uint64_t pending = 1; pending > 0; --pending) {
    BZ_TRY_ASSIGN(const MsgpackToken t, next());
    if (t.type == Type::array) pending += t.number; // bounded by the bytes left: see counted()
    if (t.type == Type::map) pending += 2 * t.number;
  }
  return {};
}

Expected<MsgpackToken> MsgpackReader::of_type(Type type) {
  size_t at = offset_;
  BZ_TRY_ASSIGN(MsgpackToken t, next());
  if (t.type != type)
    return error(Code::invalid_image, "should be of type {}, but is of type {} (offset {})", msgpack_type_name(type),
                 msgpack_type_name(t.type), at);
  return t;
}

Expected<std::string_view> MsgpackReader::string() {
  BZ_TRY_ASSIGN(MsgpackToken t, of_type(Type::string));
  return t.text;
}

Expected<uint32_t> MsgpackReader::uint32() {
  BZ_TRY_ASSIGN(MsgpackToken t, of_type(Type::uint));
  if (t.number > UINT32_MAX) return error(Code::invalid_image, "is {}: beyond 32 bits", t.number);
  return static_cast<uint32_t>(t.number);
}

Expected<bool> MsgpackReader::boolean() {
  BZ_TRY_ASSIGN(MsgpackToken t, next());
  if ((t.type != Type::boolean && t.type != Type::uint) || t.number > 1)
    return error(Code::invalid_image, "is not a boolean");
  return t.number == 1;
}

Expected<uint64_t> MsgpackReader::array() {
  BZ_TRY_ASSIGN(MsgpackToken t, of_type(Type::array));
  return t.number;
}

Expected<uint64_t> MsgpackReader::map() {
  BZ_TRY_ASSIGN(MsgpackToken t, of_type(Type::map));
  return t.number;
}

} // namespace bz::codeobj
