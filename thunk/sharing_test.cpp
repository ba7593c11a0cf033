// Memory of more than one address range: shared handles, dma-bufs, memory placed into reserved addresses.
#include "hsakmt/boltzmann.h"
#include "hsakmt/hsakmt.h"

#include <cstring>
#include <gtest/gtest.h>
#include <unistd.h>

namespace {

constexpr uint64_t kMiB = 1ull << 20;

class ThunkSharing : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_EQ(hsaKmtOpenKFD(), HSAKMT_STATUS_SUCCESS);
    HsaSystemProperties system{};
    ASSERT_EQ(hsaKmtAcquireSystemProperties(&system), HSAKMT_STATUS_SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(hsaKmtCloseKFD(), HSAKMT_STATUS_SUCCESS); }
  static char* allocate(HsaMemFlags flags, uint64_t size = kMiB, uint32_t node = kGpu) {
    void* p = nullptr;
    EXPECT_EQ(hsaKmtAllocMemory(node, size, flags, &p), HSAKMT_STATUS_SUCCESS);
    return static_cast<char*>(p);
  }
  static char* mapped() {
    HsaMemFlags flags{};
    flags.ui32.HostAccess = 1;
    char* p = allocate(flags);
    EXPECT_EQ(map(p), HSAKMT_STATUS_SUCCESS);
    return p;
  }
  static HSAKMT_STATUS map(void* p) {
    HSAuint64 address = 0;
    HSAuint32 node = kGpu;
    return hsaKmtMapMemoryToGPUNodes(p, kMiB, &address, HsaMemMapFlags{}, 1, &node);
  }
  static void release(void* p) {
    EXPECT_EQ(hsaKmtUnmapMemoryToGPU(p), HSAKMT_STATUS_SUCCESS);
    EXPECT_EQ(hsaKmtFreeMemory(p, 0), HSAKMT_STATUS_SUCCESS);
  }
  static uint64_t available() {
    HSAuint64 bytes = 0;
    EXPECT_EQ(hsaKmtAvailableMemory(kGpu, &bytes), HSAKMT_STATUS_SUCCESS);
    return bytes;
  }
  static constexpr uint32_t kGpu = 1;
};

