// Lowering of decoded instructions to operations: operand offsets, variants, prefixes for DPP, SDWA and the like.
#include "exec/program.hpp"
#include "base/raw_memory.hpp"
#include "exec/fault.hpp"
#include "exec/interp/control.hpp"
#include "exec/interp/control_ops.hpp"
#include "exec/interp/image.hpp"
#include "exec/trace.hpp"
#include "isa/families.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <unordered_map>

namespace bz::exec {
namespace {

using isa::Field;
using isa::Inst;
using isa::Operand;
using isa::Type;

// ---------------------------------------------------------------- constants

constexpr uint32_t kF32[] = {0x3f000000, 0xbf000000, 0x3f800000, 0xbf800000, 0x40000000, 0xc0000000, 0x40800000, 0xc0800000, 0x3e22f983};
constexpr uint32_t kF16[] = {0x3800, 0xb800, 0x3c00, 0xbc00, 0x4000, 0xc000, 0x4400, 0xc400, 0x3118};
constexpr uint64_t kF64[] = {0x3fe0000000000000, 0xbfe0000000000000, 0x3ff0000000000000, 0xbff0000000000000, 0x4000000000000000,
                             0xc000000000000000, 0x4010000000000000, 0xc010000000000000, 0x3fc45f306dc9c882};

constexpr auto kConstants = [] {
  std::array<uint64_t, layout::kConstCount> c{};
  size_t n = 0;
  for (uint64_t i = 0; i <= 64; ++i) c[n++] = i;
  for (int64_t i = -1; i >= -16; --i) c[n++] = static_cast<uint64_t>(i);
  for (uint32_t f : kF32) c[n++] = f;
  for (uint32_t f : kF16) c[n++] = f;
  for (uint64_t f : kF64) c[n++] = f;
  for (uint64_t f : kF64) c[n++] = f >> 32;                      // rows for their high dwords
  c[n++] = kF64[8] & 0xffffffff;
  for (int64_t i = -1; i >= -16; --i) c[n++] = static_cast<uint64_t>(i) & 0xffff;       // 16-bit integers
  for (int64_t i = -1; i >= -16; --i) c[n++] = static_cast<uint64_t>(i) & 0xffffffff;   // 32-bit ones as scalars
  for (uint64_t a : {uint64_t{1} << 48, uint64_t{2} << 48}) c[n++] = a, c[n++] = a | 0xffffffff;   // apertures, beside a literal
  return c;
}();

struct ConstantIndex {
  std::unordered_map<uint64_t, unsigned> by_value;   ///< whole value -> slot
  std::unordered_map<uint32_t, unsigned> by_low;     ///< low dword -> slot whose row has it
  ConstantIndex() {
    for (unsigned i = 0; i < kConstants.size(); ++i) {
      by_value.emplace(kConstants[i], i);
      by_low.emplace(static_cast<uint32_t>(kConstants[i]), i);
    }
  }
};
const ConstantIndex& constant_index() {
  static const ConstantIndex index;
  return index;
}

// ---------------------------------------------------------------- lowering

constexpr uint32_t kSpecialBase = offsetof(Wave, special);

struct Lowering {
  const Level& level;
  Code& code;
  std::vector<Op> full, masked;
  std::vector<std::pair<uint32_t, uint64_t>> branches;   // operation, target address
  const bool traced = trace_wanted();
  bool indexing = false;                                  // between s_set_gpr_idx_on and _off

  const Inst* inst = nullptr;
  const isa::Meta* meta = nullptr;
  uint64_t pc = 0;
  Op op{};

  uint32_t vgpr_offset(const Operand& o) const {
    unsigned n = o.number;
    if (o.kind == Operand::Kind::agpr) n += code.traits.accum_offset;
    return layout::vgpr(n & 511);
  }
  const isa::OperandSpec* spec(Field f) const {
    for (int i = 0; i < meta->operands.count; ++i)
      if (meta->operands.spec[static_cast<size_t>(i)].field == f) return &meta->operands.spec[static_cast<size_t>(i)];
    return nullptr;
  }
  const Operand* find(Field f) const {
    for (int i = 0; i < inst->operand_count; ++i)
      if (inst->operands[static_cast<size_t>(i)].field == f) return &inst->operands[static_cast<size_t>(i)];
    return nullptr;
  }

