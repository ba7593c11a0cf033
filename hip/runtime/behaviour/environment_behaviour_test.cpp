// What the environment changes. Each case runs this program again with other variables and looks at what it prints; the
// parts that run there are the tests of Child, which do nothing without BZ_TEST_CHILD.
#include "hip/runtime/behaviour/support.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

struct Outcome {
  int status = -1;
  std::string text; ///< stdout and stderr
};

Outcome run(const std::string& environment, const std::string& child) {
  const std::string command = "env -u HIP_VISIBLE_DEVICES BZ_TEST_CHILD=1 " + environment + " $(readlink /proc/" +
                              std::to_string(getpid()) + "/exe) --gtest_filter=Child." + child + " 2>&1";
  Outcome o;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return o;
  char buffer[4096];
  while (size_t n = std::fread(buffer, 1, sizeof buffer, pipe)) o.text.append(buffer, n);
  o.status = pclose(pipe);
  return o;
}

class Child : public testing::Test {
protected:
  void SetUp() override {
    if (!std::getenv("BZ_TEST_CHILD")) GTEST_SKIP() << "runs as a child only";
  }
};

// ---- Which devices --------------------------------------------------------------------------------------------------

TEST_F(Child, Devices) {
  int count = -1;
  hipError_t e = hipGetDeviceCount(&count);
  std::printf("count=%d %s", count, hipGetErrorName(e));
  for (int i = 0; i < count; ++i) {
    hipDeviceProp_t p;
    EXPECT_OK(hipGetDeviceProperties(&p, i));
    std::printf(" [%.6s]", p.gcnArchName);
  }
  std::printf("\n");
}

std::string devices(const std::string& environment) {
  const Outcome o = run(environment, "Devices");
  const auto begin = o.text.find("count=");
  return begin == std::string::npos ? o.text : o.text.substr(begin, o.text.find('\n', begin) - begin);
}

TEST(Environment, VisibleDevices) {
  EXPECT_EQ(devices("BZ_GPUS='2x gfx942'"), "count=2 hipSuccess [gfx942] [gfx942]");
  EXPECT_EQ(devices("BZ_GPUS='gfx942,gfx90a'"), "count=2 hipSuccess [gfx942] [gfx90a]");
  EXPECT_EQ(devices("BZ_GPUS='gfx942,gfx90a' HIP_VISIBLE_DEVICES=1"), "count=1 hipSuccess [gfx90a]");
  EXPECT_EQ(devices("BZ_GPUS='gfx942,gfx90a' HIP_VISIBLE_DEVICES=1,0"), "count=2 hipSuccess [gfx90a] [gfx942]");
  EXPECT_EQ(devices("BZ_GPUS='gfx942,gfx90a' HIP_VISIBLE_DEVICES=0,7,1"), "count=1 hipSuccess [gfx942]");
  EXPECT_EQ(devices("BZ_GPUS='gfx942,gfx90a' ROCR_VISIBLE_DEVICES=1"), "count=1 hipSuccess [gfx90a]");
  EXPECT_EQ(devices("BZ_GPUS='gfx942,gfx90a' HIP_VISIBLE_DEVICES=-1"), "count=0 hipErrorNoDevice");
}

// ---- No device ------------------------------------------------------------------------------------------------------

/// The codes of calls of every kind, the same for all or listed.
std::string codes_of_calls() {
  int n = 0;
  void* p = nullptr;
  hipStream_t s = nullptr;
  hipEvent_t e = nullptr;
  char host[4] = {};
  const hipError_t codes[] = {hipInit(0), hipGetDeviceCount(&n), hipSetDevice(0), hipGetDevice(&n), hipMalloc(&p, 64),
                              hipFree(&host), hipStreamCreate(&s), hipEventCreate(&e), hipMemcpy(host, host, 4, hipMemcpyDefault),
                              launch(kernels::slow, 1, 1, 0, nullptr, static_cast<int*>(nullptr), 1), hipDeviceSynchronize(),
                              hipGetLastError()};
  std::string all = hipGetErrorName(codes[0]);
  for (hipError_t code : codes)
    if (all != hipGetErrorName(code)) return all + ", then " + hipGetErrorName(code);
  return all;
}

