// What hipcc makes of its command line: the clang command that does it. A pure function of the arguments, the
// environment's append flags and the install, so that tests need no compiler. Runs nothing.
#pragma once
#include "hip/driver/install.hpp"

#include <functional>
#include <string>
#include <vector>

namespace bz::driver {

/// A request that hipcc answers itself, without a compiler run.
enum class Question { none, help, version, short_version, cxxflags, ldflags };

struct Plan {
  Question question = Question::none;
  std::vector<std::string> command; ///< clang++ and its arguments, when question is none
};

struct PlanInput {
  Install install;
  std::vector<std::string> args; ///< without the program's name
  std::string compile_append;    ///< HIPCC_COMPILE_FLAGS_APPEND
  std::string link_append;       ///< HIPCC_LINK_FLAGS_APPEND
  /// Targets of this machine's GPUs, asked for only when needed; empty when there is none or none can be asked.
  std::function<std::vector<std::string>()> native_targets;
};

/// The target compiled for when there is no GPU to ask.
inline constexpr const char* kDefaultTarget = "gfx942";

Expected<Plan> make_plan(const PlanInput&);

/// Words of a shell-like string: blanks separate, quotes and backslashes protect.
std::vector<std::string> split_words(const std::string&);

/// Flags of every compilation and of every link (`hipcc --cxxflags`, `--ldflags`).
std::vector<std::string> compile_flags(const Install&);
std::vector<std::string> link_flags(const Install&);

} // namespace bz::driver