  void emit(const Op& f, const Op& m) {
    full.push_back(f);
    masked.push_back(m);
    code.dword_of.push_back(static_cast<uint32_t>((pc - code.begin) / 4));
  }
  void emit(const Op& both) { emit(both, both); }
  static Op engine_op(Fn fn) {
    Op o{};
    o.fn = fn;
    o.row = isa::kNoRow;
    return o;
  }
  void halt(Fn fn, uint64_t address = 0) {
    Op o = engine_op(fn);
    o.row = inst ? inst->row : isa::kNoRow;
    o.lit = address;
    emit(o);
  }

  static bool special_value(unsigned number, uint64_t& value) {
    constexpr uint64_t kShared = uint64_t{1} << 48, kPrivate = uint64_t{2} << 48;
    switch (number) {
    case 235: value = kShared; return true;
    case 236: value = kShared | 0xffffffff; return true;
    case 237: value = kPrivate; return true;
    case 238: value = kPrivate | 0xffffffff; return true;
    case 125: value = 0; return true;
    default: return false;
    }
  }

  /// Source k as a scalar: offset in s[k] (high dword behind it), or the literal.
  bool scalar_source(int k, const Operand& o) {
    auto place = [&](uint32_t off) { op.s[k] = off; };
    op.mods |= mods::scalar(k);
    switch (o.kind) {
    case Operand::Kind::sgpr: place(layout::sgpr(o.number)); break;
    case Operand::Kind::constant: case Operand::Kind::imm: case Operand::Kind::literal: return constant_source(k, o.value);
    case Operand::Kind::special: {
      uint64_t value;
      if (special_value(o.number, value)) return constant_source(k, value);
      if (o.number < 251 || o.number > 253) return false;
      emit(engine_op(control_specials));
      place(kSpecialBase + 8 * (o.number - 251));
      break;
    }
    default: return false;
    }
    return true;
  }
  bool constant_source(int k, uint64_t value) {
    auto it = constant_index().by_value.find(value);
    if (it != constant_index().by_value.end()) {
      op.s[k] = layout::kConst + 8 * it->second;
    } else {
      // One literal may serve two sources, sign-extended for a 64-bit one: the wider form has the other's bits.
      bool other = op.mods & (mods::literal(0) | mods::literal(1) | mods::literal(2));
      op.mods |= mods::literal(k);
      op.lit = other && static_cast<uint32_t>(op.lit) == static_cast<uint32_t>(value) ? op.lit | value : value;
    }
    return true;
  }

  // ------------------------------------------------------------ scalar rows

  void lower_scalar(const RowHandlers& h) {
    op.imm = inst->format == isa::SMEM ? inst->offset : inst->simm16;
    bool writes_exec = has(meta->flags, isa::WritesExec);
    uint64_t target = 0;
    bool branch = false;
    if (inst->format == isa::SMEM) {
      if (auto* b = find(Field::sbase); b && b->kind == Operand::Kind::sgpr) op.s[0] = layout::sgpr(b->number);
      if (auto* off = find(Field::smem_offset); off && off->kind == Operand::Kind::sgpr) {
        op.s[1] = layout::sgpr(off->number);
        op.mods |= mods::kSoffset;
      }
      if (auto* d = find(Field::sdata)) op.d = layout::sgpr(d->number);
      if (inst->glc) op.mods |= mods::kReturns;
    } else {
      int k = 0;
      for (int i = 0; i < inst->operand_count; ++i) {
        const Operand& o = inst->operands[static_cast<size_t>(i)];
        if (o.field == Field::label) {
          branch = true;
          target = inst->branch_target(pc);
          continue;
        }
        if (o.field == Field::sdst) op.d = layout::sgpr(o.number);
        if (o.is_dst) {
          writes_exec |= o.number == layout::kExec || o.number == layout::kExec + 1;
          continue;
        }
        if (o.kind == Operand::Kind::imm) {
          op.imm = static_cast<int32_t>(o.value);
          continue;
        }
        if (k >= 3 || !scalar_source(k++, o)) return halt(control_illegal);
      }
      uint64_t next = pc + inst->size;
      op.s[4] = static_cast<uint32_t>(next);
      op.s[5] = static_cast<uint32_t>(next >> 32);
    }
    bool literal = op.mods & (mods::literal(0) | mods::literal(1) | mods::literal(2));
    if (branch) {
      if (target <= pc) op.mods |= mods::kBack;
      branches.emplace_back(static_cast<uint32_t>(full.size()), target);
    }
    op.fn = h.fn[(literal ? kLiteral : kPlain) + (writes_exec ? 1 : 0)];
    if (!op.fn) return halt(control_row_missing);
    emit(op);
    if (std::strcmp(meta->name, "s_set_gpr_idx_on") == 0) indexing = true;
    if (std::strcmp(meta->name, "s_set_gpr_idx_off") == 0) indexing = false;
  }

