// A small msgpack reader over untrusted bytes: one token at a time, nothing allocated, no recursion. Internal to the
// room. Knows the encoding (msgpack.org specification), not what the values mean.
#pragma once
#include "base/status.hpp"
#include "codeobj/bytes.hpp"

#include <cstdint>
#include <string_view>

namespace bz::codeobj {

struct MsgpackToken {
  enum class Type { nil, boolean, uint, negative, real, string, binary, array, map, extension };
  Type type = Type::nil;
  uint64_t number = 0;       ///< uint; boolean 0 or 1; array and map: how many elements or pairs follow
  int64_t signed_number = 0; ///< negative
  double real = 0;
  std::string_view text; ///< string, binary, extension
};

const char* msgpack_type_name(MsgpackToken::Type);

class MsgpackReader {
public:
  explicit MsgpackReader(Bytes bytes) : bytes_(bytes) {}

  /// The next token; the elements of an array or map follow as tokens of their own. A count that the rest of the bytes
  /// can't hold is an error, so that counts are safe to reserve for.
  Expected<MsgpackToken> next();
  /// Skips one whole value, however deep.
  Status skip();

  // One value of a wanted type. Messages start with a verb ("is a string instead of an integer"): the caller puts the
  // name of the value before them.
  Expected<std::string_view> string();
  Expected<uint32_t> uint32();
  Expected<bool> boolean(); ///< also an integer 0 or 1
  Expected<uint64_t> array();
  Expected<uint64_t> map();

  size_t offset() const { return offset_; }
  bool at_end() const { return offset_ == bytes_.size(); }

private:
  template <class T> Expected<T> big_endian();
  Expected<std::string_view> take(uint64_t size);
  Expected<MsgpackToken> counted(MsgpackToken::Type type, uint64_t count);
  Expected<MsgpackToken> of_type(MsgpackToken::Type type);

  Bytes bytes_;
  size_t offset_ = 0;
};

} // namespace bz::codeobj
