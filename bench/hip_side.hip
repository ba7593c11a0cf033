// The Boltzmann side of the comparison: the kernels through HIP.
// Usage: hip_side [--small] [--once NAME]. --once: runs one kernel once, after an empty one, and says on stderr where it begins.
#include "side.hpp"

#include <examples/example.hpp>

#define KERNEL extern "C" __global__
#define GLOBAL
#define LOCAL(type, name, count) __shared__ type name[count]
#define BARRIER() __syncthreads()
#define DIMENSION(what, d) ((d) == 0 ? what.x : (d) == 1 ? what.y : what.z)
#define LOCAL_ID(d) static_cast<int>(DIMENSION(threadIdx, d))
#define GROUP_ID(d) static_cast<int>(DIMENSION(blockIdx, d))
#define GLOBAL_ID(d) static_cast<int>(DIMENSION(blockIdx, d) * DIMENSION(blockDim, d) + DIMENSION(threadIdx, d))
#define RSQRT(x) rsqrtf(x)
#define EXP(x) expf(x)
#define LOG(x) logf(x)
#define SQRT(x) sqrtf(x)
#define FABS(x) fabsf(x)
#define LOCAL_INCREMENT(p) atomicAdd(p, 1u)
#define GLOBAL_ADD(p, v) atomicAdd(p, v)
#include "kernels/shared.inc"

#include "kernels/large.inc"
#include "kernels/matrix.inc"

// Only here: PoCL's table has none.
KERNEL void copy(const float* x, float* z, int n) {
  const int i = GLOBAL_ID(0);
  if (i < n) z[i] = x[i];
}

