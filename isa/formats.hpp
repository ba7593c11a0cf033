// Every machine format of gfx9, written once as a bit string: 0 and 1 fix a bit, a letter names a field, a dot is ignored.
// Masks, shifts and checks are made at compile time. Must not know rows.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace bz::isa {

/// Dwords from the first, each from bit 31 down to bit 0; spaces are for the reader.
struct Layout {
  struct Bits {
    uint8_t dword = 0, low = 0, width = 0;
  };
  uint32_t fixed_mask = 0, fixed_value = 0;  ///< of the first dword
  uint8_t dwords = 0;
  Bits fields[128] = {};

  consteval Layout(std::string_view text) {
    int bit = 31, dword = 0;
    for (char c : text) {
      if (c == ' ') continue;
      if (bit < 0) bit = 31, ++dword;
      if (c == '0' || c == '1') {
        if (dword) bad("fixed bits belong to the first dword");
        fixed_mask |= 1u << bit;
        fixed_value |= static_cast<uint32_t>(c - '0') << bit;
      } else if (c != '.') {
        Bits& f = fields[static_cast<size_t>(c)];
        if (f.width && (f.dword != dword || f.low != bit + 1)) bad("a field in two pieces");
        f = {static_cast<uint8_t>(dword), static_cast<uint8_t>(bit), static_cast<uint8_t>(f.width + 1)};
      }
      --bit;
    }
    if (bit >= 0) bad("not a whole dword");
    dwords = static_cast<uint8_t>(dword + 1);
  }

  constexpr bool matches(uint32_t word) const { return (word & fixed_mask) == fixed_value; }
  constexpr bool has(char name) const { return fields[static_cast<size_t>(name)].width != 0; }
  constexpr uint32_t get(char name, const uint32_t* words) const {
    const Bits& f = fields[static_cast<size_t>(name)];
    uint32_t mask = f.width == 32 ? ~0u : (1u << f.width) - 1;
    return (words[f.dword] >> f.low) & mask;
  }

private:
  static void bad(const char* why);  // never defined: reaching it is the compile error
};

// Letters: O opcode, D destination, A B C sources, I immediate. Others are explained at their format.
inline constexpr Layout kSOP2("10OOOOOOODDDDDDD BBBBBBBBAAAAAAAA");
inline constexpr Layout kSOPK("1011OOOOODDDDDDD IIIIIIIIIIIIIIII");
inline constexpr Layout kSOP1("101111101DDDDDDD OOOOOOOOAAAAAAAA");
inline constexpr Layout kSOPC("101111110OOOOOOO BBBBBBBBAAAAAAAA");
inline constexpr Layout kSOPP("101111111OOOOOOO IIIIIIIIIIIIIIII");
// i imm, g glc, e soffset enable, D sdata, S sbase / 2, F soffset, I offset (signed).
inline constexpr Layout kSMEM("110000OOOOOOOOig .e.DDDDDDDSSSSSS  FFFFFFF....IIIII IIIIIIIIIIIIIIII");
inline constexpr Layout kVOP1("0111111DDDDDDDDO OOOOOOOAAAAAAAAA");
inline constexpr Layout kVOP2("0OOOOOODDDDDDDDB BBBBBBBAAAAAAAAA");
inline constexpr Layout kVOPC("0111110OOOOOOOOB BBBBBBBAAAAAAAAA");
// c clamp, s op_sel, a abs, m omod, n neg.
inline constexpr Layout kVOP3("110100OOOOOOOOOO cssssaaaDDDDDDDD  nnnmmCCCCCCCCCBB BBBBBBBAAAAAAAAA");
// The same with a scalar destination S in place of op_sel and abs.
inline constexpr Layout kVOP3S("110100OOOOOOOOOO cSSSSSSSDDDDDDDD  nnnmmCCCCCCCCCBB BBBBBBBAAAAAAAAA");
// h op_sel_hi[2], H op_sel_hi[1:0], s op_sel, a neg_hi, n neg_lo.
inline constexpr Layout kVOP3P("110100111OOOOOOO chsssaaaDDDDDDDD  nnnHHCCCCCCCCCBB BBBBBBBAAAAAAAAA");
// d AGPR destination and src2, x AGPR sources, i abid, z cbsz, b blgp.
inline constexpr Layout kMAI("110100111OOOOOOO diiiizzzDDDDDDDD  bbbxxCCCCCCCCCBB BBBBBBBAAAAAAAAA");
// VOP3PX has no layout of its own: VOP3P with op 44 and the scales in A and B, then MAI.
inline constexpr unsigned kScaleOpcode = 44;
// t attribute, h channel, V vsrc.
inline constexpr Layout kVINTRP("110101DDDDDDDDOO tttttthhVVVVVVVV");
// a AGPR data, g gds, J offset1, I offset0, V addr, A data0, B data1.
inline constexpr Layout kDS("110110aOOOOOOOOg JJJJJJJJIIIIIIII  DDDDDDDDBBBBBBBB AAAAAAAAVVVVVVVV");
// k sc1, s slc/nt, g glc/sc0, S segment, l lds or sve, I offset (signed), a AGPR data or nv, R saddr.
inline constexpr Layout kFLAT("110111kOOOOOOOsg SSlIIIIIIIIIIIII  DDDDDDDDaRRRRRRR AAAAAAAAVVVVVVVV");
// s slc/nt, l lds, k scc/sc1, g glc/sc0, x idxen, e offen, I offset, F soffset, a tfe or AGPR data, R srsrc / 4.
inline constexpr Layout kMUBUF("111000.OOOOOOOsl kgxeIIIIIIIIIIII  FFFFFFFFa..RRRRR DDDDDDDDVVVVVVVV");
// n nfmt, d dfmt.
inline constexpr Layout kMTBUF("111010nnnddddOOO OgxeIIIIIIIIIIII  FFFFFFFFaskRRRRR DDDDDDDDVVVVVVVV");
// s slc, l lwe, t tfe or AGPR data, r r128/a16, d da, g glc, u unorm, M dmask, k scc, h d16, z reserved, P ssamp, R srsrc / 4.
inline constexpr Layout kMIMG("111100sOOOOOOOlt rdguMMMMk......z  h.....PPPPPRRRRR DDDDDDDDVVVVVVVV");
// v vm, o done, c compr, T target, E enable mask.
inline constexpr Layout kEXP("110001.......... ...vocTTTTTTEEEE  DDDDDDDDCCCCCCCC BBBBBBBBAAAAAAAA");
// The SDWA dword: A src0, d dst_sel, U dst_unused, c clamp, m omod; per source (0: e x n a S, 1: f y o b T) sel, sext,
// neg, abs, scalar register.
inline constexpr Layout kSDWA("T.boyfff S.anxeee mmcUUddd AAAAAAAA");
// The same for VOPC: D SGPR pair, v written there instead of to VCC.
inline constexpr Layout kSDWAB("T.boyfff S.anxeee vDDDDDDD AAAAAAAA");
// The DPP dword: A src0, I dpp_ctrl, z bound_ctrl, n a o b neg and abs, k bank_mask, r row_mask.
inline constexpr Layout kDPP("rrrrkkkkboanz..I IIIIIIIIAAAAAAAA");

} // namespace bz::isa
