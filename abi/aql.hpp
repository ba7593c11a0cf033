// AQL: the 64-byte packets of a user-mode queue and their header bits (HSA runtime specification 1.2, section 2.9),
// under their published names in bz::abi. Layouts only: gpu/ consumes packets, rocr/ and hip/ produce them.
#pragma once
#include "abi/layout.hpp"

#include <cstdint>

namespace bz::abi {

enum hsa_packet_type_t : uint16_t {
  HSA_PACKET_TYPE_VENDOR_SPECIFIC = 0,
  HSA_PACKET_TYPE_INVALID = 1,
  HSA_PACKET_TYPE_KERNEL_DISPATCH = 2,
  HSA_PACKET_TYPE_BARRIER_AND = 3,
  HSA_PACKET_TYPE_AGENT_DISPATCH = 4,
  HSA_PACKET_TYPE_BARRIER_OR = 5,
};

enum hsa_fence_scope_t : uint16_t {
  HSA_FENCE_SCOPE_NONE = 0,
  HSA_FENCE_SCOPE_AGENT = 1,
  HSA_FENCE_SCOPE_SYSTEM = 2,
};

/// First bit and width of each header field.
inline constexpr uint32_t HSA_PACKET_HEADER_TYPE = 0, HSA_PACKET_HEADER_WIDTH_TYPE = 8;
inline constexpr uint32_t HSA_PACKET_HEADER_BARRIER = 8, HSA_PACKET_HEADER_WIDTH_BARRIER = 1;
inline constexpr uint32_t HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE = 9,
                          HSA_PACKET_HEADER_WIDTH_SCACQUIRE_FENCE_SCOPE = 2;
inline constexpr uint32_t HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE = 11,
                          HSA_PACKET_HEADER_WIDTH_SCRELEASE_FENCE_SCOPE = 2;
inline constexpr uint32_t HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS = 0,
                          HSA_KERNEL_DISPATCH_PACKET_SETUP_WIDTH_DIMENSIONS = 2;

/// The type byte of a vendor-specific packet decides its format (AMD); the value stands in byte 2 of the packet.
enum hsa_amd_packet_type_t : uint8_t {
  HSA_AMD_PACKET_TYPE_PM4_IB = 1,
  HSA_AMD_PACKET_TYPE_BARRIER_VALUE = 2,
};

constexpr uint16_t packet_type(uint16_t header) { return header & 0xff; }
constexpr bool packet_barrier(uint16_t header) { return (header >> HSA_PACKET_HEADER_BARRIER) & 1; }
constexpr uint16_t packet_acquire(uint16_t header) { return (header >> HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE) & 3; }
constexpr uint16_t packet_release(uint16_t header) { return (header >> HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE) & 3; }
constexpr uint16_t packet_header(hsa_packet_type_t type, bool barrier, hsa_fence_scope_t acquire,
                                 hsa_fence_scope_t release) {
  return static_cast<uint16_t>(type | barrier << HSA_PACKET_HEADER_BARRIER |
                               acquire << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                               release << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE);
}

/// Address of an amd_signal_t; 0 is no signal.
struct hsa_signal_t {
  uint64_t handle;
};

struct hsa_kernel_dispatch_packet_t {
  uint16_t header;
  uint16_t setup;
  uint16_t workgroup_size_x;
  uint16_t workgroup_size_y;
  uint16_t workgroup_size_z;
  uint16_t reserved0;
  uint32_t grid_size_x;
  uint32_t grid_size_y;
  uint32_t grid_size_z;
  uint32_t private_segment_size;
  uint32_t group_segment_size;
  uint64_t kernel_object;
  void* kernarg_address;
  uint64_t reserved2;
  hsa_signal_t completion_signal;
};
BZ_LAYOUT_SIZE(hsa_kernel_dispatch_packet_t, 64);
BZ_LAYOUT_AT(hsa_kernel_dispatch_packet_t, setup, 2);
BZ_LAYOUT_AT(hsa_kernel_dispatch_packet_t, workgroup_size_x, 4);
BZ_LAYOUT_AT(hsa_kernel_dispatch_packet_t, grid_size_x, 12);
BZ_LAYOUT_AT(hsa_kernel_dispatch_packet_t, private_segment_size, 24);
BZ_LAYOUT_AT(hsa_kernel_dispatch_packet_t, group_segment_size, 28);
BZ_LAYOUT_AT(hsa_kernel_dispatch_packet_t, kernel_object, 32);
BZ_LAYOUT_AT(hsa_kernel_dispatch_packet_t, kernarg_address, 40);
BZ_LAYOUT_AT(hsa_kernel_dispatch_packet_t, completion_signal, 56);

struct hsa_agent_dispatch_packet_t {
  uint16_t header;
  uint16_t type;
  uint32_t reserved0;
  void* return_address;
  uint64_t arg[4];
  uint64_t reserved2;
  hsa_signal_t completion_signal;
};
BZ_LAYOUT_SIZE(hsa_agent_dispatch_packet_t, 64);
BZ_LAYOUT_AT(hsa_agent_dispatch_packet_t, return_address, 8);
BZ_LAYOUT_AT(hsa_agent_dispatch_packet_t, arg, 16);
BZ_LAYOUT_AT(hsa_agent_dispatch_packet_t, completion_signal, 56);

/// Barrier-AND and barrier-OR have one layout.
struct hsa_barrier_and_packet_t {
  uint16_t header;
  uint16_t reserved0;
  uint32_t reserved1;
  hsa_signal_t dep_signal[5];
  uint64_t reserved2;
  hsa_signal_t completion_signal;
};
using hsa_barrier_or_packet_t = hsa_barrier_and_packet_t;
BZ_LAYOUT_SIZE(hsa_barrier_and_packet_t, 64);
BZ_LAYOUT_AT(hsa_barrier_and_packet_t, dep_signal, 8);
BZ_LAYOUT_AT(hsa_barrier_and_packet_t, completion_signal, 56);

/// Vendor-specific packet of AMD: waits until (value of signal & mask) meets cond against value.
struct hsa_amd_barrier_value_packet_t {
  uint16_t header;
  uint8_t AmdFormat; ///< HSA_AMD_PACKET_TYPE_BARRIER_VALUE
  uint8_t reserved;
  uint32_t reserved0;
  hsa_signal_t signal;
  int64_t value;
  int64_t mask;
  uint32_t cond; ///< hsa_signal_condition_t
  uint32_t reserved1;
  uint64_t reserved2;
  uint64_t reserved3;
  hsa_signal_t completion_signal;
};
BZ_LAYOUT_SIZE(hsa_amd_barrier_value_packet_t, 64);
BZ_LAYOUT_AT(hsa_amd_barrier_value_packet_t, signal, 8);
BZ_LAYOUT_AT(hsa_amd_barrier_value_packet_t, value, 16);
BZ_LAYOUT_AT(hsa_amd_barrier_value_packet_t, mask, 24);
BZ_LAYOUT_AT(hsa_amd_barrier_value_packet_t, cond, 32);
BZ_LAYOUT_AT(hsa_amd_barrier_value_packet_t, completion_signal, 56);

enum hsa_signal_condition_t : uint32_t {
  HSA_SIGNAL_CONDITION_EQ = 0,
  HSA_SIGNAL_CONDITION_NE = 1,
  HSA_SIGNAL_CONDITION_LT = 2,
  HSA_SIGNAL_CONDITION_GTE = 3,
};

inline constexpr uint32_t kAqlPacketBytes = 64;

} // namespace bz::abi
