// A program on hsa.h for any HSA runtime: it loads a code object, copies, runs kernels and compares. Usage:
//   dispatch CODE_OBJECT RUNTIME   RUNTIME must be part of the path of the libhsa-runtime64 that got loaded
#include "hsa/hsa.h"
#include "hsa/hsa_ext_amd.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace {

void check_at(hsa_status_t status, const char* what, int line) {
  if (status == HSA_STATUS_SUCCESS) return;
  const char* text = "?";
  hsa_status_string(status, &text);
  std::printf("line %d: %s: 0x%x %s\n", line, what, status, text);
  std::exit(1);
}
#define CHECK(call) check_at((call), #call, __LINE__)

void require_at(bool good, const char* what, int line) {
  if (good) return;
  std::printf("line %d: not so: %s\n", line, what);
  std::exit(1);
}
#define REQUIRE(condition) require_at((condition), #condition, __LINE__)

struct Machine {
  hsa_agent_t cpu{}, gpu{};
  hsa_amd_memory_pool_t fine{}, kernarg{}, vram{};
};

hsa_status_t take_agent(hsa_agent_t agent, void* data) {
  auto* m = static_cast<Machine*>(data);
  hsa_device_type_t type{};
  CHECK(hsa_agent_get_info(agent, HSA_AGENT_INFO_DEVICE, &type));
  hsa_agent_t& which = type == HSA_DEVICE_TYPE_GPU ? m->gpu : m->cpu;
  if (which.handle == 0) which = agent;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t take_pool(hsa_amd_memory_pool_t pool, void* data) {
  auto* m = static_cast<Machine*>(data);
  hsa_amd_segment_t segment{};
  uint32_t flags = 0;
  CHECK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
  if (segment != HSA_AMD_SEGMENT_GLOBAL) return HSA_STATUS_SUCCESS;
  CHECK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_GLOBAL_FLAGS, &flags));
  if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_KERNARG_INIT)
    m->kernarg = pool;
  else if (flags & HSA_AMD_MEMORY_POOL_GLOBAL_FLAG_FINE_GRAINED)
    m->fine = pool;
  return HSA_STATUS_SUCCESS;
}

hsa_status_t take_vram(hsa_amd_memory_pool_t pool, void* data) {
  auto* m = static_cast<Machine*>(data);
  hsa_amd_segment_t segment{};
  CHECK(hsa_amd_memory_pool_get_info(pool, HSA_AMD_MEMORY_POOL_INFO_SEGMENT, &segment));
  if (segment == HSA_AMD_SEGMENT_GLOBAL && m->vram.handle == 0) m->vram = pool;
  return HSA_STATUS_SUCCESS;
}

/// The path of the runtime that this process has in memory.
std::string runtime_path() {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find("/libhsa-runtime64.so") != std::string::npos) return line.substr(line.find('/'));
  return "(none)";
}

std::atomic<int> queue_error{0};

class Session {
public:
  explicit Session(const std::vector<char>& object) {
    CHECK(hsa_init());
    CHECK(hsa_iterate_agents(take_agent, &m));
    REQUIRE(m.gpu.handle != 0 && m.cpu.handle != 0);
    CHECK(hsa_amd_agent_iterate_memory_pools(m.cpu, take_pool, &m));
    CHECK(hsa_amd_agent_iterate_memory_pools(m.gpu, take_vram, &m));
    REQUIRE(m.fine.handle != 0 && m.kernarg.handle != 0 && m.vram.handle != 0);
    auto told = [](hsa_status_t status, hsa_queue_t*, void*) { queue_error = status; };
    CHECK(hsa_queue_create(m.gpu, 1024, HSA_QUEUE_TYPE_MULTI, told, nullptr, UINT32_MAX, UINT32_MAX, &queue));
    CHECK(hsa_amd_profiling_set_profiler_enabled(queue, 1));
    CHECK(hsa_signal_create(0, 0, nullptr, &done));
    CHECK(hsa_code_object_reader_create_from_memory(object.data(), object.size(), &reader));
    CHECK(hsa_executable_create_alt(HSA_PROFILE_FULL, HSA_DEFAULT_FLOAT_ROUNDING_MODE_DEFAULT, nullptr, &executable));
    CHECK(hsa_executable_load_agent_code_object(executable, m.gpu, reader, nullptr, nullptr));
    CHECK(hsa_executable_freeze(executable, nullptr));
  }
  ~Session() {
    CHECK(hsa_executable_destroy(executable));
    CHECK(hsa_code_object_reader_destroy(reader));
    CHECK(hsa_signal_destroy(done));
    CHECK(hsa_queue_destroy(queue));
    CHECK(hsa_shut_down());
  }

