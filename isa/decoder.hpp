// The decoder's inside, shared by decode.cpp (constants, registers, scalar formats, choice of the format), decode_vector.cpp
// and decode_memory.cpp. Nobody else includes it: decode.hpp is the door.
#pragma once
#include "isa/decode.hpp"
#include "isa/formats.hpp"

namespace bz::isa {

// Source codes shared by scalar and vector operands.
inline constexpr unsigned kCodeSdwa = 249, kCodeDpp = 250, kCodeLiteral = 255, kCodeVgpr = 256;
inline constexpr unsigned kLastSgpr = 101;
inline constexpr unsigned kVcc = 106, kNull = 125;

/// A 32-bit literal at the operand's type: f64 takes it as the high half, i64 sign-extends, other types zero-extend.
uint64_t expand_literal(Type t, uint32_t literal);

/// One instruction being decoded. Member functions return false where no such instruction exists.
struct Decoder {
  Target target;
  const uint32_t* words;
  size_t count;
  Inst inst{};
  const Meta* meta = nullptr;
  size_t used = 1;          ///< dwords of the encoding so far
  bool unaligned = false;   ///< the disassembler does not check this VGPR tuple
  bool agpr_data = false;   ///< memory forms: data registers are AGPRs

  bool run();
  /// The lists of sources and destinations, from the operands in printing order.
  void index_operands();

private:
  bool gfx90a_up() const { return (kGfx90aUp & bit(target)) != 0; }
  bool has_agprs() const { return (kGfx908Up & bit(target)) != 0; }
  bool vector_format() const { return (inst.format & (VOP1 | VOP2 | VOPC | VOP3 | VOP3P)) != 0; }

  bool find(Format format, unsigned opcode);
  bool take_literal();

  // Operands.
  static void set_reg(Operand& o, Operand::Kind kind, unsigned number) {
    o.kind = kind;
    o.number = static_cast<uint16_t>(number);
  }
  void immediate(Operand& o, int64_t value) {
    o.kind = Operand::Kind::imm;
    o.value = static_cast<uint64_t>(value);
  }
  bool scalar_register(Operand& o, unsigned code);
  bool source(Operand& o, const OperandSpec& spec, unsigned code, bool literal_allowed);
  bool vgpr(Operand& o, unsigned number, bool agpr = false);
  bool absent(const OperandSpec& spec) const;
  Operand& append(const OperandSpec& spec);
  /// Calls fill(operand, spec) for each operand that this instance has; false if one of them is impossible.
  template <class F> bool each_operand(F&& fill) {
    for (int i = 0; i < meta->operands.count; ++i) {
      auto& spec = meta->operands.spec[static_cast<size_t>(i)];
      if (absent(spec)) continue;
      Operand& o = append(spec);
      if (!fill(o, spec)) return false;
    }
    return true;
  }

  // Scalar formats: decode.cpp.
  bool sopx(const Layout& l, Format format);
  bool smem();
  bool short_vector(const Layout& l, Format format);

  // Vector formats: decode_vector.cpp.
  static bool is_source(const OperandSpec& spec) {
    return spec.field == Field::src0 || spec.field == Field::src1 || spec.field == Field::src2 || spec.field == Field::vsrc;
  }
  static bool float_source(const OperandSpec& spec) {
    return is_source(spec) && !spec.mask && (is_float(spec.type) || spec.type == Type::pk_f16 ||
                                             spec.type == Type::pk_bf16 || spec.type == Type::pk_f32);
  }
  /// neg and abs change this source.
  bool takes_mods(const OperandSpec& spec) const { return float_source(spec) && !spec.plain; }
  unsigned mod_bits() const;
  unsigned op_sel_bits() const;
  bool vcc_mask(Operand& o);
  bool vop_plain(const Layout& l, Format format);
  bool vector_source(Operand& o, const OperandSpec& spec, unsigned code, bool literal_allowed);
  bool sdwa(const Layout& l, Format format);
  bool sdwa_reserved_clear(const Layout& s, const uint32_t* w, const Layout& l, Format format) const;
  bool sdwa_source(Operand& o, const OperandSpec& spec, unsigned code, bool scalar);
  bool dpp(const Layout& l, Format format);
  bool dpp_control_exists() const;
  bool vop3();
  bool vop3p();
  bool mai(const uint32_t* w, Format format);
  bool is_scaled_mai() const;
  bool scaled_mai();

  // Memory and export formats: decode_memory.cpp.
  bool data(Operand& o, unsigned number);
  bool ds_reserved_clear(const Layout& l) const;
  bool ds();
  bool flat();
  bool float_atomic() const;
  bool float_atomic_form() const;
  bool buffer(const Layout& l);
  bool mubuf();
  bool mtbuf();
  bool image_atomic_size(int n, const OperandSpec& spec) const;
  bool mimg();
  bool exports();
  bool vintrp();
};

} // namespace bz::isa
