#include "base/status.hpp"

#include <gtest/gtest.h>

namespace {
using bz::Code;

bz::Expected<int> half(int x) {
  if (x % 2) return bz::error(Code::invalid_argument, "{} is odd", x);
  return x / 2;
}
bz::Expected<int> quarter(int x) {
  BZ_TRY_ASSIGN(int h, half(x));
  return half(h);
}

TEST(Status, CarriesCodeMessageAndPlace) {
  auto e = quarter(6);
  ASSERT_FALSE(e.ok());
  EXPECT_EQ(e.status().code(), Code::invalid_argument);
  EXPECT_EQ(e.status().message(), "3 is odd");
  EXPECT_NE(e.status().to_string().find("status_test.cpp"), std::string::npos);
}

TEST(Status, PassesValuesThrough) {
  ASSERT_TRUE(quarter(8).ok());
  EXPECT_EQ(*quarter(8), 2);
  EXPECT_TRUE(quarter(8).status().ok());
}
} // namespace