  // ------------------------------------------------------------ vector rows

  uint32_t constant_row(uint32_t low) {
    auto it = constant_index().by_low.find(low);
    if (it == constant_index().by_low.end()) return 0;
    code.const_rows.set(it->second);
    return layout::kConstRow + layout::kRow * it->second;
  }

  /// Source k of a lane row; true in `general` if the plain variants can't take it.
  bool lane_source(int k, const Operand& o, bool& general, bool& scalar0) {
    bool pair = o.dwords == 2;
    bool packed32 = o.type == Type::pk_f32 || o.type == Type::pk_b32;
    // Packed dwords: op_sel picks the dword of the low result, op_sel_hi that of the high one.
    unsigned lo = 0, hi = 1;
    if (packed32) {
      lo = inst->op_sel >> k & 1;
      hi = inst->op_sel_hi >> k & 1;
    }
    if (o.kind == Operand::Kind::vgpr || o.kind == Operand::Kind::agpr) {
      op.s[k] = vgpr_offset(o) + layout::kRow * lo;
      op.s[k + 3] = pair ? vgpr_offset(o) + layout::kRow * hi : op.s[k];
      return true;
    }
    uint64_t value = o.value;
    bool constant = o.is_const() || (o.kind == Operand::Kind::special && special_value(o.number, value));
    if (constant) {
      const uint64_t whole = value;
      if (k == 1 && value == 0) op.mods |= mods::kZeroCount;
      if (packed32 && o.is_const()) value |= value << 32;   // both halves read the one constant
      else if (packed32) value = static_cast<uint32_t>(value >> (32 * lo)) | value >> (32 * hi) << 32;
      if (k == 0) {
        scalar0 = true;
        op.mods |= mods::scalar(0) | mods::literal(0);
        op.lit = value;
        return true;
      }
      uint32_t low = constant_row(static_cast<uint32_t>(value));
      uint32_t high = pair ? constant_row(static_cast<uint32_t>(value >> 32)) : low;
      if (low && high) {
        op.s[k] = low;
        op.s[k + 3] = high;
        return true;
      }
      general = true;
      if (op.mods & mods::literal(0)) {
        // Source 0 holds the literal slot; its value is an inline constant then, or the same literal.
        if (op.lit != value) {
          auto it = constant_index().by_value.find(whole);
          if (it != constant_index().by_value.end()) {   // an aperture
            op.mods |= mods::scalar(k);
            op.s[k] = layout::kConst + 8 * it->second + (packed32 ? 4 * lo : 0);
            op.s[k + 3] = layout::kConst + 8 * it->second + (packed32 ? 4 * hi : 4);
            return true;
          }
          it = constant_index().by_value.find(op.lit);
          if (it == constant_index().by_value.end()) return false;
          op.mods &= ~mods::literal(0);
          op.s[0] = layout::kConst + 8 * it->second;
          op.s[3] = op.s[0] + 4;
        }
      }
      op.mods |= mods::scalar(k) | mods::literal(k);
      op.lit = value;
      return true;
    }
    if (!scalar_source(k, o)) return false;
    if (packed32) {
      op.s[k + 3] = op.s[k] + 4 * hi;
      op.s[k] += 4 * lo;
    } else {
      op.s[k + 3] = op.s[k] + 4;
    }
    if (k == 0) scalar0 = true;
    else general = true;
    return true;
  }