TEST_F(Child, Calls) { std::printf("calls=%s\n", codes_of_calls().c_str()); }

std::vector<std::string> own_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    if (text.compare(at, 10, "boltzmann ") == 0) lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

TEST(Environment, WhyThereIsNoDeviceIsSaidOnceWithTheRemedy) {
  const struct {
    const char *environment, *says;
  } cases[] = {{"BZ_GPUS=mi999", "known are"},
               {"BZ_GPUS=gfx942,cus=none", "cus"},
               {"BZ_WORKERS=0", "BZ_WORKERS needs a number of threads"},
               {"BZ_HELP=maybe", "BZ_HELP is 0 or 1"},
               {"BZ_SIMD=mmx", "BZ_SIMD is avx512 or avx2"},
               {"BZ_EXEC=fast", "BZ_EXEC is interp, jit or auto"},
               {"BZ_NUMERICS=rough", "BZ_NUMERICS is exact or fast"},
               {"BZ_KFD_LIBRARY=/nowhere.so", "the software device can't be loaded: /nowhere.so"},
               {"BZ_KFD_LOG=/nowhere/log", "BZ_KFD_LOG: /nowhere/log can't be written"},
               {"ROCR_VISIBLE_DEVICES=-1", "ROCR_VISIBLE_DEVICES=\"-1\" leaves none of 1 GPUs"},
               {"HIP_VISIBLE_DEVICES=-1", "HIP_VISIBLE_DEVICES=\"-1\" leaves none of 1 GPUs"}};
  for (const auto& [environment, says] : cases) {
    const Outcome o = run(environment, "Calls");
    EXPECT_NE(o.text.find("calls=hipErrorNoDevice\n"), std::string::npos) << environment << ":\n" << o.text;
    const auto lines = own_lines(o.text);
    ASSERT_EQ(lines.size(), 1u) << environment << ":\n" << o.text;
    EXPECT_NE(lines[0].find(says), std::string::npos) << lines[0];
  }
}

TEST(Environment, AWordThatBzLogDoesNotKnowIsSaidOnce) {
  const Outcome o = run("BZ_LOG=nonsense", "Devices");
  EXPECT_NE(o.text.find("hipSuccess"), std::string::npos) << o.text;
  const auto lines = own_lines(o.text);
  ASSERT_EQ(lines.size(), 1u) << o.text;
  EXPECT_NE(lines[0].find("BZ_LOG: \"nonsense\" is not understood"), std::string::npos) << lines[0];
  EXPECT_NE(lines[0].find("error, warn, info, debug, trace"), std::string::npos) << lines[0];
}

TEST(Environment, ANumberThatIsNoneIsNamedOnceAndIgnored) {
  for (const char* environment : {"HIP_LAUNCH_BLOCKING=yes", "AMD_LOG_LEVEL=loud", "AMD_LOG_LEVEL=6", "GPU_MAX_HW_QUEUES=0"}) {
    const Outcome o = run(environment, "Launch");
    EXPECT_NE(o.text.find("query=hipErrorNotReady"), std::string::npos) << environment << ":\n" << o.text;
    const auto lines = own_lines(o.text);
    ASSERT_EQ(lines.size(), 1u) << environment << ":\n" << o.text;
    const std::string text = environment;
    const size_t equals = text.find('=');
    EXPECT_NE(lines[0].find(text.substr(0, equals + 1) + '"' + text.substr(equals + 1) + "\" is no number"), std::string::npos)
        << lines[0];
  }
}

TEST_F(Child, Fork) {
  DeviceBuffer<int> d(1);
  hipStream_t s = hipStreamPerThread; // what threads own is destroyed when they end: in the child it must not be
  ASSERT_OK(launch(kernels::slow, 1, 64, 0, s, d.get(), 1000));
  std::fflush(stdout);
  const pid_t pid = fork();
  if (pid == 0) {
    std::printf("calls=%s\n", codes_of_calls().c_str());
    std::exit(0); // with destructors
  }
  int status = -1;
  waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_OK(hipStreamSynchronize(s)) << "the parent goes on";
}

