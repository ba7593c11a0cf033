// The commands of bz-isa and what they share: names of formats, families and flags. A tool; must not know any engine.
#pragma once
#include "isa/decode.hpp"

#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace bz::isa::tool {

/// Exit codes: 0 fine, 1 something is no instruction or unknown, 2 the command line or the input is not understood.
enum Exit : int { kOk = 0, kFound = 1, kUsage = 2 };

/// The rest of the command line after the command.
struct Arguments {
  std::optional<Target> target;
  std::vector<std::string> words;   ///< everything that is no option
  bool words_are_dwords = false;    ///< --words
  bool check = false;               ///< --check of `coverage`
  std::string executed, mutants;    ///< --executed, --mutants: files of `coverage`
};

int list(const Arguments&);
int show(const Arguments&);
int dis(const Arguments&);
int coverage(const Arguments&);
int families();

/// Opens a file that the command line named. Empty, or why it can't be read.
std::string open_input(std::ifstream& in, const std::string& file);

std::string_view format_name(Format f);
/// "VOP2|VOP3"
std::string format_names(Formats formats);
/// Opcode of the row in that format, the derived one of VOP3 included.
int opcode_in(RowId row, Format format, Target target);
bool exists_on(RowId row, Target target);
/// "executes", "not implemented", "no semantics", "illegal: WHY".
std::string state_of(RowId row, Target target);
/// The targets in the order of target.hpp: "gfx900, gfx906 ...".
std::string target_list();
/// Which judges the row has: "ref", "vector (exec/x_test.cpp)" ...; empty if none.
std::string judges_of(RowId row);
/// "v_fma*" as a whole name with * and ?, "fma" as a part of one.
bool name_matches(std::string_view pattern, std::string_view name);

} // namespace bz::isa::tool
