#include "codeobj/code_object.hpp"

#include "codeobj/testdata/testdata.hpp"

#include <elf.h>

namespace bz::codeobj {
namespace {

using Image = std::vector<std::byte>;

// The numbers below are llvm-readelf-22's for gfx942_v6.co where they don't depend on code generation.
TEST(CodeObject, CompiledGfx942) {
  Image image = testdata::read_file("gfx942_v6.co");
  Expected<CodeObject> parsed = CodeObject::parse(image);
  ASSERT_TRUE(parsed) << parsed.status().message();
  CodeObject object = *std::move(parsed);
  EXPECT_EQ(object.identity().version, 6u);
  EXPECT_EQ(object.identity().flags, 0x54cu);
  EXPECT_EQ(object.target().str(), "gfx942");
  EXPECT_EQ(object.segments().size(), 9u);
  EXPECT_EQ(object.sections().size(), 18u);
  ASSERT_NE(object.find_section(".text"), nullptr);
  EXPECT_EQ(object.find_section(".text")->type, uint32_t{SHT_PROGBITS});
  EXPECT_EQ(object.contents(*object.find_section(".text")).size(), object.find_section(".text")->size);
  EXPECT_TRUE(object.contents(*object.find_section(".bss")).empty());
  EXPECT_EQ(object.find_section(".nothing"), nullptr);
  EXPECT_EQ(object.dynamic_symbols().size(), 12u);
  ASSERT_EQ(object.kernels().size(), 3u);
  EXPECT_EQ(object.kernels()[0].name, "empty");
  EXPECT_EQ(object.kernels()[1].name, "mixed");
  EXPECT_EQ(object.kernels()[2].name, "saxpy");
  for (const Kernel& k : object.kernels()) {
    const Symbol* code = object.find_symbol(k.name);
    const Symbol* descriptor = object.find_symbol(k.symbol);
    ASSERT_TRUE(code && descriptor) << k.name;
    EXPECT_EQ(code->type, SymbolType::function);
    EXPECT_EQ(code->visibility, SymbolVisibility::protected_);
    EXPECT_EQ(k.entry_address, code->value);
    EXPECT_EQ(k.code_size, code->size);
    EXPECT_EQ(k.descriptor_address, descriptor->value);
    EXPECT_EQ(object.find_kernel(k.name), &k);
    EXPECT_EQ(object.find_kernel(k.symbol), &k);
    EXPECT_EQ(object.function_at(k.entry_address + k.code_size - 4)->name, k.name);
    EXPECT_TRUE(object.segment_at(k.entry_address, k.code_size)->executable());
    EXPECT_FALSE(object.segment_at(k.entry_address, k.code_size)->writable());
    ASSERT_NE(k.metadata, nullptr);
    EXPECT_EQ(k.metadata->name, k.name);
  }
  EXPECT_EQ(object.find_kernel("saxp"), nullptr);
  EXPECT_EQ(object.find_kernel(""), nullptr);
  EXPECT_EQ(object.find_symbol("saxpy.k"), nullptr);
  EXPECT_EQ(object.function_at(0), nullptr);
  EXPECT_EQ(object.function_at(UINT64_MAX), nullptr);

  std::vector<std::string_view> names;
  for (const Symbol* s : object.variables()) names.push_back(s->name);
  std::ranges::sort(names);
  EXPECT_EQ(names, (std::vector<std::string_view>{"__hip_cuid_", "big_zeros", "coefficients", "middle", "table"}));
  EXPECT_EQ(object.find_symbol("big_zeros")->size, 32768u);
  EXPECT_TRUE(object.undefined_symbols().empty());

  ASSERT_EQ(object.relocations().size(), 1u);
  EXPECT_EQ(object.relocations()[0].kind, RelocationKind::relative64);
  EXPECT_EQ(object.relocations()[0].address, object.find_symbol("middle")->value);
  EXPECT_EQ(object.relocations()[0].addend, static_cast<int64_t>(object.find_symbol("table")->value + 8));

  EXPECT_EQ(object.layout().first_address, 0u);
  EXPECT_EQ(object.layout().alignment, 4096u);
  EXPECT_EQ(object.layout().size, object.find_symbol("__hip_cuid_")->value + 1);
  uint64_t table = object.find_symbol("table")->value;
  ASSERT_TRUE(object.bytes_at(table, 16));
  EXPECT_EQ(*read<uint32_t>(*object.bytes_at(table, 16), 4), 20u);
  EXPECT_FALSE(object.bytes_at(object.find_symbol("big_zeros")->value, 8)) << ".bss is not in the file";
  EXPECT_FALSE(object.bytes_at(UINT64_MAX - 3, 8));
}

TEST(CodeObject, VersionsAndTargetsAreData) {
  const std::tuple<const char*, uint32_t, const char*> rows[] = {{"gfx942_v4.co", 4, "gfx942"},
                                                                 {"gfx942_v5.co", 5, "gfx942"},
                                                                 {"gfx942_v6.co", 6, "gfx942"},
                                                                 {"gfx906.co", 6, "gfx906"},
                                                                 {"gfx90a.co", 6, "gfx90a:sramecc+:xnack-"},
                                                                 {"gfx1100.co", 6, "gfx1100"},
                                                                 {"gfx1250.co", 6, "gfx1250"},
                                                                 {"gfx9_generic.co", 6, "gfx9-generic"},
                                                                 {"gfx9_4_generic.co", 6, "gfx9-4-generic"},
                                                                 {"facts_gfx906.co", 4, "gfx906"},
                                                                 {"facts_gfx90a.co", 5, "gfx90a"},
                                                                 {"debug_O0.co", 6, "gfx90a"}};
  for (auto [file, version, target] : rows) {
    Image image = testdata::read_file(file);
    Expected<CodeObject> object = CodeObject::parse(image);
    ASSERT_TRUE(object) << file << ": " << object.status().message();
    EXPECT_EQ(object->identity().version, version) << file;
    EXPECT_EQ(object->target().str(), target) << file;
    // v4's hidden arguments need uses of their own; from v5 on the note's version is 1.2.
    EXPECT_EQ(object->metadata()->version_minor, version == 4 && !std::string(file).starts_with("facts") ? 1u : 2u)
        << file;
    if (object->target().processor->is_generic()) { EXPECT_EQ(object->target().generic_version, 1u); }
  }
}

TEST(CodeObject, DebugSectionsAreThere) {
  Image image = testdata::read_file("debug_O0.co");
  CodeObject object = *CodeObject::parse(image);
  for (const char* name : {".debug_info", ".debug_line", ".debug_abbrev"}) {
    ASSERT_NE(object.find_section(name), nullptr) << name;
    EXPECT_FALSE(object.contents(*object.find_section(name)).empty());
  }
}

TEST(CodeObject, WorksWithoutSectionHeaders) {
  Image image = testdata::read_file("gfx942_v6.co");
  testdata::poke<uint64_t>(image, 40, 0);
  testdata::poke<uint16_t>(image, 60, 0);
  testdata::poke<uint16_t>(image, 62, 0);
  Expected<CodeObject> object = CodeObject::parse(image);
  ASSERT_TRUE(object) << object.status().message();
  EXPECT_TRUE(object->sections().empty());
  EXPECT_TRUE(object->static_symbols().empty());
  EXPECT_EQ(object->kernels().size(), 3u);
  EXPECT_EQ(object->relocations().size(), 1u);
  EXPECT_GT(object->find_kernel("saxpy")->code_size, 0u) << "from the dynamic symbols";
}

TEST(CodeObject, ExternalSymbols) {
  Image image = testdata::read_file("facts_gfx942.co");
  CodeObject object = *CodeObject::parse(image);
  std::vector<std::string_view> names;
  for (const Symbol* s : object.undefined_symbols()) names.push_back(s->name);
  EXPECT_EQ(names, (std::vector<std::string_view>{"outside", "maybe"}));
  EXPECT_EQ(object.find_symbol("outside"), nullptr);
  EXPECT_EQ(object.relocations().size(), 3u);
}

/// Where the bytes of a dynamic symbol's name lie in the file.
uint64_t name_offset(const Image& image, std::string_view name) {
  Bytes strings = CodeObject::parse(image)->contents(*CodeObject::parse(image)->find_section(".dynstr"));
  return static_cast<uint64_t>(strings.data() - image.data()) + as_text(strings).find(name);
}

// Found by fuzzing: the kernel "sa.kd" was looked up as "sa".
TEST(CodeObject, KernelNamesThatEndLikeDescriptors) {
  Image image = testdata::read_file("gfx942_v6.co");
  uint64_t at = name_offset(image, "saxpy.kd");
  std::memcpy(image.data() + at, "sa.kd.kd", 8);
  CodeObject object = *CodeObject::parse(image);
  ASSERT_NE(object.find_kernel("sa.kd"), nullptr);
  EXPECT_EQ(object.find_kernel("sa.kd"), object.find_kernel("sa.kd.kd"));
  EXPECT_EQ(object.find_kernel("sa"), nullptr);
  std::memcpy(image.data() + at, "\0\0\0\0\0.kd", 8);
  CodeObject nameless = *CodeObject::parse(image); // its descriptor's name is now empty: an ordinary variable
  EXPECT_EQ(nameless.kernels().size(), 2u);
}

// Offsets of the ELF structures, to break one field at a time.
constexpr uint64_t ph(int i, uint64_t field) { return 64 + 56 * i + field; }
constexpr uint64_t kOffset = 8, kAddress = 16, kFileSize = 32, kMemorySize = 40, kAlign = 48;

uint64_t dynamic_entry(const Image& image, int64_t tag) {
  CodeObject object = *CodeObject::parse(image);
  uint64_t at = std::ranges::find(object.segments(), uint32_t{PT_DYNAMIC}, &Segment::type)->offset;
  while (*read<int64_t>(image, at) != tag) at += 16;
  return at;
}

uint64_t section_offset(const Image& image, const char* name) {
  return CodeObject::parse(image)->find_section(name)->offset;
}

struct Break {
  const char* message;
  void (*change)(Image&);
  Code code = Code::invalid_image;
};

template <class T, uint64_t Offset, T Value> void set(Image& image) { testdata::poke<T>(image, Offset, Value); }

const Break kBreaks[] = {
    {"wrong magic", set<uint8_t, 1, 'X'>},
    {"64-bit little-endian", set<uint8_t, 4, 1>},
    {"64-bit little-endian", set<uint8_t, 5, 2>},
    {"OS/ABI 0", set<uint8_t, 7, 0>},
    {"v3 is too old", set<uint8_t, 8, 1>, Code::unsupported},
    {"v7 is not known", set<uint8_t, 8, 5>, Code::unsupported},
    {"relocatable", set<uint16_t, 16, 1>, Code::unsupported},
    {"type 2", set<uint16_t, 16, 2>},
    {"machine 62", set<uint16_t, 18, 62>},
    {"unknown machine 0xff", set<uint32_t, 48, 0x5ff>},
    {"states a size of 12", set<uint16_t, 52, 12>},
    {"program header entries of 32", set<uint16_t, 54, 32>},
    {"no program headers", set<uint16_t, 56, 0>},
    {"65535 program headers", set<uint16_t, 56, 0xffff>},
    {"leave the file", set<uint64_t, 32, UINT64_MAX - 8>},
    {"leave the file", set<uint64_t, 40, UINT64_MAX - 8>},
    {"section header entries of 1", set<uint16_t, 58, 1>},
    {"section headers at offset", set<uint16_t, 60, 60000>},
    {"section name table 300", set<uint16_t, 62, 300>},
    {"is no name table", set<uint16_t, 62, 1>},
    {"program header 1: file range", set<uint64_t, ph(1, kOffset), UINT64_MAX>},
    {"program header 2: file range", set<uint64_t, ph(2, kFileSize), UINT64_MAX - 4096>},
    {"program header 2: address range", set<uint64_t, ph(2, kMemorySize), UINT64_MAX>},
    {"bytes of file for 16 bytes of memory", set<uint64_t, ph(2, kMemorySize), 16>},
    {"alignment 4097", set<uint64_t, ph(2, kAlign), 4097>},
    {"differ modulo the alignment", set<uint64_t, ph(2, kAddress), 0x1e40>},
    {"overlaps or precedes", set<uint64_t, ph(1, kMemorySize), 0x10000>},
    {"PT_LOAD segments span", set<uint64_t, ph(4, kMemorySize), uint64_t{1} << 50>},
    {"no PT_DYNAMIC", set<uint32_t, ph(5, 0), 0>},
    {"no DT_NULL", set<uint64_t, ph(5, kFileSize), 32>},
    {"note at 0", set<uint64_t, ph(8, kFileSize), 8>},
    {"leave the", set<uint64_t, ph(8, kFileSize), 64>},
    {"no DT_SYMTAB", [](Image& i) { testdata::poke<int64_t>(i, dynamic_entry(i, DT_SYMTAB), DT_DEBUG); }},
    {"no DT_STRTAB", [](Image& i) { testdata::poke<int64_t>(i, dynamic_entry(i, DT_STRTAB), DT_DEBUG); }},
    {"dynamic string table", [](Image& i) { testdata::poke<uint64_t>(i, dynamic_entry(i, DT_STRSZ) + 8, UINT64_MAX); }},
    {"leaves the string table of 4", [](Image& i) { testdata::poke<uint64_t>(i, dynamic_entry(i, DT_STRSZ) + 8, 4); }},
    {"DT_HASH", [](Image& i) { testdata::poke<uint64_t>(i, dynamic_entry(i, DT_HASH) + 8, UINT64_MAX - 2); }},
    {"4294967295 dynamic symbols",
     [](Image& i) { testdata::poke<uint32_t>(i, section_offset(i, ".hash") + 4, UINT32_MAX); }},
    {"symbol entries of 16", [](Image& i) { testdata::poke<uint64_t>(i, dynamic_entry(i, DT_SYMENT) + 8, 16); }},
    {"relocation entries of 16", [](Image& i) { testdata::poke<uint64_t>(i, dynamic_entry(i, DT_RELAENT) + 8, 16); }},
    {"no whole table", [](Image& i) { testdata::poke<uint64_t>(i, dynamic_entry(i, DT_RELASZ) + 8, 25); }},
    {"no whole table", [](Image& i) { testdata::poke<uint64_t>(i, dynamic_entry(i, DT_RELA) + 8, 0x4510); }},
    {"DT_REL", [](Image& i) { testdata::poke<int64_t>(i, dynamic_entry(i, DT_RELA), DT_REL); }, Code::unsupported},
    {"DT_RELR", [](Image& i) { testdata::poke<int64_t>(i, dynamic_entry(i, DT_RELA), DT_RELR); }, Code::unsupported},
    {"unknown relocation kind 12",
     [](Image& i) { testdata::poke<uint32_t>(i, section_offset(i, ".rela.dyn") + 8, 12); }},
    {"symbol 99 of 12", [](Image& i) { testdata::poke<uint32_t>(i, section_offset(i, ".rela.dyn") + 12, 99); }},
    {"address 0xffffffffffffffff",
     [](Image& i) { testdata::poke<uint64_t>(i, section_offset(i, ".rela.dyn"), UINT64_MAX); }},
    {"in no PT_LOAD",
     [](Image& i) { testdata::poke<uint64_t>(i, section_offset(i, ".dynsym") + 24 + 16, UINT64_MAX); }},
    {"section 4660 of 18",
     [](Image& i) { testdata::poke<uint16_t>(i, section_offset(i, ".dynsym") + 24 + 6, 0x1234); }},
    {"unknown binding 7", [](Image& i) { testdata::poke<uint8_t>(i, section_offset(i, ".dynsym") + 24 + 4, 0x72); }},
    {"type 6 can't be loaded",
     [](Image& i) { testdata::poke<uint8_t>(i, section_offset(i, ".dynsym") + 24 + 4, 0x16); }, Code::unsupported},
    {"without a kernel name",
     [](Image& i) {
       uint64_t symbols = section_offset(i, ".dynsym"), strings = section_offset(i, ".dynstr");
       for (int s = 1; s < 12; ++s) // the descriptor's name becomes its own suffix
         if (uint32_t at = *read<uint32_t>(i, symbols + 24 * s);
             as_text(i).substr(strings + at).starts_with("saxpy.kd"))
           testdata::poke<uint32_t>(i, symbols + 24 * s, at + 5);
     }},
    {"reserved bytes", [](Image& i) { testdata::poke<uint8_t>(i, section_offset(i, ".rodata") + 12, 1); }},
    {"256-aligned address of an executable",
     [](Image& i) { testdata::poke<int64_t>(i, section_offset(i, ".rodata") + 16, 64); }},
    {"256-aligned address of an executable",
     [](Image& i) { testdata::poke<int64_t>(i, section_offset(i, ".rodata") + 16, INT64_MIN); }},
    {"metadata note:", [](Image& i) { testdata::poke<uint8_t>(i, section_offset(i, ".note") + 20, 0xc1); }},
};

TEST(CodeObject, SeveralMetadataNotesAreOne) {
  Image image = testdata::read_file("two_notes.co");
  Expected<CodeObject> object = CodeObject::parse(image);
  ASSERT_TRUE(object) << object.status().message();
  ASSERT_EQ(object->kernels().size(), 2u);
  for (const char* name : {"facts", "other"}) {
    const Kernel* k = object->find_kernel(name);
    ASSERT_TRUE(k && k->metadata) << name;
    EXPECT_EQ(k->metadata->name, name);
    EXPECT_EQ(k->metadata->args.size(), 11u);
  }

  uint64_t last = as_text(image).rfind("amdgcn-amd-amdhsa--gfx942");
  testdata::poke<char>(image, last + 24, '0');
  object = CodeObject::parse(image);
  ASSERT_FALSE(object);
  EXPECT_EQ(object.status().code(), Code::invalid_image);
  EXPECT_NE(object.status().message().find("metadata notes disagree"), std::string::npos) << object.status().message();
}

TEST(CodeObject, EachBrokenFieldIsNamed) {
  const Image good = testdata::read_file("gfx942_v6.co");
  for (const Break& b : kBreaks) {
    Image image = good;
    b.change(image);
    Expected<CodeObject> object = CodeObject::parse(image);
    ASSERT_FALSE(object) << b.message;
    EXPECT_EQ(object.status().code(), b.code) << b.message << " / " << object.status().message();
    EXPECT_NE(object.status().message().find(b.message), std::string::npos)
        << "wanted '" << b.message << "', got '" << object.status().message() << "'";
  }
}

TEST(CodeObject, EveryTruncationFailsOrIsHarmless) {
  const Image good = testdata::read_file("facts_gfx90a.co");
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(CodeObject::parse(Bytes(good).first(size))) << size; // the section headers come last
}

} // namespace
} // namespace bz::codeobj
