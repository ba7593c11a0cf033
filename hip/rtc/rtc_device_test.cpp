// hipRTC and the HIP linkers on the software device: what is compiled and linked here runs there.
#include "hip/rtc/rtc_support.hpp"

#include <hip/hip_runtime.h>

#include <cstring>
#include <fstream>
#include <numeric>
#include <thread>

namespace {

#define EXPECT_HIP(expected, call) EXPECT_STREQ(hipGetErrorName(expected), hipGetErrorName(call)) << #call
#define ASSERT_OK(call) ASSERT_STREQ("hipSuccess", hipGetErrorName(call)) << #call

constexpr const char* kCaller = R"(
__device__ int twice(int);
__device__ int offset = 7;
extern "C" __global__ void caller(int* p) { p[threadIdx.x] = twice(p[threadIdx.x]) + offset; })";
constexpr const char* kCallee = "__device__ int twice(int x) { return 2 * x; }";

std::string bitcode_of(const char* source) {
  RtcProgram program(source);
  EXPECT_RTC(HIPRTC_SUCCESS, program.compile({"-fgpu-rdc"})) << program.log();
  return program.bitcode();
}

/// Runs a kernel of one argument over 0, 1, 2, ...: what it leaves in them.
std::vector<int> run(const void* code, const char* kernel, int n = 64) {
  std::vector<int> values(n);
  std::iota(values.begin(), values.end(), 0);
  hipModule_t module;
  hipFunction_t function;
  int* device = nullptr;
  EXPECT_HIP(hipSuccess, hipModuleLoadData(&module, code));
  EXPECT_HIP(hipSuccess, hipModuleGetFunction(&function, module, kernel));
  EXPECT_HIP(hipSuccess, hipMalloc(reinterpret_cast<void**>(&device), n * sizeof(int)));
  EXPECT_HIP(hipSuccess, hipMemcpy(device, values.data(), n * sizeof(int), hipMemcpyHostToDevice));
  void* arguments[] = {&device};
  EXPECT_HIP(hipSuccess, hipModuleLaunchKernel(function, 1, 1, 1, n, 1, 1, 0, nullptr, arguments, nullptr));
  EXPECT_HIP(hipSuccess, hipMemcpy(values.data(), device, n * sizeof(int), hipMemcpyDeviceToHost));
  EXPECT_HIP(hipSuccess, hipFree(device));
  EXPECT_HIP(hipSuccess, hipModuleUnload(module));
  return values;
}

void expect_caller(const std::vector<int>& values) {
  for (int i = 0; i < int(values.size()); ++i) EXPECT_EQ(values[i], 2 * i + 7) << i;
}

TEST(RtcDevice, WithoutATargetTheCurrentDeviceIsMeant) {
  RtcProgram program("extern \"C\" __global__ void square(int* p) { p[threadIdx.x] *= p[threadIdx.x]; }");
  for (std::vector<const char*> options : {std::vector<const char*>{}, {"--offload-arch=native"}}) {
    ASSERT_RTC(HIPRTC_SUCCESS, program.compile(options)) << program.log();
    const auto values = run(program.code().data(), "square");
    for (int i = 0; i < 64; ++i) EXPECT_EQ(values[i], i * i);
  }
}

