// Loads a code object at run time and launches its kernel, both ways of passing the arguments.
//   module FILE
#include "examples/example.hpp"

#include <vector>

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: module FILE\n");
    return 2;
  }
  int n = 1000;
  float factor = 3.0f;
  std::vector<float> values(n);
  for (int i = 0; i < n; ++i) values[i] = static_cast<float>(i);
  hipModule_t module;
  hipFunction_t scale;
  float* data = nullptr;
  HIP_CHECK(hipModuleLoad(&module, argv[1]));
  HIP_CHECK(hipModuleGetFunction(&scale, module, "scale"));
  HIP_CHECK(hipMalloc(&data, n * sizeof(float)));
  HIP_CHECK(hipMemcpy(data, values.data(), n * sizeof(float), hipMemcpyHostToDevice));

  void* pointers[] = {&data, &n, &factor};
  HIP_CHECK(hipModuleLaunchKernel(scale, 16, 1, 1, 64, 1, 1, 0, nullptr, pointers, nullptr));

  struct {
    float* data;
    int n;
    float factor;
  } packed{data, n, 0.5f};
  size_t size = sizeof packed;
  void* extra[] = {HIP_LAUNCH_PARAM_BUFFER_POINTER, &packed, HIP_LAUNCH_PARAM_BUFFER_SIZE, &size, HIP_LAUNCH_PARAM_END};
  HIP_CHECK(hipModuleLaunchKernel(scale, 16, 1, 1, 64, 1, 1, 0, nullptr, nullptr, extra));

  std::vector<float> got(n);
  HIP_CHECK(hipMemcpy(got.data(), data, n * sizeof(float), hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(data));
  HIP_CHECK(hipModuleUnload(module));
  for (int i = 0; i < n; ++i)
    if (got[i] != 1.5f * static_cast<float>(i)) {
      std::printf("element %d is %g, expected %g\n", i, got[i], 1.5 * i);
      return verdict(false);
    }
  return verdict(true);
}
