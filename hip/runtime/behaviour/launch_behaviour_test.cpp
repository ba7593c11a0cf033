#include "hip/runtime/behaviour/support.hpp"

#include <hip/hip_ext.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <string>
#include <utility>

#ifndef BZ_HIP_TESTDATA
#error "BZ_HIP_TESTDATA is the folder with the code objects of kernels.hip"
#endif

namespace {

std::string file(const std::string& name) { return std::string(BZ_HIP_TESTDATA) + "/" + name; }

/// "gfx942" of "gfx942:sramecc+:xnack-".
std::string target() {
  hipDeviceProp_t p;
  EXPECT_OK(hipGetDeviceProperties(&p, 0));
  std::string name = p.gcnArchName;
  return name.substr(0, name.find(':'));
}

std::vector<char> bytes(const std::string& name) {
  std::ifstream in(name, std::ios::binary);
  EXPECT_TRUE(in) << name;
  return {std::istreambuf_iterator<char>(in), {}};
}

// ---- <<<>>> ---------------------------------------------------------------------------------------------------------

TEST(Launch, TripleChevron) {
  DeviceBuffer<int> d(1000);
  kernels::launch_fill(4, 256, nullptr, d, 11, 1000);
  EXPECT_OK(hipGetLastError());
  EXPECT_EQ(d.read(), std::vector<int>(1000, 11));
}

TEST(Launch, ArgumentsOfAllSizes) {
  DeviceBuffer<double> out(9);
  kernels::Triple t{-7, 'q', 1ll << 40};
  ASSERT_OK(
      launch(kernels::mixed, 1, 1, 0, nullptr, char(-3), short(-300), 70000, -5000000000ll, 1.5f, 2.25, t, out.get()));
  EXPECT_EQ(out.read(), (std::vector<double>{-3, -300, 70000, -5000000000., 1.5, 2.25, -7, 'q', double(1ll << 40)}));
}

TEST(Launch, GridsAndBlocksOfThreeDimensions) {
  DeviceBuffer<unsigned> out(8);
  out.zero();
  ASSERT_OK(launch(kernels::shape, dim3(3, 2, 5), dim3(8, 4, 2), 0, nullptr, out.get()));
  // per block: sum x = 28*8, sum y = 6*16, sum z = 32
  const unsigned blocks = 30, sum = 28 * 8 + 100 * (6 * 16) + 10000 * 32;
  EXPECT_EQ(out.read(), (std::vector<unsigned>{3, 2, 5, 8, 4, 2, blocks * 64, blocks * sum}));
}

TEST(Launch, DynamicSharedMemory) {
  std::vector<int> v(5000);
  std::iota(v.begin(), v.end(), 0);
  DeviceBuffer<int> d(v.size());
  d.write(v);
  ASSERT_OK(launch(kernels::reverse, 1, 256, v.size() * 4, nullptr, d.get(), int(v.size())));
  std::reverse(v.begin(), v.end());
  EXPECT_EQ(d.read(), v);
}

TEST(Launch, LimitsOfGridAndBlock) {
  DeviceBuffer<int> d(1);
  auto go = [&](dim3 grid, dim3 block, size_t shared = 0) {
    return launch(kernels::slow, grid, block, shared, nullptr, d.get(), 1);
  };
  EXPECT_HIP(hipErrorInvalidConfiguration, go(dim3(0), dim3(64)));
  EXPECT_HIP(hipErrorInvalidConfiguration, go(dim3(1), dim3(0)));
  EXPECT_HIP(hipErrorInvalidConfiguration, go(dim3(1), dim3(1025)));
  EXPECT_HIP(hipErrorInvalidConfiguration, go(dim3(1), dim3(32, 32, 2)));
  EXPECT_HIP(hipErrorInvalidConfiguration, go(dim3(1u << 31), dim3(1024)));
  EXPECT_HIP(hipErrorOutOfMemory, go(dim3(1), dim3(64), 65537));
  EXPECT_HIP(hipErrorLaunchFailure, launch(kernels::small_blocks, 1, 65, 0, nullptr, d.get())) << "launch bounds";
  EXPECT_HIP(hipErrorOutOfMemory, launch(kernels::big_shared, 1, 64, 40000, nullptr, d.get()));
  EXPECT_OK(launch(kernels::big_shared, 1, 64, 32768, nullptr, d.get()));
  EXPECT_EQ(d.read()[0], 8191);
  (void)hipGetLastError();
}

TEST(Launch, WrongFunctionsAndArguments) {
  int local = 0;
  void* args[] = {nullptr, nullptr};
  EXPECT_HIP(hipErrorInvalidDeviceFunction, hipLaunchKernel(&local, 1, 1, args, 0, nullptr));
  EXPECT_HIP(hipErrorInvalidDeviceFunction, hipLaunchKernel(nullptr, 1, 1, args, 0, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipLaunchKernel(kernels::slow, 1, 1, nullptr, 0, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipLaunchKernel(kernels::slow, 1, 1, args, 0, nullptr)) << "a null argument pointer";
  EXPECT_HIP(hipErrorInvalidValue,
             hipLaunchKernel(kernels::slow, 1, 1, args, 0, reinterpret_cast<hipStream_t>(&local)));
  EXPECT_HIP(hipErrorMissingConfiguration, hipLaunchByPtr(kernels::slow));
  (void)hipGetLastError();
}

TEST(Launch, OldThreeStepProtocol) {
  DeviceBuffer<int> d(64);
  int* p = d.get();
  const int value = 6, n = 64;
  ASSERT_OK(hipConfigureCall(1, 64, 0, nullptr));
  ASSERT_OK(hipSetupArgument(&p, 8, 0));
  ASSERT_OK(hipSetupArgument(&value, 4, 8));
  ASSERT_OK(hipSetupArgument(&n, 4, 12));
  ASSERT_OK(hipLaunchByPtr(kernels::fill));
  EXPECT_EQ(d.read()[63], 6);
  EXPECT_HIP(hipErrorMissingConfiguration, hipSetupArgument(&n, 4, 0));
  (void)hipGetLastError();
}

TEST(Launch, WithAttributes) {
  DeviceBuffer<int> d(64);
  int* p = d.get();
  int value = 3, n = 64;
  void* args[] = {&p, &value, &n};
  hipLaunchConfig_t config{};
  config.gridDim = dim3(1);
  config.blockDim = dim3(64);
  ASSERT_OK(hipLaunchKernelExC(&config, kernels::fill, args));
  EXPECT_EQ(d.read()[63], 3);
  hipLaunchAttribute unsupported{};
  unsupported.id = hipLaunchAttributeAccessPolicyWindow;
  config.attrs = &unsupported;
  config.numAttrs = 1;
  EXPECT_HIP(hipErrorNotSupported, hipLaunchKernelExC(&config, kernels::fill, args));
  EXPECT_HIP(hipErrorInvalidValue, hipLaunchKernelExC(nullptr, kernels::fill, args));
  (void)hipGetLastError();
}

TEST(Launch, PrintfReachesStdout) {
  testing::internal::CaptureStdout();
  ASSERT_OK(launch(kernels::print, 2, 3, 0, nullptr, -17));
  ASSERT_OK(hipDeviceSynchronize());
  const std::string text = testing::internal::GetCapturedStdout();
  for (int b = 0; b < 2; ++b)
    for (int t = 0; t < 3; ++t) {
      const std::string line = "thread " + std::to_string(t) + " of block " + std::to_string(b) + ": -17 done\n";
      EXPECT_NE(text.find(line), std::string::npos) << line << "in\n" << text;
    }
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 6);
}

TEST(Launch, PrintfOfNullAndWideStrings) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  ASSERT_OK(launch(kernels::print_strings, 1, 1, 0, nullptr, static_cast<const char*>(nullptr), static_cast<int*>(nullptr)));
  ASSERT_OK(hipDeviceSynchronize());
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "[(null)] [  (null)] [] [%ls] [\xe2\x82\xac] [] 5\n");
  EXPECT_NE(testing::internal::GetCapturedStderr().find("%ls is not supported"), std::string::npos);
}

