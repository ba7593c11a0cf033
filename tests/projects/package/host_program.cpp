// Host code only: the runtime API from a plain C++ compiler.
#include <hip/hip_runtime_api.h>

#include <cstdio>

int main() {
  int count = 0, version = 0, value = 5, back = 0;
  int* p = nullptr;
  if (hipGetDeviceCount(&count) != hipSuccess || count < 1) return 1;
  if (hipRuntimeGetVersion(&version) != hipSuccess || version < 70100000) return 2;
  if (hipMalloc(reinterpret_cast<void**>(&p), sizeof value) != hipSuccess) return 3;
  if (hipMemcpy(p, &value, sizeof value, hipMemcpyHostToDevice) != hipSuccess) return 4;
  if (hipMemcpy(&back, p, sizeof back, hipMemcpyDeviceToHost) != hipSuccess || back != 5) return 5;
  if (hipFree(p) != hipSuccess) return 6;
  std::puts("PASSED");
}
