// Memory and signals of two processes, virtual memory, dma-bufs and images on the software device, through the library
// that programs link. The other process is this program again, with a role in BZ_TEST_ROLE.
#define HSA_NO_DEPRECATION_WARNINGS
#include "hsa/hsa.h"
#include "hsa/hsa_ext_amd.h"
#include "hsa/hsa_ext_image.h"

#include <array>
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

extern char** environ;

namespace {

#define EXPECT_HSA(expected, ...) EXPECT_EQ(static_cast<int>(expected), static_cast<int>(__VA_ARGS__))
#define ASSERT_HSA(expected, ...) ASSERT_EQ(static_cast<int>(expected), static_cast<int>(__VA_ARGS__))
#define EXPECT_GOOD(...) EXPECT_HSA(HSA_STATUS_SUCCESS, __VA_ARGS__)
#define ASSERT_GOOD(...) ASSERT_HSA(HSA_STATUS_SUCCESS, __VA_ARGS__)

class Open : public testing::Test {
protected:
  void SetUp() override {
    ASSERT_GOOD(hsa_init());
    hsa_iterate_agents(
        [](hsa_agent_t agent, void* self) {
          hsa_device_type_t type;
          hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type);
          auto* t = static_cast<Open*>(self);
          (type == HSA_DEVICE_TYPE_GPU ? t->gpu : t->cpu) = agent;
          return HSA_STATUS_SUCCESS;
        },
        this);
    pool = first_pool(gpu);
  }
  void TearDown() override { EXPECT_GOOD(hsa_shut_down()); }
  static hsa_amd_memory_pool_t first_pool(hsa_agent_t agent) {
    hsa_amd_memory_pool_t found{};
    hsa_amd_agent_iterate_memory_pools(
        agent,
        [](hsa_amd_memory_pool_t p, void* data) {
          bool allocates = false;
          hsa_amd_memory_pool_get_info(p, HSA_AMD_MEMORY_POOL_INFO_RUNTIME_ALLOC_ALLOWED, &allocates);
          auto* out = static_cast<hsa_amd_memory_pool_t*>(data);
          if (allocates && !out->handle) *out = p;
          return HSA_STATUS_SUCCESS;
        },
        &found);
    return found;
  }
  hsa_agent_t gpu{0}, cpu{0};
  hsa_amd_memory_pool_t pool{0};
};

/// Runs the program again; what it is told stands in a variable, as text.
int run_as(const char* role, const void* message, size_t size) {
  std::string hex;
  for (size_t i = 0; i < size; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<const unsigned char*>(message)[i]);
    hex += digits;
  }
  const std::string name = std::string("BZ_TEST_ROLE=") + role, words = "BZ_TEST_WORDS=" + hex;
  std::vector<char*> environment;
  for (char** e = environ; *e; ++e) environment.push_back(*e);
  environment.push_back(const_cast<char*>(name.c_str()));
  environment.push_back(const_cast<char*>(words.c_str()));
  environment.push_back(nullptr);
  char program[] = "/proc/self/exe", filter[] = "--gtest_filter=Sharing.DISABLED_Role",
       also[] = "--gtest_also_run_disabled_tests";
  char* arguments[] = {program, filter, also, nullptr};
  pid_t pid = 0;
  if (posix_spawn(&pid, program, nullptr, nullptr, arguments, environment.data()) != 0) return -1;
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

template <class T> T words() {
  T message{};
  const char* text = std::getenv("BZ_TEST_WORDS");
  for (size_t i = 0; text && i < sizeof message && text[2 * i]; ++i)
    reinterpret_cast<unsigned char*>(&message)[i] =
        static_cast<unsigned char>(std::stoi(std::string(text + 2 * i, 2), nullptr, 16));
  return message;
}

class Sharing : public Open {};

