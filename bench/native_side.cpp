// The native side of the comparison: what this machine can do without a GPU's program. Loops of several builds (native_loops.cpp),
// intrinsics (native_simd.cpp), OpenBLAS and oneDNN; all threads. Each case has variants; the best of a few runs is the one
// measured. Usage: native_side [--small] [--avx2]
#include "host_memory.hpp"
#include "native_loops.hpp"
#include "native_simd.hpp"
#include "side.hpp"

#include <cblas.h>
#include <oneapi/dnnl/dnnl.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

#include <omp.h>

namespace {
using namespace side;
using namespace native;

template <class T> T* upload(const std::vector<T>& data) {
  T* p = host_memory<T>(data.size());
  std::copy(data.begin(), data.end(), p);
  return p;
}
template <class T> std::vector<float> download(const T* p, size_t count) { return {p, p + count}; }
size_t squared(int n) { return static_cast<size_t>(n) * n; }

// ---- Threads

/// f(first, last) for each thread's part of 0 .. n, in multiples of `grain`.
template <class F> void parts(size_t n, size_t grain, F f) {
#pragma omp parallel
  {
    const size_t threads = omp_get_num_threads(), me = omp_get_thread_num(), grains = (n + grain - 1) / grain;
    const size_t first = std::min(n, grains * me / threads * grain), last = std::min(n, grains * (me + 1) / threads * grain);
    if (first < last) f(first, last);
  }
}
/// f(i) for 0 .. n, one at a time to whom is free.
template <class F> void each(int n, F f) {
#pragma omp parallel for schedule(dynamic, 1)
  for (int i = 0; i < n; ++i) f(i);
}

// ---- Variants

struct Variant {
  std::string name;
  std::function<void()> run;
};
Case best_of(std::string name, std::function<void()> prepare, std::function<std::vector<Variant>()> variants,
             std::function<std::vector<float>()> result) {
  auto best = std::make_shared<Variant>();
  return {std::move(name),
          [best, prepare = std::move(prepare), variants = std::move(variants)] {
            prepare();
            // In turns; who is far behind after the first turn is out.
            std::vector<Variant> all = variants();
            std::vector<double> seconds(all.size(), INFINITY);
            for (int turn = 0; turn < 8; ++turn) {
              const double least = *std::min_element(seconds.begin(), seconds.end());
              for (size_t i = 0; i < all.size(); ++i) {
                if (turn == 0)
                  all[i].run(); // warm
                else if (turn == 1 || seconds[i] < 1.5 * least)
                  seconds[i] = std::min(seconds[i], seconds_of(all[i].run));
              }
            }
            *best = all[static_cast<size_t>(std::min_element(seconds.begin(), seconds.end()) - seconds.begin())];
          },
          [best] { best->run(); }, std::move(result), [best] { return best->name; }};
}
bool avx2_only = false;
/// A variant for each build of the loops.
template <class F> std::vector<Variant> builds(F run, const std::string& more = "") {
  std::vector<Variant> all;
  for (const Loops* loops : {&kLoopsClangAvx2, &kLoopsGccAvx2, &kLoopsClang, &kLoopsGcc, &kLoopsGcc256})
    if (!avx2_only || loops == &kLoopsClangAvx2 || loops == &kLoopsGccAvx2)
      all.push_back({loops->name + more, [=] { run(*loops); }});
  return all;
}
std::vector<Variant> operator+(std::vector<Variant> a, const std::vector<Variant>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// ---- Data

float *x, *y, *z, sum;
const std::vector<float>& y_data() {
  static const std::vector<float> data = noise(sizes().elements, 5);
  return data;
}
void streams() {
  if (x) return;
  x = upload(noise(sizes().elements, 4));
  y = upload(y_data());
  z = host_memory<float>(sizes().elements);
}
std::vector<float> all_of_z() { return download(z, sizes().elements); }
constexpr size_t kPage = 4096 / sizeof(float);

unsigned *words, bins[256];
float *image, *image_out;
void images() {
  if (image) return;
  image = upload(noise(squared(sizes().image), 6));
  image_out = host_memory<float>(squared(sizes().image));
}
std::vector<float> image_result() {
  auto result = download(image_out, squared(sizes().image));
  std::fill_n(image_out, squared(sizes().image), 0.0f); // the stencil leaves the edge as it is
  return result;
}
Bodies bodies;
float* accelerations;
Options options;
int* pixels;

// ---- Cases

Case blas(const char* name, int Sizes::*size) {
  struct Data {
    float *a, *b, *c;
  };
  auto d = std::make_shared<Data>();
  return {name,
          [=] {
            const size_t n = squared(sizes().*size);
            *d = {upload(noise(n, 2)), upload(noise(n, 3)), host_memory<float>(n)};
          },
          [=] {
            const int n = sizes().*size;
            cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0f, d->a, n, d->b, n, 0.0f, d->c, n);
          },
          [=] { return download(d->c, squared(sizes().*size)); },
          [] { return std::string("OpenBLAS ") + openblas_get_corename(); }};
}

/// oneDNN; where it has nothing for bf16 (AVX2), OpenBLAS on the same numbers as floats.
Case bf16() {
  struct Data {
    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};
    dnnl::matmul product;
    dnnl::memory a, b, c;
    float *fa = nullptr, *fb = nullptr, *result = nullptr;
    std::string name;
  };
  auto d = std::make_shared<Data>();
  const auto prepare = [=] {
    using dnnl::memory;
    const int64_t n = sizes().matrix;
    d->result = host_memory<float>(squared(sizes().matrix));
    const auto a_bits = noise_bf16(squared(sizes().matrix), 2), b_bits = noise_bf16(squared(sizes().matrix), 3);
    try {
      // B is given by columns, as to the other side.
      const memory::desc a({n, n}, memory::data_type::bf16, memory::format_tag::ab),
          b({n, n}, memory::data_type::bf16, memory::format_tag::ba), c({n, n}, memory::data_type::f32, memory::format_tag::ab);
      const dnnl::matmul::primitive_desc primitive(dnnl::matmul::desc(a, b, c), d->engine);
      d->product = dnnl::matmul(primitive);
      d->name = std::string("oneDNN ") + primitive.impl_info_str();
      d->a = memory(a, d->engine, upload(a_bits));
      d->b = memory(b, d->engine, upload(b_bits));
      d->c = memory(c, d->engine, d->result);
    } catch (const dnnl::error&) {
      const auto widened = [](const std::vector<uint16_t>& bits) {
        auto* p = host_memory<float>(bits.size());
        for (size_t i = 0; i < bits.size(); ++i) {
          const uint32_t wide = static_cast<uint32_t>(bits[i]) << 16;
          std::memcpy(p + i, &wide, 4);
        }
        return p;
      };
      d->fa = widened(a_bits);
      d->fb = widened(b_bits);
      d->name = std::string("OpenBLAS ") + openblas_get_corename() + " in f32: oneDNN has no bf16 here";
    }
  };
  const auto run = [=] {
    const int n = sizes().matrix;
    if (d->fa) return cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, n, n, 1.0f, d->fa, n, d->fb, n, 0.0f, d->result, n);
    d->product.execute(d->stream, {{DNNL_ARG_SRC, d->a}, {DNNL_ARG_WEIGHTS, d->b}, {DNNL_ARG_DST, d->c}});
    d->stream.wait();
  };
  return {"bf16_mfma", prepare, run, [=] { return download(d->result, squared(sizes().matrix)); }, [=] { return d->name; }};
}

