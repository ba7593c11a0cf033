// References of rows that see other lanes: lane reads and writes, LDS-crossbar permutes. Vega ISA sections 6.8 and 10.3.2.
#include "isa/ref/families.hpp"
#include "isa/ref/machine.hpp"

#include <iterator>

namespace bz::isa::ref {
namespace {

uint32_t lane_value(const Machine& m, const Operand& o, int lane) {
  switch (o.kind) {
  case Operand::Kind::vgpr: return m.vgpr[o.number][static_cast<size_t>(lane)];
  case Operand::Kind::agpr: return m.agpr[o.number][static_cast<size_t>(lane)];
  default: return 0;
  }
}

uint32_t& result(Machine& m, const Operand& o, int lane) {
  return (o.kind == Operand::Kind::agpr ? m.agpr : m.vgpr)[o.number][static_cast<size_t>(lane)];
}

/// What a ds_* crossbar row reads at `field`.
const Operand& at(const Inst& i, Field f) {
  for (auto& o : i.operands)
    if (o.field == f) return o;
  return i.operands[0];
}

void readfirstlane(Machine& m, const Inst& i) {
  int lane = m.exec() ? std::countr_zero(m.exec()) : 0;
  m.sgpr[i.dest().number] = lane_value(m, i.source(0), lane);
}

void readlane(Machine& m, const Inst& i) {
  ScalarView v(m, i);
  m.sgpr[i.dest().number] = lane_value(m, i.source(0), static_cast<int>(v.u32(1) & 63));
}

void writelane(Machine& m, const Inst& i) {
  ScalarView v(m, i);
  m.vgpr[i.dest().number][v.u32(1) & 63] = v.u32(0);
}

void bpermute(Machine& m, const Inst& i) {
  const Machine before = m;
  for (int lane = 0; lane < 64; ++lane) {
    if (!before.active(lane)) continue;
    uint32_t a = lane_value(before, at(i, Field::addr), lane) + static_cast<uint32_t>(i.offset);
    int from = static_cast<int>(a >> 2 & 63);
    result(m, i.dest(), lane) = before.active(from) ? lane_value(before, at(i, Field::data0), from) : 0;
  }
}

void permute(Machine& m, const Inst& i) {
  const Machine before = m;
  std::array<uint32_t, 64> landed{};
  for (int lane = 0; lane < 64; ++lane)  // the highest lane that sends to a place wins
    if (before.active(lane)) {
      uint32_t a = lane_value(before, at(i, Field::addr), lane) + static_cast<uint32_t>(i.offset);
      landed[a >> 2 & 63] = lane_value(before, at(i, Field::data0), lane);
    }
  for (int lane = 0; lane < 64; ++lane)
    if (before.active(lane)) result(m, i.dest(), lane) = landed[static_cast<size_t>(lane)];
}

void swizzle(Machine& m, const Inst& i) {
  const Machine before = m;
  unsigned p = static_cast<unsigned>(i.offset) & 0xffff;
  for (int lane = 0; lane < 64; ++lane) {
    if (!before.active(lane)) continue;
    int from;
    if (p >= 0xe000) {  // FFT: bit reversal within groups (Vega ISA, ds_swizzle_b32 FFT mode)
      unsigned reversed = 0, x = static_cast<unsigned>(lane & 31);
      for (int b = 0; b < 5; ++b) reversed |= (x >> b & 1) << (4 - b);
      int mask = static_cast<int>(p & 0x1f);
      int kept = mask ? lane & mask : 0;
      from = (lane & 32) | ((mask == 0x1f ? lane & 31 : static_cast<int>(reversed >> __builtin_popcount(p & 0x1f)) | kept));
    } else if (p >= 0xc000) {  // rotate within 32 lanes, the masked bits stay
      int amount = static_cast<int>(p >> 5 & 31), mask = static_cast<int>(p & 31), x = lane & 31;
      int moved = p >> 10 & 1 ? x - amount : x + amount;
      from = (lane & 32) | (x & mask) | (moved & 31 & ~mask);
    } else if (p & 0x8000) {  // quad permutation
      from = (lane & ~3) | static_cast<int>(p >> (2 * (lane & 3)) & 3);
    } else {  // bit masks within 32 lanes
      int x = ((lane & static_cast<int>(p & 31)) | static_cast<int>(p >> 5 & 31)) ^ static_cast<int>(p >> 10 & 31);
      from = (lane & 32) | (x & 31);
    }
    result(m, i.dest(), lane) = before.active(from) ? lane_value(before, at(i, Field::addr), from) : 0;
  }
}

constexpr Entry kCross[] = {
    {"v_readfirstlane_b32", nullptr, nullptr, readfirstlane}, {"v_readlane_b32", nullptr, nullptr, readlane},
    {"v_writelane_b32", nullptr, nullptr, writelane},         {"ds_bpermute_b32", nullptr, nullptr, bpermute},
    {"ds_permute_b32", nullptr, nullptr, permute},            {"ds_swizzle_b32", nullptr, nullptr, swizzle},
};

} // namespace

void register_cross() { add(kCross, std::size(kCross)); }

} // namespace bz::isa::ref
