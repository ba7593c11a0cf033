#include "exec/judge/prepare.hpp"
#include "exec/judge/images.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace bz::exec::judge {
namespace {

using namespace isa;
using RefMachine = isa::ref::Machine;

constexpr unsigned kFirstSpecialSgpr = 102;

bool float_atomic(std::string_view n) {
  return n.find("atomic") != n.npos && (n.ends_with("f32") || n.ends_with("f64") || n.ends_with("f16"));
}
bool lds_float(std::string_view n) { return n.starts_with("ds_") && (n.ends_with("f32") || n.ends_with("f64") || n.ends_with("f16")); }
Element element_of(std::string_view n) {
  if (n.ends_with("bf16")) return Element::bf16;
  if (n.ends_with("f16")) return Element::f16;
  if (n.ends_with("f64")) return Element::f64;
  return Element::f32;
}

/// Bytes that one lane accesses.
uint32_t access_bytes(std::string_view n) {
  auto has = [&](std::string_view s) { return n.find(s) != n.npos; };
  if (has("x4") || has("b128")) return 16;
  if (has("x3") || has("b96")) return 12;
  if (has("x2") || n.ends_with("64")) return 8;
  if (has("byte") || has("_u8") || has("_i8") || has("_b8")) return 1;
  if (has("short") || has("_u16") || has("_i16") || has("_b16")) return 2;
  return 4;
}

Operand* find(Inst& i, Field f) {
  for (unsigned k = 0; k < i.operand_count; ++k)
    if (i.operands[k].field == f) return &i.operands[k];
  return nullptr;
}
bool overlap(const Operand& a, const Operand& b) {
  return a.kind == b.kind && a.number < b.number + b.dwords && b.number < a.number + a.dwords;
}

class Preparation {
public:
  Preparation(Random& r, const Draw& d, RefMachine& m, Arena& arena)
      : r_(r), i_(d.inst), meta_(row_meta(d.inst.row)), name_(meta_.name), m_(m), arena_(arena) {}

  const Touches& touched() const { return touches_; }
  bool run() {
    state();
    if (i_.format == MAI && i_.source_count > 2) return matrix(), true;
    for (unsigned k = 0; k < i_.operand_count; ++k) operand(i_.operands[k]);
    relate_scalars();
    switch (i_.format) {
    case SMEM: return scalar_memory();
    case FLAT: case GLOBAL: case SCRATCH: return flat();
    case DS: return lds();
    case MUBUF: case MTBUF: return buffer();
    case MIMG: return prepare_image(r_, i_, m_, arena_);
    default: break;
    }
    if (name_.ends_with("fork") || name_.ends_with("join")) return branch_stack();
    if (name_.starts_with("s_movrel")) m_.sgpr[ref::kM0] = r_.below(101u - std::min(100u, lowest_sgpr())) & ~1u;
    return !name_.starts_with("s_movrel") || movrel_stays_inside();
  }

private:
  Random& r_;
  Inst i_;
  const Meta& meta_;
  std::string_view name_;
  RefMachine& m_;
  Arena& arena_;
  Touches touches_ = touches(i_, meta_);
  uint32_t lds_start_ = 0;

  bool is(Flags f) const { return has(meta_.flags, f); }

  void state() {
    bool vector = i_.format & (VOP1 | VOP2 | VOPC | VOP3 | VOP3P);
    m_.mode = vector && r_.chance(60) ? r_.word() & 0x3ff : 0x3f0;
    if ((name_.ends_with("fp8_f32") || name_.ends_with("bf8_f32")) && r_.chance(50)) m_.mode |= 1u << 23;   // FP16_OVFL
    m_.scc = r_.below(2);
    m_.set_sgpr64(ref::kVcc, random_mask(r_));
    m_.set_sgpr64(ref::kExec, random_mask(r_));
    m_.sgpr[ref::kM0] = r_.chance(50) ? r_.below(256) : r_.word();
  }

