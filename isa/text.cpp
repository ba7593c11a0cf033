// Inst to text, in the spelling of LLVM's AMDGPU instruction printer.
#include "isa/decode.hpp"

#include <fmt/format.h>

#include <bit>
#include <iterator>

namespace bz::isa {
namespace {

std::string_view special_name(unsigned code) {
  switch (code) {
  case 125: return "null";
  case 230: return "src_flat_scratch_base_lo";
  case 231: return "src_flat_scratch_base_hi";
  case 235: return "src_shared_base";
  case 236: return "src_shared_limit";
  case 237: return "src_private_base";
  case 238: return "src_private_limit";
  case 239: return "src_pops_exiting_wave_id";
  case 251: return "src_vccz";
  case 252: return "src_execz";
  case 253: return "src_scc";
  case 254: return "src_lds_direct";
  default: return "?";
  }
}

/// Names of the scalar registers above s101; `pair` for the 64-bit name.
std::string_view named_scalar(unsigned code, bool pair) {
  switch (code) {
  case 102: return pair ? "flat_scratch" : "flat_scratch_lo";
  case 103: return "flat_scratch_hi";
  case 104: return pair ? "xnack_mask" : "xnack_mask_lo";
  case 105: return "xnack_mask_hi";
  case 106: return pair ? "vcc" : "vcc_lo";
  case 107: return "vcc_hi";
  case 124: return "m0";
  case 126: return pair ? "exec" : "exec_lo";
  case 127: return "exec_hi";
  default: return {};
  }
}

std::string_view float_name(uint64_t v, const uint64_t (&bits)[9], std::string_view inv2pi) {
  constexpr std::string_view names[8] = {"0.5", "-0.5", "1.0", "-1.0", "2.0", "-2.0", "4.0", "-4.0"};
  for (size_t i = 0; i < 8; ++i)
    if (v == bits[i]) return names[i];
  return v == bits[8] ? inv2pi : std::string_view();
}
constexpr uint64_t kF16Bits[9] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};
constexpr uint64_t kBf16Bits[9] = {0x3f00, 0xbf00, 0x3f80, 0xbf80, 0x4000, 0xc000, 0x4080, 0xc080, 0x3e22};
constexpr uint64_t kF32Bits[9] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000,
                                  0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
constexpr uint64_t kF64Bits[9] = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000,
                                  0xbff0000000000000, 0x4000000000000000, 0xc000000000000000,
                                  0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};

bool is_int16(Type t) { return t == Type::b16 || t == Type::i16 || t == Type::u16; }

class Printer {
public:
  Printer(Target target, const Inst& inst) : target_(target), i_(inst), meta_(row_meta(inst.row)) {}

  std::string run() {
    mnemonic();
    operands();
    modifiers();
    return std::move(out_);
  }

private:
  template <class... A> void put(fmt::format_string<A...> f, A&&... a) {
    fmt::format_to(std::back_inserter(out_), f, std::forward<A>(a)...);
  }
  void put_if(bool on, std::string_view text) {
    if (on) out_ += text;
  }
  bool gfx940() const { return (kGfx940 & bit(target_)) != 0; }

  void mnemonic() {
    out_ = meta_.name_on(target_);
    if (has(meta_.flags, NoSuffix)) return;
    switch (i_.form) {
    case Form::e64: out_ += "_e64"; break;
    case Form::sdwa: out_ += "_sdwa"; break;
    case Form::dpp: out_ += "_dpp"; break;
    case Form::plain:
      if ((meta_.formats & VOP3) && (i_.format & (VOP1 | VOP2 | VOPC | VINTRP))) out_ += "_e32";
      break;
    }
  }

  void registers(char kind, unsigned number, unsigned dwords) {
    if (dwords == 1) put("{}{}", kind, number);
    else put("{}[{}:{}]", kind, number, number + dwords - 1);
  }

