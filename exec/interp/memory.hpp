// Loads, stores and atomics of vector memory rows: per chunk of lanes contiguous, uniform or lane by lane. Owns address
// forms of every space, bounds and the scratch layout; must not know rows.
#pragma once
#include "exec/interp/atomics.hpp"
#include "exec/interp/control.hpp"
#include "exec/interp/vec.hpp"
#include "exec/wave.hpp"
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

/// Memory of one lane: ordinary, or dword-interleaved private memory.
struct LanePtr {
  char* p = nullptr;        ///< of the first byte; null: out of bounds, reads 0 and drops writes
  bool swizzled = false;
  uint32_t offset = 0;      ///< swizzled: byte offset in the lane's private memory, p = lane's dword 0
  uint32_t bytes = 0;       ///< bytes in bounds from here
  BZ_AI char* at(uint32_t i) const { return swizzled ? p + (offset + i) / 4 * 256 + (offset + i) % 4 : p + i; }
  BZ_AI uint32_t read(uint32_t i, uint32_t size) const {
    if (p == nullptr || i + size > bytes) return 0;
    uint32_t x = 0;
    if (__builtin_expect(swizzled && (offset + i) % 4 + size > 4, 0)) {
      for (uint32_t k = 0; k < size; ++k) x |= static_cast<uint32_t>(static_cast<uint8_t>(*at(i + k))) << (8 * k);
      return x;
    }
    __builtin_memcpy(&x, at(i), size);
    return x;
  }
  BZ_AI void write(uint32_t i, uint32_t size, uint32_t x) const {
    if (p == nullptr || i + size > bytes) return;
    if (__builtin_expect(swizzled && (offset + i) % 4 + size > 4, 0)) {
      for (uint32_t k = 0; k < size; ++k) *at(i + k) = static_cast<char>(x >> (8 * k));
      return;
    }
    __builtin_memcpy(at(i), &x, size);
  }
};

BZ_AI uint32_t extend(Elem e, uint32_t x) {
  if (!elem_signed(e)) return x;
  return elem_bytes(e) == 1 ? static_cast<uint32_t>(static_cast<int8_t>(x)) : static_cast<uint32_t>(static_cast<int16_t>(x));
}

