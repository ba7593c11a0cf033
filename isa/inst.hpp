// A decoded instruction: which row, which form, every operand and modifier as plain values. Filled by the decoder, read by
// the text form and the engines. Must not know what any row does.
#pragma once
#include "isa/row.hpp"

#include <array>
#include <cstdint>

namespace bz::isa {

/// Which of a row's encodings it was.
enum class Form : uint8_t { plain, e64, sdwa, dpp };  // plain: the format's own word(s); e64: VOP3 of a VOP1/VOP2/VOPC row

struct Operand {
  enum class Kind : uint8_t {
    none,         ///< absent: saddr "off", a missing VDST
    sgpr,         ///< number 0-127 as encoded: 0-101 s, 102 flat_scratch, 104 xnack_mask, 106 vcc, 108-123 ttmp, 124 m0,
                  ///< 126 exec. Pairs name the even (lower) number.
    vgpr,         ///< number 0-255
    agpr,         ///< number 0-255
    special,      ///< read-only source, number as encoded: 235-238 apertures, 239 pops, 251 vccz, 252 execz, 253 scc,
                  ///< 254 lds_direct, 125 null (gfx9 disassemblers accept it)
    constant,     ///< inline constant: `value` has the bits at the operand's type, `number` the code (128-248)
    literal,      ///< 32-bit literal: `value` is expanded to the operand's type (f64: high half, i64: sign, b64/u64: zero)
    imm,          ///< an immediate field: `value`, sign-extended where the field is signed
  };
  Kind kind = Kind::none;
  Field field = Field::none;
  Type type = Type::b32;
  uint8_t dwords = 1;          ///< registers that it spans
  uint16_t number = 0;
  bool is_dst = false;
  bool neg = false, abs = false, sext = false;  ///< of this source (VOP3, DPP, SDWA)
  uint64_t value = 0;

  bool is_reg() const { return kind == Kind::sgpr || kind == Kind::vgpr || kind == Kind::agpr; }
  bool is_const() const { return kind == Kind::constant || kind == Kind::literal || kind == Kind::imm; }
};

/// DPP control word. src0 is always the permuted VGPR.
struct Dpp {
  uint16_t ctrl = 0;     ///< 9 bits: quad_perm, row_shl ...; see encodings
  uint8_t row_mask = 0xf, bank_mask = 0xf;
  bool bound_ctrl = false;  ///< out-of-range lanes read 0 instead of being switched off
  bool fi = false;          ///< v_permlane*_swap: lanes that EXEC switches off are read
};

/// SDWA selects: 0-3 byte, 4-5 word, 6 dword. dst_unused: 0 pad, 1 sign-extend, 2 preserve.
struct Sdwa {
  uint8_t dst_sel = 6, dst_unused = 0;
  std::array<uint8_t, 2> src_sel{6, 6};
};

struct Inst {
  RowId row = kNoRow;
  uint16_t opcode = 0;            ///< as encoded in `format` (VOP3 forms: the derived VOP3 opcode)
  Format format = SOPP;           ///< the encoding's own format: VOP3 for e64 forms, VOP1/VOP2/VOPC for sdwa and dpp
  Form form = Form::plain;
  bool legal = true;              ///< false: LLVM's disassembler shows it, but no such operand exists on the chip (a tuple
                                  ///< past v255 or misaligned, AGPRs before gfx908 ...): executing it must fail by name
  uint8_t size = 0;               ///< bytes, with literal, DPP or SDWA dword
  uint8_t operand_count = 0;      ///< in printing order, absent `rtn` destinations left out
  uint8_t source_count = 0;
  uint8_t dest_count = 0;
  std::array<Operand, 9> operands{};
  std::array<uint8_t, 9> sources{};  ///< indices of sources in order (src0, src1 ...); an `rw` destination comes last
  std::array<uint8_t, 3> dests{};    ///< indices of destinations in order (vdst, then carry-out)

  // Vector modifiers.
  bool clamp = false;
  uint8_t omod = 0;               ///< 1: *2, 2: *4, 3: /2
  uint8_t op_sel = 0;             ///< bit k: source k uses its high half; VOP3: bit 3 = destination's high half
  uint8_t op_sel_hi = 0;          ///< VOP3P: bit k: high result uses the high half of source k
  uint8_t neg_lo = 0, neg_hi = 0; ///< VOP3P: negate source k for the low / high result; v_fma_mix: neg / abs
  uint8_t bitop3 = 0;             ///< truth table of v_bitop3: result bits for (src0, src1, src2) = 000 to 111
  Dpp dpp;
  Sdwa sdwa;

  // Matrix modifiers.
  uint8_t cbsz = 0, abid = 0, blgp = 0;

  // Memory modifiers.
  int32_t offset = 0;             ///< bytes; DS 16 bits, FLAT signed 13, MUBUF unsigned 12, SMEM signed 21
  uint8_t offset0 = 0, offset1 = 0;  ///< DS two-address forms, in elements
  bool offset_imm = false;        ///< SMEM: `offset` counts (besides or instead of a register)
  bool glc = false;               ///< sc0 on gfx942; an atomic returns the old value
  bool slc = false;               ///< nt on gfx942
  bool scc = false;               ///< gfx90a scc, gfx942 sc1
  bool lds = false, gds = false;
  bool offen = false, idxen = false, tfe = false;
  uint8_t dfmt = 0, nfmt = 0;     ///< MTBUF data and number format
  // Image and export modifiers.
  uint8_t dmask = 0, export_en = 0;
  bool unorm = false, da = false, r128 = false, lwe = false, d16 = false, done = false, compr = false, vm = false;

  int16_t simm16 = 0;             ///< SOPK, SOPP immediate as a signed number
  bool has_literal = false;
  uint32_t literal = 0;

  const Operand& source(int k) const { return operands[sources[static_cast<size_t>(k)]]; }
  const Operand& dest(int k = 0) const { return operands[dests[static_cast<size_t>(k)]]; }
  bool returns() const { return glc; }   ///< of an atomic with a returning form
  /// SOPP, SOPK branches: address of the target when this instruction is at `pc`.
  uint64_t branch_target(uint64_t pc) const { return pc + 4 + static_cast<uint64_t>(int64_t{simm16} * 4); }
};

} // namespace bz::isa