  void constant(const Operand& o) {
    uint64_t v = o.value;
    std::string_view name;
    int64_t value = 0;
    switch (o.type) {
    case Type::b16: case Type::i16: case Type::u16:
      value = static_cast<int16_t>(v);
      if (o.kind == Operand::Kind::literal) {  // looked at as a whole, shown cut
        value = static_cast<int32_t>(i_.literal);
        name = float_name(i_.literal, kF32Bits, "0.15915494");
      }
      v &= 0xffff;
      break;
    case Type::mix:
      if (o.kind == Operand::Kind::literal) {  // not legal; shown as f16
        v &= 0xffff;
        value = static_cast<int16_t>(v);
        name = float_name(v, kF16Bits, "0.15915494");
        break;
      }
      value = static_cast<int32_t>(v);
      name = float_name(v, kF32Bits, "0.15915494");
      break;
    case Type::f16:
      value = static_cast<int16_t>(v &= 0xffff);
      name = float_name(v, kF16Bits, "0.15915494");
      break;
    case Type::bf16:
      value = static_cast<int16_t>(v);
      name = float_name(v, kBf16Bits, "0.15915494");
      break;
    case Type::pk_f16: case Type::pk_bf16:
      value = static_cast<int32_t>(v);
      name = float_name(v, o.type == Type::pk_f16 ? kF16Bits : kBf16Bits, "0.15915494");
      break;
    case Type::b64: case Type::i64: case Type::u64: case Type::f64:
      if (o.kind == Operand::Kind::literal && o.type == Type::i64) v = static_cast<uint32_t>(v);
      value = static_cast<int64_t>(v);
      name = float_name(v, kF64Bits, "0.15915494309189532");
      break;
    default:
      value = static_cast<int32_t>(v);
      name = float_name(v, kF32Bits, "0.15915494");
      break;
    }
    bool small = value >= -16 && value <= 64;
    bool literal = o.kind == Operand::Kind::literal;
    if (o.field == Field::k32 && i_.format == VOP2) put("{:#x}", i_.literal);
    else if (literal && is_int16(o.type) && !small && name.empty()) put("{:#x}", v);
    else if (literal && o.type != Type::f64 && o.field != Field::k32 && (small || !name.empty())) put("lit({:#x})", i_.literal);
    else if (small) put("{}", value);
    else if (!name.empty()) out_ += name;
    else if (o.kind == Operand::Kind::literal && o.type == Type::f64) put("{:#x}", v >> 32);
    else put("{:#x}", v);
  }

  void bare(const Operand& o) {
    switch (o.kind) {
    case Operand::Kind::none: out_ += "off"; break;
    case Operand::Kind::vgpr: registers('v', o.number, o.dwords); break;
    case Operand::Kind::agpr: registers('a', o.number, o.dwords); break;
    case Operand::Kind::sgpr: {
      auto name = named_scalar(o.number, o.dwords == 2);
      if (!name.empty()) out_ += name;
      else if (o.number >= 108) {
        unsigned n = o.number - 108u;
        if (o.dwords == 1) put("ttmp{}", n);
        else put("ttmp[{}:{}]", n, n + o.dwords - 1);
      } else registers('s', o.number, o.dwords);
      break;
    }
    case Operand::Kind::special: out_ += special_name(o.number); break;
    case Operand::Kind::constant:
    case Operand::Kind::literal: constant(o); break;
    case Operand::Kind::imm: immediate(o); break;
    }
  }

  // ------------------------------------------------------------ immediates with names