TEST_F(Sharing, DISABLED_Role) {
  const char* name = std::getenv("BZ_TEST_ROLE");
  const std::string role = name ? name : "";
  if (role == "memory") {
    const auto handle = words<hsa_amd_ipc_memory_t>();
    int* p = nullptr;
    ASSERT_GOOD(hsa_amd_ipc_memory_attach(&handle, 4096, 1, &gpu, reinterpret_cast<void**>(&p)));
    EXPECT_EQ(p[7], 70);
    p[7] = 71;
    hsa_amd_pointer_info_t info{};
    info.size = sizeof info;
    EXPECT_GOOD(hsa_amd_pointer_info(p, &info, nullptr, nullptr, nullptr));
    EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_IPC);
    EXPECT_EQ(info.agentOwner.handle, gpu.handle);
    EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ALLOCATION, hsa_amd_memory_pool_free(p));
    EXPECT_GOOD(hsa_amd_ipc_memory_detach(p));
    EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_ipc_memory_detach(p));
  } else if (role == "signal") {
    const auto handle = words<hsa_amd_ipc_signal_t>();
    hsa_signal_t signal{};
    ASSERT_GOOD(hsa_amd_ipc_signal_attach(&handle, &signal));
    EXPECT_EQ(hsa_signal_load_relaxed(signal), 5);
    hsa_signal_store_screlease(signal, 6);
    EXPECT_EQ(hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_EQ, 7, 2'000'000'000, HSA_WAIT_STATE_BLOCKED), 7);
    EXPECT_GOOD(hsa_signal_destroy(signal));
  } else {
    FAIL() << "no role";
  }
}

TEST_F(Sharing, MemoryOfTwoProcesses) {
  int* p = nullptr;
  ASSERT_GOOD(hsa_amd_memory_pool_allocate(pool, 4096, 0, reinterpret_cast<void**>(&p)));
  p[7] = 70;
  hsa_amd_ipc_memory_t handle;
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_ipc_memory_create(nullptr, 4096, &handle));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_ipc_memory_create(p + 1, 64, &handle));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_ipc_memory_create(p, 8192, &handle));
  ASSERT_GOOD(hsa_amd_ipc_memory_create(p, 4096, &handle));
  EXPECT_EQ(run_as("memory", &handle, sizeof handle), 0);
  EXPECT_EQ(p[7], 71);
  int* here = nullptr; // in the same process too, at another address
  ASSERT_GOOD(hsa_amd_ipc_memory_attach(&handle, 4096, 0, nullptr, reinterpret_cast<void**>(&here)));
  EXPECT_NE(here, p);
  here[7] = 72;
  EXPECT_EQ(p[7], 72);
  EXPECT_GOOD(hsa_amd_ipc_memory_detach(here));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT,
             hsa_amd_ipc_memory_attach(&handle, 8192, 0, nullptr, reinterpret_cast<void**>(&here)));
  EXPECT_GOOD(hsa_amd_memory_pool_free(p));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT,
             hsa_amd_ipc_memory_attach(&handle, 4096, 0, nullptr, reinterpret_cast<void**>(&here)))
      << "freed";
  handle = {};
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT,
             hsa_amd_ipc_memory_attach(&handle, 4096, 0, nullptr, reinterpret_cast<void**>(&here)));
}

TEST_F(Sharing, SignalsOfTwoProcesses) {
  hsa_signal_t signal{}, plain{};
  ASSERT_GOOD(hsa_amd_signal_create(5, 0, nullptr, HSA_AMD_SIGNAL_IPC, &signal));
  ASSERT_GOOD(hsa_signal_create(5, 0, nullptr, &plain));
  hsa_amd_ipc_signal_t handle;
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_ipc_signal_create(plain, &handle));
  ASSERT_GOOD(hsa_amd_ipc_signal_create(signal, &handle));
  pid_t helper = fork(); // answers the other process while this one waits for its end
  if (helper == 0) {
    auto* value = &reinterpret_cast<volatile int64_t*>(signal.handle)[1]; // amd_signal_t: kind, value
    while (*value != 6) usleep(1000);
    *value = 7;
    _exit(0);
  }
  EXPECT_EQ(run_as("signal", &handle, sizeof handle), 0);
  waitpid(helper, nullptr, 0);
  EXPECT_EQ(hsa_signal_load_relaxed(signal), 7);
  EXPECT_GOOD(hsa_signal_destroy(signal));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_SIGNAL, hsa_signal_destroy(signal));
  hsa_signal_t attached{};
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_ipc_signal_attach(&handle, &attached)) << "destroyed";
  EXPECT_GOOD(hsa_signal_destroy(plain));
}

