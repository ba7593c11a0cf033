// Readers, executables, symbols, the loader extension, debuggers' list; code objects are those of codeobj/testdata.
#include "rocr/test_support.hpp"

#include <fcntl.h>
#include <link.h>
#include <unistd.h>

#include <cstring>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

extern "C" r_debug _amdgpu_r_debug;

namespace bz::rocr::test {
namespace {

std::string path(const char* file) { return std::string(BZ_CODEOBJ_TESTDATA) + "/" + file; }
std::vector<char> bytes(const char* file) {
  std::ifstream in(path(file), std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

class Executables : public OpenRuntime {
protected:
  hsa_executable_t make() {
    hsa_executable_t e{0};
    EXPECT_HSA(HSA_STATUS_SUCCESS,
               hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, nullptr, &e));
    return e;
  }
  hsa_status_t load(hsa_executable_t e, const void* data, size_t size, hsa_loaded_code_object_t* loaded = nullptr) {
    hsa_code_object_reader_t reader{0};
    EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_code_object_reader_create_from_memory(data, size, &reader));
    const hsa_status_t s = hsa_executable_load_agent_code_object(e, gpu, reader, nullptr, loaded);
    EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_code_object_reader_destroy(reader));
    return s;
  }
};

TEST_F(Executables, LoadAndAskForSymbols) {
  auto image = bytes("gfx942_v6.co");
  ASSERT_FALSE(image.empty());
  const hsa_executable_t e = make();
  hsa_loaded_code_object_t loaded{0};
  ASSERT_HSA(HSA_STATUS_SUCCESS, load(e, image.data(), image.size(), &loaded));
  std::fill(image.begin(), image.end(), 0); // the reader is gone: its bytes may go too
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_executable_freeze(e, nullptr));
  hsa_executable_symbol_t saxpy{0}, table{0}, coefficients{0};
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_executable_get_symbol_by_name(e, "saxpy.kd", &gpu, &saxpy));
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_executable_get_symbol_by_name(e, "table", &gpu, &table));
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_executable_get_symbol(e, nullptr, "coefficients", gpu, 0, &coefficients));
  const auto u32 = [](hsa_executable_symbol_t s, hsa_executable_symbol_info_t a) {
    uint32_t v = ~0u;
    EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_executable_symbol_get_info(s, a, &v));
    return v;
  };
  EXPECT_EQ(u32(saxpy, HSA_EXECUTABLE_SYMBOL_INFO_TYPE), HSA_SYMBOL_KIND_KERNEL);
  EXPECT_GE(u32(saxpy, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE), 28u);
  EXPECT_EQ(u32(saxpy, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE), 0u);
  EXPECT_EQ(u32(table, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE), 16u);
  EXPECT_EQ(u32(table, HSA_EXECUTABLE_SYMBOL_INFO_LINKAGE), HSA_SYMBOL_LINKAGE_PROGRAM);
  char name[16] = {};
  EXPECT_EQ(u32(saxpy, HSA_EXECUTABLE_SYMBOL_INFO_NAME_LENGTH), 8u);
  hsa_executable_symbol_get_info(saxpy, HSA_EXECUTABLE_SYMBOL_INFO_NAME, name);
  EXPECT_STREQ(name, "saxpy.kd");
  uint64_t address = 0, object = 0;
  hsa_agent_t agent{0};
  ASSERT_HSA(HSA_STATUS_SUCCESS,
             hsa_executable_symbol_get_info(table, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &address));
  EXPECT_EQ(reinterpret_cast<const int*>(address)[2], 30);
  hsa_executable_symbol_get_info(saxpy, HSA_EXECUTABLE_SYMBOL_INFO_AGENT, &agent);
  EXPECT_EQ(agent.handle, gpu.handle);
  ASSERT_HSA(HSA_STATUS_SUCCESS,
             hsa_executable_symbol_get_info(saxpy, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object));
  EXPECT_EQ(object % 64, 0u);
  // Wrong questions.
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT,
             hsa_executable_symbol_get_info(table, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT,
             hsa_executable_symbol_get_info(saxpy, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_SIZE, &object));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_SYMBOL_NAME, hsa_executable_get_symbol_by_name(e, "nothing", &gpu, &saxpy));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_SYMBOL_NAME, hsa_executable_get_symbol_by_name(e, "table", nullptr, &saxpy));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL,
             hsa_executable_symbol_get_info({e.handle}, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &object));
  EXPECT_HSA(HSA_STATUS_ERROR_FROZEN_EXECUTABLE, hsa_executable_freeze(e, nullptr));
  uint32_t result = 1;
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_executable_validate(e, &result));
  EXPECT_EQ(result, 0u);
  std::set<std::string> names;
  hsa_executable_iterate_agent_symbols(
      e, gpu,
      [](hsa_executable_t, hsa_agent_t, hsa_executable_symbol_t s, void* set) {
        char text[64] = {};
        hsa_executable_symbol_get_info(s, HSA_EXECUTABLE_SYMBOL_INFO_NAME, text);
        static_cast<std::set<std::string>*>(set)->insert(text);
        return HSA_STATUS_SUCCESS;
      },
      &names);
  for (const char* expected : {"saxpy.kd", "mixed.kd", "empty.kd", "table", "coefficients"})
    EXPECT_TRUE(names.contains(expected)) << expected;
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_executable_destroy(e));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_EXECUTABLE, hsa_executable_destroy(e));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_EXECUTABLE_SYMBOL,
             hsa_executable_symbol_get_info(table, HSA_EXECUTABLE_SYMBOL_INFO_TYPE, &object));
}