  void immediate(const Operand& o) {
    auto v = static_cast<int64_t>(o.value);
    switch (o.field) {
    case Field::simm16:
      if (has(meta_.flags, EndProgram)) put("{}", static_cast<uint16_t>(v));
      else if (i_.format == SOPP && v >= 0 && v <= 64) put("{}", v);
      else put("{:#x}", static_cast<uint16_t>(v));
      break;
    case Field::simm7:
      if (v <= 64) put("{}", v);
      else put("{:#x}", v);
      break;
    case Field::attr: attribute(static_cast<unsigned>(v)); break;
    case Field::param: parameter(static_cast<unsigned>(v)); break;
    case Field::tgt: export_target(static_cast<unsigned>(v)); break;
    case Field::label: put("{}", static_cast<uint16_t>(v)); break;
    case Field::hwreg: hwreg(static_cast<uint16_t>(v)); break;
    case Field::waitcnt: waitcnt(static_cast<uint16_t>(v)); break;
    case Field::sendmsg: sendmsg(static_cast<uint16_t>(v)); break;
    case Field::gpr_idx: gpr_idx(static_cast<uint32_t>(v)); break;
    case Field::smem_offset: put("{}{:#x}", v < 0 ? "-" : "", static_cast<uint64_t>(v < 0 ? -v : v)); break;
    default: put("{}", v); break;
    }
  }

  /// VINTRP: six bits of attribute, two of channel; VOP3 has a ninth bit for the high half.
  void attribute(unsigned v) {
    if (i_.format == VINTRP || i_.format == VOP3) put("attr{}.{}{}", v & 63, "xyzw"[v >> 6 & 3], "");
  }

  void parameter(unsigned v) {
    constexpr std::string_view names[3] = {"p10", "p20", "p0"};
    if (v < 3) out_ += names[v];
    else put("invalid_param_{}", v);
  }

  void export_target(unsigned v) {
    if (v < 8) put("mrt{}", v);
    else if (v == 8) out_ += "mrtz";
    else if (v == 9) out_ += "null";
    else if (v >= 12 && v < 16) put("pos{}", v - 12);
    else if (v >= 32) put("param{}", v - 32);
    else put("invalid_target_{}", v);
  }

  void hwreg(uint16_t v) {
    constexpr std::string_view names[32] = {
        {}, "HW_REG_MODE", "HW_REG_STATUS", "HW_REG_TRAPSTS", "HW_REG_HW_ID", "HW_REG_GPR_ALLOC", "HW_REG_LDS_ALLOC",
        "HW_REG_IB_STS", {}, {}, {}, {}, {}, {}, {}, "HW_REG_SH_MEM_BASES", "HW_REG_TBA_LO", "HW_REG_TBA_HI",
        "HW_REG_TMA_LO", "HW_REG_TMA_HI", "HW_REG_XCC_ID", "HW_REG_SQ_PERF_SNAPSHOT_DATA",
        "HW_REG_SQ_PERF_SNAPSHOT_DATA1", "HW_REG_SQ_PERF_SNAPSHOT_PC_LO", "HW_REG_SQ_PERF_SNAPSHOT_PC_HI"};
    unsigned id = v & 63, offset = v >> 6 & 31, width = (v >> 11) + 1;
    std::string_view name = id < 32 && (id < 20 || gfx940()) ? names[id] : std::string_view();
    if (name.empty()) put("hwreg({}", id);
    else put("hwreg({}", name);
    if (offset != 0 || width != 32) put(", {}, {}", offset, width);
    out_ += ')';
  }

  void waitcnt(uint16_t v) {
    unsigned vm = (v & 15) | (v >> 14) << 4, exp = v >> 4 & 7, lgkm = v >> 8 & 15;
    bool all = vm == 63 && exp == 7 && lgkm == 15;  // nothing to wait for: print every counter
    std::string_view sep;
    auto part = [&](std::string_view name, unsigned value, unsigned none) {
      if (value == none && !all) return;
      put("{}{}({})", sep, name, value);
      sep = " ";
    };
    part("vmcnt", vm, 63);
    part("expcnt", exp, 7);
    part("lgkmcnt", lgkm, 15);
  }

