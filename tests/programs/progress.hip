// Who waits for whom, through the whole system: locks, tickets, look-back, barriers of the whole grid, queues between
// streams, more blocks than a host has threads. Each hangs where a block or a kernel is run to its end before the next.
//   progress [case...]      without a case: all
#include "examples/example.hpp"

#include <string>
#include <vector>

static const char* current = "";
static int failures = 0;
static void expect(bool right, const char* what, long long index = -1) {
  if (right) return;
  if (++failures <= 20) std::printf("%s: wrong: %s %lld\n", current, what, index);
}
static int units() {
  int cus = 0;
  HIP_CHECK(hipDeviceGetAttribute(&cus, hipDeviceAttributeMultiprocessorCount, 0));
  return cus;
}

// Zeroed integers on the device.
struct Memory {
  explicit Memory(size_t n) : size(n) {
    HIP_CHECK(hipMalloc(&device, n * sizeof(int)));
    HIP_CHECK(hipMemset(device, 0, n * sizeof(int)));
    HIP_CHECK(hipDeviceSynchronize());
  }
  ~Memory() { (void)hipFree(device); }
  std::vector<int> read() {
    HIP_CHECK(hipGetLastError());
    HIP_CHECK(hipDeviceSynchronize());
    std::vector<int> host(size);
    HIP_CHECK(hipMemcpy(host.data(), device, size * sizeof(int), hipMemcpyDeviceToHost));
    return host;
  }
  size_t size;
  int* device = nullptr;
};

__device__ int load(const int* p) { return __hip_atomic_load(p, __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT); }
__device__ void store(int* p, int x) { __hip_atomic_store(p, x, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT); }
__device__ bool take(int* lock) { return atomicCAS(lock, 0, 1) == 0; }

// --- lanes: the form that works on GCN keeps the critical section inside the loop ---------------------------------------
__global__ void lock_lanes(int* lock, int* count) {
  for (int done = 0; !done;) {
    if (take(lock)) {
      *static_cast<volatile int*>(count) = *count + 1;
      __threadfence();
      store(lock, 0);
      done = 1;
    }
    asm volatile("" : "+v"(done)); // else the compiler moves the critical section behind the loop
  }
}
static void lanes() {
  Memory m(64);
  lock_lanes<<<3, 200>>>(m.device, m.device + 32);
  expect(m.read()[32] == 600, "count under a lock between lanes");
}

// --- tickets between blocks ---------------------------------------------------------------------------------------------
__global__ void tickets(int* next, int* serving, int* order, int rounds) {
  if (threadIdx.x) return;
  for (int i = 0; i < rounds; ++i) {
    int mine = atomicAdd(next, 1);
    while (load(serving) != mine) {}
    order[mine] = blockIdx.x + 1;
    store(serving, mine + 1);
  }
}
static void ticket() {
  const int blocks = 2 * units() < 50 ? 2 * units() : 50, rounds = 20;
  Memory m(2 + blocks * rounds);
  tickets<<<blocks, 128>>>(m.device, m.device + 1, m.device + 2, rounds);
  auto got = m.read();
  std::vector<int> turns(blocks + 1);
  for (int i = 0; i < blocks * rounds; ++i) ++turns[got[2 + i] < 0 || got[2 + i] > blocks ? 0 : got[2 + i]];
  for (int b = 1; b <= blocks; ++b) expect(turns[b] == rounds, "turns of a block", b);
}

// --- decoupled look-back: far more blocks than are resident --------------------------------------------------------------
__global__ void scan(const int* in, int* out, int* counter, unsigned long long* state, int n) {
  __shared__ int part[256], tile, before;
  const int t = threadIdx.x;
  if (t == 0) tile = atomicAdd(counter, 1);
  __syncthreads();
  const int b = tile, i = b * 256 + t;
  part[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int s = 1; s < 256; s *= 2) {
    const int x = t >= s ? part[t - s] : 0;
    __syncthreads();
    part[t] += x;
    __syncthreads();
  }
  if (t == 0) {
    constexpr unsigned long long kSum = 1ull << 62, kPrefix = 2ull << 62, kValue = 0xffffffffull;
    auto put = [&](unsigned long long x) { __hip_atomic_store(&state[b], x, __ATOMIC_RELEASE, __HIP_MEMORY_SCOPE_AGENT); };
    int prefix = 0;
    if (b) put(kSum | static_cast<unsigned>(part[255]));
    for (int k = b - 1; k >= 0;) {
      const unsigned long long s = __hip_atomic_load(&state[k], __ATOMIC_ACQUIRE, __HIP_MEMORY_SCOPE_AGENT);
      if (s == 0) continue;
      prefix += static_cast<int>(s & kValue);
      if (s & kPrefix) break;
      --k;
    }
    put(kPrefix | static_cast<unsigned>(prefix + part[255]));
    before = prefix;
  }
  __syncthreads();
  if (i < n) out[i] = before + part[t];
}
static void look_back() {
  const int n = 100003, blocks = (n + 255) / 256;
  Memory in(n), out(n), counter(1), state(2 * blocks);
  std::vector<int> host(n);
  for (int i = 0; i < n; ++i) host[i] = (i * 7919) % 13;
  HIP_CHECK(hipMemcpy(in.device, host.data(), n * sizeof(int), hipMemcpyHostToDevice));
  scan<<<blocks, 256>>>(in.device, out.device, counter.device, reinterpret_cast<unsigned long long*>(state.device), n);
  auto got = out.read();
  for (int i = 0, sum = 0; i < n; ++i) expect(got[i] == (sum += host[i]), "sum", i);
}