TEST_F(Executables, WhatCannotBeLoaded) {
  const hsa_executable_t e = make();
  const auto other = bytes("gfx906.co"), xnack = bytes("gfx1100.co");
  EXPECT_HSA(HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, load(e, other.data(), other.size()));
  EXPECT_HSA(HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS, load(e, xnack.data(), xnack.size()));
  auto image = bytes("gfx942_v6.co");
  for (const size_t size : {size_t(1), size_t(63), size_t(64), size_t(500), image.size() / 2})
    EXPECT_HSA(HSA_STATUS_ERROR_INVALID_CODE_OBJECT, load(e, image.data(), size)) << size;
  const std::string text = "this is no ELF file at all, whatever somebody may think of it, not even close to one.";
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_CODE_OBJECT, load(e, text.data(), text.size()));
  hsa_code_object_reader_t reader{0};
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_code_object_reader_create_from_memory(nullptr, 5, &reader));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_code_object_reader_create_from_memory(&reader, 0, &reader));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_FILE, hsa_code_object_reader_create_from_file(-1, &reader));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER, hsa_code_object_reader_destroy({kForeign}));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_CODE_OBJECT_READER,
             hsa_executable_load_agent_code_object(e, gpu, {e.handle}, nullptr, nullptr));
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_code_object_reader_create_from_memory(image.data(), image.size(), &reader));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_EXECUTABLE,
             hsa_executable_load_agent_code_object({0}, gpu, reader, nullptr, nullptr));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_AGENT, hsa_executable_load_agent_code_object(e, {0}, reader, nullptr, nullptr));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_AGENT, hsa_executable_load_agent_code_object(e, cpu, reader, nullptr, nullptr));
  hsa_executable_freeze(e, nullptr);
  EXPECT_HSA(HSA_STATUS_ERROR_FROZEN_EXECUTABLE,
             hsa_executable_load_agent_code_object(e, gpu, reader, nullptr, nullptr));
  hsa_code_object_reader_destroy(reader);
  hsa_executable_destroy(e);
}