  void sendmsg(uint16_t v) {
    constexpr std::string_view names[11] = {{}, "MSG_INTERRUPT", "MSG_GS", "MSG_GS_DONE", "MSG_SAVEWAVE",
                                            "MSG_STALL_WAVE_GEN", "MSG_HALT_WAVES", "MSG_ORDERED_PS_DONE",
                                            "MSG_EARLY_PRIM_DEALLOC", "MSG_GS_ALLOC_REQ", "MSG_GET_DOORBELL"};
    constexpr std::string_view gs[4] = {"GS_OP_NOP", "GS_OP_CUT", "GS_OP_EMIT", "GS_OP_EMIT_CUT"};
    constexpr std::string_view sys[5] = {{}, "SYSMSG_OP_ECC_ERR_INTERRUPT", "SYSMSG_OP_REG_RD", {},
                                         "SYSMSG_OP_TTRACE_PC"};
    unsigned id = v & 15, op = v >> 4 & 7, stream = v >> 8 & 3;
    std::string_view name = id == 15 ? "MSG_SYSMSG" : id < 11 ? names[id] : std::string_view();
    bool is_gs = id == 2 || id == 3;
    if (!name.empty()) {
      if (id == 15 && op >= 1 && op <= 4 && op != 3 && stream == 0) return put("sendmsg({}, {})", name, sys[op]);
      if (is_gs && op == 0 && id == 3 && stream == 0) return put("sendmsg({}, {})", name, gs[0]);
      if (is_gs && op >= 1 && op <= 3) return put("sendmsg({}, {}, {})", name, gs[op], stream);
      if (!is_gs && id != 15 && op == 0 && stream == 0) return put("sendmsg({})", name);
    }
    if ((v & ~0x37fu) == 0) return put("sendmsg({}, {}, {})", id, op, stream);
    put("{}", v);
  }

  void gpr_idx(uint32_t v) {
    if (v & ~15u) return put("{:#x}", v);
    constexpr std::string_view names[4] = {"SRC0", "SRC1", "SRC2", "DST"};
    out_ += "gpr_idx(";
    std::string_view sep;
    for (unsigned k = 0; k < 4; ++k)
      if (v >> k & 1) put("{}{}", sep, names[k]), sep = ",";
    out_ += ')';
  }

  // ------------------------------------------------------------ operands

  void operand(const Operand& o) {
    bool number = o.kind == Operand::Kind::constant || o.kind == Operand::Kind::literal;
    if (o.sext) out_ += "sext(";
    // A minus before a number would read as a negative number.
    if (o.neg) out_ += number && !o.abs ? "neg(" : "-";
    if (o.abs) out_ += '|';
    bare(o);
    if (o.abs) out_ += '|';
    if (o.neg && number && !o.abs) out_ += ')';
    if (o.sext) out_ += ')';
  }

  void operands() {
    std::string_view sep = " ";
    for (int k = 0; k < i_.operand_count; ++k) {
      auto& o = i_.operands[static_cast<size_t>(k)];
      if (has(meta_.flags, EndProgram) && o.value == 0) return;  // s_endpgm 0 is s_endpgm
      out_ += sep;
      operand(o);
      sep = i_.operands[static_cast<size_t>(k)].field == Field::tgt ? " " : ", ";
    }
  }

  // ------------------------------------------------------------ modifiers

  void modifiers() {
    switch (i_.format) {
    case SMEM: return smem();
    case VOP1: case VOP2: case VOPC: return short_vector();
    case VOP3: return vop3();
    case VOP3P: return vop3p();
    case MAI: return mai();
    case VOP3PX: return scaled_mai();
    case DS: return ds();
    case FLAT: case GLOBAL: case SCRATCH: return flat();
    case MUBUF: return mubuf();
    case MTBUF: return mtbuf();
    case MIMG: return mimg();
    case EXP: return exports();
    default: return;
    }
  }

  void omod() {
    if (i_.omod) out_ += i_.omod == 1 ? " mul:2" : i_.omod == 2 ? " mul:4" : " div:2";
  }

  void bits(std::string_view name, unsigned value, int n) {
    put(" {}:[", name);
    for (int k = 0; k < n; ++k) put("{}{}", k ? "," : "", value >> k & 1);
    out_ += ']';
  }