  void lower_lane(const RowHandlers& h) {
    bool general = false, scalar0 = false, writes_exec = false, wide = false, single = false;
    op.sd = op.sm = static_cast<uint16_t>(layout::sgpr(layout::kVcc));
    op.imm = inst->simm16;
    bool vop3p = inst->format == isa::VOP3P;
    int k = 0;
    Operand source0{};
    for (int i = 0; i < inst->operand_count; ++i) {
      const Operand& o = inst->operands[static_cast<size_t>(i)];
      if (o.type == Type::f64 || o.type == Type::f16 || o.type == Type::pk_f16) wide = true;
      // Conversions run with the single precision's fields; what they need of the others they take from MODE.
      if (o.type == Type::f32 || o.type == Type::pk_f32 || o.type == Type::mix) single = true;
      auto* s = spec(o.field);
      if (s && s->mask) {
        if (o.is_dst) {
          op.sd = static_cast<uint16_t>(layout::sgpr(o.number));
          writes_exec |= o.number == layout::kExec;
        } else if (o.kind == Operand::Kind::sgpr) {
          op.sm = static_cast<uint16_t>(layout::sgpr(o.number));
          ++k;
        } else {
          // A constant mask: inline values are 64-bit scalars in the wave block.
          auto it = constant_index().by_value.find(o.value);
          if (!o.is_const() || it == constant_index().by_value.end()) return halt(control_illegal);
          op.sm = static_cast<uint16_t>(layout::kConst + 8 * it->second);
          ++k;
        }
        continue;
      }
      if (o.is_dst) {
        if (o.kind == Operand::Kind::sgpr) op.sd = static_cast<uint16_t>(layout::sgpr(o.number)), op.d = op.sd;
        else op.d = vgpr_offset(o);
        continue;
      }
      if (k >= 3) return halt(control_illegal);
      if (o.type == Type::mix) general = true;
      if (!lane_source(k, o, general, scalar0)) return halt(control_illegal);
      if (vop3p) {
        if (inst->neg_lo >> k & 1) op.mods |= mods::neg(k);
        if (inst->neg_hi >> k & 1) op.mods |= mods::abs(k);
        if (o.type != Type::pk_f32 && o.type != Type::pk_b32 && !(inst->op_sel_hi >> k & 1)) general = true;
      } else {
        if (o.neg) op.mods |= mods::neg(k);
        if (o.abs) op.mods |= mods::abs(k);
      }
      if (k == 0) source0 = o;
      ++k;
    }
    if (inst->clamp) op.mods |= mods::kClamp;
    op.mods |= static_cast<uint32_t>(inst->omod & 3) << mods::kOmodShift;
    bool packed32 = k > 0 && (source0.type == Type::pk_f32 || source0.type == Type::pk_b32);
    if (!packed32) {
      op.mods |= static_cast<uint32_t>(inst->op_sel & 15) << mods::kOpSelShift;
      op.mods |= static_cast<uint32_t>(inst->op_sel_hi & 7) << mods::kOpSelHiShift;
    }
    if (op.mods & mods::kPlainMask) general = true;

    // Prefixes.
    bool dpp = inst->form == isa::Form::dpp, sdwa = inst->form == isa::Form::sdwa;
    if (dpp) {
      Op p = engine_op(level.ops.dpp);
      p.s[0] = op.s[0];
      p.d = layout::kTemp;
      p.imm = inst->dpp.ctrl;
      bool pair = source0.dwords == 2;
      p.aux = static_cast<uint16_t>(inst->dpp.row_mask | inst->dpp.bank_mask << 4 | inst->dpp.bound_ctrl << 8 | pair << 9);
      emit(p);
      op.s[0] = layout::kTemp;
      op.s[3] = layout::kTemp + layout::kRow * pair;
    }
    uint32_t sdwa_dst = 0;
    if (sdwa) {
      for (int j = 0; j < 2 && j < k; ++j) {
        const Operand& o = inst->source(j);
        unsigned sel = inst->sdwa.src_sel[static_cast<size_t>(j)];
        if (sel == 6) continue;
        Op p = engine_op(level.ops.sdwa_source);
        p.s[0] = op.s[j];
        p.mods = 0;
        if (op.mods & mods::scalar(j)) p.mods |= mods::scalar(0);
        if (op.mods & mods::literal(j)) p.mods |= mods::literal(0), p.lit = op.lit;
        p.d = layout::kTemp + layout::kRow * static_cast<uint32_t>(1 + j);
        p.imm = static_cast<int32_t>(sel);
        p.aux = o.sext;
        emit(p);
        op.s[j] = op.s[j + 3] = p.d;
        op.mods &= ~(mods::scalar(j) | mods::literal(j));
        if (j == 0) scalar0 = false;
      }
      if (find(Field::vdst) && (inst->sdwa.dst_sel != 6)) {
        sdwa_dst = op.d;
        if (spec(Field::vdst)->read_write) {   // an accumulator: its old value in whole
          Op p = engine_op(level.ops.sdwa_source);
          p.s[0] = op.d;
          p.d = layout::kTemp + layout::kRow * 3;
          p.imm = 6;
          emit(p);
        }
        op.d = layout::kTemp + layout::kRow * 3;
      }
    }
    wide = wide && !single;
    if (code.traits.split_mode && wide) emit(engine_op(control_mode_wide));
    if (indexing || code.traits.split_mode) emit(engine_op(control_indexed));

    Op m = op;
    int variant = general ? kFullGeneral : scalar0 ? kFullScalar0 : kFullRows;
    op.fn = h.fn[variant + (dpp ? 1 : 0)];   // DPP narrows EXEC: the masked form in both streams
    m.fn = h.fn[variant + 1];
    if (!op.fn || !m.fn) return halt(control_row_missing);
    emit(op, m);

    if (code.traits.split_mode && wide) emit(engine_op(control_mode_narrow));
    if (sdwa_dst) {
      Op p = engine_op(level.ops.sdwa_dest);
      p.s[0] = op.d;
      p.d = sdwa_dst;
      p.imm = inst->sdwa.dst_sel;
      p.aux = inst->sdwa.dst_unused;
      emit(p);
    }
    if (dpp) emit(engine_op(level.ops.dpp_end));
    if (writes_exec) emit(engine_op(level.ops.choose_stream));
  }

