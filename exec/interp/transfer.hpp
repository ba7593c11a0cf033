// Vectors between guest memory and register rows: masked, interleaved, narrow elements. Owns how a chunk of lanes is moved
// once its address is known; must not know addresses, operations or rows.
#pragma once
#include "exec/interp/vec.hpp"
#include "isa/builder.hpp"

namespace bz::exec::BZ_LEVEL_NS {

using isa::Elem;
using isa::Space;

// Guest memory has any alignment, which only memcpy says reliably.
template <class V> BZ_AI V load_vector(const char* p) { V v; __builtin_memcpy(&v, p, sizeof v); return v; }
template <class V> BZ_AI void store_vector(char* p, V v) { __builtin_memcpy(p, &v, sizeof v); }
using VU8 = uint8_t __attribute__((ext_vector_type(kLanes)));
using VU16 = uint16_t __attribute__((ext_vector_type(kLanes)));

/// Lanes outside of `em` are not touched, so they can't fault.
BZ_AI VU masked_load(Bits em, const char* p, VU old) {
#if BZ_LEVEL == 512
  return __builtin_bit_cast(VU, _mm512_mask_loadu_epi32(__builtin_bit_cast(__m512i, old), em, p));
#else
  auto m = __builtin_bit_cast(__m256i, mask_of(em).v);
  return blend(mask_of(em).v, __builtin_bit_cast(VU, _mm256_maskload_epi32(reinterpret_cast<const int*>(p), m)), old);
#endif
}
BZ_AI void masked_store(Bits em, char* p, VU x) {
#if BZ_LEVEL == 512
  _mm512_mask_storeu_epi32(p, em, __builtin_bit_cast(__m512i, x));
#else
  _mm256_maskstore_epi32(reinterpret_cast<int*>(p), __builtin_bit_cast(__m256i, mask_of(em).v), __builtin_bit_cast(__m256i, x));
#endif
}

constexpr bool is_u32(Elem e) { return e == Elem::u32; }
constexpr unsigned elem_bytes(Elem e) {
  switch (e) {
  case Elem::u8: case Elem::i8: case Elem::u8_d16: case Elem::i8_d16: case Elem::u8_d16_hi: case Elem::i8_d16_hi: case Elem::u8_hi: return 1;
  case Elem::u32: return 4;
  default: return 2;
  }
}
constexpr bool elem_signed(Elem e) { return e == Elem::i8 || e == Elem::i16 || e == Elem::i8_d16 || e == Elem::i8_d16_hi; }
constexpr bool elem_keeps(Elem e) {
  return e == Elem::u8_d16 || e == Elem::i8_d16 || e == Elem::u16_d16 || e == Elem::u8_d16_hi || e == Elem::i8_d16_hi || e == Elem::u16_d16_hi;
}
constexpr bool elem_high(Elem e) {
  return e == Elem::u8_d16_hi || e == Elem::i8_d16_hi || e == Elem::u16_d16_hi || e == Elem::u8_hi || e == Elem::u16_hi;
}

BZ_AI VU iota() {
  VU i;
  for (int k = 0; k < kLanes; ++k) i[k] = static_cast<uint32_t>(k);
  return i;
}
BZ_AI Bits ballot(VI m) { return Mask{m}.bits(); }
inline constexpr Bits kAllLanes = static_cast<Bits>(~0u);

#if BZ_LEVEL == 512
#define BZ_EVEN 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define BZ_ODD 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#define BZ_LOW 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define BZ_HIGH 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#else
#define BZ_EVEN 0, 2, 4, 6, 8, 10, 12, 14
#define BZ_ODD 1, 3, 5, 7, 9, 11, 13, 15
#define BZ_LOW 0, 8, 1, 9, 2, 10, 3, 11
#define BZ_HIGH 4, 12, 5, 13, 6, 14, 7, 15
#endif
/// N vectors as they lie in memory, N dwords of lane after lane, to N rows: v becomes r.
template <int N> BZ_AI void deinterleave(const VU* v, VU* r) {
  if constexpr (N == 1) {
    r[0] = v[0];
  } else if constexpr (N == 2) {
    r[0] = __builtin_shufflevector(v[0], v[1], BZ_EVEN);
    r[1] = __builtin_shufflevector(v[0], v[1], BZ_ODD);
  } else if constexpr (N == 4) {
    VU a[2], b[2];   // dwords 0 and 2, 1 and 3 of each half of the lanes
    deinterleave<2>(v, a);
    deinterleave<2>(v + 2, b);
    r[0] = __builtin_shufflevector(a[0], b[0], BZ_EVEN);
    r[1] = __builtin_shufflevector(a[1], b[1], BZ_EVEN);
    r[2] = __builtin_shufflevector(a[0], b[0], BZ_ODD);
    r[3] = __builtin_shufflevector(a[1], b[1], BZ_ODD);
  } else {
    alignas(64) uint32_t m[N * kLanes];
    __builtin_memcpy(m, v, sizeof m);
    for (int i = 0; i < kLanes; ++i)
      for (int j = 0; j < N; ++j) r[j][i] = m[N * i + j];
  }
}
BZ_AI void interleave_pair(VU a, VU b, VU* r) {
  r[0] = __builtin_shufflevector(a, b, BZ_LOW);
  r[1] = __builtin_shufflevector(a, b, BZ_HIGH);
}
template <int N> BZ_AI void interleave(const VU* r, VU* v) {
  if constexpr (N == 1) {
    v[0] = r[0];
  } else if constexpr (N == 2) {
    interleave_pair(r[0], r[1], v);
  } else if constexpr (N == 4) {
    VU a[2], b[2];   // (0,2) and (1,3) interleaved, then with each other
    interleave_pair(r[0], r[2], a);
    interleave_pair(r[1], r[3], b);
    interleave_pair(a[0], b[0], v);
    interleave_pair(a[1], b[1], v + 2);
  } else {
    alignas(64) uint32_t m[N * kLanes];
    for (int i = 0; i < kLanes; ++i)
      for (int j = 0; j < N; ++j) m[N * i + j] = r[j][i];
    __builtin_memcpy(v, m, sizeof m);
  }
}
template <int N> BZ_AI void load_rows(const char* p, VU* r) {
  VU v[N];
  for (int j = 0; j < N; ++j) v[j] = load_vector<VU>(p + 4 * kLanes * j);
  deinterleave<N>(v, r);
}
template <int N> BZ_AI void store_rows(char* p, const VU* r) {
  VU v[N];
  interleave<N>(r, v);
  for (int j = 0; j < N; ++j) store_vector(p + 4 * kLanes * j, v[j]);
}
/// Mask of the dwords in vector j of N that belong to lanes of `em`; N divides the lanes.
template <int N> BZ_AI Bits dword_mask(Bits em, int j) {
  constexpr unsigned kFirst = N == 1 ? 0xffffu : N == 2 ? 0x5555u : 0x1111u;
  return static_cast<Bits>(_pdep_u32(static_cast<uint32_t>(em) >> (j * (kLanes / N)), kFirst) * ((1u << N) - 1));
}

BZ_AI uint32_t extend(Elem e, uint32_t x) {
  if (!elem_signed(e)) return x;
  return elem_bytes(e) == 1 ? static_cast<uint32_t>(static_cast<int8_t>(x)) : static_cast<uint32_t>(static_cast<int16_t>(x));
}

} // namespace bz::exec::BZ_LEVEL_NS