TEST(RtcDevice, TemplatesAndVariablesByLoweredName) {
  RtcProgram program("static __constant__ int added; template <int N> __global__ void scale(int* p) { p[threadIdx.x] = N * p[threadIdx.x] + added; }");
  for (const char* e : {"scale<3>", "&scale<5>", "&added"}) ASSERT_RTC(HIPRTC_SUCCESS, hiprtcAddNameExpression(program.handle, e));
  ASSERT_RTC(HIPRTC_SUCCESS, program.compile({})) << program.log();
  const std::string code = program.code();
  hipModule_t module;
  ASSERT_OK(hipModuleLoadData(&module, code.data()));
  hipDeviceptr_t variable;
  size_t bytes = 0;
  ASSERT_OK(hipModuleGetGlobal(&variable, &bytes, module, program.lowered("&added").c_str()));
  EXPECT_EQ(bytes, sizeof(int));
  int eleven = 11, value = 4, *device = nullptr;
  ASSERT_OK(hipMemcpyHtoD(variable, &eleven, sizeof eleven));
  ASSERT_OK(hipMalloc(reinterpret_cast<void**>(&device), sizeof(int)));
  for (auto [expression, expected] : {std::pair("scale<3>", 3 * 4 + 11), std::pair("&scale<5>", 5 * 4 + 11)}) {
    hipFunction_t function;
    ASSERT_OK(hipModuleGetFunction(&function, module, program.lowered(expression).c_str()));
    ASSERT_OK(hipMemcpy(device, &value, sizeof value, hipMemcpyHostToDevice));
    void* arguments[] = {&device};
    ASSERT_OK(hipModuleLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
    int result = 0;
    ASSERT_OK(hipMemcpy(&result, device, sizeof result, hipMemcpyDeviceToHost));
    EXPECT_EQ(result, expected) << expression;
  }
  ASSERT_OK(hipFree(device));
  ASSERT_OK(hipModuleUnload(module));
}

TEST(RtcDevice, LinksBitcodeOfTwoPrograms) {
  const std::string caller = bitcode_of(kCaller), callee = bitcode_of(kCallee);
  const char* isa_options[] = {"-mllvm", "-inline-threshold=1", "-O2"};
  char info[512] = "", failed[512] = "";
  hiprtcJIT_option options[] = {HIPRTC_JIT_IR_TO_ISA_OPT_EXT, HIPRTC_JIT_IR_TO_ISA_OPT_COUNT_EXT, HIPRTC_JIT_INFO_LOG_BUFFER,
                                HIPRTC_JIT_INFO_LOG_BUFFER_SIZE_BYTES, HIPRTC_JIT_ERROR_LOG_BUFFER,
                                HIPRTC_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, HIPRTC_JIT_LOG_VERBOSE, HIPRTC_JIT_MAX_REGISTERS,
                                HIPRTC_JIT_WALL_TIME};
  void* values[] = {isa_options, (void*)3, info, (void*)sizeof info, failed, (void*)sizeof failed, (void*)1, (void*)32, nullptr};
  hiprtcLinkState state;
  ASSERT_RTC(HIPRTC_SUCCESS, hiprtcLinkCreate(9, options, values, &state));
  ASSERT_RTC(HIPRTC_SUCCESS, hiprtcLinkAddData(state, HIPRTC_JIT_INPUT_LLVM_BITCODE, (void*)caller.data(), caller.size(), "caller.bc", 0, nullptr, nullptr));

  // What is missing is named, and the link can be completed after it was added.
  void* code = nullptr;
  size_t size = 0;
  EXPECT_RTC(HIPRTC_ERROR_LINKING, hiprtcLinkComplete(state, &code, &size));
  EXPECT_TRUE(contains(failed, "symbol: twice(int)")) << failed;
  EXPECT_EQ(std::strlen(failed), reinterpret_cast<size_t>(values[5]));
  values[3] = (void*)sizeof info; // the size is in and out
  values[5] = (void*)sizeof failed;
  const std::string path = testing::TempDir() + "bz_callee.bc";
  std::ofstream(path, std::ios::binary) << callee;
  ASSERT_RTC(HIPRTC_SUCCESS, hiprtcLinkAddFile(state, HIPRTC_JIT_INPUT_LLVM_BITCODE, path.c_str(), 0, nullptr, nullptr));
  ASSERT_RTC(HIPRTC_SUCCESS, hiprtcLinkComplete(state, &code, &size));
  EXPECT_GT(size, 1000u);
  EXPECT_STREQ(failed, "");
  EXPECT_TRUE(contains(info, "MaxRegisters has no effect")) << info;
  EXPECT_TRUE(contains(info, "caller.bc")) << info;
  float milliseconds = 0;
  std::memcpy(&milliseconds, &values[8], sizeof milliseconds);
  EXPECT_GT(milliseconds, 0.1f);
  expect_caller(run(code, "caller"));
  void* again = nullptr;
  ASSERT_RTC(HIPRTC_SUCCESS, hiprtcLinkComplete(state, &again, nullptr));
  EXPECT_EQ(again, code);
  EXPECT_RTC(HIPRTC_SUCCESS, hiprtcLinkDestroy(state));
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcLinkDestroy(state));
}

