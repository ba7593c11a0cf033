// Memory formats: DS, FLAT and its segments, buffers, images; exports and interpolation.
#include "isa/decoder.hpp"

#include <algorithm>
#include <bit>

namespace bz::isa {

/// gfx908 has AGPRs, but memory instructions don't reach them.
bool Decoder::data(Operand& o, unsigned number) {
  if (agpr_data && !gfx90a_up()) inst.legal = false;
  return vgpr(o, number, agpr_data);
}

/// Register fields that a row does not use must be 0.
bool Decoder::ds_reserved_clear(const Layout& l) const {
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

bool Decoder::ds() {
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

bool Decoder::flat() {
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
  if (float_atomic() && !float_atomic_form()) return false;
  bool off = saddr == 0x7f;
  if (float_atomic() && target == Target::gfx908 && !off && l.get('k', words)) return false;  // reserved there
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

bool Decoder::float_atomic() const {
  if (!has(meta->flags, Atomic)) return false;
  for (auto& spec : meta->operands.spec)
    if (is_float(spec.type) || spec.type == Type::pk_f16 || spec.type == Type::pk_bf16) return true;
  return false;
}

/// Float atomics return nothing on gfx908 and have no scc bit on gfx90a.
bool Decoder::float_atomic_form() const {
  return !(target == Target::gfx908 && inst.glc) && !(target == Target::gfx90a && inst.scc);
}

/// vaddr, vdata, srsrc and soffset, which MUBUF and MTBUF share.
bool Decoder::buffer(const Layout& l) {
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
  if (float_atomic() && !float_atomic_form()) return false;
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

bool Decoder::mubuf() {
  const auto& l = kMUBUF;
  if (count < 2 || !find(MUBUF, l.get('O', words))) return false;
  used = 2;
  inst.lds = l.get('l', words);
  if (inst.lds != has(meta->flags, LdsOnly) && !inst.lds) return false;
  bool no_lds = has(meta->flags, NoLds) && !(has(meta->flags, WideLds) && target == Target::gfx950);
  if (inst.lds && !has(meta->flags, LdsOnly) && (!has(meta->flags, Load) || has(meta->flags, Store) || no_lds)) return false;
  return buffer(l);
}

bool Decoder::mtbuf() {
  const auto& l = kMTBUF;
  if (count < 2 || !find(MTBUF, l.get('O', words))) return false;
  used = 2;
  inst.dfmt = static_cast<uint8_t>(l.get('d', words));
  inst.nfmt = static_cast<uint8_t>(l.get('n', words));
  return buffer(l);
}

/// Data sizes that image atomics exist with: one or two values, doubled for compare-and-swap, and the status.
bool Decoder::image_atomic_size(int n, const OperandSpec& spec) const {
  return spec.dwords == 1 ? n <= 3 : n >= 2 && n <= 5;
}

bool Decoder::mimg() {
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

bool Decoder::exports() {
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

bool Decoder::vintrp() {
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

} // namespace bz::isa
