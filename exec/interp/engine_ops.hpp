// Operations that the decoder puts around rows: DPP permutation of source 0, SDWA selects and merges, and the choice of
// stream after vector rows that write EXEC. The row in between sees plain operands.
#pragma once
#include "exec/interp/handlers.hpp"

namespace bz::exec::BZ_LEVEL_NS {

/// Source lane of a DPP control for lane l, or -1: none.
BZ_AI int dpp_source(unsigned ctrl, int l) {
  int row = l & ~15, in = l & 15;
  if (ctrl < 0x100) return (l & ~3) | static_cast<int>(ctrl >> (2 * (l & 3)) & 3);
  int n = static_cast<int>(ctrl & 15);
  switch (ctrl & 0x1f0) {
  case 0x100: return in + n < 16 ? l + n : -1;           // row_shl
  case 0x110: return in - n >= 0 ? l - n : -1;           // row_shr
  case 0x120: return row | ((in - n) & 15);              // row_ror
  case 0x150: return row | n;                            // row_newbcast
  default: break;
  }
  switch (ctrl) {
  case 0x130: return l < 63 ? l + 1 : -1;                // wave_shl
  case 0x134: return (l + 1) & 63;                       // wave_rol
  case 0x138: return l > 0 ? l - 1 : -1;                 // wave_shr
  case 0x13c: return (l - 1) & 63;                       // wave_ror
  case 0x140: return row | (15 - in);                    // row_mirror
  case 0x141: return (l & ~7) | (7 - (l & 7));           // row_half_mirror
  case 0x142: return row > 0 ? row - 1 : -1;             // row_bcast 15: last lane of the row before
  case 0x143: return l >= 32 ? 31 : -1;                  // row_bcast 31
  default: return -1;
  }
}

/// s[0] source row, d temporary row; imm: ctrl, aux: row_mask | bank_mask << 4 | bound_ctrl << 8 | two dwords << 9.
BZ_PN inline void op_dpp(const Op* o, char* w) {
  unsigned ctrl = static_cast<unsigned>(o->imm), row_mask = o->aux & 15, bank_mask = o->aux >> 4 & 15;
  bool bound_zero = o->aux >> 8 & 1;
  int dwords = o->aux >> 9 & 1 ? 2 : 1;
  BZ_FOR_WAVES(wv) {
    auto* wave = reinterpret_cast<Wave*>(wv);
    uint64_t exec = wave->exec(), keep = 0;
    alignas(64) uint32_t out[2][64], in[2][64];
    for (int j = 0; j < dwords; ++j) __builtin_memcpy(in[j], wv + o->s[0] + layout::kRow * static_cast<uint32_t>(j), 256);
    for (int l = 0; l < 64; ++l) {
      int from = dpp_source(ctrl, l);
      bool valid = from >= 0 && (exec >> from & 1);
      bool enabled = (row_mask >> (l >> 4) & 1) && (bank_mask >> (l >> 2 & 3) & 1);
      for (int j = 0; j < dwords; ++j) out[j][l] = valid ? in[j][from] : 0;
      keep |= static_cast<uint64_t>(enabled && (valid || bound_zero)) << l;
    }
    for (int j = 0; j < dwords; ++j) __builtin_memcpy(wv + o->d + layout::kRow * static_cast<uint32_t>(j), out[j], 256);
    wave->saved_exec = exec;
    wave->set_exec(exec & keep);
  }
  BZ_NEXT(o + 1);
}
BZ_PN inline void op_dpp_end(const Op* o, char* w) {
  BZ_FOR_WAVES(wv) {
    auto* wave = reinterpret_cast<Wave*>(wv);
    wave->set_exec(wave->saved_exec);
  }
  BZ_NEXT(o + 1);
}

/// s[0]: row or (mods scalar(0)) uniform; imm: select, aux: sign-extend.
BZ_PN inline void op_sdwa_source(const Op* o, char* w) {
  int sel = o->imm;
  BZ_FOR_WAVES(wv) {
    for (int q = 0; q < kChunks; ++q) {
      VU x = o->mods & mods::scalar(0) ? VU(*reinterpret_cast<const uint32_t*>(o->mods & mods::literal(0) ? reinterpret_cast<const char*>(&o->lit) : wv + o->s[0]))
                                       : VU(*reinterpret_cast<const VRow*>(wv + o->s[0] + 4 * kLanes * q));
      if (sel < 4) {
        x <<= static_cast<unsigned>(24 - 8 * sel);
        x = o->aux ? __builtin_bit_cast(VU, __builtin_bit_cast(VI, x) >> 24) : x >> 24;
      } else if (sel < 6) {
        x <<= sel == 4 ? 16u : 0u;
        x = o->aux ? __builtin_bit_cast(VU, __builtin_bit_cast(VI, x) >> 16) : x >> 16;
      }
      *reinterpret_cast<VRow*>(wv + o->d + 4 * kLanes * q) = x;
    }
  }
  BZ_NEXT(o + 1);
}
/// imm: dst_sel, aux: dst_unused (0 pad, 1 sign-extend, 2 preserve).
BZ_PN inline void op_sdwa_dest(const Op* o, char* w) {
  int sel = o->imm, unused = o->aux;
  BZ_FOR_WAVES(wv) {
    for (int q = 0; q < kChunks; ++q) {
      VU x = *reinterpret_cast<const VRow*>(wv + o->s[0] + 4 * kLanes * q);
      auto& d = *reinterpret_cast<VRow*>(wv + o->d + 4 * kLanes * q);
      unsigned shift = sel < 4 ? 8u * static_cast<unsigned>(sel) : sel == 5 ? 16u : 0u;
      uint32_t mask = (sel < 4 ? 0xffu : 0xffffu) << shift;
      VU r = (x << shift) & mask;
      if (unused == 2) {
        r |= VU(d) & ~mask;
      } else if (unused == 1) {
        // Bits above the field take its sign, bits below are zero.
        unsigned up = sel < 4 ? 24u - shift : 16u - shift;
        r = __builtin_bit_cast(VU, __builtin_bit_cast(VI, r << up) >> static_cast<int>(up));
      }
      if (sel == 6) r = x;
      Bits em;
      __builtin_memcpy(&em, wv + layout::sgpr(layout::kExec) + q * (kLanes / 8), sizeof em);
      d = blend(mask_of(em).v, r, VU(d));
    }
  }
  BZ_NEXT(o + 1);
}
BZ_PN inline void op_choose_stream(const Op* o, char* w) { BZ_NEXT(next_by_exec(o, w, o->twin > 0)); }

inline constexpr EngineOps kEngineOps{op_dpp, op_dpp_end, op_sdwa_source, op_sdwa_dest, op_choose_stream};

} // namespace bz::exec::BZ_LEVEL_NS
