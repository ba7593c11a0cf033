// References of FLAT, GLOBAL, SCRATCH, DS and MUBUF rows: addresses, element conversions and atomics, lane after lane.
// Sources: Vega ISA chapters 8 (vector memory), 9 (flat), 10 (LDS); MI300 ISA sections 9.1 and 11.
#include "isa/ref/families.hpp"

#include "isa/ref/memory.hpp"

#include <cmath>
#include <cstring>
#include <map>
#include <string>

namespace bz::isa::ref {

const Operand* operand(const Inst& i, Field f) {
  for (int k = 0; k < i.operand_count; ++k)
    if (i.operands[static_cast<size_t>(k)].field == f) return &i.operands[static_cast<size_t>(k)];
  return nullptr;
}

uint32_t& vreg(Machine& m, const Operand& o, int n, int lane) {
  auto& file = o.kind == Operand::Kind::agpr ? m.agpr : m.vgpr;
  return file[(o.number + static_cast<unsigned>(n)) & 255][static_cast<size_t>(lane)];
}

void read_bytes(Machine& m, Place p, int lane, uint8_t* out, size_t n) {
  std::memset(out, 0, n);
  switch (p.kind) {
  case Place::Kind::host: std::memcpy(out, reinterpret_cast<const void*>(p.at), n); break;
  case Place::Kind::lds:
    if (p.at + n <= m.lds.size()) std::memcpy(out, m.lds.data() + p.at, n);
    break;
  case Place::Kind::scratch:
    for (size_t b = 0; b < n; ++b) {
      uint64_t a = p.at + b, word = a / 4 * 64 + static_cast<unsigned>(lane);
      if (word < m.scratch.size()) out[b] = static_cast<uint8_t>(m.scratch[word] >> (8 * (a & 3)));
    }
    break;
  case Place::Kind::none: break;
  }
}

void write_bytes(Machine& m, Place p, int lane, const uint8_t* in, size_t n) {
  switch (p.kind) {
  case Place::Kind::host: std::memcpy(reinterpret_cast<void*>(p.at), in, n); break;
  case Place::Kind::lds:
    if (p.at + n <= m.lds.size()) std::memcpy(m.lds.data() + p.at, in, n);
    break;
  case Place::Kind::scratch:
    for (size_t b = 0; b < n; ++b) {
      uint64_t a = p.at + b, word = a / 4 * 64 + static_cast<unsigned>(lane);
      if (word >= m.scratch.size()) continue;
      unsigned shift = 8 * (a & 3);
      m.scratch[word] = (m.scratch[word] & ~(0xffu << shift)) | uint32_t{in[b]} << shift;
    }
    break;
  case Place::Kind::none: break;
  }
}

Place buffer_place(const Machine& m, const Inst& i, int lane, int64_t extra) {
  const Operand& rsrc = *operand(i, Field::srsrc);
  uint32_t w[4];
  for (unsigned n = 0; n < 4; ++n) w[n] = m.sgpr[(rsrc.number + n) & 127];
  uint64_t base = w[0] | uint64_t{w[1] & 0xffff} << 32;
  uint32_t stride = w[1] >> 16 & 0x3fff, records = w[2], index_stride = 8u << (w[3] >> 21 & 3);
  constexpr uint32_t kElement = 4;
  bool swizzle = w[1] >> 31, add_tid = w[3] >> 23 & 1;
  if (add_tid) stride |= (w[3] >> 15 & 15) << 14;
  const Operand* va = operand(i, Field::vaddr);
  uint32_t index = add_tid ? static_cast<uint32_t>(lane) : 0, offset = static_cast<uint32_t>(i.offset) + static_cast<uint32_t>(extra);
  int next = 0;
  auto vaddr = [&](int n) { return vreg(const_cast<Machine&>(m), *va, n, lane); };
  if (i.idxen) index += vaddr(next++);
  if (i.offen) offset += vaddr(next);
  const Operand& so = *operand(i, Field::soffset);
  uint32_t soffset = so.kind == Operand::Kind::sgpr ? m.sgpr[so.number] : static_cast<uint32_t>(so.value);
  bool is_private = add_tid && !i.idxen, structured = i.idxen && stride != 0;
  bool out = is_private ? false : structured ? index >= records : offset >= records;
  if (out) return {};
  uint64_t at = uint64_t{index} * stride + offset;
  if (swizzle)
    at = (uint64_t{index / index_stride} * stride + offset / kElement * uint64_t{kElement}) * index_stride +
         index % index_stride * kElement + offset % kElement;
  return {Place::Kind::host, base + soffset + at};
}

namespace {
float half_add(uint16_t a, uint16_t b, bool bf16, uint16_t& out) {
  if (bf16) {
    float x = std::bit_cast<float>(uint32_t{a} << 16) + std::bit_cast<float>(uint32_t{b} << 16);
    uint32_t u = std::bit_cast<uint32_t>(x);
    if (std::isnan(x)) out = static_cast<uint16_t>(u >> 16 | 0x40);
    else out = static_cast<uint16_t>((u + 0x7fff + (u >> 16 & 1)) >> 16);
    return x;
  }
  _Float16 r = std::bit_cast<_Float16>(a) + std::bit_cast<_Float16>(b);
  out = std::bit_cast<uint16_t>(r);
  return 0;
}
} // namespace

uint64_t combine(const char* name, int bits, uint64_t old, uint64_t x, uint64_t y) {
  std::string_view op = name;
  uint64_t mask = bits == 64 ? ~0ull : 0xffffffffull;
  auto sgn = [&](uint64_t v) { return bits == 64 ? static_cast<int64_t>(v) : int64_t{static_cast<int32_t>(v)}; };
  auto f = [&](uint64_t v) { return std::bit_cast<float>(static_cast<uint32_t>(v)); };
  auto d = [&](uint64_t v) { return std::bit_cast<double>(v); };
  auto uf = [](float v) { return uint64_t{std::bit_cast<uint32_t>(v)}; };
  auto ud = [](double v) { return std::bit_cast<uint64_t>(v); };
  x &= mask, y &= mask;
  if (op == "swap") return x;
  if (op == "cmpswap") return old == y ? x : old;
  if (op == "add") return (old + x) & mask;
  if (op == "sub") return (old - x) & mask;
  if (op == "rsub") return (x - old) & mask;
  if (op == "smin") return sgn(x) < sgn(old) ? x : old;
  if (op == "smax") return sgn(x) > sgn(old) ? x : old;
  if (op == "umin") return x < old ? x : old;
  if (op == "umax") return x > old ? x : old;
  if (op == "and") return old & x;
  if (op == "or") return old | x;
  if (op == "xor") return old ^ x;
  if (op == "inc") return old >= x ? 0 : old + 1;
  if (op == "dec") return old == 0 || old > x ? x : old - 1;
  if (op == "mskor") return (old & ~x) | y;
  if (op == "wrap") return old >= x ? (old - x) & mask : (old + y) & mask;
  if (op == "fadd") return bits == 64 ? ud(d(old) + d(x)) : uf(f(old) + f(x));
  if (op == "fmin") return bits == 64 ? ud(std::fmin(d(old), d(x))) : uf(std::fmin(f(old), f(x)));
  if (op == "fmax") return bits == 64 ? ud(std::fmax(d(old), d(x))) : uf(std::fmax(f(old), f(x)));
  if (op == "fcmpswap") return bits == 64 ? (d(old) == d(y) ? x : old) : (f(old) == f(y) ? x : old);
  uint16_t lo, hi;
  half_add(static_cast<uint16_t>(old), static_cast<uint16_t>(x), op == "pk_bf16", lo);
  half_add(static_cast<uint16_t>(old >> 16), static_cast<uint16_t>(x >> 16), op == "pk_bf16", hi);
  return lo | uint32_t{hi} << 16;
}

namespace {

enum class Where { global, flat, scratch, lds, buffer };

struct Access {
  const char* name;
  Where where;
  enum class Kind { load, store, atomic, load_to_lds } kind;
  char element;      ///< u, s = zero-, sign-extended; b = dwords; f = float atomics
  int bits;          ///< of the element (atomics: of the cell; p = 32 with two halves)
  int dwords = 1;
  const char* op = "";  ///< atomics
  bool d16 = false, high = false;
  bool always_returns = false;
};

Place place(const Machine& m, const Inst& i, Where where, int lane, int64_t extra) {
  auto& mm = const_cast<Machine&>(m);
  const Operand* a = operand(i, Field::addr);
  const Operand* sa = operand(i, Field::saddr);
  bool has_v = a && (a->kind == Operand::Kind::vgpr), has_s = sa && sa->kind == Operand::Kind::sgpr;
  switch (where) {
  case Where::global: {
    uint64_t v = vreg(mm, *a, 0, lane);
    if (has_s) v += m.sgpr64(sa->number);
    else v |= uint64_t{vreg(mm, *a, 1, lane)} << 32;
    return {Place::Kind::host, v + static_cast<uint64_t>(i.offset + extra)};
  }
  case Where::flat: {
    uint64_t v = vreg(mm, *a, 0, lane) | uint64_t{vreg(mm, *a, 1, lane)} << 32;
    v += static_cast<uint64_t>(i.offset + extra);
    if (v >> 48 == 1) return {Place::Kind::lds, v & 0xffffffffu};
    if (v >> 48 == 2) return {Place::Kind::scratch, v & 0xffffffffu};
    return {Place::Kind::host, v};
  }
  case Where::scratch: {
    int64_t v = i.offset + extra;
    if (has_v) v += vreg(mm, *a, 0, lane);
    if (has_s) v += m.sgpr[sa->number];
    return {Place::Kind::scratch, static_cast<uint32_t>(v)};
  }
  case Where::lds: {
    // A sum of 32 bits: compilers give "negative" addresses that the offset brings back.
    return {Place::Kind::lds, static_cast<uint32_t>(vreg(mm, *a, 0, lane) + static_cast<uint32_t>(i.offset + extra))};
  }
  case Where::buffer: return buffer_place(m, i, lane, extra);
  }
  return {};
}

void run(const Access& a, Machine& m, const Inst& i) {
  const Machine before = m;
  const Operand* dst = nullptr;
  for (Field f : {Field::vdst, Field::vdata})
    if (const Operand* o = operand(i, f); o && !dst) dst = o;
  const Operand* data = operand(i, Field::data);
  if (!data) data = operand(i, Field::data0);
  if (!data) data = operand(i, Field::vdata);
  const Operand* data1 = operand(i, Field::data1);
  size_t bytes = static_cast<size_t>(a.bits) / 8 * static_cast<size_t>(a.kind == Access::Kind::atomic ? 1 : a.dwords);
  for (int lane = 0; lane < 64; ++lane) {
    if (!before.active(lane)) continue;
    Place p = place(before, i, a.where, lane, 0);
    bool by_dword = a.where == Where::buffer && a.dwords > 1 && a.kind != Access::Kind::atomic;
    uint8_t raw[16] = {};
    // The lds bit of a load (MUBUF; FLAT before gfx90a): the data goes to LDS, there is no destination register.
    switch (a.kind == Access::Kind::load && i.lds ? Access::Kind::load_to_lds : a.kind) {
    case Access::Kind::load: {
      if (by_dword)
        for (int n = 0; n < a.dwords; ++n) read_bytes(m, place(before, i, a.where, lane, 4 * n), lane, raw + 4 * n, 4);
      else read_bytes(m, p, lane, raw, bytes);
      uint32_t w[4];
      std::memcpy(w, raw, 16);
      if (a.bits == 8) w[0] = a.element == 's' ? static_cast<uint32_t>(static_cast<int8_t>(raw[0])) : raw[0];
      if (a.bits == 16 && a.element == 's') w[0] = static_cast<uint32_t>(static_cast<int16_t>(w[0]));
      if (a.d16) {
        uint32_t old = vreg(m, *dst, 0, lane);
        w[0] = a.high ? (old & 0xffff) | w[0] << 16 : (old & 0xffff0000u) | (w[0] & 0xffff);
      }
      for (int n = 0; n < a.dwords; ++n) vreg(m, *dst, n, lane) = w[n];
      if (i.tfe) vreg(m, *dst, a.dwords, lane) = 0;   // nothing failed (Vega ISA 8.1.1)
      break;
    }
    case Access::Kind::store: {
      for (int n = 0; n < a.dwords; ++n) {
        uint32_t w = vreg(const_cast<Machine&>(before), *data, n, lane);
        if (a.high) w >>= 16;
        std::memcpy(raw + 4 * n, &w, 4);
      }
      if (by_dword)
        for (int n = 0; n < a.dwords; ++n) write_bytes(m, place(before, i, a.where, lane, 4 * n), lane, raw + 4 * n, 4);
      else write_bytes(m, p, lane, raw, bytes);
      break;
    }
    case Access::Kind::load_to_lds: {
      read_bytes(m, p, lane, raw, bytes);
      uint32_t w;
      std::memcpy(&w, raw, 4);
      if (a.bits == 8) w = a.element == 's' ? static_cast<uint32_t>(static_cast<int8_t>(raw[0])) : raw[0];
      if (a.bits == 16 && a.element == 's') w = static_cast<uint32_t>(static_cast<int16_t>(w));
      std::memcpy(raw, &w, 4);
      uint64_t at = (before.sgpr[kM0] & 0xffff) + static_cast<uint64_t>(i.offset) + 4u * static_cast<unsigned>(lane);
      write_bytes(m, {Place::Kind::lds, at}, lane, raw, 4);
      break;
    }
    case Access::Kind::atomic: {
      auto& bm = const_cast<Machine&>(before);
      int words = a.bits / 32;
      auto value = [&](const Operand& o, int at) {
        uint64_t v = vreg(bm, o, at, lane);
        if (words == 2) v |= uint64_t{vreg(bm, o, at + 1, lane)} << 32;
        return v;
      };
      std::string op = a.op;
      uint64_t x = value(*data, 0), y = 0;
      // FLAT and MUBUF: the swap value, then the comparand; DS cmpst: comparand in data0, value in data1.
      if (op == "cmpswap" || op == "fcmpswap") {
        if (a.where == Where::lds) y = x, x = value(*data1, 0);
        else y = value(*data, words);
      } else if (data1) {
        y = value(*data1, 0);
      }
      uint64_t old = 0;
      read_bytes(m, p, lane, raw, bytes);
      std::memcpy(&old, raw, bytes);
      if (p.kind != Place::Kind::none) {
        uint64_t now = combine(a.op, a.bits, old, x, y);
        std::memcpy(raw, &now, 8);
        write_bytes(m, p, lane, raw, bytes);
      }
      if (a.always_returns || (a.where != Where::lds && i.glc)) {
        vreg(m, *dst, 0, lane) = static_cast<uint32_t>(old);
        if (words == 2) vreg(m, *dst, 1, lane) = static_cast<uint32_t>(old >> 32);
      }
      break;
    }
    }
  }
}

/// ds_read2 / ds_write2 / ds_wrxchg2: two elements of `words` dwords, offsets in elements (times 64 for st64).
void two(Machine& m, const Inst& i, int words, bool st64, bool reads, bool writes) {
  const Machine before = m;
  auto& bm = const_cast<Machine&>(before);
  for (int lane = 0; lane < 64; ++lane) {
    if (!before.active(lane)) continue;
    uint32_t base = vreg(bm, *operand(i, Field::addr), 0, lane);
    uint8_t raw[2][8];
    uint64_t at[2];
    for (int e = 0; e < 2; ++e) {
      at[e] = static_cast<uint32_t>(base + (e ? i.offset1 : i.offset0) * static_cast<uint32_t>(words) * 4 * (st64 ? 64 : 1));
      read_bytes(m, {Place::Kind::lds, at[e]}, lane, raw[e], static_cast<size_t>(words) * 4);
    }
    if (writes)
      for (int e = 0; e < 2; ++e) {
        uint32_t w[2];
        const Operand& o = *operand(i, e ? Field::data1 : Field::data0);
        for (int n = 0; n < words; ++n) w[n] = vreg(bm, o, n, lane);
        write_bytes(m, {Place::Kind::lds, at[e]}, lane, reinterpret_cast<uint8_t*>(w), static_cast<size_t>(words) * 4);
      }
    if (reads)
      for (int e = 0; e < 2; ++e)
        for (int n = 0; n < words; ++n) std::memcpy(&vreg(m, *operand(i, Field::vdst), e * words + n, lane), raw[e] + 4 * n, 4);
  }
}

// Names. One line per family member; the space-dependent part is put together below.
struct Part {
  const char* name;
  Access::Kind kind;
  char element;
  int bits, dwords;
  const char* op;
  bool d16, high;
};
using K = Access::Kind;
constexpr Part kVectorMemory[] = {
    {"load_ubyte", K::load, 'u', 8, 1, "", false, false},          {"load_sbyte", K::load, 's', 8, 1, "", false, false},
    {"load_ushort", K::load, 'u', 16, 1, "", false, false},        {"load_sshort", K::load, 's', 16, 1, "", false, false},
    {"load_dword", K::load, 'b', 32, 1, "", false, false},         {"load_dwordx2", K::load, 'b', 32, 2, "", false, false},
    {"load_dwordx3", K::load, 'b', 32, 3, "", false, false},       {"load_dwordx4", K::load, 'b', 32, 4, "", false, false},
    {"load_ubyte_d16", K::load, 'u', 8, 1, "", true, false},       {"load_ubyte_d16_hi", K::load, 'u', 8, 1, "", true, true},
    {"load_sbyte_d16", K::load, 's', 8, 1, "", true, false},       {"load_sbyte_d16_hi", K::load, 's', 8, 1, "", true, true},
    {"load_short_d16", K::load, 'u', 16, 1, "", true, false},      {"load_short_d16_hi", K::load, 'u', 16, 1, "", true, true},
    {"store_byte", K::store, 'b', 8, 1, "", false, false},         {"store_byte_d16_hi", K::store, 'b', 8, 1, "", false, true},
    {"store_short", K::store, 'b', 16, 1, "", false, false},       {"store_short_d16_hi", K::store, 'b', 16, 1, "", false, true},
    {"store_dword", K::store, 'b', 32, 1, "", false, false},       {"store_dwordx2", K::store, 'b', 32, 2, "", false, false},
    {"store_dwordx3", K::store, 'b', 32, 3, "", false, false},     {"store_dwordx4", K::store, 'b', 32, 4, "", false, false},
    {"load_lds_ubyte", K::load_to_lds, 'u', 8, 1, "", false, false},   {"load_lds_sbyte", K::load_to_lds, 's', 8, 1, "", false, false},
    {"load_lds_ushort", K::load_to_lds, 'u', 16, 1, "", false, false}, {"load_lds_sshort", K::load_to_lds, 's', 16, 1, "", false, false},
    {"load_lds_dword", K::load_to_lds, 'b', 32, 1, "", false, false},
    {"atomic_add_f32", K::atomic, 'f', 32, 1, "fadd", false, false},      {"atomic_pk_add_f16", K::atomic, 'f', 32, 1, "pk_f16", false, false},
    {"atomic_add_f64", K::atomic, 'f', 64, 2, "fadd", false, false},      {"atomic_min_f64", K::atomic, 'f', 64, 2, "fmin", false, false},
    {"atomic_max_f64", K::atomic, 'f', 64, 2, "fmax", false, false},      {"atomic_pk_add_bf16", K::atomic, 'f', 32, 1, "pk_bf16", false, false},
};
constexpr const char* kIntAtomics[] = {"swap", "cmpswap", "add", "sub", "smin", "umin", "smax", "umax", "and", "or", "xor", "inc", "dec"};
constexpr Part kDs[] = {
    {"read_i8", K::load, 's', 8, 1, "", false, false},    {"read_u8", K::load, 'u', 8, 1, "", false, false},
    {"read_i16", K::load, 's', 16, 1, "", false, false},  {"read_u16", K::load, 'u', 16, 1, "", false, false},
    {"read_b32", K::load, 'b', 32, 1, "", false, false},  {"read_b64", K::load, 'b', 32, 2, "", false, false},
    {"read_b96", K::load, 'b', 32, 3, "", false, false},  {"read_b128", K::load, 'b', 32, 4, "", false, false},
    {"read_u8_d16", K::load, 'u', 8, 1, "", true, false}, {"read_u8_d16_hi", K::load, 'u', 8, 1, "", true, true},
    {"read_i8_d16", K::load, 's', 8, 1, "", true, false}, {"read_i8_d16_hi", K::load, 's', 8, 1, "", true, true},
    {"read_u16_d16", K::load, 'u', 16, 1, "", true, false}, {"read_u16_d16_hi", K::load, 'u', 16, 1, "", true, true},
    {"write_b8", K::store, 'b', 8, 1, "", false, false},  {"write_b16", K::store, 'b', 16, 1, "", false, false},
    {"write_b32", K::store, 'b', 32, 1, "", false, false}, {"write_b64", K::store, 'b', 32, 2, "", false, false},
    {"write_b96", K::store, 'b', 32, 3, "", false, false}, {"write_b128", K::store, 'b', 32, 4, "", false, false},
    {"write_b8_d16_hi", K::store, 'b', 8, 1, "", false, true}, {"write_b16_d16_hi", K::store, 'b', 16, 1, "", false, true},
};
constexpr DsAtomic kDsAtomics[] = {
    {"add", "u32", "add", true}, {"sub", "u32", "sub", true}, {"rsub", "u32", "rsub", true}, {"inc", "u32", "inc", true},
    {"dec", "u32", "dec", true}, {"min", "i32", "smin", true}, {"max", "i32", "smax", true}, {"min", "u32", "umin", true},
    {"max", "u32", "umax", true}, {"and", "b32", "and", true}, {"or", "b32", "or", true}, {"xor", "b32", "xor", true},
    {"mskor", "b32", "mskor"}, {"cmpst", "b32", "cmpswap"}, {"cmpst", "f32", "fcmpswap"}, {"min", "f32", "fmin", true},
    {"max", "f32", "fmax", true}, {"add", "f32", "fadd", true}, {"pk_add", "f16", "pk_f16"}, {"pk_add", "bf16", "pk_bf16"},
    {"add", "u64", "add", true}, {"sub", "u64", "sub", true}, {"rsub", "u64", "rsub", true}, {"inc", "u64", "inc", true},
    {"dec", "u64", "dec", true}, {"min", "i64", "smin", true}, {"max", "i64", "smax", true}, {"min", "u64", "umin", true},
    {"max", "u64", "umax", true}, {"and", "b64", "and", true}, {"or", "b64", "or", true}, {"xor", "b64", "xor", true},
    {"mskor", "b64", "mskor"}, {"cmpst", "b64", "cmpswap"}, {"cmpst", "f64", "fcmpswap"}, {"min", "f64", "fmin", true},
    {"max", "f64", "fmax", true}, {"add", "f64", "fadd"}, {"wrxchg", "b32", "swap"}, {"wrxchg", "b64", "swap"}, {"wrap", "b32", "wrap"},
};

/// Accesses by name; an Entry's function can't carry data, so the common one looks itself up by the row's name.
const std::map<std::string, Access>& accesses() {
  static const auto* table = [] {
    auto* t = new std::map<std::string, Access>;
    auto put = [&](std::string name, Where w, const Part& p, bool always) {
      (*t)[name] = Access{nullptr, w, p.kind, p.element, p.bits, p.dwords, p.op, p.d16, p.high, always};
    };
    struct { const char* prefix; Where where; } constexpr spaces[] = {
        {"global_", Where::global}, {"flat_", Where::flat}, {"scratch_", Where::scratch}, {"buffer_", Where::buffer}};
    for (auto& s : spaces) {
      for (auto& p : kVectorMemory) put(std::string(s.prefix) + p.name, s.where, p, false);
      for (const char* op : kIntAtomics) {
        put(std::string(s.prefix) + "atomic_" + op, s.where, {"", K::atomic, 'b', 32, 1, op, false, false}, false);
        put(std::string(s.prefix) + "atomic_" + op + "_x2", s.where, {"", K::atomic, 'b', 64, 2, op, false, false}, false);
      }
    }
    for (auto& p : kDs) put(std::string("ds_") + p.name, Where::lds, p, false);
    for (auto& a : kDsAtomics) {
      Part p{"", K::atomic, 'b', a.bits(), a.bits() / 32, a.op, false, false};
      put(std::string("ds_") + a.middle + "_" + a.type, Where::lds, p, false);
      put(std::string("ds_") + a.middle + "_rtn_" + a.type, Where::lds, p, true);
    }
    return t;
  }();
  return *table;
}

void run_by_name(Machine& m, const Inst& i) {
  const Access& a = accesses().at(std::string(row_name(i)));
  run(a, m, i);
}

void ds_append(Machine& m, const Inst& i, bool append) {
  // One operation for the wave: the number of active lanes is added or taken away; every active lane gets the old value.
  uint64_t at = (m.sgpr[kM0] & 0xffff) + static_cast<uint64_t>(i.offset);
  uint8_t raw[4];
  read_bytes(m, {Place::Kind::lds, at}, 0, raw, 4);
  uint32_t old, now;
  std::memcpy(&old, raw, 4);
  uint32_t n = static_cast<uint32_t>(std::popcount(m.exec()));
  now = append ? old + n : old - n;
  std::memcpy(raw, &now, 4);
  write_bytes(m, {Place::Kind::lds, at}, 0, raw, 4);
  for (int lane = 0; lane < 64; ++lane)
    if (m.active(lane)) vreg(m, *operand(i, Field::vdst), 0, lane) = old;
}

void ds_addtid(Machine& m, const Inst& i, bool read) {
  for (int lane = 0; lane < 64; ++lane) {
    if (!m.active(lane)) continue;
    Place p{Place::Kind::lds, (m.sgpr[kM0] & 0xffff) + static_cast<uint64_t>(i.offset) + 4u * static_cast<unsigned>(lane)};
    if (read) read_bytes(m, p, lane, reinterpret_cast<uint8_t*>(&vreg(m, *operand(i, Field::vdst), 0, lane)), 4);
    else write_bytes(m, p, lane, reinterpret_cast<uint8_t*>(&vreg(m, *operand(i, Field::data0), 0, lane)), 4);
  }
}

constexpr Entry kSpecial[] = {
    {"ds_read2_b32", nullptr, nullptr, [](Machine& m, const Inst& i) { two(m, i, 1, false, true, false); }},
    {"ds_read2st64_b32", nullptr, nullptr, [](Machine& m, const Inst& i) { two(m, i, 1, true, true, false); }},
    {"ds_read2_b64", nullptr, nullptr, [](Machine& m, const Inst& i) { two(m, i, 2, false, true, false); }},
    {"ds_read2st64_b64", nullptr, nullptr, [](Machine& m, const Inst& i) { two(m, i, 2, true, true, false); }},
    {"ds_write2_b32", nullptr, nullptr, [](Machine& m, const Inst& i) { two(m, i, 1, false, false, true); }},
    {"ds_write2st64_b32", nullptr, nullptr, [](Machine& m, const Inst& i) { two(m, i, 1, true, false, true); }},
    {"ds_write2_b64", nullptr, nullptr, [](Machine& m, const Inst& i) { two(m, i, 2, false, false, true); }},
    {"ds_write2st64_b64", nullptr, nullptr, [](Machine& m, const Inst& i) { two(m, i, 2, true, false, true); }},
    {"ds_wrxchg2_rtn_b32", nullptr, nullptr, [](Machine& m, const Inst& i) { two(m, i, 1, false, true, true); }},
    {"ds_wrxchg2st64_rtn_b32", nullptr, nullptr, [](Machine& m, const Inst& i) { two(m, i, 1, true, true, true); }},
    {"ds_wrxchg2_rtn_b64", nullptr, nullptr, [](Machine& m, const Inst& i) { two(m, i, 2, false, true, true); }},
    {"ds_wrxchg2st64_rtn_b64", nullptr, nullptr, [](Machine& m, const Inst& i) { two(m, i, 2, true, true, true); }},
    {"ds_append", nullptr, nullptr, [](Machine& m, const Inst& i) { ds_append(m, i, true); }},
    {"ds_consume", nullptr, nullptr, [](Machine& m, const Inst& i) { ds_append(m, i, false); }},
    {"ds_read_addtid_b32", nullptr, nullptr, [](Machine& m, const Inst& i) { ds_addtid(m, i, true); }},
    {"ds_write_addtid_b32", nullptr, nullptr, [](Machine& m, const Inst& i) { ds_addtid(m, i, false); }},
    {"ds_nop", nullptr, nullptr, [](Machine&, const Inst&) {}},
    {"buffer_wbl2", nullptr, nullptr, [](Machine&, const Inst&) {}},
    {"buffer_inv", nullptr, nullptr, [](Machine&, const Inst&) {}},
    {"buffer_invl2", nullptr, nullptr, [](Machine&, const Inst&) {}},
    {"buffer_wbinvl1", nullptr, nullptr, [](Machine&, const Inst&) {}},
    {"buffer_wbinvl1_vol", nullptr, nullptr, [](Machine&, const Inst&) {}},
};

} // namespace

std::span<const DsAtomic> ds_atomics() { return kDsAtomics; }

void register_memory() {
  static const bool done = [] {
    auto* entries = new std::vector<Entry>;
    for (auto& [name, access] : accesses()) entries->push_back({name.c_str(), nullptr, nullptr, run_by_name});
    add(entries->data(), entries->size());
    add(kSpecial, std::size(kSpecial));
    return true;
  }();
  (void)done;
}

} // namespace bz::isa::ref
