// Words to Inst: chooses the format, finds the row and fills its operands from the fields that the format has. Here: constants,
// registers and the scalar formats.
#include "isa/decoder.hpp"

namespace bz::isa {
namespace {

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

} // namespace

uint64_t expand_literal(Type t, uint32_t literal) {
  switch (t) {
  case Type::f64: return uint64_t{literal} << 32;
  case Type::i64: return static_cast<uint64_t>(int64_t{static_cast<int32_t>(literal)});
  default: return literal;
  }
}

bool Decoder::take_literal() {
  if (inst.has_literal) return true;
  if (used >= count) return false;
  inst.literal = words[used++];
  return inst.has_literal = true;
}

/// Scalar codes 0-127 and the read-only specials; `dwords` gives the alignment.
bool Decoder::scalar_register(Operand& o, unsigned code) {
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

/// Any source code of 8 or 9 bits; a literal where the format has none is named, but not legal.
bool Decoder::source(Operand& o, const OperandSpec& spec, unsigned code, bool literal_allowed) {
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
    if (spec.no_inline || !take_literal()) return false;
    if (!literal_allowed) inst.legal = false;  // no such encoding on gfx9, though disassemblers read on
    o.kind = Operand::Kind::literal;
    o.number = static_cast<uint16_t>(code);
    o.value = expand_literal(o.type, inst.literal);
    return true;
  }
  return scalar_register(o, code);
}

bool Decoder::vgpr(Operand& o, unsigned number, bool agpr) {
  if (agpr && number + o.dwords > 256) return false;
  bool misaligned = gfx90a_up() && o.dwords > 1 && (number & 1) && !has(meta->flags, AnyTuple);
  if (misaligned && !agpr && !unaligned) return false;
  if (misaligned || number + o.dwords > 256 || (agpr && !has_agprs())) inst.legal = false;
  set_reg(o, agpr ? Operand::Kind::agpr : Operand::Kind::vgpr, number);
  return true;
}

Operand& Decoder::append(const OperandSpec& spec) {
  Operand& o = inst.operands[inst.operand_count++];
  o.field = spec.field;
  o.type = spec.type;
  o.dwords = spec.dwords;
  o.is_dst = spec.is_dst;
  return o;
}

/// Destinations that this instance of the row does not have.
bool Decoder::absent(const OperandSpec& spec) const {
  if (spec.if_returning && !inst.glc) return true;
  return inst.lds && spec.is_dst && (spec.field == Field::vdst || spec.field == Field::vdata);
}

void Decoder::index_operands() {
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

bool Decoder::find(Format format, unsigned opcode) {
  inst.row = find_row(target, format, opcode);
  if (inst.row == kNoRow) return false;
  inst.format = format;
  inst.opcode = static_cast<uint16_t>(opcode);
  meta = &row_meta(inst.row);
  return true;
}

// ------------------------------------------------------------ scalar formats

bool Decoder::sopx(const Layout& l, Format format) {
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

bool Decoder::smem() {
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

// ------------------------------------------------------------ choice of the format

bool Decoder::run() {
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
    if (is_scaled_mai()) return scaled_mai();
    return vop3p() || (inst = Inst(), mai(words, MAI));
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

bool Decoder::short_vector(const Layout& l, Format format) {
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

std::optional<Inst> decode(Target target, const uint32_t* words, size_t count) {
  if (count == 0) return std::nullopt;
  Decoder d{target, words, count};
  if (!d.run()) return std::nullopt;
  if (row_absent(d.inst.row)) d.inst.legal = false;
  d.index_operands();
  d.inst.size = static_cast<uint8_t>(d.used * 4);
  return d.inst;
}

} // namespace bz::isa
