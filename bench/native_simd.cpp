#include "native_simd.hpp"

#include <immintrin.h>

namespace native {
namespace {

#define AVX512 __attribute__((target("avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")))
#define AVX2 __attribute__((target("avx2,fma")))

AVX512 void copy_avx512(const float* x, float* z, size_t n) {
  for (size_t i = 0; i < n; i += 64)
    for (int k = 0; k < 64; k += 16) _mm512_stream_ps(z + i + k, _mm512_loadu_ps(x + i + k));
  _mm_sfence();
}
AVX512 void add_avx512(const float* x, const float* y, float* z, size_t n) {
  for (size_t i = 0; i < n; i += 64)
    for (int k = 0; k < 64; k += 16)
      _mm512_stream_ps(z + i + k, _mm512_add_ps(_mm512_loadu_ps(x + i + k), _mm512_loadu_ps(y + i + k)));
  _mm_sfence();
}
AVX2 void copy_avx2(const float* x, float* z, size_t n) {
  for (size_t i = 0; i < n; i += 64)
    for (int k = 0; k < 64; k += 8) _mm256_stream_ps(z + i + k, _mm256_loadu_ps(x + i + k));
  _mm_sfence();
}
AVX2 void add_avx2(const float* x, const float* y, float* z, size_t n) {
  for (size_t i = 0; i < n; i += 64)
    for (int k = 0; k < 64; k += 8)
      _mm256_stream_ps(z + i + k, _mm256_add_ps(_mm256_loadu_ps(x + i + k), _mm256_loadu_ps(y + i + k)));
  _mm_sfence();
}

// Several vectors at a time, so that one's chain of additions hides behind the others'. A lane that has left stays out, whatever
// its numbers become, so it is enough to look every few steps whether all have.
constexpr int kSteps = 4;

template <int kVectors> AVX512 void mandelbrot_avx512(int* out, int n, int iterations, int py) {
  const __m512 four = _mm512_set1_ps(4.0f), cy = _mm512_set1_ps(-1.5f + 3.0f * static_cast<float>(py) / static_cast<float>(n));
  const __m512i one = _mm512_set1_epi32(1);
  const __m512 lanes = _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  for (int px = 0; px < n; px += 16 * kVectors) {
    __m512 cx[kVectors], x[kVectors], y[kVectors];
    __m512i count[kVectors];
    __mmask16 in[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      const __m512 at = _mm512_add_ps(lanes, _mm512_set1_ps(static_cast<float>(px + 16 * v)));
      cx[v] = _mm512_add_ps(_mm512_set1_ps(-2.0f),
                            _mm512_div_ps(_mm512_mul_ps(_mm512_set1_ps(3.0f), at), _mm512_set1_ps(static_cast<float>(n))));
      x[v] = y[v] = _mm512_setzero_ps();
      count[v] = _mm512_setzero_si512();
      in[v] = 0xffff;
    }
    for (int i = 0; i < iterations;) {
      const int until = i + kSteps < iterations ? i + kSteps : iterations;
      for (; i < until; ++i)
#pragma GCC unroll 8
        for (int v = 0; v < kVectors; ++v) {
          const __m512 xx = _mm512_mul_ps(x[v], x[v]), yy = _mm512_mul_ps(y[v], y[v]);
          in[v] = _mm512_mask_cmp_ps_mask(in[v], _mm512_add_ps(xx, yy), four, _CMP_LT_OQ);
          count[v] = _mm512_mask_add_epi32(count[v], in[v], count[v], one);
          y[v] = _mm512_fmadd_ps(_mm512_add_ps(x[v], x[v]), y[v], cy);
          x[v] = _mm512_add_ps(_mm512_sub_ps(xx, yy), cx[v]);
        }
      unsigned any = 0;
      for (int v = 0; v < kVectors; ++v) any |= in[v];
      if (!any) break;
    }
    for (int v = 0; v < kVectors; ++v) _mm512_storeu_si512(out + static_cast<size_t>(py) * n + px + 16 * v, count[v]);
  }
}

template <int kVectors> AVX2 void mandelbrot_avx2(int* out, int n, int iterations, int py) {
  const __m256 four = _mm256_set1_ps(4.0f), cy = _mm256_set1_ps(-1.5f + 3.0f * static_cast<float>(py) / static_cast<float>(n));
  const __m256 lanes = _mm256_setr_ps(0, 1, 2, 3, 4, 5, 6, 7);
  for (int px = 0; px < n; px += 8 * kVectors) {
    __m256 cx[kVectors], x[kVectors], y[kVectors], in[kVectors];
    __m256i count[kVectors];
    for (int v = 0; v < kVectors; ++v) {
      const __m256 at = _mm256_add_ps(lanes, _mm256_set1_ps(static_cast<float>(px + 8 * v)));
      cx[v] = _mm256_add_ps(_mm256_set1_ps(-2.0f),
                            _mm256_div_ps(_mm256_mul_ps(_mm256_set1_ps(3.0f), at), _mm256_set1_ps(static_cast<float>(n))));
      x[v] = y[v] = _mm256_setzero_ps();
      count[v] = _mm256_setzero_si256();
      in[v] = _mm256_castsi256_ps(_mm256_set1_epi32(-1));
    }
    for (int i = 0; i < iterations;) {
      const int until = i + kSteps < iterations ? i + kSteps : iterations;
      for (; i < until; ++i)
#pragma GCC unroll 8
        for (int v = 0; v < kVectors; ++v) {
          const __m256 xx = _mm256_mul_ps(x[v], x[v]), yy = _mm256_mul_ps(y[v], y[v]);
          in[v] = _mm256_and_ps(in[v], _mm256_cmp_ps(_mm256_add_ps(xx, yy), four, _CMP_LT_OQ));
          count[v] = _mm256_sub_epi32(count[v], _mm256_castps_si256(in[v]));
          y[v] = _mm256_fmadd_ps(_mm256_add_ps(x[v], x[v]), y[v], cy);
          x[v] = _mm256_add_ps(_mm256_sub_ps(xx, yy), cx[v]);
        }
      int any = 0;
      for (int v = 0; v < kVectors; ++v) any |= _mm256_movemask_ps(in[v]);
      if (!any) break;
    }
    for (int v = 0; v < kVectors; ++v)
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(out + static_cast<size_t>(py) * n + px + 8 * v), count[v]);
  }
}

} // namespace

std::vector<Simd> simd(bool avx512) {
  std::vector<Simd> all;
  if (avx512 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512vl")) {
    all.push_back({"AVX-512, 4 vectors", copy_avx512, add_avx512, mandelbrot_avx512<4>});
    all.push_back({"AVX-512, 8 vectors", copy_avx512, add_avx512, mandelbrot_avx512<8>});
  }
  all.push_back({"AVX2, 2 vectors", copy_avx2, add_avx2, mandelbrot_avx2<2>});
  all.push_back({"AVX2, 4 vectors", copy_avx2, add_avx2, mandelbrot_avx2<4>});
  return all;
}

} // namespace native
