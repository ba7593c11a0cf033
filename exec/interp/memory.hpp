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

/// n x kLanes dwords, lane after lane, to n rows (Load) or back.
template <int N> BZ_AI void deinterleave(const char* p, VU* r) {
  if constexpr (N == 1) {
    r[0] = load_vector<VU>(p);
  } else if constexpr (N == 2) {
    V2U x = __builtin_shufflevector(load_vector<VU>(p), load_vector<VU>(p + 4 * kLanes),
#if BZ_LEVEL == 512
                                    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
#else
                                    0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
#endif
    U64 y = pair_of(x);
    r[0] = y.lo;
    r[1] = y.hi;
  } else if constexpr (N == 4) {
    VU a[2], b[2];   // pairs (0,2) and (1,3) of two halves
    deinterleave<2>(p, a);
    deinterleave<2>(p + 8 * kLanes, b);
#if BZ_LEVEL == 512
#define BZ_EVEN 0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30
#define BZ_ODD 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31
#else
#define BZ_EVEN 0, 2, 4, 6, 8, 10, 12, 14
#define BZ_ODD 1, 3, 5, 7, 9, 11, 13, 15
#endif
    r[0] = __builtin_shufflevector(a[0], b[0], BZ_EVEN);
    r[1] = __builtin_shufflevector(a[1], b[1], BZ_EVEN);
    r[2] = __builtin_shufflevector(a[0], b[0], BZ_ODD);
    r[3] = __builtin_shufflevector(a[1], b[1], BZ_ODD);
  } else {
    const auto* s = reinterpret_cast<const uint32_t*>(p);
    for (int i = 0; i < kLanes; ++i)
      for (int j = 0; j < N; ++j) {
        uint32_t x;
        __builtin_memcpy(&x, s + N * i + j, 4);
        r[j][i] = x;
      }
  }
}
BZ_AI void interleave_pair(VU a, VU b, VU* r) {
#if BZ_LEVEL == 512
  r[0] = __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
  r[1] = __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
#else
  r[0] = __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
  r[1] = __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15);
#endif
}
template <int N> BZ_AI void interleave(const VU* r, char* p) {
  [[maybe_unused]] auto put = [p](int i, VU x) { store_vector(p + 4 * kLanes * i, x); };
  if constexpr (N == 1) {
    put(0, r[0]);
  } else if constexpr (N == 2) {
    VU t[2];
    interleave_pair(r[0], r[1], t);
    put(0, t[0]);
    put(1, t[1]);
  } else if constexpr (N == 4) {
    VU a[2], b[2], t[2];   // (0,2) and (1,3) interleaved, then with each other
    interleave_pair(r[0], r[2], a);
    interleave_pair(r[1], r[3], b);
    interleave_pair(a[0], b[0], t);
    put(0, t[0]);
    put(1, t[1]);
    interleave_pair(a[1], b[1], t);
    put(2, t[0]);
    put(3, t[1]);
  } else {
    for (int i = 0; i < kLanes; ++i)
      for (int j = 0; j < N; ++j) {
        uint32_t x = r[j][i];
        __builtin_memcpy(p + 4 * (N * i + j), &x, 4);
      }
  }
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

  BZ_AI MemoryB(const Op* op, char* wv) : o(op), w(wv) {}
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
    uint64_t a = cell(o->s[0], lane);
    if (Saddr) a += get<uint64_t>(w + o->s[2]);
    else a |= static_cast<uint64_t>(cell(o->s[3], lane)) << 32;
    return a + static_cast<uint64_t>(static_cast<int64_t>(o->imm));
  }
  BZ_AI LanePtr lds_ptr(uint64_t at) const {
    Group* g = wave()->group;
    if (at >= g->lds_bytes) return {};
    return {reinterpret_cast<char*>(g->lds) + at, false, 0, static_cast<uint32_t>(g->lds_bytes - at)};
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
    uint64_t lo = get<uint64_t>(w + o->s[2]);
    uint32_t records = get<uint32_t>(w + o->s[2] + 8), word3 = get<uint32_t>(w + o->s[2] + 12);
    uint32_t stride = static_cast<uint32_t>(lo >> 48) & 0x3fff;
    bool swizzle = lo >> 63, add_tid = word3 >> 23 & 1;
    bool offen = o->mods & mods::kSaddr, idxen = o->mods & mods::kVaddr;
    uint32_t soffset = get<uint32_t>(w + o->s[4]);
    uint32_t index = (idxen ? cell(o->s[0], lane) : 0) + (add_tid ? static_cast<uint32_t>(lane) : 0);
    uint64_t offset = static_cast<uint64_t>(static_cast<uint32_t>(o->imm)) + (offen ? cell(idxen ? o->s[3] : o->s[0], lane) : 0);
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
      return lds_ptr(static_cast<uint64_t>(cell(o->s[0], lane)) + static_cast<uint32_t>(o->imm));
    } else if constexpr (S == Space::scratch) {
      uint32_t at = static_cast<uint32_t>(o->imm);
      if (o->mods & mods::kVaddr) at += cell(o->s[0], lane);
      if (o->mods & mods::kSaddr) at += get<uint32_t>(w + o->s[2]);
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
    const char* l = reinterpret_cast<const char*>(wave()->group->lds);
    return !(p.p >= l && p.p < l + wave()->group->lds_bytes);
  }

  // ------------------------------------------------------------ chunk patterns

  enum class Pattern { other, contiguous, uniform };
  struct Chunk { Pattern pattern; char* p; };   ///< p: first active lane's address
  /// Looks at the addresses of a chunk's active lanes; `step` is the distance that counts as contiguous.
  template <Space S> BZ_AI Chunk chunk(int q, Bits em, uint32_t step, uint32_t bytes) const {
    static_assert(S == Space::global || S == Space::flat || S == Space::lds);
    int f = Full ? 0 : __builtin_ctz(em);
    VU lo = row(o->s[0], q);
    uint32_t l0 = Full ? lo[0] : cell(o->s[0], q * kLanes + f);
    VU delta = lo - l0;
    Bits cont = ballot(delta == (iota() - static_cast<uint32_t>(f)) * step), same = ballot(delta == 0u);
    char* p;
    if constexpr (S == Space::lds) {
      // All lanes in bounds, or the slow form looks at each.
      uint64_t limit = wave()->group->lds_bytes, need = static_cast<uint64_t>(static_cast<uint32_t>(o->imm)) + bytes;
      if (limit < need) return {Pattern::other, nullptr};
      if (static_cast<Bits>(ballot(lo <= static_cast<uint32_t>(limit - need)) | ~em) != kAllLanes) return {Pattern::other, nullptr};
      p = reinterpret_cast<char*>(wave()->group->lds) + l0 + static_cast<uint32_t>(o->imm);
    } else if constexpr (Saddr) {
      p = reinterpret_cast<char*>(get<uint64_t>(w + o->s[2]) + l0 + static_cast<uint64_t>(static_cast<int64_t>(o->imm)));
    } else {
      VU hi = row(o->s[3], q);
      uint32_t h0 = Full ? hi[0] : cell(o->s[3], q * kLanes + f);
      Bits high = ballot(hi == h0);
      cont &= high;
      same &= high;
      p = reinterpret_cast<char*>((l0 | static_cast<uint64_t>(h0) << 32) + static_cast<uint64_t>(static_cast<int64_t>(o->imm)));
    }
    if (S == Space::flat && reinterpret_cast<uint64_t>(p) >> 48) return {Pattern::other, nullptr};
    if (static_cast<Bits>(cont | ~em) == kAllLanes) return {Pattern::contiguous, p};
    if (static_cast<Bits>(same | ~em) == kAllLanes) return {Pattern::uniform, p};
    return {Pattern::other, p};
  }

  BZ_AI void put(uint32_t off, int q, Bits em, VU x) {
    VRow& r = row_at(off, q);
    if (Full || em == kAllLanes) r = x;
    else r = blend(mask_of(em).v, x, VU(r));
  }
  /// Puts an extended narrow element where its kind says.
  template <Elem E> BZ_AI void put_elem(int q, Bits em, VU x) {
    if constexpr (elem_keeps(E)) {
      VU old = row(o->d, q);
      x = elem_high(E) ? (old & 0xffffu) | (x << 16) : (old & 0xffff0000u) | (x & 0xffffu);
    }
    put(o->d, q, em, x);
  }

  // ------------------------------------------------------------ loads

  template <Space S, Elem E, int N> BZ_AI bool load_fast(int q, Bits em) {
    constexpr unsigned kBytes = is_u32(E) ? 4 * N : elem_bytes(E);
    Chunk c = chunk<S>(q, em, kBytes, kBytes);
    bool all = Full || em == kAllLanes;
    if (__builtin_expect(c.pattern == Pattern::contiguous, 1)) {
      if (all) {
        if constexpr (is_u32(E)) {
          VU r[N];
          deinterleave<N>(c.p, r);
          for (int j = 0; j < N; ++j) row_at(o->d + layout::kRow * j, q) = r[j];
        } else if constexpr (elem_bytes(E) == 1) {
          VU x = __builtin_convertvector(load_vector<VU8>(c.p), VU);
          if constexpr (elem_signed(E)) x = __builtin_bit_cast(VU, __builtin_bit_cast(VI, x << 24) >> 24);
          put_elem<E>(q, em, x);
        } else {
          VU x = __builtin_convertvector(load_vector<VU16>(c.p), VU);
          if constexpr (elem_signed(E)) x = __builtin_bit_cast(VU, __builtin_bit_cast(VI, x << 16) >> 16);
          put_elem<E>(q, em, x);
        }
        return true;
      }
      if constexpr (is_u32(E) && N == 1) {
        char* p = c.p - 4 * __builtin_ctz(em);
        VU old = row(o->d, q);
        row_at(o->d, q) = masked_load(em, p, old);
        return true;
      }
    }
    if (c.pattern == Pattern::uniform) {
      if constexpr (is_u32(E)) {
        uint32_t x[N];
        __builtin_memcpy(x, c.p, 4 * N);
        for (int j = 0; j < N; ++j) put(o->d + layout::kRow * j, q, em, VU(x[j]));
      } else {
        uint32_t x = 0;
        __builtin_memcpy(&x, c.p, elem_bytes(E));
        put_elem<E>(q, em, VU(extend(E, x)));
      }
      return true;
    }
    if constexpr (S == Space::flat) {
      if (c.p == nullptr) return false;
      if (!Saddr && ballot((row(o->s[3], q) >> 16) != 0u) & em) return false;
    }
    if (S == Space::lds && c.p == nullptr) return false;
    // Lane by lane; addresses first, since the destination may hold them.
    alignas(64) uint64_t at[kLanes];
    for (int i = 0; i < kLanes; ++i) {
      if constexpr (S == Space::lds)
        at[i] = reinterpret_cast<uint64_t>(wave()->group->lds) + static_cast<uint64_t>(cell(o->s[0], q * kLanes + i)) + static_cast<uint32_t>(o->imm);
      else at[i] = address64(q * kLanes + i);
    }
    auto one = [&](int i) {
      const char* p = reinterpret_cast<const char*>(at[i]);
      int lane = q * kLanes + i;
      if constexpr (is_u32(E)) {
        for (int j = 0; j < N; ++j) cell(o->d + layout::kRow * j, lane) = get<uint32_t>(p + 4 * j);
      } else {
        uint32_t x = 0;
        __builtin_memcpy(&x, p, elem_bytes(E));
        put_lane<E>(lane, extend(E, x));
      }
    };
    if (all) {
#pragma clang loop unroll(disable)
      for (int i = 0; i < kLanes; ++i) one(i);
    } else {
      for (uint32_t e = em; e; e &= e - 1) one(__builtin_ctz(e));
    }
    return true;
  }
  template <Elem E> BZ_AI void put_lane(int lane, uint32_t x) {
    uint32_t& r = cell(o->d, lane);
    if constexpr (elem_keeps(E)) r = elem_high(E) ? (r & 0xffffu) | (x << 16) : (r & 0xffff0000u) | (x & 0xffffu);
    else r = x;
  }

  template <Space S, Elem E, int N> BZ_AI void load_slow(int q, Bits em) {
    // Results are kept back until all lanes are read: the destination may hold addresses of later dwords.
    for (uint32_t e = em; e; e &= e - 1) {
      int lane = q * kLanes + __builtin_ctz(e);
      constexpr unsigned kBytes = is_u32(E) ? 4 * N : elem_bytes(E);
      LanePtr p = pointer<S>(lane, kBytes);
      if (halted) return;
      if constexpr (is_u32(E)) {
        uint32_t x[N];
        for (int j = 0; j < N; ++j) x[j] = p.read(4 * static_cast<unsigned>(j), 4);
        for (int j = 0; j < N; ++j) cell(o->d + layout::kRow * j, lane) = x[j];
      } else {
        put_lane<E>(lane, extend(E, p.read(0, elem_bytes(E))));
      }
    }
  }
  template <Space S, Elem E, int N> BZ_AI void load_n() {
    note_access();
    if (gds_refused()) return;
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
      load_slow<S, E, N>(q, em);
      if (halted) return;
    }
  }
  BZ_AI bool gds_refused() {
    if (__builtin_expect(o->mods & mods::kGds, 0)) stop(Halt::Reason::not_implemented, -1, "global data share");
    return halted;
  }
  /// Without a vector address every lane is at the same offset: whole rows of the interleaved layout.
  BZ_AI char* scratch_rows(int q, uint32_t bytes) {
    if (o->mods & mods::kVaddr) return nullptr;
    uint32_t at = static_cast<uint32_t>(o->imm);
    if (o->mods & mods::kSaddr) at += get<uint32_t>(w + o->s[2]);
    Wave* v = wave();
    if (at % 4 || at >= v->scratch_bytes || bytes > v->scratch_bytes - at) return nullptr;
    return v->scratch + at / 4 * 256 + q * 4 * kLanes;
  }
  template <int N> BZ_AI bool load_scratch(int q, Bits em) {
    const char* p = scratch_rows(q, 4 * N);
    if (!p) return false;
    for (int j = 0; j < N; ++j) put(o->d + layout::kRow * j, q, em, VU(*reinterpret_cast<const VRow*>(p + 256 * j)));
    return true;
  }
  template <int N> BZ_AI bool store_scratch(int q, Bits em) {
    char* p = scratch_rows(q, 4 * N);
    if (!p) return false;
    for (int j = 0; j < N; ++j) {
      auto* r = reinterpret_cast<VRow*>(p + 256 * j);
      VU x = row(o->s[1] + layout::kRow * j, q);
      *r = Full ? x : blend(mask_of(em).v, x, VU(*r));
    }
    return true;
  }

  // ------------------------------------------------------------ stores

  template <Space S, Elem E, int N> BZ_AI bool store_fast(int q, Bits em) {
    constexpr unsigned kBytes = is_u32(E) ? 4 * N : elem_bytes(E);
    Chunk c = chunk<S>(q, em, kBytes, kBytes);
    bool all = Full || em == kAllLanes;
    if (__builtin_expect(c.pattern == Pattern::contiguous, 1)) {
      if (all) {
        VU r[is_u32(E) ? N : 1];
        if constexpr (is_u32(E)) {
          for (int j = 0; j < N; ++j) r[j] = row(o->s[1] + layout::kRow * j, q);
          interleave<N>(r, c.p);
        } else {
          r[0] = row(o->s[1], q) >> (elem_high(E) ? 16u : 0u);
          if constexpr (elem_bytes(E) == 1) store_vector(c.p, __builtin_convertvector(r[0], VU8));
          else store_vector(c.p, __builtin_convertvector(r[0], VU16));
        }
        return true;
      }
      if constexpr (is_u32(E) && N == 1) {
        char* p = c.p - 4 * __builtin_ctz(em);
        masked_store(em, p, row(o->s[1], q));
        return true;
      }
    }
    if constexpr (S == Space::flat) {
      if (c.p == nullptr) return false;
      if (!Saddr && ballot((row(o->s[3], q) >> 16) != 0u) & em) return false;
    }
    if (S == Space::lds && c.p == nullptr) return false;
    for (uint32_t e = em; e; e &= e - 1) {
      int lane = q * kLanes + __builtin_ctz(e);
      char* p;
      if constexpr (S == Space::lds)
        p = reinterpret_cast<char*>(wave()->group->lds) + static_cast<uint64_t>(cell(o->s[0], lane)) + static_cast<uint32_t>(o->imm);
      else p = reinterpret_cast<char*>(address64(lane));
      if constexpr (is_u32(E)) {
        for (int j = 0; j < N; ++j) {
          uint32_t x = cell(o->s[1] + layout::kRow * j, lane);
          __builtin_memcpy(p + 4 * j, &x, 4);
        }
      } else {
        uint32_t x = cell(o->s[1], lane) >> (elem_high(E) ? 16 : 0);
        __builtin_memcpy(p, &x, elem_bytes(E));
      }
    }
    return true;
  }
  template <Space S, Elem E, int N> BZ_AI void store_slow(int q, Bits em) {
    for (uint32_t e = em; e; e &= e - 1) {
      int lane = q * kLanes + __builtin_ctz(e);
      constexpr unsigned kBytes = is_u32(E) ? 4 * N : elem_bytes(E);
      LanePtr p = pointer<S>(lane, kBytes);
      if (halted) return;
      if constexpr (is_u32(E)) {
        for (int j = 0; j < N; ++j) p.write(4 * static_cast<unsigned>(j), 4, cell(o->s[1] + layout::kRow * j, lane));
      } else {
        p.write(0, elem_bytes(E), cell(o->s[1], lane) >> (elem_high(E) ? 16 : 0));
      }
    }
  }
  template <Space S, Elem E, int N> BZ_AI void store_n() {
    note_access();
    if (gds_refused()) return;
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
      store_slow<S, E, N>(q, em);
      if (halted) return;
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
    uint64_t base = (wave()->sgpr[layout::kM0] & 0xffffu) + static_cast<uint64_t>(static_cast<int64_t>(o->imm));
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
      uint64_t data = value(o->s[1]), other = 0, old = 0;
      if constexpr (kTwo) {
        other = value(S == Space::lds ? o->s[2] : o->s[1] + layout::kRow * kDwords);
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
        cell(o->d, lane) = static_cast<uint32_t>(old);
        if (kDwords == 2) cell(o->d + layout::kRow, lane) = static_cast<uint32_t>(old >> 32);
      }
    });
  }

  // Two elements of n dwords at offset0 and offset1 (imm and aux), in units of `stride` bytes.
  BZ_AI LanePtr ds_second(int lane, bool second, int stride) const {
    uint32_t unit = second ? o->aux : static_cast<uint32_t>(o->imm);
    return lds_ptr(static_cast<uint64_t>(cell(o->s[0], lane)) + unit * static_cast<uint32_t>(stride));
  }
  template <int N> BZ_AI bool ds_pair_fast(bool is_load, int q, Bits em, int stride) {
    // Contiguous: lanes 4 * N bytes apart, everything in bounds.
    if (!Full && em != kAllLanes) return false;
    VU lo = row(o->s[0], q);
    uint64_t limit = wave()->group->lds_bytes, far = o->aux > o->imm ? o->aux : static_cast<uint32_t>(o->imm);
    uint64_t need = far * static_cast<unsigned>(stride) + 4 * N;
    if (limit < need || ballot(lo <= static_cast<uint32_t>(limit - need)) != kAllLanes) return false;
    VU delta = lo - lo[0];
    bool uniform = ballot(delta == 0u) == kAllLanes;
    if (!uniform && ballot(delta == iota() * static_cast<uint32_t>(4 * N)) != kAllLanes) return false;
    char* base = reinterpret_cast<char*>(wave()->group->lds) + lo[0];
    char* p[2] = {base + static_cast<uint32_t>(o->imm) * static_cast<unsigned>(stride), base + o->aux * static_cast<unsigned>(stride)};
    if (is_load) {
      VU r[2 * N];
      if (uniform) {
        for (int j = 0; j < 2 * N; ++j) r[j] = VU(get<uint32_t>(p[j / N] + 4 * (j % N)));
      } else {
        deinterleave<N>(p[0], r);
        deinterleave<N>(p[1], r + N);
      }
      for (int j = 0; j < 2 * N; ++j) row_at(o->d + layout::kRow * j, q) = r[j];
    } else {
      if (uniform) return false;
      VU r[N];
      for (int i = 0; i < 2; ++i) {
        for (int j = 0; j < N; ++j) r[j] = row(o->s[1 + i] + layout::kRow * j, q);
        interleave<N>(r, p[i]);
      }
    }
    return true;
  }
  BZ_AI void ds_read2(int n, int stride) {
    note_access();
    if (gds_refused()) return;
#pragma clang loop unroll(disable)
    for (int q = 0; q < kChunks; ++q) {
      Bits em = exec_bits(q);
      if (n == 1 ? ds_pair_fast<1>(true, q, em, stride) : ds_pair_fast<2>(true, q, em, stride)) continue;
      for (uint32_t e = em; e; e &= e - 1) {
        int lane = q * kLanes + __builtin_ctz(e);
        LanePtr p0 = ds_second(lane, false, stride), p1 = ds_second(lane, true, stride);
        for (int j = 0; j < n; ++j) {
          cell(o->d + layout::kRow * j, lane) = p0.read(4 * static_cast<unsigned>(j), 4);
          cell(o->d + layout::kRow * (n + j), lane) = p1.read(4 * static_cast<unsigned>(j), 4);
        }
      }
    }
  }
  BZ_AI void ds_write2(int n, int stride) {
    note_access();
    if (gds_refused()) return;
#pragma clang loop unroll(disable)
    for (int q = 0; q < kChunks; ++q) {
      Bits em = exec_bits(q);
      if (n == 1 ? ds_pair_fast<1>(false, q, em, stride) : ds_pair_fast<2>(false, q, em, stride)) continue;
      for (uint32_t e = em; e; e &= e - 1) {
        int lane = q * kLanes + __builtin_ctz(e);
        for (int i = 0; i < 2; ++i) {
          LanePtr p = ds_second(lane, i == 1, stride);
          for (int j = 0; j < n; ++j) p.write(4 * static_cast<unsigned>(j), 4, cell(o->s[1 + i] + layout::kRow * j, lane));
        }
      }
    }
  }
  BZ_AI void ds_wrxchg2(int n, int stride) {
    note_access();
    if (gds_refused()) return;
    for_lanes([&](int lane) {
      uint32_t data[4], old[4];
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < n; ++j) data[i * n + j] = cell(o->s[1 + i] + layout::kRow * j, lane);
      LanePtr p0 = ds_second(lane, false, stride), p1 = ds_second(lane, true, stride);
      for (int i = 0; i < 2; ++i)
        for (int j = 0; j < n; ++j) {
          const LanePtr& p = i ? p1 : p0;
          old[i * n + j] = p.read(4 * static_cast<unsigned>(j), 4);
          p.write(4 * static_cast<unsigned>(j), 4, data[i * n + j]);
        }
      for (int j = 0; j < 2 * n; ++j) cell(o->d + layout::kRow * j, lane) = old[j];
    });
  }
  BZ_AI LanePtr addtid_ptr(int lane) const {
    return lds_ptr((wave()->sgpr[layout::kM0] & 0xffffu) + static_cast<uint64_t>(static_cast<uint32_t>(o->imm)) + 4 * static_cast<unsigned>(lane));
  }
  BZ_AI void ds_addtid_read() {
    if (gds_refused()) return;
    for_lanes([&](int lane) { cell(o->d, lane) = addtid_ptr(lane).read(0, 4); });
  }
  BZ_AI void ds_addtid_write() {
    if (gds_refused()) return;
    for_lanes([&](int lane) { addtid_ptr(lane).write(0, 4, cell(o->s[1], lane)); });
  }
  /// One counter for the wave: M0[15:0] + offset; every active lane gets the old value.
  BZ_AI void ds_append(bool add) {
    if (gds_refused()) return;
    uint32_t n = static_cast<uint32_t>(__builtin_popcountll(wave()->exec()));
    LanePtr p = lds_ptr((wave()->sgpr[layout::kM0] & 0xffffu) + static_cast<uint64_t>(static_cast<uint32_t>(o->imm)));
    uint32_t old = p.read(0, 4);
    p.write(0, 4, add ? old + n : old - n);
    for_lanes([&](int lane) { cell(o->d, lane) = old; });
  }
  BZ_AI void buffer_load_format(int, bool) { stop(Halt::Reason::not_implemented, -1, "format conversion of buffer resources"); }
  BZ_AI void buffer_store_format(int, bool) { stop(Halt::Reason::not_implemented, -1, "format conversion of buffer resources"); }
};

} // namespace bz::exec::BZ_LEVEL_NS
