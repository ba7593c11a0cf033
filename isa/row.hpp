// What a row of the instruction tables is: Meta (names, encodings, operands, flags) and a function over a builder.
// Owns the little language in which operands are written. Must not know any engine, decoder or register file.
#pragma once
#include "isa/target.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bz::isa {

// ---------------------------------------------------------------- encodings

/// Machine formats; a row's `formats` is a set of them. VOP1|VOP3 and the like mean that both encodings exist and that
/// the VOP3 opcode is derived from the short one (VOPC +0, VOP2 +0x100, VOP1 +0x140 on gfx9). SDWA and DPP are forms
/// of VOP1, VOP2 and VOPC unless NoSdwa or NoDpp says otherwise.
enum Format : uint32_t {
  SOP2 = 1u << 0, SOP1 = 1u << 1, SOPC = 1u << 2, SOPK = 1u << 3, SOPP = 1u << 4, SMEM = 1u << 5,
  VOP1 = 1u << 6, VOP2 = 1u << 7, VOPC = 1u << 8, VOP3 = 1u << 9, VOP3P = 1u << 10, MAI = 1u << 11,
  VINTRP = 1u << 12, DS = 1u << 13, FLAT = 1u << 14, SCRATCH = 1u << 15, GLOBAL = 1u << 16,
  MUBUF = 1u << 17, MTBUF = 1u << 18, MIMG = 1u << 19, EXP = 1u << 20,
  VOP3PX = 1u << 21,  ///< 16 bytes: v_mfma_ld_scale_b32, then a MAI word pair
};
inline constexpr int kFormatCount = 22;
using Formats = uint32_t;

/// Opcode numbers, one column per generation; -1 = does not exist there. `gfx940` overrides `gfx9` on gfx942 and
/// gfx950 where AMD renumbered.
struct Opcodes {
  int16_t gfx9 = -1;
  int16_t gfx940 = -1;
  constexpr int of(Target t) const {
    return (t == Target::gfx942 || t == Target::gfx950) && gfx940 >= 0 ? gfx940 : gfx9;
  }
};

// ---------------------------------------------------------------- flags

