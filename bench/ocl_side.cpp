// The PoCL side of the comparison: the kernels of kernels.inc through OpenCL on the CPU. Usage: ocl_side KERNELS.INC
#define CL_TARGET_OPENCL_VERSION 120
#include "side.hpp"

#include <CL/cl.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace {
using namespace side;

cl_device_id device;
cl_context context;
cl_command_queue queue;
cl_program program;

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
#define GLOBAL_ID(d) ((int)get_global_id(d))
#define RSQRT(x) rsqrt(x)
#line 1 "kernels.inc"
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
  program = clCreateProgramWithSource(context, 1, &pointer, nullptr, &code);
  check(code, "clCreateProgramWithSource");
  if (clBuildProgram(program, 1, &device, "", nullptr, nullptr) != CL_SUCCESS) {
    std::string log(1 << 16, 0);
    clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, log.size(), log.data(), nullptr);
    std::fprintf(stderr, "%s\n", log.c_str());
    std::exit(2);
  }
}

template <class T> cl_mem upload(std::vector<T> data) {
  cl_int code = 0;
  cl_mem memory =
      clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, data.size() * sizeof(T), data.data(), &code);
  check(code, "clCreateBuffer");
  return memory;
}
template <class T> double sum_of(cl_mem memory, size_t count, size_t step = 1) {
  std::vector<T> data(count);
  check(clEnqueueReadBuffer(queue, memory, CL_TRUE, 0, count * sizeof(T), data.data(), 0, nullptr, nullptr), "read");
  return sum(data, step);
}

cl_kernel kernel(const char* name) {
  cl_int code = 0;
  cl_kernel k = clCreateKernel(program, name, &code);
  check(code, name);
  return k;
}
template <class... Args> void set_arguments(cl_kernel k, const Args&... values) {
  cl_uint index = 0;
  (check(clSetKernelArg(k, index++, sizeof values, &values), "clSetKernelArg"), ...);
}
void launch(cl_kernel k, size_t global_x, size_t global_y, size_t local_x, size_t local_y) {
  const size_t global[] = {global_x, global_y}, local[] = {local_x, local_y};
  check(clEnqueueNDRangeKernel(queue, k, 2, nullptr, global, local, 0, nullptr, nullptr), "clEnqueueNDRangeKernel");
  check(clFinish(queue), "clFinish");
}

cl_kernel k_mandelbrot, k_nbody, k_sgemm, k_saxpy, k_empty;
cl_mem pixels, accelerations, c;
} // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: ocl_side KERNELS.INC\n");
    return 2;
  }
  set_up(argv[1]);
  return side::serve({
      {"mandelbrot",
       [] {
         pixels = upload(std::vector<int>(kPixels * kPixels));
         set_arguments(k_mandelbrot = kernel("mandelbrot"), pixels, kPixels, kIterations);
       },
       [] { launch(k_mandelbrot, kPixels, kPixels, 64, 4); }, [] { return sum_of<int>(pixels, kPixels * kPixels); }},
      {"nbody",
       [] {
         accelerations = upload(std::vector<float>(4 * kBodies));
         set_arguments(k_nbody = kernel("nbody"), upload(noise(4 * kBodies, 1)), accelerations, kBodies);
       },
       [] { launch(k_nbody, kBodies, 1, 256, 1); }, [] { return sum_of<float>(accelerations, 4 * kBodies, 5); }},
      {"sgemm",
       [] {
         c = upload(std::vector<float>(kMatrix * kMatrix));
         set_arguments(k_sgemm = kernel("sgemm"), upload(noise(kMatrix * kMatrix, 2)), upload(noise(kMatrix * kMatrix, 3)),
                       c, kMatrix);
       },
       [] { launch(k_sgemm, kMatrix, kMatrix, 16, 16); }, [] { return sum_of<float>(c, kMatrix * kMatrix); }},
      {"saxpy",
       [] {
         set_arguments(k_saxpy = kernel("saxpy"), upload(noise(kElements, 4)), upload(std::vector<float>(kElements)), 1e-3f,
                       kElements);
       },
       [] { launch(k_saxpy, kElements, 1, 256, 1); }, [] { return 0.0; }},
      {"empty", [] { k_empty = kernel("empty"); }, [] { launch(k_empty, 64, 1, 64, 1); }, [] { return 0.0; }},
  });
}
