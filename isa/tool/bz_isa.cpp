// bz-isa: the instruction tables from the command line. `./bz isa` is the same program.
#include "isa/tool/commands.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

using namespace bz::isa;
using namespace bz::isa::tool;

namespace {

constexpr const char* kHelp =
    R"(usage: bz isa list [--target T] [PATTERN]    the instructions: formats, opcode, name, whether they execute
       bz isa show [--target T] NAME       everything about one instruction (NAME may have * and ?)
       bz isa dis [--target T] [FILE...]   machine code as assembly text
       bz isa coverage [--target T]        what tests decode, execute and judge, target by target

`list` without a target says on which targets each instruction exists.

`dis FILE` reads code objects (ELF), offload bundles plain or compressed, programs and libraries with device code in
them; anything else is taken as raw machine code and needs --target. `dis` alone reads standard input: hexadecimal
bytes in memory order, one instruction a line (0x, commas, blanks and brackets may separate them, # starts a comment),
and writes one line of text for each. With --words the digits are 32-bit words as compilers print them.
A line that is no instruction becomes a line that starts with "error:"; the rest is still read.

`coverage` prints a table: what the checked-in sample decodes, how often tests executed the row (recorded by
`./bz test --coverage`), its judges, and the mutants of its semantics that the judge found.
  --check           only what no test executed or nothing judges; exit code 1 if there is any
  --executed FILE   the record of executed instructions     --mutants FILE   the table of mutants

Exit code: 0; 1 if something was no instruction or not found; 2 if the command line or a file was not understood, or if
the output could not be written.
)";

int usage(const std::string& why) {
  std::fprintf(stderr, "bz isa: error: %s\n    bz isa --help tells more\n", why.c_str());
  return kUsage;
}

int run(int argc, char** argv) {
  if (argc < 2) return std::fputs(kHelp, stderr), kUsage;
  std::string command = argv[1];
  Arguments a;
  std::string only_of;   // the option and the command that it belongs to, if it isn't an option of all
  auto belongs = [&](const std::string& option, const char* to) {
    if (command != to && only_of.empty()) only_of = option + " is an option of " + to;
  };
  for (int i = 1; i < argc; ++i) {
    std::string word = argv[i];
    auto value = [&](const char* name) -> const char* {
      size_t n = std::strlen(name);
      if (word.compare(0, n, name) == 0 && word.size() > n && word[n] == '=') return argv[i] + n + 1;
      if (word != name || i + 1 >= argc) return nullptr;
      return argv[++i];
    };
    if (word == "-h" || word == "--help" || (i == 1 && word == "help")) return std::fputs(kHelp, stdout), kOk;
    if (i == 1) continue;
    if (auto* name = value("--target")) {
      a.target = target_from_name(name);
      if (!a.target) return usage("there is no target '" + std::string(name) + "'; the tables know " + target_list());
    } else if (auto* file = value("--executed")) a.executed = file, belongs("--executed", "coverage");
    else if (auto* file = value("--mutants")) a.mutants = file, belongs("--mutants", "coverage");
    else if (word == "--words") a.words_are_dwords = true, belongs(word, "dis");
    else if (word == "--check") a.check = true, belongs(word, "coverage");
    else if (word.size() > 1 && word[0] == '-')
      return usage(word == "--target" || word == "--executed" || word == "--mutants" ? word + " needs a value" : "there is no option '" + word + "'");
    else a.words.push_back(word);
  }
  if (command[0] == '-') return usage("the command comes before '" + command + "': list, show, dis or coverage");
  bool known = command == "list" || command == "show" || command == "dis" || command == "coverage" || command == "families";
  if (known && !only_of.empty()) return usage(only_of);
  if (command == "list" || command == "show")   // names of instructions are written small
    for (auto& name : a.words) std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
  auto at_most = [&](size_t n) { return a.words.size() <= n; };
  if (command == "list") return at_most(1) ? list(a) : usage("list takes one pattern");
  if (command == "show" && a.words.size() > 1) return usage("show takes one name, and '" + a.words[1] + "' is the second; * and ? show several");
  if (command == "show") return a.words.size() == 1 && !a.words[0].empty() ? show(a) : usage("show needs the name of an instruction");
  if (command == "dis") return dis(a);
  if (command == "coverage") return at_most(0) ? coverage(a) : usage("coverage takes no '" + a.words[0] + "'");
  if (command == "families" && argc == 2) return families();
  return usage("there is no command '" + command + "'; there are list, show, dis and coverage");
}

int not_written(int error) {
  std::fprintf(stderr, "bz isa: error: standard output: %s\n", error ? std::strerror(error) : "not everything was written");
  return kUsage;
}

} // namespace

namespace bz::isa::tool {

std::string open_input(std::ifstream& in, const std::string& file) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) return "is a directory";   // which opens, and then reads as empty
  in.open(file, std::ios::binary);
  return in ? "" : std::strerror(errno);
}

} // namespace bz::isa::tool

int main(int argc, char** argv) {
  int status = kUsage;
  try {
    status = run(argc, argv);
  } catch (const std::system_error& e) {   // fmt::print's way of saying that a stream takes no more
    return not_written(e.code().value());
  }
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout)) return not_written(errno);
  return status;
}
