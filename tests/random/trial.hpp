// One program (or one kernel of it, or that without some statements): printed, compiled, run on the host and on devices.
#pragma once

#include "execute.hpp"
#include "generator.hpp"

#include <set>
#include <string>
#include <vector>

namespace bz::random {

class Trial {
public:
  Trial(const Program& program, int only, const std::set<int>& dropped);
  Trial(uint64_t seed, std::string source); // one that someone has edited
  ~Trial();
  Trial(const Trial&) = delete; // owns a folder

  std::string prepare(bool check_undefined); // the host's side; what is wrong, or nothing
  void add_flags(const std::vector<std::string>& flags) { flags_.insert(flags_.end(), flags.begin(), flags.end()); }
  void compile_with(const std::string& clang) { clang_ = clang; }
  /// Compiles, and runs on every build of the engine that this CPU can run, or that of BZ_SIMD; what is wrong on the first
  /// that differs, by kernel where it is known.
  std::vector<std::string> run(const std::string& target, const std::string& level, const std::set<std::string>& left_out = {});

private:
  void write();
  std::vector<std::string> run_once(const std::string& object, const std::string& target, const std::string& simd, const std::set<std::string>& left_out);

  uint64_t seed_;
  std::vector<std::string> flags_;
  std::string clang_; // for the device; empty: the build's
  std::string folder_, source_;
  std::vector<Expected> expected_;
};

} // namespace bz::random
