// Opening and closing, system and agent information, tables.
#include "rocr/entry.hpp"
#include "rocr/test_support.hpp"
#include "rocr/thunk.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <string>

namespace bz::rocr::test {
namespace {

TEST(Closed, EverythingButStatusStringNeedsInit) {
  uint16_t version = 0;
  EXPECT_HSA(HSA_STATUS_ERROR_NOT_INITIALIZED, hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, &version));
  EXPECT_HSA(HSA_STATUS_ERROR_NOT_INITIALIZED, hsa_shut_down());
  EXPECT_HSA(HSA_STATUS_ERROR_NOT_INITIALIZED, hsa_amd_ipc_memory_detach(&version));
  const char* text = nullptr;
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_status_string(HSA_STATUS_ERROR_INVALID_QUEUE, &text));
  EXPECT_TRUE(std::string(text).starts_with("HSA_STATUS_ERROR_INVALID_QUEUE"));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_status_string(static_cast<hsa_status_t>(12345), &text));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_status_string(HSA_STATUS_SUCCESS, nullptr));
}

TEST(Closed, AChildWithoutADeviceIsToldWhy) {
  Status s = thunk::check(HSAKMT_STATUS_KERNEL_IO_CHANNEL_NOT_OPENED, "hsaKmtAllocMemory");
  EXPECT_EQ(s.code(), Code::out_of_resources);
  EXPECT_NE(s.message().find("hsaKmtAllocMemory gave status 20 (no device is open in this process"), std::string::npos);
  EXPECT_EQ(thunk::check(HSAKMT_STATUS_INVALID_PARAMETER, "hsaKmtX").message(), "hsaKmtX gave status 3");
}

TEST(Closed, InitIsCounted) {
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_init());
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_init());
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_shut_down());
  uint16_t version = 0;
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, &version));
  EXPECT_EQ(version, 1);
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_shut_down());
  EXPECT_HSA(HSA_STATUS_ERROR_NOT_INITIALIZED, hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, &version));
}

using Info = OpenRuntime;

TEST_F(Info, System) {
  uint64_t before = 0, after = 0, hz = 0;
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP_FREQUENCY, &hz));
  EXPECT_EQ(hz, 1'000'000'000u);
  hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &before);
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, &after);
  EXPECT_GE(after - before, 5'000'000u);
  uint8_t extensions[128] = {};
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_system_get_info(HSA_SYSTEM_INFO_EXTENSIONS, extensions));
  EXPECT_EQ(extensions[HSA_EXTENSION_AMD_LOADER / 8] >> (HSA_EXTENSION_AMD_LOADER % 8) & 1, 1);
  EXPECT_EQ(extensions[HSA_EXTENSION_FINALIZER / 8] & 1, 0);
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_system_get_info(static_cast<hsa_system_info_t>(99), &hz));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_system_get_info(HSA_SYSTEM_INFO_TIMESTAMP, nullptr));
}

