// sgemm_lds: C = A * B for row-major float matrices of any size, in tiles that a block keeps in LDS (__shared__).
//   ./bz run examples/sgemm_lds.hip [M] [N] [K]
#include "example.hpp"

#include <vector>

constexpr int kTile = 16;

// Each block makes one 16 x 16 tile of C. Without LDS every element of A and B would be read from memory N (or M) times;
// with tiles it is read N / 16 times.
__global__ void sgemm(int m, int n, int k, const float* a, const float* b, float* c) {
  __shared__ float a_tile[kTile][kTile];
  __shared__ float b_tile[kTile][kTile + 1]; // one column of padding: columns fall into different LDS banks
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * kTile + ty, column = blockIdx.x * kTile + tx;

  float sum = 0.0f;
  for (int k0 = 0; k0 < k; k0 += kTile) {
    // All threads load, also those outside C, because all of them reach the barrier. What lies outside counts as 0.
    a_tile[ty][tx] = row < m && k0 + tx < k ? a[row * k + k0 + tx] : 0.0f;
    b_tile[ty][tx] = k0 + ty < k && column < n ? b[(k0 + ty) * n + column] : 0.0f;
    __syncthreads(); // the tiles are complete
    for (int i = 0; i < kTile; ++i) sum += a_tile[ty][i] * b_tile[i][tx];
    __syncthreads(); // nobody reads the tiles any more
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

int main(int argc, char** argv) {
  const int m = size_argument(argc, argv, 1, 200, 4096);
  const int n = size_argument(argc, argv, 2, m, 4096);
  const int k = size_argument(argc, argv, 3, m, 4096);

  // Whole numbers from -4 to 4: every sum is exact in float in whichever order it is taken.
  std::vector<float> a(m * k), b(k * n), c(m * n);
  for (size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(static_cast<int>(i * 7 % 9) - 4);
  for (size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(static_cast<int>(i * 5 % 9) - 4);

  float *da = nullptr, *db = nullptr, *dc = nullptr;
  HIP_CHECK(hipMalloc(&da, a.size() * sizeof(float)));
  HIP_CHECK(hipMalloc(&db, b.size() * sizeof(float)));
  HIP_CHECK(hipMalloc(&dc, c.size() * sizeof(float)));
  HIP_CHECK(hipMemcpy(da, a.data(), a.size() * sizeof(float), hipMemcpyHostToDevice));
  HIP_CHECK(hipMemcpy(db, b.data(), b.size() * sizeof(float), hipMemcpyHostToDevice));

  const dim3 threads(kTile, kTile), blocks((n + kTile - 1) / kTile, (m + kTile - 1) / kTile);
  sgemm<<<blocks, threads>>>(m, n, k, da, db, dc);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(c.data(), dc, c.size() * sizeof(float), hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(da));
  HIP_CHECK(hipFree(db));
  HIP_CHECK(hipFree(dc));
  std::printf("%d x %d x %d in %u x %u blocks\n", m, n, k, blocks.x, blocks.y);

  std::vector<float> expected(m * n, 0.0f);
  for (int r = 0; r < m; ++r)
    for (int i = 0; i < k; ++i)
      for (int j = 0; j < n; ++j) expected[r * n + j] += a[r * k + i] * b[i * n + j];
  for (int i = 0; i < m * n; ++i)
    if (c[i] != expected[i]) {
      std::printf("C[%d][%d] is %g, expected %g\n", i / n, i % n, c[i], expected[i]);
      return verdict(false);
    }
  return verdict(true);
}
