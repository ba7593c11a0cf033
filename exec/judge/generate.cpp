#include "exec/judge/generate.hpp"

#include "isa/formats.hpp"

#include <string_view>

namespace bz::exec::judge {
namespace {

using namespace isa;

constexpr unsigned kVcc = 106, kM0 = 124, kExec = 126;

void put(std::vector<uint32_t>& words, size_t first, const Layout& l, char name, uint32_t value) {
  if (!l.has(name)) return;
  auto f = l.fields[static_cast<size_t>(name)];
  uint32_t mask = (f.width == 32 ? ~0u : (1u << f.width) - 1) << f.low;
  uint32_t& w = words[first + f.dword];
  w = (w & ~mask) | (value << f.low & mask);
}

/// VGPRs come from a small pool, so that operands often coincide; wide ones need room.
uint32_t vgpr(Random& r) {
  if (r.chance(10)) return r.below(56) * 4;
  return r.below(3) ? r.below(6) * 2 : r.below(12);
}
uint32_t sgpr(Random& r) {
  switch (r.below(8)) {
  case 0: return kVcc;
  case 1: return r.below(13) * 8;
  default: return r.below(3) ? r.below(24) * 4 : r.below(100);
  }
}
uint32_t scalar_code(Random& r) {
  static constexpr uint32_t special[] = {kVcc, kVcc + 1, kM0, kExec, kExec + 1, 235, 236, 237, 238, 251, 252, 253};
  switch (r.below(12)) {
  case 0: case 1: return 128 + r.below(81);
  case 2: return 240 + r.below(9);
  case 3: return 255;
  case 4: return r.pick(special);
  default: return sgpr(r);
  }
}
uint32_t vector_code(Random& r) { return r.chance(60) ? 256 + vgpr(r) : scalar_code(r); }

uint32_t dpp_control(Random& r, bool wide) {
  if (wide) return 0x150 + r.below(16);
  static constexpr uint32_t fixed[] = {0x130, 0x134, 0x138, 0x13c, 0x140, 0x141, 0x142, 0x143};
  switch (r.below(6)) {
  case 0: return 0x101 + r.below(15);
  case 1: return 0x111 + r.below(15);
  case 2: return 0x121 + r.below(15);
  case 3: return r.pick(fixed);
  case 4: return 0x150 + r.below(16);
  default: return r.below(256);
  }
}

const Layout* layout(Format f, bool carry) {
  switch (f) {
  case SOP2: return &kSOP2;
  case SOP1: return &kSOP1;
  case SOPC: return &kSOPC;
  case SOPK: return &kSOPK;
  case SOPP: return &kSOPP;
  case SMEM: return &kSMEM;
  case VOP1: return &kVOP1;
  case VOP2: return &kVOP2;
  case VOPC: return &kVOPC;
  case VOP3: return carry ? &kVOP3S : &kVOP3;
  case VOP3P: return &kVOP3P;
  case MAI: return &kMAI;
  case DS: return &kDS;
  case FLAT: case GLOBAL: case SCRATCH: return &kFLAT;
  case MUBUF: return &kMUBUF;
  case MTBUF: return &kMTBUF;
  case MIMG: return &kMIMG;
  default: return nullptr;
  }
}

bool has_field(const Meta& m, Field f) {
  for (int k = 0; k < m.operands.count; ++k)
    if (m.operands.spec[static_cast<size_t>(k)].field == f) return true;
  return false;
}

/// Fields of an image instruction.
void fill_image(Random& r, std::vector<uint32_t>& w, const Layout& l, const Meta& meta, uint32_t eager) {
  auto flag = [&](char name) { put(w, 0, l, name, r.chance(eager)); };
  put(w, 0, l, 'D', vgpr(r)), put(w, 0, l, 'V', vgpr(r));
  put(w, 0, l, 'R', r.below(24));
  put(w, 0, l, 'P', has_field(meta, Field::ssamp) ? r.below(25) : 0);
  uint32_t mask = has(meta.flags, Gather4) ? 1u << r.below(4) : r.below(16);
  if (has(meta.flags, Atomic)) mask = meta.operands.spec[0].dwords == 2 ? (r.below(2) ? 15 : 3) : (r.below(2) ? 3 : 1);
  put(w, 0, l, 'M', mask);
  put(w, 0, l, 'u', r.below(2)), put(w, 0, l, 'd', r.below(2)), put(w, 0, l, 'g', r.below(2));
  flag('r'), flag('h'), flag('t'), flag('s'), flag('k');
}

/// The fields of the first word or two. `eager`: percentage of optional modifiers that are set.
void fill(Random& r, std::vector<uint32_t>& w, const Layout& l, const Encoding& e, const Meta& meta, uint32_t eager) {
  w[0] = l.fixed_value;
  put(w, 0, l, 'O', e.opcode);
  bool vector = e.format & (VOP1 | VOP2 | VOPC | VOP3 | VOP3P | MAI), memory = e.format & (DS | FLAT | GLOBAL | SCRATCH | MUBUF | MTBUF);
  if (e.format == MIMG) return fill_image(r, w, l, meta, eager);
  bool scalar_result = has_field(meta, Field::sdst) && !has_field(meta, Field::vdst);
  auto flag = [&](char name, uint32_t bits) { put(w, 0, l, name, r.chance(eager) ? r.word() & bits : 0); };
  if (memory) {
    for (char name : {'D', 'A', 'B', 'V'}) put(w, 0, l, name, vgpr(r));
    if (e.format == DS) {  // registers that the row doesn't have must be 0
      if (!has_field(meta, Field::vdst)) put(w, 0, l, 'D', 0);
      if (!has_field(meta, Field::addr)) put(w, 0, l, 'V', 0);
      if (!has_field(meta, Field::data0)) put(w, 0, l, 'A', 0);
      if (!has_field(meta, Field::data1)) put(w, 0, l, 'B', 0);
      if (meta.operands.offset || meta.operands.offset01) {
        put(w, 0, l, 'I', r.below(256));
        put(w, 0, l, 'J', meta.operands.offset && r.chance(70) ? r.below(8) : r.below(64));
      }
      // ds_swizzle: a pattern, not an offset; two operands in LDS: how far one is from the other.
      if (e.opcode == 61 || std::string_view(meta.name).find("_src2_") != std::string_view::npos) put(w, 0, l, 'J', r.below(256));
      flag('a', 1);
      return;
    }
    if (e.format & (FLAT | GLOBAL | SCRATCH)) {
      put(w, 0, l, 'S', e.format == FLAT ? 0 : e.format == SCRATCH ? 1 : 2);
      put(w, 0, l, 'R', e.format == FLAT ? (r.chance(50) ? 0 : 0x7f) : r.chance(50) ? 0x7f : sgpr(r) & ~1u);
      put(w, 0, l, 'I', e.format == FLAT ? r.below(r.chance(50) ? 4096 : 64) : r.chance(50) ? r.below(64) : r.word());
      if (!has_field(meta, Field::vdst)) put(w, 0, l, 'D', r.chance(eager) ? vgpr(r) : 0);
      if (!has_field(meta, Field::data)) put(w, 0, l, 'A', r.chance(eager) ? vgpr(r) : 0);
      put(w, 0, l, 'l', e.format == SCRATCH ? r.below(2) : e.format == GLOBAL && r.chance(15));
      flag('a', 1), flag('k', 1), flag('s', 1);
      put(w, 0, l, 'g', r.below(2));
      return;
    }
    put(w, 0, l, 'R', r.below(24));
    static constexpr uint32_t offsets[] = {128, 129, 132, 144, 192};
    put(w, 0, l, 'F', r.chance(40) ? r.pick(offsets) : r.chance(20) ? kM0 : r.below(100));
    put(w, 0, l, 'I', r.chance(70) ? r.below(64) : r.below(4096));
    put(w, 0, l, 'e', r.below(2)), put(w, 0, l, 'x', r.below(2)), put(w, 0, l, 'g', r.below(2));
    put(w, 0, l, 'l', r.chance(30));
    flag('s', 1), flag('k', 1), flag('a', 1);
    put(w, 0, l, 'd', 1 + r.below(14)), put(w, 0, l, 'n', r.below(8));
    return;
  }
  if (vector) {
    bool codes = e.format & (VOP3 | VOP3P | MAI);
    put(w, 0, l, 'A', vector_code(r));
    put(w, 0, l, 'B', codes ? vector_code(r) : vgpr(r));
    put(w, 0, l, 'C', r.chance(25) && has_field(meta, Field::src2) ? sgpr(r) : has_field(meta, Field::src2) ? vector_code(r) : 0);
    put(w, 0, l, 'D', scalar_result ? sgpr(r) & ~1u : has_field(meta, Field::vdst) ? vgpr(r) : 0);
    put(w, 0, l, 'S', sgpr(r) & ~1u);
    if (e.format == MAI) {
      if (r.chance(50)) put(w, 0, l, 'C', 256 + (l.get('D', w.data()) & 255));
      put(w, 0, l, 'd', r.below(2)), put(w, 0, l, 'x', r.below(4));
      flag('i', 15), flag('z', 7), flag('b', 7);
      return;
    }
    if (e.format == VOP3P) {
      put(w, 0, l, 'c', r.chance(eager));
      uint32_t high = r.chance(50) ? 7 : r.below(8);
      put(w, 0, l, 'h', high >> 2), put(w, 0, l, 'H', high);
      flag('s', 7), flag('a', 7), flag('n', 7);
      return;
    }
    flag('c', 1), flag('s', 15), flag('a', 7), flag('n', 7), flag('m', 3);
    return;
  }
  put(w, 0, l, 'A', scalar_code(r)), put(w, 0, l, 'B', scalar_code(r));
  put(w, 0, l, 'D', r.chance(8) ? kExec : r.chance(5) ? kM0 : sgpr(r));
  static constexpr uint32_t ends[] = {0, 1, 0x3f, 0x40, 0x7fff, 0x8000, 0xfff0, 0xffff};
  put(w, 0, l, 'I', r.chance(30) ? r.pick(ends) : r.word());
  if (e.format == SOPK && has_field(meta, Field::hwreg)) put(w, 0, l, 'I', 1 | r.below(32) << 6 | r.below(32) << 11);
  if (has_field(meta, Field::gpr_idx)) put(w, 0, l, l.has('I') ? 'I' : 'B', r.below(16));
  if (has_field(meta, Field::label)) put(w, 0, l, 'I', r.below(2) ? r.below(32) * 2 : 0u - r.below(32) * 2);
  if (e.format == SOPP && meta.operands.count == 0) put(w, 0, l, 'I', 0);
  if (e.format == SMEM) {
    put(w, 0, l, 'S', r.below(24) * 2), put(w, 0, l, 'D', r.below(24) * 4);
    put(w, 0, l, 'i', r.below(2)), put(w, 0, l, 'e', r.below(2)), put(w, 0, l, 'g', r.below(2));
    put(w, 0, l, 'F', r.chance(20) ? kM0 : r.below(100));
    put(w, 0, l, 'I', l.get('i', w.data()) ? r.below(r.chance(50) ? 64 : 512) : l.get('e', w.data()) ? 0 : r.chance(20) ? kM0 : r.below(100));
  }
}

void fill_sdwa(Random& r, std::vector<uint32_t>& w, const Encoding& e, const Meta& meta, uint32_t eager) {
  const Layout& s = e.format == VOPC ? kSDWAB : kSDWA;
  bool src1 = has_field(meta, Field::src1);
  auto source = [&](char number, char scalar) {
    bool is_scalar = r.chance(20);
    put(w, 1, kSDWA, number, is_scalar ? scalar_code(r) & 0xff : vgpr(r));
    put(w, 1, kSDWA, scalar, is_scalar);
  };
  source('A', 'S');
  put(w, 1, kSDWA, 'e', r.below(7));
  auto flag = [&](char name, uint32_t bits = 1) { put(w, 1, kSDWA, name, r.chance(eager) ? r.word() & bits : 0); };
  flag('x'), flag('n'), flag('a');
  if (src1) {
    bool is_scalar = r.chance(20);
    put(w, 0, *layout(e.format, false), 'B', is_scalar ? scalar_code(r) & 0xff : vgpr(r));
    put(w, 1, kSDWA, 'T', is_scalar);
    put(w, 1, kSDWA, 'f', r.below(7));
    flag('y'), flag('o'), flag('b');
  }
  if (e.format == VOPC) {
    put(w, 1, s, 'v', r.below(2));
    put(w, 1, s, 'D', s.get('v', w.data() + 1) ? sgpr(r) & ~1u : 0);
  } else {
    put(w, 1, s, 'd', has(meta.flags, NoDstSel) ? 6 : r.below(7));
    put(w, 1, s, 'U', r.below(3));
    flag('c'), flag('m', 3);
  }
}

void fill_dpp(Random& r, std::vector<uint32_t>& w, const Meta& meta, uint32_t eager) {
  bool wide = false;
  for (auto& spec : meta.operands.spec) wide |= spec.field != Field::none && spec.field != Field::sdst && spec.dwords > 1 && !spec.mask;
  auto flag = [&](char name, uint32_t bits = 1) { put(w, 1, kDPP, name, r.chance(eager) ? r.word() & bits : 0); };
  put(w, 1, kDPP, 'A', vgpr(r));
  put(w, 1, kDPP, 'I', dpp_control(r, wide));
  put(w, 1, kDPP, 'z', r.below(2));
  put(w, 1, kDPP, 'r', r.chance(60) ? 15 : r.below(16));
  put(w, 1, kDPP, 'k', r.chance(60) ? 15 : r.below(16));
  flag('n'), flag('a'), flag('o'), flag('b');
}

// ---------------------------------------------------------------- what a lone instruction can do

/// Registers that a program may name: s0-s101, VCC, M0, EXEC.
bool plain_sgpr(const Operand& o) {
  if (o.number + o.dwords <= 102u) return true;
  if (o.number >= kVcc && o.number + o.dwords <= kVcc + 2u) return true;
  if (o.number >= kExec && o.number + o.dwords <= kExec + 2u) return true;
  return o.number == kM0 && o.dwords == 1;
}

bool overlap(const Operand& a, const Operand& b) {
  return a.kind == b.kind && a.number < b.number + b.dwords && b.number < a.number + a.dwords;
}

/// v_mfma_f32_32x32x1f32 has 2 blocks, 16x16x1 4, 4x4x1 16: as many as 64 lanes hold of B, K values at a time.
int matrix_blocks(std::string_view name) {
  static constexpr std::string_view many[] = {"32x32x1f32", "16x16x1f32", "4x4x1f32", "32x32x4f16", "16x16x4f16", "4x4x4f16", "32x32x4i8", "16x16x4i8", "4x4x4i8",
                                              "32x32x2bf16", "16x16x2bf16", "4x4x2bf16", "32x32x4bf16_1k", "16x16x4bf16_1k", "4x4x4bf16_1k"};
  for (auto n : many)
    if (name.ends_with(n)) return name.find("_32x") != name.npos ? 2 : name.find("_16x") != name.npos ? 4 : 16;
  return 1;
}

bool acceptable(Target target, const Inst& i, const Meta& meta) {
  if (!i.legal) return false;
  bool scalar = i.format & (SOP2 | SOP1 | SOPC | SOPK | SOPP | SMEM);
  for (int k = 0; k < i.operand_count; ++k) {
    const Operand& o = i.operands[static_cast<size_t>(k)];
    if (o.kind == Operand::Kind::sgpr && !plain_sgpr(o)) return false;
    if (o.kind == Operand::Kind::special && (o.number == 239 || o.number == 254 || o.number == 125)) return false;
    if (o.kind == Operand::Kind::sgpr && o.is_dst && o.number >= kExec && !scalar) return false;
    // EXEC both as an explicit and as an implicit result, or the result of a return address: no such program.
    if (o.kind == Operand::Kind::sgpr && o.is_dst && o.number >= kExec && (has(meta.flags, WritesExec) || has(meta.flags, Call))) return false;
    if (o.kind == Operand::Kind::sgpr && o.is_dst && o.number == kM0 && has(meta.flags, WritesM0)) return false;
    if (i.format == SMEM && o.kind == Operand::Kind::sgpr && o.field == Field::sbase && o.number + o.dwords > 102u) return false;
  }
  if (i.form == Form::dpp) {
    bool broadcast = i.dpp.ctrl >= 0x150 && i.dpp.ctrl <= 0x15f;  // row_newbcast, gfx90a and later
    bool later = target == Target::gfx90a || target == Target::gfx942 || target == Target::gfx950;
    if (broadcast && !later) return false;
    if (i.source_count && i.source(0).dwords > 1 && !broadcast) return false;
  }
  if ((i.format & SOPK) && has_field(meta, Field::hwreg) && (i.simm16 & 63) != 1) return false;
  if (i.format == MAI && i.dest_count && i.source_count > 2) {
    // The accumulator is the destination or has nothing in common with it; A and B never have.
    const Operand& d = i.dest();
    if (overlap(d, i.source(0)) || overlap(d, i.source(1))) return false;
    if (meta.operands.spec[0].read_write && (overlap(i.source(2), i.source(0)) || overlap(i.source(2), i.source(1)) || overlap(i.source(2), d))) return false;
    // Broadcast within 2^cbsz blocks, of block abid among them; lane-group patterns of B exist for the rows with many blocks.
    // Other values mean nothing (MI300 ISA 7.1).
    if (i.dest().type != Type::f64) {
      int blocks = matrix_blocks(meta.name);
      bool sparse = meta.operands.spec[0].read_write;
      if (!sparse && ((1 << i.cbsz) > blocks || i.abid >= 1 << i.cbsz)) return false;
    } else if (i.cbsz || i.abid) {
      return false;
    }
    const Operand& c = i.source(2);
    // A constant accumulator must be a small whole number too.
    if (c.is_const() && is_float(d.type) && c.number != 128 && (c.number < 242 || c.number == 248)) return false;
    if (overlap(c, i.source(0)) || overlap(c, i.source(1))) return false;   // one register can't hold whole numbers of two types
    if (overlap(d, c) && (c.number != d.number || c.dwords != d.dwords)) return false;
  }
  if (i.format == DS && i.gds) return false;
  if (i.lds && has(row_meta(i.row).flags, WideLds)) return false;   // gfx950's wide forms are refused by name
  if (i.format == SMEM) {
    const Operand *base = nullptr, *data = nullptr;
    for (int k = 0; k < i.operand_count; ++k) {
      const Operand& o = i.operands[static_cast<size_t>(k)];
      if (o.field == Field::sbase) base = &o;
      if (o.field == Field::sdata) data = &o;
    }
    if (base && base->dwords == 4 && base->number % 4) return false;
    for (int k = 0; k < i.operand_count; ++k) {  // address registers don't coincide with each other or with the data
      const Operand& o = i.operands[static_cast<size_t>(k)];
      if (o.field == Field::smem_offset && o.kind == Operand::Kind::sgpr && ((base && overlap(o, *base)) || (data && overlap(o, *data)))) return false;
    }
    if (base && data && overlap(*base, *data)) return false;
  }
  return true;
}

} // namespace

std::vector<Encoding> encodings(Target target, RowId row) {
  const Meta& m = row_meta(row);
  std::vector<Encoding> list;
  int op = m.op.of(target);
  if (!(m.targets & bit(target)) || op < 0) return list;
  auto add = [&](Format f, Form form, unsigned opcode) {
    if (find_row(target, f, opcode) == row) list.push_back({f, form, opcode});
  };
  auto o = static_cast<unsigned>(op);
  for (Format f : {SOP2, SOP1, SOPC, SOPK, SOPP, SMEM, VOP3P, MAI, DS, FLAT, SCRATCH, GLOBAL, MUBUF, MTBUF, MIMG})
    if (m.formats & f) add(f, Form::plain, o);
  for (Format f : {VOP1, VOP2, VOPC}) {
    if (!(m.formats & f)) continue;
    add(f, Form::plain, o);
    if (m.formats & VOP3) add(VOP3, Form::e64, o + (f == VOP1 ? 0x140 : f == VOP2 ? 0x100 : 0));
    if (!has(m.flags, NoSdwa)) add(f, Form::sdwa, o);
    if (!has(m.flags, NoDpp)) add(f, Form::dpp, o);
  }
  if ((m.formats & VOP3) && !(m.formats & (VOP1 | VOP2 | VOPC))) add(VOP3, Form::plain, o);
  return list;
}

std::optional<Draw> draw(Random& r, Target target, RowId row, const Encoding& e) {
  const Meta& meta = row_meta(row);
  bool carry = e.format == VOP3 && has_field(meta, Field::vdst) && has_field(meta, Field::sdst);
  const Layout* l = layout(e.format, carry);
  if (!l) return std::nullopt;
  static constexpr uint32_t eagerness[] = {0, 15, 40};
  for (int attempt = 0; attempt < 400; ++attempt) {
    uint32_t eager = attempt > 200 ? 0 : r.pick(eagerness);
    std::vector<uint32_t> w(4, 0);
    fill(r, w, *l, e, meta, eager);
    size_t extra = l->dwords;
    if (e.form == Form::sdwa || e.form == Form::dpp) {
      put(w, 0, *l, 'A', e.form == Form::sdwa ? 249 : 250);
      if (e.form == Form::sdwa) fill_sdwa(r, w, e, meta, eager);
      else fill_dpp(r, w, meta, eager);
      ++extra;
    }
    for (size_t n = extra; n < w.size(); ++n) w[n] = static_cast<uint32_t>(random_value(r, r.chance(50) ? Type::b32 : Type::f32));
    auto inst = decode(target, w.data(), w.size());
    if (!inst || inst->row != row || inst->form != e.form || !acceptable(target, *inst, meta)) continue;
    w.resize(inst->size / 4u);
    return Draw{std::move(w), *inst};
  }
  return std::nullopt;
}

} // namespace bz::exec::judge