TEST(Launch, NullArgumentsAreNamedAsInThePublicHeader) {
  testing::internal::CaptureStderr();
  int one = 1;
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpyHtoD(nullptr, &one, 4));
  EXPECT_HIP(hipErrorInvalidValue, hipMemset2D(nullptr, 4, 0, 4, 1));
  EXPECT_HIP(hipErrorInvalidValue, hipStreamCreateWithFlags(nullptr, 0));
  EXPECT_HIP(hipErrorInvalidValue, hipFuncGetAttributes(nullptr, kernels::fill));
  EXPECT_HIP(hipErrorInvalidValue, hipMemcpyParam2D(nullptr));
  const std::string text = testing::internal::GetCapturedStderr();
  for (const char* line : {"hipMemcpyHtoD: hipErrorInvalidValue: argument dst is null", "hipMemset2D: hipErrorInvalidValue: argument dst is null",
                           "hipStreamCreateWithFlags: hipErrorInvalidValue: argument stream is null",
                           "hipFuncGetAttributes: hipErrorInvalidValue: argument attr is null",
                           "hipMemcpyParam2D: hipErrorInvalidValue: argument pCopy is null"})
    EXPECT_NE(text.find(line), std::string::npos) << line << "in\n" << text;
  (void)hipGetLastError();
}

