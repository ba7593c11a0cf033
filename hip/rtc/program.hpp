// A program of hipRTC: source, headers, what its compilation made. Can be used from several threads. Must not know handles.
#pragma once
#include "hip/rtc/compiler.hpp"
#include "hip/rtc/result.hpp"

#include <functional>
#include <mutex>
#include <set>

namespace bz::rtc {

/// clang's options taken apart: what decides about target and kind of output is ours.
struct Options {
  std::string target; ///< empty: not named
  bool native = false; ///< the current device was named
  bool relocatable = false;
  std::vector<std::string> clang;
};
/// invalid_argument: two targets, or an option for something else than compiling one program.
Expected<Options> parse_options(const std::vector<std::string>& words);

class Program {
public:
  Program(Text source, std::vector<Text> headers);

  Result add_name_expression(const std::string& expression);
  Result compile(const std::vector<std::string>& options);
  /// A pointer that lives as long as the program.
  Result lowered_name(const std::string& expression, const char** out);
  std::string log() const;
  /// The code object, or the bitcode.
  Result output(bool relocatable, std::string& out) const;

private:
  Result refuse(hiprtcResult code, const std::string& message);

  mutable std::mutex mutex_;
  CompileRequest request_; ///< the name expressions are in it
  bool compiled_ = false;  ///< without errors
  std::string log_, output_;
  std::map<std::string, std::string> lowered_;
  std::set<std::string> names_; ///< every symbol that a pointer was given out to
};

} // namespace bz::rtc