TEST(RtcDevice, EveryLinkFunctionRefusesBadInput) {
  hiprtcLinkState state = nullptr;
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcLinkCreate(0, nullptr, nullptr, nullptr));
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcLinkCreate(1, nullptr, nullptr, &state));
  void* value[] = {(void*)9};
  for (int bad : {29, 500, -1, int(HIPRTC_JIT_GLOBAL_SYMBOL_NAMES), int(HIPRTC_JIT_TARGET), int(HIPRTC_JIT_OPTIMIZATION_LEVEL)}) {
    auto option = static_cast<hiprtcJIT_option>(bad);
    EXPECT_RTC(HIPRTC_ERROR_INVALID_OPTION, hiprtcLinkCreate(1, &option, value, &state)) << bad;
    EXPECT_EQ(state, nullptr);
  }
  const char* words[] = {"-frobnicate"};
  hiprtcJIT_option both[] = {HIPRTC_JIT_IR_TO_ISA_OPT_EXT, HIPRTC_JIT_IR_TO_ISA_OPT_COUNT_EXT};
  void* values[] = {words, (void*)1};
  EXPECT_RTC(HIPRTC_ERROR_INVALID_OPTION, hiprtcLinkCreate(2, both, values, &state));

  ASSERT_RTC(HIPRTC_SUCCESS, hiprtcLinkCreate(0, nullptr, nullptr, &state));
  void* code = nullptr;
  size_t size = 0;
  char text[] = "not bitcode";
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcLinkComplete(state, &code, &size)) << "nothing was added";
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcLinkComplete(state, nullptr, &size));
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcLinkAddData(state, HIPRTC_JIT_INPUT_LLVM_BITCODE, nullptr, 5, "x", 0, nullptr, nullptr));
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcLinkAddData(state, HIPRTC_JIT_INPUT_LLVM_BITCODE, text, 0, "x", 0, nullptr, nullptr));
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcLinkAddData(state, HIPRTC_JIT_INPUT_LLVM_BITCODE, text, size_t(1) << 50, "x", 0, nullptr, nullptr));
  EXPECT_RTC(HIPRTC_ERROR_PROGRAM_CREATION_FAILURE, hiprtcLinkAddFile(state, HIPRTC_JIT_INPUT_LLVM_BITCODE, "/no/such/file", 0, nullptr, nullptr));
  EXPECT_RTC(HIPRTC_ERROR_PROGRAM_CREATION_FAILURE, hiprtcLinkAddFile(state, HIPRTC_JIT_INPUT_LLVM_BITCODE, "/tmp", 0, nullptr, nullptr));
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcLinkAddFile(state, HIPRTC_JIT_INPUT_LLVM_BITCODE, nullptr, 0, nullptr, nullptr));
  EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcLinkAddFile(state, HIPRTC_JIT_INPUT_NVVM, "/no/such/file", 0, nullptr, nullptr));
  for (int kind : {int(HIPRTC_JIT_INPUT_CUBIN), int(HIPRTC_JIT_INPUT_PTX), int(HIPRTC_JIT_INPUT_NVVM), int(HIPRTC_JIT_INPUT_FATBINARY), int(HIPRTC_JIT_INPUT_SPIRV), 6, 10, 99, -3})
    EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcLinkAddData(state, static_cast<hiprtcJITInputType>(kind), text, sizeof text, "x", 0, nullptr, nullptr)) << kind;

  // Foreign and destroyed states.
  EXPECT_RTC(HIPRTC_SUCCESS, hiprtcLinkDestroy(state));
  for (hiprtcLinkState s : {hiprtcLinkState(nullptr), state, reinterpret_cast<hiprtcLinkState>(text)}) {
    EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcLinkAddData(s, HIPRTC_JIT_INPUT_LLVM_BITCODE, text, sizeof text, "x", 0, nullptr, nullptr));
    EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcLinkAddFile(s, HIPRTC_JIT_INPUT_LLVM_BITCODE, "/dev/null", 0, nullptr, nullptr));
    EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcLinkComplete(s, &code, &size));
    EXPECT_RTC(HIPRTC_ERROR_INVALID_INPUT, hiprtcLinkDestroy(s));
  }
}

