// The library's kernel, called from another translation unit.
#include <hip/hip_runtime.h>

#include <cstdio>

hipError_t square_all(int* p, int n);

int main() {
  int* p = nullptr;
  if (hipMallocManaged(reinterpret_cast<void**>(&p), 64 * sizeof(int)) != hipSuccess) return 1;
  for (int i = 0; i < 64; ++i) p[i] = i;
  if (square_all(p, 64) != hipSuccess || hipDeviceSynchronize() != hipSuccess) return 2;
  for (int i = 0; i < 64; ++i)
    if (p[i] != i * i) return 3;
  if (hipFree(p) != hipSuccess) return 4;
  std::puts("PASSED");
}
