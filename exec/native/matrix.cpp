// Products of tiles for native code (abi.hpp, MatrixProgram), compiled once for each level: sums in vector registers, first
// factors broadcast from memory, second factors a row at a time. Written for the native tier alone; the interpreter has its own.
#include "exec/native/matrix.hpp"

#include <cstring>
#include <type_traits>
#include <immintrin.h>

namespace bz::exec {
namespace {

using F = float __attribute__((vector_size(64)));
using I = int32_t __attribute__((vector_size(64)));
using H = int16_t __attribute__((vector_size(64)));

template <class V> V load(const uint8_t* p) {
  V v;
  std::memcpy(&v, __builtin_assume_aligned(p, 64), sizeof v);
  return v;
}
template <class V> void store(uint8_t* p, V v) { std::memcpy(__builtin_assume_aligned(p, 64), &v, sizeof v); }

inline F step(F sum, F left, F right) { return __builtin_elementwise_fma(left, right, sum); }
inline I step(I sum, I left, I right) {
#if BZ_LEVEL == 512
  return sum + reinterpret_cast<I>(_mm512_madd_epi16(reinterpret_cast<__m512i>(left), reinterpret_cast<__m512i>(right)));
#else
  const auto l = reinterpret_cast<H>(left), r = reinterpret_cast<H>(right);
  const auto low = _mm256_madd_epi16(reinterpret_cast<__m256i>(__builtin_shufflevector(l, l, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)),
                                     reinterpret_cast<__m256i>(__builtin_shufflevector(r, r, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)));
  const auto high = _mm256_madd_epi16(
      reinterpret_cast<__m256i>(__builtin_shufflevector(l, l, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31)),
      reinterpret_cast<__m256i>(__builtin_shufflevector(r, r, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31)));
  using E = int32_t __attribute__((vector_size(32)));
  return sum + __builtin_shufflevector(reinterpret_cast<E>(low), reinterpret_cast<E>(high), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
}
template <class V> V spread(const uint8_t* p) {
  std::remove_cvref_t<decltype(V{}[0])> x;
  std::memcpy(&x, p, sizeof x);
  return V{x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x};
}

/// Where row i of a sum lies: the first sixteen columns; those of the other half of a side of 32 follow.
constexpr unsigned sum_row(unsigned side, unsigned i) { return side == 16 ? 256 * (i % 4) + 64 * (i / 4) : 256 * (4 * (i / 8) + i % 4) + 128 * (i / 4 % 2); }

struct Link {
  uint32_t left, right, other;
};

/// Rows `first` to `first + kRows` of one sum (or of the two halves of its columns, or of two sums) through all links.
template <class V, unsigned kSide, unsigned kRows, unsigned kColumns>
inline void rows_of(uint8_t* const (&sum)[2], const uint8_t* rows, const Link* links, unsigned count, unsigned steps, unsigned first) {
  V acc[kRows][kColumns];
#pragma clang loop unroll(full)
  for (unsigned i = 0; i < kRows; ++i)
#pragma clang loop unroll(full)
    for (unsigned c = 0; c < kColumns; ++c) acc[i][c] = load<V>(sum[c] + sum_row(kSide, first + i));
  for (unsigned n = 0; n < count; ++n) {
    const uint8_t *left = rows + links[n].left + 4 * first, *right = rows + links[n].right, *other = rows + links[n].other;
    for (unsigned k = 0; k < steps; ++k, left += 4 * kSide, right += 4 * kSide, other += 4 * kSide) {
      V r[kColumns];
      r[0] = load<V>(right);
      if constexpr (kColumns == 2) r[1] = load<V>(kSide == 32 ? right + 64 : other);
#pragma clang loop unroll(full)
      for (unsigned i = 0; i < kRows; ++i) {
        const V l = spread<V>(left + 4 * i);
#pragma clang loop unroll(full)
        for (unsigned c = 0; c < kColumns; ++c) acc[i][c] = step(acc[i][c], l, r[c]);
      }
    }
  }
#pragma clang loop unroll(full)
  for (unsigned i = 0; i < kRows; ++i)
#pragma clang loop unroll(full)
    for (unsigned c = 0; c < kColumns; ++c) store(sum[c] + sum_row(kSide, first + i), acc[i][c]);
}

template <class V> void group(unsigned side, unsigned steps, unsigned count, uint8_t* first, uint8_t* second, const uint8_t* rows, const Link* links) {
  // As many sums at once as there are registers: 32 of 64 bytes, or 16 of 32.
  constexpr unsigned kOne = BZ_LEVEL == 512 ? 16 : 4, kTwo = BZ_LEVEL == 512 ? 8 : 2;
  if (side == 32) {
    uint8_t* const sum[2] = {first, first + 64};
    for (unsigned i = 0; i < 32; i += kTwo) rows_of<V, 32, kTwo, 2>(sum, rows, links, count, steps, i);
  } else if (second) {
    uint8_t* const sum[2] = {first, second};
    for (unsigned i = 0; i < 16; i += kTwo) rows_of<V, 16, kTwo, 2>(sum, rows, links, count, steps, i);
  } else {
    uint8_t* const sum[2] = {first, nullptr};
    for (unsigned i = 0; i < 16; i += kOne) rows_of<V, 16, kOne, 1>(sum, rows, links, count, steps, i);
  }
}

/// Lane `lane` of a factor holds elements k = per_lane * (lane / side / blocks) ... of row or column lane % side; to `side` dwords
/// for each step, block after block.
void convert(MatrixFactor kind, unsigned side, unsigned depth, unsigned blocks, const uint8_t* from, uint8_t* to) {
  const unsigned per_lane = depth * side * blocks / 64, wide = side / 16;
  auto raw = [&](unsigned block, unsigned k, unsigned part, unsigned bits) {
    return load<I>(from + 256 * (k % per_lane * bits / 32) + 64 * ((block + blocks * (k / per_lane)) * wide + part));
  };
  for (unsigned block = 0; block < blocks; ++block)
    for (unsigned k = 0; k < depth; k += kind == MatrixFactor::i8 ? 2 : 1)
      for (unsigned part = 0; part < wide; ++part, to += 64) {
        const auto i = static_cast<int>(k % per_lane);
        switch (kind) {
        case MatrixFactor::f32: store(to, raw(block, k, part, 32)); break;
        case MatrixFactor::bf16: {
          const I x = raw(block, k, part, 16);
          store(to, i % 2 ? x & static_cast<int>(0xffff0000) : x << 16);
          break;
        }
        case MatrixFactor::f16: {
          using Half = _Float16 __attribute__((vector_size(32)));
          using Short = int16_t __attribute__((vector_size(32)));
          const I x = raw(block, k, part, 16) >> (16 * (i % 2));
          store(to, __builtin_convertvector(reinterpret_cast<Half>(__builtin_convertvector(x, Short)), F));
          break;
        }
        case MatrixFactor::i8: {
          // A lane holds four or more, so that a pair is in one dword.
          const I x = raw(block, k, part, 8);
          const int shift = 8 * (i % 4);
          const I low = x << (24 - shift) >> 24, high = x << (16 - shift) >> 24;
          store(to, (low & 0xffff) | high << 16);
          break;
        }
        }
      }
}

} // namespace

#if BZ_LEVEL == 512
void run_matrix_512(Wave* wave, uint8_t* rows, const uint32_t* program) {
#else
void run_matrix_256(Wave* wave, uint8_t* rows, const uint32_t* program) {
#endif
  const uint32_t conversions = program[0], groups = program[1];
  const uint32_t* p = program + 2;
  for (uint32_t i = 0; i < conversions; ++i, p += 6) convert(static_cast<MatrixFactor>(p[0]), p[1], p[2], p[3], rows + p[4], rows + p[5]);
  auto* base = reinterpret_cast<uint8_t*>(wave);
  for (uint32_t i = 0; i < groups; ++i) {
    const auto kind = static_cast<MatrixSum>(p[0]);
    const uint32_t side = p[1], steps = p[2], links = p[3];
    uint8_t *first = base + p[4], *second = p[5] ? base + p[5] : nullptr;
    const auto* list = reinterpret_cast<const Link*>(p + 6);
    if (kind == MatrixSum::i32) group<I>(side, steps, links, first, second, rows, list);
    else group<F>(side, steps, links, first, second, rows, list);
    p += 6 + 3 * links;
  }
}

} // namespace bz::exec
