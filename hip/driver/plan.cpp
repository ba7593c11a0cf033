#include "hip/driver/plan.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

namespace bz::driver {
namespace {

bool starts(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

/// clang options whose value is the next word, so that the word isn't taken for an input file.
constexpr std::string_view kTakesValue[] = {
    "-o",          "-x",       "-I",        "-D",          "-U",          "-L",       "-l",       "-include",  "-isystem",
    "-idirafter",  "-iquote",  "-iprefix",  "-imacros",    "-isysroot",   "-MF",      "-MT",      "-MQ",       "-MJ",
    "-Xclang",     "-Xlinker", "-Xassembler", "-Xpreprocessor", "-mllvm", "-target",  "-arch",    "-T",        "-u",
    "-z",          "-e",       "-rpath",    "-framework",  "-Xarch_host", "-Xarch_device", "-Xoffload-linker", "-F", "-B",
    "-iwithprefix", "-iwithprefixbefore", "-working-directory", "-dumpbase", "-dumpdir", "-resource-dir", "-ccc-gcc-name",
    "-Xopenmp-target", "--param", "-gcc-toolchain", "--offload-arch", "--serialize-diagnostics", "-specs", "-Xcuda-ptxas"};

/// Flags after which nothing is linked.
constexpr std::string_view kNoLink[] = {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--precompile", "-emit-ast", "--analyze",
                                        "--genco", "-emit-pch"};

enum class Kind { hip, c, other };

Kind kind_of(std::string_view file) {
  size_t slash = file.rfind('/');
  size_t dot = file.rfind('.');
  if (dot == std::string_view::npos || (slash != std::string_view::npos && dot < slash)) return Kind::other;
  std::string_view ext = file.substr(dot);
  for (std::string_view hip : {".cpp", ".cc", ".cxx", ".c++", ".C", ".CPP", ".cp", ".cu", ".cuh", ".hip"})
    if (ext == hip) return Kind::hip;
  // A .c file stays C: that is what build systems probe, and <hip/hip_runtime_api.h> serves C.
  return ext == ".c" ? Kind::c : Kind::other;
}

Status expand_responses(const std::vector<std::string>& args, std::vector<std::string>& out, int depth = 0) {
  if (depth > 16) return error(Code::invalid_argument, "response files include each other without end");
  for (const std::string& arg : args) {
    if (arg.size() < 2 || arg[0] != '@') {
      out.push_back(arg);
      continue;
    }
    std::ifstream file(arg.substr(1));
    if (!file) { // as for clang, a name that can't be read is an ordinary argument
      out.push_back(arg);
      continue;
    }
    std::stringstream text;
    text << file.rdbuf();
    BZ_TRY(expand_responses(split_words(text.str()), out, depth + 1));
  }
  return {};
}

/// One pass over the words: what they ask for, and the words that clang shall see.
struct Scan {
  bool hip = false, links = true, inputs = false, standard_input = false;
  bool optimisation = false, genco = false, targets = false, lingering_x = false, bundle_choice = false;
  bool address_sanitizer = false, gpu_sanitize = true;
  bool own_x = false; // the words end under a -x that hipcc put there for one file
  std::vector<std::string> words;
  std::vector<std::string> archs;

  void reset_language() {
    words.push_back("-x");
    words.push_back("none");
    own_x = lingering_x = false;
  }
};

void add_archs(std::string_view list, const PlanInput& in, Scan& scan) {
  while (!list.empty()) {
    size_t comma = list.find(',');
    std::string arch(list.substr(0, comma));
    list = comma == std::string_view::npos ? std::string_view() : list.substr(comma + 1);
    if (arch.empty()) continue;
    if (arch != "native") {
      scan.archs.push_back(arch);
      continue;
    }
    std::vector<std::string> found = in.native_targets ? in.native_targets() : std::vector<std::string>();
    if (found.empty()) found.push_back(kDefaultTarget);
    scan.archs.insert(scan.archs.end(), found.begin(), found.end());
  }
}

void remove_repeats(std::vector<std::string>& names) {
  std::vector<std::string> unique;
  for (const std::string& name : names)
    if (std::find(unique.begin(), unique.end(), name) == unique.end()) unique.push_back(name);
  names = unique;
}

Status scan_words(const std::vector<std::string>& args, const PlanInput& in, Scan& scan, Question& question) {
  std::optional<std::string> language; // of an explicit -x
  bool only_files = false;
  for (size_t i = 0; i < args.size(); ++i) {
    const std::string& arg = args[i];
    auto next = [&]() -> const std::string* { return i + 1 < args.size() ? &args[++i] : nullptr; };

    if (!only_files && arg.size() > 1 && arg[0] == '-') {
      if (arg == "--") {
        only_files = true;
        continue; // every source is preceded by its own -x, so the separator itself isn't needed
      }
      if (arg == "--help") question = Question::help;
      if (arg == "--version") question = Question::version;
      if (arg == "--short-version") question = Question::short_version;
      if (arg == "--cxxflags") question = Question::cxxflags;
      if (arg == "--ldflags") question = Question::ldflags;
      if (question != Question::none) return {};

      if (arg == "-use-staticlib" || arg == "--hip-static")
        return error(Code::unsupported, "{}: there is no static libamdhip64; link the shared one (-use-sharedlib)", arg);
      if (arg == "-use-sharedlib" || arg == "--hipcc-func-supp") continue; // both are how it always is
      if (arg == "--hipcc-no-func-supp") {
        for (const char* flag : {"-mllvm", "-amdgpu-early-inline-all=true", "-mllvm", "-amdgpu-function-calls=false"})
          scan.words.emplace_back(flag);
        continue;
      }
      if (arg == "--genco") {
        scan.genco = true;
        scan.links = false;
        continue;
      }
      if (starts(arg, "--offload-arch=") || starts(arg, "--amdgpu-target=") || starts(arg, "--cuda-gpu-arch=")) {
        scan.targets = true;
        add_archs(std::string_view(arg).substr(arg.find('=') + 1), in, scan);
        continue;
      }
      if (arg == "--offload-arch") {
        const std::string* value = next();
        if (!value) return error(Code::invalid_argument, "--offload-arch needs a target, for example gfx942");
        scan.targets = true;
        add_archs(*value, in, scan);
        continue;
      }
      if (arg == "-x" || starts(arg, "-x")) {
        std::string value = arg.substr(2);
        if (arg == "-x") {
          const std::string* word = next();
          if (!word) return error(Code::invalid_argument, "-x needs a language, for example hip");
          value = *word;
        }
        language = value == "none" ? std::nullopt : std::optional(value);
        scan.lingering_x = language.has_value();
        scan.own_x = false;
        scan.words.push_back("-x");
        scan.words.push_back(value);
        continue;
      }
      if (std::find(std::begin(kNoLink), std::end(kNoLink), arg) != std::end(kNoLink)) scan.links = false;
      if (starts(arg, "-fsanitize=") && arg.find("address") != std::string::npos) scan.address_sanitizer = true;
      if (arg == "-fno-gpu-sanitize") scan.gpu_sanitize = false;
      if (starts(arg, "-O")) scan.optimisation = true;
      if (arg == "--gpu-bundle-output" || arg == "--no-gpu-bundle-output") scan.bundle_choice = true;
      scan.words.push_back(arg);
      if (std::find(std::begin(kTakesValue), std::end(kTakesValue), arg) != std::end(kTakesValue))
        if (const std::string* value = next()) scan.words.push_back(*value);
      continue;
    }

    scan.inputs = true;
    if (scan.own_x && (language || kind_of(arg) == Kind::other)) scan.reset_language();
    if (language) {
      scan.hip |= *language == "hip";
      scan.words.push_back(arg);
      continue;
    }
    Kind kind = scan.genco && kind_of(arg) != Kind::other ? Kind::hip : kind_of(arg);
    if (kind == Kind::other) {
      scan.words.push_back(arg);
      continue;
    }
    scan.hip |= kind == Kind::hip;
    for (const std::string& word : {std::string("-x"), std::string(kind == Kind::hip ? "hip" : "c"), arg})
      scan.words.push_back(word);
    scan.own_x = true;
  }
  return {};
}

} // namespace

std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '\\' && quote != '\'' && i + 1 < text.size()) {
      word += text[++i];
      in_word = true;
    } else if (quote) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      in_word = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (in_word) words.push_back(word);
      word.clear();
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word) words.push_back(word);
  return words;
}