  void short_vector() {
    if (i_.form == Form::sdwa) sdwa();
    if (i_.form == Form::dpp) dpp();
  }

  void sdwa() {
    if (i_.operand_count == 0) return;
    constexpr std::string_view sel[8] = {"BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD", "?"};
    constexpr std::string_view unused[4] = {"UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE", "?"};
    put_if(i_.clamp, " clamp");
    omod();
    if (i_.format != VOPC && !has(meta_.flags, NoDstSel)) put(" dst_sel:{} dst_unused:{}", sel[i_.sdwa.dst_sel], unused[i_.sdwa.dst_unused]);
    put(" src0_sel:{}", sel[i_.sdwa.src_sel[0]]);
    if (i_.format != VOP1) put(" src1_sel:{}", sel[i_.sdwa.src_sel[1]]);
  }

  void dpp() {
    unsigned c = i_.dpp.ctrl;
    bool wide = false;
    for (auto& o : i_.operands) wide |= o.kind == Operand::Kind::vgpr && o.dwords > 1;
    if (wide && (kGfx90aUp & bit(target_)) && (c < 0x150 || c > 0x15f)) out_ += "  /* DP ALU dpp only supports row_newbcast */";
    else if (c < 0x100) put(" quad_perm:[{},{},{},{}]", c & 3, c >> 2 & 3, c >> 4 & 3, c >> 6 & 3);
    else if (c > 0x100 && c < 0x110) put(" row_shl:{}", c & 15);
    else if (c > 0x110 && c < 0x120) put(" row_shr:{}", c & 15);
    else if (c > 0x120 && c < 0x130) put(" row_ror:{}", c & 15);
    else if (c == 0x130) out_ += " wave_shl:1";
    else if (c == 0x134) out_ += " wave_rol:1";
    else if (c == 0x138) out_ += " wave_shr:1";
    else if (c == 0x13c) out_ += " wave_ror:1";
    else if (c == 0x140) out_ += " row_mirror";
    else if (c == 0x141) out_ += " row_half_mirror";
    else if (c == 0x142) out_ += " row_bcast:15";
    else if (c == 0x143) out_ += " row_bcast:31";
    else if (c >= 0x150 && c < 0x160 && (kGfx90aUp & bit(target_))) put(" row_newbcast:{}", c & 15);
    else if (c >= 0x150 && c < 0x160)
      out_ += "  /* row_newbcast/row_share is not supported on ASICs earlier than GFX90A/GFX10 */";
    else if (c >= 0x160 && c < 0x170) out_ += " /* row_xmask is not supported on ASICs earlier than GFX10 */";
    else out_ += " /* Invalid dpp_ctrl value */";
    put(" row_mask:{:#x} bank_mask:{:#x}", i_.dpp.row_mask, i_.dpp.bank_mask);
    put_if(i_.dpp.bound_ctrl, " bound_ctrl:1");
  }

  void vop3() {
    if (has(meta_.flags, SwapMods)) return put_if(i_.dpp.bound_ctrl, " bound_ctrl:1"), put_if(i_.dpp.fi, " fi:1");
    bool interpolates = false;  // prints clamp first
    for (auto& o : i_.operands) interpolates |= o.field == Field::attr, put_if(o.field == Field::attr && o.value & 0x100, " high");
    if (interpolates) put_if(i_.clamp, " clamp");
    if (has(meta_.flags, Bitop3) && i_.bitop3) i_.bitop3 < 10 ? put(" bitop3:{}", i_.bitop3) : put(" bitop3:{:#x}", i_.bitop3);
    if (i_.op_sel) {
      int n = 0;
      for (auto& spec : meta_.operands.spec) n += spec.field != Field::none && spec.field != Field::vdst;
      n += has(meta_.flags, OpSelByte);
      unsigned shown = (i_.op_sel & ((1u << n) - 1)) | (i_.op_sel >> 3 & 1u) << n;
      if (i_.operand_count > 2 && i_.operands[2].field == Field::attr) shown &= ~2u;  // the attribute has no halves
      if (shown) bits("op_sel", shown, n + 1);
    }
    if (!interpolates) put_if(i_.clamp, " clamp");
    omod();
  }

