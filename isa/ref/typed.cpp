// References of the formatted buffer rows: BUFFER_{LOAD,STORE}_FORMAT_*, TBUFFER_*, and of BUFFER_STORE_LDS_DWORD.
// Sources: MI300 ISA 9.1.2 (formats), 9.1.4 (which format, DST_SEL, d16), 9.1.5.1 (range: all or nothing), 9.1.8 (resource);
// Vega ISA 8.1.8 (LDS); rounding and saturation as docs/fidelity.md has them ("Texels").
#include "isa/ref/families.hpp"
#include "isa/ref/memory.hpp"
#include "isa/ref/texel.hpp"

#include <deque>
#include <string>

namespace bz::isa::ref {
namespace {

struct Format {
  TexelLayout layout;
  int number;
  int select[4];   ///< as DST_SEL: 0 zero, 1 one, 4..7 component
};

Format format_of(const Machine& m, const Inst& i) {
  Format f{};
  if (i.format == MTBUF) {
    f.layout = layout_of(i.dfmt & 15), f.number = i.nfmt;
    for (int k = 0; k < 4; ++k) f.select[k] = k < f.layout.count ? 4 + k : 0;   // X000, XY00, XYZ0, XYZW
    return f;
  }
  uint32_t w3 = m.sgpr[(operand(i, Field::srsrc)->number + 3u) & 127];
  f.layout = layout_of(w3 >> 15 & 15), f.number = static_cast<int>(w3 >> 12 & 7);
  for (int k = 0; k < 4; ++k) f.select[k] = static_cast<int>(w3 >> (3 * k) & 7);
  return f;
}

// ---------------------------------------------------------------- rows

/// All or nothing: an element that reaches beyond a raw buffer's end is outside.
Place element_place(const Machine& m, const Inst& i, int lane, size_t bytes) {
  if (buffer_place(m, i, lane, static_cast<int64_t>(bytes) - 1).kind == Place::Kind::none) return {};
  return buffer_place(m, i, lane, 0);
}

/// n components; d16: two a register, or (`high`) one in the upper half.
template <int N, bool D16, bool High> void load(Machine& m, const Inst& i) {
  const Machine before = m;
  Format f = format_of(before, i);
  const Operand* dst = operand(i, Field::vdata);
  uint32_t one = !is_integer(f.number) ? (D16 ? 0x3c00u : 0x3f800000u) : 1u;
  for (int lane = 0; lane < 64; ++lane) {
    if (!before.active(lane)) continue;
    Place p = element_place(before, i, lane, f.layout.bytes());
    uint8_t raw[16] = {};
    if (p.kind != Place::Kind::none) read_bytes(m, p, lane, raw, f.layout.bytes());
    uint32_t value[4];
    for (int k = 0; k < N; ++k) {
      int from = f.select[k] - 4, at = 0;
      for (int c = 0; c < from; ++c) at += f.layout.bits[c];
      if (f.select[k] == 1) value[k] = one;
      else if (from < 0 || from >= f.layout.count || p.kind == Place::Kind::none) value[k] = 0;
      else value[k] = loaded(field(raw, at, f.layout.bits[from]), f.layout.bits[from], f.number, D16);
    }
    if (i.lds) {   // one dword, to LDS
      uint64_t to = (before.sgpr[kM0] & 0xffff) + static_cast<uint64_t>(i.offset) + 4u * static_cast<unsigned>(lane);
      write_bytes(m, {Place::Kind::lds, to}, lane, reinterpret_cast<uint8_t*>(value), 4);
    } else if (High) {
      uint32_t& v = vreg(m, *dst, 0, lane);
      v = (v & 0xffff) | value[0] << 16;
    } else if (D16) {
      for (int k = 0; k < N; k += 2) vreg(m, *dst, k / 2, lane) = value[k] | (k + 1 < N ? value[k + 1] << 16 : 0);
    } else {
      for (int k = 0; k < N; ++k) vreg(m, *dst, k, lane) = value[k];
    }
    if (i.tfe) vreg(m, *dst, D16 ? (N + 1) / 2 : N, lane) = 0;   // nothing failed
  }
}

/// A component that several registers are selected for takes the first; one that none is selected for becomes 0.
template <int N, bool D16, bool High> void store(Machine& m, const Inst& i) {
  const Machine before = m;
  auto& bm = const_cast<Machine&>(before);
  Format f = format_of(before, i);
  for (int lane = 0; lane < 64; ++lane) {
    if (!before.active(lane)) continue;
    Place p = element_place(before, i, lane, f.layout.bytes());
    if (p.kind == Place::Kind::none) continue;
    uint8_t raw[16] = {};
    for (int c = 0, at = 0; c < f.layout.count; at += f.layout.bits[c++])
      for (int k = N - 1; k >= 0; --k) {
        if (f.select[k] != 4 + c) continue;
        uint32_t x = vreg(bm, *operand(i, Field::vdata), D16 ? k / 2 : k, lane);
        if (D16) x = (k & 1) || High ? x >> 16 : x & 0xffff;
        set_field(raw, at, f.layout.bits[c], stored(x, f.layout.bits[c], f.number, D16));
      }
    write_bytes(m, p, lane, raw, f.layout.bytes());
  }
}

/// A dword of LDS for each lane, at M0 + offset + 4 * lane, to the buffer.
void store_lds(Machine& m, const Inst& i) {
  const Machine before = m;
  for (int lane = 0; lane < 64; ++lane) {
    if (!before.active(lane)) continue;
    uint8_t raw[4];
    uint64_t from = (before.sgpr[kM0] & 0xffff) + static_cast<uint64_t>(i.offset) + 4u * static_cast<unsigned>(lane);
    read_bytes(m, {Place::Kind::lds, from}, lane, raw, 4);
    write_bytes(m, buffer_place(before, i, lane, 0), lane, raw, 4);
  }
}

template <int N> void rows(std::deque<std::string>& names, std::vector<Entry>& entries, const char* components) {
  auto one = [&](std::string name, WaveFn f) {
    names.push_back(std::move(name));
    entries.push_back({names.back().c_str(), nullptr, nullptr, f});
  };
  for (std::string prefix : {"buffer_", "tbuffer_"}) {
    one(prefix + "load_format_" + components, load<N, false, false>);
    one(prefix + "store_format_" + components, store<N, false, false>);
    one(prefix + "load_format_d16_" + components, load<N, true, false>);
    one(prefix + "store_format_d16_" + components, store<N, true, false>);
  }
  if (N == 1) one("buffer_load_format_d16_hi_x", load<1, true, true>), one("buffer_store_format_d16_hi_x", store<1, true, true>);
}

} // namespace

void register_typed() {
  static const bool done = [] {
    auto* names = new std::deque<std::string>;
    auto* entries = new std::vector<Entry>;
    rows<1>(*names, *entries, "x"), rows<2>(*names, *entries, "xy"), rows<3>(*names, *entries, "xyz"), rows<4>(*names, *entries, "xyzw");
    entries->push_back({"buffer_store_lds_dword", nullptr, nullptr, store_lds});
    add(entries->data(), entries->size());
    return true;
  }();
  (void)done;
}

} // namespace bz::isa::ref