TEST_F(Info, Agents) {
  char name[64];
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_agent_get_info(gpu, HSA_AGENT_INFO_NAME, name));
  EXPECT_STREQ(name, "gfx942");
  hsa_agent_get_info(gpu, static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_PRODUCT_NAME), name);
  EXPECT_STREQ(name, "AMD Instinct MI300X");
  hsa_agent_get_info(cpu, HSA_AGENT_INFO_NAME, name);
  EXPECT_STREQ(name, "Test CPU");
  uint32_t value = 0;
  hsa_agent_get_info(gpu, static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_COMPUTE_UNIT_COUNT), &value);
  EXPECT_EQ(value, 304u);
  hsa_agent_get_info(gpu, static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_MAX_WAVES_PER_CU), &value);
  EXPECT_EQ(value, 32u);
  hsa_agent_get_info(gpu, HSA_AGENT_INFO_WAVEFRONT_SIZE, &value);
  EXPECT_EQ(value, 64u);
  char uuid[24];
  hsa_agent_get_info(gpu, static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_UUID), uuid);
  EXPECT_STREQ(uuid, "GPU-0000000000001234");
  uint64_t available = 0;
  EXPECT_HSA(HSA_STATUS_SUCCESS,
             hsa_agent_get_info(gpu, static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_MEMORY_AVAIL), &available));
  EXPECT_EQ(available, uint64_t(16) << 30);
  hsa_agent_t nearest{0};
  hsa_agent_get_info(gpu, static_cast<hsa_agent_info_t>(HSA_AMD_AGENT_INFO_NEAREST_CPU), &nearest);
  EXPECT_EQ(nearest.handle, cpu.handle);
  // Every attribute of the tables has an answer on both agents, except where the question makes no sense.
  alignas(16) uint8_t room[256];
  for (int a = HSA_AGENT_INFO_NAME; a <= HSA_AGENT_INFO_FAST_F16_OPERATION; ++a)
    for (const hsa_agent_t agent : {cpu, gpu})
      EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_agent_get_info(agent, static_cast<hsa_agent_info_t>(a), room)) << a;
  for (int a = HSA_AMD_AGENT_INFO_CHIP_ID; a <= HSA_AMD_AGENT_INFO_TIMESTAMP_FREQUENCY; ++a)
    EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_agent_get_info(gpu, static_cast<hsa_agent_info_t>(a), room)) << a;
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_agent_get_info(gpu, static_cast<hsa_agent_info_t>(0xa0ff), room));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_AGENT, hsa_agent_get_info({kForeign}, HSA_AGENT_INFO_NAME, room));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_AGENT, hsa_agent_get_info({0}, HSA_AGENT_INFO_NAME, room));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_agent_get_info(gpu, HSA_AGENT_INFO_NAME, nullptr));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_iterate_agents(nullptr, nullptr));
  const auto stop = [](hsa_agent_t, void* count) {
    ++*static_cast<int*>(count);
    return HSA_STATUS_INFO_BREAK;
  };
  int count = 0;
  EXPECT_HSA(HSA_STATUS_INFO_BREAK, hsa_iterate_agents(stop, &count));
  EXPECT_EQ(count, 1);
}

TEST_F(Info, Caches) {
  std::vector<hsa_cache_t> caches;
  hsa_agent_iterate_caches(
      gpu,
      [](hsa_cache_t c, void* list) {
        static_cast<std::vector<hsa_cache_t>*>(list)->push_back(c);
        return HSA_STATUS_SUCCESS;
      },
      &caches);
  ASSERT_EQ(caches.size(), 2u);
  uint32_t size = 0;
  uint8_t level = 0;
  char name[32] = {};
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_cache_get_info(caches[1], HSA_CACHE_INFO_SIZE, &size));
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_cache_get_info(caches[1], HSA_CACHE_INFO_LEVEL, &level));
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_cache_get_info(caches[1], HSA_CACHE_INFO_NAME, name));
  EXPECT_EQ(size, 4096u * 1024);
  EXPECT_EQ(level, 2);
  EXPECT_STREQ(name, "gfx942 L2");
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_CACHE, hsa_cache_get_info({kForeign}, HSA_CACHE_INFO_SIZE, &size));
}

TEST_F(Info, InstructionSets) {
  std::vector<hsa_isa_t> isas;
  const auto collect = [](hsa_isa_t i, void* list) {
    static_cast<std::vector<hsa_isa_t>*>(list)->push_back(i);
    return HSA_STATUS_SUCCESS;
  };
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_agent_iterate_isas(gpu, collect, &isas));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_AGENT, hsa_agent_iterate_isas(cpu, collect, &isas));
  ASSERT_EQ(isas.size(), 2u);
  uint32_t length = 0;
  char name[64] = {};
  hsa_isa_get_info_alt(isas[0], HSA_ISA_INFO_NAME_LENGTH, &length);
  hsa_isa_get_info_alt(isas[0], HSA_ISA_INFO_NAME, name);
  EXPECT_STREQ(name, "amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-");
  EXPECT_EQ(length, std::strlen(name) + 1);
  hsa_isa_get_info_alt(isas[1], HSA_ISA_INFO_NAME, name);
  EXPECT_STREQ(name, "amdgcn-amd-amdhsa--gfx9-4-generic:sramecc+:xnack-");
  hsa_isa_t same{0}, bare{0}, other{0};
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_isa_from_name("amdgcn-amd-amdhsa--gfx942:sramecc+:xnack-", &same));
  EXPECT_EQ(same.handle, isas[0].handle);
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_isa_from_name("amdgcn-amd-amdhsa--gfx942", &bare));
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_isa_from_name("amdgcn-amd-amdhsa--gfx906", &other));
  bool fits = false;
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_isa_compatible(bare, isas[0], &fits));
  EXPECT_TRUE(fits);
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_isa_compatible(other, isas[0], &fits));
  EXPECT_FALSE(fits);
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ISA_NAME, hsa_isa_from_name("amdgcn-amd-amdhsa--gfx9999", &other));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ISA_NAME, hsa_isa_from_name("gfx942", &other));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_isa_from_name(nullptr, &other));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ISA, hsa_isa_get_info_alt({kForeign}, HSA_ISA_INFO_NAME, name));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_INDEX, hsa_isa_get_info(isas[0], HSA_ISA_INFO_NAME, 1, name));
  uint32_t width = 0;
  hsa_isa_iterate_wavefronts(
      isas[0], [](hsa_wavefront_t w, void* value) { return hsa_wavefront_get_info(w, HSA_WAVEFRONT_INFO_SIZE, value); },
      &width);
  EXPECT_EQ(width, 64u);
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_WAVEFRONT, hsa_wavefront_get_info({1}, HSA_WAVEFRONT_INFO_SIZE, &width));
}