  template <class T> T* allocate(hsa_amd_memory_pool_t pool, size_t count) {
    void* p = nullptr;
    CHECK(hsa_amd_memory_pool_allocate(pool, count * sizeof(T), 0, &p));
    hsa_agent_t both[] = {m.cpu, m.gpu};
    CHECK(hsa_amd_agents_allow_access(pool.handle == m.vram.handle ? 1 : 2, pool.handle == m.vram.handle ? &m.gpu : both,
                                      nullptr, p));
    return static_cast<T*>(p);
  }
  void release(void* p) { CHECK(hsa_amd_memory_pool_free(p)); }

  template <class... Args> void run(const char* kernel, uint32_t items, uint16_t group, Args... args) {
    hsa_executable_symbol_t symbol{};
    CHECK(hsa_executable_get_symbol_by_name(executable, (std::string(kernel) + ".kd").c_str(), &m.gpu, &symbol));
    uint64_t object = 0;
    uint32_t kernarg_bytes = 0, group_bytes = 0, private_bytes = 0;
    CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_OBJECT, &object));
    CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_KERNARG_SEGMENT_SIZE, &kernarg_bytes));
    CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_GROUP_SEGMENT_SIZE, &group_bytes));
    CHECK(hsa_executable_symbol_get_info(symbol, HSA_EXECUTABLE_SYMBOL_INFO_KERNEL_PRIVATE_SEGMENT_SIZE, &private_bytes));
    auto* kernarg = allocate<char>(m.kernarg, kernarg_bytes + 64);
    std::memset(kernarg, 0, kernarg_bytes);
    size_t at = 0;
    auto put = [&](auto value) {
      at = (at + sizeof value - 1) / sizeof value * sizeof value;
      std::memcpy(kernarg + at, &value, sizeof value);
      at += sizeof value;
    };
    (put(args), ...);
    hsa_signal_store_relaxed(done, 1);
    uint64_t index = hsa_queue_add_write_index_relaxed(queue, 1);
    auto* packet = static_cast<hsa_kernel_dispatch_packet_t*>(queue->base_address) + index % queue->size;
    std::memset(reinterpret_cast<char*>(packet) + 4, 0, sizeof *packet - 4);
    packet->workgroup_size_x = group;
    packet->workgroup_size_y = packet->workgroup_size_z = 1;
    packet->grid_size_x = items;
    packet->grid_size_y = packet->grid_size_z = 1;
    packet->private_segment_size = private_bytes;
    packet->group_segment_size = group_bytes;
    packet->kernel_object = object;
    packet->kernarg_address = kernarg;
    packet->completion_signal = done;
    uint32_t header = HSA_PACKET_TYPE_KERNEL_DISPATCH << HSA_PACKET_HEADER_TYPE |
                      HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCACQUIRE_FENCE_SCOPE |
                      HSA_FENCE_SCOPE_SYSTEM << HSA_PACKET_HEADER_SCRELEASE_FENCE_SCOPE;
    uint32_t setup = 1 << HSA_KERNEL_DISPATCH_PACKET_SETUP_DIMENSIONS;
    __atomic_store_n(reinterpret_cast<uint32_t*>(packet), header | setup << 16, __ATOMIC_RELEASE);
    hsa_signal_store_screlease(queue->doorbell_signal, static_cast<hsa_signal_value_t>(index));
    if (kernel == std::string("stop_by_trap")) {
      for (int i = 0; i < 5000 && queue_error == 0; ++i) hsa_signal_wait_relaxed(done, HSA_SIGNAL_CONDITION_LT, 1, 1000000, HSA_WAIT_STATE_BLOCKED);
      return;
    }
    wait(done);
    hsa_amd_profiling_dispatch_time_t time{};
    CHECK(hsa_amd_profiling_get_dispatch_time(m.gpu, done, &time));
    REQUIRE(time.start != 0 && time.start <= time.end);
    release(kernarg);
  }

  void wait(hsa_signal_t signal) {
    auto left = hsa_signal_wait_scacquire(signal, HSA_SIGNAL_CONDITION_LT, 1, UINT64_MAX, HSA_WAIT_STATE_BLOCKED);
    REQUIRE(left == 0);
  }

  void copy(void* to, const void* from, size_t bytes, bool to_gpu) {
    hsa_signal_t first{}, second{};
    CHECK(hsa_signal_create(1, 0, nullptr, &first));
    CHECK(hsa_signal_create(1, 0, nullptr, &second));
    // In two halves, the second after the first.
    size_t half = bytes / 2 / 4 * 4;
    auto at = [](auto* p, size_t n) { return reinterpret_cast<decltype(p)>(reinterpret_cast<uintptr_t>(p) + n); };
    hsa_agent_t target = to_gpu ? m.gpu : m.cpu, source = to_gpu ? m.cpu : m.gpu;
    CHECK(hsa_amd_memory_async_copy(to, target, from, source, half, 0, nullptr, first));
    CHECK(hsa_amd_memory_async_copy(at(to, half), target, at(from, half), source, bytes - half, 1, &first, second));
    wait(second);
    REQUIRE(hsa_signal_load_scacquire(first) == 0);
    CHECK(hsa_signal_destroy(first));
    CHECK(hsa_signal_destroy(second));
  }

  Machine m;
  hsa_queue_t* queue = nullptr;

