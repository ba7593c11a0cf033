// PM4 packets as compute queues of gfx9 take them in an indirect buffer, and the AQL packet that names the buffer. Layout
// only; fields as in AMD's public packet descriptions.
#pragma once
#include "abi/aql.hpp"
#include "abi/layout.hpp"

#include <cstdint>

namespace bz::abi {

/// A vendor-specific AQL packet of format HSA_AMD_PACKET_TYPE_PM4_IB.
struct amd_aql_pm4_ib_t {
  uint16_t header;
  uint16_t amd_format;
  uint32_t ib_jump_cmd[4]; ///< a PM4 INDIRECT_BUFFER packet
  uint32_t dw_cnt_remain;  ///< dwords of this packet after it: 10
  uint32_t reserved[8];
  hsa_signal_t completion_signal;
};
BZ_LAYOUT_SIZE(amd_aql_pm4_ib_t, 64);
BZ_LAYOUT_AT(amd_aql_pm4_ib_t, ib_jump_cmd, 4);
BZ_LAYOUT_AT(amd_aql_pm4_ib_t, completion_signal, 56);

enum pm4_opcode : uint8_t {
  PM4_NOP = 0x10,
  PM4_WRITE_DATA = 0x37,
  PM4_WAIT_REG_MEM = 0x3c,
  PM4_INDIRECT_BUFFER = 0x3f,
  PM4_COPY_DATA = 0x40,
  PM4_EVENT_WRITE = 0x46,
  PM4_RELEASE_MEM = 0x49,
  PM4_ACQUIRE_MEM = 0x58,
};

constexpr uint32_t pm4_type(uint32_t header) { return header >> 30; }
constexpr uint8_t pm4_op(uint32_t header) { return header >> 8 & 0xff; }
/// Of a type-3 packet, with its header.
constexpr uint32_t pm4_dwords(uint32_t header) { return (header >> 16 & 0x3fff) + 2; }
constexpr uint32_t pm4_header(pm4_opcode op, uint32_t dwords) { return 3u << 30 | (dwords - 2) << 16 | uint32_t{op} << 8; }
/// A type-2 packet, or a NOP of the largest count, is one dword.
inline constexpr uint32_t PM4_ONE_DWORD_NOP = 3u << 30 | 0x3fffu << 16 | uint32_t{PM4_NOP} << 8;

} // namespace bz::abi