std::vector<Variant> nbody_variants() {
  const auto run = [](auto loop) {
    return [=](const Loops& l) {
      parts(sizes().bodies, 64, [&](size_t first, size_t last) {
        (l.*loop)(bodies, accelerations, sizes().bodies, static_cast<int>(first), static_cast<int>(last));
      });
    };
  };
  return builds(run(&Loops::nbody_by_other), ", vectors of those that attract") +
         builds(run(&Loops::nbody_by_self), ", vectors of those attracted");
}

std::vector<Variant> copy_variants() {
  auto all =
      builds([](const Loops& l) { parts(sizes().elements, kPage, [&](size_t a, size_t b) { l.copy(x + a, z + a, b - a); }); });
  all.push_back({"memcpy", [] {
                   parts(sizes().elements, kPage, [](size_t a, size_t b) { std::memcpy(z + a, x + a, (b - a) * sizeof(float)); });
                 }});
  for (const Simd& s : simd(!avx2_only))
    all.push_back({std::string(s.name) + ", non-temporal",
                   [=] { parts(sizes().elements, kPage, [&](size_t a, size_t b) { s.copy(x + a, z + a, b - a); }); }});
  return all;
}
std::vector<Variant> add_variants() {
  auto all = builds(
      [](const Loops& l) { parts(sizes().elements, kPage, [&](size_t a, size_t b) { l.add(x + a, y + a, z + a, b - a); }); });
  for (const Simd& s : simd(!avx2_only))
    all.push_back({std::string(s.name) + ", non-temporal",
                   [=] { parts(sizes().elements, kPage, [&](size_t a, size_t b) { s.add(x + a, y + a, z + a, b - a); }); }});
  return all;
}
void saxpy_by(const Loops& l) {
  parts(sizes().elements, kPage, [&](size_t a, size_t b) { l.saxpy(x + a, y + a, 1e-3f, b - a); });
}
void reduce_by(const Loops& l) {
  float total = 0.0f;
  parts(sizes().elements, kPage, [&](size_t a, size_t b) {
    const float mine = l.reduce(x + a, b - a);
#pragma omp atomic
    total += mine;
  });
  sum = total;
}
void histogram_by(const Loops& l) {
  std::fill_n(bins, 256, 0u);
  parts(sizes().bytes / 4, kPage, [&](size_t a, size_t b) {
    alignas(64) unsigned mine[4][256] = {};
    l.histogram(words + a, b - a, mine);
#pragma omp critical
    for (int i = 0; i < 256; ++i) bins[i] += mine[0][i] + mine[1][i] + mine[2][i] + mine[3][i];
  });
}