private:
  hsa_signal_t done{};
  hsa_code_object_reader_t reader{};
  hsa_executable_t executable{};
};

void saxpy(Session& s) {
  constexpr int n = 300007;
  auto* x = s.allocate<float>(s.m.fine, n);
  auto* y = s.allocate<float>(s.m.fine, n);
  auto* device_x = s.allocate<float>(s.m.vram, n);
  auto* device_y = s.allocate<float>(s.m.vram, n);
  for (int i = 0; i < n; ++i) {
    x[i] = static_cast<float>(i % 1000);
    y[i] = static_cast<float>(i % 77);
  }
  s.copy(device_x, x, n * sizeof(float), true);
  s.copy(device_y, y, n * sizeof(float), true);
  s.run("saxpy", (n + 255) / 256 * 256, 256, 3.0f, device_x, device_y, n);
  std::memset(y, 0, n * sizeof(float));
  s.copy(y, device_y, n * sizeof(float), false);
  for (int i = 0; i < n; ++i) REQUIRE(y[i] == 3.0f * static_cast<float>(i % 1000) + static_cast<float>(i % 77));
  // The synchronous copy and the fill.
  CHECK(hsa_amd_memory_fill(device_x, 0x3f800000, n));
  CHECK(hsa_memory_copy(x, device_x, n * sizeof(float)));
  for (int i = 0; i < n; ++i) REQUIRE(x[i] == 1.0f);
  for (float* p : {x, y, device_x, device_y}) s.release(p);
  std::puts("saxpy, copies and fill: good");
}