  /// MODE.CSP, and a mask or depth that matters; the bench puts addresses where the instruction finds them.
  bool branch_stack() {
    Operand* o = find(i_, Field::ssrc0);
    bool joins = name_.ends_with("join");
    unsigned depth = joins ? 1 + r_.below(7) : r_.below(8);
    m_.mode |= depth << 29;
    if (!o) o = find(i_, Field::sdst);
    if (!o || o->kind != Operand::Kind::sgpr || o->number >= kFirstSpecialSgpr) return !joins;
    if (joins) {
      unsigned entry = 4 * (depth - 1);
      if (o->number + 4u > entry && o->number < entry + 4u) return false;
      m_.sgpr[o->number] = r_.chance(40) ? depth : r_.below(8);
    } else if (r_.chance(50)) {
      m_.set_sgpr64(o->number, r_.chance(50) ? m_.exec() | random_mask(r_) : ~m_.exec() & random_mask(r_));
    }
    return true;
  }

  unsigned lowest_sgpr() const {
    for (unsigned k = 0; k < i_.operand_count; ++k)
      if ((i_.operands[k].is_dst == name_.starts_with("s_movreld")) && i_.operands[k].kind == Operand::Kind::sgpr) return i_.operands[k].number;
    return 0;
  }
  bool movrel_stays_inside() const {
    unsigned dwords = name_.ends_with("b64") ? 2 : 1;
    for (unsigned k = 0; k < i_.operand_count; ++k) {
      const Operand& o = i_.operands[k];
      if (o.kind == Operand::Kind::sgpr && o.number == ref::kM0) return false;   // another number by now
      if (o.is_dst == name_.starts_with("s_movreld") && o.kind != Operand::Kind::sgpr) return false;   // not a register to count from
    }
    return lowest_sgpr() + m_.sgpr[ref::kM0] + dwords <= kFirstSpecialSgpr;
  }

  // ------------------------------------------------------------ registers

  void operand(const Operand& o) {
    if (o.kind == Operand::Kind::sgpr) {
      if (o.number >= kFirstSpecialSgpr) return;
      for (unsigned n = 0; n < o.dwords;) n += set_sgprs(o.number + n, o.type, o.dwords - n);
    } else if (o.kind == Operand::Kind::vgpr || o.kind == Operand::Kind::agpr) {
      auto& file = o.kind == Operand::Kind::agpr ? m_.agpr : m_.vgpr;
      std::array<uint64_t, 3> shared;
      for (auto& x : shared) x = random_value(r_, o.type);
      bool repeat = r_.chance(30);
      bool wide = type_bits(o.type) == 64;
      for (unsigned n = 0; n < o.dwords; n += wide ? 2 : 1)
        for (size_t lane = 0; lane < 64; ++lane) {
          uint64_t x = repeat ? shared[r_.below(3)] : random_value(r_, o.type);
          file[(o.number + n) & 255][lane] = static_cast<uint32_t>(x);
          if (wide && n + 1 < o.dwords) file[(o.number + n + 1) & 255][lane] = static_cast<uint32_t>(x >> 32);
        }
    }
  }
  /// Scalar rows see one value a case, not 64: equal operands, complements, results of 0 and 1 need help.
  void relate_scalars() {
    if (!(i_.format & (SOP1 | SOP2 | SOPC | SOPK)) || !r_.chance(40)) return;
    uint64_t other = i_.format == SOPK ? static_cast<uint64_t>(int64_t{i_.simm16}) : r_.chance(50) ? m_.exec() : r_.below(3) - uint64_t{1};
    for (unsigned k = 0; k < i_.operand_count; ++k) {
      const Operand& o = i_.operands[k];
      if (o.kind != Operand::Kind::sgpr) {
        other = o.value;
      } else if (o.number + o.dwords <= kFirstSpecialSgpr) {
        const uint64_t like[] = {other, other, ~other, 0 - other, other + 1, other - 1, r_.below(2)};
        other = r_.pick(like);
        m_.sgpr[o.number] = static_cast<uint32_t>(other);
        if (o.dwords > 1) m_.sgpr[o.number + 1u] = static_cast<uint32_t>(other >> 32);
      }
    }
  }
  unsigned set_sgprs(unsigned number, Type type, unsigned room) {
    uint64_t x = random_value(r_, type);
    m_.sgpr[number] = static_cast<uint32_t>(x);
    if (type_bits(type) != 64 || room < 2) return 1;
    m_.sgpr[number + 1] = static_cast<uint32_t>(x >> 32);
    return 2;
  }