/// Inputs that are not what they are said to be, cut off at every kind of place: a failure each, never a crash.
TEST(RtcDevice, BrokenInputsFailToLink) {
  const std::string bitcode = bitcode_of(kCallee);
  RtcProgram finished("extern \"C\" __global__ void k() {}");
  ASSERT_RTC(HIPRTC_SUCCESS, finished.compile({}));
  const std::string code = finished.code();
  std::string ir = "target triple = \"x86_64-pc-linux-gnu\"\ndefine void @f() { ret void }\n";
  const std::pair<int, std::string> inputs[] = {
      {HIPRTC_JIT_INPUT_LLVM_BITCODE, "text"},
      {HIPRTC_JIT_INPUT_LLVM_BITCODE, ir},
      {HIPRTC_JIT_INPUT_LLVM_BITCODE, bitcode.substr(0, bitcode.size() / 2)},
      {HIPRTC_JIT_INPUT_LLVM_BITCODE, bitcode.substr(0, 4)},
      {HIPRTC_JIT_INPUT_LLVM_BITCODE, code},
      {HIPRTC_JIT_INPUT_LLVM_BUNDLED_BITCODE, bitcode},
      {HIPRTC_JIT_INPUT_LLVM_BUNDLED_BITCODE, "__CLANG_OFFLOAD_BUNDLE__"},
      {HIPRTC_JIT_INPUT_LLVM_ARCHIVES_OF_BUNDLED_BITCODE, bitcode},
      {HIPRTC_JIT_INPUT_LLVM_ARCHIVES_OF_BUNDLED_BITCODE, "!<arch>\nabc"},
      {HIPRTC_JIT_INPUT_OBJECT, code},
      {HIPRTC_JIT_INPUT_OBJECT, code.substr(0, 70)},
      {HIPRTC_JIT_INPUT_OBJECT, bitcode},
      {HIPRTC_JIT_INPUT_LIBRARY, code},
  };
  for (const auto& [kind, bytes] : inputs) {
    hiprtcLinkState state;
    void* out = nullptr;
    size_t size = 0;
    ASSERT_RTC(HIPRTC_SUCCESS, hiprtcLinkCreate(0, nullptr, nullptr, &state));
    ASSERT_RTC(HIPRTC_SUCCESS, hiprtcLinkAddData(state, static_cast<hiprtcJITInputType>(kind), (void*)bytes.data(), bytes.size(), "broken", 0, nullptr, nullptr));
    EXPECT_RTC(HIPRTC_ERROR_LINKING, hiprtcLinkComplete(state, &out, &size)) << kind << " " << bytes.size();
    EXPECT_RTC(HIPRTC_SUCCESS, hiprtcLinkDestroy(state));
  }
  // The linker works after all this.
  const std::string caller = bitcode_of(kCaller);
  hiprtcLinkState state;
  void* out = nullptr;
  ASSERT_RTC(HIPRTC_SUCCESS, hiprtcLinkCreate(0, nullptr, nullptr, &state));
  for (const std::string* bytes : {&caller, &bitcode})
    ASSERT_RTC(HIPRTC_SUCCESS, hiprtcLinkAddData(state, HIPRTC_JIT_INPUT_LLVM_BITCODE, (void*)bytes->data(), bytes->size(), nullptr, 0, nullptr, nullptr));
  ASSERT_RTC(HIPRTC_SUCCESS, hiprtcLinkComplete(state, &out, nullptr));
  expect_caller(run(out, "caller"));
  EXPECT_RTC(HIPRTC_SUCCESS, hiprtcLinkDestroy(state));
}

