// Matrix multiply-accumulate on the register file: where each element sits, conversion of element types, and the order of
// accumulation (k ascending, one rounding per step in the accumulator's type; see docs/fidelity.md). Must not know rows.
#pragma once
#include "exec/interp/num8.hpp"
#include "exec/wave.hpp"

namespace bz::exec::BZ_LEVEL_NS {

using isa::Num;
using isa::Tile;

constexpr int num_bits(Num n) {
  switch (n) {
  case Num::f64: return 64;
  case Num::f32: case Num::xf32: case Num::i32: return 32;
  case Num::f16: case Num::bf16: return 16;
  default: return 8;
  }
}

/// Element (i, k, block) of A, or (j, k, block) of B: `extent` is M or N.
struct Place { int lane, reg, shift; };
template <Tile T, Num E> constexpr Place input_place(int extent, int i, int k, int block) {
  constexpr int kBits = num_bits(E);
  int per_lane = T.k * extent * T.blocks / 64;       // consecutive k of one lane
  if (T.m == 4 && kBits == 64) return {i + 4 * block + 16 * k, 0, 0};
  int lane = i + extent * (block + T.blocks * (k / per_lane)), at = k % per_lane;
  if (kBits == 64) return {lane, 2 * at, 0};
  return {lane, at * kBits / 32, at * kBits % 32};
}
/// Element (i, j, block) of C and D.
template <Tile T, Num C> constexpr Place output_place(int i, int j, int block) {
  if (C == Num::f64) {
    if (T.m == 4) return {j + 4 * block + 16 * i, 0, 0};
    return {j + 16 * (i % 4), 2 * (i / 4), 0};
  }
  if (T.m == 4) return {j + 4 * block, i, 0};
  if (T.m == 16) return {j + 16 * (i / 4), 4 * block + i % 4, 0};
  return {j + 32 * (i / 4 % 2), 16 * block + 4 * (i / 8) + i % 4, 0};
}

BZ_AI uint32_t matrix_cell(const char* w, uint32_t off, int reg, int lane) {
  uint32_t x;
  __builtin_memcpy(&x, w + off + layout::kRow * static_cast<uint32_t>(reg) + 4 * static_cast<uint32_t>(lane), 4);
  return x;
}

/// One element as the type in which products are formed: float, double or int32.
template <Num E> BZ_AI auto matrix_element(const char* w, uint32_t off, Place p, bool ocp) {
  uint32_t x = matrix_cell(w, off, p.reg, p.lane);
  if constexpr (E == Num::f64) {
    return __builtin_bit_cast(double, x | static_cast<uint64_t>(matrix_cell(w, off, p.reg + 1, p.lane)) << 32);
  } else if constexpr (E == Num::f32) {
    return __builtin_bit_cast(float, x);
  } else if constexpr (E == Num::xf32) {
    return __builtin_bit_cast(float, x & 0xffffe000u);   // 10 mantissa bits
  } else if constexpr (E == Num::f16) {
    return _cvtsh_ss(static_cast<unsigned short>(x >> p.shift));
  } else if constexpr (E == Num::bf16) {
    return __builtin_bit_cast(float, x >> p.shift << 16);
  } else if constexpr (E == Num::i8) {
    return static_cast<int32_t>(static_cast<int8_t>(x >> p.shift));
  } else {
    return num8_decode(num8_format(E, ocp), x >> p.shift & 0xff);
  }
}

template <Num C> struct Accumulator { using Type = float; };
template <> struct Accumulator<Num::f64> { using Type = double; };
template <> struct Accumulator<Num::i32> { using Type = int32_t; };

/// MI200 flushes denormals of f16 and bf16 inputs and of the sums that come of them; other chips don't (AMD's notes on numerics).
template <Num E> BZ_AI float matrix_flush(float x, bool flush) {
  if constexpr (E == Num::f16) {
    if (flush && __builtin_fabsf(x) < 0x1p-14f) return __builtin_copysignf(0.0f, x);
  } else if constexpr (E == Num::bf16) {
    if (flush && __builtin_fabsf(x) < 0x1p-126f) return __builtin_copysignf(0.0f, x);
  }
  return x;
}

template <Num C> BZ_AI typename Accumulator<C>::Type matrix_step(typename Accumulator<C>::Type acc, auto a, auto b) {
  if constexpr (C == Num::i32) return static_cast<int32_t>(static_cast<uint32_t>(acc) + static_cast<uint32_t>(a) * static_cast<uint32_t>(b));
  else if constexpr (C == Num::f64) return __builtin_fma(a, b, acc);
  else return __builtin_fmaf(a, b, acc);
}

/// Which lane's A values a block uses under cbsz (log2 of blocks that share) and abid (which of them is shared).
BZ_AI int broadcast_block(int block, int cbsz, int abid) { return (block & ~((1 << cbsz) - 1)) + (cbsz ? abid & ((1 << cbsz) - 1) : 0); }
/// blgp 0..7 rearranges B's lanes before use.
BZ_AI int permuted_lane(int lane, int blgp) {
  switch (blgp) {
  case 1: return lane & 31;                  // first 32 to both halves
  case 2: return lane | 32;                  // last 32 to both halves
  case 3: return (lane + 16) & 63;           // rotate by 16
  case 4: return lane & 15;                  // first 16 everywhere
  case 5: return 16 + (lane & 15);
  case 6: return 32 + (lane & 15);
  case 7: return 48 + (lane & 15);
  default: return lane;
  }
}

struct MatrixMods { int cbsz, abid, blgp; };
BZ_AI MatrixMods matrix_mods(const Op* o) { return {o->aux & 7, o->aux >> 3 & 15, o->aux >> 7 & 7}; }

/// v_mfma_f32_16x16x4_f32 without modifiers: A, B and C are rows as they stand.
BZ_AI bool matrix_fast_16x16x4(const Op* o, char* w) {
#if BZ_LEVEL == 512
  if (o->aux || o->mods & mods::scalar(2)) return false;
  const float* a = reinterpret_cast<const float*>(w + o->s[0]);
  const auto* b = reinterpret_cast<const VF*>(w + o->s[1]);
  VF acc[16];
  _Pragma("clang loop unroll(full)") for (int i = 0; i < 16; ++i) acc[i] = *reinterpret_cast<const VF*>(w + o->s[2] + (i & 3) * layout::kRow + (i >> 2) * 64);
  _Pragma("clang loop unroll(full)") for (int k = 0; k < 4; ++k) {
    VF x = b[k];
    _Pragma("clang loop unroll(full)") for (int i = 0; i < 16; ++i) acc[i] = __builtin_elementwise_fma(VF(a[16 * k + i]), x, acc[i]);
  }
  _Pragma("clang loop unroll(full)") for (int i = 0; i < 16; ++i) *reinterpret_cast<VF*>(w + o->d + (i & 3) * layout::kRow + (i >> 2) * 64) = acc[i];
  return true;
#else
  (void)o;
  (void)w;
  return false;
#endif
}

template <Tile T, Num A, Num B, Num C> __attribute__((noinline)) void matrix_multiply_plain(const Op* o, char* w) {
  using Acc = typename Accumulator<C>::Type;
  auto* wave = reinterpret_cast<Wave*>(w);
  isa::Target t = wave->group->target;
  bool ocp = t == isa::Target::gfx950, flush = t == isa::Target::gfx90a;
  MatrixMods mm = matrix_mods(o);
  // On gfx940 and later the blgp bits of f64 forms negate A, B and C; before they are reserved for f64.
  bool neg_a = false, neg_b = false, neg_c = false;
  if constexpr (C == Num::f64) {
    neg_a = mm.blgp & 1;
    neg_b = mm.blgp & 2;
    neg_c = mm.blgp & 4;
    mm.blgp = 0;
  }
  constexpr int kRegs = T.m * T.n * T.blocks / 64 * (C == Num::f64 ? 2 : 1);
  using Product = decltype(matrix_element<A>(w, 0, Place{}, false));
  Product a[T.m][T.k];
  Product b[T.k][T.n];
  uint32_t out[kRegs][64];
  for (int block = 0; block < T.blocks; ++block) {
    int from = broadcast_block(block, mm.cbsz, mm.abid);
    for (int i = 0; i < T.m; ++i)
      for (int k = 0; k < T.k; ++k) {
        a[i][k] = matrix_element<A>(w, o->s[0], input_place<T, A>(T.m, i, k, from), ocp);
        if constexpr (A == Num::f16 || A == Num::bf16) a[i][k] = matrix_flush<A>(a[i][k], flush);
        if (neg_a) a[i][k] = -a[i][k];
      }
    for (int k = 0; k < T.k; ++k)
      for (int j = 0; j < T.n; ++j) {
        Place p = input_place<T, B>(T.n, j, k, block);
        p.lane = permuted_lane(p.lane, mm.blgp);
        b[k][j] = matrix_element<B>(w, o->s[1], p, ocp);
        if constexpr (B == Num::f16 || B == Num::bf16) b[k][j] = matrix_flush<B>(b[k][j], flush);
        if (neg_b) b[k][j] = -b[k][j];
      }
    for (int i = 0; i < T.m; ++i)
      for (int j = 0; j < T.n; ++j) {
        Place p = output_place<T, C>(i, j, block);
        uint64_t bits;
        if (o->mods & mods::scalar(2)) {
          bits = o->lit;   // an inline constant
        } else {
          bits = matrix_cell(w, o->s[2], p.reg, p.lane);
          if constexpr (C == Num::f64) bits |= static_cast<uint64_t>(matrix_cell(w, o->s[2], p.reg + 1, p.lane)) << 32;
        }
        Acc acc;
        __builtin_memcpy(&acc, &bits, sizeof acc);
        if (neg_c) acc = -acc;
        constexpr bool kHalves = A == Num::f16 || A == Num::bf16;
        if constexpr (kHalves) acc = matrix_flush<Num::bf16>(acc, flush);   // the same smallest normal as single's
        for (int k = 0; k < T.k; ++k) acc = matrix_step<C>(acc, a[i][k], b[k][j]);
        if constexpr (kHalves) acc = matrix_flush<Num::bf16>(acc, flush);
        uint64_t r = 0;
        __builtin_memcpy(&r, &acc, sizeof acc);
        out[p.reg][p.lane] = static_cast<uint32_t>(r);
        if constexpr (C == Num::f64) out[p.reg + 1][p.lane] = static_cast<uint32_t>(r >> 32);
      }
  }
  __builtin_memcpy(w + o->d, out, sizeof out);
}

template <Tile T, Num A, Num B, Num C> BZ_AI void matrix_multiply(const Op* o, char* w) {
  if constexpr (T.m == 16 && T.k == 4 && T.blocks == 1 && A == Num::f32) {
    if (matrix_fast_16x16x4(o, w)) return;
  }
  matrix_multiply_plain<T, A, B, C>(o, w);
}

/// 4:2 sparsity: of every four k two are stored in A; src2 has 2-bit positions, chosen by abid when cbsz is 0.
template <Tile T, Num A, Num B, Num C> __attribute__((noinline)) void matrix_sparse_plain(const Op* o, char* w) {
  using Acc = typename Accumulator<C>::Type;
  auto* wave = reinterpret_cast<Wave*>(w);
  bool ocp = wave->group->target == isa::Target::gfx950;
  MatrixMods mm = matrix_mods(o);
  using Product = decltype(matrix_element<A>(w, 0, Place{}, false));
  constexpr int kStored = T.k / 2;                    // per row of A
  constexpr int kPerLane = kStored * T.m / 64;        // stored values of one lane
  constexpr Tile kPacked{T.m, T.n, kStored, 1};
  constexpr int kRegs = T.m * T.n / 64;
  // Index bits of a lane: kPerLane values of two bits; 8-bit types use 16 bits a set, 16-bit types 8 bits.
  constexpr int kSetBits = 2 * kPerLane;
  int set = mm.cbsz ? 0 : mm.abid & (32 / kSetBits - 1);
  // What is not stored takes no part: neither 0 * infinity nor the sign of a zero.
  Product a[T.m][kStored];
  int at[T.m][kStored];
  for (int i = 0; i < T.m; ++i)
    for (int s = 0; s < kStored; ++s) {
      Place p = input_place<kPacked, A>(T.m, i, s, 0);
      uint32_t index = matrix_cell(w, o->s[2], 0, p.lane) >> (set * kSetBits + 2 * (s % kPerLane)) & 3;
      a[i][s] = matrix_element<A>(w, o->s[0], p, ocp);
      at[i][s] = s / 2 * 4 + static_cast<int>(index);
    }
  uint32_t out[kRegs][64];
  for (int i = 0; i < T.m; ++i)
    for (int j = 0; j < T.n; ++j) {
      Place p = output_place<T, C>(i, j, 0);
      uint32_t bits = matrix_cell(w, o->d, p.reg, p.lane);
      Acc acc;
      __builtin_memcpy(&acc, &bits, 4);
      for (int s = 0; s < kStored; ++s) {
        auto b = matrix_element<B>(w, o->s[1], input_place<T, B>(T.n, j, at[i][s], 0), ocp);
        acc = matrix_step<C>(acc, a[i][s], b);
      }
      __builtin_memcpy(&out[p.reg][p.lane], &acc, 4);
    }
  __builtin_memcpy(w + o->d, out, sizeof out);
}
template <Tile T, Num A, Num B, Num C> BZ_AI void matrix_sparse(const Op* o, char* w) { matrix_sparse_plain<T, A, B, C>(o, w); }

} // namespace bz::exec::BZ_LEVEL_NS
