// The entry that exec/ finds by dlsym.
#include "jit/module/compile.hpp"

extern "C" __attribute__((visibility("default"))) const char* bz_jit_compile(const bz::exec::NativeRequest* request, bz::exec::NativeImage* image) {
  static thread_local std::string why;
  auto status = bz::jit::compile(*request, *image);
  if (status.ok()) return nullptr;
  why = status.message();
  return why.c_str();
}