// ---- Cooperative ----------------------------------------------------------------------------------------------------

TEST(Cooperative, BlocksWaitForEachOther) {
  int per_cu = 0, units = 0;
  ASSERT_OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&per_cu, kernels::grid_sum, 64, 0));
  ASSERT_OK(hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, 0));
  ASSERT_GT(per_cu, 0);
  const int blocks = std::min(per_cu * units, 64);
  DeviceBuffer<int> arrived(1), out(blocks);
  arrived.zero();
  int *a = arrived.get(), *o = out.get();
  void* args[] = {&a, &o};
  ASSERT_OK(hipLaunchCooperativeKernel(kernels::grid_sum, dim3(blocks), dim3(64), args, 0, nullptr));
  EXPECT_EQ(out.read(), std::vector<int>(blocks, blocks));
  EXPECT_HIP(hipErrorCooperativeLaunchTooLarge,
             hipLaunchCooperativeKernel(kernels::grid_sum, dim3(per_cu * units + 1), dim3(64), args, 0, nullptr));
  (void)hipGetLastError();
}

// ---- Occupancy and attributes ---------------------------------------------------------------------------------------

TEST(Occupancy, IsLimitedByWavesAndSharedMemory) {
  int blocks = 0, more = 0;
  ASSERT_OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernels::fill, 64, 0));
  ASSERT_OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&more, kernels::fill, 256, 0));
  EXPECT_EQ(blocks, more * 4);
  ASSERT_OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernels::big_shared, 64, 0));
  EXPECT_EQ(blocks, 2) << "32 of 64 KiB";
  ASSERT_OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernels::big_shared, 64, 512));
  EXPECT_EQ(blocks, 1);
  ASSERT_OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernels::big_shared, 64, 40000));
  EXPECT_EQ(blocks, 0);
  ASSERT_OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernels::big_shared, 64, SIZE_MAX));
  EXPECT_EQ(blocks, 0) << "no sum wraps";
  DeviceBuffer<int> one(1);
  void* arguments[] = {&one};
  EXPECT_HIP(hipErrorOutOfMemory, hipLaunchKernel(kernels::big_shared, dim3(1), dim3(64), arguments, SIZE_MAX - 100, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernels::fill, 0, 0));
  EXPECT_HIP(hipErrorInvalidDeviceFunction, hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &blocks, 64, 0));
  int grid = 0, block = 0, units = 0;
  ASSERT_OK(hipDeviceGetAttribute(&units, hipDeviceAttributeMultiprocessorCount, 0));
  ASSERT_OK(hipOccupancyMaxPotentialBlockSize(&grid, &block, kernels::fill, 0, 0));
  auto threads_with = [&](int size) {
    int n = 0;
    EXPECT_OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernels::fill, size, 0));
    return n * size;
  };
  EXPECT_EQ(grid, threads_with(block) / block * units);
  for (int size = 64; size <= 1024; size += 64) {
    EXPECT_LE(threads_with(size), threads_with(block)) << size;
    if (size > block) EXPECT_LT(threads_with(size), threads_with(block)) << "the larger block wins a draw: " << size;
  }
  ASSERT_OK(hipOccupancyMaxPotentialBlockSize(&grid, &block, kernels::small_blocks, 0, 0));
  EXPECT_EQ(block, 64);
  (void)hipGetLastError();
}

