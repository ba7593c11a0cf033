// Buffer accesses that convert (load and store "format", MTBUF) and LDS to memory without registers. Owns which format and which
// components; must not know conversions (formats.hpp) or rows.
#pragma once
#include "exec/interp/formats.hpp"
#include "exec/interp/lds.hpp"

namespace bz::exec::BZ_LEVEL_NS {

template <bool Full, bool Saddr> struct TypedB : LdsB<Full, Saddr> {
  using Base = LdsB<Full, Saddr>;
  using Base::Base;
  using Base::aux;
  using Base::buffer;
  using Base::cell;
  using Base::d;
  using Base::for_lanes;
  using Base::halted;
  using Base::m0_ptr;
  using Base::o;
  using Base::s;
  using Base::w;

  /// n components; narrow: 16-bit ones.
  BZ_AI void load_format(int n, isa::Narrow narrow, isa::TexelFrom from) { halted = !typed(o, w, Move::load, n, narrow, from); }
  BZ_AI void store_format(int n, isa::Narrow narrow, isa::TexelFrom from) { halted = !typed(o, w, Move::store, n, narrow, from); }

  BZ_AI void store_lds() {
    if (!this->template open<Space::buffer>()) return;
    for_lanes([&](int lane) {
      LanePtr p = this->template pointer<Space::buffer>(lane, 4);
      if (!halted) p.write(0, 4, m0_ptr(static_cast<uint32_t>(lane)).read(0, 4));
    });
  }

private:
  template <bool, bool> friend struct TypedB;

  __attribute__((noinline)) static bool typed(const Op* o, char* w, Move move, int n, isa::Narrow narrow, isa::TexelFrom from) {
    TypedB<false, false> m(o, w);
    m.template open<Space::buffer>();
    TexelFormat f;
    uint32_t select = 0;
    if (!m.format(from, f, select)) return false;
    m.for_lanes([&](int lane) {
      LanePtr p = m.template pointer<Space::buffer>(lane, f.bytes);
      if (m.halted) return;
      bool inside = f.bytes != 0 && p.holds(f.bytes);   // all of it or nothing
      uint32_t raw[4] = {}, c[4] = {};
      auto each_dword = [&](auto&& use) {
        for (uint32_t i = 0; i < f.bytes; i += 4) use(i, f.bytes - i < 4 ? f.bytes - i : 4u);
      };
      if (move == Move::load) {
        if (inside) {
          each_dword([&](uint32_t i, uint32_t size) { raw[i / 4] = p.read(i, size); });
          if (narrow == isa::Narrow::no) read_texel(f, raw, c);
          else read_texel_d16(f, raw, c);
        }
        uint32_t x[4];
        uint32_t one = narrow == isa::Narrow::no ? f.one() : f.one_d16();
        for (int k = 0; k < n; ++k) {
          uint32_t from = select >> (3 * k) & 7;
          x[k] = from >= 4 ? c[from - 4] : from == 1 ? one : 0;
        }
        m.put_components(lane, n, narrow, x);
      } else if (inside) {
        m.take_components(lane, n, narrow, f, select, c);
        write_texel(f, c, raw);
        each_dword([&](uint32_t i, uint32_t size) { p.write(i, size, raw[i / 4]); });
      }
    });
    if (move == Move::load) m.no_fault(narrow == isa::Narrow::packed ? (n + 1) / 2 : n);
    return !m.halted;
  }
  /// Vega ISA 8.1.4: MUBUF takes format and destination selects from the resource; MTBUF has its own format, and the components
  /// are as they come, zeros where the format has none.
  bool format(isa::TexelFrom from, TexelFormat& f, uint32_t& select) {
    constexpr uint32_t kIdentity = 4 | 5 << 3 | 6 << 6 | 7 << 9;
    uint32_t word3 = Base::template get<uint32_t>(w + s[2] + 12);
    unsigned data = aux & 15, num = aux >> 4;
    select = kIdentity;
    if (from == isa::TexelFrom::resource) {
      data = word3 >> 15 & 15, num = word3 >> 12 & 7;
      select = word3 & 0xfff;
      if (buffer.add_tid) {
        this->stop(Halt::Reason::not_implemented, -1, "a format from a buffer resource whose data format is part of its stride");
        return false;
      }
    }
    if (texel_format(data, num, f)) return true;
    this->stop(Halt::Reason::not_implemented, -1, texel_format_name(data, num));
    return false;
  }
  void put_components(int lane, int n, isa::Narrow narrow, const uint32_t x[4]) {
    auto reg = [&](int j) -> uint32_t& { return cell(d + layout::kRow * static_cast<uint32_t>(j), lane); };
    if (o->mods & mods::kLds) return m0_ptr(static_cast<uint32_t>(lane)).write(0, 4, x[0]);
    switch (narrow) {
    case isa::Narrow::no:
      for (int k = 0; k < n; ++k) reg(k) = x[k];
      break;
    case isa::Narrow::packed:
      for (int k = 0; k < n; k += 2) reg(k / 2) = x[k] | (k + 1 < n ? x[k + 1] << 16 : 0);
      break;
    case isa::Narrow::high: reg(0) = (reg(0) & 0xffff) | x[0] << 16; break;
    }
  }
  /// A component that no register is selected for is 0; of several registers the first counts.
  void take_components(int lane, int n, isa::Narrow narrow, const TexelFormat& f, uint32_t select, uint32_t c[4]) const {
    for (int k = n - 1; k >= 0; --k) {
      uint32_t to = select >> (3 * k) & 7;
      if (to < 4) continue;
      int j = narrow == isa::Narrow::packed ? k / 2 : k;
      uint32_t x = cell(s[1] + layout::kRow * static_cast<uint32_t>(j), lane);
      bool high = narrow == isa::Narrow::high || (narrow == isa::Narrow::packed && k % 2);
      c[to - 4] = narrow == isa::Narrow::no ? x : component_from_d16(f, high ? x >> 16 : x);
    }
  }
};

} // namespace bz::exec::BZ_LEVEL_NS
