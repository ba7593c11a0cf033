#include "codeobj/metadata.hpp"

#include "codeobj/code_object.hpp"
#include "codeobj/testdata/testdata.hpp"

namespace bz::codeobj {
namespace {

/// A msgpack writer for notes that no compiler makes: only what the tests need.
struct Pack {
  std::string bytes;
  Pack& map(unsigned n) { return bytes += static_cast<char>(0x80 | n), *this; }
  Pack& array(unsigned n) { return bytes += static_cast<char>(0x90 | n), *this; }
  Pack& number(uint8_t n) {
    return n < 128 ? bytes += static_cast<char>(n) : (bytes += "\xcc", bytes += static_cast<char>(n)), *this;
  }
  Pack& text(std::string_view t) { return bytes += "\xd9", bytes += static_cast<char>(t.size()), bytes += t, *this; }
  Pack& pair(std::string_view key, uint8_t value) { return text(key).number(value); }
  Pack& pair(std::string_view key, std::string_view value) { return text(key).text(value); }
};

struct Options {
  const char* leave_out = "";
  uint8_t align = 8, wave = 64, arg_offset = 8, arg_size = 8;
  const char* arg_kind = "global_buffer";
};

std::string note(Options o) {
  Pack p;
  p.map(2).text("amdhsa.version").array(2).number(1).number(2).text("amdhsa.kernels").array(1);
  const std::pair<const char*, uint8_t> numbers[] = {{".kernarg_segment_size", 16},
                                                     {".kernarg_segment_align", o.align},
                                                     {".group_segment_fixed_size", 0},
                                                     {".private_segment_fixed_size", 0},
                                                     {".wavefront_size", o.wave},
                                                     {".sgpr_count", 8},
                                                     {".vgpr_count", 8},
                                                     {".max_flat_workgroup_size", 64}};
  std::string left_out = o.leave_out;
  p.map(11 - (left_out.empty() ? 0 : 1));
  if (left_out != ".name") p.pair(".name", "k");
  if (left_out != ".symbol") p.pair(".symbol", "k.kd");
  for (auto [key, value] : numbers)
    if (left_out != key) p.pair(key, value);
  p.text(".args").array(1).map(4).pair(".offset", o.arg_offset).pair(".size", o.arg_size);
  p.pair(".value_kind", o.arg_kind).text(".unknown").array(2).number(1).map(1).number(1).number(2);
  return p.bytes;
}

std::string failure(Options o) {
  std::string bytes = note(o);
  Expected<Metadata> m = parse_metadata(as_bytes(bytes));
  if (m) return "accepted";
  EXPECT_EQ(m.status().code(), Code::invalid_image);
  return m.status().message();
}

TEST(Metadata, EverythingOfFacts) {
  std::vector<std::byte> image = testdata::read_file("facts_gfx942.co");
  CodeObject object = *CodeObject::parse(image);
  ASSERT_NE(object.metadata(), nullptr);
  const Metadata& m = *object.metadata();
  EXPECT_EQ(m.version_major, 1u);
  EXPECT_EQ(m.version_minor, 2u);
  EXPECT_EQ(m.target, "amdgcn-amd-amdhsa--gfx942");
  ASSERT_EQ(m.printf_formats.size(), 2u);
  EXPECT_EQ(m.printf_formats[0].id, 1u);
  EXPECT_EQ(m.printf_formats[0].arg_sizes, (std::vector<uint32_t>{4, 8}));
  EXPECT_EQ(m.printf_formats[0].format, "x = %d, y = %f\\n");
  EXPECT_EQ(m.printf_formats[1].id, 7u);
  EXPECT_TRUE(m.printf_formats[1].arg_sizes.empty());
  EXPECT_EQ(m.printf_formats[1].format, "plain: text");
  ASSERT_EQ(m.kernels.size(), 1u);
  const KernelMetadata& k = m.kernels[0];
  EXPECT_EQ(m.find_kernel("facts"), &k);
  EXPECT_EQ(m.find_symbol("facts.kd"), &k);
  EXPECT_EQ(m.find_kernel("fact"), nullptr);
  EXPECT_EQ(k.kind, KernelKind::init);
  EXPECT_EQ(k.language, "OpenCL C");
  EXPECT_EQ(k.reqd_workgroup_size, (std::array<uint32_t, 3>{64, 2, 1}));
  EXPECT_EQ(k.workgroup_size_hint, (std::array<uint32_t, 3>{32, 4, 2}));
  EXPECT_EQ(k.vec_type_hint, "float4");
  EXPECT_EQ(k.device_enqueue_symbol, "facts.enqueue");
  EXPECT_EQ(k.kernarg_segment_size, 96u);
  EXPECT_EQ(k.kernarg_segment_align, 16u);
  EXPECT_EQ(k.group_segment_fixed_size, 1536u);
  EXPECT_EQ(k.private_segment_fixed_size, 48u);
  EXPECT_EQ(k.wavefront_size, 64u);
  EXPECT_EQ(k.sgpr_count, 56u);
  EXPECT_EQ(k.vgpr_count, 45u);
  EXPECT_EQ(k.agpr_count, 17u);
  EXPECT_EQ(k.sgpr_spill_count, 3u);
  EXPECT_EQ(k.vgpr_spill_count, 4u);
  EXPECT_EQ(k.max_flat_workgroup_size, 512u);
  EXPECT_EQ(k.max_num_work_groups, (std::array<uint32_t, 3>{11, 0, 0}));
  EXPECT_TRUE(k.uses_dynamic_stack);
  EXPECT_TRUE(k.uniform_work_group_size);
  EXPECT_FALSE(k.workgroup_processor_mode);
  ASSERT_EQ(k.args.size(), 11u);
  EXPECT_EQ(k.explicit_count(), 7u);
  EXPECT_EQ(k.explicit_size(), 64u);
  const ArgKind kinds[] = {ArgKind::by_value,
                           ArgKind::global_buffer,
                           ArgKind::dynamic_shared_pointer,
                           ArgKind::image,
                           ArgKind::sampler,
                           ArgKind::pipe,
                           ArgKind::queue,
                           ArgKind::hidden_block_count_x,
                           ArgKind::hidden_group_size_x,
                           ArgKind::hidden_hostcall_buffer,
                           ArgKind::hidden_queue_ptr};
  for (size_t i = 0; i < std::size(kinds); ++i) {
    EXPECT_EQ(k.args[i].kind, kinds[i]) << i;
    EXPECT_EQ(k.args[i].kind_name, arg_kind_name(kinds[i])) << i;
  }
  EXPECT_EQ(k.args[0].name, "value");
  EXPECT_EQ(k.args[0].type_name, "int4");
  EXPECT_EQ(k.args[0].size, 16u);
  EXPECT_EQ(k.args[1].address_space, AddressSpace::global);
  EXPECT_EQ(k.args[1].access, Access::read_only);
  EXPECT_EQ(k.args[1].actual_access, Access::read_write);
  EXPECT_TRUE(k.args[1].is_const && k.args[1].is_restrict && k.args[1].is_volatile && !k.args[1].is_pipe);
  EXPECT_EQ(k.args[2].address_space, AddressSpace::local);
  EXPECT_EQ(k.args[2].pointee_align, 16u);
  EXPECT_TRUE(k.args[5].is_pipe);
  ASSERT_NE(k.find(ArgKind::hidden_hostcall_buffer), nullptr);
  EXPECT_EQ(k.find(ArgKind::hidden_hostcall_buffer)->offset, 72u);
  EXPECT_EQ(k.find(ArgKind::hidden_heap_v1), nullptr);
}

TEST(Metadata, CompiledSaxpy) {
  std::vector<std::byte> image = testdata::read_file("gfx942_v6.co");
  CodeObject object = *CodeObject::parse(image);
  const KernelMetadata* k = object.metadata()->find_kernel("saxpy");
  ASSERT_NE(k, nullptr);
  EXPECT_EQ(k->symbol, "saxpy.kd");
  EXPECT_EQ(k->kernarg_segment_size, 288u); // 28 bytes of arguments, then 256 hidden ones at 32
  EXPECT_EQ(k->kernarg_segment_align, 8u);
  EXPECT_EQ(k->explicit_count(), 4u);
  EXPECT_EQ(k->explicit_size(), 28u);
  EXPECT_EQ(k->find(ArgKind::hidden_block_count_x)->offset, 32u);
  EXPECT_EQ(k->find(ArgKind::hidden_group_size_x)->offset, 32u + 12);
  EXPECT_EQ(k->find(ArgKind::hidden_grid_dims)->offset, 32u + 64);
  EXPECT_EQ(object.metadata()->find_kernel("empty")->max_flat_workgroup_size, 256u);
  EXPECT_EQ(object.metadata()->find_kernel("empty")->kernarg_segment_size, 0u);
}

TEST(Metadata, HandMadeNotesAndTheirFaults) {
  EXPECT_EQ(failure({}), "accepted");
  EXPECT_EQ(failure({.align = 0}), "accepted") << "GCC writes it";
  std::string good = note({});
  Expected<Metadata> m = parse_metadata(as_bytes(good));
  EXPECT_EQ(m->kernels.at(0).args.at(0).offset, 8u);
  for (const char* key :
       {".name", ".symbol", ".kernarg_segment_size", ".kernarg_segment_align", ".group_segment_fixed_size",
        ".private_segment_fixed_size", ".wavefront_size", ".sgpr_count", ".vgpr_count", ".max_flat_workgroup_size"})
    EXPECT_EQ(failure({.leave_out = key}), fmt::format("metadata note: amdhsa.kernels [0] lacks the key {}", key));
  EXPECT_NE(failure({.align = 12}).find(".kernarg_segment_align 12"), std::string::npos);
  EXPECT_NE(failure({.wave = 48}).find(".wavefront_size 48"), std::string::npos);
  EXPECT_NE(failure({.arg_size = 9}).find("argument 0 at 8 of 9 bytes"), std::string::npos);
  EXPECT_NE(failure({.arg_offset = 200}).find("leaves the kernarg segment"), std::string::npos);
  EXPECT_NE(failure({.arg_kind = "by_magic"}).find(".args [0] .value_kind has the unknown value 'by_magic'"),
            std::string::npos);
  EXPECT_NE(failure({.arg_offset = 0, .arg_size = 16, .arg_kind = "hidden_heap_v1"}).find("hidden_heap_v1 of 16"),
            std::string::npos);
}

TEST(Metadata, UnknownHiddenArgumentsAreKept) {
  std::string bytes = note({.arg_kind = "hidden_of_the_future"});
  Expected<Metadata> m = parse_metadata(as_bytes(bytes));
  ASSERT_TRUE(m);
  EXPECT_EQ(m->kernels[0].args[0].kind, ArgKind::unknown_hidden);
  EXPECT_EQ(m->kernels[0].args[0].kind_name, "hidden_of_the_future");
  EXPECT_EQ(m->kernels[0].explicit_count(), 0u);
}

TEST(Metadata, TruncationAnywhereFails) {
  std::string good = note({});
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(parse_metadata(as_bytes(std::string_view(good).substr(0, size)))) << size;
}

TEST(Metadata, EnvelopeFaults) {
  auto code = [](const std::string& bytes) { return parse_metadata(as_bytes(bytes)).status().code(); };
  std::string good = note({});
  EXPECT_EQ(code(good + std::string(3, '\0')), Code::ok) << "padding";
  EXPECT_EQ(code(good + std::string(4, '\0')), Code::invalid_image);
  EXPECT_EQ(code(good + "x"), Code::invalid_image);
  EXPECT_EQ(code(Pack().map(1).text("amdhsa.version").array(2).number(2).number(0).bytes), Code::unsupported);
  EXPECT_EQ(code(Pack().map(1).text("amdhsa.version").array(3).number(1).number(0).number(0).bytes),
            Code::invalid_image);
  Pack twice;
  twice.map(2);
  for (int i = 0; i < 2; ++i) twice.text("amdhsa.version").array(2).number(1).number(2);
  EXPECT_EQ(code(twice.bytes), Code::invalid_image);
  for (const char* text : {"", "1", "1:", "x:0:f", "1:2:4:f", "1:4294967295:4:f", "99999999999:0:f"}) {
    Pack p;
    p.map(2).text("amdhsa.version").array(2).number(1).number(2).text("amdhsa.printf").array(1).text(text);
    EXPECT_EQ(code(p.bytes), Code::invalid_image) << text;
  }
}

} // namespace
} // namespace bz::codeobj
