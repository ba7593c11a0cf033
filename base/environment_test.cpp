#include "base/environment.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace {

long number(const char* text) {
  setenv("BZ_TEST_NUMBER", text, 1);
  return bz::environment_number("test", "BZ_TEST_NUMBER", 7, 0, 100);
}

TEST(EnvironmentNumber, IsTheNumberOrTheDefault) {
  unsetenv("BZ_TEST_NUMBER");
  EXPECT_EQ(bz::environment_number("test", "BZ_TEST_NUMBER", 7, 0, 100), 7);
  EXPECT_EQ(number(""), 7);
  EXPECT_EQ(number("0"), 0);
  EXPECT_EQ(number("100"), 100);
}

TEST(EnvironmentNumber, WhatIsNoSuchNumberIsNamedAndIgnored) {
  for (const char* text : {"-1", "101", "3x", "x", " 3", "0x10", "99999999999999999999"}) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(number(text), 7) << text;
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("BZ_TEST_NUMBER=\"" + std::string(text) + "\" is no number from 0 to 100"), std::string::npos) << said;
  }
}

} // namespace
