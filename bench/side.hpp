// One side of the comparison: a process that runs a named kernel when told to. Owns the sizes, the input data and the protocol;
// knows neither HIP nor OpenCL nor who else measures.
//
// A line in, a line out:   run NAME          seconds of one run (the mean of as many as 20 ms hold)
//                          check NAME FILE   runs once on fresh data and writes the result to FILE, as floats; answers "ok NOTE"
#pragma once
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace side {

struct Sizes {
  size_t elements = size_t(64) << 20; ///< 256 MiB of floats
  size_t bytes = size_t(64) << 20;
  int pixels = 2048, iterations = 256, bodies = 16384, options = 4 << 20, image = 4096;
  int naive = 1024, tiled = 1024, matrix = 2048; ///< products of square matrices: one work-item an element, LDS tiles, MFMA
};
/// Sizes of which all that can go wrong goes wrong as well, for a test.
inline constexpr Sizes kSmall{1 << 16, 1 << 17, 128, 64, 512, 1 << 13, 128, 64, 64, 256};

inline Sizes& sizes() {
  static Sizes s;
  return s;
}

// Input data, the same on all sides.
inline std::vector<float> noise(size_t count, unsigned seed) {
  std::vector<float> data(count);
  for (float& v : data) {
    seed = seed * 1664525u + 1013904223u;
    v = static_cast<float>(seed >> 8) * (1.0f / (1 << 24));
  }
  return data;
}
inline std::vector<unsigned> noise_bytes(size_t bytes, unsigned seed) {
  std::vector<unsigned> data(bytes / 4);
  for (unsigned& v : data) {
    seed = seed * 1664525u + 1013904223u;
    unsigned u = seed; // the low bits of such a generator repeat soon
    u = (u ^ u >> 16) * 0x45d9f3bu;
    v = (u ^ u >> 16) * 0x45d9f3bu;
  }
  return data;
}
/// Values that bf16 holds exactly.
inline std::vector<uint16_t> noise_bf16(size_t count, unsigned seed) {
  std::vector<uint16_t> data;
  data.reserve(count);
  for (float v : noise(count, seed)) {
    uint32_t bits;
    std::memcpy(&bits, &v, 4);
    data.push_back(static_cast<uint16_t>(bits >> 16));
  }
  return data;
}
inline std::vector<float> scaled(std::vector<float> data, float low, float high) {
  for (float& v : data) v = low + (high - low) * v;
  return data;
}

// What a side has to offer for a kernel: run it and wait for it (timed), and give out what it computed (not timed).
struct Case {
  std::string name;
  std::function<void()> prepare, run;
  std::function<std::vector<float>()> result;
  std::function<std::string()> note = {}; ///< which of several variants ran
};

template <class T> std::vector<float> as_floats(const std::vector<T>& values) { return {values.begin(), values.end()}; }

inline double seconds_of(const std::function<void()>& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Serves requests until stdin ends.
inline int serve(const std::vector<Case>& cases) {
  std::vector<bool> ready(cases.size(), false);
  char line[512], what[16], name[64], path[256];
  while (std::fgets(line, sizeof line, stdin)) {
    path[0] = 0;
    if (std::sscanf(line, "%15s %63s %255s", what, name, path) < 2) return 2;
    size_t i = 0;
    while (i < cases.size() && cases[i].name != name) ++i;
    if (i == cases.size()) {
      std::fprintf(stderr, "no case '%s'\n", name);
      return 2;
    }
    const Case& c = cases[i];
    if (!ready[i]) c.prepare();
    ready[i] = true;
    if (std::strcmp(what, "run") == 0) {
      double total = 0;
      int runs = 0;
      do {
        total += seconds_of(c.run);
        ++runs;
      } while (total < 0.02);
      std::printf("%.9g\n", total / runs);
    } else {
      c.run();
      const std::vector<float> values = c.result();
      std::FILE* file = std::fopen(path, "wb");
      if (!file || std::fwrite(values.data(), sizeof(float), values.size(), file) != values.size() || std::fclose(file) != 0) {
        std::perror(path);
        return 2;
      }
      std::printf("ok %s\n", c.note ? c.note().c_str() : "");
    }
    std::fflush(stdout);
  }
  return 0;
}

} // namespace side