TEST_F(Sharing, DmaBuf) {
  char* p = nullptr;
  ASSERT_GOOD(hsa_amd_memory_pool_allocate(pool, 8192, 0, reinterpret_cast<void**>(&p)));
  int fd = -1;
  uint64_t offset = 0;
  ASSERT_GOOD(hsa_amd_portable_export_dmabuf(p + 4096, 4096, &fd, &offset));
  EXPECT_EQ(offset, 4096u);
  size_t size = 0;
  char* mapped = nullptr;
  p[5000] = 50;
  ASSERT_GOOD(hsa_amd_interop_map_buffer(1, &gpu, fd, 0, &size, reinterpret_cast<void**>(&mapped), nullptr, nullptr));
  EXPECT_EQ(size, 8192u) << "the whole allocation";
  EXPECT_EQ(mapped[5000], 50);
  EXPECT_GOOD(hsa_amd_interop_unmap_buffer(mapped));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_interop_unmap_buffer(mapped));
  void* none = nullptr;
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT,
             hsa_amd_interop_map_buffer(1, &gpu, 0, 0, &size, &none, nullptr, nullptr));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_AGENT,
             hsa_amd_interop_map_buffer(1, &cpu, fd, 0, &size, &none, nullptr, nullptr));
  EXPECT_GOOD(hsa_amd_portable_close_dmabuf(fd));
  EXPECT_HSA(HSA_STATUS_ERROR_RESOURCE_FREE, hsa_amd_portable_close_dmabuf(fd));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ALLOCATION, hsa_amd_portable_export_dmabuf(p + 4096, 8192, &fd, &offset));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_portable_export_dmabuf(p, 0, &fd, &offset));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_portable_export_dmabuf_v2(p, 4096, &fd, &offset, 8));
  EXPECT_GOOD(hsa_amd_memory_pool_free(p));
}

// ---- Virtual memory -------------------------------------------------------------------------------------------------

