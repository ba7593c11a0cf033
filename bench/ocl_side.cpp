// The PoCL side of the comparison: the shared kernels through OpenCL on the CPU. Usage: ocl_side KERNELS.INC [--small]
// Tuned: the best of two ways to compile a kernel, buffers in huge pages that the device uses where they are.
#define CL_TARGET_OPENCL_VERSION 120
#include "host_memory.hpp"
#include "side.hpp"

#include <CL/cl.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <sstream>

namespace {
using namespace side;

cl_device_id device;
cl_context context;
cl_command_queue queue;
/// Ways to compile; `now` is the one that is used.
constexpr const char* kWays[] = {"", "-cl-fast-relaxed-math"};
constexpr int kWayCount = 2;
cl_program programs[kWayCount];
int now = 0;

void check(cl_int code, const char* what) {
  if (code == CL_SUCCESS) return;
  std::fprintf(stderr, "OpenCL: %s failed with %d\n", what, code);
  std::exit(2);
}

const char* const kPrelude = R"(
#define KERNEL __kernel
#define GLOBAL __global
#define LOCAL(type, name, count) __local type name[count]
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define LOCAL_ID(d) ((int)get_local_id(d))
#define GROUP_ID(d) ((int)get_group_id(d))
#define GLOBAL_ID(d) ((int)get_global_id(d))
#define RSQRT(x) rsqrt(x)
#define EXP(x) exp(x)
#define LOG(x) log(x)
#define SQRT(x) sqrt(x)
#define FABS(x) fabs(x)
#define LOCAL_INCREMENT(p) atomic_inc(p)
#define GLOBAL_ADD(p, v) atomic_add(p, v)
#line 1 "shared.inc"
)";

// The CPU device of the Portable Computing Language, whatever else is installed.
bool choose_device() {
  cl_platform_id platforms[16];
  cl_uint count = 0;
  if (clGetPlatformIDs(16, platforms, &count) != CL_SUCCESS) return false;
  for (cl_uint i = 0; i < count && i < 16; ++i) {
    char name[256] = "";
    clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, nullptr);
    if (!std::strstr(name, "Portable Computing Language")) continue;
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, nullptr) == CL_SUCCESS) return true;
  }
  return false;
}

void set_up(const char* path) {
  if (!choose_device()) {
    std::fprintf(stderr, "OpenCL: PoCL offers no CPU device (Debian's package pocl-opencl-icd)\n");
    std::exit(2);
  }
  char version[256] = "";
  clGetDeviceInfo(device, CL_DEVICE_VERSION, sizeof version, version, nullptr);
  std::fprintf(stderr, "%s\n", version);
  cl_int code = 0;
  context = clCreateContext(nullptr, 1, &device, nullptr, nullptr, &code);
  check(code, "clCreateContext");
  queue = clCreateCommandQueue(context, device, 0, &code);
  check(code, "clCreateCommandQueue");
  std::ifstream file(path);
  std::stringstream text;
  text << kPrelude << file.rdbuf();
  if (!file) {
    std::fprintf(stderr, "cannot read %s\n", path);
    std::exit(2);
  }
  const std::string source = text.str();
  const char* pointer = source.c_str();
  for (int way = 0; way < kWayCount; ++way) {
    programs[way] = clCreateProgramWithSource(context, 1, &pointer, nullptr, &code);
    check(code, "clCreateProgramWithSource");
    if (clBuildProgram(programs[way], 1, &device, kWays[way], nullptr, nullptr) == CL_SUCCESS) continue;
    std::string log(1 << 16, 0);
    clGetProgramBuildInfo(programs[way], device, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
    std::fprintf(stderr, "%s\n", log.c_str());
    std::exit(2);
  }
}

/// A buffer and the host's view of it.
template <class T> struct Buffer {
  T* host = nullptr;
  size_t count = 0;
  cl_mem memory = nullptr;
  Buffer() = default;
  explicit Buffer(size_t n) : host(host_memory<T>(n)), count(n) {
    cl_int code = 0;
    memory = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_USE_HOST_PTR, n * sizeof(T), host, &code);
    check(code, "clCreateBuffer");
  }
  explicit Buffer(const std::vector<T>& data) : Buffer(data.size()) { write(data); }
  void write(const std::vector<T>& data) {
    check(clEnqueueWriteBuffer(queue, memory, CL_TRUE, 0, count * sizeof(T), data.data(), 0, nullptr, nullptr), "write");
  }
  std::vector<float> read() const {
    std::vector<T> data(count);
    check(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, count * sizeof(T), data.data(), 0, nullptr, nullptr), "read");
    return as_floats(data);
  }
};