  void fill_small(const Operand& o, Element e, unsigned first = 0) {
    auto& file = o.kind == Operand::Kind::agpr ? m_.agpr : m_.vgpr;
    if (!o.is_reg() || o.kind == Operand::Kind::sgpr) return;
    for (size_t lane = 0; lane < 64; ++lane)
      for (unsigned n = first; n < o.dwords; n += 2) {
        uint64_t x = random_small(r_, e);
        file[(o.number + n) & 255][lane] = static_cast<uint32_t>(x);
        if (n + 1 < o.dwords) file[(o.number + n + 1) & 255][lane] = static_cast<uint32_t>(x >> 32);
      }
  }

  /// Types of A, B and the accumulator from the name: v_mfma_f32_16x16x32_bf8_fp8, v_mfma_f32_4x4x4f16, ..._1k.
  void matrix() {
    std::string_view n = name_;
    if (n.ends_with("_1k")) n.remove_suffix(3);
    static constexpr struct { std::string_view name; Element e; } types[] = {
        {"xf32", Element::f32}, {"bf16", Element::bf16}, {"f16", Element::f16}, {"f32", Element::f32}, {"f64", Element::f64},
        {"fp8", Element::fp8}, {"bf8", Element::bf8}, {"i8", Element::i8}};
    auto last = [&] {
      for (auto& t : types)
        if (n.ends_with(t.name)) {
          n.remove_suffix(t.name.size());
          return t.e;
        }
      return Element::f32;
    };
    Element b = last(), a = b;
    if (n.ends_with("8_")) n.remove_suffix(1), a = last();
    Element c = name_.find("_i32_") != name_.npos ? Element::i32 : name_.find("_f64_") != name_.npos ? Element::f64 : Element::f32;
    bool sparse = name_.starts_with("v_smfmac");
    // Half of the cases exact: |sum| <= 64 * 64 + 8. The others show order and roundings.
    bool exact = r_.chance(50);
    auto fill = [&](const Operand& o, Element e) { exact ? fill_small(o, e) : fill_finite(o, e); };
    fill(i_.source(0), a), fill(i_.source(1), b);
    if (!sparse) return fill(i_.source(2), c);
    // Indices: two different positions out of four, in order, per four bits.
    static constexpr uint32_t pairs[] = {4, 8, 12, 9, 13, 14};
    const Operand& index = i_.source(2);
    for (auto& x : m_.vgpr[index.number]) {
      x = 0;
      for (int at = 0; at < 32; at += 4) x |= r_.pick(pairs) << at;
    }
    fill(i_.dest(), c);
  }
  /// Any numbers of a type around 1, some denormals and zeros; no infinities and NaNs, whose signs are open.
  uint64_t finite(Element e) {
    auto one = [&](unsigned exponent, unsigned fraction, unsigned middle) {
      uint64_t x = r_.bits() & ((uint64_t{1} << fraction) - 1), sign = uint64_t{r_.below(2)} << (exponent + fraction);
      uint32_t spread = middle < 20 ? middle - 1 : 16;
      return sign | (r_.chance(10) ? (r_.chance(50) ? x : 0) : x | uint64_t{middle - spread + r_.below(2 * spread)} << fraction);
    };
    uint64_t x = 0;
    switch (e) {
    case Element::f64: return one(11, 52, 1023);
    case Element::f32: return one(8, 23, 127) | one(8, 23, 127) << 32;
    case Element::bf16: case Element::f16:
      for (int at = 0; at < 64; at += 16) x |= (e == Element::f16 ? one(5, 10, 15) : one(8, 7, 127)) << at;
      return x;
    case Element::fp8: case Element::bf8:
      for (int at = 0; at < 64; at += 8)
        if (uint64_t byte = r_.word() & 0xbf; byte != 0x80) x |= byte << at;   // 0x80 may be a NaN
      return x;
    default: return r_.bits();
    }
  }
  void fill_finite(const Operand& o, Element e) {
    auto& file = o.kind == Operand::Kind::agpr ? m_.agpr : m_.vgpr;
    if (!o.is_reg() || o.kind == Operand::Kind::sgpr) return;
    for (size_t lane = 0; lane < 64; ++lane)
      for (unsigned n = 0; n < o.dwords; n += 2) {
        uint64_t x = finite(e);
        file[(o.number + n) & 255][lane] = static_cast<uint32_t>(x);
        if (n + 1 < o.dwords) file[(o.number + n + 1) & 255][lane] = static_cast<uint32_t>(x >> 32);
      }
  }

