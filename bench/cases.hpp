// What is measured and what is wanted: one row a kernel. Owns the table; the sides own how a kernel is run (side.hpp).
#pragma once
#include "bench/side.hpp"

#include <string>
#include <vector>

namespace bench {

struct Row {
  std::string name, what;
  double work;           ///< of one run, in `unit` times a second; 0: the sum of the result, times 1e-9
  std::string unit;      ///< empty: no rate is shown
  double wanted_native;  ///< this share of the native baseline's rate; 0: only shown
  double wanted_pocl;    ///< this many times PoCL's rate; 0: only shown
  bool pocl;             ///< PoCL runs it too
  double tolerance;      ///< of each value of the result, relative to the larger of the value and the root mean square of all
  double may_differ = 0; ///< share of values that may differ by more: where rounding decides what happens next
};

/// The geometric mean over the kernels shared with PoCL.
inline constexpr double kWantedMean = 8;
/// Share of wave-instructions that are to run in native code under BZ_EXEC=jit.
inline constexpr double kWantedShare = 0.999;

inline std::vector<Row> rows(bool fast_numerics) {
  const side::Sizes& s = side::sizes();
  const auto cube = [](double n) { return 2 * n * n * n * 1e-9; };
  const auto square = [](int n) { return std::to_string(n) + " x " + std::to_string(n); };
  const double e = static_cast<double>(s.elements) * 4e-9, pixels = static_cast<double>(s.image) * s.image;
  const std::string mib = std::to_string(s.elements * 4 >> 20) + " MiB of f32";
  return {
      {"copy", mib, 2 * e, "GB/s", 0.9, 0, false, 0},
      {"add", mib + " each", 3 * e, "GB/s", 0.9, 0, true, 1e-6},
      {"saxpy", mib + " each", 3 * e, "GB/s", 0, 0, true, 1e-6},
      {"reduce", mib, e, "GB/s", 0.8, 0, true, 1e-3},
      {"histogram", std::to_string(s.bytes >> 20) + " MiB, 256 bins", static_cast<double>(s.bytes) * 1e-9, "GB/s", 0, 0, true, 0},
      {"transpose", square(s.image), pixels * 8e-9, "GB/s", 0, 0, true, 0},
      {"stencil", square(s.image) + ", 5 points", pixels * 8e-9, "GB/s", 0, 0, true, 1e-5},
      {"sgemm_naive", square(s.naive), cube(s.naive), "GFlop/s", 0, 0, true, 1e-4},
      {"sgemm_tiled", square(s.tiled) + ", LDS 16 x 16", cube(s.tiled), "GFlop/s", 0.18, 2.5, true, 1e-4},
      {"sgemm_mfma", square(s.matrix) + ", 128 x 128 a block", cube(s.matrix), "GFlop/s", 0.6, 0, false, 1e-4},
      {"bf16_mfma", square(s.matrix) + ", 128 x 128 a block", cube(s.matrix), "GFlop/s", fast_numerics ? 0.38 : 0.22, 0, false,
       1e-3},
      {"nbody", std::to_string(s.bodies) + " bodies", static_cast<double>(s.bodies) * s.bodies * 1e-9, "Gpair/s", 0.7, 2.5, true,
       1e-3},
      {"black_scholes", std::to_string(s.options) + " options", s.options * 1e-9, "Gopt/s", 0.7, 0, true, 1e-4},
      {"mandelbrot", square(s.pixels) + ", " + std::to_string(s.iterations) + " iterations", 0, "Giter/s", 0.4, 1.5, true, 0.5,
       5e-3},
      {"empty", "launch and wait", 0, "", 0, 0, true, 0},
  };
}

} // namespace bench
