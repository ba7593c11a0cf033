// Which judge outside the engines each row has. Two sources: rows with an entry in isa/ref/ (the reference machine, run
// against every engine by the judge test) are judged by `ref` without a line here; every other judge has a line in one of
// the lists isa/judges/*.inc. Tests only. Add a line to the list of your subject; isa_judges_test checks that the pattern
// names rows, that the test exists, and that every row with semantics is judged.
#pragma once
#include <cstdint>
#include <string_view>

namespace bz::isa {

enum class JudgeKind : uint8_t {
  ref,     ///< own transcription of the manual in isa/ref/
  vector,  ///< published or recorded values
  layout,  ///< register-map facts as a table of their own
  law,     ///< inverse, commutation, reduction to a simpler row
  host,    ///< a compiled program against the host compiler's result
  effect,  ///< control and machine state: the effect itself is observed (branches, barriers, messages, waits)
};

struct Judge {
  std::string_view rows;  ///< Meta::name, or a prefix followed by *
  JudgeKind kind;
  std::string_view test;  ///< source file of the test, from the top of the repository
};

inline constexpr Judge kJudges[] = {
    {"", JudgeKind::ref, ""},  // so that the lists below may be empty
#include "isa/judges/control.inc"
#include "isa/judges/image.inc"
#include "isa/judges/matrix.inc"
#include "isa/judges/memory.inc"
#include "isa/judges/vector.inc"
};

/// Rows that nothing judges yet. Reviewed; may only shrink.
inline constexpr std::string_view kUnjudged[] = {
    "",
#include "isa/judges/unjudged.inc"
};

constexpr bool matches(std::string_view pattern, std::string_view name) {
  if (!pattern.empty() && pattern.back() == '*') return name.substr(0, pattern.size() - 1) == pattern.substr(0, pattern.size() - 1);
  return pattern == name;
}

} // namespace bz::isa