  // ------------------------------------------------------------ memory

  void random_bytes(uint8_t* p, size_t n, bool small_floats, Element e) {
    for (size_t at = 0; at + 8 <= n; at += 8) {
      uint64_t x = small_floats ? random_small(r_, e) : r_.bits();
      if (!small_floats && r_.chance(30)) x &= uint64_t{few()} << 32 | few();
      std::memcpy(p + at, &x, 8);
    }
  }
  /// Masks that leave few numbers, of which two of 32 or 64 bits are often equal.
  uint32_t few() { return r_.chance(50) ? 0x03030303 : 3; }
  void fill_memory() {
    const Touches& t = touches_;
    bool floats = float_atomic(name_) || lds_float(name_);
    Element e = element_of(name_);
    if (t.arena) random_bytes(arena_.data() + Arena::kMiddle - 2048, 8192, floats, e);
    if (t.lds) {
      if (m_.lds.size() != kLdsBytes) m_.lds.resize(kLdsBytes), random_bytes(m_.lds.data(), kLdsBytes, floats, e);
      // Refilled around the place that will be accessed; in whole if old contents would be no numbers.
      lds_start_ = r_.chance(15) ? kLdsBytes - 1024 : r_.below(8) * 2048;
      size_t from = floats ? 0 : lds_start_, to = floats ? kLdsBytes : std::min(kLdsBytes, lds_start_ + 2048);
      random_bytes(m_.lds.data() + from, to - from, floats, e);
    }
    if (t.scratch) {
      m_.scratch.resize(size_t{kScratchBytes} / 4 * 64);
      // Refilled in part only: it is large.
      size_t at = r_.below(15) * m_.scratch.size() / 16;
      random_bytes(reinterpret_cast<uint8_t*>(m_.scratch.data() + at), m_.scratch.size() / 4, floats, e);
    }
  }
  /// Data of a float atomic are whole numbers, so that the order of lanes does not matter; comparands often match.
  void atomic_data() {
    Field fields[] = {Field::data, Field::data0, Field::data1, Field::vdata};
    bool floats = float_atomic(name_) || lds_float(name_);
    for (Field f : fields) {
      Operand* o = find(i_, f);
      if (!o || !o->is_reg() || o->kind == Operand::Kind::sgpr) continue;
      if (floats) fill_small(*o, element_of(name_));
      else if (is(Atomic) && r_.chance(50)) {
        auto& file = o->kind == Operand::Kind::agpr ? m_.agpr : m_.vgpr;
        for (unsigned n = 0; n < o->dwords; ++n)
          for (auto& x : file[(o->number + n) & 255]) x = r_.word() & few();
      }
    }
  }
  bool data_meets_address(const Operand* address) {
    for (Field f : {Field::data, Field::data0, Field::data1, Field::vdata})
      if (Operand* o = find(i_, f); o && address && overlap(*o, *address)) return true;
    return false;
  }
  /// Results depend on the order of lanes if they hit one cell, except for these.
  bool order_matters() const {
    if (!is(Atomic)) return false;   // stores: the highest lane's data stays
    bool returns = is(Returns) || (i_.format != DS && i_.glc);
    if (returns) return true;
    for (std::string_view op : {"add", "sub", "and", "or", "xor", "min", "max"})
      if (name_.find(op) != name_.npos) return name_.find("rsub") != name_.npos || name_.find("mskor") != name_.npos;
    return true;
  }
  /// One offset per lane, below `room`.
  std::array<uint32_t, 64> lane_offsets(uint32_t room) {
    uint32_t bytes = access_bytes(name_), align = is(Atomic) ? std::min(bytes, 8u) : std::min(bytes, 4u);
    if (bytes == 8 && i_.format == DS) align = 8;
    std::array<uint32_t, 64> o{};
    uint32_t cells = std::max(1u, (room - bytes) / 16);
    switch (order_matters() ? r_.below(2) * 2 : r_.below(5)) {
    case 0: {  // contiguous
      uint32_t start = r_.below(std::max(1u, (room - 64 * bytes) / align)) * align;
      for (uint32_t n = 0; n < 64; ++n) o[n] = start + n * bytes;
      break;
    }
    case 1:  // all the same
      o.fill(r_.below(cells) * 16);
      break;
    case 2: {  // a permutation of cells
      std::array<uint32_t, 64> p;
      for (uint32_t n = 0; n < 64; ++n) p[n] = n;
      for (uint32_t n = 63; n > 0; --n) std::swap(p[n], p[r_.below(n + 1)]);
      uint32_t start = cells > 64 ? r_.below(cells - 63) : 0;
      for (uint32_t n = 0; n < 64; ++n) o[n] = (start + p[n]) * 16 + r_.below((16 - bytes) / align + 1) * align;
      break;
    }
    default:  // anywhere, with collisions
      for (auto& x : o) x = r_.below((room - bytes) / align + 1) * align;
      break;
    }
    if (!is(Atomic) && r_.chance(10))
      for (auto& x : o) x = std::min(x + r_.below(4), room - bytes);
    return o;
  }
  void set_lanes(const Operand& o, unsigned dword, const std::array<uint32_t, 64>& x) { m_.vgpr[(o.number + dword) & 255] = x; }

