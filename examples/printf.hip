// printf: a kernel prints. The text arrives on the process's stdout at the latest when the host synchronises.
// To check itself, the program sends stdout to a temporary file while the kernel runs.
//   ./bz run examples/printf.hip [blocks] [threads]
#include "example.hpp"

#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

__global__ void greet(const char* who) {
  printf("block %2d thread %2d: %s, pi is %.3f, 1/3 is %g, %c%% %#x %lld\n", static_cast<int>(blockIdx.x),
         static_cast<int>(threadIdx.x), who, 3.14159265, 1.0 / 3.0, '%', 48879, -5000000000ll);
}

int main(int argc, char** argv) {
  const int blocks = size_argument(argc, argv, 1, 3, 1000), threads = size_argument(argc, argv, 2, 4, 1024);

  char* who = nullptr; // pinned host memory: the kernel reads it in place
  HIP_CHECK(hipHostMalloc(reinterpret_cast<void**>(&who), 16, hipHostMallocDefault));
  std::snprintf(who, 16, "hello, world");

  std::FILE* file = std::tmpfile();
  if (!file) {
    std::perror("a temporary file");
    return verdict(false);
  }
  std::fflush(stdout);
  const int terminal = dup(1);
  dup2(fileno(file), 1);
  greet<<<blocks, threads>>>(who);
  hipError_t launched = hipGetLastError(), finished = hipDeviceSynchronize();
  std::fflush(stdout);
  dup2(terminal, 1);
  close(terminal);
  HIP_CHECK(launched);
  HIP_CHECK(finished);
  HIP_CHECK(hipHostFree(who));

  std::vector<std::string> lines, expected;
  std::rewind(file);
  for (char line[256]; std::fgets(line, sizeof line, file);) {
    lines.push_back(line);
    std::fputs(line, stdout);
  }
  std::fclose(file);
  for (int b = 0; b < blocks; ++b)
    for (int t = 0; t < threads; ++t) {
      char line[256];
      std::snprintf(line, sizeof line, "block %2d thread %2d: %s, pi is %.3f, 1/3 is %g, %c%% %#x %lld\n", b, t,
                    "hello, world", 3.14159265, 1.0 / 3.0, '%', 48879, -5000000000ll);
      expected.push_back(line);
    }
  // Blocks may run in any order, so the lines may come in any order; each of them exactly once.
  std::sort(lines.begin(), lines.end());
  std::sort(expected.begin(), expected.end());
  if (lines != expected) std::printf("%zu lines came, %zu expected\n", lines.size(), expected.size());
  return verdict(lines == expected);
}
