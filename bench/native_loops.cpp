// See native_loops.hpp. LOOPS names the table, LOOPS_NAME is what it is called in the output.
#include "native_loops.hpp"

#include <algorithm>
#include <cmath>

namespace native {
namespace {

void copy(const float* __restrict x, float* __restrict z, size_t n) {
  for (size_t i = 0; i < n; ++i) z[i] = x[i];
}
void add(const float* __restrict x, const float* __restrict y, float* __restrict z, size_t n) {
  for (size_t i = 0; i < n; ++i) z[i] = x[i] + y[i];
}
void saxpy(const float* __restrict x, float* __restrict y, float a, size_t n) {
  for (size_t i = 0; i < n; ++i) y[i] = a * x[i] + y[i];
}

float reduce(const float* x, size_t n) {
  float total = 0.0f;
  for (size_t first = 0; first < n; first += 1 << 16) { // no lane adds up so much that it forgets the small ones
    const size_t last = std::min<size_t>(n, first + (1 << 16));
    float part = 0.0f;
    for (size_t i = first; i < last; ++i) part += x[i];
    total += part;
  }
  return total;
}

void histogram(const unsigned* words, size_t n, unsigned (*bins)[256]) {
  for (size_t i = 0; i < n; ++i) {
    const unsigned w = words[i];
    ++bins[0][w & 255];
    ++bins[1][w >> 8 & 255];
    ++bins[2][w >> 16 & 255];
    ++bins[3][w >> 24];
  }
}

/// Through a small copy, so that both arrays are gone through along their rows: columns of 4096 floats all fall into a few sets of
/// the cache.
void transpose(const float* __restrict in, float* __restrict out, int n, int first_row, int last_row) {
  constexpr int kTile = kTransposeTile;
  alignas(64) float tile[kTile][kTile];
  for (int y = first_row; y < last_row; y += kTile)
    for (int x = 0; x < n; x += kTile) {
      for (int j = 0; j < kTile; ++j)
        for (int i = 0; i < kTile; ++i) tile[j][i] = in[static_cast<size_t>(x + j) * n + y + i];
      for (int i = 0; i < kTile; ++i)
        for (int j = 0; j < kTile; ++j) out[static_cast<size_t>(y + i) * n + x + j] = tile[j][i];
    }
}

void stencil(const float* __restrict in, float* __restrict out, int n, int first_row, int last_row) {
  for (int y = first_row; y < last_row; ++y) {
    const float* row = in + static_cast<size_t>(y) * n;
    float* to = out + static_cast<size_t>(y) * n;
    for (int x = 1; x < n - 1; ++x) to[x] = 0.5f * row[x] + 0.125f * (row[x - 1] + row[x + 1] + row[x - n] + row[x + n]);
  }
}

void nbody_by_other(const Bodies& b, float* acceleration, int n, int first, int last) {
  const float *bx = b.x, *by = b.y, *bz = b.z, *bw = b.w;
  for (int i = first; i < last; ++i) {
    const float x = bx[i], y = by[i], z = bz[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int k = 0; k < n; ++k) {
      const float dx = bx[k] - x, dy = by[k] - y, dz = bz[k] - z;
      const float inverse = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + 1e-3f);
      const float weight = bw[k] * inverse * inverse * inverse;
      ax += dx * weight;
      ay += dy * weight;
      az += dz * weight;
    }
    acceleration[4 * i] = ax;
    acceleration[4 * i + 1] = ay;
    acceleration[4 * i + 2] = az;
    acceleration[4 * i + 3] = 0.0f;
  }
}

void nbody_by_self(const Bodies& b, float* acceleration, int n, int first, int last) {
  constexpr int kTile = 64; // n is a multiple of it, and so are the parts
  for (int i = first; i < last; i += kTile) {
    float x[kTile], y[kTile], z[kTile], ax[kTile] = {}, ay[kTile] = {}, az[kTile] = {};
    for (int u = 0; u < kTile; ++u) x[u] = b.x[i + u], y[u] = b.y[i + u], z[u] = b.z[i + u];
    for (int k = 0; k < n; ++k) {
      const float ox = b.x[k], oy = b.y[k], oz = b.z[k], ow = b.w[k];
      for (int u = 0; u < kTile; ++u) {
        const float dx = ox - x[u], dy = oy - y[u], dz = oz - z[u];
        const float inverse = 1.0f / std::sqrt(dx * dx + dy * dy + dz * dz + 1e-3f);
        const float weight = ow * inverse * inverse * inverse;
        ax[u] += dx * weight;
        ay[u] += dy * weight;
        az[u] += dz * weight;
      }
    }
    for (int u = 0; u < kTile; ++u) {
      float* to = acceleration + 4 * static_cast<size_t>(i + u);
      to[0] = ax[u], to[1] = ay[u], to[2] = az[u], to[3] = 0.0f;
    }
  }
}

void black_scholes(const Options& o, size_t first, size_t last) {
  const float* __restrict price = o.price, * __restrict strike = o.strike, * __restrict years = o.years;
  float* __restrict call = o.call, * __restrict put = o.put;
  const float rate = o.rate, volatility = o.volatility;
  for (size_t i = first; i < last; ++i) {
    const float s = price[i], x = strike[i], t = years[i], root = std::sqrt(t);
    const float d1 = (std::log(s / x) + (rate + 0.5f * volatility * volatility) * t) / (volatility * root),
                d2 = d1 - volatility * root;
    const float k1 = 1.0f / (1.0f + 0.2316419f * std::fabs(d1)), k2 = 1.0f / (1.0f + 0.2316419f * std::fabs(d2));
    float n1 = 0.39894228040143267794f * std::exp(-0.5f * d1 * d1) * k1 *
               (0.319381530f + k1 * (-0.356563782f + k1 * (1.781477937f + k1 * (-1.821255978f + k1 * 1.330274429f))));
    float n2 = 0.39894228040143267794f * std::exp(-0.5f * d2 * d2) * k2 *
               (0.319381530f + k2 * (-0.356563782f + k2 * (1.781477937f + k2 * (-1.821255978f + k2 * 1.330274429f))));
    n1 = d1 > 0.0f ? 1.0f - n1 : n1;
    n2 = d2 > 0.0f ? 1.0f - n2 : n2;
    const float discounted = x * std::exp(-rate * t);
    call[i] = s * n1 - discounted * n2;
    put[i] = discounted * (1.0f - n2) - s * (1.0f - n1);
  }
}

void mandelbrot(int* out, int n, int iterations, int py) {
  for (int px = 0; px < n; ++px) {
    const float cx = -2.0f + 3.0f * static_cast<float>(px) / static_cast<float>(n);
    const float cy = -1.5f + 3.0f * static_cast<float>(py) / static_cast<float>(n);
    float x = 0.0f, y = 0.0f;
    int i = 0;
    while (i < iterations && x * x + y * y < 4.0f) {
      const float next = x * x - y * y + cx;
      y = 2.0f * x * y + cy;
      x = next;
      ++i;
    }
    out[static_cast<size_t>(py) * n + px] = i;
  }
}

} // namespace

extern const Loops LOOPS{LOOPS_NAME, copy,           add,           saxpy,         reduce,    histogram, transpose,
                         stencil,    nbody_by_other, nbody_by_self, black_scholes, mandelbrot};

} // namespace native
