#include "isa/ref/machine.hpp"

#include "isa/decode.hpp"
#include "isa/ref/families.hpp"

#include <map>
#include <string>

namespace bz::isa::ref {
namespace {

auto& registry() {
  static auto* r = new std::map<std::string_view, const Entry*>;
  return *r;
}

/// Special scalar sources (Vega ISA, table "SSRC operand encodings").
uint64_t special(const Machine& m, unsigned code) {
  switch (code) {
  case 251: return m.vcc() == 0;
  case 252: return m.exec() == 0;
  case 253: return m.scc;
  case 235: return uint64_t{1} << 48;           // src_shared_base
  case 236: return (uint64_t{1} << 48) + 0xffffffffu;
  case 237: return uint64_t{2} << 48;           // src_private_base
  case 238: return (uint64_t{2} << 48) + 0xffffffffu;
  default: return 0;
  }
}

bool dpp_switches_off(const Machine& m, const Inst& i, int lane) {
  if (i.form != Form::dpp) return false;
  if (!(i.dpp.row_mask >> (lane / 16) & 1) || !(i.dpp.bank_mask >> (lane % 16 / 4) & 1)) return true;
  return !i.dpp.bound_ctrl && !dpp_source_lane(m, i.dpp, lane);
}

} // namespace

std::optional<int> dpp_source_lane(const Machine& m, const Dpp& dpp, int lane) {
  int row = lane & ~15, in_row = lane & 15, c = dpp.ctrl, source = -1;
  int n = c & 15;
  if (c <= 0xff) source = (lane & ~3) | (c >> (2 * (lane & 3)) & 3);
  else if (c >= 0x101 && c <= 0x10f) source = in_row + n <= 15 ? lane + n : -1;
  else if (c >= 0x111 && c <= 0x11f) source = in_row - n >= 0 ? lane - n : -1;
  else if (c >= 0x121 && c <= 0x12f) source = row | ((in_row - n) & 15);
  else if (c == 0x130) source = lane + 1 < 64 ? lane + 1 : -1;
  else if (c == 0x134) source = (lane + 1) & 63;
  else if (c == 0x138) source = lane - 1;
  else if (c == 0x13c) source = (lane - 1) & 63;
  else if (c == 0x140) source = row | (15 - in_row);
  else if (c == 0x141) source = lane ^ 7;
  else if (c == 0x142) source = row - 1;               // row 0 has no row before it
  else if (c == 0x143) source = lane >= 32 ? 31 : -1;
  else if (c >= 0x150 && c <= 0x15f) source = row | n;
  if (source < 0 || !m.active(source)) return std::nullopt;
  return source;
}

uint64_t ScalarView::read(const Operand& o, int dwords) const {
  switch (o.kind) {
  case Operand::Kind::sgpr: return dwords == 2 ? m.sgpr64(o.number) : m.sgpr[o.number];
  case Operand::Kind::special: {
    // A 32-bit read gives the low half, which for an aperture's base is 0 (docs/isa-errata.md).
    uint64_t x = special(m, o.number);
    return dwords == 1 ? static_cast<uint32_t>(x) : x;
  }
  case Operand::Kind::vgpr: return m.vgpr[o.number][0];
  case Operand::Kind::agpr: return m.agpr[o.number][0];
  default: return o.value;
  }
}

uint32_t LaneView::reg(const Operand& o, int n) const {
  switch (o.kind) {
  case Operand::Kind::vgpr: return m.vgpr[(o.number + static_cast<unsigned>(n)) & 255][static_cast<size_t>(lane)];
  case Operand::Kind::agpr: return m.agpr[(o.number + static_cast<unsigned>(n)) & 255][static_cast<size_t>(lane)];
  case Operand::Kind::sgpr: return m.sgpr[(o.number + static_cast<unsigned>(n)) & 127];
  case Operand::Kind::special: {
    uint64_t x = special(m, o.number);
    return static_cast<uint32_t>(x >> (32 * n));
  }
  default:
    // Both dwords of a packed pair read the one 32-bit constant (docs/isa-errata.md).
    if (o.type == Type::pk_f32 || o.type == Type::pk_b32) n = 0;
    return static_cast<uint32_t>(o.value >> (32 * n));
  }
}

uint64_t LaneView::bits(int k, int width) const {
  const Operand& o = i.source(k);
  uint64_t x = 0;
  if (k == 0 && i.form == Form::dpp) {
    if (auto from = dpp_source_lane(m, i.dpp, lane)) {
      x = m.vgpr[o.number][static_cast<size_t>(*from)];
      if (width == 64) x |= uint64_t{m.vgpr[(o.number + 1u) & 255][static_cast<size_t>(*from)]} << 32;
    }
  } else {
    x = reg(o, 0);
    if (width == 64) x |= uint64_t{reg(o, 1)} << 32;
  }
  bool is_f = is_float(o.type) || (i.form == Form::sdwa && (o.neg || o.abs));
  if (i.form == Form::sdwa && k < 2) {
    int sel = i.sdwa.src_sel[static_cast<size_t>(k)];
    if (sel < 4) x = x >> (8 * sel) & 0xff;
    else if (sel < 6) x = x >> (16 * (sel - 4)) & 0xffff;
    if (o.sext && sel < 4) x = static_cast<uint32_t>(static_cast<int8_t>(x));
    else if (o.sext && sel < 6) x = static_cast<uint32_t>(static_cast<int16_t>(x));
  } else if (width == 16 && (i.op_sel >> k & 1)) {
    x >>= 16;
  }
  if (width < 64) x &= (uint64_t{1} << width) - 1;
  uint64_t sign = uint64_t{1} << (width - 1);
  if (is_f && o.abs) x &= ~sign;
  if (is_f && o.neg) x ^= sign;
  return x;
}

uint32_t LaneView::half(int k, int n) const {
  const Operand& o = i.source(k);
  bool high = (n == 0 ? i.op_sel : i.op_sel_hi) >> k & 1;
  uint32_t x = reg(o, 0) >> (high ? 16 : 0) & 0xffff;
  bool is_f = o.type == Type::pk_f16 || o.type == Type::pk_bf16;
  if (is_f && ((n == 0 ? i.neg_lo : i.neg_hi) >> k & 1)) x ^= 0x8000;
  return x;
}

uint32_t LaneView::dword(int k, int n) const {
  const Operand& o = i.source(k);
  bool high = (n == 0 ? i.op_sel : i.op_sel_hi) >> k & 1;
  uint32_t x = reg(o, high ? 1 : 0);
  if (o.type == Type::pk_f32 && ((n == 0 ? i.neg_lo : i.neg_hi) >> k & 1)) x ^= 0x80000000u;
  return x;
}

bool LaneView::mask_in() const {
  for (int k = 0; k < i.source_count; ++k) {
    const Operand& o = i.source(k);
    if (o.field == Field::src2 && o.kind == Operand::Kind::sgpr && o.dwords == 2 && o.type == Type::b64)
      return m.sgpr64(o.number) >> lane & 1;
  }
  return m.vcc() >> lane & 1;
}

void LaneView::result(uint32_t x) const {
  if (i.form != Form::sdwa || i.sdwa.dst_sel == 6) {
    out(0, x);
    return;
  }
  int sel = i.sdwa.dst_sel;
  unsigned shift = sel < 4 ? 8u * static_cast<unsigned>(sel) : 16u * static_cast<unsigned>(sel - 4);
  uint32_t field = sel < 4 ? 0xffu : 0xffffu, placed = (x & field) << shift;
  switch (i.sdwa.dst_unused) {
  case 0: out(0, placed); break;
  case 1: {  // sign-extend upward, zeros below
    unsigned up = shift + (sel < 4 ? 8 : 16);
    bool negative = (x & field) >> (sel < 4 ? 7 : 15) & 1;
    out(0, placed | (negative && up < 32 ? ~0u << up : 0u));
    break;
  }
  default: out(0, (old32() & ~(field << shift)) | placed); break;
  }
}

void LaneView::out64(uint64_t x) const { out(0, static_cast<uint32_t>(x)), out(1, static_cast<uint32_t>(x >> 32)); }

void LaneView::out(int dword, uint32_t x) const {
  auto& file = i.dest().kind == Operand::Kind::agpr ? after_.agpr : after_.vgpr;
  file[(i.dest().number + static_cast<unsigned>(dword)) & 255][static_cast<size_t>(lane)] = x;
}

void LaneView::out16_sel(uint32_t x) const {
  if (i.op_sel >> 3 & 1) out16_keep(x);
  else out16(x);
}
void LaneView::out16_keep(uint32_t x) const {
  bool high = i.op_sel >> 3 & 1;
  uint32_t old = old32();
  out(0, high ? (old & 0xffff) | x << 16 : (old & 0xffff0000u) | (x & 0xffff));
}

namespace {
void set_bit(Machine& m, unsigned n, int lane, bool bit) {
  uint64_t one = uint64_t{1} << lane, x = m.sgpr64(n);
  m.set_sgpr64(n, bit ? x | one : x & ~one);
}
} // namespace

void LaneView::mask_out(bool bit) const {
  for (int k = 0; k < i.dest_count; ++k)
    if (i.dest(k).kind == Operand::Kind::sgpr) set_bit(after_, i.dest(k).number, lane, bit);
}

void LaneView::exec_out(bool bit) const { set_bit(after_, kExec, lane, bit); }

void add(const Entry* entries, size_t count) {
  for (size_t k = 0; k < count; ++k) registry()[entries[k].name] = &entries[k];
}

void register_all() {
  register_memory();
  register_typed();
  register_image();
  register_lds();
  register_cross();
  register_matrix();
  register_scalar();
  register_smem();
  register_valu_int();
  register_valu_int16();
  register_valu_float();
  register_valu_float_convert();
  register_valu_float_special();
}

std::string_view row_name(const Inst& inst) { return row_meta(inst.row).name; }

const Entry* find(std::string_view name) {
  auto it = registry().find(name);
  return it == registry().end() ? nullptr : it->second;
}

bool step(Machine& m, const Inst& inst) {
  const Meta& meta = row_meta(inst.row);
  const Entry* e = find(meta.name);
  if (!e) return false;
  m.next_pc = m.pc + inst.size;
  if (e->scalar) {
    ScalarView v(m, inst);
    e->scalar(v);
  } else if (e->wave) {
    e->wave(m, inst);
  } else {
    const Machine before = m;
    for (int k = 0; k < inst.dest_count; ++k)  // lanes that don't run leave 0 in a mask
      if (inst.dest(k).kind == Operand::Kind::sgpr) m.set_sgpr64(inst.dest(k).number, 0);
    if (has(meta.flags, WritesExec)) m.set_sgpr64(kExec, 0);
    for (int lane = 0; lane < 64; ++lane)
      if (before.active(lane) && !dpp_switches_off(before, inst, lane)) e->lane(LaneView(before, m, inst, lane));
  }
  m.pc = m.next_pc;
  return true;
}

} // namespace bz::isa::ref
