#include "hip/runtime/behaviour/support.hpp"

#include <hip/hip_deprecated.h>

#include <cstring>
#include <thread>

namespace {

TEST(Device, CountAndSelection) {
  int count = 0, device = -1;
  ASSERT_OK(hipGetDeviceCount(&count));
  ASSERT_GE(count, 1);
  EXPECT_OK(hipGetDevice(&device));
  EXPECT_EQ(device, 0);
  EXPECT_OK(hipSetDevice(0));
  EXPECT_HIP(hipErrorInvalidDevice, hipSetDevice(count));
  EXPECT_HIP(hipErrorInvalidDevice, hipSetDevice(-1));
  EXPECT_HIP(hipErrorInvalidValue, hipGetDevice(nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipGetDeviceCount(nullptr));
  hipDevice_t handle = -1;
  EXPECT_OK(hipDeviceGet(&handle, 0));
  EXPECT_EQ(handle, 0);
  EXPECT_HIP(hipErrorInvalidDevice, hipDeviceGet(&handle, count));
}

TEST(Device, Versions) {
  int driver = 0, runtime = 0;
  EXPECT_OK(hipDriverGetVersion(&driver));
  EXPECT_OK(hipRuntimeGetVersion(&runtime));
  EXPECT_EQ(runtime, HIP_VERSION);
  EXPECT_EQ(driver / 100000, 701);
  EXPECT_HIP(hipErrorInvalidValue, hipRuntimeGetVersion(nullptr));
}

TEST(Device, PropertiesAgreeWithAttributes) {
  hipDeviceProp_t p;
  std::memset(&p, 0xff, sizeof p);
  ASSERT_OK(hipGetDeviceProperties(&p, 0));
  EXPECT_EQ(std::strncmp(p.gcnArchName, "gfx", 3), 0);
  EXPECT_NE(std::strstr(p.gcnArchName, ":sramecc+:xnack"), nullptr) << p.gcnArchName;
  EXPECT_EQ(p.ECCEnabled, 1);
  EXPECT_GT(std::strlen(p.name), 0u);
  EXPECT_EQ(p.warpSize, 64);
  EXPECT_EQ(p.maxThreadsPerBlock, 1024);
  EXPECT_EQ(p.sharedMemPerBlock, 65536u);
  EXPECT_GT(p.totalGlobalMem, 0u);
  EXPECT_GT(p.multiProcessorCount, 0);
  struct {
    hipDeviceAttribute_t attribute;
    long long value;
  } rows[] = {{hipDeviceAttributeWarpSize, p.warpSize},
              {hipDeviceAttributeMultiprocessorCount, p.multiProcessorCount},
              {hipDeviceAttributeMaxThreadsPerBlock, p.maxThreadsPerBlock},
              {hipDeviceAttributeMaxBlockDimX, p.maxThreadsDim[0]},
              {hipDeviceAttributeMaxGridDimX, p.maxGridSize[0]},
              {hipDeviceAttributeMaxSharedMemoryPerBlock, (long long)p.sharedMemPerBlock},
              {hipDeviceAttributeComputeCapabilityMajor, p.major},
              {hipDeviceAttributeComputeCapabilityMinor, p.minor},
              {hipDeviceAttributeClockRate, p.clockRate},
              {hipDeviceAttributePciBusId, p.pciBusID},
              {hipDeviceAttributeManagedMemory, p.managedMemory}};
  for (auto& row : rows) {
    int value = -1;
    EXPECT_OK(hipDeviceGetAttribute(&value, row.attribute, 0));
    EXPECT_EQ(value, row.value) << row.attribute;
  }
  int value;
  EXPECT_HIP(hipErrorInvalidValue, hipDeviceGetAttribute(&value, hipDeviceAttribute_t(54321), 0));
  EXPECT_HIP(hipErrorInvalidValue, hipDeviceGetAttribute(nullptr, hipDeviceAttributeWarpSize, 0));
  EXPECT_HIP(hipErrorInvalidDevice, hipDeviceGetAttribute(&value, hipDeviceAttributeWarpSize, 99));
  EXPECT_HIP(hipErrorInvalidDevice, hipGetDeviceProperties(&p, 99));
  EXPECT_HIP(hipErrorInvalidValue, hipGetDeviceProperties(nullptr, 0));

  hipDeviceProp_tR0000 old;
  ASSERT_OK(hipGetDevicePropertiesR0000(&old, 0));
  EXPECT_STREQ(old.name, p.name);
  EXPECT_EQ(old.totalGlobalMem, p.totalGlobalMem);
  EXPECT_EQ(old.multiProcessorCount, p.multiProcessorCount);
}

TEST(Device, EveryAttributeThatHardwareHasIsAnswered) {
  // All numbers of the enumeration but the unused ones and those that HIP keeps for other vendors.
  for (int a = 0; a <= hipDeviceAttributeMemoryPoolSupportedHandleTypes; ++a) {
    if (a == hipDeviceAttributeLuid || a == hipDeviceAttributeUnused1 || a == hipDeviceAttributeUnused2) continue;
    int value = 0;
    EXPECT_OK(hipDeviceGetAttribute(&value, hipDeviceAttribute_t(a), 0)) << a;
  }
}

TEST(Device, Identification) {
  char name[256], small[4] = "xyz", id[32];
  EXPECT_OK(hipDeviceGetName(name, sizeof name, 0));
  EXPECT_OK(hipDeviceGetName(small, sizeof small, 0));
  EXPECT_EQ(std::strlen(small), 3u);
  EXPECT_EQ(std::strncmp(small, name, 3), 0);
  EXPECT_HIP(hipErrorInvalidValue, hipDeviceGetName(nullptr, 10, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipDeviceGetName(name, 0, 0));
  EXPECT_OK(hipDeviceGetPCIBusId(id, sizeof id, 0));
  int back = -1;
  EXPECT_OK(hipDeviceGetByPCIBusId(&back, id));
  EXPECT_EQ(back, 0);
  EXPECT_HIP(hipErrorInvalidValue, hipDeviceGetByPCIBusId(&back, "ffff:fe:1d.0"));
  EXPECT_HIP(hipErrorInvalidValue, hipDeviceGetByPCIBusId(&back, "nonsense"));
  std::string whole = id;
  std::memset(id, 'x', sizeof id);
  EXPECT_HIP(hipErrorInvalidValue, hipDeviceGetPCIBusId(id, 6, 0)) << "what fits is there";
  EXPECT_EQ(std::string(id, 7), whole.substr(0, 5) + std::string("\0x", 2));
  EXPECT_HIP(hipErrorInvalidValue, hipDeviceGetPCIBusId(id, 0, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipDeviceGetPCIBusId(id, -1, 0));
  hipUUID uuid{};
  EXPECT_OK(hipDeviceGetUuid(&uuid, 0));
  int major = 0, minor = -1;
  EXPECT_OK(hipDeviceComputeCapability(&major, &minor, 0));
  EXPECT_EQ(major, 9);
  size_t total = 0;
  EXPECT_OK(hipDeviceTotalMem(&total, 0));
  hipDeviceProp_t p;
  ASSERT_OK(hipGetDeviceProperties(&p, 0));
  EXPECT_EQ(total, p.totalGlobalMem);
  int chosen = -1;
  EXPECT_OK(hipChooseDevice(&chosen, &p));
  EXPECT_EQ(chosen, 0);
}

TEST(Device, Limits) {
  size_t value = 0;
  EXPECT_OK(hipDeviceGetLimit(&value, hipLimitStackSize));
  EXPECT_EQ(value, 1024u);
  EXPECT_OK(hipDeviceSetLimit(hipLimitStackSize, 5000));
  EXPECT_OK(hipDeviceGetLimit(&value, hipLimitStackSize));
  EXPECT_GE(value, 5000u);
  EXPECT_HIP(hipErrorInvalidValue, hipDeviceSetLimit(hipLimitStackSize, size_t(1) << 40));
  EXPECT_HIP(hipErrorUnsupportedLimit, hipDeviceGetLimit(&value, hipLimit_t(77)));
  EXPECT_HIP(hipErrorInvalidValue, hipDeviceGetLimit(nullptr, hipLimitStackSize));
  EXPECT_OK(hipDeviceSetLimit(hipLimitStackSize, 1024));
}

TEST(Device, Flags) {
  unsigned flags = 99;
  EXPECT_OK(hipSetDeviceFlags(hipDeviceScheduleBlockingSync));
  EXPECT_OK(hipGetDeviceFlags(&flags));
  EXPECT_EQ(flags, unsigned(hipDeviceScheduleBlockingSync));
  EXPECT_OK(hipSetDeviceFlags(hipDeviceScheduleYield | hipDeviceMapHost | hipDeviceLmemResizeToMax));
  EXPECT_OK(hipGetDeviceFlags(&flags));
  EXPECT_EQ(flags, unsigned(hipDeviceScheduleYield)) << "the others say nothing here";
  EXPECT_HIP(hipErrorInvalidValue, hipSetDeviceFlags(hipDeviceScheduleSpin | hipDeviceScheduleYield));
  EXPECT_HIP(hipErrorInvalidValue, hipSetDeviceFlags(0x10000));
  EXPECT_OK(hipSetDeviceFlags(hipDeviceScheduleAuto));
}

TEST(Device, PeersOfOneDevice) {
  int can = 7;
  EXPECT_OK(hipDeviceCanAccessPeer(&can, 0, 0));
  EXPECT_EQ(can, 0);
  EXPECT_HIP(hipErrorInvalidDevice, hipDeviceEnablePeerAccess(0, 0));
  EXPECT_HIP(hipErrorPeerAccessNotEnabled, hipDeviceDisablePeerAccess(0));
  EXPECT_HIP(hipErrorInvalidDevice, hipDeviceCanAccessPeer(&can, 0, 99));
}

TEST(Device, Contexts) {
  hipCtx_t ctx = nullptr, current = nullptr;
  ASSERT_OK(hipDevicePrimaryCtxRetain(&ctx, 0));
  EXPECT_OK(hipCtxPushCurrent(ctx));
  EXPECT_OK(hipCtxGetCurrent(&current));
  EXPECT_EQ(current, ctx);
  EXPECT_OK(hipCtxPopCurrent(&current));
  EXPECT_EQ(current, ctx);
  EXPECT_HIP(hipErrorInvalidContext, hipCtxPopCurrent(&current));
  int stranger;
  EXPECT_HIP(hipErrorInvalidContext, hipCtxSetCurrent(reinterpret_cast<hipCtx_t>(&stranger)));
  unsigned flags;
  int active = 0;
  EXPECT_OK(hipDevicePrimaryCtxGetState(0, &flags, &active));
  EXPECT_EQ(active, 1);
  EXPECT_OK(hipDevicePrimaryCtxRelease(0));
}

// ---- Errors ---------------------------------------------------------------------------------------------------------

TEST(Errors, LastErrorStaysUntilItIsFetched) {
  (void)hipGetLastError();
  EXPECT_HIP(hipErrorInvalidDevice, hipSetDevice(99));
  EXPECT_OK(hipSetDevice(0)); // success doesn't clear it
  EXPECT_HIP(hipErrorInvalidDevice, hipPeekAtLastError());
  EXPECT_HIP(hipErrorInvalidDevice, hipGetLastError());
  EXPECT_OK(hipGetLastError());
}

TEST(Errors, BelongToTheThread) {
  (void)hipGetLastError();
  EXPECT_HIP(hipErrorInvalidDevice, hipSetDevice(99));
  std::thread([] { EXPECT_OK(hipPeekAtLastError()); }).join();
  EXPECT_HIP(hipErrorInvalidDevice, hipGetLastError());
}

TEST(Errors, ExtLastErrorIsOfTheLastCall) {
  EXPECT_HIP(hipErrorInvalidDevice, hipSetDevice(99));
  EXPECT_HIP(hipErrorInvalidDevice, hipExtGetLastError());
  EXPECT_HIP(hipErrorInvalidDevice, hipSetDevice(99));
  EXPECT_OK(hipSetDevice(0));
  EXPECT_OK(hipExtGetLastError());
  (void)hipGetLastError();
}

TEST(Errors, NamesAndTexts) {
  EXPECT_STREQ(hipGetErrorName(hipErrorOutOfMemory), "hipErrorOutOfMemory");
  EXPECT_STREQ(hipGetErrorString(hipErrorOutOfMemory), "out of memory");
  EXPECT_STREQ(hipGetErrorName(hipError_t(4711)), "hipErrorUnknown");
  const char* text = nullptr;
  EXPECT_OK(hipDrvGetErrorName(hipErrorNoDevice, &text));
  EXPECT_STREQ(text, "hipErrorNoDevice");
  EXPECT_HIP(hipErrorInvalidValue, hipDrvGetErrorName(hipError_t(4711), &text));
  EXPECT_HIP(hipErrorInvalidValue, hipDrvGetErrorString(hipErrorNoDevice, nullptr));
  (void)hipGetLastError();
}

TEST(Errors, UnimplementedFunctionsSaySo) {
  EXPECT_HIP(hipErrorNotSupported, hipDestroyExternalMemory(nullptr));
  EXPECT_HIP(hipErrorNotSupported, hipGetLastError());
}

// ---- Names of functions ---------------------------------------------------------------------------------------------

TEST(Functions, ByName) {
  void* f = nullptr;
  hipDriverProcAddressQueryResult status;
  ASSERT_OK(hipGetProcAddress("hipGetDevice", &f, HIP_VERSION, 0, &status));
  EXPECT_EQ(status, HIP_GET_PROC_ADDRESS_SUCCESS);
  int device = -1;
  EXPECT_OK(reinterpret_cast<hipError_t (*)(int*)>(f)(&device));
  EXPECT_EQ(device, 0);
  EXPECT_HIP(hipErrorNotFound, hipGetProcAddress("hipNoSuchThing", &f, HIP_VERSION, 0, &status));
  EXPECT_EQ(status, HIP_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  EXPECT_EQ(f, nullptr);
  EXPECT_HIP(hipErrorInvalidValue, hipGetProcAddress(nullptr, &f, HIP_VERSION, 0, nullptr));
  void *plain = nullptr, *per_thread = nullptr;
  EXPECT_OK(hipGetProcAddress("hipMemcpy", &plain, HIP_VERSION, hipEnableLegacyStream, nullptr));
  EXPECT_OK(hipGetProcAddress("hipMemcpy", &per_thread, HIP_VERSION, hipEnablePerThreadDefaultStream, nullptr));
  EXPECT_NE(plain, per_thread);
  (void)hipGetLastError();
}

} // namespace
