// Vector formats: VOP1, VOP2, VOPC with SDWA and DPP, VOP3, VOP3P and the matrix operations.
#include "isa/decoder.hpp"

#include <iterator>

namespace bz::isa {

/// Sources whose neg and abs bits the encoding has (a bit set). Rows without any float have none of them; integer
/// sources beside a float one have bits that do nothing.
unsigned Decoder::mod_bits() const {
  unsigned bits = 0;
  bool any = has(meta->flags, Mods);
  for (auto& spec : meta->operands.spec) {
    any |= takes_mods(spec);
    if (!is_source(spec) || spec.mask) continue;
    if ((meta->formats & VOPC) && !float_source(spec)) continue;
    bits |= 1u << (spec.field == Field::src0 ? 0 : spec.field == Field::src2 ? 2 : 1);
  }
  if (has(meta->flags, OpSelByte)) bits |= 4;
  return any ? bits : 0;
}

/// Bits of VOP3 op_sel that a row with OpSel has, besides the destination's.
unsigned Decoder::op_sel_bits() const {
  unsigned bits = has(meta->flags, OpSelByte) ? 4 : 0;
  for (auto& spec : meta->operands.spec)
    if (spec.field == Field::attr) return 7;
    else if (is_source(spec)) bits |= 1u << (spec.field == Field::src0 ? 0 : spec.field == Field::src2 ? 2 : 1);
  return bits;
}

bool Decoder::vcc_mask(Operand& o) { return set_reg(o, Operand::Kind::sgpr, kVcc), true; }

/// VOP1, VOP2 and VOPC without SDWA or DPP.
bool Decoder::vop_plain(const Layout& l, Format format) {
  if (!find(format, l.get('O', words))) return false;
  if (meta->operands.count == 0 && l.get('D', words) != 0) return false;
  return each_operand([&](Operand& o, const OperandSpec& spec) {
    switch (spec.field) {
    case Field::vdst: return vgpr(o, l.get('D', words), spec.reg == RegClass::agpr);
    case Field::sdst:
      if (spec.mask) return vcc_mask(o);
      if (!scalar_register(o, l.get('D', words))) return false;
      if (o.kind != Operand::Kind::sgpr) inst.legal = false;
      return true;
    case Field::src0: return vector_source(o, spec, l.get('A', words), true);
    case Field::src1: return vgpr(o, l.get('B', words));
    case Field::src2: return vcc_mask(o);
    default:
      if (!take_literal()) return false;
      o.kind = Operand::Kind::literal;
      o.value = expand_literal(o.type, inst.literal);
      return true;
    }
  });
}

bool Decoder::vector_source(Operand& o, const OperandSpec& spec, unsigned code, bool literal_allowed) {
  if (code >= kCodeVgpr) {
    if (spec.reg == RegClass::sgpr) inst.legal = false;
    return vgpr(o, code - kCodeVgpr, spec.reg == RegClass::agpr);
  }
  // A register-only field: the disassembler shows whatever the code names.
  if (spec.reg == RegClass::vgpr || spec.reg == RegClass::agpr) {
    if (code != 254 || spec.reg == RegClass::agpr || spec.read_write) inst.legal = false;
    return code != kCodeLiteral && source(o, spec, code, false);
  }
  return source(o, spec, code, literal_allowed && spec.reg == RegClass::any);
}

bool Decoder::sdwa(const Layout& l, Format format) {
  if (count < 2 || !find(format, l.get('O', words)) || has(meta->flags, NoSdwa)) return false;
  inst.form = Form::sdwa;
  used = 2;
  const uint32_t* w = words + 1;
  bool compare = format == VOPC;
  const auto& s = kSDWA;
  if (!sdwa_reserved_clear(s, w, l, format)) return false;
  if (!compare) {
    inst.sdwa.dst_sel = static_cast<uint8_t>(s.get('d', w));
    inst.sdwa.dst_unused = static_cast<uint8_t>(s.get('U', w) % 3);  // 3 is reserved and pads
    if (meta->operands.count && (inst.sdwa.dst_sel == 7 || s.get('U', w) == 3)) inst.legal = false;
    inst.clamp = s.get('c', w);
    inst.omod = static_cast<uint8_t>(s.get('m', w));
  }
  if (s.get('e', w) == 7 || s.get('f', w) == 7) inst.legal = false;  // there are four bytes, two words and the dword
  inst.sdwa.src_sel = {static_cast<uint8_t>(s.get('e', w)), static_cast<uint8_t>(s.get('f', w))};
  return each_operand([&](Operand& o, const OperandSpec& spec) {
    auto mods = [&](char neg, char abs, char sext) {
      if (takes_mods(spec)) {
        if (spec.type != Type::pk_f16) o.neg = s.get(neg, w), o.abs = s.get(abs, w);
      } else o.sext = s.get(sext, w);
    };
    switch (spec.field) {
    case Field::vdst: return vgpr(o, l.get('D', words));
    case Field::sdst:
      if (compare && kSDWAB.get('v', w)) return scalar_register(o, kSDWAB.get('D', w));
      return vcc_mask(o);
    case Field::src0:
      mods('n', 'a', 'x');
      return sdwa_source(o, spec, s.get('A', w), s.get('S', w));
    case Field::src1:
      mods('o', 'b', 'y');
      return sdwa_source(o, spec, l.get('B', words), s.get('T', w));
    default: return vcc_mask(o);
    }
  });
}

/// neg and abs belong to float sources, sext to integer ones; what a row lacks must be 0.
bool Decoder::sdwa_reserved_clear(const Layout& s, const uint32_t* w, const Layout& l, Format format) const {
  bool has_src0 = false, has_src1 = false, float0 = false, float1 = false;
  for (auto& spec : meta->operands.spec) {
    if (spec.field == Field::src0) has_src0 = true, float0 = takes_mods(spec);
    if (spec.field == Field::src1) has_src1 = true, float1 = takes_mods(spec);
  }
  if (!has_src0)
    return l.get('D', words) == 0 && (w[0] & 0xbf3fe000u) == 0;  // v_nop: all but the destination selects
  if (float0 ? s.get('x', w) : s.get('n', w) | s.get('a', w)) return false;
  if (has_src1 && (float1 ? s.get('y', w) : s.get('o', w) | s.get('b', w))) return false;
  if (!has_src1 && (s.get('f', w) | s.get('y', w) | s.get('o', w) | s.get('b', w) | s.get('T', w))) return false;
  if (format == VOPC) return true;
  Type result = meta->operands.spec[0].type;
  bool float_result = is_float(result) || result == Type::pk_f16 || result == Type::pk_f32;
  if (!(has(meta->flags, Omod) && float_result) && s.get('m', w)) return false;
  return !has(meta->flags, NoDstSel) || s.get('d', w) == 6;
}

bool Decoder::sdwa_source(Operand& o, const OperandSpec& spec, unsigned code, bool scalar) {
  if (!scalar) return vgpr(o, code);
  if (code == kCodeLiteral) return false;
  return source(o, spec, code, false);
}

/// Of the 512 values of dpp_ctrl; the rest is shown with a remark. Double-precision units reach other lanes by row_newbcast only.
bool Decoder::dpp_control_exists() const {
  unsigned c = inst.dpp.ctrl;
  bool newbcast = gfx90a_up() && c >= 0x150 && c <= 0x15f;
  if (gfx90a_up())
    for (auto& o : inst.operands)
      if (o.kind == Operand::Kind::vgpr && o.dwords > 1) return newbcast;
  if (c < 0x100 || newbcast) return true;   // quad_perm
  if (c < 0x130) return c & 15;             // row_shl, row_shr, row_ror by 1 to 15
  return c == 0x130 || c == 0x134 || c == 0x138 || c == 0x13c || (c >= 0x140 && c <= 0x143);
}

bool Decoder::dpp(const Layout& l, Format format) {
  if (count < 2 || !find(format, l.get('O', words)) || has(meta->flags, NoDpp)) return false;
  inst.form = Form::dpp;
  used = 2;
  const uint32_t* w = words + 1;
  const auto& d = kDPP;
  unsigned mods = mod_bits();
  if (!(mods & 1) && (d.get('n', w) | d.get('a', w))) return false;
  if (!(mods & 2) && (d.get('o', w) | d.get('b', w))) return false;
  if (meta->operands.count == 0 && l.get('D', words) != 0) return false;
  inst.dpp = {static_cast<uint16_t>(d.get('I', w)), static_cast<uint8_t>(d.get('r', w)),
              static_cast<uint8_t>(d.get('k', w)), d.get('z', w) != 0};
  bool fine = each_operand([&](Operand& o, const OperandSpec& spec) {
    switch (spec.field) {
    case Field::vdst: return vgpr(o, l.get('D', words));
    case Field::src0:
      if (takes_mods(spec)) o.neg = d.get('n', w), o.abs = d.get('a', w);
      return vgpr(o, d.get('A', w));
    case Field::src1:
      if (takes_mods(spec)) o.neg = d.get('o', w), o.abs = d.get('b', w);
      return vgpr(o, l.get('B', words));
    default: return vcc_mask(o);
    }
  });
  if (fine && !dpp_control_exists()) inst.legal = false;
  return fine;
}

bool Decoder::vop3() {
  const auto& l = kVOP3;
  if (count < 2 || !find(VOP3, l.get('O', words))) return false;
  used = 2;
  inst.form = meta->formats & (VOP1 | VOP2 | VOPC | VINTRP) ? Form::e64 : Form::plain;
  bool carry = false;  // a vector and a scalar destination: the layout without abs and op_sel
  for (auto& spec : meta->operands.spec) carry |= spec.field == Field::sdst && meta->operands.spec[0].field == Field::vdst;
  unsigned neg = l.get('n', words), abs = carry ? 0 : l.get('a', words);
  bool bitop3 = has(meta->flags, Bitop3);
  if (bitop3) inst.bitop3 = static_cast<uint8_t>(neg | abs << 3 | l.get('m', words) << 6);
  else if ((neg | abs) & ~mod_bits()) return false;
  if (bitop3 && !has(meta->flags, OpSel) && l.get('s', words)) return false;
  if (has(meta->flags, IdleOpSel) && l.get('s', words) & 7 & ~op_sel_bits()) return false;
  if (!has(meta->flags, Clamp) && l.get('c', words)) return false;
  if (!has(meta->flags, Omod) && !bitop3 && l.get('m', words)) return false;
  if (meta->operands.count == 0 && l.get('D', words) != 0) return false;
  inst.clamp = l.get('c', words);
  if (!bitop3) inst.omod = static_cast<uint8_t>(l.get('m', words));
  if (has(meta->flags, SwapMods)) {
    inst.dpp.fi = l.get('s', words) & 1;
    inst.dpp.bound_ctrl = l.get('s', words) & 2;
  }
  if (has(meta->flags, OpSel)) {
    inst.op_sel = static_cast<uint8_t>(l.get('s', words));
    if (inst.op_sel & 7 & ~op_sel_bits()) return false;
  }
  return each_operand([&](Operand& o, const OperandSpec& spec) {
    auto src = [&](char name, unsigned index) {
      if (takes_mods(spec)) o.neg = neg >> index & 1, o.abs = abs >> index & 1;
      if (spec.mask && l.get(name, words) >= 128) inst.legal = false, unaligned = true;
      if (spec.field == Field::vsrc && l.get(name, words) < kCodeVgpr) inst.legal = false;
      return vector_source(o, spec, l.get(name, words), false);
    };
    switch (spec.field) {
    case Field::vdst: return vgpr(o, l.get('D', words));
    case Field::vsrc: return src('B', 1);
    case Field::param: return immediate(o, l.get('B', words)), true;
    case Field::attr:  // bit 8 picks the high half; the f32 rows have none
      if ((meta->formats & VINTRP) && l.get('A', words) >> 8) return false;
      return immediate(o, l.get('A', words)), true;
    case Field::sdst: return scalar_register(o, carry ? kVOP3S.get('S', words) : l.get('D', words));
    case Field::src0: return src('A', 0);
    case Field::src1: return src('B', 1);
    case Field::src2: return src('C', 2);
    default: return false;
    }
  });
}

bool Decoder::vop3p() {
  const auto& l = kVOP3P;
  if (!find(VOP3P, l.get('O', words))) return false;
  inst.clamp = l.get('c', words);
  bool no_result = meta->operands.spec[0].field != Field::vdst;
  if (no_result && (l.get('D', words) | l.get('c', words))) return false;
  unsigned sources = (1u << (meta->operands.count - !no_result)) - 1;
  if ((l.get('n', words) | l.get('a', words) | l.get('s', words)) & ~sources) return false;
  if (!no_result && meta->operands.spec[1].type == Type::b32 && l.get('s', words)) return false;  // v_dot4, v_dot8 have no halves
  inst.op_sel = static_cast<uint8_t>(l.get('s', words));
  inst.op_sel_hi = static_cast<uint8_t>(l.get('H', words) | l.get('h', words) << 2);
  inst.neg_lo = static_cast<uint8_t>(l.get('n', words));
  inst.neg_hi = static_cast<uint8_t>(l.get('a', words));
  return each_operand([&](Operand& o, const OperandSpec& spec) {
    auto src = [&](char name, unsigned index) {
      if (spec.type == Type::mix) o.neg = inst.neg_lo >> index & 1, o.abs = inst.neg_hi >> index & 1;
      return vector_source(o, spec, l.get(name, words), false);
    };
    switch (spec.field) {
    case Field::vdst: return vgpr(o, l.get('D', words));
    case Field::src0: return src('A', 0);
    case Field::src1: return src('B', 1);
    case Field::src2: return src('C', 2);
    default: return false;
    }
  });
}

/// Registers of a source of the f8f6f4 rows, by its type: 8-, 6- and 4-bit floats, 32 of them.
static uint8_t f8f6f4_dwords(unsigned type) {
  constexpr uint8_t dwords[] = {8, 8, 6, 6, 4};
  return type < std::size(dwords) ? dwords[type] : 8;
}

/// A matrix operation at `w`: words of its own, or the second half of a scaled one.
bool Decoder::mai(const uint32_t* w, Format format) {
  const auto& l = kMAI;
  if (!find(format, l.get('O', w))) return false;
  inst.cbsz = static_cast<uint8_t>(l.get('z', w));
  inst.abid = static_cast<uint8_t>(l.get('i', w));
  inst.blgp = static_cast<uint8_t>(l.get('b', w));
  unsigned acc = l.get('x', w);
  bool move = meta->operands.count == 2, sparse = meta->operands.spec[0].read_write;
  if (move && (inst.cbsz | (inst.abid & 7))) return false;
  if ((move || sparse) && inst.blgp) return false;
  bool by_type = has(meta->flags, F8f6f4);
  if (by_type && inst.abid != (format == VOP3PX)) return false;
  // gfx908 has its accumulators always in AGPRs; later chips choose by a bit.
  bool acc_cd = !gfx90a_up() || l.get('d', w);
  return each_operand([&](Operand& o, const OperandSpec& spec) {
    auto src = [&](char name, bool agpr) {
      unsigned code = l.get(name, w);
      if (spec.reg == RegClass::av) {
        if (code >= kCodeVgpr) return vgpr(o, code - kCodeVgpr, agpr);
        inst.legal = false;  // matrices come from registers only
        return code != kCodeLiteral && source(o, spec, code, false);
      }
      if (spec.reg == RegClass::agpr && code >= kCodeVgpr) return vgpr(o, code - kCodeVgpr, true);
      if (spec.field == Field::src2 && code >= kCodeVgpr && spec.reg == RegClass::any)
        return vgpr(o, code - kCodeVgpr, acc_cd);
      if (code == kCodeLiteral && spec.field != Field::src2) return false;
      if (code < 128 && meta->operands.count > 2) inst.legal = false;  // an accumulator in SGPRs
      return vector_source(o, spec, code, false);
    };
    switch (spec.field) {
    case Field::vdst:
      return vgpr(o, l.get('D', w), spec.reg == RegClass::agpr || (spec.reg == RegClass::any && acc_cd));
    case Field::src0:
      if (by_type) o.dwords = f8f6f4_dwords(inst.cbsz);
      return src('A', acc & 1);
    case Field::src1:
      if (by_type) o.dwords = f8f6f4_dwords(inst.blgp);
      return src('B', acc & 2);
    case Field::src2: return src('C', acc_cd);
    case Field::scale0: return vector_source(o, spec, kVOP3P.get('A', words), false);
    case Field::scale1: return vector_source(o, spec, kVOP3P.get('B', words), false);
    default: return false;
    }
  });
}

/// Two halves of eight bytes, the scales first; abid 1 in the second ties them together.
bool Decoder::is_scaled_mai() const {
  return count >= 4 && kVOP3P.get('O', words) == kScaleOpcode && kMAI.matches(words[2]) &&
         kMAI.get('i', words + 2) == 1 && find_row(target, VOP3PX, kMAI.get('O', words + 2)) != kNoRow;
}

bool Decoder::scaled_mai() {
  used = 4;
  inst.op_sel = static_cast<uint8_t>(kVOP3P.get('s', words));
  inst.op_sel_hi = static_cast<uint8_t>(kVOP3P.get('H', words));
  return mai(words + 2, VOP3PX);
}

} // namespace bz::isa
