// Wrong calls must give the documented code, and the program must go on working afterwards. One case a run, by name.
//   bad_input CASE [file]
#include "examples/example.hpp"

#include <cstring>
#include <string>
#include <vector>

static int failures = 0;

// The call must fail with the given code; what it left as the last error is taken away.
#define EXPECT_ERROR(code, call)                                                                                       \
  do {                                                                                                                 \
    hipError_t got_ = (call);                                                                                          \
    (void)hipGetLastError();                                                                                           \
    if (got_ != (code)) {                                                                                              \
      std::printf("line %d: %s gave %s, expected %s\n", __LINE__, #call, hipGetErrorName(got_), #code);                \
      ++failures;                                                                                                      \
    }                                                                                                                  \
  } while (0)

__global__ void store(int* p, int value) { *p = value; }
__global__ void needs_lds(int* p) {
  extern __shared__ int dynamic[];
  dynamic[threadIdx.x] = threadIdx.x;
  __syncthreads();
  *p = dynamic[0];
}

static hipError_t launch(void (*kernel)(int*, int), dim3 grid, dim3 block, size_t lds, int* p) {
  kernel<<<grid, block, lds>>>(p, 1);
  return hipGetLastError();
}

// After the errors the device must still be usable.
static void still_works() {
  int *p = nullptr, value = 0;
  HIP_CHECK(hipMalloc(&p, sizeof(int)));
  store<<<1, 1>>>(p, 42);
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipMemcpy(&value, p, sizeof value, hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(p));
  if (value != 42) {
    std::printf("after the errors a kernel stored %d instead of 42\n", value);
    ++failures;
  }
}

static void pointers() {
  int on_stack = 0, *p = nullptr;
  EXPECT_ERROR(hipErrorInvalidValue, hipMalloc(static_cast<void**>(nullptr), 4));
  EXPECT_ERROR(hipErrorInvalidValue, hipMemcpy(nullptr, &on_stack, 4, hipMemcpyHostToDevice));
  EXPECT_ERROR(hipErrorInvalidValue, hipMemset(nullptr, 0, 4));
  EXPECT_ERROR(hipSuccess, hipFree(nullptr));
  EXPECT_ERROR(hipErrorInvalidValue, hipFree(&on_stack));
  HIP_CHECK(hipMalloc(&p, 4096));
  EXPECT_ERROR(hipErrorInvalidValue, hipFree(p + 1)); // not the start of an allocation
  EXPECT_ERROR(hipErrorInvalidValue, hipMemset(p, 0, 1 << 30)); // far beyond the end
  HIP_CHECK(hipFree(p));
  EXPECT_ERROR(hipErrorInvalidValue, hipFree(p)); // a second time
  EXPECT_ERROR(hipErrorInvalidMemcpyDirection, hipMemcpy(&on_stack, &on_stack, 4, static_cast<hipMemcpyKind>(77)));
  EXPECT_ERROR(hipErrorOutOfMemory, hipMalloc(&p, size_t(1) << 60));
  still_works();
}

static void handles() {
  hipStream_t stream;
  hipEvent_t event;
  HIP_CHECK(hipStreamCreate(&stream));
  HIP_CHECK(hipStreamDestroy(stream));
  HIP_CHECK(hipEventCreate(&event));
  HIP_CHECK(hipEventDestroy(event));
  EXPECT_ERROR(hipErrorInvalidResourceHandle, hipStreamDestroy(nullptr));
  EXPECT_ERROR(hipErrorInvalidHandle, hipEventSynchronize(nullptr));
  EXPECT_ERROR(hipErrorInvalidValue, hipEventCreate(nullptr));
  EXPECT_ERROR(hipErrorInvalidValue, hipStreamCreate(nullptr));
  EXPECT_ERROR(hipErrorInvalidDevice, hipSetDevice(1000));
  EXPECT_ERROR(hipErrorInvalidDevice, hipSetDevice(-1));
  still_works();
}

static void limits() {
  int* p = nullptr;
  HIP_CHECK(hipMalloc(&p, 4096));
  EXPECT_ERROR(hipErrorInvalidConfiguration, launch(store, 1, 1025, 0, p));          // 1024 threads a block at most
  EXPECT_ERROR(hipErrorInvalidConfiguration, launch(store, 1, dim3(32, 32, 2), 0, p)); // also by their product
  EXPECT_ERROR(hipErrorInvalidConfiguration, launch(store, 1, 0, 0, p));
  EXPECT_ERROR(hipErrorInvalidConfiguration, launch(store, 0, 1, 0, p));
  EXPECT_ERROR(hipErrorInvalidConfiguration, launch(store, dim3(0x7fffffff, 2, 1), dim3(1024), 0, p)); // grid in threads > 2^32
  EXPECT_ERROR(hipErrorOutOfMemory, launch(store, 1, 1, 1 << 20, p)); // 1 MB of LDS
  needs_lds<<<1, 64, 60 * 1024>>>(p); // just fits on every target here
  EXPECT_ERROR(hipSuccess, hipGetLastError());
  EXPECT_ERROR(hipSuccess, hipDeviceSynchronize());
  HIP_CHECK(hipFree(p));
  still_works();
}

static std::vector<char> read_file(const char* path) {
  std::vector<char> bytes;
  std::FILE* file = std::fopen(path, "rb");
  if (!file) {
    std::perror(path);
    std::exit(2);
  }
  char block[4096];
  for (size_t n; (n = std::fread(block, 1, sizeof block, file)) > 0;) bytes.insert(bytes.end(), block, block + n);
  std::fclose(file);
  return bytes;
}

// `path` is a good code object: whole it loads, in pieces it doesn't, and nothing crashes.
static void truncated(const char* path) {
  const std::vector<char> whole = read_file(path);
  hipModule_t module;
  hipFunction_t function;
  HIP_CHECK(hipModuleLoadData(&module, whole.data()));
  EXPECT_ERROR(hipErrorNotFound, hipModuleGetFunction(&function, module, "no_such_kernel"));
  HIP_CHECK(hipModuleUnload(module));
  EXPECT_ERROR(hipErrorInvalidValue, hipModuleLoadData(&module, nullptr));
  EXPECT_ERROR(hipErrorFileNotFound, hipModuleLoad(&module, "no such file"));
  // hipModuleLoadData knows no length, so the pieces go through files.
  const std::string piece = "piece.co";
  for (size_t length : {size_t(0), size_t(1), size_t(16), size_t(63), size_t(64), whole.size() / 3, whole.size() / 2, whole.size() - 64}) {
    std::FILE* file = std::fopen(piece.c_str(), "wb");
    if (!file || std::fwrite(whole.data(), 1, length, file) != length || std::fclose(file)) {
      std::perror(piece.c_str());
      std::exit(2);
    }
    EXPECT_ERROR(hipErrorInvalidImage, hipModuleLoad(&module, piece.c_str()));
  }
  // Bytes overwritten here and there: any code, but no crash and no hang.
  unsigned random = 7;
  for (int i = 0; i < 300; ++i) {
    std::vector<char> hostile = whole;
    for (int k = 0; k < 8; ++k) {
      random = random * 1664525u + 1013904223u;
      hostile[(random >> 8) % hostile.size()] = static_cast<char>(random);
    }
    if (hipModuleLoadData(&module, hostile.data()) == hipSuccess) (void)hipModuleUnload(module);
    (void)hipGetLastError();
  }
  still_works();
}

// `path` is a code object for another target.
static void wrong_target_module(const char* path) {
  hipModule_t module;
  EXPECT_ERROR(hipErrorNoBinaryForGpu, hipModuleLoad(&module, path));
  const std::vector<char> bytes = read_file(path);
  EXPECT_ERROR(hipErrorNoBinaryForGpu, hipModuleLoadData(&module, bytes.data()));
}

// For a program compiled for another target than the device's.
static void wrong_target_launch() {
  int* p = nullptr;
  HIP_CHECK(hipMalloc(&p, sizeof(int)));
  EXPECT_ERROR(hipErrorInvalidDeviceFunction, launch(store, 1, 1, 0, p));
  HIP_CHECK(hipFree(p));
}

int main(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  const char* file = argc > 2 ? argv[2] : "";
  if (name == "pointers") pointers();
  else if (name == "handles") handles();
  else if (name == "limits") limits();
  else if (name == "truncated") truncated(file);
  else if (name == "wrong_target_module") wrong_target_module(file);
  else if (name == "wrong_target_launch") wrong_target_launch();
  else {
    std::fprintf(stderr, "usage: bad_input pointers|handles|limits|truncated|wrong_target_module|wrong_target_launch [file]\n");
    return 2;
  }
  return verdict(failures == 0);
}
