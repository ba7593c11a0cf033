// Device code that needs the host or the whole grid: printf with long strings, many waves and every conversion, its
// result, device malloc and free, and the barrier of a cooperative launch. Prints PASSED.
//   hipcc calls_device.hip -o calls_device && ./calls_device
#include <hip/hip_cooperative_groups.h>
#include <hip/hip_runtime.h>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace cg = cooperative_groups;

#define CHECK(call)                                                                                                    \
  do {                                                                                                                 \
    hipError_t status = (call);                                                                                        \
    if (status != hipSuccess) {                                                                                        \
      std::fprintf(stderr, "%s failed: %s\n", #call, hipGetErrorString(status));                                       \
      std::exit(1);                                                                                                    \
    }                                                                                                                  \
  } while (0)

static int failures = 0;
static void expect(bool ok, const std::string& what) {
  if (ok) return;
  ++failures;
  std::fprintf(stderr, "wrong: %s\n", what.c_str());
}

#define LONG_TEXT                                                                                                      \
  "a string that is much longer than the seven times eight bytes that one packet of a message has room for, so that it " \
  "travels in several pieces, which must arrive in order and without a gap"

__global__ void print(int* lengths) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  const char* word = id % 3 == 0 ? "zero" : id % 3 == 1 ? LONG_TEXT : "";
  lengths[id] = printf("%d|%s|%6.2f|%-5u|%05x|%lld|%c|%e|%%|%s\n", id, word, id * 0.25, id, id, (long long)id << 33,
                       'a' + id % 26, 1.0 / (id + 1), "end");
}
__global__ void print_some(int n) {
  for (int i = 0; i < n; ++i)
    if ((threadIdx.x * 7 + i) % 5 == 0) printf("some %d %d\n", threadIdx.x, i);
}

/// What the process writes to stdout while f runs.
template <class F> std::vector<std::string> captured(F f) {
  char name[] = "/tmp/bz_calls_XXXXXX";
  int file = mkstemp(name);
  std::fflush(stdout);
  int saved = dup(1);
  dup2(file, 1);
  f();
  std::fflush(stdout);
  dup2(saved, 1);
  close(saved);
  close(file);
  std::ifstream in(name);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  unlink(name);
  return lines;
}

void test_printf() {
  const int blocks = 5, threads = 200, n = blocks * threads;
  int* lengths;
  CHECK(hipMalloc(&lengths, n * sizeof(int)));
  std::vector<int> got(n);
  std::vector<std::string> lines = captured([&] {
    print<<<blocks, threads>>>(lengths);
    CHECK(hipMemcpy(got.data(), lengths, n * sizeof(int), hipMemcpyDeviceToHost));
    CHECK(hipDeviceSynchronize());
  });
  CHECK(hipFree(lengths));
  std::vector<std::string> want;
  for (int id = 0; id < n; ++id) {
    const char* word = id % 3 == 0 ? "zero" : id % 3 == 1 ? LONG_TEXT : "";
    char line[1024];
    int length = std::snprintf(line, sizeof line, "%d|%s|%6.2f|%-5u|%05x|%lld|%c|%e|%%|%s\n", id, word, id * 0.25, id, id,
                               (long long)id << 33, 'a' + id % 26, 1.0 / (id + 1), "end");
    expect(got[id] == length, "result of printf in work item " + std::to_string(id) + ": " + std::to_string(got[id]));
    want.push_back(std::string(line, length - 1));
  }
  std::sort(lines.begin(), lines.end());
  std::sort(want.begin(), want.end());
  expect(lines == want, "printf of " + std::to_string(n) + " work items: " + std::to_string(lines.size()) + " lines");

  lines = captured([] {
    print_some<<<3, 64>>>(40);
    CHECK(hipDeviceSynchronize());
  });
  expect(lines.size() == 3 * 64 * 40 / 5, "printf from a part of each wave: " + std::to_string(lines.size()) + " lines");
}

__global__ void allocate(int** out) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  int* p = (int*)malloc((id % 7 + 1) * sizeof(int));
  if (p)
    for (int i = 0; i <= id % 7; ++i) p[i] = id * 10 + i;
  out[id] = p;
}
__global__ void check_and_free(int** in, int* bad) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  int* p = in[id];
  if (!p)
    atomicAdd(bad, 1);
  else
    for (int i = 0; i <= id % 7; ++i)
      if (p[i] != id * 10 + i) atomicAdd(bad, 1);
  free(p);
}
void test_malloc() {
  int** pointers;
  int* bad;
  int count = -1;
  CHECK(hipMalloc(&pointers, 256 * sizeof(int*)));
  CHECK(hipMalloc(&bad, sizeof(int)));
  CHECK(hipMemset(bad, 0, sizeof(int)));
  allocate<<<2, 128>>>(pointers);
  check_and_free<<<2, 128>>>(pointers, bad);
  CHECK(hipMemcpy(&count, bad, sizeof(int), hipMemcpyDeviceToHost));
  expect(count == 0, "device malloc: " + std::to_string(count) + " bad blocks");
  CHECK(hipFree(pointers));
  CHECK(hipFree(bad));
}

__global__ void exchange(int* data, int* out, int rounds) {
  auto grid = cg::this_grid();
  int r = grid.thread_rank(), n = grid.size();
  for (int i = 0; i < rounds; ++i) {
    data[r] = r + i;
    grid.sync();
    int seen = data[(r + 65) % n];
    grid.sync();
    if (seen != (r + 65) % n + i) atomicAdd(&out[0], 1);
  }
  if (r == 0) out[1] = grid.is_valid();
}
void test_grid() {
  int blocks = 4, threads = 128, rounds = 20, *data, *out, result[2] = {-1, -1};
  CHECK(hipMalloc(&data, blocks * threads * sizeof(int)));
  CHECK(hipMalloc(&out, 2 * sizeof(int)));
  CHECK(hipMemset(out, 0, 2 * sizeof(int)));
  void* args[] = {&data, &out, &rounds};
  CHECK(hipLaunchCooperativeKernel((const void*)exchange, dim3(blocks), dim3(threads), args, 0, 0));
  CHECK(hipMemcpy(result, out, sizeof result, hipMemcpyDeviceToHost));
  expect(result[0] == 0, "grid.sync: " + std::to_string(result[0]) + " values seen too early or too late");
  expect(result[1] == 1, "grid.is_valid in a cooperative launch");
  CHECK(hipFree(data));
  CHECK(hipFree(out));
}

int main() {
  test_printf();
  test_malloc();
  test_grid();
  std::printf(failures ? "FAILED\n" : "PASSED\n");
  return failures != 0;
}
