// LLVM's disassembler as a judge of decoder and text, in process. For tests only: nothing else links LLVM. One thread.
#pragma once
#include "isa/target.hpp"

#include <cstdint>
#include <string>

namespace bz::isa {

class LlvmMc {
public:
  explicit LlvmMc(Target target);
  ~LlvmMc();
  LlvmMc(const LlvmMc&) = delete;
  LlvmMc& operator=(const LlvmMc&) = delete;

  enum class Verdict {
    accepted,
    rejected,
    dubious,  ///< decoded, with a complaint in the text: an operand outside its register class or a misplaced constant
    crashed,  ///< LLVM 22 has undefined behaviour on some words (literal codes in VOP3 and buffer fields)
  };
  struct Result {
    Verdict verdict = Verdict::rejected;
    size_t size = 0;
    std::string text;  ///< without white space around it, complaints left in
  };
  Result disassemble(const uint32_t* words, size_t count);

private:
  void* context_ = nullptr;
};

} // namespace bz::isa