TEST(Environment, AForkedChildIsToldOnceThatItHasNoGpu) {
  const Outcome o = run("", "Fork");
  EXPECT_NE(o.text.find("calls=hipErrorNotInitialized\n"), std::string::npos) << o.text;
  EXPECT_NE(o.text.find("[  PASSED  ] 1 test"), std::string::npos) << o.text;
  const auto lines = own_lines(o.text);
  ASSERT_EQ(lines.size(), 1u) << o.text;
  EXPECT_NE(lines[0].find("a forked child can't use the GPU"), std::string::npos) << lines[0];
}

// ---- Two devices ----------------------------------------------------------------------------------------------------

TEST_F(Child, TwoDevices) {
  constexpr size_t n = 1000;
  int can = 0;
  ASSERT_OK(hipDeviceCanAccessPeer(&can, 0, 1));
  EXPECT_EQ(can, 1);
  int *a = nullptr, *b = nullptr;
  ASSERT_OK(hipSetDevice(0));
  ASSERT_OK(hipMalloc(&a, n * 4));
  ASSERT_OK(launch(kernels::fill, 4, 256, 0, nullptr, a, 5, int(n)));
  hipEvent_t filled;
  ASSERT_OK(hipEventCreate(&filled));
  ASSERT_OK(hipEventRecord(filled, nullptr));
  ASSERT_OK(hipSetDevice(1));
  ASSERT_OK(hipMalloc(&b, n * 4));
  hipStream_t s;
  ASSERT_OK(hipStreamCreate(&s));
  ASSERT_OK(hipStreamWaitEvent(s, filled, 0)); // across devices
  ASSERT_OK(hipMemcpyPeerAsync(b, 1, a, 0, n * 4, s));
  ASSERT_OK(launch(kernels::add, 4, 256, 0, s, b, b, b, int(n)));
  ASSERT_OK(hipStreamSynchronize(s));
  std::vector<int> v(n);
  ASSERT_OK(hipMemcpy(v.data(), b, n * 4, hipMemcpyDeviceToHost));
  EXPECT_EQ(v[n - 1], 10);
  hipPointerAttribute_t attributes;
  EXPECT_OK(hipPointerGetAttributes(&attributes, b));
  EXPECT_EQ(attributes.device, 1);

  EXPECT_HIP(hipErrorPeerAccessNotEnabled, hipDeviceDisablePeerAccess(0));
  EXPECT_OK(hipDeviceEnablePeerAccess(0, 0));
  EXPECT_HIP(hipErrorPeerAccessAlreadyEnabled, hipDeviceEnablePeerAccess(0, 0));
  ASSERT_OK(launch(kernels::add, 4, 256, 0, s, b, a, a, int(n))); // reads the other device's memory
  ASSERT_OK(hipStreamSynchronize(s));
  ASSERT_OK(hipMemcpy(v.data(), b, n * 4, hipMemcpyDeviceToHost));
  EXPECT_EQ(v[0], 10);
  EXPECT_OK(hipDeviceDisablePeerAccess(0));

  int v2 = 0; // each device has its own variables
  ASSERT_OK(launch(kernels::bump_counter, 1, 1, 0, nullptr, 100));
  ASSERT_OK(hipMemcpyFromSymbol(&v2, kernels::counter, 4));
  EXPECT_EQ(v2, 107);
  ASSERT_OK(hipSetDevice(0));
  ASSERT_OK(hipMemcpyFromSymbol(&v2, kernels::counter, 4));
  EXPECT_EQ(v2, 7);
  EXPECT_HIP(hipErrorInvalidHandle, hipEventRecord(filled, s)) << "an event of the other device";
  hipMemPool_t other = nullptr;
  ASSERT_OK(hipDeviceGetDefaultMemPool(&other, 1));
  EXPECT_HIP(hipErrorInvalidDevice, hipDeviceSetMemPool(0, other)) << "the pool of the other device";
  EXPECT_OK(hipFree(a));
  EXPECT_OK(hipFree(b));
}

TEST(Environment, TwoDevices) {
  const Outcome o = run("BZ_GPUS='2x gfx942'", "TwoDevices");
  EXPECT_EQ(o.status, 0) << o.text;
  EXPECT_NE(o.text.find("[  PASSED  ] 1 test"), std::string::npos) << o.text;
}

