// What the references of memory rows share: where a lane's access goes, and its bytes. Tests only.
#pragma once
#include "isa/ref/machine.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace bz::isa::ref {

const Operand* operand(const Inst& i, Field f);
uint32_t& vreg(Machine& m, const Operand& o, int n, int lane);

/// A place in memory that a lane addresses: host bytes, LDS bytes or a private byte offset; or out of range.
struct Place {
  enum class Kind { host, lds, scratch, none } kind = Kind::none;
  uint64_t at = 0;
};
void read_bytes(Machine& m, Place p, int lane, uint8_t* out, size_t n);
void write_bytes(Machine& m, Place p, int lane, const uint8_t* in, size_t n);

/// Buffer address and range check, MI300 ISA 9.1.5. gfx9 descriptors have no element size: swizzled elements are dwords.
/// Wide loads and stores are checked dword by dword (`extra` bytes on), atomics and formatted accesses as one.
Place buffer_place(const Machine& m, const Inst& i, int lane, int64_t extra);

/// DS rows that change a cell: ds_<middle>_<type> and ds_<middle>_rtn_<type>; where `src2` says so, ds_<middle>_src2_<type> too,
/// which takes its operand from memory. `op` as in combine().
struct DsAtomic {
  const char *middle, *type, *op;
  bool src2 = false;
  int bits() const { return std::string_view(type).ends_with("64") ? 64 : 32; }
};
std::span<const DsAtomic> ds_atomics();

/// The new contents of an atomic's cell of 32 or 64 bits; `op` as in memory.cpp. Integer operations wrap at the cell's width.
uint64_t combine(const char* op, int bits, uint64_t old, uint64_t x, uint64_t y);

} // namespace bz::isa::ref