/// What can't be read off the operand list. Combine with |.
enum class Flags : uint64_t {};
constexpr Flags operator|(Flags a, Flags b) { return Flags(uint64_t(a) | uint64_t(b)); }
constexpr bool has(Flags set, Flags f) { return (uint64_t(set) & uint64_t(f)) != 0; }
namespace detail { constexpr Flags flag(int n) { return Flags(uint64_t(1) << n); } }
inline constexpr Flags None{};
// Output and input modifiers of vector rows.
inline constexpr Flags Clamp = detail::flag(0);       ///< VOP3/SDWA clamp bit (saturation or [0,1])
inline constexpr Flags Omod = detail::flag(1);        ///< VOP3/SDWA output multiplier
inline constexpr Flags OpSel = detail::flag(2);       ///< VOP3 op_sel picks halves of sources and destination
inline constexpr Flags Mods = detail::flag(3);        ///< has neg/abs bits though no source is a float: they do nothing
inline constexpr Flags NoDpp = detail::flag(5);       ///< no DPP form
inline constexpr Flags NoSdwa = detail::flag(6);      ///< no SDWA form
inline constexpr Flags NoSuffix = detail::flag(7);    ///< printed without _e32/_e64
// Implicit state, beyond the operands.
inline constexpr Flags ReadsScc = detail::flag(8);
inline constexpr Flags WritesScc = detail::flag(9);
inline constexpr Flags ReadsVcc = detail::flag(10);
inline constexpr Flags WritesVcc = detail::flag(11);
inline constexpr Flags WritesExec = detail::flag(12);
inline constexpr Flags ReadsExec = detail::flag(13);   ///< scalar rows; vector and memory rows read it unless IgnoresExec
inline constexpr Flags IgnoresExec = detail::flag(14); ///< v_readlane, v_writelane: EXEC does not matter
inline constexpr Flags ReadsM0 = detail::flag(15);
inline constexpr Flags WritesM0 = detail::flag(16);
inline constexpr Flags ReadsMode = detail::flag(17);   ///< rounding, denormals, IEEE, DX10 clamp, GPR index
inline constexpr Flags WritesMode = detail::flag(18);
inline constexpr Flags ReadsFlatScratch = detail::flag(19);
/// The usual float row: clamps, output multiplier, and obeys MODE.
inline constexpr Flags FloatOp = Clamp | Omod | ReadsMode;
// Control.
inline constexpr Flags Branch = detail::flag(20);      ///< may leave the straight line (with CondBranch: or not)
inline constexpr Flags CondBranch = detail::flag(21);
inline constexpr Flags EndProgram = detail::flag(22);
inline constexpr Flags Barrier = detail::flag(23);
inline constexpr Flags Call = detail::flag(24);        ///< writes a return address
inline constexpr Flags Trap = detail::flag(25);
inline constexpr Flags WholeWave = detail::flag(26);   ///< sees other lanes (permutes, swizzles, matrix, readlane)
// Memory.
inline constexpr Flags Load = detail::flag(27);
inline constexpr Flags Store = detail::flag(28);
inline constexpr Flags Atomic = detail::flag(29);      ///< with Load and Store
inline constexpr Flags Returns = detail::flag(30);     ///< an atomic that always returns the old value (DS *_rtn)
inline constexpr Flags D16Hi = detail::flag(31);       ///< touches the high half of the data register
inline constexpr Flags GdsOnly = detail::flag(32);     ///< DS rows that exist only with gds (gws, ordered count)
inline constexpr Flags NoLds = detail::flag(33);       ///< a buffer load without the lds form
inline constexpr Flags NoGds = detail::flag(34);
inline constexpr Flags LdsOnly = detail::flag(35);     ///< global/buffer load whose data goes to LDS (no vdst)
inline constexpr Flags D16 = detail::flag(36);         ///< image rows with a d16 bit: two 16-bit components per register
inline constexpr Flags Gather4 = detail::flag(37);     ///< image rows that always give four components
inline constexpr Flags Typed = detail::flag(38);       ///< format conversion through the resource (buffer_*_format_*)
inline constexpr Flags NoDstSel = detail::flag(39);    ///< the SDWA form has source selects only
inline constexpr Flags OpSelByte = detail::flag(40);   ///< VOP3 op_sel[3:2] picks the destination byte (v_cvt_sr_*)
inline constexpr Flags Bitop3 = detail::flag(41);      ///< VOP3 neg, abs and omod are a truth table of eight bits
inline constexpr Flags SwapMods = detail::flag(42);    ///< VOP3 op_sel[1:0] are bound_ctrl and fi (v_permlane*_swap)
inline constexpr Flags F8f6f4 = detail::flag(43);      ///< cbsz and blgp pick the types, and so the registers, of A and B
inline constexpr Flags WideLds = detail::flag(44);     ///< with NoLds: gfx950 has the lds form after all
inline constexpr Flags IdleOpSel = detail::flag(45);   ///< VOP3 op_sel bits of sources and destination exist and do nothing
inline constexpr Flags AnyTuple = detail::flag(46);    ///< register tuples may start at odd numbers on gfx90a and later too
constexpr Flags operator&(Flags a, Flags b) { return Flags(uint64_t(a) & uint64_t(b)); }

// ---------------------------------------------------------------- operands

/// How a source reads constants, and how wide an element is.
enum class Type : uint8_t {
  none, b16, i16, u16, f16, bf16, b32, i32, u32, f32, b64, i64, u64, f64,
  pk_f16, pk_i16, pk_u16, pk_f32, pk_b32, pk_bf16,
  mix,   ///< v_fma_mix*: f32, or an f16 half, by op_sel_hi
};
constexpr bool is_float(Type t) {
  return t == Type::f16 || t == Type::bf16 || t == Type::f32 || t == Type::f64 || t == Type::mix;
}
constexpr int type_bits(Type t) {
  switch (t) {
  case Type::b16: case Type::i16: case Type::u16: case Type::f16: case Type::bf16: return 16;
  case Type::b64: case Type::i64: case Type::u64: case Type::f64: case Type::pk_f32: case Type::pk_b32: return 64;
  default: return 32;
  }
}

/// Where an operand sits in the encoding. The decoder knows the bits, per format and form.
enum class Field : uint8_t {
  none,
  sdst,      ///< scalar destination: SOP*, v_readlane; VOPC and carry-out: VCC in short forms, an SGPR pair in VOP3
  ssrc0, ssrc1,
  simm16,    ///< SOPK, SOPP immediate
  label,     ///< SOPK, SOPP branch target in dwords from the next instruction
  hwreg,     ///< s_getreg / s_setreg register, offset, size
  waitcnt, sendmsg, gpr_idx,
  k32,       ///< the literal that always follows (v_madmk, s_setreg_imm32)
  sbase, sdata, smem_offset, simm7,
  vdst, src0, src1, src2,
  vsrc, attr, param,    ///< VINTRP
  addr, data0, data1,   ///< DS
  vaddr, data, saddr,   ///< FLAT family (addr, data, saddr) and buffers (vaddr)
  vdata, srsrc, soffset, ssamp,
  tgt, vsrc0, vsrc1, vsrc2, vsrc3,  ///< EXP
  scale0, scale1,       ///< VOP3PX: the first half's sources
};