  // ------------------------------------------------------------ wave rows

  void lower_wave(const RowHandlers& h) {
    bool saddr = false, writes_exec = false;
    op.imm = inst->offset;
    auto reg = [&](int at, const Operand* o, int high = -1) {
      if (!o || (o->kind != Operand::Kind::vgpr && o->kind != Operand::Kind::agpr)) return false;
      op.s[at] = vgpr_offset(*o);
      if (high >= 0) op.s[high] = op.s[at] + (o->dwords > 1 ? layout::kRow : 0);
      return true;
    };
    auto dst = [&](const Operand* o) {
      if (!o) return;
      if (o->kind == Operand::Kind::sgpr) {
        op.d = layout::sgpr(o->number);
        writes_exec |= o->number == layout::kExec || o->number == layout::kExec + 1;
      } else {
        op.d = vgpr_offset(*o);
      }
    };
    switch (inst->format) {
    case isa::FLAT: case isa::GLOBAL: case isa::SCRATCH: {
      auto* a = find(Field::vaddr) ? find(Field::vaddr) : find(Field::addr);
      if (reg(0, a, 3)) op.mods |= mods::kVaddr;
      reg(1, find(Field::data));
      dst(find(Field::vdst));
      if (auto* s = find(Field::saddr); s && s->kind == Operand::Kind::sgpr) {
        op.s[2] = layout::sgpr(s->number);
        op.mods |= mods::kSaddr;
        saddr = inst->format != isa::SCRATCH;
      }
      if (inst->glc) op.mods |= mods::kReturns;
      break;
    }
    case isa::DS:
      reg(0, find(Field::addr));
      reg(1, find(Field::data0));
      reg(2, find(Field::data1));
      dst(find(Field::vdst));
      if (meta->operands.offset01) {
        op.imm = inst->offset0;
        op.aux = inst->offset1;
      }
      if (inst->gds) op.mods |= mods::kGds;
      break;
    case isa::MUBUF: case isa::MTBUF:
      reg(0, find(Field::vaddr));
      op.s[3] = op.s[0] + layout::kRow;   // with index and offset
      reg(1, find(Field::vdata));
      dst(find(Field::vdata));
      if (auto* r = find(Field::srsrc)) op.s[2] = layout::sgpr(r->number);
      if (auto* so = find(Field::soffset)) {
        if (so->kind == Operand::Kind::sgpr) op.s[4] = layout::sgpr(so->number);
        else if (auto it = constant_index().by_value.find(so->value); it != constant_index().by_value.end()) op.s[4] = layout::kConst + 8 * it->second;
        else return halt(control_illegal);
      }
      if (inst->offen) op.mods |= mods::kSaddr;
      if (inst->idxen) op.mods |= mods::kVaddr;
      if (inst->glc) op.mods |= mods::kReturns;
      if (inst->lds) op.mods |= mods::kLds;
      if (inst->tfe) op.mods |= mods::kTfe;
      if (inst->format == isa::MTBUF) op.aux = static_cast<uint16_t>(inst->dfmt | inst->nfmt << 4);
      break;
    case isa::MIMG:
      reg(0, find(Field::vaddr));
      reg(1, find(Field::vdata));
      dst(find(Field::vdata));
      if (auto* r = find(Field::srsrc)) {
        if (r->kind != Operand::Kind::sgpr) return halt(control_illegal);
        op.s[2] = layout::sgpr(r->number);
      }
      if (auto* s = find(Field::ssamp)) {
        if (s->kind != Operand::Kind::sgpr) return halt(control_illegal);
        op.s[4] = layout::sgpr(s->number);
      }
      op.imm = inst->dmask | (inst->unorm ? image_mods::kUnnormalized : 0) | (inst->da ? image_mods::kArray : 0) | (inst->r128 ? image_mods::kA16 : 0) |
               (inst->tfe ? image_mods::kTfe : 0) | (inst->lwe ? image_mods::kLwe : 0) | (inst->d16 ? image_mods::kD16 : 0);
      if (inst->glc) op.mods |= mods::kReturns;
      break;
    default: {   // lane reads and writes, matrices
      int k = 0;
      for (int i = 0; i < inst->operand_count; ++i) {
        const Operand& o = inst->operands[static_cast<size_t>(i)];
        if (o.is_dst) {
          dst(&o);
          continue;
        }
        if (o.kind == Operand::Kind::vgpr || o.kind == Operand::Kind::agpr) {
          if (k < 3) op.s[k] = vgpr_offset(o);
          ++k;
          continue;
        }
        if (inst->format == isa::MAI && o.is_const()) {
          op.mods |= mods::scalar(k);
          op.lit = o.value;
        } else if (k >= 3 || !scalar_source(k, o)) {
          return halt(control_illegal);
        }
        ++k;
      }
      op.aux = static_cast<uint16_t>(inst->cbsz | inst->abid << 3 | inst->blgp << 7);
    }
    }
    Op m = op;
    op.fn = h.fn[saddr ? kFullSaddr : kFullVaddr];
    m.fn = h.fn[saddr ? kMaskedSaddr : kMaskedVaddr];
    if (!op.fn || !m.fn) return halt(control_row_missing);
    emit(op, m);
    if (writes_exec) emit(engine_op(level.ops.choose_stream));
  }

