// The table of builtins (builtins.tsv) as data, and the values that a call got and gave.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace bz::builtins {

struct Type {
  std::string space, element; // "", global, lds; i32, f16, rsrc, ...
  int count = 1;
  bool pointer = false;
  int bits() const; // of an element
  int words() const { return (bits() * count + 31) / 32; }
};

struct Parameter {
  Type type;
  std::optional<int64_t> constant;
};

struct Builtin {
  std::string name; // without __builtin_amdgcn_
  Type result;
  std::vector<Parameter> parameters;
  std::vector<std::string> targets;
};

/// Throws std::runtime_error with the line that can't be read.
std::vector<Builtin> read_table(const std::string& path);

inline constexpr int kLanes = 64, kInWords = 128, kOutWords = 36, kMemoryWords = 4; // a lane

/// What one kernel with one call got and gave.
struct Run {
  std::vector<uint32_t> in, out, memory_before, memory_after, lds_after;
};

/// Arguments and results by lane, with the table's types.
class Values {
public:
  Values(const Builtin& builtin, const Run& run) : builtin_(builtin), run_(run) {}
  int place(int parameter) const; // first word of a parameter
  uint64_t bits(int parameter, int lane, int element = 0) const;
  double number(int parameter, int lane, int element = 0) const; // by type; i16 of a bf16 builtin as bf16
  uint64_t result_bits(int lane, int element = 0) const;
  double result(int lane, int element = 0) const;
  const Builtin& builtin() const { return builtin_; }
  const Run& run() const { return run_; }

private:
  const Builtin& builtin_;
  const Run& run_;
};

double as_number(const std::string& element, uint64_t bits);
uint64_t as_bits(const std::string& element, double value);

} // namespace bz::builtins
