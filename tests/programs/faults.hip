// Kernels that do what a GPU cannot carry out. Each run must die of an abort with a report, as under ROCm; reaching the
// end is the failure. One case a run, by name.
//   faults CASE
#include "examples/example.hpp"

#include <cassert>
#include <cstdint>
#include <string>

__global__ void load(const int* p, int* out) {
  if (threadIdx.x == 5) *out = *p; // line 11: only lane 5 touches it
}
__global__ void store(int* p) {
  if (blockIdx.x == 2 && threadIdx.x == 70) *p = 1; // line 14: wave 1, lane 6 of block 2
}
__global__ void add(int* p) { atomicAdd(p, 1); }
__global__ void trap() {
  if (threadIdx.x == 3) __builtin_trap();
}
__global__ void illegal(int* p) {
  *p = 1;
  if (blockIdx.x == 1) asm volatile(".long 0xbf7f0000");
  *p = 2;
}
__global__ void no_end() { asm volatile("s_getpc_b64 s[2:3]\n s_add_u32 s2, s2, 0x40000000\n s_setpc_b64 s[2:3]" ::: "s2", "s3"); }
__global__ void check(int limit) { assert(static_cast<int>(threadIdx.x) < limit && "more threads than expected"); }

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  int *good = nullptr, *freed = nullptr;
  HIP_CHECK(hipMalloc(&good, 1 << 20));
  HIP_CHECK(hipMalloc(&freed, 64 << 20));
  HIP_CHECK(hipFree(freed));
  auto wild = reinterpret_cast<int*>(uintptr_t(0x123456789000)), odd = reinterpret_cast<int*>(uintptr_t(0xdead) << 48);
  if (name == "null_load") load<<<1, 64>>>(nullptr, good);
  else if (name == "null_store") store<<<4, 128>>>(nullptr);
  else if (name == "wild_store") store<<<4, 128>>>(wild);
  else if (name == "wild_atomic") add<<<1, 64>>>(wild);
  else if (name == "non_canonical") store<<<4, 128>>>(odd);
  else if (name == "freed_store") store<<<4, 128>>>(freed);
  else if (name == "trap") trap<<<1, 64>>>();
  else if (name == "illegal") illegal<<<2, 64>>>(good);
  else if (name == "no_end") no_end<<<1, 64>>>();
  else if (name == "assert") check<<<1, 64>>>(10);
  else {
    std::fprintf(stderr, "usage: faults null_load|null_store|wild_store|wild_atomic|non_canonical|freed_store|trap|illegal|no_end|assert\n");
    return 2;
  }
  HIP_CHECK(hipGetLastError());
  hipError_t ended = hipDeviceSynchronize();
  std::printf("the kernel's fault went unnoticed: %s\n", hipGetErrorName(ended));
  return verdict(false);
}