  // ------------------------------------------------------------ one instruction

  /// global_load_dword with the lds bit of older chips does what gfx940's global_load_lds_dword does.
  static isa::RowId load_to_lds(std::string_view load) {
    size_t at = load.find("load_") + 5;
    std::string name = std::string(load.substr(0, at)) + "lds_" + std::string(load.substr(at));
    for (isa::RowId row = 0; row < isa::row_count(); ++row)
      if (name == isa::row_meta(row).name) return row;
    return isa::kNoRow;
  }

  /// SOPP rows that only wait, hint or maintain caches: no operation at all.
  static bool is_elided(const Inst& i) {
    if (i.format != isa::SOPP) return false;
    switch (i.opcode) {
    case 0: case 3: case 12: case 15: case 20: case 21: case 22: return true;
    default: return false;
    }
  }

  void lower(const Inst& decoded, uint64_t at) {
    inst = &decoded;
    pc = at;
    meta = &isa::row_meta(decoded.row);
    op = Op{};
    op.row = decoded.row;
    if (traced) {
      Op tracer = engine_op(control_trace);
      tracer.lit = at;
      tracer.aux = at == code.begin;
      emit(tracer);
    }
    if (code.traits.count_rows && isa::row_has_semantics(decoded.row)) {
      Op counter = engine_op(control_count);
      counter.aux = decoded.row;
      emit(counter);
    }
    if (is_elided(decoded) && isa::row_has_semantics(decoded.row)) return;
    if (decoded.format == isa::SOPP && decoded.opcode == 19) {   // s_icache_inv: what follows may have been rewritten
      Op refetch = engine_op(control_refetch);
      refetch.row = decoded.row;
      refetch.lit = at + decoded.size;
      emit(refetch);
      return;
    }
    if (!isa::row_has_semantics(decoded.row)) return halt(control_row_missing);
    if (decoded.lds && has(meta->flags, isa::WideLds)) return halt(control_row_missing);  // only one dword goes to LDS yet
    const isa::FamilyInfo* family = nullptr;
    int index = 0;
    for (int f = 0; f < isa::kFamilyCount; ++f)
      if (decoded.row >= isa::kFamilies[static_cast<size_t>(f)].base) {
        family = &isa::kFamilies[static_cast<size_t>(f)];
        index = f;
      }
    isa::RowId row = decoded.row;
    if (decoded.lds && (decoded.format & (isa::FLAT | isa::GLOBAL | isa::SCRATCH)) && !has(meta->flags, isa::LdsOnly)) {
      row = load_to_lds(meta->name);
      if (row == isa::kNoRow) return halt(control_row_missing);
    }
    const RowHandlers& h = level.family(index)[row - family->base];
    if (family->cls == isa::FamilyClass::scalar) return lower_scalar(h);
    size_t guard = full.size();
    if (code.traits.split_mode) emit(engine_op(control_vskip));
    if (family->cls == isa::FamilyClass::lane) lower_lane(h);
    else lower_wave(h);
    if (code.traits.split_mode) full[guard].imm = masked[guard].imm = static_cast<int32_t>(full.size() - guard - 1);
  }
};

/// Reads code as it goes, without running past what can be read.
struct CodeReader {
  uint64_t base;
  std::vector<uint32_t> words;
  bool ended = false;
  /// True if dwords [from, from + n) of the code are in `words`.
  bool need(size_t from, size_t n) {
    while (words.size() < from + n && !ended) {
      // Up to the next page boundary at a time.
      uint64_t at = base + 4 * words.size();
      size_t count = (4096 - at % 4096) / 4;
      size_t old = words.size();
      words.resize(old + count);
      if (!read_guest(words.data() + old, at, 4 * count)) {
        words.resize(old);
        ended = true;
      }
    }
    return words.size() >= from + n;
  }
  /// Address of the first dword that can't be read.
  uint64_t hole() const { return base + 4 * words.size(); }
  /// True if an instruction begins at dword `at` whose rest can't be read.
  bool cuts(isa::Target target, size_t at) const {
    uint32_t padded[4] = {};
    size_t left = words.size() - at;
    if (!ended || left >= 4) return false;
    std::copy_n(words.data() + at, left, padded);
    auto inst = isa::decode(target, padded, 4);
    return inst && inst->size > 4 * left;
  }
};

} // namespace

uint64_t constant_value(unsigned slot) { return kConstants[slot]; }

Code::~Code() { ::operator delete[](full, std::align_val_t{64}); }

bool same_code(uint64_t address, const std::vector<uint32_t>& words) {
  struct Job {
    const uint32_t* a;
    const uint32_t* b;
    size_t count;
    bool same;
  } job{reinterpret_cast<const uint32_t*>(address), words.data(), words.size(), false};
  auto fault = call_guarded([](void* p) {
    auto* j = static_cast<Job*>(p);
    j->same = raw_equal(j->a, j->b, j->count);
  }, &job);
  return !fault.happened && job.same;
}

Expected<std::shared_ptr<Code>> decode_code(const Level& level, const CodeTraits& traits, uint64_t entry) {
  if (entry % 4) return error(bz::Code::invalid_image, "code at 0x{:x} is not aligned to 4 bytes", entry);
  auto code = std::make_shared<Code>();
  code->begin = entry;
  code->traits = traits;
  Lowering low{level, *code, {}, {}, {}};
  CodeReader reader{entry, {}};
  if (!reader.need(0, 1)) return error(bz::Code::invalid_image, "no readable code at 0x{:x}", entry);

  constexpr uint64_t kReach = 1 << 20;   // branches farther ahead start a stretch of their own
  constexpr size_t kLongest = 1 << 20;   // dwords: who fell out of the code into data, zeroes for instance, decodes no further
  uint64_t furthest = entry;             // highest forward target so far
  size_t at = 0;
  for (;;) {
    uint64_t pc = entry + 4 * at;
    code->op_at.resize(at + 1, Code::kNone);
    code->op_at[at] = static_cast<uint32_t>(low.full.size());
    reader.need(at, 4);
    std::optional<isa::Inst> inst;
    if (reader.words.size() > at) inst = isa::decode(traits.target, reader.words.data() + at, reader.words.size() - at);
    if (inst && !inst->legal) inst.reset();  // the decoder can name it, the chip has no such operand
    if (at >= kLongest) {
      low.inst = nullptr;
      low.pc = pc;
      low.halt(control_endless);
      at += 1;
      break;
    }
    if (!inst) {
      low.inst = nullptr;
      low.pc = pc;
      bool cut = reader.words.size() <= at || reader.cuts(traits.target, at);
      low.halt(cut ? control_unreadable : control_illegal, cut ? reader.hole() : 0);
      at += 1;
      // Beyond an illegal word only what is jumped to can be code.
      if (furthest <= pc || reader.words.size() <= at) break;
      continue;
    }
    low.lower(*inst, pc);
    at += inst->size / 4u;
    code->op_at.resize(at, Code::kNone);
    const isa::Meta& m = isa::row_meta(inst->row);
    bool branch = has(m.flags, isa::Branch);
    if (branch && (inst->format == isa::SOPP || inst->format == isa::SOPK)) {
      uint64_t target = inst->branch_target(pc);
      if (target > pc && target - pc < kReach) furthest = std::max(furthest, target);
    }
    bool stops = has(m.flags, isa::EndProgram) || (branch && !has(m.flags, isa::CondBranch) && !has(m.flags, isa::Call));
    if (stops && entry + 4 * at > furthest) break;
  }
  code->end = entry + 4 * at;
  reader.words.resize(std::min(at + 1, reader.words.size()));   // one more, for reports of an illegal first half
  code->words = std::move(reader.words);

  // Control must not run past the end of the arrays.
  low.inst = nullptr;
  low.pc = code->end - 4;
  low.halt(control_unreadable);
  // Targets outside this stretch, or into the middle of an instruction, are looked up when they are taken.
  for (auto& [index, target] : low.branches) {
    if (target >= code->begin && target < code->end && code->op_at[(target - code->begin) / 4] != Code::kNone) continue;
    Op far = Lowering::engine_op(control_far);
    far.lit = target;
    low.pc = entry + 4 * uint64_t{code->dword_of[index]};
    low.emit(far);
  }

  code->count = static_cast<uint32_t>(low.full.size());
  auto* ops = static_cast<Op*>(::operator new[](sizeof(Op) * 2 * code->count, std::align_val_t{64}));
  std::memcpy(static_cast<void*>(ops), low.full.data(), sizeof(Op) * code->count);
  std::memcpy(static_cast<void*>(ops + code->count), low.masked.data(), sizeof(Op) * code->count);
  code->full = ops;
  code->masked = ops + code->count;
  auto n = static_cast<int32_t>(code->count);
  for (int32_t i = 0; i < n; ++i) {
    ops[i].twin = n;
    ops[i + n].twin = -n;
  }
  uint32_t far = code->count;
  for (auto& [index, target] : low.branches) {
    bool inside = target >= code->begin && target < code->end && code->op_at[(target - code->begin) / 4] != Code::kNone;
    if (!inside) --far;
  }
  for (auto& [index, target] : low.branches) {
    bool inside = target >= code->begin && target < code->end && code->op_at[(target - code->begin) / 4] != Code::kNone;
    uint32_t to = inside ? code->op_at[(target - code->begin) / 4] : far++;
    ops[index].lit = reinterpret_cast<uint64_t>(ops + to);
    ops[index + code->count].lit = reinterpret_cast<uint64_t>(ops + code->count + to);
  }
  return code;
}

} // namespace bz::exec
