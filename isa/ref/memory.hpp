// What the references of memory rows share: where a lane's access goes, and its bytes. Tests only.
#pragma once
#include "isa/ref/machine.hpp"

#include <cstddef>
#include <cstdint>

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

/// The new contents of an atomic's cell of 32 or 64 bits; `op` as in memory.cpp. Integer operations wrap at the cell's width.
uint64_t combine(const char* op, int bits, uint64_t old, uint64_t x, uint64_t y);

} // namespace bz::isa::ref