  bool flat() {
    // FLAT: some waves, or some lanes, in the LDS and private apertures.
    uint32_t where = i_.format == FLAT ? r_.below(6) : 0;
    if (i_.format == FLAT) touches_.lds |= where == 1 || where == 4, touches_.scratch = where == 2 || where == 4;
    fill_memory();
    atomic_data();
    Operand *a = find(i_, Field::addr), *sa = find(i_, Field::saddr);
    if ((float_atomic(name_) || is(LdsOnly)) && data_meets_address(a)) return false;
    bool has_v = a && a->kind == Operand::Kind::vgpr, has_s = sa && sa->kind == Operand::Kind::sgpr;
    if (has_s && sa->number >= ref::kExec) return false;
    bool to_lds = is(LdsOnly) || i_.lds;
    if (to_lds) m_.sgpr[ref::kM0] = r_.below(1024) * 4;
    if (to_lds && (i_.offset < 0 || has_s)) {
      if (has_s && sa->number == ref::kM0) return false;
      if (i_.offset < 0) return false;  // the offset is the LDS place too
    }
    if (i_.format == SCRATCH) {
      if (has_s && sa->number == ref::kM0) return false;
      auto o = lane_offsets(kScratchBytes - 16);
      uint32_t s = has_s ? r_.below(64) * 4 : 0;
      if (has_s) m_.sgpr[sa->number] = has_v ? s : static_cast<uint32_t>(static_cast<int32_t>(o[0]) - i_.offset);
      if (!has_v && !has_s && (i_.offset < 0 || i_.offset > static_cast<int32_t>(kScratchBytes) - 16)) return false;
      if (has_v) {
        for (auto& x : o) x = x - s - static_cast<uint32_t>(i_.offset);
        set_lanes(*a, 0, o);
      }
      return true;
    }
    if (i_.format == FLAT && i_.offset > 4095) return false;
    auto o = lane_offsets(4096);
    uint64_t base = arena_.middle() - static_cast<uint64_t>(int64_t{i_.offset});
    std::array<uint32_t, 64> low{}, high{};
    if (has_s) {
      uint64_t back = r_.below(4096) & ~15u;
      m_.set_sgpr64(sa->number, base - back);
      for (size_t n = 0; n < 64; ++n) low[n] = o[n] + static_cast<uint32_t>(back);
      set_lanes(*a, 0, low);
      return true;
    }
    for (size_t n = 0; n < 64; ++n) {
      uint64_t address = base + o[n];
      uint32_t here = where == 4 ? r_.below(3) : where >= 3 ? 0 : where;
      if (here == 1 && i_.offset < 2048) address = (uint64_t{1} << 48) + o[n];
      if (here == 2 && i_.offset < 4096 - 16 && o[n] + static_cast<uint32_t>(i_.offset) + 16 <= kScratchBytes) address = (uint64_t{2} << 48) + o[n];
      low[n] = static_cast<uint32_t>(address), high[n] = static_cast<uint32_t>(address >> 32);
    }
    set_lanes(*a, 0, low), set_lanes(*a, 1, high);
    return true;
  }

