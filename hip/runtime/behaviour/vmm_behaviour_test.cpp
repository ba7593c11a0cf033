#include "hip/runtime/behaviour/support.hpp"

#include <unistd.h>

namespace {

constexpr size_t kSize = 4 << 20;

class Vmm : public testing::Test {
protected:
  void SetUp() override {
    prop_.type = hipMemAllocationTypePinned;
    prop_.location = here_;
    ASSERT_OK(hipMemAddressReserve(&range_, 4 * kSize, 0, nullptr, 0));
    ASSERT_OK(hipMemCreate(&memory_, kSize, &prop_, 0));
  }
  void TearDown() override {
    EXPECT_OK(hipMemAddressFree(range_, 4 * kSize));
    (void)hipGetLastError();
  }
  int* at(size_t offset) { return reinterpret_cast<int*>(static_cast<char*>(range_) + offset); }
  void map(size_t offset, hipMemGenericAllocationHandle_t memory, bool access = true) {
    ASSERT_OK(hipMemMap(at(offset), kSize, 0, memory, 0));
    if (access) ASSERT_OK(hipMemSetAccess(at(offset), kSize, &read_write_, 1));
  }
  const hipMemLocation here_{hipMemLocationTypeDevice, 0};
  const hipMemAccessDesc read_write_{here_, hipMemAccessFlagsProtReadWrite}, none_{here_, hipMemAccessFlagsProtNone};
  hipMemAllocationProp prop_{};
  void* range_ = nullptr;
  hipMemGenericAllocationHandle_t memory_ = nullptr;
};

TEST_F(Vmm, KernelsUseMappedMemory) {
  map(kSize, memory_);
  ASSERT_OK(launch(kernels::fill, 4, 256, 0, nullptr, at(kSize), 7, 1024));
  std::vector<int> out(1024);
  ASSERT_OK(hipMemcpy(out.data(), at(kSize), 4096, hipMemcpyDeviceToHost));
  EXPECT_EQ(out, std::vector<int>(1024, 7));
  ASSERT_OK(hipMemset(at(kSize), 0, kSize));
  hipPointerAttribute_t attributes{};
  ASSERT_OK(hipPointerGetAttributes(&attributes, at(kSize)));
  EXPECT_EQ(attributes.type, hipMemoryTypeDevice);
  EXPECT_HIP(hipErrorInvalidValue, hipFree(at(kSize))) << "hipMemUnmap is for that";
  EXPECT_HIP(hipErrorInvalidValue, hipMemAddressFree(range_, 4 * kSize)) << "still mapped";
  EXPECT_OK(hipMemUnmap(at(kSize), kSize));
  EXPECT_HIP(hipErrorInvalidValue, hipMemset(at(kSize), 0, 4)) << "unmapped";
  EXPECT_HIP(hipErrorInvalidValue, hipMemUnmap(at(kSize), kSize)) << "twice";
  EXPECT_OK(hipMemRelease(memory_));
}

TEST_F(Vmm, MemoryMovesWithItsContent) {
  map(0, memory_);
  ASSERT_OK(launch(kernels::fill, 4, 256, 0, nullptr, at(0), 5, 1024));
  ASSERT_OK(hipMemUnmap(at(0), kSize));
  map(2 * kSize, memory_);
  map(3 * kSize, memory_); // and in two places
  int got = 0;
  ASSERT_OK(hipMemcpy(&got, at(2 * kSize) + 1000, 4, hipMemcpyDeviceToHost));
  EXPECT_EQ(got, 5);
  ASSERT_OK(launch(kernels::fill, 4, 256, 0, nullptr, at(2 * kSize), 6, 1024));
  ASSERT_OK(hipMemcpy(&got, at(3 * kSize) + 1000, 4, hipMemcpyDeviceToHost));
  EXPECT_EQ(got, 6);
  EXPECT_OK(hipMemUnmap(at(2 * kSize), 2 * kSize)) << "both mappings at once";
  EXPECT_OK(hipMemRelease(memory_));
}

TEST_F(Vmm, CopiesAndFillsCrossNeighbours) {
  hipMemGenericAllocationHandle_t second = nullptr;
  ASSERT_OK(hipMemCreate(&second, kSize, &prop_, 0));
  map(0, memory_);
  map(kSize, second);
  std::vector<char> in(kSize + 64, 3), out(in.size());
  ASSERT_OK(hipMemcpy(at(kSize - 64), in.data(), in.size(), hipMemcpyHostToDevice));
  ASSERT_OK(hipMemset(at(kSize - 32), 4, 64));
  std::fill_n(in.begin() + 32, 64, 4);
  ASSERT_OK(hipMemcpyAsync(out.data(), at(kSize - 64), out.size(), hipMemcpyDeviceToHost, nullptr));
  ASSERT_OK(hipDeviceSynchronize());
  EXPECT_EQ(out, in);
  EXPECT_HIP(hipErrorInvalidValue, hipMemset(at(kSize - 64), 0, kSize + 128)) << "nothing is mapped there";
  EXPECT_OK(hipMemUnmap(at(0), 2 * kSize));
  EXPECT_OK(hipMemRelease(memory_));
  EXPECT_OK(hipMemRelease(second));
}

TEST_F(Vmm, MemoryIsCountedOnceAndUntilItsLastUser) {
  size_t with, after, total;
  ASSERT_OK(hipMemGetInfo(&with, &total));
  map(0, memory_);
  map(kSize, memory_);
  ASSERT_OK(hipMemGetInfo(&after, &total));
  EXPECT_EQ(after, with);
  EXPECT_OK(hipMemRelease(memory_));
  EXPECT_HIP(hipErrorInvalidValue, hipMemRelease(memory_)) << "twice";
  EXPECT_HIP(hipErrorInvalidValue, hipMemMap(at(2 * kSize), kSize, 0, memory_, 0)) << "released";
  ASSERT_OK(hipMemGetInfo(&after, &total));
  EXPECT_EQ(after, with) << "mapped memory stays";
  hipMemGenericAllocationHandle_t again = nullptr;
  ASSERT_OK(hipMemRetainAllocationHandle(&again, at(kSize) + 3));
  EXPECT_EQ(again, memory_);
  EXPECT_OK(hipMemUnmap(at(0), kSize));
  EXPECT_OK(hipMemUnmap(at(kSize), kSize));
  map(0, again);
  EXPECT_OK(hipMemRelease(again));
  EXPECT_OK(hipMemUnmap(at(0), kSize));
  ASSERT_OK(hipMemGetInfo(&after, &total));
  EXPECT_EQ(after, with + kSize);
}

TEST_F(Vmm, AccessIsSetAndAsked) {
  unsigned long long flags = 77;
  map(0, memory_, false);
  ASSERT_OK(hipMemGetAccess(&flags, &here_, at(0)));
  EXPECT_EQ(flags, unsigned(hipMemAccessFlagsProtNone)) << "nobody has any yet";
  ASSERT_OK(hipMemSetAccess(at(0), kSize, &read_write_, 1));
  ASSERT_OK(hipMemGetAccess(&flags, &here_, at(0)));
  EXPECT_EQ(flags, unsigned(hipMemAccessFlagsProtReadWrite));
  ASSERT_OK(launch(kernels::fill, 1, 64, 0, nullptr, at(0), 3, 64));
  ASSERT_OK(hipDeviceSynchronize());
  ASSERT_OK(hipMemSetAccess(at(0), kSize, &none_, 1));
  int got = 0;
  EXPECT_NE(hipMemcpy(&got, at(0), 4, hipMemcpyDeviceToHost), hipSuccess) << "taken away";
  ASSERT_OK(hipMemSetAccess(at(0), kSize, &read_write_, 1));
  ASSERT_OK(hipMemcpy(&got, at(0), 4, hipMemcpyDeviceToHost));
  EXPECT_EQ(got, 3) << "the content stayed";
  hipMemAccessDesc wrong = read_write_;
  EXPECT_HIP(hipErrorInvalidValue, hipMemSetAccess(at(0), kSize - 4096, &wrong, 1)) << "no whole mapping";
  EXPECT_HIP(hipErrorInvalidValue, hipMemSetAccess(at(kSize), kSize, &wrong, 1)) << "nothing mapped";
  EXPECT_HIP(hipErrorInvalidValue, hipMemSetAccess(at(0), kSize, nullptr, 1));
  EXPECT_HIP(hipErrorInvalidValue, hipMemSetAccess(at(0), kSize, &wrong, 0));
  wrong.location.id = 99;
  EXPECT_HIP(hipErrorInvalidValue, hipMemSetAccess(at(0), kSize, &wrong, 1));
  wrong = {here_, hipMemAccessFlags(2)};
  EXPECT_HIP(hipErrorInvalidValue, hipMemSetAccess(at(0), kSize, &wrong, 1));
  EXPECT_HIP(hipErrorInvalidValue, hipMemGetAccess(nullptr, &here_, at(0)));
  EXPECT_HIP(hipErrorInvalidValue, hipMemGetAccess(&flags, nullptr, at(0)));
  EXPECT_HIP(hipErrorInvalidValue, hipMemGetAccess(&flags, &here_, at(kSize)));
  EXPECT_OK(hipMemUnmap(at(0), kSize));
  EXPECT_OK(hipMemRelease(memory_));
}

TEST_F(Vmm, WhoReadsOnlyCanNotWrite) {
  GTEST_FLAG_SET(death_test_style, "threadsafe"); // the child starts its own runtime
  map(0, memory_);
  ASSERT_OK(launch(kernels::fill, 1, 64, 0, nullptr, at(0), 3, 64));
  ASSERT_OK(hipDeviceSynchronize());
  hipMemAccessDesc read = read_write_;
  read.flags = hipMemAccessFlagsProtRead;
  ASSERT_OK(hipMemSetAccess(at(0), kSize, &read, 1));
  unsigned long long flags = 77;
  ASSERT_OK(hipMemGetAccess(&flags, &here_, at(0)));
  EXPECT_EQ(flags, unsigned(hipMemAccessFlagsProtRead));
  int got = 0;
  ASSERT_OK(hipMemcpy(&got, at(0) + 63, 4, hipMemcpyDeviceToHost));
  EXPECT_EQ(got, 3);
  EXPECT_DEATH(
      {
        (void)launch(kernels::fill, 1, 64, 0, nullptr, at(0), 4, 64);
        (void)hipDeviceSynchronize();
      },
      "[Mm]emory access fault");
  ASSERT_OK(hipMemSetAccess(at(0), kSize, &read_write_, 1));
  ASSERT_OK(launch(kernels::fill, 1, 64, 0, nullptr, at(0), 5, 64));
  ASSERT_OK(hipMemcpy(&got, at(0) + 63, 4, hipMemcpyDeviceToHost));
  EXPECT_EQ(got, 5);
  read.flags = hipMemAccessFlags(9);
  EXPECT_HIP(hipErrorInvalidValue, hipMemSetAccess(at(0), kSize, &read, 1));
  EXPECT_OK(hipMemUnmap(at(0), kSize));
  EXPECT_OK(hipMemRelease(memory_));
}

TEST_F(Vmm, WrongArguments) {
  void* p = nullptr;
  EXPECT_HIP(hipErrorInvalidValue, hipMemAddressReserve(nullptr, kSize, 0, nullptr, 0));
  EXPECT_HIP(hipErrorOutOfMemory, hipMemAddressReserve(&p, 0, 0, nullptr, 0));
  EXPECT_HIP(hipErrorOutOfMemory, hipMemAddressReserve(&p, kSize - 1, 0, nullptr, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipMemAddressReserve(&p, kSize, 0, nullptr, 1));
  ASSERT_OK(hipMemAddressReserve(&p, kSize, size_t(1) << 30, nullptr, 0));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(p) % (size_t(1) << 30), 0u);
  EXPECT_HIP(hipErrorInvalidValue, hipMemAddressFree(p, kSize / 2));
  EXPECT_OK(hipMemAddressFree(p, kSize));
  EXPECT_HIP(hipErrorInvalidValue, hipMemAddressFree(p, kSize)) << "twice";
  EXPECT_HIP(hipErrorInvalidValue, hipMemAddressFree(nullptr, kSize));
  size_t granularity = 0;
  ASSERT_OK(hipMemGetAllocationGranularity(&granularity, &prop_, hipMemAllocationGranularityMinimum));
  EXPECT_EQ(kSize % granularity, 0u);
  EXPECT_HIP(hipErrorInvalidValue, hipMemGetAllocationGranularity(nullptr, &prop_, hipMemAllocationGranularityMinimum));
  EXPECT_HIP(hipErrorInvalidValue,
             hipMemGetAllocationGranularity(&granularity, nullptr, hipMemAllocationGranularityMinimum));
  hipMemGenericAllocationHandle_t h = nullptr;
  EXPECT_HIP(hipErrorInvalidValue, hipMemCreate(nullptr, kSize, &prop_, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipMemCreate(&h, 0, &prop_, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipMemCreate(&h, granularity - 1, &prop_, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipMemCreate(&h, kSize, nullptr, 0));
  auto bad = prop_;
  bad.location.id = 99;
  EXPECT_HIP(hipErrorInvalidValue, hipMemCreate(&h, kSize, &bad, 0));
  bad = prop_;
  bad.type = hipMemAllocationTypeInvalid;
  EXPECT_HIP(hipErrorInvalidValue, hipMemCreate(&h, kSize, &bad, 0));
  EXPECT_HIP(hipErrorOutOfMemory, hipMemCreate(&h, size_t(1) << 60, &prop_, 0));
  hipMemAllocationProp got{};
  ASSERT_OK(hipMemGetAllocationPropertiesFromHandle(&got, memory_));
  EXPECT_EQ(got.location.id, 0);
  EXPECT_EQ(got.type, hipMemAllocationTypePinned);
  EXPECT_HIP(hipErrorInvalidValue, hipMemGetAllocationPropertiesFromHandle(nullptr, memory_));
  EXPECT_HIP(hipErrorInvalidValue, hipMemGetAllocationPropertiesFromHandle(&got, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipMemMap(nullptr, kSize, 0, memory_, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipMemMap(at(0), 0, 0, memory_, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipMemMap(at(0), kSize, 4096, memory_, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipMemMap(at(0), kSize, 0, nullptr, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipMemMap(&p, kSize, 0, memory_, 0)) << "not reserved";
  EXPECT_HIP(hipErrorInvalidValue, hipMemUnmap(nullptr, kSize));
  EXPECT_HIP(hipErrorInvalidValue, hipMemUnmap(at(0), kSize));
  EXPECT_HIP(hipErrorInvalidValue, hipMemRetainAllocationHandle(&h, at(0))) << "nothing mapped";
  EXPECT_HIP(hipErrorInvalidValue, hipMemRetainAllocationHandle(nullptr, at(0)));
  map(0, memory_);
  EXPECT_HIP(hipErrorInvalidValue, hipMemMap(at(0), kSize, 0, memory_, 0)) << "taken";
  EXPECT_OK(hipMemUnmap(at(0), kSize));
  EXPECT_OK(hipMemRelease(memory_));
  EXPECT_HIP(hipErrorInvalidValue, hipMemRelease(nullptr));
}

TEST_F(Vmm, AddressRangeAsDmaBuf) {
  int* p = nullptr;
  ASSERT_OK(hipMalloc(&p, kSize));
  int fd = -1;
  ASSERT_OK(hipMemGetHandleForAddressRange(&fd, p, kSize, hipMemRangeHandleTypeDmaBufFd, 0));
  hipMemGenericAllocationHandle_t imported = nullptr;
  ASSERT_OK(hipMemImportFromShareableHandle(&imported, &fd, hipMemHandleTypePosixFileDescriptor));
  map(0, imported);
  ASSERT_OK(launch(kernels::fill, 1, 64, 0, nullptr, at(0), 21, 64));
  int got = 0;
  ASSERT_OK(hipMemcpy(&got, p + 63, 4, hipMemcpyDeviceToHost));
  EXPECT_EQ(got, 21) << "the same memory";
  close(fd);
  EXPECT_OK(hipMemUnmap(at(0), kSize));
  EXPECT_OK(hipMemRelease(imported));
  EXPECT_HIP(hipErrorInvalidValue, hipMemGetHandleForAddressRange(nullptr, p, kSize, hipMemRangeHandleTypeDmaBufFd, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipMemGetHandleForAddressRange(&fd, p, 5, hipMemRangeHandleTypeDmaBufFd, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipMemGetHandleForAddressRange(&fd, p, kSize, hipMemRangeHandleType(9), 0));
  EXPECT_HIP(hipErrorInvalidValue, hipMemGetHandleForAddressRange(&fd, p, 2 * kSize, hipMemRangeHandleTypeDmaBufFd, 0));
  EXPECT_OK(hipFree(p));
  EXPECT_OK(hipMemRelease(memory_));
}

} // namespace
