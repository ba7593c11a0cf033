// vector_add: c = a + b with one thread per element, the classic first launch. The last block is only partly full.
//   ./bz run examples/vector_add.hip [elements]
#include "example.hpp"

#include <vector>

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i]; // the guard: the grid is rounded up to whole blocks
}

int main(int argc, char** argv) {
  const int n = size_argument(argc, argv, 1, 1000003);
  const size_t bytes = n * sizeof(float);

  std::vector<float> a(n), b(n), c(n, -1.0f);
  for (int i = 0; i < n; ++i) {
    a[i] = 0.5f * static_cast<float>(i % 4096);
    b[i] = static_cast<float>(i % 511);
  }

  float *da = nullptr, *db = nullptr, *dc = nullptr;
  HIP_CHECK(hipMalloc(&da, bytes));
  HIP_CHECK(hipMalloc(&db, bytes));
  HIP_CHECK(hipMalloc(&dc, bytes + sizeof(float))); // one element more, to see that nothing is written behind the end
  HIP_CHECK(hipMemset(dc, 0xff, bytes + sizeof(float)));
  HIP_CHECK(hipMemcpy(da, a.data(), bytes, hipMemcpyHostToDevice));
  HIP_CHECK(hipMemcpy(db, b.data(), bytes, hipMemcpyHostToDevice));

  const int threads = 256, blocks = (n + threads - 1) / threads;
  std::printf("%d elements in %d blocks of %d threads\n", n, blocks, threads);
  vector_add<<<blocks, threads>>>(da, db, dc, n);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());

  unsigned behind = 0;
  HIP_CHECK(hipMemcpy(c.data(), dc, bytes, hipMemcpyDeviceToHost));
  HIP_CHECK(hipMemcpy(&behind, dc + n, sizeof behind, hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(da));
  HIP_CHECK(hipFree(db));
  HIP_CHECK(hipFree(dc));

  for (int i = 0; i < n; ++i)
    if (c[i] != a[i] + b[i]) {
      std::printf("c[%d] is %g, expected %g\n", i, c[i], a[i] + b[i]);
      return verdict(false);
    }
  if (behind != 0xffffffffu) std::printf("the element behind the end was overwritten\n");
  return verdict(behind == 0xffffffffu);
}
