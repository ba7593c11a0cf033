// Plain loops in C++, compiled several times: by both compilers with their best flags for this machine. The best one counts.
// A loop works on a part; who calls divides the work among threads.
#pragma once
#include <cstddef>

namespace native {

struct Bodies {
  const float *x, *y, *z, *w;
};
struct Options {
  const float *price, *strike, *years;
  float *call, *put;
  float rate, volatility;
};

inline constexpr int kTransposeTile = 64; ///< rows and columns are multiples of it

struct Loops {
  const char* name;
  void (*copy)(const float* x, float* z, size_t n);
  void (*add)(const float* x, const float* y, float* z, size_t n);
  void (*saxpy)(const float* x, float* y, float a, size_t n);
  float (*reduce)(const float* x, size_t n);
  void (*histogram)(const unsigned* words, size_t n, unsigned (*bins)[256]); ///< four sets of bins, to be added up
  void (*transpose)(const float* in, float* out, int n, int first_row, int last_row);
  void (*stencil)(const float* in, float* out, int n, int first_row, int last_row);
  void (*nbody_by_other)(const Bodies& b, float* acceleration, int n, int first, int last); ///< vectors of those that attract
  void (*nbody_by_self)(const Bodies& b, float* acceleration, int n, int first, int last);  ///< vectors of those attracted
  void (*black_scholes)(const Options& o, size_t first, size_t last);
  void (*mandelbrot)(int* out, int n, int iterations, int row);
};

/// For this machine, by clang, by gcc, by gcc with vectors of 256 bits; for any machine with AVX2, by both.
extern const Loops kLoopsClang, kLoopsGcc, kLoopsGcc256, kLoopsClangAvx2, kLoopsGccAvx2;

} // namespace native
