// The Boltzmann side of the comparison: the kernels of kernels.inc through HIP.
#include "side.hpp"

#include <examples/example.hpp>

#define KERNEL extern "C" __global__
#define GLOBAL
#define LOCAL(type, name, count) __shared__ type name[count]
#define BARRIER() __syncthreads()
#define DIMENSION(what, d) ((d) == 0 ? what.x : (d) == 1 ? what.y : what.z)
#define LOCAL_ID(d) static_cast<int>(DIMENSION(threadIdx, d))
#define GLOBAL_ID(d) static_cast<int>(DIMENSION(blockIdx, d) * DIMENSION(blockDim, d) + DIMENSION(threadIdx, d))
#define RSQRT(x) rsqrtf(x)
#include "kernels.inc"

namespace {
using namespace side;

template <class T> T* upload(const std::vector<T>& data) {
  T* p = nullptr;
  HIP_CHECK(hipMalloc(&p, data.size() * sizeof(T)));
  HIP_CHECK(hipMemcpy(p, data.data(), data.size() * sizeof(T), hipMemcpyHostToDevice));
  return p;
}
template <class T> double sum_of(const T* p, size_t count, size_t step = 1) {
  std::vector<T> data(count);
  HIP_CHECK(hipMemcpy(data.data(), p, count * sizeof(T), hipMemcpyDeviceToHost));
  return sum(data, step);
}
void finish() {
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
}

int* pixels;
float *bodies, *accelerations, *a, *b, *c, *x, *y;
} // namespace

int main() {
  return side::serve({
      {"mandelbrot", [] { pixels = upload(std::vector<int>(kPixels * kPixels)); },
       [] {
         mandelbrot<<<dim3(kPixels / 64, kPixels / 4), dim3(64, 4)>>>(pixels, kPixels, kIterations);
         finish();
       },
       [] { return sum_of(pixels, kPixels * kPixels); }},
      {"nbody",
       [] {
         bodies = upload(noise(4 * kBodies, 1));
         accelerations = upload(std::vector<float>(4 * kBodies));
       },
       [] {
         nbody<<<kBodies / 256, 256>>>(reinterpret_cast<float4*>(bodies), reinterpret_cast<float4*>(accelerations), kBodies);
         finish();
       },
       [] { return sum_of(accelerations, 4 * kBodies, 5); }},
      {"sgemm",
       [] {
         a = upload(noise(kMatrix * kMatrix, 2));
         b = upload(noise(kMatrix * kMatrix, 3));
         c = upload(std::vector<float>(kMatrix * kMatrix));
       },
       [] {
         sgemm<<<dim3(kMatrix / 16, kMatrix / 16), dim3(16, 16)>>>(a, b, c, kMatrix);
         finish();
       },
       [] { return sum_of(c, kMatrix * kMatrix); }},
      {"saxpy",
       [] {
         x = upload(noise(kElements, 4));
         y = upload(std::vector<float>(kElements, 0.0f));
       },
       [] {
         saxpy<<<kElements / 256, 256>>>(x, y, 1e-3f, kElements);
         finish();
       },
       [] { return 0.0; }}, // y grows with each run; its right value is tested elsewhere
      {"empty", [] {}, [] { empty<<<1, 64>>>(); finish(); }, [] { return 0.0; }},
  });
}