/// The files that hipcc and llvm-ar made of tests/projects' kind of sources (CMakeLists.txt here).
TEST(RtcDevice, LinksFilesOfEveryKind) {
  const std::string folder = BZ_RTC_TESTDATA;
  const std::pair<hiprtcJITInputType, const char*> kinds[] = {
      {HIPRTC_JIT_INPUT_LLVM_BITCODE, ".bc"}, {HIPRTC_JIT_INPUT_LLVM_BITCODE, ".ll"},
      {HIPRTC_JIT_INPUT_LLVM_BUNDLED_BITCODE, ".bundle"}, {HIPRTC_JIT_INPUT_LLVM_ARCHIVES_OF_BUNDLED_BITCODE, ".bundles.a"},
      {HIPRTC_JIT_INPUT_OBJECT, ".o"}, {HIPRTC_JIT_INPUT_LIBRARY, ".objects.a"}};
  for (auto [kind, ending] : kinds) {
    hiprtcLinkState state;
    void* code = nullptr;
    size_t size = 0;
    ASSERT_RTC(HIPRTC_SUCCESS, hiprtcLinkCreate(0, nullptr, nullptr, &state));
    const bool whole = contains(ending, ".a"); // an archive has both
    ASSERT_RTC(HIPRTC_SUCCESS, hiprtcLinkAddFile(state, kind, (folder + "/" + (whole ? "both" : "caller") + ending).c_str(), 0, nullptr, nullptr));
    if (!whole)
      ASSERT_RTC(HIPRTC_SUCCESS, hiprtcLinkAddFile(state, kind, (folder + "/callee" + ending).c_str(), 0, nullptr, nullptr));
    ASSERT_RTC(HIPRTC_SUCCESS, hiprtcLinkComplete(state, &code, &size)) << ending;
    expect_caller(run(code, "caller"));
    EXPECT_RTC(HIPRTC_SUCCESS, hiprtcLinkDestroy(state));
  }
}

// ---- hipLinkCreate and its relatives, of libamdhip64 ---------------------------------------------------------------------

TEST(RtcDevice, HipLinkDoesTheSame) {
  const std::string caller = bitcode_of(kCaller), callee = bitcode_of(kCallee);
  char failed[256] = "";
  hipJitOption options[] = {hipJitOptionErrorLogBuffer, hipJitOptionErrorLogBufferSizeBytes, hipJitOptionOptimizationLevel};
  void* values[] = {failed, (void*)sizeof failed, (void*)4};
  hipLinkState_t state = nullptr;
  ASSERT_OK(hipLinkCreate(3, options, values, &state));
  ASSERT_OK(hipLinkAddData(state, hipJitInputLLVMBitcode, (void*)caller.data(), caller.size(), "caller.bc", 0, nullptr, nullptr));
  void* code = nullptr;
  size_t size = 0;
  EXPECT_HIP(hipErrorInvalidImage, hipLinkComplete(state, &code, &size));
  EXPECT_TRUE(contains(failed, "twice")) << failed;
  const std::string path = testing::TempDir() + "bz_callee2.bc";
  std::ofstream(path, std::ios::binary) << callee;
  ASSERT_OK(hipLinkAddFile(state, hipJitInputLLVMBitcode, path.c_str(), 0, nullptr, nullptr));
  ASSERT_OK(hipLinkComplete(state, &code, &size));
  EXPECT_GT(size, 1000u);
  expect_caller(run(code, "caller"));
  EXPECT_HIP(hipSuccess, hipLinkDestroy(state));
  EXPECT_HIP(hipErrorInvalidHandle, hipLinkDestroy(state));
}

