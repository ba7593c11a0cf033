#include "codeobj/kernel_descriptor.hpp"

#include <algorithm>
#include <cstring>

namespace bz::codeobj {
namespace {

constexpr uint16_t kKnownProperties =
    abi::ENABLE_SGPR_PRIVATE_SEGMENT_BUFFER | abi::ENABLE_SGPR_DISPATCH_PTR | abi::ENABLE_SGPR_QUEUE_PTR |
    abi::ENABLE_SGPR_KERNARG_SEGMENT_PTR | abi::ENABLE_SGPR_DISPATCH_ID | abi::ENABLE_SGPR_FLAT_SCRATCH_INIT |
    abi::ENABLE_SGPR_PRIVATE_SEGMENT_SIZE | abi::ENABLE_WAVEFRONT_SIZE32 | abi::USES_DYNAMIC_STACK;

bool all_zero(const uint8_t* bytes, size_t count) {
  return std::all_of(bytes, bytes + count, [](uint8_t b) { return b == 0; });
}

bool at_least(const Processor* p, Generation g) { return p->generation >= g; }

struct UserSgpr {
  bool (KernelDescriptor::*enabled)() const;
  int SgprLayout::* place;
  int count;
};

// The order is the hardware's.
constexpr UserSgpr kUserSgprs[] = {
    {&KernelDescriptor::enable_private_segment_buffer, &SgprLayout::private_segment_buffer, 4},
    {&KernelDescriptor::enable_dispatch_ptr, &SgprLayout::dispatch_ptr, 2},
    {&KernelDescriptor::enable_queue_ptr, &SgprLayout::queue_ptr, 2},
    {&KernelDescriptor::enable_kernarg_segment_ptr, &SgprLayout::kernarg_segment_ptr, 2},
    {&KernelDescriptor::enable_dispatch_id, &SgprLayout::dispatch_id, 2},
    {&KernelDescriptor::enable_flat_scratch_init, &SgprLayout::flat_scratch_init, 2},
    {&KernelDescriptor::enable_private_segment_size, &SgprLayout::private_segment_size, 1},
};

int enabled_user_sgprs(const KernelDescriptor& d) {
  int count = static_cast<int>(d.kernarg_preload_length());
  for (const UserSgpr& u : kUserSgprs)
    if ((d.*u.enabled)()) count += u.count;
  return count;
}

} // namespace

Expected<KernelDescriptor> KernelDescriptor::decode(Bytes bytes, const Processor& processor) {
  if (bytes.size() < kSize)
    return error(Code::invalid_image, "kernel descriptor has {} bytes instead of {}", bytes.size(), kSize);
  KernelDescriptor d;
  std::memcpy(&d.raw_, bytes.data(), kSize);
  d.processor_ = &processor;
  const RawKernelDescriptor& raw = d.raw_;
  if (!all_zero(raw.reserved0, sizeof raw.reserved0) || !all_zero(raw.reserved1, sizeof raw.reserved1) ||
      !all_zero(raw.reserved3, sizeof raw.reserved3))
    return error(Code::invalid_image, "kernel descriptor: reserved bytes are not zero");
  if (raw.kernel_code_properties & ~kKnownProperties)
    return error(Code::invalid_image, "kernel descriptor: reserved kernel_code_properties bits are set (0x{:04x})",
                 raw.kernel_code_properties);
  if (d.wavefront_size() == 32 && !at_least(&processor, Generation::gfx10))
    return error(Code::invalid_image, "kernel descriptor: wavefront size 32, but {} has waves of 64", processor.name);
  if (d.wavefront_size() == 64 && processor.generation == Generation::gfx125)
    return error(Code::invalid_image, "kernel descriptor: wavefront size 64, but {} has waves of 32", processor.name);
  if (d.enable_vgpr_workitem_id() == 3)
    return error(Code::invalid_image, "kernel descriptor: enable_vgpr_workitem_id has the undefined value 3");
  if (int enabled = enabled_user_sgprs(d); enabled > static_cast<int>(d.user_sgpr_count()))
    return error(Code::invalid_image, "kernel descriptor: {} user SGPRs are enabled, but user_sgpr_count is {}",
                 enabled, d.user_sgpr_count());
  if (d.has_unified_vgprs() && d.accum_offset() > d.vgpr_count())
    return error(Code::invalid_image, "kernel descriptor: accum_offset {} lies beyond the {} VGPRs", d.accum_offset(),
                 d.vgpr_count());
  if (d.kernarg_preload_length()) {
    if (!d.has_unified_vgprs() && processor.generation != Generation::gfx125)
      return error(Code::invalid_image, "kernel descriptor: kernarg preload, which {} does not have", processor.name);
    if (!d.enable_kernarg_segment_ptr())
      return error(Code::invalid_image, "kernel descriptor: kernarg preload without a kernarg segment pointer");
  }
  return d;
}

uint32_t KernelDescriptor::vgpr_granule() const {
  switch (processor_->generation) {
  case Generation::gfx6:
  case Generation::gfx7:
  case Generation::gfx8:
  case Generation::gfx9:
    return 4;
  case Generation::gfx90a:
  case Generation::gfx940:
    return 8;
  case Generation::gfx10:
  case Generation::gfx11:
  case Generation::gfx12:
    return wavefront_size() == 32 ? 8 : 4;
  case Generation::gfx125:
    return 16;
  }
  return 4;
}

uint32_t KernelDescriptor::vgpr_count() const { return (bits(raw_.compute_pgm_rsrc1, 0, 6) + 1) * vgpr_granule(); }

uint32_t KernelDescriptor::sgpr_count() const {
  uint32_t encoded = bits(raw_.compute_pgm_rsrc1, 6, 4);
  if (at_least(processor_, Generation::gfx10)) return 128;
  if (at_least(processor_, Generation::gfx9)) return (encoded / 2 + 1) * 16;
  return (encoded + 1) * 8;
}

bool KernelDescriptor::dx10_clamp() const {
  return at_least(processor_, Generation::gfx12) || bit(raw_.compute_pgm_rsrc1, 21);
}
bool KernelDescriptor::ieee_mode() const {
  return !at_least(processor_, Generation::gfx12) && bit(raw_.compute_pgm_rsrc1, 23);
}
bool KernelDescriptor::fp16_overflow() const {
  return at_least(processor_, Generation::gfx9) && bit(raw_.compute_pgm_rsrc1, 26);
}
bool KernelDescriptor::wgp_mode() const {
  return at_least(processor_, Generation::gfx10) && bit(raw_.compute_pgm_rsrc1, 29);
}
bool KernelDescriptor::mem_ordered() const {
  return at_least(processor_, Generation::gfx10) && bit(raw_.compute_pgm_rsrc1, 30);
}
bool KernelDescriptor::forward_progress() const {
  return at_least(processor_, Generation::gfx10) && bit(raw_.compute_pgm_rsrc1, 31);
}

uint32_t KernelDescriptor::user_sgpr_count() const {
  return bits(raw_.compute_pgm_rsrc2, 1, processor_->generation == Generation::gfx125 ? 6 : 5);
}
bool KernelDescriptor::enable_trap_handler() const {
  return !at_least(processor_, Generation::gfx12) && bit(raw_.compute_pgm_rsrc2, 6);
}

bool KernelDescriptor::has_unified_vgprs() const {
  return processor_->generation == Generation::gfx90a || processor_->generation == Generation::gfx940;
}
uint32_t KernelDescriptor::accum_offset() const {
  return has_unified_vgprs() ? (bits(raw_.compute_pgm_rsrc3, 0, 6) + 1) * 4 : 0;
}
bool KernelDescriptor::tg_split() const { return has_unified_vgprs() && bit(raw_.compute_pgm_rsrc3, 16); }
uint32_t KernelDescriptor::shared_vgpr_count() const {
  bool has = processor_->generation == Generation::gfx10 || processor_->generation == Generation::gfx11;
  return has ? bits(raw_.compute_pgm_rsrc3, 0, 4) * 8 : 0;
}
uint32_t KernelDescriptor::inst_pref_size() const {
  if (at_least(processor_, Generation::gfx12)) return bits(raw_.compute_pgm_rsrc3, 4, 8);
  return processor_->generation == Generation::gfx11 ? bits(raw_.compute_pgm_rsrc3, 4, 6) : 0;
}

bool KernelDescriptor::packed_workitem_ids() const {
  return has_unified_vgprs() || at_least(processor_, Generation::gfx11);
}
bool KernelDescriptor::architected_flat_scratch() const {
  return processor_->generation == Generation::gfx940 || at_least(processor_, Generation::gfx11);
}

SgprLayout KernelDescriptor::sgpr_layout() const {
  SgprLayout l;
  int next = 0;
  for (const UserSgpr& u : kUserSgprs) {
    if (!(this->*u.enabled)()) continue;
    l.*u.place = next;
    next += u.count;
  }
  if (kernarg_preload_length()) l.kernarg_preload = next;
  next = l.user_count = static_cast<int>(user_sgpr_count());
  if (enable_workgroup_id_x()) l.workgroup_id_x = next++;
  if (enable_workgroup_id_y()) l.workgroup_id_y = next++;
  if (enable_workgroup_id_z()) l.workgroup_id_z = next++;
  if (enable_workgroup_info()) l.workgroup_info = next++;
  if (enable_private_segment() && !architected_flat_scratch()) l.scratch_wave_offset = next++;
  l.total = next;
  return l;
}

} // namespace bz::codeobj
