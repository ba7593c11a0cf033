// Words to Inst: chooses the format, finds the row and fills its operands from the fields that the format has.
#include "isa/decode.hpp"
#include "isa/formats.hpp"

#include <algorithm>
#include <bit>

namespace bz::isa {
namespace {

// Source codes shared by scalar and vector operands.
constexpr unsigned kCodeSdwa = 249, kCodeDpp = 250, kCodeLiteral = 255, kCodeVgpr = 256;
constexpr unsigned kLastSgpr = 101;
constexpr unsigned kVcc = 106, kNull = 125;

/// Bits of the inline float constants 240-248 at one element type.
struct FloatConstants {
  uint64_t bits[9];
};
constexpr FloatConstants kF64 = {{0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000, 0xbff0000000000000,
                                  0x4000000000000000, 0xc000000000000000, 0x4010000000000000, 0xc010000000000000,
                                  0x3fc45f306dc9c882}};
constexpr FloatConstants kF32 = {{0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000, 0xc0000000, 0x40800000,
                                  0xc0800000, 0x3e22f983}};
constexpr FloatConstants kF16 = {{0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118}};
constexpr FloatConstants kBf16 = {{0x3f00, 0xbf00, 0x3f80, 0xbf80, 0x4000, 0xc000, 0x4080, 0xc080, 0x3e22}};

uint64_t float_constant(Type t, unsigned index) {
  switch (t) {
  case Type::f64: case Type::b64: case Type::i64: case Type::u64: return kF64.bits[index];
  case Type::f16: case Type::b16: case Type::i16: case Type::u16: case Type::pk_f16: return kF16.bits[index];
  case Type::bf16: case Type::pk_bf16: return kBf16.bits[index];
  default: return kF32.bits[index];
  }
}

uint64_t int_constant(Type t, int value) {
  int bits = type_bits(t);
  if (t == Type::pk_f32 || t == Type::pk_b32) bits = 32;
  uint64_t v = static_cast<uint64_t>(int64_t{value});
  return bits == 64 ? v : v & ((uint64_t{1} << bits) - 1);
}

/// A 32-bit literal at the operand's type: f64 takes it as the high half, i64 sign-extends, other types zero-extend.
uint64_t expand_literal(Type t, uint32_t literal) {
  switch (t) {
  case Type::f64: return uint64_t{literal} << 32;
  case Type::i64: return static_cast<uint64_t>(int64_t{static_cast<int32_t>(literal)});
  default: return literal;
  }
}

struct Decoder {
  Target target;
  const uint32_t* words;
  size_t count;
  Inst inst{};
  const Meta* meta = nullptr;
  size_t used = 1;          ///< dwords of the encoding so far
  bool unaligned = false;   ///< the disassembler does not check this VGPR tuple
  bool agpr_data = false;   ///< memory forms: data registers are AGPRs

  bool gfx90a_up() const { return (kGfx90aUp & bit(target)) != 0; }
  bool has_agprs() const { return (kGfx908Up & bit(target)) != 0; }

  bool take_literal() {
    if (inst.has_literal) return true;
    if (used >= count) return false;
    inst.literal = words[used++];
    return inst.has_literal = true;
  }

  static void set_reg(Operand& o, Operand::Kind kind, unsigned number) {
    o.kind = kind;
    o.number = static_cast<uint16_t>(number);
  }

  bool vector_format() const { return (inst.format & (VOP1 | VOP2 | VOPC | VOP3 | VOP3P)) != 0; }

