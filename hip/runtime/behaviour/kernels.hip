// Kernels of the behaviour tests, compiled once per build into the test program and into stand-alone code objects.
#include <hip/hip_runtime.h>

#include <hip/hip_cooperative_groups.h>

#include "kernels.hpp"

#include <assert.h>

using kernels::Triple;

__device__ int device_counter = 7;
__constant__ int constant_table[4] = {1, 2, 3, 4};
__managed__ int managed_int = 5;

extern "C" {

__global__ void k_fill(int* out, int value, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = value;
}

__global__ void k_add(int* out, const int* a, const int* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[i] + b[i];
}

__global__ void k_shape(unsigned* out) {
  if (blockIdx.x == 0 && blockIdx.y == 0 && blockIdx.z == 0 && threadIdx.x == 0 && threadIdx.y == 0 &&
      threadIdx.z == 0) {
    out[0] = gridDim.x;
    out[1] = gridDim.y;
    out[2] = gridDim.z;
    out[3] = blockDim.x;
    out[4] = blockDim.y;
    out[5] = blockDim.z;
  }
  atomicAdd(&out[6], 1u);
  atomicAdd(&out[7], threadIdx.x + 100 * threadIdx.y + 10000 * threadIdx.z);
}

__global__ void k_reverse(int* data, int n) {
  extern __shared__ int buffer[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) buffer[i] = data[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = buffer[n - 1 - i];
}

__global__ void k_mixed(char a, short b, int c, long long d, float e, double f, Triple t, double* out) {
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
  out[4] = e;
  out[5] = f;
  out[6] = t.a;
  out[7] = t.b;
  out[8] = t.c;
}

__global__ void k_spin(const int* flag, int* out) {
  while (__hip_atomic_load(flag, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) == 0) {
  }
  *out = 1;
}

__global__ void k_meet(int* mine, const int* theirs) {
  __hip_atomic_store(mine, 1, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_SYSTEM);
  while (__hip_atomic_load(theirs, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) == 0) {
  }
}

__global__ void k_append(int* log, int value) {
  int n = ++log[0];
  log[n] = value;
}

__global__ void k_slow(int* out, int rounds) {
  unsigned x = threadIdx.x + 1;
  for (int i = 0; i < rounds; ++i) x = x * 1664525u + 1013904223u;
  if (x != 42) atomicAdd(out, 1);
}

__global__ void k_read_constant(int* out) {
  if (threadIdx.x < 4) out[threadIdx.x] = constant_table[threadIdx.x];
}

__global__ void k_bump_counter(int by) { device_counter += by; }

__global__ void k_double_managed() { managed_int *= 2; }

__global__ void k_grid_sum(int* arrived, int* out) {
  if (threadIdx.x == 0) {
    __hip_atomic_fetch_add(arrived, 1, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_AGENT);
    while (__hip_atomic_load(arrived, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT) < (int)gridDim.x) {
    }
    out[blockIdx.x] = (int)gridDim.x;
  }
}

__global__ void k_multi_grid(int* arrived, int* out) {
  auto all = cooperative_groups::this_multi_grid();
  if (threadIdx.x == 0) __hip_atomic_fetch_add(arrived, 1, __ATOMIC_ACQ_REL, __HIP_MEMORY_SCOPE_SYSTEM);
  all.sync();
  if (blockIdx.x == 0 && threadIdx.x == 0)
    out[all.grid_rank()] = __hip_atomic_load(arrived, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_SYSTEM) * 100 + (int)all.num_grids();
}

__global__ void k_print(int value) { printf("thread %d of block %d: %d %s\n", (int)threadIdx.x, (int)blockIdx.x, value, "done"); }

__global__ void k_print_strings(const char* null_string, int* never) {
  printf("[%s] [%8s] [%s] [%ls] [%lc] [%n] %d\n", null_string, null_string, "", L"wide", (wint_t)0x20ac, never, 5);
}

__global__ __launch_bounds__(64) void k_small_blocks(int* out) { out[threadIdx.x] = 1; }

__global__ void k_big_shared(int* out) {
  __shared__ int buffer[8192];
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) buffer[i] = i;
  __syncthreads();
  if (threadIdx.x == 0) *out = buffer[8191];
}

__global__ void k_fail_assert(int value) { assert(value == 0 && "value must be zero"); }

__global__ void k_trap() { __builtin_trap(); }

__global__ void k_store(int* where) { *where = 1; }

} // extern "C"

namespace kernels {

#define KERNEL(name) const void* const name = reinterpret_cast<const void*>(k_##name);
KERNEL(fill)
KERNEL(add)
KERNEL(shape)
KERNEL(reverse)
KERNEL(mixed)
KERNEL(spin)
KERNEL(meet)
KERNEL(append)
KERNEL(slow)
KERNEL(read_constant)
KERNEL(bump_counter)
KERNEL(double_managed)
KERNEL(grid_sum)
KERNEL(multi_grid)
KERNEL(print)
KERNEL(print_strings)
KERNEL(small_blocks)
KERNEL(big_shared)
KERNEL(fail_assert)
KERNEL(trap)
KERNEL(store)

const void* const counter = &device_counter;
const void* const table = constant_table;
int& managed_value() { return managed_int; }

void launch_fill(dim3 grid, dim3 block, hipStream_t stream, int* out, int value, int n) {
  k_fill<<<grid, block, 0, stream>>>(out, value, n);
}

} // namespace kernels
