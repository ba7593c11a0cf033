// What programs are told a device is called against the title in its product file: two lists that must agree, because on a
// real card the name comes from the device id alone.
#include "hsakmt/hsakmt.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>

namespace {

/// Of the first GPU that BZ_GPUS names, on stderr. Does not return.
[[noreturn]] void print_marketing_name(const std::string& gpus) {
  setenv("BZ_GPUS", gpus.c_str(), 1);
  HsaSystemProperties system{};
  HsaNodeProperties gpu{};
  if (hsaKmtOpenKFD() != HSAKMT_STATUS_SUCCESS || hsaKmtAcquireSystemProperties(&system) != HSAKMT_STATUS_SUCCESS ||
      hsaKmtGetNodeProperties(1, &gpu) != HSAKMT_STATUS_SUCCESS)
    std::exit(1);
  std::string name;
  for (auto c : gpu.MarketingName)
    if (c) name.push_back(static_cast<char>(c));
  std::fprintf(stderr, "<%s>\n", name.c_str());
  std::exit(0);
}

/// Between the quotes of the line `title = "..."`; empty in a file that inherits it.
std::string title_of(const std::filesystem::path& product) {
  constexpr std::string_view kKey = "title = \"";
  std::ifstream in(product);
  for (std::string line; std::getline(in, line);)
    if (line.starts_with(kKey)) return line.substr(kKey.size(), line.find('"', kKey.size()) - kKey.size());
  return {};
}

// The devices of a process never change, so each product is a process of its own: "threadsafe" starts this program again.
TEST(MarketingNames, AreTheTitlesOfTheProductFiles) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  size_t products = 0;
  for (const auto& file : std::filesystem::directory_iterator(BZ_PRODUCTS_DIR)) {
    const std::string title = title_of(file.path()), gpus = file.path().stem().string() + ",cus=2,memory=256M";
    if (title.empty()) continue;
    ++products;
    EXPECT_EXIT(print_marketing_name(gpus), ::testing::ExitedWithCode(0), "<" + title + ">") << file.path();
  }
  EXPECT_GE(products, 6u);
}

} // namespace