enum class RegClass : uint8_t {
  any,     ///< what the field allows: sources scalar, vector or constant; vector fields VGPR
  vgpr,    ///< `v`: VGPR only
  sgpr,    ///< `s`: SGPR or inline constant, no VGPR, no literal
  agpr,    ///< `a`: AGPR only
  av,      ///< `av`: VGPR or AGPR by a bit of the encoding
};

struct OperandSpec {
  Field field = Field::none;
  Type type = Type::b32;
  uint8_t dwords = 1;
  RegClass reg = RegClass::any;
  bool read_write = false;     ///< `rw`: a destination that is also the last source (v_swap_b32: a source that is written)
  bool if_returning = false;   ///< `rtn`: present only when the instruction returns the old value (glc / sc0)
  bool mask = false;           ///< `mask`: a lane mask; VCC in short forms, an SGPR pair in VOP3
  bool is_dst = false;
  bool no_inline = false;      ///< `reg`: a scalar field that takes registers only
  bool plain = false;          ///< `plain`: no neg/abs, whatever the type
};

/// "vdst:f32, src0:f32, src1:f32" — comma separated, in printing order, attributes after colons:
/// a type (f32, b64, pk_f16 ...), a number of dwords (after the type), a register class (v, s, a, av, reg), rw, rtn, mask,
/// plain, dst, src.
/// After the last operand, words without comma name modifiers: offset, offset01 (offset0/offset1).
struct Operands {
  std::array<OperandSpec, 8> spec{};
  uint8_t count = 0;
  bool offset = false, offset01 = false;

  constexpr Operands() = default;
  consteval Operands(const char* text) { parse(text); }

private:
  static constexpr bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }
  static void fail(const char* why);  // never defined: reaching it in a constant expression is the compile error

  /// Names are told apart by hash: comparing strings costs the compiler seconds over all rows. Two names with one hash
  /// would be a duplicate case; an unknown name with the hash of a known one is not to be feared in a row file.
  static consteval uint32_t hash(std::string_view w) {
    uint32_t h = 2166136261u;
    for (char c : w) h = (h ^ static_cast<unsigned char>(c)) * 16777619u;
    return h;
  }
  static consteval Field field_of(std::string_view w) {
    switch (hash(w)) {
    case hash("sdst"): return Field::sdst; case hash("ssrc0"): return Field::ssrc0;
    case hash("ssrc1"): return Field::ssrc1; case hash("simm16"): return Field::simm16;
    case hash("label"): return Field::label; case hash("hwreg"): return Field::hwreg;
    case hash("waitcnt"): return Field::waitcnt; case hash("sendmsg"): return Field::sendmsg;
    case hash("gpr_idx"): return Field::gpr_idx; case hash("k32"): return Field::k32;
    case hash("sbase"): return Field::sbase; case hash("sdata"): return Field::sdata;
    case hash("smem_offset"): return Field::smem_offset; case hash("simm7"): return Field::simm7;
    case hash("vdst"): return Field::vdst; case hash("src0"): return Field::src0;
    case hash("src1"): return Field::src1; case hash("src2"): return Field::src2;
    case hash("vsrc"): return Field::vsrc; case hash("attr"): return Field::attr;
    case hash("param"): return Field::param; case hash("addr"): return Field::addr;
    case hash("data0"): return Field::data0; case hash("data1"): return Field::data1;
    case hash("vaddr"): return Field::vaddr; case hash("data"): return Field::data;
    case hash("saddr"): return Field::saddr; case hash("vdata"): return Field::vdata;
    case hash("srsrc"): return Field::srsrc; case hash("soffset"): return Field::soffset;
    case hash("ssamp"): return Field::ssamp; case hash("tgt"): return Field::tgt;
    case hash("vsrc0"): return Field::vsrc0; case hash("vsrc1"): return Field::vsrc1;
    case hash("vsrc2"): return Field::vsrc2; case hash("vsrc3"): return Field::vsrc3;
    case hash("scale0"): return Field::scale0; case hash("scale1"): return Field::scale1;
    default: return Field::none;
    }
  }
  static consteval Type type_of(std::string_view w) {
    switch (hash(w)) {
    case hash("b16"): return Type::b16; case hash("i16"): return Type::i16; case hash("u16"): return Type::u16;
    case hash("f16"): return Type::f16; case hash("bf16"): return Type::bf16; case hash("b32"): return Type::b32;
    case hash("i32"): return Type::i32; case hash("u32"): return Type::u32; case hash("f32"): return Type::f32;
    case hash("b64"): return Type::b64; case hash("i64"): return Type::i64; case hash("u64"): return Type::u64;
    case hash("f64"): return Type::f64; case hash("pk_f16"): return Type::pk_f16;
    case hash("pk_i16"): return Type::pk_i16; case hash("pk_u16"): return Type::pk_u16;
    case hash("pk_f32"): return Type::pk_f32; case hash("pk_b32"): return Type::pk_b32;
    case hash("pk_bf16"): return Type::pk_bf16; case hash("mix"): return Type::mix;
    default: return Type::none;
    }
  }
  consteval void attribute(OperandSpec& s, std::string_view w) {
    if (w[0] >= '0' && w[0] <= '9') {
      int n = 0;
      for (char c : w) n = n * 10 + (c - '0');
      s.dwords = static_cast<uint8_t>(n);
      return;
    }
    switch (hash(w)) {
    case hash("v"): s.reg = RegClass::vgpr; break;
    case hash("s"): s.reg = RegClass::sgpr; break;
    case hash("a"): s.reg = RegClass::agpr; break;
    case hash("av"): s.reg = RegClass::av; break;
    case hash("reg"): s.no_inline = true; break;
    case hash("plain"): s.plain = true; break;
    case hash("rw"): s.read_write = true, s.is_dst = s.field != Field::src0; break;  // v_swap_b32 writes its source
    case hash("rtn"): s.if_returning = true; break;
    case hash("dst"): s.is_dst = true; break;
    case hash("src"): s.is_dst = false; break;
    case hash("mask"): s.mask = true, s.type = Type::b64, s.dwords = 2; break;
    default:
      s.type = type_of(w);
      if (s.type == Type::none) fail("unknown attribute");
      if (type_bits(s.type) == 64) s.dwords = 2;
    }
  }
  consteval void parse(std::string_view t) {
    size_t i = 0;
    auto skip = [&] { while (i < t.size() && t[i] == ' ') ++i; };
    auto word = [&] {
      size_t b = i;
      while (i < t.size() && is_name(t[i])) ++i;
      return t.substr(b, i - b);
    };
    bool after_comma = true;
    for (skip(); i < t.size(); skip()) {
      auto w = word();
      if (w.empty()) fail("a name is missing");
      if (!after_comma || (count == 0 && (w == "offset" || w == "offset01"))) {
        if (w == "offset") offset = true;
        else if (w == "offset01") offset01 = true;
        else fail("unknown modifier");
        after_comma = false;
        continue;
      }
      OperandSpec s;
      s.field = field_of(w);
      if (s.field == Field::none) fail("unknown operand");
      s.is_dst = s.field == Field::sdst || s.field == Field::vdst;
      while (i < t.size() && t[i] == ':') {
        ++i;
        attribute(s, word());
      }
      spec[count++] = s;
      after_comma = false;
      skip();
      if (i < t.size() && t[i] == ',') ++i, after_comma = true;
    }
  }
};

