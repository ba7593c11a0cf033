// Reads the code objects that the build made for the tests, and patches copies of them. Test-only.
#pragma once
#include "codeobj/bytes.hpp"

#include <cstdlib>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

namespace bz::codeobj::testdata {

inline std::vector<std::byte> read_file(const std::string& name) {
  std::ifstream file(std::string(BZ_CODEOBJ_TESTDATA "/") + name, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), {});
  EXPECT_FALSE(text.empty()) << name << " is not in " BZ_CODEOBJ_TESTDATA;
  Bytes bytes = as_bytes(std::string_view(text));
  return {bytes.begin(), bytes.end()};
}

/// Writes a T over a copy of an image; the test fails if it doesn't fit.
template <class T> void poke(std::vector<std::byte>& image, uint64_t offset, T value) {
  ASSERT_TRUE(in_range(offset, sizeof value, image.size()));
  std::memcpy(image.data() + offset, &value, sizeof value);
}

inline const char* const kCodeObjects[] = {"gfx942_v4.co",    "gfx942_v5.co",      "gfx942_v6.co",    "gfx906.co",
                                           "gfx90a.co",       "gfx1100.co",        "gfx1250.co",      "gfx9_generic.co",
                                           "debug_O0.co",     "gfx9_4_generic.co", "facts_gfx906.co", "facts_gfx90a.co",
                                           "facts_gfx942.co", "facts_high.co"};
inline const char* const kBundles[] = {"bundle.bin", "bundle_compressed.bin", "bundle_v2.bin"};

} // namespace bz::codeobj::testdata
