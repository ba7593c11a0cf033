// Loads, stores and atomics of vector memory rows: per chunk of lanes contiguous, uniform or lane by lane. Owns the choice
// between those forms; must not know address forms (address.hpp) or rows.
#pragma once
#include "exec/interp/address.hpp"
#include "exec/interp/atomics.hpp"

namespace bz::exec::BZ_LEVEL_NS {

/// Direction of a transfer, a template argument of everything that loads and stores alike.
enum class Move { load, store };

template <bool Full, bool Saddr> struct MemoryB : AddressB<Full, Saddr> {
  using Base = AddressB<Full, Saddr>;
  using Base::Base;
  using Base::aux;
  using Base::cell;
  using Base::d;
  using Base::exec_bits;
  using Base::for_lanes;
  using Base::halted;
  using Base::im;
  using Base::lds_ptr;
  using Base::m0_ptr;
  using Base::o;
  using Base::row;
  using Base::row_at;
  using Base::s;
  using Base::w;
  using typename Base::Chunk;
  using typename Base::Pattern;
  template <Elem E, int N> static constexpr unsigned kBytes = is_u32(E) ? 4 * N : elem_bytes(E);

  // ------------------------------------------------------------ registers

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
  template <Elem E> BZ_AI void put_lane(int lane, uint32_t x) {
    uint32_t& r = cell(d, lane);
    if constexpr (elem_keeps(E)) r = elem_high(E) ? (r & 0xffffu) | (x << 16) : (r & 0xffff0000u) | (x & 0xffffu);
    else r = x;
  }
  template <int N> BZ_AI void data_rows(int q, VU* r) const {
    for (int j = 0; j < N; ++j) r[j] = row(s[1] + layout::kRow * j, q);
  }

  // ------------------------------------------------------------ one chunk

  /// All lanes on, contiguous memory.
  template <Move M, Elem E, int N> BZ_AI void contiguous(int q, char* p) {
    if constexpr (is_u32(E)) {
      VU r[N];
      if constexpr (M == Move::load) {
        load_rows<N>(p, r);
        for (int j = 0; j < N; ++j) row_at(d + layout::kRow * j, q) = r[j];
      } else {
        data_rows<N>(q, r);
        store_rows<N>(p, r);
      }
    } else {
      using Cells = std::conditional_t<elem_bytes(E) == 1, VU8, VU16>;
      if constexpr (M == Move::load) {
        VU x = __builtin_convertvector(load_vector<Cells>(p), VU);
        constexpr int kUp = 32 - 8 * static_cast<int>(elem_bytes(E));
        if constexpr (elem_signed(E)) x = __builtin_bit_cast(VU, __builtin_bit_cast(VI, x << kUp) >> kUp);
        put_elem<E>(q, kAllLanes, x);
      } else {
        store_vector(p, __builtin_convertvector(row(s[1], q) >> (elem_high(E) ? 16u : 0u), Cells));
      }
    }
  }
  /// Some lanes, contiguous memory of whole dwords: the others are not touched.
  template <Move M, int N> BZ_AI void contiguous_masked(int q, Bits em, char* p) {
    p -= 4 * N * __builtin_ctz(em);
    VU r[N], v[N];
    if constexpr (M == Move::load) {
      for (int j = 0; j < N; ++j) v[j] = masked_load(dword_mask<N>(em, j), p + 4 * kLanes * j, VU(0u));
      deinterleave<N>(v, r);
      for (int j = 0; j < N; ++j) put(d + layout::kRow * j, q, em, r[j]);
    } else {
      data_rows<N>(q, r);
      interleave<N>(r, v);
      for (int j = 0; j < N; ++j) masked_store(dword_mask<N>(em, j), p + 4 * kLanes * j, v[j]);
    }
  }
  /// Loads only: every lane reads one place.
  template <Elem E, int N> BZ_AI void uniform(int q, Bits em, const char* p) {
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
  template <Move M, Space S, Elem E, int N> BZ_AI bool fast(int q, Bits em) {
    Chunk c = this->template chunk<S>(q, em, kBytes<E, N>, kBytes<E, N>);
    if (__builtin_expect(c.pattern == Pattern::contiguous, 1)) {
      if (em == kAllLanes) {
        contiguous<M, E, N>(q, c.p);
        return true;
      }
      if constexpr (is_u32(E) && N != 3) {
        contiguous_masked<M, N>(q, em, c.p);
        return true;
      }
    }
    if (M == Move::load && c.pattern == Pattern::uniform) {
      uniform<E, N>(q, em, c.p);
      return true;
    }
    return false;
  }
  /// Private memory at one offset for all lanes.
  template <Move M, Space S, int N> BZ_AI bool at_one_offset(int q, Bits em) {
    char* p = this->template private_rows<S>(q, em, 4 * N);
    if (!p) return false;
    for (int j = 0; j < N; ++j) {
      auto* r = reinterpret_cast<VRow*>(p + 256 * j);
      if constexpr (M == Move::load) {
        put(d + layout::kRow * j, q, em, VU(*r));
      } else {
        VU x = row(s[1] + layout::kRow * j, q);
        *r = Full ? x : blend(mask_of(em).v, x, VU(*r));
      }
    }
    return true;
  }
  template <class F> BZ_AI static void each_lane(Bits em, F f) {
    if (em == kAllLanes) {
#pragma clang loop unroll(full)
      for (int k = 0; k < kLanes; ++k) f(k);
    } else {
      for (uint32_t e = em; e; e &= e - 1) f(__builtin_ctz(e));
    }
  }
  /// Lane by lane, at addresses that need no checks. Elements of several dwords are collected and transposed.
  template <Move M, Elem E, int N> BZ_AI void plain_lanes(int q, Bits em, const uint64_t* a, uint32_t offset = 0) {
    constexpr uint32_t kSize = kBytes<E, N>;
    auto at = [&](int k) { return reinterpret_cast<char*>(a[k]) + offset; };
    if constexpr (is_u32(E) && (N == 2 || N == 4)) {
      alignas(64) char all[kLanes * kSize];
      VU r[N];
      if constexpr (M == Move::store) {
        data_rows<N>(q, r);
        store_rows<N>(all, r);
      }
      each_lane(em, [&](int k) {
        if constexpr (M == Move::load) __builtin_memcpy(all + kSize * static_cast<unsigned>(k), at(k), kSize);
        else __builtin_memcpy(at(k), all + kSize * static_cast<unsigned>(k), kSize);
      });
      if constexpr (M == Move::load) {
        load_rows<N>(all, r);
        for (int j = 0; j < N; ++j) put(d + layout::kRow * j, q, em, r[j]);
      }
    } else {
      each_lane(em, [&](int k) {
        int lane = q * kLanes + k;
        uint32_t x[N] = {};
        if constexpr (M == Move::load) {
          __builtin_memcpy(x, at(k), kSize);
          if constexpr (!is_u32(E)) put_lane<E>(lane, extend(E, x[0]));
          else
            for (int j = 0; j < N; ++j) cell(d + layout::kRow * j, lane) = x[j];
        } else {
          for (int j = 0; j < N; ++j) x[j] = cell(s[1] + layout::kRow * j, lane);
          if constexpr (elem_high(E)) x[0] >>= 16;
          __builtin_memcpy(at(k), x, kSize);
        }
      });
    }
  }
  /// Lane by lane, any pattern. A function of its own, so that the handler keeps few registers; false: halted.
  template <Move M, Space S, Elem E, int N> __attribute__((noinline)) static bool lanes(const Op* o, char* w, int q, uint32_t em) {
    MemoryB<false, Saddr> m(o, w);
    m.template open<S>();
    uint64_t a[kLanes];
    if (m.template plain_addresses<S>(q, static_cast<Bits>(em), kBytes<E, N>, a)) {
      m.template plain_lanes<M, E, N>(q, static_cast<Bits>(em), a);
      return true;
    }
    for (; em; em &= em - 1) {
      int lane = q * kLanes + __builtin_ctz(em);
      LanePtr p = m.template pointer<S>(lane, kBytes<E, N>);
      if (m.halted) return false;
      if constexpr (is_u32(E)) {
        bool plain = p.p != nullptr && !p.pitch && p.bytes >= kBytes<E, N>;
        uint32_t x[N];
        if constexpr (M == Move::load) {
          if (__builtin_expect(plain, 1)) __builtin_memcpy(x, p.p, kBytes<E, N>);
          else
            for (unsigned j = 0; j < N; ++j) x[j] = p.read(4 * j, 4);
          for (int j = 0; j < N; ++j) m.cell(m.d + layout::kRow * j, lane) = x[j];   // may be this lane's address
        } else {
          for (int j = 0; j < N; ++j) x[j] = m.cell(m.s[1] + layout::kRow * j, lane);
          if (__builtin_expect(plain, 1)) __builtin_memcpy(p.p, x, kBytes<E, N>);
          else
            for (unsigned j = 0; j < N; ++j) p.write(4 * j, 4, x[j]);
        }
      } else if constexpr (M == Move::load) {
        m.template put_lane<E>(lane, extend(E, p.read(0, elem_bytes(E))));
      } else {
        p.write(0, elem_bytes(E), m.cell(m.s[1], lane) >> (elem_high(E) ? 16 : 0));
      }
    }
    return true;
  }

  // ------------------------------------------------------------ the wave

  template <Move M, Space S, Elem E, int N> BZ_AI void chunks() {
#pragma clang loop unroll(disable)
    for (int q = 0; q < kChunks; ++q) {
      Bits em = exec_bits(q);
      if (!Full && em == 0) continue;
      if constexpr (Base::template kPatterned<S>) {
        if (__builtin_expect(fast<M, S, E, N>(q, em), 1)) continue;
      }
      if constexpr ((S == Space::scratch || S == Space::buffer) && is_u32(E)) {
        if (at_one_offset<M, S, N>(q, em)) continue;
      }
      if (!lanes<M, S, E, N>(o, w, q, em)) {
        halted = true;
        return;
      }
    }
  }
  /// All lanes on, and no pattern in all of them: each chunk lane by lane.
  template <Move M, Space S, Elem E, int N> __attribute__((noinline)) static bool mixed(const Op* o, char* w) {
    MemoryB<true, Saddr> m(o, w);
    m.template open<S>();
    for (int q = 0; q < kChunks; ++q) {
      uint64_t a[kLanes];
      if (m.template plain_addresses<S>(q, kAllLanes, kBytes<E, N>, a)) m.template plain_lanes<M, E, N>(q, kAllLanes, a);
      else if (!lanes<M, S, E, N>(o, w, q, kAllLanes)) return false;
    }
    return true;
  }
  /// LDS, all lanes on and in bounds, in any order: one dword at each of `Parts` offsets.
  template <Move M, int Parts> __attribute__((noinline)) static void scattered(const Op* o, char* w, char* first, char* second) {
    const char* address = w + o->s[0];
    char* out = w + o->d;
    const char* data[2] = {w + o->s[1], w + o->s[2]};
    char* base[2] = {first, second};
#pragma clang loop unroll_count(8)
    for (int at = 0; at < 4 * 64; at += 4) {
      const uint32_t a = Base::template get<uint32_t>(address + at);
      for (int i = 0; i < Parts; ++i) {
        // A result may lie on the address row: only this lane needs that place, and it has read it.
        if constexpr (M == Move::load) __builtin_memcpy(out + static_cast<int>(layout::kRow) * i + at, base[i] + a, 4);
        else __builtin_memcpy(base[i] + a, data[i] + at, 4);
      }
    }
  }
  template <Move M, Space S, Elem E, int N> BZ_AI void transfer() {
    if (!this->template open<S>()) return;
    if constexpr (Full && Base::template kPatterned<S> && S != Space::buffer) {
      Pattern pattern = this->template wave_pattern<S>(kBytes<E, N>, static_cast<uint64_t>(static_cast<uint32_t>(im)) + kBytes<E, N>);
      if (__builtin_expect(pattern == Pattern::contiguous, 1)) {
        for (int q = 0; q < kChunks; ++q) contiguous<M, E, N>(q, this->template chunk_address<S>(q));
      } else if (M == Move::load && pattern == Pattern::uniform) {
        for (int q = 0; q < kChunks; ++q) uniform<E, N>(q, kAllLanes, this->template chunk_address<S>(q));
      } else if (S == Space::lds && N == 1 && is_u32(E) && pattern == Pattern::scattered) {
        char* p = this->lds + static_cast<uint32_t>(im);
        scattered<M, 1>(o, w, p, p);
      } else {
        halted = !mixed<M, S, E, N>(o, w);
      }
    } else {
      chunks<M, S, E, N>();
    }
  }

  // ------------------------------------------------------------ primitives of the builder

  template <Space S, Elem E, int N> BZ_AI void load() {
    if constexpr (S == Space::buffer) {
      if (__builtin_expect(o->mods & (mods::kLds | mods::kTfe), 0)) return load_special<E, N>();
    }
    transfer<Move::load, S, E, N>();
  }
  template <Space S, Elem E, int N> BZ_AI void store() { transfer<Move::store, S, E, N>(); }

  template <Space S, Elem E> BZ_AI void load_to_lds() {
    if (!this->template open<S>()) return;
    for_lanes([&](int lane) {
      LanePtr p = this->template pointer<S>(lane, elem_bytes(E));
      if (halted) return;
      m0_ptr(static_cast<uint32_t>(lane)).write(0, 4, extend(E, p.read(0, elem_bytes(E))));
    });
  }
  /// Buffer loads with the lds bit, or with one more register for the fault status.
  template <Elem E, int N> BZ_AI void load_special() {
    if constexpr (N == 1 && !elem_keeps(E)) {
      if (o->mods & mods::kLds) return load_to_lds<Space::buffer, E>();
    }
    transfer<Move::load, Space::buffer, E, N>();
    no_fault(N);
  }
  /// tfe: the register after the data says what failed; nothing does, since pages that can't be read stop the wave.
  BZ_AI void no_fault(int registers) {
    if (o->mods & mods::kTfe) for_lanes([&](int lane) { cell(d + layout::kRow * registers, lane) = 0; });
  }

  /// FLAT family and MUBUF: data holds the new value, then the compare value. LDS: data0 and data1, compare first.
  template <Space S, isa::AtomicOp Op, isa::AtomicType T, isa::Return R> BZ_AI void atomic() {
    using A = isa::AtomicOp;
    if (!this->template open<S>()) return;
    constexpr uint32_t kDwords = is64(T) ? 2 : 1;
    constexpr bool kTwo = Op == A::cmpswap || Op == A::fcmpswap || Op == A::mskor || Op == A::wrap;
    bool returns = R == isa::Return::yes || (R == isa::Return::by_bit && (o->mods & mods::kReturns));
    for_lanes([&](int lane) {
      LanePtr p = this->template pointer<S>(lane, 4 * kDwords);
      if (halted) return;
      uint64_t data = value<kDwords>(s[1], lane), other = 0;
      if constexpr (kTwo) {
        other = value<kDwords>(S == Space::lds ? s[2] : s[1] + layout::kRow * kDwords, lane);
        if (S == Space::lds && (Op == A::cmpswap || Op == A::fcmpswap)) {
          uint64_t t = data;
          data = other;
          other = t;
        }
      }
      uint64_t old = change<S, Op, T>(p, data, other);
      if (returns) {
        cell(d, lane) = static_cast<uint32_t>(old);
        if (kDwords == 2) cell(d + layout::kRow, lane) = static_cast<uint32_t>(old >> 32);
      }
    });
  }
  template <uint32_t Dwords> BZ_AI uint64_t value(uint32_t off, int lane) const {
    uint64_t x = cell(off, lane);
    if (Dwords == 2) x |= static_cast<uint64_t>(cell(off + layout::kRow, lane)) << 32;
    return x;
  }
  template <uint32_t Dwords> BZ_AI static uint64_t read(const LanePtr& p) {
    uint64_t x = p.read(0, 4);
    if (Dwords == 2) x |= static_cast<uint64_t>(p.read(4, 4)) << 32;
    return x;
  }
  template <uint32_t Dwords> BZ_AI static void write(const LanePtr& p, uint64_t x) {
    p.write(0, 4, static_cast<uint32_t>(x));
    if (Dwords == 2) p.write(4, 4, static_cast<uint32_t>(x >> 32));
  }
  /// One cell changed; its old contents. Out of bounds (all of it or a part): nothing happens, 0 comes back.
  template <Space S, isa::AtomicOp Op, isa::AtomicType T> BZ_AI uint64_t change(const LanePtr& p, uint64_t data, uint64_t other) {
    constexpr uint32_t kDwords = is64(T) ? 2 : 1;
    if (!p.holds(4 * kDwords)) return 0;
    if (!p.pitch) return atomic_cell(p.p, Op, T, data, other, this->template shared<S>(p));
    uint64_t old = read<kDwords>(p);
    write<kDwords>(p, kDwords == 2 ? atomic_new64(old, Op, T, data, other)
                                   : atomic_new32(static_cast<uint32_t>(old), Op, T, static_cast<uint32_t>(data), static_cast<uint32_t>(other)));
    return old;
  }
};

} // namespace bz::exec::BZ_LEVEL_NS
