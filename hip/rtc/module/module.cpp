// The module's one symbol.
#include "hip/rtc/module/compile.hpp"
#include "hip/rtc/module/link.hpp"

extern "C" __attribute__((visibility("default"))) const bz::rtc::Compiler* bz_rtc_compiler(unsigned interface) {
  if (interface != bz::rtc::kCompilerInterface) return nullptr;
  static const bz::rtc::Compiler compiler = [] {
    bz::rtc::initialise();
    return bz::rtc::Compiler{bz::rtc::compile, bz::rtc::link};
  }();
  return &compiler;
}
