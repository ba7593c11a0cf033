#include "base/log.hpp"

#include <gtest/gtest.h>

namespace {
using bz::log_complaint;

TEST(Log, UnderstoodSettingsAreFine) {
  for (const char* setting : {"", "warn", "info,gpu=trace", "kfd=debug", "error,rocr=info,thunk=debug,hip=warn,exec=info"})
    EXPECT_EQ(log_complaint(setting), "") << setting;
}

TEST(Log, WhatIsNotUnderstoodIsNamedWithTheValidValues) {
  const std::string one = log_complaint("nonsense");
  EXPECT_NE(one.find("\"nonsense\""), std::string::npos) << one;
  EXPECT_NE(one.find("error, warn, info, debug, trace"), std::string::npos) << one;
  const std::string some = log_complaint("info,gpu=loud,cpu=trace,kfd=info");
  EXPECT_NE(some.find("\"gpu=loud\", \"cpu=trace\" is not understood"), std::string::npos) << some;
  EXPECT_EQ(some.find("kfd=info"), std::string::npos) << some;
  EXPECT_NE(some.find("exec, gpu, hip, kfd, rocr, thunk"), std::string::npos) << some;
}

} // namespace