void block_sum(Session& s) {
  constexpr int n = 5000, blocks = (n + 255) / 256;
  auto* in = s.allocate<int>(s.m.fine, n);
  auto* sums = s.allocate<int>(s.m.fine, blocks);
  for (int i = 0; i < n; ++i) in[i] = i * 7 % 101;
  s.run("block_sum", blocks * 256, 256, in, sums, n);
  for (int b = 0; b < blocks; ++b) {
    int want = 0;
    for (int i = b * 256; i < n && i < (b + 1) * 256; ++i) want += i * 7 % 101;
    REQUIRE(sums[b] == want);
  }
  s.release(in);
  s.release(sums);
  std::puts("LDS and barrier: good");
}

void scratch(Session& s) {
  constexpr int n = 1024;
  auto* in = s.allocate<int>(s.m.fine, n);
  auto* out = s.allocate<int>(s.m.fine, n);
  for (int i = 0; i < n; ++i) in[i] = i * 13;
  s.run("scratch", n, 64, in, out, n);
  for (int i = 0; i < n; ++i) {
    int own[64], want = 0;
    for (int k = 0; k < 64; ++k) own[k] = k * i;
    for (int k = 0; k < 64; ++k) own[in[(i + k) % n] & 63] += k;
    for (int k = 0; k < 64; ++k) want += own[k] * (k + 1);
    REQUIRE(out[i] == want);
  }
  s.release(in);
  s.release(out);
  std::puts("scratch: good");
}

/// Memory of malloc, made accessible to the GPU: the GPU's address of it may be another one.
void locked(Session& s) {
  constexpr int n = 20000;
  std::vector<float> x(n), y(n, 1.0f);
  for (int i = 0; i < n; ++i) x[i] = static_cast<float>(i);
  void *gpu_x = nullptr, *gpu_y = nullptr;
  CHECK(hsa_amd_memory_lock(x.data(), n * sizeof(float), &s.m.gpu, 1, &gpu_x));
  CHECK(hsa_amd_memory_lock(y.data(), n * sizeof(float), &s.m.gpu, 1, &gpu_y));
  s.run("saxpy", n, 256, 2.0f, gpu_x, gpu_y, n);
  for (int i = 0; i < n; ++i) REQUIRE(y[i] == 2.0f * static_cast<float>(i) + 1.0f);
  CHECK(hsa_amd_memory_unlock(x.data()));
  y[0] = 5;
  CHECK(hsa_amd_memory_unlock(y.data()));
  REQUIRE(y[0] == 5 && y[1] == 3.0f);
  // A variable on the stack; the runtime locks it by itself.
  auto* device = s.allocate<int>(s.m.vram, 4);
  int there[4] = {1, 2, 3, 4}, back[4] = {};
  CHECK(hsa_memory_copy(device, there, sizeof there));
  CHECK(hsa_memory_copy(back, device, sizeof back));
  REQUIRE(std::memcmp(there, back, sizeof back) == 0);
  s.release(device);
  std::puts("locked memory: good");
}

/// The last of a session: its queue is gone with it.
void trap(Session& s) {
  queue_error = 0;
  s.run("stop_by_trap", 64, 64);
  REQUIRE(queue_error == HSA_STATUS_ERROR_EXCEPTION);
  std::puts("a trap reaches the queue's callback: good");
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::puts("usage: dispatch CODE_OBJECT RUNTIME");
    return 2;
  }
  std::ifstream file(argv[1], std::ios::binary);
  std::vector<char> object((std::istreambuf_iterator<char>(file)), {});
  REQUIRE(!object.empty());
  for (int round = 0; round < 2; ++round) { // once more after the shutdown
    Session s(object);
    std::string path = runtime_path();
    std::printf("runtime: %s\n", path.c_str());
    REQUIRE(path.find(argv[2]) != std::string::npos);
    saxpy(s);
    block_sum(s);
    scratch(s);
    locked(s);
    trap(s);
  }
  std::puts("PASSED");
  return 0;
}