// ---------------------------------------------------------------- rows

/// The spelling on some targets where it is not `Meta::name`.
struct Spelling {
  const char* name = nullptr;
  TargetSet targets = 0;
};

struct Meta {
  const char* name = nullptr;  ///< without _e32, _e64, _sdwa, _dpp
  Formats formats = 0;
  Opcodes op{};
  Operands operands{};
  Flags flags = None;
  TargetSet targets = kGfx9;
  Spelling alias{};

  constexpr const char* name_on(Target t) const {
    return alias.name && (alias.targets & bit(t)) ? alias.name : name;
  }
};

/// Swallows a Meta without parsing it. Facts of a row come from the NoSem tables, by RowId; an engine's instance of the
/// same array carries semantics only, so that each further builder costs no constant evaluation of operand texts.
struct SkippedMeta {
  constexpr SkippedMeta(const char*, Formats, Opcodes = {}, const char* = "", Flags = None, TargetSet = 0, Spelling = {}) {}
};

/// A row for builder B. `sem` is a generic lambda `[](auto& b) { ... }`; nullptr = known, not implemented.
template <class B> struct Row {
  SkippedMeta meta;
  void (*sem)(B&) = nullptr;
};

/// The tables without semantics: what the decoder, the text form and the coverage tools use. Takes any generic lambda
/// and never instantiates its body, so that these users compile fast and need no builder.
struct NoSem {};
template <> struct Row<NoSem> {
  struct Ignored {
    bool present = false;
    constexpr Ignored() = default;
    constexpr Ignored(std::nullptr_t) {}
    template <class F> constexpr Ignored(F) : present(true) {}
  };
  Meta meta;
  Ignored sem{};
};

/// What `sem` sees: uniform values, per-lane values chunk by chunk, or the whole wave once.
enum class FamilyClass : uint8_t { scalar, lane, wave };

/// Position of a row in all families, in the order of families.hpp: the same for every builder.
using RowId = uint16_t;
inline constexpr RowId kNoRow = 0xffff;

} // namespace bz::isa
