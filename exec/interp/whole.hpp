// The wave builder: what `sem` of cross-lane, matrix and memory rows sees, once per wave. Owns permutations and lane
// access; must not know rows.
#pragma once
#include "exec/interp/image.hpp"
#include "exec/interp/matrix.hpp"
#include "exec/interp/typed.hpp"

namespace bz::exec::BZ_LEVEL_NS {

template <bool Full, bool Saddr> struct WaveB : TypedB<Full, Saddr>, ScalarMathOps {
  using Base = TypedB<Full, Saddr>;
  using S32 = BZ_LEVEL_NS::S32;
  using SI32 = BZ_LEVEL_NS::SI32;
  using S64 = BZ_LEVEL_NS::S64;
  using SI64 = BZ_LEVEL_NS::SI64;
  using SBool = BZ_LEVEL_NS::SBool;
  using Base::Base;
  using Base::o;
  using Base::w;
  using Base::wave;
  using Base::cell;
  using Base::for_lanes;

  BZ_AI int64_t imm() const { return o->imm; }
  BZ_AI int64_t imm2() const { return o->aux; }
  BZ_AI bool clamp() const { return false; }
  BZ_AI bool op_sel(int) const { return false; }
  BZ_AI bool op_sel_hi(int) const { return false; }
  BZ_AI isa::Target target() const { return wave()->group->target; }
  BZ_AI void not_implemented(const char* why) { this->stop(Halt::Reason::not_implemented, -1, why); }
  BZ_AI void nop(const char*) {}

  BZ_AI S32 s32(int k) const {
    const char* p = o->mods & mods::literal(k) ? reinterpret_cast<const char*>(&o->lit) : w + o->s[k];
    return S32(Base::template get<uint32_t>(p));
  }
  /// A scalar source (legal in v_readfirstlane) is the same for every lane.
  BZ_AI S32 read_lane(int k, S32 lane) const {
    if (o->mods & mods::scalar(k)) return s32(k);
    return S32(cell(o->s[k], static_cast<int>(lane.v & 63)));
  }
  BZ_AI S32 first_active() const {
    uint64_t e = wave()->exec();
    return S32(e ? __builtin_ctzll(e) : 0);
  }
  BZ_AI void write_lane(S32 lane, S32 x) { cell(o->d, static_cast<int>(lane.v & 63)) = x.v; }
  template <class T> BZ_AI void sdst(Scalar<T> x) { __builtin_memcpy(w + o->d, &x.v, sizeof x.v); }
  BZ_AI S32 m0() const { return S32(wave()->sgpr[layout::kM0]); }

  BZ_AI void take_row(uint32_t off, uint32_t* x) const { __builtin_memcpy(x, w + off, 256); }
  BZ_AI void ds_bpermute() {
    uint32_t addr[64], data[64];
    take_row(o->s[0], addr);
    take_row(o->s[1], data);
    uint64_t e = wave()->exec();
    for_lanes([&](int lane) {
      unsigned from = (addr[lane] + static_cast<uint32_t>(o->imm)) >> 2 & 63;
      cell(o->d, lane) = e >> from & 1 ? data[from] : 0;
    });
  }
  BZ_AI void ds_permute() {
    uint32_t addr[64], data[64], out[64] = {};
    take_row(o->s[0], addr);
    take_row(o->s[1], data);
    for_lanes([&](int lane) { out[(addr[lane] + static_cast<uint32_t>(o->imm)) >> 2 & 63] = data[lane]; });
    for_lanes([&](int lane) { cell(o->d, lane) = out[lane]; });
  }
  /// offset: bit 15 set = quad permutation (or, from 0xc000, rotation and FFT); clear = and / or / xor masks in groups of 32.
  BZ_AI void ds_swizzle() {
    uint32_t data[64], pattern = static_cast<uint32_t>(o->imm) & 0xffff;
    take_row(o->s[0], data);
    uint64_t e = wave()->exec();
    for_lanes([&](int lane) {
      unsigned from;
      unsigned l = static_cast<unsigned>(lane);
      if (pattern >= 0xe000) {
        // FFT within 32: the lane number's bits reversed, then shifted down past the bits that the mask keeps.
        unsigned mask = pattern & 31, reversed = __builtin_bitreverse32(l & 31) >> 27;
        from = reversed >> __builtin_popcount(mask) | (l & mask) | (l & 32);
      } else if (pattern >= 0xc000) {
        // rotate within 32: bit 10 direction, 9:5 amount, 4:0 mask of lanes that stay in their place
        unsigned amount = pattern >> 5 & 31, mask = pattern & 31, r = pattern >> 10 & 1 ? l - amount : l + amount;
        from = (l & mask) | (r & ~mask & 31);
        from |= l & 32;
      } else if (pattern & 0x8000) {
        from = (l & ~3u) | (pattern >> (2 * (l & 3)) & 3);
      } else {
        from = (((l & 31) & (pattern & 31)) | (pattern >> 5 & 31)) ^ (pattern >> 10 & 31);
        from = (from & 31) | (l & 32);
      }
      cell(o->d, lane) = e >> from & 1 ? data[from] : 0;
    });
  }

  BZ_AI void image(isa::ImageOp op) {
    this->note_access();
    if (const char* why = run_image(o, w, op)) not_implemented(why);
  }

  template <isa::Tile T, isa::Num A, isa::Num B, isa::Num C> BZ_AI void mfma() { matrix_multiply<T, A, B, C>(o, w); }
  template <isa::Tile T, isa::Num A, isa::Num B, isa::Num C> BZ_AI void smfmac() { matrix_sparse<T, A, B, C>(o, w); }
};

static_assert(isa::WaveBuilder<WaveB<true, false>>);

} // namespace bz::exec::BZ_LEVEL_NS
