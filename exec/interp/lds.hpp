// DS rows beyond plain loads, stores and atomics, and global wave sync. Works on LDS or, with the gds bit, on the global data
// share. Must not know rows.
#pragma once
#include "exec/interp/memory.hpp"

namespace bz::exec::BZ_LEVEL_NS {

template <bool Full, bool Saddr> struct LdsB : MemoryB<Full, Saddr> {
  using Base = MemoryB<Full, Saddr>;
  using Base::Base;
  using Base::aux;
  using Base::cell;
  using Base::d;
  using Base::exec_bits;
  using Base::for_lanes;
  using Base::im;
  using Base::lds;
  using Base::lds_ptr;
  using Base::m0_ptr;
  using Base::o;
  using Base::row;
  using Base::row_at;
  using Base::s;
  using Base::w;
  using Base::wave;
  using typename Base::Pattern;

  // Two elements of n dwords at offset0 and offset1 (imm and aux), in units of `stride` bytes.
  BZ_AI LanePtr ds_second(int lane, bool second, int stride) const {
    uint32_t unit = second ? aux : static_cast<uint32_t>(im);
    return lds_ptr(static_cast<uint32_t>(cell(s[0], lane) + unit * static_cast<uint32_t>(stride)));
  }
  /// A whole wave with all lanes on, contiguous or (loads) uniform in every chunk.
  template <Move M, int N> BZ_AI bool ds_pair_fast(int stride) {
    if constexpr (!Full) return false;
    uint32_t first = static_cast<uint32_t>(im) * static_cast<uint32_t>(stride), second = aux * static_cast<uint32_t>(stride);
    Pattern pattern = this->template wave_pattern<Space::lds>(4 * N, uint64_t{first > second ? first : second} + 4 * N);
    if (N == 1 && pattern == Pattern::scattered) {
      this->template scattered<M, 2>(o, w, lds + first, lds + second);
      return true;
    }
    if (pattern == Pattern::other || pattern == Pattern::scattered || (pattern == Pattern::uniform && M == Move::store)) return false;
    for (int q = 0; q < kChunks; ++q) {
      char* base = lds + cell(s[0], q * kLanes);
      char* p[2] = {base + first, base + second};
      VU r[2 * N];
      if constexpr (M == Move::store) {
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
        for (int j = 0; j < 2 * N; ++j) r[j] = VU(Base::template get<uint32_t>(p[j / N] + 4 * (j % N)));
      }
      for (int j = 0; j < 2 * N; ++j) row_at(d + layout::kRow * j, q) = r[j];
    }
    return true;
  }
  /// Any other case, chunk after chunk: lane by lane at both offsets.
  template <Move M, int N> __attribute__((noinline)) static void ds_pair_slow(const Op* o, char* w, int stride) {
    const uint32_t offset[2] = {static_cast<uint32_t>(o->imm * stride), static_cast<uint32_t>(o->aux * stride)};
    Op half = *o;
    // The first result may lie on the address.
    if (M == Move::load && o->s[0] >= o->d && o->s[0] < o->d + layout::kRow * N) {
      half.s[0] = layout::kTemp;
      __builtin_memcpy(w + layout::kTemp, w + o->s[0], layout::kRow);
    }
    LdsB<false, false> m(o, w);
    m.template open<Space::lds>();
    m.im = 0;
    for (int q = 0; q < kChunks; ++q) {
      const Bits em = m.exec_bits(q);
      uint64_t a[kLanes];
      if (em == 0) continue;
      const uint32_t reach = (offset[0] > offset[1] ? offset[0] : offset[1]) + 4 * N;
      // With all lanes on there was no pattern, or this function would not be called.
      Pattern pattern = Pattern::other;
      char* p = nullptr;
      if constexpr (!Full) {
        auto c = m.template chunk<Space::lds>(q, em, 4 * N, reach);
        pattern = c.pattern, p = c.p;
      }
      const bool plain = pattern != Pattern::contiguous && m.template plain_addresses<Space::lds>(q, em, reach, a);
      for (uint32_t i = 0; i < 2; ++i) {
        half.imm = static_cast<int32_t>(offset[i]);
        half.d = m.d = o->d + layout::kRow * N * i;
        half.s[1] = m.s[1] = o->s[1 + i];
        if (pattern == Pattern::contiguous) {
          m.template contiguous_masked<M, N>(q, em, p + offset[i]);
        } else if (plain) {
          m.template plain_lanes<M, Elem::u32, N>(q, em, a, offset[i]);
        } else {
          Base::template lanes<M, Space::lds, Elem::u32, N>(&half, w, q, em);
          m.wave()->cur = o;
        }
      }
    }
  }
  template <Move M, int N> BZ_AI void ds_pair(int stride) {
    if (!this->template open<Space::lds>()) return;
    if (!ds_pair_fast<M, N>(stride)) ds_pair_slow<M, N>(o, w, stride);
  }
  BZ_AI void ds_read2(int n, int stride) { n == 1 ? ds_pair<Move::load, 1>(stride) : ds_pair<Move::load, 2>(stride); }
  BZ_AI void ds_write2(int n, int stride) { n == 1 ? ds_pair<Move::store, 1>(stride) : ds_pair<Move::store, 2>(stride); }
  BZ_AI void ds_wrxchg2(int n, int stride) {
    if (!this->template open<Space::lds>()) return;
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
  BZ_AI void ds_addtid_read() {
    if (!this->template open<Space::lds>()) return;
    for_lanes([&](int lane) { cell(d, lane) = m0_ptr(static_cast<uint32_t>(lane)).read(0, 4); });
  }
  BZ_AI void ds_addtid_write() {
    if (!this->template open<Space::lds>()) return;
    for_lanes([&](int lane) { m0_ptr(static_cast<uint32_t>(lane)).write(0, 4, cell(s[1], lane)); });
  }
  /// One counter for the wave; every active lane gets the old value.
  template <isa::AtomicOp Op> BZ_AI void ds_append() {
    if (!this->template open<Space::lds>()) return;
    auto n = static_cast<uint32_t>(__builtin_popcountll(wave()->exec()));
    auto old = static_cast<uint32_t>(this->template change<Space::lds, Op, isa::AtomicType::b32>(m0_ptr(0), n, 0));
    for_lanes([&](int lane) { cell(d, lane) = old; });
  }
  /// The second operand is memory too: A = the address, B = A and a distance in dwords, which the offset holds or, if its top
  /// bit is set, the address above its 17 bits.
  template <isa::AtomicOp Op, isa::AtomicType T> BZ_AI void ds_src2() {
    if (!this->template open<Space::lds>()) return;
    constexpr uint32_t kSize = is64(T) ? 8 : 4;
    auto offset = static_cast<uint32_t>(im);
    for_lanes([&](int lane) {
      uint32_t a = cell(s[0], lane);
      int32_t distance = offset & 0x8000 ? static_cast<int32_t>(a) >> 17 : static_cast<int32_t>(offset << 17) >> 17;
      if (offset & 0x8000) a &= 0x1ffff;
      a &= ~(kSize - 1);
      uint64_t b = static_cast<uint64_t>(int64_t{a} + 4 * int64_t{distance}) & ~uint64_t{kSize - 1};
      this->template change<Space::lds, Op, T>(lds_ptr(a), Base::template read<kSize / 4>(lds_ptr(b)), 0);
    });
  }
  /// Two dwords side by side; each is replaced by 31 bits of its data if the data's top bit says so.
  BZ_AI void ds_condxchg() {
    if (!this->template open<Space::lds>()) return;
    for_lanes([&](int lane) {
      uint64_t at = (static_cast<uint64_t>(cell(s[0], lane)) + static_cast<uint32_t>(im)) & 0xfff8;
      uint32_t data[2] = {cell(s[1], lane), cell(s[1] + layout::kRow, lane)};
      for (uint32_t j = 0; j < 2; ++j) {
        LanePtr p = lds_ptr(at + 4 * j);
        bool exchange = data[j] >> 31;
        auto old = exchange ? static_cast<uint32_t>(this->template change<Space::lds, isa::AtomicOp::swap, isa::AtomicType::b32>(p, data[j] & 0x7fffffff, 0))
                            : p.read(0, 4);
        cell(d + layout::kRow * j, lane) = old;
      }
    });
  }

  // ------------------------------------------------------------ global wave sync

  /// False: the wave waits, and the operation is to be tried again.
  BZ_AI void gws(isa::Gws what) {
    uint32_t m0 = wave()->sgpr[layout::kM0], resource = (m0 >> 16 & 63) + static_cast<uint32_t>(im);
    uint64_t e = wave()->exec();
    uint32_t value = what == isa::Gws::init || what == isa::Gws::barrier || what == isa::Gws::sema_br ? cell(s[1], e ? __builtin_ctzll(e) : 0) : 0;
    wave()->jump_target = wave()->group->share->sync(what, resource & 63, value, wave()->gws_ticket);
  }
};

} // namespace bz::exec::BZ_LEVEL_NS