// --- every block that the occupancy allows, and a barrier of them all -------------------------------------------------------
template <bool Sleep> __global__ void all_meet(int* arrived, int* values, int rounds) {
  const int blocks = gridDim.x;
  for (int r = 0; r < rounds; ++r) {
    if (threadIdx.x == 0) {
      values[(r & 1) * blocks + blockIdx.x] = values[(~r & 1) * blocks + (blockIdx.x + 1) % blocks] + 1;
      __threadfence();
      atomicAdd(arrived, 1);
      while (load(arrived) < (r + 1) * blocks)
        if (Sleep) __builtin_amdgcn_s_sleep(2);
    }
    __syncthreads();
  }
}
template <bool Sleep> static void grid_of_all() {
  int per_unit = 0;
  HIP_CHECK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&per_unit, reinterpret_cast<const void*>(all_meet<Sleep>), 256, 0));
  // All units, but no more blocks than a test has time for.
  const int blocks = per_unit * units() < 700 ? per_unit * units() : 700, rounds = 4;
  Memory arrived(1), values(2 * blocks);
  all_meet<Sleep><<<blocks, 256>>>(arrived.device, values.device, rounds);
  auto got = values.read();
  for (int b = 0; b < blocks; ++b) expect(got[((rounds - 1) & 1) * blocks + b] == rounds, "value after the last round", b);
}
static void resident() { grid_of_all<false>(); }
static void sleeping() { grid_of_all<true>(); }

// --- streams: the consumer runs first, and counts its looks -----------------------------------------------------------------
__global__ void produce(int* head, const int* tail, int* ring, int n) {
  for (int i = 0; i < n; ++i) {
    while (load(head) - load(tail) == 16) {}
    ring[i % 16] = i * i;
    store(head, i + 1);
  }
}
__global__ void consume(const int* head, int* tail, const int* ring, int n, int* sum, long long* looks) {
  for (int i = 0; i < n; ++i) {
    while (load(head) == i) ++*looks;
    *sum += static_cast<const volatile int*>(ring)[i % 16];
    store(tail, i + 1);
  }
}
static void streams() {
  const int n = 100, pairs = 3;
  Memory m(64 * pairs);
  std::vector<hipStream_t> s(2 * pairs);
  for (auto& x : s) HIP_CHECK(hipStreamCreateWithFlags(&x, hipStreamNonBlocking));
  for (int p = 0; p < pairs; ++p) {
    int* at = m.device + 64 * p;
    consume<<<1, 1, 0, s[2 * p]>>>(at, at + 1, at + 8, n, at + 2, reinterpret_cast<long long*>(at + 4));
  }
  for (int p = 0; p < pairs; ++p) {
    int* at = m.device + 64 * p;
    produce<<<1, 1, 0, s[2 * p + 1]>>>(at, at + 1, at + 8, n);
  }
  auto got = m.read();
  int want = 0;
  for (int i = 0; i < n; ++i) want += i * i;
  for (int p = 0; p < pairs; ++p) expect(got[64 * p + 2] == want, "sum of what came through the queue", p);
  for (auto& x : s) HIP_CHECK(hipStreamDestroy(x));
}

int main(int argc, char** argv) {
  struct { const char* name; void (*run)(); } const cases[] = {{"lanes", lanes},       {"ticket", ticket},     {"look_back", look_back},
                                                               {"resident", resident}, {"sleeping", sleeping}, {"streams", streams}};
  bool known = argc == 1;
  for (auto& c : cases) {
    bool wanted = argc == 1;
    for (int i = 1; i < argc; ++i) wanted |= std::string(argv[i]) == c.name;
    if (!wanted) continue;
    known = true;
    current = c.name;
    c.run();
  }
  if (!known) {
    std::fprintf(stderr, "usage: progress [lanes|ticket|look_back|resident|sleeping|streams]...\n");
    return 2;
  }
  return verdict(failures == 0);
}