std::vector<Case> cases() {
  return {
      best_of("copy", streams, copy_variants, all_of_z),
      best_of("add", streams, add_variants, all_of_z),
      best_of(
          "saxpy", streams, [] { return builds(saxpy_by); },
          [] {
            std::copy(y_data().begin(), y_data().end(), y);
            saxpy_by(kLoopsClangAvx2);
            auto result = download(y, sizes().elements);
            std::copy(y_data().begin(), y_data().end(), y);
            return result;
          }),
      best_of(
          "reduce", streams, [] { return builds(reduce_by); }, [] { return std::vector<float>{sum}; }),
      best_of(
          "histogram", [] { words = upload(noise_bytes(sizes().bytes, 7)); }, [] { return builds(histogram_by); },
          [] { return download(bins, 256); }),
      best_of(
          "transpose", images,
          [] {
            return builds([](const Loops& l) {
              const int n = sizes().image;
              each(n / kTransposeTile,
                   [&](int i) { l.transpose(image, image_out, n, kTransposeTile * i, kTransposeTile * (i + 1)); });
            });
          },
          image_result),
      best_of(
          "stencil", images,
          [] {
            return builds([](const Loops& l) {
              const int n = sizes().image;
              parts(n - 2, 1, [&](size_t first, size_t last) {
                l.stencil(image, image_out, n, static_cast<int>(first) + 1, static_cast<int>(last) + 1);
              });
            });
          },
          image_result),
      blas("sgemm_naive", &Sizes::naive),
      blas("sgemm_tiled", &Sizes::tiled),
      blas("sgemm_mfma", &Sizes::matrix),
      bf16(),
      best_of(
          "nbody",
          [] {
            const size_t n = sizes().bodies;
            const auto data = noise(4 * n, 1);
            float* parts[4];
            for (int k = 0; k < 4; ++k) {
              parts[k] = host_memory<float>(n);
              for (size_t i = 0; i < n; ++i) parts[k][i] = data[4 * i + k];
            }
            bodies = {parts[0], parts[1], parts[2], parts[3]};
            accelerations = host_memory<float>(4 * n);
          },
          nbody_variants, [] { return download(accelerations, 4 * static_cast<size_t>(sizes().bodies)); }),
      best_of(
          "black_scholes",
          [] {
            const size_t n = sizes().options;
            float* prices = host_memory<float>(2 * n);
            options = {upload(scaled(noise(n, 8), 5, 30)),
                       upload(scaled(noise(n, 9), 1, 100)),
                       upload(scaled(noise(n, 10), 0.25f, 10)),
                       prices,
                       prices + n,
                       0.02f,
                       0.3f};
          },
          [] {
            return builds(
                [](const Loops& l) { parts(sizes().options, kPage, [&](size_t a, size_t b) { l.black_scholes(options, a, b); }); });
          },
          [] { return download(options.call, 2 * static_cast<size_t>(sizes().options)); }),
      best_of(
          "mandelbrot", [] { pixels = host_memory<int>(squared(sizes().pixels)); },
          [] {
            const auto rows = [](auto row) {
              each(sizes().pixels, [&](int y) { row(pixels, sizes().pixels, sizes().iterations, y); });
            };
            auto all = builds([=](const Loops& l) { rows(l.mandelbrot); });
            for (const Simd& s : simd(!avx2_only)) all.push_back({s.name, [=] { rows(s.mandelbrot); }});
            return all;
          },
          [] { return download(pixels, squared(sizes().pixels)); }),
      best_of(
          "empty", [] {},
          [] {
            return std::vector<Variant>{{"a parallel region", [] {
                                           parts(64, 1, [](size_t, size_t) { asm volatile("" ::: "memory"); });
                                         }}};
          },
          [] { return std::vector<float>(); }),
  };
}
} // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--small") == 0)
      sizes() = kSmall;
    else if (std::strcmp(argv[i], "--avx2") == 0)
      avx2_only = true;
    else
      return 2;
  }
  return serve(cases());
}
