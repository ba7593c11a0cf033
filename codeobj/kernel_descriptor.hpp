// The 64-byte kernel descriptor (NAME.kd) with typed accessors that know the differences between generations.
// Layout: abi/kernel_descriptor.hpp; bits of the program resource words: LLVM AMDGPU usage document, "Kernel
// Descriptor". Must not know ELF or wave state.
#pragma once
#include "abi/kernel_descriptor.hpp"
#include "base/status.hpp"
#include "codeobj/bytes.hpp"
#include "codeobj/target_id.hpp"

#include <cstdint>

namespace bz::codeobj {

using RawKernelDescriptor = abi::kernel_descriptor_t;

enum class RoundMode : uint8_t { nearest_even, plus_infinity, minus_infinity, zero };
/// Which side of an operation keeps denormals: the values of MODE.fp_denorm.
enum class DenormMode : uint8_t { flush_both, flush_dst, flush_src, keep };

/// Where the hardware puts what the descriptor asks for: index of the first SGPR, or -1. User SGPRs come first, in this
/// order, then system SGPRs.
struct SgprLayout {
  // User SGPRs.
  int private_segment_buffer = -1; ///< 4
  int dispatch_ptr = -1;           ///< 2
  int queue_ptr = -1;              ///< 2
  int kernarg_segment_ptr = -1;    ///< 2
  int dispatch_id = -1;            ///< 2
  int flat_scratch_init = -1;      ///< 2
  int private_segment_size = -1;   ///< 1
  int kernarg_preload = -1;        ///< kernarg_preload_length() dwords
  int user_count = 0;              ///< as the kernel sees it: the system SGPRs start here
  // System SGPRs, 1 each.
  int workgroup_id_x = -1;
  int workgroup_id_y = -1;
  int workgroup_id_z = -1;
  int workgroup_info = -1;
  int scratch_wave_offset = -1; ///< not where flat scratch is architected (gfx940 and later gfx9, gfx11+)
  int total = 0;
};

class KernelDescriptor {
public:
  static constexpr size_t kSize = 64;

  /// Copies and checks: invalid_image names a reserved field that is set or a field that contradicts the target.
  static Expected<KernelDescriptor> decode(Bytes bytes, const Processor& processor);

  const RawKernelDescriptor& raw() const { return raw_; }
  const Processor& processor() const { return *processor_; }

  uint32_t group_segment_fixed_size() const { return raw_.group_segment_fixed_size; }
  uint32_t private_segment_fixed_size() const { return raw_.private_segment_fixed_size; }
  uint32_t kernarg_size() const { return raw_.kernarg_size; }
  int64_t code_entry_offset() const { return raw_.kernel_code_entry_byte_offset; }

  // compute_pgm_rsrc1
  uint32_t vgpr_granule() const; ///< registers per encoded step
  uint32_t vgpr_count() const;   ///< allocated per lane; gfx90a and gfx940: both halves of the one file
  uint32_t sgpr_count() const;   ///< allocated, VCC and friends included; gfx10+: always 128
  uint32_t priority() const { return bits(raw_.compute_pgm_rsrc1, 10, 2); }
  RoundMode round_mode_32() const { return RoundMode(bits(raw_.compute_pgm_rsrc1, 12, 2)); }
  RoundMode round_mode_16_64() const { return RoundMode(bits(raw_.compute_pgm_rsrc1, 14, 2)); }
  DenormMode denorm_mode_32() const { return DenormMode(bits(raw_.compute_pgm_rsrc1, 16, 2)); }
  DenormMode denorm_mode_16_64() const { return DenormMode(bits(raw_.compute_pgm_rsrc1, 18, 2)); }
  bool privileged() const { return bit(raw_.compute_pgm_rsrc1, 20); }
  bool dx10_clamp() const; ///< gfx12+ has no such bit and behaves as with it
  bool debug_mode() const { return bit(raw_.compute_pgm_rsrc1, 22); }
  bool ieee_mode() const; ///< gfx12+ has no such bit
  bool bulky() const { return bit(raw_.compute_pgm_rsrc1, 24); }
  bool cdbg_user() const { return bit(raw_.compute_pgm_rsrc1, 25); }
  bool fp16_overflow() const;    ///< gfx9+: clamp f16 results that overflow to the largest finite value
  bool wgp_mode() const;         ///< gfx10+
  bool mem_ordered() const;      ///< gfx10+
  bool forward_progress() const; ///< gfx10+
  /// The float fields as they stand in MODE[7:0]: round 3:0, denorm 7:4.
  uint32_t float_mode() const { return bits(raw_.compute_pgm_rsrc1, 12, 8); }

