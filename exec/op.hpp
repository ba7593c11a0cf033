// One pre-decoded operation and the byte layout of a wave's block, shared by the decoder and every level of the interpreter.
// Owns offsets and bit positions only; must not know what any row does.
#pragma once
#include <cstddef>
#include <cstdint>

namespace bz::exec {

struct Op;

/// A handler runs one operation for the waves in [w, w + span) and tail-calls the next one.
#define BZ_PN __attribute__((preserve_none))
using Fn = void(BZ_PN*)(const Op*, char* w);

/// Operands are byte offsets from the wave block. Sources have a low and a high dword (64-bit operands): no shuffles.
struct alignas(64) Op {
  Fn fn;
  uint64_t lit;       ///< value of the literal source, decode-time address or branch target
  uint32_t s[6];      ///< sources 0..2 (low dword), then 0..2 (high dword)
  uint32_t d;         ///< destination
  uint32_t mods;      ///< see Mods
  int32_t imm;        ///< immediate of the row
  uint16_t sd, sm;    ///< mask result and mask source (SGPR file)
  uint16_t row;       ///< RowId, or 0xffff for an engine operation
  uint16_t aux;       ///< extra immediate: second DS offset, operand register numbers ...
  int32_t twin;       ///< distance, in operations, to the same operation in the other stream
};
static_assert(sizeof(Op) == 64);

/// Bits of Op::mods.
namespace mods {
constexpr uint32_t neg(int k) { return 1u << k; }             ///< VOP3P: neg_lo
constexpr uint32_t abs(int k) { return 1u << (3 + k); }       ///< VOP3P: neg_hi
constexpr uint32_t kClamp = 1u << 6;
constexpr int kOmodShift = 7;                                 ///< two bits
constexpr int kOpSelShift = 9;                                ///< four bits
constexpr int kOpSelHiShift = 13;                             ///< three bits
constexpr uint32_t scalar(int k) { return 1u << (16 + k); }   ///< source k is uniform (SGPR, constant)
constexpr uint32_t literal(int k) { return 1u << (19 + k); }  ///< its value is Op::lit
constexpr uint32_t kReturns = 1u << 22;                       ///< atomics: the old value goes to d
constexpr uint32_t kSaddr = 1u << 23;                         ///< FLAT family: scalar base; MUBUF: offen
constexpr uint32_t kVaddr = 1u << 24;                         ///< scratch: vector address used; MUBUF: idxen
constexpr uint32_t kGds = 1u << 25;
constexpr uint32_t kSoffset = 1u << 26;                       ///< SMEM: a scalar offset is added
constexpr uint32_t kBack = 1u << 27;                          ///< a branch to itself or backwards
constexpr uint32_t kLds = 1u << 28;                           ///< MUBUF lds bit
constexpr uint32_t kTfe = 1u << 29;
constexpr uint32_t kZeroCount = 1u << 30;                     ///< source 1 is the constant 0
/// Anything that makes a plain row need its modifier variant (op_sel_hi is judged by the decoder).
constexpr uint32_t kPlainMask = 0x3fu | kClamp | 3u << kOmodShift | 15u << kOpSelShift;
} // namespace mods

/// The wave block: SGPRs, state, constants as scalars, constants as rows, temporary rows, VGPR rows (256 bytes each).
namespace layout {
inline constexpr uint32_t kRow = 256;
inline constexpr uint32_t kState = 512;                        ///< struct Wave continues here
inline constexpr uint32_t kConst = 2048;                       ///< 8 bytes each
inline constexpr uint32_t kConstCount = 192;
inline constexpr uint32_t kConstRow = kConst + 8 * kConstCount + 512;   ///< low dwords of the constants, broadcast
inline constexpr uint32_t kTemp = kConstRow + kRow * kConstCount;
inline constexpr uint32_t kTempCount = 16;
inline constexpr uint32_t kVgpr = kTemp + kRow * kTempCount;
inline constexpr uint32_t kVgprCount = 512;
inline constexpr uint32_t kBytes = kVgpr + kRow * kVgprCount;
/// Distance of two waves: an odd number of lines, so that the same row of different waves falls into different cache sets.
inline constexpr uint32_t kStride = (kBytes + 4095) / 4096 * 4096 + 13 * 64;

inline constexpr uint32_t sgpr(unsigned n) { return 4 * n; }
inline constexpr uint32_t vgpr(unsigned n) { return kVgpr + kRow * n; }
inline constexpr unsigned kFlatScratch = 102, kXnackMask = 104, kVcc = 106, kTtmp = 108, kM0 = 124, kExec = 126;
} // namespace layout

} // namespace bz::exec