/// One for each way to compile.
struct Kernel {
  cl_kernel ways[kWayCount] = {};
};
Kernel kernel(const char* name) {
  Kernel k;
  for (int way = 0; way < kWayCount; ++way) {
    cl_int code = 0;
    k.ways[way] = clCreateKernel(programs[way], name, &code);
    check(code, name);
  }
  return k;
}
template <class T> void set_argument(const Kernel& k, cl_uint index, const T& value) {
  for (cl_kernel way : k.ways) check(clSetKernelArg(way, index, sizeof value, &value), "clSetKernelArg");
}
template <class T> void set_argument(const Kernel& k, cl_uint index, const Buffer<T>& value) {
  set_argument(k, index, value.memory);
}
template <class... Args> void set_arguments(const Kernel& k, const Args&... values) {
  cl_uint index = 0;
  (set_argument(k, index++, values), ...);
}
void launch(const Kernel& k, size_t global_x, size_t global_y, size_t local_x, size_t local_y) {
  const size_t global[] = {global_x, global_y}, local[] = {local_x, local_y};
  check(clEnqueueNDRangeKernel(queue, k.ways[now], 2, nullptr, global, local, 0, nullptr, nullptr), "clEnqueueNDRangeKernel");
}
void finish() { check(clFinish(queue), "clFinish"); }
/// Work-items for `count`, in whole groups of 256.
size_t rounded(size_t count) { return (count + 255) / 256 * 256; }
size_t squared(int n) { return static_cast<size_t>(n) * n; }

Kernel k_add, k_saxpy, k_reduce, k_histogram, k_transpose, k_stencil, k_nbody, k_options, k_mandelbrot, k_empty;
Buffer<float> x, y, z, sums[2], image, image_out, accelerations, prices;
Buffer<unsigned> words, bins;
Buffer<int> pixels;
int last_sum;

const std::vector<float>& y_data() {
  static const std::vector<float> data = noise(sizes().elements, 5);
  return data;
}
void streams() {
  if (x.host) return;
  x = Buffer(noise(sizes().elements, 4));
  y = Buffer(y_data());
  z = Buffer<float>(sizes().elements);
}
void images() {
  if (image.host) return;
  image = Buffer(noise(squared(sizes().image), 6));
  image_out = Buffer<float>(squared(sizes().image));
}
std::vector<float> image_result() {
  auto result = image_out.read();
  image_out.write(std::vector<float>(image_out.count)); // the stencil leaves the edge as it is
  return result;
}

// Products of matrices in groups of 16 x 16: the kernel `which` of these.
constexpr const char* kProducts[] = {"sgemm_naive", "sgemm_tiled"};
template <int which> int product_size() { return which == 0 ? sizes().naive : sizes().tiled; }
template <int which> Case product() {
  static Kernel k;
  static Buffer<float> c;
  return {kProducts[which],
          [] {
            const int n = product_size<which>();
            c = Buffer<float>(squared(n));
            set_arguments(k = kernel(kProducts[which]), Buffer(noise(squared(n), 2)), Buffer(noise(squared(n), 3)), c, n);
          },
          [] {
            launch(k, product_size<which>(), product_size<which>(), 16, 16);
            finish();
          },
          [] { return c.read(); }};
}

