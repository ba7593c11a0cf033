// Every row of api/hip_*.def is a symbol of the library under its version node.
#include <gtest/gtest.h>

#include <dlfcn.h>

#include <algorithm>
#include <string>

namespace {

TEST(Exports, EveryRowIsASymbolWithItsVersion) {
  void* library = dlopen("libamdhip64.so.7", RTLD_NOW | RTLD_NOLOAD);
  ASSERT_NE(library, nullptr) << "the test is linked with the library";
  int rows = 0;
  auto check = [&](const char* name, std::string node) {
    node[node.rfind('_')] = '.'; // hip_4_2 is hip_4.2
    EXPECT_NE(dlvsym(library, name, node.c_str()), nullptr) << name << '@' << node;
    ++rows;
  };
#define API(slot, name, version, ...) check(#name, #version);
#define VALUE(slot, name, version, ...) check(#name, #version);
#define SPT(slot, name, base, version, ...) check(#name, #version);
#define EXTRA(name, version) check(#name, #version);
#include "api/hip_compiler.def"
#include "api/hip_extra.def"
#include "api/hip_runtime.def"
  EXPECT_GE(rows, 520);
  dlclose(library);
}

} // namespace
