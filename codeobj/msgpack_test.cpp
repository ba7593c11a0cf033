#include "codeobj/msgpack.hpp"

#include <gtest/gtest.h>
#include <string>

namespace bz::codeobj {
namespace {
using Type = MsgpackToken::Type;
using namespace std::string_literals;

Expected<MsgpackToken> first(const std::string& bytes) { return MsgpackReader(as_bytes(bytes)).next(); }

// Encodings written by hand from the msgpack specification.
TEST(Msgpack, Numbers) {
  const std::pair<std::string, uint64_t> rows[] = {{"\x00"s, 0},
                                                   {"\x7f", 127},
                                                   {"\xcc\xff", 255},
                                                   {"\xcd\x12\x34", 0x1234},
                                                   {"\xce\x12\x34\x56\x78", 0x12345678},
                                                   {"\xcf\x01\x02\x03\x04\x05\x06\x07\x08", 0x0102030405060708},
                                                   {"\xd0\x05", 5},
                                                   {"\xd1\x7f\xff", 0x7fff}};
  for (const auto& [bytes, value] : rows) {
    Expected<MsgpackToken> t = first(bytes);
    ASSERT_TRUE(t) << t.status().message();
    EXPECT_EQ(t->type, Type::uint);
    EXPECT_EQ(t->number, value);
  }
  const std::pair<std::string, int64_t> negative[] = {{"\xff", -1},
                                                      {"\xe0", -32},
                                                      {"\xd0\x80", -128},
                                                      {"\xd1\x80\x00"s, -32768},
                                                      {"\xd2\xff\xff\xff\xfe", -2},
                                                      {"\xd3\x80\x00\x00\x00\x00\x00\x00\x00"s, INT64_MIN}};
  for (const auto& [bytes, value] : negative) {
    Expected<MsgpackToken> t = first(bytes);
    ASSERT_TRUE(t) << t.status().message();
    EXPECT_EQ(t->type, Type::negative);
    EXPECT_EQ(t->signed_number, value);
  }
  EXPECT_EQ(first("\xca\x3f\xc0\x00\x00"s)->real, 1.5);
  EXPECT_EQ(first("\xcb\xc0\x04\x00\x00\x00\x00\x00\x00"s)->real, -2.5);
  EXPECT_EQ(first("\xc3")->number, 1u);
  EXPECT_EQ(first("\xc2")->type, Type::boolean);
  EXPECT_EQ(first("\xc0")->type, Type::nil);
}

TEST(Msgpack, TextAndContainers) {
  EXPECT_EQ(first("\xa3"
                  "abc")
                ->text,
            "abc");
  EXPECT_EQ(first("\xd9\x03"
                  "abc")
                ->text,
            "abc");
  EXPECT_EQ(first("\xda\x00\x03"
                  "abc"s)
                ->text,
            "abc");
  EXPECT_EQ(first("\xdb\x00\x00\x00\x03"
                  "abc"s)
                ->text,
            "abc");
  EXPECT_EQ(first("\xc4\x02"
                  "xy")
                ->type,
            Type::binary);
  EXPECT_EQ(first("\xc5\x00\x02"
                  "xy"s)
                ->text,
            "xy");
  EXPECT_EQ(first("\xc6\x00\x00\x00\x02"
                  "xy"s)
                ->text,
            "xy");
  EXPECT_EQ(first("\xd4\x07"
                  "x")
                ->text,
            "\x07"
            "x");
  EXPECT_EQ(first("\xd8\x07"
                  "0123456789abcdef")
                ->text.size(),
            17u);
  EXPECT_EQ(first("\xc7\x01\x07"
                  "x")
                ->type,
            Type::extension);
  EXPECT_EQ(first("\x92\x01\x02")->number, 2u);
  EXPECT_EQ(first("\xdc\x00\x02\x01\x02"s)->type, Type::array);
  EXPECT_EQ(first("\xdd\x00\x00\x00\x01\x02"s)->number, 1u);
  EXPECT_EQ(first("\x81\x01\x02")->type, Type::map);
  EXPECT_EQ(first("\xde\x00\x01\x01\x02"s)->number, 1u);
  EXPECT_EQ(first("\xdf\x00\x00\x00\x01\x01\x02"s)->number, 1u);
}

TEST(Msgpack, TruncatedOrAbsurd) {
  const std::string rows[] = {""s,
                              "\xcc"s,
                              "\xcd\x01"s,
                              "\xcf\x01\x02"s,
                              "\xa5"
                              "abcd"s,
                              "\xd9"s,
                              "\xd9\x05"
                              "abc",
                              "\xdb\xff\xff\xff\xff"
                              "abc",
                              "\xc7\x02\x01"
                              "x"s,
                              "\x92\x01"s,
                              "\x82\x01\x02\x03"s,
                              "\xdd\xff\xff\xff\xff\x01"s,
                              "\xdf\xff\xff\xff\xff\x01\x02"s,
                              "\xc1"s};
  for (const std::string& bytes : rows) {
    Expected<MsgpackToken> t = first(bytes);
    EXPECT_EQ(t.status().code(), Code::invalid_image) << testing::PrintToString(bytes);
  }
}

TEST(Msgpack, SkipIsFlatAndBounded) {
  std::string deep(200000, '\x91'); // an array in an array in an array ...
  deep += '\x05';
  MsgpackReader in(as_bytes(deep));
  EXPECT_TRUE(in.skip());
  EXPECT_TRUE(in.at_end());
  deep.pop_back();
  MsgpackReader cut(as_bytes(deep));
  EXPECT_FALSE(cut.skip());
  std::string mixed = "\x82\xa1"
                      "a\x93\x01\x02\x03\xa1"
                      "b\xc0\x2a";
  MsgpackReader two(as_bytes(mixed));
  EXPECT_TRUE(two.skip());
  EXPECT_EQ(*two.uint32(), 42u);
}

TEST(Msgpack, WantedTypes) {
  std::string number = "\x05",
              text = "\xa1"
                     "x",
              wide = "\xcf\x00\x00\x00\x01\x00\x00\x00\x00"s, two = "\x02";
  EXPECT_EQ(MsgpackReader(as_bytes(number)).string().status().message(),
            "should be of type string, but is of type integer (offset 0)");
  EXPECT_FALSE(MsgpackReader(as_bytes(text)).uint32());
  EXPECT_FALSE(MsgpackReader(as_bytes(wide)).uint32());
  EXPECT_FALSE(MsgpackReader(as_bytes(two)).boolean());
  EXPECT_FALSE(MsgpackReader(as_bytes(text)).array());
  EXPECT_FALSE(MsgpackReader(as_bytes(text)).map());
}

} // namespace
} // namespace bz::codeobj
