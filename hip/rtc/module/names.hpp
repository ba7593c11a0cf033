// Name expressions: text that is added behind the program, and a consumer that reads the symbols off the syntax tree.
// Must not know the driver.
#pragma once
#include <clang/AST/ASTConsumer.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace clang {
class CodeGenAction;
class CompilerInstance;
} // namespace clang

namespace bz::rtc {

/// What is added to the source so that the expressions are looked up and what they name is compiled.
std::string name_expression_text(const std::vector<std::string>& expressions);

/// Runs before the code generator. Fills `lowered`; an expression that names no kernel or variable is an error of the
/// compilation.
std::unique_ptr<clang::ASTConsumer> make_name_consumer(clang::CompilerInstance& compiler, clang::CodeGenAction& action,
                                                       const std::vector<std::string>& expressions,
                                                       std::map<std::string, std::string>& lowered);

} // namespace bz::rtc
