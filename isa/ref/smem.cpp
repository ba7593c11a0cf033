// References of SMEM: scalar loads, stores and atomics. Source: MI300/MI355 ISA documents, chapter "Scalar Memory Operations"
// (8.2.1 addressing, 8.4 bounds). Every component of an address loses its two low bits before the sum.
#include "isa/ref/families.hpp"
#include "isa/ref/memory.hpp"

#include <cstring>
#include <deque>
#include <string>

namespace bz::isa::ref {
namespace {

struct Access {
  uint64_t address = 0;
  uint64_t offset = 0;       ///< from the buffer's start
  uint64_t limit = ~0ull;    ///< buffer size in bytes
  /// A dword outside of the buffer is not written, and reads as 0 (the document: "the operation is not performed").
  bool inside(unsigned dword) const { return offset + 4 * dword + 4 <= limit; }
  char* at(unsigned dword) const { return reinterpret_cast<char*>(address + 4 * dword); }
};

Access access(const Machine& m, const Inst& i, bool buffer) {
  const Operand& base = *operand(i, Field::sbase);
  const Operand* register_offset = nullptr;
  for (unsigned k = 0; k < i.operand_count; ++k)
    if (i.operands[k].field == Field::smem_offset && i.operands[k].kind == Operand::Kind::sgpr) register_offset = &i.operands[k];
  uint64_t offset = 0;
  if (i.offset_imm) offset += static_cast<uint64_t>(int64_t{i.offset} & ~int64_t{3});
  if (register_offset) offset += m.sgpr[register_offset->number] & ~3u;
  Access a;
  uint64_t start = m.sgpr64(base.number);
  if (buffer) {
    start &= 0xffffffffffffu;
    uint64_t stride = m.sgpr[base.number + 1u] >> 16 & 0x3fff, records = m.sgpr[base.number + 2u];
    a.limit = stride ? stride * records : records;
  }
  a.offset = offset;
  a.address = (start & ~uint64_t{3}) + offset;
  return a;
}

/// s_scratch_*: the register offset counts units of 64 bytes (Vega ISA 7.2.1, "Scalar Memory Addressing").
Access scratch_access(const Machine& m, const Inst& i) {
  uint64_t offset = i.offset_imm ? static_cast<uint64_t>(int64_t{i.offset} & ~int64_t{3}) : 0;
  for (unsigned k = 0; k < i.operand_count; ++k)
    if (i.operands[k].field == Field::smem_offset && i.operands[k].kind == Operand::Kind::sgpr) offset += uint64_t{m.sgpr[i.operands[k].number]} * 64;
  return {(m.sgpr64(operand(i, Field::sbase)->number) & ~uint64_t{3}) + offset, offset};
}
enum From { kMemory, kBuffer, kScratch };
Access access(const Machine& m, const Inst& i, From from) { return from == kScratch ? scratch_access(m, i) : access(m, i, from == kBuffer); }

template <int Dwords, From Where> void load(ScalarView& v) {
  Access a = access(v.m, v.i, Where);
  uint32_t x[16] = {};
  for (unsigned n = 0; n < Dwords; ++n)
    if (a.inside(n)) std::memcpy(&x[n], a.at(n), 4);
  const Operand& data = *operand(v.i, Field::sdata);
  for (unsigned n = 0; n < Dwords; ++n) v.m.sgpr[(data.number + n) & 127] = x[n];
}

template <int Dwords, From Where> void store(ScalarView& v) {
  Access a = access(v.m, v.i, Where);
  const Operand& data = *operand(v.i, Field::sdata);
  for (unsigned n = 0; n < Dwords; ++n)
    if (a.inside(n)) std::memcpy(a.at(n), &v.m.sgpr[(data.number + n) & 127], 4);
}

template <class T> T combined(std::string_view op, T memory, T data, T compare) {
  using S = std::make_signed_t<T>;
  if (op == "swap") return data;
  if (op == "cmpswap") return memory == compare ? data : memory;
  if (op == "add") return memory + data;
  if (op == "sub") return memory - data;
  if (op == "smin") return static_cast<S>(data) < static_cast<S>(memory) ? data : memory;
  if (op == "smax") return static_cast<S>(data) > static_cast<S>(memory) ? data : memory;
  if (op == "umin") return data < memory ? data : memory;
  if (op == "umax") return data > memory ? data : memory;
  if (op == "and") return memory & data;
  if (op == "or") return memory | data;
  if (op == "xor") return memory ^ data;
  if (op == "inc") return memory >= data ? 0 : memory + 1;
  return memory == 0 || memory > data ? data : memory - 1;  // dec
}

template <class T, bool Buffer> void atomic(ScalarView& v) {
  std::string_view name = row_name(v.i);
  name.remove_prefix(name.find("atomic_") + 7);
  if (name.ends_with("_x2")) name.remove_suffix(3);
  Access a = access(v.m, v.i, Buffer);
  const Operand& data = *operand(v.i, Field::sdata);
  constexpr unsigned kDwords = sizeof(T) / 4;
  auto value = [&](unsigned first) {
    T x = 0;
    for (unsigned n = 0; n < kDwords; ++n) x |= static_cast<T>(static_cast<T>(v.m.sgpr[(data.number + first + n) & 127]) << (n * 32 % (8 * sizeof(T))));
    return x;
  };
  T memory = 0;
  if (a.inside(kDwords - 1)) {
    std::memcpy(&memory, a.at(0), sizeof memory);
    T now = combined<T>(name, memory, value(0), value(kDwords));
    std::memcpy(a.at(0), &now, sizeof now);
  }
  if (v.i.glc)
    for (unsigned n = 0; n < kDwords; ++n) v.m.sgpr[(data.number + n) & 127] = static_cast<uint32_t>(uint64_t{memory} >> (32 * n));
}

void nothing(ScalarView&) {}

std::deque<std::string>& names() {
  static auto* n = new std::deque<std::string>;
  return *n;
}
std::deque<Entry>& entries() {
  static auto* e = new std::deque<Entry>;
  return *e;
}
void one(std::string name, ScalarFn f) {
  names().push_back(std::move(name));
  entries().push_back({names().back().c_str(), f});
  add(&entries().back(), 1);
}

template <From Where> void loads_and_stores(const std::string& prefix) {
  one(prefix + "load_dword", load<1, Where>), one(prefix + "load_dwordx2", load<2, Where>), one(prefix + "load_dwordx4", load<4, Where>);
  one(prefix + "store_dword", store<1, Where>), one(prefix + "store_dwordx2", store<2, Where>), one(prefix + "store_dwordx4", store<4, Where>);
}
template <bool Buffer> void accesses(const std::string& prefix) {
  constexpr From kWhere = Buffer ? kBuffer : kMemory;
  loads_and_stores<kWhere>(prefix);
  one(prefix + "load_dwordx8", load<8, kWhere>), one(prefix + "load_dwordx16", load<16, kWhere>);
  for (const char* op : {"swap", "cmpswap", "add", "sub", "smin", "umin", "smax", "umax", "and", "or", "xor", "inc", "dec"}) {
    one(prefix + "atomic_" + op, atomic<uint32_t, Buffer>);
    one(prefix + "atomic_" + op + "_x2", atomic<uint64_t, Buffer>);
  }
}

} // namespace

void register_smem() {
  if (!entries().empty()) return;
  accesses<false>("s_");
  accesses<true>("s_buffer_");
  loads_and_stores<kScratch>("s_scratch_");
  // Caches are invisible here. s_memtime and s_memrealtime read clocks: nothing to compare with.
  for (const char* name : {"s_dcache_inv", "s_dcache_wb", "s_dcache_inv_vol", "s_dcache_wb_vol", "s_dcache_discard", "s_dcache_discard_x2",
                           "s_atc_probe", "s_atc_probe_buffer"})
    one(name, nothing);
}

} // namespace bz::isa::ref