TEST_F(Sharing, VirtualMemory) {
  constexpr size_t kSize = 1 << 20;
  char* va = nullptr;
  ASSERT_GOOD(hsa_amd_vmem_address_reserve(reinterpret_cast<void**>(&va), 4 * kSize, 0, 0));
  hsa_amd_vmem_alloc_handle_t memory{}, second{};
  ASSERT_GOOD(hsa_amd_vmem_handle_create(pool, kSize, MEMORY_TYPE_PINNED, 0, &memory));
  ASSERT_GOOD(hsa_amd_vmem_map(va, kSize, 0, memory, 0));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_vmem_map(va, kSize, 0, memory, 0)) << "taken";
  hsa_access_permission_t permission = HSA_ACCESS_PERMISSION_RW;
  ASSERT_GOOD(hsa_amd_vmem_get_access(va, &permission, gpu));
  EXPECT_EQ(permission, HSA_ACCESS_PERMISSION_NONE);
  const hsa_amd_memory_access_desc_t rw[] = {{HSA_ACCESS_PERMISSION_RW, gpu}, {HSA_ACCESS_PERMISSION_RW, cpu}};
  ASSERT_GOOD(hsa_amd_vmem_set_access(va, kSize, rw, 2));
  ASSERT_GOOD(hsa_amd_vmem_get_access(va + 100, &permission, cpu));
  EXPECT_EQ(permission, HSA_ACCESS_PERMISSION_RW);
  std::strcpy(va, "content");
  hsa_amd_pointer_info_t info{};
  info.size = sizeof info;
  ASSERT_GOOD(hsa_amd_pointer_info(va + 5, &info, nullptr, nullptr, nullptr));
  EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_HSA_VMEM);
  EXPECT_EQ(info.agentBaseAddress, va);
  ASSERT_GOOD(hsa_amd_pointer_info(va + kSize, &info, nullptr, nullptr, nullptr));
  EXPECT_EQ(info.type, HSA_EXT_POINTER_TYPE_RESERVED_ADDR);
  int fd = -1;
  ASSERT_GOOD(hsa_amd_vmem_export_shareable_handle(&fd, memory, 0));
  ASSERT_GOOD(hsa_amd_vmem_import_shareable_handle(fd, &second));
  close(fd);
  ASSERT_GOOD(hsa_amd_vmem_map(va + 2 * kSize, kSize, 0, second, 0));
  ASSERT_GOOD(hsa_amd_vmem_set_access(va + 2 * kSize, kSize, rw, 1));
  EXPECT_STREQ(va + 2 * kSize, "content");
  hsa_amd_memory_pool_t of{};
  hsa_amd_memory_type_t type{};
  ASSERT_GOOD(hsa_amd_vmem_get_alloc_properties_from_handle(second, &of, &type));
  EXPECT_EQ(of.handle, pool.handle);
  hsa_amd_vmem_alloc_handle_t retained{};
  ASSERT_GOOD(hsa_amd_vmem_retain_alloc_handle(&retained, va + 17));
  EXPECT_EQ(retained.handle, memory.handle);
  EXPECT_GOOD(hsa_amd_vmem_handle_release(memory));
  EXPECT_GOOD(hsa_amd_vmem_handle_release(retained));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ALLOCATION, hsa_amd_vmem_handle_release(memory));
  EXPECT_STREQ(va, "content") << "mapped memory lives on";

  EXPECT_HSA(HSA_STATUS_ERROR_NOT_SUPPORTED, hsa_amd_vmem_map(va + kSize, 4096, 0, second, 0)) << "a part";
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_vmem_map(va + kSize, kSize, 1, second, 0));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_vmem_map(va + 3 * kSize + 4096, kSize, 0, second, 0))
      << "beyond the end";
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ALLOCATION, hsa_amd_vmem_set_access(va + kSize, kSize, rw, 1))
      << "nothing mapped";
  const hsa_amd_memory_access_desc_t read[] = {{HSA_ACCESS_PERMISSION_RO, gpu}, {HSA_ACCESS_PERMISSION_RO, cpu}};
  const int zero = open("/dev/zero", O_RDONLY);
  EXPECT_EQ(::read(zero, va, 4), 4);
  ASSERT_GOOD(hsa_amd_vmem_set_access(va, kSize, read, 1));
  EXPECT_EQ(::read(zero, va, 4), 4) << "the host still may write, and a page has one protection";
  ASSERT_GOOD(hsa_amd_vmem_set_access(va, kSize, read, 2));
  EXPECT_EQ(::read(zero, va, 4), -1) << "who reads only can't write";
  hsa_access_permission_t now{};
  ASSERT_GOOD(hsa_amd_vmem_get_access(va, &now, gpu));
  EXPECT_EQ(now, HSA_ACCESS_PERMISSION_RO);
  const hsa_amd_memory_access_desc_t write{HSA_ACCESS_PERMISSION_WO, gpu}, both{HSA_ACCESS_PERMISSION_RW, gpu};
  EXPECT_HSA(HSA_STATUS_ERROR_NOT_SUPPORTED, hsa_amd_vmem_set_access(va, kSize, &write, 1));
  ASSERT_GOOD(hsa_amd_vmem_set_access(va, kSize, &both, 1));
  EXPECT_EQ(::read(zero, va, 4), 4);
  close(zero);
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_vmem_set_access(va, kSize, nullptr, 1));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ALLOCATION, hsa_amd_vmem_get_access(va + kSize, &permission, gpu));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ALLOCATION, hsa_amd_vmem_unmap(va + kSize, kSize));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_vmem_unmap(va, 4096));
  EXPECT_HSA(HSA_STATUS_ERROR_RESOURCE_FREE, hsa_amd_vmem_address_free(va, 4 * kSize));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_vmem_import_shareable_handle(-1, &second));
  EXPECT_GOOD(hsa_amd_vmem_unmap(va, kSize));
  EXPECT_GOOD(hsa_amd_vmem_unmap(va + 2 * kSize, kSize));
  EXPECT_GOOD(hsa_amd_vmem_handle_release(second));
  EXPECT_GOOD(hsa_amd_vmem_address_free(va, 4 * kSize));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ALLOCATION, hsa_amd_vmem_address_free(va, 4 * kSize));
  void* aligned = nullptr;
  ASSERT_GOOD(hsa_amd_vmem_address_reserve_align(&aligned, kSize, 0, 1 << 28, 0));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(aligned) % (1 << 28), 0u);
  EXPECT_GOOD(hsa_amd_vmem_address_free(aligned, kSize));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_vmem_address_reserve(&aligned, 5, 0, 0));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_amd_vmem_handle_create(pool, 5, MEMORY_TYPE_PINNED, 0, &memory));
}

// ---- Images ---------------------------------------------------------------------------------------------------------