std::vector<std::string> compile_flags(const Install& install) {
  // -isystem, because clang would put the folder behind the system's own, where another HIP may be installed.
  return {"-isystem", install.root + "/include", "-D__HIP_PLATFORM_AMD__=1"};
}

std::vector<std::string> link_flags(const Install& install) {
  // -L for libraries that a program names itself, like -lhiprtc.
  return {install.root + "/lib/libamdhip64.so", "-Wl,-rpath," + install.root + "/lib", "-L" + install.root + "/lib"};
}

Expected<Plan> make_plan(const PlanInput& in) {
  Plan plan;
  std::vector<std::string> args;
  BZ_TRY(expand_responses(in.args, args));
  Scan scan;
  BZ_TRY(scan_words(args, in, scan, plan.question));
  if (plan.question != Question::none) return plan;

  auto& command = plan.command;
  auto append = [&command](const std::vector<std::string>& words) { command.insert(command.end(), words.begin(), words.end()); };
  command.push_back(in.install.clang_dir + "/clang++");
  if (!scan.inputs) { // a question to clang, such as -print-search-dirs or -v
    append(scan.words);
    return plan;
  }

  append(compile_flags(in.install));
  bool hip_link = scan.links;
  if (scan.hip || hip_link) {
    append({"--rocm-path=" + in.install.root, "-no-hip-rt"});
    // With -fgpu-rdc the device code of object files is linked too, for the targets they were compiled for.
    bool device_link = hip_link && std::find(scan.words.begin(), scan.words.end(), "-fgpu-rdc") != scan.words.end();
    if (scan.archs.empty() && (scan.hip || device_link)) add_archs("native", in, scan);
    remove_repeats(scan.archs);
    for (const std::string& arch : scan.archs) {
      // clang instruments device code for such targets only, and names no file when the library is missing.
      if (scan.hip && scan.address_sanitizer && scan.gpu_sanitize && arch.find("xnack+") != std::string::npos)
        return error(Code::unsupported,
                     "-fsanitize=address for {}: there is no amdgcn/bitcode/asanrtl.bc; add -fno-gpu-sanitize to "
                     "instrument the host code alone", arch);
      command.push_back("--offload-arch=" + arch);
    }
  }
  if (hip_link) command.push_back("--hip-link");
  if (scan.genco) {
    command.push_back("--cuda-device-only");
    if (!scan.bundle_choice) command.push_back("--gpu-bundle-output");
  }
  if (!scan.optimisation) command.push_back("-O3");
  append(split_words(in.compile_append));
  append(scan.words);
  if (scan.links) {
    append(split_words(in.link_append));
    // An archive would take the library itself in as a member.
    if (std::find(scan.words.begin(), scan.words.end(), "--emit-static-lib") == scan.words.end()) {
      if (scan.lingering_x || scan.own_x) append({"-x", "none"}); // no -x may reach the library
      append(link_flags(in.install));
    }
  }
  // What is meant for the other half of the work (a link flag of a compilation) is no mistake of the user.
  command.push_back("-Qunused-arguments");
  return plan;
}

} // namespace bz::driver
