// One program's kernels on the host and on a device, and where they differ.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace bz::random {

/// All memory that a kernel reads and writes.
struct Memory {
  std::vector<uint64_t> in, out, scratch, atomics64;
  std::vector<float> floats, atomics_f32;
  std::vector<double> doubles, atomics_f64;
  std::vector<_Float16> halves;
  std::vector<uint32_t> atomics32;
};

struct Expected {
  std::string kernel;
  uint32_t groups, size;
  Memory before, after;
};

/// Runs the host's shared library. Throws std::runtime_error with what is wrong.
std::vector<Expected> on_host(const std::string& library, uint64_t seed);

/// Runs the code object on device 0, without the kernels `left_out`; a line per kernel that differs. For a process of its own: a fault ends it.
/// Lines end with the kernel's name in the form "[k3]".
std::vector<std::string> on_device(const std::string& code_object, const std::vector<Expected>& expected, const std::set<std::string>& left_out);

} // namespace bz::random
