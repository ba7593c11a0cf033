// What hipRTC and the HIP linker ask of the compiler, and the one entry of the module that holds it. The module is a shared
// object of its own, opened when first needed, so that programs that compile nothing don't load LLVM. Must not know LLVM.
#pragma once
#include "base/status.hpp"

#include <map>
#include <string>
#include <vector>

namespace bz::rtc {

/// A text with the name that diagnostics and #include give it.
struct Text {
  std::string name, text;
};

struct CompileRequest {
  Text source;
  std::vector<Text> headers;                 ///< found by #include "name" and <name>
  std::vector<std::string> options;          ///< clang's, without the target
  std::string target;                        ///< target id, "gfx942:sramecc+:xnack-"
  bool relocatable = false;                  ///< bitcode to be linked (-fgpu-rdc) instead of a code object
  std::vector<std::string> name_expressions; ///< constant expressions that name kernels and variables
};

struct CompileResult {
  /// ok; invalid_argument: an option is wrong; invalid_image: the source is wrong; internal: the compiler gave up. The log
  /// says why in each case.
  Status status;
  std::string log;                            ///< diagnostics as clang prints them, warnings too; empty if there are none
  std::string output;                         ///< code object or bitcode
  std::map<std::string, std::string> lowered; ///< name expression to symbol
};

enum class InputKind {
  ir,             ///< LLVM bitcode, or LLVM assembly text
  bundle,         ///< clang offload bundle of bitcode
  bundle_archive, ///< ar archive of such bundles
  object,         ///< relocatable AMDGPU object file
  object_archive, ///< ar archive of object files or bitcode
};

struct LinkInput {
  InputKind kind;
  std::string name; ///< for messages
  std::string bytes;
};

struct LinkRequest {
  std::vector<LinkInput> inputs;
  std::string target;
  int optimisation = 3;                  ///< 0 to 3
  std::vector<std::string> llvm_options; ///< what stands behind -mllvm
};

struct LinkResult {
  /// ok; invalid_image: an input is malformed or the link fails; wrong_target: an input has nothing for the target;
  /// invalid_argument: an unknown LLVM option. The log has the linker's words.
  Status status;
  std::string log;
  std::string output; ///< code object
};

/// The functions of the module. All can be called from several threads at once.
struct Compiler {
  CompileResult (*compile)(const CompileRequest&);
  LinkResult (*link)(const LinkRequest&);
};

/// Raised when a struct of this header changes: library and module must be of one build.
inline constexpr unsigned kCompilerInterface = 1;
inline constexpr const char* kModuleFile = "libboltzmann-rtc.so.1";
/// The module's only symbol: null if `interface` is another one than its own.
inline constexpr const char* kModuleEntry = "bz_rtc_compiler";
using ModuleEntry = const Compiler* (*)(unsigned interface);

/// Opens the module on the first call. unsupported: it can't be opened, and what to install or build.
Expected<const Compiler*> compiler();

} // namespace bz::rtc
