// hipRTC: a kernel is compiled while the program runs, for the device that is there, with a constant from the command line.
//   ./bz run -lhiprtc examples/hiprtc.hip [elements]      (once: ./bz packages rtc, ./bz build)
#include "example.hpp"

#include <hip/hiprtc.h>

#include <string>
#include <vector>

#define RTC_CHECK(call)                                                                                                \
  do {                                                                                                                 \
    hiprtcResult result_ = (call);                                                                                     \
    if (result_ != HIPRTC_SUCCESS) {                                                                                   \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, hiprtcGetErrorString(result_));               \
      std::exit(2);                                                                                                    \
    }                                                                                                                  \
  } while (0)

const char* const kSource = R"(
template <class T, int kPower> __global__ void power(T* values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  T result = 1;
  for (int k = 0; k < kPower; ++k) result *= values[i];
  values[i] = result + OFFSET;
})";

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 10000);

  hiprtcProgram program;
  RTC_CHECK(hiprtcCreateProgram(&program, kSource, "power.hip", 0, nullptr, nullptr));
  // A template has a symbol only if somebody asks for an instance.
  RTC_CHECK(hiprtcAddNameExpression(program, "power<unsigned, 3>"));
  const char* options[] = {"-DOFFSET=5", "-O2"};
  const hiprtcResult compiled = hiprtcCompileProgram(program, 2, options);
  size_t log_size = 0;
  RTC_CHECK(hiprtcGetProgramLogSize(program, &log_size));
  std::string log(log_size, ' ');
  RTC_CHECK(hiprtcGetProgramLog(program, log.data()));
  std::fputs(log.c_str(), stderr); // warnings and errors as clang prints them
  RTC_CHECK(compiled);

  size_t code_size = 0;
  RTC_CHECK(hiprtcGetCodeSize(program, &code_size));
  std::vector<char> code(code_size);
  RTC_CHECK(hiprtcGetCode(program, code.data()));
  const char* symbol = nullptr;
  RTC_CHECK(hiprtcGetLoweredName(program, "power<unsigned, 3>", &symbol));
  std::printf("%zu bytes of code, kernel %s\n", code_size, symbol);

  hipModule_t module;
  hipFunction_t kernel;
  HIP_CHECK(hipModuleLoadData(&module, code.data()));
  HIP_CHECK(hipModuleGetFunction(&kernel, module, symbol));
  RTC_CHECK(hiprtcDestroyProgram(&program)); // the symbol's text goes with it

  std::vector<unsigned> values(n);
  for (int i = 0; i < n; ++i) values[i] = i;
  unsigned* device = nullptr;
  HIP_CHECK(hipMalloc(&device, n * sizeof(unsigned)));
  HIP_CHECK(hipMemcpy(device, values.data(), n * sizeof(unsigned), hipMemcpyHostToDevice));
  int count = n;
  void* arguments[] = {&device, &count};
  HIP_CHECK(hipModuleLaunchKernel(kernel, (n + 255) / 256, 1, 1, 256, 1, 1, 0, nullptr, arguments, nullptr));
  HIP_CHECK(hipMemcpy(values.data(), device, n * sizeof(unsigned), hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(device));
  HIP_CHECK(hipModuleUnload(module));

  int wrong = 0;
  for (unsigned i = 0; i < unsigned(n); ++i) wrong += values[i] != i * i * i + 5;
  std::printf("%d of %d elements are wrong\n", wrong, n);
  return verdict(wrong == 0);
}