TEST_F(ThunkSharing, SharedHandle) {
  char* p = mapped();
  std::strcpy(p + 100, "shared");
  HsaSharedMemoryHandle handle;
  EXPECT_EQ(hsaKmtShareMemory(p + 4096, 4096, &handle), HSAKMT_STATUS_INVALID_PARAMETER) << "not the beginning";
  EXPECT_EQ(hsaKmtShareMemory(p, 2 * kMiB, &handle), HSAKMT_STATUS_INVALID_PARAMETER);
  EXPECT_EQ(hsaKmtShareMemory(p, kMiB, nullptr), HSAKMT_STATUS_INVALID_PARAMETER);
  ASSERT_EQ(hsaKmtShareMemory(p, kMiB, &handle), HSAKMT_STATUS_SUCCESS);
  const uint64_t before = available();
  void* q = nullptr;
  HSAuint64 size = 0;
  ASSERT_EQ(hsaKmtRegisterSharedHandle(&handle, &q, &size), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(size, kMiB);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(q) % kMiB, 0u) << "aligned to its size";
  EXPECT_STREQ(static_cast<char*>(q) + 100, "shared") << "the host has it at once";
  EXPECT_EQ(available(), before) << "the owner paid";
  HsaPointerInfo info{};
  ASSERT_EQ(hsaKmtQueryPointerInfo(q, &info), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(info.Type, HSA_POINTER_REGISTERED_SHARED);
  EXPECT_EQ(info.Node, kGpu);
  EXPECT_EQ(map(q), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtUnmapMemoryToGPU(q), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtDeregisterMemory(q), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(hsaKmtDeregisterMemory(q), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
  release(p);
  EXPECT_NE(hsaKmtRegisterSharedHandle(&handle, &q, &size), HSAKMT_STATUS_SUCCESS) << "freed";
  std::memset(&handle, 0, sizeof handle);
  EXPECT_EQ(hsaKmtRegisterSharedHandle(&handle, &q, &size), HSAKMT_STATUS_INVALID_HANDLE);
}

TEST_F(ThunkSharing, DmaBuf) {
  char* p = mapped();
  p[5000] = 55;
  int fd = -1;
  HSAuint64 offset = 0;
  ASSERT_EQ(hsaKmtExportDMABufHandle(p + 4096, 4096, &fd, &offset), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(offset, 4096u);
  HsaGraphicsResourceInfo info{};
  ASSERT_EQ(hsaKmtRegisterGraphicsHandleToNodes(static_cast<HSAuint64>(fd), &info, 0, nullptr), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(info.SizeInBytes, kMiB);
  EXPECT_EQ(info.NodeId, kGpu);
  ASSERT_EQ(map(info.MemoryAddress), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(static_cast<char*>(info.MemoryAddress)[5000], 55);
  release(p); // the import holds it
  EXPECT_EQ(static_cast<char*>(info.MemoryAddress)[5000], 55);
  EXPECT_EQ(hsaKmtDeregisterMemory(info.MemoryAddress), HSAKMT_STATUS_SUCCESS);
  close(fd);
  EXPECT_NE(hsaKmtRegisterGraphicsHandleToNodes(0, &info, 0, nullptr), HSAKMT_STATUS_SUCCESS) << "no dma-buf";
  EXPECT_EQ(hsaKmtExportDMABufHandle(&fd, 4, &fd, &offset), HSAKMT_STATUS_INVALID_PARAMETER) << "no memory of ours";
}

TEST_F(ThunkSharing, MemoryIsPlacedIntoReservedAddresses) {
  HsaMemFlags addresses{}, memory{};
  addresses.ui32.OnlyAddress = 1;
  memory.ui32.NoAddress = 1;
  const uint64_t before = available();
  char* range = allocate(addresses, 4 * kMiB, 0);
  EXPECT_EQ(available(), before) << "addresses cost nothing";
  char* m = allocate(memory);
  EXPECT_EQ(available(), before - kMiB);
  ASSERT_EQ(bzHsaKmtPlaceMemory(range, kMiB, m), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(bzHsaKmtPlaceMemory(range + 2 * kMiB, kMiB, m), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(bzHsaKmtPlaceMemory(range, kMiB, m), HSAKMT_STATUS_MEMORY_ALREADY_REGISTERED);
  EXPECT_EQ(bzHsaKmtPlaceMemory(range + kMiB, 4096, m), HSAKMT_STATUS_NOT_SUPPORTED) << "a part";
  EXPECT_EQ(bzHsaKmtPlaceMemory(range + 4 * kMiB, kMiB, m), HSAKMT_STATUS_INVALID_PARAMETER) << "not reserved";
  EXPECT_EQ(bzHsaKmtPlaceMemory(range + kMiB, kMiB, range + 3 * kMiB), HSAKMT_STATUS_INVALID_PARAMETER) << "no memory";
  ASSERT_EQ(map(range), HSAKMT_STATUS_SUCCESS);
  ASSERT_EQ(map(range + 2 * kMiB), HSAKMT_STATUS_SUCCESS);
  range[7] = 77;
  EXPECT_EQ(range[2 * kMiB + 7], 77);
  EXPECT_EQ(hsaKmtFreeMemory(m, 0), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(available(), before - kMiB) << "placed memory lives on";
  EXPECT_EQ(hsaKmtFreeMemory(range, 0), HSAKMT_STATUS_ERROR) << "there is memory inside";
  EXPECT_EQ(bzHsaKmtUnplaceMemory(range), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(bzHsaKmtUnplaceMemory(range), HSAKMT_STATUS_MEMORY_NOT_REGISTERED);
  EXPECT_EQ(range[2 * kMiB + 7], 77);
  EXPECT_EQ(bzHsaKmtUnplaceMemory(range + 2 * kMiB), HSAKMT_STATUS_SUCCESS);
  EXPECT_EQ(available(), before);
  EXPECT_EQ(hsaKmtFreeMemory(range, 0), HSAKMT_STATUS_SUCCESS);
}

} // namespace