  // compute_pgm_rsrc2
  bool enable_private_segment() const { return bit(raw_.compute_pgm_rsrc2, 0); }
  uint32_t user_sgpr_count() const;
  bool enable_trap_handler() const;
  bool enable_workgroup_id_x() const { return bit(raw_.compute_pgm_rsrc2, 7); }
  bool enable_workgroup_id_y() const { return bit(raw_.compute_pgm_rsrc2, 8); }
  bool enable_workgroup_id_z() const { return bit(raw_.compute_pgm_rsrc2, 9); }
  bool enable_workgroup_info() const { return bit(raw_.compute_pgm_rsrc2, 10); }
  /// 0: x, 1: x and y, 2: x, y and z are wanted in VGPRs.
  uint32_t enable_vgpr_workitem_id() const { return bits(raw_.compute_pgm_rsrc2, 11, 2); }
  bool exception_address_watch() const { return bit(raw_.compute_pgm_rsrc2, 13); }
  bool exception_memory() const { return bit(raw_.compute_pgm_rsrc2, 14); }
  /// Bits as in MODE.excp_en: invalid, denormal source, division by zero, overflow, underflow, inexact, int div by
  /// zero.
  uint32_t exception_enable() const { return bits(raw_.compute_pgm_rsrc2, 24, 7); }

  // compute_pgm_rsrc3
  bool has_unified_vgprs() const;     ///< gfx90a, gfx940: AGPR n is VGPR accum_offset() + n
  uint32_t accum_offset() const;      ///< first AGPR in the one file; elsewhere 0
  bool tg_split() const;              ///< gfx90a, gfx940: waves of a workgroup may sit on different CUs
  uint32_t shared_vgpr_count() const; ///< gfx10, gfx11 in wave64
  uint32_t inst_pref_size() const;    ///< gfx11+, in units of 128 bytes

  // kernel_code_properties and kernarg_preload
  bool enable_private_segment_buffer() const { return property(abi::ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER); }
  bool enable_dispatch_ptr() const { return property(abi::ENABLE_SGPR_DISPATCH_PTR); }
  bool enable_queue_ptr() const { return property(abi::ENABLE_SGPR_QUEUE_PTR); }
  bool enable_kernarg_segment_ptr() const { return property(abi::ENABLE_SGPR_KERNARG_SEGMENT_PTR); }
  bool enable_dispatch_id() const { return property(abi::ENABLE_SGPR_DISPATCH_ID); }
  bool enable_flat_scratch_init() const { return property(abi::ENABLE_SGPR_FLAT_SCRATCH_INIT); }
  bool enable_private_segment_size() const { return property(abi::ENABLE_SGPR_PRIVATE_SEGMENT_SIZE); }
  uint32_t wavefront_size() const { return property(abi::ENABLE_WAVEFRONT_SIZE32) ? 32 : 64; }
  bool uses_dynamic_stack() const { return property(abi::USES_DYNAMIC_STACK); }
  uint32_t kernarg_preload_length() const { return bits(raw_.kernarg_preload, 0, 7); } ///< dwords
  uint32_t kernarg_preload_offset() const { return bits(raw_.kernarg_preload, 7, 9); } ///< dwords

  // Facts of the target that go with the descriptor.
  bool packed_workitem_ids() const;      ///< v0 = x | y << 10 | z << 20 (gfx90a and later gfx9, gfx11+)
  bool architected_flat_scratch() const; ///< hardware sets FLAT_SCRATCH itself (gfx940 and later gfx9, gfx11+)
  /// gfx9 code with preloaded kernargs starts with 256 bytes of loads for hardware (firmware) that can't preload;
  /// what can enters after them. gfx125 always can, and its code has no such start.
  uint32_t entry_skip() const { return has_unified_vgprs() && kernarg_preload_length() ? 256 : 0; }
  SgprLayout sgpr_layout() const;

private:
  static constexpr uint32_t bits(uint32_t word, int shift, int width) { return (word >> shift) & ((1u << width) - 1); }
  static constexpr bool bit(uint32_t word, int shift) { return (word >> shift) & 1; }

  bool property(uint16_t mask) const { return raw_.kernel_code_properties & mask; }

  RawKernelDescriptor raw_{};
  const Processor* processor_ = nullptr;
};

} // namespace bz::codeobj