std::vector<Case> cases() {
  return {
      {"add",
       [] {
         streams();
         set_arguments(k_add = kernel("add"), x, y, z, static_cast<int>(sizes().elements));
       },
       [] {
         launch(k_add, rounded(sizes().elements), 1, 256, 1);
         finish();
       },
       [] { return z.read(); }},
      {"saxpy",
       [] {
         streams();
         set_arguments(k_saxpy = kernel("saxpy"), x, y, 1e-3f, static_cast<int>(sizes().elements));
       },
       [] {
         launch(k_saxpy, rounded(sizes().elements), 1, 256, 1);
         finish();
       },
       [] {
         y.write(y_data());
         launch(k_saxpy, rounded(sizes().elements), 1, 256, 1);
         auto result = y.read();
         y.write(y_data());
         return result;
       }},
      {"reduce",
       [] {
         streams();
         k_reduce = kernel("reduce");
         for (auto& s : sums) s = Buffer<float>(sizes().elements / 2048 + 1);
       },
       [] {
         const Buffer<float>* in = &x;
         int n = static_cast<int>(sizes().elements), which = 0;
         do {
           set_arguments(k_reduce, *in, sums[which], n);
           n = (n + 2047) / 2048;
           launch(k_reduce, static_cast<size_t>(n) * 256, 1, 256, 1);
           in = &sums[which];
           last_sum = which;
           which ^= 1;
         } while (n > 1);
         finish();
       },
       [] { return std::vector<float>{sums[last_sum].read()[0]}; }},
      {"histogram",
       [] {
         words = Buffer(noise_bytes(sizes().bytes, 7));
         bins = Buffer<unsigned>(256);
         set_arguments(k_histogram = kernel("histogram"), words, bins, static_cast<int>(sizes().bytes / 4));
       },
       [] {
         const unsigned zero = 0;
         check(clEnqueueFillBuffer(queue, bins.memory, &zero, sizeof zero, 0, 256 * sizeof zero, 0, nullptr, nullptr), "fill");
         launch(k_histogram, (sizes().bytes + 16383) / 16384 * 256, 1, 256, 1);
         finish();
       },
       [] { return bins.read(); }},
      {"transpose",
       [] {
         images();
         set_arguments(k_transpose = kernel("transpose"), image, image_out, sizes().image);
       },
       [] {
         launch(k_transpose, sizes().image, sizes().image / 4, 32, 8);
         finish();
       },
       image_result},
      {"stencil",
       [] {
         images();
         set_arguments(k_stencil = kernel("stencil"), image, image_out, sizes().image);
       },
       [] {
         launch(k_stencil, sizes().image, sizes().image, 64, 4);
         finish();
       },
       image_result},
      product<0>(),
      product<1>(),
      {"nbody",
       [] {
         accelerations = Buffer<float>(4 * static_cast<size_t>(sizes().bodies));
         set_arguments(k_nbody = kernel("nbody"), Buffer(noise(4 * static_cast<size_t>(sizes().bodies), 1)), accelerations,
                       sizes().bodies);
       },
       [] {
         launch(k_nbody, sizes().bodies, 1, 256, 1);
         finish();
       },
       [] { return accelerations.read(); }},
      {"black_scholes",
       [] {
         const size_t n = sizes().options;
         prices = Buffer<float>(2 * n);
         const cl_buffer_region half{n * sizeof(float), n * sizeof(float)};
         cl_int code = 0;
         cl_mem put = clCreateSubBuffer(prices.memory, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &half, &code);
         check(code, "clCreateSubBuffer");
         set_arguments(k_options = kernel("black_scholes"), Buffer(scaled(noise(n, 8), 5, 30)), Buffer(scaled(noise(n, 9), 1, 100)),
                       Buffer(scaled(noise(n, 10), 0.25f, 10)), prices, put, 0.02f, 0.3f, sizes().options);
       },
       [] {
         launch(k_options, rounded(sizes().options), 1, 256, 1);
         finish();
       },
       [] { return prices.read(); }},
      {"mandelbrot",
       [] {
         pixels = Buffer<int>(squared(sizes().pixels));
         set_arguments(k_mandelbrot = kernel("mandelbrot"), pixels, sizes().pixels, sizes().iterations);
       },
       [] {
         launch(k_mandelbrot, sizes().pixels, sizes().pixels, 64, 4);
         finish();
       },
       [] { return pixels.read(); }},
      {"empty", [] { k_empty = kernel("empty"); },
       [] {
         launch(k_empty, 64, 1, 64, 1);
         finish();
       },
       [] { return std::vector<float>(); }},
  };
}

/// Tries the ways to compile a case and stays with the best.
Case tuned(Case c) {
  auto best = std::make_shared<int>(0);
  c.prepare = [best, prepare = c.prepare, run = c.run] {
    prepare();
    double least = INFINITY;
    for (now = 0; now < kWayCount; ++now) {
      run(); // compiles
      for (int i = 0; i < 2; ++i)
        if (const double seconds = seconds_of(run); seconds < least) {
          least = seconds;
          *best = now;
        }
    }
  };
  c.run = [best, run = c.run] {
    now = *best;
    run();
  };
  c.note = [best] { return std::string("PoCL ") + (*kWays[*best] ? kWays[*best] : "without options"); };
  return c;
}
} // namespace

int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[2], "--small") == 0)
    sizes() = kSmall;
  else if (argc != 2) {
    std::fprintf(stderr, "usage: ocl_side KERNELS.INC [--small]\n");
    return 2;
  }
  set_up(argv[1]);
  std::vector<Case> all;
  for (const Case& c : cases()) all.push_back(tuned(c));
  return serve(all);
}