TEST_F(Executables, ExternalVariables) {
  // facts_gfx942.co leaves symbols open; the program defines them before it loads.
  const auto image = bytes("facts_gfx942.co");
  hsa_executable_t e = make();
  EXPECT_HSA(HSA_STATUS_ERROR_VARIABLE_UNDEFINED, load(e, image.data(), image.size()));
  hsa_executable_destroy(e);
  e = make();
  int here = 0;
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_executable_agent_global_variable_define(e, gpu, "mine", &here));
  EXPECT_HSA(HSA_STATUS_ERROR_VARIABLE_ALREADY_DEFINED,
             hsa_executable_agent_global_variable_define(e, gpu, "mine", &here));
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_executable_global_variable_define(e, "everybodys", &here));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_executable_global_variable_define(e, nullptr, &here));
  hsa_executable_symbol_t s{0};
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_executable_get_symbol_by_name(e, "mine", &gpu, &s));
  uint64_t address = 0;
  bool defined = true;
  hsa_executable_symbol_get_info(s, HSA_EXECUTABLE_SYMBOL_INFO_VARIABLE_ADDRESS, &address);
  hsa_executable_symbol_get_info(s, HSA_EXECUTABLE_SYMBOL_INFO_IS_DEFINITION, &defined);
  EXPECT_EQ(address, reinterpret_cast<uint64_t>(&here));
  EXPECT_FALSE(defined);
  int count = 0;
  hsa_executable_iterate_program_symbols(
      e, [](hsa_executable_t, hsa_executable_symbol_t, void* n) { return ++*static_cast<int*>(n), HSA_STATUS_SUCCESS; },
      &count);
  EXPECT_EQ(count, 1);
  hsa_executable_destroy(e);
}

TEST_F(Executables, LoaderExtensionAndDebugList) {
  hsa_ven_amd_loader_1_03_pfn_t loader{};
  ASSERT_HSA(HSA_STATUS_SUCCESS,
             hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER, 1, sizeof loader, &loader));
  const int file = open(path("gfx942_v6.co").c_str(), O_RDONLY);
  hsa_code_object_reader_t reader{0};
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_code_object_reader_create_from_file(file, &reader));
  close(file);
  const hsa_executable_t e = make();
  hsa_loaded_code_object_t l{0};
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_executable_load_agent_code_object(e, gpu, reader, nullptr, &l));
  hsa_code_object_reader_destroy(reader);
  hsa_executable_freeze(e, nullptr);
  uint64_t base = 0, size = 0;
  int64_t delta = 0;
  uint32_t length = 0;
  loader.hsa_ven_amd_loader_loaded_code_object_get_info(l, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE, &base);
  loader.hsa_ven_amd_loader_loaded_code_object_get_info(l, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_SIZE, &size);
  loader.hsa_ven_amd_loader_loaded_code_object_get_info(l, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_DELTA,
                                                        &delta);
  loader.hsa_ven_amd_loader_loaded_code_object_get_info(l, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI_LENGTH,
                                                        &length);
  std::string uri(length, 0);
  loader.hsa_ven_amd_loader_loaded_code_object_get_info(l, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_URI, uri.data());
  EXPECT_TRUE(uri.starts_with("file:///")) << uri;
  EXPECT_NE(uri.find("gfx942_v6.co#offset=0&size="), std::string::npos) << uri;
  ASSERT_NE(_amdgpu_r_debug.r_map, nullptr);
  EXPECT_EQ(_amdgpu_r_debug.r_state, r_debug::RT_CONSISTENT);
  const link_map* last = _amdgpu_r_debug.r_map;
  while (last->l_next) last = last->l_next;
  EXPECT_EQ(last->l_name, uri);
  EXPECT_EQ(static_cast<int64_t>(last->l_addr), delta);

  hsa_executable_t found{0};
  EXPECT_HSA(HSA_STATUS_SUCCESS, loader.hsa_ven_amd_loader_query_executable(reinterpret_cast<void*>(base + 8), &found));
  EXPECT_EQ(found.handle, e.handle);
  const void* host = nullptr;
  ASSERT_HSA(HSA_STATUS_SUCCESS, loader.hsa_ven_amd_loader_query_host_address(reinterpret_cast<void*>(base), &host));
  EXPECT_EQ(std::memcmp(host, reinterpret_cast<void*>(base), 64), 0);
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, loader.hsa_ven_amd_loader_query_host_address(&base, &host));
  size_t count = 0;
  ASSERT_HSA(HSA_STATUS_SUCCESS, loader.hsa_ven_amd_loader_query_segment_descriptors(nullptr, &count));
  ASSERT_GT(count, 0u);
  std::vector<hsa_ven_amd_loader_segment_descriptor_t> segments(count);
  ASSERT_HSA(HSA_STATUS_SUCCESS, loader.hsa_ven_amd_loader_query_segment_descriptors(segments.data(), &count));
  for (const auto& s : segments) {
    EXPECT_EQ(s.agent.handle, gpu.handle);
    EXPECT_GE(reinterpret_cast<uint64_t>(s.segment_base), base);
    EXPECT_LE(reinterpret_cast<uint64_t>(s.segment_base) + s.segment_size, base + size);
  }
  --count;
  EXPECT_HSA(HSA_STATUS_ERROR_INCOMPATIBLE_ARGUMENTS,
             loader.hsa_ven_amd_loader_query_segment_descriptors(segments.data(), &count));
  int visited = 0;
  loader.hsa_ven_amd_loader_iterate_executables(
      [](hsa_executable_t, void* n) { return ++*static_cast<int*>(n), HSA_STATUS_SUCCESS; }, &visited);
  EXPECT_EQ(visited, 1);
  hsa_executable_destroy(e);
  EXPECT_EQ(_amdgpu_r_debug.r_map, nullptr);
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_CODE_OBJECT, loader.hsa_ven_amd_loader_loaded_code_object_get_info(
                                                       l, HSA_VEN_AMD_LOADER_LOADED_CODE_OBJECT_INFO_LOAD_BASE, &base));
}

