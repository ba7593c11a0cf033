// References of the formatted buffer rows: BUFFER_{LOAD,STORE}_FORMAT_*, TBUFFER_*, and of BUFFER_STORE_LDS_DWORD.
// Sources: MI300 ISA 9.1.2 (formats), 9.1.4 (which format, DST_SEL, d16), 9.1.5.1 (range: all or nothing), 9.1.8 (resource);
// Vega ISA 8.1.8 (LDS); rounding and saturation as docs/fidelity.md has them ("Texels").
#include "isa/ref/families.hpp"
#include "isa/ref/memory.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <deque>
#include <string>

namespace bz::isa::ref {
namespace {

enum Number { unorm = 0, snorm = 1, uscaled = 2, sscaled = 3, uint = 4, sint = 5, real = 7 };

/// Widths of the components from the lowest bit on; names of formats go the other way (2_10_10_10 has two bits on top).
struct Layout {
  int count;
  int bits[4];
};
constexpr Layout kLayouts[16] = {
    {0, {}}, {1, {8}}, {1, {16}}, {2, {8, 8}}, {1, {32}}, {2, {16, 16}}, {3, {11, 11, 10}}, {3, {10, 11, 11}},
    {4, {2, 10, 10, 10}}, {4, {10, 10, 10, 2}}, {4, {8, 8, 8, 8}}, {2, {32, 32}}, {4, {16, 16, 16, 16}}, {3, {32, 32, 32}},
    {4, {32, 32, 32, 32}}, {0, {}}};

struct Format {
  Layout layout;
  int number;
  int select[4];   ///< as DST_SEL: 0 zero, 1 one, 4..7 component
  size_t bytes() const {
    int sum = 0;
    for (int k = 0; k < layout.count; ++k) sum += layout.bits[k];
    return static_cast<size_t>(sum) / 8;
  }
};

bool is_integer(int number) { return number == uint || number == sint; }

Format format_of(const Machine& m, const Inst& i) {
  Format f{};
  if (i.format == MTBUF) {
    f.layout = kLayouts[i.dfmt & 15], f.number = i.nfmt;
    for (int k = 0; k < 4; ++k) f.select[k] = k < f.layout.count ? 4 + k : 0;   // X000, XY00, XYZ0, XYZW
    return f;
  }
  uint32_t w3 = m.sgpr[(operand(i, Field::srsrc)->number + 3u) & 127];
  f.layout = kLayouts[w3 >> 15 & 15], f.number = static_cast<int>(w3 >> 12 & 7);
  for (int k = 0; k < 4; ++k) f.select[k] = static_cast<int>(w3 >> (3 * k) & 7);
  return f;
}

/// Bits [at, at + n) of up to 16 bytes.
uint32_t field(const uint8_t* raw, int at, int n) {
  uint64_t x = 0;
  for (int b = 0; b < n; ++b) x |= uint64_t{static_cast<unsigned>(raw[(at + b) / 8]) >> ((at + b) & 7) & 1u} << b;
  return static_cast<uint32_t>(x);
}
void set_field(uint8_t* raw, int at, int n, uint32_t x) {
  for (int b = 0; b < n; ++b) {
    uint8_t one = static_cast<uint8_t>(1u << ((at + b) & 7));
    raw[(at + b) / 8] = static_cast<uint8_t>((raw[(at + b) / 8] & ~one) | (x >> b & 1 ? one : 0));
  }
}

// ---------------------------------------------------------------- small floats: five bits of exponent, `mant` of fraction

/// Rounded to the nearest even. `sign` = whether the format has one: without, what is negative becomes 0.
uint32_t encode(double x, uint32_t nan_fraction, int mant, bool sign) {
  uint32_t s = std::signbit(x) && sign ? 1u << (mant + 5) : 0;
  if (std::isnan(x)) return s | 31u << mant | nan_fraction;
  if (std::signbit(x) && !sign) return 0;
  x = std::fabs(x);
  if (std::isinf(x)) return s | 31u << mant;
  int e = 0;
  std::frexp(x, &e);                                   // x = [0.5, 1) * 2^e
  e = std::max(e - 1, -14);                            // exponent of the leading bit, or the denormals'
  double units = std::nearbyint(std::ldexp(x, mant - e));
  auto n = static_cast<uint64_t>(units);
  uint64_t r = (static_cast<uint64_t>(e + 14) << mant) + n;   // the leading bit adds one to the exponent
  if (n < (1u << mant) && e == -14) r = n;
  return s | static_cast<uint32_t>(std::min<uint64_t>(r, 31u << mant));
}
double decode(uint32_t x, int mant, bool sign) {
  uint32_t e = x >> mant & 31, f = x & ((1u << mant) - 1);
  double r = e == 31 ? (f ? NAN : INFINITY) : e ? std::ldexp(1.0 + std::ldexp(f, -mant), static_cast<int>(e) - 15) : std::ldexp(f, -14 - mant);
  return sign && (x >> (mant + 5) & 1) ? -r : r;
}
/// The same number as a single; a NaN keeps its fraction.
uint32_t to_single(uint32_t x, int mant, bool sign) {
  uint32_t s = sign ? x >> (mant + 5) << 31 : 0;
  if ((x >> mant & 31) == 31) return s | 0x7f800000u | (x & ((1u << mant) - 1)) << (23 - mant);
  return std::bit_cast<uint32_t>(static_cast<float>(decode(x, mant, sign)));
}
/// A single in fewer digits. A NaN keeps its upper digits, and stays one.
uint32_t from_single(uint32_t x, int mant, bool sign) {
  uint32_t fraction = (x & 0x7fffff) >> (23 - mant);
  return encode(std::bit_cast<float>(x), fraction ? fraction : 1u << (mant - 1), mant, sign);
}

// ---------------------------------------------------------------- one component

int64_t signed_of(uint32_t raw, int bits) { return static_cast<int64_t>(uint64_t{raw} << (64 - bits)) >> (64 - bits); }

/// What a load makes of a component; 16: for half a register.
uint32_t loaded(uint32_t raw, int bits, int number, bool d16) {
  if (is_integer(number)) {
    int64_t v = number == sint ? signed_of(raw, bits) : raw;
    if (d16) v = number == sint ? std::clamp<int64_t>(v, -32768, 32767) : std::min<int64_t>(v, 65535);
    return static_cast<uint32_t>(v) & (d16 ? 0xffffu : ~0u);
  }
  if (number == real) {
    int mant = bits == 32 ? 23 : bits == 16 ? 10 : bits - 5;
    uint32_t single = bits == 32 ? raw : to_single(raw, mant, bits == 16);
    if (!d16) return single;
    return bits == 16 ? raw : from_single(single, 10, true);
  }
  double v;
  if (number == unorm) v = raw / (std::ldexp(1.0, bits) - 1);
  else if (number == snorm) v = std::max(static_cast<double>(signed_of(raw, bits)) / (std::ldexp(1.0, bits - 1) - 1), -1.0);
  else if (number == uscaled) v = raw;
  else v = static_cast<double>(signed_of(raw, bits));
  return d16 ? encode(v, 0, 10, true) : std::bit_cast<uint32_t>(static_cast<float>(v));
}

/// What a store makes of a register (or half of one).
uint32_t stored(uint32_t x, int bits, int number, bool d16) {
  uint64_t top = (uint64_t{1} << bits) - 1;
  if (number == uint) return static_cast<uint32_t>(std::min<uint64_t>(x, top));
  if (number == sint) {
    int64_t v = d16 ? static_cast<int16_t>(x) : static_cast<int32_t>(x), half = int64_t{1} << (bits - 1);
    return static_cast<uint32_t>(std::clamp(v, -half, half - 1)) & static_cast<uint32_t>(top);
  }
  uint32_t single = d16 ? to_single(x, 10, true) : x;
  if (number == real) {
    if (bits == 32) return single;
    return bits == 16 && d16 ? x : from_single(single, bits == 16 ? 10 : bits - 5, bits == 16);
  }
  double v = std::bit_cast<float>(single), half = std::ldexp(1.0, bits - 1), all = std::ldexp(1.0, bits);
  if (std::isnan(v)) return 0;
  if (number == unorm) v = std::clamp(v, 0.0, 1.0) * (all - 1);
  else if (number == snorm) v = std::clamp(v, -1.0, 1.0) * (half - 1);
  else if (number == uscaled) v = std::clamp(v, 0.0, all - 1);
  else v = std::clamp(v, -half, half - 1);
  return static_cast<uint32_t>(static_cast<int64_t>(std::nearbyint(v))) & static_cast<uint32_t>(top);
}

// ---------------------------------------------------------------- rows

/// n components; d16: two a register, or (`high`) one in the upper half.
template <int N, bool D16, bool High> void load(Machine& m, const Inst& i) {
  const Machine before = m;
  Format f = format_of(before, i);
  const Operand* dst = operand(i, Field::vdata);
  uint32_t one = !is_integer(f.number) ? (D16 ? 0x3c00u : 0x3f800000u) : 1u;
  for (int lane = 0; lane < 64; ++lane) {
    if (!before.active(lane)) continue;
    Place p = buffer_place(before, i, lane, 0);
    uint8_t raw[16] = {};
    if (p.kind != Place::Kind::none) read_bytes(m, p, lane, raw, f.bytes());
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
  }
}

/// A component that several registers are selected for takes the first; one that none is selected for becomes 0.
template <int N, bool D16, bool High> void store(Machine& m, const Inst& i) {
  const Machine before = m;
  auto& bm = const_cast<Machine&>(before);
  Format f = format_of(before, i);
  for (int lane = 0; lane < 64; ++lane) {
    if (!before.active(lane)) continue;
    Place p = buffer_place(before, i, lane, 0);
    if (p.kind == Place::Kind::none) continue;
    uint8_t raw[16] = {};
    for (int c = 0, at = 0; c < f.layout.count; at += f.layout.bits[c++])
      for (int k = N - 1; k >= 0; --k) {
        if (f.select[k] != 4 + c) continue;
        uint32_t x = vreg(bm, *operand(i, Field::vdata), D16 ? k / 2 : k, lane);
        if (D16) x = (k & 1) || High ? x >> 16 : x & 0xffff;
        set_field(raw, at, f.layout.bits[c], stored(x, f.layout.bits[c], f.number, D16));
      }
    write_bytes(m, p, lane, raw, f.bytes());
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
