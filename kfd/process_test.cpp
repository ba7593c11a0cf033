#include "kfd/process.hpp"

#include "abi/amdgpu_drm.hpp"
#include "abi/help.hpp"
#include "abi/kfd_debug.hpp"
#include "abi/queue.hpp"
#include "gpu/fake_engine.hpp"
#include "kfd/ioctls.hpp"

#include <cerrno>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <tuple>
#include <unistd.h>

namespace {
using namespace bz;
using namespace bz::kfd;
namespace abi = bz::abi;

constexpr uint64_t kMiB = 1ull << 20;

class Kfd : public testing::Test {
protected:
  void SetUp() override { start("gfx942,cus=2,memory=64M;gfx942,cus=2,memory=64M"); }
  void start(const char* gpus, bool help = true) {
    ProcessConfig config;
    config.machine = {.threads = 2, .memory_bytes = 1024 * kMiB};
    config.products = *gpu::parse_gpus(gpus, config.machine);
    config.engine = gpu::fake::make;
    config.workers = 2;
    config.help = help;
    log_path = testing::TempDir() + "/bz_kfd_test_log." + std::to_string(getpid());
    unlink(log_path.c_str());
    config.log_file = log_path;
    auto made = Process::create(std::move(config));
    ASSERT_TRUE(made.ok()) << made.status().message();
    process = std::move(*made);
    kfd = process->open("/dev/kfd", 0);
    ASSERT_GE(kfd, 0);
    for (int i = 0; i < 2; ++i) {
      render[i] = process->open("/dev/dri/renderD" + std::to_string(128 + i), 0);
      ASSERT_GE(render[i], 0);
    }
    space = reinterpret_cast<uint64_t>(
        mmap(nullptr, 256 * kMiB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
  }
  void TearDown() override {
    process.reset();
    munmap(reinterpret_cast<void*>(space), 256 * kMiB);
    unlink(log_path.c_str());
  }
  template <class A> int call(uint32_t request, A& args) { return process->ioctl(kfd, request, &args); }
  void acquire() {
    for (uint32_t i = 0; i < 2; ++i) {
      kfd_ioctl_acquire_vm_args a{static_cast<uint32_t>(render[i]), gpu_id_of(i)};
      ASSERT_EQ(call(AMDKFD_IOC_ACQUIRE_VM, a), 0);
    }
  }
  kfd_ioctl_alloc_memory_of_gpu_args alloc(uint64_t va, uint64_t size, uint32_t flags, int expect = 0) {
    kfd_ioctl_alloc_memory_of_gpu_args a{};
    a.va_addr = va;
    a.size = size;
    a.gpu_id = gpu_id_of(0);
    a.flags = flags;
    EXPECT_EQ(call(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, a), expect);
    return a;
  }
  /// An AQL queue of the first GPU with a ring of 64 packets.
  static kfd_ioctl_create_queue_args compute_queue(uint64_t ring, abi::amd_queue_t* queue) {
    kfd_ioctl_create_queue_args q{};
    q.ring_base_address = ring;
    q.ring_size = 4096;
    q.write_pointer_address = reinterpret_cast<uint64_t>(&queue->write_dispatch_id);
    q.read_pointer_address = reinterpret_cast<uint64_t>(&queue->read_dispatch_id);
    q.gpu_id = gpu_id_of(0);
    q.queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
    q.queue_percentage = 100;
    return q;
  }
  int map(uint64_t handle) {
    uint32_t ids[] = {gpu_id_of(0), gpu_id_of(1)};
    kfd_ioctl_map_memory_to_gpu_args a{handle, reinterpret_cast<uint64_t>(ids), 2, 0};
    int r = call(AMDKFD_IOC_MAP_MEMORY_TO_GPU, a);
    if (r == 0) EXPECT_EQ(a.n_success, 2u);
    return r;
  }
  int unmap(uint64_t handle) {
    uint32_t ids[] = {gpu_id_of(0), gpu_id_of(1)};
    kfd_ioctl_unmap_memory_from_gpu_args a{handle, reinterpret_cast<uint64_t>(ids), 2, 0};
    return call(AMDKFD_IOC_UNMAP_MEMORY_FROM_GPU, a);
  }

  std::unique_ptr<Process> process;
  int kfd = -1, render[2] = {-1, -1};
  uint64_t space = 0;
  std::string log_path;
};

TEST_F(Kfd, VersionAndClocks) {
  kfd_ioctl_get_version_args v{};
  ASSERT_EQ(call(AMDKFD_IOC_GET_VERSION, v), 0);
  EXPECT_EQ(v.major_version, 1u);
  EXPECT_GE(v.minor_version, 14u) << "event ages exist since 1.14";
  kfd_ioctl_get_clock_counters_args a{}, b{};
  a.gpu_id = b.gpu_id = gpu_id_of(1);
  ASSERT_EQ(call(AMDKFD_IOC_GET_CLOCK_COUNTERS, a), 0);
  usleep(2000);
  ASSERT_EQ(call(AMDKFD_IOC_GET_CLOCK_COUNTERS, b), 0);
  EXPECT_EQ(a.system_clock_freq, 1'000'000'000u);
  double gpu_ns = double(b.gpu_clock_counter - a.gpu_clock_counter) * (1e9 / abi::kGpuClockHz);
  EXPECT_NEAR(gpu_ns, double(b.system_clock_counter - a.system_clock_counter), 1e6);
  a.gpu_id = 1;
  ASSERT_EQ(call(AMDKFD_IOC_GET_CLOCK_COUNTERS, a), 0);
  EXPECT_EQ(a.gpu_clock_counter, 0u) << "no such GPU: the host's clocks only";
}

TEST_F(Kfd, AperturesAreGfx9s) {
  kfd_process_device_apertures out[4] = {};
  kfd_ioctl_get_process_apertures_new_args n{};
  ASSERT_EQ(call(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, n), 0);
  ASSERT_EQ(n.num_of_nodes, 2u);
  n.kfd_process_device_apertures_ptr = reinterpret_cast<uint64_t>(out);
  n.num_of_nodes = 4;
  ASSERT_EQ(call(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, n), 0);
  EXPECT_EQ(n.num_of_nodes, 2u);
  EXPECT_EQ(out[1].lds_base, 1ull << 48);
  EXPECT_EQ(out[1].scratch_base, 2ull << 48);
  EXPECT_EQ(out[1].gpu_id, gpu_id_of(1));
  n.kfd_process_device_apertures_ptr = 8;
  EXPECT_EQ(call(AMDKFD_IOC_GET_PROCESS_APERTURES_NEW, n), -EFAULT);
  kfd_ioctl_get_process_apertures_args old{};
  ASSERT_EQ(call(AMDKFD_IOC_GET_PROCESS_APERTURES, old), 0);
  EXPECT_EQ(old.num_of_nodes, 2u);
}

TEST_F(Kfd, MemoryFromAllocationToUse) {
  alloc(space, kMiB, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, -ENODEV); // no VM yet
  acquire();
  auto a = alloc(space, kMiB, KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_WRITABLE);
  EXPECT_NE(a.handle, 0u);
  kfd_ioctl_get_available_memory_args avail{};
  avail.gpu_id = gpu_id_of(0);
  ASSERT_EQ(call(AMDKFD_IOC_AVAILABLE_MEMORY, avail), 0);
  EXPECT_EQ(avail.available, 63 * kMiB);
  void* p = process->mmap(reinterpret_cast<void*>(space), kMiB, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
                          render[0], static_cast<off_t>(a.mmap_offset));
  ASSERT_EQ(p, reinterpret_cast<void*>(space));
  std::memset(p, 7, kMiB);
  ASSERT_EQ(map(a.handle), 0);
  EXPECT_EQ(static_cast<char*>(p)[kMiB - 1], 7) << "mapping to the GPU keeps what the host wrote";
  kfd_ioctl_free_memory_of_gpu_args f{a.handle};
  EXPECT_EQ(call(AMDKFD_IOC_FREE_MEMORY_OF_GPU, f), -EBUSY);
  ASSERT_EQ(unmap(a.handle), 0);
  ASSERT_EQ(call(AMDKFD_IOC_FREE_MEMORY_OF_GPU, f), 0);
  EXPECT_EQ(call(AMDKFD_IOC_FREE_MEMORY_OF_GPU, f), -EINVAL);
}

TEST_F(Kfd, MemoryErrors) {
  acquire();
  alloc(space, 65 * kMiB, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, -ENOMEM);
  alloc(space + 1, kMiB, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, -EINVAL);
  alloc(space, 0, KFD_IOC_ALLOC_MEM_FLAGS_VRAM, -EINVAL);
  alloc(space, kMiB, 0, -EINVAL);
  alloc(space, kMiB, KFD_IOC_ALLOC_MEM_FLAGS_VRAM | KFD_IOC_ALLOC_MEM_FLAGS_GTT, -EINVAL);
  alloc(space, kMiB, KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP, -EINVAL);
  auto a = alloc(space, kMiB, KFD_IOC_ALLOC_MEM_FLAGS_GTT);
  kfd_ioctl_map_memory_to_gpu_args m{};
  m.handle = a.handle;
  EXPECT_EQ(call(AMDKFD_IOC_MAP_MEMORY_TO_GPU, m), -EINVAL) << "no GPUs";
  m.n_devices = 1;
  m.device_ids_array_ptr = 16;
  EXPECT_EQ(call(AMDKFD_IOC_MAP_MEMORY_TO_GPU, m), -EFAULT);
  EXPECT_EQ(map(a.handle + 1), -EINVAL);
  EXPECT_EQ(map(make_handle(gpu_id_of(1), handle_id(a.handle))), -EINVAL) << "another GPU's handle";
  void* p = process->mmap(nullptr, kMiB, PROT_READ, MAP_SHARED, render[1], static_cast<off_t>(a.mmap_offset));
  EXPECT_EQ(reinterpret_cast<intptr_t>(p), -EINVAL) << "the other render node";
}

TEST_F(Kfd, BadPointersAndDescriptors) {
  kfd_ioctl_get_version_args v{};
  EXPECT_EQ(process->ioctl(kfd, AMDKFD_IOC_GET_VERSION, nullptr), -EFAULT);
  EXPECT_EQ(process->ioctl(kfd, AMDKFD_IOC_GET_VERSION, reinterpret_cast<void*>(16)), -EFAULT);
  EXPECT_EQ(process->ioctl(-1, AMDKFD_IOC_GET_VERSION, &v), -EBADF);
  EXPECT_EQ(process->ioctl(0, AMDKFD_IOC_GET_VERSION, &v), -EBADF) << "stdin is not ours";
  EXPECT_EQ(process->ioctl(kfd, _IOR('X', 1, int), &v), -ENOTTY);
  EXPECT_EQ(process->ioctl(kfd, _IOWR('K', 0x7f, kfd_ioctl_get_version_args), &v), -ENOTTY);
  EXPECT_EQ(process->ioctl(kfd, _IO('K', 1), &v), -EFAULT) << "no structure at all";
  EXPECT_EQ(process->open("/dev/dri/renderD130", 0), -ENOENT);
  EXPECT_EQ(process->open("/etc/passwd", 0), -ENOENT);
  EXPECT_EQ(process->open("/sys/devices/virtual/kfd/kfd/topology", 0), -ENOENT);
  kfd_ioctl_acquire_vm_args a{static_cast<uint32_t>(render[1]), gpu_id_of(0)};
  EXPECT_EQ(call(AMDKFD_IOC_ACQUIRE_VM, a), -EINVAL) << "the other GPU's render node";
  EXPECT_EQ(process->close(kfd), 0);
  EXPECT_EQ(call(AMDKFD_IOC_GET_VERSION, v), -EBADF);
}

TEST_F(Kfd, DescriptorsClosedBehindOurBackAreNotOurs) {
  int fd = process->open("/dev/kfd", 0);
  close(fd);
  int other = dup2(0, fd);
  kfd_ioctl_get_version_args v{};
  EXPECT_EQ(process->ioctl(other, AMDKFD_IOC_GET_VERSION, &v), -EBADF);
  close(other);
}

TEST_F(Kfd, TopologyFilesRead) {
  int fd = process->open("/sys/devices/virtual/kfd/kfd/topology/nodes/1/gpu_id", 0);
  ASSERT_GE(fd, 0);
  char text[64] = {};
  ASSERT_GT(read(fd, text, sizeof text - 1), 0);
  EXPECT_EQ(std::stoul(text), gpu_id_of(0));
  EXPECT_EQ(process->close(fd), 0);
}

TEST_F(Kfd, UnimplementedIoctlsFailByName) {
  size_t count = 0, missing = 0;
  const IoctlRow* rows = ioctl_rows(count);
  std::vector<char> args(512);
  for (size_t i = 0; i < count; ++i) {
    if (rows[i].handler) continue;
    ++missing;
    EXPECT_EQ(process->ioctl(kfd, rows[i].request, args.data()), -ENOTTY) << rows[i].name;
  }
  EXPECT_GT(missing, 0u);
  std::ifstream log(log_path);
  std::stringstream text;
  text << log.rdbuf();
  EXPECT_NE(text.str().find("AMDKFD_IOC_CRIU_OP "), std::string::npos);
}

// The numbers and sizes that the kernel's header gives, as this test's own facts.
TEST_F(Kfd, TableHasTheKernelsNumbersAndSizes) {
  struct Fact {
    uint32_t request;
    uint32_t size;
    const char* name;
  };
  const Fact facts[] = {
      {0x80084b01, 8, "GET_VERSION"},
      {0xc0604b02, 96, "CREATE_QUEUE"},
      {0xc0084b03, 8, "DESTROY_QUEUE"},
      {0x40204b04, 32, "SET_MEMORY_POLICY"},
      {0xc0284b05, 40, "GET_CLOCK_COUNTERS"},
      {0x81904b06, 400, "GET_PROCESS_APERTURES"},
      {0x40184b07, 24, "UPDATE_QUEUE"},
      {0xc0204b08, 32, "CREATE_EVENT"},
      {0x40084b09, 8, "DESTROY_EVENT"},
      {0x40084b0a, 8, "SET_EVENT"},
      {0x40084b0b, 8, "RESET_EVENT"},
      {0xc0184b0c, 24, "WAIT_EVENTS"},
      {0x40084b0d, 8, "DBG_REGISTER_DEPRECATED"},
      {0x40084b0e, 8, "DBG_UNREGISTER_DEPRECATED"},
      {0x40104b0f, 16, "DBG_ADDRESS_WATCH_DEPRECATED"},
      {0x40104b10, 16, "DBG_WAVE_CONTROL_DEPRECATED"},
      {0xc0104b11, 16, "SET_SCRATCH_BACKING_VA"},
      {0xc0284b12, 40, "GET_TILE_CONFIG"},
      {0x40184b13, 24, "SET_TRAP_HANDLER"},
      {0xc0104b14, 16, "GET_PROCESS_APERTURES_NEW"},
      {0x40084b15, 8, "ACQUIRE_VM"},
      {0xc0284b16, 40, "ALLOC_MEMORY_OF_GPU"},
      {0x40084b17, 8, "FREE_MEMORY_OF_GPU"},
      {0xc0184b18, 24, "MAP_MEMORY_TO_GPU"},
      {0xc0184b19, 24, "UNMAP_MEMORY_FROM_GPU"},
      {0x40104b1a, 16, "SET_CU_MASK"},
      {0xc0184b1b, 24, "GET_QUEUE_WAVE_STATE"},
      {0xc0204b1c, 32, "GET_DMABUF_INFO"},
      {0xc0184b1d, 24, "IMPORT_DMABUF"},
      {0xc0104b1e, 16, "ALLOC_QUEUE_GWS"},
      {0xc0084b1f, 8, "SMI_EVENTS"},
      {0xc0184b20, 24, "SVM"},
      {0xc0044b21, 4, "SET_XNACK_MODE"},
      {0xc0384b22, 56, "CRIU_OP"},
      {0xc0104b23, 16, "AVAILABLE_MEMORY"},
      {0xc0104b24, 16, "EXPORT_DMABUF"},
      {0xc0104b25, 16, "RUNTIME_ENABLE"},
      {0xc0204b26, 32, "DBG_TRAP"},
      {0xc0304b80, 48, "IPC_IMPORT_HANDLE"},
      {0xc0204b81, 32, "IPC_EXPORT_HANDLE"},
      {0xc0304b83, 48, "CROSS_MEMORY_COPY"},
      {0xc0204b84, 32, "RLC_SPM"},
      {0xc0204b85, 32, "PC_SAMPLE"},
  };
  size_t count = 0;
  ioctl_rows(count);
  EXPECT_EQ(count, std::size(facts) + 2) << "and two private ones";
  for (const Fact& f : facts) {
    const IoctlRow* row = find_ioctl(f.request);
    ASSERT_TRUE(row) << f.name;
    EXPECT_EQ(row->request, f.request) << f.name;
    EXPECT_EQ(_IOC_SIZE(row->request), f.size) << f.name;
    EXPECT_EQ(std::string(row->name), std::string("AMDKFD_IOC_") + f.name);
  }
}

TEST_F(Kfd, LogHasNumberSizeAndResultOfEveryIoctl) {
  kfd_ioctl_get_version_args v{};
  call(AMDKFD_IOC_GET_VERSION, v);
  kfd_ioctl_set_event_args e{77, 0};
  call(AMDKFD_IOC_SET_EVENT, e);
  std::ifstream log(log_path);
  std::string line;
  ASSERT_TRUE(std::getline(log, line));
  EXPECT_EQ(line, "AMDKFD_IOC_GET_VERSION 0x80084b01 size=8 result=0");
  ASSERT_TRUE(std::getline(log, line));
  EXPECT_EQ(line, "AMDKFD_IOC_SET_EVENT 0x40084b0a size=8 result=-22");
}

TEST_F(Kfd, QueueRunsKernelsAndWakesWaiters) {
  acquire();
  auto page = alloc(space + 16 * kMiB, Events::kPageBytes, KFD_IOC_ALLOC_MEM_FLAGS_GTT);
  kfd_ioctl_create_event_args event{};
  event.event_type = KFD_IOC_EVENT_SIGNAL;
  event.auto_reset = 1;
  event.event_page_offset = page.handle;
  ASSERT_EQ(call(AMDKFD_IOC_CREATE_EVENT, event), 0);
  auto memory = alloc(space, kMiB, KFD_IOC_ALLOC_MEM_FLAGS_GTT);
  ASSERT_EQ(map(memory.handle), 0);
  auto* ring = reinterpret_cast<abi::hsa_kernel_dispatch_packet_t*>(space);
  auto* queue = reinterpret_cast<abi::amd_queue_t*>(space + 64 * 1024);
  auto* area = reinterpret_cast<kfd_context_save_area_header*>(space + 128 * 1024);
  auto* payload = reinterpret_cast<uint64_t*>(space + 192 * 1024);
  for (int i = 0; i < 64; ++i) ring[i].header = abi::HSA_PACKET_TYPE_INVALID;
  area->err_payload_addr = reinterpret_cast<uint64_t>(payload);
  area->err_event_id = event.event_id;
  kfd_ioctl_create_queue_args q = compute_queue(space, queue);
  q.queue_priority = 7;
  q.ctx_save_restore_address = reinterpret_cast<uint64_t>(area);
  q.ctx_save_restore_size = 4096;
  ASSERT_EQ(call(AMDKFD_IOC_CREATE_QUEUE, q), 0);
  void* bells = process->mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, kfd,
                              static_cast<off_t>(q.doorbell_offset & ~8191ull));
  ASSERT_GT(reinterpret_cast<intptr_t>(bells), 0);
  auto* doorbell = reinterpret_cast<uint64_t*>(static_cast<char*>(bells) + (q.doorbell_offset & 8191));

  abi::amd_signal_t done{};
  done.kind = abi::AMD_SIGNAL_KIND_USER;
  done.value = 1;
  done.event_mailbox_ptr = space + 16 * kMiB + event.event_slot_index * 8ull;
  done.event_id = event.event_id;
  gpu::fake::Kernel kernel{.body = [](auto&, uint64_t) { return gpu::fake::finish(); }};
  auto put = [&](uint64_t index, uint64_t object) {
    auto& p = ring[index];
    p.setup = 1;
    p.workgroup_size_x = 64;
    p.grid_size_x = 640;
    p.kernel_object = object;
    p.completion_signal = {reinterpret_cast<uint64_t>(&done)};
    __atomic_store_n(&queue->write_dispatch_id, index + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&p.header, uint16_t{abi::HSA_PACKET_TYPE_KERNEL_DISPATCH}, __ATOMIC_RELEASE);
    __atomic_store_n(doorbell, index, __ATOMIC_RELEASE);
  };
  auto wait = [&](uint32_t ms) {
    kfd_event_data data{};
    data.event_id = event.event_id;
    kfd_ioctl_wait_events_args w{};
    w.events_ptr = reinterpret_cast<uint64_t>(&data);
    w.num_events = 1;
    w.timeout = ms;
    EXPECT_EQ(call(AMDKFD_IOC_WAIT_EVENTS, w), 0);
    return w.wait_result;
  };
  put(0, kernel.object());
  EXPECT_EQ(wait(20'000), KFD_IOC_WAIT_RESULT_COMPLETE);
  EXPECT_EQ(done.value, 0);
  EXPECT_EQ(wait(0), KFD_IOC_WAIT_RESULT_TIMEOUT);

  // A packet that can't run: the mask goes to the client's place, and its event is set.
  put(1, 0x40);
  EXPECT_EQ(wait(20'000), KFD_IOC_WAIT_RESULT_COMPLETE);
  EXPECT_EQ(*payload, abi::exception_bit(EC_QUEUE_PACKET_DISPATCH_CODE_INVALID));
  kfd_ioctl_destroy_queue_args d{q.queue_id, 0};
  EXPECT_EQ(call(AMDKFD_IOC_DESTROY_QUEUE, d), 0);
  EXPECT_EQ(call(AMDKFD_IOC_DESTROY_QUEUE, d), -EINVAL);
}

TEST_F(Kfd, QueueErrors) {
  acquire();
  auto memory = alloc(space, kMiB, KFD_IOC_ALLOC_MEM_FLAGS_GTT);
  ASSERT_EQ(map(memory.handle), 0);
  kfd_ioctl_create_queue_args good{};
  good.ring_base_address = space;
  good.ring_size = 4096;
  good.write_pointer_address = space + 8192 + 56;
  good.read_pointer_address = space + 8192 + 128;
  good.gpu_id = gpu_id_of(0);
  good.queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
  good.queue_percentage = 100;
  auto with = [&](auto change) {
    kfd_ioctl_create_queue_args a = good;
    change(a);
    return call(AMDKFD_IOC_CREATE_QUEUE, a);
  };
  EXPECT_EQ(with([](auto& a) { a.queue_percentage = 101; }), -EINVAL);
  EXPECT_EQ(with([](auto& a) { a.queue_priority = 16; }), -EINVAL);
  EXPECT_EQ(with([](auto& a) { a.ring_size = 5000; }), -EINVAL);
  EXPECT_EQ(with([](auto& a) { a.ring_size = 0; }), -EINVAL);
  EXPECT_EQ(with([](auto& a) { a.ring_base_address = 0x1000; }), -EFAULT);
  EXPECT_EQ(with([](auto& a) { a.read_pointer_address = 0; }), -EFAULT);
  EXPECT_EQ(with([](auto& a) { a.ctx_save_restore_address = 16; }), -EFAULT);
  EXPECT_EQ(with([](auto& a) { a.gpu_id = 5; }), -EINVAL);
  for (uint32_t type : {KFD_IOC_QUEUE_TYPE_COMPUTE, 77u})
    EXPECT_EQ(with([&](auto& a) { a.queue_type = type; }), -EINVAL) << type;
  EXPECT_EQ(with([&](auto& a) { a.queue_type = KFD_IOC_QUEUE_TYPE_SDMA_XGMI; }), -ENOMEM) << "no engine is for that alone";
  EXPECT_EQ(with([&](auto& a) {
              a.queue_type = KFD_IOC_QUEUE_TYPE_SDMA_BY_ENG_ID;
              a.sdma_engine_id = 2;
            }),
            -EINVAL);
  kfd_ioctl_update_queue_args u{};
  u.queue_id = 9;
  u.ring_size = 4096;
  EXPECT_EQ(call(AMDKFD_IOC_UPDATE_QUEUE, u), -EINVAL);
  // As an older client: 88 bytes, the rest is zero.
  kfd_ioctl_create_queue_args old = good;
  old.sdma_engine_id = 0xffffffff;
  EXPECT_EQ(process->ioctl(kfd, _IOC(_IOC_READ | _IOC_WRITE, 'K', 2, 88), &old), 0);
  EXPECT_EQ(old.sdma_engine_id, 0xffffffffu) << "the kernel writes no more than the client's structure";
  uint32_t mask[1] = {0x3};
  kfd_ioctl_set_cu_mask_args m{old.queue_id, 32, reinterpret_cast<uint64_t>(mask)};
  EXPECT_EQ(call(AMDKFD_IOC_SET_CU_MASK, m), 0);
  m.num_cu_mask = 31;
  EXPECT_EQ(call(AMDKFD_IOC_SET_CU_MASK, m), -EINVAL);
  m.num_cu_mask = 32;
  mask[0] = 0;
  EXPECT_EQ(call(AMDKFD_IOC_SET_CU_MASK, m), -EINVAL);
}

TEST_F(Kfd, GlobalWaveSyncBelongsToOneQueue) {
  acquire();
  auto memory = alloc(space, kMiB, KFD_IOC_ALLOC_MEM_FLAGS_GTT);
  ASSERT_EQ(map(memory.handle), 0);
  kfd_ioctl_create_queue_args q[2]{};
  for (uint64_t i = 0; i < 2; ++i) {
    q[i].ring_base_address = space + 16384 * i;
    q[i].ring_size = 4096;
    q[i].write_pointer_address = q[i].ring_base_address + 8192 + 56;
    q[i].read_pointer_address = q[i].ring_base_address + 8192 + 128;
    q[i].gpu_id = gpu_id_of(0);
    q[i].queue_type = KFD_IOC_QUEUE_TYPE_COMPUTE_AQL;
    q[i].queue_percentage = 100;
    ASSERT_EQ(call(AMDKFD_IOC_CREATE_QUEUE, q[i]), 0);
  }
  auto gws = [&](uint32_t queue, uint32_t count) {
    kfd_ioctl_alloc_queue_gws_args a{queue, count, 99, 0};
    int r = call(AMDKFD_IOC_ALLOC_QUEUE_GWS, a);
    if (r == 0 && count) EXPECT_EQ(a.first_gws, 0u);
    return r;
  };
  EXPECT_EQ(gws(77, 64), -EINVAL);
  EXPECT_EQ(gws(q[0].queue_id, 0), -EINVAL) << "it has none";
  EXPECT_EQ(gws(q[0].queue_id, 65), -EINVAL);
  EXPECT_EQ(gws(q[0].queue_id, 64), 0);
  EXPECT_EQ(gws(q[1].queue_id, 64), -EBUSY);
  EXPECT_EQ(gws(q[0].queue_id, 0), 0);
  EXPECT_EQ(gws(q[1].queue_id, 64), 0);
  kfd_ioctl_destroy_queue_args d{q[1].queue_id, 0};
  EXPECT_EQ(call(AMDKFD_IOC_DESTROY_QUEUE, d), 0);
  EXPECT_EQ(gws(q[0].queue_id, 1), 0) << "a destroyed queue has given it back";
}

TEST_F(Kfd, XnackIsProcessWideAndNotWhileQueuesExist) {
  kfd_ioctl_set_xnack_mode_args x{-1};
  ASSERT_EQ(call(AMDKFD_IOC_SET_XNACK_MODE, x), 0);
  EXPECT_EQ(x.xnack_enabled, 0);
  x.xnack_enabled = 1;
  ASSERT_EQ(call(AMDKFD_IOC_SET_XNACK_MODE, x), 0);
  x.xnack_enabled = -1;
  ASSERT_EQ(call(AMDKFD_IOC_SET_XNACK_MODE, x), 0);
  EXPECT_EQ(x.xnack_enabled, 1);
}

TEST_F(Kfd, RuntimeEnableOnce) {
  kfd_ioctl_runtime_enable_args r{0, 0, 0};
  EXPECT_EQ(call(AMDKFD_IOC_RUNTIME_ENABLE, r), -EINVAL) << "not enabled yet";
  r.mode_mask = KFD_RUNTIME_ENABLE_MODE_ENABLE_MASK;
  EXPECT_EQ(call(AMDKFD_IOC_RUNTIME_ENABLE, r), 0);
  EXPECT_EQ(call(AMDKFD_IOC_RUNTIME_ENABLE, r), -EBUSY);
}

TEST_F(Kfd, WaitErrors) {
  kfd_ioctl_wait_events_args w{};
  w.num_events = 1;
  w.events_ptr = 8;
  EXPECT_EQ(call(AMDKFD_IOC_WAIT_EVENTS, w), -EFAULT);
  kfd_event_data data{};
  data.event_id = 4000;
  w.events_ptr = reinterpret_cast<uint64_t>(&data);
  EXPECT_EQ(call(AMDKFD_IOC_WAIT_EVENTS, w), -EINVAL);
  w.num_events = 1u << 30;
  EXPECT_EQ(call(AMDKFD_IOC_WAIT_EVENTS, w), -EINVAL);
}

TEST_F(Kfd, HelpIsPrivateAndCanBeSwitchedOff) {
  abi::bz_kfd_help_args h{};
  h.timeout_us = 1000;
  EXPECT_EQ(call(abi::BZ_KFD_IOC_HELP, h), 0);
  EXPECT_EQ(h.result, static_cast<uint32_t>(abi::HelpResult::idle));
  alignas(8) int64_t value = 5;
  h.value_address = reinterpret_cast<uint64_t>(&value);
  h.condition = static_cast<uint32_t>(abi::HelpCondition::less);
  h.compare = 6;
  EXPECT_EQ(call(abi::BZ_KFD_IOC_HELP, h), 0);
  EXPECT_EQ(h.result, static_cast<uint32_t>(abi::HelpResult::satisfied));
  h.value_address = 24;
  EXPECT_EQ(call(abi::BZ_KFD_IOC_HELP, h), -EFAULT);
  h.condition = 9;
  EXPECT_EQ(call(abi::BZ_KFD_IOC_HELP, h), -EINVAL);
  TearDown();
  start("gfx942,memory=64M;gfx942,memory=64M", false);
  EXPECT_EQ(call(abi::BZ_KFD_IOC_HELP, h), -ENOTTY);
}

TEST_F(Kfd, WakingNeedsADoorbell) {
  abi::bz_kfd_wake_args w{};
  EXPECT_EQ(call(abi::BZ_KFD_IOC_WAKE, w), -EINVAL);
  w.doorbell_address = reinterpret_cast<uint64_t>(&w);
  EXPECT_EQ(call(abi::BZ_KFD_IOC_WAKE, w), -EINVAL);
}

TEST_F(Kfd, LastCloseReleasesEverything) {
  acquire();
  auto a = alloc(space, kMiB, KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
  ASSERT_EQ(map(a.handle), 0);
  kfd_ioctl_create_event_args e{};
  ASSERT_EQ(call(AMDKFD_IOC_CREATE_EVENT, e), 0);
  int second = process->open("/dev/kfd", 0);
  EXPECT_EQ(process->close(kfd), 0);
  EXPECT_EQ(process->memory().count(), 1u);
  EXPECT_EQ(process->close(second), 0);
  EXPECT_EQ(process->memory().count(), 0u);
  EXPECT_EQ(process->events().count(), 0u);
}

TEST_F(Kfd, DuplicatesOfDescriptorsAreAsGood) {
  acquire();
  kfd_ioctl_get_version_args v{};
  int again = dup(kfd);
  EXPECT_EQ(process->ioctl(again, AMDKFD_IOC_GET_VERSION, &v), 0);
  auto a = alloc(space, kMiB, KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
  EXPECT_EQ(process->close(kfd), 0);
  EXPECT_TRUE(process->memory().find(handle_id(a.handle)).ok()) << "the duplicate is open still";
  EXPECT_EQ(process->close(again), 0);
  EXPECT_FALSE(process->memory().find(handle_id(a.handle)).ok());
}

TEST_F(Kfd, ADescriptorClosedPastUsIsNoticedAtTheNextOpen) {
  ::close(kfd);
  int fresh = process->open("/dev/kfd", 0);
  kfd_ioctl_get_version_args v{};
  EXPECT_EQ(process->ioctl(fresh, AMDKFD_IOC_GET_VERSION, &v), 0);
  EXPECT_EQ(process->close(fresh), 0);
}

TEST_F(Kfd, AnEventPageOfTheClientOutlivesTheDescriptor) {
  acquire();
  auto page = alloc(space, Events::kPageBytes, KFD_IOC_ALLOC_MEM_FLAGS_GTT), other = alloc(space + kMiB, kMiB, KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
  ASSERT_EQ(map(page.handle), 0);
  kfd_ioctl_create_event_args e{};
  e.event_page_offset = page.handle;
  ASSERT_EQ(call(AMDKFD_IOC_CREATE_EVENT, e), 0);
  EXPECT_EQ(process->close(kfd), 0);
  EXPECT_FALSE(process->memory().find(handle_id(other.handle)).ok());
  *reinterpret_cast<volatile uint64_t*>(space + 8) = 1; // libhsakmt goes on using it
  kfd = process->open("/dev/kfd", 0);
  kfd_ioctl_create_event_args again{};
  EXPECT_EQ(call(AMDKFD_IOC_CREATE_EVENT, again), 0) << "without a page of its own: there is one";
  EXPECT_EQ(reinterpret_cast<volatile uint64_t*>(space)[again.event_slot_index], Events::kUnsignaled);
  // Freed by the client, it goes with the last descriptor.
  kfd_ioctl_free_memory_of_gpu_args f{page.handle};
  EXPECT_EQ(call(AMDKFD_IOC_FREE_MEMORY_OF_GPU, f), 0);
  EXPECT_EQ(process->close(kfd), 0);
  EXPECT_FALSE(process->events().has_page());
}

TEST_F(Kfd, UserMemoryUnderAnotherAddress) {
  acquire();
  std::vector<char> memory(5 * 4096, 7);
  uint64_t host = (reinterpret_cast<uint64_t>(memory.data()) + 4095) / 4096 * 4096;
  kfd_ioctl_alloc_memory_of_gpu_args a{};
  a.va_addr = space;
  a.size = 4 * 4096;
  a.gpu_id = gpu_id_of(0);
  a.flags = KFD_IOC_ALLOC_MEM_FLAGS_USERPTR;
  a.mmap_offset = host;
  ASSERT_EQ(call(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, a), 0);
  ASSERT_EQ(map(a.handle), 0);
  auto *gpu_side = reinterpret_cast<volatile char*>(space), *host_side = reinterpret_cast<volatile char*>(host);
  EXPECT_EQ(gpu_side[5000], 7);
  gpu_side[5000] = 8;
  EXPECT_EQ(host_side[5000], 8);
  ASSERT_EQ(unmap(a.handle), 0);
  kfd_ioctl_free_memory_of_gpu_args f{a.handle};
  ASSERT_EQ(call(AMDKFD_IOC_FREE_MEMORY_OF_GPU, f), 0);
  EXPECT_EQ(host_side[5000], 8);
  a.mmap_offset = 4096; // nothing there
  EXPECT_EQ(call(AMDKFD_IOC_ALLOC_MEMORY_OF_GPU, a), -EFAULT);
}

TEST_F(Kfd, AttributesOfSharedMemoryStandBehindTheStructure) {
  alignas(8) char room[sizeof(kfd_ioctl_svm_args) + 70 * sizeof(kfd_ioctl_svm_attribute)] = {};
  auto& args = *reinterpret_cast<kfd_ioctl_svm_args*>(room);
  auto* attributes = reinterpret_cast<kfd_ioctl_svm_attribute*>(room + sizeof args);
  args.start_addr = reinterpret_cast<uint64_t>(
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  args.size = 4096;
  args.op = KFD_IOCTL_SVM_OP_SET_ATTR;
  args.nattr = 70; // more than other structures are long
  for (int i = 0; i < 70; ++i) attributes[i] = {KFD_IOCTL_SVM_ATTR_GRANULARITY, 3};
  attributes[69] = {KFD_IOCTL_SVM_ATTR_PREFERRED_LOC, gpu_id_of(1)};
  constexpr uint32_t kRequest = AMDKFD_IOC_SVM + (70 * 8 << 16);
  ASSERT_EQ(process->ioctl(kfd, kRequest, room), 0);
  args.op = KFD_IOCTL_SVM_OP_GET_ATTR;
  attributes[69].value = attributes[68].value = 0;
  ASSERT_EQ(process->ioctl(kfd, kRequest, room), 0);
  EXPECT_EQ(attributes[69].value, gpu_id_of(1));
  EXPECT_EQ(attributes[68].value, 3u);
  EXPECT_EQ(process->ioctl(kfd, AMDKFD_IOC_SVM + (69 * 8 << 16), room), -EINVAL) << "70 don't fit";
  args.op = 2;
  EXPECT_EQ(process->ioctl(kfd, kRequest, room), -EINVAL);
  munmap(reinterpret_cast<void*>(args.start_addr), 4096);
}

TEST_F(Kfd, TheHostMapsMemoryAtAPlaceOfItsOwn) {
  acquire();
  for (uint32_t kind : {KFD_IOC_ALLOC_MEM_FLAGS_VRAM, KFD_IOC_ALLOC_MEM_FLAGS_GTT})
    for (bool first : {false, true}) {
      auto a = alloc(space, kMiB, kind);
      if (first) ASSERT_EQ(map(a.handle), 0);
      auto* view = static_cast<volatile char*>(process->mmap(nullptr, kMiB, PROT_READ | PROT_WRITE, MAP_SHARED, render[0],
                                                             static_cast<off_t>(a.mmap_offset)));
      ASSERT_GT(reinterpret_cast<intptr_t>(view), 0);
      EXPECT_NE(reinterpret_cast<uint64_t>(view), space);
      if (!first) ASSERT_EQ(map(a.handle), 0);
      view[77] = 5;
      EXPECT_EQ(reinterpret_cast<volatile char*>(space)[77], 5);
      munmap(const_cast<char*>(view), kMiB);
      EXPECT_EQ(reinterpret_cast<volatile char*>(space)[77], 5) << "the GPU has it still";
      auto* fixed = process->mmap(reinterpret_cast<void*>(space + 8 * kMiB), kMiB, PROT_READ, MAP_SHARED | MAP_FIXED,
                                  render[0], static_cast<off_t>(a.mmap_offset));
      ASSERT_EQ(reinterpret_cast<uint64_t>(fixed), space + 8 * kMiB);
      EXPECT_EQ(static_cast<volatile char*>(fixed)[77], 5);
      mmap(fixed, kMiB, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
      ASSERT_EQ(unmap(a.handle), 0);
      kfd_ioctl_free_memory_of_gpu_args f{a.handle};
      ASSERT_EQ(call(AMDKFD_IOC_FREE_MEMORY_OF_GPU, f), 0);
    }
}

TEST_F(Kfd, FlushRegistersAreAPage) {
  acquire();
  alloc(space, 8192, KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP, -EINVAL);
  auto a = alloc(space, 4096, KFD_IOC_ALLOC_MEM_FLAGS_MMIO_REMAP);
  auto* page = process->mmap(reinterpret_cast<void*>(space), 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, kfd,
                             static_cast<off_t>(a.mmap_offset));
  ASSERT_EQ(page, reinterpret_cast<void*>(space));
  *static_cast<volatile uint32_t*>(page) = 1;
}

TEST_F(Kfd, RenderNodesAnswerWhatLibdrmAsks) {
  char name[16] = {};
  abi::drm_version v{};
  v.name = reinterpret_cast<uint64_t>(name);
  v.name_len = 3;
  ASSERT_EQ(process->ioctl(render[1], abi::DRM_IOCTL_VERSION, &v), 0);
  EXPECT_EQ(v.version_major, 3);
  EXPECT_EQ(v.name_len, 6u);
  EXPECT_STREQ(name, "amd") << "cut to the caller's room";
  abi::drm_amdgpu_info_device d{};
  abi::drm_amdgpu_info info{reinterpret_cast<uint64_t>(&d), sizeof d, abi::AMDGPU_INFO_DEV_INFO, {}};
  ASSERT_EQ(process->ioctl(render[1], abi::DRM_IOCTL_AMDGPU_INFO, &info), 0);
  EXPECT_EQ(d.device_id, 0x74a1u);
  EXPECT_EQ(d.cu_active_number, 2u);
  uint64_t used = 1;
  info = {reinterpret_cast<uint64_t>(&used), sizeof used, abi::AMDGPU_INFO_VRAM_USAGE, {}};
  ASSERT_EQ(process->ioctl(render[0], abi::DRM_IOCTL_AMDGPU_INFO, &info), 0);
  EXPECT_EQ(used, 0u);
  acquire();
  alloc(space, kMiB, KFD_IOC_ALLOC_MEM_FLAGS_VRAM);
  ASSERT_EQ(process->ioctl(render[0], abi::DRM_IOCTL_AMDGPU_INFO, &info), 0);
  EXPECT_EQ(used, kMiB);
  info.query = 0x7777;
  EXPECT_EQ(process->ioctl(render[0], abi::DRM_IOCTL_AMDGPU_INFO, &info), -EINVAL);
  info = {16, 8, abi::AMDGPU_INFO_VRAM_USAGE, {}};
  EXPECT_EQ(process->ioctl(render[0], abi::DRM_IOCTL_AMDGPU_INFO, &info), -EFAULT);
  EXPECT_EQ(process->ioctl(kfd, abi::DRM_IOCTL_VERSION, &v), -ENOTTY) << "not on /dev/kfd";
}

TEST_F(Kfd, OlderClientsHearOfAFailureByTheQueuesSignal) {
  acquire();
  auto memory = alloc(space, kMiB, KFD_IOC_ALLOC_MEM_FLAGS_GTT);
  ASSERT_EQ(map(memory.handle), 0);
  auto* ring = reinterpret_cast<abi::hsa_kernel_dispatch_packet_t*>(space);
  auto* queue = reinterpret_cast<abi::amd_queue_t*>(space + 64 * 1024);
  for (auto [type, setup, value] : {std::tuple{abi::HSA_PACKET_TYPE_KERNEL_DISPATCH, 0, 2}, // no dimensions
                                    {abi::HSA_PACKET_TYPE_AGENT_DISPATCH, 0, 32},
                                    {abi::HSA_PACKET_TYPE_KERNEL_DISPATCH, 1, 2}}) { // an empty grid
    memset(queue, 0, sizeof *queue);
    memset(ring, 0, 4096);
    for (int i = 0; i < 64; ++i) ring[i].header = abi::HSA_PACKET_TYPE_INVALID;
    abi::amd_signal_t end{};
    end.kind = abi::AMD_SIGNAL_KIND_USER;
    queue->queue_inactive_signal = {reinterpret_cast<uint64_t>(&end)};
    kfd_ioctl_create_queue_args q = compute_queue(space, queue);
    ASSERT_EQ(call(AMDKFD_IOC_CREATE_QUEUE, q), 0);
    auto* bells = static_cast<volatile uint64_t*>(process->mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, kfd,
                                                                static_cast<off_t>(q.doorbell_offset & ~8191ull)));
    ring[0].setup = static_cast<uint16_t>(setup);
    __atomic_store_n(&ring[0].header, static_cast<uint16_t>(type), __ATOMIC_RELEASE);
    __atomic_store_n(&queue->write_dispatch_id, 1, __ATOMIC_RELEASE);
    bells[(q.doorbell_offset & 8191) / 8] = 0;
    for (int i = 0; i < 5000 && __atomic_load_n(&end.value, __ATOMIC_ACQUIRE) == 0; ++i) usleep(1000);
    EXPECT_EQ(__atomic_load_n(&end.value, __ATOMIC_ACQUIRE), value);
    kfd_ioctl_destroy_queue_args d{q.queue_id, 0};
    EXPECT_EQ(call(AMDKFD_IOC_DESTROY_QUEUE, d), 0);
  }
}

TEST_F(Kfd, CopyQueuesByIoctl) {
  acquire();
  auto ring = alloc(space, 4096, KFD_IOC_ALLOC_MEM_FLAGS_GTT), more = alloc(space + 8192, 4096, KFD_IOC_ALLOC_MEM_FLAGS_GTT);
  ASSERT_EQ(map(ring.handle) | map(more.handle), 0);
  auto* words = reinterpret_cast<std::atomic<uint64_t>*>(space + 8192);
  kfd_ioctl_create_queue_args q{};
  q.gpu_id = gpu_id_of(0);
  q.queue_type = KFD_IOC_QUEUE_TYPE_SDMA;
  q.queue_percentage = 100;
  q.ring_base_address = space;
  q.ring_size = 4096;
  q.read_pointer_address = space + 8192;
  q.write_pointer_address = space + 8200;
  ASSERT_EQ(call(AMDKFD_IOC_CREATE_QUEUE, q), 0);
  auto* bells = static_cast<std::atomic<uint64_t>*>(process->mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, kfd,
                                                                  static_cast<off_t>(q.doorbell_offset & ~uint64_t{0xfff})));
  uint32_t fence[] = {5, static_cast<uint32_t>(space + 8192 + 64), static_cast<uint32_t>((space + 8192) >> 32), 99};
  memcpy(reinterpret_cast<void*>(space), fence, sizeof fence);
  words[1] = sizeof fence;
  bells[(q.doorbell_offset & 0xfff) / 8] = sizeof fence;
  for (int i = 0; i < 5000 && words[0] != sizeof fence; ++i) usleep(1000);
  EXPECT_EQ(words[0].load(), sizeof fence);
  EXPECT_EQ(words[8].load(), 99u);
  kfd_ioctl_update_queue_args u{};
  u.queue_id = q.queue_id;
  EXPECT_EQ(call(AMDKFD_IOC_UPDATE_QUEUE, u), 0) << "no ring: inactive";
  kfd_ioctl_destroy_queue_args d{};
  d.queue_id = q.queue_id;
  EXPECT_EQ(call(AMDKFD_IOC_DESTROY_QUEUE, d), 0);
  EXPECT_EQ(call(AMDKFD_IOC_DESTROY_QUEUE, d), -EINVAL);
}

TEST_F(Kfd, ForkedChildHasNoDevice) {
  pid_t pid = fork();
  if (pid == 0) {
    kfd_ioctl_get_version_args v{};
    _exit(process->ioctl(kfd, AMDKFD_IOC_GET_VERSION, &v) == -EBADF ? 0 : 1);
  }
  int status = 0;
  waitpid(pid, &status, 0);
  EXPECT_EQ(status, 0);
}

TEST(KfdEnvironment, ALogThatCannotBeWrittenIsNamed) {
  setenv("BZ_KFD_LOG", "/nowhere/log", 1);
  auto config = ProcessConfig::from_environment(gpu::fake::make);
  unsetenv("BZ_KFD_LOG");
  ASSERT_TRUE(config.ok());
  auto process = Process::create(std::move(*config));
  ASSERT_FALSE(process.ok());
  EXPECT_NE(process.status().message().find("BZ_KFD_LOG: /nowhere/log can't be written"), std::string::npos);
}

TEST(KfdEnvironment, BadVariablesAreNamed) {
  for (auto [name, value] :
       {std::pair{"BZ_GPUS", "nothing"}, {"BZ_WORKERS", "0"}, {"BZ_WORKERS", "x"}, {"BZ_HELP", "yes"}}) {
    setenv(name, value, 1);
    auto config = ProcessConfig::from_environment(gpu::fake::make);
    EXPECT_FALSE(config.ok());
    EXPECT_NE(config.status().message().find(name), std::string::npos);
    unsetenv(name);
  }
}

} // namespace
