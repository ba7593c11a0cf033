#include "kfd/svm.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

namespace {
using namespace bz;
using namespace bz::kfd;
using Attribute = kfd_ioctl_svm_attribute;

constexpr uint64_t kPage = 4096;
constexpr uint32_t kGpu = 0x6b11, kOther = 0x6b22;

class SvmTest : public testing::Test {
protected:
  void SetUp() override {
    at = reinterpret_cast<uint64_t>(mmap(nullptr, 16 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  }
  void TearDown() override { munmap(reinterpret_cast<void*>(at), 16 * kPage); }
  Status set(uint64_t page, uint64_t pages, std::vector<Attribute> a) { return svm.set(at + page * kPage, pages * kPage, a); }
  Attribute get(uint64_t page, uint64_t pages, Attribute a, bool everywhere = false) {
    Status s = svm.get(at + page * kPage, pages * kPage, {&a, 1}, everywhere);
    EXPECT_TRUE(s.ok()) << s.message();
    return a;
  }
  uint64_t at = 0;
  Svm svm{{kGpu, kOther}};
};

TEST_F(SvmTest, DefaultsWhereNothingWasSet) {
  EXPECT_EQ(get(0, 4, {KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, 0}).value, uint32_t{KFD_IOCTL_SVM_LOCATION_UNDEFINED});
  EXPECT_EQ(get(0, 4, {KFD_IOCTL_SVM_ATTR_GRANULARITY, 0}).value, 9u);
  EXPECT_EQ(get(0, 4, {KFD_IOCTL_SVM_ATTR_SET_FLAGS, 0}).value, 3u);
  EXPECT_EQ(get(0, 4, {KFD_IOCTL_SVM_ATTR_ACCESS, kGpu}).type, uint32_t{KFD_IOCTL_SVM_ATTR_NO_ACCESS});
  EXPECT_EQ(get(0, 4, {KFD_IOCTL_SVM_ATTR_ACCESS, kGpu}, true).type, uint32_t{KFD_IOCTL_SVM_ATTR_ACCESS});
}

TEST_F(SvmTest, ARangeWithinARange) {
  ASSERT_TRUE(set(0, 8, {{KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, kGpu}, {KFD_IOCTL_SVM_ATTR_GRANULARITY, 5}}).ok());
  ASSERT_TRUE(set(2, 2, {{KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, KFD_IOCTL_SVM_LOCATION_SYSMEM}, {KFD_IOCTL_SVM_ATTR_GRANULARITY, 7}}).ok());
  EXPECT_EQ(get(0, 2, {KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, 0}).value, kGpu);
  EXPECT_EQ(get(2, 2, {KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, 1}).value, 0u);
  EXPECT_EQ(get(4, 4, {KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, 0}).value, kGpu);
  EXPECT_EQ(get(1, 2, {KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, 0}).value, uint32_t{KFD_IOCTL_SVM_LOCATION_UNDEFINED})
      << "two places are none";
  EXPECT_EQ(get(0, 8, {KFD_IOCTL_SVM_ATTR_GRANULARITY, 0}).value, 5u) << "the least";
  EXPECT_EQ(get(3, 1, {KFD_IOCTL_SVM_ATTR_GRANULARITY, 0}).value, 7u);
}

TEST_F(SvmTest, FlagsThatAllHaveAndThatNoneHas) {
  constexpr uint32_t kReadOnly = 8, kExec = 16, kCoherent = 2;
  ASSERT_TRUE(set(0, 4, {{KFD_IOCTL_SVM_ATTR_SET_FLAGS, kReadOnly | kExec}}).ok());
  ASSERT_TRUE(set(2, 4, {{KFD_IOCTL_SVM_ATTR_SET_FLAGS, kReadOnly}, {KFD_IOCTL_SVM_ATTR_CLR_FLAGS, kCoherent}}).ok());
  EXPECT_EQ(get(0, 2, {KFD_IOCTL_SVM_ATTR_SET_FLAGS, 0}).value, 3u | kReadOnly | kExec);
  EXPECT_EQ(get(0, 6, {KFD_IOCTL_SVM_ATTR_SET_FLAGS, 0}).value, 1u | kReadOnly);
  EXPECT_EQ(get(0, 6, {KFD_IOCTL_SVM_ATTR_CLR_FLAGS, 0}).value, ~(3u | kReadOnly | kExec));
}

TEST_F(SvmTest, AccessIsTheLeastOfAllParts) {
  ASSERT_TRUE(set(0, 4, {{KFD_IOCTL_SVM_ATTR_ACCESS, kGpu}, {KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE, kOther}}).ok());
  ASSERT_TRUE(set(4, 4, {{KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE, kGpu}, {KFD_IOCTL_SVM_ATTR_NO_ACCESS, kOther}}).ok());
  EXPECT_EQ(get(0, 4, {KFD_IOCTL_SVM_ATTR_ACCESS, kGpu}).type, uint32_t{KFD_IOCTL_SVM_ATTR_ACCESS});
  EXPECT_EQ(get(0, 8, {KFD_IOCTL_SVM_ATTR_ACCESS, kGpu}).type, uint32_t{KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE});
  EXPECT_EQ(get(0, 8, {KFD_IOCTL_SVM_ATTR_ACCESS, kOther}).type, uint32_t{KFD_IOCTL_SVM_ATTR_NO_ACCESS});
  svm.clear();
  EXPECT_EQ(get(0, 4, {KFD_IOCTL_SVM_ATTR_ACCESS, kGpu}).type, uint32_t{KFD_IOCTL_SVM_ATTR_NO_ACCESS});
}

TEST_F(SvmTest, BadInput) {
  auto bad = [&](std::vector<Attribute> a) { return set(0, 1, a).code(); };
  EXPECT_EQ(bad({{99, 0}}), Code::invalid_argument);
  EXPECT_EQ(bad({{KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, 5}}), Code::invalid_argument);
  EXPECT_EQ(bad({{KFD_IOCTL_SVM_ATTR_ACCESS, 0}}), Code::invalid_argument);
  EXPECT_EQ(svm.set(at + 1, kPage, {}).code(), Code::invalid_argument);
  EXPECT_EQ(svm.set(at, 100, {}).code(), Code::invalid_argument);
  EXPECT_EQ(svm.set(0, kPage, {}).code(), Code::invalid_argument);
  EXPECT_EQ(svm.set(at, ~uint64_t{0} - kPage + 1, {}).code(), Code::invalid_argument);
  Attribute in_place{KFD_IOCTL_SVM_ATTR_ACCESS_IN_PLACE, kGpu};
  EXPECT_EQ(svm.get(at, kPage, {&in_place, 1}, false).code(), Code::invalid_argument);
  munmap(reinterpret_cast<void*>(at + 8 * kPage), kPage);
  EXPECT_EQ(set(7, 3, {}).code(), Code::fault);
}

} // namespace
