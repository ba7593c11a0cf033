// References of the LDS rows that take both operands from memory (DS_*_SRC2_*) or exchange on condition.
// Sources: Vega ISA 12.13 "DS Instructions" (SRC2: the address of the second operand); MI300 ISA 12.12 (DS_CONDXCHG32_RTN_B64).
#include "isa/ref/families.hpp"
#include "isa/ref/memory.hpp"

#include <cstring>
#include <deque>
#include <string>

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

struct Row {
  const char *middle, *type, *op;
};
constexpr Row kRows[] = {
    {"add", "u32", "add"}, {"sub", "u32", "sub"}, {"rsub", "u32", "rsub"}, {"inc", "u32", "inc"}, {"dec", "u32", "dec"},
    {"min", "i32", "smin"}, {"max", "i32", "smax"}, {"min", "u32", "umin"}, {"max", "u32", "umax"}, {"and", "b32", "and"},
    {"or", "b32", "or"}, {"xor", "b32", "xor"}, {"write", "b32", "swap"}, {"min", "f32", "fmin"}, {"max", "f32", "fmax"},
    {"add", "f32", "fadd"}, {"add", "u64", "add"}, {"sub", "u64", "sub"}, {"rsub", "u64", "rsub"}, {"inc", "u64", "inc"},
    {"dec", "u64", "dec"}, {"min", "i64", "smin"}, {"max", "i64", "smax"}, {"min", "u64", "umin"}, {"max", "u64", "umax"},
    {"and", "b64", "and"}, {"or", "b64", "or"}, {"xor", "b64", "xor"}, {"write", "b64", "swap"}, {"min", "f64", "fmin"},
    {"max", "f64", "fmax"}};

template <size_t R> void src2(Machine& m, const Inst& i) {
  constexpr Row row = kRows[R];
  constexpr size_t kBytes = row.type[1] == '6' ? 8 : 4;
  for (int lane = 0; lane < 64; ++lane) {
    if (!m.active(lane)) continue;
    uint64_t a, b, old = 0, other = 0;
    operands_of_src2(i, vreg(m, *operand(i, Field::addr), 0, lane), a, b);
    uint8_t raw[8];
    read_bytes(m, {Place::Kind::lds, a}, lane, raw, kBytes), std::memcpy(&old, raw, kBytes);
    read_bytes(m, {Place::Kind::lds, b}, lane, raw, kBytes), std::memcpy(&other, raw, kBytes);
    uint64_t now = combine(row.op, kBytes * 8, old, other, 0);
    std::memcpy(raw, &now, 8);
    write_bytes(m, {Place::Kind::lds, a}, lane, raw, kBytes);
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

template <size_t... R> void add_src2(std::deque<std::string>& names, std::vector<Entry>& entries, std::index_sequence<R...>) {
  auto one = [&](const Row& r, WaveFn f) {
    names.push_back(std::string("ds_") + r.middle + "_src2_" + r.type);
    entries.push_back({names.back().c_str(), nullptr, nullptr, f});
  };
  (one(kRows[R], src2<R>), ...);
}

} // namespace

void register_lds() {
  static const bool done = [] {
    auto* names = new std::deque<std::string>;
    auto* entries = new std::vector<Entry>;
    add_src2(*names, *entries, std::make_index_sequence<std::size(kRows)>{});
    entries->push_back({"ds_condxchg32_rtn_b64", nullptr, nullptr, condxchg});
    add(entries->data(), entries->size());
    return true;
  }();
  (void)done;
}

} // namespace bz::isa::ref