TEST_F(Info, Extensions) {
  bool has = false;
  uint16_t minor = 0;
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_system_major_extension_supported(HSA_EXTENSION_AMD_LOADER, 1, &minor, &has));
  EXPECT_TRUE(has);
  EXPECT_EQ(minor, 3);
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_agent_major_extension_supported(HSA_EXTENSION_AMD_LOADER, cpu, 1, &minor, &has));
  EXPECT_FALSE(has);
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_system_extension_supported(HSA_EXTENSION_FINALIZER, 1, 0, &has));
  EXPECT_FALSE(has);
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_system_extension_supported(77, 1, 0, &has));
  hsa_ven_amd_loader_1_03_pfn_t loader{};
  // A caller with an older table gets no byte more than it has room for.
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_system_get_major_extension_table(HSA_EXTENSION_AMD_LOADER, 1,
                                                                      sizeof(hsa_ven_amd_loader_1_00_pfn_t), &loader));
  EXPECT_NE(loader.hsa_ven_amd_loader_query_executable, nullptr);
  EXPECT_EQ(loader.hsa_ven_amd_loader_loaded_code_object_get_info, nullptr);
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_system_get_extension_table(HSA_EXTENSION_AMD_LOADER, 1, 3, &loader));
  EXPECT_NE(loader.hsa_ven_amd_loader_iterate_executables, nullptr);
  EXPECT_HSA(HSA_STATUS_ERROR, hsa_system_get_extension_table(HSA_EXTENSION_AMD_LOADER, 1, 4, &loader));
  const char* name = nullptr;
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_extension_get_name(HSA_EXTENSION_AMD_LOADER, &name));
  EXPECT_STREQ(name, "HSA_EXTENSION_AMD_LOADER");
}

TEST_F(Info, WhatIsNotDoneSaysSo) {
  hsa_ext_program_t program;
  EXPECT_HSA(HSA_STATUS_ERROR_NOT_SUPPORTED,
             hsa_ext_program_create(HSA_MACHINE_MODEL_LARGE, HSA_PROFILE_BASE, HSA_DEFAULT_FLOAT_ROUNDING_MODE_NEAR,
                                    nullptr, &program));
}

TEST_F(Info, LoggingGoesToTheProgramsFile) {
  char* text = nullptr;
  size_t length = 0;
  std::FILE* file = open_memstream(&text, &length);
  uint8_t flags[8] = {};
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_enable_logging(nullptr, file));
  hsa_flag_set64(flags, 63);
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_enable_logging(flags, file));
  flags[7] = 0;
  hsa_flag_set64(flags, HSA_AMD_LOG_FLAG_INFO);
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_enable_logging(flags, file));
  char from[64] = {}, to[64];
  const hsa_signal_t done = signal(1);
  const auto copy = [&] { return hsa_amd_memory_async_copy(to, cpu, from, cpu, sizeof from, 0, nullptr, done); };
  EXPECT_HSA(HSA_STATUS_SUCCESS, copy());
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_signal_destroy(kNoSignal));
  EXPECT_EQ(std::string(text, length), "hsa: hsa_signal_destroy: HSA_STATUS_ERROR_INVALID_ARGUMENT: the signal handle is null\n");
  const size_t before = length;
  hsa_flag_set64(flags, HSA_AMD_LOG_FLAG_SDMA);
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_enable_logging(flags, file));
  EXPECT_HSA(HSA_STATUS_SUCCESS, copy());
  EXPECT_NE(std::string(text + before, length - before).find("copy of 64 x 1 x 1 bytes"), std::string::npos) << text;
  flags[0] = 0;
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_enable_logging(flags, nullptr));
  const size_t last = length;
  EXPECT_HSA(HSA_STATUS_SUCCESS, copy());
  EXPECT_EQ(length, last);
  std::fclose(file);
  std::free(text);
  hsa_signal_destroy(done);
}