TEST_F(Executables, OlderInterface) {
  auto image = bytes("gfx942_v4.co");
  hsa_code_object_t object{0};
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_code_object_deserialize(image.data(), image.size(), nullptr, &object));
  char version[64];
  hsa_isa_t isa{0};
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_code_object_get_info(object, HSA_CODE_OBJECT_INFO_VERSION, version));
  EXPECT_STREQ(version, "4.0");
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_code_object_get_info(object, HSA_CODE_OBJECT_INFO_ISA, &isa));
  char name[64];
  hsa_isa_get_info_alt(isa, HSA_ISA_INFO_NAME, name);
  EXPECT_STREQ(name, "amdgcn-amd-amdhsa--gfx942");
  hsa_code_symbol_t saxpy{0};
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_code_object_get_symbol(object, "saxpy.kd", &saxpy));
  uint32_t width = 0;
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_code_symbol_get_info(saxpy, HSA_CODE_SYMBOL_INFO_KERNEL_WAVEFRONT_SIZE, &width));
  EXPECT_EQ(width, 64u);
  hsa_executable_t e{0};
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_executable_create(HSA_PROFILE_FULL, HSA_EXECUTABLE_STATE_UNFROZEN, "", &e));
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_executable_load_code_object(e, gpu, object, nullptr));
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_code_object_destroy(object));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_CODE_OBJECT, hsa_code_object_destroy(object));
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_executable_freeze(e, nullptr));
  hsa_executable_symbol_t kernel{0};
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_executable_get_symbol(e, "", "saxpy.kd", gpu, 0, &kernel));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_CODE_OBJECT, hsa_code_object_deserialize(image.data(), 100, nullptr, &object));
  hsa_executable_destroy(e);
}

TEST_F(Executables, NoMemoryForCode) {
  void* p = nullptr;
  const auto device = pool(gpu, HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_COARSE_GRAINED);
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_amd_memory_pool_allocate(device, (size_t(16) << 30) - 4096, 0, &p));
  const auto image = bytes("gfx942_v6.co");
  const hsa_executable_t e = make();
  EXPECT_HSA(HSA_STATUS_ERROR_OUT_OF_RESOURCES, load(e, image.data(), image.size()));
  hsa_executable_destroy(e);
  hsa_amd_memory_pool_free(p);
}

} // namespace
} // namespace bz::rocr::test
