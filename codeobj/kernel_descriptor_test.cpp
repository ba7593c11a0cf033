#include "codeobj/kernel_descriptor.hpp"

#include "codeobj/code_object.hpp"
#include "codeobj/testdata/testdata.hpp"

namespace bz::codeobj {
namespace {

const Processor& processor(const char* name) { return *find_processor(name); }

struct Facts {
  explicit Facts(const char* file) : image(testdata::read_file(file)), object(*CodeObject::parse(image)) {}
  const KernelDescriptor& descriptor() const { return object.find_kernel("facts")->descriptor; }
  std::vector<std::byte> image;
  CodeObject object;
};

// The numbers of facts.s that are the same on every target.
void expect_common(const KernelDescriptor& d) {
  EXPECT_EQ(d.group_segment_fixed_size(), 1536u);
  EXPECT_EQ(d.private_segment_fixed_size(), 48u);
  EXPECT_EQ(d.kernarg_size(), 96u);
  EXPECT_EQ(d.vgpr_count(), 48u); // 45 rounded up to 4 or 8
  EXPECT_EQ(d.sgpr_count(), 64u); // 50, VCC, FLAT_SCRATCH and XNACK_MASK, rounded up to 16
  EXPECT_EQ(d.wavefront_size(), 64u);
  EXPECT_EQ(d.round_mode_32(), RoundMode::plus_infinity);
  EXPECT_EQ(d.round_mode_16_64(), RoundMode::zero);
  EXPECT_EQ(d.denorm_mode_32(), DenormMode::flush_src);
  EXPECT_EQ(d.denorm_mode_16_64(), DenormMode::keep);
  EXPECT_EQ(d.float_mode(), 1u | 3u << 2 | 2u << 4 | 3u << 6);
  EXPECT_FALSE(d.dx10_clamp());
  EXPECT_TRUE(d.ieee_mode());
  EXPECT_TRUE(d.fp16_overflow());
  EXPECT_FALSE(d.privileged());
  EXPECT_FALSE(d.debug_mode());
  EXPECT_EQ(d.priority(), 0u);
  EXPECT_TRUE(d.enable_private_segment());
  EXPECT_TRUE(d.enable_workgroup_id_x());
  EXPECT_FALSE(d.enable_workgroup_id_y());
  EXPECT_TRUE(d.enable_workgroup_id_z());
  EXPECT_FALSE(d.enable_workgroup_info());
  EXPECT_EQ(d.enable_vgpr_workitem_id(), 2u);
  EXPECT_EQ(d.exception_enable(), 1u << 2 | 1u << 6);
  EXPECT_TRUE(d.enable_dispatch_ptr());
  EXPECT_FALSE(d.enable_queue_ptr());
  EXPECT_TRUE(d.enable_kernarg_segment_ptr());
  EXPECT_TRUE(d.enable_dispatch_id());
  EXPECT_TRUE(d.enable_private_segment_size());
  EXPECT_TRUE(d.uses_dynamic_stack());
  EXPECT_FALSE(d.wgp_mode() || d.mem_ordered() || d.forward_progress());
}

TEST(KernelDescriptor, Gfx906) {
  Facts facts("facts_gfx906.co");
  const KernelDescriptor& d = facts.descriptor();
  expect_common(d);
  EXPECT_EQ(d.vgpr_granule(), 4u);
  EXPECT_FALSE(d.has_unified_vgprs());
  EXPECT_EQ(d.accum_offset(), 0u);
  EXPECT_FALSE(d.packed_workitem_ids());
  EXPECT_FALSE(d.architected_flat_scratch());
  EXPECT_EQ(d.kernarg_preload_length(), 0u);
  EXPECT_EQ(d.entry_skip(), 0u);
  SgprLayout l = d.sgpr_layout();
  EXPECT_EQ(l.private_segment_buffer, 0);
  EXPECT_EQ(l.dispatch_ptr, 4);
  EXPECT_EQ(l.queue_ptr, -1);
  EXPECT_EQ(l.kernarg_segment_ptr, 6);
  EXPECT_EQ(l.dispatch_id, 8);
  EXPECT_EQ(l.flat_scratch_init, 10);
  EXPECT_EQ(l.private_segment_size, 12);
  EXPECT_EQ(l.kernarg_preload, -1);
  EXPECT_EQ(l.user_count, 13);
  EXPECT_EQ(l.workgroup_id_x, 13);
  EXPECT_EQ(l.workgroup_id_y, -1);
  EXPECT_EQ(l.workgroup_id_z, 14);
  EXPECT_EQ(l.workgroup_info, -1);
  EXPECT_EQ(l.scratch_wave_offset, 15);
  EXPECT_EQ(l.total, 16);
}

TEST(KernelDescriptor, Gfx90a) {
  Facts facts("facts_gfx90a.co");
  const KernelDescriptor& d = facts.descriptor();
  expect_common(d);
  EXPECT_EQ(d.vgpr_granule(), 8u);
  EXPECT_TRUE(d.has_unified_vgprs());
  EXPECT_EQ(d.accum_offset(), 28u);
  EXPECT_TRUE(d.tg_split());
  EXPECT_TRUE(d.packed_workitem_ids());
  EXPECT_FALSE(d.architected_flat_scratch());
  EXPECT_EQ(d.kernarg_preload_length(), 3u);
  EXPECT_EQ(d.kernarg_preload_offset(), 2u);
  EXPECT_EQ(d.entry_skip(), 256u);
  SgprLayout l = d.sgpr_layout();
  EXPECT_EQ(l.kernarg_preload, 13);
  EXPECT_EQ(l.user_count, 16);
  EXPECT_EQ(l.workgroup_id_x, 16);
  EXPECT_EQ(l.workgroup_id_z, 17);
  EXPECT_EQ(l.scratch_wave_offset, 18);
}

TEST(KernelDescriptor, Gfx942) {
  Facts facts("facts_gfx942.co");
  const KernelDescriptor& d = facts.descriptor();
  expect_common(d);
  EXPECT_EQ(d.accum_offset(), 28u);
  EXPECT_TRUE(d.architected_flat_scratch());
  SgprLayout l = d.sgpr_layout();
  EXPECT_EQ(l.private_segment_buffer, -1);
  EXPECT_EQ(l.dispatch_ptr, 0);
  EXPECT_EQ(l.kernarg_segment_ptr, 2);
  EXPECT_EQ(l.dispatch_id, 4);
  EXPECT_EQ(l.private_segment_size, 6);
  EXPECT_EQ(l.kernarg_preload, 7);
  EXPECT_EQ(l.user_count, 10);
  EXPECT_EQ(l.workgroup_id_x, 10);
  EXPECT_EQ(l.workgroup_id_z, 11);
  EXPECT_EQ(l.scratch_wave_offset, -1) << "the hardware fills FLAT_SCRATCH";
  EXPECT_EQ(l.total, 12);
}

TEST(KernelDescriptor, AgreesWithMetadataOfCompiledKernels) {
  for (const char* file : testdata::kCodeObjects) {
    std::vector<std::byte> image = testdata::read_file(file);
    Expected<CodeObject> object = CodeObject::parse(image);
    ASSERT_TRUE(object) << file << ": " << object.status().message();
    ASSERT_FALSE(object->kernels().empty()) << file;
    for (const Kernel& k : object->kernels()) {
      ASSERT_NE(k.metadata, nullptr) << file << " " << k.name;
      EXPECT_EQ(k.descriptor.wavefront_size(), k.metadata->wavefront_size) << file << " " << k.name;
      EXPECT_EQ(k.descriptor.group_segment_fixed_size(), k.metadata->group_segment_fixed_size) << file << " " << k.name;
      EXPECT_EQ(k.descriptor.private_segment_fixed_size(), k.metadata->private_segment_fixed_size) << k.name;
      EXPECT_EQ(k.descriptor.kernarg_size(), k.metadata->kernarg_segment_size) << file << " " << k.name;
      EXPECT_GE(k.descriptor.vgpr_count(), k.metadata->vgpr_count) << file << " " << k.name;
      EXPECT_LT(k.descriptor.vgpr_count(), k.metadata->vgpr_count + 32) << file << " " << k.name;
      EXPECT_GE(k.descriptor.sgpr_count(), k.metadata->sgpr_count) << file << " " << k.name;
      EXPECT_EQ(k.descriptor.uses_dynamic_stack(), k.metadata->uses_dynamic_stack) << file << " " << k.name;
    }
  }
}

TEST(KernelDescriptor, Gfx11InWave32) {
  std::vector<std::byte> image = testdata::read_file("gfx1100.co");
  CodeObject object = *CodeObject::parse(image);
  const KernelDescriptor& d = object.find_kernel("saxpy")->descriptor;
  EXPECT_EQ(d.wavefront_size(), 32u);
  EXPECT_EQ(d.vgpr_granule(), 8u);
  EXPECT_EQ(d.sgpr_count(), 128u);
  EXPECT_TRUE(d.mem_ordered());
  EXPECT_TRUE(d.packed_workitem_ids());
  EXPECT_GT(d.inst_pref_size(), 0u);
}

TEST(KernelDescriptor, CompiledKernargPreload) {
  for (auto [file, skip] : {std::pair("preload_gfx942.co", 256u), std::pair("preload_gfx1250.co", 0u)}) {
    std::vector<std::byte> image = testdata::read_file(file);
    CodeObject object = *CodeObject::parse(image);
    const KernelDescriptor& d = object.find_kernel("saxpy")->descriptor;
    EXPECT_GE(d.kernarg_preload_length(), 7u) << file; // 28 bytes of arguments
    EXPECT_EQ(d.kernarg_preload_offset(), 0u) << file;
    EXPECT_EQ(d.sgpr_layout().kernarg_preload, d.sgpr_layout().kernarg_segment_ptr + 2) << file;
    EXPECT_EQ(d.entry_skip(), skip) << file;
    EXPECT_EQ(object.find_kernel("empty")->descriptor.entry_skip(), 0u) << file;
    if (skip == 0) continue;
    // The last instruction that matters before the skip is s_branch to the end of the 256 bytes.
    Bytes code = *object.bytes_at(object.find_kernel("saxpy")->entry_address, 256);
    bool branches = false;
    for (uint64_t at = 0; at < 256; at += 4) {
      uint32_t word = *read<uint32_t>(code, at);
      branches |= word >> 16 == 0xbf82 && at + 4 + 4 * (word & 0xffff) == 256;
    }
    EXPECT_TRUE(branches) << file;
  }
}

// Every rule that decode() states, broken alone in an otherwise good descriptor.
TEST(KernelDescriptor, Refusals) {
  Facts facts("facts_gfx90a.co");
  const RawKernelDescriptor good = facts.descriptor().raw();
  auto message = [](const RawKernelDescriptor& raw, const char* target) {
    Expected<KernelDescriptor> d = KernelDescriptor::decode(as_bytes(&raw, sizeof raw), processor(target));
    if (d) return std::string();
    EXPECT_EQ(d.status().code(), Code::invalid_image);
    return d.status().message();
  };
  EXPECT_EQ(message(good, "gfx90a"), "");
  auto broken = [&](auto change, const char* target = "gfx90a") {
    RawKernelDescriptor raw = good;
    change(raw);
    return message(raw, target);
  };
  auto has = [](const std::string& text, const char* part) { return text.find(part) != std::string::npos; };
  EXPECT_TRUE(has(broken([](auto& r) { r.reserved0[3] = 1; }), "reserved bytes"));
  EXPECT_TRUE(has(broken([](auto& r) { r.reserved1[0] = 1; }), "reserved bytes"));
  EXPECT_TRUE(has(broken([](auto& r) { r.reserved3[0] = 1; }), "reserved bytes"));
  EXPECT_TRUE(has(broken([](auto& r) { r.kernel_code_properties |= 0x80; }), "reserved kernel_code_properties"));
  EXPECT_TRUE(has(broken([](auto& r) { r.kernel_code_properties |= 1 << 10; }), "wavefront size 32"));
  EXPECT_TRUE(has(broken([](auto& r) { r.compute_pgm_rsrc2 |= 3 << 11; }), "enable_vgpr_workitem_id"));
  EXPECT_TRUE(has(broken([](auto& r) { r.compute_pgm_rsrc2 &= ~0x3eu; }), "user SGPRs are enabled"));
  EXPECT_TRUE(has(broken([](auto& r) { r.compute_pgm_rsrc3 |= 63; }), "accum_offset 256"));
  EXPECT_TRUE(has(broken([](auto& r) { r.kernel_code_properties &= ~8; }), "without a kernarg segment pointer"));
  EXPECT_TRUE(has(broken([](auto&) {}, "gfx906"), "kernarg preload, which gfx906 does not have"));
  EXPECT_TRUE(has(broken([](auto&) {}, "gfx1250"), "wavefront size 64"));
  Expected<KernelDescriptor> shortened = KernelDescriptor::decode(as_bytes(&good, 63), processor("gfx90a"));
  EXPECT_EQ(shortened.status().code(), Code::invalid_image);
}

} // namespace
} // namespace bz::codeobj
