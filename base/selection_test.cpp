#include "base/selection.hpp"

#include <gtest/gtest.h>

namespace bz {
namespace {

using Picked = std::vector<size_t>;
const std::string kNames[] = {"GPU-a", "GPU-b", "GPU-c"};

TEST(Selection, NumbersAndNames) {
  EXPECT_EQ(select_listed("2,0", kNames).picked, (Picked{2, 0}));
  EXPECT_EQ(select_listed(" GPU-b , 0", kNames).picked, (Picked{1, 0}));
  EXPECT_EQ(select_listed("1,1,GPU-b", kNames).picked, (Picked{1})) << "each once";
  EXPECT_EQ(select_listed("", kNames).picked, Picked{});
}

TEST(Selection, TheFirstWrongItemEndsTheList) {
  for (const char* wrong : {"3", "-1", "x", "1x", "GPU-", ""}) {
    const Selection s = select_listed(std::string("0,") + wrong + ",2", kNames);
    EXPECT_EQ(s.picked, Picked{0}) << wrong;
    EXPECT_EQ(s.rejected, wrong);
  }
}

} // namespace
} // namespace bz