  void vop3p() {
    bool no_result = meta_.operands.spec[0].field != Field::vdst;
    int n = meta_.operands.count - !no_result;
    unsigned all = (1u << n) - 1;
    bool halves = no_result || meta_.operands.spec[1].type != Type::b32;  // v_dot4, v_dot8: whole registers
    if (halves && (i_.op_sel & all)) bits("op_sel", i_.op_sel, n);
    bool mix = no_result || meta_.operands.spec[1].type == Type::mix;
    unsigned plain_hi = mix && !no_result ? 0 : all;
    if (halves && (i_.op_sel_hi & all) != plain_hi) bits("op_sel_hi", i_.op_sel_hi, n);
    if (!mix && (i_.neg_lo & all)) bits("neg_lo", i_.neg_lo, n);
    if (!mix && (i_.neg_hi & all)) bits("neg_hi", i_.neg_hi, n);
    put_if(i_.clamp, " clamp");
  }

  void mai() {
    if (i_.operand_count < 4) return;
    if (i_.cbsz) put(" cbsz:{}", i_.cbsz);
    if (i_.abid && !has(meta_.flags, F8f6f4)) put(" abid:{}", i_.abid);
    if (!i_.blgp || meta_.operands.spec[0].read_write) return;
    if (gfx940() && meta_.operands.spec[0].type == Type::f64)
      bits("neg", i_.blgp, 3);
    else put(" blgp:{}", i_.blgp);
  }

  /// op_sel and op_sel_hi pick the byte of each scale; a third bit is printed that nothing has.
  void scaled_mai() {
    if (i_.op_sel & 3) bits("op_sel", i_.op_sel & 3u, 3);
    bits("op_sel_hi", i_.op_sel_hi & 3u, 3);
    mai();
  }

  void cache_bits() {
    put_if(i_.glc, gfx940() ? " sc0" : " glc");
    put_if(i_.slc, gfx940() ? " nt" : " slc");
    put_if(i_.scc, gfx940() ? " sc1" : " scc");
  }

  void smem() {
    if (i_.operand_count && i_.operands[i_.operand_count - 1u].field == Field::smem_offset &&
        i_.operands[i_.operand_count - 1u].kind != Operand::Kind::imm && i_.offset_imm)
      put(" offset:{}{:#x}", i_.offset < 0 ? "-" : "", i_.offset < 0 ? -i_.offset : i_.offset);
    put_if(i_.glc && has(meta_.flags, Load | Store), " glc");
  }

  void ds() {
    if (meta_.operands.offset01) {
      if (i_.offset0) put(" offset0:{}", i_.offset0);
      if (i_.offset1) put(" offset1:{}", i_.offset1);
    } else if (i_.offset && meta_.name == std::string_view("ds_swizzle_b32")) swizzle(static_cast<unsigned>(i_.offset));
    else if (i_.offset) put(" offset:{}", i_.offset);
    put_if((i_.gds && !has(meta_.flags, NoGds)) || has(meta_.flags, GdsOnly), " gds");
  }