TEST(RtcDevice, HipLinkRefusesBadInput) {
  hipLinkState_t state = nullptr;
  hipJitOption bad = hipJitOptionNumOptions;
  void* value = nullptr;
  EXPECT_HIP(hipErrorInvalidValue, hipLinkCreate(0, nullptr, nullptr, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipLinkCreate(1, nullptr, &value, &state));
  EXPECT_HIP(hipErrorInvalidValue, hipLinkCreate(1, &bad, nullptr, &state));
  EXPECT_HIP(hipErrorInvalidValue, hipLinkCreate(1, &bad, &value, &state));
  bad = hipJitOptionGlobalSymbolNames;
  EXPECT_HIP(hipErrorNotSupported, hipLinkCreate(1, &bad, &value, &state));
  ASSERT_OK(hipLinkCreate(0, nullptr, nullptr, &state));
  char text[] = "text";
  void* code = nullptr;
  size_t size = 0;
  EXPECT_HIP(hipErrorInvalidValue, hipLinkAddData(state, hipJitInputLLVMBitcode, nullptr, 4, "x", 0, nullptr, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipLinkAddData(state, hipJitInputLLVMBitcode, text, 0, "x", 0, nullptr, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipLinkAddData(state, hipJitInputLLVMBitcode, text, size_t(1) << 50, "x", 0, nullptr, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipLinkAddData(state, hipJitInputLLVMBitcode, text, 4, "x", 1, nullptr, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipLinkAddData(state, static_cast<hipJitInputType>(50), text, 4, "x", 0, nullptr, nullptr));
  EXPECT_HIP(hipErrorNotSupported, hipLinkAddData(state, hipJitInputPtx, text, 4, "x", 0, nullptr, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipLinkAddFile(state, hipJitInputLLVMBitcode, nullptr, 0, nullptr, nullptr));
  EXPECT_HIP(hipErrorFileNotFound, hipLinkAddFile(state, hipJitInputLLVMBitcode, "/no/such/file", 0, nullptr, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipLinkComplete(state, nullptr, &size));
  EXPECT_HIP(hipErrorInvalidValue, hipLinkComplete(state, &code, nullptr));
  EXPECT_HIP(hipErrorInvalidValue, hipLinkComplete(state, &code, &size)) << "nothing was added";
  ASSERT_OK(hipLinkAddData(state, hipJitInputLLVMBitcode, text, 4, "x", 0, nullptr, nullptr));
  EXPECT_HIP(hipErrorInvalidImage, hipLinkComplete(state, &code, &size));
  EXPECT_HIP(hipSuccess, hipLinkDestroy(state));
  for (hipLinkState_t s : {hipLinkState_t(nullptr), state, reinterpret_cast<hipLinkState_t>(text)}) {
    EXPECT_HIP(hipErrorInvalidHandle, hipLinkAddData(s, hipJitInputLLVMBitcode, text, 4, "x", 0, nullptr, nullptr));
    EXPECT_HIP(hipErrorInvalidHandle, hipLinkAddFile(s, hipJitInputLLVMBitcode, "/dev/null", 0, nullptr, nullptr));
    EXPECT_HIP(hipErrorInvalidHandle, hipLinkComplete(s, &code, &size));
    EXPECT_HIP(hipErrorInvalidHandle, hipLinkDestroy(s));
  }
}

TEST(RtcDevice, ThreadsCompileLinkAndLaunch) {
  const std::string caller = bitcode_of(kCaller), callee = bitcode_of(kCallee);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      if (t % 2) {
        RtcProgram program("extern \"C\" __global__ void triple(int* p) { p[threadIdx.x] *= 3; }");
        EXPECT_RTC(HIPRTC_SUCCESS, program.compile({})) << program.log();
        const auto values = run(program.code().data(), "triple");
        for (int i = 0; i < 64; ++i) EXPECT_EQ(values[i], 3 * i);
      } else {
        hipLinkState_t state;
        void* code = nullptr;
        size_t size = 0;
        EXPECT_HIP(hipSuccess, hipLinkCreate(0, nullptr, nullptr, &state));
        for (const std::string* bytes : {&caller, &callee})
          EXPECT_HIP(hipSuccess, hipLinkAddData(state, hipJitInputLLVMBitcode, (void*)bytes->data(), bytes->size(), "x", 0, nullptr, nullptr));
        EXPECT_HIP(hipSuccess, hipLinkComplete(state, &code, &size));
        expect_caller(run(code, "caller"));
        EXPECT_HIP(hipSuccess, hipLinkDestroy(state));
      }
    });
  for (auto& thread : threads) thread.join();
}

} // namespace