  /// Scalar codes 0-127 and the read-only specials; `dwords` gives the alignment.
  bool scalar_register(Operand& o, unsigned code) {
    unsigned align = o.dwords == 1 ? 1 : o.dwords == 2 ? 2 : 4;
    if (code <= kLastSgpr || (code >= 108 && code <= 123)) {
      unsigned base = code <= kLastSgpr ? 0 : 108, limit = code <= kLastSgpr ? 106 : 124;
      unsigned n = base + (code - base) / align * align;
      if (n + o.dwords > limit) return false;
      set_reg(o, Operand::Kind::sgpr, n);
      return true;
    }
    if (code == kNull || (code >= 235 && code <= 239) || (code >= 251 && code <= 253) || code == 230 || code == 231 ||
        code == 254) {
      if (o.dwords > 2 && code != kNull) return false;
      if (o.dwords == 2 && (code == 231 || code == 254)) return false;
      if (code == kNull || (code == 254 && !vector_format())) inst.legal = false;
      set_reg(o, Operand::Kind::special, code);
      return true;
    }
    if (code >= 102 && code <= 127) {
      if (o.dwords == 2 && (code & 1 || code == 124)) return false;
      if (o.dwords > 2) return false;
      set_reg(o, Operand::Kind::sgpr, code);
      return true;
    }
    return false;
  }

  /// Any source code of 8 or 9 bits.
  bool source(Operand& o, const OperandSpec& spec, unsigned code, bool literal_allowed) {
    if (code >= kCodeVgpr) return set_reg(o, Operand::Kind::vgpr, code - kCodeVgpr), true;
    if (code >= 128 && code <= 208) {
      o.kind = Operand::Kind::constant;
      o.number = static_cast<uint16_t>(code);
      o.value = int_constant(o.type, code <= 192 ? static_cast<int>(code) - 128 : 192 - static_cast<int>(code));
      return !spec.no_inline;
    }
    if (code >= 240 && code <= 248) {
      o.kind = Operand::Kind::constant;
      o.number = static_cast<uint16_t>(code);
      o.value = float_constant(o.type, code - 240);
      return !spec.no_inline;
    }
    if (code == kCodeLiteral) {
      if (!literal_allowed || spec.no_inline || !take_literal()) return false;
      o.kind = Operand::Kind::literal;
      o.number = static_cast<uint16_t>(code);
      o.value = expand_literal(o.type, inst.literal);
      return true;
    }
    return scalar_register(o, code);
  }

  bool vgpr(Operand& o, unsigned number, bool agpr = false) {
    if (agpr && number + o.dwords > 256) return false;
    bool misaligned = gfx90a_up() && o.dwords > 1 && (number & 1);
    if (misaligned && !agpr && !unaligned) return false;
    if (misaligned || number + o.dwords > 256 || (agpr && !has_agprs())) inst.legal = false;
    set_reg(o, agpr ? Operand::Kind::agpr : Operand::Kind::vgpr, number);
    return true;
  }

  void immediate(Operand& o, int64_t value) {
    o.kind = Operand::Kind::imm;
    o.value = static_cast<uint64_t>(value);
  }

  Operand& append(const OperandSpec& spec) {
    Operand& o = inst.operands[inst.operand_count++];
    o.field = spec.field;
    o.type = spec.type;
    o.dwords = spec.dwords;
    o.is_dst = spec.is_dst;
    return o;
  }

  /// Destinations that this instance of the row does not have.
  bool absent(const OperandSpec& spec) const {
    if (spec.if_returning && !inst.glc) return true;
    return inst.lds && spec.is_dst && (spec.field == Field::vdst || spec.field == Field::vdata);
  }

  /// The lists of sources and destinations, from the operands in printing order.
  void index_operands() {
    bool returns = inst.glc || !has(meta->flags, Atomic) || inst.format == DS;
    for (uint8_t i = 0; i < inst.operand_count; ++i) {
      if (inst.operands[i].is_dst && returns) inst.dests[inst.dest_count++] = i;
      if (!inst.operands[i].is_dst) inst.sources[inst.source_count++] = i;
    }
    uint8_t op = 0;
    for (uint8_t k = 0; k < meta->operands.count; ++k) {
      auto& spec = meta->operands.spec[k];
      if (absent(spec)) continue;
      if (spec.read_write && spec.is_dst) inst.sources[inst.source_count++] = op;
      if (spec.read_write && !spec.is_dst) inst.dests[inst.dest_count++] = op;
      ++op;
    }
  }