  void swizzle(unsigned v) {
    out_ += " offset:";
    if ((v & 0xff00) == 0x8000) return put("swizzle(QUAD_PERM,{},{},{},{})", v & 3, v >> 2 & 3, v >> 4 & 3, v >> 6 & 3);
    if (v >= 0xe000) return put("swizzle(FFT,{})", v & 31);
    if (v >= 0xc000) return put("swizzle(ROTATE,{},{})", v >> 10 & 1, v >> 5 & 31);
    if (v & 0x8000) return put("{}", v);
    unsigned and_mask = v & 31, or_mask = v >> 5 & 31, xor_mask = v >> 10 & 31;
    if (and_mask == 31 && or_mask == 0 && std::has_single_bit(xor_mask)) return put("swizzle(SWAP,{})", xor_mask);
    if (and_mask == 31 && or_mask == 0 && xor_mask > 0 && std::has_single_bit(xor_mask + 1))
      return put("swizzle(REVERSE,{})", xor_mask + 1);
    unsigned group = 32 - and_mask;
    if (group > 1 && std::has_single_bit(group) && or_mask < group && xor_mask == 0)
      return put("swizzle(BROADCAST,{},{})", group, or_mask);
    out_ += "swizzle(BITMASK_PERM,\"";
    for (int k = 4; k >= 0; --k) {
      unsigned m = 1u << k;
      unsigned p0 = ((0 & and_mask) | or_mask) ^ xor_mask, p1 = ((m & and_mask) | or_mask) ^ xor_mask;
      bool b0 = p0 & m, b1 = p1 & m;
      out_ += b0 == b1 ? (b0 ? '1' : '0') : (b1 ? 'p' : 'i');
    }
    out_ += "\")";
  }

  void flat() {
    if (i_.offset) put(" offset:{}", i_.offset);
    cache_bits();
    put_if(i_.lds && !has(meta_.flags, LdsOnly), " lds");
  }

  void mubuf() {
    put_if(i_.idxen, " idxen");
    put_if(i_.offen, " offen");
    if (i_.offset && i_.operand_count) put(" offset:{}", i_.offset);
    bool lds_first = has(meta_.flags, LdsOnly);
    put_if(lds_first, " lds");
    if (i_.operand_count) cache_bits();
    else if (gfx940()) put_if(i_.glc, " sc0"), put_if(i_.scc, " sc1");
    put_if(i_.lds && !lds_first, " lds");
    put_if(i_.tfe, " tfe");
  }

  void mtbuf() {
    constexpr std::string_view data[16] = {"INVALID", "8", "16", "8_8", "32", "16_16", "10_11_11", "11_11_10",
                                           "10_10_10_2", "2_10_10_10", "8_8_8_8", "32_32", "16_16_16_16", "32_32_32",
                                           "32_32_32_32", "RESERVED_15"};
    constexpr std::string_view number[8] = {"UNORM", "SNORM", "USCALED", "SSCALED", "UINT", "SINT", "RESERVED_6", "FLOAT"};
    bool show_data = i_.dfmt != 1, show_number = i_.nfmt != 0;
    if (show_data || show_number) {
      out_ += " format:[";
      if (show_data) put("BUF_DATA_FORMAT_{}", data[i_.dfmt]);
      put_if(show_data && show_number, ",");
      if (show_number) put("BUF_NUM_FORMAT_{}", number[i_.nfmt]);
      out_ += ']';
    }
    mubuf();
  }

  void mimg() {
    if (i_.dmask) put(" dmask:{:#x}", i_.dmask);
    put_if(i_.unorm, " unorm");
    cache_bits();
    put_if(i_.r128, " a16");
    put_if(i_.tfe, " tfe");
    put_if(i_.lwe, " lwe");
    put_if(i_.da, " da");
    put_if(i_.d16, " d16");
  }

  void exports() {
    put_if(i_.done, " done");
    put_if(i_.compr, " compr");
    put_if(i_.vm, " vm");
  }

  Target target_;
  const Inst& i_;
  const Meta& meta_;
  std::string out_;
};

} // namespace

std::string disassemble(Target target, const Inst& inst) { return Printer(target, inst).run(); }

std::string why_illegal(Target target, const uint32_t* words, size_t count) {
  auto inst = decode(target, words, count);
  if (!inst) return fmt::format("no instruction of {}", target_name(target));
  if (auto* why = row_absent(inst->row)) return fmt::format("{}: {}", row_meta(inst->row).name_on(target), why);
  if (!inst->legal) return fmt::format("{}: no such operand on {}", disassemble(target, *inst), target_name(target));
  return fmt::format("{}: this form does not exist", disassemble(target, *inst));
}

} // namespace bz::isa