  /// Two-address rows that write: no place twice, since the order of the two and of the lanes is nowhere said; and each wholly
  /// inside or outside.
  bool two_places_apart(const std::array<uint32_t, 64>& o) {
    uint32_t bytes = name_.ends_with("64") ? 8 : 4, scale = bytes * (name_.find("st64") != name_.npos ? 64 : 1);
    std::vector<uint32_t> places;
    for (uint32_t x : o) places.push_back(x + i_.offset0 * scale), places.push_back(x + i_.offset1 * scale);
    for (uint32_t x : places)
      if (x < kLdsBytes && x + bytes > kLdsBytes) return false;
    if (!is(Store)) return true;
    std::sort(places.begin(), places.end());
    for (size_t n = 1; n < places.size(); ++n)
      if (places[n] - places[n - 1] < bytes) return false;
    return true;
  }

  bool lds() {
    fill_memory();
    atomic_data();
    if (name_.find("append") != name_.npos || name_.find("consume") != name_.npos || name_.find("addtid") != name_.npos)
      m_.sgpr[ref::kM0] = r_.below(2048) * 4 + (r_.chance(20) ? 0x50000u : 0);
    if (is(ReadsM0)) {  // a dword-aligned place
      if (i_.offset & 3) return false;
      return true;
    }
    Operand* a = find(i_, Field::addr);
    if (!a) return true;
    if (is(WholeWave)) return true;   // permutes: any number is an address
    if (name_.find("_src2_") != name_.npos) return two_cells(*a);
    if (lds_float(name_) && data_meets_address(a)) return false;
    uint32_t bytes = access_bytes(name_), align = is(Atomic) ? std::min(bytes, 8u) : std::min(bytes, 4u);
    if (is(Atomic) && !meta_.operands.offset01 && i_.offset % static_cast<int32_t>(align)) return false;
    auto o = lane_offsets(2048);
    uint32_t start = lds_start_, offset = static_cast<uint32_t>(i_.offset);
    for (auto& x : o) {
      x = x + start >= offset ? x + start - offset : x;
      // An access half inside: how much of it happens is nowhere said.
      if (x + offset < kLdsBytes && x + offset + bytes > kLdsBytes) x -= 16;
    }
    if (meta_.operands.offset01 && !two_places_apart(o)) return false;
    set_lanes(*a, 0, o);
    return true;
  }

  /// A cell and the one that changes it, some dwords on: as the offset says, or the address above its 17 bits.
  bool two_cells(const Operand& address) {
    auto o = lane_offsets(2048);
    uint32_t size = access_bytes(name_);
    for (auto& x : o) {
      x = (x + lds_start_) & ~(size - 1);
      if (i_.offset & 0x8000) x |= (r_.chance(5) ? r_.word() : r_.below(128) - 64u) << 17 & (size == 8 ? ~(1u << 17) : ~0u);
    }
    if (size == 8 && !(i_.offset & 0x8000) && (i_.offset & 1)) return false;
    set_lanes(address, 0, o);
    return true;
  }

