// The 64-byte kernel descriptor (symbol `<kernel>.kd`) that kernel_object points to: raw layout and bit places (LLVM
// AMDGPU backend documentation, "Kernel Descriptor"). What the bits mean for a wave is exec/, reading them from a file
// codeobj/.
#pragma once
#include "abi/layout.hpp"

#include <cstdint>

namespace bz::abi {

struct alignas(64) kernel_descriptor_t {
  uint32_t group_segment_fixed_size;
  uint32_t private_segment_fixed_size;
  uint32_t kernarg_size;
  uint8_t reserved0[4];
  int64_t kernel_code_entry_byte_offset; ///< from the descriptor's own address
  uint8_t reserved1[20];
  uint32_t compute_pgm_rsrc3;
  uint32_t compute_pgm_rsrc1;
  uint32_t compute_pgm_rsrc2;
  uint16_t kernel_code_properties;
  uint16_t kernarg_preload; ///< length in dwords in bits 6:0, first dword in bits 15:7
  uint8_t reserved3[4];
};
BZ_LAYOUT_SIZE(kernel_descriptor_t, 64);
BZ_LAYOUT_AT(kernel_descriptor_t, private_segment_fixed_size, 4);
BZ_LAYOUT_AT(kernel_descriptor_t, kernarg_size, 8);
BZ_LAYOUT_AT(kernel_descriptor_t, kernel_code_entry_byte_offset, 16);
BZ_LAYOUT_AT(kernel_descriptor_t, compute_pgm_rsrc3, 44);
BZ_LAYOUT_AT(kernel_descriptor_t, compute_pgm_rsrc1, 48);
BZ_LAYOUT_AT(kernel_descriptor_t, compute_pgm_rsrc2, 52);
BZ_LAYOUT_AT(kernel_descriptor_t, kernel_code_properties, 56);
BZ_LAYOUT_AT(kernel_descriptor_t, kernarg_preload, 58);

/// kernel_code_properties.
inline constexpr uint16_t ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER = 1u << 0;
inline constexpr uint16_t ENABLE_SGPR_DISPATCH_PTR = 1u << 1;
inline constexpr uint16_t ENABLE_SGPR_QUEUE_PTR = 1u << 2;
inline constexpr uint16_t ENABLE_SGPR_KERNARG_SEGMENT_PTR = 1u << 3;
inline constexpr uint16_t ENABLE_SGPR_DISPATCH_ID = 1u << 4;
inline constexpr uint16_t ENABLE_SGPR_FLAT_SCRATCH_INIT = 1u << 5;
inline constexpr uint16_t ENABLE_SGPR_PRIVATE_SEGMENT_SIZE = 1u << 6;
inline constexpr uint16_t ENABLE_WAVEFRONT_SIZE32 = 1u << 10;
inline constexpr uint16_t USES_DYNAMIC_STACK = 1u << 11;

} // namespace bz::abi
