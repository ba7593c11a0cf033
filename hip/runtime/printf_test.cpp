// Messages of device printf: how they grow over packets, and how they are formatted. The judge is the host's own
// printf.
#include "hip/runtime/hostcall.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace bz::hip {
namespace {

void append_text(std::vector<uint64_t>& q, const std::string& s) {
  for (size_t i = 0; i <= s.size(); i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, s.data() + i, std::min<size_t>(8, s.size() - i));
    q.push_back(word);
  }
}

/// A message as the device writes it.
struct Message {
  std::vector<uint64_t> q;
  explicit Message(const std::string& format, uint64_t flags = 0) : q{flags} { append_text(q, format); }
  Message& operator<<(int64_t v) { return q.push_back(static_cast<uint64_t>(v)), *this; }
  Message& operator<<(double v) { return q.push_back(std::bit_cast<uint64_t>(v)), *this; }
  Message& operator<<(const char* s) { return append_text(q, s), *this; }
  std::string text() const { return format_message(q).text; }
};

template <class... Args> std::string host(const char* format, Args... args) {
  char text[512];
  std::snprintf(text, sizeof text, format, args...);
  return text;
}

TEST(DevicePrintf, Numbers) {
  for (const char* f : {"%d", "%5d|", "%-5d|", "%05d", "%+d", "% d", "%x", "%#x", "%X", "%o", "%u", "%.3d", "%8.3d|"}) {
    EXPECT_EQ((Message(f) << int64_t(42)).text(), host(f, 42)) << f;
    EXPECT_EQ((Message(f) << int64_t(-7)).text(), host(f, -7)) << f;
  }
  EXPECT_EQ((Message("%ld %lld %zu") << INT64_MIN << INT64_MAX << int64_t(7)).text(),
            host("%ld %lld %zu", INT64_MIN, (long long)INT64_MAX, size_t(7)));
  EXPECT_EQ((Message("%hhd %hd %hhu") << int64_t(300) << int64_t(70000) << int64_t(-1)).text(), "44 4464 255");
  EXPECT_EQ((Message("%lx") << int64_t(0x123456789abcdef)).text(), "123456789abcdef");
}

TEST(DevicePrintf, Floats) {
  for (const char* f : {"%f", "%e", "%g", "%a", "%.3f", "%10.2f|", "%-10.2e|", "%G"})
    for (double v : {0.0, -0.0, 1.5, 1e300, -3.25e-10, 1.0 / 0.0})
      EXPECT_EQ((Message(f) << v).text(), host(f, v)) << f << " of " << v;
}

TEST(DevicePrintf, StringsCharactersPointersPercent) {
  EXPECT_EQ((Message("[%s] [%10s] [%-4s] [%.2s]") << "exactly8" << "ab" << "x" << "abcdef").text(),
            "[exactly8] [        ab] [x   ] [ab]");
  EXPECT_EQ((Message("%c%c 100%%") << int64_t('o') << int64_t('k')).text(), "ok 100%");
  EXPECT_EQ((Message("%p") << int64_t(0x1234)).text(), "0x1234");
  EXPECT_EQ((Message("[%s]") << int64_t(0)).text(), "[]") << "an empty string, or a null one of ROCm's device library";
  EXPECT_EQ((Message("[%s] [%8s] %d") << int64_t(BZ_PRINTF_NULL_STRING) << int64_t(BZ_PRINTF_NULL_STRING) << int64_t(5)).text(),
            "[(null)] [  (null)] 5");
  EXPECT_EQ((Message("%s") << "").text(), "");
}

TEST(DevicePrintf, WideCharactersAreUtf8AndWideStringsAreRefusedByName) {
  EXPECT_EQ((Message("%lc%lc%lc%lc|%3lc") << int64_t('a') << int64_t(0xe4) << int64_t(0x20ac) << int64_t(0x1f600) << int64_t('x')).text(),
            "a\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80|  x");
  EXPECT_EQ((Message("%lc.") << int64_t(0xd800)).text(), ".") << "no character";
  testing::internal::CaptureStderr();
  EXPECT_EQ((Message("[%ls] [%-5ls] %d") << "w" << int64_t(BZ_PRINTF_NULL_STRING) << int64_t(5)).text(), "[%ls] [%-5ls] 5");
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("%ls is not supported"), std::string::npos) << said;
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
}

TEST(DevicePrintf, StarsTakeArguments) {
  EXPECT_EQ((Message("%*d|%.*f") << int64_t(6) << int64_t(42) << int64_t(1) << 2.55).text(),
            host("%*d|%.*f", 6, 42, 1, 2.55));
  EXPECT_EQ((Message("%*d|") << int64_t(-6) << int64_t(42)).text(), "42    |");
}

TEST(DevicePrintf, HostileFormats) {
  EXPECT_EQ((Message("%n%d.") << int64_t(1) << int64_t(2)).text(), "2.") << "%n takes its argument and never writes";
  EXPECT_EQ((Message("%d %s %f")).text(), host("%d %s %f", 0, "", 0.0)) << "missing arguments";
  EXPECT_EQ((Message("tail %")).text(), "tail %");
  EXPECT_EQ((Message("%y")).text(), "%y");
  EXPECT_LT((Message("%999999999d") << int64_t(1)).text().size(), 100000u);
  EXPECT_EQ(format_message({}).text, "");
  EXPECT_EQ(format_message({0, ~0ull}).text.size(), 8u) << "a format without end";
}

uint64_t descriptor(uint64_t length, uint64_t flags, uint64_t base = 0) {
  return base | flags | length << BZ_MESSAGE_LEN_SHIFT;
}

TEST(DevicePrintf, MessagesOfSeveralPacketsInterleave) {
  PrintfMessages messages;
  PrintfMessages::Finished f;
  auto begin = [&](const char* format) {
    Message m(format);
    uint64_t slots[8] = {descriptor(m.q.size(), BZ_MESSAGE_BEGIN)};
    std::copy(m.q.begin(), m.q.end(), slots + 1);
    EXPECT_FALSE(messages.part(slots, f));
    return slots[0];
  };
  const uint64_t a = begin("a=%d\n"), b = begin("b=%d\n");
  EXPECT_NE(a, b);
  EXPECT_EQ(messages.open_messages(), 2u);
  uint64_t end_b[8] = {descriptor(1, BZ_MESSAGE_END, b), 2};
  EXPECT_TRUE(messages.part(end_b, f));
  EXPECT_EQ(f.text, "b=2\n");
  EXPECT_EQ(end_b[0], 4u) << "printf's result";
  uint64_t end_a[8] = {descriptor(1, BZ_MESSAGE_END, a), 1};
  EXPECT_TRUE(messages.part(end_a, f));
  EXPECT_EQ(f.text, "a=1\n");
  EXPECT_EQ(messages.open_messages(), 0u);
  uint64_t again[8] = {descriptor(1, BZ_MESSAGE_END, a), 1};
  EXPECT_FALSE(messages.part(again, f)) << "a message that is over";
}

TEST(DevicePrintf, StderrFlag) {
  EXPECT_TRUE(format_message(Message("x", BZ_PRINTF_STDERR).q).to_stderr);
  EXPECT_FALSE(format_message(Message("x").q).to_stderr);
}

} // namespace
} // namespace bz::hip