/// Memory part of the wave builder. Saddr: FLAT family with a scalar base (variant of the handler).
template <bool Full, bool Saddr> struct MemoryB {
  const Op* o;
  char* w;
  bool halted = false;
  // Copied: stores to registers and memory might alias the operation.
  uint32_t d, s[6], aux;
  int32_t im;
  char* lds;
  uint64_t lds_limit;

  BZ_AI MemoryB(const Op* op, char* wv) : o(op), w(wv), d(op->d), aux(op->aux), im(op->imm) {
    for (int i = 0; i < 6; ++i) s[i] = op->s[i];
    const Group* g = wave()->group;
    lds = reinterpret_cast<char*>(g->lds);
    lds_limit = g->lds_bytes;
  }
  BZ_AI Wave* wave() const { return reinterpret_cast<Wave*>(w); }
  /// A fault from here on is this operation's.
  BZ_AI void note_access() const {
    wave()->cur = o;
    wave()->group->memory_wave = wave();
  }
  template <class T> BZ_AI static T get(const void* p) { T x; __builtin_memcpy(&x, p, sizeof x); return x; }
  BZ_AI VU row(uint32_t off, int q) const { return *reinterpret_cast<const VRow*>(w + off + 4 * kLanes * q); }
  BZ_AI VRow& row_at(uint32_t off, int q) const { return *reinterpret_cast<VRow*>(w + off + 4 * kLanes * q); }
  BZ_AI uint32_t& cell(uint32_t off, int lane) const { return *reinterpret_cast<uint32_t*>(w + off + 4 * lane); }
  BZ_AI Bits exec_bits(int q) const {
    if constexpr (Full) return kAllLanes;
    Bits b;
    __builtin_memcpy(&b, w + layout::sgpr(layout::kExec) + q * (kLanes / 8), sizeof b);
    return b;
  }
  BZ_AI void stop(Halt::Reason why, int lane, const char* text) {
    Group* g = wave()->group;
    if (halted) return;
    g->halt_reason = why;
    g->halt_lane = lane;
    g->halt_text = text;
    halted = true;
  }

  // ------------------------------------------------------------ addresses

  /// 64-bit address of one lane (global and flat).
  BZ_AI uint64_t address64(int lane) const {
    uint64_t a = cell(s[0], lane);
    if (Saddr) a += get<uint64_t>(w + s[2]);
    else a |= static_cast<uint64_t>(cell(s[3], lane)) << 32;
    return a + static_cast<uint64_t>(static_cast<int64_t>(im));
  }
  BZ_AI LanePtr lds_ptr(uint64_t at) const {
    if (at >= lds_limit) return {};
    return {lds + at, false, 0, static_cast<uint32_t>(lds_limit - at)};
  }
  BZ_AI LanePtr scratch_ptr(uint32_t at, int lane, uint32_t bytes) {
    Wave* v = wave();
    if (at >= v->scratch_bytes || bytes > v->scratch_bytes - at) {
      stop(Halt::Reason::stack_overflow, lane, "private memory beyond what the dispatch asked for");
      return {};
    }
    return {v->scratch + 4 * lane, true, at, v->scratch_bytes - at};
  }
  BZ_AI LanePtr buffer_ptr(int lane, uint32_t bytes) {
    uint64_t lo = get<uint64_t>(w + s[2]);
    uint32_t records = get<uint32_t>(w + s[2] + 8), word3 = get<uint32_t>(w + s[2] + 12);
    uint32_t stride = static_cast<uint32_t>(lo >> 48) & 0x3fff;
    bool swizzle = lo >> 63, add_tid = word3 >> 23 & 1;
    bool offen = o->mods & mods::kSaddr, idxen = o->mods & mods::kVaddr;
    uint32_t soffset = get<uint32_t>(w + s[4]);
    uint32_t index = (idxen ? cell(s[0], lane) : 0) + (add_tid ? static_cast<uint32_t>(lane) : 0);
    uint64_t offset = static_cast<uint64_t>(static_cast<uint32_t>(im)) + (offen ? cell(idxen ? s[3] : s[0], lane) : 0);
    uint64_t base = lo & 0xffffffffffff;
    // The scratch descriptor (swizzled, one dword element per lane) is the layout that all private memory has.
    if (swizzle && add_tid && !idxen) {
      uint64_t wave_base = base + soffset;
      auto* v = wave();
      uint64_t at = offset + (wave_base - reinterpret_cast<uint64_t>(v->scratch)) / 64;   // soffset counts swizzled bytes of the wave
      return scratch_ptr(at > 0xffffffffu ? 0xffffffffu : static_cast<uint32_t>(at), lane, bytes);
    }
    // Scratch descriptors widen the stride by the data format's bits.
    if (add_tid) stride |= (word3 >> 15 & 15) << 14;
    uint64_t at = static_cast<uint64_t>(index) * stride + offset;
    if (swizzle) {
      uint32_t index_stride = 8u << (word3 >> 21 & 3);
      uint64_t msb = index / index_stride, lsb = index % index_stride;
      at = (msb * stride + offset / 4 * 4) * index_stride + lsb * 4 + offset % 4;
    }
    char* p = reinterpret_cast<char*>(base + soffset + at);
    // Range check: none without an index but with the lane's number, the index against records if there are records, else
    // bytes. The scalar offset has no part in it.
    if (add_tid && !idxen) return {p, false, 0, bytes};
    if (idxen && stride) return index >= records ? LanePtr{} : LanePtr{p, false, 0, bytes};
    if (offset >= records) return {};
    uint64_t fits = records - offset;   // each dword is checked by itself; the caller sees how many bytes fit
    return {p, false, 0, fits < bytes ? static_cast<uint32_t>(fits) : bytes};
  }
  /// General form, any space: where lane's bytes are.
  template <Space S> BZ_AI LanePtr pointer(int lane, uint32_t bytes) {
    if constexpr (S == Space::lds) {
      return lds_ptr(static_cast<uint64_t>(cell(s[0], lane)) + static_cast<uint32_t>(im));
    } else if constexpr (S == Space::scratch) {
      uint32_t at = static_cast<uint32_t>(im);
      if (o->mods & mods::kVaddr) at += cell(s[0], lane);
      if (o->mods & mods::kSaddr) at += get<uint32_t>(w + s[2]);
      return scratch_ptr(at, lane, bytes);
    } else if constexpr (S == Space::buffer) {
      return buffer_ptr(lane, bytes);
    } else {
      uint64_t a = address64(lane);
      if constexpr (S == Space::flat) {
        if (__builtin_expect(a >> 48 == 1, 0)) return lds_ptr(a & 0xffffffffffff);
        if (__builtin_expect(a >> 48 == 2, 0)) {
          uint64_t at = a & 0xffffffffffff;
          return scratch_ptr(at > 0xffffffffu ? 0xffffffffu : static_cast<uint32_t>(at), lane, bytes);
        }
      }
      return {reinterpret_cast<char*>(a), false, 0, bytes};
    }
  }
  /// Real atomics are needed only where others can see the cell.
  template <Space S> BZ_AI bool shared(const LanePtr& p) const {
    if constexpr (S == Space::lds || S == Space::scratch) return false;
    if (p.swizzled) return false;
    return !(p.p >= lds && p.p < lds + lds_limit);
  }

  // ------------------------------------------------------------ chunk patterns

  enum class Pattern { other, contiguous, uniform };
  struct Chunk { Pattern pattern; char* p; };   ///< p: first active lane's address
  /// Looks at the addresses of a chunk's active lanes; `step` is the distance that counts as contiguous.
  template <Space S> BZ_AI Chunk chunk(int q, Bits em, uint32_t step, uint32_t bytes) const {
    static_assert(S == Space::global || S == Space::flat || S == Space::lds);
    int f = Full ? 0 : __builtin_ctz(em);
    VU lo = row(s[0], q);
    uint32_t l0 = Full ? lo[0] : cell(s[0], q * kLanes + f);
    VU delta = lo - l0;
    Bits cont = ballot(delta == (iota() - static_cast<uint32_t>(f)) * step), same = ballot(delta == 0u);
    char* p;
    if constexpr (S == Space::lds) {
      // All lanes in bounds, or the slow form looks at each.
      uint64_t limit = lds_limit, need = static_cast<uint64_t>(static_cast<uint32_t>(im)) + bytes;
      if (limit < need) return {Pattern::other, nullptr};
      if (static_cast<Bits>(ballot(lo <= static_cast<uint32_t>(limit - need)) | ~em) != kAllLanes) return {Pattern::other, nullptr};
      p = lds + l0 + static_cast<uint32_t>(im);
    } else if constexpr (Saddr) {
      p = reinterpret_cast<char*>(get<uint64_t>(w + s[2]) + l0 + static_cast<uint64_t>(static_cast<int64_t>(im)));
    } else {
      VU hi = row(s[3], q);
      uint32_t h0 = Full ? hi[0] : cell(s[3], q * kLanes + f);
      Bits high = ballot(hi == h0);
      cont &= high;
      same &= high;
      p = reinterpret_cast<char*>((l0 | static_cast<uint64_t>(h0) << 32) + static_cast<uint64_t>(static_cast<int64_t>(im)));
    }
    if (S == Space::flat && reinterpret_cast<uint64_t>(p) >> 48) return {Pattern::other, nullptr};
    if (static_cast<Bits>(cont | ~em) == kAllLanes) return {Pattern::contiguous, p};
    if (static_cast<Bits>(same | ~em) == kAllLanes) return {Pattern::uniform, p};
    return {Pattern::other, p};
  }

  /// The same for a whole wave with all lanes on, with few branches: every chunk contiguous, or every chunk uniform.
  /// `need`: LDS bytes beyond the lane's own address that must be in bounds.
  template <Space S> BZ_AI Pattern wave_pattern(uint32_t step, uint64_t need) const {
    VU not_contiguous(0u), not_uniform(0u), other(0u), top(0u), steps = iota() * step;
    for (int q = 0; q < kChunks; ++q) {
      VU lo = row(s[0], q), delta = lo - VU(cell(s[0], q * kLanes));
      not_uniform |= delta;
      not_contiguous |= delta ^ steps;
      if constexpr (S == Space::lds) {
        top = __builtin_elementwise_max(top, lo);
      } else if constexpr (!Saddr) {
        VU hi = row(s[3], q);
        other |= hi ^ VU(cell(s[3], q * kLanes));
        if constexpr (S == Space::flat) other |= hi & 0xffff0000u;   // apertures
      }
    }
    if constexpr (S == Space::lds) {
      if (lds_limit < need || ballot(top > static_cast<uint32_t>(lds_limit - need))) return Pattern::other;
    } else if constexpr (!Saddr) {
      if (ballot(other != 0u)) return Pattern::other;
    }
    if (ballot(not_contiguous != 0u) == 0) return Pattern::contiguous;
    return ballot(not_uniform != 0u) == 0 ? Pattern::uniform : Pattern::other;
  }
  /// Address of a chunk's first lane.
  template <Space S> BZ_AI char* chunk_address(int q) const {
    if constexpr (S == Space::lds) return lds + cell(s[0], q * kLanes) + static_cast<uint32_t>(im);
    else return reinterpret_cast<char*>(address64(q * kLanes));
  }

  BZ_AI void put(uint32_t off, int q, Bits em, VU x) {
    VRow& r = row_at(off, q);
    if (Full || em == kAllLanes) r = x;
    else r = blend(mask_of(em).v, x, VU(r));
  }
  /// Puts an extended narrow element where its kind says.
  template <Elem E> BZ_AI void put_elem(int q, Bits em, VU x) {
    if constexpr (elem_keeps(E)) {
      VU old = row(d, q);
      x = elem_high(E) ? (old & 0xffffu) | (x << 16) : (old & 0xffff0000u) | (x & 0xffffu);
    }
    put(d, q, em, x);
  }

  // ------------------------------------------------------------ loads

  /// A chunk with all lanes on, from contiguous memory or from one place.
  template <Elem E, int N> BZ_AI void load_contiguous(int q, const char* p) {
    if constexpr (is_u32(E)) {
      VU r[N];
      load_rows<N>(p, r);
      for (int j = 0; j < N; ++j) row_at(d + layout::kRow * j, q) = r[j];
    } else if constexpr (elem_bytes(E) == 1) {
      VU x = __builtin_convertvector(load_vector<VU8>(p), VU);
      if constexpr (elem_signed(E)) x = __builtin_bit_cast(VU, __builtin_bit_cast(VI, x << 24) >> 24);
      put_elem<E>(q, kAllLanes, x);
    } else {
      VU x = __builtin_convertvector(load_vector<VU16>(p), VU);
      if constexpr (elem_signed(E)) x = __builtin_bit_cast(VU, __builtin_bit_cast(VI, x << 16) >> 16);
      put_elem<E>(q, kAllLanes, x);
    }
  }
  template <Elem E, int N> BZ_AI void load_uniform(int q, Bits em, const char* p) {
    if constexpr (is_u32(E)) {
      uint32_t x[N];
      __builtin_memcpy(x, p, 4 * N);
      for (int j = 0; j < N; ++j) put(d + layout::kRow * j, q, em, VU(x[j]));
    } else {
      uint32_t x = 0;
      __builtin_memcpy(&x, p, elem_bytes(E));
      put_elem<E>(q, em, VU(extend(E, x)));
    }
  }
  template <Space S, Elem E, int N> BZ_AI bool load_fast(int q, Bits em) {
    constexpr unsigned kBytes = is_u32(E) ? 4 * N : elem_bytes(E);
    Chunk c = chunk<S>(q, em, kBytes, kBytes);
    if (__builtin_expect(c.pattern == Pattern::contiguous, 1)) {
      if (em == kAllLanes) {
        load_contiguous<E, N>(q, c.p);
        return true;
      }
      if constexpr (is_u32(E) && N != 3) {
        const char* p = c.p - 4 * N * __builtin_ctz(em);
        VU v[N], r[N];
        for (int j = 0; j < N; ++j) v[j] = masked_load(dword_mask<N>(em, j), p + 4 * kLanes * j, VU(0u));
        deinterleave<N>(v, r);
        for (int j = 0; j < N; ++j) put(d + layout::kRow * j, q, em, r[j]);
        return true;
      }
    }
    if (c.pattern == Pattern::uniform) {
      load_uniform<E, N>(q, em, c.p);
      return true;
    }
    return false;
  }
  template <Elem E> BZ_AI void put_lane(int lane, uint32_t x) {
    uint32_t& r = cell(d, lane);
    if constexpr (elem_keeps(E)) r = elem_high(E) ? (r & 0xffffu) | (x << 16) : (r & 0xffff0000u) | (x & 0xffffu);
    else r = x;
  }

  /// Lane by lane, any pattern. A function of its own, so that the handler keeps few registers; false: halted.
  template <Space S, Elem E, int N> __attribute__((noinline)) static bool load_slow(const Op* o, char* w, int q, uint32_t em) {
    MemoryB<false, Saddr> m(o, w);
    for (; em; em &= em - 1) {
      int lane = q * kLanes + __builtin_ctz(em);
      constexpr unsigned kBytes = is_u32(E) ? 4 * N : elem_bytes(E);
      LanePtr p = m.template pointer<S>(lane, kBytes);
      if (m.halted) return false;
      if constexpr (is_u32(E)) {
        uint32_t x[N];
        if (__builtin_expect(p.p != nullptr && !p.swizzled && p.bytes >= kBytes, 1)) {
          __builtin_memcpy(x, p.p, kBytes);
        } else {
          for (int j = 0; j < N; ++j) x[j] = p.read(4 * static_cast<unsigned>(j), 4);
        }
        for (int j = 0; j < N; ++j) m.cell(m.d + layout::kRow * j, lane) = x[j];   // may be this lane's address
      } else {
        m.template put_lane<E>(lane, extend(E, p.read(0, elem_bytes(E))));
      }
    }
    return true;
  }
  template <Space S, Elem E, int N> BZ_AI void load_n() {
    note_access();
    if (gds_refused()) return;
    if constexpr (Full && (S == Space::global || S == Space::flat || S == Space::lds)) {
      constexpr unsigned kBytes = is_u32(E) ? 4 * N : elem_bytes(E);
      Pattern pattern = wave_pattern<S>(kBytes, static_cast<uint64_t>(static_cast<uint32_t>(im)) + kBytes);
      if (__builtin_expect(pattern == Pattern::contiguous, 1)) {
        for (int q = 0; q < kChunks; ++q) load_contiguous<E, N>(q, chunk_address<S>(q));
      } else if (pattern == Pattern::uniform) {
        for (int q = 0; q < kChunks; ++q) load_uniform<E, N>(q, kAllLanes, chunk_address<S>(q));
      } else {
        halted = !load_mixed<S, E, N>(o, w);
      }
    } else {
      load_chunks<S, E, N>();
    }
  }
  template <Space S, Elem E, int N> __attribute__((noinline)) static bool load_mixed(const Op* o, char* w) {
    MemoryB<false, Saddr> m(o, w);
    m.template load_chunks<S, E, N>();
    return !m.halted;
  }
  template <Space S, Elem E, int N> BZ_AI void load_chunks() {
#pragma clang loop unroll(disable)
    for (int q = 0; q < kChunks; ++q) {
      Bits em = exec_bits(q);
      if (!Full && em == 0) continue;
      if constexpr (S == Space::global || S == Space::flat || S == Space::lds) {
        if (__builtin_expect(load_fast<S, E, N>(q, em), 1)) continue;
      }
      if constexpr (S == Space::scratch && is_u32(E)) {
        if (load_scratch<N>(q, em)) continue;
      }
      if (!load_slow<S, E, N>(o, w, q, em)) {
        halted = true;
        return;
      }
    }
  }
  BZ_AI bool gds_refused() {
    if (__builtin_expect(o->mods & mods::kGds, 0)) stop(Halt::Reason::not_implemented, -1, "global data share");
    return halted;
  }
  /// Without a vector address every lane is at the same offset: whole rows of the interleaved layout.
  BZ_AI char* scratch_rows(int q, uint32_t bytes) {
    if (o->mods & mods::kVaddr) return nullptr;
    uint32_t at = static_cast<uint32_t>(im);
    if (o->mods & mods::kSaddr) at += get<uint32_t>(w + s[2]);
    Wave* v = wave();
    if (at % 4 || at >= v->scratch_bytes || bytes > v->scratch_bytes - at) return nullptr;
    return v->scratch + at / 4 * 256 + q * 4 * kLanes;
  }
  template <int N> BZ_AI bool load_scratch(int q, Bits em) {
    const char* p = scratch_rows(q, 4 * N);
    if (!p) return false;
    for (int j = 0; j < N; ++j) put(d + layout::kRow * j, q, em, VU(*reinterpret_cast<const VRow*>(p + 256 * j)));
    return true;
  }
  template <int N> BZ_AI bool store_scratch(int q, Bits em) {
    char* p = scratch_rows(q, 4 * N);
    if (!p) return false;
    for (int j = 0; j < N; ++j) {
      auto* r = reinterpret_cast<VRow*>(p + 256 * j);
      VU x = row(s[1] + layout::kRow * j, q);
      *r = Full ? x : blend(mask_of(em).v, x, VU(*r));
    }
    return true;
  }

  // ------------------------------------------------------------ stores

  template <Elem E, int N> BZ_AI void store_contiguous(int q, char* p) {
    if constexpr (is_u32(E)) {
      VU r[N];
      for (int j = 0; j < N; ++j) r[j] = row(s[1] + layout::kRow * j, q);
      store_rows<N>(p, r);
    } else {
      VU x = row(s[1], q) >> (elem_high(E) ? 16u : 0u);
      if constexpr (elem_bytes(E) == 1) store_vector(p, __builtin_convertvector(x, VU8));
      else store_vector(p, __builtin_convertvector(x, VU16));
    }
  }
  template <Space S, Elem E, int N> BZ_AI bool store_fast(int q, Bits em) {
    constexpr unsigned kBytes = is_u32(E) ? 4 * N : elem_bytes(E);
    Chunk c = chunk<S>(q, em, kBytes, kBytes);
    if (__builtin_expect(c.pattern == Pattern::contiguous, 1)) {
      if (em == kAllLanes) {
        store_contiguous<E, N>(q, c.p);
        return true;
      }
      if constexpr (is_u32(E) && N != 3) {
        char* p = c.p - 4 * N * __builtin_ctz(em);
        VU r[N], v[N];
        for (int j = 0; j < N; ++j) r[j] = row(s[1] + layout::kRow * j, q);
        interleave<N>(r, v);
        for (int j = 0; j < N; ++j) masked_store(dword_mask<N>(em, j), p + 4 * kLanes * j, v[j]);
        return true;
      }
    }
    return false;
  }
  template <Space S, Elem E, int N> __attribute__((noinline)) static bool store_slow(const Op* o, char* w, int q, uint32_t em) {
    MemoryB<false, Saddr> m(o, w);
    for (; em; em &= em - 1) {
      int lane = q * kLanes + __builtin_ctz(em);
      constexpr unsigned kBytes = is_u32(E) ? 4 * N : elem_bytes(E);
      LanePtr p = m.template pointer<S>(lane, kBytes);
      if (m.halted) return false;
      if constexpr (is_u32(E)) {
        uint32_t x[N];
        for (int j = 0; j < N; ++j) x[j] = m.cell(m.s[1] + layout::kRow * j, lane);
        if (__builtin_expect(p.p != nullptr && !p.swizzled && p.bytes >= kBytes, 1)) {
          __builtin_memcpy(p.p, x, kBytes);
        } else {
          for (int j = 0; j < N; ++j) p.write(4 * static_cast<unsigned>(j), 4, x[j]);
        }
      } else {
        p.write(0, elem_bytes(E), m.cell(m.s[1], lane) >> (elem_high(E) ? 16 : 0));
      }
    }
    return true;
  }
  template <Space S, Elem E, int N> BZ_AI void store_n() {
    note_access();
    if (gds_refused()) return;
    if constexpr (Full && (S == Space::global || S == Space::flat || S == Space::lds)) {
      constexpr unsigned kBytes = is_u32(E) ? 4 * N : elem_bytes(E);
      if (__builtin_expect(wave_pattern<S>(kBytes, static_cast<uint64_t>(static_cast<uint32_t>(im)) + kBytes) == Pattern::contiguous, 1)) {
        for (int q = 0; q < kChunks; ++q) store_contiguous<E, N>(q, chunk_address<S>(q));
      } else {
        halted = !store_mixed<S, E, N>(o, w);
      }
    } else {
      store_chunks<S, E, N>();
    }
  }
  template <Space S, Elem E, int N> __attribute__((noinline)) static bool store_mixed(const Op* o, char* w) {
    MemoryB<false, Saddr> m(o, w);
    m.template store_chunks<S, E, N>();
    return !m.halted;
  }
  template <Space S, Elem E, int N> BZ_AI void store_chunks() {
#pragma clang loop unroll(disable)
    for (int q = 0; q < kChunks; ++q) {
      Bits em = exec_bits(q);
      if (!Full && em == 0) continue;
      if constexpr (S == Space::global || S == Space::flat || S == Space::lds) {
        if (__builtin_expect(store_fast<S, E, N>(q, em), 1)) continue;
      }
      if constexpr (S == Space::scratch && is_u32(E)) {
        if (store_scratch<N>(q, em)) continue;
      }
      if (!store_slow<S, E, N>(o, w, q, em)) {
        halted = true;
        return;
      }
    }
  }

  // ------------------------------------------------------------ primitives of the builder

  template <Space S, Elem E, int N> BZ_AI void load() {
    if constexpr (S == Space::buffer && N == 1) {
      if (__builtin_expect(o->mods & mods::kLds, 0)) return load_to_lds<S, E>();
    }
    load_n<S, E, N>();
  }
  template <Space S, Elem E, int N> BZ_AI void store() { store_n<S, E, N>(); }

  /// LDS address: M0[15:0] + instruction offset + 4 * lane, the same for all memory forms.
  template <Space S, Elem E> BZ_AI void load_to_lds() {
    note_access();
    uint64_t base = (wave()->sgpr[layout::kM0] & 0xffffu) + static_cast<uint64_t>(static_cast<int64_t>(im));
    for_lanes([&](int lane) {
      LanePtr p = pointer<S>(lane, elem_bytes(E));
      if (halted) return;
      lds_ptr(base + 4 * static_cast<unsigned>(lane)).write(0, 4, extend(E, p.read(0, elem_bytes(E))));
    });
  }

  template <class F> BZ_AI void for_lanes(F f) {
    uint64_t e = Full ? ~uint64_t{0} : wave()->exec();
#pragma clang loop unroll(disable)
    for (; e; e &= e - 1) {
      f(__builtin_ctzll(e));
      if (halted) return;
    }
  }

  /// FLAT family and MUBUF: data holds the new value, then the compare value. LDS: data0 and data1, compare first.
  template <Space S, isa::AtomicOp Op, isa::AtomicType T, isa::Return R> BZ_AI void atomic() {
    using A = isa::AtomicOp;
    note_access();
    if (gds_refused()) return;
    constexpr uint32_t kDwords = T == isa::AtomicType::b64 || T == isa::AtomicType::f64 ? 2 : 1;
    constexpr bool kTwo = Op == A::cmpswap || Op == A::fcmpswap || Op == A::mskor || Op == A::wrap;
    bool returns = R == isa::Return::yes || (R == isa::Return::by_bit && (o->mods & mods::kReturns));
    for_lanes([&](int lane) {
      LanePtr p = pointer<S>(lane, 4 * kDwords);
      if (halted) return;
      auto value = [&](uint32_t off) {
        uint64_t x = cell(off, lane);
        if (kDwords == 2) x |= static_cast<uint64_t>(cell(off + layout::kRow, lane)) << 32;
        return x;
      };
      uint64_t data = value(s[1]), other = 0, old = 0;
      if constexpr (kTwo) {
        other = value(S == Space::lds ? s[2] : s[1] + layout::kRow * kDwords);
        if (S == Space::lds && (Op == A::cmpswap || Op == A::fcmpswap)) {
          uint64_t t = data;
          data = other;
          other = t;
        }
      }
      if (p.p == nullptr || p.bytes < 4 * kDwords) {
        // out of bounds: nothing happens, 0 comes back
      } else if (p.swizzled) {
        uint64_t mem = p.read(0, 4);
        if (kDwords == 2) mem |= static_cast<uint64_t>(p.read(4, 4)) << 32;
        old = mem;
        uint64_t now = kDwords == 2 ? atomic_new64(mem, Op, T, data, other)
                                    : atomic_new32(static_cast<uint32_t>(mem), Op, T, static_cast<uint32_t>(data), static_cast<uint32_t>(other));
        p.write(0, 4, static_cast<uint32_t>(now));
        if (kDwords == 2) p.write(4, 4, static_cast<uint32_t>(now >> 32));
      } else {
        old = atomic_cell(p.p, Op, T, data, other, shared<S>(p));
      }
      if (returns) {
        cell(d, lane) = static_cast<uint32_t>(old);
        if (kDwords == 2) cell(d + layout::kRow, lane) = static_cast<uint32_t>(old >> 32);
      }
    });
  }

  // Two elements of n dwords at offset0 and offset1 (imm and aux), in units of `stride` bytes.
  BZ_AI LanePtr ds_second(int lane, bool second, int stride) const {
    uint32_t unit = second ? aux : static_cast<uint32_t>(im);
    return lds_ptr(static_cast<uint64_t>(cell(s[0], lane)) + unit * static_cast<uint32_t>(stride));
  }
  /// A whole wave with all lanes on, contiguous or (loads) uniform in every chunk.
  template <int N> BZ_AI bool ds_pair_fast(bool is_load, int stride) {
    if constexpr (!Full) return false;
    uint32_t first = static_cast<uint32_t>(im) * static_cast<uint32_t>(stride), second = aux * static_cast<uint32_t>(stride);
    Pattern pattern = wave_pattern<Space::lds>(4 * N, uint64_t{first > second ? first : second} + 4 * N);
    if (pattern == Pattern::other || (pattern == Pattern::uniform && !is_load)) return false;
    for (int q = 0; q < kChunks; ++q) {
      char* base = lds + cell(s[0], q * kLanes);
      char* p[2] = {base + first, base + second};
      VU r[2 * N];
      if (!is_load) {
        for (int i = 0; i < 2; ++i) {
          for (int j = 0; j < N; ++j) r[j] = row(s[1 + i] + layout::kRow * j, q);
          store_rows<N>(p[i], r);
        }
        continue;
      }
      if (pattern == Pattern::contiguous) {
        load_rows<N>(p[0], r);
        load_rows<N>(p[1], r + N);
      } else {
        for (int j = 0; j < 2 * N; ++j) r[j] = VU(get<uint32_t>(p[j / N] + 4 * (j % N)));
      }
      for (int j = 0; j < 2 * N; ++j) row_at(d + layout::kRow * j, q) = r[j];
    }
    return true;
  }
  __attribute__((noinline)) static void ds_pair_slow(const Op* o, char* w, bool is_load, int n, int stride) {
    MemoryB<false, false> m(o, w);
    m.for_lanes([&](int lane) {
      LanePtr p0 = m.ds_second(lane, false, stride), p1 = m.ds_second(lane, true, stride);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < n; ++j) {
          const LanePtr& p = i ? p1 : p0;
          uint32_t at = 4 * static_cast<uint32_t>(j), row = layout::kRow * static_cast<uint32_t>(j);
          if (is_load) m.cell(m.d + row + layout::kRow * static_cast<uint32_t>(i * n), lane) = p.read(at, 4);
          else p.write(at, 4, m.cell(m.s[1 + i] + row, lane));
        }
    });
  }
  BZ_AI void ds_pair(bool is_load, int n, int stride) {
    note_access();
    if (gds_refused()) return;
    if (n == 1 ? ds_pair_fast<1>(is_load, stride) : ds_pair_fast<2>(is_load, stride)) return;
    ds_pair_slow(o, w, is_load, n, stride);
  }
  BZ_AI void ds_read2(int n, int stride) { ds_pair(true, n, stride); }
  BZ_AI void ds_write2(int n, int stride) { ds_pair(false, n, stride); }
  BZ_AI void ds_wrxchg2(int n, int stride) {
    note_access();
    if (gds_refused()) return;
    for_lanes([&](int lane) {
      uint32_t data[4], old[4];
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < n; ++j) data[i * n + j] = cell(s[1 + i] + layout::kRow * j, lane);
      LanePtr p0 = ds_second(lane, false, stride), p1 = ds_second(lane, true, stride);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < n; ++j) {
          const LanePtr& p = i ? p1 : p0;
          old[i * n + j] = p.read(4 * static_cast<unsigned>(j), 4);
          p.write(4 * static_cast<unsigned>(j), 4, data[i * n + j]);
        }
      for (int j = 0; j < 2 * n; ++j) cell(d + layout::kRow * j, lane) = old[j];
    });
  }
  BZ_AI LanePtr addtid_ptr(int lane) const {
    return lds_ptr((wave()->sgpr[layout::kM0] & 0xffffu) + static_cast<uint64_t>(static_cast<uint32_t>(im)) + 4 * static_cast<unsigned>(lane));
  }
  BZ_AI void ds_addtid_read() {
    if (gds_refused()) return;
    for_lanes([&](int lane) { cell(d, lane) = addtid_ptr(lane).read(0, 4); });
  }
  BZ_AI void ds_addtid_write() {
    if (gds_refused()) return;
    for_lanes([&](int lane) { addtid_ptr(lane).write(0, 4, cell(s[1], lane)); });
  }
  /// One counter for the wave: M0[15:0] + offset; every active lane gets the old value.
  BZ_AI void ds_append(bool add) {
    if (gds_refused()) return;
    uint32_t n = static_cast<uint32_t>(__builtin_popcountll(wave()->exec()));
    LanePtr p = lds_ptr((wave()->sgpr[layout::kM0] & 0xffffu) + static_cast<uint64_t>(static_cast<uint32_t>(im)));
    uint32_t old = p.read(0, 4);
    p.write(0, 4, add ? old + n : old - n);
    for_lanes([&](int lane) { cell(d, lane) = old; });
  }
  BZ_AI void buffer_load_format(int, bool) { stop(Halt::Reason::not_implemented, -1, "format conversion of buffer resources"); }
  BZ_AI void buffer_store_format(int, bool) { stop(Halt::Reason::not_implemented, -1, "format conversion of buffer resources"); }
};

} // namespace bz::exec::BZ_LEVEL_NS
