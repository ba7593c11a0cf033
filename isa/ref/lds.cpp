// References of the LDS rows that take both operands from memory (DS_*_SRC2_*) or exchange on condition.
// Sources: Vega ISA 12.13 "DS Instructions" (SRC2: the address of the second operand); MI300 ISA 12.12 (DS_CONDXCHG32_RTN_B64).
#include "isa/ref/families.hpp"
#include "isa/ref/memory.hpp"

#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace bz::isa::ref {
namespace {

/// A = the address register, B = A + 4 * (OFFSET1[7] ? {A[31], A[31:17]} : {OFFSET1[6], OFFSET1[6:0], OFFSET0}), in dwords of
/// two's complement; A itself is below 2^17.
void operands_of_src2(const Inst& i, uint32_t address, uint64_t& a, uint64_t& b) {
  auto offset = static_cast<uint32_t>(i.offset);
  bool from_register = offset >> 15 & 1;
  int32_t distance = from_register ? static_cast<int32_t>(address) >> 17 : static_cast<int32_t>(offset << 17) >> 17;
  a = from_register ? address & 0x1ffff : address;
  b = static_cast<uint32_t>(a) + static_cast<uint32_t>(4 * distance);
}

/// Rows by name: an Entry's function can't carry data. Writing has no form with a data register that is an atomic.
const std::map<std::string, DsAtomic, std::less<>>& src2_rows() {
  static const auto* rows = [] {
    auto* all = new std::map<std::string, DsAtomic, std::less<>>;
    auto put = [&](const DsAtomic& a) { all->emplace(std::string("ds_") + a.middle + "_src2_" + a.type, a); };
    for (auto& a : ds_atomics())
      if (a.src2) put(a);
    put({"write", "b32", "swap"});
    put({"write", "b64", "swap"});
    return all;
  }();
  return *rows;
}

void src2(Machine& m, const Inst& i) {
  const DsAtomic& row = src2_rows().find(row_name(i))->second;
  const auto bytes = static_cast<size_t>(row.bits() / 8);
  for (int lane = 0; lane < 64; ++lane) {
    if (!m.active(lane)) continue;
    uint64_t a, b, old = 0, other = 0;
    operands_of_src2(i, vreg(m, *operand(i, Field::addr), 0, lane), a, b);
    uint8_t raw[8];
    read_bytes(m, {Place::Kind::lds, a}, lane, raw, bytes), std::memcpy(&old, raw, bytes);
    read_bytes(m, {Place::Kind::lds, b}, lane, raw, bytes), std::memcpy(&other, raw, bytes);
    uint64_t now = combine(row.op, row.bits(), old, other, 0);
    std::memcpy(raw, &now, 8);
    write_bytes(m, {Place::Kind::lds, a}, lane, raw, bytes);
  }
}

/// Two dwords side by side; each is replaced by its data without the top bit, if that bit is set.
void condxchg(Machine& m, const Inst& i) {
  const Machine before = m;
  auto& bm = const_cast<Machine&>(before);
  for (int lane = 0; lane < 64; ++lane) {
    if (!before.active(lane)) continue;
    uint64_t at = (vreg(bm, *operand(i, Field::addr), 0, lane) + static_cast<uint32_t>(i.offset)) & 0xfff8u;
    for (int n = 0; n < 2; ++n) {
      Place p{Place::Kind::lds, at + 4u * static_cast<unsigned>(n)};
      uint32_t old, data = vreg(bm, *operand(i, Field::data0), n, lane), now = data & 0x7fffffff;
      read_bytes(m, p, lane, reinterpret_cast<uint8_t*>(&old), 4);
      if (data >> 31) write_bytes(m, p, lane, reinterpret_cast<uint8_t*>(&now), 4);
      vreg(m, *operand(i, Field::vdst), n, lane) = old;
    }
  }
}

} // namespace

void register_lds() {
  static const bool done = [] {
    auto* entries = new std::vector<Entry>;
    for (auto& [name, row] : src2_rows()) entries->push_back({name.c_str(), nullptr, nullptr, src2});
    entries->push_back({"ds_condxchg32_rtn_b64", nullptr, nullptr, condxchg});
    add(entries->data(), entries->size());
    return true;
  }();
  (void)done;
}

} // namespace bz::isa::ref