  bool scalar_memory() {
    fill_memory();
    Operand* base = find(i_, Field::sbase);
    if (!base) return true;  // cache controls
    Operand *data = find(i_, Field::sdata), *reg = nullptr;
    for (unsigned k = 0; k < i_.operand_count; ++k)
      if (i_.operands[k].field == Field::smem_offset && i_.operands[k].kind == Operand::Kind::sgpr) reg = &i_.operands[k];
    bool atomic = is(Atomic);
    if (data && r_.chance(50))
      for (unsigned n = 0; n < data->dwords && data->number + n < kFirstSpecialSgpr; ++n) m_.sgpr[data->number + n] &= 0x03030303;
    uint32_t loose = atomic ? 0 : r_.chance(30) ? r_.below(4) : 0, align = atomic ? ~7u : ~0u;
    if (atomic && (i_.offset & 7)) return false;
    if (reg) {
      if (reg->number >= ref::kExec || reg->number == ref::kVcc) return false;
      m_.sgpr[reg->number] = r_.below(name_.starts_with("s_scratch") ? 64 : 512) & align;
    }
    uint64_t at = arena_.middle() + loose;
    m_.set_sgpr64(base->number, at);
    if (base->dwords == 4) {
      bool strided = r_.chance(30);
      uint32_t stride = strided ? 1 + r_.below(32) : 0;
      m_.sgpr[base->number + 1u] = (m_.sgpr[base->number + 1u] & 0xffff) | stride << 16;
      m_.sgpr[base->number + 2u] = r_.chance(40) ? 2048 : r_.below(strided ? 64 : 640);
      if (atomic) m_.sgpr[base->number + 2u] = 4096;
      m_.sgpr[base->number + 3u] = r_.word();
    }
    return true;
  }

  // Formats of typed accesses: bytes of the element; what a component is.
  struct Texel { uint32_t data = 0, num = 0, bytes = 4; };
  static constexpr uint32_t kTexelBytes[] = {0, 1, 2, 2, 4, 4, 4, 4, 4, 4, 4, 8, 8, 12, 16};
  static constexpr uint32_t kFloatFormats = 1u << 2 | 1u << 4 | 1u << 5 | 1u << 6 | 1u << 7 | 1u << 11 | 1u << 12 | 1u << 13 | 1u << 14;
  /// False: the instruction names a format that does not exist.
  bool texel(Texel& t) {
    auto valid = [](const Texel& x) { return x.data < std::size(kTexelBytes) && (x.num < 6 || (x.num == 7 && (kFloatFormats >> x.data & 1))); };
    if (i_.format == MTBUF) t.data = i_.dfmt, t.num = i_.nfmt;
    else
      do t.data = r_.below(15), t.num = r_.below(8);
      while (!valid(t));
    if (!valid(t)) return false;
    t.bytes = kTexelBytes[t.data];
    return true;
  }
  void texel_data(const Texel& t) {
    Operand* o = find(i_, Field::vdata);
    if (!o || !is(Store)) return;
    bool d16 = name_.find("d16") != name_.npos, ints = t.num == 4 || t.num == 5;
    Type type = ints ? (d16 ? Type::i16 : Type::i32) : d16 ? Type::pk_f16 : Type::f32;
    auto& file = o->kind == Operand::Kind::agpr ? m_.agpr : m_.vgpr;
    for (unsigned n = 0; n < o->dwords; ++n)
      for (auto& x : file[(o->number + n) & 255]) x = static_cast<uint32_t>(random_value(r_, type));
  }

