// What every example needs: stop on a HIP error, read a size from the command line, say PASSED or FAILED.
#pragma once
#include <hip/hip_runtime.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>

// Stops the program with the name of the failed call: an example that goes on after an error teaches the wrong thing.
#define HIP_CHECK(call)                                                                                                \
  do {                                                                                                                 \
    hipError_t error_ = (call);                                                                                        \
    if (error_ != hipSuccess) {                                                                                        \
      std::fprintf(stderr, "%s:%d: %s: %s (%s)\n", __FILE__, __LINE__, #call, hipGetErrorName(error_),                 \
                   hipGetErrorString(error_));                                                                         \
      std::exit(2);                                                                                                    \
    }                                                                                                                  \
  } while (0)

// Argument number `index` as a number from 1 to `most`, or `otherwise` if it isn't there.
inline int size_argument(int argc, char** argv, int index, int otherwise, int most = 1 << 28) {
  if (index >= argc) return otherwise;
  char* end = nullptr;
  errno = 0;
  long value = std::strtol(argv[index], &end, 10);
  if (errno || end == argv[index] || *end || value < 1 || value > most) {
    std::fprintf(stderr, "argument %d, '%s', is not a number from 1 to %d\n", index, argv[index], most);
    std::exit(2);
  }
  return static_cast<int>(value);
}

// The last line of every example, and its exit code.
inline int verdict(bool passed) {
  std::puts(passed ? "PASSED" : "FAILED");
  return passed ? 0 : 1;
}