  template <class F> bool each_operand(F&& fill) {
    for (int i = 0; i < meta->operands.count; ++i) {
      auto& spec = meta->operands.spec[static_cast<size_t>(i)];
      if (absent(spec)) continue;
      Operand& o = append(spec);
      if (!fill(o, spec)) return false;
    }
    return true;
  }

  bool find(Format format, unsigned opcode) {
    inst.row = find_row(target, format, opcode);
    if (inst.row == kNoRow) return false;
    inst.format = format;
    inst.opcode = static_cast<uint16_t>(opcode);
    meta = &row_meta(inst.row);
    return true;
  }

  // ------------------------------------------------------------ scalar formats

  bool sopx(const Layout& l, Format format) {
    if (!find(format, l.get('O', words))) return false;
    auto imm = l.has('I') ? l.get('I', words) : 0;
    if (format == SOPP && meta->operands.count == 0 && imm != 0) return false;
    inst.simm16 = static_cast<int16_t>(imm);
    return each_operand([&](Operand& o, const OperandSpec& spec) {
      switch (spec.field) {
      case Field::sdst: return scalar_register(o, l.get('D', words));
      case Field::ssrc0: return source(o, spec, l.get('A', words), true);
      case Field::ssrc1: return source(o, spec, l.get('B', words), true);
      case Field::gpr_idx: return immediate(o, l.has('I') ? imm : l.get('B', words)), true;
      case Field::k32:
        if (!take_literal()) return false;
        o.kind = Operand::Kind::literal;
        o.value = inst.literal;
        return true;
      default: return immediate(o, inst.simm16), true;
      }
    });
  }

  bool smem() {
    const auto& l = kSMEM;
    if (count < 2 || !find(SMEM, l.get('O', words))) return false;
    used = 2;
    inst.glc = l.get('g', words);
    bool imm = l.get('i', words), reg = l.get('e', words);
    int32_t offset = static_cast<int32_t>(l.get('I', words) << 11) >> 11;
    if (meta->operands.spec[meta->operands.count ? meta->operands.count - 1u : 0u].field != Field::smem_offset && imm) return false;
    return each_operand([&](Operand& o, const OperandSpec& spec) {
      switch (spec.field) {
      case Field::sdata:
        if (!scalar_register(o, l.get('D', words))) return false;
        if (o.number >= 126 || o.number == 124) inst.legal = false;  // neither EXEC nor M0
        return true;
      case Field::simm7: return immediate(o, l.get('D', words)), true;
      case Field::sbase: return scalar_register(o, l.get('S', words) * 2);
      default:  // smem_offset: immediate, register, or register and immediate
        inst.offset_imm = imm;
        if (imm) inst.offset = offset;
        if (imm && !reg) return immediate(o, offset), true;
        return scalar_register(o, reg ? l.get('F', words) : l.get('I', words) & 0x7f);
      }
    });
  }

  // ------------------------------------------------------------ vector formats

  static bool is_source(const OperandSpec& spec) {
    return spec.field == Field::src0 || spec.field == Field::src1 || spec.field == Field::src2 || spec.field == Field::vsrc;
  }
  static bool float_source(const OperandSpec& spec) {
    return is_source(spec) && !spec.mask && (is_float(spec.type) || spec.type == Type::pk_f16);
  }

  /// neg and abs change this source.
  bool takes_mods(const OperandSpec& spec) const { return float_source(spec) && !spec.plain; }