TEST(Attributes, OfAKernel) {
  hipFuncAttributes a{};
  ASSERT_OK(hipFuncGetAttributes(&a, kernels::big_shared));
  EXPECT_EQ(a.sharedSizeBytes, 32768u);
  EXPECT_EQ(a.maxThreadsPerBlock, 1024);
  EXPECT_EQ(a.maxDynamicSharedSizeBytes, 32768);
  EXPECT_GT(a.numRegs, 0);
  ASSERT_OK(hipFuncGetAttributes(&a, kernels::small_blocks));
  EXPECT_EQ(a.maxThreadsPerBlock, 64);
  EXPECT_OK(hipFuncSetAttribute(kernels::fill, hipFuncAttributeMaxDynamicSharedMemorySize, 65536));
  EXPECT_HIP(hipErrorInvalidValue,
             hipFuncSetAttribute(kernels::fill, hipFuncAttributeMaxDynamicSharedMemorySize, 65537));
  EXPECT_HIP(hipErrorInvalidValue, hipFuncSetAttribute(kernels::fill, hipFuncAttribute(42), 1));
  EXPECT_HIP(hipErrorInvalidDeviceFunction, hipFuncGetAttributes(&a, &a));
  EXPECT_HIP(hipErrorInvalidValue, hipFuncGetAttributes(nullptr, kernels::fill));
  hipFunction_t f = nullptr;
  ASSERT_OK(hipGetFuncBySymbol(&f, kernels::small_blocks));
  int threads = 0;
  EXPECT_OK(hipFuncGetAttribute(&threads, HIP_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f));
  EXPECT_EQ(threads, 64);
  EXPECT_STREQ(hipKernelNameRef(f), "k_small_blocks");
  EXPECT_STREQ(hipKernelNameRefByPtr(kernels::small_blocks, nullptr), "k_small_blocks");
  (void)hipGetLastError();
}

// ---- Modules --------------------------------------------------------------------------------------------------------

class Module : public testing::Test {
protected:
  void SetUp() override { ASSERT_OK(hipModuleLoad(&module, file("kernels." + target() + ".co").c_str())); }
  void TearDown() override {
    if (module) EXPECT_OK(hipModuleUnload(module));
    (void)hipGetLastError();
  }
  hipFunction_t function(const char* name) {
    hipFunction_t f = nullptr;
    EXPECT_OK(hipModuleGetFunction(&f, module, name));
    return f;
  }
  hipModule_t module = nullptr;
};

