// The kernels and device variables of kernels.hip, for tests that are plain C++: each constant is what the API takes as
// "the function" or "the symbol".
#pragma once
#include <hip/hip_runtime_api.h>

namespace kernels {

extern const void* const fill;           ///< (int* out, int value, int n)
extern const void* const add;            ///< (int* out, const int* a, const int* b, int n)
extern const void* const shape;          ///< (unsigned* out): gridDim, blockDim, and the sum of all thread ids
extern const void* const reverse;        ///< (int* data, int n): through n ints of dynamic shared memory, one block
extern const void* const mixed;          ///< (char, short, int, long long, float, double, Triple, double* out)
extern const void* const spin;           ///< (const int* flag, int* out): waits for *flag != 0, then *out = 1
extern const void* const meet;           ///< (int* mine, const int* theirs): *mine = 1, waits for *theirs != 0
extern const void* const append;         ///< (int* log, int value): log[++log[0]] = value
extern const void* const slow;           ///< (int* out, int rounds): keeps busy, then *out += 1
extern const void* const read_constant;  ///< (int* out): the 4 constants
extern const void* const bump_counter;   ///< (int by)
extern const void* const double_managed; ///< ()
extern const void* const grid_sum;       ///< (int* arrived, int* out): a barrier over all blocks, cooperative only
extern const void* const multi_grid;     ///< (int* arrived, int* out): after a barrier over the grids of all devices,
                                         ///< out[rank] = 100 * arrived blocks + grids
extern const void* const print;          ///< (int value): printf from each thread
extern const void* const print_strings;  ///< (const char* null, int* never): one printf of strings of all kinds
extern const void* const small_blocks;   ///< (int* out), __launch_bounds__(64)
extern const void* const big_shared;     ///< (int* out): 32 KiB of static shared memory
extern const void* const fail_assert;    ///< (int value): assert(value == 0)
extern const void* const trap;           ///< ()
extern const void* const store;          ///< (int* where)

extern const void* const foreign;        ///< (int* out), compiled for gfx1030 only

extern const void* const counter; ///< __device__ int, initially 7
extern const void* const table;   ///< __constant__ int[4], initially 1, 2, 3, 4
int& managed_value();             ///< the __managed__ int, initially 5

struct Triple {
  int a;
  char b;
  long long c;
};

/// <<<grid, block, shared, stream>>> as a program writes it.
void launch_fill(dim3 grid, dim3 block, hipStream_t stream, int* out, int value, int n);

} // namespace kernels
