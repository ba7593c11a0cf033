// saxpy: y = a * x + y, the "hello world" of array programming.
//   ./bz run examples/saxpy.hip [elements]
#include "example.hpp"

#include <vector>

// A grid-stride loop: any grid covers any n, so the grid can be sized by the machine instead of by the data.
__global__ void saxpy(int n, float a, const float* x, float* y) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) y[i] = a * x[i] + y[i];
}

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 1 << 20);
  const float a = 2.0f;

  hipDeviceProp_t properties;
  HIP_CHECK(hipGetDeviceProperties(&properties, 0));
  std::printf("%s (%s), %d compute units, %d elements\n", properties.name, properties.gcnArchName,
              properties.multiProcessorCount, n);

  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i % 1000);
    y[i] = static_cast<float>(i % 77);
  }

  float *dx = nullptr, *dy = nullptr;
  HIP_CHECK(hipMalloc(&dx, n * sizeof(float)));
  HIP_CHECK(hipMalloc(&dy, n * sizeof(float)));
  HIP_CHECK(hipMemcpy(dx, x.data(), n * sizeof(float), hipMemcpyHostToDevice));
  HIP_CHECK(hipMemcpy(dy, y.data(), n * sizeof(float), hipMemcpyHostToDevice));

  const int threads = 256, blocks = 4 * properties.multiProcessorCount;
  saxpy<<<blocks, threads>>>(n, a, dx, dy);
  HIP_CHECK(hipGetLastError()); // the launch itself
  HIP_CHECK(hipMemcpy(y.data(), dy, n * sizeof(float), hipMemcpyDeviceToHost)); // waits for the kernel
  HIP_CHECK(hipFree(dx));
  HIP_CHECK(hipFree(dy));

  // Small whole numbers: every result is exact in float, so the comparison can be too.
  for (int i = 0; i < n; ++i) {
    float expected = a * static_cast<float>(i % 1000) + static_cast<float>(i % 77);
    if (y[i] != expected) {
      std::printf("y[%d] is %g, expected %g\n", i, y[i], expected);
      return verdict(false);
    }
  }
  return verdict(true);
}
