// What ends the process: failed assertions, traps and stray stores of kernels.
#include "hip/runtime/behaviour/support.hpp"

namespace {

class Abort : public testing::Test {
protected:
  void SetUp() override { GTEST_FLAG_SET(death_test_style, "threadsafe"); } // the child starts its own runtime
};

TEST_F(Abort, FailedAssertion) {
  EXPECT_DEATH(
      {
        (void)launch(kernels::fail_assert, 1, 1, 0, nullptr, 1);
        (void)hipDeviceSynchronize();
      },
      "value must be zero(.|\n)*HSA_STATUS_ERROR_EXCEPTION(.|\n)*0x1016");
}

TEST_F(Abort, AssertionThatHolds) {
  EXPECT_OK(launch(kernels::fail_assert, 1, 1, 0, nullptr, 0));
  EXPECT_OK(hipDeviceSynchronize());
}

TEST_F(Abort, Trap) {
  EXPECT_DEATH(
      {
        (void)launch(kernels::trap, 1, 1, 0, nullptr);
        (void)hipDeviceSynchronize();
      },
      "HSA_STATUS_ERROR_EXCEPTION(.|\n)*0x1016");
}

TEST_F(Abort, StoreToUnmappedMemory) {
  EXPECT_DEATH(
      {
        (void)launch(kernels::store, 1, 1, 0, nullptr, reinterpret_cast<int*>(0x10000));
        (void)hipDeviceSynchronize();
      },
      "[Mm]emory access fault");
}

} // namespace