namespace {
using namespace side;

template <class T> T* make(size_t count) {
  T* p = nullptr;
  HIP_CHECK(hipMalloc(&p, count * sizeof(T)));
  HIP_CHECK(hipMemset(p, 0, count * sizeof(T)));
  return p;
}
template <class T> T* upload(const std::vector<T>& data) {
  T* p = nullptr;
  HIP_CHECK(hipMalloc(&p, data.size() * sizeof(T)));
  HIP_CHECK(hipMemcpy(p, data.data(), data.size() * sizeof(T), hipMemcpyHostToDevice));
  return p;
}
template <class T> std::vector<float> download(const T* p, size_t count) {
  std::vector<T> data(count);
  HIP_CHECK(hipMemcpy(data.data(), p, count * sizeof(T), hipMemcpyDeviceToHost));
  return as_floats(data);
}
void finish() {
  HIP_CHECK(hipGetLastError());
  HIP_CHECK(hipDeviceSynchronize());
}
int groups(size_t count, int of) { return static_cast<int>((count + of - 1) / of); }
size_t squared(int n) { return static_cast<size_t>(n) * n; }

// What streams through memory shares three arrays; saxpy's result is the only one that depends on the last run's.
float *x, *y, *z;
const std::vector<float>& y_data() {
  static const std::vector<float> data = noise(sizes().elements, 5);
  return data;
}
void streams() {
  if (x) return;
  x = upload(noise(sizes().elements, 4));
  y = upload(y_data());
  z = make<float>(sizes().elements);
}
std::vector<float> all_of_z() { return download(z, sizes().elements); }

template <auto kernel, int Sizes::*n> Case product(const char* name) {
  static float *a, *b, *c;
  return {name,
          [] {
            a = upload(noise(squared(sizes().*n), 2));
            b = upload(noise(squared(sizes().*n), 3));
            c = make<float>(squared(sizes().*n));
          },
          [] {
            kernel<<<dim3(sizes().*n / 16, sizes().*n / 16), dim3(16, 16)>>>(a, b, c, sizes().*n);
            finish();
          },
          [] { return download(c, squared(sizes().*n)); }};
}

float *sums[2], *sum;
unsigned *words, *bins;
float *image, *image_out;
void images() {
  if (image) return;
  image = upload(noise(squared(sizes().image), 6));
  image_out = make<float>(squared(sizes().image));
}
std::vector<float> image_result() {
  auto result = download(image_out, squared(sizes().image));
  HIP_CHECK(hipMemset(image_out, 0, squared(sizes().image) * sizeof(float))); // the stencil leaves the edge as it is
  return result;
}
float *fa, *fb, *fc, *bc;
short *ba, *bb;
float *bodies, *accelerations, *options[5];
int* pixels;

std::vector<Case> cases() {
  return {
      {"copy", streams, [] { copy<<<groups(sizes().elements, 256), 256>>>(x, z, sizes().elements); finish(); }, all_of_z},
      {"add", streams, [] { add<<<groups(sizes().elements, 256), 256>>>(x, y, z, sizes().elements); finish(); }, all_of_z},
      {"saxpy", streams, [] { saxpy<<<groups(sizes().elements, 256), 256>>>(x, y, 1e-3f, sizes().elements); finish(); },
       [] {
         HIP_CHECK(hipMemcpy(y, y_data().data(), sizes().elements * sizeof(float), hipMemcpyHostToDevice));
         saxpy<<<groups(sizes().elements, 256), 256>>>(x, y, 1e-3f, sizes().elements);
         finish();
         auto result = download(y, sizes().elements);
         HIP_CHECK(hipMemcpy(y, y_data().data(), sizes().elements * sizeof(float), hipMemcpyHostToDevice));
         return result;
       }},
      {"reduce",
       [] {
         streams();
         for (auto& s : sums) s = make<float>(sizes().elements / 2048 + 1);
       },
       [] {
         const float* in = x;
         int n = static_cast<int>(sizes().elements), which = 0;
         do {
           reduce<<<groups(n, 2048), 256>>>(in, sums[which], n);
           n = groups(n, 2048);
           in = sums[which];
           which ^= 1;
         } while (n > 1);
         sum = sums[which ^ 1];
         finish();
       },
       [] { return download(sum, 1); }},
      {"histogram",
       [] {
         words = upload(noise_bytes(sizes().bytes, 7));
         bins = make<unsigned>(256);
       },
       [] {
         HIP_CHECK(hipMemsetAsync(bins, 0, 256 * sizeof(unsigned)));
         histogram<<<groups(sizes().bytes, 16384), 256>>>(words, bins, static_cast<int>(sizes().bytes / 4));
         finish();
       },
       [] { return download(bins, 256); }},
      {"transpose", images,
       [] {
         const int n = sizes().image;
         transpose<<<dim3(n / 32, n / 32), dim3(32, 8)>>>(image, image_out, n);
         finish();
       },
       image_result},
      {"stencil", images,
       [] {
         const int n = sizes().image;
         stencil<<<dim3(n / 64, n / 4), dim3(64, 4)>>>(image, image_out, n);
         finish();
       },
       image_result},
      product<sgemm_naive, &Sizes::naive>("sgemm_naive"),
      product<sgemm_tiled, &Sizes::tiled>("sgemm_tiled"),
      {"sgemm_mfma",
       [] {
         fa = upload(noise(squared(sizes().matrix), 2));
         fb = upload(noise(squared(sizes().matrix), 3));
         fc = make<float>(squared(sizes().matrix));
       },
       [] {
         const int n = sizes().matrix;
         sgemm_mfma<<<dim3(n / 128, n / 128), 256>>>(fa, fb, fc, n);
         finish();
       },
       [] { return download(fc, squared(sizes().matrix)); }},
      {"bf16_mfma",
       [] {
         const auto bits = [](unsigned seed) {
           const auto data = noise_bf16(squared(sizes().matrix), seed);
           return upload(std::vector<short>(data.begin(), data.end()));
         };
         ba = bits(2);
         bb = bits(3);
         bc = make<float>(squared(sizes().matrix));
       },
       [] {
         const int n = sizes().matrix;
         bf16_mfma<<<dim3(n / 128, n / 128), 256>>>(ba, bb, bc, n);
         finish();
       },
       [] { return download(bc, squared(sizes().matrix)); }},
      {"nbody",
       [] {
         bodies = upload(noise(4 * static_cast<size_t>(sizes().bodies), 1));
         accelerations = make<float>(4 * static_cast<size_t>(sizes().bodies));
       },
       [] {
         nbody<<<sizes().bodies / 256, 256>>>(reinterpret_cast<float4*>(bodies), reinterpret_cast<float4*>(accelerations),
                                              sizes().bodies);
         finish();
       },
       [] { return download(accelerations, 4 * static_cast<size_t>(sizes().bodies)); }},
      {"black_scholes",
       [] {
         const size_t n = sizes().options;
         options[0] = upload(scaled(noise(n, 8), 5, 30));
         options[1] = upload(scaled(noise(n, 9), 1, 100));
         options[2] = upload(scaled(noise(n, 10), 0.25f, 10));
         options[3] = make<float>(2 * n);
         options[4] = options[3] + n;
       },
       [] {
         black_scholes<<<groups(sizes().options, 256), 256>>>(options[0], options[1], options[2], options[3], options[4], 0.02f,
                                                              0.3f, sizes().options);
         finish();
       },
       [] { return download(options[3], 2 * static_cast<size_t>(sizes().options)); }},
      {"mandelbrot", [] { pixels = make<int>(squared(sizes().pixels)); },
       [] {
         mandelbrot<<<dim3(sizes().pixels / 64, sizes().pixels / 4), dim3(64, 4)>>>(pixels, sizes().pixels, sizes().iterations);
         finish();
       },
       [] { return download(pixels, squared(sizes().pixels)); }},
      {"empty", [] {}, [] { empty<<<1, 64>>>(); finish(); }, [] { return std::vector<float>(); }},
      {"large_straight",
       [] {
         bodies = upload(noise(4 * 4096, 1));
         accelerations = make<float>(4 * 4096);
       },
       [] {
         large_straight<<<16, 256>>>(reinterpret_cast<float4*>(bodies), reinterpret_cast<float4*>(accelerations));
         finish();
       },
       [] { return download(accelerations, 4 * 4096); }},
      {"large_branches", [] { x = upload(noise(4096, 4)); }, [] { large_branches<<<16, 256>>>(x, 100.0f); finish(); },
       [] { return download(x, 4096); }},
  };
}

int once(const char* name) {
  empty<<<1, 64>>>(); // the runtime is up, the compiler of kernels is loaded
  finish();
  for (const Case& c : cases())
    if (c.name == name) {
      c.prepare();
      std::fprintf(stderr, "bench: %s begins\n", name);
      c.run();
      return 0;
    }
  std::fprintf(stderr, "no case '%s'\n", name);
  return 2;
}
} // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--small") == 0) sizes() = kSmall;
    else if (std::strcmp(argv[i], "--once") == 0 && i + 1 < argc) return once(argv[i + 1]);
    else return 2;
  }
  return serve(cases());
}
