// One side of the comparison: a process that runs a named kernel when told to and answers with seconds and a checksum.
// Owns the cases and the protocol (a line "NAME" in, a line "SECONDS CHECKSUM" out); knows neither HIP nor OpenCL.
#pragma once
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace side {

constexpr int kPixels = 1024, kIterations = 256, kBodies = 4096, kMatrix = 512, kElements = 1 << 24;

// Input data, the same on both sides.
inline std::vector<float> noise(size_t count, unsigned seed) {
  std::vector<float> data(count);
  for (float& v : data) {
    seed = seed * 1664525u + 1013904223u;
    v = static_cast<float>(seed >> 8) * (1.0f / (1 << 24));
  }
  return data;
}

// What a runtime has to offer: launch the kernel and wait for it (timed), and sum up its output (not timed).
struct Case {
  const char* name;
  void (*prepare)();
  void (*run)();
  double (*checksum)();
};

template <class T> double sum(const std::vector<T>& values, size_t step = 1) {
  double total = 0;
  for (size_t i = 0; i < values.size(); i += step) total += static_cast<double>(values[i]);
  return total;
}

// Serves requests until stdin ends.
inline int serve(const std::vector<Case>& cases) {
  std::vector<bool> ready(cases.size(), false);
  char line[256];
  while (std::fgets(line, sizeof line, stdin)) {
    line[std::strcspn(line, "\n")] = 0;
    size_t i = 0;
    while (i < cases.size() && std::strcmp(cases[i].name, line) != 0) ++i;
    if (i == cases.size()) {
      std::fprintf(stderr, "no case '%s'\n", line);
      return 2;
    }
    if (!ready[i]) {
      cases[i].prepare();
      cases[i].run(); // compiles, decodes, faults pages in
      ready[i] = true;
    }
    const auto begin = std::chrono::steady_clock::now();
    cases[i].run();
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
    std::printf("%.9f %.17g\n", seconds.count(), cases[i].checksum());
    std::fflush(stdout);
  }
  return 0;
}

} // namespace side