  /// Sources whose neg and abs bits the encoding has (a bit set). Rows without any float have none of them; integer
  /// sources beside a float one have bits that do nothing.
  unsigned mod_bits() const {
    unsigned bits = 0;
    bool any = has(meta->flags, Mods);
    for (auto& spec : meta->operands.spec) {
      any |= float_source(spec);
      if (!is_source(spec) || spec.mask) continue;
      if ((meta->formats & VOPC) && !float_source(spec)) continue;
      bits |= 1u << (spec.field == Field::src0 ? 0 : spec.field == Field::src2 ? 2 : 1);
    }
    if (has(meta->flags, OpSelByte)) bits |= 4;
    return any ? bits : 0;
  }

  /// Bits of VOP3 op_sel that a row with OpSel has, besides the destination's.
  unsigned op_sel_bits() const {
    unsigned bits = has(meta->flags, OpSelByte) ? 4 : 0;
    for (auto& spec : meta->operands.spec)
      if (spec.field == Field::attr) return 7;
      else if (is_source(spec)) bits |= 1u << (spec.field == Field::src0 ? 0 : spec.field == Field::src2 ? 2 : 1);
    return bits;
  }


  bool vcc_mask(Operand& o) { return set_reg(o, Operand::Kind::sgpr, kVcc), true; }

