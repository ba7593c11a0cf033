#include "hip/rtc/module/names.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclGroup.h>
#include <clang/AST/Expr.h>
#include <clang/AST/ExprCXX.h>
#include <clang/AST/GlobalDecl.h>
#include <clang/Basic/DiagnosticFrontend.h>
#include <clang/CodeGen/CodeGenAction.h>
#include <clang/CodeGen/ModuleBuilder.h>
#include <clang/Frontend/CompilerInstance.h>
#include <fmt/format.h>
#include <llvm/IR/GlobalValue.h>

namespace bz::rtc {
namespace {

constexpr const char* kPrefix = "__bz_rtc_name_";

/// The function or variable that an expression is about: f, &f, f<int>, (&(S::v)).
const clang::ValueDecl* named_by(const clang::Expr* e) {
  for (;;) {
    e = e->IgnoreParenCasts();
    if (auto* full = llvm::dyn_cast<clang::FullExpr>(e))
      e = full->getSubExpr();
    else if (auto* temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(e))
      e = temporary->getSubExpr();
    else if (auto* unary = llvm::dyn_cast<clang::UnaryOperator>(e); unary && unary->getOpcode() == clang::UO_AddrOf)
      e = unary->getSubExpr();
    else
      break;
  }
  auto* reference = llvm::dyn_cast<clang::DeclRefExpr>(e);
  return reference ? reference->getDecl() : nullptr;
}

class Names : public clang::ASTConsumer {
public:
  Names(clang::CompilerInstance& compiler, clang::CodeGenAction& action, const std::vector<std::string>& expressions,
        std::map<std::string, std::string>& lowered)
      : compiler_(compiler), action_(action), expressions_(expressions), lowered_(lowered) {}

  bool HandleTopLevelDecl(clang::DeclGroupRef group) override {
    for (clang::Decl* decl : group) {
      auto* variable = llvm::dyn_cast<clang::VarDecl>(decl);
      if (!variable || !variable->getInit() || !variable->getName().starts_with(kPrefix)) continue;
      size_t index = expressions_.size();
      if (variable->getName().substr(std::char_traits<char>::length(kPrefix)).getAsInteger(10, index)) continue;
      if (index >= expressions_.size()) continue;
      auto* named = const_cast<clang::ValueDecl*>(named_by(variable->getInit()));
      const bool device = named && (named->hasAttr<clang::CUDAGlobalAttr>() || named->hasAttr<clang::CUDADeviceAttr>() ||
                                    named->hasAttr<clang::CUDAConstantAttr>());
      if (!device) {
        auto& diagnostics = compiler_.getDiagnostics();
        unsigned id = diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                                  "name expression '%0' does not name a kernel or a device variable");
        diagnostics.Report(variable->getLocation(), id) << expressions_[index];
        continue;
      }
      // Nothing else in the module may refer to it.
      named->addAttr(clang::UsedAttr::CreateImplicit(compiler_.getASTContext()));
      found_.emplace_back(index, named);
    }
    return true;
  }

  void HandleTranslationUnit(clang::ASTContext&) override {
    if (compiler_.getDiagnostics().hasErrorOccurred()) return;
    for (auto [index, named] : found_) {
      clang::GlobalDecl global;
      if (auto* function = llvm::dyn_cast<clang::FunctionDecl>(named))
        global = clang::GlobalDecl(function, clang::GlobalDecl::getDefaultKernelReference(function));
      else
        global = clang::GlobalDecl(llvm::cast<clang::VarDecl>(named));
      auto* symbol = action_.getCodeGenerator()->GetAddrOfGlobal(global, /*isForDefinition=*/false);
      if (!symbol) continue;
      if (auto* value = llvm::dyn_cast<llvm::GlobalValue>(symbol->stripPointerCasts()))
        lowered_[expressions_[index]] = value->getName().str();
    }
  }

private:
  clang::CompilerInstance& compiler_;
  clang::CodeGenAction& action_;
  const std::vector<std::string>& expressions_;
  std::map<std::string, std::string>& lowered_;
  std::vector<std::pair<size_t, clang::ValueDecl*>> found_;
};

} // namespace

std::string name_expression_text(const std::vector<std::string>& expressions) {
  std::string text;
  for (size_t i = 0; i < expressions.size(); ++i)
    // A host variable: it is looked at and thrown away. The reference neither copies nor converts.
    text += fmt::format("\n#line 1 \"name expression {}\"\n[[maybe_unused]] static auto&& {}{} = (\n{}\n);\n", i + 1, kPrefix, i,
                        expressions[i]);
  return text;
}

std::unique_ptr<clang::ASTConsumer> make_name_consumer(clang::CompilerInstance& compiler, clang::CodeGenAction& action,
                                                       const std::vector<std::string>& expressions,
                                                       std::map<std::string, std::string>& lowered) {
  return std::make_unique<Names>(compiler, action, expressions, lowered);
}

} // namespace bz::rtc
