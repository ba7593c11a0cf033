// Writes the checked-in sample of LLVM's text: one legal random word per row and form.  isa_sample gfx942 > vectors_gfx942.txt
#include "isa/decode.hpp"
#include "isa/llvm_mc.hpp"
#include "isa/random_words.hpp"

#include <cstdio>
#include <map>

using namespace bz::isa;

int main(int argc, char** argv) {
  auto target = argc > 1 ? target_from_name(argv[1]) : std::nullopt;
  if (!target) return std::fprintf(stderr, "usage: isa_sample <target>\n"), 2;
  LlvmMc llvm(*target);
  RandomWords random(42);
  std::map<std::pair<RowId, int>, std::string> lines;
  for (long i = 0; i < 8000000; ++i) {
    auto w = random.next();
    auto inst = decode(*target, w.data(), w.size());
    if (!inst || (!inst->legal && !row_absent(inst->row))) continue;
    auto key = std::pair(inst->row, static_cast<int>(inst->form));
    if (lines.count(key)) continue;
    auto judge = llvm.disassemble(w.data(), w.size());
    if (judge.verdict != LlvmMc::Verdict::accepted) continue;
    std::string hex;
    for (size_t b = 0; b < judge.size; ++b) {
      char two[3];
      std::snprintf(two, sizeof two, "%02x", w[b / 4] >> (b % 4 * 8) & 0xff);
      hex += two;
    }
    lines[key] = " " + hex + " | " + judge.text;
  }
  std::printf("# Text by LLVM 22's disassembler for %s, one word per row and form. Made by isa_sample.\n", argv[1]);
  for (auto& [key, line] : lines) std::printf("%s\n", line.c_str());
}