TEST_F(Module, LaunchesWithPointersAndWithABuffer) {
  DeviceBuffer<int> d(256);
  int* p = d.get();
  int value = 4, n = 256;
  void* args[] = {&p, &value, &n};
  hipFunction_t f = function("k_fill");
  ASSERT_OK(hipModuleLaunchKernel(f, 1, 1, 1, 256, 1, 1, 0, nullptr, args, nullptr));
  EXPECT_EQ(d.read()[255], 4);
  struct {
    int* out;
    int value, n;
  } packed{p, 9, 256};
  size_t size = sizeof packed;
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  ASSERT_OK(hipModuleLaunchKernel(f, 1, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra));
  EXPECT_EQ(d.read()[255], 9);
  size = 8;
  EXPECT_HIP(hipErrorInvalidValue, hipModuleLaunchKernel(f, 1, 1, 1, 256, 1, 1, 0, nullptr, nullptr, extra));
  // Sizes in threads, not whole blocks.
  d.zero();
  ASSERT_OK(hipExtModuleLaunchKernel(f, 100, 1, 1, 64, 1, 1, 0, nullptr, args, nullptr, nullptr, nullptr, 0));
  EXPECT_EQ(d.read()[99], 4);
  EXPECT_EQ(d.read()[100], 0);
}

TEST_F(Module, LimitsAndHandles) {
  DeviceBuffer<int> d(256);
  int* p = d.get();
  int value = 4, n = 256;
  void* args[] = {&p, &value, &n};
  hipFunction_t f = function("k_fill");
  auto go = [&](unsigned gx, unsigned bx, unsigned shared) {
    return hipModuleLaunchKernel(f, gx, 1, 1, bx, 1, 1, shared, nullptr, args, nullptr);
  };
  EXPECT_HIP(hipErrorInvalidValue, go(0, 64, 0));
  EXPECT_HIP(hipErrorInvalidValue, go(1, 0, 0));
  EXPECT_HIP(hipErrorInvalidValue, go(1, 1025, 0));
  EXPECT_HIP(hipErrorInvalidValue, go(1, 64, 65540));
  hipDeviceProp_t limits;
  ASSERT_OK(hipGetDeviceProperties(&limits, 0));
  EXPECT_HIP(hipErrorInvalidValue,
             hipModuleLaunchKernel(f, 1, unsigned(limits.maxGridSize[1]) + 1, 1, 1, 1, 1, 0, nullptr, args, nullptr));
  EXPECT_OK(hipExtModuleLaunchKernel(f, 1, unsigned(limits.maxGridSize[1]) + 1, 1, 1, 1, 1, 0, nullptr, args, nullptr,
                                     nullptr, nullptr, 0))
      << "a grid of threads";
  hipStream_t dead;
  ASSERT_OK(hipStreamCreate(&dead));
  ASSERT_OK(hipStreamDestroy(dead));
  EXPECT_HIP(hipErrorInvalidValue, hipModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, dead, args, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipModuleLaunchCooperativeKernel(f, 1, 1, 1, 1, 1, 1, 0, dead, args));
  EXPECT_HIP(hipErrorInvalidValue, launch(kernels::fill, 1, 1, 0, dead, p, value, n));
  EXPECT_HIP(hipErrorContextIsDestroyed, hipLaunchCooperativeKernel(kernels::fill, 1, 1, args, 0, dead));
  EXPECT_HIP(hipErrorCooperativeLaunchTooLarge, hipLaunchCooperativeKernel(kernels::fill, 1, 1, args, 65540, nullptr));
  EXPECT_HIP(hipErrorInvalidHandle, hipModuleLaunchKernel(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr));
  EXPECT_HIP(hipErrorInvalidHandle,
             hipModuleLaunchKernel(reinterpret_cast<hipFunction_t>(&n), 1, 1, 1, 1, 1, 1, 0, nullptr, args, nullptr));
  hipFunction_t none = nullptr;
  EXPECT_HIP(hipErrorNotFound, hipModuleGetFunction(&none, module, "no_such_kernel"));
  EXPECT_EQ(none, nullptr);
  EXPECT_HIP(hipErrorInvalidValue, hipModuleGetFunction(&none, module, nullptr));
  EXPECT_HIP(hipErrorInvalidHandle, hipModuleGetFunction(&none, nullptr, "k_fill"));
  EXPECT_HIP(hipErrorInvalidHandle, hipModuleGetFunction(&none, reinterpret_cast<hipModule_t>(&n), "k_fill"));
  unsigned count = 0;
  EXPECT_OK(hipModuleGetFunctionCount(&count, module));
  EXPECT_GE(count, 19u);
}