  /// VOP1, VOP2 and VOPC without SDWA or DPP.
  bool vop_plain(const Layout& l, Format format) {
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

  bool vector_source(Operand& o, const OperandSpec& spec, unsigned code, bool literal_allowed) {
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

  bool sdwa(const Layout& l, Format format) {
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
      inst.clamp = s.get('c', w);
      inst.omod = static_cast<uint8_t>(s.get('m', w));
    }
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
  bool sdwa_reserved_clear(const Layout& s, const uint32_t* w, const Layout& l, Format format) const {
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

  bool sdwa_source(Operand& o, const OperandSpec& spec, unsigned code, bool scalar) {
    if (!scalar) return vgpr(o, code);
    return source(o, spec, code, false);
  }

  bool dpp(const Layout& l, Format format) {
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
    return each_operand([&](Operand& o, const OperandSpec& spec) {
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
  }

  bool vop3() {
    const auto& l = kVOP3;
    if (count < 2 || !find(VOP3, l.get('O', words))) return false;
    used = 2;
    inst.form = meta->formats & (VOP1 | VOP2 | VOPC | VINTRP) ? Form::e64 : Form::plain;
    bool carry = false;  // a vector and a scalar destination: the layout without abs and op_sel
    for (auto& spec : meta->operands.spec) carry |= spec.field == Field::sdst && meta->operands.spec[0].field == Field::vdst;
    unsigned neg = l.get('n', words), abs = carry ? 0 : l.get('a', words);
    unsigned mods = mod_bits();
    if ((neg | abs) & ~mods) return false;
    if (!has(meta->flags, Clamp) && l.get('c', words)) return false;
    if (!has(meta->flags, Omod) && l.get('m', words)) return false;
    if (meta->operands.count == 0 && l.get('D', words) != 0) return false;
    inst.clamp = l.get('c', words);
    inst.omod = static_cast<uint8_t>(l.get('m', words));
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

  bool vop3p() {
    const auto& l = kVOP3P;
    if (!find(VOP3P, l.get('O', words))) return false;
    inst.clamp = l.get('c', words);
    unsigned sources = (1u << (meta->operands.count - 1)) - 1;
    if ((l.get('n', words) | l.get('a', words) | l.get('s', words)) & ~sources) return false;
    if (meta->operands.spec[1].type == Type::b32 && l.get('s', words)) return false;  // v_dot4, v_dot8 have no halves
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

  bool mai() {
    const auto& l = kMAI;
    if (!find(MAI, l.get('O', words))) return false;
    inst.cbsz = static_cast<uint8_t>(l.get('z', words));
    inst.abid = static_cast<uint8_t>(l.get('i', words));
    inst.blgp = static_cast<uint8_t>(l.get('b', words));
    unsigned acc = l.get('x', words);
    bool move = meta->operands.count == 2, sparse = meta->operands.spec[0].read_write;
    if (move && (inst.cbsz | (inst.abid & 7))) return false;
    if ((move || sparse) && inst.blgp) return false;
    // gfx908 has its accumulators always in AGPRs; later chips choose by a bit.
    bool acc_cd = !gfx90a_up() || l.get('d', words);
    return each_operand([&](Operand& o, const OperandSpec& spec) {
      auto src = [&](char name, bool agpr) {
        unsigned code = l.get(name, words);
        if (spec.reg == RegClass::av) {
          if (code >= kCodeVgpr) return vgpr(o, code - kCodeVgpr, agpr);
          inst.legal = false;  // matrices come from registers only
          return code != kCodeLiteral && source(o, spec, code, false);
        }
        if (spec.reg == RegClass::agpr && code >= kCodeVgpr) return vgpr(o, code - kCodeVgpr, true);
        if (spec.field == Field::src2 && code >= kCodeVgpr && spec.reg == RegClass::any)
          return vgpr(o, code - kCodeVgpr, acc_cd);
        if (code == kCodeLiteral) return false;
        if (code < 128 && meta->operands.count > 2) inst.legal = false;  // an accumulator in SGPRs
        return vector_source(o, spec, code, false);
      };
      switch (spec.field) {
      case Field::vdst:
        return vgpr(o, l.get('D', words), spec.reg == RegClass::agpr || (spec.reg == RegClass::any && acc_cd));
      case Field::src0: return src('A', acc & 1);
      case Field::src1: return src('B', acc & 2);
      case Field::src2: return src('C', acc_cd);
      default: return false;
      }
    });
  }

  // ------------------------------------------------------------ memory formats

  bool data(Operand& o, unsigned number) { return vgpr(o, number, agpr_data); }

  /// Register fields that a row does not use must be 0.
  bool ds_reserved_clear(const Layout& l) const {
    bool vdst = false, addr = has(meta->flags, GdsOnly), data0 = false, data1 = false;
    for (auto& spec : meta->operands.spec) {
      vdst |= spec.field == Field::vdst;
      addr |= spec.field == Field::addr;
      data0 |= spec.field == Field::data0 && !has(meta->flags, GdsOnly);
      data1 |= spec.field == Field::data1;
    }
    if (has(meta->flags, GdsOnly) && meta->operands.count == 0) addr = false;
    if (has(meta->flags, GdsOnly) && !l.get('g', words)) return false;
    if (agpr_data && !vdst && !data0 && !(addr && has(meta->flags, GdsOnly))) return false;
    if (has(meta->flags, NoGds) && l.get('g', words)) return false;
    if (!meta->operands.offset && !meta->operands.offset01 && (l.get('I', words) | l.get('J', words))) return false;
    return (vdst || !l.get('D', words)) && (addr || !l.get('V', words)) && (data0 || !l.get('A', words)) &&
           (data1 || !l.get('B', words));
  }

  bool ds() {
    const auto& l = kDS;
    if (count < 2 || !find(DS, l.get('O', words))) return false;
    used = 2;
    // gfx90a and later have no GDS; their disassembler ignores the bit.
    inst.gds = has(meta->flags, GdsOnly) || (!gfx90a_up() && l.get('g', words));
    agpr_data = l.get('a', words);
    if (!ds_reserved_clear(l)) return false;
    inst.offset0 = static_cast<uint8_t>(l.get('I', words));
    inst.offset1 = static_cast<uint8_t>(l.get('J', words));
    if (meta->operands.offset) inst.offset = inst.offset0 | inst.offset1 << 8;
    return each_operand([&](Operand& o, const OperandSpec& spec) {
      switch (spec.field) {
      case Field::vdst: return data(o, l.get('D', words));
      case Field::addr: return vgpr(o, l.get('V', words));
      case Field::data0: return data(o, l.get(has(meta->flags, GdsOnly) ? 'V' : 'A', words));
      case Field::data1: return data(o, l.get('B', words));
      default: return false;
      }
    });
  }

  bool flat() {
    const auto& l = kFLAT;
    constexpr Format segments[4] = {FLAT, SCRATCH, GLOBAL, FLAT};
    unsigned segment = l.get('S', words);
    if (count < 2 || segment == 3 || !find(segments[segment], l.get('O', words))) return false;
    used = 2;
    bool gfx940 = (kGfx940 & bit(target)) != 0;
    inst.glc = l.get('g', words);
    inst.slc = l.get('s', words);
    inst.scc = gfx90a_up() && l.get('k', words);
    bool bit13 = l.get('l', words);
    // Before gfx940 bit 13 sends the data of the one-dword loads to LDS.
    bool to_lds = bit13 && !gfx940 && segment != 0;
    if (to_lds && (!has(meta->flags, Load) || has(meta->flags, Store) || meta->op.gfx9 > 20)) return false;
    inst.lds = to_lds || has(meta->flags, LdsOnly);
    agpr_data = l.get('a', words);
    inst.offset = static_cast<int32_t>(l.get('I', words) << 19) >> 19;
    // FLAT has 12 unsigned bits; bit 12 must be 0 and is shown as it is.
    if (segment == 0) inst.offset = static_cast<int32_t>(l.get('I', words));
    unsigned saddr = l.get('R', words);
    if (segment == 0 && (saddr != 0 || bit13)) return false;
    if (segment == 2 && gfx940 && bit13) return false;
    if (inst.lds && agpr_data) return false;
    if (float_atomic() && target == Target::gfx90a && inst.scc) return false;
    bool off = saddr == 0x7f;
    // Scratch: an SGPR replaces the VGPR address, unless gfx940's bit 13 asks for both.
    bool use_vaddr = segment != 1 || (gfx940 ? bit13 : off);
    return each_operand([&](Operand& o, const OperandSpec& spec) {
      switch (spec.field) {
      case Field::vdst: return data(o, l.get('D', words));
      case Field::data: return data(o, l.get('A', words));
      case Field::addr:
        if (!use_vaddr) return true;
        if (segment == 2 && !off) o.dwords = 1;
        return vgpr(o, l.get('V', words));
      case Field::saddr:
        if (off) return true;
        if (!scalar_register(o, saddr)) return false;
        if (o.dwords == 2 && o.number == 126) inst.legal = false;  // not EXEC
        return true;
      default: return false;
      }
    });
  }

  /// Float atomics have no scc bit on gfx90a.
  bool float_atomic() const {
    if (!has(meta->flags, Atomic)) return false;
    for (auto& spec : meta->operands.spec)
      if (is_float(spec.type) || spec.type == Type::pk_f16 || spec.type == Type::pk_bf16) return true;
    return false;
  }

  /// vaddr, vdata, srsrc and soffset, which MUBUF and MTBUF share.
  bool buffer(const Layout& l) {
    inst.glc = l.get('g', words);
    inst.slc = l.get('s', words);
    inst.scc = gfx90a_up() && l.get('k', words);
    inst.idxen = l.get('x', words);
    inst.offen = l.get('e', words);
    inst.offset = static_cast<int32_t>(l.get('I', words));
    bool bit55 = l.get('a', words);
    agpr_data = gfx90a_up() && bit55;
    inst.tfe = !gfx90a_up() && bit55;
    if (inst.tfe && (!l.has('l') || has(meta->flags, Atomic))) return false;
    if (bit55 && (inst.lds || meta->operands.count == 0)) return false;
    bool no_address = meta->operands.count == 0 || meta->operands.spec[0].field == Field::srsrc;
    if (no_address && (inst.idxen | inst.offen)) return false;
    // Cache maintenance before gfx940 has no cache bits (buffer_wbl2 ignores them).
    if (meta->operands.count == 0 && meta->op.gfx9 != 40 && !(kGfx940 & bit(target)) && (inst.glc || l.get('k', words)))
      return false;
    if (float_atomic() && target == Target::gfx90a && inst.scc) return false;
    return each_operand([&](Operand& o, const OperandSpec& spec) {
      switch (spec.field) {
      case Field::vdata:
        if (inst.tfe) ++o.dwords;  // the extra dword receives the fault status
        return data(o, l.get('D', words));
      case Field::vaddr:
        o.dwords = static_cast<uint8_t>(inst.idxen + inst.offen);
        unaligned = inst.format == MTBUF;
        return o.dwords == 0 || vgpr(o, l.get('V', words));
      case Field::srsrc: return scalar_register(o, l.get('R', words) * 4);
      case Field::soffset: return source(o, spec, l.get('F', words), false);
      default: return false;
      }
    });
  }

  bool mubuf() {
    const auto& l = kMUBUF;
    if (count < 2 || !find(MUBUF, l.get('O', words))) return false;
    used = 2;
    inst.lds = l.get('l', words);
    if (inst.lds != has(meta->flags, LdsOnly) && !inst.lds) return false;
    if (inst.lds && !has(meta->flags, LdsOnly) &&
        (!has(meta->flags, Load) || has(meta->flags, Store | NoLds))) return false;
    return buffer(l);
  }

  bool mtbuf() {
    const auto& l = kMTBUF;
    if (count < 2 || !find(MTBUF, l.get('O', words))) return false;
    used = 2;
    inst.dfmt = static_cast<uint8_t>(l.get('d', words));
    inst.nfmt = static_cast<uint8_t>(l.get('n', words));
    return buffer(l);
  }

  /// Data sizes that image atomics exist with: one or two values, doubled for compare-and-swap, and the status.
  bool image_atomic_size(int n, const OperandSpec& spec) const {
    return spec.dwords == 1 ? n <= 3 : n >= 2 && n <= 5;
  }

  bool mimg() {
    const auto& l = kMIMG;
    if (count < 2 || !find(MIMG, l.get('O', words))) return false;
    used = 2;
    inst.glc = l.get('g', words);
    inst.slc = l.get('s', words);
    inst.scc = gfx90a_up() && l.get('k', words);
    inst.dmask = static_cast<uint8_t>(l.get('M', words));
    inst.unorm = l.get('u', words);
    inst.da = l.get('d', words);
    inst.r128 = l.get('r', words);
    inst.lwe = l.get('l', words);
    inst.d16 = l.get('h', words);
    if (inst.d16 && !has(meta->flags, D16)) return false;
    if (l.get('z', words)) return false;  // opcode bit 7 of later chips
    if (meta->operands.count < 4 && l.get('P', words)) return false;
    agpr_data = gfx90a_up() && l.get('t', words);
    inst.tfe = !gfx90a_up() && l.get('t', words);
    return each_operand([&](Operand& o, const OperandSpec& spec) {
      switch (spec.field) {
      case Field::vdata: {
        int n = has(meta->flags, Gather4) ? 4 : std::max(1, std::popcount(inst.dmask));
        if (inst.d16) n = (n + 1) / 2;
        n += inst.tfe;
        unsigned number = l.get('D', words);
        // Sizes that no such instruction has, and tuples that don't fit, show with the row's smallest size.
        bool exists = has(meta->flags, Gather4) ? n != 3 : !has(meta->flags, Atomic) || image_atomic_size(n, spec);
        if ((gfx90a_up() && n > 1 && (number & 1)) || number + static_cast<unsigned>(n) > 256) exists = false;
        if (exists) o.dwords = static_cast<uint8_t>(n);
        else inst.legal = false;
        return data(o, number);
      }
      case Field::vaddr: return vgpr(o, l.get('V', words));
      case Field::srsrc: return scalar_register(o, l.get('R', words) * 4);
      case Field::ssamp: return scalar_register(o, l.get('P', words) * 4);
      default: return false;
      }
    });
  }

  bool exports() {
    const auto& l = kEXP;
    if (count < 2 || !find(EXP, 0)) return false;
    used = 2;
    inst.export_en = static_cast<uint8_t>(l.get('E', words));
    inst.done = l.get('o', words);
    inst.compr = l.get('c', words);
    inst.vm = l.get('v', words);
    int index = 0;
    return each_operand([&](Operand& o, const OperandSpec& spec) {
      if (spec.field == Field::tgt) return immediate(o, l.get('T', words)), true;
      int k = index++;
      if (!(inst.export_en >> k & 1)) return true;
      return vgpr(o, l.get("ABCD"[inst.compr ? k / 2 : k], words));  // compressed: two halves per register
    });
  }

  bool vintrp() {
    const auto& l = kVINTRP;
    if (!find(VINTRP, l.get('O', words))) return false;
    return each_operand([&](Operand& o, const OperandSpec& spec) {
      switch (spec.field) {
      case Field::vdst: return vgpr(o, l.get('D', words));
      case Field::vsrc: return vgpr(o, l.get('V', words));
      case Field::param: return immediate(o, l.get('V', words)), true;
      default: return immediate(o, l.get('t', words) | l.get('h', words) << 6), true;
      }
    });
  }

  bool run() {
    uint32_t w = words[0];
    if (kSOP1.matches(w)) return sopx(kSOP1, SOP1);
    if (kSOPC.matches(w)) return sopx(kSOPC, SOPC);
    if (kSOPP.matches(w)) return sopx(kSOPP, SOPP);
    if (kSOPK.matches(w)) return sopx(kSOPK, SOPK);
    if (kSOP2.matches(w)) return sopx(kSOP2, SOP2);
    if (kVOP1.matches(w)) return short_vector(kVOP1, VOP1);
    if (kVOPC.matches(w)) return short_vector(kVOPC, VOPC);
    if (kVOP2.matches(w)) return short_vector(kVOP2, VOP2);
    if (kVOP3P.matches(w)) {
      if (count < 2) return false;
      used = 2;
      return vop3p() || (inst = Inst(), mai());
    }
    if (kVOP3.matches(w)) return vop3();
    if (kSMEM.matches(w)) return smem();
    if (kFLAT.matches(w)) return flat();
    if (kDS.matches(w)) return ds();
    if (kMUBUF.matches(w)) return mubuf();
    if (kMTBUF.matches(w)) return mtbuf();
    if (kMIMG.matches(w)) return mimg();
    if (kEXP.matches(w)) return exports();
    if (kVINTRP.matches(w)) return vintrp();
    return false;
  }

  bool short_vector(const Layout& l, Format format) {
    unsigned src0 = l.get('A', words);
    RowId row = find_row(target, format, l.get('O', words));
    if (row != kNoRow && row_meta(row).operands.count == 0 && has(row_meta(row).flags, NoDpp))
      return vop_plain(l, format);  // v_clrexcp has no source field
    bool no_source = row != kNoRow && row_meta(row).operands.count == 0;
    if (src0 == kCodeSdwa || src0 == kCodeDpp) {
      if (src0 == kCodeSdwa ? sdwa(l, format) : dpp(l, format)) return true;
      if (!no_source) return false;
      inst = Inst(), used = 1;  // v_nop with a second dword that is none of its own
    }
    return vop_plain(l, format);
  }
};

} // namespace

std::optional<Inst> decode(Target target, const uint32_t* words, size_t count) {
  if (count == 0) return std::nullopt;
  Decoder d{target, words, count};
  if (!d.run()) return std::nullopt;
  d.index_operands();
  d.inst.size = static_cast<uint8_t>(d.used * 4);
  return d.inst;
}

} // namespace bz::isa