TEST_F(Info, TheScratchLimitIsWhatWasSet) {
  const auto limit = [&](hsa_amd_agent_info_t which) {
    uint64_t bytes = 0;
    EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_agent_get_info(gpu, static_cast<hsa_agent_info_t>(which), &bytes));
    return bytes;
  };
  const uint64_t most = limit(HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_MAX);
  EXPECT_GT(most, 0u);
  EXPECT_EQ(limit(HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_CURRENT), most);
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_amd_agent_set_async_scratch_limit(gpu, 1 << 20));
  EXPECT_EQ(limit(HSA_AMD_AGENT_INFO_SCRATCH_LIMIT_CURRENT), 1u << 20);
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_agent_set_async_scratch_limit(gpu, most + 1));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_AGENT, hsa_amd_agent_set_async_scratch_limit(cpu, 0));
}

TEST_F(Info, ATableEntryCanBeReplaced) {
  // The way tools intercept: the exported function goes through the table.
  auto& core = *api_table().core_;
  const auto own = core.hsa_extension_get_name_fn;
  core.hsa_extension_get_name_fn = [](uint16_t, const char** name) {
    *name = "replaced";
    return HSA_STATUS_SUCCESS;
  };
  const char* name = nullptr;
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_extension_get_name(HSA_EXTENSION_AMD_LOADER, &name));
  EXPECT_STREQ(name, "replaced");
  core.hsa_extension_get_name_fn = own;
}

TEST_F(Info, AMemoryFaultReachesTheHandler) {
  static std::atomic<uint64_t> seen{0};
  const auto handler = [](const hsa_amd_event_t* event, void*) {
    EXPECT_HSA(HSA_AMD_GPU_MEMORY_FAULT_EVENT, event->event_type);
    EXPECT_EQ(event->memory_fault.fault_reason_mask, uint32_t(HSA_AMD_MEMORY_FAULT_PAGE_NOT_PRESENT));
    seen = event->memory_fault.virtual_address;
    return HSA_STATUS_SUCCESS;
  };
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_register_system_event_handler(nullptr, nullptr));
  ASSERT_HSA(HSA_STATUS_SUCCESS, hsa_amd_register_system_event_handler(handler, nullptr));
  fake_thunk::raise_memory_fault(0xdead000);
  EXPECT_TRUE(soon([] { return seen == 0xdead000; }));
}

TEST_F(Info, AForkedChildIsRefusedAndToldOnce) {
  const pid_t pid = fork();
  if (pid == 0) {
    testing::internal::CaptureStderr();
    uint16_t major = 0;
    const bool refused = hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, &major) == HSA_STATUS_ERROR_NOT_INITIALIZED &&
                         hsa_init() == HSA_STATUS_ERROR_OUT_OF_RESOURCES &&
                         hsa_shut_down() == HSA_STATUS_ERROR_NOT_INITIALIZED;
    const std::string text = testing::internal::GetCapturedStderr();
    const bool told = text.find("a forked child can't use the GPU") != std::string::npos;
    _exit(refused && told && std::count(text.begin(), text.end(), '\n') == 1 ? 0 : 1);
  }
  int status = -1;
  waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
  uint16_t major = 0;
  EXPECT_HSA(HSA_STATUS_SUCCESS, hsa_system_get_info(HSA_SYSTEM_INFO_VERSION_MAJOR, &major)) << "the parent goes on";
}

TEST(FaultDeathTest, AMemoryFaultWithoutHandlerIsPrintedAndAborts) {
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_DEATH(
      {
        hsa_init();
        fake_thunk::raise_memory_fault(0xdead000);
        std::this_thread::sleep_for(std::chrono::seconds(5));
      },
      "Memory access fault by GPU node-1 .* on address 0xdead000. Reason: Page not present");
}

} // namespace
} // namespace bz::rocr::test