TEST_F(Sharing, Images) {
  uint32_t most[2] = {};
  ASSERT_GOOD(hsa_agent_get_info(gpu, static_cast<hsa_agent_info_t>(HSA_EXT_AGENT_INFO_IMAGE_2D_MAX_ELEMENTS), most));
  const bool images = most[0] != 0;
  bool has = !images;
  ASSERT_GOOD(hsa_agent_extension_supported(HSA_EXTENSION_IMAGES, gpu, 1, 0, &has));
  EXPECT_EQ(has, images);
  hsa_ext_images_1_pfn_t table{};
  ASSERT_GOOD(hsa_system_get_extension_table(HSA_EXTENSION_IMAGES, 1, 0, &table));
  EXPECT_NE(table.hsa_ext_sampler_destroy, nullptr);
  EXPECT_EQ(table.hsa_ext_sampler_create_v2, nullptr) << "the older table is shorter";
  ASSERT_GOOD(hsa_system_get_major_extension_table(HSA_EXTENSION_IMAGES, 1, sizeof table, &table));
  EXPECT_NE(table.hsa_ext_sampler_create_v2, nullptr);
  const hsa_ext_image_format_t bytes{HSA_EXT_IMAGE_CHANNEL_TYPE_UNSIGNED_INT8, HSA_EXT_IMAGE_CHANNEL_ORDER_RGBA};
  uint32_t mask = 77;
  ASSERT_GOOD(hsa_ext_image_get_capability(gpu, HSA_EXT_IMAGE_GEOMETRY_2D, &bytes, &mask));
  hsa_ext_image_descriptor_t d{HSA_EXT_IMAGE_GEOMETRY_2D, 5, 3, 0, 0, bytes};
  hsa_ext_image_data_info_t info{};
  const auto status = hsa_ext_image_data_get_info(gpu, &d, HSA_ACCESS_PERMISSION_RW, &info);
  if (!images) {
    EXPECT_EQ(mask, unsigned(HSA_EXT_IMAGE_CAPABILITY_NOT_SUPPORTED));
    EXPECT_HSA(HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED, status);
    return;
  }
  EXPECT_TRUE(mask & HSA_EXT_IMAGE_CAPABILITY_READ_WRITE);
  ASSERT_GOOD(status);
  EXPECT_EQ(info.size, 3 * 256u);
  char* data = nullptr;
  ASSERT_GOOD(hsa_amd_memory_pool_allocate(pool, 4096, 0, reinterpret_cast<void**>(&data)));
  hsa_ext_image_t image{}, other{};
  ASSERT_GOOD(hsa_ext_image_create(gpu, &d, data, HSA_ACCESS_PERMISSION_RW, &image));
  ASSERT_GOOD(hsa_ext_image_create_with_layout(gpu, &d, data + 1024, HSA_ACCESS_PERMISSION_RW,
                                               HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR, 512, 0, &other));
  std::vector<uint32_t> in(15), out(15);
  for (uint32_t i = 0; i < 15; ++i) in[i] = 100 + i;
  const hsa_ext_image_region_t all{{0, 0, 0}, {5, 3, 1}};
  ASSERT_GOOD(hsa_ext_image_import(gpu, in.data(), 0, 0, image, &all));
  EXPECT_EQ(reinterpret_cast<uint32_t*>(data + 256)[2], 107u);
  const hsa_dim3_t from{1, 0, 0}, to{0, 1, 0}, range{4, 2, 1};
  ASSERT_GOOD(hsa_ext_image_copy(gpu, image, &from, other, &to, &range));
  const hsa_ext_image_region_t part{{0, 1, 0}, {4, 2, 1}};
  ASSERT_GOOD(hsa_ext_image_export(gpu, other, out.data(), 0, 0, &part));
  EXPECT_EQ(out[0], 101u);
  EXPECT_EQ(out[7], 109u);
  const hsa_ext_image_region_t outside{{2, 0, 0}, {4, 1, 1}};
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_ext_image_import(gpu, in.data(), 0, 0, image, &outside));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_ext_image_export(gpu, image, nullptr, 0, 0, &all));
  EXPECT_HSA(HSA_EXT_STATUS_ERROR_IMAGE_PITCH_UNSUPPORTED,
             hsa_ext_image_create_with_layout(gpu, &d, data, HSA_ACCESS_PERMISSION_RO, HSA_EXT_IMAGE_DATA_LAYOUT_LINEAR,
                                              20, 0, &other));
  d.width = 1 << 20;
  EXPECT_HSA(HSA_EXT_STATUS_ERROR_IMAGE_SIZE_UNSUPPORTED,
             hsa_ext_image_data_get_info(gpu, &d, HSA_ACCESS_PERMISSION_RO, &info));
  d.width = 5;
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT,
             hsa_ext_image_create(gpu, &d, data + 4, HSA_ACCESS_PERMISSION_RO, &other))
      << "alignment";
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT,
             hsa_ext_image_create(gpu, &d, data + 3840, HSA_ACCESS_PERMISSION_RO, &other))
      << "too small";
  d.format.channel_order = HSA_EXT_IMAGE_CHANNEL_ORDER_RGB;
  EXPECT_HSA(HSA_EXT_STATUS_ERROR_IMAGE_FORMAT_UNSUPPORTED,
             hsa_ext_image_create(gpu, &d, data, HSA_ACCESS_PERMISSION_RO, &other));
  const uint32_t colour[4] = {1, 2, 300, 4}; // 300: the nearest is 255
  ASSERT_GOOD(hsa_ext_image_clear(gpu, image, colour, &part));
  EXPECT_EQ(reinterpret_cast<uint32_t*>(data + 256)[3], 0x04ff0201u);
  EXPECT_EQ(reinterpret_cast<uint32_t*>(data + 256)[4], 109u) << "outside of the region";
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_ext_image_clear(gpu, image, colour, &outside));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_ext_image_clear(gpu, image, nullptr, &all));
  EXPECT_GOOD(hsa_ext_image_destroy(gpu, image));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_ext_image_destroy(gpu, image));
  d.format = {HSA_EXT_IMAGE_CHANNEL_TYPE_HALF_FLOAT, HSA_EXT_IMAGE_CHANNEL_ORDER_BGRA};
  ASSERT_GOOD(hsa_ext_image_create(gpu, &d, data, HSA_ACCESS_PERMISSION_RW, &image));
  const float light[4] = {1, 2, -0.5, 0};
  ASSERT_GOOD(hsa_ext_image_clear(gpu, image, light, &all));
  EXPECT_EQ(reinterpret_cast<uint64_t*>(data)[4], 0x0000'3c00'4000'b800u);
  EXPECT_GOOD(hsa_ext_image_destroy(gpu, image));
  d.format = {HSA_EXT_IMAGE_CHANNEL_TYPE_SNORM_INT16, HSA_EXT_IMAGE_CHANNEL_ORDER_R};
  ASSERT_GOOD(hsa_ext_image_create(gpu, &d, data, HSA_ACCESS_PERMISSION_RW, &image));
  const float low = -2;
  ASSERT_GOOD(hsa_ext_image_clear(gpu, image, std::array{low, 0.f, 0.f, 0.f}.data(), &all));
  EXPECT_EQ(reinterpret_cast<int16_t*>(data)[4], -32767);
  EXPECT_GOOD(hsa_ext_image_destroy(gpu, image));

  hsa_ext_sampler_descriptor_t s{HSA_EXT_SAMPLER_COORDINATE_MODE_NORMALIZED, HSA_EXT_SAMPLER_FILTER_MODE_LINEAR,
                                 HSA_EXT_SAMPLER_ADDRESSING_MODE_REPEAT};
  hsa_ext_sampler_t sampler{};
  ASSERT_GOOD(hsa_ext_sampler_create(gpu, &s, &sampler));
  EXPECT_GOOD(hsa_ext_sampler_destroy(gpu, sampler));
  EXPECT_HSA(HSA_STATUS_ERROR_INVALID_ARGUMENT, hsa_ext_sampler_destroy(gpu, sampler));
  s.coordinate_mode = HSA_EXT_SAMPLER_COORDINATE_MODE_UNNORMALIZED;
  EXPECT_HSA(HSA_EXT_STATUS_ERROR_SAMPLER_DESCRIPTOR_UNSUPPORTED, hsa_ext_sampler_create(gpu, &s, &sampler));
  EXPECT_GOOD(hsa_amd_memory_pool_free(data));
}

} // namespace