TEST_F(Module, Globals) {
  hipDeviceptr_t address = nullptr;
  size_t size = 0;
  ASSERT_OK(hipModuleGetGlobal(&address, &size, module, "constant_table"));
  EXPECT_EQ(size, 16u);
  int values[4];
  ASSERT_OK(hipMemcpyDtoH(values, address, 16));
  EXPECT_EQ(values[3], 4);
  EXPECT_HIP(hipErrorNotFound, hipModuleGetGlobal(&address, &size, module, "no_such_variable"));
  EXPECT_HIP(hipErrorInvalidValue, hipModuleGetGlobal(nullptr, nullptr, module, "constant_table"));
  EXPECT_HIP(hipErrorInvalidValue, hipModuleGetGlobal(&address, &size, module, ""));
}

TEST_F(Module, ManagedVariablesAreOfBothSides) {
  const int own = kernels::managed_value();
  hipFunction_t f = function("k_double_managed");
  auto run = [&] {
    ASSERT_OK(hipModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
    ASSERT_OK(hipDeviceSynchronize());
  };
  run();
  hipDeviceptr_t address = nullptr;
  size_t size = 0;
  ASSERT_OK(hipModuleGetGlobal(&address, &size, module, "managed_int"));
  EXPECT_EQ(size, sizeof(int));
  auto* value = static_cast<volatile int*>(address);
  EXPECT_EQ(*value, 10) << "its first value, doubled";
  *value = 21;
  run();
  EXPECT_EQ(*value, 42);
  EXPECT_EQ(kernels::managed_value(), own) << "the program's own is another one";
  hipPointerAttribute_t a;
  ASSERT_OK(hipPointerGetAttributes(&a, address));
  EXPECT_TRUE(a.isManaged);
  ASSERT_OK(hipModuleUnload(std::exchange(module, nullptr)));
  ASSERT_OK(hipPointerGetAttributes(&a, address));
  EXPECT_EQ(a.type, hipMemoryTypeUnregistered) << "gone with its module";
}

TEST_F(Module, UnloadEndsHandles) {
  hipFunction_t f = function("k_fill");
  ASSERT_OK(hipModuleUnload(module));
  EXPECT_HIP(hipErrorNotFound, hipModuleUnload(module)) << "twice";
  EXPECT_HIP(hipErrorInvalidHandle, hipModuleLaunchKernel(f, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr));
  module = nullptr;
}

TEST(ModuleLoad, FromMemoryAndFromBundle) {
  hipModule_t m = nullptr;
  auto image = bytes(file("kernels." + target() + ".co"));
  ASSERT_OK(hipModuleLoadData(&m, image.data()));
  std::fill(image.begin(), image.end(), 0); // the runtime has its own copy
  hipFunction_t f = nullptr;
  ASSERT_OK(hipModuleGetFunction(&f, m, "k_trap"));
  EXPECT_OK(hipModuleUnload(m));
  ASSERT_OK(hipModuleLoad(&m, file("kernels.hipfb").c_str()));
  EXPECT_OK(hipModuleUnload(m));
  EXPECT_HIP(hipErrorInvalidValue, hipModuleLoadData(&m, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipModuleLoadData(nullptr, image.data()));
  EXPECT_HIP(hipErrorFileNotFound, hipModuleLoad(&m, file("no_such_file").c_str()));
  EXPECT_HIP(hipErrorInvalidValue, hipModuleLoad(&m, ""));
  EXPECT_EQ(m, nullptr);
  (void)hipGetLastError();
}

TEST(Library, KernelsHaveHandles) {
  hipLibrary_t library = nullptr;
  auto image = bytes(file("kernels." + target() + ".co"));
  ASSERT_OK(hipLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  hipKernel_t kernel = nullptr;
  ASSERT_OK(hipLibraryGetKernel(&kernel, library, "k_fill"));
  const char* name = nullptr;
  ASSERT_OK(hipKernelGetName(&name, kernel));
  EXPECT_STREQ(name, "k_fill");
  hipLibrary_t back = nullptr;
  ASSERT_OK(hipKernelGetLibrary(&back, kernel));
  EXPECT_EQ(back, library);
  unsigned count = 0;
  ASSERT_OK(hipLibraryGetKernelCount(&count, library));
  ASSERT_GE(count, 19u);
  std::vector<hipKernel_t> all(count);
  ASSERT_OK(hipLibraryEnumerateKernels(all.data(), count, library));
  EXPECT_EQ(std::count(all.begin(), all.end(), kernel), 1);
  DeviceBuffer<int> d(64);
  int* p = d.get();
  int value = 12, n = 64;
  void* args[] = {&p, &value, &n};
  ASSERT_OK(
      hipModuleLaunchKernel(reinterpret_cast<hipFunction_t>(kernel), 1, 1, 1, 64, 1, 1, 0, nullptr, args, nullptr));
  EXPECT_EQ(d.read()[63], 12);
  EXPECT_HIP(hipErrorNotFound, hipLibraryGetKernel(&kernel, library, "no_such_kernel"));
  EXPECT_OK(hipLibraryUnload(library));
  EXPECT_HIP(hipErrorInvalidHandle, hipLibraryUnload(library)) << "twice";
  EXPECT_HIP(hipErrorInvalidHandle, hipLibraryGetKernelCount(&count, nullptr));
  EXPECT_HIP(hipErrorFileNotFound,
             hipLibraryLoadFromFile(&library, file("no_such_file").c_str(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  (void)hipGetLastError();
}

TEST(ModuleLoad, WrongArchitectureNamesBothAndTheRemedy) {
  hipModule_t m = nullptr;
  testing::internal::CaptureStderr();
  EXPECT_HIP(hipErrorNoBinaryForGpu, hipModuleLoad(&m, file("kernels.gfx1030.co").c_str()));
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("gfx1030"), std::string::npos) << text;
  EXPECT_NE(text.find(target()), std::string::npos) << text;
  EXPECT_NE(text.find("--offload-arch=" + target()), std::string::npos) << text;
  (void)hipGetLastError();
}

TEST(ModuleLoad, DamagedFiles) {
  const auto image = bytes(file("kernels." + target() + ".co"));
  const std::string path = testing::TempDir() + "/bz_damaged.co";
  auto load = [&](const std::vector<char>& b) {
    std::ofstream(path, std::ios::binary).write(b.data(), std::streamsize(b.size()));
    hipModule_t m = nullptr;
    hipError_t e = hipModuleLoad(&m, path.c_str());
    if (e == hipSuccess) (void)hipModuleUnload(m);
    return e;
  };
  EXPECT_OK(load(image));
  for (size_t keep : {size_t(0), size_t(3), size_t(40), size_t(64), size_t(300), image.size() / 2})
    EXPECT_HIP(hipErrorInvalidImage, load({image.begin(), image.begin() + std::ptrdiff_t(keep)})) << keep;
  EXPECT_HIP(hipErrorInvalidImage, load(std::vector<char>(4096, 'x')));
  auto program_headers_far_away = image;
  program_headers_far_away[0x20 + 5] = 0x7f; // e_phoff
  EXPECT_HIP(hipErrorInvalidImage, load(program_headers_far_away));
  std::remove(path.c_str());
  (void)hipGetLastError();
}

} // namespace
