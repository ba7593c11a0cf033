// What no compiler writes by itself: non-temporal stores, and mandelbrot by hand. One table for each vector width; the CPU decides
// at run time which there are.
#pragma once
#include <cstddef>
#include <vector>

namespace native {

struct Simd {
  const char* name;
  void (*copy)(const float* x, float* z, size_t n); ///< n is a multiple of 64, z aligned to 64 bytes
  void (*add)(const float* x, const float* y, float* z, size_t n);
  void (*mandelbrot)(int* out, int n, int iterations, int row); ///< n is a multiple of 128
};

/// Those that this CPU has, without AVX-512 if that isn't wanted.
std::vector<Simd> simd(bool avx512);

} // namespace native