  /// Resource words and the lanes' index and offset; see Vega ISA 8.1.5.
  bool buffer() {
    fill_memory();
    atomic_data();
    bool typed = is(Typed);
    Texel t;
    if (typed) {
      if (!texel(t)) return false;
      texel_data(t);
    }
    Operand *rsrc = find(i_, Field::srsrc), *so = find(i_, Field::soffset), *va = find(i_, Field::vaddr);
    if (!rsrc) return true;
    bool has_v = va && va->kind == Operand::Kind::vgpr && (i_.offen || i_.idxen);
    if (has_v) va->dwords = i_.offen && i_.idxen ? 2 : 1;
    if (float_atomic(name_) && data_meets_address(va)) return false;
    if (rsrc->number + 4u > kFirstSpecialSgpr) return false;
    bool atomic = is(Atomic);
    uint32_t bytes = typed ? std::max(t.bytes, 1u) : access_bytes(name_), align = std::min(bytes, atomic ? 8u : 4u);
    if (so && so->kind == Operand::Kind::sgpr) {
      if (overlap(*so, *rsrc) || so->number >= ref::kExec || (so->number >= ref::kVcc && so->number != ref::kM0)) return false;
      if (so->number == ref::kM0 && i_.lds) return false;
      m_.sgpr[so->number] = r_.below(64) * 8;
    } else if (so && so->value > 64) return false;
    if (i_.offset % static_cast<int32_t>(align)) return false;
    if (i_.lds) m_.sgpr[ref::kM0] = r_.below(1024) * 4;
    uint32_t stride = r_.chance(50) ? 0 : (1 + r_.below(8)) * 8;
    // Raw, structured and private buffers, the latter two swizzled or not. A swizzled element is a dword; how a longer texel lies
    // in such a buffer is nowhere said.
    bool whole_dwords = i_.offset <= 127 && !atomic && (!typed || bytes <= 4);
    bool swizzle = i_.idxen && stride && whole_dwords && r_.chance(30);
    bool add_tid = !atomic && !typed && (!i_.lds || name_ == "buffer_store_lds_dword") && !i_.idxen && r_.chance(15) && i_.offset < 2048;
    bool lane_columns = add_tid && whole_dwords && r_.chance(50);   // the form of scratch
    swizzle |= lane_columns;
    if (lane_columns) stride = 0;
    if (order_matters() && (!has_v || i_.idxen)) return false;   // cells must differ
    m_.set_sgpr64(rsrc->number, arena_.middle());
    m_.sgpr[rsrc->number + 1u] = (m_.sgpr[rsrc->number + 1u] & 0xffff) | stride << 16 | (swizzle ? 1u << 31 : 0u);
    uint32_t records = i_.idxen && stride ? 1 + r_.below(60) : (16 + r_.below(500)) * 4 & ~(align - 1);
    m_.sgpr[rsrc->number + 2u] = records;
    uint32_t format = 0x24000u;
    if (typed) {
      format = t.data << 15 | t.num << 12;
      constexpr uint32_t selects[] = {0, 1, 4, 5, 6, 7};
      for (unsigned k = 0; k < 4; ++k) format |= (r_.chance(60) ? 4 + k : r_.pick(selects)) << (3 * k);
    }
    m_.sgpr[rsrc->number + 3u] = (add_tid ? 1u << 23 : format) | r_.below(4) << 21;
    // A texel across the end: in or out, nobody says.
    auto straddles = [&](uint32_t lane_offset) {
      uint64_t at = uint64_t{lane_offset} + static_cast<uint32_t>(i_.offset);
      return typed && !(i_.idxen && stride) && at < records && at + bytes > records;
    };
    if (!has_v) return !straddles(0);
    std::array<uint32_t, 64> index{}, offset{};
    uint32_t limit = records + 8;
    auto spread = lane_offsets(1024);
    if (align > 1)
      for (auto& x : spread) x &= ~(align - 1);
    for (size_t n = 0; n < 64; ++n) {
      index[n] = r_.chance(2) ? r_.word() | 0x10000000 : r_.chance(50) ? r_.below(limit) : static_cast<uint32_t>(n) % limit;
      if (!stride) index[n] = 0;
      offset[n] = i_.idxen && stride ? r_.below(stride) & ~(std::max(align, 4u) - 1) : spread[n];
      if (lane_columns) offset[n] &= 127;
      if (straddles(offset[n])) offset[n] = 0x7fffff00;
      if (!atomic && !add_tid && !(i_.idxen && stride) && r_.chance(2)) offset[n] |= 0x70000000;
    }
    unsigned next = 0;
    if (i_.idxen) set_lanes(*va, next++, index);
    if (i_.offen) set_lanes(*va, next, offset);
    return true;
  }
};

} // namespace

Arena::Arena() : bytes_(new uint8_t[kBytes]) { std::memset(bytes_.get(), 0x5a, kBytes); }

Touches touches(const Inst& i, const Meta& meta) {
  Touches t;
  switch (i.format) {
  case SMEM: case GLOBAL: t.arena = true; break;
  case FLAT: t.arena = t.lds = t.scratch = true; break;  // narrowed when the addresses are chosen
  case SCRATCH: t.scratch = true; break;
  case DS: t.lds = true; break;
  case MUBUF: case MTBUF: case MIMG: t.arena = true; break;
  default: break;
  }
  if (i.lds || has(meta.flags, LdsOnly)) t.lds = true;
  return t;
}

bool prepare(Random& r, const Draw& draw, RefMachine& m, Arena& arena, Touches& touched) {
  Preparation p(r, draw, m, arena);
  bool sensible = p.run();
  touched = p.touched();
  return sensible;
}

} // namespace bz::exec::judge