// ---- Blocking launches and traces -----------------------------------------------------------------------------------

TEST_F(Child, Launch) {
  DeviceBuffer<int> d(1);
  d.zero();
  ASSERT_OK(launch(kernels::slow, 1, 64, 0, nullptr, d.get(), 3000000));
  std::printf("query=%s\n", hipGetErrorName(hipStreamQuery(nullptr)));
}

TEST(Environment, LaunchBlocking) {
  EXPECT_NE(run("HIP_LAUNCH_BLOCKING=0", "Launch").text.find("query=hipErrorNotReady"), std::string::npos);
  EXPECT_NE(run("HIP_LAUNCH_BLOCKING=1", "Launch").text.find("query=hipSuccess"), std::string::npos);
}

TEST(Environment, LogLevel) {
  const std::string quiet = run("AMD_LOG_LEVEL=0", "Launch").text, loud = run("AMD_LOG_LEVEL=3", "Launch").text;
  EXPECT_EQ(quiet.find("hipMalloc("), std::string::npos) << quiet;
  EXPECT_NE(loud.find("hipMalloc(ptr=0x"), std::string::npos) << loud;
  EXPECT_NE(loud.find("size=4)"), std::string::npos) << loud;
  EXPECT_EQ(loud.find(":3:hip: 0 us"), std::string::npos) << "the first calls have a time too:\n" << loud;
  EXPECT_NE(loud.find("numBlocks={1,1,1}, dimBlocks={64,1,1}"), std::string::npos) << loud;
  EXPECT_NE(loud.find("hipStreamQuery returned hipErrorNotReady"), std::string::npos) << loud;
}

// ---- Messages -------------------------------------------------------------------------------------------------------

TEST(Messages, WrongArchitectureOfALaunchNamesBothAndTheRemedy) {
  hipDeviceProp_t p;
  ASSERT_OK(hipGetDeviceProperties(&p, 0));
  const std::string name = p.gcnArchName, target = name.substr(0, name.find(':'));
  DeviceBuffer<int> d(1);
  testing::internal::CaptureStderr();
  EXPECT_HIP(hipErrorInvalidDeviceFunction, launch(kernels::foreign, 1, 1, 0, nullptr, d.get()));
  EXPECT_HIP(hipErrorInvalidDeviceFunction, launch(kernels::foreign, 1, 1, 0, nullptr, d.get()));
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_NE(text.find("k_foreign"), std::string::npos) << text;
  EXPECT_NE(text.find("gfx1030"), std::string::npos) << text;
  EXPECT_NE(text.find("--offload-arch=" + target), std::string::npos) << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1) << "once per cause:\n" << text;
  (void)hipGetLastError();
}

// ---- Reset ----------------------------------------------------------------------------------------------------------

TEST_F(Child, Reset) { // in a process of its own: it ends everybody's handles
  int* p = nullptr;
  hipStream_t s;
  hipEvent_t e;
  ASSERT_OK(hipMalloc(&p, 64));
  ASSERT_OK(hipStreamCreate(&s));
  ASSERT_OK(hipEventCreate(&e));
  ASSERT_OK(launch(kernels::bump_counter, 1, 1, 0, s, 1));
  ASSERT_OK(hipDeviceReset());
  EXPECT_HIP(hipErrorInvalidValue, hipFree(p));
  EXPECT_HIP(hipErrorContextIsDestroyed, hipStreamSynchronize(s));
  EXPECT_HIP(hipErrorInvalidHandle, hipEventQuery(e));
  int v = 0;
  ASSERT_OK(hipMemcpyFromSymbol(&v, kernels::counter, 4)) << "code is loaded again";
  EXPECT_EQ(v, 7);
  kernels::managed_value() = 4; // the program's pointer still stands
  ASSERT_OK(launch(kernels::double_managed, 1, 1, 0, nullptr));
  ASSERT_OK(hipDeviceSynchronize());
  EXPECT_EQ(kernels::managed_value(), 8);
}

TEST(Environment, Reset) {
  const Outcome o = run("", "Reset");
  EXPECT_NE(o.text.find("[  PASSED  ] 1 test"), std::string::npos) << o.text;
}

} // namespace
