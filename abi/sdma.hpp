// SDMA packets of gfx9: operation in bits 7:0 of the first dword, sub-operation in 15:8. Layout only; fields as in AMD's
// public packet descriptions (SDMA 4).
#pragma once
#include <cstdint>

namespace bz::abi {

enum sdma_op : uint8_t {
  SDMA_OP_NOP = 0,
  SDMA_OP_COPY = 1,
  SDMA_OP_WRITE = 2,
  SDMA_OP_INDIRECT = 4,
  SDMA_OP_FENCE = 5,
  SDMA_OP_TRAP = 6,
  SDMA_OP_POLL_REGMEM = 8,
  SDMA_OP_COND_EXE = 9,
  SDMA_OP_ATOMIC = 10,
  SDMA_OP_CONST_FILL = 11,
  SDMA_OP_TIMESTAMP = 13,
  SDMA_OP_SRBM_WRITE = 14,
  SDMA_OP_PRE_EXE = 15,
};
inline constexpr uint8_t SDMA_SUBOP_COPY_LINEAR = 0, SDMA_SUBOP_COPY_LINEAR_RECT = 4, SDMA_SUBOP_TIMESTAMP_SET = 0,
                         SDMA_SUBOP_TIMESTAMP_GET = 1, SDMA_SUBOP_TIMESTAMP_GET_GLOBAL = 2;

/// Operations of the ATOMIC packet (bits 31:25): the L2's numbers. 0x20 more: 64 bits; 0x40 more: nothing is returned.
enum sdma_atomic : uint8_t {
  SDMA_ATOMIC_SWAP = 0x07,
  SDMA_ATOMIC_CMPSWAP = 0x08,
  SDMA_ATOMIC_ADD = 0x0f,
  SDMA_ATOMIC_SUB = 0x10,
  SDMA_ATOMIC_SMIN = 0x11,
  SDMA_ATOMIC_UMIN = 0x12,
  SDMA_ATOMIC_SMAX = 0x13,
  SDMA_ATOMIC_UMAX = 0x14,
  SDMA_ATOMIC_AND = 0x15,
  SDMA_ATOMIC_OR = 0x16,
  SDMA_ATOMIC_XOR = 0x17,
  SDMA_ATOMIC_INC = 0x18,
  SDMA_ATOMIC_DEC = 0x19,
};
inline constexpr uint8_t SDMA_ATOMIC_64 = 0x20, SDMA_ATOMIC_NO_RETURN = 0x40;

constexpr uint8_t sdma_op_of(uint32_t header) { return header & 0xff; }
constexpr uint8_t sdma_subop_of(uint32_t header) { return header >> 8 & 0xff; }

} // namespace bz::abi
