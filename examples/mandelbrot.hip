// mandelbrot: computes a picture and writes it as mandelbrot.ppm (any image viewer shows it).
//   ./bz run examples/mandelbrot.hip [width] [height] [iterations] [file]
#include "example.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

// The same function runs on the GPU and, for the check, on the CPU. Every rounding is written down (fmaf, no contraction
// by the compiler), so both must agree to the last bit.
__host__ __device__ int escape_time(float cx, float cy, int iterations) {
#pragma clang fp contract(off)
  float x = 0.0f, y = 0.0f;
  int i = 0;
  while (i < iterations && fmaf(x, x, y * y) <= 4.0f) {
    float next = fmaf(x, x, fmaf(-y, y, cx));
    y = fmaf(x + x, y, cy);
    x = next;
    ++i;
  }
  return i;
}

struct View {
  float left, top, step;
};

__host__ __device__ int pixel(View v, int px, int py, int iterations) {
  return escape_time(fmaf(static_cast<float>(px), v.step, v.left), fmaf(static_cast<float>(py), v.step, v.top),
                     iterations);
}

__global__ void mandelbrot(View v, int width, int height, int iterations, int* out) {
  const int px = blockIdx.x * blockDim.x + threadIdx.x, py = blockIdx.y * blockDim.y + threadIdx.y;
  if (px < width && py < height) out[py * width + px] = pixel(v, px, py, iterations);
}

static bool write_ppm(const char* path, int width, int height, int iterations, const std::vector<int>& counts) {
  std::FILE* file = std::fopen(path, "wb");
  if (!file) {
    std::perror(path);
    return false;
  }
  std::fprintf(file, "P6\n%d %d\n255\n", width, height);
  for (int count : counts) {
    unsigned char rgb[3] = {0, 0, 0};
    if (count < iterations) {
      float t = std::sqrt(static_cast<float>(count) / iterations);
      rgb[0] = static_cast<unsigned char>(255 * std::min(1.0f, 3.0f * t));
      rgb[1] = static_cast<unsigned char>(255 * t);
      rgb[2] = static_cast<unsigned char>(64 + 191 * (1.0f - t));
    }
    std::fwrite(rgb, 1, 3, file);
  }
  const bool written = !std::ferror(file);
  return std::fclose(file) == 0 && written;
}

int main(int argc, char** argv) {
  const int width = size_argument(argc, argv, 1, 640, 16384), height = size_argument(argc, argv, 2, 480, 16384);
  const int iterations = size_argument(argc, argv, 3, 200, 1 << 20);
  const char* path = argc > 4 ? argv[4] : "mandelbrot.ppm";
  const float step = 3.0f / static_cast<float>(width);
  const View view{-2.2f, -0.5f * step * static_cast<float>(height), step};

  int* device_counts = nullptr;
  const size_t pixels = static_cast<size_t>(width) * height;
  HIP_CHECK(hipMalloc(&device_counts, pixels * sizeof(int)));
  const dim3 threads(16, 16), blocks((width + 15) / 16, (height + 15) / 16);
  mandelbrot<<<blocks, threads>>>(view, width, height, iterations, device_counts);
  HIP_CHECK(hipGetLastError());
  std::vector<int> counts(pixels);
  HIP_CHECK(hipMemcpy(counts.data(), device_counts, pixels * sizeof(int), hipMemcpyDeviceToHost));
  HIP_CHECK(hipFree(device_counts));

  if (!write_ppm(path, width, height, iterations, counts)) return verdict(false);
  std::printf("%d x %d pixels, up to %d iterations: %s\n", width, height, iterations, path);
  for (int py = 0; py < height; ++py)
    for (int px = 0; px < width; ++px)
      if (int expected = pixel(view, px, py, iterations); counts[py * width + px] != expected) {
        std::printf("pixel %d, %d took %d iterations, expected %d\n", px, py, counts[py * width + px], expected);
        return verdict(false);
      }
  return verdict(true);
}
