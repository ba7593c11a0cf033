// Small helpers of the hipRTC tests: results by name, a program that ends with its scope.
#pragma once
#include <hip/hiprtc.h>

#include <gtest/gtest.h>

#include <string>
#include <vector>

#define EXPECT_RTC(expected, call) EXPECT_STREQ(hiprtcGetErrorString(expected), hiprtcGetErrorString(call)) << #call
#define ASSERT_RTC(expected, call) ASSERT_STREQ(hiprtcGetErrorString(expected), hiprtcGetErrorString(call)) << #call

class RtcProgram {
public:
  explicit RtcProgram(const std::string& source, const char* name = "test.hip", std::vector<const char*> headers = {},
                      std::vector<const char*> names = {}) {
    EXPECT_RTC(HIPRTC_SUCCESS, hiprtcCreateProgram(&handle, source.c_str(), name, int(headers.size()), headers.data(), names.data()));
  }
  ~RtcProgram() {
    if (handle) EXPECT_RTC(HIPRTC_SUCCESS, hiprtcDestroyProgram(&handle));
  }
  RtcProgram(const RtcProgram&) = delete;
  hiprtcResult compile(std::vector<const char*> options) {
    return hiprtcCompileProgram(handle, int(options.size()), options.data());
  }
  std::string log() const {
    size_t size = 0;
    EXPECT_RTC(HIPRTC_SUCCESS, hiprtcGetProgramLogSize(handle, &size));
    std::string text(size, '#');
    EXPECT_RTC(HIPRTC_SUCCESS, hiprtcGetProgramLog(handle, text.data()));
    if (size == 0) return "";
    EXPECT_EQ(text.back(), '\0');
    text.pop_back();
    return text;
  }
  std::string code() const {
    size_t size = 0;
    EXPECT_RTC(HIPRTC_SUCCESS, hiprtcGetCodeSize(handle, &size));
    std::string bytes(size, 0);
    EXPECT_RTC(HIPRTC_SUCCESS, hiprtcGetCode(handle, bytes.data()));
    return bytes;
  }
  std::string bitcode() const {
    size_t size = 0;
    EXPECT_RTC(HIPRTC_SUCCESS, hiprtcGetBitcodeSize(handle, &size));
    std::string bytes(size, 0);
    EXPECT_RTC(HIPRTC_SUCCESS, hiprtcGetBitcode(handle, bytes.data()));
    return bytes;
  }
  std::string lowered(const char* expression) const {
    const char* name = nullptr;
    EXPECT_RTC(HIPRTC_SUCCESS, hiprtcGetLoweredName(handle, expression, &name)) << expression;
    return name ? name : "";
  }
  hiprtcProgram handle = nullptr;
};

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
